"""A hash table that finds equal options in the list of options of a choice; compiled once."""

from __future__ import annotations

from kibitz.core.actions import MAX_ACTIONS
from kibitz.core.memory import INT16, INT64, Address, array_at
from kibitz.core.randomness import MASK32

TABLE_BITS = 13
TABLE_SIZE = 1 << TABLE_BITS
"""The number of entries of the table: twice the maximum number of options, so that most searches
are short."""
RECORD_SIZE = (8 + 2) * MAX_ACTIONS + 2 * TABLE_SIZE
"""The size of a record in bytes."""

NEW, LISTED, COLLISION = 0, 1, 2
"""The results of ``record_option``."""


def record_option(
    actions_at: Address, record_at: Address, count: int, action: int, check: int
) -> int:
    """Records an option that may become number `count` of the list.

    The record is a hash table of the numbers of options. Its memory need not be cleared: an entry
    is valid if the option that it names refers back to it (Briggs and Torczon 1993, "An Efficient
    Representation for Sparse Sets").

    Args:
        actions_at: The options so far; options that cannot repeat need not be recorded.
        record_at: Memory of `RECORD_SIZE` bytes, which the whole list shares.
        count: The number of options so far.
        action: The action of the option.
        check: A number that differs between different options with the same action.

    Returns:
        `LISTED` if the same option was recorded, `COLLISION` if another option with the same
        action was recorded, else `NEW`.
    """
    actions = array_at(actions_at, INT64, MAX_ACTIONS)
    checks = array_at(record_at, INT64, MAX_ACTIONS)
    entry_of = array_at(record_at + 8 * MAX_ACTIONS, INT16, MAX_ACTIONS)
    table = array_at(record_at + 10 * MAX_ACTIONS, INT16, TABLE_SIZE)
    folded = (action ^ (action >> 32)) & MASK32
    entry = ((folded * 0x9E3779B1) & MASK32) >> (32 - TABLE_BITS)
    searching = True
    while searching:
        option = table[entry]
        if option < 0 or option >= count or entry_of[option] != entry:
            searching = False
        elif actions[option] == action:
            return LISTED if checks[option] == check else COLLISION
        else:
            entry = (entry + 1) & (TABLE_SIZE - 1)
    if count < MAX_ACTIONS:
        table[entry] = count
        entry_of[count] = entry
        checks[count] = check
    return NEW

"""The list of options of a choice, in which equal ones are found: compiled for all games."""

from __future__ import annotations

from kibitz.core.actions import MAX_ACTIONS
from kibitz.core.memory import INT16, INT64, Address, array_at
from kibitz.core.randomness import MASK32

TABLE_BITS = 13
TABLE_SIZE = 1 << TABLE_BITS
"""Twice as many entries as there can be options, so that a search soon meets an empty one."""
RECORD_SIZE = (8 + 2) * MAX_ACTIONS + 2 * TABLE_SIZE
"""Bytes of a record."""

NEW, LISTED, COLLISION = 0, 1, 2


def record_option(
    actions_at: Address, record_at: Address, count: int, action: int, check: int
) -> int:
    """Records the option that is about to become number `count` of the list.

    A hash table of the numbers of options. The memory of a record need not be cleared: an entry
    counts if the option that it names says that it stands there (Briggs and Torczon 1993, "An
    Efficient Representation for Sparse Sets").

    Args:
        actions_at: the options so far; those of other kinds need not be recorded.
        record_at: memory of `RECORD_SIZE` bytes, the same for all of the list.
        count: how many options there are.
        action: the option.
        check: differs where other options have the same action.

    Returns:
        `NEW`, or `LISTED` if it is among the options, or `COLLISION` if another one is that
        has the same action.
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

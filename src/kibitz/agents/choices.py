"""The set of choices of an iteration, in tree and playout; it is emptied in constant time.

It is a hash table by action and player, in which entries of earlier iterations have an older
stamp. Where two choices fall into the same place, the later one takes it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.agents.averages import key_of
from kibitz.core.memory import Address, array_at, clear_bytes

CHOICE = np.dtype([("key", np.int64), ("stamp", np.int64)])

PLACES = 4096
CHOICES_SIZE = PLACES * CHOICE.itemsize


def lay_out_choices(search: Any, base: Address, fresh: bool) -> None:
    """Lays out the set in ``CHOICES_SIZE`` bytes at `base`.

    Args:
        search: the ``SEARCH`` record.
        base: the address.
        fresh: whether these bytes hold anything else.
    """
    search.choices = base
    if fresh:
        clear_bytes(base, CHOICES_SIZE)
        search.stamp = 0
    search.stamp += 1  # an iteration that was broken off may have left some


def mark_choice(search: Any, action: int, mover: int) -> None:
    """Notes that a player chose an action in this iteration."""
    key = key_of(action, mover)
    choice = array_at(search.choices, CHOICE, PLACES)[(key >> 1) & (PLACES - 1)]
    choice.key = key
    choice.stamp = search.stamp


def is_marked(search: Any, action: int, mover: int) -> bool:
    """Whether a player chose an action in this iteration, as far as it is noted."""
    key = key_of(action, mover)
    choice = array_at(search.choices, CHOICE, PLACES)[(key >> 1) & (PLACES - 1)]
    return bool(choice.key == key and choice.stamp == search.stamp)

"""The chance of a game: one random stream for dice and draws, and one for each shuffle.

The header of a state has the random stream ``rng`` and a key. The stream of a shuffle follows from
the key, the number of the pile, the number of the deal, and how often the pile was shuffled in
this deal; and a pile is put in order before it is shuffled. So games of one seed deal the same
cards however they are played.

The functions are rule functions; ``header`` is a header or the record of a whole state.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any

import numpy as np

from kibitz.core.memory import stack_record
from kibitz.core.randomness import MASK32, Stream, shuffle_from, split_stream
from kibitz.core.status import Status

MOST_KINDS = 2048
"""The number of kinds of cards that can be shuffled together."""
COUNTERS = 8
"""The number of counters of shuffles in a header; piles whose numbers differ by it share one."""
ONE_DEAL = -1
"""The deal number in a game that counts no deals."""

_TALLY = np.dtype([("of", np.int16, (MOST_KINDS,))])


def start_deals(header: Any) -> None:
    """Takes the key of all shuffles to come from the random stream, which was just started."""
    for i in range(4):
        header.deal_key[i] = header.rng[i] >> 1
    for i in range(COUNTERS):
        header.shuffle_counts[i] = 0
    header.shuffle_count = 0
    if header.deal_number > 0:
        header.deal_number = 0


def renew_chance(rng: Stream, header: Any) -> None:
    """Replaces all future chance of a state by chance that is drawn from `rng`."""
    split_stream(rng, header.rng)
    start_deals(header)


def chance_mark(header: Any) -> int:
    """A number that differs after anything was drawn, rolled or shuffled."""
    return int((header.rng[3] + header.shuffle_count & MASK32) << 31 | header.rng[0] >> 1)


def deal_cards(header: Any, pile: int, deal: int, cards: MutableSequence[int], count: int) -> None:
    """Puts the first `count` cards in order, then shuffles them by a stream of their own.

    Args:
        header: of the state.
        pile: the number of the pile that they lie in.
        deal: the number of the deal.
        cards: numbers; those of different kinds differ.
        count: how many there are.
    """
    if header.deal_number != deal:
        header.deal_number = deal
        for i in range(COUNTERS):
            header.shuffle_counts[i] = 0
    times = header.shuffle_counts[pile & COUNTERS - 1]
    header.shuffle_counts[pile & COUNTERS - 1] = (times + 1) & 0x7FFF
    header.shuffle_count = (header.shuffle_count + 1) & 0x7FFFFFFF
    if not sort_cards(cards, count):
        header.status = Status.RULES_ERROR
        return
    key = header.deal_key
    word = scatter(key[0] ^ pile << 16 ^ times ^ deal * 0x9E3779B1)
    shuffle_from(word, (key[1] ^ deal) & MASK32, (key[2] + word) & MASK32, key[3], cards, count)


def scatter(x: int) -> int:
    """A 32-bit number in which each bit of `x` decides half of the bits.

    It is the finaliser of MurmurHash3, which is a permutation.
    """
    x &= MASK32
    x ^= x >> 16
    x = (x * 0x85EBCA6B) & MASK32
    x ^= x >> 13
    x = (x * 0xC2B2AE35) & MASK32
    return x ^ (x >> 16)


def sort_cards(cards: MutableSequence[int], count: int) -> bool:
    """Sorts the first `count` cards; returns False if their numbers are too far apart."""
    ordered = 1
    while ordered < count and cards[ordered] >= cards[ordered - 1]:
        ordered += 1
    if ordered >= count:
        return True
    low = high = cards[0]
    for i in range(1, count):
        low = min(low, cards[i])
        high = max(high, cards[i])
    kinds = high - low + 1
    if kinds > MOST_KINDS:
        return False
    tally = stack_record(_TALLY).of
    for kind in range(kinds):
        tally[kind] = 0
    for i in range(count):
        tally[cards[i] - low] += 1
    filled = 0
    for kind in range(kinds):
        for _ in range(tally[kind]):
            cards[filled] = low + kind
            filled += 1
    return True

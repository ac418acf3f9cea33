"""The chance of a game: one random stream for dice and draws, and one for each shuffle.

A state begins with the random stream ``rng`` and a key. What a shuffle does follows from the key,
the number of the pile, the number of the deal, and how often the pile was shuffled in this deal;
and a pile is put in order before it is shuffled. So games of one seed deal the same cards however
they are played.

The functions are rule functions; ``header`` is a header or the record of a whole state.
"""

from __future__ import annotations

import zlib
from collections.abc import MutableSequence
from typing import Any

import numpy as np

from kibitz.core.memory import stack_record
from kibitz.core.randomness import GAME_STREAM, MASK32, Stream, seed_stream, split_stream
from kibitz.core.status import Status

MOST_SHUFFLED = 2048
"""The number of kinds of cards that can be shuffled together."""
COUNTERS = 8
"""The number of counters of shuffles in a header; piles whose numbers differ by it share one."""
ONE_DEAL = -1
"""The number of the deal in a game that counts no deals."""

_TALLY = np.dtype([("of", np.int16, (MOST_SHUFFLED,))])
_LARGEST = 0x7FFF


def pile_number(path: str) -> int:
    """The number of a pile, which follows from its place in the state alone."""
    return zlib.crc32(path.encode()) & _LARGEST


def start_shuffles(header: Any) -> None:
    """Takes the key of all shuffles to come from the random stream, which was just started."""
    for i in range(3):
        header.shuffle_key[i] = header.rng[i] >> 1
    header.shuffles_done = 0
    for i in range(COUNTERS):
        header.shuffle_counts[i] = 0


def seed_chance(header: Any, seed: int) -> None:
    """Starts the chance of a blank state by a seed of any size; not for compiled code."""
    seed_stream(header.rng, seed, GAME_STREAM)
    start_shuffles(header)


def renew_chance(rng: Stream, header: Any) -> None:
    """Replaces all future chance of a state by chance that is drawn from `rng`."""
    split_stream(rng, header.rng)
    start_shuffles(header)


def chance_mark(header: Any) -> int:
    """A number that differs after anything was drawn, rolled or shuffled."""
    return int((header.rng[3] + header.shuffles_done & MASK32) << 31 | header.rng[0] >> 1)


def shuffle_pile(
    header: Any, pile: int, deal: int, cards: MutableSequence[int], count: int
) -> None:
    """Puts the first `count` cards in order, then shuffles them uniformly.

    R. Durstenfeld, "Algorithm 235: Random permutation", Comm. ACM 7(7), 1964.

    Args:
        header: the header of the state, whose key and counters decide.
        pile: the number of the pile that they lie in.
        deal: the number of the deal.
        cards: numbers; those of different kinds differ.
        count: how many there are.
    """
    if header.shuffle_deal != deal:
        header.shuffle_deal = deal
        for i in range(COUNTERS):
            header.shuffle_counts[i] = 0
    counter = pile & COUNTERS - 1
    times = header.shuffle_counts[counter]
    header.shuffle_counts[counter] = times + 1 & _LARGEST
    header.shuffles_done = header.shuffles_done + 1 & _LARGEST
    if not sort_cards(cards, count):
        header.status = Status.RULES_ERROR
        return
    key = header.shuffle_key
    shuffle = (pile & _LARGEST) << 15 | times
    a = key[0] + shuffle * 0x9E3779B1
    b = key[1] + shuffle * 0x85EBCA77 + deal * 0xC2B2AE3D & MASK32
    c = key[2]
    for i in range(count - 1, 0, -1):
        bits = scatter(a + i * 0x27D4EB2F, b, c)
        if bits * (i + 1) & MASK32 <= i:
            bits = scatter_fairly(bits, a + i * 0x27D4EB2F, b, c, i + 1)
        j = bits * (i + 1) >> 32
        card = cards[i]
        cards[i] = cards[j]
        cards[j] = card


def scatter(x: int, b: int, c: int) -> int:
    """A number of 32 bits on which each bit of `x`, `b` and `c` has an influence.

    With `b` and `c` fixed it is a permutation of the numbers of 32 bits, after "triple32" (Chris
    Wellons, "Prospecting for hash functions", 2018).
    """
    x &= MASK32
    x ^= x >> 17
    x = x * 0xED5AD4BB & MASK32
    x ^= x >> 11 ^ b
    x = x * 0xAC4C1B51 & MASK32
    x ^= x >> 15 ^ c
    x = x * 0x31848BAB & MASK32
    return x ^ x >> 14


def scatter_fairly(bits: int, x: int, b: int, c: int, n: int) -> int:
    """32 random bits from which each of `n` numbers follows with the same probability.

    Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019.
    """
    threshold = (MASK32 + 1 - n) % n
    while bits * n & MASK32 < threshold:
        b = b + 1 & MASK32
        bits = scatter(x, b, c)
    return bits


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
    if kinds > MOST_SHUFFLED:
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

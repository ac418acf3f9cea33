"""The chance of a game in the oracle: a random stream, and one of its own for each shuffle."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from kibitz.core.randomness import MASK32, next_uint32, random_below, start_stream

SHARED = 8
"""Piles whose numbers differ by a multiple of this share a counter."""


@dataclass
class Chance:
    """The random stream, the key of all shuffles, and how many there were of each pile."""

    rng: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    key: list[int] = field(default_factory=list)
    times: Counter[tuple[int, int]] = field(default_factory=Counter)
    deal: int | None = None
    shuffles: int = 0

    @classmethod
    def started(cls, seed: int, stream: int) -> Chance:
        """The chance of a seed."""
        chance = cls()
        start_stream(chance.rng, seed, stream)
        chance.key = [word // 2 for word in chance.rng]
        return chance

    def copy(self) -> Chance:
        """A copy that goes on by itself."""
        return replace(self, rng=list(self.rng), times=Counter(self.times))

    def shuffled(self, cards: list[int], pile: int, deal: int) -> list[int]:
        """The cards of a pile after a shuffle in a deal."""
        if deal != self.deal:
            self.deal = deal
            self.times.clear()
        times = self.times[pile % SHARED, deal]
        self.times[pile % SHARED, deal] += 1
        self.shuffles += 1
        word = _scattered(self.key[0] ^ pile << 16 ^ times ^ deal * 0x9E3779B1)
        rng = [word, (self.key[1] ^ deal) & MASK32, (self.key[2] + word) & MASK32, self.key[3]]
        for _ in range(2):
            next_uint32(rng)
        cards = sorted(cards)
        for i in range(len(cards) - 1, 0, -1):
            j = random_below(rng, i + 1)
            cards[i], cards[j] = cards[j], cards[i]
        return cards


def _scattered(x: int) -> int:
    x &= MASK32
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        x = ((x ^ x >> shift) * factor) & MASK32
    return x ^ x >> 16

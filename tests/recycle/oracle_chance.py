"""The chance of a game in the oracle: a random stream, and one of its own for each shuffle."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from kibitz.core.randomness import start_stream

SHARED = 8
"""Piles whose numbers differ by a multiple of this share a counter."""
WORD = 2**32


@dataclass
class Chance:
    """The random stream, the key of all shuffles, and how many there were of each pile."""

    rng: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    key: list[int] = field(default_factory=list)
    times: Counter[int] = field(default_factory=Counter)
    deal: int | None = None
    shuffles: int = 0

    @classmethod
    def started(cls, seed: int, stream: int) -> Chance:
        """The chance of a seed."""
        chance = cls()
        start_stream(chance.rng, seed, stream)
        chance.key = [word // 2 for word in chance.rng[:3]]
        return chance

    def copy(self) -> Chance:
        """A copy that goes on by itself."""
        return replace(self, rng=list(self.rng), times=Counter(self.times))

    def shuffled(self, cards: list[int], pile: int, deal: int) -> list[int]:
        """The cards of a pile after a shuffle in a deal."""
        if deal != self.deal:
            self.deal = deal
            self.times.clear()
        shuffle = pile * 2**15 + self.times[pile % SHARED]
        self.times[pile % SHARED] += 1
        self.shuffles += 1
        cards = sorted(cards)
        for i in range(len(cards) - 1, 0, -1):
            j = self._drawn(shuffle, deal, i)
            cards[i], cards[j] = cards[j], cards[i]
        return cards

    def _drawn(self, shuffle: int, deal: int, i: int) -> int:
        """A number from 0 to `i`: the upper half of ``i + 1`` times a random word, if fair."""
        first = self.key[0] + shuffle * 0x9E3779B1 + i * 0x27D4EB2F
        second = self.key[1] + shuffle * 0x85EBCA77 + deal * 0xC2B2AE3D
        while True:
            high, low = divmod(_scattered(first, second % WORD, self.key[2]) * (i + 1), WORD)
            if low >= WORD % (i + 1):
                return high
            second += 1


def _scattered(x: int, second: int, third: int) -> int:
    x %= WORD
    x = (x ^ x >> 17) * 0xED5AD4BB % WORD
    x = (x ^ x >> 11 ^ second) * 0xAC4C1B51 % WORD
    x = (x ^ x >> 15 ^ third) * 0x31848BAB % WORD
    return x ^ x >> 14

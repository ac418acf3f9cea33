"""Information sets by enumeration, with which a game's samples are compared.

A *world* is one assignment of all hidden information, as a hashable value. ``Beliefs`` holds every
world that agrees with what one player has seen so far, with its probability: it starts with all
deals, and each event replaces a world by its possible successors, which are no worlds at all if
the player would have seen something else. It is independent of how a game represents knowledge, so
that the two can be compared: ``compare`` checks that samples are possible worlds, that each world
comes up, and that it comes up as often as it should.

The choices of others say nothing about their cards except that they had them: each physical card
in a hand that can be played is assumed to be played with the same probability.
"""

from __future__ import annotations

import functools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

Bag = tuple[int, ...]
"""Cards in no order, the lowest first."""

TOO_RARE = 1e-12
"""Worlds of a smaller probability than this are due to rounding and dropped."""


# --- bags of cards ------------------------------------------------------------------------


def bag(cards: Iterable[int]) -> Bag:
    """These cards as a bag."""
    return tuple(sorted(cards))


def without(cards: Bag, card: int) -> Bag | None:
    """The bag less one card; None where there is no such card."""
    if card not in cards:
        return None
    at = cards.index(card)
    return cards[:at] + cards[at + 1 :]


def without_all(cards: Bag, gone: Iterable[int]) -> Bag | None:
    """The bag less some cards; None where one of them is missing."""
    remaining: Bag | None = cards
    for card in gone:
        if remaining is None:
            return None
        remaining = without(remaining, card)
    return remaining


def taken_out(cards: Bag, gone: Sequence[int]) -> Iterator[tuple[Bag, int]]:
    """The bag less some cards, if they are there, and in how many ways they can be picked."""
    remaining = without_all(cards, gone)
    if remaining is not None:
        have, need = Counter(cards), Counter(gone)
        yield remaining, math.prod(math.comb(have[card], need[card]) for card in need)


def plus(cards: Bag, *more: int) -> Bag:
    """The bag with more cards."""
    return tuple(sorted(cards + more))


@functools.lru_cache(100_000)  # worlds have the same stocks over and over
def draws(cards: Bag, number: int = 1) -> tuple[tuple[Bag, Bag, float], ...]:
    """Each way to draw `number` cards: the cards drawn, the remaining ones, the probability."""
    if number == 0:
        return (((), cards, 1.0),)
    ways: dict[tuple[Bag, Bag], float] = defaultdict(float)
    for drawn, remaining, chance in draws(cards, number - 1):
        for card, copies in Counter(remaining).items():
            after = without(remaining, card)
            assert after is not None
            ways[plus(drawn, card), after] += chance * copies / len(remaining)
    return tuple((drawn, remaining, chance) for (drawn, remaining), chance in ways.items())


# --- what can be believed -----------------------------------------------------------------


class Beliefs:
    """All worlds that are possible for one player, with their probabilities."""

    def __init__(self, worlds: Mapping[Hashable, float]) -> None:
        self.worlds: dict[Hashable, float] = dict(worlds)

    def __len__(self) -> int:
        return len(self.worlds)

    def follow(self, step: Callable[..., Iterable[tuple[Hashable, float]]]) -> None:
        """Replaces each world by the successors that `step` gives, with their probabilities."""
        after: dict[Hashable, float] = defaultdict(float)
        for world, weight in self.worlds.items():
            for successor, chance in step(world):
                after[successor] += weight * chance
        total = sum(after.values())
        assert total > 0.0, "no world is left that agrees with what was seen"
        self.worlds = {w: x / total for w, x in after.items() if x > TOO_RARE * total}

    def require(self, holds: Callable[..., bool]) -> None:
        """The player has seen that something holds."""
        self.follow(lambda world: [(world, 1.0)] if holds(world) else [])


class Deal(NamedTuple):
    """A world of cards: what is in each hand, and in the stock, which nobody can look into."""

    hands: tuple[Bag, ...]
    stock: Bag

    def with_hand(self, player: int, hand: Bag) -> Deal:
        """The deal with another hand for `player`."""
        return Deal((*self.hands[:player], hand, *self.hands[player + 1 :]), self.stock)


class Deals(Beliefs):
    """Beliefs of a player in a game where hands are drawn from a shuffled stock.

    `own` is the player's hand in the beginning, `sizes` has the number of cards dealt to each
    player, and `stock` has all cards but those of the player.
    """

    worlds: dict[Any, float]

    def __init__(self, player: int, own: Bag, sizes: Sequence[int], stock: Bag) -> None:
        self.player = player
        nothing = tuple(own if p == player else () for p in range(len(sizes)))
        super().__init__({Deal(nothing, stock): 1.0})
        for p, size in enumerate(sizes):
            if p != player:
                self.draw(p, size)

    def draw(self, player: int, number: int) -> None:
        """A player draws `number` cards unseen."""

        def step(deal: Deal) -> Iterator[tuple[Deal, float]]:
            for drawn, stock, chance in draws(deal.stock, number):
                hand = plus(deal.hands[player], *drawn)
                yield deal._replace(stock=stock).with_hand(player, hand), chance

        if number > 0:
            self.follow(step)

    def draw_openly(self, player: int, cards: Iterable[int]) -> None:
        """A player draws these cards, one by one, as the watching player sees."""
        for card in cards:
            self.follow(functools.partial(_draw_seen, player, card))

    def play(self, player: int, *cards: int) -> None:
        """A player lays cards out of the hand, for all to see."""

        def step(deal: Deal) -> Iterator[tuple[Deal, float]]:
            for hand, ways in taken_out(deal.hands[player], cards):
                yield deal.with_hand(player, hand), ways

        self.follow(step)

    def gain(self, player: int, *cards: int) -> None:
        """Cards come to a hand from the table, for all to see."""
        self.follow(lambda d: [(d.with_hand(player, plus(d.hands[player], *cards)), 1.0)])

    def restock(self, cards: Bag) -> None:
        """These cards, which all have seen, are shuffled and become the stock."""
        self.follow(lambda deal: [(deal._replace(stock=plus(deal.stock, *cards)), 1.0)])

    def show(self, player: int, hand: Bag) -> None:
        """The watching player sees a hand."""
        self.require(lambda deal: deal.hands[player] == hand)


def _draw_seen(player: int, card: int, deal: Deal) -> Iterator[tuple[Deal, float]]:
    stock = without(deal.stock, card)
    if stock is not None:
        hand = plus(deal.hands[player], card)
        chance = deal.stock.count(card) / len(deal.stock)
        yield deal._replace(stock=stock).with_hand(player, hand), chance


def whose_cards(deal: Deal) -> Iterator[Hashable]:
    """Marks of a deal: which cards each hand holds, and how many of each."""
    for p, hand in enumerate(deal.hands):
        for card, copies in Counter(hand).items():
            yield p, card, copies


# --- samples against it -------------------------------------------------------------------


class Verdict(NamedTuple):
    """The result of comparing samples with beliefs."""

    impossible: list[Hashable]
    """Samples that are no possible worlds."""
    missing: list[Hashable]
    """Marks that should have come up in the samples, but did not."""
    skewed: list[tuple[Hashable, float, float]]
    """Marks that came up too often or too rarely: the observed and the expected frequency."""

    @property
    def fair(self) -> bool:
        """Whether there is nothing to say against the samples."""
        return not (self.impossible or self.missing or self.skewed)


def compare(
    believed: Mapping[Hashable, float],
    samples: Iterable[Hashable],
    marks: Callable[..., Iterable[Hashable]] = lambda world: [world],
    deviations: float = 5.5,
) -> Verdict:
    """Compares samples with the possible worlds.

    Each sample must be one of the worlds. Frequencies are compared by `marks`, such as a certain
    card in a certain hand; by default the world itself is the mark. A mark that is expected ten
    times or more and does not come up is missing; a mark that differs by more than `deviations`
    standard deviations is skewed.
    """
    counts = Counter(samples)
    number = sum(counts.values())
    expected: dict[Hashable, float] = defaultdict(float)
    for world, chance in believed.items():
        for mark in set(marks(world)):
            expected[mark] += chance
    observed: Counter[Hashable] = Counter()
    for world, times in counts.items():
        for mark in set(marks(world)):
            observed[mark] += times
    missing, skewed = [], []
    for mark, chance in expected.items():
        should = number * chance
        deviation = math.sqrt(max(should * (1.0 - chance), 0.0))
        if observed[mark] == 0 and should > 10.0 + deviations:
            missing.append(mark)
        elif abs(observed[mark] - should) > deviations * deviation + 3.0:
            skewed.append((mark, observed[mark] / number, chance))
    return Verdict([world for world in counts if world not in believed], missing, skewed)

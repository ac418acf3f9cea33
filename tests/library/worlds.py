"""Information sets by enumeration, with which a game's samples are compared.

A *world* is one way in which all that is hidden may be, as a value that can be hashed. ``Beliefs``
holds every world that agrees with what one player has seen so far, with the chance it has: it
starts with all deals, and each event takes a world to the worlds it may have become, or to none
where the player would have seen something else. This knows nothing of how a game keeps books on
the hidden, so that both can be compared: ``compare`` asks that samples are worlds that can be,
that each of these comes up, and that each comes up as often as it should.

What others do says nothing about their cards but that they could do it: of the cards in a hand
that can be played, each physical card is taken to be played with the same chance.
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
"""What has a smaller share than this comes of rounding."""


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
    left: Bag | None = cards
    for card in gone:
        if left is None:
            return None
        left = without(left, card)
    return left


def taken_out(cards: Bag, gone: Sequence[int]) -> Iterator[tuple[Bag, int]]:
    """The bag less some cards, if they are there, and in how many ways they can be picked."""
    left = without_all(cards, gone)
    if left is not None:
        have, wanted = Counter(cards), Counter(gone)
        yield left, math.prod(math.comb(have[card], wanted[card]) for card in wanted)


def plus(cards: Bag, *more: int) -> Bag:
    """The bag with more cards."""
    return tuple(sorted(cards + more))


@functools.lru_cache(100_000)  # worlds have the same stocks over and over
def draws(cards: Bag, number: int = 1) -> tuple[tuple[Bag, Bag, float], ...]:
    """Each way to draw so many cards: those drawn, those left, and its chance."""
    if number == 0:
        return (((), cards, 1.0),)
    ways: dict[tuple[Bag, Bag], float] = defaultdict(float)
    for drawn, left, chance in draws(cards, number - 1):
        for card, copies in Counter(left).items():
            rest = without(left, card)
            assert rest is not None
            ways[plus(drawn, card), rest] += chance * copies / len(left)
    return tuple((drawn, left, chance) for (drawn, left), chance in ways.items())


# --- what can be believed -----------------------------------------------------------------


class Beliefs:
    """All worlds that one player can believe in, each with its chance."""

    def __init__(self, worlds: Mapping[Hashable, float]) -> None:
        self.worlds: dict[Hashable, float] = dict(worlds)

    def __len__(self) -> int:
        return len(self.worlds)

    def follow(self, step: Callable[..., Iterable[tuple[Hashable, float]]]) -> None:
        """Something happens: `step` gives for a world those it becomes, with their chances."""
        after: dict[Hashable, float] = defaultdict(float)
        for world, weight in self.worlds.items():
            for then, chance in step(world):
                after[then] += weight * chance
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
        """The same with another hand."""
        return Deal((*self.hands[:player], hand, *self.hands[player + 1 :]), self.stock)


class Deals(Beliefs):
    """What a player can believe in where cards are drawn from a shuffled stock into hands.

    `own` is the player's hand in the beginning, `sizes` says how many cards everyone has been
    dealt, and `stock` has all cards but those of the player.
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
        """A player draws so many cards, unseen."""

        def step(deal: Deal) -> Iterator[tuple[Deal, float]]:
            for drawn, left, chance in draws(deal.stock, number):
                hand = plus(deal.hands[player], *drawn)
                yield deal._replace(stock=left).with_hand(player, hand), chance

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
    left = without(deal.stock, card)
    if left is not None:
        hand = plus(deal.hands[player], card)
        chance = deal.stock.count(card) / len(deal.stock)
        yield deal._replace(stock=left).with_hand(player, hand), chance


def whose_cards(deal: Deal) -> Iterator[Hashable]:
    """Marks of a deal: which cards each hand holds, and how many of each."""
    for p, hand in enumerate(deal.hands):
        for card, copies in Counter(hand).items():
            yield p, card, copies


# --- samples against it -------------------------------------------------------------------


class Verdict(NamedTuple):
    """What was found in comparing samples with what can be believed."""

    impossible: list[Hashable]
    """Samples that cannot be."""
    missing: list[Hashable]
    """What should have come up, and has not."""
    skewed: list[tuple[Hashable, float, float]]
    """What came up too often or too rarely: how often it did, and how often it should have."""

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
    """Compares samples with the worlds that can be.

    Each sample must be one of the worlds. How often they come is compared by their `marks`, such
    as a certain card in a certain hand; by default by the worlds themselves. A mark that should
    come up ten times and more and does not come is missing; one that is off by more than so many
    standard `deviations` is skewed.
    """
    found = Counter(samples)
    number = sum(found.values())
    expected: dict[Hashable, float] = defaultdict(float)
    for world, chance in believed.items():
        for mark in set(marks(world)):
            expected[mark] += chance
    seen: Counter[Hashable] = Counter()
    for world, times in found.items():
        for mark in set(marks(world)):
            seen[mark] += times
    missing, skewed = [], []
    for mark, chance in expected.items():
        should = number * chance
        deviation = math.sqrt(max(should * (1.0 - chance), 0.0))
        if seen[mark] == 0 and should > 10.0 + deviations:
            missing.append(mark)
        elif abs(seen[mark] - should) > deviations * deviation + 3.0:
            skewed.append((mark, seen[mark] / number, chance))
    return Verdict([world for world in found if world not in believed], missing, skewed)

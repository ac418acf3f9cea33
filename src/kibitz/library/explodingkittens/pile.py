"""Components of hidden information about the deck: places of kittens, and peeks.

A kitten can be put anywhere in secret; so the state of other players must not show where it went,
not even by changes of the places of other cards. Therefore the other cards of the deck lie in a
pile of their own, which only loses its top card, and each kitten carries a number: the number of
cards *below* it when it came into the deck. Only top cards leave the deck, so the number stays
right; and any such numbers describe a deck (they are the *inversion table* of its order; Knuth,
TAOCP 5.1.1). Hence all decks are equally likely if the unknown numbers are drawn independently and
uniformly.

Each kitten has a picture of its own, as on the printed cards. So all players see which kitten is
drawn.

A *peek* is a bookmark below the cards that a player has seen. All players know the number of cards
above it that are left from that time, whatever was put into the deck since; the player who looked
knows the cards.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kibitz.core.features import Feature, TableDescription, numbers, one_hot, seats
from kibitz.core.layout import Component, Slots, Visibility
from kibitz.core.parameters import GameParameters
from kibitz.library.explodingkittens.cards import CARDS, MOST_KITTENS, Card

MOST_BELOW = 100
MOST_PEEKS = 8
"""The maximum number of peeks; a further one replaces the oldest."""
MOST_SEEN = 4
"""The maximum number of cards of a peek."""
NOTHING = Card.KITTEN + MOST_KITTENS
"""The value of a place in a peek whose card has left the deck, or that has no card."""


class Kittens(Component):
    """Declares the kittens in the deck, in the order in which they came there.

    Each has a label and the number of cards below it when it came, which counts the cards besides
    kittens, and kittens before it in this list. The player who put it there knows the number.
    """

    visible_to = Visibility.NOBODY
    capacity = MOST_KITTENS

    count: int
    label: list[int]
    below: list[int]
    seen: list[int]

    def dtype(self, parameters: type[GameParameters]) -> np.dtype[Any]:
        """The number of kittens, and arrays of their labels, numbers and masks."""
        rows = [(name, np.int16, (MOST_KITTENS,)) for name in ("label", "below", "seen")]
        return np.dtype([("count", np.int16), *rows])

    def slots(self, dtype: np.dtype[Any]) -> Slots:
        """The hidden numbers of cards below each kitten."""
        offset = {name: dtype.fields[name][1] for name in dtype.names or ()}  # type: ignore[index]
        return Slots(
            values=offset["below"],
            seen=offset["seen"],
            count=offset["count"],
            capacity=MOST_KITTENS,
            pool=None,
            high=MOST_BELOW,
        )

    def pieces(self, view: Any) -> int:
        """The number of kittens, each of which is a card."""
        return int(view.count)

    def problem(self, view: Any) -> str | None:
        """What is wrong with the list, in words."""
        if not 0 <= view.count <= MOST_KITTENS:
            return f"it claims {view.count} kittens, and there are at most {MOST_KITTENS}"
        labels = sorted(view.label[i] for i in range(view.count))
        if len(set(labels)) < len(labels) or any(not 0 <= x < MOST_KITTENS for x in labels):
            return f"{labels} are no numbers of different kittens"
        for i in range(MOST_KITTENS):
            if i >= view.count and (view.label[i] or view.below[i] or view.seen[i]):
                return f"place {i} beyond its {view.count} kittens is not empty"
            if not -1 <= view.below[i] <= MOST_BELOW:
                return f"{view.below[i]} cards cannot be below a kitten"
        return None

    def to_json(self, view: Any) -> Any:
        """The kittens, with the number of cards below each; ``None`` if it is hidden."""
        return [
            {"kitten": view.label[i], "below": view.below[i] if view.below[i] >= 0 else None}
            for i in range(view.count)
        ]

    def describe(self, view: Any) -> str:
        """The number of cards below each kitten, if it is known."""
        below = [view.below[i] for i in range(view.count)]
        return ", ".join(f"{n} cards below" if n >= 0 else "anywhere" for n in below) or "none"

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterator[Feature]:
        """Yields the label of each kitten, and the number of cards below it if it is known."""
        at: Any = {name: dtype.fields[name][1] for name in dtype.names or ()}  # type: ignore[index]
        where: Any = {"length": MOST_KITTENS, "count": at["count"]}
        labels = [f"kitten {i + 1}" for i in range(MOST_KITTENS)]
        yield one_hot(at["label"], labels, ("place",), **where)
        yield numbers(at["below"], ("below",), high=MOST_BELOW, seen=at["seen"], **where)


class Peeks(Component):
    """Declares the peeks: what players have seen of the deck, in the order of time.

    Each has its owner, the number of kittens now in the deck that were there already (``older``),
    the number of cards below those seen, and the seen cards that are still there, from the top.
    """

    visible_to = Visibility.OWNER
    capacity = MOST_PEEKS

    count: int
    owner: list[int]
    older: list[int]
    below: list[int]
    used: int
    cards: list[int]
    seen: list[int]

    def dtype(self, parameters: type[GameParameters]) -> np.dtype[Any]:
        """Arrays with the numbers of each peek, then the cards of all peeks."""
        rows = [(name, np.int16, (MOST_PEEKS,)) for name in ("owner", "older", "below")]
        cards = [(name, np.int16, (MOST_PEEKS * MOST_SEEN,)) for name in ("cards", "seen")]
        return np.dtype([("count", np.int16), *rows, ("used", np.int16), *cards])

    def slots(self, dtype: np.dtype[Any]) -> Slots:
        """The hidden cards of the peeks."""
        offset = {name: dtype.fields[name][1] for name in dtype.names or ()}  # type: ignore[index]
        return Slots(
            values=offset["cards"],
            seen=offset["seen"],
            count=offset["used"],
            capacity=MOST_PEEKS * MOST_SEEN,
            pool=None,
            high=NOTHING,
        )

    def pieces(self, view: Any) -> int:
        """Returns 0: the cards are pieces of the deck, not of its peeks."""
        return 0

    def problem(self, view: Any) -> str | None:
        """What is wrong with the peeks, in words."""
        if not 0 <= view.count <= MOST_PEEKS or view.used != MOST_SEEN * view.count:
            return f"it claims {view.count} peeks with {view.used} cards"
        for i in range(MOST_PEEKS * MOST_SEEN):
            if i >= view.used and (view.cards[i] or view.seen[i]):
                return f"place {i} beyond its {view.used} cards is not empty"
            if not -1 <= view.cards[i] <= NOTHING:
                return f"{view.cards[i]} is no card"
        return None

    def to_json(self, view: Any) -> Any:
        """The owner and the cards of each peek."""
        return [
            {"player": view.owner[i], "cards": [seen_name(card) for card in seen_cards(view, i)]}
            for i in range(view.count)
        ]

    def describe(self, view: Any) -> str:
        """The owner and the cards of each peek, in words."""
        peeks = [
            f"player {view.owner[i] + 1}: "
            + ", ".join(seen_name(card) or "?" for card in seen_cards(view, i))
            for i in range(view.count)
        ]
        return "; ".join(peeks) or "none"

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterator[Feature]:
        """Yields the owner of each peek, its numbers, and its cards as far as they are known."""
        at: Any = {name: dtype.fields[name][1] for name in dtype.names or ()}  # type: ignore[index]
        n: Any = {"length": MOST_PEEKS, "count": at["count"]}
        yield seats(at["owner"], table, ("peek of",), **n)
        yield numbers(at["older"], ("older kittens",), high=MOST_KITTENS, **n)
        yield numbers(at["below"], ("below",), high=MOST_BELOW, **n)
        words = [*CARDS.words[: Card.KITTEN], *(f"kitten {i + 1}" for i in range(MOST_KITTENS))]
        yield one_hot(
            at["cards"],
            [*words, "gone"],
            ("seen",),
            length=MOST_PEEKS * MOST_SEEN,
            count=at["used"],
            seen=at["seen"],
        )


def seen_cards(view: Any, peek: int) -> list[int]:
    """The cards of a peek, from the top; hidden ones are -1."""
    cards = [view.cards[peek * MOST_SEEN + d] for d in range(MOST_SEEN)]
    return [card for card in cards if card != NOTHING]


def seen_name(card: int) -> str | None:
    """The name of a card in a peek; ``None`` if it is hidden."""
    return None if card < 0 else CARDS.word(min(card, Card.KITTEN))

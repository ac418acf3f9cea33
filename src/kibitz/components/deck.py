"""Decks: ordered piles of cards, with the set of players who know each card.

Cards are small integers: indices into the deck's ``CardSet``. The set of players who know a card
moves with it. Players who see a deck learn the cards that arrive there, and still know them after
an open move; a shuffle makes all other players forget the cards.

The functions are rule functions; ``deck`` is the record in the state, its top the last card.
Functions that could overflow a deck take ``state`` to report it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.core.actions import Domain
from kibitz.core.dealing import MOST_KINDS, deal_cards
from kibitz.core.errors import FileError, GameDefinitionError
from kibitz.core.features import Feature, TableDescription, counts, last
from kibitz.core.layout import Component, Slots, Visibility
from kibitz.core.parameters import GameParameters, read_json_object
from kibitz.core.results import fail
from kibitz.core.status import Status
from kibitz.core.wording import counted

if TYPE_CHECKING:
    from kibitz.core.layout import GameState


@dataclass(frozen=True)
class CardType:
    """A kind of card."""

    name: str
    count: int
    text: str = ""
    properties: dict[str, Any] = field(default_factory=dict)


class CardSet(Domain):
    """All kinds of cards that share a back; a card is an index into the set.

    As the domain of an action's operand it provides the names of the cards.
    """

    def __init__(self, name: str, cards: Sequence[CardType]) -> None:
        super().__init__([card.name for card in cards])
        self.name = name
        self.cards = tuple(cards)
        self.total = sum(card.count for card in cards)
        for card in cards:
            if card.count < 0:
                raise GameDefinitionError(f"There cannot be {card.count} cards {card.name!r}.")

    def __iter__(self) -> Iterator[CardType]:
        return iter(self.cards)

    @classmethod
    def from_json(cls, path: str | os.PathLike[str]) -> CardSet:
        """Reads ``{"name": ..., "cards": [{"name", "count", "text", ...}, ...]}``.

        Further members of a card become its properties.

        Raises:
            FileError: the file cannot be read or has another form.
        """
        document = read_json_object(path)
        try:
            cards = [
                CardType(
                    name=str(entry.pop("name")),
                    count=int(entry.pop("count", 1)),
                    text=str(entry.pop("text", "")),
                    properties=entry,
                )
                for entry in document["cards"]
            ]
            return cls(str(document["name"]), cards)
        except GameDefinitionError as problem:
            raise FileError(f"{path}: {problem}") from None
        except (KeyError, TypeError, ValueError, AttributeError) as problem:
            raise FileError(
                f"{path}: a card set needs a name and cards with names and counts ({problem!r})."
            ) from None


class Deck(Component):
    """Declares a pile of cards.

    Args:
        cards: the set its cards come from.
        visible_to: who sees the cards that arrive here.
        capacity: the maximum number of cards; by default the size of the whole set.
        ordered: whether it matters which card is on top; then observations include it.
        pool: hidden cards are exchanged within a pool: by default among all decks of the card
            set, with ``OWN_POOL`` within this deck only.
    """

    count: int
    shown_to: int
    cards: list[int]
    seen: list[int]
    number: int
    is_shuffled = True

    def __init__(
        self,
        cards: CardSet,
        visible_to: Visibility = Visibility.NOBODY,
        capacity: int | None = None,
        pool: str | None = None,
        ordered: bool = True,
    ) -> None:
        if len(cards) > MOST_KINDS:
            raise GameDefinitionError(
                f"{cards.name} has {len(cards):,} kinds of cards; a deck holds {MOST_KINDS:,}."
            )
        self.ordered = ordered
        self.card_set = cards
        self.visible_to = visible_to
        self.capacity = cards.total if capacity is None else capacity
        self.pool = pool or cards.name
        self.piece_kind = cards.name

    def dtype(self, parameters: type[GameParameters]) -> np.dtype[Any]:
        return np.dtype(
            [
                ("count", np.int16),
                ("shown_to", np.int16),
                ("cards", np.int16, (self.capacity,)),
                ("seen", np.int16, (self.capacity,)),
                ("number", np.int16),
            ]
        )

    def initialize(self, view: Any, owner: int | None, parameters: GameParameters) -> None:
        view.shown_to = self.visible_to.mask(owner)

    def slots(self, dtype: np.dtype[Any]) -> Slots | None:
        offset = {name: dtype.fields[name][1] for name in dtype.names or ()}  # type: ignore[index]
        return Slots(
            values=offset["cards"],
            seen=offset["seen"],
            count=offset["count"],
            capacity=self.capacity,
            pool=self.pool,
            high=len(self.card_set) - 1,
            shown_to=offset["shown_to"],
        )

    def pieces(self, view: Any) -> int:
        return int(view.count)

    def problem(self, view: Any) -> str | None:
        count = view.count
        if not 0 <= count <= self.capacity:
            return f"it claims {count} cards, and holds at most {self.capacity}"
        for i, (card, known_to) in enumerate(zip(view.cards, view.seen, strict=True)):
            if i >= count and (card or known_to):
                return f"place {i} beyond its {count} cards is not empty"
            if i < count and not -1 <= card < len(self.card_set):
                return f"place {i} holds {card}, which is not a card of {self.card_set.name}"
        return None

    def to_json(self, view: Any) -> Any:
        return [
            self.card_set.word(view.cards[i]) if view.cards[i] >= 0 else None
            for i in range(view.count)
        ]

    def contents(self, view: Any) -> Sequence[str | None]:
        """Its cards from the bottom up."""
        return list(self.to_json(view))

    def describe(self, view: Any) -> str:
        if view.count == 0:
            return "empty"
        cards = [view.cards[i] for i in range(view.count)]
        if all(card < 0 for card in cards):
            return counted(view.count, "hidden card")
        return ", ".join(self.card_set.word(card) if card >= 0 else "?" for card in cards)

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterator[Feature]:
        """Yields the numbers of visible copies of each card and of hidden cards, and the top."""
        offset = {name: dtype.fields[name][1] for name in dtype.names or ()}  # type: ignore[index]
        seen_at = None if self.slots(dtype) is None else offset["seen"]
        words, count = self.card_set.words, offset["count"]
        copies = max((card.count for card in self.card_set), default=1)
        yield counts(
            offset["cards"],
            words,
            table,
            capacity=self.capacity,
            count=count,
            seen=seen_at,
            copies=copies,
        )
        if self.ordered and self.capacity > 1:
            yield last(offset["cards"], words, count=count, seen=seen_at)


def put_card(state: GameState, deck: Deck, card: int) -> None:
    """Puts a new card on top, for setup; players who see the deck know it."""
    place_card(state, deck, card, 0)


def put_copies(state: GameState, deck: Deck, card: int, copies: int) -> None:
    """Puts new copies of a card on top, for setup."""
    for _ in range(copies):
        put_card(state, deck, card)


def place_card(state: GameState, deck: Deck, card: int, known_to: int) -> None:
    """Puts a card on top; the players in the mask `known_to` know it already."""
    at = deck.count
    if at >= len(deck.cards):
        fail(state, Status.FULL_BUFFER)
        return
    deck.cards[at] = card
    deck.seen[at] = known_to | deck.shown_to
    deck.count = at + 1


def take_card(deck: Deck, index: int) -> int:
    """Removes the card at `index`, closing the gap, and returns it.

    The index must be that of a card: compiled rules do not check it, and unlike ``move_card`` this
    function has no state in which to report an error.
    """
    card = deck.cards[index]
    last = deck.count - 1
    for i in range(index, last):
        deck.cards[i] = deck.cards[i + 1]
        deck.seen[i] = deck.seen[i + 1]
    deck.cards[last] = 0
    deck.seen[last] = 0
    deck.count = last
    return card


def move_card(state: GameState, source: Deck, index: int, target: Deck) -> int:
    """Moves the card at `index` openly to the top of `target`; returns it.

    Players who knew the card still do, and those who see `target` learn it. If there is no card at
    `index`, the game is broken off with a rules error, and -1 is returned.
    """
    if index < 0 or index >= source.count:
        fail(state)
        return -1
    known_to = source.seen[index]
    card = take_card(source, index)
    place_card(state, target, card, known_to)
    return card


def move_copy(state: GameState, source: Deck, card: int, target: Deck) -> None:
    """Moves the lowest copy of `card`, which must be there, openly to `target`.

    The loop passes over all cards: processors predict its length better than the copy's index.
    """
    end = 0
    known_to = 0
    for i in range(source.count):
        other = source.cards[i]
        mask = source.seen[i]
        leaves = other == card and end == i
        known_to = mask if leaves else known_to
        source.cards[end] = other
        source.seen[end] = mask
        end += 0 if leaves else 1
    if end == source.count:
        fail(state)
        return
    source.cards[end] = 0
    source.seen[end] = 0
    source.count = end
    place_card(state, target, card, known_to)


def draw_card(state: GameState, source: Deck, target: Deck) -> int:
    """Moves the top card of `source`, which must not be empty, to `target`; returns it."""
    return move_card(state, source, source.count - 1, target)


def move_all(state: GameState, source: Deck, target: Deck) -> None:
    """Moves all cards onto `target`, the bottom one first."""
    for i in range(source.count):
        place_card(state, target, source.cards[i], source.seen[i])
    clear_deck(source)


def clear_deck(deck: Deck) -> None:
    """Removes all cards."""
    for i in range(deck.count):
        deck.cards[i] = 0
        deck.seen[i] = 0
    deck.count = 0


def trade_decks(state: GameState, a: Deck, b: Deck) -> None:
    """Exchanges the contents of two decks openly; players who see a deck learn its new cards."""
    longer = a.count if a.count > b.count else b.count
    if longer > len(a.cards) or longer > len(b.cards):
        fail(state, Status.FULL_BUFFER)
        return
    for i in range(longer):
        card = a.cards[i]
        known_to = a.seen[i]
        a.cards[i] = b.cards[i]
        a.seen[i] = b.seen[i] | a.shown_to if i < b.count else 0
        b.cards[i] = card
        b.seen[i] = known_to | b.shown_to if i < a.count else 0
    count = a.count
    a.count = b.count
    b.count = count


def shuffle_deck(state: GameState, deck: Deck) -> None:
    """Shuffles a deck; afterwards only players who see the deck know its cards."""
    count = deck.count
    shown_to = deck.shown_to
    deal = state.round if state.deal_number >= 0 else state.deal_number
    deal_cards(state, deck.number, deal, deck.cards, count)
    for i in range(count):
        deck.seen[i] = shown_to


def show_card(deck: Deck, index: int, player: int) -> None:
    """Lets `player` see the card at `index`."""
    deck.seen[index] |= 1 << player


def show_deck(deck: Deck, player: int) -> None:
    """Lets `player` see all cards."""
    for i in range(deck.count):
        show_card(deck, i, player)


def knows_card(deck: Deck, index: int, player: int) -> bool:
    """Whether `player` knows the card at `index`."""
    return deck.seen[index] & (1 << player) != 0


def find_card(deck: Deck, card: int) -> int:
    """The lowest index of `card`, or -1."""
    for i in range(deck.count):
        if deck.cards[i] == card:
            return i
    return -1


def count_card(deck: Deck, card: int) -> int:
    """The number of copies of `card` in a deck."""
    number = 0
    for i in range(deck.count):
        if deck.cards[i] == card:
            number += 1
    return number


def cards_in(deck: Deck) -> int:
    """The distinct cards of a deck as a bit mask; its card set has at most 63 cards."""
    count = deck.count
    distinct = 0
    for i in range(min(AT_ONCE, len(deck.cards))):
        distinct |= (1 if i < count else 0) << deck.cards[i]
    for i in range(AT_ONCE, count):
        distinct |= 1 << deck.cards[i]
    return distinct


AT_ONCE = 8
"""The number of cards that ``cards_in`` reads in a loop of fixed length.

Most hands are no larger, and processors predict a fixed length better than a variable one.
"""

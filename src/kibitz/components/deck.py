"""Decks: ordered piles of cards, with the set of players who know each card.

Cards are small integers: indices into the deck's ``CardSet``. The set of players who know a card
moves with it. Players who see a deck learn the cards that arrive there, and still know them after
an open move; a shuffle makes all other players forget the cards.

The functions are rule functions; ``deck`` is the record in the state, its top the last card.
Functions that could overflow a deck take ``state`` to report it.

A deck with ``facts`` also keeps what all players know in part about each card: the kinds that it
cannot be. ``rule_out``, ``rule_out_all`` and ``point_out`` add facts, which move with the card,
and samples agree with them.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.core.actions import Domain
from kibitz.core.dealing import MOST_PLACES
from kibitz.core.errors import FileError, GameDefinitionError
from kibitz.core.features import Feature, TableDescription, bits, counts, last, one_hot
from kibitz.core.layout import Component, Slots, Visibility
from kibitz.core.parameters import GameParameters, read_json_object
from kibitz.core.randomness import shuffle
from kibitz.core.results import fail
from kibitz.core.status import Status
from kibitz.core.trace import Operation, note
from kibitz.core.wording import counted, listed

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

    def describe_kinds(self, kinds: int) -> str:
        """Some of the cards, one bit each, in few words: ``red or blue, 1``, ``not King``.

        Properties of the cards are named where they tell these from all others.
        """
        chosen = [card for i, card in enumerate(self.cards) if kinds >> i & 1]
        values = {
            name: {card.properties.get(name) for card in chosen}
            for name in self._common_properties
        }
        if values and len(chosen) == sum(
            all(card.properties[name] in values[name] for name in values) for card in self.cards
        ):
            every = {name: [card.properties[name] for card in self.cards] for name in values}
            words = [_one_of(list(dict.fromkeys(every[name])), values[name]) for name in values]
            return ", ".join(filter(None, words))
        return _one_of(self.words, {card.name for card in chosen})

    @functools.cached_property
    def _common_properties(self) -> list[str]:
        """The names of the properties that all cards have, each a word or a number."""
        first = self.cards[0].properties if self.cards else {}
        return [
            name
            for name in first
            if all(isinstance(card.properties.get(name), str | int) for card in self.cards)
        ]

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


def _one_of(every: Sequence[Any], possible: Collection[Any]) -> str:
    """The possible values, or the impossible ones if they are fewer; empty if all are possible."""
    yes = [str(value) for value in every if value in possible]
    no = [str(value) for value in every if value not in possible]
    if len(no) < len(yes):
        return f"not {listed(no, 'or')}" if no else ""
    return listed(yes, "or")


class Deck(Component):
    """Declares a pile of cards.

    Args:
        cards: the set its cards come from.
        visible_to: who sees the cards that arrive here.
        capacity: the maximum number of cards; by default the size of the whole set.
        ordered: whether it matters which card is on top; then observations include it.
        pool: hidden cards are exchanged within a pool: by default among all decks of the card
            set, with ``OWN_POOL`` within this deck only.
        facts: whether it keeps what all players know in part about its cards. There may be 63
            kinds of cards and 256 cards.

    Raises:
        GameDefinitionError: there are too many cards for facts.
    """

    count: int
    shown_to: int
    cards: list[int]
    seen: list[int]
    ruled_out: list[int]

    def __init__(
        self,
        cards: CardSet,
        visible_to: Visibility = Visibility.NOBODY,
        capacity: int | None = None,
        pool: str | None = None,
        ordered: bool = True,
        facts: bool = False,
    ) -> None:
        if facts and (len(cards) > MOST_KINDS or cards.total > MOST_PLACES):
            raise GameDefinitionError(
                f"A deck keeps facts about at most {MOST_KINDS} kinds of cards and {MOST_PLACES} "
                f"cards; {cards.name} has {len(cards)} kinds and {cards.total} cards."
            )
        self.facts = facts
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
                # the kinds that each card cannot be, as bits; of length 0 without facts
                ("ruled_out", np.int64, (self.capacity if self.facts else 0,)),
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
            ruled_out=offset["ruled_out"] if self.facts else None,
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
        for i, ruled_out in enumerate(view.ruled_out):
            if ruled_out < 0 or (i >= count and ruled_out):
                return f"the facts about place {i} are {ruled_out}"
            if i < count and not self.possible_kinds(view, i):
                return f"all kinds are ruled out for place {i}"
        return None

    def to_json(self, view: Any) -> Any:
        """The name of each card; of a hidden one the names that it may have, or ``None``."""
        words = self.card_set.words
        cards: list[Any] = list(self.contents(view))
        for i, card in enumerate(cards):
            if card is None and (possible := self.possible_kinds(view, i)) != self._all_kinds:
                cards[i] = [word for kind, word in enumerate(words) if possible >> kind & 1]
        return cards

    def contents(self, view: Any) -> Sequence[str | None]:
        """Its cards from the bottom up."""
        return [
            self.card_set.word(view.cards[i]) if view.cards[i] >= 0 else None
            for i in range(view.count)
        ]

    def possible_kinds(self, view: Any, index: int) -> int:
        """The kinds that all players know the card at `index` may be, one bit each."""
        ruled_out = view.ruled_out[index] if self.facts else 0
        return int(self._all_kinds & ~ruled_out)

    @property
    def _all_kinds(self) -> int:
        return (1 << len(self.card_set)) - 1

    def describe(self, view: Any) -> str:
        if view.count == 0:
            return "empty"
        cards = [self._describe_card(view, i) for i in range(view.count)]
        if all(card == "?" for card in cards):
            return counted(view.count, "hidden card")
        return ", ".join(cards)

    def _describe_card(self, view: Any, index: int) -> str:
        if view.cards[index] >= 0:
            return self.card_set.word(view.cards[index])
        known = self.known_in_part(view, index)
        return f"? ({known})" if known else "?"

    def known_in_part(self, view: Any, index: int) -> str:
        """What all players know in part about a card, in words; empty if nothing."""
        if not self.facts or not view.ruled_out[index]:
            return ""
        return self.card_set.describe_kinds(self.possible_kinds(view, index))

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterator[Feature]:
        """Yields the numbers of visible copies of each card and of hidden cards, and the top.

        With facts, yields for each place its card, if that is visible, and what it cannot be.
        """
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
        if self.facts:
            yield one_hot(
                offset["cards"],
                words,
                ("place",),
                length=self.capacity,
                seen=seen_at,
                count=count,
            )
            for i in range(self.capacity):
                names = [f"place {i + 1} is not {word}" for word in words]
                yield bits(offset["ruled_out"] + 8 * i, names)


def put_card(state: GameState, deck: Deck, card: int) -> None:
    """Puts a new card on top, for setup; players who see the deck know it."""
    place_card(state, deck, card, 0)


def put_copies(state: GameState, deck: Deck, card: int, copies: int) -> None:
    """Puts new copies of a card on top, for setup."""
    for _ in range(copies):
        put_card(state, deck, card)


def place_card(state: GameState, deck: Deck, card: int, known_to: int) -> None:
    """Puts a card on top; the players in the mask `known_to` know it already."""
    put_on_top(state, deck, card, known_to, 0)


def put_on_top(state: GameState, deck: Deck, card: int, known_to: int, ruled_out: int) -> None:
    """Puts a card on top, with who knows it already and the facts about it."""
    at = deck.count
    if at >= len(deck.cards):
        fail(state, Status.FULL_BUFFER)
        return
    deck.cards[at] = card
    deck.seen[at] = known_to | deck.shown_to
    if len(deck.ruled_out) > 0:
        deck.ruled_out[at] = ruled_out
    deck.count = at + 1
    note(Operation.PLACE, deck, card, known_to, deck.seen[at])


def take_card(deck: Deck, index: int) -> int:
    """Removes the card at `index`, closing the gap, and returns it.

    The index must be that of a card: compiled rules do not check it, and unlike ``move_card`` this
    function has no state in which to report an error.
    """
    card = deck.cards[index]
    note(Operation.TAKE, deck, card, 0, 0)
    last = deck.count - 1
    for i in range(index, last):
        deck.cards[i] = deck.cards[i + 1]
        deck.seen[i] = deck.seen[i + 1]
    deck.cards[last] = 0
    deck.seen[last] = 0
    if len(deck.ruled_out) > 0:
        for i in range(index, last):
            deck.ruled_out[i] = deck.ruled_out[i + 1]
        deck.ruled_out[last] = 0
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
    ruled_out = kinds_ruled_out(source, index)
    card = take_card(source, index)
    put_on_top(state, target, card, known_to, ruled_out)
    return card


def move_copy(state: GameState, source: Deck, card: int, target: Deck) -> None:
    """Moves a copy of `card`, which must be there, openly to `target`.

    Nobody sees from which place it comes. So the copy that most players know leaves, or the
    lowest, and the others are known to nobody who did not know this one, too; of the facts about
    the cards that stay those are kept that hold for any of these places.

    The loop passes over all cards: processors predict its length better than the copy's index.
    """
    end = 0
    place = 0
    known_to = 0
    unlike = 0
    for i in range(source.count):
        other = source.cards[i]
        mask = source.seen[i]
        leaves = other == card and end == i
        place = i if leaves else place
        known_to = mask if leaves else known_to
        unlike |= mask ^ known_to if other == card else 0
        source.cards[end] = other
        source.seen[end] = mask
        end += 0 if leaves else 1
    if end == source.count:
        fail(state)
        return
    source.cards[end] = 0
    source.seen[end] = 0
    if len(source.ruled_out) > 0:
        close_facts(source, card)
    source.count = end
    if unlike != 0:
        known_to = leave_best_known(source, card, place, known_to)
    note(Operation.TAKE, source, card, 0, 0)
    place_card(state, target, card, known_to)


def leave_best_known(deck: Deck, card: int, place: int, known_to: int) -> int:
    """Exchanges the copy of `card` that has left a deck with the one that most players know.

    The copy that has left is the lowest one, from `place`, and known to the mask `known_to`.

    Returns the mask of the one that leaves instead; players who do not know it forget the others.
    """
    best, best_at = known_to, -1
    for i in range(deck.count):
        if deck.cards[i] == card and deck.seen[i] > best:
            best, best_at = deck.seen[i], i
    if best_at >= 0:
        for i in range(best_at, place, -1):
            deck.cards[i] = deck.cards[i - 1]
            deck.seen[i] = deck.seen[i - 1]
        deck.cards[place] = card
        deck.seen[place] = known_to
    for i in range(deck.count):
        if deck.cards[i] == card:
            deck.seen[i] &= best | deck.shown_to
    return int(best)


def draw_card(state: GameState, source: Deck, target: Deck) -> int:
    """Moves the top card of `source`, which must not be empty, to `target`; returns it."""
    return move_card(state, source, source.count - 1, target)


def move_all(state: GameState, source: Deck, target: Deck) -> None:
    """Moves all cards onto `target`, the bottom one first."""
    for i in range(source.count):
        note(Operation.TAKE, source, source.cards[i], 0, 0)
        ruled_out = kinds_ruled_out(source, i)
        put_on_top(state, target, source.cards[i], source.seen[i], ruled_out)
    clear_deck(source)


def clear_deck(deck: Deck) -> None:
    """Removes all cards."""
    note(Operation.CLEAR, deck, 0, 0, 0)
    for i in range(deck.count):
        deck.cards[i] = 0
        deck.seen[i] = 0
        if len(deck.ruled_out) > 0:
            deck.ruled_out[i] = 0
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
        ruled_out = kinds_ruled_out(a, i)
        if len(a.ruled_out) > 0:
            a.ruled_out[i] = kinds_ruled_out(b, i)
        if len(b.ruled_out) > 0:
            b.ruled_out[i] = ruled_out
        a.cards[i] = b.cards[i]
        a.seen[i] = b.seen[i] | a.shown_to if i < b.count else 0
        b.cards[i] = card
        b.seen[i] = known_to | b.shown_to if i < a.count else 0
        if i < b.count:
            note(Operation.TAKE, b, a.cards[i], 0, 0)
            note(Operation.PLACE, a, a.cards[i], 0, a.seen[i])
        if i < a.count:
            note(Operation.TAKE, a, card, 0, 0)
            note(Operation.PLACE, b, card, known_to, b.seen[i])
    count = a.count
    a.count = b.count
    b.count = count


def shuffle_deck(state: GameState, deck: Deck) -> None:
    """Shuffles a deck; afterwards only players who see the deck know its cards.

    Of the facts those are kept that hold for all of its cards.
    """
    count = deck.count
    shown_to = deck.shown_to
    shuffle(state.rng, deck.cards, count)
    for i in range(count):
        deck.seen[i] = shown_to
    if len(deck.ruled_out) > 0 and count > 0:
        common = deck.ruled_out[0]
        for i in range(1, count):
            common &= deck.ruled_out[i]
        for i in range(count):
            deck.ruled_out[i] = common
    note(Operation.SHUFFLE, deck, 0, 0, 0)


def show_card(deck: Deck, index: int, player: int) -> None:
    """Lets `player` see the card at `index`."""
    knew = deck.seen[index]
    deck.seen[index] = knew | 1 << player
    note(Operation.SHOW, deck, deck.cards[index], knew, deck.seen[index])


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


# --- facts -----------------------------------------------------------------------------------


def rule_out(state: GameState, deck: Deck, index: int, kinds: int) -> None:
    """Tells all players that the card at `index` is of none of some kinds, one bit each.

    Without such a card, or in a deck without facts, the game is broken off with a rules error.
    """
    if index < 0 or index >= deck.count or len(deck.ruled_out) == 0:
        fail(state)
    else:
        deck.ruled_out[index] |= kinds


def rule_out_all(state: GameState, deck: Deck, kinds: int) -> None:
    """Tells all players that a deck has no card of some kinds, one bit each."""
    for i in range(deck.count):
        rule_out(state, deck, i, kinds)


def point_out(state: GameState, deck: Deck, kinds: int) -> None:
    """Tells all players which cards of a deck are of some kinds, one bit each, and which not."""
    for i in range(deck.count):
        rule_out(state, deck, i, kinds if 1 << deck.cards[i] & kinds == 0 else ANY_KIND & ~kinds)


def kinds_ruled_out(deck: Deck, index: int) -> int:
    """The kinds that the card at `index` cannot be as all players know, one bit each."""
    return deck.ruled_out[index] if len(deck.ruled_out) > 0 else 0


def close_facts(deck: Deck, card: int) -> None:
    """Removes the facts about a copy of `card` that leaves a deck from a place that nobody sees.

    Each place behind a place that it may have left may now hold the next card, or may not.
    """
    first, last = -1, 0
    for i in range(deck.count):
        if deck.ruled_out[i] >> card & 1 == 0:
            first = i if first < 0 else first
            last = i
    for i in range(max(first, 0), deck.count - 1):
        after = deck.ruled_out[i + 1]
        deck.ruled_out[i] = deck.ruled_out[i] & after if i < last else after
    deck.ruled_out[deck.count - 1] = 0


MOST_KINDS = 63
"""The maximum number of kinds of cards about which facts are kept."""
ANY_KIND = (1 << MOST_KINDS) - 1
"""All kinds of cards, one bit each."""

AT_ONCE = 8
"""The number of cards that ``cards_in`` reads in a loop of fixed length.

Most hands are no larger, and processors predict a fixed length better than a variable one.
"""

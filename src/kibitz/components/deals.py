"""Sampling deals under constraints: which classes of cards each hidden place can hold.

A card belongs to *classes*, one bit each: a colour, a symbol, a title, the batch that it comes
from. The rules know the classes that the card in a hidden place cannot have: these are *barred*
there. For each hand a game keeps the barred classes in the open, place by place: a drawn card adds
a place; a hand that proves to have no card of a class bars it in all its places
(``bar_classes``); and when a card is played, nobody sees from which place (``leave_place``).

To sample, a game calls ``deal_again`` with a function that gathers the hidden places in a record
(``add_place``) and applies limits to several places together (``limit_class``).

All consistent deals of a small pack are equally likely; ``core/dealing.py`` has the sampler.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kibitz.core.dealing import ATTEMPTS, MOST_EXACT, PLACES, deal_places
from kibitz.core.memory import stack_record
from kibitz.core.randomness import Stream, random_below

if TYPE_CHECKING:
    from collections.abc import Callable

    from kibitz.components.deck import Deck
    from kibitz.core.dealing import Places

    Barred = Any
    """The barred classes of consecutive places, as an array."""
    Gather = Callable[[Any, int, Places], None]

STOCK = 254
"""The owner's number in places of the stock."""


# --- places of a hand ---------------------------------------------------------------------


def able_classes(barred: Barred, start: int, count: int, classes: int, one_of: int) -> int:
    """The classes in `one_of` that at least one of `count` places from `start` on can hold.

    The card has all of `classes`, too. Places beyond the end of `barred` can hold anything.
    """
    end = min(start + count, len(barred))
    able = one_of if start + count > end else 0
    for i in range(start, end):
        if barred[i] & classes == 0:
            able |= one_of & ~barred[i]
    return able


def leave_place(barred: Barred, start: int, count: int, classes: int, one_of: int) -> int:
    """Removes one of `count` places from `start` on: a card has left it, and nobody saw which.

    The card has all of `classes`, and one class in `one_of`. Of the places that can have held it
    the last is removed; each other one can now hold what it could before, and what the next one of
    them could.

    Returns the classes in `one_of` that the card can have.
    """
    end = min(start + count, len(barred))
    last = -1
    able = one_of if start + count > end else 0
    for i in range(start, end):
        if barred[i] & classes == 0 and one_of & ~barred[i] != 0:
            able |= one_of & ~barred[i]
            if last >= 0:
                barred[last] &= barred[i]
            last = i
    if start + count > end:
        if last >= 0:
            barred[last] = 0
        return able
    if last < 0:  # no place can have held it: a sample of a sample may contradict itself
        last = end - 1
    for i in range(last, end - 1):
        barred[i] = barred[i + 1]
    barred[end - 1] = 0
    return able


def bar_classes(barred: Barred, count: int, classes: int) -> None:
    """Bars classes in the first `count` places."""
    for i in range(min(count, len(barred))):
        barred[i] |= classes


def count_able(barred: Barred, count: int, classes: int) -> int:
    """The number of places, of the first `count`, that can hold a card of some classes."""
    able = count
    for i in range(min(count, len(barred))):
        able -= barred[i] & classes == classes
    return able


# --- gathering the hidden places ----------------------------------------------------------


def limit_class(
    places: Places, rng: Stream, first: int, last: int, one_class: int, most: int
) -> None:
    """Bars a class in all but `most` of the places `first` .. `last` - 1, drawn at random."""
    remaining = last - first
    for i in range(first, last):
        if most > 0 and random_below(rng, remaining) < most:
            most -= 1
        else:
            places.barred[i] |= one_class
        remaining -= 1


def choose_place(places: Places, rng: Stream, first: int, last: int) -> None:
    """Exchanges one of the places `first` .. `last` - 1, drawn at random, with the first."""
    exchange_places(places, first + random_below(rng, last - first), first)


def exchange_places(places: Places, a: int, b: int) -> None:
    """Exchanges two places, which leaves the cards where they are in the record."""
    where, barred = places.where[a], places.barred[a]
    places.where[a], places.barred[a] = places.where[b], places.barred[b]
    places.where[b], places.barred[b] = where, barred


# --- dealing ------------------------------------------------------------------------------


def deal_again(state: Any, player: int, stock: Deck, gather: Gather) -> None:
    """Deals the cards hidden from `player` in hands and stock to places that can hold them.

    Args:
        state: has ``hands``.
        player: the player from whom the places are hidden.
        stock: the cards that hands are drawn from.
        gather: ``gather(state, player, places)`` adds the places that are hidden from `player`,
            with ``owner << 8 | index`` for `where`; the owner of the stock is ``STOCK``. Places
            that are neither in hands nor in the stock come first and are ``settled``.
    """
    places = stack_record(PLACES)
    attempt = 0
    accepted = False
    while not accepted:
        attempt += 1
        places.count = places.settled = 0
        gather(state, player, places)
        last = attempt > ATTEMPTS
        if last:  # no deal was found for the batches drawn: only what each card is counts
            for i in range(places.settled, places.count):
                places.classes[i] = 1 << places.card[i]
        exact = places.count <= MOST_EXACT and attempt < ATTEMPTS
        accepted = deal_places(places, state.rng, exact, last)
    for i in range(places.settled, places.count):
        owner, index = places.where[i] >> 8, places.where[i] & 255
        if owner == STOCK:
            stock.cards[index] = places.card[i]
        else:
            state.hands[owner].cards[index] = places.card[i]

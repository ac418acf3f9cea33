"""Sampling deals under constraints: which classes of cards each hidden place can hold.

A card belongs to *classes*, one bit each: a colour, a symbol, a title, the batch that it comes
from. The rules know the classes that the card in a hidden place cannot have: these are *barred*
there. For each hand a game keeps the barred classes in the open, place by place: a drawn card adds
a place; a hand that proves to have no card of a class bars it in all its places
(``bar_classes``); and when a card is played, nobody sees from which place (``leave_place``).

To sample, a game calls ``deal_again`` with a function that gathers the hidden places in a record
(``add_place``) and applies limits to several places together (``limit_class``).

The sampler deals to the places in turn, the most restricted first, and draws for each uniformly
among the remaining cards that it can hold. Where the sets of cards are nested, all consistent
deals are equally likely. Otherwise a deal of a small pack is accepted with a probability in
proportion to the number of cards that could be drawn at each step, which makes them equally
likely, too: sequential sampling (Y. Chen, P. Diaconis, S. Holmes, J. S. Liu, "Sequential Monte
Carlo methods for statistical analysis of tables", JASA 100, 2005) made exact by rejection. In a
large pack a place for which no card is left gets the card of an earlier place, and samples are no
longer exact; but if a consistent deal exists, one is found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.core.memory import stack_record
from kibitz.core.randomness import Stream, random_below

if TYPE_CHECKING:
    from collections.abc import Callable

    from kibitz.components.deck import Deck

    Places = Any
    """A ``PLACES`` record."""
    Barred = Any
    """The barred classes of consecutive places, as an array."""
    Gather = Callable[[Any, int, Places], None]

STOCK = 254
"""The owner's number in places of the stock."""
MOST_PLACES = 256
"""The maximum number of hidden places."""
SMALL_PACK = 24
"""The maximum number of hidden places for which samples are exact."""
ATTEMPTS = 16
"""The maximum number of deals tried for one sample; the last is accepted in any case."""

PLACES = np.dtype(
    [
        ("count", np.int64),
        ("settled", np.int64),  # number of first places, which change cards only in exchanges
        ("card", np.int64, (MOST_PLACES,)),
        ("classes", np.int64, (MOST_PLACES,)),  # those of the card
        ("barred", np.int64, (MOST_PLACES,)),  # those that the place cannot hold
        ("where", np.int64, (MOST_PLACES,)),  # a number by which the game finds the place
        ("queue", np.int64, (MOST_PLACES,)),  # places to visit in search of a chain of exchanges
        ("taker", np.int64, (MOST_PLACES,)),  # the place that would take the card from here
    ]
)


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


def count_able(barred: Barred, count: int, one_class: int) -> int:
    """The number of places, of the first `count`, that can hold a card of a class."""
    able = count
    for i in range(min(count, len(barred))):
        able -= barred[i] & one_class != 0
    return able


# --- gathering the hidden places ----------------------------------------------------------


def add_place(places: Places, where: int, card: int, classes: int, barred: int) -> None:
    """Adds a hidden place with the card that lies there and the classes that are barred there."""
    at = places.count
    if at < MOST_PLACES:
        places.card[at] = card
        places.classes[at] = classes
        places.barred[at] = barred
        places.where[at] = where
        places.count = at + 1


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
        accepted = deal_places(places, state.rng, attempt == ATTEMPTS)
    for i in range(places.settled, places.count):
        owner, index = places.where[i] >> 8, places.where[i] & 255
        if owner == STOCK:
            stock.cards[index] = places.card[i]
        else:
            state.hands[owner].cards[index] = places.card[i]


def deal_places(places: Places, rng: Stream, last: bool) -> bool:
    """Deals the cards to places that can hold them, the most restricted first.

    Returns whether the deal is accepted; the `last` one always is.
    """
    exact = places.count <= SMALL_PACK and not last
    sort_places(places)
    at = places.settled
    while at < places.count:
        barred = places.barred[at]
        end = put_first(places, at, barred)
        most = most_choices(places, at, barred) if exact else 0
        while at < places.count and places.barred[at] == barred:
            if exact and (at == end or (most > end - at and random_below(rng, most) >= end - at)):
                return False
            if at < end:
                exchange_cards(places, at, at + random_below(rng, end - at))
            elif not exchange_in_turn(places, rng, at) and not last:
                return False
            most -= 1
            at += 1
    return True


def sort_places(places: Places) -> None:
    """Sorts the places so that of two nested sets of barred classes the larger comes first."""
    for i in range(places.settled + 1, places.count):
        barred, where = places.barred[i], places.where[i]
        at = i
        while at > places.settled and places.barred[at - 1] < barred:
            places.barred[at] = places.barred[at - 1]
            places.where[at] = places.where[at - 1]
            at -= 1
        places.barred[at] = barred
        places.where[at] = where


def put_first(places: Places, first: int, barred: int) -> int:
    """Moves the cards without a barred class to the places from `first` on; returns their end."""
    end = first
    for i in range(first, places.count):
        if places.classes[i] & barred == 0:
            if i > end:
                exchange_cards(places, i, end)
            end += 1
    return end


def most_choices(places: Places, first: int, barred: int) -> int:
    """The maximum number of cards left for the place `first`, where `barred` classes cannot lie.

    An earlier place with the same barred classes, or more, takes a card that this one could have
    had. Any other earlier place may take a card that this one could not have had.
    """
    most = 0
    for i in range(places.settled, places.count):
        most += places.classes[i] & barred == 0
    for i in range(places.settled, first):
        most -= barred & ~places.barred[i] == 0
    return most


def exchange_in_turn(places: Places, rng: Stream, at: int) -> bool:
    """Finds a card for the place `at` by a chain of exchanges with earlier places.

    The chain ends with the card of a later place or of `at` itself: a shortest augmenting path
    (C. Berge, "Two theorems in graph theory", PNAS 43, 1957).

    Returns whether there is such a chain.
    """
    offset = random_below(rng, places.count)
    for i in range(at):
        places.taker[i] = -1
    places.queue[0] = at
    done, end = 0, 1
    while done < end:
        place = places.queue[done]
        done += 1
        for step in range(places.count):
            i = (offset + step) % places.count
            if places.classes[i] & places.barred[place] == 0:
                if i >= at:
                    while place != at:
                        exchange_cards(places, i, place)
                        place = places.taker[place]
                    exchange_cards(places, i, at)
                    return True
                if places.taker[i] < 0:
                    places.taker[i] = place
                    places.queue[end] = i
                    end += 1
    return False


def exchange_cards(places: Places, a: int, b: int) -> None:
    """Exchanges the cards of two places."""
    card = places.card[a]
    places.card[a] = places.card[b]
    places.card[b] = card
    classes = places.classes[a]
    places.classes[a] = places.classes[b]
    places.classes[b] = classes

"""Dealing cards to hidden places that can hold some kinds of cards only.

A card belongs to *classes*, one bit each: its kind, or a colour, a symbol, a title. A place has
*barred* classes, which its card cannot have.

The sampler deals to the places in turn, the most restricted first, and draws for each uniformly
among the remaining cards that it can hold. Where the sets of cards are nested, all consistent
deals are equally likely. Otherwise an *exact* deal is accepted with a probability in proportion to
the number of cards that could be drawn at each step, which makes them equally likely, too:
sequential sampling (Y. Chen, P. Diaconis, S. Holmes, J. S. Liu, "Sequential Monte Carlo methods
for statistical analysis of tables", JASA 100, 2005) made exact by rejection. With many restricted
places few deals would be accepted. In a deal that is not exact a place for which no card is left
gets the card of an earlier place; if a consistent deal exists, one is found.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.core.randomness import Stream, random_below

Places = Any
"""A ``PLACES`` record."""

MOST_PLACES = 256
"""The maximum number of hidden places."""
MOST_EXACT = 24
"""The maximum number of restricted places for which deals are exact."""
ATTEMPTS = 16
"""The maximum number of deals tried for one sample; the last one is not exact."""

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


def add_place(places: Places, where: int, card: int, classes: int, barred: int) -> None:
    """Adds a hidden place with the card that lies there and the classes that are barred there."""
    at = places.count
    if at < MOST_PLACES:
        places.card[at] = card
        places.classes[at] = classes
        places.barred[at] = barred
        places.where[at] = where
        places.count = at + 1


def deal_places(places: Places, rng: Stream, exact: bool, last: bool) -> bool:
    """Deals the cards to places that can hold them, the most restricted first.

    Returns whether the deal is accepted; the `last` one, which is not exact, always is.
    """
    exact = exact and not last
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

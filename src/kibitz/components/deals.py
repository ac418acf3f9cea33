"""Sampling deals under constraints: which classes of cards each hidden place can hold.

Cards are of *classes*, a bit for each: a colour, a symbol, a title, the shuffle that they come
from. What rules know about a hidden place is of which classes its card cannot be: those that are
*barred*. For each hand a game keeps them in the open, place by place: a card drawn adds a place, a
hand that proves to have no card of a class bars it in all its places (``bar_classes``), and when a
card is played nobody sees from which place (``leave_place``).

To sample, a game calls ``deal_again`` with a function that gathers the hidden places in a record
(``add_place``) and adds what is known of several together (``limit_class``).

The sampler goes through the places, the most restricted first, and draws for each uniformly one of
the cards left that can be there. Where the sets of cards are nested, each deal that agrees comes
up with the same chance. Otherwise the deal of a small pack is accepted with a chance in proportion
to the number of cards that could be drawn at each step, so that it does, too: sequential sampling
(Y. Chen, P. Diaconis, S. Holmes, J. S. Liu, "Sequential Monte Carlo methods for statistical
analysis of tables", JASA 100, 2005) made exact by rejection. In a large pack a place for which no
card is left gets one of a place before, and samples are no longer exact; but if any deal agrees,
one is found.
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
    """The classes that each of a row of places cannot hold."""
    Gather = Callable[[Any, int, Places], None]

STOCK = 254
"""Stands for the owner of the stock."""
MOST_PLACES = 256
SMALL_PACK = 24
"""Up to so many places samples are exact."""
ATTEMPTS = 16
"""So often a deal is tried; the last time it is taken as it comes."""

PLACES = np.dtype(
    [
        ("count", np.int64),
        ("settled", np.int64),  # so many come first whose cards are only exchanged where they must
        ("card", np.int64, (MOST_PLACES,)),
        ("classes", np.int64, (MOST_PLACES,)),  # those of the card
        ("barred", np.int64, (MOST_PLACES,)),  # those that the place cannot hold
        ("where", np.int64, (MOST_PLACES,)),  # a number by which the game finds the place again
        ("queue", np.int64, (MOST_PLACES,)),  # while a chain of exchanges is looked for: places,
        ("taker", np.int64, (MOST_PLACES,)),  # and for each the one that would take its card
    ]
)


# --- places of a hand ---------------------------------------------------------------------


def able_classes(barred: Barred, start: int, count: int, classes: int, one_of: int) -> int:
    """The classes of `one_of` that some of the `count` places from `start` on can hold.

    It is of `classes`, too. Places beyond the end of `barred` can hold anything.
    """
    end = min(start + count, len(barred))
    able = one_of if start + count > end else 0
    for i in range(start, end):
        if barred[i] & classes == 0:
            able |= one_of & ~barred[i]
    return able


def leave_place(barred: Barred, start: int, count: int, classes: int, one_of: int) -> int:
    """A card leaves one of `count` places from `start` on, and nobody sees which.

    It is of `classes`, and of one of `one_of`. Of the places from which it can have come the last
    one goes; each other one can now hold what it could before, and what the next of them could.

    Returns those of `one_of` that it can have.
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
    if last < 0:  # it cannot have been there: samples may be at odds with themselves
        last = end - 1
    for i in range(last, end - 1):
        barred[i] = barred[i + 1]
    barred[end - 1] = 0
    return able


def bar_classes(barred: Barred, count: int, classes: int) -> None:
    """Declares that none of the first `count` places holds a card of one of the classes."""
    for i in range(min(count, len(barred))):
        barred[i] |= classes


def count_able(barred: Barred, count: int, one_class: int) -> int:
    """How many of the first `count` places can hold a card of a class."""
    able = count
    for i in range(min(count, len(barred))):
        able -= barred[i] & one_class != 0
    return able


# --- gathering the hidden places ----------------------------------------------------------


def add_place(places: Places, where: int, card: int, classes: int, barred: int) -> None:
    """Adds a hidden place with the card that was dealt there, and what it cannot hold."""
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
    """Lets only `most` of the places `first` .. `last` - 1, drawn at random, hold a class."""
    left = last - first
    for i in range(first, last):
        if most > 0 and random_below(rng, left) < most:
            most -= 1
        else:
            places.barred[i] |= one_class
        left -= 1


def choose_place(places: Places, rng: Stream, first: int, last: int) -> None:
    """Moves one of the places `first` .. `last` - 1, drawn at random, to the first."""
    i = first + random_below(rng, last - first)
    where, barred = places.where[i], places.barred[i]
    places.where[i], places.barred[i] = places.where[first], places.barred[first]
    places.where[first], places.barred[first] = where, barred


# --- dealing ------------------------------------------------------------------------------


def deal_again(state: Any, player: int, stock: Deck, gather: Gather) -> None:
    """Deals the hidden cards of hands and stock so that they can be where they are.

    Args:
        state: the state, with ``hands``.
        player: the observer.
        stock: the cards that hands are drawn from.
        gather: ``gather(state, player, places)`` adds the places that are hidden from `player`,
            with ``owner << 8 | index`` for `where`; the owner of the stock is ``STOCK``. Those
            of other owners come first and are ``settled``.
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

    Returns whether the deal is accepted, as the `last` one is in any case.
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
    """Puts the most restricted places first: if barred sets are nested, the larger one."""
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
    """Puts the cards of no barred class first, of those from a place on; returns their end."""
    end = first
    for i in range(first, places.count):
        if places.classes[i] & barred == 0:
            if i > end:
                exchange_cards(places, i, end)
            end += 1
    return end


def most_choices(places: Places, first: int, barred: int) -> int:
    """The most cards that can be left for a place, once the places before `first` have theirs.

    An earlier place that is barred from the same classes, or from more, takes a card that this
    one could have had. Any other may take one that this place could not have had.

    Args:
        places: that get a card each.
        first: the first place that has none yet.
        barred: the classes of cards that the place cannot have, a bit each.
    """
    most = 0
    for i in range(places.settled, places.count):
        most += places.classes[i] & barred == 0
    for i in range(places.settled, first):
        most -= barred & ~places.barred[i] == 0
    return most


def exchange_in_turn(places: Places, rng: Stream, at: int) -> bool:
    """Places a card by a chain of exchanges among earlier places.

    A later card, or that of the place itself, ends the chain: an augmenting path (C. Berge, "Two
    theorems in graph theory", PNAS 43, 1957), here a shortest one.

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

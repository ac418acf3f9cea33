"""Sampling deals under constraints: which classes of cards each hidden place can hold.

The hidden cards lie in *places*: of hands, of the stock. What the rules of a game know about them
is that a place cannot hold a card of certain classes (a colour, a symbol, a shuffle that it comes
from). A game gathers the places in a ``PLACES`` record on the stack (``add_place``), declares what
is known (``bar_class``, ``limit_class``), has the cards dealt (``sort_places``, ``deal_places``),
and writes them back to its decks.

The sampler starts with the cards in random order, as the engine deals them. It goes through the
places, the most restricted first, and exchanges each card that cannot be there for one drawn
uniformly from those later cards that can. Where the sets of cards are nested, each deal that
agrees comes up with the same chance. Otherwise an arrangement is accepted with a chance in
proportion to the number of cards that could be drawn at each step, so that it does, too:
sequential sampling (Y. Chen, P. Diaconis, S. Holmes, J. S. Liu, "Sequential Monte Carlo methods
for statistical analysis of tables", JASA 100, 2005) made exact by rejection. In a large pack, and
where no arrangement is accepted in a number of attempts, what cannot be exchanged for a later card
is exchanged for an earlier one, and the sample is no longer exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.core.randomness import Stream, random_below

if TYPE_CHECKING:
    Places = Any
    """A ``PLACES`` record."""

MOST_PLACES = 128
SMALL_PACK = 40
"""Up to so many places samples are exact."""
ATTEMPTS = 16
"""How often a game should have cards dealt until they are where they can be."""
TRIES = 4
"""How many cards are looked at before those that a place can hold are counted off."""
RANK_SHIFT = 40
"""More than the number of classes."""

PLACES = np.dtype(
    [
        ("count", np.int64),
        ("restricted", np.int64),  # none is from here on; when sorted, all are that are before
        ("card", np.int64, (MOST_PLACES,)),
        ("classes", np.int64, (MOST_PLACES,)),  # those of the card, a bit for each
        ("barred", np.int64, (MOST_PLACES,)),  # those that the place cannot hold
        ("rank", np.int64, (MOST_PLACES,)),  # the number of these, and then which they are
        ("where", np.int64, (MOST_PLACES,)),  # a number by which the game finds the place again
    ]
)


# --- declaring ----------------------------------------------------------------------------


def clear_places(places: Places) -> None:
    """Empties the record."""
    places.count = 0
    places.restricted = 0


def add_place(places: Places, where: int, card: int, classes: int, barred: int) -> None:
    """Adds a hidden place, with the card that lies there, which the player does not know."""
    at = places.count
    if at < MOST_PLACES:
        places.card[at] = card
        places.classes[at] = classes
        places.barred[at] = barred
        places.where[at] = where
        places.count = at + 1
        places.restricted = at + 1 if barred != 0 else places.restricted


def bar_class(places: Places, at: int, one_class: int) -> None:
    """Declares that a place holds no card of a class."""
    places.barred[at] |= one_class
    places.restricted = max(places.restricted, at + 1)


def limit_class(
    places: Places, rng: Stream, first: int, last: int, one_class: int, most: int
) -> None:
    """Lets only `most` of the places `first` .. `last` - 1, drawn at random, hold a class."""
    left = last - first
    for i in range(first, last):
        if most > 0 and random_below(rng, left) < most:
            most -= 1
        else:
            bar_class(places, i, one_class)
        left -= 1


# --- dealing ------------------------------------------------------------------------------


def deal_places(places: Places, rng: Stream) -> bool:
    """Exchanges cards until each place can hold its card; returns whether it succeeded.

    If not, gather and shuffle the cards again; as a last resort call ``complete_deal``.
    """
    if places.count <= SMALL_PACK:
        return deal_exactly(places, rng)
    return complete_deal(places, rng)


def sort_places(places: Places) -> None:
    """Puts the restricted places first, those with the most barred classes before the others."""
    for i in range(places.restricted):
        places.rank[i] = count_bits(places.barred[i]) << RANK_SHIFT | places.barred[i]
    end = 0
    rank = 1
    while rank > 0:
        rank = 0
        for i in range(end, places.restricted):
            rank = max(rank, places.rank[i])
        if rank > 0:
            for i in range(end, places.restricted):
                if places.rank[i] == rank:
                    exchange_places(places, i, end)
                    end += 1
    places.restricted = end


def shuffle_places(places: Places, rng: Stream) -> None:
    """Shuffles the cards."""
    for i in range(places.count - 1):
        exchange_cards(places, i, i + random_below(rng, places.count - i))


def deal_exactly(places: Places, rng: Stream) -> bool:
    """Deals to the restricted places in turn; returns whether the arrangement is accepted.

    A step is accepted with the ratio of the number of cards that can be drawn to its largest
    possible value: that if the places before took no more of these cards than they must.
    """
    first = 0
    while first < places.restricted:
        barred = places.barred[first]
        end = first + 1
        while end < places.restricted and places.barred[end] == barred:
            end += 1
        choices = count_fitting(places, first, barred)
        if choices < end - first:
            return False
        most = count_fitting(places, 0, barred)
        for i in range(first):
            most -= barred & ~places.barred[i] == 0
        if choices < most:
            for step in range(end - first):
                if random_below(rng, most - step) >= choices - step:
                    return False
        for i in range(first, end):
            if places.classes[i] & barred != 0:
                draw_fitting(places, rng, i, end)
        first = end
    return True


def count_fitting(places: Places, first: int, barred: int) -> int:
    """How many of the cards from place `first` on are of none of the barred classes."""
    fitting = 0
    for i in range(first, places.count):
        fitting += places.classes[i] & barred == 0
    return fitting


def draw_fitting(places: Places, rng: Stream, at: int, first: int) -> bool:
    """Exchanges a card for a fitting one from place `first` on; returns whether there is one."""
    barred = places.barred[at]
    rest = places.count - first
    for _ in range(TRIES if rest > 0 else 0):
        i = first + random_below(rng, rest)
        if places.classes[i] & barred == 0:
            exchange_cards(places, i, at)
            return True
    choices = count_fitting(places, first, barred)
    if choices == 0:
        return False
    pick = random_below(rng, choices)
    for i in range(first, places.count):
        if places.classes[i] & barred == 0:
            if pick == 0:
                exchange_cards(places, i, at)
                return True
            pick -= 1
    return False


def complete_deal(places: Places, rng: Stream) -> bool:
    """Deals to the restricted places in turn; exchanges earlier cards, too, if necessary."""
    complete = True
    for i in range(places.restricted):
        if places.classes[i] & places.barred[i] != 0 and not draw_fitting(places, rng, i, i + 1):
            complete &= exchange_earlier(places, rng, i)
    return complete


def exchange_earlier(places: Places, rng: Stream, at: int) -> bool:
    """Gives a place the card of an earlier one, which gets this or a later card instead."""
    start = random_below(rng, at) if at > 0 else 0
    for step in range(at):
        i = (start + step) % at
        if places.classes[i] & places.barred[at] == 0:
            exchange_cards(places, i, at)
            if places.classes[i] & places.barred[i] == 0 or draw_fitting(places, rng, i, at + 1):
                return True
            exchange_cards(places, i, at)
    return False


def exchange_cards(places: Places, a: int, b: int) -> None:
    """Exchanges the cards of two places."""
    card = places.card[a]
    places.card[a] = places.card[b]
    places.card[b] = card
    classes = places.classes[a]
    places.classes[a] = places.classes[b]
    places.classes[b] = classes


def exchange_places(places: Places, a: int, b: int) -> None:
    """Exchanges two places in the list, with their cards."""
    exchange_cards(places, a, b)
    barred = places.barred[a]
    places.barred[a] = places.barred[b]
    places.barred[b] = barred
    rank = places.rank[a]
    places.rank[a] = places.rank[b]
    places.rank[b] = rank
    where = places.where[a]
    places.where[a] = places.where[b]
    places.where[b] = where


def count_bits(bits: int) -> int:
    """How many bits are set."""
    number = 0
    while bits != 0:
        bits &= bits - 1
        number += 1
    return number

"""Samples of the deck that agree with what a player knows, with their exact probability.

The engine and ``hand_sampling`` deal the hidden cards besides kittens. ``peeks`` has what a player
has seen of the deck; here kittens get places that agree with it. Then the peeks of all others are
filled from the sampled deck.

The kittens are put into the deck one by one, in an order in which the player knows of each either
the number of cards below it, or only an upper bound of that number. The order of time is such an
order until the player looks at the top. Then the unseen kittens come first, all below the place to
which the player looked, and after them the seen ones, from below, whose places are known. So all
consistent decks are equally likely, if others are assumed to put kittens anywhere with the same
probability.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kibitz.core.randomness import random_below
from kibitz.library.explodingkittens.cards import Card
from kibitz.library.explodingkittens.deck import cards_in_peek, fill_peek, find_kitten, has_seen
from kibitz.library.explodingkittens.pile import MOST_SEEN

if TYPE_CHECKING:
    from kibitz.library.explodingkittens.table import KittensState

UNKNOWN = 255
"""The value for an unknown number in a row: an integer of numbers with eight bits each."""
UNKNOWNS = 0xFFFFFFFFFFFF
"""A row of unknown numbers."""


def get(row: int, index: int) -> int:
    """The number at an index of a row."""
    return row >> 8 * index & 255


def put(row: int, index: int, value: int) -> int:
    """The row with another number at an index."""
    return row & ~(255 << 8 * index) | value << 8 * index


def resample(state: KittensState, player: int) -> None:
    """Resamples the deck consistently with what `player` knows, and the others' peeks with it."""
    peeks = state.peeks
    mine = 0
    for i in range(peeks.count):
        if has_seen(state, i, player):
            mine += 1
    if mine > 0:
        sample_kittens(state, player)
    else:
        kittens = state.kittens
        for i in range(kittens.count):
            if kittens.seen[i] >> player & 1 == 0:
                kittens.below[i] = random_below(state.rng, state.deck.count + i + 1)
    if mine < peeks.count:
        for i in range(peeks.count):
            if not has_seen(state, i, player):
                fill_peek(state, i)


# --- kittens ------------------------------------------------------------------------------


def sample_kittens(state: KittensState, player: int) -> None:
    """Draws places of the kittens that agree with what `player` has seen and done."""
    kittens = state.kittens
    peeks = state.peeks
    order = 0
    known = UNKNOWNS
    bounds = UNKNOWNS
    peek = 0
    for i in range(kittens.count + 1):
        while peek < peeks.count and (not has_seen(state, peek, player) or peeks.older[peek] <= i):
            if has_seen(state, peek, player):
                bounds = lower_bounds(state, peek, bounds)
                known = learn_places(state, peek, known)
                order = seen_last(state, peek, order)
            peek += 1
        if i < kittens.count:
            order = put(order, i, i)
            if kittens.seen[i] >> player & 1:
                known = put(known, i, kittens.below[i])
    write_places(state, insert_kittens(state, order, known, bounds))


def in_peek(state: KittensState, peek: int) -> int:
    """The kittens that a peek shows, as a mask of their indices in the list."""
    mask = 0
    for d in range(cards_in_peek(state, peek)):
        card = state.peeks.cards[peek * MOST_SEEN + d]
        if card >= Card.KITTEN:
            mask |= 1 << find_kitten(state, card - Card.KITTEN)
    return mask


def lower_bounds(state: KittensState, peek: int, bounds: int) -> int:
    """The bounds after a peek: the maximum number of other cards below each kitten."""
    mask = in_peek(state, peek)
    bound = state.deck.count - cards_in_peek(state, peek)
    for i in range(state.peeks.older[peek]):
        bound += mask >> i & 1
    for i in range(state.peeks.older[peek]):
        if bound < get(bounds, i):
            bounds = put(bounds, i, bound)
    return bounds


def learn_places(state: KittensState, peek: int, known: int) -> int:
    """The known numbers of cards below each kitten, after a peek."""
    place = state.deck.count + state.peeks.older[peek]
    for d in range(cards_in_peek(state, peek)):
        place -= 1
        card = state.peeks.cards[peek * MOST_SEEN + d]
        if card >= Card.KITTEN:
            known = put(known, find_kitten(state, card - Card.KITTEN), place)
    return known


def seen_last(state: KittensState, peek: int, order: int) -> int:
    """The order of the kittens with those that a peek shows moved to its end, from below."""
    mask = in_peek(state, peek)
    after = 0
    filled = 0
    for j in range(state.peeks.older[peek]):
        kitten = get(order, j)
        if mask >> kitten & 1 == 0:
            after = put(after, filled, kitten)
            filled += 1
    for d in range(cards_in_peek(state, peek) - 1, -1, -1):
        card = state.peeks.cards[peek * MOST_SEEN + d]
        if card >= Card.KITTEN:
            after = put(after, filled, find_kitten(state, card - Card.KITTEN))
            filled += 1
    return after


def insert_kittens(state: KittensState, order: int, known: int, bounds: int) -> int:
    """Puts the kittens into the deck in this order; returns the number of cards below each."""
    places = 0
    for j in range(state.kittens.count):
        kitten = get(order, j)
        place = get(known, kitten)
        if place == UNKNOWN:
            bound = get(bounds, kitten)
            bound = bound if bound < state.deck.count else state.deck.count
            place = random_below(state.rng, bound + j + 1)
        for k in range(j):
            other = get(order, k)
            if get(places, other) >= place:
                places = put(places, other, get(places, other) + 1)
        places = put(places, kitten, place)
    return places


def write_places(state: KittensState, places: int) -> None:
    """Stores the places of kittens, given the numbers of cards of the whole deck below them."""
    kittens = state.kittens
    for i in range(kittens.count - 1, -1, -1):
        place = get(places, i)
        kittens.below[i] = place
        for k in range(i):
            if get(places, k) > place:
                places = put(places, k, get(places, k) - 1)

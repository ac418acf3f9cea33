"""Sampling of deals that agree with the batches of cards and with what places can hold.

Each hidden card is assigned a batch. So is each played copy that may belong to several batches: it
counts as a place, which holds this card and no other. Then the cards are dealt to places that can
hold them and their batches. ``batches.py`` describes what a game records,
``deals.py`` the sampler.

In a small pack all consistent deals are equally likely as long as no batches were merged and the
batch of every played copy is known. Otherwise samples are approximate: the batches of played
copies are drawn with approximate probabilities, a place that a card may have left can hold what
its neighbour could, and merged batches count as one, which admits some impossible deals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.components.batches import (
    ANY_BATCH,
    BATCHES,
    BITS,
    EACH_BATCH,
    MOST_CARDS,
    ONES,
    all_but,
    copies_of,
    copies_once,
    sum_copies,
    to_classes,
)
from kibitz.components.deals import STOCK, able_classes, leave_place
from kibitz.components.deck import knows_card
from kibitz.core.dealing import MOST_PLACES, add_place
from kibitz.core.memory import stack_record
from kibitz.core.randomness import Stream, random_below, random_unit

if TYPE_CHECKING:
    from kibitz.components.batches import State
    from kibitz.components.deck import Deck
    from kibitz.core.dealing import Places

    Copies = Any
    """A ``COPIES`` record."""

PLAYED = STOCK + 1
"""The owner's number in places of played copies."""
ALL_CARDS = (1 << MOST_CARDS) - 1
MOST_PLAYED = MOST_PLACES // 2
"""The maximum number of places for played copies."""
RARE = 1e-9
"""The minimum weight of a batch, so that one can be drawn even if none should be possible."""
COPIES = np.dtype(
    [
        ("left", np.int64, (MOST_CARDS,)),  # copies of each card without a place, by batch
        ("played", np.int64, (MOST_CARDS,)),  # copies of each card that must have been played
        ("cards", np.int64, (BATCHES,)),  # the cards, one bit each, of which a batch has copies
        ("total", np.int64, (BATCHES,)),  # copies of each batch
        ("free", np.int64, (BATCHES,)),  # copies that are not in places for this batch alone
    ]
)


def is_any_barred(state: State, player: int) -> bool:
    """Whether a second batch or a barred class restricts the cards hidden from `player`."""
    known = state.newest.value
    for p in range(state.players):
        if p != player:
            known |= barred_anywhere(state, p)
    return bool(known != 0)


def barred_anywhere(state: State, player: int) -> int:
    """The classes that at least one place of a player's hand cannot hold."""
    values = state.barred[player].values
    barred = 0
    for i in range(min(state.hands[player].count, len(values))):
        barred |= values[i]
    return barred


def gather_places(state: State, player: int, stock: Deck, places: Places) -> None:
    """Gathers all places that are hidden from `player`, with what they can hold.

    Args:
        state: has ``hands`` and the components of ``batches.py``.
        player: the player from whom the places are hidden.
        stock: the cards that hands are drawn from.
        places: the ``PLACES`` record to which they are added.
    """
    copies = stack_record(COPIES)
    newest = state.newest.value
    if newest > 0:
        gather_played(state, player, stock, places, copies)
    for p in range(state.players):
        if p != player:
            gather_hand(state, player, p, places, copies)
    barred = all_but(newest) if newest > 0 else 0
    for i in range(stock.count):
        add_place(places, STOCK << 8 | i, stock.cards[i], 0, barred)
    for i in range(places.settled, places.count):
        places.classes[i] = 1 << places.card[i]
        if newest > 0:
            places.classes[i] |= draw_batch(state.rng, copies, places.card[i], ANY_BATCH)
            bar_absent(places, i, copies)


def bar_absent(places: Places, at: int, copies: Copies) -> None:
    """Bars in a place the cards that none of its batches has, for a deal that ignores batches."""
    possible = 0
    for batch in range(BATCHES):
        if places.barred[at] >> MOST_CARDS + batch & 1 == 0:
            possible |= copies.cards[batch]
    places.barred[at] |= ALL_CARDS & ~possible


def gather_played(state: State, player: int, stock: Deck, places: Places, copies: Copies) -> None:
    """Gathers the played copies that may belong to several batches."""
    if count_copies(state, player, stock, copies):
        count_free(state, player, stock, copies)
        for card in range(len(state.batches.values)):
            for _ in range(copies.played[card]):
                batch = draw_played(state.rng, copies, card)
                if places.count < MOST_PLAYED:
                    others = ALL_CARDS & ~(1 << card)
                    add_place(places, PLAYED << 8, card, 1 << card | batch, others)
    places.settled = places.count


def count_copies(state: State, player: int, stock: Deck, copies: Copies) -> bool:
    """Counts the copies of each card that `player` has not drawn, and how many were played.

    A card without a hidden copy counts as 0.

    Returns whether some played copy may belong to several batches.
    """
    for card in range(len(state.batches.values)):
        copies.played[card] = 0
    for i in range(stock.count):
        copies.played[stock.cards[i]] -= 1
    for p in range(state.players):
        for i in range(state.hands[p].count if p != player else 0):
            copies.played[state.hands[p].cards[i]] -= 1
    unsure = False
    for batch in range(BATCHES):
        copies.cards[batch] = 0
    for card in range(len(state.batches.values)):
        copies.left[card] = not_taken(state, player, card) if copies.played[card] < 0 else 0
        copies.played[card] += sum_copies(copies.left[card])
        unsure |= copies.played[card] > 0
        for batch in range(BATCHES if copies.left[card] > 0 else 0):
            if copies.left[card] >> BITS * batch & ONES > 0:
                copies.cards[batch] |= 1 << card
    return unsure


def count_free(state: State, player: int, stock: Deck, copies: Copies) -> None:
    """Counts the copies of each batch, and those that places for this batch alone do not need."""
    for batch in range(BATCHES):
        copies.total[batch] = 0
    for card in range(len(state.batches.values)):
        for batch in range(BATCHES if copies.left[card] > 0 else 0):
            copies.total[batch] += copies.left[card] >> BITS * batch & ONES
    for batch in range(BATCHES):
        copies.free[batch] = copies.total[batch]
    copies.free[state.newest.value] -= stock.count
    for p in range(state.players):
        values = state.barred[p].values
        for i in range(min(state.hands[p].count, len(values)) if p != player else 0):
            for batch in range(BATCHES):
                copies.free[batch] -= values[i] & ANY_BATCH == all_but(batch)


def draw_played(rng: Stream, copies: Copies, card: int) -> int:
    """Draws the batch of a played copy; returns it as a class.

    A batch is the likelier, the larger the share of its copies that are free (``count_free``).
    If all copies were equally likely, batches would seldom fit the places: samples late in a round
    of Uno would take twice as long with four players and four times as long with seven.
    """
    drawn, sum_of_weights = 0, 0.0
    for batch in range(BATCHES):
        number = copies.left[card] >> BITS * batch & ONES
        if number > 0:
            weight = number * max(copies.free[batch] / copies.total[batch], RARE)
            sum_of_weights += weight
            if random_unit(rng) * sum_of_weights < weight:
                drawn = batch
    copies.left[card] -= 1 << BITS * drawn
    copies.free[drawn] -= 1
    copies.total[drawn] -= 1
    return 1 << MOST_CARDS + drawn


def gather_hand(state: State, player: int, owner: int, places: Places, copies: Copies) -> None:
    """Gathers the places of a hand except those of cards that `player` knows."""
    hand, values = state.hands[owner], state.barred[owner].values
    first, length = places.count, hand.count
    for i in range(length):
        places.barred[first + i] = values[i] if i < len(values) else 0
    for i in range(hand.count):
        card = hand.cards[i]
        if not knows_card(hand, i, player):
            add_place(places, owner << 8 | i, card, 0, places.barred[places.count])
        else:
            batch = ANY_BATCH
            if state.newest.value > 0:
                able = to_classes(copies.left[card])
                able = able_classes(places.barred, first, length, 1 << card, able)
                batch = draw_batch(state.rng, copies, card, able)
            leave_place(places.barred, first, length, 1 << card, batch)
            length -= 1


def not_taken(state: State, player: int, card: int) -> int:
    """The copies of a card, by batch, that `player` has not drawn.

    In a sample of a sample the numbers may contradict each other; then all copies are returned.
    """
    copies, taken = state.batches.values[card], state.taken[player].values[card]
    difference = copies - taken
    borrowed = ~copies & taken | ~(copies ^ taken) & difference
    return difference if borrowed & EACH_BATCH << BITS - 1 == 0 else copies


def draw_batch(rng: Stream, copies: Copies, card: int, classes: int) -> int:
    """Draws the batch of a copy of a card, and takes the copy from those that are left.

    Returns:
        the class of the batch: one of `classes`; of any batch if these have no copy left; 0 if no
        batch has one.
    """
    able = copies_of(copies.left[card], classes)
    if able == 0:
        able = copies.left[card]
    if able == 0:  # a sample of a sample may contradict itself
        return 0
    batch = copies_once(able)
    if batch & (batch - 1) != 0:
        pick = random_below(rng, sum_copies(able))
        shift = 0
        while pick >= able >> shift & ONES:
            pick -= able >> shift & ONES
            shift += BITS
        batch = 1 << shift
    copies.left[card] -= batch
    return to_classes(batch)

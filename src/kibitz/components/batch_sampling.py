"""Deals that agree with the batches that cards come from, and with what places can hold.

For each hidden card a batch is drawn; then the cards are dealt to places that can hold cards of
that batch and of their kinds. See ``batches.py`` for what is kept, ``deals.py`` for the sampler.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.components.batches import (
    ANY_BATCH,
    BATCH_CLASSES,
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
from kibitz.components.deals import (
    PLACES,
    able_classes,
    add_place,
    clear_places,
    deal_places,
    leave_place,
)
from kibitz.components.deck import knows_card
from kibitz.core.memory import stack_record
from kibitz.core.randomness import random_below

if TYPE_CHECKING:
    from kibitz.components.batches import State
    from kibitz.components.deals import Places
    from kibitz.components.deck import Deck

    Kinds = Any
    """For each card its classes besides batches."""

STOCK, PLAYED = 254, 255
"""Stand for the owners of the stock and of what was played."""
ALL_KINDS = (1 << BATCH_CLASSES) - 1
COPIES = np.dtype(
    [
        ("left", np.int64, (MOST_CARDS,)),  # the copies by batch of each card
        ("spare", np.int64, (BATCHES,)),  # how many more there are of a batch than must be,
        ("excess", np.int64, (BATCHES,)),  # and than can be in hands and in the stock
        ("drawn", np.int64),  # how many of the newest are not in the stock
        ("played", np.int64),  # how many copies were played of which the batch was drawn,
        ("card", np.int64, (MOST_CARDS,)),  # which they are,
        ("batch", np.int64, (MOST_CARDS,)),  # and of which batch, as a class
    ]
)


def deal_again(state: State, player: int, stock: Deck, kinds: Kinds) -> None:
    """Deals the hidden cards so that they can be where they are, as far as `player` knows.

    Args:
        state: the state, with ``hands`` and the components of ``batches.py``.
        player: the observer.
        stock: the cards that hands are drawn from.
        kinds: for each card its classes besides batches; two or more identify it.
    """
    known = state.newest.value
    for p in range(state.players):
        if p != player:
            known |= barred_anywhere(state, p)
    if known == 0:
        return
    places = stack_record(PLACES)
    attempt = 0
    accepted = False
    while not accepted:
        attempt += 1
        gather_places(state, player, stock, kinds, places)
        accepted = deal_places(places, state.rng, attempt)
    for i in range(places.settled, places.count):
        owner, index = places.where[i] >> 8, places.where[i] & 255
        if owner == STOCK:
            stock.cards[index] = places.card[i]
        else:
            state.hands[owner].cards[index] = places.card[i]


def barred_anywhere(state: State, player: int) -> int:
    """The classes that some place of a hand cannot hold."""
    values = state.barred[player].values
    barred = 0
    for i in range(min(state.hands[player].count, len(values))):
        barred |= values[i]
    return barred


def gather_places(state: State, player: int, stock: Deck, kinds: Kinds, places: Places) -> None:
    """Gathers all places that are hidden from `player`, with what they can hold."""
    copies = stack_record(COPIES)
    clear_places(places)
    if state.newest.value > 0:
        draw_copies(state, player, stock, copies)
        gather_played(kinds, places, copies)
    for p in range(state.players):
        if p != player:
            gather_hand(state, player, p, kinds, places, copies)
    barred = all_but(state.newest.value) if state.newest.value > 0 else 0
    for i in range(stock.count):
        places.barred[places.count] = barred
        add_place(places, STOCK << 8 | i, stock.cards[i], 0)
    for i in range(places.settled, places.count):
        places.classes[i] = kinds[places.card[i]]
        if state.newest.value > 0:
            places.classes[i] |= draw_batch(state, copies, places.card[i], ANY_BATCH)


def gather_played(kinds: Kinds, places: Places, copies: Any) -> None:
    """Gathers the copies that were played: they may turn out to be of another batch."""
    for i in range(copies.played):
        card = copies.card[i]
        if kinds[card] & (kinds[card] - 1) != 0:
            places.barred[places.count] = ALL_KINDS & ~kinds[card]
            add_place(places, PLAYED << 8, card, kinds[card] | copies.batch[i])
    places.settled = places.count


def gather_hand(
    state: State, player: int, owner: int, kinds: Kinds, places: Places, copies: Any
) -> None:
    """Gathers the places of a hand, without those of the cards that `player` knows there."""
    hand, values = state.hands[owner], state.barred[owner].values
    first, left = places.count, hand.count
    for i in range(left):
        places.barred[first + i] = values[i] if i < len(values) else 0
    for i in range(hand.count):
        card = hand.cards[i]
        if not knows_card(hand, i, player):
            add_place(places, owner << 8 | i, card, 0)
        else:
            batch = ANY_BATCH
            if state.newest.value > 0:
                able = to_classes(copies.left[card])
                able = able_classes(places.barred, first, left, kinds[card], able)
                batch = draw_batch(state, copies, card, able)
            leave_place(places.barred, first, left, kinds[card], batch)
            left -= 1


# --- drawing batches ----------------------------------------------------------------------


def not_taken(state: State, player: int, card: int) -> int:
    """The copies of a card, by batch, that `player` has not drawn.

    In a sample of a sample the numbers may be contradictory: then these are all copies.
    """
    copies, taken = state.batches.values[card], state.taken[player].values[card]
    left = copies - taken
    borrowed = ~copies & taken | ~(copies ^ taken) & left
    return left if borrowed & EACH_BATCH << BITS - 1 == 0 else copies


def draw_copies(state: State, player: int, stock: Deck, copies: Any) -> None:
    """Draws the batches of the copies in the stock and in the others' hands."""
    left = copies.left
    for card in range(len(state.batches.values)):
        left[card] = 0
    for i in range(stock.count):
        left[stock.cards[i]] += 1
    for p in range(state.players):
        if p != player:
            for i in range(state.hands[p].count):
                left[state.hands[p].cards[i]] += 1
    copies.played = 0
    unsure = False
    for card in range(len(state.batches.values)):
        if left[card] > 0:
            found = not_taken(state, player, card)
            sure = sum_copies(found) == left[card]
            left[card] = found if sure else -left[card]
            unsure |= not sure
    if unsure:
        count_spare(state, player, stock, copies)
        for card in range(len(state.batches.values)):
            if left[card] < 0:
                draw_left(state, player, stock, copies, card)


def count_spare(state: State, player: int, stock: Deck, copies: Any) -> None:
    """Computes by how much the copies of each batch exceed the fewest and the most possible."""
    left, spare, newest = copies.left, copies.spare, state.newest.value
    for batch in range(BATCHES):
        spare[batch] = -stock.count if batch == newest else 0
        for card in range(len(state.batches.values)):
            found = left[card] if left[card] >= 0 else limited(state, player, card, -left[card])
            spare[batch] += found >> BITS * batch & ONES
        copies.excess[batch] = spare[batch]
    copies.drawn = spare[newest]
    for p in range(state.players):
        if p != player:
            values = state.barred[p].values
            for i in range(min(state.hands[p].count, len(values))):
                for batch in range(BATCHES):
                    spare[batch] -= values[i] & ANY_BATCH == all_but(batch)
                    copies.excess[batch] -= values[i] | all_but(batch) != values[i] | ANY_BATCH


def limited(state: State, player: int, card: int, number: int) -> int:
    """The copies of a card that `player` has not drawn, at most `number` of each batch."""
    found = not_taken(state, player, card)
    limit = 0
    for shift in range(0, BITS * BATCHES, BITS):
        limit |= min(found >> shift & ONES, number) << shift
    return limit


def draw_left(state: State, player: int, stock: Deck, copies: Any, card: int) -> None:
    """Draws the batches of the copies of a card that were played, to find those that are left.

    Each is of a batch with an excess, or if there is none, of one with spare copies; those of the
    newest batch had been drawn.
    """
    number, newest = -copies.left[card], state.newest.value
    left = limited(state, player, card, number)
    for _ in range(sum_copies(left) - number):
        able = due = 0
        for batch in range(BATCHES):
            able |= (left & ONES << BITS * batch) * (copies.spare[batch] > 0)
            due |= (left & ONES << BITS * batch) * (copies.excess[batch] > 0)
        able = due if due > 0 else able
        older = able & (1 << BITS * newest) - 1
        new = (able >> BITS * newest) * copies.drawn
        old = sum_copies(older) * (copies.drawn + stock.count)
        if new + old == 0:
            able = left
        elif random_below(state.rng, new + old) < new:
            able -= older
        else:
            able = older
        batch = pick_batch(state, able)
        left -= 1 << BITS * batch
        copies.spare[batch] -= 1
        copies.excess[batch] -= 1
        copies.drawn -= batch == newest
        if copies.played < MOST_CARDS:
            copies.card[copies.played] = card
            copies.batch[copies.played] = 1 << BATCH_CLASSES + BITS * batch
            copies.played += 1
    copies.left[card] = left


def pick_batch(state: State, copies: int) -> int:
    """Draws the batch of one of the copies."""
    batch = 0
    pick = random_below(state.rng, sum_copies(copies))
    while pick >= copies >> BITS * batch & ONES:
        pick -= copies >> BITS * batch & ONES
        batch += 1
    return batch


def draw_batch(state: State, copies: Any, card: int, classes: int) -> int:
    """Draws the batch of a copy, as a class: one of `classes` if such a copy is left."""
    left = copies.left[card]
    able = copies_of(left, classes)
    if able == 0:
        able = left
    one = copies_once(able)
    if one & (one - 1) != 0:
        one = 1 << BITS * pick_batch(state, able)
    copies.left[card] = left - one
    return one << BATCH_CLASSES

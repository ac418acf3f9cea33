"""Batches: which cards were shuffled together, as far as players can tell.

The whole pack is the first batch. Whenever the stock is empty and the discards, which all have
seen, are reshuffled into it, they are the next batch, of which all cards are that are drawn until
the next reshuffle. A game with ``hands`` declares the components that these functions update:

* ``newest``, a ``Counter``: the batch of the cards in the stock;
* ``barred``, a ``Note`` per player: what the places of each hand cannot hold (see ``deals.py``). A
  place holds a card of one batch; or of several, once cards left and nobody saw from which places;
* ``batches``, a ``Note``: how many copies of each card, by batch, can be in hands and stock,
  as far as everybody knows;
* ``taken``, a ``Note`` per player that only its owner sees: which of these the player has drawn.

A copy that is played and may be of several batches, as far as others know, is not subtracted: so
these numbers are upper limits. Nothing is updated until there is a second batch. When there would
be more than ``BATCHES``, two are merged: an empty one with the next, or else the two oldest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.components.deals import able_classes, bar_classes, leave_place
from kibitz.core.memory import stack_record
from kibitz.core.randomness import random_below

if TYPE_CHECKING:
    from kibitz.components import Deck

    State = Any
    """A state with these components."""

BATCHES = 5
BITS = 3
"""Bits of a number of copies; the numbers of all batches are packed into 16 bits."""
ONES = 7
EACH_BATCH = 0o11111
"""One copy of each batch."""
BATCH_CLASSES = 18
"""The first bit of the classes that stand for batches, which are ``BITS`` apart."""
ANY_BATCH = EACH_BATCH << BATCH_CLASSES
MOST_CARDS = 64
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


# --- updates ------------------------------------------------------------------------------


def forget_batches(state: State) -> None:
    """Forgets all batches, when all cards are shuffled together."""
    if state.newest.value > 0:
        state.newest.value = 0
        for card in range(len(state.batches.values)):
            state.batches.values[card] = 0
            for p in range(state.players):
                state.taken[p].values[card] = 0


def begin_batch(state: State, stock: Deck) -> None:
    """Makes the stock, which was empty and has been reshuffled, the newest batch."""
    if state.newest.value == 0:
        for p in range(state.players):
            hand = state.hands[p]
            bar_classes(state.barred[p].values, hand.count, all_but(0))
            for i in range(hand.count):
                state.batches.values[hand.cards[i]] += 1
                state.taken[p].values[hand.cards[i]] += 1
    else:
        cap_copies(state)
    if state.newest.value == BATCHES - 1:
        merge_batches(state, empty_or_oldest(state))
        cap_copies(state)
    else:
        state.newest.value += 1
    for i in range(stock.count):
        state.batches.values[stock.cards[i]] += 1 << BITS * state.newest.value


def cap_copies(state: State) -> None:
    """Limits the copies of each batch to those in hands, which everybody can count now."""
    held = stack_record(COPIES)
    for card in range(len(state.batches.values)):
        held.left[card] = 0
    for p in range(state.players):
        for i in range(state.hands[p].count):
            held.left[state.hands[p].cards[i]] += 1
    for card in range(len(state.batches.values)):
        for shift in range(0, BITS * BATCHES, BITS):
            excess = (state.batches.values[card] >> shift & ONES) - held.left[card]
            if excess > 0:
                state.batches.values[card] -= excess << shift
                for p in range(state.players):
                    taken = state.taken[p].values
                    taken[card] -= min(taken[card] >> shift & ONES, excess) << shift


def empty_or_oldest(state: State) -> int:
    """A batch without cards in hands or stock; if there is none, the oldest one."""
    copies = 0
    for card in range(len(state.batches.values)):
        copies |= state.batches.values[card]
    for batch in range(BATCHES - 1):
        if copies >> BITS * batch & ONES == 0:
            return min(batch, BATCHES - 2)
    return 0


def merge_batches(state: State, batch: int) -> None:
    """Merges a batch with the next one; the later ones are renumbered."""
    for card in range(len(state.batches.values)):
        copies = state.batches.values[card]
        less = max(sum_copies(copies >> BITS * batch & ONES * (1 + (1 << BITS))) - ONES, 0)
        state.batches.values[card] = merge_copies(copies, BITS * batch, less)
        for p in range(state.players):
            taken = state.taken[p].values
            taken[card] = merge_copies(taken[card], BITS * batch, less)
    for p in range(state.players):
        values = state.barred[p].values
        for i in range(min(state.hands[p].count, len(values))):
            able = merge_copies(EACH_BATCH & ~(values[i] >> BATCH_CLASSES), BITS * batch, 0)
            values[i] = values[i] & ~ANY_BATCH | ANY_BATCH & ~to_classes(able)


def merge_copies(copies: int, shift: int, less: int) -> int:
    """Adds the numbers of a batch and the next one, minus `less`; `shift` is the batch's bit."""
    both = max((copies >> shift & ONES) + (copies >> shift + BITS & ONES) - less, 0)
    after = copies >> shift + 2 * BITS << shift + BITS
    return copies & ((1 << shift) - 1) | both << shift | after


def note_drawn(state: State, player: int, card: int) -> None:
    """Records that a card was drawn from the stock to a hand."""
    at, newest = state.hands[player].count - 1, state.newest.value
    values = state.barred[player].values
    if at < len(values):
        values[at] = all_but(newest) if newest > 0 else 0
    if newest > 0:
        state.taken[player].values[card] += 1 << BITS * newest


def note_gone(state: State, player: int, card: int, classes: int, just_drawn: bool) -> None:
    """Records that a card was played from a hand: the one that was just drawn, or any."""
    count, newest = state.hands[player].count, state.newest.value
    values = state.barred[player].values
    able = to_classes(state.batches.values[card]) if newest > 0 else ANY_BATCH
    if just_drawn:
        able &= 1 << BATCH_CLASSES + BITS * newest
        if count < len(values):
            values[count] = 0
    else:
        able = able_classes(values, 0, count + 1, classes, able)
        leave_place(values, 0, count + 1, classes, able)
    if newest > 0 and able & (able - 1) == 0:
        one = able >> BATCH_CLASSES
        taken = state.taken[player].values
        state.batches.values[card] -= one
        taken[card] -= one & copies_once(taken[card])


# --- batches as classes, and as copies ----------------------------------------------------


def all_but(batch: int) -> int:
    """The classes of all batches but one."""
    return ANY_BATCH & ~(1 << BATCH_CLASSES + BITS * batch)


def copies_once(copies: int) -> int:
    """One copy for each batch of which there are copies."""
    return (copies | copies >> 1 | copies >> 2) & EACH_BATCH


def to_classes(copies: int) -> int:
    """The classes of the batches of which there are copies."""
    return copies_once(copies) << BATCH_CLASSES


def copies_of(copies: int, classes: int) -> int:
    """The copies whose batches are among the classes."""
    return copies & (classes >> BATCH_CLASSES & EACH_BATCH) * ONES


def sum_copies(copies: int) -> int:
    """The total of the copies of all batches."""
    pairs = (copies & 0o70707) + (copies >> BITS & 0o707)
    return (pairs * 0o10101 >> 4 * BITS) & 0o77


# --- samples ------------------------------------------------------------------------------


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

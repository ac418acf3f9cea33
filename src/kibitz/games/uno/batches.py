"""Which shuffle the cards in hands come from, as far as players can tell.

Cards that were shuffled together are a *batch*: the whole pack is the first, and whenever discards
become the stock they are the next. The stock was empty then; so what is drawn until the next time
is of this batch, and all see how many cards each hand draws. The rules keep

* how many copies of a card of each batch can be elsewhere than on the pile (``batches``), for all;
* how many cards of each batch a hand can hold (``held``), for all;
* what a player has drawn of each batch (``taken``), which nobody else knows.

Of a copy that is played from a hand and may be of several batches nobody else knows which it was:
it is not counted out, and these numbers are limits. Nothing is kept until there is a second batch.
When there would be more than ``BATCHES``, two are not told apart any more: the oldest, if none is
empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.core.memory import stack_record
from kibitz.core.randomness import random_below
from kibitz.games.uno.cards import CARDS
from kibitz.games.uno.phases import Phase

if TYPE_CHECKING:
    from kibitz.games.uno.table import UnoState

BATCHES = 4
BITS = 4
"""Bits of a number of copies; four such numbers, one for each batch, are kept in 16 bits."""
ONES = 15
EACH_BATCH = 0x1111
"""One copy of each batch."""
SPARE_BITS = 0x8888
"""The highest bit of each number, which is never needed."""
PAIRS, BYTE = 0x0F0F, 0xFF
ALL_BATCHES = (1 << BATCHES) - 1
TITLES = len(CARDS)
COPIES = np.dtype(
    [("left", np.int64, (TITLES,)), ("spare", np.int64, (BATCHES,)), ("drawn", np.int64)]
)
"""The copies by batch of each card; how many more there are of each batch than must be in hands
and in the stock; and how many of the newest are not in the stock."""


# --- what happens -------------------------------------------------------------------------


def forget_batches(state: UnoState) -> None:
    """All cards are shuffled together again."""
    if state.newest.value == 0:
        return
    state.newest.value = 0
    for card in range(TITLES):
        state.batches.values[card] = 0
    for p in range(state.players):
        for card in range(TITLES):
            state.taken[p].values[card] = 0
        for batch in range(BATCHES):
            state.held[p].values[batch] = 0


def begin_batch(state: UnoState) -> None:
    """What is in the stock has been shuffled together."""
    if state.newest.value == 0:
        for p in range(state.players):
            hand = state.hands[p]
            state.held[p].values[0] = hand.count
            for i in range(hand.count):
                state.batches.values[hand.cards[i]] += 1
                state.taken[p].values[hand.cards[i]] += 1
    else:
        cap_copies(state)
    if state.newest.value == BATCHES - 1:
        merge_batches(state, empty_batch(state))
        cap_copies(state)
    else:
        state.newest.value += 1
    for i in range(state.stock.count):
        state.batches.values[state.stock.cards[i]] += 1 << BITS * state.newest.value


def cap_copies(state: UnoState) -> None:
    """Of no batch there are more copies of a card than are in hands, as all see now."""
    held = stack_record(COPIES)
    for card in range(TITLES):
        held.left[card] = 0
    for p in range(state.players):
        for i in range(state.hands[p].count):
            held.left[state.hands[p].cards[i]] += 1
    for card in range(TITLES):
        for shift in range(0, BITS * BATCHES, BITS):
            excess = (state.batches.values[card] >> shift & ONES) - held.left[card]
            if excess > 0:
                state.batches.values[card] -= excess << shift
                for p in range(state.players):
                    taken = state.taken[p].values
                    taken[card] -= min(taken[card] >> shift & ONES, excess) << shift


def empty_batch(state: UnoState) -> int:
    """A batch of which all cards have come to the pile again; without one, the oldest."""
    copies = 0
    for card in range(TITLES):
        copies |= state.batches.values[card]
    for batch in range(BATCHES):
        if copies >> BITS * batch & ONES == 0:
            for p in range(state.players):
                state.held[p].values[batch] = 0
            return min(batch, BATCHES - 2)
    return 0


def merge_batches(state: UnoState, batch: int) -> None:
    """A batch and the next one become one, and those that came after them move up."""
    for card in range(TITLES):
        state.batches.values[card] = merge_copies(state.batches.values[card], BITS * batch)
        for p in range(state.players):
            state.taken[p].values[card] = merge_copies(state.taken[p].values[card], BITS * batch)
    for p in range(state.players):
        held = state.held[p].values
        held[batch] += held[batch + 1]
        for after in range(batch + 1, BATCHES - 1):
            held[after] = held[after + 1]
        held[BATCHES - 1] = 0


def merge_copies(copies: int, shift: int) -> int:
    """Numbers of copies by batch, where the one at a bit and the next one become one."""
    both = (copies >> shift & ONES) + (copies >> shift + BITS & ONES)
    after = copies >> shift + 2 * BITS << shift + BITS
    return copies & ((1 << shift) - 1) | both << shift | after


def note_drawn(state: UnoState, player: int, card: int) -> None:
    """A card has come from the stock to a hand."""
    if state.newest.value > 0:
        state.held[player].values[state.newest.value] += 1
        state.taken[player].values[card] += 1 << BITS * state.newest.value


def note_gone(state: UnoState, player: int, card: int, just_drawn: bool) -> None:
    """A card has gone from a hand to the pile."""
    if state.newest.value == 0:
        return
    one = 1 << BITS * state.newest.value
    if not just_drawn:
        one = only_batch(state, player, card)
    taken = state.taken[player].values
    one &= batches_in(state.batches.values[card])  # in samples there may be none
    state.batches.values[card] -= one
    taken[card] -= one & batches_in(taken[card])
    for batch in range(BATCHES):
        state.held[player].values[batch] -= one >> BITS * batch & 1


def only_batch(state: UnoState, player: int, card: int) -> int:
    """One copy of the only batch of which a card can be that a hand has played.

    It is 0 if there are several. Nothing here branches: what is played cannot be predicted.
    """
    batches = batches_in(state.batches.values[card])
    for batch in range(BATCHES):
        batches &= ~((state.held[player].values[batch] <= 0) << BITS * batch)
    return batches * (batches & (batches - 1) == 0)


def batches_in(copies: int) -> int:
    """One copy for each batch of which there are copies."""
    return (copies | copies >> 1 | copies >> 2) & EACH_BATCH


# --- what a player can conclude -----------------------------------------------------------


def batches_at(state: UnoState, player: int, index: int) -> int:
    """The batches, a bit for each, of which the card at an index of a hand can be.

    Cards lie in the order in which they came. So before it there are at most as many as can be
    of older batches, and after it as can be of newer ones.
    """
    held = state.held[player].values
    if state.newest.value == 0:
        return 0
    if state.phase == Phase.DRAWN and state.player == player:
        if index == state.hands[player].count - 1:  # it was just drawn
            return 1 << state.newest.value
    older = newer = found = 0
    for batch in range(BATCHES):
        newer += held[batch]
    for batch in range(BATCHES):
        after = state.hands[player].count - newer
        older += held[batch]
        found |= (after <= index and index < older) << batch
        newer -= held[batch]
    return found


def draw_copies(state: UnoState, player: int, copies: Any) -> None:
    """Draws of which batches the copies are that are neither on the pile nor the player's own."""
    left, spare = copies.left, copies.spare
    for card in range(TITLES):
        left[card] = 0
    for batch in range(BATCHES):
        spare[batch] = 0
    spare[state.newest.value] = -state.stock.count
    for i in range(state.stock.count):
        left[state.stock.cards[i]] += 1
    for p in range(state.players):
        if p != player:
            hand = state.hands[p]
            for i in range(hand.count):
                left[hand.cards[i]] += 1
            subtract_certain(state, p, spare)
    copies.drawn = -state.stock.count
    for card in range(TITLES):
        for shift in range(0, BITS * BATCHES, BITS):
            number = min(not_taken(state, player, card) >> shift & ONES, left[card])
            spare[shift // BITS] += number
            copies.drawn += number if shift == BITS * state.newest.value else 0
    for card in range(TITLES):
        if left[card] > 0:
            left[card] = draw_left(state, copies, not_taken(state, player, card), left[card])


def subtract_certain(state: UnoState, player: int, spare: Any) -> None:
    """Takes off how many cards of a hand must be of each batch."""
    most = 0
    for batch in range(BATCHES):
        most += state.held[player].values[batch]
    for batch in range(BATCHES):
        certain = state.hands[player].count - (most - state.held[player].values[batch])
        spare[batch] -= max(certain, 0)


def not_taken(state: UnoState, player: int, card: int) -> int:
    """The copies of a card, by batches, that `player` has not drawn.

    Samples of samples may be at odds with themselves: then all copies are taken for such.
    """
    copies = state.batches.values[card]
    left = (copies | SPARE_BITS) - state.taken[player].values[card]
    return left & ~SPARE_BITS if left & SPARE_BITS == SPARE_BITS else copies


def draw_left(state: UnoState, copies: Any, all_copies: int, number: int) -> int:
    """Of some copies of a card, by batches, those `number` that were not played."""
    left = 0
    for shift in range(0, BITS * BATCHES, BITS):
        left |= min(all_copies >> shift & ONES, number) << shift
    for _ in range(sum_copies(left) - number):
        left -= draw_played(state, copies, left)
    return left


def draw_played(state: UnoState, copies: Any, left: int) -> int:
    """Draws of which batch a copy is that was played.

    It is one of which more are left than must be; of the newest batch, one that was drawn.
    """
    total = 0
    for batch in range(BATCHES):
        total += played_weight(state, copies, left, batch)
    pick = random_below(state.rng, total) if total > 0 else 0
    for batch in range(BATCHES):
        pick -= played_weight(state, copies, left, batch)
        if pick < 0:
            copies.spare[batch] -= 1
            copies.drawn -= batch == state.newest.value
            return 1 << BITS * batch
    return 1 << BITS * pick_batch(left, random_below(state.rng, sum_copies(left)))


def played_weight(state: UnoState, copies: Any, left: int, batch: int) -> int:
    """How likely a copy that was played is of a batch."""
    if copies.spare[batch] <= 0 or copies.drawn < 0:
        return 0
    in_stock = state.stock.count if batch != state.newest.value else 0
    return (left >> BITS * batch & ONES) * (copies.drawn + in_stock)


def sum_copies(copies: int) -> int:
    """Of numbers of copies by batch the sum."""
    pairs = (copies & PAIRS) + (copies >> BITS & PAIRS)
    return (pairs & BYTE) + (pairs >> 2 * BITS)


def pick_batch(copies: int, pick: int) -> int:
    """Of which batch copy number `pick` is, the oldest coming first."""
    batch = 0
    while batch < BATCHES - 1 and pick >= copies >> BITS * batch & ONES:
        pick -= copies >> BITS * batch & ONES
        batch += 1
    return batch


def draw_batch(state: UnoState, copies: Any, card: int, batches: int) -> int:
    """Of which batch a copy is: one of those not yet assigned, if it can be, of some batches."""
    mask = 0
    for batch in range(BATCHES):
        mask |= ONES * (batches >> batch & 1) << BITS * batch
    left = copies.left[card] & mask
    total = sum_copies(left)
    if total == 0:
        return 0
    batch = pick_batch(left, random_below(state.rng, total) if total > 1 else 0)
    copies.left[card] -= 1 << BITS * batch
    return batch

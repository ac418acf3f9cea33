"""Which shuffle the cards in hands come from, as far as players can tell.

Cards that were shuffled together are a *lot*: the whole pack is the first, and whenever discards
become the stock they are the next. Nothing is left of the stock then; so what is drawn until the
next time is of this lot, and all see how many cards each hand draws. The rules keep

* how many copies of a card of each lot can be elsewhere than on the pile (``lots``), for all;
* how many cards of each lot a hand can hold (``held``), for all;
* what a player has drawn of each lot (``taken``), which nobody else knows.

Of a copy that is played from a hand and may be of several lots nobody else knows which it was: it
is not counted out, and these numbers are limits. Nothing is kept until there is a second lot. When
there would be more than ``LOTS``, two are not told apart any more: the oldest, if none is empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kibitz.components import Deck, knows_card
from kibitz.core.randomness import random_below
from kibitz.games.uno.cards import KINDS

if TYPE_CHECKING:
    from kibitz.games.uno.table import UnoState

LOTS = 4
BITS = 4
"""Bits of a number of copies; four such numbers, one for each lot, are kept in 16 bits."""
ONES = 15
MOST_COPIES = 7
"""So many copies of a lot are counted: with one bit of the four to spare."""
EACH_LOT = 0x1111
"""One copy of each lot."""
SPARE_BITS = 0x8888
"""The bit to spare of each lot."""
PAIRS, BYTE = 0x0F0F, 0xFF
ALL_LOTS = (1 << BITS * LOTS) - 1
CARD = 63
"""The bits of a card that are no mark."""
MARK = CARD + 1
"""A card of lot n is marked by adding so much n times."""


# --- what happens -------------------------------------------------------------------------


def forget_lots(state: UnoState) -> None:
    """All cards are shuffled together again."""
    if state.newest.value == 0:
        return
    state.newest.value = 0
    for card in range(len(state.lots.values)):
        state.lots.values[card] = 0
    for p in range(state.players):
        for card in range(len(state.lots.values)):
            state.taken[p].values[card] = 0
        for lot in range(LOTS):
            state.held[p].values[lot] = 0


def begin_lot(state: UnoState) -> None:
    """What is in the stock has been shuffled together."""
    if state.newest.value == 0:
        count_first_lot(state)
    if state.newest.value < LOTS - 1:
        state.newest.value += 1
    else:
        merge_lots(state, min(empty_lot(state), LOTS - 2))
    for i in range(state.stock.count):
        state.lots.values[state.stock.cards[i]] += 1 << BITS * state.newest.value


def count_first_lot(state: UnoState) -> None:
    """Hands still have what was dealt or drawn of the first lot; until now nothing was kept."""
    for p in range(state.players):
        hand = state.hands[p]
        state.held[p].values[0] = hand.count
        for i in range(hand.count):
            state.lots.values[hand.cards[i]] += 1
            state.taken[p].values[hand.cards[i]] += 1


def empty_lot(state: UnoState) -> int:
    """A lot of which all cards have come to the pile again; without one, the oldest."""
    copies = 0
    for card in range(len(state.lots.values)):
        copies |= state.lots.values[card]
    for lot in range(LOTS):
        if copies >> BITS * lot & ONES == 0:
            return lot
    return 0


def merge_lots(state: UnoState, lot: int) -> None:
    """A lot and the next one become one, and those that came after them move up.

    What is too much to be counted is taken off both what there is and what was drawn of it.
    """
    lots = state.lots.values
    for card in range(len(lots)):
        less = excess(lots[card], lot)
        lots[card] = merge_copies(lots[card], lot, less)
        for p in range(state.players):
            state.taken[p].values[card] = merge_copies(state.taken[p].values[card], lot, less)
    for p in range(state.players):
        held, since = state.held[p].values, state.since[p].values
        held[lot] += held[lot + 1]
        for after in range(lot + 1, LOTS - 1):
            held[after] = held[after + 1]
        held[LOTS - 1] = 0
        for kind in range(KINDS):
            since[kind] -= since[kind] > lot


def merge_copies(copies: int, lot: int, less: int) -> int:
    """The same for numbers of copies by lot, of which so many less are counted."""
    shift = BITS * lot
    both = max((copies >> shift & ONES) + (copies >> shift + BITS & ONES) - less, 0)
    after = copies >> shift + 2 * BITS << shift + BITS
    return copies & ((1 << shift) - 1) | both << shift | after


def excess(copies: int, lot: int) -> int:
    """How many copies of a lot and the next one are more than can be counted."""
    both = (copies >> BITS * lot & ONES) + (copies >> BITS * (lot + 1) & ONES)
    return max(both - MOST_COPIES, 0)


def note_drawn(state: UnoState, player: int, card: int) -> None:
    """A card has come from the stock to a hand."""
    if state.newest.value == 0:
        return
    state.held[player].values[state.newest.value] += 1
    state.taken[player].values[card] += 1 << BITS * state.newest.value


def note_gone(state: UnoState, player: int, card: int, just_drawn: bool) -> None:
    """A card has gone from a hand to the pile."""
    if state.newest.value == 0:
        return
    one = 1 << BITS * state.newest.value
    if not just_drawn:
        one = only_lot(state, player, card)
    taken = state.taken[player].values
    one &= lots_in(state.lots.values[card])  # in samples there may be none
    state.lots.values[card] -= one
    taken[card] -= one & lots_in(taken[card])
    for lot in range(LOTS):
        state.held[player].values[lot] -= one >> BITS * lot & 1


def only_lot(state: UnoState, player: int, card: int) -> int:
    """One copy of the only lot of which a card can be that a hand has played.

    It is 0 if there are several. Nothing here branches: what is played cannot be predicted.
    """
    lots = lots_in(state.lots.values[card])
    for lot in range(LOTS):
        lots &= ~((state.held[player].values[lot] <= 0) << BITS * lot)
    return lots * (lots & (lots - 1) == 0)


def lots_in(copies: int) -> int:
    """One copy for each lot of which there are copies."""
    return (copies | copies >> 1 | copies >> 2) & EACH_LOT


# --- samples: marking ---------------------------------------------------------------------


def lot_of(card: int) -> int:
    """Of which lot a marked card is."""
    return card // MARK


def mark_lots(state: UnoState, player: int) -> None:
    """Marks all cards that `player` has not in hand with a lot of which they can be."""
    spare = count_elsewhere(state, player)
    for p in range(state.players):
        if p != player:
            hand = state.hands[p]
            for i in range(hand.count):
                if knows_card(hand, i, player):
                    lot = draw_lot(state, hand.cards[i], can_have(state, p, spare))
                    hand.cards[i] += MARK * lot
                    spare -= lot == state.newest.value
    for p in range(state.players):
        if p != player:
            hand = state.hands[p]
            for i in range(hand.count):
                if not knows_card(hand, i, player):
                    hand.cards[i] += MARK * draw_lot(state, hand.cards[i], ALL_LOTS)
    for i in range(state.stock.count):
        state.stock.cards[i] += MARK * draw_lot(state, state.stock.cards[i], ALL_LOTS)
    for card in range(len(state.apart.values)):
        state.apart.values[card] = 0


def count_elsewhere(state: UnoState, player: int) -> int:
    """Draws, into ``apart``, of which lots the copies are that are not on the pile or ours.

    Returns how many more of them are of the newest lot than there are cards in the stock.
    """
    apart = state.apart.values
    for i in range(state.stock.count):
        apart[state.stock.cards[i]] += 1
    for p in range(state.players):
        if p != player:
            for i in range(state.hands[p].count):
                apart[state.hands[p].cards[i]] += 1
    shift = BITS * state.newest.value
    spare = -state.stock.count
    for card in range(len(apart)):
        spare += min(not_taken(state, player, card) >> shift, apart[card])
    for card in range(len(apart)):
        copies, number = not_taken(state, player, card), apart[card]
        apart[card] = draw_left(state, copies, number, spare)
        spare -= min(copies >> shift, number) - (apart[card] >> shift)
    return spare


def not_taken(state: UnoState, player: int, card: int) -> int:
    """The copies of a card, by lots, that `player` has not drawn.

    Samples of samples may be at odds with themselves: then all copies are taken for such.
    """
    copies = state.lots.values[card]
    left = (copies | SPARE_BITS) - state.taken[player].values[card]
    return left & ~SPARE_BITS if left & SPARE_BITS == SPARE_BITS else copies


def draw_left(state: UnoState, copies: int, number: int, spare: int) -> int:
    """Of some copies, by lots, those `number` that are still about; the others were played.

    One of the newest lot can have been played only if it was drawn, as at most `spare` were.
    """
    shift = BITS * state.newest.value
    copies -= max(copies >> shift, number) - number << shift
    drawn = max(spare, 0)
    gone = sum_copies(copies) - number
    while gone > 0:
        new = copies >> shift
        old = sum_copies(copies) - new
        old_weight, new_weight = old * (drawn + state.stock.count), new * drawn
        if old_weight + new_weight == 0:
            return copies
        if random_below(state.rng, old_weight + new_weight) >= old_weight:
            copies -= 1 << shift
            drawn -= 1
        else:
            copies -= 1 << BITS * pick_lot(copies, random_below(state.rng, old))
        gone -= 1
    return copies


def sum_copies(copies: int) -> int:
    """Of numbers of copies by lot the sum."""
    pairs = (copies & PAIRS) + (copies >> BITS & PAIRS)
    return (pairs & BYTE) + (pairs >> 2 * BITS)


def pick_lot(copies: int, pick: int) -> int:
    """Of which lot copy number `pick` is, the oldest coming first."""
    lot = 0
    while lot < LOTS - 1 and pick >= copies >> BITS * lot & ONES:
        pick -= copies >> BITS * lot & ONES
        lot += 1
    return lot


def can_have(state: UnoState, player: int, spare: int) -> int:
    """A mask for numbers of copies by lot: the lots of which a hand can have a card."""
    mask = 0
    for lot in range(LOTS):
        if state.held[player].values[lot] > 0 and (lot < state.newest.value or spare > 0):
            mask |= ONES << BITS * lot
    return mask


def draw_lot(state: UnoState, card: int, mask: int) -> int:
    """Of which lot a copy is: one of those still to be told apart, and of the mask."""
    copies = state.apart.values[card] & mask
    total = sum_copies(copies)
    if total == 0:
        return 0
    lot = pick_lot(copies, random_below(state.rng, total) if total > 1 else 0)
    state.apart.values[card] -= 1 << BITS * lot
    return lot


def unmark_lots(state: UnoState) -> None:
    """Takes all marks away."""
    for i in range(state.stock.count):
        state.stock.cards[i] &= CARD
    for p in range(state.players):
        for i in range(state.hands[p].count):
            state.hands[p].cards[i] &= CARD


# --- samples: placing ---------------------------------------------------------------------


def place_lots(state: UnoState, player: int) -> None:
    """Exchanges hidden cards until the stock is of the newest lot, and no hand has too many.

    Meanwhile ``held`` counts how many more cards of each lot a hand can hold.
    """
    count_in_hands(state, player, -1)
    for i in range(state.stock.count):
        if lot_of(state.stock.cards[i]) < state.newest.value:
            exchange(state, player, state.stock, i, -1)
    for p in range(state.players):
        if p != player:
            hand = state.hands[p]
            for i in range(hand.count):
                if state.held[p].values[lot_of(hand.cards[i])] < 0:
                    if not knows_card(hand, i, player):
                        exchange(state, player, hand, i, p)
    count_in_hands(state, player, 1)


def place_drawn(state: UnoState, player: int, hand: Deck) -> None:
    """The last card of a hand was just drawn: changes places with one there of the newest lot."""
    newest, last = state.newest.value, hand.count - 1
    if lot_of(hand.cards[last]) == newest or knows_card(hand, last, player):
        return
    ways = 0
    for i in range(last):
        if lot_of(hand.cards[i]) == newest and not knows_card(hand, i, player):
            ways += 1
            if random_below(state.rng, ways) == 0:
                swap_cards(hand, i, hand, last)


def count_in_hands(state: UnoState, player: int, sign: int) -> None:
    """Adds the cards of each lot that others have in hand to what they can hold, or subtracts."""
    for p in range(state.players):
        if p != player:
            for i in range(state.hands[p].count):
                state.held[p].values[lot_of(state.hands[p].cards[i])] += sign


def exchange(state: UnoState, player: int, deck: Deck, index: int, owner: int) -> None:
    """Exchanges a card that has too many of its lot beside it for one from another hand.

    Of all that may come here it is one for which the other hand is best suited too, picked at
    random. The `owner` of the stock is -1.
    """
    lot = lot_of(deck.cards[index])
    best = ways = other = at = 0
    for p in range(state.players):
        if p != player and p != owner:
            hand = state.hands[p]
            for i in range(hand.count):
                there = lot_of(hand.cards[i])
                if may_come(state, owner, there, lot) and not knows_card(hand, i, player):
                    rank = 1 + (state.held[p].values[lot] > 0) + (state.held[p].values[there] < 0)
                    if rank > best:
                        best = rank
                        ways = 0
                    if rank == best:
                        ways += 1
                        if random_below(state.rng, ways) == 0:
                            other = p
                            at = i
    if best > 0:
        hand = state.hands[other]
        there = lot_of(hand.cards[at])
        state.held[other].values[lot] -= 1
        state.held[other].values[there] += 1
        if owner >= 0:
            state.held[owner].values[lot] += 1
            state.held[owner].values[there] -= 1
        swap_cards(deck, index, hand, at)


def may_come(state: UnoState, owner: int, lot: int, instead: int) -> bool:
    """Whether a card of a lot may lie where now one of the lot `instead` lies."""
    if owner < 0:
        return lot == state.newest.value
    return lot != instead and state.held[owner].values[lot] > 0


def swap_cards(a: Deck, i: int, b: Deck, j: int) -> None:
    """Exchanges two cards; who knows what lies in the two places stays as it is."""
    card = a.cards[i]
    a.cards[i] = b.cards[j]
    b.cards[j] = card

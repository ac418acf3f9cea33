"""What everyone can conclude about hands in Uno, and deals that agree with it.

Who knows which card travels with the cards. Beyond that the rules keep in the open

* what the cards of a hand cannot be (``barred``; see ``components/deals.py``): a challenge that
  failed, a Wild Draw Four under the strict rule, passing, and drawing under the rule that only who
  cannot play may draw, each say that a hand has no card of a kind, which is a colour or a symbol;
* that a hand holds a card of a colour (``proved``): a bluff that was found out;
* from which shuffle the cards of a hand and of the stock can be (``components/batches.py``).
"""

from __future__ import annotations

from typing import Any

from kibitz.components import Deck, knows_card
from kibitz.components.batches import (
    ANY_BATCH,
    COPIES,
    all_but,
    draw_batch,
    draw_copies,
    forget_batches,
    note_gone,
    to_classes,
)
from kibitz.components.deals import (
    PLACES,
    able_classes,
    add_place,
    bar_classes,
    clear_places,
    count_able,
    deal_places,
    leave_place,
)
from kibitz.core.memory import stack_record
from kibitz.games.uno.cards import KINDS, KINDS_OF, Card, Colour, colour_of
from kibitz.games.uno.table import UnoState

STOCK, PLAYED = 254, 255
"""Stand for the owners of the stock and of what was played."""

# --- what happens in the open -------------------------------------------------------------


def note_deal(state: UnoState) -> None:
    """A round begins: the cards have been dealt, and one is turned up."""
    forget_batches(state)
    for p in range(state.players):
        state.proved[p].values[0] = 0
        values = state.barred[p].values
        for i in range(len(values)):
            values[i] = 0


def note_play(state: UnoState, player: int, card: int, just_drawn: bool) -> None:
    """A card has left a hand."""
    note_gone(state, player, card, KINDS_OF[card], just_drawn)
    if not just_drawn:
        state.proved[player].values[0] &= ~(1 << colour_of(card))


def note_none(state: UnoState, player: int, kinds: int) -> None:
    """A hand has no card of some kinds."""
    bar_classes(state.barred[player].values, state.hands[player].count, kinds)


def note_not(state: UnoState, player: int, kinds: int) -> None:
    """The card that a hand has just drawn is not of some kinds.

    Its place comes before those that came from the same shuffle and can hold more, so that places
    that can hold the same stay together.
    """
    values = state.barred[player].values
    at = state.hands[player].count - 1
    if at < len(values):
        barred = values[at] | kinds
        while at > 0 and (values[at - 1] ^ barred) & ANY_BATCH == 0 and values[at - 1] < barred:
            values[at] = values[at - 1]
            at -= 1
        values[at] = barred


def note_some(state: UnoState, player: int, colour: int) -> None:
    """A hand has a card of a colour."""
    state.proved[player].values[0] |= 1 << colour


def most_of(state: UnoState, player: int, kind: int) -> int:
    """The most cards of a kind that a hand can hold."""
    return count_able(state.barred[player].values, state.hands[player].count, 1 << kind)


# --- whether a deal agrees with it --------------------------------------------------------


def agrees(state: UnoState, player: int) -> bool:
    """Whether the hands of all but `player` are what everyone can conclude about them."""
    for p in range(state.players):
        if p != player and state.seat[p].out == 0:
            kinds = barred_anywhere(state, p)
            for kind in range(KINDS):
                if kinds >> kind & 1:
                    if count_kind(state.hands[p], kind) > most_of(state, p, kind):
                        return False
            if state.proved[p].values[0] != 0 and not has_proved(state, p):
                return False
    return True


def has_proved(state: UnoState, player: int) -> bool:
    """Whether a hand has the colours that it is known to have."""
    for colour in range(Colour.NONE):
        if state.proved[player].values[0] >> colour & 1:
            if count_kind(state.hands[player], colour) == 0:
                return False
    return True


def count_kind(hand: Deck, kind: int) -> int:
    """How many cards of a kind a hand holds."""
    number = 0
    for i in range(hand.count):
        number += KINDS_OF[hand.cards[i]] >> kind & 1
    return number


# --- dealing so that it agrees ------------------------------------------------------------


def deal_again(state: UnoState, player: int) -> None:
    """Deals the hidden cards so that they can be where they are, as far as `player` knows."""
    barred = state.newest.value
    for p in range(state.players):
        if p != player:
            barred |= barred_anywhere(state, p)
    if barred == 0:
        return
    places = stack_record(PLACES)
    attempt = 0
    accepted = False
    while not accepted:
        attempt += 1
        gather_places(state, player, places)
        accepted = deal_places(places, state.rng, attempt)
    for i in range(places.settled, places.count):
        owner, index = places.where[i] >> 8, places.where[i] & 255
        if owner == STOCK:
            state.stock.cards[index] = places.card[i]
        else:
            state.hands[owner].cards[index] = places.card[i]


def barred_anywhere(state: UnoState, player: int) -> int:
    """The classes of which some card of a hand cannot be."""
    values = state.barred[player].values
    barred = 0
    for i in range(min(state.hands[player].count, len(values))):
        barred |= values[i]
    return barred


def gather_places(state: UnoState, player: int, places: Any) -> None:
    """All places that are hidden from `player`, with what they can hold."""
    copies = stack_record(COPIES)
    clear_places(places)
    if state.newest.value > 0:
        draw_copies(state, player, state.stock, copies)
        gather_played(places, copies)
    for p in range(state.players):
        if p != player:
            gather_hand(state, player, p, places, copies)
    stock = state.stock
    barred = all_but(state.newest.value) if state.newest.value > 0 else 0
    for i in range(stock.count):
        places.barred[places.count] = barred
        add_place(places, STOCK << 8 | i, stock.cards[i], 0)
    for i in range(places.settled, places.count):
        places.classes[i] = KINDS_OF[places.card[i]]
        if state.newest.value > 0:
            places.classes[i] |= draw_batch(state, copies, places.card[i], ANY_BATCH)


def gather_played(places: Any, copies: Any) -> None:
    """The copies that were played, so that it can turn out that they were of another batch."""
    for i in range(copies.played):
        card = copies.card[i]
        if card < Card.WILD:  # both wild cards are of one kind
            places.barred[places.count] = (1 << KINDS) - 1 & ~KINDS_OF[card]
            add_place(places, PLAYED << 8, card, KINDS_OF[card] | copies.batch[i])
    places.settled = places.count


def gather_hand(state: UnoState, player: int, owner: int, places: Any, copies: Any) -> None:
    """The places of a hand that are hidden from `player`: those that the cards known leave."""
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
                able = able_classes(places.barred, first, left, KINDS_OF[card], able)
                batch = draw_batch(state, copies, card, able)
            leave_place(places.barred, first, left, KINDS_OF[card], batch)
            left -= 1

"""What everyone can conclude in Uno, and deals that agree with it.

Who knows which card travels with the cards. Beyond that the rules keep in the open

* how many cards of a kind, which is a colour or a symbol, a hand can hold at most (``most_of``):
  a challenge that failed, a Wild Draw Four under the strict rule, passing, and drawing under the
  rule that only who cannot play may draw, each say that a hand had no card of a kind;
* that a hand holds a card of a colour (``proved``): a bluff that was found out;
* from which shuffle the cards of a hand and of the stock can be (``batches.py``).

The first two count whole hands, because nobody sees from which end of a hand a card is played.
"""

from __future__ import annotations

from typing import Any

from kibitz.components import Deck, knows_card
from kibitz.components.deals import (
    ATTEMPTS,
    PLACES,
    add_place,
    bar_class,
    clear_places,
    complete_deal,
    deal_places,
    limit_class,
    shuffle_places,
    sort_places,
)
from kibitz.core.memory import stack_record
from kibitz.games.uno.batches import (
    ALL_BATCHES,
    COPIES,
    batches_at,
    begin_batch,
    draw_batch,
    draw_copies,
    forget_batches,
    note_drawn,
    note_gone,
)
from kibitz.games.uno.cards import (
    KINDS,
    KINDS_OF,
    Colour,
    colour_of,
)
from kibitz.games.uno.table import UnoState

# --- what happens in the open -------------------------------------------------------------


def note_deal(state: UnoState) -> None:
    """A round begins: the cards have been dealt, and one is turned up."""
    forget_batches(state)
    for p in range(state.players):
        state.proved[p].values[0] = 0
        state.drawn[p].values[0] = state.hands[p].count
        for kind in range(KINDS):
            state.room[p].values[kind] = 0


def note_draw(state: UnoState, player: int, card: int) -> None:
    """A card has come to a hand: for the others it can be anything."""
    state.drawn[player].values[0] += 1
    note_drawn(state, player, card)


def note_play(state: UnoState, player: int, card: int, just_drawn: bool, nested: bool) -> None:
    """A card has left a hand; if it was just drawn, that is as it was before.

    Where the cards that can be of a kind are the last that came (`nested`), the card played was
    one of a few of these, and so one of all cards that can be of a kind of which more can be.
    """
    note_gone(state, player, card, just_drawn)
    if just_drawn:
        state.drawn[player].values[0] -= 1
        return
    state.proved[player].values[0] &= ~(1 << colour_of(card))
    before = state.hands[player].count + 1
    most = before
    for kind in range(KINDS):
        if is_of(card, kind):
            most = min(most, most_of(state, player, kind))
    if most < before:
        room = state.room[player].values
        for kind in range(KINDS):
            if most_of(state, player, kind) >= most if nested else is_of(card, kind):
                room[kind] -= 1


def most_of(state: UnoState, player: int, kind: int) -> int:
    """The most cards of a kind that a hand can hold."""
    return state.room[player].values[kind] + state.drawn[player].values[0]


def note_shuffle(state: UnoState) -> None:
    """The discards have become the stock."""
    begin_batch(state)


def note_none(state: UnoState, player: int, kind: int) -> None:
    """A hand has no card of a kind."""
    state.room[player].values[kind] = -state.drawn[player].values[0]


def note_other(state: UnoState, player: int, kind: int) -> None:
    """The card that a hand has just drawn is not of a kind."""
    state.room[player].values[kind] -= 1


def note_some(state: UnoState, player: int, colour: int) -> None:
    """A hand has a card of a colour."""
    state.proved[player].values[0] |= 1 << colour


# --- whether a deal agrees with it --------------------------------------------------------


def agrees(state: UnoState, player: int) -> bool:
    """Whether the hands of all but `player` are what everyone can conclude about them."""
    for p in range(state.players):
        if p != player and state.seat[p].out == 0:
            for kind in range(KINDS):
                most = most_of(state, p, kind)
                if most < state.hands[p].count and count_kind(state.hands[p], kind) > most:
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
        if is_of(hand.cards[i], kind):
            number += 1
    return number


def is_of(card: int, kind: int) -> bool:
    """Whether a card is of a kind."""
    return KINDS_OF[card] >> kind & 1 == 1


# --- dealing so that it agrees ------------------------------------------------------------


def deal_again(state: UnoState, player: int, nested: bool) -> None:
    """Deals the hidden cards so that they can be where they are, as far as `player` knows."""
    limited = 0
    for p in range(state.players):
        if p != player:
            limited |= limited_kinds(state, p)
    if limited == 0 and state.newest.value == 0:
        return
    places = stack_record(PLACES)
    gather_places(state, player, places, nested)
    done = deal_places(places, state.rng)
    attempt = 1
    while not done and attempt < ATTEMPTS:
        gather_places(state, player, places, nested)
        shuffle_places(places, state.rng)
        done = deal_places(places, state.rng)
        attempt += 1
    if not done:
        complete_deal(places, state.rng)
    write_places(state, places)


def limited_kinds(state: UnoState, player: int) -> int:
    """The kinds, a bit for each, of which not all cards of a hand can be."""
    kinds = 0
    for kind in range(KINDS):
        kinds |= (most_of(state, player, kind) < state.hands[player].count) << kind
    return kinds


def assign_known(state: UnoState, player: int, copies: Any) -> None:
    """Takes away the copies that `player` knows in the hands of others."""
    for p in range(state.players):
        if p != player:
            hand = state.hands[p]
            for i in range(hand.count):
                if knows_card(hand, i, player):
                    draw_batch(state, copies, hand.cards[i], batches_at(state, p, i))


def gather_places(state: UnoState, player: int, places: Any, nested: bool) -> None:
    """All places that are hidden from `player`, with what they can hold."""
    copies = stack_record(COPIES)
    if state.newest.value > 0:
        draw_copies(state, player, copies)
        assign_known(state, player, copies)
    clear_places(places)
    for p in range(state.players):
        if p != player:
            gather_hand(state, player, p, places, copies, nested)
    stock = state.stock
    barred = other_batches(state, 1 << state.newest.value)
    for i in range(stock.count):
        classes = classes_of(state, copies, stock.cards[i])
        add_place(places, -1 - i, stock.cards[i], classes, barred)
    sort_places(places)


def gather_hand(
    state: UnoState, player: int, owner: int, places: Any, copies: Any, nested: bool
) -> None:
    """The places of a hand that are hidden from `player`.

    Cards lie in the order in which they came. Of a kind that the hand did not have once only
    those can be that came later; unless of some of these all know what they are not.
    """
    hand = state.hands[owner]
    kinds = limited_kinds(state, owner)
    first = places.count
    for i in range(hand.count):
        if not knows_card(hand, i, player):
            barred = other_batches(state, batches_at(state, owner, i))
            classes = classes_of(state, copies, hand.cards[i])
            add_place(places, owner << 8 | i, hand.cards[i], classes, barred)
    for kind in range(KINDS):
        if kinds >> kind & 1:
            most = most_of(state, owner, kind)
            if nested:
                at = first
                while at < places.count and hand.count - (places.where[at] & 255) > most:
                    bar_class(places, at, 1 << kind)
                    at += 1
            else:
                most -= count_known(hand, kind, player)
                limit_class(places, state.rng, first, places.count, 1 << kind, most)


def other_batches(state: UnoState, batches: int) -> int:
    """The classes of cards of all but some batches."""
    return (ALL_BATCHES & ~batches) << KINDS if state.newest.value > 0 else 0


def classes_of(state: UnoState, copies: Any, card: int) -> int:
    """The kinds of a hidden card, and of which batch it is, which is drawn."""
    if state.newest.value == 0:
        return int(KINDS_OF[card])
    return KINDS_OF[card] | 1 << KINDS + draw_batch(state, copies, card, ALL_BATCHES)


def count_known(hand: Deck, kind: int, player: int) -> int:
    """How many cards of a kind `player` knows in a hand."""
    number = 0
    for i in range(hand.count):
        number += is_of(hand.cards[i], kind) and knows_card(hand, i, player)
    return number


def write_places(state: UnoState, places: Any) -> None:
    """Puts the cards where they have been dealt."""
    for i in range(places.count):
        where = places.where[i]
        if where < 0:
            state.stock.cards[-1 - where] = places.card[i]
        else:
            state.hands[where >> 8].cards[where & 255] = places.card[i]

"""What everyone can conclude in Uno, and deals that agree with it.

Who knows which card travels with the cards. Beyond that the rules keep in the open

* how many cards of a kind, which is a colour or a symbol, a hand can hold at most (``most_of``):
  a challenge that failed, a Wild Draw Four under the strict rule, passing, and drawing under the
  rule that only who cannot play may draw, each say that a hand had no card of a kind;
* that a hand holds a card of a colour (``proved``): a bluff that was found out;
* from which shuffle the cards of a hand and of the stock can be (``lots.py``).

The first two count whole hands, because nobody sees from which end of a hand a card is played.
"""

from __future__ import annotations

from kibitz.components import Deck, knows_card
from kibitz.core.randomness import random_below
from kibitz.games.uno.cards import (
    FIRST_SYMBOL,
    KINDS,
    WILD_KIND,
    Card,
    Colour,
    colour_of,
    symbol_of,
)
from kibitz.games.uno.lots import (
    CARD,
    begin_lot,
    forget_lots,
    lot_of,
    mark_lots,
    note_drawn,
    note_gone,
    place_drawn,
    place_lots,
    swap_cards,
    unmark_lots,
)
from kibitz.games.uno.table import Phase, UnoState

TRIES = 60
"""How often another place is drawn for a card that cannot be where it was dealt."""


# --- what happens in the open -------------------------------------------------------------


def note_deal(state: UnoState) -> None:
    """A round begins: the cards have been dealt, and one is turned up."""
    forget_lots(state)
    for p in range(state.players):
        state.proved[p].values[0] = 0
        state.drawn[p].values[0] = state.hands[p].count
        for kind in range(KINDS):
            state.room[p].values[kind] = 0
            state.since[p].values[kind] = 0


def note_draw(state: UnoState, player: int, card: int) -> None:
    """A card has come to a hand: for the others it can be anything."""
    state.drawn[player].values[0] += 1
    note_drawn(state, player, card)


def note_play(state: UnoState, player: int, card: int, just_drawn: bool) -> None:
    """A card has left a hand; if it was just drawn, that is as it was before."""
    note_gone(state, player, card, just_drawn)
    if just_drawn:
        state.drawn[player].values[0] -= 1
        return
    colour = colour_of(card)
    state.room[player].values[colour] -= 1
    state.proved[player].values[0] &= ~(1 << colour)
    if card < Card.WILD:
        state.room[player].values[FIRST_SYMBOL + symbol_of(card)] -= 1


def most_of(state: UnoState, player: int, kind: int) -> int:
    """The most cards of a kind that a hand can hold."""
    return state.room[player].values[kind] + state.drawn[player].values[0]


def note_shuffle(state: UnoState) -> None:
    """The discards have become the stock."""
    begin_lot(state)
    for p in range(state.players):
        for kind in range(KINDS):
            if most_of(state, p, kind) == 0:
                state.since[p].values[kind] = state.newest.value


def note_none(state: UnoState, player: int, kind: int) -> None:
    """A hand has no card of a kind."""
    state.room[player].values[kind] = -state.drawn[player].values[0]
    state.since[player].values[kind] = state.newest.value


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
    """Whether a card, marked or not, is of a kind."""
    card &= CARD
    if kind <= WILD_KIND:
        return colour_of(card) == kind
    return card < Card.WILD and symbol_of(card) == kind - FIRST_SYMBOL


# --- dealing so that it agrees ------------------------------------------------------------


def deal_again(state: UnoState, player: int) -> None:
    """Exchanges hidden cards that cannot be where they were dealt, as far as `player` knows."""
    several = state.newest.value > 0
    if several:
        mark_lots(state, player)
        place_lots(state, player)
        if state.phase == Phase.DRAWN and state.player != player:
            place_drawn(state, player, state.hands[state.player])
    for p in range(state.players):
        if p != player:
            for kind in range(KINDS):
                if most_of(state, p, kind) < state.hands[p].count:
                    make_room(state, player, p, kind)
    if several:
        unmark_lots(state)


def make_room(state: UnoState, player: int, owner: int, kind: int) -> None:
    """Exchanges hidden cards of a kind in a hand for others, until no more are left than can be.

    Which of them go is random, as are the places they go to.
    """
    hand = state.hands[owner]
    since = state.since[owner].values[kind]
    for i in range(hand.count):
        if is_of(hand.cards[i], kind) and lot_of(hand.cards[i]) < since:
            if not knows_card(hand, i, player):
                send_away(state, player, owner, i, kind)
    excess = count_kind(hand, kind) - most_of(state, owner, kind)
    candidates = 0
    for i in range(hand.count):
        if is_of(hand.cards[i], kind) and not knows_card(hand, i, player):
            candidates += 1
    for i in range(hand.count):
        if excess > 0 and is_of(hand.cards[i], kind) and not knows_card(hand, i, player):
            if random_below(state.rng, candidates) < excess:
                send_away(state, player, owner, i, kind)
                excess -= 1
            candidates -= 1


def send_away(state: UnoState, player: int, owner: int, index: int, kind: int) -> None:
    """Exchanges a hidden card of a kind with another at a random place that both may go to."""
    places = state.stock.count
    for p in range(state.players):
        if p != owner and p != player:
            places += state.hands[p].count
    hand = state.hands[owner]
    for _ in range(TRIES if places > 0 else 0):
        at = random_below(state.rng, places)
        if at < state.stock.count:
            card = state.stock.cards[at]
            if lot_of(hand.cards[index]) == lot_of(card) and not is_of(card, kind):
                if fits(state, owner, card, index):
                    swap_cards(hand, index, state.stock, at)
                    return
        elif exchange_hands(state, player, owner, index, at - state.stock.count, kind):
            return


def exchange_hands(
    state: UnoState, player: int, owner: int, index: int, at: int, kind: int
) -> bool:
    """Exchanges a card with place `at`, counted through the hands of the others, if both may.

    Both are of the same lot, so that no hand gets more of one than it has drawn.
    """
    mine = state.hands[owner]
    for p in range(state.players):
        if p != owner and p != player:
            hand = state.hands[p]
            if at < hand.count:
                card = hand.cards[at]
                if knows_card(hand, at, player) or is_of(card, kind):
                    return False
                if lot_of(card) != lot_of(mine.cards[index]):
                    return False
                if fits(state, owner, card, index) and fits(state, p, mine.cards[index], at):
                    swap_cards(mine, index, hand, at)
                    return True
                return False
            at -= hand.count
    return False


def fits(state: UnoState, owner: int, card: int, index: int) -> bool:
    """Whether a hand can hold `card` in place of the one at `index`."""
    plain = card & CARD
    if not has_room(state, owner, card, colour_of(plain), index):
        return False
    symbol = FIRST_SYMBOL + symbol_of(plain)
    return plain >= Card.WILD or has_room(state, owner, card, symbol, index)


def has_room(state: UnoState, owner: int, card: int, kind: int, index: int) -> bool:
    """Whether a hand can hold a card, which is of that kind, if the one at `index` goes."""
    hand = state.hands[owner]
    if lot_of(card) < state.since[owner].values[kind]:
        return False
    most = most_of(state, owner, kind)
    if most >= hand.count or is_of(hand.cards[index], kind):
        return True
    return count_kind(hand, kind) < most

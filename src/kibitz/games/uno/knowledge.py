"""What everyone can conclude in Uno, and deals that agree with it.

Who knows which card travels with the cards. Beyond that the rules keep in the open

* how many cards of a colour a hand can hold at most (``room``): a challenge that failed, a Wild
  Draw Four under the strict rule, and a card drawn under the rule that only who cannot play may
  draw, each say that a hand had no card of a colour;
* that a hand holds a card of a colour (``proved``): a bluff that was found out;
* which cards can be in the stock (``fresh``): those that were shuffled into it, which all have
  seen, less those drawn and played at once.

The first two count whole hands, because nobody sees from which end of a hand a card is played.
"""

from __future__ import annotations

from kibitz.components import Deck, knows_card
from kibitz.core.randomness import random_below
from kibitz.games.uno.cards import Colour, colour_of
from kibitz.games.uno.table import UnoState

KINDS = 5
"""Four colours, and wild cards."""
OLD = 64
"""Added to a card while it is marked as one that has been in a hand since the last shuffle."""
ONE_LEFT = 1 << 8
ONE_OLD = 1 << 16
"""While cards are marked, ``fresh`` counts in its higher bytes what is still to be gone through:
copies hidden from the observer, and how many of them are old."""
TRIES = 60
"""How often another place is drawn for a card that cannot be where it was dealt."""


# --- what happens in the open -------------------------------------------------------------


def note_deal(state: UnoState, cards: int) -> None:
    """A round begins with so many cards in each hand."""
    state.reshuffled.value = 0
    for card in range(len(state.fresh.values)):
        state.fresh.values[card] = 0
    for p in range(state.players):
        state.proved[p].values[0] = 0
        for kind in range(KINDS):
            state.room[p].values[kind] = cards


def note_draw(state: UnoState, player: int) -> None:
    """A card has come to a hand: it can be anything."""
    for kind in range(KINDS):
        state.room[player].values[kind] += 1


def note_play(state: UnoState, player: int, card: int, just_drawn: bool) -> None:
    """A card has left a hand."""
    colour = colour_of(card)
    state.room[player].values[colour] -= 1
    state.proved[player].values[0] &= ~(1 << colour)
    if just_drawn and state.fresh.values[card] > 0:
        state.fresh.values[card] -= 1


def note_none(state: UnoState, player: int, kind: int) -> None:
    """A hand has no card of a colour, or no wild card."""
    state.room[player].values[kind] = 0


def note_some(state: UnoState, player: int, colour: int) -> None:
    """A hand has a card of a colour."""
    state.proved[player].values[0] |= 1 << colour


def note_shuffle(state: UnoState) -> None:
    """The discards have become the stock."""
    state.reshuffled.value = 1
    for card in range(len(state.fresh.values)):
        state.fresh.values[card] = 0
    for i in range(state.stock.count):
        state.fresh.values[state.stock.cards[i]] += 1


# --- whether a deal agrees with it --------------------------------------------------------


def agrees(state: UnoState, player: int) -> bool:
    """Whether the hands of all but `player` are what everyone can conclude about them."""
    for p in range(state.players):
        if p != player and state.seat[p].out == 0:
            for kind in range(KINDS):
                if state.room[p].values[kind] < state.hands[p].count:
                    if count_kind(state.hands[p], kind) > state.room[p].values[kind]:
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
    """How many cards of a colour, or wild cards, a hand holds."""
    number = 0
    for i in range(hand.count):
        if kind_of(hand.cards[i]) == kind:
            number += 1
    return number


def kind_of(card: int) -> int:
    """The colour of a card, marked or not."""
    return colour_of(card & ~OLD)


# --- dealing so that it agrees ------------------------------------------------------------


def deal_again(state: UnoState, player: int) -> None:
    """Exchanges hidden cards that cannot be where they were dealt, as far as `player` knows."""
    marked = state.reshuffled.value == 1
    if marked:
        count_hidden(state, player)
        mark_old(state, player)
        return_old(state, player)
    for p in range(state.players):
        if p != player:
            for kind in range(KINDS):
                if state.room[p].values[kind] < state.hands[p].count:
                    make_room(state, player, p, kind)
    if marked:
        for p in range(state.players):
            unmark(state.hands[p])
        unmark(state.stock)


def count_hidden(state: UnoState, player: int) -> None:
    """Counts, beside ``fresh``, the copies of each card hidden from `player`, and the old ones.

    What cannot be in the stock any more is in a hand: these copies are old.
    """
    fresh = state.fresh.values
    for i in range(state.stock.count):
        fresh[state.stock.cards[i]] += ONE_LEFT
    for p in range(state.players):
        hand = state.hands[p]
        for i in range(hand.count):
            if not knows_card(hand, i, player):
                fresh[hand.cards[i]] += ONE_LEFT
    for card in range(len(fresh)):
        old = fresh[card] // ONE_LEFT - fresh[card] % ONE_LEFT
        if old > 0:
            fresh[card] += old * ONE_OLD


def mark_old(state: UnoState, player: int) -> None:
    """Marks as many copies of each card as are old, each choice of them with the same chance."""
    for p in range(state.players):
        mark_deck(state, state.hands[p], player)
    mark_deck(state, state.stock, player)


def mark_deck(state: UnoState, deck: Deck, player: int) -> None:
    """Goes through the hidden cards of a deck, and marks the old ones."""
    fresh = state.fresh.values
    for i in range(deck.count):
        if not knows_card(deck, i, player):
            card = deck.cards[i]
            old = fresh[card] // ONE_OLD
            if old > 0 and random_below(state.rng, fresh[card] % ONE_OLD // ONE_LEFT) < old:
                deck.cards[i] = card + OLD
                fresh[card] -= ONE_OLD
            fresh[card] -= ONE_LEFT


def return_old(state: UnoState, player: int) -> None:
    """Exchanges the old cards in the stock for hidden ones in hands that are not old."""
    misplaced = 0
    for i in range(state.stock.count):
        if state.stock.cards[i] >= OLD:
            misplaced += 1
    candidates = 0
    for p in range(state.players):
        for i in range(state.hands[p].count):
            if is_hidden_fresh(state.hands[p], i, player):
                candidates += 1
    at = 0
    for p in range(state.players):
        hand = state.hands[p]
        for i in range(hand.count):
            if misplaced > 0 and is_hidden_fresh(hand, i, player):
                if random_below(state.rng, candidates) < misplaced:
                    while state.stock.cards[at] < OLD:
                        at += 1
                    swap_cards(hand, i, state.stock, at)
                    misplaced -= 1
                candidates -= 1


def is_hidden_fresh(hand: Deck, index: int, player: int) -> bool:
    """Whether a card in a hand is hidden from `player` and not marked as old."""
    return hand.cards[index] < OLD and not knows_card(hand, index, player)


def make_room(state: UnoState, player: int, owner: int, kind: int) -> None:
    """Exchanges hidden cards of a kind in a hand for others, until no more are left than can be.

    Which of them go is random, as are the places they go to.
    """
    hand = state.hands[owner]
    excess = count_kind(hand, kind) - state.room[owner].values[kind]
    candidates = 0
    for i in range(hand.count):
        if kind_of(hand.cards[i]) == kind and not knows_card(hand, i, player):
            candidates += 1
    for i in range(hand.count):
        if excess > 0 and kind_of(hand.cards[i]) == kind and not knows_card(hand, i, player):
            if random_below(state.rng, candidates) < excess:
                send_away(state, player, owner, i)
                excess -= 1
            candidates -= 1


def send_away(state: UnoState, player: int, owner: int, index: int) -> None:
    """Exchanges a hidden card with one at a random place that both may go to."""
    places = state.stock.count
    for p in range(state.players):
        if p != owner and p != player:
            places += state.hands[p].count
    for _ in range(TRIES if places > 0 else 0):
        at = random_below(state.rng, places)
        if at < state.stock.count:
            old = state.hands[owner].cards[index] >= OLD
            if not old and welcome(state, owner, state.stock.cards[at], index):
                swap_cards(state.hands[owner], index, state.stock, at)
                return
        elif exchange_hands(state, player, owner, index, at - state.stock.count):
            return


def exchange_hands(state: UnoState, player: int, owner: int, index: int, at: int) -> bool:
    """Exchanges a card with place `at`, counted through the hands of the others, if both may."""
    for p in range(state.players):
        if p != owner and p != player:
            hand = state.hands[p]
            if at < hand.count:
                if knows_card(hand, at, player) or not welcome(
                    state, owner, hand.cards[at], index
                ):
                    return False
                kind = kind_of(state.hands[owner].cards[index])
                if state.room[p].values[kind] < hand.count:
                    return False
                swap_cards(state.hands[owner], index, hand, at)
                return True
            at -= hand.count
    return False


def welcome(state: UnoState, owner: int, card: int, index: int) -> bool:
    """Whether a hand can hold `card` in place of the one at `index`."""
    hand = state.hands[owner]
    kind = kind_of(card)
    if kind == kind_of(hand.cards[index]):
        return False
    room = state.room[owner].values[kind]
    return room >= hand.count or count_kind(hand, kind) < room


def swap_cards(a: Deck, i: int, b: Deck, j: int) -> None:
    """Exchanges two cards; who knows what lies in the two places stays as it is."""
    card = a.cards[i]
    a.cards[i] = b.cards[j]
    b.cards[j] = card


def unmark(deck: Deck) -> None:
    """Takes all marks away."""
    for i in range(deck.count):
        deck.cards[i] &= ~OLD

"""What everyone can conclude in Uno, and deals that agree with it.

Who knows which card travels with the cards. Beyond that the rules keep in the open

* how many cards of a kind, which is a colour or a symbol, a hand can hold at most (``most_of``):
  a challenge that failed, a Wild Draw Four under the strict rule, passing, and drawing under the
  rule that only who cannot play may draw, each say that a hand had no card of a kind;
* that a hand holds a card of a colour (``proved``): a bluff that was found out;
* which cards can be in the stock (``fresh``): those that were shuffled into it, which all have
  seen, less those drawn and played at once; and how many of them a hand can hold (``most_fresh``),
  since all others have been in a hand before: they are *old*.

The first two count whole hands, because nobody sees from which end of a hand a card is played.
Of a card that was not played at once it is not known whether it was old; so it counts as either.
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
from kibitz.games.uno.table import UnoState

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
        state.drawn[p].values[0] = cards
        for kind in range(KINDS):
            state.room[p].values[kind] = 0


def note_draw(state: UnoState, player: int) -> None:
    """A card has come to a hand: it can be anything."""
    state.drawn[player].values[0] += 1


def note_play(state: UnoState, player: int, card: int, just_drawn: bool) -> None:
    """A card has left a hand; if it was just drawn, that is as it was before."""
    if just_drawn:
        state.drawn[player].values[0] -= 1
        if state.fresh.values[card] > 0:
            state.fresh.values[card] -= 1
        return
    colour = colour_of(card)
    state.room[player].values[colour] -= 1
    state.proved[player].values[0] &= ~(1 << colour)
    if card < Card.WILD:
        state.room[player].values[FIRST_SYMBOL + symbol_of(card)] -= 1


def most_of(state: UnoState, player: int, kind: int) -> int:
    """The most cards of a kind that a hand can hold."""
    return state.room[player].values[kind] + state.drawn[player].values[0]


def most_fresh(state: UnoState, player: int) -> int:
    """The most cards that a hand can hold of those last shuffled into the stock."""
    return state.drawn[player].values[0] - state.drawn[player].values[1]


def note_none(state: UnoState, player: int, kind: int) -> None:
    """A hand has no card of a kind."""
    state.room[player].values[kind] = -state.drawn[player].values[0]


def note_other(state: UnoState, player: int, kind: int) -> None:
    """The card that a hand has just drawn is not of a kind."""
    state.room[player].values[kind] -= 1


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
    for p in range(state.players):
        state.drawn[p].values[1] = state.drawn[p].values[0]


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
    card &= ~OLD
    if kind <= WILD_KIND:
        return colour_of(card) == kind
    return card < Card.WILD and symbol_of(card) == kind - FIRST_SYMBOL


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
                spread_fresh(state, player, p)
    for p in range(state.players):
        if p != player:
            for kind in range(KINDS):
                if most_of(state, p, kind) < state.hands[p].count:
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


def spread_fresh(state: UnoState, player: int, owner: int) -> None:
    """Exchanges hidden fresh cards that a hand cannot have drawn for old ones of other hands."""
    excess = count_fresh(state.hands[owner], player) - most_fresh(state, owner)
    for p in range(state.players):
        if p != player and p != owner:
            room = most_fresh(state, p) - count_fresh(state.hands[p], player)
            number = min(excess, room)
            exchanged = exchange_fresh(state, player, owner, p, number) if number > 0 else 0
            excess -= exchanged


def count_fresh(hand: Deck, player: int) -> int:
    """How many cards of a hand are hidden from `player` and fresh."""
    number = 0
    for i in range(hand.count):
        if is_hidden_fresh(hand, i, player):
            number += 1
    return number


def exchange_fresh(state: UnoState, player: int, owner: int, other: int, number: int) -> int:
    """Exchanges so many fresh cards of `owner` for old ones of `other`; returns how many."""
    mine, theirs = state.hands[owner], state.hands[other]
    done = 0
    at = 0
    for i in range(theirs.count):
        if done < number and theirs.cards[i] >= OLD and not knows_card(theirs, i, player):
            while not is_hidden_fresh(mine, at, player):
                at += 1
            swap_cards(mine, at, theirs, i)
            done += 1
    return done


def make_room(state: UnoState, player: int, owner: int, kind: int) -> None:
    """Exchanges hidden cards of a kind in a hand for others, until no more are left than can be.

    Which of them go is random, as are the places they go to.
    """
    hand = state.hands[owner]
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
            if hand.cards[index] < OLD and not is_of(card, kind):
                if fits(state, owner, card, index):
                    swap_cards(hand, index, state.stock, at)
                    return
        elif exchange_hands(state, player, owner, index, at - state.stock.count, kind):
            return


def exchange_hands(
    state: UnoState, player: int, owner: int, index: int, at: int, kind: int
) -> bool:
    """Exchanges a card with place `at`, counted through the hands of the others, if both may.

    An old card goes for an old one, so that no hand gets more fresh ones than it has drawn.
    """
    mine = state.hands[owner]
    for p in range(state.players):
        if p != owner and p != player:
            hand = state.hands[p]
            if at < hand.count:
                card = hand.cards[at]
                if knows_card(hand, at, player) or is_of(card, kind):
                    return False
                if (card >= OLD) != (mine.cards[index] >= OLD):
                    return False
                if fits(state, owner, card, index) and fits(state, p, mine.cards[index], at):
                    swap_cards(mine, index, hand, at)
                    return True
                return False
            at -= hand.count
    return False


def fits(state: UnoState, owner: int, card: int, index: int) -> bool:
    """Whether a hand can hold `card` in place of the one at `index`."""
    plain = card & ~OLD
    if not has_room(state, owner, colour_of(plain), index):
        return False
    return plain >= Card.WILD or has_room(state, owner, FIRST_SYMBOL + symbol_of(plain), index)


def has_room(state: UnoState, owner: int, kind: int, index: int) -> bool:
    """Whether a hand can hold one more of a kind, if the card at `index` goes."""
    hand = state.hands[owner]
    most = most_of(state, owner, kind)
    if most >= hand.count or is_of(hand.cards[index], kind):
        return True
    return count_kind(hand, kind) < most


def swap_cards(a: Deck, i: int, b: Deck, j: int) -> None:
    """Exchanges two cards; who knows what lies in the two places stays as it is."""
    card = a.cards[i]
    a.cards[i] = b.cards[j]
    b.cards[j] = card


def unmark(deck: Deck) -> None:
    """Takes all marks away."""
    for i in range(deck.count):
        deck.cards[i] &= ~OLD

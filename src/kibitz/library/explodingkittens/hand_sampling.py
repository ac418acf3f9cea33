"""Deals of the cards besides kittens that agree with what a player knows.

Three kinds of knowledge restrict them: the maximum number of cards of a title in a hand
(``limits.py``), the hands that may hold a card that all have seen (``locations.py``), and the
cards of the deck that the player has seen. A limit grows with each card that comes to a hand, so
it is the number of cards there that may have the title. Which of the hidden cards of the hand
these are is drawn at random.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.components import Deck, find_card, knows_card
from kibitz.components.deals import STOCK, choose_place, deal_again, limit_class
from kibitz.core.dealing import MOST_EXACT, add_place
from kibitz.core.layout import EVERYONE
from kibitz.core.memory import stack_record
from kibitz.core.randomness import random_below
from kibitz.library.explodingkittens.cards import TITLES
from kibitz.library.explodingkittens.deck import cards_in_peek, has_seen
from kibitz.library.explodingkittens.limits import UNLIMITED, is_unlimited, limit_of
from kibitz.library.explodingkittens.locations import count_holders, rows_used
from kibitz.library.explodingkittens.pile import MOST_SEEN
from kibitz.library.explodingkittens.table import ROW, KittensState

ALL_TITLES = (1 << TITLES) - 1
HANDS = 5
"""The maximum number of players."""
RANGES = np.dtype(
    [
        ("first", np.int64, (HANDS,)),  # the first place of each hand without a tracked card
        ("end", np.int64, (HANDS,)),  # the end of the places of each hand
        ("tracked", np.int64, (HANDS,)),  # a bit for each known card of a hand that is tracked
    ]
)


def resample_cards(state: KittensState, player: int) -> None:
    """Deals the hidden cards consistently with what `player` knows."""
    if not is_possible(state, player):
        deal_again(state, player, state.deck, gather_places)


def is_possible(state: KittensState, player: int) -> bool:
    """Whether the engine's deal can be kept as a sample.

    If more is known than limits of hands, or the pack is small, the cards are dealt again in any
    case. Limits are tested on the deal itself, which passes with the probability that the limited
    cards are where they may be: if every deal with a limited card in the hand were dealt again,
    such cards would be too rare.
    """
    if rows_used(state) > 0 or state.deck.count <= MOST_EXACT:
        return False
    for i in range(state.peeks.count):
        if has_seen(state, i, player):
            return False
    for p in range(state.players):
        if p != player and not is_unlimited(state, p):
            for card in range(TITLES):
                if not is_within_limit(state, player, p, card):
                    return False
    return True


def is_within_limit(state: KittensState, player: int, holder: int, card: int) -> bool:
    """Draws whether all hidden copies of a card lie among the cards that the limit allows.

    A limit counts the cards of the hand that may be copies (see ``gather_places``).
    """
    limit = limit_of(state, holder, card)
    if limit == UNLIMITED:
        return True
    hand = state.hands[holder]
    hidden = copies = 0
    for i in range(hand.count):
        if not knows_card(hand, i, player):
            hidden += 1
            copies += hand.cards[i] == card
        elif hand.cards[i] == card:
            limit -= 1
    for _ in range(copies):
        if limit < hidden and (limit <= 0 or random_below(state.rng, hidden) >= limit):
            return False
        limit -= 1
        hidden -= 1
    return True


def gather_places(state: KittensState, player: int, places: Any) -> None:
    """Gathers all places that are hidden from `player`, with the cards that they cannot hold."""
    ranges = stack_record(RANGES)
    for p in range(state.players):
        ranges.first[p] = places.count
        if p != player:
            add_hidden(state.hands[p], p, player, places)
        ranges.end[p] = places.count
        ranges.tracked[p] = 0
    deck = places.count
    add_hidden(state.deck, STOCK, player, places)
    for peek in range(state.peeks.count):
        if has_seen(state, peek, player):
            bar_seen(state, peek, places, deck)
    place_tracked(state, player, places, ranges)
    for p in range(state.players):
        if p != player and not is_unlimited(state, p):
            for card in range(TITLES):
                limit = limit_of(state, p, card)
                if limit < UNLIMITED:
                    hand = state.hands[p]
                    for i in range(hand.count):
                        known = hand.cards[i] == card and knows_card(hand, i, player)
                        limit -= known and ranges.tracked[p] >> i & 1 == 0
                    limit_class(
                        places, state.rng, ranges.first[p], ranges.end[p], 1 << card, limit
                    )


def add_hidden(deck: Deck, owner: int, player: int, places: Any) -> None:
    """Adds the places of a hand, or of the deck, that a player does not know."""
    for i in range(deck.count):
        if not knows_card(deck, i, player):
            add_place(places, owner << 8 | i, deck.cards[i], 1 << deck.cards[i], 0)


def bar_seen(state: KittensState, peek: int, places: Any, deck: int) -> None:
    """Restricts the places of the deck, from number `deck` on, to the cards seen in a peek."""
    place = deck + state.deck.count
    for d in range(cards_in_peek(state, peek)):
        card = state.peeks.cards[peek * MOST_SEEN + d]
        if card < TITLES:
            place -= 1
            places.barred[place] = ALL_TITLES & ~(1 << card)


# --- tracked cards ------------------------------------------------------------------------


def place_tracked(state: KittensState, player: int, places: Any, ranges: Any) -> None:
    """Finds each tracked card among the cards that the player knows, or draws its place.

    Cards that the player may have come first, since the player has seen where they went; among
    these, cards that can be in the fewest hands.
    """
    values = state.locations.values
    known_rows = 0
    for order in range(2 * state.players):
        for row in range(rows_used(state)):
            first = row * ROW
            seen_go = values[first + 1 + player] > 0
            late = count_holders(state, first) - 1 + (0 if seen_go else state.players)
            if values[first] > 0 and late == order and find_known(state, player, first, ranges):
                known_rows |= 1 << row
    for row in range(rows_used(state)):
        card = values[row * ROW] - 1
        if card >= 0 and known_rows >> row & 1 == 0:
            holder = draw_holder(state, player, row * ROW, ranges)
            if holder >= 0 and holder != player:
                at = ranges.first[holder]
                choose_place(places, state.rng, at, ranges.end[holder])
                places.barred[at] = ALL_TITLES & ~(1 << card)
                ranges.first[holder] = at + 1


def find_known(state: KittensState, player: int, first: int, ranges: Any) -> bool:
    """Finds a tracked card that the player knows in a hand; returns whether there is one.

    The player saw cards that came from or went to their own hand. In that hand, which comes last,
    the card is one that another player knows.
    """
    values = state.locations.values
    for step in range(1, state.players + 1):
        p = (player + step) % state.players
        if values[first + 1 + p] > 0:
            hand = state.hands[p]
            others = EVERYONE & ~(1 << p)
            for i in range(hand.count):
                if hand.cards[i] == values[first] - 1 and hand.seen[i] != EVERYONE:
                    new = ranges.tracked[p] >> i & 1 == 0
                    if new and knows_card(hand, i, player) and hand.seen[i] & others != 0:
                        ranges.tracked[p] |= 1 << i
                        return True
    return False


def draw_holder(state: KittensState, player: int, first: int, ranges: Any) -> int:
    """Draws the hand that holds a tracked card; the player's own only if such a card is in it.

    Returns -1 if no hand can hold it.
    """
    values = state.locations.values
    holder, total = -1, 0
    for p in range(state.players):
        able = ranges.first[p] < ranges.end[p]
        if p == player:
            able = find_card(state.hands[p], values[first] - 1) >= 0
        share = values[first + 1 + p] if able else 0
        total += share
        if share > 0 and random_below(state.rng, total) < share:
            holder = p
    return holder

"""Moves of cards to and from hands, and what others know about them.

The set of players who know a card moves with it. Two cases need more:

* if a hand has several copies of a card and one is played, other players cannot tell which one it
  was; so players who knew of a copy are no longer certain of one;
* a card that a player gets from another in secret may be any card; so third players who knew cards
  of that hand are no longer certain of them, unless it was the only one. ``locations.py`` keeps
  where such cards may be that all players had seen.

Asking in vain with three of a kind shows that a hand has no copy of a card. From then on it can
have at most as many copies as cards have come to it: see ``limits.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kibitz.components import (
    Deck,
    cards_in,
    count_card,
    find_card,
    move_copy,
    place_card,
)
from kibitz.core.layout import EVERYONE
from kibitz.core.trace import Operation, note
from kibitz.library.explodingkittens.cards import TITLES, Card
from kibitz.library.explodingkittens.copies import (
    count_not_public,
    known_copy,
    most_known,
)
from kibitz.library.explodingkittens.limits import (
    UNLIMITED,
    is_unlimited,
    limit_of,
    note_gained_from,
    note_gained_openly,
    note_left,
    set_limit,
)
from kibitz.library.explodingkittens.locations import (
    count_tracked,
    deduce_holders,
    note_not_there,
    note_passed,
    note_turned_up,
)
from kibitz.library.explodingkittens.phases import Phase

if TYPE_CHECKING:
    from kibitz.library.explodingkittens.table import KittensState


# --- moving cards -------------------------------------------------------------------------


def discard(state: KittensState, player: int, card: int) -> None:
    """Moves a card that a player plays from the hand to the discard pile."""
    move_most_known(state, player, card, state.discards)
    note_left(state, player, card)


def move_most_known(state: KittensState, player: int, card: int, target: Deck) -> None:
    """Moves a card out of a hand openly; of several copies the one that most players know."""
    hand = state.hands[player]
    index = most_known(hand, player, card)
    if hand.seen[index] != EVERYONE:
        note_turned_up(state, player, card, count_not_public(hand))
    move_out(state, hand, index, target, EVERYONE)


def move_out(state: KittensState, hand: Deck, index: int, target: Deck, known_to: int) -> None:
    """Moves a card out of a hand; its last card takes the place, since hands have no order."""
    card = hand.cards[index]
    note(Operation.TAKE, hand, card, 0, 0)
    last = hand.count - 1
    hand.cards[index] = hand.cards[last]
    hand.seen[index] = hand.seen[last]
    hand.cards[last] = 0
    hand.seen[last] = 0
    hand.count = last
    place_card(state, target, card, known_to)


def hand_over(state: KittensState, giver: int, index: int, taker: int) -> None:
    """Moves a card from one hand to another; only the two players see it."""
    hand = state.hands[giver]
    both = 1 << giver | 1 << taker
    index = known_copy(hand, index, taker)
    moves_openly = hand.count == 1 and hand.seen[index] == EVERYONE
    if state.players > 2:
        note_passed(state, giver, taker)
    if hand.count > 1:
        for i in range(hand.count):
            hand.seen[i] &= both
    hand.seen[index] |= both
    card = hand.cards[index]
    move_out(state, hand, index, state.hands[taker], hand.seen[index])
    if state.players == 2 or moves_openly:  # it is hidden from nobody
        note_left(state, giver, card)
        note_gained_openly(state, taker, card)
    else:
        note_gained_from(state, giver, taker)
        deduce_holders(state)


def show_and_hand_over(state: KittensState, giver: int, card: int, taker: int) -> None:
    """Moves a card that was named from one hand to another; all players see it."""
    move_most_known(state, giver, card, state.hands[taker])
    note_left(state, giver, card)
    note_gained_openly(state, taker, card)


def take_discarded(state: KittensState, player: int, card: int) -> None:
    """Moves a card from the discard pile to a player's hand."""
    move_copy(state, state.discards, card, state.hands[player])
    note_gained_openly(state, player, card)


def bits(mask: int) -> int:
    """The number of bits that are set."""
    number = 0
    while mask > 0:
        mask &= mask - 1
        number += 1
    return number


def note_defuse(state: KittensState, player: int) -> None:
    """Makes public whether the hand of an exploding player has an unused Defuse."""
    hand = state.hands[player]
    if find_card(hand, Card.DEFUSE) >= 0:
        index = most_known(hand, player, Card.DEFUSE)
        if hand.seen[index] != EVERYONE:
            note_turned_up(state, player, Card.DEFUSE, count_not_public(hand))
            hand.seen[index] = EVERYONE
    else:
        note_none(state, player, Card.DEFUSE)


# --- what everyone can conclude -----------------------------------------------------------


def note_none(state: KittensState, player: int, card: int) -> None:
    """Notes that a hand, as all players know, has no copy of a card."""
    set_limit(state, player, card, 0)
    note_not_there(state, player, card)


def agrees(state: KittensState, params: Any, player: int) -> bool:
    """Whether the hands of all players but `player` agree with the public deductions."""
    if state.player != player and not can_go_on(state, params):
        return False
    for p in range(state.players):
        if p != player and not is_unlimited(state, p):
            for card in range(TITLES):
                limit = limit_of(state, p, card)
                if limit < UNLIMITED:
                    if count_card(state.hands[p], card) > limit + count_tracked(state, p, card):
                        return False
    return True


def can_go_on(state: KittensState, params: Any) -> bool:
    """Whether the player to move has the cards that the phase implies."""
    hand = state.hands[state.player]
    if state.phase == Phase.DEFUSE:
        return find_card(hand, Card.DEFUSE) >= 0
    if state.phase == Phase.FIVE_DIFFERENT:
        chosen = state.chosen.values[0]
        return bits(cards_in(hand) & ~chosen) + bits(chosen) >= 5
    if state.phase == Phase.NOPE and params.ask_holders_only:
        return find_card(hand, Card.NOPE) >= 0
    return True

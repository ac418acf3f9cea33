"""Rounds of Uno: dealing, scoring, and the end of the game."""

from __future__ import annotations

from typing import Any

from kibitz.components import (
    Deck,
    clear_deck,
    draw_card,
    eliminate,
    end_round,
    end_turn,
    next_player,
    players_left,
    reverse_order,
    show_deck,
    shuffle_deck,
    start_round,
)
from kibitz.core.results import finish_by_place, finish_by_score
from kibitz.core.trace import announce
from kibitz.library.uno.cards import Card, CardSymbol, Colour, colour_of, symbol_of
from kibitz.library.uno.deductions import note_deal
from kibitz.library.uno.phases import Phase
from kibitz.library.uno.play import announce_direction, begin_turn, draw_cards
from kibitz.library.uno.table import Say, Scoring, UnoState

# --- dealing ------------------------------------------------------------------------------


def deal_round(state: UnoState, params: Any, first: int) -> None:
    """Shuffles all cards, deals, turns one up; `first` sits next to the dealer."""
    clear_deck(state.pile)
    clear_deck(state.stock)
    put_all_cards(state, params)
    shuffle_deck(state, state.stock)
    for p in range(state.players):
        clear_deck(state.hands[p])
        if state.seat[p].out == 0:
            for _ in range(params.cards_each):
                draw_card(state, state.stock, state.hands[p])
    state.direction = 1
    state.skip = 0
    state.passes.value = 0
    start_round(state, first)
    turn_up(state, params)
    note_deal(state)
    begin_round(state)


def put_all_cards(state: UnoState, params: Any) -> None:
    """Puts the whole pack into the empty stock, whose capacity is large enough."""
    at = 0
    for card in range(Card.WILD):
        for _ in range(copies_of(params, symbol_of(card))):
            state.stock.cards[at] = card
            at += 1
    for _ in range(params.wilds):
        state.stock.cards[at] = Card.WILD
        at += 1
    for _ in range(params.wild_draw_fours):
        state.stock.cards[at] = Card.WILD_DRAW_FOUR
        at += 1
    state.stock.count = at


def copies_of(params: Any, symbol: int) -> int:
    """The number of cards with a symbol in each colour."""
    if symbol == CardSymbol.SKIP:
        return params.skips
    if symbol == CardSymbol.REVERSE:
        return params.reverses
    if symbol == CardSymbol.DRAW_TWO:
        return params.draw_twos
    if symbol == 0:
        return params.zeros
    return params.copies if symbol < params.numbers else 0


def turn_up(state: UnoState, params: Any) -> None:
    """Turns up the first card; before that the stock is shuffled until the top may be first."""
    if any_can_start(state, params):
        while not can_start(params, state.stock.cards[state.stock.count - 1]):
            shuffle_deck(state, state.stock)
    card = draw_card(state, state.stock, state.pile)
    state.colour.value = colour_of(card)
    state.matched.value = Colour.NONE


def can_start(params: Any, card: int) -> bool:
    """Whether a card may be the first one."""
    return card < Card.WILD or (card == Card.WILD and params.wild_start == 1)


def any_can_start(state: UnoState, params: Any) -> bool:
    """Whether there is a card in the stock that may be the first one."""
    for i in range(state.stock.count):
        if can_start(params, state.stock.cards[i]):
            return True
    return False


def begin_round(state: UnoState) -> None:
    """Carries out the effect of the first card, and begins the first turn."""
    begin_turn(state)
    if state.pile.cards[0] >= Card.WILD:
        state.phase = Phase.COLOUR
    else:
        play_first_card(state, symbol_of(state.pile.cards[0]))
    state.began.values[0] = state.turn


def play_first_card(state: UnoState, symbol: int) -> None:
    """Makes the first card act on the first player; after a Reverse the dealer begins."""
    if symbol == CardSymbol.DRAW_TWO:
        draw_cards(state, state.player, 2)
    elif symbol == CardSymbol.REVERSE:
        reverse_order(state)
        announce_direction(state)
    if symbol >= CardSymbol.SKIP:
        announce(Say.MISS, state.player)
        end_turn(state)
        begin_turn(state)


# --- scoring ------------------------------------------------------------------------------


def points_of(params: Any, card: int) -> int:
    """The points of a card left in a hand."""
    if card == Card.WILD:
        return params.points_wild
    if card == Card.WILD_DRAW_FOUR:
        return params.points_wild_draw_four
    symbol = symbol_of(card)
    if symbol == CardSymbol.SKIP:
        return params.points_skip
    if symbol == CardSymbol.REVERSE:
        return params.points_reverse
    return params.points_draw_two if symbol == CardSymbol.DRAW_TWO else symbol


def hand_points(params: Any, hand: Deck) -> int:
    """The total points of a hand."""
    total = 0
    for i in range(hand.count):
        total += points_of(params, hand.cards[i])
    return total


def finish_round(state: UnoState, params: Any) -> None:
    """Scores the round, and ends the game or deals the next round."""
    end_round(state)
    if params.scoring == Scoring.WINNER or params.scoring == Scoring.ALL:
        score_others(state, params)
    else:
        score_own(state, params)
    if is_over(state, params):
        show_hands(state)
        if params.scoring == Scoring.KNOCK_OUT:
            finish_knock_out(state)
        else:
            finish_by_score(state)
        return
    state.direction = 1
    deal_round(state, params, next_player(state, state.first_player))


def score_others(state: UnoState, params: Any) -> None:
    """Scores the cards of all others for the winner of the round, or for every player."""
    winner = round_winner(state, params)
    announce(Say.WIN, winner)
    total = 0
    for p in range(state.players):
        total += hand_points(params, state.hands[p])
    for p in range(state.players):
        if p == winner or params.scoring == Scoring.ALL:
            state.seat[p].score += total - hand_points(params, state.hands[p])


def score_own(state: UnoState, params: Any) -> None:
    """Counts each player's own cards against them; at the target they may be knocked out."""
    for p in range(state.players):
        if state.seat[p].out == 0:
            state.seat[p].score -= hand_points(params, state.hands[p])
            if params.scoring == Scoring.KNOCK_OUT and -state.seat[p].score >= params.target:
                eliminate(state, p)
                state.knocked_out[p].value = state.round


def round_winner(state: UnoState, params: Any) -> int:
    """The player with the fewest cards, then the fewest points, then the first in turn order."""
    best = state.first_player
    for step in range(1, state.players):
        p = (state.first_player + step) % state.players
        if state.seat[p].out == 0:
            less = state.hands[p].count - state.hands[best].count
            if less == 0:
                less = hand_points(params, state.hands[p])
                less -= hand_points(params, state.hands[best])
            if less < 0:
                best = p
    return best


def is_over(state: UnoState, params: Any) -> bool:
    """Whether the game is over after this round."""
    if params.scoring == Scoring.KNOCK_OUT:
        return players_left(state) < 2
    for p in range(state.players):
        if abs(state.seat[p].score) >= params.target:
            return True
    return False


def show_hands(state: UnoState) -> None:
    """Shows all hands, which were scored, to all players."""
    for p in range(state.players):
        for observer in range(state.players):
            show_deck(state.hands[p], observer)


def finish_knock_out(state: UnoState) -> None:
    """Ends the game: players rank by the round of their knock-out, then by fewer points."""
    for p in range(state.players):
        better = 0
        for q in range(state.players):
            if outlasted(state, q, p):
                better += 1
        state.seat[p].place = 1 + better
    finish_by_place(state)


def outlasted(state: UnoState, a: int, b: int) -> bool:
    """Whether player `a` ranks before player `b` in a knock-out game."""
    if state.seat[a].out != state.seat[b].out:
        return state.seat[a].out == 0
    if state.knocked_out[a].value != state.knocked_out[b].value:
        return state.knocked_out[a].value > state.knocked_out[b].value
    return state.seat[a].score > state.seat[b].score

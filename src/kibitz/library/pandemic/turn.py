"""The stages of a turn, from one decision to the next."""

from __future__ import annotations

from typing import Any

from kibitz.authoring import Status, announce, draw_card, end_turn, interrupt, lose_together
from kibitz.library.pandemic.events import ask_for_events
from kibitz.library.pandemic.infection import begin_epidemic, infect_next, intensify, rate
from kibitz.library.pandemic.table import Ending, PandemicState, Phase, Say, Stage
from kibitz.library.pandemic.world import EPIDEMIC


def proceed(state: PandemicState, params: Any) -> None:
    """Carries out stages until a player has to decide, or the game is over.

    Between two stages players first discard from full hands, then may play events.
    """
    while state.status == Status.PLAYING and state.stack.depth == 0:
        if ask_to_discard(state, params) or ask_for_events(state, params):
            return
        if state.stage.value == Stage.ACTIONS:
            return
        state.asked.value = 0
        carry_out_stage(state, params)


def ask_to_discard(state: PandemicState, params: Any) -> bool:
    """Asks a player with too many cards to discard; returns whether there is one.

    Nobody is asked before the epidemics that were drawn are over.
    """
    stage = state.stage.value
    if stage >= Stage.EPIDEMIC and stage <= Stage.NEXT_EPIDEMIC:
        return False
    for p in range(state.players):
        if state.hands[p].count > params.hand_limit:
            interrupt(state, state.stack, p, Phase.DISCARD)
            return True
    return False


def carry_out_stage(state: PandemicState, params: Any) -> None:
    """Carries out a stage, and sets the next one."""
    stage = state.stage.value
    if stage == Stage.DRAW:
        draw_player_cards(state, params)
    elif stage == Stage.EPIDEMIC:
        begin_epidemic(state, params)
        state.stage.value = Stage.INTENSIFY
    elif stage == Stage.INTENSIFY:
        intensify(state)
        state.epidemics_to_resolve.value -= 1
        more = state.epidemics_to_resolve.value > 0
        state.stage.value = Stage.NEXT_EPIDEMIC if more else Stage.BEFORE_INFECTION
    elif stage == Stage.NEXT_EPIDEMIC:
        state.stage.value = Stage.EPIDEMIC
    elif stage == Stage.BEFORE_INFECTION:
        begin_infection(state, params)
    else:
        infect_next(state, params)
        state.infections_left.value -= 1
        if state.infections_left.value == 0:
            begin_turn(state, params)


def draw_player_cards(state: PandemicState, params: Any) -> None:
    """Draws the cards of the turn; if there are too few, the game is lost."""
    if state.player_deck.count < params.draws:
        announce(Say.NO_CARDS)
        state.phase = Ending.CARDS
        lose_together(state)
        return
    for _ in range(params.draws):
        top = state.player_deck.cards[state.player_deck.count - 1]
        announce(Say.DRAW, state.turn_owner, top)
        if top == EPIDEMIC:
            draw_card(state, state.player_deck, state.player_discards)
            state.epidemics_to_resolve.value += 1
        else:
            draw_card(state, state.player_deck, state.hands[state.turn_owner])
    more = state.epidemics_to_resolve.value > 0
    state.stage.value = Stage.EPIDEMIC if more else Stage.BEFORE_INFECTION


def begin_infection(state: PandemicState, params: Any) -> None:
    """Sets the number of cities to infect to the rate; a quiet night ends the turn instead."""
    if state.quiet.value == 1:
        announce(Say.QUIET)
        state.quiet.value = 0
        begin_turn(state, params)
        return
    state.infections_left.value = rate(state)
    state.stage.value = Stage.INFECT


def begin_turn(state: PandemicState, params: Any) -> None:
    """Begins the next player's turn."""
    if state.status != Status.PLAYING:
        return
    end_turn(state)
    if state.turn_owner == state.first_player:
        state.round += 1
    state.stage.value = Stage.ACTIONS
    state.actions_left.value = params.actions
    state.flown.value = 0


def spend_action(state: PandemicState) -> None:
    """Counts an action; all holders of events may react again."""
    state.actions_left.value -= 1
    state.asked.value = 0


def check_actions(state: PandemicState) -> None:
    """Goes on to drawing cards after the last action."""
    if state.stage.value == Stage.ACTIONS and state.actions_left.value <= 0:
        state.stage.value = Stage.DRAW
        state.asked.value = 0

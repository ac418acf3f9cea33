"""Pandemic (Matt Leacock, Z-Man Games 2008; second edition 2013): a team cures four diseases.

Source: the rules of the second edition. On a turn a player does up to four actions, draws two
player cards and infects as many cities as the infection rate says. Four cures win; the eighth
outbreak, a missing cube, and a missing player card lose. All players win or lose together. The
modules of this folder follow the rules: ``world`` (map and cards), ``table`` (state, parameters,
actions), ``setup``, ``turn``, ``travel``, ``pawn_actions``, ``events``, ``infection``, ``hands``,
and ``sampling`` for determinizations of the decks.

Where the rules are silent: an empty infection deck is renewed from the shuffled discards; the
player who holds the city of the highest population begins, or the first one if nobody holds a
city. Consent to being moved, or to giving a card, is assumed, since the players are one team.

Parameters: see ``table.Parameters``; the second half of them are the rules of TAG.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from kibitz.authoring import ActionList, Game, GameParameters, add, kind, operand, pack, resume
from kibitz.core import state as states
from kibitz.core.parameters import read_json_object
from kibitz.library.pandemic.evaluation import evaluate
from kibitz.library.pandemic.events import (
    ALL_EVENTS,
    add_events,
    add_forecast,
    add_removals,
    add_stations,
    allowed_now,
    grant,
    play_event,
    put_back,
    remove_infection,
)
from kibitz.library.pandemic.hands import discard, put_pawn
from kibitz.library.pandemic.pawn_actions import (
    add_keepers,
    add_pawn_actions,
    do_pawn_action,
    keep,
)
from kibitz.library.pandemic.sampling import restore_layers
from kibitz.library.pandemic.setup import set_up
from kibitz.library.pandemic.table import (
    ENDINGS,
    LAST_ACTION,
    LAST_EVENT,
    Move,
    PandemicState,
    Parameters,
    Phase,
    Say,
    SeatRole,
)
from kibitz.library.pandemic.text import describe_table, glossary_texts
from kibitz.library.pandemic.travel import add_destinations, add_travels, begin_flight, go
from kibitz.library.pandemic.turn import check_actions, proceed, spend_action


class Pandemic(Game):
    """Find four cures before the diseases get out of hand; together, or not at all."""

    name = "pandemic"
    look = "kibitz.pictures.looks.pandemic:PandemicLook"
    title = "Pandemic"
    players = (2, 4)
    categories = ("cooperative", "board game")
    mechanics = (
        "action points",
        "hand management",
        "point to point movement",
        "set collection",
        "trading",
        "variable player powers",
    )
    source = "Matt Leacock, Z-Man Games 2013"
    phases = Phase
    endings: ClassVar[Mapping[int, str]] = ENDINGS
    max_ticks = 10_000
    logs_rounds = False
    how_to_play = read_json_object(Path(__file__).with_name("how_to_play.json"))
    Parameters = Parameters
    State = PandemicState
    Actions = Move
    Announcements = Say

    def sides(self, players: int, parameters: GameParameters) -> Sequence[Sequence[int]]:
        """One side of all players."""
        return [range(players)]

    @classmethod
    def problem(cls, players: int, parameters: GameParameters) -> str | None:
        """The message that two seats have the same role; ``None`` if all roles differ."""
        values = parameters.as_dict()
        roles = [values[f"role_{p + 1}"] for p in range(players)]
        for role in SeatRole:
            if role != SeatRole.RANDOM and roles.count(role) > 1:
                name = parameters.tunables["role_1"].show(role)
                return f"only one player can be {name}; give the others different roles."
        return None

    @classmethod
    def describe(cls, state: states.State, observer: int | None) -> str:
        """Describes the turn, diseases, board, players, and what is known of the decks."""
        return describe_table(state, observer)

    @classmethod
    def glossary(cls, players: int, parameters: GameParameters) -> dict[str, dict[str, str]]:
        """Explains the roles, the events, the epidemic, and the map."""
        return glossary_texts(int(parameters.as_dict()["map"]))

    @staticmethod
    def setup(state: PandemicState, params: Any) -> None:
        """Sets up the board, hands and decks of the second edition."""
        set_up(state, params)
        proceed(state, params)

    @staticmethod
    def legal_actions(state: PandemicState, params: Any, actions: ActionList) -> None:
        """Adds the choices of the phase."""
        if state.phase == Phase.ACTION:
            add_travels(state, params, actions)
            add_pawn_actions(state, params, actions)
            add_events(state, actions, state.player, ALL_EVENTS)
            if params.may_pass:
                add(actions, pack(Move.FINISH))
        elif state.phase == Phase.EVENT:
            add_events(state, actions, state.player, allowed_now(state, params))
            add(actions, pack(Move.NO_EVENT))
        else:
            add_answers(state, params, actions)

    @staticmethod
    def apply_action(state: PandemicState, params: Any, action: int) -> None:
        """Carries out a decision, and proceeds to the next one."""
        move = kind(action)
        if move <= LAST_ACTION:
            act(state, params, move, action)
        elif move == Move.FINISH:
            state.actions_left.value = 0
        elif move <= LAST_EVENT:
            play_event(state, params, action)
        else:
            answer(state, params, move, operand(action, 0))
        check_actions(state)
        proceed(state, params)

    @staticmethod
    def heuristic(state: PandemicState, params: Any, player: int) -> float:
        """The value for the team: cures and progress towards them, against threats."""
        return evaluate(state, params)

    @staticmethod
    def redeterminize(state: PandemicState, params: Any, player: int) -> None:
        """Moves hidden cards, just shuffled, into the layers and piles where they can be."""
        restore_layers(state, params)


def act(state: PandemicState, params: Any, move: int, action: int) -> None:
    """Carries out an action of the turn."""
    spend_action(state)
    if move <= Move.JOIN:
        go(state, params, action)
    elif move == Move.OPERATE:
        begin_flight(state, operand(action, 0))
    else:
        do_pawn_action(state, params, move, action)


def add_answers(state: PandemicState, params: Any, actions: ActionList) -> None:
    """Adds the choices in a phase that is part of an action or event."""
    if state.phase == Phase.DISCARD:
        hand = state.hands[state.player]
        for i in range(hand.count):
            add(actions, pack(Move.DISCARD, hand.cards[i]))
        if params.events_at_limit:
            add_events(state, actions, state.player, ALL_EVENTS)
    elif state.phase == Phase.DESTINATION:
        add_destinations(state, actions)
    elif state.phase == Phase.RESILIENCE:
        add_removals(state, actions)
    elif state.phase == Phase.FORECAST:
        add_forecast(state, actions)
    elif state.phase == Phase.KEEP:
        add_keepers(state, params, actions)
    else:
        add_stations(state, actions)


def answer(state: PandemicState, params: Any, move: int, card: int) -> None:
    """Carries out a choice that is part of an action or event.

    `card` is the first operand of the action: a card, or the city with the same number.
    """
    player = state.player
    if move == Move.NO_EVENT:
        resume(state, state.stack)
    elif move == Move.DISCARD:
        resume(state, state.stack)
        discard(state, player, card)
    elif move == Move.GO:
        pawn = state.stack.data[state.stack.depth - 1, 0]
        resume(state, state.stack)
        put_pawn(state, params, pawn, card, player)
    elif move == Move.KEEP:
        keep(state, params, card)
    elif move == Move.REMOVE:
        remove_infection(state, card)
    elif move == Move.PUT_BACK:
        put_back(state, card)
    else:
        grant(state, move, card)

"""The rules of games written in Python: static functions of a class, over records."""

from __future__ import annotations

import ctypes
import functools
import inspect
import itertools
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, cast

import numpy as np

from kibitz.core.actions import ACTION_LIST
from kibitz.core.commitments import (
    COMMITMENT,
    Places,
    asked_in,
    draw_commitment,
    places_of,
)
from kibitz.core.declarations import GameDeclarations
from kibitz.core.errors import GameDefinitionError
from kibitz.core.layout import Layout, header_offset
from kibitz.core.memory import FLOAT32, array_at, record_at, stack_record
from kibitz.core.native import Export, compile_native, names_in, reachable
from kibitz.core.parameters import GameParameters
from kibitz.core.rules import ActionSet
from kibitz.core.state import State
from kibitz.core.status import Status

_CHANCE_FIELDS = {"rng", "shuffle_key"}
"""The fields of a header that rules which use chance read."""


class PythonRules:
    """The rule functions of a game class, which all its tables share.

    Raises:
        GameDefinitionError: the class does not define all of them, or its declarations contradict
            each other.
    """

    teams: tuple[tuple[int, ...], ...] = ()
    compares_scores = False

    def __init__(self, game: GameDeclarations, compiled: bool) -> None:
        kind = type(game)
        self._game = game
        declared = {
            "setup": kind.setup,
            "legal_actions": kind.legal_actions,
            "apply_action": kind.apply_action,
            "Actions": kind.Actions,
        }
        for name, value in declared.items():
            if value is None:
                raise GameDefinitionError(f"{kind.__name__} does not define {name}.")
        self.compiled = compiled
        self.lowest_score_wins = game.lowest_score_wins
        self.deal_count = header_offset("round" if game.several_deals else "players")
        self.phase_names = tuple(phase.name.lower() for phase in game.phases or ())
        self.endings = dict(game.endings)
        self.actions = cast("ActionSet", kind.Actions)
        self.layout = Layout(kind.State, kind.Parameters, game.players[1])
        self._commits = places_of(self.layout) is not None

    @functools.cached_property
    def uses_chance(self) -> bool:
        """Whether a rule, or a function that it may call, draws or shuffles."""
        kind = type(self._game)
        rules = (kind.setup, kind.legal_actions, kind.apply_action)
        functions = itertools.chain.from_iterable(reachable(_needed(rule)) for rule in rules)
        return any(not _CHANCE_FIELDS.isdisjoint(names_in(f)) for f in functions)

    @functools.cached_property
    def exports(self) -> Mapping[str, Export]:
        """The rule functions as the contract calls them: over addresses."""
        return _exports(type(self._game), self.layout, self._game.Parameters.dtype())

    def addresses(self) -> dict[str, int]:
        """The addresses of the compiled rule functions; compiles them if need be."""
        return compile_native(self._game.name or type(self._game).__name__, self.exports)

    kept_bytes = 0

    def context(self, parameters: GameParameters) -> Any:
        """The record of parameters."""
        return ctypes.create_string_buffer(parameters.record())

    def stop_by(self, context: Any, stop: np.ndarray[Any, Any] | None) -> None:
        """Does nothing: rules in Python look at no stop word."""

    def choosing(self, state: State) -> tuple[int, ...]:
        """The players who have yet to commit, or else the current player."""
        asked = asked_in(state) if self._commits else ()
        return asked or (state.current_player,)

    def asking(self, state: State, player: int) -> State:
        """The state in which `player` decides: a copy with another player to move."""
        copy = state.clone()
        copy.view.player = player
        return copy

    def backs(self, players: int, parameters: GameParameters) -> Sequence[int]:
        """The back of each card, as the game declares it."""
        return self._game.backs(players, parameters)


def _exports(
    game: type[GameDeclarations], layout: Layout, params_type: np.dtype[Any]
) -> dict[str, Export]:
    state_type, commitments = layout.dtype, places_of(layout)
    setup, fill, play = (
        _needed(game.setup),
        _needed(game.legal_actions),
        _needed(game.apply_action),
    )
    value = game.heuristic
    resample, believe = game.redeterminize, game.is_consistent

    def setup_game(context: int, state: int) -> None:
        setup(record_at(state, state_type), record_at(context, params_type))

    def legal_actions(context: int, state: int, actions: int) -> int:
        buffer = record_at(actions, ACTION_LIST)
        buffer.count = 0
        buffer.overflow = 0
        fill(record_at(state, state_type), record_at(context, params_type), buffer)
        return -1 if buffer.overflow else int(buffer.count)

    def apply_action(context: int, state: int, action: int) -> None:
        play(record_at(state, state_type), record_at(context, params_type), action)

    broken = (1, header_offset("status"), int(Status.RULES_ERROR))
    exports = {
        "setup": Export(setup_game, "vii", broken),
        "legal_actions": Export(legal_actions, "iiii", broken),
        "apply_action": Export(apply_action, "viii", broken),
        "heuristic": heuristic_export(value, state_type, params_type),
    }
    if resample is not None:

        def redeterminize(context: int, state: int, player: int) -> None:
            resample(record_at(state, state_type), record_at(context, params_type), player)

        exports["redeterminize"] = Export(redeterminize, "viii", broken)
    if commitments is not None:
        function = _redrawing(resample or _keep, fill, commitments, state_type, params_type)
        exports["redeterminize"] = Export(function, "viii", broken)
    if believe is not None:

        def is_consistent(context: int, state: int, player: int) -> int:
            return int(
                believe(record_at(state, state_type), record_at(context, params_type), player)
            )

        exports["is_consistent"] = Export(is_consistent, "iiii", broken)
    return exports


def _redrawing(
    resample: Callable[..., None],
    fill: Callable[..., None],
    places: Places,
    state_type: np.dtype[Any],
    params_type: np.dtype[Any],
) -> Callable[[int, int, int], None]:
    """`resample`, followed by drawing commitments from what is legal in the sample."""
    owned, allowed, number = places.owned, places.allowed, len(places.owned)

    def redeterminize(context: int, state: int, player: int) -> None:
        record, parameters = record_at(state, state_type), record_at(context, params_type)
        resample(record, parameters, player)
        chooser, phase = record.player, record.phase
        actions = stack_record(ACTION_LIST)
        for i in range(number):
            commitment = record_at(state + int(owned[i, 0]), COMMITMENT)
            if commitment.count > 0 and commitment.seen[0] >> player & 1 == 0:
                record.player = owned[i, 1]
                record.phase = commitment.phase
                actions.count = 0
                fill(record, parameters, actions)
                draw_commitment(commitment, actions, allowed[i], record.rng)
        record.player = chooser
        record.phase = phase

    return redeterminize


def _keep(state: Any, params: Any, player: int) -> None:
    """``redeterminize`` of a game that resamples nothing by itself."""


def is_rule_function(function: Callable[..., Any]) -> bool:
    """Whether a heuristic takes ``(state, params, player)``, as rules do, so it is compiled.

    Any other takes ``(state, player)``, and is called back with a ``State``.
    """
    try:
        inspect.signature(function).bind(None, None, None)
    except TypeError:
        return False
    return isinstance(function, FunctionType)


def heuristic_export(
    value: Callable[..., float], state_type: np.dtype[Any], params_type: np.dtype[Any]
) -> Export:
    """A heuristic as the contract calls it: over addresses."""

    def heuristic(context: int, state: int, player: int) -> float:
        return float(value(record_at(state, state_type), record_at(context, params_type), player))

    return Export(heuristic, "fiii", (1, header_offset("status"), int(Status.RULES_ERROR)))


def features_export(
    function: Callable[..., None],
    state_type: np.dtype[Any],
    params_type: np.dtype[Any],
    count: int,
) -> Export:
    """A game's own features as the encoder calls them: over addresses."""

    def features(context: int, state: int, player: int, out: int, unused: int) -> int:
        values = array_at(out, FLOAT32, count)
        function(record_at(state, state_type), record_at(context, params_type), player, values)
        return 0

    return Export(features, "iiiiii")


def _needed(rule: Callable[..., None] | None) -> Callable[..., None]:
    assert rule is not None  # PythonRules has checked it
    return rule

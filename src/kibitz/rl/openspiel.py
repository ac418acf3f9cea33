"""Kibitz games as games of OpenSpiel, for its algorithms and bots.

They need the package ``open_spiel``, which is in the extra ``kibitz[bench]``.

A chance node at the root decides all that is random. Of a small game its outcomes are the set-ups
that differ for somebody, with their exact probabilities. Of any other game they are a number of
*deals*: seeds, each with the same probability, that determine all chance events. Probabilities
then differ from the game's own by about one over the square root of the number of deals. Hidden
outcomes stay hidden, so the information sets are those of the game. A game without chance begins
with a decision.

The type of a game says what holds: of a small game because its whole tree was looked at, of others
because of what hides or draws, and because the rules declare it (``zero_sum``, ``score_range``).
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from kibitz.core.errors import MissingExtraError, ParameterError, PlayError
from kibitz.core.game import Table
from kibitz.core.randomness import check_seed, derive_seed
from kibitz.core.state import State
from kibitz.core.status import MAX_PLAYERS
from kibitz.core.utility import is_zero_sum, utilities, utility_at, utility_range
from kibitz.loading import find_table
from kibitz.studies.solving.tree import GameTree, grow_tree

try:
    import pyspiel
except ImportError:
    raise MissingExtraError("Games of OpenSpiel", "bench") from None

DEALS = 1024
"""Default maximum number of outcomes of the chance node."""

MOST_NODES = 100_000
"""The maximum number of nodes of a game whose whole tree is looked at."""

MOST_NUMBERS = 100_000
"""The maximum size of an information state tensor."""

_PARAMETERS: dict[str, Any] = {
    "game": "tic-tac-toe",
    "players": 0,
    "parameters": "",
    "deals": DEALS,
    "seed": 0,
}


_Kind = pyspiel.GameType


def _game_type(
    name: str,
    low: int,
    high: int,
    *,
    chance: bool = True,
    perfect: bool = False,
    utility: Any = _Kind.Utility.GENERAL_SUM,
    tensor: bool = False,
) -> Any:
    """The type of a game in OpenSpiel; by default one of which nothing is known.

    Args:
        name: of the game, for people.
        low, high: the smallest and the largest number of players.
        chance: whether it begins with a chance node.
        perfect: whether it has perfect information.
        utility: the ``GameType.Utility``.
        tensor: whether it has information state tensors.
    """
    modes, knowledge = _Kind.ChanceMode, _Kind.Information
    return _Kind(
        short_name="kibitz",
        long_name=name,
        dynamics=_Kind.Dynamics.SEQUENTIAL,
        chance_mode=modes.EXPLICIT_STOCHASTIC if chance else modes.DETERMINISTIC,
        information=knowledge.PERFECT_INFORMATION if perfect else knowledge.IMPERFECT_INFORMATION,
        utility=utility,
        reward_model=_Kind.RewardModel.TERMINAL,
        max_num_players=high,
        min_num_players=low,
        provides_information_state_string=True,
        provides_information_state_tensor=tensor,
        provides_observation_string=True,
        provides_observation_tensor=True,
        default_loadable=True,
        parameter_specification=_PARAMETERS,
    )


class KibitzGame(pyspiel.Game):
    """A game of Kibitz in OpenSpiel: ``pyspiel.load_game("kibitz(game=love-letter,players=2)")``.

    Attributes:
        table: the game with its players and parameters.
        utility: "place" or "score", what the game is played for.
        seeds: the seed of the game after each outcome of the chance node; one of a game without
            chance.
        outcomes: the outcomes of the chance node and their probabilities.
        moments: how many observations an information state tensor has room for; 0: there is none.
        first: the position in which a game without chance begins.

    Args:
        params: ``game``, a name or the path of a file; ``players``, 0 for the usual number;
            ``parameters``, such as ``"rounds:1;pass:0"``; ``deals``, the most outcomes of the
            chance node; ``seed``, from which the seeds of deals are derived.

    Raises:
        KibitzError: there is no such game, or a value is wrong.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        chosen = {**_PARAMETERS, **(params or {})}
        parameters = _parsed(chosen["parameters"])
        deals = chosen["deals"]
        if deals < 1:
            raise ParameterError(f"deals = {deals}: there must be at least one.")
        check_seed(chosen["seed"])
        self.table = table = find_table(chosen["game"], chosen["players"] or None, parameters)
        self.utility = utility_at(table)
        facts = _facts(table, self.utility, deals)
        set_ups = facts.set_ups or [
            (derive_seed([0] * 4, chosen["seed"], deal), 1.0 / deals) for deal in range(deals)
        ]
        self.seeds = [seed for seed, _ in set_ups]
        self.outcomes = [(deal, chance) for deal, (_, chance) in enumerate(set_ups)]
        random = len(set_ups) > 1 or not facts.set_ups
        encoder, n = table.encoder, table.players
        self._row = 1 + encoder.size + encoder.actions_count
        rows = facts.length + 1
        self.moments = rows if rows * self._row <= MOST_NUMBERS else 0
        hides = bool(table.record["slot_count"][0] or table.record["redeterminize"][0])
        game_type = _game_type(
            table.game.name,
            n,
            n,
            chance=random,
            perfect=bool(facts.set_ups) and not hides,
            utility=facts.kind,
            tensor=self.moments > 0,
        )
        info = pyspiel.GameInfo(
            num_distinct_actions=encoder.actions_count,
            max_chance_outcomes=len(set_ups) if random else 0,
            num_players=n,
            min_utility=facts.least,
            max_utility=facts.most,
            utility_sum=facts.total,
            max_game_length=facts.length,
        )
        super().__init__(game_type, info, dict(params or {}))
        self.first = None if random else self.begun(0)

    def new_initial_state(self) -> KibitzState:
        """The root: the chance node or, without chance, the first decision."""
        return KibitzState(self)

    def max_chance_nodes_in_history(self) -> int:
        """1 for the chance node at the root; 0 without chance."""
        return int(self.first is None)

    def begun(self, deal: int) -> Position:
        """The first position of a game, which an outcome of the chance node decides.

        Raises:
            ParameterError: there is no such outcome.
        """
        if not 0 <= deal < len(self.seeds):
            raise ParameterError(
                f"There is no deal {deal}: {self.table} has {len(self.seeds)} here, from 0."
            )
        state = self.table.new_state(self.seeds[deal])
        position = Position(state, [b""] * state.players, [b""] * state.players)
        self.remember(position)
        return position

    def remember(self, position: Position, mover: int = -1, action: int = -1) -> None:
        """Adds to what each player knows: the new state, and to the mover the action's index."""
        state, size = position.state, self.table.encoder.size
        for player in range(state.players):
            known = position.known[player]
            if player == mover:
                known = _digest(known, str(action).encode())
            position.known[player] = _digest(known, bytes(state.observation(player)))
            if self.moments:
                row = np.zeros(self._row, np.float32)
                row[0] = 1.0
                self.table.encoder.encode(state, player, row[1 : 1 + size])
                if player == mover:
                    row[1 + size + action] = 1.0
                position.seen[player] += row.tobytes()

    def __deepcopy__(self, memo: dict[int, Any]) -> KibitzGame:
        """The game itself, which never changes: clones of a state share it."""
        return self

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None
    ) -> KibitzObserver:
        """An observer that writes observations or, with perfect recall, information states."""
        recall = iig_obs_type is not None and iig_obs_type.perfect_recall
        shape = (self.moments, self._row) if recall else (self.table.encoder.size,)
        return KibitzObserver(shape, recall)


@dataclasses.dataclass
class Position:
    """A state, and what the players know of the way to it.

    Attributes:
        known: for each player a digest of the observations and own actions so far.
        seen: for each player the rows of the information state tensor so far, as bytes.
    """

    state: State
    known: list[bytes]
    seen: list[bytes]

    def copy(self) -> Position:
        """A copy that can be played on independently."""
        return Position(self.state.clone(), list(self.known), list(self.seen))

    def __deepcopy__(self, memo: dict[int, Any]) -> Position:
        return self.copy()


class KibitzState(pyspiel.State):
    """A state of a game of Kibitz in OpenSpiel."""

    def __init__(self, game: KibitzGame) -> None:
        super().__init__(game)
        self._game = game
        self._copied: int | None = None  # the player to act, while a history is copied
        self._position = None if game.first is None else game.first.copy()

    @property
    def state(self) -> State | None:
        """The state in Kibitz; ``None`` at the chance node."""
        return None if self._position is None else self._position.state

    def current_player(self) -> int:
        """The player to act: a seat, chance, or the terminal player."""
        if self._copied is not None:
            return self._copied
        if self.state is None:
            return int(pyspiel.PlayerId.CHANCE)
        if self.state.is_terminal:
            return int(pyspiel.PlayerId.TERMINAL)
        return self.state.current_player

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of the only chance node, the root, each with its probability."""
        return self._game.outcomes

    def _legal_actions(self, player: int) -> list[int]:
        assert self.state is not None
        mask = self._game.table.encoder.mask(self.state)
        return [int(index) for index in np.flatnonzero(mask)]

    def _apply_action(self, action: int) -> None:
        if self._copied is not None:
            return
        if self._position is None:
            self._position = self._game.begun(action)
            return
        state = self._position.state
        player = state.current_player
        number = self._game.table.encoder.action(action, state)
        try:
            state.apply(number)
        except PlayError:
            if not state.is_terminal:
                raise
        self._game.remember(self._position, player, action)

    def _action_to_string(self, player: int, action: int) -> str:
        if self.state is None or player == pyspiel.PlayerId.CHANCE:
            return f"deal {action}"
        try:
            number = self._game.table.encoder.action(action, self.state)
        except (IndexError, ValueError):
            return f"action {action}"
        return self.state.action_words(number)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.state is not None and self.state.is_terminal

    def returns(self) -> list[float]:
        """The utilities of a finished game, in what it is played for; else zeros."""
        if self.state is None:
            return [0.0] * self._game.table.players
        return utilities(self.state, self._game.utility)

    def information(self, player: int) -> str:
        """A digest of the observations and actions of a player so far."""
        if self._position is None:
            return ""
        return f"player {player}: {self._position.known[player].hex()}"

    def history_seen(self, player: int) -> bytes:
        """The rows of the information state tensor of a player so far, as bytes."""
        return b"" if self._position is None else self._position.seen[player]

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> KibitzState:
        """A determinization: a state with the same information for a player.

        It keeps the history of the original, which does not lead to it: it can be cloned but not
        serialized.

        Args:
            sampler: returns random numbers in [0, 1).
        """
        copy = self.__deepcopy__({})
        if self._position is not None:
            state = self._position.state.determinize(player, int(sampler() * 2**53))
            nothing = [b""] * state.players
            copy._position = Position(state, nothing, list(nothing))
            self._game.remember(copy._position)
            copy._position.known[player] = self._position.known[player]
            copy._position.seen[player] = self._position.seen[player]
        return copy

    def __deepcopy__(self, memo: dict[int, Any]) -> KibitzState:
        """A copy, as ``clone`` makes it: the history is copied, and not played again."""
        copy = KibitzState(self._game)
        for played in self.full_history():
            copy._copied = played.player
            copy.apply_action(played.action)
        copy._copied = None
        copy._position = None if self._position is None else self._position.copy()
        return copy

    def __str__(self) -> str:
        return "before the deal" if self.state is None else self.state.describe()


class KibitzObserver:
    """Writes observations as numbers and in words or, with perfect recall, information states.

    An information state in numbers is a history: a row for each moment of the game, the first one
    when it begins and one after every action of anybody. A row has a 1, the observation, and the
    action that led there as one-hot if the player acted. Rows of moments to come are zeros.

    Attributes:
        tensor: the numbers, float32, flat; ``None`` if the game has no such tensor.
        dict: the tensor in its shape by its name, "observation" or "history".
    """

    def __init__(self, shape: tuple[int, ...], recall: bool) -> None:
        self._recall = recall
        self.tensor = np.zeros(math.prod(shape), np.float32) if shape[0] else None
        name = "history" if recall else "observation"
        self.dict = {} if self.tensor is None else {name: self.tensor.reshape(shape)}

    def set_from(self, state: KibitzState, player: int) -> None:
        """Writes what a player observes, or has observed, into ``tensor``; zeros at the root."""
        if self.tensor is None:
            return
        if self._recall:
            seen = np.frombuffer(state.history_seen(player), np.float32)
            self.tensor[: len(seen)] = seen
            self.tensor[len(seen) :] = 0
        elif state.state is None:
            self.tensor.fill(0)
        else:
            state.state.table.encoder.encode(state.state, player, self.tensor)

    def string_from(self, state: KibitzState, player: int) -> str:
        """An observation in words or, with perfect recall, a digest of all observations."""
        if self._recall:
            return state.information(player)
        return str(state) if state.state is None else state.state.describe(player)


def load_game(
    game: str,
    *,
    players: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    deals: int = DEALS,
    seed: int = 0,
) -> Any:
    """Loads a game of Kibitz as a game of OpenSpiel.

    >>> from kibitz.rl.openspiel import load_game
    >>> game = load_game("love-letter", players=2)
    >>> game.num_players()
    2

    Args:
        game: a name, or the path of a file in any language.
        players: the number of seats; by default the game's usual number.
        parameters: values of the game's parameters by name.
        deals: the maximum number of outcomes of the chance node.
        seed: the seed from which those of the deals are derived.

    Raises:
        KibitzError: there is no such game, or a value is wrong.
    """
    written = ";".join(f"{name}:{value}" for name, value in (parameters or {}).items())
    chosen = {"game": game, "players": players or 0, "parameters": written}
    return pyspiel.load_game("kibitz", {**chosen, "deals": deals, "seed": seed})


def _parsed(text: str) -> dict[str, Any]:
    """The parameters that ``"rounds:1;pass:0"`` sets."""
    parameters: dict[str, Any] = {}
    for assignment in filter(None, text.split(";")):
        name, colon, value = assignment.partition(":")
        if not colon:
            raise ParameterError(
                f"parameters: {assignment!r} should be a name, a colon and a value."
            )
        parameters[name.strip()] = _value(value.strip())
    return parameters


def _value(text: str) -> Any:
    if text in ("True", "False"):
        return text == "True"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


@dataclasses.dataclass(frozen=True)
class _Facts:
    """What is known of a game before it is played.

    Attributes:
        set_ups: seeds of all set-ups that differ for somebody, with their probabilities; one
            without chance, and none if chance is sampled.
        length: the greatest number of actions.
        kind: the ``GameType.Utility``.
        total: the sum of utilities, if it is constant.
        least, most: the range of utilities, with 0, which a game that was broken off pays.
    """

    set_ups: tuple[tuple[int, float], ...]
    length: int
    kind: Any
    total: float | None
    least: float
    most: float


@functools.lru_cache(maxsize=16)
def _facts(table: Table, by: str, set_ups: int) -> _Facts:
    """What the tree of a small game shows, and else what the rules declare.

    Args:
        by: the utility, "place" or "score".
        set_ups: the number of set-ups of the largest game whose tree is looked at.
    """
    tree = _small_tree(table, set_ups)
    if tree is not None:
        ends = tree.utility[tree.player < 0]
        least, most = float(ends.min()), float(ends.max())
        total = float(ends[0].sum()) if tree.is_zero_sum and table.players > 1 else None
        identical = table.players > 1 and bool(np.ptp(ends, axis=1).max() < ROUNDING)
        roots, length = tuple(tree.distinct_set_ups()), len(tree.levels) - 1
    else:
        least, most = utility_range(table, by)
        total = 0.0 if is_zero_sum(table) else None
        identical = table.is_cooperative
        roots = () if table.rules.uses_chance else ((0, 1.0),)
        length = int(table.game.max_ticks)
    kind = pyspiel.GameType.Utility.GENERAL_SUM
    if identical:
        kind, total = pyspiel.GameType.Utility.IDENTICAL, None
    elif total is not None and abs(total) < ROUNDING:
        kind, total = pyspiel.GameType.Utility.ZERO_SUM, 0.0
    elif total is not None:
        kind = pyspiel.GameType.Utility.CONSTANT_SUM
    return _Facts(roots, length, kind, total, min(least, 0.0), max(most, 0.0))


def _small_tree(table: Table, set_ups: int) -> GameTree | None:
    """The whole tree of a game that is small, and whose chance lies in its set-up."""
    if not table.rules.compiled:
        return None
    try:
        return grow_tree(table, most_nodes=MOST_NODES, most_set_ups=set_ups)
    except (ParameterError, PlayError):
        return None


ROUNDING = 1e-9
"""The greatest rounding error of a sum of utilities."""


def _digest(known: bytes, news: bytes) -> bytes:
    return hashlib.blake2b(known + news, digest_size=16).digest()


pyspiel.register_game(_game_type("Kibitz", 1, MAX_PLAYERS), KibitzGame)

__all__ = ["KibitzGame", "KibitzObserver", "KibitzState", "load_game"]

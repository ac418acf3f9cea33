"""Kibitz games as games of OpenSpiel, for its algorithms and bots.

They need the package ``open_spiel``, which is in the extra ``kibitz[bench]``.

The seed of a game determines all chance events. A chance node at the root draws the seed from a
finite number of *deals* of equal probability. Hidden outcomes stay hidden, so the information sets
are those of the game. Probabilities differ from the game's own by about one over the square root
of the number of deals; more deals make the chance node slower.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from kibitz.core.errors import MissingExtraError, ParameterError, PlayError
from kibitz.core.randomness import check_seed, derive_seed
from kibitz.core.state import State
from kibitz.core.status import MAX_PLAYERS
from kibitz.core.utility import utilities, utility_at
from kibitz.loading import find_table

try:
    import pyspiel
except ImportError:
    raise MissingExtraError("Games of OpenSpiel", "bench") from None

DEALS = 1024
"""Default number of deals of the chance node."""

_PARAMETERS: dict[str, Any] = {
    "game": "tic-tac-toe",
    "players": 0,
    "parameters": "",
    "deals": DEALS,
    "seed": 0,
}


def _game_type(name: str, low: int, high: int) -> Any:
    return pyspiel.GameType(
        short_name="kibitz",
        long_name=name,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=high,
        min_num_players=low,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
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
        seed: the seed from which ``derive_seed(seed, deal)`` gives those of the deals.
        outcomes: the deals of the root and their probabilities.

    Args:
        params: ``game``, a name or the path of a file; ``players``, 0 for the usual number;
            ``parameters``, such as ``"rounds:1;pass:0"``; ``deals``, how many the root draws from;
            ``seed``, from which those are derived.

    Raises:
        KibitzError: there is no such game, or a value is wrong.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        chosen = {**_PARAMETERS, **(params or {})}
        parameters = _parsed(chosen["parameters"])
        deals = chosen["deals"]
        if deals < 1:
            raise ParameterError(f"deals = {deals}: there must be at least one.")
        self.table = find_table(chosen["game"], chosen["players"] or None, parameters)
        self.utility = utility_at(self.table)
        n = self.table.players
        most = 1.0 if self.utility == "place" else math.inf  # a score has no declared range
        info = pyspiel.GameInfo(
            num_distinct_actions=self.table.encoder.actions_count,
            max_chance_outcomes=deals,
            num_players=n,
            min_utility=-most,
            max_utility=most,
            utility_sum=None,
            max_game_length=int(self.table.game.max_ticks),
        )
        super().__init__(_game_type(self.table.game.name, n, n), info, dict(params or {}))
        check_seed(chosen["seed"])
        self.seed = chosen["seed"]
        self.outcomes = [(deal, 1.0 / deals) for deal in range(deals)]

    def new_initial_state(self) -> KibitzState:
        """The root: the chance node."""
        return KibitzState(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> KibitzGame:
        """The game itself, which never changes: clones of a state share it."""
        return self

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None
    ) -> KibitzObserver:
        """An observer that writes observations or, with perfect recall, information states."""
        recall = iig_obs_type is not None and iig_obs_type.perfect_recall
        return KibitzObserver(self.table.encoder.size, recall)


class KibitzState(pyspiel.State):
    """A state of a game of Kibitz in OpenSpiel.

    Attributes:
        state: the state in Kibitz; ``None`` at the root.
    """

    def __init__(self, game: KibitzGame) -> None:
        super().__init__(game)
        self._game = game
        self._copied: int | None = None  # the player to act, while a history is copied
        self.state: State | None = None
        self._known: list[bytes] = []  # for each player: a digest of its observations and actions

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
        """The deals, each with its probability: chance at the root, the only chance node."""
        return self._game.outcomes

    def _legal_actions(self, player: int) -> list[int]:
        assert self.state is not None
        mask = self._game.table.encoder.mask(self.state)
        return [int(index) for index in np.flatnonzero(mask)]

    def _apply_action(self, action: int) -> None:
        if self._copied is not None:
            return
        if self.state is None:
            seed = derive_seed([0] * 4, self._game.seed, action)
            self.state = self._game.table.new_state(seed)
            self._known = [b""] * self.state.players
        else:
            player = self.state.current_player
            number = self._game.table.encoder.action(action, self.state)
            self._known[player] = _digest(self._known[player], str(action).encode())
            try:
                self.state.apply(number)
            except PlayError:
                if not self.state.is_terminal:
                    raise
        for player in range(self.state.players):
            observation = bytes(self.state.observation(player))
            self._known[player] = _digest(self._known[player], observation)

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
        return f"player {player}: {self._known[player].hex()}" if self._known else ""

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> KibitzState:
        """A determinization: a state with the same information for a player.

        It keeps the history of the original, which does not lead to it: it can be cloned but not
        serialized.

        Args:
            sampler: returns random numbers in [0, 1).
        """
        copy = self.__deepcopy__({})
        if self.state is not None:
            copy.state = self.state.determinize(player, int(sampler() * 2**53))
            copy._known = [
                known if seat == player else _digest(b"", bytes(copy.state.observation(seat)))
                for seat, known in enumerate(self._known)
            ]
        return copy

    def __deepcopy__(self, memo: dict[int, Any]) -> KibitzState:
        """A copy, as ``clone`` makes it: the history is copied, and not played again."""
        copy = KibitzState(self._game)
        for played in self.full_history():
            copy._copied = played.player
            copy.apply_action(played.action)
        copy._copied = None
        copy.state = None if self.state is None else self.state.clone()
        copy._known = list(self._known)
        return copy

    def __str__(self) -> str:
        return "before the deal" if self.state is None else self.state.describe()


class KibitzObserver:
    """Writes observations as numbers and in words or, with perfect recall, as a digest.

    Attributes:
        tensor: the observation, (size,) float32; ``None`` with perfect recall.
        dict: the tensor by its name; empty with perfect recall.
    """

    def __init__(self, size: int, recall: bool) -> None:
        self._recall = recall
        self.tensor = None if recall else np.zeros(size, np.float32)
        self.dict = {} if recall else {"observation": self.tensor}

    def set_from(self, state: KibitzState, player: int) -> None:
        """Writes what a player observes into ``tensor``; zeros at the root."""
        if self.tensor is None:
            return
        if state.state is None:
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
        deals: the number of deals of the chance node.
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


def _digest(known: bytes, news: bytes) -> bytes:
    return hashlib.blake2b(known + news, digest_size=16).digest()


pyspiel.register_game(_game_type("Kibitz", 1, MAX_PLAYERS), KibitzGame)

__all__ = ["KibitzGame", "KibitzObserver", "KibitzState", "load_game"]

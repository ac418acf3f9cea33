"""Environments of Gymnasium: a learner at one seat, agents at the others, one table or many.

They need the extra ``kibitz[gymnasium]``. Importing this module registers every installed game, as
``gymnasium.make("kibitz/love-letter", players=2)``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from kibitz.core import registry
from kibitz.core.agent import Agent
from kibitz.core.errors import IllegalActionError, MissingExtraError
from kibitz.core.parameters import whole_number
from kibitz.core.status import Status
from kibitz.loading import Playable, find_table
from kibitz.rl.seated import (
    LARGEST_SEED,
    Copyable,
    SeatedGame,
    agents_around,
    check_illegal,
    check_render_mode,
)
from kibitz.rl.variants import drawn_tables
from kibitz.rl.vector import VectorTables

try:
    import gymnasium
    from gymnasium.utils import EzPickle
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise MissingExtraError("Environments of Gymnasium", "gymnasium") from None

Array = np.ndarray[Any, Any]

STATUS_NAMES = {status: status.name.lower() for status in Status}
"""What infos call each status."""


class KibitzEnv(Copyable, gymnasium.Env[Array, np.int64], EzPickle):
    """One seat of a game, with agents at the others.

    >>> from kibitz.rl.gymnasium import KibitzEnv
    >>> env = KibitzEnv("love-letter", players=2, agents="random")
    >>> observation, info = env.reset(seed=1)
    >>> action = env.action_space.sample(info["action_mask"])
    >>> observation, reward, terminated, truncated, info = env.step(action)

    An action is its index (``table.encoder``), an observation what the seat sees as 32-bit
    floats. ``info["action_mask"]`` (int8) is 1 where an action is legal; where the game is over
    it is 0. The reward at the end of the game is what it is played for: the seat's
    return, -1 to 1, or its score, negated if the lowest wins; else it is 0. A game
    that breaks off is *truncated*, and ``info["status"]`` tells why. A copy by
    ``copy.deepcopy`` plays on; one by pickle is a new environment with the same arguments.

    Attributes:
        table: the game with its players and parameters.
        seat: the learner's, from 0.

    Args:
        game: a name, the path of a file in any language, a game, or a table.
        seat: the learner's, from 0.
        players: how many seats; by default the game's usual number.
        agents: an agent for all other seats, or one for each seat and ``None`` at the learner's.
        parameters: values of the game's parameters by name.
        illegal: the effect of an illegal action: ``"lose"`` ends the game with the reward
            -1, and ``info["illegal"]`` says why; ``"error"`` raises IllegalActionError.
        render_mode: ``"ansi"`` for texts that show what the seat sees.

    Raises:
        KibitzError: there is no such game or agent, or a value is wrong.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"]}

    def __init__(
        self,
        game: Playable,
        *,
        seat: int = 0,
        players: int | None = None,
        agents: str | Agent | Sequence[str | Agent | None] = "random",
        parameters: Mapping[str, Any] | None = None,
        illegal: str = "lose",
        render_mode: str | None = None,
    ) -> None:
        EzPickle.__init__(
            self,
            game,
            seat=seat,
            players=players,
            agents=agents,
            parameters=parameters,
            illegal=illegal,
            render_mode=render_mode,
        )
        check_illegal(illegal)
        check_render_mode(render_mode)
        self.table = find_table(game, players, parameters)
        self.seat = seat
        self.illegal = illegal
        self.render_mode = render_mode
        self._game = SeatedGame(self.table, agents_around(self.table, seat, agents))
        self._over = True
        encoder = self.table.encoder
        self.observation_space, self.action_space = _spaces(encoder.size, encoder.actions_count)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begins a game; a seed begins a reproducible series of games."""
        super().reset(seed=seed)
        self._game.begin(self.np_random)
        self._over = False
        return self._game.observation(self.seat), self._info()

    def step(self, action: np.int64 | int) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Plays an action, and the agents until the next decision.

        Raises:
            gymnasium.error.ResetNeeded: no game is in play.
            IllegalActionError: the action is not legal, and `illegal` is ``"error"``.
            ParameterError: the action is no whole number.
        """
        if self._over:
            raise gymnasium.error.ResetNeeded("The game is over: call reset() for the next one.")
        try:
            self._game.step(action)
        except IllegalActionError as problem:
            if self.illegal == "error":
                raise
            self._over = True
            info = {"illegal": str(problem), **self._info()}
            return self._game.observation(self.seat), -1.0, True, False, info
        self._over = self._game.state.is_terminal
        observation, info = self._game.observation(self.seat), self._info()
        if not self._over:
            return observation, 0.0, False, False, info
        finished = self._game.state.status == Status.FINISHED
        return observation, self._game.rewards()[self.seat], finished, not finished, info

    def render(self) -> str | None:
        """What the seat sees, in words, if the mode is ``"ansi"``.

        Raises:
            gymnasium.error.ResetNeeded: no game has begun.
        """
        if self.render_mode is None:
            return None
        if not self._game.begun:
            raise gymnasium.error.ResetNeeded("No game has begun: call reset().")
        return self._game.state.describe(self.seat)

    def action_masks(self) -> Array:
        """The legal actions, (actions,) bool: none once the game is over.

        ``MaskablePPO`` of sb3-contrib asks for them by this name.

        Raises:
            gymnasium.error.ResetNeeded: no game has begun.
        """
        if not self._game.begun:
            raise gymnasium.error.ResetNeeded("No game has begun: call reset().")
        return self._mask().astype(np.bool_)

    def _mask(self) -> Array:
        mask = self._game.mask(self.seat)
        if self._over and not self._game.state.is_terminal:
            mask[:] = 0  # an illegal action ends the game here only
        return mask

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask(), "status": STATUS_NAMES[self._game.state.status]}


class KibitzVectorEnv(Copyable, VectorEnv[Array, Array, Array], EzPickle):
    """One seat at many tables, stepped together by compiled code: ``make_vec`` for Gymnasium.

    >>> from kibitz.rl.gymnasium import KibitzVectorEnv
    >>> envs = KibitzVectorEnv("love-letter", 64, players=2, agents="random")
    >>> observations, infos = envs.reset(seed=1)
    >>> actions = infos["action_mask"].argmax(axis=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step(actions)

    ``infos["action_mask"]`` (num_envs, actions) is 1 where an action is legal. Where a game ends
    the next one begins in the same step: the observation and the mask are of the new one,
    ``infos["final_obs"]`` and ``infos["final_info"]`` of the end of the old one. An action that is
    not legal raises IllegalActionError, and nothing is played. The agents are compiled ones (see
    ``make_vec``). A copy by ``copy.deepcopy`` plays on; one by pickle is new, with the same
    arguments.

    Attributes:
        table: the game with its players and parameters.
        seat: the learner's, from 0.
        num_envs: the number of tables.

    Args:
        game: a name, the path of a file in any language, a game, or a table.
        num_envs: the number of tables.
        seat: the learner's seat, from 0.
        players: how many seats; by default the game's usual number.
        agents: an agent for all other seats, or one for each seat and ``None`` at the learner's.
        parameters: values of the game's parameters by name.
        threads: the number of threads that step the tables; results do not depend on it.
        randomize: whether each game draws the parameters that are not set (see ``make_vec``).

    Raises:
        KibitzError: there is no such game or agent, a value is wrong, or an agent is not compiled.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": [],
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        game: Playable,
        num_envs: int,
        *,
        seat: int = 0,
        players: int | None = None,
        agents: str | Agent | Sequence[str | Agent | None] = "random",
        parameters: Mapping[str, Any] | None = None,
        threads: int = 1,
        randomize: bool = False,
    ) -> None:
        EzPickle.__init__(
            self,
            game,
            num_envs,
            seat=seat,
            players=players,
            agents=agents,
            parameters=parameters,
            threads=threads,
            randomize=randomize,
        )
        self.table = find_table(game, players, parameters)
        self.seat = seat
        self.num_envs = whole_number("num_envs", num_envs, 1)
        self._agents = agents_around(self.table, seat, agents)
        self._threads = threads
        self._variants = drawn_tables(self.table, parameters or {}) if randomize else ()
        self._tables = self._new_tables(0)
        shape = self._tables.observations.shape[1], self._tables.actions.count
        self.single_observation_space, self.single_action_space = _spaces(*shape)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begins a game at each table; a seed begins a reproducible series of games."""
        super().reset(seed=seed)
        self._tables.close()
        self._tables = self._new_tables(int(self.np_random.integers(LARGEST_SEED)))
        return self._tables.observations.copy(), self._infos()

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Plays an action at every table.

        Raises:
            IllegalActionError: an action is not legal; nothing has been played.
        """
        tables = self._tables
        tables.step(actions)
        finished = tables.status == Status.FINISHED
        return (
            tables.observations.copy(),
            tables.rewards[:, self.seat].astype(np.float64),
            tables.done & finished,
            tables.done & ~finished,
            self._infos(),
        )

    def _new_tables(self, seed: int) -> VectorTables:
        return VectorTables(
            self.table,
            self.num_envs,
            self._agents,
            seed,
            self._threads,
            variants=self._variants,
            ending_seat=self.seat,
        )

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the threads."""
        self._tables.close()

    def _infos(self) -> dict[str, Any]:
        tables = self._tables
        infos: dict[str, Any] = {
            "action_mask": tables.masks.astype(np.int8),
            "_action_mask": np.ones(self.num_envs, np.bool_),
        }
        if tables.done.any():
            final = np.full(self.num_envs, None, object)
            status = np.full(self.num_envs, None, object)
            for number in np.flatnonzero(tables.done).tolist():
                final[number] = tables.endings[number].copy()
                status[number] = Status(int(tables.status[number])).name.lower()
            ended = tables.done.copy()
            infos |= {"final_obs": final, "_final_obs": ended}
            infos |= {"final_info": {"status": status, "_status": ended}, "_final_info": ended}
        return infos


def _spaces(size: int, actions: int) -> tuple[gymnasium.spaces.Box, gymnasium.spaces.Discrete]:
    """The spaces of observations, which are unbounded, and of actions."""
    box = gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float32)
    return box, gymnasium.spaces.Discrete(actions)


def _register_games() -> None:
    """Registers the installed games with Gymnasium, for ``make`` and ``make_vec``."""
    for name in registry.names():
        gymnasium.register(
            f"kibitz/{name}",
            entry_point=f"{__name__}:KibitzEnv",
            vector_entry_point=f"{__name__}:KibitzVectorEnv",
            kwargs={"game": name},
        )


_register_games()

__all__ = ["KibitzEnv", "KibitzVectorEnv"]

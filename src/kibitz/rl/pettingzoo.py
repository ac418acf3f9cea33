"""Environments of PettingZoo, AEC and parallel, in which learners play every seat.

They need the extra ``kibitz[pettingzoo]``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kibitz.core.errors import (
    IllegalActionError,
    MissingExtraError,
    ParameterError,
    did_you_mean,
)
from kibitz.core.status import Status
from kibitz.loading import Playable, find_table
from kibitz.rl.seated import Array, Copyable, SeatedGame, check_illegal, check_render_mode

try:
    from gymnasium import spaces
    from gymnasium.utils import EzPickle
    from gymnasium.utils.seeding import np_random
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils.env import AECIterable
except ImportError:
    raise MissingExtraError("Environments of PettingZoo", "pettingzoo") from None


class _Seats(Copyable, EzPickle):
    """Base of both environments, which differ in the form of a step."""

    agents: list[str]

    def __init__(
        self,
        game: Playable,
        *,
        players: int | None = None,
        parameters: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
    ) -> None:
        EzPickle.__init__(
            self, game, players=players, parameters=parameters, render_mode=render_mode
        )
        check_render_mode(render_mode)
        self.table = find_table(game, players, parameters)
        self.metadata: dict[str, Any] = {
            "render_modes": ["ansi"],
            "name": self.table.game.name,
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.agents = []
        self.possible_agents = [f"player_{i}" for i in range(self.table.players)]
        self._number = {agent: i for i, agent in enumerate(self.possible_agents)}
        self._game = SeatedGame(self.table, [None] * self.table.players)
        self._rng, _ = np_random()
        encoder = self.table.encoder
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(-np.inf, np.inf, (encoder.size,), np.float32),
                    "action_mask": spaces.Box(0, 1, (encoder.actions_count,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: spaces.Discrete(encoder.actions_count) for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The observation space of a seat."""
        return self.observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The action space of a seat: indices of actions."""
        return self.action_spaces[self._known(agent)]

    def observe(self, agent: str) -> dict[str, Any]:
        """The observation of a seat, and the mask of its legal actions.

        Raises:
            ParameterError: there is no such seat, or no game has begun.
        """
        number = self._number[self._known(agent)]
        return {"observation": self._game.observation(number), "action_mask": self._mask(number)}

    def _mask(self, number: int) -> Array:
        """The mask of a seat: zeros unless it is the one to act."""
        return self._game.mask(number)

    def render(self) -> str | None:
        """What the seat to act sees, in words, if the mode is ``"ansi"``.

        Raises:
            ParameterError: no game has begun.
        """
        if self.render_mode is None:
            return None
        state = self._game.state
        return state.describe(state.current_player)

    def close(self) -> None:
        """Does nothing: the environment holds no resources."""

    def _known(self, agent: str) -> str:
        """The agent, if it is one of the seats."""
        if agent not in self._number:
            raise ParameterError(did_you_mean(str(agent), self.possible_agents, "agent"))
        return agent

    def _check_in_play(self) -> None:
        """Raises ParameterError if there is no game in play."""
        if not self.agents:
            raise ParameterError("No game is in play: call reset() for the next one.")

    def _begin(self, seed: int | None) -> None:
        if seed is not None:
            self._rng, _ = np_random(seed)
        self._game.begin(self._rng)
        self.agents = list(self.possible_agents)

    def _result(
        self,
    ) -> tuple[dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Rewards, terminations, truncations and infos of all seats after an action."""
        agents, state = self.agents, self._game.state
        if not state.is_terminal:
            going_on = dict.fromkeys(agents, False)
            return dict.fromkeys(agents, 0.0), going_on, going_on.copy(), {a: {} for a in agents}
        status = state.status
        finished = status == Status.FINISHED
        return (
            dict(zip(agents, self._game.rewards(), strict=True)),
            dict.fromkeys(agents, finished),
            dict.fromkeys(agents, not finished),
            {agent: {"status": status.name.lower()} for agent in agents},
        )

    @property
    def _to_act(self) -> str:
        return self.possible_agents[self._game.state.current_player]


class KibitzAECEnv(_Seats, AECEnv[str, dict[str, Any], int]):
    """A game in which ``agent_selection`` says who decides.

    >>> from kibitz.rl.pettingzoo import KibitzAECEnv
    >>> env = KibitzAECEnv("love-letter", players=2)
    >>> env.reset(seed=1)
    >>> for agent in env.agent_iter():
    ...     observation, reward, terminated, truncated, info = env.last()
    ...     over = terminated or truncated
    ...     mask = observation["action_mask"]
    ...     env.step(None if over else env.action_space(agent).sample(mask))

    Seats are called ``player_0``, ``player_1``, ... An observation has what the seat sees
    (``"observation"``, float32) and the mask of its legal actions (``"action_mask"``, int8;
    zeros when it is not its turn). Rewards are what the game is played for, when it ends: the
    returns, -1 to 1, or the scores, negated if the lowest wins; else 0. A game that breaks off
    is *truncated*. An action that is not legal raises
    IllegalActionError; PettingZoo's ``TerminateIllegalWrapper`` makes it a loss. A copy by
    ``copy.deepcopy`` plays on; one by pickle is a new environment with the same arguments.

    Attributes:
        table: the game with its players and parameters.

    Args:
        game: a name, the path of a file in any language, a game, or a table.
        players: how many seats; by default the game's usual number.
        parameters: values of the game's parameters by name.
        render_mode: ``"ansi"`` for texts that show what the seat to act sees.

    Raises:
        KibitzError: there is no such game, or a value is wrong.
    """

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game; `seed` begins a series of games, as in every environment."""
        self._begin(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._to_act

    def step(self, action: int | None) -> None:
        """Plays an action of ``agent_selection``; ``None`` where its game is over.

        Raises:
            IllegalActionError: it is not legal; nothing is played.
            ParameterError: there is no action while the game goes on, or no game is in play.
        """
        self._check_in_play()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ParameterError("The game goes on: give the index of a legal action.")
        self._game.step(action)
        self._cumulative_rewards[agent] = 0.0
        self.rewards, self.terminations, self.truncations, self.infos = self._result()
        over = self._game.state.is_terminal
        self.agent_selection = self.agents[0] if over else self._to_act
        self._accumulate_rewards()

    def last(
        self, observe: bool = True
    ) -> tuple[dict[str, Any] | None, float, bool, bool, dict[str, Any]]:
        """Observation, reward, ends and info of ``agent_selection``.

        Raises:
            ParameterError: no game is in play.
        """
        self._check_in_play()
        return super().last(observe)

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, dict[str, Any], int]:
        """Who decides, one after the other, until the game is over.

        Raises:
            ParameterError: no game is in play.
        """
        self._check_in_play()
        return super().agent_iter(max_iter)


class KibitzParallelEnv(_Seats, ParallelEnv[str, dict[str, Any], int]):
    """A game in which all seats are asked at every step, and those who choose now act.

    >>> from kibitz.rl.pettingzoo import KibitzParallelEnv
    >>> env = KibitzParallelEnv("love-letter", players=2)
    >>> observations, infos = env.reset(seed=1)
    >>> while env.agents:
    ...     actions = {
    ...         agent: env.action_space(agent).sample(observations[agent]["action_mask"])
    ...         for agent in env.agents
    ...     }
    ...     observations, rewards, terminations, truncations, infos = env.step(actions)

    Where several players choose at the same time, each has a mask with legal actions, and one
    step plays their choices together, as in ``light-cycles``. Elsewhere only one mask has any.
    The actions of the other seats, whose masks are zeros, are not looked at; they may be left
    out. Otherwise all is as in ``KibitzAECEnv``, and so are the other arguments.

    Args:
        illegal: what an action does that is not legal: ``"lose"`` ends the game with the reward
            -1 for its seat and 0 for the others, and its info's ``"illegal"`` says why;
            ``"error"`` raises IllegalActionError.
    """

    def __init__(
        self,
        game: Playable,
        *,
        players: int | None = None,
        parameters: Mapping[str, Any] | None = None,
        illegal: str = "lose",
        render_mode: str | None = None,
    ) -> None:
        super().__init__(game, players=players, parameters=parameters, render_mode=render_mode)
        check_illegal(illegal)
        self.illegal = illegal
        self._ezpickle_kwargs["illegal"] = illegal

    def _mask(self, number: int) -> Array:
        """The mask of a seat: zeros unless it chooses now, perhaps with others."""
        return self._game.mask_together(number)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begins a game; `seed` begins a series of games, as in every environment."""
        self._begin(seed)
        return {agent: self.observe(agent) for agent in self.agents}, {a: {} for a in self.agents}

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[
        dict[str, Any],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Plays the actions of the seats that choose now.

        Raises:
            IllegalActionError: one is not legal, and `illegal` is ``"error"``; nothing is played.
            ParameterError: one is missing, or no game is in play.
        """
        self._check_in_play()
        if not isinstance(actions, Mapping):
            raise ParameterError(f"actions = {actions!r} should have one for each agent, by name.")
        seats, chosen = self.agents, {}
        for number in self._game.state.choosing:
            agent = self.possible_agents[number]
            if agent not in actions:
                raise ParameterError(f"It is the turn of {agent}: give its action.")
            chosen[number] = actions[agent]
        try:
            self._game.step_together(chosen)
        except IllegalActionError as problem:
            if self.illegal == "error" or problem.state is None:
                raise
            loser = self.possible_agents[problem.state.current_player]
            self.agents = []
            return (
                {agent: self.observe(agent) for agent in seats},
                {agent: -1.0 if agent == loser else 0.0 for agent in seats},
                dict.fromkeys(seats, True),
                dict.fromkeys(seats, False),
                {agent: {"illegal": str(problem)} if agent == loser else {} for agent in seats},
            )
        result = self._result()
        if self._game.state.is_terminal:
            self.agents = []
        return {agent: self.observe(agent) for agent in seats}, *result


__all__ = ["KibitzAECEnv", "KibitzParallelEnv"]

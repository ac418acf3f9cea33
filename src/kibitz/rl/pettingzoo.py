"""Games as environments of PettingZoo, in which a learner plays every seat in its turn (AEC).

They need the extra ``kibitz[pettingzoo]``. There is no parallel environment: at our tables the
players decide one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kibitz.core.errors import MissingExtraError, ParameterError
from kibitz.core.game import Game
from kibitz.core.status import Status
from kibitz.rl.seated import SeatedGame, table_of

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
except ImportError:
    raise MissingExtraError("Environments of PettingZoo", "pettingzoo") from None


class KibitzAECEnv(AECEnv[str, dict[str, Any], int]):
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
    zeros when it is not its turn). Rewards are the returns, -1 to 1, when the game ends, and
    else 0. A game that breaks off is *truncated*. An action that is not legal raises
    IllegalActionError; PettingZoo's ``TerminateIllegalWrapper`` makes it a loss.

    Attributes:
        table: the game with its players and parameters.

    Args:
        game: a name, the path of a file in any language, or a game.
        players: how many seats; by default the game's usual number.
        parameters: values of the game's parameters by name.
        render_mode: ``"ansi"`` for texts that show what the seat to act sees.

    Raises:
        KibitzError: there is no such game, or a value is wrong.
    """

    def __init__(
        self,
        game: str | Game,
        *,
        players: int | None = None,
        parameters: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
    ) -> None:
        if render_mode not in (None, "ansi"):
            raise ParameterError(f"render_mode = {render_mode!r} should be 'ansi' or None.")
        super().__init__()
        self.table = table_of(game, players, parameters)
        self.metadata: dict[str, Any] = {
            "render_modes": ["ansi"],
            "name": self.table.game.name,
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.possible_agents = [f"player_{i}" for i in range(self.table.players)]
        self._number = {agent: i for i, agent in enumerate(self.possible_agents)}
        self._game = SeatedGame(self.table, [None] * self.table.players)
        self._rng = np.random.default_rng()
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
        """What a seat observes."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The actions of a seat, by index."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game; `seed` begins a series of games, as in every environment."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self._game.begin(self._rng)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self._game.state.current_player]

    def observe(self, agent: str) -> dict[str, Any]:
        """What a seat sees, and which of its actions are legal now."""
        number = self._number[agent]
        return {
            "observation": self._game.observation(number),
            "action_mask": self._game.mask(number),
        }

    def step(self, action: int | None) -> None:
        """Plays an action of ``agent_selection``; ``None`` where its game is over.

        Raises:
            IllegalActionError: it is not legal; nothing is played.
            ParameterError: there is no action while the game goes on.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ParameterError("The game goes on: give the index of a legal action.")
        self._game.step(int(action))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        state = self._game.state
        if state.is_terminal:
            finished = state.status == Status.FINISHED
            self.rewards = dict(zip(self.agents, self._game.returns(), strict=True))
            self.terminations = dict.fromkeys(self.agents, finished)
            self.truncations = dict.fromkeys(self.agents, not finished)
            self.infos = {name: {"status": state.status.name.lower()} for name in self.agents}
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self.possible_agents[state.current_player]
        self._accumulate_rewards()

    def render(self) -> str | None:
        """What the seat to act sees, in words, if the mode is ``"ansi"``."""
        if self.render_mode is None:
            return None
        return self._game.state.describe(self._number[self.agent_selection])

    def close(self) -> None:
        """Nothing is held that would have to be given back."""


__all__ = ["KibitzAECEnv"]

"""A game stepped by indices of actions, with agents at some seats, for the environments."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Self, SupportsIndex

import numpy as np

from kibitz.core.agent import Agent, NativeBinding, make_agent
from kibitz.core.errors import (
    AgentError,
    GameDefinitionError,
    IllegalActionError,
    ParameterError,
    PlayError,
)
from kibitz.core.game import Table
from kibitz.core.memory import INT8
from kibitz.core.parameters import whole_number
from kibitz.core.state import State
from kibitz.core.status import Status
from kibitz.core.utility import utilities, utility_at
from kibitz.players.seat import AgentSeat
from kibitz.rl.one_table import FAILED, REFUSED, OneTable, is_quick
from kibitz.rl.stepping import MOST_SKIPPED

Array = np.ndarray[Any, Any]

LARGEST_SEED = 2**60
"""Upper bound of the random seeds of games, exclusive."""

_LEAST = -(2**63)
"""The least number that an action may be given as."""

ILLEGAL = ("lose", "error")
"""The possible effects of an illegal action in an environment."""


def check_illegal(illegal: str) -> None:
    """Raises ParameterError unless this is an effect of illegal actions, of ``ILLEGAL``."""
    if illegal not in ILLEGAL:
        raise ParameterError(f"illegal = {illegal!r} should be one of {', '.join(ILLEGAL)}.")


def check_render_mode(render_mode: str | None) -> None:
    """Raises ParameterError unless environments have this render mode."""
    if render_mode not in (None, "ansi"):
        raise ParameterError(f"render_mode = {render_mode!r} should be 'ansi' or None.")


class SeatedGame:
    """A game in which the learner chooses actions by index, and agents play the other seats.

    All kinds of agents can play: those with a memory, those that follow the game, and those that
    decide in Python.

    Args:
        agents: the agent at each seat; ``None``: the learner.

    Raises:
        AgentError: an agent cannot play this game, or no seat is left for the learner.
    """

    def __init__(self, table: Table, agents: Sequence[Agent | None]) -> None:
        check_seats(table, agents)
        for agent in filter(None, agents):
            agent.check_game(table)
        self.table = table
        self._agents = tuple(agents)
        self._utility = utility_at(table)
        self._state: State | None = None
        self._actions: list[int] = []
        self._seats = {i: AgentSeat(a, table, i) for i, a in enumerate(agents) if a is not None}
        self._watching = [seat for seat in self._seats.values() if seat.watches]
        bindings = {number: seat.binding for number, seat in self._seats.items()}
        self._quick: OneTable | None = None
        if is_quick(table, bindings.values()):
            self._quick = OneTable(table, bindings)

    @property
    def begun(self) -> bool:
        """Whether a game has begun, in play or over."""
        return self._state is not None

    @property
    def state(self) -> State:
        """The state of the game.

        Raises:
            ParameterError: no game has begun.
        """
        if self._state is None:
            raise ParameterError("No game has begun: call reset().")
        return self._state

    def begin(self, rng: np.random.Generator) -> None:
        """Begins a game with a seed drawn from `rng`, and plays up to the learner's decision.

        Games in which the learner has no decision are skipped.

        Raises:
            GameDefinitionError: the learner had no decision in ``MOST_SKIPPED`` games.
        """
        for _ in range(MOST_SKIPPED):
            if self.begin_from(int(rng.integers(LARGEST_SEED))):
                return
        raise GameDefinitionError(
            f"{self.table}: {MOST_SKIPPED:,} games ended one after the other before the learner "
            f"had a decision. Give the learner another seat, or try check_game."
        )

    def begin_from(self, seed: int) -> bool:
        """Begins the game of a seed; returns whether the learner has a decision in it."""
        self._set_up(seed)
        self._advance()
        return not self.state.is_terminal

    def _set_up(self, seed: int) -> None:
        self._state = self.table.new_state(seed)
        self._actions = []
        for seat in self._seats.values():
            seat.begin(seed)
        for seat in self._watching:
            seat.watch(self.state)

    def __deepcopy__(self, memo: dict[int, Any]) -> SeatedGame:
        """A copy that continues exactly like this one.

        The memory of a compiled agent is bound to an address. So the copies of agents watch the
        game again, and those that learn during a game decide again.
        """
        twin = SeatedGame(self.table, copy.deepcopy(self._agents, memo))
        if self._state is not None and self._quick is not None:
            twin._state = self._state.clone()
        elif self._state is not None and self._state.seed is not None:
            twin._set_up(self._state.seed)
            for action in self._actions:
                twin._decide_again()
                twin._play(action)
        for number, seat in twin._seats.items():
            seat.binding.go_on_like(self._seats[number].binding)
        return twin

    def _decide_again(self) -> None:
        """Has the agent to move decide again, if it is compiled and learns during a game."""
        legal = self.state.legal_actions()
        player = self.state.current_player
        agent, seat = self._agents[player], self._seats.get(player)
        if agent is None or seat is None or not agent.learns or len(legal) == 1:
            return
        if isinstance(seat.binding, NativeBinding):
            seat.decide(self.state, legal)

    def step(self, index: SupportsIndex) -> None:
        """Plays the learner's action, and then the agents until the learner decides again.

        A game that was broken off is over: ``state.status`` says why.

        Raises:
            IllegalActionError: there is no such action, or it is not legal; nothing is played.
            ParameterError: it is no whole number, or no game has begun.
        """
        state = self.state
        number = index if type(index) is int else whole_number("action", index, _LEAST)
        if self._quick is not None and 0 <= number < self._quick.count:
            result = self._quick.step(state.address, number)
            if result != REFUSED:
                self._check(result)
                return
        self._play(self._action(number, state))
        self._advance()

    def step_together(self, actions: Mapping[int, SupportsIndex]) -> None:
        """Plays the actions, by seat, of all who choose at the same time, as ``step`` does.

        Every seat has a learner.

        Raises:
            IllegalActionError: one is not legal, and its state is that in which its seat decides;
                nothing is played.
            ParameterError: one is no whole number, or no game has begun.
        """
        state, chosen = self.state, {}
        for player in state.choosing:
            asked = state.asking(player)
            number = whole_number("action", actions[player], _LEAST)
            chosen[player] = self._action(number, asked)
            if chosen[player] not in asked.legal_actions():
                asked.apply(chosen[player])  # raises the error, and says what is legal
        while not state.is_terminal and state.current_player in chosen:
            self._play(chosen.pop(state.current_player))
        self._advance()

    def _action(self, number: int, state: State) -> int:
        """The action with this index in the mask of a state."""
        try:
            return self.table.encoder.action(number, state)
        except (IndexError, ValueError):
            raise IllegalActionError(
                f"Action {number} is none of this decision of player {state.current_player + 1}: "
                f"choose where the mask is 1.",
                state=state.clone(),
                seed=state.seed,
            ) from None

    def observation(self, player: int) -> Array:
        """The observation of a seat: (size,) float32."""
        return self.table.encoder.encode(self.state, player)

    def mask(self, player: int) -> Array:
        """The mask of a seat, (actions,) int8: 1 where an action is legal; zeros out of turn."""
        return self._mask(self.state, player)

    def mask_together(self, player: int) -> Array:
        """The mask of a seat that also has its actions where several choose at the same time."""
        state = self.state
        return self._mask(state.asking(player) if player in state.choosing else state, player)

    def _mask(self, state: State, player: int) -> Array:
        encoder = self.table.encoder
        return encoder.mask(state, np.empty(encoder.actions_count, INT8), player)

    def rewards(self) -> list[float]:
        """What each seat gets at the end of a finished game, in what the game is played for.

        These are the returns, -1 to 1, or the scores, negated if the lowest wins; zeros before
        the end.
        """
        return utilities(self.state, self._utility)

    def _check(self, result: int) -> None:
        """Raises IllegalActionError if compiled code says that an agent has failed."""
        if result == FAILED and self._quick is not None:
            self.state.apply(self._quick.refused)

    def _advance(self) -> None:
        """Lets the agents play until the learner decides."""
        state = self.state
        if self._quick is not None:
            self._check(self._quick.go_on(state.address))
            return
        while not state.is_terminal:
            try:
                legal = state.legal_actions()
            except PlayError:  # the rules may have broken off the game
                if state.status == Status.PLAYING:
                    raise
                return
            seat = self._seats.get(state.current_player)
            if seat is None:
                return
            self._play(legal[0] if len(legal) == 1 else seat.decide(state, legal))
        for seat in self._seats.values():
            seat.end(state)

    def _play(self, action: int) -> None:
        state = self.state
        try:
            state.apply(action)
        except PlayError:
            if not state.is_terminal:
                raise
            self._actions.append(action)
            return
        self._actions.append(action)
        for seat in self._watching:
            seat.watch(state)


class Copyable:
    """An environment that ``copy.deepcopy`` copies with the game in progress."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A copy that continues like this one, independently."""
        twin = type(self).__new__(type(self))
        memo[id(self)] = twin
        for name, value in vars(self).items():
            vars(twin)[name] = copy.deepcopy(value, memo)
        return twin


def made_agents(agents: Sequence[str | Agent | None]) -> list[Agent | None]:
    """Makes the agents of a list, in which ``None`` stands for the learner.

    Raises:
        AgentError: the argument is not a list.
        KibitzError: there is no such agent.
    """
    if isinstance(agents, str) or not isinstance(agents, Sequence):
        raise AgentError(
            f"agents = {agents!r} should be a list with one for each seat, None for the learner."
        )
    return [agent if agent is None else make_agent(agent) for agent in agents]


def check_seats(table: Table, agents: Sequence[Agent | None]) -> None:
    """Checks that there is an agent, or ``None`` for the learner, for each seat.

    Raises:
        AgentError: the number of agents is wrong, or no seat is left for the learner.
    """
    if len(agents) != table.players:
        raise AgentError(
            f"{len(agents)} agents for {table.players} seats: give one for each, None for the "
            f"learner."
        )
    if all(agents):
        raise AgentError("All seats have agents: give None for a seat of the learner.")


def agents_around(
    table: Table, seat: int, agents: str | Agent | Sequence[str | Agent | None]
) -> list[Agent | None]:
    """An agent for each seat, with ``None`` at that of the learner.

    Args:
        seat: the learner's seat, from 0.
        agents: one agent for all other seats, or a list with ``None`` at the learner's seat.

    Raises:
        AgentError: there is no such seat, or the agents do not fit the seats.
    """
    if not 0 <= whole_number("seat", seat) < table.players:
        raise AgentError(f"There is no seat {seat}: seats are numbered 0 .. {table.players - 1}.")
    if isinstance(agents, str | Agent):
        return [None if i == seat else make_agent(agents) for i in range(table.players)]
    seated = made_agents(agents)
    if [i for i, agent in enumerate(seated) if agent is None] != [seat]:
        raise AgentError(
            f"The learner has seat {seat}: give None there, and an agent for each other seat."
        )
    return seated


__all__ = [
    "Copyable",
    "SeatedGame",
    "agents_around",
    "check_illegal",
    "check_render_mode",
    "check_seats",
    "made_agents",
]

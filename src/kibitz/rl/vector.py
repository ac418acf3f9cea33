"""Vector environments: many tables of one game, stepped together."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import Agent, Binding, make_agent
from kibitz.core.errors import AgentError, GameDefinitionError, IllegalActionError, ParameterError
from kibitz.core.game import Game, Table
from kibitz.core.randomness import check_seed, derive_seed
from kibitz.core.state import State
from kibitz.rl.seated import check_seats, table_of
from kibitz.rl.stepping import MOST_SKIPPED, NO_DECISION, VECTOR, stepping

Array = np.ndarray[Any, Any]

REWARDS = ("place", "score")
"""What rewards can be."""


class VectorTables:
    """Tables of one game, of which each waits for an action of the learner.

    The arrays belong to the tables, and every step writes them anew: copy what is to be kept.
    They cannot be written to.

    Attributes:
        table: the game with its players and parameters; ``table.encoder`` has the names of what
            is observed, and the index of actions.
        n: how many tables there are.
        players: seats at each.
        observations: (n, size) float32: what the seat to act sees.
        masks: (n, actions) uint8: 1 where its action is legal.
        rewards: (n, players) float32: the returns of the game that the last step ended, or its
            points; else 0, and 0 too for a game that broke off.
        to_act: (n,) int64: the seat to act.
        done: (n,) bool: whether the last step ended a game; the table plays the next one.
        status: (n,) int32: the ``Status`` of the game that the last step ended, else 0.
        history: (n, recall, size) float32: what the seat to act saw at the last moments of its
            game, the latest first: one when the game began, and one after every action of anybody.
            Zeros before the beginning.
        own_actions: (n, recall) int64: the index of the action by which that seat itself brought a
            moment about; -1: it did not.
    """

    def __init__(
        self,
        table: Table,
        n: int,
        agents: Sequence[Agent | None],
        seed: int = 0,
        threads: int = 1,
        by: str = "place",
        recall: int = 0,
    ) -> None:
        """
        Args:
            table: what is played.
            n: how many tables.
            agents: who sits at each seat; ``None``: the learner.
            seed: of all games.
            threads: how many step the tables; the result does not depend on it.
            by: what rewards are: ``"place"``, the returns, or ``"score"``, the points, negated
                where the fewest win.
            recall: how many moments of its game a seat remembers.

        Raises:
            AgentError: an agent cannot play here, or no seat is left for the learner.
            GameDefinitionError: the rules are not compiled, or cannot be encoded.
            ParameterError: a number is out of range.
        """
        if n < 1 or threads < 1:
            raise ParameterError(f"{n} tables, {threads} threads: there must be at least one.")
        if recall < 0:
            raise ParameterError(f"recall = {recall} should be 0 or more moments.")
        if by not in REWARDS:
            raise ParameterError(f"by = {by!r} should be one of {', '.join(REWARDS)}.")
        check_seed(seed)
        _check_agents(table, agents)
        self.table = table
        self.n = n
        self.players = table.players
        self.seed = seed
        encoder = table.encoder
        self._size = table.state_size
        written: dict[str, Array] = {
            "observations": np.zeros((n, encoder.size), np.float32),
            "masks": np.zeros((n, encoder.actions_count), np.uint8),
            "rewards": np.zeros((n, table.players), np.float32),
            "to_act": np.zeros(n, np.int64),
            "done": np.zeros(n, np.bool_),
            "status": np.zeros(n, np.int32),
            "history": np.zeros((n, recall, encoder.size), np.float32),
            "own_actions": np.zeros((n, recall), np.int64),
        }
        self._own: dict[str, Array] = {
            "states": np.zeros(n * self._size // 8 + 1, np.int64),
            "games": np.zeros(n, np.int64),
            "streams": np.zeros((n, table.players, 4), np.int64),
            "actions": np.zeros(n, np.int64),
            "moments": np.zeros(n, np.int64),
            "seen": np.zeros((n, table.players, recall, encoder.size), np.float32),
            "taken": np.zeros((n, table.players, recall), np.int64),
        }
        self._seats = [_Seats(table, agents) for _ in range(min(threads, n))]
        for seats in self._seats:
            seats.vector["encoder"] = encoder.address
            seats.vector["seed"] = seed
            seats.vector["tables"] = n
            seats.vector["recall"] = recall
            seats.vector["by_score"] = by == "score"
            for name, array in {**written, **self._own}.items():
                seats.vector[name] = array.ctypes.data
        for array in written.values():
            array.flags.writeable = False
        self.observations: Array = written["observations"]
        self.masks: Array = written["masks"]
        self.rewards: Array = written["rewards"]
        self.to_act: Array = written["to_act"]
        self.done: Array = written["done"]
        self.status: Array = written["status"]
        self.history: Array = written["history"]
        self.own_actions: Array = written["own_actions"]
        self._rows = np.arange(n)
        self._native = stepping()
        self._pool = ThreadPoolExecutor(len(self._seats)) if len(self._seats) > 1 else None
        self.reset()

    def reset(self) -> None:
        """Begins again with the first game of each table, as if new."""
        self._run("reset")

    def step(self, actions: Array | Sequence[int]) -> None:
        """Plays an action at every table, and then the agents until the learner decides again.

        Where a game ends the next one begins in the same step: ``done`` and ``rewards`` tell of
        the old game, the observation and the mask are of the new one. A game in which the
        learner has no decision is passed over.

        Args:
            actions: for each table the index of a legal action, as in ``masks``.

        Raises:
            IllegalActionError: an action is not legal; nothing has been played.
            ValueError: there are not as many whole numbers as tables.
        """
        chosen = np.asarray(actions)
        if chosen.shape != (self.n,) or chosen.dtype.kind not in "iu":
            raise ValueError(
                f"actions should be {self.n} whole numbers, one for each table; they have shape "
                f"{chosen.shape} and type {chosen.dtype}."
            )
        within = (chosen >= 0) & (chosen < self.masks.shape[1])
        legal = within & (self.masks[self._rows, np.where(within, chosen, 0)] != 0)
        if not legal.all():
            raise self._illegal(int(np.argmin(legal)), chosen)
        self._own["actions"][:] = chosen
        self._run("step")

    def state(self, number: int) -> State:
        """A copy of the state of a table, with all that is hidden."""
        if not 0 <= number < self.n:
            raise IndexError(f"tables are numbered 0 .. {self.n - 1}; got {number}")
        first = number * self._size
        return State(
            self.table, self._own["states"].view(np.uint8)[first:][: self._size].tobytes()
        )

    def game_seed(self, number: int) -> int:
        """The seed of the game that a table plays: ``table.new_state(seed)`` begins like it."""
        return derive_seed([0] * 4, self.seed, int(self._own["games"][number]))

    def close(self) -> None:
        """Ends the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def _run(self, name: str) -> None:
        function, count = self._native[name], len(self._seats)
        parts = [
            (int(seats.vector.ctypes.data), i * self.n // count, (i + 1) * self.n // count)
            for i, seats in enumerate(self._seats)
        ]
        calls = [(address, first, end - first) for address, first, end in parts]
        if self._pool is None:
            outcomes = [function(*calls[0])]
        else:
            futures = [self._pool.submit(function, *call) for call in calls]
            try:
                wait(futures)
            finally:  # an interrupt leaves no thread at the tables
                wait(futures)
            outcomes = [future.result() for future in futures]
        for outcome in outcomes:
            if outcome:
                raise self._failure(*divmod(outcome, 4))

    def _failure(self, number: int, how: int) -> GameDefinitionError:
        where = f"{self.table}, table {number} (seed {self.game_seed(number)})"
        if how == NO_DECISION:
            return GameDefinitionError(
                f"{where}: {MOST_SKIPPED:,} games ended one after the other before the learner "
                f"had a decision. Give the learner another seat, or try check_game."
            )
        return GameDefinitionError(
            f"{where}: a legal action is none of those that are declared; check_game tells more."
        )

    def _illegal(self, number: int, chosen: Array) -> IllegalActionError:
        index, state = int(chosen[number]), self.state(number)
        encoder = self.table.encoder
        try:
            words = f" ({state.action_words(encoder.action(index, state))})"
        except (IndexError, ValueError):
            words = ""
        legal = np.flatnonzero(self.masks[number]).tolist()
        listed = ", ".join(map(str, legal[:10])) + (", ..." if len(legal) > 10 else "")
        return IllegalActionError(
            f"Table {number}: action {index}{words} is not legal for player "
            f"{state.current_player + 1}; legal are {listed}. Choose where masks[{number}] is 1.",
            state=state,
        )


class _Seats:
    """What one thread needs: rules and agents of its own, and room for a decision."""

    def __init__(self, table: Table, agents: Sequence[Agent | None]) -> None:
        self._table = table.fork()  # what is only known by its address must be kept alive
        self._bindings: list[Binding | None] = [a.bind(self._table) if a else None for a in agents]
        self._rooms = [
            ctypes.create_string_buffer(size) for size in (table.state_size, ACTION_LIST.itemsize)
        ]
        self.vector = np.zeros(1, VECTOR)
        self.vector["rules"] = self._table.address
        for i, binding in enumerate(self._bindings):
            self.vector["agents"][0, i] = binding.address if binding else 0
        self.vector["observation"] = ctypes.addressof(self._rooms[0])
        self.vector["legal"] = ctypes.addressof(self._rooms[1])


def _check_agents(table: Table, agents: Sequence[Agent | None]) -> None:
    if not table.rules.compiled:
        raise GameDefinitionError(
            f"{table.game.name} is not compiled, and so cannot be stepped in compiled code: load "
            f"it with compiled=True."
        )
    check_seats(table, agents)
    for agent in filter(None, agents):
        agent.check_game(table)
        if agent.decides_in_python(table):
            raise AgentError(
                f"The agent {agent.label} decides in Python; compiled agents only can sit at a "
                f"learner's tables."
            )
        if agent.bind(table).record["watch"][0]:
            raise AgentError(
                f"The agent {agent.label} follows the game from its beginning, for which there is "
                f"no room at a learner's tables: choose one that does not."
            )


def make_vec(
    game: str | Game,
    n: int,
    *,
    players: int | None = None,
    agents: Sequence[str | Agent | None] | None = None,
    seed: int = 0,
    parameters: Mapping[str, Any] | None = None,
    threads: int = 1,
    by: str = "place",
    recall: int = 0,
) -> VectorTables:
    """Makes `n` tables of a game, stepped together by compiled code.

    >>> from kibitz.rl import make_vec
    >>> tables = make_vec("connect-four", 4, agents=[None, "random"])
    >>> tables.masks.shape, tables.to_act.tolist()
    ((4, 16), [0, 0, 0, 0])
    >>> tables.step([3, 3, 0, 6])
    >>> tables.done.tolist()
    [False, False, False, False]

    Args:
        game: a name, the path of a file in any language, or a game.
        n: how many tables.
        players: how many seats; by default the game's usual number.
        agents: for each seat an agent, or ``None`` for the learner; by default the learner plays
            all seats. Agents remember nothing from one decision to the next.
        seed: of all games. Game k has the seed ``derive_seed(seed, k)``; table t plays the games
            t, t + n, t + 2 n, ...
        parameters: values of the game's parameters by name.
        threads: how many step the tables; what happens does not depend on it.
        by: what rewards are: ``"place"``, the returns from -1 to 1, or ``"score"``, the points,
            negated where the fewest win.
        recall: how many moments of its game a seat remembers (``history``); with as many as a game
            has actions its memory is perfect.

    Raises:
        KibitzError: there is no such game or agent, a value is wrong, or an agent is not compiled.
    """
    table = table_of(game, players, parameters)
    specs = [None] * table.players if agents is None else agents
    return VectorTables(
        table, n, [a if a is None else make_agent(a) for a in specs], seed, threads, by, recall
    )


__all__ = ["VectorTables", "make_vec"]

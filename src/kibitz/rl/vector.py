"""Vector environments: many tables of one game, stepped together."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

import numpy as np

from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import Agent
from kibitz.core.errors import (
    AgentError,
    GameDefinitionError,
    IllegalActionError,
    PlayError,
)
from kibitz.core.game import Table
from kibitz.core.parameters import whole_number
from kibitz.core.randomness import check_seed, derive_seed
from kibitz.core.state import State
from kibitz.core.utility import utility_at
from kibitz.loading import Playable, find_table
from kibitz.rl.seated import check_seats, made_agents
from kibitz.rl.stepping import (
    LINE,
    MOST_SKIPPED,
    NO_DECISION,
    NO_PROBLEM,
    PROBLEM,
    VECTOR,
    shares_room,
    stepping,
)
from kibitz.rl.threads import Offer, TableThreads
from kibitz.rl.variants import Variants, drawn_tables

Array = np.ndarray[Any, Any]

MOST_KEPT = 256 * 1024 * 1024
"""Maximum size of contexts for each table, in bytes; beyond, each thread has one context."""


class VectorTables:
    """Tables of one game that all wait for an action of the learner.

    The arrays are read-only, and every step overwrites them: copy what you want to keep.

    Attributes:
        table: the game with its players and parameters.
        settings: the possible values of all parameters, by name: one setting, or those drawn.
        names: the names of the numbers of an observation.
        actions: the index of actions.
        n: the number of tables.
        players: the number of seats at each table.
        observations: (n, size) float32: the observation of the seat to act.
        masks: (n, actions) uint8: 1 where an action of the seat to act is legal.
        rewards: (n, players) float32: the returns or scores of the game that the last step ended;
            0 if it ended no game, or a game that was broken off.
        to_act: (n,) int64: the seat to act.
        done: (n,) bool: whether the last step ended a game; the table plays the next one.
        setting: (n,) int64: the number of the setting of the game at each table.
        status: (n,) int32: the ``Status`` of the game that the last step ended, else 0.
        history: (n, recall, size) float32: the last observations of the seat to act, the latest
            first: one at the beginning of the game, and one after every action of any seat.
            Zeros before the beginning.
        endings: (n, size) float32: the observation of `ending_seat` at the end of each table's
            last game; without such a seat there are no rows.
        privileged: (n, size) float32: the state of each table with everything open, in the form of
            the observation of the seat to act; only with ``privileged=True``, else no rows.
        own_actions: (n, recall) int64: for each row of `history`, the index of the seat's own
            action that led to it; -1 if another seat acted.
    """

    def __init__(
        self,
        table: Table,
        n: int,
        agents: Sequence[Agent | None],
        seed: int = 0,
        threads: int = 1,
        by: str | None = None,
        recall: int = 0,
        variants: Sequence[Table] = (),
        ending_seat: int | None = None,
        privileged: bool = False,
    ) -> None:
        """
        Args:
            n: the number of tables.
            agents: the agent at each seat; ``None``: the learner.
            seed: the seed from which those of all games are derived.
            threads: the number of threads; results do not depend on it.
            by: the rewards: ``"place"``, the returns, or ``"score"``, the score, negated if the
                lowest wins; by default what the game is played for.
            recall: the number of rows of `history`.
            variants: tables with other parameters, one of which is drawn for each game; by default
                all games have the parameters of `table`.
            ending_seat: the seat whose last observation of each game is kept in `endings`.
            privileged: whether `privileged` is written, for critics in training.

        Raises:
            AgentError: an agent cannot play this game, or no seat is left for the learner.
            GameDefinitionError: the rules are not compiled, or cannot be encoded.
            ParameterError: a number is out of range.
        """
        n, threads = whole_number("n", n, 1), whole_number("threads", threads, 1)
        recall = whole_number("recall", recall)
        by = utility_at(table, by)
        check_seed(seed)
        played = Variants(variants or [table])
        for variant in played.tables:
            _check_agents(variant, agents)
        self.table = table
        self.n = n
        self.players = table.players
        self.seed = seed
        self.settings = tuple(variant.parameters.as_dict() for variant in played.tables)
        self.names = played.names
        self.actions = played.actions
        self._variants = played
        self._arguments = (table, n, agents, seed, threads, by, recall, variants, ending_seat)
        self._privileged = privileged
        self._stop = np.zeros(1, np.int64)
        self._threads = [_Thread(played, agents, self._stop) for _ in range(min(threads, n))]
        self._rooms: dict[str, Array] = {}
        players, size = table.players, len(played.names)
        self.observations = self._shown("observations", (n, size), np.float32)
        self.masks = self._shown("masks", (n, played.actions.count), np.uint8)
        self.rewards = self._shown("rewards", (n, players), np.float32)
        self.to_act = self._shown("to_act", (n,), np.int64)
        self.done = self._shown("done", (n,), np.bool_)
        self.status = self._shown("status", (n,), np.int32)
        self.setting = self._shown("variant", (n,), np.int64)
        self.history = self._shown("history", (n, recall, size), np.float32)
        self.own_actions = self._shown("own_actions", (n, recall), np.int64)
        self.endings: Array = np.zeros((0, size), np.float32)
        self.privileged: Array = np.zeros((0, size), np.float32)
        if privileged:
            self.privileged = self._shown("privileged", (n, size), np.float32)
        if ending_seat is not None:
            self.endings = self._shown("endings", (n, size), np.float32)
        self._states = self._room("states", (n * played.state_size // 8 + 1,), np.int64)
        self._games = self._room("games", (n,), np.int64)
        self._chosen = self._room("actions", (n,), np.int64)
        self._room("streams", (n, players, 4), np.int64)
        self._room("moments", (n,), np.int64)
        self._room("seen", (n, players, recall, size), np.float32)
        self._room("taken", (n, players, recall), np.int64)
        self._contexts: list[Any] = []
        if 0 < n * table.rules.kept_bytes <= MOST_KEPT and len(played.tables) == 1:
            self._contexts = [table.rules.context(table.parameters) for _ in range(n)]
            for context in self._contexts:
                table.rules.stop_by(context, self._stop)
            addresses = self._room("contexts", (n,), np.int64)
            addresses[:] = [ctypes.addressof(context) for context in self._contexts]
        shares = self._room("shares", (shares_room(len(self._threads)) // 8,), np.int64)
        for place, thread in enumerate(self._threads):
            thread.vector["place"] = place
            thread.vector["places"] = len(self._threads)
            thread.vector["seed"] = seed
            thread.vector["tables"] = n
            thread.vector["recall"] = recall
            thread.vector["by_score"] = by == "score"
            thread.vector["ending_seat"] = ending_seat or 0
        self._addresses = [int(thread.vector.ctypes.data) for thread in self._threads]
        self._problem = shares[PROBLEM * LINE // 8 :]
        self._memory = (self._threads, self._rooms, self._contexts, played, self._stop)
        self._native = stepping()
        self._pool = TableThreads(len(self._threads), self._stop)
        self.reset()

    def _room(self, name: str, shape: tuple[int, ...], kind: Any) -> Array:
        """An array of zeros that compiled code knows by this name."""
        array = np.zeros(shape, kind)
        for thread in self._threads:
            thread.vector[name] = array.ctypes.data
        self._rooms[name] = array
        return array

    def _shown(self, name: str, shape: tuple[int, ...], kind: Any) -> Array:
        """A read-only array of the public interface, which compiled code writes."""
        array = self._room(name, shape, kind)
        array.flags.writeable = False
        return array

    def reset(self) -> None:
        """Begins again with the first game of each table.

        Raises:
            KeyboardInterrupt: the work was interrupted.
        """
        self._stop[0] = 0
        self._share(self._offer_resets)

    def step(self, actions: Array | Sequence[int]) -> None:
        """Plays an action at every table, and then the agents until the learner decides again.

        If a game ends, the next one begins in the same step: ``done`` and ``rewards`` belong to
        the old game, the observation and the mask to the new one. Games in which the learner has
        no decision are skipped.

        Args:
            actions: the index of a legal action for each table.

        Raises:
            IllegalActionError: an action is not legal; nothing has been played.
            KeyboardInterrupt: the step was interrupted; the tables have to be ``reset``.
            PlayError: an earlier step was interrupted, and the tables have not been reset.
            ValueError: the actions are not one whole number for each table.
        """
        if self._stop[0]:
            raise PlayError(
                f"{self.table}: the last step was interrupted, and some tables lack it: reset() "
                f"begins the games again."
            )
        chosen = np.asarray(actions)
        if chosen.shape != (self.n,) or chosen.dtype.kind not in "iu":
            raise ValueError(
                f"actions should be {self.n} whole numbers, one for each table; they have shape "
                f"{chosen.shape} and type {chosen.dtype}."
            )
        illegal = self._share(partial(self._offer_steps, chosen))
        if illegal >= 0:
            raise self._illegal(illegal, int(chosen[illegal]))

    def state(self, number: int) -> State:
        """A copy of the full state of a table, hidden information included."""
        self._check_number(number)
        table = self._variants.tables[int(self.setting[number])]
        first = number * self._variants.state_size
        return State(table, self._states.view(np.uint8)[first:][: table.state_size].tobytes())

    def game_seed(self, number: int) -> int:
        """The seed of the game at a table; ``table.new_state(seed)`` begins it again."""
        self._check_number(number)
        return derive_seed([0] * 4, self.seed, int(self._games[number]))

    def _check_number(self, number: int) -> None:
        if not 0 <= whole_number("table", number) < self.n:
            raise IndexError(f"tables are numbered 0 .. {self.n - 1}; got {number}")

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "Tables that are played cannot be pickled: make them with make_vec where they are "
            "needed."
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> VectorTables:
        """A copy that continues like these tables, with its own memory and threads."""
        twin = VectorTables(*self._arguments, privileged=self._privileged)
        twin._stop[:] = self._stop
        for name, array in self._rooms.items():
            if name not in ("contexts", "shares"):  # addresses, and the counters of threads
                ctypes.memmove(twin._rooms[name].ctypes.data, array.ctypes.data, array.nbytes)
        return twin

    def close(self) -> None:
        """Ends the threads."""
        self._pool.close()

    def _offer_resets(self) -> int:
        return self._native["offer_resets"](self._addresses[0])

    def _offer_steps(self, chosen: Array) -> int:
        self._chosen[:] = chosen
        return self._native["offer_steps"](self._addresses[0])

    def _share(self, offer: Offer) -> int:
        """Runs an offer at all tables in all threads; returns its result."""
        # a late thread reads the memory once more, perhaps after the tables have been deleted
        take = partial(_taken, self._native["take"], self._addresses, self._memory)
        refused = self._pool(offer, take)
        if refused == -1 and self._problem[0] != NO_PROBLEM:
            raise self._failure(*divmod(int(self._problem[0]), 4))
        return refused

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

    def _illegal(self, number: int, index: int) -> IllegalActionError:
        state = self.state(number)
        try:
            words = f" ({state.action_words(self.actions.action(index, state))})"
        except (IndexError, ValueError):
            words = ""
        legal = np.flatnonzero(self.masks[number]).tolist()
        listed = ", ".join(map(str, legal[:10])) + (", ..." if len(legal) > 10 else "")
        return IllegalActionError(
            f"Table {number}: action {index}{words} is not legal for player "
            f"{state.current_player + 1}; legal are {listed}. Choose where masks[{number}] is 1.",
            state=state,
        )


class _Thread:
    """The data of one thread: its ``VECTOR`` record, rules, agents and buffers."""

    def __init__(self, variants: Variants, agents: Sequence[Agent | None], stop: Array) -> None:
        self.seats = variants.seats(agents, stop)
        sizes = (variants.state_size, ACTION_LIST.itemsize, 4 * len(variants.names))
        self._rooms = [ctypes.create_string_buffer(size) for size in sizes]
        self.vector = np.zeros(1, VECTOR)
        self.vector["variants"] = self.seats.records.ctypes.data
        self.vector["variant_count"] = len(variants.tables)
        self.vector["stop"] = stop.ctypes.data
        self.vector["players"] = len(agents)
        self.vector["learner"][0, : len(agents)] = [agent is None for agent in agents]
        self.vector["size"] = len(variants.names)
        self.vector["actions_count"] = variants.actions.count
        self.vector["state_size"] = variants.state_size
        for name, room in zip(("observation", "legal", "numbers"), self._rooms, strict=True):
            self.vector[name] = ctypes.addressof(room)


def _taken(
    take: Callable[[int], int], addresses: Sequence[int], memory: object, place: int
) -> bool:
    return take(addresses[place]) == 1


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
    game: Playable,
    n: int,
    *,
    players: int | None = None,
    agents: Sequence[str | Agent | None] | None = None,
    seed: int = 0,
    parameters: Mapping[str, Any] | None = None,
    threads: int = 1,
    by: str | None = None,
    recall: int = 0,
    randomize: bool = False,
    privileged: bool = False,
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
        game: a name, the path of a file in any language, a game, or a table.
        n: the number of tables.
        players: the number of seats; by default the game's usual number.
        agents: for each seat an agent, or ``None`` for the learner; by default the learner plays
            all seats. Agents have no memory between decisions.
        seed: the seed of all games. Game k has the seed ``derive_seed(seed, k)``; table t plays
            the games t, t + n, t + 2 n, ...
        parameters: values of the game's parameters by name.
        threads: the number of threads that step the tables; results do not depend on it.
        by: the rewards: ``"place"``, the returns from -1 to 1, or ``"score"``, the score, negated
            if the lowest wins; by default what the game is played for.
        recall: the number of earlier observations in ``history``; with as many as a game has
            actions it is complete.
        randomize: whether each game draws the parameters that are not set: one of up to 32
            settings (``settings``), which do not depend on the seed. The arrays have room for all
            of them.
        privileged: whether the tables write ``privileged``, which shows everything that is hidden,
            for critics in training.

    Raises:
        KibitzError: there is no such game or agent, a value is wrong, or an agent is not compiled.
    """
    table = find_table(game, players, parameters)
    seated = [None] * table.players if agents is None else made_agents(agents)
    variants = drawn_tables(table, parameters or {}) if randomize else ()
    return VectorTables(
        table, n, seated, seed, threads, by, recall, variants, privileged=privileged
    )


__all__ = ["VectorTables", "make_vec"]

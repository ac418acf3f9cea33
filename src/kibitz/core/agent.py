"""Agents, which choose actions for players.

An agent in Python is a subclass of ``Agent`` with a ``choose`` method, which receives a
determinization: a ``State`` in which everything that its player cannot know is resampled. An agent
in the compiled subset is a subclass of ``NativeAgent`` with an ``act`` function over addresses.
To the match loop both are an ``AGENT`` record with the address of a function.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import operator
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np

from kibitz.core.actions import ACTION_LIST, MAX_ACTIONS
from kibitz.core.errors import (
    AgentError,
    AgentOptionError,
    KibitzError,
    ParameterError,
    UnknownAgentError,
    did_you_mean,
)
from kibitz.core.game import Table
from kibitz.core.interrupt import StoppedError, allowed, run_interruptibly
from kibitz.core.native import Export, compile_native
from kibitz.core.parameters import (
    Code,
    FileName,
    GameParameters,
    Tunable,
    read_assignments,
    read_json_object,
)
from kibitz.core.plugins import OUTSIDE_QUOTES, canonical, imported, installed
from kibitz.core.python_rules import is_rule_function
from kibitz.core.randomness import MASK32, next_uint32, start_stream
from kibitz.core.state import State
from kibitz.core.view import view_at

AGENT = np.dtype(
    [
        ("act", np.int64),  # int64 (agent, rules, observation, actions, count): an action
        ("options", np.int64),  # a record of the agent's options
        ("memory", np.int64),  # its working memory; the first word is 0 at a game's start
        ("memory_size", np.int64),  # bytes
        ("advice", np.int64),  # an ADVICE record to fill, or 0
        ("stop", np.int64),  # address of a word that turns non-zero when it should give up
        ("sees", np.int64),  # 0: it needs no observation, only the list of actions
        ("heuristic", np.int64),  # to evaluate states by, as ``Table.heuristic`` returns it
        ("games", np.int64),  # number of games begun, by which an agent detects a new one
        ("rng", np.int64, (4,)),  # its own random stream
        ("seat", np.int64),  # where it sits, from 0
        ("watch", np.int64),  # void (agent, rules, observation), called when the game begins and
        # after every action with what its seat sees; or 0
        ("watch_rng", np.int64, (4,)),  # a random stream for that call, the same in each replay
        ("guide", np.int64),  # address of the record of an agent that it asks; or 0
        ("best", np.int64),  # the best action so far, for a caller that cannot wait longer;
        # the caller writes NO_ACTION there before it asks
        ("end", np.int64),  # void (agent, rules, observation), called when the game has ended
        # with what its seat sees; or 0
    ]
)
"""An agent as the match loop knows it."""

NO_ACTION = -1
"""A number that no action has."""
ADVICE_ITEM = np.dtype([("action", np.int64), ("weight", np.float64), ("value", np.float64)])
ADVICE = np.dtype([("count", np.int64), ("items", ADVICE_ITEM, (MAX_ACTIONS,))])
"""A search's opinion of each action: its weight (visits or the like) and its value, 0 .. 1."""

ENTRY_POINTS = "kibitz.agents"


class AgentOptions(GameParameters):
    """Base of an agent's ``Options``: declared like game parameters."""

    common: ClassVar[dict[str, Tunable]] = {}

    def __init__(self, /, **values: Any) -> None:
        try:
            super().__init__(0, **values)
        except ParameterError as problem:
            raise AgentOptionError(str(problem).replace("parameter", "option")) from None


class EvaluatingOptions(AgentOptions):
    """Options of agents that evaluate states by one of the game's heuristics."""

    heuristic = Code(
        "own", "what a state is worth: own (the game's), score, rank, another one or a function"
    )

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.tunables["heuristic"] = cls.tunables.pop("heuristic")  # it is listed last


@dataclass(frozen=True)
class Advice:
    """An agent's opinion of one action."""

    action: int
    share: float
    """The action's share of the search, or its probability: 0 .. 1."""
    value: float
    """The result that the agent expects, from 0 (worst) to 1 (best)."""
    visits: float = 0.0
    """The number of times that the search tried the action; 0 if it does not count them."""


class Agent:
    """Base of all agents; an author's own needs only ``choose``.

    ::

        class Cautious(kibitz.Agent):
            name = "cautious"

            def choose(self, state):
                return min(state.legal_actions())

    Attributes:
        name: its name on the command line.
        Options: the class of its options, declared with ``Tunable``.
        game: the only game it can play, or ``None`` for any.
        learns: whether it may keep information from one decision to the next.
        random: a generator that is seeded anew for each game, for reproducible choices.
    """

    name: ClassVar[str] = ""
    game: ClassVar[str | None] = None
    learns: ClassVar[bool] = True
    Options: ClassVar[type[AgentOptions]] = AgentOptions

    def __init__(self, /, **options: Any) -> None:
        self.options: Any = self.Options(**options)
        self.random = random.Random(0)

    def __repr__(self) -> str:
        return self.label

    @property
    def mixes(self) -> bool:
        """Whether it draws its action at random, with the probabilities that it advises."""
        return False

    @property
    def label(self) -> str:
        """The name and the options that differ from their defaults, for ``make_agent``."""
        changed = [f"{name}={value}" for name, value in self.options.changed(0).items()]
        return f"{self.name}:{','.join(changed)}" if changed else self.name

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it reads during play: the values of its ``FileName`` options."""
        values = self.options.as_dict()
        names = [n for n, option in self.Options.tunables.items() if isinstance(option, FileName)]
        return tuple(values[name] for name in names if values[name])

    def start(self, table: Table) -> None:
        """Called when a game begins: the agent forgets what it learned in the last one."""

    def end(self, state: State, player: int) -> None:
        """Called when a game that it plays is over; by default nothing happens.

        A game that broke off, or that people left, has no end.

        Args:
            state: the last state as its seat sees it, with the ``returns()``, ``scores()`` and
                ``places()`` of all; what the seat cannot know is sampled.
            player: the agent's seat, from 0.
        """

    def choose(self, state: State) -> int | str:
        """Chooses a legal action for the current player of `state`.

        Args:
            state: what the player knows; everything else is sampled. It may be cloned and played
                on, and ``state.determinize(player, seed)`` is another sample.
        """
        raise AgentError(f"{type(self).__name__} does not define choose.")

    def advise(self, state: State) -> list[Advice]:
        """Rates the legal actions, best first."""
        action = self.choose(state)
        number = state.action(action) if isinstance(action, str) else action
        return [Advice(number, 1.0, 0.5)]

    def remarks(self) -> Iterator[str]:
        """Warnings about options that look like mistakes, for the person who chose them."""
        return iter(())

    def player_at(self, table: Table) -> Agent:
        """The agent that plays at this table: itself, or one that it chooses for the table."""
        return self

    def decides_in_python(self, table: Table) -> bool:
        """Whether it runs Python code at this table, which only one thread can do at a time."""
        return True

    def check_game(self, table: Table) -> None:
        """Raises AgentError if the agent cannot play at this table."""
        if self.game is not None and table.game.name != self.game:
            raise AgentError(
                f"The agent {self.name} plays {self.game} only, not {table.game.name}."
            )
        self.heuristic_at(table)

    def heuristic_at(self, table: Table) -> int:
        """The heuristic by which it evaluates states, as ``Table.heuristic`` returns it.

        It is 0 for a function of ``called_heuristic``.

        Raises:
            AgentError: the game does not offer the one that the options name.
        """
        if not isinstance(self.options, EvaluatingOptions) or self.called_heuristic is not None:
            return 0
        try:
            return table.heuristic(self.options.as_dict()["heuristic"])
        except ParameterError as problem:
            raise AgentError(f"{self.label}: {problem}") from None

    @property
    def called_heuristic(self) -> Callable[[State, int], float] | None:
        """A heuristic in Python, called with a state and a player; ``None`` if it is compiled."""
        if not isinstance(self.options, EvaluatingOptions):
            return None
        function = self.options.as_dict()["heuristic"]
        return function if callable(function) and not is_rule_function(function) else None

    def bind(self, table: Table) -> Binding:
        """Binds the agent to a table, so that the match loop can call it from one thread."""
        self.check_game(table)
        return _PythonBinding(self, table)


class Binding:
    """An agent bound to a table: its ``AGENT`` record and the memory that the record points to.

    Attributes:
        address: of the record.
        exception: what a Python agent raised, if it did.
        stop: one 64-bit integer; non-zero: it gives up. ``None``: it cannot.
        is_quick: whether compiled code alone can ask it for each action, and it decides at once.
    """

    stop: np.ndarray[Any, Any] | None = None
    is_quick = False

    def __init__(self) -> None:
        self.record = np.zeros(1, AGENT)
        self.address = int(self.record.ctypes.data)
        self.exception: BaseException | None = None

    def ask(self, rules: int, observation: int, actions: int, count: int) -> int:
        """Calls ``act`` with the addresses of its arguments; returns the chosen action."""
        return int(self._function(self.address, rules, observation, actions, count))

    @functools.cached_property
    def _function(self) -> Callable[..., int]:
        return _ACT.bind(int(self.record["act"][0]))

    def answer(self, table: Table, observation: int, actions: int, count: int) -> int:
        """Calls ``act`` from Python, where an interrupt stops it; returns the chosen action.

        Raises:
            AgentError: the agent has no answer.
            KeyboardInterrupt: a signal interrupted it.
        """
        with table.borrowed(self.stop) as rules:
            return self.ask(rules.address, observation, actions, count)

    def give_up(self) -> None:
        """Stops an ``answer`` in another thread; an agent in Python still ends its decision."""

    def raise_kept(self) -> None:
        """Raises what Python code that native code called has raised, if it did."""
        if self.exception is not None:
            problem, self.exception = self.exception, None
            raise problem

    def hear_ends(self) -> None:
        """Has ``end`` called when a game is over."""
        self._end_callback = _END.callback(self.end)
        self.record["end"] = ctypes.cast(self._end_callback, ctypes.c_void_p).value

    def end(self, address: int, rules: int, observation: int) -> None:
        """Called with the addresses of the record, the rules and an observation of the end."""

    @property
    def stream(self) -> int:
        """The address of the agent's random stream."""
        return self.address + AGENT.fields["rng"][1]  # type: ignore[index]

    def mark(self) -> Any:
        """The position in the agent's random stream, for ``go_back``."""
        return tuple(self.record["rng"][0].tolist())

    def go_back(self, mark: Any) -> None:
        """Returns to a marked position in the random stream; forgets what was learned so far."""
        self.record["rng"] = mark

    def go_on_like(self, other: Any) -> None:
        """Takes the place of another binding in its game; this one's agent is a copy."""
        for name in ("rng", "games", "seat"):
            self.record[name] = other.record[name]

    def mark_to_json(self, mark: Any) -> list[int]:
        """A mark as whole numbers."""
        return list(mark)

    def mark_from_json(self, numbers: Sequence[int]) -> Any:
        """The mark that ``mark_to_json`` wrote.

        Raises:
            ValueError: the numbers are not a mark.
        """
        if len(numbers) != 4 or not all(0 <= number <= MASK32 for number in numbers):
            raise ValueError("a random stream has four numbers of 32 bits")
        return tuple(numbers)


class _PythonBinding(Binding):
    """A Python agent bound to a table."""

    def __init__(self, agent: Agent, table: Table) -> None:
        super().__init__()
        self._agent = agent
        self._table = table
        self._games = -1
        self._callback = _ACT.callback(self._act)
        self.record["act"] = ctypes.cast(self._callback, ctypes.c_void_p).value
        self.record["sees"] = 1
        if type(agent).end is not Agent.end:
            self.hear_ends()

    def answer(self, table: Table, observation: int, actions: int, count: int) -> int:
        """Calls ``choose``; its exceptions are not caught."""
        return self._choose(self.address, observation)

    def mark(self) -> Any:
        """The position in the stream, and the state of the generator seeded from it, if any."""
        state = self._agent.random.getstate() if self._games >= 0 else None
        return super().mark(), state

    def go_back(self, mark: Any) -> None:
        """Restarts the agent, at a marked position in its random stream."""
        stream, state = mark
        super().go_back(stream)
        self._games = -1
        if state is not None:
            self._games = int(self.record["games"][0])
            self._agent.start(self._table)
            self._agent.random.setstate(state)

    def go_on_like(self, other: Any) -> None:
        """Takes the place of another binding, in the game that its agent was started for."""
        super().go_on_like(other)
        self._games = other._games

    def mark_to_json(self, mark: Any) -> list[int]:
        """The four numbers of the stream, and those of the generator's state if it has any."""
        stream, state = mark
        return [*stream, *(state[1] if state is not None else ())]

    def mark_from_json(self, numbers: Sequence[int]) -> Any:
        """The mark that ``mark_to_json`` wrote."""
        stream = super().mark_from_json(numbers[:4])
        if len(numbers) == 4:
            return stream, None
        state = (random.Random.VERSION, tuple(numbers[4:]), None)
        random.Random().setstate(state)  # raises ValueError where this is no state
        return stream, state

    def _act(self, address: int, rules: int, observation: int, actions: int, count: int) -> int:
        try:
            return allowed(self._choose, address, observation)
        except BaseException as problem:  # native code cannot pass it on
            self.exception = self.exception or problem
            return -1

    def end(self, address: int, rules: int, observation: int) -> None:
        """Calls the agent's ``end``, and keeps what it raises."""
        try:
            record = self._begun(address)
            allowed(self._agent.end, self._state(observation), int(record.seat))
        except BaseException as problem:  # native code cannot pass it on
            self.exception = self.exception or problem

    def _begun(self, address: int) -> Any:
        """The agent's record; starts the agent if the game is new to it."""
        record = view_at(address, AGENT)
        if record.games != self._games:
            self._games = record.games
            self._agent.random.seed(next_uint32(record.rng) << 32 | next_uint32(record.rng))
            self._agent.start(self._table)
        return record

    def _state(self, observation: int) -> State:
        return State(self._table, ctypes.string_at(observation, self._table.state_size))

    def _choose(self, address: int, observation: int) -> int:
        self._begun(address)
        state = self._state(observation)
        action = self._agent.choose(state)
        if isinstance(action, str):
            return state.action(action)
        with contextlib.suppress(TypeError):
            number = operator.index(action)
            if 0 <= number < 2**63:
                return number
        raise AgentError(
            f"{self._agent.label} returned {action!r}: choose returns one of "
            "state.legal_actions(), or its words."
        )


class NativeAgent(Agent):
    """Base of agents that decide in compiled code.

    A subclass defines ``act(agent, rules, observation, actions, count)`` as a static function
    over addresses, and how much working memory it needs.
    """

    sees: ClassVar[bool] = True
    learns = False
    act: ClassVar[Callable[..., int]]
    watch: ClassVar[Callable[..., None]]
    """Called with the seat's observation at the start of a game and after every action.

    ``watches`` decides whether it is called.
    """
    compiled_as: ClassVar[str] = ""
    """The name of the compiled code in messages; by default ``the agent NAME``."""
    takes_long: ClassVar[bool] = True
    """Whether a decision may take long, so that an interrupt stops it instead of waiting."""

    def record(self, table: Table) -> bytes:
        """The record of options that ``act`` reads at this table; by default ``options``."""
        record: bytes = self.options.record()
        return record

    def memory_size(self, table: Table) -> int:
        """The working memory it needs at this table, in bytes."""
        return 0

    def decides_in_python(self, table: Table) -> bool:
        """Whether it evaluates states by a function in Python; it decides in compiled code."""
        return self.called_heuristic is not None

    def watches(self, table: Table) -> bool:
        """Whether ``watch`` is to be called at this table."""
        return False

    def guide(self) -> Agent | None:
        """The agent that ``act`` asks what players would do, if any; bound to the same table."""
        return None

    @property
    def _watch_address(self) -> int:
        name = f"how {self.compiled_as or self.name} follows the game"
        return _compiled(type(self).watch, name, "watch", "viii", True)

    def compile(self) -> int:
        """Compiles ``act``, or finds it in the cache, and returns its address."""
        name = self.compiled_as or f"the agent {self.name}"
        return _compiled(type(self).act, name, "act", "iiiiii", False)

    def bind(self, table: Table) -> Binding:  # noqa: D102
        self.check_game(table)
        return NativeBinding(self, table)

    def choose(self, state: State) -> int:
        """Chooses an action for the current player of `state`, from a determinization of it."""
        return self.advise(state)[0].action

    def advise(self, state: State) -> list[Advice]:
        """Rates the actions of the current player of `state`, in a determinization of it."""
        if state.is_terminal:
            raise AgentError("The game is over: there is nothing to decide.")
        legal = state.legal_actions()
        sample = state.determinize(state.current_player, self.random.getrandbits(60))
        binding = self.bind(state.table)
        advice = np.zeros(1, ADVICE)
        binding.record["advice"] = advice.ctypes.data
        rng = [0, 0, 0, 0]
        start_stream(rng, self.random.getrandbits(60), 0)
        binding.record["rng"] = rng
        buffer = np.zeros(1, ACTION_LIST)
        buffer["count"] = len(legal)
        buffer["items"][0, : len(legal)] = legal

        chosen = binding.answer(state.table, sample.address, int(buffer.ctypes.data), len(legal))
        items = advice["items"][0, : int(advice["count"][0])]
        total = float(items["weight"].sum()) or 1.0
        opinions = [
            Advice(
                int(action),
                float(weight) / total if len(legal) > 1 else 1.0,
                float(value),
                float(weight),
            )
            for action, weight, value in items
        ]
        opinions.sort(key=lambda a: (a.action != chosen, -a.share, -a.value))
        return opinions or [Advice(chosen, 1.0, 0.5)]


@functools.cache
def _compiled(
    function: Callable[..., Any], name: str, symbol: str, signature: str, long_loops: bool
) -> int:
    """The address of a compiled function of an agent.

    The check whether the function has changed takes a tenth of a second, so it is done once in a
    process, not for every agent of a tournament or a search.
    """
    return compile_native(name, {symbol: Export(function, signature)}, long_loops)[symbol]


class NativeBinding(Binding):
    """A compiled agent bound to a table."""

    stop: np.ndarray[Any, Any]

    def __init__(self, agent: NativeAgent, table: Table) -> None:
        super().__init__()
        self._takes_long = agent.takes_long
        size = agent.memory_size(table)
        self._memory = np.zeros(max(1, (size + 7) // 8), np.int64)
        self._options = ctypes.create_string_buffer(agent.record(table))
        self.stop = np.zeros(1, np.int64)
        self.record["act"] = agent.compile()
        self.record["options"] = ctypes.addressof(self._options)
        self.record["memory"] = self._memory.ctypes.data
        self.record["memory_size"] = self._memory.nbytes
        self.record["stop"] = self.stop.ctypes.data
        self.record["sees"] = int(agent.sees)
        if agent.watches(table):
            self.record["watch"] = agent._watch_address
        self.record["heuristic"] = agent.heuristic_at(table)
        self._called = agent.called_heuristic
        if self._called is not None:
            self._table = table
            self._heuristic = _HEURISTIC.callback(self._value)
            self.record["heuristic"] = ctypes.cast(self._heuristic, ctypes.c_void_p).value
        self.is_quick = not (
            agent.takes_long or agent.learns or agent.watches(table) or self._called
        )
        guide = agent.guide()
        self._guide = guide.bind(table) if guide is not None else None
        if self._guide is not None:
            self.record["guide"] = self._guide.address

    def _value(self, context: int, state: int, player: int) -> float:
        """Calls the heuristic in Python with a copy of a state, and keeps what it raises."""
        if self.exception is not None or self._called is None:
            return 0.0
        try:
            content = ctypes.string_at(state, self._table.state_size)
            return float(allowed(self._called, State(self._table, content), player))
        except BaseException as problem:  # native code cannot pass it on
            self.exception = problem
            return 0.0

    def answer(self, table: Table, observation: int, actions: int, count: int) -> int:
        """Calls ``act`` in a way that an interrupt stops; returns the chosen action.

        Raises:
            KeyboardInterrupt: a signal interrupted it.
            StoppedError: ``give_up`` was called in another thread.
        """
        self.stop[0] = 0
        ask = super().answer
        if not self._takes_long:
            action = ask(table, observation, actions, count)
            table.raise_pending()
            self.raise_kept()
            return action
        try:
            action = run_interruptibly(lambda: ask(table, observation, actions, count), self.stop)
        except KeyboardInterrupt:
            table.exception = None  # uncompiled rules raised the same
            raise
        table.raise_pending()
        self.raise_kept()
        if self.stop[0]:
            raise StoppedError
        return action

    def give_up(self) -> None:
        """Sets the stop word."""
        self.stop[0] = 1

    def go_back(self, mark: Any) -> None:
        """Returns to a marked position in the random stream, with its memory cleared."""
        super().go_back(mark)
        self._memory[0] = 0


_ACT = Export(lambda *_: 0, "iiiiii")
_END = Export(lambda *_: None, "viii")
_HEURISTIC = Export(lambda *_: 0.0, "fiii")


# --- agents by name -----------------------------------------------------------------------

_added: dict[str, type[Agent]] = {}


def register_agent(agent: type[Agent]) -> type[Agent]:
    """Registers an agent class by name in this process; usable as a decorator."""
    if not agent.name:
        raise AgentError(f"{agent.__name__} needs a name to be registered.")
    _added[canonical(agent.name)] = agent
    return agent


def agent_names() -> list[str]:
    """The names of all agents, sorted."""
    return sorted({*_added, *installed(ENTRY_POINTS)})


def agent_class(name: str) -> type[Agent]:
    """The agent class called `name`; case, spaces and underscores do not matter.

    Raises:
        UnknownAgentError: no agent has that name; the message lists all names.
    """
    key = canonical(name)
    if key in _added:
        return _added[key]
    if key not in installed(ENTRY_POINTS):
        raise UnknownAgentError(did_you_mean(key, agent_names(), "agent"))
    entry = installed(ENTRY_POINTS)[key]
    subject = f"the agent {key} is registered as {entry.value}, which"
    agent = imported(entry, subject, UnknownAgentError)
    if isinstance(agent, type) and issubclass(agent, Agent):
        return agent
    raise UnknownAgentError(f"{subject} is no subclass of Agent.")


def make_agent(spec: str | Agent | Placed) -> Agent:
    """Makes an agent from its description.

    Args:
        spec: a name, a name with options (``"mcts:iterations=1000,c=0.7"``), the path of a
            JSON file such as ``{"agent": "mcts", "iterations": 1000}``, or an agent.

    Raises:
        UnknownAgentError: no agent has that name.
        AgentOptionError: an option's name or value is wrong; the message lists the right ones.
        FileError: the file cannot be used.
    """
    if isinstance(spec, Agent):
        return spec
    if not isinstance(spec, str):
        raise UnknownAgentError(f"{spec!r} is no agent: give a name, with options or without.")
    if not spec.endswith(".json"):
        return _made(*_name_and_options(spec), spec)
    options = dict(read_json_object(Path(spec)))
    name = options.pop("agent", None)
    if not isinstance(name, str):
        raise AgentOptionError(f'{spec}: needs a member "agent" with the agent\'s name.')
    return _made(name, options, spec)


def agent_from_text(text: str) -> Agent:
    """Makes an agent from its name and options, without reading a file: for untrusted texts.

    During play the agent reads the files that its options name: ``Agent.files``. No code is
    imported.

    Raises:
        UnknownAgentError: no agent has that name.
        AgentOptionError: an option's name or value is wrong; the message lists the right ones.
    """
    name, options = _name_and_options(text)
    for option, declared in agent_class(name).Options.tunables.items():
        if isinstance(declared, Code) and ":" in options.get(option, ""):
            raise AgentOptionError(
                f"{text}: {option} names code, which does not run from here: give the agent."
            )
    return _made(name, options, text)


def _name_and_options(text: str) -> tuple[str, dict[str, Any]]:
    """The parts of the description of an agent."""
    name, _, assignments = text.partition(":")
    try:
        options = (
            dict(read_assignments(_BETWEEN_OPTIONS.split(assignments))) if assignments else {}
        )
    except ParameterError as problem:
        raise AgentOptionError(f"{text}: {problem}") from None
    return name, options


_BETWEEN_OPTIONS = re.compile("," + OUTSIDE_QUOTES)


def _made(name: str, options: dict[str, Any], spec: str) -> Agent:
    cls = agent_class(name)
    try:
        return cls(**options)
    except KibitzError as problem:
        raise type(problem)(f"{spec}: {problem}") from None


@dataclass(frozen=True)
class Placed:
    """An agent of a lineup that has a place at the table: those of a side, a role or a seat.

    Attributes:
        place: a letter for a side (``A`` is that of the first seat), the name of a seat, or its
            number from 1.
    """

    place: str
    agent: Agent


Lineup = Sequence["str | Agent | Placed"] | str | Agent
"""Agents, as every function and ``--agents`` take them: an agent, or a text that describes one or
several (``"osla"``, ``"mcts:iterations=500,c=0.7 random"``); or a list of both. Where agents take
the seats of a game, the last one takes all remaining seats, and ``"A=osla"`` is for a side, a role
or a seat: see ``Placed``."""

_PLACED = re.compile(r"([^\s=:/\\]+)=(.+)")

_BETWEEN_AGENTS = re.compile(
    r"(?:[\s;]+|\+(?=\D)|,(?=[A-Za-z_./~:\[][^=,;\s]*(?:[:,;\s]|$)|[\d.]+:\d))" + OUTSIDE_QUOTES
)
"""Neither the exponent of a number, as in 1e+5, separates agents, nor the comma of an option. What
is at an address on the network, as ``127.0.0.1:9147``, is one."""

_A = TypeVar("_A", bound="str | Agent | Placed")


def split_agents(lineup: Sequence[_A] | _A, name: str = "agents") -> list[_A]:
    """The agents of a lineup, or their descriptions, one by one.

    Spaces, ``+``, ``;`` or ``,`` separate several descriptions in one text.

    >>> split_agents("mcts:iterations=100,c=0.7 random")
    ['mcts:iterations=100,c=0.7', 'random']
    >>> split_agents(["mcts:iterations=100,c=0.7,random", "osla+random"])
    ['mcts:iterations=100,c=0.7', 'random', 'osla', 'random']
    >>> split_agents("random,localhost:9147,:9148,[::1]:9149")
    ['random', 'localhost:9147', ':9148', '[::1]:9149']

    Raises:
        UnknownAgentError: it is neither an agent, nor a text, nor a list; the message calls it
            `name`.
        AgentError: a text of it is empty.
    """
    if isinstance(lineup, str | Agent | Placed):
        lineup = [lineup]
    elif not isinstance(lineup, Sequence):
        raise UnknownAgentError(
            f"{name} = {lineup!r} is no agent: give a name, with options or without, or a list."
        )
    agents: list[Any] = []
    for item in lineup:
        if not isinstance(item, str) or (item.endswith(".json") and Path(item).is_file()):
            agents.append(item)
        elif texts := [text for text in _BETWEEN_AGENTS.split(item) if text]:
            agents += texts
        else:
            raise AgentError(f"{name} = {item!r} names no agent: give one such as 'random'.")
    return agents


def agents_in(lineup: Lineup, name: str = "agents") -> list[Agent]:
    """Makes the agents of a lineup, as ``make_agent`` does.

    Raises:
        AgentError: a text of it is empty; the message calls the lineup `name`.
        UnknownAgentError, AgentOptionError, FileError: see ``make_agent``.
    """
    return [make_agent(agent) for agent in split_agents(lineup, name)]


def is_placed(agent: object) -> bool:
    """Whether an agent of a lineup, or its description, has a place at the table."""
    text = isinstance(agent, str) and _PLACED.fullmatch(agent) is not None
    return text or isinstance(agent, Placed)


def placed_agents_in(lineup: Lineup) -> list[Agent | Placed]:
    """Makes the agents of a lineup for the seats of a game; some of them may have a place."""
    made: list[Agent | Placed] = []
    for agent in split_agents(lineup):
        if isinstance(agent, str) and (match := _PLACED.fullmatch(agent)):
            made.append(Placed(match[1], make_agent(match[2])))
        else:
            made.append(agent if isinstance(agent, Placed) else make_agent(agent))
    return made


def make_agents(lineup: Lineup, players: int) -> list[Agent]:
    """Makes one agent for each seat; the last one of the lineup takes the remaining seats.

    Raises:
        AgentError: there are no agents, or more than `players`.
    """
    agents = split_agents(lineup)
    if not 1 <= len(agents) <= players:
        raise AgentError(f"{len(agents)} agents for {players} players: give at most one each.")
    return [make_agent(agents[min(seat, len(agents) - 1)]) for seat in range(players)]


def agents_at(table: Table, lineup: Lineup) -> list[Agent]:
    """Makes one agent for each seat of a table.

    Those with a place take it; the others take the remaining seats, as with ``make_agents``.

    Raises:
        AgentError: there are too few agents, too many, or two for a seat; or there is no such
            place.
    """
    seats: dict[int, Agent] = {}
    others: list[Agent] = []
    for agent in placed_agents_in(lineup):
        if not isinstance(agent, Placed):
            others.append(agent)
            continue
        for seat in seats_at(agent.place, table):
            if seat in seats:
                raise AgentError(f"Seat {seat + 1} has two agents: give one.")
            seats[seat] = agent.agent
    free = [seat for seat in range(table.players) if seat not in seats]
    if free or others:
        seats |= zip(free, make_agents(others, len(free)), strict=True)
    return [seats[seat] for seat in range(table.players)]


def seats_at(place: str, table: Table) -> Sequence[int]:
    """The seats of a place at a table: see ``Placed``.

    Raises:
        AgentError: there is no such place; the message lists all.
    """
    names = {canonical(n): (i,) for i, n in enumerate(table.game.seat_names(table.players))}
    sides = {chr(ord("A") + number): side for number, side in enumerate(table.sides)}
    numbers = {str(seat + 1): (seat,) for seat in range(table.players)}
    known: dict[str, tuple[int, ...]] = numbers | sides | names
    for spelled in (place, place.upper(), canonical(place)):
        if spelled in known:
            return known[spelled]
    raise AgentError(did_you_mean(place, known, f"place at {table.game.name}"))


__all__ = [
    "ADVICE",
    "AGENT",
    "Advice",
    "Agent",
    "AgentOptions",
    "Binding",
    "EvaluatingOptions",
    "Lineup",
    "NativeAgent",
    "NativeBinding",
    "Placed",
    "agent_class",
    "agent_from_text",
    "agent_names",
    "agents_at",
    "agents_in",
    "is_placed",
    "make_agent",
    "make_agents",
    "placed_agents_in",
    "register_agent",
    "split_agents",
]

"""Judges: estimated values of every option in a game, from the player's view and with open cards.

``arena/judging.py`` defines the values and has the native code.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from kibitz.arena.judging import DIFFERENT, DONE, FULL, JUDGE, OPTION, native_judge, step_dtype
from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import (
    ADVICE,
    Agent,
    AgentOptions,
    NativeAgent,
    agent_class,
    agent_from_text,
    agent_names,
)
from kibitz.core.errors import AgentError, AgentOptionError, ParameterError
from kibitz.core.game import Table
from kibitz.core.parameters import Name, Tunable, read_assignments
from kibitz.core.plugins import canonical
from kibitz.core.python_rules import PythonRules
from kibitz.core.state import State
from kibitz.core.status import MAX_PLAYERS
from kibitz.players.guide import is_quick, make_guide
from kibitz.players.search import SEARCH, Rollout

Array = np.ndarray[Any, Any]

ROLLOUTS = "rollouts"
"""The name of the judge by rollouts, which needs no agent."""

STEP_ROOM = 1 << 10
OPTION_ROOM = 1 << 13
"""The initial room for options; like ``STEP_ROOM``, it grows with the games."""


AT_RANDOM = "random"
"""The value of the option ``by`` for random rollouts."""


class JudgeOptions(AgentOptions):
    """Options of the judge that plays rollouts."""

    samples = Tunable(16, range(2, 100_001, 2), "rollouts of each option, in two halves")
    rollout = Tunable(
        Rollout.END,
        doc="end: to that of the game; deal: to that of the deal, if there are several",
    )
    length = Tunable(0, range(1_000_001), "actions of a rollout at most; 0: as the game says")
    by = Name(
        AT_RANDOM,
        "random: rollouts are played at random; another agent, without a search: all who play"
        " without a search play rollouts, too, and this one in place of all others",
    )


class Judge:
    """A judge of options: by random rollouts, by agents' rollouts, or by a search.

    >>> Judge.of("rollouts:samples=32").label, Judge.of("ismcts:iterations=200").label
    ('rollouts:samples=32', 'ismcts:iterations=200')

    Attributes:
        agent: values options from the mover's view; ``None``: rollouts do.
    """

    def __init__(self, options: JudgeOptions | None = None, agent: NativeAgent | None = None):
        self.options: Any = options or JudgeOptions()
        self.agent = agent

    @classmethod
    def read(cls, judge: Judge | str | None) -> Judge:
        """The judge that an argument stands for: a judge, its description, or ``None``.

        Raises:
            ParameterError: it is something else.
            KibitzError: see ``of``.
        """
        if judge is None or isinstance(judge, str):
            return cls() if judge is None else cls.of(judge)
        if not isinstance(judge, Judge):
            raise ParameterError(f"judge = {judge!r} should be a text such as 'rollouts'.")
        return judge

    @classmethod
    def of(cls, text: str) -> Judge:
        """The judge with a description: ``rollouts``, with options, or an agent that searches.

        Raises:
            UnknownAgentError: no agent has that name.
            AgentOptionError: an option's name or value is wrong.
            AgentError: the agent gives no values, because it is written in Python.
        """
        name, _, assignments = text.partition(":")
        if name != ROLLOUTS:
            agent = agent_from_text(text)
            if not isinstance(agent, NativeAgent) or not agent.sees:
                raise AgentError(
                    f"{text} cannot judge: it gives no values of options. {ROLLOUTS} can, and so "
                    "can a search such as ismcts."
                )
            return cls(agent=agent)
        try:
            options = dict(read_assignments(assignments.split(","))) if assignments else {}
            judge = cls(JudgeOptions(**options))
            make_guide(judge.options.by)
        except (AgentError, ParameterError, AgentOptionError) as problem:
            raise AgentOptionError(f"{text}: {problem}") from None
        return judge

    @property
    def follows(self) -> bool:
        """Whether its rollouts are played by agents."""
        return self.agent is None and self.options.by != AT_RANDOM

    def plays_as(self, label: str) -> bool:
        """Whether rollouts follow the agents' own policies, so that their random choices are luck.

        Args:
            label: the agent's name and options.
        """
        if self.agent is not None:
            return False
        if not self.follows:
            return label == AT_RANDOM
        name = label.partition(":")[0]
        return canonical(name) in agent_names() and is_quick(agent_class(name))

    @property
    def label(self) -> str:
        """The description, for ``Judge.of``."""
        if self.agent is not None:
            return self.agent.label
        changed = [f"{name}={value}" for name, value in self.options.changed(0).items()]
        return f"{ROLLOUTS}:{','.join(changed)}" if changed else ROLLOUTS

    def __repr__(self) -> str:
        return self.label

    def bind(
        self, table: Table, stop: Array | None = None, agents: Sequence[Agent] = ()
    ) -> JudgeBinding:
        """Binds the judge to a table, for one thread.

        Args:
            stop: a 64-bit integer; non-zero stops the judge.
            agents: the agents of the games, if agents play rollouts.

        Raises:
            AgentError: an agent cannot play this game.
            ParameterError: agents play rollouts, but are not given.
        """
        stop = np.zeros(1, np.int64) if stop is None else stop
        if not self.follows:
            return JudgeBinding(self, table, stop)
        if len(agents) != table.players:
            raise ParameterError(f"{self} needs games of agents, who play its rollouts.")
        rollers = [a if is_quick(type(a)) else make_guide(self.options.by) for a in agents]
        return JudgeBinding(self, table, stop, rollers)


class JudgeBinding:
    """A judge at a table: its memory, and its judgements since the last ``take``.

    Attributes:
        table: the table at which games are replayed.
    """

    def __init__(
        self, judge: Judge, table: Table, stop: Array, rollers: Sequence[Agent] = ()
    ) -> None:
        self.table = table
        self._judge = native_judge()
        self._stop = stop
        self._record = np.zeros(1, JUDGE)
        record = table.record[0]
        sizes = dict.fromkeys(("state", "sample", "work", "observation"), table.state_size)
        sizes |= {"actions": ACTION_LIST.itemsize, "buffer": ACTION_LIST.itemsize}
        sizes["outcome"] = 8 * MAX_PLAYERS
        self._rooms = {name: ctypes.create_string_buffer(size) for name, size in sizes.items()}
        for name, room in self._rooms.items():
            self._record[name] = ctypes.addressof(room)
        table.stop_by(stop)
        self._record["rules"] = table.address
        self._record["stop"] = stop.ctypes.data
        self._record["samples"] = judge.options.samples // 2
        self._record["rollout"] = int(judge.options.rollout)
        self._search = np.zeros(1, SEARCH)
        self._record["search"] = self._search.ctypes.data
        self._record["length"] = judge.options.length or int(record["max_ticks"])
        self._record["hides"] = bool(record["slot_count"] or record["redeterminize"])
        # elsewhere the function samples moves that are already made, and those are known
        repairs = isinstance(table.rules, PythonRules) and record["redeterminize"]
        self._record["repairs"] = bool(repairs)
        if judge.agent is not None:
            self._binding = judge.agent.bind(table)
            self._advice = np.zeros(1, ADVICE)
            self._binding.record["advice"] = self._advice.ctypes.data
            self._binding.record["stop"] = stop.ctypes.data
            self._record["agent"] = self._binding.address
            self._record["hides"] = True  # the agent is asked even where all is open
        self._rollers = [roller.bind(table) for roller in rollers]
        for roller in self._rollers:
            roller.record["stop"] = stop.ctypes.data
        self._seated = np.zeros(MAX_PLAYERS, np.int64)
        if self._rollers:
            self._record["seated"] = self._seated.ctypes.data
        self._steps = np.zeros(0, step_dtype(table.players))
        self._options = np.zeros(0, OPTION)
        self._make_room(STEP_ROOM, OPTION_ROOM)

    def judge(
        self,
        game: int,
        seed: int,
        chosen: Sequence[int] | Array,
        sitting: Sequence[int] | Array = (),
        start: State | None = None,
    ) -> bool:
        """Replays a finished game and judges it; returns ``False`` if it was stopped.

        Args:
            game: its number in the run.
            seed: the seed of the game; with `start`, of the playouts only.
            chosen: the actions chosen at decisions, in order.
            sitting: the number of the agent in each seat, if agents play rollouts.
            start: the first state of the game, whose seed may be too large for native code.

        Raises:
            ParameterError: these actions are not those of the game.
        """
        if self._rollers:
            self._seated[: len(sitting)] = [self._rollers[i].address for i in sitting]
        self._record["start"] = 0 if start is None else start.address
        actions = np.ascontiguousarray(chosen, np.int64)
        self._record["chosen"] = actions.ctypes.data
        self._record["chosen_count"] = len(actions)
        before = self._record[["step_count", "option_count"]].copy()
        while True:
            ended = self._judge(int(self._record.ctypes.data), game, seed)
            if ended == FULL:
                self._make_room(2 * len(self._steps), 2 * len(self._options))
            if ended != DONE:
                self._record[["step_count", "option_count"]] = before
            if ended == DIFFERENT:
                raise ParameterError(f"Game {game + 1} with the seed {seed} was another one.")
            if ended != FULL:
                return bool(ended == DONE)

    def take(self) -> tuple[Array, Array]:
        """Takes out the steps (``judging.STEP``) and their options (``OPTION``) so far."""
        [record] = self._record
        judgements = self._steps[: record["step_count"]], self._options[: record["option_count"]]
        self._record[["step_count", "option_count"]] = 0
        return judgements[0].copy(), judgements[1].copy()

    def _make_room(self, steps: int, options: int) -> None:
        """Enlarges the buffers, and keeps their contents."""
        for name, size in (("step", steps), ("option", options)):
            old = getattr(self, f"_{name}s")
            room = np.zeros(size, old.dtype)
            room[: len(old)] = old
            setattr(self, f"_{name}s", room)
            self._record[f"{name}s"] = room.ctypes.data
            self._record[f"{name}_room"] = size
        self._record["step_size"] = self._steps.itemsize


def judge_game(
    table: Table, seed: int, chosen: Sequence[int], judge: Judge | None = None
) -> tuple[Array, Array]:
    """Judges a game; returns its steps and their options.

    Args:
        chosen: the actions chosen at decisions, in order.
        judge: by default 16 rollouts of each option.

    Raises:
        ParameterError: these actions are not those of the game.
    """
    binding = (judge or Judge()).bind(table.fork())
    binding.judge(0, seed, chosen)
    binding.table.raise_pending()
    return binding.take()


__all__ = ["ROLLOUTS", "Judge", "JudgeBinding", "JudgeOptions", "judge_game"]

"""Playing the shards of an experiment in one thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.arena.decisions import DECISION
from kibitz.arena.judge import Judge, JudgeBinding
from kibitz.arena.match import result_dtype
from kibitz.arena.worker import Worker, decides_in_python
from kibitz.core.agent import ADVICE_ITEM, Agent
from kibitz.core.game import Table
from kibitz.core.interrupt import deferred
from kibitz.core.records import joined
from kibitz.core.status import Status
from kibitz.runs.events import event_rows, joined_events
from kibitz.runs.experiment import Experiment, Shard
from kibitz.runs.rows import Rows

if TYPE_CHECKING:
    import pyarrow as pa

Array = np.ndarray[Any, Any]

QUICK_SECONDS = 0.05
"""Approximate time after which a thread checks whether it should stop."""

_python_turn = threading.Lock()
"""The lock of Python code in shards, which only one thread runs while others play on."""


class ShardPlayer:
    """Plays shards one after another in one thread, and returns their rows.

    Attributes:
        played: number of games played so far.
        exceptions: the first exception of rules or agents written in Python, by status.
    """

    def __init__(
        self,
        experiment: Experiment,
        table: Table,
        agents: Sequence[Agent],
        stop: Array,
        seeds: Array | None = None,
    ) -> None:
        """
        Args:
            table: the player uses a fork of it.
            stop: one 64-bit integer; a non-zero value ends the games.
            seeds: a ``SEEDS`` record for each game; by default they follow from the seed of the
                experiment.

        Raises:
            AgentError: an agent cannot play this game.
        """
        self.played = 0
        self.exceptions: dict[Status, Exception] = {}
        self._experiment = experiment
        self._table = table
        self._stop = stop
        self._python = decides_in_python(table, agents)
        self._records_events = "events" in experiment.record
        self._span = 1
        self._singly = self._python or self._records_events or bool(experiment.judge)
        record = set(experiment.record)
        if self._records_events or experiment.judge:
            record.add("decisions")  # for replaying the game
        self._worker = Worker(table, agents, stop, experiment.loops, record)
        self._worker.match["seed"] = experiment.seed
        self._worker.match["rotate"] = experiment.rotate
        self._worker.match["deal_games"] = experiment.deal_games
        if seeds is not None:
            self._worker.match["seeds"] = seeds.ctypes.data
            self._seeds = seeds  # keeps it alive
        self._judge: JudgeBinding | None = None
        if experiment.judge:
            judge = Judge.of(experiment.judge)
            self._judge = judge.bind(self._worker.table, stop, agents)

    def play(self, shard: Shard) -> Rows:
        """Plays a shard; the stop word ends it early.

        It is played in spans of games, which double until a span takes ``QUICK_SECONDS``.
        """
        worker, match = self._worker, self._worker.match
        results = np.zeros(shard.games, result_dtype(self._experiment.players))
        match["results"] = results.ctypes.data - shard.first * results.itemsize
        match["result_size"] = results.itemsize
        match["broken_kept"] = 0
        worker.branching[:] = 0
        began = time.perf_counter()
        done, exceptions = 0, dict[int, str]()
        logged = [worker.take_decisions()]
        tables: list[pa.Table] = []
        while done < shard.games and not self._stop[0]:
            started = time.perf_counter()
            number = shard.first + done
            branching = worker.branching.copy() if self._singly else None
            span = 1 if self._singly else min(self._span, shard.games - done)
            played = worker.play(number, span)
            if self._python and not self._went_well(results[done], exceptions):
                break
            if played < span or self._singly:
                logged.append(worker.take_decisions())
            if branching is not None and played:
                replayed = self._play_again(number, results[done], logged[-1][0], tables)
                if not replayed or not self._went_well(results[done], exceptions):
                    logged.pop()  # this game does not count
                    worker.branching[:] = branching
                    break
            done += played
            self.played += played
            if played == self._span and time.perf_counter() - started < QUICK_SECONDS:
                self._span *= 2
        logged.append(worker.take_decisions())
        if "decisions" not in self._experiment.record:
            logged = [(np.zeros(0, DECISION), np.zeros(0, ADVICE_ITEM))]
        decisions, opinions = (joined(parts) for parts in zip(*logged, strict=True))
        judged = () if self._judge is None else self._judge.take()
        return Rows(
            shard,
            results[:done],
            worker.branching[:, : np.count_nonzero(worker.branching[0])].copy(),
            time.perf_counter() - began,
            self._explanations(shard.first + done),
            exceptions,
            decisions,
            opinions,
            joined_events(tables) if tables else None,
            *judged,
        )

    def _went_well(self, result: Any, exceptions: dict[int, str]) -> bool:
        """Records an exception of Python rules or agents; returns whether the run can go on."""
        raised = self._worker.take_exception()
        if raised is None:
            return True
        status, exception = raised
        if isinstance(exception, KeyboardInterrupt):
            self._stop[0] = 1
            return False
        if not isinstance(exception, Exception):
            raise exception
        result["status"] = status
        self.exceptions.setdefault(status, exception)
        exceptions.setdefault(status, f"{type(exception).__name__}: {exception}")
        return True

    def _play_again(
        self, number: int, result: Any, decisions: Array, tables: list[pa.Table]
    ) -> bool:
        """Replays a game for its events and judgements, if they are recorded.

        Returns ``False`` if the run was stopped meanwhile.
        """
        events = None
        if self._records_events:
            events = self._events_of(number, result, decisions)
            if events is None:
                return False
        is_judged = number < (self._experiment.judged or self._experiment.games)
        if self._judge is not None and is_judged and result["status"] == Status.FINISHED:
            sitting = result["seats"]["agent"]
            if not self._judge.judge(number, int(result["seed"]), decisions["code"], sitting):
                return False
        if events is not None:
            tables.append(events)
        return True

    def _events_of(self, number: int, result: Any, decisions: Array) -> pa.Table | None:
        """The event rows of a game; ``None`` if the run was stopped meanwhile."""
        chosen = decisions["code"][decisions["chosen"] >= 0].tolist()
        with _python_turn, deferred(everywhere=True):
            return event_rows(self._table, number, int(result["seed"]), chosen, self._stop)

    def _explanations(self, end: int) -> dict[tuple[int, int], tuple[int, str]]:
        """The explanations of games that the rules broke off, before game number `end`."""
        explanations: dict[tuple[int, int], tuple[int, str]] = {}
        for game, state in self._worker.broken_states():
            if game < end and (why := state.table.wording.explanation(state)):
                key = int(state.status), int(state.view.phase)
                explanations[key] = min((game, why), explanations.get(key, (game, why)))
        return explanations

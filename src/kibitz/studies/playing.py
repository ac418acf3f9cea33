"""Playing and measuring the games of a playtest."""

from __future__ import annotations

import functools
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.arena.judge import Judge
from kibitz.core.agent import Agent, Lineup, agents_at
from kibitz.core.errors import ParameterError
from kibitz.core.game import Table
from kibitz.core.progress import Progress
from kibitz.loading import Playable, find_table
from kibitz.runs import Experiment, Rows, Run, Workers, place_at, runner_for
from kibitz.runs.experiment import as_names
from kibitz.studies.kept import kept_run, play_missing, seated
from kibitz.studies.measures import Measurement, what_to_record
from kibitz.studies.results import Playtest
from kibitz.studies.sample import RunMetadata, Sample

AT_ONCE = 8192
"""Number of games that are measured together, at most by a shard more."""

RECORDED_AT_ONCE = 1 << 18
"""Number of decisions and judged options after which waiting games are measured."""


def playtest(
    game: Playable,
    agents: Lineup = "random",
    *,
    players: int | None = None,
    games: int = 1000,
    seed: int = 0,
    parameters: Mapping[str, Any] | None = None,
    rotate: bool = True,
    loops: int | None = None,
    record: str | Collection[str] = (),
    measure: str | Collection[str] = (),
    judge: Judge | str | None = None,
    judged: int = 0,
    duplicate: bool = False,
    randomize: str | Collection[str] = (),
    shard_games: int = 0,
    workers: Workers = None,
    progress: Progress | None = None,
    out: Path | str | None = None,
) -> Playtest:
    """Plays many games and measures them.

    >>> import kibitz
    >>> result = kibitz.playtest("tic-tac-toe", games=100, seed=1)
    >>> result.finished, result.ticks_per_game.max
    (100, 9)

    Args:
        game: a name, a file, a game or a table.
        agents: one for each seat, or one for all; see ``kibitz.make_agent``.
        players: number of players; by default the usual number of the game.
        seed: the same seed gives the same games.
        parameters: the game's parameters by name; the rest keep their defaults.
        rotate: whether the agents move on by one seat from game to game.
        loops: number of visits of a state at which a game is broken off as a suspected loop; 0
            for never, ``None`` for the number of the game.
        record: what is recorded besides games and seats: "decisions", "events", "successors" or
            "judgements". Measures of choices and of the course of games need the decisions, those
            of luck and skill the judgements; events need `out`.
        measure: names in the JSON of measures, such as "waiting", for which to record what they
            need.
        judge: judge of the options, by default ``rollouts``; if given, judgements are recorded.
        judged: number of games that are judged, from the first one; 0 for all. If not 0,
            judgements are recorded.
        duplicate: whether each deal is played once for each seat, the agents moving on by one
            seat each time, as in duplicate bridge.
        randomize: names of the parameters that each deal draws from their ranges.
        shard_games: number of games of a shard, which is stored as a whole; 0 for a suitable
            number.
        workers: number of threads, by default one per core; or of processes if the rules or an
            agent are Python, by default one. Or a cluster: see ``runner_for``.
        out: folder in which the rows of the games are stored. If it holds the same run, that run
            is resumed.

    Raises:
        KibitzError: a name or a value is wrong; the message lists the right ones.
    """
    table = find_table(game, players, parameters)
    seated = agents_at(table, agents)
    experiment = Experiment.of(
        table,
        seated,
        games,
        seed,
        rotate=rotate,
        loops=loops,
        record=(*as_names("record", record), *what_to_record(as_names("measure", measure))),
        judge=judge,
        judged=judged,
        duplicate=duplicate,
        randomize=randomize,
        shard_games=shard_games,
    )
    return play_and_measure(experiment, table, seated, workers=workers, progress=progress, out=out)


def play_and_measure(
    experiment: Experiment,
    table: Table,
    agents: Sequence[Agent],
    *,
    workers: Workers = None,
    progress: Progress | None = None,
    out: Path | str | None = None,
    stop: np.ndarray[Any, Any] | None = None,
) -> Playtest:
    """Plays an experiment, or the missing games of a stored run, and measures all games.

    An interrupt ends it early; the games played by then are measured and stored.

    Args:
        workers: see ``playtest``.
        out: folder in which the rows are stored; by default they are not.
        stop: one 64-bit integer; non-zero ends the games early.

    Raises:
        AgentError: an agent cannot play this game.
        FileError: the folder holds another run or other files.
        ParameterError: events are recorded without a folder, or there are too few workers.
    """
    if out is None and "events" in experiment.record:
        raise ParameterError(
            "Events are kept in a folder: say in which one, with out (on the command line with "
            "--out DIR)."
        )
    runner = runner_for(experiment, table, agents, workers=workers, stop=stop)
    measuring = Measuring(table, agents, experiment)
    if out is None:
        began = time.perf_counter()
        runner.play(measuring.add, progress=progress)
        return measuring.finish(time.perf_counter() - began)
    run = kept_run(place_at(out), experiment, table)
    play_missing(run, runner, progress)
    return measuring.of(run)


def resume_run(
    folder: Path | str,
    *,
    game: Playable | None = None,
    workers: Workers = None,
    progress: Progress | None = None,
) -> Playtest:
    """Plays the missing games of a stored run, and measures all games.

    Args:
        folder: the folder of the run.
        game: the game, if it is Python code that is not installed.
        workers: see ``playtest``.

    Raises:
        FileError: there is no run, or the rules have changed since.
    """
    run = Run.open(place_at(folder))
    table, agents = seated(run, game)
    play_missing(run, runner_for(run.experiment, table, agents, workers=workers), progress)
    return Measuring(table, agents, run.experiment).of(run)


def measure_run(folder: Path | str, *, game: Playable | None = None) -> Playtest:
    """Measures the games of a stored run, whether it is complete or not.

    If the rules have changed since, measures that replay the games are left out.

    Raises:
        FileError: there is no run, or its game cannot be found.
    """
    run = Run.open(place_at(folder))
    table, agents = seated(run, game, any_rules=True)
    return Measuring(table, agents, run.experiment).of(run)


class Measuring:
    """Measures the games of an experiment, as they are played or read from a stored run."""

    def __init__(self, table: Table, agents: Sequence[Agent], experiment: Experiment) -> None:
        self._table = table
        self._experiment = experiment
        self._metadata = RunMetadata.of(table, agents, experiment.rotate)
        self._rules_changed = table.game.fingerprint != experiment.rules
        recorded = () if self._rules_changed else experiment.record
        self._measurement = Measurement(self._metadata, recorded)
        self._waiting: list[Rows] = []

    def add(self, rows: Rows) -> None:
        """Adds the games of a shard; small shards are measured together, for speed."""
        if self._waiting:
            last = self._waiting[-1]
            if last.shard.first + len(last.results) != rows.shard.first:
                self._measure()  # an interrupted run lacks the games in between
        self._waiting.append(rows)
        games = sum(len(waiting.results) for waiting in self._waiting)
        recorded = sum(
            len(waiting.decisions_made) + len(waiting.judged_options) for waiting in self._waiting
        )
        if games >= AT_ONCE or recorded >= RECORDED_AT_ONCE:
            self._measure()

    def _measure(self) -> None:
        if self._waiting:
            rows = functools.reduce(Rows.then, self._waiting)
            self._measurement.add(Sample(self._metadata, rows))
            self._waiting.clear()

    def of(self, run: Run) -> Playtest:
        """The playtest of a stored run; its ``seconds`` are the sum over all threads."""
        seconds = 0.0
        for rows in run.rows():
            self.add(rows)
            seconds += rows.seconds
        return self.finish(seconds)

    def finish(self, seconds: float) -> Playtest:
        """The playtest of all games added, which took the given time."""
        self._measure()
        table, experiment = self._table, self._experiment
        game = table.game
        name = game.name or type(game).__name__
        return Playtest.of(
            self._measurement.finish(),
            game=name,
            where=game.origin.where,
            title=game.title or name,
            parameters=table.parameters.to_json(),
            changed=table.parameters.changed(table.players),
            players=table.players,
            seed=experiment.seed,
            wanted=experiment.games,
            loops=experiment.loops,
            usual_loops=game.loops,
            sides=table.sides,
            played_for=table.played_for,
            rotated=experiment.rotate,
            lineup=experiment.agents,
            seconds=seconds,
            rules_changed=self._rules_changed,
            duplicate=experiment.duplicate,
            randomized=experiment.randomize,
        )

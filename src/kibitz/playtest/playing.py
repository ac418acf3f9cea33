"""Playing the games of a playtest, and measuring them while they are played."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.core.agent import Agent, make_agents
from kibitz.core.errors import FileError, ParameterError, did_you_mean
from kibitz.core.game import Game, Table
from kibitz.core.registry import load
from kibitz.playtest.measures import Measurement
from kibitz.playtest.results import Playtest
from kibitz.playtest.sample import Sample, Setting
from kibitz.runs import Experiment, Progress, Rows, Run, ThreadRunner


def playtest_game(
    game: Game | str,
    *,
    players: int | None = None,
    agents: Sequence[str | Agent] | str | Agent = ("random",),
    games: int = 1000,
    seed: int = 0,
    parameters: Mapping[str, Any] | None = None,
    rotate: bool = True,
    workers: int | None = None,
    loops: int | None = None,
    progress: Progress | None = None,
    out: Path | str | None = None,
) -> Playtest:
    """Plays many games and measures them.

    >>> result = playtest_game("tic-tac-toe", games=100, seed=1)
    >>> result.finished, result.ticks_per_game.max
    (100, 9)

    Args:
        game: a game, or its name.
        players: how many sit at the table; by default the fewest.
        agents: one for each seat, or one for all; see ``kibitz.core.agent.make_agent``.
        games: how many to play.
        seed: of the run; the same seed gives the same games.
        parameters: the game's parameters by name; the rest keep their defaults.
        rotate: whether the agents move on by one seat from game to game.
        workers: threads; by default one for each core.
        loops: a game that is in the same state for this time is broken off as a suspected
            loop; 0: never; by default as the game says.
        progress: called now and then with the number of games played so far.
        out: a folder in which the rows of the games are kept; where it holds the same run, as
            far as it was played, that run goes on.

    Raises:
        KibitzError: a name or a value is wrong; the message lists the right ones.
    """
    table = find_table(game, players, parameters or {})
    specs = [agents] if isinstance(agents, str | Agent) else list(agents)
    return play_and_measure(
        table,
        make_agents(specs, table.players),
        games,
        seed,
        rotate=rotate,
        workers=workers,
        loops=loops,
        progress=progress,
        out=out,
    )


def find_table(game: Game | str, players: int | None, parameters: Mapping[str, Any]) -> Table:
    """The game ready to be played.

    Raises:
        UnknownGameError: there is none of that name.
        ParameterError: a name, a value or a combination is not allowed.
    """
    chosen = load(game) if isinstance(game, str) else game
    for name in parameters:
        if name not in chosen.Parameters.tunables:
            raise ParameterError(did_you_mean(name, chosen.Parameters.tunables, "parameter"))
    return chosen.table(players, **parameters)


def play_and_measure(
    table: Table,
    agents: Sequence[Agent],
    games: int,
    seed: int = 0,
    *,
    rotate: bool = True,
    workers: int | None = None,
    loops: int | None = None,
    progress: Progress | None = None,
    out: Path | str | None = None,
    stop: np.ndarray[Any, Any] | None = None,
) -> Playtest:
    """Plays an experiment, or what is missing of one that is kept, and measures all of it.

    An interrupt ends it early; the games played by then are measured, and kept.
    """
    experiment = Experiment.of(table, agents, games, seed, rotate=rotate, loops=loops)
    runner = ThreadRunner(experiment, table, agents, workers=workers, stop=stop)
    if out is None:
        began = time.perf_counter()
        playtest = measure(table, agents, experiment, runner.play(progress=progress))
        return replace(playtest, seconds=time.perf_counter() - began)
    run = _kept_run(Path(out), experiment, table)
    with run:
        before = run.played

        def tell(played: int) -> None:
            if progress:
                progress(before + played)

        for rows in runner.play(list(run.missing()), tell):
            run.add(rows)
    return measure(table, agents, experiment, run.rows())


def measure(
    table: Table, agents: Sequence[Agent], experiment: Experiment, played: Iterable[Rows]
) -> Playtest:
    """The playtest of what was played of an experiment; its time is that of all threads."""
    setting = Setting.of(table, agents, experiment.rotate)
    measurement = Measurement(setting)
    seconds = 0.0
    for rows in played:
        measurement.add(Sample(setting, rows))
        seconds += rows.seconds
    game = table.game
    name = game.name or type(game).__name__
    return Playtest.of(
        measurement.finish(),
        game=name,
        where=game.where,
        title=game.title or name,
        parameters=table.parameters.to_json(),
        changed=table.parameters.changed(table.players),
        players=table.players,
        seed=experiment.seed,
        wanted=experiment.games,
        loops=experiment.loops,
        usual_loops=game.loops,
        rotated=experiment.rotate,
        seconds=seconds,
    )


def _kept_run(folder: Path, experiment: Experiment, table: Table) -> Run:
    """The run in a folder, if it is this experiment; else a new one.

    Raises:
        FileError: the folder holds something else.
    """
    if not (folder / "run.json").exists():
        return Run.create(folder, experiment, table.game.rules_text)
    run = Run.open(folder)
    if run.experiment != experiment:
        mine, theirs = experiment.to_json(), run.experiment.to_json()
        differ = [f"{name} = {theirs[name]}" for name in mine if mine[name] != theirs[name]]
        raise FileError(f"{folder}: holds another run, with {', '.join(differ)}.")
    return run

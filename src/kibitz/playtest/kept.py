"""Stored runs: begun, resumed, and their game and agents found again."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kibitz import loading
from kibitz.core import registry
from kibitz.core.agent import Agent, agent_from_text
from kibitz.core.errors import FileError
from kibitz.core.game import Game, Table
from kibitz.core.progress import Progress, part_of
from kibitz.loading import Playable, find_table, loaded
from kibitz.runs import Experiment, Run, Runner
from kibitz.syntax.source import Source

logger = logging.getLogger("kibitz")


def kept_run(folder: Path, experiment: Experiment, table: Table) -> Run:
    """Opens the run in a folder, or begins one; where more games are wanted it gets more.

    Raises:
        FileError: the folder holds something else.
    """
    if not Run.is_in(folder):
        return Run.create(folder, experiment, table.game.rules_text)
    run = Run.open(folder)
    mine, theirs = experiment.to_json(), run.experiment.to_json()
    differ = [
        f"{name} = {_shown(theirs[name])}, not {_shown(mine[name])}"
        for name in mine
        if mine[name] != theirs[name]
        and name != "shard_games"  # rows do not depend on it
        and (name != "games" or mine[name] < theirs[name])
    ]
    if differ:
        raise FileError(
            f"{folder}: holds another run, with {'; '.join(differ)}. Give the same options as "
            "then, as many games or more, or another folder. What is there goes on with: "
            f"{run.resuming}"
        )
    if experiment.games > run.experiment.games:
        with run:
            run.grow(experiment)
    return run


def _shown(value: Any) -> str:
    """A value of an experiment in words."""
    if isinstance(value, Mapping):
        value = [f"{name}={each}" for name, each in value.items()]
    if isinstance(value, Sequence) and not isinstance(value, str):
        value = " ".join(map(str, value))
    return str(value) or "none"


def play_missing(
    run: Run, runner: Runner, progress: Progress | None = None, games: range | None = None
) -> None:
    """Plays the missing shards of a run, and stores each. What is damaged is told and comes first.

    Args:
        run: where it is kept.
        runner: plays it.
        progress: called first when what is kept has been checked.
        games: only shards that begin with one of these; by default all.
    """
    with run:
        for problem in run.set_damaged_aside(games):
            logger.warning(problem)
        wanted = [shard for shard in run.missing() if games is None or shard.first in games]
        wanted.sort(key=run.is_damaged, reverse=True)
        total = run.experiment.games
        runner.play(run.add, wanted, part_of(progress, run.played, total))


def seated(
    run: Run, game: Playable | None = None, any_rules: bool = False
) -> tuple[Table, list[Agent]]:
    """The table and the agents of a stored run.

    Nothing that the folder says is run as code: the game is an installed one, or the text that
    is kept with the run, or what the caller gives.

    Args:
        run: a run that may come from anywhere.
        game: the game, where only the caller can find it.
        any_rules: whether the rules may have changed since.

    Raises:
        FileError: the game cannot be found, or its rules are other ones by now.
        KibitzError: an agent or a parameter is not known any more.
    """
    experiment = run.experiment
    found = _game_of(run) if game is None else loaded(game)
    if found.fingerprint != experiment.rules and not any_rules:
        raise FileError(
            f"{run.folder}: was played by other rules of {experiment.game} than there are now "
            f"({experiment.rules} then, {found.fingerprint} now)."
        )
    table = find_table(found, experiment.players, experiment.parameters)
    return table, [agent_from_text(label) for label in experiment.agents]


def _game_of(run: Run) -> Game:
    name = run.experiment.game
    if name in registry.names():
        game = loading.load_installed(name)
        if game.fingerprint == run.experiment.rules or run.rules is None:
            return game
    if run.rules is None:
        raise FileError(
            f"{run.folder}: its game {name} is Python code of somebody's own; give it after the "
            "folder, FILE.py, or in Python as game=."
        )
    return loading.from_text(Source(*run.rules), name=name)

"""Creates and resumes stored runs, and finds their game and agents."""

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
from kibitz.loading import Playable, find_table, load
from kibitz.runs import Experiment, Run, Runner
from kibitz.syntax.source import Source

logger = logging.getLogger("kibitz")


def kept_run(folder: Path, experiment: Experiment, table: Table) -> Run:
    """Opens the run in a folder, or creates one; extends a run if the experiment has more games.

    Raises:
        FileError: the folder holds another run or other files.
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
    """Plays the missing shards of a run and stores each, damaged ones first and with a warning.

    Args:
        progress: called for the first time when the stored shards have been checked.
        games: plays only shards whose first game is in this range; by default all.
    """
    with run:
        for problem in run.set_damaged_aside(games):
            logger.warning(problem)
        shards = [shard for shard in run.missing() if games is None or shard.first in games]
        shards.sort(key=run.is_damaged, reverse=True)
        total = run.experiment.games
        runner.play(run.add, shards, part_of(progress, run.played, total))


def seated(
    run: Run, game: Playable | None = None, any_rules: bool = False
) -> tuple[Table, list[Agent]]:
    """The table and the agents of a stored run.

    No code from the folder is run: the game is an installed one, a text that is stored with the
    run, or given by the caller. So the run may come from an untrusted source.

    Args:
        game: the game, if it is Python code that is not installed.
        any_rules: whether to accept rules that have changed since the run.

    Raises:
        FileError: the game cannot be found, or its rules have changed.
        KibitzError: an agent or a parameter is not known any more.
    """
    experiment = run.experiment
    loaded_game = _game_of(run) if game is None else load(game)
    if loaded_game.fingerprint != experiment.rules and not any_rules:
        raise FileError(
            f"{run.folder}: was played by other rules of {experiment.game} than there are now "
            f"({experiment.rules} then, {loaded_game.fingerprint} now)."
        )
    table = find_table(loaded_game, experiment.players, experiment.parameters)
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

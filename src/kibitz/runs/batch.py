"""``play``: all games of a run in one array."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kibitz.arena.match import SEEDS, TRACED, result_dtype
from kibitz.arena.worker import available_cores
from kibitz.core.agent import Agent, Lineup, agents_at
from kibitz.core.game import Table
from kibitz.core.parameters import whole_number
from kibitz.core.progress import Progress
from kibitz.core.records import joined
from kibitz.core.status import Status
from kibitz.loading import Playable, find_table
from kibitz.runs.experiment import Experiment, Shard
from kibitz.runs.rows import Rows
from kibitz.runs.runner import ThreadRunner

MOST_GAMES = 10_000_000
"""Maximum number of games of a batch; a game takes about 200 bytes of memory."""


@dataclass
class Batch:
    """The results of all games of a run.

    Attributes:
        results: a record (``kibitz.arena.match.result_dtype``) for each game played, in order.
        branching: for each of the first actions of a game, the number of options summed over the
            finished games, and the sum of the squares.
        exceptions: the first exception of rules or agents written in Python, by the status that
            it gave the game.
        seconds: duration without compiling.
    """

    experiment: Experiment
    results: np.ndarray[Any, Any]
    branching: np.ndarray[Any, Any]
    exceptions: dict[Status, Exception] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def interrupted(self) -> bool:
        """Whether the run was stopped before all games were played."""
        return len(self.results) < self.experiment.games


def play(
    game: Playable,
    agents: Lineup = "random",
    games: int = 1,
    seed: int = 0,
    *,
    players: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    rotate: bool = True,
    loops: int | None = None,
    duplicate: bool = False,
    randomize: str | Collection[str] = (),
    workers: int | None = None,
    progress: Progress | None = None,
    stop: np.ndarray[Any, Any] | None = None,
) -> Batch:
    """Plays games and returns their results in one array, without measuring anything.

    The same seed gives the same results for any number of workers. An interrupt ends the run
    early; the games finished by then are kept.

    >>> import kibitz
    >>> batch = kibitz.play("tic-tac-toe", ["osla", "random"], games=100, seed=1)
    >>> seats = batch.results["seats"]
    >>> seats.shape, bool(seats["returns"][seats["agent"] == 0].mean() > 0.5)
    ((100, 2), True)

    Args:
        game: a name, a file, a game or a table.
        agents: one for each seat of the first game; the last one fills the remaining seats.
        seed: seed of the run, from which the seed of each game is derived.
        players: number of players; by default the usual number of the game.
        parameters: the game's parameters by name; the rest keep their defaults.
        rotate: whether the agents move on by one seat from game to game.
        loops: number of visits of a state at which a game is broken off as a suspected loop; 0
            for never, ``None`` for the number of the game.
        duplicate: whether each deal is played once for each seat.
        randomize: names of the parameters that each deal draws from their ranges.
        workers: number of threads; by default one per core.
        stop: an array of one 64-bit integer; a non-zero value ends the run early.

    Raises:
        AgentError: there are too many agents, or one cannot play this game.
        ParameterError: a number is out of range.
    """
    games = whole_number("games", games, 1, MOST_GAMES)
    table = find_table(game, players, parameters)
    seated = agents_at(table, agents)
    experiment = Experiment.of(
        table,
        seated,
        games,
        seed,
        rotate=rotate,
        loops=loops,
        duplicate=duplicate,
        randomize=randomize,
    )
    return _play(experiment, table, seated, None, workers, progress, stop)


def play_seeds(
    game: Playable,
    agents: Lineup,
    seeds: np.ndarray[Any, Any],
    *,
    players: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    rotate: bool = False,
    loops: int | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    stop: np.ndarray[Any, Any] | None = None,
) -> np.ndarray[Any, Any]:
    """Plays a game for each record of `seeds`: the same deals with other luck or other choices.

    Games of one ``deal`` begin with the same state. Those of one ``chance`` have the same luck
    afterwards: later deals and reshuffles, dice, draws, and moves of the random role in GDL.
    Those of one ``agents`` give the agent in a seat the same random numbers. So the state after
    the deal is ``table.new_state(deal).with_chance(chance)``.

    >>> from kibitz.runs import SEEDS, play_seeds
    >>> seeds = np.zeros(200, SEEDS)
    >>> seeds["deal"] = 7
    >>> seeds["agents"] = np.arange(200)
    >>> results = play_seeds("kuhn-poker", ["osla", "random"], seeds)
    >>> len(results), len(np.unique(results["seats"]["returns"], axis=0)) > 1
    (200, True)

    Args:
        agents: one for each seat; with `rotate` they move on by one seat from game to game.
        seeds: a ``SEEDS`` record for each game, of any numbers.
        players, parameters, loops, workers, stop: see ``play``.

    Returns:
        A record (``kibitz.arena.match.result_dtype``) for each game played, in order; its
        ``seed`` is that of the agents.

    Raises:
        AgentError: there are too many agents, or one cannot play this game.
        ParameterError: a number is out of range.
    """
    whole_number("the number of seeds", len(seeds), 1, MOST_GAMES)
    table = find_table(game, players, parameters)
    seated = agents_at(table, agents)
    experiment = Experiment.of(table, seated, len(seeds), rotate=rotate, loops=loops)
    seeds = np.ascontiguousarray(seeds, SEEDS)
    return _play(experiment, table, seated, seeds, workers, progress, stop).results


def _play(
    experiment: Experiment,
    table: Table,
    agents: Sequence[Agent],
    seeds: np.ndarray[Any, Any] | None,
    workers: int | None,
    progress: Progress | None,
    stop: np.ndarray[Any, Any] | None,
) -> Batch:
    """Plays an experiment, with seeds of its own for each game if they are given."""
    runner = ThreadRunner(experiment, table, agents, workers=workers, stop=stop, seeds=seeds)
    results_of_shards: list[np.ndarray[Any, Any]] = []
    sums = np.zeros((2, TRACED), np.int64)

    def take(rows: Rows) -> None:
        results_of_shards.append(rows.results)
        sums[:, : rows.branching.shape[1]] += rows.branching

    began = time.perf_counter()
    runner.play(take, _shards(experiment, workers or available_cores()), progress)
    seconds = time.perf_counter() - began
    none = np.zeros(0, result_dtype(table.players))
    results = (
        results_of_shards[0] if len(results_of_shards) == 1 else joined([none, *results_of_shards])
    )
    branching = sums[:, : np.count_nonzero(sums[0])]
    return Batch(experiment, results, branching, runner.exceptions, seconds)


def _shards(experiment: Experiment, workers: int) -> Iterator[Shard]:
    """All games in few shards, because a shard has an overhead of dozens of quick games.

    Games do not depend on their shard. Several workers begin with long shards and end with short
    ones, so that all are busy to the end.
    """
    most = experiment.most_games_a_shard if experiment.record else experiment.games
    first = 0
    while remaining := experiment.games - first:
        size = remaining if workers == 1 else -(-remaining // (2 * workers))
        yield Shard(first, size := min(size, most))
        first += size

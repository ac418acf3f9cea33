"""Runs in which the game's parameters are drawn anew for each deal.

They are drawn uniformly from their declared ranges, by the seed of the deal alone. So results do
not depend on the division into shards, and each game can be replayed. Games that compile each
table share a pool of at most ``POOL`` settings.
"""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from kibitz.core.agent import Agent
from kibitz.core.errors import ParameterError
from kibitz.core.game import Game, Table
from kibitz.core.parameters import Name
from kibitz.core.randomness import derive_seed
from kibitz.core.status import Status
from kibitz.loading import language_called
from kibitz.runs.experiment import Experiment, Shard
from kibitz.runs.rows import Rows
from kibitz.runs.shard import ShardPlayer

POOL = 32
"""Maximum number of settings of a game that compiles each table."""

KEPT = 8
"""Number of tables that are kept with their agents, whose searches take memory."""

TRIES = 1000
"""Maximum number of attempts to draw a combination that the game allows."""


def parameters_of(
    game: Game, players: int, values: Mapping[str, Any], names: Sequence[str], seed: int
) -> dict[str, Any]:
    """All parameters by name of the game with a seed.

    Args:
        values: all parameters by name; those in `names` are replaced.
        names: the parameters that are drawn.
        seed: seed of the game, as in its result.

    Raises:
        ParameterError: hardly any combination is allowed.
    """
    rng = random.Random(f"parameters {seed}")
    if language_called(game.language).compiles_tables:
        rng = _of_pool(rng.randrange(POOL))
    return _allowed(game, players, values, names, rng)


def pool_of(
    game: Game, players: int, values: Mapping[str, Any], names: Sequence[str]
) -> list[dict[str, Any]]:
    """The distinct settings among ``POOL`` independently drawn ones.

    Args:
        values: all parameters by name; those in `names` are replaced.
        names: the parameters that are drawn.

    Raises:
        ParameterError: hardly any combination is allowed.
    """
    drawn = [_allowed(game, players, values, names, _of_pool(k)) for k in range(POOL)]
    return list({tuple(setting.values()): setting for setting in drawn}.values())


def _of_pool(number: int) -> random.Random:
    return random.Random(f"parameters {number} of {POOL}")


def _allowed(
    game: Game,
    players: int,
    values: Mapping[str, Any],
    names: Sequence[str],
    rng: random.Random,
) -> dict[str, Any]:
    kind = game.Parameters
    for _ in range(TRIES):
        parameters = dict(values) | _drawn(kind, names, rng)
        if not game.problem(players, kind(players, **parameters)):
            return parameters
    raise ParameterError(
        f"{game.name}: none of {TRIES} combinations of {', '.join(names)} is allowed. Set some of "
        "them."
    )


def names_to_draw(game: Game, fixed: Collection[str] = ()) -> tuple[str, ...]:
    """The parameters of a game that can be drawn, except the fixed ones.

    Raises:
        ParameterError: there are no such parameters.
    """
    known = game.Parameters.tunables.items()
    names = tuple(n for n, t in known if n not in fixed and not isinstance(t, Name))
    if not names:
        raise ParameterError(f"{game.name} has no parameters left to draw.")
    return names


def _drawn(kind: Any, names: Sequence[str], rng: random.Random) -> dict[str, Any]:
    return {name: kind.tunables[name].draw(rng) for name in names}


class RandomizedShardPlayer:
    """Plays shards of an experiment in one thread, each deal with its own parameters.

    Attributes:
        played: number of games played so far.
        exceptions: the first exception of rules or agents written in Python, by status.
    """

    def __init__(
        self,
        experiment: Experiment,
        table: Table,
        agents: Sequence[Agent],
        stop: np.ndarray[Any, Any],
    ) -> None:
        """
        Args:
            table: has the parameters that are not drawn.
            stop: one 64-bit integer; a non-zero value ends the games.

        Raises:
            AgentError: an agent cannot play this game.
        """
        self.played = 0
        self.exceptions: dict[Status, Exception] = {}
        self._experiment = experiment
        self._game = table.game
        self._agents = agents
        self._stop = stop
        self._players: OrderedDict[tuple[Any, ...], ShardPlayer] = OrderedDict()

    def play(self, shard: Shard) -> Rows:
        """Plays a shard; the stop word ends it early."""
        each = self._experiment.deal_games
        joined_rows: Rows | None = None
        first, end = shard.first, shard.first + shard.games
        while first < end and not self._stop[0]:
            count = min(each - first % each, end - first)
            player = self._player(first // each)
            rows = player.play(Shard(first, count))
            for status, problem in player.exceptions.items():
                self.exceptions.setdefault(status, problem)
            self.played += len(rows.results)
            joined_rows = rows if joined_rows is None else joined_rows.then(rows)
            if len(rows.results) < count:
                break
            first += count
        if joined_rows is None:
            return Rows.none(shard, self._experiment.players)
        joined_rows.shard = shard
        return joined_rows

    def _player(self, deal: int) -> ShardPlayer:
        """The shard player at the table of a deal's parameters."""
        experiment = self._experiment
        seed = derive_seed([0, 0, 0, 0], experiment.seed, deal)
        values = parameters_of(
            self._game,
            experiment.players,
            experiment.parameters,
            experiment.randomize,
            seed,
        )
        key = tuple(values.values())
        if key not in self._players:
            table = self._game.table(experiment.players, values)
            if len(self._players) >= KEPT:
                self._players.popitem(last=False)
            self._players[key] = ShardPlayer(experiment, table, self._agents, self._stop)
        self._players.move_to_end(key)
        return self._players[key]


def shard_player(
    experiment: Experiment,
    table: Table,
    agents: Sequence[Agent],
    stop: np.ndarray[Any, Any],
    seeds: np.ndarray[Any, Any] | None = None,
) -> ShardPlayer | RandomizedShardPlayer:
    """Makes the player of an experiment's shards in one thread; see ``ShardPlayer``.

    Raises:
        AgentError: an agent cannot play this game.
    """
    if experiment.randomize:
        return RandomizedShardPlayer(experiment, table, agents, stop)
    return ShardPlayer(experiment, table, agents, stop, seeds)

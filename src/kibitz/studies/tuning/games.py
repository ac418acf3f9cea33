"""Tuning a game: the search for parameters with which its measures meet goals."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from kibitz.core.agent import Lineup, make_agents
from kibitz.core.errors import KibitzError, ParameterError
from kibitz.core.game import Table
from kibitz.core.parameters import in_list, text_given
from kibitz.loading import Playable, find_table
from kibitz.runs import Experiment, Shard
from kibitz.studies.measures import what_to_record
from kibitz.studies.playing import Measuring
from kibitz.studies.sample import RunMetadata, Sample
from kibitz.studies.tuning.goals import MeasureGoal, Played, Wanted, needs_document, resolve
from kibitz.studies.tuning.problem import Block, Order, Problem, play_rows
from kibitz.studies.tuning.space import Point, Space

TRIED = 20
"""Number of games of the start from which the available measures are read."""

TABLES = 64
"""Number of tables that are cached."""

USUAL_EACH = 200
"""Default number of games of an evaluation."""

USUAL_GAMES = 40_000
"""Default number of games of a search."""


class GameProblem(Problem):
    """Tunes the parameters of a game so that its measures meet goals.

    Args:
        goals: see ``Wanted.read``.
        agents: the agents that play; the last one fills the remaining seats.
        players: number of players; by default the usual number of the game.
        start: parameters that the search starts from; the rest have their defaults.
        narrowed: what is searched, see ``Space.of``; by default all parameters.

    Raises:
        ParameterError: a name, a value or a goal is wrong.
        AgentError: an agent cannot play the game.
    """

    kind = "game"
    unchanged = "as it is"
    usual_each = USUAL_EACH
    usual_games = USUAL_GAMES

    def __init__(
        self,
        game: Playable,
        goals: Sequence[str],
        *,
        agents: Lineup = "random",
        players: int | None = None,
        start: Mapping[str, Any] | None = None,
        narrowed: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        if not goals:
            raise ParameterError("What is the game to be? Give a goal, such as 'fairness<=1'.")
        texts = [text_given("a goal", text) for text in in_list("goals", goals, "goals")]
        parsed = [Wanted.read(text) for text in texts]
        table = find_table(game, players, start)
        self.game = table.game
        self.players = table.players
        self._values = table.parameters.as_dict()
        self.space = Space.of(self.game.Parameters.tunables, self._values, narrowed)
        self._agents = make_agents(agents, self.players)
        # agents rotate: in a multiple of this number each has each seat equally often
        self.unit_games = self.players if len(set(self._labels)) > 1 else 1
        members = [goal.member for goal in parsed if needs_document(goal)]
        self._record = what_to_record(members)
        self._measures = bool(members)
        self._table = functools.lru_cache(maxsize=TABLES)(self._new_table)
        self.goals: tuple[MeasureGoal, ...] = ()
        tried = self._play(self.space.start, Order(0, Shard(0, TRIED)))
        self.goals = tuple(resolve(goal, tried) for goal in parsed)
        players_word = f"{self.players} player{'s' if self.players > 1 else ''}"
        self.title = f"{table.game.title or table.game.name}, {players_word}"

    @property
    def _labels(self) -> list[str]:
        return [agent.label for agent in self._agents]

    def _new_table(self, point: Point) -> Table:
        return self.game.table(self.players, self._values | self.space.values(point))

    def table(self, point: Point) -> Table:
        """The table with the parameters of a point."""
        return self._table(point)

    def _refusal(self, point: Point) -> str | None:
        parameters = self._values | self.space.values(point)
        try:
            values = self.game.Parameters(self.players, **parameters)
            if why := self.game.problem(self.players, values):
                return why
            if self.space.start == point:
                return None
            self._table(point)
        except KibitzError as problem:
            return str(problem)
        return None

    def use(self, point: Point) -> str:
        """The parameters as arguments of ``--set``."""
        changed = self.table(point).parameters.changed(self.players)
        return " ".join(f"--set {name}={value}" for name, value in changed.items())

    def play(self, point: Point, order: Order) -> Block:
        """The means that the goals are computed from."""
        played = self._play(point, order)
        return Block(order.shard.games, tuple(goal.read(played) for goal in self.goals))

    def _play(self, point: Point, order: Order) -> Played:
        table = self.table(point)
        shard_rows = play_rows(table, self._agents, order, record=self._record)
        metadata = RunMetadata.of(table, self._agents, rotated=True)
        measuring = None
        if self._measures:
            experiment = Experiment.of(
                table, self._agents, order.shard.games, order.seed, record=self._record
            )
            measuring = Measuring(table, self._agents, experiment)
            for rows in shard_rows:
                measuring.add(rows)
        samples = [Sample(metadata, rows) for rows in shard_rows]
        return Played(self.players, samples, measuring)

    def to_json(self) -> dict[str, Any]:
        """Game, agents, goals and space."""
        return {
            "tune": self.kind,
            "game": self.game.name,
            "rules": self.game.fingerprint,
            "players": self.players,
            "parameters": self.table(self.space.start).parameters.to_json(),
            "agents": self._labels,
            "goals": [goal.to_json() for goal in self.goals],
            "space": self.space.to_json(),
        }

"""Tuning an agent: the search for options with which it wins most against a field of opponents."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from kibitz.core.agent import (
    Agent,
    Lineup,
    agent_class,
    agent_from_text,
    make_agent,
    split_agents,
)
from kibitz.core.errors import AgentError, KibitzError, ParameterError, check_names
from kibitz.core.progress import part_of
from kibitz.core.statistics import Interval
from kibitz.core.status import Status
from kibitz.loading import Playable, find_table
from kibitz.reports.numbers import percent
from kibitz.runs import Rows, Shard
from kibitz.runs.experiment import as_names
from kibitz.studies.contest import first_places
from kibitz.studies.tuning.problem import (
    Block,
    Goal,
    Order,
    Problem,
    Statistic,
    mean_of,
    play_rows,
)
from kibitz.studies.tuning.space import Point, Space

START = "start"
"""The name for an opponent that is the agent itself, with its options at the start."""

USUAL_GAMES = 4000
"""Default number of games of a search."""


class ScoreGoal(Goal):
    """The goal of an agent: the largest share of the win."""

    text = "games won"
    name = "games won"

    def value(self, statistics: Sequence[Statistic]) -> Statistic:
        """The mean share of the win."""
        return statistics[0]

    def loss(self, statistics: Sequence[Statistic]) -> float:
        """One minus the share of the win."""
        return 1 - statistics[0].value

    def optimiser_value(self, statistics: Sequence[Statistic]) -> float:
        """The share of the win."""
        return statistics[0].value

    def possible(self, interval: Interval) -> Interval:
        """The part of an interval between 0 and 1."""
        return max(0.0, interval[0]), min(1.0, interval[1])

    def show(self, value: float, interval: Interval | None = None) -> str:
        """A share of wins in per cent, with its interval if there is one."""
        return percent(value, None if interval is None else self.possible(interval))

    def show_difference(self, value: float, interval: Interval) -> str:
        """A difference of two shares in percentage points, with its interval."""
        low, high = (100 * bound for bound in interval)
        return f"{100 * value:+.1f} points ({low:+.1f} to {high:+.1f})"

    def is_met(self, value: Statistic) -> bool:
        """False: the agent may always win more."""
        return False

    def known(self, problem: Problem, point: Point) -> float | None:
        """The fair share, if all opponents are the same agent as the point."""
        assert isinstance(problem, AgentProblem)
        return problem.fair_share if problem.meets_itself(point) else None


class AgentProblem(Problem):
    """Tunes an agent at a table against a field of opponents.

    The agent has one seat and an opponent all others; each deal is played once for each seat
    (duplicate). The agent's score is its share of the win: 1 / k of a first place that k seats
    share. In a game for one player, or a cooperative one, it is the return, scaled to 0 to 1. An
    unfinished game scores 0.

    Args:
        game: a game, a table, or what ``kibitz.load`` takes.
        agent: the agent with the options that the search starts from, including its budget.
        players: number of players; by default the usual number of the game.
        parameters: the game's parameters by name; the rest keep their defaults.
        against: the opponents, each in as many games; "start" is the agent as it starts.
        narrowed: what is searched, see ``Space.of``; by default all options with values to try.
        randomize: names of the game's parameters that each deal draws from their ranges.

    Raises:
        AgentError: the agent has nothing to tune, or an agent cannot play this game.
        ParameterError: a name or a value is wrong.
    """

    kind = "agent"
    unchanged = "as it starts"

    def __init__(
        self,
        game: Playable,
        agent: str | Agent,
        *,
        players: int | None = None,
        parameters: Mapping[str, Any] | None = None,
        against: Lineup = START,
        narrowed: Mapping[str, str] | None = None,
        randomize: str | Collection[str] = (),
    ) -> None:
        super().__init__()
        self._randomize = tuple(sorted(set(as_names("randomize", randomize))))
        self.table = table = find_table(game, players, parameters)
        check_names(self._randomize, table.game.Parameters.tunables)
        start = make_agent(agent)
        start.check_game(table)
        self._class = agent_class(start.name)
        self._values = start.options.as_dict()
        declared = self._class.Options.tunables
        try:
            self.space = Space.of(declared, self._values, narrowed)
        except ParameterError as problem:
            raise AgentError(f"{start.label}: {problem}") from None
        start_label = self._agent(self.space.start).label
        self._opponents = [
            agent_from_text(start_label) if opponent == START else make_agent(opponent)
            for opponent in split_agents(against, "against")
        ]
        if table.players == 1:
            self._opponents = []
        elif not self._opponents:
            raise AgentError("against: name an opponent, or 'start' for the agent as it starts.")
        for opponent in self._opponents:
            opponent.check_game(table)
        self.goals = (ScoreGoal(),)
        self.unit_games = table.players * max(1, len(self._opponents))
        self.usual_each = self.unit_games
        self.usual_games = USUAL_GAMES
        seats = f"{table.players} player{'s' if table.players > 1 else ''}"
        self.title = f"{start_label} in {table.game.title or table.game.name}, {seats}"

    @property
    def field(self) -> tuple[str, ...]:
        """The labels of the opponents."""
        return tuple(opponent.label for opponent in self._opponents)

    @property
    def fair_share(self) -> float:
        """The share of the win of one player among equals."""
        return 1 / self.table.players

    def meets_itself(self, point: Point) -> bool:
        """Whether all opponents are the same agent as a point, in a competitive game."""
        label = self.label(point)
        alike = bool(self.field) and all(other == label for other in self.field)
        return alike and not self._counts_ends

    @property
    def _counts_ends(self) -> bool:
        """Whether the score of a game is its return, not the share of the win."""
        return not self.table.has_rivals

    def _agent(self, point: Point) -> Agent:
        return self._class(**(self._values | self.space.values(point)))

    def _refusal(self, point: Point) -> str | None:
        try:
            self._agent(point).check_game(self.table)
        except KibitzError as problem:
            return str(problem)
        return None

    def label(self, point: Point) -> str:
        """The label of the agent with its options."""
        return self._agent(point).label

    def use(self, point: Point) -> str:
        """The agent as an argument of ``--agents``."""
        return f'--agents "{self.label(point)}"'

    def play(self, point: Point, order: Order) -> Block:
        """The agent's mean score in each deal, over all seats and opponents."""
        agent = self._agent(point)
        lineups: list[list[Agent]] = [
            [agent, *[opponent] * (self.table.players - 1)] for opponent in self._opponents
        ] or [[agent]]
        shard = order.shard
        each = shard.games // len(lineups)
        scores: list[np.ndarray[Any, Any]] = []
        decided = False
        for number, lineup in enumerate(lineups):
            part_order = dataclasses.replace(
                order,
                shard=Shard(shard.first // len(lineups), each),
                progress=part_of(order.progress, number * each, shard.games),
            )
            shard_rows = play_rows(
                self.table, lineup, part_order, duplicate=True, randomize=self._randomize
            )
            decided |= any(bool(rows.results["decisions"].any()) for rows in shard_rows)
            won = np.concatenate([self._scores(rows) for rows in shard_rows])
            scores.append(won.reshape(-1, self.table.players).mean(axis=1))
        series = tuple(np.mean(scores, axis=0).tolist())
        return Block(shard.games, ((mean_of(series),),), series, decided)

    def _scores(self, rows: Rows) -> np.ndarray[Any, Any]:
        """The agent's score in each game."""
        seats = rows.results["seats"].reshape(-1, self.table.players)
        mine = seats["agent"] == 0
        if self._counts_ends:
            worth = (seats["returns"] + 1) / 2
        else:
            worth = first_places(seats)
        scores = (worth * mine).sum(axis=1)
        return np.where(rows.results["status"] == Status.FINISHED, scores, 0.0)

    def to_json(self) -> dict[str, Any]:
        """Game, agent, opponents and space."""
        return {
            "tune": self.kind,
            "game": self.table.game.name,
            "rules": self.table.game.fingerprint,
            "players": self.table.players,
            "parameters": self.table.parameters.to_json(),
            "agent": self.label(self.space.start),
            "opponents": list(self.field),
            **({"randomize": list(self._randomize)} if self._randomize else {}),
            "space": self.space.to_json(),
        }

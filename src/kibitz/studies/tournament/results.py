"""The results of a tournament: matches, tables, ratings over several tables."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import kibitz
from kibitz.core.statistics import Interval, Z, wilson_interval
from kibitz.reports.notebook import Reported
from kibitz.studies.controls import Controlled
from kibitz.studies.results import FORMAT
from kibitz.studies.tournament.alpharank import alpha_rank_intervals
from kibitz.studies.tournament.forfeits import Failure
from kibitz.studies.tournament.formats import Format, Pair
from kibitz.studies.tournament.race import PairVerdict, StoppingRule
from kibitz.studies.tournament.ratings import Ratings, cycles, pooled
from kibitz.studies.values import pair


@dataclass(frozen=True)
class Match:
    """One agent against another at one table.

    Attributes:
        one: number of the first agent, which has one seat, or one team.
        other: number of the second agent, which has all other seats.
        games: number of finished games.
        wins: wins of the first agent; a first place shared by k players counts 1/k.
        unfinished: number of unfinished games, which do not count.
        effective: number of independent games to which these amount; by default ``games``.
        controlled: share of wins with luck removed, where games were judged.
    """

    one: int
    other: int
    games: int
    wins: float
    unfinished: int
    effective: float | None = None
    controlled: Controlled | None = None

    @property
    def share(self) -> float:
        """The first agent's share of wins, corrected for luck where that is known."""
        if self.controlled is not None:
            return min(1.0, max(0.0, self.controlled.share))
        return self.wins / self.games if self.games else 0.0

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the share."""
        if self.controlled is not None:
            low, high = self.controlled.interval
            return max(0.0, low), min(1.0, high)
        effective = self.games if self.effective is None else self.effective
        return wilson_interval(self.share * effective, effective)

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {
            "one": self.one,
            "other": self.other,
            "games": self.games,
            "wins": self.wins,
            "share": self.share,
            "interval": pair(self.interval),
            "effective_games": self.effective,
            "fewer_games": None if self.controlled is None else self.controlled.gain,
            "unfinished": self.unfinished,
        }


@dataclass(frozen=True)
class Rank:
    """The alpha-rank of an agent.

    Attributes:
        share: share of the time for which a population plays the agent.
        interval: 95 % interval of the share.
    """

    share: float
    interval: Interval


@dataclass(frozen=True)
class TableResult:
    """The results at one table.

    Attributes:
        label: name of the table in the tournament.
        title: name of the game as printed on its box.
        changed: parameters that differ from their defaults, in words.
        matches: the matches, sorted by the numbers of their agents.
        ratings: ratings of the agents, in their order.
        seconds: mean time of each agent for a decision; ``None`` where it is not known, as for
            agents that do not look at the state and for games that were read from a folder.
        verdicts: verdicts on the pairs, if the tournament ends when the order is sure.
        sides: number of sides that compete: players or teams; 0 stands for ``players``.
        kinds: categories and mechanics of the game.
        played_as: labels of the agents as they played here, with the iterations of their budget.
        rounds: the pairs of each round of a knock-out, the winner first.
        randomized: names of the parameters that each deal drew from their ranges.
        decided: whether there was any decision in these games.
        failures: the games that agents broke off, one item per agent.
        game: name of the game.
    """

    label: str
    title: str
    players: int
    changed: Mapping[str, str]
    matches: tuple[Match, ...]
    ratings: Ratings
    seconds: tuple[float | None, ...]
    verdicts: tuple[PairVerdict, ...] = ()
    sides: int = 0
    kinds: tuple[str, ...] = ()
    played_as: tuple[str, ...] = ()
    rounds: tuple[tuple[Pair, ...], ...] = ()
    randomized: tuple[str, ...] = ()
    decided: bool = True
    failures: tuple[Failure, ...] = ()
    game: str = ""

    @property
    def fair(self) -> float:
        """The share of wins of one side among equals."""
        return 1 / (self.sides or self.players)

    def share(self, first: int, other: int) -> tuple[float, Interval] | None:
        """The share of wins of one agent against another, with its 95 % interval, if they met."""
        for match in self.matches:
            if match.games and (match.one, match.other) == (first, other):
                return match.share, match.interval
            mutual = (self.sides or self.players) == 2
            if match.games and mutual and (match.other, match.one) == (first, other):
                low, high = match.interval
                return 1 - match.share, (1 - high, 1 - low)
        return None

    @property
    def cycles(self) -> list[tuple[int, int, int]]:
        """Triples of agents of which each beats the next, and the last the first."""
        count = len(self.ratings.players)
        above: list[list[Interval | None]] = [[None] * count for _ in range(count)]
        for first, other in itertools.permutations(range(count), 2):
            share = self.share(first, other)
            if share is not None:
                low, high = share[1]
                above[first][other] = (low - self.fair, high - self.fair)
        return cycles(above)

    @functools.cached_property
    def alpha_rank(self) -> tuple[Rank, ...]:
        """The alpha-rank of each agent; empty for two agents, or where some did not meet."""
        count = len(self.ratings.players)
        if count < 3:
            return ()
        payoffs, errors = np.zeros((2, count, count))
        for first, other in itertools.permutations(range(count), 2):
            share = self.share(first, other)
            if share is None:
                return ()
            payoffs[first, other] = share[0] - self.fair
            # with two sides both entries are of the same games, and so have the same error
            both = 2**0.5 if (self.sides or self.players) == 2 else 1.0
            errors[first, other] = both * (share[1][1] - share[1][0]) / (2 * Z)
        shares, intervals = alpha_rank_intervals(payoffs, errors)
        return tuple(Rank(float(s), i) for s, i in zip(shares, intervals, strict=True))

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {
            "table": self.label,
            "players": self.players,
            "sides": self.sides or self.players,
            "kinds": list(self.kinds),
            "parameters_changed": dict(self.changed),
            "randomized": list(self.randomized),
            "decided": self.decided,
            "failures": [failure.to_json() for failure in self.failures],
            "luck": self.ratings.luck,
            "luck_interval": pair(self.ratings.luck_interval),
            "fit": self.ratings.fit,
            "cycles": [list(cycle) for cycle in self.cycles],
            "alpha_rank": [
                {"share": rank.share, "interval": pair(rank.interval)} for rank in self.alpha_rank
            ],
            "ratings": [rating.to_json() for rating in self.ratings.players],
            "played_as": list(self.played_as),
            "seconds_per_decision": list(self.seconds),
            "matches": [match.to_json() for match in self.matches],
            "rounds": [[list(two) for two in pairs] for pairs in self.rounds],
            "verdicts": [verdict.to_json() for verdict in self.verdicts],
        }


@dataclass(frozen=True)
class Tournament(Reported):
    """The result of a tournament.

    Attributes:
        agents: labels of the agents.
        games: requested number of games of each match; the maximum with a stopping rule.
        tables: results of the tables that are complete.
        interrupted: whether the tournament was stopped before its end.
        wanted: the stopping rule; ``None`` where all games were played.
        budget: budget of each decision, in words; empty if agents have budgets of their own.
        left_out: reasons why tables are missing, a sentence for each.
    """

    agents: tuple[str, ...]
    games: int
    seed: int
    tables: tuple[TableResult, ...]
    interrupted: bool
    wanted: StoppingRule | None = None
    format: Format = Format.ROUND_ROBIN
    budget: str = ""
    left_out: tuple[str, ...] = ()
    version: str = field(default_factory=lambda: kibitz.__version__)

    @functools.cached_property
    def overall(self) -> Ratings | None:
        """The mean of the ratings at all tables; ``None`` for a single table."""
        return _pooled(self.tables)

    @functools.cached_property
    def tables_by_kind(self) -> dict[str, tuple[TableResult, ...]]:
        """The tables by category and mechanic, for those that several tables have, but not all.

        Categories and mechanics of the same tables are joined into one kind.
        """
        words: dict[tuple[int, ...], list[str]] = {}
        for word in sorted({kind for table in self.tables for kind in table.kinds}):
            numbers = tuple(k for k, table in enumerate(self.tables) if word in table.kinds)
            if 1 < len(numbers) < len(self.tables):
                words.setdefault(numbers, []).append(word)
        return {
            ", ".join(names): tuple(self.tables[k] for k in numbers)
            for numbers, names in words.items()
        }

    @functools.cached_property
    def kinds(self) -> dict[str, Ratings]:
        """The mean of the ratings over the tables of each kind."""
        return {
            name: pooled([table.ratings for table in tables])
            for name, tables in self.tables_by_kind.items()
        }

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON types."""
        return {
            "format": FORMAT,
            "kibitz": self.version,
            "agents": list(self.agents),
            "meetings": self.format.value,
            "budget": self.budget,
            "games": self.games,
            "seed": self.seed,
            "interrupted": self.interrupted,
            "sure": None if self.wanted is None else self.wanted.sure,
            "margin": None if self.wanted is None else self.wanted.margin,
            "left_out": list(self.left_out),
            "tables": [table.to_json() for table in self.tables],
            "kinds": {name: _ratings(ratings) for name, ratings in self.kinds.items()},
            "overall": None if self.overall is None else _ratings(self.overall),
        }


def _ratings(ratings: Ratings) -> list[dict[str, Any]]:
    return [rating.to_json() for rating in ratings.players]


def _pooled(tables: Sequence[TableResult]) -> Ratings | None:
    return pooled([table.ratings for table in tables]) if len(tables) > 1 else None

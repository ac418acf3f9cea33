"""The results of a tournament: matches, tables, ratings over several tables."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import kibitz
from kibitz.playtest.controls import Controlled
from kibitz.playtest.results import FORMAT
from kibitz.playtest.statistics import Interval, Z, wilson_interval
from kibitz.playtest.values import pair
from kibitz.reports.document import Reported
from kibitz.tournament.alpharank import alpha_rank_intervals
from kibitz.tournament.forfeits import Failure
from kibitz.tournament.formats import Format, Pair
from kibitz.tournament.race import PairVerdict, StoppingRule
from kibitz.tournament.ratings import Ratings, cycles, pooled


@dataclass(frozen=True)
class Match:
    """One agent against another at one table.

    Attributes:
        one: the number of the agent that has one seat, or in teams one team.
        other: that of the agent that has the other seats.
        games: that were finished.
        wins: of the one; a first place shared by k players counts 1/k.
        unfinished: games that were not finished; they do not count.
        effective: to how many games of a deal each they amount; by default as many as they are.
        controlled: the share of wins with luck taken out, where games were judged.
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
        """Its 95 % interval."""
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
        share: of the time for which a population plays it.
        interval: its 95 % interval.
    """

    share: float
    interval: Interval


@dataclass(frozen=True)
class TableResult:
    """The results at one table.

    Attributes:
        label: what the table is called in the tournament.
        title: the game's.
        players: at the table.
        changed: parameters that differ from their defaults, in words.
        matches: in the order in which they were played.
        ratings: of the agents, in their order.
        seconds: that each agent thought for a decision; ``None`` where it is not known, as for
            agents that do not look at the state and for games that were read from a folder.
        verdicts: what is sure of each pair, in a tournament that ends when the order is; else
            empty.
        sides: of which one wins: as many as there are players, or teams; 0: as players.
        kinds: the categories and mechanics of the game.
        played_as: the agents as they played here, with what their budget came to.
        rounds: of a knock-out the pairs of each round, the winner first.
        randomized: the parameters that each deal drew from their ranges.
        decided: whether anybody had a choice in these games.
        failures: the games that agents broke off, and lost.
        game: the game's name.
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
        """The share of one side among equals."""
        return 1 / (self.sides or self.players)

    def share(self, one: int, other: int) -> tuple[float, Interval] | None:
        """The share of one agent against another, and its 95 % interval, if they met."""
        for match in self.matches:
            if match.games and (match.one, match.other) == (one, other):
                return match.share, match.interval
            mutual = (self.sides or self.players) == 2
            if match.games and mutual and (match.other, match.one) == (one, other):
                low, high = match.interval
                return 1 - match.share, (1 - high, 1 - low)
        return None

    @property
    def cycles(self) -> list[tuple[int, int, int]]:
        """Agents of whom each beats the next one, and the last one the first."""
        count = len(self.ratings.players)
        above: list[list[Interval | None]] = [[None] * count for _ in range(count)]
        for one, other in itertools.permutations(range(count), 2):
            found = self.share(one, other)
            if found is not None:
                low, high = found[1]
                above[one][other] = (low - self.fair, high - self.fair)
        return cycles(above)

    @functools.cached_property
    def alpha_rank(self) -> tuple[Rank, ...]:
        """The alpha-rank of each agent; empty where not all met, or there are only two."""
        count = len(self.ratings.players)
        if count < 3:
            return ()
        payoffs, errors = np.zeros((2, count, count))
        for one, other in itertools.permutations(range(count), 2):
            found = self.share(one, other)
            if found is None:
                return ()
            payoffs[one, other] = found[0] - self.fair
            # of two sides both entries are of the same games: so their errors are one
            both = 2**0.5 if (self.sides or self.players) == 2 else 1.0
            errors[one, other] = both * (found[1][1] - found[1][0]) / (2 * Z)
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
        agents: their labels.
        games: how many each match has, at most where it ends as soon as the order is sure.
        seed: of the games.
        tables: those that are complete.
        interrupted: whether it was stopped before its end.
        wanted: how sure the order was to be; ``None`` where all games were played.
        format: who met whom.
        budget: what each decision had, in words; empty: what the agents' own options say.
        left_out: why tables are missing, a sentence for each.
        version: of Kibitz.
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
        """The mean of the ratings at all tables; ``None`` with fewer than two of them."""
        return _pooled(self.tables)

    @functools.cached_property
    def tables_by_kind(self) -> dict[str, tuple[TableResult, ...]]:
        """The tables of each category and each mechanic that several tables have, but not all.

        Words that the same tables have are one kind.
        """
        words: dict[tuple[int, ...], list[str]] = {}
        for word in sorted({kind for table in self.tables for kind in table.kinds}):
            which = tuple(k for k, table in enumerate(self.tables) if word in table.kinds)
            if 1 < len(which) < len(self.tables):
                words.setdefault(which, []).append(word)
        return {
            ", ".join(names): tuple(self.tables[k] for k in which)
            for which, names in words.items()
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

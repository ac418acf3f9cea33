"""Tournaments: every agent against every other one, at every table.

With two players each pair meets once, in seats that rotate. With more, one of each agent plays
against agents of the other kind in all other seats, for every ordered pair. Each deal is played
once for each seat (duplicate), and all matches of a table have the same deals.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import kibitz
from kibitz.core.agent import Agent, make_agent
from kibitz.core.errors import ParameterError
from kibitz.core.game import Table
from kibitz.core.status import Status
from kibitz.playtest.contest import DealScores, first_places
from kibitz.playtest.kept import kept_run, play_missing
from kibitz.playtest.results import FORMAT
from kibitz.playtest.statistics import Interval, wilson_interval
from kibitz.playtest.values import pair
from kibitz.runs import Experiment, Rows, Workers, runner_for
from kibitz.tournament.race import FIRST_DEALS, Pair, PairVerdict, Race, Sureness, next_deals
from kibitz.tournament.ratings import Ratings, cycles, rate

Tell = Callable[[str, int], None]
"""Called with the match that is played, and the number of games played in all."""


@dataclass(frozen=True)
class Match:
    """One agent against another at one table.

    Attributes:
        one: the number of the agent that has one seat.
        other: that of the agent that has the other seats.
        games: that were finished.
        wins: of the one; a first place shared by k players counts 1/k.
        unfinished: games that were not finished; they do not count.
        effective: to how many games of a deal each they amount; by default as many as they are.
    """

    one: int
    other: int
    games: int
    wins: float
    unfinished: int
    effective: float | None = None

    @property
    def share(self) -> float:
        """The share of games that the one has won."""
        return self.wins / self.games if self.games else 0.0

    @property
    def interval(self) -> Interval:
        """Its 95 % interval."""
        effective = self.games if self.effective is None else self.effective
        return wilson_interval(self.share * effective, effective)

    def to_json(self) -> dict[str, Any]:
        """Everything by name."""
        return {
            "one": self.one,
            "other": self.other,
            "games": self.games,
            "wins": self.wins,
            "share": self.share,
            "interval": pair(self.interval),
            "effective_games": self.effective,
            "unfinished": self.unfinished,
        }


@dataclass(frozen=True)
class TableResult:
    """What came out at one table.

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
    """

    label: str
    title: str
    players: int
    changed: Mapping[str, str]
    matches: tuple[Match, ...]
    ratings: Ratings
    seconds: tuple[float | None, ...]
    verdicts: tuple[PairVerdict, ...] = ()

    @property
    def fair(self) -> float:
        """The share of one player among equals."""
        return 1 / self.players

    def share(self, one: int, other: int) -> tuple[float, Interval] | None:
        """The share of one agent against another, and its 95 % interval, if they met."""
        for match in self.matches:
            if match.games and (match.one, match.other) == (one, other):
                return match.share, match.interval
            if match.games and self.players == 2 and (match.other, match.one) == (one, other):
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

    def to_json(self) -> dict[str, Any]:
        """Everything by name."""
        return {
            "table": self.label,
            "players": self.players,
            "parameters_changed": dict(self.changed),
            "luck": self.ratings.luck,
            "luck_interval": pair(self.ratings.luck_interval),
            "fit": self.ratings.fit,
            "cycles": [list(cycle) for cycle in self.cycles],
            "ratings": [rating.to_json() for rating in self.ratings.players],
            "seconds_per_decision": list(self.seconds),
            "matches": [match.to_json() for match in self.matches],
            "verdicts": [verdict.to_json() for verdict in self.verdicts],
        }


@dataclass(frozen=True)
class Tournament:
    """The result of a tournament.

    Attributes:
        agents: their labels.
        games: how many each match has, at most where it ends as soon as the order is sure.
        seed: of the games.
        tables: those that are complete.
        overall: ratings over all tables, as if luck had the same share everywhere; ``None`` with
            fewer than two tables.
        interrupted: whether it was stopped before its end.
        wanted: how sure the order was to be; ``None`` where all games were played.
        version: of Kibitz.
    """

    agents: tuple[str, ...]
    games: int
    seed: int
    tables: tuple[TableResult, ...]
    overall: Ratings | None
    interrupted: bool
    wanted: Sureness | None = None
    version: str = field(default_factory=lambda: kibitz.__version__)

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON types."""
        overall = None
        if self.overall is not None:
            overall = [rating.to_json() for rating in self.overall.players]
        return {
            "format": FORMAT,
            "kibitz": self.version,
            "agents": list(self.agents),
            "games": self.games,
            "seed": self.seed,
            "interrupted": self.interrupted,
            "sure": None if self.wanted is None else self.wanted.sure,
            "margin": None if self.wanted is None else self.wanted.margin,
            "tables": [table.to_json() for table in self.tables],
            "overall": overall,
        }


def play_tournament(
    tables: Mapping[str, Table],
    agents: Sequence[str | Agent],
    *,
    games: int = 200,
    seed: int = 0,
    workers: Workers = None,
    out: Path | None = None,
    tell: Tell | None = None,
    sure: Sureness | None = None,
) -> Tournament:
    """Plays a tournament.

    >>> table = kibitz.load("tic-tac-toe").table()
    >>> found = play_tournament({"toe": table}, ["random", "osla"], games=100)
    >>> found.tables[0].ratings.players[1].elo > 100
    True

    Args:
        tables: by label.
        agents: who takes part, at every table.
        games: of each match: rounded up, so that each seat is taken equally often.
        seed: of the games; they have the same deals in all matches of a table.
        workers: threads, or processes where the rules or an agent are Python.
        out: a folder in which the games are kept: what is there is not played again.
        tell: called with the match at hand, and the number of games played in all.
        sure: a table ends as soon as the order of its agents is so sure; `games` are the most of
            a match then.

    An interrupt ends it; the tables that are complete are kept.

    Raises:
        ParameterError: there are too few agents or tables, or nobody can play against others.
        AgentError: an agent cannot play at a table.
        KeyboardInterrupt: it was stopped at the first table.
    """
    competitors = [make_agent(agent) for agent in agents]
    labels = [agent.label for agent in competitors]
    if len(set(labels)) < 2 or len(set(labels)) < len(labels):
        raise ParameterError("A tournament needs two agents or more, each of them once.")
    if not tables:
        raise ParameterError("A tournament needs a table.")
    for label, table in tables.items():
        if table.players < 2:
            raise ParameterError(f"{label}: a player alone has nobody to compete with.")
        for agent in competitors:
            agent.check_game(table)
    results: list[TableResult] = []
    records: list[_Games] = []
    interrupted = False
    playing = _Playing(competitors, seed, workers, out, tell, sure)
    for label, table in tables.items():
        try:
            result, record = playing.table(label, table, games)
        except KeyboardInterrupt:
            if not results:
                raise
            interrupted = True
            break
        results.append(result)
        records.append(record)
    overall = _overall(records, len(labels)) if len(results) > 1 else None
    return Tournament(tuple(labels), games, seed, tuple(results), overall, interrupted, sure)


def number_of_matches(players: int, agents: int) -> int:
    """How many matches a table has."""
    pairs = agents * (agents - 1)
    return pairs // 2 if players == 2 else pairs


@dataclass
class _Games:
    """The finished games of a table: who sat where, who won, which deal it was."""

    seats: list[np.ndarray[Any, Any]] = field(default_factory=list)
    wins: list[np.ndarray[Any, Any]] = field(default_factory=list)
    deals: list[np.ndarray[Any, Any]] = field(default_factory=list)

    def rated(self, count: int) -> Ratings:
        """The ratings of so many agents."""
        parts = (self.seats, self.wins, self.deals)
        seats, wins, deals = (np.concatenate(part) for part in parts)
        return rate(seats, wins, count, deals)


class _Playing:
    """Plays the tables one after the other."""

    def __init__(
        self,
        agents: Sequence[Agent],
        seed: int,
        workers: Workers,
        out: Path | None,
        tell: Tell | None,
        sure: Sureness | None,
    ) -> None:
        self._agents = agents
        self._sure = sure
        self._seed = seed
        self._workers = workers
        self._out = out
        self._tell = tell
        self._played = 0

    def table(self, label: str, table: Table, games: int) -> tuple[TableResult, _Games]:
        """Plays all matches of a table."""
        games = -(-games // table.players) * table.players
        matches = []
        record = _Games()
        thought = np.zeros((2, len(self._agents)))
        pairs = [
            (one, other)
            for one, other in itertools.permutations(range(len(self._agents)), 2)
            if table.players > 2 or one < other
        ]
        verdicts: tuple[PairVerdict, ...] = ()
        if self._sure is None:
            found = {pair: self._match(label, table, *pair, games) for pair in pairs}
        else:
            found, verdicts = self._raced(label, table, pairs, games)
        for one, other in pairs:
            rows = found[one, other]
            matches.append(self._counted(one, other, rows, record, thought))
        nanoseconds, decisions = thought
        seconds = [
            float(n / d / 1e9) if n > 0 and d > 0 else None
            for n, d in zip(nanoseconds, decisions, strict=True)
        ]
        if not record.seats or not sum(match.games for match in matches):
            raise ParameterError(f"{label}: no game could be finished.")
        result = TableResult(
            label,
            table.game.title or table.game.name,
            table.players,
            table.parameters.changed(table.players),
            tuple(matches),
            record.rated(len(self._agents)),
            tuple(seconds),
            verdicts,
        )
        return result, record

    def _raced(
        self, label: str, table: Table, pairs: Sequence[Pair], games: int
    ) -> tuple[dict[Pair, list[Rows]], tuple[PairVerdict, ...]]:
        """Plays until the order of the agents is sure, or all games are played.

        Which deals are played depends on the results alone: not on threads, nor on interrupts.
        """
        assert self._sure is not None
        race = Race(len(self._agents), table.players, self._sure)
        found: dict[Pair, list[Rows]] = {pair: [] for pair in pairs}
        most = games // table.players
        played = 0
        while played < most and (going := race.open):
            before, played = played, min(most, next_deals(played))
            for one, other in going:
                sides = [pair for pair in ((one, other), (other, one)) if pair in found]
                scores = []
                for side in sides:
                    rows = self._match(label, table, *side, games, range(before, played))
                    found[side] += rows
                    scores.append(DealScores.of(rows, table.players))
                race.add((one, other), _differences(scores))
        return found, race.verdicts

    def _match(
        self,
        label: str,
        table: Table,
        one: int,
        other: int,
        games: int,
        deals: range | None = None,
    ) -> list[Rows]:
        """Plays a match, or some deals of it, or what is missing of these."""
        seated = [self._agents[one], *[self._agents[other]] * (table.players - 1)]
        size = 0 if deals is None else FIRST_DEALS * table.players
        experiment = Experiment.of(
            table, seated, games, self._seed, duplicate=True, shard_games=min(size, games)
        )
        runner = runner_for(experiment, table, seated, workers=self._workers)
        before = self._played
        name = f"{label}, {self._agents[one].label} against {self._agents[other].label}"

        def progress(done: int) -> None:
            if self._tell is not None:
                self._tell(name, before + done)

        deals = range(games // table.players) if deals is None else deals
        wanted = range(deals.start * table.players, deals.stop * table.players)
        shards = [shard for shard in experiment.shards() if shard.first in wanted]
        found: list[Rows] = []
        if self._out is None:
            runner.play(found.append, shards, progress)
        else:
            words = f"{label} {self._agents[one].label} {self._agents[other].label}"
            folder = self._out / words.replace(":", " ").replace("/", " ")
            run = kept_run(folder, experiment, table)
            play_missing(run, runner, progress, wanted)
            found = list(run.rows(wanted))
        self._played += len(wanted)
        if sum(len(rows.results) for rows in found) < len(wanted):
            raise KeyboardInterrupt
        return found

    def _counted(
        self,
        one: int,
        other: int,
        found: Sequence[Rows],
        record: _Games,
        thought: np.ndarray[Any, Any],
    ) -> Match:
        """Counts the wins of a match, and notes its games."""
        numbers = np.array([one, other])
        for rows in found:
            finished = rows.results["status"] == Status.FINISHED
            seats = rows.results["seats"][finished]
            mine = seats["agent"] == 0
            record.seats.append(numbers[np.where(mine, 0, 1)])
            record.wins.append(first_places(seats))
            deals = (rows.shard.first + np.flatnonzero(finished)) // seats.shape[1]
            record.deals.append(deals)
            for agent, theirs in ((one, mine), (other, ~mine)):
                thought[0, agent] += float(seats["nanoseconds"][theirs].sum())
                thought[1, agent] += float(seats["decisions"][theirs].sum())
        scores = DealScores.of(found, found[0].results["seats"].shape[1])
        wins = float(scores.wins.sum())
        return Match(one, other, scores.finished, wins, scores.unfinished, scores.effective)


def _differences(sides: Sequence[DealScores]) -> list[float]:
    """By how much the first agent's share of wins is larger than the second's, deal by deal.

    Args:
        sides: with two players the first agent's scores; with more those of each among players of
            the other kind. Deals of which no game was finished count nothing.
    """
    if len(sides) == 1:
        [mine] = sides
        return [float(share) for share in 2 * mine.wins / mine.games - 1]
    mine, theirs = sides
    _, here, there = np.intersect1d(mine.numbers, theirs.numbers, return_indices=True)
    shares = mine.wins[here] / mine.games[here] - theirs.wins[there] / theirs.games[there]
    return [float(share) for share in shares]


def _overall(records: Sequence[_Games], count: int) -> Ratings | None:
    """Ratings over tables with the same number of players; ``None`` where these differ."""
    widths = {record.seats[0].shape[1] for record in records}
    if len(widths) > 1:
        return None
    joined = _Games()
    for number, record in enumerate(records):
        joined.seats += record.seats
        joined.wins += record.wins
        joined.deals += [deals + number * 2**40 for deals in record.deals]
    return joined.rated(count)

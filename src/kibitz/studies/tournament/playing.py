"""Plays tournaments: agents against each other, at every table.

With two players each pair meets once, in seats that rotate. With more players a pair has two
matches: in each, one of the agents has one seat and the other agent has all other seats. Each deal
is played once for each seat (duplicate), and all matches of a table have the same deals.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.core.agent import Agent, Lineup, agents_in
from kibitz.core.errors import (
    FileError,
    GameDefinitionError,
    KibitzError,
    ParameterError,
    UnratedError,
    check_names,
    did_you_mean,
)
from kibitz.core.game import Table
from kibitz.core.parameters import by_name, truth, whole_number
from kibitz.core.progress import Progress, part_of
from kibitz.core.randomness import check_seed
from kibitz.core.status import Status
from kibitz.core.wording import listed
from kibitz.loading import Playable, find_table
from kibitz.players.search import Budgeted
from kibitz.runs import Design, Experiment, Rows, Run, Workers, runner_for
from kibitz.runs.experiment import as_names
from kibitz.runs.places import check_unused, place_at
from kibitz.studies.contest import DealScores, first_places
from kibitz.studies.controls import CONTROL_JUDGE, controlled, controls
from kibitz.studies.kept import kept_run, play_missing
from kibitz.studies.tournament.budgets import FILE as BUDGETS
from kibitz.studies.tournament.budgets import DecisionBudget, budget_in
from kibitz.studies.tournament.forfeits import Failure, forfeited, note_failures
from kibitz.studies.tournament.formats import (
    Format,
    Pair,
    Seating,
    knock_out_round,
    number_of_pairs,
    pairs_of,
)
from kibitz.studies.tournament.race import FIRST_DEALS, PairVerdict, Race, StoppingRule, next_deals
from kibitz.studies.tournament.ratings import Ratings, rate
from kibitz.studies.tournament.results import Match, TableResult, Tournament


def tournament(
    tables: Mapping[str, Playable] | Playable,
    agents: Lineup,
    *,
    games: int = 200,
    seed: int = 0,
    format: Format = Format.ROUND_ROBIN,
    sure: StoppingRule | None = None,
    control: bool = False,
    randomize: Mapping[str, str | Collection[str]] | None = None,
    decision_budget: DecisionBudget | str | None = None,
    workers: Workers = None,
    progress: Progress | None = None,
    out: str | Path | None = None,
) -> Tournament:
    """Plays a tournament.

    >>> import kibitz
    >>> table = kibitz.load("tic-tac-toe").table()
    >>> result = kibitz.tournament({"toe": table}, ["random", "osla"], games=100)
    >>> result.tables[0].ratings.players[1].elo > 100
    True

    An agent that chooses an illegal action, or raises, loses that game. A table at which an agent
    finishes no game, or whose rules are faulty, is left out. An interrupt ends the tournament; the
    tables that are complete are returned.

    Args:
        tables: games or tables by label; or a single one, whose name is its label.
        agents: the agents of every table.
        games: number of games of each match, rounded up so that each seat is taken equally often.
        format: the pairs that meet; by default all.
        sure: rule that ends a table as soon as the order of its agents is sure; `games` is then
            the maximum of a match.
        control: whether games are judged, and luck is removed from the shares of wins.
        randomize: names of the parameters that each deal draws from their ranges, by the label of
            the table.
        decision_budget: time or iterations that each agent that searches has for a decision, such
            as "10ms" or "200it".
        workers: number of threads, or of processes if the rules or an agent are Python; or a
            cluster.
        progress: its stages are the matches; with `sure` it may end before all games are played.
        out: folder in which the games are stored. Stored games are not played again, also if
            `games` is increased.

    Raises:
        FileError: `out` holds other files.
        ParameterError: there are too few agents or tables, a game is not competitive, options
            exclude each other, or an argument has a wrong type.
        UnratedError: at no table all agents finish a game.
        AgentError: an agent cannot play at a table.
        KeyboardInterrupt: stopped at the first table.
    """
    competitors = agents_in(agents)
    labels = [agent.label for agent in competitors]
    if len(set(labels)) < 2 or len(set(labels)) < len(labels):
        raise ParameterError("A tournament needs two agents or more, each of them once.")
    if not tables:
        raise ParameterError("A tournament needs a table.")
    left_out: list[KibitzError] = []
    chosen = _usable(tables, left_out)
    if out is not None:
        out = place_at(out)
        check_unused(out, belongs)
    budget = None if decision_budget is None else budget_in("decision_budget", decision_budget)
    if budget is not None and not any(isinstance(a.options, Budgeted) for a in competitors):
        raise ParameterError(
            "Nobody here searches, so that a time for a decision changes nothing."
        )
    playing = _Playing(
        entered=competitors,
        out=out,
        progress=progress,
        budget=budget,
        games=games,
        seed=seed,
        workers=workers,
        sure=sure,
        format=format,
        control=truth("control", control),
        randomize=_drawn(randomize, tables, chosen),
    )
    if playing.control and playing.sure is not None:
        raise ParameterError("A tournament ends when it is sure, or is controlled; not both.")
    if playing.control and playing.format is Format.TEAMS:
        raise ParameterError("Luck cannot be taken out of the results of teams yet.")
    for label, table in chosen.items():
        if table.players < 2:
            raise ParameterError(f"{label}: a player alone has nobody to compete with.")
        Seating.at(table, playing.format)
        for agent in competitors:
            agent.check_game(table)
        playing.total += number_of_games(table, len(labels), playing.games, playing.format)
    results: list[TableResult] = []
    interrupted = False
    for label, table in chosen.items():
        try:
            results.append(playing.table(label, table))
        except KeyboardInterrupt:
            if not results:
                raise
            interrupted = True
            break
        except UnratedError as problem:
            left_out.append(problem)
        except KibitzError as problem:
            left_out.append(type(problem)(f"{label}: {problem}"))
    if not results:
        raise left_out[0]
    return Tournament(
        tuple(labels),
        playing.games,
        playing.seed,
        tuple(results),
        interrupted,
        playing.sure,
        playing.format,
        "" if budget is None else str(budget),
        tuple(map(str, left_out)),
    )


FAULTY = GameDefinitionError, FileError
"""The errors of tables with faulty rules, for which a table is left out."""


def belongs(place: Path) -> bool:
    """Whether a path may be part of a tournament's folder: a run, budgets, or a folder of them."""
    if place.name == BUDGETS or Run.is_in(place):
        return True
    return place.is_dir() and any(
        item.name == BUDGETS or Run.is_in(item) for item in place.iterdir()
    )


def tables_by_label(tables: Mapping[str, Playable] | Playable) -> dict[str, Table]:
    """The tables of a tournament by label, from the forms that ``tournament`` takes.

    Raises:
        UnknownGameError: there is no such game.
    """
    if isinstance(tables, Mapping):
        return {label: find_table(table) for label, table in tables.items()}
    table = find_table(tables)
    return {table.game.name: table}


def _usable(
    tables: Mapping[str, Playable] | Playable, left_out: list[KibitzError]
) -> dict[str, Table]:
    """The tables by label; of several tables, those with faulty rules go to `left_out`."""
    if not isinstance(tables, Mapping) or len(tables) < 2:
        return tables_by_label(tables)
    chosen: dict[str, Table] = {}
    for label, table in tables.items():
        try:
            chosen |= tables_by_label({label: table})
        except FAULTY as problem:
            left_out.append(problem)
    return chosen


def _drawn(
    randomize: object, tables: Mapping[str, Playable] | Playable, chosen: Mapping[str, Table]
) -> dict[str, tuple[str, ...]]:
    """The names of the parameters that each deal draws, by the label of the table.

    Raises:
        ParameterError: there is no such table or parameter.
    """
    names = {
        label: as_names(f"randomize[{label!r}]", value)
        for label, value in by_name("randomize", randomize).items()
    }
    labels = tables if isinstance(tables, Mapping) else chosen
    for label, drawn in names.items():
        if label not in labels:
            raise ParameterError(did_you_mean(label, labels, "table"))
        if label in chosen:
            check_names(drawn, chosen[label].game.Parameters.tunables)
    return names


def number_of_games(
    table: Table, agents: int, games: int, format: Format = Format.ROUND_ROBIN
) -> int:
    """The maximum number of games at a table."""
    each = -(-games // table.players) * table.players
    both_ways = len(Seating.at(table, format).matches((0, 1)))
    return number_of_pairs(format, agents) * both_ways * each


@dataclass
class _TableGames:
    """The finished games of a table: sides, winners, deals."""

    sides: list[np.ndarray[Any, Any]] = field(default_factory=list)
    wins: list[np.ndarray[Any, Any]] = field(default_factory=list)
    deals: list[np.ndarray[Any, Any]] = field(default_factory=list)

    def check(self, label: str, agents: Sequence[Agent]) -> None:
        """Checks that every agent finished a game.

        Raises:
            UnratedError: an agent did not.
        """
        seated = {int(number) for sides in self.sides for number in np.unique(sides)}
        if not seated:
            raise UnratedError(f"{label}: no game could be finished.")
        missing = [agent.label for number, agent in enumerate(agents) if number not in seated]
        if missing:
            raise UnratedError(f"{label}: no game of {listed(missing)} could be finished.")

    def rated(self, count: int) -> Ratings:
        """The ratings of `count` agents."""
        columns = (self.sides, self.wins, self.deals)
        sides, wins, deals = (np.concatenate(column) for column in columns)
        return rate(sides, wins, count, deals)


MatchRows = dict[Pair, list[Rows]]
"""The games of each match, by the numbers of its agents."""


@dataclass
class _Playing:
    """Plays the tables of a tournament one after the other."""

    entered: Sequence[Agent]
    out: Path | None
    progress: Progress | None
    budget: DecisionBudget | None
    games: int
    seed: int
    workers: Workers
    sure: StoppingRule | None
    format: Format
    control: bool
    randomize: Mapping[str, tuple[str, ...]]
    total: int = field(default=0, init=False)
    """Maximum number of games of all matches."""
    _played: int = field(default=0, init=False)
    _failures: dict[int, Failure] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.games = whole_number("games", self.games, 1)
        check_seed(self.seed)
        if self.sure is not None and not isinstance(self.sure, StoppingRule):
            raise ParameterError(f"sure = {self.sure!r} should be a StoppingRule.")
        if self.format not in [*Format]:
            raise ParameterError(f"format = {self.format!r} should be {listed([*Format], 'or')}.")
        self.format = Format(self.format)

    def table(self, label: str, table: Table) -> TableResult:
        """Plays all matches of a table.

        Raises:
            UnratedError: an agent finishes no game.
        """
        self._failures = {}
        agents = [
            agent if self.budget is None else self.budget.given(agent, label, table, self.out)
            for agent in self.entered
        ]
        at = _AtTable(label, table, Seating.at(table, self.format), agents, self.games, self)
        verdicts: tuple[PairVerdict, ...] = ()
        rounds: tuple[tuple[Pair, ...], ...] = ()
        pairs = pairs_of(self.format, len(agents))
        if self.format is Format.KNOCK_OUT:
            games, verdicts, rounds = at.knock_out(self.sure)
        elif self.sure is None:
            games = at.all(pairs)
        else:
            games, verdicts = at.raced(pairs, self.sure)
        record = _TableGames()
        thought = np.zeros((2, len(agents)))
        matches = [at.counted(pair, games[pair], record, thought) for pair in sorted(games)]
        record.check(label, agents)
        return TableResult(
            label,
            table.game.title or table.game.name,
            table.players,
            table.parameters.changed(table.players),
            tuple(matches),
            record.rated(len(agents)),
            tuple(float(n / d / 1e9) if n > 0 and d > 0 else None for n, d in thought.T),
            verdicts,
            at.seating.sides,
            (*table.game.categories, *table.game.mechanics),
            tuple(agent.label for agent in agents),
            rounds,
            self.randomize.get(label, ()),
            bool(thought[1].sum()),
            tuple(self._failures[number] for number in sorted(self._failures)),
            table.game.name,
        )

    def play(
        self, at: _AtTable, seated: Sequence[Agent], name: str, deals: range | None
    ) -> list[Rows]:
        """Plays a match or some deals of it, except games that are stored; returns all rows.

        Raises:
            KeyboardInterrupt: stopped before all games were played.
        """
        experiment = at.experiment(seated, self.seed, self.control, deals is not None)
        each = experiment.deal_games
        runner = runner_for(experiment, at.table, seated, workers=self.workers)
        match = f"{at.label}, {name}"
        progress = part_of(self.progress, self._played, self.total, match)
        deals = range(at.games // each) if deals is None else deals
        games = range(deals.start * each, deals.stop * each)
        played: list[Rows] = []
        if self.out is None:
            shards = [shard for shard in experiment.shards() if shard.first in games]
            runner.play(played.append, shards, progress)
        else:
            kind = [self.format.value] if self.format is Format.TEAMS else []
            kind += ["judged"] if self.control else []
            kind += ["randomized"] if experiment.randomize else []
            words = " ".join([at.label, name.replace(" against ", " "), *kind])
            run = kept_run(
                self.out / words.replace(":", " ").replace("/", " "), experiment, at.table
            )
            play_missing(run, runner, progress, games)
            played = list(run.rows(games))
        self._played += len(games)
        if sum(len(rows.results) for rows in played) < len(games):
            raise KeyboardInterrupt
        return played

    def settled(
        self, games: Sequence[Rows], seated: Sequence[int], first_side: Sequence[int]
    ) -> list[Rows]:
        """The games of a match, in which games that an agent broke off count as lost by it.

        If luck is removed, they do not count, because they were not judged to their end.
        """
        for rows in games:
            note_failures(self._failures, rows, seated)
        return [*games] if self.control else [forfeited(rows, first_side) for rows in games]


@dataclass
class _AtTable:
    """The matches of a table.

    Attributes:
        label: name of the table in the tournament.
        seating: the seats of the agents in a match.
        agents: the agents with their budgets.
        wanted: minimum number of games of a match.
        playing: the tournament.
    """

    label: str
    table: Table
    seating: Seating
    agents: Sequence[Agent]
    wanted: int
    playing: _Playing

    @property
    def games(self) -> int:
        """The number of games of a match, a multiple of the number of players."""
        return -(-self.wanted // self.table.players) * self.table.players

    def experiment(
        self, seated: Sequence[Agent], seed: int, control: bool, few: bool = False
    ) -> Experiment:
        """The experiment of a match.

        Args:
            seated: the agents, seat by seat.
            control: whether the games are judged.
            few: whether to use small shards, to play a few deals at a time.
        """
        how: Design = {
            "duplicate": True,
            "judge": CONTROL_JUDGE if control else None,
            "randomize": self.playing.randomize.get(self.label, ()),
        }
        experiment = Experiment.of(self.table, seated, self.games, seed, **how)
        if not few:
            return experiment
        how["shard_games"] = min(FIRST_DEALS * experiment.deal_games, self.games)
        return Experiment.of(self.table, seated, self.games, seed, **how)

    def all(self, pairs: Sequence[Pair]) -> MatchRows:
        """Plays all games."""
        matches = [match for pair in pairs for match in self.seating.matches(pair)]
        return {match: self._match(match) for match in matches}

    def raced(
        self, pairs: Sequence[Pair], rule: StoppingRule
    ) -> tuple[MatchRows, tuple[PairVerdict, ...]]:
        """Plays until the order of the agents is sure, or all games are played.

        The choice of deals depends on the results alone, not on threads or interrupts.
        """
        race = Race(len(self.agents), self.seating.sides, rule, pairs)
        games: MatchRows = {match: [] for pair in pairs for match in self.seating.matches(pair)}
        most = self.games // self._deal_games
        played = 0
        while played < most and (undecided := race.open):
            before, played = played, min(most, next_deals(played))
            for pair in undecided:
                scores = []
                for match in self.seating.matches(pair):
                    rows = self._match(match, range(before, played))
                    games[match] += rows
                    scores.append(self._scores(rows))
                race.add(pair, _differences(scores))
        return games, race.verdicts

    def knock_out(
        self, rule: StoppingRule | None
    ) -> tuple[MatchRows, tuple[PairVerdict, ...], tuple[tuple[Pair, ...], ...]]:
        """Plays rounds until one agent is left.

        The agent with more wins goes on; if both have the same, the one listed first.
        """
        games: MatchRows = {}
        verdicts: list[PairVerdict] = []
        rounds: list[tuple[Pair, ...]] = []
        alive = list(range(len(self.agents)))
        each = None
        if rule is not None:
            errors = (1 - rule.sure) / (len(self.agents) - 1)
            each = StoppingRule(1 - errors, rule.margin)
        while len(alive) > 1:
            through, pairs = knock_out_round(alive)
            decided: list[Pair] = []  # the winner comes first
            for pair in pairs:
                if each is None:
                    played = self.all([pair])
                else:
                    played, verdict = self.raced([pair], each)
                    verdicts += verdict
                scores = [self._scores(played[match]) for match in self.seating.matches(pair)]
                sums = sum(_differences(scores))
                decided.append(pair if sums >= 0 else (pair[1], pair[0]))
                games |= played
            rounds.append(tuple(decided))
            alive = sorted([*through, *(winner for winner, _ in decided)])
        return games, tuple(verdicts), tuple(rounds)

    @property
    def _deal_games(self) -> int:
        """The number of games with the same deal."""
        return self.experiment(self._seated((0, 1)), 0, False).deal_games

    def _seated(self, match: Pair) -> list[Agent]:
        return [self.agents[number] for number in self.seating.of(*match)]

    def _match(self, match: Pair, deals: range | None = None) -> list[Rows]:
        first, other = (self.agents[number].label for number in match)
        rows = self.playing.play(self, self._seated(match), f"{first} against {other}", deals)
        return self.playing.settled(rows, self.seating.of(*match), self.seating.ones)

    def counted(
        self,
        match: Pair,
        games: Sequence[Rows],
        record: _TableGames,
        thought: np.ndarray[Any, Any],
    ) -> Match:
        """The result of a match; adds its games to `record`, and times to `thought`."""
        first, other = match
        seated = np.array(self.seating.of(first, other))
        for rows in games:
            finished = rows.results["status"] == Status.FINISHED
            seats = rows.results["seats"][finished]
            sitting = seated[seats["agent"]]
            won = first_places(seats)
            teams = self.seating.teams
            record.sides.append(sitting[:, [team[0] for team in teams]])
            record.wins.append(np.stack([won[:, list(t)].sum(axis=1) for t in teams], axis=1))
            deals = (rows.shard.first + np.flatnonzero(finished)) // self._deal_games
            record.deals.append(deals)
            for agent in match:
                theirs = sitting == agent
                thought[0, agent] += float(seats["nanoseconds"][theirs].sum())
                thought[1, agent] += float(seats["decisions"][theirs].sum())
        scores = self._scores(games)
        wins = float(scores.wins.sum())
        luckless = None
        if self.playing.control and scores.finished:
            experiment = self.experiment(self._seated(match), 0, True)
            luckless = controlled(*controls(games, experiment))
        return Match(
            first, other, scores.finished, wins, scores.unfinished, scores.effective, luckless
        )

    def _scores(self, rows: Sequence[Rows]) -> DealScores:
        """The scores of the first agent of a match, by deal."""
        return DealScores.of(rows, self._deal_games, self.seating.ones)


def _differences(sides: Sequence[DealScores]) -> list[float]:
    """The first agent's share of wins less the second agent's, for each deal.

    Deals without a finished game are left out.

    Args:
        sides: the first agent's scores if there are two sides; otherwise the scores of each
            agent against the other.
    """
    if len(sides) == 1:
        [mine] = sides
        return [float(share) for share in 2 * mine.wins / mine.games - 1]
    mine, theirs = sides
    _, my_deals, their_deals = np.intersect1d(mine.numbers, theirs.numbers, return_indices=True)
    shares = (
        mine.wins[my_deals] / mine.games[my_deals]
        - theirs.wins[their_deals] / theirs.games[their_deals]
    )
    return [float(share) for share in shares]

"""The skill ladder: how far up thinking harder pays.

Each rung is an agent that thinks harder than those below it. One agent of the rung plays against
agents of the best rung so far in all other seats, each deal once in every seat; the ladder ends
when rungs gain nothing any more. In cooperative games and in games for one player the agent of
the rung takes all seats.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import kibitz
from kibitz.core.agent import Agent, Lineup, agents_in
from kibitz.core.errors import ParameterError
from kibitz.core.game import Table
from kibitz.core.parameters import whole_number
from kibitz.core.progress import Progress, part_of
from kibitz.core.statistics import Interval
from kibitz.loading import Playable, find_table
from kibitz.reports.notebook import Reported
from kibitz.runs import Workers
from kibitz.studies import playing
from kibitz.studies.contest import DealScores, play_contest
from kibitz.studies.results import FORMAT, Playtest
from kibitz.studies.values import Performance, pair

RUNGS = (
    "random",
    "osla",
    *(f"kibitz:iterations={budget}" for budget in (10, 30, 100, 300, 1000, 3000)),
)
"""The default rungs: each search has about three times the budget of the one below."""

ENOUGH = 3
"""Number of rungs in a row without gain that end the ladder, unless the last won more again."""

MOST_ELO = 2000.0
"""Maximum of a difference in Elo points: more would mean games that are almost always won."""


@dataclass(frozen=True)
class Rung:
    """A rung of the ladder.

    Attributes:
        agent: label of the agent.
        against: label of the best agent so far, which had the other seats; ``None`` where the
            agent had all seats.
        games: number of finished games.
        share: share of these games that the agent's side won; by score the mean score.
        fair: the same of an agent that is as good as the best one so far; ``None`` for the first
            agent that had all seats.
        is_clear: whether it is better than the best one so far by more than chance.
        elo: Elo points above the best agent so far, from the odds against one of the others
            (Plackett and Luce); ``None`` where the agent had all seats.
    """

    agent: str
    against: str | None
    games: int
    share: float
    interval: Interval
    fair: float | None
    is_clear: bool
    elo: float | None
    elo_interval: Interval | None

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {
            "agent": self.agent,
            "against": self.against,
            "games": self.games,
            "share": self.share,
            "interval": pair(self.interval),
            "fair": self.fair,
            "elo": self.elo,
            "elo_interval": pair(self.elo_interval),
            "clear": self.is_clear,
        }


@dataclass(frozen=True)
class Ladder(Reported):
    """The rungs of a game's skill ladder, and the highest that pays.

    Attributes:
        title: the name of the game as printed on its box.
        changed: the parameters that differ from their defaults, in words.
        games: number of games that were requested for each rung.
        by_score: whether rungs are compared by their scores, since nobody can win.
        lowest: label of the agent of the lowest rung.
        rungs: from the second rung up, or from the lowest where agents have all seats.
        interrupted: whether the ladder was stopped before its end.
    """

    game: str
    title: str
    players: int
    parameters: dict[str, Any]
    changed: dict[str, str]
    games: int
    seed: int
    by_score: bool
    lowest: str
    rungs: tuple[Rung, ...]
    interrupted: bool
    version: str = field(default_factory=lambda: kibitz.__version__)

    @property
    def result(self) -> str:
        """What a rung's ``share`` is, in words."""
        return "mean score" if self.by_score else "games won"

    @property
    def clear_rungs(self) -> int:
        """How many rungs are better than all below by more than chance."""
        return sum(rung.is_clear for rung in self.rungs)

    @property
    def top(self) -> Rung | None:
        """The best rung; ``None`` if none is better than the lowest one."""
        clear = [rung for rung in self.rungs if rung.is_clear]
        return clear[-1] if clear else None

    @property
    def elo_range(self) -> tuple[float, Interval] | None:
        """Elo points from the lowest rung to the top, with interval; ``None`` without a top.

        They are the sum of the clear steps, whose errors are taken as independent.
        """
        points = [
            (rung.elo, *rung.elo_interval)
            for rung in self.rungs
            if rung.is_clear and rung.elo is not None and rung.elo_interval is not None
        ]
        if not points:
            return None
        total = sum(middle for middle, _, _ in points)
        below = math.hypot(*(middle - low for middle, low, _ in points))
        above = math.hypot(*(high - middle for middle, _, high in points))
        return total, (total - below, total + above)

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON types."""
        elo_range = self.elo_range
        return {
            "format": FORMAT,
            "kibitz": self.version,
            "game": self.game,
            "parameters": self.parameters,
            "players": self.players,
            "games": self.games,
            "seed": self.seed,
            "by_score": self.by_score,
            "interrupted": self.interrupted,
            "lowest": self.lowest,
            "rungs": [rung.to_json() for rung in self.rungs],
            "clear_rungs": self.clear_rungs,
            "elo_range": None if elo_range is None else elo_range[0],
            "elo_range_interval": None if elo_range is None else list(elo_range[1]),
        }


def ladder(
    game: Playable,
    agents: Lineup = RUNGS,
    *,
    players: int | None = None,
    games: int = 400,
    seed: int = 0,
    parameters: dict[str, Any] | None = None,
    workers: Workers = None,
    progress: Progress | None = None,
) -> Ladder:
    """Climbs the ladder: plays each rung against the best so far, until nothing is gained.

    >>> import kibitz
    >>> result = kibitz.ladder("tic-tac-toe", ["random", "osla"], games=200)
    >>> result.clear_rungs, result.top.agent
    (1, 'osla')

    Args:
        game: a game or what ``kibitz.load`` takes; or a table.
        agents: from the weakest to the strongest.
        players: how many sit at the table; by default as many as usual.
        games: how many to play for each rung, so that each seat is taken equally often; rounded
            up.
        seed: of the games; they are the same deals for each rung.
        parameters: the game's parameters by name; the rest keep their defaults.
        workers: threads, or processes where the rules or an agent are Python.
        progress: its stages are the rungs; it may end before all games are played.

    An interrupt ends it, and the rungs that are complete are kept.

    Raises:
        ParameterError: there are fewer than two agents.
        KibitzError: a name or a value is wrong; the message lists the right ones.
        KeyboardInterrupt: it was stopped in the first rung.
    """
    games = whole_number("games", games, 1)
    climbers = agents_in(agents)
    if len(climbers) < 2:
        raise ParameterError("A ladder needs 2 agents or more, from the weakest to the strongest.")
    table = find_table(game, players, parameters)
    for agent in climbers:
        agent.check_game(table)
    climbing = _Climbing(table, games, seed, workers, progress, games * len(climbers))
    try:
        climbing.play(climbers)
    except KeyboardInterrupt:
        if not climbing.rungs:
            raise
        climbing.stopped = True
    return Ladder(
        game=table.game.name or type(table.game).__name__,
        title=table.game.title or table.game.name,
        players=table.players,
        parameters=table.parameters.to_json(),
        changed=table.parameters.changed(table.players),
        games=games,
        seed=seed,
        by_score=climbing.by_score,
        lowest=climbers[0].label,
        rungs=tuple(climbing.rungs),
        interrupted=climbing.stopped,
    )


class _Climbing:
    """A ladder while it is climbed."""

    def __init__(
        self,
        table: Table,
        games: int,
        seed: int,
        workers: Workers,
        progress: Progress | None,
        total: int,
    ) -> None:
        self.rungs: list[Rung] = []
        self.stopped = False
        self.by_score = table.is_only_scored
        self._table = table
        self._games = games
        self._seed = seed
        self._workers = workers
        self._progress = progress
        self._total = total
        self._played = 0

    def play(self, agents: Sequence[Agent]) -> None:
        """Plays rung after rung, until nothing is gained."""
        best = agents[0]
        together = not self._table.has_rivals or self._is_won_together(best)
        if together:
            self._add(None, best)
        in_vain = 0
        for agent in agents[1:]:
            if self.stopped or (in_vain >= ENOUGH and not self._is_rising()):
                return
            self._add(None if together else best, agent)
            if self.rungs and self.rungs[-1].is_clear:
                best, in_vain = agent, 0
            else:
                in_vain += 1

    def _is_rising(self) -> bool:
        """Whether the last rung did better than the one before it."""
        rise = self.rungs[-1].share - self.rungs[-2].share
        return rise < 0 if self.by_score and self._table.rules.lowest_score_wins else rise > 0

    def _is_won_together(self, agent: Agent) -> bool:
        return not self._play([agent], agent.label).has_rivals

    def _add(self, best: Agent | None, agent: Agent) -> None:
        """Plays a rung: against the best one so far, or in all seats."""
        if best is None:
            result = self._play([agent], agent.label)
            self.stopped = result.interrupted
            if not self.stopped:
                self._check_finished(agent, result.finished)
                self._add_team(agent, result)
            return
        scores = self._contest(agent, best)
        if self.stopped:
            return
        self._check_finished(agent, scores.finished)
        sides = len(self._table.sides)
        share, interval = scores.share, scores.interval
        self.rungs.append(
            Rung(
                agent=agent.label,
                against=best.label,
                games=scores.finished,
                share=share,
                interval=interval,
                fair=1 / sides,
                is_clear=interval[0] > 1 / sides,
                elo=elo(share, sides),
                elo_interval=(elo(interval[0], sides), elo(interval[1], sides)),
            )
        )

    def _check_finished(self, agent: Agent, games: int) -> None:
        if not games:
            raise ParameterError(f"{self._table}: no game of {agent.label} could be finished.")

    def _add_team(self, agent: Agent, result: Playtest) -> None:
        share, interval = self._result(result.seats[0])
        clear = [rung for rung in self.rungs if rung.is_clear] or self.rungs[:1]
        best = clear[-1] if clear else None
        self.rungs.append(
            Rung(
                agent=agent.label,
                against=None,
                games=result.finished,
                share=share,
                interval=interval,
                fair=None if best is None else best.share,
                is_clear=best is not None and self._is_better(share, interval, best),
                elo=None,
                elo_interval=None,
            )
        )

    def _result(self, performance: Performance) -> tuple[float, Interval]:
        """The share of wins of an agent in all seats, or its mean score, with the interval."""
        if not self.by_score:
            return performance.win_rate or 0.0, performance.win_interval or (0.0, 1.0)
        mean = performance.score.mean or 0.0
        return mean, performance.score.interval or (-math.inf, math.inf)

    def _is_better(self, share: float, interval: Interval, best: Rung) -> bool:
        """Whether a result is better than that of the best rung by more than chance."""
        if self.by_score and self._table.rules.lowest_score_wins:
            return _is_more(best.share, best.interval, share, interval)
        return _is_more(share, interval, best.share, best.interval)

    def _rung(self, label: str) -> Progress | None:
        """The progress of a rung."""
        return part_of(self._progress, self._played, self._total, label)

    def _contest(self, agent: Agent, best: Agent) -> DealScores:
        """Plays an agent against others, each deal once in every seat."""
        scores, games = play_contest(
            self._table,
            agent,
            best,
            self._games,
            self._seed,
            workers=self._workers,
            progress=self._rung(agent.label),
        )
        self._played += games
        self.stopped = scores.finished + scores.unfinished < games
        return scores

    def _play(self, agents: Sequence[Agent], label: str) -> Playtest:
        playtest = playing.playtest(
            self._table,
            agents=agents,
            games=self._games,
            seed=self._seed,
            workers=self._workers,
            progress=self._rung(label),
        )
        self._played += playtest.games
        return playtest


def _is_more(share: float, interval: Interval, other: float, others: Interval) -> bool:
    """Whether an estimated share or mean is larger than another one by more than chance.

    By method 10 of Newcombe, "Interval Estimation for the Difference Between Independent
    Proportions" (1998). Both shares are of the same deals, so the test is a little too strict.
    """
    return share - other > math.hypot(share - interval[0], others[1] - other)


def elo(share: float, sides: int) -> float:
    """The difference in Elo points between a side and each of the others, by its share of wins.

    400 points are ten times the weight in the lottery for the first place, in which equal sides
    have equal weights.

    >>> round(elo(0.75, 2)), round(elo(0.25, 4)), round(elo(10 / 13, 4))
    (191, 0, 400)
    """
    if share <= 0 or share >= 1:
        return math.copysign(MOST_ELO, share - 0.5)
    points = 400 * math.log10(share * (sides - 1) / (1 - share))
    return max(-MOST_ELO, min(MOST_ELO, points))

"""Tests whether a simple policy is as good as a search: the obvious ones are tried.

A policy does one thing whenever it can, or never, and chooses at random otherwise; or it takes
the first option, or the one after which it stands best. First each plays against random players:
so much an option is worth by force and by ban (Jaffe et al., "Evaluating Competitive Game Balance
with Restricted Play", 2012). Then the best of them plays against the skilled agent. All have the
same deals, each once in every seat, so that nobody is lucky with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kibitz.core.agent import Agent, make_agent
from kibitz.core.game import Table
from kibitz.core.progress import Progress, part_of
from kibitz.playtest.contest import DealScores, play_contest
from kibitz.playtest.results import Playtest
from kibitz.playtest.statistics import SIGNIFICANT, Interval, holm
from kibitz.playtest.values import pair

MOST_POLICIES = 8
"""So many options are forced and banned, those that promise most."""

MOST_DECISIONS = 40_000
"""Of long games so many are played for a policy as have about so many decisions."""

COMMON = 0.05
"""An option offered in fewer of the decisions is no policy."""

GREEDY = "osla"
"""It looks one step ahead, and so is no simple policy: it is told of, but blames no game."""

SURELY = 2.576 / 1.96
"""How much wider a 99 % interval is than one of 95 %."""


@dataclass(frozen=True)
class Policy:
    """A simple policy, and its results in one seat.

    Attributes:
        agent: who plays it.
        words: what it does.
        pattern: the options that it always or never chooses; empty: it takes the first one.
        forced: whether it always chooses them, else never.
        games: how many it played against random players, each deal once in every seat.
        win_rate, win_interval: its share of the wins there.
        p_value: how often chance alone takes that as far from a fair share, all policies taken
            together (Holm, "A Simple Sequentially Rejective Multiple Test Procedure", 1979).
    """

    agent: str
    words: str
    pattern: str
    forced: bool
    games: int
    win_rate: float
    win_interval: Interval
    p_value: float

    @property
    def is_significant(self) -> bool:
        """Whether it is better or worse than chance, by more than chance explains."""
        return self.p_value < SIGNIFICANT

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {
            "agent": self.agent,
            "policy": self.words,
            "pattern": self.pattern,
            "games": self.games,
            "win_rate": self.win_rate,
            "win_interval": pair(self.win_interval),
            "p_value": self.p_value,
        }


@dataclass(frozen=True)
class Dominance:
    """Simple policies, and the results of the best of them against a skilled agent.

    Attributes:
        policies: those that were tried, the best first.
        skilled: whom the best one played against in the end.
        games, win_rate, win_interval: of that.
        fair_share: what equal players win.
    """

    policies: tuple[Policy, ...]
    skilled: str
    games: int
    win_rate: float | None
    win_interval: Interval | None
    fair_share: float

    @property
    def best(self) -> Policy | None:
        """The policy that played against the skilled agent; ``None``: all lose at random."""
        better = (one for one in self.policies if one.win_rate > self.fair_share)
        return next((one for one in better if one.agent != GREEDY), None)

    @property
    def dominates(self) -> bool:
        """Whether the best policy surely wins more than its share against the skilled agent."""
        if self.win_rate is None or self.win_interval is None:
            return False
        low = self.win_rate - (self.win_rate - self.win_interval[0]) * SURELY
        return low > self.fair_share

    @property
    def fails(self) -> bool:
        """Whether the best policy surely wins less than its share against the skilled agent."""
        if self.win_rate is None or self.win_interval is None:
            return False
        high = self.win_rate + (self.win_interval[1] - self.win_rate) * SURELY
        return high < self.fair_share

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {
            "policies": [policy.to_json() for policy in self.policies],
            "skilled": self.skilled,
            "games": self.games,
            "win_rate": self.win_rate,
            "win_interval": pair(self.win_interval),
            "dominates": self.dominates,
        }


def try_policies(
    table: Table,
    chance: Playtest,
    skilled: str | Agent,
    *,
    games: int = 100,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Dominance | None:
    """Tries the obvious policies; ``None`` for one player, and for games won together.

    Args:
        table: where.
        chance: of random play there, with its decisions: the options come from it.
        skilled: an agent.
        games: of each policy, and of the best one against the skilled agent, up to whole deals; of
            long games fewer.
        seed: of the deals, which all of them have in common.
        workers: threads.

    Raises:
        KeyboardInterrupt: it was stopped.
        AgentError: the skilled agent cannot play this game.
    """
    if table.players < 2 or not chance.finished or chance.is_cooperative:
        return None
    long = chance.decisions_per_game.mean or 1.0
    games = max(1, min(games, round(MOST_DECISIONS / long)))
    games = -(-games // table.players) * table.players  # whole deals
    policies = list(_policies(chance))
    total = games * (len(policies) + 1)
    played = 0

    def play(first: str, others: Agent) -> DealScores:
        nonlocal played
        found, wanted = play_contest(
            table,
            make_agent(first),
            others,
            games,
            seed,
            workers=workers,
            progress=part_of(progress, played, total),
        )
        if found.finished + found.unfinished < wanted:
            raise KeyboardInterrupt
        played += wanted
        return found

    fair = 1 / table.players
    scores = [(one, play(one[0], make_agent("random"))) for one in policies]
    scores = [(one, score) for one, score in scores if score.finished]
    chances = holm([score.p_value(fair) for _, score in scores])
    tried = [
        Policy(*one, score.finished, score.share, score.interval, chance)
        for (one, score), chance in zip(scores, chances, strict=True)
    ]
    tried.sort(key=lambda policy: -policy.win_rate)
    rival = make_agent(skilled)
    best = next((one for one in tried if one.win_rate > fair and one.agent != GREEDY), None)
    if best is None:
        return Dominance(tuple(tried), rival.label, 0, None, None, fair)
    last = play(best.agent, rival)
    if not last.finished:
        return Dominance(tuple(tried), rival.label, 0, None, None, fair)
    return Dominance(tuple(tried), rival.label, last.finished, last.share, last.interval, fair)


def _policies(chance: Playtest) -> Iterator[tuple[str, str, str, bool]]:
    """The obvious policies: agent, words, pattern, and whether the pattern is forced."""
    yield "first-legal", "take the first option", "", True
    yield GREEDY, "take what looks best at once", "", True
    decisions = chance.options_per_decision.count
    options = [
        one
        for one in chance["choices"]
        if one.offered >= COMMON * decisions and one.gain is not None and '"' not in one.pattern
    ]
    options.sort(key=lambda one: -abs(one.gain or 0.0))
    told: list[Sequence[float]] = []
    for one in options:
        if len(told) == MOST_POLICIES:
            return
        same = one.offered, one.chosen, one.win_rate
        if same in told:
            continue
        told.append(same)
        forced = (one.gain or 0.0) > 0
        verb = "always" if forced else "never"
        agent = f'restrict:base=random,{verb}="{_escaped(one.pattern)}"'
        yield agent, f"{verb} {one.pattern}", one.pattern, forced


def _escaped(pattern: str) -> str:
    """A pattern as an option of ``restrict``, in which ``|`` stands between patterns."""
    return pattern.replace("|", "?")

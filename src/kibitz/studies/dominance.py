"""Tests whether a simple policy is as good as a search.

A simple policy always takes an option, or never does, and otherwise chooses at random; or it takes
the first option, or the one with the best next position. Each policy first plays against random
players, which measures the worth of an option by force and by ban (Jaffe et al., "Evaluating
Competitive Game Balance with Restricted Play", 2012). Then the best policy plays against the
skilled agent. All play the same deals, each once in every seat, so that no policy is lucky.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kibitz.core.agent import Agent, make_agent
from kibitz.core.game import Table
from kibitz.core.progress import Progress, part_of
from kibitz.core.sides import fair_share
from kibitz.core.statistics import SIGNIFICANT, Interval, holm, widened
from kibitz.studies.contest import DealScores, play_contest
from kibitz.studies.results import Playtest
from kibitz.studies.values import pair

MOST_POLICIES = 8
"""Maximum number of options that are forced or banned: those with the largest gain or loss."""

MOST_DECISIONS = 40_000
"""Approximate maximum number of decisions played per policy, which limits its number of games."""

COMMON = 0.05
"""Minimum share of decisions at which an option is offered for a policy to be made of it."""

GREEDY = "osla"
"""The agent that looks one step ahead: its result is listed, but it does not count as simple."""


@dataclass(frozen=True)
class Policy:
    """A simple policy, and its results against random players.

    Attributes:
        agent: the agent that plays the policy, as text.
        words: description of the policy.
        pattern: the options that it always or never takes; empty if it is not about options.
        forced: whether it always takes these options; otherwise it never does.
        games: finished games against random players, each deal once in every seat.
        win_rate: share of wins in these games.
        p_value: probability that chance alone takes the win rate as far from a fair share,
            corrected for all policies together (Holm, "A Simple Sequentially Rejective Multiple
            Test Procedure", 1979).
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
        """Whether the win rate differs from a fair share by more than chance explains."""
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
        policies: all policies that were tried, the best first.
        skilled: label of the skilled agent.
        games: finished games of the best policy against the skilled agent.
        win_rate: share of these games that the policy won; ``None`` without games.
        fair_share: win rate of equal players.
    """

    policies: tuple[Policy, ...]
    skilled: str
    games: int
    win_rate: float | None
    win_interval: Interval | None
    fair_share: float

    @property
    def best(self) -> Policy | None:
        """The best simple policy; ``None`` if none wins more than its share at random."""
        better = (policy for policy in self.policies if policy.win_rate > self.fair_share)
        return next((policy for policy in better if policy.agent != GREEDY), None)

    @property
    def dominates(self) -> bool:
        """Whether the best policy surely wins more than its share against the skilled agent."""
        if self.win_rate is None or self.win_interval is None:
            return False
        return widened(self.win_interval, self.win_rate)[0] > self.fair_share

    @property
    def fails(self) -> bool:
        """Whether the best policy surely wins less than its share against the skilled agent."""
        if self.win_rate is None or self.win_interval is None:
            return False
        return widened(self.win_interval, self.win_rate)[1] < self.fair_share

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
    """Tries the obvious policies; ``None`` where players do not compete or finish no game.

    Args:
        chance: a playtest of random play with its decisions, from which the options are taken.
        skilled: the agent against which the best policy plays.
        games: games of each policy, rounded up to whole deals; fewer if games are long.
        seed: seed of the deals, which are the same for all policies.

    Raises:
        KeyboardInterrupt: the games were interrupted.
        AgentError: the skilled agent cannot play this game.
    """
    if not chance.finished or not chance.has_rivals:
        return None
    long = chance.decisions_per_game.mean or 1.0
    games = max(1, min(games, round(MOST_DECISIONS / long)))
    games = -(-games // table.players) * table.players  # whole deals
    policies = list(_policies(chance))
    if table.wording.needs_state:
        workers = 1  # the options of a state are listed in Python, by one thread at a time
    total = games * (len(policies) + 1)
    played = 0

    def play(first: str, others: Agent) -> DealScores:
        nonlocal played
        scores, planned = play_contest(
            table,
            make_agent(first),
            others,
            games,
            seed,
            workers=workers,
            progress=part_of(progress, played, total),
        )
        if scores.finished + scores.unfinished < planned:
            raise KeyboardInterrupt
        played += planned
        return scores

    fair = fair_share(table.sides)
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
    """The obvious policies as agent, words, pattern, and whether the pattern is forced."""
    yield "first-legal", "take the first option", "", True
    yield GREEDY, "take what looks best at once", "", True
    decisions = chance.options_per_decision.count
    options = [
        choice
        for choice in chance["choices"]
        if choice.offered >= COMMON * decisions
        and choice.gain is not None
        and '"' not in choice.pattern
    ]
    options.sort(key=lambda choice: -abs(choice.gain or 0.0))
    results: list[Sequence[float]] = []
    for choice in options:
        if len(results) == MOST_POLICIES:
            return
        same = choice.offered, choice.chosen, choice.win_rate
        if same in results:
            continue
        results.append(same)
        forced = (choice.gain or 0.0) > 0
        verb = "always" if forced else "never"
        agent = f'restrict:base=random,{verb}="{_escaped(choice.pattern)}"'
        yield agent, f"{verb} {choice.pattern}", choice.pattern, forced


def _escaped(pattern: str) -> str:
    """A pattern as an option of ``restrict``, in which ``|`` stands between patterns."""
    return pattern.replace("|", "?")

"""Results by seat and by agent, and the fairness of the seats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from kibitz.core.statistics import Summary, seat_fairness
from kibitz.studies.measures.base import Column, Measure, rate
from kibitz.studies.moments import Moments
from kibitz.studies.sample import Array, RunMetadata, Sample
from kibitz.studies.values import Performance

_MEMBERS = {
    "games": "finished games, counted once for each seat",
    "wins": "first places, with partners; one that k sides share counts 1/k for each; when "
    "everybody wins together, everybody has won",
    "sole_wins": "first places shared with nobody but partners",
    "ties": "first places shared with other sides; games that everybody won together are not "
    "among them",
    "win_rate": "`wins` / `games`",
    "win_interval": "its interval",
    "non_losses": "games not ended in the last place; a first place shared by everyone is no "
    "loss, a game that everyone lost is",
    "non_loss_rate": "`non_losses` / `games`",
    "non_loss_interval": "its interval",
    "mean_score": "the mean of the final scores, in the game's own units",
    "score_sd": "their standard deviation",
    "score_interval": "the interval of the mean",
    "decisions": "how often there was a choice to make",
    "failures": "unfinished games that were the agent's fault: an illegal action, or an exception",
    "seconds_per_decision": "how long it thought on average; `null` for agents that do not look "
    "at the state, and in runs that were kept in a folder",
}


class _Tally:
    """Counts of wins, scores and decisions over some seats."""

    def __init__(self) -> None:
        self.games = Moments(4)  # of each game: wins, non-losses, sum of the scores, seats
        self.scores = Moments(1)
        self.sole_wins = self.ties = self.non_losses = 0
        self.decisions = self.failures = self.nanoseconds = 0

    def add(self, sample: Sample, mask: Array, failures: int) -> None:
        """Adds the seats of `mask`, an array over finished games and seats."""
        seats = sample.finished["seats"]
        sole = sample.first & (sample.winners == 1)[:, None]
        ties = sample.first & sample.tied[:, None]
        self.games.add(
            (sample.wins * mask).sum(axis=1),
            (sample.non_losses & mask).sum(axis=1),
            (seats["score"] * mask).sum(axis=1),
            mask.sum(axis=1),
        )
        self.scores.add(seats["score"][mask])
        self.sole_wins += int(sole[mask].sum())
        self.ties += int(ties[mask].sum())
        self.non_losses += int(sample.non_losses[mask].sum())
        self.decisions += int(seats["decisions"][mask].sum())
        self.nanoseconds += int(seats["nanoseconds"][mask].sum())
        self.failures += failures

    def finish(self, agent: str | None, seat: int | None, timed: bool) -> Performance:
        """The counts as a ``Performance``."""
        wins, _, _, played = self.games.total
        games = int(played)
        thought = timed and self.nanoseconds > 0
        return Performance(
            agent=agent,
            seat=seat,
            games=games,
            wins=float(wins),
            sole_wins=self.sole_wins,
            ties=self.ties,
            win_rate=rate(float(wins), games),
            win_interval=self.games.clustered_interval(0, 3),
            non_losses=self.non_losses,
            non_loss_rate=rate(self.non_losses, games),
            non_loss_interval=self.games.clustered_interval(1, 3),
            score=self._score(),
            decisions=self.decisions,
            failures=self.failures,
            seconds_per_decision=rate(self.nanoseconds / 1e9, self.decisions) if thought else None,
        )

    def _score(self) -> Summary:
        """The summary of the scores; its interval allows for correlation within games."""
        summary = self.scores.summary()
        together = self.games.ratio_interval(2, 3)
        if together is None or summary.interval is None:
            return summary
        low, high = summary.interval
        return replace(summary, interval=(min(low, together[0]), max(high, together[1])))


class _Performances(Measure):
    """A tally for each of several groups of seats."""

    def __init__(self, metadata: RunMetadata, groups: int) -> None:
        super().__init__(metadata)
        self._tallies = [_Tally() for _ in range(groups)]


class Seats(_Performances):
    """The performance of each seat."""

    members: ClassVar[dict[str, str]] = {
        "seats": "the list",
        "seats[].seat": "which seat",
        "seats[].agent": "who sat there; `null` when several agents took turns",
    } | {f"seats[].{name}": words for name, words in _MEMBERS.items()}

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata, metadata.players)

    def add(self, sample: Sample) -> None:
        for seat, tally in enumerate(self._tallies):
            mask = np.zeros(sample.places.shape, bool)
            mask[:, seat] = True
            tally.add(sample, mask, int((sample.games["culprit"] == seat).sum()))

    def finish(self) -> dict[str, Any]:
        agents, timed = self.metadata.agents, self.metadata.timed
        fixed = not self.metadata.rotated or len(set(agents)) == 1
        return {
            "seats": tuple(
                tally.finish(agents[p] if fixed else None, p + 1, fixed and timed[p])
                for p, tally in enumerate(self._tallies)
            )
        }

    @classmethod
    def columns(cls, sample: Sample) -> Iterator[Column]:
        for seat in range(sample.metadata.players):
            mask = np.zeros(sample.places.shape, bool)
            mask[:, seat] = True
            yield from _columns(f"seat {seat + 1}", sample, mask)


class Agents(_Performances):
    """The performance of each agent, in the order of the seats of the first game."""

    members: ClassVar[dict[str, str]] = {
        "agents": "the list",
        "agents[].agent": "the agent's name with those options that are not as usual",
    }

    def __init__(self, metadata: RunMetadata) -> None:
        self._labels = list(dict.fromkeys(metadata.agents))
        super().__init__(metadata, len(self._labels))

    def _numbers(self, label: str) -> list[int]:
        """The numbers of the agents with a label."""
        return [i for i, other in enumerate(self.metadata.agents) if other == label]

    def add(self, sample: Sample) -> None:
        games = sample.games
        failed = np.flatnonzero(games["culprit"] >= 0)
        culprits = games["seats"]["agent"][failed, games["culprit"][failed]]
        for label, tally in zip(self._labels, self._tallies, strict=True):
            numbers = self._numbers(label)
            mask = np.isin(sample.finished["seats"]["agent"], numbers).reshape(sample.places.shape)
            tally.add(sample, mask, int(np.isin(culprits, numbers).sum()))

    def finish(self) -> dict[str, Any]:
        timed = self.metadata.timed
        return {
            "agents": tuple(
                tally.finish(label, None, all(timed[i] for i in self._numbers(label)))
                for label, tally in zip(self._labels, self._tallies, strict=True)
            )
        }

    @classmethod
    def columns(cls, sample: Sample) -> Iterator[Column]:
        agents = sample.metadata.agents
        labels = list(dict.fromkeys(agents))
        for label in labels if len(labels) > 1 else ():
            numbers = [i for i, other in enumerate(agents) if other == label]
            mask = np.isin(sample.finished["seats"]["agent"], numbers)
            yield from _columns(label, sample, mask.reshape(sample.places.shape))


def _columns(who: str, sample: Sample, mask: Array) -> Iterator[Column]:
    """Wins, non-losses and scores of the seats of `mask`, an array over games and seats."""
    seats = mask.sum(axis=1)
    yield Column(f"{who} wins", (sample.wins * mask).sum(axis=1), seats, is_share=True)
    if sample.metadata.players > 2:
        title = f"{who} not last"
        yield Column(title, (sample.non_losses & mask).sum(axis=1), seats, is_share=True)
    scores = sample.finished["seats"]["score"].reshape(mask.shape)
    yield Column(f"{who} scores", (scores * mask).sum(axis=1), seats)


class Fairness(Measure):
    """Whether sides win equally often: each seat, or each team."""

    members: ClassVar[dict[str, str]] = {
        "fairness": "an object; `null` when the agents differ, for one player, and in "
        "cooperative games",
        "fairness.fair_share": "what each side should win: 1 / the number of `sides`",
        "fairness.index": "1 when all sides win equally often, 0 when one wins always: "
        "1 - ½ Σ \\|w - 1/n\\| · n/(n - 1) over the win rates w of the n sides. In few games it "
        "is below 1 by chance alone",
        "fairness.chi_square": "Pearson's statistic of the wins, divided by the variance that "
        "shared wins leave",
        "fairness.degrees_of_freedom": "the number of sides - 1; fewer where seats of several "
        "sides win together",
        "fairness.p_value": "how often chance alone makes the sides of a fair game differ as "
        "much; `null` when there are too few games for the test",
    }

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        self._sides = len(metadata.table.sides)
        self._wins = np.zeros(self._sides)
        self._together_with = np.zeros((self._sides, self._sides))  # sum of wins * wins
        self._shares = 0.0  # sum over games of 1 / number of winners
        self._games = self._together = 0

    def add(self, sample: Sample) -> None:
        wins = sample.wins[:, sample.leaders]
        self._wins += wins.sum(axis=0)
        self._together_with += wins.T @ wins
        winners = sample.winners
        self._shares += float(np.where(winners > 0, 1.0 / np.maximum(winners, 1), 0.0).sum())
        self._games += len(sample.finished)
        self._together += int((sample.won_together | sample.lost_together).sum())

    def finish(self) -> dict[str, Any]:
        alike = len(set(self.metadata.agents)) == 1
        if not self._games or self._sides < 2 or self._together or not alike:
            return {"fairness": None}
        wins: Sequence[float] = self._wins.tolist()
        shares = self._shares / self._games
        return {"fairness": seat_fairness(wins, self._games, shares, self._freedom())}

    def _freedom(self) -> int:
        """Satterthwaite's degrees of freedom of the sides' wins: allies count as one side."""
        most = self._sides - 1
        varying = self._together_with / self._games - 1 / self._sides**2
        squares = float((varying**2).sum())
        if squares <= 0:
            return most
        return max(1, min(most, round(float(np.trace(varying)) ** 2 / squares)))

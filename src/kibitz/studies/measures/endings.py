"""How games end: finished, won or lost together, tied, or broken off and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kibitz.core.statistics import Interval, wilson_interval
from kibitz.core.status import Status
from kibitz.studies.measures.base import Column, Line, Measure, as_json, rate
from kibitz.studies.sample import RunMetadata, Sample
from kibitz.studies.values import CAUSES, Fault, Unfinished, pair

UNTOLD = "another rule"
"""Stands for the rule that ended a game where the rules do not name it."""

Key = tuple[int, int]
"""The status and the phase with which a game broke off."""


@dataclass(frozen=True)
class _First:
    """The first game that broke off with some status and phase."""

    number: int
    seed: int
    agents: tuple[str, ...]
    ticks: int
    seat: int | None


class Endings(Measure):
    """How many games were finished, why the others were not, and the first game of each cause."""

    members: ClassVar[dict[str, str]] = {
        "outcomes": "the number of games by how they ended; they add up to `games`",
        "outcomes.finished": "the rules ended the game",
        "outcomes.full_buffer": "a component, or the list of actions, had no room left",
        "outcomes.rules_error": "the rules reported something impossible, or raised an exception",
        "outcomes.dead_end": "the player to move had no legal action, and the game was not over",
        "outcomes.illegal_action": "an agent chose an action that is not legal",
        "outcomes.limit": "the game went on for more actions than it allows (`max_ticks`)",
        "outcomes.loop": "the game went round in circles: a state came back, and since then "
        "there had been neither chance nor choice",
        "outcomes.suspected_loop": "a state came back so often (see `loops`) that the game seems "
        "to go round in circles, although there was chance or choice",
        "outcomes.endless": "the rules did not end between two decisions",
        "outcomes.agent_error": "an agent raised an exception or gave no answer",
        "first_unfinished": "an object with a member for each of these causes that occurred, "
        "such as `dead_end`; each describes the first such game, so that it can be played again",
        "faults": "a list of what the rules themselves said of games that they broke off; empty "
        "where they said nothing",
    }
    unit = "games"

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        self._games = 0
        self._counts: dict[Key, int] = {}
        self._first: dict[Key, _First] = {}
        self._explanations: dict[Key, tuple[int, str]] = {}
        self._exceptions: dict[int, str] = {}

    def add(self, sample: Sample) -> None:
        games = sample.games
        self._games += len(games)
        broken = np.flatnonzero(games["status"] != Status.FINISHED)
        for i in broken.tolist():
            game = games[i]
            key = int(game["status"]), int(game["phase"])
            self._counts[key] = self._counts.get(key, 0) + 1
            if key not in self._first:
                self._first[key] = _First(
                    number=sample.rows.shard.first + i,
                    seed=int(game["seed"]),
                    agents=tuple(self.metadata.agents[a] for a in game["seats"]["agent"]),
                    ticks=int(game["ticks"]),
                    seat=int(game["culprit"]) + 1 or None,
                )
        self._explain(sample.rows.explanations, sample.rows.exceptions)

    def _explain(
        self, explanations: Mapping[Key, tuple[int, str]], exceptions: Mapping[int, str]
    ) -> None:
        for key, explanation in explanations.items():
            self._explanations[key] = min(explanation, self._explanations.get(key, explanation))
        for status, message in exceptions.items():
            self._exceptions.setdefault(status, message)

    def finish(self) -> dict[str, Any]:
        return {
            "games": self._games,
            "finished": self._games - sum(self._counts.values()),
            "unfinished": tuple(self._unfinished()),
            "faults": tuple(self._faults()),
        }

    def _unfinished(self) -> Iterator[Unfinished]:
        for cause in CAUSES:
            keys = [key for key in self._counts if key[0] == cause]
            if keys:
                first = min((self._first[key] for key in keys), key=lambda game: game.number)
                yield Unfinished(
                    cause=cause.name.lower(),
                    games=sum(self._counts[key] for key in keys),
                    seed=first.seed,
                    agents=first.agents,
                    ticks=first.ticks,
                    seat=first.seat,
                    error=self._exceptions.get(int(cause)),
                )

    def _faults(self) -> Iterator[Fault]:
        """The explanations that the rules gave for breaking games off, most frequent first."""
        for cause in CAUSES:
            by_words: dict[str, list[Key]] = {}
            for key in self._counts:
                if key[0] == cause and key in self._explanations:
                    by_words.setdefault(self._explanations[key][1], []).append(key)
            faults = []
            for explanation, keys in by_words.items():
                first = min((self._first[key] for key in keys), key=lambda game: game.number)
                faults.append(
                    Fault(
                        cause=cause.name.lower(),
                        explanation=explanation,
                        games=sum(self._counts[key] for key in keys),
                        seed=first.seed,
                        agents=first.agents,
                        ticks=first.ticks,
                    )
                )
            yield from sorted(faults, key=lambda fault: (-fault.games, fault.explanation))

    @classmethod
    def to_json(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        counts = {cause.name.lower(): 0 for cause in CAUSES}
        counts |= {unfinished.cause: unfinished.games for unfinished in values["unfinished"]}
        return {
            "outcomes": {"finished": values["finished"], **counts},
            "first_unfinished": {
                unfinished.cause: unfinished.first_to_json() for unfinished in values["unfinished"]
            },
            "faults": as_json(values["faults"]),
        }


@dataclass(frozen=True)
class EndedBy:
    """A rule that ends games, and how many games it ended.

    Attributes:
        rule: in the game's own words, with the line number where the rules are a text.
        share: ``games`` as a share of all finished games.
    """

    rule: str
    games: int
    share: float
    interval: Interval

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {
            "rule": self.rule,
            "games": self.games,
            "share": self.share,
            "interval": pair(self.interval),
        }


class EndingRules(Measure):
    """How many games each rule ended, for games that declare their ending rules."""

    members: ClassVar[dict[str, str]] = {
        "ended_by": "a list of the rules that end games, the one that ended most first; empty "
        "where the rules do not tell. In RECYCLE they are the end of the last stage that no other "
        "one contains, each part of an `or` apart, or, where that is only one, the end of the "
        "last deal; in GDL the rules for `terminal`; in Python what the game's `endings` say. "
        "Where several hold at once it is the first of them",
        "ended_by[].rule": "the rule in the game's own words, with its line where it is a text; "
        "`another rule` where one does not tell",
        "ended_by[].games": "how many finished games it ended; 0: it never came to that",
        "ended_by[].share": "the share of these among all finished games",
        "ended_by[].interval": "its interval",
    }
    unit = "share of games"

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        self._counts: Counter[int] = Counter()

    def add(self, sample: Sample) -> None:
        phases, counts = np.unique(sample.finished["phase"], return_counts=True)
        self._counts.update(dict(zip(phases.tolist(), counts.tolist(), strict=True)))

    def finish(self) -> dict[str, Any]:
        rules = self.metadata.table.rules.endings
        games = self._counts.total()
        if not rules or not games:
            return {"ended_by": ()}
        counts = dict.fromkeys(rules.values(), 0)
        for phase, count in self._counts.items():
            words = rules.get(phase, UNTOLD)
            counts[words] = counts.get(words, 0) + count
        ended = [
            EndedBy(words, count, count / games, wilson_interval(count, games))
            for words, count in counts.items()
        ]
        return {"ended_by": tuple(sorted(ended, key=lambda rule: -rule.games))}

    @classmethod
    def lines(cls, values: Mapping[str, Any]) -> Iterator[Line]:
        for rule in values["ended_by"] if len(values["ended_by"]) > 1 else ():
            yield Line(f"ended by {rule.rule}", None, rule.share, rule.interval)


class Together(Measure):
    """The number of games that all players won together or lost together."""

    members: ClassVar[dict[str, str]] = {
        "won_together": "finished games that everybody won, as in a cooperative game",
        "lost_together": "finished games that everybody lost",
    }
    unit = "games"

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        self._won = self._lost = 0

    def add(self, sample: Sample) -> None:
        self._won += int(sample.won_together.sum())
        self._lost += int(sample.lost_together.sum())

    def finish(self) -> dict[str, Any]:
        return {"won_together": self._won, "lost_together": self._lost}

    @classmethod
    def columns(cls, sample: Sample) -> Iterator[Column]:
        if sample.metadata.players > 1:
            yield Column("games won together", sample.won_together, is_share=True)


class Ties(Measure):
    """The share of games whose first place was shared, except those that all players won."""

    members: ClassVar[dict[str, str]] = {
        "tie_rate": "the share of games whose first place sides shared, those won together "
        "excepted",
        "tie_interval": "its interval",
    }
    unit = "share of games"

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        self._tied = self._games = 0

    def add(self, sample: Sample) -> None:
        self._tied += int(sample.tied.sum())
        self._games += len(sample.finished)

    def finish(self) -> dict[str, Any]:
        interval = wilson_interval(self._tied, self._games) if self._games else None
        return {"tie_rate": rate(self._tied, self._games), "tie_interval": interval}

    @classmethod
    def columns(cls, sample: Sample) -> Iterator[Column]:
        if sample.metadata.table.has_rivals:
            yield Column("games tied", sample.tied, is_share=True)

    @classmethod
    def lines(cls, values: Mapping[str, Any]) -> Iterator[Line]:
        together = values["won_together"] + values["lost_together"] == values["finished"]
        if len(values["sides"]) > 1 and not together:
            yield Line("games tied", None, values["tie_rate"], values["tie_interval"])

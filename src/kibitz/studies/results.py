"""The results of a playtest, and their JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import kibitz
from kibitz.core.errors import did_you_mean
from kibitz.core.sides import Sides, fair_share, side_name
from kibitz.core.statistics import Fairness, Interval, Summary
from kibitz.reports.notebook import Reported
from kibitz.studies.measures import to_json
from kibitz.studies.values import Fault, OptionsAt, Performance, Unfinished

FORMAT = 2
"""Version of the JSON; it only changes when a member changes its meaning."""


@dataclass(frozen=True)
class Playtest(Reported):
    """The results of a run of games. ``docs/playtest-json.md`` explains every number.

    Attributes:
        where: the file of the game; empty if its name is enough to find it.
        title: the name of the game as printed on its box.
        changed: the parameters that differ from their defaults, in words.
        games: number of games played; fewer than wanted if the run was stopped.
        wanted: number of games requested.
        finished: number of games played to the end.
        unfinished: the other games, by cause.
        faults: those unfinished games that the rules explain, most frequent first for each cause.
        loops: the visit of a state at which a loop was suspected; 0 for never.
        usual_loops: the default of ``loops`` for the game.
        sides: for each side, the seats, from 0, that win and lose together.
        played_for: what players want, "place" or "score".
        won_together, lost_together: number of finished games that everybody won or lost.
        rotated: whether the agents changed seats from game to game.
        lineup: labels of the agents in the seats of the first game.
        seats, agents: results by seat and by agent.
        fairness: ``None`` when the agents differ or players do not compete.
        tie_rate: share of finished games whose first place sides shared, except those won
            together.
        options_per_decision: number of options where there is a choice.
        options_per_action: number of options over all actions, forced ones included.
        options_at: number of options at each of the first 512 actions of a game.
        hidden_share: mean over decisions of the share of pieces that the deciding player does not
            see; ``None`` where nothing can be hidden.
        seconds: time of the run; for a stored run the sum over all threads.
        rules_changed: whether the rules have changed since the games were played.
        duplicate: whether each deal was played once for each seat.
        randomized: names of the parameters that each game drew from their ranges.
        more: the values of all other measures, by name, as in ``playtest[name]``.
    """

    game: str
    where: str
    title: str
    parameters: dict[str, Any]
    changed: dict[str, str]
    players: int
    seed: int
    games: int
    wanted: int
    finished: int
    unfinished: tuple[Unfinished, ...]
    faults: tuple[Fault, ...]
    loops: int
    usual_loops: int
    sides: Sides
    played_for: str
    won_together: int
    lost_together: int
    rotated: bool
    lineup: tuple[str, ...]
    seats: tuple[Performance, ...]
    agents: tuple[Performance, ...]
    fairness: Fairness | None
    tie_rate: float | None
    tie_interval: Interval | None
    decisions_per_game: Summary
    options_per_decision: Summary
    options_per_action: Summary
    options_at: tuple[OptionsAt, ...]
    ticks_per_game: Summary
    turns_per_game: Summary
    rounds_per_game: Summary
    hidden_share: float | None
    hidden_interval: Interval | None
    seconds: float
    rules_changed: bool = False
    duplicate: bool = False
    randomized: tuple[str, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)
    version: str = field(default_factory=lambda: kibitz.__version__)

    @classmethod
    def of(cls, values: Mapping[str, Any], **about: Any) -> Playtest:
        """A playtest with the values of measures by name; keywords give the other fields."""
        names = {member.name for member in fields(cls)}
        known = {name: value for name, value in values.items() if name in names}
        more = {name: value for name, value in values.items() if name not in names}
        return cls(**known, **about, more=more)

    @property
    def interrupted(self) -> bool:
        """Whether the run was stopped before all games were played."""
        return self.games < self.wanted

    @property
    def has_rivals(self) -> bool:
        """Whether sides compete: not if all win or lose together, also by the results alone."""
        together = 0 < self.finished == self.won_together + self.lost_together
        return len(self.sides) > 1 and not together

    @property
    def is_cooperative(self) -> bool:
        """Whether all players win and lose together."""
        return self.players > 1 and not self.has_rivals

    @property
    def has_teams(self) -> bool:
        """Whether sides compete of which one at least has several seats."""
        return self.has_rivals and len(self.sides) < self.players

    @property
    def is_only_scored(self) -> bool:
        """Whether nobody can win or lose: all players together, or the only one, want points."""
        return len(self.sides) == 1 and self.played_for == "score"

    @property
    def sides_are_alike(self) -> bool:
        """Whether sides compete that have equally many seats."""
        return self.has_rivals and len({len(side) for side in self.sides}) == 1

    @property
    def fair_share(self) -> float:
        """The share of wins of each side if all are equally good."""
        return fair_share(self.sides)

    @property
    def rivals(self) -> tuple[Performance, ...]:
        """The results of each side, as those of its first seat: partners share them."""
        return tuple(self.seats[side[0]] for side in self.sides)

    def side_of(self, seat: Performance) -> str:
        """The seats of the side of a seat, in words: ``seat 2``, ``seats 1 and 3``."""
        return next(side_name(side) for side in self.sides if (seat.seat or 0) - 1 in side)

    @property
    def games_per_second(self) -> float:
        """The speed of the run; 0 if its time is unknown."""
        return self.games / self.seconds if self.seconds > 0 else 0.0

    def __getitem__(self, name: str) -> Any:
        """A measured value, by its name.

        Raises:
            KeyError: no value has this name; the message suggests one.
        """
        values = self.values()
        if name not in values:
            raise KeyError(did_you_mean(str(name), values, "measured value"))
        return values[name]

    def values(self) -> dict[str, Any]:
        """All measured values, by name."""
        return {**vars(self), **self.more}

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON types; ``docs/playtest-json.md`` explains it."""
        return {
            "format": FORMAT,
            "kibitz": self.version,
            "game": self.game,
            "parameters": self.parameters,
            "players": self.players,
            "seed": self.seed,
            "games": self.games,
            "wanted": self.wanted,
            "interrupted": self.interrupted,
            "rules_changed": self.rules_changed,
            "rotated": self.rotated,
            "duplicate": self.duplicate,
            "randomized": list(self.randomized),
            "loops": self.loops,
            "sides": [[seat + 1 for seat in side] for side in self.sides],
            "played_for": self.played_for,
            **to_json(self.values()),
            "seconds": self.seconds,
            "games_per_second": self.games_per_second,
        }

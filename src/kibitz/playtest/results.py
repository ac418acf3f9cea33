"""The results of a playtest, and their JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import kibitz
from kibitz.core.errors import did_you_mean
from kibitz.playtest.measures import to_json
from kibitz.playtest.statistics import Fairness, Interval, Summary
from kibitz.playtest.values import Fault, OptionsAt, Performance, Unfinished
from kibitz.reports.document import Reported

FORMAT = 1
"""Version of the JSON; it only changes when a member changes its meaning."""


@dataclass(frozen=True)
class Playtest(Reported):
    """The results of a run of games. ``docs/playtest-json.md`` explains every number.

    Attributes:
        game, title: the game's name, and the one on the box.
        parameters: their values by name.
        changed: those that differ from their defaults, in words.
        players: at the table.
        where: the file that the game was found in; empty where its name finds it.
        seed: of the run.
        games, wanted: games played, and asked for; fewer are played when someone stops it.
        finished: games played to the end.
        unfinished: the others, by cause.
        faults: those of them that the rules explain, the most frequent fault of a cause first.
        loops: at which visit of a state a loop was suspected; 0: never.
        usual_loops: the same, unless somebody says otherwise.
        won_together, lost_together: finished games that everybody won or lost.
        rotated: whether the agents changed seats from game to game.
        lineup: the agents by their labels, in the seats of the first game.
        seats, agents: who won, by seat and by agent.
        fairness: whether seats win equally often; ``None`` when the agents differ or the game
            is not won by seats.
        tie_rate, tie_interval: share of finished games whose first place was shared, those
            won together excepted.
        decisions_per_game, ticks_per_game, turns_per_game, rounds_per_game: lengths.
        options_per_decision: how many actions there are to choose from, where there is a choice.
        options_per_action: the same over all actions, forced ones included.
        options_at: the same at the first action of a game, the second, and so on, for the
            first 512 of them.
        hidden_share, hidden_interval: mean over decisions of the share of pieces that the
            player to decide does not see; ``None`` where nothing can be hidden.
        seconds: how long it took.
        rules_changed: whether the rules have changed since.
        duplicate: whether each deal was played once for each seat.
        randomized: the parameters that each game drew from their ranges.
        more: what other measures found, by name; ``playtest[name]`` gives it, too.
        version: of Kibitz.
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
        """A playtest with these values of measures; other fields are keywords."""
        names = {member.name for member in fields(cls)}
        known = {name: value for name, value in values.items() if name in names}
        more = {name: value for name, value in values.items() if name not in names}
        return cls(**known, **about, more=more)

    @property
    def interrupted(self) -> bool:
        """Whether it was stopped before all games were played."""
        return self.games < self.wanted

    @property
    def is_cooperative(self) -> bool:
        """Whether every finished game was won or lost by all players together."""
        return 0 < self.finished == self.won_together + self.lost_together

    @property
    def games_per_second(self) -> float:
        """The speed of the run."""
        return self.games / self.seconds if self.seconds > 0 else 0.0

    def __getitem__(self, name: str) -> Any:
        """A measured value, by its name.

        Raises:
            KeyError: there is none; says which there are.
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
            **to_json(self.values()),
            "seconds": self.seconds,
            "games_per_second": self.games_per_second,
        }

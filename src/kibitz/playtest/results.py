"""What a playtest found: plain numbers, and their JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import kibitz
from kibitz.core.status import Status
from kibitz.playtest.statistics import Fairness, Interval, Summary

FORMAT = 1
"""Version of the JSON; it only changes when a member changes its meaning."""

CAUSES = (
    Status.FULL_BUFFER,
    Status.RULES_ERROR,
    Status.DEAD_END,
    Status.ILLEGAL_ACTION,
    Status.LIMIT,
    Status.LOOP,
    Status.SUSPECTED_LOOP,
    Status.ENDLESS,
    Status.AGENT_ERROR,
)
"""Why a game may not have been finished."""


@dataclass(frozen=True)
class Performance:
    """How an agent, or whoever sat in a seat, did in the finished games.

    Attributes:
        agent: its label; ``None`` for a seat that several agents took in turn.
        seat: the seat, from 1; ``None`` for an agent in all its seats.
        games: games played in; an agent that holds several seats of a game plays several.
        wins: first places; one shared by k players counts 1/k for each. When everybody wins
            together, as in a cooperative game, everybody has won.
        sole_wins: first places shared with nobody.
        ties: first places shared with some; neither counts those that everybody won together.
        win_rate, win_interval: wins / games, and its 95 % interval (Wilson's).
        non_losses: games not ended in the last place. Who shares the first place with
            everyone has not lost; when everybody loses together everybody has lost.
        non_loss_rate, non_loss_interval: likewise.
        score: the final scores.
        decisions: how many real choices it made.
        failures: unfinished games that were its fault: it chose an illegal action or failed.
        seconds_per_decision: ``None`` for agents that decide without looking at the state;
            their time is not taken.
    """

    agent: str | None
    seat: int | None
    games: int
    wins: float
    sole_wins: int
    ties: int
    win_rate: float | None
    win_interval: Interval | None
    non_losses: int
    non_loss_rate: float | None
    non_loss_interval: Interval | None
    score: Summary
    decisions: int
    failures: int
    seconds_per_decision: float | None

    def to_json(self) -> dict[str, Any]:
        """Everything by name; the seat only where there is one."""
        place = {} if self.seat is None else {"seat": self.seat}
        return place | {
            "agent": self.agent,
            "games": self.games,
            "wins": self.wins,
            "sole_wins": self.sole_wins,
            "ties": self.ties,
            "win_rate": self.win_rate,
            "win_interval": pair(self.win_interval),
            "non_losses": self.non_losses,
            "non_loss_rate": self.non_loss_rate,
            "non_loss_interval": pair(self.non_loss_interval),
            "mean_score": self.score.mean,
            "score_sd": self.score.sd,
            "score_interval": pair(self.score.interval),
            "decisions": self.decisions,
            "failures": self.failures,
            "seconds_per_decision": self.seconds_per_decision,
        }


@dataclass(frozen=True)
class Unfinished:
    """The games that ended for one cause, and the first of them.

    Attributes:
        cause: the name of the status, such as ``dead_end``.
        games: how many.
        seed: of the first of them; with its agents it reproduces it.
        agents: who sat in it, seat by seat.
        ticks: how many actions were played before it broke off.
        seat: whose agent was at fault, from 1, or ``None``.
        error: what was raised, in words, or ``None``.
    """

    cause: str
    games: int
    seed: int
    agents: tuple[str, ...]
    ticks: int
    seat: int | None
    error: str | None

    def first_to_json(self) -> dict[str, Any]:
        """What reproduces the first of them."""
        return {
            "seed": self.seed,
            "agents": list(self.agents),
            "ticks": self.ticks,
            "seat": self.seat,
            "error": self.error,
        }


@dataclass(frozen=True)
class Fault:
    """What the rules said of games that they broke off, and the first game of which it is true.

    Attributes:
        cause: the name of the status, such as ``rules_error``.
        explanation: what the game says of it (``Game.explain``).
        games: how many.
        seed: of the first of them; with its agents it reproduces it.
        agents: who sat in it, seat by seat.
        ticks: how many actions were played before it broke off.
    """

    cause: str
    explanation: str
    games: int
    seed: int
    agents: tuple[str, ...]
    ticks: int

    def to_json(self) -> dict[str, Any]:
        """Everything by name."""
        return {
            "cause": self.cause,
            "explanation": self.explanation,
            "games": self.games,
            "seed": self.seed,
            "agents": list(self.agents),
            "ticks": self.ticks,
        }


@dataclass(frozen=True)
class OptionsAt:
    """How many options there were at one action of the game, forced ones included.

    Attributes:
        action: which one, from 1.
        games: the finished games that were so long.
        mean, sd: of the number of options; the deviation is ``None`` for one game.
    """

    action: int
    games: int
    mean: float
    sd: float | None

    def to_json(self) -> dict[str, Any]:
        """Everything by name."""
        return {"action": self.action, "games": self.games, "mean": self.mean, "sd": self.sd}


@dataclass(frozen=True)
class Playtest:
    """What a run of games showed. ``docs/playtest-json.md`` explains every number.

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
    version: str = field(default_factory=lambda: kibitz.__version__)

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
        """How fast it went."""
        return self.games / self.seconds if self.seconds > 0 else 0.0

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON types; ``docs/playtest-json.md`` explains it."""
        counts = {cause.name.lower(): 0 for cause in CAUSES}
        counts |= {u.cause: u.games for u in self.unfinished}
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
            "rotated": self.rotated,
            "outcomes": {"finished": self.finished, **counts},
            "first_unfinished": {u.cause: u.first_to_json() for u in self.unfinished},
            "faults": [fault.to_json() for fault in self.faults],
            "loops": self.loops,
            "won_together": self.won_together,
            "lost_together": self.lost_together,
            "seats": [seat.to_json() for seat in self.seats],
            "agents": [agent.to_json() for agent in self.agents],
            "fairness": self.fairness.to_json() if self.fairness else None,
            "tie_rate": self.tie_rate,
            "tie_interval": pair(self.tie_interval),
            "decisions_per_game": self.decisions_per_game.to_json(),
            "options_per_decision": self.options_per_decision.to_json(),
            "options_per_action": self.options_per_action.to_json(),
            "options_at": [options.to_json() for options in self.options_at],
            "ticks_per_game": self.ticks_per_game.to_json(),
            "turns_per_game": self.turns_per_game.to_json(),
            "rounds_per_game": self.rounds_per_game.to_json(),
            "hidden_share": self.hidden_share,
            "hidden_interval": pair(self.hidden_interval),
            "seconds": self.seconds,
            "games_per_second": self.games_per_second,
        }


def pair(interval: Interval | None) -> list[float] | None:
    """An interval as JSON."""
    return None if interval is None else list(interval)

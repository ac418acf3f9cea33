"""The values of measures as records, and their JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kibitz.core.statistics import Interval, Summary
from kibitz.core.status import Status

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
"""The statuses of unfinished games, in the order of reports."""


@dataclass(frozen=True)
class Performance:
    """The results of an agent, or of the agents in a seat, in the finished games.

    Attributes:
        agent: label of the agent; ``None`` for a seat that several agents took in turn.
        seat: the seat, from 1; ``None`` for an agent in all its seats.
        games: finished games, counted once for each seat.
        wins: first places; one shared by k players counts 1/k for each. When everybody wins
            together, as in a cooperative game, it counts 1 for each.
        sole_wins: first places shared with nobody.
        ties: first places shared with others, except in games that everybody won together.
        win_rate: ``wins / games``; its interval is Wilson's.
        non_losses: games not ended in last place. A first place shared by everyone is no loss; a
            game that everybody lost is.
        score: the final scores.
        decisions: number of decisions, forced actions left out.
        failures: unfinished games that were the agent's fault: it failed or acted illegally.
        seconds_per_decision: mean thinking time; ``None`` if it was not measured.
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


CAUSE_WORDS = {
    "full_buffer": "full buffer: no room left",
    "rules_error": "rules error: the rules failed",
    "dead_end": "dead end: no legal action",
    "illegal_action": "illegal action by an agent",
    "limit": "limit: too many actions",
    "loop": "loop: went round in circles",
    "suspected_loop": "suspected loop: seems to circle",
    "endless": "endless: no next decision",
    "agent_error": "agent error: an agent failed",
}
"""The causes for which games are broken off, in words."""


@dataclass(frozen=True)
class Unfinished:
    """The games that ended for one cause, and the first of them.

    Attributes:
        cause: the name of the status, such as ``dead_end``.
        games: number of these games.
        seed: seed of the first game, which reproduces it together with its agents.
        agents: labels of the agents in the first game, seat by seat.
        ticks: number of actions before the first game broke off.
        seat: the seat, from 1, whose agent was at fault in the first game, if any.
        error: message of the exception, if one was raised.
    """

    cause: str
    games: int
    seed: int
    agents: tuple[str, ...]
    ticks: int
    seat: int | None
    error: str | None

    def first_to_json(self) -> dict[str, Any]:
        """The seed and the agents that reproduce the first of them, and how it ended."""
        return {
            "seed": self.seed,
            "agents": list(self.agents),
            "ticks": self.ticks,
            "seat": self.seat,
            "error": self.error,
        }


@dataclass(frozen=True)
class Fault:
    """An explanation of games that the rules broke off, with the first such game.

    Attributes:
        cause: the name of the status, such as ``rules_error``.
        explanation: explanation by the game (``Game.explain``).
        games: number of these games.
        seed: seed of the first game, which reproduces it together with its agents.
        agents: labels of the agents in the first game, seat by seat.
        ticks: number of actions before the first game broke off.
    """

    cause: str
    explanation: str
    games: int
    seed: int
    agents: tuple[str, ...]
    ticks: int

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
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
    """The number of options at one action of the game, a forced action counting as one.

    Attributes:
        action: number of the action, from 1.
        games: finished games with this action.
        mean: mean number of options over these games.
        sd: standard deviation of the number of options; ``None`` for one game.
    """

    action: int
    games: int
    mean: float
    sd: float | None

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {"action": self.action, "games": self.games, "mean": self.mean, "sd": self.sd}


def pair(interval: Interval | None) -> list[float] | None:
    """An interval as a JSON list."""
    return None if interval is None else list(interval)

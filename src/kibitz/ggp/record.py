"""The record of a match, in the JSON of the field.

``len(states) == len(stateTimes) == len(moves) + 1 == len(errors)``: a step leads from one state
to the next, and the first row of errors is about START.
"""

from __future__ import annotations

import json
import random
import string
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kibitz.core.errors import FileError
from kibitz.gdl.game import GdlGame
from kibitz.ggp.messages import MessageError, items, plain, spaced
from kibitz.ggp.position import Position, ReportError, is_random

MOST_BYTES = 64 << 20
"""A longer file is no record."""


@dataclass
class MatchRecord:
    """What happened in a match.

    Attributes:
        match: its id.
        game: where its rules are: a name, or the place that says more about them.
        players: what each player is called, in the order of the roles.
        startclock, playclock: in seconds.
        started: when, in milliseconds since 1970.
        states: of each state, the propositions that are true.
        moves: of each step, what each role did.
        errors: for START and each step, what was wrong with each player's answer, if anything.
        times: when each state was reached, in milliseconds since 1970.
        goals: of each role, once the match is completed.
        completed, aborted: how it ended.
        scrambled: whether players were given other names.
        seconds: for START and each step, how long each player took; extra to the field's JSON.
        token: at random.
    """

    match: str
    game: str
    players: list[str]
    startclock: int
    playclock: int
    started: int
    states: list[list[str]] = field(default_factory=list)
    moves: list[list[str]] = field(default_factory=list)
    errors: list[list[str]] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    goals: list[int] = field(default_factory=list)
    completed: bool = False
    aborted: bool = False
    scrambled: bool = False
    seconds: list[list[float]] = field(default_factory=list)
    token: str = ""

    def __post_init__(self) -> None:
        if not self.token:
            letters = string.ascii_letters + string.digits
            self.token = "".join(random.SystemRandom().choices(letters, k=32))

    def to_json(self) -> dict[str, Any]:
        """As the field writes it; what is our own comes last."""
        return {
            "matchId": self.match,
            "randomToken": self.token,
            "startTime": self.started,
            "gameMetaURL": self.game,
            "isCompleted": self.completed,
            "isAborted": self.aborted,
            "states": [_state_text(state) for state in self.states],
            "moves": [[spaced(move) for move in step] for step in self.moves],
            "stateTimes": self.times,
            "errors": self.errors,
            "goalValues": self.goals,
            "previewClock": -1,
            "startClock": self.startclock,
            "playClock": self.playclock,
            "scrambled": self.scrambled,
            "playerNamesFromHost": self.players,
            "seconds": self.seconds,
        }

    @classmethod
    def from_json(cls, document: Any) -> MatchRecord:
        """The record that a document is, whoever wrote it.

        Raises:
            FileError: it is none, or its lengths do not fit together.
        """
        if not isinstance(document, Mapping):
            raise FileError("a match record is a JSON object.")
        try:
            moves = [[plain(move) for move in step] for step in document["moves"]]
            states = [_state_list(text) for text in document["states"]]
            roles = len(moves[0]) if moves else len(document.get("goalValues", []))
            nothing = [[""] * roles for _ in states]
            found = cls(
                match=str(document["matchId"]),
                game=str(document.get("gameMetaURL", "")),
                players=[str(name) for name in document.get("playerNamesFromHost", [])],
                startclock=int(document["startClock"]),
                playclock=int(document["playClock"]),
                started=int(document["startTime"]),
                states=states,
                moves=moves,
                errors=[[str(e) for e in step] for step in document.get("errors", nothing)],
                times=[int(time) for time in document["stateTimes"]],
                goals=[int(value) for value in document.get("goalValues", [])],
                completed=bool(document["isCompleted"]),
                aborted=bool(document.get("isAborted", False)),
                scrambled=bool(document.get("scrambled", False)),
                seconds=[[float(s) for s in step] for step in document.get("seconds", [])],
                token=str(document.get("randomToken", "")),
            )
        except KeyError as problem:
            raise FileError(f"the match record has no {problem.args[0]}.") from None
        except (TypeError, ValueError, AttributeError, MessageError) as problem:
            raise FileError(f"the match record cannot be read: {problem}.") from None
        if wrong := found.problem():
            raise FileError(f"the match record is damaged: {wrong}.")
        return found

    def problem(self) -> str | None:
        """What contradicts the laws of a record, in words."""
        steps, states = len(self.moves), len(self.states)
        counts = {"states": states, "stateTimes": len(self.times), "errors": len(self.errors)}
        if self.seconds:
            counts["seconds"] = len(self.seconds)
        for name, count in counts.items():
            if count != steps + 1:
                return f"there are {steps} steps and {count} {name}, not {steps + 1}"
        widths = {len(step) for step in self.moves} | {len(step) for step in self.errors}
        widths |= {len(step) for step in self.seconds}
        if len(widths) > 1:
            return "there is not one move and one error for each role in every step"
        if self.completed and self.aborted:
            return "it is both completed and aborted"
        if self.completed and widths and {len(self.goals)} != widths:
            return f"there are {len(self.goals)} goals for {widths.pop()} roles"
        if any(
            later < earlier for earlier, later in zip(self.times, self.times[1:], strict=False)
        ):
            return "the times of states go backwards"
        return None

    def until(self, steps: int) -> MatchRecord:
        """The record as it was after so many steps."""
        return replace(
            self,
            states=self.states[: steps + 1],
            moves=self.moves[:steps],
            errors=self.errors[: steps + 1],
            times=self.times[: steps + 1],
            seconds=self.seconds[: steps + 1],
        )

    def filled(self, roles: int) -> MatchRecord:
        """The record with names and durations also where its writer left them out.

        Raises:
            FileError: it is not of a game with so many roles.
        """
        if any(len(step) != roles for step in self.moves):
            raise FileError(f"the match record is of a game that has not {roles} roles.")
        players = self.players or ["somebody"] * roles
        if len(players) != roles:
            raise FileError(f"the match record has {len(players)} players for {roles} roles.")
        since = zip(self.times, self.times[1:], strict=False)
        took = [0.0, *((later - earlier) / 1000 for earlier, later in since)]
        seconds = self.seconds or [[one] * roles for one in took]
        return replace(self, players=players, seconds=seconds)

    def verify(self, game: GdlGame) -> str | None:
        """What contradicts the rules of a game, in words: moves, states, the end, goals."""
        position = Position(game)
        for number in range(len(self.states)):
            if sorted(map(str.lower, position.facts())) != sorted(
                map(str.lower, self.states[number])
            ):
                return f"state {number} does not follow from the rules"
            if number < len(self.moves):
                try:
                    position.step(self.moves[number])
                except ReportError as problem:
                    return f"step {number + 1}: {problem}"
        if self.completed and not position.over:
            return "it is completed, and the game is not over"
        if self.completed and game_goals(position) != self.goals:
            return f"the goals are {game_goals(position)}, not {self.goals}"
        return None


def game_goals(position: Position) -> list[int]:
    """The goals at the end; 0 for chance, which has none.

    Raises:
        ReportError: the rules give some other role no goal, or several.
    """
    goals = position.goals()
    for role, value in enumerate(goals):
        if value is None and not is_random(position.roles[role]):
            name = position.role_name(role)
            raise ReportError(f"the rules give {name} none or several goals at the end")
    return [value or 0 for value in goals]


def _state_text(state: list[str]) -> str:
    return f"( {' '.join(map(spaced, state))} )" if state else "( )"


def _state_list(text: str) -> list[str]:
    return [plain(fact) for fact in items(text) or ()]


def load_record(path: Path) -> MatchRecord:
    """The record in a file.

    Raises:
        FileError: it cannot be read, or is none.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise FileError(f"{path}: is longer than any match record.")
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise FileError(f"{path}: cannot be read: {problem.strerror}.") from None
    except (ValueError, RecursionError) as problem:
        raise FileError(f"{path}: is no JSON: {problem}.") from None
    try:
        return MatchRecord.from_json(document)
    except FileError as problem:
        raise FileError(f"{path}: {problem}") from None


__all__ = ["MatchRecord", "game_goals", "load_record"]

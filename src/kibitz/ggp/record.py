"""The record of a match, in the usual JSON format of game managers.

``len(states) == len(stateTimes) == len(moves) + 1 == len(errors)``: a step leads from one state
to the next, and the first row of errors belongs to START.
"""

from __future__ import annotations

import contextlib
import random
import re
import string
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kibitz.core.errors import FileError, KibitzError, UnknownGameError
from kibitz.core.game import Game
from kibitz.core.parameters import read_json_object
from kibitz.core.wording import printable
from kibitz.gdl.game import GdlGame
from kibitz.gdl.writer import to_kif
from kibitz.ggp.messages import MessageError, items, plain, spaced
from kibitz.ggp.position import Position, ReportError, is_random
from kibitz.loading import from_text, load_installed
from kibitz.syntax.source import Source

SUBSTITUTE = "SU"
"""The error of a move that a player's service drew at random; the cause follows it."""


@dataclass
class MatchRecord:
    """The course of a match. Clocks are in seconds, times in milliseconds since 1970.

    Three attributes are additions to the usual format: `seconds`, `replies` and `rules`.

    Attributes:
        match: the id of the match.
        game: the name of the game, or the address of its description.
        players: the names of the players, in the order of the roles.
        started: the time at which the match began.
        states: the true propositions of each state.
        moves: for each step, the move of each role.
        errors: for START and each step, the error in each player's answer; empty without one.
        times: the time at which each state was reached.
        goals: the goal of each role, once the match is completed.
        scrambled: whether players got other names than those in the rules.
        seconds: for START and each step, the time that each player took.
        replies: for START and each step, the text of each invalid answer, else empty.
        rules: the rules in KIF, if the name of the game does not lead to them.
        token: a random string that identifies the record.
        source: the name of the file, or another name for error messages.
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
    replies: list[list[str]] = field(default_factory=list)
    rules: str = ""
    token: str = ""
    source: str = field(default="the match record", compare=False)

    def __post_init__(self) -> None:
        if not self.token:
            letters = string.ascii_letters + string.digits
            self.token = "".join(random.SystemRandom().choices(letters, k=32))

    def replaced(self, role: int) -> int:
        """The number of steps in which a role's answer had an error."""
        return sum(bool(step[role]) for step in self.errors[1:])

    def to_json(self) -> dict[str, Any]:
        """The record as JSON in the usual format, with our additional members at the end."""
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
            "replies": self.replies,
            **({"rules": self.rules} if self.rules else {}),
        }

    @classmethod
    def from_json(cls, document: Any, source: str = "the match record") -> MatchRecord:
        """Reads a record from JSON, which may come from another program.

        Args:
            source: the name of the document in error messages.

        Raises:
            FileError: the document is no match record, or its lengths contradict each other.
        """
        if not isinstance(document, Mapping):
            raise FileError(f"{source}: should be a JSON object.")
        member = _Members(document, source)
        moves = [
            [member.term(move, f"moves[{i}][{p}]") for p, move in enumerate(step)]
            for i, step in enumerate(member("moves", [[str]]))
        ]
        states = [
            member.facts(text, f"states[{i}]") for i, text in enumerate(member("states", [str]))
        ]
        goals = member("goalValues", [int], [])
        nothing = [[""] * (len(moves[0]) if moves else len(goals)) for _ in states]
        record = cls(
            match=member("matchId", str),
            game=member("gameMetaURL", str, ""),
            players=member("playerNamesFromHost", [str], []),
            startclock=member("startClock", int),
            playclock=member("playClock", int),
            started=member("startTime", int),
            states=states,
            moves=moves,
            errors=member("errors", [[str]], nothing),
            times=member("stateTimes", [int]),
            goals=goals,
            completed=member("isCompleted", bool),
            aborted=member("isAborted", bool, False),
            scrambled=member("scrambled", bool, False),
            seconds=member("seconds", [[float]], []),
            replies=member("replies", [[str]], []),
            rules=member("rules", str, ""),
            token=member("randomToken", str, ""),
            source=source,
        )
        if problem := record.problem():
            raise FileError(f"{source}: is damaged: {problem}.")
        return record

    @classmethod
    def read(cls, path: Path) -> MatchRecord:
        """Reads a record from a file.

        Raises:
            FileError: the file cannot be read, or contains no match record.
        """
        return cls.from_json(read_json_object(path), str(path))

    def problem(self) -> str | None:
        """An inconsistency in the record, in words; ``None`` if there is none."""
        steps, states = len(self.moves), len(self.states)
        counts = {"states": states, "stateTimes": len(self.times), "errors": len(self.errors)}
        if self.seconds:
            counts["seconds"] = len(self.seconds)
        if self.replies:
            counts["replies"] = len(self.replies)
        for name, count in counts.items():
            if count != steps + 1:
                return f"there are {steps} steps and {count} {name}, not {steps + 1}"
        widths = {len(step) for step in self.moves} | {len(step) for step in self.errors}
        widths |= {len(step) for step in self.seconds} | {len(step) for step in self.replies}
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
        """The record of the first ``steps`` steps."""
        return replace(
            self,
            states=self.states[: steps + 1],
            moves=self.moves[:steps],
            errors=self.errors[: steps + 1],
            times=self.times[: steps + 1],
            seconds=self.seconds[: steps + 1],
            replies=self.replies[: steps + 1],
        )

    def filled(self, roles: int) -> MatchRecord:
        """The record with default names and durations where its writer left them out.

        Raises:
            FileError: the game of the record does not have this number of roles.
        """
        if any(len(step) != roles for step in [*self.moves, *self.errors]):
            raise FileError(f"{self.source}: is of a game that has not {roles} roles.")
        players = self.players or ["somebody"] * roles
        if len(players) != roles:
            raise FileError(f"{self.source}: has {len(players)} players for {roles} roles.")
        since = zip(self.times, self.times[1:], strict=False)
        durations = [0.0, *((later - earlier) / 1000 for earlier, later in since)]
        seconds = self.seconds or [[duration] * roles for duration in durations]
        replies = self.replies or [[""] * roles for _ in durations]
        return replace(self, players=players, seconds=seconds, replies=replies)


def recorded_game(record: MatchRecord) -> GdlGame:
    """The game of a record: from the rules in the record, or an installed game by its name.

    A record may come from a stranger, so no file or address that it names is opened.

    Raises:
        KibitzError: there is no such game, it is not in GDL, or the rules are wrong.
    """
    game: Game | None = None
    if record.rules:
        name = re.sub(r"[^a-z0-9]+", "-", Path(record.game[:80]).stem.lower()).strip("-")
        source = Source(f"{record.source}: the rules", record.rules)
        game = from_text(source, "gdl", name or "recorded")
        game.title = game.name
    else:
        with contextlib.suppress(UnknownGameError):
            game = load_installed(record.game)
    if isinstance(game, GdlGame) and not game.description.roles:
        raise FileError(f"{record.source}: the rules have no role in them.")
    if not isinstance(game, GdlGame):
        raise FileError(
            f"{record.source}: is of the game {printable(record.game, 80)!r}, which is no game in "
            "GDL that 'kibitz games' lists. Give its rules after the record: "
            f"{record.source} FILE.kif"
        )
    return game


def described(game: GdlGame) -> tuple[str, str]:
    """The name of a game for a record, and its rules if the record has to contain them."""
    try:
        installed = load_installed(game.name)
    except KibitzError:
        installed = None
    if isinstance(installed, GdlGame) and installed.text == game.text and not game.origin.where:
        return game.name, ""
    return Path(game.origin.where).name or game.name, to_kif(game.description)


def game_goals(position: Position) -> list[int]:
    """The goals of all roles at the end of a game; 0 for chance without a goal.

    Raises:
        ReportError: the rules give a role other than chance no goal, or several.
    """
    goals = position.goals()
    for role, value in enumerate(goals):
        if value is None and not is_random(position.roles[role]):
            name = position.role_name(role)
            raise ReportError(f"the rules give {name} none or several goals at the end")
    return [value or 0 for value in goals]


def _state_text(state: list[str]) -> str:
    return f"( {' '.join(map(spaced, state))} )" if state else "( )"


# --- reading --------------------------------------------------------------------------------


_KINDS: dict[Any, str] = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
}


class _Members:
    """Reads the members of a JSON record and checks their types."""

    def __init__(self, document: Mapping[str, Any], source: str) -> None:
        self._document = document
        self._source = source

    def __call__(self, name: str, kind: Any, otherwise: Any = None) -> Any:
        """A member of the record, or its default.

        Args:
            kind: a type, or a list of one kind for a list of such values.
            otherwise: the value if the member is missing or null; ``None``: it is required.

        Raises:
            FileError: the member is missing or of another kind.
        """
        value = self._document.get(name)
        if value is None and otherwise is not None:
            return otherwise
        if name not in self._document:
            raise FileError(f"{self._source}: is no match record: it has no {name}.")
        return self._of_kind(value, kind, name)

    def _of_kind(self, value: Any, kind: Any, path: str) -> Any:
        """Checks and returns a value of a kind; whole numbers may be written as 5.0."""
        if isinstance(kind, list):
            if not isinstance(value, list):
                raise self._wrong(path, "a list")
            return [self._of_kind(item, kind[0], f"{path}[{i}]") for i, item in enumerate(value)]
        if kind in (int, float) and isinstance(value, int | float) and not isinstance(value, bool):
            if abs(value) < 2**63 and (kind is float or value == int(value)):
                return kind(value)
        elif isinstance(value, kind) and kind in (str, bool):
            return value
        raise self._wrong(path, _KINDS[kind])

    def _wrong(self, path: str, expected: str) -> FileError:
        return FileError(f"{self._source}: is damaged: {path} should be {expected}.")

    def term(self, text: str, path: str) -> str:
        """Reads a move, in the spacing of the record."""
        try:
            return plain(text)
        except MessageError as problem:
            raise self._wrong(path, f"a term: {problem}") from None

    def facts(self, text: str, path: str) -> list[str]:
        """Reads the propositions of a state."""
        try:
            return [plain(fact) for fact in items(text) or ()]
        except MessageError as problem:
            raise self._wrong(path, f"a list of propositions: {problem}") from None


FOREIGN_MEMBERS = ("matchId", "gameMetaURL", "stateTimes")
"""JSON members of match records that records of Kibitz's own games do not have."""


def is_match(document: Mapping[str, Any]) -> bool:
    """Whether the JSON of a record is a match record, of any game manager."""
    return any(name in document for name in FOREIGN_MEMBERS)


__all__ = ["MatchRecord", "described", "game_goals", "is_match", "recorded_game"]

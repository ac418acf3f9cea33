"""The record of a match, in the JSON of the field.

``len(states) == len(stateTimes) == len(moves) + 1 == len(errors)``: a step leads from one state
to the next, and the first row of errors is about START.
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
"""The error of a move that the service of a player drew at random; the cause follows it."""


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
        replies: for START and each step, what came as it came where it was no answer; extra, too.
        rules: in KIF, where the name of the game does not lead to them; extra, too.
        token: at random.
        source: the name of its file or what else messages call it.
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
        """The number of steps in which another move stands in place of a player's."""
        return sum(bool(step[role]) for step in self.errors[1:])

    def to_json(self) -> dict[str, Any]:
        """The record as JSON in the usual format of the field; our own members come last."""
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
        """The record in a document, which may be another program's.

        Args:
            document: a JSON object.
            source: what error messages call it.

        Raises:
            FileError: it is no match record, or its lengths do not fit together.
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
        """The record in a file.

        Raises:
            FileError: the file cannot be read, or has no match record in it.
        """
        return cls.from_json(read_json_object(path), str(path))

    def problem(self) -> str | None:
        """What contradicts the laws of a record, in words."""
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
        """The record as it was after so many steps."""
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
            FileError: it is not of a game with so many roles.
        """
        if any(len(step) != roles for step in [*self.moves, *self.errors]):
            raise FileError(f"{self.source}: is of a game that has not {roles} roles.")
        players = self.players or ["somebody"] * roles
        if len(players) != roles:
            raise FileError(f"{self.source}: has {len(players)} players for {roles} roles.")
        since = zip(self.times, self.times[1:], strict=False)
        took = [0.0, *((later - earlier) / 1000 for earlier, later in since)]
        seconds = self.seconds or [[one] * roles for one in took]
        replies = self.replies or [[""] * roles for _ in took]
        return replace(self, players=players, seconds=seconds, replies=replies)


def recorded_game(record: MatchRecord) -> GdlGame:
    """The game that a record is of: one that is installed, or the rules in the record.

    A record may be anybody's: whatever else it names is not looked for.

    Raises:
        KibitzError: there is no such game, it is not in GDL, or the rules are wrong.
    """
    found: Game | None = None
    if record.rules:
        name = re.sub(r"[^a-z0-9]+", "-", Path(record.game[:80]).stem.lower()).strip("-")
        source = Source(f"{record.source}: the rules", record.rules)
        found = from_text(source, "gdl", name or "recorded")
        found.title = found.name
    else:
        with contextlib.suppress(UnknownGameError):
            found = load_installed(record.game)
    if isinstance(found, GdlGame) and not found.description.roles:
        raise FileError(f"{record.source}: the rules have no role in them.")
    if not isinstance(found, GdlGame):
        raise FileError(
            f"{record.source}: is of the game {printable(record.game, 80)!r}, which is no game in "
            "GDL that 'kibitz games' lists. Give its rules after the record: "
            f"{record.source} FILE.kif"
        )
    return found


def described(game: GdlGame) -> tuple[str, str]:
    """The name of a game in a record, and its rules if the record must contain them."""
    try:
        installed = load_installed(game.name)
    except KibitzError:
        installed = None
    if isinstance(installed, GdlGame) and installed.text == game.text and not game.where:
        return game.name, ""
    return Path(game.where).name or game.name, to_kif(game.description)


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


# --- reading --------------------------------------------------------------------------------


_KINDS: dict[Any, str] = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
}


class _Members:
    """Reads the members of a record, of which each has to be of a kind."""

    def __init__(self, document: Mapping[str, Any], source: str) -> None:
        self._document = document
        self._source = source

    def __call__(self, name: str, kind: Any, otherwise: Any = None) -> Any:
        """A member of the record, or its default where writers may leave it out.

        Args:
            name: of the member.
            kind: a type, or a list of one kind for a list of such values.
            otherwise: what to take where it is missing or null; ``None`` if it must be there.

        Raises:
            FileError: it is missing or of another kind.
        """
        value = self._document.get(name)
        if value is None and otherwise is not None:
            return otherwise
        if name not in self._document:
            raise FileError(f"{self._source}: is no match record: it has no {name}.")
        return self._of_kind(value, kind, name)

    def _of_kind(self, value: Any, kind: Any, path: str) -> Any:
        """The value, if it is of the kind; whole numbers may be written as 5.0."""
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

    def _wrong(self, path: str, wanted: str) -> FileError:
        return FileError(f"{self._source}: is damaged: {path} should be {wanted}.")

    def term(self, text: str, path: str) -> str:
        """A move as it is kept."""
        try:
            return plain(text)
        except MessageError as problem:
            raise self._wrong(path, f"a term: {problem}") from None

    def facts(self, text: str, path: str) -> list[str]:
        """The propositions of a state."""
        try:
            return [plain(fact) for fact in items(text) or ()]
        except MessageError as problem:
            raise self._wrong(path, f"a list of propositions: {problem}") from None


FOREIGN_MEMBERS = ("matchId", "gameMetaURL", "stateTimes")
"""Members that match records have, and records of Kibitz's own sessions have not."""


def is_match(document: Mapping[str, Any]) -> bool:
    """Whether a JSON object is a match record, of whichever game manager, if it is any record."""
    return any(name in document for name in FOREIGN_MEMBERS)


__all__ = ["MatchRecord", "described", "game_goals", "is_match", "recorded_game"]

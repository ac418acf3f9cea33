"""Matches of the game manager as they are played: their records, which grow in the workspace.

``kibitz ggp match --watch DIR`` writes the record of a match anew at every step. A follower reads
it, makes the steps that are new, and has every position since the beginning.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from html import escape

from kibitz.core.errors import FileError
from kibitz.core.parameters import json_object
from kibitz.core.state import State
from kibitz.core.wording import bare
from kibitz.gdl.game import GdlGame
from kibitz.gdl.telling import NOOP
from kibitz.ggp.position import is_random
from kibitz.ggp.record import MatchRecord, recorded_game
from kibitz.ggp.replaying import MatchReplay
from kibitz.web.scene import OpenGame
from kibitz.web.workspace import MATCHES, Workspace


@dataclass(frozen=True)
class Match:
    """The entry of a match in a list.

    Attributes:
        name: the name of its file.
        title: the game and the players.
        said: how far it is, or how it ended.
    """

    name: str
    title: str
    said: str


def matches(workspace: Workspace) -> list[Match]:
    """The matches in the workspace, the latest first."""
    entries = []
    for name in workspace.names(MATCHES, ".json"):
        try:
            record = read(workspace, name)
        except FileError:
            continue
        players = ", ".join(player for player in record.players if not is_random(player))
        entries.append(Match(name, f"{record.game}: {players}", said(record)))
    return entries


def read(workspace: Workspace, name: str) -> MatchRecord:
    """The record of a match.

    Raises:
        FileError: it cannot be read, or is no match record.
    """
    return MatchRecord.from_json(json_object(workspace.read(MATCHES, name), name), name)


def said(record: MatchRecord) -> str:
    """How far a match is, or how it ended, in words."""
    steps = f"{len(record.moves)} step{'s' * (len(record.moves) != 1)}"
    if record.completed:
        goals = " : ".join(str(goal) for goal in record.goals)
        return f"over after {steps}, {goals}"
    if record.aborted:
        return f"aborted after {steps}"
    return f"{steps} so far"


@dataclass(frozen=True)
class MatchView:
    """What a page shows of a match, as plain data.

    Attributes:
        title: the title of the game.
        names: what the players are called, without chance.
        last: the number of the last position.
        said: how far it is, or how it ended.
        is_over: whether nothing more comes.
    """

    title: str
    names: tuple[str, ...]
    last: int
    said: str
    is_over: bool


class Follower(OpenGame):
    """Follows a match.

    Args:
        workspace: the folder with its record.
        name: the name of the file.

    Attributes:
        record: the record that was read last.
        game: the game of the match.
        states: the positions that are known, from the first.

    Raises:
        KibitzError: there is no such record, or its game is not to be had.
    """

    def __init__(self, workspace: Workspace, name: str) -> None:
        self._workspace, self._name = workspace, name
        self.record = read(workspace, name)
        self.game: GdlGame = recorded_game(self.record)
        self._replay = MatchReplay(self.game)
        position = self._replay.position
        self.roles = [position.role_name(role) for role in range(len(position.roles))]
        self.record = self.record.filled(len(self.roles))
        self.states: list[State] = []
        self._changed: datetime | None = None
        self.look()

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes."""
        return self.record.completed or self.record.aborted

    @property
    def names(self) -> list[str]:
        """What the players are called, without chance."""
        return [
            f"{role} ({player})"
            for role, player in zip(self.roles, self.record.players, strict=True)
            if not is_random(role)
        ]

    def look(self) -> bool:
        """Reads the record again, if it was written since; whether there is something new.

        Raises:
            KibitzError: it cannot be read any more, or contradicts the rules.
        """
        changed = self._workspace.changed_at(MATCHES, self._name)
        if changed == self._changed:
            return False
        record = read(self._workspace, self._name).filled(len(self.roles))
        self.states.extend(self._replay.follow(record))
        self.record, self._changed = record, changed
        return True

    def view(self) -> MatchView:
        """What a page shows of it."""
        title = self.game.title or self.game.name
        names = tuple(self.names)
        return MatchView(title, names, len(self.states) - 1, said(self.record), self.is_over)

    def newer(self) -> MatchView | None:
        """What a page shows of it now, if there is something new; see ``look``."""
        return self.view() if self.look() else None

    def log(self, until: int) -> str:
        """The steps up to one, the latest first, as HTML: moves, what was wrong, seconds.

        Roles that did nothing, as the rules want, are left out.
        """
        lines = []
        for number in range(min(until, len(self.record.moves)), 0, -1):
            moves = []
            for role, move in enumerate(self.record.moves[number - 1]):
                error = self.record.errors[number][role]
                if bare(move) == NOOP and not error:
                    continue
                seconds = self.record.seconds[number][role]
                wrong = f" <span class='grade mistake'>{escape(error)}</span>" if error else ""
                took = f" <span class='quiet'>{seconds:.1f} s</span>" if seconds >= 0.05 else ""
                moves.append(f"{escape(self.roles[role])}: {escape(bare(move))}{wrong}{took}")
            lines.append(
                f"<li class='said'><span class='nr'>{number}</span>"
                f"<span class='told'>{'<br>'.join(moves)}</span></li>"
            )
        return f"<ol>{''.join(lines)}</ol>" if lines else "<p class='quiet'>Nothing yet.</p>"

"""The course of a match and its result, for the console."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kibitz.cli import terminal
from kibitz.core.errors import FileError
from kibitz.core.files import write_text
from kibitz.core.wording import printable

if TYPE_CHECKING:
    from kibitz.gdl.game import GdlGame
    from kibitz.ggp.manager import Manager
    from kibitz.ggp.record import MatchRecord

ERRORS = {"CE": "it cannot be reached (CE)", "TO": "out of time (TO)"}
"""The meanings of errors of START, in words."""

SHOWN = 60
"""Maximum number of characters shown of an invalid reply."""


def printer(json: bool) -> Callable[[str], None]:
    """A function that prints lines, or none where JSON is printed and nothing else."""
    return (lambda line: None) if json else terminal.print_lines


def _readiness(error: str, reply: str, seconds: float) -> str:
    """The outcome of START, in words, from the error and the reply in a record."""
    if not error:
        return f"ready after {seconds:.1f} s" if seconds else "ready"
    if not error.startswith("IL"):
        return f"no answer to START: {ERRORS.get(error, error)}"
    answer = printable(reply.strip(), SHOWN) or error.removeprefix("IL").strip()
    status = f", with the status {error[3:]}" if error.startswith("IL HTTP") else ""
    return f"not ready: it answered START with '{answer}'{status}"


class MatchTeller:
    """Prints the course of a match on the console."""

    def __init__(self, game: GdlGame, states: bool, show: Callable[[str], None]) -> None:
        self._game = game
        self._states = states
        self._show = show
        self._roles: Sequence[str] = ()

    def begun(self, record: MatchRecord, roles: Sequence[str]) -> None:
        """Prints the players, and whether they are ready."""
        from kibitz.ggp.position import is_random

        clocks = f"clocks {record.startclock} s and {record.playclock} s"
        self._show(f"{self._game.title or self._game.name}, match {record.match}; {clocks}")
        answers = zip(record.errors[0], record.replies[0], record.seconds[0], strict=True)
        for role, player, answer in zip(roles, record.players, answers, strict=True):
            if not is_random(role):
                self._show(f"  {role}: {player}, {_readiness(*answer)}")
        self._roles = roles

    def stepped(self, record: MatchRecord) -> None:
        """Prints the moves of the last step, their times and errors."""
        self.tell_step(record, len(record.moves))

    def tell_step(self, record: MatchRecord, number: int) -> None:
        """Prints the moves of a step, their times and errors.

        Args:
            number: the number of the step, from 1.
        """
        from kibitz.ggp.messages import plain
        from kibitz.ggp.position import is_random

        lines = []
        moves = record.moves[number - 1]
        answers = record.errors[number], record.replies[number], record.seconds[number]
        for role, move, error, reply, took in zip(self._roles, moves, *answers, strict=True):
            wrong = f" [{error.replace('( ', '(').replace(' )', ')')}]" if error else ""
            if error == "IL null" and reply:
                wrong = f" [{error}: '{printable(reply, SHOWN)}']"
            time_taken = "" if is_random(role) else f" {took:.2f} s"
            lines.append(f"{plain(move)}{time_taken}{wrong}")
        self._show(f"{number:3}. {'   '.join(lines)}")
        if self._states:
            self._show(f"     {' '.join(record.states[number])}")

    def ended(self, manager: Manager) -> None:
        """Prints the goals, or why the match was aborted."""
        record = manager.record
        if record.aborted:
            self._show(f"Aborted after {len(record.moves)} steps: {manager.reason}.")
            return
        steps = len(record.moves)
        self._show(f"Over after {steps} step{'s' if steps != 1 else ''}.")
        self._show(goal_table(record, self._roles))


class KeptTeller(MatchTeller):
    """Prints the course of a match, and writes its record at every step for spectators.

    Args:
        states: whether to print the facts after each step.
        file: the file of the record.
    """

    def __init__(
        self, game: GdlGame, states: bool, show: Callable[[str], None], file: Path
    ) -> None:
        super().__init__(game, states, show)
        self._file = file

    def begun(self, record: MatchRecord, roles: Sequence[str]) -> None:
        """Writes the record, and prints as the base class does."""
        super().begun(record, roles)
        self._keep(record)

    def stepped(self, record: MatchRecord) -> None:
        """Writes the record, and prints as the base class does."""
        super().stepped(record)
        self._keep(record)

    def ended(self, manager: Manager) -> None:
        """Writes the final record, and prints as the base class does."""
        super().ended(manager)
        self._keep(manager.record)

    def _keep(self, record: MatchRecord) -> None:
        write_text(self._file, json.dumps(record.to_json()))


def match_file(workspace: Path, game: str, number: int) -> Path:
    """The file of a match in a workspace of ``kibitz serve``; its folder is created.

    Raises:
        FileError: the folder cannot be created.
    """
    stem = re.sub(r"[^A-Za-z0-9]+", "-", game)[:40].strip("-") or "game"
    folder = workspace / "matches"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise FileError(f"{folder}: cannot be made: {problem.strerror}.") from None
    return folder / f"{stem}-{int(time.time() * 1000)}-{number}.json"


def random_moves(records: Sequence[MatchRecord]) -> list[str]:
    """A line for each local player some of whose moves were drawn at random, with the causes."""
    from kibitz.ggp.record import SUBSTITUTE

    causes: dict[str, list[str]] = {}
    for record in records:
        for step in record.errors[1:]:
            for player, error in zip(record.players, step, strict=True):
                if error.startswith(SUBSTITUTE):
                    causes.setdefault(player, []).append(error.removeprefix(SUBSTITUTE).strip())
    return [
        f"{player}: {len(reasons)} move{'s were' if len(reasons) > 1 else ' was'} drawn at "
        f"random in its place: {printable('; '.join(dict.fromkeys(reasons)), 300)}"
        for player, reasons in causes.items()
    ]


def goal_table(record: MatchRecord, roles: Sequence[str]) -> str:
    """The goal, the errors and the time for each role, as a table."""
    from kibitz.ggp.position import is_random

    rows = [("Role", "Player", "Goal", "Errors", "Seconds a move")]
    for role, name in enumerate(roles):
        if is_random(name):
            continue
        wrong = sum(bool(step[role]) for step in record.errors)
        times = [step[role] for step in record.seconds[1:]]
        mean = f"{sum(times) / len(times):.2f}" if times else "-"
        goal = str(record.goals[role]) if record.goals else "-"
        rows.append((name, record.players[role], goal, str(wrong), mean))
    return in_columns(rows, left=2)


def in_columns(rows: Sequence[Sequence[str]], left: int) -> str:
    """Rows of texts below each other; the first columns to the left, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            text.ljust(width) if column < left else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )

"""Replays of match records at the console, with the board after each step."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from kibitz.cli import terminal
from kibitz.cli.ggp.telling import MatchTeller, goal_table
from kibitz.core.errors import FileError

if TYPE_CHECKING:
    from kibitz.gdl.game import GdlGame
    from kibitz.ggp.record import MatchRecord

MARGIN = "     "
"""Before the lines of a board."""
MOST_LINE = 20_000
"""Letters of a line; records are anybody's."""


def replay_match(
    record: MatchRecord, file: Path, rules: GdlGame, *, from_record: bool, step: bool
) -> None:
    """Prints each joint move of a match, the board after it, and the goals.

    Args:
        record: of the match.
        file: has the record.
        rules: of its game.
        from_record: whether the rules are those in the record.
        step: whether to wait for Enter after each state.

    Raises:
        FileError: the record is of a game with another number of roles.
        typer.Exit: with code 1, the record contradicts the rules; the message names the step.
    """
    from kibitz.ggp.replaying import ContradictionError, Replay
    from kibitz.pictures.gdl_text import TextBoards

    roles = [rules.description.spelling[role] for role in rules.description.roles]
    try:
        record = record.filled(len(roles))
    except FileError as problem:
        raise FileError(f"{file}: {problem}") from None
    teller = MatchTeller(rules, False, _tell)
    boards = TextBoards(terminal.width() - len(MARGIN))
    teller.begun(record, roles)
    replay = Replay(rules)
    wrong = ""
    try:
        for number, state in enumerate(replay.follow(record)):
            if number:
                teller.tell_step(record, number)
            _tell("\n".join(("", *(MARGIN + line for line in boards.lines(state)), "")))
            if step and not terminal.goes_on(number, len(record.moves), state.is_terminal):
                return
        replay.check_end(record)
    except ContradictionError as problem:
        wrong = str(problem)
    if record.completed:
        _tell(goal_table(record, roles))
    else:
        print("Aborted." if record.aborted else "Not completed.")
    whose = "in it" if from_record else f"of {rules.name}"
    if wrong:
        terminal.say(f"The record contradicts the rules {whose}: {wrong}.")
        raise typer.Exit(1)
    print(f"The record agrees with the rules {whose}.")


def _tell(text: str) -> None:
    """Prints text from a record; nothing in it controls the terminal."""
    from kibitz.ggp.messages import shown

    for line in text.split("\n"):
        terminal.print_text(shown(line, MOST_LINE))

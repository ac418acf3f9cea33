"""Replays of match records at the console, with the board after each step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from kibitz.cli import terminal
from kibitz.cli.ggp.console import MatchTeller, goal_table
from kibitz.core.wording import printable

if TYPE_CHECKING:
    from kibitz.gdl.game import GdlGame
    from kibitz.ggp.record import MatchRecord

MARGIN = "     "
"""The indentation of the lines of a board."""
MOST_LINE = 20_000
"""Maximum length of a printed line, in characters, since records come from strangers."""


def replay_match(record: MatchRecord, rules: GdlGame, *, from_record: bool, step: bool) -> None:
    """Prints each joint move of a match, the board after it, and the goals.

    Args:
        record: the record, with all optional members filled.
        from_record: whether the rules are those in the record.
        step: whether to wait for Enter after each state.

    Raises:
        typer.Exit: the record contradicts the rules (code 1).
    """
    from kibitz.ggp.replaying import ContradictionError, replay
    from kibitz.pictures.gdl_text import TextBoards

    roles = [rules.description.spelling[role] for role in rules.description.roles]
    teller = MatchTeller(rules, False, _tell)
    boards = TextBoards(terminal.width() - len(MARGIN))
    teller.begun(record, roles)
    contradiction = ""
    try:
        for number, state in enumerate(replay(record, rules)):
            if number:
                teller.tell_step(record, number)
            _tell("\n".join(("", *(MARGIN + line for line in boards.lines(state)), "")))
            if step and not terminal.goes_on(number, len(record.moves), state.is_terminal):
                return
    except ContradictionError as problem:
        contradiction = problem.reason
    if record.completed:
        _tell(goal_table(record, roles))
    else:
        terminal.print_lines("Aborted." if record.aborted else "Not completed.")
    whose = "in it" if from_record else f"of {rules.name}"
    if contradiction:
        terminal.say(f"The record contradicts the rules {whose}: {contradiction}.")
        raise typer.Exit(1)
    terminal.print_lines(f"The record agrees with the rules {whose}.")


def _tell(text: str) -> None:
    """Prints text from a record, which may have lines of any length."""
    for line in text.split("\n"):
        terminal.print_text(printable(line, MOST_LINE))

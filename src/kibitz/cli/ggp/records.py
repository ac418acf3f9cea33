"""``kibitz ggp show``: what happened in a match that was kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli import terminal
from kibitz.cli.ggp.options import find_gdl_game
from kibitz.cli.ggp.telling import MatchTeller, goal_table
from kibitz.cli.options import prepare_rules


def show(
    record: Annotated[
        Path,
        typer.Argument(metavar="RECORD", show_default=False, help="A match record, as JSON."),
    ],
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME",
            show_default=False,
            help="Its game, a name or a file.  [default: as the record says, which may name "
            "a game that 'kibitz games' lists, or have rules in it]",
        ),
    ] = None,
    states: Annotated[
        bool, typer.Option("--states", help="Show what is true after each step.")
    ] = False,
) -> None:
    """Show what happened in a match.

    Its record is checked against the rules.

    Records of other game managers are read, too. Exit code 1: the record contradicts the rules.

    Examples:
      kibitz ggp show record.json
      kibitz ggp show kiosk.json tictactoe.kif --states
    """
    from kibitz.ggp.record import load_record, recorded_game

    found = load_record(record)
    if game is not None:
        rules = find_gdl_game(game)
    else:
        terminal.announce_compilations()
        rules = prepare_rules(recorded_game(found, record))
    teller = MatchTeller(rules, states, print)
    roles = [rules.description.spelling[role] for role in rules.description.roles]
    filled = found.filled(len(roles))
    teller.begun(filled, roles)
    for step in range(len(found.moves)):
        teller.stepped(filled.until(step + 1))
    wrong = found.verify(rules)
    if found.completed:
        print(goal_table(filled, roles))
    else:
        print("Aborted." if found.aborted else "Not completed.")
    if wrong is not None:
        terminal.say(f"The record contradicts the rules of {rules.name}: {wrong}.")
        raise typer.Exit(1)
    brought = game is None and found.rules
    whose = "that it brings along" if brought else f"of {rules.name}"
    print(f"The record agrees with the rules {whose}.")

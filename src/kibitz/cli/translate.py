"""``kibitz translate``: shows a game in another form."""

from __future__ import annotations

from typing import Annotated

import typer

from kibitz.cli import terminal
from kibitz.cli.options import (
    GameName,
    ParameterOptions,
    PlayerCount,
    find_game,
)
from kibitz.core.errors import GameDefinitionError, check_names
from kibitz.core.wording import listed


def translate(
    game: GameName,
    players: PlayerCount = None,
    *,
    parameters: ParameterOptions,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FORM",
            help="In RECYCLE: flow, or llvm, the module that the game is compiled from. In GDL: "
            "kif, infix, or network, the gates that the rules become; dot (for Graphviz) and json "
            "show the same gates.  [default: flow or network]",
            show_default=False,
        ),
    ] = None,
    llvm: Annotated[bool, typer.Option("--llvm", help="The same as --to llvm.")] = False,
) -> None:
    """Show the rules of a game in another form.

    Of a game in RECYCLE: the contents of the state, and the flow of the game, in which every stage
    and choice is a block at which it can be resumed. Each line begins with its line in the source.

    Of a game in GDL: its rules in one of the two notations, without comments, or the network of
    gates: as text, as a diagram in DOT, or as JSON.

    Examples:
      kibitz translate agram
      kibitz translate mygame.rcy --players 3 --set hand=5
      kibitz translate pairs --llvm > pairs.ll
      kibitz translate connect-four --to infix
      kibitz translate mygame.kif --to network
      kibitz translate nim --to dot | dot -Tsvg > nim.svg
    """
    from kibitz.loading import language_called

    chosen = find_game(game)
    language = language_called(chosen.language)
    form = "llvm" if llvm else to or next(iter(language.forms), "")
    if not language.forms:
        raise GameDefinitionError(f"{chosen.name} is in {language.title}: it has no other form.")
    if form not in language.forms:
        known = listed(language.forms, "or")
        raise GameDefinitionError(
            f"{chosen.name} is in {language.title}: it can be shown as {known}, not as {form}."
        )
    values = parameters.values()
    check_names(values, chosen.Parameters.known_names())
    for line in language.show(chosen, form, players, values):
        terminal.print_content(line)

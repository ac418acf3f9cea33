"""``kibitz translate``: what a described game becomes."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli.options import GameName, ParametersFile, Players, Settings, find_game, find_table
from kibitz.core.errors import GameDefinitionError

if TYPE_CHECKING:
    from kibitz.gdl.game import GdlGame


class Form(enum.StrEnum):
    """What a game in GDL can be shown as."""

    kif = "kif"
    infix = "infix"
    network = "network"


def translate(
    game: GameName,
    players: Players = None,
    settings: Settings = None,
    parameters: ParametersFile = None,
    to: Annotated[
        Form | None,
        typer.Option(
            help="For a game in GDL: its rules in KIF, its rules in infix notation, or the "
            "network of gates that they become.  [default: network]",
            show_default=False,
        ),
    ] = None,
    llvm: Annotated[
        bool, typer.Option("--llvm", help="Print the LLVM module that it is compiled from.")
    ] = False,
) -> None:
    """Show the lowered form of a game in RECYCLE, or a game in GDL in another form.

    Of a game in RECYCLE: what the state holds, and the flow of the game in which every stage and
    choice is a block at which it can be resumed. Each line begins with the line of the source it
    came from.

    Of a game in GDL: its rules in one of the two notations, without comments, or the network of
    gates.

    Examples:
      kibitz translate agram
      kibitz translate mygame.rcy --players 3 --set hand=5
      kibitz translate pairs --llvm > pairs.ll
      kibitz translate connect-four --to infix
      kibitz translate mygame.kif --to network
    """
    from kibitz.gdl.game import GdlGame
    from kibitz.recycle.game import RecycleGame
    from kibitz.recycle.listing import listing

    chosen = find_game(game)
    if isinstance(chosen, GdlGame):
        if llvm:
            raise GameDefinitionError(f"{chosen.name} is in GDL: it becomes no module of its own.")
        _show_gdl(chosen, to or Form.network)
        return
    if to is not None:
        raise GameDefinitionError(f"--to is for games in GDL, which {chosen.name} is not.")
    found = find_table(chosen, players, settings, parameters).game
    if not isinstance(found, RecycleGame):
        raise GameDefinitionError(f"{found.name} is written in Python: it has no other form.")
    if llvm:
        print(found.translation.text)
    else:
        for line in listing(found.places, found.translation):
            print(line)


def _show_gdl(game: GdlGame, form: Form) -> None:
    """Prints a game in GDL in one of its forms."""
    from kibitz.gdl import writer
    from kibitz.gdl.listing import listing

    if form is Form.network:
        for line in listing(game.network):
            print(line)
        return
    write = writer.to_kif if form is Form.kif else writer.to_infix
    print(write(game.description), end="")

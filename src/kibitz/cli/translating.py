"""``kibitz translate``: what a described game becomes."""

from __future__ import annotations

from typing import Annotated

import typer

from kibitz.cli.options import GameName, ParametersFile, Players, Settings, find_game, find_table
from kibitz.core.errors import GameDefinitionError


def translate(
    game: GameName,
    players: Players = None,
    settings: Settings = None,
    parameters: ParametersFile = None,
    llvm: Annotated[
        bool, typer.Option("--llvm", help="Print the LLVM module that it is compiled from.")
    ] = False,
) -> None:
    """Show the lowered form of a game in RECYCLE.

    What the state holds, and the flow of the game in which every stage and choice is a block
    at which it can be resumed. Each line begins with the line of the source it came from.

    Examples:
      kibitz translate agram
      kibitz translate mygame.rcy --players 3 --set hand=5
      kibitz translate pairs --llvm > pairs.ll
    """
    from kibitz.recycle.game import RecycleGame
    from kibitz.recycle.listing import listing

    found = find_table(find_game(game), players, settings, parameters).game
    if not isinstance(found, RecycleGame):
        raise GameDefinitionError(f"{found.name} is written in Python: it has no other form.")
    if llvm:
        print(found.translation.text)
    else:
        for line in listing(found.places, found.translation):
            print(line)

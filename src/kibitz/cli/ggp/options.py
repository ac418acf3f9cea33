"""Options that several of the commands have, and the games that they are about."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli.groups import OptionGroup
from kibitz.cli.options import checked_seed, find_game, prepare_rules
from kibitz.core.errors import KibitzError

if TYPE_CHECKING:
    from kibitz.gdl.game import GdlGame
    from kibitz.ggp.manager import MatchSettings

PATIENCE = 60.0
"""Seconds for which a player is waited for: at its first start it may compile for so long."""


class Replace(enum.Enum):
    """What stands in for a missing move; as ``kibitz.ggp.manager.Replace``."""

    RANDOM = "random"
    FIRST = "first"


GdlName = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        show_default=False,
        help="A game in GDL: a name that 'kibitz games' lists, or a file in KIF or infix.",
    ),
]


def players_option(which_players: str) -> Any:
    """The option ``--players``, whose help begins with the given words."""
    return typer.Option(
        "--players",
        "-p",
        metavar="PLAYERS",
        show_default=False,
        help=f"{which_players}, with spaces or commas between them: HOST:PORT of one that "
        "listens, or an agent, written as for --agent of 'kibitz ggp player'. May be repeated.",
    )


PlayersOption = Annotated[list[str], players_option("One for each role, in their order")]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="S",
        show_default=False,
        callback=checked_seed,
        help="Seed of all chance.  [default: a random one]",
    ),
]


@dataclass(frozen=True)
class ClockOptions(OptionGroup):
    """The clocks of a match."""

    start: Annotated[
        int, typer.Option("--start", metavar="SECONDS", min=0, help="The start clock.")
    ] = 30
    play: Annotated[
        int, typer.Option("--play", metavar="SECONDS", min=0, help="The clock for each move.")
    ] = 10


@dataclass(frozen=True)
class ManagerOptions(OptionGroup):
    """How a game manager treats the players."""

    replace: Annotated[
        Replace,
        typer.Option("--replace", help="Which legal move stands in for a late or illegal one."),
    ] = Replace.RANDOM
    scramble: Annotated[
        bool,
        typer.Option(
            "--scramble",
            help="Rename everything in the rules that players get, so that names tell nothing.",
        ),
    ] = False
    wait: Annotated[
        float,
        typer.Option(
            "--wait",
            metavar="SECONDS",
            min=0.0,
            help="How long to wait for players that do not listen yet. If one is still missing "
            "then, no match begins, and the command names it.",
        ),
    ] = PATIENCE

    def settings(self, clocks: ClockOptions, seed: int) -> MatchSettings:
        """The settings of a match with this seed."""
        from kibitz.ggp import manager

        stand_in = manager.Replace(self.replace.value)
        return manager.MatchSettings(clocks.start, clocks.play, stand_in, self.scramble, seed)


def find_gdl_game(spec: str) -> GdlGame:
    """The game in GDL with this name or in this file.

    Raises:
        KibitzError: there is no such game, or it is not in GDL.
    """
    from kibitz.gdl.game import GdlGame

    game = find_game(spec)
    if not isinstance(game, GdlGame):
        raise KibitzError(
            f"{spec} is not in GDL, so players cannot be told its rules. 'kibitz games gdl' "
            "lists those that are."
        )
    return prepare_rules(game)

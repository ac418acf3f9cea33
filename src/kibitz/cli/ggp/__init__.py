"""``kibitz ggp``: players that real game managers can use, and a manager for real players.

Each command has a module of its name. They share ``options`` (of the command line), ``signals``
(which end a match or a service), ``waiting`` (for players that were started elsewhere) and
``console`` (which prints a match). ``replay`` shows match records for ``kibitz replay``.
"""

from __future__ import annotations

from collections.abc import Callable

import typer

from kibitz.cli import terminal
from kibitz.cli.ggp import match, player, tournament


def overview(ctx: typer.Context) -> None:
    """General game playing over the network.

    Players, matches and tournaments. 'kibitz replay' shows the records of matches.

    Examples:
      kibitz ggp player --port 9147         be a player for any game manager
      kibitz ggp match connect-four --players ggp,localhost:9147
      kibitz ggp match mygame.kif --players legal,random --out record.json
      kibitz ggp tournament --games nim,breakthrough --players ggp,mcts --out dir

    'kibitz ggp COMMAND --help' explains a command.
    """
    if ctx.invoked_subcommand is None:
        terminal.print_lines(ctx.get_help())


COMMANDS: tuple[Callable[..., None], ...] = (player.player, match.match, tournament.tournament)

__all__ = ["COMMANDS", "overview"]

"""``kibitz certify``: tests that nothing hidden leaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli import terminal
from kibitz.cli.groups import OptionGroup
from kibitz.cli.options import (
    GameName,
    JsonOnly,
    ParameterOptions,
    PlayerCount,
    Seed,
    agents_option,
    find_game,
)
from kibitz.core.errors import KibitzError

if TYPE_CHECKING:
    from kibitz.checks.certificate import Certificate
    from kibitz.core.game import Table

OPENSPIEL = "openspiel:"
"""What the name of a game of OpenSpiel begins with."""

NOT_CERTIFIED = 1
"""Exit code when a law is broken, or nothing could be tested."""


@dataclass(frozen=True)
class ExtentOptions(OptionGroup):
    """How much is examined."""

    states: Annotated[
        int, typer.Option(metavar="N", min=1, help="How many states are examined.")
    ] = 100
    swaps: Annotated[
        int, typer.Option(metavar="N", min=1, help="Samples for each state and seat.")
    ] = 100
    outputs: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, help="States whose texts, pictures, hints and events are compared."
        ),
    ] = 40
    sets: Annotated[
        int, typer.Option(metavar="N", min=0, help="Information sets to list in full, at most.")
    ] = 8
    agents: Annotated[
        list[str] | None,
        agents_option(
            "Whose hints are compared; may be repeated.  [default: osla and ismcts:iterations=30]"
        ),
    ] = None


def certify(
    game: GameName,
    *,
    extent: ExtentOptions,
    players: PlayerCount = None,
    parameters: ParameterOptions,
    seed: Seed = 0,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="SPOT",
            show_default=False,
            help="Examine only the state, seat and sample of a leak, such as 2:20:2:3.",
        ),
    ] = None,
    json: JsonOnly = False,
) -> None:
    """Test whether a game leaks what is hidden from a player.

    Nothing that a seat is given may depend on what it cannot know.

    In states of random games, half of them by a player who tries all kinds of actions, what a
    seat cannot know is sampled anew: its observation, options, words, pictures, hints and events
    have to stay the same, byte for byte. Where all deals that agree with what was seen can be
    listed, samples are compared with them: are they among them, and equally likely? Samples that
    contradict what was seen are no leak, but break the law of memory. The certificate says
    what was not tried.

    The rules of a game in Python are checked first, as by 'kibitz check'. The exit code is 1
    unless the game is certified: when a law is broken, or nothing could be tested.

    Examples:
      kibitz certify love-letter
      kibitz certify hearts --states 500 --swaps 500
      kibitz certify mygame.rcy --players 3 --json
      kibitz certify hearts --at 2:20:2:3   the state of a leak alone
      kibitz certify openspiel:gin_rummy   a game of OpenSpiel, if installed
    """
    if game.startswith(OPENSPIEL):
        examined = ExtentOptions(extent.states, extent.swaps)
        given = (players, parameters, at) != (None, ParameterOptions(), None)
        if given or extent != examined:
            raise KibitzError(
                "A game of OpenSpiel is certified with --states, --swaps, --seed and --json only; "
                "its parameters are part of its name, as in 'openspiel:hearts(pass_cards=false)'."
            )
        made = _certify_openspiel(game.removeprefix(OPENSPIEL), extent, seed)
    else:
        made = _certify(parameters.table(find_game(game), players), extent, seed, at)
    if json:
        terminal.print_json(made.to_json())
    else:
        terminal.print_text(str(made))
    if not made.ok:
        raise typer.Exit(NOT_CERTIFIED)


def _certify(table: Table, extent: ExtentOptions, seed: int, at: str | None) -> Certificate:
    """The certificate of a game at a table.

    Args:
        at: the only state, seat and sample to examine.
    """
    from kibitz.checks.certify import AGENTS, certify

    with terminal.progress("states") as progress:
        return certify(
            table.game,
            players=table.players,
            parameters=table.parameters.as_dict(),
            states=extent.states,
            swaps=extent.swaps,
            outputs=extent.outputs,
            sets=extent.sets,
            agents=extent.agents or AGENTS,
            seed=seed,
            at=at,
            progress=progress,
        )


def _certify_openspiel(game: str, extent: ExtentOptions, seed: int) -> Certificate:
    """The certificate of a game of OpenSpiel."""
    from kibitz.checks.openspiel import certify_openspiel

    states, swaps = extent.states, extent.swaps
    with terminal.progress("states") as progress:
        return certify_openspiel(game, states=states, swaps=swaps, seed=seed, progress=progress)

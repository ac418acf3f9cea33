"""``kibitz compare``: compares variants of a game, and tests the differences for significance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli import terminal
from kibitz.cli.groups import OptionGroup
from kibitz.cli.options import (
    Agents,
    ParameterOptions,
    Players,
    Seed,
    WorkerOptions,
    find_game,
    json_file,
    player_count,
)
from kibitz.cli.results import deliver
from kibitz.cli.tables import variant_tables
from kibitz.core.errors import KibitzError

if TYPE_CHECKING:
    from kibitz.core.game import Table


@dataclass(frozen=True)
class ComparisonOptions(OptionGroup):
    """What varies, and the games of each variant."""

    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary",
            metavar="NAME=VALUES",
            show_default=False,
            help="Compare these values of a parameter, or of 'players': hand=4,6 or ties=yes,no. "
            "May be repeated: then every combination.",
        ),
    ] = None
    number: Annotated[
        int,
        typer.Option("--games", "-g", metavar="G", min=2, help="Games to play of each variant."),
    ] = 1000
    agents: Agents = None
    control: Annotated[
        bool,
        typer.Option(
            "--control",
            help="Judge every game, and take luck out of the differences. Fewer games are needed "
            "for what luck decides, such as who wins; each takes longer.",
        ),
    ] = False
    players: Players = None
    seed: Seed = 0


def compare(
    games: Annotated[
        list[str],
        typer.Argument(
            metavar="GAME...",
            show_default=False,
            help="Games or files, as for 'kibitz playtest'; the others are compared with the "
            "first one.",
        ),
    ],
    *,
    options: ComparisonOptions,
    parameters: ParameterOptions,
    workers: WorkerOptions,
    json: Annotated[
        str | None,
        json_file(
            "Write the comparison here as JSON; '-' for standard output, without the report."
        ),
    ] = None,
) -> None:
    """Compare variants of a game, measure by measure.

    What does another rule, setting or number of players change?

    Every measure of every variant, and which differences from the first one are more than chance.
    All variants are played from the same seed: game number i draws the same random numbers in all
    of them, as far as their rules agree, so that fewer games suffice.

    Examples:
      kibitz compare mygame.rcy newgame.rcy
      kibitz compare agram --vary hand=4,6
      kibitz compare hearts --vary queen=0,1 --agents "pimc random" --games 300
      kibitz compare love-letter --vary players=2..4
    """
    from kibitz.core.agent import placed_agents_in
    from kibitz.reports import document_of
    from kibitz.studies.comparison import compare as compare_variants

    terminal.check_writable(json)
    agents = placed_agents_in(options.agents or "random")  # reports a mistake before compilation
    tables = _tables(games, agents, options, parameters)
    with terminal.progress() as progress:
        comparison = compare_variants(
            tables,
            agents=agents,
            games=options.number,
            seed=options.seed,
            workers=workers.all,
            progress=progress,
            record=["judgements"] if options.control else [],
        )
    deliver(comparison, document_of(comparison), json)


def _tables(
    games: list[str],
    agents: Sequence[object],
    options: ComparisonOptions,
    parameters: ParameterOptions,
) -> dict[str, Table]:
    """The table of each variant, by the variant's label.

    Raises:
        KibitzError: there is only one variant, or one of them cannot be played.
    """
    from kibitz.studies.variants import combinations, read_variations

    varied = read_variations(options.vary or [])
    tables_by_label: dict[str, Table] = {}
    for game in games:
        rules = find_game(game)
        tables = variant_tables(
            rules, varied, player_count(rules, agents, options.players), parameters
        )
        for table, values in zip(tables, combinations(varied) if varied else [{}], strict=True):
            words = [f"{name}={value}" for name, value in values.items()]
            label = ", ".join([game, *words] if len(games) > 1 else words) or game
            if label in tables_by_label:
                raise KibitzError(f"{label} is given twice.")
            tables_by_label[label] = table
    if len(tables_by_label) < 2:
        raise KibitzError(
            f"What should {games[0]} be compared with? Name another game or file, or say what "
            "varies: --vary NAME=VALUES."
        )
    return tables_by_label

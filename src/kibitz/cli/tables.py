"""Tables for commands that play many games: those of variants, and what to know before playing."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kibitz.cli import terminal
from kibitz.cli.options import ParameterOptions
from kibitz.core.wording import counted

if TYPE_CHECKING:
    from kibitz.core.game import Game, Table


def variant_tables(
    game: Game,
    varied: Mapping[str, Sequence[str]],
    players: int | None,
    parameters: ParameterOptions,
) -> list[Table]:
    """The table of each variant; without variants, the only table.

    Raises:
        KibitzError: a variant cannot be played.
    """
    from kibitz.studies.variants import combinations, split_players

    tables = []
    for values in combinations(varied) if varied else [{}]:
        seats, own = split_players(values, players)
        texts = [*(parameters.settings or ()), *(f"{name}={value}" for name, value in own.items())]
        tables.append(replace(parameters, settings=texts).table(game, seats))
    return tables


def tell_warnings(table: Table, game: str) -> None:
    """Prints the gravest diagnostic of 'kibitz check' about a file, and how to see all.

    Args:
        table: where they are played.
        game: what to call the game on a command line.
    """
    from kibitz.loading import is_rules_file, language_called
    from kibitz.syntax.source import place

    if not is_rules_file(game):
        return  # what comes with Kibitz is checked
    language = language_called(table.game.language)
    source = language.source_of(table.game)
    if source is None:
        return
    diagnostics = language.diagnose(source, table.players, table.parameters.as_dict())
    if not diagnostics:
        return
    worst = language.gravest(diagnostics)
    kind = worst.severity.value
    terminal.say(f"{place(worst.span, source)}: {kind}: {worst.message} [{worst.code}]")
    others = counted(len(diagnostics) - 1, "other diagnostic")
    subject = others if len(diagnostics) > 1 else "more about it"
    terminal.say(f"To see {subject}: kibitz check {shlex.quote(game)}")


def tell_choice(game: Game) -> None:
    """Prints how many players were assumed, where there is a choice."""
    low, high = game.players
    if low < high:
        usual = counted(game.usual_players, "player")
        terminal.say(f"With {usual}; --players takes {low} to {high}.")

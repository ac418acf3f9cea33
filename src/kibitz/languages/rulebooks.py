"""``rules``: the rules of a game in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kibitz.core.errors import check_names
from kibitz.core.game import Table, checked_players
from kibitz.core.parameters import by_name
from kibitz.loading import Playable, find_table, language_called, load
from kibitz.syntax.rulebook import Rulebook


def rules(
    game: Playable,
    *,
    players: int | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Rulebook:
    """Writes the rules of a game in plain English, for people who want to play it.

    Of a game in RECYCLE they are written from the rules themselves: cards and places, the course
    of the game with every option and its conditions, the end and the winner. In GDL every rule of
    a relation becomes a sentence. Of a game in Python it is what the game declares.

    >>> import kibitz
    >>> book = kibitz.rules("agram", players=2)
    >>> [chapter.title for chapter in book.chapters][:3]
    ['Players', 'Cards', 'Places and records']

    Args:
        game: its name, file, class or instance, or a table of it.
        players: the number of players.  [default: the game's, or the table's]
        parameters: values by name; all others keep their defaults, or those of the table.

    Raises:
        ParameterError: the game does not allow these players or parameters.
        FileError: the file has errors.
    """
    if isinstance(game, Table):
        table = find_table(game, players, parameters)
        return language_called(table.game.language).rules(
            table.game, table.players, table.parameters
        )
    chosen = load(game)
    count = checked_players(chosen, players)
    values_by_name = by_name("parameters", parameters)
    check_names(values_by_name, chosen.Parameters.known_names())
    values = chosen.Parameters(count, **values_by_name)
    return language_called(chosen.language).rules(chosen, count, values)

"""``kibitz rules``: the rules of a game in words."""

from __future__ import annotations

from typing import Annotated

from kibitz.cli.options import (
    GameName,
    HtmlFile,
    MarkdownFile,
    ParameterOptions,
    PlayerCount,
    find_game,
    json_file,
)
from kibitz.cli.results import check_files, deliver


def rules(
    game: GameName,
    players: PlayerCount = None,
    *,
    parameters: ParameterOptions,
    json: Annotated[
        str | None,
        json_file("Write the rules here as JSON; '-' for standard output, without the text."),
    ] = None,
    markdown: MarkdownFile = None,
    html: HtmlFile = None,
) -> None:
    """Print the rules of a game in plain English.

    Of a game in RECYCLE they are written from the rules themselves: cards and
    places, the course of the game with every option and its conditions, the end
    and the winner, and the variants. In GDL every rule of a relation becomes a
    sentence. Of a game in Python it is what the game declares.

    Examples:
      kibitz rules agram
      kibitz rules hearts --players 3 --set pass=0
      kibitz rules mygame.rcy --html rules.html
      kibitz rules whist --json -
    """
    import kibitz
    from kibitz.reports.rules import document

    check_files(json, markdown, html=html)
    book = kibitz.rules(find_game(game), players=players, parameters=parameters.values())
    deliver(book, document(book), json, html=html, markdown=markdown)

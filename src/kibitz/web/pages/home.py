"""The first page: all games on shelves, and a search field."""

from __future__ import annotations

import asyncio
import functools
from html import escape

from nicegui import ui

from kibitz.core.game import Game
from kibitz.loading import games, language_called
from kibitz.web.hall import Hall
from kibitz.web.pages.frame import SLOW_PAGE, frame, shown

KINDS = {
    "cooperative": "Board games",
    "board game": "Board games",
    "card game": "Card games",
    "abstract": "Abstract games",
    "puzzle": "Puzzles",
}
"""The shelf for each category; a game is on that of its first category with a shelf."""
SHELVES = ("Your games", "Board games", "Card games", "Abstract games", "Puzzles", "More")


def register(hall: Hall) -> None:
    """Registers the page."""

    @ui.page("/", response_timeout=SLOW_PAGE)
    async def home() -> None:
        known = await asyncio.to_thread(all_games)
        own = hall.workspace.texts()
        with frame("Games", "Games"):
            shown(
                "<h1>Play anything, and watch it being judged</h1>"
                "<p class='lead'>Every game here is played against agents or friends, with a "
                "kibitzer beside the table. Write your own in the <a href='/workshop'>workshop"
                "</a>.</p>"
            )
            field = ui.input(placeholder="Search: a name, a kind, a mechanic")
            field.props('outlined clearable dense type="search" aria-label="Search games"')
            field.classes("search").style("max-width: 28rem; margin: 1.1rem 0 0")
            result = shown(shelves(known, own, ""))
            field.on_value_change(
                lambda event: result.set_content(shelves(known, own, event.value or ""))
            )


@functools.cache
def all_games() -> list[Game]:
    """All games that are installed."""
    return games()


def shelf_of(game: Game) -> str:
    """The shelf of a game."""
    return next((KINDS[c] for c in game.categories if c in KINDS), "More")


def shelves(known: list[Game], own: list[str], query: str) -> str:
    """The games that match all words of a query, on their shelves, as HTML.

    Args:
        own: the names of the files in the workspace.
        query: words that a game has in its name, title, categories, mechanics or description.
    """
    words = query.lower().split()
    cards: dict[str, list[str]] = {shelf: [] for shelf in SHELVES}
    for name in own:
        if all(word in name.lower() for word in words):
            cards["Your games"].append(
                f'<a class="gamecard" href="/file/{escape(name)}"><b>{escape(name)}</b>'
                "<span>from the workshop</span></a>"
            )
    for game in sorted(known, key=lambda game: (game.title or game.name).lower()):
        texts = (game.name, game.title, game.about(), *game.categories, *game.mechanics)
        searched = " ".join(texts).lower()
        if all(word in searched for word in words):
            cards[shelf_of(game)].append(_card(game))
    sections = [
        f'<h2>{shelf}</h2><div class="shelf">{"".join(row)}</div>'
        for shelf, row in cards.items()
        if row
    ]
    return "".join(sections) or '<p class="quiet">No game has these words.</p>'


def _card(game: Game) -> str:
    low, high = game.players
    players = f"{low}" if low == high else f"{low} to {high}"
    noun = "player" if (low, high) == (1, 1) else "players"
    language = language_called(game.language).title
    return (
        f'<a class="gamecard" href="/game/{escape(game.name)}"><b>{escape(game.title)}</b>'
        f"<span class='about'>{escape(game.about())}</span>"
        f'<span class="foot"><span>{players} {noun}</span><span>{language}</span></span></a>'
    )

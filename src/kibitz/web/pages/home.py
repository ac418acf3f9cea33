"""The first page: the viewer's tables, their own games, and all games with what selects them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import Any

from nicegui import ui

from kibitz.web.hall import Hall
from kibitz.web.pages.frame import SLOW_PAGE, clickable, frame, shown
from kibitz.web.shelf import LENGTHS, Selection, Tile, tiles
from kibitz.web.visits import REMEMBERED, Visit, forget, visits

MOST_PLAYERS = 6
"""The largest number of players that can be selected."""


def register(hall: Hall) -> None:
    """Registers the page."""

    @ui.page("/", response_timeout=SLOW_PAGE)
    async def home() -> None:
        known = await asyncio.to_thread(tiles)
        with frame("Games", "Games"):
            shown(
                "<h1>Play anything, and watch it being judged</h1>"
                "<p class='lead'>Every game here is played against agents or friends, with a "
                "kibitzer beside the table. Write your own in the <a href='/workshop'>workshop"
                "</a>.</p>"
            )
            visited = shown("")
            shown(_own_games(hall.workspace.texts()))
            shown("<h2>All games</h2>")
            Shelf(known)
            client = ui.context.client

            async def show_visits() -> None:
                remembered: Any = await client.run_javascript(REMEMBERED, timeout=10.0)
                kept = await asyncio.to_thread(visits, hall.workspace, remembered)
                visited.set_content(_visits(kept))

            async def forget_visit(id: str) -> None:
                client.run_javascript(forget(id))
                await show_visits()

            clickable(visited, forget_visit)
            client.on_connect(show_visits)


class Shelf:
    """All games as tiles, and the fields that select some of them.

    Args:
        known: the tiles of all games.
    """

    def __init__(self, known: Sequence[Tile]) -> None:
        self._known = known
        self._selection = Selection()
        with ui.element("div").classes("selectors"):
            field = ui.input(placeholder="Search: a name, a kind, a mechanic")
            field.props('outlined clearable dense type="search" aria-label="Search games"')
            field.classes("search")
            field.on_value_change(lambda event: self._select(words=event.value or ""))
            numbers = {0: "Any players"} | {
                n: f"{n} player{'s' * (n > 1)}" for n in range(1, MOST_PLAYERS + 1)
            }
            self._field("players", "Number of players", numbers)
            self._field("kind", "Kind", {"": "Any kind", **_each(t.kind for t in known)})
            self._field(
                "length",
                "Length",
                {"": "Any length", **{name: name.capitalize() for name in LENGTHS}},
            )
            languages = _each(tile.language for tile in known)
            self._field("language", "Language", {"": "Any language", **languages})
        self._count = shown("", "p").classes("quiet").props('role="status"')
        self._tiles = shown("").classes("shelf")
        self._select()

    def _field(self, name: str, label: str, choices: dict[Any, str]) -> None:
        """A field that selects by one attribute of the tiles."""
        field = ui.select(
            choices,
            value=next(iter(choices)),
            on_change=lambda event: self._select(**{name: event.value}),
        )
        field.props(f'outlined dense options-dense aria-label="{label}"')

    def _select(self, **changes: Any) -> None:
        self._selection = replace(self._selection, **changes)
        selected = self._selection.of(self._known)
        self._tiles.set_content("".join(map(_tile, selected)))
        self._count.set_content(
            f"{len(selected)} of {len(self._known)} games"
            if selected
            else "No game is like that: choose less."
        )


def _each(values: Any) -> dict[str, str]:
    """The different values as choices, in alphabetical order."""
    return {value: value for value in sorted(set(values))}


def _tile(tile: Tile) -> str:
    """A game as HTML."""
    picture = (
        f"<img src='{tile.picture}' alt='' loading='lazy' width='640' height='400'>"
        if tile.picture
        else f"<b aria-hidden='true'>{escape(tile.title[:1])}</b>"
    )
    facts = [tile.players_in_words, tile.length, tile.language]
    foot = "".join(f"<span>{escape(fact)}</span>" for fact in facts if fact)
    return (
        f'<a class="gamecard" href="/game/{escape(tile.name)}">'
        f'<span class="pictured">{picture}</span><b>{escape(tile.title)}</b>'
        f"<span class='about'>{escape(tile.about)}</span><span class='foot'>{foot}</span></a>"
    )


def _own_games(names: Sequence[str]) -> str:
    """The files with rules in the workspace, as HTML."""
    cards = "".join(
        f'<li><a href="/file/{escape(name)}">{escape(name)}</a>'
        f'<a class="quiet" href="/workshop/{escape(name)}">edit</a></li>'
        for name in names
    )
    return f"<h2>Your games</h2><ul class='kept-list'>{cards}</ul>" if cards else ""


def _visits(visits: Sequence[Visit]) -> str:
    """The tables that this browser has opened, as HTML."""
    rows = "".join(
        f"<li><a href='{escape(visit.address)}'>{escape(visit.title)}</a>"
        f"<span class='{'mine' if visit.is_due else 'quiet'}'>{escape(visit.standing)}</span>"
        f"<span class='quiet'>{escape(visit.players)}</span>"
        f"<button type='button' class='btn small' data-act='{escape(visit.id)}' "
        f"aria-label='Forget the table of {escape(visit.title)}'>Forget</button></li>"
        for visit in visits
    )
    return f"<h2>Your tables</h2><ul class='kept-list tables'>{rows}</ul>" if rows else ""

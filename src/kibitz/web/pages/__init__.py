"""The pages. ``register`` hands them to NiceGUI; a page's module has one function for each."""

from __future__ import annotations

from kibitz.web.hall import Hall
from kibitz.web.pages import game, home, match, review, runs, table, versions, workshop


def register(hall: Hall) -> None:
    """Registers all pages for the tables and texts of a hall."""
    for module in (game, home, match, review, runs, table, versions, workshop):
        module.register(hall)

"""Fields for what can be chosen at a table: the number of players, and the game's parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from kibitz.core.game import Game
from kibitz.core.parameters import Text, Tunable


class TableFields:
    """Fields for players and parameters.

    Args:
        game: whose.
        resized: is called with the number of players when it was changed.

    Attributes:
        players: as chosen.
    """

    def __init__(self, game: Game, resized: Callable[[int], None] = lambda players: None) -> None:
        self._values: dict[str, Any] = {}
        self._place: ui.element | None = None
        self._resized = resized
        low, high = game.players
        self.players = max(low, min(high, game.usual_players))
        if low < high:
            numbers = ui.select(
                {n: f"{n} player{'s' if n > 1 else ''}" for n in range(low, high + 1)},
                value=self.players,
                label="Players",
                on_change=lambda event: self._resize(event.value),
            )
            numbers.props("outlined dense").style("width: 100%")
        self._tunables = game.Parameters.tunables

    def place_parameters(self) -> None:
        """Makes the fields of the parameters here, if there are any."""
        if not self._tunables:
            return
        with ui.expansion("Rules that can be set").props("dense").style("margin: .8rem 0"):
            self._place = ui.element("div").classes("parameters")
        self._fill()

    def _fill(self) -> None:
        """Makes the fields: with what was set, or the default for so many players."""
        if self._place is None:
            return
        self._place.clear()
        with self._place:
            for name, tunable in self._tunables.items():
                self._field(name, tunable)

    @property
    def values(self) -> dict[str, Any]:
        """The parameters that were set."""
        return {name: value for name, value in self._values.items() if value is not None}

    def _resize(self, players: int) -> None:
        self.players = players
        self._fill()
        self._resized(players)

    def _field(self, name: str, tunable: Tunable) -> None:
        """A field for one parameter; what is as by default is not sent."""
        label = name.replace("_", " ")
        default = tunable.default_for(self.players)
        chosen = self.values.get(name)

        def keep(value: Any) -> None:
            self._values[name] = value

        made: Any
        if tunable.type is bool:
            made = ui.switch(
                label,
                value=default if chosen is None else chosen,
                on_change=lambda event: keep(event.value),
            )
        elif isinstance(tunable, Text) or not isinstance(tunable.values, range):
            words = [tunable.show(value) for value in tunable.values]
            made = ui.select(
                words,
                value=tunable.show(default) if chosen is None else chosen,
                label=label,
                on_change=lambda event: keep(event.value),
            )
            made.props("outlined dense")
        else:
            made = ui.number(
                label,
                value=default if chosen is None else chosen,
                min=min(tunable.values),
                max=max(tunable.values),
                step=tunable.values.step,
                on_change=lambda event: keep(event.value),
            )
            made.props("outlined dense")
        if tunable.doc:
            made.tooltip(tunable.doc)

"""Fields for the number of players and the parameters of a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from kibitz.web.games import Description, Field


class TableFields:
    """Fields for players and parameters.

    Args:
        resized: called with the number of players when it has changed.

    Attributes:
        players: the chosen number of players.
    """

    def __init__(
        self, game: Description, resized: Callable[[int], None] = lambda players: None
    ) -> None:
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
        self._fields = game.fields

    def place_parameters(self) -> None:
        """Makes the fields of the parameters here, if there are any."""
        if not self._fields:
            return
        with ui.expansion("Rules that can be set").props("dense").style("margin: .8rem 0"):
            self._place = ui.element("div").classes("parameters")
        self._fill()

    def _fill(self) -> None:
        """Makes the fields, with the values that were set or the defaults."""
        if self._place is None:
            return
        self._place.clear()
        with self._place:
            for name, field in self._fields.items():
                self._field(name, field)

    @property
    def values(self) -> dict[str, Any]:
        """The parameters that were set."""
        return {name: value for name, value in self._values.items() if value is not None}

    def _resize(self, players: int) -> None:
        self.players = players
        self._fill()
        self._resized(players)

    def _field(self, name: str, field: Field) -> None:
        """Makes the field of one parameter; defaults are not sent."""
        label = name.replace("_", " ")
        default = field.defaults[self.players]
        chosen = self.values.get(name)
        value = default if chosen is None else chosen

        def keep(value: Any) -> None:
            self._values[name] = value

        made: Any
        if field.kind == "switch":
            made = ui.switch(label, value=value, on_change=lambda event: keep(event.value))
        elif field.kind == "select":
            made = ui.select(
                list(field.words),
                value=value,
                label=label,
                on_change=lambda event: keep(event.value),
            )
            made.props("outlined dense")
        else:
            made = ui.number(
                label,
                value=value,
                min=field.least,
                max=field.most,
                step=field.step,
                on_change=lambda event: keep(event.value),
            )
            made.props("outlined dense")
        if field.doc:
            made.tooltip(field.doc)

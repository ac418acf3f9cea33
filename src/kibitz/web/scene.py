"""Pictures of a game, and the hints from which a page shows how things move between them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape

from kibitz.core.state import State
from kibitz.pictures import Motion, Picture, draw, motion


class OpenGame:
    """A game that is drawn with everything open.

    Attributes:
        states: the positions, in order.
    """

    states: Sequence[State]

    def draw(self, at: int, names: Sequence[str], width: int) -> Picture:
        """Draws a position.

        Args:
            at: its index in `states`.
            names: the names of the players.
            width: of the picture, in pixels.
        """
        return draw(self.states[at], None, width=width, names=names)


class Scene:
    """The pictures that a browser is shown, one after the other.

    Motion is derived from two successive pictures alone, so the hints reveal nothing that the
    browser was not shown.
    """

    def __init__(self) -> None:
        self._last: Picture | None = None

    def show(self, picture: Picture, milliseconds: int) -> str:
        """The next picture as HTML.

        Args:
            picture: the picture of the present position.
            milliseconds: duration of the motion from the last picture; 0: none is shown.
        """
        last, self._last = self._last, picture
        moved = motion(last, picture) if last is not None else Motion()
        hints = json.dumps((moved or Motion()).to_json(), separators=(",", ":"))
        wait = milliseconds if moved is not None else 0
        return f'<div data-motion="{escape(hints)}" data-milliseconds="{wait}">{picture.svg}</div>'

    def forget(self) -> None:
        """Drops the last picture, which the next viewer has not seen."""
        self._last = None

"""Pictures one after the other, with what a page needs to show how things move between them."""

from __future__ import annotations

import json
from html import escape

from kibitz.pictures import Motion, Picture, motion


class Scene:
    """The pictures that one browser is shown.

    What moves is found by comparing a picture with the last one, so that a browser is told
    nothing that it was not shown.
    """

    def __init__(self) -> None:
        self._last: Picture | None = None

    def show(self, picture: Picture, milliseconds: int) -> str:
        """The next picture as HTML.

        Args:
            picture: what is to be seen now.
            milliseconds: which a thing takes that moves; 0: all is where it is at once.
        """
        last, self._last = self._last, picture
        moved = motion(last, picture) if last is not None else Motion()
        hints = json.dumps((moved or Motion()).to_json(), separators=(",", ":"))
        wait = milliseconds if moved is not None else 0
        return f'<div data-motion="{escape(hints)}" data-milliseconds="{wait}">{picture.svg}</div>'

    def forget(self) -> None:
        """Begins anew: what was shown is not what the next viewer saw."""
        self._last = None

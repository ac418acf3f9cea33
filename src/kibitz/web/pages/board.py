"""The picture of a table on a page, and the steps through the positions of a game."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nicegui import events, ui

from kibitz.core.state import State
from kibitz.pictures import Picture, draw
from kibitz.web import validation
from kibitz.web.pages.frame import button, shown
from kibitz.web.scene import Scene

MOTIONS = {"slow": 1300, "usual": 450, "fast": 150, "step by step": 450}
"""Milliseconds that a card takes on its way, by pace."""
USUAL_WIDTH = 960
LEAST_WIDTH, MOST_WIDTH = 300, 2000
LEAST_CHANGE = 4
"""Pixels by which a place has to change for another picture."""


class Board:
    """The picture of a table, as wide as its place, in which things move.

    Args:
        picture: draws it with a width in pixels; ``None``: nothing is to be seen now.

    Attributes:
        element: the picture on the page.
        milliseconds: that a thing takes which moves; 0: all is where it is at once.
    """

    def __init__(self, picture: Callable[[int], Picture | None]) -> None:
        self._picture = picture
        self._width = USUAL_WIDTH
        self._scene = Scene()
        self.milliseconds = MOTIONS["usual"]
        self.element = shown("").classes("board")
        ui.element("q-resize-observer").on("resize", self._resized)

    def show(self) -> None:
        """Draws the picture as it is now. Where there is none, nothing stays in the browser."""
        picture = self._picture(self._width)
        if picture is None:
            self.element.set_content("")
            self._scene.forget()
        else:
            self.element.set_content(self._scene.show(picture, self.milliseconds))

    def _resized(self, event: events.GenericEventArguments) -> None:
        room = event.args.get("width") if isinstance(event.args, dict) else None
        width = validation.length(room, LEAST_WIDTH, MOST_WIDTH)
        if abs(width - self._width) > LEAST_CHANGE:
            self._width = width
            self.show()


class Stepper:
    """Goes through the positions of a game, with buttons and the arrow keys.

    Args:
        states: the positions, from the first; there may come more.
        names: what the players are called.
        shown: is called when another position is to be seen.
        at: the number of the position that is seen first.

    Attributes:
        at: the number of the position that is seen.
        board: its picture; everything in it is open.
    """

    board: Board

    def __init__(
        self, states: Sequence[State], names: Sequence[str], shown: Callable[[], None], at: int = 0
    ) -> None:
        self._states, self._names, self._shown = states, names, shown
        self.at = at
        ui.keyboard(on_key=self._pressed, ignore=["input", "select", "textarea"])

    @property
    def last(self) -> int:
        """The number of the last position."""
        return len(self._states) - 1

    def place_buttons(self) -> None:
        """Places the buttons here."""
        button("First", lambda: self.go(0))
        button("Back", lambda: self.go(self.at - 1))
        button("Next", lambda: self.go(self.at + 1))
        button("Last", lambda: self.go(self.last))

    def place_board(self) -> None:
        """Places the picture here."""
        self.board = Board(self._picture)

    def go(self, number: int) -> None:
        """Goes to the position with this number, or to the nearest that there is."""
        number = min(max(number, 0), self.last)
        if number != self.at:
            self.at = number
            self.show()

    def show(self) -> None:
        """Shows the position."""
        self.board.show()
        self._shown()

    def _picture(self, width: int) -> Picture:
        return draw(self._states[self.at], None, width=width, names=self._names)

    def _pressed(self, event: events.KeyEventArguments) -> None:
        if event.action.keydown:
            self.go(self.at + bool(event.key.arrow_right) - bool(event.key.arrow_left))

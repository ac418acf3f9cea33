"""The picture of a table on a page, and the steps through the positions of a game."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import background_tasks, events, ui

from kibitz.core.errors import KibitzError
from kibitz.pictures import Picture
from kibitz.web import validation
from kibitz.web.pages.frame import button, shown
from kibitz.web.scene import Scene

MOTIONS = {"slow": 1300, "usual": 450, "fast": 150, "step by step": 450}
"""Milliseconds that a card takes on its way, by pace."""
USUAL_WIDTH = 960
LEAST_WIDTH, MOST_WIDTH = 300, 2000
LEAST_CHANGE = 4
"""Pixels by which a place has to change for another picture."""


class StaleError(Exception):
    """What was to be drawn is not to be seen any more; something else will be drawn soon."""


class Board:
    """The picture of a table, as wide as its place, in which things move.

    Args:
        picture: draws it with a width in pixels; ``None``: nothing is to be seen now. It may raise
            ``StaleError``.

    Attributes:
        element: the picture on the page.
        milliseconds: that a thing takes which moves; 0: all is where it is at once.
    """

    def __init__(self, picture: Callable[[int], Awaitable[Picture | None]]) -> None:
        self._picture = picture
        self._width = USUAL_WIDTH
        self._scene = Scene()
        self._asked = self._drawn = 0
        self.milliseconds = MOTIONS["usual"]
        self.element = shown("").classes("board")
        ui.element("q-resize-observer").on("resize", self._resized)

    async def show(self) -> None:
        """Draws the picture as it is now. Where there is none, nothing stays in the browser."""
        self._asked += 1
        asked = self._asked
        try:
            picture = await self._picture(self._width)
        except (KibitzError, StaleError):
            return  # the page says that the game has ended, or is about to draw again
        if asked <= self._drawn:
            return  # a later one has been drawn already
        self._drawn = asked
        if picture is None:
            self.clear()
        else:
            self.element.set_content(self._scene.show(picture, self.milliseconds))

    def clear(self) -> None:
        """Takes the picture out of the browser."""
        self._drawn = self._asked
        self.element.set_content("")
        self._scene.forget()

    async def _resized(self, event: events.GenericEventArguments) -> None:
        room = event.args.get("width") if isinstance(event.args, dict) else None
        width = validation.length(room, LEAST_WIDTH, MOST_WIDTH)
        if abs(width - self._width) > LEAST_CHANGE:
            self._width = width
            await self.show()


class Stepper:
    """Goes through the positions of a game, with buttons and the arrow keys.

    Args:
        last: the number of the last position.
        picture: draws a position, given its number and a width in pixels.
        shown: is called when another position is to be seen.
        at: the number of the position that is seen first.

    Attributes:
        at: the number of the position that is seen.
        last: the number of the last position; there may come more.
        board: its picture; everything in it is open.
    """

    board: Board

    def __init__(
        self,
        last: int,
        picture: Callable[[int, int], Awaitable[Picture]],
        shown: Callable[[], Awaitable[None]],
        at: int = 0,
    ) -> None:
        self._draw, self._shown = picture, shown
        self.last, self.at = last, at
        ui.keyboard(on_key=self._pressed, ignore=["input", "select", "textarea"])

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
            background_tasks.create(self.show())

    async def show(self) -> None:
        """Shows the position."""
        await self.board.show()
        await self._shown()

    async def _picture(self, width: int) -> Picture:
        return await self._draw(self.at, width)

    def _pressed(self, event: events.KeyEventArguments) -> None:
        if event.action.keydown:
            self.go(self.at + bool(event.key.arrow_right) - bool(event.key.arrow_left))

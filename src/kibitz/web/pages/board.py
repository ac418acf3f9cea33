"""The picture of a table, and the buttons to step through the positions of a game."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import background_tasks, events, ui

from kibitz.core.errors import KibitzError
from kibitz.pictures import Picture
from kibitz.web import validation
from kibitz.web.pages.frame import button, shown
from kibitz.web.scene import Scene

MOTIONS = {"slow": 1300, "usual": 450, "fast": 150, "step by step": 450}
"""Duration of a moving card's animation in milliseconds, by pace."""
USUAL_WIDTH = 960
LEAST_WIDTH, MOST_WIDTH = 300, 2000
LEAST_CHANGE = 4
"""Minimum change of the width, in pixels, for which the picture is drawn again."""


class StaleError(Exception):
    """The picture to draw is out of date; another one will be drawn soon."""


class Board:
    """The animated picture of a table, as wide as its element.

    Args:
        picture: draws the picture with a width in pixels; returns ``None`` to show nothing. It may
            raise ``StaleError``.

    Attributes:
        element: the element of the picture on the page.
        milliseconds: the duration of animations; 0: none.
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
        """Draws the current picture, or clears it if there is nothing to show."""
        self._asked += 1
        asked = self._asked
        try:
            picture = await self._picture(self._width)
        except (KibitzError, StaleError):
            return  # the page says that the game has ended, or is about to draw again
        if asked <= self._drawn:
            return  # a later picture has been drawn already
        self._drawn = asked
        if picture is None:
            self.clear()
        else:
            self.element.set_content(self._scene.show(picture, self.milliseconds))

    def clear(self) -> None:
        """Removes the picture from the browser."""
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
        shown: called when another position is shown.
        at: the number of the position to show first.

    Attributes:
        at: the number of the position that is shown.
        last: the number of the last position, which may grow.
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
        """Goes to the position with this number, or to the nearest existing one."""
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

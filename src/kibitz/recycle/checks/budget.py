"""A limit on the work of all checks of a program, so that none takes long."""

from __future__ import annotations

MOST_WORK = 200_000
"""Half a second's work; the largest sensible games need a tenth of it."""


class TooMuchError(Exception):
    """A check would take too long."""


class Budget:
    """How much work may still be done."""

    def __init__(self, left: int = MOST_WORK) -> None:
        self.left = left

    def spend(self, work: int = 1) -> None:
        """Counts work against the limit.

        Raises:
            TooMuchError: it is more than is left.
        """
        self.left -= work
        if self.left < 0:
            raise TooMuchError

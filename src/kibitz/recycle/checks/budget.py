"""A limit on the total work of the checks of a program."""

from __future__ import annotations

MOST_WORK = 200_000
"""The work that all checks of a program may do together, which takes about half a second; the
largest sensible games need a tenth of it."""


class TooMuchError(Exception):
    """The error that the checks have used up their ``Budget``."""


class Budget:
    """The amount of work that the checks of a program may still do."""

    def __init__(self, work: int = MOST_WORK) -> None:
        self.remaining = work

    def spend(self, work: int = 1) -> None:
        """Subtracts work from the remaining amount.

        Raises:
            TooMuchError: The work exceeds the remaining amount.
        """
        self.remaining -= work
        if self.remaining < 0:
            raise TooMuchError

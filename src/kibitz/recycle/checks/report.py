"""The collection of the warnings that the checks of a program report."""

from __future__ import annotations

from kibitz.recycle.checks.reachable import Place
from kibitz.syntax.collecting import Diagnostics


class Report(Diagnostics):
    """The warnings reported so far, and data that checks share."""

    def __init__(self) -> None:
        super().__init__()
        self.swapped: set[Place] = set()
        """Sources of moves whose source and destination are probably swapped; the check of names
        reports no further warnings about them."""

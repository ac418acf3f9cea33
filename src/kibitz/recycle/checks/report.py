"""The collected results of the checks of a program."""

from __future__ import annotations

from kibitz.recycle.checks.reachable import Place
from kibitz.syntax.collecting import Diagnostics


class Report(Diagnostics):
    """The diagnostics found so far, and data that checks share."""

    def __init__(self) -> None:
        super().__init__()
        self.swapped: set[Place] = set()
        """Where moves take from and probably mean to go; so no more needs to be said of them."""

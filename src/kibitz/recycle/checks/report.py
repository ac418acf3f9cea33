"""What is collected while a program is checked."""

from __future__ import annotations

from kibitz.recycle.checks.reachable import Place
from kibitz.syntax.collecting import Diagnostics


class Report(Diagnostics):
    """The diagnostics found so far, and what checks tell each other."""

    def __init__(self) -> None:
        super().__init__()
        self.swapped: set[Place] = set()
        """Where moves take from and probably mean to go; so no more needs to be said of them."""

"""What is collected while a program is checked."""

from __future__ import annotations

from kibitz.recycle.checks.reachable import Place
from kibitz.syntax.source import Diagnostic, Severity, Span

MOST = 200
"""So many warnings are told; nobody reads more."""


class Report:
    """The diagnostics found so far, each once."""

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.left_out = 0
        """How many more there are."""
        self.swapped: set[Place] = set()
        """Where moves take from and probably mean to go; so no more needs to be said of them."""
        self._known: set[tuple[str, Span, str]] = set()

    def warn(
        self,
        code: str,
        span: Span,
        message: str,
        hint: str = "",
        notes: tuple[tuple[Span, str], ...] = (),
        severity: Severity = Severity.WARNING,
    ) -> None:
        """Adds a warning, unless it has been given already or there are too many to be read."""
        if (code, span, message) in self._known:
            return
        self._known.add((code, span, message))
        if len(self.diagnostics) >= MOST:
            self.left_out += 1
            return
        self.diagnostics.append(Diagnostic(severity, code, message, span, hint, notes))

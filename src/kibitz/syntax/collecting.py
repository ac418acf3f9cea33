"""The collection of the diagnostics that the checks of a text report."""

from __future__ import annotations

from kibitz.syntax.source import Diagnostic, Severity, Span

MOST = 200
"""The maximum number of errors, and of diagnostics before a warning is left out."""


class Diagnostics:
    """The diagnostics of a text, without duplicates and up to a maximum number.

    Attributes:
        diagnostics: The diagnostics to be shown, in the order in which they were added.
        left_out: How many further diagnostics were not kept because there were too many.
    """

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.left_out = 0
        self._errors = 0
        self._known: set[tuple[str, Span, str]] = set()

    @property
    def is_full(self) -> bool:
        """Whether further warnings are left out."""
        return len(self.diagnostics) >= MOST

    @property
    def has_most_errors(self) -> bool:
        """Whether further errors are left out; only errors count, so warnings displace none."""
        return self._errors >= MOST

    def error(
        self,
        code: str,
        span: Span,
        message: str,
        hint: str = "",
        notes: tuple[tuple[Span, str], ...] = (),
    ) -> None:
        """Adds an error, unless it is there already or ``has_most_errors``."""
        self._add(Diagnostic(Severity.ERROR, code, message, span, hint, notes))

    def warn(
        self,
        code: str,
        span: Span,
        message: str,
        hint: str = "",
        notes: tuple[tuple[Span, str], ...] = (),
    ) -> None:
        """Adds a warning, unless it is there already or ``is_full``."""
        self._add(Diagnostic(Severity.WARNING, code, message, span, hint, notes))

    def _add(self, diagnostic: Diagnostic) -> None:
        key = diagnostic.code, diagnostic.span, diagnostic.message
        if key in self._known:
            return
        self._known.add(key)
        if self.has_most_errors if diagnostic.is_error else self.is_full:
            self.left_out += 1
        else:
            self.diagnostics.append(diagnostic)
            self._errors += diagnostic.is_error

"""The diagnostics of a text, as its checks find them."""

from __future__ import annotations

from kibitz.syntax.source import Diagnostic, Severity, Span

MOST = 200
"""Errors that are reported, and diagnostics after which no more warnings are."""


class Diagnostics:
    """The diagnostics found so far, each once.

    Attributes:
        diagnostics: those that are told.
        left_out: how many more there are.
    """

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.left_out = 0
        self._errors = 0
        self._known: set[tuple[str, Span, str]] = set()

    @property
    def is_full(self) -> bool:
        """Whether no more warnings are reported."""
        return len(self.diagnostics) >= MOST

    @property
    def has_most_errors(self) -> bool:
        """Whether no more errors are reported: warnings never crowd out an error."""
        return self._errors >= MOST

    def error(
        self,
        code: str,
        span: Span,
        message: str,
        hint: str = "",
        notes: tuple[tuple[Span, str], ...] = (),
    ) -> None:
        """Adds an error, unless it has been given already or there are too many to be read."""
        self._add(Diagnostic(Severity.ERROR, code, message, span, hint, notes))

    def warn(
        self,
        code: str,
        span: Span,
        message: str,
        hint: str = "",
        notes: tuple[tuple[Span, str], ...] = (),
    ) -> None:
        """Adds a warning under the same conditions."""
        self._add(Diagnostic(Severity.WARNING, code, message, span, hint, notes))

    def _add(self, one: Diagnostic) -> None:
        key = one.code, one.span, one.message
        if key in self._known:
            return
        self._known.add(key)
        if self.has_most_errors if one.is_error else self.is_full:
            self.left_out += 1
        else:
            self.diagnostics.append(one)
            self._errors += one.is_error

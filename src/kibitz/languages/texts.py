"""The result of a check, for languages in which a game is a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kibitz.core.wording import counted, listed, printable
from kibitz.syntax.source import Diagnostic, Severity, Source, render, to_json


@dataclass
class TextCheckResult:
    """The result of reading and playing a text.

    Attributes:
        source: the text.
        diagnostics: errors, warnings and remarks.
        played: what was played, in a sentence, if anything was.
        trial: the same as JSON.
    """

    source: Source
    diagnostics: Sequence[Diagnostic]
    played: str = ""
    trial: dict[str, Any] | None = None

    complete = True

    def is_right(self, strict: bool) -> bool:
        """Whether there are no errors and, if strict, no warnings."""
        errors, warnings, _ = self._counts()
        return not errors and not (strict and warnings)

    def render(self, color: bool) -> str:
        """The diagnostics, errors first, and their numbers."""
        parts = [render(one, self.source, color=color) + "\n" for one in self._sorted()]
        if self.played:
            parts.append(printable(self.played))
        counts = zip(self._counts(), ("error", "warning", "remark"), strict=True)
        found = listed([counted(number, what) for number, what in counts if number])
        return "\n".join([*parts, f"{printable(self.source.name)}: {found or 'no problems'}."])

    def document(self, strict: bool) -> dict[str, Any]:
        """The same as JSON."""
        errors, warnings, remarks = self._counts()
        return {
            "file": self.source.name,
            "ok": self.is_right(strict),
            "errors": errors,
            "warnings": warnings,
            "remarks": remarks,
            "diagnostics": [to_json(one, self.source) for one in self._sorted()],
            **({} if self.trial is None else {"trial": self.trial}),
        }

    def _sorted(self) -> list[Diagnostic]:
        order = list(Severity)
        return sorted(self.diagnostics, key=lambda one: order.index(one.severity))

    def _counts(self) -> list[int]:
        return [sum(one.severity is severity for one in self.diagnostics) for severity in Severity]


def has_errors(diagnostics: Sequence[Diagnostic]) -> bool:
    """Whether there is an error among the diagnostics."""
    return any(one.is_error for one in diagnostics)

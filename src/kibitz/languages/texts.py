"""The result of a check of a game that is a text."""

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
        source: The text that was checked.
        diagnostics: Its errors, warnings and remarks.
        played: A sentence about the games that were played; empty if none were.
        trial: The results of these games as JSON.
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
        """The diagnostics, errors first, and how many there are of each severity."""
        blocks = [render(shown, self.source, color=color) + "\n" for shown in self._sorted()]
        if self.played:
            blocks.append(printable(self.played))
        counts = zip(self._counts(), ("error", "warning", "remark"), strict=True)
        summary = listed([counted(number, noun) for number, noun in counts if number])
        return "\n".join([*blocks, f"{printable(self.source.name)}: {summary or 'no problems'}."])

    def document(self, strict: bool) -> dict[str, Any]:
        """The diagnostics, their numbers and the trial as a JSON document."""
        errors, warnings, remarks = self._counts()
        return {
            "file": self.source.name,
            "ok": self.is_right(strict),
            "errors": errors,
            "warnings": warnings,
            "remarks": remarks,
            "diagnostics": [to_json(shown, self.source) for shown in self._sorted()],
            **({} if self.trial is None else {"trial": self.trial}),
        }

    def _sorted(self) -> list[Diagnostic]:
        """The diagnostics, the severest first."""
        order = list(Severity)
        return sorted(self.diagnostics, key=lambda diagnostic: order.index(diagnostic.severity))

    def _counts(self) -> list[int]:
        """The numbers of errors, warnings and remarks."""
        severities = [diagnostic.severity for diagnostic in self.diagnostics]
        return [severities.count(severity) for severity in Severity]


def has_errors(diagnostics: Sequence[Diagnostic]) -> bool:
    """Whether there is an error among the diagnostics."""
    return any(diagnostic.is_error for diagnostic in diagnostics)

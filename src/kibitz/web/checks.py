"""Texts of the workshop: starting points, and mistakes as marks in the editor and as a list."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from kibitz.core.errors import KibitzError
from kibitz.loading import games, language_for, languages
from kibitz.syntax.language import Language
from kibitz.syntax.source import Diagnostic, Severity, Source, Span

MOST_FINDINGS = 100
"""Problems that are marked and listed."""


def language_of_file(name: str) -> Language:
    """The language of a file in the workspace, by its suffix.

    Raises:
        KibitzError: its language is not edited here.
    """
    language = language_for(name)
    if language is None or language.runs_code:
        raise KibitzError(f"{name}: is not a file with rules that are edited here.")
    return language


@dataclass(frozen=True)
class Finding:
    """A mistake, or a probable one.

    Attributes:
        kind: ``error``, ``warning`` or ``remark``.
        start, end: the part of the text that it is about; never empty, unless the text is.
        line, column: where that is, from 1.
        message, hint: what is wrong, and what helps.
        mend: what would stand there instead, if that is known.
    """

    kind: str
    start: int
    end: int
    line: int
    column: int
    message: str
    hint: str
    mend: str | None


def find(name: str, text: str) -> list[Finding]:
    """The diagnostics of reading a text, errors first.

    Raises:
        KibitzError: it is in no language that is edited here.
    """
    source = Source(name, text)
    return _in_order(language_of_file(name).diagnose(source, None, {}), source)


def find_errors(name: str, text: str) -> list[Finding]:
    """The errors alone, which are found sooner than the rest.

    Raises:
        KibitzError: it is in no language that is edited here.
    """
    source = Source(name, text)
    return _in_order(language_of_file(name).errors(source), source)


def moved(findings: Sequence[Finding], before: str, after: str) -> list[Finding]:
    """The findings of a text that still hold for it after a change: those outside of the change.

    Args:
        findings: the problems of the earlier text.
        before: the earlier text.
        after: the present text.
    """
    most = min(len(before), len(after))
    same = next((n for n in range(most) if before[n] != after[n]), most)
    tail = next((n for n in range(most - same) if before[-1 - n] != after[-1 - n]), most - same)
    further = len(after) - len(before)
    unchanged = [finding for finding in findings if finding.end <= same]
    lines = after.count("\n") - before.count("\n")
    for finding in findings:
        if finding.start >= len(before) - tail and finding.end > same:
            start, end = finding.start + further, finding.end + further
            unchanged.append(replace(finding, line=finding.line + lines, start=start, end=end))
    return unchanged


def _in_order(diagnostics: list[Diagnostic], source: Source) -> list[Finding]:
    order = list(Severity)
    diagnostics.sort(
        key=lambda diagnostic: (order.index(diagnostic.severity), diagnostic.span.start)
    )
    return [_finding(diagnostic, source) for diagnostic in diagnostics[:MOST_FINDINGS]]


_MEANT = re.compile(r"Did you mean ('?[^\s?']+)\?")
_LAST_WORD = re.compile(r"([^\s()]+)\)*$")


def _finding(diagnostic: Diagnostic, source: Source) -> Finding:
    line, column = source.position(diagnostic.span.start)
    start = min(max(diagnostic.span.start, 0), max(0, len(source.text) - 1))
    end = min(max(diagnostic.span.end, start + 1), len(source.text))
    if start and source.piece(Span(start, end)).isspace():
        start, end = start - 1, start  # a mark on the end of a line would not be seen
    piece = source.piece(Span(start, end))
    mend = _mended(piece, diagnostic)
    return Finding(
        diagnostic.severity.value,
        start,
        end,
        line,
        column,
        diagnostic.message,
        diagnostic.hint,
        mend,
    )


def _mended(piece: str, diagnostic: Diagnostic) -> str | None:
    """The correction of `said`: a word spelt right, or one more ``)``."""
    if diagnostic.message.startswith("A ')' is missing here"):
        return f"{piece})"
    meant, word = _MEANT.match(diagnostic.hint), _LAST_WORD.search(piece)
    if (
        meant is None
        or word is None
        or (word[0] != piece and word[1] not in diagnostic.message.split())
    ):
        return None
    return piece[: word.start(1)] + meant[1] + piece[word.end(1) :]


def marks(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """The findings as decorations of the editor."""
    return [
        {
            "kind": "mark",
            "from": finding.start,
            "to": finding.end,
            "class": f"mark-{finding.kind}",
            "attributes": {"title": finding.message},
        }
        for finding in reversed(findings)
        if finding.end > finding.start
    ]


def listed(findings: Sequence[Finding], first: int = 0) -> str:
    """The findings as a list of buttons, which lead to their lines.

    Args:
        findings: the problems, in the order of the list.
        first: the number of the first one, by which its buttons name it.
    """
    if not findings:
        return '<p class="quiet">No problems.</p>'
    rows = []
    for number, finding in enumerate(findings, first):
        hint = f'<span class="hint">{escape(finding.hint)}</span>' if finding.hint else ""
        mend = (
            f'<button type="button" class="btn small" data-act="mend {number}">'
            f"Write {escape(finding.mend)}</button>"
            if finding.mend
            else ""
        )
        rows.append(
            f'<li><button type="button" class="finding {finding.kind}" data-act="place {number}">'
            f'<span class="where">{finding.line}:{finding.column}</span> '
            f"{escape(finding.message)}{hint}</button>{mend}</li>"
        )
    return f'<ul class="findings">{"".join(rows)}</ul>'


# --- starting points ------------------------------------------------------------------------


def starts() -> dict[str, str]:
    """The starting points of a new text: templates and library games, with titles by name."""
    titles = {
        f"template:{language.name}": f"A small game in {language.title}"
        for language in languages().values()
        if language.template and not language.runs_code
    }
    for game in games():
        if game.rules_text is not None:
            titles[game.name] = f"{game.title} ({languages()[game.language].title})"
    return titles


def start(name: str, title: str) -> tuple[str, str]:
    """The suffix and the text of a starting point.

    Args:
        name: as ``starts`` has it.
        title: of the new game, where it is made from a template.

    Raises:
        KibitzError: no starting point has this name.
    """
    kind, _, language_name = name.partition(":")
    if kind == "template" and language_name in languages():
        language = languages()[language_name]
        if language.template and not language.runs_code:
            text = (files("kibitz") / "templates" / language.template).read_text("utf-8")
            return Path(language.template).suffix, text.replace("My Game", title, 1)
    for game in games():
        if game.name == name and game.rules_text is not None:
            return game.rules_text
    raise KibitzError(f"There is nothing to start from called {name!r}.")

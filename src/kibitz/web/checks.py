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
"""That are marked and listed."""


def language_of_file(name: str) -> Language:
    """The language of a file in the workspace, by its suffix.

    Raises:
        KibitzError: it is none that is edited here.
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
        findings: of the text as it was.
        before: the text as it was.
        after: the text as it is.
    """
    most = min(len(before), len(after))
    same = next((n for n in range(most) if before[n] != after[n]), most)
    tail = next((n for n in range(most - same) if before[-1 - n] != after[-1 - n]), most - same)
    further = len(after) - len(before)
    left = [one for one in findings if one.end <= same]
    lines = after.count("\n") - before.count("\n")
    for one in findings:
        if one.start >= len(before) - tail and one.end > same:
            start, end = one.start + further, one.end + further
            left.append(replace(one, line=one.line + lines, start=start, end=end))
    return left


def _in_order(found: list[Diagnostic], source: Source) -> list[Finding]:
    order = list(Severity)
    found.sort(key=lambda one: (order.index(one.severity), one.span.start))
    return [_finding(one, source) for one in found[:MOST_FINDINGS]]


_MEANT = re.compile(r"Did you mean ('?[^\s?']+)\?")
_LAST_WORD = re.compile(r"([^\s()]+)\)*$")


def _finding(one: Diagnostic, source: Source) -> Finding:
    line, column = source.position(one.span.start)
    start = min(max(one.span.start, 0), max(0, len(source.text) - 1))
    end = min(max(one.span.end, start + 1), len(source.text))
    if start and source.piece(Span(start, end)).isspace():
        start, end = start - 1, start  # a mark on the end of a line would not be seen
    said = source.piece(Span(start, end))
    mend = _mended(said, one)
    return Finding(one.severity.value, start, end, line, column, one.message, one.hint, mend)


def _mended(said: str, one: Diagnostic) -> str | None:
    """The correction of `said`: a word spelt right, or one more ``)``."""
    if one.message.startswith("A ')' is missing here"):
        return f"{said})"
    meant, word = _MEANT.match(one.hint), _LAST_WORD.search(said)
    if meant is None or word is None or (word[0] != said and word[1] not in one.message.split()):
        return None
    return said[: word.start(1)] + meant[1] + said[word.end(1) :]


def marks(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """The findings as decorations of the editor."""
    return [
        {
            "kind": "mark",
            "from": one.start,
            "to": one.end,
            "class": f"mark-{one.kind}",
            "attributes": {"title": one.message},
        }
        for one in reversed(findings)
        if one.end > one.start
    ]


def listed(findings: Sequence[Finding], first: int = 0) -> str:
    """The findings as a list of buttons, which lead to their lines.

    Args:
        findings: in this order.
        first: the number of the first one, by which its buttons name it.
    """
    if not findings:
        return '<p class="quiet">No problems.</p>'
    rows = []
    for number, one in enumerate(findings, first):
        hint = f'<span class="hint">{escape(one.hint)}</span>' if one.hint else ""
        mend = (
            f'<button type="button" class="btn small" data-act="mend {number}">'
            f"Write {escape(one.mend)}</button>"
            if one.mend
            else ""
        )
        rows.append(
            f'<li><button type="button" class="finding {one.kind}" data-act="place {number}">'
            f'<span class="where">{one.line}:{one.column}</span> '
            f"{escape(one.message)}{hint}</button>{mend}</li>"
        )
    return f'<ul class="findings">{"".join(rows)}</ul>'


# --- starting points ------------------------------------------------------------------------


def starts() -> dict[str, str]:
    """The starting points of a new text: templates and library games, with titles by name."""
    found = {
        f"template:{language.name}": f"A small game in {language.title}"
        for language in languages().values()
        if language.template and not language.runs_code
    }
    for game in games():
        if game.rules_text is not None:
            found[game.name] = f"{game.title} ({languages()[game.language].title})"
    return found


def start(name: str, title: str) -> tuple[str, str]:
    """The suffix and the text of a starting point.

    Args:
        name: as ``starts`` has it.
        title: of the new game, where it is made from a template.

    Raises:
        KibitzError: there is none of this name.
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

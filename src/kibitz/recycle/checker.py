"""What is allowed, but probably not meant: the warnings of ``kibitz check``.

A comment ``;; ok: CODE`` at the end of the line that a warning is about, or alone on the line
above it, silences the warning: the code stands in brackets behind each.
"""

from __future__ import annotations

import re
from collections import defaultdict

from kibitz.recycle.checks import cards, choices, conditions, names, secrets, unused
from kibitz.recycle.checks.budget import TooMuchError
from kibitz.recycle.checks.knowledge import Knowledge
from kibitz.recycle.checks.report import Report
from kibitz.recycle.tree import Program
from kibitz.syntax.source import Diagnostic, Source, Span

_CHECKS = (names, cards, conditions, choices, secrets, unused)

_COMMENT = re.compile(r"^([^;\r\n]*);[; \t]*ok:([^\r\n]*)", re.MULTILINE)


def check(program: Program) -> list[Diagnostic]:
    """The warnings about a program, by their places; those that a comment silences left out."""
    report = Report()
    try:
        knowledge = Knowledge(program)
        for one in _CHECKS:
            one.check(knowledge, report)
    except TooMuchError:
        report.warn(
            "unchecked",
            Span(0, 0),
            "This game is too large to be checked for everything.",
            "What is told here is right, but there may be more.",
        )
    return silenced(report.diagnostics, program.source)


def silenced(diagnostics: list[Diagnostic], source: Source) -> list[Diagnostic]:
    """The diagnostics in order, without those that are said to be all right."""
    allowed = _allowed(source)
    left = []
    for one in sorted(diagnostics, key=lambda one: one.span):
        first, _ = source.position(one.span.start)
        last, _ = source.position(max(one.span.start, one.span.end - 1))
        if one.is_error or not {first, last} & allowed.get(one.code, set()):
            left.append(one)
    return left


def _allowed(source: Source) -> dict[str, set[int]]:
    """For each code the lines about which it is not to be told."""
    found: dict[str, set[int]] = defaultdict(set)
    for comment in _COMMENT.finditer(source.text):
        line, _ = source.position(comment.start())
        for code in re.findall(r"[a-z]+(?:-[a-z]+)*", comment[2]):
            found[code].add(line)
            if not comment[1].strip():
                found[code].add(line + 1)
    return found

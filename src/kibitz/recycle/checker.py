"""The warnings of ``kibitz check``: what is allowed, but probably a mistake.

A comment ``;; ok: CODE`` silences the warnings of that code (it stands in brackets behind each)
about the step or the condition before it on its line; alone on a line, about what begins on the
next one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from kibitz.recycle.checks import cards, choices, conditions, moves, names, secrets, unused
from kibitz.recycle.checks.budget import TooMuchError
from kibitz.recycle.checks.reachable import Knowledge
from kibitz.recycle.checks.report import Report
from kibitz.recycle.parser import parse
from kibitz.recycle.tree import Program
from kibitz.recycle.words import LEXICON
from kibitz.syntax.sexpr import Form, forms, read
from kibitz.syntax.source import Diagnostic, Severity, Source, Span

_CHECKS = (moves, names, cards, conditions, choices, secrets, unused)

_COMMENT = re.compile(r"[; \t]*ok:(?P<codes>[^\r\n]*)")
_CODE = re.compile(r"[a-z]+(?:-[a-z]+)*")
_WHOLE = frozenset(
    ("and", "or", "not", "==", "!=", "<", ">", "<=", ">=", "end", "scoring", "declare", "create")
    + ("move", "remember", "forget", "shuffle", "turn", "set", "inc", "dec", "put", "cycle")
    + ("repeat", "swap", "reveal", "initialize")
)
"""Words of forms about which a comment speaks as a whole, over however many lines they go."""


def diagnose(
    source: Source, players: int | None = None, values: Mapping[str, int] | None = None
) -> list[Diagnostic]:
    """All errors and warnings about a text that need no play, by their places.

    Args:
        source: the text.
        players: how many play; else what holds for the usual, the least and the most.
        values: parameters of the game that are not as usual.

    Raises:
        ParameterError: the game is not for so many players, or has no such parameter.
    """
    found: dict[Diagnostic, None] = {}
    tables: list[int | None] = [players]
    while tables:
        program, problems = parse(source, tables.pop(), values)
        found.update(dict.fromkeys(problems))
        if program is None:
            break
        found.update(dict.fromkeys(check(program)))
        if players is None:
            players = program.players
            others = {program.least_players, program.most_players} - {players}
            tables += sorted(others)
    return silenced(list(found), source)


def check(program: Program) -> list[Diagnostic]:
    """The warnings about a program, by their places; those that a comment silences left out."""
    report = Report()
    try:
        knowledge = Knowledge(program)
        for one in _CHECKS:
            one.check(knowledge, report)
    except TooMuchError:
        unchecked = Diagnostic(
            Severity.WARNING,
            "unchecked",
            "This game is too large to be checked for everything.",
            Span(0, 0),
            "What is told here is right, but there may be more.",
        )
        report.diagnostics.append(unchecked)
    if report.left_out:
        end = Span(len(program.source.text), len(program.source.text))
        message = f"There are {report.left_out} more warnings, which are not shown."
        report.diagnostics.append(Diagnostic(Severity.WARNING, "more", message, end))
    return silenced(report.diagnostics, program.source)


def silenced(diagnostics: Sequence[Diagnostic], source: Source) -> list[Diagnostic]:
    """The diagnostics by their places, without the warnings that are said to be all right."""
    allowed = _allowed(source)
    left = []
    for one in sorted(diagnostics, key=lambda one: one.span):
        first, _ = source.position(one.span.start)
        last, _ = source.position(max(one.span.start, one.span.end - 1))
        if one.is_error or not {first, last} & allowed.get(one.code, set()):
            left.append(one)
    return left


def _allowed(source: Source) -> dict[str, set[int]]:
    """For each code the lines about which it is silenced."""
    found: dict[str, set[int]] = defaultdict(set)
    if "ok:" not in source.text:
        return found
    whole = [
        form
        for top in read(source, LEXICON).forms
        if isinstance(top, Form)
        for form in forms(top)
        if form.head in _WHOLE
    ]
    last, _ = source.position(len(source.text))
    lines = [source.line(number) for number in range(1, last + 1)]
    for number, line in enumerate(lines, start=1):
        code, semicolon, comment = line.partition(";")
        says = _COMMENT.match(comment) if semicolon else None
        if says is None:
            continue
        about = number
        while not code.strip() and about < len(lines):
            about += 1
            code = lines[about - 1].partition(";")[0]
        covered = {about, *_covered(source, whole, about, number == about)}
        for word in _CODE.findall(says["codes"]):
            found[word] |= covered
    return found


def _covered(source: Source, whole: Sequence[Form], line: int, trailing: bool) -> Iterator[int]:
    """The lines of the forms that a comment is about.

    Args:
        source: the text.
        whole: the forms that can be.
        line: that the comment is about.
        trailing: whether it stands at the end of it, behind the forms, or before them.
    """
    text = source.line(line).partition(";")[0]
    start = source.offset(line, 1)
    for form in whole:
        first, _ = source.position(form.span.start)
        last, _ = source.position(form.span.end - 1)
        if trailing and last == line:
            rest = text[form.span.end - start :]
        elif not trailing and first == line:
            rest = text[: form.span.start - start]
        else:
            continue
        if not rest.strip("() ,\t"):
            yield from range(first, last + 1)

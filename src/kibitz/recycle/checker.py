"""The checks of a text: errors, and warnings about rules that are probably not intended.

A comment ``;; ok: CODE`` silences the warnings with that code, which is shown in brackets behind a
warning. It applies to the step or condition before it on its line. Alone on a line, it applies to
the form that begins on the next line of code.
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

_OF_VALUES = frozenset(
    ("constant-condition", "contradiction", "dead-choice", "dead-option", "never-equal")
)
"""Codes of warnings about values, which a parameter of a function may have in one call only."""
_COMMENT = re.compile(r"[; \t]*ok:(?P<codes>[^\r\n]*)")
_CODE = re.compile(r"[a-z]+(?:-[a-z]+)*")
_WHOLE = frozenset(
    ("and", "or", "not", "==", "!=", "<", ">", "<=", ">=", "end", "scoring", "declare", "create")
    + ("move", "remember", "forget", "shuffle", "turn", "set", "inc", "dec", "put", "cycle")
    + ("repeat", "swap", "reveal", "tell", "initialize")
)
"""The first words of forms that a comment silences as a whole, even over several lines."""


def diagnose(
    source: Source, players: int | None = None, values: Mapping[str, int] | None = None
) -> list[Diagnostic]:
    """All errors and warnings about a text that are found without playing, by their places.

    Args:
        source: The text of the game.
        players: The number of players; ``None`` combines the diagnostics for the usual, the
            smallest and the largest number.
        values: Values of parameters that differ from the defaults.

    Raises:
        ParameterError: The game does not allow this number of players or has no such parameter.
    """
    diagnostics: dict[Diagnostic, None] = {}
    tables: list[int | None] = [players]
    while tables:
        program, problems = parse(source, tables.pop(), values)
        diagnostics.update(dict.fromkeys(problems))
        if program is None:
            break
        diagnostics.update(dict.fromkeys(check(program)))
        if players is None:
            players = program.players
            others = {program.least_players, program.most_players} - {players}
            tables += sorted(others)
    return silenced(list(diagnostics), source)


def check(program: Program) -> list[Diagnostic]:
    """The warnings about a program, by their places, without those that a comment silences."""
    report = Report()
    try:
        knowledge = Knowledge(program)
        for module in _CHECKS:
            module.check(knowledge, report)
    except TooMuchError:
        unchecked = Diagnostic(
            Severity.WARNING,
            "unchecked",
            "This game is too large to be checked for everything.",
            Span(0, 0),
            "What is told here is right, but there may be more.",
        )
        report.diagnostics.append(unchecked)
    report.diagnostics = [d for d in report.diagnostics if not _is_of_a_call(d, program)]
    if report.left_out:
        end = Span(len(program.source.text), len(program.source.text))
        message = f"There are {report.left_out} more warnings, which are not shown."
        report.diagnostics.append(Diagnostic(Severity.WARNING, "more", message, end))
    return silenced(report.diagnostics, program.source)


def _is_parametric(definition: Form) -> bool:
    """Whether a function has parameters, so its body is read with different values."""
    head = definition.items[1]
    return isinstance(head, Form) and len(head.items) > 1


def _is_of_a_call(warning: Diagnostic, program: Program) -> bool:
    """Whether a warning may be true only of some calls of the function in which it stands."""
    return warning.code in _OF_VALUES and any(
        form.span.start <= warning.span.start and warning.span.end <= form.span.end
        for form in program.functions
        if _is_parametric(form)
    )


def silenced(diagnostics: Sequence[Diagnostic], source: Source) -> list[Diagnostic]:
    """The diagnostics by their places, without the warnings that a comment silences."""
    allowed = _allowed(source)
    remaining = []
    for diagnostic in sorted(diagnostics, key=lambda diagnostic: diagnostic.span):
        first, _ = source.position(diagnostic.span.start)
        last, _ = source.position(max(diagnostic.span.start, diagnostic.span.end - 1))
        if diagnostic.is_error or not {first, last} & allowed.get(diagnostic.code, set()):
            remaining.append(diagnostic)
    return remaining


def _allowed(source: Source) -> dict[str, set[int]]:
    """The lines on which warnings are silenced, by code."""
    allowed: dict[str, set[int]] = defaultdict(set)
    if "ok:" not in source.text:
        return allowed
    candidates = [
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
        covered = {about, *_covered(source, candidates, about, number == about)}
        for word in _CODE.findall(says["codes"]):
            allowed[word] |= covered
    return allowed


def _covered(
    source: Source, candidates: Sequence[Form], line: int, trailing: bool
) -> Iterator[int]:
    """The lines of the forms that a comment silences.

    Args:
        source: The text of the game.
        candidates: The forms that a comment silences as a whole.
        line: The line to which the comment applies.
        trailing: Whether the comment is at the end of that line, not on a line before it.
    """
    text = source.line(line).partition(";")[0]
    start = source.offset(line, 1)
    for form in candidates:
        first, _ = source.position(form.span.start)
        last, _ = source.position(form.span.end - 1)
        if trailing and last == line:
            beside = text[form.span.end - start :]
        elif not trailing and first == line:
            beside = text[: form.span.start - start]
        else:
            continue
        if not beside.strip("() ,\t"):
            yield from range(first, last + 1)

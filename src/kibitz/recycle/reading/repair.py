"""The search for wrong parentheses in a text with errors.

A missing or surplus parenthesis causes errors in everything behind it. If a text has errors, the
reader and the indentation suggest changes of parentheses. Each change is tried, the one that
leaves the fewest errors is reported, and the text is read as if the change had been made.
"""

from __future__ import annotations

import bisect
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from kibitz.core.wording import MOST_QUOTED, printable
from kibitz.recycle.reading.context import MISSING_AROUND, Mend, Problem
from kibitz.recycle.reading.skeleton import Skeleton
from kibitz.recycle.tree import Program
from kibitz.syntax.sexpr import Nesting, Token, arrange, complaints, suspects
from kibitz.syntax.source import Diagnostic, Severity, Source, Span

_MOST_TOKENS = 80_000
"""The maximum number of tokens that all attempts together read, which limits the time."""
_MOST_MENDS = 20
"""The maximum number of changes of a text."""
_MOST_CANDIDATES = 8
"""The maximum number of changes that the indentation suggests at a time."""


@dataclass
class Attempt:
    """One reading of a text, with the changes of its parentheses made so far.

    Attributes:
        source: The text that is read.
        tokens: The tokens of the text after the changes.
        reader: The reader, which has read the tokens.
        mended: The errors that report the changes.
        nesting: The tokens as nested forms.
        program: The program; ``None`` if there are errors.
    """

    source: Source
    tokens: Sequence[Token]
    reader: Skeleton
    mended: tuple[Diagnostic, ...] = ()
    nesting: Nesting = field(init=False)
    program: Program | None = field(init=False)

    def __post_init__(self) -> None:
        self.nesting = arrange(self.tokens)
        forms = self.reader.prepare(self.nesting.forms)
        self.program = None if forms is None else self.reader.game(forms)
        if forms is not None and self.program is None:
            self.reader.look_for_surplus(forms)
            self.reader.forgive()

    @property
    def problems(self) -> list[Problem]:
        """The problems that wrong parentheses may cause, in the order of the text."""
        structural = [problem for problem in self.reader.problems if problem.is_structural]
        return sorted(structural, key=lambda problem: problem.diagnostic.span)

    @property
    def wrong(self) -> int:
        """The number of errors and of unmatched parentheses."""
        unbalanced = len(self.nesting.unclosed) + len(self.nesting.superfluous)
        return self.reader.errors + unbalanced

    @property
    def reached(self) -> int:
        """The offset of the first problem that a wrong parenthesis may cause."""
        problems = self.problems
        return problems[0].diagnostic.span.start if problems else len(self.source.text)

    @property
    def score(self) -> tuple[int, int]:
        """A measure by which attempts are compared; the lower one is better."""
        return -self.reached, self.wrong

    @functools.cached_property
    def contradictions(self) -> int:
        """The number of places where the indentation contradicts the parentheses."""
        return len(suspects(self.source, self.tokens, single=True))

    def mention(self, others: Sequence[Attempt]) -> None:
        """Adds a note on another line where a change helps as much, if indentation is no guide."""
        last = self.mended[-1]
        line, _ = self.source.position(last.span.start)
        for other in others:
            place = other.mended[-1].span
            if other.score == self.score and self.source.position(place.start)[0] != line:
                if self.contradictions:
                    noted = replace(last, notes=(*last.notes, (place, "Or it is wrong here.")))
                    self.mended = (*self.mended[:-1], noted)
                return

    def diagnostics(self) -> list[Diagnostic]:
        """All diagnostics of the text, in the order of their places."""
        severity = Severity.WARNING if self.program is not None else Severity.ERROR
        unbalanced = complaints(self.source, self.tokens, self.nesting, severity)
        reported = [problem.diagnostic for problem in self.reader.problems]
        if self.nesting.too_deep is not None:  # parts are missing because they were not read
            reported = []
        shown = sorted(
            [*self.mended, *unbalanced, *reported], key=lambda diagnostic: diagnostic.span
        )
        if self.reader.left_out:
            end = Span(len(self.source.text), len(self.source.text))
            message = f"There are {self.reader.left_out} more problems, which are not shown."
            shown.append(Diagnostic(severity, "more", message, end))
        return shown


def mended(first: Attempt, reader: Callable[[], Skeleton]) -> Attempt:
    """The best attempt: the first one, or one with some parentheses changed.

    Args:
        first: The reading of the text without changes.
        reader: A function that makes a new reader.
    """
    best = current = first
    read = len(first.tokens)
    while len(current.mended) < _MOST_MENDS:
        step: Attempt | None = None
        others: list[Attempt] = []
        for problem, mend in _candidates(current):
            if read + len(current.tokens) > _MOST_TOKENS:
                break
            trial = reader()
            attempt = _attempt(current, trial, problem, mend)
            read += len(current.tokens) + trial.written
            if attempt is None:
                continue
            others.append(attempt)
            if step is None or _is_better(attempt, step):
                step = attempt
        if step is None or step.score >= current.score:
            break
        step.mention(others)
        current = step
        if current.wrong + len(current.mended) <= best.wrong + len(best.mended):
            best = current
    # changes are no repair if they cause new errors, or if there are more of them than errors
    new = current.wrong - (first.wrong - len(first.problems))
    is_repair = not current.problems and len(current.mended) <= first.wrong
    return current if is_repair and new <= len(current.mended) / 3 else best


def _is_better(first: Attempt, second: Attempt) -> bool:
    """Whether an attempt has fewer errors or, with as many, agrees more with the indentation."""
    if first.score != second.score:
        return first.score < second.score
    return first.contradictions < second.contradictions


def _candidates(attempt: Attempt) -> list[tuple[Problem | None, Mend]]:
    """Changes that the first problems suggest, and the indentation before them."""
    problems = attempt.problems
    suggested = [(problem, mend) for problem in problems[:3] for mend in problem.mends]
    # a wrong parenthesis causes problems at its place or behind it
    limit = problems[min(1, len(problems) - 1)].diagnostic.span.end if problems else None
    indented = [
        (None, Mend(offset, change))
        for offset, change in suspects(attempt.source, attempt.tokens, single=True)
        if limit is None or offset <= limit
    ]
    closings = [
        (problem, Mend(token.span.start, "remove"))
        for problem in problems[:2]
        for token in _last_closing(attempt.tokens, problem.diagnostic.span.start)
    ]
    distinct: dict[tuple[object, ...], tuple[Problem | None, Mend]] = {}
    for cause, mend in [*suggested, *indented[-_MOST_CANDIDATES:], *closings]:
        index = bisect.bisect_left(attempt.tokens, mend.offset, key=_start)
        if mend.change in ("close", "remove"):
            # it does not matter which ')' of several in a row is changed
            while 0 < index < len(attempt.tokens) and attempt.tokens[index - 1].text == ")":
                index -= 1
        distinct.setdefault((index, mend.change, mend.around), (cause, mend))
    return list(distinct.values())


def _start(token: Token) -> int:
    return token.span.start


def _last_closing(tokens: Sequence[Token], offset: int) -> list[Token]:
    """The last ')' before an offset, in a list that may be empty."""
    index = bisect.bisect_left(tokens, offset, key=_start)
    return next(([token] for token in reversed(tokens[:index]) if token.text == ")"), [])


def _attempt(
    before: Attempt, reader: Skeleton, problem: Problem | None, mend: Mend
) -> Attempt | None:
    """The text read with one more change; ``None`` if there is no ')' to remove."""
    tokens = list(before.tokens)
    index = next(
        (i for i, token in enumerate(tokens) if token.span.start >= mend.offset), len(tokens)
    )
    if mend.change == "remove":
        if index == len(tokens) or tokens[index].text != ")" or _is_added(tokens[index]):
            return None
        where = tokens.pop(index).span
    elif mend.change == "close":
        end = tokens[index - 1].span.end if index else 0
        where = Span(end, end)
        tokens.insert(index, Token(")", where))
    else:
        where = Span(mend.offset, mend.offset)
        before_it, behind = mend.around
        if mend.change == "wrap":
            last = bisect.bisect_left(tokens, mend.until, key=_start)
            tokens[last:last] = [Token(text, Span(mend.until, mend.until)) for text in behind]
            tokens[index:index] = [Token(text, where) for text in before_it]
        else:
            tokens.insert(index, Token("(", where))
    diagnostic = _describe(before, problem, mend, index, where)
    return Attempt(before.source, tokens, reader, (*before.mended, diagnostic))


def _is_added(token: Token) -> bool:
    """Whether a change has inserted a token."""
    return token.span.start == token.span.end


def _describe(
    before: Attempt, problem: Problem | None, mend: Mend, index: int, where: Span
) -> Diagnostic:
    """The error that reports a change: a missing or surplus parenthesis."""
    hint = "The indentation of what follows says so."
    if problem is not None:
        shown = problem.diagnostic
        hint = shown.hint if "looks like" in shown.hint else shown.message
        if shown.code == "missing-do":
            hint = "Only one step can stand in it; several stand in (do (STEP ...))."
    if problem is not None and mend.change == "wrap" and problem.diagnostic.code in MISSING_AROUND:
        return problem.diagnostic
    if mend.change == "wrap":
        span = Span(mend.offset, mend.until)
        inside = printable(" ".join(before.source.piece(span).split()), MOST_QUOTED)
        message = f"Parentheses are missing around '{inside}'."
        return Diagnostic(Severity.ERROR, "unbalanced", message, span, hint)
    if mend.change == "open":
        message = f"A '(' is missing here. {problem.diagnostic.message if problem else ''}"
        return Diagnostic(Severity.ERROR, "unbalanced", message.strip(), where, hint)
    opening = _open_at(before.tokens, index)
    notes: tuple[tuple[Span, str], ...] = ()
    name = "a form"
    if opening is not None:
        line, _ = before.source.position(opening.start)
        name = f"'{_beginning(before.source, opening)}' of line {line}"
        notes = ((opening, "It begins here."),)
    if mend.change == "close":
        message = f"A ')' is missing here: {name} should end."
    else:
        message = f"This ')' is too many: it closes {name}, which should go on."
    return Diagnostic(Severity.ERROR, "unbalanced", message, where, hint, notes)


def _open_at(tokens: Sequence[Token], index: int) -> Span | None:
    """The last parenthesis that is still open before the token at an index."""
    stack: list[Span] = []
    for token in tokens[:index]:
        if token.text == "(":
            stack.append(token.span)
        elif token.text == ")" and stack:
            stack.pop()
    return stack[-1] if stack else None


def _beginning(source: Source, opening: Span) -> str:
    """An opening parenthesis and the first word behind it."""
    text = source.text[opening.start : opening.start + 40].split()
    return printable(text[0] if text[0] != "(" else " ".join(text[:2]), 20)

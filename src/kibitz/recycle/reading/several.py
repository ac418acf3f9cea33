"""Errors about several steps or conditions where one is allowed, because a word is missing."""

from __future__ import annotations

from collections.abc import Sequence

from kibitz.recycle.reading.context import Elaborator, Mend
from kibitz.recycle.words import is_word
from kibitz.syntax.sexpr import Form, Node
from kibitz.syntax.source import Span

COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")
_CONDITIONS = (*COMPARISONS, "and", "or", "not")
_LOOPS = ("any", "all", "let")
_SHORT = 32
"""The maximum length of a step that a message quotes; of a longer one it quotes the first word."""
_MOST_SHOWN = 3
"""The maximum number of steps that a message quotes."""


def is_condition(node: Node) -> bool:
    """Whether the first word of a form shows that it is a condition."""
    if not isinstance(node, Form):
        return False
    if node.head in ("any", "all") and len(node.items) == 4:
        return is_condition(node.items[3])
    return node.head in _CONDITIONS


def is_step(node: Node, words: Sequence[str]) -> bool:
    """Whether a form is a step, that is, does something.

    Args:
        node: A part of the text.
        words: The first words of actions.
    """
    if not isinstance(node, Form) or not node.items:
        return False
    if node.head in _LOOPS:
        return len(node.items) > 3 and is_step(node.items[3], words)
    if isinstance(node.items[0], Form):  # (CONDITION STEP)
        return len(node.items) > 1 and is_step(node.items[1], words)
    return node.head in words


def report_steps(
    reader: Elaborator, steps: Sequence[Node], owner: tuple[Span, str], mends: Sequence[Mend] = ()
) -> None:
    """Reports that ``(do (...))`` is missing around steps.

    Args:
        reader: The reader that reports the error.
        steps: Two or more steps.
        owner: The span of the form that contains the steps, and a note about it.
        mends: Other changes that might fix the error.
    """
    span = Span(steps[0].span.start, steps[-1].span.end)
    around = Mend(span.start, "wrap", span.end, (("(", "do", "("), (")", ")")))
    reader.error(
        span,
        "missing-do",
        f"Here are {len(steps)} steps where one can stand: '(do (...))' is missing around them.",
        f"Write: {_written(reader, '(do (', steps, '))')}.",
        [owner],
        [around, *mends],
    )


def report_list(reader: Elaborator, form: Form) -> None:
    """Reports that ``do`` is missing before steps in parentheses."""
    around = Mend(form.span.start, "wrap", form.span.end, (("(", "do"), (")",)))
    reader.error(
        form,
        "missing-do",
        "Steps stand in parentheses here, and the word 'do' is missing before them.",
        f"Write: {_written(reader, '(do (', form.items, '))')}.",
        mends=[around],
    )


def report_bare(reader: Elaborator, form: Form) -> None:
    """Reports that parentheses are missing around the steps of a ``do`` or a ``choice``."""
    steps = form.items[1:]
    noun = "options" if form.head == "choice" else "steps"
    reader.error(
        steps[0],
        "missing-parenthesis",
        f"The {noun} of a '{form.head}' stand in parentheses of their own, even a single one.",
        f"Write: {_written(reader, f'({form.head} (', steps, '))')}.",
        mends=[
            Mend(steps[0].span.start, "wrap", steps[-1].span.end),
            Mend(steps[0].span.start, "open"),
        ],
    )


def report_conditions(
    reader: Elaborator, conditions: Sequence[Node], mends: Sequence[Mend] = ()
) -> None:
    """Reports that ``(and ...)`` is missing around conditions."""
    span = Span(conditions[0].span.start, conditions[-1].span.end)
    around = Mend(span.start, "wrap", span.end, (("(", "and"), (")",)))
    reader.error(
        span,
        "missing-and",
        f"Here are {len(conditions)} conditions where one can stand.",
        f"If all should hold, write: {_written(reader, '(and ', conditions, ')')}; if one is"
        " enough, with 'or'.",
        mends=[around, *mends],
    )


def report_no_condition(reader: Elaborator, clause: Form) -> None:
    """Reports that the condition of a clause of dialect A is missing before its actions."""
    start = clause.items[0].span.start
    reader.error(
        clause,
        "missing-condition",
        "A clause begins with a condition, or with () if there is none.",
        f"Write: {_written(reader, '(() ', clause.items, ')')}.",
        mends=[Mend(start, "wrap", start, (("(", ")"), ()))],
    )


def report_condition(reader: Elaborator, nodes: Sequence[Node]) -> None:
    """Reports that parentheses are missing around a condition and its body."""
    span = Span(nodes[0].span.start, nodes[-1].span.end)
    reader.error(
        span,
        "missing-parenthesis",
        "A condition and what is done if it holds stand in parentheses together.",
        f"Write: {_written(reader, '(', nodes, ')')}.",
        mends=[Mend(span.start, "open"), Mend(span.start, "wrap", span.end)],
    )


def _written(reader: Elaborator, before: str, nodes: Sequence[Node], after: str) -> str:
    """The corrected source for a message, shortened."""
    shown = [_brief(reader, node) for node in nodes[:_MOST_SHOWN]]
    if len(nodes) > _MOST_SHOWN:
        shown.append("...")
    return f"{before}{' '.join(shown)}{after}"


def _brief(reader: Elaborator, node: Node) -> str:
    text = reader.show(node, _SHORT + 1)
    if len(text) <= _SHORT or not isinstance(node, Form):
        return text
    first = node.items[0]
    if isinstance(first, Form):
        return f"({_brief(reader, first)} ...)"
    names = [item for item in node.items[1:2] if is_word(item, "player", "team")]
    return f"({' '.join(reader.show(item) for item in (first, *names))} ...)"

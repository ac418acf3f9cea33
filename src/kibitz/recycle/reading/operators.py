"""The forms that all dialects share: arithmetic, comparisons, logic and seats of the cycle."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Literal, cast

from kibitz.recycle.tree import Arithmetic, Compare, Expression, Logic, Not
from kibitz.recycle.words import Made, Shape
from kibitz.syntax.source import Span


def _arithmetic(operator: str) -> Callable[..., Expression]:
    def build(span: Span, *numbers: Expression) -> Expression:
        return functools.reduce(
            lambda left, right: Arithmetic(span, cast(Any, operator), left, right), numbers
        )

    return build


def which_seat(word: str) -> Literal["current", "next", "previous"]:
    """The seat that a word means, relative to the current player."""
    return cast(Any, "previous" if word == "prev" else word)


SHAPES: dict[str, Sequence[Shape]] = {
    **{word: [Shape(f"({word} NUMBER NUMBER)", _arithmetic(word))] for word in ("//", "%", "^")},
    **{word: [Shape(f"({word} NUMBER NUMBER...)", _arithmetic(word))] for word in "+-*"},
    **{
        word: [Shape(f"({word} CONDITION CONDITION...)", Made(Logic, operator=word))]
        for word in ("and", "or")
    },
    "not": [Shape("(not CONDITION)", Made(Not))],
}
"""The shapes of arithmetic and logic, by the first word."""

ORDERS: dict[str, Sequence[Shape]] = {
    word: [Shape(f"({word} NUMBER NUMBER)", Made(Compare, operator=word))]
    for word in ("<", ">", "<=", ">=")
}
"""The shapes of comparisons of numbers by order, by the first word."""

"""The forms that are alike in all dialects: arithmetic, comparisons, seats of the cycle."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Literal, cast

from kibitz.recycle.tree import Arithmetic, Compare, Expression, Logic, Not
from kibitz.recycle.words import Shape
from kibitz.syntax.source import Span


def _arithmetic(operator: str) -> Callable[..., Expression]:
    def build(span: Span, *numbers: Expression) -> Expression:
        return functools.reduce(
            lambda left, right: Arithmetic(span, cast(Any, operator), left, right), numbers
        )

    return build


def compare(operator: str) -> Callable[..., Expression]:
    """What a comparison of two numbers is turned into."""
    return lambda span, left, right: Compare(span, cast(Any, operator), left, right)


def _logic(operator: str) -> Callable[..., Expression]:
    return lambda span, *parts: Logic(span, cast(Any, operator), parts)


def which_seat(word: str) -> Literal["current", "next", "previous"]:
    """The seat of the cycle that a word means."""
    return cast(Any, "previous" if word == "prev" else word)


SHAPES: dict[str, Sequence[Shape]] = {
    **{word: [Shape(f"({word} NUMBER NUMBER)", _arithmetic(word))] for word in ("//", "%", "^")},
    **{word: [Shape(f"({word} NUMBER NUMBER...)", _arithmetic(word))] for word in "+-*"},
    **{word: [Shape(f"({word} CONDITION CONDITION...)", _logic(word))] for word in ("and", "or")},
    "not": [Shape("(not CONDITION)", Not)],
}

ORDERS: dict[str, Sequence[Shape]] = {
    word: [Shape(f"({word} NUMBER NUMBER)", compare(word))] for word in ("<", ">", "<=", ">=")
}

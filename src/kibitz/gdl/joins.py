"""The prover's relational operations on sets of rows: joins, semi-joins, projections.

A row has the values of some variables, as numbers of terms. An operation is made when a rule is
compiled. It works on all rows together, so that most of the work is done by loops in C.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from kibitz.gdl.terms import Row, Terms

Rows: TypeAlias = Collection[Row]

MOST_ROWS = 300_000
"""The most rows that one condition may make, which take about 60 MB."""

YES: Sequence[Row] = ((),)
"""The answers of a question without wanted arguments that is true: one empty row."""

_NONE: Sequence[Row] = ()


class TooManyRowsError(Exception):
    """A condition makes more than ``MOST_ROWS`` rows."""


class AnswerTable(dict[Row, Sequence[Row]]):
    """Answers by question: the known arguments map to rows of the wanted arguments.

    Attributes:
        size: the number of answers.
    """

    __slots__ = ("size",)

    def __init__(self) -> None:
        super().__init__()
        self.size = 0

    def lacking(self, questions: Iterable[Row]) -> set[Row]:
        """The questions without an entry."""
        # set.difference would iterate over the whole table, since it is a subclass of dict
        return {question for question in questions if question not in self}

    def put(self, rows: Iterable[Row], split: int) -> None:
        """Adds new rows, each the `split` values of a question and the values of its answer."""
        before = self.size
        if split == 0:
            new = list(rows)
            self[()] = [*self.get((), _NONE), *new]
            self.size = before + len(new)
            return
        count = 0
        for row in rows:
            question = row[:split]
            answers = self.get(question)
            if answers:
                answers.append(row[split:])  # type: ignore[attr-defined]
            else:
                self[question] = [row[split:]]
            count += 1
        self.size = before + count


Apply: TypeAlias = Callable[[Rows, AnswerTable], Rows]
Pick: TypeAlias = Callable[[Row], Row]


def picker(places: Sequence[int]) -> Pick:
    """Makes a function that returns the values at these places of a row."""
    match places:
        case []:
            return operator.itemgetter(slice(0, 0))
        case [place]:
            return operator.itemgetter(slice(place, place + 1))
    return operator.itemgetter(*places)


def _bounded(rows: Iterator[Row], collect: Callable[[Iterable[Row]], Rows]) -> Rows:
    """Collects rows; raises an error if there are more than ``MOST_ROWS``."""
    result = collect(itertools.islice(rows, MOST_ROWS))
    if next(rows, None) is not None:
        raise TooManyRowsError
    return result


def join(question: Sequence[int], keep: Sequence[int] | None) -> Apply:
    """Joins each row with its answers.

    Args:
        question: the places of a row that make the question.
        keep: the places of a row followed by its answer that are kept; ``None`` keeps all.
    """
    ask = picker(question)
    if keep is None:

        def extended(rows: Rows, table: AnswerTable) -> Rows:
            get = table.get
            if len(rows) * table.size > MOST_ROWS:
                return _bounded((r + a for r in rows for a in get(ask(r), _NONE)), list)
            return [r + a for r in rows for a in get(ask(r), _NONE)]

        return extended
    pick = picker(keep)

    def projected(rows: Rows, table: AnswerTable) -> Rows:
        get = table.get
        if len(rows) * table.size > MOST_ROWS:
            return _bounded((pick(r + a) for r in rows for a in get(ask(r), _NONE)), set)
        return {pick(r + a) for r in rows for a in get(ask(r), _NONE)}

    return projected


def having(question: Sequence[int], positive: bool, keep: Sequence[int] | None) -> Apply:
    """A semi-join, which selects the rows with an answer; an anti-join unless `positive`.

    Args:
        question: the places of a row that make the question.
        keep: the places of a row that are kept; ``None`` keeps all.
    """
    ask = picker(question)
    pick = keep if keep is None else picker(keep)

    def chosen(rows: Rows, table: AnswerTable) -> Rows:
        get = table.get
        if positive:
            if pick is not None:
                return {pick(r) for r in rows if get(ask(r))}
            return [r for r in rows if get(ask(r))]
        if pick is not None:
            return {pick(r) for r in rows if not get(ask(r))}
        return [r for r in rows if not get(ask(r))]

    return chosen


def comparing(left: int, right: int, same: bool) -> Apply:
    """Selects the rows with equal values in two places, or with different ones unless `same`."""
    if same:
        return lambda rows, _: [r for r in rows if r[left] == r[right]]
    return lambda rows, _: [r for r in rows if r[left] != r[right]]


def comparing_with(place: int, value: int, same: bool) -> Apply:
    """Selects the rows with a value in a place, or those with another one unless `same`."""
    if same:
        return lambda rows, _: [r for r in rows if r[place] == value]
    return lambda rows, _: [r for r in rows if r[place] != value]


def all_or_none(holds: bool) -> Apply:
    """Keeps all rows or none."""
    return lambda rows, _: rows if holds else []


def adding(values: Row) -> Apply:
    """Appends the same values to each row."""
    return lambda rows, _: [r + values for r in rows]


def building(constants: Row, places: Sequence[int], terms: Terms) -> Apply:
    """Appends a compound term to each row.

    Args:
        constants: the numbers of the function and of its constant arguments.
        places: the places of the function and its arguments in a row followed by `constants`.
        terms: numbers the new term.
    """
    pick, number = picker(places), terms.compound
    return lambda rows, _: [(*r, number(pick(r + constants))) for r in rows]


def taking_apart(place: int, function: int, arguments: int, terms: Terms) -> Apply:
    """Selects the rows with a compound of a function in a place, and appends its arguments."""
    compounds, length = terms.parts, arguments + 1

    def taken(rows: Rows, _: Any) -> Rows:
        return [
            r + inner[1:]
            for r in rows
            if len(inner := compounds[r[place]]) == length and inner[0] == function
        ]

    return taken

"""The report of a comparison: the differences in sentences, then the numbers."""

from __future__ import annotations

from collections.abc import Iterator

import kibitz
from kibitz.core.wording import counted, listed
from kibitz.reports.document import DataTable, Document, Section, Sentence, Sentences, document_of
from kibitz.reports.numbers import DASH, number
from kibitz.studies.comparison import Comparison, Difference, Row
from kibitz.studies.comparison_verdict import verdict

MORE, LESS = "\N{BLACK UP-POINTING TRIANGLE}", "\N{BLACK DOWN-POINTING TRIANGLE}"
MINUS = "\N{MINUS SIGN}"
LONGEST_LABEL = 18
"""Columns of text for a variant's name; longer ones are numbered, and listed above."""


@document_of.register
def document(comparison: Comparison) -> Document:
    """The report of a comparison."""
    games = f"{counted(len(comparison.labels), 'variant')} of {counted(comparison.games, 'game')}"
    labels = short_labels(comparison)
    named = zip(labels, comparison.labels, strict=True) if labels != comparison.labels else ()
    return Document(
        title=f"Comparison of {listed(comparison.labels)}",
        kind="comparison",
        headline=f"{games} each, seed {comparison.seed}",
        about=(
            f"Played by {listed(list(dict.fromkeys(comparison.agents)))}.",
            *(f"{short}: {label}" for short, label in named),
        ),
        sections=(
            *(
                Section((found,))
                for found in [Sentences.of(sentences(comparison, labels))]
                if found.items
            ),
            Section((table(comparison, labels),)),
            Section(
                (
                    Sentences.of(
                        Sentence(verdict(comparison, place, labels).sentence)
                        for place in range(len(labels) - 1)
                    ),
                ),
                "Verdict",
                "verdict",
            ),
        ),
        footer=tuple(_footer(comparison)),
        version=kibitz.__version__,
    )


def short_labels(comparison: Comparison) -> tuple[str, ...]:
    """The names of variants in a table, or A, B, C if one is too long."""
    if max(map(len, comparison.labels)) <= LONGEST_LABEL:
        return comparison.labels
    return tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(comparison.labels)])


def sentences(comparison: Comparison, labels: tuple[str, ...]) -> Iterator[Sentence]:
    """Sentences on significant differences, each with whether it needs attention."""
    if comparison.interrupted:
        yield Sentence(
            f"Stopped: the first {counted(comparison.games, 'game')} of each are compared.",
            urgent=True,
        )
    for place, label in enumerate(labels[1:]):
        changes = [
            f"{row.title} {_value(row, 0)} \N{RIGHTWARDS ARROW} {_value(row, place + 1)}"
            for row in comparison.rows
            if (difference := row.differences[place]) is not None and difference.is_significant
        ]
        if changes:
            yield Sentence(f"{label} differs from {labels[0]}: {'; '.join(changes)}.")


def table(comparison: Comparison, labels: tuple[str, ...]) -> DataTable:
    """All measures of all variants."""
    two = len(labels) == 2
    columns = ("measure", *labels, *(["difference"] if two else []))
    rows = []
    for row in comparison.rows:
        cells = [row.title, _value(row, 0)]
        for place, difference in enumerate(row.differences, start=1):
            cells.append(_value(row, place) + ("" if two else _mark(difference)))
        if two:
            cells.append(_difference(row, row.differences[0]))
        rows.append(tuple(cells))
    return DataTable(columns, tuple(rows))


def _value(row: Row, place: int) -> str:
    value = row.values[place]
    if value is None:
        return DASH
    return f"{100 * value:.1f} %" if row.is_share else number(value)


def _difference(row: Row, difference: Difference | None) -> str:
    """A difference with its interval, and a mark if it is more than chance."""
    if difference is None:
        return DASH
    scale = 100 if row.is_share else 1
    bounds = difference.interval or (difference.value, difference.value)
    numbers = [scale * value for value in (difference.value, *bounds)]
    largest = max(map(abs, numbers))
    digits = 2 if largest < 1 else 1 if largest < 100 else 0
    text, low, high = (_signed(value, digits) for value in numbers)
    span = f" ({low} to {high})" if bounds[0] != bounds[1] else ""
    return f"{text}{span}{_mark(difference)}"


def _mark(difference: Difference | None) -> str:
    """An arrow for a significant difference, else a blank of the same width."""
    if difference is None or not difference.is_significant:
        return "  "
    return f" {MORE if difference.value > 0 else LESS}"


def _signed(value: float, digits: int) -> str:
    """A number with its sign: ``+4.5``."""
    text = f"{abs(value):,.{digits}f}"
    sign = "" if round(value, digits) == 0 else "+" if value > 0 else MINUS
    return sign + text


def _footer(comparison: Comparison) -> Iterator[str]:
    """The notes on how to read it."""
    yield (
        f"{MORE} {LESS}: more or less than {short_labels(comparison)[0]}, and not by chance: at "
        "5 % for all differences together (Holm)."
    )
    if len(comparison.labels) == 2:
        yield "In brackets: where the true difference lies, with 95 % confidence, each alone."
    yield "Game number i has the same luck in all variants, as far as their rules agree."
    if comparison.controlled:
        yield (
            "What luck did in each game, as the judge sees it, is taken out of the differences, "
            "but not out of the other numbers."
        )

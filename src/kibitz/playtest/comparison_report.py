"""The report of a comparison: the differences in sentences, then the numbers."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from kibitz.core.wording import counted, listed
from kibitz.playtest.comparison import Comparison, Difference, Row
from kibitz.playtest.report import DASH, Grid, number, verdict_list

MORE, LESS = "\N{BLACK UP-POINTING TRIANGLE}", "\N{BLACK DOWN-POINTING TRIANGLE}"
MINUS = "\N{MINUS SIGN}"
LONGEST_LABEL = 18
"""Columns of text for a variant's name; longer ones are numbered, and listed above."""


def render_comparison(found: Comparison) -> RenderableType:
    """The whole report, to be printed by a rich console."""
    games = f"{counted(len(found.labels), 'variant')} of {counted(found.games, 'game')} each"
    parts: list[RenderableType] = [Text(f"{games}, seed {found.seed}", style="bold")]
    parts.append(Text(f"Played by {listed(list(dict.fromkeys(found.agents)))}.", style="dim"))
    labels = short_labels(found)
    if labels != found.labels:
        parts += [Text(f"{a}: {b}") for a, b in zip(labels, found.labels, strict=True)]
    parts += ["", verdict_list(sentences(found, labels)), "", grid(found, labels), ""]
    parts += [Text(line, style="dim") for line in _footer(found)]
    return Group(*parts)


def short_labels(found: Comparison) -> tuple[str, ...]:
    """The names of variants in a table, or A, B, C if one is too long."""
    if max(map(len, found.labels)) <= LONGEST_LABEL:
        return found.labels
    return tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(found.labels)])


def sentences(found: Comparison, labels: tuple[str, ...]) -> Iterator[tuple[bool, str]]:
    """Sentences on significant differences, each with whether it needs attention."""
    if found.interrupted:
        yield True, f"Stopped: the first {counted(found.games, 'game')} of each are compared."
    for place, label in enumerate(labels[1:]):
        said = [
            f"{row.title} {_value(row, 0)} \N{RIGHTWARDS ARROW} {_value(row, place + 1)}"
            for row in found.rows
            if (difference := row.differences[place]) is not None and difference.is_significant
        ]
        if said:
            yield False, f"{label} differs from {labels[0]}: {'; '.join(said)}."
        else:
            yield False, f"{label} shows no difference from {labels[0]} that is more than chance."


def grid(found: Comparison, labels: tuple[str, ...]) -> Grid:
    """All measures of all variants."""
    two = len(labels) == 2
    columns = ("measure", *labels, *(["difference"] if two else []))
    rows = []
    for row in found.rows:
        cells = [row.title, _value(row, 0)]
        for place, difference in enumerate(row.differences, start=1):
            cells.append(_value(row, place) + ("" if two else _mark(difference)))
        if two:
            cells.append(_difference(row, row.differences[0]))
        rows.append(tuple(cells))
    return Grid(columns, tuple(rows))


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


def _footer(found: Comparison) -> Iterator[str]:
    """The notes on how to read it."""
    yield (
        f"{MORE} {LESS}: more or less than {short_labels(found)[0]}, and not by chance: at 5 % "
        "for all differences together (Holm)."
    )
    if len(found.labels) == 2:
        yield "In brackets: where the true difference lies, with 95 % confidence, each alone."
    yield "Game number i has the same luck in all variants, as far as their rules agree."
    if found.controlled:
        yield (
            "What luck did in each game, as the judge sees it, is taken out of the differences, "
            "but not out of the other numbers."
        )

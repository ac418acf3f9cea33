"""The verdict of a comparison: whether a variant is better, worse or different.

In every game three measures have a better side: games should end, they should have one winner,
and seats should win equally often. What else differs, such as the length, is for the designer to
judge.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import Any

from kibitz.core.wording import counted, listed
from kibitz.reports.numbers import point
from kibitz.studies.comparison import UNFINISHED, Comparison, Row

FEWER_IS_BETTER = {UNFINISHED: "games unfinished", "games tied": "ties"}
"""Titles of measures of which less is better, with words that follow ``fewer`` and ``more``."""

_SEAT_WINS = re.compile(r"(?:seat|team)s? .+ wins?")


class Judgement(enum.Enum):
    """What a variant is, compared with the first one."""

    BETTER = "better"
    WORSE = "worse"
    DIFFERENT = "different"
    SAME = "no difference seen"


@dataclass(frozen=True)
class ComparisonVerdict:
    """The verdict on a variant, with the sentence that says why."""

    judgement: Judgement
    sentence: str

    def to_json(self) -> dict[str, Any]:
        """Both fields by name, as JSON types."""
        return {"verdict": self.judgement.value, "sentence": self.sentence}


def verdict(comparison: Comparison, place: int, labels: tuple[str, ...]) -> ComparisonVerdict:
    """The verdict on a variant.

    Args:
        place: its place after the first variant, from 0.
        labels: the names of the variants in sentences.
    """
    label, first = labels[place + 1], labels[0]
    changed = [
        row
        for row in comparison.rows
        if (difference := row.differences[place]) is not None and difference.is_significant
    ]
    if not changed:
        return ComparisonVerdict(
            Judgement.SAME,
            f"No difference seen between {label} and {first} in "
            f"{counted(comparison.games, 'game')} of each{_unseen(comparison, place)}.",
        )
    good: list[str] = []
    bad: list[str] = []
    for title, words in FEWER_IS_BETTER.items():
        for row in changed:
            if row.title == title:
                fewer = _difference(row, place) < 0
                (good if fewer else bad).append(f"{'fewer' if fewer else 'more'} {words}")
    seats = [row for row in comparison.rows if _SEAT_WINS.fullmatch(row.title)]
    if any(row in changed for row in seats):
        before, after = (_unfairness(seats, at) for at in (0, place + 1))
        (good if after < before else bad).append(
            f"the seats win {'more' if after < before else 'less'} equally"
        )
    judged = {row.title for row in seats} | FEWER_IS_BETTER.keys()
    others = [row.title for row in changed if row.title not in judged]
    also = f" It differs in {listed(others)}, too." if others else ""
    if good and not bad:
        return ComparisonVerdict(
            Judgement.BETTER, f"{label} is better than {first}: {listed(good)}.{also}"
        )
    if bad and not good:
        return ComparisonVerdict(
            Judgement.WORSE, f"{label} is worse than {first}: {listed(bad)}.{also}"
        )
    if good:
        return ComparisonVerdict(
            Judgement.DIFFERENT,
            f"{label} is better than {first} in one way and worse in another: "
            f"{listed([*good, *bad])}.{also}",
        )
    return ComparisonVerdict(
        Judgement.DIFFERENT,
        f"{label} is different from {first}, neither better nor worse in itself: "
        f"{listed(others)}.",
    )


def _difference(row: Row, place: int) -> float:
    difference = row.differences[place]
    return 0.0 if difference is None else difference.value


def _unfairness(seats: list[Row], at: int) -> float:
    """How far apart the seats' shares of wins are: their largest difference."""
    shares = [row.values[at] or 0.0 for row in seats]
    return max(shares) - min(shares)


def _unseen(comparison: Comparison, place: int) -> str:
    """The largest change of a share that could have stayed unseen, as the end of a sentence."""
    bounds = [
        abs(bound)
        for row in comparison.rows
        if row.is_share
        and (difference := row.differences[place]) is not None
        and difference.interval is not None
        for bound in difference.interval
    ]
    if not bounds or not max(bounds):
        return ""
    return f": a share may still have changed by up to {point(max(bounds))} points"

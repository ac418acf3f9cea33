"""Values for readers: shares, points, means and durations with their intervals, agents."""

from __future__ import annotations

from typing import Protocol

DASH = "\N{EN DASH}"

Interval = tuple[float, float]


class Mean(Protocol):
    """A mean with its 95 % interval; ``None`` where nothing was measured."""

    @property
    def mean(self) -> float | None:
        """The mean."""

    @property
    def interval(self) -> Interval | None:
        """Its interval."""


def percent(share: float | None, interval: Interval | None = None) -> str:
    """A share in per cent, with its interval in brackets unless they are equal when rounded.

    >>> percent(0.5), percent(0.585)
    ('50 %', '58.5 %')
    >>> percent(0.1, (-0.02, 0.22)), percent(1.0, (1 - 1e-8, 1.0))
    ('10.0 % (-2.0 to 22.0)', '100 %')
    """
    if share is None:
        return DASH
    if interval is None or interval[1] - interval[0] < 1e-9:
        return f"{100 * share:.1f}".removesuffix(".0") + " %"
    digits = 2 if interval[1] - interval[0] < 0.0005 else 1
    middle, low, high = (
        f"{round(100 * value, digits) + 0.0:.{digits}f}"  # no -0.0
        for value in (share, *interval)
    )
    if low == middle == high:
        return percent(share)
    between = " to " if low.startswith("-") else DASH
    return f"{middle} % ({low}{between}{high})"


def point(share: float) -> str:
    """A share in points, with one decimal if it is below 10 points.

    >>> point(0.143), point(-0.0211)
    ('14', '-2.1')
    """
    hundredths = round(100 * share, 1) + 0.0  # no -0.0
    return f"{hundredths:.0f}" if abs(hundredths) >= 10 else f"{hundredths:.1f}"


def points(share: float, interval: Interval) -> str:
    """A difference of shares in points, with its interval in brackets.

    >>> points(0.143, (-0.01, 0.296))
    '14 (-1.0 to 30) points'
    """
    low, high = map(point, interval)
    between = " to " if low.startswith("-") else DASH
    return f"{point(share)} ({low}{between}{high}) points"


def mean(summary: Mean) -> str:
    """A mean with half its interval: ``7.28 ±0.02``."""
    if summary.mean is None:
        return DASH
    if summary.interval is None:
        return number(summary.mean)
    half = (summary.interval[1] - summary.interval[0]) / 2
    if half == 0:
        return f"{number(summary.mean)} ±0"
    digits = 3 if half < 0.005 else 2 if half < 0.5 else 1 if half < 10 else 0
    return f"{summary.mean:,.{digits}f} ±{half:,.{digits}f}"


def number(value: float | None) -> str:
    """A number with as many digits as readers want: ``7.28``, ``76.6``, ``1,200``."""
    if value is None:
        return DASH
    if float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.2f}" if abs(value) < 10 else f"{value:,.1f}"


def short(value: float) -> str:
    """A value with two significant digits, or as a whole number: ``0.073``, ``3.1``, ``15``."""
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def duration(seconds: float) -> str:
    """A duration of seconds or less in a suitable unit: ``67 µs``, ``12 ms``, ``1.5 s``."""
    for factor, unit in ((1e9, "ns"), (1e6, "µs"), (1e3, "ms")):
        if seconds * factor < 999.5:
            return f"{short(seconds * factor)} {unit}"
    return f"{short(seconds)} s"


def stacked(agent: str) -> str:
    """The label of an agent for a narrow column; each option of a long one has its own line."""
    return agent.replace(":", ":\n").replace(",", ",\n") if len(agent) > 16 else agent

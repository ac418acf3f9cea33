"""A paper made again, for people to read."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from kibitz.authoring import counted
from kibitz.playtest.report import DASH, Grid, verdict_list
from papers.exhibit import TOLERANCE, Exhibit, Figure, Reference, Unit
from papers.reproduction import Reproduction

MARKS = {True: "=", False: "≠", None: ""}
"""Behind a reference: whether it agrees with ours."""


def render_reproduction(found: Reproduction) -> RenderableType:
    """The whole report, to be printed by a rich console."""
    parts: list[RenderableType] = [Text(found.title, style="bold"), ""]
    parts.append(verdict_list(sentences(found)))
    for exhibit in found.exhibits:
        parts += ["", Text(f"{exhibit.name}: {exhibit.title}", style="bold")]
        parts += [Text(exhibit.about), grid(exhibit)]
        parts += [Text(note, style="dim") for note in notes(exhibit)]
    parts += ["", *(Text(line, style="dim") for line in footer())]
    return Group(*parts)


def render_markdown(found: Reproduction) -> str:
    """The whole report as Markdown, for a page of documentation."""
    lines = [f"## {found.title}", ""]
    lines += [f"- {sentence}" for _, sentence in sentences(found)]
    for exhibit in found.exhibits:
        lines += ["", f"### {exhibit.name}: {exhibit.title}", "", exhibit.about, ""]
        lines += grid(exhibit).markdown()
        for note in notes(exhibit):
            lines += ["", note]
    return "\n".join([*lines, "", *footer(), ""])


def sentences(found: Reproduction) -> Iterator[tuple[bool, str]]:
    """How it came out, each sentence with whether it needs attention."""
    if found.interrupted:
        yield True, f"Stopped after {counted(len(found.exhibits), 'exhibit')}."
    if found.quick:
        yield False, "A tenth of the games was played, so that only large differences show."
    yield False, f"{found.agreed} of {found.compared} numbers agree."
    for exhibit in found.exhibits:
        agreed = list(exhibit.comparisons())
        if not all(agreed):
            yield (
                False,
                f"{exhibit.name}: {agreed.count(False)} of {len(agreed)} differ: see there.",
            )


def grid(exhibit: Exhibit) -> Grid:
    """The numbers of an exhibit as a table: a row each, ours beside those of the sources."""
    rows = []
    for figure in exhibit.figures:
        name = f"{figure.label}, {figure.series}" if figure.series else figure.label
        ours = shown(figure.ours, exhibit.unit, figure.interval)
        rows.append(
            (name, ours, *(_theirs(figure, source, exhibit) for source in exhibit.sources))
        )
    return Grid((exhibit.x, "ours", *exhibit.sources), tuple(rows))


def _theirs(figure: Figure, source: str, exhibit: Exhibit) -> str:
    """What a source says of a number, and whether it agrees."""
    for reference in figure.references:
        if reference.source == source:
            return f"{shown(reference.value, exhibit.unit)} {_mark(figure, reference)}".rstrip()
    return ""


def _mark(figure: Figure, reference: Reference) -> str:
    return MARKS[figure.agrees(reference)]


def shown(value: float, unit: Unit, interval: tuple[float, float] | None = None) -> str:
    """A number in its unit, with its interval."""
    if unit is Unit.SECONDS:
        return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"
    scale, digits, sign = {
        Unit.NUMBER: (1, 2, ""),
        Unit.SHARE: (100, 1, " %"),
        Unit.GAIN: (100, 1, ""),
    }[unit]
    plus = "+" if unit is Unit.GAIN else ""
    said = f"{value * scale:{plus}.{digits}f}{sign}"
    if interval is not None and interval[0] < interval[1]:
        low, high = (f"{end * scale:{plus}.{digits}f}" for end in interval)
        said += f" ({low}{DASH}{high})" if not plus else f" ({low} to {high})"
    return said


def notes(exhibit: Exhibit) -> Iterator[str]:
    """Notes on an exhibit, and the reasons for differences from the paper."""
    yield from exhibit.notes
    for figure in exhibit.figures:
        if figure.reason:
            yield f"{figure.label}: {figure.reason}."


def footer() -> Iterator[str]:
    """How to read it."""
    yield (
        f"= agrees; ≠ differs by more than {TOLERANCE:g} standard errors of the difference. "
        "In brackets: 95 % confidence."
    )

"""Two versions of a text side by side: the changes of the rules, and of the answers."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from kibitz.core.errors import FileError
from kibitz.studies.comparison import Comparison
from kibitz.studies.comparison_report import short_labels
from kibitz.studies.comparison_report import table as comparison_table
from kibitz.web.workspace import VERSIONS, Workspace

AROUND = 3
"""Lines around a change that are shown."""
NOW = "now"
"""Stands for the text in the editor."""


@dataclass(frozen=True)
class Line:
    """A line of the one and of the other text, beside each other.

    Attributes:
        kind: ``same``, ``changed``, ``removed``, ``added``, or ``gap`` for lines left out.
        before, after: their numbers, from 1; 0 where the line is missing.
        old, new: their texts as HTML.
    """

    kind: str
    before: int = 0
    after: int = 0
    old: str = ""
    new: str = ""


def compared(before: str, after: str) -> list[Line]:
    """The lines in which two texts differ, and some around them; empty if they are the same."""
    old, new = before.splitlines(), after.splitlines()
    lines: list[Line] = []
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for group in matcher.get_grouped_opcodes(AROUND):
        if lines or group[0][1] > 0:
            lines.append(Line("gap"))
        for kind, i, i_end, j, j_end in group:
            if kind == "equal":
                pairs = zip(range(i, i_end), range(j, j_end), strict=True)
                lines += [
                    Line("same", a + 1, b + 1, escape(old[a]), escape(new[b])) for a, b in pairs
                ]
            else:
                lines += _changed(old[i:i_end], new[j:j_end], i, j)
    return lines


def _changed(old: Sequence[str], new: Sequence[str], i: int, j: int) -> Iterator[Line]:
    both = min(len(old), len(new))
    for n in range(both):
        was, becomes = _marked(old[n], new[n])
        yield Line("changed", i + n + 1, j + n + 1, was, becomes)
    for n, text in enumerate(old[both:], start=both):
        yield Line("removed", i + n + 1, 0, escape(text))
    for n, text in enumerate(new[both:], start=both):
        yield Line("added", 0, j + n + 1, "", escape(text))


def _marked(old: str, new: str) -> tuple[str, str]:
    """Two lines as HTML, with what differs between them marked."""
    was, becomes = "", ""
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for kind, i, i_end, j, j_end in matcher.get_opcodes():
        same = kind == "equal"
        for piece, tag in ((old[i:i_end], "del"), (new[j:j_end], "ins")):
            html = escape(piece) if same or not piece else f"<{tag}>{escape(piece)}</{tag}>"
            was, becomes = (was + html, becomes) if tag == "del" else (was, becomes + html)
    return was, becomes


def changes_html(lines: Sequence[Line], old: str, new: str) -> str:
    """The changed lines as a table; one below the other where there is little room.

    Args:
        lines: as ``compared`` gives them.
        old: what the one text is called.
        new: what the other is.
    """
    if not lines:
        return "<p class='quiet'>The rules are the same.</p>"
    rows = "".join(
        "<tr class='gap'><td colspan='4'>...</td></tr>"
        if line.kind == "gap"
        else f"<tr class='{line.kind}'><td class='nr'>{line.before or ''}</td><td>{line.old}</td>"
        f"<td class='nr'>{line.after or ''}</td><td>{line.new}</td></tr>"
        for line in lines
    )
    head = f"<tr><th></th><th>{escape(old)}</th><th></th><th>{escape(new)}</th></tr>"
    return f"<table class='changes'><thead>{head}</thead><tbody>{rows}</tbody></table>"


def changes(texts: tuple[str, str], labels: tuple[str, str]) -> str:
    """The lines in which two texts differ, as HTML."""
    return changes_html(compared(*texts), *labels)


def answers_html(comparison: Comparison | None) -> str:
    """The results of both versions' games, as a table."""
    if comparison is None or not comparison.games:
        return ""
    table = comparison_table(comparison, short_labels(comparison))
    head = "".join(f"<th>{escape(column)}</th>" for column in table.columns)
    rows = ""
    for cells, row in zip(table.rows, comparison.rows, strict=True):
        difference = row.differences[0]
        real = difference is not None and difference.is_significant
        inner = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        rows += f"<tr class='{'real' if real else ''}'>{inner}</tr>"
    return (
        f"<div class='scrolls'><table class='answers'><thead><tr>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def offers(workspace: Workspace, name: str) -> dict[str, str]:
    """The texts to compare with: versions, and other texts of the language."""
    titles = {NOW: f"{name}, now"}
    for version in workspace.versions(name):
        when = workspace.changed_at(VERSIONS, version)
        titles[version] = f"{int(Path(version).stem[-5:])}, of {when:%-d %B, %H:%M}"
    for other in workspace.texts():
        if other != name and Path(other).suffix == Path(name).suffix:
            titles[f"text:{other}"] = other
    return titles


def text_of(workspace: Workspace, name: str, chosen: str) -> str:
    """The text of one of the ``offers``.

    Raises:
        FileError: it does not exist.
    """
    if chosen == NOW:
        return workspace.text(name)
    if chosen.startswith("text:"):
        return workspace.text(chosen.removeprefix("text:"))
    if chosen not in workspace.versions(name):
        raise FileError(f"{name} has no version {chosen!r} any more.")
    return workspace.read(VERSIONS, chosen)


def report_html(
    title: str,
    changes: str,
    comparison: Comparison,
    sentences: Sequence[tuple[bool, str]],
    set_up: Mapping[str, Sequence[str]],
) -> str:
    """A comparison as a page of its own, which needs nothing else.

    Args:
        title: the title of the page.
        changes: what differs in the rules, as HTML.
        comparison: the comparison of the answers.
        sentences: its results in sentences, with their urgency.
        set_up: for each version what was chosen at its table: players, parameters.
    """
    verdicts = "".join(f"<li>{escape(sentence)}</li>" for _, sentence in sentences)
    tables = [
        f"<b>{escape(label)}</b>: {escape(', '.join(chosen))}" for label, chosen in set_up.items()
    ]
    return (
        "<!doctype html><html lang='en'><meta charset='utf-8'><meta name='viewport' "
        f"content='width=device-width'><title>{escape(title)}</title><style>{_STYLE}</style>"
        f"<h1>{escape(title)}</h1><p>{comparison.games:,} games of each, by "
        f"{escape(', '.join(dict.fromkeys(comparison.agents)))}.</p>"
        f"<p>{'<br>'.join(tables)}</p><ul>{verdicts}</ul>"
        f"<h2>Answers</h2>{answers_html(comparison)}<h2>Rules</h2>{changes}</html>"
    )


_STYLE = (
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;"
    "margin:1.5rem auto;padding:0 1rem}table{border-collapse:collapse;width:100%}td,th{text-align:"
    "left;padding:.25rem .6rem;border-bottom:1px solid #8884;vertical-align:top}.changes td{font:"
    ".82rem/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}.real{font-"
    "weight:600}.nr{opacity:.6}del{background:#c6302b40;text-decoration:none}ins{background:"
    "#2f7d3240;text-decoration:none}.removed td:nth-child(2){background:#c6302b22}"
    ".added td:nth-child(4){background:#2f7d3222}"
)

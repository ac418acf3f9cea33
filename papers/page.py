"""A paper made again as one page of HTML, which opens without a network.

It needs the extra ``kibitz[plots]``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kibitz.playtest.charts import themed
from kibitz.playtest.page import page_template
from papers.exhibit import Exhibit
from papers.plots import plot
from papers.report import footer, grid, notes, sentences
from papers.reproduction import Reproduction

TEMPLATE = Path(__file__).with_name("page.html.jinja")


def render_page(found: Reproduction) -> str:
    """The reproduction of a paper as a page in HTML.

    Raises:
        MissingExtraError: what makes pages and plots is not installed.
    """
    words = ["python", "-m", "papers", found.paper, *(["--quick"] if found.quick else [])]
    shared = page_template("parts.html.jinja").environment
    template = shared.from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(
        title=found.title,
        verdicts=list(sentences(found)),
        exhibits=[_shown(exhibit) for exhibit in found.exhibits],
        footer=list(footer()),
        command=" ".join([*words, "--seed", str(found.seed)]),
        version=found.version,
    )


def _shown(exhibit: Exhibit) -> dict[str, Any]:
    """What the template needs of an exhibit."""
    drawn = plot(exhibit)
    table = grid(exhibit)
    return {
        "id": exhibit.id,
        "name": exhibit.name,
        "title": exhibit.title,
        "about": exhibit.about,
        "svg": "" if drawn is None else themed(drawn.svg(), drawn.title),
        "columns": table.columns,
        "rows": table.rows,
        "notes": list(notes(exhibit)),
        "commands": exhibit.commands,
    }

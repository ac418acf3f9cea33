"""A study as one page of HTML, by question: it opens without a network and can be sent by mail.

It needs the extra ``kibitz[plots]``.
"""

from __future__ import annotations

from kibitz.core.game import Table
from kibitz.playtest.page import example_parts, page_template, plot_parts
from kibitz.playtest.questions import answers
from kibitz.playtest.study import Study
from kibitz.playtest.study_plots import study_plots
from kibitz.playtest.study_report import about, footer, grids, headline, study_command

TEMPLATE = "study.html.jinja"


def render_study_page(study: Study, table: Table | None = None) -> str:
    """A study as a page in HTML.

    Args:
        study: what it reports.
        table: where the games were played: then the page tells some of them move by move.

    Raises:
        MissingExtraError: what makes pages and plots is not installed.
    """
    drawn = study_plots(study)
    best = study.best
    return page_template(TEMPLATE).render(
        title=study.title,
        about=[f"{headline(study)}.", *about(study)],
        answers=[
            {
                "name": answer.name,
                "question": answer.question,
                "said": answer.said,
                "game": answer.game,
                "plots": [plot_parts(plot) for name, plot in drawn if name == answer.name],
            }
            for answer in answers(study)
        ],
        games=[example_parts(best, example, table) for example in best["examples"]],
        tables=[(grid.columns, grid.rows) for grid in grids(study)],
        footer=list(footer(study)),
        command=study_command(study),
        version=study.version,
    )

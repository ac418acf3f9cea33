"""A search as one page of HTML: it opens without a network and can be sent by mail.

It needs the extra ``kibitz[plots]``.
"""

from __future__ import annotations

from kibitz.playtest.page import page_template, plot_parts
from kibitz.tuning.plots import tuning_plots
from kibitz.tuning.report import description, footer, grids, headline, sentences
from kibitz.tuning.results import Tuning

TEMPLATE = "summary.html.jinja"


def render_tuning_page(found: Tuning) -> str:
    """The result of a search as a page in HTML.

    Raises:
        MissingExtraError: what makes pages and plots is not installed.
    """
    return page_template(TEMPLATE).render(
        title=headline(found),
        about=list(description(found)),
        verdicts=list(sentences(found)),
        plots=[plot_parts(plot) for plot in tuning_plots(found)],
        tables=[(title, grid.columns, grid.rows) for title, grid in grids(found)],
        footer=list(footer(found)),
        version=found.version,
    )

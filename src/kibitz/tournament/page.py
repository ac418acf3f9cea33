"""A tournament as one page of HTML: it opens without a network and can be sent by mail.

It needs the extra ``kibitz[plots]``.
"""

from __future__ import annotations

from kibitz.core.wording import counted
from kibitz.playtest.charts import Plot
from kibitz.playtest.page import page_template, plot_parts
from kibitz.playtest.report import Grid
from kibitz.tournament import report
from kibitz.tournament.curves import Curves
from kibitz.tournament.plots import curves_plots, tournament_plots
from kibitz.tournament.results import Tournament

TEMPLATE = "summary.html.jinja"


def render_tournament_page(found: Tournament | Curves) -> str:
    """The page of a tournament, or of one with several budgets.

    Raises:
        MissingExtraError: what makes pages and plots is not installed.
    """
    if isinstance(found, Curves) and len(found.budgets) == 1:
        found = found.tournaments[0]
    if isinstance(found, Curves):
        last = found.tournaments[-1]
        title = "Strength against time"
        budgets = ", ".join(str(budget) for budget in found.budgets)
        about = [f"{report.headline(last)}.", f"The same with {budgets} a decision."]
        said = [*report.best_by_time(found)]
        plots: list[Plot] = [*curves_plots(found), *tournament_plots(last)]
        tables = [
            (
                f"{report.heading(table[0])}: strength against time",
                report.against_time(found, table),
            )
            for table in found.tables()
        ]
        footer = [*report.curves_footer(found), *report.footer(last)]
    else:
        last = found
        agents = counted(len(found.agents), "agent")
        title = f"{report.FORMATS[found.format]} of {agents}"
        about = [f"{report.headline(found)}."]
        said, plots, tables, footer = [], tournament_plots(found), [], [*report.footer(found)]
    said += report.sentences(last)
    footer += [f"A game that was broken off: {it}" for it in report.failure_commands(last)]
    return page_template(TEMPLATE).render(
        title=title,
        about=about,
        verdicts=said,
        plots=[plot_parts(plot) for plot in plots],
        tables=[(name, grid.columns, grid.rows) for name, grid in [*tables, *_titled(last)]],
        footer=footer,
        version=last.version,
    )


def _titled(found: Tournament) -> list[tuple[str, Grid]]:
    """All tables of numbers, each with a heading."""
    titled: list[tuple[str, Grid]] = []
    for title, grid in report.grids(found):
        titled.append((title or f"{titled[-1][0]}: who beats whom", grid))
    return titled

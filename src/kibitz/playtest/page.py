"""A playtest as one page of HTML: it opens without a network and can be sent by mail.

It needs the extra ``kibitz[plots]``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from kibitz.core.errors import KibitzError, MissingExtraError
from kibitz.core.game import Table
from kibitz.core.wording import counted
from kibitz.playtest.charts import Plot, require_plots, themed
from kibitz.playtest.measures.examples import Example
from kibitz.playtest.plots import plots
from kibitz.playtest.report import (
    CAUSES,
    description,
    footer,
    grids,
    headline,
    number,
    percent,
    playtest_command,
    record_command,
    sentences,
)
from kibitz.playtest.results import Playtest
from kibitz.playtest.values import Unfinished
from kibitz.runs.randomized import parameters_of
from kibitz.sessions.record import record_game

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

TEMPLATE = "page.html.jinja"
EN_DASH, WORD_JOINER = "\N{EN DASH}", "\N{WORD JOINER}"

MOST_LINES = 600
"""Of a longer game the page has so many lines from the beginning; the command tells the rest."""

KINDS = {
    "typical": "A typical game",
    "shortest": "The shortest game",
    "longest": "The longest game",
    "closest": "The closest finish",
    "clearest": "The clearest win",
}


def render_page(playtest: Playtest, table: Table | None = None) -> str:
    """A playtest as a page in HTML.

    Args:
        playtest: what it reports.
        table: where the games were played: then the page tells some of them move by move.

    Raises:
        MissingExtraError: what makes pages and plots is not installed.
    """
    about = [f"{headline(playtest)}.", *description(playtest)]
    return page_template(TEMPLATE).render(
        title=playtest.title,
        about=about,
        verdicts=list(sentences(playtest)),
        plots=[plot_parts(plot) for plot in plots(playtest)],
        games=[example_parts(playtest, example, table) for example in playtest["examples"]],
        unfinished=list(_unfinished(playtest)),
        tables=[(grid.columns, grid.rows) for grid in grids(playtest)],
        footer=list(footer(playtest)),
        command=playtest_command(playtest),
        version=playtest.version,
    )


def framed(render: Callable[[], str]) -> str | None:
    """A page in a frame, for notebooks; ``None`` where nothing can draw it.

    Args:
        render: makes the page.
    """
    try:
        page = escape(render())
    except MissingExtraError:
        return None
    return f'<iframe srcdoc="{page}" style="width: 100%; height: 48rem; border: 0"></iframe>'


def plot_parts(plot: Plot) -> dict[str, Any]:
    """A plot as a page takes it."""
    return {
        "name": plot.name,
        "title": plot.title,
        "caption": plot.caption,
        "columns": plot.columns,
        "rows": plot.rows,
        "svg": themed(plot.svg(), plot.title),
    }


def example_parts(playtest: Playtest, example: Example, table: Table | None) -> dict[str, Any]:
    """An example game for the page: title, summary, command and transcript."""
    said = [counted(example.decisions, "decision")]
    if any(example.scores):
        said.append(f"scores {', '.join(number(score) for score in example.scores)}")
    if len(set(example.agents)) > 1:
        said.append(f"played by {', '.join(example.agents)}")
    return {
        "title": KINDS[example.kind],
        "summary": f"Game {example.game + 1:,}: {'; '.join(said)}.",
        "command": record_command(playtest, example),
        "transcript": ""
        if table is None
        else _transcript(table, example, playtest.loops, playtest.randomized),
    }


def _transcript(table: Table, example: Example, loops: int, randomized: Sequence[str] = ()) -> str:
    """The game move by move; empty where its agents cannot be made again by their names."""
    try:
        if randomized:
            values = table.parameters.as_dict()
            drawn = parameters_of(table.game, table.players, values, randomized, example.seed)
            table = table.game.table(table.players, drawn)
        record = record_game(table, example.agents, example.seed, loops=loops)
    except KibitzError:
        return ""
    lines = record.transcript(table).rstrip("\n").split("\n")
    if len(lines) > MOST_LINES:
        left = counted(len(lines) - MOST_LINES, "more line")
        lines = [*lines[:MOST_LINES], "", f"... and {left}: the command above tells them."]
    return "\n".join(lines)


def _unfinished(playtest: Playtest) -> Iterator[dict[str, Any]]:
    """Why games were not finished, and one for each cause."""
    for row in playtest.unfinished:
        yield {
            "title": CAUSES[row.cause].capitalize(),
            "summary": _why(playtest, row),
            "command": record_command(playtest, row),
        }


def _why(playtest: Playtest, row: Unfinished) -> str:
    share = percent(row.games / playtest.games)
    said = [f"{counted(row.games, 'game')}, {share}, the first after {row.ticks:,} actions."]
    said += [f.explanation for f in playtest.faults if f.cause == row.cause][:1]
    if row.error:
        said.append(row.error)
    return " ".join(said)


@functools.cache
def page_template(name: str) -> jinja2.Template:
    """The template of a page, by the name of its file; what fills its gaps is escaped."""
    require_plots()
    import jinja2

    loader = jinja2.PackageLoader("kibitz.playtest", ".")
    environment = jinja2.Environment(loader=loader, autoescape=True)
    environment.filters |= {"name": name_cell, "number": number_cell}
    return environment.get_template(name)


def name_cell(words: str) -> Markup:
    """A name for the page: a new line may begin between its options, not inside a word.

    >>> name_cell("mcts:c=1,by=<b>")
    Markup('mcts:<wbr>c=1,<wbr>by=&lt;b&gt;')
    """
    from markupsafe import Markup

    return Markup(re.sub(r"([:,])(?=\w)", r"\1<wbr>", escape(words)))


def number_cell(words: str) -> str:
    r"""A number for the page: a new line may begin before its interval only.

    >>> number_cell("5 % (1 to 9)").split(" ")
    ['5\xa0%', '(1\xa0to\xa09)']
    """
    words = words.replace(EN_DASH, f"{EN_DASH}{WORD_JOINER}")
    return words.replace(" ", "\N{NO-BREAK SPACE}").replace("\N{NO-BREAK SPACE}(", " (")

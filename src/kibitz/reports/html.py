"""Documents as one page of HTML, which opens without a network and can be sent by mail.

It needs the extra ``kibitz[plots]``.
"""

from __future__ import annotations

import functools
import re
from html import escape
from typing import TYPE_CHECKING

from kibitz.reports.charts import Plot, require_plots, themed
from kibitz.reports.document import Document, Section

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

TEMPLATE = "page.html.jinja"
EN_DASH, WORD_JOINER = "\N{EN DASH}", "\N{WORD JOINER}"


def render(document: Document) -> str:
    """The document as a page.

    Raises:
        MissingExtraError: the packages that draw plots and pages are not installed.
    """
    return _template().render(
        document=document,
        sections=[(section, _without_repetitions(section)) for section in document.sections],
    )


def _without_repetitions(section: Section) -> list[tuple[str, object]]:
    """The blocks with the names of their classes, without tables whose numbers a plot shows."""
    behind = {block.rows for block in section.blocks if isinstance(block, Plot)}
    return [
        (type(block).__name__, block)
        for block in section.blocks
        if isinstance(block, Plot) or getattr(block, "rows", None) not in behind
    ]


@functools.cache
def _template() -> jinja2.Template:
    """The template of a page; inserted values are escaped."""
    require_plots()
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("kibitz.reports", "."), autoescape=True
    )
    environment.filters |= {
        "name": name_cell,
        "number": number_cell,
        "drawing": lambda plot: themed(plot.svg(), plot.title),
    }
    return environment.get_template(TEMPLATE)


def name_cell(words: str) -> Markup:
    """A name for the page, in which lines may break between options, but not inside a word.

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

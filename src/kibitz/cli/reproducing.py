"""``kibitz reproduce``: the tables and figures of papers, made again."""

from __future__ import annotations

from typing import Annotated

import typer

from kibitz.cli import terminal
from kibitz.cli.options import (
    GamesFolder,
    HtmlFile,
    MarkdownFile,
    Seed,
    WorkerOptions,
    json_file,
)
from kibitz.cli.results import check_files, deliver


def reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="recycle, tag or love-letter.")],
    quick: Annotated[
        bool, typer.Option("--quick", help="Play a tenth of the games.", show_default=False)
    ] = False,
    html: HtmlFile = None,
    markdown: MarkdownFile = None,
    out: GamesFolder = None,
    seed: Seed = 0,
    *,
    crew: WorkerOptions,
    json: Annotated[
        str | None,
        json_file("Write the numbers here as JSON; '-' for standard output, without the report."),
    ] = None,
) -> None:
    """Make the tables and figures of a paper again.

    Its numbers stand beside ours.

    Papers:
      recycle        Bell and Goadrich, Playtesting with RECYCLED CARDSTOCK (2016)
      tag            Gaina et al., Design and Implementation of TAG (2020)
      love-letter    Wang and Zhang, Love Letter, project report

    Ctrl-C stops early and keeps the exhibits that are complete.

    Examples:
      kibitz reproduce recycle --quick
      kibitz reproduce love-letter --html love-letter.html --out runs/love-letter
    """
    from kibitz.reports import document_of
    from kibitz.reproduce.papers import PAPERS
    from kibitz.reproduce.papers import reproduce as make_again

    check_files(json, markdown, html=html)
    total = len(PAPERS[paper].exhibits) if paper in PAPERS else 1
    with terminal.progress(total, "exhibits") as progress:
        found = make_again(
            paper, quick=quick, seed=seed, workers=crew.all, out=out, progress=progress
        )
    deliver(found, document_of(found), json, html=html, markdown=markdown)

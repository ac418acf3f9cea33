"""Delivery of a command's result: as files, as JSON, as a report."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import typer

from kibitz.cli import terminal
from kibitz.core.errors import FileError
from kibitz.core.interrupt import exit_code

if TYPE_CHECKING:
    from kibitz.reports import Document


class Result(Protocol):
    """The result of a command."""

    @property
    def interrupted(self) -> bool:
        """Whether it was stopped early."""

    def to_json(self) -> dict[str, Any]:
        """The result as JSON types."""


def check_files(
    *files: str | None,
    html: str | None = None,
    plots: Path | None = None,
    folders: Iterable[Path | None] = (),
) -> None:
    """Checks, before anything is played, that all requested files can be written.

    Args:
        files: texts that may be wanted.
        html: a page with plots, if wanted.
        plots: a folder for plots, if wanted.
        folders: others that may be wanted.

    Raises:
        FileError: a file or a folder cannot be written.
        KibitzError: what draws plots is not installed.
    """
    if html is not None or plots is not None:
        from kibitz.reports.charts import require_plots

        require_plots()
    for file in (*files, html):
        terminal.check_writable(file)
    for folder in (plots, *folders):
        terminal.check_folder(folder)


def deliver(
    result: Result,
    document: Document,
    json: str | None,
    *,
    html: str | None = None,
    markdown: str | None = None,
    plots: Path | None = None,
    csv: tuple[Path | None, Callable[[Path], object]] = (None, lambda _: None),
    full: bool = True,
) -> None:
    """Writes the requested files, prints the report, and exits with the code of an interrupt.

    The report is printed even where something cannot be written: games were played for it. It is
    not printed where the JSON goes to standard output.

    Args:
        document: the report of the result.
        json: the file for the JSON, or ``-``.
        html: the file for a page with plots.
        markdown: the file for a page of documentation.
        plots: the folder for plots.
        csv: the folder for tables, and what writes them.
        full: whether the printed report has all details.

    Raises:
        FileError: a file cannot be written.
        typer.Exit: the work was interrupted.
    """
    from kibitz.reports import console

    unwritten: FileError | None = None
    try:
        _write(document, html, markdown, plots)
        if csv[0] is not None:
            csv[1](csv[0])
        if json is not None:
            terminal.write_json(json, result.to_json())
    except FileError as error:
        unwritten = error
    if json != terminal.STDOUT:
        # commands to copy may be longer than a line
        terminal.out().print(console.render(document, full), crop=False)
    if unwritten is not None:
        raise unwritten
    if result.interrupted:
        raise typer.Exit(exit_code())


def _write(document: Document, html: str | None, markdown: str | None, plots: Path | None) -> None:
    """Writes the report into files; what renders it is imported for those who ask for it."""
    if html is not None:
        from kibitz.reports import html as pages

        terminal.write_file(html, pages.render(document))
    if markdown is not None:
        from kibitz.reports import markdown as texts

        terminal.write_file(markdown, texts.render(document))
    if plots is not None:
        from kibitz.reports.charts import write_plots

        write_plots(document.plots(), plots)

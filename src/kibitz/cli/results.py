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
    from rich.console import RenderableType


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
        from kibitz.playtest.charts import require_plots

        require_plots()
    for file in (*files, html):
        terminal.check_writable(file)
    for folder in (plots, *folders):
        terminal.check_folder(folder)


def deliver(
    found: Result,
    render: Callable[[], RenderableType],
    json: str | None,
    files: Iterable[tuple[str | None, Callable[[], str]]] = (),
    folders: Iterable[tuple[Path | None, Callable[[Path], object]]] = (),
) -> None:
    """Writes the files, prints the report, and exits with the code of an interrupt, if any.

    The report is printed even where something cannot be written: games were played for it.

    Args:
        found: the result.
        render: makes the report, which is not printed where the JSON goes to standard output.
        json: the file for the JSON, or ``-``, if any.
        files: others that may be wanted, each with what makes its text.
        folders: that may be wanted, each with what fills it.

    Raises:
        FileError: a file cannot be written.
        typer.Exit: it was interrupted.
    """
    problem: FileError | None = None
    try:
        for folder, fill in folders:
            if folder is not None:
                fill(folder)
        for file, make in files:
            if file is not None:
                terminal.write_file(file, make())
        if json is not None:
            terminal.write_json(json, found.to_json())
    except FileError as met:
        problem = met
    if json != terminal.STDOUT:
        terminal.out().print(render(), crop=False)  # commands to copy may be longer than a line
    if problem is not None:
        raise problem
    if found.interrupted:
        raise typer.Exit(exit_code())

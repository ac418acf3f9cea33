"""What goes to the terminal: results to stdout, all else to stderr."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kibitz.core.errors import FileError, KibitzError, PlayError
from kibitz.core.files import write_text
from kibitz.core.interrupt import deferred
from kibitz.core.wording import wrapped

if TYPE_CHECKING:
    from rich.console import Console

STDOUT = "-"
"""The file name that means standard output."""


def out() -> Console:
    """Where results are shown."""
    from rich.console import Console

    class Results(Console):
        def on_broken_pipe(self) -> None:
            raise  # Rich would exit; a reader that has gone ends all commands alike

    return Results(highlight=False, soft_wrap=False)


def has_colours() -> bool:
    """Whether results are shown on a terminal, and nobody asked for plain text."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def say(text: str) -> None:
    """Tells the person something that is no result, if they still are there."""
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def flush() -> None:
    """Shows what was written and not shown yet; where nobody is left to see it, forgets it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)


def print_json(document: Any) -> None:
    """Writes a document to stdout, and nothing else."""
    print(json.dumps(document, indent=2, ensure_ascii=False))


def write_file(path: str, text: str) -> None:
    """Writes a text to a file, whole or not at all, or to stdout for ``-``.

    Raises:
        FileError: it cannot be written.
    """
    if path == STDOUT:
        print(text)
        return
    write_text(path, text + "\n")


def write_json(path: str, document: Any) -> None:
    """Writes a document as JSON to a file, or to stdout for ``-``."""
    write_file(path, json.dumps(document, indent=2, ensure_ascii=False))


def check_writable(path: str | None, new: bool = False) -> None:
    """Says at once that a result could not be written, rather than after an hour's work.

    Args:
        path: of the file, if there is to be one.
        new: whether it must not exist yet.

    Raises:
        FileError: the file's folder does not exist, or it is a folder itself.
    """
    if path is None or path == STDOUT:
        return
    if Path(path).is_dir():
        raise FileError(f"{path}: is a folder.")
    if new and Path(path).exists():
        raise FileError(f"{path}: exists already; give another name.")
    if not Path(path).absolute().parent.is_dir():
        raise FileError(f"{path}: cannot be written: there is no folder {Path(path).parent}.")


def width() -> int:
    """Columns of the terminal."""
    import shutil

    return shutil.get_terminal_size((80, 24)).columns


def print_text(text: str) -> None:
    """Text for people: wrapped on a terminal, line by line as it is in a file or a pipe."""
    print(wrapped(text, width()) if sys.stdout.isatty() else text)


def show_error(problem: KibitzError) -> None:
    """One clear message; with ``KIBITZ_TRACEBACK=1`` also where it came from."""
    if os.environ.get("KIBITZ_TRACEBACK", "0") not in ("", "0"):
        traceback.print_exception(problem)
        return
    text = str(problem)
    say(f"kibitz: {text}")
    if isinstance(problem, PlayError) and problem.seed is not None:
        if str(problem.seed) not in text:
            say(f"The game's seed was {problem.seed}.")


def announce_compilations() -> None:
    """From now on, says why nothing happens for a while when something is compiled."""
    from kibitz.core.native import compile_listeners

    if _announce_compilation not in compile_listeners:
        compile_listeners.append(_announce_compilation)


def _announce_compilation(name: str) -> None:
    say(f"Compiling {name}, which is done once ...")


@contextmanager
def patience(text: str, seconds: float = 2.0) -> Iterator[None]:
    """Says why nothing happens, if what is done within takes longer than so many seconds."""
    timer = threading.Timer(seconds, say, [text])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


FIRST_LINE = 5.0
"""Seconds after which it is first said how far a long run is, where there is no terminal."""
RAREST_LINE = 600.0
"""Seconds between two such lines, at most; before, each takes twice as long to come."""


@contextmanager
def _progress_lines(total: int) -> Iterator[Any]:
    """Says on stderr now and then how many games were played, ever more rarely."""
    over = threading.Event()
    done = 0

    def tell() -> None:
        began = time.monotonic()
        pause = FIRST_LINE
        while not over.wait(pause):
            passed = time.monotonic() - began
            say(f"{_count(done, total)}, {passed:,.0f} s")
            pause = min(max(passed, FIRST_LINE), RAREST_LINE)

    def update(count: int) -> None:
        nonlocal done
        done = count

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield update
    finally:
        over.set()
        teller.join()


@contextmanager
def games_progress(total: int) -> Iterator[Any]:
    """Progress on stderr, as a function to be called with the games played so far.

    On a terminal it is a bar; else a line now and then, none in a short run.
    """
    if not sys.stderr.isatty():
        with _progress_lines(total) as tell:
            yield tell
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        BarColumn(bar_width=30),
        TextColumn("{task.description}"),
        TimeRemainingColumn(),
    )
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task(_count(0, total), total=total)

    def update(done: int) -> None:
        bar.update(task, completed=done, description=_count(done, total))

    try:
        with deferred():  # an interrupt finds the terminal as it was, or leaves it so
            bar.start()
        yield update
    finally:
        with deferred(), contextlib.suppress(OSError):
            bar.stop()


def _count(done: int, total: int) -> str:
    return f"{done:,} of {total:,} games"

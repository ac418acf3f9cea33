"""Output to the terminal: results to stdout, all else to stderr.

All commands print by these functions, which are the only ones that write to a terminal: so what
strangers wrote, in records, files and messages, cannot control it.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import json
import logging
import os
import re
import sys
import threading
import time
import traceback
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kibitz.core.errors import FileError, KibitzError, PlayError
from kibitz.core.files import write_text
from kibitz.core.interrupt import deferred
from kibitz.core.progress import Progress
from kibitz.core.wording import CONTROLS, printable, wrapped

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

LOOKALIKES = {
    "\u2500": "-",
    "\u2501": "-",
    "\u2502": "|",
    "\u251c": "+",
    "\u2514": "+",
    "\u2022": "*",
    "\u00b7": ".",
    "\u2013": "-",
    "\u2014": "-",
    "\u2212": "-",
    "\u00b1": "+-",
    "\u00b5": "u",
    "\u00d7": "x",
    "\u2192": "->",
    "\u25b2": "^",
    "\u25bc": "v",
    "\u2660": "S",
    "\u2663": "C",
    "\u2665": "H",
    "\u2666": "D",
    "\u2260": "!=",
    "\u2264": "<=",
    "\u2265": ">=",
    "\u2018": "'",
    "\u2019": "'",
    "\u201c": '"',
    "\u201d": '"',
}
"""Characters of reports and texts, and what stands for them where an encoding lacks them."""

COLOUR = re.compile(r"(\x1b\[\d*m)")
"""The code of a colour or a style."""
STDOUT = "-"
"""The file name that means standard output."""


def degrade_characters() -> None:
    """Has stdout and stderr replace characters that their encoding lacks, instead of failing.

    An error handler that ``PYTHONIOENCODING`` names is kept.
    """
    codecs.register_error("kibitz", _plainer)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in FAILING:
            stream.reconfigure(errors="kibitz")


FAILING = ("strict", "surrogateescape", "backslashreplace")
"""The error handlers that Python gives stdout and stderr by itself."""


class _Warnings(logging.Handler):
    """Prints warnings of the library as messages of a command."""

    def emit(self, record: logging.LogRecord) -> None:
        """Prints a warning."""
        say(self.format(record))


def print_warnings() -> None:
    """Has warnings that nobody else handles printed as messages."""
    logging.lastResort = _Warnings(logging.WARNING)


def _plainer(problem: UnicodeError) -> tuple[str, int]:
    """Replaces characters by similar ones of ASCII; an error handler for codecs."""
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    lacking = problem.object[problem.start : problem.end]
    return "".join(map(_in_ascii, lacking)), problem.end


def _in_ascii(character: str) -> str:
    if character in LOOKALIKES:
        return LOOKALIKES[character]
    plain = unicodedata.normalize("NFKD", character).replace("\u2044", "/")
    return plain.encode("ascii", "ignore").decode() or "?"


def out() -> Console:
    """The console for results."""
    from rich.console import Console
    from rich.segment import Segment

    class Results(Console):
        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterator[Segment]:
            for text, style, control in super().render(renderable, options):
                yield Segment(text if control else printable(text), style, control)

        def on_broken_pipe(self) -> None:
            raise  # Rich would exit; here all commands end alike

    return Results(highlight=False, soft_wrap=False)


def has_colours() -> bool:
    """Whether results go to a terminal, and colours are not switched off."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def say(text: str) -> None:
    """Prints a message to stderr, if it is still open."""
    with contextlib.suppress(OSError):
        print(printable(text), file=sys.stderr, flush=True)


def flush() -> None:
    """Flushes stdout and stderr; output to a closed one is discarded."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)


def print_json(document: Any) -> None:
    """Writes a document to stdout as JSON."""
    print(_json_for_stdout(document))


def print_content(text: str, end: str = "\n") -> None:
    """Prints the content of a file, such as rules or a picture, without any change.

    On a terminal, characters that would control it are replaced.
    """
    print(printable(text) if sys.stdout.isatty() else text, end=end)


def write_file(path: str, text: str) -> None:
    """Writes a text to a file, whole or not at all, or to stdout for ``-``.

    Raises:
        FileError: it cannot be written.
    """
    if path == STDOUT:
        print_content(text)
        return
    write_text(path, text + "\n")


def write_json(path: str, document: Any) -> None:
    """Writes a document as JSON to a file, or to stdout for ``-``."""
    if path == STDOUT:
        print_json(document)
    else:
        write_file(path, json.dumps(document, indent=2, ensure_ascii=False))


def _json_for_stdout(document: Any) -> str:
    """JSON whose characters are escaped where stdout's encoding may lack them."""
    is_unicode = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
    text = json.dumps(document, indent=2, ensure_ascii=not is_unicode)
    return CONTROLS.sub(
        lambda match: match[0] if match[0] == "\n" else f"\\u{ord(match[0]):04x}", text
    )


def check_writable(path: str | None, new: bool = False) -> None:
    """Checks before any work that its result can be written.

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


def check_folder(folder: Path | None) -> None:
    """Checks before any work that its results can be written into a folder, new or not.

    Raises:
        FileError: it, or a folder that it is to be in, is a file.
    """
    if folder is None:
        return
    for place in (folder, *folder.absolute().parents):
        if place.exists() and not place.is_dir():
            raise FileError(f"{folder}: there can be no such folder: {place} is a file.")


def width() -> int:
    """Columns of the terminal."""
    import shutil

    return shutil.get_terminal_size((80, 24)).columns


def print_lines(text: str) -> None:
    """Prints lines without wrapping them, such as a table or a command to copy; flushes stdout."""
    print(printable(text), flush=True)


def print_text(text: str, *, coloured: bool = False) -> None:
    """Prints text, wrapped on a terminal only; flushes stdout.

    Args:
        text: of one line or several.
        coloured: whether codes for colours are kept; the text has no others than our own.
    """
    if coloured:
        pieces = COLOUR.split(text)  # texts, and codes between them
        safe = "".join(piece if i % 2 else printable(piece) for i, piece in enumerate(pieces))
    else:
        safe = printable(text)
    print(wrapped(safe, width()) if sys.stdout.isatty() else safe, flush=True)


def goes_on(number: int, last: int, is_terminal: bool) -> bool:
    """Waits for Enter after state `number` of a replay; returns whether to show the next one."""
    if number == last or is_terminal:
        return True
    try:
        return input(f"[{number} of {last}] Enter goes on, q stops: ").strip().lower() != "q"
    except EOFError:
        print_lines("")
        return False


def shows_tracebacks() -> bool:
    """Whether ``KIBITZ_TRACEBACK=1`` asks for tracebacks."""
    return os.environ.get("KIBITZ_TRACEBACK", "0") not in ("", "0")


def show_mistake(problem: Exception, place: str) -> None:
    """Prints an exception that an author's code raised at a place, or its traceback."""
    if shows_tracebacks():
        traceback.print_exception(problem)
        return
    say(f"kibitz: {place}: {type(problem).__name__}: {problem}")
    say("KIBITZ_TRACEBACK=1 shows how it came to that.")


def show_error(problem: KibitzError) -> None:
    """Prints an error's message; with ``KIBITZ_TRACEBACK=1`` its traceback."""
    if shows_tracebacks():
        traceback.print_exception(problem)
        return
    text = str(problem)
    say(f"kibitz: {text}")
    if isinstance(problem, PlayError) and problem.seed is not None:
        if str(problem.seed) not in text:
            say(f"The game's seed was {problem.seed}.")


def announce_compilations() -> None:
    """Makes compilations print a message, since they take a while."""
    from kibitz.core.native import compile_listeners

    if _announce_compilation not in compile_listeners:
        compile_listeners.append(_announce_compilation)


_announced = set[str]()


def _announce_compilation(name: str) -> None:
    """Says it once for each name: a game in RECYCLE is compiled for each setting."""
    if name not in _announced:
        _announced.add(name)
        say(f"Compiling {name}, which is done once ...")


@contextmanager
def notice_if_slow(text: str, seconds: float = 2.0) -> Iterator[None]:
    """Prints a message if the block takes longer than this number of seconds."""
    timer = threading.Timer(seconds, say, [text])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


FIRST_LINE = 5.0
"""Seconds until the first line of progress, without a terminal."""
RAREST_LINE = 600.0
"""Maximum time between two lines of progress, in seconds; the time doubles up to it."""


@contextmanager
def progress(
    unit: str = "games", *, stages: bool = False, whole: bool = False
) -> Iterator[Progress]:
    """Shows progress on stderr: gives the callback that long work reports to.

    On a terminal it is a bar; else an occasional line, or a line for each stage.

    Args:
        unit: what is counted; empty where a line should not tell counts.
        stages: whether the stages of the work matter more than its counts.
        whole: whether counts are those of all stages together.
    """
    if sys.stderr.isatty():
        with _bar(None, "") as (bar, task):

            def show(stage: str, done: int, total: int) -> None:
                counts = f"{done:,} of {total:,} {unit}"
                text = stage if stages else counts
                bar.update(task, total=total, completed=done, description=printable(text))

            yield show
    elif stages:
        shown = set[str]()

        def say_once(stage: str, done: int, total: int) -> None:
            if stage not in shown:
                shown.add(stage)
                counts = f"{done:,} of {total:,}" if whole else f"{total:,}"
                say(f"{stage} ({counts} {unit})" if unit else stage)

        yield say_once
    else:
        with _progress_lines(unit) as note:
            yield note


@contextmanager
def _progress_lines(unit: str) -> Iterator[Progress]:
    """Prints to stderr how many are done, at growing intervals."""
    over = threading.Event()
    counts = 0, 0

    def print_lines() -> None:
        began = time.monotonic()
        pause = FIRST_LINE
        while not over.wait(pause):
            passed = time.monotonic() - began
            say(f"{counts[0]:,} of {counts[1]:,} {unit}, {passed:,.0f} s")
            pause = min(max(passed, FIRST_LINE), RAREST_LINE)

    def note(_: str, done: int, total: int) -> None:
        nonlocal counts
        counts = done, total

    printer = threading.Thread(target=print_lines, daemon=True)
    printer.start()
    try:
        yield note
    finally:
        over.set()
        printer.join()


@contextmanager
def _bar(total: int | None, text: str) -> Iterator[Any]:
    """A bar on stderr that vanishes in the end, and its only task."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        BarColumn(bar_width=30),
        TextColumn("{task.description}", markup=False),
        TimeRemainingColumn(),
    )
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task(text, total=total)
    try:
        with deferred():  # so that an interrupt never leaves half a bar behind
            bar.start()
        yield bar, task
    finally:
        with deferred(), contextlib.suppress(OSError):
            bar.stop()

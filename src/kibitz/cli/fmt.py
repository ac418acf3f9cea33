"""``kibitz fmt``: formats rules."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from kibitz.cli import terminal
from kibitz.core.errors import FileError, KibitzError
from kibitz.core.files import write_text
from kibitz.loading import language_of, languages, named_failures

CHANGED = 1
"""Exit code of ``--check`` when a file would change."""
FAILED = 2
"""Exit code when a file could not be formatted."""


def fmt(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            show_default=False,
            help="Files in RECYCLE or GDL; '-' reads standard input and writes standard output.",
        ),
    ],
    check: Annotated[
        bool,
        typer.Option("--check", help="Change nothing; the exit code is 1 if a file would change."),
    ] = False,
    stdout: Annotated[
        bool, typer.Option("--stdout", help="Print the result instead of changing the file.")
    ] = False,
) -> None:
    """Format the rules of games: indentation and line breaks.

    Only white space changes; comments and groups of lines stay. A file whose parentheses do not
    match is not changed, and the error is shown.

    Examples:
      kibitz fmt mygame.rcy
      kibitz fmt *.rcy --check
      kibitz fmt mygame.kif --stdout
    """
    changed = failed = 0
    for file in files:
        try:
            text = _read(file)
            new = _formatted(text, file)
            if stdout or file == terminal.STDOUT:
                _print(new)
            elif new != text:
                changed += 1
                if not check:
                    write_text(file, new)
                terminal.say(f"{file}: {'would change' if check else 'formatted'}.")
        except KibitzError as problem:
            failed += 1
            terminal.show_error(problem)
    if failed:
        raise typer.Exit(FAILED)
    if check and changed:
        raise typer.Exit(CHANGED)
    if not changed and not stdout and files != [terminal.STDOUT]:
        few = "It is" if len(files) == 1 else f"All {len(files)} files are"
        terminal.say(f"{few} well formatted already.")


def _formatted(text: str, name: str) -> str:
    """The formatted text.

    Raises:
        FileError: no language recognizes it, or its parentheses do not match.
        GameDefinitionError: the formatter of the language failed.
    """
    from kibitz.syntax.source import Source

    source = Source(name, text)
    language = language_of(source)
    if language is None:
        known = [
            f"{candidate.title}, which has {candidate.recognized_by}"
            for candidate in languages().values()
            if candidate.recognized_by
        ]
        raise FileError(f"{name}: is not a game in {', nor in '.join(known)}.")
    with named_failures(language, "format"):
        return language.format(source)


def _read(file: str) -> str:
    """The text of a file, with its line ends.

    Raises:
        FileError: it cannot be read, is too long, or is not a text.
    """
    from kibitz.core.files import checked_length
    from kibitz.syntax.source import MOST_BYTES, read_bytes

    if file == terminal.STDOUT:
        content = checked_length(sys.stdin.buffer.read(MOST_BYTES + 1), MOST_BYTES, file)
    else:
        content = read_bytes(file)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        raise FileError(f"{file}: is not a text in UTF-8 (line {line}).") from None


def _print(text: str) -> None:
    """Writes a text to stdout without changing its line ends, unless that is a terminal."""
    if sys.stdout.isatty():
        terminal.print_content(text, end="")
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()

"""The command-line application: its commands, errors and exit codes."""

from __future__ import annotations

import errno
import inspect
import os
import re
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from kibitz.cli import (
    catalogue,
    certify,
    check,
    compare,
    exploitability,
    fmt,
    ggp,
    ladder,
    learn,
    new,
    picture,
    play,
    playtest,
    record,
    rules,
    runs,
    serve,
    study,
    terminal,
    tournament,
    translate,
    tune,
)
from kibitz.cli.commands import Command
from kibitz.cli.failures import place_of_mistake
from kibitz.cli.groups import with_groups
from kibitz.core.errors import KibitzError
from kibitz.core.interrupt import (
    allowed,
    catch_signals,
    exit_code,
    raise_only_where_allowed,
    was_signalled,
    watch_end,
)

FAILED = 2
"""Exit code after an error that was reported."""

SIGPIPE, SIGHUP = 13, 1
LOST_OUTPUT = {errno.EPIPE: SIGPIPE, errno.EIO: SIGHUP}
"""Errors of writing to a pipe or terminal that is gone, and the equivalent signals."""


class Kibitz(TyperGroup):
    """All commands; a ``KibitzError`` becomes one message and exit code 2."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands in the order in which they were added."""
        return list(self.commands)

    def invoke(self, ctx: Any) -> Any:
        """Runs a command."""
        try:
            return allowed(self._run, ctx)
        except KibitzError as problem:
            terminal.show_error(problem)
            raise typer.Exit(FAILED) from None
        except KeyboardInterrupt:
            raise _stopped() from None
        except Exception as problem:
            # Python 3.11 wraps what comes up while a class is made
            if isinstance(problem.__cause__, KeyboardInterrupt):
                raise _stopped() from None
            if isinstance(problem, OSError) and problem.errno in LOST_OUTPUT:
                raise typer.Exit(exit_code(LOST_OUTPUT[problem.errno])) from None
            place = place_of_mistake(problem)
            if not place:
                raise
            terminal.show_mistake(problem, place)
            raise typer.Exit(FAILED) from None

    def _run(self, ctx: Any) -> Any:
        result = super().invoke(ctx)
        sys.stdout.flush()
        return result


def _stopped() -> typer.Exit:
    """Says that an interrupt ended the command, and returns its exit."""
    terminal.say("\nStopped.")
    return typer.Exit(exit_code())


app = typer.Typer(
    name="kibitz",
    cls=Kibitz,
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def with_examples(function: Callable[..., Any]) -> str:
    """The help of a command: its docstring, with the line breaks of its lists."""
    return re.sub(r"\n(Examples|Papers):\n", r"\n\b\n\1:\n", inspect.getdoc(function) or "")


def _print_version(requested: bool) -> None:
    if requested:
        import kibitz

        terminal.print_lines(f"kibitz {kibitz.__version__}")
        raise typer.Exit


def kibitz(
    ctx: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Kibitz plays your tabletop game thousands of times and tells you what it saw.

    Examples:
      kibitz games                                list the games
      kibitz show love-letter                     describe a game
      kibitz playtest love-letter --games 1000    report how it plays
      kibitz play love-letter --players 3         play it yourself
      kibitz new my-game                          start a game of your own

    'kibitz COMMAND --help' explains a command and gives examples.
    """
    if ctx.invoked_subcommand is None:
        terminal.print_lines(ctx.get_help())


COMMANDS: tuple[Callable[..., None], ...] = (
    catalogue.games,
    catalogue.show,
    rules.rules,
    catalogue.agents,
    playtest.playtest,
    study.study,
    compare.compare,
    ladder.ladder,
    tournament.tournament,
    play.play,
    serve.serve,
    record.record,
    record.replay,
    picture.picture,
    check.check,
    certify.certify,
    fmt.fmt,
    check.perft,
    exploitability.exploitability,
    learn.learn,
    translate.translate,
    new.new,
)


def fill(
    group: typer.Typer, overview: Callable[..., None], commands: Iterable[Callable[..., None]]
) -> None:
    """Adds commands to a group, and the overview that it prints without a command."""
    group.callback(invoke_without_command=True, help=with_examples(overview))(overview)
    for command in commands:
        group.command(cls=Command, help=with_examples(command))(with_groups(command))


fill(app, kibitz, COMMANDS)
for name, module in {"runs": runs, "tune": tune, "ggp": ggp}.items():
    inner = typer.Typer(rich_markup_mode=None, add_completion=False)
    fill(inner, module.overview, module.COMMANDS)
    app.add_typer(inner, name=name)


def main() -> None:
    """Runs the command of the process; signals end the command only.

    If a thread is left behind the process exits at once, since the memory that native code uses in
    the thread must not be freed before. It also ends at once after a signal: clearing up all that
    was imported takes a tenth of a second.
    """
    raise_only_where_allowed()
    catch_signals()
    terminal.degrade_characters()
    terminal.print_warnings()
    on_terminal = sys.stdout is not None and sys.stdout.isatty()
    watch_end(sys.stdout, SIGHUP if on_terminal else SIGPIPE)
    try:
        app(prog_name="kibitz")
    except OSError as problem:  # a full disk, say
        sys.exit(f"kibitz: {problem.strerror or problem}.")
    except SystemExit as end:
        at_once = was_signalled() or threading.active_count() > 1
        if at_once and isinstance(end.code, int):
            terminal.flush()
            os._exit(end.code)
        raise
    finally:
        terminal.flush()

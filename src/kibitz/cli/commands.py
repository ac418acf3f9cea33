"""The class of all commands, in which ``--json`` has the same forms everywhere."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand

from kibitz.cli.terminal import STDOUT

OPTION = "--json"
SUFFIX = ".json"


class Command(TyperCommand):
    """A command of Kibitz.

    If ``--json`` takes a file, it prints to standard output without one. If it is a flag, ``-``
    may follow it.
    """

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The words of the usage line, without hidden arguments."""
        pieces: list[str] = super().collect_usage_pieces(ctx)
        for parameter in self.params:
            if getattr(parameter, "hidden", False):
                pieces = [p for p in pieces if p not in parameter.get_usage_pieces(ctx)]
        return pieces

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the arguments.

        Raises:
            typer.BadParameter: an argument is wrong.
        """
        for option in self.params:
            if OPTION in option.opts:
                args = _completed(args, ctx, bool(getattr(option, "is_flag", False)))
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed


def _completed(args: list[str], ctx: Any, prints_only: bool) -> list[str]:
    """The arguments with the value of ``--json`` added or removed, as the option requires.

    Args:
        args: the arguments as the user wrote them.
        prints_only: whether the option is a flag, which takes no file.

    Raises:
        typer.BadParameter: a file is given to a flag.
    """
    end = args.index("--") if "--" in args else len(args)
    if OPTION not in args[:end]:
        return args
    behind = args.index(OPTION) + 1
    value = args[behind] if behind < len(args) else ""
    if prints_only and value == STDOUT:
        return args[:behind] + args[behind + 1 :]
    if prints_only and value.endswith(SUFFIX):
        raise typer.BadParameter(
            f"{OPTION} prints to standard output here. To keep it in a file write: "
            f"{ctx.command_path} ... {OPTION} > {value}",
            ctx=ctx,
        )
    if not prints_only and (not value or (value.startswith("-") and value != STDOUT)):
        return [*args[:behind], STDOUT, *args[behind:]]
    return args

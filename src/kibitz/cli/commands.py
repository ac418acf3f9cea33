"""The class of all commands: ``--json`` is understood alike, with and without a file."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand

from kibitz.cli.terminal import STDOUT

OPTION = "--json"
SUFFIX = ".json"


class Command(TyperCommand):
    """A command of Kibitz.

    Where ``--json`` names a file, standard output is meant without one; where it always prints
    to standard output, ``-`` may say so.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the arguments.

        Raises:
            typer.BadParameter: they are wrong.
        """
        for option in self.params:
            if OPTION in option.opts:
                args = _completed(args, ctx, bool(getattr(option, "is_flag", False)))
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed


def _completed(args: list[str], ctx: Any, prints_only: bool) -> list[str]:
    """The arguments with exactly what the option expects behind it.

    Args:
        args: as a person wrote them.
        ctx: of the command.
        prints_only: whether the option is a flag, which takes no file.

    Raises:
        typer.BadParameter: it is given a file that it does not take.
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

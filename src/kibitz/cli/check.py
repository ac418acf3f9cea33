"""``kibitz check`` and ``kibitz perft``: checks of a game's rules."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Annotated

import typer

from kibitz.cli import terminal
from kibitz.cli.groups import OptionGroup
from kibitz.cli.options import (
    GameName,
    JsonOnly,
    ParameterOptions,
    PlayerCount,
    Seed,
    Settings,
    describe_table,
    find_game,
)
from kibitz.core.errors import KibitzError
from kibitz.core.interrupt import exit_code
from kibitz.core.progress import Progress
from kibitz.loading import language_and_source, named_failures
from kibitz.syntax.language import CheckOptions, CheckResult

BROKEN = 1
"""Exit code when a game has problems."""
FAILED = 2
"""Exit code when a game could not be read."""


@dataclass(frozen=True)
class ExtentOptions(OptionGroup):
    """How many games are played, and at which tables."""

    rounds: Annotated[
        int | None,
        typer.Option(
            "--games",
            "-g",
            metavar="G",
            min=0,
            show_default=False,
            help="Games at each table; 0: rules are only read.  "
            "[default: 40 in RECYCLE, 12 in GDL and Python]",
        ),
    ] = None
    actions: Annotated[
        int | None,
        typer.Option(
            "--actions",
            "-a",
            metavar="A",
            min=1,
            show_default=False,
            help="Actions to inspect one by one in a game in Python.  [default: 5000]",
        ),
    ] = None
    players: Annotated[
        int | None,
        typer.Option(
            "--players",
            "-p",
            metavar="N",
            show_default=False,
            help="Only tables of this size.  [default: all]",
        ),
    ] = None
    seed: Seed = 0
    settings: Settings = None

    def for_language(self) -> CheckOptions:
        """The options for the check of a language.

        Raises:
            ParameterError: a setting is not of the form ``name=value``.
        """
        return CheckOptions(
            games=self.rounds,
            actions=self.actions,
            players=self.players,
            seed=self.seed,
            parameters=ParameterOptions(self.settings).values(),
        )


def check(
    games: Annotated[
        list[str],
        typer.Argument(
            metavar="GAME...",
            show_default=False,
            help="Games by their names, files in RECYCLE or GDL, or games of your own as FILE.py "
            "or MODULE:CLASS, which runs that code.",
        ),
    ],
    *,
    extent: ExtentOptions,
    strict: Annotated[
        bool, typer.Option("--strict", help="Warnings, too, make the exit code 1.")
    ] = False,
    json: JsonOnly = False,
) -> None:
    """Check whether the rules of games are right.

    A game in RECYCLE is read: errors and probable mistakes are reported, each with its line and a
    likely cure. If there is no error, it is played at random, with every number of players and
    with the least and the greatest values that its header declares: what breaks games off, never
    ends, or is never reached? A comment ';; ok: CODE' silences a warning.

    A game in GDL is read, too, and played at random: does it end, can every role always
    move, does each have exactly one goal value at the end?

    A game in Python is played at random: which laws of the contract does a rule break, and where?
    Every game is played to its end. In long games only some actions are inspected one by one,
    about as many in all as --actions says: the beginnings, the ends, the first of every kind and
    some by chance; the report says how many. Ctrl-C shows what was found so far.

    Errors come first, then warnings, then remarks: what only some random games have shown, and
    may be intended. The exit code is 1 when there are errors; with --strict, warnings, too.

    Examples:
      kibitz check mygame.rcy
      kibitz check *.rcy --strict
      kibitz check mygame.rcy --players 3 --set hand=5 --json
      kibitz check mygame.kif --games 50
      kibitz check love-letter
      kibitz check src/my_game/rules.py --games 100
    """
    results = list(_check_all(games, extent.for_language(), json))
    checked = [result for result in results if result is not None]
    if json:
        documents = [result.document(strict) for result in checked]
        terminal.print_json(documents[0] if len(games) == 1 else documents)
    if not all(result.complete for result in checked):
        raise typer.Exit(exit_code())
    if len(checked) < len(results):
        raise typer.Exit(FAILED)
    if not all(result.is_right(strict) for result in checked):
        raise typer.Exit(BROKEN)


def _check_all(
    games: Sequence[str], options: CheckOptions, json: bool
) -> Iterator[CheckResult | None]:
    """Checks one game after the other, and prints each result, unless JSON is wanted.

    ``None`` stands for a game that could not be read, whose error is printed. An interrupted check
    is the last one.

    Raises:
        KibitzError: the only game cannot be read.
    """
    for number, game in enumerate(games):
        if number and not json:
            terminal.print_lines("")
        try:
            result = _check(game, options, quiet=json)
        except KibitzError as problem:
            if len(games) == 1:
                raise
            terminal.show_error(problem)
            yield None
            continue
        if not result.complete:
            terminal.say("Stopped.")
        if not json:
            coloured = terminal.has_colours()
            terminal.print_text(result.render(coloured), coloured=coloured)
        yield result
        if not result.complete:
            return


def _check(game: str, options: CheckOptions, quiet: bool) -> CheckResult:
    """Checks one game; shows the progress on stderr, unless quiet only if it takes long."""
    language, source = language_and_source(game)
    with named_failures(language, "check"), _progress(quiet) as progress:
        return language.check(game, source, replace(options, progress=progress))


@contextmanager
def _progress(quiet: bool) -> Iterator[Progress]:
    """Gives the callback that a check reports to.

    It prints the stage: immediately if the number of games is known, else after 4 seconds.
    """
    with ExitStack() as shown:
        bar: Progress | None = None

        def show(stage: str, done: int, total: int) -> None:
            nonlocal bar
            if bar is None:
                terminal.announce_compilations()
                if not total:
                    shown.enter_context(terminal.notice_if_slow(stage, 4.0))
                elif not quiet:
                    terminal.say(stage)
                bar = shown.enter_context(terminal.progress()) if total else lambda *_: None
            bar(stage, done, total)

        yield show


def perft(
    game: GameName,
    depth: Annotated[
        int, typer.Option("--depth", "-d", metavar="D", min=1, help="How many actions deep.")
    ],
    players: PlayerCount = None,
    seed: Seed = 0,
    *,
    parameters: ParameterOptions,
    json: JsonOnly = False,
) -> None:
    """Count the sequences of actions up to a length.

    All that the rules allow from the start of one game are counted.

    Nearly every mistake in the rules changes these counts, and for many games they are known.
    Chance is fixed by the seed.

    Examples:
      kibitz perft tic-tac-toe --depth 9
      kibitz perft love-letter --depth 4 --players 3 --seed 7
    """
    from kibitz.arena.perft import perft as count

    table = parameters.table(find_game(game), players)
    state = table.new_state(seed)
    began = time.perf_counter()
    with terminal.notice_if_slow("Counting ...", 5.0):
        counts = count(state, depth)
    seconds = time.perf_counter() - began
    if json:
        terminal.print_json(
            {
                "game": table.game.name,
                "players": table.players,
                "parameters": table.parameters.to_json(),
                "seed": seed,
                "histories": counts.histories,
                "games": counts.games,
                "broken": counts.broken,
            }
        )
        return
    terminal.print_lines(f"{describe_table(table)}, seed {seed}\n")
    widest = max(len("histories"), *(len(f"{number:,}") for number in counts.histories))
    terminal.print_lines(f"actions  {'histories':>{widest}}")
    for length, number in enumerate(counts.histories, start=1):
        terminal.print_lines(f"{length:7}  {number:>{widest},}")
    rate = sum(counts.histories) / max(seconds, 1e-9)
    ends = f"{counts.games:,} of them end the game."
    terminal.print_lines(f"\n{ends} {seconds:.2f} s, {rate:,.0f} actions/s.")
    if counts.broken:
        terminal.print_lines(
            f"{counts.broken:,} break off: a dead end, a limit or a failure of the rules."
        )

"""``kibitz check`` and ``kibitz perft``: whether a game's rules are right."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli import terminal
from kibitz.cli.options import (
    GameName,
    JsonOnly,
    ParametersFile,
    Players,
    Seed,
    Settings,
    describe_table,
    find_game,
    find_table,
)
from kibitz.core.errors import KibitzError, ParameterError
from kibitz.core.interrupt import exit_code
from kibitz.core.wording import counted, listed
from kibitz.loading import language_of, rules_text

if TYPE_CHECKING:
    from kibitz.arena.conformance import Report
    from kibitz.arena.trial import Trial
    from kibitz.syntax.source import Diagnostic, Source

BROKEN = 1
"""Exit code when a game has problems."""
FAILED = 2
"""Exit code when a game could not be looked at."""


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
    rounds: Annotated[
        int | None,
        typer.Option(
            "--games",
            "-g",
            metavar="G",
            min=0,
            show_default=False,
            help="Games at each table that is tried; 0: rules are only read.  "
            "[default: 40 in RECYCLE, 12 in GDL and Python]",
        ),
    ] = None,
    actions: Annotated[
        int | None,
        typer.Option(
            "--actions",
            "-a",
            metavar="A",
            min=1,
            show_default=False,
            help="Actions of a game in Python to be looked at one by one.  [default: 5000]",
        ),
    ] = None,
    players: Annotated[
        int | None,
        typer.Option(
            "--players",
            "-p",
            metavar="N",
            show_default=False,
            help="Only tables of this size.  [default: all]",
        ),
    ] = None,
    seed: Seed = 0,
    settings: Settings = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Warnings, too, make the exit code 1.")
    ] = False,
    json: JsonOnly = False,
) -> None:
    """Check whether the rules of games are right.

    A game in RECYCLE is read: every error and everything that is probably not meant is told,
    with its line and what is likely to help. If there is no error, it is played at random, with
    every number of players and with the least and the greatest values that its header
    declares: what breaks games off, finds no end, or is never reached? A comment ';; ok: CODE'
    silences a warning.

    A game in GDL is read, too, and played at random: does it end, can everyone always move, has
    everyone one goal value at the end?

    A game in Python is played at random: which laws that all else relies on does a rule break,
    and where? Every game is played to its end. Of long ones about as many actions are looked at
    one by one as --actions says, all games together: the beginnings, the ends, the first of every
    sort and some by chance; the report says how many. Ctrl-C shows what was found so far.

    Errors are told first, then warnings, then remarks: what only some random games have shown,
    and may be all right. The exit code is 1 when there are errors; with --strict, warnings, too.

    Examples:
      kibitz check mygame.rcy
      kibitz check *.rcy --strict
      kibitz check mygame.rcy --players 3 --set hand=5 --json
      kibitz check mygame.kif --games 50
      kibitz check love-letter
      kibitz check src/my_game/rules.py --games 100
    """
    documents: list[Any] = []
    right = readable = True
    stopped = False
    for number, game in enumerate(games):
        if number and not json:
            print()
        try:
            source = rules_text(game)
            if source is None:
                report = _check_python(game, rounds, actions, players, seed, settings, json)
                ok, document = report.ok, report.to_json()
                stopped = not report.complete
            else:
                diagnostics, trial = _diagnose(game, source, rounds, players, seed, settings)
                ok, document = _tell(source, diagnostics, trial, strict, json)
        except KibitzError as problem:
            if len(games) == 1:
                raise
            terminal.show_error(problem)
            readable = False
            continue
        right = right and ok
        documents.append(document)
        if stopped:
            break
    if json:
        terminal.print_json(documents[0] if len(games) == 1 else documents)
    if stopped:
        raise typer.Exit(exit_code())
    if not readable:
        raise typer.Exit(FAILED)
    if not right:
        raise typer.Exit(BROKEN)


def _check_python(
    game: str,
    rounds: int | None,
    actions: int | None,
    players: int | None,
    seed: int,
    settings: list[str] | None,
    quiet: bool,
) -> Report:
    """Plays a game and shows what was found, or what was found so far."""
    from kibitz.arena.conformance import check_game
    from kibitz.arena.conformance.check import ACTIONS, GAMES

    if rounds == 0:
        raise ParameterError(f"{game} is in Python: what it does is only known from games.")
    rounds = rounds or GAMES
    found = find_game(game)
    if settings:
        raise ParameterError(
            f"--set is for games in RECYCLE; {found.name} is checked with many values of all"
            " its parameters."
        )
    if not quiet:
        terminal.say(f"Checking {found.name} ...")
    report: Report | None = None

    low, high = found.players
    sizes = high - low + 1 if players is None else 1

    def show_progress(so_far: Report) -> None:
        nonlocal report
        report = so_far
        progress(so_far.checked["games"])

    try:
        with terminal.games_progress(rounds * sizes) as progress:
            report = check_game(
                found,
                games=rounds,
                seed=seed,
                players=players,
                actions=actions or ACTIONS,
                on_game=show_progress,
            )
    except KeyboardInterrupt:
        if report is None:
            raise
        terminal.say("Stopped.")
    if not quiet:
        print(report)
    return report


def _diagnose(
    game: str,
    source: Source,
    rounds: int | None,
    players: int | None,
    seed: int,
    settings: list[str] | None,
) -> tuple[list[Diagnostic], Trial | None]:
    """Reads rules, and plays them if they are sound; what there is to say about them."""
    if language_of(source) == "gdl":
        if settings or players is not None:
            raise ParameterError(f"{source.name} is in GDL: its rules say who plays, and how.")
        return _diagnose_gdl(source, rounds, seed), None
    from kibitz.recycle.checker import silenced

    read, played = _values(source, settings)
    diagnostics = read_rules(source, players, read)
    if rounds == 0 or any(one.is_error for one in diagnostics):
        return diagnostics, None
    from kibitz.arena.trial import GAMES, try_out
    from kibitz.recycle.game import game_class

    terminal.announce_compilations()
    kind = game_class(source)
    kind.where = game
    with terminal.patience(f"Playing {source.name} ...", 4.0):
        trial = try_out(kind, players, played, rounds or GAMES, seed)
    return silenced([*diagnostics, *trial.news(diagnostics)], source), trial


def read_rules(
    source: Source, players: int | None = None, values: Mapping[str, int] | None = None
) -> list[Diagnostic]:
    """What reading rules shows, without playing: errors and warnings, by their places.

    Args:
        source: the rules.
        players: how many play; else what holds for the usual, the least and the most.
        values: parameters that are not as usual, of a game that has any.
    """
    if language_of(source) == "gdl":
        from kibitz.gdl import checker as gdl

        return gdl.diagnose(source)
    from kibitz.recycle import checker as recycle

    return recycle.diagnose(source, players, values)


GRAVE = (
    *("endless", "never-runs", "dead-choice", "no-such-player", "no-such-team", "never-equal"),
    *("never-filled", "never-set", "end-unchanged", "contradiction", "constant-condition"),
    *("other-than-current", "dead-option", "hidden-information", "maybe-empty"),
)
"""Codes of warnings after which a game mostly is not the one that was meant, the gravest first."""


def gravest(warnings: Sequence[Diagnostic]) -> Diagnostic:
    """The one that matters most; the first of several."""
    rank = {code: number for number, code in enumerate(GRAVE)}
    return min(warnings, key=lambda one: (not one.is_error, rank.get(one.code, len(GRAVE))))


def _diagnose_gdl(source: Source, rounds: int | None, seed: int) -> list[Diagnostic]:
    """What is to be said about rules in GDL, from reading them and, if they are sound, playing."""
    from kibitz.gdl.checker import silenced

    diagnostics = read_rules(source)
    if rounds != 0 and not any(one.is_error for one in diagnostics):
        from kibitz.gdl.simulation import GAMES, simulate

        with terminal.patience(f"Playing {source.name} ...", 4.0):
            found = simulate(source, rounds or GAMES, seed)
        diagnostics = diagnostics + silenced(found, source)
    return diagnostics


def _tell(
    source: Source,
    diagnostics: list[Diagnostic],
    trial: Trial | None,
    strict: bool,
    quiet: bool,
) -> tuple[bool, Any]:
    """Shows what there is to say; whether the rules are right, and the report."""
    from kibitz.syntax.source import Severity, render, to_json

    errors, warnings, remarks = (
        sum(one.severity is severity for one in diagnostics) for severity in Severity
    )
    grave = list(Severity)
    diagnostics = sorted(diagnostics, key=lambda one: grave.index(one.severity))
    if not quiet:
        for one in diagnostics:
            print(render(one, source, color=terminal.has_colours()), end="\n\n")
        if trial is not None:
            terminal.print_text(f"Played {trial.summary()}.")
        print(f"{source.name}: {_summary(errors, warnings, remarks)}")
    ok = not errors and not (strict and warnings)
    return ok, {
        "file": source.name,
        "ok": ok,
        "errors": errors,
        "warnings": warnings,
        "remarks": remarks,
        "diagnostics": [to_json(one, source) for one in diagnostics],
        **({} if trial is None else {"trial": trial.to_json()}),
    }


def _values(
    source: Source, settings: list[str] | None
) -> tuple[dict[str, int], dict[str, int | bool]]:
    """The values of a card game's parameters: by the names in its text, and by the public ones."""
    if not settings:
        return {}, {}
    from kibitz.core.parameters import read_assignments
    from kibitz.recycle.game import WHEN_STUCK, game_class

    kind = game_class(source)
    read: dict[str, int] = {}
    played: dict[str, int | bool] = {}
    for name, value in read_assignments(settings).items():
        if name == WHEN_STUCK:
            played[name] = kind.Parameters.tunables[name].parse(value)
            continue
        try:
            number = int(value)
        except ValueError:
            raise ParameterError(f"{name} = {value} is not allowed: a whole number.") from None
        read[kind.own_parameters.get(name, name)] = played[name] = number
    return read, played


def _summary(errors: int, warnings: int, remarks: int) -> str:
    """What was found, as a sentence."""
    found = [
        counted(number, what)
        for number, what in ((errors, "error"), (warnings, "warning"), (remarks, "remark"))
        if number
    ]
    return f"{listed(found) or 'nothing to complain about'}."


def perft(
    game: GameName,
    depth: Annotated[
        int, typer.Option("--depth", "-d", metavar="D", min=1, help="How many actions deep.")
    ],
    players: Players = None,
    seed: Seed = 0,
    settings: Settings = None,
    parameters: ParametersFile = None,
    json: JsonOnly = False,
) -> None:
    """Count the histories that the rules allow from the start of one game.

    Nearly every mistake in the rules changes these counts, and for many games they are known.
    Chance is fixed by the seed.

    Examples:
      kibitz perft tic-tac-toe --depth 9
      kibitz perft love-letter --depth 4 --players 3 --seed 7
    """
    from kibitz.arena.perft import perft as count

    table = find_table(find_game(game), players, settings, parameters)
    state = table.new_state(seed)
    began = time.perf_counter()
    with terminal.patience("Counting ...", 5.0):
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
    print(f"{describe_table(table)}, seed {seed}\n")
    widest = max(len("histories"), *(len(f"{number:,}") for number in counts.histories))
    print(f"actions  {'histories':>{widest}}")
    for length, number in enumerate(counts.histories, start=1):
        print(f"{length:7}  {number:>{widest},}")
    rate = sum(counts.histories) / max(seconds, 1e-9)
    print(f"\n{counts.games:,} of them end the game. {seconds:.2f} s, {rate:,.0f} actions/s.")
    if counts.broken:
        print(f"{counts.broken:,} break off: a dead end, a limit or a failure of the rules.")

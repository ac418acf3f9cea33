"""``kibitz playtest``: many games, and what they show."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli import terminal
from kibitz.cli.options import (
    Agents,
    GameName,
    Loops,
    ParameterOptions,
    Players,
    Randomize,
    Seed,
    WorkerOptions,
    find_game,
    json_file,
    player_count,
    run_place,
    split_agents,
)
from kibitz.cli.results import check_files, deliver
from kibitz.cli.study import study
from kibitz.core.errors import KibitzError
from kibitz.core.wording import counted

USUAL_GAMES = 1000

if TYPE_CHECKING:
    from kibitz.core.game import Game, Table
    from kibitz.studies import Playtest, Variants


def playtest(
    game: GameName,
    others: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    games: Annotated[
        int | None,
        typer.Option(
            "--games",
            "-g",
            metavar="G",
            min=1,
            show_default=False,
            help="Games to play.  [default: 1,000 where other options ask for a plain run]",
        ),
    ] = None,
    agents: Agents = None,
    players: Players = None,
    seed: Seed = 0,
    randomize: Randomize = False,
    *,
    parameters: ParameterOptions,
    rotate: Annotated[
        bool,
        typer.Option(
            "--rotate/--no-rotate", help="Whether agents change seats from game to game."
        ),
    ] = True,
    workers: WorkerOptions,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary",
            metavar="NAME=VALUES",
            show_default=False,
            help="Play every one of these values of a parameter, or of 'players', and compare "
            "them: hand=1..6, or ties=yes,no. May be repeated: then every combination.",
        ),
    ] = None,
    loops: Loops = None,
    branching: Annotated[
        bool,
        typer.Option(
            "--branching", help="Also show how many options there are at each action of a game."
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            show_default=False,
            parser=run_place,
            help="Keep a row for every game and seat in this folder, or object store "
            "(s3://BUCKET/NAME), as Parquet files, and go on with the run that is there; see "
            "'kibitz runs'.",
        ),
    ] = None,
    record: Annotated[
        str | None,
        typer.Option(
            "--record",
            metavar="WHAT",
            show_default=False,
            help="What else to write down, with commas between: 'decisions' (what was chosen of "
            "what; with --out a row for each, with what the agent thought), 'events' (with "
            "--out: what each seat was told, in words and as data), 'successors' (to how many "
            "distinct states options lead), 'judgements' (what each option was worth).",
        ),
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option(
            "--measure",
            metavar="NAMES",
            show_default=False,
            help="What else to measure, by its names in the JSON, with commas between: "
            "'waiting,choices'. What is needed for it is recorded.",
        ),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            "--judge",
            metavar="JUDGE",
            show_default=False,
            help="Who judges what each option was worth: 'rollouts:samples=16', or a search "
            "such as 'ismcts:iterations=200'.",
        ),
    ] = None,
    html: Annotated[
        str | None,
        typer.Option(
            "--html",
            metavar="FILE",
            show_default=False,
            help="Write a page here that can be sent by mail: the report, plots, and games to "
            "look at. Needs kibitz[plots].",
        ),
    ] = None,
    plots: Annotated[
        Path | None,
        typer.Option(
            "--plots",
            metavar="DIR",
            show_default=False,
            help="Write the plots into this folder, as SVG and PNG. Needs kibitz[plots].",
        ),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option(
            "--csv",
            metavar="DIR",
            show_default=False,
            help="Write the tables of a study into this folder, for spreadsheets.",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--time",
            metavar="SECONDS",
            min=1,
            show_default=False,
            help="How long a study takes.  [default: 20]",
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            "--budget",
            metavar="GAMES",
            show_default=False,
            help="How many games each part of a study plays, as a study prints it: the same "
            "budget gives the same games.",
        ),
    ] = None,
    json: Annotated[
        str | None,
        json_file("Write all measures here as JSON; '-' for standard output, without the report."),
    ] = None,
) -> None:
    """Play many games and report what they show.

    Without more it is a study, of 20 seconds: random play, skilled play whose decisions are
    judged, and a ladder of skill, answer whether the game is fair, how long it is, how it ends,
    whether choices matter, whether skill pays, how much is luck and when it is decided.

    With --games, --agents, --vary, --randomize, --out, --record, --measure, --loops, --branching
    or --no-rotate it is a plain run: who wins, how long it takes, how much there is to decide.

    The same seed gives the same games. Ctrl-C stops early and keeps what was played so far.

    Examples:
      kibitz playtest love-letter
      kibitz playtest mygame.rcy --time 60 --html mygame.html
      kibitz playtest love-letter --games 1000 --agents random
      kibitz playtest love-letter --players 4 --set tokens_to_win=1
      kibitz playtest love-letter --agents "ismcts:iterations=200 random random"
      kibitz playtest tic-tac-toe -a mcts -a random --no-rotate
      kibitz playtest love-letter --vary players=2..4 --vary tokens_to_win=1,3
      kibitz playtest mygame.rcy --players 3 --set hand=5
      kibitz playtest love-letter --parameters short.json --json results.json
      kibitz playtest love-letter --html letters.html --plots plots
      kibitz playtest love-letter --games 1000000 --out letters
      kibitz playtest love-letter -a mcts --out thoughts --record decisions,events
      kibitz playtest love-letter --measure waiting,lead_changes
    """
    from kibitz.core.agent import make_agents
    from kibitz.reports import document_of
    from kibitz.studies import playtest_game, playtest_variants
    from kibitz.studies.variants import PLAYERS, read_variations

    if others:
        raise KibitzError(_one_at_a_time([game, *others]))
    check_files(json, html=html, plots=plots, folders=[csv])
    specs = split_agents(agents)
    make_agents(specs, len(specs))  # a slip there is told before anything is compiled
    loaded = find_game(game)
    seats = player_count(loaded, specs, players)
    varied = read_variations(vary or ())
    if varied and not {out, record, measure, html, plots} <= {None}:
        raise KibitzError(
            "--out, --record, --measure, --html and --plots are for one run; without --vary, "
            "please."
        )
    recorded = () if record is None else tuple(record.split(","))
    if judge is not None:
        recorded = (*recorded, "judgements")
    if varied and randomize:
        raise KibitzError("--vary and --randomize do not go together.")
    drawn = parameters.drawn(loaded, randomize)
    plain = any(
        [games, agents, vary, out, record, measure, branching, workers.on, not rotate, randomize]
    )
    is_study = not plain and loops is None
    if not is_study and not {seconds, budget, csv} <= {None}:
        raise KibitzError(
            "--time, --budget and --csv are for a study; it takes no --games, --agents, --vary, "
            "--randomize, --out, --record, --measure, --loops, --branching, --on or --no-rotate."
        )
    games = games or USUAL_GAMES
    tables = variant_tables(loaded, varied, seats, parameters)
    seated = [make_agents(specs, table.players) for table in tables]
    tell_warnings(tables[0], game)
    if seats is None and PLAYERS not in varied:
        tell_choice(loaded)
    if is_study:
        study(
            tables[0],
            seconds=seconds,
            budget=budget,
            seed=seed,
            judge=judge,
            workers=workers.workers,
            html=html,
            plots=plots,
            csv=csv,
            json=json,
        )
        return
    total = games * len(tables)
    how: dict[str, Any] = {"games": games, "seed": seed, "rotate": rotate}
    how |= {"workers": workers.all, "loops": loops}
    result: Playtest | Variants
    with terminal.progress() as progress:
        if varied:
            result = playtest_variants(
                loaded,
                varied,
                players=seats,
                agents=specs,
                parameters=parameters.values(),
                progress=progress,
                **how,
            )
            document = document_of(result)
        else:
            result = playtest_game(
                loaded,
                players=tables[0].players,
                agents=seated[0],
                parameters=tables[0].parameters.as_dict(),
                progress=progress,
                out=out,
                record=recorded,
                measure=() if measure is None else measure.split(","),
                judge=judge,
                randomize=drawn,
                **how,
            )
            document = document_of(result, table=tables[0], branching=branching)
    for agent in seated[0]:
        for remark in agent.remarks():
            terminal.say(remark)
    if result.interrupted:
        terminal.say(f"Stopped: keeping the {result.games:,} of {total:,} games played so far.")
    deliver(result, document, json, html=html, plots=plots)


def _one_at_a_time(games: Sequence[str]) -> str:
    """The message for several games, which names the command to use instead."""
    return (
        "playtest takes one game at a time. To lay them side by side:\n"
        f"  kibitz compare {shlex.join(games)}"
    )


def variant_tables(
    game: Game,
    varied: Mapping[str, Sequence[str]],
    players: int | None,
    parameters: ParameterOptions,
) -> list[Table]:
    """The table of each variant; without variants, the only table.

    Raises:
        KibitzError: a variant cannot be played.
    """
    from kibitz.studies.variants import combinations, split_players

    tables = []
    for values in combinations(varied) if varied else [{}]:
        seats, own = split_players(values, players)
        texts = [*(parameters.settings or ()), *(f"{name}={value}" for name, value in own.items())]
        tables.append(replace(parameters, settings=texts).table(game, seats))
    return tables


def tell_warnings(table: Table, game: str) -> None:
    """Prints the gravest diagnostic of 'kibitz check' about a file, and how to see all.

    Args:
        table: where they are played.
        game: what to call the game on a command line.
    """
    from kibitz.loading import is_rules_file, language_called
    from kibitz.syntax.source import place

    if not is_rules_file(game):
        return  # what comes with Kibitz is checked
    language = language_called(table.game.language)
    source = language.source_of(table.game)
    if source is None:
        return
    diagnostics = language.diagnose(source, table.players, table.parameters.as_dict())
    if not diagnostics:
        return
    worst = language.gravest(diagnostics)
    kind = worst.severity.value
    terminal.say(f"{place(worst.span, source)}: {kind}: {worst.message} [{worst.code}]")
    others = counted(len(diagnostics) - 1, "other diagnostic")
    subject = others if len(diagnostics) > 1 else "more about it"
    terminal.say(f"To see {subject}: kibitz check {shlex.quote(game)}")


def tell_choice(game: Game) -> None:
    """Prints how many players were assumed, where there is a choice."""
    low, high = game.players
    if low < high:
        usual = counted(game.usual_players, "player")
        terminal.say(f"With {usual}; --players takes {low} to {high}.")

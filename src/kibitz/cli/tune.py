"""``kibitz tune``: the best options of an agent, or the best parameters of a game."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli import terminal
from kibitz.cli.groups import OptionGroup
from kibitz.cli.options import (
    Agents,
    GameName,
    HtmlFile,
    MarkdownFile,
    ParameterOptions,
    PlayerCount,
    Randomize,
    Seed,
    WorkerOptions,
    find_game,
    json_file,
    local_folder,
    player_count,
    prepare_rules,
)
from kibitz.cli.results import check_files, deliver

if TYPE_CHECKING:
    from kibitz.studies.tuning import Problem

SearchedSpace = Annotated[
    list[str] | None,
    typer.Option(
        "--space",
        metavar="NAMES",
        show_default=False,
        help="Search only these options or parameters: a name, or a name with values as in "
        "c=0.3..2, c=0.3..2/5 (so many values) or samples=0,5,10. Several are separated by "
        "spaces within quotes.  "
        "[default: all that are usually worth a try]",
    ),
]
OptimiserName = Annotated[
    str,
    typer.Option(
        "--by",
        metavar="OPTIMISER",
        help="The optimiser: ntbea, random or grid; with 'kibitz[tuning]' tpe or nsga2, too.",
    ),
]
TotalGames = Annotated[
    int | None,
    typer.Option(
        "--games",
        "-g",
        metavar="G",
        min=2,
        show_default=False,
        help="Games in all: 40 % of them for the search, the rest to race, confirm and look one "
        "step away.  [default: 4,000 to tune an agent, 40,000 a game]",
    ),
]
EachGames = Annotated[
    int | None,
    typer.Option(
        "--each",
        metavar="G",
        min=1,
        show_default=False,
        help="Games of an evaluation in the search; rounded up, so that seats are taken equally "
        "often.  [default: each seat once against each opponent; 200 to tune a game]",
    ),
]
SearchFolder = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        show_default=False,
        parser=local_folder,
        help="Keep what was played in this folder: the same command goes on with it.",
    ),
]
JsonFile = Annotated[
    str | None,
    json_file("Write the result here as JSON; '-' for standard output, without the report."),
]


@dataclass(frozen=True)
class SearchOptions(OptionGroup):
    """What is searched, by whom, and with how many games."""

    space: SearchedSpace = None
    games: TotalGames = None
    each: EachGames = None
    by: OptimiserName = "ntbea"
    seed: Seed = 0
    out: SearchFolder = None


@dataclass(frozen=True)
class OutputOptions(OptionGroup):
    """The files that a search writes."""

    markdown: MarkdownFile = None
    html: HtmlFile = None
    json: JsonFile = None


def overview(ctx: typer.Context) -> None:
    """Find the best options of agents or games.

    These are options of an agent, by which it wins most, or parameters of a game.

    Examples:
      kibitz tune agent ismcts:milliseconds=10 agram
      kibitz tune game mygame.rcy --goal "fairness<=1"

    'kibitz tune COMMAND --help' explains a command.
    """
    if ctx.invoked_subcommand is None:
        terminal.print_lines(ctx.get_help())


def agent(
    agent: Annotated[
        str,
        typer.Argument(
            metavar="AGENT",
            show_default=False,
            help="What is tuned, with its budget and the options to start from: "
            "'ismcts:milliseconds=10'.",
        ),
    ],
    game: GameName,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            "-a",
            metavar="AGENT",
            show_default=False,
            help="Who sits in the other seats; of several each in as many games; 'start': the "
            "agent as it starts. Give them the same budget.  [default: start]",
        ),
    ] = None,
    *,
    searching: SearchOptions,
    players: PlayerCount = None,
    randomize: Randomize = False,
    parameters: ParameterOptions,
    workers: WorkerOptions,
    output: OutputOptions,
) -> None:
    """Find the options with which an agent wins most.

    Each deal is played once for each seat. The options that look best race on the same deals;
    the winner is confirmed against the start on fresh ones, and the report says what is gained,
    which options mattered and what one step away does. Ctrl-C stops early; with --out the same
    command goes on.

    Examples:
      kibitz tune agent ismcts:iterations=100 agram
      kibitz tune agent mcts:milliseconds=10 uno --space "c rollout" --out tuned
      kibitz tune agent rhea:calls=2000 uno -a "osla start" --html tuned.html
    """
    from kibitz.core.agent import make_agent, split_agents
    from kibitz.studies.tuning import AgentProblem, read_space
    from kibitz.studies.tuning.agents import START

    narrowed = read_space(searching.space or ())
    opponents = split_agents(against or START)
    for name in (agent, *(other for other in opponents if other != START)):
        make_agent(name)  # reports a mistake before anything is compiled
    table = parameters.table(find_game(game), players)
    drawn = parameters.drawn(table.game, randomize)
    problem = AgentProblem(table, agent, against=opponents, narrowed=narrowed, randomize=drawn)
    _tune(problem, searching, workers, output)


def game(
    game: GameName,
    goal: Annotated[
        list[str],
        typer.Option(
            "--goal",
            metavar="GOAL",
            show_default=False,
            help="What it should be: a measure, '=', '<=' or '>=', and a number, with '±' and a "
            "number for how near is near enough. Measures: fairness (points that a seat is off a "
            "fair share), minutes, decisions, turns, rounds, ties, unfinished, luck, what 'kibitz "
            "compare' lists (seat 1 wins=50 %), and members of the JSON of a playtest. Several "
            "goals give a Pareto front.",
        ),
    ],
    agents: Agents = None,
    *,
    searching: SearchOptions,
    players: PlayerCount = None,
    parameters: ParameterOptions,
    workers: WorkerOptions,
    output: OutputOptions,
) -> None:
    """Find the parameters with which a game is as you want it.

    Parameters are those that 'kibitz show GAME' lists; in RECYCLE the numbers that the header of
    the file declares. The search starts from their defaults, or from what --set says.

    Examples:
      kibitz tune game mygame.rcy --goal "fairness<=1"
      kibitz tune game love-letter --goal "minutes=15" --space tokens_to_win
      kibitz tune game uno --goal "minutes=20±2" --goal "fairness<=1" --by tpe
      kibitz tune game agram -a "osla random" --goal "osla wins>=60 %"
    """
    from kibitz.core.agent import agents_in
    from kibitz.core.errors import check_names
    from kibitz.studies.tuning import GameProblem, read_space
    from kibitz.studies.tuning.goals import Wanted

    narrowed = read_space(searching.space or ())
    for text in goal:
        Wanted.read(text)  # a slip there is told before compiling
    seated = agents_in(agents or "random")  # reports a mistake before anything is compiled
    loaded = prepare_rules(find_game(game))
    start = parameters.values()
    check_names(start, loaded.Parameters.known_names())
    count = player_count(loaded, seated, players)
    problem = GameProblem(
        loaded, goal, agents=seated, players=count, start=start, narrowed=narrowed
    )
    _tune(problem, searching, workers, output)


def _tune(
    problem: Problem, searching: SearchOptions, workers: WorkerOptions, output: OutputOptions
) -> None:
    """Searches, and reports."""
    from kibitz.reports import document_of
    from kibitz.studies.tuning import tune

    check_files(output.json, output.markdown, html=output.html)
    with terminal.progress(stages=True, whole=True) as progress:
        result = tune(
            problem,
            optimiser=searching.by,
            games=searching.games,
            each=searching.each,
            seed=searching.seed,
            workers=workers.all,
            out=searching.out,
            progress=progress,
        )
    document = document_of(result)
    deliver(result, document, output.json, html=output.html, markdown=output.markdown)


COMMANDS = (agent, game)

"""``kibitz tune``: the best options of an agent, or the best parameters of a game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli import terminal
from kibitz.cli.options import (
    Agents,
    Cluster,
    GameName,
    HtmlFile,
    MarkdownFile,
    ParametersFile,
    PlayerCount,
    Randomize,
    Seed,
    Settings,
    Workers,
    drawn_parameters,
    find_game,
    find_table,
    json_file,
    player_count,
    prepare_rules,
    read_parameters,
    split_agents,
)
from kibitz.cli.results import deliver

if TYPE_CHECKING:
    from kibitz.tuning import Problem

SearchedSpace = Annotated[
    list[str] | None,
    typer.Option(
        "--space",
        metavar="NAMES",
        show_default=False,
        help="Search these only: a name, or a name with values as in c=0.3..2, c=0.3..2/5 (so "
        "many values) or samples=0,5,10. Several are separated by spaces within quotes.  "
        "[default: all that are usually worth a try]",
    ),
]
OptimiserName = Annotated[
    str,
    typer.Option(
        "--by",
        metavar="OPTIMISER",
        help="Who searches: ntbea, random or grid; with 'kibitz[tuning]' tpe or nsga2, too.",
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
        help="In all: half of them for the search, the rest to race, confirm and look one step "
        "away.  [default: 4,000 to tune an agent, 40,000 a game]",
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
        help="Keep what was played in this folder: the same command goes on with it.",
    ),
]
JsonFile = Annotated[
    str | None,
    json_file("Write the result here as JSON; '-' for standard output, without the report."),
]


def overview(ctx: typer.Context) -> None:
    """Find the best options of an agent, or the best parameters of a game.

    Examples:
      kibitz tune agent ismcts:milliseconds=10 agram
      kibitz tune game mygame.rcy --goal "fairness<=1"

    'kibitz tune COMMAND --help' explains a command.
    """
    if ctx.invoked_subcommand is None:
        print(ctx.get_help())


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
    space: SearchedSpace = None,
    games: TotalGames = None,
    each: EachGames = None,
    by: OptimiserName = "ntbea",
    players: PlayerCount = None,
    seed: Seed = 0,
    randomize: Randomize = False,
    settings: Settings = None,
    parameters: ParametersFile = None,
    out: SearchFolder = None,
    workers: Workers = None,
    on: Cluster = None,
    markdown: MarkdownFile = None,
    html: HtmlFile = None,
    json: JsonFile = None,
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
    from kibitz.core.agent import make_agent
    from kibitz.tuning import AgentProblem, read_space
    from kibitz.tuning.agents import START

    narrowed = read_space(space or ())
    opponents = split_agents(against, START)
    for one in (agent, *(other for other in opponents if other != START)):
        make_agent(one)  # a slip there is told before compiling
    table = find_table(find_game(game), players, settings, parameters)
    drawn = drawn_parameters(table.game, randomize, settings, parameters)
    problem = AgentProblem(table, agent, opponents, narrowed, drawn)
    _tune(problem, by, games, each, seed, on or workers, out, markdown, html, json)


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
    space: SearchedSpace = None,
    agents: Agents = None,
    games: TotalGames = None,
    each: EachGames = None,
    by: OptimiserName = "ntbea",
    players: PlayerCount = None,
    seed: Seed = 0,
    settings: Settings = None,
    parameters: ParametersFile = None,
    out: SearchFolder = None,
    workers: Workers = None,
    on: Cluster = None,
    markdown: MarkdownFile = None,
    html: HtmlFile = None,
    json: JsonFile = None,
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
    from kibitz.core.agent import make_agents
    from kibitz.core.errors import check_names
    from kibitz.tuning import GameProblem, read_space
    from kibitz.tuning.goals import Wanted

    narrowed = read_space(space or ())
    for text in goal:
        Wanted.read(text)  # a slip there is told before compiling
    specs = split_agents(agents)
    make_agents(specs, len(specs))
    found = prepare_rules(find_game(game))
    start = read_parameters(settings, parameters)
    check_names(start, found.Parameters.known_names())
    count = player_count(specs, players)
    problem = GameProblem(found, goal, agents=specs, players=count, start=start, narrowed=narrowed)
    _tune(problem, by, games, each, seed, on or workers, out, markdown, html, json)


def _tune(
    problem: Problem,
    by: str,
    games: int | None,
    each: int | None,
    seed: int,
    workers: int | str | None,
    out: Path | None,
    markdown: str | None,
    html: str | None,
    json: str | None,
) -> None:
    """Searches, and reports."""
    from kibitz.tuning import tune
    from kibitz.tuning.report import render_markdown, render_tuning

    for file in (json, markdown, html):
        terminal.check_writable(file)
    if html is not None:
        from kibitz.playtest.charts import require_plots

        require_plots()
    with terminal.stages() as stage:
        found = tune(
            problem,
            optimiser=by,
            games=games,
            each=each,
            seed=seed,
            workers=workers,
            out=out,
            tell=stage,
        )

    def page() -> str:
        from kibitz.tuning.page import render_tuning_page

        return render_tuning_page(found)

    files = [(markdown, lambda: render_markdown(found)), (html, page)]
    deliver(found, lambda: render_tuning(found), json, files)


COMMANDS = (agent, game)

"""``kibitz playtest``: many games, and what they show."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli import terminal
from kibitz.cli.groups import OptionGroup
from kibitz.cli.options import (
    Agents,
    Cluster,
    GameName,
    Loops,
    ParameterOptions,
    Players,
    Randomize,
    find_game,
    player_count,
    run_place,
)
from kibitz.cli.results import check_files, deliver
from kibitz.cli.study import OtherGames, SharedOptions, StudyOptions, check_one_game, study
from kibitz.cli.tables import tell_choice, tell_warnings, variant_tables
from kibitz.core.errors import KibitzError

if TYPE_CHECKING:
    from kibitz.studies import Playtest, Variants

USUAL_GAMES = 1000


@dataclass(frozen=True)
class RunOptions(OptionGroup):
    """The options of a plain run; with any of them a playtest is no study."""

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
    ] = None
    agents: Agents = None
    rotate: Annotated[
        bool,
        typer.Option(
            "--rotate/--no-rotate", help="Whether agents change seats from game to game."
        ),
    ] = True
    randomize: Randomize = False
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary",
            metavar="NAME=VALUES",
            show_default=False,
            help="Play every one of these values of a parameter, or of 'players', and compare "
            "them: hand=1..6, or ties=yes,no. May be repeated: then every combination.",
        ),
    ] = None
    loops: Loops = None
    branching: Annotated[
        bool,
        typer.Option(
            "--branching", help="Also show how many options there are at each action of a game."
        ),
    ] = False
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
    ] = None
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
    ] = None
    measure: Annotated[
        str | None,
        typer.Option(
            "--measure",
            metavar="NAMES",
            show_default=False,
            help="What else to measure, by its names in the JSON, with commas between: "
            "'waiting,choices'. What is needed for it is recorded.",
        ),
    ] = None
    on: Cluster = None

    def check(self, shared: SharedOptions, studying: StudyOptions) -> None:
        """Checks that the other options suit a plain run, or variants.

        Raises:
            KibitzError: one of them does not.
        """
        if studying != StudyOptions():
            raise KibitzError(
                "--time, --budget and --csv are for a study; it takes no --games, --agents, "
                "--vary, --randomize, --out, --record, --measure, --loops, --branching, --on or "
                "--no-rotate."
            )
        if self.vary and not {
            self.out,
            self.record,
            self.measure,
            shared.html,
            shared.plots,
            self.branching or None,
        } <= {None}:
            raise KibitzError(
                "--out, --record, --measure, --branching, --html and --plots are for one run; "
                "without --vary, please."
            )
        if self.vary and self.randomize:
            raise KibitzError("--vary and --randomize do not go together.")

    def keywords(self, shared: SharedOptions) -> dict[str, Any]:
        """The keywords of ``kibitz.playtest`` and ``playtest_variants`` alike."""
        return {
            "games": self.games or USUAL_GAMES,
            "seed": shared.seed,
            "rotate": self.rotate,
            "workers": self.on or shared.workers,
            "loops": self.loops,
        }

    def recording(self, judge: str | None) -> dict[str, Any]:
        """The keywords of ``kibitz.playtest`` alone."""
        return {
            "out": self.out,
            "record": () if self.record is None else self.record.split(","),
            "measure": () if self.measure is None else self.measure.split(","),
            "judge": judge,
        }


def playtest(
    game: GameName,
    others: OtherGames = None,
    *,
    run: RunOptions,
    players: Players = None,
    parameters: ParameterOptions,
    shared: SharedOptions,
    studying: StudyOptions,
) -> None:
    """Play many games and report what they show.

    Without more it is a study, as by 'kibitz study': in 20 seconds it finds out whether the game
    is fair, how long it is, how it ends, whether choices matter, whether skill pays, how much is
    luck and when it is decided.

    With --games, --agents, --vary, --randomize, --out, --record, --measure, --loops, --branching,
    --on or --no-rotate it is a plain run: who wins, how long it takes, how much there is to
    decide.

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
    check_one_game("playtest", [game, *(others or ())])
    if run == RunOptions():
        study(game, options=studying, players=players, parameters=parameters, shared=shared)
    else:
        run.check(shared, studying)
        _play(game, run, players, parameters, shared)


def _play(
    game: str,
    run: RunOptions,
    players: int | None,
    parameters: ParameterOptions,
    shared: SharedOptions,
) -> None:
    """Plays a run, or one of each variant, and reports."""
    import kibitz
    from kibitz.core.agent import agents_at, placed_agents_in
    from kibitz.reports import document_of
    from kibitz.studies import playtest_variants
    from kibitz.studies.variants import PLAYERS, read_variations

    check_files(shared.json, html=shared.html, plots=shared.plots)
    specs = placed_agents_in(run.agents or "random")  # reports a mistake before compilation
    loaded = find_game(game)
    seats = player_count(loaded, specs, players)
    varied = read_variations(run.vary or ())
    drawn = parameters.drawn(loaded, run.randomize)
    tables = variant_tables(loaded, varied, seats, parameters)
    lineups = [agents_at(variant, specs) for variant in tables]
    table, agents = tables[0], lineups[0]
    tell_warnings(table, game)
    if seats is None and PLAYERS not in varied:
        tell_choice(loaded)
    keywords = run.keywords(shared)
    result: Playtest | Variants
    with terminal.progress() as progress:
        keywords["progress"] = progress
        if varied:
            keywords |= {"players": seats, "agents": specs, "parameters": parameters.values()}
            keywords["judge"] = shared.judge
            result = playtest_variants(loaded, varied, **keywords)
            document = document_of(result)
        else:
            keywords |= run.recording(shared.judge)
            result = kibitz.playtest(table, agents=agents, randomize=drawn, **keywords)
            document = document_of(result, table=table, branching=run.branching)
    for agent in agents:
        for remark in agent.remarks():
            terminal.say(remark)
    if result.interrupted:
        total = keywords["games"] * len(tables)
        terminal.say(f"Stopped: keeping the {result.games:,} of {total:,} games played so far.")
    deliver(result, document, shared.json, html=shared.html, plots=shared.plots)

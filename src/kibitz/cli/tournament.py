"""``kibitz tournament``: ranks agents by their games against each other."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli import terminal
from kibitz.cli.options import (
    GamesFolder,
    MarkdownFile,
    ParameterOptions,
    Randomize,
    Seed,
    WorkerOptions,
    find_game,
    json_file,
    split_agents,
)
from kibitz.cli.results import check_files, deliver
from kibitz.core.wording import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kibitz.core.agent import Agent
    from kibitz.core.game import Game, Table
    from kibitz.studies.tournament.formats import Format

GAMES = 200
"""Default number of games of each match."""
MOST_GAMES = 10_000
"""Default maximum number of games of each match with ``--sure``, which may end it earlier."""


def tournament(
    games: Annotated[
        list[str] | None,
        typer.Argument(metavar="GAME", show_default=False, help="Games or files."),
    ] = None,
    agents: Annotated[
        list[str] | None,
        typer.Option(
            "--agents",
            "-a",
            metavar="AGENT",
            show_default=False,
            help="Who takes part, as for 'kibitz playtest'.",
        ),
    ] = None,
    meetings: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="Who meets whom. round-robin: each agent every other one; field: the first agent "
            "each of the others; ladder: each agent the one before it; knock-out: the loser of a "
            "match is out; teams: as round-robin, and partners are the same agent.",
        ),
    ] = "round-robin",
    number: Annotated[
        int | None,
        typer.Option(
            "--games",
            "-g",
            metavar="G",
            min=2,
            show_default=False,
            help="Games of each match; rounded up, so that each seat is taken equally often.  "
            "[default: 200, with --sure 10000 at most]",
        ),
    ] = None,
    times: Annotated[
        list[str] | None,
        typer.Option(
            "--times",
            "-t",
            metavar="TIMES",
            show_default=False,
            help="Play once with each of these budgets for a decision: '1 10 100' milliseconds of "
            "CPU time, or '100it 1000it' iterations. It shows which agent is best with which.",
        ),
    ] = None,
    sure: Annotated[
        float | None,
        typer.Option(
            "--sure",
            metavar="P",
            show_default=False,
            help="Stop as soon as the order of the agents is right with this probability, such "
            "as 0.95.",
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin",
            metavar="POINTS",
            show_default=False,
            help="With --sure: a difference in percentage points of wins that matters; smaller "
            "ones may count as none.  [default: 10]",
        ),
    ] = None,
    control: Annotated[
        bool,
        typer.Option(
            "--control",
            help="Judge every game, and take luck out of the shares of wins. Fewer games are "
            "needed, each of which takes longer.",
        ),
    ] = False,
    players: Annotated[
        str | None,
        typer.Option(
            "--players",
            "-p",
            metavar="N",
            show_default=False,
            help="Number of players; several, such as '2 4' or '2-4', make a table each.  "
            "[default: the game's default]",
        ),
    ] = None,
    category: Annotated[
        str | None,
        typer.Option(metavar="WORD", show_default=False, help="All games of this category."),
    ] = None,
    mechanic: Annotated[
        str | None,
        typer.Option(metavar="WORD", show_default=False, help="All games with this mechanic."),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="All games in this language: python, recycle or gdl.",
        ),
    ] = None,
    randomize: Randomize = False,
    seed: Seed = 0,
    *,
    parameters: ParameterOptions,
    out: GamesFolder = None,
    workers: WorkerOptions,
    html: Annotated[
        str | None,
        typer.Option(
            "--html",
            metavar="FILE",
            show_default=False,
            help="Write a page with plots, which needs kibitz[plots].",
        ),
    ] = None,
    markdown: MarkdownFile = None,
    json: Annotated[
        str | None,
        json_file("Write the results here as JSON; '-' for standard output, without the report."),
    ] = None,
) -> None:
    """Find out which agent is strongest, and how sure that is.

    With two players each pair meets; with more, one agent plays against agents of the other
    kind, for every pair, both ways. Ratings are in Elo points with intervals; how many games
    luck alone decides is estimated, too. With --sure games are played only until the order of the
    agents is sure. Ctrl-C stops early and keeps the tables that are
    complete.

    Examples:
      kibitz tournament agram --agents "random osla pimc ismcts:iterations=200"
      kibitz tournament love-letter uno -p "2 4" -a "osla kibitz" --out cup
      kibitz tournament agram -p 2 -a "osla pimc" --sure 0.95
      kibitz tournament whist -a "pimc osla random" --format teams --html cup.html
      kibitz tournament --mechanic trick -a "osla pimc ismcts" --times "1 10"
    """
    from kibitz.core.agent import make_agents
    from kibitz.reports import document_of
    from kibitz.studies.tournament import (
        Arrangement,
        Budget,
        Curves,
        StoppingRule,
        Tournament,
        play_curves,
        play_tournament,
    )
    from kibitz.studies.tournament.formats import Format

    check_files(json, markdown, html=html)
    if not agents:
        raise typer.BadParameter("Who takes part? Such as --agents 'random osla ismcts'.")
    if meetings not in list(Format):
        known = listed(tuple(Format), "or")
        raise typer.BadParameter(f"--format {meetings!r} should be {known}.")
    format = Format(meetings)
    if sure is None and margin is not None:
        raise typer.BadParameter("--margin says when --sure P may end; give that, too.")
    if margin is not None and not 0 < margin < 100:
        raise typer.BadParameter(f"--margin {margin:g} should be above 0 and below 100 points.")
    points = {} if margin is None else {"margin": margin / 100}
    stopping = None if sure is None else StoppingRule(sure, **points)
    if number is None:
        number = GAMES if stopping is None else MOST_GAMES
    labels = split_agents(agents)
    competitors = make_agents(labels, len(labels))  # a slip there is told before compiling
    budgets = [
        Budget.of(word) for text in times or [] for word in re.split(r"[\s,;]+", text.strip())
    ]
    tables = _tables(
        games or [],
        _searched(category, mechanic, language),
        player_counts(players),
        parameters,
        competitors,
        format,
    )
    arrangement: Arrangement = {
        "games": number,
        "seed": seed,
        "workers": workers.all,
        "sure": stopping,
        "format": format,
        "control": control,
        "randomize": {
            label: parameters.drawn(table.game, True)
            for label, table in tables.items()
            if randomize
        },
    }
    unit = "games" if stopping is None else "games at most"
    results: Tournament | Curves
    with _telling_what_is_kept(out), terminal.progress(unit) as progress:
        if budgets:
            results = play_curves(
                tables, competitors, budgets, out=out, progress=progress, **arrangement
            )
        else:
            results = play_tournament(
                tables, competitors, out=out, progress=progress, **arrangement
            )
    deliver(results, document_of(results), json, html=html, markdown=markdown)


@contextlib.contextmanager
def _telling_what_is_kept(out: Path | None) -> Iterator[None]:
    """Says how to resume, where Ctrl-C comes before a table is complete."""
    try:
        yield
    except KeyboardInterrupt:
        if out is not None:
            terminal.say(f"No table is complete. The same command goes on with what is in {out}.")
        raise


def player_counts(text: str | None) -> list[int] | None:
    """The requested numbers of players; ``None``: each game's default.

    >>> player_counts("2 4"), player_counts("2-4,6"), player_counts(None)
    ([2, 4], [2, 3, 4, 6], None)
    """
    if text is None:
        return None
    counts: list[int] = []
    for word in re.split(r"[\s,;]+", text.strip()):
        span = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", word)
        if span is None or (span[2] and int(span[2]) < int(span[1])):
            raise typer.BadParameter(f"--players {text!r}: such as 3, '2 4' or '2-4'.")
        counts += range(int(span[1]), int(span[2] or span[1]) + 1)
    return list(dict.fromkeys(counts))


def _searched(category: str | None, mechanic: str | None, language: str | None) -> list[Game]:
    """The installed games of a category, mechanic or language."""
    from kibitz import loading
    from kibitz.core.errors import ParameterError

    if category is None and mechanic is None and language is None:
        return []
    selected = loading.games(category=category, mechanic=mechanic, language=language)
    selected = [game for game in selected if game.players[1] > 1]
    if not selected:
        raise ParameterError(
            "No game for two players or more is of that kind; 'kibitz games' lists them."
        )
    return selected


def _tables(
    named: Sequence[str],
    searched: Sequence[Game],
    counts: list[int] | None,
    parameters: ParameterOptions,
    agents: Sequence[Agent],
    format: Format,
) -> dict[str, Table]:
    """All tables by label: of the named games, and of those found by category and the like.

    Of the latter, tables at which an agent cannot play are skipped, with a message.
    """
    from kibitz.core.errors import KibitzError, ParameterError
    from kibitz.studies.tournament.formats import Seating
    from kibitz.studies.tournament.tournament import FAULTY

    tables_by_label: dict[str, Table] = {}
    for name in named:
        for count in [*counts] if counts else [None]:
            label = name if counts is None or len(counts) == 1 else f"{name} {count}"
            try:
                tables_by_label[label] = parameters.table(find_game(name), count)
            except FAULTY as problem:
                if len(named) == 1:
                    raise
                terminal.say(f"Left out: {label}: {problem}")
    if searched:
        terminal.announce_compilations()
    for game in searched:
        low, high = game.players
        counts_of_game = [count for count in counts or [] if max(2, low) <= count <= high]
        if counts is not None and not counts_of_game:
            continue
        for count in [*counts_of_game] if counts_of_game else [None]:
            label = game.name if counts is None or len(counts) == 1 else f"{game.name} {count}"
            if label in tables_by_label:
                continue
            try:
                table = parameters.table(game, count)
                if table.players < 2:
                    table = parameters.table(game, 2)
                Seating.at(table, format)
                for agent in agents:
                    agent.check_game(table)
            except KibitzError as problem:
                terminal.say(f"Left out: {label}: {problem}")
                continue
            tables_by_label[label] = table
    if not tables_by_label:
        raise ParameterError(
            "Nothing to play: name games, or give --category, --mechanic or --language."
        )
    return tables_by_label

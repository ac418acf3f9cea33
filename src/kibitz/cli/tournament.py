"""``kibitz tournament``: ranks agents by their games against each other."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli import terminal
from kibitz.cli.groups import OptionGroup
from kibitz.cli.options import (
    GamesFolder,
    MarkdownFile,
    ParameterOptions,
    Randomize,
    Seed,
    WorkerOptions,
    agents_option,
    find_game,
    json_file,
)
from kibitz.cli.results import check_files, deliver
from kibitz.core.wording import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from kibitz.core.agent import Agent
    from kibitz.core.game import Game, Table
    from kibitz.studies.tournament import Curves, DecisionBudget, StoppingRule, Tournament
    from kibitz.studies.tournament.formats import Format

GAMES = 200
"""Default number of games of each match."""
MOST_GAMES = 10_000
"""Default maximum number of games of each match with ``--sure``, which may end it earlier."""


@dataclass(frozen=True)
class MatchOptions(OptionGroup):
    """Who meets whom, and in how many games."""

    agents: Annotated[
        list[str] | None,
        agents_option("Who takes part, as for 'kibitz playtest'."),
    ] = None
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
    ] = "round-robin"
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
    ] = None
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
    ] = None
    sure: Annotated[
        float | None,
        typer.Option(
            "--sure",
            metavar="P",
            show_default=False,
            help="Stop as soon as the order of the agents is right with this probability, such "
            "as 0.95.",
        ),
    ] = None
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin",
            metavar="POINTS",
            show_default=False,
            help="With --sure: a difference in percentage points of wins that matters; smaller "
            "ones may count as none.  [default: 10]",
        ),
    ] = None
    control: Annotated[
        bool,
        typer.Option(
            "--control",
            help="Judge every game, and take luck out of the shares of wins. Fewer games are "
            "needed, each of which takes longer.",
        ),
    ] = False

    def competitors(self) -> list[Agent]:
        """The agents that take part.

        Raises:
            typer.BadParameter: none are named.
            KibitzError: there is no such agent, or an option of it is wrong.
        """
        from kibitz.core.agent import agents_in

        if not self.agents:
            raise typer.BadParameter("Who takes part? Such as --agents 'random osla ismcts'.")
        return agents_in(self.agents)

    def arrangement(self) -> dict[str, Any]:
        """The keywords of ``kibitz.tournament`` for these options.

        Raises:
            typer.BadParameter: an option is wrong.
            KibitzError: the probability of ``--sure`` is wrong.
        """
        format, stopping = self._format(), self._stopping()
        games = self.number or (GAMES if stopping is None else MOST_GAMES)
        return {"format": format, "sure": stopping, "games": games, "control": self.control}

    def _format(self) -> Format:
        """The format.

        Raises:
            typer.BadParameter: there is no such format.
        """
        from kibitz.studies.tournament.formats import Format

        if self.meetings not in list(Format):
            known = listed(tuple(Format), "or")
            raise typer.BadParameter(f"--format {self.meetings!r} should be {known}.")
        return Format(self.meetings)

    def _stopping(self) -> StoppingRule | None:
        """The rule by which a tournament ends early, with ``--sure``.

        Raises:
            typer.BadParameter: the margin has no use, or is not a difference of shares.
            KibitzError: the probability is not one.
        """
        from kibitz.studies.tournament import StoppingRule

        margin = self.margin
        if self.sure is None and margin is not None:
            raise typer.BadParameter("--margin says when --sure P may end; give that, too.")
        if margin is not None and not 0 < margin < 100:
            raise typer.BadParameter(
                f"--margin {margin:g} should be above 0 and below 100 points."
            )
        points = {} if margin is None else {"margin": margin / 100}
        return None if self.sure is None else StoppingRule(self.sure, **points)

    def budgets(self) -> list[DecisionBudget]:
        """The budgets for a decision, with each of which the tournament is played once.

        Raises:
            KibitzError: one of them is neither a time nor a number of iterations.
        """
        from kibitz.studies.tournament import DecisionBudget

        words = [word for text in self.times or [] for word in re.split(r"[\s,;]+", text.strip())]
        return [DecisionBudget.of(word) for word in words]


@dataclass(frozen=True)
class TableOptions(OptionGroup):
    """The tables at which is played, besides the names of games."""

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
    ] = None
    category: Annotated[
        str | None,
        typer.Option(metavar="WORD", show_default=False, help="All games of this category."),
    ] = None
    mechanic: Annotated[
        str | None,
        typer.Option(metavar="WORD", show_default=False, help="All games with this mechanic."),
    ] = None
    language: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="All games in this language: python, recycle or gdl.",
        ),
    ] = None
    randomize: Randomize = False

    def player_counts(self) -> list[int] | None:
        """The requested numbers of players; ``None``: each game's default.

        >>> TableOptions("2 4").player_counts(), TableOptions("2-4,6").player_counts()
        ([2, 4], [2, 3, 4, 6])
        """
        if self.players is None:
            return None
        counts: list[int] = []
        for word in re.split(r"[\s,;]+", self.players.strip()):
            span = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", word)
            if span is None or (span[2] and int(span[2]) < int(span[1])):
                raise typer.BadParameter(f"--players {self.players!r}: such as 3, '2 4' or '2-4'.")
            counts += range(int(span[1]), int(span[2] or span[1]) + 1)
        return list(dict.fromkeys(counts))

    def installed_games(self) -> list[Game]:
        """The installed games of the category, mechanic or language; without these, none.

        Raises:
            ParameterError: there are no such games for two players or more.
        """
        from kibitz import loading
        from kibitz.core.errors import ParameterError

        if {self.category, self.mechanic, self.language} == {None}:
            return []
        games = loading.games(
            category=self.category, mechanic=self.mechanic, language=self.language
        )
        games = [game for game in games if game.players[1] > 1]
        if not games:
            raise ParameterError(
                "No game for two players or more is of that kind; 'kibitz games' lists them."
            )
        return games


@dataclass(frozen=True)
class OutputOptions(OptionGroup):
    """The files that a tournament writes, besides its games."""

    html: Annotated[
        str | None,
        typer.Option(
            "--html",
            metavar="FILE",
            show_default=False,
            help="Write a page with plots, which needs kibitz[plots].",
        ),
    ] = None
    markdown: MarkdownFile = None
    json: Annotated[
        str | None,
        json_file("Write the results here as JSON; '-' for standard output, without the report."),
    ] = None


def tournament(
    games: Annotated[
        list[str] | None,
        typer.Argument(metavar="GAME", show_default=False, help="Games or files."),
    ] = None,
    *,
    matches: MatchOptions,
    selection: TableOptions,
    seed: Seed = 0,
    parameters: ParameterOptions,
    out: GamesFolder = None,
    workers: WorkerOptions,
    output: OutputOptions,
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
    import kibitz
    from kibitz.reports import document_of
    from kibitz.studies.tournament import tournaments_by_budget

    check_files(output.json, output.markdown, html=output.html)
    agents = matches.competitors()  # reports a mistake before anything is compiled
    arrangement = matches.arrangement()
    arrangement["seed"], arrangement["workers"] = seed, workers.all
    budgets = matches.budgets()
    tables = _tables(games or [], selection, parameters, _fitting(agents, arrangement["format"]))
    if selection.randomize:
        arrangement["randomize"] = {
            label: parameters.drawn(table.game, True) for label, table in tables.items()
        }
    unit = "games" if arrangement["sure"] is None else "games at most"
    results: Tournament | Curves
    with _telling_what_is_kept(out), terminal.progress(unit) as progress:
        if budgets:
            results = tournaments_by_budget(
                tables, agents, budgets, out=out, progress=progress, **arrangement
            )
        else:
            results = kibitz.tournament(tables, agents, out=out, progress=progress, **arrangement)
    deliver(results, document_of(results), output.json, html=output.html, markdown=output.markdown)


@contextlib.contextmanager
def _telling_what_is_kept(out: Path | None) -> Iterator[None]:
    """Says how to resume, where Ctrl-C comes before a table is complete."""
    try:
        yield
    except KeyboardInterrupt:
        if out is not None:
            terminal.say(f"No table is complete. The same command goes on with what is in {out}.")
        raise


def _fitting(agents: Sequence[Agent], format: Format) -> Callable[[Table], None]:
    """A check that a tournament of these agents can be played at a table.

    It raises a ``KibitzError`` where it cannot.
    """
    from kibitz.studies.tournament.formats import Seating

    def check(table: Table) -> None:
        Seating.at(table, format)
        for agent in agents:
            agent.check_game(table)

    return check


def _tables(
    named: Sequence[str],
    selection: TableOptions,
    parameters: ParameterOptions,
    check: Callable[[Table], None],
) -> dict[str, Table]:
    """The tables of the named and of the selected games, by label.

    Tables of selected games that fail are left out, with a message.

    Args:
        check: raises a ``KibitzError`` for a table at which the tournament cannot be played.

    Raises:
        ParameterError: there are none.
        KibitzError: the only named game cannot be played.
    """
    from kibitz.core.errors import KibitzError, ParameterError

    selected = selection.installed_games()
    counts = selection.player_counts()
    tables = _named_tables(named, counts, parameters)
    if selected:
        terminal.announce_compilations()
    for game in selected:
        low, high = game.players
        for label, count in _labels(game.name, counts):
            if label in tables or not (count is None or max(2, low) <= count <= high):
                continue
            try:
                table = parameters.table(game, count)
                if table.players < 2:
                    table = parameters.table(game, 2)
                check(table)
                tables[label] = table
            except KibitzError as problem:
                terminal.say(f"Left out: {label}: {problem}")
    if not tables:
        raise ParameterError(
            "Nothing to play: name games, or give --category, --mechanic or --language."
        )
    return tables


def _named_tables(
    names: Sequence[str], counts: list[int] | None, parameters: ParameterOptions
) -> dict[str, Table]:
    """The tables of the named games by label; those with faulty rules are left out, and named.

    Raises:
        KibitzError: there is no such game, or the only one cannot be played.
    """
    from kibitz.studies.tournament.playing import FAULTY

    tables: dict[str, Table] = {}
    for name in names:
        for label, count in _labels(name, counts):
            try:
                tables[label] = parameters.table(find_game(name), count)
            except FAULTY as problem:
                if len(names) == 1:
                    raise
                terminal.say(f"Left out: {label}: {problem}")
    return tables


def _labels(name: str, counts: list[int] | None) -> list[tuple[str, int | None]]:
    """The labels of a game's tables, each with the number of players, if one is given."""
    if counts is None:
        return [(name, None)]
    several = len(counts) > 1
    return [(f"{name} {count}" if several else name, count) for count in counts]

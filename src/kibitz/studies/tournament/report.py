"""The report of a tournament, and of one with several budgets."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace

from kibitz.core import registry
from kibitz.core.wording import counted
from kibitz.reports.document import Block, Command, Document, Section, Sentences, document_of
from kibitz.studies.tournament import plots
from kibitz.studies.tournament.curves import Curves
from kibitz.studies.tournament.formats import Format
from kibitz.studies.tournament.results import Tournament
from kibitz.studies.tournament.sentences import best_by_time, sentences
from kibitz.studies.tournament.tables import (
    MOST_ACROSS,
    against_time,
    bracket,
    by_kind,
    crosstable,
    heading,
    luck_in_words,
    overall,
    ranking,
    ranks,
)

FORMATS = {
    Format.ROUND_ROBIN: "Tournament",
    Format.FIELD: "One against the field",
    Format.LADDER: "Ladder",
    Format.KNOCK_OUT: "Knock-out",
    Format.TEAMS: "Tournament of teams",
}
"""The title of each format."""


@document_of.register
def document(tournament: Tournament) -> Document:
    """The report of a tournament."""
    agents = counted(len(tournament.agents), "agent")
    return Document(
        title=f"{FORMATS[tournament.format]} of {agents}",
        kind="tournament",
        headline=headline(tournament),
        about=(),
        sections=tuple(_sections(tournament)),
        footer=tuple(footer(tournament)),
        version=tournament.version,
    )


@document_of.register
def curves_document(curves: Curves) -> Document:
    """The report of several budgets: strength against time, then each budget's tournament."""
    last = curves.tournaments[-1]
    budgets = ", ".join(str(budget) for budget in curves.budgets)
    sections = [Section((Sentences.of(best_by_time(curves)),))]
    for number, results in enumerate(curves.tables(), start=1):
        blocks: tuple[Block, ...] = (
            *plots.curve(curves, results, number),
            against_time(curves, results),
        )
        title = f"{heading(results[0])}: strength against time"
        sections.append(Section(blocks, title, f"time-{number}"))
    for number, tournament in enumerate(curves.tournaments, start=1):
        first, *others = _sections(tournament)
        sections.append(Section(first.blocks, headline(tournament), f"budget-{number}"))
        sections += [replace(section, name="") for section in others]
    notes = [*curves_footer(curves), *(line for t in curves.tournaments for line in footer(t))]
    return Document(
        title="Strength against time",
        kind="tournament",
        headline="Strength against time",
        about=(f"{headline(last)}; the same with {budgets} a decision.",),
        sections=tuple(sections),
        footer=tuple(dict.fromkeys(notes)),
        version=last.version,
    )


def headline(tournament: Tournament) -> str:
    """The headline of a tournament: its games and its format."""
    agents = counted(len(tournament.agents), "agent")
    most = "" if tournament.wanted is None else "at most "
    games = f"{most}{counted(tournament.games, 'game')} a match"
    budget = f"{tournament.budget} a decision" if tournament.budget else ""
    words = [f"{FORMATS[tournament.format]} of {agents}", budget, games, f"seed {tournament.seed}"]
    return ", ".join(word for word in words if word)


def _sections(tournament: Tournament) -> Iterator[Section]:
    """The findings, then a section for each table and one for all of them."""
    commands = (Command(line, urgent=True) for line in failure_commands(tournament))
    yield Section((Sentences.of(sentences(tournament)), *commands))
    few = len(tournament.tables) <= plots.MOST_TABLES
    for number, table in enumerate(tournament.tables, start=1):
        drawn = plots.table_plots(tournament, table, number) if few else ()
        blocks: list[Block] = [*drawn, ranking(tournament, table)]
        if table.rounds:
            blocks.append(bracket(tournament, table))
        elif len(tournament.agents) <= MOST_ACROSS:
            blocks.append(crosstable(tournament, table))
        yield Section(tuple(blocks), heading(table), f"table-{number}")
        if table.cycles and table.alpha_rank:
            plot = [plots.alpha_ranks(tournament, table, number)] if few else []
            yield Section((*plot, ranks(tournament, table)), "Alpha-rank")
    if tournament.kinds:
        yield Section((by_kind(tournament),), "By kind of game", "kinds")
    if tournament.overall is not None:
        blocks = [*plots.overall_plots(tournament), overall(tournament, tournament.overall)]
        yield Section(tuple(blocks), "All tables together", "overall")


def failure_commands(tournament: Tournament) -> Iterator[str]:
    """The commands that show the first game that each agent broke off, move by move."""
    for table in tournament.tables:
        name = table.game if table.game in registry.names() else "GAME"
        for failure in table.failures:
            seated = " ".join(table.played_as[number] for number in failure.seated)
            words = ["kibitz", "record", name, "--players", str(table.players)]
            words += ["--agents", seated, "--seed", str(failure.seed)]
            for parameter, value in table.changed.items():
                if parameter not in table.randomized:
                    words += ["--set", f"{parameter}={value}"]
            yield shlex.join([*words, *["--randomize"] * bool(table.randomized)])


def footer(tournament: Tournament) -> Iterator[str]:
    """Notes on how to read the report of a tournament."""
    yield "Elo points: above the mean of these agents; 400 are odds of ten to one."
    if tournament.overall is not None:
        yield "Of several tables: the mean of their ratings; each table counts the same."
    if any(table.cycles and table.alpha_rank for table in tournament.tables):
        yield (
            "Alpha-rank: for which share of time a population plays an agent, if whoever does "
            "better takes over."
        )
    for table in tournament.tables:
        if table.ratings.luck_interval is not None:
            yield f"{heading(table)}: {luck_in_words(table.ratings)}."
    if tournament.format is Format.TEAMS:
        yield "Partners are the same agent."
    elif any(table.players > 2 for table in tournament.tables):
        yield "With more than two players one agent plays against agents of the other kind."
    yield "In brackets: 95 % confidence."
    if tournament.wanted is not None:
        yield (
            "Games end when the order is sure, which is sooner when somebody is lucky: so shares "
            "and points are a little extreme, other than the order."
        )


def curves_footer(curves: Curves) -> Iterator[str]:
    """Notes on how to read strength against time."""
    for table in curves.tables():
        anchor = curves.anchor(table)
        above = "the mean of the agents" if anchor is None else curves.agents[anchor]
        yield f"{heading(table[0])}: Elo points above {above}; in brackets 95 % confidence."
    if not curves.budgets[0].in_iterations:
        yield (
            "Milliseconds are CPU time: how many iterations take that long was measured at each "
            "table, and so many every decision had."
        )

"""A tournament for people to read."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from kibitz.core.wording import counted
from kibitz.playtest.report import DASH, Grid, percent, verdict_list
from kibitz.tournament.ratings import Ratings
from kibitz.tournament.sequential import Verdict
from kibitz.tournament.tournament import TableResult, Tournament

POOR_FIT = 0.01
"""Results less probable than this say that ratings do not describe them."""
MOST_ACROSS = 8
"""The cross table of more agents would be too wide."""


def render_tournament(found: Tournament) -> RenderableType:
    """The whole report, to be printed by a rich console."""
    agents = counted(len(found.agents), "agent")
    most = "" if found.wanted is None else "at most "
    games = f"{most}{counted(found.games, 'game')} a match"
    title = f"Tournament of {agents}, {games}, seed {found.seed}"
    parts: list[RenderableType] = [Text(title, style="bold"), ""]
    parts.append(verdict_list(sentences(found)))
    for table in found.tables:
        parts += ["", Text(heading(table), style="bold"), ranking(found, table)]
        if len(found.agents) <= MOST_ACROSS:
            parts += ["", crosstable(found, table)]
    if found.overall is not None:
        parts += ["", Text("All tables together", style="bold"), overall(found, found.overall)]
    parts += ["", *(Text(line, style="dim") for line in footer(found))]
    return Group(*parts)


def render_markdown(found: Tournament) -> str:
    """The whole report as Markdown, for a page of documentation."""
    lines = [f"- {sentence}" for _, sentence in sentences(found)]
    for table in found.tables:
        lines += ["", f"### {heading(table)}", "", *ranking(found, table).markdown()]
        if len(found.agents) <= MOST_ACROSS:
            lines += ["", *crosstable(found, table).markdown()]
    if found.overall is not None:
        lines += ["", "### All tables together", "", *overall(found, found.overall).markdown()]
    return "\n".join([*lines, "", *footer(found), ""])


def heading(table: TableResult) -> str:
    """Which table it is."""
    values = ", ".join(f"{name}={value}" for name, value in table.changed.items())
    words = [table.title, counted(table.players, "player"), *([values] if values else [])]
    return ", ".join(words)


def sentences(found: Tournament) -> Iterator[tuple[bool, str]]:
    """Who is best where, each sentence with whether it needs attention."""
    if found.interrupted:
        yield True, f"Stopped after {counted(len(found.tables), 'table')}."
    for table in found.tables:
        yield False, f"{heading(table)}: {_leader(found.agents, table.ratings)}"
        yield from _sure(found, table)
        yield from _warnings(found, table)
    if found.overall is not None:
        yield False, f"All tables together: {_leader(found.agents, found.overall)}"


def _leader(agents: tuple[str, ...], ratings: Ratings) -> str:
    """Who is best, and how sure that is."""
    order = by_strength(ratings)
    points, (low, high) = ratings.difference(order[0], order[1])
    best, second = agents[order[0]], agents[order[1]]
    if low > 0:
        return (
            f"{best} is the strongest, by {points:.0f} Elo points ({low:.0f} to {high:.0f}) "
            f"before {second}."
        )
    return (
        f"{best} leads, but {second} may be as strong: they are {points:.0f} Elo points apart "
        f"({low:.0f} to {high:.0f})."
    )


def _sure(found: Tournament, table: TableResult) -> Iterator[tuple[bool, str]]:
    """What is sure of the order, where a tournament goes on until it is."""
    if found.wanted is None:
        return
    games = counted(sum(match.games for match in table.matches), "game")
    points = f"{100 * found.wanted.margin:g} points"
    said = []
    for pair in table.verdicts:
        one, other = found.agents[pair.one], found.agents[pair.other]
        if pair.verdict in (Verdict.ONE, Verdict.OTHER) and not pair.implied:
            if pair.verdict is Verdict.OTHER:
                one, other = other, one
            said.append(f"{one} is stronger than {other}")
        elif pair.verdict is Verdict.EQUAL:
            said.append(f"{one} and {other} differ by less than {points}")
    if said:
        yield False, f"Sure at {percent(found.wanted.sure)} after {games}: {'; '.join(said)}."
    open_pairs = [pair for pair in table.verdicts if pair.verdict is Verdict.OPEN]
    if open_pairs:
        names = "; ".join(
            f"{found.agents[pair.one]} and {found.agents[pair.other]}" for pair in open_pairs
        )
        yield True, f"Not sure after {games}: {names}. More --games would tell."


def _warnings(found: Tournament, table: TableResult) -> Iterator[tuple[bool, str]]:
    """What ratings do not tell."""
    for one, two, three in table.cycles[:3]:
        names = [found.agents[number] for number in (one, two, three)]
        yield (
            True,
            f"{table.title}: in circles: {names[0]} beats {names[1]}, that beats {names[2]}, "
            f"and that beats {names[0]}.",
        )
    if table.ratings.fit is not None and table.ratings.fit < POOR_FIT:
        yield (
            True,
            f"{table.title}: one number for each agent does not describe these results: who wins "
            "depends on the opponent. See who beats whom.",
        )
    unfinished = sum(match.unfinished for match in table.matches)
    if unfinished:
        games = counted(unfinished, "game was", "games were")
        yield True, f"{table.title}: {games} not finished, and do not count."


def by_strength(ratings: Ratings) -> list[int]:
    """The numbers of the agents, the strongest first."""
    return sorted(range(len(ratings.players)), key=lambda i: -ratings.players[i].elo)


def ranking(found: Tournament, table: TableResult) -> Grid:
    """A line for each agent, the strongest first."""
    rows = []
    for place, number in enumerate(by_strength(table.ratings), start=1):
        rating = table.ratings.players[number]
        seconds = table.seconds[number]
        rows.append(
            (
                f"{place} {found.agents[number]}",
                _elo(rating.elo, rating.interval),
                f"{rating.games:,}",
                DASH if seconds is None else f"{1000 * seconds:,.3g} ms",
            )
        )
    return Grid(("agent", "Elo points", "games", "a decision"), tuple(rows))


def crosstable(found: Tournament, table: TableResult) -> Grid:
    """What each agent wins against each other one, in the order of their strength."""
    order = by_strength(table.ratings)
    rows = []
    for place, one in enumerate(order, start=1):
        cells = []
        for other in order:
            share = table.share(one, other)
            cells.append("" if share is None else percent(share[0]))
        rows.append((f"{place} {found.agents[one]}", *cells))
    columns = tuple(f"against {place}" for place in range(1, len(order) + 1))
    return Grid(("one", *columns), tuple(rows))


def overall(found: Tournament, ratings: Ratings) -> Grid:
    """A line for each agent over all tables."""
    rows = [
        (f"{place} {found.agents[number]}", _elo(rating.elo, rating.interval), f"{rating.games:,}")
        for place, number in enumerate(by_strength(ratings), start=1)
        for rating in [ratings.players[number]]
    ]
    return Grid(("agent", "Elo points", "games"), tuple(rows))


def _elo(points: float, interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{round(points):+d} ({round(low):+d} to {round(high):+d})"


def footer(found: Tournament) -> Iterator[str]:
    """How to read it."""
    yield "Elo points: above the mean of these agents; 400 are odds of ten to one."
    for table in found.tables:
        if table.ratings.luck_interval is not None:
            low, high = table.ratings.luck_interval
            yield (
                f"{heading(table)}: luck alone decides {percent(table.ratings.luck)} of the games "
                f"({percent(low)} to {percent(high)}), as far as results tell."
            )
    if any(table.players > 2 for table in found.tables):
        yield "With more than two players one agent plays against agents of the other kind."
    yield "In brackets: 95 % confidence."
    if found.wanted is not None:
        yield (
            "Games end when the order is sure, which is sooner when somebody is lucky: so shares "
            "and points are a little extreme, other than the order."
        )

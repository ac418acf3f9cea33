"""The report of a tournament."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from kibitz.core import registry
from kibitz.core.wording import counted
from kibitz.playtest.report import DASH, Grid, duration, percent, verdict_list
from kibitz.tournament.curves import Curves
from kibitz.tournament.formats import Format
from kibitz.tournament.ratings import Ratings
from kibitz.tournament.results import TableResult, Tournament
from kibitz.tournament.sequential import Verdict

POOR_FIT = 0.01
"""Results less probable than this say that ratings do not describe them."""
LEVEL = 0.5
"""Agents that are fewer Elo points apart are level."""
NOBODY = "nobody had a choice, so that luck decided all games"
MOST_ACROSS = 8
"""The cross table of more agents would be too wide."""


FORMATS = {
    Format.ROUND_ROBIN: "Tournament",
    Format.FIELD: "One against the field",
    Format.LADDER: "Ladder",
    Format.KNOCK_OUT: "Knock-out",
    Format.TEAMS: "Tournament of teams",
}
"""What each format is called."""


def headline(found: Tournament) -> str:
    """The headline: games and format."""
    agents = counted(len(found.agents), "agent")
    most = "" if found.wanted is None else "at most "
    games = f"{most}{counted(found.games, 'game')} a match"
    budget = f"{found.budget} a decision" if found.budget else ""
    words = [f"{FORMATS[found.format]} of {agents}", budget, games, f"seed {found.seed}"]
    return ", ".join(word for word in words if word)


def render_tournament(found: Tournament) -> RenderableType:
    """The whole report, to be printed by a rich console."""
    parts: list[RenderableType] = [Text(headline(found), style="bold"), ""]
    parts.append(verdict_list(sentences(found)))
    parts += [  # each on a line of its own however long it is, to be copied
        Text(f"  {command}", "yellow", no_wrap=True, overflow="ignore")
        for command in failure_commands(found)
    ]
    for title, grid in grids(found):
        parts += ["", Text(title, style="bold"), grid] if title else ["", grid]
    parts += ["", *(Text(line, style="dim") for line in footer(found))]
    return Group(*parts)


def render_markdown(found: Tournament) -> str:
    """The whole report as Markdown, for a page of documentation."""
    lines = [f"- {sentence}" for _, sentence in sentences(found)]
    if commands := [f"    {command}" for command in failure_commands(found)]:
        lines += ["", *commands]
    for title, grid in grids(found):
        lines += ["", f"### {title}"] if title else []
        lines += ["", *grid.markdown()]
    return "\n".join([*lines, "", *footer(found), ""])


def render_curves(found: Curves) -> RenderableType:
    """Strength against time, and the report of each budget, for a rich console."""
    parts: list[RenderableType] = [Text("Strength against time", style="bold"), ""]
    parts.append(verdict_list(best_by_time(found)))
    for table in found.tables():
        parts += ["", Text(heading(table[0]), style="bold"), against_time(found, table)]
    parts += ["", *(Text(line, style="dim") for line in curves_footer(found))]
    for tournament in found.tournaments:
        parts += ["", render_tournament(tournament)]
    return Group(*parts)


def curves_markdown(found: Curves) -> str:
    """Strength against time as Markdown."""
    lines = [f"- {sentence}" for _, sentence in best_by_time(found)]
    for table in found.tables():
        lines += ["", f"### {heading(table[0])}", "", *against_time(found, table).markdown()]
    lines += ["", *curves_footer(found)]
    for tournament in found.tournaments:
        lines += ["", f"## {tournament.budget} a decision", "", render_markdown(tournament)]
    return "\n".join(lines)


def best_by_time(found: Curves) -> Iterator[tuple[bool, str]]:
    """Which agent is for which budget."""
    if found.interrupted:
        yield True, "Stopped before the last budget was complete."
    for table in found.tables():
        if not any(result.decided for result in table):
            yield True, f"{heading(table[0])}: {NOBODY}."
            continue
        said = []
        for budget, result in zip(found.budgets, table, strict=False):
            leader, rivals = found.best(result.ratings)
            names = found.agents[leader]
            if rivals:
                others = " or ".join(found.agents[rival] for rival in rivals)
                names = f"{names} (or {others}: the games do not tell)"
            said.append(f"{budget}: {names}")
        yield False, f"{heading(table[0])}: {'; '.join(said)}."


def against_time(found: Curves, table: tuple[TableResult, ...]) -> Grid:
    """The ratings at a table, by agent and budget."""
    anchor = found.anchor(table)
    rows = []
    last = table[-1].ratings
    for number in by_strength(last):
        cells = []
        for result in table:
            points, interval = found.points(result, number, anchor)
            cells.append("0" if number == anchor else _elo(points, interval))
        rows.append((found.agents[number], *cells))
    columns = tuple(str(budget) for budget in found.budgets[: len(table)])
    return Grid(("agent", *columns), tuple(rows))


def curves_footer(found: Curves) -> Iterator[str]:
    """How to read strength against time."""
    for table in found.tables():
        anchor = found.anchor(table)
        above = "the mean of the agents" if anchor is None else found.agents[anchor]
        yield f"{heading(table[0])}: Elo points above {above}; in brackets 95 % confidence."
    if not found.budgets[0].in_iterations:
        yield (
            "Milliseconds are CPU time: how many iterations take that long was measured at each "
            "table, and so many every decision had."
        )


def grids(found: Tournament) -> Iterator[tuple[str, Grid]]:
    """All tables of numbers with their headings; one that goes on with a heading has none."""
    for table in found.tables:
        yield heading(table), ranking(found, table)
        if table.rounds:
            yield "", bracket(found, table)
        elif len(found.agents) <= MOST_ACROSS:
            yield "", crosstable(found, table)
        if table.cycles and table.alpha_rank:
            yield "Alpha-rank", ranks(found, table)
    if found.kinds:
        yield "By kind of game", by_kind(found)
    if found.overall is not None:
        yield "All tables together", overall(found, found.overall)


def heading(table: TableResult) -> str:
    """The heading of a table."""
    kept = {k: v for k, v in table.changed.items() if k not in table.randomized}
    values = ", ".join(f"{name}={value}" for name, value in kept.items())
    if table.randomized:
        values = ", ".join(filter(None, [values, "parameters drawn for each deal"]))
    words = [table.title, counted(table.players, "player"), *([values] if values else [])]
    return ", ".join(words)


def sentences(found: Tournament) -> Iterator[tuple[bool, str]]:
    """Sentences on who is best where, each with whether it needs attention."""
    if found.interrupted:
        yield True, f"Stopped after {counted(len(found.tables), 'table')}."
    if found.overall is not None:
        yield False, f"All tables together: {_leader(found.agents, found.overall)}"
    for why in found.left_out:
        yield True, f"Left out: {why}"
    for table in found.tables:
        if table.rounds:
            winner = found.agents[table.rounds[-1][-1][0]]
            yield False, f"{heading(table)}: {winner} wins the knock-out."
        if table.decided:
            yield False, f"{heading(table)}: {_leader(found.agents, table.ratings)}"
        else:
            yield True, f"{heading(table)}: {NOBODY}."
        yield from _sure(found, table)
        yield from _warnings(found, table)
        yield from _controls(table)


def _leader(agents: tuple[str, ...], ratings: Ratings) -> str:
    """The sentence on the best agent, and how sure that is."""
    order = by_strength(ratings)
    points, (low, high) = ratings.difference(order[0], order[1])
    best, second = agents[order[0]], agents[order[1]]
    if low > 0:
        return (
            f"{best} is the strongest, by {points:.0f} Elo points ({low:.0f} to {high:.0f}) "
            f"before {second}."
        )
    if points < LEVEL:
        return f"{best} and {second} are level; one may lead by {high:.0f} Elo points."
    return (
        f"{best} leads, but {second} may be as strong: they are {points:.0f} Elo points apart "
        f"({low:.0f} to {high:.0f})."
    )


def _sure(found: Tournament, table: TableResult) -> Iterator[tuple[bool, str]]:
    """The sentence on what is sure of the order, with ``--sure``."""
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


def _controls(table: TableResult) -> Iterator[tuple[bool, str]]:
    """The sentence on the games saved by judging luck."""
    gains = [match.controlled.gain for match in table.matches if match.controlled is not None]
    if gains:
        span = dict.fromkeys(f"{gain:.1f}" for gain in (min(gains), max(gains)))
        yield (
            False,
            f"{heading(table)}: with luck taken out shares of wins are as sure as of "
            f"{' to '.join(span)} times as many games.",
        )


def _warnings(found: Tournament, table: TableResult) -> Iterator[tuple[bool, str]]:
    """Warnings about what the ratings do not show."""
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
    for failure in table.failures:
        games = counted(failure.games, "game")
        lost = "which do not count" if _is_controlled(table) else "which it lost"
        yield (
            True,
            f"{table.title}: {found.agents[failure.agent]} broke off {games}, {lost}: "
            f"{failure.cause}.",
        )
    unfinished = sum(match.unfinished for match in table.matches)
    if unfinished:
        games = counted(unfinished, "game was", "games were")
        yield True, f"{table.title}: {games} not finished, and do not count."


def _is_controlled(table: TableResult) -> bool:
    return any(match.controlled is not None for match in table.matches)


def failure_commands(found: Tournament) -> Iterator[str]:
    """The commands that tell the first game that each agent broke off, move by move."""
    for table in found.tables:
        name = table.game if table.game in registry.names() else "GAME"
        for failure in table.failures:
            seated = " ".join(table.played_as[number] for number in failure.seated)
            words = ["kibitz", "record", name, "--players", str(table.players)]
            words += ["--agents", seated, "--seed", str(failure.seed)]
            for parameter, value in table.changed.items():
                if parameter not in table.randomized:
                    words += ["--set", f"{parameter}={value}"]
            yield shlex.join([*words, *["--randomize"] * bool(table.randomized)])


def luck_in_words(ratings: Ratings) -> str:
    """How many games luck alone decides; the shares that were tried are some points apart."""
    low, high = ratings.luck_interval or (0.0, 0.0)
    if high == 0:
        return "luck alone decides hardly any game, as far as results tell"
    return (
        f"luck alone decides {percent(ratings.luck)} of the games ({percent(low)} to "
        f"{percent(high)}), as far as results tell"
    )


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
                DASH if seconds is None else duration(seconds),
            )
        )
    return Grid(("agent", "Elo points", "games", "a decision"), tuple(rows))


def crosstable(found: Tournament, table: TableResult) -> Grid:
    """The table of wins of each agent against each other one, by strength."""
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


def bracket(found: Tournament, table: TableResult) -> Grid:
    """The results of each round of a knock-out."""
    rows = []
    for number, pairs in enumerate(table.rounds, start=1):
        name = "final" if number == len(table.rounds) else f"round {number}"
        for winner, loser in pairs:
            share = table.share(winner, loser)
            said = DASH if share is None else percent(*share)
            rows.append((name, found.agents[winner], found.agents[loser], said))
    return Grid(("round", "winner", "against", "games won"), tuple(rows))


def ranks(found: Tournament, table: TableResult) -> Grid:
    """The table of alpha-ranks."""
    order = sorted(range(len(found.agents)), key=lambda k: -table.alpha_rank[k].share)
    rows = [
        (found.agents[k], percent(table.alpha_rank[k].share, table.alpha_rank[k].interval))
        for k in order
    ]
    return Grid(("agent", "share of time"), tuple(rows))


def overall(found: Tournament, ratings: Ratings) -> Grid:
    """A line for each agent over all tables."""
    rows = [
        (f"{place} {found.agents[number]}", _elo(rating.elo, rating.interval), f"{rating.games:,}")
        for place, number in enumerate(by_strength(ratings), start=1)
        for rating in [ratings.players[number]]
    ]
    return Grid(("agent", "Elo points", "games"), tuple(rows))


def by_table(found: Tournament) -> Grid:
    """The ratings of all agents at every table, a line for each."""
    order = by_strength(found.overall or found.tables[0].ratings)
    rows = []
    for table in found.tables:
        players = [table.ratings.players[k] for k in order]
        rows.append((table.label, *(_elo(rating.elo, rating.interval) for rating in players)))
    return Grid(("table", *(found.agents[k] for k in order)), tuple(rows))


def by_kind(found: Tournament) -> Grid:
    """The ratings of all agents by category and mechanic, a line for each."""
    order = by_strength(found.overall or found.tables[0].ratings)
    rows = []
    for name, ratings in found.kinds.items():
        players = [ratings.players[k] for k in order]
        label = f"{name}: {len(found.tables_by_kind[name])} tables"
        rows.append((label, *(_elo(rating.elo, rating.interval) for rating in players)))
    return Grid(("kind", *(found.agents[k] for k in order)), tuple(rows))


def _elo(points: float, interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{round(points):+d} ({round(low):+d} to {round(high):+d})"


def footer(found: Tournament) -> Iterator[str]:
    """The notes on how to read it."""
    yield "Elo points: above the mean of these agents; 400 are odds of ten to one."
    if found.overall is not None:
        yield "Of several tables: the mean of their ratings; each table counts the same."
    if any(table.cycles and table.alpha_rank for table in found.tables):
        yield (
            "Alpha-rank: for which share of time a population plays an agent, if whoever does "
            "better takes over."
        )
    for table in found.tables:
        if table.ratings.luck_interval is not None:
            yield f"{heading(table)}: {luck_in_words(table.ratings)}."
    if found.format is Format.TEAMS:
        yield "Partners are the same agent."
    elif any(table.players > 2 for table in found.tables):
        yield "With more than two players one agent plays against agents of the other kind."
    yield "In brackets: 95 % confidence."
    if found.wanted is not None:
        yield (
            "Games end when the order is sure, which is sooner when somebody is lucky: so shares "
            "and points are a little extreme, other than the order."
        )

"""The tables in the report of a tournament: ratings, results by pair, strength against time."""

from __future__ import annotations

from kibitz.core.wording import counted
from kibitz.reports.document import DataTable
from kibitz.reports.numbers import DASH, duration, percent
from kibitz.studies.tournament.curves import Curves
from kibitz.studies.tournament.ratings import Ratings
from kibitz.studies.tournament.results import TableResult, Tournament

MOST_ACROSS = 8
"""Maximum number of agents of a cross table, which would be too wide with more."""


def heading(table: TableResult) -> str:
    """The heading of a table: the game, the number of players and the parameters."""
    parameters = {k: v for k, v in table.changed.items() if k not in table.randomized}
    values = ", ".join(f"{name}={value}" for name, value in parameters.items())
    if table.randomized:
        values = ", ".join(filter(None, [values, "parameters drawn for each deal"]))
    words = [table.title, counted(table.players, "player"), *([values] if values else [])]
    return ", ".join(words)


def luck_in_words(ratings: Ratings) -> str:
    """A clause on the share of games that luck alone decides."""
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


def ranking(tournament: Tournament, table: TableResult) -> DataTable:
    """The table of ratings at a table, the strongest agent first."""
    rows = []
    for place, number in enumerate(by_strength(table.ratings), start=1):
        rating = table.ratings.players[number]
        seconds = table.seconds[number]
        rows.append(
            (
                f"{place} {tournament.agents[number]}",
                _elo(rating.elo, rating.interval),
                f"{rating.games:,}",
                DASH if seconds is None else duration(seconds),
            )
        )
    return DataTable(("agent", "Elo points", "games", "a decision"), tuple(rows))


def crosstable(tournament: Tournament, table: TableResult) -> DataTable:
    """The table of wins of each agent against each other one, by strength."""
    order = by_strength(table.ratings)
    rows = []
    for place, agent in enumerate(order, start=1):
        cells = []
        for other in order:
            share = table.share(agent, other)
            cells.append("" if share is None else percent(share[0]))
        rows.append((f"{place} {tournament.agents[agent]}", *cells))
    columns = tuple(f"against {place}" for place in range(1, len(order) + 1))
    return DataTable(("one", *columns), tuple(rows))


def bracket(tournament: Tournament, table: TableResult) -> DataTable:
    """The results of each round of a knock-out."""
    rows = []
    for number, pairs in enumerate(table.rounds, start=1):
        name = "final" if number == len(table.rounds) else f"round {number}"
        for winner, loser in pairs:
            share = table.share(winner, loser)
            result = DASH if share is None else percent(*share)
            rows.append((name, tournament.agents[winner], tournament.agents[loser], result))
    return DataTable(("round", "winner", "against", "games won"), tuple(rows))


def ranks(tournament: Tournament, table: TableResult) -> DataTable:
    """The table of alpha-ranks."""
    order = sorted(range(len(tournament.agents)), key=lambda k: -table.alpha_rank[k].share)
    rows = [
        (tournament.agents[k], percent(table.alpha_rank[k].share, table.alpha_rank[k].interval))
        for k in order
    ]
    return DataTable(("agent", "share of time"), tuple(rows))


def overall(tournament: Tournament, ratings: Ratings) -> DataTable:
    """The table of ratings over all tables, the strongest agent first."""
    rows = [
        (
            f"{place} {tournament.agents[number]}",
            _elo(rating.elo, rating.interval),
            f"{rating.games:,}",
        )
        for place, number in enumerate(by_strength(ratings), start=1)
        for rating in [ratings.players[number]]
    ]
    return DataTable(("agent", "Elo points", "games"), tuple(rows))


def by_table(tournament: Tournament) -> DataTable:
    """The ratings of all agents at every table, a line for each."""
    order = by_strength(tournament.overall or tournament.tables[0].ratings)
    rows = []
    for table in tournament.tables:
        players = [table.ratings.players[k] for k in order]
        rows.append((table.label, *(_elo(rating.elo, rating.interval) for rating in players)))
    return DataTable(("table", *(tournament.agents[k] for k in order)), tuple(rows))


def by_kind(tournament: Tournament) -> DataTable:
    """The ratings of all agents by category and mechanic, a line for each."""
    order = by_strength(tournament.overall or tournament.tables[0].ratings)
    rows = []
    for name, ratings in tournament.kinds.items():
        players = [ratings.players[k] for k in order]
        label = f"{name}: {len(tournament.tables_by_kind[name])} tables"
        rows.append((label, *(_elo(rating.elo, rating.interval) for rating in players)))
    return DataTable(("kind", *(tournament.agents[k] for k in order)), tuple(rows))


def against_time(curves: Curves, table: tuple[TableResult, ...]) -> DataTable:
    """The ratings at a table, by agent and budget."""
    anchor = curves.anchor(table)
    rows = []
    last = table[-1].ratings
    for number in by_strength(last):
        cells = []
        for result in table:
            points, interval = curves.points(result, number, anchor)
            cells.append("0" if number == anchor else _elo(points, interval))
        rows.append((curves.agents[number], *cells))
    columns = tuple(str(budget) for budget in curves.budgets[: len(table)])
    return DataTable(("agent", *columns), tuple(rows))


def _elo(points: float, interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{round(points):+d} ({round(low):+d} to {round(high):+d})"

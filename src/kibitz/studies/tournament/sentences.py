"""The results of a tournament in sentences: the best agents, and the confidence in them."""

from __future__ import annotations

from collections.abc import Iterator

from kibitz.core.wording import counted
from kibitz.reports.document import Sentence
from kibitz.reports.numbers import percent
from kibitz.studies.tournament.curves import Curves
from kibitz.studies.tournament.ratings import Ratings
from kibitz.studies.tournament.results import TableResult, Tournament
from kibitz.studies.tournament.sequential import Verdict
from kibitz.studies.tournament.tables import by_strength, heading

POOR_FIT = 0.01
"""P-value of the model below which a sentence warns that ratings do not describe the results."""

LEVEL = 0.5
"""Difference in Elo points below which agents are called level."""

NOBODY = "nobody had a choice, so that luck decided all games"
"""The clause on a table without decisions."""


def best_by_time(curves: Curves) -> Iterator[Sentence]:
    """Sentences on the best agent for each budget."""
    if curves.interrupted:
        yield Sentence("Stopped before the last budget was complete.", urgent=True)
    for table in curves.tables():
        if not any(result.decided for result in table):
            yield Sentence(f"{heading(table[0])}: {NOBODY}.", urgent=True)
            continue
        clauses = []
        for budget, result in zip(curves.budgets, table, strict=False):
            leader, rivals = curves.best(result.ratings)
            names = curves.agents[leader]
            if rivals:
                others = " or ".join(curves.agents[rival] for rival in rivals)
                names = f"{names} (or {others}: the games do not tell)"
            clauses.append(f"{budget}: {names}")
        yield Sentence(f"{heading(table[0])}: {'; '.join(clauses)}.")


def sentences(tournament: Tournament) -> Iterator[Sentence]:
    """Sentences on the results of all tables; urgent ones need attention."""
    if tournament.interrupted:
        yield Sentence(f"Stopped after {counted(len(tournament.tables), 'table')}.", urgent=True)
    if tournament.overall is not None:
        yield Sentence(f"All tables together: {_leader(tournament.agents, tournament.overall)}")
    for why in tournament.left_out:
        yield Sentence(f"Left out: {why}", urgent=True)
    for table in tournament.tables:
        if table.rounds:
            winner = tournament.agents[table.rounds[-1][-1][0]]
            yield Sentence(f"{heading(table)}: {winner} wins the knock-out.")
        if table.decided:
            yield Sentence(f"{heading(table)}: {_leader(tournament.agents, table.ratings)}")
        else:
            yield Sentence(f"{heading(table)}: {NOBODY}.", urgent=True)
        yield from _sure(tournament, table)
        yield from _warnings(tournament, table)
        yield from _controls(table)


def _leader(agents: tuple[str, ...], ratings: Ratings) -> str:
    """The sentence on the best agent and the confidence in it."""
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


def _sure(tournament: Tournament, table: TableResult) -> Iterator[Sentence]:
    """Sentences on the verdicts, in a tournament with ``--sure``."""
    if tournament.wanted is None:
        return
    games = counted(sum(match.games for match in table.matches), "game")
    points = f"{100 * tournament.wanted.margin:g} points"
    verdicts = []
    for pair in table.verdicts:
        first, other = tournament.agents[pair.one], tournament.agents[pair.other]
        if pair.verdict in (Verdict.ONE, Verdict.OTHER) and not pair.implied:
            if pair.verdict is Verdict.OTHER:
                first, other = other, first
            verdicts.append(f"{first} is stronger than {other}")
        elif pair.verdict is Verdict.EQUAL:
            verdicts.append(f"{first} and {other} differ by less than {points}")
    if verdicts:
        yield Sentence(
            f"Sure at {percent(tournament.wanted.sure)} after {games}: {'; '.join(verdicts)}."
        )
    open_pairs = [pair for pair in table.verdicts if pair.verdict is Verdict.OPEN]
    if open_pairs:
        names = "; ".join(
            f"{tournament.agents[pair.one]} and {tournament.agents[pair.other]}"
            for pair in open_pairs
        )
        yield Sentence(f"Not sure after {games}: {names}. More --games would tell.", urgent=True)


def _controls(table: TableResult) -> Iterator[Sentence]:
    """The sentence on the games saved by removing luck."""
    gains = [match.controlled.gain for match in table.matches if match.controlled is not None]
    if gains:
        span = dict.fromkeys(f"{gain:.1f}" for gain in (min(gains), max(gains)))
        yield Sentence(
            f"{heading(table)}: with luck taken out shares of wins are as sure as of "
            f"{' to '.join(span)} times as many games."
        )


def _warnings(tournament: Tournament, table: TableResult) -> Iterator[Sentence]:
    """Warnings about cycles, a poor fit, failures and unfinished games."""
    for first, two, three in table.cycles[:3]:
        names = [tournament.agents[number] for number in (first, two, three)]
        yield Sentence(
            f"{table.title}: in circles: {names[0]} beats {names[1]}, that beats {names[2]}, "
            f"and that beats {names[0]}.",
            urgent=True,
        )
    if table.ratings.fit is not None and table.ratings.fit < POOR_FIT:
        yield Sentence(
            f"{table.title}: one number for each agent does not describe these results: who wins "
            "depends on the opponent. See who beats whom.",
            urgent=True,
        )
    for failure in table.failures:
        games = counted(failure.games, "game")
        lost = "which do not count" if _is_controlled(table) else "which it lost"
        yield Sentence(
            f"{table.title}: {tournament.agents[failure.agent]} broke off {games}, {lost}: "
            f"{failure.cause}.",
            urgent=True,
        )
    unfinished = sum(match.unfinished for match in table.matches)
    if unfinished:
        games = counted(unfinished, "game was", "games were")
        yield Sentence(f"{table.title}: {games} not finished, and do not count.", urgent=True)


def _is_controlled(table: TableResult) -> bool:
    return any(match.controlled is not None for match in table.matches)

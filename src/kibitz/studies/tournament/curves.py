"""Strength against time: the same tournament with several budgets for a decision."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kibitz.core.agent import Lineup
from kibitz.core.errors import ParameterError
from kibitz.core.parameters import in_list
from kibitz.core.progress import Progress
from kibitz.core.statistics import Interval
from kibitz.loading import Playable
from kibitz.reports.notebook import Reported
from kibitz.runs import Workers
from kibitz.runs.places import check_unused, place_at
from kibitz.studies.tournament.budgets import DecisionBudget, budget_in
from kibitz.studies.tournament.formats import Format
from kibitz.studies.tournament.playing import belongs, tournament
from kibitz.studies.tournament.race import StoppingRule
from kibitz.studies.tournament.ratings import Ratings
from kibitz.studies.tournament.results import TableResult, Tournament
from kibitz.studies.values import pair


@dataclass(frozen=True)
class Curves(Reported):
    """Tournaments of the same agents with several budgets.

    Attributes:
        budgets: budgets for a decision, in ascending order.
        tournaments: one for each budget that was played, in the same order.
    """

    budgets: tuple[DecisionBudget, ...]
    tournaments: tuple[Tournament, ...]

    @property
    def interrupted(self) -> bool:
        """Whether play was stopped before the last tournament was complete."""
        return self.tournaments[-1].interrupted or len(self.tournaments) < len(self.budgets)

    @property
    def agents(self) -> tuple[str, ...]:
        """The labels of the agents."""
        return self.tournaments[0].agents

    def tables(self) -> list[tuple[TableResult, ...]]:
        """The results of each table by budget, up to the first budget at which it was left out."""
        by_label = [{table.label: table for table in each.tables} for each in self.tournaments]
        results = []
        for label in by_label[0]:
            complete = itertools.takewhile(lambda tables: label in tables, by_label)  # noqa: B023
            results.append(tuple(tables[label] for tables in complete))
        return results

    def anchor(self, table: Sequence[TableResult]) -> int | None:
        """The number of the strongest agent whose play does not depend on the budget, if any.

        Ratings at several budgets are given relative to it, because the mean of all agents rises
        with the budget.
        """
        same = [
            number
            for number in range(len(self.agents))
            if len({result.played_as[number] for result in table}) == 1
        ]
        if not same or len(table) < 2:
            return None
        return max(same, key=lambda number: table[0].ratings.players[number].elo)

    def points(
        self, result: TableResult, agent: int, anchor: int | None
    ) -> tuple[float, Interval]:
        """The Elo points of an agent above the anchor, or above the mean of all agents."""
        ratings = result.ratings
        if anchor is None or anchor == agent:
            rating = ratings.players[agent]
            return (rating.elo, rating.interval) if anchor is None else (0.0, (0.0, 0.0))
        return ratings.difference(agent, anchor)

    @staticmethod
    def best(ratings: Ratings) -> tuple[int, list[int]]:
        """The strongest agent, and those whose difference from it may be 0."""
        order = sorted(range(len(ratings.players)), key=lambda k: -ratings.players[k].elo)
        leader = order[0]
        rivals = [k for k in order[1:] if ratings.difference(leader, k)[1][0] <= 0]
        return leader, rivals

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON types."""
        tables = []
        for results in self.tables():
            anchor = self.anchor(results)
            rows = []
            for budget, result in zip(self.budgets, results, strict=False):
                points = [self.points(result, k, anchor) for k in range(len(self.agents))]
                leader, rivals = self.best(result.ratings)
                rows.append(
                    {
                        "budget": str(budget),
                        "elo": [elo for elo, _ in points],
                        "intervals": [pair(interval) for _, interval in points],
                        "best": leader,
                        "may_be_as_strong": rivals,
                    }
                )
            tables.append({"table": results[0].label, "anchor": anchor, "budgets": rows})
        return {
            "agents": list(self.agents),
            "budgets": [str(budget) for budget in self.budgets],
            "interrupted": self.interrupted,
            "strength": tables,
            "tournaments": [tournament.to_json() for tournament in self.tournaments],
        }


def tournaments_by_budget(
    tables: Mapping[str, Playable] | Playable,
    agents: Lineup,
    budgets: Sequence[DecisionBudget | str],
    *,
    games: int = 200,
    seed: int = 0,
    format: Format = Format.ROUND_ROBIN,
    sure: StoppingRule | None = None,
    control: bool = False,
    randomize: Mapping[str, str | Collection[str]] | None = None,
    workers: Workers = None,
    progress: Progress | None = None,
    out: str | Path | None = None,
) -> Curves:
    """Plays the same tournament with each budget, to find the best agent for each.

    An interrupt ends it; the tables that are complete by then are returned.

    Args:
        tables: see ``tournament``.
        agents: agents that search must not have a budget of their own.
        budgets: for a decision, such as "10ms" or "200it"; they are played in ascending order.
        games, seed, format, sure, control, randomize, workers: see ``tournament``.
        progress: its stages are the matches.
        out: folder in which the games are stored, by budget.

    Raises:
        ParameterError, AgentError: as ``tournament``; or the budgets differ in kind, or one
            is repeated.
        KeyboardInterrupt: stopped at the first table of the first budget.
    """
    given = [budget_in("budgets", budget) for budget in in_list("budgets", budgets, "budgets")]
    if len({budget.in_iterations for budget in given}) > 1:
        raise ParameterError("Times for a decision are all milliseconds, or all iterations.")
    if not given or len(set(given)) < len(given):
        raise ParameterError("Times for a decision should be given, each of them once.")
    if out is not None:
        out = place_at(out)
        check_unused(out, belongs)
    rising = tuple(sorted(given, key=lambda budget: budget.amount))
    tournaments: list[Tournament] = []
    played = 0

    def with_budget(match: str, done: int, total: int) -> None:
        if progress is not None:
            progress(f"{rising[len(tournaments)]}: {match}", played + done, total * len(rising))

    for budget in rising:
        try:
            played_by_all = tournament(
                tables,
                agents,
                games=games,
                seed=seed,
                format=format,
                sure=sure,
                control=control,
                randomize=randomize,
                decision_budget=budget,
                workers=workers,
                progress=with_budget,
                out=None if out is None else out / str(budget),
            )
        except KeyboardInterrupt:
            if not tournaments:
                raise
            break
        tournaments.append(played_by_all)
        played += sum(
            match.games + match.unfinished
            for table in played_by_all.tables
            for match in table.matches
        )
        if played_by_all.interrupted:
            break
    return Curves(rising, tuple(tournaments))

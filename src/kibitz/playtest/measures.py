"""What a playtest measures: who wins, how long it takes, how much there is to decide.

Everything except the outcomes is measured over finished games only; games that could not be
finished are counted by cause. The same seed gives the same numbers, times apart, whatever the
number of workers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kibitz.arena.batch import Batch, Progress, play_batch
from kibitz.core.agent import Agent, make_agents
from kibitz.core.errors import ParameterError, did_you_mean
from kibitz.core.game import Game
from kibitz.core.registry import load
from kibitz.core.status import Status
from kibitz.playtest.results import CAUSES, Performance, Playtest, Unfinished
from kibitz.playtest.statistics import (
    Fairness,
    Interval,
    Summary,
    clustered_interval,
    ratio_interval,
    seat_fairness,
    summarize_values,
    wilson_interval,
)

Array = np.ndarray[Any, Any]


def playtest_game(
    game: Game | str,
    *,
    players: int | None = None,
    agents: Sequence[str | Agent] | str | Agent = ("random",),
    games: int = 1000,
    seed: int = 0,
    parameters: Mapping[str, Any] | None = None,
    rotate: bool = True,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Playtest:
    """Plays many games and measures them.

    >>> result = playtest_game("tic-tac-toe", games=100, seed=1)
    >>> result.finished, result.ticks_per_game.max
    (100, 9)

    Args:
        game: a game, or its name.
        players: how many sit at the table; by default the fewest.
        agents: one for each seat, or one for all; see ``kibitz.core.agent.make_agent``.
        games: how many to play.
        seed: of the run; the same seed gives the same games.
        parameters: the game's parameters by name; the rest keep their defaults.
        rotate: whether the agents move on by one seat from game to game.
        workers: threads; by default one for each core.
        progress: called now and then with the number of games played so far.

    Raises:
        KibitzError: a name or a value is wrong; the message lists the right ones.
    """
    chosen = load(game) if isinstance(game, str) else game
    values = dict(parameters or {})
    for name in values:
        if name not in chosen.Parameters.tunables:
            raise ParameterError(did_you_mean(name, chosen.Parameters.tunables, "parameter"))
    table = chosen.table(players, **values)
    specs = [agents] if isinstance(agents, str | Agent) else list(agents)
    seated = make_agents(specs, table.players)
    batch = play_batch(
        table, seated, games, seed, rotate=rotate, workers=workers, progress=progress
    )
    return summarize(batch)


def summarize(batch: Batch) -> Playtest:
    """The measures of a batch of games."""
    results = batch.results
    finished = results[results["status"] == Status.FINISHED]
    table = batch.table
    places = finished["seats"]["place"].reshape(-1, table.players)
    outcome = _Outcomes(places, finished["seats"]["returns"].reshape(places.shape))
    labels = [label_of(agent) for agent in batch.agents]
    tied = int(outcome.tied.sum())
    decisions = finished["decisions"]
    hides = bool(table.record["slot_count"][0])
    return Playtest(
        game=table.game.name or type(table.game).__name__,
        title=table.game.title or table.game.name or type(table.game).__name__,
        parameters=table.parameters.to_json(),
        changed=table.parameters.changed(table.players),
        players=table.players,
        seed=batch.seed,
        games=len(results),
        wanted=batch.wanted,
        finished=len(finished),
        unfinished=tuple(_unfinished(batch, labels)),
        won_together=int(outcome.won_together.sum()),
        lost_together=int(outcome.lost_together.sum()),
        rotated=batch.rotate,
        seats=tuple(_seats(batch, finished, outcome, labels)),
        agents=tuple(_agents(batch, finished, outcome, labels)),
        fairness=_fairness(outcome, labels),
        tie_rate=_rate(tied, len(finished)),
        tie_interval=_interval(tied, len(finished)),
        decisions_per_game=summarize_values(decisions),
        options_per_decision=_options(finished),
        ticks_per_game=summarize_values(finished["ticks"]),
        turns_per_game=summarize_values(finished["turns"]),
        rounds_per_game=summarize_values(finished["rounds"]),
        hidden_share=_rate(float(finished["hidden"].sum()), int(decisions.sum()))
        if hides
        else None,
        hidden_interval=ratio_interval(finished["hidden"], decisions) if hides else None,
        seconds=batch.seconds,
    )


def label_of(agent: Agent) -> str:
    """What an agent is called in reports."""
    return agent.label or type(agent).__name__


class _Outcomes:
    """Who won, who tied and who lost: arrays over games and seats."""

    def __init__(self, places: Array, returns: Array) -> None:
        first = places == 1
        winners = first.sum(axis=1)
        everybody = places.shape[1] > 1
        self.won_together = everybody & first.all(axis=1) & (returns > 0).all(axis=1)
        self.lost_together = everybody & (places > 1).all(axis=1)
        share = np.where(self.won_together, 1.0, 1.0 / np.maximum(winners, 1))
        self.wins = first * share[:, None]
        self.sole_wins = first & (winners == 1)[:, None]
        self.tied = (winners > 1) & ~self.won_together
        self.ties = first & self.tied[:, None]
        last = places.max(axis=1, initial=1)[:, None]
        self.non_losses = (places < last) | (places <= 1)
        self.winners = np.where(winners > 0, 1.0 / np.maximum(winners, 1), 0.0)


def _seats(
    batch: Batch, finished: Array, outcome: _Outcomes, labels: list[str]
) -> list[Performance]:
    fixed = not batch.rotate or len(set(labels)) == 1
    seats = []
    for p in range(batch.table.players):
        mask = np.zeros((len(finished), batch.table.players), bool)
        mask[:, p] = True
        failures = int((batch.results["culprit"] == p).sum())
        agent = labels[p] if fixed else None
        timed = fixed and _is_timed(batch.agents[p])
        seats.append(_performance(agent, p + 1, finished, outcome, mask, failures, timed))
    return seats


def _agents(
    batch: Batch, finished: Array, outcome: _Outcomes, labels: list[str]
) -> list[Performance]:
    """One for each label, in the order of the seats of the first game."""
    everyone = batch.results["seats"]["agent"]
    failed = np.flatnonzero(batch.results["culprit"] >= 0)
    culprits = everyone[failed, batch.results["culprit"][failed]]
    found = []
    for label in dict.fromkeys(labels):
        numbers = [i for i, other in enumerate(labels) if other == label]
        mask = np.isin(finished["seats"]["agent"], numbers)
        failures = int(np.isin(culprits, numbers).sum())
        timed = all(_is_timed(batch.agents[i]) for i in numbers)
        found.append(_performance(label, None, finished, outcome, mask, failures, timed))
    return found


def _is_timed(agent: Agent) -> bool:
    """Whether the match loop takes an agent's time."""
    return bool(getattr(agent, "sees", True))


def _performance(
    agent: str | None,
    seat: int | None,
    finished: Array,
    outcome: _Outcomes,
    mask: Array,
    failures: int,
    timed: bool,
) -> Performance:
    """The performance of those in the seats of `mask`, an array over games and seats."""
    games = int(mask.sum())
    trials = mask.sum(axis=1)
    wins = float(outcome.wins[mask].sum())
    non_losses = int(outcome.non_losses[mask].sum())
    decisions = int(finished["seats"]["decisions"][mask].sum())
    nanoseconds = int(finished["seats"]["nanoseconds"][mask].sum())
    return Performance(
        agent=agent,
        seat=seat,
        games=games,
        wins=wins,
        sole_wins=int(outcome.sole_wins[mask].sum()),
        ties=int(outcome.ties[mask].sum()),
        win_rate=_rate(wins, games),
        win_interval=clustered_interval((outcome.wins * mask).sum(axis=1), trials),
        non_losses=non_losses,
        non_loss_rate=_rate(non_losses, games),
        non_loss_interval=clustered_interval((outcome.non_losses & mask).sum(axis=1), trials),
        score=_score(finished["seats"]["score"], mask),
        decisions=decisions,
        failures=failures,
        seconds_per_decision=_rate(nanoseconds / 1e9, decisions) if timed else None,
    )


def _score(scores: Array, mask: Array) -> Summary:
    """The scores in the seats of `mask`; those of one game may go together."""
    summary = summarize_values(scores[mask])
    together = ratio_interval((scores * mask).sum(axis=1), mask.sum(axis=1))
    if together is None or summary.interval is None:
        return summary
    low, high = summary.interval
    return replace(summary, interval=(min(low, together[0]), max(high, together[1])))


def _rate(count: float, n: int) -> float | None:
    return count / n if n else None


def _interval(count: float, n: int) -> Interval | None:
    return wilson_interval(count, n) if n else None


def _options(finished: Array) -> Summary:
    """All decisions together, whichever game they were in."""
    decisions = int(finished["decisions"].sum())
    if decisions == 0:
        return Summary()
    mean = int(finished["options"].sum()) / decisions
    squares = int(finished["options_squared"].sum())
    some = finished[finished["decisions"] > 0]
    sd = None
    if decisions > 1:
        sd = math.sqrt(max(0.0, squares - decisions * mean**2) / (decisions - 1))
    return Summary(
        count=decisions,
        mean=mean,
        sd=sd,
        min=int(some["fewest_options"].min()),
        max=int(some["most_options"].max()),
        interval=ratio_interval(finished["options"], finished["decisions"]),
    )


def _fairness(outcome: _Outcomes, labels: list[str]) -> Fairness | None:
    """The test of the seats, where it makes sense."""
    games, seats = outcome.wins.shape
    together = outcome.won_together.any() or outcome.lost_together.any()
    if games == 0 or seats < 2 or len(set(labels)) > 1 or together:
        return None
    wins = [float(w) for w in outcome.wins.sum(axis=0)]
    return seat_fairness(wins, games, float(outcome.winners.mean()))


def _unfinished(batch: Batch, labels: list[str]) -> Iterator[Unfinished]:
    for cause in CAUSES:
        games = batch.results[batch.results["status"] == cause]
        if len(games) == 0:
            continue
        first = games[0]
        raised = batch.exceptions.get(cause)
        yield Unfinished(
            cause=cause.name.lower(),
            games=len(games),
            seed=int(first["seed"]),
            agents=tuple(labels[i] for i in first["seats"]["agent"]),
            ticks=int(first["ticks"]),
            seat=int(first["culprit"]) + 1 or None,
            error=None if raised is None else f"{type(raised).__name__}: {raised}",
        )

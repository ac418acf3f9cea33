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
from kibitz.core.game import Game, Table
from kibitz.core.registry import load
from kibitz.core.status import Status
from kibitz.playtest.results import (
    CAUSES,
    Fault,
    OptionsAt,
    Performance,
    Playtest,
    Unfinished,
)
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
    loops: int | None = None,
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
        loops: a game that is in the same state for this time is broken off as a suspected
            loop; 0: never; by default as the game says.
        progress: called now and then with the number of games played so far.

    Raises:
        KibitzError: a name or a value is wrong; the message lists the right ones.
    """
    table = find_table(game, players, parameters or {})
    specs = [agents] if isinstance(agents, str | Agent) else list(agents)
    seated = make_agents(specs, table.players)
    batch = play_batch(
        table,
        seated,
        games,
        seed,
        rotate=rotate,
        workers=workers,
        loops=loops,
        progress=progress,
    )
    return summarize(batch)


def find_table(game: Game | str, players: int | None, parameters: Mapping[str, Any]) -> Table:
    """The game ready to be played.

    Raises:
        UnknownGameError: there is none of that name.
        ParameterError: a name, a value or a combination is not allowed.
    """
    chosen = load(game) if isinstance(game, str) else game
    for name in parameters:
        if name not in chosen.Parameters.tunables:
            raise ParameterError(did_you_mean(name, chosen.Parameters.tunables, "parameter"))
    return chosen.table(players, **parameters)


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
        where=table.game.where,
        title=table.game.title or table.game.name or type(table.game).__name__,
        parameters=table.parameters.to_json(),
        changed=table.parameters.changed(table.players),
        players=table.players,
        seed=batch.seed,
        games=len(results),
        wanted=batch.wanted,
        finished=len(finished),
        unfinished=tuple(_unfinished(batch, labels)),
        faults=tuple(_faults(batch, labels)),
        loops=batch.loops,
        usual_loops=table.game.loops,
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
        options_per_action=_options(finished, forced=True),
        options_at=tuple(_options_at(batch, finished)),
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


def _options(finished: Array, forced: bool = False) -> Summary:
    """All decisions together, whichever game they were in; or all actions, `forced` ones too."""
    decisions = finished["ticks" if forced else "decisions"].astype(np.int64)
    only = decisions - finished["decisions"]  # the actions of which there was one
    options, squares = finished["options"] + only, finished["options_squared"] + only
    n = int(decisions.sum())
    if n == 0:
        return Summary()
    mean = int(options.sum()) / n
    sd = None
    if n > 1:
        sd = math.sqrt(max(0.0, int(squares.sum()) - n * mean**2) / (n - 1))
    some = finished[finished["decisions"] > 0]
    return Summary(
        count=n,
        mean=mean,
        sd=sd,
        min=1 if only.any() else int(some["fewest_options"].min()),
        max=int(some["most_options"].max()) if len(some) else 1,
        interval=ratio_interval(options, decisions),
    )


def _options_at(batch: Batch, finished: Array) -> Iterator[OptionsAt]:
    """The numbers of options at each of the first actions of a game."""
    lengths = np.bincount(finished["ticks"], minlength=1)
    longer = len(finished) - np.cumsum(lengths)  # games of more than so many actions
    for action, (options, squares) in enumerate(batch.branching.T.tolist()):
        games = int(longer[action]) if action < len(longer) else 0
        if games == 0:
            return
        mean = options / games
        sd = None
        if games > 1:
            sd = math.sqrt(max(0.0, squares - games * mean**2) / (games - 1))
        yield OptionsAt(action + 1, games, mean, sd)


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


def _faults(batch: Batch, labels: list[str]) -> Iterator[Fault]:
    """What rules said of the games that they broke off; games of one explanation together."""
    results = batch.results
    for cause in CAUSES:
        known = {
            phase: why for (status, phase), why in batch.explanations.items() if status == cause
        }
        found = []
        for explanation in dict.fromkeys(known.values()):
            phases = [phase for phase, why in known.items() if why == explanation]
            games = results[(results["status"] == cause) & np.isin(results["phase"], phases)]
            if len(games) == 0:  # the run was stopped before they counted
                continue
            first = games[0]
            found.append(
                Fault(
                    cause=cause.name.lower(),
                    explanation=explanation,
                    games=len(games),
                    seed=int(first["seed"]),
                    agents=tuple(labels[i] for i in first["seats"]["agent"]),
                    ticks=int(first["ticks"]),
                )
            )
        yield from sorted(found, key=lambda fault: (-fault.games, fault.explanation))

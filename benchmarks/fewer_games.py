"""How many times fewer games suffice with common deals, duplicate deals and control variates.

``python -m benchmarks.fewer_games variants [GAMES [GAME ...]]``: each game beside itself with one
number changed by 1, on the same deals, as ``kibitz compare`` plays them; the gain is the median
over the measures that differ, and over the numbers; of who wins alone it is told with luck taken
out, too (``--control``). Measures that agree in every game count as endless gain.

``python -m benchmarks.fewer_games matches [DEALS [GAME ...]]``: one agent against another, in
games on their own and in duplicate deals, judged as by ``kibitz tournament --control``: agents
without a search, whom the judge's rollouts play as well, and a search, for which another agent
stands in. What is compared is the variance for a game; it is proportional to how many games an
interval of some width takes. Judging costs time of its own, which is told. Coverage: how often
intervals of 160 deals, which are enough for all control variates, hold what all deals say.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

import kibitz
from kibitz.core.agent import Agent, make_agents
from kibitz.core.errors import KibitzError
from kibitz.core.game import Table
from kibitz.loading import find_table
from kibitz.playtest.comparison import Comparison, compare
from kibitz.playtest.controls import CONTROL_JUDGE, controlled, controls
from kibitz.runs import Design, Experiment, Rows, ThreadRunner

GAMES = (
    "agram",
    "continuous-pairs",
    "cuckoo",
    "gops",
    "kuhn-poker",
    "leduc-poker",
    "love-letter",
    "ninety-eight",
    "nim",
    "pairs",
    "scopa",
    "stealing-bundles",
    "tic-tac-toe",
)
MATCHES = {("osla", "random"): 1, ("ismcts:iterations=300", "osla"): 4}
"""Who plays whom, and which part of the deals: searches take longer."""
VARIED = (
    "agram",
    "continuous-pairs",
    "crazy-eights",
    "cuckoo",
    "exploding-kittens",
    "go-fish",
    "golf",
    "gops",
    "hearts",
    "lost-cities",
    "love-letter",
    "ninety-eight",
    "pairs",
    "pairs-round",
    "president",
    "recycle-uno",
    "scopa",
    "spades",
    "tic-tac-toe",
    "uno",
    "virus",
    "war",
    "whist",
)
SHOWN = {
    "deals": "by common deals",
    "wins": "of these who wins",
    "controlled": "who wins with luck taken out",
}
WANTED = 5.0
PART = 160
"""Deals of an interval whose coverage is counted."""


@dataclass(frozen=True)
class Gains:
    """What changing one number of the rules takes: how many times fewer games.

    Attributes:
        changed: what was.
        deals: by common deals, the median over the measures that differ.
        wins: of these who wins, likewise.
        controlled: who wins, with luck taken out, too.
    """

    changed: str
    deals: float
    wins: float
    controlled: float


def changes(name: str) -> Iterator[tuple[str, dict[str, Table]]]:
    """For each number of a game's parameters the game as it is, and with that changed by 1."""
    game = kibitz.load(name)
    table = game.table()
    for parameter, value in table.parameters.as_dict().items():
        if isinstance(value, bool) or not isinstance(value, int):
            continue
        for changed in (value + 1, value - 1):
            try:
                other = game.table(parameters={parameter: changed})
            except KibitzError:
                continue
            yield f"{parameter}={changed}", {"as it is": table, "changed": other}
            break


def variant_gains(name: str, games: int) -> Iterator[Gains]:
    """Of each number of a game's parameters: what changing it by 1 gains."""
    judged: Design = {"record": ["judgements"], "judge": "rollouts:samples=8"}
    for changed, both in changes(name):
        plain = compare(both, games=games, seed=1, workers=1)
        luckless = compare(both, games=games, seed=1, workers=1, **judged)
        yield Gains(
            changed,
            median_gain(plain),
            median_gain(plain, " wins"),
            median_gain(luckless, " wins"),
        )


def median_gain(found: Comparison, title: str = "") -> float:
    """The median gain of the measures with such a title."""
    differences = [row.differences[0] for row in found.rows if row.title.endswith(title)]
    gains = [math.inf if d.gain is None else d.gain for d in differences if d is not None]
    return statistics.median(gains) if gains else math.inf


def tell_variants(games: int, names: Sequence[str]) -> None:
    """Prints the gains of each game that has numbers to change."""
    reached, count = Counter[str](), 0
    for name in names:
        found = list(variant_gains(name, games))
        if not found:
            continue
        count += 1
        gains = {of: statistics.median(getattr(one, of) for one in found) for of in SHOWN}
        reached.update(of for of, gain in gains.items() if gain >= WANTED)
        words = "; ".join(f"{words} {gains[of]:.1f}" for of, words in SHOWN.items())
        single = ", ".join(f"{one.changed} {one.deals:.1f}" for one in found)
        print(f"{name}, times fewer games: {words} ({single})", flush=True)
    for of, words in SHOWN.items():
        print(f"{WANTED:g} times or more {words}: {reached[of]} of {count} games")


@dataclass(frozen=True)
class Found:
    """What a match of duplicate deals says.

    Attributes:
        duplicate: how many times fewer games by duplicate deals.
        both: the same with control variates.
        held: how many intervals hold the truth.
        intervals: of so many.
        play: seconds of CPU time for a game.
        judge: the same for judging it.
    """

    duplicate: float
    both: float
    held: int
    intervals: int
    play: float
    judge: float


def match_gains(name: str, one: str, other: str, deals: int) -> Found | None:
    """Plays and judges a match; returns ``None`` where agents play alike."""
    table = find_table(name, 2, None)
    seats = table.players
    agents = make_agents([one, other], seats)
    plain = Experiment.of(table, agents, deals * seats, 2)
    rows, play = _played(plain, table, agents)
    results = np.concatenate([part.results["seats"] for part in rows])
    first = results["place"] == 1
    won = (first / np.maximum(1, first.sum(axis=1, keepdims=True)))[results["agent"] == 0]
    duplicate = Experiment.of(
        table,
        agents,
        deals * seats,
        1,
        duplicate=True,
        record=["judgements"],
        judge=CONTROL_JUDGE,
    )
    rows, judged = _played(duplicate, table, agents)
    shares, luck = controls(rows, duplicate)
    if shares.std() == 0:
        return None
    whole = controlled(shares, luck)
    held = [
        low <= whole.share <= high
        for at in range(0, len(shares) - PART + 1, PART)
        for low, high in [controlled(shares[at : at + PART], luck[at : at + PART]).interval]
    ]
    by_deals = float(won.var(ddof=1)) / (seats * float(shares.var(ddof=1)))
    return Found(by_deals, by_deals * whole.gain, sum(held), len(held), play, judged - play)


def _played(
    experiment: Experiment, table: Table, agents: Sequence[Agent]
) -> tuple[list[Rows], float]:
    """The rows of a run, and how many seconds of CPU time a game took."""
    rows: list[Rows] = []
    runner = ThreadRunner(experiment, table, agents, workers=1)
    began = time.process_time()
    runner.play(rows.append)
    return rows, (time.process_time() - began) / experiment.games


def tell_matches(deals: int, names: Sequence[str]) -> None:
    """Prints the gains of each match."""
    reached, held, intervals = Counter[str](), 0, 0
    for name in names:
        for (one, other), part in MATCHES.items():
            who = f"{one} against {other}"
            found = match_gains(name, one, other, deals // part)
            if found is None:
                print(f"{name}, {who}: every deal is balanced: they play alike", flush=True)
                continue
            reached[who] += found.both >= WANTED
            held, intervals = held + found.held, intervals + found.intervals
            print(
                f"{name}, {who}: {found.duplicate:.1f} times fewer games by duplicate deals, "
                f"{found.both:.1f} with control variates; {found.held} of {found.intervals} "
                f"intervals hold; {1e3 * found.play:.2f} ms to play a game, "
                f"{1e3 * found.judge:.2f} ms to judge it",
                flush=True,
            )
    for who, count in reached.items():
        print(f"{who}, {WANTED:g} times or more: {count} of {len(names)} games")
    print(f"{held} of {intervals} intervals hold")


def main(what: str = "matches", count: str = "400", *names: str) -> None:
    """Prints the gains of each game."""
    if what == "variants":
        tell_variants(int(count), names or VARIED)
    else:
        tell_matches(int(count), names or GAMES)


if __name__ == "__main__":
    main(*sys.argv[1:])

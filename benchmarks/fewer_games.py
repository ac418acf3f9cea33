"""How many times fewer games suffice with common deals, duplicate deals and control variates.

``python -m benchmarks.fewer_games [DEALS [GAME ...]]``. First variants: each game beside itself
with one number changed by 1, on the same deals, as ``kibitz compare`` plays them; the gain is the
median over the measures that differ, and over the numbers; of who wins alone it is told with luck
taken out, too (``--control``). Measures that agree in every game count
as endless gain. Then one agent against a random one, in games on their own and in duplicate deals.
What is compared is the variance for a game; it is proportional to how many games an interval of
some width takes. Judging costs time, which is not counted. Coverage: how often intervals of 160
deals, which are enough for all control variates, hold what all deals say.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

import kibitz
from kibitz.arena.judge import Judge
from kibitz.core.agent import make_agents
from kibitz.core.errors import KibitzError
from kibitz.loading import find_table
from kibitz.playtest.comparison import Comparison, compare
from kibitz.playtest.controls import controlled, controls
from kibitz.runs import Design, Experiment, Rows, ThreadRunner

GAMES = {
    "agram": "osla",
    "continuous-pairs": "osla",
    "cuckoo": "osla",
    "gops": "osla",
    "kuhn-poker": "osla",
    "leduc-poker": "osla",
    "pairs-round": "osla",
    "tic-tac-toe": "osla",
    "stealing-bundles": "osla",
    "war": "osla",
    "scopa": "osla",
    "nim": "osla",
}
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
JUDGE = "rollouts:samples=64"
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


def variant_gains(name: str, games: int) -> Iterator[Gains]:
    """Of each number of a game's parameters: what changing it by 1 gains."""
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
            both = {"as it is": table, "changed": other}
            plain = compare(both, games=games, seed=1, workers=1)
            judged: Design = {"record": ["judgements"], "judge": "rollouts:samples=8"}
            luckless = compare(both, games=games, seed=1, workers=1, **judged)
            yield Gains(
                f"{parameter}={changed}",
                _gain(plain),
                _gain(plain, " wins"),
                _gain(luckless, " wins"),
            )
            break


def _gain(found: Comparison, title: str = "") -> float:
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


def main(deals: int = 400, *games: str) -> None:
    """Prints the gains of each game."""
    tell_variants(deals, games or VARIED)
    reached = 0
    for name in games or GAMES:
        table = find_table(name, 2, None)
        seats = table.players
        agents = make_agents([GAMES.get(name, "osla"), "random"], seats)
        count = deals * seats
        found: list[Rows] = []
        plain = Experiment.of(table, agents, count, 1)
        ThreadRunner(plain, table, agents, workers=1).play(found.append)
        results = np.concatenate([rows.results["seats"] for rows in found])
        first = results["place"] == 1
        won = (first / np.maximum(1, first.sum(axis=1, keepdims=True)))[results["agent"] == 0]
        rows: list[Rows] = []
        judge = Judge.of(JUDGE)
        duplicate = Experiment.of(
            table, agents, count, 1, duplicate=True, record=["judgements"], judge=judge
        )
        ThreadRunner(duplicate, table, agents, workers=1).play(rows.append)
        shares, luck = controls(rows, duplicate)
        if shares.std() == 0:
            print(f"{name}: every deal is balanced: these agents play alike", flush=True)
            continue
        by_deals = float(won.var(ddof=1)) / (seats * float(shares.var(ddof=1)))
        both = by_deals * controlled(shares, luck).gain
        reached += both >= WANTED
        truth = controlled(shares, luck).share
        held = [
            low <= truth <= high
            for at in range(0, len(shares) - PART + 1, PART)
            for low, high in [controlled(shares[at : at + PART], luck[at : at + PART]).interval]
        ]
        print(
            f"{name}: {by_deals:.2f} times fewer games by duplicate deals, {both:.2f} with "
            f"control variates; {sum(held)} of {len(held)} intervals hold",
            flush=True,
        )
    print(f"{WANTED:g} times or more: {reached} of {len(games or GAMES)} games")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400, *sys.argv[2:])

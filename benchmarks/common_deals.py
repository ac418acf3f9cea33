"""What common deals can gain at most: ``python -m benchmarks.common_deals [GAME ...]``.

Two variants of a game are compared on the same deals. If play is independent once the deal is
known, a result is what the deal makes of it and a rest: Y = m(deal) + e. The rests of two
variants share nothing; so the variance of their difference is that of both rests at least,
however alike the variants are, and common deals need at most 1 / (1 - s) times fewer games,
where s is the share of the variance that the deal explains (the intraclass correlation: Shrout
and Fleiss, "Intraclass Correlations: Uses in Assessing Rater Reliability", Psychological
Bulletin 86, 1979, ICC(1,1)). Five times fewer take a deal that explains 80 %. More is gained
only where games stay in step: where players choose alike in both variants, as random players
with the same random numbers do until the games depart.

Each deal is played several times by random players, and the share is the median over what a game
says: wins and scores of the seats, actions, decisions. By the deal is meant all of the game's own
luck, as far as the rules ask for it in the same order. Beside it stands what common deals gain
where one number of the rules is changed by 1 (``benchmarks.fewer_games``), and how much of a game
is over, on average, when the two variants depart: when first another player is to move, or has
other options.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
from typing import Any

import numpy as np

import kibitz
from benchmarks.fewer_games import VARIED, WANTED, changes, median_gain
from kibitz.core.game import Table
from kibitz.playtest.comparison import compare

Array = np.ndarray[Any, Any]

GAMES = tuple(name for name in VARIED if name != "war")
"""War may go on for ever, and has nothing to decide."""
PLAYS = 4
"""Games of each deal."""
RESAMPLED = 200
"""So often the deals are drawn again, for the interval (bootstrap)."""


def play(table: Table, deal: int, rng: random.Random) -> list[float]:
    """What one random game says: wins and scores by seat, actions, decisions."""
    state = table.new_state(deal)
    decisions = 0
    while not state.is_terminal:
        legal = state.legal_actions()
        decisions += len(legal) > 1
        state.apply(rng.choice(legal))
    first = [place == 1 for place in state.places()]
    wins = [won / max(1, sum(first)) for won in first]
    return [*wins, *state.scores(), float(state.tick), float(decisions)]


def in_step(both: dict[str, Table], deal: int) -> float:
    """How much of a random game of the first variant is over when the other departs from it."""
    one, other = (table.new_state(deal) for table in both.values())
    rng = random.Random(deal)
    while (
        not one.is_terminal
        and not other.is_terminal
        and one.current_player == other.current_player
        and one.legal_actions() == other.legal_actions()
    ):
        chosen = rng.choice(one.legal_actions())
        one.apply(chosen)
        other.apply(chosen)
    together = one.tick
    while not one.is_terminal:
        one.apply(rng.choice(one.legal_actions()))
    return together / max(1, one.tick)


def deal_share(values: Array) -> float:
    """The share of the variance that the deal explains, the median over measures.

    Args:
        values: float64[deals, plays, measures].
    """
    deals, plays, _ = values.shape
    means = values.mean(axis=1)
    between = plays * means.var(axis=0, ddof=1)
    within = ((values - means[:, None]) ** 2).sum(axis=(0, 1)) / (deals * (plays - 1))
    varies = between + within > 0
    if not varies.any():
        return math.nan
    whole = (between + (plays - 1) * within)[varies]
    return float(np.median((between - within)[varies] / whole))


def interval_of(values: Array) -> tuple[float, float]:
    """The 95 % interval of the share, by drawing deals again."""
    rng = np.random.default_rng(1)
    drawn = [
        deal_share(values[rng.integers(len(values), size=len(values))]) for _ in range(RESAMPLED)
    ]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(low), float(high)


def most(share: float) -> float:
    """How many times fewer games common deals need at most."""
    return 1 / (1 - max(0.0, share)) if share < 1 else math.inf


def main() -> None:
    """Prints a row for each game."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--deals", type=int, default=200, help="of each game (%(default)s)")
    parser.add_argument("--games", type=int, default=100, help="of a variant (%(default)s)")
    parser.add_argument("names", nargs="*", metavar="GAME", default=GAMES)
    given = parser.parse_args()
    print("| game | the deal explains | at most, times fewer games | in step | measured |")
    print("|---|---:|---:|---:|---:|")
    can = does = 0
    for name in given.names:
        table = kibitz.load(name).table()
        rng = random.Random(1)
        values = np.array(
            [[play(table, deal, rng) for _ in range(PLAYS)] for deal in range(given.deals)]
        )
        share = deal_share(values)
        low, high = (f"{100 * bound:.0f}" for bound in interval_of(values))
        changed = [both for _, both in changes(name)]
        gain = statistics.median(
            median_gain(compare(both, games=given.games, seed=1, workers=1)) for both in changed
        )
        step = statistics.median(
            statistics.mean(in_step(both, deal) for deal in range(given.deals)) for both in changed
        )
        can += most(share) >= WANTED
        does += gain >= WANTED
        row = f"{100 * share:.0f} % ({low} to {high}) | {most(share):.1f} | {100 * step:.0f} %"
        print(f"| {name} | {row} | {gain:.1f} |", flush=True)
    print(f"{WANTED:g} times: possible by the deal alone in {can} of {len(given.names)} games,")
    print(f"measured in {does}.")


if __name__ == "__main__":
    main()

"""Compares optimisers at equal games: how well plays what each recommends?

``python -m benchmarks.optimisers`` lets every optimiser tune the same agent in seven games, each
ten times with other seeds and as many games; then what it recommends plays the start on fresh
deals. So what is compared is the search alone, without race and confirmation. ``--scale 0.2`` has
a fifth of the games. Budgets are iterations, so that the result does not depend on the machine.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Sequence

import kibitz
from kibitz.core.randomness import derive_seed
from kibitz.playtest.statistics import student_quantile
from kibitz.runs import Shard
from kibitz.tuning import AgentProblem, Order, Search, make_optimiser, optimisers

TABLES = {
    "tic-tac-toe": (2, "mcts:iterations=20"),
    "agram": (2, "ismcts:iterations=20"),
    "go-fish": (2, "ismcts:iterations=10"),
    "gops": (2, "ismcts:iterations=20"),
    "love-letter": (2, "ismcts:iterations=20"),
    "crazy-eights": (2, "ismcts:iterations=10"),
    "exploding-kittens": (2, "ismcts:iterations=10"),
}
"""Players and agent of each game."""
SPACE = dict.fromkeys(("rollout_length", "mix", "c", "tries", "widening", "depth"), "")
GAMES = 1000
"""Of a search; each evaluation is two games, one in each seat."""
TEST_GAMES = 400
"""By which a recommendation is judged."""


def recommend(problem: AgentProblem, name: str, games: int, seed: int) -> tuple[int, ...]:
    """What an optimiser recommends after so many games."""
    each = problem.unit_games
    search = Search(problem.space, problem.feasible, 1, games // each, seed)
    optimiser = make_optimiser(name, search)
    deals = derive_seed([0, 0, 0, 0], seed, 1)
    for number in range(games // each):
        point = optimiser.ask()
        block = problem.play(point, Order(deals, Shard(number * each, each), 1))
        [[score]] = block.statistics
        optimiser.tell(point, [score.value])
    return optimiser.recommend(1)[0]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("games", nargs="*", default=list(TABLES), help="default: all")
    parser.add_argument("--seeds", type=int, default=10, help="searches of each (10)")
    parser.add_argument("--scale", type=float, default=1.0, help="of the numbers of games")
    parser.add_argument("--optimisers", nargs="+", default=list(optimisers()))
    options = parser.parse_args(arguments)
    games = max(20, int(GAMES * options.scale))
    test = max(200, int(TEST_GAMES * options.scale)) // 2 * 2
    began = time.process_time()
    means: dict[str, list[float]] = {name: [] for name in options.optimisers}
    print(f"Share of wins against the start, {games} games a search, {options.seeds} searches")
    print(f"| game | {' | '.join(options.optimisers)} |")
    print("|---|" + "---:|" * len(options.optimisers))
    for game in options.games:
        players, agent = TABLES[game]
        problem = AgentProblem(kibitz.load(game).table(players), agent, narrowed=SPACE)
        cells = []
        for name in options.optimisers:
            scores = []
            for seed in range(options.seeds):
                point = recommend(problem, name, games, seed)
                deals = derive_seed([0, 0, 0, 0], seed, 2)
                [[score]] = problem.play(point, Order(deals, Shard(0, test), 1)).statistics
                scores.append(score.value)
            means[name] += scores
            cells.append(told(scores))
        print(f"| {game} | {' | '.join(cells)} |", flush=True)
    print(f"| all | {' | '.join(told(scores) for scores in means.values())} |")
    print(f"{time.process_time() - began:.0f} s of processor time")


def told(scores: Sequence[float]) -> str:
    """The mean in per cent, and half its 95 % interval over searches."""
    mean = 100 * statistics.fmean(scores)
    if len(scores) < 2:
        return f"{mean:.0f}"
    error = 100 * statistics.stdev(scores) / math.sqrt(len(scores))
    return f"{mean:.0f} ± {student_quantile(len(scores) - 1) * error:.0f}"


if __name__ == "__main__":
    main()

"""How well the agent ``kibitz`` plays, against set targets: a table of ``docs/strength.md``.

``python -m benchmarks.targets`` measures all games, ``python -m benchmarks.targets gops virus``
some, or others, by name or file, for which no target is set. In each the agent has half of the
seats, with as many iterations as fit into its time on a free core; in Pandemic it has all of them.
``--seconds`` is about how much CPU time a game gets.

``--ladder 1 10 100`` measures instead what time gains: with each time it plays against itself with
the time before, in half of the seats, so that 50 % are equal.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import kibitz
from benchmarks.matches import Outcome, iterations_within, play_match, with_options
from kibitz.core.game import Table
from kibitz.players.kibitz import agent_setting_for
from kibitz.players.search import BUDGET

FEWEST_GAMES, MOST_GAMES = 8, 4000


class Target(NamedTuple):
    """What the agent should achieve in a game."""

    rate: float
    """The share of wins; 0: none is set."""
    milliseconds: float = 10.0
    other: str = "osla"
    partners: bool = False
    """Whether players who face each other belong together."""


TARGETS = {
    "uno": Target(0.75),
    "colt-express": Target(0.75),
    "spades": Target(0.75, partners=True),
    "lost-cities": Target(0.75),
    "gops": Target(0.75),
    "virus": Target(0.65),
    "exploding-kittens": Target(0.65),
    "hearts": Target(0.65),
    "crazy-eights": Target(0.65),
    "love-letter": Target(0.58),
    "tic-tac-toe": Target(0.5),
    "whist": Target(0.75, partners=True),
    "pandemic": Target(0.6, milliseconds=100.0, other=""),
}

NO_TARGET = Target(0.0)
"""How other games are measured."""


def measure(table: Table, target: Target, seconds: float, seed: int) -> tuple[Outcome, int]:
    """The outcome of a match of about so many seconds, and the iterations for a decision."""
    iterations = iterations_within("kibitz", table, target.milliseconds)
    agent = f"kibitz:iterations={iterations}"
    other = target.other or agent
    began = time.process_time()
    first = play_match(table, agent, other, 2, seed, partners=target.partners)
    spent = (time.process_time() - began) / first.games
    games = int(min(MOST_GAMES, max(FEWEST_GAMES, seconds / spent)))
    return play_match(table, agent, other, games, seed + 100, partners=target.partners), iterations


def climb(
    table: Table, target: Target, times: list[float], seconds: float, seed: int
) -> Iterator[tuple[float, float, int, int, Outcome]]:
    """For each time but the first: both times, both iterations, and the match of the two."""
    # short decisions are too short to be measured: calls from Python would count
    longest = iterations_within("kibitz", table, times[-1])
    iterations = [max(1, round(longest * given / times[-1])) for given in times]
    for k in range(1, len(times)):
        agent, other = (f"kibitz:iterations={iterations[i]}" for i in (k, k - 1))
        games, played, wins = 2, 0, 0.0
        began = time.process_time()
        while played < MOST_GAMES and time.process_time() - began < seconds:
            outcome = play_match(
                table, agent, other, games, seed + played, partners=target.partners
            )
            wins, played = wins + outcome.wins, played + outcome.games
            games = min(2 * games, MOST_GAMES - played)
        yield times[k - 1], times[k], iterations[k - 1], iterations[k], Outcome(wins, played)


def print_ladder(names: Sequence[str], times: list[float], seconds: float, seed: int) -> None:
    """Prints a row for each game and each step of time."""
    print("| game | players | ms | iterations | wins of the longer (95 % interval) |")
    print("|---|---:|---:|---:|---:|")
    for name in names:
        table = kibitz.load(name).table()
        for short, long, few, many, outcome in climb(
            table, TARGETS.get(name, NO_TARGET), times, seconds, seed
        ):
            print(
                f"| {name} | {table.players} | {short:g} to {long:g} | {few:,} to {many:,} |"
                f" {outcome} |",
                flush=True,
            )


def text_of(agent: dict[str, Any]) -> str:
    """An agent without its budget, as ``make_agent`` reads it."""
    options = {k: v for k, v in agent.items() if k not in ("agent", *BUDGET)}
    text = str(agent["agent"])
    return with_options(text, **options) if options else text


def main() -> None:
    """Measures and prints a row for each game."""
    parser = argparse.ArgumentParser(description=__doc__)
    known = f"of {', '.join(TARGETS)}; or a file"
    parser.add_argument("games", nargs="*", metavar="GAME", help=known)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--ladder", nargs="+", type=float, metavar="MS", help="times, rising")
    options = parser.parse_args()
    if options.ladder:
        competitive = [name for name, target in TARGETS.items() if target.other]
        names = options.games or competitive
        print_ladder(names, options.ladder, options.seconds, options.seed)
        return
    print(
        "| game | players | plays as | against | ms | iterations | wins (95 % interval) | target |"
    )
    print("|---|---:|---|---|---:|---:|---|---:|")
    for name in options.games or TARGETS:
        target = TARGETS.get(name, NO_TARGET)
        table = kibitz.load(name).table()
        outcome, iterations = measure(table, target, options.seconds, options.seed)
        agent = text_of(agent_setting_for(table, {"iterations": iterations}).agent)
        print(
            f"| {table.game.name} | {table.players} | `{agent}` |"
            f" {target.other or 'the game'} | {target.milliseconds:g} | {iterations:,} |"
            f" {outcome} | {f'{target.rate:.0%}' if target.rate else ''} |",
            flush=True,
        )


if __name__ == "__main__":
    main()

"""How far the kibitzer is from what it would say after a much longer search.

``python -m benchmarks.kibitzer [GAME...] [--positions N]``. The time is CPU time of one core, so a
busy machine changes nothing. In positions of random games the mover's chance after the last step
of the kibitzer that ends within two seconds is compared with the mean of searches that have
sixteen times as many iterations together. This finds what the search's noise does; what a search
of this kind would never find, it does not.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time

import kibitz
from benchmarks.measure import Check, verdict
from kibitz.core.agent import Agent
from kibitz.core.game import Table
from kibitz.core.state import State
from kibitz.web import kibitzer

GAMES = ("love-letter", "hearts")
SECONDS = 2.0
POINTS = 3.0
"""Promised, in hundredths of a win, 95 times in 100."""
REFERENCES = 4
"""Searches of the reference, each with four times the iterations."""
FIRST_BARS = 150.0
"""Milliseconds until the first bars, promised."""


def with_iterations(agent: Agent, iterations: int) -> Agent:
    """The same agent with so many iterations instead of a time."""
    values = agent.options.as_dict()
    return type(agent)(**{**values, "milliseconds": 0, "iterations": iterations})


def positions(table: Table, number: int) -> list[State]:
    """So many positions of random games in which there is a choice."""
    chance = random.Random(7)
    found: list[State] = []
    while len(found) < number:
        state = table.new_state(chance.getrandbits(30))
        until = chance.randrange(40)
        while not state.is_terminal and (state.tick < until or len(state.legal_actions()) < 2):
            state.apply(chance.choice(state.legal_actions()))
        if not state.is_terminal:
            found.append(state)
    return found


def last_step() -> int:
    """Milliseconds of the kibitzer's last search that ends within the time."""
    spent, milliseconds = 0, kibitzer.FIRST
    while spent + 1.4 * milliseconds <= 1000 * SECONDS:  # with the line beside it
        spent += round(1.4 * milliseconds)
        milliseconds *= 2
    return milliseconds // 2


def chance_of_mover(state: State, iterations: int, seed: int) -> float:
    """The mover's chance by one search with so many iterations."""
    agent = with_iterations(kibitzer.adviser(state.table), iterations)
    agent.random.seed(f"{state.tick} {seed}")
    sample = state.determinize(state.current_player, seed)
    best = max(agent.advise(sample), key=lambda item: (item.visits, item.value))
    return kibitzer.win_share(best.value, state.game, state.players)


def measure(name: str, number: int) -> list[Check]:
    """Prints what was found for a game."""
    table = kibitz.load(name).table()
    states = positions(table, number)
    chance_of_mover(states[0], 100, 0)  # whatever happens only once
    kibitzer.assess_once(states[0], states[0].current_player, 10)
    errors, rates, firsts = [], [], []
    for state in states:
        began = time.thread_time()
        kibitzer.assess_once(state, state.current_player, kibitzer.FIRST)
        firsts.append(1000 * (time.thread_time() - began))
        began = time.thread_time()
        chance_of_mover(state, 2000, 0)
        rate = 2000 / max(1e-4, time.thread_time() - began)
        iterations = int(rate * last_step() / 1000)
        rates.append(rate)
        short = chance_of_mover(state, iterations, 1)
        long = statistics.mean(
            chance_of_mover(state, 4 * iterations, 10 + n) for n in range(REFERENCES)
        )
        errors.append(100 * abs(short - long))
    errors.sort()
    within = errors[min(len(errors) - 1, int(0.95 * len(errors)))]
    firsts.sort()
    print(
        f"{name}: {len(states)} positions, {table.players} players, "
        f"{statistics.median(rates):,.0f} iterations a second; the last search has "
        f"{last_step()} ms. Points from a long search: median {statistics.median(errors):.2f}, "
        f"95 % {within:.2f}, most {errors[-1]:.2f}. First bars: median "
        f"{statistics.median(firsts):.0f} ms of CPU time, most {firsts[-1]:.0f}.",
        flush=True,
    )
    return [
        Check(f"points of {name} within two seconds, 95 of 100", within, POINTS, False),
        Check(f"milliseconds to the first bars of {name}", firsts[-1], FIRST_BARS, False),
    ]


def main() -> int:
    """Measures the games; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", default=list(GAMES))
    parser.add_argument("--positions", type=int, default=40)
    options = parser.parse_args()
    return verdict([c for name in options.games for c in measure(name, options.positions)])


if __name__ == "__main__":
    sys.exit(main())

"""How long a picture of a table takes, in every game: ``python -m benchmarks.pictures``."""

from __future__ import annotations

import random
import statistics
import sys
import time

from benchmarks.measure import Check, verdict
from kibitz.core.registry import names
from kibitz.loading import load_installed as load
from kibitz.pictures import draw

MILLISECONDS = 10.0
"""The median picture of a game is promised to take less CPU time than this."""
STATES, QUICK_STATES = 60, 15


def times(name: str, states: int) -> list[float]:
    """Milliseconds of CPU time of each picture, of the states of random games."""
    game, rng = load(name), random.Random(name)
    found: list[float] = []
    draw(game.new_state(), 0)  # whatever happens only once
    while len(found) < states:
        state = game.new_state(seed=rng.getrandbits(30))
        while not state.is_terminal and len(found) < states:
            began = time.process_time()
            draw(state, state.current_player)
            found.append(1000 * (time.process_time() - began))
            state.apply(rng.choice(state.legal_actions()))
    return found


def main(quick: bool = False) -> int:
    """Prints the median and the longest of each game; returns the exit code."""
    checks = []
    for name in names():
        found = times(name, QUICK_STATES if quick else STATES)
        median = statistics.median(found)
        print(f"{name:24} median {median:5.1f} ms, longest {max(found):5.1f} ms")
        checks.append(Check(f"milliseconds for a picture of {name}", median, MILLISECONDS, False))
    return verdict(checks)


if __name__ == "__main__":
    sys.exit(main("--quick" in sys.argv))

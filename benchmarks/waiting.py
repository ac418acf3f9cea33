"""Whether anybody waits for a search: looks at a game meanwhile, and two searches at once.

Run it on a machine with two free cores: ``python -m benchmarks.waiting [GAME]``.
"""

from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import kibitz
from kibitz.core.agent import make_agent
from kibitz.core.game import Table

SECONDS = 3.0
LOOKS = 1000


def search(table: Table, agent: str) -> float:
    """Has an agent think about a first move; how long that took."""
    state = table.new_state(1)
    began = time.monotonic()
    make_agent(agent).advise(state)
    return time.monotonic() - began


def looks(table: Table) -> list[float]:
    """How long looks at a game took, each, while somebody searched; the longest last."""
    state = table.new_state(2)
    thinking = threading.Thread(
        target=search, args=(table, f"mcts:milliseconds={1000 * SECONDS:.0f}")
    )
    thinking.start()
    time.sleep(0.2)
    times = []
    for seed in range(LOOKS):
        began = time.monotonic()
        state.observation(seed % state.players)
        state.determinize(seed % state.players, seed)
        times.append(time.monotonic() - began)
    thinking.join()
    return sorted(times)


def main(name: str = "love-letter") -> None:
    """Prints both figures for a game."""
    table = kibitz.load(name).table()
    search(table, "mcts:iterations=10")
    agent = "mcts:iterations=100"
    while search(table, agent) < SECONDS / 2:
        agent = f"mcts:iterations={2 * int(agent.partition('=')[2])}"
    alone = search(table, agent)
    with ThreadPoolExecutor(2) as pool:
        began = time.monotonic()
        list(pool.map(lambda _: search(table, agent), range(2)))
        both = time.monotonic() - began
    times = looks(table)
    print(f"{table.game.name}: {LOOKS} looks during a search of {SECONDS:g} s")
    shown = (times[LOOKS // 2], times[LOOKS * 99 // 100], times[-1])
    print(
        "  median {:.3f} ms, 99 % within {:.3f} ms, longest {:.3f} ms".format(
            *(1000 * t for t in shown)
        )
    )
    print(f"two searches at once take {both / alone:.2f} times as long as one of {alone:.1f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])

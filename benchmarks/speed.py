"""Speed against what is promised: ``scripts/bench``, or ``python -m benchmarks.speed``.

All rates are per second of CPU time on one core. Those of OpenSpiel are measured in the same
run, in turns with ours; without OpenSpiel installed they are left out. Exits with 1 when a
promise is not kept.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import kibitz
from benchmarks.measure import Check, Work, action_list, pin_to_one_core, rates, verdict
from benchmarks.native import Bench
from kibitz.core.agent import make_agent, make_agents

SIMULATIONS = 1_000


def search_work(spec: str, players: int, game: str, **parameters: Any) -> Work:
    """Work: one decision of `SIMULATIONS` iterations at the start of a game."""
    table = kibitz.load(game).table(players, **parameters)
    state = table.new_state(1)
    legal = state.legal_actions()
    actions = action_list(legal)
    binding = make_agent(spec).bind(table)
    binding.record["rng"] = [1, 2, 3, 4]

    def work() -> int:
        binding.ask(table.address, state.address, int(actions.ctypes.data), len(legal))
        return SIMULATIONS

    return work


def open_spiel_works() -> dict[str, Work]:
    """OpenSpiel's own ways through tic-tac-toe; empty where it is not installed."""
    try:
        import pyspiel
    except ImportError:
        print("OpenSpiel is not installed (pip install 'kibitz[bench]'): no comparison.\n")
        return {}
    game = pyspiel.load_game("tic_tac_toe")
    start = game.new_initial_state()
    pick = random.Random(1)
    flat = pyspiel.MCTSBot(
        game, pyspiel.RandomRolloutEvaluator(200, 7), 1.4, 1, 1000, False, 7, False
    )
    deep = pyspiel.MCTSBot(
        game, pyspiel.RandomRolloutEvaluator(1, 7), 1.4, SIMULATIONS, 1000, False, 7, False
    )

    def python_loop() -> int:
        for _ in range(100):
            state = game.new_initial_state()
            while not state.is_terminal():
                legal = state.legal_actions()
                state.apply_action(legal[int(pick.random() * len(legal))])
        return 100

    def native_rollouts() -> int:
        flat.mcts_search(start)
        return 200

    def search() -> int:
        deep.step(start)
        return SIMULATIONS

    return {
        "OpenSpiel tic-tac-toe, Python loop": python_loop,
        "OpenSpiel tic-tac-toe, C++ rollouts": native_rollouts,
        "OpenSpiel tic-tac-toe, C++ MCTS simulations": search,
    }


def throughput(seconds: float, repeats: int) -> list[Check]:
    """Playouts, searches, copies."""
    tictactoe = Bench("tic-tac-toe", 2)
    loveletter = Bench("love-letter", 4)
    works: dict[str, Work] = {
        "tic-tac-toe, random games": tictactoe.playouts(10_000),
        "tic-tac-toe, MCTS simulations (closed loop)": search_work(
            "mcts:iterations=1000,loop=closed", 2, "tic-tac-toe"
        ),
        "tic-tac-toe, MCTS simulations (open loop)": search_work(
            "mcts:iterations=1000", 2, "tic-tac-toe"
        ),
        "love-letter 2p, random games": Bench("love-letter", 2).playouts(1_000),
        "love-letter 4p, random games": loveletter.playouts(1_000),
        "love-letter 4p, copies": loveletter.copies(1_000_000),
        "love-letter 4p, memcpy of the same size": loveletter.plain_copies(1_000_000),
        "love-letter 4p, observations": loveletter.observations(100_000),
        "love-letter 4p, ISMCTS simulations": search_work(
            "ismcts:iterations=1000", 4, "love-letter"
        ),
    }
    peers = open_spiel_works()
    found = rates({**works, **peers}, seconds, repeats)
    for name, rate in found.items():
        print(f"{name:<48}{rate}")
    value = {name: rate.median for name, rate in found.items()}
    checks = [
        Check("Love Letter 4p, random games/s", value["love-letter 4p, random games"], 100_000),
        Check(
            "a state's copy, in memcpys of its size",
            value["love-letter 4p, memcpy of the same size"] / value["love-letter 4p, copies"],
            3.0,
            at_least=False,
        ),
    ]
    if peers:
        games = value["tic-tac-toe, random games"]
        checks += [
            Check(
                "tic-tac-toe playouts, times OpenSpiel's Python loop",
                games / value["OpenSpiel tic-tac-toe, Python loop"],
                10.0,
            ),
            Check(
                "tic-tac-toe playouts, times OpenSpiel's C++ rollouts",
                games / value["OpenSpiel tic-tac-toe, C++ rollouts"],
                2.0,
            ),
            *(
                Check(
                    f"tic-tac-toe MCTS ({loop} loop), times OpenSpiel's C++ MCTSBot",
                    value[f"tic-tac-toe, MCTS simulations ({loop} loop)"]
                    / value["OpenSpiel tic-tac-toe, C++ MCTS simulations"],
                    1.5,
                )
                for loop in ("open", "closed")
            ),
        ]
    return checks


def two_threads(games: int) -> Check:
    """How much faster a batch is with two threads than with one."""
    table = kibitz.load("love-letter").table(4)
    agents = make_agents(["random"], 4)
    best: dict[int, float] = {}
    for _ in range(3):
        for workers in (1, 2):
            seconds = kibitz.play(table, agents, games, workers=workers).seconds
            best[workers] = min(best.get(workers, 1e9), seconds)
    return Check("two threads, times one", best[1] / best[2], 1.7)


def process_seconds(environment: dict[str, str], game: str) -> tuple[float, Any]:
    """Wall time of a whole playtest of 1,000 random games, and its report."""
    kibitz_command = Path(sys.executable).with_name("kibitz")
    command = [str(kibitz_command), "playtest", game, "--games", "1000"]
    began = time.perf_counter()
    done = subprocess.run(
        [*command, "--agents", "random", "--json", "-"],
        env=environment,
        check=True,
        capture_output=True,
    )
    return time.perf_counter() - began, json.loads(done.stdout)


def start_up() -> list[Check]:
    """A whole process, the first time ever and from then on."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "KIBITZ_CACHE": folder}
        cold, first = process_seconds(environment, "love-letter")
        warm, second = process_seconds(environment, "love-letter")
    assert first["seats"] == second["seats"]
    return [
        Check("kibitz playtest love-letter, first time ever, seconds", cold, 30.0, at_least=False),
        Check("kibitz playtest love-letter, from then on, seconds", warm, 2.0, at_least=False),
    ]


def main() -> int:
    """Measures everything; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a fifth of the time, less exact")
    quick = parser.parse_args().quick
    checks = [*start_up(), two_threads(20_000 if quick else 100_000)]
    pin_to_one_core()
    checks += throughput(0.2 if quick else 1.0, 3 if quick else 5)
    return verdict(checks)


if __name__ == "__main__":
    sys.exit(main())

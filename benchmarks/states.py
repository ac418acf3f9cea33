"""What ``State`` costs in a Python loop beside OpenSpiel's ``pyspiel.State``, as ratios.

``python -m benchmarks.states`` prints the microseconds of CPU time that each operation takes in
both, on positions of random games, and the ratio that is promised. The two take turns in short
rounds, and the fastest round of each counts, since other work on the machine only slows them down.
A mask and an observation are arrays of NumPy here and lists there. ``--environments`` prints the
steps per second of the environments with one table instead, in uniformly random games.

It needs ``kibitz[bench]``, and ``--environments`` needs Gymnasium and PettingZoo.
"""

from __future__ import annotations

import argparse
import itertools
import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import kibitz
from benchmarks.measure import Check, pin_to_one_core, verdict

GAMES = {
    "tic-tac-toe": "tic_tac_toe",
    "connect-four": "connect_four",
    "kuhn-poker": "kuhn_poker",
    "leduc-poker": "leduc_poker",
}
POSITIONS = 200
"""Number of positions on which an operation is timed at once."""
PROMISED = 3.0
"""How many times as long as in OpenSpiel an operation may take."""
LINEUP = {"tic-tac-toe": 2, "kuhn-poker": 2, "leduc-poker": 2, "love-letter": 2, "hearts": 4}
"""The games of the environments, and their numbers of players."""

Operation = Callable[[Any, int], object]
"""What is timed: with a state and one of its legal actions."""


def our_positions(game: str) -> Iterator[tuple[Any, int]]:
    """States at which somebody decides, in random games, with a legal action each."""
    rng = random.Random(1)
    table = kibitz.load(game).table()
    for seed in range(POSITIONS):
        state = table.new_state(seed)
        while not state.is_terminal:
            action = rng.choice(state.legal_actions())
            yield state.clone(), action
            state.apply(action)


def their_positions(game: str) -> Iterator[tuple[Any, int]]:
    """The same in OpenSpiel."""
    import pyspiel

    rng = random.Random(1)
    loaded = pyspiel.load_game(GAMES[game])
    while True:
        state = loaded.new_initial_state()
        while not state.is_terminal():
            action = rng.choice(state.legal_actions())
            if not state.is_chance_node():
                yield state.clone(), action
            state.apply_action(action)


def our_operations(game: str) -> dict[str, Operation]:
    """What a loop over our states does."""
    encoder = kibitz.load(game).table().encoder
    return {
        "clone": lambda state, action: state.clone(),
        "apply": lambda state, action: state.apply(action),
        "clone and apply": lambda state, action: state.clone().apply(action),
        "is terminal": lambda state, action: state.is_terminal,
        "current player": lambda state, action: state.current_player,
        "legal actions": lambda state, action: state.legal_actions(),
        "mask": lambda state, action: encoder.mask(state),
        "observation": lambda state, action: encoder.encode(state, 0),
    }


THEIR_OPERATIONS: dict[str, Operation] = {
    "clone": lambda state, action: state.clone(),
    "apply": lambda state, action: state.apply_action(action),
    "clone and apply": lambda state, action: state.clone().apply_action(action),
    "is terminal": lambda state, action: state.is_terminal(),
    "current player": lambda state, action: state.current_player(),
    "legal actions": lambda state, action: state.legal_actions(),
    "mask": lambda state, action: state.legal_actions_mask(),
    "observation": lambda state, action: state.observation_tensor(0),
}


def nothing(state: Any, action: int) -> None:
    """The operation whose time is subtracted from those of others."""


def microseconds(operation: Operation, positions: Sequence[tuple[Any, int]]) -> float:
    """CPU time of an operation on copies of the positions, the loop included."""
    copies = [(state.clone(), action) for state, action in positions]
    began = time.process_time()
    for state, action in copies:
        operation(state, action)
    return (time.process_time() - began) / len(copies) * 1e6


def compare_states(games: Sequence[str], rounds: int) -> list[Check]:
    """Prints a line for each game and operation."""
    checks = []
    for game in games:
        ours, theirs = our_operations(game), THEIR_OPERATIONS
        mine = list(itertools.islice(our_positions(game), POSITIONS))
        others = list(itertools.islice(their_positions(game), POSITIONS))
        best: dict[tuple[str, int], float] = {}
        for _ in range(rounds):
            for name in ["", *ours]:
                pairs = (ours.get(name, nothing), mine), (theirs.get(name, nothing), others)
                for side, (operation, positions) in enumerate(pairs):
                    spent = microseconds(operation, positions)
                    best[name, side] = min(spent, best.get((name, side), spent))
        for name in ours:
            here, there = (best[name, side] - best["", side] for side in (0, 1))
            print(f"{game:<14} {name:<16} {here:6.2f} µs, pyspiel {there:6.2f} µs", flush=True)
            checks.append(Check(f"{game}, {name}", here / there, PROMISED, at_least=False))
    return checks


def gymnasium_steps(game: str, steps: int) -> float:
    """Steps of ``KibitzEnv`` per second of CPU time, against agents that play at random."""
    from kibitz.rl.gymnasium import KibitzEnv

    env = KibitzEnv(game, players=LINEUP[game], agents="random")
    rng = random.Random(1)
    _, info = env.reset(seed=1)
    began = time.process_time()
    for _ in range(steps):
        action = rng.choice(info["action_mask"].nonzero()[0].tolist())
        _, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            _, info = env.reset()
    return steps / (time.process_time() - began)


def pettingzoo_steps(game: str, steps: int) -> float:
    """Steps of ``KibitzAECEnv`` per second of CPU time."""
    from kibitz.rl.pettingzoo import KibitzAECEnv

    env = KibitzAECEnv(game, players=LINEUP[game])
    rng = random.Random(1)
    env.reset(seed=1)
    began = time.process_time()
    for _ in range(steps):
        observation, _, terminated, truncated, _ = env.last()
        assert observation is not None
        if terminated or truncated:
            env.reset()
            continue
        env.step(rng.choice(observation["action_mask"].nonzero()[0].tolist()))
    return steps / (time.process_time() - began)


def measure_environments(games: Sequence[str], rounds: int) -> None:
    """Prints the steps per second, the fastest of the rounds."""
    for game in games:
        for name, steps in (("KibitzEnv", gymnasium_steps), ("KibitzAECEnv", pettingzoo_steps)):
            rate = max(steps(game, 300) for _ in range(rounds))
            print(f"{game:<14} {name:<13} {rate:>9,.0f} steps/s", flush=True)


def main() -> int:
    """Prints the ratios, or the steps of environments."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--environments", action="store_true")
    parser.add_argument("games", nargs="*")
    options = parser.parse_args()
    pin_to_one_core()
    if options.environments:
        measure_environments(options.games or list(LINEUP), options.rounds)
        return 0
    return verdict(compare_states(options.games or list(GAMES), options.rounds))


if __name__ == "__main__":
    raise SystemExit(main())

"""Decisions of a network per second of CPU time on one core: Kibitz beside PyTorch.

``python -m benchmarks.inference`` prints a line for each game. Networks have two hidden layers of
128 units (``--hidden``) and random numbers. Ours is the agent ``neural:``, asked by compiled code
as in the match loop: it encodes what the seat sees, evaluates the network, and takes the likeliest
legal action. PyTorch (``kibitz[learn]``) gets observations and masks that are encoded already, and
does the rest: one at a time, as a player would, and many at once, as a learner would. It is left
out where it is not installed. Rates are medians of rounds in which all take turns.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.environments import chooser
from benchmarks.measure import pin_to_one_core
from kibitz.agents.network import array_shapes, new_network
from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import AGENT, make_agent
from kibitz.core.memory import INT64, array_at, call_int_5, record_at
from kibitz.core.native import Export, compile_native
from kibitz.core.state import State
from kibitz.rl import make_vec

GAMES = {"kuhn-poker": 2, "love-letter": 2, "agram": 2, "hearts": 4}
STATES = 512
BATCH = 1024
Array = np.ndarray[Any, Any]


def decide(agent: int, rules: int, states: int, size: int, lists: int, stride: int) -> int:
    """Asks an agent in each of some states."""
    total = 0
    act = record_at(agent, AGENT).act
    for i in range(STATES):
        legal = lists + i * stride
        count = array_at(legal, INT64, 1)[0]
        total += call_int_5(act, agent, rules, states + i * size, legal, count) & 1
    return total


def states_of(name: str, players: int) -> tuple[list[State], Array, Array]:
    """States of random play in which there is a choice, what is seen, and what is legal."""
    tables = make_vec(name, STATES, players=players)
    pick, actions = chooser(tables)
    states: list[State] = []
    seen: list[Array] = []
    legal: list[Array] = []
    while len(states) < STATES:
        for number in np.flatnonzero(tables.masks.sum(axis=1) > 1)[: STATES // 8].tolist():
            states.append(tables.state(number))
            seen.append(tables.observations[number].copy())
            legal.append(tables.masks[number].astype(np.bool_))
        for _ in range(3):
            pick()
            tables.step(actions)
    return states[:STATES], np.array(seen[:STATES]), np.array(legal[:STATES])


def ours(states: list[State], arrays: dict[str, Array], folder: Path) -> Callable[[], int]:
    """One pass of the compiled agent over the states; returns the number of decisions."""
    table = states[0].table
    path = folder / f"{table.game.name}.npz"
    new_network(table, arrays, "place", 1.0).save(path)
    binding = make_agent(f'neural:file="{path}"').bind(table)
    content = np.frombuffer(b"".join(bytes(state) for state in states), np.uint8)
    moves = [state.legal_actions() for state in states]
    fields: Any = ACTION_LIST.fields
    first = fields["items"][1] // 8
    stride = first + max(map(len, moves))
    lists = np.zeros((STATES, stride), np.int64)
    for row, legal in zip(lists, moves, strict=True):
        row[0] = len(legal)
        row[first:][: len(legal)] = legal
    export = Export(decide, "iiiiiii")
    call = export.bind(compile_native("decisions", {"decide": export})["decide"])
    kept = binding, table, content, lists  # what is only known by its address

    def run() -> int:
        binding, table, content, lists = kept
        states_at, lists_at = content.ctypes.data, lists.ctypes.data
        call(binding.address, table.address, states_at, table.state_size, lists_at, 8 * stride)
        return STATES

    return run


def theirs(seen: Array, legal: Array, arrays: dict[str, Array], batch: int) -> Callable[[], int]:
    """One pass of PyTorch over the observations, so many at once."""
    import torch

    from kibitz.rl.ppo import NEVER, PolicyNetwork

    torch.set_num_threads(1)
    hidden = [arrays[n].shape[0] for n in sorted(arrays) if n.startswith("biases")]
    shape = (seen.shape[1], hidden, legal.shape[1])
    network = PolicyNetwork(*shape, arrays["value"].shape[0])
    network.take(arrays)
    repeats = max(1, batch // STATES)
    inputs = torch.from_numpy(np.tile(seen, (repeats, 1)))
    masks = torch.from_numpy(np.tile(legal, (repeats, 1)))

    def run() -> int:
        with torch.inference_mode():
            for first in range(0, len(inputs), batch):
                logits, _ = network(inputs[first : first + batch])
                logits.masked_fill(~masks[first : first + batch], NEVER).argmax(dim=1)
        return len(inputs)

    return run


def rate(run: Callable[[], int], seconds: float) -> float:
    """Decisions per second of CPU time."""
    began, done = time.process_time(), 0
    while (spent := time.process_time() - began) < seconds:
        done += run()
    return done / spent


def main() -> None:
    """Prints a line for each game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.5, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--hidden", type=int, nargs="*", default=[128, 128])
    parser.add_argument("games", nargs="*", default=list(GAMES))
    options = parser.parse_args()
    pin_to_one_core()
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        for game in options.games:
            states, seen, legal = states_of(game, GAMES[game])
            shapes = array_shapes(seen.shape[1], options.hidden, legal.shape[1], states[0].players)
            arrays = {
                name: rng.normal(0, shape[0] ** -0.5, shape).astype(np.float32)
                for name, shape in shapes.items()
            }
            runs = {"neural:": ours(states, arrays, Path(folder))}
            if find_spec("torch"):
                runs["torch, one"] = theirs(seen, legal, arrays, 1)
                runs[f"torch, {BATCH}"] = theirs(seen, legal, arrays, BATCH)
            found: dict[str, list[float]] = {name: [] for name in runs}
            for run in runs.values():
                run()
            for _ in range(options.rounds):
                for name, run in runs.items():
                    found[name].append(rate(run, options.seconds))
            told = "; ".join(
                f"{name} {statistics.median(rates):,.0f} ({min(rates):,.0f} .. {max(rates):,.0f})"
                for name, rates in found.items()
            )
            print(f"{game:<12} {seen.shape[1]:>5} numbers {legal.shape[1]:>4} actions: {told}")


if __name__ == "__main__":
    main()

"""Steps of environments per second on one core: Kibitz beside the libraries that people use.

``python -m benchmarks.peers`` prints a line for each library and game; those that are not
installed are left out, by name, and so are single games that need something else that is missing:
``pip install open_spiel 'pettingzoo[classic]' rlcard pgx``.

Everybody plays uniformly random legal actions in one process on one core. A step is an action at
one table with the next observation, the mask of legal actions and the rewards; games that end
begin anew. Choosing the actions is not counted, except in PettingZoo and RLCard, whose masks are
read one at a time (a few microseconds of many). Rates are of CPU time, the median of rounds in
which the libraries take turns. The games are the same as far as their rules go: Hearts is one deal
without passing, Uno differs in details.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.environments import chooser
from benchmarks.measure import pin_to_one_core
from kibitz.rl import make_vec

Rate = Callable[[float], float]
"""Plays for so many seconds of CPU time, and returns the steps per second."""

TABLES = 1024
OTHERS_TABLES = 64
"""Tables of OpenSpiel's vector environment: more make it no faster."""

OURS: dict[str, tuple[str, dict[str, int]]] = {
    "tic-tac-toe": ("tic-tac-toe", {}),
    "connect-four": ("connect-four", {}),
    "kuhn-poker": ("kuhn-poker", {}),
    "leduc-poker": ("leduc-poker", {}),
    "hearts": ("hearts", {"rounds": 1, "pass": 0}),
    "uno": ("uno", {}),
}
OPEN_SPIEL = {
    "tic-tac-toe": "tic_tac_toe",
    "connect-four": "connect_four",
    "kuhn-poker": "kuhn_poker",
    "leduc-poker": "leduc_poker",
    "hearts": "hearts(pass_cards=false)",
}
PGX = {
    "tic-tac-toe": "tic_tac_toe",
    "connect-four": "connect_four",
    "kuhn-poker": "kuhn_poker",
    "leduc-poker": "leduc_holdem",
}
PETTINGZOO = {
    "tic-tac-toe": "tictactoe_v3",
    "connect-four": "connect_four_v3",
    "leduc-poker": "leduc_holdem_v4",
}
RLCARD = {"leduc-poker": "leduc-holdem", "uno": "uno"}


def measured(step: Callable[[], int], prepare: Callable[[], object] = lambda: None) -> Rate:
    """The rate of calls, each of which returns its number of steps; `prepare` is not counted."""

    def rate(seconds: float) -> float:
        spent, steps = 0.0, 0
        while spent < seconds:
            prepare()
            began = time.process_time()
            steps += step()
            spent += time.process_time() - began
        return steps / spent

    return rate


def kibitz(game: str) -> Rate:
    """Ours: ``make_vec``."""
    name, parameters = OURS[game]
    tables = make_vec(name, TABLES, players=4 if name == "hearts" else None, parameters=parameters)
    choose, actions = chooser(tables)

    def step() -> int:
        tables.step(actions)
        return TABLES

    return measured(step, choose)


def open_spiel(game: str) -> Rate:
    """OpenSpiel's vector environment, which is written in Python over its C++ games."""
    environment = importlib.import_module("open_spiel.python.rl_environment")
    step_output = importlib.import_module("open_spiel.python.rl_agent").StepOutput
    vector = importlib.import_module("open_spiel.python.vector_env")
    tables = vector.SyncVectorEnv(
        [environment.Environment(OPEN_SPIEL[game]) for _ in range(OTHERS_TABLES)]
    )
    rng = np.random.default_rng(1)
    now: list[Any] = tables.reset()
    chosen: list[Any] = []

    def choose() -> None:
        chosen.clear()
        for seen in now:
            legal = seen.observations["legal_actions"][seen.observations["current_player"]]
            chosen.append(step_output(int(rng.choice(legal)), None))

    def step() -> int:
        now[:] = tables.step(chosen, reset_if_done=True)[0]
        return OTHERS_TABLES

    return measured(step, choose)


def pgx(game: str) -> Rate:
    """Pgx: compiled by JAX for the CPU, all tables in one call."""
    jax = importlib.import_module("jax")
    library = importlib.import_module("pgx")
    wrappers = importlib.import_module("pgx.experimental")
    table = library.make(PGX[game])
    begin = jax.jit(jax.vmap(table.init))
    advance = jax.jit(jax.vmap(wrappers.auto_reset(table.step, table.init)))
    choose_all = jax.jit(
        lambda key, mask: jax.random.categorical(key, jax.numpy.log(mask.astype("float32")))
    )
    key = jax.random.PRNGKey(1)
    state = begin(jax.random.split(key, TABLES))
    waiting: list[Any] = [key, state, None, None]

    def choose() -> None:
        first, second, rest = jax.random.split(waiting[0], 3)
        waiting[0] = rest
        waiting[2] = choose_all(first, waiting[1].legal_action_mask)
        waiting[3] = jax.random.split(second, TABLES)
        jax.block_until_ready((waiting[2], waiting[3]))

    def step() -> int:
        waiting[1] = jax.block_until_ready(advance(waiting[1], waiting[2], waiting[3]))
        return TABLES

    choose()
    step()  # compiles
    return measured(step, choose)


def pettingzoo(game: str) -> Rate:
    """PettingZoo's classic games, one table."""
    table = importlib.import_module(f"pettingzoo.classic.{PETTINGZOO[game]}").env()
    rng = np.random.default_rng(1)
    table.reset(seed=1)

    def step() -> int:
        seen, _, ended, cut, _ = table.last()
        if ended or cut:
            table.reset()
            return 0
        table.step(int(rng.choice(np.flatnonzero(seen["action_mask"]))))
        return 1

    return measured(step)


def rlcard(game: str) -> Rate:
    """RLCard's games, one table."""
    table = importlib.import_module("rlcard").make(RLCARD[game])
    rng = np.random.default_rng(1)
    now: list[Any] = [table.reset()[0]]

    def step() -> int:
        legal = list(now[0]["legal_actions"])
        now[0], _ = table.step(legal[int(rng.integers(len(legal)))])
        if table.is_over():
            now[0] = table.reset()[0]
        return 1

    return measured(step)


LIBRARIES: dict[str, tuple[Callable[[str], Rate], dict[str, Any]]] = {
    "kibitz": (kibitz, OURS),
    "open_spiel": (open_spiel, OPEN_SPIEL),
    "pgx": (pgx, PGX),
    "pettingzoo": (pettingzoo, PETTINGZOO),
    "rlcard": (rlcard, RLCARD),
}


def installed(games: list[str]) -> Iterator[tuple[str, str, Rate]]:
    """The library, game and rate of each pair that can be measured here."""
    for library, (make, known) in LIBRARIES.items():
        try:
            importlib.import_module(library if library != "open_spiel" else "pyspiel")
        except ImportError:
            print(f"{library} is not installed")
            continue
        for game in games:
            if game not in known:
                continue
            try:
                rate = make(game)
            except ImportError as problem:
                print(f"{library} cannot play {game} here: {problem}")
            else:
                yield library, game, rate


def main() -> None:
    """Prints the rates, by game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("games", nargs="*", default=list(OURS))
    options = parser.parse_args()
    pin_to_one_core()
    rates = list(installed(options.games))
    found: dict[tuple[str, str], list[float]] = {}
    for _ in range(options.rounds):
        for library, game, rate in rates:
            found.setdefault((game, library), []).append(rate(options.seconds))
    for game in options.games:
        ours = statistics.median(found[game, "kibitz"])
        for library in LIBRARIES:
            if (game, library) in found:
                every = found[game, library]
                middle = statistics.median(every)
                print(
                    f"{game:<14} {library:<11} {middle:>12,.0f} steps/s "
                    f"({min(every):,.0f} .. {max(every):,.0f}), kibitz {ours / middle:,.1f} times"
                )


if __name__ == "__main__":
    main()

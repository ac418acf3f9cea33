"""The search for any game, ``ggp``: speed and strength: ``python -m benchmarks.ggp``.

Simulations per second of CPU time on one core, beside the search with a closed loop and, where it
is installed, OpenSpiel's ``MCTSBot`` in C++ on the same game; then matches at equal time. Exits
with 1 when a promise is not kept.
"""

from __future__ import annotations

import argparse
import sys

import kibitz
from benchmarks.measure import Check, Work, action_list, pin_to_one_core, rates, verdict
from kibitz.core.agent import make_agent
from kibitz.core.memory import INT64, array_at
from kibitz.core.statistics import wilson_interval
from kibitz.core.status import Status

SIMULATIONS = 10_000
"""Of one decision, at the start of a game."""
GAMES = {"connect-four": "connect_four", "breakthrough": "breakthrough", "light-cycles": ""}
"""Games of the library, and OpenSpiel's name for the same."""
OPEN_SPIEL_MCTS = 146_000
"""Simulations per second of OpenSpiel's bot on connect four, measured on another machine."""


def decision(spec: str, game: str) -> Work:
    """Work: the first decision of a game, by an agent that knows nothing of it yet."""
    table = kibitz.load(game).table()
    state = table.new_state(1)
    legal = state.legal_actions()
    actions = action_list(legal)
    binding = make_agent(spec).bind(table)
    binding.record["rng"] = [1, 2, 3, 4]

    def work() -> int:
        array_at(int(binding.record["memory"][0]), INT64, 1)[0] = 0
        shown = state.determinize(state.current_player, 1)
        binding.ask(table.address, shown.address, int(actions.ctypes.data), len(legal))
        return SIMULATIONS

    return work


def open_spiel_decision(name: str) -> Work | None:
    """Work: the same of OpenSpiel's bot; ``None`` where it is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game(name)
    start = game.new_initial_state()
    evaluator = pyspiel.RandomRolloutEvaluator(1, 7)
    bot = pyspiel.MCTSBot(game, evaluator, 1.4, SIMULATIONS, 1000, False, 7, False)

    def work() -> int:
        assert game is not None  # the bot needs it, and does not hold it
        bot.mcts_search(start)
        return SIMULATIONS

    return work


def speed(seconds: float, repeats: int) -> list[Check]:
    """Simulations per second."""
    checks: list[Check] = []
    for game, peer in GAMES.items():
        works = {
            f"{game}, ggp": decision(f"ggp:iterations={SIMULATIONS}", game),
            f"{game}, mcts closed": decision(f"mcts:loop=closed,iterations={SIMULATIONS}", game),
        }
        other = open_spiel_decision(peer) if peer else None
        if other is not None:
            works[f"{game}, OpenSpiel's MCTSBot"] = other
        found = rates(works, seconds, repeats)
        for name, rate in found.items():
            print(f"{name:<40}{rate}", flush=True)
        own = found[f"{game}, ggp"].median
        if peer:
            closed = found[f"{game}, mcts closed"].median
            checks.append(Check(f"{game}, ggp, times mcts with a closed loop", own / closed, 0.95))
    print(f"(OpenSpiel's MCTSBot on connect four, on another machine: {OPEN_SPIEL_MCTS:,}/s)")
    return checks


def share(game: str, other: str, milliseconds: int, games: int) -> Check:
    """The share of points against another agent, from both seats."""
    time = f"milliseconds={milliseconds}"
    rival = other if other == "random" else f"{other}{',' if ':' in other else ':'}{time}"
    agents = [make_agent(f"ggp:{time}"), make_agent(rival)]
    results = kibitz.play(kibitz.load(game).table(), agents, games, 5, workers=1).results
    if (results["status"] != Status.FINISHED).any():
        raise RuntimeError(f"{game}: some games could not be finished")
    seats = results["seats"]
    won = float((0.5 + 0.5 * seats["returns"][seats["agent"] == 0]).sum())
    low, high = wilson_interval(won, games)
    print(
        f"{game}, {milliseconds} ms, against {other}: {won / games:.1%} "
        f"({low:.1%} to {high:.1%}) of {games} games",
        flush=True,
    )
    promised = 0.95 if other == "random" else 0.4
    return Check(f"{game}, share of points against {other}", won / games, promised)


def main() -> int:
    """Measures everything; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a fifth of the time, less exact")
    parser.add_argument("--games", type=int, default=40, help="of each match; 0: none")
    parser.add_argument("--milliseconds", type=int, default=20, help="for a decision in matches")
    arguments = parser.parse_args()
    pin_to_one_core()
    checks = speed(*(0.2, 3) if arguments.quick else (1.0, 5))
    for game in GAMES if arguments.games else ():
        for other in ("random", "mcts", "mcts:loop=closed"):
            checks.append(share(game, other, arguments.milliseconds, arguments.games))
    return verdict(checks)


if __name__ == "__main__":
    sys.exit(main())

"""How far luck bounds a game: how often does a player win who sees more than is allowed?

``python -m benchmarks.luck love-letter`` lets a search that sees everything, all hands and the
order of the deck, play in half of the seats. With ``--sees players`` it sees what the players know
together, such as all hands, but not the order of the deck; with ``--sees own`` what its seat sees.
The others in its tree do what the opponent does. What chance is still to come, such as later
deals, it never knows. An honest agent cannot hope for a larger share of wins than those who see
more, as far as this search finds their best answer.

With ``--sees players`` each of ``--worlds`` states that agree with what the players know is
searched by itself, and the action that most of them advise is made (perfect information Monte
Carlo: Long, Sturtevant, Buro and Furtak, "Understanding the success of perfect information Monte
Carlo sampling in game tree search", AAAI 2010).
"""

from __future__ import annotations

import argparse
import ctypes
import enum
import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

import kibitz
from benchmarks.matches import Outcome, layouts
from kibitz.agents.mcts import IsmctsAgent
from kibitz.agents.seat import AgentSeat
from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import make_agent
from kibitz.core.game import Table
from kibitz.core.state import State

TRIES = 2000
"""Samples that are looked at for one that agrees with what all players see."""


class PeekingAgent(IsmctsAgent):
    """A tree search from just the state that it is shown."""

    def policies(self, table: Table) -> dict[str, Any]:
        """As ``ismcts``, but that nothing is sampled anew."""
        return {**super().policies(table), "determinizes": False}


class Sees(enum.StrEnum):
    """What the search is shown."""

    ALL = "all"
    PLAYERS = "players"
    OWN = "own"


class PeekingSeat(AgentSeat):
    """A seat that is shown the true state, or some that agree with what all players know."""

    worlds = 0
    """So many of these; 0: the true state."""

    def decide(self, state: State, legal: Sequence[int]) -> int:
        """The action that most of the states advise."""
        if self.worlds == 0:
            return self._decide_in(state, legal)
        advised = Counter(
            self._decide_in(jointly_possible(state, world), legal) for world in range(self.worlds)
        )
        return advised.most_common(1)[0][0]

    def _decide_in(self, state: State, legal: Sequence[int]) -> int:
        actions = np.zeros(1, ACTION_LIST)
        actions["count"] = len(legal)
        actions["items"][0, : len(legal)] = legal
        shown = ctypes.create_string_buffer(state.table.state_size)
        ctypes.memmove(shown, state.address, state.table.state_size)
        action = self.binding.answer(
            state.table, ctypes.addressof(shown), int(actions.ctypes.data), len(legal)
        )
        state.table.raise_pending()
        return action


def jointly_possible(state: State, seed: int) -> State:
    """A determinization in which every player sees what they see in `state`.

    Raises:
        RuntimeError: none was found.
    """
    mover = state.current_player
    others = [p for p in range(state.players) if p != mover]
    seen = [state.observation(p) for p in others]
    for attempt in range(TRIES):
        sample = state.determinize(mover, seed * TRIES + attempt)
        if all(sample.observation(p) == what for p, what in zip(others, seen, strict=True)):
            return sample
    raise RuntimeError("what the players know together is too rare in samples; use --sees all.")


def play(table: Table, options: argparse.Namespace) -> Outcome:
    """The outcome of the search against the opponent; shared wins count in part."""
    own = options.sees == Sees.OWN
    search = (IsmctsAgent if own else PeekingAgent)(
        iterations=options.iterations, guide=options.against, trust=1.0, epsilon=options.epsilon
    )
    mine = [(AgentSeat if own else PeekingSeat)(search, table, p) for p in range(table.players)]
    for seat in mine:
        if isinstance(seat, PeekingSeat) and options.sees == Sees.PLAYERS:
            seat.worlds = options.worlds
    theirs = [AgentSeat(make_agent(options.against), table, p) for p in range(table.players)]
    wins, games = 0.0, 0
    seatings = [
        seating[turn:] + seating[:turn]
        for seating in layouts(table.players)
        for turn in range(table.players)
    ]
    for seating in itertools.islice(itertools.cycle(seatings), options.games):
        seats = [theirs[p] if who else mine[p] for p, who in enumerate(seating)]
        seed = options.seed + games
        for seat in seats:
            seat.begin(seed)
        state = table.new_state(seed)
        while not state.is_terminal:
            legal = state.legal_actions()
            mover = state.current_player
            state.apply(legal[0] if len(legal) == 1 else seats[mover].decide(state, legal))
        first = [p for p, place in enumerate(state.places()) if place == 1]
        wins += sum(seating[p] == 0 for p in first) / len(first)
        games += 1
    return Outcome(wins, games)


def main() -> None:
    """Plays, and prints the share of wins."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game")
    parser.add_argument("--players", type=int)
    parser.add_argument("--against", default="osla")
    parser.add_argument("--iterations", type=int, default=1000)
    parser.add_argument("--epsilon", type=float, default=0.2, help="random share of rollouts")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sees", type=Sees, choices=list(Sees), default=Sees.ALL)
    parser.add_argument("--worlds", type=int, default=20, help="for --sees players")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="parameters")
    options = parser.parse_args()
    parameters = dict(text.split("=", 1) for text in options.set)
    table = kibitz.load(options.game).table(options.players, parameters)
    outcome = play(table, options)
    print(f"{options.game}, {options.iterations:,} iterations, sees {options.sees}: {outcome}")


if __name__ == "__main__":
    main()

"""A state that the laws are tried on, and what several laws do with it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from kibitz.arena.conformance.findings import Finding, Law
from kibitz.arena.conformance.inspector import Inspector
from kibitz.core.state import State

CERTAINTY = 12.0
"""A suspicion is reported when chance explains it less often than once in 10 to this power."""

GAMES_CONSTANT = 3
"""In so many games at least a component never varies before it is reported."""

ACTIONS_TRIED = 24
"""Of the legal actions of a state, how many are tried."""

SMALL_TABLE = 3
"""Of so many players at most, each one's view of a state is examined."""

MOVES_AHEAD = 4
"""How far copies and samples are played on."""


@dataclass
class Variation:
    """Which components vary in samples, as they must where they are hidden.

    Attributes:
        varied: the components that did.
        constant: for each one that could have varied and did not, how surprising that is in
            each game, as a negative logarithm.
    """

    varied: set[str] = field(default_factory=set)
    constant: dict[str, dict[int, float]] = field(default_factory=dict)

    def note_constant(self, component: str, game: int, surprise: float) -> None:
        """Takes note that a component did not vary in a state of a game."""
        games = self.constant.setdefault(component, {})
        games[game] = games.get(game, 0.0) + surprise

    def findings(self) -> Iterator[Finding]:
        """The components that never varied, though chance alone would have seen to it.

        It takes several games: what players have concluded may well hold for the rest of one.
        """
        for name, games in self.constant.items():
            surprise = sum(min(one, CERTAINTY / GAMES_CONSTANT) for one in games.values())
            if surprise >= CERTAINTY and name not in self.varied:
                yield Finding(
                    Law.VARIES,
                    "what is hidden in it was the same in all samples of a state, always",
                    name,
                    "redeterminize, or is_consistent, insists on one deal: leave it to chance.",
                )


@dataclass
class Case:
    """A state to be examined.

    Attributes:
        game: the seed of the game that it comes from.
        state: the state; laws play on in copies only.
        inspector: of its game.
        rng: for choices that the laws leave open.
        checked: how often what was looked at.
        lengths: how many numbers the vectors of observations had so far.
        variation: what varied in samples so far.
    """

    game: int
    state: State
    inspector: Inspector
    rng: random.Random
    checked: Counter[str]
    lengths: set[int] = field(default_factory=set)
    variation: Variation = field(default_factory=lambda: Variation())

    def some_actions(self) -> list[int]:
        """The legal actions, or a choice of them where there are many."""
        legal = self.state.legal_actions()
        return self.rng.sample(legal, ACTIONS_TRIED) if len(legal) > ACTIONS_TRIED else legal


def observers(state: State) -> list[int]:
    """The players through whose eyes a state is looked at.

    At a large table it is who decides and one of the others, in each state another one.
    """
    n = state.players
    if n <= SMALL_TABLE:
        return list(range(n))
    other = 1 + state.tick % (n - 1)
    return sorted([state.current_player, (state.current_player + other) % n])


def play_on(state: State, rng: random.Random, moves: int) -> int:
    """Plays random actions, at most so many; returns how many."""
    for move in range(moves):
        if state.is_terminal:
            return move
        state.apply(rng.choice(state.legal_actions()))
    return moves


def heuristic_in_range(state: State, player: int, where: str) -> Iterator[Finding]:
    """The heuristic of `player` is a number from -1 to 1."""
    value = state.heuristic(player)
    if not -1.0 <= value <= 1.0:
        yield Finding(
            Law.HEURISTIC,
            f"{where}for player {player + 1} it is {value}",
            "heuristic",
            "scale it to -1 .. 1, and never divide by zero.",
        )

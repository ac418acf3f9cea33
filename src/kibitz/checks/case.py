"""A state that the laws are tried on, and functions that several laws use."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from kibitz.checks.findings import Finding, Law
from kibitz.checks.inspector import Inspector
from kibitz.core.state import State

CERTAINTY = 12.0
"""A suspicion is reported if its probability by chance is less than 10 to minus this power."""

GAMES_CONSTANT = 3
"""The least number of games in which a component does not vary before it is reported."""

ACTIONS_TRIED = 24
"""How many of the legal actions of a state are tried."""

SMALL_TABLE = 3
"""The most players with whom all observations of a state are examined."""

MOVES_AHEAD = 4
"""How many actions copies and samples are played on."""


@dataclass
class Variation:
    """The components that vary in samples, as hidden ones must.

    Attributes:
        varied: the components that varied.
        constant: for each one that could have varied and did not, the negative logarithm of the
            probability of that in each game.
    """

    varied: set[str] = field(default_factory=set)
    constant: dict[str, dict[int, float]] = field(default_factory=dict)

    def note_constant(self, component: str, game: int, surprise: float) -> None:
        """Records that a component did not vary in a state of a game."""
        games = self.constant.setdefault(component, {})
        games[game] = games.get(game, 0.0) + surprise

    def findings(self) -> Iterator[Finding]:
        """Findings of components that never varied, although they would have by chance.

        It takes several games, since what players conclude may hold for the rest of one.
        """
        for name, games in self.constant.items():
            surprise = sum(min(weight, CERTAINTY / GAMES_CONSTANT) for weight in games.values())
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
        inspector: checks the states of its game.
        rng: of the laws' random choices.
        checked: how much was looked at, by name.
        variation: what varied in samples so far.
    """

    game: int
    state: State
    inspector: Inspector
    rng: random.Random
    checked: Counter[str]
    variation: Variation = field(default_factory=lambda: Variation())

    def some_actions(self) -> list[int]:
        """The legal actions, or a random sample of many."""
        legal = self.state.legal_actions()
        return self.rng.sample(legal, ACTIONS_TRIED) if len(legal) > ACTIONS_TRIED else legal


def observers(state: State) -> list[int]:
    """The players whose observations of a state are examined.

    At a large table these are the player to move and another one, who changes from state to state.
    """
    n = state.players
    if n <= SMALL_TABLE:
        return list(range(n))
    other = 1 + state.tick % (n - 1)
    return sorted([state.current_player, (state.current_player + other) % n])


def play_on(state: State, rng: random.Random, moves: int) -> int:
    """Plays at most `moves` random actions; returns how many."""
    for move in range(moves):
        if state.is_terminal:
            return move
        state.apply(rng.choice(state.legal_actions()))
    return moves


def heuristic_in_range(state: State, player: int, where: str) -> Iterator[Finding]:
    """Law: the heuristic of `player` is a number from -1 to 1."""
    value = state.heuristic(player)
    if not -1.0 <= value <= 1.0:
        yield Finding(
            Law.HEURISTIC,
            f"{where}for player {player + 1} it is {value}",
            "heuristic",
            "scale it to -1 .. 1, and never divide by zero.",
        )

"""Finds open numbers that reveal hidden ones.

Redeterminization resamples what is declared as hidden; it cannot know that a rule wrote the
same value, perhaps encoded, where everybody sees it. Such a leak shows in many games: one
value of the open number never occurs with two values of the hidden one.

Each pair of an open number and a hidden place stays under suspicion until one game contradicts
another. A pair that remains is reported if that is very improbable by chance. Within one game
nothing counts twice: values that do not change prove nothing.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from kibitz.checks.case import CERTAINTY
from kibitz.checks.contents import Leaf, Place, leaves, slotted, uncertain
from kibitz.checks.laws import Law
from kibitz.core.layout import CHANCE, Layout
from kibitz.core.state import State
from kibitz.syntax.findings import Finding

DEPTH = 2
"""How many places from either end of an array of hidden values are watched."""

CURE = (
    "do not copy hidden values into open numbers; if all may know the card, let them see it with "
    "show_card."
)

_ALL: np.ndarray[Any, np.dtype[np.bool_]] = np.ones(1, bool)
"""A mask of all numbers."""

Evidence = dict[int | float, dict[int, set[int]]]
"""For each open value, the hidden values that occurred with it, and in which games."""


class SecretFinder:
    """Watches the states of many games with one number of players.

    Args:
        layout: the layout of the states.
        players: the number of players.
        unused: paths of hidden places that nothing depends on; they may hold the same card in all
            games.
    """

    def __init__(self, layout: Layout, players: int, unused: Collection[str] = ()) -> None:
        self._unused = unused
        self._open = open_numbers(layout, players)
        self._types = np.dtype(
            {
                "names": [leaf.path for leaf in self._open],
                "formats": [leaf.dtype for leaf in self._open],
                "offsets": [leaf.offset for leaf in self._open],
                "itemsize": layout.dtype.itemsize,
            }
        )
        # Pairs with the number as it stands, and as it is at the moment when it changes: it may
        # be stale later.
        self._standing = _Suspicions(len(self._open))
        self._changing = _Suspicions(len(self._open))
        self._games: dict[str, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
        self._before: tuple[int | float, ...] = ()
        # What has stayed the same need not be compared again: how many states of this game were
        # looked at, in which of them each number changed last, and each hidden place was met
        # last, with what in it.
        self._moment = 0
        self._changed_at = np.zeros(len(self._open), np.int64)
        self._met: dict[str, tuple[int, int]] = {}

    def begin(self) -> None:
        """Resets the finder: the next state does not follow from the last one."""
        self._before = ()
        self._moment = 0
        self._changed_at[:] = 0
        self._met.clear()

    def watch(self, state: State, game: int) -> None:
        """Records one state of game number `game`, which follows from the last one."""
        values: tuple[int | float, ...] = np.frombuffer(bytes(state), self._types)[0].item()
        before = self._before or values
        self._before = values
        self._moment += 1
        changed = np.array([a != b for a, b in zip(values, before, strict=True)], bool)
        self._changed_at[changed] = self._moment
        for hidden, secret in _hidden_values(state, self._unused):
            self._games[hidden][secret].add(game)
            last, met = self._met.get(hidden, (0, secret))
            since = last if met == secret else 0
            self._met[hidden] = self._moment, secret
            recent = self._changed_at > since if since else _ALL
            for i in self._standing.among(hidden, recent):
                self._standing.compare(hidden, i, values[i], secret, game)
            for i in self._changing.among(hidden, changed):
                self._changing.compare(hidden, i, values[i], secret, game)

    def findings(self) -> Iterator[Finding]:
        """A finding for each open number that reveals a hidden place, naming the place.

        If clocks and counts reveal any, all games are alike, and that is the only finding.
        """
        revealed = self._revealed()
        clocks = [path for path in revealed if path in ("tick", "turn") or path.endswith(".count")]
        if clocks:
            yield Finding(
                Law.SECRET,
                "it is the same in every game at the same moment, so whoever has seen one game "
                "knows it",
                revealed[clocks[0]],
                "shuffle the deck in setup.",
            )
            return
        for path, hidden in revealed.items():
            yield Finding(
                Law.SECRET,
                f"everyone sees this number, and it always reveals {hidden}, which not "
                "everyone sees",
                path,
                CURE,
            )

    def _revealed(self) -> dict[str, str]:
        """For each open number that reveals hidden places, the one that it reveals best."""
        best: dict[int, tuple[float, str]] = {}
        for hidden, games in self._games.items():
            for suspicions in (self._standing, self._changing):
                for i in suspicions.among(hidden, _ALL):
                    weight = _weight(suspicions.evidence(hidden, i), games)
                    best[i] = max(best.get(i, (0.0, "")), (weight, hidden))
        return {
            self._open[i].path: hidden
            for i, (weight, hidden) in sorted(best.items())
            if weight > CERTAINTY
        }


class _Suspicions:
    """Pairs of open and hidden numbers that are not contradicted yet, with their evidence."""

    def __init__(self, numbers: int) -> None:
        self._numbers = numbers
        self._live: dict[str, np.ndarray[Any, np.dtype[np.bool_]]] = {}
        self._evidence: dict[tuple[str, int], Evidence] = {}

    def among(self, hidden: str, chosen: np.ndarray[Any, np.dtype[np.bool_]]) -> list[int]:
        """Those of the chosen open numbers that might reveal `hidden`."""
        live = self._live.get(hidden)
        if live is None:
            live = self._live[hidden] = np.ones(self._numbers, bool)
        suspected: list[int] = np.flatnonzero(live & chosen).tolist()
        return suspected

    def evidence(self, hidden: str, number: int) -> Evidence:
        """The evidence that `number` reveals `hidden`."""
        return self._evidence.get((hidden, number), {})

    def compare(
        self, hidden: str, number: int, shown: int | float, secret: int, game: int
    ) -> None:
        """Records the values of an open number and a hidden one in one state."""
        secrets = self._evidence.setdefault((hidden, number), {}).setdefault(shown, {})
        secrets.setdefault(secret, set()).add(game)
        if len(secrets) > 1:
            self._live[hidden][number] = False
            del self._evidence[hidden, number]


def _weight(evidence: Evidence, games: dict[int, set[int]]) -> float:
    """The negative logarithm of the probability that no game contradicted another.

    `games` has the games in which the hidden place had each value.
    """
    total = sum(len(where) for where in games.values())
    return -sum(
        (len(where) - 1) * math.log10(len(games[secret]) / total)
        for secrets in evidence.values()
        for secret, where in secrets.items()
    )


def open_numbers(layout: Layout, players: int) -> list[Leaf]:
    """The numbers of a state that everybody sees."""
    private = set(range(CHANCE.stop))
    for instance, slots in slotted(layout, players):
        for start in (slots.values, slots.seen):
            first = instance.offset + start
            private.update(range(first, first + 2 * slots.capacity))
    return [leaf for leaf in leaves(layout.dtype) if leaf.offset not in private]


def _hidden_values(state: State, unused: Collection[str]) -> Iterator[tuple[str, int]]:
    """The hidden values that one player does not know, by name.

    The players take turns as this observer, from state to state.
    """
    for place in uncertain(state, state.tick % state.players):
        if place.path not in unused:
            for name in _names(place, state):
                yield name, place.value


def _names(place: Place, state: State) -> Iterator[str]:
    """Names of a place: by index from both ends, by seat and relative to the player to move."""
    path, owner = place.instance.path, place.instance.owner
    paths = [path]
    if owner is not None:
        ahead = (owner - state.current_player) % state.players
        whose = f"[player + {ahead}]" if ahead else "[player]"
        paths.append(path.replace(f"[{owner}]", whose, 1))
    from_end = place.length - place.index
    for path in paths:
        if place.index < DEPTH:
            yield f"{path}.{place.field}[{place.index}]"
        if from_end <= DEPTH and place.slots.count is not None:
            yield f"{path}.{place.field}[-{from_end}]"

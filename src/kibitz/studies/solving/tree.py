"""The whole tree of a small game, as arrays: nodes, information sets, sequences, returns.

An *information set* is the set of nodes that a player cannot tell apart by the observations of all
states on the way and their own actions (perfect recall). A *sequence* is one action of an
information set. Chance is allowed before the first decision only: every distinct set-up is the
root of its own tree, all of them equally likely.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.core.actions import ACTION_LIST
from kibitz.core.errors import ParameterError, PlayError
from kibitz.core.game import Table
from kibitz.core.interrupt import run_interruptibly
from kibitz.core.state import State, without_chance
from kibitz.core.statistics import chi_square_tail
from kibitz.core.status import Status, in_words
from kibitz.core.utility import utility_at
from kibitz.loading import Playable, find_table
from kibitz.studies.solving.walk import BROKEN, CHANCE, CURSOR, FULL, NODE, WALK, native_walk

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int64]]

MOST_NODES = 20_000_000
"""The most nodes of a tree by default; such a tree takes three gigabytes."""
MOST_SET_UPS = 10_000
"""The most set-ups of a game."""
MOST_ACTIONS = 1_000
"""The most actions of a history of a small game."""
MISSED = 1e-9
"""The greatest probability of missing a set-up, if all are equally likely."""
FEWEST_SEEDS = 4096.0
"""The least number of seeds that are tried, to test whether set-ups are equally likely."""
UNLIKELY = 1e-9
"""The p-value below which set-ups are taken not to be equally likely."""


@dataclass(frozen=True)
class GameTree:
    """The tree of a game at a table.

    Nodes, information sets and sequences are numbers: indices of the arrays. Nodes are numbered
    level by level, and the children of a node are neighbours.

    Attributes:
        table: the table of the game.
        by: the utility: ``place`` or ``score``.
        roots: the set-ups, with their seeds.
        parent: the parent of each node; -1 for a root.
        action: the action that leads to each node.
        player: the player to move at each node; -1 where the game is over.
        infoset: the information set of each node; -1 where the game is over.
        sequence: the sequence that leads to each node; -1 for a root.
        levels: the nodes at each depth; the first level has the roots.
        utility: the utility of each final node for each player; zeros at other nodes.
        infoset_player: the player to move at each information set.
        infoset_node: a node of each information set.
        sequence_infoset: the information set of each sequence; those of one set are neighbours.
        sequence_action: the action of each sequence.
    """

    table: Table
    by: str
    roots: tuple[tuple[int, State], ...]
    parent: Ints
    action: Ints
    player: Ints
    infoset: Ints
    sequence: Ints
    levels: tuple[slice, ...]
    utility: Floats
    infoset_player: Ints
    infoset_node: Ints
    sequence_infoset: Ints
    sequence_action: Ints

    def __repr__(self) -> str:
        return (
            f"GameTree({self.table}, {len(self.parent):,} nodes, "
            f"{len(self.infoset_player):,} information sets)"
        )

    @functools.cached_property
    def root(self) -> Ints:
        """The root of each node's tree."""
        root = np.arange(len(self.parent))
        for level in self.levels[1:]:
            root[level] = root[self.parent[level]]
        return root

    @functools.cached_property
    def sequence_count(self) -> Ints:
        """The number of sequences of each information set."""
        return np.bincount(self.sequence_infoset, minlength=len(self.infoset_player))

    @functools.cached_property
    def is_zero_sum(self) -> bool:
        """Whether the players' utilities have the same sum at every end."""
        total = self.utility[self.player < 0].sum(axis=1)
        return bool(np.ptp(total) < 1e-9)

    def distinct_set_ups(self) -> list[tuple[int, float]]:
        """Seeds of set-ups that differ for somebody, with the probability of each.

        Set-ups are alike if their trees are: with the same information sets, actions and
        utilities in the same places. They may differ in cards that nobody ever gets.
        """
        order = np.argsort(self.root, kind="stable")
        bounds = np.searchsorted(self.root[order], np.arange(len(self.roots) + 1))
        place = np.empty_like(order)
        place[order] = np.arange(len(order)) - bounds[self.root[order]]
        parent = np.where(self.parent < 0, -1, place[self.parent])
        nodes = np.column_stack([parent, self.infoset, self.action, self.player])[order]
        utility = self.utility[order]
        alike: dict[bytes, list[int]] = {}
        for number, (first, after) in enumerate(itertools.pairwise(bounds)):
            key = nodes[first:after].tobytes() + utility[first:after].tobytes()
            alike.setdefault(key, []).append(number)
        return [
            (self.roots[numbers[0]][0], len(numbers) / len(self.roots))
            for numbers in alike.values()
        ]

    def uniform(self) -> Floats:
        """The policy that takes every action of an information set with the same probability."""
        policy: Floats = 1.0 / self.sequence_count[self.sequence_infoset]
        return policy

    def normalized(self, weights: Floats) -> Floats:
        """The policy in proportion to weights of sequences; uniform in sets where all are 0."""
        total = np.bincount(self.sequence_infoset, weights, len(self.infoset_player))
        total = total[self.sequence_infoset]
        policy: Floats = np.where(
            total > 0, weights / np.where(total > 0, total, 1.0), self.uniform()
        )
        return policy

    def path(self, node: int) -> list[int]:
        """The actions from the set-up to a node."""
        actions = []
        while self.parent[node] >= 0:
            actions.append(int(self.action[node]))
            node = int(self.parent[node])
        return actions[::-1]

    def state(self, node: int) -> State:
        """The state at a node, with everything open."""
        state = self.roots[self.root[node]][1].clone()
        for action in self.path(node):
            state.apply(action)
        return state

    def sequences(self, infoset: int) -> range:
        """The sequences of an information set."""
        first, after = np.searchsorted(self.sequence_infoset, [infoset, infoset + 1])
        return range(int(first), int(after))


def grow_tree(
    table: Playable,
    by: str | None = None,
    most_nodes: int = MOST_NODES,
    most_set_ups: int = MOST_SET_UPS,
) -> GameTree:
    """Enumerates the whole tree of a game.

    Args:
        by: the utility: ``place`` or ``score``; by default what the game is played for.
        most_nodes: the number of nodes beyond which a tree is refused.
        most_set_ups: the number of set-ups beyond which a tree is refused.

    Raises:
        ParameterError: the game is too large, chance occurs after the first decision, set-ups are
            not equally likely, or `by` is unknown.
        PlayError: a game breaks off, or the options of a player reveal what is hidden from them.
    """
    table = find_table(table)
    by = utility_at(table, by)
    roots = tuple(set_ups(table, most_set_ups))
    walked = _Walked(table, roots, most_nodes)
    nodes, utility, levels = _by_levels(walked, by)
    infoset, first = _infosets(nodes)
    sequence, sequence_infoset, sequence_action = _sequences(nodes, infoset)
    tree = GameTree(
        table=table,
        by=by,
        roots=roots,
        parent=nodes["parent"].astype(np.int64),
        action=nodes["action"].copy(),
        player=nodes["player"].astype(np.int64),
        infoset=infoset,
        sequence=sequence,
        levels=levels,
        utility=utility,
        infoset_player=nodes["player"][first].astype(np.int64),
        infoset_node=first,
        sequence_infoset=sequence_infoset,
        sequence_action=sequence_action,
    )
    _check_options(tree, nodes["options"])
    return tree


def set_ups(table: Table, most: int = MOST_SET_UPS) -> Iterator[tuple[int, State]]:
    """All distinct set-ups, each with a seed that leads to it, in the order of these seeds.

    Seeds are tried until it is very improbable that a set-up is missing, if all are equally
    likely.

    Raises:
        ParameterError: there are too many, or they are not equally likely.
    """
    if not table.rules.uses_chance:
        yield 0, table.new_state(0)
        return
    counts: Counter[bytes] = Counter()
    set_up_of: dict[bytes, tuple[int, State]] = {}
    seed = 0
    while seed < _enough_seeds(len(set_up_of)):
        state = table.new_state(seed)
        content = without_chance(state)
        if content not in set_up_of:
            set_up_of[content] = seed, state
            if len(set_up_of) > most:
                raise ParameterError(
                    f"{table}: there are more than {most:,} ways in which the game can be "
                    "set up: too many for its whole tree."
                )
        counts[content] += 1
        seed += 1
    expected = seed / len(counts)
    surplus = sum((n - expected) ** 2 for n in counts.values()) / expected
    if len(counts) > 1 and chi_square_tail(surplus, len(counts) - 1) < UNLIKELY:
        raise ParameterError(
            f"{table}: some of the {len(counts):,} ways in which the game can be set up are "
            "likelier than others; only games whose set-ups are equally likely can be solved."
        )
    yield from set_up_of.values()


def _enough_seeds(count: int) -> float:
    """The number of seeds that show `count` equally likely set-ups but for ``MISSED``."""
    return max(FEWEST_SEEDS, count * (math.log(max(count, 1)) - math.log(MISSED)))


class _Walked:
    """The nodes of the trees of all set-ups, as recorded by the compiled walk.

    Attributes:
        nodes: the nodes of each tree, depth first.
        scores, returns: those of each node at which the game is over, for each player.
    """

    def __init__(
        self, table: Table, roots: tuple[tuple[int, State], ...], most_nodes: int
    ) -> None:
        self.table = table
        room = -(-table.state_size // 64) * 64
        self.nodes = np.zeros(0, NODE)
        self.scores = np.zeros((0, table.players))
        self.returns = np.zeros((0, table.players))
        self._walk = np.zeros(1, WALK)
        self._blocks: dict[str, np.ndarray[Any, Any]] = {
            "states": np.zeros((MOST_ACTIONS + 1) * room, np.uint8),
            "lists": np.zeros(MOST_ACTIONS, ACTION_LIST),
            "cursors": np.zeros(MOST_ACTIONS, CURSOR),
            "knowledge": np.zeros(MOST_ACTIONS * table.players, np.int64),
            "stop": np.zeros(1, np.int64),
        }
        for name, block in self._blocks.items():
            self._walk[name] = block.ctypes.data
        self._walk["state_room"] = room
        self._walk["levels"] = MOST_ACTIONS
        self._give_room(min(1 << 14, most_nodes))
        for seed, root in roots:
            while self._add(seed, root) == FULL:
                if len(self.nodes) >= most_nodes:
                    raise ParameterError(
                        f"{table}: the game's tree has more than {most_nodes:,} nodes."
                    )
                self._give_room(min(2 * len(self.nodes), most_nodes))
        self._give_room(int(self._walk["used"][0]))

    def _give_room(self, room: int) -> None:
        """Changes the size of the arrays."""
        self.nodes, self.scores, self.returns = (
            _resized(array, room) for array in (self.nodes, self.scores, self.returns)
        )
        self._walk["nodes"] = self.nodes.ctypes.data
        self._walk["scores"] = self.scores.ctypes.data
        self._walk["returns"] = self.returns.ctypes.data
        self._walk["room"] = room

    def _add(self, seed: int, root: State) -> int:
        """Adds the tree of a set-up; returns ``FULL``, and adds nothing, if it does not fit.

        Raises:
            ParameterError: chance occurs later in the game, or the game is too long.
            PlayError: a game breaks off.
        """
        used = int(self._walk["used"][0])
        self._walk["trouble"] = 0
        with self.table.borrowed(self._blocks["stop"]) as rules:
            self._run(rules.address, root.address)
        self.table.raise_pending()
        trouble = int(self._walk["trouble"][0])
        if trouble == FULL:
            self._walk["used"] = used
        elif trouble == CHANCE:
            raise ParameterError(
                f"{self.table}: the rules draw random numbers after the first decision; only "
                "games whose chance lies in the set-up can be solved."
            )
        elif trouble == BROKEN:
            status = in_words(Status(int(self._walk["status"][0])))
            raise PlayError(f"{self.table}, seed {seed}: a game breaks off: {status}.", seed=seed)
        elif trouble:
            raise ParameterError(f"{self.table}: a game has more than {MOST_ACTIONS} actions.")
        return trouble

    def _run(self, rules: int, root: int) -> None:
        walk = native_walk()
        address = int(self._walk.ctypes.data)
        run_interruptibly(lambda: walk(rules, address, root), self._blocks["stop"])


def _resized(array: np.ndarray[Any, Any], room: int) -> np.ndarray[Any, Any]:
    """A copy of an array with another number of rows."""
    resized = np.zeros((room, *array.shape[1:]), array.dtype)
    rows = min(room, len(array))
    resized[:rows] = array[:rows]
    return resized


def _by_levels(walked: _Walked, by: str) -> tuple[np.ndarray[Any, Any], Floats, tuple[slice, ...]]:
    """The nodes and their utilities, level by level, and the slice of each level."""
    depth = walked.nodes["depth"]
    order = np.argsort(depth, kind="stable")
    nodes = walked.nodes[order]
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order))
    below = nodes["parent"] >= 0
    nodes["parent"][below] = place[nodes["parent"][below]]
    sign = -1.0 if walked.table.rules.lowest_score_wins else 1.0
    utility = walked.returns[order] if by == "place" else sign * walked.scores[order]
    bounds = np.searchsorted(nodes["depth"], np.arange(int(depth.max()) + 2)).tolist()
    return nodes, utility, tuple(map(slice, bounds, bounds[1:]))


def _infosets(nodes: np.ndarray[Any, Any]) -> tuple[Ints, Ints]:
    """The information set of each node (-1 for final nodes), and a node of each set."""
    deciding = np.flatnonzero(nodes["player"] >= 0)
    who = np.zeros(len(deciding), [("player", np.int64), ("key", np.int64)])
    who["player"] = nodes["player"][deciding]
    who["key"] = nodes["key"][deciding]
    _, first, number = np.unique(who, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")  # in the order of the tree
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    infoset = np.full(len(nodes), -1, np.int64)
    infoset[deciding] = place[number]
    return infoset, deciding[first[order]]


def _sequences(nodes: np.ndarray[Any, Any], infoset: Ints) -> tuple[Ints, Ints, Ints]:
    """The sequence to each node (-1 for roots), and the information set and action of each."""
    below = np.flatnonzero(nodes["parent"] >= 0)
    pairs = np.zeros(len(below), [("infoset", np.int64), ("action", np.int64)])
    pairs["infoset"] = infoset[nodes["parent"][below]]
    pairs["action"] = nodes["action"][below]
    kinds, number = np.unique(pairs, return_inverse=True)
    sequence = np.full(len(nodes), -1, np.int64)
    sequence[below] = number
    return sequence, kinds["infoset"].copy(), kinds["action"].copy()


def _check_options(tree: GameTree, options: np.ndarray[Any, Any]) -> None:
    """Checks that a player's options are the same in all nodes of an information set."""
    deciding = np.flatnonzero(tree.infoset >= 0)
    differ = options[deciding] != tree.sequence_count[tree.infoset[deciding]]
    if differ.any():
        node = int(deciding[np.argmax(differ)])
        state = tree.state(node)
        raise PlayError(
            f"{tree.table}: what player {state.current_player + 1} may do after "
            f"{len(tree.path(node))} actions reveals what is hidden from them.",
            state=state,
        )


__all__ = ["GameTree", "grow_tree", "set_ups"]

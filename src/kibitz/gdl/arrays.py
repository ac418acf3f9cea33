"""A network as the flat arrays that the evaluator runs on."""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from kibitz.core.interrupt import NEVER_STOPPED
from kibitz.core.layout import Layout
from kibitz.gdl.effects import Effects, separate_effects
from kibitz.gdl.evaluator import BY_EFFECTS, BY_TESTS, CONTEXT, FRAME
from kibitz.gdl.network import (
    Literal,
    Network,
    gates_behind,
    node_of,
    outputs_of_ends,
    outputs_of_steps,
    without_next,
)
from kibitz.gdl.percepts import percept_number
from kibitz.gdl.rules import RANDOM
from kibitz.gdl.winning import Alternatives, Winning, in_groups

Array = npt.NDArray[Any]


MOST_TESTS = 64
"""Maximum number of tests by which a step is made; for more, the network is about as fast."""

MOST_MASKS = 500_000
"""Maximum number of words, over all moves, of a mask of facts; the two masks then take 8 MB."""

GATES_PER_SOURCE = 2
"""Minimum number of gates that only goals depend on, per node that they take in, for which it is
faster to update them only when goals are read."""


class Arrays:
    """The arrays that the evaluator runs a network on, with their initial contents.

    Args:
        winning: the conditions under which moves win immediately, if known.
    """

    def __init__(
        self,
        network: Network,
        layout: Layout,
        winning: Winning | None = None,
    ) -> None:
        fields: Any = layout.dtype.fields
        memories = "memories" in fields
        steps = winning is not None and winning.most_tests <= MOST_TESTS
        self.words = max(1, -(-len(network.facts) // 64))
        changes: Effects | None = None
        if steps:
            network = without_next(network)
        elif not memories and len(network.moves) * self.words <= MOST_MASKS:
            network, changes = separate_effects(network) or (network, None)
        self.network, self.layout = network, layout
        self._find_late_gates()
        roles = network.description.roles
        outputs = outputs_of_steps(network) + outputs_of_ends(network)
        used = set(map(node_of, chain(outputs, *network.gates)))
        does = [move.does if move.does in used else 0 for move in network.moves]
        initial = np.zeros(self.words, np.uint64)
        for i in network.initial:
            initial[i >> 6] |= np.uint64(1 << (i & 63))
        goals = [pair for pairs in network.goals for pair in pairs]
        self.shared |= {
            "initial": initial.view(np.int64),
            "does": _ints(does),
            "passes": np.array([move.does < 0 for move in network.moves], np.int8),
            "ending_numbers": _ints([number for number, _ in network.endings]),
            "ending_literals": _ints([literal for _, literal in network.endings]),
            "goal_starts": _starts([len(pairs) for pairs in network.goals]),
            "goal_values": _ints([value for value, _ in goals]),
            "goal_literals": _ints([literal for _, literal in goals]),
        }
        self._lay_out_moves()
        self._lay_out_percepts()
        self._lay_out_cases()
        self._lay_out_sccs()
        self._lay_out_edges()
        if winning is not None:
            self._lay_out_wins(winning)
        if changes is not None:
            self._lay_out_effects(changes)
        sccs = len(network.sccs)
        memory = fields["memories"][0].base if memories else None
        self.numbers: dict[str, int] = {
            "roles": len(roles),
            "words": self.words,
            "nodes": self.nodes,
            "moves": len(network.moves),
            "cases": len(network.cases) - 1,
            "case_words": self.case_words,
            "groups": len(self.shared["group_guard"]),
            "sccs": sccs,
            "copies": len(self.sources),
            "levels": int(self.shared["level"].max(initial=0)) + 1,
            "random_role": roles.index(RANDOM) if RANDOM in roles else -1,
            "terminal": network.terminal,
            "endings": len(network.endings),
            "facts_at": fields["facts"][1],
            "commitments_at": fields["commitments"][1],
            "all_decide": memories,
            "wired": any(does),
            "turns": network.turns,
            "by_move": BY_TESTS if steps else BY_EFFECTS if changes is not None else 0,
            "memories_at": fields["memories"][1] if memories else 0,
            "memory_size": memory.itemsize if memory else 0,
            "capacity": memory["entries"].shape[0] if memory else 0,
        }
        self.own: dict[str, Array] = {
            "loaded": np.zeros(self.words, np.int64),
            "bits": np.zeros(self.all_words, np.int64),
            "missing": np.zeros(self.nodes, np.int32),
            "mark": np.zeros(self.nodes + sccs, np.int8),
            "heads": np.full(self.numbers["levels"], -1, np.int32),
            "link": np.zeros(self.nodes + sccs, np.int32),
            "done": np.zeros(len(roles), np.int32),
            "path": np.zeros((self.numbers["capacity"] + 1) * self.words, np.int64),
            "after": np.zeros(self.words, np.int64),
            "frames": np.zeros(FRAME.itemsize // 8 * self.numbers["capacity"], np.int64),
        }
        self._evaluate_at_rest()

    def _find_late_gates(self) -> None:
        """Finds gates that are updated only when goals are read.

        Instead of nodes outside they take in copies of these, which come after all gates.
        """
        network, first = self.network, self.network.first_gate
        always = gates_behind(network, outputs_of_steps(network))
        late = gates_behind(network, outputs_of_ends(network)) - always
        inputs = {node_of(literal) for gate in late for literal in network.gates[gate - first]}
        sources = sorted(inputs - late)
        if len(late) < GATES_PER_SOURCE * len(sources):
            late, sources = set(), []
        gates = first + len(network.gates)
        self.nodes = gates + len(sources)
        self.sources = _ints(sources)
        self.late = np.zeros(self.nodes, bool)
        self.late[list(late)] = True
        self.shared: dict[str, Array] = {"copied": self.sources}
        self.copy_of = np.arange(self.nodes)
        self.copy_of[self.sources] = np.arange(gates, self.nodes)

    def _lay_out_moves(self) -> None:
        """Assigns each move a bit; moves of a role with one guard form a group of whole words."""
        network = self.network
        groups: dict[tuple[int, int], list[int]] = {}
        for i, move in enumerate(network.moves):
            groups.setdefault((move.role, move.guard), []).append(i)
        order = sorted(groups)
        words = [-(-len(groups[key]) // 64) for key in order]
        self.shared["group_guard"] = _ints([guard for _, guard in order])
        self.shared["group_words"] = _starts(words) + np.int32(self.words)
        roles = range(len(network.description.roles))
        self.shared["role_groups"] = _starts([sum(r == role for r, _ in order) for role in roles])
        move_of = np.full(64 * sum(words), -1, np.int32)
        self.bit_of: dict[int, int] = {}
        for key, word in zip(order, self.shared["group_words"].tolist(), strict=False):
            for place, number in enumerate(groups[key]):
                self.bit_of[number] = 64 * word + place
                move_of[64 * (word - self.words) + place] = number
        self.shared["move_of"] = move_of
        self.shared["move_bit"] = _ints([self.bit_of[i] for i in range(len(network.moves))])
        self.shared["move_guard"] = _ints([move.guard for move in network.moves])

    def _lay_out_percepts(self) -> None:
        """Assigns each percept a bit after those of the moves; each role has words of its own."""
        percepts = self.network.percepts
        words = [-(-len(of_role) // 64) for of_role in percepts]
        starts = _starts(words) + self.shared["group_words"][-1]
        self.shared["percept_words"] = starts
        numbers = np.zeros(64 * sum(words), np.int32)
        self.percept_bits: list[tuple[int, int]] = []
        for first, of_role in zip(starts.tolist(), percepts, strict=False):
            for place, (percept, literal) in enumerate(of_role):
                bit = 64 * first + place
                numbers[bit - 64 * int(starts[0])] = percept_number(percept)
                self.percept_bits.append((literal, bit))
        self.shared["percept_numbers"] = numbers

    def _lay_out_cases(self) -> None:
        """Assigns each fact a bit for each case; the case that always holds comes first."""
        network, words = self.network, self.words
        self.case_words = int(self.shared["percept_words"][-1])
        self.all_words = self.case_words + words * (len(network.cases) - 1)
        self.shared["case_guard"] = _ints(network.cases[1:])
        starts = [0, *range(self.case_words, self.all_words, words)]
        self.outputs = [
            (literal, 64 * starts[case] + i)
            for i, pairs in enumerate(network.next)
            for case, literal in pairs
        ]
        self.outputs += [(move.legal, self.bit_of[i]) for i, move in enumerate(network.moves)]
        self.outputs += self.percept_bits

    def _lay_out_sccs(self) -> None:
        """Lists the gates of each strongly connected component, and the level of every node."""
        network, first = self.network, self.network.first_gate
        self.scc_of = np.full(self.nodes, -1, np.int64)
        gates: list[int] = []
        middles: list[int] = []
        for number, (negations, bodies) in enumerate(network.sccs):
            self.scc_of[negations + bodies] = number
            middles.append(len(gates) + len(negations))
            gates += negations + bodies
        self.shared["scc_starts"] = _starts([len(n) + len(b) for n, b in network.sccs])
        self.shared["scc_middles"] = _ints(middles)
        self.shared["scc_gates"] = _ints(gates)
        self._lay_out_inner_edges()
        level = np.zeros(self.nodes + len(network.sccs), np.int32)
        finished: set[int] = set()
        for gate in range(first, first + len(network.gates)):
            scc = int(self.scc_of[gate])
            if scc >= 0 and scc not in finished:
                finished.add(scc)
                members = network.sccs[scc][0] + network.sccs[scc][1]
                outside = [
                    p
                    for g in members
                    for p in map(node_of, network.gates[g - first])
                    if self.scc_of[p] != scc
                ]
                high = 1 + max((int(level[p]) for p in outside), default=0)
                level[members] = level[self.nodes + scc] = high
            elif scc < 0:
                below = map(node_of, network.gates[gate - first])
                level[gate] = 1 + max(int(level[p]) for p in below)
        self.shared["level"] = level

    def _lay_out_inner_edges(self) -> None:
        """Lists the gates that depend on each gate within strongly connected components."""
        network, first = self.network, self.network.first_gate
        behind: list[list[int]] = [[] for _ in range(self.nodes)]
        for negations, bodies in network.sccs:
            relations = set(negations)
            for gate in negations:
                for literal in network.gates[gate - first]:
                    behind[node_of(literal)].append(gate)
            for body in bodies:
                for literal in network.gates[body - first]:
                    if literal < 0 and ~literal in relations:
                        behind[~literal].append(body)
        self.shared["inner_starts"] = _starts([len(gates) for gates in behind])
        self.shared["inner"] = _ints([gate for gates in behind for gate in gates])

    def _inner(self, gate: int) -> list[int]:
        """The gates that depend on a gate within its strongly connected component."""
        starts = self.shared["inner_starts"]
        return self.shared["inner"][starts[gate] : starts[gate + 1]].tolist()

    def _lay_out_edges(self) -> None:
        """Lists the gates that each node is an input of, and the bits that mirror its value."""
        network, first = self.network, self.network.first_gate
        counts = [len(gate) for gate in network.gates]
        gates = first + len(counts)
        literals = _ints([p for gate in network.gates for p in gate])
        self.shared["literals"] = literals
        self.shared["literal_starts"] = np.concatenate(
            [np.zeros(first, np.int32), _starts(counts)]
        )
        source = np.where(literals < 0, ~literals, literals)
        gate_of = np.repeat(np.arange(first, gates), counts)
        late = self.late[gate_of] & ~self.late[source]
        source = np.where(late, self.copy_of[source], source)
        scc = self.scc_of[gate_of]
        target = np.where(scc >= 0, 2 * (self.nodes + scc), 2 * gate_of + (literals < 0))
        outside = (scc < 0) | (scc != self.scc_of[source])
        most = 2 * (self.nodes + len(network.sccs)) + 1
        keys = np.unique(2 * source[outside].astype(np.int64) * most + target[outside])
        pairs = np.stack([keys // most, keys % most])
        outputs = np.array([(2 * node_of(x) + 1, bit) for x, bit in self.outputs], np.int64)
        outputs = outputs.reshape(-1, 2).T
        pairs = np.concatenate([pairs, outputs], axis=1)
        order = np.argsort(pairs[0], kind="stable")
        self.shared["edges"] = pairs[1, order].astype(np.int32)
        self.shared["spans"] = _starts(np.bincount(pairs[0], minlength=2 * self.nodes).tolist())

    def _lay_out_wins(self, winning: Winning) -> None:
        """Lists when moves win immediately, and what each move changes, as tests of the facts."""
        network = self.network
        by_role: list[list[tuple[int, Literal, list[frozenset[Literal]]]]] = []
        turns: list[frozenset[Literal]] = []
        for role in range(len(network.description.roles)):
            own = [
                (number, winning.wins[number])
                for number, move in enumerate(network.moves)
                if move.role == role and winning.wins[number]
            ]
            wins = [literals for _, alternatives in own for literals in alternatives]
            turn = frozenset[Literal].intersection(*wins) if wins else frozenset({0, ~0})
            turns.append(turn)
            by_role.append(
                [
                    (number, guard, group)
                    for number, alternatives in own
                    for guard, group in in_groups([literals - turn for literals in alternatives])
                ]
            )
        groups = [group for own_groups in by_role for group in own_groups]
        conditions = list(map(_conditions, winning.after))
        changes = [pair for pairs in conditions for pair in pairs]
        always = [
            [fact for fact, alternatives in changed.items() if frozenset() in alternatives]
            for changed in winning.after
        ]
        every_fact = range(1, len(network.facts) + 1)
        keep_masks, set_masks = self._masks(every_fact, winning.after, always)
        self.shared |= {
            "win_turns": self._tests(turns),
            "win_groups": _starts([len(own_groups) for own_groups in by_role]),
            "win_moves": _ints([number for number, _, _ in groups]),
            "win_guards": _ints([guard for _, guard, _ in groups]),
            "win_spans": _starts([len(group) for _, _, group in groups]),
            "win_tests": self._tests([literals for _, _, group in groups for literals in group]),
            "after_kept": keep_masks,
            "after_set": set_masks,
            "after_spans": _starts(list(map(len, conditions))),
            "after_facts": _ints([fact - 1 for fact, _ in changes]),
            "after_tests": self._tests([literals for _, literals in changes]),
        }

    def _lay_out_effects(self, changes: Effects) -> None:
        """Lists the effects of each move on the facts that the network does not decide."""
        conditions = [[pair for pair in pairs if pair[1]] for pairs in self.network.effects]
        effects = [pair for pairs in conditions for pair in pairs]
        always = [
            [fact for fact, literals in added if not literals] for added in self.network.effects
        ]
        keep_masks, set_masks = self._masks(changes.facts, changes.removed, always)
        self.shared |= {
            "effect_kept": keep_masks,
            "effect_set": set_masks,
            "effect_spans": _starts(list(map(len, conditions))),
            "effect_facts": _ints([fact - 1 for fact, _ in effects]),
            "effect_starts": _starts([len(literals) for _, literals in effects]),
            "effect_literals": _ints([literal for _, literals in effects for literal in literals]),
        }

    def _word_masks(self, facts: Iterable[int]) -> Array:
        """The words with the bits of these facts set."""
        words = np.zeros(self.words, np.uint64)
        for fact in facts:
            words[(fact - 1) >> 6] |= np.uint64(1 << ((fact - 1) & 63))
        return words

    def _masks(
        self,
        facts: Iterable[int],
        removed: Sequence[Iterable[int]],
        added: Sequence[Iterable[int]],
    ) -> tuple[Array, Array]:
        """Masks of the facts that each move leaves as they are, and of those that it always sets.

        Args:
            facts: those that the masks are about.
            removed: for each move the facts that do not stay just as they are.
            added: for each move the facts that always hold after it.
        """
        keep_masks = np.tile(self._word_masks(facts), (len(removed), 1))
        set_masks = np.zeros_like(keep_masks)
        for number, (changed, holding) in enumerate(zip(removed, added, strict=True)):
            keep_masks[number] &= ~self._word_masks(changed)
            set_masks[number] = self._word_masks(holding)
        return keep_masks.view(np.int64).reshape(-1), set_masks.view(np.int64).reshape(-1)

    def _tests(self, conjunctions: Sequence[Collection[Literal]]) -> Array:
        """For each conjunction of facts and negated facts, which facts matter and their values."""
        tests = np.zeros((len(conjunctions), self.words, 2), np.uint64)
        for i, conjunction in enumerate(conjunctions):
            for literal in conjunction:
                fact = node_of(literal) - 1
                if fact < 0:
                    if literal != 0:
                        tests[i, 0, 1] = 1  # an ignored fact cannot be 1: the test fails
                    continue
                bit = np.uint64(1 << (fact & 63))
                tests[i, fact >> 6, 0] |= bit
                if literal > 0:
                    tests[i, fact >> 6, 1] |= bit
        return tests.view(np.int64).reshape(-1)

    def _evaluate_at_rest(self) -> None:
        """Evaluates the network for the state without facts and moves, in which contexts begin."""
        network, own, first = self.network, self.own, self.network.first_gate
        missing = own["missing"]
        missing[1:first] = 1

        def holds(literal: int) -> bool:
            return bool((missing[literal] == 0) if literal >= 0 else (missing[~literal] != 0))

        finished: set[int] = set()
        for gate in range(first, first + len(network.gates)):
            number = int(self.scc_of[gate])
            if number < 0:
                missing[gate] = sum(not holds(p) for p in network.gates[gate - first])
            elif number not in finished:
                finished.add(number)
                negations, bodies = network.sccs[number]
                missing[negations] = 0
                for body in bodies:
                    missing[body] = sum(not holds(p) for p in network.gates[body - first])
                waiting = [body for body in bodies if missing[body] == 0]
                while waiting:
                    (gate,) = self._inner(waiting.pop())
                    if missing[gate] == 0:
                        missing[gate] = 1
                        for body in self._inner(gate):
                            missing[body] -= 1
                            if missing[body] == 0:
                                waiting.append(body)
        missing[first + len(network.gates) :] = missing[self.sources] != 0
        own["mark"][: self.nodes] = missing == 0
        bits = own["bits"].view(np.uint64)
        for literal, bit in self.outputs:
            if holds(literal):
                bits[bit >> 6] |= np.uint64(1 << (bit & 63))

    @property
    def own_bytes(self) -> int:
        """The size of the scratch memory of one context."""
        return sum(array.nbytes for array in self.own.values())

    def context(self) -> Any:
        """A ``CONTEXT`` record with scratch memory of its own."""
        record = np.zeros(1, CONTEXT)
        for name, number in self.numbers.items():
            record[name] = number
        record["stop"] = ctypes.addressof(NEVER_STOPPED)
        arrays = dict(self.shared)
        arrays |= {name: array.copy() for name, array in self.own.items()}
        for name, array in arrays.items():
            record[name] = array.ctypes.data
        block = ctypes.create_string_buffer(record.tobytes())
        block.kept = arrays  # type: ignore[attr-defined]
        return block


def _conditions(changed: dict[int, Alternatives]) -> list[tuple[int, tuple[Literal, ...]]]:
    """Pairs of a fact and literals: the fact holds after a move if these all hold before it."""
    return [
        (fact, tuple(sorted(literals)))
        for fact, alternatives in changed.items()
        for literals in sorted(alternatives, key=sorted)
        if literals
    ]


def _ints(numbers: Sequence[int]) -> Array:
    return np.array(numbers, np.int32)


def _starts(counts: Sequence[int]) -> Array:
    """The offsets of consecutive runs of these lengths; the total comes last."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)

"""A network laid out in memory as the evaluator wants it."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from kibitz.core.layout import Layout
from kibitz.gdl.evaluator import CONTEXT
from kibitz.gdl.network import Network
from kibitz.gdl.rules import RANDOM

Array = npt.NDArray[Any]


class Arrays:
    """The arrays of a network as the evaluator wants them, and their initial contents."""

    def __init__(self, network: Network, layout: Layout) -> None:
        self.layout = layout
        first = network.first_gate
        nodes = first + len(network.gates)
        literal_starts = np.zeros(nodes + 1, np.int32)
        counts = np.array([len(gate) for gate in network.gates], np.int32)
        literal_starts[first + 1 :] = np.cumsum(counts)
        literals = np.array([p for gate in network.gates for p in gate], np.int32)
        gate_of = np.repeat(np.arange(first, nodes, dtype=np.int32), counts)
        negated = (literals < 0).astype(np.int32)
        source = np.where(literals < 0, ~literals, literals)
        order = np.argsort(source, kind="stable")
        edge_starts = np.zeros(nodes + 1, np.int32)
        np.cumsum(np.bincount(source, minlength=nodes), out=edge_starts[1:])
        groups: dict[tuple[int, int], list[int]] = {}
        for i, move in enumerate(network.moves):
            groups.setdefault((move.role, move.guard), []).append(i)
        sizes = [len(members) for members in groups.values()]
        group_of = np.zeros(len(network.moves), np.int32)
        for number, members in enumerate(groups.values()):
            group_of[members] = number
        outputs: list[tuple[int, int]] = []
        for i, literal in enumerate(network.next):
            outputs.append((~literal if literal < 0 else literal, i << 2 | (literal < 0)))
        for i, move in enumerate(network.moves):
            node = ~move.legal if move.legal < 0 else move.legal
            outputs.append((node, i << 2 | 2 | (move.legal < 0)))
        outputs.sort()
        output_starts = np.zeros(nodes + 1, np.int32)
        np.cumsum(
            np.bincount(np.array([n for n, _ in outputs], np.int64), minlength=nodes),
            out=output_starts[1:],
        )
        knot_of = np.full(nodes, -1, np.int32)
        knot_gates: list[int] = []
        knot_starts, knot_middles = [0], []
        for number, (negations, bodies) in enumerate(network.knots):
            knot_of[negations + bodies] = number
            knot_middles.append(len(knot_gates) + len(negations))
            knot_gates += negations + bodies
            knot_starts.append(len(knot_gates))
        goals = [pair for pairs in network.goals for pair in pairs]
        words = max(1, -(-len(network.facts) // 64))
        initial = np.zeros(words, np.uint64)
        for i in network.initial:
            initial[i >> 6] |= np.uint64(1 << (i & 63))
        roles = network.description.roles
        as_int = functools.partial(np.array, dtype=np.int32)
        self.numbers: dict[str, int] = {
            "roles": len(roles),
            "facts": len(network.facts),
            "words": words,
            "nodes": nodes,
            "moves": len(network.moves),
            "groups": len(groups),
            "knots": len(network.knots),
            "random_role": roles.index(RANDOM) if RANDOM in roles else -1,
            "terminal": network.terminal,
            "facts_at": layout.dtype.fields["facts"][1],  # type: ignore[index]
            "commitments_at": layout.dtype.fields["commitments"][1],  # type: ignore[index]
        }
        self.shared: dict[str, Array] = {
            "initial": initial.view(np.int64),
            "edge_starts": edge_starts,
            "edges": (gate_of[order] << 1 | negated[order]).astype(np.int32),
            "output_starts": output_starts,
            "outputs": as_int([output for _, output in outputs]),
            "does": as_int([max(0, move.does) for move in network.moves]),
            "move_group": group_of,
            "group_role": as_int([role for role, _ in groups]),
            "group_guard": as_int([guard for _, guard in groups]),
            "group_start": as_int(np.concatenate([[0], np.cumsum(sizes)])[:-1]),
            "goal_starts": as_int(
                np.concatenate([[0], np.cumsum([len(pairs) for pairs in network.goals])])
            ),
            "goal_values": as_int([value for value, _ in goals]),
            "goal_literals": as_int([literal for _, literal in goals]),
            "knot_of": knot_of,
            "knot_starts": as_int(knot_starts),
            "knot_middles": as_int(knot_middles),
            "knot_gates": as_int(knot_gates),
            "literal_starts": literal_starts,
            "literals": literals,
        }
        self.own: dict[str, Array] = {
            "loaded": np.zeros(words, np.int64),
            "after": np.zeros(words, np.int64),
            "missing": np.zeros(nodes, np.int32),
            "stack": np.zeros(8 * nodes + 1024, np.int32),
            "before": np.zeros(nodes, np.int32),
            "done": np.zeros(len(roles), np.int32),
            "move_place": np.full(len(network.moves), -1, np.int32),
            "group_count": np.zeros(len(groups), np.int32),
            "listed": np.zeros(len(network.moves), np.int32),
            "knot_dirty": np.zeros(len(network.knots) + 1, np.int32),
        }
        self._settle_at_rest(network)

    def _settle_at_rest(self, network: Network) -> None:
        """The network when no fact holds and nothing is done."""
        own, shared = self.own, self.shared
        missing = own["missing"]
        missing[1 : network.first_gate] = 1
        in_knot = {g: knot for knot in network.knots for g in knot[0] + knot[1]}

        def holds(literal: int) -> bool:
            return bool((missing[literal] == 0) if literal >= 0 else (missing[~literal] != 0))

        finished: set[int] = set()
        for gate in range(network.first_gate, len(missing)):
            knot = in_knot.get(gate)
            if knot is None:
                literals = network.gates[gate - network.first_gate]
                missing[gate] = sum(not holds(p) for p in literals)
            elif id(knot) not in finished:
                finished.add(id(knot))
                missing[knot[0]] = 0
                missing[knot[1]] = 1
                changed = True
                while changed:
                    changed = False
                    for g in knot[0] + knot[1]:
                        left = int(not all(map(holds, network.gates[g - network.first_gate])))
                        changed |= left != missing[g]
                        missing[g] = left
        for i, literal in enumerate(network.next):
            if holds(literal):
                own["after"].view(np.uint64)[i >> 6] |= np.uint64(1 << (i & 63))
        for i, move in enumerate(network.moves):
            if holds(move.legal):
                group = shared["move_group"][i]
                count = own["group_count"][group]
                own["listed"][shared["group_start"][group] + count] = i
                own["move_place"][i] = count
                own["group_count"][group] += 1

    def context(self) -> Any:
        """A ``CONTEXT`` record with scratch memory of its own."""
        record = np.zeros(1, CONTEXT)
        for name, number in self.numbers.items():
            record[name] = number
        kept = dict(self.shared)
        kept |= {name: array.copy() for name, array in self.own.items()}
        for name, array in kept.items():
            record[name] = array.ctypes.data
        block = ctypes.create_string_buffer(record.tobytes())
        block.kept = kept  # type: ignore[attr-defined]
        return block

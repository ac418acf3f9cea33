"""Exports a network as JSON and as a diagram in DOT, the language of Graphviz.

An exported network has the usual components of a propositional network: base propositions (the
facts of a state), inputs (the moves that are made), ``and``, ``or`` and ``not``. Its outputs are
listed apart: the next state, legal moves, goals, the end of the game, and percepts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from kibitz.gdl.network import FALSE, TRUE, Literal, Network
from kibitz.gdl.rules import kif

Key = Literal | tuple[str, tuple[Literal, ...]]
"""The identity of a component: a literal of the network, or a gate over literals."""

_STYLES = {
    "base": "shape=box",
    "input": "shape=cds",
    "constant": "shape=plaintext",
    "and": "shape=invhouse",
    "or": "shape=invtrapezium",
    "not": "shape=circle",
}


class _Components:
    """The components of a network, numbered from 0 in the order in which they are needed."""

    def __init__(self, network: Network, roles: Sequence[str]) -> None:
        self._network = network
        self._numbers: dict[Key, int] = {}
        self._nodes: list[tuple[dict[str, Any], Sequence[Key]]] = []
        self._negated = {
            literal
            for negations, bodies in network.sccs
            for literal in (*negations, *(~body for body in bodies))
        }
        for node, term in enumerate(network.facts, 1):
            self._add(node, {"kind": "base", "proposition": network.words(term)})
        for move in network.moves:
            if move.does > 0:
                made = {"role": roles[move.role], "move": network.words(move.term)}
                self._add(move.does, {"kind": "input", **made})

    def _add(self, key: Key, content: dict[str, Any], inputs: Sequence[Key] = ()) -> None:
        self._numbers[key] = len(self._nodes)
        self._nodes.append((content, inputs))

    def number(self, key: Key) -> int:
        """The number of the component for a key; adds it and all components that it depends on."""
        waiting = [key]
        while waiting:
            needed = waiting.pop()
            if needed not in self._numbers:
                content, inputs = self._component(needed)
                self._add(needed, content, inputs)
                waiting.extend(reversed(inputs))
        return self._numbers[key]

    def _component(self, key: Key) -> tuple[dict[str, Any], Sequence[Key]]:
        """The content and the inputs of a component.

        A negated gate becomes an ``or`` over its negated inputs. A gate of a cycle keeps the form
        without negation within the cycle, whose least fixpoint is the meaning of the rules.
        """
        if isinstance(key, tuple):
            return {"kind": key[0]}, key[1]
        if key in (TRUE, FALSE):
            return {"kind": "constant", "value": key == TRUE}, ()
        node = key if key >= 0 else ~key
        if node < self._network.first_gate or key in self._negated:
            return {"kind": "not"}, (~key,)
        gate = self._network.gates[node - self._network.first_gate]
        if key >= 0:
            return {"kind": "and"}, gate
        return {"kind": "or"}, tuple(~literal for literal in gate)

    def listed(self) -> list[dict[str, Any]]:
        """All components as JSON; gates have the numbers of their inputs."""
        return [
            {"id": number, **content, **self._inputs(inputs)}
            for number, (content, inputs) in enumerate(self._nodes)
        ]

    def _inputs(self, inputs: Sequence[Key]) -> dict[str, Any]:
        return {"inputs": [self._numbers[key] for key in inputs]} if inputs else {}


def _both(first: Literal, second: Literal) -> Key:
    """The conjunction of two literals."""
    conjuncts = tuple(conjunct for conjunct in (first, second) if conjunct != TRUE)
    return ("and", conjuncts) if len(conjuncts) > 1 else conjuncts[0] if conjuncts else TRUE


def document(network: Network) -> dict[str, Any]:
    """A network as JSON: its components and its outputs.

    Returns:
        ``roles``; ``nodes``, each with ``id``, ``kind`` (``base``, ``input``, ``constant``,
        ``and``, ``or``, ``not``) and, of gates, ``inputs``; and outputs that name nodes by their
        ids: ``initial``, ``next``, ``legal``, ``goals``, ``sees`` and ``terminal``. Gates of a
        cycle have the values of the least fixpoint.
    """
    roles = [kif(role, network.description.spelling) for role in network.description.roles]
    components = _Components(network, roles)
    number = components.number
    outputs = {
        "initial": [number(1 + i) for i in network.initial],
        "next": [
            {"base": number(node), "nodes": [number(_both(network.cases[i], x)) for i, x in ways]}
            for node, ways in enumerate(network.next, 1)
        ],
        "legal": [
            {
                "role": roles[move.role],
                "move": network.words(move.term),
                "node": number(_both(move.guard, move.legal)),
            }
            for move in network.moves
        ],
        "goals": [
            {"role": role, "value": value, "node": number(literal)}
            for role, pairs in zip(roles, network.goals, strict=True)
            for value, literal in pairs
        ],
        "sees": [
            {"role": role, "percept": network.words(percept), "node": number(literal)}
            for role, percepts in zip(roles, network.percepts, strict=True)
            for percept, literal in percepts
        ],
        "terminal": number(network.terminal),
    }
    return {"roles": roles, "nodes": components.listed(), **outputs}


def to_json(network: Network) -> Iterator[str]:
    """Yields the lines of a network as JSON; see ``document``."""
    return iter(json.dumps(document(network), indent=1).splitlines())


def to_dot(network: Network) -> Iterator[str]:
    """Yields the lines of a network in DOT; dashed arrows lead from gates into the next state."""
    described = document(network)
    yield "digraph network {"
    yield "  rankdir=LR; node [fontsize=10];"
    for node in described["nodes"]:
        label = node["kind"]
        if label == "base":
            label = node["proposition"]
        elif label == "input":
            label = f"does {node['role']} {node['move']}"
        elif label == "constant":
            label = "always" if node["value"] else "never"
        bold = ", style=bold" if node["id"] in described["initial"] else ""
        yield f"  {node['id']} [label={_quoted(label)}, {_STYLES[node['kind']]}{bold}];"
    for node in described["nodes"]:
        for source in node.get("inputs", ()):
            yield f"  {source} -> {node['id']};"
    for step in described["next"]:
        for source in step["nodes"]:
            yield f"  {source} -> {step['base']} [style=dashed, constraint=false];"
    outputs = [("terminal", described["terminal"])]
    outputs += [(f"legal {x['role']} {x['move']}", x["node"]) for x in described["legal"]]
    outputs += [(f"goal {x['role']} {x['value']}", x["node"]) for x in described["goals"]]
    outputs += [(f"sees {x['role']} {x['percept']}", x["node"]) for x in described["sees"]]
    for number, (label, source) in enumerate(outputs):
        yield f"  o{number} [label={_quoted(label)}, shape=note];"
        yield f"  {source} -> o{number};"
    yield "}"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

"""A network as text, for ``kibitz translate --to network``."""

from __future__ import annotations

from collections.abc import Iterator

from kibitz.gdl.network import FALSE, TRUE, Literal, Network
from kibitz.gdl.rules import kif


def listing(network: Network) -> Iterator[str]:
    """Yields the lines: each gate above those that use it, and then the outputs."""
    description = network.description
    names = {1 + i: f"true {network.words(term)}" for i, term in enumerate(network.facts)}
    roles = [kif(role, description.spelling) for role in description.roles]
    for move in network.moves:
        if move.does > 0:
            names[move.does] = f"does {roles[move.role]} {network.words(move.term)}"

    def show(literal: Literal) -> str:
        if literal in (TRUE, FALSE):
            return "always" if literal == TRUE else "never"
        node = ~literal if literal < 0 else literal
        text = f"[{names[node]}]" if node in names else f"g{node}"
        return f"not {text}" if literal < 0 else text

    yield (
        f"{len(network.facts)} facts, {len(network.moves)} moves, {len(network.gates)} gates"
        + (f", {len(network.sccs)} cycles" if network.sccs else "")
    )
    yield ""
    for i, inputs in enumerate(network.gates):
        yield f"g{network.first_gate + i} = {' & '.join(map(show, inputs)) or 'always'}"
    yield ""
    initial = set(network.initial)
    for i, term in enumerate(network.facts):
        start = " (at the start)" if i in initial else ""
        ways = [
            " & ".join(show(x) for x in (network.cases[case], literal) if x != TRUE) or "always"
            for case, literal in network.next[i]
        ]
        yield f"next {network.words(term)}{start} = {' | '.join(ways) or 'never'}"
    yield ""
    for move in network.moves:
        needed = [literal for literal in (move.guard, move.legal) if literal != TRUE]
        condition = " & ".join(map(show, needed)) or "always"
        yield f"legal {roles[move.role]} {network.words(move.term)} = {condition}"
    yield ""
    yield f"terminal = {show(network.terminal)}"
    for role, pairs in zip(roles, network.goals, strict=True):
        for value, literal in pairs:
            yield f"goal {role} {value} = {show(literal)}"
    for role, percepts in zip(roles, network.percepts, strict=True):
        for percept, literal in percepts:
            yield f"sees {role} {network.words(percept)} = {show(literal)}"

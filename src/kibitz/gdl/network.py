"""A ground program as a network of gates: small, shared, and cheap to keep up to date.

There is one kind of gate, the conjunction of literals; a literal is an input or gate, or its
negation (so a disjunction is the negation of a conjunction of negations). Equal gates are one,
constants are folded, what no output needs is never made.

Two things make the networks of games quick:

* In a step each role does exactly one thing. Where something holds after any of many moves but a
  few, it is kept as *not after one of the few*.
* Most moves are legal only while some condition holds that many moves share, such as whose turn
  it is. Such a *guard* is not wired to the gates of the moves; it is looked at when the moves
  are listed. So a change of turn does not touch them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from kibitz.gdl.grounder import Ground
from kibitz.gdl.rules import Description, Sentence, Term, kif

TRUE = 0
"""The literal that always holds is 0's, and `FALSE` its negation."""
FALSE = ~TRUE

Literal = int
"""A node's number, or ``~number`` for its negation. Node 0 is always true."""

GUARD_USERS = 8
"""So many moves of a role make it worth while to keep apart a condition they share."""


@dataclass(frozen=True)
class Move:
    """Something that a role may be able to do.

    Attributes:
        legal: whether it is legal, given that the guard holds.
        guard: a condition that its legality needs besides.
        does: the input that says that it is done; -1 if nothing depends on it.
    """

    role: int
    term: Term
    legal: Literal
    guard: Literal
    does: int


@dataclass
class Network:
    """Gates and what they are for.

    Nodes are numbered: 0 is constant, then the inputs (facts, then moves), then gates, each
    after those it depends on except within a knot.

    Attributes:
        facts: what may be true in a state, each an input, in order from node 1.
        initial: which of them are, at the start.
        moves: what roles may do.
        gates: the literals of each gate; the first gate is node `first_gate`.
        next: for each fact the literal that says whether it holds in the next state.
        terminal: whether the game is over.
        goals: for each role pairs of a value and the literal that says it is reached.
        knots: groups of gates that depend on each other, to be worked out by fixpoint.
    """

    description: Description
    facts: list[Term]
    initial: list[int]
    moves: list[Move]
    first_gate: int
    gates: list[tuple[Literal, ...]]
    next: list[Literal]
    terminal: Literal
    goals: list[list[tuple[int, Literal]]]
    knots: list[tuple[list[int], list[int]]] = field(default_factory=list)
    """For each the gates that are negations of its relations, and those of their bodies."""

    def words(self, term: Term) -> str:
        """A term as its author spells it."""
        return kif(term, self.description.spelling)


class _Builder:
    """Makes gates, none twice."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.gates: list[tuple[Literal, ...]] = []
        self.known: dict[tuple[Literal, ...], int] = {}

    def conjunction(self, parts: Iterable[Literal]) -> Literal:
        wanted = set(parts)
        wanted.discard(TRUE)
        if FALSE in wanted or any(~part in wanted for part in wanted):
            return FALSE
        if not wanted:
            return TRUE
        if len(wanted) == 1:
            return next(iter(wanted))
        # a conjunction within another is its parts
        key = tuple(sorted(wanted))
        if key not in self.known:
            self.known[key] = self.first + len(self.gates)
            self.gates.append(key)
        return self.known[key]

    def disjunction(self, parts: Iterable[Literal]) -> Literal:
        return ~self.conjunction(~part for part in parts)

    def parts(self, literal: Literal) -> tuple[Literal, ...]:
        """The literals that all must hold for this one to hold."""
        if literal >= self.first:
            return self.gates[literal - self.first]
        return (literal,)

    def knot(self) -> int:
        """A gate whose inputs are told later."""
        self.gates.append(())
        return self.first + len(self.gates) - 1


def build(description: Description, ground: Ground) -> Network:
    """The network of a ground program."""
    return _Assembly(description, ground).network()


class _Assembly:
    """From the rules of a ground program to a network."""

    def __init__(self, description: Description, ground: Ground) -> None:
        self.description = description
        self.ground = ground
        self.bodies: dict[int, list[tuple[int, ...]]] = {}
        heads, starts, body = ground.heads.tolist(), ground.starts.tolist(), ground.body.tolist()
        for i, head in enumerate(heads):
            self.bodies.setdefault(head, []).append(tuple(body[starts[i] : starts[i + 1]]))
        facts = [s for s in ground.names if s.name == "true"]
        self.fact_of = {s.arguments[0]: ground.names[s] for s in facts}
        self.fact_terms = sorted(self.fact_of, key=kif)
        self.does = {s.arguments: ground.names[s] for s in ground.names if s.name == "does"}
        self.literal: dict[int, Literal] = {}
        number = 1
        for term in self.fact_terms:
            self.literal[self.fact_of[term]] = number
            number += 1
        self.role_of: dict[int, int] = {}
        self.all_does: dict[int, list[int]] = {}
        roles: dict[Term, int] = {role: i for i, role in enumerate(description.roles)}
        self.roles = roles
        for (role, _), atom in sorted(self.does.items(), key=lambda entry: entry[1]):
            self.literal[atom] = number
            self.role_of[number] = roles[role]
            self.all_does.setdefault(roles[role], []).append(number)
            number += 1
        self.builder = _Builder(number)
        self.knots: list[tuple[list[int], list[int]]] = []

    def network(self) -> Network:
        wanted = [
            atom
            for sentence, atom in self.ground.names.items()
            if sentence.name in ("legal", "next", "goal", "terminal")
        ]
        self._resolve(wanted)
        description, builder = self.description, self.builder
        after = {s.arguments[0]: self.value(s) for s in self._sentences("next")}
        moves = self._moves()
        goals: list[list[tuple[int, Literal]]] = [[] for _ in description.roles]
        for sentence in self._sentences("goal"):
            role, value = sentence.arguments
            if role in self.roles and isinstance(value, str) and value.lstrip("-").isdigit():
                goals[self.roles[role]].append((int(value), self.value(sentence)))
        initial = {s.arguments[0] for s in self.ground.always if s.name == "init"}
        return Network(
            description=description,
            facts=self.fact_terms,
            initial=[i for i, term in enumerate(self.fact_terms) if term in initial],
            moves=moves,
            first_gate=builder.first,
            gates=builder.gates,
            next=[after.get(term, FALSE) for term in self.fact_terms],
            terminal=self.value(Sentence("terminal")),
            goals=goals,
            knots=self.knots,
        )

    def _sentences(self, name: str) -> list[Sentence]:
        found = [s for s in self.ground.names if s.name == name]
        return sorted(found + [s for s in self.ground.always if s.name == name], key=kif)

    def value(self, sentence: Sentence) -> Literal:
        """The literal of a sentence."""
        if sentence in self.ground.always:
            return TRUE
        atom = self.ground.names.get(sentence)
        return FALSE if atom is None else self.literal.get(atom, FALSE)

    def _moves(self) -> list[Move]:
        builder = self.builder
        found: list[tuple[int, Term, Literal]] = []
        for sentence in self._sentences("legal"):
            name, term = sentence.arguments
            literal = self.value(sentence)
            if name in self.roles and literal != FALSE:
                found.append((self.roles[name], term, literal))
        users: Counter[tuple[int, Literal]] = Counter()
        for role, _, literal in found:
            users.update((role, part) for part in builder.parts(literal))
        moves = []
        for role, term, literal in found:
            parts = builder.parts(literal)
            guard = max(parts, key=lambda part: (users[role, part], -part))
            if users[role, guard] < GUARD_USERS:
                guard = TRUE
            rest = builder.conjunction(part for part in parts if part != guard)
            atom = self.does.get((self.description.roles[role], term))
            moves.append(Move(role, term, rest, guard, self.literal[atom] if atom else -1))
        return moves

    # -- gates -------------------------------------------------------------------------------

    def _resolve(self, wanted: Sequence[int]) -> None:
        """Gives every atom that the wanted ones depend on its literal: children first."""
        for group in _components(wanted, self._children):
            if group[0] in self.literal:
                continue  # an input
            if len(group) == 1 and group[0] not in self._children(group[0]):
                self.literal[group[0]] = self._gate(self.bodies.get(group[0], []))
            else:
                self._knot(group)

    def _children(self, atom: int) -> list[int]:
        if atom in self.literal:
            return []
        return [abs(part) for body in self.bodies.get(atom, ()) for part in body]

    def _input(self, part: int) -> Literal:
        literal = self.literal.get(abs(part), FALSE)
        return literal if part > 0 else ~literal

    def _gate(self, bodies: Sequence[Sequence[int]]) -> Literal:
        """The disjunction of some bodies."""
        alternatives = {frozenset(map(self._input, body)) for body in bodies}
        usable = [
            parts - {TRUE}
            for parts in alternatives
            if FALSE not in parts and not any(~part in parts for part in parts)
        ]
        if any(not parts for parts in usable):
            return TRUE
        return self._factored(usable)

    def _factored(self, alternatives: list[frozenset[Literal]]) -> Literal:
        """A disjunction of conjunctions, moves gathered and common literals taken out."""
        builder = self.builder
        if not alternatives:
            return FALSE
        if len(alternatives) > 2:
            alternatives = self._moves_gathered(alternatives)
        common = frozenset.intersection(*alternatives)
        rest = builder.disjunction(builder.conjunction(parts - common) for parts in alternatives)
        return builder.conjunction([*common, rest])

    def _moves_gathered(self, alternatives: list[frozenset[Literal]]) -> list[frozenset[Literal]]:
        """Where alternatives differ only in the move, one with any of the moves."""
        groups: dict[tuple[frozenset[Literal], int], list[int]] = {}
        others: list[frozenset[Literal]] = []
        for parts in alternatives:
            done = [part for part in parts if part in self.role_of]
            if len(done) == 1:
                key = (parts - {done[0]}, self.role_of[done[0]])
                groups.setdefault(key, []).append(done[0])
            else:
                others.append(parts)
        for (parts, role), done in groups.items():
            others.append(parts | {self._any_of(role, done)})
        return others

    def _any_of(self, role: int, done: list[int]) -> Literal:
        """That a role does one of some moves: or none of the rest, where these are fewer."""
        everything = self.all_does[role]
        if 2 * len(done) <= len(everything):
            return self.builder.disjunction(done)
        left = set(everything) - set(done)
        return ~self.builder.disjunction(left)

    def _knot(self, group: Sequence[int]) -> None:
        """Atoms that depend on each other: their gates are worked out by fixpoint.

        An atom is the negation of a gate, so that all of them start out false.
        """
        negations: list[int] = []
        inner_gates: list[int] = []
        for atom in group:
            gate = self.builder.knot()
            negations.append(gate)
            self.literal[atom] = ~gate
        for atom, gate in zip(group, negations, strict=True):
            alternatives = []
            for body in self.bodies.get(atom, []):
                parts = tuple(self._input(part) for part in body)
                if FALSE in parts:
                    continue
                inner = self.builder.knot()
                inner_gates.append(inner)
                self.builder.gates[inner - self.builder.first] = tuple(
                    sorted({part for part in parts if part != TRUE})
                )
                alternatives.append(~inner)
            self.builder.gates[gate - self.builder.first] = tuple(alternatives)
        self.knots.append((negations, inner_gates))


def _components(
    roots: Sequence[int], children: Callable[[int], Sequence[int]]
) -> Iterator[list[int]]:
    """Strongly connected components, those that others depend on first.

    R. Tarjan, "Depth-first search and linear graph algorithms", 1972; without recursion.
    """
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    on_stack: set[int] = set()
    stack: list[int] = []
    for root in roots:
        if root in index:
            continue
        work = [(root, iter(children(root)))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, rest = work[-1]
            for child in rest:
                if child not in index:
                    index[child] = low[child] = len(index)
                    stack.append(child)
                    on_stack.add(child)
                    work.append((child, iter(children(child))))
                    break
                if child in on_stack:
                    low[node] = min(low[node], index[child])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    group = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        group.append(member)
                        if member == node:
                            break
                    yield group

"""The propositional network of a ground program: shared gates, cheap to update.

There is one kind of gate, the conjunction of literals; a literal is an input or gate, or its
negation (so a disjunction is the negation of a conjunction of negations). Equal gates are one,
constants are folded, what no output needs is never made.

Two things make the networks of games quick:

* In a step each role does exactly one thing. Where something holds after any of many moves but a
  few, it is kept as *not after one of the few*.
* Most moves are legal only while some condition holds that many moves share, such as whose turn
  it is. Such a *guard* is not wired to the gates of the moves; it is looked at when the moves
  are listed. So a change of turn does not touch them. The same goes for what holds in the next
  state, in games with phases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from kibitz.gdl.graphs import components
from kibitz.gdl.grounder import Ground
from kibitz.gdl.movesets import MoveSet
from kibitz.gdl.rules import ENDING, Description, Sentence, Term, kif

TRUE = 0
"""The literal that always holds is 0's, and `FALSE` its negation."""
FALSE = ~TRUE

Literal = int
"""A node's number, or ``~number`` for its negation. Node 0 is always true."""

Conditions = tuple[frozenset[Literal], tuple[tuple[int, MoveSet], ...]]
"""Literals that all must hold, and roles each with moves of which it must make one."""

GUARD_USERS = 8
"""Minimum number of a role's moves that share a guard."""
GUARD_SHARES = (10, 2, 1)
"""Divisors of a role's moves that give the minimum number that share a guard: the first divisor
is used with which there are at most ``MOST_GUARDS`` guards."""
MOST_GUARDS = 24
"""Maximum number of different guards."""

CASE_SHARE = 4
"""Divisor of the facts that gives the minimum number whose next value shares a case."""
MOST_CASES = 6
"""Maximum number of cases besides the one that always holds."""

SHARED = 6
"""Minimum number of alternatives from which a shared literal is factored out."""


@dataclass(frozen=True)
class Move:
    """A move of a role, and when it is legal.

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
    """A propositional network: gates, and what they compute.

    Nodes are numbered: 0 is constant, then the inputs (facts, then moves), then gates, each
    after those it depends on except within a cycle.

    Attributes:
        facts: what may be true in a state, each an input, in order from node 1.
        initial: which of them are, at the start.
        moves: the moves of all roles.
        gates: the literals of each gate; the first gate is node `first_gate`.
        cases: conditions that make much of the next state what it is; the first always holds.
        next: for each fact pairs of a case and a literal: it holds in the next state if both do.
        terminal: whether the game is over.
        endings: pairs of the number of a rule that ends the game and the literal that says so;
            none where there is only one.
        goals: for each role pairs of a value and the literal that says it is reached.
        effects: for each move pairs of a fact and literals: it holds after the move if all of
            these do; none where `next` says it all.
        percepts: for each role what it may be told of a step, and the literal that says it is.
        sccs: strongly connected components: gates that are evaluated together, to a fixpoint.
    """

    description: Description
    facts: list[Term]
    initial: list[int]
    moves: list[Move]
    first_gate: int
    gates: list[tuple[Literal, ...]]
    cases: list[Literal]
    next: list[list[tuple[int, Literal]]]
    terminal: Literal
    endings: list[tuple[int, Literal]]
    goals: list[list[tuple[int, Literal]]]
    percepts: list[list[tuple[Term, Literal]]]
    effects: list[list[tuple[int, tuple[Literal, ...]]]] = field(default_factory=list)
    turns: bool = False
    """Whether it is certain that one role at a time has a choice."""
    sccs: list[tuple[list[int], list[int]]] = field(default_factory=list)
    """For each the gates that are negations of its relations, and those of their bodies."""

    def words(self, term: Term) -> str:
        """A term as its author spells it."""
        return kif(term, self.description.spelling)


class _Builder:
    """Makes gates; equal ones are shared."""

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
        """The literals whose conjunction this one is."""
        if literal >= self.first:
            return self.gates[literal - self.first]
        return (literal,)

    def open_gate(self) -> int:
        """A gate whose inputs are set later."""
        self.gates.append(())
        return self.first + len(self.gates) - 1


def build(description: Description, ground: Ground) -> Network:
    """The network of a ground program."""
    return _Assembly(description, ground).network()


class _Assembly:
    """Builds the network of a ground program."""

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
        self.all_does: dict[int, list[int]] = {}
        roles: dict[Term, int] = {role: i for i, role in enumerate(description.roles)}
        self.roles = roles
        for (role, _), atom in sorted(self.does.items(), key=lambda entry: entry[1]):
            self.literal[atom] = number
            self.all_does.setdefault(roles[role], []).append(number)
            number += 1
        self.builder = _Builder(number)
        self.sccs: list[tuple[list[int], list[int]]] = []
        self.sets: dict[Literal, tuple[int, MoveSet]] = {}
        self.places: dict[int, tuple[int, int]] = {}
        """Of each move its role, and its place among the moves of that."""
        self.passes: dict[int, int] = {}
        self._resolve([atom for s, atom in ground.names.items() if s.name == "legal"])
        self.passes = self._taking_turns()
        if self.passes:
            self._join_moves()
        for domain, done in self.all_does.items():
            for place, node in enumerate(done):
                self.places[node] = domain, place

    def network(self) -> Network:
        wanted = [
            atom
            for sentence, atom in self.ground.names.items()
            if sentence.name in ("legal", "next", "goal", "terminal", ENDING, "sees")
        ]
        self._resolve(wanted)
        description, builder = self.description, self.builder
        after = {s.arguments[0]: self.value(s) for s in self._sentences("next")}
        moves = self._moves()
        cases, ways = self._cases([after.get(term, FALSE) for term in self.fact_terms])
        goals: list[list[tuple[int, Literal]]] = [[] for _ in description.roles]
        for sentence in self._sentences("goal"):
            role, value = sentence.arguments
            number = description.goal_value(value)
            if role in self.roles and number is not None:
                goals[self.roles[role]].append((number, self.value(sentence)))
        percepts: list[list[tuple[Term, Literal]]] = [[] for _ in description.roles]
        for sentence in self._sentences("sees"):
            role, percept = sentence.arguments
            if role in self.roles and (literal := self.value(sentence)) != FALSE:
                percepts[self.roles[role]].append((percept, literal))
        initial = {s.arguments[0] for s in self.ground.always if s.name == "init"}
        network = Network(
            description=description,
            facts=self.fact_terms,
            initial=[i for i, term in enumerate(self.fact_terms) if term in initial],
            moves=moves,
            first_gate=builder.first,
            gates=builder.gates,
            cases=cases,
            next=ways,
            terminal=self.value(Sentence("terminal")),
            endings=[(int(str(s.arguments[0])), self.value(s)) for s in self._sentences(ENDING)],
            goals=goals,
            percepts=percepts,
            turns=len(description.roles) == 1 or bool(self.passes),
            sccs=self.sccs,
        )
        prune(network)
        return network

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
        own = Counter(role for role, _, _ in found)
        for share in GUARD_SHARES:
            apart: list[tuple[list[Literal], list[Literal]]] = []
            for role, _, literal in found:
                least = max(GUARD_USERS, own[role] // share)
                parts = builder.parts(literal)
                common = [part for part in parts if users[role, part] >= least]
                apart.append((common, [part for part in parts if part not in common]))
            if len({tuple(common) for common, _ in apart}) <= MOST_GUARDS:
                break
        moves = []
        for (role, term, _), (common, rest) in zip(found, apart, strict=True):
            atom = self.does.get((self.description.roles[role], term))
            done = self.literal[atom] if atom else -1
            moves.append(
                Move(
                    role=role,
                    term=term,
                    legal=builder.conjunction(rest),
                    guard=builder.conjunction(common),
                    does=-1 if done in self.passes else done,
                )
            )
        return moves

    def _cases(
        self, after: Sequence[Literal]
    ) -> tuple[list[Literal], list[list[tuple[int, Literal]]]]:
        """Conditions shared by many facts of the next state, and what each fact needs besides."""
        apart = [self._alternatives(literal) for literal in after]
        users = Counter(part for alternatives in apart for part in set().union(*alternatives, ()))
        least = max(GUARD_USERS, len(after) // CASE_SHARE)
        common = [part for part, count in users.most_common(MOST_CASES) if count >= least]
        cases = [TRUE, *common]
        ways: list[list[tuple[int, Literal]]] = []
        for literal, alternatives in zip(after, apart, strict=True):
            found: dict[int, list[frozenset[Literal]]] = {}
            for parts in alternatives:
                case = next((i for i, part in enumerate(cases) if part in parts), 0)
                found.setdefault(case, []).append(parts - {cases[case]})
            if set(found) <= {0}:
                ways.append([(0, literal)] if literal != FALSE else [])
            else:
                ways.append([(case, self._factored(rest)) for case, rest in found.items()])
        used = sorted({0, *(case for pairs in ways for case, _ in pairs)})
        ways = [[(used.index(case), literal) for case, literal in pairs] for pairs in ways]
        return [cases[case] for case in used], ways

    def _alternatives(self, literal: Literal) -> list[frozenset[Literal]]:
        """The conjunctions of which a literal is the disjunction."""
        gates, first = self.builder.gates, self.builder.first
        cyclic = {gate for scc in self.sccs for gate in scc[0] + scc[1]}

        def parts(one: Literal) -> frozenset[Literal]:
            return frozenset((one,) if one in cyclic else self.builder.parts(one))

        if literal == FALSE:
            return []
        if ~literal >= first and ~literal not in cyclic:
            return [parts(~one) for one in gates[~literal - first]]
        return [parts(literal)]

    # -- whose turn it is --------------------------------------------------------------------

    def _taking_turns(self) -> dict[int, int]:
        """The inputs of moves such as `noop`, which only say that another role moves.

        There are such moves where a cycle of facts says whose turn it is, and at each of them all
        roles but one have a single move. Empty where that cannot be shown.
        """
        moves: dict[int, list[tuple[int, frozenset[Literal]]]] = {
            role: [] for role in self.roles.values()
        }
        for sentence in self._sentences("legal"):
            name, term = sentence.arguments
            atom = self.does.get((name, term))
            literal = self.value(sentence)
            if name in self.roles and literal != FALSE:
                if atom is None:
                    return {}
                parts = frozenset(self.builder.parts(literal))
                moves[self.roles[name]].append((self.literal[atom], parts))
        for turns in self._cycles():
            passes = _passing(turns, moves)
            if passes is not None:
                return passes
        return {}

    def _cycles(self) -> Iterator[list[Literal]]:
        """Cycles of facts of which always exactly one holds, as in whose turn it is."""
        successor: dict[Literal, Literal] = {}
        initial = {s.arguments[0] for s in self.ground.always if s.name == "init"}
        first = {self.literal[a] for term, a in self.fact_of.items() if term in initial}
        for sentence, atom in self.ground.names.items():
            if sentence.name == "next" and sentence.arguments[0] in self.fact_of:
                target = self.literal[self.fact_of[sentence.arguments[0]]]
                bodies = set(self.bodies.get(atom, ()))
                if len(bodies) == 1:
                    (body,) = bodies
                    if len(body) == 1 and 1 <= self.literal.get(body[0], 0) <= len(self.fact_of):
                        source = self.literal[body[0]]
                        successor[source] = 0 if source in successor else target
        seen: set[Literal] = set()
        for start in sorted(successor):
            cycle = [start]
            while cycle[-1] not in seen and successor.get(cycle[-1], 0) > 0:
                seen.add(cycle[-1])
                cycle.append(successor[cycle[-1]])
            if len(cycle) > 2 and cycle[-1] == start and len(first & set(cycle)) == 1:
                yield cycle[:-1]

    def _join_moves(self) -> None:
        """Notes that one role at a time makes a real move: sets of moves span all roles."""
        everything = [node for done in self.all_does.values() for node in done]
        active = [node for node in everything if node not in self.passes]
        place = {node: i for i, node in enumerate(active)}
        own = {
            role: MoveSet.of((place[node] for node in done if node in place), len(active))
            for role, done in self.all_does.items()
        }
        self.all_does = {0: active}
        for node, role in self.passes.items():
            self.sets[node] = 0, ~own[role]

    # -- gates -------------------------------------------------------------------------------

    def _resolve(self, wanted: Sequence[int]) -> None:
        """Assigns a literal to every atom that the wanted ones depend on, dependencies first."""
        for group in components(wanted, self._children):
            if group[0] in self.literal:
                continue  # an input
            if len(group) == 1 and group[0] not in self._children(group[0]):
                self.literal[group[0]] = self._gate(self.bodies.get(group[0], []))
            else:
                self._scc(group)

    def _children(self, atom: int) -> list[int]:
        if atom in self.literal:
            return []
        return [abs(part) for body in self.bodies.get(atom, ()) for part in body]

    def _input(self, part: int) -> Literal:
        literal = self.literal.get(abs(part), FALSE)
        return literal if part > 0 else ~literal

    def _part(self, part: int) -> Literal:
        """A literal within a cycle, where a pass is replaced by the moves of the other role."""
        literal = self._input(part)
        if (~literal if literal < 0 else literal) in self.passes:
            known = self._set_of(literal)
            assert known is not None
            return self._any_of(*known)
        return literal

    def _gate(self, bodies: Sequence[Sequence[int]]) -> Literal:
        """The literal for the disjunction of bodies."""
        alternatives: dict[Conditions, None] = {}
        for body in bodies:
            found = self._conditions(map(self._input, body))
            if found is not None:
                alternatives[found] = None
        if (frozenset(), ()) in alternatives:
            return TRUE
        return self._factored(self._gathered(list(alternatives)))

    def _conditions(self, parts: Iterable[Literal]) -> Conditions | None:
        """A conjunction as literals and a set of moves of each role; ``None``: it never holds."""
        others: set[Literal] = set()
        made: dict[int, MoveSet] = {}
        for part in parts:
            known = self._set_of(part)
            if known is None:
                others.add(part)
            else:
                role, moves = known
                made[role] = made[role] & moves if role in made else moves
        others.discard(TRUE)
        if FALSE in others or any(~part in others for part in others):
            return None
        if any(moves.empty for moves in made.values()):
            return None
        return frozenset(others), tuple(sorted(pair for pair in made.items() if not pair[1].full))

    def _set_of(self, literal: Literal) -> tuple[int, MoveSet] | None:
        """The role and set of moves that a literal stands for; ``None`` for other literals."""
        if literal in self.sets:
            return self.sets[literal]
        if literal in self.places:
            role, place = self.places[literal]
            return role, MoveSet.one(place, len(self.all_does[role]))
        if ~literal in self.sets or ~literal in self.places:
            known = self._set_of(~literal)
            assert known is not None
            return known[0], ~known[1]
        return None

    def _gathered(self, alternatives: list[Conditions]) -> list[frozenset[Literal]]:
        """Merges alternatives that differ only in the moves of one role."""
        for role, done in self.all_does.items():
            if not any(own == role for _, made in alternatives for own, _ in made):
                continue
            groups: dict[Conditions, list[MoveSet]] = {}
            for others, made in alternatives:
                rest = tuple(pair for pair in made if pair[0] != role)
                moves = dict(made).get(role, MoveSet.all(len(done)))
                groups.setdefault((others, rest), []).append(moves)
            unions = [(rest, MoveSet.union(sets)) for rest, sets in groups.items()]
            alternatives = [
                (others, made if moves.full else tuple(sorted([*made, (role, moves)])))
                for (others, made), moves in unions
            ]
        return [
            others | {self._any_of(role, moves) for role, moves in made}
            for others, made in alternatives
        ]

    def _factored(self, alternatives: list[frozenset[Literal]]) -> Literal:
        """A disjunction of conjunctions with common literals factored out."""
        builder = self.builder
        if not alternatives:
            return FALSE
        apart = [
            frozenset(builder.parts(next(iter(parts)))) if len(parts) == 1 else parts
            for parts in alternatives
        ]
        common = frozenset.intersection(*apart)
        if common:
            alternatives = [parts - common for parts in apart]
        return builder.conjunction([*common, self._any(alternatives)])

    def _any(self, alternatives: list[frozenset[Literal]]) -> Literal:
        """A disjunction whose alternatives share what they have in common."""
        builder = self.builder
        shared = Counter(part for parts in alternatives if len(parts) > 1 for part in parts)
        factored: list[Literal] = []
        while shared:
            part, users = shared.most_common(1)[0]
            if users < SHARED:
                break
            inside = [parts for parts in alternatives if part in parts and len(parts) > 1]
            alternatives = [a for a in alternatives if part not in a or len(a) == 1]
            factored.append(builder.conjunction([part, self._any([a - {part} for a in inside])]))
            for parts in inside:
                shared.subtract(parts)
        conjunctions = [builder.conjunction(parts) for parts in alternatives]
        return builder.disjunction([*factored, *conjunctions])

    def _any_of(self, role: int, moves: MoveSet) -> Literal:
        """The literal that a role makes one of these moves, or, if fewer, none of the others."""
        everything = self.all_does[role]
        done = [everything[place] for place in moves.places.tolist()]
        literal = self.builder.disjunction(done)
        self.sets[literal] = role, ~moves if moves.but else moves
        return ~literal if moves.but else literal

    def _scc(self, group: Sequence[int]) -> None:
        """Makes gates for mutually recursive atoms, which the evaluator takes to a fixpoint.

        An atom is the negation of a gate, so that all of them start out false.
        """
        negations: list[int] = []
        inner_gates: list[int] = []
        inside = set(group)
        for atom in group:
            for body in self.bodies.get(atom, []):
                for part in body:
                    if abs(part) not in inside:
                        self._part(part)  # its gate comes before those of the cycle
        for atom in group:
            gate = self.builder.open_gate()
            negations.append(gate)
            self.literal[atom] = ~gate
        for atom, gate in zip(group, negations, strict=True):
            alternatives = []
            for body in self.bodies.get(atom, []):
                parts = tuple(self._part(part) for part in body)
                if FALSE in parts:
                    continue
                inner = self.builder.open_gate()
                inner_gates.append(inner)
                self.builder.gates[inner - self.builder.first] = tuple(
                    sorted({part for part in parts if part != TRUE})
                )
                alternatives.append(~inner)
            self.builder.gates[gate - self.builder.first] = tuple(alternatives)
        self.sccs.append((negations, inner_gates))


def _passing(
    turns: Sequence[Literal], moves: dict[int, list[tuple[int, frozenset[Literal]]]]
) -> dict[int, int] | None:
    """The passing move of each role in a game of turns; ``None`` if rules are not that simple."""
    passes: dict[int, int] = {}
    active: set[int] = set()
    for turn in turns:
        barred = {~turn, *(other for other in turns if other != turn)}
        busy = 0
        for role, own in moves.items():
            possible = [node for node, parts in own if not parts & barred]
            if len(possible) == 1 and possible[0] not in active:
                passes[possible[0]] = role
            else:
                busy += 1
                active.update(possible)
        if busy != 1:
            return None
    several = len(set(passes.values())) < len(passes)
    return None if several or active & set(passes) else passes


def without_next(network: Network) -> Network:
    """A network that does not say what holds in the next state, nor has gates for that."""
    smaller = replace(network, next=[[] for _ in network.facts], cases=[TRUE])
    prune(smaller)
    return smaller


def outputs_of_steps(network: Network) -> list[Literal]:
    """The literals that are looked at in every step: the end, the moves, the next state."""
    return [
        network.terminal,
        *network.cases,
        *(literal for pairs in network.next for _, literal in pairs),
        *(literal for move in network.moves for literal in (move.legal, move.guard)),
        *(literal for pairs in network.percepts for _, literal in pairs),
        *(literal for pairs in network.effects for _, parts in pairs for literal in parts),
    ]


def outputs_of_ends(network: Network) -> list[Literal]:
    """The literals that are looked at when the game is over: goals, and which rule ended it."""
    goals = [literal for pairs in network.goals for _, literal in pairs]
    return goals + [literal for _, literal in network.endings]


def gates_behind(network: Network, literals: Iterable[Literal]) -> set[int]:
    """The gates that literals depend on."""
    first = network.first_gate
    scc_of = {gate: scc for scc in network.sccs for gate in scc[0] + scc[1]}
    needed = list(literals)
    gates: set[int] = set()
    while needed:
        literal = needed.pop()
        node = literal if literal >= 0 else ~literal
        if node >= first and node not in gates:
            gates.add(node)
            needed += network.gates[node - first]
            if node in scc_of:
                needed += scc_of[node][0] + scc_of[node][1]
    return gates


def prune(network: Network) -> None:
    """Removes unused gates and renumbers the others."""
    first = network.first_gate
    alive = gates_behind(network, [*outputs_of_steps(network), *outputs_of_ends(network)])
    kept = sorted(alive)
    number = dict(zip(kept, range(first, first + len(kept)), strict=True))

    def new(literal: Literal) -> Literal:
        node = literal if literal >= 0 else ~literal
        node = number.get(node, node)
        return node if literal >= 0 else ~node

    network.gates = [tuple(map(new, network.gates[node - first])) for node in kept]
    network.cases = list(map(new, network.cases))
    network.next = [[(case, new(x)) for case, x in pairs] for pairs in network.next]
    network.effects = [
        [(fact, tuple(map(new, parts))) for fact, parts in pairs] for pairs in network.effects
    ]
    network.terminal = new(network.terminal)
    network.endings = [(number, new(x)) for number, x in network.endings]
    network.goals = [[(value, new(x)) for value, x in pairs] for pairs in network.goals]
    network.percepts = [[(term, new(x)) for term, x in pairs] for pairs in network.percepts]
    network.moves = [
        replace(move, legal=new(move.legal), guard=new(move.guard)) for move in network.moves
    ]
    network.sccs = [
        (list(map(new, negations)), list(map(new, bodies)))
        for negations, bodies in network.sccs
        if negations[0] in alive
    ]

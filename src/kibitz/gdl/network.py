"""The propositional network of a ground program: shared gates, cheap to update.

There is one kind of gate, the conjunction of literals; a literal is an input or gate, or its
negation (so a disjunction is the negation of a conjunction of negations). Equal gates are shared,
constants are folded, and gates that no output needs are removed.

Two things keep updates of the network cheap:

* In a step each role makes exactly one move. A condition that holds after all moves but a few is
  stored as *not after one of the few*.
* Most moves are legal only while a condition holds that many moves share, such as whose turn it
  is. Such a *guard* is no input of the gates of the moves; it is read when the moves are listed,
  so that a change of turn does not touch them. In games with phases, facts of the next state
  share *cases* in the same way.
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
"""The literal that always holds."""
FALSE = ~TRUE
"""The literal that never holds."""

Literal = int
"""A node's number, or ``~number`` for its negation."""

Conditions = tuple[frozenset[Literal], tuple[tuple[int, MoveSet], ...]]
"""A conjunction: literals that all hold, and sets of moves, each with the role that makes one."""

GUARD_USERS = 8
"""Minimum number of a role's moves that share a guard."""
GUARD_SHARES = (10, 2, 1)
"""Divisors of a role's number of moves, tried in turn until there are at most ``MOST_GUARDS``
guards: the quotient is the minimum number of moves that share a guard."""
MOST_GUARDS = 24
"""Maximum number of different guards."""

CASE_SHARE = 4
"""Divisor of the number of facts: the quotient is the minimum number of facts with one case."""
MOST_CASES = 6
"""Maximum number of cases besides the one that always holds."""

SHARED = 6
"""Minimum number of alternatives from which a shared literal is factored out."""


def node_of(literal: Literal) -> int:
    """The node of a literal or of its negation."""
    return literal if literal >= 0 else ~literal


@dataclass(frozen=True)
class Move:
    """A move of a role, and the condition under which it is legal.

    Attributes:
        legal: what has to hold besides the guard.
        guard: the part of the condition that many moves share.
        does: the input that is set when the move is made; -1 if nothing depends on it.
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
        initial: indices of the facts of the initial state.
        gates: the literals of each gate; the first gate is node `first_gate`.
        cases: conditions that many facts of the next state share; the first always holds.
        next: for each fact pairs of a case and a literal: it holds in the next state if both do.
        endings: pairs of the number of a rule that ends the game and the literal for its
            condition; empty if there is only one such rule.
        goals: for each role pairs of a goal value and the literal for its condition.
        percepts: for each role pairs of a percept and the literal for the role receiving it.
        effects: for each move pairs of a fact and literals: it holds after the move if all of
            these do; empty if `next` decides all facts.
        turns: whether it is proved that one role at a time has a choice.
        sccs: strongly connected components, each evaluated to a fixpoint: the gates that are
            negations of its relations, and the gates of their bodies.
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
    sccs: list[tuple[list[int], list[int]]] = field(default_factory=list)

    def words(self, term: Term) -> str:
        """A term as its author spells it."""
        return kif(term, self.description.spelling)


class _Builder:
    """Makes gates; equal ones are shared."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.gates: list[tuple[Literal, ...]] = []
        self.known: dict[tuple[Literal, ...], int] = {}

    def conjunction(self, literals: Iterable[Literal]) -> Literal:
        operands = set(literals)
        operands.discard(TRUE)
        if FALSE in operands or any(~literal in operands for literal in operands):
            return FALSE
        if not operands:
            return TRUE
        if len(operands) == 1:
            return next(iter(operands))
        key = tuple(sorted(operands))
        if key not in self.known:
            self.known[key] = self.first + len(self.gates)
            self.gates.append(key)
        return self.known[key]

    def disjunction(self, literals: Iterable[Literal]) -> Literal:
        return ~self.conjunction(~literal for literal in literals)

    def parts(self, literal: Literal) -> tuple[Literal, ...]:
        """The literals of a gate; any other literal stands for itself."""
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
        """For the input of each move the role and the place among the role's moves."""
        self.passes: dict[int, int] = {}
        self._resolve([atom for s, atom in ground.names.items() if s.name == "legal"])
        self.passes = self._taking_turns()
        if self.passes:
            self._join_moves()
        for domain, done in self.all_does.items():
            for place, node in enumerate(done):
                self.places[node] = domain, place

    def network(self) -> Network:
        outputs = [
            atom
            for sentence, atom in self.ground.names.items()
            if sentence.name in ("legal", "next", "goal", "terminal", ENDING, "sees")
        ]
        self._resolve(outputs)
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
        named = [s for s in self.ground.names if s.name == name]
        return sorted(named + [s for s in self.ground.always if s.name == name], key=kif)

    def value(self, sentence: Sentence) -> Literal:
        """The literal of a sentence."""
        if sentence in self.ground.always:
            return TRUE
        atom = self.ground.names.get(sentence)
        return FALSE if atom is None else self.literal.get(atom, FALSE)

    def _moves(self) -> list[Move]:
        builder = self.builder
        legal: list[tuple[int, Term, Literal]] = []
        for sentence in self._sentences("legal"):
            name, term = sentence.arguments
            literal = self.value(sentence)
            if name in self.roles and literal != FALSE:
                legal.append((self.roles[name], term, literal))
        users: Counter[tuple[int, Literal]] = Counter()
        for role, _, literal in legal:
            users.update((role, x) for x in builder.parts(literal))
        own = Counter(role for role, _, _ in legal)
        for share in GUARD_SHARES:
            apart: list[tuple[list[Literal], list[Literal]]] = []
            for role, _, literal in legal:
                least = max(GUARD_USERS, own[role] // share)
                literals = builder.parts(literal)
                common = [x for x in literals if users[role, x] >= least]
                apart.append((common, [x for x in literals if x not in common]))
            if len({tuple(common) for common, _ in apart}) <= MOST_GUARDS:
                break
        moves = []
        for (role, term, _), (common, others) in zip(legal, apart, strict=True):
            atom = self.does.get((self.description.roles[role], term))
            done = self.literal[atom] if atom else -1
            moves.append(
                Move(
                    role=role,
                    term=term,
                    legal=builder.conjunction(others),
                    guard=builder.conjunction(common),
                    does=-1 if done in self.passes else done,
                )
            )
        return moves

    def _cases(
        self, after: Sequence[Literal]
    ) -> tuple[list[Literal], list[list[tuple[int, Literal]]]]:
        """Conditions that many facts of the next state share, and what each fact needs besides."""
        apart = [self._alternatives(literal) for literal in after]
        users = Counter(x for alternatives in apart for x in set().union(*alternatives, ()))
        least = max(GUARD_USERS, len(after) // CASE_SHARE)
        common = [x for x, count in users.most_common(MOST_CASES) if count >= least]
        cases = [TRUE, *common]
        ways: list[list[tuple[int, Literal]]] = []
        for literal, alternatives in zip(after, apart, strict=True):
            groups: dict[int, list[frozenset[Literal]]] = {}
            for literals in alternatives:
                case = next((i for i, x in enumerate(cases) if x in literals), 0)
                groups.setdefault(case, []).append(literals - {cases[case]})
            if set(groups) <= {0}:
                ways.append([(0, literal)] if literal != FALSE else [])
            else:
                ways.append([(case, self._factored(group)) for case, group in groups.items()])
        used = sorted({0, *(case for pairs in ways for case, _ in pairs)})
        ways = [[(used.index(case), literal) for case, literal in pairs] for pairs in ways]
        return [cases[case] for case in used], ways

    def _alternatives(self, literal: Literal) -> list[frozenset[Literal]]:
        """Conjunctions whose disjunction is equivalent to a literal."""
        gates, first = self.builder.gates, self.builder.first
        cyclic = {gate for scc in self.sccs for gate in scc[0] + scc[1]}

        def parts(operand: Literal) -> frozenset[Literal]:
            return frozenset((operand,) if operand in cyclic else self.builder.parts(operand))

        if literal == FALSE:
            return []
        if ~literal >= first and ~literal not in cyclic:
            return [parts(~operand) for operand in gates[~literal - first]]
        return [parts(literal)]

    # -- whose turn it is --------------------------------------------------------------------

    def _taking_turns(self) -> dict[int, int]:
        """The inputs of passes, moves such as `noop`, each with its role.

        Passes are known if a cycle of facts tells whose turn it is and, at each of these facts,
        all roles but one have a single legal move. Empty if that cannot be proved.
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
                conditions = frozenset(self.builder.parts(literal))
                moves[self.roles[name]].append((self.literal[atom], conditions))
        for turns in self._cycles():
            passes = _passing(turns, moves)
            if passes is not None:
                return passes
        return {}

    def _cycles(self) -> Iterator[list[Literal]]:
        """Cycles of facts such as whose turn it is: exactly one of them holds in any state."""
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
        visited: set[Literal] = set()
        for start in sorted(successor):
            cycle = [start]
            while cycle[-1] not in visited and successor.get(cycle[-1], 0) > 0:
                visited.add(cycle[-1])
                cycle.append(successor[cycle[-1]])
            if len(cycle) > 2 and cycle[-1] == start and len(first & set(cycle)) == 1:
                yield cycle[:-1]

    def _join_moves(self) -> None:
        """Joins the moves of all roles in one domain, as all roles but one pass in every step."""
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

    def _resolve(self, atoms: Sequence[int]) -> None:
        """Assigns a literal to atoms and to all that they depend on, dependencies first."""
        for group in components(atoms, self._children):
            if group[0] in self.literal:
                continue  # an input
            if len(group) == 1 and group[0] not in self._children(group[0]):
                self.literal[group[0]] = self._gate(self.bodies.get(group[0], []))
            else:
                self._scc(group)

    def _children(self, atom: int) -> list[int]:
        if atom in self.literal:
            return []
        return [abs(signed) for body in self.bodies.get(atom, ()) for signed in body]

    def _input(self, signed: int) -> Literal:
        literal = self.literal.get(abs(signed), FALSE)
        return literal if signed > 0 else ~literal

    def _part(self, signed: int) -> Literal:
        """A literal of a body in a cycle; a pass is replaced by the moves of the other roles."""
        literal = self._input(signed)
        if (~literal if literal < 0 else literal) in self.passes:
            known = self._set_of(literal)
            assert known is not None
            return self._any_of(*known)
        return literal

    def _gate(self, bodies: Sequence[Sequence[int]]) -> Literal:
        """The literal for the disjunction of bodies."""
        alternatives: dict[Conditions, None] = {}
        for body in bodies:
            conditions = self._conditions(map(self._input, body))
            if conditions is not None:
                alternatives[conditions] = None
        if (frozenset(), ()) in alternatives:
            return TRUE
        return self._factored(self._gathered(list(alternatives)))

    def _conditions(self, literals: Iterable[Literal]) -> Conditions | None:
        """A conjunction with each role's moves gathered in a set; ``None`` if it never holds."""
        others: set[Literal] = set()
        made: dict[int, MoveSet] = {}
        for literal in literals:
            known = self._set_of(literal)
            if known is None:
                others.add(literal)
            else:
                role, moves = known
                made[role] = made[role] & moves if role in made else moves
        others.discard(TRUE)
        if FALSE in others or any(~literal in others for literal in others):
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
                elsewhere = tuple(pair for pair in made if pair[0] != role)
                moves = dict(made).get(role, MoveSet.all(len(done)))
                groups.setdefault((others, elsewhere), []).append(moves)
            unions = [(group, MoveSet.union(sets)) for group, sets in groups.items()]
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
            frozenset(builder.parts(next(iter(literals)))) if len(literals) == 1 else literals
            for literals in alternatives
        ]
        common = frozenset.intersection(*apart)
        if common:
            alternatives = [literals - common for literals in apart]
        return builder.conjunction([*common, self._any(alternatives)])

    def _any(self, alternatives: list[frozenset[Literal]]) -> Literal:
        """A disjunction of conjunctions; literals that many of these share are factored out."""
        builder = self.builder
        shared = Counter(x for literals in alternatives if len(literals) > 1 for x in literals)
        factored: list[Literal] = []
        while shared:
            literal, users = shared.most_common(1)[0]
            if users < SHARED:
                break
            inside = [a for a in alternatives if literal in a and len(a) > 1]
            alternatives = [a for a in alternatives if literal not in a or len(a) == 1]
            factored.append(
                builder.conjunction([literal, self._any([a - {literal} for a in inside])])
            )
            for literals in inside:
                shared.subtract(literals)
        conjunctions = [builder.conjunction(literals) for literals in alternatives]
        return builder.disjunction([*factored, *conjunctions])

    def _any_of(self, role: int, moves: MoveSet) -> Literal:
        """The literal for a role making one of these moves; built from the others if fewer."""
        everything = self.all_does[role]
        done = [everything[place] for place in moves.places.tolist()]
        literal = self.builder.disjunction(done)
        self.sets[literal] = role, ~moves if moves.but else moves
        return ~literal if moves.but else literal

    def _scc(self, group: Sequence[int]) -> None:
        """Makes gates for mutually recursive atoms, which the evaluator updates to a fixpoint.

        Each atom is the negation of a gate, so that all atoms start out false.
        """
        negations: list[int] = []
        inner_gates: list[int] = []
        inside = set(group)
        for atom in group:
            for body in self.bodies.get(atom, []):
                for signed in body:
                    if abs(signed) not in inside:
                        self._part(signed)  # its gate comes before those of the cycle
        for atom in group:
            gate = self.builder.open_gate()
            negations.append(gate)
            self.literal[atom] = ~gate
        for atom, gate in zip(group, negations, strict=True):
            alternatives = []
            for body in self.bodies.get(atom, []):
                literals = tuple(self._part(signed) for signed in body)
                if FALSE in literals:
                    continue
                inner = self.builder.open_gate()
                inner_gates.append(inner)
                self.builder.gates[inner - self.builder.first] = tuple(
                    sorted({literal for literal in literals if literal != TRUE})
                )
                alternatives.append(~inner)
            self.builder.gates[gate - self.builder.first] = tuple(alternatives)
        self.sccs.append((negations, inner_gates))


def _passing(
    turns: Sequence[Literal], moves: dict[int, list[tuple[int, frozenset[Literal]]]]
) -> dict[int, int] | None:
    """The passes of a game of turns, each with its role; ``None`` if not determined."""
    passes: dict[int, int] = {}
    active: set[int] = set()
    for turn in turns:
        barred = {~turn, *(other for other in turns if other != turn)}
        busy = 0
        for role, own in moves.items():
            possible = [node for node, conditions in own if not conditions & barred]
            if len(possible) == 1 and possible[0] not in active:
                passes[possible[0]] = role
            else:
                busy += 1
                active.update(possible)
        if busy != 1:
            return None
    ambiguous = len(set(passes.values())) < len(passes)
    return None if ambiguous or active & set(passes) else passes


def without_next(network: Network) -> Network:
    """A network without the facts of the next state and the gates that only they need."""
    smaller = replace(network, next=[[] for _ in network.facts], cases=[TRUE])
    prune(smaller)
    return smaller


def outputs_of_steps(network: Network) -> list[Literal]:
    """The literals that are read in every step: the end, the moves, percepts, the next state."""
    return [
        network.terminal,
        *network.cases,
        *(literal for pairs in network.next for _, literal in pairs),
        *(literal for move in network.moves for literal in (move.legal, move.guard)),
        *(literal for pairs in network.percepts for _, literal in pairs),
        *(literal for pairs in network.effects for _, literals in pairs for literal in literals),
    ]


def outputs_of_ends(network: Network) -> list[Literal]:
    """The literals that are read when the game is over: goals, and which rule ended it."""
    goals = [literal for pairs in network.goals for _, literal in pairs]
    return goals + [literal for _, literal in network.endings]


def gates_behind(network: Network, literals: Iterable[Literal]) -> set[int]:
    """The gates that literals depend on, directly or not."""
    first = network.first_gate
    scc_of = {gate: scc for scc in network.sccs for gate in scc[0] + scc[1]}
    needed = list(literals)
    gates: set[int] = set()
    while needed:
        literal = needed.pop()
        node = node_of(literal)
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
    order = sorted(alive)
    numbers = dict(zip(order, range(first, first + len(order)), strict=True))

    def new(literal: Literal) -> Literal:
        node = node_of(literal)
        node = numbers.get(node, node)
        return node if literal >= 0 else ~node

    network.gates = [tuple(map(new, network.gates[node - first])) for node in order]
    network.cases = list(map(new, network.cases))
    network.next = [[(case, new(x)) for case, x in pairs] for pairs in network.next]
    network.effects = [
        [(fact, tuple(map(new, literals))) for fact, literals in pairs]
        for pairs in network.effects
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

"""Moves that win immediately: conditions on the state before a move, derived from the network.

A move wins if the state after it is terminal and has the full goal value for its role. Regression
(``gdl/regression.py``) turns this into a condition on the state before: each fact is replaced by
the condition under which it holds after the move. As a disjunction of conjunctions of a few facts,
the condition is tested far faster than the move is made.

This is done for games of turns, where nobody else moves at the same time, and only if there are
few conjunctions: games of making a line have few, games of connection or mate too many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kibitz.gdl.evaluator import FULL_MARKS
from kibitz.gdl.network import Literal, Move, Network, node_of
from kibitz.gdl.regression import NotDerivedError, Regression
from kibitz.gdl.rules import RANDOM

Alternatives = frozenset[frozenset[Literal]]
"""A disjunction of conjunctions of facts and negated facts."""

MOST_WORDS = 4
"""Maximum number of words of 64 facts: every alternative is tested on all words."""
MOST_ALTERNATIVES = 2_000
"""Maximum number of alternatives of one condition."""
MOST_ALTOGETHER = 20_000
"""Maximum number of alternatives by which all moves together win."""
MOST_WORK = 300_000
"""Maximum number of conjunctions made in the derivation, which is given up beyond it."""

_NEVER: Alternatives = frozenset()
_ALWAYS: Alternatives = frozenset({frozenset()})


@dataclass(frozen=True)
class Winning:
    """When moves win immediately and what they change, in terms of the facts before the move.

    Attributes:
        wins: for each move the alternatives under which it is legal and wins, unless the game is
            over already.
        after: for each move the facts that it may change, each with the alternatives under which
            it holds afterwards.
    """

    wins: list[list[frozenset[Literal]]]
    after: list[dict[int, Alternatives]]

    @property
    def most_tests(self) -> int:
        """The maximum number of alternatives in `after` for one move."""
        return max(sum(map(len, changed.values())) for changed in self.after)


def winning_conditions(network: Network) -> Winning | None:
    """Derives when moves win immediately.

    ``None`` if roles move at the same time or by chance, if they observe percepts, if cyclic rules
    depend on moves, or if there are too many facts or alternatives.
    """
    roles = network.description.roles
    if not network.turns or RANDOM in roles or any(network.percepts):
        return None
    if len(network.facts) > 64 * MOST_WORDS:
        return None
    try:
        return _WinsOfMoves(network).conditions()
    except NotDerivedError:
        return None


class _WinsOfMoves(Regression[Alternatives]):
    """Derives when the move that is made wins, and what it changes, from the state before it."""

    most_work = MOST_WORK
    most_alternatives = MOST_ALTERNATIVES

    def __init__(self, network: Network) -> None:
        super().__init__(network)
        self.facts = len(network.facts)
        self.made = 0
        """The move that is made, as a mask; 0 if nothing depends on it."""
        self.causes = [0] * (self.first + len(network.gates))
        """For each node a mask of the moves that it depends on in the step itself."""
        self.later_causes = [0] * len(self.causes)
        """For each node a mask of the moves that it depends on in the state after the step."""
        self._find_causes()
        self.needed: dict[int, int] = {}
        """For each gate a mask of the moves among its literals."""
        self.barred: dict[int, int] = {}
        """For each gate a mask of the moves whose negations are among its literals."""
        self.others: dict[int, list[Literal]] = {}
        """For each gate its literals that are not of moves."""
        self.now: dict[Literal, Alternatives] = {}
        """Cached alternatives in the step, for literals that depend on the current move."""
        self.usually_now: dict[Literal, Alternatives] = {}
        """Cached alternatives in the step, for literals on which the move has no influence."""
        self.later: dict[Literal, Alternatives] = {}
        """Cached alternatives after the step, for literals that depend on the current move."""
        self.usually_later: dict[Literal, Alternatives] = {}
        """Cached alternatives after the step, for literals on which the move has no influence."""

    def conditions(self) -> Winning:
        """For each move the conditions under which it wins, and the facts that it changes."""
        network = self.network
        over = self._over()
        won = [[x for value, x in pairs if value >= FULL_MARKS] for pairs in network.goals]
        wins: list[list[frozenset[Literal]]] = []
        results: list[dict[int, Alternatives]] = []
        total = 0
        for move, result in self._each_move(range(1, self.facts + 1)):
            results.append(result)
            wins.append([])
            if move.does < 0:
                continue
            legal = self.all_of((self._plain(move.legal), self._plain(move.guard)))
            winning: Alternatives = _NEVER
            for goal in won[move.role]:
                winning |= self._both(goal, network.terminal)
            possible = frozenset(
                _least([literals for literals in winning if not _known(literals, over)])
            )
            wins[-1] = _least(self.all_of((legal, possible)))
            total += len(wins[-1])
            if total > MOST_ALTOGETHER:
                raise NotDerivedError
        return Winning(wins, results)

    def _each_move(self, facts: Sequence[int]) -> Iterator[tuple[Move, dict[int, Alternatives]]]:
        """Makes each move the current one; yields it and those of the facts that it may change."""
        usual = self._results(facts)
        caused: dict[int, list[int]] = {}
        for fact in facts:
            causes = self.later_causes[fact]
            while causes:
                caused.setdefault(causes & -causes, []).append(fact)
                causes &= causes - 1
        for move in self.network.moves:
            self.made = self._mask(move.does)
            self.now, self.later = {}, {}
            changed = caused.get(self.made, [])
            same = {fact: usual[fact] for fact in usual.keys() - changed}
            yield move, same | self._results(changed)

    def _results(self, facts: Iterable[int]) -> dict[int, Alternatives]:
        """The facts that the move may change, with the alternatives under which they hold then."""
        after = {fact: self._after(fact) for fact in facts}
        return {fact: when for fact, when in after.items() if when != {frozenset({fact})}}

    def _find_causes(self) -> None:
        """Finds the moves that each node depends on, in the step and in the state after it."""
        network, causes, later = self.network, self.causes, self.later_causes
        for node in range(self.facts + 1, self.first):
            causes[node] = self._mask(node)
        for node, gate in enumerate(network.gates, self.first):
            for literal in gate:
                causes[node] |= causes[node_of(literal)]
            if node in self.cyclic and causes[node]:
                raise NotDerivedError
        for fact, ways in enumerate(network.next, 1):
            for case, condition in ways:
                later[fact] |= causes[node_of(network.cases[case])] | causes[node_of(condition)]
        for node, gate in enumerate(network.gates, self.first):
            for literal in gate:
                later[node] |= later[node_of(literal)]

    def _mask(self, does: int) -> int:
        """The mask of a move by its input; 0 for moves that nothing depends on."""
        return 1 << (does - self.facts - 1) if does > self.facts else 0

    def _over(self) -> dict[Literal, list[frozenset[Literal]]]:
        """Conjunctions under which the game is over already, by the smallest literal of each."""
        over: dict[Literal, list[frozenset[Literal]]] = {}
        terminal = self.network.terminal
        for disjunct in self._disjuncts(terminal):
            try:
                for ends in self._plain(disjunct):
                    if ends:
                        over.setdefault(min(ends), []).append(ends)
            except NotDerivedError:
                continue  # some wins that cannot happen are then kept
        return over

    def _plain(self, literal: Literal) -> Alternatives:
        """Alternatives for a literal in the step that depends on no move."""
        if self.causes[node_of(literal)]:
            raise NotDerivedError
        return self._before(literal)

    def _both(self, goal: Literal, terminal: Literal) -> Alternatives:
        """Alternatives for both a goal and the end of the game after the move."""
        literals = {goal, *self._conjuncts(goal)}
        if literals & {terminal, *self._disjuncts(terminal)}:
            return self._after(goal)  # the goal is what ends the game
        return self.all_of((self._after(goal), self._after(terminal)))

    def _after(self, literal: Literal) -> Alternatives:
        """Alternatives for a literal in the state after the move."""
        caused = self.later_causes[node_of(literal)] & self.made
        known = self.later if caused else self.usually_later
        if literal not in known:
            known[literal] = self._regress(literal)
        return known[literal]

    def _regress(self, literal: Literal) -> Alternatives:
        node = node_of(literal)
        if node == 0:
            return _ALWAYS if literal == 0 else _NEVER
        if node in self.cyclic or self.facts < node < self.first:
            raise NotDerivedError
        if node >= self.first:
            gate = self.network.gates[node - self.first]
            return self.of_gate(literal, gate, self._after)
        ways = [
            (self.network.cases[case], condition)
            for case, condition in self.network.next[node - 1]
        ]
        if literal > 0:
            return self.any_of(self.all_of(map(self._before, way)) for way in ways)
        return self.all_of(
            self.any_of((self._before(~case), self._before(~condition)))
            for case, condition in ways
        )

    def _before(self, literal: Literal) -> Alternatives:
        """Alternatives for a literal in the step, given the move."""
        node = node_of(literal)
        caused = self.causes[node] & self.made
        known = self.now if caused else self.usually_now
        if literal not in known:
            if node == 0:
                alternatives = _ALWAYS if literal == 0 else _NEVER
            elif node <= self.facts:
                alternatives = frozenset({frozenset({literal})})
            elif node < self.first:
                alternatives = _ALWAYS if bool(caused) == (literal > 0) else _NEVER
            elif node in self.cyclic:
                raise NotDerivedError
            elif self._fails(node):
                alternatives = _NEVER if literal >= 0 else _ALWAYS
            else:
                alternatives = self.of_gate(literal, self.others[node], self._before)
            known[literal] = alternatives
        return known[literal]

    def _fails(self, node: int) -> bool:
        """Whether the move that is made keeps a gate from holding."""
        if node not in self.others:
            self.others[node] = []
            for literal in self.network.gates[node - self.first]:
                if not self.facts < node_of(literal) < self.first:
                    self.others[node].append(literal)
                elif literal >= 0:
                    self.needed[node] = self.needed.get(node, 0) | self._mask(literal)
                else:
                    self.barred[node] = self.barred.get(node, 0) | self._mask(~literal)
        return bool(self.needed.get(node, 0) & ~self.made or self.barred.get(node, 0) & self.made)

    def any_of(self, conditions: Iterable[Alternatives]) -> Alternatives:
        union: set[frozenset[Literal]] = set()
        for alternatives in conditions:
            union |= alternatives
            self.spend(len(alternatives), len(union))
        return _ALWAYS if frozenset() in union else frozenset(union)

    def all_of(self, conditions: Iterable[Alternatives]) -> Alternatives:
        product = _ALWAYS
        for alternatives in conditions:
            if product is _ALWAYS:
                product = alternatives
                continue
            denied = [(right, frozenset(~literal for literal in right)) for right in alternatives]
            joined = {
                left | right
                for left in product
                for right, denial in denied
                if denial.isdisjoint(left)
            }
            self.spend(len(product) * len(alternatives), len(joined))
            product = frozenset(joined)
        return product

    def _conjuncts(self, literal: Literal) -> tuple[Literal, ...]:
        """The literals of a gate, which all hold if it does; none for other literals."""
        if literal < self.first or literal in self.cyclic:
            return ()
        return self.network.gates[literal - self.first]

    def _disjuncts(self, literal: Literal) -> tuple[Literal, ...]:
        """Literals whose disjunction is equivalent to a literal."""
        if ~literal < self.first or ~literal in self.cyclic:
            return (literal,)
        return tuple(~operand for operand in self.network.gates[~literal - self.first])


def in_groups(
    alternatives: Sequence[frozenset[Literal]],
) -> list[tuple[Literal, list[frozenset[Literal]]]]:
    """Groups alternatives by a shared literal, so that one test rejects a whole group.

    Returns:
        Each shared literal with its alternatives, from which it is removed; the alternatives that
        share none come last, with literal 0, which always holds.
    """
    groups: list[tuple[Literal, list[frozenset[Literal]]]] = []
    ungrouped = list(alternatives)
    while ungrouped:
        literal, users = (
            Counter(x for literals in ungrouped for x in literals).most_common(1)[0]
            if any(ungrouped)
            else (0, 0)
        )
        if users < 2:
            groups.append((0, ungrouped))
            break
        groups.append(
            (literal, [literals - {literal} for literals in ungrouped if literal in literals])
        )
        ungrouped = [literals for literals in ungrouped if literal not in literals]
    return groups


def _known(literals: frozenset[Literal], over: dict[Literal, list[frozenset[Literal]]]) -> bool:
    """Whether the game is over already where these literals hold."""
    return any(ends <= literals for x in literals for ends in over.get(x, ()))


def _least(alternatives: Iterable[frozenset[Literal]]) -> list[frozenset[Literal]]:
    """The alternatives that are no special case of another one, shortest first."""
    by_least: dict[Literal, list[frozenset[Literal]]] = {}
    minimal: list[frozenset[Literal]] = []
    for literals in sorted(alternatives, key=lambda a: (len(a), sorted(a))):
        if not literals:
            return [literals]
        if not any(other <= literals for x in literals for other in by_least.get(x, ())):
            minimal.append(literals)
            by_least.setdefault(min(literals), []).append(literals)
    return minimal

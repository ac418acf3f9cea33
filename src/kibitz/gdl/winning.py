"""Moves that win at once, read off the network: for each move the conditions under which it does.

A move wins if the state after it is terminal and has the full goal value for its role. That is a
condition on the state before: what holds after the move is put in place of each fact, as in the
regression of planning (Waldinger, "Achieving Several Goals Simultaneously", 1977; Reiter,
"Knowledge in Action", 2001). Written as alternatives, each a few literals of the network, it is
looked up far faster than the move is made.

That is done for games of turns, where nobody else moves at the same time, and only if there are
few alternatives: in a game of lines there are, in one of connections or of mate there are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from kibitz.gdl.evaluator import FULL_MARKS
from kibitz.gdl.network import Literal, Move, Network
from kibitz.gdl.rules import RANDOM

Alternatives = frozenset[frozenset[Literal]]
"""Conjunctions of facts, or their negations, of which one has to hold."""

MOST_WORDS = 4
"""Of 64 facts each: every alternative is a test of all of them."""
MOST_ALTERNATIVES = 2_000
"""Of the conditions of one move."""
MOST_ALTOGETHER = 20_000
MOST_WORK = 300_000
"""Conjunctions that are made on the way; then it is given up."""

_NEVER: Alternatives = frozenset()
_ALWAYS: Alternatives = frozenset({frozenset()})


class _TooMany(Exception):
    """There are more alternatives than are of use."""


@dataclass(frozen=True)
class Winning:
    """When moves win at once, and what comes of each, in terms of the facts before it.

    Attributes:
        wins: for each move the alternatives under which it is legal and wins, if the game is not
            over.
        after: for each move the facts that it may change, each with the alternatives under which
            it holds afterwards; all others stay as they are.
    """

    wins: list[list[frozenset[Literal]]]
    after: list[dict[int, Alternatives]]

    @property
    def most_tests(self) -> int:
        """How many alternatives there are to look at after a move, at most."""
        return max(sum(map(len, changed.values())) for changed in self.after)


def winning_conditions(network: Network) -> Winning | None:
    """When moves win at once; ``None`` where that is not known.

    That is so where roles move at the same time, by chance or in a cycle of rules, or there are
    too many facts or alternatives.
    """
    roles = network.description.roles
    if not network.turns or RANDOM in roles or any(network.percepts):
        return None
    if len(network.facts) > 64 * MOST_WORDS:
        return None
    try:
        return _Regression(network).conditions()
    except _TooMany:
        return None


class _Regression:
    """Conditions before a move for what holds after it."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.first = network.first_gate
        self.facts = len(network.facts)
        self.cyclic = {gate for scc in network.sccs for gate in scc[0] + scc[1]}
        self.work = 0
        self.made = 0
        """The move that is made, as a mask; 0: nothing depends on it."""
        self.causes = [0] * (self.first + len(network.gates))
        """For each node the moves that it depends on now, as a mask."""
        self.later_causes = [0] * len(self.causes)
        """For each node the moves that it depends on after them, as a mask."""
        self._find_causes()
        self.needed: dict[int, int] = {}
        """For each gate the moves among its literals, as a mask,"""
        self.barred: dict[int, int] = {}
        """those whose negations are,"""
        self.others: dict[int, list[Literal]] = {}
        """and its other literals."""
        self.now: dict[Literal, Alternatives] = {}
        """By literals that depend on the move."""
        self.usually_now: dict[Literal, Alternatives] = {}
        """By all others: the same for every move."""
        self.later: dict[Literal, Alternatives] = {}
        self.usually_later: dict[Literal, Alternatives] = {}

    def conditions(self) -> Winning:
        """The alternatives of each move, and what comes of it."""
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
            legal = self._all((self._plain(move.legal), self._plain(move.guard)))
            found: Alternatives = _NEVER
            for goal in won[move.role]:
                found |= self._both(goal, network.terminal)
            possible = frozenset(_least([one for one in found if not _known(one, over)]))
            wins[-1] = _least(self._all((legal, possible)))
            total += len(wins[-1])
            if total > MOST_ALTOGETHER:
                raise _TooMany
        return Winning(wins, results)

    def _each_move(self, facts: Sequence[int]) -> Iterator[tuple[Move, dict[int, Alternatives]]]:
        """Each move as the one that is made, and what changes with it of these facts."""
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
        """When facts hold after the move, for those that it may change."""
        found = {fact: self._after(fact) for fact in facts}
        return {fact: one for fact, one in found.items() if one != {frozenset({fact})}}

    def _find_causes(self) -> None:
        """Finds which moves matter to each node, in this state and in the next."""
        network, causes, later = self.network, self.causes, self.later_causes
        for node in range(self.facts + 1, self.first):
            causes[node] = self._mask(node)
        for node, gate in enumerate(network.gates, self.first):
            for part in gate:
                causes[node] |= causes[_node(part)]
            if node in self.cyclic and causes[node]:
                raise _TooMany
        for fact, ways in enumerate(network.next, 1):
            for case, condition in ways:
                later[fact] |= causes[_node(network.cases[case])] | causes[_node(condition)]
        for node, gate in enumerate(network.gates, self.first):
            for part in gate:
                later[node] |= later[_node(part)]

    def _mask(self, does: int) -> int:
        """A move by its input, as a mask; 0 for those that nothing depends on."""
        return 1 << (does - self.facts - 1) if does > self.facts else 0

    def _over(self) -> dict[Literal, list[frozenset[Literal]]]:
        """Under which literals the game is over already, each by one of its literals."""
        over: dict[Literal, list[frozenset[Literal]]] = {}
        terminal = self.network.terminal
        for part in self._disjuncts(terminal):
            try:
                for ends in self._plain(part):
                    if ends:
                        over.setdefault(min(ends), []).append(ends)
            except _TooMany:
                continue  # then some that never hold are kept
        return over

    def _plain(self, literal: Literal) -> Alternatives:
        """Alternatives for a literal of the present state that no move matters to."""
        if self.causes[_node(literal)]:
            raise _TooMany
        return self._before(literal)

    def _both(self, goal: Literal, terminal: Literal) -> Alternatives:
        """Alternatives for a goal and the end of the game after the move."""
        parts = {goal, *self._conjuncts(goal)}
        if parts & {terminal, *self._disjuncts(terminal)}:
            return self._after(goal)  # the goal is what ends the game
        return self._all((self._after(goal), self._after(terminal)))

    def _after(self, literal: Literal) -> Alternatives:
        """Alternatives for a literal that holds after the move."""
        caused = self.later_causes[_node(literal)] & self.made
        known = self.later if caused else self.usually_later
        if literal not in known:
            known[literal] = self._regress(literal)
        return known[literal]

    def _regress(self, literal: Literal) -> Alternatives:
        node = _node(literal)
        if node == 0:
            return _ALWAYS if literal == 0 else _NEVER
        if node in self.cyclic or self.facts < node < self.first:
            raise _TooMany
        if node >= self.first:
            gate = self.network.gates[node - self.first]
            return self._expand(literal, self._after, gate)
        ways = [
            (self.network.cases[case], condition)
            for case, condition in self.network.next[node - 1]
        ]
        if literal > 0:
            return self._any(self._all(map(self._before, way)) for way in ways)
        return self._all(
            self._any((self._before(~case), self._before(~condition))) for case, condition in ways
        )

    def _before(self, literal: Literal) -> Alternatives:
        """Alternatives for a literal of the present state, given the move."""
        node = _node(literal)
        caused = self.causes[node] & self.made
        known = self.now if caused else self.usually_now
        if literal not in known:
            if node == 0:
                found = _ALWAYS if literal == 0 else _NEVER
            elif node <= self.facts:
                found = frozenset({frozenset({literal})})
            elif node < self.first:
                found = _ALWAYS if bool(caused) == (literal > 0) else _NEVER
            elif node in self.cyclic:
                raise _TooMany
            elif self._fails(node):
                found = _NEVER if literal >= 0 else _ALWAYS
            else:
                found = self._expand(literal, self._before, self.others[node])
            known[literal] = found
        return known[literal]

    def _fails(self, node: int) -> bool:
        """Whether a gate does not hold because of the move that is made."""
        if node not in self.others:
            self.others[node] = []
            for part in self.network.gates[node - self.first]:
                if not self.facts < _node(part) < self.first:
                    self.others[node].append(part)
                elif part >= 0:
                    self.needed[node] = self.needed.get(node, 0) | self._mask(part)
                else:
                    self.barred[node] = self.barred.get(node, 0) | self._mask(~part)
        return bool(self.needed.get(node, 0) & ~self.made or self.barred.get(node, 0) & self.made)

    def _expand(
        self,
        literal: Literal,
        of: Callable[[Literal], Alternatives],
        gate: Sequence[Literal],
    ) -> Alternatives:
        """Alternatives for a gate or its negation by those `of` its literals."""
        if literal >= 0:
            return self._all(of(part) for part in gate)
        return self._any(of(~part) for part in gate)

    def _any(self, several: Iterable[Alternatives]) -> Alternatives:
        found: set[frozenset[Literal]] = set()
        for one in several:
            found |= one
            self._count(len(one), len(found))
        return _ALWAYS if frozenset() in found else frozenset(found)

    def _all(self, several: Iterable[Alternatives]) -> Alternatives:
        found = _ALWAYS
        for one in several:
            if found is _ALWAYS:
                found = one
                continue
            denied = [(right, frozenset(~part for part in right)) for right in one]
            joined = {
                left | right
                for left in found
                for right, denial in denied
                if denial.isdisjoint(left)
            }
            self._count(len(found) * len(one), len(joined))
            found = frozenset(joined)
        return found

    def _count(self, work: int, size: int) -> None:
        self.work += work
        if self.work > MOST_WORK or size > MOST_ALTERNATIVES:
            raise _TooMany

    def _conjuncts(self, literal: Literal) -> tuple[Literal, ...]:
        """The literals that all hold where this one does."""
        if literal < self.first or literal in self.cyclic:
            return ()
        return self.network.gates[literal - self.first]

    def _disjuncts(self, literal: Literal) -> tuple[Literal, ...]:
        """Literals of which one holds where this one does, and the other way round."""
        if ~literal < self.first or ~literal in self.cyclic:
            return (literal,)
        return tuple(~part for part in self.network.gates[~literal - self.first])


def in_groups(
    alternatives: Sequence[frozenset[Literal]],
) -> list[tuple[Literal, list[frozenset[Literal]]]]:
    """Alternatives by a literal that many share: where it fails, none of a group is looked at.

    Returns:
        Literals, each with what is left of its alternatives; 0, which always holds, for those that
        share none.
    """
    found: list[tuple[Literal, list[frozenset[Literal]]]] = []
    left = list(alternatives)
    while left:
        literal, users = (
            Counter(part for one in left for part in one).most_common(1)[0]
            if any(left)
            else (0, 0)
        )
        if users < 2:
            found.append((0, left))
            break
        found.append((literal, [one - {literal} for one in left if literal in one]))
        left = [one for one in left if literal not in one]
    return found


def _known(one: frozenset[Literal], over: dict[Literal, list[frozenset[Literal]]]) -> bool:
    """Whether the game is over already where these literals hold."""
    return any(ends <= one for part in one for ends in over.get(part, ()))


def _least(alternatives: Iterable[frozenset[Literal]]) -> list[frozenset[Literal]]:
    """Without those that hold only where another one does."""
    by_part: dict[Literal, list[frozenset[Literal]]] = {}
    kept: list[frozenset[Literal]] = []
    for one in sorted(alternatives, key=lambda found: (len(found), sorted(found))):
        if not one:
            return [one]
        if not any(other <= one for part in one for other in by_part.get(part, ())):
            kept.append(one)
            by_part.setdefault(min(one), []).append(one)
    return kept


def _node(literal: Literal) -> int:
    return literal if literal >= 0 else ~literal

"""Effects of single moves, derived from the network.

The next state depends on the moves of all roles. For most facts the effect of each role's move can
be stated separately: the fact stays unless a move removes it, and holds after a move if certain
literals hold that depend on no move. A step then looks up these effects, and the gates of such
facts are left out of the network. The conditions are derived by regression over one step
(``gdl/regression.py``).

Facts without separate effects, such as one that holds if two roles make the same move, stay in the
network.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from kibitz.gdl.network import TRUE, Literal, Network, node_of, prune
from kibitz.gdl.regression import NotDerivedError, Regression

Conjunction = tuple[frozenset[Literal], tuple[int, ...]]
"""Literals that depend on no move, and for each domain a mask of moves; one of these is made."""

Alternatives = frozenset[Conjunction]
"""A disjunction of conjunctions."""

MOST_ALTERNATIVES = 500
"""Maximum number of conjunctions in the condition of a fact."""
MOST_WORK = 1_000_000
"""Maximum number of conjunctions made for all facts; facts beyond it stay in the network."""
MOST_TESTS = (64, 16, 4, 0)
"""Maximum numbers of conditional effects of a move, tried in turn until the effects pay off."""
TESTS_PER_EDGE = 12
"""Maximum number of conditional effects for each edge from a move's input that they save."""

_NEVER: Alternatives = frozenset()


@dataclass(frozen=True)
class Effects:
    """What each move changes, whatever the other roles do.

    Attributes:
        facts: those that effects of moves decide instead of the network.
        removed: for each move the facts that it removes unless something adds them.
        added: for each move pairs of a fact and literals: the fact holds after the move if all of
            these hold before it.
    """

    facts: list[int]
    removed: list[set[int]]
    added: list[list[tuple[int, tuple[Literal, ...]]]]


def separate_effects(network: Network) -> tuple[Network, Effects] | None:
    """The network without the facts that single moves decide, and the effects on these.

    ``None`` if there are no such facts, or the effects would not pay off.
    """
    return _EffectsOfMoves(network).separate()


class _EffectsOfMoves(Regression[Alternatives]):
    """Derives conditions on a state and the moves made there for what holds in the next state."""

    most_work = MOST_WORK
    most_alternatives = MOST_ALTERNATIVES

    def __init__(self, network: Network) -> None:
        super().__init__(network)
        self.inputs = len(network.facts) + 1
        """The first node that is the input of a move."""
        self.known: dict[Literal, Alternatives | None] = {}
        passes = network.turns and len(network.description.roles) > 1
        self.domain = [
            None if passes and move.does < 0 else 0 if passes else move.role
            for move in network.moves
        ]
        """For each move its domain, in which exactly one move is made; ``None`` for passes."""
        domains = 1 + max((d for d in self.domain if d is not None), default=0)
        self.place: dict[int, tuple[int, int]] = {}
        """For the input of each move its domain, and its mask among the moves of the domain."""
        self.masks: list[int] = []
        """For each move its mask; moves of a domain that nothing depends on share one."""
        totals = [1] * domains
        for move, domain in zip(network.moves, self.domain, strict=True):
            mask = 1
            if domain is not None and move.does >= 0:
                mask = 1 << totals[domain]
                totals[domain] += 1
                self.place[move.does] = domain, mask
            self.masks.append(mask)
        self.all = tuple((1 << total) - 1 for total in totals)
        self.free: Alternatives = frozenset({(frozenset(), self.all)})
        self.caused = np.zeros(self.first + len(network.gates), bool)
        self.caused[self.inputs : self.first] = True
        for node, gate in enumerate(network.gates, self.first):
            self.caused[node] = any(self.caused[node_of(literal)] for literal in gate)

    def separate(self) -> tuple[Network, Effects] | None:
        """The network without the facts that effects decide, and the effects."""
        network = self.network
        effect_of = {
            fact: effect
            for fact in range(1, self.inputs)
            if (effect := self._effect(fact)) is not None
        }
        before = self._edges(network)
        for most in MOST_TESTS:
            effects, unmoved = self._listed(effect_of, most)
            if not effects.facts:
                break
            smaller = self._without(unmoved, effects.added)
            tests = sum(bool(literals) for added in effects.added for _, literals in added)
            if tests <= TESTS_PER_EDGE * (before - self._edges(smaller)):
                return smaller, effects
        return None

    def _edges(self, network: Network) -> int:
        """The number of edges from inputs of moves to gates."""
        moves = range(self.inputs, self.first)
        return sum(node_of(literal) in moves for gate in network.gates for literal in gate)

    def _listed(
        self, effect_of: dict[int, _Effect], most: int
    ) -> tuple[Effects, dict[int, list[frozenset[Literal]]]]:
        """Effects with at most `most` conditions for each move.

        Returns:
            The effects, and for each of their facts the conjunctions under which it holds whatever
            moves are made, which the network keeps.
        """
        moves = len(self.network.moves)
        movers: list[dict[int, list[int]]] = [{} for _ in self.all]
        for number, (domain, mask) in enumerate(zip(self.domain, self.masks, strict=True)):
            if domain is not None:
                movers[domain].setdefault(mask, []).append(number)
        tests = np.zeros(moves, int)
        result = Effects([], [set() for _ in range(moves)], [[] for _ in range(moves)])
        unmoved: dict[int, list[frozenset[Literal]]] = {}
        for fact in sorted(effect_of, key=lambda fact: (effect_of[fact].tests, fact)):
            effect = effect_of[fact]
            adds = [
                (literals, [n for mask in _members(mask) for n in movers[domain].get(mask, ())])
                for domain, mask, literals in effect.adds
            ]
            more = np.zeros_like(tests)
            for literals, after in adds:
                more[after] += bool(literals)
            if (tests + more).max(initial=0) > most:
                continue
            tests += more
            result.facts.append(fact)
            unmoved[fact] = effect.unmoved
            for literals, after in adds:
                for number in after:
                    result.added[number].append((fact, tuple(sorted(literals))))
            for domain, keeping in enumerate(effect.staying):
                for mask in _members(self.all[domain] & ~keeping):
                    for number in movers[domain].get(mask, ()):
                        result.removed[number].add(fact)
        return result, unmoved

    def _effect(self, fact: int) -> _Effect | None:
        """What moves do to a fact; ``None`` if no move matters or effects cannot be separated."""
        ways = [
            (self.network.cases[case], literal) for case, literal in self.network.next[fact - 1]
        ]
        if not any(self.caused[node_of(literal)] for way in ways for literal in way):
            return None
        try:
            condition = self.any_of(self.all_of(map(self._value, way)) for way in ways)
        except NotDerivedError:
            return None
        staying: tuple[int, ...] | None = None
        unmoved: list[frozenset[Literal]] = []
        adds: list[tuple[int, int, frozenset[Literal]]] = []
        for literals, masks in sorted(condition, key=_order):
            bound = [domain for domain, mask in enumerate(masks) if mask != self.all[domain]]
            if literals == {fact} and staying is None:
                staying = masks
            elif not bound:
                unmoved.append(literals)
            elif len(bound) == 1:
                adds.append((bound[0], masks[bound[0]], literals))
            else:
                return None
        return _Effect(staying or (0,) * len(self.all), adds, unmoved)

    def _value(self, literal: Literal) -> Alternatives:
        """The alternatives under which a literal holds, each derived once."""
        if literal not in self.known:
            self.known[literal] = None
            self.known[literal] = self._expand(literal)
        alternatives = self.known[literal]
        if alternatives is None:
            raise NotDerivedError
        return alternatives

    def _expand(self, literal: Literal) -> Alternatives:
        node = node_of(literal)
        if node == TRUE:
            return self.free if literal == TRUE else _NEVER
        if not self.caused[node]:
            return frozenset({(frozenset({literal}), self.all)})
        if node in self.cyclic:
            raise NotDerivedError
        if node >= self.first:
            return self.of_gate(literal, self.network.gates[node - self.first], self._value)
        if node not in self.place:
            return _NEVER if literal >= 0 else self.free
        domain, mask = self.place[node]
        if literal < 0:
            mask = self.all[domain] & ~mask
        masks = (*self.all[:domain], mask, *self.all[domain + 1 :])
        return frozenset({(frozenset(), masks)})

    def any_of(self, conditions: Iterable[Alternatives]) -> Alternatives:
        """The disjunction; conjunctions that differ only in the moves of one domain are merged."""
        union: set[Conjunction] = set()
        for alternatives in conditions:
            union |= alternatives
            self.spend(len(alternatives), len(union))
        for domain in range(len(self.all)):
            groups: dict[Conjunction, int] = {}
            for literals, masks in union:
                key = literals, (*masks[:domain], *masks[domain + 1 :])
                groups[key] = groups.get(key, 0) | masks[domain]
            if len(groups) < len(union):
                union = {
                    (literals, (*others[:domain], mask, *others[domain:]))
                    for (literals, others), mask in groups.items()
                }
        return self._reduced(union)

    def _reduced(self, conjunctions: set[Conjunction]) -> Alternatives:
        """Removes from each conjunction the moves that a weaker one covers."""
        masks_of: dict[frozenset[Literal], list[tuple[int, ...]]] = {}
        for literals, masks in conjunctions:
            masks_of.setdefault(literals, []).append(masks)
        reduced: set[Conjunction] = set()
        for literals, masks in conjunctions:
            weaker = {frozenset[Literal](), *(frozenset({literal}) for literal in literals)}
            weaker |= {literals - {literal} for literal in literals}
            weaker.discard(literals)
            for subset in weaker:
                for covered in masks_of.get(subset, ()):
                    masks = self._beyond(masks, covered)
            if all(masks):
                reduced.add((literals, masks))
        return frozenset(reduced)

    def all_of(self, conditions: Iterable[Alternatives]) -> Alternatives:
        """The conjunction, as a disjunction of conjunctions."""
        product = self.free
        for alternatives in conditions:
            denials = [(right, masks, {~x for x in right}) for right, masks in alternatives]
            joined: set[Conjunction] = set()
            for left, left_masks in product:
                for right, right_masks, denial in denials:
                    masks = tuple(a & b for a, b in zip(left_masks, right_masks, strict=True))
                    if all(masks) and denial.isdisjoint(left):
                        joined.add((left | right, masks))
            self.spend(len(product) * len(alternatives), len(joined))
            product = self.any_of([frozenset(joined)])
        return product

    def _beyond(self, masks: tuple[int, ...], covered: tuple[int, ...]) -> tuple[int, ...]:
        """Masks without what other masks cover, unless that would bind a second domain."""
        pairs = zip(masks, covered, strict=True)
        beyond = [domain for domain, (mine, other) in enumerate(pairs) if mine & ~other]
        if not beyond:
            return (0,) * len(masks)
        bound = [domain for domain, mask in enumerate(masks) if mask != self.all[domain]]
        (domain, *others) = beyond
        if others or (bound and domain not in bound):
            return masks
        return (*masks[:domain], masks[domain] & ~covered[domain], *masks[domain + 1 :])

    def _without(
        self,
        unmoved: dict[int, list[frozenset[Literal]]],
        added: list[list[tuple[int, tuple[Literal, ...]]]],
    ) -> Network:
        """The network where these facts hold only if one of their unmoved conjunctions does."""
        network = self.network
        gates = list(network.gates)

        def conjunction(literals: Iterable[Literal]) -> Literal:
            gate = tuple(sorted(literals))
            if len(gate) == 1:
                return gate[0]
            gates.append(gate)
            return self.first + len(gates) - 1

        ways = list(network.next)
        for fact, alternatives in unmoved.items():
            ways[fact - 1] = []
            if alternatives:
                literal = ~conjunction(~conjunction(literals) for literals in alternatives)
                ways[fact - 1] = [(0, literal)]
        used = sorted({0, *(case for pairs in ways for case, _ in pairs)})
        smaller = replace(
            network,
            gates=gates,
            next=[[(used.index(case), literal) for case, literal in pairs] for pairs in ways],
            cases=[network.cases[case] for case in used],
            effects=added,
        )
        prune(smaller)
        return smaller


@dataclass(frozen=True)
class _Effect:
    """What moves do to a fact.

    Attributes:
        staying: for each domain a mask of the moves with which the fact stays.
        adds: triples of a domain, a mask and literals: the fact holds after each of these moves if
            the literals hold before it.
        unmoved: conjunctions under which the fact holds whatever moves are made.
    """

    staying: tuple[int, ...]
    adds: list[tuple[int, int, frozenset[Literal]]]
    unmoved: list[frozenset[Literal]]

    @property
    def tests(self) -> int:
        """The number of conditional effects over all moves."""
        return sum(mask.bit_count() for _, mask, literals in self.adds if literals)


def _order(conjunction: Conjunction) -> tuple[int, list[Literal], tuple[int, ...]]:
    """Sort key of a conjunction: shorter ones come first."""
    literals, masks = conjunction
    return len(literals), sorted(literals), masks


def _members(mask: int) -> Iterator[int]:
    """The masks of the single moves in a mask."""
    while mask:
        yield mask & -mask
        mask &= mask - 1

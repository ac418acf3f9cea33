"""Grounding: lists the ground instances of rules that a game can need.

First the reachable facts and moves are derived, as if nothing true ever became false: bottom-up
and semi-naively. Then the instances of rules over these are listed, from the outputs down, so that
only those are made on which an output depends.

Relations are arrays of term numbers, and rules are joins over whole arrays. Before that, rules are
rewritten to have fewer instances: wide rules are split, and relations restricted to their demand.

S. Schiffel, "Grounding GDL game descriptions", GIGA 2016 (relaxed reachability); S. Abiteboul,
R. Hull, V. Vianu, "Foundations of Databases", 1995, chapter 13 (semi-naive evaluation).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kibitz.gdl.demand import inlined, restricted
from kibitz.gdl.graphs import components
from kibitz.gdl.limits import CURE, MOST_MOVES, Ledger, Limits, OutOfMemoryError
from kibitz.gdl.relations import Clause, Columns, Join, Lookup, Relation, find, lookup_for, rows_of
from kibitz.gdl.rules import (
    ENDING,
    Description,
    Distinct,
    Literal,
    Rule,
    Sentence,
    Term,
    Variable,
    literals,
    variables,
)
from kibitz.gdl.splitting import GroundingError, equated, split, with_rigid, written_out
from kibitz.gdl.tables import Array, distinct, sorted_with_order, unique_sparse
from kibitz.gdl.termtable import TermTable
from kibitz.syntax.source import Span

MOST_NESTED = 200
"""The largest depth to which compound terms may be nested."""

BYTES_OF_RULE = 450
"""The bytes that an instance of a rule takes until the network is built."""
BYTES_OF_LITERAL = 60
"""The bytes that each condition of an instance takes in addition."""
_BYTES_OF_OUTPUT = 400
"""The bytes that an atom of a relation in ``OUTPUTS`` takes."""

NOWHERE = Span(0, 0)
"""The place of rules that are not in the text."""

_ROUND = 400
"""The work of applying a rule, in rows, besides the rows that it makes."""

OUTPUTS = {
    "true": 1,
    "does": 2,
    "legal": 2,
    "next": 1,
    "goal": 2,
    "terminal": 0,
    ENDING: 1,
    "sees": 2,
}
"""The relations that the game reads from the network, by name, with their arity."""
_INPUTS = (("true", 1), ("does", 2))
"""The relations whose atoms are inputs of the network."""

Signature = tuple[str, int]
"""A relation, as its name and its number of arguments."""


@dataclass(frozen=True)
class Ground:
    """A ground program over atoms numbered from 1.

    Attributes:
        heads: the atom that is the head of each rule.
        starts: the index in `body` at which each rule's body begins, and last the end of `body`.
        body: the literals of all bodies: an atom, or minus an atom that must not hold.
        names: the atoms of the relations in ``OUTPUTS`` that change.
        always: the true sentences of relations that never change, of ``OUTPUTS`` and ``init``.
    """

    heads: Array
    starts: Array
    body: Array
    names: dict[Sentence, int]
    always: frozenset[Sentence]


def ground(description: Description, limits: Limits | None = None) -> Ground:
    """Grounds the rules of a game.

    Args:
        limits: the limits on memory and work; ``None`` takes them from `Limits.chosen`.

    Raises:
        GroundingError: the rules exceed the limits, or one of them is not safe.
    """
    grounder = _Grounder(description, limits or Limits.chosen())
    try:
        return grounder.ground()
    except OutOfMemoryError:
        raise grounder.too_large() from None


def _signature(sentence: Sentence) -> Signature:
    return sentence.name, len(sentence.arguments)


def _implied(description: Description) -> Iterator[Rule]:
    """Yields rules for the reachable facts, as `true`, and the reachable moves, as `does`."""
    fact, role, move = Variable("fact"), Variable("role"), Variable("move")

    def holds(name: str, *arguments: Term) -> Literal:
        return Literal(Sentence(name, arguments), False, NOWHERE)

    declared = (holds("base", fact),) if description.defines("base") else ()
    for name in ("init", "next"):
        yield Rule(Sentence("true", (fact,)), (holds(name, fact), *declared), NOWHERE)
    declared = (holds("input", role, move),) if description.defines("input") else ()
    legal = (holds("legal", role, move), holds("role", role), *declared)
    yield Rule(Sentence("does", (role, move)), legal, NOWHERE)


class _Grounder:
    def __init__(self, description: Description, limits: Limits) -> None:
        self.description, self.limits = description, limits
        self.ledger = Ledger(limits.size)
        self.terms = TermTable(self.ledger)
        self.relations: dict[Signature, Relation] = {}
        self.spent = 0
        written = [
            equated(alternative)
            for rule in description.rules
            for alternative in self._written_out(rule)
        ]
        fresh = itertools.count()
        relevant = restricted(inlined(with_rigid(written)))
        self.changing: set[Signature] = set()
        self.rules = [*relevant, *_implied(description)]
        self.names = list(dict.fromkeys(self._mentioned()))
        fixed = set(self.names) - self._changing()
        self.rules = [piece for rule in relevant for piece in split(rule, fresh, fixed)]
        self.rules += _implied(description)
        self.names = list(dict.fromkeys(self._mentioned()))
        for name in self.names:
            self.relations[name] = Relation(self.ledger, name[1])
        self.changing = self._changing()
        self.clauses: dict[Signature, list[Clause]] = {name: [] for name in self.names}
        self.facts: dict[Signature, list[tuple[int, ...]]] = {}
        for rule in self.rules:
            if not rule.body and not any(True for _ in variables(rule.head)):
                row = tuple(map(self.terms.number, rule.head.arguments))
                self.facts.setdefault(_signature(rule.head), []).append(row)
            self.clauses[_signature(rule.head)].append(self._clause(rule))

    def _written_out(self, rule: Rule) -> list[Rule]:
        try:
            return written_out(rule)
        except GroundingError as problem:
            raise self._error(rule, str(problem)) from None

    def _mentioned(self) -> Iterator[Signature]:
        yield from OUTPUTS.items()
        yield "init", 1
        for rule in self.rules:
            yield _signature(rule.head)
            yield from (_signature(literal.sentence) for literal in literals(rule.body))

    def _needs(self, relaxed: bool) -> dict[Signature, set[Signature]]:
        """The relations that each relation depends on.

        If `relaxed`, negated literals of relations that change do not count.
        """
        needs: dict[Signature, set[Signature]] = {name: set() for name in self.names}
        for rule in self.rules:
            for literal in literals(rule.body):
                name = _signature(literal.sentence)
                if not (relaxed and literal.negated and name in self.changing):
                    needs[_signature(rule.head)].add(name)
        return needs

    def _groups(self, needs: dict[Signature, set[Signature]]) -> list[list[Signature]]:
        number = {name: i for i, name in enumerate(self.names)}
        groups = components(
            range(len(self.names)), lambda i: [number[n] for n in needs[self.names[i]]]
        )
        return [[self.names[i] for i in group] for group in groups]

    def _changing(self) -> set[Signature]:
        """The relations that depend on facts or moves, or negatively on themselves."""
        needs = self._needs(relaxed=False)
        changing: set[Signature] = set(_INPUTS)
        for group in self._groups(needs):
            members = set(group)
            own = any(needs[name] & changing for name in group) or any(
                literal.negated and _signature(literal.sentence) in members
                for rule in self.rules
                if _signature(rule.head) in members
                for literal in literals(rule.body)
            )
            if own:
                changing |= members
        return changing

    def _clause(self, rule: Rule) -> Clause:
        lookups: list[Lookup] = []
        differences: list[Distinct] = []
        absent: list[tuple[Literal, Relation]] = []
        negated: list[tuple[Literal, Relation]] = []
        for condition in rule.body:
            if isinstance(condition, Distinct):
                differences.append(condition)
                continue
            assert isinstance(condition, Literal)
            relation = self.relations[_signature(condition.sentence)]
            changing = _signature(condition.sentence) in self.changing
            if not condition.negated:
                lookups.append(lookup_for(condition, relation, self.terms, changing))
            else:
                (negated if changing else absent).append((condition, relation))
        bound = {
            leaf for lookup in lookups for leaf in lookup.leaves if isinstance(leaf, Variable)
        }
        free = {v for item in (rule.head, *rule.body) for v in variables(item)} - bound
        if free:
            names = ", ".join(sorted(f"?{variable.name}" for variable in free))
            raise self._error(rule, f"no condition of this rule gives a value to {names}")
        return Clause(
            rule, self.relations[_signature(rule.head)], lookups, differences, absent, negated
        )

    # -- limits ------------------------------------------------------------------------------

    def _error(self, rule: Rule, message: str) -> GroundingError:
        source = self.description.source
        line, column = source.position(rule.span.start)
        return GroundingError(f"{source.name}:{line}:{column}: {message}.", rule.span)

    def _too_much(self, reason: str) -> GroundingError:
        """The error for an exceeded limit; it names the rule that made the most rows."""
        made: dict[Span, int] = {}
        ruled: dict[Span, Rule] = {}
        for clause in itertools.chain.from_iterable(self.clauses.values()):
            span = clause.rule.span
            if span == NOWHERE:
                continue
            made[span] = made.get(span, 0) + clause.made
            ruled[span] = clause.rule
        worst = max(made, key=lambda span: made[span])
        return self._error(
            ruled[worst],
            f"the rules have too many instances, most of them of this one: {reason}; {CURE}",
        )

    def spend(self, clause: Clause, rows: int) -> None:
        """Counts rows before a join makes them, and raises an error beyond the limit."""
        clause.made += rows
        self.spent += rows + _ROUND
        if self.spent > self.limits.rows:
            raise self._too_much(f"they take more than {self.limits.rows:,} steps to list")

    def too_large(self) -> GroundingError:
        """The error for exceeding the memory limit."""
        return self._too_much(f"they fill more than {self.limits.megabytes} MB")

    # -- reachable atoms ---------------------------------------------------------------------

    def _derive(self) -> None:
        for group in self._groups(self._needs(relaxed=True)):
            members = set(group)
            needs_itself = False
            for name in group:
                rows = self.facts.get(name)
                if rows:
                    self._add(name, np.array(rows, np.int32).reshape(len(rows), name[1]))
                for clause in self.clauses[name]:
                    if clause.rule.body or not rows:
                        self._apply(name, clause)
                        needs_itself |= any(
                            _signature(literal.sentence) in members
                            for literal in literals(clause.rule.body)
                            if not literal.negated
                        )
            if needs_itself:
                self._repeat(group)

    def _repeat(self, group: Sequence[Signature]) -> None:
        """Applies mutually recursive rules to new rows until no row is new (semi-naive)."""
        own = {id(self.relations[name]) for name in group}
        uses = [
            (name, clause, number, lookup.view)
            for name in group
            for clause in self.clauses[name]
            for number, lookup in enumerate(clause.lookups)
            if id(lookup.relation) in own
        ]
        known = {id(view): 0 for _, _, _, view in uses}
        while True:
            sizes = {id(view): len(view) for _, _, _, view in uses}
            if sizes == known:
                return
            for name, clause, number, view in uses:
                before, size = known[id(view)], sizes[id(view)]
                if size > before:
                    self._apply(name, clause, number, (before, size))
            known = sizes

    def _apply(
        self,
        name: Signature,
        clause: Clause,
        first: int | None = None,
        rows: tuple[int, int] | None = None,
    ) -> None:
        head = clause.rule.head
        output = set(variables(head))
        for columns, count in Join(clause, self.terms, output, self.spend, first, rows):
            self._add(name, rows_of(self.terms, head, columns, count))

    def _add(self, name: Signature, rows: Array) -> None:
        relation = self.relations[name]
        before = len(relation)
        relation.add(rows, self.terms)
        if name in OUTPUTS.items():
            self.ledger.keep(_BYTES_OF_OUTPUT * (len(relation) - before))
        if self.terms.deepest > MOST_NESTED:
            raise self._too_much(f"terms are nested more than {MOST_NESTED} deep")

    # -- the instances -----------------------------------------------------------------------

    def ground(self) -> Ground:
        """Derives the reachable atoms and lists the instances on which an output depends."""
        self._derive()
        self._check_moves()
        atoms = 1
        for name in self.names:
            if name in self.changing:
                self.relations[name].start = atoms - 1
                atoms += len(self.relations[name])
        needed = np.zeros(atoms, bool)
        for name in OUTPUTS.items():
            if name in self.changing:
                first = self.relations[name].start + 1
                needed[first : first + len(self.relations[name])] = True
        needs = self._needs(relaxed=False) | {name: set() for name in _INPUTS}
        made = [
            block
            for group in reversed(self._groups(needs))
            for block in self._group_instances(group, needs, needed)
        ]
        rules = sum(len(block) for block in made)
        literals = sum(int(np.count_nonzero(block[:, 1:])) for block in made)
        if BYTES_OF_RULE * rules + BYTES_OF_LITERAL * literals > self.limits.size:
            raise self._too_much(f"{rules:,} instances need more than {self.limits.megabytes} MB")
        counts = [np.count_nonzero(block[:, 1:], axis=1) for block in made]
        named, always = self._outputs()
        return Ground(
            _joined([block[:, 0] for block in made]),
            np.concatenate([[0], np.cumsum(_joined(counts))]),
            _joined([block[:, 1:][block[:, 1:] != 0] for block in made]),
            named,
            frozenset(always),
        )

    def _check_moves(self) -> None:
        """Raises an error if a role has more moves than a network can have."""
        _, counts = np.unique(self.relations["does", 2].table.rows[:, 0], return_counts=True)
        if counts.max(initial=0) > MOST_MOVES:
            worst = max(self.clauses["legal", 2], key=lambda clause: clause.made)
            raise self._error(
                worst.rule,
                f"a role has {counts.max():,} moves, most of them by this rule, and may have"
                f" {MOST_MOVES:,}; moves of several parts are better made one after another",
            )

    def _outputs(self) -> tuple[dict[Sentence, int], list[Sentence]]:
        """Returns `Ground.names` and `Ground.always`."""
        named: dict[Sentence, int] = {}
        always: list[Sentence] = []
        for name in (*OUTPUTS.items(), ("init", 1)):
            relation = self.relations[name]
            term = self.terms.term
            sentences = (
                Sentence(name[0], tuple(map(term, row))) for row in relation.table.rows.tolist()
            )
            if name in self.changing:
                named.update(zip(sentences, itertools.count(relation.start + 1), strict=False))
            else:
                always += sentences
        return named, always

    def _group_instances(
        self, group: Sequence[Signature], needs: dict[Signature, set[Signature]], needed: Array
    ) -> list[Array]:
        """The instances with needed heads of a group of mutually recursive relations.

        It marks the atoms of their bodies as needed.
        """
        clauses = [
            clause
            for name in group
            if name in self.changing and name not in _INPUTS
            for clause in self.clauses[name]
        ]
        if any(needs[name] & set(group) for name in group):
            everything = np.ones(len(needed), bool)
            blocks = [self._instances(clause, everything) for clause in clauses]
            _reach(blocks, needed)
            return [block[needed[block[:, 0]]] for block in blocks]
        blocks = [self._instances(clause, needed) for clause in clauses]
        for block in blocks:
            needed[np.abs(block[:, 1:])] = True
        return blocks

    def _instances(self, clause: Clause, needed: Array) -> Array:
        """The instances of a rule with needed heads: rows of head and literals, padded with 0."""
        tracked = [i for i, lookup in enumerate(clause.lookups) if lookup.tracked]
        output: set[Variable | int] = set(tracked) | set(variables(clause.rule.head))
        output |= {v for literal, _ in clause.open for v in variables(literal)}
        blocks = []
        for columns, count in Join(clause, self.terms, output, self.spend):
            block = self._block(clause, tracked, columns, count)
            block = block[needed[block[:, 0]]]
            self.ledger.keep(block.nbytes)
            blocks.append(block)
        if len(blocks) == 1:
            return blocks[0]
        width = 1 + len(tracked) + len(clause.open)
        return distinct(np.concatenate([np.empty((0, width), np.int32), *blocks]))

    def _block(
        self, clause: Clause, tracked: Sequence[int], columns: Columns, count: int
    ) -> Array:
        head = find(self.terms, clause.head, clause.rule.head, columns, count)
        block = np.zeros((count, 1 + len(tracked) + len(clause.open)), np.int32)
        block[:, 0] = clause.head.start + 1 + head
        for i, number in enumerate(tracked, 1):
            block[:, i] = clause.lookups[number].relation.start + 1 + columns[number]
        for i, (literal, relation) in enumerate(clause.open, 1 + len(tracked)):
            rows = find(self.terms, relation, literal.sentence, columns, count)
            block[:, i] = np.where(rows < 0, 0, -(relation.start + 1 + rows))
        block[:, 1:].sort(axis=1)
        return distinct(block)


def _joined(pieces: Sequence[Array]) -> Array:
    return np.concatenate([np.empty(0, np.int32), *pieces])


def _reach(blocks: Sequence[Array], needed: Array) -> None:
    """Marks all atoms on which needed heads depend, directly or indirectly, as needed."""
    used = [block[:, 1:] != 0 for block in blocks]
    pairs = list(zip(blocks, used, strict=True))
    heads = _joined([np.repeat(block[:, 0], mask.sum(axis=1)) for block, mask in pairs])
    atoms = _joined([np.abs(block[:, 1:][mask]) for block, mask in pairs])
    heads, order = sorted_with_order(heads.astype(np.int64))
    atoms = atoms[order]
    front = unique_sparse(heads[needed[heads]])
    while len(front):
        starts = np.searchsorted(heads, front)
        counts = np.searchsorted(heads, front, "right") - starts
        places = np.repeat(starts - (np.cumsum(counts) - counts), counts)
        reached = atoms[places + np.arange(len(places))]
        front = unique_sparse(reached[~needed[reached]])
        needed[front] = True

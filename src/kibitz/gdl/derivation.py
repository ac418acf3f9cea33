"""The rules evaluated one by one: for games that have too many instances to be grounded.

Relations are worked out from below, stratum by stratum, rules joined over sets of rows and, in a
recursion, only over what is new (semi-naive evaluation; S. Abiteboul, R. Hull, V. Vianu,
"Foundations of Databases", 1995, chapter 13). It is slow, and it is short enough to be checked
by eye.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kibitz.gdl.graphs import components
from kibitz.gdl.grounder import split, written_out
from kibitz.gdl.rules import (
    Compound,
    Condition,
    Description,
    Distinct,
    Literal,
    Rule,
    Sentence,
    Term,
    Variable,
    variables,
)

Row = tuple[Term, ...]
Relation = tuple[str, int]
"""A name and how many arguments it has."""

_TOLD = (("true", 1), ("does", 2))


@dataclass
class Rows:
    """The rows of a relation, and where to find those with certain arguments."""

    rows: set[Row] = field(default_factory=set)
    indexes: dict[tuple[int, ...], dict[Row, list[Row]]] = field(default_factory=dict)

    def add(self, row: Row) -> bool:
        """Adds a row; whether it is new."""
        if row in self.rows:
            return False
        self.rows.add(row)
        for places, index in self.indexes.items():
            index.setdefault(tuple(row[place] for place in places), []).append(row)
        return True

    def matching(self, places: tuple[int, ...], key: Row) -> Iterable[Row]:
        """The rows that have certain arguments at certain places."""
        if not places:
            return list(self.rows)
        index = self.indexes.get(places)
        if index is None:
            index = self.indexes[places] = {}
            for row in self.rows:
                index.setdefault(tuple(row[place] for place in places), []).append(row)
        return list(index.get(key, ()))


Database = dict[Relation, Rows]


@dataclass(frozen=True)
class _Clause:
    """A rule with its conditions in an order in which each finds its variables bound."""

    head: Sentence
    body: tuple[Condition, ...]


class Derivation:
    """What holds in states of a game, by its rules."""

    def __init__(self, description: Description) -> None:
        fresh = itertools.count()
        rules = [
            part
            for rule in description.rules
            for one in written_out(rule)
            for part in split(one, fresh)
        ]
        self.clauses: dict[Relation, list[_Clause]] = {}
        for rule in rules:
            self.clauses.setdefault(_relation(rule.head), []).append(_ordered(rule))
        self.strata = self._strata()
        changing = self._depending(_TOLD)
        moving = self._depending([("does", 2)])
        self.fixed: Database = {}
        self._derive(self.fixed, [g for g in self.strata if not g & changing])
        self.of_state = [g for g in self.strata if g & changing and not g & moving]
        self.of_step = [g for g in self.strata if g & moving]

    def initial(self) -> frozenset[Term]:
        """What is true at the start."""
        return frozenset(row[0] for row in self._rows(self.fixed, ("init", 1)))

    def state(self, true: Iterable[Term]) -> Database:
        """All that follows from what is true."""
        database = dict(self.fixed)
        database["true", 1] = Rows({(term,) for term in true})
        self._derive(database, self.of_state)
        return database

    def legal(self, state: Database) -> dict[Term, list[Term]]:
        """The legal moves of each role."""
        found: dict[Term, list[Term]] = {}
        for role, move in self._rows(state, ("legal", 2)):
            found.setdefault(role, []).append(move)
        return found

    def goals(self, state: Database) -> set[tuple[Term, Term]]:
        """The roles' goal values."""
        return {(row[0], row[1]) for row in self._rows(state, ("goal", 2))}

    def terminal(self, state: Database) -> bool:
        """Whether the game is over."""
        return () in self._rows(state, ("terminal", 0))

    def step(self, state: Database, moves: Mapping[Term, Term]) -> Database:
        """All that holds when the roles make their moves."""
        database = dict(state)
        database["does", 2] = Rows(set(moves.items()))
        self._derive(database, self.of_step)
        return database

    def after(self, step: Database) -> frozenset[Term]:
        """What is true after a step."""
        return frozenset(row[0] for row in self._rows(step, ("next", 1)))

    def percepts(self, step: Database) -> dict[Term, set[Term]]:
        """What each role is told of a step."""
        found: dict[Term, set[Term]] = {}
        for role, percept in self._rows(step, ("sees", 2)):
            found.setdefault(role, set()).add(percept)
        return found

    def _rows(self, database: Database, relation: Relation) -> set[Row]:
        found = database.get(relation)
        return found.rows if found else set()

    # -- order -------------------------------------------------------------------------------

    def _strata(self) -> list[frozenset[Relation]]:
        """Groups of relations that depend on each other, those that others need first."""
        names = list(self.clauses)
        number = {relation: i for i, relation in enumerate(names)}

        def children(node: int) -> list[int]:
            return [number[r] for r in self._needs(names[node]) if r in number]

        groups = components(range(len(names)), children)
        return [frozenset(names[node] for node in group) for group in groups]

    def _needs(self, relation: Relation) -> Iterator[Relation]:
        for clause in self.clauses.get(relation, ()):
            for condition in clause.body:
                if isinstance(condition, Literal):
                    yield _relation(condition.sentence)

    def _depending(self, sources: Iterable[Relation]) -> set[Relation]:
        """The relations that some others have a part in."""
        found = set(sources)
        for group in self.strata:
            if any(need in found for relation in group for need in self._needs(relation)):
                found |= group
        return found

    # -- derivation --------------------------------------------------------------------------

    def _derive(self, database: Database, strata: Iterable[frozenset[Relation]]) -> None:
        for group in strata:
            for relation in group:
                database[relation] = Rows()
            new = self._round(database, group, None)
            while new:
                new = self._round(database, group, new)

    def _round(
        self, database: Database, group: frozenset[Relation], new: Database | None
    ) -> Database:
        """What the rules of a group add to what is known: using something new, if any is."""
        found: Database = {}
        for relation in group:
            for clause in self.clauses[relation]:
                for head in self._heads(database, group, clause, new):
                    if database[relation].add(head):
                        found.setdefault(relation, Rows()).add(head)
        return found

    def _heads(
        self,
        database: Database,
        group: frozenset[Relation],
        clause: _Clause,
        new: Database | None,
    ) -> list[Row]:
        if new is None:
            return [_row(clause.head, values) for values in _join(database, clause.body, {})]
        heads: list[Row] = []
        for place, condition in enumerate(clause.body):
            if isinstance(condition, Literal) and not condition.negated:
                relation = _relation(condition.sentence)
                if relation in group and relation in new:
                    heads += [
                        _row(clause.head, values)
                        for values in _join(database, clause.body, {}, place, new[relation])
                    ]
        return heads


def _relation(sentence: Sentence) -> Relation:
    return sentence.name, len(sentence.arguments)


def _ordered(rule: Rule) -> _Clause:
    """The conditions of a rule, each as soon as its variables are bound."""
    left = list(rule.body)
    body: list[Condition] = []
    bound: set[Variable] = set()
    while left:
        ready = [
            c
            for c in left
            if set(variables(c)) <= bound and not (isinstance(c, Literal) and not c.negated)
        ]
        positive = [c for c in left if isinstance(c, Literal) and not c.negated]
        if ready:
            chosen: Condition = ready[0]
        elif positive:
            chosen = max(positive, key=lambda c: _promise(c, bound))
        else:
            chosen = left[0]
        left.remove(chosen)
        body.append(chosen)
        bound |= set(variables(chosen))
    return _Clause(rule.head, tuple(body))


def _promise(literal: Literal, bound: set[Variable]) -> tuple[float, bool]:
    """How much of a literal is known before it is looked up."""
    arguments = literal.sentence.arguments
    known = sum(set(variables(argument)) <= bound for argument in arguments)
    return (known + 1) / (len(arguments) + 1), literal.sentence.name in ("true", "does")


def _join(
    database: Database,
    body: Sequence[Condition],
    values: dict[Variable, Term],
    new_place: int = -1,
    new: Rows | None = None,
    at: int = 0,
) -> Iterator[dict[Variable, Term]]:
    """The values of variables for which all conditions hold."""
    if at == len(body):
        yield values
        return
    condition = body[at]
    if isinstance(condition, Distinct):
        same = _value(condition.left, values) == _value(condition.right, values)
        if same == condition.negated:
            yield from _join(database, body, values, new_place, new, at + 1)
        return
    assert isinstance(condition, Literal)
    arguments = condition.sentence.arguments
    rows = database.get(_relation(condition.sentence)) if at != new_place else new
    if condition.negated:
        if rows is None or _row(condition.sentence, values) not in rows.rows:
            yield from _join(database, body, values, new_place, new, at + 1)
        return
    if rows is None:
        return
    places = tuple(i for i, a in enumerate(arguments) if all(v in values for v in variables(a)))
    key = tuple(_value(arguments[i], values) for i in places)
    rest = [i for i in range(len(arguments)) if i not in places]
    for row in rows.matching(places, key):
        found = dict(values)
        if all(_unify(arguments[i], row[i], found) for i in rest):
            yield from _join(database, body, found, new_place, new, at + 1)


def _unify(pattern: Term, term: Term, values: dict[Variable, Term]) -> bool:
    """Whether a term fits a pattern; binds the variables."""
    match pattern:
        case Variable():
            return bool(values.setdefault(pattern, term) == term)
        case Compound():
            return (
                isinstance(term, Compound)
                and term.name == pattern.name
                and len(term.arguments) == len(pattern.arguments)
                and all(map(_unify, pattern.arguments, term.arguments, itertools.repeat(values)))
            )
    return pattern == term


def _value(term: Term, values: Mapping[Variable, Term]) -> Term:
    match term:
        case Variable():
            return values[term]
        case Compound():
            return Compound(term.name, tuple(_value(a, values) for a in term.arguments))
    return term


def _row(sentence: Sentence, values: Mapping[Variable, Term]) -> Row:
    return tuple(_value(argument, values) for argument in sentence.arguments)

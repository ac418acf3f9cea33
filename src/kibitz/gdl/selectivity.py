"""Estimated sizes of relations, and the join order that the prover derives from them.

P. G. Selinger et al., "Access path selection in a relational database management system", SIGMOD
1979: the rows that match a condition are estimated as those of its relation, divided by the number
of distinct values of each known argument.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from kibitz.gdl.program import FIXED, Program, Signature, signature
from kibitz.gdl.rules import (
    Compound,
    Condition,
    Distinct,
    Literal,
    Rule,
    Term,
    Variable,
    variables,
)
from kibitz.gdl.terms import Row

Base = tuple[str, int] | tuple[str, int, str]
"""The owner of rows: a relation or, for `true` and `does`, those with one function as argument."""

MOST_WORKED_OUT = 100_000
"""The most estimated rows for which a relation independent of the state is computed in full."""

_PASS = 0.7
"""The assumed share of rows that satisfy a condition without new variables."""
_MOST = 1e12
"""The largest estimate of a number of rows or values."""


@dataclass(frozen=True)
class Size:
    """The number of rows of a relation, and of distinct values of each argument."""

    rows: float
    values: tuple[float, ...]


def measured(rows: Collection[Row], arity: int) -> Size:
    """The size of a relation whose rows are known."""
    values = tuple(float(max(1, len({row[i] for row in rows}))) for i in range(arity))
    return Size(float(len(rows)), values)


def _unseen(base: Base) -> Size:
    """The assumed size of a base without sample rows."""
    if base[0] == "true":
        return Size(min(20.0, 5.0 ** base[1]), (5.0,) * base[1])
    return Size(1.0, (1.0,) * base[1])


def flat(literal: Literal) -> tuple[Base, tuple[Term, ...]]:
    """The base of a literal's rows, and the terms at their places.

    The rows of `true` and `does` are kept by function, with its arguments as places.
    """
    name, arguments = literal.sentence.name, literal.sentence.arguments
    if (name, len(arguments)) in (("true", 1), ("does", 2)):
        last = arguments[-1]
        if isinstance(last, Compound):
            places = (*arguments[:-1], *last.arguments)
            return (name, len(places), last.name), places
    return (name, len(arguments)), arguments


class Sizes:
    """Estimates the sizes of relations, once for each.

    Args:
        rows: returns sample rows of a base without rules.
        work_out: returns all rows of a relation independent of the state, if they are few.
    """

    def __init__(
        self,
        program: Program,
        rows: Callable[[Base], Collection[Row] | None],
        work_out: Callable[[Signature], Collection[Row] | None],
    ) -> None:
        self._program = program
        self._rows = rows
        self._work_out = work_out
        self._known: dict[Base, Size] = {}

    def of(self, base: Base) -> Size:
        """The size of a base, estimated if it has rules or its rows depend on the state."""
        known = self._known.get(base)
        if known is not None:
            return known
        if len(base) == 2 and base in self._program.rules:
            for need in self._unknown(base):
                self._known[need] = self._estimated(need)
            return self._known[base]
        rows = self.sample(base)
        size = measured(rows, base[1]) if rows else _unseen(base)
        self._known[base] = size
        return size

    def sample(self, base: Base) -> Collection[Row]:
        """Sample rows of a base without rules."""
        return self._rows(base) or ()

    def _unknown(self, root: Signature) -> list[Signature]:
        """The relations without an estimate among `root` and its dependencies, these first."""
        unknown = {root: None}
        for name in (waiting := [root]):
            for rule in self._program.rules[name]:
                for condition in rule.body:
                    if isinstance(condition, Literal):
                        need = signature(condition.sentence)
                        if need in self._program.rules and not (
                            need in unknown or need in self._known
                        ):
                            unknown[need] = None
                            waiting.append(need)
        return sorted(unknown, key=lambda name: self._program.component[name])

    def _estimated(self, name: Signature) -> Size:
        component = self._program.component[name]
        rules = self._program.rules[name]
        sizes = [self._of_rule(rule) for rule in rules]
        total = sum(size.rows for size in sizes)
        if any(
            isinstance(c, Literal)
            and self._program.component.get(signature(c.sentence)) == component
            for rule in rules
            for c in rule.body
        ):
            total *= 3
        values = tuple(
            min(max(1.0, total), sum(size.values[i] for size in sizes)) for i in range(name[1])
        )
        rows = min(max(total, 0.01), math.prod(values))
        if self._program.level[name] == FIXED and rows <= MOST_WORKED_OUT:
            exact = self._work_out(name)
            if exact is not None:
                return measured(exact, name[1])
        return Size(rows, values)

    def _of_rule(self, rule: Rule) -> Size:
        values: dict[Variable, float] = {}
        remaining = list(rule.body)
        rows = 1.0
        while remaining:
            chosen = self.next(rule, remaining, values)
            if chosen is None:
                break
            condition, fanout = chosen
            remaining.remove(condition)
            rows = min(rows * fanout, _MOST)
            if isinstance(condition, Literal) and not condition.negated:
                base, places = flat(condition)
                size = self._known.get(base) or self._pending(base)
                for place, argument in enumerate(places):
                    for variable in variables(argument):
                        before = values.get(variable, _MOST)
                        values[variable] = min(before, size.values[place])
        counts = []
        for argument in rule.head.arguments:
            count = math.prod(values.get(v, 10.0) for v in set(variables(argument)))
            counts.append(max(1.0, min(count, rows)))
        return Size(min(rows, math.prod(counts)), tuple(counts))

    def _pending(self, base: Base) -> Size:
        """As `of`, with an assumed size for relations of the recursion that is being estimated."""
        if len(base) == 2 and base in self._program.rules:
            return Size(100.0, (8.0,) * base[1])
        return self.of(base)

    # -- the order -----------------------------------------------------------------------------

    def next(
        self, rule: Rule, remaining: Sequence[Condition], bound: Collection[Variable]
    ) -> tuple[Condition, float] | None:
        """The condition to join next, and the expected rows for each row so far.

        It is ``None`` if no condition has the bindings that it needs.
        """
        best: tuple[float, Condition, float] | None = None
        for condition in remaining:
            cost = self._cost(rule, remaining, condition, bound)
            if cost is not None and (best is None or cost[0] < best[0]):
                best = cost[0], condition, cost[1]
        return None if best is None else best[1:]

    def _cost(
        self,
        rule: Rule,
        remaining: Sequence[Condition],
        condition: Condition,
        bound: Collection[Variable],
    ) -> tuple[float, float] | None:
        """The cost and expected rows of a condition for each row so far; ``None`` if not ready."""
        if isinstance(condition, Distinct):
            return (0.0, _PASS) if _known(variables(condition), bound) else None
        assert isinstance(condition, Literal)
        name = signature(condition.sentence)
        derived = name in self._program.rules
        if condition.negated:
            ready = _known(variables(condition), bound)
            return (0.6 if derived else 0.1, _PASS) if ready else None
        base, places = flat(condition)
        known = [i for i, place in enumerate(places) if _known(variables(place), bound)]
        if not self._program.needed.get(name, frozenset()) <= set(known):
            return None
        recursive = derived and self._program.component[name] == self._program.component.get(
            signature(rule.head)
        )
        if recursive and self._grows(rule, condition, remaining):
            return None
        if len(known) == len(places):
            return (0.8 if derived else 0.1) + recursive, _PASS
        size = self._known.get(base) or self._pending(base)
        fanout = max(size.rows / math.prod(size.values[i] for i in known), 0.02)
        if not derived:
            return fanout + 0.2, fanout
        return fanout + (1.5 if known else 5.0) + recursive, fanout

    def _grows(self, rule: Rule, literal: Literal, remaining: Sequence[Condition]) -> bool:
        """Whether a recursive condition asks for a compound that a remaining condition confirms.

        It waits for that condition, which GDL's restriction of recursion requires, so that there
        are finitely many questions.
        """
        compounds = {a for a in literal.sentence.arguments if isinstance(a, Compound)}
        component = self._program.component[signature(rule.head)]
        return any(
            a in compounds and any(variables(a))
            for other in remaining
            if isinstance(other, Literal) and not other.negated
            if self._program.component.get(signature(other.sentence)) != component
            for a in other.sentence.arguments
        )


def _known(needed: Iterable[Variable], bound: Collection[Variable]) -> bool:
    return all(variable in bound for variable in needed)

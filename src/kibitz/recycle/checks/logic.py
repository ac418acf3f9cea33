"""A small logic that determines which conditions exclude each other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from kibitz.recycle import tree
from kibitz.recycle.checks.keys import Key, counts_all
from kibitz.recycle.checks.reachable import Knowledge
from kibitz.recycle.tree import Binding, Expression, Type

_MOST_CASES = 16
"""The maximum number of cases of a condition; one with more counts as unknown."""


class NumberFact(NamedTuple):
    """The fact that a number lies in an interval and, optionally, differs from one value."""

    key: Key
    low: float
    high: float
    excluded: int | None


class TextFact(NamedTuple):
    """The fact that a name is one of several names, or none of them."""

    key: Key
    names: frozenset[str]
    among: bool


class HoldsFact(NamedTuple):
    """The fact that a condition, whose negation has the key `opposite`, holds."""

    key: Key
    opposite: Key


class EveryFact(NamedTuple):
    """The fact that a condition holds for every element of a collection, or for none."""

    collection: Key
    binding: Binding
    condition: Expression
    values: Mapping[Binding, Any]
    positive: bool


class ElementFact(NamedTuple):
    """The fact that something is an element of a collection."""

    collection: Key
    element: Any


Fact: TypeAlias = "NumberFact | TextFact | HoldsFact | EveryFact | ElementFact"
Case: TypeAlias = tuple[Fact, ...]
"""A conjunction of facts."""
Cases: TypeAlias = Sequence[Case]
"""A disjunction of cases; without any, the condition never holds."""
NOTHING_KNOWN: Cases = ((),)
"""The cases of a condition about which no facts are known."""


class CaseLogic:
    """A translator of conditions into cases, which it combines and compares."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self.keys = knowledge.keys

    def cases(
        self,
        condition: Expression,
        values: Mapping[Binding, Any] | None = None,
        positive: bool = True,
    ) -> Cases:
        """The cases in which a condition holds or, if not positive, in which it does not hold."""
        values = values or {}
        known = self.knowledge.truth(condition)
        if known is not None:
            return NOTHING_KNOWN if known is positive else ()
        if isinstance(condition, tree.Not):
            return self.cases(condition.condition, values, not positive)
        if isinstance(condition, tree.Logic):
            cases_of_parts = [self.cases(operand, values, positive) for operand in condition.parts]
            if (condition.operator == "and") is positive:
                return self.both(*cases_of_parts)
            joined = [case for cases in cases_of_parts for case in cases]
            return joined if len(joined) <= _MOST_CASES else NOTHING_KNOWN
        return (tuple(self._facts(condition, values, positive)),)

    def _facts(
        self, condition: Expression, values: Mapping[Binding, Any], positive: bool
    ) -> Iterable[Fact]:
        """The facts that follow from a condition that has no conditions as parts."""
        yield HoldsFact(
            self.keys.key(condition, values, positive),
            self.keys.key(condition, values, not positive),
        )
        if isinstance(condition, tree.Compare):
            yield from self._about_number(condition, values, positive)
        elif isinstance(condition, tree.Same) and condition.left.type is Type.STR:
            for side, other in (
                (condition.left, condition.right),
                (condition.right, condition.left),
            ):
                key = self.keys.key(side, values)
                if (names := self.knowledge.names(side)) is not None:
                    yield TextFact(key, names, True)
                names = self.knowledge.names(other)
                if names is not None and condition.equal is positive:
                    yield TextFact(key, names, True)
                if isinstance(other, tree.Text) and condition.equal is not positive:
                    yield TextFact(key, frozenset((other.value,)), False)
        elif isinstance(condition, tree.Quantified) and (
            condition.collection.type is not Type.SETS  # a filter leaves out empty ones
        ):
            body = self.keys.body(condition.body, condition.binding, values, not condition.every)
            collection = self.keys.key(condition.collection, values)
            size = self.keys.size(self.keys.filtered(collection, body))
            if positive is not condition.every:
                yield NumberFact(size, 1, math.inf, None)
                yield NumberFact(self.keys.size(collection), 1, math.inf, None)
            else:
                yield NumberFact(size, 0, 0, None)
                yield EveryFact(
                    collection, condition.binding, condition.body, values, condition.every
                )

    def _about_number(
        self, condition: tree.Compare, values: Mapping[Binding, Any], positive: bool
    ) -> Iterable[Fact]:
        """The facts that follow from a comparison with a constant number."""
        operator = condition.operator
        if not positive:
            operator = tree.OPPOSITE[operator]
        for side, other, order in (
            (condition.left, condition.right, operator),
            (condition.right, condition.left, tree.MIRRORED[operator]),
        ):
            if not isinstance(other, tree.Number) or self.knowledge.is_setting(other):
                continue
            key = self.keys.key(side, values)
            bounds = self.knowledge.interval(side)
            yield NumberFact(key, bounds.low, bounds.high, None)
            number = other.value
            low, high = _BOUNDS[order](number)
            yield NumberFact(key, low, high, number if order == "!=" else None)
            if isinstance(side, tree.Size) and low >= 1:
                yield from self.not_empty(side.collection, values)
            if isinstance(side, tree.Size) and high <= 0:
                inside = side.collection
                if isinstance(inside, tree.Filter) and counts_all(inside):
                    collection = self.keys.key(inside.collection, values)
                    yield EveryFact(collection, inside.binding, inside.body, values, False)

    def both(self, *conditions: Cases) -> Cases:
        """The cases in which all conditions hold; a condition with too many cases is ignored."""
        joint: Cases = NOTHING_KNOWN
        for cases in conditions:
            if len(joint) * len(cases) <= _MOST_CASES:
                joint = [first + second for first, second in itertools.product(joint, cases)]
                self.knowledge.budget.spend(sum(map(len, joint)))
        return [case for case in joint if _consistent(case)]

    def possible(self, *conditions: Cases) -> bool:
        """Whether all conditions may hold at the same time."""
        return any(self._with_elements(case) for case in self.both(*conditions))

    def _with_elements(self, case: Case) -> Cases:
        """The cases that remain after facts about every element are applied to known elements."""
        elements = [fact for fact in case if isinstance(fact, ElementFact)]
        cases: Cases = (case,)
        for fact in case:
            if isinstance(fact, EveryFact):
                for element in elements:
                    if element.collection == fact.collection:
                        values = {**fact.values, fact.binding: element.element}
                        cases = self.both(cases, self.cases(fact.condition, values, fact.positive))
        return cases

    def not_empty(
        self, collection: Expression, values: Mapping[Binding, Any] | None = None
    ) -> Iterable[Fact]:
        """The facts that a collection has elements, as has each collection it is filtered from."""
        while True:
            yield NumberFact(self.keys.size(self.keys.key(collection, values)), 1, math.inf, None)
            if not isinstance(collection, tree.Filter):
                return
            collection = collection.collection


def _consistent(case: Case) -> bool:
    """Whether no two facts of a case contradict each other."""
    numbers: dict[Key, tuple[float, float, set[int]]] = {}
    among: dict[Key, frozenset[str]] = {}
    excluded: dict[Key, frozenset[str]] = {}
    holds: set[Key] = set()
    for fact in case:
        if isinstance(fact, HoldsFact):
            if fact.opposite in holds:
                return False
            holds.add(fact.key)
        elif isinstance(fact, NumberFact):
            low, high, without = numbers.setdefault(fact.key, (-math.inf, math.inf, set()))
            low, high = max(low, fact.low), min(high, fact.high)
            if fact.excluded is not None:
                without.add(fact.excluded)
            while low in without:
                low += 1
            while high in without:
                high -= 1
            if low > high:
                return False
            numbers[fact.key] = low, high, without
        elif isinstance(fact, TextFact):
            if fact.among:
                among[fact.key] = among.get(fact.key, fact.names) & fact.names
            else:
                excluded[fact.key] = excluded.get(fact.key, frozenset()) | fact.names
    return all(names - excluded.get(key, frozenset()) for key, names in among.items())


_BOUNDS: dict[str, Callable[[int], tuple[float, float]]] = {
    "==": lambda number: (number, number),
    "!=": lambda number: (-math.inf, math.inf),
    "<": lambda number: (-math.inf, number - 1),
    "<=": lambda number: (-math.inf, number),
    ">": lambda number: (number + 1, math.inf),
    ">=": lambda number: (number, math.inf),
}
"""For each operator, the interval of the numbers that compare like this with a constant."""

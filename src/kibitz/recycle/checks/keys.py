"""Keys of parts of a program; parts with the same key are equivalent, even if written differently.

Other modules compare keys instead of trees.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from kibitz.recycle import tree
from kibitz.recycle.checks.budget import Budget
from kibitz.recycle.tree import Binding, Node

Key: TypeAlias = int
"""A number that identifies an expression or statement up to equivalence."""
Values: TypeAlias = "dict[Binding, Any]"
"""Substitutes for the variables that are bound outside of a node."""


class Keys:
    """The keys of the nodes of a program.

    Keys do not depend on the names of variables or on the wording of a condition: ``(!= X 0)`` has
    the same key as ``(not (== 0 X))``. If X is the size of a filter, so has ``(> X 0)``.
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._numbers: dict[tuple[Any, ...], Key] = {}

    def number(self, *parts: Any) -> Key:
        """The key of a node that has these parts."""
        return self._numbers.setdefault(parts, len(self._numbers))

    def key(
        self, node: Node, values: Mapping[Binding, Any] | None = None, positive: bool = True
    ) -> Key:
        """The key of a node.

        Args:
            node: An expression or statement.
            values: Substitutes for variables that are bound outside of the node; other variables
                stand for themselves.
            positive: With ``False``, the result is the key of the negation of a condition.
        """
        return self._key(node, dict(values or {}), 0, positive)

    def body(
        self, node: Node, binding: Binding, values: Mapping[Binding, Any], positive: bool = True
    ) -> Key:
        """The key of a condition about an element of a collection, as ``filtered`` takes it."""
        return self._key(node, {**values, binding: ("bound", 0)}, 1, positive)

    def size(self, collection: Key) -> Key:
        """The key of the size of a collection."""
        return self.number("Size", collection)

    def filtered(self, collection: Key, body: Key) -> Key:
        """The key of the elements of a collection that meet the condition with the key `body`."""
        return self.number("Filter", collection, body)

    def _key(self, node: Node, values: Values, depth: int, positive: bool = True) -> Key:
        self._budget.spend()
        if isinstance(node, tree.Number):
            return self.number("Number", node.value)
        if isinstance(node, tree.Random):
            return self.number("Random", node)  # never the same twice
        if isinstance(node, tree.Variable):
            return self.number("Variable", values.get(node.binding, node.binding))
        if isinstance(node, tree.Not):
            return self._key(node.condition, values, depth, not positive)
        if isinstance(node, tree.Logic):
            conditions = {self._key(operand, values, depth, positive) for operand in node.parts}
            every = (node.operator == "and") is positive
            return self.number("and" if every else "or", *sorted(conditions))
        if isinstance(node, tree.Same):
            sides = sorted(self._key(side, values, depth) for side in (node.left, node.right))
            return self.number("Same", *sides, node.equal is positive)
        if isinstance(node, tree.Quantified):
            inside = {**values, node.binding: ("bound", depth)}
            body = self._key(node.body, inside, depth + 1, not node.every)
            collection = self._key(node.collection, values, depth)
            return self._any(collection, body, positive is not node.every)
        if isinstance(node, tree.Compare):
            return self._compared(node, values, depth, positive)
        binding = getattr(node, "binding", None)
        keys: list[Any] = [type(node).__name__]
        for name in tree.FIELDS[type(node)]:
            value = getattr(node, name)
            if name == "body" and binding is not None:
                keys.append(self._part(value, {**values, binding: ("bound", depth)}, depth + 1))
            else:
                keys.append(self._part(value, values, depth))
        return self.number(*keys)

    def _part(self, value: Any, values: Values, depth: int) -> Any:
        """The value of a field of a node, with nodes replaced by their keys."""
        if isinstance(value, Node):
            return self._key(value, values, depth)
        if isinstance(value, tuple):
            return tuple(self._part(item, values, depth) for item in value)
        return value

    def _any(self, collection: Key, body: Key, positive: bool) -> Key:
        """The key of the condition that some element meets a condition, or that none does."""
        return self.number("any", collection, body, positive)

    def _compared(self, node: tree.Compare, values: Values, depth: int, positive: bool) -> Key:
        operator, left, right = node.operator, node.left, node.right
        if isinstance(left, tree.Number) and not isinstance(right, tree.Number):
            operator, left, right = tree.MIRRORED[operator], right, left
        first, second = self._key(left, values, depth), self._key(right, values, depth)
        if operator in ("!=", ">=", "<="):
            positive = not positive
            operator = {"!=": "==", ">=": "<", "<=": ">"}[operator]  # type: ignore[assignment]
        if not isinstance(right, tree.Number):
            if operator == ">":
                return self.number("<", second, first, positive)
            sides = sorted((first, second)) if operator == "==" else (first, second)
            return self.number(operator, *sides, positive)
        limit = right.value
        if operator == ">":  # "> 2" is "not < 3"
            operator, limit, positive = "<", limit + 1, not positive
        if isinstance(left, tree.Size):
            if operator == "==" and limit == 0:
                operator, limit = "<", 1
            within = left.collection
            if operator == "<" and limit == 1 and counts_all(within):
                assert isinstance(within, tree.Filter)
                inside = {**values, within.binding: ("bound", depth)}
                body = self._key(within.body, inside, depth + 1)
                return self._any(self._key(within.collection, values, depth), body, not positive)
        return self.number(operator, first, "limit", limit, positive)


def counts_all(collection: tree.Expression) -> bool:
    """Whether a collection is a filter that keeps every element for which its condition holds.

    A filter of sets of cards also leaves out empty sets.
    """
    return isinstance(collection, tree.Filter) and collection.collection.type is not tree.Type.SETS

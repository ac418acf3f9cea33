"""Keys of parts of a program: parts with the same key are equivalent, however written."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeAlias

from kibitz.recycle import tree
from kibitz.recycle.checks.budget import Budget
from kibitz.recycle.tree import Binding, Node

Key: TypeAlias = int
"""Equal for pieces that say the same."""
Values: TypeAlias = "dict[Binding, Any]"
"""What stands for the variables that are bound outside of a piece."""


class Keys:
    """Gives the pieces of a program their keys, which are numbers.

    The names of variables do not matter; neither does how a condition is put: ``(!= X 0)`` is
    ``(not (== 0 X))``, and of a size it is ``(> X 0)``, too.
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._numbers: dict[tuple[Any, ...], Key] = {}

    def number(self, *parts: Any) -> Key:
        """The key of something made of these parts."""
        return self._numbers.setdefault(parts, len(self._numbers))

    def key(
        self, node: Node, values: Mapping[Binding, Any] | None = None, positive: bool = True
    ) -> Key:
        """The key of a piece.

        Args:
            node: the piece.
            values: what stands for variables bound outside of it; each stands for itself where
                nothing is said.
            positive: of a condition: whether that it holds, or that it does not.
        """
        return self._key(node, dict(values or {}), 0, positive)

    def body(
        self, node: Node, binding: Binding, values: Mapping[Binding, Any], positive: bool = True
    ) -> Key:
        """The key of a condition about the elements of a collection, for ``filtered``."""
        return self._key(node, {**values, binding: ("bound", 0)}, 1, positive)

    def size(self, collection: Key) -> Key:
        """The key of the size of a collection."""
        return self.number("Size", collection)

    def filtered(self, collection: Key, body: Key) -> Key:
        """The key of a filter: the elements that meet a condition, whose key is `body`."""
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
        if isinstance(node, tree.Truth):
            return self.number("Truth", node.value is positive)
        if isinstance(node, tree.Logic):
            parts = {self._key(part, values, depth, positive) for part in node.parts}
            every = (node.operator == "and") is positive
            return self.number("and" if every else "or", *sorted(parts))
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
        parts_: list[Any] = [type(node).__name__]
        for name in _FIELDS[type(node)]:
            value = getattr(node, name)
            if name == "body" and binding is not None:
                parts_.append(self._part(value, {**values, binding: ("bound", depth)}, depth + 1))
            else:
                parts_.append(self._part(value, values, depth))
        return self.number(*parts_)

    def _part(self, value: Any, values: Values, depth: int) -> Any:
        if isinstance(value, Node):
            return self._key(value, values, depth)
        if isinstance(value, tuple):
            return tuple(self._part(one, values, depth) for one in value)
        return value

    def _any(self, collection: Key, body: Key, positive: bool) -> Key:
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
        if operator == ">":  # than 2 is: not less than 3
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
    """Whether it is a filter that leaves out nothing for which its condition holds.

    (From a collection of sets it leaves out the empty ones, too.)
    """
    return isinstance(collection, tree.Filter) and collection.collection.type is not tree.Type.SETS


class _Fields(dict[type, tuple[str, ...]]):
    """The fields of a class of nodes, without their span and variable."""

    def __missing__(self, cls: type) -> tuple[str, ...]:
        names = (field.name for field in dataclasses.fields(cls))
        self[cls] = tuple(name for name in names if name not in ("span", "binding"))
        return self[cls]


_FIELDS = _Fields()

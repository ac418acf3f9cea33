"""Ground terms as numbers, with operations on whole arrays, for the grounder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kibitz.gdl.limits import Ledger
from kibitz.gdl.rules import Compound, Term
from kibitz.gdl.tables import Array, GrowingArray, RowSet


class TermTable:
    """Ground terms, numbered in the order in which they were added.

    Args:
        ledger: counts the bytes that they take.

    Attributes:
        deepest: the largest depth of a term; that of a constant is 0.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._constants: dict[str, int] = {}
        self._functors: dict[tuple[str, int], int] = {}
        self._arguments: list[RowSet] = []
        self._ids: list[GrowingArray] = []
        self._functor = GrowingArray(ledger)
        self._row = GrowingArray(ledger)
        self._depth = GrowingArray(ledger)
        self.deepest = 0
        self._terms: dict[int, Term] = {}

    def __len__(self) -> int:
        return self._functor.count

    def constant(self, name: str) -> int:
        """The number of a constant."""
        if name not in self._constants:
            self._constants[name] = number = len(self)
            self._terms[number] = name
            self._new(-1, np.zeros(1, np.int32), np.zeros(1, np.int32))
        return self._constants[name]

    def functor(self, name: str, arity: int) -> int:
        """The number of a functor, which numbers them apart from terms."""
        if (name, arity) not in self._functors:
            self._functors[name, arity] = len(self._arguments)
            self._arguments.append(RowSet(self._ledger, arity))
            self._ids.append(GrowingArray(self._ledger))
        return self._functors[name, arity]

    def compounds(self, functor: int, arguments: Sequence[Array], count: int) -> Array:
        """The numbers of `count` compounds, given the numbers of their arguments by column."""
        table, ids = self._arguments[functor], self._ids[functor]
        before = len(table)
        rows = np.stack(arguments, axis=1) if arguments else np.empty((count, 0), np.int32)
        places = table.add(rows)
        fresh = table.rows[before:]
        if len(fresh):
            ids.append(np.arange(len(self), len(self) + len(fresh)))
            depth = 1 + self._depth.rows[fresh].max(axis=1)
            self._new(functor, np.arange(before, len(table)), depth)
        return ids.rows[places]

    def _new(self, functor: int, rows: Array, depth: Array) -> None:
        self._functor.append(np.full(len(rows), functor))
        self._row.append(rows)
        self._depth.append(depth)
        self.deepest = max(self.deepest, int(depth.max(initial=0)))

    def number(self, term: Term) -> int:
        """The number of a ground term."""
        if isinstance(term, str):
            return self.constant(term)
        assert isinstance(term, Compound)
        arguments = [np.array([self.number(a)], np.int32) for a in term.arguments]
        return int(self.compounds(self.functor(term.name, len(arguments)), arguments, 1)[0])

    def of(self, functor: int, numbers: Array) -> Array:
        """Whether each term is a compound of a functor, as an array of flags."""
        return self._functor.rows[numbers] == functor

    def arguments(self, functor: int, numbers: Array) -> Array:
        """The arguments of compounds of a functor, with a row for each compound."""
        return self._arguments[functor].rows[self._row.rows[numbers]]

    def term(self, number: int) -> Term:
        """The term with a number."""
        known = self._terms.get(number)
        if known is None:
            functor = int(self._functor.rows[number])
            name, _ = list(self._functors)[functor]
            row = self._arguments[functor].rows[int(self._row.rows[number])]
            known = Compound(name, tuple(self.term(int(a)) for a in row))
            self._terms[number] = known
        return known

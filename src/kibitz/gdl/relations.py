"""Relations as arrays of term numbers, and rules as joins over them, for the grounder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kibitz.gdl.limits import Ledger
from kibitz.gdl.rules import Compound, Distinct, Literal, Rule, Sentence, Term, Variable, variables
from kibitz.gdl.tables import (
    Array,
    GrowingArray,
    KeyIndex,
    RowSet,
    distinct,
    keys,
    multipliers,
    unique_dense,
)
from kibitz.gdl.termtable import TermTable

CHUNK = 1 << 17
"""Rows of up to ``_NARROW`` columns that a join makes at a time; fewer of wider rows."""
_NARROW = 8
"""Columns of a row up to which a join makes ``CHUNK`` rows at a time."""

Shape = tuple["tuple[int, Shape] | None", ...]
"""The nesting of arguments: for each a functor with its own shape, or ``None`` for any term."""
Column = Variable | int
"""A column of a join: the values of a variable, or the row numbers of a look-up by its number."""


class View:
    """The rows of a relation that match a shape, with nested arguments flattened to columns.

    Attributes:
        parents: for each row of the view the number of its row in the relation.
    """

    def __init__(self, ledger: Ledger, width: int) -> None:
        self._ledger = ledger
        self.rows_ = GrowingArray(ledger, width)
        self.parents = GrowingArray(ledger)
        self._indexes: dict[tuple[int, ...], tuple[int, KeyIndex]] = {}
        self._counts: dict[int, tuple[int, int]] = {}

    def __len__(self) -> int:
        return self.rows_.count

    @property
    def rows(self) -> Array:
        """The matching rows, with a column for each nested argument."""
        return self.rows_.rows

    def add(self, rows: Array, parents: Array) -> None:
        """Adds flattened rows, with the numbers of their rows in the relation."""
        if not len(rows):
            return
        before = len(self)
        self.rows_.append(rows)
        self.parents.append(parents)
        for places, (bits, index) in list(self._indexes.items()):
            if int(rows[:, places].max(initial=0)).bit_length() > bits:
                del self._indexes[places]
                index.drop()
            else:
                self._file(places, bits, index, before)

    def _file(self, places: tuple[int, ...], bits: int, index: KeyIndex, start: int) -> None:
        rows = self.rows[start:]
        factors = multipliers(len(places), bits)
        row_keys = keys([rows[:, place] for place in places], factors, len(rows))
        index.add(row_keys, np.arange(start, len(self), dtype=np.int32))

    def index(self, places: tuple[int, ...]) -> tuple[int, KeyIndex]:
        """Returns the bits per column of an index's keys, and the index, made if needed."""
        if places not in self._indexes:
            bits = 1 + int(self.rows[:, places].max(initial=1)).bit_length()
            index = KeyIndex(self._ledger)
            self._indexes[places] = bits, index
            self._file(places, bits, index, 0)
        return self._indexes[places]

    def values(self, place: int) -> int:
        """Estimates the number of distinct values of a column."""
        size, count = self._counts.get(place, (0, 1))
        if len(self) > 2 * size:
            count = len(unique_dense(self.rows[:, place]))
            self._counts[place] = len(self), count
        return max(1, count)

    def expected(self, places: Sequence[int]) -> float:
        """Estimates the number of rows that match given values in some columns."""
        combinations = 1.0
        for place in places:
            combinations *= self.values(place)
        return len(self) / max(1.0, min(combinations, float(len(self))))


class Relation:
    """The rows of a relation, and views of them by shape.

    Attributes:
        start: the number of its first atom less one, once atoms are numbered.
    """

    def __init__(self, ledger: Ledger, width: int) -> None:
        self._ledger = ledger
        self.table = RowSet(ledger, width)
        self.views: dict[Shape, View] = {}
        self.start = 0

    def __len__(self) -> int:
        return len(self.table)

    def view(self, shape: Shape) -> View:
        """Returns the view of a shape; a new view lacks the rows that were added before."""
        if shape not in self.views:
            self.views[shape] = View(self._ledger, _leaves(shape))
        return self.views[shape]

    def add(self, rows: Array, terms: TermTable) -> None:
        """Adds the rows that are new, to the views as well."""
        before = len(self.table)
        self.table.add(rows)
        new = self.table.rows[before:]
        if len(new):
            parents = np.arange(before, len(self.table))
            for shape, view in self.views.items():
                view.add(*_shaped(terms, shape, new, parents))


def _leaves(shape: Shape) -> int:
    return sum(1 if argument is None else _leaves(argument[1]) for argument in shape)


def _shaped(terms: TermTable, shape: Shape, rows: Array, parents: Array) -> tuple[Array, Array]:
    """Returns the rows that match a shape, flattened, and their numbers in the relation."""
    if all(argument is None for argument in shape):
        return rows, parents
    place = 0
    flat: list[tuple[int, Shape] | None] = list(shape)
    while place < len(flat):
        argument = flat[place]
        if argument is None:
            place += 1
            continue
        functor, inner = argument
        fits = terms.of(functor, rows[:, place])
        rows, parents = rows[fits], parents[fits]
        arguments = terms.arguments(functor, rows[:, place])
        rows = np.concatenate([rows[:, :place], arguments, rows[:, place + 1 :]], axis=1)
        flat[place : place + 1] = list(inner)
    return rows, parents


@dataclass(frozen=True)
class Lookup:
    """A positive literal, as a look-up in a view.

    Attributes:
        leaves: for each column of the view a variable, or the number of a ground term.
        tracked: whether the join keeps the numbers of the matching rows.
    """

    relation: Relation
    view: View
    leaves: tuple[Variable | int, ...]
    tracked: bool

    def bound(self, known: set[Column]) -> tuple[int, ...]:
        """Returns the columns with a value before the look-up, given the known variables."""
        return tuple(
            i for i, x in enumerate(self.leaves) if not isinstance(x, Variable) or x in known
        )


@dataclass(frozen=True)
class _JoinStep:
    """A step of a join plan: a look-up, and the filters and projection after it.

    Attributes:
        number: the number of the look-up in its clause.
        bound: the columns of the view that have values before the look-up.
    """

    number: int
    bound: tuple[int, ...]
    filters: tuple[Distinct | Literal, ...]
    keep: frozenset[Column]


@dataclass
class Clause:
    """A rule as a join of look-ups, with the filters on its rows.

    Attributes:
        absent: negated literals of relations that never change, which filter rows.
        open: negated literals of relations that may change, which stay in the instances.
        made: the rows that its joins have made.
    """

    rule: Rule
    head: Relation
    lookups: list[Lookup]
    differences: list[Distinct]
    absent: list[tuple[Literal, Relation]]
    open: list[tuple[Literal, Relation]]
    made: int = 0


Spend = Callable[[Clause, int], None]
"""A function that counts rows before a clause makes them, and raises an error at the limit."""


def lookup_for(literal: Literal, relation: Relation, terms: TermTable, tracked: bool) -> Lookup:
    """Returns the look-up for a positive literal."""
    leaves: list[Variable | int] = []

    def shape(term: Term) -> tuple[int, Shape] | None:
        if isinstance(term, Compound) and any(True for _ in variables(term)):
            functor = terms.functor(term.name, len(term.arguments))
            return functor, tuple(map(shape, term.arguments))
        leaves.append(term if isinstance(term, Variable) else terms.number(term))
        return None

    view = relation.view(tuple(map(shape, literal.sentence.arguments)))
    return Lookup(relation, view, tuple(leaves), tracked)


Columns = dict[Column, Array]


Ranges = tuple[Array | None, Array, Array]
"""Row numbers, and for each row of a join the start and length of its matches in these.

Instead of row numbers it has ``None`` if starts are row numbers themselves.
"""


def _pieces(matches: list[Ranges], most: int) -> Iterator[list[Ranges]]:
    """Splits the matches of a single row into pieces of at most `most` rows."""
    for values, begins, counts in matches:
        for start in range(0, int(counts[0]), most):
            yield [(values, begins + start, np.minimum(counts - start, most))]


class Join:
    """The join of a clause's conditions; iteration yields blocks of columns with their row count.

    Args:
        output: the columns that are needed; within a block their rows are distinct.
        first: the number of the look-up to begin with; ``None`` leaves the choice to the plan.
        rows: the range of rows of the view of `first` to use; ``None`` for all.
    """

    def __init__(
        self,
        clause: Clause,
        terms: TermTable,
        output: Iterable[Column],
        spend: Spend,
        first: int | None = None,
        rows: tuple[int, int] | None = None,
    ) -> None:
        self.clause, self.terms, self.spend = clause, terms, spend
        self.output = frozenset(output)
        self.rows = rows
        self.start: tuple[Distinct | Literal, ...] = ()
        self.steps = self._plan(first)
        self.absent = {id(literal): relation for literal, relation in clause.absent}

    def _plan(self, first: int | None) -> list[_JoinStep]:
        """Orders look-ups greedily: the one with the fewest expected rows comes next."""
        lookups = self.clause.lookups
        remaining = set(range(len(lookups)))
        filters: list[Distinct | Literal] = list(self.clause.differences)
        filters += [literal for literal, _ in self.clause.absent]
        known: set[Column] = set()

        def ready() -> tuple[Distinct | Literal, ...]:
            checks = tuple(f for f in filters if set(variables(f)) <= known)
            filters[:] = [f for f in filters if f not in checks]
            return checks

        self.start = ready()
        drafts: list[tuple[int, tuple[int, ...], tuple[Distinct | Literal, ...]]] = []
        while remaining:
            number = first if first in remaining else None
            if number is None:
                number = min(
                    remaining, key=lambda i: (lookups[i].view.expected(lookups[i].bound(known)), i)
                )
            remaining.discard(number)
            bound = lookups[number].bound(known)
            known |= {x for x in lookups[number].leaves if isinstance(x, Variable)}
            if lookups[number].tracked:
                known.add(number)
            drafts.append((number, bound, ready()))
        steps: list[_JoinStep] = []
        needed = set(self.output)
        for number, bound, checks in reversed(drafts):
            steps.append(_JoinStep(number, bound, checks, frozenset(needed & known)))
            needed |= {v for f in checks for v in variables(f)}
            needed |= {x for x in lookups[number].leaves if isinstance(x, Variable)}
        return steps[::-1]

    def __iter__(self) -> Iterator[tuple[Columns, int]]:
        columns, count = self._filtered(self.start, {}, 1)
        yield from self._from(0, columns, count)

    def _from(self, at: int, columns: Columns, count: int) -> Iterator[tuple[Columns, int]]:
        if not count:
            return
        if at == len(self.steps):
            yield columns, count
            return
        step = self.steps[at]
        matches = self._found(step, columns, count)
        total = sum(int(counts.sum()) for _, _, counts in matches)
        most = CHUNK * _NARROW // max(_NARROW, len(columns))
        if total > most and count > 1:
            for half in (slice(0, count // 2), slice(count // 2, count)):
                selected = {name: column[half] for name, column in columns.items()}
                yield from self._from(at, selected, len(range(*half.indices(count))))
            return
        self.spend(self.clause, total)
        for piece in _pieces(matches, most) if total > most else [matches]:
            yield from self._after(at, piece, columns)

    def _after(
        self, at: int, matches: list[Ranges], columns: Columns
    ) -> Iterator[tuple[Columns, int]]:
        """Yields the blocks of rows after a step and all later steps."""
        step = self.steps[at]
        columns, count = self._looked_up(step, matches, columns)
        columns, count = self._filtered(step.filters, columns, count)
        if any(name not in step.keep for name in columns):
            names = [name for name in columns if name in step.keep]
            if not names:
                columns, count = {}, min(count, 1)
            else:
                rows = distinct(np.stack([columns[name] for name in names], axis=1))
                columns = {name: rows[:, i] for i, name in enumerate(names)}
                count = len(rows)
        yield from self._from(at + 1, columns, count)

    def _found(self, step: _JoinStep, columns: Columns, count: int) -> list[Ranges]:
        """Looks up each row of the join; returns the matches as ranges of an index's runs."""
        lookup = self.clause.lookups[step.number]
        view = lookup.view
        if self.rows is not None and step is self.steps[0]:
            begin, end = self.rows
        else:
            begin, end = 0, len(view)
        if not step.bound or (begin, end) != (0, len(view)):
            return [(None, np.full(count, begin), np.full(count, end - begin))]
        bits, index = view.index(step.bound)
        values = [self._leaf(lookup.leaves[place], columns, count) for place in step.bound]
        row_keys = keys(values, multipliers(len(values), bits), count)
        return list(index.spans(row_keys))

    def _leaf(self, leaf: Variable | int, columns: Columns, count: int) -> Array:
        return columns[leaf] if isinstance(leaf, Variable) else np.full(count, leaf, np.int32)

    def _looked_up(
        self, step: _JoinStep, matches: list[Ranges], columns: Columns
    ) -> tuple[Columns, int]:
        lookup = self.clause.lookups[step.number]
        origins, hits = [], []
        for values, begin, counts in matches:
            origins.append(np.repeat(np.arange(len(counts)), counts))
            offsets = np.repeat(begin - (np.cumsum(counts) - counts), counts)
            places = offsets + np.arange(len(offsets))
            hits.append(places if values is None else values[places])
        origin = np.concatenate(origins) if origins else np.empty(0, np.int64)
        hit = np.concatenate(hits) if hits else np.empty(0, np.int64)
        rows = lookup.view.rows
        fits = np.ones(len(hit), bool)
        made: Columns = {}
        for place, leaf in enumerate(lookup.leaves):
            values = rows[hit, place]
            if not isinstance(leaf, Variable):
                fits &= values == leaf
            elif leaf in columns:
                fits &= values == columns[leaf][origin]
            elif leaf in made:
                fits &= values == made[leaf]
            else:
                made[leaf] = values
        if lookup.tracked:
            made[step.number] = lookup.view.parents.rows[hit]
        columns = {name: column[origin] for name, column in columns.items()} | made
        if not fits.all():
            columns = {name: column[fits] for name, column in columns.items()}
        return columns, int(fits.sum())

    def _filtered(
        self, filters: Iterable[Distinct | Literal], columns: Columns, count: int
    ) -> tuple[Columns, int]:
        for condition in filters:
            if isinstance(condition, Distinct):
                left = build(self.terms, condition.left, columns, count)
                right = build(self.terms, condition.right, columns, count)
                fits = (left == right) == condition.negated
            else:
                relation = self.absent[id(condition)]
                fits = find(self.terms, relation, condition.sentence, columns, count) < 0
            if not fits.all():
                columns = {name: column[fits] for name, column in columns.items()}
                count = int(fits.sum())
        return columns, count


def build(terms: TermTable, term: Term, columns: Columns, count: int) -> Array:
    """Returns the number of a term for each row, with its variables substituted."""
    if isinstance(term, Variable):
        return columns[term]
    if isinstance(term, Compound) and any(True for _ in variables(term)):
        arguments = [build(terms, argument, columns, count) for argument in term.arguments]
        return terms.compounds(terms.functor(term.name, len(arguments)), arguments, count)
    return np.full(count, terms.number(term), np.int32)


def rows_of(terms: TermTable, sentence: Sentence, columns: Columns, count: int) -> Array:
    """Returns the arguments of a sentence as term numbers, for each row of a join."""
    arguments = [build(terms, argument, columns, count) for argument in sentence.arguments]
    return np.stack(arguments, axis=1) if arguments else np.zeros((count, 0), np.int32)


def find(
    terms: TermTable, relation: Relation, sentence: Sentence, columns: Columns, count: int
) -> Array:
    """Returns the row number of a sentence in its relation for each row; -1 if absent."""
    return relation.table.find(rows_of(terms, sentence, columns, count))

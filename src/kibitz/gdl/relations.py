"""The grounder's relations, as tables of term numbers, and rules as joins over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kibitz.gdl.limits import Memory
from kibitz.gdl.rules import Compound, Distinct, Literal, Rule, Sentence, Term, Variable, variables
from kibitz.gdl.tables import (
    Array,
    GrowingArray,
    Index,
    Table,
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
"""For each argument ``None``, or a functor's number and the shape of its arguments."""
Column = Variable | int
"""Where a join keeps a value: under its variable, or, for rows, the number of the condition."""


class View:
    """The rows of a relation that match a shape, with nested arguments as columns."""

    def __init__(self, memory: Memory, width: int) -> None:
        self._memory = memory
        self.rows_ = GrowingArray(memory, width)
        self.parents = GrowingArray(memory)
        self._indexes: dict[tuple[int, ...], tuple[int, Index]] = {}
        self._counts: dict[int, tuple[int, int]] = {}

    def __len__(self) -> int:
        return self.rows_.count

    @property
    def rows(self) -> Array:
        """The matching rows, each with its nested arguments as columns."""
        return self.rows_.rows

    def add(self, rows: Array, parents: Array) -> None:
        """Adds rows, and the numbers of the rows of the relation they come from."""
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

    def _file(self, places: tuple[int, ...], bits: int, index: Index, start: int) -> None:
        rows = self.rows[start:]
        factors = multipliers(len(places), bits)
        found = keys([rows[:, place] for place in places], factors, len(rows))
        index.add(found, np.arange(start, len(self), dtype=np.int32))

    def index(self, places: tuple[int, ...]) -> tuple[int, Index]:
        """An index on some columns, and the bits per column of its keys."""
        if places not in self._indexes:
            bits = 1 + int(self.rows[:, places].max(initial=1)).bit_length()
            index = Index(self._memory)
            self._indexes[places] = bits, index
            self._file(places, bits, index, 0)
        return self._indexes[places]

    def values(self, place: int) -> int:
        """An estimate of the distinct values of a column."""
        size, count = self._counts.get(place, (0, 1))
        if len(self) > 2 * size:
            count = len(unique_dense(self.rows[:, place]))
            self._counts[place] = len(self), count
        return max(1, count)

    def expected(self, places: Sequence[int]) -> float:
        """An estimate of the rows that match values in some columns."""
        combinations = 1.0
        for place in places:
            combinations *= self.values(place)
        return len(self) / max(1.0, min(combinations, float(len(self))))


class Relation:
    """A relation: its rows, and views of them by shape."""

    def __init__(self, memory: Memory, width: int) -> None:
        self._memory = memory
        self.table = Table(memory, width)
        self.views: dict[Shape, View] = {}
        self.known = 0
        """Rows that rules have been applied to."""
        self.start = 0
        """The number of its first sentence among all, less one."""

    def __len__(self) -> int:
        return len(self.table)

    def view(self, shape: Shape) -> View:
        """The view of a shape; made anew, it has only the matching rows added from now on."""
        if shape not in self.views:
            self.views[shape] = View(self._memory, _leaves(shape))
        return self.views[shape]

    def add(self, rows: Array, terms: TermTable) -> None:
        """Adds rows that are not there yet."""
        before = len(self.table)
        self.table.add(rows)
        new = self.table.rows[before:]
        if len(new):
            parents = np.arange(before, len(self.table))
            for shape, view in self.views.items():
                view.add(*_shaped(terms, shape, new, parents))


def _leaves(shape: Shape) -> int:
    return sum(1 if part is None else _leaves(part[1]) for part in shape)


def _shaped(terms: TermTable, shape: Shape, rows: Array, parents: Array) -> tuple[Array, Array]:
    """The rows that match a shape, flattened, and the rows they come from."""
    if all(part is None for part in shape):
        return rows, parents
    place = 0
    flat: list[tuple[int, Shape] | None] = list(shape)
    while place < len(flat):
        part = flat[place]
        if part is None:
            place += 1
            continue
        functor, inner = part
        fits = terms.of(functor, rows[:, place])
        rows, parents = rows[fits], parents[fits]
        arguments = terms.arguments(functor, rows[:, place])
        rows = np.concatenate([rows[:, :place], arguments, rows[:, place + 1 :]], axis=1)
        flat[place : place + 1] = list(inner)
    return rows, parents


@dataclass(frozen=True)
class Atom:
    """A positive literal, as a look-up in a view.

    Attributes:
        leaves: for each column of the view a variable, or the number of a term.
        kept: whether it matters which of the rows it is.
    """

    relation: Relation
    view: View
    leaves: tuple[Variable | int, ...]
    kept: bool

    def bound(self, known: set[Column]) -> tuple[int, ...]:
        """The columns that are bound before the look-up."""
        return tuple(
            i for i, x in enumerate(self.leaves) if not isinstance(x, Variable) or x in known
        )


@dataclass(frozen=True)
class _Step:
    """A step of a join plan: a look-up, and the filters and projection after it."""

    number: int
    bound: tuple[int, ...]
    filters: tuple[Distinct | Literal, ...]
    keep: frozenset[Column]


@dataclass
class Clause:
    """A rule as a join."""

    rule: Rule
    head: Relation
    atoms: list[Atom]
    differences: list[Distinct]
    absent: list[tuple[Literal, Relation]]
    """What must not hold, of relations that are known beforehand."""
    open: list[tuple[Literal, Relation]]
    """What must not hold, of others."""
    made: int = 0
    """Rows that its joins made."""


Spend = Callable[[Clause, int], None]
"""Told how many rows a clause is about to make; it may refuse them."""


def atom(literal: Literal, relation: Relation, terms: TermTable, kept: bool) -> Atom:
    """The look-up for a literal."""
    leaves: list[Variable | int] = []

    def shape(term: Term) -> tuple[int, Shape] | None:
        if isinstance(term, Compound) and any(True for _ in variables(term)):
            functor = terms.functor(term.name, len(term.arguments))
            return functor, tuple(map(shape, term.arguments))
        leaves.append(term if isinstance(term, Variable) else terms.number(term))
        return None

    view = relation.view(tuple(map(shape, literal.sentence.arguments)))
    return Atom(relation, view, tuple(leaves), kept)


Columns = dict[Column, Array]


Span = tuple[Array | None, Array, Array]
"""Numbers of rows (``None``: each its place), and for each row of a join where those that fit
begin among them, and how many they are."""


def _pieces(found: list[Span], most: int) -> Iterator[list[Span]]:
    """Splits the matches of a single row into pieces of bounded size."""
    for values, begins, counts in found:
        for start in range(0, int(counts[0]), most):
            yield [(values, begins + start, np.minimum(counts - start, most))]


class Join:
    """The join of a clause's conditions, as blocks of rows.

    Args:
        clause: the rule.
        terms: the terms.
        output: the columns that are wanted; but for these there are no repetitions.
        spend: told how many rows there are before they are made.
        first: the atom to begin with, of which only some rows count.
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

    def _plan(self, first: int | None) -> list[_Step]:
        """A greedy join order: the atom with the fewest expected rows comes next."""
        atoms = self.clause.atoms
        left = set(range(len(atoms)))
        filters: list[Distinct | Literal] = list(self.clause.differences)
        filters += [literal for literal, _ in self.clause.absent]
        known: set[Column] = set()

        def ready() -> tuple[Distinct | Literal, ...]:
            found = tuple(f for f in filters if set(variables(f)) <= known)
            filters[:] = [f for f in filters if f not in found]
            return found

        self.start = ready()
        drafts: list[tuple[int, tuple[int, ...], tuple[Distinct | Literal, ...]]] = []
        while left:
            number = first if first in left else None
            if number is None:
                number = min(
                    left, key=lambda i: (atoms[i].view.expected(atoms[i].bound(known)), i)
                )
            left.discard(number)
            bound = atoms[number].bound(known)
            known |= {x for x in atoms[number].leaves if isinstance(x, Variable)}
            if atoms[number].kept:
                known.add(number)
            drafts.append((number, bound, ready()))
        steps: list[_Step] = []
        needed = set(self.output)
        for number, bound, found in reversed(drafts):
            steps.append(_Step(number, bound, found, frozenset(needed & known)))
            needed |= {v for f in found for v in variables(f)}
            needed |= {x for x in atoms[number].leaves if isinstance(x, Variable)}
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
        found = self._found(step, columns, count)
        total = sum(int(counts.sum()) for _, _, counts in found)
        most = CHUNK * _NARROW // max(_NARROW, len(columns))
        if total > most and count > 1:
            for part in (slice(0, count // 2), slice(count // 2, count)):
                some = {name: column[part] for name, column in columns.items()}
                yield from self._from(at, some, len(range(*part.indices(count))))
            return
        self.spend(self.clause, total)
        for piece in _pieces(found, most) if total > most else [found]:
            yield from self._after(at, piece, columns)

    def _after(
        self, at: int, found: list[Span], columns: Columns
    ) -> Iterator[tuple[Columns, int]]:
        """The blocks of rows after a step and all later ones."""
        step = self.steps[at]
        columns, count = self._looked_up(step, found, columns)
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

    def _found(self, step: _Step, columns: Columns, count: int) -> list[Span]:
        """Looks up each row of the join; the matches are ranges of the runs of an index."""
        look_up = self.clause.atoms[step.number]
        view = look_up.view
        if self.rows is not None and step is self.steps[0]:
            begin, end = self.rows
        else:
            begin, end = 0, len(view)
        if not step.bound or (begin, end) != (0, len(view)):
            return [(None, np.full(count, begin), np.full(count, end - begin))]
        bits, index = view.index(step.bound)
        parts = [self._leaf(look_up.leaves[place], columns, count) for place in step.bound]
        wanted = keys(parts, multipliers(len(parts), bits), count)
        return list(index.spans(wanted))

    def _leaf(self, leaf: Variable | int, columns: Columns, count: int) -> Array:
        return columns[leaf] if isinstance(leaf, Variable) else np.full(count, leaf, np.int32)

    def _looked_up(self, step: _Step, found: list[Span], columns: Columns) -> tuple[Columns, int]:
        look_up = self.clause.atoms[step.number]
        whiches, hits = [], []
        for values, begin, counts in found:
            whiches.append(np.repeat(np.arange(len(counts)), counts))
            offsets = np.repeat(begin - (np.cumsum(counts) - counts), counts)
            places = offsets + np.arange(len(offsets))
            hits.append(places if values is None else values[places])
        which = np.concatenate(whiches) if whiches else np.empty(0, np.int64)
        hit = np.concatenate(hits) if hits else np.empty(0, np.int64)
        rows = look_up.view.rows
        fits = np.ones(len(hit), bool)
        made: Columns = {}
        for place, leaf in enumerate(look_up.leaves):
            values = rows[hit, place]
            if not isinstance(leaf, Variable):
                fits &= values == leaf
            elif leaf in columns:
                fits &= values == columns[leaf][which]
            elif leaf in made:
                fits &= values == made[leaf]
            else:
                made[leaf] = values
        if look_up.kept:
            made[step.number] = look_up.view.parents.rows[hit]
        columns = {name: column[which] for name, column in columns.items()} | made
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
    """The term numbers of a term with variables, row by row."""
    if isinstance(term, Variable):
        return columns[term]
    if isinstance(term, Compound) and any(True for _ in variables(term)):
        parts = [build(terms, argument, columns, count) for argument in term.arguments]
        return terms.compounds(terms.functor(term.name, len(parts)), parts, count)
    return np.full(count, terms.number(term), np.int32)


def rows_of(terms: TermTable, sentence: Sentence, columns: Columns, count: int) -> Array:
    """The arguments of a sentence, row by row."""
    parts = [build(terms, argument, columns, count) for argument in sentence.arguments]
    return np.stack(parts, axis=1) if parts else np.zeros((count, 0), np.int32)


def find(
    terms: TermTable, relation: Relation, sentence: Sentence, columns: Columns, count: int
) -> Array:
    """The row numbers of a sentence in a relation, row by row; -1 if absent."""
    return relation.table.find(rows_of(terms, sentence, columns, count))

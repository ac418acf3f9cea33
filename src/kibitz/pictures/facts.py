"""Recognition of boards among the facts of a GDL state, by the form of the facts.

GDL does not say what a board is. But if the facts of a relation have two successive arguments
that run through numbers or letters, as in ``(cell 2 3 x)``, these are taken for column and row.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

LEAST_CELLS = 4
MOST_ACROSS = 40
"""The most columns or rows of a board."""
BLANKS = frozenset(
    (
        "b",
        "blank",
        "empty",
        "e",
        "none",
        "nothing",
        "free",
        "clear",
        "gap",
        "hole",
        "nolight",
        "off",
    )
)
"""Contents of a cell that are not pieces. In a game with ``w``, ``b`` is a black piece, though."""

NAMES = frozenset(
    (
        "cell",
        "at",
        "location",
        "piece",
        "disc",
        "mark",
        "hole",
        "pawn",
        "cube",
        "cellholds",
        "square",
    )
)
"""The usual names of relations that say what lies on a board."""

_PARTS = re.compile(r"\(|\)|[^\s()]+")
_NUMBER = re.compile(r"([a-z]*?)_?(\d+)")
_SQUARE = re.compile(r"([a-z])(\d+)")
_BY_ROW = re.compile(r"\(\w+ \?(?:r|row\w*) \?(?:c|col\w*)[\s)]", re.IGNORECASE)

Fact = tuple[str, ...]
"""A relation and its arguments as text, including arguments that are compound terms."""
Cell = tuple[str, ...]
"""The arguments that locate a cell: its column and row; on a board of boards, four of them."""


@functools.lru_cache(maxsize=1 << 15)
def parsed(text: str) -> Fact:
    """A fact or a move, split into its parts: ``("cell", "2", "3", "x")``."""
    if not text.startswith("("):
        return (text,)
    terms: list[str] = []
    depth, inner = 0, ""
    for token in _PARTS.findall(text):
        if token == ")":
            depth -= 1
            if depth == 1:
                terms.append(f"{inner.strip()})".replace("( ", "("))
                inner = ""
                continue
        if token == "(":
            depth += 1
            if depth == 1:
                continue
        if depth == 1:
            terms.append(token)
        elif depth > 1:
            inner += ("" if token == ")" else " ") + token
    return tuple(terms)


@dataclass(frozen=True)
class Axis:
    """The values of a column or row, in order."""

    values: tuple[str, ...]

    @property
    def lettered(self) -> bool:
        """Whether the values are letters."""
        return not self.values[0][-1].isdigit()


@dataclass(frozen=True, eq=False)
class Board:
    """The relation of a game that describes a board, and its axes.

    Attributes:
        at: the index of the first argument that locates a cell, for each relation and number of
            arguments; the other such arguments follow.
        span: the number of arguments that locate a cell: one (``f6``), two, or four, for a board
            of boards.
        columns, rows: the axes; on a board of boards, of the outer board.
        inner: the axes within an inner board, on a board of boards.
        upward: whether the first row is the lowest.
        by_row: whether the row comes before the column.
    """

    at: Mapping[tuple[str, int], int]
    span: int
    columns: Axis
    rows: Axis
    inner: tuple[Axis, Axis] | None
    upward: bool
    by_row: bool

    def where(self, fact: Fact) -> Cell | None:
        """The cell that a fact is about; ``None`` for other facts."""
        start = self.at.get((fact[0], len(fact)))
        return None if start is None else fact[start : start + self.span]

    def content(self, fact: Fact) -> tuple[str, ...]:
        """The arguments of a fact that describe its cell."""
        start = self.at[fact[0], len(fact)]
        return fact[1:start] + fact[start + self.span :]

    @functools.cached_property
    def _positions(self) -> dict[Cell, tuple[int, int]]:
        """Column and row of every cell."""
        columns, rows = enumerate(self.columns.values), list(enumerate(self.rows.values))
        outer: list[tuple[int, int, Cell]] = [
            (column, row, (c, r)) for column, c in columns for row, r in rows
        ]
        if self.inner is not None:
            across, down = (axis.values for axis in self.inner)
            outer = [
                (column * len(across) + x, row * len(down) + y, (*cell, c, r))
                for column, row, cell in outer
                for x, c in enumerate(across)
                for y, r in enumerate(down)
            ]
        if self.span == 1:
            outer = [(column, row, ("".join(cell),)) for column, row, cell in outer]
        if self.by_row:
            outer = [(row, column, cell) for column, row, cell in outer]
        last = self.size[1] - 1
        return {cell: (column, last - row if self.upward else row) for column, row, cell in outer}

    def position(self, cell: Cell) -> tuple[int, int] | None:
        """The column and row of a cell, from the upper left; ``None`` if the board lacks it."""
        return self._positions.get(cell)

    @property
    def size(self) -> tuple[int, int]:
        """The number of columns and of rows of cells."""
        width, height = len(self.columns.values), len(self.rows.values)
        if self.inner is not None:
            width *= len(self.inner[0].values)
            height *= len(self.inner[1].values)
        return (height, width) if self.by_row else (width, height)

    def cells(self, words: Sequence[str]) -> list[Cell]:
        """The cells that the arguments of a move name, in order."""
        cells: list[Cell] = []
        place = 0
        while place + self.span <= len(words):
            cell = tuple(words[place : place + self.span])
            if self.position(cell) is not None:
                cells.append(cell)
                place += self.span
            else:
                place += 1
        return cells


def board_of(facts: Iterable[Fact], first: Sequence[Fact] = (), text: str = "") -> Board | None:
    """The board of a game, recognized in its possible facts; ``None`` if there is no board.

    Args:
        facts: all facts known to be possible.
        first: the facts of the first state. If these give a number to each of several things, such
            as heaps in Nim, they are no board.
        text: the rules, in which the names of variables may say that rows come first.
    """
    groups: dict[tuple[str, int], list[Fact]] = {}
    for fact in facts:
        groups.setdefault((fact[0], len(fact)), []).append(fact)
    candidates: list[tuple[bool, int, int, tuple[str, int], int]] = []
    for key, group in groups.items():
        if key[1] == 3 and _is_function([fact for fact in first if fact[0] == key[0]], group):
            continue
        for span in (4, 2, 1):
            for start in range(1, len(group[0]) - span + 1):
                cells = {fact[start : start + span] for fact in group}
                if _is_board(cells, span, key[1] - 1):
                    candidates.append((key[0].lower() in NAMES, len(cells), span, key, start))
                    break
    if not candidates:
        return None
    most = max(cells for _, cells, *_ in candidates)
    _, _, span, key, start = max(candidate for candidate in candidates if candidate[1] > most / 2)
    cells = {fact[start : start + span] for fact in groups[key]}
    axes = _axes(cells, span)
    at = {key: start}
    for other, group in groups.items():
        for place in range(1, len(group[0]) - span + 1):
            if all(
                all(w in a.values for w, a in zip(_words(fact, place, span), axes, strict=True))
                for fact in group
            ):
                at.setdefault(other, place)
    contents = {fact[1:start] + fact[start + span :] for fact in groups[key]}
    numbered = all(
        all(word.isdigit() or word in BLANKS for word in content) for content in contents
    ) and any(contents)
    by_row = (
        span != 1
        and not axes[0].lettered
        and (bool(_BY_ROW.search(text)) or (axes[1].lettered and not axes[0].lettered))
    )
    inner = (axes[2], axes[3]) if span == 4 else None
    upward = not numbered and not by_row and inner is None
    return Board(at, span, axes[0], axes[1], inner, upward, by_row)


def _is_function(first: Sequence[Fact], group: Sequence[Fact]) -> bool:
    """Whether each first argument has one second argument in the first state."""
    subjects = {fact[1] for fact in group}
    return len(first) == len(subjects) == len({fact[1] for fact in first})


def _words(fact: Fact, place: int, span: int) -> tuple[str, ...]:
    """The arguments of a fact that locate a cell; a square such as ``f6`` becomes two."""
    if span > 1:
        return fact[place : place + span]
    match = _SQUARE.fullmatch(fact[place])
    return (match[1], match[2]) if match else ("", "")


def _is_board(cells: set[Cell], span: int, arguments: int) -> bool:
    """Whether these arguments run through columns and rows."""
    if span == 4 and arguments < 5:  # two ends of a line rather than a board of boards
        return False
    axes = _axes(cells, span)
    if not axes or len(cells) < LEAST_CELLS:
        return False
    sizes = [len(axis.values) for axis in axes]
    if min(sizes[:2]) < 2 or max(sizes) > MOST_ACROSS:
        return False
    share = len(cells)
    for size in sizes:
        share /= size  # type: ignore[assignment]
    return share > (0.3 if span == 1 else 0.2)


def _axes(cells: set[Cell], span: int) -> list[Axis]:
    """The axes on which cells lie; empty if some arguments are neither numbers nor letters."""
    columns: list[set[str]] = [set() for _ in range(2 if span == 1 else span)]
    for cell in cells:
        words = _words(("", *cell), 1, span)
        for values, word in zip(columns, words, strict=True):
            values.add(word)
    axes = [_axis(values) for values in columns]
    return [axis for axis in axes if axis] if all(axes) else []


def _axis(values: set[str]) -> Axis | None:
    """An axis of these values, if they are all letters, or numbers with the same prefix."""
    if all(len(value) == 1 and value.isalpha() for value in values):
        ordered = sorted(values)
        gapless = ord(ordered[-1]) - ord(ordered[0]) + 1 == len(ordered)
        return Axis(tuple(ordered)) if gapless else None
    stems, numbers = set(), {}
    for value in values:
        match = _NUMBER.fullmatch(value)
        if not match:
            return None
        stems.add(match[1])
        numbers[value] = int(match[2])
    if len(stems) > 1:
        return None
    return Axis(tuple(sorted(numbers, key=lambda value: numbers[value])))


def falls(moves: Iterable[Fact], board: Board) -> bool:
    """Whether pieces are dropped into columns: moves have one argument, a column."""
    named = [move for move in moves if len(move) > 1]
    return bool(named) and all(
        len(move) == 2 and move[1] in board.columns.values for move in named
    )

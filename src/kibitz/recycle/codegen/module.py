"""The text of an LLVM module: its tables, and the functions that its other parts add."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from kibitz.recycle import primitives, tree
from kibitz.recycle.codegen.function import Function, Value
from kibitz.recycle.layout import Places, Site
from kibitz.recycle.options import Path
from kibitz.syntax.source import Diagnostic, Severity, SourceError, Span

MOST_VALUES = 63
"""The maximum number of values of an attribute. Each value is a bit of a 64-bit number, and one
more bit stands for values that no card has."""
MOST_STACK = 1 << 20
"""The maximum stack memory of a function in bytes. A function that lists options may be called by
``play``, so the stack of a thread must hold twice as much. Published games need a third of it."""


class ValueBits(NamedTuple):
    """The addresses of tables with the bit of an attribute's value, by card and by word."""

    of_card: Value
    of_word: Value


class Module:
    """The writer of a module; it holds the parts that all functions of a game share."""

    def __init__(self, places: Places, pass_when_stuck: bool, traced: bool = False) -> None:
        self.places = places
        self.pass_when_stuck = pass_when_stuck
        self.traced = traced
        self.paths: list[Path] = []
        self.traced_actions: dict[tree.Action, int] = {}
        """The number of each action in a log."""
        self.sites: dict[tuple[Span, str], int] = {}
        """The number of each place, with its message, where a game may break off."""
        self._globals: dict[str, str] = {}  # text to name
        self.functions: dict[str, str] = {}
        """The text of each function, by its name."""
        self._scores: dict[tuple[int, ...], str] = {}
        self._problems: list[Diagnostic] = []
        self.primitives: set[str] = set()
        """The primitives that the functions call."""
        self._overfull: set[Function] = set()
        self.late_forks: set[tree.Fork] = set()
        """The forks that follow a move of cards in the same option."""

    @property
    def path_count(self) -> int:
        """The number of kinds of actions so far."""
        return len(self.paths)

    def refuse(self, span: Span, code: str, message: str) -> None:
        """Reports an error: a part of the program that cannot be compiled."""
        self._problems.append(Diagnostic(Severity.ERROR, code, message, span))

    def site(self, span: Span, message: str) -> int:
        """The number of a place in the rules where a game may break off."""
        return self.sites.setdefault((span, message), len(self.sites) + 1)

    def check_stack(self, f: Function, span: Span) -> None:
        """Reports, once for each function, that it needs more than ``MOST_STACK``."""
        if f.stack > MOST_STACK and f not in self._overfull:
            self._overfull.add(f)
            message = "There is no room for more lists: the collections that the rules go through "
            message += f"up to here, within one choice or outside of all, need {MOST_STACK:,} "
            message += (
                "bytes at once. Use fewer filters, sets of cards and unions, or fewer cards."
            )
            self.refuse(span, "too-many-lists", message)

    # -- tables ----------------------------------------------------------------------------

    def table(self, kind: str, cells: Iterable[int]) -> Value:
        """The address of a constant array."""
        listed = ", ".join(f"{kind} {cell}" for cell in cells)
        text = f"[{listed.count(',') + 1} x {kind}] [{listed}]"
        if text not in self._globals:
            self._globals[text] = f"@table{len(self._globals)}"
        return self._globals[text]

    def word_table(self, values: Mapping[str, int]) -> Value:
        """The address of a table of 32-bit numbers by word; -1 for words without a value."""
        return self.table("i32", [values.get(word, -1) for word in self.places.words])

    def attribute_table(self, name: str) -> Value | None:
        """The address of a table of an attribute's values, by card; ``None`` without values."""
        values = self.places.values.get(name)
        return self.table("i16", values) if values else None

    def value_bits(self, name: str) -> ValueBits | None:
        """Tables of bits for the values of an attribute; ``None`` for no values or too many."""
        values = self.places.values.get(name, ())
        bit = {value: number for number, value in enumerate(sorted(set(values)))}
        if not 1 <= len(bit) <= MOST_VALUES:
            return None
        words = range(len(self.places.words))
        return ValueBits(
            self.table("i8", [bit[value] for value in values]),
            self.table("i8", [bit.get(word, MOST_VALUES) for word in words]),
        )

    def attribute_rows(self) -> Value:
        """The address of a table with the row of ``all_attributes``, by the attribute's name."""
        rows = {name: i + 1 for i, name in enumerate(self.places.attributes)}
        return self.table("i16", [rows.get(word, 0) for word in self.places.words])

    def all_attributes(self) -> Value:
        """The address of a table with a row for each attribute, after a row of empty names.

        A row contains the value of every card.
        """
        cells = [0] * len(self.places.program.cards)
        for name in self.places.attributes:
            cells += self.places.values[name]
        return self.table("i16", cells)

    def owner_table(self) -> Value:
        """The address of a table of the owning player, or -1, by place."""
        places = self.places
        owners = [-1] * places.place_count
        for (sort, kind, name), count in places.indices.items():
            if sort == "player":
                first = places.place(sort, kind, name)
                for i in range(count * places.players):
                    owners[first + i] = i % places.players
        return self.table("i8", owners)

    def team_table(self) -> Value:
        """The address of a table of the team, or -1, by assignment and player."""
        cells = []
        for teams in self.places.assignments:
            of = {player: team for team, members in enumerate(teams) for player in members}
            cells += [of.get(player, -1) for player in range(self.places.players)]
        return self.table("i8", cells)

    def need(self, name: str, write: Callable[[Module], str]) -> None:
        """Adds a function, whose text `write` returns, unless the module contains it."""
        if name not in self.functions:
            self.functions[name] = ""
            self.functions[name] = write(self)

    # -- scores ----------------------------------------------------------------------------

    def score_function(self, points: tree.Points) -> str:
        """The name of the function that computes the score of a card by a point map."""
        sort = tree.owner_sort(points.owner)
        names = self.places.names(points.name)
        sites = [
            site
            for action, site in self.places.sites.items()
            if tree.owner_sort(action.target.owner) == sort
            and self.places.names(action.target.name) & names
        ]
        key = tuple(site.number for site in sites)
        if key not in self._scores:
            self._scores[key] = f"score{len(self._scores)}"
            self.functions[self._scores[key]] = self._score_text(self._scores[key], sites)
        return self._scores[key]

    def _score_text(self, name: str, sites: list[Site]) -> str:
        """The text of a function that scores a card by a point map, set at one of some sites."""
        f = Function(name, "i64", [("ptr", "%map"), ("i64", "%card")])
        labels = [(site.number, f.label("site")) for site in sites]
        unset = f.label("unset")
        f.switch(f.load("%map", "i32"), labels, unset)
        for site, (_, label) in zip(sites, labels, strict=True):
            f.place(label)
            table = self.table("i32", site.static)
            total = f.load(f.at(table, f.shift("%card", 2)), "i32")
            index = 0
            for fixed, compared, points in site.dynamic:
                holds = "true"
                for attribute, word in fixed:
                    same = f.test("eq", self._value_of(f, attribute), word)
                    holds = f.get(f"and i1 {holds}, {same}")
                for compared_attribute in compared:
                    stored = f.load(f.at("%map", 4 + 4 * index), "i32")
                    index += 1
                    same = f.test("eq", self._value_of(f, compared_attribute), stored)
                    holds = f.get(f"and i1 {holds}, {same}")
                worth: Value | int = points if points is not None else 0
                if points is None:
                    worth = f.load(f.at("%map", 4 + 4 * index), "i32")
                    index += 1
                total = f.add(total, f.choose(holds, worth, 0))
            f.leave(f"i64 {total}")
        f.place(unset)
        f.leave("i64 0")
        return f.text()

    def _value_of(self, f: Function, attribute: str) -> Value:
        table = self.attribute_table(attribute)
        return f.load(f.at(table, f.shift("%card", 1)), "i16") if table else "0"

    # -- the module ------------------------------------------------------------------------

    def raise_problems(self) -> None:
        """Raises the errors that were reported as a ``SourceError``."""
        if self._problems:
            raise SourceError(self.places.program.source, self._problems)

    def text(self) -> str:
        """The text of the module."""
        lines = [
            f"{name} = private unnamed_addr constant {text}, align 8"
            for text, name in self._globals.items()
        ]
        for name in sorted(self.primitives):
            signature = primitives.EXPORTS[name].signature
            result = "void" if signature[0] == "v" else "i64"
            arguments = ", ".join(["i64"] * (len(signature) - 1))
            lines.append(f"declare {result} @kibitz_{name}({arguments})")
        lines.append("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
        lines.append("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
        return "\n".join([*lines, *self.functions.values()])

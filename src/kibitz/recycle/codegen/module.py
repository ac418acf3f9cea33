"""The compiler of a program to the text of an LLVM module: tables, small functions, rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from kibitz.core.layout import EVERYONE
from kibitz.recycle import dependence, primitives, tree
from kibitz.recycle.codegen import choices, flow, occurrences
from kibitz.recycle.codegen import expressions as ex
from kibitz.recycle.codegen.function import Function, Value
from kibitz.recycle.codegen.scope import CardValue, Mode, Scope
from kibitz.recycle.layout import Places, Site, owner_sort
from kibitz.recycle.options import Path
from kibitz.syntax.source import Diagnostic, Severity, SourceError, Span

MOST_TEXT = 400_000
"""The maximum length of a module's text; the longest published games need a third of it."""

MOST_STACK = 1 << 20
"""The maximum stack memory of a function in bytes. A function that lists options may be called by
``play``, so the stack of a thread must hold twice as much. Published games need a third of it."""

EXPORTS = {
    "setup": "vii",
    "legal_actions": "iiii",
    "apply_action": "viii",
    "heuristic": "fiii",
    "score_so_far": "fiii",
    "redeterminize": "viii",
    "picks": "iiiii",
}
"""The functions of a module and their signatures, in the notation of ``Export``."""

TRACED_EXPORTS = {"trace": "viiii"}
"""The functions of a traced module: ``trace(context, state, action, log)``."""

LOGGED = 5
"""The number of 64-bit numbers in an entry of a log."""
MOST_TRACED = 4000
"""The maximum number of entries of a log."""


@dataclass(frozen=True)
class Compiled:
    """A program as an LLVM module, and the meaning of the numbers that the module uses.

    Attributes:
        text: The text of the LLVM module.
        paths: The path of each kind of action; the first is kind 1.
        sites: The span and the message of each place where a game may break off; the first is
            number 1.
        choices: The choices, by phase.
        endings: The alternative conditions that end ``flow.ending_stage``. When the one with index
            i ends it, the phase becomes ``len(choices)`` + i.
        traced: The actions by their numbers in a log; empty unless the module is traced.
    """

    text: str
    paths: tuple[Path, ...]
    sites: tuple[tuple[Span, str], ...]
    choices: tuple[tree.Choice, ...]
    endings: tuple[tree.Expression, ...] = ()
    traced: tuple[tree.Action, ...] = ()


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
        self._traced: dict[tree.Action, int] = {}
        self.paths: list[Path] = []
        self._sites: dict[tuple[Span, str], int] = {}
        self._globals: dict[str, str] = {}  # text to name
        self._functions: dict[str, str] = {}  # name to text
        self._scores: dict[tuple[int, ...], str] = {}
        self._problems: list[Diagnostic] = []
        self._used: set[str] = set()
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
        return self._sites.setdefault((span, message), len(self._sites) + 1)

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
        if not 1 <= len(bit) <= occurrences.MOST_VALUES:
            return None
        words = range(len(self.places.words))
        return ValueBits(
            self.table("i8", [bit[value] for value in values]),
            self.table("i8", [bit.get(word, occurrences.MOST_VALUES) for word in words]),
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

    # -- calls -----------------------------------------------------------------------------

    def call(self, s: Scope, primitive: str, *arguments: Value) -> Value:
        """Emits a call of a primitive; returns the result.

        The address of the state may be given as a pointer, other addresses as integers.
        """
        signature = primitives.EXPORTS[primitive].signature
        self._used.add(primitive)
        f = s.function
        passed = [f.number_of(a) if a == s.state else a for a in arguments]
        listed = ", ".join(f"i64 {a}" for a in passed)
        if signature[0] == "v":
            f.do(f"call void @kibitz_{primitive}({listed})")
            return ""
        return f.get(f"call i64 @kibitz_{primitive}({listed})")

    def card_at(self, s: Scope, pile: Value, index: Value) -> Value:
        """The address at which a pile holds the card with an index."""
        return self._cell(s, pile, index, "cards")

    def seen_at(self, s: Scope, pile: Value, index: Value) -> Value:
        """The address at which a pile holds the players, as bits, who know a card."""
        return self._cell(s, pile, index, "seen")

    def _cell(self, s: Scope, pile: Value, index: Value, field: str) -> Value:
        f = s.function
        return f.at(pile, f.add(self.places.pile_field[field], f.shift(index, 1)))

    def take(self, s: Scope, pile: Value, index: Value) -> Value:
        """Emits code that removes a card; returns it and, from bit 16 on, who knows it."""
        self.need("take", _take)
        return s.function.get(f"call i64 @take(ptr {pile}, i64 {index})")

    def put(self, s: Scope, pile: Value, index: Value, card: Value, seen_by: Value) -> None:
        """Emits code that inserts a card at an index of a pile."""
        self.need("put", _put)
        s.function.do(f"call void @put(ptr {pile}, i64 {index}, i64 {card}, i64 {seen_by})")

    def find(self, s: Scope, pile: Value, card: Value) -> Value:
        """The index of a card in a pile, or -1."""
        self.need("find", _find)
        return s.function.get(f"call i64 @find(ptr {pile}, i64 {card})")

    def locate(self, s: Scope, card: Value) -> Value:
        """The place where a card lies."""
        self.need("find", _find)
        self.need("locate", _locate)
        return s.function.get(f"call i64 @locate(ptr {s.state}, i64 {card})")

    def knows(self, s: Scope, state: Value, card: Value, player: Value) -> Value:
        """1 if a player knows a card in a state, else 0."""
        self.need("find", _find)
        self.need("locate", _locate)
        self.need("knows", _knows)
        return s.function.get(f"call i64 @knows(ptr {state}, i64 {card}, i64 {player})")

    def place_and_index(self, s: Scope, card: CardValue) -> tuple[Value, Value]:
        """The place and the index of a card; the place where it was found is tried first."""
        f = s.function
        if card.place is None:
            place = self.locate(s, card.card)
            return place, self.find(s, s.pile(place), card.card)
        where, index = f.slot(), f.slot()
        f.store(card.place, where)
        f.store(self.find(s, s.pile(card.place), card.card), index)
        gone, present = f.label("gone"), f.label("there")
        f.branch(f.test("slt", f.load(index), 0), gone, present)
        f.place(gone)
        place = self.locate(s, card.card)
        f.store(place, where)
        f.store(self.find(s, s.pile(place), card.card), index)
        f.place(present)
        return f.load(where), f.load(index)

    def viewers_of_both(self, s: Scope, first: Value, second: Value) -> Value:
        """The players, as bits, to whom one of two places is visible."""
        f = s.function
        shown_to = self.places.pile_field["shown_to"]
        masks = [f.load(f.at(s.pile(place), shown_to), "i16") for place in (first, second)]
        return f.either(*masks)

    def forget_unseen(self, s: Scope, pile: Value, keep: Value) -> None:
        """Emits code for a pile from which a hidden card was taken.

        Only the players in `keep`, and those to whom the pile is visible, still know its cards.
        """
        self.need("forget", _forget)
        s.function.do(f"call void @forget(ptr {pile}, i64 {keep})")

    def trace(self, s: Scope, node: tree.Action, *values: Value) -> None:
        """Emits code that logs an action with up to four numbers, in a traced module."""
        if self.traced and s.mode is Mode.PLAY:
            self.need("note", _note)
            number = self._traced.setdefault(node, len(self._traced))
            listed = ", ".join(f"i64 {value}" for value in (number, *values, *["0"] * 4)[:5])
            s.function.do(f"call void @note(ptr %log, {listed})")

    def trace_card(
        self, s: Scope, node: tree.Action, card: Value, source: Value | None = None
    ) -> None:
        """Emits code that logs a card, the players who know it, its former and its new place."""
        if self.traced and s.mode is Mode.PLAY:
            place = self.locate(s, card)
            pile = s.pile(place)
            seen_by = s.function.load(self.seen_at(s, pile, self.find(s, pile, card)), "i16")
            self.trace(s, node, card, seen_by, place if source is None else source, place)

    def trace_number(self, s: Scope, node: tree.Action, address: Value, value: Value) -> None:
        """Emits code that logs the offset of a number in the state, its old and its new value."""
        if self.traced and s.mode is Mode.PLAY:
            f = s.function
            where = f.sub(f.number_of(address), f.number_of(s.state))
            self.trace(s, node, where, f.load(address, "i32"), value)

    def need(self, name: str, write: object) -> None:
        """Adds a function, whose text `write` returns, unless the module contains it."""
        if name not in self._functions:
            self._functions[name] = ""
            self._functions[name] = write(self)  # type: ignore[operator]

    # -- scores ----------------------------------------------------------------------------

    def score_function(self, points: tree.Points) -> str:
        """The name of the function that computes the score of a card by a point map."""
        sort = owner_sort(points.owner)
        names = self.places.names(points.name)
        sites = [
            site
            for action, site in self.places.sites.items()
            if owner_sort(action.target.owner) == sort
            and self.places.names(action.target.name) & names
        ]
        key = tuple(site.number for site in sites)
        if key not in self._scores:
            self._scores[key] = f"score{len(self._scores)}"
            self._functions[self._scores[key]] = self._score_text(self._scores[key], sites)
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

    def compiled(self) -> Compiled:
        """Writes all functions of the game; returns the module.

        Raises:
            SourceError: The program contains a part that cannot be compiled.
        """
        program = self.places.program
        listed: list[tree.Choice] = []
        clause = 0
        for number, placed in enumerate(flow.choices_with_depth(program)):
            choice, depth, team_depth, _ = placed
            for clause_node in choice.clauses:
                self.late_forks |= dependence.late_forks(clause_node)
            f = choices.new_function(number)
            s = Scope(self, f, depth, team_depth, mode=Mode.LOOK)
            enumerator = choices.Enumerator(s, number, clause)
            enumerator.write(choice)
            s.end_of_failures("i64 -1")
            self._functions[f"options_{number}"] = f.text()
            self.paths += enumerator.paths
            clause += len(choice.clauses)
            listed.append(choice)
        self._functions["score"] = self._scoring()
        self._raise_problems()
        played = flow.Flow(self)
        self._functions["play"] = played.write()
        self._raise_problems()
        exports = [flow.trace()] if self.traced else flow.exports(self, len(listed))
        for index, f in enumerate(exports):
            self._functions[f"export {index}"] = f.text()
        return Compiled(
            self._text(),
            tuple(self.paths),
            tuple(self._sites),
            tuple(listed),
            tuple(played.endings),
            tuple(self._traced),
        )

    def _raise_problems(self) -> None:
        if self._problems:
            raise SourceError(self.places.program.source, self._problems)

    def _scoring(self) -> str:
        f = Function("score", "i64", [("ptr noalias", "%state"), ("i64", "%player")])
        s = Scope(self, f, current="%player")
        s.begin_region()
        s.span = self.places.program.score.span
        f.leave(f"i64 {ex.number(s, self.places.program.score)}")
        s.end_of_failures("i64 0")
        return f.text()

    def _text(self) -> str:
        lines = [
            f"{name} = private unnamed_addr constant {text}, align 8"
            for text, name in self._globals.items()
        ]
        for name in sorted(self._used):
            signature = primitives.EXPORTS[name].signature
            result = "void" if signature[0] == "v" else "i64"
            arguments = ", ".join(["i64"] * (len(signature) - 1))
            lines.append(f"declare {result} @kibitz_{name}({arguments})")
        lines.append("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
        lines.append("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
        return "\n".join([*lines, *self._functions.values()])


# --- small functions on piles -------------------------------------------------------------


def _pile_function(
    module: Module, name: str, result: str, arguments: list[tuple[str, str]]
) -> Scope:
    """The scope of a new function."""
    return Scope(module, Function(name, result, arguments))


def _take(module: Module) -> str:
    s = _pile_function(module, "take", "i64", [("ptr", "%pile"), ("i64", "%index")])
    f = s.function
    last = f.sub(f.load("%pile", "i16"), 1)
    removed = [
        f.load(address(s, "%pile", "%index"), "i16")
        for address in (module.card_at, module.seen_at)
    ]
    from kibitz.recycle.codegen import collections as lists

    def shift_down(i: Value) -> None:
        for address in (module.card_at, module.seen_at):
            f.store(f.load(address(s, "%pile", f.add(i, 1)), "i16"), address(s, "%pile", i), "i16")

    lists.count_up(s, "%index", last, shift_down)
    for address in (module.card_at, module.seen_at):
        f.store(0, address(s, "%pile", last), "i16")
    f.store(last, "%pile", "i16")
    f.leave(f"i64 {f.either(removed[0], f.shift(removed[1], 16))}")
    return f.text()


def _put(module: Module) -> str:
    arguments = [("ptr", "%pile"), ("i64", "%index"), ("i64", "%card"), ("i64", "%seen")]
    s = _pile_function(module, "put", "void", arguments)
    f = s.function
    count = f.load("%pile", "i16")
    from kibitz.recycle.codegen import collections as lists

    def shift_up(i: Value) -> None:
        for address in (module.card_at, module.seen_at):
            f.store(f.load(address(s, "%pile", i), "i16"), address(s, "%pile", f.add(i, 1)), "i16")

    lists.count_up(s, count, "%index", shift_up, step=-1)
    f.store("%card", module.card_at(s, "%pile", "%index"), "i16")
    f.store("%seen", module.seen_at(s, "%pile", "%index"), "i16")
    f.store(f.add(count, 1), "%pile", "i16")
    f.leave()
    return f.text()


def _find(module: Module) -> str:
    s = _pile_function(module, "find", "i64", [("ptr", "%pile"), ("i64", "%card")])
    f = s.function
    from kibitz.recycle.codegen import collections as lists

    def compare(i: Value) -> None:
        yes, no = f.label("here"), f.label("next")
        current = f.load(module.card_at(s, "%pile", i), "i16")
        f.branch(f.test("eq", current, "%card"), yes, no)
        f.place(yes)
        f.leave(f"i64 {i}")
        f.place(no)

    lists.count_up(s, "0", f.load("%pile", "i16"), compare)
    f.leave("i64 -1")
    return f.text()


def _locate(module: Module) -> str:
    s = _pile_function(module, "locate", "i64", [("ptr noalias", "%state"), ("i64", "%card")])
    f, places = s.function, module.places
    virtual = [0] * places.place_count
    for (sort, kind, name), count in places.indices.items():
        if kind == "mem":
            first = places.place(sort, kind, name)
            for i in range(count * (places.players if sort == "player" else 1)):
                virtual[first + i] = 1
    table = module.table("i8", virtual)
    from kibitz.recycle.codegen import collections as lists

    def look(place: Value) -> None:
        real, match, no = f.label("real"), f.label("here"), f.label("next")
        f.branch(f.test("eq", f.load(f.at(table, place), "i8"), 0), real, no)
        f.place(real)
        f.branch(f.test("sge", module.find(s, s.pile(place), "%card"), 0), match, no)
        f.place(match)
        f.leave(f"i64 {place}")
        f.place(no)

    lists.count_up(s, "0", str(places.place_count), look)
    f.leave("i64 0")
    return f.text()


def _knows(module: Module) -> str:
    arguments = [("ptr noalias", "%state"), ("i64", "%card"), ("i64", "%player")]
    s = _pile_function(module, "knows", "i64", arguments)
    f = s.function
    pile = s.pile(module.locate(s, "%card"))
    seen_by = f.load(module.seen_at(s, pile, module.find(s, pile, "%card")), "i16")
    f.leave(f"i64 {f.both(f.get(f'lshr i64 {seen_by}, %player'), 1)}")
    return f.text()


def _forget(module: Module) -> str:
    s = _pile_function(module, "forget", "void", [("ptr", "%pile"), ("i64", "%keep")])
    f = s.function
    from kibitz.recycle.codegen import collections as lists

    limited, end = f.label("some"), f.label("end")
    f.branch(f.test("eq", f.both("%keep", EVERYONE), EVERYONE), end, limited)
    f.place(limited)
    shown = f.load(f.at("%pile", module.places.pile_field["shown_to"]), "i16")
    keep = f.either("%keep", shown)

    def mask(i: Value) -> None:
        address = module.seen_at(s, "%pile", i)
        f.store(f.both(f.load(address, "i16"), keep), address, "i16")

    lists.count_up(s, "0", f.load("%pile", "i16"), mask)
    f.place(end)
    f.leave()
    return f.text()


def _note(module: Module) -> str:
    """The text of the function that adds an entry to a log."""
    numbers = [f"%n{i}" for i in range(LOGGED)]
    arguments = [("ptr", "%log"), *(("i64", number) for number in numbers)]
    f = Function("note", "void", arguments)
    count = f.load("%log")
    room, full = f.label("room"), f.label("full")
    f.branch(f.test("slt", count, MOST_TRACED), room, full)
    f.place(room)
    entry = f.at("%log", f.mul(f.add(count, 1), 8 * LOGGED))
    for i, number in enumerate(numbers):
        f.store(number, f.at(entry, 8 * i))
    f.store(f.add(count, 1), "%log")
    f.jump(full)
    f.place(full)
    f.leave()
    return f.text()


def trace_program(places: Places, pass_when_stuck: bool = False) -> Compiled:
    """The module of a program that compiles, with ``trace`` as its only exported function.

    ``trace`` applies an action and keeps a log of 64-bit numbers, ``LOGGED`` to an entry. The
    first entry contains the number of further entries, and how many of them belong to the option
    itself; the others belong to the rules that follow. A further entry contains the number of an
    action, then:

    - for a card that was moved or shown: the card, the players who know it now, as bits, its
      former place and its new place;
    - for a number: its offset in the state, its old and its new value;
    - for a shuffle: the place.
    """
    return Module(places, pass_when_stuck, traced=True).compiled()


def compile_program(places: Places, pass_when_stuck: bool = False) -> Compiled:
    """The module of a program.

    Raises:
        SourceError: The program contains a part that cannot be compiled, or is too long.
    """
    compiled = Module(places, pass_when_stuck).compiled()
    if len(compiled.text) > MOST_TEXT:
        source = places.program.source
        message = (
            f"The rules are too long to be compiled in good time: {len(compiled.text):,} letters "
            f"of code, and at most {MOST_TEXT:,} are."
        )
        span = Span(0, len(source.text))
        raise SourceError(source, [Diagnostic(Severity.ERROR, "too-long", message, span)])
    return compiled

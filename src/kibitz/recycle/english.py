"""Expressions and conditions of RECYCLE as English phrases, for the rulebook.

A phrase never says more than its node. It uses an idiom where there is one ("with the led suit"),
and literal words otherwise.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from kibitz.core.wording import counted, is_plural, listed
from kibitz.recycle import tree
from kibitz.recycle.naming import Names, plain
from kibitz.recycle.reading.setup import fold, numbered_by
from kibitz.recycle.tree import Binding, Program, Type

_PLURAL = re.compile(r"(\w+)(?= of )")
_NOTHING = ("NONE", "NOTHING", "NO", "NIL")
"""Names that rules give to a storage that holds nothing yet."""
_ORDINALS = ("that", "the second", "the third", "the fourth", "the fifth")
_NOUNS = {
    Type.CARD: "card",
    Type.PLAYER: "player",
    Type.TEAM: "team",
    Type.INT: "number",
    Type.STR: "name",
    Type.PILE: "place",
    Type.CARDS: "set of cards",
    Type.PLAYERS: "group of players",
}
_PLACES = frozenset(
    ("hand", "hands", "stock", "deck", "pile", "trick", "tricks", "table", "pot", "board", "talon")
    + ("bank", "row", "market", "supply", "widow", "kitty", "bundle", "bundles", "discards")
    + ("cards", "books", "box", "tableau", "expedition", "expeditions", "column", "grid")
)
"""Nouns for places; other names of locations get the noun "pile"."""
_KINDS = {
    "vloc": "open",
    "iloc": "private",
    "hloc": "face-down",
    "oloc": "turned-away",
    "mem": "noted",
}
_POSSESSIVES = {"you": "your", "it": "its", "they": "their"}
_OPERATIONS = {
    "+": "plus",
    "-": "minus",
    "*": "times",
    "//": "divided (rounding down) by",
    "^": "to the power of",
}
_COMPARISONS: dict[tree.Comparison, str] = {
    "==": "is",
    "!=": "is not",
    "<": "is less than",
    ">": "is more than",
    "<=": "is at most",
    ">=": "is at least",
}


def an(noun: str) -> str:
    """A noun with its article: "an ace", "another player"."""
    if noun.startswith("other "):
        return f"an{noun}"
    return f"an {noun}" if noun[0] in "aeio" else f"a {noun}"


def owned(person: str, name: str) -> str:
    """What somebody has: "your hand", "the hand of the player who holds that card"."""
    if " " in person.removeprefix("the ").removeprefix("that ").removeprefix("each ") and any(
        word in person
        for word in (
            " who ",
            " with ",
            " after ",
            " before ",
            " of ",
            " whose ",
            " such ",
            " other than ",
        )
    ):
        return f"the {name} of {person}"
    return f"{possessive(person)} {name}"


def possessive(person: str) -> str:
    """The possessive of a noun: your, that player's, all players'."""
    if person in _POSSESSIVES:
        return _POSSESSIVES[person]
    return f"{person}'" if person.endswith("s") else f"{person}'s"


class English:
    """The phrases of one program.

    Attributes:
        person: The words for the current player.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.person = "the current player"
        self.team = "the current team"
        self.words: dict[Binding, list[str]] = {}
        self._nouns: dict[Binding, str] = {}
        self._depths: dict[Type, int] = {}
        self.values = {value for card in program.cards for value in card.attributes.values()}
        self.names = Names(program, sorted(self.values))
        self._contents = _contents(program)
        self._kinds: dict[tuple[tree.Sort, str], set[str]] = {}
        for node in tree.everything(program):
            if isinstance(node, tree.Pile | tree.Indexed) and isinstance(node.name, tree.Text):
                key = tree.owner_sort(node.owner), node.name.value
                self._kinds.setdefault(key, set()).add(node.kind)
        self.flags = _flags(program)
        self._seats = _seats(program)
        self._nothing = {
            (self._cleared(node.target), node.value.value)
            for node in tree.everything(program)
            if isinstance(node, tree.SetText)
            and isinstance(node.value, tree.Text)
            and node.value.value in _NOTHING
        }

    # --- variables ------------------------------------------------------------------------

    @contextmanager
    def named(self, binding: Binding, later: str = "", first: str = "") -> Iterator[str]:
        """A context in which a variable has words, and others where it is mentioned first."""
        kind = binding.type
        depth = self._depths.get(kind, 0)
        later = later or f"{_ORDINALS[min(depth, 4)]} {self.noun(binding)}"
        self.words[binding] = [first, later] if first else [later]
        self._depths[kind] = depth + 1
        yield later
        self._depths[kind] = depth
        del self.words[binding]

    def noun(self, binding: Binding) -> str:
        """A noun for what a variable stands for."""
        if binding.type is Type.STR and binding.values:
            for name in self._attributes(binding.values):
                return plain(name)
        return _NOUNS.get(binding.type, "one")

    def _attributes(self, values: Sequence[str]) -> list[str]:
        """The attributes of cards that have one of some values."""
        return list(
            dict.fromkeys(
                name
                for card in self.program.cards
                for name, value in card.attributes.items()
                if value in values
            )
        )

    def _variable(self, binding: Binding) -> str:
        words = self.words.get(binding, [plain(binding.name)])
        return words.pop(0) if len(words) > 1 else words[0]

    # --- conditions -----------------------------------------------------------------------

    def known(self, e: tree.Expression) -> bool | None:
        """Whether a condition always or never holds at this table; ``None`` if it depends."""
        match e:
            case tree.Logic(operator=operator, parts=parts):
                values = [self.known(part) for part in parts]
                decisive = operator == "or"
                if decisive in values:
                    return decisive
                return None if None in values else not decisive
            case tree.Not(condition=condition):
                value = self.known(condition)
                return None if value is None else not value
            case tree.Compare(operator=operator, left=left, right=right):
                a, b = self.constant(left), self.constant(right)
                if a is None or b is None:
                    return None
                return {
                    "==": a == b, "!=": a != b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b
                }[operator]  # fmt: skip
        return None

    def constant(self, e: tree.Expression) -> int | None:
        """The value of a number that is known at this table."""
        match e:
            case tree.Entry(index=index, table=tree.Numbers(values=values)):
                at = self.constant(index)
                return values[at] if at is not None and 0 <= at < len(values) else None
            case tree.Arithmetic(operator=operator, left=left, right=right):
                a, b = self.constant(left), self.constant(right)
                if operator == "*" and 0 in (a, b):
                    return 0
                if operator in "+-" and b == 0:
                    return a
                if a is not None and b is not None:
                    e = tree.Arithmetic(
                        e.span, operator, tree.Number(e.span, a), tree.Number(e.span, b)
                    )
        try:
            return fold(e)
        except (ValueError, OverflowError, ZeroDivisionError):
            return None

    def _simpler(self, e: tree.Arithmetic) -> tree.Expression:
        """A shorter expression for the same number at this table, or the same one.

        A remainder of seats by as many or more is the seat; of the entries of a list there is a
        list of remainders.
        """
        divisor = self.constant(e.right)
        if e.operator != "%" or divisor is None or divisor <= 0:
            return e
        match e.left:
            case tree.SeatNumber() if divisor >= self.program.players:
                return e.left
            case tree.Entry(table=tree.Numbers(values=values) as table) if min(values) >= 0:
                rest = tuple(value % divisor for value in values)
                return replace(e.left, table=replace(table, values=rest))
        return e

    def condition(self, e: tree.Expression, within: str = "") -> str:
        """A condition as a clause: "your hand is empty"."""
        match e:
            case tree.Logic(operator=operator, parts=parts):
                open_parts = [part for part in parts if self.known(part) is None]
                if len(open_parts) == 1:
                    return self.condition(open_parts[0], within)
                clauses = [self.condition(part, operator) for part in open_parts]
                joined = f" {operator} ".join(clauses)
                return f"({joined})" if within and within != operator else joined
            case tree.Not(condition=tree.Compare(operator=operator) as inner):
                opposite = tree.OPPOSITE[operator]
                return self.condition(tree.Compare(e.span, opposite, inner.left, inner.right))
            case tree.Not(condition=tree.Same() as inner):
                return self.condition(tree.Same(e.span, not inner.equal, inner.left, inner.right))
            case tree.Not(condition=tree.Quantified() as inner):
                return self._quantified(inner, within, negated=True)
            case tree.Not(condition=condition):
                return f"it is not so that {self.condition(condition, 'not')}"
            case tree.Compare():
                return self._comparison(e)
            case tree.Same():
                return self._same(e)
            case tree.Quantified():
                return self._quantified(e, within)
            case tree.Variable(binding=binding):
                return f"{self._variable(binding)} holds"
        raise AssertionError(f"no words for {type(e).__name__}")

    def _comparison(self, e: tree.Compare) -> str:
        operator, left, right = e.operator, e.left, e.right
        if self.constant(left) is not None:
            operator, left, right = tree.MIRRORED[operator], right, left
        value = self.constant(right)
        if isinstance(left, tree.Size) and value is not None:
            return self._count(left.collection, operator, value)
        if isinstance(left, tree.Stored) and self.is_flag(left) and value in (0, 1):
            is_set = (operator, value) in (("==", 1), ("!=", 0), (">", 0), (">=", 1))
            if is_set or (operator, value) in (("==", 0), ("!=", 1), ("<", 1), ("<=", 0)):
                return f"{self.storage(left)} is {'set' if is_set else 'not set'}"
        people = self.person_at(left), self.person_at(right)
        if operator in ("==", "!=") and people[0] is not None:
            if value is not None and value >= self.program.players:
                return f"there is {'no' if operator == '==' else 'a'} {_bare(people[0])}"
            if people[1] is not None:
                is_ = _is(people[0], _COMPARISONS[operator])
                return f"{people[0]} {is_} {people[1]}"
        is_ = _COMPARISONS[operator]
        if isinstance(left, tree.Stored) and not isinstance(left.owner, tree.Table):
            if is_plural(plain(self.label(left.name))):
                is_ = is_.replace("is", "are", 1).replace("less", "fewer")
        return f"{self.number(left)} {is_} {self.number(right)}"

    def person_at(self, e: tree.Expression) -> str | None:
        """The player whose seat a number is; ``None`` for any other number."""
        if isinstance(e, tree.Arithmetic):
            e = self._simpler(e)
        if isinstance(e, tree.SeatNumber):
            return self.player(e.player)
        if isinstance(e, tree.Stored) and self.is_seat(e):
            return self.storage(e)
        return None

    def _count(self, collection: tree.Expression, operator: tree.Comparison, value: int) -> str:
        """The comparison of the number of elements of a collection."""
        empty = (operator, value) in (("==", 0), ("<", 1), ("<=", 0))
        filled = (operator, value) in (("!=", 0), (">", 0), (">=", 1))
        if isinstance(collection, tree.Pile) or (
            isinstance(collection, tree.Variable) and (empty or filled)
        ):
            where = self.things(collection)
            if empty or filled:
                return f"{where} is {'empty' if empty else 'not empty'}"
            if where.endswith(" cards"):
                return f"{where} are {self._how_many(operator, value).rpartition(' ')[0]}"
            return f"{where} has {self._how_many(operator, value)}"
        if empty:
            return f"there are no {self.things(collection)}"
        if filled:
            return f"there are {self.things(collection)}"
        things = self.things(collection).removeprefix("all ")
        return f"the number of {things} {_COMPARISONS[operator]} {value}"

    @staticmethod
    def _how_many(operator: tree.Comparison, value: int) -> str:
        words = {
            "==": "exactly ",
            "!=": "not ",
            "<": "fewer than ",
            ">": "more than ",
            "<=": "at most ",
            ">=": "at least ",
        }
        return words[operator] + counted(value, "card")

    def _same(self, e: tree.Same) -> str:
        left, right = e.left, e.right
        if isinstance(left, tree.Text) or (
            isinstance(right, tree.Attribute) and not isinstance(left, tree.Attribute)
        ):
            left, right = right, left
        if isinstance(left, tree.Attribute) and isinstance(left.name, tree.Text):
            has = "has" if e.equal else "does not have"
            return f"{self.card(left.card)} {has} {self.feature(left.name.value, right)}"
        if isinstance(left, tree.StoredText) and isinstance(right, tree.Text):
            attribute = self.kept_attribute(left)
            if attribute and self.clears(left, right):
                owner = (
                    "" if isinstance(left.owner, tree.Table) else f" of {self.player(left.owner)}"
                )
                noun = f"{plain(self.label(left.name))} {attribute}{owner}"
                return f"there is {f'no {noun}' if e.equal else an(noun)}"
        verb = "is" if e.equal else "is not"
        subject = self.value(left)
        return f"{subject} {_is(subject, verb)} {self.value(right)}"

    def feature(self, attribute: str, value: tree.Expression) -> str:
        """The value of an attribute that a card has: "the led suit", "rank ace"."""
        noun = plain(attribute)
        match value:
            case tree.Text(value=text):
                return f"{noun} {self.text(text)}"
            case tree.Attribute(name=tree.Text(value=other), card=card) if other == attribute:
                return f"the same {noun} as {self.card(card)}"
            case tree.StoredText():
                stored = self.storage(value)
                return stored if stored.endswith(noun) else f"the {noun} noted as {stored}"
        shown = self.value(value)
        return shown if shown.endswith(f" {noun}") else f"the {noun} {shown}"

    def _quantified(self, e: tree.Quantified, within: str = "", negated: bool = False) -> str:
        """A clause such as "every player's hand is empty", "no card in your hand has rank ace"."""
        body, every = e.body, e.every
        word = "every" if every else "some"
        if negated:
            word = "not every" if every else "no"
        elif every and (opposite := _positive(body)) is not None:
            word, body = "no", opposite
        element = self.one_of(e.collection, e.binding)
        with self.named(e.binding, first=f"{word} {element}"):
            mentions = sum(
                isinstance(node, tree.Variable) and node.binding is e.binding
                for node in tree.walk(body)
            )
            if mentions == 1:
                return self.condition(body, within or "every")
        with self.named(e.binding) as later:
            called = "" if later.startswith("that ") else f" (“{later}”)"
            clause = self.condition(body)
        shown = f"for {word} {element}{called}, {clause}"
        return f"({shown})" if within else shown

    # --- numbers --------------------------------------------------------------------------

    def number(self, e: tree.Expression) -> str:
        """A number: "13", "your score", "the number of cards in the stock"."""
        if (value := self.constant(e)) is not None:
            return str(value)
        match e:
            case tree.Stored() if self.is_flag(e):
                return f"1 if {self.storage(e)} is set, otherwise 0"
            case tree.Stored():
                return self.storage(e) + "'s seat number" * self.is_seat(e)
            case tree.Size(collection=collection):
                return f"the number of {self.plural(collection)}"
            case tree.Total():
                with self.named(e.binding, first=f"every {self.one_of(e.collection, e.binding)}"):
                    return f"the total of {self.number(e.body)}"
            case tree.Entry():
                return self._entry(e)
            case tree.Sum() if numbered_by(e.points):
                return f"the total of the {self.points(e.points)}s of {self.plural(e.cards)}"
            case tree.Sum():
                return f"the total {self.points(e.points)} of {self.plural(e.cards)}"
            case tree.Score():
                return f"the {self.points(e.points)} of {self.card(e.card)}"
            case tree.BestScore():
                which = "highest" if e.highest else "lowest"
                return f"the {which} {self.points(e.points)} among {self.plural(e.cards)}"
            case tree.Arithmetic(operator="+" | "-") if self.constant(e.right) == 0:
                return self.number(e.left)
            case tree.Arithmetic() if (simpler := self._simpler(e)) is not e:
                return self.number(simpler)
            case tree.Arithmetic(operator="%", left=left, right=right):
                return f"the remainder of {self._operand(left)} divided by {self._operand(right)}"
            case tree.Arithmetic(operator=operator, left=left, right=right):
                return f"{self._operand(left)} {_OPERATIONS[operator]} {self._operand(right)}"
            case tree.Triangular(number=number):
                return f"the triangular number of {self.number(number)}"
            case tree.Fibonacci(number=number):
                return f"the Fibonacci number with index {self.number(number)}"
            case tree.Random(low=low, high=high):
                return f"a random number from {self.number(low)} to {self.number(high)}"
            case tree.SeatNumber(player=player):
                return f"{possessive(self.player(player))} seat number"
            case tree.Variable(binding=binding):
                return self._variable(binding)
        raise AssertionError(f"no words for {type(e).__name__}")

    def _operand(self, e: tree.Expression) -> str:
        shown = self.number(e)
        return (
            f"({shown})" if isinstance(e, tree.Arithmetic) and self.constant(e) is None else shown
        )

    def points(self, points: tree.Points) -> str:
        """The values of cards by a point map: "penalty value"."""
        if attribute := numbered_by(points):
            return plain(attribute)
        name = plain(self.label(points.name))
        shown = name if name.startswith("value") else f"{name.removesuffix('s')} value"
        if isinstance(points.owner, tree.Table):
            return shown
        return f"{shown} (of {self.player(points.owner)})"

    # --- names ----------------------------------------------------------------------------

    def text(self, value: str) -> str:
        """A literal name; values of cards get their usual words."""
        if value in self.values:
            return self.names.value(value)
        return f"“{self.names.value(value)}”"

    def name(self, e: tree.Expression) -> str:
        """A name: "hearts", "the suit of that card"."""
        match e:
            case tree.Text(value=value):
                return self.text(value)
            case tree.StoredText():
                return self.storage(e)
            case tree.Entry():
                return self._entry(e)
            case tree.Attribute(name=name, card=card):
                return f"the {plain(self.label(name))} of {self.card(card)}"
            case tree.Variable(binding=binding):
                return self._variable(binding)
        raise AssertionError(f"no words for {type(e).__name__}")

    def _entry(self, e: tree.Entry) -> str:
        """An entry of a list: "entry 2 (from 0) of 10, 9 and 8"."""
        return f"entry {self.number(e.index)} (from 0) of {self.plural(e.table)}"

    def label(self, e: tree.Expression) -> str:
        """The name of a location, storage or attribute, which may be computed."""
        return e.value if isinstance(e, tree.Text) else f"[{self.name(e)}]"

    def is_seat(self, e: tree.Stored) -> bool:
        """Whether a number of the table is only ever the seat of a player, or of none."""
        return (
            isinstance(e.owner, tree.Table)
            and isinstance(e.name, tree.Text)
            and e.name.value in self._seats
        )

    def is_flag(self, e: tree.Stored) -> bool:
        return isinstance(e.name, tree.Text) and (
            (tree.owner_sort(e.owner), e.name.value) in self.flags
        )

    @staticmethod
    def _cleared(e: tree.StoredText) -> tuple[tree.Sort, str]:
        """The key of a storage among those that rules clear."""
        return tree.owner_sort(e.owner), e.name.value if isinstance(e.name, tree.Text) else ""

    def clears(self, e: tree.StoredText, value: tree.Expression) -> bool:
        """Whether a storage that keeps an attribute of cards then keeps none."""
        return isinstance(value, tree.Text) and (self._cleared(e), value.value) in self._nothing

    def kept_attribute(self, e: tree.StoredText) -> str:
        """The attribute of cards that a storage keeps, if it keeps one."""
        if not isinstance(e.name, tree.Text):
            return ""
        attribute = self._contents.get((tree.owner_sort(e.owner), e.name.value), "")
        return plain(attribute)

    def storage(self, e: tree.Stored | tree.StoredText) -> str:
        """A storage: "your score", "the led suit", "the deals counter"."""
        name = plain(self.label(e.name))
        if isinstance(e.name, tree.Text) and e.name.value in self.names.declared:
            name = self.names.storage(e.name.value)
        if isinstance(e, tree.StoredText):
            attribute = self.kept_attribute(e)
            if attribute:
                name = f"noted {name}" if attribute == name else f"{name} {attribute}"
            elif isinstance(e.owner, tree.Table):
                name = f"“{name}” note"
        elif self.is_flag(e):
            name = f"“{name}” marker"
        elif self.is_seat(e):
            name = f"“{name}” player"
        elif isinstance(e.owner, tree.Table):
            name = f"{name} counter"
        if isinstance(e.owner, tree.Table):
            return f"the {name}"
        return owned(self.player(e.owner), name)

    # --- players --------------------------------------------------------------------------

    def player(self, e: tree.Owner) -> str:
        """A player or a team: "you", "the next player"."""
        match e:
            case tree.Table():
                return "the table"
            case tree.CurrentPlayer(which="current"):
                return self.person
            case tree.CurrentPlayer(which=which):
                return "the next player" if which == "next" else f"the player before {self.person}"
            case tree.CurrentTeam(which="current"):
                return self.team
            case tree.CurrentTeam(which=which):
                return f"the {which} team"
            case tree.Seat(number=number):
                if (seat := self.constant(number)) is not None:
                    return f"player {seat + 1}"
                if isinstance(number, tree.Stored) and self.is_seat(number):
                    return self.storage(number)
                if isinstance(number, tree.Arithmetic) and (shifted := self._shifted(number)):
                    return shifted
                return f"the player whose seat number is {self.number(number)}"
            case tree.TeamNumber(number=number):
                if (team := self.constant(number)) is not None:
                    return f"team {team + 1}"
                return f"the team with number {self.number(number)}"
            case tree.OwnerOf(card=card):
                return f"the player who holds {self.card(card)}"
            case tree.TeamOf(player=player):
                return f"{possessive(self.player(player))} team"
            case tree.Variable(binding=binding):
                return self._variable(binding)
            case tree.Pick(which=which, sets=sets):
                return f"{self.position(which)} of {self.plural(sets)}"
        raise AssertionError(f"no words for {type(e).__name__}")

    def _shifted(self, number: tree.Arithmetic) -> str:
        """A player by the distance to another one; empty if the seat is not computed so."""
        if number.operator != "%" or self.constant(number.right) != self.program.players:
            return ""
        match number.left:
            case (
                tree.Arithmetic(operator="+", left=tree.SeatNumber(player=player), right=distance)
                | tree.Arithmetic(
                    operator="+", left=distance, right=tree.SeatNumber(player=player)
                )
            ):
                if (seats := self.constant(distance)) is not None:
                    return f"the player {counted(seats, 'seat')} after {self.player(player)}"
                who = self.player(player)
                return f"the player who sits as many seats after {who} as {self.number(distance)}"
        return ""

    # --- cards and collections ------------------------------------------------------------

    def pile(self, e: tree.Expression) -> str:
        """A place: "your hand", "the stock"."""
        match e:
            case tree.Pile(owner=owner, index=index):
                shown = self.place(e)
                if index is not None:
                    with_ = "" if self.constant(index) is not None else "with "
                    shown += f" {with_}{self.number(index)}"
                if isinstance(owner, tree.Table):
                    return f"the {shown}"
                return owned(self.player(owner), shown)
            case tree.Variable(binding=binding):
                return self._variable(binding)
            case tree.Pick(which=which, sets=sets):
                return f"{self.position(which)} of {self.plural(sets)}"
        raise AssertionError(f"no words for {type(e).__name__}")

    def place(self, e: tree.Pile | tree.Indexed) -> str:
        """The name of a location as a noun, with its kind where several have this name."""
        sort = tree.owner_sort(e.owner)
        if not isinstance(e.name, tree.Text):
            return f"pile for {self.name(e.name)}"
        shown = self.names.location(e.name.value)
        is_noun = e.name.value in self.names.declared or shown.split()[-1] in (*_PLACES, "pile")
        noun = shown if is_noun else f"{shown} pile"
        if len(self._kinds[sort, e.name.value]) == 1:
            return noun
        kind = "hloc" if sort == "game" and e.kind == "iloc" else e.kind
        return f"{_KINDS[kind]} {noun}"

    def card(self, e: tree.Expression) -> str:
        """One card: "the top card of the stock", "that card"."""
        match e:
            case tree.Variable(binding=binding):
                return self._variable(binding)
            case tree.CardAt(which=which, cards=cards):
                whole = self._whole(cards)
                if whole.startswith("cards "):
                    return f"{self.position(which)} one of the {whole}"
                return f"{self.position(which)} card of {whole}"
            case tree.Best(highest=highest, cards=cards, points=points):
                best = "highest" if highest else "lowest"
                return f"the card with the {best} {self.points(points)} among {self.plural(cards)}"
        raise AssertionError(f"no words for {type(e).__name__}")

    def _whole(self, e: tree.Expression) -> str:
        """The cards from which some are taken: "the stock", "that set of cards"."""
        return self._variable(e.binding) if isinstance(e, tree.Variable) else self.things(e)

    def position(self, which: tree.Which) -> str:
        if isinstance(which, str):
            return f"the {which}"
        if (index := self.constant(which)) is not None:
            return f"the {_ordinal(index + 1)} (from the bottom)"
        return f"the one with index {self.number(which)} (from 0 at the bottom)"

    def things(self, e: tree.Expression) -> str:
        """A collection as a whole: "the stock", "cards of your hand with the led suit"."""
        return self.pile(e) if e.type is Type.PILE else self.plural(e)

    def is_empty(self, e: tree.Expression) -> bool:
        """Whether a collection is known to be empty at this table."""
        match e:
            case tree.Filter(collection=collection, body=body):
                return self.known(body) is False or self.is_empty(collection)
            case tree.Range(low=low, high=high):
                a, b = self.constant(low), self.constant(high)
                return a is not None and b is not None and a > b
        return False

    def one_of(self, e: tree.Expression, binding: Binding, place: str = "in") -> str:
        """An element of a collection, without its article: "card in your hand"."""
        match e:
            case tree.Filter(collection=tree.Pile() as pile, binding=inner, body=body):
                with_ = self._with(inner, body)
                where = f" {place} {self.pile(pile)}"
                return f"card{where}{with_}" if " such that " in with_ else f"card{with_}{where}"
            case tree.Filter(collection=collection, binding=inner, body=body):
                return f"{self.one_of(collection, binding, place)}{self._with(inner, body)}"
            case tree.Players(others=others) | tree.Teams(others=others):
                return f"{'other ' * others}{_NOUNS[e.type.element]}"
            case tree.Range(low=low, high=high):
                return f"number from {self.number(low)} to {self.number(high)}"
            case tree.Texts(values=values):
                return f"{self.noun(binding)} ({listed([self.text(v) for v in values], 'or')})"
            case tree.Grid() | tree.Along():
                return f"place of {self._line(e)}"
            case tree.Numbers(values=numbers):
                return f"number ({listed(list(map(str, numbers)), 'or')})"
            case tree.Members(team=team):
                return f"player of {self.player(team)}"
            case tree.Pile():
                return f"card {place} {self.pile(e)}"
            case tree.Variable() if e.type.is_collection:
                return f"{_NOUNS.get(e.type.element, 'element')} of {self._variable(e.binding)}"
            case tree.Subsets(cards=cards):
                return f"set of cards from {self.things(cards)}"
            case tree.Partition(attribute=attribute, parts=parts):
                where = listed([self._whole(part) for part in parts])
                return (
                    f"group of all cards in {where} with the same {plain(self.label(attribute))}"
                )
            case tree.Tuples(size=size, cards=cards, points=points):
                return (
                    f"set of {self.number(size)} cards from {self.things(cards)} with the same"
                    f" {self.points(points)}"
                )
            case tree.Runs(longest=longest, least=least, cards=cards, points=points):
                return (
                    f"{'longest possible ' * longest}run of at least {self.number(least)} cards"
                    f" from {self.things(cards)} with consecutive {self.points(points)}s"
                )
            case tree.Each(collection=collection, binding=inner, body=body):
                with self.named(inner, first=f"a {self.one_of(collection, inner)}"):
                    noun = "place" if body.type is Type.PILE else "set of cards"
                    return f"{noun} ({self.things(body)})"
            case tree.Indexed():
                noun, who = self.place(e), self.player(e.owner)
                return f"non-empty {noun}" if who == "the table" else f"non-empty {noun} of {who}"
        return f"card among {self.plural(e)}"

    def _with(self, binding: Binding, body: tree.Expression) -> str:
        """The restriction of a filter: " with the led suit", " that is not yours"."""
        if self.known(body) is True:
            return ""
        match body:
            case tree.Logic(operator="and", parts=parts):
                texts = [self._with(binding, part) for part in parts]
                if all(text.startswith(" with ") for text in texts):
                    return f" with {listed([text.removeprefix(' with ') for text in texts])}"
                return "".join(texts)
            case tree.Compare(operator="==" | "!=" as operator) if other := self._other(
                binding, body
            ):
                return f" {'who is' if operator == '==' else 'other than'} {other}"
            case tree.Same(
                equal=equal,
                left=tree.Attribute(name=tree.Text(value=name), card=tree.Variable(binding=card)),
                right=right,
            ) if card is binding:
                return f" {'with' if equal else 'without'} {self.feature(name, right)}"
            case tree.Compare(
                operator=operator, left=tree.Size(collection=sized), right=right
            ) if isinstance(sized, tree.Variable) and sized.binding is binding:
                if (number := self.constant(right)) is not None:
                    return f" of {self._how_many(operator, number)}"
        people = binding.type in (Type.PLAYER, Type.TEAM)
        with self.named(binding, later="they" if people else "it"):
            return f" such that {self.condition(body, 'filter')}"

    def _other(self, binding: Binding, body: tree.Compare) -> str:
        """Whom a condition compares with a player by their seats; empty if it says more."""
        with self.named(binding, later=_IT):
            people = self.person_at(body.left), self.person_at(body.right)
        other = people[1] if people[0] == _IT else people[0]
        return other or "" if _IT in people else ""

    def _line(self, e: tree.Grid | tree.Along) -> str:
        """A grid or a part of it: "the grid", "the row of that number"."""
        if isinstance(e, tree.Grid):
            return f"the grid of {e.rows} rows and {e.columns} columns"
        part = {
            "row": "the row",
            "column": "the column",
            "falling": "the diagonal that falls to the right and goes through",
            "rising": "the diagonal that rises to the right and goes through",
            "neighbours": "the neighbourhood (up, down, left, right)",
            "around": "the surroundings (corners too)",
        }[e.relation]
        through = "" if part.endswith("through") else " of"
        return f"{part}{through} {self.number(e.place)}"

    def plural(self, e: tree.Expression) -> str:
        """The elements of a collection: "the cards in your hand with the led suit"."""
        match e:
            case tree.Pile():
                return f"cards in {self.pile(e)}"
            case tree.Filter(collection=collection, binding=inner, body=body):
                cards, with_ = self.plural(collection), self._with(inner, body)
                if cards.startswith("cards in ") and " such that " not in with_:
                    return f"cards{with_}{cards.removeprefix('cards')}"
                return f"{cards}{with_}"
            case tree.Players(others=others):
                return "the other players" if others else "all players"
            case tree.Teams(others=others):
                return "the other teams" if others else "all teams"
            case tree.Members(team=team):
                return f"the players of {self.player(team)}"
            case tree.Range(low=low, high=high):
                return f"the numbers from {self.number(low)} to {self.number(high)}"
            case tree.Texts(values=values):
                return listed([self.text(value) for value in values])
            case tree.Grid() | tree.Along():
                return f"the places of {self._line(e)}"
            case tree.Numbers(values=numbers):
                return f"the numbers {listed(list(map(str, numbers)))}"
            case tree.Combined(how="union", parts=parts):
                return listed([self.plural(part) for part in parts])
            case tree.Combined(how=how, parts=parts):
                shown = listed([self.plural(part) for part in parts])
                rule = "every one" if how == "intersect" else "exactly one"
                return f"the cards that occur in {rule} of {shown}"
            case tree.Each(collection=collection, binding=inner, body=body):
                with self.named(inner, first=f"every {self.one_of(collection, inner)}"):
                    return self.plural(body)
            case tree.Sorted(cards=cards, points=points):
                return f"{self.plural(cards)}, sorted by {self.points(points)}"
            case tree.Several(which=which, count=count, cards=cards):
                return f"the {which} {self.number(count)} cards of {self._whole(cards)}"
            case tree.RunAt(which=which, least=least, cards=cards, points=points):
                return (
                    f"the longest run of at least {self.number(least)} cards with consecutive"
                    f" {self.points(points)}s at the {which} of {self.things(cards)}"
                )
            case tree.Pick(which=which, sets=sets):
                return f"{self.position(which)} of {self.plural(sets)}"
            case tree.Variable(binding=binding):
                words = self._variable(binding)
                return f"cards in {words}" if e.type is Type.CARDS else words
            case tree.Indexed() | tree.Partition() | tree.Tuples() | tree.Subsets() | tree.Runs():
                shown = self.one_of(e, Binding("", e.type.element, e.span))
                return _PLURAL.sub(r"\1s", shown, count=1)
        raise AssertionError(f"no words for {type(e).__name__}")

    # --- any value ------------------------------------------------------------------------

    def value(self, e: tree.Expression) -> str:
        """A value of any type."""
        match e.type:
            case Type.INT:
                return self.number(e)
            case Type.STR:
                return self.name(e)
            case Type.CARD:
                return self.card(e)
            case Type.PLAYER | Type.TEAM:
                return self.player(e)
            case Type.BOOL:
                return self.condition(e)
        return self.things(e)


_IT = "\N{BULLET}"
"""A variable's words that no text contains."""


def _is(subject: str, verb: str) -> str:
    """The verb of a comparison behind its subject."""
    return verb.replace("is", "are", 1) if subject in ("you", "they") else verb


def _bare(noun: str) -> str:
    return noun.removeprefix("the ")


def _ordinal(number: int) -> str:
    words = {1: "first", 2: "second", 3: "third"}
    return words.get(number, f"{number}th")


def _positive(e: tree.Expression) -> tree.Expression | None:
    """The condition that a negative one denies; ``None`` if it is not negative."""
    match e:
        case tree.Not(condition=condition):
            return condition
        case tree.Same(equal=False):
            return tree.Same(e.span, True, e.left, e.right)
        case tree.Compare(operator="!="):
            return tree.Compare(e.span, "==", e.left, e.right)
        case tree.Logic(operator=operator, parts=parts):
            positive = [part for part in map(_positive, parts) if part is not None]
            if len(positive) == len(parts):
                return tree.Logic(e.span, "or" if operator == "and" else "and", tuple(positive))
    return None


def _contents(program: Program) -> dict[tuple[tree.Sort, str], str]:
    """The attribute that is stored under each name, if it is the only one."""
    kept: dict[tuple[tree.Sort, str], set[str]] = {}
    values: dict[str, set[str]] = {}
    for card in program.cards:
        for name, value in card.attributes.items():
            values.setdefault(value, set()).add(name)
    for node in tree.everything(program):
        if not isinstance(node, tree.SetText) or not isinstance(node.target.name, tree.Text):
            continue
        key = (tree.owner_sort(node.target.owner), node.target.name.value)
        match node.value:
            case tree.Attribute(name=tree.Text(value=name)):
                names = {name}
            case tree.Text(value=value):
                names = values.get(value, set())
            case tree.Variable(binding=binding) if binding.values:
                names = set(itertools.chain(*(values.get(v, {""}) for v in binding.values)))
            case _:
                names = {"", "?"}
        kept.setdefault(key, set()).update(names)
    return {key: next(iter(names)) for key, names in kept.items() if len(names) == 1}


def _seats(program: Program) -> set[str]:
    """The numbers of the table that are used as seats, and set to seats or to constants only."""
    nodes = list(tree.everything(program))

    def name(e: tree.Expression) -> str:
        if not isinstance(e, tree.Stored) or not isinstance(e.owner, tree.Table):
            return ""
        return e.name.value if isinstance(e.name, tree.Text) else ""

    used = {name(node.number) for node in nodes if isinstance(node, tree.Seat)}
    seats = used - {""}
    for node in nodes:
        if isinstance(node, tree.SetNumber) and name(node.target) in seats:
            value = node.value
            is_seat = isinstance(value, tree.SeatNumber | tree.Number) or name(value) in used
            if node.operator != "set" or not is_seat:
                seats.discard(name(node.target))
    return seats


def _flags(program: Program) -> set[tuple[tree.Sort, str]]:
    """The numbers that are only ever 0 or 1."""
    flags: set[tuple[tree.Sort, str]] = set()
    others: set[tuple[tree.Sort, str]] = set()
    for node in tree.everything(program):
        if not isinstance(node, tree.SetNumber):
            continue
        if not isinstance(node.target.name, tree.Text):
            return set()
        key = (tree.owner_sort(node.target.owner), node.target.name.value)
        literal = isinstance(node.value, tree.Number) and node.value.value in (0, 1)
        (flags if node.operator == "set" and literal else others).add(key)
    return flags - others

"""The reader of expressions of the dialects B and C, which are in use today."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, cast

from kibitz.recycle.reading.context import Broken, Mend, nothing
from kibitz.recycle.reading.foreign import hint_for
from kibitz.recycle.reading.operators import ORDERS, SHAPES, which_seat
from kibitz.recycle.reading.setup import digits, first_word, is_number, number_map
from kibitz.recycle.reading.several import is_condition, report_conditions
from kibitz.recycle.reading.skeleton import Skeleton
from kibitz.recycle.tree import (
    Along,
    Arithmetic,
    Attribute,
    Best,
    BestScore,
    Binding,
    CardAt,
    Combined,
    Compare,
    CurrentPlayer,
    CurrentTeam,
    Each,
    Entry,
    Expression,
    Fibonacci,
    Filter,
    Grid,
    Indexed,
    Members,
    Number,
    Numbers,
    OwnerOf,
    Partition,
    Pick,
    Pile,
    Players,
    Points,
    Quantified,
    Random,
    Range,
    RunAt,
    Runs,
    Same,
    Score,
    Seat,
    SeatNumber,
    Several,
    Size,
    Sorted,
    Stored,
    StoredText,
    Subsets,
    Sum,
    Table,
    TeamNumber,
    TeamOf,
    Teams,
    Text,
    Texts,
    Total,
    Triangular,
    Tuples,
    Type,
    Variable,
)
from kibitz.recycle.words import (
    KINDS,
    NAME,
    NUMBER,
    STORES,
    SYNONYMS,
    VARIABLE,
    WHICH,
    LiteralName,
    Made,
    Shape,
    is_word,
    one_of,
)
from kibitz.syntax.sexpr import Atom, Form, Node
from kibitz.syntax.source import Span

MOST_ON_GRID = 400
"""The maximum number of places of a grid."""
_SCALARS = (Type.STR, Type.CARD, Type.PLAYER, Type.TEAM)
_LISTS = (Type.PILE, Type.CARDS)
_GROUPS = (Type.PILE, Type.CARDS, Type.PILES, Type.SETS)


EXPRESSIONS: dict[str, Sequence[Shape]] = {
    **SHAPES,
    **ORDERS,
    "tri": [Shape("(tri NUMBER)", Made(Triangular))],
    "fib": [Shape("(fib NUMBER)", Made(Fibonacci))],
    "random": [
        Shape("(random NUMBER .. NUMBER)", Made(Random)),
        Shape("(random NUMBER)", lambda span, high: Random(span, Number(span, 0), high)),
    ],
    "range": [Shape("(range NUMBER .. NUMBER)", Made(Range))],
    "size": [Shape("(size COLLECTION)", Made(Size))],
    "sum": [
        Shape("(sum CARDS using POINTS)", Made(Sum)),
        Shape("(sum NUMBER)", lambda span, number: number),
    ],
    "score": [Shape("(score CARD using POINTS)", Made(Score))],
    "scoremax": [Shape("(scoremax CARDS using POINTS)", Made(BestScore, highest=True))],
    "scoremin": [Shape("(scoremin CARDS using POINTS)", Made(BestScore, highest=False))],
    "max": [Shape("(max CARDS using POINTS)", Made(Best, highest=True))],
    "min": [Shape("(min CARDS using POINTS)", Made(Best, highest=False))],
    "actual": [Shape("(actual CARD)", lambda span, card: card)],
    "cardatt": [Shape("(cardatt NAME CARD)", Made(Attribute))],
    "owner": [Shape("(owner CARD)", Made(OwnerOf))],
    "sort": [Shape("(sort CARDS using POINTS)", Made(Sorted))],
    **{
        word: [Shape(f"({word} CARDS...)", Made(Combined, how=word))]
        for word in ("union", "intersect", "disjunction")
    },
    "tuples": [Shape("(tuples NUMBER CARDS using POINTS)", Made(Tuples))],
    "runs": [
        Shape(
            "(runs largest|all NUMBER CARDS using POINTS)",
            lambda span, how, least, c, p: Runs(span, how == "largest", least, c, p),
        )
    ],
    **{
        word: [Shape(f"({word} NUMBER GRID)", Made(Along, relation=word))]
        for word in ("row", "column", "falling", "rising", "neighbours", "around")
    },
    "run": [Shape("(run top|bottom NUMBER CARDS using POINTS)", Made(RunAt))],
}
"""The shapes of expressions with a fixed meaning, by the first word."""


class ExpressionsB(Skeleton):
    """The reader of the expressions of the dialects B and C."""

    action_words: tuple[str, ...] = ()
    """The first words of actions."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.lets: dict[Binding, Expression] = {}
        """The values of variables that ``let`` binds. A variable for a location can be the
        destination of a move."""
        self.roles: dict[str, Callable[[Node], Any]] = {
            "NUMBER": self.number,
            "NUMBER...": self.number,
            "CONDITION": self.condition,
            "CONDITION...": self.condition,
            "NAME": self.name,
            "CARD": self.card,
            "CARDS": self.cards,
            "CARDS...": self.groups,
            "COLLECTION": self.collection,
            "LOCATION": self.pile,
            "PLAYER": self.player,
            "PLAYERS": self.audience,
            "POINTS": self.points,
            "GRID": self.grid,
        }
        self.special: Mapping[str, Callable[[Form], Expression]] = {
            "==": self._same,
            "!=": self._same,
            "any": self._over,
            "all": self._over,
            "filter": self._filter,
            "top": self._end_of,
            "bottom": self._end_of,
            "other": self._other,
            "team": self._team_of,
            "partition": self._partition,
            "subsets": self._subsets,
            "indexed": self._indexed,
            "pid": self._pid,
            "number": self._number_on,
            "grid": self._grid,
        }

    # --- expressions of a wanted type -----------------------------------------------------

    def typed(self, node: Node, *types: Type) -> Expression:
        """Reads an expression that must have one of these types."""
        return self.check(node, self.expression(node), *types)

    def condition(self, node: Node) -> Expression:
        return self.typed(node, Type.BOOL)

    def number(self, node: Node) -> Expression:
        return self.typed(node, Type.INT)

    def name(self, node: Node) -> Expression:
        """Reads an expression for a name."""
        return self.typed(node, Type.STR)

    def card(self, node: Node) -> Expression:
        """Reads an expression for a card; a set of cards stands for its top card."""
        card = self.expression(node)
        if isinstance(card, Pick) and card.type is Type.CARDS:
            self.warn(
                node,
                "set-for-card",
                "This is a set of cards where one card is wanted; its top card is taken.",
                f"Say it: (top {self.show(node)}).",
            )
            return CardAt(card.span, "top", card)
        return self.check(node, card, Type.CARD)

    def cards(self, node: Node) -> Expression:
        """Reads a location or list of cards."""
        return self._lists(node, *_LISTS)

    def groups(self, node: Node) -> Expression:
        """Reads cards, or a collection of locations or sets of cards."""
        return self._lists(node, *_GROUPS)

    def _lists(self, node: Node, *types: Type) -> Expression:
        """Reads an expression of one of these types; the body of an ``all`` has to be a list."""
        if isinstance(node, Form) and node.head == "all":
            return self.check(node, self._over(node, _LISTS), *types)
        return self.typed(node, *types)

    def player(self, node: Node) -> Expression:
        """Reads an expression for a player."""
        return self.typed(node, Type.PLAYER)

    def audience(self, node: Node) -> Expression:
        """Reads an expression for one or more players, such as a team."""
        if (argument := self.given(node)) is not None:
            return self.read_given(node, argument, self.audience)
        players = self.collection(node) if is_word(node, "player") else self.expression(node)
        if players.type is Type.TEAM:
            return Members(players.span, players)
        return self.check(node, players, Type.PLAYER, Type.PLAYERS)

    def collection(self, node: Node) -> Expression:
        """Reads a collection: of players, teams, cards, numbers or names."""
        if is_word(node, "player"):
            return Players(node.span)
        if is_word(node, "team"):
            return Teams(node.span)
        if (argument := self.given(node)) is not None:
            return self.read_given(node, argument, self.collection)
        collection = self.expression(node)
        if isinstance(collection, Broken) or collection.type.is_collection:
            return collection
        if collection.type is Type.TEAM:
            return Members(collection.span, collection)
        return self.error(
            node,
            "wrong-type",
            f"Here a collection is wanted; '{self.show(node)}' has no elements.",
            "Collections are cards, locations, player, team, (range 1..3), (A, B, C) and others.",
        )

    def pile(self, node: Node) -> Expression:
        pile = self.typed(node, *_LISTS)
        if isinstance(pile, Broken) or pile.type is Type.PILE:
            return pile
        if isinstance(pile, Variable):
            meant = self.lets.get(pile.binding)
            if isinstance(meant, Pile):
                return meant
        return self.error(
            node,
            "not-a-location",
            f"Here a location is wanted; '{self.show(node)}' is only a list of cards.",
            "A location looks like this: (game vloc NAME) or ('P iloc NAME).",
        )

    # --- owners and their locations and storages ------------------------------------------

    def owner(self, node: Node) -> Any:
        """Reads an owner: the table, a player or a team."""
        if is_word(node, "game"):
            return Table(node.span)
        if (argument := self.given(node)) is not None:
            return self.read_given(node, argument, self.owner)
        if isinstance(node, Atom) and NAME.fullmatch(node.text) and node.text in self.scope:
            return self.error(
                node, "missing-quote", f"{node.text} is a name.", f"Did you mean '{node.text}?"
            )
        owner = self.expression(node)
        return self.check(node, owner, Type.PLAYER, Type.TEAM)

    def points(self, node: Node) -> Any:
        """Reads a point map."""
        if (argument := self.given(node)) is not None:
            return self.read_given(node, argument, self.points)
        if is_word(node, "number"):
            return self._numbers_of(node, None)
        if isinstance(node, Form) and node.head == "number" and len(node.items) == 2:
            return self._numbers_of(node, node.items[1])
        if isinstance(node, Atom):
            if VARIABLE.fullmatch(node.text) and node.text[1:] not in self.scope:
                # in older versions, variables stood for point maps
                return Points(node.span, Table(node.span), Text(node.span, node.text[1:]))
            return self.error(
                node,
                "expected-points",
                f"Here a point map should stand, not '{self.show(node)}'.",
                f"It looks like this: (game points {node.text.strip(chr(39)) or 'NAME'}).",
            )
        if len(node.items) == 3 and is_word(node.items[1], "points"):
            owner = self.owner(node.items[0])
            name = self.name(node.items[2])
            if isinstance(owner, Broken) or isinstance(name, Broken):
                return Broken(node.span)
            return Points(node.span, owner, name)
        return self.error(
            node,
            "expected-points",
            f"Here a point map should stand, not '{self.show(node)}'.",
            "It looks like this: (game points NAME).",
        )

    def _numbers_of(self, node: Node, name: Node | None) -> Points | Broken:
        """The point map in which a card scores the number that it shows for an attribute.

        Args:
            node: The form that needs the map.
            name: The attribute; ``None`` for the only one with numbers.
        """
        having = [key for key, values in self.attributes.items() if any(map(is_number, values))]
        called = self.value(name) if name is not None else None
        if name is not None and called is None:
            return Broken(node.span)
        if called is None and len(having) == 1:
            called = having[0]
        if called not in having:
            message = "Several attributes have numbers" if having else "No card has a number"
            cure = f"Say which one: {one_of([f'(number {key} ...)' for key in having])}."
            if called is not None:
                message = f"No card has a number as its {self.show(name or node)}"
            if not having:
                cure = "Numbers are values of cards in a deck: (deck (NUMBER 1 .. 10))."
            return self.error(name or node, "no-number", f"{message}.", cure)
        assert called is not None
        self.numbered.setdefault(called, node.span)
        return number_map(node.span, called)

    def _grid(self, form: Form) -> Expression:
        """Reads ``(grid ROWS COLUMNS)``: both are known before the game begins."""
        if len(form.items) != 3:
            return self.unfit(form, "(grid ROWS COLUMNS)")
        sides = [self.folded(item, self.number(item)) for item in form.items[1:]]
        rows, columns = (side.value if isinstance(side, Number) else 0 for side in sides)
        if any(isinstance(side, Broken) for side in sides):
            return Broken(form.span)
        if rows < 1 or columns < 1 or rows * columns > MOST_ON_GRID:
            return self.error(
                form,
                "bad-range",
                f"A grid has 1 to {MOST_ON_GRID} places, not {rows} by {columns}.",
                "It looks like this: (grid ROWS COLUMNS).",
            )
        return Grid(form.span, tuple(range(rows * columns)), rows, columns)

    def grid(self, node: Node) -> Expression:
        """Reads a grid."""
        if (argument := self.given(node)) is not None:
            return self.read_given(node, argument, self.grid)
        grid = self.expression(node)
        if isinstance(grid, (Broken, Grid)):
            return grid
        return self.error(
            node,
            "wrong-type",
            f"Here a grid is wanted; '{self.show(node)}' is none.",
            "It looks like this: (declare (grid ROWS COLUMNS) 'BOARD).",
        )

    def _number_on(self, form: Form) -> Expression:
        """Reads ``(number CARD)`` or ``(number ATTRIBUTE CARD)``: the number on a card."""
        if not 2 <= len(form.items) <= 3:
            shapes = ["(number CARD)", "(number ATTRIBUTE CARD)"]
            return self._misfit(form, [Shape(shape, nothing) for shape in shapes])
        points = self._numbers_of(form, form.items[1] if len(form.items) == 3 else None)
        card = self.card(form.items[-1])
        if isinstance(points, Broken) or isinstance(card, Broken):
            return Broken(form.span)
        return Score(form.span, card, points)

    def _owned(self, form: Form) -> Expression:
        """Reads ``(OWNER kind NAME [INDEX])`` or ``(OWNER sto NAME)``."""
        owner = self.owner(form.items[0])
        word = cast(Atom, form.items[1]).text
        shape = f"(OWNER {word} NAME)"
        if len(form.items) < 3:
            return self.error(
                form, "too-few-arguments", f"'{self.show(form)}' has no name.", shape
            )
        name = self.name(form.items[2])
        if len(form.items) > (4 if word in KINDS else 3):
            extra = 4 if word in KINDS and self._can_be_number(form.items[3]) else 3
            return self.error(
                Span(form.items[extra].span.start, form.items[-1].span.end),
                "too-many-arguments",
                f"This is too much for a '{word}'.",
                f"It looks like this: {shape}.",
                mends=[Mend(form.items[extra - 1].span.end, "close")],
            )
        index = None
        if len(form.items) == 4:
            if not self._can_be_number(form.items[3]):
                return self.error(
                    form.items[3],
                    "too-many-arguments",
                    f"This is too much for a '{word}'.",
                    f"It looks like this: {shape}.",
                    mends=[Mend(form.items[2].span.end, "close")],
                )
            index = self.number(form.items[3])
        if any(isinstance(piece, Broken) for piece in (owner, name, index)):
            return Broken(form.span)
        if word == "sto":
            return Stored(form.span, owner, name)
        if word == "str":
            return StoredText(form.span, owner, name)
        if word == "points":
            return self.error(
                form,
                "points-alone",
                "A point map is no value by itself.",
                "(score CARD using POINTS) and (sum CARDS using POINTS) use it.",
            )
        if isinstance(owner, Expression) and owner.type is Type.TEAM:
            return self.error(
                form.items[0],
                "team-cards",
                "A team owns no locations, only sto, str and points.",
                "Give them to one of its players, or to the game under a name for each team.",
            )
        return Pile(form.span, owner, cast(Any, word), name, index)

    # --- expressions ----------------------------------------------------------------------

    def value(self, node: Node) -> str | None:
        if isinstance(node, Atom):
            if NAME.fullmatch(node.text):
                return node.text
            expression = self._atom(node)
            if isinstance(expression, Text):
                return expression.value
            if not isinstance(expression, Broken):
                self.check(node, expression, Type.STR)
            return None
        self.error(node, "expected-name", f"Here a name should stand, not '{self.show(node)}'.")
        return None

    def expression(self, node: Node) -> Expression:
        if isinstance(node, Atom):
            return self._atom(node)
        if not node.items:
            return self.error(
                node,
                "empty-form",
                "There is nothing in these parentheses.",
                mends=[Mend(node.span.end - 1, "remove")],
            )
        first = node.items[0]
        if len(node.items) > 1 and is_word(node.items[1], *KINDS, *STORES):
            return self._owned(node)
        if len(node.items) == 2 and is_word(node.items[1], "player", "team"):
            if not is_word(first, "other", "all", "any", "size"):
                return self._member(node)
        if isinstance(first, Atom):
            if self.is_call(node):
                return self.value_of_call(node)
            if first.text in self.special:
                return self.special[first.text](node)
            if first.text in EXPRESSIONS:
                return cast(Expression, self.fit(node, EXPRESSIONS[first.text], self.roles))
            if self._is_list(node):
                return self._names(node)
            if self._lists_numbers(node):
                return self._numbers(node)
        if len(node.items) == 2 and self._can_be_number(first):
            return self._numbered(node)
        if self.report_infix(node):
            return Broken(node.span)
        kind = self.misspelt_kind(node, (*KINDS, *STORES))
        if kind is not None:
            return kind
        if isinstance(first, Atom):
            return self._unknown_form(node, first)
        return self.error(
            node,
            "unknown-form",
            f"'{self.show(node)}' is no value.",
            "A form begins with a word; only owners such as (current player) stand in front in"
            " parentheses of their own.",
            mends=[Mend(node.span.end - 1, "remove")] if len(node.items) == 1 else [],
        )

    def _unknown_form(self, form: Form, first: Atom) -> Broken:
        """Reports a form whose first word begins no expression."""
        if first.text in self.action_words:
            return self.action_for_value(form, first, "Perhaps parentheses are wrong around it.")
        if first.text in ("stage", "choice", "scoring", "setup", "end", "declare"):
            return self.misplaced(form, "Here a value is wanted.")
        if first.text == "game":
            return self.error(
                form,
                "unknown-form",
                f"'{self.show(form)}' is no value.",
                "What the table has is (game vloc NAME), (game sto NAME), (game str NAME)...",
            )
        return self.unknown(first, "word of the language", self.words)

    def _atom(self, atom: Atom) -> Expression:
        """Reads a word: a variable, a number, a name, or all players or teams."""
        text = atom.text
        if isinstance(atom, LiteralName):
            return Text(atom.span, text)
        if text.startswith("'"):
            if (argument := self.given(atom)) is not None:
                return self.read_given(atom, argument, self.expression)
            if VARIABLE.fullmatch(text):
                return self.lookup(atom)
            return self.error(
                atom, "unknown-word", f"{self.show(atom)} is no variable.", "Write it as 'NAME."
            )
        if NUMBER.fullmatch(text):
            number = digits(text)
            if number is None:
                return self.error(atom, "large-number", f"{self.show(atom)} is too large.")
            return Number(atom.span, number)
        if NAME.fullmatch(text):
            return Text(atom.span, text)
        if text in ("player", "team"):
            return self.collection(atom)
        unquoted = text.strip('"')
        if NAME.fullmatch(unquoted):
            return self.error(
                atom, "unknown-word", "Names stand without quotes.", f"Did you mean {unquoted}?"
            )
        if text[0] in '\u2018\u2019\u00b4`"':
            return self.error(
                atom,
                "unknown-word",
                f"{self.show(atom)} does not begin with a plain quote.",
                f"Did you mean '{self.show(atom)[1:]}?",
            )
        if text[0] == "-" and NUMBER.fullmatch(text[1:]):
            return self.error(
                atom,
                "negative",
                "There are no negative numbers in the source.",
                f"(- 0 {text[1:]}) gives one.",
            )
        if hint_for(atom) or text in SYNONYMS:
            return self.unknown(atom, "word of the language", self.words)
        if text in self.words:
            return self.error(
                atom,
                "misplaced-word",
                f"'{text}' is a word of the language; here a value should stand.",
                f"A form with it begins with a parenthesis: ({text} ...).",
                mends=[Mend(atom.span.start, "open")],
            )
        if NUMBER.match(text):
            return self.error(
                atom,
                "bad-name",
                f"'{self.show(atom)}' is neither a number nor a name.",
                "A name begins with a capital letter.",
            )
        if NAME.fullmatch(text.upper()):
            return self.error(
                atom,
                "bad-name",
                f"'{self.show(atom)}' is no word of the language.",
                f"Names are written in capitals: {self.show(atom).upper()}.",
            )
        return self.error(
            atom,
            "unknown-word",
            f"'{self.show(atom)}' is nothing that this language knows.",
            "A name consists of capital letters, digits and _.",
        )

    def _is_list(self, form: Form) -> bool:
        """Whether a form is a list of names."""
        return all(isinstance(item, Atom) and NAME.fullmatch(item.text) for item in form.items)

    def _names(self, form: Form) -> Expression:
        self.check_list(form, "Write every name, with commas: (ONE, TWO, THREE).")
        return Texts(form.span, tuple(cast(Atom, item).text for item in form.items))

    def _lists_numbers(self, form: Form) -> bool:
        """Whether a form is a list of numbers: ``(3, 5)``, not ``(3 PLACE)`` or ``(3 + 5)``."""
        literal = [
            isinstance(item, Atom) and bool(NUMBER.fullmatch(item.text)) for item in form.items
        ]
        if not literal[0] or (len(form.items) == 2 and not literal[1]):
            return literal[0] and self._has_comma(form)
        return all(
            isinstance(item, Form) or item.text[0] == "'" or known
            for item, known in zip(form.items, literal, strict=True)
        )

    def _has_comma(self, form: Form) -> bool:
        """Whether a comma follows the first item of a form."""
        return "," in self.source.text[form.items[0].span.end : form.items[1].span.start]

    def _numbers(self, form: Form) -> Expression:
        """Reads a list of numbers that are known before the game begins."""
        numbers = [self.number(item) for item in form.items]
        if any(isinstance(number, Broken) for number in numbers):
            return Broken(form.span)
        known = [self.folded(item, n) for item, n in zip(form.items, numbers, strict=True)]
        values = tuple(number.value for number in known if isinstance(number, Number))
        return Numbers(form.span, values) if len(values) == len(known) else Broken(form.span)

    def _can_be_number(self, node: Node) -> bool:
        """Whether a node may be an expression for a number, such as an index."""
        if isinstance(node, Atom):
            return bool(NUMBER.fullmatch(node.text)) or node.text.startswith("'")
        return True

    def _numbered(self, form: Form) -> Expression:
        """Reads ``(NUMBER CARDS)`` or ``(NUMBER LIST)``: the element with an index."""
        index = self.number(form.items[0])
        item = form.items[1]
        where = self.groups(item) if first_word(item) == "all" else self.expression(item)
        if not isinstance(where, (Numbers, Texts)):
            where = self.check(item, where, *_GROUPS)
        if isinstance(index, Broken) or isinstance(where, Broken):
            return Broken(form.span)
        if isinstance(where, (Numbers, Texts)):
            return Entry(form.span, index, where)
        if where.type in _LISTS:
            return CardAt(form.span, index, where)
        return Pick(form.span, index, where)

    def _member(self, form: Form) -> Expression:
        """Reads ``(X player)`` or ``(X team)``."""
        first, second = form.items
        team = is_word(second, "team")
        if isinstance(first, Atom):
            if first.text in WHICH:
                seat = which_seat(first.text)
                return CurrentTeam(form.span, seat) if team else CurrentPlayer(form.span, seat)
            if not self._can_be_number(first):
                return self.unknown(
                    first,
                    "way to say which player",
                    (*WHICH, "size", "other"),
                    "It is current, next, previous or a number.",
                )
        value = self.typed(first, Type.INT, Type.PLAYER, Type.TEAM)
        if isinstance(value, Broken):
            return value
        if value.type is Type.INT:
            if team:
                return TeamNumber(form.span, value)
            if isinstance(value, Number) and not (
                self.first_seat <= value.value < self.first_seat + self.players
            ):
                return self.no_player(first, value.value)
            return Seat(form.span, self._from_zero(value))
        if value.type is Type.PLAYER:
            if team:
                return TeamOf(form.span, value)
            if isinstance(value, (CurrentPlayer, Seat)):
                self.warn(
                    form,
                    "player-of-player",
                    f"'{self.show(first)}' is a player already.",
                    f"Write {self.show(first)} instead of {self.show(form)}.",
                )
            return value
        return value if team else Members(form.span, value)

    def _from_zero(self, number: Expression) -> Expression:
        """The seat, from 0, of a player's number in the file."""
        if not self.first_seat:
            return number
        if isinstance(number, Number) and number.parameter is None:
            return Number(number.span, number.value - self.first_seat)
        return Arithmetic(number.span, "-", number, Number(number.span, self.first_seat))

    def _pid(self, form: Form) -> Expression:
        """Reads ``(pid PLAYER)``, the number of a player."""
        if len(form.items) != 2:
            return self.unfit(form, "(pid PLAYER)")
        player = self.player(form.items[1])
        if isinstance(player, Broken):
            return player
        number = SeatNumber(form.span, player)
        if not self.first_seat:
            return number
        return Arithmetic(form.span, "+", number, Number(form.span, self.first_seat))

    def _other(self, form: Form) -> Expression:
        """Reads ``(other player)`` or ``(other team)``, all but the current, or ``(other 'P)``."""
        if len(form.items) != 2:
            return self.unfit(form, "(other player), (other team) or (other 'PLAYER)")
        if is_word(form.items[1], "player", "team"):
            group = Teams if is_word(form.items[1], "team") else Players
            everybody = group(form.span, others=True)
            self._warn_of_current(form, everybody.type.element)
            return everybody
        excluded = self.typed(form.items[1], Type.PLAYER, Type.TEAM)
        if isinstance(excluded, Broken):
            return excluded
        group = Teams if excluded.type is Type.TEAM else Players
        if isinstance(excluded, (CurrentPlayer, CurrentTeam)) and excluded.which == "current":
            return group(form.span, others=True)
        binding = Binding("OTHER", excluded.type, form.span)
        self.bindings.append(binding)
        another = Same(form.span, False, Variable(form.span, binding), excluded)
        return Filter(form.span, group(form.span), binding, another)

    def _warn_of_current(self, form: Form, kind: Type) -> None:
        """Warns that the current player or team is excluded, if a variable may be meant."""
        named = [
            binding
            for binding in self.scope.values()
            if isinstance(binding, Binding)
            and binding.type is kind
            and not self._is_current(binding)
        ]
        if not named:
            return
        nearest = max(named, key=lambda binding: binding.span.start).name
        noun = "player" if kind is Type.PLAYER else "team"
        self.warn(
            form,
            "other-than-current",
            f"'{self.show(form)}' means all but the current {noun}, not all but '{nearest}.",
            f"All but '{nearest} are (other '{nearest}). If you do mean all but the current"
            f" {noun}, write (other (current {noun})).",
        )

    def _is_current(self, binding: Binding) -> bool:
        """Whether a ``let`` bound a variable to the current player or team."""
        value = self.lets.get(binding)
        return isinstance(value, (CurrentPlayer, CurrentTeam)) and value.which == "current"

    def _team_of(self, form: Form) -> Expression:
        if len(form.items) != 2:
            return self.unfit(form, "(team PLAYER)")
        player = self.player(form.items[1])
        return player if isinstance(player, Broken) else TeamOf(form.span, player)

    def _same(self, form: Form) -> Expression:
        operator = form.head
        if len(form.items) != 3:
            return cast(
                Expression,
                self.fit(form, [Shape(f"({operator} VALUE VALUE)", nothing)], self.roles),
            )
        left, right = self.expression(form.items[1]), self.expression(form.items[2])
        if isinstance(left, Broken) or isinstance(right, Broken):
            return Broken(form.span)
        return self.same(form, operator == "==", left, right)

    def same(self, form: Form, equal: bool, left: Expression, right: Expression) -> Expression:
        """The comparison of two values, which must have the same type."""
        if left.type is Type.INT:
            checked = self.check(form.items[2], right, Type.INT)
            if isinstance(checked, Broken):
                return checked
            return Compare(form.span, "==" if equal else "!=", left, right)
        if left.type not in _SCALARS:
            return self.check(form.items[1], left, Type.INT, *_SCALARS)
        checked = self.check(form.items[2], right, left.type)
        if isinstance(checked, Broken):
            return checked
        return Same(form.span, equal, left, right)

    def _over(
        self, form: Form, types: Sequence[Type] = (Type.BOOL, Type.INT, *_LISTS)
    ) -> Expression:
        """Reads ``any`` or ``all`` as an expression; the type of the body decides its meaning.

        Args:
            types: The types of a body that an error names.
        """
        word = form.head
        shape = f"({word} COLLECTION 'NAME BODY)"
        if len(form.items) != 4:
            return self._misfit_over(form, shape)
        with self.over(form, shape) as (collection, binding):
            body = self.expression(form.items[3])
        if isinstance(collection, Broken) or isinstance(body, Broken) or binding is None:
            return Broken(form.span)
        if body.type is Type.BOOL:
            return Quantified(form.span, word == "all", collection, binding, body)
        if word == "any":
            return self.check(form.items[3], body, Type.BOOL)
        if body.type is Type.INT:
            return Total(form.span, collection, binding, body)
        if body.type in _LISTS:
            return Each(form.span, collection, binding, body)
        return self.check(form.items[3], body, *types)

    def _misfit_over(self, form: Form, shape: str) -> Broken:
        """Reports a wrong number of items of a form such as ``any``."""
        if len(form.items) > 4 and all(is_condition(item) for item in form.items[3:]):
            report_conditions(self, form.items[3:], [Mend(form.items[3].span.end, "close")])
            return Broken(form.span)
        return self._misfit(form, [Shape(shape, nothing)])

    def over(self, form: Form, shape: str) -> Any:
        """A context in which the variable of an ``any``, ``all`` or ``filter`` is in scope.

        It gives the collection and the variable.
        """
        return _Over(self, form, shape)

    def _filter(self, form: Form) -> Expression:
        shape = "(filter COLLECTION 'NAME CONDITION)"
        if len(form.items) != 4:
            return self._misfit_over(form, shape)
        with self.over(form, shape) as (collection, binding):
            body = self.condition(form.items[3])
        if isinstance(collection, Broken) or isinstance(body, Broken) or binding is None:
            return Broken(form.span)
        return Filter(form.span, collection, binding, body)

    def _end_of(self, form: Form) -> Expression:
        """Reads ``(top X)`` or ``(top NUMBER X)``."""
        end = cast(Literal["top", "bottom"], form.head)
        if len(form.items) == 3:
            count, cards = self.number(form.items[1]), self.cards(form.items[2])
            if isinstance(count, Broken) or isinstance(cards, Broken):
                return Broken(form.span)
            return Several(form.span, end, count, cards)
        if len(form.items) != 2:
            shapes = [
                Shape(f"({end} CARDS)", nothing),
                Shape(f"({end} NUMBER CARDS)", nothing),
            ]
            return self._misfit(form, shapes)
        where = self.groups(form.items[1])
        if isinstance(where, Broken):
            return where
        if where.type in _LISTS:
            return CardAt(form.span, end, where)
        return Pick(form.span, end, where)

    def _partition(self, form: Form) -> Expression:
        items = list(form.items[1:])
        if len(items) == 2 and isinstance(items[0], Form) and isinstance(items[1], Atom):
            items.reverse()  # the order before version 0.5.7
        if len(items) < 2:
            return self.unfit(form, "(partition NAME CARDS...)")
        attribute = self.name(items[0])
        self.check_attribute(items[0], attribute)
        groups = [self.groups(item) for item in items[1:]]
        if any(isinstance(piece, Broken) for piece in (attribute, *groups)):
            return Broken(form.span)
        return Partition(form.span, attribute, tuple(groups))

    def _subsets(self, form: Form) -> Expression:
        if len(form.items) != 2:
            return self._misfit(form, [Shape("(subsets CARDS)", nothing)])
        cards = self.cards(form.items[1])
        if isinstance(cards, Broken):
            return cards
        return Subsets(form.span, cards, empty=self.dialect != "C")

    def _indexed(self, form: Form) -> Expression:
        shape = "(indexed OWNER KIND NAME)"
        if len(form.items) != 4 or not is_word(form.items[2], *KINDS):
            return self.unfit(form, shape)
        owner, name = self.owner(form.items[1]), self.name(form.items[3])
        if isinstance(owner, Broken) or isinstance(name, Broken):
            return Broken(form.span)
        return Indexed(form.span, owner, cast(Any, form.items[2]).text, name)

    def fit(self, form: Form, shapes: Sequence[Shape], roles: Any) -> Any:
        expression = super().fit(form, shapes, roles)
        if isinstance(expression, Attribute):
            self.check_attribute(form.items[1], expression.name)
        return expression


class _Over:
    """A context that binds the variable of an ``any``, ``all`` or ``filter``."""

    def __init__(self, reader: ExpressionsB, form: Form, shape: str) -> None:
        self.reader = reader
        self.collection = reader.collection(form.items[1])
        self.context: Any = None
        if reader.is_variable(form.items[2], shape):
            name = cast(Atom, form.items[2])
            broken = isinstance(self.collection, Broken)
            self.context = reader.bound(
                name.text.lstrip("'"),
                name.span,
                None if broken else self.collection.type.element,
                names_of(self.collection),
            )

    def __enter__(self) -> tuple[Expression, Binding | None]:
        return self.collection, self.context.__enter__() if self.context else None

    def __exit__(self, *problem: object) -> None:
        if self.context:
            self.context.__exit__(*problem)


def names_of(collection: Expression) -> tuple[str, ...] | None:
    """The names in a list of names, filtered or not; ``None`` for another collection."""
    if isinstance(collection, Texts):
        return collection.values
    if isinstance(collection, Filter):
        return names_of(collection.collection)
    return None

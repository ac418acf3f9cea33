"""The syntax tree of a RECYCLE game, which all dialects share.

``parser`` turns the forms of a text into these nodes. In them, names are resolved, types are
known, and parameters are replaced by their values; the dialects no longer differ. The checks, the
compiler and the interpreter of the tests use the same tree.

Every node has the ``span`` of its source. Expressions have a ``type``. The docstrings of the nodes
define the semantics of the language.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Literal, TypeAlias

from kibitz.syntax.sexpr import Form
from kibitz.syntax.source import Source, Span


class Type(enum.Enum):
    """The type of an expression's value."""

    INT = "number"
    BOOL = "condition"
    STR = "name"
    CARD = "card"
    PLAYER = "player"
    TEAM = "team"
    PILE = "location"
    """A physical location; where cards are expected, it stands for the cards in it."""
    CARDS = "cards"
    """A list of cards, bottom first; a card may occur several times, as in a union."""
    INTS = "numbers"
    STRS = "names"
    PLAYERS = "players"
    TEAMS = "teams"
    PILES = "locations"
    SETS = "collections of cards"

    @property
    def element(self) -> Type:
        """The type of a collection's elements.

        Raises:
            KeyError: The type is not a collection.
        """
        return _ELEMENTS[self]

    @property
    def is_collection(self) -> bool:
        """Whether values of the type have elements."""
        return self in _ELEMENTS


_ELEMENTS = {
    Type.PILE: Type.CARD,
    Type.CARDS: Type.CARD,
    Type.INTS: Type.INT,
    Type.STRS: Type.STR,
    Type.PLAYERS: Type.PLAYER,
    Type.TEAMS: Type.TEAM,
    Type.PILES: Type.PILE,
    Type.SETS: Type.CARDS,
}

Kind: TypeAlias = Literal["vloc", "iloc", "hloc", "oloc", "mem"]
"""The kind of a location. A vloc is visible to all, an iloc to its owner, an hloc to nobody, an
oloc to all but its owner. A mem, visible to all, contains references to cards that lie elsewhere.
An iloc of the game is visible to nobody."""

Which: TypeAlias = "Literal['top', 'bottom'] | Expression"
"""A position in a list: the last element, the first, or an index from 0 at the bottom."""


@dataclass(eq=False)
class Binding:
    """A variable, which is visible in the body of the node that binds it.

    A variable of type CARDS that ``let`` binds holds a copy of the list at that time. Later moves
    do not change the copy, except that a move of a card *by this variable* (``move (top 'V) ...``)
    also removes the card from it.
    """

    name: str
    type: Type
    span: Span
    values: tuple[str, ...] | None = None
    """The values of a variable of type STR, if they are known."""


@dataclass(frozen=True, eq=False)
class Node:
    """A part of the tree, with the span of its source."""

    span: Span


@dataclass(frozen=True, eq=False)
class Expression(Node):
    """A part of the tree that has a value."""

    @property
    def type(self) -> Type:
        """The type of the value."""
        raise NotImplementedError


# --- owners -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Table(Node):
    """``game``: the owner of locations and storages that belong to no player and no team."""


Owner: TypeAlias = "Table | Expression"
"""The owner of a location or storage: the table, or an expression for a player or a team."""
Sort: TypeAlias = Literal["game", "player", "team"]
"""The kind of an owner."""


def owner_sort(owner: Owner) -> Sort:
    """The sort of an owner: the table, a player or a team."""
    if isinstance(owner, Table):
        return "game"
    return "team" if owner.type is Type.TEAM else "player"


# --- numbers ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Number(Expression):
    """A constant number, which may be the value of a parameter of the game."""

    value: int
    parameter: str | None = None
    type = Type.INT


@dataclass(frozen=True, eq=False)
class Stored(Expression):
    """``(OWNER sto NAME)``: a stored number, visible to all; 0 before it is set."""

    owner: Owner
    name: Expression
    type = Type.INT


@dataclass(frozen=True, eq=False)
class Size(Expression):
    """The number of elements of a collection."""

    collection: Expression
    type = Type.INT


@dataclass(frozen=True, eq=False)
class Total(Expression):
    """The sum of `body` over a collection."""

    collection: Expression
    binding: Binding
    body: Expression
    type = Type.INT


@dataclass(frozen=True, eq=False)
class Sum(Expression):
    """The sum of the scores of cards."""

    cards: Expression
    points: Points
    type = Type.INT


@dataclass(frozen=True, eq=False)
class Score(Expression):
    """The score of a card by a point map: the sum of its awards that match the card."""

    card: Expression
    points: Points
    type = Type.INT


@dataclass(frozen=True, eq=False)
class BestScore(Expression):
    """The highest or lowest score among cards; an error without cards."""

    highest: bool
    cards: Expression
    points: Points
    type = Type.INT


@dataclass(frozen=True, eq=False)
class Arithmetic(Expression):
    """An operation on numbers: ``+ - * // % ^``.

    Division truncates toward zero; division by zero is an error.
    """

    operator: Literal["+", "-", "*", "//", "%", "^"]
    left: Expression
    right: Expression
    type = Type.INT


@dataclass(frozen=True, eq=False)
class Triangular(Expression):
    """The triangular number ``tri n``: 1 + 2 + ... + n."""

    number: Expression
    type = Type.INT


@dataclass(frozen=True, eq=False)
class Fibonacci(Expression):
    """The Fibonacci number ``fib n``: 0, 1, 1, 2, 3, 5, ... from n = 0."""

    number: Expression
    type = Type.INT


@dataclass(frozen=True, eq=False)
class Random(Expression):
    """A uniform random number `low` .. `high`, both included; an error for an empty range."""

    low: Expression
    high: Expression
    type = Type.INT


@dataclass(frozen=True, eq=False)
class SeatNumber(Expression):
    """The number of a player, from 0."""

    player: Expression
    type = Type.INT


# --- conditions ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Logic(Expression):
    """``and`` or ``or`` of several conditions, evaluated from left to right as far as needed."""

    operator: Literal["and", "or"]
    parts: tuple[Expression, ...]
    type = Type.BOOL


@dataclass(frozen=True, eq=False)
class Not(Expression):
    """The negation of a condition."""

    condition: Expression
    type = Type.BOOL


Comparison: TypeAlias = Literal["==", "!=", "<", ">", "<=", ">="]
OPPOSITE: dict[Comparison, Comparison] = {
    "==": "!=",
    "!=": "==",
    "<": ">=",
    ">=": "<",
    ">": "<=",
    "<=": ">",
}
"""The negation of each comparison."""
MIRRORED: dict[Comparison, Comparison] = {
    "<": ">",
    ">": "<",
    "<=": ">=",
    ">=": "<=",
    "==": "==",
    "!=": "!=",
}
"""The equivalent of each comparison with its sides exchanged."""


@dataclass(frozen=True, eq=False)
class Compare(Expression):
    """A comparison of two numbers."""

    operator: Comparison
    left: Expression
    right: Expression
    type = Type.BOOL


@dataclass(frozen=True, eq=False)
class Same(Expression):
    """Whether two names, cards, players or teams are the same (``equal``), or are not.

    Only a physical card is the same as itself, not another one with equal attributes. Nothing is
    the same as a missing card.
    """

    equal: bool
    left: Expression
    right: Expression
    type = Type.BOOL


@dataclass(frozen=True, eq=False)
class Quantified(Expression):
    """Whether `body` holds for every element, or for some; stops at the first that decides."""

    every: bool
    collection: Expression
    binding: Binding
    body: Expression
    type = Type.BOOL


# --- names --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Text(Expression):
    """A literal name."""

    value: str
    type = Type.STR


@dataclass(frozen=True, eq=False)
class StoredText(Expression):
    """``(OWNER str NAME)``: a stored name; the empty name before it is set."""

    owner: Owner
    name: Expression
    type = Type.STR


@dataclass(frozen=True, eq=False)
class Attribute(Expression):
    """``(cardatt NAME CARD)``: the value of an attribute of a card.

    It is the empty name if the card lacks the attribute, or if the card is missing, as at the top
    of an empty location.
    """

    name: Expression
    card: Expression
    type = Type.STR


# --- any type -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Variable(Expression):
    """The value of a variable."""

    binding: Binding

    @property
    def type(self) -> Type:
        return self.binding.type


# --- players and teams --------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class CurrentPlayer(Expression):
    """The current, next or previous player of the innermost cycle of players.

    The next player is the queued one, if there is one, else the player in the next seat. The
    previous player is the one in the previous seat. Eliminated players are passed over.
    """

    which: Literal["current", "next", "previous"]
    type = Type.PLAYER


@dataclass(frozen=True, eq=False)
class Seat(Expression):
    """The player with a number, from 0; an error if the number is out of range."""

    number: Expression
    type = Type.PLAYER


@dataclass(frozen=True, eq=False)
class OwnerOf(Expression):
    """The player who owns the location of a card; an error if no player owns it."""

    card: Expression
    type = Type.PLAYER


@dataclass(frozen=True, eq=False)
class CurrentTeam(Expression):
    """The current, next or previous team of the innermost cycle of teams."""

    which: Literal["current", "next", "previous"]
    type = Type.TEAM


@dataclass(frozen=True, eq=False)
class TeamNumber(Expression):
    """The team with a number, from 0; an error if the number is out of range."""

    number: Expression
    type = Type.TEAM


@dataclass(frozen=True, eq=False)
class TeamOf(Expression):
    """The team of a player."""

    player: Expression
    type = Type.TEAM


@dataclass(frozen=True, eq=False)
class Players(Expression):
    """All players who are not eliminated, by seat; without the current player if `others`."""

    others: bool = False
    type = Type.PLAYERS


@dataclass(frozen=True, eq=False)
class Teams(Expression):
    """All teams, by number; without the current team if `others`."""

    others: bool = False
    type = Type.TEAMS


@dataclass(frozen=True, eq=False)
class Members(Expression):
    """The players of a team, in the order of the team's list."""

    team: Expression
    type = Type.PLAYERS


# --- plain collections --------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Range(Expression):
    """The numbers `low` .. `high`, both included; empty if `high` is less than `low`."""

    low: Expression
    high: Expression
    type = Type.INTS


@dataclass(frozen=True, eq=False)
class Texts(Expression):
    """A literal list of names."""

    values: tuple[str, ...]
    type = Type.STRS


@dataclass(frozen=True, eq=False)
class Numbers(Expression):
    """A literal list of numbers."""

    values: tuple[int, ...]
    type = Type.INTS


@dataclass(frozen=True, eq=False)
class Grid(Numbers):
    """``(grid ROWS COLUMNS)``: the numbers of the places of a grid, from 0, row by row."""

    rows: int
    columns: int


Relation: TypeAlias = Literal["row", "column", "falling", "rising", "neighbours", "around"]


@dataclass(frozen=True, eq=False)
class Along(Expression):
    """``(row PLACE GRID)`` and others: places of a grid that stand in a relation to one, in order.

    A row, a column and a diagonal contain the place itself; a diagonal falls or rises from the
    left to the right. Neighbours share a side with the place; those around it share a side or a
    corner. It is an error if the grid has no such place.
    """

    relation: Relation
    place: Expression
    grid: Grid
    type = Type.INTS

    def places(self, place: int) -> list[int]:
        """The places in the relation to a place."""
        row, column = divmod(place, self.grid.columns)
        related = []
        for other in self.grid.values:
            down, right = other // self.grid.columns - row, other % self.grid.columns - column
            if {
                "row": down == 0,
                "column": right == 0,
                "falling": down == right,
                "rising": down == -right,
                "neighbours": abs(down) + abs(right) == 1,
                "around": max(abs(down), abs(right)) == 1,
            }[self.relation]:
                related.append(other)
        return related


@dataclass(frozen=True, eq=False)
class Entry(Expression):
    """``(NUMBER LIST)``: an entry of a literal list, from 0; an error if the list is shorter."""

    index: Expression
    table: Texts | Numbers

    @property
    def type(self) -> Type:
        return self.table.type.element


@dataclass(frozen=True, eq=False)
class Filter(Expression):
    """The elements for which `body` holds, in order; empty sets of cards are left out."""

    collection: Expression
    binding: Binding
    body: Expression

    @property
    def type(self) -> Type:
        base = self.collection.type
        return Type.CARDS if base is Type.PILE else base


@dataclass(frozen=True, eq=False)
class Each(Expression):
    """``(all COLLECTION 'V CARDS)``: the locations or lists that `body` gives, in order."""

    collection: Expression
    binding: Binding
    body: Expression

    @property
    def type(self) -> Type:
        return Type.PILES if self.body.type is Type.PILE else Type.SETS


@dataclass(frozen=True, eq=False)
class Indexed(Expression):
    """``(indexed OWNER kind NAME)``: the locations of a name that contain cards, by index."""

    owner: Owner
    kind: Kind
    name: Expression
    type = Type.PILES


# --- cards --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Pile(Expression):
    """``(OWNER kind NAME [INDEX])``: a location, which owner, kind, name and index identify."""

    owner: Owner
    kind: Kind
    name: Expression
    index: Expression | None = None
    type = Type.PILE


@dataclass(frozen=True, eq=False)
class Combined(Expression):
    """The ``union``, ``intersect`` or ``disjunction`` of piles or lists of cards.

    A union contains the cards of all parts one after the other, with duplicates. An intersection
    contains the cards that are in all parts. A disjunction contains the cards that occur exactly
    once in all parts together. The last two are in order of first appearance. A part that is a
    collection of piles or lists counts as several parts.
    """

    how: Literal["union", "intersect", "disjunction"]
    parts: tuple[Expression, ...]
    type = Type.CARDS


@dataclass(frozen=True, eq=False)
class Sorted(Expression):
    """The cards by ascending score; cards with equal scores stay in order."""

    cards: Expression
    points: Points
    type = Type.CARDS


@dataclass(frozen=True, eq=False)
class Several(Expression):
    """The `count` topmost cards, top first, or bottommost cards, bottom first.

    It contains fewer cards if there are fewer.
    """

    which: Literal["top", "bottom"]
    count: Expression
    cards: Expression
    type = Type.CARDS


@dataclass(frozen=True, eq=False)
class RunAt(Expression):
    """``(run top k CARDS using P)``: the longest run of at least k cards at the top or bottom.

    The scores of a run are consecutive numbers, each once, in any order. The cards are in
    ascending order of score. The result is empty if there is no such run.
    """

    which: Literal["top", "bottom"]
    least: Expression
    cards: Expression
    points: Points
    type = Type.CARDS


@dataclass(frozen=True, eq=False)
class Pick(Expression):
    """An element of a collection of sets or locations: the top one, bottom one, or by index."""

    which: Which
    sets: Expression

    @property
    def type(self) -> Type:
        return self.sets.type.element


# --- one card -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class CardAt(Expression):
    """A card at a position of a pile or list; an error if it is missing."""

    which: Which
    cards: Expression
    type = Type.CARD


@dataclass(frozen=True, eq=False)
class Best(Expression):
    """The card with the highest or lowest score; an error without cards.

    Ties are broken at random, uniformly. Within an automatic block, or an option that is executed,
    the same tie always gives the same card (see ``docs/recycle.md``).
    """

    highest: bool
    cards: Expression
    points: Points
    type = Type.CARD


# --- collections of cards -----------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Tuples(Expression):
    """All sets of `size` cards with equal scores, by ascending score, then by position."""

    size: Expression
    cards: Expression
    points: Points
    type = Type.SETS


@dataclass(frozen=True, eq=False)
class Partition(Expression):
    """The cards of all parts, grouped by the value of an attribute.

    The groups, and the cards in each, are in order of first appearance.
    """

    attribute: Expression
    parts: tuple[Expression, ...]
    type = Type.SETS


@dataclass(frozen=True, eq=False)
class Subsets(Expression):
    """All subsets of cards, in binary order with the bottom card as the lowest bit.

    The empty set, which comes first, is included only if `empty`. More than 20 cards are an error,
    unless a filter around the subsets restricts them (``codegen/subsets.py``).
    """

    cards: Expression
    empty: bool
    type = Type.SETS


@dataclass(frozen=True, eq=False)
class Runs(Expression):
    """Sets of at least `least` cards with consecutive scores, one card for each score.

    If `longest`, only sets that no further score of the cards continues are included, else also
    shorter sets. Cards with equal scores give several sets. The sets are ordered by the first
    score, then by the last score, then by the position of the card with the lowest score, and so
    on.
    """

    longest: bool
    least: Expression
    cards: Expression
    points: Points
    type = Type.SETS


@dataclass(frozen=True, eq=False)
class Points(Node):
    """``(OWNER points NAME)``: a point map; before it is set, every card scores 0."""

    owner: Owner
    name: Expression


# --- actions ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Action(Node):
    """An elementary step of the rules, such as a move of a card."""


@dataclass(frozen=True, eq=False)
class Move(Action):
    """Moves a card to the top, the bottom or an index of a pile.

    If the card is missing, an option does not exist. An executed move is then an error or, if
    `lenient`, has no effect.
    """

    card: Expression
    pile: Expression
    where: Which
    lenient: bool = False


@dataclass(frozen=True, eq=False)
class Remember(Action):
    """Puts a reference to a card into a ``mem``; all players then know the card."""

    card: Expression
    memory: Expression
    where: Which


@dataclass(frozen=True, eq=False)
class Forget(Action):
    """Removes a reference from a ``mem``; has no effect if it is empty."""

    memory: Expression
    which: Which


@dataclass(frozen=True, eq=False)
class Shuffle(Action):
    """Shuffles a pile at random or, if `faro`, by a perfect riffle of its halves.

    The riffle leaves the bottom card at the bottom.
    """

    pile: Expression
    faro: bool = False


@dataclass(frozen=True, eq=False)
class Pass(Action):
    """``(turn pass)``: an action without an effect."""


@dataclass(frozen=True, eq=False)
class SetNumber(Action):
    """Sets, increases or decreases a stored number."""

    operator: Literal["set", "inc", "dec"]
    target: Stored
    value: Expression


@dataclass(frozen=True, eq=False)
class SetText(Action):
    """Sets a stored name."""

    target: StoredText
    value: Expression


@dataclass(frozen=True, eq=False)
class Award(Node):
    """The score of a card that has all of some values of attributes."""

    conditions: tuple[tuple[Expression, Expression], ...]
    value: Expression


@dataclass(frozen=True, eq=False)
class SetPoints(Action):
    """Sets a point map; its values are evaluated by this action, not when the map is used."""

    target: Points
    awards: tuple[Award, ...]


@dataclass(frozen=True, eq=False)
class Cycle(Action):
    """Queues a player as the next one of the innermost cycle, or makes a player current."""

    which: Literal["next", "current"]
    player: Expression


@dataclass(frozen=True, eq=False)
class Swap(Action):
    """Exchanges two cards, or the contents of two piles."""

    first: Expression
    second: Expression


@dataclass(frozen=True, eq=False)
class MakeTeams(Action):
    """Changes the assignment of players to teams."""

    teams: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class Reveal(Action):
    """Shows a card to some players, or to all if `players` is ``None``.

    They know the card until it is shuffled. The action is an extension of Kibitz: ``(reveal
    CARD)``, ``(reveal CARD PLAYERS)``.
    """

    card: Expression
    players: Expression | None


@dataclass(frozen=True, eq=False)
class Tell(Action):
    """``(tell CARDS 'C CONDITION)``: all players learn of which cards the condition holds.

    Of the others they learn that it does not hold. The condition reads nothing that is hidden but
    the card. What is known of a card stays with it while it is moved by its place, or out of a
    location in which everybody sees or counts the places (``vloc``, ``oloc``). Where it may be any
    card of a location that is moved, or cards are shuffled, only what was known of all of them
    stays.
    """

    collection: Expression
    binding: Binding
    body: Expression

    @property
    def value(self) -> Expression | None:
        """The name or the number that is told, if the condition compares the card with one."""
        test = self.body
        while isinstance(test, Logic):
            test = test.parts[0]
        if not isinstance(test, Same | Compare) or test.left.type not in (Type.STR, Type.INT):
            return None
        sides = (test.left, test.right)
        other = [
            side
            for side in sides
            if not any(isinstance(n, Variable) and n.binding is self.binding for n in walk(side))
        ]
        return other[0] if len(other) == 1 else None


@dataclass(frozen=True, eq=False)
class TellAttribute(Action):
    """``(tell ATTRIBUTE CARD)``: all players learn the value of an attribute of a card."""

    name: Text
    card: Expression


@dataclass(frozen=True, eq=False)
class Eliminate(Action):
    """Eliminates players: stages pass over them, and they are not among all players any more."""

    players: Expression


@dataclass(frozen=True, eq=False)
class Announce(Action):
    """Ends the game: some players, or all if `players` is ``None``, have won, or have lost.

    The others have lost, or have won. Players of a team share the better result.
    """

    won: bool
    players: Expression | None


# --- statements ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Do(Node):
    """A sequence of steps."""

    steps: tuple[Statement, ...]


@dataclass(frozen=True, eq=False)
class When(Node):
    """A step, `body`, that is executed if a condition holds."""

    condition: Expression
    body: Statement


@dataclass(frozen=True, eq=False)
class Case(Node):
    """A step that is executed for a value of ``Cases``."""

    value: str
    body: Statement


@dataclass(frozen=True, eq=False)
class Cases(Node):
    """``effects``: the step of the case whose value `key` has; nothing if there is none."""

    key: Attribute
    cases: tuple[Case, ...]


@dataclass(frozen=True, eq=False)
class ForEach(Node):
    """A loop over the elements that a collection has when the loop begins."""

    collection: Expression
    binding: Binding
    body: Statement


@dataclass(frozen=True, eq=False)
class Fork(Node):
    """``any`` in a choice: one option for each element of a collection.

    Outside of choices, the parser makes a ``ForEach`` of it.
    """

    collection: Expression
    binding: Binding
    body: Statement


@dataclass(frozen=True, eq=False)
class Let(Node):
    """A step with a variable for a value that is evaluated once."""

    value: Expression
    binding: Binding
    body: Statement


@dataclass(frozen=True, eq=False)
class Repeat(Node):
    """A step that is repeated a number of times.

    The number is evaluated once, before the first repetition; a negative number counts as 0.
    ``(repeat all (move (top L) ...))`` repeats the move by the size of L.
    """

    times: Expression
    body: Statement


Statement: TypeAlias = Do | When | Cases | ForEach | Fork | Let | Repeat | Action


# --- the flow of a game -------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Block(Node):
    """An automatic block: a step that is executed without a decision of a player."""

    body: Statement


@dataclass(frozen=True, eq=False)
class Choice(Node):
    """A decision of the current player, who chooses one of the options of all clauses.

    To list the options of a clause, it is executed on trial, from the first step to the last. Each
    ``any`` forks the rest of the clause, once for each element, in order. Conditions and
    collections depend on the effects of earlier steps of the same option. A fork that ends without
    an action, or that moves a missing card, is not an option. Afterwards the effects are undone,
    including those on the random stream. The effects of an option are only computed as far as the
    list of options depends on them; an error in the rest breaks the game off when the option is
    chosen. Equal options are listed once.
    """

    clauses: tuple[Statement, ...]
    wordings: tuple[str, ...] = ()
    """The words for people that the text gives to each clause; empty without words."""

    @property
    def worded(self) -> Iterator[tuple[Statement, str]]:
        """The clauses with their words; a clause without words has an empty text."""
        return zip(self.clauses, self.wordings or ("",) * len(self.clauses), strict=True)


@dataclass(frozen=True, eq=False)
class Stage(Node):
    """Items that are repeated, each time with the next player or team current, until `end` holds.

    On entry, a copy of the enclosing cycle is pushed, with nobody queued; it is popped on exit.
    Each repetition first tests `end`. Then, except the first time, the cycle advances to the
    queued player or team, else to the next one. Then the items are executed.

    In a simultaneous stage, the first item is the only choice. All players choose in order, from
    the current one, in the same state and without knowledge of the other choices. Then, in the
    same order and with each player current, the player's option and the other items are executed.
    Then `end` is tested again, with the last player still current. So each round begins with the
    same player, unless another player is queued.

    With `responders`, ``(respond PLAYERS (CLAUSE ...) ITEM ...)``, the first item is a choice. Its
    last clause is a pass. From the next player on to the current one, each who is one of the
    responders and has another option than the pass is asked, without beginning a turn. After the
    first who does not pass, the other items are executed with that player current, and the stage
    ends; it also ends after the last player. `end` has no meaning.
    """

    kind: Literal["player", "team"]
    end: Expression
    items: tuple[Item, ...]
    simultaneous: bool = False
    responders: Expression | None = None

    @property
    def responses(self) -> Iterator[tuple[Statement, str]]:
        """The clauses among which responders choose, with their words, without the pass."""
        choice = self.items[0]
        assert isinstance(choice, Choice)
        *responses, _ = choice.worded
        return iter(responses)


Item: TypeAlias = Block | Choice | Stage


Listed: TypeAlias = "str | tuple[Listed, ...]"
"""A name, or a list of names and lists: an attribute of a deck with its values."""


@dataclass(frozen=True, eq=False)
class Deck(Node):
    """``(create deck LOCATION (deck ...))``: what the cards of a location are made of."""

    name: str
    """The name of the deck; usually empty."""
    repeats: tuple[Expression, ...]
    """How often the deck is created, as the source says: the numbers of ``repeat`` around it."""
    copies: int
    """How often the deck contains each card."""
    pile: Pile
    attributes: tuple[Listed, ...]


@dataclass(frozen=True, eq=False)
class Declaration(Node):
    """``(declare VALUE 'NAME)``: a name for a value that is known before the game begins."""

    name: str
    source: Expression
    """The value as the text gives it: a parameter has its default."""
    value: Expression
    """The value at this table."""


@dataclass(frozen=True)
class Card:
    """A card: its attributes, the name of its deck, and its first location."""

    attributes: dict[str, str]
    deck: str
    place: int
    """The index of the card's first location in ``Program.decks``."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a game: a number that the file declares and that users can change."""

    name: str
    """The name in the source, without the quote: ``HAND``."""
    default: int
    low: int
    high: int
    doc: str
    span: Span


@dataclass(frozen=True)
class Program:
    """A game for one number of players and one set of parameters.

    Cards are numbered in the order in which they are created. They are put on top of their first
    location in this order.
    """

    source: Source
    dialect: Literal["A", "B", "C"]
    title: str
    about: str
    players: int
    least_players: int
    most_players: int
    parameters: tuple[Parameter, ...]
    values: dict[str, int]
    """The values of the parameters, by name."""
    teams: tuple[tuple[int, ...], ...]
    seats: Expression
    """The number of players as the setup gives it."""
    declared: tuple[Declaration, ...]
    made: tuple[Deck, ...]
    """What the cards are made of; for printers and readers of the rules."""
    decks: tuple[Pile, ...]
    """The locations in which cards are created."""
    cards: tuple[Card, ...]
    items: tuple[Item, ...]
    highest_wins: bool
    score: Expression
    """The score of a player, which is evaluated with that player current."""
    tie: Expression | None = None
    """What decides among players with equal scores, evaluated likewise."""
    bindings: tuple[Binding, ...] = field(default=())
    functions: tuple[Form, ...] = ()
    """The definitions of functions and effects, as the source has them."""
    calls: Mapping[tuple[Node, ...], Form] = field(default_factory=dict)
    """The call in the source for each step, value or run of items that a call has become."""
    deals: str = ""
    """The name of the table's number that counts deals; empty in a game of a single deal."""
    names: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """The words for people for names of the rules, and a verb for moves into such a location."""

    @property
    def scoring(self) -> tuple[Expression, ...]:
        """The score, and what decides among equal ones if the text says so."""
        return (self.score,) if self.tie is None else (self.score, self.tie)


def children(node: object) -> Iterator[Node]:
    """The nodes directly below a node, in the order of the source."""
    for name in FIELDS[type(node)]:
        yield from _nodes(getattr(node, name))


def _nodes(value: object) -> Iterator[Node]:
    """The nodes in the value of a field."""
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _nodes(item)


def walk(node: Node) -> Iterator[Node]:
    """A node and all nodes below it; each node comes before those below it."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(reversed(list(children(current))))


def equivalent(first: object, second: object) -> bool:
    """Whether two nodes are equal except for their spans and the variables that they bind."""
    named: dict[int, object] = {}
    waiting = [(first, second)]
    while waiting:
        node, counterpart = waiting.pop()
        if isinstance(node, Binding) and isinstance(counterpart, Binding):
            if named.get(id(node), node) is not counterpart:
                return False
        elif type(node) is not type(counterpart):
            return False
        elif isinstance(node, Node):
            if (bound := getattr(node, "binding", None)) and not isinstance(node, Variable):
                named[id(bound)] = getattr(counterpart, "binding", None)
            names = [f.name for f in fields(node) if f.name != "span"]
            waiting.extend((getattr(node, name), getattr(counterpart, name)) for name in names)
        elif isinstance(node, tuple) and isinstance(counterpart, tuple):
            if len(node) != len(counterpart):
                return False
            waiting.extend(zip(node, counterpart, strict=True))
        elif node != counterpart:
            return False
    return True


def everything(program: Program) -> Iterator[Node]:
    """All nodes of a program: its first locations, its items and its scoring."""
    for deck in program.decks:
        yield from walk(deck)
    for item in program.items:
        yield from walk(item)
    for number in program.scoring:
        yield from walk(number)


class _Fields(dict[type, tuple[str, ...]]):
    """The names of the fields that may hold nodes, by class of nodes."""

    def __missing__(self, cls: type) -> tuple[str, ...]:
        names = tuple(f.name for f in fields(cls) if f.name not in ("span", "binding"))
        self[cls] = names
        return names


FIELDS = _Fields()
"""The names of the fields that may hold nodes, by class of nodes."""

"""The syntax tree of a RECYCLE game, which all dialects share.

The reader's forms are turned into these nodes by ``parser`` with all names resolved, all types
known, all dialects' spellings gone and all parameters replaced by their values. So there is one
meaning to check, to compile and, in the tests, to interpret.

Every node knows the piece of source it came from (``span``). Expressions have a ``type``; the
docstrings here are the definition of the language's semantics.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Literal, TypeAlias

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
    """A physical location; wherever cards are wanted it stands for the cards in it."""
    CARDS = "cards"
    """A list of cards, bottom first; the same card may occur twice (as after a union)."""
    INTS = "numbers"
    STRS = "names"
    PLAYERS = "players"
    TEAMS = "teams"
    PILES = "locations"
    SETS = "collections of cards"

    @property
    def element(self) -> Type:
        """The type of a collection's elements; those of a pile or list of cards are cards.

        Raises:
            KeyError: it is no collection.
        """
        return _ELEMENTS[self]

    @property
    def is_collection(self) -> bool:
        """Whether its elements can be iterated."""
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
"""Of a location: seen by all; by its owner; by nobody; by all but the owner; and a list of
references to cards that lie elsewhere, seen by all. A game's iloc is seen by nobody."""

Which: TypeAlias = "Literal['top', 'bottom'] | Expression"
"""The last element of a list, its first, or that of a number, from 0 at the bottom."""


@dataclass(eq=False)
class Binding:
    """A variable: introduced in one place, visible in the body there and nowhere else.

    A variable of type CARDS that was bound by ``let`` holds a list of its own: the cards as
    they were then, whatever moves afterwards; only a move that takes a card *by this variable*
    (``move (top 'V) ...``) also takes it out of the list.
    """

    name: str
    type: Type
    span: Span
    values: tuple[str, ...] | None = None
    """Of a name: those it can stand for, where they are known."""


@dataclass(frozen=True, eq=False)
class Node:
    """Anything in the tree."""

    span: Span


@dataclass(frozen=True, eq=False)
class Expression(Node):
    """Anything with a value."""

    @property
    def type(self) -> Type:
        """The type of its value."""
        raise NotImplementedError


# --- owners -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Table(Node):
    """``game``: the owner of what belongs to no player and no team."""


Owner: TypeAlias = "Table | Expression"
"""Who owns a location or a storage: the table, or an expression for a player or a team."""


# --- numbers ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Number(Expression):
    """A number of the source, or a parameter of the game with its value filled in."""

    value: int
    parameter: str | None = None
    type = Type.INT


@dataclass(frozen=True, eq=False)
class Stored(Expression):
    """``(OWNER sto NAME)``: a number that is kept; 0 before it is set. All see it."""

    owner: Owner
    name: Expression
    type = Type.INT


@dataclass(frozen=True, eq=False)
class Size(Expression):
    """How many elements a collection has."""

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
    """The highest or lowest score among cards. No cards: an error."""

    highest: bool
    cards: Expression
    points: Points
    type = Type.INT


@dataclass(frozen=True, eq=False)
class Arithmetic(Expression):
    """``+ - * // % ^``; division truncates toward zero, and by zero is an error."""

    operator: Literal["+", "-", "*", "//", "%", "^"]
    left: Expression
    right: Expression
    type = Type.INT


@dataclass(frozen=True, eq=False)
class Triangular(Expression):
    """``tri n``: 1 + 2 + ... + n."""

    number: Expression
    type = Type.INT


@dataclass(frozen=True, eq=False)
class Fibonacci(Expression):
    """``fib n``: 0, 1, 1, 2, 3, 5, ... from n = 0."""

    number: Expression
    type = Type.INT


@dataclass(frozen=True, eq=False)
class Random(Expression):
    """A uniform number `low` .. `high`, both included; an error where there is none."""

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
class Truth(Expression):
    """Always true, or always false."""

    value: bool
    type = Type.BOOL


@dataclass(frozen=True, eq=False)
class Logic(Expression):
    """``and`` and ``or`` over two or more conditions, left to right, no further than needed."""

    operator: Literal["and", "or"]
    parts: tuple[Expression, ...]
    type = Type.BOOL


@dataclass(frozen=True, eq=False)
class Not(Expression):
    """Whether a condition does not hold."""

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
"""What holds if a comparison does not."""
MIRRORED: dict[Comparison, Comparison] = {
    "<": ">",
    ">": "<",
    "<=": ">=",
    ">=": "<=",
    "==": "==",
    "!=": "!=",
}
"""The comparison that says the same with both sides exchanged."""


@dataclass(frozen=True, eq=False)
class Compare(Expression):
    """Whether two numbers compare as the operator says."""

    operator: Comparison
    left: Expression
    right: Expression
    type = Type.BOOL


@dataclass(frozen=True, eq=False)
class Same(Expression):
    """Whether two names, cards, players or teams are the same one (``equal``) or are not.

    Cards are the same only if they are the same piece of cardboard; nothing is the same as a
    card that is not there.
    """

    equal: bool
    left: Expression
    right: Expression
    type = Type.BOOL


@dataclass(frozen=True, eq=False)
class Quantified(Expression):
    """Whether `body` holds for every, or for some, element; stops once it is known."""

    every: bool
    collection: Expression
    binding: Binding
    body: Expression
    type = Type.BOOL


# --- names --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Text(Expression):
    """A name that stands for itself."""

    value: str
    type = Type.STR


@dataclass(frozen=True, eq=False)
class StoredText(Expression):
    """``(OWNER str NAME)``: a name that is kept; the empty name before it is set."""

    owner: Owner
    name: Expression
    type = Type.STR


@dataclass(frozen=True, eq=False)
class Attribute(Expression):
    """``(cardatt NAME CARD)``; the empty name where the card has no such attribute, or where
    there is no such card, as at the top of an empty location.
    """

    name: Expression
    card: Expression
    type = Type.STR


# --- any type -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Variable(Expression):
    """The value of a binding."""

    binding: Binding

    @property
    def type(self) -> Type:
        return self.binding.type


# --- players and teams --------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class CurrentPlayer(Expression):
    """The current player of the innermost player cycle; the next: the queued one if one is
    queued, else the seat after; the previous: the seat before.
    """

    which: Literal["current", "next", "previous"]
    type = Type.PLAYER


@dataclass(frozen=True, eq=False)
class Seat(Expression):
    """The player with this number, from 0; an error where there is none."""

    number: Expression
    type = Type.PLAYER


@dataclass(frozen=True, eq=False)
class OwnerOf(Expression):
    """The player who owns the place where a card lies; an error if no player does."""

    card: Expression
    type = Type.PLAYER


@dataclass(frozen=True, eq=False)
class CurrentTeam(Expression):
    """The current, next or previous team of the innermost *team* cycle."""

    which: Literal["current", "next", "previous"]
    type = Type.TEAM


@dataclass(frozen=True, eq=False)
class TeamNumber(Expression):
    """The team with this number, from 0; an error where there is none."""

    number: Expression
    type = Type.TEAM


@dataclass(frozen=True, eq=False)
class TeamOf(Expression):
    """The team of a player."""

    player: Expression
    type = Type.TEAM


@dataclass(frozen=True, eq=False)
class Players(Expression):
    """All players by seat; without the current one if `others`."""

    others: bool = False
    type = Type.PLAYERS


@dataclass(frozen=True, eq=False)
class Teams(Expression):
    """All teams by number; without the current one if `others`."""

    others: bool = False
    type = Type.TEAMS


@dataclass(frozen=True, eq=False)
class Members(Expression):
    """The players of a team, in the order in which it lists them."""

    team: Expression
    type = Type.PLAYERS


# --- plain collections --------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Range(Expression):
    """The numbers `low` .. `high`, both included; none if `high` is less."""

    low: Expression
    high: Expression
    type = Type.INTS


@dataclass(frozen=True, eq=False)
class Texts(Expression):
    """A list of names, written out in the rules."""

    values: tuple[str, ...]
    type = Type.STRS


@dataclass(frozen=True, eq=False)
class Filter(Expression):
    """The elements for which `body` holds, in order; of sets, the empty ones are left out."""

    collection: Expression
    binding: Binding
    body: Expression

    @property
    def type(self) -> Type:
        base = self.collection.type
        return Type.CARDS if base is Type.PILE else base


@dataclass(frozen=True, eq=False)
class Each(Expression):
    """``(all COLL 'V CARDS)``: the locations or lists of cards that `body` gives, in order."""

    collection: Expression
    binding: Binding
    body: Expression

    @property
    def type(self) -> Type:
        return Type.PILES if self.body.type is Type.PILE else Type.SETS


@dataclass(frozen=True, eq=False)
class Indexed(Expression):
    """``(indexed OWNER kind NAME)``: the locations 0, 1, 2, ... of this name that hold cards."""

    owner: Owner
    kind: Kind
    name: Expression
    type = Type.PILES


# --- cards --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Pile(Expression):
    """``(OWNER kind NAME [INDEX])``: a location. The kind is part of what it is."""

    owner: Owner
    kind: Kind
    name: Expression
    index: Expression | None = None
    type = Type.PILE


@dataclass(frozen=True, eq=False)
class Combined(Expression):
    """``union``: the parts one after the other, doubles kept; ``intersect``: what is in all of
    them; ``disjunction``: what is in one of them and only once, both in order of first
    appearance. A part is a pile or list of cards, or a collection of such (each counts).
    """

    how: Literal["union", "intersect", "disjunction"]
    parts: tuple[Expression, ...]
    type = Type.CARDS


@dataclass(frozen=True, eq=False)
class Sorted(Expression):
    """The cards by ascending score; equal ones stay in order."""

    cards: Expression
    points: Points
    type = Type.CARDS


@dataclass(frozen=True, eq=False)
class Several(Expression):
    """The `count` topmost cards, topmost first, or bottommost; fewer if there are fewer."""

    which: Literal["top", "bottom"]
    count: Expression
    cards: Expression
    type = Type.CARDS


@dataclass(frozen=True, eq=False)
class RunAt(Expression):
    """``(run top k CARDS using P)``: the most cards j >= k at the top (or bottom) that, sorted,
    have scores in sequence without doubles; in ascending order of score; none if there is no
    such j.
    """

    which: Literal["top", "bottom"]
    least: Expression
    cards: Expression
    points: Points
    type = Type.CARDS


@dataclass(frozen=True, eq=False)
class Pick(Expression):
    """One of a collection of sets or locations: its top, bottom, or by number."""

    which: Which
    sets: Expression

    @property
    def type(self) -> Type:
        return self.sets.type.element


# --- one card -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class CardAt(Expression):
    """A card of a pile or list; an error where there is none."""

    which: Which
    cards: Expression
    type = Type.CARD


@dataclass(frozen=True, eq=False)
class Best(Expression):
    """The card with the highest or lowest score; no cards: an error.

    Among equals chance decides, each being as likely. In one automatic block, or one option as
    it is executed, chance decides once: the same cards tied again give the same card (see
    ``docs/recycle.md`` for how).
    """

    highest: bool
    cards: Expression
    points: Points
    type = Type.CARD


# --- collections of cards -----------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Tuples(Expression):
    """All sets of `size` cards of equal score; by ascending score, then by position."""

    size: Expression
    cards: Expression
    points: Points
    type = Type.SETS


@dataclass(frozen=True, eq=False)
class Partition(Expression):
    """The cards of all parts by the value of an attribute; groups, and cards in them, in order
    of first appearance.
    """

    attribute: Expression
    parts: tuple[Expression, ...]
    type = Type.SETS


@dataclass(frozen=True, eq=False)
class Subsets(Expression):
    """All subsets, counting in binary with the bottom card as the lowest bit; the empty one,
    which would come first, only if `empty`. More than 20 cards: an error, unless a filter around
    them says which are wanted (``codegen/subsets.py``).
    """

    cards: Expression
    empty: bool
    type = Type.SETS


@dataclass(frozen=True, eq=False)
class Runs(Expression):
    """Sets of cards with scores in sequence, one card for each score, at least `least` of them.

    `longest`: only those that no further score of the cards continues, else every sub-sequence
    too. Cards of equal score multiply them. In order of the first score, then the last, then
    by the positions of the cards of the lowest score, and so on.
    """

    longest: bool
    least: Expression
    cards: Expression
    points: Points
    type = Type.SETS


@dataclass(frozen=True, eq=False)
class Points(Node):
    """``(OWNER points NAME)``: a point map; one that was never set scores every card 0."""

    owner: Owner
    name: Expression


# --- actions ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Action(Node):
    """A single action of the rules, of which options consist."""


@dataclass(frozen=True, eq=False)
class Move(Action):
    """Takes a card from where it lies and puts it into a pile: at its top, its bottom, or as
    its element number so-and-so. From an empty place: an error, or, if `lenient`, nothing; in
    a choice the option is no option.
    """

    card: Expression
    pile: Expression
    where: Which
    lenient: bool = False


@dataclass(frozen=True, eq=False)
class Remember(Action):
    """Puts a reference to a card into a ``mem``; all know that card from then on."""

    card: Expression
    memory: Expression
    where: Which


@dataclass(frozen=True, eq=False)
class Forget(Action):
    """Takes a reference out of a ``mem``; nothing if it is empty."""

    memory: Expression
    which: Which


@dataclass(frozen=True, eq=False)
class Shuffle(Action):
    """Puts a pile into a random order; or (`faro`) riffles its two halves perfectly, the
    bottom half's first card staying at the bottom.
    """

    pile: Expression
    faro: bool = False


@dataclass(frozen=True, eq=False)
class Pass(Action):
    """``turn pass``: an action that does nothing."""


@dataclass(frozen=True, eq=False)
class SetNumber(Action):
    """Sets a stored number, or adds to it, or takes from it."""

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
    """What a card scores that has all these attributes with these values."""

    conditions: tuple[tuple[Expression, Expression], ...]
    value: Expression


@dataclass(frozen=True, eq=False)
class SetPoints(Action):
    """Sets a point map. The values in it are evaluated now, not when it is used."""

    target: Points
    awards: tuple[Award, ...]


@dataclass(frozen=True, eq=False)
class Cycle(Action):
    """Says who is next in the innermost player cycle, once; or makes somebody current."""

    which: Literal["next", "current"]
    player: Expression


@dataclass(frozen=True, eq=False)
class Swap(Action):
    """Exchanges two cards, or the contents of two piles."""

    first: Expression
    second: Expression


@dataclass(frozen=True, eq=False)
class MakeTeams(Action):
    """Sets the teams anew."""

    teams: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class Reveal(Action):
    """Shows a card to players (all, if `players` is None) wherever it lies; they know it until
    it is shuffled. (Our extension: ``(reveal CARD)``, ``(reveal CARD PLAYER)``.)
    """

    card: Expression
    players: Expression | None


# --- statements ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Do(Node):
    """A sequence of steps."""

    steps: tuple[Statement, ...]


@dataclass(frozen=True, eq=False)
class When(Node):
    """`body`, if the condition holds."""

    condition: Expression
    body: Statement


@dataclass(frozen=True, eq=False)
class ForEach(Node):
    """`body` for every element that the collection has when this begins."""

    collection: Expression
    binding: Binding
    body: Statement


@dataclass(frozen=True, eq=False)
class Fork(Node):
    """``any`` in a choice: one option for each element. Outside a choice it is a ForEach."""

    collection: Expression
    binding: Binding
    body: Statement


@dataclass(frozen=True, eq=False)
class Let(Node):
    """`body` with a variable for a value that is evaluated once."""

    value: Expression
    binding: Binding
    body: Statement


@dataclass(frozen=True, eq=False)
class Repeat(Node):
    """`body` so many times; the number is evaluated once, before the first. A negative number
    is none. ``repeat all (move (top L) ...)`` is this with the size of L.
    """

    times: Expression
    body: Statement


Statement: TypeAlias = Do | When | ForEach | Fork | Let | Repeat | Action


# --- the flow of a game -------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Block(Node):
    """An automatic block: what the rules do by themselves, without a player's choice."""

    body: Statement


@dataclass(frozen=True, eq=False)
class Choice(Node):
    """The current player chooses one of the options of all clauses.

    The options of a clause: it is executed on trial, from the first step to the last; each
    ``any`` forks the rest of the clause once for each element, in order. Conditions and
    collections see what the steps before them in the same option have done. A fork that ends
    without an action, or meets a move from an empty place, is no option. Afterwards the trial
    is undone, and what it drew at random was never drawn. What an option would do is only worked
    out as far as the list of options depends on it: a mistake in the rest breaks the game off
    when the option is chosen. Options that cannot be told apart are one.
    """

    clauses: tuple[Statement, ...]


@dataclass(frozen=True, eq=False)
class Stage(Node):
    """Items repeated, each time with the next player (or team) current, until `end` holds.

    On entry a copy of the enclosing cycle is pushed with nobody queued, and is popped on
    leaving. `end` is tested first, then the cycle advances (not the first time) to who is
    queued, else to the next seat; then the items run.

    `simultaneous`: the first item is a choice and no other is. All players choose, in order
    from the current one, none knowing the choices of the others, on the same state; then each
    one's option is executed and the further items run, with that player current, in the same
    order; then `end` is tested again, the last one still being current. So each round begins
    with the same player, unless somebody else is queued.
    """

    kind: Literal["player", "team"]
    end: Expression
    items: tuple[Item, ...]
    simultaneous: bool = False


Item: TypeAlias = Block | Choice | Stage


@dataclass(frozen=True)
class Card:
    """A card: its attributes, its deck's name, and where it lies before the game begins."""

    attributes: dict[str, str]
    deck: str
    place: int
    """Index into ``Program.decks``."""


@dataclass(frozen=True)
class Parameter:
    """A number that the file declares, and that can be set from outside."""

    name: str
    """As in the source, without the quote: ``HAND``."""
    default: int
    low: int
    high: int
    doc: str
    span: Span


@dataclass(frozen=True)
class Program:
    """A whole game at one table: so many players, with these parameters.

    Cards are numbered in the order in which they are created; created cards arrive at the top
    of their location, in order.
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
    """What the parameters are here."""
    teams: tuple[tuple[int, ...], ...]
    decks: tuple[Pile, ...]
    """The locations in which cards are created."""
    cards: tuple[Card, ...]
    items: tuple[Item, ...]
    highest_wins: bool
    score: Expression
    """Evaluated for each player in turn, who is then the current one."""
    bindings: tuple[Binding, ...] = field(default=())
    deals: str = ""
    """The number of the table that counts the deals; empty in a game that is one."""


def children(node: object) -> Iterator[Node]:
    """The nodes directly below a node, in the order of the source."""
    for name in _FIELDS[type(node)]:
        yield from _nodes(getattr(node, name))


def _nodes(value: object) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _nodes(part)


def walk(node: Node) -> Iterator[Node]:
    """A node and all below it, each before what is below it."""
    waiting = [node]
    while waiting:
        found = waiting.pop()
        yield found
        waiting.extend(reversed(list(children(found))))


def equivalent(first: object, second: object) -> bool:
    """Whether two nodes mean the same, whatever the names of their variables."""
    named: dict[int, object] = {}
    waiting = [(first, second)]
    while waiting:
        one, other = waiting.pop()
        if isinstance(one, Binding) and isinstance(other, Binding):
            if named.get(id(one), one) is not other:
                return False
        elif type(one) is not type(other):
            return False
        elif isinstance(one, Node):
            if (bound := getattr(one, "binding", None)) and not isinstance(one, Variable):
                named[id(bound)] = getattr(other, "binding", None)
            names = [f.name for f in fields(one) if f.name != "span"]
            waiting.extend((getattr(one, name), getattr(other, name)) for name in names)
        elif isinstance(one, tuple) and isinstance(other, tuple):
            if len(one) != len(other):
                return False
            waiting.extend(zip(one, other, strict=True))
        elif one != other:
            return False
    return True


def everything(program: Program) -> Iterator[Node]:
    """All nodes of a program's body and scoring."""
    for deck in program.decks:
        yield from walk(deck)
    for item in program.items:
        yield from walk(item)
    yield from walk(program.score)


class _Fields(dict[type, tuple[str, ...]]):
    """The fields of each class of node that may hold nodes."""

    def __missing__(self, cls: type) -> tuple[str, ...]:
        names = tuple(f.name for f in fields(cls) if f.name not in ("span", "binding"))
        self[cls] = names
        return names


_FIELDS = _Fields()

"""The vocabulary of RECYCLE and the shapes of its forms, for readers and for messages."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kibitz.recycle.tree import Type
from kibitz.syntax.sexpr import Atom, Form, Lexicon, Node
from kibitz.syntax.source import Span

LEXICON = Lexicon(comment=";", separators=",", marks=("..", ":"), quotes='"')
"""The lexical rules. Commas are read like spaces; readers of lists look for them in the text."""

MOST_TOKENS = 40_000
"""The maximum number of words and parentheses in a file; published games have a tenth of that."""
MOST_LETTERS = 100
"""The maximum length of a word; names in published games have a third of that."""
MOST_CARDS = 1000
MOST_PLAYERS = 15
MOST_VALUE = 1000
"""The highest value of a parameter for which the file gives no range."""

KINDS = ("vloc", "iloc", "hloc", "oloc", "mem")
"""The words for kinds of locations."""
STORES = ("sto", "str", "points")
"""The words for kinds of storages."""
WHICH = ("current", "next", "previous", "prev")
"""The words for players or teams relative to the current one."""


class LiteralName(Atom):
    """A word that is a name, whatever its letters."""


VARIABLE = re.compile(r"'[A-Za-z][A-Za-z0-9_]*")
FUNCTION = re.compile(r"[a-z][a-z0-9_-]*")
NAME = re.compile(r"[A-Z][A-Z0-9_]*")
NUMBER = re.compile(r"[0-9]+")

A_TYPE = {
    Type.INT: "a number",
    Type.BOOL: "a condition",
    Type.STR: "a name",
    Type.CARD: "a card",
    Type.PLAYER: "a player",
    Type.TEAM: "a team",
    Type.PILE: "a location",
    Type.CARDS: "a list of cards",
    Type.INTS: "a list of numbers",
    Type.STRS: "a list of names",
    Type.PLAYERS: "a list of players",
    Type.TEAMS: "a list of teams",
    Type.PILES: "a list of locations",
    Type.SETS: "a list of sets of cards",
}
"""Each type in words, with its article."""

_FROM_COLLECTION = "How many elements it has is (size ...)."
_FROM_CARDS = "One of its cards is (top ...) or (bottom ...)."

SYNONYMS = {
    "===": "==",
    "<>": "!=",
    "=<": "<=",
    "=>": ">=",
    "!": "not",
    "&&": "and",
    "||": "or",
    "/": "//",
    "mod": "%",
    "div": "//",
    "add": "inc",
    "increase": "inc",
    "increment": "inc",
    "decrease": "dec",
    "decrement": "dec",
    "subtract": "dec",
    "players": "player",
    "everyone": "player",
    "everybody": "player",
    "teams": "team",
}
"""Words of other languages and other forms, with the word that RECYCLE has for each."""

CURES = {
    (Type.PILE, Type.INT): "How many cards lie there is (size ...).",
    (Type.CARDS, Type.INT): _FROM_COLLECTION,
    (Type.SETS, Type.INT): _FROM_COLLECTION,
    (Type.PLAYERS, Type.INT): _FROM_COLLECTION,
    (Type.PILE, Type.CARD): _FROM_CARDS,
    (Type.CARDS, Type.CARD): _FROM_CARDS,
    (Type.SETS, Type.CARDS): "One of the sets is (top ...); all together are (union ...).",
    (Type.PILES, Type.CARDS): "The cards of all of them are (union ...).",
    (Type.CARD, Type.CARDS): "A list of cards is a location itself, without (top ...), or made by"
    " (filter ...) or (union ...).",
    (Type.CARD, Type.INT): "The score of a card is (score CARD using POINTS).",
    (Type.CARD, Type.STR): "What a card shows is (cardatt NAME CARD).",
    (Type.CARD, Type.PLAYER): "Whose card it is, is (owner CARD).",
    (Type.PLAYER, Type.INT): "The number of a player is (pid PLAYER).",
    (Type.PLAYER, Type.TEAM): "The team of a player is (team PLAYER).",
    (Type.INT, Type.PLAYER): "The player with a number is (NUMBER player).",
    (Type.STR, Type.INT): "Numbers are kept in (OWNER sto NAME), names in (OWNER str NAME); the"
    " number that a card shows is (number CARD).",
    (Type.PLAYERS, Type.PLAYER): "One player is (current player) or (next player).",
    (Type.INT, Type.STR): "A name begins with a capital letter: TEN instead of 10. The number that"
    " a card shows is (number CARD).",
    (Type.INT, Type.BOOL): "A number becomes a condition by comparing it: (== NUMBER 1).",
}
"""Hints for getting a value of the second type from a value of the first type."""


def one_of(texts: Sequence[str]) -> str:
    """A list of alternatives in words: ``a, b or c``."""
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} or {texts[-1]}"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that the author probably meant; ``None`` if none is similar."""
    if len(word) > 40:
        return None
    close = difflib.get_close_matches(word.lower(), _lowered(tuple(known)), n=1, cutoff=0.65)
    if not close:
        return None
    return _lowered(tuple(known))[close[0]]


@functools.lru_cache(maxsize=64)
def _lowered(known: tuple[str, ...]) -> dict[str, str]:
    return {word.lower(): word for word in reversed(known)}


class Made:
    """Makes the nodes of a class whose other fields are fixed: the ``build`` of a ``Shape``.

    The parts of the form are the fields that are not fixed, in their order, so that a printer can
    find the form of a node.
    """

    def __init__(self, cls: type, **fixed: object) -> None:
        self.cls = cls
        self.fixed = fixed
        free = [f for f in dataclasses.fields(cls) if f.name not in fixed and f.name != "span"]
        self.names = [field.name for field in free]
        self.is_open = bool(free) and str(free[-1].type).startswith("tuple")

    def __call__(self, span: Span, *parts: Any) -> Any:
        """The node of a form with these parts; a tuple takes all that are left."""
        if self.is_open:
            last = len(self.names) - 1
            parts = (*parts[:last], parts[last:])
        return self.cls(span=span, **dict(zip(self.names, parts, strict=True)), **self.fixed)

    def parts(self, node: object) -> list[Any] | None:
        """The parts of the form of a node; ``None`` if the node has another form."""
        if type(node) is not self.cls:
            return None
        if any(getattr(node, name) != value for name, value in self.fixed.items()):
            return None
        parts = [getattr(node, name) for name in self.names]
        return [*parts[:-1], *parts[-1]] if self.is_open else parts


@dataclass(frozen=True)
class Shape:
    """The shape of a form, such as ``(sum CARDS using POINTS)``, and the node that it becomes.

    Capitals are roles: expressions of some type. ``CARDS...`` is one or more of them. Other words
    are literal; ``a|b`` is one of several words.
    """

    text: str
    build: Callable[..., Any]
    """The function that makes the node. It takes the form's span, then for each part its node or,
    for ``a|b``, its word."""

    @functools.cached_property
    def parts(self) -> tuple[str, ...]:
        """The parts behind the first word."""
        return tuple(self.text.strip("()").split()[1:])

    @property
    def least(self) -> int:
        """The minimum number of items behind the first word."""
        return len(self.parts)

    @property
    def is_open(self) -> bool:
        """Whether the last part may be repeated."""
        return bool(self.parts) and self.parts[-1].endswith("...")

    def part(self, index: int) -> str:
        """The part for the item at an index."""
        return self.parts[min(index, len(self.parts) - 1)]

    def counts(self, items: Sequence[Node]) -> bool:
        """Whether the number of items is allowed."""
        return len(items) == self.least or (self.is_open and len(items) > self.least)

    def misfit(self, items: Sequence[Node]) -> int | None:
        """The index of the first item that should be another word; ``None`` if there is none."""
        for index, item in enumerate(items):
            pattern = self.part(index)
            words = pattern.split("|")
            if is_literal(pattern) and (isinstance(item, Form) or item.text not in words):
                return index
        return None


def most_items(*tables: Mapping[str, Sequence[Shape]]) -> dict[str, int]:
    """The maximum number of items of forms that are not open, by their first word."""
    return {
        word: 1 + max(shape.least for shape in shapes)
        for table in tables
        for word, shapes in table.items()
        if not any(shape.is_open for shape in shapes)
    }


def is_literal(pattern: str) -> bool:
    """Whether a part of a shape is literal, not a role."""
    return not pattern[0].isupper()


def is_word(node: Node, *texts: str) -> bool:
    """Whether a node is one of some words."""
    return isinstance(node, Atom) and node.text in texts

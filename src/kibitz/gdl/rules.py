"""The syntax tree of GDL: terms, sentences, literals, rules, descriptions.

Symbols are compared without regard to case and kept in lower case; ``Description.spelling``
has the spelling that a text used first, which is how they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from kibitz.core.errors import GameDefinitionError
from kibitz.core.status import MAX_PLAYERS
from kibitz.core.wording import MOST_QUOTED, printable
from kibitz.syntax.source import Source, Span

KEYWORDS: Mapping[str, int] = {
    "role": 1,
    "init": 1,
    "true": 1,
    "does": 2,
    "next": 1,
    "legal": 2,
    "goal": 2,
    "terminal": 0,
    "base": 1,
    "input": 2,
    "sees": 2,
    "percept": 2,
}
"""The relations that have a meaning, and how many arguments each has."""

RANDOM = "random"
"""The role of chance, in GDL-II."""

MOST_ROLES = MAX_PLAYERS
"""Roles that a game can have, chance included."""

LARGEST_GOAL = 2**31 - 1
"""Goals lie between this number and its negative."""

ENDING = "ending "
"""A relation of ours: its argument is the number of a rule for ``terminal`` whose body holds. No
author can write the name."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of one rule."""

    name: str


@dataclass(frozen=True, slots=True)
class Compound:
    """A function term: a name and one or more arguments."""

    name: str
    arguments: tuple[Term, ...]


Term: TypeAlias = "str | Variable | Compound"
"""A constant, a variable, or a compound."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A relation and its arguments. Without any it is a proposition: ``(p)`` is ``p``."""

    name: str
    arguments: tuple[Term, ...] = ()


@dataclass(frozen=True)
class Literal:
    """A sentence or its negation, as a condition."""

    sentence: Sentence
    negated: bool
    span: Span = field(compare=False)


@dataclass(frozen=True)
class Distinct:
    """An inequality of two terms, or, if `negated`, an equality."""

    left: Term
    right: Term
    negated: bool
    span: Span = field(compare=False)


@dataclass(frozen=True)
class Or:
    """A disjunction of conjunctions."""

    parts: tuple[tuple[Condition, ...], ...]
    span: Span = field(compare=False)


Condition: TypeAlias = "Literal | Distinct | Or"


@dataclass(frozen=True)
class Rule:
    """A head that holds if the body does; without a body it is a fact."""

    head: Sentence
    body: tuple[Condition, ...]
    span: Span = field(compare=False)
    head_span: Span = field(default=Span(0, 0), compare=False)


@dataclass(frozen=True)
class Description:
    """The rules of a game.

    Attributes:
        roles: in the order of their facts, which is the order of moves everywhere.
        spelling: each symbol as the text spells it first; for a constant that it spells as
            ``(noop)``, this by `without_arguments`.
    """

    source: Source
    rules: tuple[Rule, ...]
    roles: tuple[str, ...]
    spelling: Mapping[str, str]

    def defines(self, name: str) -> bool:
        """Whether a word of the language has any rule or fact."""
        arity = KEYWORDS[name]
        return any(r.head.name == name and len(r.head.arguments) == arity for r in self.rules)

    @property
    def ends(self) -> tuple[Rule, ...]:
        """The rules for ``terminal``."""
        return tuple(rule for rule in self.rules if rule.head == Sentence("terminal"))

    def with_endings(self) -> Description:
        """The same game; where it has several ends, ``ENDING`` also says which one came."""
        ends = self.ends
        if len(ends) < 2:
            return self
        found: list[Rule] = []
        for rule in self.rules:
            if rule.head != Sentence("terminal"):
                found.append(rule)
                continue
            ending = Sentence(ENDING, (str(ends.index(rule) + 1),))
            found.append(replace(rule, head=ending))
            found.append(replace(rule, body=(Literal(ending, False, rule.span),)))
        return replace(self, rules=tuple(found))

    def goal_value(self, value: Term) -> int | None:
        """The number that a goal is; ``None`` for a term that is no number.

        Raises:
            GameDefinitionError: it is larger than ``LARGEST_GOAL``.
        """
        number = whole_number(value)
        if number is not None and abs(number) > LARGEST_GOAL:
            raise GameDefinitionError(
                f"{self.place('goal')}: {printable(str(value), MOST_QUOTED)} is out of range: "
                f"{GOAL_RANGE}."
            )
        return number

    def place(self, name: str) -> str:
        """The file, and the line of the first rule about a relation, in words."""
        start = next((r.head_span.start for r in self.rules if r.head.name == name), 0)
        return f"{self.source.name}, line {self.source.position(start)[0]}"


_NUMBER = re.compile(r"(-?)(?=\d)0*(\d*)", re.ASCII)

GOAL_RANGE = f"goals lie between {-LARGEST_GOAL:,} and {LARGEST_GOAL:,}"
"""The limits of goals, in words."""


def whole_number(term: Term) -> int | None:
    """The number that a term is, or one beyond ``LARGEST_GOAL`` for any such number.

    ``None`` for a term that is no number.
    """
    match = _NUMBER.fullmatch(term) if isinstance(term, str) else None
    if match is None:
        return None
    sign, digits = match.groups()
    size = int(digits or 0) if len(digits) <= 10 else LARGEST_GOAL + 1
    return -size if sign else size


def variables(item: Term | Sentence | Condition) -> Iterator[Variable]:
    """The variables of a term, sentence or condition; with repetitions, left to right."""
    match item:
        case Variable():
            yield item
        case Compound() | Sentence():
            for argument in item.arguments:
                yield from variables(argument)
        case Literal():
            yield from variables(item.sentence)
        case Distinct():
            yield from variables(item.left)
            yield from variables(item.right)
        case Or():
            for part in item.parts:
                for condition in part:
                    yield from variables(condition)


def literals(body: tuple[Condition, ...]) -> Iterator[Literal]:
    """The literals of a body, those within an ``or`` included."""
    for condition in body:
        if isinstance(condition, Literal):
            yield condition
        elif isinstance(condition, Or):
            for part in condition.parts:
                yield from literals(part)


def without_arguments(name: str) -> str:
    """A constant as a function without arguments: its key where a text spells it ``(noop)``."""
    return f"({name})"


def kif(item: Term | Sentence, spelling: Mapping[str, str] | None = None) -> str:
    """A term or sentence in prefix form, ``(cell 1 1 b)``."""
    spelling = spelling or {}
    match item:
        case str():
            return spelling.get(without_arguments(item)) or spelling.get(item, item)
        case Variable():
            return f"?{item.name}"
    name = spelling.get(item.name, item.name)
    if not item.arguments:
        return name
    return f"({' '.join([name, *(kif(a, spelling) for a in item.arguments)])})"

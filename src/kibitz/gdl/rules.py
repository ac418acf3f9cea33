"""The syntax tree of GDL: terms, sentences, literals, rules, descriptions.

Names are compared without regard to case and kept in lower case. ``Description.spelling`` has the
first spelling of each name in the text, with which it is written.
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
"""The keywords: the relations with a fixed meaning, with their arity."""

RANDOM = "random"
"""The name of the role of chance, in GDL-II."""

MOST_ROLES = MAX_PLAYERS
"""The most roles of a game, chance included."""

LARGEST_GOAL = 2**31 - 1
"""The largest absolute value of a goal."""

ENDING = "ending "
"""A relation that `with_endings` adds: it holds for the number of each rule for ``terminal`` that
holds. The space keeps it apart from relations of the text."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of one rule."""

    name: str


@dataclass(frozen=True, slots=True)
class Compound:
    """A compound term: a function and one or more arguments."""

    name: str
    arguments: tuple[Term, ...]


Term: TypeAlias = "str | Variable | Compound"
"""A constant, a variable, or a compound."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """An atom: a relation and its arguments. Without arguments ``(p)`` is the same as ``p``."""

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
"""A condition in the body of a rule."""


@dataclass(frozen=True)
class Rule:
    """A rule, whose head holds if all conditions of the body do; without a body it is a fact."""

    head: Sentence
    body: tuple[Condition, ...]
    span: Span = field(compare=False)
    head_span: Span = field(default=Span(0, 0), compare=False)


@dataclass(frozen=True)
class Description:
    """The rules of a game.

    Attributes:
        roles: the roles in the order of their facts, which is the order of joint moves.
        spelling: the first spelling of each name in the text. For a constant that first occurs as
            ``(noop)`` this spelling has the key `without_arguments`.
    """

    source: Source
    rules: tuple[Rule, ...]
    roles: tuple[str, ...]
    spelling: Mapping[str, str]

    def defines(self, name: str) -> bool:
        """Whether a keyword has any rule or fact."""
        arity = KEYWORDS[name]
        return any(r.head.name == name and len(r.head.arguments) == arity for r in self.rules)

    @property
    def ends(self) -> tuple[Rule, ...]:
        """The rules for ``terminal``."""
        return tuple(rule for rule in self.rules if rule.head == Sentence("terminal"))

    def with_endings(self) -> Description:
        """The rules with ``ENDING`` added if there are several rules for ``terminal``."""
        ends = self.ends
        if len(ends) < 2:
            return self
        rules: list[Rule] = []
        for rule in self.rules:
            if rule.head != Sentence("terminal"):
                rules.append(rule)
                continue
            ending = Sentence(ENDING, (str(ends.index(rule) + 1),))
            rules.append(replace(rule, head=ending))
            rules.append(replace(rule, body=(Literal(ending, False, rule.span),)))
        return replace(self, rules=tuple(rules))

    def goal_value(self, value: Term) -> int | None:
        """The value of a goal; ``None`` for a term that is not a number.

        Raises:
            GameDefinitionError: its absolute value is larger than ``LARGEST_GOAL``.
        """
        number = whole_number(value)
        if number is not None and abs(number) > LARGEST_GOAL:
            raise GameDefinitionError(
                f"{self.place('goal')}: {printable(str(value), MOST_QUOTED)} is out of range: "
                f"{GOAL_RANGE}."
            )
        return number

    def place(self, name: str) -> str:
        """The file and the line of the first rule for a relation, for error messages."""
        start = next((r.head_span.start for r in self.rules if r.head.name == name), 0)
        return f"{self.source.name}, line {self.source.position(start)[0]}"


_NUMBER = re.compile(r"(-?)(?=\d)0*(\d*)", re.ASCII)

GOAL_RANGE = f"goals lie between {-LARGEST_GOAL:,} and {LARGEST_GOAL:,}"
"""The limits of goals, in words."""


def whole_number(term: Term) -> int | None:
    """The value of a term that is a number; ``None`` for other terms.

    Numbers of more than ten digits have a value beyond ``LARGEST_GOAL``.
    """
    match = _NUMBER.fullmatch(term) if isinstance(term, str) else None
    if match is None:
        return None
    sign, digits = match.groups()
    size = int(digits or 0) if len(digits) <= 10 else LARGEST_GOAL + 1
    return -size if sign else size


def variables(item: Term | Sentence | Condition) -> Iterator[Variable]:
    """Yields the variables of a term, sentence or condition, with repetitions, left to right."""
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
            for alternative in item.parts:
                for condition in alternative:
                    yield from variables(condition)


def literals(body: tuple[Condition, ...]) -> Iterator[Literal]:
    """Yields the literals of a body, those inside an ``or`` included."""
    for condition in body:
        if isinstance(condition, Literal):
            yield condition
        elif isinstance(condition, Or):
            for alternative in condition.parts:
                yield from literals(alternative)


def without_arguments(name: str) -> str:
    """A constant written as a function without arguments: ``(noop)`` for ``noop``."""
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

"""Parses a text in KIF or infix notation into a ``Description``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kibitz.gdl import infix
from kibitz.gdl.rules import (
    Compound,
    Condition,
    Description,
    Distinct,
    Literal,
    Or,
    Rule,
    Sentence,
    Term,
    Variable,
    variables,
    without_arguments,
)
from kibitz.syntax.heading import SearchWords
from kibitz.syntax.sexpr import Atom, Form, Lexicon, Node, Reading, read
from kibitz.syntax.source import Diagnostic, Severity, Source, SourceError, Span

LEXICON = Lexicon(comment=";")

MOST_RULES = 20_000
"""The most rules of a text."""

MOST_CONDITIONS = 1_000
"""The most conditions of a rule; the longest known rule has 42."""

STRUCTURE = ("<=", "not", "or", "and", "distinct")
"""Words of the syntax, which cannot be names of relations."""


class _Reader:
    """Turns forms into rules; reports and skips forms that it cannot read.

    Attributes:
        spelling: see `Description.spelling`.
        constants: the names that have occurred as constants.
    """

    def __init__(self) -> None:
        self.problems: list[Diagnostic] = []
        self.spelling: dict[str, str] = {}
        self.constants: set[str] = set()

    def complain(self, span: Span, message: str, code: str, hint: str = "") -> None:
        self.problems.append(Diagnostic(Severity.ERROR, code, message, span, hint))

    def symbol(self, atom: Atom) -> str:
        """The name of a constant, function or relation in lower case; keeps its first spelling."""
        folded = atom.text.lower()
        self.spelling.setdefault(folded, atom.text)
        return folded

    def term(self, node: Node) -> Term | None:
        if isinstance(node, Atom):
            if node.text.startswith("?"):
                return Variable(node.text[1:].lower())
            name = self.symbol(node)
            self.constants.add(name)
            return name
        named = self.named(node, "a term")
        if named is None:
            return None
        name, arguments = named
        if arguments:
            return Compound(name, arguments)
        if name not in self.constants:
            self.constants.add(name)
            self.spelling[without_arguments(name)] = without_arguments(self.spelling[name])
        return name

    def named(self, node: Form, expected: str) -> tuple[str, tuple[Term, ...]] | None:
        """The name at the head of a form, and its arguments."""
        if not node.items or not isinstance(node.items[0], Atom):
            self.complain(
                node.span,
                f"Here {expected} is expected: a name, then terms, as in (cell 1 1 b).",
                "no-name",
            )
            return None
        head = node.items[0]
        if head.text.startswith("?"):
            self.complain(head.span, "A variable cannot be a name.", "variable-name")
            return None
        arguments = [self.term(item) for item in node.items[1:]]
        if any(argument is None for argument in arguments):
            return None
        return self.symbol(head), tuple(a for a in arguments if a is not None)

    def sentence(self, node: Node, expected: str = "a sentence") -> Sentence | None:
        if isinstance(node, Atom):
            if node.text.startswith("?"):
                self.complain(node.span, "A variable is no sentence.", "variable-sentence")
                return None
            sentence = Sentence(self.symbol(node))
        else:
            named = self.named(node, expected)
            if named is None:
                return None
            sentence = Sentence(*named)
        if sentence.name in STRUCTURE:
            self.complain(
                node.span,
                f"`{sentence.name}` cannot stand here: {expected} is expected.",
                "misplaced-word",
                "A rule within a rule? Look at the parentheses before it."
                if sentence.name == "<="
                else "",
            )
            return None
        return sentence

    def condition(self, node: Node) -> tuple[Condition, ...]:
        """The conditions that a form stands for; ``and`` may stand for several."""
        word = node.head.lower() if isinstance(node, Form) else ""
        if isinstance(node, Form) and word == "and":
            return self.conditions(node.items[1:])
        if isinstance(node, Form) and word == "or":
            if len(node.items) == 1:
                self.complain(node.span, "An `or` without parts is never true.", "empty-or")
            return (
                Or(
                    tuple(self.condition(alternative) for alternative in node.items[1:]), node.span
                ),
            )
        if isinstance(node, Form) and word == "distinct":
            if len(node.items) != 3:
                self.complain(
                    node.span, "`distinct` compares two terms: (distinct ?x ?y).", "arguments"
                )
                return ()
            left, right = (self.term(item) for item in node.items[1:])
            return (Distinct(left, right, False, node.span),) if left and right else ()
        if isinstance(node, Form) and word == "not":
            return self.negation(node)
        sentence = self.sentence(node)
        return (Literal(sentence, False, node.span),) if sentence else ()

    def negation(self, node: Form) -> tuple[Condition, ...]:
        if len(node.items) != 2:
            self.complain(node.span, "`not` is about one sentence: (not (p ?x)).", "arguments")
            return ()
        inner = node.items[1]
        if isinstance(inner, Form) and inner.head.lower() == "distinct":
            return tuple(
                Distinct(c.left, c.right, True, node.span)
                for c in self.condition(inner)
                if isinstance(c, Distinct)
            )
        if isinstance(inner, Form) and inner.head.lower() in ("not", "or", "and"):
            self.complain(
                inner.span,
                "`not` must be about a sentence.",
                "negated-form",
                f"Define a relation for the (`{inner.head}` ...) and negate that.",
            )
            return ()
        sentence = self.sentence(inner)
        return (Literal(sentence, True, node.span),) if sentence else ()

    def conditions(self, nodes: Sequence[Node]) -> tuple[Condition, ...]:
        return tuple(condition for node in nodes for condition in self.condition(node))

    def rule(self, node: Node) -> Rule | None:
        if isinstance(node, Form) and node.head == "<=":
            if len(node.items) < 2:
                self.complain(node.span, "A rule needs a head: (<= head body ...).", "arguments")
                return None
            if _conditions(node.items[2:]) > MOST_CONDITIONS:
                self.complain(
                    node.items[1].span,
                    f"This rule has more than {MOST_CONDITIONS:,} conditions.",
                    "too-many",
                    "Define relations for parts of them.",
                )
                return None
            head = self.sentence(node.items[1], "the head of a rule")
            body = self.conditions(node.items[2:])
            return Rule(head, body, node.span, node.items[1].span) if head else None
        head = self.sentence(node, "a fact or a rule")
        return Rule(head, (), node.span, node.span) if head else None


def _conditions(body: Sequence[Node]) -> int:
    """The number of forms in a body, with ``or`` and ``and`` and the conditions inside them."""
    count = 0
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        count += 1
        if isinstance(node, Form) and node.head.lower() in ("or", "and"):
            waiting.extend(node.items[1:])
    return count


def parse(source: Source) -> tuple[Description | None, list[Diagnostic]]:
    """Parses a text; the description is ``None`` if there are errors.

    The text may be in KIF or in infix notation. All rules together may be enclosed in parentheses,
    as in a START message, or in brackets.
    """
    reading = forms(source)
    reader = _Reader()
    problems = list(reading.diagnostics)
    if len(reading.forms) > MOST_RULES:
        first = reading.forms[MOST_RULES]
        reader.complain(first.span, f"There are more than {MOST_RULES:,} rules.", "too-many")
        return None, problems + reader.problems
    rules = [rule for node in reading.forms if (rule := reader.rule(node)) is not None]
    problems += reader.problems
    if any(problem.is_error for problem in problems):
        return None, problems
    roles = [
        rule.head.arguments[0]
        for rule in rules
        if rule.head.name == "role" and len(rule.head.arguments) == 1
    ]
    named = tuple(dict.fromkeys(role for role in roles if isinstance(role, str)))
    return Description(source, tuple(rules), named, reader.spelling), problems


def forms(source: Source) -> Reading:
    """The facts and rules of a text in either notation, as forms of KIF."""
    if infix.is_infix(source):
        return infix.read(source)
    reading = read(source, LEXICON)
    if len(reading.forms) == 1 and isinstance(reading.forms[0], Form) and _wraps(reading.forms[0]):
        return Reading(reading.forms[0].items, reading.diagnostics)
    return reading


def _wraps(form: Form) -> bool:
    """Whether a form is a list of rules rather than one rule."""
    if not form.items or isinstance(form.items[0], Form):
        return True
    inner = any(isinstance(item, Form) and item.head == "<=" for item in form.items)
    return inner and form.head != "<="


def description(source: Source) -> Description:
    """Parses a text into a description, without checks of the rules.

    Raises:
        SourceError: the text has syntax errors; the message lists all.
    """
    result, problems = parse(source)
    if result is None:
        raise SourceError(source, problems)
    return result


@dataclass(frozen=True)
class Heading:
    """The title, description, source and tags in the comment at the beginning of a file.

    Attributes:
        url: the address that the rules come from.
    """

    title: str = ""
    about: str = ""
    url: str = ""
    categories: tuple[str, ...] = ()
    mechanics: tuple[str, ...] = ()


_COMMENT_LINE = re.compile(r"[;%\s\ufeff]*")
_SOURCE = re.compile(r"source:\s*(\S.*)$", re.IGNORECASE)


def heading(source: Source) -> Heading:
    """Reads the heading of a text; it is empty if the first comment has no line ``Source:``.

    The first line of the comment is the title, and the next ones, up to an empty line, are the
    description.
    """
    lines: list[str] = []
    words = SearchWords()
    url = ""
    described = False
    for line in source.text.splitlines():
        text = line.strip()
        if text and text[0] not in ";%\ufeff":
            break
        described = described or bool(lines and not text)
        content = _COMMENT_LINE.sub("", text, count=1)
        if match := _SOURCE.match(content):
            url = match[1]
        elif content and not words.read_line(content) and not described:
            lines.append(content)
    if not (url and lines):
        return Heading()
    return Heading(lines[0], " ".join(lines[1:]), url, words.categories, words.mechanics)


def read_term(text: str) -> Term | None:
    """Reads a ground term in KIF or infix; returns ``None`` if the text is not one."""
    source = Source("a term", text)
    # a name alone is read as KIF
    plain = "(" not in text or text.lstrip().startswith("(")
    reading = read(source, LEXICON) if plain else infix.read(source)
    reader = _Reader()
    if reading.diagnostics or len(reading.forms) != 1:
        return None
    term = reader.term(reading.forms[0])
    if reader.problems or term is None or any(True for _ in variables(term)):
        return None
    return term

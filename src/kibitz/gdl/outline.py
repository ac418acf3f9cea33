"""The outline and the names of a text in GDL, for editors; the text may have errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kibitz.core.wording import counted
from kibitz.gdl import reader
from kibitz.gdl.reader import STRUCTURE
from kibitz.gdl.rules import KEYWORDS
from kibitz.syntax.outline import MOST_SYMBOLS, Name, Symbol, comment_above
from kibitz.syntax.sexpr import Atom, Form, Node, forms, words
from kibitz.syntax.source import Source


def outline(source: Source) -> list[Symbol]:
    """The relations, each at its first rule or fact, with the numbers of rules and facts."""
    rules: Counter[str] = Counter()
    facts: Counter[str] = Counter()
    first: dict[str, Node] = {}
    for node in reader.forms(source).forms:
        head = _head(node)
        if head:
            (rules if _is_rule(node) else facts)[head] += 1
            first.setdefault(head, node)
    return [
        Symbol(name, _summary(source, node, rules[name], facts[name]), node.span)
        for name, node in first.items()
    ][:MOST_SYMBOLS]


def _summary(source: Source, node: Node, rules: int, facts: int) -> str:
    comment = comment_above(source, node.span.start)
    numbers = [counted(n, noun) for n, noun in ((rules, "rule"), (facts, "fact")) if n]
    return f"{', '.join(numbers)}{f' · {comment}' if comment else ''}"


def _is_rule(node: Node) -> bool:
    return isinstance(node, Form) and node.head == "<="


def _head(node: Node) -> str:
    """The relation in the head of a rule or in a fact."""
    if _is_rule(node):
        assert isinstance(node, Form)
        node = node.items[1] if len(node.items) > 1 else node
    return (node.head if isinstance(node, Form) else node.text).lower()


def names(source: Source) -> list[Name]:
    """The relations, functions and constants, but no keywords; the first two with their arity."""
    help_of: dict[str, str] = {}
    known = {*KEYWORDS, *STRUCTURE}
    top = reader.forms(source).forms
    defined = {_head(node) for node in top}
    for text, help in _named(top, defined):
        if text and text.lower() not in known and not text.isdecimal():
            help_of.setdefault(text, help)
    return [Name(text, help) for text, help in help_of.items()]


def _named(top: tuple[Node, ...], defined: set[str]) -> Iterator[tuple[str, str]]:
    for node in top:
        for form in forms(node):
            number = len(form.items) - 1
            kind = "a relation" if form.head.lower() in defined else "a term"
            if not form.head.startswith("?"):
                yield form.head, f"{kind} of {counted(number, 'argument')}"
    for node in top:
        for atom in words(node):
            if isinstance(atom, Atom) and not atom.text.startswith("?"):
                yield atom.text, "a relation" if atom.text.lower() in defined else "a constant"

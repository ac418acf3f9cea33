"""Rules in KIF, the prefix form that is spoken on the wire, become a ``Description``."""

from __future__ import annotations

from collections.abc import Sequence

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
)
from kibitz.syntax.sexpr import Atom, Form, Lexicon, Node, read
from kibitz.syntax.source import Diagnostic, Severity, Source, SourceError, Span

LEXICON = Lexicon(comment=";")

MOST_PARTS = 4096
"""Rules that one rule may stand for, when its ``or`` are written out."""


class _Reader:
    """Turns forms into rules; what it cannot read it notes and leaves out."""

    def __init__(self) -> None:
        self.problems: list[Diagnostic] = []
        self.spelling: dict[str, str] = {}

    def complain(self, span: Span, message: str, code: str, hint: str = "") -> None:
        self.problems.append(Diagnostic(Severity.ERROR, code, message, span, hint))

    def symbol(self, atom: Atom) -> str:
        """A constant, function or relation name."""
        folded = atom.text.lower()
        self.spelling.setdefault(folded, atom.text)
        return folded

    def term(self, node: Node) -> Term | None:
        if isinstance(node, Atom):
            if node.text.startswith("?"):
                return Variable(node.text[1:].lower())
            return self.symbol(node)
        parts = self.named(node, "a term")
        if parts is None:
            return None
        name, arguments = parts
        return Compound(name, arguments) if arguments else name

    def named(self, node: Form, what: str) -> tuple[str, tuple[Term, ...]] | None:
        """The name at the head of a form, and the terms behind it."""
        if not node.items or not isinstance(node.items[0], Atom):
            self.complain(
                node.span,
                f"Here {what} is expected: a name, then terms, as in (cell 1 1 b).",
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

    def sentence(self, node: Node) -> Sentence | None:
        if isinstance(node, Atom):
            if node.text.startswith("?"):
                self.complain(node.span, "A variable is no sentence.", "variable-sentence")
                return None
            return Sentence(self.symbol(node))
        parts = self.named(node, "a sentence")
        return Sentence(*parts) if parts else None

    def condition(self, node: Node) -> tuple[Condition, ...]:
        """A condition of a body; ``and`` is several."""
        word = node.head.lower() if isinstance(node, Form) else ""
        if isinstance(node, Form) and word == "and":
            return self.conditions(node.items[1:])
        if isinstance(node, Form) and word == "or":
            if len(node.items) == 1:
                self.complain(node.span, "An `or` without parts is never true.", "empty-or")
            return (Or(tuple(self.condition(part) for part in node.items[1:]), node.span),)
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
        found = self.sentence(node)
        return (Literal(found, False, node.span),) if found else ()

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
        found = self.sentence(inner)
        return (Literal(found, True, node.span),) if found else ()

    def conditions(self, nodes: Sequence[Node]) -> tuple[Condition, ...]:
        return tuple(condition for node in nodes for condition in self.condition(node))

    def rule(self, node: Node) -> Rule | None:
        if isinstance(node, Form) and node.head == "<=":
            if len(node.items) < 2:
                self.complain(node.span, "A rule needs a head: (<= head body ...).", "arguments")
                return None
            head = self.sentence(node.items[1])
            body = self.conditions(node.items[2:])
            return Rule(head, body, node.span) if head else None
        head = self.sentence(node)
        return Rule(head, (), node.span) if head else None


def parse(source: Source) -> tuple[Description | None, list[Diagnostic]]:
    """Reads a text in KIF. Without a description some of the diagnostics are errors.

    The rules may stand in one pair of parentheses, as they do in a START message.
    """
    reading = read(source, LEXICON)
    forms: Sequence[Node] = reading.forms
    if len(forms) == 1 and isinstance(forms[0], Form) and _wraps(forms[0]):
        forms = forms[0].items
    reader = _Reader()
    rules = [rule for node in forms if (rule := reader.rule(node)) is not None]
    problems = reading.diagnostics + reader.problems
    if any(problem.is_error for problem in problems):
        return None, problems
    roles = [
        rule.head.arguments[0]
        for rule in rules
        if rule.head.name == "role" and len(rule.head.arguments) == 1
    ]
    named = tuple(dict.fromkeys(role for role in roles if isinstance(role, str)))
    return Description(source, tuple(rules), named, reader.spelling), problems


def _wraps(form: Form) -> bool:
    """Whether a form is a list of rules."""
    return all(isinstance(item, Form) for item in form.items) or any(
        isinstance(item, Form) and item.head == "<=" for item in form.items
    )


def description(source: Source) -> Description:
    """Reads rules that are well-formed.

    Raises:
        SourceError: they are not; the message says everything that is wrong.
    """
    found, problems = parse(source)
    if found is None:
        raise SourceError(source, problems)
    return found

"""The facts and moves that the rules declare by ``base`` and ``input``."""

from __future__ import annotations

from dataclasses import replace

from kibitz.gdl.grounder import ground
from kibitz.gdl.rules import (
    Compound,
    Description,
    Literal,
    Rule,
    Sentence,
    Term,
    Variable,
    literals,
)
from kibitz.syntax.source import Span


def declared(description: Description, name: str) -> frozenset[tuple[Term, ...]] | None:
    """The rows of ``base`` or ``input``; ``None`` if no rule defines it.

    Raises:
        GroundingError: the rules are not safe, or have too many instances.
    """
    if not description.defines(name):
        return None
    rules = description.rules
    names, before = {name}, 0
    while before != len(names):
        before = len(names)
        for rule in rules:
            if rule.head.name in names:
                names.update(literal.sentence.name for literal in literals(rule.body))
    arguments = tuple(Variable(letter) for letter in ("x" if name == "base" else "rx"))
    nowhere = Span(0, 0)
    # the rows are grounded as facts of the initial state
    asked = Rule(
        Sentence("init", (Compound(name, arguments),)),
        (Literal(Sentence(name, arguments), False, nowhere),),
        nowhere,
    )
    relevant = tuple(rule for rule in rules if rule.head.name in names)
    always = ground(replace(description, rules=(*relevant, asked))).always
    return frozenset(
        sentence.arguments[0].arguments
        for sentence in always
        if sentence.name == "init" and isinstance(sentence.arguments[0], Compound)
    )

"""The least model of rules by a naive evaluator, with which the prover has to agree.

Every rule is tried with everything that holds, stratum by stratum, until nothing is new.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from kibitz.gdl.rules import (
    Compound,
    Condition,
    Distinct,
    Literal,
    Or,
    Rule,
    Sentence,
    Term,
    Variable,
    literals,
)

Values = dict[Variable, Term]


class Holds:
    """Sentences that hold, by their names."""

    def __init__(self) -> None:
        self.all: set[Sentence] = set()
        self.named: dict[str, list[Sentence]] = {}

    def add(self, sentence: Sentence) -> bool:
        """Adds one; whether it is new."""
        if sentence in self.all:
            return False
        self.all.add(sentence)
        self.named.setdefault(sentence.name, []).append(sentence)
        return True


def model(rules: Iterable[Rule], facts: Iterable[Sentence]) -> set[Sentence]:
    """All sentences that hold by the rules where `facts` hold."""
    holds = Holds()
    for sentence in facts:
        holds.add(sentence)
    strata = _strata(list(rules))
    for _, group in itertools.groupby(sorted(strata, key=lambda s: s[0]), lambda s: s[0]):
        of_stratum = [rule for _, rule in group]
        new = True
        while new:
            derived = [
                Sentence(rule.head.name, tuple(_with(a, values) for a in rule.head.arguments))
                for rule in of_stratum
                for values in _solutions(rule.body, holds, {})
            ]
            new = sum(map(holds.add, derived)) > 0
    return holds.all


def _strata(rules: Sequence[Rule]) -> list[tuple[int, Rule]]:
    """Each rule with its stratum, which is above the strata of its negated conditions."""
    level: dict[str, int] = {rule.head.name: 0 for rule in rules}
    for _ in range(len(level) + 1):
        for rule in rules:
            for literal in literals(rule.body):
                below = level.get(literal.sentence.name, 0) + literal.negated
                level[rule.head.name] = max(level[rule.head.name], below)
    assert max(level.values()) <= len(level), "not stratified"
    return [(level[rule.head.name], rule) for rule in rules]


def _solutions(body: Sequence[Condition], holds: Holds, values: Values) -> Iterator[Values]:
    for condition in body:
        if isinstance(condition, Or):
            others = [c for c in body if c is not condition]
            for alternative in condition.parts:
                yield from _solutions([*alternative, *others], holds, values)
            return
    positive = [c for c in body if isinstance(c, Literal) and not c.negated]
    if positive:
        others = [c for c in body if c is not positive[0]]
        pattern = positive[0].sentence
        for sentence in holds.named.get(pattern.name, ()):
            extended = dict(values)
            if _fits(pattern.arguments, sentence.arguments, extended):
                yield from _solutions(others, holds, extended)
        return
    for condition in body:
        if isinstance(condition, Distinct):
            same = _with(condition.left, values) == _with(condition.right, values)
            if same != condition.negated:
                return
        elif isinstance(condition, Literal):
            arguments = tuple(_with(a, values) for a in condition.sentence.arguments)
            if Sentence(condition.sentence.name, arguments) in holds.all:
                return
    yield values


def _fits(patterns: Sequence[Term], terms: Sequence[Term], values: Values) -> bool:
    return len(patterns) == len(terms) and all(
        _fits_one(pattern, term, values) for pattern, term in zip(patterns, terms, strict=True)
    )


def _fits_one(pattern: Term, term: Term, values: Values) -> bool:
    if isinstance(pattern, Variable):
        return values.setdefault(pattern, term) == term
    if isinstance(pattern, Compound):
        return (
            isinstance(term, Compound)
            and term.name == pattern.name
            and _fits(pattern.arguments, term.arguments, values)
        )
    return pattern == term


def _with(term: Term, values: Values) -> Term:
    if isinstance(term, Variable):
        return values[term]
    if isinstance(term, Compound):
        return Compound(term.name, tuple(_with(a, values) for a in term.arguments))
    return term

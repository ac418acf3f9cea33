"""Rules as the prover uses them: facts apart from rules, no ``or``, and known dependencies.

Two kinds of auxiliary relations are added to those of the text: one for each ``or``, with a rule
for each of its parts, so that rules need not be expanded; and one for the facts of a relation that
has both facts and rules.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from kibitz.gdl.graphs import components
from kibitz.gdl.rules import (
    Condition,
    Description,
    Literal,
    Or,
    Rule,
    Sentence,
    Variable,
    variables,
)
from kibitz.gdl.terms import Row, Terms

Signature = tuple[str, int]
"""A relation, as its name and its number of arguments."""

TRUE: Signature = ("true", 1)
DOES: Signature = ("does", 2)

FIXED, OF_STATE, OF_STEP = range(3)
"""The levels of relations: independent of the state, dependent on it, or on moves as well."""


@dataclass
class Program:
    """A logic program: rules and facts by relation, with their dependencies.

    Attributes:
        facts: the rows of relations without rules.
        rules: the rules of all other relations, without ``or``.
        needed: for the relation of an ``or``, the arguments that must be known before it is
            asked, since a part of the ``or`` does not bind them.
        level: what a relation depends on: ``FIXED``, ``OF_STATE`` or ``OF_STEP``.
        component: a number that relations share if they depend on each other.
    """

    facts: dict[Signature, list[Row]] = field(default_factory=dict)
    rules: dict[Signature, list[Rule]] = field(default_factory=dict)
    needed: dict[Signature, frozenset[int]] = field(default_factory=dict)
    level: dict[Signature, int] = field(default_factory=dict)
    component: dict[Signature, int] = field(default_factory=dict)

    def binds(self, literal: Literal) -> Iterator[Variable]:
        """Yields the variables that a literal binds."""
        if not literal.negated:
            needed = self.needed.get(signature(literal.sentence), frozenset())
            for place, argument in enumerate(literal.sentence.arguments):
                if place not in needed:
                    yield from variables(argument)


def signature(sentence: Sentence) -> Signature:
    """The name and arity of a sentence's relation."""
    return sentence.name, len(sentence.arguments)


def program(description: Description, terms: Terms) -> Program:
    """Makes the program of a description; its facts are rows of term numbers."""
    result = Program()
    fresh = itertools.count()
    for rule in description.rules:
        if not rule.body and not any(variables(rule.head)):
            row = tuple(terms.number(argument) for argument in rule.head.arguments)
            result.facts.setdefault(signature(rule.head), []).append(row)
        else:
            body = _without_or(result, rule, set(variables(rule.head)), fresh)
            result.rules.setdefault(signature(rule.head), []).append(replace(rule, body=body))
    for both in [name for name in result.facts if name in result.rules]:
        _separate_facts(result, both)
    _order(result)
    return result


def _without_or(
    program: Program, rule: Rule, outside: set[Variable], fresh: Iterator[int]
) -> tuple[Condition, ...]:
    """Returns a rule's body with an auxiliary relation in place of each ``or``."""
    body: list[Condition] = []
    for place, condition in enumerate(rule.body):
        if not isinstance(condition, Or):
            body.append(condition)
            continue
        others = [c for i, c in enumerate(rule.body) if i != place]
        outer = outside.union(*(variables(c) for c in others))
        shared = [v for v in dict.fromkeys(variables(condition)) if v in outer]
        head = Sentence(f"or {next(fresh)}", tuple(shared))
        rules = []
        bound = set(shared)
        for alternative in condition.parts:
            inner = Rule(head, alternative, condition.span)
            alternative = _without_or(program, inner, outer, fresh)
            rules.append(Rule(head, alternative, condition.span))
            bound &= {v for c in alternative if isinstance(c, Literal) for v in program.binds(c)}
        program.rules[signature(head)] = rules
        program.needed[signature(head)] = frozenset(
            i for i, variable in enumerate(shared) if variable not in bound
        )
        body.append(Literal(head, False, condition.span))
    return tuple(body)


def _separate_facts(program: Program, both: Signature) -> None:
    """Moves the facts of a relation that also has rules to an auxiliary relation."""
    name, arity = both
    arguments = tuple(Variable(f"argument {i}") for i in range(arity))
    facts = Sentence(f"facts of {name}", arguments)
    span = program.rules[both][0].span
    program.facts[signature(facts)] = program.facts.pop(both)
    body = (Literal(facts, False, span),)
    program.rules[both].insert(0, Rule(Sentence(name, arguments), body, span))


def _order(program: Program) -> None:
    """Computes the levels and the strongly connected components of relations."""
    names = list(program.rules)
    numbers = {name: i for i, name in enumerate(names)}

    def children(node: int) -> Sequence[int]:
        return [numbers[r] for r in _needs(program.rules[names[node]]) if r in numbers]

    program.level = {TRUE: OF_STATE, DOES: OF_STEP}
    for number, group in enumerate(components(range(len(names)), children)):
        members = [names[node] for node in group]
        level = max(
            program.level.get(need, FIXED)
            for member in members
            for need in [member, *_needs(program.rules[member])]
        )
        for member in members:
            program.level[member] = level
            program.component[member] = number


def _needs(rules: Iterable[Rule]) -> Iterator[Signature]:
    for rule in rules:
        for condition in rule.body:
            if isinstance(condition, Literal):
                yield signature(condition.sentence)

"""The prover's form of the rules: facts apart, no ``or``, dependencies known.

Two kinds of auxiliary relations are added to those of the text: one for each ``or``, with a rule
for each of its parts, so that ``or`` is never expanded; and one for the facts of a relation that
has rules as well.
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
"""A name and how many arguments it has."""

TRUE: Signature = ("true", 1)
DOES: Signature = ("does", 2)

FIXED, OF_STATE, OF_STEP = range(3)
"""What a relation depends on: nothing, what is true, or also what the roles do."""


@dataclass
class Program:
    """A logic program: rules and facts by relation, with their dependencies.

    Attributes:
        facts: the rows of relations that have no rules.
        rules: the rules of all other relations; no condition in them is an ``or``.
        needed: arguments of a relation that must be known before its rules can be used, since
            a part of its ``or`` does not give them a value.
        level: what a relation depends on.
        component: a number that relations share if each depends on the other.
    """

    facts: dict[Signature, list[Row]] = field(default_factory=dict)
    rules: dict[Signature, list[Rule]] = field(default_factory=dict)
    needed: dict[Signature, frozenset[int]] = field(default_factory=dict)
    level: dict[Signature, int] = field(default_factory=dict)
    component: dict[Signature, int] = field(default_factory=dict)

    def binds(self, literal: Literal) -> Iterator[Variable]:
        """The variables that a condition binds."""
        if not literal.negated:
            needed = self.needed.get(signature(literal.sentence), frozenset())
            for place, argument in enumerate(literal.sentence.arguments):
                if place not in needed:
                    yield from variables(argument)


def signature(sentence: Sentence) -> Signature:
    """The relation of a sentence: name and arity."""
    return sentence.name, len(sentence.arguments)


def program(description: Description, terms: Terms) -> Program:
    """The program of a description; its facts are rows of term numbers."""
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
    """The body of a rule in which each ``or`` is an auxiliary relation."""
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
    """Computes levels, strongly connected components and dependencies."""
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

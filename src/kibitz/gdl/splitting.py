"""Rewrites rules to equivalent ones that have fewer ground instances."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kibitz.core.errors import GameDefinitionError
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
    variables,
)
from kibitz.syntax.source import Span

MOST_ALTERNATIVES = 512
"""The most rules without ``or`` to which a rule may be expanded."""


class GroundingError(GameDefinitionError):
    """The rules have too many instances, or cannot be grounded for another reason.

    Attributes:
        span: the place of the rule that the message names.
    """

    def __init__(self, message: str, span: Span = Span(0, 0)) -> None:  # noqa: B008 (immutable)
        super().__init__(message)
        self.span = span


def written_out(rule: Rule) -> list[Rule]:
    """Returns a rule expanded to rules without ``or``, in which no condition is repeated.

    Raises:
        GroundingError: they are more than ``MOST_ALTERNATIVES``.
    """
    bodies: list[tuple[Condition, ...]] = [()]
    for condition in rule.body:
        alternatives: list[tuple[Condition, ...]] = [(condition,)]
        if isinstance(condition, Or):
            alternatives = [
                expanded.body
                for conditions in condition.parts
                for expanded in written_out(Rule(rule.head, conditions, rule.span))
            ]
        if len(bodies) * len(alternatives) > MOST_ALTERNATIVES:
            raise GroundingError(
                f"the `or` of this rule stand for more than {MOST_ALTERNATIVES} rules; a relation"
                " of its own for one of them helps",
                rule.span,
            )
        bodies = [b + a for b, a in itertools.product(bodies, alternatives)]
    return [Rule(rule.head, tuple(dict.fromkeys(body)), rule.span) for body in bodies]


def split(rule: Rule, fresh: Iterator[int], fixed: Collection[tuple[str, int]] = ()) -> list[Rule]:
    """Splits a rule into several with fewer variables each.

    A variable that is not in the head is eliminated by an auxiliary rule over the conditions that
    contain it; the variable whose rule has the fewest variables goes first (bucket elimination,
    R. Dechter 1999). Conditions on fixed relations are repeated in that rule, so that it has fewer
    rows.

    Args:
        fresh: numbers for the names of auxiliary relations.
        fixed: relations that never change, by name and arity.
    """
    in_head = set(variables(rule.head))
    body = list(rule.body)
    made: list[Rule] = []
    while True:
        everywhere = {v for c in body for v in variables(c)}
        best: tuple[int, list[Condition], list[Condition], list[Variable]] | None = None
        for variable in sorted(everywhere - in_head, key=_name):
            bucket = [c for c in body if variable in set(variables(c))]
            others = [c for c in body if c not in bucket]
            inside = {v for c in bucket for v in variables(c)}
            shared = inside & (in_head | {v for c in others for v in variables(c)})
            binders = _binders(bucket, others, inside)
            if not others or binders is None:
                continue
            inside |= {v for c in binders for v in variables(c)}
            if inside < everywhere and (best is None or len(inside) < best[0]):
                best = (len(inside), bucket, binders, sorted(shared, key=_name))
        if best is None:
            return [*made, Rule(rule.head, tuple(body), rule.span)]
        _, bucket, binders, kept_variables = best
        inside = {v for c in (*bucket, *binders) for v in variables(c)}
        binders = [
            c for c in body if c in binders or (c not in bucket and _fits(c, inside, fixed))
        ]
        auxiliary = Sentence(f"part {next(fresh)}", tuple(kept_variables))
        made.append(Rule(auxiliary, (*bucket, *binders), rule.span))
        body = [Literal(auxiliary, False, rule.span), *(c for c in body if c not in bucket)]


def _name(variable: Variable) -> str:
    return variable.name


def _binders(
    bucket: Sequence[Condition], others: Sequence[Condition], inside: set[Variable]
) -> list[Condition] | None:
    """Chooses other conditions that bind the unbound variables of a bucket.

    The rule keeps these conditions as well. Returns ``None`` if a variable stays unbound.
    """
    open_ = inside - _bound(bucket)
    binders: list[Condition] = []
    while open_:
        helpful = [c for c in others if open_ & _bound([c])]
        if not helpful:
            return None
        chosen = min(helpful, key=lambda c: len(_bound([c]) - inside) - len(open_ & _bound([c])))
        binders.append(chosen)
        open_ -= _bound([chosen])
    return binders


def _fits(condition: Condition, inside: set[Variable], fixed: Collection[tuple[str, int]]) -> bool:
    """Whether a condition is on a fixed relation and contains only variables in `inside`."""
    if not isinstance(condition, Literal) or condition.negated:
        return False
    sentence = condition.sentence
    own = set(variables(sentence))
    return bool(own) and own <= inside and (sentence.name, len(sentence.arguments)) in fixed


def _bound(conditions: Sequence[Condition]) -> set[Variable]:
    """The variables that positive conditions bind."""
    return {
        v for c in conditions if isinstance(c, Literal) and not c.negated for v in variables(c)
    }


# --- substitution ---------------------------------------------------------------------------


def replaced(item: Any, values: Mapping[Variable, Term]) -> Any:
    """Substitutes terms for variables in a term, sentence, condition (no ``or``) or rule."""
    match item:
        case Variable():
            return values.get(item, item)
        case Compound() | Sentence():
            return replace(item, arguments=tuple(replaced(a, values) for a in item.arguments))
        case Literal():
            return replace(item, sentence=replaced(item.sentence, values))
        case Distinct():
            left, right = replaced(item.left, values), replaced(item.right, values)
            return replace(item, left=left, right=right)
        case Rule():
            body = tuple(replaced(condition, values) for condition in item.body)
            return replace(item, head=replaced(item.head, values), body=body)
    return item


def equated(rule: Rule) -> Rule:
    """Returns a rule in which variables are replaced by the terms that they must equal."""
    for condition in rule.body:
        if isinstance(condition, Distinct) and condition.negated:
            left, right = condition.left, condition.right
            if isinstance(right, Variable):
                left, right = right, left
            if isinstance(left, Variable) and left not in set(variables(right)):
                reduced = replace(rule, body=tuple(c for c in rule.body if c is not condition))
                return equated(replaced(reduced, {left: right}))
    return rule


# --- rigid facts ----------------------------------------------------------------------------


def with_rigid(rules: Sequence[Rule]) -> list[Rule]:
    """Returns the rules with ``init`` in place of ``true`` for facts that never change.

    A functor's facts never change if the frame axiom is its only rule for ``next``.
    """
    heads = [rule.head.arguments[0] for rule in rules if _is(rule.head, "next")]
    if not all(isinstance(term, Compound) for term in heads):
        return list(rules)
    framed = {_functor(rule.head.arguments[0]) for rule in rules if _keeps(rule)}
    changed = {
        _functor(rule.head.arguments[0])
        for rule in rules
        if _is(rule.head, "next") and not _keeps(rule)
    }
    rigid = framed - changed

    def with_init(condition: Condition) -> Condition:
        if isinstance(condition, Literal) and _is(condition.sentence, "true"):
            arguments = condition.sentence.arguments
            if _functor(arguments[0]) in rigid:
                return replace(condition, sentence=Sentence("init", arguments))
        return condition

    return [
        rule if _keeps(rule) else replace(rule, body=tuple(map(with_init, rule.body)))
        for rule in rules
    ]


def _is(sentence: Sentence, name: str) -> bool:
    return sentence.name == name and len(sentence.arguments) == 1


def _functor(term: Term) -> tuple[str, int] | None:
    return (term.name, len(term.arguments)) if isinstance(term, Compound) else None


def _keeps(rule: Rule) -> bool:
    """Whether a rule is the frame axiom of a functor, by which its facts stay true."""
    if not _is(rule.head, "next") or len(rule.body) != 1:
        return False
    (condition,) = rule.body
    (term,) = rule.head.arguments
    return (
        isinstance(condition, Literal)
        and not condition.negated
        and condition.sentence == Sentence("true", (term,))
        and isinstance(term, Compound)
        and all(isinstance(argument, Variable) for argument in term.arguments)
        and len(set(term.arguments)) == len(term.arguments)
    )

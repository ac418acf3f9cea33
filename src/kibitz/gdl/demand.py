"""Magic sets: restricts rules to the argument values that other rules can use.

A relation such as *less than* may hold for all numbers, while rules use it for the squares of a
board only. For each argument of each relation this module collects the values that rules can
derive and, from these, the values that conditions can demand; instances with other values are not
needed. This is the idea of magic sets, for one argument at a time (F. Bancilhon et al., "Magic
sets and other strange ways to implement logic programs", PODS 1986).
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kibitz.gdl.rules import (
    ENDING,
    KEYWORDS,
    Compound,
    Condition,
    Literal,
    Rule,
    Sentence,
    Term,
    Variable,
    literals,
    variables,
)
from kibitz.gdl.splitting import replaced, split

Place = tuple["str | int", ...]
"""The path to an argument: name, arity and argument index of a relation, then of each functor."""
Values = frozenset[str] | None
"""A set of constants, or ``None`` for all terms."""

MOST_LISTED = 300_000
"""The largest estimated number of rows of a relation that is not inlined for its size."""
MOST_USES = 4
"""The most uses of a relation that may be inlined."""
MOST_CONDITIONS = 40
"""The most conditions of a rule after a relation is inlined in it."""
_UNKNOWN = 100
"""The assumed number of values of an argument that may be any term."""

_SAME = {"init": "true", "next": "true", "legal": "does"}
"""Pairs of keywords: a sentence of the first can become one of the second."""


def restricted(rules: Sequence[Rule]) -> list[Rule]:
    """Returns the rules that are needed, restricted to the demanded argument values."""
    return _Demand(rules).rules()


def inlined(rules: Sequence[Rule]) -> list[Rule]:
    """Returns the rules with some relations inlined where they are used.

    A relation is inlined if it is too large to list. It is also inlined if it relates its
    arguments only through other variables, such as the color of pieces, and all rules that use it
    can then be split into narrower parts. It must have a single rule, never be negated, and not be
    recursive.
    """
    current = list(rules)
    fresh = itertools.count()
    while True:
        chosen = _to_inline(current)
        if chosen is None:
            return current
        current = [_with_body(rule, chosen, fresh) for rule in current if rule is not chosen]


def _to_inline(rules: Sequence[Rule]) -> Rule | None:
    """Returns a rule that should be inlined, or ``None``."""
    defining: dict[tuple[str, int], list[Rule]] = {}
    asked: Counter[tuple[str, int]] = Counter()
    barred: set[tuple[str, int]] = set()
    longest: Counter[tuple[str, int]] = Counter()
    for rule in rules:
        head = rule.head.name, len(rule.head.arguments)
        defining.setdefault(head, []).append(rule)
        for literal in literals(rule.body):
            name = literal.sentence.name, len(literal.sentence.arguments)
            asked[name] += 1
            longest[name] = max(longest[name], len(rule.body))
            if literal.negated or name == head:
                barred.add(name)
    candidates = []
    for name, (rule, *others) in defining.items():
        heads = rule.head.arguments
        if others or name in barred or _is_keyword(rule.head) or not 0 < asked[name] <= MOST_USES:
            continue
        if longest[name] + len(rule.body) > MOST_CONDITIONS:
            continue
        if len(set(heads)) == len(heads) and all(isinstance(term, Variable) for term in heads):
            candidates.append((name, rule))
    if not candidates:
        return None
    demand = _Demand(rules)
    return next(
        (
            rule
            for name, rule in candidates
            if demand.size(name) > MOST_LISTED or (_compares(rule) and _narrows(rule, rules))
        ),
        None,
    )


def _compares(rule: Rule) -> bool:
    """Whether no condition contains two variables of the head."""
    head = set(variables(rule.head))
    return all(len(head & set(variables(condition))) < 2 for condition in rule.body)


def _narrows(inner: Rule, rules: Sequence[Rule]) -> bool:
    """Whether all rules that use a relation have fewer variables once its rule is inlined."""
    name = inner.head.name, len(inner.head.arguments)
    return all(
        _width(_with_body(rule, inner, itertools.count())) < _width(rule)
        for rule in rules
        if any(
            (literal.sentence.name, len(literal.sentence.arguments)) == name
            for literal in literals(rule.body)
        )
    )


def _width(rule: Rule) -> int:
    """The most variables of a part of a rule after it is split."""
    pieces = split(rule, itertools.count())
    return max(
        len({v for item in (piece.head, *piece.body) for v in variables(item)}) for piece in pieces
    )


def _with_body(rule: Rule, inner: Rule, fresh: Iterator[int]) -> Rule:
    """Returns a rule in which the body of `inner` replaces each condition on its head."""
    body: list[Condition] = []
    for condition in rule.body:
        if not (
            isinstance(condition, Literal)
            and condition.sentence.name == inner.head.name
            and len(condition.sentence.arguments) == len(inner.head.arguments)
        ):
            body.append(condition)
            continue
        number = next(fresh)
        values: dict[Variable, Term] = {
            v: Variable(f"{v.name} {number}") for c in inner.body for v in variables(c)
        }
        for variable, term in zip(inner.head.arguments, condition.sentence.arguments, strict=True):
            assert isinstance(variable, Variable)
            values[variable] = term
        body += [replaced(c, values) for c in inner.body]
    return replace(rule, body=tuple(body))


def _is_keyword(sentence: Sentence) -> bool:
    known = KEYWORDS.get(sentence.name, -1) == len(sentence.arguments)
    return known or sentence.name == ENDING


def _places(sentence: Sentence) -> Iterator[tuple[Place, Term]]:
    """Yields the constants and variables of a sentence with their places."""
    name = _SAME.get(sentence.name, sentence.name) if _is_keyword(sentence) else sentence.name
    start: Place = (name, len(sentence.arguments))

    def inside(place: Place, term: Term) -> Iterator[tuple[Place, Term]]:
        if isinstance(term, Compound):
            for i, argument in enumerate(term.arguments):
                yield from inside((*place, term.name, len(term.arguments), i), argument)
        else:
            yield place, term

    for i, argument in enumerate(sentence.arguments):
        yield from inside((*start, i), argument)


def _both(first: Values, second: Values) -> Values:
    if first is None or second is None:
        return second if first is None else first
    return first & second


class _Demand:
    """The argument values that rules can derive and that conditions demand.

    Attributes:
        derived: the constants that rules can derive at a place; ``None`` for all terms.
        compound: the places at which heads have compound terms.
        asked: the constants that conditions demand at a place; ``None`` for all terms.
        wanted: the relations that a condition of a needed rule uses.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.given = rules
        self.derived: dict[Place, set[str] | None] = {}
        self.compound: set[Place] = set()
        self.asked: dict[Place, set[str] | None] = {}
        self.wanted: set[tuple[str, int]] = set()
        self._collect_compounds()
        self._derive()
        self._ask()

    def _collect_compounds(self) -> None:
        for rule in self.given:
            for place, _ in _places(rule.head):
                self.compound.update(place[:end] for end in range(3, len(place), 3))

    def _values(self, place: Place) -> Values:
        """The constants that rules can derive at a place; ``None`` for all terms."""
        for end in range(3, len(place), 3):
            if self.derived.get(place[:end], ()) is None:
                return None
        if place in self.compound:
            return None
        constants = self.derived.get(place, ())
        return None if constants is None else frozenset(constants)

    def _bindings(self, rule: Rule) -> dict[Variable, Values] | None:
        """The possible values of a rule's variables; ``None`` if its body can never hold."""
        bindings: dict[Variable, Values] = {}
        for literal in rule.body:
            if not isinstance(literal, Literal) or literal.negated:
                continue
            for place, term in _places(literal.sentence):
                values = self._values(place)
                if isinstance(term, Variable):
                    bindings[term] = _both(bindings.get(term), values)
                    if bindings[term] == frozenset():
                        return None
                elif values is not None and term not in values:
                    return None
        return bindings

    def _derive(self) -> None:
        changed = True
        while changed:
            changed = False
            for rule in self.given:
                bindings = self._bindings(rule)
                if bindings is None:
                    continue
                for place, term in _places(rule.head):
                    values = (
                        bindings.get(term)
                        if isinstance(term, Variable)
                        else frozenset([str(term)])
                    )
                    changed |= _add(self.derived, place, values)

    # -- demanded values ---------------------------------------------------------------------

    def _restriction(self, rule: Rule) -> dict[Variable, Values] | None:
        """The values of variables for which a rule is needed; ``None`` if it is not needed."""
        bindings = self._bindings(rule)
        if bindings is None or _is_keyword(rule.head):
            return bindings
        if (rule.head.name, len(rule.head.arguments)) not in self.wanted:
            return None
        for variable, values in self._head(rule):
            bindings[variable] = _both(bindings.get(variable), values)
        return bindings if frozenset() not in bindings.values() else None

    def _head(self, rule: Rule) -> Iterator[tuple[Variable, Values]]:
        """Yields the variables that are arguments of a head, with their demanded values."""
        for i, term in enumerate(rule.head.arguments):
            if isinstance(term, Variable):
                asked = self.asked.get((rule.head.name, len(rule.head.arguments), i), ())
                yield term, None if asked is None else frozenset(asked)

    def _ask(self) -> None:
        changed = True
        while changed:
            changed = False
            for rule in self.given:
                bindings = self._restriction(rule)
                if bindings is None:
                    continue
                for literal in rule.body:
                    if isinstance(literal, Literal) and not _is_keyword(literal.sentence):
                        changed |= self._call(literal.sentence, bindings)

    def _call(self, sentence: Sentence, bindings: dict[Variable, Values]) -> bool:
        relation = sentence.name, len(sentence.arguments)
        changed = relation not in self.wanted
        self.wanted.add(relation)
        for i, term in enumerate(sentence.arguments):
            values: Values = None
            if isinstance(term, str):
                values = frozenset([term])
            elif isinstance(term, Variable):
                values = bindings.get(term)
            changed |= _add(self.asked, (*relation, i), values)
        return changed

    def size(self, relation: tuple[str, int]) -> int:
        """Estimates the number of demanded rows of a relation from its argument values."""
        size = 1
        for i in range(relation[1]):
            asked = self.asked.get((*relation, i), ())
            values = _both(
                self._values((*relation, i)), None if asked is None else frozenset(asked)
            )
            size *= _UNKNOWN if values is None else len(values)
        return size

    def rules(self) -> list[Rule]:
        """Returns the needed rules with restricting conditions, and the facts of these."""
        named: dict[frozenset[str], str] = {}
        result: list[Rule] = []
        for rule in self.given:
            bindings = self._bindings(rule)
            if bindings is None or self._restriction(rule) is None:
                continue
            conditions = []
            if not _is_keyword(rule.head):
                for variable, values in sorted(self._head(rule), key=lambda pair: pair[0].name):
                    own = bindings.get(variable)
                    if values is not None and (own is None or not own <= values):
                        name = named.setdefault(values, f"asked {len(named)}")
                        conditions.append(Literal(Sentence(name, (variable,)), False, rule.span))
                if not self._asks_for_constants(rule):
                    continue
            result.append(
                Rule(rule.head, (*rule.body, *conditions), rule.span, rule.head_span)
                if conditions
                else rule
            )
        span = self.given[0].span if self.given else None
        for values, name in named.items():
            assert span is not None
            result += [Rule(Sentence(name, (value,)), (), span) for value in sorted(values)]
        return result

    def _asks_for_constants(self, rule: Rule) -> bool:
        relation = rule.head.name, len(rule.head.arguments)
        for i, term in enumerate(rule.head.arguments):
            asked = self.asked.get((*relation, i), ())
            if isinstance(term, str) and asked is not None and term not in asked:
                return False
        return True


def _add(known: dict[Place, set[str] | None], place: Place, values: Values) -> bool:
    """Adds values to a place; returns whether any of them is new."""
    before = known.setdefault(place, set())
    if before is None:
        return False
    if values is None:
        known[place] = None
        return True
    if values <= before:
        return False
    before |= values
    return True

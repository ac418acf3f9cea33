"""Magic sets: rules are restricted to what other rules can ask for.

A relation such as *less than* holds for all numbers, while rules may ask it about squares of a
board only. For each argument of each relation this module collects the values that rules can
derive and, from these, the values that rules can ask for; instances with other values are not
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
"""An argument, or one of a compound that is an argument: a path of names and numbers."""
Values = frozenset[str] | None
"""Constants; ``None``: anything."""

MOST_LISTED = 300_000
"""A relation that may have more rows is put into the rules that ask for it,"""
MOST_USES = 4
"""if these are no more,"""
MOST_CONDITIONS = 40
"""and do not get more conditions."""
_UNKNOWN = 100
"""So many values an argument is taken to have that may be anything."""

_SAME = {"init": "true", "next": "true", "legal": "does"}
"""What holds of one can come to hold of the other."""


def restricted(rules: Sequence[Rule]) -> list[Rule]:
    """The rules that are needed, restricted to the argument values that are asked for."""
    return _Demand(rules).rules()


def inlined(rules: Sequence[Rule]) -> list[Rule]:
    """The rules, with some relations inlined where they are used.

    These are relations too large to list, and those that compare their arguments by what these
    have in common, such as pieces of one color: rules that do so themselves can be split further.
    Such a relation has a single rule, is never negated, and is not recursive.
    """
    current = list(rules)
    fresh = itertools.count()
    while True:
        chosen = _to_inline(current)
        if chosen is None:
            return current
        current = [_with_body(rule, chosen, fresh) for rule in current if rule is not chosen]


def _to_inline(rules: Sequence[Rule]) -> Rule | None:
    """A rule that is better inlined; ``None``: there is none."""
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
    """Whether no condition relates two arguments of the head directly."""
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
    """The most variables of a part of a rule when it is split."""
    pieces = split(rule, itertools.count())
    return max(
        len({v for item in (piece.head, *piece.body) for v in variables(item)}) for piece in pieces
    )


def _with_body(rule: Rule, inner: Rule, fresh: Iterator[int]) -> Rule:
    """A rule with another one inlined wherever it uses that rule's head."""
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
    """The constants and variables of a sentence with their argument paths."""
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
    def __init__(self, rules: Sequence[Rule]) -> None:
        self.given = rules
        self.derived: dict[Place, set[str] | None] = {}
        """The constants that rules can derive at a place; ``None``: other terms as well."""
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
        """The constants that rules can derive at a place; ``None``: any term."""
        for end in range(3, len(place), 3):
            if self.derived.get(place[:end], ()) is None:
                return None
        if place in self.compound:
            return None
        constants = self.derived.get(place, ())
        return None if constants is None else frozenset(constants)

    def _bindings(self, rule: Rule) -> dict[Variable, Values] | None:
        """The possible values of a rule's variables; ``None``: it never holds."""
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

    # -- what is asked -----------------------------------------------------------------------

    def _restriction(self, rule: Rule) -> dict[Variable, Values] | None:
        """The variable values for which a rule is needed; ``None``: it is not."""
        bindings = self._bindings(rule)
        if bindings is None or _is_keyword(rule.head):
            return bindings
        if (rule.head.name, len(rule.head.arguments)) not in self.wanted:
            return None
        for variable, values in self._head(rule):
            bindings[variable] = _both(bindings.get(variable), values)
        return bindings if frozenset() not in bindings.values() else None

    def _head(self, rule: Rule) -> Iterator[tuple[Variable, Values]]:
        """The variables of a head with the values that are asked for."""
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
        """An upper bound for the rows of a relation that are asked for."""
        size = 1
        for i in range(relation[1]):
            asked = self.asked.get((*relation, i), ())
            values = _both(
                self._values((*relation, i)), None if asked is None else frozenset(asked)
            )
            size *= _UNKNOWN if values is None else len(values)
        return size

    def rules(self) -> list[Rule]:
        """The needed rules, with the conditions that restrict them and the facts behind these."""
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
    """Adds values to a place; returns whether any was new."""
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

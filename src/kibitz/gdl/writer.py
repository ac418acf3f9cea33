"""Writes rules in KIF or in the infix notation of the book."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count

from kibitz.gdl.infix import PLAIN
from kibitz.gdl.rules import (
    Compound,
    Condition,
    Description,
    Distinct,
    Or,
    Rule,
    Sentence,
    Term,
    Variable,
    kif,
    variables,
)

Spelling = Mapping[str, str]


def to_kif(description: Description) -> str:
    """All rules in KIF."""
    return _written(description, kif_rule)


def to_infix(description: Description) -> str:
    """All rules in infix notation."""
    return _written(description, infix_rule)


def _written(description: Description, write: Callable[[Rule, Spelling], str]) -> str:
    """Joins the texts of rules, with an empty line except between facts of one relation."""
    lines: list[str] = []
    before: str | None = None
    for rule in description.rules:
        group = None if rule.body else rule.head.name
        if lines and (group is None or group != before):
            lines.append("")
        lines.append(write(rule, description.spelling))
        before = group
    return "\n".join(lines) + "\n" if lines else ""


# --- KIF ------------------------------------------------------------------------------------


def kif_rule(rule: Rule, spelling: Spelling) -> str:
    """A rule or fact in KIF, one condition per line."""
    head = kif(rule.head, spelling)
    if not rule.body:
        # in parentheses even without arguments: a text that begins with a name is infix
        return head if rule.head.arguments else f"({head})"
    return "\n    ".join([f"(<= {head}", *(kif_condition(c, spelling) for c in rule.body)]) + ")"


def kif_condition(condition: Condition, spelling: Spelling) -> str:
    """A condition in KIF."""
    if isinstance(condition, Or):
        alternatives = [
            kif_condition(alternative[0], spelling)
            if len(alternative) == 1
            else f"({' '.join(['and', *(kif_condition(c, spelling) for c in alternative)])})"
            for alternative in condition.parts
        ]
        return f"(or {' '.join(alternatives)})"
    if isinstance(condition, Distinct):
        text = f"(distinct {kif(condition.left, spelling)} {kif(condition.right, spelling)})"
    else:
        text = kif(condition.sentence, spelling)
    return f"(not {text})" if condition.negated else text


# --- infix ----------------------------------------------------------------------------------


def infix(item: Term | Sentence, spelling: Spelling | None = None) -> str:
    """A term or sentence in infix notation, ``cell(1,1,b)``."""
    return _infix(item, spelling or {}, {})


def infix_rule(rule: Rule, spelling: Spelling) -> str:
    """A rule or fact in infix notation, one condition per line."""
    names = _variable_names(rule)
    head = _infix(rule.head, spelling, names)
    if not rule.body:
        return head
    body = " &\n  ".join(_condition(c, spelling, names) for c in rule.body)
    return f"{head} :-\n  {body}"


def _condition(condition: Condition, spelling: Spelling, names: Mapping[str, str]) -> str:
    if isinstance(condition, Or):
        alternatives = [
            " & ".join(_condition(c, spelling, names) for c in alternative) or "and()"
            for alternative in condition.parts
        ]
        # an `or` of one part stays an `or`
        return (
            f"({' | '.join(alternatives)})"
            if len(alternatives) > 1
            else f"or(({alternatives[0]}))"
        )
    if isinstance(condition, Distinct):
        left, right = (_infix(t, spelling, names) for t in (condition.left, condition.right))
        text = f"distinct({left},{right})"
    else:
        text = _infix(condition.sentence, spelling, names)
    return f"~{text}" if condition.negated else text


def _infix(item: Term | Sentence, spelling: Spelling, names: Mapping[str, str]) -> str:
    match item:
        case str():
            return _atom(spelling.get(item, item))
        case Variable():
            return names.get(item.name) or item.name.capitalize()
        case Compound() | Sentence():
            name = _atom(spelling.get(item.name, item.name))
            if not item.arguments:
                return name
            return f"{name}({','.join(_infix(a, spelling, names) for a in item.arguments)})"


def _atom(text: str) -> str:
    """A name, in quotation marks if it would otherwise be read as something else."""
    if PLAIN.fullmatch(text):
        return text
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _variable_names(rule: Rule) -> dict[str, str]:
    """Infix names for a rule's variables: capitalised and unique."""
    used = list(dict.fromkeys(v.name for v in _all_variables(rule)))
    names = {name: name.capitalize() for name in used if PLAIN.fullmatch(name) and name[0] > "9"}
    fresh = (f"V{number}" for number in count(1))
    for name in used:
        if name not in names:
            names[name] = next(new for new in fresh if new.lower() not in used)
    return names


def _all_variables(rule: Rule) -> Iterator[Variable]:
    yield from variables(rule.head)
    for condition in rule.body:
        yield from variables(condition)


__all__ = [
    "infix",
    "infix_rule",
    "kif_condition",
    "kif_rule",
    "to_infix",
    "to_kif",
]

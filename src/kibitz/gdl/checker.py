"""The static checks of ``kibitz check`` for rules in GDL: errors and probable mistakes.

The conditions are those of M. Genesereth, M. Thielscher, "General Game Playing", 2014, and of
N. Love et al., "General Game Playing: Game Description Language Specification", 2008: safety,
stratification, the restriction of recursion, and where the keywords may stand.
"""

from __future__ import annotations

import difflib
import functools
import itertools
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from kibitz.core.wording import MOST_QUOTED, counted, printable
from kibitz.gdl import infix
from kibitz.gdl.graphs import components
from kibitz.gdl.reader import LEXICON, STRUCTURE, parse
from kibitz.gdl.rules import (
    GOAL_RANGE,
    KEYWORDS,
    LARGEST_GOAL,
    MOST_ROLES,
    RANDOM,
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
    kif,
    literals,
    variables,
    whole_number,
)
from kibitz.gdl.splitting import MOST_ALTERNATIVES
from kibitz.syntax.collecting import Diagnostics
from kibitz.syntax.sexpr import tokenize
from kibitz.syntax.source import Diagnostic, Source, SourceError, Span

_MOST_NAMES = 400
"""The most names with which a misspelt name is compared."""

_NEEDED = {
    "role": "who plays: (role white)",
    "legal": "what may be done: (<= (legal ?r noop) ...)",
    "terminal": "when the game is over: (<= terminal ...)",
    "goal": "what a result is worth: (<= (goal ?r 100) ...)",
}
_EXPECTED = {
    "init": "what is true at the start: (init (cell 1 1 b))",
    "next": "what is true after a step: (<= (next (cell 1 1 x)) ...)",
}

_SCALE_GOALS = "The specification has goals from 0 to 100: scale them."

_OPTIONAL = frozenset({"base", "input", "sees", "percept"})
"""Keywords that are not in the first version of GDL.

Older rules may use these names for relations of their own, so a wrong arity is only a warning.
"""

_ANY_ROLE = frozenset({"legal", "goal", "sees"})
"""Keywords whose first argument is a role, and which are evaluated for every role."""

_LONGEST_PATH = 20
"""The most dependencies of a path that the notes of a diagnostic list."""

_MOST_PAIRS = 2_000_000
"""The most pairs of a condition and a head that stratification of single rules may compare."""

Signature = tuple[str, int]
"""A relation or function, as its name and its number of arguments."""


def playable(source: Source) -> Description:
    """Reads rules for play and raises an error if they cannot be played.

    A rule such as ``(<= (legal ?r noop) (not (true (control ?r))))``, in which no condition binds
    the role, is taken to be about every role.

    Raises:
        SourceError: the text has errors, those that ``diagnose`` reports.
    """
    rules, problems = parse(source)
    if rules is not None:
        checker = _Checker(rules)
        checker.check_errors()
        problems = [*problems, *checker.diagnostics]
    errors = [problem for problem in problems if problem.is_error]
    if rules is None or errors:
        raise SourceError(source, sorted(errors, key=lambda error: error.span))
    return replace(rules, rules=tuple(map(_about_every_role, rules.rules)))


def diagnose(source: Source) -> list[Diagnostic]:
    """Returns the errors and warnings that need no play, in the order of the text."""
    description, problems = parse(source)
    if description is not None:
        problems = problems + check(description)
    return silenced(sorted(problems, key=lambda problem: problem.span), source)


def check(description: Description) -> list[Diagnostic]:
    """Returns the errors and warnings of rules that could be parsed."""
    checker = _Checker(description)
    checker.check()
    return checker.diagnostics


class Use(NamedTuple):
    """A condition that uses a relation: its place in the text and whether it is negated."""

    span: Span
    negated: bool = False


class _Checker(Diagnostics):
    def __init__(self, description: Description) -> None:
        super().__init__()
        self.description = description
        self.rules = description.rules
        self.heads: dict[Signature, list[Rule]] = defaultdict(list)
        self.uses: dict[Signature, list[Use]] = defaultdict(list)
        for rule in self.rules:
            self.heads[_signature(rule.head)].append(rule)
            for literal in literals(rule.body):
                self.uses[_signature(literal.sentence)].append(Use(literal.span, literal.negated))
        self.component = self._components()
        self.pairs = 0

    def check(self) -> None:
        """Runs all checks, those for errors first."""
        self.check_errors()
        for rule in self.rules:
            self.recursion(rule)
            self.roles(rule)
            self.comparisons(rule)
        self.arities()
        self.relations()
        self.facts("true", ("init", "next"), 0, "fact")
        self.facts("does", ("legal",), 1, "move")
        self.duplicates()
        self.spelling()

    def check_errors(self) -> None:
        """Runs the checks whose errors prevent play."""
        self.missing()
        self.seats()
        for rule in self.rules:
            self.placement(rule)
            self.safety(rule)
            self.goals(rule)
            self.alternatives(rule)
        self.stratification()
        self.contexts()

    # -- spelling ----------------------------------------------------------------------------

    def write(self, item: Term | Sentence) -> str:
        return kif(item, self.description.spelling)

    def spelled(self, name: str) -> str:
        return self.description.spelling.get(name, name)

    # -- keywords ------------------------------------------------------------------------------

    def missing(self) -> None:
        """Reports keywords that every game must define and this game does not."""
        defined = {name for name, _ in self.heads}
        for name, purpose in _NEEDED.items():
            if name not in defined:
                self.error("missing", Span(0, 0), f"No rule says `{name}`: {purpose}.")
        for name, purpose in _EXPECTED.items():
            if name not in defined:
                self.warn("missing", Span(0, 0), f"No rule says `{name}`: {purpose}.")

    def seats(self) -> None:
        """Reports roles that are not constants, too many roles, and games without players."""
        for rule in self.heads["role", 1]:
            if isinstance(rule.head.arguments[0], Compound):
                self.error(
                    "bad-role",
                    rule.head_span,
                    f"A role is a constant, and {self.write(rule.head.arguments[0])} is none.",
                    "Give it a name: (role white).",
                )
        roles = self.description.roles
        if roles == (RANDOM,):
            self.error(
                "nobody-plays",
                self.heads["role", 1][0].head_span,
                f"The only role is `{RANDOM}`, which stands for chance: nobody plays.",
                "Add a role for each player: (role white).",
            )
        if len(roles) > MOST_ROLES:
            extra = roles[MOST_ROLES]
            self.error(
                "too-many-roles",
                next(r.head_span for r in self.heads["role", 1] if r.head.arguments == (extra,)),
                f"These are {len(roles):,} roles, and a game has at most {MOST_ROLES}.",
                "Let one role move for several.",
            )

    def placement(self, rule: Rule) -> None:
        """Reports keywords in places where they have no meaning."""
        head = rule.head
        self.keyword_arity(head, rule.head_span)
        if head.name in ("true", "does"):
            self.error(
                "misplaced-word",
                rule.head_span,
                f"`{head.name}` is given by the state and the moves; no rule can say it.",
                "Is `init` or `next` meant?" if head.name == "true" else "Is `legal` meant?",
            )
        if head.name == "role" and rule.body:
            self.error(
                "misplaced-word",
                rule.head_span,
                "Roles are facts, without conditions: (role white).",
                "Who plays, and in which order, must be clear before anything else is.",
            )
        for literal in literals(rule.body):
            name = literal.sentence.name
            self.keyword_arity(literal.sentence, literal.span)
            if name in ("init", "next"):
                self.warn(
                    "misplaced-word",
                    literal.span,
                    f"`{name}` should only be the head of a rule.",
                    "What holds now is (true ...). Some programs refuse this.",
                )
            elif name in ("base", "input"):
                self.warn(
                    "misplaced-word",
                    literal.span,
                    f"`{name}` declares what is possible; rules should not depend on it.",
                )
            self.terms(literal.sentence, literal.span)
        self.terms(head, rule.head_span)

    def keyword_arity(self, sentence: Sentence, span: Span) -> None:
        name, count = _signature(sentence)
        arity = KEYWORDS.get(name)
        if arity is None or count == arity:
            return
        message = f"`{name}` has {counted(arity, 'argument')}, not {count}."
        if name in _OPTIONAL:
            self.warn(
                "keyword-arity", span, message, "Here it is another relation: take another name."
            )
        else:
            self.error("keyword-arity", span, message)

    def terms(self, sentence: Sentence, span: Span) -> None:
        """Reports keywords that are used as constants or functions."""
        for name in _names(sentence.arguments):
            if name in STRUCTURE or (name in KEYWORDS and KEYWORDS[name] > 0):
                self.warn(
                    "keyword-term",
                    span,
                    f"`{name}` is a word of the language, and here is only a name.",
                    "Is a parenthesis missing before it? Else take another name.",
                )

    # -- variables -----------------------------------------------------------------------------

    def safety(self, rule: Rule) -> None:
        """Reports variables that no positive literal binds where a value is needed."""
        bound = _bound(rule.body)
        if role := _open_role(rule):
            bound.add(role)
            self.warn(
                "unsafe",
                rule.head_span,
                f"No condition gives ?{role.name} a value: the rule is about every role.",
                f"Add the condition (role ?{role.name}): some programs refuse rules without it.",
            )
        self._safe_body(rule, rule.body, {role} if role else set())
        for variable in dict.fromkeys(variables(rule.head)):
            if variable in bound:
                continue
            if not rule.body:
                self.error(
                    "unsafe",
                    rule.head_span,
                    f"A fact has no variables, but here is ?{variable.name}.",
                    "Facts are about constants; a rule, (<= head conditions), may have variables.",
                )
                continue
            self._unsafe(rule, variable, rule.head_span, "the head", rule.body)

    def _safe_body(self, rule: Rule, body: Sequence[Condition], outside: set[Variable]) -> None:
        bound = outside | _bound(body)
        for condition in body:
            if isinstance(condition, Or):
                for alternative in condition.parts:
                    self._safe_body(rule, alternative, bound)
                continue
            if isinstance(condition, Literal) and not condition.negated:
                continue
            where = "`not`" if isinstance(condition, Literal) else "`distinct`"
            for variable in dict.fromkeys(variables(condition)):
                if variable not in bound:
                    self._unsafe(rule, variable, condition.span, where, body)

    def _unsafe(
        self, rule: Rule, variable: Variable, span: Span, where: str, body: Sequence[Condition]
    ) -> None:
        name = variable.name
        others = sorted({v.name for v in _bound(rule.body)} - {name})
        close = difflib.get_close_matches(name, others, n=1, cutoff=0.75)
        missing = [
            (condition.span, f"this `or` gives ?{name} a value in some parts only")
            for condition in body
            if isinstance(condition, Or)
            and any(variable in _bound(alternative) for alternative in condition.parts)
        ]
        if missing:
            hint = f"Every part of the `or` needs a condition with ?{name}."
        elif close:
            hint = f"Is ?{close[0]} meant?"
        else:
            hint = f"Add a condition that says what ?{name} can be, such as (role ?{name})."
        self.error(
            "unsafe",
            span,
            f"No condition gives ?{name} in {where} a value.",
            hint,
            tuple(missing),
        )

    # -- dependencies --------------------------------------------------------------------------

    def _components(self) -> dict[Signature, int]:
        """Returns for each relation the number of its component in the dependency graph."""
        below: dict[Signature, list[Signature]] = {
            relation: list(
                dict.fromkeys(
                    _signature(literal.sentence)
                    for rule in rules
                    for literal in literals(rule.body)
                )
            )
            for relation, rules in self.heads.items()
        }
        numbers = {relation: i for i, relation in enumerate(below)}
        children = [
            [numbers[dependency] for dependency in dependencies if dependency in numbers]
            for dependencies in below.values()
        ]
        relations = list(numbers)
        self.below = below
        component_of: dict[Signature, int] = {}
        for number, group in enumerate(components(range(len(children)), children.__getitem__)):
            for member in group:
                component_of[relations[member]] = number
        return component_of

    def together(self, first: Signature, second: Signature) -> bool:
        """Whether two relations are equal or depend on each other."""
        return first in self.component and self.component[first] == self.component.get(second)

    def stratification(self) -> None:
        """Reports negations within a cycle of relations.

        It is a warning if no cycle remains when single rules are compared by arguments.
        """
        certain: dict[int, int] | None = None
        for number, rule in enumerate(self.rules):
            head = _signature(rule.head)
            for literal in literals(rule.body):
                other = _signature(literal.sentence)
                if not literal.negated or not self.together(head, other):
                    continue
                if self.has_most_errors:
                    return
                if certain is None:
                    certain = self._rule_components()
                name, inner = self.spelled(head[0]), self.spelled(other[0])
                if certain and all(
                    certain[number] != certain[i] for i in self._rules_for(literal.sentence)
                ):
                    self.warn(
                        "unstratified",
                        literal.span,
                        f"{name} depends on {inner} not holding, which depends on {name}; "
                        "only their arguments keep these apart.",
                        "Some programs refuse that.",
                    )
                    continue
                path = self._path(other, head)
                notes = tuple(
                    (self._link(a, b), f"{self.spelled(a[0])} depends on {self.spelled(b[0])}")
                    for a, b in itertools.pairwise(path[:_LONGEST_PATH])
                )
                message = (
                    f"Whether {name} holds depends on its not holding."
                    if head == other
                    else f"{name} depends on {inner} not holding, which depends on {name}."
                )
                self.error(
                    "unstratified",
                    literal.span,
                    message,
                    "What a `not` is about must be settled without the head of the rule.",
                    notes,
                )

    def _rules_for(self, sentence: Sentence) -> Iterator[int]:
        """Yields the numbers of the rules whose head may unify with a sentence."""
        name = _signature(sentence)
        numbers = self._by_shape.get((name, -1, None), [])
        for place, argument in enumerate(sentence.arguments):
            shape = _shape(argument)
            if shape is not None:
                fitting = [
                    *self._by_shape.get((name, place, shape), ()),
                    *self._by_shape.get((name, place, None), ()),
                ]
                numbers = min(numbers, fitting, key=len)
        self.pairs += len(numbers)
        for number in numbers:
            if all(map(_may_be_same, self.rules[number].head.arguments, sentence.arguments)):
                yield number

    @functools.cached_property
    def _by_shape(self) -> dict[tuple[Signature, int, Signature | None], list[int]]:
        """The numbers of rules by relation, argument place and shape of that argument.

        The shape is ``None`` for a variable. Place -1 has all rules of the relation.
        """
        rules: dict[tuple[Signature, int, Signature | None], list[int]] = defaultdict(list)
        for number, rule in enumerate(self.rules):
            name = _signature(rule.head)
            rules[name, -1, None].append(number)
            for place, argument in enumerate(rule.head.arguments):
                rules[name, place, _shape(argument)].append(number)
        return rules

    def _rule_components(self) -> dict[int, int]:
        """Returns for each rule the number of its component among the recursive rules.

        The result is empty if that takes more than ``_MOST_PAIRS`` comparisons.
        """

        def children(number: int) -> list[int]:
            rule = self.rules[number]
            head = _signature(rule.head)
            if self.pairs > _MOST_PAIRS:
                return []
            return [
                below
                for literal in literals(rule.body)
                if self.together(head, _signature(literal.sentence))
                for below in self._rules_for(literal.sentence)
            ]

        groups = list(components(range(len(self.rules)), children))
        if self.pairs > _MOST_PAIRS:
            return {}
        return {member: number for number, group in enumerate(groups) for member in group}

    def _path(self, start: Signature, goal: Signature) -> list[Signature]:
        """Returns a shortest path of dependencies within a cycle."""
        before: dict[Signature, Signature] = {}
        queue = [start]
        for relation in queue:
            if relation == goal:
                break
            for other in self.below.get(relation, ()):
                if other not in before and other != start and self.together(start, other):
                    before[other] = relation
                    queue.append(other)
        path = [goal]
        while path[-1] != start:
            path.append(before[path[-1]])
        return path[::-1]

    def _link(self, head: Signature, below: Signature) -> Span:
        """Returns the place of a condition by which `head` depends directly on `below`."""
        return next(
            literal.span
            for rule in self.heads[head]
            for literal in literals(rule.body)
            if _signature(literal.sentence) == below
        )

    def recursion(self, rule: Rule) -> None:
        """Reports recursive conditions whose terms could grow without end."""
        head = _signature(rule.head)
        for literal, context in _with_context(rule.body, ()):
            if literal.negated or not self.together(head, _signature(literal.sentence)):
                continue
            allowed: set[Term] = set(rule.head.arguments)
            for other in context:
                if (
                    isinstance(other, Literal)
                    and not other.negated
                    and not self.together(head, _signature(other.sentence))
                ):
                    allowed.update(other.sentence.arguments)
            for term in literal.sentence.arguments:
                if term in allowed or not any(True for _ in variables(term)):
                    continue
                self.warn(
                    "recursion",
                    literal.span,
                    f"{self.write(term)} in this recursion could grow without end.",
                    "Each argument must be an argument of the head too, or of a condition that "
                    "does not depend on the head.",
                )

    def contexts(self) -> None:
        """Reports keywords that depend on a keyword not yet defined, such as `init` on `true`."""
        for root, forbidden, why in (
            ("init", ("true", "does", "next"), "there is no state yet"),
            ("base", ("true", "does"), "it holds for all states"),
            ("input", ("true", "does"), "it holds for all states"),
            ("legal", ("does", "next"), "the moves are not made yet"),
            ("goal", ("does", "next"), "it is about a state, not a step"),
            ("terminal", ("does", "next"), "it is about a state, not a step"),
        ):
            report = self.warn if root in _OPTIONAL else self.error
            start = (root, KEYWORDS[root])
            before: dict[Signature, Signature] = {}
            queue = [start]
            for relation in queue:
                for other in self.below.get(relation, ()):
                    if other not in before and other != start:
                        before[other] = relation
                        queue.append(other)
            for name in forbidden:
                target = (name, KEYWORDS[name])
                if target not in before:
                    continue
                path = [target]
                while path[-1] != start:
                    path.append(before[path[-1]])
                path.reverse()
                report(
                    "context",
                    self._link(path[-2], target),
                    f"`{root}` cannot depend on `{name}`: {why}.",
                    notes=tuple(
                        (self._link(a, b), f"{self.spelled(a[0])} depends on {self.spelled(b[0])}")
                        for a, b in itertools.pairwise(path[:-1][:_LONGEST_PATH])
                    ),
                )

    # -- names ---------------------------------------------------------------------------------

    def arities(self) -> None:
        """Reports names that are used with different numbers of arguments."""
        first: dict[str, tuple[int, Span]] = {}
        for rule in self.rules:
            items = [(rule.head, rule.head_span)]
            items += [(literal.sentence, literal.span) for literal in literals(rule.body)]
            for sentence, span in items:
                name, arity = _signature(sentence)
                known, place = first.setdefault(name, (arity, span))
                if known != arity and name not in KEYWORDS:
                    self.warn(
                        "arity",
                        span,
                        f"{self.spelled(name)} has {counted(arity, 'argument')} here, {known} "
                        "elsewhere.",
                        "These are two relations that have nothing to do with each other.",
                        ((place, f"here it has {known}"),),
                    )

    def relations(self) -> None:
        """Reports relations that are used and not defined, or defined and not used."""
        defined = [r for r in self.heads if r[0] not in KEYWORDS]
        names = sorted({self.spelled(name) for name, _ in defined})[:_MOST_NAMES]
        head_names = {name for name, _ in self.heads}
        used_names = {name for name, _ in self.uses}
        for relation, uses in self.uses.items():
            name, arity = relation
            if relation in self.heads or name in KEYWORDS:
                continue
            if name in head_names or name in STRUCTURE:
                continue  # `arities` or the reader reports it
            if self.is_full:
                return
            close = difflib.get_close_matches(self.spelled(name), names, n=1, cutoff=0.7)
            hint = f"Is {close[0]} meant?" if close else "Without a rule or a fact it is false."
            if not close and any(
                name in _names(rule.head.arguments[:1])
                for rule in self.rules
                if rule.head.name in ("init", "next")
            ):
                hint = f"What holds in the state is asked as (true ({self.spelled(name)} ...))."
            self.warn(
                "undefined", uses[0].span, f"No rule says {self.spelled(name)}/{arity}.", hint
            )
        for relation in defined:
            if relation[0] not in used_names:
                rule = self.heads[relation][0]
                self.warn(
                    "unused",
                    rule.head_span,
                    f"Nothing asks for {self.spelled(relation[0])}/{relation[1]}.",
                )

    def facts(self, keyword: str, heads: tuple[str, ...], place: int, kind: str) -> None:
        """Reports facts or moves that are read and never derived, and facts that are never read.

        Args:
            keyword: the relation that reads them, ``true`` or ``does``.
            heads: the relations that derive them.
            place: the number of the argument that is the fact or the move.
            kind: the word for them in diagnostics.
        """
        made: dict[Signature, Span] = {}
        read: dict[Signature, Span] = {}
        open_ended = all_read = False
        for rule in self.rules:
            if rule.head.name in heads and len(rule.head.arguments) > place:
                shape = _shape(rule.head.arguments[place])
                if shape is None:
                    open_ended = True
                else:
                    made.setdefault(shape, rule.head_span)
            for literal in literals(rule.body):
                sentence = literal.sentence
                if sentence.name == keyword and len(sentence.arguments) > place:
                    shape = _shape(sentence.arguments[place])
                    if shape is None:
                        all_read = True
                    else:
                        read.setdefault(shape, literal.span)
        names = sorted({self.spelled(name) for name, _ in made})[:_MOST_NAMES]
        for shape, span in read.items():
            if shape in made or open_ended or self.is_full:
                continue
            name, arity = self.spelled(shape[0]), shape[1]
            other = [a for n, a in made if n == shape[0]]
            close = difflib.get_close_matches(name, names, n=1, cutoff=0.7)
            hint = f"Is {close[0]} meant?" if close else ""
            if other:
                hint = f"Elsewhere it has {counted(other[0], 'argument')}."
            words = " and ".join(f"`{word}`" for word in heads)
            self.warn(
                f"undefined-{kind}",
                span,
                f"The {kind} {name}/{arity} never comes up in {words}.",
                hint,
            )
        if kind == "fact" and not all_read:
            for shape, span in made.items():
                if shape not in read:
                    name = self.spelled(shape[0])
                    self.warn(
                        "unused-fact", span, f"Nothing asks whether {name}/{shape[1]} is true."
                    )

    # -- values --------------------------------------------------------------------------------

    def goals(self, rule: Rule) -> None:
        """Reports goal values that are not numbers from 0 to 100."""
        items = [(rule.head, rule.head_span)]
        items += [(literal.sentence, literal.span) for literal in literals(rule.body)]
        for sentence, span in items:
            if sentence.name != "goal" or len(sentence.arguments) != 2:
                continue
            value = sentence.arguments[1]
            if isinstance(value, Variable):
                continue
            number = whole_number(value)
            shown = printable(self.write(value), MOST_QUOTED)
            if number is None:
                self.error("goal-value", span, f"A goal is a number from 0 to 100, not {shown}.")
            elif abs(number) > LARGEST_GOAL:
                self.error(
                    "goal-value", span, f"{shown} is out of range: {GOAL_RANGE}.", _SCALE_GOALS
                )
            elif not 0 <= number <= 100:
                self.warn(
                    "goal-value", span, f"Goals go from 0 to 100; {shown} is outside of that."
                )

    def roles(self, rule: Rule) -> None:
        """Reports roles that are used and not declared."""
        items = [(rule.head, rule.head_span)]
        items += [(literal.sentence, literal.span) for literal in literals(rule.body)]
        known = self.description.roles
        for sentence, span in items:
            if sentence.name not in ("legal", "does", "goal", "input", "sees", "role"):
                continue
            if not known or not sentence.arguments:
                continue
            role = sentence.arguments[0]
            if sentence is rule.head and sentence.name == "role":
                continue
            if isinstance(role, Compound) or (isinstance(role, str) and role not in known):
                names = [self.spelled(name) for name in known]
                close = difflib.get_close_matches(self.write(role), names, n=1, cutoff=0.6)
                self.warn(
                    "unknown-role",
                    span,
                    f"There is no role {self.write(role)}.",
                    f"Is {close[0]} meant?" if close else f"Roles are {', '.join(names)}.",
                )

    def comparisons(self, rule: Rule) -> None:
        """Reports each `distinct` that always holds or never holds."""
        for condition in _flat(rule.body):
            if not isinstance(condition, Distinct):
                continue
            same = condition.left == condition.right
            ground = not any(True for _ in variables(condition))
            if same or ground:
                outcome = "never" if same != condition.negated else "always"
                self.warn(
                    "certain",
                    condition.span,
                    f"This `distinct` {outcome} holds.",
                    "The rule can never apply." if outcome == "never" else "It can be left out.",
                )

    def alternatives(self, rule: Rule) -> None:
        """Reports rules whose disjunctions expand to too many rules without `or`."""
        if _alternatives(rule.body) > MOST_ALTERNATIVES:
            self.error(
                "too-many-alternatives",
                rule.head_span,
                f"The `or` of this rule make more than {MOST_ALTERNATIVES} alternatives.",
                "Define a relation for each `or`, and ask for these.",
            )

    def duplicates(self) -> None:
        """Reports duplicate rules."""
        first: dict[Rule, Rule] = {}
        for rule in self.rules:
            known = first.setdefault(rule, rule)
            if known is not rule:
                self.warn(
                    "duplicate",
                    rule.head_span,
                    "The same rule stands here for a second time.",
                    notes=((known.head_span, "here for the first time"),),
                )

    def spelling(self) -> None:
        """Reports names that differ only in upper and lower case."""
        source = self.description.source
        reported: set[str] = set()
        if infix.is_infix(source):
            return
        for token in tokenize(source, LEXICON):
            folded = token.text.lower()
            spelt = self.description.spelling.get(folded, token.text)
            if token.text != spelt and token.text not in reported and folded not in KEYWORDS:
                reported.add(token.text)
                self.warn(
                    "case",
                    token.span,
                    f"{token.text} and {spelt} differ in capitals only, and are the same here.",
                    "Other programs may take them for two names.",
                )


# --- properties of rules ----------------------------------------------------------------------


def _open_role(rule: Rule) -> Variable | None:
    """Returns the role variable of a rule for ``_ANY_ROLE`` if no condition binds it."""
    head = rule.head
    if head.name not in _ANY_ROLE or not head.arguments or not rule.body:
        return None
    role = head.arguments[0]
    return role if isinstance(role, Variable) and role not in _bound(rule.body) else None


def _about_every_role(rule: Rule) -> Rule:
    """Adds a condition ``(role ?r)`` to a rule whose role variable is not bound."""
    role = _open_role(rule)
    if role is None:
        return rule
    return replace(rule, body=(Literal(Sentence("role", (role,)), False, rule.span), *rule.body))


def _signature(sentence: Sentence) -> Signature:
    return sentence.name, len(sentence.arguments)


def _shape(term: Term) -> Signature | None:
    """Returns the name and arity of a term; ``None`` for a variable."""
    if isinstance(term, Variable):
        return None
    return (term, 0) if isinstance(term, str) else (term.name, len(term.arguments))


def _may_be_same(first: Term, second: Term) -> bool:
    """Whether two terms may unify; repeated variables are not compared."""
    if isinstance(first, Variable) or isinstance(second, Variable):
        return True
    if isinstance(first, Compound) and isinstance(second, Compound):
        same = _shape(first) == _shape(second)
        return same and all(map(_may_be_same, first.arguments, second.arguments))
    return first == second


def _names(terms: Iterable[Term]) -> Iterator[str]:
    """Yields the names of the constants and functions in terms."""
    for term in terms:
        if isinstance(term, str):
            yield term
        elif isinstance(term, Compound):
            yield term.name
            yield from _names(term.arguments)


def _bound(body: Sequence[Condition]) -> set[Variable]:
    """Returns the variables that a body binds whichever part of an ``or`` holds."""
    bound: set[Variable] = set()
    for condition in body:
        if isinstance(condition, Literal) and not condition.negated:
            bound.update(variables(condition))
        elif isinstance(condition, Or) and condition.parts:
            bound |= set.intersection(*(_bound(alternative) for alternative in condition.parts))
    return bound


def _flat(body: Sequence[Condition]) -> Iterator[Condition]:
    """Yields all conditions, including those inside an ``or``."""
    for condition in body:
        yield condition
        if isinstance(condition, Or):
            for alternative in condition.parts:
                yield from _flat(alternative)


def _with_context(
    body: Sequence[Condition], outside: tuple[Condition, ...]
) -> Iterator[tuple[Literal, tuple[Condition, ...]]]:
    """Yields each literal with all conditions that must hold together with it."""
    around = (*outside, *body)
    for condition in body:
        if isinstance(condition, Literal):
            yield condition, around
        elif isinstance(condition, Or):
            for alternative in condition.parts:
                yield from _with_context(alternative, around)


def _alternatives(body: Sequence[Condition]) -> int:
    """Returns the number of bodies without ``or`` that a body expands to."""
    return math.prod(
        sum(map(_alternatives, condition.parts)) if isinstance(condition, Or) else 1
        for condition in body
    )


# --- comments that silence ------------------------------------------------------------------

_COMMENT = re.compile(r"[;%][;% \t]*ok:(?P<codes>[^\r\n]*)")
_CODE = re.compile(r"[a-z]+(?:-[a-z]+)*")


def silenced(diagnostics: Sequence[Diagnostic], source: Source) -> list[Diagnostic]:
    """Removes the warnings that a comment ``; ok: CODE`` silences.

    A comment applies to its own line or, if it is alone on a line, to the next line.
    """
    if "ok:" not in source.text:
        return list(diagnostics)
    allowed: dict[int, set[str]] = defaultdict(set)
    last, _ = source.position(len(source.text))
    for number in range(1, last + 1):
        comment = _COMMENT.search(source.line(number))
        if comment:
            alone = not source.line(number)[: comment.start()].strip()
            allowed[number + alone].update(_CODE.findall(comment["codes"]))

    def is_wanted(diagnostic: Diagnostic) -> bool:
        lines = (
            source.position(diagnostic.span.start)[0],
            source.position(diagnostic.span.end - 1)[0],
        )
        return diagnostic.is_error or not any(
            diagnostic.code in allowed.get(line, ()) for line in lines
        )

    return list(filter(is_wanted, diagnostics))

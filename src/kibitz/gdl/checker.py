"""Static checks of ``kibitz check``: errors and probable mistakes.

The conditions are those of M. Genesereth, M. Thielscher, "General Game Playing", 2014, and of
N. Love et al., "General Game Playing: Game Description Language Specification", 2008: safety,
stratification, the restriction of recursion, and where the words of the language may stand.
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
"""With so many names a misspelt one is compared."""

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
"""Words that came later: with other numbers of arguments they are relations of an older sheet."""

_ANY_ROLE = frozenset({"legal", "goal", "sees"})
"""Relations that are asked for each role."""

_LONGEST_PATH = 20
"""Relations of a chain of dependencies that notes name."""

_MOST_PAIRS = 2_000_000
"""Pairs of a condition and a head that are compared to separate rules by their arguments."""

Relation = tuple[str, int]
"""A name and a number of arguments."""


def playable(source: Source) -> Description:
    """Reads rules that can be played: every game in GDL begins here.

    A rule about a role, such as ``(<= (legal ?r noop) (not (true (control ?r))))``, that does not
    say who that may be is about every role.

    Raises:
        SourceError: the text has errors, the same as ``diagnose`` reports.
    """
    rules, problems = parse(source)
    if rules is not None:
        checker = _Checker(rules)
        checker.check_errors()
        problems = [*problems, *checker.diagnostics]
    errors = [problem for problem in problems if problem.is_error]
    if rules is None or errors:
        raise SourceError(source, sorted(errors, key=lambda one: one.span))
    return replace(rules, rules=tuple(map(_about_every_role, rules.rules)))


def diagnose(source: Source) -> list[Diagnostic]:
    """The errors and warnings of a text that need no play, in the order of the text."""
    found, problems = parse(source)
    if found is not None:
        problems = problems + check(found)
    return silenced(sorted(problems, key=lambda one: one.span), source)


def check(description: Description) -> list[Diagnostic]:
    """The diagnostics of rules that could be read."""
    checker = _Checker(description)
    checker.check()
    return checker.diagnostics


class Use(NamedTuple):
    """A place where a relation or name is used."""

    span: Span
    negated: bool = False


class _Checker(Diagnostics):
    def __init__(self, description: Description) -> None:
        super().__init__()
        self.description = description
        self.rules = description.rules
        self.heads: dict[Relation, list[Rule]] = defaultdict(list)
        self.uses: dict[Relation, list[Use]] = defaultdict(list)
        for rule in self.rules:
            self.heads[_relation(rule.head)].append(rule)
            for literal in literals(rule.body):
                self.uses[_relation(literal.sentence)].append(Use(literal.span, literal.negated))
        self.component = self._components()
        self.pairs = 0

    def check(self) -> None:
        """Runs all checks, errors first; consequences of an error are not reported again."""
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
        """Runs the checks that find errors."""
        self.missing()
        self.seats()
        for rule in self.rules:
            self.placement(rule)
            self.safety(rule)
            self.goals(rule)
            self.alternatives(rule)
        self.stratification()
        self.contexts()

    # -- words -------------------------------------------------------------------------------

    def write(self, item: Term | Sentence) -> str:
        return kif(item, self.description.spelling)

    def spelled(self, name: str) -> str:
        return self.description.spelling.get(name, name)

    # -- the words of the language -------------------------------------------------------------

    def missing(self) -> None:
        """Reports relations that every game needs and this one lacks."""
        defined = {name for name, _ in self.heads}
        for name, what in _NEEDED.items():
            if name not in defined:
                self.error("missing", Span(0, 0), f"No rule says `{name}`: {what}.")
        for name, what in _EXPECTED.items():
            if name not in defined:
                self.warn("missing", Span(0, 0), f"No rule says `{name}`: {what}.")

    def seats(self) -> None:
        """Reports roles that are no constants, too many of them, and none that anybody plays."""
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
        name, got = _relation(sentence)
        wanted = KEYWORDS.get(name)
        if wanted is None or got == wanted:
            return
        message = f"`{name}` has {counted(wanted, 'argument')}, not {got}."
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
        """Reports unsafe variables: those that no positive condition binds."""
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
                for part in condition.parts:
                    self._safe_body(rule, part, bound)
                continue
            if isinstance(condition, Literal) and not condition.negated:
                continue
            what = "`not`" if isinstance(condition, Literal) else "`distinct`"
            for variable in dict.fromkeys(variables(condition)):
                if variable not in bound:
                    self._unsafe(rule, variable, condition.span, what, body)

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
            and any(variable in _bound(part) for part in condition.parts)
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

    def _components(self) -> dict[Relation, int]:
        """The strongly connected components of the dependency graph of relations."""
        below: dict[Relation, list[Relation]] = {
            relation: list(
                dict.fromkeys(
                    _relation(literal.sentence)
                    for rule in rules
                    for literal in literals(rule.body)
                )
            )
            for relation, rules in self.heads.items()
        }
        numbers = {relation: i for i, relation in enumerate(below)}
        children = [[numbers[one] for one in ones if one in numbers] for ones in below.values()]
        relations = list(numbers)
        self.below = below
        found: dict[Relation, int] = {}
        for number, group in enumerate(components(range(len(children)), children.__getitem__)):
            for member in group:
                found[relations[member]] = number
        return found

    def together(self, one: Relation, other: Relation) -> bool:
        """Whether two relations are in a cycle, or are the same one."""
        return one in self.component and self.component[one] == self.component.get(other)

    def stratification(self) -> None:
        """Reports negations within a cycle of relations."""
        certain: dict[int, int] | None = None
        for number, rule in enumerate(self.rules):
            head = _relation(rule.head)
            for literal in literals(rule.body):
                other = _relation(literal.sentence)
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
        """The numbers of the rules whose head may unify with a sentence."""
        name = _relation(sentence)
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
    def _by_shape(self) -> dict[tuple[Relation, int, Relation | None], list[int]]:
        """The rules of each relation; and by the shape of each argument, ``None`` if variable."""
        rules: dict[tuple[Relation, int, Relation | None], list[int]] = defaultdict(list)
        for number, rule in enumerate(self.rules):
            name = _relation(rule.head)
            rules[name, -1, None].append(number)
            for place, argument in enumerate(rule.head.arguments):
                rules[name, place, _shape(argument)].append(number)
        return rules

    def _rule_components(self) -> dict[int, int]:
        """The strongly connected components of single rules; empty if these take too long."""

        def children(number: int) -> list[int]:
            rule = self.rules[number]
            head = _relation(rule.head)
            if self.pairs > _MOST_PAIRS:
                return []
            return [
                below
                for literal in literals(rule.body)
                if self.together(head, _relation(literal.sentence))
                for below in self._rules_for(literal.sentence)
            ]

        groups = list(components(range(len(self.rules)), children))
        if self.pairs > _MOST_PAIRS:
            return {}
        return {member: number for number, group in enumerate(groups) for member in group}

    def _path(self, start: Relation, goal: Relation) -> list[Relation]:
        """A shortest path of dependencies within a cycle."""
        before: dict[Relation, Relation] = {}
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

    def _link(self, head: Relation, below: Relation) -> Span:
        """The condition through which one relation depends on the other."""
        return next(
            literal.span
            for rule in self.heads[head]
            for literal in literals(rule.body)
            if _relation(literal.sentence) == below
        )

    def recursion(self, rule: Rule) -> None:
        """Reports recursions whose terms could grow without end."""
        head = _relation(rule.head)
        for literal, context in _with_context(rule.body, ()):
            if literal.negated or not self.together(head, _relation(literal.sentence)):
                continue
            allowed: set[Term] = set(rule.head.arguments)
            for other in context:
                if (
                    isinstance(other, Literal)
                    and not other.negated
                    and not self.together(head, _relation(other.sentence))
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
        """Reports `true` and `does` where they have no value, as in what `init` depends on."""
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
            before: dict[Relation, Relation] = {}
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
                name, arity = _relation(sentence)
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
        """Reports relations without rules, and rules that nothing uses."""
        defined = [r for r in self.heads if r[0] not in KEYWORDS]
        names = sorted({self.spelled(name) for name, _ in defined})[:_MOST_NAMES]
        head_names = {name for name, _ in self.heads}
        used_names = {name for name, _ in self.uses}
        for relation, uses in self.uses.items():
            name, arity = relation
            if relation in self.heads or name in KEYWORDS:
                continue
            if name in head_names or name in STRUCTURE:
                continue  # told as a matter of arguments, or while reading
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

    def facts(self, asked: str, said: tuple[str, ...], place: int, what: str) -> None:
        """Reports facts and moves that are asked for and never arise, and the other way round."""
        made: dict[Relation, Span] = {}
        read: dict[Relation, Span] = {}
        open_ended = all_read = False
        for rule in self.rules:
            if rule.head.name in said and len(rule.head.arguments) > place:
                shape = _shape(rule.head.arguments[place])
                if shape is None:
                    open_ended = True
                else:
                    made.setdefault(shape, rule.head_span)
            for literal in literals(rule.body):
                sentence = literal.sentence
                if sentence.name == asked and len(sentence.arguments) > place:
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
            words = " and ".join(f"`{word}`" for word in said)
            self.warn(
                f"undefined-{what}",
                span,
                f"The {what} {name}/{arity} never comes up in {words}.",
                hint,
            )
        if what == "fact" and not all_read:
            for shape, span in made.items():
                if shape not in read:
                    name = self.spelled(shape[0])
                    self.warn(
                        "unused-fact", span, f"Nothing asks whether {name}/{shape[1]} is true."
                    )

    # -- values --------------------------------------------------------------------------------

    def goals(self, rule: Rule) -> None:
        """Reports goal values that are no numbers from 0 to 100."""
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
        """Reports roles that are mentioned and not declared."""
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
        """Reports each `distinct` that always holds, or never."""
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
        """Reports rules whose `or` expand to too many rules."""
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
        """Reports names that differ only in their capitals."""
        source = self.description.source
        reported: set[str] = set()
        if infix.is_infix(source):
            return
        for token in tokenize(source, LEXICON):
            folded = token.text.lower()
            kept = self.description.spelling.get(folded, token.text)
            if token.text != kept and token.text not in reported and folded not in KEYWORDS:
                reported.add(token.text)
                self.warn(
                    "case",
                    token.span,
                    f"{token.text} and {kept} differ in capitals only, and are the same here.",
                    "Other programs may take them for two names.",
                )


# --- looking at rules -----------------------------------------------------------------------


def _open_role(rule: Rule) -> Variable | None:
    """The variable for a role that no condition binds, in a rule that is asked for each role."""
    head = rule.head
    if head.name not in _ANY_ROLE or not head.arguments or not rule.body:
        return None
    role = head.arguments[0]
    return role if isinstance(role, Variable) and role not in _bound(rule.body) else None


def _about_every_role(rule: Rule) -> Rule:
    """The rule with a condition that binds its variable for a role, where none does."""
    role = _open_role(rule)
    if role is None:
        return rule
    return replace(rule, body=(Literal(Sentence("role", (role,)), False, rule.span), *rule.body))


def _relation(sentence: Sentence) -> Relation:
    return sentence.name, len(sentence.arguments)


def _shape(term: Term) -> Relation | None:
    """The name and size of a term; none for a variable."""
    if isinstance(term, Variable):
        return None
    return (term, 0) if isinstance(term, str) else (term.name, len(term.arguments))


def _may_be_same(one: Term, other: Term) -> bool:
    """Whether two terms may unify; ``True`` if unsure."""
    if isinstance(one, Variable) or isinstance(other, Variable):
        return True
    if isinstance(one, Compound) and isinstance(other, Compound):
        same = _shape(one) == _shape(other)
        return same and all(map(_may_be_same, one.arguments, other.arguments))
    return one == other


def _names(terms: Iterable[Term]) -> Iterator[str]:
    """The constants and functions in terms."""
    for term in terms:
        if isinstance(term, str):
            yield term
        elif isinstance(term, Compound):
            yield term.name
            yield from _names(term.arguments)


def _bound(body: Sequence[Condition]) -> set[Variable]:
    """The variables that a body binds in every alternative of its ``or``."""
    found: set[Variable] = set()
    for condition in body:
        if isinstance(condition, Literal) and not condition.negated:
            found.update(variables(condition))
        elif isinstance(condition, Or) and condition.parts:
            found |= set.intersection(*(_bound(part) for part in condition.parts))
    return found


def _flat(body: Sequence[Condition]) -> Iterator[Condition]:
    """All conditions, including those inside an ``or``."""
    for condition in body:
        yield condition
        if isinstance(condition, Or):
            for part in condition.parts:
                yield from _flat(part)


def _with_context(
    body: Sequence[Condition], outside: tuple[Condition, ...]
) -> Iterator[tuple[Literal, tuple[Condition, ...]]]:
    """Each literal with all conditions that must hold together with it."""
    around = (*outside, *body)
    for condition in body:
        if isinstance(condition, Literal):
            yield condition, around
        elif isinstance(condition, Or):
            for part in condition.parts:
                yield from _with_context(part, around)


def _alternatives(body: Sequence[Condition]) -> int:
    """How many rules without ``or`` a body expands to."""
    return math.prod(
        sum(map(_alternatives, condition.parts)) if isinstance(condition, Or) else 1
        for condition in body
    )


# --- comments that silence ------------------------------------------------------------------

_COMMENT = re.compile(r"[;%][;% \t]*ok:(?P<codes>[^\r\n]*)")
_CODE = re.compile(r"[a-z]+(?:-[a-z]+)*")


def silenced(diagnostics: Sequence[Diagnostic], source: Source) -> list[Diagnostic]:
    """The diagnostics without the warnings that a comment ``; ok: CODE`` silences.

    A comment applies to the rules on its line or, alone on a line, to those on the next one.
    """
    if "ok:" not in source.text:
        return list(diagnostics)
    allowed: dict[int, set[str]] = defaultdict(set)
    last, _ = source.position(len(source.text))
    for number in range(1, last + 1):
        says = _COMMENT.search(source.line(number))
        if says:
            alone = not source.line(number)[: says.start()].strip()
            allowed[number + alone].update(_CODE.findall(says["codes"]))

    def is_wanted(one: Diagnostic) -> bool:
        lines = (source.position(one.span.start)[0], source.position(one.span.end - 1)[0])
        return one.is_error or not any(one.code in allowed.get(line, ()) for line in lines)

    return list(filter(is_wanted, diagnostics))

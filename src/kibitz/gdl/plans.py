"""Query plans: rules compiled for a binding pattern of their relation's arguments.

A *goal* is a relation with a binding pattern (an adornment: F. Bancilhon, D. Maier, Y. Sagiv,
J. Ullman, "Magic sets and other strange ways to implement logic programs", PODS 1986). For each of
its rules there is a *plan*: its conditions in the order of the join, each as an operation on rows.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from kibitz.core.errors import GameDefinitionError
from kibitz.gdl import joins
from kibitz.gdl.graphs import components
from kibitz.gdl.program import FIXED, OF_STATE, OF_STEP, Program, Signature, signature
from kibitz.gdl.rules import (
    Compound,
    Condition,
    Distinct,
    Literal,
    Rule,
    Term,
    Variable,
    variables,
)
from kibitz.gdl.selectivity import Base, Sizes, flat
from kibitz.gdl.terms import Row, Terms

MOST_PATTERNS = 48
"""The number of a relation's goals from which on constants become known arguments."""

MOST_ALTERNATIVES = 512
"""The most rules that expanding ``or`` may turn a rule into, to order its conditions."""


class Mode(enum.Enum):
    """The binding of an argument: known from the question, or wanted as part of the answer."""

    KNOWN = enum.auto()
    WANTED = enum.auto()


Pattern = tuple["Term | Mode", ...]
"""The binding pattern of a goal: for each argument its mode, or the ground term that it equals."""


@dataclass(eq=False)
class FactIndex:
    """An index on facts by their known arguments.

    Attributes:
        base: the relation or function whose rows are indexed.
        level: what the rows depend on: ``FIXED``, ``OF_STATE`` or ``OF_STEP``.
        fixed: pairs of a place and the value that rows must have there.
        asked: the places with the values of a question.
        answered: the places with the values of an answer.
    """

    base: Base
    level: int
    fixed: tuple[tuple[int, int], ...]
    asked: tuple[int, ...]
    answered: tuple[int, ...]

    def holds_in(self, rows: Collection[Row]) -> bool:
        """Whether some of these rows have the fixed values."""
        return any(all(row[place] == value for place, value in self.fixed) for row in rows)

    def table(self, rows: Sequence[Row]) -> joins.AnswerTable:
        """Makes the table of all answers from the rows of the base."""
        for place, value in self.fixed:
            rows = [row for row in rows if row[place] == value]
        table = joins.AnswerTable()
        if self.answered:
            pick = joins.picker((*self.asked, *self.answered))
            table.put(set(map(pick, rows)), len(self.asked))
        else:
            table.update(dict.fromkeys(map(joins.picker(self.asked), rows), joins.YES))
            table.size = len(table)
        return table


@dataclass(eq=False)
class PlanStep:
    """One operation of a plan.

    Attributes:
        source: the index or goal whose answers the operation needs.
        ask: takes the question to the source out of a row.
        apply: the operation, which turns rows and the source's table into rows.
        guards: indexes of facts that later steps need and that the initial state lacks. If one is
            empty the plan has no answers, and the source is not asked.
    """

    source: FactIndex | Goal | None
    ask: joins.Pick | None
    apply: joins.Apply
    guards: tuple[FactIndex, ...] = ()


@dataclass(frozen=True)
class Plan:
    """A rule compiled for a goal.

    Attributes:
        rule: the rule, whose place error messages give.
        steps: the operations; the first one gets the rows of questions.
        finish: turns each row of the last step into a question followed by its answer.
    """

    rule: Rule
    steps: tuple[PlanStep, ...]
    finish: joins.Pick


@dataclass(eq=False)
class Goal:
    """A relation with a binding pattern (an adornment of magic sets).

    Attributes:
        level: what the answers depend on: ``FIXED``, ``OF_STATE`` or ``OF_STEP``.
        asked: the number of values of a question.
        answered: the number of values of an answer.
        plans: the plans of its rules; ``None`` before they are compiled.
        group: the goals that depend on each other, itself included; empty before compilation.
        recursive: whether the goal depends on itself.
    """

    relation: Signature
    pattern: Pattern
    level: int
    plans: list[Plan] | None = None
    group: list[Goal] = field(default_factory=list, repr=False)
    recursive: bool = False

    def __post_init__(self) -> None:
        self.asked = self.pattern.count(Mode.KNOWN)
        self.answered = self.pattern.count(Mode.WANTED)

    def sources(self) -> Iterator[Goal]:
        """Yields the goals that its plans ask."""
        for plan in self.plans or ():
            for step in plan.steps:
                if isinstance(step.source, Goal):
                    yield step.source


class Compiler:
    """Compiles the goals of a program when they are first asked.

    Args:
        sizes: the estimates that the order of conditions depends on.
        known: returns the rows of a relation with rules if they have been computed in full.
        line: returns the place of a rule in the text, for error messages.
    """

    def __init__(
        self,
        program: Program,
        terms: Terms,
        sizes: Sizes,
        known: Callable[[Signature], Sequence[Row] | None],
        line: Callable[[Rule], str],
    ) -> None:
        self.program = program
        self.terms = terms
        self.sizes = sizes
        self.known = known
        self.line = line
        self._goals: dict[tuple[Signature, Pattern], Goal] = {}
        self._indexes: dict[tuple[object, ...], FactIndex] = {}
        self._patterns: dict[Signature, int] = {}

    def goal(self, name: Signature, pattern: Pattern) -> Goal:
        """Returns a goal, compiled with all goals that it depends on."""
        goal = self.find(name, pattern)
        if not goal.group:
            self._compile(goal)
        return goal

    def find(self, name: Signature, pattern: Pattern) -> Goal:
        """Returns a goal, which may not be compiled yet."""
        key = name, pattern
        if key not in self._goals:
            self._patterns[name] = self._patterns.get(name, 0) + 1
            self._goals[key] = Goal(name, pattern, self.program.level.get(name, FIXED))
        return self._goals[key]

    def index(self, index: FactIndex) -> FactIndex:
        """Returns the equal index made before, or else registers and returns this one."""
        key = index.base, index.fixed, index.asked, index.answered
        return self._indexes.setdefault(key, index)

    def crowded(self, name: Signature) -> bool:
        """Whether a relation has ``MOST_PATTERNS`` goals, so that constants become values."""
        return self._patterns.get(name, 0) >= MOST_PATTERNS

    def _compile(self, root: Goal) -> None:
        numbers = {root: 0}
        waiting = [root]
        for goal in waiting:
            if goal.plans is None:
                rules = self.program.rules.get(goal.relation, ())
                goal.plans = [plan for rule in rules for plan in self._plans(goal, rule)]
            for source in goal.sources():
                if source not in numbers and not source.group:
                    numbers[source] = len(waiting)
                    waiting.append(source)

        def children(node: int) -> list[int]:
            return [numbers[source] for source in waiting[node].sources() if source in numbers]

        for nodes in components(range(len(waiting)), children):
            group = [waiting[node] for node in nodes]
            recursive = len(group) > 1 or group[0] in group[0].sources()
            for goal in group:
                goal.group, goal.recursive = group, recursive

    def _plans(self, goal: Goal, rule: Rule) -> Iterator[Plan]:
        values: dict[Variable, Term] = {}
        for argument, known in zip(rule.head.arguments, goal.pattern, strict=True):
            if not isinstance(known, Mode) and not _fits(argument, known, values):
                return
        head = tuple(_with(argument, values) for argument in rule.head.arguments)
        body = tuple(_with_values(condition, values) for condition in rule.body)
        rule = replace(rule, head=replace(rule.head, arguments=head), body=body)
        bodies = [rule]
        for count, alternative in enumerate(bodies):
            plan = _Planning(self, goal, alternative).plan()
            if isinstance(plan, Plan):
                yield plan
            elif count >= MOST_ALTERNATIVES:
                raise GameDefinitionError(
                    f"{self.line(rule)}: the `or` of this rule stand for more than"
                    f" {MOST_ALTERNATIVES} rules; a relation of its own for one of them helps."
                )
            else:
                bodies.extend(plan)


class _Planning:
    """A plan under construction.

    Attributes:
        columns: the variables of the columns of rows after the steps so far.
        asking: the first step that asks a goal; ``None`` before there is one.
        fresh: the number of column names made so far for values without a variable.
    """

    def __init__(self, compiler: Compiler, goal: Goal, rule: Rule) -> None:
        self.compiler = compiler
        self.goal = goal
        self.rule = rule
        self.columns: list[Variable] = []
        self.steps: list[PlanStep] = []
        self.asking: PlanStep | None = None
        self.fresh = 0

    def plan(self) -> Plan | list[Rule]:
        """Returns the plan, or rules with an ``or`` expanded if conditions cannot be ordered."""
        sizes = self.compiler.sizes
        output = self._questions()
        answers = [
            argument
            for argument, known in zip(self.rule.head.arguments, self.goal.pattern, strict=True)
            if known is Mode.WANTED
        ]
        output |= {v for argument in answers for v in variables(argument)}
        remaining = list(self.rule.body)
        while remaining:
            chosen = sizes.next(self.rule, remaining, self.columns)
            if chosen is None:
                return self._written_out(remaining)
            condition = chosen[0]
            remaining.remove(condition)
            needed = output.union(*map(variables, remaining))
            if isinstance(condition, Distinct):
                self._distinct(condition)
            else:
                assert isinstance(condition, Literal)
                self._literal(condition, needed)
        if not all(v in self.columns for argument in answers for v in variables(argument)):
            self._unsafe()
        places = [*range(self.goal.asked), *(self._column(argument) for argument in answers)]
        return Plan(self.rule, tuple(self.steps), joins.picker(places))

    def _unsafe(self) -> None:
        line = self.compiler.line(self.rule)
        raise GameDefinitionError(
            f"{line}: the variables of this rule are not all bound by a condition that must hold."
        )

    def _written_out(self, remaining: Sequence[Condition]) -> list[Rule]:
        """Returns the rules in which one ``or`` is replaced by one of its parts."""
        program = self.compiler.program
        for condition in remaining:
            if isinstance(condition, Literal) and signature(condition.sentence) in program.needed:
                others = [c for c in self.rule.body if c is not condition]
                alternatives = program.rules[signature(condition.sentence)]
                rules = []
                for alternative in alternatives:
                    values: dict[Variable, Term] = dict(
                        zip(alternative.head.arguments, condition.sentence.arguments, strict=True)  # type: ignore[arg-type]
                    )
                    body = [_with_values(c, values) for c in alternative.body]
                    rules.append(replace(self.rule, body=(*others, *body)))
                return rules
        self._unsafe()
        return []

    # -- steps ---------------------------------------------------------------------------------

    def _questions(self) -> set[Variable]:
        """Starts from the rows of questions; returns the columns that are kept to the end."""
        tests = []
        for argument, known in zip(self.rule.head.arguments, self.goal.pattern, strict=True):
            if known is Mode.KNOWN:
                if isinstance(argument, Variable) and argument not in self.columns:
                    self.columns.append(argument)
                else:
                    tests.append((self._new_column(), argument))
        output = set(self.columns)
        for column, term in tests:
            self._match(column, term)
        return output

    def _new_column(self) -> Variable:
        self.fresh += 1
        self.columns.append(Variable(f"value {self.fresh}"))
        return self.columns[-1]

    def _add(self, apply: joins.Apply) -> None:
        self.steps.append(PlanStep(None, None, apply))

    def _column(self, term: Term) -> int:
        """Returns the column of a known term; a term other than a variable gets a new one."""
        if isinstance(term, Variable):
            return self.columns.index(term)
        terms = self.compiler.terms
        if not any(variables(term)):
            self._add(joins.adding((terms.number(term),)))
        else:
            assert isinstance(term, Compound)
            constants = [terms.number(term.name)]
            places: list[int] = []  # counted from the end where it is a constant
            for argument in term.arguments:
                if any(variables(argument)):
                    places.append(self._column(argument))
                else:
                    constants.append(terms.number(argument))
                    places.append(-1)
            width, next_constant = len(self.columns), 1
            at = [width]
            for place in places:
                if place < 0:
                    place, next_constant = width + next_constant, next_constant + 1
                at.append(place)
            self._add(joins.building(tuple(constants), at, terms))
        self._new_column()
        return len(self.columns) - 1

    def _match(self, column: Variable, term: Term) -> None:
        """Selects the rows in which a column matches a term, which binds the term's variables."""
        place = self.columns.index(column)
        terms = self.compiler.terms
        if not any(variables(term)):
            self._add(joins.comparing_with(place, terms.number(term), True))
        elif isinstance(term, Variable):
            self._add(joins.comparing(place, self.columns.index(term), True))
        else:
            assert isinstance(term, Compound)
            count = len(term.arguments)
            self._add(joins.taking_apart(place, terms.number(term.name), count, terms))
            inner: list[tuple[Variable, Term]] = []
            for argument in term.arguments:
                if isinstance(argument, Variable) and argument not in self.columns:
                    self.columns.append(argument)
                else:
                    inner.append((self._new_column(), argument))
            for inner_column, argument in inner:
                self._match(inner_column, argument)

    def _distinct(self, condition: Distinct) -> None:
        left, right, same = condition.left, condition.right, condition.negated
        if not any(variables(left)):
            left, right = right, left
        if not any(variables(left)):
            self._add(joins.all_or_none((left == right) == same))
        elif not any(variables(right)):
            number = self.compiler.terms.number(right)
            self._add(joins.comparing_with(self._column(left), number, same))
        else:
            self._add(joins.comparing(self._column(left), self._column(right), same))

    def _literal(self, literal: Literal, needed: set[Variable]) -> None:
        """Joins the rows with a literal, or filters them if it binds nothing that is needed."""
        base, arguments = flat(literal)
        name = signature(literal.sentence)
        compiler = self.compiler
        compiler.sizes.of(base)
        derived = name in compiler.program.rules and compiler.known(name) is None
        fixed: list[tuple[int, Term]] = []
        asked: list[tuple[int, int]] = []
        answered: list[tuple[int, Variable]] = []
        nested: list[tuple[Variable, Term]] = []
        before = set(self.columns)
        for place, argument in enumerate(arguments):
            if not any(variables(argument)) and not (derived and compiler.crowded(name)):
                fixed.append((place, argument))
            elif before.issuperset(variables(argument)):
                asked.append((place, self._column(argument)))
            elif isinstance(argument, Variable) and argument not in [v for _, v in answered]:
                answered.append((place, argument))
            else:
                self.fresh += 1
                answered.append((place, Variable(f"value {self.fresh}")))
                nested.append((answered[-1][1], argument))
        needed = needed.union(*(set(variables(term)) | {column} for column, term in nested))
        question = [column for _, column in asked]
        source: FactIndex | Goal
        if derived:
            pattern: list[Term | Mode] = [Mode.WANTED] * len(arguments)
            for place, term in fixed:
                pattern[place] = term
            for place, _ in asked:
                pattern[place] = Mode.KNOWN
            source = compiler.find(name, tuple(pattern))
        else:
            level = {"true": OF_STATE, "does": OF_STEP}.get(base[0], FIXED)
            numbers = tuple((place, compiler.terms.number(term)) for place, term in fixed)
            answered = [(place, variable) for place, variable in answered if variable in needed]
            places = tuple(place for place, _ in asked)
            answers = tuple(place for place, _ in answered)
            source = compiler.index(FactIndex(base, level, numbers, places, answers))
            if self.asking is not None and level != FIXED and not literal.negated:
                if not source.holds_in(compiler.sizes.sample(base)):
                    self.asking.guards += (source,)
        columns = self.columns
        if any(variable in needed for _, variable in answered):
            columns = [*columns, *(variable for _, variable in answered)]
        keep = [i for i, column in enumerate(columns) if column in needed]
        all_kept = None if len(keep) == len(columns) else keep
        if len(columns) > len(self.columns):
            apply = joins.join(question, all_kept)
        else:
            apply = joins.having(question, not literal.negated, all_kept)
        self.steps.append(PlanStep(source, joins.picker(question), apply))
        if derived and self.asking is None:
            self.asking = self.steps[-1]
        self.columns = [columns[i] for i in keep]
        for column, term in nested:
            self._match(column, term)


def _fits(pattern: Term, term: Term, values: dict[Variable, Term]) -> bool:
    """Matches a ground term against a pattern, and adds the pattern's variables to `values`."""
    match pattern:
        case Variable():
            return values.setdefault(pattern, term) == term
        case Compound():
            return (
                isinstance(term, Compound)
                and term.name == pattern.name
                and len(term.arguments) == len(pattern.arguments)
                and all(
                    _fits(p, t, values)
                    for p, t in zip(pattern.arguments, term.arguments, strict=True)
                )
            )
    return pattern == term


def _with(term: Term, values: dict[Variable, Term]) -> Term:
    """Returns a term with its variables substituted."""
    match term:
        case Variable():
            return values.get(term, term)
        case Compound():
            return Compound(term.name, tuple(_with(a, values) for a in term.arguments))
    return term


def _with_values(condition: Condition, values: dict[Variable, Term]) -> Condition:
    if not values:
        return condition
    if isinstance(condition, Distinct):
        return replace(
            condition, left=_with(condition.left, values), right=_with(condition.right, values)
        )
    assert isinstance(condition, Literal)
    arguments = tuple(_with(a, values) for a in condition.sentence.arguments)
    return replace(condition, sentence=replace(condition.sentence, arguments=arguments))

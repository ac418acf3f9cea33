"""The prover: goal-directed evaluation of rules in a state, with tables of answers.

Answers are tabled: a question is answered once for each state, or once for all states if its
answers depend on neither state nor moves (H. Tamaki, T. Sato, "OLD resolution with tabulation",
ICLP 1986). The questions of a goal are answered together, as a set of rows (L. Vieille, "Recursive
axioms in deductive databases: the query/subquery approach", EDS 1986). In a recursion a row waits
at the condition that asked a question, and each new answer resumes it, until no answer is new
(W. Chen, D. S. Warren, "Tabled evaluation with delaying for general logic programs", JACM 1996).
The question of a negated literal is answered completely before it is used, which stratified rules
allow. S. Schiffel, Y. Björnsson, "Efficiency of GDL reasoners", IEEE TCIAIG 2014, compares other
provers.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence

from kibitz.core.errors import GameDefinitionError
from kibitz.core.interrupt import StoppedError, StopWord, thread_stop
from kibitz.gdl.joins import AnswerTable, Rows, TooManyRowsError
from kibitz.gdl.limits import CURE, Limits
from kibitz.gdl.plans import Compiler, FactIndex, Goal, Mode, Pattern, Plan, PlanStep
from kibitz.gdl.program import FIXED, OF_STEP, Signature, program
from kibitz.gdl.rules import ENDING, Description, Rule
from kibitz.gdl.selectivity import Base, Sizes
from kibitz.gdl.terms import Row, Terms

FactSet = frozenset[int]
"""The facts of a state, as numbers of terms."""

_MOST_FIXED = 300_000
"""The most answers independent of the state that are kept; beyond, all of them are dropped."""

_WORKED_OUT = 50_000
"""The most rows and answers for which a relation independent of the state is computed in full."""

_STEP_WORK = 10
"""The work of running a step of a plan, in rows, besides the rows that it reads and makes."""

_Request = tuple[Goal, set[Row]]


class TooMuchError(GameDefinitionError):
    """A question takes more rows, answers or terms than the limits allow."""


class ProverState:
    """The answers found so far in a state, or in a step from it.

    Attributes:
        true: the facts of the state.
        does: the moves of a step, as rows of role and move; empty in a state.
        tables: the answers found so far, indexed by what they depend on: ``FIXED``, ``OF_STATE``
            and ``OF_STEP``.
        base: the state in which a step is made, which counts the step's answers; ``None`` in a
            state.
        answers: the number of answers found in the state and in its steps.
        rows: the facts by function, once a question has needed them.
        refusal: the message of the error at which a question failed; later ones fail with it.
    """

    def __init__(
        self,
        true: FactSet,
        does: Sequence[Row],
        tables: Sequence[dict[FactIndex | Goal, AnswerTable]],
        base: ProverState | None = None,
    ) -> None:
        self.true = true
        self.does = does
        self.tables = tables
        self.base = base
        self.answers = 0
        self.rows: dict[Base, list[Row]] | None = None
        self.refusal: str | None = None


class Prover:
    """Answers questions about the states of a game.

    One thread asks at a time, and others wait. The stop word of the asking thread ends its
    question.

    Args:
        limits: the limits of a question; ``None`` takes them from `Limits.chosen`.

    Attributes:
        terms: the terms, whose numbers stand for facts, roles and moves.
        roles: the numbers of the roles, in the order of the rules.
    """

    def __init__(self, description: Description, limits: Limits | None = None) -> None:
        self.limits = limits or Limits.chosen()
        self.terms = Terms()
        self.roles = [self.terms.number(role) for role in description.roles]
        self._source = description.source
        self._program = program(description, self.terms)
        self._lock = threading.RLock()
        self._worked_out: dict[Signature, list[Row] | None] = {}
        self._fixed: dict[FactIndex | Goal, AnswerTable] = {}
        self._nothing = ProverState(frozenset(), (), (self._fixed, {}, {}))
        self._initial: FactSet | None = None
        self._initial_rows: dict[Base, list[Row]] = {}
        self._work_left = self._answers_left = 0
        self._stop: StopWord = [0]
        sizes = Sizes(self._program, self._typical_rows, self._rows_worked_out)
        self._compiler = Compiler(
            self._program, self.terms, sizes, self._worked_out.get, self._line
        )

    # -- the questions of a game -----------------------------------------------------------------

    def initial(self) -> FactSet:
        """The facts of the initial state."""
        with self._lock:
            if self._initial is None:
                rows = self._all(self._nothing, ("init", 1))
                self._initial = frozenset(row[0] for row in rows)
                self._initial_rows = self._by_function((fact,) for fact in self._initial)
            return self._initial

    def state(self, true: FactSet) -> ProverState:
        """The state with exactly these facts."""
        self.initial()
        with self._lock:
            if sum(table.size for table in self._fixed.values()) > _MOST_FIXED:
                self._fixed.clear()
        return ProverState(true, (), (self._fixed, {}, {}))

    def legal(self, state: ProverState) -> dict[int, list[int]]:
        """The legal moves of each role."""
        return self._of_roles(state, "legal")

    def goals(self, state: ProverState) -> dict[int, list[int]]:
        """The goal values of each role."""
        return self._of_roles(state, "goal")

    def terminal(self, state: ProverState) -> bool:
        """Whether the game is over."""
        return bool(self._all(state, ("terminal", 0)))

    def ending(self, state: ProverState) -> int:
        """The number, from 1, of the first rule for ``terminal`` that holds; 0 if unknown.

        It is unknown in games that have only one such rule.
        """
        numbers = (self.terms.term(row[0]) for row in self._all(state, (ENDING, 1)))
        return min((int(str(number)) for number in numbers), default=0)

    def step(self, state: ProverState, moves: Mapping[int, int]) -> ProverState:
        """The step in which the roles make these moves in a state; `moves` maps roles to moves."""
        step = ProverState(state.true, tuple(moves.items()), (*state.tables[:OF_STEP], {}), state)
        step.rows, step.refusal = state.rows, state.refusal
        return step

    def after(self, step: ProverState) -> FactSet:
        """The facts of the state after a step."""
        return frozenset(row[0] for row in self._all(step, ("next", 1)))

    def percepts(self, step: ProverState) -> dict[int, list[int]]:
        """The percepts of each role in a step."""
        return self._of_roles(step, "sees")

    # -- questions -----------------------------------------------------------------------------

    def _all(self, state: ProverState, name: Signature) -> Sequence[Row]:
        """All rows of a relation in a state or step."""
        return self._ask(state, name, (Mode.WANTED,) * name[1], {()}).get((), ())

    def _of_roles(self, state: ProverState, name: str) -> dict[int, list[int]]:
        """Maps each role to the second arguments of the rows whose first argument it is."""
        table = self._ask(
            state, (name, 2), (Mode.KNOWN, Mode.WANTED), {(role,) for role in self.roles}
        )
        return {role: [row[0] for row in table.get((role,), ())] for role in self.roles}

    def _ask(
        self, state: ProverState, name: Signature, pattern: Pattern, questions: set[Row]
    ) -> AnswerTable:
        """The table of a relation for a binding pattern, with these questions answered."""
        with self._lock:
            if name not in self._program.rules:
                return self._facts(name, pattern)
            if state.refusal is not None:
                raise TooMuchError(state.refusal)
            goal = self._compiler.goal(name, pattern)
            self._work_left, self._answers_left = self.limits.work, self.limits.answers
            self._stop = thread_stop()
            try:
                self._answer(state, goal, questions)
            except TooMuchError as problem:
                state.refusal = str(problem)
                state.answers = 0
                raise
            return _table(state, goal)

    def _facts(self, name: Signature, pattern: Pattern) -> AnswerTable:
        asked = tuple(i for i, known in enumerate(pattern) if known is Mode.KNOWN)
        answered = tuple(i for i, known in enumerate(pattern) if known is Mode.WANTED)
        return FactIndex(name, FIXED, (), asked, answered).table(self._program.facts.get(name, []))

    def _answer(self, state: ProverState, goal: Goal, questions: set[Row]) -> None:
        """Answers the questions that are new, subgoals first, with an explicit stack."""
        missing = _table(state, goal).lacking(questions)
        if not missing:
            return
        asked = [goal]
        stack = [self._answering(state, goal, missing)]
        try:
            while stack:
                request = next(stack[-1], None)
                if request is None:
                    stack.pop()
                    asked.pop()
                else:
                    asked.append(request[0])
                    stack.append(self._answering(state, *request))
        except BaseException:
            for unfinished in asked:
                for member in unfinished.group:
                    state.tables[member.level].pop(member, None)
            raise

    def _answering(
        self, state: ProverState, goal: Goal, questions: set[Row]
    ) -> Generator[_Request, None, None]:
        """Answers new questions of a goal; yields the subgoals that must be answered before."""
        if goal.recursive:
            yield from _Recursion(self, state, goal.group).answer(goal, questions)
            return
        answers: set[Row] = set()
        for plan in goal.plans or ():
            answers.update((yield from self.run(state, plan, 0, questions)))
        table = _table(state, goal)
        table.update(dict.fromkeys(questions, ()))
        table.put(answers, goal.asked)
        self.count(goal, state, len(questions) + len(answers))

    def run(
        self,
        state: ProverState,
        plan: Plan,
        start: int,
        rows: Rows,
        recursion: _Recursion | None = None,
    ) -> Generator[_Request, None, Iterable[Row]]:
        """Runs a plan from step `start` on; returns rows of a question and its answer."""
        for step in plan.steps[start:]:
            if not rows:
                return ()
            source = step.source
            if source is None:
                rows = self.apply(plan, step, rows, _NO_TABLE)
                continue
            table = state.tables[source.level].get(source)
            if table is None:
                table = self._new_table(state, source)
            if isinstance(source, Goal):
                assert step.ask is not None
                for guard in step.guards:
                    if not self._index(state, guard):
                        return ()
                if recursion is not None and source.group is recursion.group:
                    recursion.wait(step, rows)
                else:
                    missing = table.lacking(map(step.ask, rows))
                    if missing:
                        yield source, missing
            rows = self.apply(plan, step, rows, table)
        return map(plan.finish, rows)

    def apply(self, plan: Plan, step: PlanStep, rows: Rows, table: AnswerTable) -> Rows:
        """Applies one step of a plan to rows and counts the work.

        Raises:
            TooMuchError: the question exceeds the limit on work.
            StoppedError: the stop word of the asking thread is set.
        """
        if self._stop[0]:
            raise StoppedError
        try:
            result = step.apply(rows, table)
        except TooManyRowsError:
            self._work_left = -1
            result = ()
        except GameDefinitionError as problem:
            raise TooMuchError(f"{self._line(plan.rule)}: {problem}") from None
        self._work_left -= _STEP_WORK + len(rows) + len(result)
        if self._work_left < 0:
            raise TooMuchError(
                f"{self._line(plan.rule)}: this rule leads to too many combinations of its"
                f" variables' values; {CURE}."
            )
        return result

    def count(self, goal: Goal, state: ProverState, answers: int) -> None:
        """Counts new questions and answers against the limit.

        Raises:
            TooMuchError: the question exceeds the limit on answers.
        """
        self._answers_left -= answers
        if goal.level != FIXED:
            (state.base or state).answers += answers
        if self._answers_left < 0:
            name = goal.relation[0]
            raise TooMuchError(
                f"{self._line(self._program.rules[goal.relation][0])}: the relation {name} holds"
                f" too often; {CURE}."
            )

    # -- facts ---------------------------------------------------------------------------------

    def _index(self, state: ProverState, index: FactIndex) -> AnswerTable:
        """The facts of a state in an index, which is filled if needed."""
        table = state.tables[index.level].get(index)
        return self._new_table(state, index) if table is None else table

    def _new_table(self, state: ProverState, source: FactIndex | Goal) -> AnswerTable:
        """Stores and returns an empty table for a goal, or the filled table of an index."""
        if isinstance(source, Goal):
            table = AnswerTable()
        else:
            table = source.table(self._rows_of(state, source.base))
        state.tables[source.level][source] = table
        return table

    def _rows_of(self, state: ProverState, base: Base) -> Sequence[Row]:
        if base[0] == "true":
            if state.rows is None:
                state.rows = self._by_function([(fact,) for fact in state.true])
            return state.rows.get(base, ())
        if base[0] == "does":
            return self._by_function(state.does).get(base, ())
        worked_out = self._worked_out.get(base[:2])
        return self._program.facts.get(base[:2], ()) if worked_out is None else worked_out

    def _by_function(self, rows: Iterable[Row]) -> dict[Base, list[Row]]:
        """The rows of `true` or `does` by base: whole, and by function with its arguments."""
        groups: dict[Base, list[Row]] = {}
        compounds, terms = self.terms.parts, self.terms
        for row in rows:
            name = "true" if len(row) == 1 else "does"
            groups.setdefault((name, len(row)), []).append(row)
            inner = compounds[row[-1]]
            if inner:
                places = (*row[:-1], *inner[1:])
                function = str(terms.term(inner[0]))
                groups.setdefault((name, len(places), function), []).append(places)
        return groups

    # -- sizes of relations --------------------------------------------------------------------

    def _typical_rows(self, base: Base) -> Collection[Row] | None:
        """Sample rows for estimates: facts of the rules, or of the initial state."""
        if base[0] == "true":
            return self._initial_rows.get(base)
        return self._program.facts.get(base[:2])

    def _rows_worked_out(self, name: Signature) -> Sequence[Row] | None:
        """All rows of a relation independent of state and moves, if they are few."""
        if name not in self._worked_out:
            self._worked_out[name] = None
            if self._program.level[name] == FIXED and not self._program.needed.get(name):
                before = self._work_left, self._answers_left
                self._work_left = self._answers_left = _WORKED_OUT
                try:
                    goal = self._compiler.goal(name, (Mode.WANTED,) * name[1])
                    self._answer(self._nothing, goal, {()})
                    self._worked_out[name] = list(_table(self._nothing, goal)[()])
                    self._fixed.pop(goal, None)
                except TooMuchError:
                    pass
                finally:
                    self._work_left, self._answers_left = before
        return self._worked_out[name]

    def _line(self, rule: Rule) -> str:
        line, _ = self._source.position(rule.span.start)
        return f"{self._source.name}, line {line}"


class _Recursion:
    """Evaluates mutually recursive goals up to their fixpoint, for one question in a state."""

    def __init__(self, prover: Prover, state: ProverState, group: list[Goal]) -> None:
        self.group = group
        self._prover = prover
        self._state = state
        self._waiting: dict[PlanStep, dict[Row, list[Row]]] = {}
        self._questions: dict[Goal, set[Row]] = {}
        self._answers: dict[Goal, set[Row]] = {}
        self._known: dict[Goal, set[Row]] = {goal: set() for goal in group}
        self._asking: dict[Goal, list[tuple[Goal, Plan, int]]] = {goal: [] for goal in group}
        for goal in group:
            for plan in goal.plans or ():
                for place, step in enumerate(plan.steps):
                    if isinstance(step.source, Goal) and step.source in self._asking:
                        self._asking[step.source].append((goal, plan, place))

    def answer(self, goal: Goal, questions: set[Row]) -> Generator[_Request, None, None]:
        """Answers questions, and all questions within the recursion that they lead to."""
        self._ask(goal, questions)
        while self._questions or self._answers:
            if self._questions:
                goal, rows = self._questions.popitem()
                for plan in goal.plans or ():
                    run = self._prover.run(self._state, plan, 0, rows, self)
                    self._tell(goal, (yield from run))
            else:
                goal, rows = self._answers.popitem()
                yield from self._go_on(goal, rows)

    def _go_on(self, goal: Goal, rows: set[Row]) -> Generator[_Request, None, None]:
        """Stores new answers of a goal and resumes the rows that wait for them."""
        new = AnswerTable()
        new.put(rows, goal.asked)
        _table(self._state, goal).put(rows, goal.asked)
        waiting = []
        for asking, plan, place in self._asking[goal]:
            rows_of = self._waiting.get(plan.steps[place], {})
            waited = [row for question in new for row in rows_of.get(question, ())]
            waiting.append((asking, plan, place, waited))
        for asking, plan, place, waited in waiting:
            if waited:
                resumed = self._prover.apply(plan, plan.steps[place], waited, new)
                run = self._prover.run(self._state, plan, place + 1, resumed, self)
                self._tell(asking, (yield from run))

    def wait(self, step: PlanStep, rows: Rows) -> None:
        """Records that rows wait at a step for answers of its goal, and asks their questions."""
        assert isinstance(step.source, Goal)
        assert step.ask is not None
        ask = step.ask
        waiting = self._waiting.setdefault(step, {})
        for row in rows:
            waiting.setdefault(ask(row), []).append(row)
        self._ask(step.source, set(map(ask, rows)))

    def _ask(self, goal: Goal, questions: set[Row]) -> None:
        table = _table(self._state, goal)
        new = table.lacking(questions)
        if new:
            table.update(dict.fromkeys(new, ()))
            self._questions.setdefault(goal, set()).update(new)
            self._prover.count(goal, self._state, len(new))

    def _tell(self, goal: Goal, rows: Iterable[Row]) -> None:
        new = set(rows).difference(self._known[goal])
        if new:
            self._known[goal] |= new
            self._answers.setdefault(goal, set()).update(new)
            self._prover.count(goal, self._state, len(new))


_NO_TABLE = AnswerTable()


def _table(state: ProverState, goal: Goal) -> AnswerTable:
    """The table of a goal in a state."""
    return state.tables[goal.level].setdefault(goal, AnswerTable())

"""Warnings about choices: options that never exist, exist twice, or may be missing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kibitz.recycle import tree
from kibitz.recycle.checks.keys import Key
from kibitz.recycle.checks.logic import (
    NOTHING_KNOWN,
    CaseLogic,
    Cases,
    ElementFact,
    Fact,
    NumberFact,
)
from kibitz.recycle.checks.names import describe
from kibitz.recycle.checks.reachable import Knowledge, Place, Visit
from kibitz.recycle.checks.report import Report
from kibitz.recycle.tree import Binding, Expression, Node, Statement, Type
from kibitz.syntax.source import Span

_MOST_PAIRS = 2000
"""The maximum number of pairs of options of a choice that are compared."""
_ANY = re.compile(r"\(\s*any\b")


def check(knowledge: Knowledge, report: Report) -> None:
    """Warns about options that never exist, exist twice, or may be missing."""
    logic = CaseLogic(knowledge)
    for visit in knowledge.of(tree.ForEach):
        _check_any(knowledge, report, visit)
    for visit in knowledge.of(tree.Fork):
        _check_fork(knowledge, report, visit)
    for visit in knowledge.of(tree.Choice):
        assert isinstance(visit.node, tree.Choice)
        _check_choice(logic, report, visit.node)
    for visit in knowledge.of(tree.Move):
        _check_move(logic, report, visit)


# --- any ----------------------------------------------------------------------------------


def _check_any(knowledge: Knowledge, report: Report, visit: Visit) -> None:
    """Warns about an ``any`` outside of choices."""
    node = visit.node
    if _ANY.match(knowledge.program.source.piece(node.span)):
        report.warn(
            "any-outside-choice",
            Span(node.span.start, min(node.span.end, node.span.start + len("(any"))),
            "Nobody chooses here: this is done for all, not for any of them.",
            "Put it into a choice, or write 'all'.",
        )


def _check_fork(knowledge: Knowledge, report: Report, visit: Visit) -> None:
    """Warns about an ``any`` in a choice whose options are all the same."""
    node = visit.node
    assert isinstance(node, tree.Fork)
    for inside in knowledge.walk(node.body):
        if isinstance(inside, tree.Variable) and inside.binding is node.binding:
            return
    report.warn(
        "same-option",
        node.binding.span,
        f"The options do not depend on '{node.binding.name}: the same one comes once for each"
        " element.",
        "If it only matters whether there is one, compare (size ...) with 0.",
    )


# --- choices ------------------------------------------------------------------------------


class Option(NamedTuple):
    """An option of a choice: a step of a clause, and the conditions under which it exists."""

    leaf: Key
    """The key of the step."""
    cases: Cases
    """The conditions."""
    node: Node
    """The step, behind the conditions and forks of the clause."""
    clause: int
    """The index of the clause."""


def _check_choice(logic: CaseLogic, report: Report, choice: tree.Choice) -> None:
    """Warns about clauses that can never be chosen, and about options that exist twice."""
    options: list[Option] = []
    dead = 0
    for number, clause in enumerate(choice.clauses):
        alive = [option for option in options_of(logic, clause, number) if option.cases]
        options += alive
        if not alive:
            dead += 1
            report.warn(
                "dead-option",
                clause.span,
                "This can never be chosen: its conditions never hold.",
                "Look at the warnings inside, or leave it out.",
            )
    if choice.clauses and dead == len(choice.clauses):
        report.warn(
            "dead-choice",
            choice.span,
            "There is never anything to choose here: the game is stuck.",
            "One of the options should always be possible, such as (turn pass).",
        )
    _check_doubles(logic, report, options)


def _check_doubles(logic: CaseLogic, report: Report, options: list[Option]) -> None:
    """Warns about options that two clauses offer at the same time."""
    by_leaf: dict[Key, list[Option]] = defaultdict(list)
    for option in options:
        by_leaf[option.leaf].append(option)
    pairs = 0
    for same in by_leaf.values():
        for number, option in enumerate(same):
            for other in same[:number]:
                pairs += 1
                if pairs > _MOST_PAIRS:
                    return
                if option.clause != other.clause and logic.possible(option.cases, other.cases):
                    report.warn(
                        "same-option",
                        option.node.span,
                        "This option may be offered twice: another clause does the same, and"
                        " both conditions can hold.",
                        "Join the clauses by (or ...), or make their conditions exclude each"
                        " other; else it is chosen at random twice as often.",
                        notes=((other.node.span, "It is offered here, too."),),
                    )
                    break


def options_of(logic: CaseLogic, statement: Statement, clause: int) -> Iterator[Option]:
    """The options of a clause, up to the first step that is a sequence."""
    keys = logic.keys
    values: dict[Binding, Any] = {}
    collections: dict[Binding, Key] = {}
    forks: dict[Key, int] = defaultdict(int)
    cases: Cases = NOTHING_KNOWN
    while True:
        if isinstance(statement, tree.When):
            cases = logic.both(cases, logic.cases(statement.condition, values))
            cases = logic.both(
                cases, _of_elements(logic, statement.condition, values, collections)
            )
            statement = statement.body
        elif isinstance(statement, tree.Fork):
            base, facts = _elements(logic, statement, values)
            element = ("element", base, forks[base])
            values[statement.binding] = element
            if statement.binding.type is not Type.CARDS:
                collections[statement.binding] = base
            forks[base] += 1
            cases = logic.both(cases, ((*facts, ElementFact(base, element)),))
            cases = logic.both(cases, *_filtering(logic, statement, values))
            statement = statement.body
        elif isinstance(statement, tree.Let):
            values[statement.binding] = keys.key(statement.value, values)
            statement = statement.body
        elif isinstance(statement, tree.Do) and len(statement.steps) == 1:
            statement = statement.steps[0]
        else:
            yield Option(keys.key(statement, values), cases, statement, clause)
            return


def _elements(
    logic: CaseLogic, fork: tree.Fork, values: Mapping[Binding, Any]
) -> tuple[Key, Sequence[Fact]]:
    """The collection of a fork without its filters, and the facts that it is not empty."""
    collection = logic.knowledge.resolved(fork.collection)
    facts = list(logic.not_empty(collection, values))
    while isinstance(collection, tree.Filter):
        collection = logic.knowledge.resolved(collection.collection)
        facts += logic.not_empty(collection, values)
    return logic.keys.key(collection, values), facts


def _filtering(
    logic: CaseLogic, fork: tree.Fork, values: Mapping[Binding, Any]
) -> Iterator[Cases]:
    """The conditions of the filters of a fork, applied to the chosen element."""
    collection = logic.knowledge.resolved(fork.collection)
    while isinstance(collection, tree.Filter):
        inside = {**values, collection.binding: values[fork.binding]}
        yield logic.cases(collection.body, inside)
        collection = logic.knowledge.resolved(collection.collection)


def _of_elements(
    logic: CaseLogic,
    condition: Expression,
    values: Mapping[Binding, Any],
    collections: Mapping[Binding, Key],
) -> Cases:
    """The facts that collections contain elements for which a condition holds.

    Args:
        logic: The logic that makes the keys.
        condition: A condition about the chosen elements.
        values: Values of the variables in the condition.
        collections: The collection of each chosen element.
    """
    facts: list[NumberFact] = []
    conditions = [condition]
    if isinstance(condition, tree.Logic) and condition.operator == "and":
        conditions += condition.parts
    for binding, collection in collections.items():
        for conjunct in conditions:
            if any(
                isinstance(node, tree.Variable) and node.binding is binding
                for node in logic.knowledge.walk(conjunct)
            ):
                body = logic.keys.body(conjunct, binding, values)
                size = logic.keys.size(logic.keys.filtered(collection, body))
                facts.append(NumberFact(size, 1, float("inf"), None))
    return (tuple(facts),)


def is_conditional(choice: tree.Choice) -> bool:
    """Whether each clause of a choice has a condition or a filter."""
    return all(_has_condition(clause) for clause in choice.clauses)


def _has_condition(statement: Statement) -> bool:
    """Whether a clause may have no option where its collections have elements.

    It has a condition before its first action, or picks from a filter, from tuples or from runs.
    """
    while True:
        if isinstance(statement, tree.When):
            return True
        if isinstance(statement, tree.Fork):
            if isinstance(statement.collection, tree.Filter | tree.Tuples | tree.Runs):
                return True
            statement = statement.body
        elif isinstance(statement, tree.Let):
            statement = statement.body
        elif isinstance(statement, tree.Do) and len(statement.steps) == 1:
            statement = statement.steps[0]
        else:
            return False


# --- moves --------------------------------------------------------------------------------


def _check_move(logic: CaseLogic, report: Report, visit: Visit) -> None:
    """Warns about a move in a choice that takes from a place which may be empty."""
    node = visit.node
    assert isinstance(node, tree.Move)
    if not isinstance(node.card, tree.CardAt):
        return
    cards = logic.knowledge.resolved(node.card.cards)
    if not isinstance(cards, tree.Pile):
        return
    knowledge = logic.knowledge
    places = set(knowledge.places(cards))
    if not _is_in_choice(visit) or _is_tested(knowledge, visit, places):
        return
    names = ", ".join(describe(place) for place in sorted(places)[:3])
    report.warn(
        "maybe-empty",
        node.card.span,
        f"Nothing here asks whether there are cards in the {names}; when there are none, this"
        " option is missing.",
        "Guard it: ((> (size LOCATION) 0) (move ...)), or refill the place before.",
    )


def _is_in_choice(visit: Visit) -> bool:
    return any(isinstance(node, tree.Choice) for node, _ in visit.above())


def _is_tested(knowledge: Knowledge, visit: Visit, places: set[Place]) -> bool:
    """Whether the program tests or fills one of the places before a statement or around it."""
    for node, child in visit.above():
        if isinstance(node, (tree.When, tree.Fork, tree.ForEach, tree.Repeat, tree.Let)):
            if _tests(knowledge, _evaluated_first(node), places):
                return True
        elif isinstance(node, tree.Do):
            for step in node.steps:
                if step is child:
                    break
                if _fills(knowledge, step, places):
                    return True
        elif isinstance(node, tree.Stage):
            if _tests(knowledge, node.end, places):
                return True
            for item in node.items:
                if not isinstance(item, tree.Stage) and item is not child:
                    if _tests(knowledge, item, places) or _fills(knowledge, item, places):
                        return True
    return False


def _evaluated_first(node: Node) -> Node:
    """The part of a statement that is evaluated first."""
    if isinstance(node, tree.When):
        return node.condition
    if isinstance(node, tree.Repeat):
        return node.times
    if isinstance(node, tree.Let):
        return node.value
    assert isinstance(node, (tree.Fork, tree.ForEach))
    return node.collection


def _tests(knowledge: Knowledge, node: Node, places: set[Place]) -> bool:
    """Whether a part of the program depends on whether one of the places has cards."""
    for inside in knowledge.walk(node):
        collection: Expression | None = None
        if isinstance(inside, (tree.Size, tree.Quantified, tree.Fork, tree.ForEach)):
            collection = inside.collection
        elif isinstance(inside, (tree.Tuples, tree.Runs)):
            collection = inside
        if collection is not None and collection.type not in (Type.PLAYERS, Type.TEAMS):
            for pile in knowledge.piles(collection):
                if not places.isdisjoint(knowledge.places(pile)):
                    return True
    return False


def _fills(knowledge: Knowledge, node: Node, places: set[Place]) -> bool:
    """Whether a part of the program moves cards into one of the places."""
    return any(
        not places.isdisjoint(knowledge.places(pile))
        for inside in knowledge.walk(node)
        if isinstance(inside, tree.Move)
        for pile in knowledge.piles(inside.pile)
    )

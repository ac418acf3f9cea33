"""The checker's static analysis holds in every game that the oracle plays."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from tests.recycle.generated import program_of
from tests.recycle.oracle import Oracle, Over

from kibitz.recycle import tree
from kibitz.recycle.checks.choices import options_of
from kibitz.recycle.checks.logic import CaseLogic, Fact, NumberFact, TextFact
from kibitz.recycle.checks.reachable import Knowledge, Place
from kibitz.recycle.parser import parse
from kibitz.recycle.tree import Expression, Program, Type
from kibitz.syntax.source import Source

ROOT = Path(__file__).parents[2]
LIBRARY = sorted(ROOT.glob("src/kibitz/recycle/library/*.rcy"))
CORPUS = sorted(ROOT.parent.glob("shared/corpus/recycle/*/*"))
DECISIONS = 40
DECISIONS_IN_CORPUS = 15


class Witness(Oracle):
    """Plays, and compares each value with what is known of it."""

    def __init__(self, program: Program, seed: int) -> None:
        self.knowledge = Knowledge(program)
        self.logic = CaseLogic(self.knowledge)
        self.seen = 0
        self.known: dict[int, tuple[Expression, Any]] = {}
        """By the identity of an expression, what is known of its values."""
        self.offered: set[int] = set()
        """The clauses that have been offered."""
        super().__init__(program, seed)

    def _value(self, node: Expression) -> Any:
        value = super()._value(node)
        if id(node) not in self.known:
            self.known[id(node)] = node, self._known_of(node)
        known = self.known[id(node)][1]
        if node.type is Type.INT:
            low, high, values = known
            assert low <= value <= high
            assert values is None or value in values
        elif node.type is Type.STR:
            assert known is None or value in known
        elif node.type is Type.BOOL:
            assert known in (None, value)
        self.seen += 1
        return value

    def _known_of(self, node: Expression) -> Any:
        self.knowledge.budget.remaining = 10**9
        if node.type is Type.INT:
            return self.knowledge.interval(node)
        if node.type is Type.STR:
            return self.knowledge.names(node)
        return self.knowledge.truth(node) if node.type is Type.BOOL else None

    def check_cards(self) -> None:
        """No card lies where it cannot come to."""
        for key, cards in self.piles.items():
            owner = key.owner if isinstance(key.owner, str) else key.owner[0]
            possible = self.knowledge.cards.get(Place(owner, key.kind, key.name), 0)
            for card in cards:
                attributes = frozenset(self.program.cards[card].attributes.items())
                assert possible >> self.knowledge.kinds_by_attributes[attributes] & 1

    def check_conditions(self) -> None:
        """Conditions that hold now do not exclude each other."""
        logic = self.logic
        together: Any = ((),)
        for condition in self.closed:
            try:
                holds = Oracle._condition(self, condition)
            except Over:
                continue
            together = logic.both(together, logic.cases(condition, positive=holds))
            together = logic.both(together, (tuple(self._facts(condition)),))
            assert together

    def _facts(self, condition: Expression) -> Iterator[Fact]:
        """The values of the sides of a comparison, or the sizes of the sets of a quantifier."""
        sides: list[Expression] = []
        if isinstance(condition, (tree.Compare, tree.Same)):
            sides = [condition.left, condition.right]
        elif isinstance(condition, tree.Quantified):
            body = condition.body
            if condition.every:
                body = tree.Not(body.span, body)
            violations = tree.Filter(condition.span, condition.collection, condition.binding, body)
            sides = [
                tree.Size(condition.span, violations),
                tree.Size(violations.span, violations.collection),
            ]
        for side in sides:
            if any(
                isinstance(node, tree.Filter) and node.type is Type.SETS
                for node in tree.walk(side)
            ):
                continue  # a filter leaves empty sets out
            try:
                value = Oracle._value(self, side)
            except Over:
                continue
            key = self.knowledge.keys.key(side)
            if side.type is Type.INT:
                yield NumberFact(key, value, value, None)
            elif side.type is Type.STR:
                yield TextFact(key, frozenset((value,)), True)

    def check_options(self) -> None:
        """Nothing is offered that can never be chosen."""
        clauses = [
            clause
            for node in tree.everything(self.program)
            if isinstance(node, tree.Choice)
            for clause in node.clauses
        ]
        new = {option.clause for option in self.options()} - self.offered
        self.offered |= new
        for number in new:
            assert any(way.cases for way in options_of(self.logic, clauses[number], 0))

    @cached_property
    def closed(self) -> list[Expression]:
        """Conditions that can be evaluated anywhere, and are no matter of chance."""
        return list(self._closed())

    def _closed(self) -> Iterator[Expression]:
        for visit in self.knowledge.of(tree.Compare, tree.Same, tree.Logic, tree.Quantified):
            inside = list(tree.walk(visit.node))
            bound = {node.binding for node in inside if isinstance(node, BINDERS)}
            if not any(
                isinstance(node, (tree.Random, tree.Best))
                or (isinstance(node, tree.Variable) and node.binding not in bound)
                for node in inside
            ):
                assert isinstance(visit.node, Expression)
                yield visit.node


BINDERS = (tree.Filter, tree.Each, tree.Quantified, tree.Total)


def play(program: Program, seed: int, decisions: int = DECISIONS) -> Witness:
    game = Witness(program, seed)
    pick = random.Random(seed)
    for number in range(decisions):
        game.check_cards()
        game.check_options()
        if number % 7 == 0:
            game.check_conditions()
        if game.status != "playing":
            break
        game.play(pick.choice(game.options()))
    return game


@pytest.mark.parametrize("seed", range(40))
def test_generated_programs(seed: int) -> None:
    program, _ = parse(Source("generated.rcy", program_of(seed)))
    assert program is not None
    play(program, seed)


@pytest.mark.parametrize("path", [*LIBRARY, *CORPUS], ids=lambda path: path.name)
def test_games(path: Path) -> None:
    program, _ = parse(Source.load(path))
    if program is not None:
        decisions = DECISIONS if path in LIBRARY else DECISIONS_IN_CORPUS
        assert play(program, 1, decisions).seen > 0

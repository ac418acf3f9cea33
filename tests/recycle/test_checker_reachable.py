"""The checker's static analysis holds in every game that the oracle plays."""

from __future__ import annotations

import random
from collections.abc import Iterator
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
FILES = sorted(ROOT.glob("src/kibitz/recycle/library/*.rcy"))
FILES += sorted(ROOT.parent.glob("shared/corpus/recycle/*/*"))
MOST_DECISIONS = 40


class Witness(Oracle):
    """Plays, and compares each value with what is known of it."""

    def __init__(self, program: Program, seed: int) -> None:
        self.knowledge = Knowledge(program)
        self.seen = 0
        super().__init__(program, seed)

    def _value(self, node: Expression) -> Any:
        value = super()._value(node)
        self.knowledge.budget.remaining = 10**9
        if node.type is Type.INT:
            low, high, values = self.knowledge.interval(node)
            assert low <= value <= high
            assert values is None or value in values
        elif node.type is Type.STR:
            names = self.knowledge.names(node)
            assert names is None or value in names
        elif node.type is Type.BOOL:
            assert self.knowledge.truth(node) in (None, value)
        self.seen += 1
        return value

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
        logic = CaseLogic(self.knowledge)
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
        logic = CaseLogic(self.knowledge)
        clauses = [
            clause
            for node in tree.everything(self.program)
            if isinstance(node, tree.Choice)
            for clause in node.clauses
        ]
        for number in {option.clause for option in self.options()}:
            assert any(way.cases for way in options_of(logic, clauses[number], 0))

    @property
    def closed(self) -> Iterator[Expression]:
        """Conditions that can be evaluated anywhere, and are no matter of chance."""
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


def play(program: Program, seed: int) -> Witness:
    game = Witness(program, seed)
    pick = random.Random(seed)
    for number in range(MOST_DECISIONS):
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


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_games(path: Path) -> None:
    program, _ = parse(Source.load(path))
    if program is not None:
        assert play(program, 1).seen > 0

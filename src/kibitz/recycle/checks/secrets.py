"""Warnings about choices that depend on cards which the chooser cannot see.

Everybody knows how many cards lie in a place, but not which cards they are. An option that exists
only because of a hidden card reveals the card, and at a real table nobody could know whether the
option is allowed.
"""

from __future__ import annotations

from collections.abc import Iterator

from kibitz.recycle import tree
from kibitz.recycle.checks.reachable import Knowledge, Place
from kibitz.recycle.checks.report import Report
from kibitz.recycle.tree import Expression, Node, Pile, Statement


def check(knowledge: Knowledge, report: Report) -> None:
    """Warns about choices that reveal hidden cards."""
    for visit in knowledge.of(tree.Choice):
        assert isinstance(visit.node, tree.Choice)
        for clause in visit.node.clauses:
            _Clause(knowledge, report).follow(clause)


_BY_SCORE = (
    tree.Sum,
    tree.BestScore,
    tree.Best,
    tree.Sorted,
    tree.Tuples,
    tree.Runs,
    tree.RunAt,
)


class _Clause:
    """One clause of a choice, examined in the order in which its parts are evaluated."""

    def __init__(self, knowledge: Knowledge, report: Report) -> None:
        self.knowledge = knowledge
        self.report = report
        self.drawn: set[Place] = set()
        """The places to which the option itself may have moved hidden cards."""
        self.passed = False
        """Whether a step of the option has made another player current."""

    def follow(self, statement: Statement) -> None:
        """Examines all expressions of a statement on which the options depend."""
        if isinstance(statement, tree.Do):
            for step in statement.steps:
                self.follow(step)
        elif isinstance(statement, tree.When):
            self._look(statement.condition, "whether this can be chosen")
            self.follow(statement.body)
        elif isinstance(statement, tree.Cases):
            self._look(statement.key, "what can be chosen")
            for case in statement.cases:
                self.follow(case.body)
        elif isinstance(statement, (tree.ForEach, tree.Fork)):
            self._look(statement.collection, "what can be chosen")
            self.follow(statement.body)
        elif isinstance(statement, tree.Let):
            self.follow(statement.body)
        elif isinstance(statement, tree.Repeat):
            self._look(statement.times, "what can be chosen")
            self.follow(statement.body)
        elif isinstance(statement, tree.Move):
            self._look(statement.pile, "where a card goes")
            self._move(statement)
        elif isinstance(statement, tree.Cycle) and statement.which == "current":
            self.passed = True

    def _move(self, move: tree.Move) -> None:
        """Records the destination of a move of hidden cards."""
        if not any(self._is_hidden(pile) for pile in self.knowledge.piles(move.card)):
            return
        for pile in self.knowledge.piles(move.pile):
            self.drawn.update(self.knowledge.places(pile))

    def _look(self, node: Node, decision: str) -> None:
        """Warns if an expression that decides something depends on hidden cards."""
        for reading, looked_at in _readings(self.knowledge, node):
            for pile in self.knowledge.piles(looked_at):
                if reason := self._why_hidden(pile):
                    self.report.warn(
                        "hidden-information",
                        reading.span,
                        f"This decides {decision}, and looks at cards {reason}.",
                        "Look at the number of cards only, or decide it in an automatic block"
                        " after the choice.",
                        notes=() if pile.span == reading.span else ((pile.span, "The cards."),),
                    )
                    break

    def _is_hidden(self, pile: Pile | tree.Indexed) -> bool:
        return bool(self._why_hidden(pile))

    def _why_hidden(self, pile: Pile | tree.Indexed) -> str:
        """Why the chooser may not know the cards of a pile; empty if the chooser knows them."""
        if pile.kind in ("vloc", "mem", "iloc") and not self.drawn.isdisjoint(
            self.knowledge.places(pile)
        ):
            return "that are drawn only if it is chosen"
        if pile.kind in ("vloc", "mem"):
            return ""
        if pile.kind == "hloc":
            return "that nobody sees"
        if isinstance(pile.owner, tree.Table):
            return "that nobody sees" if pile.kind == "iloc" else ""
        own = self._is_chooser(pile.owner)
        if pile.kind == "iloc":
            return "" if own else "that only their owner sees, who need not be the chooser"
        if own or not self._is_another(pile.owner):
            return "that their owner does not see, who may be the chooser"
        return ""

    def _is_chooser(self, owner: Expression) -> bool:
        owner = self.knowledge.resolved(owner)
        return (
            isinstance(owner, tree.CurrentPlayer) and owner.which == "current" and not self.passed
        )

    def _is_another(self, owner: Expression) -> bool:
        """Whether an owner is certainly another player than the chooser."""
        owner = self.knowledge.resolved(owner)
        if self.passed or self.knowledge.program.players == 1:
            return False
        if isinstance(owner, tree.Variable):
            source = self.knowledge.sources.get(owner.binding)
            collection = None if isinstance(source, tree.Let) or not source else source.collection
            return isinstance(collection, tree.Players) and collection.others
        return isinstance(owner, tree.CurrentPlayer) and owner.which != "current"


def _readings(knowledge: Knowledge, node: Node) -> Iterator[tuple[Node, Expression]]:
    """The parts of an expression that depend on the identity of cards, each with the cards."""
    waiting: list[Node] = [node]
    followed: set[tree.Binding] = set()
    while waiting:
        for inside in knowledge.walk(waiting.pop()):
            if isinstance(inside, (tree.Attribute, tree.Score)):
                yield inside, inside.card
            elif isinstance(inside, _BY_SCORE):
                yield inside, inside.cards
            elif isinstance(inside, tree.Partition):
                yield from ((inside, cards) for cards in inside.parts)
            elif isinstance(inside, tree.Same) and inside.left.type is tree.Type.CARD:
                yield inside, inside.left
                yield inside, inside.right
            elif isinstance(inside, tree.Variable) and inside.binding not in followed:
                followed.add(inside.binding)
                source = knowledge.sources.get(inside.binding)
                if isinstance(source, tree.Let):
                    waiting.append(source.value)

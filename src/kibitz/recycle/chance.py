"""Errors about options that depend on chance.

Random values in an option are drawn when the option is executed. While options are listed, other
values would be drawn, so a list that depends on them could offer options that do not exist.
"""

from __future__ import annotations

from collections.abc import Iterator

from kibitz.recycle import tree
from kibitz.recycle.dependence import Resource, choices, forks_below, reads, written_by
from kibitz.recycle.tree import Binding
from kibitz.syntax.source import Diagnostic, Severity

_MESSAGES = {
    "pick": "What can be picked here is random, and chance is drawn only when an option is done.",
    "step": "Whether this option exists is random, and chance is drawn only when it is done.",
}
_CURE = (
    "Draw before the choice, in a do of its own: (set (game sto ROLL) (random ...)), and ask for"
    " (game sto ROLL) here."
)


def problems(items: tuple[tree.Item, ...]) -> Iterator[Diagnostic]:
    """An error for each random expression on which the options of a choice depend."""
    for choice in choices(items):
        for clause in choice.clauses:
            for node, kind in _Walk().go(clause, acts=False, random=False):
                message = _MESSAGES[kind]
                yield Diagnostic(Severity.ERROR, "chance-in-options", message, node.span, _CURE)


class _Walk:
    """A walk through a clause that tracks which values are random."""

    def __init__(self) -> None:
        self.written: set[Resource] = set()
        """The locations and storages with random contents."""
        self.variables: set[Binding] = set()
        """The variables with random values."""

    def go(
        self, node: tree.Statement, acts: bool, random: bool
    ) -> Iterator[tuple[tree.Node, str]]:
        """The random expressions on which the options depend, with the key of the message.

        Args:
            node: A statement of the clause.
            acts: Whether the option contains another action in any case.
            random: Whether chance decides if the statement is executed.
        """
        match node:
            case tree.Do(steps=steps):
                acts = acts or _acts(node)
                for step in steps:
                    yield from self.go(step, acts, random)
            case tree.When(condition=asked, body=body):
                chance = self._is_random(asked)
                if chance and (forks_below(body) or not acts):
                    yield asked, "step"
                yield from self.go(body, acts, random or chance)
            case tree.Cases(key=asked, cases=cases):
                chance = self._is_random(asked)
                if chance and (forks_below(node) or not acts):
                    yield asked, "step"
                for case in cases:
                    yield from self.go(case.body, acts, random or chance)
            case tree.Fork(collection=asked, body=body):
                if self._is_random(asked):
                    yield asked, "pick"
                yield from self.go(body, acts, random)
            case tree.ForEach(collection=asked, body=body) | tree.Repeat(times=asked, body=body):
                chance = self._is_random(asked)
                if chance and not acts:
                    yield asked, "step"
                if chance and isinstance(node, tree.ForEach):
                    self.variables.add(node.binding)
                yield from self.go(body, acts, random or chance)
            case tree.Let(value=value, body=body):
                if self._is_random(value):
                    self.variables.add(node.binding)
                yield from self.go(body, acts, random)
            case tree.Move(card=card, pile=pile):
                # after a shuffle the identity of a card is random, but not the number of cards
                source = card.cards if isinstance(card, tree.CardAt) else None
                if random or self._is_random(pile) or (source and self._is_random(source)):
                    self.written |= written_by(node)
            case tree.SetNumber() | tree.SetText() | tree.SetPoints() | tree.Cycle():
                if random or self._is_random(node):
                    self.written |= written_by(node)
            case _:
                if random:
                    self.written |= written_by(node)

    def _is_random(self, e: tree.Node) -> bool:
        """Whether the value of a node is random."""
        return any(
            isinstance(node, tree.Random)
            or (isinstance(node, tree.Variable) and node.binding in self.variables)
            or reads(node, self.written)
            for node in tree.walk(e)
        )


def _acts(node: tree.Statement) -> bool:
    """Whether a statement executes an action in any case, if its forks have elements."""
    match node:
        case tree.Do(steps=steps):
            return any(map(_acts, steps))
        case tree.Fork(body=body) | tree.Let(body=body):
            return _acts(body)
        case tree.ForEach(collection=tree.Players(others=False), body=body):
            return _acts(body)
        case tree.Repeat(times=tree.Number(value=times), body=body):
            return times > 0 and _acts(body)
        case tree.When() | tree.Cases() | tree.ForEach() | tree.Repeat():
            return False
    return True

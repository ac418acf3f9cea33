"""Chance that would decide which options there are: refused when a file is read.

What is random in an option is drawn when the option is done. While options are listed something
else would be drawn; so a list that depends on it would offer what cannot be done.
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
    """An error for everything random that decides about the options of a choice."""
    for choice in choices(items):
        for clause in choice.clauses:
            for node, kind in _Walk().go(clause, acts=False, random=False):
                message = _MESSAGES[kind]
                yield Diagnostic(Severity.ERROR, "chance-in-options", message, node.span, _CURE)


class _Walk:
    """A walk through a clause that notes what is random."""

    def __init__(self) -> None:
        self.written: set[Resource] = set()
        self.variables: set[Binding] = set()

    def go(
        self, node: tree.Statement, acts: bool, random: bool
    ) -> Iterator[tuple[tree.Node, str]]:
        """Yields the random expressions on which the options depend.

        Args:
            node: what is done.
            acts: whether something else is done in any case.
            random: whether chance decides if this is done.
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
                # which card it is may be open, as after a shuffle; but not how many there are
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
        return any(
            isinstance(node, tree.Random)
            or (isinstance(node, tree.Variable) and node.binding in self.variables)
            or reads(node, self.written)
            for node in tree.walk(e)
        )


def _acts(node: tree.Statement) -> bool:
    """Whether a statement does an action in any case, if there is anything to pick."""
    match node:
        case tree.Do(steps=steps):
            return any(map(_acts, steps))
        case tree.Fork(body=body) | tree.Let(body=body):
            return _acts(body)
        case tree.ForEach(collection=tree.Players(others=False), body=body):
            return _acts(body)
        case tree.Repeat(times=tree.Number(value=times), body=body):
            return times > 0 and _acts(body)
        case tree.When() | tree.ForEach() | tree.Repeat():
            return False
    return True

"""Warnings about moves whose source and destination are probably swapped."""

from __future__ import annotations

from collections.abc import Iterable

from kibitz.recycle import tree
from kibitz.recycle.checks.names import describe
from kibitz.recycle.checks.reachable import Knowledge, Place
from kibitz.recycle.checks.report import Report


def check(knowledge: Knowledge, report: Report) -> None:
    """Warns about moves from a place without cards to a place with cards."""
    filled = {place for deck in knowledge.program.decks for place in knowledge.places(deck)}
    later = iter(knowledge.program.items)
    for item in later:
        if not isinstance(item, tree.Block):
            break
        _check_opening(knowledge, report, item.body, filled)
    else:
        return
    filled = {place for place, cards in knowledge.cards.items() if cards}
    for following in (item, *later):
        for node in knowledge.walk(following):
            if isinstance(node, tree.Move):
                _check_move(knowledge, report, node, filled)


def _check_opening(
    knowledge: Knowledge, report: Report, body: tree.Statement, filled: set[Place]
) -> None:
    """Checks the moves of a block before the first stage, and adds their destinations to `filled`.

    A place that a loop fills anywhere counts as filled from the start of the loop.
    """
    for node in knowledge.walk(body):
        if isinstance(node, (tree.ForEach, tree.Repeat, tree.Fork)):
            filled.update(_targets(knowledge, knowledge.walk(node)))
        elif isinstance(node, tree.Move):
            _check_move(knowledge, report, node, filled)
        filled.update(_targets(knowledge, [node]))


def _targets(knowledge: Knowledge, nodes: Iterable[tree.Node]) -> set[Place]:
    """The places into which statements may put cards."""
    piles: list[tree.Expression] = []
    for node in nodes:
        if isinstance(node, tree.Move):
            piles.append(node.pile)
        elif isinstance(node, tree.Remember):
            piles.append(node.memory)
        elif isinstance(node, tree.Swap):
            piles += [node.first, node.second]
    return {place for pile in piles for place in _places(knowledge, pile)}


def _check_move(knowledge: Knowledge, report: Report, move: tree.Move, filled: set[Place]) -> None:
    sources, targets = _places(knowledge, move.card), _places(knowledge, move.pile)
    if not sources or filled & sources or not filled & targets:
        return
    source, target = min(sources), min(filled & targets)
    report.swapped |= sources
    report.warn(
        "swapped",
        move.card.span,
        f"No card can be in the {describe(source)} by now: there is nothing to take.",
        "Swapped? A move names first what it takes, then where that goes; there are cards in "
        f"the {describe(target)}.",
    )


def _places(knowledge: Knowledge, node: tree.Expression) -> set[Place]:
    return {place for pile in knowledge.piles(node) for place in knowledge.places(pile)}

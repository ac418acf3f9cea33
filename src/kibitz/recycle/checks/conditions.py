"""Warnings about conditions that never or always hold, and stages that never begin or end."""

from __future__ import annotations

from kibitz.recycle import tree
from kibitz.recycle.checks.logic import CaseLogic, Cases
from kibitz.recycle.checks.names import describe
from kibitz.recycle.checks.reachable import Knowledge, Place, Visit
from kibitz.recycle.checks.report import Report
from kibitz.recycle.tree import Node

_MOST_SHOWN = 4
"""The maximum number of values or names that a warning lists."""


def check(knowledge: Knowledge, report: Report) -> None:
    """Warns about conditions whose value never changes, and about ends of stages."""
    logic = CaseLogic(knowledge)
    for visit in knowledge.of(tree.Compare):
        _check_comparison(knowledge, report, visit)
    for visit in knowledge.of(tree.Logic):
        node = visit.node
        assert isinstance(node, tree.Logic)
        if node.operator == "and" and _is_undecided(knowledge, node) and not logic.cases(node):
            report.warn(
                "contradiction",
                node.span,
                "These conditions exclude each other: together they never hold.",
                "(or ...) holds if one of them does.",
            )
    for visit in knowledge.of(tree.When):
        _check_when(logic, report, visit)
    for visit in knowledge.of(tree.Stage):
        _check_end(knowledge, report, visit.node)


# --- conditions ---------------------------------------------------------------------------


def _check_comparison(knowledge: Knowledge, report: Report, visit: Visit) -> None:
    node = visit.node
    assert isinstance(node, tree.Compare)
    outcome = knowledge.truth(node)
    if outcome is None:
        return
    if isinstance(node.left, tree.Number) and isinstance(node.right, tree.Number):
        return  # two literals: a deliberate way to write "true" or "false"
    for side in (node.left, node.right):
        if isinstance(side, tree.Stored):
            if not any(place in knowledge.numbers for place in knowledge.places(side)):
                return  # nothing ever sets it; the check of names warns
    sides = [_range(knowledge, side) for side in (node.left, node.right)]
    known = [text for text in sides if text]
    report.warn(
        "constant-condition",
        node.span,
        f"This {'always' if outcome else 'never'} holds{': ' if known else ''}"
        f"{' and '.join(known)}.",
        "Compare it with something else, or leave it out.",
    )


def _range(knowledge: Knowledge, node: tree.Expression) -> str:
    """The range of a number in words; empty for a literal, or if nothing is known."""
    if isinstance(node, tree.Number):
        return ""
    noun = {tree.Size: "a size", tree.Stored: "the stored number"}.get(type(node), "the number")
    low, high, values = knowledge.interval(node)
    if values is not None and len(values) <= _MOST_SHOWN:
        return f"{noun} is only ever {' or '.join(str(value) for value in sorted(values))}"
    if isinstance(node, tree.Size) and low == 1:
        return "there is always at least one"
    if low > float("-inf"):
        return f"{noun} is never less than {int(low)}"
    return f"{noun} is never more than {int(high)}" if high < float("inf") else ""


def _is_undecided(knowledge: Knowledge, node: tree.Logic) -> bool:
    """Whether each part by itself may hold or not, so that no part has a warning of its own."""
    return all(knowledge.truth(operand) is None for operand in node.parts)


def _check_when(logic: CaseLogic, report: Report, visit: Visit) -> None:
    """Warns about a condition that contradicts the conditions around it."""
    node = visit.node
    assert isinstance(node, tree.When)
    own = logic.cases(node.condition)
    around, where = _around(logic, visit)
    if own and around and where is not None and not logic.both(own, around):
        report.warn(
            "contradiction",
            node.condition.span,
            "This never holds where the condition around it does.",
            "What it guards never happens; leave it out, or put it beside the other.",
            notes=((where.span, "The condition around it."),),
        )


def _around(logic: CaseLogic, visit: Visit) -> tuple[Cases, Node | None]:
    """The surrounding conditions that still hold here, and the nearest of them."""
    cases: Cases = ((),)
    nearest: Node | None = None
    for node, child in visit.above():
        if isinstance(node, tree.When):
            cases = logic.both(cases, logic.cases(node.condition))
            nearest = nearest or node.condition
        elif isinstance(node, tree.Do):
            if node.steps[0] is not child:
                break  # an earlier step may change whether the outer condition holds
        elif not isinstance(node, (tree.Let, tree.Fork)):
            break
    return cases, nearest


# --- the ends of stages -------------------------------------------------------------------


def _check_end(knowledge: Knowledge, report: Report, stage: Node) -> None:
    """Warns about a stage that never begins or never ends."""
    assert isinstance(stage, tree.Stage)
    if stage.responders is not None:
        return
    outcome = knowledge.truth(stage.end)
    if outcome is not True and any(isinstance(n, tree.Announce) for n in knowledge.walk(stage)):
        return
    if outcome is True:
        report.warn(
            "never-runs",
            stage.end.span,
            "The stage ends before it begins: its end always holds.",
            "The end is tested before each turn; it should hold only when all is done.",
        )
        return
    if outcome is False:
        report.warn(
            "endless",
            stage.end.span,
            "The stage never ends: its end never holds.",
            "Something that happens in the stage should make it true.",
        )
        return
    if _changes_by_itself(knowledge, stage):
        return
    read = _read(knowledge, stage.end)
    if read.isdisjoint(_written(knowledge, stage)):
        names = ", ".join(describe(place) for place in sorted(read)[:_MOST_SHOWN])
        report.warn(
            "end-unchanged",
            stage.end.span,
            "Nothing in this stage changes what its end depends on"
            f"{f' ({names})' if names else ''}: it never begins or never ends.",
            "Look whether owner, kind and name are the same here and where they are changed.",
        )


def _changes_by_itself(knowledge: Knowledge, stage: tree.Stage) -> bool:
    """Whether the end may change without an action that the check can see.

    It may depend on whose turn it is, on chance, on the teams or on who is out.
    """
    for node in knowledge.walk(stage.end):
        if isinstance(node, tree.CurrentPlayer) and stage.kind == "player":
            return True
        if isinstance(node, tree.Players) and node.others and stage.kind == "player":
            return True
        if isinstance(node, tree.CurrentTeam) and stage.kind == "team":
            return True
        if isinstance(node, (tree.Random, tree.Cycle)):
            return True
    return any(
        isinstance(node, (tree.Cycle, tree.MakeTeams, tree.Eliminate))
        for node in knowledge.walk(stage)
    ) and any(
        isinstance(node, (tree.CurrentPlayer, tree.Players, tree.TeamOf, tree.Members))
        for node in knowledge.walk(stage.end)
    )


def _read(knowledge: Knowledge, end: tree.Expression) -> set[Place]:
    """The places that a condition depends on."""
    places: set[Place] = set()
    for node in knowledge.walk(end):
        if isinstance(node, (tree.Pile, tree.Indexed, tree.Stored, tree.StoredText, tree.Points)):
            places.update(knowledge.places(node))
    return places


def _written(knowledge: Knowledge, stage: tree.Stage) -> set[Place]:
    """The places that the items of a stage may change."""
    places: set[Place] = set()
    for item in stage.items:
        for node in knowledge.walk(item):
            if isinstance(node, (tree.SetNumber, tree.SetText, tree.SetPoints)):
                places.update(knowledge.places(node.target))
                continue
            moved: tuple[tree.Expression, ...] = ()
            if isinstance(node, tree.Move):
                moved = (node.card, node.pile)
            elif isinstance(node, (tree.Remember, tree.Forget)):
                moved = (node.memory,)
            elif isinstance(node, tree.Shuffle):
                moved = (node.pile,)
            elif isinstance(node, tree.Swap):
                moved = (node.first, node.second)
            for expression in moved:
                for pile in knowledge.piles(expression):
                    places.update(knowledge.places(pile))
    return places

"""Data dependence within options: whether an earlier step changes the picks of a later one."""

from __future__ import annotations

from collections.abc import Sequence

from kibitz.recycle import tree
from kibitz.recycle.tree import Type


def has_common_score(program: tree.Program) -> bool:
    """Whether all players have the same score, since the scoring depends on none of them."""
    own = tree.CurrentPlayer | tree.CurrentTeam | tree.Random | tree.Best
    return not any(
        isinstance(node, own) or getattr(node, "others", False)
        for number in program.scoring
        for node in tree.walk(number)
    )


def forks_below(statement: tree.Node) -> bool:
    """Whether a statement contains a fork."""
    return any(isinstance(node, tree.Fork) for node in tree.walk(statement))


def choices(items: Sequence[tree.Item]) -> list[tree.Choice]:
    """All choices of a game, in the order of the source."""
    collected: list[tree.Choice] = []
    for item in items:
        if isinstance(item, tree.Choice):
            collected.append(item)
        elif isinstance(item, tree.Stage):
            collected += choices(item.items)
    return collected


def needs_trial(clause: tree.Statement) -> bool:
    """Whether the options of a clause must be tried to list them.

    They must be if an earlier step changes a later condition or pick.
    """
    return _conflict(clause, set())


def late_forks(clause: tree.Statement) -> set[tree.Fork]:
    """The forks that follow a move of cards in the same option.

    The chooser may not have known a card that is picked there when choosing the option.
    """
    forks: set[tree.Fork] = set()
    if needs_trial(clause):
        _mark_late(clause, False, forks)
    return forks


def _mark_late(node: tree.Statement, moved: bool, forks: set[tree.Fork]) -> bool:
    """Collects the late forks of a statement; returns whether cards have been moved by its end."""
    match node:
        case tree.Do():
            for step in node.steps:
                moved = _mark_late(step, moved, forks)
        case tree.Cases():
            by_case = [_mark_late(case.body, moved, forks) for case in node.cases]
            moved = moved or any(by_case)
        case tree.ForEach() | tree.Repeat():
            for _ in range(2):
                moved = _mark_late(node.body, moved, forks)
        case tree.Fork():
            if moved:
                forks.add(node)
            moved = _mark_late(node.body, moved, forks)
        case tree.When() | tree.Let():
            moved = _mark_late(node.body, moved, forks) or moved
        case tree.Move() | tree.Swap() | tree.Shuffle() | tree.Remember() | tree.Reveal():
            moved = True
    return moved


Resource = tuple[str, str]
"""A part of the state that rules write or read: its kind, and its name or ``*`` for any."""


def _conflict(node: tree.Statement, written: set[Resource]) -> bool:
    """Adds what a statement writes to `written`; returns whether it reads what was written."""
    match node:
        case tree.Do():
            return any(_conflict(step, written) for step in node.steps)
        case tree.When():
            return touches(node.condition, written) or _conflict(node.body, written)
        case tree.Cases():
            by_case = [_conflict(case.body, written) for case in node.cases]
            return touches(node.key, written) or any(by_case)
        case tree.Fork():
            return touches(node.collection, written) or _conflict(node.body, written)
        case tree.ForEach():
            again = (_conflict(node.body, written) for _ in range(2))
            return touches(node.collection, written) or any(again)
        case tree.Let():
            return touches(node.value, written) or _conflict(node.body, written)
        case tree.Repeat():
            again = (_conflict(node.body, written) for _ in range(2))
            return touches(node.times, written) or any(again)
        case tree.Move():
            if _touches_place(node.card, written):
                return True
            written |= written_by(node)
        case _:
            written |= written_by(node)
    return False


def _touches_place(card: tree.Expression, written: set[Resource]) -> bool:
    """Whether earlier writes may empty the place from which a card is taken."""
    match card:
        case tree.CardAt(which=which, cards=cards):
            number = not isinstance(which, str) and touches(which, written)
            return number or touches(cards, written)
        case tree.Best(cards=cards):
            return touches(cards, written)
    return False


def written_by(action: tree.Action) -> set[Resource]:
    """The locations and storages that an action may change."""
    match action:
        case tree.Move(card=card, pile=pile):
            source = card.cards if isinstance(card, tree.CardAt) else None
            return {_pile(pile), _pile(source)}
        case tree.Remember() | tree.Forget() | tree.Shuffle() | tree.Swap() | tree.Reveal():
            return {("pile", "*")}
        case tree.SetNumber(target=target):
            return {("sto", _name_of(target.name))}
        case tree.SetText(target=target):
            return {("str", _name_of(target.name))}
        case tree.SetPoints(target=target):
            return {("points", _name_of(target.name))}
        case tree.Cycle() | tree.MakeTeams():
            return {("cycle", "*")}
    return set()


def _pile(e: tree.Expression | None) -> Resource:
    return "pile", _name_of(e.name) if isinstance(e, tree.Pile) else "*"


def _name_of(name: tree.Expression) -> str:
    return name.value if isinstance(name, tree.Text) else "*"


def touches(e: tree.Node, written: set[Resource]) -> bool:
    """Whether an expression reads what was written before, or may be random."""
    return any(
        isinstance(node, tree.Random | tree.Best) or reads(node, written) for node in tree.walk(e)
    )


def reads(node: tree.Node, written: set[Resource]) -> bool:
    """Whether a node itself, without its children, reads what was written before."""
    match node:
        case tree.Pile() | tree.Indexed():
            kind, name = "pile", _name_of(node.name)
        case tree.OwnerOf():
            kind, name = "pile", "*"
        case tree.Stored():
            kind, name = "sto", _name_of(node.name)
        case tree.StoredText():
            kind, name = "str", _name_of(node.name)
        case tree.Points():
            kind, name = "points", _name_of(node.name)
        case tree.CurrentPlayer() | tree.CurrentTeam() | tree.TeamOf() | tree.Members():
            kind, name = "cycle", "*"
        case tree.Variable(type=Type.PILE):
            kind, name = "pile", "*"
        case _:
            return False
    return any(of == kind and (name == other or "*" in (name, other)) for of, other in written)

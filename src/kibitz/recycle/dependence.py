"""Data dependence within options: does an earlier step change what a later one offers?"""

from __future__ import annotations

from collections.abc import Sequence

from kibitz.recycle import tree
from kibitz.recycle.tree import Type


def forks_below(statement: tree.Node) -> bool:
    """Whether a statement contains a fork."""
    return any(isinstance(node, tree.Fork) for node in tree.walk(statement))


def choices(items: Sequence[tree.Item]) -> list[tree.Choice]:
    """All choices of a game, in the order of the source."""
    found: list[tree.Choice] = []
    for item in items:
        if isinstance(item, tree.Choice):
            found.append(item)
        elif isinstance(item, tree.Stage):
            found += choices(item.items)
    return found


def needs_trial(clause: tree.Statement) -> bool:
    """Whether options must be tried out to list them: an earlier step changes a later pick."""
    return _conflict(clause, set())


def late_forks(clause: tree.Statement) -> set[tree.Fork]:
    """The picks that come after cards were moved in the same option.

    A card picked there may have been unknown when the option was chosen.
    """
    found: set[tree.Fork] = set()
    if needs_trial(clause):
        _mark_late(clause, False, found)
    return found


def _mark_late(node: tree.Statement, moved: bool, found: set[tree.Fork]) -> bool:
    """Collects the late forks of a statement; returns whether cards have been moved by its end."""
    match node:
        case tree.Do():
            for step in node.steps:
                moved = _mark_late(step, moved, found)
        case tree.ForEach() | tree.Repeat():
            for _ in range(2):
                moved = _mark_late(node.body, moved, found)
        case tree.Fork():
            if moved:
                found.add(node)
            moved = _mark_late(node.body, moved, found)
        case tree.When() | tree.Let():
            moved = _mark_late(node.body, moved, found) or moved
        case tree.Move() | tree.Swap() | tree.Shuffle() | tree.Remember() | tree.Reveal():
            moved = True
    return moved


Resource = tuple[str, str]
"""What rules write and read: a kind, and a name or ``*`` for any."""


def _conflict(node: tree.Statement, written: set[Resource]) -> bool:
    """Collects what a statement writes; returns whether it reads any of it later."""
    match node:
        case tree.Do():
            return any(_conflict(step, written) for step in node.steps)
        case tree.When():
            return touches(node.condition, written) or _conflict(node.body, written)
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
    """Whether earlier writes may empty the place that a card is taken from."""
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
    """Whether an expression reads something written before, or draws at random."""
    return any(
        isinstance(node, tree.Random | tree.Best) or reads(node, written) for node in tree.walk(e)
    )


def reads(node: tree.Node, written: set[Resource]) -> bool:
    """Whether a node itself, without its children, reads something written before."""
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

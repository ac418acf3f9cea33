"""Warnings about names that are used once, only written, only read, or alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from kibitz.recycle import tree
from kibitz.recycle.checks.reachable import Knowledge, Place, Visit
from kibitz.recycle.checks.report import Report
from kibitz.recycle.tree import Node
from kibitz.syntax.source import Span

_WHAT = {"sto": "number", "str": "name", "points": "point map"}
_STORAGES = ("sto", "str", "points")
_MOST_NAMES = 400
"""With more names in a program, none are compared."""


class _Uses:
    """Where a name is used."""

    def __init__(self) -> None:
        self.written: list[Span] = []
        self.read: list[Span] = []

    @property
    def first(self) -> Span:
        """Where it is used first."""
        return min(self.written + self.read)


def check(knowledge: Knowledge, report: Report) -> None:
    """Warns about names that are only ever written, only ever read, or nearly alike."""
    uses, exact = _uses(knowledge)
    deals = Place("game", "sto", knowledge.program.deals)
    for place, use in uses.items():
        if not use.written:
            _never_written(report, place, use, uses)
        elif not use.read and place in exact and place != deals:
            _never_read(report, place, use, uses)
    _alike(report, uses, exact)


def _uses(knowledge: Knowledge) -> tuple[dict[Place, _Uses], set[Place]]:
    """The uses of every name, and the names that are written out somewhere."""
    uses: dict[Place, _Uses] = defaultdict(_Uses)
    exact: set[Place] = set()
    for deck in knowledge.program.decks:
        for place in knowledge.places(deck):
            uses[place].written.append(deck.span)
            exact.add(place)
    for visit in knowledge.of(tree.Pile, tree.Indexed, tree.Stored, tree.StoredText, tree.Points):
        node = visit.node
        assert isinstance(
            node, (tree.Pile, tree.Indexed, tree.Stored, tree.StoredText, tree.Points)
        )
        written, read = _use(visit)
        for place in knowledge.places(node):
            if isinstance(node.name, tree.Text):
                exact.add(place)
            if written:
                uses[place].written.append(node.span)
            if read:
                uses[place].read.append(node.span)
    return uses, exact


def _use(visit: Visit) -> tuple[bool, bool]:
    """Whether a node is written, and whether it is read."""
    node: Node = visit.node
    for around, part in visit.above():
        if isinstance(around, (tree.SetNumber, tree.SetText, tree.SetPoints)):
            return (True, False) if around.target is node else (False, True)
        if isinstance(around, tree.Move):
            return (True, False) if around.pile is node else (False, True)
        if isinstance(around, tree.Remember):
            return (True, False) if around.memory is node else (False, True)
        if isinstance(around, tree.Swap):
            return True, True
        if isinstance(around, tree.Forget):
            return (False, False) if around.memory is node else (False, True)
        if isinstance(around, tree.Shuffle):
            return (False, False) if around.pile is node else (False, True)
        if isinstance(around, tree.Action):
            break
        if part is not node and not isinstance(around, tree.Expression):
            break
    return False, True


def _never_written(report: Report, place: Place, use: _Uses, uses: dict[Place, _Uses]) -> None:
    if not use.read or place in report.swapped:
        return  # it is shuffled, and no more; or it is told already
    meant = _meant(place, uses, lambda its: bool(its.written), lambda its: not its.read)
    what = describe(place)
    if place.kind == "points":
        message = f"No points are ever set in the {what}: each card scores 0 by it."
        cure = "(set (game points NAME) (((ATTRIBUTE : VALUE) POINTS) ...)) sets them."
    elif place.kind in _STORAGES:
        value = "0" if place.kind == "sto" else "the empty name"
        message = f"Nothing ever sets the {what}: it is always {value}."
        cure = "Set it, or leave out what asks for it."
    else:
        message = f"No card is ever put into the {what}: it is always empty."
        cure = "Leave it out, or move cards there."
    code = "never-set" if place.kind in _STORAGES else "never-filled"
    report.warn(code, use.first, message, meant or cure)


def _never_read(report: Report, place: Place, use: _Uses, uses: dict[Place, _Uses]) -> None:
    meant = _meant(place, uses, lambda its: bool(its.read), lambda its: not its.written)
    what = describe(place)
    if place.kind in _STORAGES:
        message = f"Nothing ever looks at the {what}."
        cure = meant or "Leave it out if it is not needed."
        report.warn("never-read", use.first, message, cure)
    elif meant:
        message = f"Cards are put into the {what}, and nothing ever looks at them."
        report.warn("similar-names", use.first, message, meant)


def _meant(
    place: Place,
    uses: dict[Place, _Uses],
    fits: Callable[[_Uses], bool],
    lacks: Callable[[_Uses], bool],
) -> str:
    """Which name was probably meant, as a sentence; empty if none comes near.

    Args:
        place: what is used on one side only.
        uses: of all names.
        fits: whether a name is used on the other side.
        lacks: whether it is used there only, so that the two make a pair.
    """
    if len(uses) > _MOST_NAMES:
        return ""
    others = [other for other, its in uses.items() if other != place and fits(its)]
    for other in others:
        if (other.owner, other.kind) == (place.owner, place.kind):
            if near(place.name, other.name, 2 if lacks(uses[other]) else 1):
                return f"Did you mean {other.name}?"
    for other in others:
        if other.name == place.name and (other.kind in _STORAGES) == (place.kind in _STORAGES):
            if other.kind == place.kind:
                return f"The {describe(other)} is something else: the owner is part of what it is."
            if other.owner == place.owner and place.kind not in _STORAGES:
                return f"The {describe(other)} is another place: the kind is part of what it is."
    return ""


def _alike(report: Report, uses: dict[Place, _Uses], exact: set[Place]) -> None:
    """Warns about two names in good use that differ by a typical slip."""
    places = [place for place in uses if place in exact and len(place.name) >= 6]
    if len(places) > _MOST_NAMES:
        return
    for number, place in enumerate(places):
        for other in places[:number]:
            if place.owner != other.owner or place.kind != other.kind:
                continue
            if not (uses[place].written and uses[place].read):
                continue
            if not (uses[other].written and uses[other].read):
                continue
            if _is_typing_slip(place.name, other.name):
                report.warn(
                    "similar-names",
                    max(uses[place].first, uses[other].first),
                    f"{place.name} and {other.name} are two different names.",
                    "If they should be the same, write them alike.",
                )


def _is_typing_slip(one: str, other: str) -> bool:
    """Whether two words differ inside by one letter that is doubled, left out or swapped."""
    if one[0] != other[0] or one[-1] != other[-1] or distance(one, other, 1) != 1:
        return False
    if any(letter.isdigit() for letter in one + other):
        return False
    return sorted(one) == sorted(other) or len(one) != len(other)


def near(one: str, other: str, most: int = 2) -> bool:
    """Whether a word may be a slip for another; only one letter may differ in a short one."""
    shortest = min(len(one), len(other))
    if shortest < 3 or {*"0123456789"} & {*one, *other}:
        return False
    most = most if shortest >= 5 else 1
    return 0 < distance(one, other, most) <= most


def distance(one: str, other: str, most: int) -> int:
    """How many letters have to be added, left out, changed or swapped; more than `most` if so."""
    if abs(len(one) - len(other)) > most or max(len(one), len(other)) > 60:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        before, previous, row = row, before, [i]
        for j, counterpart in enumerate(other, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != counterpart))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == counterpart:
                cost = min(cost, previous[j - 2] + 1)
            row.append(cost)
    return row[-1]


def describe(place: Place) -> str:
    """A place in words."""
    what = _WHAT.get(place.kind, f"'{place.kind}'")
    owner = "game" if place.owner == "game" else f"{place.owner}s"
    return f"{what} {place.name} of the {owner}"

"""Warnings about names that are only written, only read, or nearly alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from kibitz.recycle import tree
from kibitz.recycle.checks.reachable import Knowledge, Place, Visit
from kibitz.recycle.checks.report import Report
from kibitz.recycle.tree import Node
from kibitz.syntax.source import Span

_NOUNS = {"sto": "number", "str": "name", "points": "point map"}
_STORAGES = ("sto", "str", "points")
_MOST_NAMES = 400
"""The maximum number of names in a program whose names are compared with each other."""


class _Uses:
    """The spans where a name is written and where it is read."""

    def __init__(self) -> None:
        self.written: list[Span] = []
        self.read: list[Span] = []

    @property
    def first(self) -> Span:
        """The span of the first use of the name."""
        return min(self.written + self.read)


def check(knowledge: Knowledge, report: Report) -> None:
    """Warns about names that are only written, only read, or nearly alike."""
    uses, exact = _uses(knowledge)
    deals = Place("game", "sto", knowledge.program.deals)
    for place, use in uses.items():
        if not use.written:
            _never_written(report, place, use, uses)
        elif not use.read and place in exact and place != deals:
            _never_read(report, place, use, uses)
    _alike(report, uses, exact)


def _uses(knowledge: Knowledge) -> tuple[dict[Place, _Uses], set[Place]]:
    """The uses of every name, and the names that appear literally in the program."""
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
    """Whether the program writes a location or storage at a node, and whether it reads it."""
    node: Node = visit.node
    for around, child in visit.above():
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
        if child is not node and not isinstance(around, tree.Expression):
            break
    return False, True


def _never_written(report: Report, place: Place, use: _Uses, uses: dict[Place, _Uses]) -> None:
    """Warns about a name that is read and never written."""
    if not use.read or place in report.swapped:
        return  # it is only shuffled, or another check has warned about it
    meant = _meant(place, uses, lambda its: bool(its.written), lambda its: not its.read)
    noun = describe(place)
    if place.kind == "points":
        message = f"No points are ever set in the {noun}: each card scores 0 by it."
        cure = "(set (game points NAME) (((ATTRIBUTE : VALUE) POINTS) ...)) sets them."
    elif place.kind in _STORAGES:
        value = "0" if place.kind == "sto" else "the empty name"
        message = f"Nothing ever sets the {noun}: it is always {value}."
        cure = "Set it, or leave out what asks for it."
    else:
        message = f"No card is ever put into the {noun}: it is always empty."
        cure = "Leave it out, or move cards there."
    code = "never-set" if place.kind in _STORAGES else "never-filled"
    report.warn(code, use.first, message, meant or cure)


def _never_read(report: Report, place: Place, use: _Uses, uses: dict[Place, _Uses]) -> None:
    """Warns about a storage that is never read, or a location whose name is probably a mistake."""
    meant = _meant(place, uses, lambda its: bool(its.read), lambda its: not its.written)
    noun = describe(place)
    if place.kind in _STORAGES:
        message = f"Nothing ever looks at the {noun}."
        cure = meant or "Leave it out if it is not needed."
        report.warn("never-read", use.first, message, cure)
    elif meant:
        message = f"Cards are put into the {noun}, and nothing ever looks at them."
        report.warn("similar-names", use.first, message, meant)


def _meant(
    place: Place,
    uses: dict[Place, _Uses],
    fits: Callable[[_Uses], bool],
    lacks: Callable[[_Uses], bool],
) -> str:
    """A sentence with the name that the author probably meant; empty if none is similar.

    Args:
        place: A name that is only read, or only written.
        uses: The uses of all names.
        fits: Whether a name is used in the way that `place` lacks.
        lacks: Whether a name is used only in that way, so that both are probably the same name.
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
    """Warns about two names, both written and read, that differ by a typical typing error."""
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


def _is_typing_slip(first: str, second: str) -> bool:
    """Whether two words differ by one inner letter that is added, or two that are swapped."""
    if first[0] != second[0] or first[-1] != second[-1] or distance(first, second, 1) != 1:
        return False
    if any(letter.isdigit() for letter in first + second):
        return False
    return sorted(first) == sorted(second) or len(first) != len(second)


def near(first: str, second: str, most: int = 2) -> bool:
    """Whether one of two words may be a misspelling of the other.

    At most `most` letters may differ, and at most one if a word has fewer than five letters. Words
    with digits or with fewer than three letters are never taken for misspellings.
    """
    shortest = min(len(first), len(second))
    if shortest < 3 or {*"0123456789"} & {*first, *second}:
        return False
    most = most if shortest >= 5 else 1
    return 0 < distance(first, second, most) <= most


def distance(first: str, second: str, most: int) -> int:
    """The number of letters to add, leave out, change or swap to turn one word into another.

    If it exceeds `most`, the result is some number above `most`.
    """
    if abs(len(first) - len(second)) > most or max(len(first), len(second)) > 60:
        return most + 1
    before: list[int] = []
    row = list(range(len(second) + 1))
    for i, letter in enumerate(first, start=1):
        before, previous, row = row, before, [i]
        for j, counterpart in enumerate(second, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != counterpart))
            if i > 1 and j > 1 and letter == second[j - 2] and first[i - 2] == counterpart:
                cost = min(cost, previous[j - 2] + 1)
            row.append(cost)
    return row[-1]


def describe(place: Place) -> str:
    """A place in words, such as ``number SCORE of the players``."""
    noun = _NOUNS.get(place.kind, f"'{place.kind}'")
    owner = "game" if place.owner == "game" else f"{place.owner}s"
    return f"{noun} {place.name} of the {owner}"

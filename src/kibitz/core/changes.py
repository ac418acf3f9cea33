"""The changes that an action makes at the table, as far as an observer can see them.

Rules that can be traced log their changes; for all others the changes are found by comparing the
observer's observations before and after. Cards that the observer cannot tell apart are only
counted, so the result depends on nothing but what the observer sees.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from kibitz.core.state import State

Owner: TypeAlias = int | str | None
"""A seat, the name of a team, or nobody."""


class Place(NamedTuple):
    """Where pieces lie: ``hand`` of a player, or ``stock``."""

    name: str
    owner: Owner = None


@dataclass(frozen=True)
class Moved:
    """A card went from one place to another."""

    card: str | None
    """``None``: the observer does not know which."""
    source: Place
    target: Place


@dataclass(frozen=True)
class Exchanged:
    """Two cards changed places."""

    first: Place
    second: Place
    from_first: str | None
    from_second: str | None


@dataclass(frozen=True)
class Shown:
    """The observer came to know a card where it lies."""

    card: str
    place: Place


@dataclass(frozen=True)
class Shuffled:
    """The cards of a place were shuffled."""

    place: Place


@dataclass(frozen=True)
class Counted:
    """A number went up or down: chips, points, tricks."""

    name: str
    owner: Owner
    before: int
    after: int


@dataclass(frozen=True)
class Paused:
    """Separates what happened later from what came before."""


@dataclass(frozen=True)
class Event:
    """Something that happened, as it is told to one seat.

    Attributes:
        kind: ``action``, ``move``, ``deal``, ``shuffle``, ``number`` ...
        text: a sentence.
        data: the same for programs, as JSON; players are numbered from 1.
    """

    kind: str
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)


Change: TypeAlias = Moved | Exchanged | Shown | Shuffled | Counted | Paused | Event


def place_of(path: str, owner: Owner, several: bool = False) -> Place:
    """The place to which a path in the state leads, with its name for people.

    Args:
        path: such as ``hands[2]``.
        owner: whose it is.
        several: whether the path names one of many: of ``hands``, each is a ``hand``.
    """
    name, _, rest = path.partition("[")
    tail = rest.partition("]")[2]
    if several and not tail and name.endswith("s") and not name.endswith("ss"):
        name = name[:-3] + "y" if name.endswith("ies") else name[:-1]
    return Place((name + tail).replace("_", " ").replace(".", " "), owner)


def unsaid_changes(
    before: State, after: State, observer: int | None, said: str
) -> Iterator[Change]:
    """The changes that an observer sees and that the text of the action does not mention.

    Args:
        before: the state before an action.
        after: the state after it.
        observer: a seat; ``None``: somebody who sees what all players see.
        said: the words. A card that they name is taken to have left the acting player.
    """
    mover = before.current_player
    seats = range(before.players) if observer is None else (observer,)
    for seat in seats:
        before, after = before.observation(seat), after.observation(seat)
    for change in observed_changes(before, after):
        named = isinstance(change, Moved) and change.card is not None and change.card in said
        if not (named and isinstance(change, Moved) and change.source.owner == mover):
            yield change


def observed_changes(before: State, after: State) -> Iterator[Change]:
    """The differences between two observations of the same observer.

    If a round has ended in between, cards were gathered and dealt anew; their moves cannot be
    inferred, and are left out.
    """
    was = {instance.path: view for instance, view in before.instances()}
    piles: dict[str, list[_Pile]] = {}
    for instance, view in after.instances():
        here = instance.component.contents(view)
        of_many = here is not None and instance.owner is not None
        place = place_of(instance.path, instance.owner, of_many)
        if here is None:
            number = instance.component.number(view)
            old = instance.component.number(was[instance.path])
            if number is not None and old is not None and number != old:
                yield Counted(place.name, place.owner, old, number)
            continue
        then = instance.component.contents(was[instance.path]) or ()
        piles.setdefault(instance.component.piece_kind, []).append(_Pile(place, then, here))
    if after.view.round == before.view.round:
        for group in piles.values():
            yield from _flows(group)


def flows(
    piles: Sequence[tuple[Place, Sequence[str | None], Sequence[str | None]]],
) -> Iterator[Change]:
    """The fewest moves between places that explain what lies there afterwards.

    Args:
        piles: each place with the cards before and after; ``None`` for one that is not known.
    """
    yield from _flows([_Pile(*pile) for pile in piles])


class _Pile:
    """The cards that one place lost and got, as far as the observer can tell."""

    def __init__(
        self, place: Place, before: Sequence[str | None], after: Sequence[str | None]
    ) -> None:
        self.place = place
        then, now = Counter(before), Counter(after)
        self.lost, self.got = then - now, now - then


def _flows(piles: Sequence[_Pile]) -> Iterator[Change]:
    """The fewest moves that explain what piles lost and got, the most certain ones first."""
    yield from _matched(piles, lambda lost, got: lost == got is not None)
    for pile in piles:  # turned over where it lay
        for card in list(pile.got):
            while card is not None and pile.got[card] and pile.lost[None]:
                pile.got[card] -= 1
                pile.lost[None] -= 1
                yield Shown(card, pile.place)
        for card in list(pile.lost):
            if card is not None and pile.got[None]:
                turned = min(pile.lost[card], pile.got[None])
                pile.lost[card] -= turned
                pile.got[None] -= turned
    yield from _matched(piles, lambda lost, got: lost is None or got is None)


def _matched(
    piles: Sequence[_Pile], fits: Callable[[str | None, str | None], bool]
) -> Iterator[Moved]:
    for target in piles:
        same_owner_first = sorted(piles, key=lambda pile: pile.place.owner != target.place.owner)
        for got in list(target.got):
            for source in same_owner_first:
                for lost in list(source.lost):
                    if source is target or not fits(lost, got):
                        continue
                    number = min(target.got[got], source.lost[lost])
                    target.got[got] -= number
                    source.lost[lost] -= number
                    for _ in range(number):
                        yield Moved(got or lost, source.place, target.place)

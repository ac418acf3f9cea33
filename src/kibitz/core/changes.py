"""The changes that an action makes at the table, as far as an observer can see them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from kibitz.core.deeds import told
from kibitz.core.wording import addressed, capitalized

Owner: TypeAlias = int | str | None
"""The owner of a place or a number: a seat, the name of a team, or ``None``."""


class Place(NamedTuple):
    """A place where pieces lie: a player's ``hand``, or the ``stock``."""

    name: str
    owner: Owner = None
    verb: str = ""
    """What players do who put a card of their own there, such as ``show``; may be empty."""


@dataclass(frozen=True)
class Moved:
    """A card moved from one place to another."""

    card: str | None
    """The name of the card; ``None`` if the observer does not know it."""
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
class Won:
    """A player won the trick whose cards are moved beside it."""

    player: int


@dataclass(frozen=True)
class Counted:
    """A number went up or down: chips, points, tricks."""

    name: str
    owner: Owner
    before: int
    after: int


@dataclass(frozen=True)
class Paused:
    """Separates later changes from earlier ones."""


@dataclass(frozen=True)
class Standing:
    """A round has ended: here the log reports the standing."""


@dataclass(frozen=True)
class Event:
    """An event of a game, as one seat sees it.

    Attributes:
        kind: ``action``, ``move``, ``deal``, ``shuffle``, ``number`` ...
        text: the event as a sentence.
        data: the event as JSON, for programs; players are numbered from 1.
    """

    kind: str
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)


CHOICE = "choice"
"""The kind of the event by which a choice made in secret becomes known."""
Change: TypeAlias = (
    Moved | Exchanged | Shown | Shuffled | Won | Counted | Paused | Standing | Event
)


def choice_event(player: int, words: str, observer: int | None) -> Event:
    """The event by which an observer learns what a player has chosen before, in secret."""
    data = {"player": player + 1, "words": str(words)}
    return Event(CHOICE, f"{told(words, player, observer).removesuffix('.')}.", data)


def out_event(player: int, observer: int | None) -> Event:
    """The event by which an observer learns that a player is out."""
    verb = "are" if player == observer else "is"
    text = f"{capitalized(addressed(player, observer))} {verb} out."
    return Event("out", text, {"player": player + 1})


def place_of(path: str, owner: Owner, one_of_many: bool = False) -> Place:
    """The place of a path in the state, such as ``hands[2]``, with its name for people.

    If it is `one_of_many`, the name is in the singular: each of the ``hands`` is a ``hand``.
    """
    name, _, index = path.partition("[")
    tail = index.partition("]")[2]
    if one_of_many and not tail and name.endswith("s") and not name.endswith("ss"):
        name = name[:-3] + "y" if name.endswith("ies") else name[:-1]
    return Place((name + tail).replace("_", " ").replace(".", " "), owner)


def flows(
    piles: Sequence[tuple[Place, Sequence[str | None], Sequence[str | None]]],
) -> Iterator[Change]:
    """The fewest moves between places that explain the change of their contents.

    Args:
        piles: each place with the cards before and after; an unknown card is ``None``.
    """
    yield from _flows([_Pile(*pile) for pile in piles])


class _Pile:
    """The cards that a place lost and gained, as far as the observer can tell."""

    def __init__(
        self, place: Place, before: Sequence[str | None], after: Sequence[str | None]
    ) -> None:
        self.place = place
        old_counts, new_counts = Counter(before), Counter(after)
        self.lost, self.gained = old_counts - new_counts, new_counts - old_counts


def _flows(piles: Sequence[_Pile]) -> Iterator[Change]:
    """The fewest moves that explain what piles lost and gained, the most certain ones first."""
    yield from _matched(piles, lambda lost, gained: lost == gained is not None)
    for pile in piles:  # cards that were turned over in their place
        for card in list(pile.gained):
            while card is not None and pile.gained[card] and pile.lost[None]:
                pile.gained[card] -= 1
                pile.lost[None] -= 1
                yield Shown(card, pile.place)
        for card in list(pile.lost):
            if card is not None and pile.gained[None]:
                turned = min(pile.lost[card], pile.gained[None])
                pile.lost[card] -= turned
                pile.gained[None] -= turned
    yield from _matched(piles, lambda lost, gained: lost is None or gained is None)


def _matched(
    piles: Sequence[_Pile], fits: Callable[[str | None, str | None], bool]
) -> Iterator[Moved]:
    """Moves of lost cards to piles that gained cards which fit them; from the same owner first."""
    for target in piles:
        same_owner_first = sorted(piles, key=lambda pile: pile.place.owner != target.place.owner)
        for gained in list(target.gained):
            for source in same_owner_first:
                for lost in list(source.lost):
                    if source is target or not fits(lost, gained):
                        continue
                    number = min(target.gained[gained], source.lost[lost])
                    target.gained[gained] -= number
                    source.lost[lost] -= number
                    for _ in range(number):
                        yield Moved(gained or lost, source.place, target.place)

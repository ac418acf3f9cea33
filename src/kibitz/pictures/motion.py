"""Motion between two pictures of a table: where new cards come from, and where others go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kibitz.core.changes import Moved, Place, Shown, flows
from kibitz.pictures.drawing import Picture
from kibitz.pictures.look import BACK
from kibitz.pictures.pen import slug


@dataclass(frozen=True)
class Motion:
    """Motion between two pictures, besides that of things in both.

    Attributes:
        came: the origin of each thing that is only in the second picture: a thing of the first
            one, such as a card of a hand, a pile, or a player.
        went: the destination of each thing that is only in the first picture: a thing of the
            second.
    """

    came: Mapping[str, str] = field(default_factory=dict)
    went: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Mapping[str, str]]:
        """The origins as ``came`` and the destinations as ``went``."""
        return {"came": self.came, "went": self.went}


def motion(before: Picture, after: Picture) -> Motion | None:
    """The motion between two pictures of the same seat.

    It is found by comparing the pictures, so it reveals nothing that they do not show.

    Args:
        after: a picture of the same table, later or earlier.

    Returns:
        The motion; ``None`` if a new round has begun or the pictures are of different tables.
    """
    if before.round != after.round or before.piles.keys() != after.piles.keys():
        return None
    kinds: dict[str, list[tuple[Place, list[str | None], list[str | None]]]] = {}
    for place, pile in before.piles.items():
        later = after.piles[place]
        kinds.setdefault(pile.kind, []).append((place, _known(pile.things), _known(later.things)))
    came: dict[str, str] = {}
    went: dict[str, str] = {}
    for change in (change for piles in kinds.values() for change in flows(piles)):
        if isinstance(change, Shown):
            _put(came, change.card, _gone(before, after, change.place, went))
        elif isinstance(change, Moved):
            source = change.card if change.card in before.things else ""
            source = source or _gone(before, after, change.source, went)
            target = change.card if change.card in after.things else ""
            target = target or _new(before, after, change.target, came)
            if target and target not in before.things:
                _put(came, target, source or _anchor(before, change.source))
            elif source and source not in after.things:
                _put(went, source, target or _anchor(after, change.target))
    return Motion(came, went)


def _put(moves: dict[str, str], thing_id: str, other: str) -> None:
    if thing_id and other and thing_id != other:
        moves[thing_id] = other


def _known(thing_ids: tuple[str, ...]) -> list[str | None]:
    """The ids of known cards; ``None`` for others, whose ids depend on the place alone."""
    return [None if thing_id.startswith(BACK) else thing_id for thing_id in thing_ids]


def _gone(before: Picture, after: Picture, place: Place, used: Mapping[str, str]) -> str:
    """The id of a drawn card that has left a place, or an empty text."""
    return next(
        (
            thing_id
            for thing_id in reversed(before.piles[place].things)
            if thing_id in before.things and thing_id not in after.things and thing_id not in used
        ),
        "",
    )


def _new(before: Picture, after: Picture, place: Place, used: Mapping[str, str]) -> str:
    """The id of a drawn card that has come to a place, or an empty text."""
    return _gone(after, before, place, used)


def _anchor(picture: Picture, place: Place) -> str:
    """The id of the element that represents a place: the pile, its last card, or the player."""
    cards = [thing_id for thing_id in picture.piles[place].things if thing_id in picture.things]
    candidates = [f"pile-{slug(place.name)}", *cards[-1:]]
    if isinstance(place.owner, int):
        candidates.append(f"seat-{place.owner}")
    return next((thing_id for thing_id in candidates if thing_id in picture.things), "")

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
        came: for things that are only in the second picture the thing of the first one from which
            they come: a card of a hand, a pile, a player.
        went: for things that are only in the first picture the thing of the second one to which
            they go.
    """

    came: Mapping[str, str] = field(default_factory=dict)
    went: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Mapping[str, str]]:
        """Both by name."""
        return {"came": self.came, "went": self.went}


def motion(before: Picture, after: Picture) -> Motion | None:
    """The motion between two pictures of the same seat.

    It is found by comparing the pictures, so it tells nothing that they do not show.

    Args:
        before: of a table.
        after: of the same table, later or earlier.

    Returns:
        The motion; ``None`` if there is none to be shown, since a new round has begun or the
        pictures are of different tables.
    """
    if before.round != after.round or before.piles.keys() != after.piles.keys():
        return None
    kinds: dict[str, list[tuple[Place, list[str | None], list[str | None]]]] = {}
    for place, then in before.piles.items():
        now = after.piles[place]
        kinds.setdefault(then.kind, []).append((place, _known(then.things), _known(now.things)))
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


def _put(found: dict[str, str], thing: str, other: str) -> None:
    if thing and other and thing != other:
        found[thing] = other


def _known(things: tuple[str, ...]) -> list[str | None]:
    """The ids of the cards that are known; those of places say nothing about the card."""
    return [None if thing.startswith(BACK) else thing for thing in things]


def _gone(before: Picture, after: Picture, place: Place, used: Mapping[str, str]) -> str:
    """A hidden card that has left a place, if one was drawn there."""
    return next(
        (
            thing
            for thing in reversed(before.piles[place].things)
            if thing in before.things and thing not in after.things and thing not in used
        ),
        "",
    )


def _new(before: Picture, after: Picture, place: Place, used: Mapping[str, str]) -> str:
    """A hidden card that has come to a place, if one is drawn there."""
    return _gone(after, before, place, used)


def _anchor(picture: Picture, place: Place) -> str:
    """The element that represents a place in a picture: the pile, its last card, or the player."""
    cards = [thing for thing in picture.piles[place].things if thing in picture.things]
    candidates = [f"pile-{slug(place.name)}", *cards[-1:]]
    if isinstance(place.owner, int):
        candidates.append(f"seat-{place.owner}")
    return next((thing for thing in candidates if thing in picture.things), "")

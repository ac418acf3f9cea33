"""Announcements: sentences of a game's own for what its rules do, in the log of a table.

A game declares them as an enumeration, and its rules ``announce`` them::

    class Say(AnnouncementKinds):
        MISS = Announcement("{target} {does} not have the {card}", target=SEAT, card=CARDS)
        LOOK = Announcement(
            "{player} {sees} {target's} hand: {card}",
            otherwise="{player} {sees} {target's} hand",
            to="player",
            player=SEAT,
            target=SEAT,
            card=CARDS,
        )

    class MyGame(Game):
        Announcements = Say

    announce(Say.MISS, target, guess)                   # in apply_action

Player 2 reads "You do not have the Priest.", the others "Player 2 does not have the Priest."
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kibitz.core.actions import MAX_OPERANDS, Domain, domain_of, kind, next_kind, unpacked
from kibitz.core.changes import Event
from kibitz.core.errors import GameDefinitionError
from kibitz.core.status import MAX_PLAYERS
from kibitz.core.wording import addressed, capitalized, player_name, second_person

SEAT = Domain([player_name(p) for p in range(MAX_PLAYERS)])
"""The domain of an operand that is a player: the log addresses its reader as "you"."""

_PLACE = re.compile(r"{([^{}]*)}")


class Announcement:
    """Declares one kind of announcement: a sentence, without its full stop.

    In the sentence ``{card}`` is an operand, ``{player's}`` a possessive ("their" for a player who
    was named before), and any other word in braces a verb in the third person, which agrees with
    the player named before it: ``"{player} {is} out and {discards} the {card}"``.

    Args:
        template: the sentence for readers of all operands; empty for a move of a card that the
            words of the action already describe.
        otherwise: the sentence for all others; if it is empty, they read nothing.
        to: the operands, each a ``SEAT``, whose players read the `template`; empty: all players.
        moves: the operands, each of a card set, whose next move the announcement describes: the
            log does not report it again, not even to those who read nothing of it here.
        shows: the operands, each of a card set, that players get to see, as it describes.
            What an observer reads so, the log does not report again in the same turn.
        operands: for each operand a ``range``, a sequence of words, a ``Domain``, or ``SEAT``;
            their order is that of the operands in ``announce``.

    Raises:
        GameDefinitionError: a place in a sentence, or a name in `to`, is neither of these.
    """

    def __init__(
        self,
        template: str,
        *,
        otherwise: str = "",
        to: str | Sequence[str] = (),
        moves: str | Sequence[str] = (),
        shows: str | Sequence[str] = (),
        **operands: range | Sequence[str] | Domain,
    ) -> None:
        self.domains = {name: domain_of(values) for name, values in operands.items()}
        if len(operands) > MAX_OPERANDS:
            raise GameDefinitionError(f"{template!r} has more than {MAX_OPERANDS} operands.")
        self.template = template
        self.otherwise = otherwise
        self.to, self.moves, self.shows = _names(to), _names(moves), _names(shows)
        for name in self.to:
            if self.domains.get(name) is not SEAT:
                raise GameDefinitionError(f"to={name!r} of {template!r} should be a SEAT operand.")
        if otherwise and not self.to:
            raise GameDefinitionError(f"{template!r} has readers for `otherwise`, but no `to`.")
        for name in (*self.moves, *self.shows):
            if name not in self.domains:
                raise GameDefinitionError(f"{template!r} has no operand {name!r}.")
        for text in (template, otherwise):
            self._check(text)

    def _check(self, text: str) -> None:
        """Raises GameDefinitionError if a place in a sentence is not filled by an operand."""
        subject = None
        for place in _PLACE.findall(text):
            name = place.removesuffix("'s")
            if name in self.domains:
                subject = name if self.domains[name] is SEAT else subject
                if name != place and self.domains[name] is not SEAT:
                    raise GameDefinitionError(f"{{{place}}} in {text!r} should be a SEAT operand.")
            elif subject is None or second_person(place) is None:
                raise GameDefinitionError(
                    f"{{{place}}} in {text!r} is neither an operand ({', '.join(self.domains)}) "
                    "nor a verb in the third person behind a player."
                )

    def read_by(self, values: Mapping[str, int], observer: int | None) -> str:
        """The sentence's template for an observer; ``None`` knows what all players know."""
        addressees = {values[name] for name in self.to}
        return self.template if not self.to or observer in addressees else self.otherwise

    def event(self, name: str, values: Mapping[str, int], observer: int | None) -> Event | None:
        """The announcement as `observer` reads it; ``None`` if they read nothing."""
        text = self.read_by(values, observer)
        if not text:
            return None
        subject = ""
        mentioned: set[int] = set()

        def fill(match: re.Match[str]) -> str:
            nonlocal subject
            place = match[1]
            operand_name = place.removesuffix("'s")
            if operand_name not in values:
                verb = second_person(place) if subject == "you" else place
                assert verb is not None  # it was checked
                return verb
            value, domain = values[operand_name], self.domains[operand_name]
            if domain is not SEAT:
                return domain.word(value)
            subject = addressed(value, observer)
            again = value in mentioned
            mentioned.add(value)
            if place == operand_name:
                return subject
            if subject == "you":
                return "your"
            return "their" if again else f"{subject}'s"

        sentence = _PLACE.sub(fill, text)
        known = {match.removesuffix("'s") for match in _PLACE.findall(text)} & values.keys()
        data: dict[str, Any] = {"announcement": name.lower()}
        for operand_name in values:
            if operand_name in known:
                domain, value = self.domains[operand_name], values[operand_name]
                data[operand_name] = value + 1 if domain is SEAT else domain.operand(value)
        return Event("announcement", f"{capitalized(sentence)}.", data)


class AnnouncementKinds(enum.IntEnum):
    """Base of a game's enumeration of announcements; members are ``Announcement`` declarations."""

    announcement: Announcement

    def __new__(cls, announcement: Announcement) -> AnnouncementKinds:  # noqa: D102
        member = next_kind(cls, "announcements")
        member.announcement = announcement
        return member

    @classmethod
    def event(cls, packed: int, observer: int | None) -> Event | None:
        """A packed announcement as `observer` reads it; ``None`` if they read nothing."""
        member = cls(kind(packed))  # type: ignore[arg-type]
        values = unpacked(member.announcement.domains, packed)
        return member.announcement.event(member.name, values, observer)

    @classmethod
    def described(cls, packed: int) -> Iterator[tuple[bool, Domain, int]]:
        """The cards that a packed announcement describes: whether they move, and their sets."""
        member = cls(kind(packed))  # type: ignore[arg-type]
        domains = member.announcement.domains
        values = unpacked(domains, packed)
        for name in member.announcement.moves:
            yield True, domains[name], values[name]
        for name in member.announcement.shows:
            yield False, domains[name], values[name]


def _names(names: str | Sequence[str]) -> tuple[str, ...]:
    """Names of operands, given as one name or several."""
    return (names,) if isinstance(names, str) else tuple(names)

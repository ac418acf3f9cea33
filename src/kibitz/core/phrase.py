"""``Phrase``: the words of an action in parts, by which actions are grouped.

"play Prince on player 2" is one of the actions "play * on *", one of those with the Prince, "play
Prince on *", and itself. Groups are written as patterns on words, in which ``*`` stands for
any letters: agents that are restricted to or from some actions take the same patterns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

ANY = "*"
"""Stands for any words: in a pattern, and for a value that only the state tells."""

_SEAT = re.compile(r"(?:player|team|seat) \d+")


class Phrase(NamedTuple):
    """The words of an action: texts, and between them the values of its operands.

    Attributes:
        texts: one more than there are values.
        values: in words; ``ANY`` where the action alone does not tell it.
    """

    texts: tuple[str, ...]
    values: tuple[str, ...]

    @property
    def kind(self) -> str:
        """The pattern of all actions of its kind."""
        return self._with((ANY,) * len(self.values))

    @property
    def words(self) -> str:
        """The words together; a value that is not known is ``*``."""
        return self._with(self.values)

    def patterns(self) -> Iterator[str]:
        """The groups that the action belongs to, the largest first, none twice.

        All actions of its kind; those that share a value with it; where a value is two words,
        such as "TEN HEARTS", those that share one of them; and the action itself. A player's
        number is no reason for a group: in another seat it is another player.

        >>> list(Phrase(("play ", " on ", ""), ("Prince", "player 2")).patterns())
        ['play * on *', 'play Prince on *', 'play Prince on player 2']
        """
        unknown = (ANY,) * len(self.values)
        found = {self.kind: None}
        for place, value in enumerate(self.values):
            if _SEAT.fullmatch(value):
                continue
            parts = value.split(" ")
            if len(parts) == 2:
                found[self._with(unknown, place, f"{parts[0]} {ANY}")] = None
                found[self._with(unknown, place, f"{ANY} {parts[1]}")] = None
            found[self._with(unknown, place, value)] = None
        found[self.words] = None
        yield from found

    def _with(self, values: tuple[str, ...], place: int = -1, value: str = "") -> str:
        """The words with these values; with another one at a place."""
        parts = [self.texts[0]]
        for i, text in enumerate(self.texts[1:]):
            parts += [value if i == place else values[i], text]
        return "".join(parts)


class Vocabulary(NamedTuple):
    """What the actions of a game can be about, as it is declared.

    Attributes:
        kinds: of action: the patterns of their words.
        things: the values of their operands that are words: cards, colours, places.
    """

    kinds: frozenset[str]
    things: frozenset[str]


def things_among(values: Iterable[str]) -> Iterator[str]:
    """The operand values that name a thing: no numbers, no seats, nothing unknown."""
    for value in values:
        if value != ANY and not value.isdigit() and not _SEAT.fullmatch(value):
            yield value

"""``Phrase``: the words of an action in parts, by which actions are grouped.

"play Prince on player 2" belongs to three groups of actions: all of its kind, "play * on *"; those
with the Prince, "play Prince on *"; and itself. Groups are written as patterns of words, in which
``*`` stands for any letters. Options that restrict an agent to some actions, or exclude some, are
the same patterns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

ANY = "*"
"""The text for any words: in patterns, and in place of a value that depends on the state."""

_TWO_PARTS = re.compile(r"(\S+)( of | )(\S+)")
"""A thing with two properties: ``red 7``, ``10 of hearts``."""
_SEAT = re.compile(r"(?:player|team|seat) \d+")


class Phrase(NamedTuple):
    """The words of an action: texts, and between them the values of its operands.

    Attributes:
        texts: the texts around the values, one more than there are values.
        values: the operands in words; ``ANY`` for one that depends on the state.
    """

    texts: tuple[str, ...]
    values: tuple[str, ...]

    @property
    def kind(self) -> str:
        """The pattern of all actions of its kind."""
        return self._with((ANY,) * len(self.values))

    @property
    def words(self) -> str:
        """The words as one text; a value that depends on the state is ``*``."""
        return self._with(self.values)

    def patterns(self) -> Iterator[str]:
        """The patterns of the groups that the action belongs to, the largest first, each once.

        The groups are: all actions of its kind; those that share a value with it; if a value has
        two parts, such as "red 7" or "10 of hearts", those that share one of them; and the action
        itself. Players' numbers form no groups, since they mean other players in other seats.

        >>> list(Phrase(("play ", " on ", ""), ("Prince", "player 2")).patterns())
        ['play * on *', 'play Prince on *', 'play Prince on player 2']
        """
        unknown = (ANY,) * len(self.values)
        patterns = {self.kind: None}
        for place, value in enumerate(self.values):
            if _SEAT.fullmatch(value):
                continue
            if match := _TWO_PARTS.fullmatch(value):
                first, between, second = match.groups()
                patterns[self._with(unknown, place, f"{first}{between}{ANY}")] = None
                patterns[self._with(unknown, place, f"{ANY}{between}{second}")] = None
            patterns[self._with(unknown, place, value)] = None
        patterns[self.words] = None
        yield from patterns

    def _with(self, values: tuple[str, ...], place: int = -1, value: str = "") -> str:
        """The words with other values, and with `value` at a place."""
        words = [self.texts[0]]
        for i, text in enumerate(self.texts[1:]):
            words += [value if i == place else values[i], text]
        return "".join(words)


class Vocabulary(NamedTuple):
    """The words of all actions that a game declares.

    Attributes:
        kinds: the pattern of each kind of action.
        things: the values of operands that name a thing, such as cards, colours and places.
    """

    kinds: frozenset[str]
    things: frozenset[str]


def things_among(values: Iterable[str]) -> Iterator[str]:
    """The operand values that name a thing, which excludes numbers, seats and ``ANY``."""
    for value in values:
        if value != ANY and not value.isdigit() and not _SEAT.fullmatch(value):
            yield value

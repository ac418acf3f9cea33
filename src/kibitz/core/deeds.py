"""A player's action in words: a phrase whose verbs agree with any player.

An action is listed as an imperative: ``play the 2 of spades to your stack``. Told of a player, its
verbs and its possessives change: ``Player 1 plays the 2 of spades to their stack.`` A phrase marks
them where it is made, so that nobody has to find them in a text.
"""

from __future__ import annotations

import re

from kibitz.core.wording import addressed, capitalized, third_person

_VERB, _END, _OWN = "\x02", "\x03", "\x04"
YOUR = _OWN
"""The mark of a possessive that belongs to who acts: ``your``, or ``their``."""
_MARKED = re.compile(f"{_VERB}([^{_END}]*){_END}|{_OWN}")


def verb(words: str) -> str:
    """The mark of a verb in the infinitive; further words behind it stay as they are."""
    infinitive, space, complement = words.partition(" ")
    return f"{_VERB}{infinitive}{_END}{space}{complement}"


class Deed(str):
    """What somebody does, as an imperative; ``of`` tells it of somebody.

    >>> str(Deed(f"{verb('pass')} a card of {YOUR} hand"))
    'pass a card of your hand'
    >>> Deed(f"{verb('pass')} a card of {YOUR} hand").of(1, 0)
    'Player 2 passes a card of their hand.'
    >>> Deed(f"{verb('pass')} a card of {YOUR} hand").of(0, 0)
    'You pass a card of your hand.'
    """

    marked: str

    def __new__(cls, marked: str) -> Deed:
        """Makes a deed of a text with marks."""
        deed = super().__new__(cls, _MARKED.sub(lambda match: match[1] or "your", marked))
        deed.marked = marked
        return deed

    def of(self, player: int, observer: int | None) -> str:
        """The deed as a sentence about a player to an observer."""
        if player == observer:
            return f"You {self}."
        told = _MARKED.sub(
            lambda match: third_person(match[1]) if match[1] else "their", self.marked
        )
        return f"Player {player + 1} {told}."


def told(words: str, player: int, observer: int | None) -> str:
    """What a player does as a sentence: a deed conjugated, other words behind a colon."""
    if isinstance(words, Deed):
        return words.of(player, observer)
    return f"{capitalized(addressed(player, observer))}: {words}"

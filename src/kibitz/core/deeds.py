"""What somebody does, in words: a phrase with verbs that is told of anybody.

An action is listed as an imperative: ``play the 2 of spades to your stack``. Told of a player, its
verbs and its possessives change: ``Player 1 plays the 2 of spades to their stack.`` A phrase marks
them where it is made, so that nobody has to find them in a text.
"""

from __future__ import annotations

import re

from kibitz.core.wording import addressed

_VERB, _END, _OWN = "\x02", "\x03", "\x04"
YOUR = _OWN
"""The mark of a possessive that belongs to who acts: ``your``, or ``their``."""
_MARKED = re.compile(f"{_VERB}([^{_END}]*){_END}|{_OWN}")
_IRREGULAR = {"be": "is", "have": "has", "do": "does", "go": "goes"}
_SIBILANT = re.compile(r"(?:s|x|z|ch|sh)$")
_CONSONANT_Y = re.compile(r"[^aeiou]y$")


def verb(words: str) -> str:
    """The mark of a verb in the infinitive; further words behind it stay as they are."""
    first, space, rest = words.partition(" ")
    return f"{_VERB}{first}{_END}{space}{rest}"


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


def third_person(infinitive: str) -> str:
    """A verb in the third person: ``plays``, ``passes``, ``carries``."""
    if infinitive in _IRREGULAR:
        return _IRREGULAR[infinitive]
    if _CONSONANT_Y.search(infinitive):
        return f"{infinitive[:-1]}ies"
    return f"{infinitive}{'es' if _SIBILANT.search(infinitive) or infinitive[-1:] == 'o' else 's'}"


def told(words: str, player: int, observer: int | None) -> str:
    """What a player does as a sentence: a deed conjugated, other words behind a colon."""
    if isinstance(words, Deed):
        return words.of(player, observer)
    who = addressed(player, -1 if observer is None else observer)
    return f"{who[:1].upper()}{who[1:]}: {words}"

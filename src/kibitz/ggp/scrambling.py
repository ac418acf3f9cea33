"""Scrambled names, so that no player can recognize a game by its words.

For a match every name gets another one, the same for all players; only the words of the language
and numbers stay. What is recorded has the right names again.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator

from kibitz.gdl.rules import KEYWORDS, RANDOM, Description
from kibitz.gdl.writer import to_kif

KEPT = frozenset({*KEYWORDS, RANDOM, "<=", "not", "or", "and", "distinct", "nil", "_"})
"""Words that are never replaced: those with a meaning in the language or the protocol."""

_NAME = re.compile(r"[^\s()]+")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_BEGINNINGS = [
    "b",
    "br",
    "d",
    "dr",
    "f",
    "g",
    "gl",
    "h",
    "k",
    "l",
    "m",
    "n",
    "p",
    "pl",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "v",
    "w",
    "z",
]
_MIDDLES = ["a", "e", "i", "o", "u", "ai", "ou"]


class Scrambling:
    """A mapping between the names of the rules and scrambled ones, for one match.

    Args:
        description: the rules.
        seed: of the names.
    """

    def __init__(self, description: Description, seed: int) -> None:
        self._plain = " ".join(to_kif(description).split())
        words = _words(random.Random(seed))
        self._there: dict[str, str] = {}
        for name in _NAME.findall(self._plain):
            folded = name.lower()
            if folded in KEPT or _INTEGER.fullmatch(folded) or folded in self._there:
                continue
            mark = "?" if folded.startswith("?") else ""
            self._there[folded] = mark + next(words)
        self._back = {word: name for name, word in self._there.items() if not word.startswith("?")}
        self._spelling = description.spelling

    def rules(self) -> str:
        """The rules with other names, as the list that START takes."""
        return f"( {self.hide(self._plain)} )"

    def hide(self, text: str) -> str:
        """A text in KIF with the names that the players know."""
        return _NAME.sub(lambda name: self._there.get(name[0].lower(), name[0]), text)

    def reveal(self, text: str) -> str:
        """A player's text with the names of the rules; names that it invented stay."""

        def name(found: re.Match[str]) -> str:
            own = self._back.get(found[0].lower())
            return found[0] if own is None else self._spelling.get(own, own)

        return _NAME.sub(name, text)


class Plain(Scrambling):
    """No scrambling: every name stays as it is."""

    def __init__(self, description: Description) -> None:
        self._plain = " ".join(to_kif(description).split())
        self._there = {}
        self._back = {}
        self._spelling = description.spelling


def _words(rng: random.Random) -> Iterator[str]:
    """An endless sequence of different pronounceable words without meaning."""
    syllables = [a + b for a, b in itertools.product(_BEGINNINGS, _MIDDLES)]
    for length in itertools.count(2):
        made = set()
        # the more syllables, the more words: not all of those that there are
        for _ in range(20 * len(syllables) ** (length - 1)):
            word = "".join(rng.choice(syllables) for _ in range(length))
            if word not in made and word not in KEPT:
                made.add(word)
                yield word


__all__ = ["KEPT", "Plain", "Scrambling"]

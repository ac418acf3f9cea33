"""Scrambled names, so that no player can recognize a game by its words.

In a match every name is replaced by another one, the same for all players, except keywords and
numbers. The record of the match has the names of the rules.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator

from kibitz.gdl.rules import KEYWORDS, RANDOM, Description
from kibitz.gdl.writer import to_kif

KEPT = frozenset({*KEYWORDS, RANDOM, "<=", "not", "or", "and", "distinct", "nil", "_"})
"""Words that are never replaced, since the language or the protocol gives them a meaning."""

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

    The seed determines the scrambled names.
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
        """The rules with scrambled names, as the list that START takes."""
        return f"( {self.hide(self._plain)} )"

    def hide(self, text: str) -> str:
        """Replaces the names of the rules in a KIF text by the scrambled ones."""
        return _NAME.sub(lambda name: self._there.get(name[0].lower(), name[0]), text)

    def reveal(self, text: str) -> str:
        """Replaces scrambled names in a player's text by those of the rules; others stay."""

        def name(match: re.Match[str]) -> str:
            own = self._back.get(match[0].lower())
            return match[0] if own is None else self._spelling.get(own, own)

        return _NAME.sub(name, text)


class Plain(Scrambling):
    """No scrambling: names are not changed."""

    def __init__(self, description: Description) -> None:
        self._plain = " ".join(to_kif(description).split())
        self._there = {}
        self._back = {}
        self._spelling = description.spelling


def _words(rng: random.Random) -> Iterator[str]:
    """Yields different pronounceable words without meaning, without end."""
    syllables = [a + b for a, b in itertools.product(_BEGINNINGS, _MIDDLES)]
    for length in itertools.count(2):
        made = set()
        # a limited number of draws for each number of syllables
        for _ in range(20 * len(syllables) ** (length - 1)):
            word = "".join(rng.choice(syllables) for _ in range(length))
            if word not in made and word not in KEPT:
                made.add(word)
                yield word


__all__ = ["KEPT", "Plain", "Scrambling"]

"""Faces: what is printed on a card, derived from its name and its attributes."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

HUES = {
    "red": "red",
    "scarlet": "red",
    "crimson": "red",
    "blue": "blue",
    "green": "green",
    "yellow": "yellow",
    "gold": "yellow",
    "orange": "orange",
    "purple": "purple",
    "violet": "purple",
    "pink": "pink",
    "magenta": "pink",
    "brown": "brown",
    "black": "black",
    "white": "white",
    "grey": "grey",
    "gray": "grey",
    "silver": "grey",
    "teal": "teal",
    "cyan": "teal",
    "turquoise": "teal",
    "wild": "wild",
}
"""The hue of each word for a colour: the last part of a CSS class (``kz-h-red``)."""

CYCLE = ("blue", "red", "green", "yellow", "purple", "orange", "teal", "pink", "brown", "grey")
"""The hues assigned, in order, to values that name no colour."""

SUITS = {
    "clubs": "clubs",
    "club": "clubs",
    "diamonds": "diamonds",
    "diamond": "diamonds",
    "hearts": "hearts",
    "heart": "hearts",
    "spades": "spades",
    "spade": "spades",
    "coins": "coins",
    "cups": "cups",
    "swords": "swords",
    "batons": "batons",
    "clovers": "clubs",
}
"""The symbol of each word for a suit."""

SUIT_HUES = {
    "clubs": "black",
    "spades": "black",
    "hearts": "red",
    "diamonds": "red",
    "coins": "orange",
    "cups": "red",
    "swords": "blue",
    "batons": "green",
}

SUIT_ORDER = ("spades", "hearts", "clubs", "diamonds", "coins", "cups", "swords", "batons")
"""The order of suits in a hand, in which black and red suits alternate."""
HUE_ORDER = tuple(dict.fromkeys(HUES.values())) + ("paper",)

_RANKS = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
)
_LETTERS = {
    "ace": "A",
    "a": "A",
    "j": "J",
    "jack": "J",
    "q": "Q",
    "queen": "Q",
    "k": "K",
    "king": "K",
    "knight": "C",
}
"""The letters of aces and court cards; C for cavallo, the knight of Italian cards."""

_SIGNS = {
    "skip": "⊘",
    "reverse": "⇄",
    "draw two": "+2",
    "drawtwo": "+2",
    "draw four": "+4",
    "drawfour": "+4",
    "wild draw four": "+4",
    "wild": "✱",
}


@dataclass(frozen=True)
class Face:
    """The printed side of a card.

    Attributes:
        name: the name for people.
        index: the short sign in its corner: ``10``, ``K``, ``+2``; may be empty.
        suit: the symbol of its suit, a key of ``symbols.SYMBOLS``; may be empty.
        hue: its colour: a CSS class without ``kz-h-``.
        filled: whether its whole surface has the colour.
        text: its effect in words; may be empty.
        symbol: a drawing for its middle, a key of ``symbols.SYMBOLS``; may be empty.
        note: a word at its lower edge, such as the kind of card; may be empty.
    """

    name: str
    index: str = ""
    suit: str = ""
    hue: str = "paper"
    filled: bool = False
    text: str = ""
    symbol: str = ""
    note: str = ""


def rank_sign(word: str) -> str:
    """The short sign for a rank: ``10`` for *ten*; empty if the word is not a rank."""
    low = word.lower()
    if low in _RANKS:
        return str(_RANKS.index(low))
    if low in _LETTERS:
        return _LETTERS[low]
    if low in _SIGNS:
        return _SIGNS[low]
    return word if low.lstrip("-+").isdigit() else ""


def _plain(word: str) -> str:
    """A word in capitals as a title, in lower case after its first letter; others unchanged."""
    return word.capitalize() if word.isupper() and len(word) > 1 else word


@functools.lru_cache(maxsize=4096)
def face_of_name(name: str, text: str = "") -> Face:
    """The face of a card, derived from its name: *red 5*, *EIGHT CLUBS*, *Guard*."""
    words = name.split()
    lower_words = [word.lower() for word in words]
    hue = next((HUES[word] for word in lower_words if word in HUES), "")
    suit = next((SUITS[word] for word in lower_words if word in SUITS and len(words) > 1), "")
    remainder = " ".join(
        word for word in words if word.lower() not in HUES and word.lower() not in SUITS
    )
    if suit:
        return Face(name, rank_sign(remainder) or remainder, suit, SUIT_HUES[suit], text=text)
    sign = rank_sign(name) or rank_sign(remainder)
    if hue:
        return Face(name, sign, hue=hue, filled=True, text=text, note=_plain(remainder or name))
    return Face(name, sign, text=text)


def face_of_attributes(
    name: str, attributes: Mapping[str, str], values: Mapping[str, tuple[str, ...]]
) -> Face:
    """The face of a card that has attributes, as in RECYCLE.

    Args:
        name: the name for people.
        attributes: its values by name of the attribute.
        values: the values of all cards of the game by name of the attribute, in order.
    """
    shown = {key: word for key, word in attributes.items() if word}
    suit = next((SUITS[word.lower()] for word in shown.values() if word.lower() in SUITS), "")
    sign, sign_of = "", ""
    for key, word in shown.items():
        if rank_sign(word) and (not sign or key.lower() in ("rank", "value", "number")):
            sign, sign_of = rank_sign(word), key
    if suit:
        return Face(name, sign, suit, SUIT_HUES[suit])
    hue, hue_of = "", ""
    for key, word in shown.items():
        if word.lower() in HUES:
            hue, hue_of = HUES[word.lower()], key
            break
    if not hue:
        kinds = [key for key in shown if key != sign_of and 1 < len(values.get(key, ())) <= 12]
        if kinds:
            hue_of = min(kinds, key=lambda key: len(values[key]))
            hue = CYCLE[values[hue_of].index(shown[hue_of]) % len(CYCLE)]
    note = " ".join(
        _plain(word) for key, word in shown.items() if key not in (sign_of, hue_of)
    ) or (_plain(shown[hue_of]) if hue_of else "")
    if not sign and not note:
        note = _plain(name)
    return Face(name, sign, hue=hue or "paper", filled=bool(hue), note=note)

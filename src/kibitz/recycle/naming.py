"""Names for people: of cards, and of the locations, storages and values of the rules.

In a text they are words in capitals. A card is called as people call it: ``2 of spades``, ``red
7``. Different names get different words, or they keep the letters of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from kibitz.recycle.tree import Program

_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_COURT = {"J": "jack", "Q": "queen", "K": "king", "A": "ace"}
_FRENCH_SUITS = frozenset(("CLUBS", "DIAMONDS", "HEARTS", "SPADES"))
_FRENCH_RANKS = {"1": "ace", "11": "jack", "12": "queen", "13": "king", "14": "ace"}
"""The words for numbers of French cards."""
_RANKS = {
    **{word.upper(): str(number) for number, word in enumerate(_NUMBERS)},
    "ELEVEN": "11",
    "TWELVE": "12",
    "THIRTEEN": "13",
    "T": "10",
    **_COURT,
}
_COLOURS = frozenset(
    ("red", "orange", "yellow", "green", "blue", "indigo", "violet", "purple", "pink", "brown")
    + ("black", "white", "grey", "gray", "gold", "silver", "wild")
)
_SUITS = frozenset(
    ("clubs", "diamonds", "hearts", "spades", "cups", "coins", "batons", "swords", "wands")
    + ("pentacles", "acorns", "leaves", "bells", "shields", "roses")
)
_NUMBERED = re.compile(r"([A-Z])_?(\d+)")
_PARTICIPLES = frozenset(
    (
        "burnt",
        "caught",
        "dead",
        "drawn",
        "gone",
        "hidden",
        "kept",
        "laid",
        "lost",
        "new",
        "out",
        "sold",
    )
    + ("spent", "taken", "used", "won", "shown", "open")
)
_PILES = ("discard", "draw")


def plain(name: str) -> str:
    """A name of the rules in small letters: ``FOREIGN_AID`` becomes ``foreign aid``."""
    words = name.replace("_", " ").strip() or name
    return words if _NUMBERED.fullmatch(name) or len(words) == 1 else words.lower()


def location(name: str) -> str:
    """The noun for a location: ``hand``, ``discard pile``, ``taken cards``."""
    words = plain(name) or "place"
    if len(words) > 1:
        words = words.lower()
    if words in _PILES:
        return f"{words} pile"
    last = words.rpartition(" ")[2]
    if last in _PARTICIPLES or (last.endswith("ed") and len(last) > 4):
        return f"{words} cards"
    return words


def plural(rank: str) -> str:
    """Several cards of a rank: ``twos``, ``sixes``, ``queens``."""
    if rank.isdigit() and int(rank) < len(_NUMBERS):
        rank = _NUMBERS[int(rank)]
    return rank + ("es" if rank.endswith("x") else "s")


def several(value: str) -> str:
    """Several cards with a value: ``reds``, ``twos``, ``hearts``."""
    return value if value.endswith("s") else plural(value)


class Names:
    """The words for the names of a program.

    Args:
        program: The program whose cards, places and storages are named.
        vocabulary: All names that are values.

    Attributes:
        cards: The name of each card; equal cards have equal names.
        shown: The attributes that no other one implies, of which names of cards are made.
        ranks: The values that are ranks of cards.
        declared: The words and the verbs that the text gives to names.
    """

    def __init__(self, program: Program, vocabulary: Sequence[str]) -> None:
        values = _values_by_attribute(program)
        french = any(_FRENCH_SUITS.issuperset(map(str.upper, each)) for each in values.values())
        self.ranks: frozenset[str] = frozenset()
        words: dict[str, str] = {}
        for name, all_values in values.items():
            if name.upper() in ("RANK", "VALUE", "NUMBER") or _is_rank(all_values):
                self.ranks |= frozenset(v for v in all_values if v.upper() in _RANKS)
            if french and name.upper() == "RANK" and all(map(str.isdigit, all_values)):
                self.ranks |= frozenset(all_values)
                words |= {v: _FRENCH_RANKS[v] for v in all_values if v in _FRENCH_RANKS}
            others = {v for other, each in values.items() if other != name for v in each}
            own = {value: _word(value, all_values, others) for value in all_values}
            if {*own.values()} & {plain(v).lower() for v in others}:
                own = {value: plain(value) for value in all_values}  # all alike, not one "seven"
            words = own | words
        self.declared = program.names
        words |= {name: noun for name, (noun, _) in program.names.items()}
        self._words = _distinct({v: words.get(v, plain(v)) for v in vocabulary if v})
        self.shown = [name for name in values if not _implied(name, list(values), program)]
        self.cards = self._cards(program, values)

    def value(self, name: str) -> str:
        """The words for a value: a rank, a suit, a colour, or another name of the rules."""
        if name in self.declared:
            return self.declared[name][0]
        return self._words.get(name, plain(name)) if name else "nothing"

    def location(self, name: str) -> str:
        """The noun for a location."""
        return self.declared[name][0] if name in self.declared else location(name)

    def storage(self, name: str) -> str:
        """The noun for a storage."""
        return self.declared[name][0] if name in self.declared else plain(name).lower()

    def verb(self, name: str) -> str:
        """The verb for a move of one's card into a location; empty unless the text declares it."""
        return self.declared.get(name, ("", ""))[1]

    def _cards(self, program: Program, values: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
        shown = self.shown
        colours = [name for name in shown if _is_colour(name, values[name])]
        suits = [name for name in shown if name not in colours and _is_suit(name, values[name])]
        suits = suits[:1] if len(shown) > len(colours) + 1 else []
        order = [*colours, *(name for name in shown if name not in (*colours, *suits))]
        written = [
            tuple(card.attributes[name] for name in shown if card.attributes.get(name))
            or card.deck
            for card in program.cards
        ]
        names: list[str] = []
        for card in program.cards:
            words = [self.value(card.attributes[n]) for n in order if card.attributes.get(n)]
            text = " ".join(dict.fromkeys(words))
            suit = next((card.attributes[n] for n in suits if card.attributes.get(n)), "")
            if suit and suit != "NONE":
                text = f"{text} of {self.value(suit)}" if text else self.value(suit)
            names.append(text or plain(card.deck) or "card")
        if (
            len({*zip(written, map(str.lower, names), strict=True)})
            == len({*written})
            == len({name.lower() for name in names})
        ):
            return tuple(names)
        return tuple(name if isinstance(name, str) else " ".join(name) for name in written)


def _word(value: str, values: Sequence[str], others: Iterable[str]) -> str:
    """The words for one of the values of an attribute; `others` are those of other attributes."""
    if _is_rank(values) and value.upper() in _RANKS:
        return _RANKS[value.upper()]
    numbered = [_NUMBERED.fullmatch(other) for other in values]
    letters = {match[1] for match in numbered if match}
    unique = not any(_NUMBERED.fullmatch(other) or other.upper() in _RANKS for other in others)
    if len(values) > 1 and all(numbered) and len(letters) == 1 and unique:
        return value[1:].lstrip("_")
    return plain(value)


def _is_rank(values: Iterable[str]) -> bool:
    """Whether values are ranks: some are numbers in words, or two are letters of court cards."""
    upper = {value.upper() for value in values}
    spelt = {word.upper() for word in _NUMBERS}
    return bool(upper & spelt) or len(upper & _COURT.keys()) > 1


def _is_colour(name: str, values: Iterable[str]) -> bool:
    return name.upper() in ("COLOR", "COLOUR") or all(v.lower() in _COLOURS for v in values)


def _is_suit(name: str, values: Iterable[str]) -> bool:
    return name.upper() == "SUIT" or all(value.lower() in _SUITS for value in values)


def _values_by_attribute(program: Program) -> dict[str, list[str]]:
    """The values of each attribute of cards, in the order of the cards."""
    values: dict[str, dict[str, None]] = {}
    for card in program.cards:
        for name, value in card.attributes.items():
            values.setdefault(name, {})[value] = None
    return {name: list(each) for name, each in values.items()}


def _distinct(words: Mapping[str, str]) -> dict[str, str]:
    """The words for each name; names that would get equal words keep their own letters."""
    names: dict[str, list[str]] = {}
    for name, text in words.items():
        names.setdefault(text.lower(), []).append(name)
    return {
        name: text if len(names[text.lower()]) == 1 else plain(name)
        for name, text in words.items()
    }


def _implied(name: str, attributes: list[str], program: Program) -> bool:
    """Whether another attribute, with more values, determines this one."""
    values = {card.attributes.get(name) for card in program.cards}
    for other in attributes:
        if other == name:
            continue
        pairs = {(card.attributes.get(other), card.attributes.get(name)) for card in program.cards}
        others = {value for value, _ in pairs}
        finer = len(others) > len(values)
        if finer and len(pairs) == len(others) and None not in others:
            return True
    return False

"""English phrases for counts, lists and players, and texts of strangers made safe to print.

For people only: nothing here is called by rules.
"""

from __future__ import annotations

import enum
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

HAS_CHOSEN = "has chosen"
"""What others read of a choice that a player made in secret."""

CONTROLS = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
"""Characters that control a terminal, break a line, change the direction of writing or have no
width, and halves of characters."""


class Sentenced(enum.StrEnum):
    """Base of enumerations whose members have a short name and a full ``sentence``."""

    sentence: str

    def __new__(cls, name: str, sentence: str, *details: object) -> Sentenced:
        """Makes a member whose value is its short name; details are for a derived class."""
        member = str.__new__(cls, name)
        member._value_ = name
        member.sentence = sentence
        return member


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with a noun: ``1 card``, ``1,000 games``; `plural` if it is not noun + s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def listed(words: Sequence[str], before_last: str = "and") -> str:
    """A list in words: ``a``, ``a and b``, ``a, b and c``; an empty text for no words."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {before_last} {words[-1]}"


ARTICLE = "the "


def the(noun: str) -> str:
    """A noun with its article: ``the 2 of spades``; a proper name, with a capital, stays alone."""
    return noun if noun[:1].isupper() else f"{ARTICLE}{noun}"


def is_plural(noun: str) -> bool:
    """Whether a noun is in the plural, as far as its end shows."""
    return noun.endswith("s") and not noun.endswith(("ss", "us"))


def tallied(words: Iterable[str]) -> str:
    """Each distinct word once, with its number of occurrences: ``2 Nope, Skip``."""
    numbers: dict[str, int] = {}
    for word in words:
        numbers[word] = numbers.get(word, 0) + 1
    return ", ".join(word if n == 1 else f"{n} {word}" for word, n in numbers.items())


def player_name(player: int, observer: int | None = None) -> str:
    """The name of a player: ``player 1`` for 0, ``player 1 (you)`` if that is the observer."""
    return f"player {player + 1}" + (" (you)" if player == observer else "")


def addressed(player: int, observer: int | None) -> str:
    """The name of a player in a sentence to the observer: ``you``, or ``player 2``.

    The observer ``None`` has no seat, so that nobody is addressed.
    """
    return "you" if player == observer else player_name(player)


def done_by(player: int, observer: int | None, verb: str) -> str:
    """A player's action in a sentence to the observer: ``you draw``, ``player 2 draws``."""
    return f"{addressed(player, observer)} {verb if player == observer else third_person(verb)}"


_THIRD_PERSONS = {"be": "is", "have": "has", "do": "does", "go": "goes"}
_SECOND_PERSONS = {third: verb for verb, third in _THIRD_PERSONS.items()} | {
    "is": "are",
    "was": "were",
}
_SIBILANT = re.compile(r"(?:s|x|z|ch|sh)$")
_CONSONANT_Y = re.compile(r"[^aeiou]y$")


def third_person(infinitive: str) -> str:
    """A verb in the third person: ``plays``, ``passes``, ``carries``."""
    if infinitive in _THIRD_PERSONS:
        return _THIRD_PERSONS[infinitive]
    if _CONSONANT_Y.search(infinitive):
        return f"{infinitive[:-1]}ies"
    return f"{infinitive}{'es' if _SIBILANT.search(infinitive) or infinitive[-1:] == 'o' else 's'}"


def second_person(third: str) -> str | None:
    """A verb as it follows "you", from its third person; ``None`` if it is in no third person."""
    if third in _SECOND_PERSONS:
        return _SECOND_PERSONS[third]
    if not re.fullmatch(r"[a-z]+s", third):
        return None
    if third.endswith("ies"):
        return f"{third[:-3]}y"
    return third[:-2] if third.endswith(("sses", "shes", "ches", "xes", "zes")) else third[:-1]


def capitalized(text: str) -> str:
    """A text that begins with a capital letter; the rest of it stays as it is."""
    return text[:1].upper() + text[1:]


def by_players(values: Mapping[int, Any]) -> str:
    """A value that depends on the number of players: ``7 with 2 players, 5 with 3, else 4``.

    The value of the largest number of players holds for all further numbers.
    """
    default = values[max(values)]
    cases: dict[Any, list[str]] = {}
    for players in sorted(values):
        if values[players] != default:
            cases.setdefault(values[players], []).append(str(players))
    words = [f"{value} with {listed(numbers, 'or')}" for value, numbers in cases.items()]
    if not words:
        return str(default)
    first = next(iter(cases.values()))
    words[0] += " player" if first == ["1"] else " players"
    return ", ".join([*words, f"else {default}"])


def wrapped(text: str, width: int) -> str:
    """Wraps lines at `width` columns; continuation lines are indented by four more.

    Words that are longer than a line are not broken.
    """
    lines = []
    for line in text.split("\n"):
        margin = line[: len(line) - len(line.lstrip())]
        lines += (
            textwrap.wrap(
                line,
                width,
                subsequent_indent=margin + "    ",
                break_long_words=False,
                break_on_hyphens=False,
            )
            if len(line) > width
            else [line]
        )
    return "\n".join(lines)


def bare(words: str) -> str:
    """Words without a pair of parentheses around all of them: ``(drop 1)`` becomes ``drop 1``."""
    depth = 0
    for at, letter in enumerate(words):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and at < len(words) - 1:
            return words
    return words[1:-1] if words[:1] == "(" and depth == 0 else words


MOST_QUOTED = 40
"""Characters of a word of a text that a message quotes."""


def printable(text: str, most: int | None = None) -> str:
    """A text that cannot control a terminal: ``?`` replaces each of ``CONTROLS``.

    For whatever files, records and messages of strangers say, before it is printed or quoted.

    Args:
        text: of one line, or of several.
        most: characters of the single line that the text becomes; a longer text is cut, and ends
            in three dots. ``None``: line breaks and tabs are kept, and nothing is cut.
    """
    if most is None:
        return CONTROLS.sub(lambda match: match[0] if match[0] in "\n\t" else "?", text)
    line = CONTROLS.sub("?", text[: most + 1])
    return line if len(line) <= most else f"{line[: most - 3]}..."

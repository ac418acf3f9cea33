"""The header of a file: the comment before its first form, with title, players, parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kibitz.recycle.tree import Parameter
from kibitz.recycle.words import LEXICON, MOST_PLAYERS, MOST_TOKENS, MOST_VALUE, VARIABLE, is_word
from kibitz.syntax.heading import SearchWords
from kibitz.syntax.sexpr import Atom, Form, arrange, tokenize
from kibitz.syntax.source import MOST_BYTES, Source, Span

_PLAYERS = re.compile(r"players:\s*([0-9]{1,3})(?:\s*(?:-|\.\.|to)\s*([0-9]{1,3}))?\.?\s*$", re.I)
_SOURCE = re.compile(r"source:\s*(\S.*)$", re.I)
_DEALS = re.compile(r"(?i:deals):\s*([A-Z][A-Z0-9_]*)\.?\s*$")
_PLAYED_FOR = re.compile(
    r"played for:\s*(place|score)"
    r"(?:\s+from\s+(-?[0-9]{1,9})\s+to\s+(-?[0-9]{1,9}))?(,\s*zero-sum)?\.?\s*$",
    re.I,
)
_PARAMETER = re.compile(
    r"([A-Z][A-Z0-9_]*)\s+([0-9]{1,9})\s*(?:-|\.\.)\s*([0-9]{1,9})\s*:\s*(.*)$"
)


@dataclass(frozen=True)
class Aim:
    """What a game is played for: ``;; Played for: score from -2 to 2, zero-sum``."""

    played_for: str = "place"
    """The aim of the players: a good ``place``, or a high or low ``score``."""
    scores: tuple[int, int] | None = None
    """The lowest and the highest final score; ``None`` if they are not declared."""
    zero_sum: bool = False
    """Whether the final scores add up to zero."""


@dataclass(frozen=True)
class Header:
    """The data of a game that are known without parsing its rules."""

    title: str
    about: str
    url: str
    """The source of the rules; may be empty."""
    least_players: int
    most_players: int
    usual_players: int
    """The default number of players."""
    parameters: tuple[Parameter, ...]
    words: SearchWords
    aim: Aim


@dataclass(frozen=True)
class Comment:
    """The data in the leading comment of a file."""

    title: str
    about: str
    url: str
    players: tuple[int, int] | None
    ranges: dict[str, tuple[int, int, str]]
    """The lowest value, the highest value and the description of each parameter."""
    words: SearchWords
    """The categories and mechanics of the game."""
    deals: str
    """The name of the table's number that counts deals; empty in a game of a single deal."""
    aim: Aim


def read_comment(source: Source) -> Comment:
    """Reads the leading comment of a file.

    The description of the game ends at an empty line; other data may follow it.
    """
    title, url = "", ""
    about: list[str] = []
    players: tuple[int, int] | None = None
    ranges: dict[str, tuple[int, int, str]] = {}
    words = SearchWords()
    deals = ""
    aim = Aim()
    described = False
    for line in source.text.lstrip("\ufeff").splitlines():
        text = line.strip()
        if not text:
            described = described or bool(title)
            continue
        if not text.startswith(";"):
            break
        text = text.lstrip("; \t").strip()
        if match := _PLAYERS.match(text):
            least = int(match[1])
            players = (least, int(match[2] or least))
        elif match := _SOURCE.match(text):
            url = match[1]
        elif words.read_line(text):
            continue
        elif match := _DEALS.match(text):
            deals = match[1]
        elif match := _PLAYED_FOR.match(text):
            scores = None if match[2] is None else (int(match[2]), int(match[3]))
            aim = Aim(match[1].lower(), scores, match[4] is not None)
        elif match := _PARAMETER.match(text):
            ranges[match[1]] = (int(match[2]), int(match[3]), match[4].strip())
        elif text and not title:
            title = text
        elif text and not described:
            about.append(text)
    return Comment(title, " ".join(about), url, players, ranges, words, deals, aim)


def played_for_span(source: Source) -> Span:
    """The line of the leading comment that says what the game is played for."""
    start = 0
    for line in source.text.splitlines(keepends=True):
        if _PLAYED_FOR.match(line.strip().lstrip("; \t")):
            return Span(start, start + len(line.rstrip()))
        start += len(line)
    return Span(0, 0)


def read_header(source: Source) -> Header:
    """Reads the header of a file, which may have errors, without parsing the rules."""
    comment = read_comment(source)
    if len(source.text) > MOST_BYTES:
        return described(comment, (1, MOST_PLAYERS), 1, ())
    tokens = tokenize(source, LEXICON, MOST_TOKENS)
    top = [form for form in arrange(tokens).forms if isinstance(form, Form)]
    items = [item for form in top for item in form.items if isinstance(item, Form)]
    declared = [
        (form, form.items[1], form.items[2])
        for form in items
        if form.head == "declare" and len(form.items) == 3
    ]
    count = players_word(items)
    parameters = tuple(
        parameter(comment, name, int(value.text), form)
        for form, value, name in declared
        if isinstance(value, Atom)
        and value.text.isdecimal()
        and len(value.text) < 10
        and isinstance(name, Atom)
        and VARIABLE.fullmatch(name.text)
        and not (count is not None and count.text == name.text)
    )
    least, most = players_range(comment, count)
    usual = least
    for _, value, name in declared:
        if count is not None and isinstance(name, Atom) and name.text == count.text:
            if isinstance(value, Atom) and value.text.isdecimal():
                usual = min(max(least, int(value.text[:4])), most)
    return described(comment, (least, most), usual, parameters)


def described(
    comment: Comment, players: tuple[int, int], usual: int, parameters: tuple[Parameter, ...]
) -> Header:
    """The header from a comment and from the players and parameters of the rules."""
    return Header(
        comment.title,
        comment.about,
        comment.url,
        *players,
        usual,
        parameters,
        comment.words,
        comment.aim,
    )


def players_word(items: list[Form]) -> Atom | None:
    """The number or variable in ``(create players ...)``, if there is one."""
    for setup in items:
        if setup.head != "setup":
            continue
        for form in setup.items:
            if (
                isinstance(form, Form)
                and len(form.items) == 3
                and form.head == "create"
                and is_word(form.items[1], "players")
                and isinstance(form.items[2], Atom)
            ):
                return form.items[2]
    return None


def players_range(comment: Comment, count: Atom | None) -> tuple[int, int]:
    """The smallest and the largest number of players."""
    if comment.players is not None:
        return comment.players
    if count is not None and count.text.isdecimal():
        number = int(count.text[:4])
        return number, number
    return 1, MOST_PLAYERS


def parameter(comment: Comment, name: Atom, value: int, form: Form) -> Parameter:
    """The parameter that ``(declare NUMBER 'NAME)`` defines."""
    word = name.text[1:]
    low, high, doc = comment.ranges.get(word, (0, max(MOST_VALUE, value), ""))
    return Parameter(word, value, low, high, doc, form.span)

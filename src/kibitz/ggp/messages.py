"""The messages between a game manager and its players: read and written.

All forms in use are read: those of the book and of ggp-base and, for GDL-II, those of the Dresden
manager (``(PLAY id turn move (percepts))``) and the older one with percepts alone, which looks
like a joint move. Verbs and ``NIL`` are case-insensitive, and surplus arguments are ignored.

M. Genesereth, M. Thielscher, "General Game Playing", 2014, chapter 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kibitz.core.errors import KibitzError
from kibitz.syntax.sexpr import MOST_DEPTH

NIL = "NIL"
"""The word for an empty list or a missing move."""

MOST_ID = 256
"""Maximum length of a match's id, in characters."""

MOST_LINE = 300
"""Maximum length of a line that a service prints about an event, in characters."""

MOST_SECONDS = 3_600
"""Maximum of a clock, in seconds; longer ones are cut, so that no match lasts for weeks."""


class MessageError(KibitzError):
    """A text is no message of the protocol."""


# --- lists ------------------------------------------------------------------------------------

_TOKEN = re.compile(r"[()]|;[^\r\n]*|[^\s();]+")


def items(text: str) -> list[str] | None:
    """The texts of the items of a list; ``None`` if the text is one atom, or empty.

    Comments count as spaces. The depth of nesting costs no recursion.

    Raises:
        MessageError: the parentheses do not match or are nested too deep, or there is more
            than one list or atom.
    """
    parts: list[str] = []
    depth = start = count = 0
    for token in _TOKEN.finditer(text):
        first = text[token.start()]
        if first == ";":
            continue
        if depth == 0:
            count += 1
        if first == "(":
            depth += 1
            if depth > MOST_DEPTH:
                raise MessageError(f"more than {MOST_DEPTH} parentheses are open")
            if depth == 2:
                start = token.start()
        elif first == ")":
            depth -= 1
            if depth < 0:
                raise MessageError("a parenthesis closes nothing")
            if depth == 1:
                parts.append(text[start : token.end()])
        elif depth == 1:
            parts.append(token[0])
    if depth:
        raise MessageError("a parenthesis is not closed")
    if count > 1:
        raise MessageError("there is more than one list")
    return parts if ")" in text else None


def is_list(text: str) -> bool:
    """Whether a text is a complete list, with all its parentheses."""
    try:
        return items(text) is not None
    except MessageError:
        return False


def spaced(term: str) -> str:
    """A term with spaces at its parentheses, as most managers write it: ``( mark 1 2 )``."""
    return " ".join(token[0] for token in _TOKEN.finditer(term) if not token[0].startswith(";"))


def plain(term: str) -> str:
    """A term without spaces at its parentheses: ``(mark 1 2)``."""
    return spaced(term).replace("( ", "(").replace(" )", ")")


def _list(terms: Sequence[str]) -> str:
    return f"( {' '.join(map(spaced, terms))} )" if terms else NIL


def _is_nil(text: str) -> bool:
    return text.upper() == NIL or text.strip("() \t\r\n") == ""


# --- messages ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Info:
    """``(INFO)`` or ``(PING)``: asks whether a player is there and available."""

    def __str__(self) -> str:
        return "( INFO )"


@dataclass(frozen=True)
class Preview:
    """Rules to prepare before a match begins: a list in KIF, and the seconds for it."""

    rules: str
    clock: int

    def __str__(self) -> str:
        return f"( PREVIEW {self.rules} {self.clock} )"


@dataclass(frozen=True)
class Start:
    """Begins a match.

    Attributes:
        match: the id of the match, an atom.
        role: the player's role.
        rules: a list in KIF.
        startclock: seconds until the first PLAY.
        playclock: seconds for each move.
    """

    match: str
    role: str
    rules: str
    startclock: int
    playclock: int

    def __str__(self) -> str:
        clocks = f"{self.startclock} {self.playclock}"
        return f"( START {self.match} {spaced(self.role)} {self.rules} {clocks} )"


@dataclass(frozen=True)
class Joint:
    """The moves of all roles in the last step, in their order; ``None`` before the first step."""

    moves: tuple[str, ...] | None

    def __str__(self) -> str:
        return _list(self.moves or ())


@dataclass(frozen=True)
class Percepts:
    """A player's own move and percepts, in a game with imperfect information.

    Attributes:
        turn: the number of steps made.
        own: the player's move in the last step; ``None`` before the first.
        seen: the percepts of the last step; their order has no meaning.
    """

    turn: int
    own: str | None
    seen: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.turn} {spaced(self.own) if self.own else NIL} {_list(self.seen)}"


Report: TypeAlias = Joint | Percepts
"""A report of the last step: the joint move, or the percepts of one player."""


@dataclass(frozen=True)
class Play:
    """Reports the last step and asks for a move."""

    match: str
    report: Report

    def __str__(self) -> str:
        return f"( PLAY {self.match} {self.report} )"


@dataclass(frozen=True)
class Stop:
    """Reports the last step, after which the game is over."""

    match: str
    report: Report

    def __str__(self) -> str:
        return f"( STOP {self.match} {self.report} )"


@dataclass(frozen=True)
class Abort:
    """Ends a match without a result."""

    match: str

    def __str__(self) -> str:
        return f"( ABORT {self.match} )"


Message: TypeAlias = Info | Preview | Start | Play | Stop | Abort


def alike(first: Message | Report, second: Message | Report) -> bool:
    """Whether two messages or reports are equal, ignoring case."""
    return str(first).lower() == str(second).lower()


# --- reading ----------------------------------------------------------------------------------


def parse(text: str) -> Message:
    """Reads a message; an empty text is read as INFO.

    Raises:
        MessageError: the text is not a message of the protocol.
    """
    if not text.strip():
        return Info()
    parts = items(text)
    if not parts:
        raise MessageError("a message is a list, (VERB ...)")
    verb, arguments = parts[0].upper(), parts[1:]
    match verb:
        case "INFO" | "PING":
            return Info()
        case "PREVIEW":
            _need(verb, arguments, 2)
            return Preview(_rules(arguments[0]), _clock(arguments[1]))
        case "START":
            _need(verb, arguments, 5)
            clocks = _clock(arguments[3]), _clock(arguments[4])
            return Start(_id(arguments[0]), plain(arguments[1]), _rules(arguments[2]), *clocks)
        case "PLAY":
            _need(verb, arguments, 2)
            return Play(_id(arguments[0]), _report(arguments[1:]))
        case "STOP":
            _need(verb, arguments, 2)
            return Stop(_id(arguments[0]), _report(arguments[1:]))
        case "ABORT":
            _need(verb, arguments, 1)
            return Abort(_id(arguments[0]))
    raise MessageError(f"there is no message {parts[0][:40]}")


def _need(verb: str, arguments: Sequence[str], count: int) -> None:
    if len(arguments) < count:
        raise MessageError(f"{verb} needs {count} arguments, and has {len(arguments)}")


def _id(text: str) -> str:
    if text.startswith("("):
        raise MessageError("the id of a match is one word")
    if len(text) > MOST_ID:
        raise MessageError(f"the id of a match has at most {MOST_ID} letters")
    return text


def _rules(text: str) -> str:
    if not text.startswith("("):
        raise MessageError("the rules are a list")
    return text


def _clock(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise MessageError(f"{text[:40]} is no number of seconds")
    return min(int(text), MOST_SECONDS)


def _report(arguments: Sequence[str]) -> Report:
    """Reads a report: percepts if there are three arguments, a number first; else a joint move."""
    first = arguments[0]
    if len(arguments) >= 3 and re.fullmatch(r"[0-9]{1,9}", first):
        own = None if _is_nil(arguments[1]) else plain(arguments[1])
        return Percepts(int(first), own, _terms(arguments[2]))
    return Joint(_terms(first) or None)


def _terms(text: str) -> tuple[str, ...]:
    if _is_nil(text):
        return ()
    if not text.startswith("("):
        raise MessageError(f"a list is expected in place of {text[:40]}")
    return tuple(map(plain, items(text) or ()))


# --- replies ----------------------------------------------------------------------------------

READY = "ready"
BUSY = "busy"
AVAILABLE = "available"
DONE = "done"
ABORTED = "aborted"
ERROR = "error"


@dataclass(frozen=True)
class Status:
    """A player's reply to INFO: whether it is available, and its name and kind."""

    status: str
    name: str = ""
    species: str = ""

    def __str__(self) -> str:
        pairs = (("name", self.name), ("status", self.status), ("species", self.species))
        return f"( {' '.join(f'( {key} {value} )' for key, value in pairs if value)} )"


def parse_status(text: str) -> Status | None:
    """Reads a reply to INFO, which is one word or a list of pairs; unknown pairs are ignored.

    ``None`` if the text is neither, or has no status.
    """
    try:
        parts = items(text)
    except MessageError:
        return None
    if parts is None:
        word = spaced(text)
        return Status(word.lower()) if word else None
    known = {"name": "", "status": "", "species": ""}
    for key, value in _pairs(parts):
        if key in known:
            known[key] = value
    return Status(**known) if known["status"] else None


def _pairs(parts: Sequence[str]) -> Iterator[tuple[str, str]]:
    for item in parts:
        pair = items(item) if item.startswith("(") else None
        if pair and len(pair) >= 2:
            yield pair[0].lower(), " ".join(pair[1:])


def candidates(text: str) -> list[str]:
    """The terms that a reply to PLAY may mean: the whole reply, or its first item.

    Some older players answer ``(move (explanation ...) (taunt ...))``. The list is empty if the
    reply cannot be read.
    """
    try:
        parts = items(text)
    except MessageError:
        return []
    term = plain(text)
    if parts is None:
        return [term] if term else []
    return [term, plain(parts[0])] if parts else []


__all__ = [
    "Abort",
    "Info",
    "Joint",
    "Message",
    "MessageError",
    "Percepts",
    "Play",
    "Preview",
    "Report",
    "Start",
    "Status",
    "Stop",
    "alike",
    "candidates",
    "is_list",
    "items",
    "parse",
    "parse_status",
    "plain",
    "spaced",
]

"""The exceptions that Kibitz raises.

::

    KibitzError
    ├── UnknownNameError        a game, agent, parameter or action that does not exist
    │   ├── UnknownGameError
    │   └── UnknownAgentError
    ├── ParameterError          a parameter's name or value is wrong
    ├── AgentOptionError        an agent's option name or value is wrong
    ├── FileError               a file or a JSON document cannot be used
    │   └── SourceError         rules in a language of their own are wrong (kibitz.syntax)
    ├── GameDefinitionError     a game is declared in a way that cannot work
    │   └── CompileError        its rules do not compile to native code
    ├── MissingExtraError       an optional package is not installed
    ├── AgentError              an agent failed, or answered with something that is no action
    ├── GameLeftError           an agent ends the game before it is over; nobody failed
    └── PlayError               a game in progress went wrong; carries what reproduces it
        ├── IllegalActionError
        ├── FullBufferError
        ├── DeadEndError
        ├── LimitError
        ├── LoopError
        ├── EndlessError
        └── RulesError
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from typing import Any


class KibitzError(Exception):
    """Base of all errors that Kibitz raises on purpose; its text is meant for people."""


class UnknownNameError(KibitzError):
    """There is no game, agent, parameter or action of the given name."""


class UnknownGameError(UnknownNameError):
    """There is no such game: no installed one of this name, and no file."""


class UnknownAgentError(UnknownNameError):
    """No agent of that name is registered."""


class ParameterError(KibitzError):
    """A game parameter has a wrong name or a wrong value."""


class UnratedError(ParameterError):
    """A participant cannot be rated, since none of their games was finished."""


class AgentOptionError(KibitzError):
    """An agent's option has a wrong name or a wrong value."""


class MissingExtraError(KibitzError):
    """A function needs an optional package that is not installed.

    Args:
        features: what needs the package, in the plural, as the subject of the message.
        extra: the extra of Kibitz that installs it.
    """

    def __init__(self, features: str, extra: str) -> None:
        super().__init__(f"{features} need what is not installed: pip install 'kibitz[{extra}]'")


class FileError(KibitzError):
    """A file cannot be read, written or understood."""


class GameDefinitionError(KibitzError):
    """A game's declarations contradict each other or the contract."""


class CompileError(GameDefinitionError):
    """A rule function cannot be compiled to native code."""


class AgentError(KibitzError):
    """An agent raised an exception or returned something that is not an action."""


class GameLeftError(KibitzError):
    """An agent ends the game before it is over; nothing failed, so it is passed on unchanged."""


class PlayError(KibitzError):
    """A game in progress went wrong.

    Attributes:
        state: a copy of the state in which it happened, or ``None``.
        seed: the seed that reproduces the game, or ``None`` if it is not known.
    """

    def __init__(self, message: str, *, state: Any = None, seed: int | None = None) -> None:
        super().__init__(message)
        self.state = state
        self.seed = seed


class IllegalActionError(PlayError):
    """The action is not among the legal actions of the state."""


class FullBufferError(PlayError):
    """A component or the list of actions would exceed its declared capacity."""


class DeadEndError(PlayError):
    """The game is not over and the player to move has no legal action."""


class LimitError(PlayError):
    """The game exceeded the limit on its length."""


class LoopError(PlayError):
    """The game repeats its states for ever, or seems to."""


class EndlessError(PlayError):
    """The rules ran on without reaching the next decision."""


class RulesError(PlayError):
    """The rules themselves reported an impossible situation."""


MOST_NAMES = 100
"""The most known names that a message lists."""


def did_you_mean(word: str, known: Iterable[str], noun: str) -> str:
    """An error message for an unknown name: suggests the likeliest name and lists the others.

    Of more than ``MOST_NAMES`` it lists the first.
    """
    names = list(known)
    close = difflib.get_close_matches(str(word), names, n=1, cutoff=0.6)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    listing = ", ".join(names[:MOST_NAMES]) if names else "none"
    if len(names) > MOST_NAMES:
        listing += f", and {len(names) - MOST_NAMES:,} more"
    return f"There is no {noun} {word!r}.{hint} Known: {listing}."


def check_names(names: Iterable[str], known: Collection[str]) -> None:
    """Checks that names are among a game's `known` parameters.

    Raises:
        ParameterError: a name is unknown; the message lists the known ones, or says how to set
            the number of players.
    """
    for name in names:
        if name in known:
            continue
        if name == "players":
            raise ParameterError(
                "The number of players is not a parameter: give it by --players N, "
                "in Python by players=N."
            )
        raise ParameterError(did_you_mean(name, known, "parameter"))

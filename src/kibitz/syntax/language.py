"""What a language is in which games are described.

Python, RECYCLE and GDL are three of them (``kibitz.languages``); a package adds another through
the entry point group ``kibitz.languages``. Whatever loads, checks, formats or shows games asks
the language for it, and knows none by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from kibitz.core.errors import FileError

if TYPE_CHECKING:
    from kibitz.core.game import Game
    from kibitz.syntax.source import Diagnostic, Source

Progress: TypeAlias = "Callable[[str, int | None], AbstractContextManager[Callable[[int], None]]]"
"""Told what is done and how many games that takes, if it is known; gives a function to be called
with the number of games played so far."""


def no_progress(what: str, games: int | None) -> AbstractContextManager[Callable[[int], None]]:
    """A ``Progress`` that nobody sees."""
    return nullcontext(lambda played: None)


@dataclass(frozen=True)
class CheckOptions:
    """How a game is checked.

    Attributes:
        games: at each table that is tried; 0: rules are only read; ``None``: as many as usual.
        actions: of a game in Python to be looked at one by one; ``None``: as many as usual.
        players: only tables of this size; ``None``: all.
        seed: of the games.
        parameters: values that are given, by name.
        progress: sees how far it is.
    """

    games: int | None = None
    actions: int | None = None
    players: int | None = None
    seed: int = 0
    parameters: Mapping[str, Any] = field(default_factory=dict)
    progress: Progress = no_progress


class Checked(Protocol):
    """What a check found."""

    @property
    def complete(self) -> bool:
        """Whether it came to its end."""

    def is_right(self, strict: bool) -> bool:
        """Whether there are no errors and, if strict, no warnings."""

    def render(self, color: bool) -> str:
        """Everything for people."""

    def document(self, strict: bool) -> dict[str, Any]:
        """Everything for programs, as JSON."""


class Language:
    """A language in which games are described.

    Attributes:
        name: as ``load(text, language=name)`` takes it.
        title: as people write it.
        suffixes: what the names of its files end with; that of new files first.
        decided_by: those suffixes after which a file is in this language, whatever is in it.
        runs_code: whether a text can do anything on the machine that reads it. Such a text is
            taken from the person at the keyboard only.
        forms: what else a game can be shown as, by name, the usual one first.
        recognized_by: what a text in it has, in words.
        template: the file in ``kibitz/templates`` with a small game to begin with.
        guide: the page that explains the language.
    """

    name: str = ""
    title: str = ""
    suffixes: tuple[str, ...] = ()
    decided_by: tuple[str, ...] = ()
    runs_code: bool = False
    forms: tuple[str, ...] = ()
    recognized_by: str = ""
    template: str = ""
    guide: str = ""

    def recognizes(self, source: Source) -> bool:
        """Whether a text is in this language, by what stands in it."""
        return False

    def load(self, source: Source, name: str | None = None, compiled: bool | None = None) -> Game:
        """The game that a text describes.

        Args:
            source: the text.
            name: of the game; by default made from what the text says or what it is called.
            compiled: ``False`` leaves rules that are Python to a debugger.

        Raises:
            FileError: the text cannot be used.
            GameDefinitionError: the text is code that has no game, or does not run.
        """
        raise NotImplementedError

    def names_code(self, spec: str) -> bool:
        """Whether a person who types this means code in this language: ``MODULE:CLASS``."""
        return False

    def load_code(self, spec: str, compiled: bool | None = None) -> Game:
        """The game in the code that a person named, which is run.

        Raises:
            UnknownGameError: there is none.
            GameDefinitionError: the code does not run.
        """
        raise NotImplementedError

    def source_of(self, game: Game) -> Source | None:
        """The text that a game in this language was read from; ``None`` if it is none."""
        return None

    def prepare(self, game: Game) -> None:
        """Does with a game that does not come with Kibitz what is needed before it is played."""

    def diagnose(
        self, source: Source, players: int | None, parameters: Mapping[str, Any]
    ) -> list[Diagnostic]:
        """What reading a text shows, without playing: errors and warnings, by their places.

        Args:
            source: the text.
            players: how many play; else what holds for the usual, the least and the most.
            parameters: values that are not as usual, by name.
        """
        return []

    def gravest(self, warnings: Sequence[Diagnostic]) -> Diagnostic:
        """The one after which a game most probably is not the one that was meant."""
        return min(warnings, key=lambda one: not one.is_error)

    def check(self, spec: str, source: Source | None, options: CheckOptions) -> Checked:
        """Whether a game is right, as far as reading and playing can show.

        Args:
            spec: what the person called it.
            source: its rules, where they are a text.
            options: how it is checked.

        Raises:
            ParameterError: an option is none for this language.
        """
        raise NotImplementedError

    def format(self, source: Source) -> str:
        """The text with its lines laid out anew.

        Raises:
            FileError: that cannot be done.
        """
        raise FileError(f"{source.name}: there is no layout for {self.title}.")

    def show(
        self, game: Game, form: str, players: int | None, parameters: Mapping[str, Any]
    ) -> Iterator[str]:
        """The lines of a game in one of the ``forms``.

        Args:
            game: what is shown.
            form: one of the ``forms``.
            players: how many play; ``None``: as many as usual.
            parameters: values that are not as usual, by name.

        Raises:
            ParameterError: the game does not allow these players or parameters.
        """
        raise NotImplementedError

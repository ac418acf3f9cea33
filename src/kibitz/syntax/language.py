"""The interface of languages in which games are described.

Python, RECYCLE and GDL are three of them (``kibitz.languages``); a package adds another through
the entry point group ``kibitz.languages``. Code that loads, checks, formats or shows games
uses this interface, and knows no language by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from kibitz.core.errors import FileError

if TYPE_CHECKING:
    from kibitz.core.game import Game
    from kibitz.syntax.outline import Name, Symbol
    from kibitz.syntax.source import Diagnostic, Source

Progress: TypeAlias = "Callable[[str, int | None], AbstractContextManager[Callable[[int], None]]]"
"""Takes what is being done and the number of games, if known; its context gives a function to be
called with the number of games played so far."""


def no_progress(what: str, games: int | None) -> AbstractContextManager[Callable[[int], None]]:
    """A ``Progress`` that shows nothing."""
    return nullcontext(lambda played: None)


@dataclass(frozen=True)
class CheckOptions:
    """Options of a check.

    Attributes:
        games: at each table; 0: the rules are only read; ``None``: the default number.
        actions: to inspect one by one in a game in Python; ``None``: the default number.
        players: only tables of this size; ``None``: all.
        seed: of the games.
        parameters: fixed values by name.
        progress: shows the progress.
    """

    games: int | None = None
    actions: int | None = None
    players: int | None = None
    seed: int = 0
    parameters: Mapping[str, Any] = field(default_factory=dict)
    progress: Progress = no_progress


class CheckResult(Protocol):
    """The result of a check."""

    @property
    def complete(self) -> bool:
        """Whether the check was finished, not interrupted."""

    def is_right(self, strict: bool) -> bool:
        """Whether there are no errors and, if strict, no warnings."""

    def render(self, color: bool) -> str:
        """The result as text for people."""

    def document(self, strict: bool) -> dict[str, Any]:
        """The result as JSON."""


class Language:
    """A language in which games are described.

    Attributes:
        name: as ``load(text, language=name)`` takes it.
        title: its name for people.
        suffixes: of its files; that of new files first.
        decided_by: the suffixes that decide that a file is in this language, whatever its content.
        runs_code: whether loading a text runs code. Such a text is taken from the person at the
            keyboard only.
        forms: names of the forms in which a game can be shown, the default first.
        recognized_by: what identifies a text in it, in words.
        template: the file with a small game to start from: its name in ``kibitz/templates``, or
            its whole path.
        guide: the page that explains the language, in Markdown: its place in Kibitz, or its
            whole path.
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

    def fault(self) -> str:
        """What is wrong with how the language is declared, in words; empty if nothing is."""
        for what in ("name", "title"):
            if not (isinstance(text := getattr(self, what), str) and text):
                return f"has no {what}"
        for what in ("suffixes", "decided_by", "forms"):
            words = getattr(self, what)
            if not isinstance(words, tuple) or not all(isinstance(one, str) for one in words):
                return f"has {what} = {words!r}, which should be a tuple of texts"
        if type(self).load is Language.load:
            return "does not define load"
        return ""

    def recognizes(self, source: Source) -> bool:
        """Whether a text is in this language, by its content."""
        return False

    def load(self, source: Source, name: str | None = None, compiled: bool | None = None) -> Game:
        """Loads a game from a text.

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
        """Whether this names code in this language: ``MODULE:CLASS``."""
        return False

    def load_code(self, spec: str, compiled: bool | None = None) -> Game:
        """Runs the named code, and returns the game in it.

        Raises:
            UnknownGameError: there is none.
            GameDefinitionError: the code does not run.
        """
        raise NotImplementedError

    def source_of(self, game: Game) -> Source | None:
        """The text that a game was read from; ``None`` if the language has no texts."""
        return None

    def prepare(self, game: Game) -> None:
        """Prepares a game that does not come with Kibitz for play."""

    def diagnose(
        self, source: Source, players: int | None, parameters: Mapping[str, Any]
    ) -> list[Diagnostic]:
        """The errors and warnings that reading a text shows, without playing, in order of place.

        Args:
            source: the text.
            players: how many play; ``None``: the default, the smallest and the largest number.
            parameters: values that differ from the defaults, by name.
        """
        return []

    def errors(self, source: Source) -> list[Diagnostic]:
        """The errors alone, as fast as they can be found: what an editor shows first."""
        return [one for one in self.diagnose(source, None, {}) if one.is_error]

    def outline(self, source: Source) -> list[Symbol]:
        """The parts of a text, in order; also of one that is wrong."""
        return []

    def names(self, source: Source) -> list[Name]:
        """The names that a text uses, each once; also of one that is wrong."""
        return []

    def gravest(self, warnings: Sequence[Diagnostic]) -> Diagnostic:
        """The warning that most probably means that the game is not the intended one."""
        return min(warnings, key=lambda one: not one.is_error)

    def check(self, spec: str, source: Source | None, options: CheckOptions) -> CheckResult:
        """Checks a game by reading and playing it.

        Args:
            spec: as the person named it.
            source: its rules, where they are a text.
            options: of the check.

        Raises:
            FileError: the language has no check.
            ParameterError: this language does not have an option.
        """
        raise FileError(f"{spec}: there is no check for {self.title}.")

    def format(self, source: Source) -> str:
        """The text with a standard layout of lines.

        Raises:
            FileError: the language has no layout, or the text is wrong.
        """
        raise FileError(f"{source.name}: there is no layout for {self.title}.")

    def show(
        self, game: Game, form: str, players: int | None, parameters: Mapping[str, Any]
    ) -> Iterator[str]:
        """The lines of a game in one of the ``forms``.

        Args:
            game: what is shown.
            form: one of the ``forms``.
            players: how many play; ``None``: the default.
            parameters: values that differ from the defaults, by name.

        Raises:
            ParameterError: the game does not allow these players or parameters.
        """
        raise NotImplementedError

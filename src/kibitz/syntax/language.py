"""The interface of a language in which games are described.

Python, RECYCLE and GDL are three of them (``kibitz.languages``); a package adds another through
the entry point group ``kibitz.languages``. Code that loads, checks, formats or shows games
uses this interface and does not depend on a particular language.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kibitz.core.errors import FileError
from kibitz.core.progress import Progress
from kibitz.syntax.rulebook import Rulebook, declared_rules

if TYPE_CHECKING:
    from kibitz.core.game import Game
    from kibitz.core.parameters import GameParameters
    from kibitz.syntax.findings import CheckResult
    from kibitz.syntax.outline import Name, Symbol
    from kibitz.syntax.source import Diagnostic, Source


@dataclass(frozen=True)
class CheckOptions:
    """Options of a check.

    Attributes:
        games: How many games are played at each table. With 0 the rules are only read; ``None``
            is the default number.
        actions: How many actions of a game in Python are inspected one by one; ``None`` is the
            default number.
        players: The only number of players that is checked; ``None`` checks all.
        seed: The seed from which the games are drawn.
        parameters: Fixed values of the game's parameters, by name.
        progress: Called with the number of games played so far; its stage describes the work.
    """

    games: int | None = None
    actions: int | None = None
    players: int | None = None
    seed: int = 0
    parameters: Mapping[str, Any] = field(default_factory=dict)
    progress: Progress | None = None


class Language:
    """A language in which games are described.

    Attributes:
        name: The name that ``load(text, language=name)`` takes.
        title: The name that people read.
        suffixes: The suffixes of its files; new files get the first. A file with a suffix that
            no other language has is in this language, whatever its content.
        compiles_tables: Whether each choice of parameters is compiled separately.
        runs_code: Whether loading a text runs code. Such a text is accepted only from the person
            at the keyboard.
        forms: Names of the forms in which a game can be shown, the default first.
        recognized_by: A description of what identifies a text in this language.
        template: The file with a small game to start from: its name in ``kibitz/templates``, or
            an absolute path.
        guide: The Markdown page that explains the language: its path within Kibitz, or an
            absolute path.
    """

    name: str = ""
    title: str = ""
    suffixes: tuple[str, ...] = ()
    compiles_tables: bool = False
    runs_code: bool = False
    forms: tuple[str, ...] = ()
    recognized_by: str = ""
    template: str = ""
    guide: str = ""

    def fault(self) -> str:
        """What is wrong with the declaration of the language; empty if nothing is."""
        for attribute in ("name", "title"):
            if not (isinstance(text := getattr(self, attribute), str) and text):
                return f"has no {attribute}"
        for attribute in ("suffixes", "forms"):
            words = getattr(self, attribute)
            if not isinstance(words, tuple) or not all(isinstance(word, str) for word in words):
                return f"has {attribute} = {words!r}, which should be a tuple of texts"
        if type(self).load is Language.load:
            return "does not define load"
        return ""

    def recognizes(self, source: Source) -> bool:
        """Whether the content of a text shows that it is in this language."""
        return False

    def load(self, source: Source, name: str | None = None, compiled: bool | None = None) -> Game:
        """Loads a game from a text.

        Args:
            source: The text of the rules.
            name: The name of the game; by default it comes from the text or from its name.
            compiled: With ``False``, rules that are Python code are interpreted, so that a
                debugger can follow them.

        Raises:
            FileError: The text has errors or cannot be read.
            GameDefinitionError: The text is code that contains no game or does not run.
        """
        raise NotImplementedError

    def names_code(self, spec: str) -> bool:
        """Whether a specification such as ``MODULE:CLASS`` names code in this language."""
        return False

    def load_code(self, spec: str, compiled: bool | None = None) -> Game:
        """Runs the named code, and returns the game in it.

        Raises:
            UnknownGameError: The code does not exist or contains no such game.
            GameDefinitionError: The code does not run.
        """
        raise NotImplementedError

    def source_of(self, game: Game) -> Source | None:
        """The text that a game was read from; ``None`` if the language has no texts."""
        return None

    def prepare(self, game: Game) -> None:
        """Prepares a game of another package or of a user for play."""

    def diagnose(
        self, source: Source, players: int | None, parameters: Mapping[str, Any]
    ) -> list[Diagnostic]:
        """The errors and warnings of a text that are found without playing, in order of place.

        Args:
            source: The text of the rules.
            players: The number of players; ``None`` checks the default, the smallest and the
                largest number.
            parameters: Values that differ from the defaults, by name.
        """
        return []

    def errors(self, source: Source) -> list[Diagnostic]:
        """The errors of a text, found as fast as possible for an editor."""
        return [
            diagnostic for diagnostic in self.diagnose(source, None, {}) if diagnostic.is_error
        ]

    def outline(self, source: Source) -> list[Symbol]:
        """The parts of a text, in order; the text may have errors."""
        return []

    def names(self, source: Source) -> list[Name]:
        """The names that a text uses, each once; the text may have errors."""
        return []

    def gravest(self, warnings: Sequence[Diagnostic]) -> Diagnostic:
        """The diagnostic that most probably means that the game is not the intended one."""
        return min(warnings, key=lambda diagnostic: not diagnostic.is_error)

    def check(
        self, game: str | Game | type[Game], source: Source | None, options: CheckOptions
    ) -> CheckResult:
        """Checks a game by reading and playing it.

        A language without a check of its own reports the errors of a text by loading it.

        Args:
            game: The game, or its name or file as the user wrote it.
            source: The rules, if they are a text.
            options: What is checked, and how thoroughly.

        Raises:
            FileError: The text has errors, or the language has no check of its own.
            ParameterError: An option does not apply to this language.
        """
        if source is not None:
            self.load(source)
        name = game if isinstance(game, str) else game.name
        raise FileError(f"{name}: there is no check for {self.title}.")

    def format(self, source: Source) -> str:
        """The text with a standard layout of lines.

        Raises:
            FileError: The language has no layout, or the text has errors.
        """
        raise FileError(f"{source.name}: there is no layout for {self.title}.")

    def rules(self, game: Game, players: int, parameters: GameParameters) -> Rulebook:
        """The rules of a game in words, for a number of players and values of parameters.

        A language whose rules are code gives what the game declares.
        """
        return declared_rules(game.table(players, parameters.as_dict()))

    def show(
        self, game: Game, form: str, players: int | None, parameters: Mapping[str, Any]
    ) -> Iterator[str]:
        """The lines of a game in one of the ``forms``.

        Args:
            game: A game in this language.
            form: One of the ``forms``.
            players: The number of players; ``None`` is the default.
            parameters: Values that differ from the defaults, by name.

        Raises:
            ParameterError: The game does not allow these players or parameters.
        """
        raise NotImplementedError

"""RECYCLE, the language of card games."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kibitz.core.errors import FileError, ParameterError
from kibitz.syntax.findings import CheckResult
from kibitz.syntax.language import CheckOptions, Language

if TYPE_CHECKING:
    from kibitz.core.game import Game
    from kibitz.core.parameters import GameParameters
    from kibitz.recycle.game import RecycleGame
    from kibitz.syntax.outline import Name, Symbol
    from kibitz.syntax.rulebook import Rulebook
    from kibitz.syntax.source import Diagnostic, Source

_ENOUGH = 2000
"""The number of tokens of a text that are read to recognize its language."""

_GRAVE = (
    *("endless", "never-runs", "dead-choice", "no-such-player", "no-such-team", "never-equal"),
    *("never-filled", "never-set", "end-unchanged", "contradiction", "constant-condition"),
    *("other-than-current", "dead-option", "hidden-information", "maybe-empty"),
)
"""Codes of warnings that usually mean that a game is not the intended one, the gravest first."""


class Recycle(Language):
    """The language RECYCLE: texts that begin with ``(game ...)``."""

    name = "recycle"
    title = "RECYCLE"
    compiles_tables = True
    suffixes = (".rcy", ".recycle", ".rkt", ".gdl")
    recognized_by = "(game ...) at the beginning"
    forms = ("flow", "llvm")
    template = "new_game.rcy"
    guide = "docs/recycle.md"

    def recognizes(self, source: Source) -> bool:
        """Whether the first form of a text is ``(game ...)``."""
        from kibitz.recycle.words import LEXICON
        from kibitz.syntax.sexpr import Form, arrange, tokenize

        forms = arrange(tokenize(source, LEXICON, _ENOUGH)).forms
        return bool(forms) and isinstance(forms[0], Form) and forms[0].head == "game"

    def load(
        self, source: Source, name: str | None = None, compiled: bool | None = None
    ) -> RecycleGame:
        """Makes a game of a text; its rules are parsed when needed, and are always compiled."""
        from kibitz.recycle.game import RecycleGame

        return RecycleGame(source, name)

    def source_of(self, game: Game) -> Source:
        """The text that a game was read from."""
        from kibitz.recycle.game import RecycleGame

        assert isinstance(game, RecycleGame)
        return game.text

    def diagnose(
        self, source: Source, players: int | None, parameters: Mapping[str, Any]
    ) -> list[Diagnostic]:
        """The errors and warnings of a text; values it does not declare are ignored."""
        from kibitz.recycle.checker import diagnose

        own = self.load(source).own_parameters
        values = {own[name]: int(value) for name, value in parameters.items() if name in own}
        return diagnose(source, players, values)

    def errors(self, source: Source) -> list[Diagnostic]:
        """The errors alone; a search for warnings would take ten times as long."""
        from kibitz.recycle.parser import parse

        return [diagnostic for diagnostic in parse(source)[1] if diagnostic.is_error]

    def outline(self, source: Source) -> list[Symbol]:
        """The declarations, the setup, stages, choices, steps and the scoring of a text."""
        from kibitz.recycle.outline import outline

        return outline(source)

    def names(self, source: Source) -> list[Name]:
        """The names of locations, storages and cards, and the variables of a text."""
        from kibitz.recycle.outline import names

        return names(source)

    def gravest(self, warnings: Sequence[Diagnostic]) -> Diagnostic:
        """The diagnostic that most probably means that the game is not the intended one."""
        rank = {code: number for number, code in enumerate(_GRAVE)}
        return min(warnings, key=lambda d: (not d.is_error, rank.get(d.code, len(_GRAVE))))

    def check(
        self, game: str | Game | type[Game], source: Source | None, options: CheckOptions
    ) -> CheckResult:
        """Checks the text and, if it has no errors, plays random games with extreme settings."""
        from kibitz.recycle import checker

        assert source is not None
        if options.actions is not None:
            raise ParameterError(f"{source.name} is in RECYCLE: actions are for games in Python.")
        read, played = self._values(source, options.parameters)
        diagnostics = checker.diagnose(source, options.players, read)
        result = CheckResult.of_text(source, diagnostics)
        if options.games == 0 or not result.ok:
            return result
        from kibitz.languages.recycle_trial import GAMES, try_out

        tried = self.load(source)
        tried.origin.where = game if isinstance(game, str) else ""
        if options.progress is not None:
            options.progress(f"Playing {game if isinstance(game, str) else source.name} ...", 0, 0)
        trial = try_out(tried, options.players, played, options.games or GAMES, options.seed)
        diagnostics = checker.silenced([*diagnostics, *trial.new_diagnostics(diagnostics)], source)
        played_games = f"Played {trial.summary()}."
        return CheckResult.of_text(source, diagnostics, played_games, trial.to_json())

    def _values(
        self, source: Source, parameters: Mapping[str, Any]
    ) -> tuple[dict[str, int], dict[str, int | bool]]:
        """The values of parameters by their names in the text, and by their public names.

        Raises:
            ParameterError: A value is not allowed.
        """
        if not parameters:
            return {}, {}
        from kibitz.recycle.game import WHEN_STUCK

        game = self.load(source)
        read: dict[str, int] = {}
        played: dict[str, int | bool] = {}
        for name, value in parameters.items():
            if name == WHEN_STUCK:
                played[name] = game.Parameters.tunables[name].parse(value)
                continue
            try:
                number = int(value)
            except ValueError:
                raise ParameterError(f"{name} = {value} is not allowed: a whole number.") from None
            read[game.own_parameters.get(name, name)] = played[name] = number
        return read, played

    def format(self, source: Source) -> str:
        """Formats the text."""
        from kibitz.recycle.formatter import format_text

        if not self.recognizes(source):
            raise FileError(f"{source.name}: is not a game in RECYCLE.")
        return format_text(source.text, source.name)

    def rules(self, game: Game, players: int, parameters: GameParameters) -> Rulebook:
        """The rules in words, written from the tree."""
        from kibitz.recycle.game import RecycleGame
        from kibitz.recycle.parser import program
        from kibitz.recycle.rulebook import rulebook

        assert isinstance(game, RecycleGame)
        values = parameters.as_dict()
        own = {name: int(values[public]) for public, name in game.own_parameters.items()}
        return rulebook(program(game.text, players, own))

    def show(
        self, game: Game, form: str, players: int | None, parameters: Mapping[str, Any]
    ) -> Iterator[str]:
        """The layout of the state and the flow of the game, or the LLVM module of its rules."""
        from kibitz.core.game import checked_players
        from kibitz.recycle.game import RecycleGame
        from kibitz.recycle.listing import listing

        assert isinstance(game, RecycleGame)
        players = checked_players(game, players)
        rules = game.rules_for(players, game.Parameters(players, **parameters))
        if form == "llvm":
            return iter([rules.translation.text])
        return listing(rules.places, rules.translation)


RECYCLE = Recycle()

"""GDL, the language of general game playing, in KIF or in infix notation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from kibitz.core.errors import ParameterError
from kibitz.core.wording import counted
from kibitz.syntax.findings import CheckResult
from kibitz.syntax.language import CheckOptions, Language

if TYPE_CHECKING:
    from kibitz.core.game import Game
    from kibitz.core.parameters import GameParameters
    from kibitz.gdl.game import GdlGame
    from kibitz.syntax.outline import Name, Symbol
    from kibitz.syntax.rulebook import Rulebook
    from kibitz.syntax.source import Diagnostic, Source

_INFIX = re.compile(r":-|^\s*\[?role\s*\(", re.MULTILINE)
_ENOUGH = 2000
"""The number of tokens of a text that are read to recognize its language."""


class Gdl(Language):
    """The language GDL: texts with rules ``(<= ...)`` or relations such as ``(role ...)``."""

    name = "gdl"
    title = "GDL"
    suffixes = (".kif", ".gdl")
    recognized_by = "(role ...) and (<= ...)"
    forms = ("network", "kif", "infix", "dot", "json")
    template = "new_game.kif"
    guide = "docs/gdl.md"

    def recognizes(self, source: Source) -> bool:
        """Whether a text has a rule, or a relation that is a keyword, at the top level."""
        from kibitz.gdl.infix import is_infix
        from kibitz.gdl.reader import LEXICON
        from kibitz.gdl.rules import KEYWORDS
        from kibitz.syntax.sexpr import Form, arrange, tokenize

        if is_infix(source):
            return bool(_INFIX.search(source.text))
        forms = arrange(tokenize(source, LEXICON, _ENOUGH)).forms
        if forms and isinstance(forms[0], Form) and forms[0].head == "game":
            return False  # RECYCLE
        return any(
            isinstance(item, Form) and item.head.lower() in ("<=", *KEYWORDS)
            for form in forms
            for item in (form.items if isinstance(form, Form) and not form.head else (form,))
        )

    def load(
        self, source: Source, name: str | None = None, compiled: bool | None = None
    ) -> GdlGame:
        """Makes a game of a text; its rules are grounded when they are needed."""
        from kibitz.gdl.game import GdlGame

        return GdlGame(source, name)

    def source_of(self, game: Game) -> Source:
        """The text that a game was read from."""
        from kibitz.gdl.game import GdlGame

        assert isinstance(game, GdlGame)
        return game.text

    def diagnose(
        self, source: Source, players: int | None, parameters: Mapping[str, Any]
    ) -> list[Diagnostic]:
        """The errors and warnings of a text; players and parameters are ignored."""
        from kibitz.gdl.checker import diagnose

        return diagnose(source)

    def outline(self, source: Source) -> list[Symbol]:
        """The relations that a text defines, with the numbers of rules and facts of each."""
        from kibitz.gdl.outline import outline

        return outline(source)

    def names(self, source: Source) -> list[Name]:
        """The relations, functions and constants of a text."""
        from kibitz.gdl.outline import names

        return names(source)

    def check(
        self, game: str | Game | type[Game], source: Source | None, options: CheckOptions
    ) -> CheckResult:
        """Checks the rules and, if they have no errors, plays random games."""
        from kibitz.gdl import checker

        assert source is not None
        if options.actions is not None:
            raise ParameterError(f"{source.name} is in GDL: actions are for games in Python.")
        if options.parameters or options.players is not None:
            raise ParameterError(f"{source.name} is in GDL: its rules say who plays, and how.")
        diagnostics = checker.diagnose(source)
        played = ""
        if options.games != 0 and CheckResult.of_text(source, diagnostics).ok:
            from kibitz.gdl.simulation import GAMES, simulate

            if options.progress is not None:
                what = game if isinstance(game, str) else source.name
                options.progress(f"Playing {what} ...", 0, 0)
            checked: Counter[str] = Counter()
            problems = simulate(source, options.games or GAMES, options.seed, checked=checked)
            diagnostics = diagnostics + checker.silenced(problems, source)
            if checked["games"]:
                games = counted(checked["games"], "random game")
                played = f"Played {games} of {counted(checked['steps'], 'step')}."
        return CheckResult.of_text(source, diagnostics, played)

    def format(self, source: Source) -> str:
        """Formats a text in KIF."""
        from kibitz.gdl.formatter import format_text

        return format_text(source.text, source.name)

    def rules(self, game: Game, players: int, parameters: GameParameters) -> Rulebook:
        """The relations of the text as sentences."""
        from kibitz.gdl.game import GdlGame
        from kibitz.gdl.rulebook import rulebook

        assert isinstance(game, GdlGame)
        return rulebook(game.description, game.title, game.about(), game.source)

    def show(
        self, game: Game, form: str, players: int | None, parameters: Mapping[str, Any]
    ) -> Iterator[str]:
        """The rules in KIF or infix notation, or their network as text, DOT or JSON."""
        from kibitz.gdl import diagrams, writer
        from kibitz.gdl.game import GdlGame
        from kibitz.gdl.listing import listing

        assert isinstance(game, GdlGame)
        if players is not None or parameters:
            raise ParameterError(f"{game.name} is in GDL: its rules say who plays, and how.")
        networks = {"network": listing, "dot": diagrams.to_dot, "json": diagrams.to_json}
        if form in networks:
            return networks[form](game.rules.network)
        write = writer.to_kif if form == "kif" else writer.to_infix
        return iter(write(game.description).splitlines())


GDL = Gdl()

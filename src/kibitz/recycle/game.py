"""Games in RECYCLE as ``Game`` objects, for agents, the command line and the other tools."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kibitz.core import state as states
from kibitz.core.fingerprint import text_fingerprint
from kibitz.core.game import Game
from kibitz.core.parameters import GameParameters, Tunable
from kibitz.recycle.header import Header, read_header
from kibitz.recycle.options import Hidden
from kibitz.recycle.parser import program
from kibitz.recycle.rules import RecycleRules
from kibitz.recycle.telling import Telling
from kibitz.syntax.source import Source

WHEN_STUCK = "pass_when_stuck"
"""The name of the parameter that every game in RECYCLE has in addition to those of its text."""


_TAKEN = ("players", "parameters", WHEN_STUCK)
"""Names that a parameter cannot have, since the command line or ``Game.table`` uses them."""


class RecycleGame(Game):
    """A game described in RECYCLE. Its rules are parsed when a table is made.

    Args:
        source: The text of the game.
        name: The name of the game; by default it is made from the name of the source.
        optimised: Whether the machine code is optimised; unoptimised code is compiled faster.

    Attributes:
        text: The text of the game, and its name.
        declared_players: The usual number of players, according to the text.
        declared_scores: The lowest and the highest score, if the text declares them.
        own_parameters: The names of parameters in the text, by their public names.
    """

    language = "recycle"
    Wording = Telling
    look = "kibitz.pictures.recycle:RecycleLook"
    loops = 4  # Bell, Goadrich 2016, section 4: a layout seen for the fourth time

    def __init__(self, source: Source, name: str | None = None, *, optimised: bool = True) -> None:
        header = read_header(source)
        stem = Path(source.name).stem
        self.compiled = True  # there is no other form of it
        self.text = source
        self.name = name or re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")
        self.title = header.title or stem
        self.players = (header.least_players, header.most_players)
        self.source = header.url
        self.categories = ("card game", *header.words.categories)
        self.mechanics = header.words.mechanics
        self.played_for = header.aim.played_for
        self.zero_sum = header.aim.zero_sum or self.played_for == "place"
        self.declared_scores = header.aim.scores
        self.declared_players = header.usual_players
        self.own_parameters, self.Parameters = _parameters(header)
        self.__doc__ = header.about or f"{self.title}, a game described in RECYCLE."
        self._optimised = optimised

    def fork(self, compiled: bool | None = None) -> RecycleGame:
        """Another instance of the same game, for another thread."""
        return self._again(self._optimised)

    def quickly_made(self) -> RecycleGame:
        """Another instance with unoptimised machine code, which takes a tenth of the time."""
        return self._again(False)

    def _again(self, optimised: bool) -> RecycleGame:
        return _made(self.text, self.name, optimised, self.origin.where)

    @property
    def usual_players(self) -> int:
        """The number of players that the text declares."""
        return self.declared_players

    def score_range(self, players: int, parameters: GameParameters) -> tuple[float, float] | None:
        """The lowest and the highest score that the text declares."""
        return self.declared_scores

    def rules_for(self, players: int, parameters: GameParameters) -> RecycleRules:
        """The rules for a number of players and values of the parameters.

        Raises:
            SourceError: The text has errors.
        """
        values = parameters.as_dict()
        own = {name: int(values[public]) for public, name in self.own_parameters.items()}
        tree = program(self.text, players, own)
        return RecycleRules(self.name, tree, bool(values[WHEN_STUCK]), self._optimised)

    @property
    def rules_text(self) -> tuple[str, str]:
        """The suffix of the text's file, and the text."""
        return ".rcy", self.text.text

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the text."""
        return text_fingerprint(self.text.text)


def rules_of(state: states.State) -> RecycleRules:
    """The rules of a state of a game in RECYCLE."""
    rules = state.table.rules
    assert isinstance(rules, RecycleRules)
    return rules


def telling(state: states.State) -> Telling:
    """The wording of the table of a state."""
    wording = state.table.wording
    assert isinstance(wording, Telling)
    return wording


def _made(text: Source, name: str, optimised: bool, where: str) -> RecycleGame:
    game = RecycleGame(text, name, optimised=optimised)
    game.origin.where = where
    return game


def _parameters(header: Header) -> tuple[Mapping[str, str], type[GameParameters]]:
    """The names of parameters in the text by public name, and the class of the parameters.

    The public name is the name in small letters, with ``the_`` before it if that is taken.
    """
    declared: dict[str, Any] = {}
    own: dict[str, str] = {}
    for parameter in header.parameters:
        public = parameter.name.lower()
        while public in own or public in _TAKEN:
            public = f"the_{public}"
        own[public] = parameter.name
        value = parameter.default  # a default out of range is reported when the rules are read
        allowed = range(min(parameter.low, value), max(parameter.high, value) + 1)
        declared[public] = Tunable(value, allowed, parameter.doc)
    declared[WHEN_STUCK] = Tunable(
        False,
        doc="a player without an option passes, instead of the game breaking off",
        tune=(),
    )
    return own, type("Parameters", (GameParameters,), declared)


def load(path: str | Path) -> RecycleGame:
    """Loads the game in a file.

    Raises:
        FileError: The file cannot be read.
    """
    return RecycleGame(Source.load(path))


__all__ = ["Hidden", "RecycleGame", "load"]

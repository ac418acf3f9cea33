"""Games in RECYCLE as ``Game`` objects, for agents, the command line and the other tools."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kibitz.core import state as states
from kibitz.core.changes import Change
from kibitz.core.fingerprint import text_fingerprint
from kibitz.core.game import MOST_TABLES, Game, Table
from kibitz.core.parameters import GameParameters, Tunable
from kibitz.core.phrase import Phrase, Vocabulary
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
        own_parameters: The names of parameters in the text, by their public names.
    """

    language = "recycle"
    compiles_tables = True
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
        self.played_for = header.played_for
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
        return _made(self.text, self.name, optimised, self.where)

    @property
    def usual_players(self) -> int:
        """The number of players that the text declares."""
        return self.declared_players

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

    # -- words -----------------------------------------------------------------------------

    def words(self, state: states.State, action: int) -> str:
        """An action as a sentence."""
        return telling(state).words(state, action)

    def phrase(self, table: Table, action: int) -> Phrase:
        """An option in parts; parts that depend on the state are left open."""
        assert isinstance(table.rules, RecycleRules)
        return _telling(table.rules).phrase(action)

    def possible_words(
        self, table: Table, action: int, state: states.State | None = None
    ) -> tuple[str, ...]:
        """The possible words of an option: without and with its line.

        The line is added if other options have the same words.
        """
        assert isinstance(table.rules, RecycleRules)
        return _telling(table.rules).possible_words(action, state)

    def words_need_state(self, table: Table) -> bool:
        """Whether the options of a state must be listed to find the cards that an action picks."""
        assert isinstance(table.rules, RecycleRules)
        return not all(path.packed for path in table.rules.translation.paths)

    def vocabulary(self, table: Table) -> Vocabulary:
        """The kinds of options, and the names of cards."""
        assert isinstance(table.rules, RecycleRules)
        return _telling(table.rules).vocabulary()

    def event_text(
        self, before: states.State, action: int, after: states.State, observer: int | None
    ) -> str:
        """An action in words, without the cards that the observer does not know."""
        return telling(before).event_text(before, action, after, observer)

    def consequences(
        self, before: states.State, action: int, after: states.State, observer: int | None
    ) -> Iterator[Change]:
        """The changes that follow an action, and the choices of others that it reveals."""
        return telling(before).consequences(before, action, after, observer)

    def opening(self, start: states.State, observer: int | None) -> Iterator[Change]:
        """The changes before the first decision, such as a deal."""
        return telling(start).opening(start, observer)

    def describe(self, state: states.State, observer: int | None) -> str:
        """The state as text: the table, then one line for each player."""
        return telling(state).describe(state, observer)

    def explain(self, state: states.State) -> str | None:
        """The place in the text at which the rules broke the game off, and the reason."""
        return telling(state).explain(state)


def rules_of(state: states.State) -> RecycleRules:
    """The rules of a state of a game in RECYCLE."""
    rules = state.table.rules
    assert isinstance(rules, RecycleRules)
    return rules


def telling(state: states.State) -> Telling:
    """The wording of the table of a state."""
    return _telling(rules_of(state))


_telling = functools.lru_cache(maxsize=MOST_TABLES)(Telling)


def _made(text: Source, name: str, optimised: bool, where: str) -> RecycleGame:
    game = RecycleGame(text, name, optimised=optimised)
    game.where = where
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

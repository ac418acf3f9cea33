"""`GdlGame`: a game described in GDL, as a `Game` of the contract."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path

from kibitz.core.fingerprint import text_fingerprint
from kibitz.core.game import Game, Table
from kibitz.core.parameters import GameParameters
from kibitz.gdl.checker import playable
from kibitz.gdl.game_wording import GdlWording
from kibitz.gdl.native import GdlRules
from kibitz.gdl.reader import heading
from kibitz.gdl.rules import RANDOM, Description
from kibitz.gdl.steps import longest_of_random
from kibitz.syntax.source import Source

SAMPLED_GAMES = 20
"""The random games that estimate the length of a game."""
MOST_REMEMBERED = 1000
"""The most steps for which memories have room."""


class GdlGame(Game):
    """A game described in GDL. Its rules are grounded when its first table is made.

    Args:
        source: the rules, in KIF or in infix notation.
        name: the name of the game; by default that of the source, in lower case and with hyphens.
        grounded: whether rules may become a network. If not, the prover evaluates them, which
            needs no preparation, but is slow.
        description: the result of `playable`, if it is known.

    Attributes:
        text: the source of the rules.
        description: the rules as `playable` returns them.

    Raises:
        SourceError: the text has errors, as ``kibitz check`` reports them.
    """

    language = "gdl"
    Wording = GdlWording
    categories: tuple[str, ...] = ("general game", "GDL")
    look = "kibitz.pictures.gdl:GdlLook"

    def __init__(
        self,
        source: Source,
        name: str | None = None,
        *,
        grounded: bool = True,
        description: Description | None = None,
    ) -> None:
        stem = Path(source.name).stem
        header = heading(source)
        self.compiled = True
        self.text = source
        self.description = description or playable(source)
        roles = self.description.roles
        # chance needs no seat; seats are numbered as roles are, so only the last role can lack one
        seats = max(1, len(roles) - (roles[-1:] == (RANDOM,)))
        self.players = (seats, seats)
        self.name = name or re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")
        self.title = header.title or stem
        self.source = header.url
        self.categories = (*GdlGame.categories, *header.categories)
        self.mechanics = header.mechanics
        self.__doc__ = header.about or f"{self.title}, a game described in GDL."
        self._grounded = grounded

    def seat_names(self, players: int) -> Sequence[str]:
        """The roles of the seats."""
        return [self.description.spelling[role] for role in self.description.roles[:players]]

    def fork(self, compiled: bool | None = None) -> GdlGame:
        """A copy of the game for another thread."""
        game = GdlGame(self.text, self.name, grounded=self._grounded, description=self.description)
        game.origin.where = self.origin.where
        return game

    @functools.cached_property
    def rules(self) -> GdlRules:
        """The rules of all tables: a network or, where that is too large, the prover."""
        return GdlRules(self.description, grounded=self._grounded, capacity=self._capacity)

    def rules_for(self, players: int, parameters: GameParameters) -> GdlRules:
        """The rules of any table: they are all the same."""
        return self.rules

    def _capacity(self) -> int:
        """The steps for which memories have room: three times the longest random game, plus 16."""
        rules = GdlRules(self.description, network=self.rules.network, imperfect=False)
        players = self.players[0]
        table = Table(self, players, self.Parameters(players), rules)
        longest = longest_of_random(table, SAMPLED_GAMES, MOST_REMEMBERED)
        return min(MOST_REMEMBERED, 16 + 3 * longest)

    @property
    def evaluation(self) -> str:
        """How states are evaluated, in words."""
        if self.rules.proved is not None:
            return f"rule by rule, slowly: {self.rules.refusal}"
        network = self.rules.network
        return f"a network of {len(network.gates):,} gates over {len(network.facts):,} facts"

    @property
    def slowness(self) -> str | None:
        """A notice of why the prover evaluates the rules; ``None`` with a network."""
        if self.rules.proved is None:
            return None
        return f"{self.title} is played rule by rule, which is slow: {self.rules.refusal}"

    @property
    def rules_text(self) -> tuple[str, str]:
        """The file name suffix and the text of the rules."""
        return ".kif", self.text.text

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the text."""
        return text_fingerprint(self.text.text)


def load(path: str | Path) -> GdlGame:
    """Loads the game in a file.

    Raises:
        FileError: the file cannot be read.
        SourceError: the rules have errors.
    """
    return GdlGame(Source.load(path))


__all__ = ["GdlGame", "load"]

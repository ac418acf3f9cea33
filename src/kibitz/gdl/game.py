"""`GdlGame`: a game described in GDL, as a `Game` of the contract."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path

from kibitz.core import state as states
from kibitz.core.changes import Change, Event
from kibitz.core.fingerprint import text_fingerprint
from kibitz.core.game import Game, Table
from kibitz.core.layout import HEADER
from kibitz.core.parameters import GameParameters
from kibitz.core.phrase import Phrase, Vocabulary
from kibitz.core.status import Status
from kibitz.core.view import view_at
from kibitz.core.wording import bare, player_name
from kibitz.gdl import evaluator, telling
from kibitz.gdl.checker import playable
from kibitz.gdl.native import GdlRules
from kibitz.gdl.reader import heading
from kibitz.gdl.rules import RANDOM, Description
from kibitz.gdl.steps import Steps, longest_of_random
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

    def fork(self, compiled: bool | None = None) -> GdlGame:
        """A copy of the game for another thread."""
        game = GdlGame(self.text, self.name, grounded=self._grounded, description=self.description)
        game.where = self.where
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

    # -- words -----------------------------------------------------------------------------

    @functools.cached_property
    def steps(self) -> Steps:
        """Joint moves of the game."""
        return Steps(self.table())

    def words(self, state: states.State, action: int) -> str:
        """A move as its author spells it."""
        return self.rules.actions.words(action)

    def phrase(self, table: Table, action: int) -> Phrase:
        """A move as a phrase: its name, and its arguments as operands."""
        return telling.phrase(self.rules.actions.words(action))

    def words_need_state(self, table: Table) -> bool:
        """Always false, since the words for a move are the same in all states."""
        return False

    def vocabulary(self, table: Table) -> Vocabulary:
        """The names of moves, and all moves.

        In games of turns the moves on which no rule depends are omitted: roles that are not to
        move make them.
        """
        names = self.rules.actions.names
        if self.rules.proved is None and self.rules.network.turns:
            moves = self.rules.network.moves
            names = [name for name, move in zip(names, moves, strict=True) if move.does >= 0]
        return Vocabulary(frozenset(telling.phrase(n).kind for n in names), frozenset(names))

    def event_text(
        self, before: states.State, action: int, after: states.State, observer: int | None
    ) -> str:
        """The text of an action for `observer`; it names another's move once all have chosen.

        A seat's text leaves out a ``noop`` that is a role's only move. In GDL-II it never names a
        move of another role, but has the observer's percepts once the step is made.
        """
        words = bare(self.words(before, action))
        passes = words == telling.NOOP and len(before.legal_actions()) == 1
        if observer is None:
            return "nothing" if passes else words
        mine = before.current_player == observer
        made = _is_made(before, after)
        if self.rules.imperfect:
            choice = ("" if passes else words) if mine else "has chosen"
            percepts = telling.new_percepts(self.steps, before, after, observer) if made else ""
            return "; ".join(filter(None, (choice, f"you see {percepts}" if percepts else "")))
        if passes:
            return ""
        return words if mine or made else "has chosen"

    def consequences(
        self, before: states.State, action: int, after: states.State, observer: int | None
    ) -> Iterator[Change]:
        """Yields the moves of other roles and of chance in a completed step, except in GDL-II."""
        if self.rules.imperfect or not _is_made(before, after):
            return
        chance = telling.chance_role(self.steps)
        for role in range(before.players if observer is not None else 0):
            move = before.view.commitments.moves[role] - 1
            if move >= 0 and role not in (before.current_player, observer, chance):
                words = bare(self.words(before, move))
                if words == telling.NOOP:
                    continue
                yield Event(
                    "choice",
                    f"{player_name(role).capitalize()}: {words}.",
                    {"player": role + 1, "words": words},
                )
        drawn = telling.drawn(self.steps, before)
        if drawn is not None:
            words = bare(self.words(before, drawn))
            yield Event("chance", f"Chance: {words}.", {"words": words})

    def describe(self, state: states.State, observer: int | None) -> str | None:
        """In GDL-II, describes what a player remembers and knows for certain."""
        if not self.rules.imperfect:
            return None
        return "\n".join([state.headline(), *telling.in_words(self.steps, state, observer)])

    def explain(self, state: states.State) -> str | None:
        """Says why the rules ended the game with an error."""
        if self.rules.imperfect and state.status == Status.FULL_BUFFER:
            if state.view.turn > self.rules.capacity:
                return f"players remember {self.rules.capacity:,} steps, and the game takes more"
        cause, role = divmod(int(view_at(state.address, HEADER).phase), 4)[::-1]
        reason = {
            evaluator.NO_GOAL: "has no goal value in a terminal state",
            evaluator.MANY_GOALS: "has several goal values in a terminal state",
            evaluator.NO_MOVE: "has no legal move in a state that is not terminal",
        }.get(cause)
        return f"the role {self.description.roles[role]} {reason}" if reason else None


def _is_made(before: states.State, after: states.State) -> bool:
    """Whether the step was completed between two states."""
    return bool(before.view.turn != after.view.turn)


def load(path: str | Path) -> GdlGame:
    """Loads the game in a file.

    Raises:
        FileError: the file cannot be read.
        SourceError: the rules have errors.
    """
    return GdlGame(Source.load(path))


__all__ = ["GdlGame", "load"]

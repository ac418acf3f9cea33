"""``GdlWording``: the words for moves, steps and states of a game in GDL."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from kibitz.core.action_parts import ActionParts
from kibitz.core.changes import Change, Event, choice_event
from kibitz.core.game import Table
from kibitz.core.layout import HEADER
from kibitz.core.phrase import Phrase, Vocabulary
from kibitz.core.state import State
from kibitz.core.status import Status
from kibitz.core.table_wording import TableWording
from kibitz.core.view import view_at
from kibitz.core.wording import HAS_CHOSEN, bare
from kibitz.gdl import evaluator, telling
from kibitz.gdl.native import GdlRules
from kibitz.gdl.steps import Steps


class GdlWording(TableWording):
    """The words for moves, steps and states at a table of a game in GDL."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self.table = table
        rules = table.rules
        assert isinstance(rules, GdlRules)
        self.rules = rules

    @functools.cached_property
    def steps(self) -> Steps:
        """Joint moves of the game."""
        return Steps(self.table)

    # -- actions ----------------------------------------------------------------------------

    def words(self, state: State, action: int) -> str:
        """A move as its author spells it."""
        return self.rules.actions.words(action)

    def parts(self, state: State, action: int) -> ActionParts:
        """The name of a move, and its arguments as ``arg1``, ``arg2`` and so on."""
        return _parts(self.rules.actions.words(action))

    def operands(self) -> dict[str, tuple[str, ...]]:
        """The names of the arguments of each kind of move, by the name of the move."""
        kinds: dict[str, tuple[str, ...]] = {}
        for name in self.rules.actions.names:
            parts = _parts(name)
            kinds[parts.kind] = max(kinds.get(parts.kind, ()), tuple(parts.operands), key=len)
        return kinds

    def phrase(self, action: int) -> Phrase:
        """A move as a phrase: its name, and its arguments as operands."""
        return telling.phrase(self.rules.actions.words(action))

    @property
    def needs_state(self) -> bool:
        """Always false, since the words for a move are the same in all states."""
        return False

    def vocabulary(self) -> Vocabulary:
        """The names of moves, and all moves.

        In games of turns the moves on which no rule depends are omitted: roles that are not to
        move make them.
        """
        names = self.rules.actions.names
        if self.rules.proved is None and self.rules.network.turns:
            moves = self.rules.network.moves
            names = [name for name, move in zip(names, moves, strict=True) if move.does >= 0]
        return Vocabulary(frozenset(telling.phrase(n).kind for n in names), frozenset(names))

    # -- events and states ------------------------------------------------------------------

    def event_text(self, before: State, action: int, after: State, observer: int | None) -> str:
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
            choice = ("" if passes else words) if mine else HAS_CHOSEN
            percepts = telling.new_percepts(self.steps, before, after, observer) if made else ""
            return "; ".join(filter(None, (choice, f"you see {percepts}" if percepts else "")))
        if passes:
            return ""
        return words if mine or made else HAS_CHOSEN

    def consequences(
        self, before: State, action: int, after: State, observer: int | None
    ) -> Iterator[Change]:
        """Yields the moves of other roles and of chance in a completed step, except in GDL-II."""
        if self.rules.imperfect or not _is_made(before, after):
            return
        chance = telling.chance_role(self.steps)
        if observer is not None:
            yield from self._other_choices(before, observer, chance)
        drawn = telling.drawn(self.steps, before)
        if drawn is not None:
            words = bare(self.words(before, drawn))
            yield Event("chance", f"Chance: {words}.", {"words": words})

    def _other_choices(self, before: State, observer: int, chance: int | None) -> Iterator[Change]:
        """The moves of the roles that chose before, and not of the observer."""
        for role in range(before.players):
            move = before.view.commitments.moves[role] - 1
            if move >= 0 and role not in (before.current_player, observer, chance):
                words = bare(self.words(before, move))
                if words != telling.NOOP:
                    yield choice_event(role, words, observer)

    def describe(self, state: State, observer: int | None) -> str | None:
        """In GDL-II, describes what a player remembers and knows for certain."""
        if not self.rules.imperfect:
            return None
        return "\n".join([state.headline(), *telling.in_words(self.steps, state, observer)])

    def explain(self, state: State) -> str | None:
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
        return f"the role {self.rules.description.roles[role]} {reason}" if reason else None


def wording_of(table: Table) -> GdlWording:
    """The wording of a table of a game in GDL."""
    wording = table.wording
    assert isinstance(wording, GdlWording)
    return wording


def _is_made(before: State, after: State) -> bool:
    """Whether the step was completed between two states."""
    return bool(before.view.turn != after.view.turn)


def _parts(words: str) -> ActionParts:
    """The parts of a move in KIF: ``(mark 1 2)`` is ``mark`` with the arguments 1 and 2."""
    phrase = telling.phrase(words)
    arguments = {f"arg{i}": value for i, value in enumerate(phrase.values, 1)}
    return ActionParts(phrase.texts[0].strip("( )"), **arguments)

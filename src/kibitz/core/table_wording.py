"""``TableWording``: the words for the actions, events and states of a table."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

from kibitz.core.action_parts import ActionParts
from kibitz.core.actions import ActionKinds, kind
from kibitz.core.changes import CHOICE, Change, Event, Standing, choice_event
from kibitz.core.commitments import revealed_by
from kibitz.core.declarations import GameDeclarations
from kibitz.core.phrase import Phrase, Vocabulary
from kibitz.core.status import Status
from kibitz.core.trace import Note
from kibitz.core.traced_play import Log, counted_changes, play_traced, set_up_traced
from kibitz.core.wording import HAS_CHOSEN

if TYPE_CHECKING:
    from kibitz.core.state import State


_ADDRESSED = re.compile(r"\byour?\b", re.I)
"""What addresses a single reader."""


class Worded(Protocol):
    """What a wording reads of a table."""

    @property
    def game(self) -> GameDeclarations:
        """The game, which declares its actions and texts."""


class TableWording:
    """The words for the actions, events and states of a table, as the rest of Kibitz reads them.

    This is the wording of games in Python: actions have the sentences of the game's
    ``ActionKinds``, events those of its ``Announcements``, states the texts of the game's methods.
    A language has a subclass, which its games name as ``Game.Wording``.
    """

    def __init__(self, table: Worded) -> None:
        self._game = table.game

    @functools.cached_property
    def _kinds(self) -> type[ActionKinds]:
        kinds = self._game.Actions
        assert kinds is not None
        return kinds

    # -- actions ----------------------------------------------------------------------------

    def words(self, state: State, action: int) -> str:
        """An action as a sentence.

        Raises:
            ValueError: there is no such action.
        """
        return self._kinds.words(action)

    def words_or_number(self, state: State, action: int) -> str:
        """An action as a sentence; an illegal one that has none by its number."""
        try:
            return state.action_words(action)
        except Exception:  # a game's wording may know legal actions only
            return f"action {action}"

    def parts(self, state: State, action: int) -> ActionParts:
        """The kind and the operands of an action.

        Raises:
            ValueError: there is no such action.
        """
        return self._kinds.parts(action)

    def operands(self) -> Mapping[str, tuple[str, ...]]:
        """The names of the operands of each kind of action, by the name of the kind."""
        return {member.name: tuple(member.action.domains) for member in self._kinds}

    def phrase(self, action: int) -> Phrase:
        """The words of an action in parts, as far as the action alone determines them.

        Actions of all states are grouped by them.
        """
        return self._kinds.phrase(action)

    def vocabulary(self) -> Vocabulary:
        """The declared kinds of actions and their operands: all that ``phrase`` may return."""
        return self._kinds.vocabulary()

    @property
    def needs_state(self) -> bool:
        """Whether the words of some action depend on the state."""
        return type(self).words is not TableWording.words

    def possible_words(self, action: int, state: State | None = None) -> tuple[str, ...] | None:
        """Every text that an action may have; ``None`` if its text depends on the state.

        The `state`, in which the action is legal, is needed where ``needs_state``.
        """
        return None if self.needs_state else (self.phrase(action).words,)

    # -- events -----------------------------------------------------------------------------

    def event_text(self, before: State, action: int, after: State, observer: int | None) -> str:
        """The words for an action that `observer` reads; empty if they read nothing.

        Of another player's secret action they read only that it was chosen, until it is revealed.
        """
        mover = before.current_player
        if observer not in (None, mover):
            if self._kinds(kind(action)).action.secret:  # type: ignore[arg-type]
                if (mover, action) not in revealed_by(before, action, after, observer):
                    return HAS_CHOSEN
            words = self._kinds.words_for_others(action)
            if words is not None:
                return words
        return before.action_words(action)

    def consequences(
        self, before: State, action: int, after: State, observer: int | None
    ) -> Iterator[Change]:
        """The changes that an action and the rules after it made, as far as `observer` sees them.

        They are what the rules announce, and those moves of cards that the action's words do not
        mention. Changes of numbers are among them if the game has no announcements.
        """
        if observer is not None:  # without an observer, the choice was an event before
            yield from self._revealed(before, action, after, observer)
        log = Log(before, observer)
        wording = self.event_text(before, action, after, observer)
        numbered = self._game.Announcements is None
        counted = counted_changes(before, after, observer) if numbered else iter(())
        for change in log.changes(self._notes(before, action), wording, before.current_player):
            if isinstance(change, Standing):
                yield from counted
            yield change
        yield from counted

    def _notes(self, before: State, action: int) -> list[Note]:
        """What the rules do for an action; each observer asks for it, so the last one is kept."""
        key = bytes(before), action
        if self._last_notes[0] != key:
            self._last_notes = key, play_traced(before, action)
        return self._last_notes[1]

    _last_notes: tuple[tuple[bytes, int] | None, list[Note]] = (None, [])

    def public_text(self, before: State, action: int, after: State) -> str | None:
        """The words for an action that a spectator may read.

        They are the words that all players but the mover read, unless these differ or address a
        player. ``None``: no such words exist; empty: the action is not reported.
        """
        mover = before.current_player
        texts = [self.event_text(before, action, after, seat) for seat in range(before.players)]
        own, words = texts.pop(mover), self.words(before, action)
        others = {*texts} or {own}
        if len(others) == 1 and not _ADDRESSED.search(text := others.pop()):
            return text
        return words if all(text.startswith(words) for text in texts) else None

    def public_consequences(self, before: State, action: int, after: State) -> Iterator[Change]:
        """The changes that an action and the rules after it made, as far as all players know them.

        They include the secret choices that all of them now see.
        """
        revealed = [
            {
                (change.data["player"], change.data["words"])
                for change in self.consequences(before, action, after, seat)
                if isinstance(change, Event) and change.kind == CHOICE
            }
            for seat in range(before.players)
        ]
        for player, words in sorted(set().union(*revealed)):
            if all(
                (player, words) in revealed[p] for p in range(before.players) if p != player - 1
            ):
                yield choice_event(player - 1, words, None)
        yield from self.consequences(before, action, after, None)

    def _revealed(
        self, before: State, action: int, after: State, observer: int
    ) -> Iterator[Change]:
        """The secret choices that an action reveals, but for that action itself."""
        for player, choice in revealed_by(before, action, after, observer):
            if player not in (observer, before.current_player):
                yield choice_event(player, self.words(before, choice), observer)

    def opening(self, start: State, observer: int | None) -> Iterable[Change]:
        """The changes before the first decision, as far as `observer` sees them."""
        return Log(start, observer).changes(set_up_traced(start))

    # -- states -----------------------------------------------------------------------------

    def describe(self, state: State, observer: int | None) -> str | None:
        """A state as text for `observer`: ``Game.describe``."""
        return self._game.describe(state, observer)

    def explain(self, state: State) -> str | None:
        """Why the rules broke off the game: ``Game.explain``."""
        return self._game.explain(state)

    def explanation(self, state: State) -> str | None:
        """Why the rules broke off the game, in words; ``None`` if they did not, or it is unknown.

        It has no full stop at the end, so that it fits into a sentence.
        """
        if state.status in (Status.PLAYING, Status.FINISHED):
            return None
        reason = self.explain(state)
        return reason.strip().rstrip(".") or None if reason else None

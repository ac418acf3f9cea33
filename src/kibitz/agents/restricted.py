"""Restricted play: another agent that never, or whenever it can, does certain things.

How much a card or an action is worth shows in how an agent fares without it, or with no choice
but to use it: Jaffe, Miller, Andersen, Liu, Karlin and Popović, "Evaluating Competitive Game
Balance with Restricted Play" (2012).
"""

from __future__ import annotations

import fnmatch
import functools
import re
from collections.abc import Iterator, Sequence

from kibitz.agents.seat import AgentSeat
from kibitz.core.agent import Agent, AgentOptions, agent_from_text
from kibitz.core.game import Table
from kibitz.core.parameters import Text
from kibitz.core.state import State


class RestrictedOptions(AgentOptions):
    """Options of restricted play."""

    base = Text("random", "who chooses among the actions that are left: an agent, in quotes")
    never = Text("", 'what it never does: patterns such as "play Guard*", with | between')
    always = Text("", "what it does whenever it can, likewise")


class RestrictedAgent(Agent):
    """Another agent, to which some actions are forbidden, or some are forced.

    Actions are matched by their words, as ``kibitz record`` shows them: ``*`` stands for any
    letters, ``?`` for one, brackets for themselves, and case does not matter. What it does
    ``always`` is all that is left wherever it is possible; then what it does ``never`` is taken
    away, unless nothing else is left. A search looks at every action nevertheless; only what is
    done is restricted.
    """

    name = "restrict"
    Options = RestrictedOptions

    def __init__(self, /, **options: object) -> None:
        super().__init__(**options)
        self._base = agent_from_text(self.options.base)
        self._never = matching(self.options.never)
        self._always = matching(self.options.always)
        self._seat: AgentSeat | None = None
        self._unmatched = [*_parts(self.options.never), *_parts(self.options.always)]
        self._looked = False

    def remarks(self) -> Iterator[str]:
        """Which of its patterns no action has matched so far."""
        for part in self._unmatched if self._looked else ():
            yield f"{self.label}: no action was ever called {part!r}; 'kibitz record' shows words."

    def check_game(self, table: Table) -> None:
        """Raises AgentError when the base agent cannot play this game."""
        super().check_game(table)
        self._base.check_game(table)

    def start(self, table: Table) -> None:
        """A new game begins, for the base agent, too."""
        if self._seat is None or self._seat.table is not table:
            self._seat = AgentSeat(self._base, table, 0)
        self._seat.begin(self.random.getrandbits(60))

    def choose(self, state: State) -> int:
        """What the base agent chooses of the actions that are left."""
        left = self.left(state)
        if len(left) == 1:
            return left[0]
        if self._seat is None or self._seat.table is not state.table:
            self.start(state.table)
        assert self._seat is not None
        action = self._seat.decide(state, left)
        return action if action in left else self.random.choice(left)

    def left(self, state: State) -> Sequence[int]:
        """The legal actions that are left to it."""
        legal = state.legal_actions()
        words = {action: state.action_words(action) for action in legal}
        self._looked = True
        if self._unmatched:
            self._unmatched = [
                part
                for part in self._unmatched
                if not any(map(_expression(part).fullmatch, words.values()))
            ]
        if self._always is not None:
            wanted = self._always
            legal = [action for action in legal if wanted.fullmatch(words[action])] or legal
        if self._never is not None:
            barred = self._never
            legal = [action for action in legal if not barred.fullmatch(words[action])] or legal
        return legal


def matching(text: str) -> re.Pattern[str] | None:
    """What matches any of several patterns; ``None`` where there are none."""
    parts = _parts(text)
    return _expression("|".join(parts)) if parts else None


def _parts(text: str) -> list[str]:
    """The patterns in a text, with ``|`` between."""
    return [part.strip() for part in text.split("|") if part.strip()]


@functools.lru_cache(maxsize=256)
def _expression(text: str) -> re.Pattern[str]:
    """What matches any of several patterns."""
    expressions = (fnmatch.translate(part.replace("[", "[[]")) for part in _parts(text))
    return re.compile("|".join(expressions), re.IGNORECASE)

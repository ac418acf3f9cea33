"""``Rules``: the native functions behind a table, and what calls to them need.

Three classes describe a game. A ``Game`` has the properties that precede any choice: name, numbers
of players, parameters. A ``Table`` is a game with players and parameters chosen. Its ``Rules`` are
the functions by which states at this table are played, with the layout of a state and the kinds of
actions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from kibitz.core.actions import ActionCode
from kibitz.core.layout import Layout
from kibitz.core.native import Export
from kibitz.core.parameters import GameParameters

if TYPE_CHECKING:
    from kibitz.core.state import State


class ActionDeclaration(Protocol):
    """The words for a kind of action, and the number of its actions."""

    @property
    def template(self) -> str:
        """A sentence with a place for each operand."""

    @property
    def size(self) -> int:
        """The number of different actions."""


class ActionKind(Protocol):
    """A kind of action."""

    @property
    def name(self) -> str:
        """The name of the kind in lists."""

    @property
    def action(self) -> ActionDeclaration:
        """The declaration of the kind."""


class ActionSet(Protocol):
    """All actions that are possible at a table."""

    def __iter__(self) -> Iterator[Any]:
        """The kinds of actions: each an ``ActionKind``."""

    def parse(self, text: str) -> int | None:
        """The action that a sentence describes; ``None`` if that depends on the state."""

    def codes(self) -> Sequence[ActionCode]:
        """How the actions of each kind are numbered: see ``ActionIndex``."""


class Rules(Protocol):
    """The native rules behind a table, whatever language they are written in."""

    @property
    def layout(self) -> Layout:
        """The layout of a state."""

    @property
    def actions(self) -> ActionSet:
        """All possible actions."""

    @property
    def compiled(self) -> bool:
        """Whether the functions are machine code; if not, ``exports`` are called back."""

    @property
    def phase_names(self) -> Sequence[str]:
        """The name of each value of ``state.phase``; empty if phases are unnamed."""

    @property
    def endings(self) -> Mapping[int, str]:
        """The reason for the end of a game, in words, by the ``state.phase`` in which it ended.

        Phases for which the rules declare no reason are missing.
        """

    @property
    def lowest_score_wins(self) -> bool:
        """Whether a lower score is a better one."""

    @property
    def deal_count(self) -> int:
        """The offset in a state of the 32-bit number of deals that are over.

        In a game of a single deal it is the offset of a number that never changes.
        """

    @property
    def teams(self) -> Sequence[tuple[int, ...]]:
        """The sides that the rules themselves set up; empty if ``Game.sides`` declares them."""

    @property
    def compares_scores(self) -> bool:
        """Whether every game ends with a comparison of scores, and with nothing else."""

    @property
    def uses_chance(self) -> bool:
        """Whether the rules may draw random numbers; if not, a game depends on actions alone."""

    @property
    def exports(self) -> Mapping[str, Export]:
        """The functions over addresses that the contract calls, where they are Python."""

    def addresses(self) -> Mapping[str, int]:
        """The addresses of the compiled functions; compiles them if need be.

        Raises:
            CompileError: they cannot be compiled.
        """

    def context(self, parameters: GameParameters) -> Any:
        """The first argument of the functions: ctypes memory, for one call at a time."""

    def stop_by(self, context: Any, stop: np.ndarray[Any, Any] | None) -> None:
        """Has the functions give up once a stop word is set, where they may take long.

        What they give then is not used. Each call has the word of the work that it belongs to, so
        no other thread's calls end with it.

        Args:
            context: the first argument of the calls.
            stop: one 64-bit integer, which the caller keeps; ``None``: they are never stopped.
        """

    @property
    def kept_bytes(self) -> int:
        """The bytes in which a context keeps the state of its latest call; 0: it keeps none.

        A call with the kept state is faster than one with another state.
        """

    def choosing(self, state: State) -> tuple[int, ...]:
        """The players who decide in a state, the current one first.

        There are several if they choose at the same time; those who have chosen are not among
        them.
        """

    def asking(self, state: State, player: int) -> State:
        """The state in which one of several simultaneous choosers decides."""

    def backs(self, players: int, parameters: GameParameters) -> Sequence[int]:
        """The back of each card, by number; empty if all are the same."""

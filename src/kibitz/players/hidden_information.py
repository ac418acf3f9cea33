"""Whether anything is hidden from any player, tested by sampling.

Rules that allow for hidden information need not have any: a game in which several players may
move in one step may turn out to be one of alternating turns. Where nothing is hidden, outcomes can
be proven.
"""

from __future__ import annotations

import random
import weakref
from typing import TYPE_CHECKING, Any

from kibitz.core.contract import RULES, Rules, redeterminize
from kibitz.core.errors import PlayError
from kibitz.core.layout import CHANCE
from kibitz.core.memory import INT64, Address, array_at, copy_bytes
from kibitz.core.state import without_chance
from kibitz.core.view import view_at
from kibitz.players.graph import empty
from kibitz.players.memory import SearchMemory
from kibitz.players.search import acting_player

if TYPE_CHECKING:
    from kibitz.core.game import Table

SAMPLES = 8
"""The number of determinizations that must equal the state for nothing to count as hidden."""

_AFTER_CHANCE = CHANCE.stop // 8
"""The number of words of future chance, which begins a state and differs in every sample."""


MOST_PLIES = 200
"""The number of actions of random games in which a table is searched for hidden information."""


_OPEN: weakref.WeakKeyDictionary[Table, bool] = weakref.WeakKeyDictionary()
"""What ``hides_nothing`` found out, as long as the table exists."""


def hides_nothing(table: Table) -> bool:
    """Whether nothing was hidden from anybody in random games at a table.

    A table may still hide something that these games did not reach. Searches that rely on open
    information notice it (``look_for_hidden_information``).
    """
    if table not in _OPEN:
        _OPEN[table] = _showed_everything(table)
    return _OPEN[table]


def _showed_everything(table: Table) -> bool:
    """Plays random games, and samples what each player cannot know."""
    with table.borrowed() as rules:
        if not can_hide(view_at(rules.address, RULES)):
            return True
    chooser, state, game = random.Random(0), table.new_state(0), 0
    for _ in range(MOST_PLIES):
        if state.is_terminal:
            game += 1
            state = table.new_state(game)
        for player in range(table.players):
            if without_chance(state.determinize(player, game)) != without_chance(state):
                return False
        try:
            state.apply(chooser.choice(state.legal_actions()))
        except PlayError:  # the rules break games off; ``check`` reports it
            return False
    return True


def can_hide(game: Rules) -> bool:
    """Whether the rules allow for hidden information."""
    return bool(game.slot_count != 0 or game.redeterminize != 0)


def look_for_hidden_information(memory: SearchMemory, me: Any, game: Rules, count: int) -> None:
    """Tests by samples whether anything is hidden from any player in the current state.

    If so, ``memory.hidden`` is set for the rest of the game, and the graph, which was built as if
    nothing were hidden, is emptied.

    Args:
        count: the number of actions of the player who thinks.
    """
    if memory.hidden != 0 or not can_hide(game):
        return
    mover = acting_player(memory.observation)
    # others who decide in the same step before the searching player choose in secret
    hidden = memory.player != mover and count > 1
    hidden = hidden or is_hidden(memory, me, game, memory.observation, mover)
    if hidden or is_hidden(memory, me, game, memory.observation, memory.player):
        memory.hidden = 1
        empty(memory.graph)


def is_hidden(memory: SearchMemory, me: Any, game: Rules, state: Address, player: int) -> bool:
    """Whether anything in a state is hidden from `player`.

    If so, one of ``SAMPLES`` determinizations almost certainly differs from it; if none does, a
    later test in the same game will find it.
    """
    if not can_hide(game):
        return False
    copy_bytes(memory.aside, state, game.state_size)
    words = array_at(state, INT64, game.state_size >> 3)
    others = array_at(memory.aside, INT64, game.state_size >> 3)
    for _ in range(SAMPLES):
        redeterminize(game, memory.aside, player, me.rng)
        for i in range(_AFTER_CHANCE, len(words)):
            if words[i] != others[i]:
                return True
    return False

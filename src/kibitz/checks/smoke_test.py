"""The smoke test: a few watched games before the machine code of a stranger's rules is run."""

from __future__ import annotations

import random
import time

from kibitz.checks.watched import Watch, explain
from kibitz.core.errors import GameDefinitionError, KibitzError
from kibitz.core.game import Game, Table

SECONDS = 1.0
"""How long a smoke test takes, apart from the first actions and a rule that does not end."""
SEEDS = 3
LEAST = 50
"""How many actions of each game are played however long they take: the first ones may have to
wait until the engine is compiled."""


def smoke_test(table: Table) -> None:
    """Plays random games uncompiled, where every index and every loop is checked.

    Compiled, an index out of range touches foreign memory and an endless loop cannot be
    stopped. This finds most such faults in a moment; ``check_game`` looks for them thoroughly.
    A game that the rules break off passes.

    Raises:
        GameDefinitionError: a rule raised an exception or did not come to an end; names the
            place and the likely cure.
    """
    deadline = time.monotonic() + SECONDS
    with Watch() as watch:
        watched = watch.game(type(table.game))
        for seed in range(SEEDS):
            try:
                _play(watched, table, seed, deadline)
            except KibitzError:
                continue
            except Exception as problem:
                finding = explain(problem)
                cure = f" Likely cure: {finding.cure}" if finding.cure else ""
                raise GameDefinitionError(
                    f"{table.game.name}: {finding.message}{cure} "
                    "('kibitz check' looks for more of the kind.)"
                ) from None


def _play(watched: Game, table: Table, seed: int, deadline: float) -> None:
    """Plays a random game until the time is up."""
    rng = random.Random(seed)
    state = watched.new_state(table.players, seed, table.parameters.as_dict())
    while not state.is_terminal and (state.tick < LEAST or time.monotonic() < deadline):
        state.heuristic(state.current_player)
        state.apply(rng.choice(state.legal_actions()))

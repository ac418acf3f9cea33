"""Playthroughs: which states are shown in full, and where the text ends."""

from __future__ import annotations

import kibitz
from kibitz.arena.playthrough import playthrough


def test_the_first_states_are_shown_then_moves_and_the_last_state() -> None:
    table = kibitz.load("tic-tac-toe", compiled=False).table()
    text = playthrough(table, seed=1, full=2, most=4)
    shown = [line.partition(":")[0] for line in text.splitlines() if line[:2] in ("# ", "> ")]
    assert shown == [
        *("# State 0", "> player 1", "# State 1", "> player 2", "> player 1", "> player 2"),
        "# State 4",
    ]
    assert text.count("legal (") == 2

"""A study of a game for one player comes to its end, with a report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SOLO = """;; Solo
;; Players: 1
(game
  (setup (create players 1)
    (create deck (game iloc STOCK) (deck (A (X, Y, Z, W)) (B (P, Q, R)))))
  (do ((shuffle (game iloc STOCK)) (set (game points V) (((A : X) 1) ((A : Y) 2)))
       (repeat 4 (move (top (game iloc STOCK)) (top ((0 player) iloc HAND))))))
  (stage player (end (== (size ((0 player) iloc HAND)) 2))
    (choice ((any ((current player) iloc HAND) 'C (move 'C (top ((current player) vloc OUT)))))))
  (scoring max (sum ((current player) vloc OUT) using (game points V))))"""


def test_a_study_of_a_game_for_one_player_is_reported(kibitz: Any, tmp_path: Path) -> None:
    file = tmp_path / "solo.rcy"
    file.write_text(SOLO)
    outcome = kibitz("playtest", str(file), "--time", "2")
    assert outcome.code == 0
    assert "Fair? good No rivals: the player scores " in outcome.flat

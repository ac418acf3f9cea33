"""The games and tables of the golden playthroughs."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NamedTuple

import kibitz
from kibitz.arena.playthrough import playthrough

FOLDER = Path(__file__).parent


class Variant(NamedTuple):
    game: str
    players: int | None = None
    parameters: dict[str, Any] = {}  # noqa: RUF012  (never changed)
    seed: int = 0


PYTHON = {
    "colt-express-2-players": Variant("colt-express", 2, {"bandit_1": "ghost", "rounds": 2}, 3),
    "colt-express-3-players": Variant("colt-express", 3, {"rounds": 3}, 1),
    "exploding-kittens-2-players": Variant("exploding-kittens", 2, seed=164),
    "exploding-kittens-4-players": Variant("exploding-kittens", 4, seed=198),
    "exploding-kittens-altered": Variant(
        "exploding-kittens",
        3,
        {"alter_future": True, "attack": "chosen", "combos": "cat-pairs"},
        73,
    ),
    "hanabi-2-players": Variant(
        "hanabi", 2, {"rainbow": "wild", "keep_score": True, "fuses": 5}, 53
    ),
    "hanabi-3-players": Variant("hanabi", 3, {"keep_score": True, "fuses": 5}, 56),
    "love-letter-2-players": Variant("love-letter", 2, {"tokens_to_win": 1}, 3),
    "love-letter-4-players": Variant("love-letter", 4, {"tokens_to_win": 1}, 1),
    "pandemic-2-players": Variant("pandemic", 2, {"cards_for_cure": 3}, 31),
    "pandemic-4-players": Variant("pandemic", 4, {"epidemics": 6, "outbreaks_to_lose": 12}, 134),
    "tic-tac-toe": Variant("tic-tac-toe", seed=1),
    "tic-tac-toe-4x4": Variant("tic-tac-toe", parameters={"size": 4}, seed=1),
    "virus-2-players-reshuffle": Variant(
        "virus", 2, {"reshuffle": True, "matching": "either", "contagion_viruses": 1}, 35
    ),
    "virus-3-players": Variant("virus", 3, seed=457),
    "uno-3-players": Variant("uno", 3, {"target": 0}, 300),
    "uno-knock-out": Variant("uno", 4, {"scoring": "knock-out", "target": 40}, 591),
}
"""Those of games written in Python."""
CHOSEN = PYTHON | {
    "agram": Variant("agram", 3),
    "pairs": Variant("pairs", 3),
    "war-shuffled": Variant("war", parameters={"shuffled": 1}),
    "war": Variant("war"),
}


def own_games() -> list[str]:
    """The games of this package; others may be installed beside it."""
    entries = entry_points(group="kibitz.games")
    return sorted(e.name for e in entries if e.value.startswith("kibitz."))


def variants() -> dict[str, Variant]:
    """Those chosen above, and every other game at its smallest table."""
    chosen = {variant.game for variant in CHOSEN.values()}
    return CHOSEN | {game: Variant(game) for game in own_games() if game not in chosen}


def written(variant: Variant, compiled: bool | None = None) -> str:
    game = kibitz.load(variant.game, compiled=compiled)
    table = game.table(variant.players, **variant.parameters)
    return playthrough(table, variant.seed, full=12 if variant in PYTHON.values() else 6)

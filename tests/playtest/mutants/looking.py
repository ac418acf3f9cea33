"""What the report says of a game: the flaws that it names."""

from __future__ import annotations

import fnmatch

from tests.playtest.mutants.catalogue import Mutant

from kibitz.core.game import Game
from kibitz.playtest import playtest_game
from kibitz.playtest.flaws import Flaw, Kind, flaws

RANDOM_GAMES = 800
SKILLED_GAMES = 100
"""At most; of long games so many as have ``SKILLED_DECISIONS``."""
SKILLED_DECISIONS = 3000
JUDGE = "rollouts:samples=4"
SKILLED = "ismcts:iterations=64"


def look(game: Game, seed: int = 0) -> tuple[Flaw, ...]:
    """The flaws of a game; one that does not end at random is not given to players who think."""
    chance = playtest_game(game, games=RANDOM_GAMES, seed=seed, record=["decisions"])
    told = flaws(chance)
    if any(flaw.kind is Kind.ENDLESS for flaw in told):
        return told
    games = min(SKILLED_GAMES, round(SKILLED_DECISIONS / (chance.decisions_per_game.mean or 1)))
    skilled = playtest_game(
        game,
        agents=SKILLED,
        games=max(1, games),
        seed=seed,
        record=["decisions", "judgements"],
        judge=JUDGE,
    )
    return flaws(chance, skilled)


def is_named(mutant: Mutant, told: tuple[Flaw, ...]) -> bool:
    """Whether the planted flaw is among these, and what has it."""
    return any(
        flaw.kind in mutant.kinds
        and (
            not mutant.subject
            or flaw.subject == mutant.subject
            or fnmatch.fnmatchcase(flaw.subject, mutant.subject)
            or fnmatch.fnmatchcase(mutant.subject, flaw.subject)
        )
        for flaw in told
    )

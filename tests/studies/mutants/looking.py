"""Studies a game and compares the flaws that the report names with the planted one."""

from __future__ import annotations

import fnmatch

from tests.studies.mutants.catalogue import Mutant

import kibitz
from kibitz.core.game import Game
from kibitz.studies.flaws import Flaw
from kibitz.studies.study_budget import Budget

FIRST_GAMES = 60
"""Random games that are played first to see whether all of them end."""
ENDLESS_GAMES = 200
"""Random games in total where one of the first did not end, since such games are long."""
RANDOM_GAMES = 1500
SKILLED_GAMES = 100
"""Maximum number of games between skilled agents.

Fewer are played where games are long: enough for ``SKILLED_DECISIONS`` decisions together, but at
least ``FEWEST``.
"""
SKILLED_DECISIONS = 3000
FEWEST = 12
ITERATIONS, SAMPLES = 60, 4
LONG = 120
LONG_ITERATIONS, LONG_SAMPLES = 10, 2
"""Iterations and samples in games of more than ``LONG`` decisions: the default for Hearts."""
POLICY_GAMES = 40


def look(game: Game, seed: int = 0) -> tuple[Flaw, ...]:
    """The flaws that a study finds in a game.

    Only a game whose first random games all end is played by skilled agents, too.
    """
    first = kibitz.playtest(game, games=FIRST_GAMES, seed=seed)
    ends = first.finished == first.games
    decisions = first.decisions_per_game.mean or 1.0
    is_long = decisions > LONG
    skilled = min(SKILLED_GAMES, max(FEWEST, round(SKILLED_DECISIONS / decisions))) if ends else 0
    budget = Budget(
        random=RANDOM_GAMES if ends else ENDLESS_GAMES,
        skilled=skilled,
        contest=0,
        ladder=0,
        iterations=LONG_ITERATIONS if is_long else ITERATIONS,
        judged=skilled,
        samples=LONG_SAMPLES if is_long else SAMPLES,
        policies=min(POLICY_GAMES, skilled),
    )
    return kibitz.study(game, budget=budget, seed=seed, workers=1).flaws


def is_named(mutant: Mutant, flaws: tuple[Flaw, ...]) -> bool:
    """Whether the planted flaw is among ``flaws``, with the right seat or options."""
    return any(
        flaw.kind in mutant.kinds
        and (
            not mutant.subject
            or flaw.subject == mutant.subject
            or fnmatch.fnmatchcase(flaw.subject, mutant.subject)
            or fnmatch.fnmatchcase(mutant.subject, flaw.subject)
        )
        for flaw in flaws
    )

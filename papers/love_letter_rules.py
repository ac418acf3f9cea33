"""Love Letter with the same shuffles in every game, as in the program of a student report."""

from __future__ import annotations

from typing import Any

from kibitz.authoring import Tunable
from kibitz.core.chance import start_shuffles
from kibitz.core.randomness import GAME_STREAM, start_stream
from kibitz.library.loveletter.rules import LoveLetter, deal_round
from kibitz.library.loveletter.table import LoveLetterState, Parameters

MOST_SHUFFLES = 1000


class SeededParameters(Parameters):
    """The parameters of Love Letter, and the seed of the shuffles."""

    shuffles = Tunable(0, range(MOST_SHUFFLES), "the seed of the shuffles of every game")


class SeededLoveLetter(LoveLetter):
    """Love Letter whose generator has the same seed at the start of every game.

    So all games have the same first deal, the same second one, and so on; only the players' own
    random choices differ.
    """

    Parameters = SeededParameters

    @staticmethod
    def setup(state: LoveLetterState, params: Any) -> None:
        """Seeds the generator, and deals the first round."""
        start_stream(state.rng, params.shuffles, GAME_STREAM)
        start_shuffles(state)
        deal_round(state, params, 0)

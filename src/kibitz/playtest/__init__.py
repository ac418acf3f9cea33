"""Playtests: thousands of games turned into measures, statistics and a report."""

from kibitz.playtest.playing import playtest_game
from kibitz.playtest.results import Playtest
from kibitz.playtest.variants import Variants, playtest_variants

__all__ = ["Playtest", "Variants", "playtest_game", "playtest_variants"]

"""Playtests: thousands of games turned into measures, statistics and a report."""

from kibitz.playtest.playing import measure_run, playtest_game, resume_run
from kibitz.playtest.results import Playtest
from kibitz.playtest.variants import Variants, playtest_variants

__all__ = [
    "Playtest",
    "Variants",
    "measure_run",
    "playtest_game",
    "playtest_variants",
    "resume_run",
]

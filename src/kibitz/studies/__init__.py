"""Playtests: thousands of games turned into measures, statistics and a report."""

# report modules register how results of this package are reported
from kibitz.studies import comparison_report as comparison_report
from kibitz.studies import ladder_report as ladder_report
from kibitz.studies import report as report
from kibitz.studies import study_report as study_report
from kibitz.studies import variants_report as variants_report
from kibitz.studies.playing import measure_run, playtest_game, resume_run
from kibitz.studies.results import Playtest
from kibitz.studies.variants import Variants, playtest_variants

__all__ = [
    "Playtest",
    "Variants",
    "measure_run",
    "playtest_game",
    "playtest_variants",
    "resume_run",
]

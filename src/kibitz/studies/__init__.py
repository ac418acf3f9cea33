"""Playtests: thousands of games turned into measures, statistics and a report.

- ``playing``, ``results``, ``report``: a ``Playtest`` is one run, measured.
- ``measures``, ``sample``, ``moments``, ``judged``: the measures, and what they are computed
  with. The sample of an interval is games, not seats or decisions.
- ``study``: several runs and a ladder, as ``kibitz study GAME`` plays them. ``study_budget``
  plans the games of each part from the speed of the game; the budget that is printed repeats
  them. ``questions`` answers a designer's questions, with ``flaws`` and ``dominance``; ``ahead``
  compiles the search while the first part is played.
- ``comparison``, ``variants``, ``ladder``: variants with significant differences; each value of
  a parameter; ever stronger agents.
- ``contest``: one agent against others on duplicate deals. ``controls`` corrects results for
  luck, so that fewer games suffice.
- ``tournament``, ``tuning`` and ``solving`` have docstrings of their own.

A module ``report`` or ``*_report`` registers how results become a document (``document_of``).
"""

# report modules register how results of this package are reported
from kibitz.studies import comparison_report as comparison_report
from kibitz.studies import ladder_report as ladder_report
from kibitz.studies import report as report
from kibitz.studies import study_report as study_report
from kibitz.studies import variants_report as variants_report
from kibitz.studies.playing import measure_run, playtest, resume_run
from kibitz.studies.results import Playtest
from kibitz.studies.variants import Variants, playtest_variants

__all__ = [
    "Playtest",
    "Variants",
    "measure_run",
    "playtest",
    "playtest_variants",
    "resume_run",
]

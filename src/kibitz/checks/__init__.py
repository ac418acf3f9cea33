"""Checks of games: the conformance check ``check_game``, and certificates that nothing leaks.

**Conformance** (``check``). Random games are inspected action by action, uncompiled, and
repeated compiled. The number of inspected actions is limited. Of a longer game the beginning is
inspected; the rest is played compiled in a process of its own (``isolation``) that stores marks.
The stretches between marks that matter are inspected: the end, a new kind of step, some by
chance (``stretches``). Bisection finds the stretch in which a state went wrong.

**Certificates** (``certify``). ``certifier`` tests a table: hidden values are swapped and
nothing that the seat is given may change (``swaps``), information sets are enumerated
(``worlds``), and samples must be uniform over them (``uniformity``).

**Smoke test** (``smoke_test``). Before the machine code of another package's game runs, some
games are played uncompiled, where every index is checked.
"""

from kibitz.checks.check import check_game
from kibitz.checks.findings import Law, Problem, Report

__all__ = ["Law", "Problem", "Report", "check_game"]

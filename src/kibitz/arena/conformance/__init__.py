"""The conformance check: ``check_game`` and its report."""

from kibitz.arena.conformance.check import check_game
from kibitz.arena.conformance.findings import Law, Problem, Report

__all__ = ["Law", "Problem", "Report", "check_game"]

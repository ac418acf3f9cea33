"""The conformance check: ``check_game`` and its report."""

from kibitz.checks.check import check_game
from kibitz.checks.findings import Law, Problem, Report

__all__ = ["Law", "Problem", "Report", "check_game"]

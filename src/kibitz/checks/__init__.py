"""Checks of the rules of games: the laws, ``check_game`` and ``certify``."""

from kibitz.checks.check import check_game
from kibitz.checks.laws import Law

__all__ = ["Law", "check_game"]

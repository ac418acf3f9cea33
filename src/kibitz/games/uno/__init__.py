"""Uno."""

from kibitz.games.uno.rules import Uno

__all__ = ["Uno"]

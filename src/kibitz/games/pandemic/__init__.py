"""Pandemic: a team cures four diseases."""

from kibitz.games.pandemic.rules import Pandemic

__all__ = ["Pandemic"]

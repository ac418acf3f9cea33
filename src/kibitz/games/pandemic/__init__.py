"""Pandemic: four diseases, one team."""

from kibitz.games.pandemic.rules import Pandemic

__all__ = ["Pandemic"]

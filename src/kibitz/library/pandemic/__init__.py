"""Pandemic: a team cures four diseases."""

from kibitz.library.pandemic.rules import Pandemic

__all__ = ["Pandemic"]

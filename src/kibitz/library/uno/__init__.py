"""Uno."""

from kibitz.library.uno.rules import Uno

__all__ = ["Uno"]

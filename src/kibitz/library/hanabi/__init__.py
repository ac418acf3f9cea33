"""Hanabi: cards that everyone sees but their owner."""

from kibitz.library.hanabi.rules import Hanabi

__all__ = ["Hanabi"]

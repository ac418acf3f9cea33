"""Love Letter, and agents made for it."""

from kibitz.games.loveletter.rules import LoveLetter

__all__ = ["LoveLetter"]

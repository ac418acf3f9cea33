"""Love Letter, and agents made for it."""

from kibitz.library.loveletter.rules import LoveLetter

__all__ = ["LoveLetter"]

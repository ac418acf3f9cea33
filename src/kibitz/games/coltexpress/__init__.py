"""Colt Express: rob the train, round after round, by plans that go wrong."""

from kibitz.games.coltexpress.rules import ColtExpress

__all__ = ["ColtExpress"]

"""Colt Express: bandits rob a train, by plans that go wrong."""

from kibitz.games.coltexpress.rules import ColtExpress

__all__ = ["ColtExpress"]

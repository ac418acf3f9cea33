"""Colt Express: bandits rob a train, by plans that go wrong."""

from kibitz.library.coltexpress.rules import ColtExpress

__all__ = ["ColtExpress"]

"""Exploding Kittens."""

from kibitz.library.explodingkittens.rules import ExplodingKittens

__all__ = ["ExplodingKittens"]

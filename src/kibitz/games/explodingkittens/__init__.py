"""Exploding Kittens."""

from kibitz.games.explodingkittens.rules import ExplodingKittens

__all__ = ["ExplodingKittens"]

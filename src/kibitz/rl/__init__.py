"""Environments for reinforcement learning, and the training of networks."""

from kibitz.rl.vector import VectorTables, make_vec

__all__ = ["VectorTables", "make_vec"]

"""Tables for learners: many games stepped at once, as arrays of numbers."""

from kibitz.rl.vector import VectorTables, make_vec

__all__ = ["VectorTables", "make_vec"]

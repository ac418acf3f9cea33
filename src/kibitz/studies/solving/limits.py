"""The maximum size of a game whose whole tree is built."""

MOST_NODES = 20_000_000
"""The most nodes of a tree by default; such a tree takes three gigabytes."""

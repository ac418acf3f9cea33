"""Environments for reinforcement learning, and the training of networks.

``vector`` steps many tables of one game. One compiled function (``stepping``) plays the agents'
moves, starts new games, and writes observations, masks and rewards into arrays. Each thread
(``threads``) has rules and agents of its own, and takes tables by atomic counters, without the
GIL. After an interrupt some tables lack the last step and have to be reset. ``variants`` has
tables with different parameters, which write into arrays of one shape.

``seated`` steps one table, with agents at some seats; ``gymnasium``, ``pettingzoo`` and
``openspiel`` adapt it to other libraries. ``learning`` trains networks in a folder,
``apprentice`` learns from a search; ``ppo`` and ``apprentice`` need PyTorch.
"""

from kibitz.rl.vector import VectorTables, make_vec

__all__ = ["VectorTables", "make_vec"]

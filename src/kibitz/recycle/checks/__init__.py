"""Warnings about RECYCLE programs, a module for each kind of mistake.

``reachable`` analyses which names, numbers and cards may be where in the program; ``logic``
determines which conditions exclude each other. The other modules use both.
"""

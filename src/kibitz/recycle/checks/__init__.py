"""Warnings about RECYCLE programs, a module for each kind of mistake.

``knowledge`` finds out about the whole program what the others ask for; ``logic`` says which
conditions exclude each other.
"""

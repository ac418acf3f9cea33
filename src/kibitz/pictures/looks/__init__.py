"""The looks of single games, subclasses of ``kibitz.pictures.look.Look``.

A game names its own in its attribute ``look`` as ``"MODULE:CLASS"``, since games are below
pictures in the order of layers.
"""

"""From the tree of a RECYCLE game to the text of an LLVM module.

``function`` writes one function's instructions; ``scope`` knows what surrounds the piece being
translated; ``expressions``, ``collections``, ``actions`` and ``options`` translate the tree;
``flow`` makes of stages and choices one function that runs from decision to decision;
``module`` puts everything together.
"""

"""The compiler from the tree of a RECYCLE game to the text of an LLVM module.

``function`` writes the instructions of a function; ``scope`` holds the context of the code that is
being translated; ``expressions``, ``collections`` and ``actions`` translate the tree; ``choices``
lists the options of a choice; ``flow`` turns stages and choices into one function that runs from
decision to decision; ``module`` combines everything.
"""

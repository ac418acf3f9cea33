"""The compiler from the tree of a RECYCLE game to the text of an LLVM module.

From the bottom up: ``function`` writes the instructions of a function, and ``module`` the tables
and functions of a module; ``scope`` holds the context of the code that is being translated;
``loops``, ``piles`` and ``tracing`` write what the other parts share. ``expressions``,
``collections``, ``aggregates`` and ``actions`` translate the tree; ``choices`` lists the options
of a choice; ``flow`` turns stages and choices into one function that runs from decision to
decision; ``compiler`` combines everything.
"""

"""RECYCLE, a language for card games: its parser, its checks, its compiler and its games.

The way of a text to a game:

1. ``kibitz.syntax.sexpr`` reads words and parentheses.
2. ``reading`` makes the ``tree``, one for all dialects: names resolved, types known,
   parameters filled in. The docstrings of ``tree`` define the semantics.
3. ``checks`` warns about what is allowed but probably a mistake. What only play shows is tried
   by ``kibitz.languages.recycle_trial``.
4. ``layout`` gives each location and storage a place in the state. A location is a ``Deck``, so
   that observation, redeterminization and JSON come from the components. A name that is known
   only during play has a place for each value that it can have.
5. ``options`` encodes options as actions: the kind is the path through the clause, the operands
   are what was picked. A card that the chooser does not know is encoded by its place, so that an
   option is the same integer in all states that the chooser cannot tell apart. What does not fit
   is a digest of 55 bits; ``option_list`` detects collisions.
6. ``codegen`` writes an LLVM module: ``play`` runs from decision to decision, and one function
   for each choice lists its options. ``primitives`` and ``subset_search`` are compiled once for
   all games and called by address.
7. ``kibitz.core.native`` compiles it and refuses calls to anything else. ``rules`` is the
   result, ``telling`` and ``phrases`` have the words, ``game`` is the ``Game``.

The code belongs to one table: players and parameters are constants in it. Texts are untrusted:
indices, sizes and steps that are not constant are checked in the machine code, and an error
names the line.

Rules have no uncompiled form. ``tests/recycle/oracle.py``, a slow interpreter of the tree, must
agree with them after every step.
"""

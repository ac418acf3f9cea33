"""The contract between games and the engine: states, rules, actions, parameters, compilation.

The contract:

- ``layout``, ``status``, ``state``, ``view``: a state is one block of bytes, described by a
  NumPy dtype. ``State`` is the Python object around it, a view checks every access.
- ``actions``, ``action_index``, ``phrase``: an action is a 64-bit integer; its place in a
  learner's mask; its words in parts.
- ``contract``: the ``RULES`` record, and the functions through which everybody plays.
- ``game``, ``rules``, ``parameters``, ``python_rules``: ``Game``, ``Table`` and ``Rules``, and
  the rules of games in Python.
- ``agent``: the ``AGENT`` record, and the base classes ``Agent`` and ``NativeAgent``.
- ``features``, ``encoder``: observations as numbers. Each component declares its features
  (place, reading, who may know it, names). A compiled function reads them into the caller's
  memory, with seats counted from the observer, and without what the observer does not know.
- ``changes``: what an action changed at the table, as far as an observer sees it.

What it stands on:

- ``memory``, ``lowering``, ``native``: records and calls by address; from functions to machine
  code, kept on disk.
- ``randomness``: sfc32, the same numbers compiled and uncompiled, and seeds. It uses only 32-bit
  operations that fit into signed 64-bit integers.
- ``interrupt``: signals stop work at safe points. Native calls go through ``run_interruptibly``.
- ``errors``, ``failures``: the exceptions, and the place of an author's mistake.
- ``files``, ``wording``: bounded reading, atomic writing; texts of strangers made safe to print.
- ``plugins``, ``registry``: entry points; games by name.
- ``progress``, ``records``, ``statistics``, ``fingerprint``: small tools for all layers above.

The machine-code cache is executable, so ``native`` uses no folder and no file that anybody but
the user and root owns or may write, ``KIBITZ_CACHE`` included; a warning says so. A cache that
root fills and owns can be shared: others load from it and add nothing.
"""

from kibitz.core import errors as errors

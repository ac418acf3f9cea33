"""Processes for work that strangers ask for: limited in memory, and killed at any moment.

Rules and messages of strangers take the time and memory that they take. So what reads and plays
them is a process of its own. A *fork server*, a process without threads that has imported
everything, forks one whenever it is asked to; a new process is there after some milliseconds.

``fork_server`` is the side that asks, in an event loop; ``forking`` is the process that forks.
Front ends say what a forked process does: ``ggp.process`` plays a match, ``web.process`` keeps a
game.
"""

from __future__ import annotations

FORK = b"f"
END = b"e"
READY = b"r"
ORDER = 12
"""Bytes of each message to and from the fork server."""

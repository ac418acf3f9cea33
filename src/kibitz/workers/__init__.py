"""Worker processes for rules and messages of strangers, with a memory limit and killable.

Rules and messages of strangers may take any time and memory, so they are read and played in worker
processes. A *fork server*, a process without threads that has imported everything, forks a worker
on request, within milliseconds.

``fork_server`` is the client, in an event loop; ``forking`` is the process that forks. Front ends
have the code of workers: ``ggp.process`` plays a match, ``web.process`` keeps a game.
"""

from __future__ import annotations

FORK = b"f"
END = b"e"
READY = b"r"
ORDER = 12
"""Size of each message to and from the fork server, in bytes."""

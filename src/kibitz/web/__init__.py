"""``kibitz serve``: games, a workshop and reports as pages in a browser.

A thin front end: games are loaded by ``kibitz.loading``, played in ``kibitz.sessions``, measured
by ``kibitz.studies``. The server is NiceGUI, the extra ``kibitz[web]``; only ``server`` and
``pages`` import it.
"""

from __future__ import annotations

PORT = 8080
"""Where the server listens by default."""

"""``kibitz serve``: games, a workshop and reports as pages in a browser.

A thin front end: games are loaded by ``kibitz.loading``, played in ``kibitz.sessions``, measured
by ``kibitz.studies``. The server is NiceGUI, the extra ``kibitz[web]``; only ``server`` and
``pages`` import it.

**Without a browser.** Everything that needs none lies beside ``pages``, and is tested without
one: the ``workspace`` (the only folder that is read and written), hosted ``tables``, the
``hall`` (all tables of the server), the ``kibitzer``, the ``review``, ``matches`` of the game
manager, what a viewer is shown as HTML (``showing``, ``opinions``), ``validation`` of what pages
send. ``guard`` refuses foreign hosts and origins. A page has no state but what its viewer has
clicked, so it can be loaded anew, and so can the server.

**Actors.** The event loop never computes, and the server's process never reads or plays a text.
Every object with rules belongs to an actor (``actors``): that of an installed game uses threads,
that of a text has a process (``process``), killed after a time limit. Both return plain data, so
pages are written once.

**Nothing to hide.** A page is made of what one seat may know; nothing else is sent. The kibitzer
searches in determinizations of the seat's view.
"""

from __future__ import annotations

PORT = 8080
"""Where the server listens by default."""

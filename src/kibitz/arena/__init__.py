"""The match loop, and what replays or times games: the judge, perft, playthroughs, speed.

``match`` plays games in native code, by the addresses of rules and agents; a ``Worker`` calls it
from one thread. Each game is one result record. Decisions are logged if asked (``decisions``).
``retrace`` and ``judging`` replay finished games.

**Loops.** From its 500th action (or half of ``max_ticks``) the match loop marks a state, and
later compares the current one with it. The same state with neither chance nor choice since is a
certain *loop*. If it recurs with chance or choice, that is a *suspected loop* after the number
of visits in ``Game.loops``. Games that declare themselves ``timed`` are not watched.
"""

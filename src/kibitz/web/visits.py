"""The tables that a browser has opened, whose links it keeps itself.

A server has no accounts: a link is all that opens a seat. So the browser keeps the links that it
has opened, and the first page asks where these games are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kibitz.core.errors import FileError
from kibitz.core.wording import listed
from kibitz.sessions.session import PERSON
from kibitz.web.tables import Keys, Role, kept, people_at
from kibitz.web.validation import ForgedEventError
from kibitz.web.workspace import Workspace

MOST = 24
"""Maximum number of links that a browser keeps; older ones are forgotten."""

_ID, _KEY = re.compile(r"[0-9a-f]{12}"), re.compile(r"[A-Za-z0-9_-]{16}")
_READ = 'JSON.parse(localStorage.getItem("kibitz-tables") ?? "[]")'
_WITHOUT = f"{_READ}.filter(([id]) => id !== %s)"

REMEMBERED = f"return {_READ};"
"""JavaScript that returns the links, each as the table's name and the key, the latest first."""


def remember(id: str, key: str) -> str:
    """JavaScript that keeps the link of a table, before all others."""
    return (
        f'localStorage.setItem("kibitz-tables", JSON.stringify('
        f"[{json.dumps([id, key])}, ...{_WITHOUT % json.dumps(id)}].slice(0, {MOST})))"
    )


def forget(id: str) -> str:
    """JavaScript that forgets the link of a table.

    Raises:
        ForgedEventError: it is no name of a table.
    """
    if not _ID.fullmatch(id):
        raise ForgedEventError(id)
    return f'localStorage.setItem("kibitz-tables", JSON.stringify({_WITHOUT % json.dumps(id)}))'


@dataclass(frozen=True)
class Visit:
    """A table that a browser has opened, and where its game is.

    Attributes:
        id: the table's name.
        address: of the page that the link opens.
        title: of the game.
        standing: whose turn it is, or that the game is over.
        is_due: whether the viewer is to move.
        players: who sits there, in words.
    """

    id: str
    address: str
    title: str
    standing: str
    is_due: bool
    players: str


def visits(workspace: Workspace, links: Any) -> Sequence[Visit]:
    """The tables of these links that are still kept; those where the viewer is to move are first.

    Args:
        workspace: where the tables are.
        links: what the browser sent; whatever is no link of a table is left out.
    """
    known = [
        _visit(workspace, *link)
        for link in (links if isinstance(links, list) else [])[:MOST]
        if isinstance(link, list)
        and len(link) == 2
        and all(isinstance(part, str) for part in link)
    ]
    return sorted(filter(None, known), key=lambda visit: not visit.is_due)


def _visit(workspace: Workspace, id: str, key: str) -> Visit | None:
    """The table of a link; ``None`` if there is none, or its file says no standing."""
    if not _ID.fullmatch(id) or not _KEY.fullmatch(key):
        return None
    try:
        document = kept(workspace, id)
        agents, standing = document["record"]["agents"], document["now"]
        role = Keys.from_json(document["keys"]).role(key, people_at(agents))
        title, awaits = str(standing["title"]), standing["awaits"]
        is_over = bool(standing["over"])
    except (FileError, KeyError, TypeError, ValueError):
        return None
    if role is None:
        return None
    due = not is_over and awaits in role.seats
    names = [_name(p, agent, role) for p, agent in enumerate(agents)]
    return Visit(
        id,
        f"/table/{id}/{key}",
        title,
        _standing(awaits, is_over, is_due=due),
        due,
        listed(names),
    )


def _name(seat: int, agent: str, role: Role) -> str:
    if seat in role.seats:
        return "you"
    return f"player {seat + 1}" if agent == PERSON else agent


def _standing(awaits: int | None, is_over: bool, *, is_due: bool) -> str:
    if is_over:
        return "over"
    if is_due:
        return "your turn"
    return "agents play" if awaits is None else f"player {awaits + 1} is to move"

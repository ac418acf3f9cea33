"""The players of a match: those that listen at an address, and those that are started for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kibitz.core.errors import KibitzError
from kibitz.gdl.game import GdlGame
from kibitz.ggp.manager import Seat
from kibitz.ggp.players import make_player
from kibitz.ggp.position import is_random
from kibitz.ggp.service import PlayerService
from kibitz.ggp.settings import MEGABYTES, PROCESS, ServiceSettings
from kibitz.workers.fork_server import ForkServer

LOOPBACK = "127.0.0.1"
_ADDRESS = re.compile(r"(?P<host>\[[0-9a-fA-F:.]+\]|[^\s:=,/\[\]]*):(?P<port>[0-9]{1,5})")


def address_of(description: str) -> tuple[str, int] | None:
    """Host and port, if a description is an address; ``:9147`` is one of this machine.

    Raises:
        KibitzError: there is no such port.
    """
    found = _ADDRESS.fullmatch(description)
    if found is None:
        return None
    port = int(found["port"])
    if not 0 < port < 65536:
        raise KibitzError(f"{description}: ports are numbered 1 to 65535.")
    return found["host"].strip("[]") or LOOPBACK, port


def check_players(descriptions: Sequence[str]) -> None:
    """Checks that every description is that of a player, local or remote.

    Raises:
        KibitzError: one of them is no player.
    """
    for description in descriptions:
        if address_of(description) is None:
            make_player(description)


def played_roles(game: GdlGame) -> list[str]:
    """The roles that need a player."""
    description = game.description
    return [description.spelling[r] for r in description.roles if not is_random(r)]


def check_count(game: GdlGame, players: int) -> None:
    """Checks the number of players.

    Raises:
        KibitzError: there is not one player for each role.
    """
    roles = played_roles(game)
    if len(roles) != players:
        shown = f"{len(roles)} role{'s' if len(roles) != 1 else ''}: {', '.join(roles)}"
        named = f"{players} player{'s were' if players != 1 else ' was'} named"
        raise KibitzError(f"{game.name} has {shown}. {named}.")


class Players:
    """Services of our own players, started when first needed.

    Args:
        descriptions: of all who will play.
        seed: of what they draw; ``None``: another each time.
        tell: is told what they have to say.
    """

    def __init__(
        self,
        descriptions: Sequence[str],
        seed: int | None = None,
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:
        self._seed = seed
        self._tell = tell
        self._services: dict[tuple[str, int], PlayerService] = {}
        self._ports: dict[tuple[str, int], int] = {}
        ours = [one for one in dict.fromkeys(descriptions) if address_of(one) is None]
        self._fork_server = ForkServer(PROCESS, MEGABYTES, ours)
        self._opened = not ours

    async def seats(self, descriptions: Sequence[str]) -> list[Seat]:
        """The addresses of these players. One that is named twice gets two services.

        Raises:
            KibitzError: one of them cannot be had.
        """
        found, seen = [], {}  # type: ignore[var-annotated]
        for description in descriptions:
            if address := address_of(description):
                found.append(Seat(description, *address))
                continue
            copy = seen[description] = seen.get(description, 0) + 1
            port = await self._port(description, copy)
            service = self._services[description, copy]
            found.append(Seat(description, LOOPBACK, port, service.cause_of_random_move))
        return found

    async def _port(self, description: str, copy: int) -> int:
        if not self._opened:
            await self._fork_server.open()
            self._opened = True
        key = (description, copy)
        if key not in self._ports:
            seed = None if self._seed is None else self._seed + len(self._ports)
            settings = ServiceSettings(player=description, name=description, seed=seed)
            service = PlayerService(settings, self._tell, self._fork_server)
            self._services[key] = service
            self._ports[key] = await service.open(LOOPBACK, 0)
        return self._ports[key]

    async def close(self) -> None:
        """Ends all services."""
        for service in self._services.values():
            await service.close()
        self._services.clear()
        self._ports.clear()
        self._fork_server.close()


__all__ = [
    "Players",
    "address_of",
    "check_count",
    "check_players",
    "played_roles",
]

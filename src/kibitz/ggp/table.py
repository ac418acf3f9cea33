"""The players of a match: remote ones at an address, and local ones that are started for it."""

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
    """Host and port if a description is an address, else ``None``; ``:9147`` is on this machine.

    Raises:
        KibitzError: the port is out of range.
    """
    match = _ADDRESS.fullmatch(description)
    if match is None:
        return None
    port = int(match["port"])
    if not 0 < port < 65536:
        raise KibitzError(f"{description}: ports are numbered 1 to 65535.")
    return match["host"].strip("[]") or LOOPBACK, port


def check_players(descriptions: Sequence[str]) -> None:
    """Checks that every description names a player, local or remote.

    Raises:
        KibitzError: a description names no player.
    """
    for description in descriptions:
        if address_of(description) is None:
            make_player(description)


def played_roles(game: GdlGame) -> list[str]:
    """The names of the roles that need a player: all but ``random``."""
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
    """The services of local players, started when first needed.

    Args:
        descriptions: the descriptions of all players that will be used.
        seed: the seed of the players; ``None``: a random one.
        tell: called with the lines of text that the services print.
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
        ours = [text for text in dict.fromkeys(descriptions) if address_of(text) is None]
        self._fork_server = ForkServer(PROCESS, MEGABYTES, ours)
        self._opened = not ours

    async def seats(self, descriptions: Sequence[str]) -> list[Seat]:
        """The seats of these players; a local one that is named twice gets two services.

        Raises:
            KibitzError: a player cannot be started.
        """
        seats, copies = [], {}  # type: ignore[var-annotated]
        for description in descriptions:
            if address := address_of(description):
                seats.append(Seat(description, *address))
                continue
            copy = copies[description] = copies.get(description, 0) + 1
            port = await self._port(description, copy)
            service = self._services[description, copy]
            seats.append(Seat(description, LOOPBACK, port, service.cause_of_random_move))
        return seats

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

"""Settings of a player's service."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kibitz.core.errors import FileError

PROCESS = "kibitz.ggp.process"
"""The main module of the fork server of matches."""
MEGABYTES = 6000
"""Default memory limit of a match, in megabytes."""
MOST_MATCHES = 4
"""Default maximum number of simultaneous matches."""


@dataclass(frozen=True)
class ServiceSettings:
    """The settings of a player's service.

    Attributes:
        player: the description of the player, for ``make_player``.
        name: the name that the service reports.
        margin: seconds of each clock that are reserved for transmission; ``None``: a tenth of the
            clock, between 0.1 and 1.5.
        matches: the maximum number of simultaneous matches.
        idle: seconds of silence, in addition to the clocks, after which a match is dropped.
        records: a folder for the record of each match.
        ponder: whether to go on thinking while other players have not answered.
        megabytes: the memory limit of a match.
        seed: the seed of the players; ``None``: a random one.
        origins: the origins of web pages that may send messages, such as a manager in a browser.
    """

    player: str = "random"
    name: str = "kibitz"
    margin: float | None = None
    matches: int = MOST_MATCHES
    idle: float = 60.0
    records: Path | None = None
    ponder: bool = False
    megabytes: int = MEGABYTES
    seed: int | None = None
    origins: tuple[str, ...] = ()

    def budget(self, clock: float) -> float:
        """The seconds of a clock that the player may use."""
        margin = min(1.5, max(0.1, clock / 10)) if self.margin is None else self.margin
        return clock - min(margin, clock / 2)


def check_folder(folder: Path | None) -> None:
    """Creates the folder for records, so that an error is reported before the first match.

    Raises:
        FileError: the path is a file, or the folder cannot be created.
    """
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise FileError(f"{folder}: is no folder.") from None
    except OSError as problem:
        raise FileError(f"{folder}: cannot be made: {problem.strerror}.") from None

"""The settings of a player's service."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kibitz.core.errors import FileError

PROCESS = "kibitz.ggp.process"
"""The main module of the fork server of matches."""
MEGABYTES = 6000
"""Memory that a match may write to."""
MOST_MATCHES = 4
"""Matches at a time, unless somebody says otherwise."""


@dataclass(frozen=True)
class ServiceSettings:
    """The settings of a service.

    Attributes:
        player: who decides: what ``make_player`` takes.
        name: what it calls itself.
        margin: seconds of each clock that are left for the way; ``None``: a tenth of the
            clock, from 0.1 to 1.5.
        matches: at a time.
        idle: seconds after which a match is forgotten of which nothing is heard, beyond its
            clocks.
        records: a folder for a record of each match.
        ponder: whether to go on thinking while the others have not answered.
        megabytes: of memory that a match may write to.
        seed: of what players draw; ``None``: another each time.
        origins: of the web pages that may send messages, such as a manager that runs in a browser.
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
    """Makes the folder for records, so that an error is reported before the first match.

    Raises:
        FileError: it is a file, or cannot be made.
    """
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise FileError(f"{folder}: is no folder.") from None
    except OSError as problem:
        raise FileError(f"{folder}: cannot be made: {problem.strerror}.") from None

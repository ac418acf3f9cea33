"""Plays the games of the exhibits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kibitz import Game, Playtest, playtest_game

QUICK = 10
"""A quick run has so many times fewer games."""


class Bench:
    """Plays games, and keeps them where it is told to.

    Args:
        quick: whether to play a tenth of the games.
        seed: of all games.
        workers: see ``playtest_game``.
        out: a folder in which the games are kept: what was played is not played again.
    """

    def __init__(
        self,
        quick: bool = False,
        seed: int = 0,
        workers: int | None = None,
        out: Path | None = None,
    ) -> None:
        self.quick = quick
        self._seed = seed
        self._workers = workers
        self._out = out
        self._played: dict[str, Playtest] = {}

    def play(
        self,
        game: str | Game,
        players: int,
        agents: Sequence[str] = ("random",),
        games: int = 20_000,
        *,
        rotate: bool = True,
        record: Sequence[str] = (),
        **parameters: Any,
    ) -> Playtest:
        """Plays a game so many times, once for all exhibits.

        Raises:
            KeyboardInterrupt: it was stopped; what was played is kept.
        """
        wanted = max(1, games // QUICK) if self.quick else games
        name = _name(game, players, agents, wanted, parameters, rotate)
        if name in self._played:
            return self._played[name]
        found = playtest_game(
            game,
            players=players,
            agents=list(agents),
            games=wanted,
            seed=self._seed,
            parameters=parameters,
            rotate=rotate,
            workers=self._workers,
            record=record,
            out=None if self._out is None else self._out / name,
        )
        if found.interrupted:
            raise KeyboardInterrupt
        self._played[name] = found
        return found


def _name(
    game: str | Game,
    players: int,
    agents: Sequence[str],
    games: int,
    parameters: Mapping[str, Any],
    rotate: bool,
) -> str:
    """A name for a run, and for the folder in which it is kept."""
    said = [f"{name}={value}" for name, value in parameters.items()]
    title = game if isinstance(game, str) else type(game).__name__
    words = [title, f"{players} players", *agents, f"{games} games", *said]
    return " ".join([*words, *([] if rotate else ["no-rotate"])]).replace(":", " ")

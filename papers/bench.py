"""Plays the games of the exhibits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import kibitz
from kibitz import Game, Playtest

QUICK = 10
"""Factor by which a quick run has fewer games."""


class Bench:
    """Plays the games of exhibits, and stores them if there is a folder.

    Args:
        quick: whether to play a tenth of the games.
        seed: seed of all runs.
        workers: see ``playtest``.
        out: folder in which the games are stored; stored games are not played again.
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
        """A playtest of a number of games, played once for all exhibits.

        Raises:
            KeyboardInterrupt: it was stopped; with a folder the games so far are stored.
        """
        games_played = max(1, games // QUICK) if self.quick else games
        name = _name(game, players, agents, games_played, parameters, rotate)
        if name in self._played:
            return self._played[name]
        playtest = kibitz.playtest(
            game,
            players=players,
            agents=list(agents),
            games=games_played,
            seed=self._seed,
            parameters=parameters,
            rotate=rotate,
            workers=self._workers,
            record=record,
            out=None if self._out is None else self._out / name,
        )
        if playtest.interrupted:
            raise KeyboardInterrupt
        self._played[name] = playtest
        return playtest


def _name(
    game: str | Game,
    players: int,
    agents: Sequence[str],
    games: int,
    parameters: Mapping[str, Any],
    rotate: bool,
) -> str:
    """The name of a run, and of the folder in which it is stored."""
    settings = [f"{name}={value}" for name, value in parameters.items()]
    title = game if isinstance(game, str) else type(game).__name__
    words = [title, f"{players} players", *agents, f"{games} games", *settings]
    return " ".join([*words, *([] if rotate else ["no-rotate"])]).replace(":", " ")

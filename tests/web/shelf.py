"""Pictures and lengths of games for the first page: ``python -m tests.web.shelf [GAME ...]``."""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path

import kibitz
from kibitz.web.shelf import PICTURES
from kibitz.web.showing import example

FOLDER = Path(str(PICTURES))
GAMES = 11
"""Games whose median number of actions is the length of a game."""
ITERATIONS = 32
"""Iterations for each decision in them."""


def actions(game: kibitz.Game) -> int:
    """The median number of actions in games of the default agent, at a low setting."""
    agent = f"{game.default_agent}:iterations={ITERATIONS}"
    batch = kibitz.play(game, agent, games=GAMES, seed=1)
    return round(statistics.median(batch.results["ticks"].tolist()))


def main(names: list[str]) -> None:
    """Writes the files of these games, by default of all, and removes those of no game."""
    path = FOLDER / "actions.json"
    FOLDER.mkdir(exist_ok=True)
    installed = {game.name: game for game in kibitz.games()}
    counted = json.loads(path.read_text()) if path.exists() else {}
    for name in names or installed:
        (FOLDER / f"{name}.svg").write_text(example(name) + "\n", "utf-8")
        counted[name] = actions(installed[name])
        kept = {name: counted[name] for name in sorted(counted) if name in installed}
        path.write_text(json.dumps(kept, indent=1) + "\n")
        print(name, counted[name], flush=True)
    for file in FOLDER.glob("*.svg"):
        if file.stem not in installed:
            file.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])

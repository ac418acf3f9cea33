"""Pictures and lengths of games for the first page: ``python -m tests.web.shelf [GAME ...]``."""

from __future__ import annotations

import json
import random
import statistics
import sys
from pathlib import Path

import kibitz
from kibitz.web.shelf import PICTURES

FOLDER = Path(str(PICTURES))
GAMES = 11
"""Games whose median number of actions is the length of a game."""
ITERATIONS = 32
"""Iterations for each decision in them."""
SHARE = 0.45
"""How far the game is at the moment that is drawn."""
LAST = 400
"""Number of actions after which the game that is drawn is not played on."""
WIDTH = 640


def picture(game: kibitz.Game) -> str:
    """The table of a game under way, as the player to move sees it, as SVG."""
    chance = random.Random(1)
    state = game.table().new_state(1)
    passed = [state.clone()]
    while not state.is_terminal and len(passed) <= LAST:
        state.apply(chance.choice(state.legal_actions()))
        passed.append(state.clone())
    middle = passed[int(SHARE * (len(passed) - 1))]
    return kibitz.draw(middle, middle.current_player, legal=(), width=WIDTH).svg


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
        (FOLDER / f"{name}.svg").write_text(picture(installed[name]) + "\n", "utf-8")
        counted[name] = actions(installed[name])
        kept = {name: counted[name] for name in sorted(counted) if name in installed}
        path.write_text(json.dumps(kept, indent=1) + "\n")
        print(name, counted[name], flush=True)
    for file in FOLDER.glob("*.svg"):
        if file.stem not in installed:
            file.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])

"""How well the agents play the games of the library, with the same time for a decision.

``python -m benchmarks.strength --out FOLDER`` prints tables of ``docs/strength.md``: it is
``kibitz tournament`` with all agents that play every game, at these tables. Milliseconds are CPU
time, measured once; what is in the folder is not played again.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import kibitz
from kibitz.reports import DataTable
from kibitz.reports.markdown import table_lines
from kibitz.tournament import Budget, Tournament, play_curves
from kibitz.tournament.report import footer
from kibitz.tournament.sentences import best_by_time
from kibitz.tournament.tables import by_kind, by_table, overall

AGENTS = [
    "random",
    "first-legal",
    "osla",
    "rhea",
    "mcts",
    "ggp",
    "mccfr",
    "ismcts",
    "pimc:determinizations=0",
    "kibitz",
]
"""All that play every game."""
TABLES = {
    "tic-tac-toe": 2,
    "connect-four": 2,
    "breakthrough": 2,
    "gops": 2,
    "kuhn-poker": 2,
    "agram": 2,
    "go-fish": 2,
    "love-letter": 2,
    "exploding-kittens": 2,
    "lost-cities": 2,
    "virus": 2,
    "gdl-tic-tac-toe": 2,
    "kriegspiel-tic-tac-toe": 2,
    "light-cycles": 2,
    "nim": 2,
    "leduc-poker": 2,
    "ninety-eight": 2,
    "scopa": 2,
    "stealing-bundles": 2,
    "golf": 2,
    "colt-express": 2,
    "continuous-pairs": 4,
    "pairs": 4,
    "pairs-round": 4,
    "crazy-eights": 4,
    "cuckoo": 6,
    "spades": 4,
    "whist": 4,
    "hearts": 4,
    "president": 4,
    "recycle-uno": 4,
    "uno": 2,
    "war": 2,
}
"""All games of the library in which one competes, and how many play."""


def tables_of(found: Tournament) -> list[tuple[str, DataTable]]:
    """The ratings by table, by kind of game and over all, with their headings."""
    tables = [("Every table", by_table(found))]
    if found.kinds:
        tables.append(("By kind of game", by_kind(found)))
    if found.overall is not None:
        tables.append(("All tables together", overall(found, found.overall)))
    return tables


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100, help="of each match")
    parser.add_argument("--times", default="1", help="milliseconds a decision, or 100it")
    parser.add_argument("--tables", default=" ".join(TABLES), help="which of the games")
    parser.add_argument("--agents", default=" ".join(AGENTS))
    parser.add_argument("--seed", type=int, default=2012)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--out", type=Path, help="keeps the games")
    options = parser.parse_args()
    names = options.tables.split()
    began = time.process_time()
    found = play_curves(
        {name: kibitz.load(name).table(TABLES.get(name)) for name in names},
        options.agents.split(),
        [Budget.of(text) for text in options.times.split()],
        games=options.games,
        seed=options.seed,
        workers=options.workers,
        out=options.out,
    )
    minutes = (time.process_time() - began) / 60
    given = f"--games {options.games} --times '{options.times}' --seed {options.seed}"
    print(f"Measured by `python -m benchmarks.strength {given}`, {minutes:.0f} CPU-minutes.\n")
    print("\n".join(f"- {sentence}" for _, sentence in best_by_time(found)))
    for tournament in found.tournaments:
        for title, table in tables_of(tournament):
            print(f"\n### {title}, {tournament.budget} a decision\n")
            print("\n".join(table_lines(table)))
    print("", *footer(found.tournaments[-1]), sep="\n")


if __name__ == "__main__":
    main()

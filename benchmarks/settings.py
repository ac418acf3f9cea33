"""Finds settings of the agent ``kibitz``: candidates play the same opponent with the same time.

``python -m benchmarks.settings virus "ismcts:c=0.1" "ismcts:rollout_length=5"`` prints how often
each candidate wins; with ``--write`` the best becomes the game's setting in
``src/kibitz/agents/settings.json``, with its evidence. With ``--write KIND`` it becomes that of
a kind of games.
"""

from __future__ import annotations

import argparse
import datetime
import json
from typing import Any

import kibitz
from benchmarks.matches import Outcome, iterations_within, play_match, with_options
from kibitz.agents.kibitz import SETTINGS_FILE, Kind
from kibitz.core.agent import make_agent


def evidence(options: argparse.Namespace, iterations: int, outcome: Outcome) -> dict[str, Any]:
    """A match as the file keeps it."""
    low, high = outcome.interval
    return {
        "game": options.game,
        "players": options.players,
        "opponent": options.against,
        "milliseconds": options.milliseconds,
        "iterations": iterations,
        "games": outcome.games,
        "rate": round(outcome.rate, 3),
        "interval": [round(low, 3), round(high, 3)],
        "date": datetime.date.today().isoformat(),
    }


def write(agent: str, place: str, found: dict[str, Any]) -> None:
    """Makes an agent the setting of a game or a kind of games, before less specific ones."""
    made = make_agent(agent)
    values = {"agent": made.name, **made.options.to_json()}
    defaults = type(made)().options.to_json()
    chosen = {k: v for k, v in values.items() if k == "agent" or v != defaults[k]}
    document = json.loads(SETTINGS_FILE.read_text(encoding="utf-8"))
    entries = document["settings"]
    by_kind = place in list(Kind)
    where = {"kinds": [place]} if by_kind else {"games": [place]}
    entry = {**where, "agent": chosen, "evidence": [found]}
    for old in entries:
        names = old.get("kinds" if by_kind else "games", [])
        if place in names:
            names.remove(place)
    entries[:] = [e for e in entries if e.get("games") != [] and e.get("kinds") != []]
    first = next(i for i, e in enumerate(entries) if "games" not in e) if by_kind else 0
    entries.insert(first, entry)
    SETTINGS_FILE.write_text(text_of(entries), encoding="utf-8")


def text_of(entries: list[dict[str, Any]]) -> str:
    """The file with one line for each member of an entry, and for each match."""
    blocks = []
    for entry in entries:
        lines = [
            f'      "{name}": {json.dumps(value)}'
            for name, value in entry.items()
            if name != "evidence"
        ]
        if entry.get("evidence"):
            matches = ",\n        ".join(json.dumps(match) for match in entry["evidence"])
            lines.append(f'      "evidence": [\n        {matches}\n      ]')
        blocks.append("    {\n" + ",\n".join(lines) + "\n    }")
    return '{\n  "settings": [\n' + ",\n".join(blocks) + "\n  ]\n}\n"


def main() -> None:
    """Plays the candidates, and writes the best one if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game")
    parser.add_argument("candidates", nargs="+", help="agents without a budget")
    parser.add_argument("--players", type=int)
    parser.add_argument("--against", default="osla")
    parser.add_argument("--milliseconds", type=float, default=10.0)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--partners", action="store_true", help="who face each other are a team")
    parser.add_argument("--write", nargs="?", const="", metavar="KIND", help="keep the best one")
    options = parser.parse_args()
    game = kibitz.load(options.game)
    table = game.table(options.players) if options.players else game.table()
    options.players = table.players
    results = {}
    for agent in options.candidates:
        iterations = iterations_within(agent, table, options.milliseconds)
        limited = with_options(agent, iterations=iterations)
        outcome = play_match(
            table, limited, options.against, options.games, options.seed, partners=options.partners
        )
        results[agent] = (outcome, iterations)
        print(f"{options.game}: {agent}, {iterations} iterations: {outcome}", flush=True)
    best = max(results, key=lambda agent: results[agent][0].rate)
    if options.write is not None:
        outcome, iterations = results[best]
        write(best, options.write or options.game, evidence(options, iterations, outcome))
        print(f"{options.write or options.game}: {best}")


if __name__ == "__main__":
    main()

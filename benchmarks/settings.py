"""Finds settings of the agent ``kibitz``: a tournament of candidates with the same time.

Each meets the opponent on the same deals, as in ``kibitz tournament --format field --times``.

``python -m benchmarks.settings virus "ismcts:c=0.1" "ismcts:rollout_length=5"`` prints how often
each candidate wins; with ``--write`` the best becomes the game's setting in
``src/kibitz/agents/settings.json``, with its evidence. With ``--write KIND`` it becomes that of
a kind of games.
"""

from __future__ import annotations

import argparse
import datetime
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import kibitz
from benchmarks.matches import iterations_within, play_match, with_options
from kibitz.agents.kibitz import SETTINGS_FILE, Kind
from kibitz.core.agent import make_agent
from kibitz.core.game import Table
from kibitz.playtest.statistics import Interval
from kibitz.tournament import Budget, Format, play_tournament


class Candidate(NamedTuple):
    """What a candidate achieved.

    Attributes:
        agent: without a budget.
        iterations: that fit into the time.
        games: that were finished against the opponent.
        rate: the share of wins.
        interval: its 95 % interval.
        fair: the share of one among equals.
    """

    agent: str
    iterations: int
    games: int
    rate: float
    interval: Interval
    fair: float

    def __str__(self) -> str:
        low, high = self.interval
        won = f"{self.rate:.0%} ({low:.0%} to {high:.0%}) of {self.games:,}"
        return f"{self.agent}, {self.iterations:,} iterations: {won}; {self.fair:.0%} is even"


def compete(
    table: Table, candidates: Sequence[str], options: argparse.Namespace
) -> list[Candidate]:
    """The candidates against the opponent, all with the same time: one against the field.

    Partners are the same agent in games with teams.
    """
    agents = [options.against, *candidates]
    found = play_tournament(
        {options.game: table},
        agents,
        games=options.games,
        seed=options.seed,
        format=Format.TEAMS if table.teams else Format.FIELD,
        budget=Budget(options.milliseconds),
        out=options.out,
    ).tables[0]
    told = []
    for number, agent in enumerate(candidates, start=1):
        share = found.share(number, 0)
        assert share is not None
        played = make_agent(found.played_as[number]).options.as_dict()
        games = sum(
            match.games for match in found.matches if {match.one, match.other} == {0, number}
        )
        games //= 1 if found.fair == 0.5 else 2  # both ways
        told.append(Candidate(agent, int(played["iterations"]), games, *share, found.fair))
    return told


def try_together(
    table: Table, candidates: Sequence[str], options: argparse.Namespace
) -> list[Candidate]:
    """The candidates in a game that all win together, or alone: how often they do."""
    told = []
    for agent in candidates:
        iterations = iterations_within(agent, table, options.milliseconds)
        limited = with_options(agent, iterations=iterations)
        outcome = play_match(table, limited, options.against, options.games, options.seed)
        told.append(
            Candidate(agent, iterations, outcome.games, outcome.rate, outcome.interval, 0.0)
        )
    return told


def evidence(options: argparse.Namespace, best: Candidate) -> dict[str, Any]:
    """A match as the file keeps it."""
    low, high = best.interval
    return {
        "game": options.game,
        "players": options.players,
        "opponent": options.against,
        "milliseconds": options.milliseconds,
        "iterations": best.iterations,
        "games": best.games,
        "rate": round(best.rate, 3),
        "interval": [round(low, 3), round(high, 3)],
        "fair": round(best.fair, 3),
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
    parser.add_argument("--out", type=Path, help="keeps the games")
    parser.add_argument("--write", nargs="?", const="", metavar="KIND", help="keep the best one")
    options = parser.parse_args()
    game = kibitz.load(options.game)
    table = game.table(options.players) if options.players else game.table()
    options.players = table.players
    alone = table.players == 1 or "cooperative" in game.categories
    found = (try_together if alone else compete)(table, options.candidates, options)
    for candidate in found:
        print(f"{options.game}: {candidate}", flush=True)
    best = max(found, key=lambda candidate: candidate.rate)
    if options.write is not None:
        write(best.agent, options.write or options.game, evidence(options, best))
        print(f"{options.write or options.game}: {best.agent}")


if __name__ == "__main__":
    main()

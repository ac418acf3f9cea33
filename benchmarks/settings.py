"""Chooses who plays as ``kibitz``: a tournament for each game and time, written as data.

``python -m benchmarks.settings agram go-fish --times "1 10"`` lets candidates meet the agent that
plays there now: one against the field, on the same deals, with the same CPU time for a decision,
as in ``kibitz tournament --format field --times``. The one that wins most meets it once more, on
fresh deals, so that what is told is not the luck of the chosen one. It takes the place if the 95 %
interval of that match lies above an equal share; else who played there stays, now with evidence.
Longer times are tried where somebody new was chosen for a shorter one, or with ``--every-time``.
With ``--write`` all that goes into ``src/kibitz/players/settings.json``.
"""

from __future__ import annotations

import argparse
import datetime
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import kibitz
from benchmarks.matches import iterations_within, play_match, with_options
from kibitz.core.agent import agent_class, make_agent
from kibitz.core.game import Table
from kibitz.core.statistics import Interval
from kibitz.players.kibitz import SETTINGS_FILE, AgentSetting, GameKind, kind_of
from kibitz.players.search import BUDGET
from kibitz.studies.tournament import DecisionBudget, Format, TableResult

Entry = dict[str, Any]
"""An entry of the file."""
HIDDEN = ("ismcts", "ismcts:rollout_length=4", "ismcts:mix=0.5", "pimc:determinizations=0")
CANDIDATES: Mapping[GameKind, Sequence[str]] = {
    GameKind.ALONE: ("ggp", "mcts", "rhea"),
    GameKind.TOGETHER: ("rhea", "mcts", "ismcts"),
    GameKind.OPEN: ("ggp", "mcts", "ggp:learn=nst", "ggp:decisive=true"),
    GameKind.POINTS: HIDDEN,
    GameKind.HEURISTIC: (*HIDDEN, "ismcts:mix=0.7,c=0.2"),
    GameKind.HIDDEN: HIDDEN,
}
"""Who is tried in games of each kind, unless somebody says otherwise."""


class Played(NamedTuple):
    """A match of one agent against another one.

    Attributes:
        agent: without a budget.
        opponent: likewise.
        iterations: of the agent, that fit into the time.
        games: that were finished.
        rate: the share of wins.
        interval: its 95 % interval.
        fair: the share of one among equals.
        seed: of the deals.
    """

    agent: str
    opponent: str
    iterations: int
    games: int
    rate: float
    interval: Interval
    fair: float
    seed: int

    @property
    def is_won(self) -> bool:
        """Whether the agent is better by more than chance explains."""
        return self.interval[0] > self.fair

    def __str__(self) -> str:
        low, high = self.interval
        won = f"{self.rate:.0%} ({low:.0%} to {high:.0%}) of {self.games:,}"
        return f"{self.agent} against {self.opponent}: {won}; {self.fair:.0%} is even"


@dataclass(frozen=True)
class Choice:
    """Who plays a game with so much time.

    Attributes:
        game: its name.
        players: at the table.
        milliseconds: for a decision.
        agent: that was chosen, without a budget.
        shown: the match by which it was.
    """

    game: str
    players: int
    milliseconds: float
    agent: str
    shown: Played

    def evidence(self) -> Entry:
        """The match as the file keeps it."""
        low, high = self.shown.interval
        return {
            "game": self.game,
            "players": self.players,
            "opponent": self.shown.opponent,
            "milliseconds": self.milliseconds,
            "iterations": self.shown.iterations,
            "games": self.shown.games,
            "rate": round(self.shown.rate, 3),
            "interval": [round(low, 3), round(high, 3)],
            "fair": round(self.shown.fair, 3),
            "seed": self.shown.seed,
            "date": datetime.date.today().isoformat(),
        }


def choose(
    table: Table, milliseconds: float, now: str, candidates: Sequence[str], games: int, seed: int
) -> Choice:
    """Lets candidates meet the agent that plays now.

    Args:
        table: where.
        milliseconds: of CPU time for a decision.
        now: the agent that plays there, without a budget.
        candidates: likewise.
        games: of a match; the last one has twice as many.
        seed: of the deals.
    """
    name = table.game.name
    others = [one for one in dict.fromkeys(map(_label, candidates)) if one != now]
    if table.players == 1 or "cooperative" in table.game.categories:
        match = _together(table, milliseconds, now, others, games, seed)
    else:
        result = _field(table, milliseconds, now, others, games, seed)
        first = [_played(result, k, 0, [now, *others], seed) for k in range(1, len(others) + 1)]
        for played in first:
            print(f"{name}, {milliseconds:g} ms: {played}", flush=True)
        best = max(first, key=lambda played: played.rate).agent
        seed += 1
        result = _field(table, milliseconds, now, [best], 2 * games, seed)
        match = _played(result, 1, 0, [now, best], seed)
        if not match.is_won:
            match = _played(result, 0, 1, [now, best], seed)
    print(f"{name}, {milliseconds:g} ms, chosen: {match}", flush=True)
    return Choice(name, table.players, milliseconds, match.agent, match)


def _field(
    table: Table, milliseconds: float, now: str, others: Sequence[str], games: int, seed: int
) -> TableResult:
    """One against the field; partners are the same agent in games with teams."""
    return kibitz.tournament(
        {table.game.name: table},
        [now, *others],
        games=games,
        seed=seed,
        workers=1,
        format=Format.TEAMS if table.has_teams else Format.FIELD,
        decision_budget=DecisionBudget(milliseconds),
    ).tables[0]


def _played(found: TableResult, one: int, other: int, agents: Sequence[str], seed: int) -> Played:
    """How an agent fared against another one in a tournament."""
    share = found.share(one, other)
    assert share is not None
    played = make_agent(found.played_as[one]).options.as_dict()
    games = sum(
        match.games
        for match in found.matches
        if (match.one, match.other) in ((one, other), (other, one))
    )
    games //= 1 if found.fair == 0.5 else 2  # both ways
    return Played(
        agents[one], agents[other], int(played["iterations"]), games, *share, found.fair, seed
    )


def _together(
    table: Table, milliseconds: float, now: str, others: Sequence[str], games: int, seed: int
) -> Played:
    """The best of all in a game that all win together, or alone: how often it does.

    Who plays now stays unless the intervals of both do not even touch.
    """
    found = []
    for agent in [now, *others]:
        iterations = iterations_within(agent, table, milliseconds)
        outcome = play_match(table, with_options(agent, iterations=iterations), now, games, seed)
        rate, interval = outcome.rate, outcome.interval
        found.append(
            Played(agent, "the game", iterations, outcome.games, rate, interval, 0.0, seed)
        )
        print(f"{table.game.name}, {milliseconds:g} ms: {found[-1]}", flush=True)
    best = max(found, key=lambda played: played.rate)
    return best if best.interval[0] > found[0].interval[1] else found[0]


def _label(agent: str) -> str:
    return make_agent(agent).label


def _without_budget(agent: Mapping[str, Any]) -> Entry:
    return {name: value for name, value in agent.items() if name not in BUDGET}


def plays(entry: Entry) -> str:
    """The agent of an entry, without a budget."""
    values = _without_budget(entry["agent"])
    return str(agent_class(values.pop("agent"))(**values).label)


@dataclass
class Entries:
    """The entries of the file, in order of precedence.

    Attributes:
        all: the entries.
        past: of a game the entries from which it was taken.
    """

    all: list[Entry]
    past: dict[str, list[Entry]] = field(default_factory=dict)

    def at(self, table: Table, milliseconds: float) -> Entry:
        """The entry by which a table is played with so much time."""
        budget = {"milliseconds": max(1, int(milliseconds))}
        return next(one for one in self.all if AgentSetting.from_json(one).fits(table, budget))

    def take(self, choice: Choice, table: Table) -> None:
        """Notes a choice; of several times of a game they come in rising order.

        Who stays gets evidence. Somebody new takes the place of the game's own entry, but for
        times of which that has evidence: shorter ones than the choice is for, or from the next
        longer one on.
        """
        game, old = choice.game, self.at(table, choice.milliseconds)
        evidence = choice.evidence()
        named = game in old.get("games", ())
        if plays(old) == choice.agent:
            if named:
                old.setdefault("evidence", []).append(evidence)
            else:
                self._insert(0, game, old["agent"], {}, [evidence])
            return
        known = [one for one in self.past.get(game, ()) if plays(one) == choice.agent]
        agent = known[0]["agent"] if known else _described(choice.agent)
        kept = [match for one in known for match in one["evidence"]]
        if not named:
            self._insert(0, game, agent, {}, [*kept, evidence])
            return
        place = next(k for k, one in enumerate(self.all) if one is old)
        shown = [match for match in old.get("evidence", ()) if match.get("game") == game]
        since = old.get("least", {}).get("milliseconds", 0)
        if since < choice.milliseconds and any(
            0 < match.get("milliseconds", 0) < choice.milliseconds for match in shown
        ):
            self._insert(place, game, agent, _from(evidence), [*kept, evidence])
            return
        self.past.setdefault(game, []).append({**old, "evidence": shown})
        old["games"].remove(game)
        if not old["games"]:
            del self.all[place]
        self._insert(place, game, agent, old.get("least", {}), [*kept, evidence])
        longer = [m for m in shown if m.get("milliseconds", 0) > choice.milliseconds]
        if longer:  # who was there has shown something that the new one has not
            first = min(longer, key=lambda match: float(match["milliseconds"]))
            self._insert(place, game, old["agent"], _from(first), shown)

    def _insert(
        self, place: int, game: str, agent: Entry, least: Entry, evidence: Sequence[Entry]
    ) -> None:
        entry: Entry = {"games": [game], "agent": agent}
        if least:
            entry["least"] = least
        entry["evidence"] = [*evidence]
        self.all.insert(place, entry)


def _from(match: Entry) -> Entry:
    """The budgets from that of a match on."""
    return {"iterations": match["iterations"], "milliseconds": int(match["milliseconds"])}


def _described(agent: str) -> Entry:
    """An agent as the file has it: its name, and the options that are not as usual."""
    made = make_agent(agent)
    usual = type(made)().options.to_json()
    values = made.options.to_json()
    return {"agent": made.name, **{k: v for k, v in values.items() if v != usual[k]}}


def text_of(entries: Sequence[Entry]) -> str:
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


def main(arguments: Sequence[str] | None = None) -> None:
    """Chooses for each game and time, and writes each choice at once if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="+", metavar="GAME")
    parser.add_argument("--candidates", help="agents without a budget; default: by kind of game")
    parser.add_argument("--players", type=int, help="default: as each game says")
    parser.add_argument("--times", default="1 10", help="milliseconds for a decision")
    parser.add_argument("--every-time", action="store_true", help="even where nobody new came")
    parser.add_argument("--games", type=int, default=100, help="of a match; the last has twice")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="keep what is chosen")
    parser.add_argument("--file", type=Path, default=SETTINGS_FILE, help="that is written")
    options = parser.parse_args(arguments)
    entries = Entries(json.loads(options.file.read_text(encoding="utf-8"))["settings"])
    for name in options.tables:
        game = kibitz.load(name)
        table = game.table(options.players) if options.players else game.table()
        times = sorted(map(float, options.times.split()))
        now = [plays(entries.at(table, milliseconds)) for milliseconds in times]
        wanted = options.candidates.split() if options.candidates else CANDIDATES[kind_of(table)]
        for milliseconds, agent in zip(times, now, strict=True):
            choice = choose(table, milliseconds, agent, wanted, options.games, options.seed)
            entries.take(choice, table)
            if options.write:
                options.file.write_text(text_of(entries.all), encoding="utf-8")
            if choice.agent == agent and not options.every_time:
                break


if __name__ == "__main__":
    main()

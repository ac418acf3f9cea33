"""The description of a run, which determines its games."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, NamedTuple, TypedDict, Unpack

from kibitz.arena.judge import Judge
from kibitz.arena.worker import checked_loops
from kibitz.core.agent import Agent, agents_in
from kibitz.core.errors import AgentError, FileError, ParameterError, check_names
from kibitz.core.parameters import truth, whole_number
from kibitz.core.randomness import check_seed
from kibitz.core.wording import listed
from kibitz.loading import Playable, table_with_seats

MOST_GAMES = 10**10
"""Maximum number of games of a run."""

MOST_GAMES_A_SHARD = 1 << 16
"""Maximum number of games of a shard, whose rows are in memory: about 200 bytes a game."""

USUAL_GAMES_A_SHARD = 1 << 13
"""Default of the maximum number of games of a shard, which limits the memory of long runs."""

MOST_RECORDED = {"decisions": 512, "events": 16, "judgements": 64}
"""Maximum number of games of a shard by the records that are kept in memory as well."""

RECORDS = {
    "decisions": "a row for each decision: who chose what among how many, and what they thought",
    "events": "a row for each event and each listener: what a seat was told in words and as data",
    "successors": "to how many distinct states the options of each decision led, by game",
    "judgements": "what a judge thinks of each state and option, as its player saw it and open",
}
"""The records that a run can have besides games and seats, with their descriptions."""

SHARDS = 64
"""Minimum number of shards of a run by default, if it has as many games."""


class Shard(NamedTuple):
    """Consecutive games of a run: number `first` to `first + games - 1`."""

    first: int
    games: int


class Design(TypedDict, total=False):
    """The keywords that say how the games of a run are played and recorded.

    All functions that play a run take them; ``Experiment`` has their defaults.

    Attributes:
        rotate: whether the agents move on by one seat from game to game.
        loops: number of visits of a state at which a game is broken off as a suspected loop; 0
            for never, ``None`` for the number of the game.
        record: records besides games and seats, some of ``RECORDS``.
        judge: judge of the options, by default ``rollouts``; if given, judgements are recorded.
        judged: number of games that are judged, from the first one; 0 for all. If not 0,
            judgements are recorded.
        duplicate: whether each deal is played once for each seat, the agents moving on by one
            seat each time, as in duplicate bridge. Games of a deal have the same seed.
        shard_games: number of games of a shard; 0 for a suitable number.
        randomize: names of the parameters that are drawn from their ranges for each deal, by its
            seed (see ``kibitz.runs.randomized``).
    """

    rotate: bool
    loops: int | None
    record: Collection[str]
    judge: Judge | str | None
    judged: int
    duplicate: bool
    shard_games: int
    randomize: Collection[str]


def as_names(name: str, value: str | Collection[str]) -> tuple[str, ...]:
    """An argument that is a name or several, as a tuple.

    Raises:
        ParameterError: the argument, which the message calls `name`, is something else.
    """
    names = (value,) if isinstance(value, str) else value
    if not isinstance(names, Collection) or not all(isinstance(each, str) for each in names):
        raise ParameterError(f"{name} = {value!r} should be a name, or a list of names.")
    return tuple(names)


@dataclass(frozen=True)
class Experiment:
    """Everything that the games of a run depend on.

    Game number *i* of a run depends on the experiment and on *i* alone, not on the machine, the
    time, or the games played before.

    Attributes:
        game: name of the game.
        rules: fingerprint of its rules (``Game.fingerprint``).
        parameters: values of all parameters by name, as JSON types.
        agents: one for each seat of the first game, as ``make_agent`` reads them.
        seed: seed of the run, from which the seed of each game is derived.
        rotate, record, judged, duplicate, randomize: see ``Design``.
        loops, shard_games: see ``Design``; defaults are replaced by the numbers that apply.
        judge: the judge as ``Judge.of`` reads it; empty unless judgements are recorded.
    """

    game: str
    rules: str
    players: int
    parameters: Mapping[str, Any]
    agents: tuple[str, ...]
    games: int
    seed: int = 0
    rotate: bool = True
    loops: int = 0
    shard_games: int = field(default=0)
    record: tuple[str, ...] = ()
    judge: str = ""
    judged: int = 0
    duplicate: bool = False
    randomize: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        games = whole_number("games", self.games, 1, MOST_GAMES)
        object.__setattr__(self, "games", games)
        for name in self.record:
            if name not in RECORDS:
                raise ParameterError(
                    f"{name!r} cannot be recorded; {listed(tuple(RECORDS))} can be."
                )
        if ("judgements" in self.record) != bool(self.judge):
            raise ParameterError("Judgements need a judge, and a judge is there for nothing else.")
        for flag in ("rotate", "duplicate"):
            truth(flag, getattr(self, flag))
        object.__setattr__(self, "judged", whole_number("judged", self.judged))
        if self.duplicate and not self.rotate:
            raise ParameterError("Only agents that change seats can play a deal more than once.")
        most = self.most_games_a_shard
        object.__setattr__(self, "shard_games", whole_number("shard_games", self.shard_games))
        if self.shard_games == 0:
            size = min(-(-self.games // SHARDS), most, USUAL_GAMES_A_SHARD)
            object.__setattr__(self, "shard_games", size)
        if not 1 <= self.shard_games <= most:
            raise ParameterError(f"shard_games = {self.shard_games} should be 1 to {most:,}.")

    @classmethod
    def of(
        cls,
        table: Playable,
        agents: Sequence[Agent | str],
        games: int,
        seed: int = 0,
        **design: Unpack[Design],
    ) -> Experiment:
        """The experiment of `agents` playing at `table`; ``Design`` explains the keywords.

        Raises:
            AgentError: there are too few or too many agents.
            ParameterError: a number is out of range.
            TypeError: there is no such keyword.
        """
        seated = agents_in(agents)
        table = table_with_seats(table, len(seated))
        if len(seated) != table.players:
            raise AgentError(f"{len(seated)} agents cannot fill {table.players} seats.")
        check_seed(seed)
        record = set(as_names("record", design.get("record", ())))
        randomize = sorted(set(as_names("randomize", design.get("randomize", ()))))
        check_names(randomize, table.game.Parameters.tunables)
        if design.get("judge") is not None or design.get("judged"):
            record.add("judgements")
        judge = Judge.read(design.get("judge"))
        values: dict[str, Any] = dict(design)
        values["loops"] = checked_loops(table, design.get("loops"))
        values["record"] = tuple(sorted(record))
        values["judge"] = judge.label if "judgements" in record else ""
        values["randomize"] = tuple(randomize)
        return cls(
            game=table.game.name or type(table.game).__name__,
            rules=table.game.fingerprint,
            players=table.players,
            parameters=table.parameters.to_json(),
            agents=tuple(agent.label or type(agent).__name__ for agent in seated),
            games=games,
            seed=seed,
            **values,
        )

    @property
    def deal_games(self) -> int:
        """The number n of consecutive games that share a deal: game number *i* has deal *i* // n.

        With `duplicate` it is the number of games until all agents sit as in the first game
        again, which is smaller where partners are the same agent. If all agents are the same, it
        is the number of players.
        """
        if not self.duplicate:
            return 1
        seats = self.agents
        turns = range(2, self.players if len(set(seats)) > 1 else 0)
        return next((n for n in turns if seats[n:] + seats[:n] == seats), self.players)

    @property
    def most_games_a_shard(self) -> int:
        """The maximum number of games of a shard, which limits its memory."""
        limits = [MOST_RECORDED[name] for name in self.record if name in MOST_RECORDED]
        return min([MOST_GAMES_A_SHARD, *limits])

    @property
    def shard_count(self) -> int:
        """The number of shards."""
        return -(-self.games // self.shard_games)

    def shards(self) -> Iterator[Shard]:
        """All shards of the run, in order."""
        for first in range(0, self.games, self.shard_games):
            yield Shard(first, min(self.shard_games, self.games - first))

    def to_json(self) -> dict[str, Any]:
        """All attributes by name, as JSON types."""
        return asdict(self) | {
            "agents": list(self.agents),
            "record": list(self.record),
            "randomize": list(self.randomize),
        }

    @classmethod
    def from_json(cls, document: Any, source: str) -> Experiment:
        """The experiment that ``to_json`` described.

        Args:
            document: an object read from JSON.
            source: name of the document in error messages.

        Raises:
            FileError: the document does not describe an experiment.
        """
        types = {
            "game": str,
            "rules": str,
            "players": int,
            "parameters": dict,
            "agents": list,
            "games": int,
            "seed": int,
            "rotate": bool,
            "loops": int,
            "shard_games": int,
            "record": list,
            "judge": str,
            "judged": int,
            "duplicate": bool,
            "randomize": list,
        }
        if not isinstance(document, dict):
            raise FileError(f"{source}: an experiment is a JSON object.")
        names = [member.name for member in fields(cls)]
        for name in names:
            if type(document.get(name)) is not types[name]:
                raise FileError(
                    f'{source}: needs a member "{name}" of the type {types[name].__name__}.'
                )
        values = {name: document[name] for name in names}
        for name in ("agents", "record", "randomize"):
            if not all(isinstance(item, str) for item in document[name]):
                raise FileError(f'{source}: the member "{name}" should list names.')
            values[name] = tuple(values[name])
        try:
            return cls(**values)
        except ParameterError as problem:
            raise FileError(f"{source}: {problem}") from None

    def text(self) -> str:
        """The experiment as the text of a JSON file."""
        return json.dumps(self.to_json(), indent=2, ensure_ascii=False) + "\n"

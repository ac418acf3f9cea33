"""The study: what ``kibitz study GAME`` does, within a limit of time.

It has seven parts: *random* agents play many games; a *skilled* agent plays against itself, and
its decisions are judged; one skilled agent plays in a *contest* with random ones; simple
*policies* are tried; deals are *replayed*; what is suspected by then is *confirmed* by other
games; and agents that think ever longer climb a *ladder*. ``study_budget`` plans the number of
games of each part. The same budget gives the same games on every machine.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import kibitz
from kibitz.arena.judge import Judge
from kibitz.arena.speed import Speed, measure_speed
from kibitz.core.agent import Agent, make_agent, make_agents
from kibitz.core.errors import KibitzError, ParameterError
from kibitz.core.game import Table
from kibitz.core.native import compile_seconds
from kibitz.core.parameters import real_number
from kibitz.core.progress import Progress, part_of
from kibitz.core.sides import fair_share
from kibitz.loading import Playable, find_table
from kibitz.reports.notebook import Reported
from kibitz.runs import Experiment, Shard, runner_for
from kibitz.studies import ladder as ladders
from kibitz.studies.ahead import compiling_ahead
from kibitz.studies.contest import play_contest
from kibitz.studies.dominance import GREEDY, Dominance, try_policies
from kibitz.studies.flaws import Flaw, FlawKind, confirmed
from kibitz.studies.flaws import flaws as find_flaws
from kibitz.studies.ladder import Ladder
from kibitz.studies.measures.choices import Choice
from kibitz.studies.measures.luck import Source
from kibitz.studies.playing import Measuring
from kibitz.studies.replay import REPLAYS, Origins, replay
from kibitz.studies.results import FORMAT, Playtest
from kibitz.studies.study_budget import (
    CONFIRM,
    CONTEST,
    FAIR_JUDGED,
    FEWEST,
    LADDER,
    POLICIES,
    RANDOM,
    REPLAY,
    ROLLOUTS,
    SKILLED,
    Budget,
    GivenPlanner,
    Planner,
    TimedPlanner,
    playing_clock,
    skilled_agent,
)

PARTS = {
    RANDOM: "random play: how it ends, how long, how fair",
    SKILLED: "skilled play: luck, choices, who wins",
    CONTEST: "one skilled player among random ones: does skill pay",
    POLICIES: "simple policies, by ban and by force: does one do",
    REPLAY: "the same deals four times: how much is luck",
    CONFIRM: "other games, to confirm what was suspected",
    LADDER: "thinking longer: how far up skill pays",
}
"""The parts of a study in order, each with the question that it answers."""

SEARCHING = 50
"""Minimum iterations per decision of a skilled agent against which policies are judged."""

MOST_ERROR = 0.25
"""The largest share of the outcome that the judge's error may have in a ledger that is shown."""

TRIAL_GAMES = 48
"""Maximum number of games in which an agent that looks one step ahead is tried."""


@dataclass(frozen=True)
class Study(Reported):
    """The results of a study.

    Attributes:
        title: the name of the game as printed on its box.
        random, skilled, contest: the playtests of these parts; ``None`` for one that was left out.
        policies: the results of simple policies; ``None`` if they were left out.
        origins: what decides who wins, by replays of the same deals; ``None`` if left out.
        flaws: the flaws of the game that other games confirmed, the gravest first.
        unconfirmed: the flaws that the first games showed and other games did not.
        ladder: ``None`` if it was left out.
        budget: the numbers of games played; with it the study can be repeated.
        agent: label of the skilled agent.
        seconds: duration of the study without compiling.
        compiling: seconds spent on compiling.
        interrupted: whether the study was stopped before its end.
        speed: speed of the rules; ``None`` where they are not compiled, or break off, and where
            the study was interrupted.
        left_out: why the ladder was not climbed although it was planned; else empty.
        has_chance: whether the rules use chance at all.
    """

    game: str
    title: str
    players: int
    seed: int
    random: Playtest
    skilled: Playtest | None
    contest: Playtest | None
    policies: Dominance | None
    origins: Origins | None
    flaws: tuple[Flaw, ...]
    unconfirmed: tuple[Flaw, ...]
    ladder: Ladder | None
    budget: Budget
    agent: str
    seconds: float
    interrupted: bool
    left_out: str = ""
    has_chance: bool = True
    speed: Speed | None = None
    compiling: float = 0.0
    version: str = field(default_factory=lambda: kibitz.__version__)

    @functools.cached_property
    def telling_choices(self) -> list[Choice]:
        """The groups of options that surely gain or lose in random play, largest effect first."""
        sure = [
            (max(choice.gain_interval[0], -choice.gain_interval[1]), choice)
            for choice in self.random["choices"]
            if choice.gain_interval is not None
        ]
        telling = [(least, choice) for least, choice in sure if least > 0]
        return [choice for _, choice in sorted(telling, key=lambda pair: -pair[0])]

    @property
    def ledger(self) -> tuple[Source, ...]:
        """What each decision and each event gained by the judge's estimate; empty if in doubt.

        The judge plays on at random, so its ledger may be far from the truth. It is left out where
        replays contradict it, where it has few games or a large error, and where rollouts end with
        the deal.
        """
        if self.skilled is None or not self.skilled["ledger"] or self.budget.deal:
            return ()
        interval = self.skilled["luck_share_interval"]
        if (
            self.skilled["judged_games"] < FAIR_JUDGED
            or interval is None
            or self.origins is None
            or self.origins.luck is None
            or interval[0] > self.origins.luck.interval[1]
            or interval[1] < self.origins.luck.interval[0]
        ):
            return ()
        ledger = tuple(self.skilled["ledger"])
        error = next(source.share for source in ledger if source.name == "error")
        return () if abs(error) > MOST_ERROR else ledger

    @property
    def best(self) -> Playtest:
        """The playtest of the skilled agent, or of random ones if it has too few games."""
        if self.skilled is not None and self.skilled.finished >= FEWEST:
            return self.skilled
        return self.random

    @property
    def coin_share(self) -> tuple[float, tuple[float, float]] | None:
        """The share x of the contest's games that are as if a coin decided them, with interval.

        It is the share of games that a lottery would decide if the skilled player won all others:
        the win rate of one skilled player is 1 - x + x / n for n sides. The idea is the "50
        %-chess" of Duersch, Lambrecht and Oechssler, "Measuring skill and chance in games" (2020).
        """
        if self.contest is None or not self.contest.has_rivals:
            return None
        mine = self.contest.agents[0]
        if mine.win_rate is None or mine.win_interval is None or len(self.contest.agents) < 2:
            return None
        scale = 1 / (1 - self.contest.fair_share)
        shares = [min(1.0, (1 - rate) * scale) for rate in (mine.win_rate, *mine.win_interval)]
        return shares[0], (shares[2], shares[1])

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON types: the playtest of random games, and the other parts."""
        coin = self.coin_share
        documents = {
            name: None if result is None else result.to_json()
            for name, result in (
                (RANDOM, self.random),
                (SKILLED, self.skilled),
                (CONTEST, self.contest),
                (POLICIES, self.policies),
                (REPLAY, self.origins),
                (LADDER, self.ladder),
            )
        }
        return {
            "format": FORMAT,
            "kibitz": self.version,
            "game": self.game,
            "players": self.players,
            "seed": self.seed,
            "interrupted": self.interrupted,
            "budget": dataclasses.asdict(self.budget),
            "agent": self.agent,
            "left_out": self.left_out,
            "coin_share": None if coin is None else coin[0],
            "coin_share_interval": None if coin is None else list(coin[1]),
            "calls_per_second": None if self.speed is None else self.speed.to_json(),
            "flaws": [flaw.to_json() for flaw in self.flaws],
            "unconfirmed": [flaw.to_json() for flaw in self.unconfirmed],
            "parts": documents,
            "seconds": self.seconds,
            "compiling_seconds": self.compiling,
        }


def study(
    game: Playable,
    *,
    players: int | None = None,
    seconds: float = 20.0,
    budget: Budget | str | None = None,
    seed: int = 0,
    parameters: dict[str, Any] | None = None,
    judge: Judge | str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Study:
    """Studies a game: plays it by random, skilled and mixed agents, and measures all games.

    >>> import kibitz
    >>> result = kibitz.study("tic-tac-toe", budget="random=200,iterations=50,skilled=20,judged=4")
    >>> result.skilled.finished
    20

    An interrupt ends the study early, with the results so far.

    Args:
        game: a game or what ``kibitz.load`` takes; or a table.
        players: number of players; by default the usual number of the game.
        seconds: planned duration, unless there is a budget.
        budget: numbers of games, as a study prints them.
        parameters: the game's parameters by name; the rest keep their defaults.
        judge: the judge of the skilled agent's decisions; by default rollouts.
        workers: number of threads; by default one per core.
        progress: its stages are the questions of ``PARTS``.

    Raises:
        KibitzError: a name or a value is wrong; the message lists the right ones.
        KeyboardInterrupt: the study was stopped before it had any results.
    """
    if not real_number("seconds", seconds) > 0:
        raise ParameterError(f"seconds = {seconds!r} should be above 0.")
    table = find_table(game, players, parameters)
    fixed = None if budget is None else Budget.read(budget)
    Judge.read(judge)  # reports a mistake before anything is played
    with compiling_ahead():
        planner = (
            TimedPlanner(table, seed, seconds, workers) if fixed is None else GivenPlanner(fixed)
        )
        return _StudyRun(table, seed, planner, judge, workers, progress).study()


def own_seed(table: Table, seed: int) -> int:
    """A seed that follows from a seed and from the rules, the players and the parameters.

    So two versions of a game do not share the accidents of one seed.
    """
    values = json.dumps(table.parameters.to_json(), sort_keys=True)
    text = f"{seed} {table.game.fingerprint} {table.players} {values}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) >> 1


class _StudyRun:
    """Plays the parts of a study, with the numbers of games that the planner gives."""

    def __init__(
        self,
        table: Table,
        seed: int,
        planner: Planner,
        judge: Judge | str | None,
        workers: int | None,
        progress: Progress | None,
    ) -> None:
        self._table = table
        self._seed = seed
        self._planner = planner
        self._judge = judge
        self._workers = workers
        self._progress = progress
        self._compiled = compile_seconds()  # before the study began
        self._interrupted = False
        self._left_out = ""
        self._played: dict[str, int] = {}
        self._spent: dict[str, float] = {}  # seconds by the planner's clock, by part

    def study(self) -> Study:
        """Plays all parts."""
        began = playing_clock()
        table = self._table
        budget = self._planner.begin()
        random = self._play(RANDOM, [make_agent("random")], max(1, budget.random), ["decisions"])
        if not self._interrupted:
            budget = self._planner.after_random(budget, random)
        agent = skilled_agent(table, budget.iterations)
        skilled = contest = policies = ladder = origins = None
        if random.sides_are_alike and budget.skilled and not self._interrupted:
            agent = self._strongest(agent, min(TRIAL_GAMES, budget.skilled))
        if random.finished and not self._interrupted and budget.skilled:
            skilled = self._play_skilled(agent, budget, random.is_only_scored)
            budget = self._planner.after_skilled(budget, skilled, self._spent[SKILLED])
        if not random.sides_are_alike:  # nobody competes, or a seat's fair share is unknown
            budget = dataclasses.replace(budget, contest=0)
        if random.finished and not self._interrupted and budget.contest:
            others = [agent, *make_agents(["random"], table.players - 1)]
            contest = self._play(CONTEST, others, budget.contest, [])
        if random.finished and not self._interrupted and budget.policies:
            policies = self._try_policies(random, agent, budget.policies)
        if skilled is not None and not skilled.games:
            skilled = None
        comparable = random.sides_are_alike or not random.has_rivals
        if random.finished and comparable and table.rules.uses_chance and budget.replays:
            origins = self._replay(agent, budget.replays)
        suspected = self._suspect(random, skilled, policies, budget)
        flaws: tuple[Flaw, ...] = ()
        if suspected and not self._interrupted:
            flaws = self._confirm(suspected, agent, budget)
        if random.finished and not self._interrupted and budget.ladder:
            ladder = self._climb(budget)
        budget = dataclasses.replace(budget, **self._played)
        budget = dataclasses.replace(budget, judged=min(budget.judged, budget.skilled))
        if contest is not None and not contest.games:
            contest = None
        return Study(
            game=table.game.name or type(table.game).__name__,
            title=table.game.title or table.game.name,
            players=table.players,
            seed=self._seed,
            random=random,
            skilled=skilled,
            contest=contest,
            policies=policies,
            origins=origins,
            flaws=flaws,
            unconfirmed=tuple(
                flaw for flaw in suspected if not any(flaw.is_same(other) for other in flaws)
            ),
            ladder=ladder,
            budget=budget,
            agent=agent.label,
            seconds=playing_clock() - began,
            interrupted=self._interrupted,
            speed=None if self._interrupted else measure_speed(table),
            left_out=self._left_out or self._planner.left_out,
            has_chance=table.rules.uses_chance,
            compiling=compile_seconds() - self._compiled,
        )

    # -- the parts ----------------------------------------------------------------------------

    def _play(
        self,
        part: str,
        agents: list[Agent],
        games: int,
        record: list[str],
        budget: Budget | None = None,
        seed: int | None = None,
    ) -> Playtest:
        """Plays a part and measures it."""
        seated = make_agents(agents, self._table.players)
        judge = None
        if budget is not None:
            rollout = f",rollout={ROLLOUTS[budget.deal]}"
            judge = Judge.read(self._judge or f"rollouts:samples={budget.samples}{rollout}")
        experiment = Experiment.of(
            self._table,
            seated,
            games,
            self._seed if seed is None else seed,
            record=record,
            judge=judge,
            judged=0 if budget is None else min(budget.judged, games),
        )
        runner = runner_for(experiment, self._table, seated, workers=self._workers)
        measuring = Measuring(self._table, seated, experiment)
        began, started = playing_clock(), self._planner.clock()
        runner.play(
            measuring.add,
            self._in_time(part, experiment),
            progress=part_of(self._progress, 0, games, PARTS[part]),
        )
        playtest = measuring.finish(playing_clock() - began)
        self._spent[part] = self._planner.clock() - started
        self._interrupted = bool(runner.stop[0])
        if part != CONFIRM:
            self._played[part] = playtest.games
        return dataclasses.replace(playtest, wanted=playtest.games)

    def _strongest(self, agent: Agent, games: int) -> Agent:
        """The agent, or the one that looks one step ahead if that one surely beats it."""
        rival = make_agent(GREEDY)
        scores, planned = play_contest(
            self._table, rival, agent, games, self._seed, workers=self._workers
        )
        self._interrupted = scores.finished + scores.unfinished < planned
        return rival if scores.interval[0] > fair_share(self._table.sides) else agent

    def _replay(self, agent: Agent, deals: int) -> Origins | None:
        """Replays deals; ``None`` if it was stopped."""
        if self._interrupted:
            return None
        progress = part_of(self._progress, 0, REPLAYS * deals, PARTS[REPLAY])
        try:
            return replay(
                self._table, agent, deals, self._seed, workers=self._workers, progress=progress
            )
        except KeyboardInterrupt:
            self._interrupted = True
            return None

    def _suspect(
        self,
        random: Playtest,
        skilled: Playtest | None,
        policies: Dominance | None,
        budget: Budget,
    ) -> tuple[Flaw, ...]:
        """The flaws that games show."""
        return find_flaws(random, skilled, policies if budget.iterations >= SEARCHING else None)

    def _confirm(
        self, suspected: tuple[Flaw, ...], agent: Agent, budget: Budget
    ) -> tuple[Flaw, ...]:
        """The suspected flaws that games with seeds of this game's own show, too."""
        seed = own_seed(self._table, self._seed)
        random = self._play(
            CONFIRM, [make_agent("random")], budget.random, ["decisions"], seed=seed
        )
        skilled = policies = None
        if budget.skilled and budget.confirmed and not self._interrupted:
            games = dataclasses.replace(budget, skilled=budget.confirmed)
            skilled = self._play_skilled(agent, games, random.is_only_scored, CONFIRM, seed)
        if any(flaw.kind is FlawKind.DOMINANT for flaw in suspected) and not self._interrupted:
            policies = self._try_policies(random, agent, budget.policies, seed)
        if self._interrupted:
            return ()
        return confirmed(suspected, self._suspect(random, skilled, policies, budget))

    def _play_skilled(
        self,
        agent: Agent,
        budget: Budget,
        only_scored: bool,
        part: str = SKILLED,
        seed: int | None = None,
    ) -> Playtest:
        """Plays skilled games; they are judged where anybody can win."""
        record, judged = ["decisions"], None
        if not only_scored:
            record, judged = ["decisions", "judgements"], budget
        return self._play(part, [agent], budget.skilled, record, judged, seed)

    def _in_time(self, part: str, experiment: Experiment) -> Iterator[Shard]:
        """The shards of a part in order, until its time is up.

        A budget with the resulting number of games repeats the same games.
        """
        began = self._planner.clock()
        for number, shard in enumerate(experiment.shards()):
            if not self._planner.may_go_on(part, number, self._planner.clock() - began):
                return
            yield shard

    def _stage(self, part: str) -> Progress | None:
        """The progress callback of a part that reports its own number of games."""
        progress = self._progress
        if progress is None:
            return None
        return lambda _, done, total: progress(PARTS[part], done, total)

    def _try_policies(
        self, random: Playtest, agent: Agent, games: int, seed: int | None = None
    ) -> Dominance | None:
        """Tries the obvious policies; ``None`` where nobody competes."""
        try:
            return try_policies(
                self._table,
                random,
                agent,
                games=games,
                seed=self._seed if seed is None else seed,
                workers=self._workers,
                progress=self._stage(POLICIES),
            )
        except KeyboardInterrupt:
            self._interrupted = True
            return None

    def _climb(self, budget: Budget) -> Ladder | None:
        """Climbs the ladder; ``None`` if it has too few games, fails, or was stopped."""
        steps = sorted({max(2, budget.iterations // divisor) for divisor in (16, 4, 1)})
        agents = [skilled_agent(self._table, iterations) for iterations in steps]
        rungs = [make_agent("random"), make_agent("osla"), *agents]
        games = self._planner.ladder_games(budget)
        self._played[LADDER] = games
        if not games:
            return None
        try:
            ladder = ladders.ladder(
                self._table,
                rungs,
                games=games,
                seed=self._seed,
                workers=self._workers,
                progress=self._stage(LADDER),
            )
        except KeyboardInterrupt:
            self._interrupted = True
            return None
        except KibitzError as problem:  # an agent finishes no game: the other parts show why
            self._left_out = f"The ladder was not climbed: {problem}"
            return None
        self._interrupted = ladder.interrupted
        return ladder

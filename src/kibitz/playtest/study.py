"""The study: what ``kibitz playtest GAME`` does by default, within a limit of time.

Four parts play: *random* agents, many games; a *skilled* agent against itself, its decisions
judged; one skilled agent in a *contest* with random ones; and a *ladder* of agents that think ever
longer. How many games each has depends on how fast the game is; the numbers make up the budget,
and the same budget gives the same games on every machine.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import kibitz
from kibitz.agents.kibitz import KibitzAgent
from kibitz.arena.judge import Judge
from kibitz.arena.speed import Speed, measure_speed
from kibitz.arena.worker import available_cores
from kibitz.core.agent import Agent, make_agent, make_agents
from kibitz.core.errors import KibitzError, ParameterError
from kibitz.core.game import Game, Table
from kibitz.core.native import compile_seconds
from kibitz.core.parameters import read_assignments
from kibitz.loading import find_table
from kibitz.playtest.ahead import compiling_ahead
from kibitz.playtest.dominance import MOST_POLICIES, Dominance, try_policies
from kibitz.playtest.flaws import Flaw
from kibitz.playtest.flaws import flaws as find_flaws
from kibitz.playtest.ladder import Ladder, climb
from kibitz.playtest.measures.choices import Choice
from kibitz.playtest.measures.luck import Source
from kibitz.playtest.playing import Measuring, play_and_measure
from kibitz.playtest.results import FORMAT, Playtest
from kibitz.runs import Experiment, Shard, ThreadRunner, runner_for

RANDOM, SKILLED, CONTEST, LADDER = "random", "skilled", "contest", "ladder"
POLICIES = "policies"
PARTS = {
    RANDOM: "random play: how it ends, how long, how fair",
    SKILLED: "skilled play: luck, choices, who wins",
    CONTEST: "one skilled player among random ones: does skill pay",
    POLICIES: "simple policies, by ban and by force: does one do",
    LADDER: "thinking longer: how far up skill pays",
}
"""The parts of a study, in order, and what each finds out."""

JUDGED = "judged"
SHARES = {RANDOM: 0.1, SKILLED: 0.25, JUDGED: 0.25, CONTEST: 0.15, POLICIES: 0.05, LADDER: 0.2}
"""Of the time, as far as the number of games has not reached ``MOST``."""
UNTIL = {RANDOM: 0.25, SKILLED: 0.75, CONTEST: 0.9}
"""When a part ends that takes longer than planned, as a share of the time; its own it has."""
MOST = {RANDOM: 5000, SKILLED: 600, JUDGED: 600, CONTEST: 400, POLICIES: 200, LADDER: 300}
FEWEST = 4
"""A part with fewer games would say nothing; it is left out."""
ITERATIONS = (400, 200, 100, 50, 20, 10)
"""Of a skilled agent for a decision: as many as leave it ``ENOUGH`` games."""
SAMPLES = (16, 8, 4, 2)
"""Of an option, likewise."""
ROLLOUTS = ("end", "deal")
FAIR_SAMPLES, FAIR_JUDGED = 8, 25
"""With fewer samples or judged games rollouts end with the deal, if that is quicker; fewer games
say nothing of luck."""
ENOUGH = (100, 50, 25, 12, FEWEST)
TRIED = MOST_POLICIES + 2
"""So many policies are tried at most."""
SEARCHING = 50
"""Who searches with fewer iterations for a decision is no measure of a policy."""
RUNGS_COST = 1.5
"""A ladder costs so many times what the skilled agent's games do."""
VAGUE = 0.5
"""A share of luck whose interval is wider says nothing."""
TRIAL, MOST_TRIAL = 0.0125, 0.1
"""Of the time: ever more games are tried until they take so much longer than one, or so long."""
SPENT = 0.85
"""Of the time: the rest is for measuring and for showing it."""

Tell = Callable[[str, int, int], None]
"""Called with what is being found out, and how many of how many games are played."""


@dataclass(frozen=True)
class Budget:
    """The numbers of games of all parts. The same budget gives the same games.

    >>> Budget.of("random=500,skilled=40,iterations=50").skilled
    40

    Attributes:
        random, skilled, contest: games of these parts; 0: it is left out.
        ladder: games of each rung.
        iterations: of the skilled agent for a decision; the ladder ends there.
        judged: how many of the games of skilled play are judged.
        samples: rollouts by which an option is judged.
        policies: games of each simple policy, and of the best one against the skilled agent; of
            long games fewer.
        deal: 1: rollouts end with the deal, in a game of several; 0: with the game.
    """

    random: int = 1000
    skilled: int = 100
    contest: int = 100
    ladder: int = 60
    iterations: int = 100
    judged: int = 100
    samples: int = 8
    policies: int = 0
    deal: int = 0

    @classmethod
    def of(cls, text: str) -> Budget:
        """Reads what ``str`` wrote.

        Raises:
            ParameterError: a name or a number is wrong; the message lists the right ones.
        """
        names = [member.name for member in dataclasses.fields(cls)]
        values = dict(read_assignments(text.split(",")))
        for name, value in values.items():
            if name not in names:
                raise ParameterError(f"{text}: there is no {name!r}; a budget has {names}.")
            least = int(name in ("random", "iterations", "samples"))
            if not str(value).isdigit() or int(value) < least:
                raise ParameterError(f"{text}: {name} should be a whole number.")
        return cls(**{name: int(value) for name, value in values.items()})

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in dataclasses.asdict(self).items())


@dataclass(frozen=True)
class Study:
    """The results of a study.

    Attributes:
        game, title: the game's name, and the one on the box.
        players: at the table.
        seed: of all games.
        random, skilled, contest: the playtests of these parts; ``None``: left out.
        policies: how simple policies fare, likewise.
        ladder: the ladder, likewise.
        budget: what was played: it repeats the study.
        agent: the skilled agent.
        seconds: how long it took, compiling left out.
        compiling: how many seconds went into compiling, which is done once.
        interrupted: whether it was stopped before its end.
        speed: of the rules; ``None`` where they are not compiled, or break off, and where the
            study was interrupted.
        left_out: the ladder, and why, if it was to be climbed and was not; else empty.
        version: of Kibitz.
    """

    game: str
    title: str
    players: int
    seed: int
    random: Playtest
    skilled: Playtest | None
    contest: Playtest | None
    policies: Dominance | None
    ladder: Ladder | None
    budget: Budget
    agent: str
    seconds: float
    interrupted: bool
    left_out: str = ""
    speed: Speed | None = None
    compiling: float = 0.0
    version: str = field(default_factory=lambda: kibitz.__version__)

    def _repr_html_(self) -> str | None:
        """The page of the study, for notebooks; ``None`` where nothing can draw it."""
        from kibitz.playtest.page import framed
        from kibitz.playtest.study_page import render_study_page

        return framed(lambda: render_study_page(self))

    @functools.cached_property
    def flaws(self) -> tuple[Flaw, ...]:
        """The flaws of the game, the gravest first."""
        searches = self.budget.iterations >= SEARCHING
        return find_flaws(self.random, self.skilled, self.policies if searches else None)

    @functools.cached_property
    def telling_choices(self) -> list[Choice]:
        """Groups of options that surely gain or lose in random play, by the size of the effect."""
        sure = [
            (max(choice.gain_interval[0], -choice.gain_interval[1]), choice)
            for choice in self.random["choices"]
            if choice.gain_interval is not None
        ]
        telling = [(least, choice) for least, choice in sure if least > 0]
        return [choice for _, choice in sorted(telling, key=lambda pair: -pair[0])]

    @property
    def ledger(self) -> tuple[Source, ...]:
        """The ledger of luck and skill, if it says anything; else it is empty.

        Where rollouts end with the deal they rest on an estimate, by which luck has a bias.
        """
        if self.skilled is None or not self.skilled["ledger"] or self.budget.deal:
            return ()
        interval = self.skilled["luck_share_interval"]
        if (
            self.skilled["judged_games"] < FAIR_JUDGED
            or interval is None
            or interval[1] - interval[0] > VAGUE
        ):
            return ()
        return tuple(self.skilled["ledger"])

    @property
    def best(self) -> Playtest:
        """The playtest of the best players that there is: skilled ones, else random ones."""
        if self.skilled is not None and self.skilled.finished >= FEWEST:
            return self.skilled
        return self.random

    @property
    def coin_share(self) -> tuple[float, tuple[float, float]] | None:
        """How much is luck: the share of games that a coin decides, if skill decides the rest.

        That is, if one skilled player won all other games against random ones; 0 is all skill, 1
        all luck. The win rate w of one among n players is 1 - x + x / n. The idea is the
        "50 %-chess" of Duersch, Lambrecht and Oechssler, "Measuring skill and chance in games"
        (2020).
        """
        if self.contest is None or self.players < 2 or self.contest.is_cooperative:
            return None
        mine = self.contest.agents[0]
        if mine.win_rate is None or mine.win_interval is None or len(self.contest.agents) < 2:
            return None
        scale = self.players / (self.players - 1)
        found = [min(1.0, (1 - rate) * scale) for rate in (mine.win_rate, *mine.win_interval)]
        return found[0], (found[2], found[1])

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON types: the playtest of random games, and the other parts."""
        coin = self.coin_share
        parts = {
            name: None if part is None else part.to_json()
            for name, part in (
                (RANDOM, self.random),
                (SKILLED, self.skilled),
                (CONTEST, self.contest),
                (POLICIES, self.policies),
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
            "parts": parts,
            "seconds": self.seconds,
            "compiling_seconds": self.compiling,
        }


def study_game(
    game: Game | Table | str | os.PathLike[str],
    *,
    players: int | None = None,
    seconds: float = 20.0,
    budget: Budget | str | None = None,
    seed: int = 0,
    parameters: dict[str, Any] | None = None,
    judge: str | None = None,
    workers: int | None = None,
    tell: Tell | None = None,
) -> Study:
    """Studies a game: plays it by random, skilled and mixed agents, and measures all of it.

    An interrupt ends it with what is known by then.

    Args:
        game: a game or what ``kibitz.load`` takes; or a table.
        players: how many sit at the table; by default as many as usual.
        seconds: how long it should take.
        budget: how many games to play instead, as a study prints it; then it takes its time.
        seed: of the games.
        parameters: the game's parameters by name; the rest keep their defaults.
        judge: who judges the skilled agent's decisions; by default rollouts.
        workers: threads; by default one for each core.
        tell: called now and then.

    Raises:
        KibitzError: a name or a value is wrong; the message lists the right ones.
        KeyboardInterrupt: it was stopped before it knew anything.
    """
    table = find_table(game, players, parameters)
    given = Budget.of(budget) if isinstance(budget, str) else budget
    with compiling_ahead():
        return _Studying(table, seed, seconds, given, judge, workers, tell).study()


class _Studying:
    """A study while it is going on."""

    def __init__(
        self,
        table: Table,
        seed: int,
        seconds: float,
        budget: Budget | None,
        judge: str | None,
        workers: int | None,
        tell: Tell | None,
    ) -> None:
        self._table = table
        self._seed = seed
        self._seconds = seconds * SPENT
        self._given = budget
        self._judge = judge
        self._workers = workers
        self._tell = tell
        self._cores = min(workers or available_cores(), available_cores())
        self._began = 0.0
        self._compiled = compile_seconds()  # before the study began
        self._interrupted = False
        self._left_out = ""
        self._played: dict[str, int] = {}
        self._search_cost = self._judge_cost = math.inf  # of an iteration, of a sample
        self._delay = 1.0  # how much longer skilled games took than planned

    def study(self) -> Study:
        """Plays all parts."""
        began = self._began = _seconds()
        table = self._table
        if self._given is None:
            budget = Budget(random=self._fitting(RANDOM, self._random_seconds()))
        else:
            budget = self._given
        random = self._play(RANDOM, [make_agent("random")], max(1, budget.random), ["decisions"])
        if self._given is None and not self._interrupted:
            budget = self._planned(budget, random)
        agent = skilled_agent(table, budget.iterations)
        skilled = contest = policies = ladder = None
        if random.finished and not self._interrupted and budget.skilled:
            skilled = self._play(
                SKILLED, [agent], budget.skilled, ["decisions", "judgements"], budget
            )
            if self._given is None and skilled.games:
                planned = skilled.games * self._search_seconds(budget.iterations)
                planned += skilled["judged_games"] * self._judge_seconds(budget.samples)
                self._delay = max(1.0, skilled.seconds / planned)
                fewer = _round(budget.contest / self._delay)
                budget = dataclasses.replace(budget, contest=fewer if fewer >= FEWEST else 0)
        if table.players == 1 or random.is_cooperative:  # then nobody competes
            budget = dataclasses.replace(budget, contest=0)
        if random.finished and not self._interrupted and budget.contest:
            others = [agent, *make_agents(["random"], table.players - 1)]
            contest = self._play(CONTEST, others, budget.contest, [])
        if random.finished and not self._interrupted and budget.policies:
            policies = self._try_policies(random, agent, budget.policies)
        if random.finished and not self._interrupted and budget.ladder:
            budget, ladder = self._climb(budget, began)
        if skilled is not None and not skilled.games:
            skilled = None
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
            ladder=ladder,
            budget=budget,
            agent=agent.label,
            seconds=_seconds() - began,
            interrupted=self._interrupted,
            speed=None if self._interrupted else measure_speed(table),
            left_out=self._left_out,
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
    ) -> Playtest:
        """Plays a part and measures it."""
        seated = make_agents(agents, self._table.players)
        judge = None
        if budget is not None:
            rollout = f",rollout={ROLLOUTS[budget.deal]}"
            judge = Judge.of(self._judge or f"rollouts:samples={budget.samples}{rollout}")
        experiment = Experiment.of(
            self._table,
            seated,
            games,
            self._seed,
            record=record,
            judge=judge,
            judged=0 if budget is None else min(budget.judged, games),
        )
        runner = runner_for(experiment, self._table, seated, workers=self._workers)
        measuring = Measuring(self._table, seated, experiment)
        began = _seconds()
        runner.play(
            measuring.add,
            self._in_time(part, experiment),
            progress=lambda done: self._say(part, done, games),
        )
        found = measuring.finish(_seconds() - began)
        self._interrupted = bool(runner.stop[0])
        self._played[part] = found.games
        return dataclasses.replace(found, wanted=found.games)

    def _in_time(self, part: str, experiment: Experiment) -> Iterator[Shard]:
        """The shards of a part, until its time is up. They are the first ones, and so are their
        games: a budget of so many gives the same ones.
        """
        began = _seconds()
        for number, shard in enumerate(experiment.shards()):
            is_late = _seconds() - self._began > UNTIL[part] * self._seconds
            had_its_share = _seconds() - began > SHARES[part] * self._seconds
            if self._given is None and number >= FEWEST and is_late and had_its_share:
                return
            yield shard

    def _say(self, part: str, done: int, games: int) -> None:
        if self._tell is not None:
            self._tell(PARTS[part], done, games)

    def _try_policies(self, random: Playtest, agent: Agent, games: int) -> Dominance | None:
        """Tries the obvious policies; ``None`` where nobody competes."""
        try:
            return try_policies(
                self._table,
                random,
                agent,
                games=games,
                seed=self._seed,
                workers=self._workers,
                progress=lambda done, all_of_them: self._say(POLICIES, done, all_of_them),
            )
        except KeyboardInterrupt:
            self._interrupted = True
            return None

    def _climb(self, budget: Budget, began: float) -> tuple[Budget, Ladder | None]:
        """Climbs the ladder, in the time that is left."""
        steps = sorted({max(2, budget.iterations // part) for part in (16, 4, 1)})
        agents = [skilled_agent(self._table, iterations) for iterations in steps]
        rungs = [make_agent("random"), make_agent("osla"), *agents]
        games = budget.ladder
        if self._given is None:
            left = self._seconds - (_seconds() - began)
            a_game = self._search_seconds(budget.iterations) * self._delay
            games = _round(min(MOST[LADDER], left / (a_game * RUNGS_COST)))
        if games < FEWEST:
            self._played[LADDER] = 0
            self._left_out = (
                f"There was no time left for the ladder: {max(0.0, left):.1f} seconds, and a rung "
                f"needs {a_game * RUNGS_COST * FEWEST:.1f}. Give it more: --time 60."
                if self._given is None
                else f"A ladder needs {FEWEST} games for each rung."
            )
            return budget, None
        self._played[LADDER] = games
        try:
            ladder = climb(
                self._table,
                rungs=rungs,
                games=games,
                seed=self._seed,
                workers=self._workers,
                tell=lambda _, done: self._say(LADDER, done, games * (len(rungs) - 1)),
            )
        except KeyboardInterrupt:
            self._interrupted = True
            return budget, None
        except KibitzError as problem:  # an agent finishes no game: the other parts tell why
            self._left_out = f"The ladder was not climbed: {problem}"
            return budget, None
        self._interrupted = ladder.interrupted
        return budget, ladder

    # -- how much -----------------------------------------------------------------------------

    def _random_seconds(self) -> float:
        """How long a random game takes on all cores, with its measures."""
        agents = make_agents(["random"], self._table.players)

        def experiment_of(games: int) -> Experiment:
            return Experiment.of(self._table, agents, games, self._seed, record=["decisions"])

        def passed(games: int) -> float:
            experiment = experiment_of(games)
            began = _seconds()
            play_and_measure(experiment, self._table, agents, workers=self._workers)
            return _seconds() - began

        runner_for(experiment_of(1), self._table, agents)  # compiles, which is no game's time
        few = passed(1)
        if few < self._seconds:
            few = passed(1)  # the first one loaded code, too
        games, many, spent = 1, few, few
        if 4 * self._thread_seconds(agents, []) > MOST_TRIAL * self._seconds:
            return few
        while games == 1 or (games < 4096 and spent < MOST_TRIAL * self._seconds):
            games *= 4
            many = passed(games)
            spent += many
            if many - few >= TRIAL * self._seconds:
                many = min(many, passed(games))  # something else may have held up the first
                if many - few >= TRIAL * self._seconds:
                    break
        # what every run takes is no game's
        return max((many - few) / (games - 1), many / (20 * games))

    def _fitting(self, part: str, a_game: float) -> int:
        """How many games a part has, if one takes so many seconds."""
        return _round(min(MOST[part], SHARES[part] * self._seconds / max(a_game, 1e-9)))

    def _planned(self, budget: Budget, random: Playtest) -> Budget:
        """The rest of the budget, by the speed of a game that is searched and judged."""
        self._measure_costs()
        iterations, skilled = self._affordable(SKILLED, ITERATIONS, self._search_seconds)
        samples, judged = self._affordable(JUDGED, SAMPLES, self._judge_seconds)
        deal = 0
        if (samples < FAIR_SAMPLES or judged < FAIR_JUDGED) and self._saves_time_by_deals():
            deal = 1
            samples, judged = self._affordable(JUDGED, SAMPLES, self._judge_seconds)
        one_seat = self._search_seconds(iterations) / self._table.players
        contest = self._fitting(CONTEST, one_seat + random.seconds / max(1, random.games))
        a_try = TRIED * random.seconds / max(1, random.games) + one_seat
        policies = self._fitting(POLICIES, a_try)
        ladder = self._fitting(LADDER, self._search_seconds(iterations) * RUNGS_COST)
        if random.finished and not ladder:
            self._left_out = "A game is too long for a ladder in this time: --time 120."
        return dataclasses.replace(
            budget,
            skilled=skilled if skilled >= FEWEST else 0,
            contest=contest if contest >= FEWEST else 0,
            policies=policies if policies >= FEWEST else 0,
            ladder=ladder,
            iterations=iterations,
            judged=min(judged, skilled),
            samples=samples,
            deal=deal,
        )

    def _saves_time_by_deals(self) -> bool:
        """Whether rollouts to the end of the deal are far quicker; if so they are what counts."""
        before = self._judge_cost
        self._judge_cost = self._sample_seconds(ROLLOUTS[1])
        if self._judge_cost < before / 2:
            return True
        self._judge_cost = before
        return False

    def _affordable(
        self, part: str, efforts: Sequence[int], seconds: Callable[[int], float]
    ) -> tuple[int, int]:
        """The greatest effort that leaves a part ``ENOUGH`` games, and how many that are."""
        for enough in ENOUGH:
            for effort in efforts:
                games = self._fitting(part, seconds(effort))
                if games >= enough:
                    return effort, games
        return efforts[-1], self._fitting(part, seconds(efforts[-1]))

    def _search_seconds(self, iterations: int) -> float:
        """How long a game takes on all cores, with so many iterations for a decision."""
        return iterations * self._search_cost / self._cores

    def _judge_seconds(self, samples: int) -> float:
        """How long it takes to judge a game on all cores, with so many samples of an option."""
        return samples * self._judge_cost / self._cores

    def _measure_costs(self) -> None:
        """Measures what an iteration and a sample cost, in seconds a game on one core."""
        table = self._table
        agents = make_agents([skilled_agent(table, ITERATIONS[-1])], table.players)
        self._search_cost = self._thread_seconds(agents, []) / ITERATIONS[-1]
        self._judge_cost = self._sample_seconds(ROLLOUTS[0])

    def _sample_seconds(self, rollout: str) -> float:
        """How long it takes on one core to judge a game with one sample of each option."""
        random = make_agents(["random"], self._table.players)
        plain = self._thread_seconds(random, [])
        judge = Judge.of(f"rollouts:samples=2,rollout={rollout}")
        return max(self._thread_seconds(random, ["judgements"], judge) - plain, 1e-7) / 2

    def _thread_seconds(
        self, agents: list[Agent], record: list[str], judge: Judge | None = None
    ) -> float:
        """How long a game takes on one thread; of a few games, as long as these are quick."""
        games, spent = 0, 0.0
        stop = np.zeros(1, np.int64)
        while spent < 0.05 and games < 64:
            games = 2 * games if games else 1
            experiment = Experiment.of(
                self._table, agents, games, self._seed, record=record, judge=judge
            )
            runner = ThreadRunner(experiment, self._table, agents, workers=1, stop=stop)
            began = _seconds()
            runner.play(lambda rows: None)
            if games > 1 or self._is_long(_seconds() - began):
                spent = _seconds() - began
        return spent / games

    def _is_long(self, seconds: float) -> bool:
        """Whether so much time is too much for a second try; the first one loads code, too."""
        return seconds > 0.03 * self._seconds


def _seconds() -> float:
    """A clock that stands still while something is compiled, which is no game's time."""
    return time.perf_counter() - compile_seconds()


def skilled_agent(table: Table, iterations: int) -> Agent:
    """The default agent at this table, with so many iterations for a decision."""
    return KibitzAgent(iterations=iterations).player_at(table)


def _round(games: float) -> int:
    """So many games, or a few less: a number with two digits that are not 0."""
    whole = int(games)
    unit = 10 ** max(0, len(str(whole)) - 2)
    return whole // unit * unit

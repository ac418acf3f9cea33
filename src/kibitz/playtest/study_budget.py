"""How many games each part of a study has: a budget that is given, or one planned for a time.

How many games fit depends on how fast the game is; so the planner plays a few of each kind, and
divides the time among the parts.
"""

from __future__ import annotations

import abc
import dataclasses
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from kibitz.agents.kibitz import KibitzAgent
from kibitz.arena.judge import Judge
from kibitz.arena.worker import available_cores
from kibitz.core.agent import Agent, make_agents
from kibitz.core.errors import ParameterError
from kibitz.core.game import Table
from kibitz.core.native import compile_seconds
from kibitz.core.parameters import read_assignments
from kibitz.playtest.dominance import MOST_POLICIES
from kibitz.playtest.playing import play_and_measure
from kibitz.playtest.results import Playtest
from kibitz.runs import Experiment, ThreadRunner, runner_for

RANDOM, SKILLED, CONTEST, LADDER = "random", "skilled", "contest", "ladder"
POLICIES = "policies"
JUDGED = "judged"
SHARES = {RANDOM: 0.1, SKILLED: 0.25, JUDGED: 0.25, CONTEST: 0.15, POLICIES: 0.05, LADDER: 0.2}
"""Of the time, as far as the number of games has not reached ``MOST``."""
UNTIL = {RANDOM: 0.25, SKILLED: 0.75, CONTEST: 0.9}
"""The share of all time after which a slow part ends, once it has used its own of ``SHARES``."""
MOST = {RANDOM: 5000, SKILLED: 600, JUDGED: 600, CONTEST: 400, POLICIES: 200, LADDER: 300}
"""No part has more games than these, however much time there is."""
FEWEST = 4
"""A part with fewer games would say nothing; it is left out."""
ITERATIONS = (400, 200, 100, 50, 20, 10)
"""Of a skilled agent for a decision: as many as leave it ``ENOUGH`` games."""
SAMPLES = (16, 8, 4, 2)
"""Of an option, likewise."""
ROLLOUTS = ("end", "deal")
"""Where the judge's rollouts end, by ``Budget.deal``."""
FAIR_SAMPLES, FAIR_JUDGED = 8, 25
"""With fewer samples or judged games rollouts end with the deal, if that is quicker; fewer games
say nothing of luck."""
ENOUGH = (100, 50, 25, 12, FEWEST)
"""Numbers of games of a part; the first one that some effort reaches is taken."""
TRIED = MOST_POLICIES + 2
"""So many policies are tried at most."""
RUNGS_COST = 1.5
"""A ladder costs so many times what the skilled agent's games do."""
TRIAL, MOST_TRIAL = 0.0125, 0.1
"""Shares of the time. Ever more games are tried until they take longer than one game by the first,
or the second in all."""
SPENT = 0.85
"""Of the time: the rest is for measuring and for showing it."""


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
        """Reads a budget in the form in which ``str`` writes it.

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


class Planner(abc.ABC):
    """Says how many games each part of a study has, and whether a part may go on.

    Attributes:
        left_out: why there is no ladder, if one was to be climbed and there are too few games
            for it; else empty.
    """

    left_out = ""

    @abc.abstractmethod
    def begin(self) -> Budget:
        """The budget before the first part, of which the games of random agents count."""

    def after_random(self, budget: Budget, random: Playtest) -> Budget:
        """The budget once random agents have played."""
        return budget

    def after_skilled(self, budget: Budget, skilled: Playtest) -> Budget:
        """The budget once the skilled agent has played against itself."""
        return budget

    def may_go_on(self, part: str, shards: int, seconds: float) -> bool:
        """Whether a part may begin one more shard, after so many shards and seconds."""
        return True

    @abc.abstractmethod
    def ladder_games(self, budget: Budget) -> int:
        """How many games each rung of the ladder has; 0: too few, ``left_out`` says why."""


class GivenPlanner(Planner):
    """Keeps to a budget, however long it takes."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    def begin(self) -> Budget:
        """The budget that was given."""
        return self._budget

    def ladder_games(self, budget: Budget) -> int:
        """The number that was given."""
        if budget.ladder >= FEWEST:
            return budget.ladder
        self.left_out = f"A ladder needs {FEWEST} games for each rung."
        return 0


class TimedPlanner(Planner):
    """Plans for a time, by how fast the game is; the time runs from here on."""

    def __init__(self, table: Table, seed: int, seconds: float, workers: int | None) -> None:
        """
        Args:
            table: where games are played.
            seed: of the games that are tried.
            seconds: how long the whole study should take.
            workers: threads; by default one for each core.
        """
        self._table = table
        self._seed = seed
        self._seconds = seconds * SPENT
        self._workers = workers
        self._cores = min(workers or available_cores(), available_cores())
        self._began = playing_clock()
        self._search_cost = self._judge_cost = math.inf  # of an iteration, of a sample
        self._delay = 1.0  # how much longer skilled games took than planned

    def begin(self) -> Budget:
        """As many games of random agents as fit; the other parts are planned by these."""
        return Budget(random=self._fitting(RANDOM, self._random_seconds()))

    def after_random(self, budget: Budget, random: Playtest) -> Budget:
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
            self.left_out = "A game is too long for a ladder in this time: --time 120."
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

    def after_skilled(self, budget: Budget, skilled: Playtest) -> Budget:
        """Fewer games of the contest, if those of the skilled agent took longer than planned."""
        if not skilled.games:
            return budget
        planned = skilled.games * self._search_seconds(budget.iterations)
        planned += skilled["judged_games"] * self._judge_seconds(budget.samples)
        self._delay = max(1.0, skilled.seconds / planned)
        fewer = _round(budget.contest / self._delay)
        return dataclasses.replace(budget, contest=fewer if fewer >= FEWEST else 0)

    def may_go_on(self, part: str, shards: int, seconds: float) -> bool:
        """Whether a part goes on: until it has had its share and the next ones need theirs."""
        is_late = playing_clock() - self._began > UNTIL[part] * self._seconds
        had_its_share = seconds > SHARES[part] * self._seconds
        return not (shards >= FEWEST and is_late and had_its_share)

    def ladder_games(self, budget: Budget) -> int:
        """As many as fit in the time that is left."""
        left = self._seconds - (playing_clock() - self._began)
        a_rung = self._search_seconds(budget.iterations) * self._delay * RUNGS_COST
        games = _round(min(MOST[LADDER], left / a_rung))
        if games >= FEWEST:
            return games
        self.left_out = (
            f"There was no time left for the ladder: {max(0.0, left):.1f} seconds, and a rung "
            f"needs {a_rung * FEWEST:.1f}. Give it more: --time 60."
        )
        return 0

    def _random_seconds(self) -> float:
        """How long a random game takes on all cores, with its measures."""
        agents = make_agents(["random"], self._table.players)

        def experiment_of(games: int) -> Experiment:
            return Experiment.of(self._table, agents, games, self._seed, record=["decisions"])

        def passed(games: int) -> float:
            experiment = experiment_of(games)
            began = playing_clock()
            play_and_measure(experiment, self._table, agents, workers=self._workers)
            return playing_clock() - began

        runner_for(
            experiment_of(1), self._table, agents
        )  # compiles: not part of the time of a game
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
        # the difference leaves out the fixed cost of a run
        return max((many - few) / (games - 1), many / (20 * games))

    def _fitting(self, part: str, a_game: float) -> int:
        """How many games a part has, if one takes so many seconds."""
        return _round(min(MOST[part], SHARES[part] * self._seconds / max(a_game, 1e-9)))

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
            began = playing_clock()
            runner.play(lambda rows: None)
            if games > 1 or self._is_long(playing_clock() - began):
                spent = playing_clock() - began
        return spent / games

    def _is_long(self, seconds: float) -> bool:
        """Whether it took too long to measure again; the first time includes loading code."""
        return seconds > 0.03 * self._seconds


def playing_clock() -> float:
    """Seconds by a clock that stands still while something is compiled."""
    return time.perf_counter() - compile_seconds()


def skilled_agent(table: Table, iterations: int) -> Agent:
    """The default agent at this table, with so many iterations for a decision."""
    return KibitzAgent(iterations=iterations).player_at(table)


def _round(games: float) -> int:
    """So many games, or a few less: a number with two digits that are not 0."""
    whole = int(games)
    unit = 10 ** max(0, len(str(whole)) - 2)
    return whole // unit * unit

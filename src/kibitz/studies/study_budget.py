"""The numbers of games of the parts of a study: given as a budget, or planned for a time.

How many games fit into a time depends on the speed of the game. So the planner plays a few games
of each kind, and divides the time among the parts. It measures processor time: where other
programs keep the machine busy a study takes longer, and finds out the same.
"""

from __future__ import annotations

import abc
import dataclasses
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from kibitz.arena.judge import Judge
from kibitz.arena.worker import available_cores
from kibitz.core.agent import Agent, make_agents
from kibitz.core.errors import ParameterError
from kibitz.core.game import Table
from kibitz.core.native import compile_seconds, compile_work
from kibitz.core.parameters import read_assignments
from kibitz.players.kibitz import KibitzAgent
from kibitz.runs import Experiment, ThreadRunner, runner_for
from kibitz.studies.dominance import MOST_POLICIES
from kibitz.studies.playing import play_and_measure
from kibitz.studies.replay import FEWEST_DEALS, REPLAYS
from kibitz.studies.results import Playtest

RANDOM, SKILLED, CONTEST, LADDER = "random", "skilled", "contest", "ladder"
POLICIES = "policies"
REPLAY = "replays"
CONFIRM = "confirmed"
JUDGED = "judged"
SHARES = {
    RANDOM: 0.08,
    SKILLED: 0.2,
    JUDGED: 0.17,
    CONTEST: 0.1,
    POLICIES: 0.05,
    REPLAY: 0.17,
    CONFIRM: 0.15,
    LADDER: 0.08,
}
"""Shares of the planned time by part."""

UNTIL = {RANDOM: 0.25, SKILLED: 0.6, CONTEST: 0.75}
"""Share of the whole time after which a part ends, once it has used its own share."""

MOST = {
    RANDOM: 5000,
    SKILLED: 600,
    JUDGED: 600,
    CONTEST: 400,
    POLICIES: 200,
    REPLAY: 150,
    CONFIRM: 400,
    LADDER: 300,
}
"""Maximum number of games of each part, or of deals, however much time there is."""

FEWEST = 4
"""Minimum number of games of a part; a part with fewer is left out."""

FEWEST_CONFIRMED = 12
"""Minimum number of skilled games that confirm what was suspected."""

OVERTIME = 2.0
"""By how much a part may exceed its share in order to have its fewest games or deals."""

ITERATIONS = (400, 200, 100, 50, 20, 10)
"""Iterations of the skilled agent per decision, from which the planner chooses."""

SAMPLES = (16, 8, 4, 2)
"""Numbers of the judge's rollouts for an option, from which the planner chooses."""

ROLLOUTS = ("end", "deal")
"""Where the judge's rollouts end, by ``Budget.deal``."""

FAIR_SAMPLES, FAIR_JUDGED = 8, 25
"""Minimum samples of an option, and minimum judged games, for rollouts to the end of the game.

With fewer, rollouts end with the deal if that is much quicker. A study with fewer judged games
does not report what choices gain."""

ENOUGH = (100, 50, 25, 12, FEWEST)
"""Desired numbers of games of a part: the first is taken that some effort leaves time for."""

TRIED = MOST_POLICIES + 2
"""Maximum number of policies that are tried."""

RUNGS_COST = 1.5
"""Cost of a game on each rung of a ladder, relative to a game of the skilled agent."""

TRIAL, MOST_TRIAL = 0.0125, 0.1
"""Shares of the time that end the trial games of random agents.

Ever more games are tried until they take longer than a single game by the first share, or all
trials take the second."""

SLOWEST = 0.05
"""The least speed of the planner's clock, relative to time: a study of 20 s ends within 400 s."""

SPENT = 0.85
"""Share of the time that is planned for games; the rest is for measuring and reporting."""


@dataclass(frozen=True)
class Budget:
    """The numbers of games of all parts of a study; the same budget gives the same games.

    >>> Budget.of("random=500,skilled=40,iterations=50").skilled
    40

    Attributes:
        random, skilled, contest: games of these parts; 0 leaves out the latter two.
        ladder: games of each rung.
        iterations: iterations of the skilled agent per decision, and of the top of the ladder.
        judged: number of games of skilled play that are judged.
        replays: number of deals that are played four times each.
        confirmed: games of skilled play that confirm what was suspected, if anything was.
        samples: rollouts of the judge for each option.
        policies: games of each simple policy, and of the best one against the skilled agent;
            fewer are played if games are long.
        deal: 1 if rollouts end with the deal, in a game of several deals; 0 if with the game.
    """

    random: int = 1000
    skilled: int = 100
    contest: int = 100
    ladder: int = 60
    iterations: int = 100
    judged: int = 100
    samples: int = 8
    policies: int = 0
    replays: int = 0
    confirmed: int = 100
    deal: int = 0

    @classmethod
    def read(cls, budget: Budget | str) -> Budget:
        """The budget that an argument stands for: a budget, or its text.

        Raises:
            ParameterError: it is neither, or the text is wrong.
        """
        if isinstance(budget, str):
            return cls.of(budget)
        if not isinstance(budget, Budget):
            raise ParameterError(
                f"budget = {budget!r} should be a text such as 'random=1000,skilled=100', with "
                "the number of games of each part."
            )
        return budget

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
    """Plans the number of games of each part of a study, and ends parts that are too slow.

    Attributes:
        left_out: why there are too few games for a planned ladder; else empty.
    """

    left_out = ""

    @abc.abstractmethod
    def begin(self) -> Budget:
        """The budget before the first part; only its games of random agents are used."""

    def after_random(self, budget: Budget, random: Playtest) -> Budget:
        """The budget once random agents have played."""
        return budget

    def after_skilled(self, budget: Budget, skilled: Playtest, seconds: float) -> Budget:
        """The budget once the skilled agent has played against itself for some seconds."""
        return budget

    def clock(self) -> float:
        """The seconds by which the planner measures."""
        return playing_clock()

    def may_go_on(self, part: str, shards: int, seconds: float) -> bool:
        """Whether a part may begin one more shard, after a number of shards and of seconds."""
        return True

    @abc.abstractmethod
    def ladder_games(self, budget: Budget) -> int:
        """The number of games of each rung of the ladder; 0 if too few, with a ``left_out``."""


class GivenPlanner(Planner):
    """Keeps to a given budget, however long it takes."""

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
    """Plans for a time, which starts with the planner, by the speed of the game."""

    def __init__(self, table: Table, seed: int, seconds: float, workers: int | None) -> None:
        """
        Args:
            seed: seed of the trial games.
            seconds: planned duration of the whole study.
            workers: number of threads; by default one per core.
        """
        self._table = table
        self._seed = seed
        self._seconds = seconds * SPENT
        self._workers = workers
        self._cores = min(workers or available_cores(), available_cores())
        self._wall, self._work = playing_clock(), playing_work()
        self._random_cost = math.inf  # seconds a game
        self._search_cost = self._judge_cost = math.inf  # the same, per iteration and per sample
        self._delay = 1.0  # duration of skilled games, relative to the planned one

    def clock(self) -> float:
        """Seconds since the start that all cores were at work for this process.

        On a machine that is hopelessly busy they pass at least as fast as ``SLOWEST`` of the time
        does. Rules that are not compiled are played by other processes, so time itself counts.
        """
        passed = playing_clock() - self._wall
        if not self._table.rules.compiled:
            return passed
        return max((playing_work() - self._work) / self._cores, SLOWEST * passed)

    def begin(self) -> Budget:
        """As many games of random agents as fit into their share of the time."""
        self._random_cost = self._random_seconds()
        return Budget(random=self._fitting(RANDOM, self._random_cost))

    def after_random(self, budget: Budget, random: Playtest) -> Budget:
        """The budget of the other parts, by the speed of searching and judging a game."""
        self._measure_costs()
        iterations, skilled = self._affordable(SKILLED, ITERATIONS, self._search_seconds)
        samples, judged = self._affordable(JUDGED, SAMPLES, self._judge_seconds)
        deal = 0
        if (samples < FAIR_SAMPLES or judged < FAIR_JUDGED) and self._saves_time_by_deals():
            deal = 1
            samples, judged = self._affordable(JUDGED, SAMPLES, self._judge_seconds)
        one_seat = self._search_seconds(iterations) / self._table.players
        contest = self._fitting(CONTEST, one_seat + self._random_cost)
        a_try = TRIED * self._random_cost + one_seat
        policies = self._fitting(POLICIES, a_try)
        a_game = self._search_seconds(iterations)
        replays = self._at_least(REPLAY, REPLAYS * a_game, FEWEST_DEALS)
        confirmed = self._at_least(
            CONFIRM, a_game + self._judge_seconds(samples), FEWEST_CONFIRMED
        )
        ladder = self._fitting(LADDER, a_game * RUNGS_COST)
        if random.finished and not ladder:
            self.left_out = "A game is too long for a ladder in this time: --time 120."
        return dataclasses.replace(
            budget,
            skilled=skilled if skilled >= FEWEST else 0,
            contest=contest if contest >= FEWEST else 0,
            policies=policies if policies >= FEWEST else 0,
            replays=replays,
            confirmed=confirmed,
            ladder=ladder,
            iterations=iterations,
            judged=min(judged, skilled),
            samples=samples,
            deal=deal,
        )

    def after_skilled(self, budget: Budget, skilled: Playtest, seconds: float) -> Budget:
        """The budget with fewer contest games, if skilled games took longer than planned."""
        if not skilled.games:
            return budget
        planned = skilled.games * self._search_seconds(budget.iterations)
        planned += skilled["judged_games"] * self._judge_seconds(budget.samples)
        self._delay = max(1.0, seconds / planned)
        fewer = _round(budget.contest / self._delay)
        return dataclasses.replace(budget, contest=fewer if fewer >= FEWEST else 0)

    def may_go_on(self, part: str, shards: int, seconds: float) -> bool:
        """Whether a part goes on: until it has had its share and the next ones need theirs."""
        is_late = self.clock() > UNTIL.get(part, 1.0) * self._seconds
        had_its_share = seconds > SHARES[part] * self._seconds
        return part == CONFIRM or not (shards >= FEWEST and is_late and had_its_share)

    def ladder_games(self, budget: Budget) -> int:
        """As many as fit in the time that is left."""
        unused = self._seconds - self.clock()
        a_rung = self._search_seconds(budget.iterations) * self._delay * RUNGS_COST
        games = _round(min(MOST[LADDER], unused / a_rung))
        if games >= FEWEST:
            return games
        self.left_out = (
            f"There was no time left for the ladder: {max(0.0, unused):.1f} seconds, and a rung "
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
            began = self.clock()
            play_and_measure(experiment, self._table, agents, workers=self._workers)
            return self.clock() - began

        runner_for(
            experiment_of(1), self._table, agents
        )  # compiles: not part of the time of a game
        single = passed(1)
        if single < self._seconds:
            single = passed(1)  # the first one loaded code, too
        games, total, spent = 1, single, single
        if 4 * self._thread_seconds(agents, []) > MOST_TRIAL * self._seconds:
            return single
        while games == 1 or (games < 4096 and spent < MOST_TRIAL * self._seconds):
            games *= 4
            total = passed(games)
            spent += total
            if total - single >= TRIAL * self._seconds:
                total = min(total, passed(games))  # something else may have held up the first
                if total - single >= TRIAL * self._seconds:
                    break
        # the difference leaves out the fixed cost of a run
        return max((total - single) / (games - 1), total / (20 * games))

    def _fitting(self, part: str, a_game: float) -> int:
        """The number of games that fit into a part's share, if a game takes `a_game` seconds."""
        return _round(min(MOST[part], SHARES[part] * self._seconds / max(a_game, 1e-9)))

    def _at_least(self, part: str, a_game: float, fewest: int) -> int:
        """As many games as fit, or the fewest that say anything; 0 if these take far too long."""
        games = self._fitting(part, a_game)
        if games >= fewest:
            return games
        return fewest if fewest * a_game <= OVERTIME * SHARES[part] * self._seconds else 0

    def _saves_time_by_deals(self) -> bool:
        """Whether rollouts to the end of the deal are far quicker; then they set the cost."""
        before = self._judge_cost
        self._judge_cost = self._sample_seconds(ROLLOUTS[1])
        if self._judge_cost < before / 2:
            return True
        self._judge_cost = before
        return False

    def _affordable(
        self, part: str, efforts: Sequence[int], seconds: Callable[[int], float]
    ) -> tuple[int, int]:
        """The greatest effort that leaves a part ``ENOUGH`` games, and their number."""
        for enough in ENOUGH:
            for effort in efforts:
                games = self._fitting(part, seconds(effort))
                if games >= enough:
                    return effort, games
        return efforts[-1], self._fitting(part, seconds(efforts[-1]))

    def _search_seconds(self, iterations: int) -> float:
        """Seconds that a game of the skilled agent takes on all cores."""
        return iterations * self._search_cost / self._cores

    def _judge_seconds(self, samples: int) -> float:
        """Seconds that judging a game takes on all cores."""
        return samples * self._judge_cost / self._cores

    def _measure_costs(self) -> None:
        """Measures the costs of an iteration and a sample, in seconds per game on one core."""
        table = self._table
        agents = make_agents([skilled_agent(table, ITERATIONS[-1])], table.players)
        self._search_cost = self._thread_seconds(agents, []) / ITERATIONS[-1]
        self._judge_cost = self._sample_seconds(ROLLOUTS[0])

    def _sample_seconds(self, rollout: str) -> float:
        """Seconds that judging a game takes on one core with one sample of each option."""
        random = make_agents(["random"], self._table.players)
        plain = self._thread_seconds(random, [])
        judge = Judge.of(f"rollouts:samples=2,rollout={rollout}")
        return max(self._thread_seconds(random, ["judgements"], judge) - plain, 1e-7) / 2

    def _thread_seconds(
        self, agents: list[Agent], record: list[str], judge: Judge | None = None
    ) -> float:
        """Seconds that a game takes on one thread, averaged over several quick games."""
        games, spent = 0, 0.0
        stop = np.zeros(1, np.int64)
        while spent < 0.05 and games < 64:
            games = 2 * games if games else 1
            experiment = Experiment.of(
                self._table, agents, games, self._seed, record=record, judge=judge
            )
            runner = ThreadRunner(experiment, self._table, agents, workers=1, stop=stop)
            began = self.clock()
            runner.play(lambda rows: None)
            if games > 1 or self._is_long(self.clock() - began):
                spent = self.clock() - began
        return spent / games

    def _is_long(self, seconds: float) -> bool:
        """Whether a first game took too long to repeat it, although it included loading code."""
        return seconds > 0.03 * self._seconds


def playing_clock() -> float:
    """Seconds by a clock that stops while something is compiled."""
    return time.perf_counter() - compile_seconds()


def playing_work() -> float:
    """The processor time of this process in seconds, without what was compiled."""
    return time.process_time() - compile_work()


def skilled_agent(table: Table, iterations: int) -> Agent:
    """The default agent at this table, with a number of iterations per decision."""
    return KibitzAgent(iterations=iterations).player_at(table)


def _round(games: float) -> int:
    """The number of games, rounded down to two significant digits."""
    rounded = int(games)
    unit = 10 ** max(0, len(str(rounded)) - 2)
    return rounded // unit * unit

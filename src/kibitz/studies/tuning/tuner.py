"""A whole search: search, race, simplification, confirmation, and steps away from the winner.

1. *Search*: an optimiser asks for points, each of which is evaluated in a few games of fresh
   deals.
2. *Race*: the points that it recommends, and the start, play the same fresh deals; after each
   round the worse half drops out (successive halving: Karnin, Koren and Somekh, "Almost Optimal
   Exploration in Multi-Armed Bandits", ICML 2013).
3. *Simplification*: each setting that the winner has changed is put back, the one that mattered
   least first; if the point looks no worse without the change, it stays so.
4. *Confirmation*: the winner and the start play fresh deals, on which no choice depended. So the
   reported gain has no selection bias.
5. *Steps*: points one step away from the winner play the same deals.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from kibitz.core.errors import ParameterError
from kibitz.core.parameters import whole_number
from kibitz.core.progress import Progress, part_of
from kibitz.core.randomness import check_seed, derive_seed
from kibitz.runs import Shard, Workers, folder_at
from kibitz.studies.tuning.catalogue import make_optimiser
from kibitz.studies.tuning.ledger import Ledger
from kibitz.studies.tuning.ntuples import NTupleModel
from kibitz.studies.tuning.optimiser import Optimiser, Search
from kibitz.studies.tuning.plan import PHASES, Plan
from kibitz.studies.tuning.problem import Block, Goal, Order, Problem, Statistic, mean_of, pooled
from kibitz.studies.tuning.results import Candidate, Gain, Step, Tuning, front_of
from kibitz.studies.tuning.space import Point

FINALISTS = 8
"""Maximum number of points in the race."""

FEWEST_DEALS = 30
"""Minimum number of deals for each point in the race, and for each step, which limits both."""

NO_WORSE = 0.5
"""Maximum loss, in standard errors, at which a setting is put back."""


def tune(
    problem: Problem,
    *,
    optimiser: str = "ntbea",
    games: int | None = None,
    each: int | None = None,
    seed: int = 0,
    workers: Workers = None,
    out: Path | str | None = None,
    progress: Progress | None = None,
) -> Tuning:
    """Searches for the point that meets the goals best, and confirms it.

    The same arguments give the same result for any number of workers, unless agents have a limit
    of time.

    >>> import kibitz
    >>> from kibitz.studies.tuning import AgentProblem
    >>> table = kibitz.load("tic-tac-toe").table()
    >>> problem = AgentProblem(table, "mcts:iterations=50,c=20", narrowed={"c": "0.7,20"})
    >>> tuning = tune(problem, games=1000, seed=1)
    >>> tuning.winner.label, tuning.improved
    ('mcts:iterations=50,c=0.7', True)

    An interrupt ends the search early, and the results so far are returned.

    Args:
        optimiser: the name of one of ``kibitz.studies.tuning.optimisers()``.
        games: number of games in all; by default that of the problem.
        each: number of games of an evaluation, rounded up so that seats are taken equally often;
            by default that of the problem.
        workers: number of threads, or of processes if the rules or an agent are Python; or a
            cluster.
        out: folder in which the blocks of games are stored. If it holds the same search, that
            search is resumed.
        progress: its stages are the phases of the search.

    Raises:
        ParameterError: it is no problem, a name or a number is wrong, or `out` is not a folder of
            this machine.
        FileError: the folder holds another search or other files.
        MissingExtraError: the optimiser needs a package that is not installed.
        KeyboardInterrupt: stopped before the first evaluation was complete.
    """
    if not isinstance(problem, Problem):
        raise ParameterError(
            f"problem = {problem!r} should be an AgentProblem or a GameProblem, such as "
            "AgentProblem('agram', 'ismcts:iterations=100')."
        )
    check_seed(seed)
    if workers is not None and not isinstance(workers, str):
        workers = whole_number("workers", workers, 1)
    plan = Plan.of(problem, games, each)
    searcher = make_optimiser(
        optimiser,
        Search(
            problem.space,
            problem.feasible,
            len(problem.goals),
            plan.evaluations,
            derive_seed([0, 0, 0, 0], seed, len(PHASES)),
        ),
    )
    description = {
        **problem.to_json(),
        "optimiser": searcher.name,
        "seed": seed,
        "plan": plan.to_json(),
    }
    ledger = Ledger(None if out is None else folder_at(out), description)
    with ledger:
        return _Tuner(problem, plan, searcher, seed, workers, ledger, progress).run()


class _Tuner:
    """The state of a search."""

    def __init__(
        self,
        problem: Problem,
        plan: Plan,
        optimiser: Optimiser,
        seed: int,
        workers: Workers,
        ledger: Ledger,
        progress: Progress | None,
    ) -> None:
        self._problem = problem
        self._plan = plan
        self._optimiser = optimiser
        self._seed = seed
        self._workers = workers
        self._ledger = ledger
        self._progress = progress
        self._played = 0
        self._total = plan.total(problem)
        self._model = NTupleModel(problem.space.sizes)
        self._blocks: dict[Point, list[Block]] = {}
        self._finalists: list[Candidate] = []
        self._gains: tuple[Gain, ...] | None = None
        self._confirmed: dict[Point, Candidate] = {}
        self._steps: list[Step] = []

    @property
    def _goals(self) -> Sequence[Goal]:
        return self._problem.goals

    def run(self) -> Tuning:
        """Runs all phases, or until an interrupt, and returns the result."""
        interrupted = False
        try:
            self._search()
            if self._decided:
                self._race()
                self._simplify()
                winner = self._finalists[0].point
                self._confirm(winner)
                self._look_around(winner)
        except KeyboardInterrupt:
            if not self._blocks:
                raise
            interrupted = True
        return self._result(interrupted)

    @property
    def _decided(self) -> bool:
        """Whether there was any decision in the games of the search."""
        return any(block.decided for blocks in self._blocks.values() for block in blocks)

    def _result(self, interrupted: bool) -> Tuning:
        winner = self._winner() if self._decided else None
        start = self._confirmed.get(self._problem.space.start)
        if start is None and self._problem.space.start in self._blocks:
            start = self._candidate(
                self._problem.space.start, self._blocks[self._problem.space.start]
            )
        if winner is not None:
            winner = self._confirmed.get(winner.point, winner)
        many_goals = len(self._goals) > 1
        return Tuning(
            self._problem,
            self._optimiser.name,
            self._seed,
            self._plan,
            self._played,
            self._model,
            len(self._blocks),
            start,
            winner,
            tuple(self._finalists),
            tuple(front_of(self._finalists)) if many_goals else (),
            self._gains,
            tuple(self._steps),
            interrupted,
            self._decided,
        )

    def _play(self, phase: str, point: Point, first: int, games: int, words: str) -> Block:
        """Returns a block of games from the ledger, or plays it."""
        key = (phase, point, first, games)
        block = self._ledger.blocks.get(key)
        if block is None:
            progress = part_of(self._progress, self._played, self._total, words)
            seed = derive_seed([0, 0, 0, 0], self._seed, PHASES.index(phase))
            order = Order(seed, Shard(first, games), self._workers, progress)
            block = self._problem.play(point, order)
            self._ledger.add(key, block)
        self._played += games
        if self._progress is not None:
            self._progress(words, self._played, self._total)
        return block

    # -- the parts --------------------------------------------------------------------------

    def _search(self) -> None:
        for number in range(self._plan.evaluations):
            point = self._optimiser.ask()
            first, games = number * self._plan.each, self._plan.each
            block = self._play("search", point, first, games, "Searching")
            pairs = zip(self._goals, block.statistics, strict=True)
            values = [goal.optimiser_value(statistics) for goal, statistics in pairs]
            # an interrupt may come in between: a point known to the optimiser must have a block
            self._blocks.setdefault(point, []).append(block)
            self._optimiser.tell(point, values)
            self._model.add(point, sum(values) / len(values))

    def _race(self) -> None:
        """Successive halving of the best points; with several goals all race to the end."""
        alive = self._entrants()
        many_goals = len(self._goals) > 1
        rounds = 1 if many_goals else max(1, math.ceil(math.log2(len(alive))))
        unit = self._problem.unit_games
        played: dict[Point, list[Block]] = {point: [] for point in alive}
        out: list[Point] = []
        first = 0
        for _ in range(rounds):
            share = self._plan.race // (rounds * len(alive))
            games = max(unit, share // unit * unit)
            for point in alive:
                played[point].append(self._play("race", point, first, games, "Racing"))
            first += games
            alive.sort(key=lambda point: self._rank(played[point], point))
            if many_goals:
                break
            out[:0] = alive[-(len(alive) // 2) :] if len(alive) > 1 else []
            alive = alive[: -(-len(alive) // 2)]
        ranked = [*alive, *out]
        self._finalists = [self._candidate(point, played[point]) for point in ranked]

    def _entrants(self) -> list[Point]:
        """The points in the race, including the start, as many as there are games for."""
        unit = self._problem.unit_games
        most = max(2, min(FINALISTS, self._plan.race // (FEWEST_DEALS * unit)))
        chosen = self._optimiser.recommend(most)
        if len(self._goals) > 1:
            every = [self._candidate(point, blocks) for point, blocks in self._blocks.items()]
            front = front_of(every)
            front.sort(key=lambda candidate: candidate.loss)
            chosen = [candidate.point for candidate in front[: most - most // 2]] + chosen
        chosen = list(dict.fromkeys(chosen))[:most]
        start = self._problem.space.start
        if start not in chosen:
            chosen = [*chosen[: most - 1], start]
        return chosen

    def _simplify(self) -> None:
        """Resets settings of the winner whose change does not seem to help."""
        space = self._problem.space
        winner = self._finalists[0].point
        effects = self._model.effects()
        changed = [i for i, start in enumerate(space.start) if winner[i] != start]
        changed.sort(key=lambda i: effects[i])
        unit = self._problem.unit_games
        games = self._plan.simplify // (len(changed) + 1) // unit * unit
        if len(changed) < 2 or games < unit:
            return
        block = self._play("simplify", winner, 0, games, "Putting settings back")
        for axis in changed:
            point = (*winner[:axis], space.start[axis], *winner[axis + 1 :])
            if point == space.start or not self._problem.feasible(point):
                continue
            other = self._play("simplify", point, 0, games, "Putting settings back")
            if self._is_no_worse(other, block):
                winner, block = point, other
        if winner != self._finalists[0].point:
            others = [candidate for candidate in self._finalists if candidate.point != winner]
            self._finalists = [self._candidate(winner, [block]), *others]

    def _is_no_worse(self, tried: Block, other: Block) -> bool:
        """Whether a point seems as near to the goals as another one, of the same deals."""
        mine, theirs = (self._candidate((), [block]) for block in (tried, other))
        if mine.loss <= theirs.loss:
            return True
        for number, goal in enumerate(self._goals):
            difference = _difference(goal, number, tried, other)
            error = math.sqrt(difference.variance)
            worse = mine.losses[number] > theirs.losses[number]
            if worse and abs(difference.value) > NO_WORSE * error:
                return False
        return True

    def _rank(self, blocks: Sequence[Block], point: Point) -> tuple[float, int]:
        """The sort key of the race: the loss, then the number of changes."""
        candidate = self._candidate(point, blocks)
        return candidate.loss, len(self._problem.space.changed(point))

    def _winner(self) -> Candidate | None:
        """The winner of the race; before its end the optimiser's recommendation."""
        if self._finalists:
            return self._finalists[0]
        best = self._optimiser.recommend(1)
        return self._candidate(best[0], self._blocks[best[0]]) if best else None

    def _confirm(self, winner: Point) -> None:
        start = self._problem.space.start
        blocks: dict[Point, Block] = {}
        for point in dict.fromkeys((start, winner)):
            known = [goal.known(self._problem, point) for goal in self._goals]
            if all(value is not None for value in known):
                values = tuple(Statistic(float(value or 0.0), 0.0) for value in known)
                block = Block(0, tuple((value,) for value in values))
            else:
                block = self._play("confirm", point, 0, self._plan.confirm, "Confirming")
            blocks[point] = block
            self._confirmed[point] = self._candidate(point, [block])
        if winner != start:
            self._gains = tuple(self._gained(blocks[start], blocks[winner]))
        self._base = blocks[winner]

    def _gained(self, start: Block, tuned: Block) -> Iterator[Gain]:
        for number, goal in enumerate(self._goals):
            before, after = start.statistics[number], tuned.statistics[number]
            difference = _difference(goal, number, tuned, start)
            low, high = difference.interval
            gained = goal.loss(before) - goal.loss(after)
            sure = not low <= 0 <= high
            yield Gain(
                goal.value(before),
                goal.value(after),
                difference,
                sure and gained > 0,
                sure and gained < 0,
            )

    def _look_around(self, winner: Point) -> None:
        """Plays the points one step away from the winner, on the deals of the confirmation."""
        space = self._problem.space
        around = [point for point in space.neighbours(winner) if self._problem.feasible(point)]
        effects = self._model.effects()

        def axis_of(point: Point) -> int:
            return next(i for i, (a, b) in enumerate(zip(point, winner, strict=True)) if a != b)

        # if there are too few games for all points, those along the most important settings
        around.sort(key=lambda point: (-effects[axis_of(point)], axis_of(point)))
        unit = self._problem.unit_games
        around = around[: max(1, self._plan.steps // (FEWEST_DEALS * unit))]
        games = self._plan.steps // max(1, len(around)) // unit * unit
        games = min(games, self._plan.confirm)
        if games < unit:
            return
        if not self._base.games:  # the winner is the start, and no game of it was needed
            self._base = self._play("confirm", winner, 0, games, "Confirming")
        for point in around:
            block = self._play("confirm", point, 0, games, "Looking one step away")
            differences = tuple(
                _difference(goal, number, block, self._base)
                for number, goal in enumerate(self._goals)
            )
            axis = axis_of(point)
            loss = self._candidate(point, [block]).loss
            self._steps.append(Step(point, axis, differences, loss, games))

    def _candidate(self, point: Point, blocks: Sequence[Block]) -> Candidate:
        together = pooled(blocks) if len(blocks) > 1 else blocks[0]
        pairs = list(zip(self._goals, together.statistics, strict=True))
        return Candidate(
            point,
            self._problem.label(point) if point else "",
            tuple(goal.value(statistics) for goal, statistics in pairs),
            tuple(goal.loss(statistics) for goal, statistics in pairs),
            together.games,
        )


def _difference(goal: Goal, number: int, block: Block, other: Block) -> Statistic:
    """The value of `block` less that of `other`; deal by deal where both have the same deals."""
    deals = min(len(block.series), len(other.series))
    if deals:
        return mean_of([a - b for a, b in zip(block.series, other.series, strict=False)])
    return goal.value(block.statistics[number]).less(goal.value(other.statistics[number]))

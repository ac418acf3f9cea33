"""Whole searches: phases, resuming, confirmation, reports."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.reporting import as_markdown
from tests.studies.tuning.functions import grid

import kibitz
from kibitz.core.errors import AgentError, FileError, ParameterError
from kibitz.runs import Shard
from kibitz.studies.tuning import AgentProblem, Tuning, tune
from kibitz.studies.tuning.agents import ScoreGoal
from kibitz.studies.tuning.problem import Block, Order, Problem, Statistic, mean_of, pooled
from kibitz.studies.tuning.report import description, sentences
from kibitz.studies.tuning.space import Point


class Coins(Problem):
    """Each deal is a coin that shows heads with a probability that depends on the point."""

    kind = "agent"
    title = "coins"
    unit_games = 2
    usual_each = 4
    usual_games = 2000

    def __init__(
        self, chance: Callable[[Point], float], *sizes: int, stop_after: int = -1
    ) -> None:
        super().__init__()
        self.chance = chance
        self.space = grid(*sizes)
        self.goals = (ScoreGoal(),)
        self.stop_after = stop_after
        self.played: list[tuple[Point, int, Shard]] = []

    def _refusal(self, point: Point) -> str | None:
        return "no" if point[0] == point[-1] == 1 else None

    def play(self, point: Point, order: Order) -> Block:
        seed, shard = order.seed, order.shard
        if self.stop_after == 0:
            raise KeyboardInterrupt
        self.stop_after -= 1
        self.played.append((point, seed, shard))
        series = []
        for deal in range(shard.first // 2, (shard.first + shard.games) // 2):
            rng = random.Random(f"{seed} {deal}")  # the same coin for all points
            series.append(float(rng.random() < self.chance(point)))
        return Block(shard.games, ((mean_of(series),),), tuple(series))

    def label(self, point: Point) -> str:
        return "-".join(map(str, point))

    words = use = label

    def to_json(self) -> dict[str, Any]:
        return {"tune": "coins", "space": self.space.to_json()}


class KnownGoal(ScoreGoal):
    def known(self, problem: Problem, point: Point) -> float | None:
        return None


def chance(point: Point) -> float:
    """Best at 2-2-x; the third axis does nothing."""
    return 0.8 - 0.1 * abs(point[0] - 2) - 0.1 * abs(point[1] - 2)


def coins(stop_after: int = -1) -> Coins:
    problem = Coins(chance, 4, 4, 2, stop_after=stop_after)
    problem.goals = (KnownGoal(),)
    return problem


@pytest.fixture(scope="module")
def tuning() -> Tuning:
    return tune(coins(), games=4000, seed=1)


def test_the_best_point_is_found_and_its_gain_is_right(tuning: Tuning) -> None:
    assert tuning.winner is not None
    assert tuning.winner.point[:2] == (2, 2)
    assert tuning.improved
    [gain] = tuning.gains or ()
    low, high = gain.difference.interval
    assert low < 0.4 < high
    assert high - low < 0.25


def test_what_mattered(tuning: Tuning) -> None:
    shares = {effect.name: effect.share for effect in tuning.effects}
    assert min(shares["x0"], shares["x1"]) > shares["x2"]
    assert shares["x2"] < 0.01
    chances = {effect.name: effect.p_value for effect in tuning.effects}
    assert max(chances["x0"], chances["x1"]) < 1e-3 < 0.05 < chances["x2"]


def test_where_nothing_matters_nothing_is_said_to() -> None:
    """Short searches with many settings: chance alone gives large shares of the variance."""
    blamed, large = 0, 0
    for seed in range(20):
        problem = Coins(lambda point: 0.5, *[4] * 8)
        problem.goals = (KnownGoal(),)
        tuning = tune(problem, games=200, seed=seed)
        large += any(effect.share > 0.1 for effect in tuning.effects)
        summary = " ".join(text for text, _ in sentences(tuning))
        blamed += "No single setting mattered" not in summary
    assert large >= 5  # so that there is something not to believe
    assert blamed <= 4  # one expected


def test_what_does_nothing_is_put_back(tuning: Tuning) -> None:
    assert tuning.winner is not None
    assert tuning.winner.point[2] == 0


def test_steps_share_the_deals_of_the_winner(tuning: Tuning) -> None:
    by_axis = {step.axis: step for step in tuning.steps}
    assert by_axis[2].differences[0].value == 0  # the same coins
    assert all(step.differences[0].value < 0 for step in tuning.steps if step.axis < 2)


def test_confirmation_has_deals_of_its_own() -> None:
    problem = coins()
    tune(problem, games=1000, seed=3)
    confirmed = {seed for _, seed, shard in problem.played if shard.games > 90}
    assert len({seed for _, seed, _ in problem.played}) == 4
    assert confirmed


def test_games_add_up(tuning: Tuning) -> None:
    assert tuning.played <= 4000
    assert tuning.played > 3000


def test_a_resumed_search_is_the_same_as_an_uninterrupted_one(tmp_path: Path) -> None:
    uninterrupted = tune(coins(), games=600, seed=2, out=tmp_path / "whole")
    blocks = len((tmp_path / "whole" / "blocks.jsonl").read_text().splitlines())
    for stop in (1, 7, blocks // 2, blocks - 3):
        folder = tmp_path / f"stopped-{stop}"
        first = tune(coins(stop), games=600, seed=2, out=folder)
        assert first.interrupted
        assert first.winner is not None
        assert not any("To use it" in text for text, _ in sentences(first))
        resumed = coins()
        second = tune(resumed, games=600, seed=2, out=folder)
        assert len(resumed.played) == blocks - stop
        assert second.to_json() == uninterrupted.to_json()
        for name in ("tuning.json", "blocks.jsonl"):
            assert (folder / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_stopped_before_anything_was_played() -> None:
    with pytest.raises(KeyboardInterrupt):
        tune(coins(0), games=600)


def test_half_a_line_is_forgotten(tmp_path: Path) -> None:
    uninterrupted = tune(coins(), games=600, seed=2, out=tmp_path)
    file = tmp_path / "blocks.jsonl"
    content = file.read_bytes()
    for damaged in (content[:-20], content + b'{"phase": "conf', content[:-20] + b"\n"):
        file.write_bytes(damaged)
        assert tune(coins(), games=600, seed=2, out=tmp_path).to_json() == uninterrupted.to_json()
        assert file.read_bytes() == content
    file.write_bytes(b"oops\n" + content)
    with pytest.raises(FileError, match=r"blocks.jsonl:1: is damaged"):
        tune(coins(), games=600, seed=2, out=tmp_path)


def test_a_folder_with_another_search(tmp_path: Path) -> None:
    tune(coins(), games=600, seed=2, out=tmp_path)
    with pytest.raises(FileError, match="holds another search: its seed differs"):
        tune(coins(), games=600, seed=3, out=tmp_path)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x").touch()
    with pytest.raises(FileError, match="not an empty folder"):
        tune(coins(), games=600, out=tmp_path / "other")


def test_too_few_games() -> None:
    with pytest.raises(ParameterError, match="too few"):
        tune(coins(), games=10)


def test_blocks_are_pooled_by_games() -> None:
    block = Block(10, ((Statistic(0.2, 0.04),),), (0.2,))
    other = Block(30, ((Statistic(0.6, 0.01),),), (0.6,))
    both = pooled([block, other])
    [[statistic]] = both.statistics
    assert (both.games, both.series) == (40, (0.2, 0.6))
    assert statistic.value == pytest.approx(0.5)
    assert statistic.variance == pytest.approx(0.04 / 16 + 0.01 * 9 / 16)
    assert Block.from_json(json.loads(json.dumps(both.to_json()))) == both


# --- agents -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def toe() -> kibitz.Table:
    return kibitz.load("tic-tac-toe").table()


def test_an_agent_with_a_bad_option_is_cured(toe: kibitz.Table) -> None:
    """A search that only explores is hardly better than none."""
    problem = AgentProblem(
        toe,
        "mcts:iterations=40,c=20",
        narrowed={"rollout_length": "-1,0", "c": "0.5,1,20", "epsilon": "0.1,0.2"},
    )
    tuning = tune(problem, games=1200, seed=1)
    assert tuning.improved
    assert tuning.winner is not None
    assert tuning.winner.values[0].interval[0] > 0.55
    assert tuning.start is not None
    assert tuning.start.values[0] == Statistic(0.5, 0.0)
    assert any(text.startswith("Better: ") for text, _ in sentences(tuning))
    again = make_label(tuning)
    assert kibitz.make_agent(again).label == again
    assert "One step away" in as_markdown(tuning)
    json.dumps(tuning.to_json(), allow_nan=False)


def make_label(tuning: Tuning) -> str:
    assert tuning.winner is not None
    return tuning.winner.label


def test_the_number_of_workers_changes_nothing(toe: kibitz.Table) -> None:
    def document(workers: int) -> dict[str, Any]:
        problem = AgentProblem(
            toe, "mcts:iterations=10", against=["random", "osla"], narrowed={"c": "0.1,0.7,2"}
        )
        assert problem.unit_games == 4
        return tune(problem, games=200, seed=4, workers=workers).to_json()

    assert document(1) == document(2)


def test_options_that_exclude_each_other_are_not_tried(toe: kibitz.Table) -> None:
    problem = AgentProblem(
        toe, "mcts:iterations=10", narrowed={"loop": "", "samples": "0,5", "c": "0.5,1"}
    )
    refused = [point for point in problem.space.points() if not problem.feasible(point)]
    assert len(refused) == len(set(refused)) > 0
    for point in refused:
        assert problem.space.words(point)["loop"] == "closed"
        assert problem.space.words(point)["samples"] == "5"
    tuning = tune(problem, games=300, seed=4)
    assert tuning.winner is not None
    assert tuning.winner.point not in refused


def test_agents_that_have_nothing_to_tune(toe: kibitz.Table) -> None:
    with pytest.raises(AgentError, match="nothing to tune"):
        AgentProblem(toe, "random")
    with pytest.raises(AgentError, match="Did you mean 'rollout'"):
        AgentProblem(toe, "mcts", narrowed={"rolout": ""})


def test_alone_the_end_is_what_counts() -> None:
    table = kibitz.load("sliding-puzzle").table()
    problem = AgentProblem(table, "mcts:iterations=5", narrowed={"c": "0.2,2"})
    block = problem.play(problem.space.start, Order(1, Shard(0, 4), 1))
    assert (block.games, len(block.series)) == (4, 4)
    assert all(0 <= score <= 1 for score in block.series)
    assert problem.field == ()


def test_where_nobody_has_a_choice_no_option_can_matter() -> None:
    """The search is all that is played; more games would tell nothing."""
    problem = AgentProblem(
        kibitz.load("pairs-round").table(2), "mcts:iterations=5", narrowed={"c": "0.1,0.7,2"}
    )
    tuning = tune(problem, games=100, seed=1)
    assert not tuning.decided
    assert tuning.winner is None
    assert tuning.played == tuning.plan.search == 40
    assert [text for text, _ in sentences(tuning)] == [
        "Nobody had a choice in 40 games: there is nothing to decide, so no option can matter."
    ]
    assert "mattered" not in as_markdown(tuning)
    document = json.loads(json.dumps(tuning.to_json(), allow_nan=False))
    assert document["decided"] is False
    assert document["winner"] is None


def test_a_search_of_all_combinations_says_so(tuning: Tuning) -> None:
    assert tuning.problem.space.count == 32
    every = replace(tuning, evaluated=32)
    assert "32 combinations; all of them were evaluated" in " ".join(description(every))
    incomplete = replace(tuning, evaluated=31)
    assert "32 combinations; 31 of them were evaluated" in " ".join(description(incomplete))

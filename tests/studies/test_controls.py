"""Control variates: known gains, intervals that hold, and luck whose mean is 0."""

from __future__ import annotations

import numpy as np
import pytest

import kibitz
from kibitz.arena.judge import Judge
from kibitz.core.agent import make_agents
from kibitz.core.errors import ParameterError
from kibitz.runs import Experiment, Rows, ThreadRunner
from kibitz.studies.controls import controlled, controls


@pytest.mark.parametrize("deals", [30, 200])
def test_intervals_hold_and_are_as_narrow_as_luck_allows(deals: int) -> None:
    rng = np.random.default_rng(deals)
    held, gains = 0, []
    for _ in range(1000):
        luck = rng.normal(size=(deals, 2))
        shares = 0.3 + luck @ [0.3, 0.4] + 0.25 * rng.normal(size=deals)
        estimate = controlled(shares, luck)
        held += estimate.interval[0] <= 0.3 <= estimate.interval[1]
        gains.append(estimate.gain)
    assert 0.925 < held / 1000 < 0.975  # 0.95, with 3.6 standard errors
    assert np.median(gains) == pytest.approx(5, rel=0.15)  # (0.25 + 0.0625) / 0.0625


def test_luck_that_says_nothing_gains_nothing() -> None:
    rng = np.random.default_rng(1)
    shares = rng.normal(size=500)
    assert controlled(shares, rng.normal(size=(500, 2))).gain == pytest.approx(1, abs=0.1)
    estimate = controlled(shares, np.zeros((500, 2)))
    assert estimate.gain == pytest.approx(1)
    assert estimate.share == pytest.approx(shares.mean())


def judged(
    deals: int,
    name: str = "kuhn-poker",
    judge: str = "rollouts",
    lineup: list[str] | None = None,
    duplicate: bool = False,
) -> tuple[Experiment, list[Rows]]:
    table = kibitz.load(name).table(2)
    agents = make_agents(["osla", "random"] if lineup is None else lineup, 2)
    experiment = Experiment.of(
        table,
        agents,
        2 * deals,
        1,
        record=["judgements"],
        judge=Judge.of(judge),
        duplicate=duplicate,
    )
    rows: list[Rows] = []
    ThreadRunner(experiment, table, agents, workers=1).play(rows.append)
    return experiment, rows


def test_a_game_needs_fewer_deals_and_says_the_same() -> None:
    experiment, rows = judged(5000, duplicate=True)
    shares, luck = controls(rows, experiment)
    assert len(shares) == 5000
    errors = luck.std(axis=0) / np.sqrt(len(luck))
    assert (np.abs(luck.mean(axis=0)) < 4 * errors + 1e-12).all()
    estimate = controlled(shares, luck)
    assert estimate.gain > controlled(shares, luck[:, :2]).gain * 1.15 > 1.7  # weights help
    plain = shares.std() / np.sqrt(len(shares))
    assert abs(estimate.share - shares.mean()) < 4 * plain
    estimates = [controlled(shares[at : at + 50], luck[at : at + 50]) for at in range(0, 5000, 50)]
    held = sum(sample.interval[0] <= estimate.share <= sample.interval[1] for sample in estimates)
    assert held >= 87  # 95 expected; fewer come up once in 600


def test_errors_of_a_judge_who_knows_little_are_0_on_average_too() -> None:
    experiment, rows = judged(3000, "leduc-poker", "rollouts:samples=2", duplicate=True)
    _, luck = controls(rows, experiment)
    errors = luck.std(axis=0) / np.sqrt(len(luck))
    assert (np.abs(luck.mean(axis=0)) < 4 * errors + 1e-12).all()


def test_without_duplicate_deals_there_are_none() -> None:
    experiment, rows = judged(10)
    with pytest.raises(ParameterError, match="duplicate deals"):
        controls(rows, experiment)


LINEUPS = {
    "what both choose is luck": ("kuhn-poker", ["osla", "random"]),
    "and it does not matter whose": ("agram", ["random", "first-legal"]),
    "of searches only draws are": ("leduc-poker", ["ismcts:iterations=5", "osla"]),
}


@pytest.mark.parametrize(("name", "lineup"), LINEUPS.values(), ids=list(LINEUPS))
def test_luck_is_0_on_average_where_agents_play_rollouts(name: str, lineup: list[str]) -> None:
    """Also of the same random numbers: what is drawn for a choice must not come up later on."""
    experiment, rows = judged(1500, name, "rollouts:samples=8,by=osla", lineup, duplicate=True)
    shares, luck = controls(rows, experiment)
    errors = luck.std(axis=0) / np.sqrt(len(luck))
    assert (np.abs(luck.mean(axis=0)) < 4 * errors + 1e-12).all()
    assert luck.std(axis=0).any()
    assert abs(controlled(shares, luck).share - shares.mean()) < 4 * shares.std() / 1500**0.5


def test_agents_whom_the_judge_plays_need_few_deals() -> None:
    gains = []
    for judge in ("rollouts:samples=16", "rollouts:samples=16,by=osla"):
        experiment, rows = judged(600, "agram", judge, duplicate=True)
        gains.append(controlled(*controls(rows, experiment)).gain)
    assert gains[1] > 1.5 * gains[0] > 1.5

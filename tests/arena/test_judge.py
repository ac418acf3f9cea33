"""The judge: values that are known, what it may know, luck without bias, the same rows for all."""

from __future__ import annotations

import numpy as np
import pytest
from tests.studies.known_games import Coin, Dictated, Guess, Nim, Wide, take

from kibitz.arena.judge import Judge, judge_game
from kibitz.core.agent import make_agents
from kibitz.core.errors import AgentError, AgentOptionError, ParameterError
from kibitz.core.game import Table
from kibitz.core.registry import load
from kibitz.runs import Experiment, Rows, Run, ThreadRunner

LETTERS = load("love-letter").table(3, tokens_to_win=1)


def judged(table: Table, games: int, judge: str = "rollouts:samples=2", **more) -> Rows:
    """The rows of random games, judged."""
    agents = make_agents(["random"], table.players)
    experiment = Experiment.of(
        table,
        agents,
        games,
        record=["decisions", "judgements"],
        judge=Judge.of(judge),
    )
    rows: list[Rows] = []
    ThreadRunner(experiment, table, agents, **more).play(rows.append)
    found = rows[0]
    for part in rows[1:]:
        found = found.then(part)
    return found


def test_a_forced_win_has_the_value_1_and_a_blunder_0() -> None:
    table = Nim(compiled=False).table(2, heap=2)
    steps, options = judge_game(table, 0, [take(1)], Judge.of("rollouts:samples=4"))
    assert steps["action"].tolist() == [0, 2]  # the last one: how many were played
    assert steps["seat"].tolist() == [0, -1]  # the other one has to take the last one
    assert options["code"].tolist() == [take(1), take(2)]
    assert options["open"].tolist() == options["seen"].tolist() == [[0, 0], [1, 1]]
    assert steps["seats"]["before"][0].tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert steps["seats"]["after"][0].tolist() == [[0, 0], [1, 1]]
    assert steps["seats"]["before"][1].tolist() == [[0, 0], [1, 1]]
    assert steps["chance"].tolist() == [1, 0]


def test_what_is_hidden_is_worth_its_mean_to_who_cannot_see_it() -> None:
    table = Guess(compiled=False).table(2)
    _, options = judge_game(table, 3, [take(0)], Judge.of("rollouts:samples=400"))
    coin = round(options["open"][1].mean())  # who sees all knows which guess is right
    assert options["open"].tolist() == [[1 - coin] * 2, [coin] * 2]
    assert options["seen"] == pytest.approx(0.5, abs=0.15)
    assert not np.array_equal(options["seen"][:, 0], options["seen"][:, 1])


def test_what_nobody_knows_is_not_open() -> None:
    steps, _ = judge_game(
        Coin(compiled=False).table(2), 5, [take(0)], Judge.of("rollouts:samples=400")
    )
    assert steps["seats"]["before"][0].mean(axis=1) == pytest.approx(0.5, abs=0.1)
    assert steps["chance"].tolist() == [1, 1]


def test_nobody_learns_from_a_dictated_game() -> None:
    steps, options = judge_game(Dictated(compiled=False).table(2), 5, [take(0)] * 3)
    assert (options["open"][::2] == options["open"][1::2]).all()  # two options each
    assert np.isin(options["open"], (0, 1)).all()
    assert (steps["seats"]["before"] == steps["seats"]["before"][0]).all()
    assert steps["chance"].tolist() == [1, 0, 0, 0]


def test_values_before_and_after_chance_agree_on_average() -> None:
    rows = judged(LETTERS, 250, "rollouts:samples=2")
    after = rows.steps["seats"]["after"].mean(axis=2)[:-1]
    before = rows.steps["seats"]["before"].mean(axis=2)[1:]
    same_game = rows.steps["game"][1:] == rows.steps["game"][:-1]
    luck = np.zeros((250, 3))
    np.add.at(luck, rows.steps["game"][1:][same_game], (before - after)[same_game])
    error = luck.std(axis=0) / np.sqrt(250)
    assert (np.abs(luck.mean(axis=0)) < 3.5 * error).all()


def test_the_rows_are_the_same_for_any_number_of_workers() -> None:
    one, two = judged(LETTERS, 70, workers=1), judged(LETTERS, 70, workers=2)
    assert one.judgements().equals(two.judgements())
    plain = judged(LETTERS, 70, "rollouts:samples=4")
    assert one.decisions().equals(plain.decisions())  # whoever judges does not change the game


def test_the_rows_are_kept(tmp_path) -> None:
    agents = make_agents(["random"], 3)
    experiment = Experiment.of(LETTERS, agents, 5, record=["judgements"])
    assert experiment.judge == "rollouts"
    with Run.create(tmp_path / "run", experiment, None) as run:
        ThreadRunner(experiment, LETTERS, agents).play(run.add)
    [*kept] = Run.open(tmp_path / "run").rows()
    direct: list[Rows] = []
    ThreadRunner(experiment, LETTERS, agents).play(direct.append)
    for mine, theirs in zip(direct, kept, strict=True):
        assert mine.judgements().equals(theirs.judgements())
        assert mine.steps.tobytes() == theirs.steps.tobytes()
        assert mine.judged_options.tobytes() == theirs.judged_options.tobytes()


def test_a_search_judges_what_its_player_sees() -> None:
    rows = judged(LETTERS, 2, "ismcts:iterations=30")
    options = rows.judged_options
    known = ~np.isnan(options["seen"])
    assert known.any()
    assert ((options["seen"][known] >= 0) & (options["seen"][known] <= 1)).all()
    assert not np.array_equal(options["seen"], options["open"])


def test_of_many_options_some_are_drawn_and_the_chosen_one() -> None:
    table = Wide(compiled=False).table(2)
    rows = judged(table, 1, "rollouts:samples=2")
    steps = rows.steps
    assert steps["options"].max() == 200
    assert set(steps["judged"][:-1].tolist()) <= {64, 65}
    made = rows.decisions_made
    decided = steps[steps["options"] > 1]
    ends = np.cumsum(steps["judged"])
    starts = (ends - steps["judged"])[steps["options"] > 1]
    assert (
        rows.judged_options["code"][starts + decided["chosen"]].tolist() == made["code"].tolist()
    )


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("random", AgentError),
        ("rollouts:samples=3", AgentOptionError),
        ("rollouts:sample=4", AgentOptionError),
    ],
)
def test_who_cannot_judge(text: str, error: type[Exception]) -> None:
    with pytest.raises(error, match="rollouts"):
        Judge.of(text)


def test_other_actions_than_the_games_are_refused() -> None:
    with pytest.raises(ParameterError, match="another one"):
        judge_game(LETTERS, 1, [])


def test_rollouts_to_the_end_of_the_deal_value_the_scores_there() -> None:
    table = load("love-letter").table(3)  # several tokens win: a game of many deals
    ends, deals = (
        judged(table, 6, f"rollouts:samples=8,rollout={rollout}") for rollout in ("end", "deal")
    )
    assert ends.decisions().equals(deals.decisions())
    for rows in (ends, deals):
        before = rows.steps["seats"]["before"]
        assert before.sum(axis=1) == pytest.approx(1)
        assert ((before > -1e-9) & (before < 1 + 1e-9)).all()
    between = deals.judged_options["open"]
    assert ((between > 0) & (between < 1)).mean() > 0.9  # estimates, not outcomes


def test_rollouts_by_agents_are_worth_what_they_play() -> None:
    table = Nim(compiled=False).table(2, heap=2)
    agents = make_agents(["first-legal", "first-legal"], 2)
    experiment = Experiment.of(
        table, agents, 2, record=["judgements"], judge="rollouts:samples=2,by=first-legal"
    )
    rows: list[Rows] = []
    ThreadRunner(experiment, table, agents, workers=1).play(rows.append)
    for part in rows:  # both take one: who begins loses
        seats = part.steps["seats"]
        assert (seats["before"] == [[0, 0], [1, 1]]).all()
        assert (seats["after"] == [[0, 0], [1, 1]]).all()
        assert not len(part.judged_options)


def test_who_cannot_play_rollouts_is_refused() -> None:
    with pytest.raises(AgentOptionError, match="ismcts cannot be a guide"):
        Judge.of("rollouts:by=ismcts")
    with pytest.raises(AgentOptionError, match="restrict cannot be a guide"):
        Judge.of("rollouts:by=restrict")  # it may restrict a search
    with pytest.raises(ParameterError, match="needs games of agents"):
        judge_game(Nim(compiled=False).table(2), 0, [], Judge.of("rollouts:by=osla"))

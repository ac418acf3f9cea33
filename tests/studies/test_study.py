"""The study of a game: the same budget gives the same study, and its answers are those known."""

from __future__ import annotations

import csv
import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from tests.reporting import as_page, as_text
from tests.studies.known_games import Coin, Dictated, Nim
from tests.studies.tiny_games import has_dead_end, is_won_together

import kibitz
from kibitz.core.agent import make_agents
from kibitz.core.errors import ParameterError
from kibitz.core.registry import load
from kibitz.reports import charts
from kibitz.runs import Experiment, Shard
from kibitz.runs.shard import ShardPlayer
from kibitz.studies import study
from kibitz.studies.csv_files import write_csv
from kibitz.studies.dominance import Dominance, Policy
from kibitz.studies.flaws import Flaw, FlawKind
from kibitz.studies.measures.endings import EndedBy
from kibitz.studies.playing import Measuring
from kibitz.studies.questions import answers
from kibitz.studies.study import PARTS, Study
from kibitz.studies.study_budget import RANDOM, Budget
from kibitz.studies.study_plots import study_plots
from kibitz.studies.study_report import study_command

SMALL = Budget(random=60, skilled=12, contest=24, ladder=10, iterations=40, judged=12, samples=4)


@pytest.fixture(scope="module")
def nim() -> Study:
    return kibitz.study(Nim(compiled=False), budget=SMALL, seed=1)


def wording(study: Study) -> dict[str, str]:
    """The answers of a study by question."""
    return {a.name: " ".join(text for text, _ in a.sentences) for a in answers(study)}


def stable(document: dict) -> dict:
    """The document without times, which differ from run to run."""
    if isinstance(document, dict):
        return {k: stable(v) for k, v in document.items() if "second" not in k}
    return [stable(item) for item in document] if isinstance(document, list) else document


def test_the_same_budget_gives_the_same_study() -> None:
    studies = [kibitz.study("tic-tac-toe", budget=SMALL, seed=4, workers=n) for n in (1, 2)]
    single, parallel = (
        json.loads(json.dumps(study.to_json(), allow_nan=False)) for study in studies
    )
    assert stable(single) == stable(parallel)
    assert f"--budget {SMALL}" in study_command(studies[0])
    assert Budget.of(str(SMALL)) == SMALL


def test_time_becomes_a_budget() -> None:
    result = kibitz.study("tic-tac-toe", seconds=2)
    assert result.random.games == result.budget.random >= 4
    assert result.budget.skilled >= 4
    assert result.random.games == result.budget.random
    assert result.skilled is not None
    assert result.skilled.games == result.budget.skilled
    assert result.skilled["judged_games"] == result.budget.judged > 0
    assert result.ladder is None or result.ladder.games == result.budget.ladder


def test_simple_policies_are_tried() -> None:
    budget = dataclasses.replace(SMALL, random=400, policies=30, iterations=60)
    study = kibitz.study("tic-tac-toe", budget=budget, seed=1)
    assert study.policies is not None
    words = {policy.words for policy in study.policies.policies}
    assert {"take the first option", "take what looks best at once"} < words
    assert any(pattern.startswith(("always mark", "never mark")) for pattern in words)
    assert all(policy.games == 30 for policy in study.policies.policies)
    assert "against skilled players: " in wording(study)["policy"]
    assert kibitz.study("tic-tac-toe", budget=budget, seed=1, workers=1).policies == study.policies


def test_a_ladder_that_is_left_out_is_told() -> None:
    study = kibitz.study("tic-tac-toe", budget=dataclasses.replace(SMALL, ladder=2))
    assert study.ladder is None
    assert "A ladder needs 4 games for each rung" in wording(study)["doubt"]


def test_nim_is_skill(nim: Study) -> None:
    coin = nim.coin_share
    assert coin is not None
    assert coin[0] < 0.3
    assert coin[1][0] <= coin[0] <= coin[1][1]
    answered = wording(nim)
    assert "Skill pays" in answered["skill"]
    assert "It matters" in answered["choice"]


def test_a_coin_toss_is_luck() -> None:
    study = kibitz.study(Coin(compiled=False), budget=SMALL, seed=1)
    assert study.coin_share is not None
    assert study.coin_share[1][1] == 1
    answered = wording(study)
    assert "Nothing was found in 72 games" in answered["attention"]
    assert "Skill is not seen to pay" in answered["skill"]
    assert "not seen to matter" in answered["choice"]
    assert "No agent gained more over a weaker one" in answered["skill"]


def test_few_deals_say_nothing_of_luck() -> None:
    few = dataclasses.replace(SMALL, replays=5)
    answered = wording(kibitz.study(Dictated(compiled=False), budget=few, seed=1))
    assert answered["luck"] == "5 deals, each played four times, are too few to tell."


def test_a_dictated_game_is_decided_at_the_start() -> None:
    judged = dataclasses.replace(SMALL, skilled=25, judged=25, replays=20)
    answered = wording(kibitz.study(Dictated(compiled=False), budget=judged, seed=1))
    assert "Who wins has a chance of 100 % at the start" in answered["course"]
    assert "Luck decides 100.0 %" in answered["luck"]
    assert "The deal decides 100.0 %" in answered["luck"]


def test_a_game_that_never_ends_is_told(nim: Study) -> None:
    study = kibitz.study(has_dead_end(), budget=SMALL)
    assert study.skilled is study.contest is study.ladder is None
    sentences = {answer.name: answer.sentences for answer in answers(study)}
    for name in ("attention", "end"):
        [(sentence, urgent)] = sentences[name]
        assert urgent
        assert "dead end" in sentence
    assert "100 % of 60 games of random play break off" in sentences["end"][0].text


def test_a_game_won_together_has_no_seats() -> None:
    study = kibitz.study(is_won_together(), budget=SMALL)
    assert study.contest is None
    assert study.coin_share is None
    assert "The players win together in 100.0 %" in wording(study)["fair"]


def test_a_study_shows_itself_in_a_notebook(nim: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = nim._repr_html_()
    assert shown is not None
    assert shown.startswith("<iframe srcdoc=")
    assert shown.count('"') == 4  # nothing ends the attribute early
    monkeypatch.setattr(charts, "find_spec", lambda name: None)
    assert nim._repr_html_() is None


def test_the_report_and_the_page_have_every_answer(nim: Study) -> None:
    text, page = as_text(nim), as_page(nim)
    for answer in answers(nim):
        assert answer.question in text
        assert f'<section id="{answer.name}">' in page
    assert study_command(nim) in text
    assert "<script" not in page
    assert {name for name, _ in study_plots(nim)} >= {"fair", "choice", "skill", "course"}


def test_the_tables_are_written_for_spreadsheets(nim: Study, tmp_path: Path) -> None:
    written = {path.stem for path in write_csv(nim, tmp_path / "tables")}
    assert written >= {"seats", "agents", "choices", "examples", "numbers", "ladder"}
    with (tmp_path / "tables" / "seats.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    [first] = [row for row in rows if (row["part"], row["seat"]) == ("random", "1")]
    seat = nim.random.seats[0]
    assert float(first["win_rate"]) == seat.win_rate
    assert float(first["win_interval_low"]) == seat.win_interval[0]
    with (tmp_path / "tables" / "ledgers.csv").open(newline="") as file:
        ledgers = list(csv.DictReader(file))
    assert len(ledgers) == 2 * nim.skilled["judged_games"]
    sources = ("place", "deal", "draws", "own", "others", "error")
    for row in ledgers:
        gained = sum(float(row[source]) for source in sources)
        assert abs(1 / 2 + gained - float(row["outcome"])) < 1e-9
    numbers = (tmp_path / "tables" / "numbers.csv").read_text()
    assert f"random,decisions_per_game.mean,{nim.random.decisions_per_game.mean}" in numbers


@pytest.mark.parametrize("text", ["games=3", "random=many", "iterations=0", "random"])
def test_other_budgets_are_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        Budget.of(text)


def test_games_that_an_interrupt_left_out_are_no_gap() -> None:
    table = load("agram").table(3)
    agents = make_agents(["random"], 3)
    record = ["decisions", "judgements"]
    experiment = Experiment.of(table, agents, 30, seed=2, record=record)
    player = ShardPlayer(experiment, table, agents, np.zeros(1, np.int64))
    shards = [Shard(0, 10), Shard(10, 10), Shard(20, 10)]
    apart, joint = (Measuring(table, agents, experiment) for _ in range(2))
    for number, shard in enumerate(shards):
        if number != 1:
            apart.add(player.play(shard))
    played = apart.finish(1.0)
    assert played.games == played["judged_games"] == 20
    joint.add(player.play(shards[0]))
    joint._measure()
    joint.add(player.play(shards[2]))
    assert joint.finish(1.0).to_json() == played.to_json()


def test_an_interrupted_study_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It plays no further part, and does not measure how fast the rules are."""

    def progress(stage: str, done: int, games: int) -> None:
        if stage == PARTS[RANDOM] and done:
            raise KeyboardInterrupt

    monkeypatch.setattr(study, "measure_speed", lambda table: pytest.fail("it went on"))
    result = kibitz.study(Coin(compiled=False), budget=SMALL, progress=progress)
    assert result.interrupted
    assert result.random.games
    assert (result.skilled, result.ladder, result.speed) == (None, None, None)


@pytest.mark.parametrize(
    ("wins", "interval", "words"),
    [
        (0.8, (0.7, 0.9), "against skilled players: more than 50 %."),
        (0.12, (0.07, 0.18), "against skilled players: surely less than 50 %."),
        (0.45, (0.3, 0.6), "against skilled players: not surely more than 50 %."),
    ],
)
def test_how_the_best_policy_fares(
    nim: Study, wins: float, interval: tuple[float, float], words: str
) -> None:
    policy = Policy("random", "never pass", "pass", False, 100, 0.9, (0.8, 0.95), 0.0)
    dominance = Dominance((policy,), "mcts", 100, wins, interval, 0.5)
    assert words in wording(dataclasses.replace(nim, policies=dominance))["policy"]


def test_a_flaw_says_in_whose_games_it_shows(nim: Study) -> None:
    seat_flaws = [
        Flaw(FlawKind.SEAT, "1", "Seat 1 wins.", who) for who in ("random", nim.agent, "osla")
    ]
    text = wording(dataclasses.replace(nim, flaws=tuple(seat_flaws)))["attention"]
    for words in ("in random play", "in skilled play", "in games of osla"):
        assert f"A seat has an advantage. Seat 1 wins. ({words})" in text


@pytest.mark.parametrize(
    ("rule", "expected"), [("(all (filter player…", "player… "), ("(won ?w)", "(won ?w). ")]
)
def test_a_rule_that_is_cut_short_has_no_full_stop(nim: Study, rule: str, expected: str) -> None:
    ended = EndedBy(rule, nim.random.finished, 1.0, (0.99, 1.0))
    play = dataclasses.replace(nim.random, more={**nim.random.more, "ended_by": (ended,)})
    text = wording(dataclasses.replace(nim, random=play))["end"] + " "
    assert expected in text
    assert "…." not in text

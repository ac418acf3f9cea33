"""The conformance check: correct games pass, each fault is found and named."""

from __future__ import annotations

import contextlib
import functools
import json
import threading
import time
from typing import Any

import pytest
from tests.checks import broken_games as broken
from tests.checks.sound_games import Island

import kibitz
from kibitz.checks import Law, check_game, watched
from kibitz.checks import check as conformance_check
from kibitz.checks.case import CERTAINTY, Variation
from kibitz.core.errors import KibitzError, ParameterError, UnknownGameError
from kibitz.core.game import Game
from kibitz.core.results import fail
from kibitz.syntax.findings import CheckResult


@functools.cache
def check(game: type[Game], players: int | None = 2) -> CheckResult:
    """A short check, always the same."""
    return check_game(game, games=4, seed=1, players=players)


# --- games without a fault ----------------------------------------------------------------------


@pytest.mark.parametrize(("name", "games"), [("tic-tac-toe", 8), ("love-letter", 2)])
def test_the_library_conforms(name: str, games: int) -> None:
    report = check_game(name, games=games)
    assert report.ok, report
    assert report.checked["games"] == report.checked["games repeated compiled"]
    assert report.checked["states examined closely"] >= report.checked["games"]


def test_the_sound_game_conforms() -> None:
    report = check(broken.Sound, players=None)
    assert report.ok, report
    assert report.checked["samples"] > 0
    assert report.checked["openings"] == 2 * conformance_check.OPENINGS  # with 2 and 3 players
    assert "all" in str(report)


def test_all_kinds_of_hidden_pieces_conform() -> None:
    report = check_game(Island, games=4)
    assert report.ok, report


def test_the_same_seed_checks_the_same() -> None:
    first, second = (check_game(broken.Duplicates, games=1, seed=5, players=2) for _ in range(2))
    assert first.findings == second.findings
    assert first.checked == second.checked


# --- games with one fault each ------------------------------------------------------------------

FAULTS: list[tuple[type[Game], Law, str]] = [
    (broken.RefusedDefaults, Law.DECLARATION, "a hand of 3 is needed"),
    (broken.MixedPool, Law.DECLARATION, "stones shares the pool"),
    (broken.NoLayout, Law.EXCEPTION, "TypeError: how large?"),
    (broken.UnreadParameter, Law.PARAMETER, "speed: no rule reads it"),
    (broken.UnknownField, Law.EXCEPTION, "no field 'notes'"),
    (broken.TooLarge, Law.EXCEPTION, "does not fit"),
    (broken.Overflows, Law.CAPACITY, "played (6 of 6)"),
    (broken.DeadEnd, Law.DEAD_END, "can do nothing"),
    (broken.NeverEnds, Law.ENDS, "still goes on after 100 actions"),
    (broken.FailingAction, Law.LEGAL, "fail"),
    (broken.Duplicates, Law.DISTINCT, "is listed 2 times"),
    (broken.AmbiguousWords, Law.PARSE, "are read as another action"),
    (broken.WideOperand, Law.PARSE, "PLAY was packed with more operands"),
    (broken.DrawsWhileAsking, Law.PURE, "legal_actions changed the state: rng"),
    (broken.LosesCard, Law.CONSERVED, "missing"),
    (broken.CopiesCard, Law.CONSERVED, "too many"),
    (broken.StaleSlack, Law.COMPONENT, "deck: place"),
    (broken.NoSuchCard, Law.COMPONENT, "hands[0]: place 2 holds 77"),
    (broken.EmptySeats, Law.COMPONENT, "hands[2]: it changed"),
    (broken.NoSuchPlayer, Law.HEADER, "player: it is 2 and should be within 0 .. 1"),
    (broken.CountsTicks, Law.HEADER, "tick: it is 2 and should be 1"),
    (broken.CountsOutside, Law.REPLAY, "note.values[0]"),
    (broken.PythonChance, Law.REPLAY, "note.values[0]"),
    (broken.NoPlaces, Law.RESULTS, "a place was not set"),
    (broken.EarlyReturns, Law.RESULTS, "the game goes on"),
    (broken.WrongWinner, Law.RESULTS, "a worse place has the higher return"),
    (broken.NarrowScores, Law.SCORES, "score_range declares 0 to 0"),
    (broken.SharedWin, Law.SCORES, "which add up to 2"),
    (broken.LoudHeuristic, Law.HEURISTIC, "for player 1 it is"),
    (broken.NotANumber, Law.HEURISTIC, "it is nan"),
    (broken.HeuristicRemembers, Law.PURE, "heuristic changed the state: note.values[1]"),
    (broken.CannotBeShown, Law.SHOWN, "cannot be shown to player 1: KeyError: -1"),
    (broken.LeaksTopCard, Law.SECRET, "note.values[1]: everyone sees this number"),
    (broken.LeaksDrawnCard, Law.SECRET, "note.values[0]: everyone sees this number"),
    (broken.NotShuffled, Law.SECRET, "same in every game at the same moment"),
    (broken.ForgetsHand, Law.VISIBILITY, "hands[0]: card 0 is not known to player 1"),
    (broken.BlindHands, Law.OPTIONS, "depends on what they do not know"),
    (broken.ResamplesHand, Law.OBSERVATION, "what player 1 has seen differs: hands[0].cards[0]"),
    (broken.SecretInTheOpen, Law.OBSERVATION, "an open number differs"),
    (broken.SecretInTheOpen, Law.BLIND, "look the same to player 1 are resampled differently"),
    (broken.AlwaysPoor, Law.VARIES, "purses: what is hidden in it was the same"),
    (broken.SpoilsSample, Law.COMPONENT, "redeterminize spoils deck: place 0 holds 5000"),
    (broken.RejectsTruth, Law.CONSISTENT, "rejects the true state on behalf of player 1"),
    (broken.TrustsBottomCard, Law.PLAYS_ON, "then state.determinize(0, seed="),
    (broken.Prints, Law.COMPILES, "apply_action cannot be compiled"),
    (broken.LargeNumbers, Law.SAME_COMPILED, "disagree on note.values[0]"),
    (broken.Crashes, Law.SAME_COMPILED, "the compiled rules crashed (SIGSEGV)"),
]


@pytest.mark.parametrize(("game", "law", "words"), FAULTS)
def test_faults_are_found(
    game: type[Game], law: Law, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if law != Law.SECRET:  # which alone the openings are played for
        monkeypatch.setattr(conformance_check, "OPENINGS", 2)
    report = check(game)
    found = [problem for problem in report.findings if problem.law == law]
    assert found, report
    assert any(words in str(problem) for problem in found), report
    assert len(report.broken) == CONSEQUENCES.get(game, 0) + 1, report


CONSEQUENCES: dict[type[Game], int] = {
    broken.ForgetsHand: 1,  # so the choice depends on cards that are not seen
    broken.ResamplesHand: 2,  # so does it here, and samples of samples differ
    broken.SecretInTheOpen: 1,
}
"""How many further laws a fault breaks; nearly all show as themselves only."""


def test_a_parameter_that_no_rule_comes_to_read_is_found_in_many_games() -> None:
    few = check(broken.UnreachedParameter)
    assert few.ok
    assert any("ever comes to read speed: check all numbers" in remark for remark in few.not_tried)
    many = check_game(broken.UnreachedParameter, games=8, seed=1)
    assert many.broken == [Law.PARAMETER]
    assert "speed: no rule came to read it in 16 games" in str(many.findings[0])


def test_what_never_varies_in_a_single_game_may_be_what_its_players_know() -> None:
    variation = Variation()
    for _ in range(9):
        variation.note_constant("stock", 1, 5.0)
        variation.note_constant("purses", 1, 5.0)
    for game in range(4):
        variation.note_constant("purses", game, 5.0)
        variation.note_constant("hands", game, 0.1)
    assert [finding.path for finding in variation.findings()] == ["purses"]
    variation.varied.add("purses")
    assert not list(variation.findings())


@pytest.mark.parametrize(("surprise", "sure"), [(CERTAINTY / 3, True), (CERTAINTY / 3.01, False)])
def test_it_takes_certainty_to_say_that_something_never_varies(
    surprise: float, sure: bool
) -> None:
    variation = Variation()
    for game in range(3):
        variation.note_constant("purses", game, surprise)
    assert [finding.path for finding in variation.findings()] == ["purses"] * sure


def test_a_rule_that_has_ended_is_not_taken_for_an_endless_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watched, "RULE_SECONDS", 0.01)
    monkeypatch.setattr(watched, "BLOCKED_SECONDS", 0.01)
    with watched.Watch() as watch:
        table = watch.game(broken.Sound).table(2)
        with contextlib.suppress(watched.EndlessRule):  # on a slow machine it may take longer
            table.new_state(1)
        waiting = threading.Event()
        assert not waiting.wait(0.15)


class FailsAtTimes(broken.UnreadParameter):
    """Fails with other parameters than the defaults, and does not read one."""

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        if params.hand == 2:
            broken.take_turn(state, params, action)
        else:
            fail(state)


def test_no_parameter_is_called_unread_where_games_broke_off() -> None:
    report = check_game(FailsAtTimes, games=4, seed=1, players=2, compiled=False)
    assert report.broken == [Law.LEGAL]
    assert report.checked["games"] == 4


class Slow(broken.Sound):
    """Takes its time to set up."""

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        time.sleep(0.12)  # the watchdog looks every 0.05 s
        broken.Sound.setup(state, params)


def test_a_slow_rule_is_not_taken_for_an_endless_one() -> None:
    with watched.Watch() as watch:
        state = watch.game(Slow).table(2).new_state(1)
    assert bytes(state) == bytes(broken.Sound(compiled=False).table(2).new_state(1))


def test_a_wild_index_is_found_where_it_is_one() -> None:
    report = check(broken.WildIndex, players=3)
    assert report.broken == [Law.EXCEPTION]
    problem = report.findings[0]
    assert "IndexError: index 3 is outside 0 .. 2" in problem.message
    assert "broken_games.py" in problem.message
    assert "state.hands[state.player + 1]" in problem.message
    assert "foreign memory" in problem.cure


def test_an_endless_loop_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched, "RULE_SECONDS", 0.2)
    report = check(broken.EndlessLoop)
    assert report.broken == [Law.ENDLESS]
    assert "in apply_action" in report.findings[0].message


def test_uncompiled_faults_keep_compiled_rules_from_running() -> None:
    report = check(broken.Duplicates)
    assert "games repeated compiled" not in report.checked
    assert any("were not run" in remark for remark in report.not_tried)


def test_cards_may_come_and_go_where_the_game_says_so() -> None:
    class Generous(broken.LosesCard):
        conserved = False

    report = check_game(Generous, games=1, players=2)
    assert report.ok, report


# --- the report ---------------------------------------------------------------------------------


def test_a_problem_can_be_seen_again() -> None:
    report = check(broken.DeadEnd)
    problem = report.findings[0]
    assert (problem.spot.players, problem.spot.tick) == (2, len(problem.spot.actions))
    state = problem.replay(broken.DeadEnd(compiled=False))
    with pytest.raises(kibitz.errors.DeadEndError):
        state.legal_actions()
    with pytest.raises(ValueError, match="no single game"):
        check(broken.UnreadParameter).findings[0].replay(broken.UnreadParameter(compiled=False))


def test_a_failing_action_is_the_last_of_its_problem() -> None:
    problem = check(broken.FailingAction).findings[0]
    with pytest.raises(kibitz.errors.RulesError):
        problem.replay(broken.FailingAction(compiled=False))


def test_repeated_problems_are_counted() -> None:
    report = check(broken.Duplicates)
    assert [problem.law for problem in report.findings] == [Law.DISTINCT] * 3
    assert report.further[Law.DISTINCT] > 0
    assert f"... and {report.further[Law.DISTINCT]} more" in str(report)


def test_a_report_is_json() -> None:
    document = json.loads(json.dumps(check(broken.StaleSlack).to_json()))
    assert document["ok"] is False
    assert document["game"] == "sound"
    first = document["findings"][0]
    assert first["law"] == "component"
    assert first["path"] == "deck"
    assert first["parameters"] == {"hand": 2, "bonus": 1}
    assert first["tick"] == len(first["actions"])


# --- what can be asked for ----------------------------------------------------------------------


def test_a_game_is_a_name_a_class_or_an_instance() -> None:
    game = kibitz.load("tic-tac-toe")
    checks = [check_game(g, games=1) for g in ("tic-tac-toe", type(game), game)]
    assert all(report.ok and report.game == "tic-tac-toe" for report in checks)


def test_numbers_of_players_can_be_chosen() -> None:
    assert check_game(broken.Sound, games=1, players=[2, 3]).checked["games"] == 2
    with pytest.raises(ParameterError, match="2 to 3 players"):
        check_game(broken.Sound, players=4)
    with pytest.raises(ParameterError, match="games = 0 should be 1 or more"):
        check_game(broken.Sound, games=0)
    with pytest.raises(ParameterError, match="games = '1' should be a whole number"):
        check_game(broken.Sound, games="1")  # type: ignore[arg-type]
    with pytest.raises(UnknownGameError):
        check_game("no such game")


def test_a_game_without_rules_is_a_finding() -> None:
    class Nothing(Game):
        name = "nothing"

    report = check_game(Nothing)
    assert report.broken == [Law.DECLARATION]
    assert "does not define setup" in report.findings[0].message


def test_the_game_itself_is_left_alone() -> None:
    check(broken.Sound)
    state = broken.Sound(compiled=False).new_state(2, seed=3)
    assert type(state.table.game) is broken.Sound
    with pytest.raises(KibitzError):
        state.apply(255)

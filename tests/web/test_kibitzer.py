"""The kibitzer: chances that are known, and that it knows no more than its seat."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

import kibitz
from kibitz.arena.random_returns import random_returns
from kibitz.core.agent import Advice
from kibitz.core.state import State
from kibitz.web import kibitzer, opinions
from kibitz.web.kibitzer import Assessment, assess, expected_line, win_share

pytestmark = pytest.mark.usefixtures("counted")


def played(name: str, players: int, *words: str, seed: int = 0) -> State:
    state = kibitz.load(name).table(players).new_state(seed)
    for action in words:
        state.apply(action)
    return state


def last(state: State, seat: int | None, steps: int = 3) -> Assessment:
    assessment = assess(state, seat, steps - 1, first=10)
    assert assessment is not None
    return assessment


def test_a_win_in_one_is_certain() -> None:
    state = played("tic-tac-toe", 2, "mark 0 0", "mark 1 0", "mark 0 1", "mark 1 1")
    assessment = last(state, 0)
    assert state.action_words(assessment.options[0].action) == "mark 0 2"
    assert assessment.chances[0] > 0.95
    assert sum(assessment.chances) == pytest.approx(1)


def test_the_other_sees_the_same_chances_but_no_options() -> None:
    state = played("tic-tac-toe", 2, "mark 0 0", "mark 1 0", "mark 0 1", "mark 1 1")
    assessment = last(state, 1)
    assert assessment.chances[0] > 0.9
    assert assessment.options == ()


@pytest.mark.parametrize(("name", "players"), [("love-letter", 3), ("spades", 4), ("gops", 2)])
def test_chances_are_shares_of_the_win(name: str, players: int) -> None:
    assessment = last(played(name, players, seed=3), 0, 2)
    assert len(assessment.chances) == players
    sides = kibitz.load(name).table(players).sides
    assert sum(assessment.chances[side[0]] for side in sides) == pytest.approx(1)
    assert all(0 <= chance <= 1 for chance in assessment.chances)


def test_partners_have_the_same_chance() -> None:
    assessment = last(played("spades", 4, seed=3), None, 2)
    assert assessment.chances[0] == pytest.approx(assessment.chances[2])
    assert assessment.chances[1] == pytest.approx(assessment.chances[3])


def test_all_have_the_same_chance_where_they_play_together() -> None:
    assessment = last(played("pandemic", 2, seed=3), 0, 1)
    assert assessment.chances[0] == assessment.chances[1]


def test_nothing_is_said_of_a_finished_game() -> None:
    state = played("tic-tac-toe", 2)
    for square in ("0 0", "1 0", "0 1", "1 1", "0 2"):
        state.apply(f"mark {square}")
    assert assess(state, 0, 0) is None


def test_values_are_shares_of_the_win() -> None:
    letter, whist = kibitz.load("love-letter").table(3), kibitz.load("whist").table()
    assert win_share(1.0, letter) == 1.0
    assert win_share(0.25, letter) == 0.0  # -1/2, the return of whoever has not won
    assert win_share(0.5, letter) == pytest.approx(1 / 3)
    assert win_share(0.3, kibitz.load("pandemic").table(3)) == win_share(0.3, whist) == 0.3


def test_what_is_hidden_does_not_change_random_returns() -> None:
    """Playouts begin from what the seat knows: states that look alike have the same returns."""
    state = played("love-letter", 3, seed=5)
    dice = random.Random(1)
    for _ in range(5):
        state.apply(dice.choice(state.legal_actions()))
    for seat in range(3):
        other = state.determinize(seat, 77)
        if bytes(other) == bytes(state):
            continue
        assert random_returns(state, seat, 300, 9) == random_returns(other, seat, 300, 9)


def test_random_returns_of_a_decided_game_are_its_result() -> None:
    state = played("tic-tac-toe", 2)
    for square in ("0 0", "1 0", "0 1", "1 1", "2 2", "1 2"):
        state.apply(f"mark {square}")
    assert random_returns(state, 0, 10, 1) == [-1.0, 1.0]


@pytest.mark.parametrize(
    ("game", "players", "value", "visits", "chance", "error"),
    [
        ("tic-tac-toe", 2, 0.5, 100, 0.5, 1.96 * 0.05),
        ("tic-tac-toe", 2, 0.02, 100, 0.02, 1.96 * 0.014),
        ("tic-tac-toe", 2, 0.98, 100, 0.98, 1.96 * 0.014),
        # where all visits had the same value, as if half a visit had had another one
        ("tic-tac-toe", 2, 0.0, 100, 0.0, 1.96 * 0.005),
        ("tic-tac-toe", 2, 1.0, 100, 1.0, 1.96 * 0.005),
        ("tic-tac-toe", 2, 1.0, 30, 1.0, 1.96 * 0.5 / 30),
        ("tic-tac-toe", 2, 0.5, 29, 0.5, None),
        # of three players one wins, and 1/4 is the value of a defeat
        ("love-letter", 3, 0.5, 100, 1 / 3, 1.96 * 0.05 * 4 / 3),
        ("love-letter", 3, 0.2, 100, 0.0, (0.2 + 1.96 * 0.04 - 0.25) * 4 / 3),
        ("love-letter", 3, 0.1, 100, 0.0, 0.0),
        ("love-letter", 3, 0.98, 100, (0.98 - 0.25) * 4 / 3, 1.96 * 0.014 * 4 / 3),
        ("love-letter", 3, 1.0, 100, 1.0, 1.96 * 0.005 * 4 / 3),
        ("pandemic", 2, 0.02, 100, 0.02, 1.96 * 0.014),
    ],
)
def test_an_interval_is_that_of_a_mean(
    game: str,
    players: int,
    value: float,
    visits: int,
    chance: float,
    error: float | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = played(game, players)
    options = state.legal_actions()

    class Searched:
        """A search that spent these visits on one option, and 300 on another."""

        random = random.Random(1)

        def advise(self, sample: State) -> list[Advice]:
            return [Advice(options[0], 0.0, value, visits), Advice(options[1], 0.0, 0.5, 300)]

    monkeypatch.setattr(kibitzer, "thinking", lambda agent, milliseconds: Searched())
    assessment = assess(state, state.current_player, 0)
    assert assessment is not None
    other, option = assessment.options
    assert (other.action, option.action) == (options[1], options[0])
    assert option.share == visits / (visits + 300)
    assert option.chance == pytest.approx(chance, abs=1e-12)
    assert option.error == (None if error is None else pytest.approx(error, abs=1e-12))


def test_opinions_are_shown_the_best_first_and_escaped() -> None:
    state = played("tic-tac-toe", 2)
    assessment = last(state, 0, 2)
    html = opinions.advice(assessment)
    assert html.count("<tr>") == 1 + min(9, opinions.MOST_OPINIONS)
    assert "&lt;me&gt;" in opinions.chances(assessment, ["<me>", "other"])
    assert opinions.curve({0: (0.5, 0.5)}, ["a", "b"], 1) == ""
    assert opinions.curve({0: (0.5, 0.5), 1: (0.2, 0.8)}, ["a", "b"], 1).count("polyline") == 4


def test_a_small_error_is_not_rounded_to_none() -> None:
    state = played("tic-tac-toe", 2)
    assessment = last(state, 0, 2)
    shown = {0.0034: "± 0.3<", 0.0096: "± 1<", 0.12: "± 12<"}
    for error, words in shown.items():
        options = tuple(replace(option, error=error) for option in assessment.options)
        assert words in opinions.advice(replace(assessment, options=options))


def test_the_line_leads_to_the_win_that_there_is() -> None:
    state = played("tic-tac-toe", 2, "mark 0 0", "mark 1 0", "mark 0 1", "mark 1 1")
    assert expected_line(state, 0, 40) == ((0, "mark 0 2"),)


@pytest.mark.parametrize("name", ["love-letter", "hearts", "kuhn-poker"])
def test_what_is_hidden_changes_no_line(name: str) -> None:
    """States that a seat cannot tell apart have the same line, and each step can be played."""
    low, _ = kibitz.load(name).players
    state = played(name, low, seed=5)
    dice = random.Random(3)
    for _ in range(3):
        state.apply(dice.choice(state.legal_actions()))
        if state.is_terminal:
            break
        for seat in range(state.players):
            other = state.determinize(seat, 41)
            line = expected_line(state, seat, 10)
            assert line == expected_line(other, seat, 10)
            assert len(line) <= 4
            if line:
                assert line[0][0] == state.current_player


def test_a_line_does_not_go_on_after_what_the_seat_cannot_know() -> None:
    """In Love Letter one's next card is not known, so the line has no second own choice."""
    state = played("love-letter", 2, seed=5)
    line = expected_line(state, state.current_player, 10)
    assert [player for player, _ in line] == [state.current_player]  # nor what others hold


def test_the_line_begins_with_the_best_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kibitzer, "LINE_FROM", 10)
    state = played("love-letter", 2, seed=5)
    assessment = last(state, state.current_player, 1)
    assert assessment.line[0] == (
        state.current_player,
        state.action_words(assessment.options[0].action),
    )
    other = assessment.options[-1].action
    line = expected_line(state, state.current_player, 10, other)
    assert line[0][1] == state.action_words(other)

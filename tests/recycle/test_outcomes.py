"""Results that the rules announce, eliminated players, and players who respond."""

from __future__ import annotations

import pytest
from tests.recycle.agreement import play_both
from tests.recycle.oracle import Oracle
from tests.recycle.programs import choice, do, game, stage

from kibitz.recycle.checker import diagnose
from kibitz.recycle.parser import program
from kibitz.syntax.source import Source

COUNT = "(inc (game sto N))"
SCORES = "(all player 'P (set ('P sto SCORE) (pid 'P)))"


def announced(*steps: str, before: str = "") -> tuple[list[int], list[float]]:
    """The places and returns of four players whose scores are 0 to 3."""
    end = choice(f"(do ({COUNT} {' '.join(steps)} (set (game sto N) 99)))")
    state, oracle = play_both(game(before, do(SCORES), end, players=4), seed=1)
    assert oracle.status == "finished"
    assert (oracle.state.numbers["game", "N"] == 99) == (oracle.winners is None)
    seats = [state.view.seat[p] for p in range(4)]
    return [seat.place for seat in seats], [round(seat.returns, 3) for seat in seats]


def test_the_winner_is_announced() -> None:
    assert announced("(win (1 player))") == ([2, 1, 2, 2], [-0.333, 1.0, -0.333, -0.333])


def test_the_loser_is_announced() -> None:
    assert announced("(lose (1 player))") == ([1, 2, 1, 1], [0.111, -0.333, 0.111, 0.111])


def test_all_lose_or_win() -> None:
    assert announced("(lose all)") == ([2] * 4, [-1.0] * 4)
    assert announced("(win all)") == ([1] * 4, [1.0] * 4)


def test_several_win() -> None:
    winners = "(win (filter player 'P (> ('P sto SCORE) 1)))"
    assert announced(winners) == ([2, 2, 1, 1], [-0.333, -0.333, 0.333, 0.333])


def test_what_does_not_happen_announces_nothing() -> None:
    places, _ = announced("((== 1 2) (win (0 player)))")
    assert places == [4, 3, 2, 1]


def test_partners_win_together() -> None:
    text = game(do("(win (team (2 player)))"), choice("(turn pass)"), players=4).replace(
        "(create players 4)", "(create players 4) (create teams (0, 2) (1, 3))"
    )
    state, oracle = play_both(text, seed=1)
    assert oracle.status == "finished"
    assert [state.view.seat[p].place for p in range(4)] == [1, 2, 1, 2]


# --- ties ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scoring", "places"),
    [
        ("max ('P sto A)", [1, 1, 1, 4]),
        ("max ('P sto A) ('P sto B)", [2, 1, 2, 4]),
        ("min ('P sto A) ('P sto B)", [2, 4, 2, 1]),
        ("max ('P sto A) (- 0 ('P sto B))", [1, 3, 1, 4]),
        ("max (* 300000000 ('P sto A)) (* 1000 ('P sto B))", [2, 1, 2, 4]),
    ],
)
def test_a_second_number_decides_among_equal_scores(scoring: str, places: list[int]) -> None:
    stored = [f"(set (({p} player) sto A) {2 - p // 3})" for p in range(4)]
    stored += [f"(set (({p} player) sto B) {b})" for p, b in enumerate((4, 5, 4, 9))]
    text = game(do(*stored), choice("(turn pass)"), players=4)
    scored = scoring.replace("'P", "(current player)")
    text = text[: text.index("(scoring")] + f"(scoring {scored}))"
    state, oracle = play_both(text, seed=1)
    assert state.places() == places
    assert state.scores() == oracle.scores
    assert round(max(state.returns()), 3) == {1: 1.0, 2: 0.333, 3: 0.111}[places.count(1)]


def test_nothing_decides_where_all_are_one_side() -> None:
    text = game(do("(set (game sto A) 3)"), choice("(turn pass)"), players=2)
    text = text[: text.index("(scoring")] + "(scoring max (game sto A) (game sto A)))"
    state, _ = play_both(text, seed=1)
    assert state.returns() == [0.75, 0.75]


# --- elimination --------------------------------------------------------------------------


def deciders(text: str, most: int = 30) -> list[int]:
    """Who decides, if always the first option is chosen."""
    oracle = Oracle(program(Source("game.rcy", text)), 1)
    players = []
    while oracle.status == "playing" and len(players) < most:
        players.append(oracle.player)
        oracle.play(0)
    return players


TURNS = stage("(== (game sto N) 6)", choice(COUNT))


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("(eliminate (1 player))", [0, 2, 0, 2, 0, 2]),
        ("(eliminate (0 player))", [1, 2, 1, 2, 1, 2]),
        ("(eliminate (other player))", [0] * 6),
        ("(do ((eliminate (2 player)) (cycle current (previous player))))", [1, 0, 1, 0, 1, 0]),
    ],
)
def test_eliminated_players_are_passed_over(before: str, expected: list[int]) -> None:
    text = game(do(before), TURNS)
    assert deciders(text) == expected
    play_both(text, seed=1)


def test_all_players_are_those_who_are_in() -> None:
    text = game(
        do(
            "(eliminate (1 player))",
            "(all player 'P (inc ('P sto SCORE) (size (other player))))",
            "(inc (game sto N) (size player))",
        ),
        choice(
            "(any (other player) 'P (eliminate 'P))",
            "(any player 'P (inc ('P sto SCORE) 7))",
            "(inc ((next player) sto SCORE) 3)",
        ),
        do("(all player 'P (inc ('P sto SCORE) 100))"),
    )
    for seed in range(4):
        _, oracle = play_both(text, seed)
        assert oracle.state.numbers["game", "N"] == 2
        assert oracle.scores[1] == 0


def test_nobody_is_eliminated_where_all_choose_at_once() -> None:
    text = game(
        f"(stage player simultaneous (end (> (game sto N) 2)) {choice(COUNT)})",
        do("(eliminate (0 player))"),
    )
    codes = [p.code for p in diagnose(Source("game.rcy", text)) if p.is_error]
    assert codes == ["simultaneous"]


# --- responses ----------------------------------------------------------------------------


def asked(responders: str, *items: str, able: str = "(> ((current player) sto CAN) 0)") -> str:
    """A turn of each player, to which players with a number CAN may respond."""
    respond = (
        f"(respond {responders} (({able} (do ((dec ((current player) sto CAN))"
        f" (inc ((current player) sto SCORE)))))) {' '.join(items)})"
    )
    return game(
        do("(all player 'P (set ('P sto CAN) (- 2 (pid 'P))))"),
        stage("(== (game sto N) 3)", choice(COUNT), respond),
    )


def test_who_has_no_option_is_not_asked() -> None:
    # player 0 may respond twice, player 1 once, player 2 never
    assert deciders(asked("(other player)")) == [0, 1, 1, 0, 2, 0]


def test_the_current_player_is_asked_last() -> None:
    text = asked("player")
    assert deciders(text) == [0, 1, 1, 0, 2, 0]
    alone = asked("(current player)")
    assert deciders(alone) == [0, 0, 1, 1, 2]


def test_all_pass_or_one_responds() -> None:
    for responders in ("(other player)", "player", "(next player)", "(filter player 'P (== 1 1))"):
        for seed in range(3):
            play_both(asked(responders), seed)


def test_items_follow_a_response_only_and_nest() -> None:
    inner = "(respond (other player) ((inc (game sto ANSWERS))))"
    text = asked("(other player)", inner, do("(inc ((current player) sto AFTER))"))
    for seed in range(4):
        _, oracle = play_both(text, seed)
        after = [oracle.state.numbers.get((("player", p), "AFTER"), 0) for p in range(3)]
        assert after == oracle.scores


def test_a_response_is_no_turn() -> None:
    state, oracle = play_both(asked("(other player)"), seed=2)
    assert oracle.status == "finished"
    assert state.view.turn == 3


def test_eliminated_players_do_not_respond() -> None:
    text = asked("player", do("(eliminate (current player))"))
    for seed in range(3):
        play_both(text, seed)


def test_sets_of_cards_in_responses() -> None:
    """Options that do not fit into an action are decoded at the choice that is asked."""
    deal = do(
        "(all player 'P (repeat 2 (move (top (game vloc STOCK)) (top ('P iloc HAND)))))",
    )
    any_cards = (
        "(any (filter (subsets ((current player) iloc HAND)) 'S (> (size 'S) 0)) 'S"
        " (all 'S 'C (move 'C (top (game vloc OUT)))))"
    )
    text = game(
        deal, stage("(> (game sto N) 2)", choice(COUNT), f"(respond player ({any_cards}))")
    )
    for seed in range(3):
        play_both(text, seed)


MISTAKES = {
    "wrong-shape": "(respond (other player))",
    "wrong-type": "(respond (game vloc STOCK) ((turn pass)))",
    "misplaced": do("(respond player ((turn pass)))"),
    "too-few-arguments": do("(win)"),
    "too-many-arguments": do("(lose (0 player) (1 player))"),
}


@pytest.mark.parametrize("code", MISTAKES)
def test_mistakes(code: str) -> None:
    problems = diagnose(Source("game.rcy", game(MISTAKES[code], choice("(turn pass)"))))
    assert code in [problem.code for problem in problems if problem.is_error]

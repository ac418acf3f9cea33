"""Trials: what random games with the extreme settings of a card game report."""

from __future__ import annotations

from pathlib import Path

import pytest

from kibitz.languages import recycle_trial
from kibitz.languages.recycle_trial import ENDLESS_GAMES, TableSettings, extreme_settings, try_out
from kibitz.recycle.game import RecycleGame
from kibitz.syntax.source import Diagnostic, Severity, Source

CLAUSE = "(any ((current player) iloc HAND) 'C (move 'C (top ((current player) vloc WON))))"

TEXT = """\
;; Six
;; Players: {players}
;; HAND {hands}: cards dealt to each player
;; ROUNDS 1-3: how often
(game
  (declare 3 'NUMP)
  (declare 2 'HAND)
  (declare 1 'ROUNDS)
  (setup
    (create players 'NUMP)
    (create deck (game iloc STOCK) (deck (RANK (A, B, C, D, E, F)) (SUIT (X, Y, Z, U)))))
  (stage player
    (end (== (game sto ROUND) 'ROUNDS))
    (do (
      (all player 'P (repeat all (move (top ('P vloc WON)) (top (game iloc STOCK)))))
      (shuffle (game iloc STOCK))
      (all player 'P
        (repeat 'HAND (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))
    (stage player
      (end {end})
      (choice (
        {clauses})))
    (do ((inc (game sto ROUND) 1))))
  (scoring max (size ((current player) vloc WON))))
"""
EMPTY = "(all player 'P (== (size ('P iloc HAND)) 0))"


def kind(
    clauses: str = CLAUSE, end: str = EMPTY, players: str = "2-4", hands: str = "1-6"
) -> type[RecycleGame]:
    """The game with other clauses, end and ranges."""
    text = TEXT.format(players=players, hands=hands, end=end, clauses=clauses)
    return RecycleGame(Source("six.rcy", text))


def diagnostics_of(game: type[RecycleGame], **options: int) -> list[Diagnostic]:
    return try_out(game, games=5, **options).diagnostics


def place(game: type[RecycleGame], diagnostic: Diagnostic) -> str:
    return game.text.piece(diagnostic.span)


def test_a_sound_game_has_nothing_to_be_told() -> None:
    done = try_out(kind())
    assert done.diagnostics == []
    assert {tried.setting.players for tried in done.tables} == {2, 3, 4}
    assert done.tables[0].setting == TableSettings(3, {})
    assert done.tables[0].games == recycle_trial.GAMES * recycle_trial.MORE_GAMES


@pytest.mark.parametrize(
    ("declared", "problem"),
    [("from 0 to 1", "is not within 0 to 1"), ("from 0 to 24, zero-sum", "does not add up")],
)
def test_scores_are_as_the_header_declares(declared: str, problem: str) -> None:
    line = f";; Played for: score {declared}"
    text = kind().text.text.replace(";; ROUNDS", f"{line}\n;; ROUNDS")
    game = RecycleGame(Source("six.rcy", text))
    (diagnostic,) = diagnostics_of(game)
    assert diagnostic.is_error
    assert problem in diagnostic.message
    assert place(game, diagnostic) == line
    assert "kibitz record six --players 3 --seed" in diagnostic.hint


def test_each_end_of_each_range_is_tried_alone_and_with_others() -> None:
    tried = [
        (setting.players, dict(setting.values)) for setting in extreme_settings(kind(), None, None)
    ]
    for players in (2, 3, 4):
        for values in (
            {},
            {"hand": 6, "rounds": 3},
            {"hand": 1},
            {"hand": 6},
            {"rounds": 3},
        ):
            assert (players, values) in tried
    assert len(tried) == 15  # each once: the least number of rounds is the usual one
    assert tried[0] == (3, {})


def test_what_is_given_is_not_varied() -> None:
    tried = extreme_settings(kind(), 2, {"HAND": 4})
    assert [(setting.players, dict(setting.values)) for setting in tried] == [
        (2, {"hand": 4}),
        (2, {"hand": 4, "rounds": 3}),
    ]


def test_a_range_counts_only_where_the_text_declares_it() -> None:
    text = kind().text.text.replace(";; Players: 2-4\n", "").replace(";; HAND 1-6: cards", ";; ")
    tried = extreme_settings(RecycleGame(Source("open.rcy", text)))
    assert [(setting.players, dict(setting.values)) for setting in tried] == [
        (3, {}),
        (3, {"rounds": 3}),
    ]


def test_a_deck_that_is_too_small_for_a_corner() -> None:
    game = kind(hands="1-10")
    (diagnostic,) = diagnostics_of(game)
    assert diagnostic.is_error
    assert diagnostic.message.startswith("The game breaks off: the top card of an empty place")
    assert "in all 5 random games with 3 players and hand=10" in diagnostic.message
    assert "(top (game iloc STOCK))" in place(game, diagnostic)
    assert "kibitz record six --players 3 --seed" in diagnostic.hint


def test_a_number_of_players_for_which_there_are_no_cards() -> None:
    (diagnostic,) = diagnostics_of(kind(players="2-13"))
    assert "with 13 players" in diagnostic.message


def test_a_player_without_an_option_is_told_once_whoever_it_is() -> None:
    clause = CLAUSE.replace("(any", "((< (size ((current player) vloc WON)) 1) (any", 1) + ")"
    game = kind(clause)
    (diagnostic,) = diagnostics_of(game)
    assert (diagnostic.code, diagnostic.is_error) == ("dead-end", True)
    assert place(game, diagnostic).startswith("(choice")
    assert "(turn pass)" in diagnostic.hint


def test_a_choice_with_too_many_options_is_not_said_to_have_none() -> None:
    """It was reached in every game, although nobody could choose."""
    cards = "(filter (subsets ((current player) vloc WON)) 'S (> (size 'S) 0))"
    clause = f"(any {cards} 'S (repeat all (move (top 'S) (top (game vloc LOST)))))"
    text = (
        "(game (setup (create players 2) (create deck ((0 player) vloc WON) "
        "(deck (RANK (A, B, C, D)) (SUIT (S, T, U, V))))) "
        f"(choice ({clause})) (scoring max (size ((current player) vloc WON))))"
    )
    (diagnostic,) = diagnostics_of(RecycleGame(Source("many.rcy", text)))
    assert diagnostic.code == "too-many-options"


@pytest.mark.parametrize(("more", "codes"), [("", ["maybe-stuck"]), ("(turn pass)", [])])
def test_a_choice_that_may_have_no_option_is_told_where_play_hardly_got_to_it(
    more: str, codes: list[str]
) -> None:
    """In one game of twenty somebody gives up a card that is no A; three A are hardly met."""
    rare = (
        "(do ((set (game sto LUCK) (random 1 .. 20)))) "
        "(stage player (end (or (!= (game sto LUCK) 1) (== (game sto DONE) 1))) (choice ("
        "(any (filter ((current player) vloc WON) 'C (!= (cardatt RANK 'C) A)) 'C "
        f"(move 'C (top (game vloc LOST)))) {more})) (do ((set (game sto DONE) 1))))"
    )
    text = kind(players="2-3").text.text
    end = text.index("(do ((inc (game sto ROUND) 1)))")
    game = RecycleGame(Source("six.rcy", text[:end] + rare + text[end:]))
    assert [
        diagnostic.code for diagnostic in try_out(game, 2, {"rounds": 1, "hand": 3}).diagnostics
    ] == codes


def test_a_clause_that_nobody_can_choose() -> None:
    never = "((> (size ((current player) iloc HAND)) 100) (turn pass))"
    game = kind(f"{CLAUSE} {never}")
    (diagnostic,) = diagnostics_of(game)
    assert (diagnostic.code, diagnostic.severity) == ("unreached", Severity.REMARK)
    assert "games" in diagnostic.message
    assert place(game, diagnostic) == never


def test_a_stage_that_is_never_entered_is_told_as_a_whole() -> None:
    game = kind(end="(>= (size (game iloc STOCK)) 0)")
    (diagnostic,) = try_out(game, 3, {"hand": 1, "rounds": 1}, games=5).diagnostics
    assert diagnostic.code == "unreached"
    assert "this stage" in diagnostic.message
    assert place(game, diagnostic).startswith("(stage player\n    (end")


def test_a_game_that_finds_no_end() -> None:
    game = kind("(do ((inc (game sto TIMES) 1)))", end="(> (game sto TIMES) 900000)")
    (diagnostic,) = diagnostics_of(game)
    assert (diagnostic.code, diagnostic.severity) == ("never-ends", Severity.WARNING)
    assert "10,000 actions, in all 2 random games" in diagnostic.message


def test_rules_that_find_no_end_by_themselves_are_played_few_times() -> None:
    nothing = "(set (game sto TIMES) 1)"
    game = kind(f"(do ((repeat 999999 (repeat 999999 {nothing}))))")
    trial = try_out(game)
    assert [tried.games for tried in trial.tables] == [ENDLESS_GAMES]
    assert trial.left_out > 0
    assert {diagnostic.code for diagnostic in trial.diagnostics} == {"breaks-off"}


def test_a_game_that_only_random_players_do_not_end() -> None:
    """Whoever plays a card, and never takes one up again, ends it."""
    up = "(move (top ((current player) vloc WON)) (top ((current player) iloc HAND)))"
    more = " ".join(
        f"((> (size ((current player) vloc WON)) 0) (do ({up} (set (game sto TAKEN) {number}))))"
        for number in range(8)
    )
    (diagnostic,) = try_out(
        kind(f"{CLAUSE} {more}", players="2-3"), 2, {"hand": 6, "rounds": 3}
    ).diagnostics
    assert (diagnostic.code, diagnostic.severity) == ("never-ends", Severity.REMARK)
    assert "players who always take the first option end it" in diagnostic.message
    assert "kibitz record six" in diagnostic.hint.splitlines()[-1]


def test_a_seat_that_never_decides() -> None:
    """The first player has two cards; all others one; the first empty hand ends it."""
    text = kind(end=EMPTY.replace("all", "any", 1)).text.text
    more = "(move (top (game iloc STOCK)) (top ((current player) iloc HAND)))"
    text = text.replace(
        "(stage player\n      (end", f"(do ({more}))\n    (stage player\n      (end"
    )
    done = try_out(RecycleGame(Source("six.rcy", text)), 3, {"hand": 1, "rounds": 1}, games=5)
    (diagnostic,) = done.diagnostics
    assert diagnostic.code == "no-choice"
    assert "Players 2 and 3 never had a choice" in diagnostic.message


def test_the_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recycle_trial, "MOST_CODE", 1)
    monkeypatch.setattr(recycle_trial, "MOST_ACTIONS", 20)
    done = try_out(kind())
    assert (len(done.tables), done.left_out) == (1, 14)
    assert done.tables[0].games == 4  # of six actions each
    assert "14 more tables left out" in done.summary()


def test_all_codes_are_explained() -> None:
    page = (Path(__file__).parents[2] / "docs" / "recycle.md").read_text("utf-8")
    for code in (
        *recycle_trial._CODES.values(),
        "breaks-off",
        "no-choice",
        "unreached",
        "maybe-stuck",
    ):
        assert f"\n| `{code}` |" in page


def test_the_same_seed_gives_the_same_games() -> None:
    first, second, other = (diagnostics_of(kind(hands="1-10"), seed=seed) for seed in (1, 1, 2))
    assert first == second != other  # the hint has a game's seed

"""Event texts name the cards that everybody or the observer knows, and no others."""

from __future__ import annotations

import functools
import random
import re
from pathlib import Path

import pytest
from tests.library.telling import compare_tellings
from tests.recycle.programs import choice, do, game

import kibitz
from kibitz.core.agent import make_agents
from kibitz.core.state import new_state
from kibitz.recycle import library
from kibitz.recycle.game import RecycleGame, load
from kibitz.recycle.rules import RecycleRules
from kibitz.sessions.recording import verify
from kibitz.sessions.records import Record
from kibitz.syntax.source import Source

HANABI = Path(__file__).parent / "data" / "hanabi.rcy"
OPENLY = [
    *(file for file in sorted(library.FOLDER.glob("*.rcy")) if file.stem != "cuckoo"),
    HANABI,
]
"""In Cuckoo cards are shown that are shuffled in before anybody acts: no state has that."""


def game_of(text: str) -> RecycleGame:
    return RecycleGame(Source("game.rcy", text))


@functools.cache
def transcript(name: str, seed: int = 7) -> str:
    table = load(library.FOLDER / f"{name}.rcy").table()
    return kibitz.transcript(
        kibitz.record(table, make_agents(["random"], table.players), seed), table
    )


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("hearts", "plays the 2 of clubs (the only move)"),
        ("golf", "turns up the 7 of clubs of their grid 6"),
        ("golf", "discards the 4 of hearts and takes the ace of spades"),
        ("golf", "takes the 3 of spades from the discard pile"),
        ("golf", "draws a card"),  # which only one player sees
        ("lost-cities", "takes the red 6 from the red pile"),
        ("lost-cities", "draws a card"),
        ("pairs", "draws the 4"),
        ("pairs", "takes the 5"),
        ("crazy-eights", "draws a card"),
    ],
)
def test_a_transcript_names_the_cards_that_everybody_sees(name: str, line: str) -> None:
    assert re.search(rf"Player \d {re.escape(line)}(?: \(|\.)", transcript(name))


def test_what_a_player_draws_is_named_for_that_player_only() -> None:
    table = load(library.FOLDER / "lost-cities.rcy").table()
    before = new_state(table, seed=7)
    before.apply(before.legal_actions()[0])
    state = before.clone()
    drawn = before.action("draw a card")
    state.apply(drawn)
    mover = before.current_player
    seats = (mover, 1 - mover, None)
    mine, other, reader = (table.wording.event_text(before, drawn, state, p) for p in seats)
    assert re.fullmatch(r"draw the [a-z]+ (?:\d+|investment)", mine)
    assert other == reader == "draw a card"


def test_who_knows_a_hand_is_not_told_which_card_of_it_goes_aside() -> None:
    table = game_of(
        game(
            do(
                "(move (top (game iloc STOCK)) (top ((0 player) iloc HAND)))",
                "(reveal (top ((0 player) iloc HAND)))",
                "(move (top (game iloc STOCK)) (top ((0 player) iloc HAND)))",
            ),
            choice(
                "(any ((current player) iloc HAND) 'C"
                " (move 'C (top ((current player) iloc ASIDE))))"
            ),
            players=2,
            deck="(create deck (game iloc STOCK) (deck (RANK (A, B, C, D))))",
        )
    ).table()
    before = new_state(table, seed=1)
    for action in before.legal_actions():
        after = before.clone()
        after.apply(action)
        assert table.wording.event_text(before, action, after, 1) == "put a card into your aside"
        assert re.fullmatch(
            "put [A-D] into your aside", table.wording.event_text(before, action, after, 0)
        )


def test_moves_of_no_card_are_not_told_and_cards_of_one_move_together() -> None:
    table = game_of(
        game(
            choice(
                "(do ((repeat all (move (top (game vloc NONE)) (top (game vloc ASIDE))))"
                " (repeat 2 (move (bottom (game vloc STOCK)) (top (game hloc ASIDE))))))"
            )
        )
    ).table()
    state = new_state(table, seed=1)
    (action,) = state.legal_actions()
    after = state.clone()
    after.apply(action)
    text = table.wording.event_text(state, action, after, None)
    assert text == "move A of X and A of Y from the stock to the hidden aside"
    assert "all cards of the none" in state.action_words(action)


@pytest.mark.parametrize("file", OPENLY, ids=lambda file: file.stem)
def test_what_is_told_depends_on_what_its_hearer_sees(
    file: Path,
) -> None:
    rules = load(file)
    for seed in (1, 2):
        compare_tellings(rules, rules.usual_players, seed, most=60)


@pytest.mark.parametrize("name", ["golf", "hearts", "pairs"])
def test_what_is_logged_is_what_happens(name: str) -> None:
    """The log's own way of applying an action leads to the same state."""
    table = load(library.FOLDER / f"{name}.rcy").table()
    state, pick = new_state(table, seed=3), random.Random(3)
    logged = 0
    while not state.is_terminal and state.tick < 60:
        action = pick.choice(state.legal_actions())
        assert isinstance(table.rules, RecycleRules)
        traced, effects = table.rules.traced(state, action)
        logged += len(effects.option)
        state.apply(action)
        assert bytes(traced) == bytes(state)
    assert logged > 5


def test_records_replay_whose_words_name_no_cards() -> None:
    table = load(library.FOLDER / "pairs.rcy").table()
    record = kibitz.record(table, make_agents(["random"], table.players), 7)
    assert "take the lowest card of any player's hand" in {move.words for move in record.moves}
    verify(Record.from_json(record.to_json()), table)


@pytest.mark.parametrize(
    ("first", "second", "payment"),
    [
        ("dec ((current player) sto CHIPS) 1", "inc (game sto CHIPS) 1", "pay 1 chip"),
        ("dec ((current player) sto CHIPS) 2", "inc (game sto POT) 2", "pay 2 chips to the pot"),
        ("inc ((current player) sto CHIPS) 3", "dec (game sto CHIPS) 3", "take 3 chips"),
        (
            "inc ((next player) sto CHIPS) 1",
            "dec ((current player) sto CHIPS) 1",
            "pay 1 chip to the next player",
        ),
        (
            "inc (game sto CHIPS) 1",
            "dec ((next player) sto CHIPS) 1",
            "move 1 chip from the next player to the table",
        ),
        (
            "inc ((current player) sto CHIPS) 1",
            "dec ((current player) sto CHIPS) 2",
            "gain 1 chip and pay 2 chips",
        ),
    ],
)
def test_what_one_number_loses_and_another_gets_is_a_payment(
    first: str, second: str, payment: str
) -> None:
    both = f"(do (({first}) ({second})))"
    state = game_of(game(choice(both, "(inc (game sto TURNS) 1)"))).table().new_state(1)
    words = [state.action_words(action) for action in state.legal_actions()]
    assert words == [payment, "go on"]

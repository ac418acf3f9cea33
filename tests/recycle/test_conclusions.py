"""What everybody may conclude from what was done, and samples that agree with it."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
from tests.recycle.programs import choice, do, game, stage
from tests.shared import SHARED

import kibitz
from kibitz.checks.certify import certify
from kibitz.checks.laws import Law
from kibitz.core.native import Export
from kibitz.core.state import State, hidden_share, without_chance
from kibitz.recycle.game import RecycleGame, load
from kibitz.recycle.layout import FACTS
from kibitz.syntax.source import Source

HAND = "((current player) iloc HAND)"
TRICK = "(top ((current player) vloc TRICK))"
DEAL = "(all player 'P (repeat 3 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))"
FOLLOW = f"(any (filter {HAND} 'C (== (cardatt SUIT 'C) (game str LED))) 'C (move 'C {TRICK}))"
DISCARD = (
    f"((all {HAND} 'C (!= (cardatt SUIT 'C) (game str LED))) (any {HAND} 'C (move 'C {TRICK})))"
)
NINE = "(create deck (game iloc STOCK) (deck (RANK (A, B, C)) (SUIT (X, Y, Z))))"
DECK = "(create deck (game iloc STOCK) (deck (RANK (A, B, C, D)) (SUIT (X, Y, Z))))"


def game_of(text: str, name: str = "small") -> RecycleGame:
    return RecycleGame(Source(f"{name}.rcy", text))


def tricks(*clauses: str, deck: str = DECK) -> RecycleGame:
    """Three players hold three cards each; a card is led, the others play by clauses."""
    led = "(set (game str LED) (cardatt SUIT (top ((current player) vloc TRICK))))"
    return game_of(
        game(
            do("(shuffle (game iloc STOCK))", DEAL, "(set (game str LED) NONE)"),
            stage(
                "(all player 'P (== (size ('P iloc HAND)) 0))",
                stage(
                    "(all player 'P (== (size ('P vloc TRICK)) 1))",
                    choice(*clauses),
                    do(f"((== (game str LED) NONE) {led})"),
                ),
                do(
                    "(set (game str LED) NONE)",
                    "(all player 'P (move (top ('P vloc TRICK)) (top (game vloc GONE))))",
                ),
            ),
            deck=deck,
        )
    )


ASK = game(
    do("(shuffle (game iloc STOCK))", DEAL),
    stage(
        "(== (game sto TURN) 4)",
        choice(
            "(any (other player) 'P (any (A, B, C) 'R"
            f" ((any {HAND} 'C (== (cardatt RANK 'C) 'R))"
            " (do ((set ('P sto ASKED) 1) (set (game str RANK) 'R))))))"
        ),
        do(
            "(all player 'P ((== ('P sto ASKED) 1) (do ((set ('P sto ASKED) 0)"
            " (all (filter ('P iloc HAND) 'C (== (cardatt RANK 'C) (game str RANK))) 'C"
            " (move 'C (top (game vloc TABLE))))))))",
            f"(repeat all (move (top (game vloc TABLE)) (top {HAND})))",
            "(inc (game sto TURN) 1)",
        ),
    ),
    deck=NINE,
)


# --- what is concluded ----------------------------------------------------------------------


def facts(state: State) -> dict[str, dict[str, object]]:
    """The facts of a state, as JSON has them; nothing if the game has none."""
    return state.to_json()["components"].get(FACTS, {})


def after_discard(small: RecycleGame) -> tuple[State, str]:
    """A state in which the second player has just played another suit, and the suit led."""
    for seed in range(100):
        state = small.new_state(seed=seed)
        state.apply(state.legal_actions()[0])
        led = state.to_json()["components"]["led"]
        legal = [a for a in state.legal_actions() if not state.action_words(a).endswith(led)]
        if legal and state.current_player == 1:
            state.apply(legal[0])
            return state, led
    raise AssertionError("no discard")


def test_who_cannot_follow_has_no_card_of_the_suit() -> None:
    state, led = after_discard(tricks(FOLLOW, DISCARD))
    excluded = facts(state)["player 2's hand"]["none of"]
    assert excluded == [f"{rank} of {led}" for rank in "ABCD"]
    for seed in range(50):
        hand = state.determinize(0, seed).to_json()["components"]["hand[1]"]
        assert not any(card.endswith(led) for card in hand)


def test_nothing_follows_where_another_clause_may_have_been_chosen() -> None:
    anything = f"(any {HAND} 'C (move 'C {TRICK}))"
    state, _ = after_discard(tricks(FOLLOW, DISCARD, anything))
    assert facts(state) == {}


def test_both_of_two_clauses_may_tell_the_same() -> None:
    state, led = after_discard(tricks(FOLLOW, DISCARD, DISCARD))
    assert facts(state)["player 2's hand"]["none of"] == [f"{rank} of {led}" for rank in "ABCD"]


def test_nothing_follows_from_a_condition_on_what_others_do_not_see() -> None:
    """Nobody sees which card is laid face down."""
    hidden = (
        f"(any (A, B, C, D) 'R ((all {HAND} 'C (!= (cardatt RANK 'C) 'R))"
        " (move (top (game iloc STOCK)) (top (game hloc HEAP)))))"
    )
    small = game_of(game(do(DEAL), choice(hidden), choice("(turn pass)"), deck=DECK))
    state = small.new_state(seed=1)
    state.apply(state.legal_actions()[0])
    assert facts(state) == {}


@pytest.mark.parametrize(
    ("steps", "excluded"),
    [
        (
            (
                "(move (top (game iloc STOCK)) (top (game vloc OPEN)))",
                f"(move (top (game vloc OPEN)) (top {HAND}))",
            ),
            3,
        ),
        ((f"(move (top (game iloc STOCK)) (top {HAND}))",), 0),
        ((f"(swap {HAND} (game iloc STOCK))",), 0),
    ],
    ids=["open", "hidden", "swapped"],
)
def test_what_is_excluded_after_another_card_came(steps: tuple[str, ...], excluded: int) -> None:
    """The first player, with three cards of rank D, has shown that none is an A."""
    deal = f"(repeat 3 (move (top (game iloc STOCK)) (top {HAND})))"
    clause = f"((all {HAND} 'C (!= (cardatt RANK 'C) A)) (turn pass))"
    text = game(do(deal), choice(clause), do(*steps), choice("(turn pass)"), deck=DECK)
    state = game_of(text).new_state(seed=1)
    state.apply(state.legal_actions()[0])
    known = facts(state).get("player 1's hand", {}).get("none of", [])
    assert known == ["A of X", "A of Y", "A of Z"][:excluded]


# --- samples --------------------------------------------------------------------------------


@pytest.mark.parametrize("small", [tricks(FOLLOW, DISCARD, deck=NINE), game_of(ASK, "ask")])
def test_samples_are_exactly_the_possible_deals_and_equally_likely(small: RecycleGame) -> None:
    certificate = certify(small, states=12, swaps=10, outputs=0, sets=4, seed=3)
    assert certificate.tried[Law.WORLDS] > 0
    assert certificate.tried[Law.UNIFORM] > 0
    assert certificate.ok, certificate


def components(state: State) -> dict[str, Any]:
    return state.to_json()["components"]


@pytest.mark.parametrize("name", ["agram", "hearts", "spades", "whist"])
def test_no_sample_has_a_suit_that_a_player_did_not_follow(name: str) -> None:
    pick = random.Random(2)
    tested = 0
    for seed in range(3):
        state = kibitz.load(name).new_state(seed=seed)
        void: dict[int, set[str]] = {}
        for _ in range(60):
            before, player = components(state), state.current_player
            action = pick.choice(state.legal_actions())
            words = state.action_words(action)
            state.apply(action)
            if state.is_terminal or components(state).get("deals") != before.get("deals"):
                break
            led, card = str(before["led"]).lower(), words.removeprefix("play the ")
            if led not in ("", "none") and card != words and not card.endswith(led):
                void.setdefault(player, set()).add(led)
            observer = state.tick % state.players
            hands = components(state.determinize(observer, state.tick))
            for other, suits in void.items():
                if other != observer:
                    tested += 1
                    hand = hands[f"hand[{other}]"]
                    assert not any(held.endswith(suit) for held in hand for suit in suits)
    assert tested > 30


def test_where_a_player_knows_every_card_a_sample_is_the_state() -> None:
    """At the end of deals of Hearts, where there are conclusions and nothing to deal."""
    state, rng = kibitz.load("hearts").new_state(seed=1), random.Random(1)
    compared = 0
    while not state.is_terminal and compared < 10:
        state.apply(rng.choice(state.legal_actions()))
        for player in range(state.players):
            if not state.is_terminal and hidden_share(state, player) == 0.0:
                assert without_chance(state.determinize(player, 0)) == without_chance(state)
                compared += any(getattr(state.view, FACTS).absent)
    assert compared == 10


def test_who_asks_for_a_rank_has_one_and_who_gives_nothing_has_none() -> None:
    pick = random.Random(2)
    tested = 0
    for seed in range(6):
        state = kibitz.load("go-fish").new_state(players=3, seed=seed)
        for _ in range(25):
            before, asker = components(state), state.current_player
            action = pick.choice(state.legal_actions())
            asked = re.match(r"ask player (\d) for (\w+)", state.action_words(action))
            assert asked is not None
            other = int(asked[1]) - 1
            rank = state.action_parts(action).operands["r"] + " "
            state.apply(action)
            if state.is_terminal:
                break
            after = components(state)
            labels = f"hand[{other}]", f"books[{asker}]"
            if all(len(after[label]) == len(before[label]) for label in labels):
                hands = components(state.determinize(3 - asker - other, state.tick))
                tested += 1
                assert any(card.startswith(rank) for card in hands[f"hand[{asker}]"])
                assert not any(card.startswith(rank) for card in hands[f"hand[{other}]"])
    assert tested > 50


CORPUS = [
    SHARED / "corpus" / "recycle" / "current" / f"{name}.rcy"
    for name in ("Cheeseheads5", "GermanWhist2", "SpotHearts4", "Sueca4", "WidowHearts4")
]


@pytest.mark.parametrize("file", CORPUS, ids=[file.stem for file in CORPUS])
def test_nothing_true_is_excluded_in_games_of_others(file: Path) -> None:
    if not file.exists():
        pytest.skip("the corpus is not here")
    table = load(file).quickly_made().table()
    accepts = Export(print, "iiii").bind(int(table.record["is_consistent"][0]))
    state, pick, known = table.new_state(1), random.Random(1), 0
    while not state.is_terminal and state.tick < 60:
        known += bool(facts(state))
        observer = pick.randrange(state.players)
        assert accepts(0, state.address, observer)
        assert accepts(0, state.determinize(observer, 1).address, observer)
        state.apply(pick.choice(state.legal_actions()))
    assert known > 10

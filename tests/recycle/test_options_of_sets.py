"""Options of many picks: sets of cards, several of them, more than an action has room for."""

from __future__ import annotations

import random

import pytest
from tests.recycle.agreement import play_both
from tests.recycle.programs import choice, do, game, stage
from tests.recycle.test_game import table_of

import kibitz
from kibitz.core.agent import make_agents
from kibitz.core.errors import RulesError
from kibitz.core.status import Status
from kibitz.recycle import options
from kibitz.recycle.game import telling

PACK = """(create deck (game iloc STOCK) (deck
  (RANK (A, TWO, THREE, FOUR, FIVE, SIX, SEVEN, EIGHT, NINE, TEN, J, Q, K))
  (SUIT (CLUBS, DIAMONDS, HEARTS, SPADES))))"""
NAMES = "A TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN J Q K"
AWARDS = " ".join(f"((RANK : {rank}) {i})" for i, rank in enumerate(NAMES.split(" "), 1))
RANKS = f"(set (game points VALUE) ({AWARDS}))"
HAND = "((current player) iloc HAND)"
TABLE = "(game vloc TABLE)"
OUT = "(move 'C (top (game vloc OUT)))"


def deal(hand: int, table: int = 0, dark: int = 0) -> str:
    return do(
        RANKS,
        "(shuffle (game iloc STOCK))",
        f"(all player 'P (repeat {hand} (move (top (game iloc STOCK)) (top ('P iloc HAND)))))",
        f"(repeat {table} (move (top (game iloc STOCK)) (top {TABLE})))",
        f"(repeat {dark} (move (top (game iloc STOCK)) (top (game hloc DARK))))",
    )


def once_each(*clauses: str) -> str:
    """Everybody chooses once."""
    done = "(all player 'P (== ('P sto DONE) 1))"
    return stage(done, choice(*clauses), do("(set ((current player) sto DONE) 1)"))


CLAUSES = {
    "a set": (f"(any (tuples 2 {HAND} using (game points VALUE)) 'S (all 'S 'C {OUT}))",),
    "two sets": (
        f"(any (filter (subsets {HAND}) 'S (== (size 'S) 2)) 'S"
        f" (any (filter (subsets {TABLE}) 'T (== (size 'T) 1)) 'T"
        f" (do ((all 'S 'C {OUT}) (all 'T 'C (move 'C (top {HAND})))))))",
    ),
    "a set of a set": (
        f"(any (partition SUIT {HAND}) 'G (any (filter (subsets 'G) 'S (> (size 'S) 0)) 'S"
        f" (all 'S 'C {OUT})))",
    ),
    "a set, a card and a player": (
        f"(any (filter (subsets {TABLE}) 'S (> (size 'S) 0)) 'S (any {HAND} 'D"
        f" (any (other player) 'P (do ((all 'S 'C {OUT}) (move 'D (top ('P iloc HAND))))))))",
    ),
    "a number and a set": (
        f"(any (range 1 .. 3) 'N (any (tuples 'N {HAND} using (game points VALUE)) 'S"
        f" (do ((set (game sto COUNT) 'N) (all 'S 'C {OUT})))))",
    ),
    "so many cards of each rank": (
        f"(any (all (partition RANK {HAND}) 'G (top 1 'G)) 'S (all 'S 'C {OUT}))",
    ),
    "six cards, one after the other": (
        f"(do ({' '.join(f'(any (bottom 3 {HAND}) (var)C{i} (turn pass))' for i in range(6))}))",
        "(turn pass)",
    ),
    "sets and other options in one clause": (
        f"(any {HAND} 'D ((== (cardatt SUIT 'D) CLUBS)"
        f" (any (filter (subsets {TABLE}) 'S (== (size 'S) 2)) 'S (all 'S 'C {OUT}))))",
        f"(do ((any {HAND} 'D (move 'D (bottom {TABLE}))) ((> (size {TABLE}) 4)"
        f" (any (filter (subsets {TABLE}) 'S (== (size 'S) 2)) 'S (all 'S 'C {OUT})))))",
    ),
    "hidden cards": (
        f"(any (filter (subsets (game hloc DARK)) 'S (== (size 'S) 2)) 'S (all 'S 'C {OUT}))",
    ),
    "drawn and discarded": (
        f"(do ((repeat 2 (move (top (game iloc STOCK)) (top {HAND})))"
        f" (any (filter (subsets {HAND}) 'S (== (size 'S) 2)) 'S (all 'S 'C {OUT}))))",
    ),
    "discard any, draw as many": (
        f"(any (subsets {HAND}) 'S (let (size 'S) 'N (do ((all 'S 'C {OUT})"
        f" (repeat 'N (move (top (game iloc STOCK)) (top {HAND}))) (inc (game sto X) 'N)))))",
    ),
    "the same set by two ways": (
        f"(any (partition SUIT {HAND} {HAND}) 'S (all 'S 'C (reveal 'C)))",
        f"(any (all (range 1 .. 3) 'N {HAND}) 'S (all 'S 'C (reveal 'C)))",
    ),
    "chance before a set": (
        "(do ((shuffle (game iloc STOCK))"
        " (any (filter (subsets (top 4 (game iloc STOCK))) 'S (== (size 'S) 2)) 'S"
        f" (all 'S 'C {OUT}))))",
        "(turn pass)",
    ),
}


@pytest.mark.parametrize("name", CLAUSES)
def test_clauses(name: str) -> None:
    clauses = [clause.replace("(var)", "'") for clause in CLAUSES[name]]
    text = game(deal(6, 4, 4), once_each(*clauses), deck=PACK)
    played = 0
    for seed in range(6):
        state, oracle = play_both(text, seed)
        assert state.status in (Status.FINISHED, Status.DEAD_END), state.table.wording.explanation(
            state
        )
        played += oracle.tick
    assert played >= 6


@pytest.mark.parametrize(
    "name",
    ["two sets", "hidden cards", "drawn and discarded", "sets and other options in one clause"],
)
def test_clauses_chosen_all_at_once(name: str) -> None:
    """Cards that were chosen may be moved by players whose actions take effect first."""
    done = "(> (game sto ROUND) 1)"
    stages = f"(stage player simultaneous (end {done}) {choice(*CLAUSES[name])}"
    stages += f" {do('(inc (game sto ROUND) 1)')})"
    for seed in range(6):
        state, _ = play_both(game(deal(6, 4, 6), stages, deck=PACK), seed)
        assert state.status in (Status.FINISHED, Status.DEAD_END, Status.RULES_ERROR)


DOUBLE = f"(repeat 2 {PACK})"
JOKERS = f"{PACK} (create deck (game iloc STOCK) (deck (RANK (JOKER)) (SUIT (RED, BLACK))))"


@pytest.mark.parametrize("deck", [DOUBLE, JOKERS], ids=["two packs", "jokers"])
def test_packs(deck: str) -> None:
    clause = f"(any (filter (subsets {HAND}) 'S (and (> (size 'S) 0) (< (size 'S) 4))) 'S"
    clause += f" (all 'S 'C {OUT}))"
    text = game(deal(9), once_each(clause), once_each(clause), deck=deck)
    for seed in range(3):
        state, _ = play_both(text, seed)
        assert state.status == Status.FINISHED


# --- what an option promises ----------------------------------------------------------------

PROMISES = game(
    deal(5, 4, 3),
    once_each(
        f"(any (subsets {HAND}) 'S (any (subsets (game hloc DARK)) 'T"
        f" (any (other player) 'P (do ((all 'S 'C {OUT})"
        " (all 'T 'D (move 'D (top ('P iloc HAND)))))))))"
    ),
    deck=PACK,
)


def test_options_are_the_same_in_what_one_cannot_tell_apart() -> None:
    state = table_of(PROMISES).new_state(2)
    legal = state.legal_actions()
    assert len(set(legal)) == len(legal) == (2**5 * 2**3 - 1) * 2
    for seed in range(5):
        assert state.determinize(state.current_player, seed).legal_actions() == legal


def test_sets_and_hidden_cards_are_operands() -> None:
    state = table_of(PROMISES).new_state(2)
    legal = state.legal_actions()
    parts = [state.action_parts(action) for action in legal]
    assert len(set(parts)) == len(legal)
    last = parts[-1]
    assert list(last.operands) == ["s", "t", "p"]
    assert [len(operand) for operand in last.operands.values()] == [5, 3, len("player 2")]
    assert set(last.operands["t"]) == {f"card {i} of the dark" for i in (1, 2, 3)}
    for number in (0, 100, len(legal) - 1):
        assert state.action(parts[number]) == legal[number]


def test_equal_cards_are_numbered() -> None:
    pair = "(deck (RANK (A)) (SUIT (SPADES)))"
    deck = f"(repeat 2 (create deck (game vloc TABLE) {pair}))"
    text = game("", once_each(f"(any {TABLE} 'C (move 'C (top (game vloc OUT))))"), deck=deck)
    state = table_of(text).new_state()
    legal = state.legal_actions()
    cards = [state.action_parts(action).operands["c"] for action in legal]
    assert cards == ["A of spades", "A of spades (2)"]
    assert [state.action(state.action_parts(action)) for action in legal] == legal


def test_words_tell_all_cards_and_can_be_read() -> None:
    state = table_of(PROMISES).new_state(2)
    legal = state.legal_actions()
    words = [state.action_words(action) for action in legal]
    assert len(set(words)) == len(words)
    hand = telling(state)._known(state, state.current_player)
    names = [state.table.rules.places.card_names[card] for card in hand]
    assert any(sum(name in text for name in names) == 5 for text in words)
    for action in random.Random(1).sample(legal, 20):
        assert state.action(state.action_words(action)) == action


def test_places_in_a_mask_differ() -> None:
    table = table_of(PROMISES)
    state = table.new_state(2)
    legal = state.legal_actions()
    places = {table.encoder.index(action, state) for action in legal}
    assert len(places) == len(legal)
    assert max(places) < table.encoder.actions_count


def test_what_is_no_option_has_no_words() -> None:
    state = table_of(PROMISES).new_state(2)
    with pytest.raises(ValueError, match="is no option of my-game here"):
        state.table.wording.words(state, state.legal_actions()[0] + 256)


def test_two_options_with_the_same_digest_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """With as short a digest as here some must have the same; otherwise it would take 2**28."""
    monkeypatch.setattr(options, "DIGEST_BITS", 3)
    state = table_of(PROMISES).new_state(2)
    with pytest.raises(RulesError, match=r"my game\.rcy:\d+:\d+: two options .* same digest"):
        state.legal_actions()


def test_agents_play_them() -> None:
    batch = kibitz.play(
        table_of(PROMISES),
        make_agents(["ismcts:iterations=60", "pimc:iterations=60", "random"], 3),
        6,
        seed=1,
    )
    assert set(batch.results["status"]) == {Status.FINISHED}

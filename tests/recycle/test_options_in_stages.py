"""Every kind of option in every kind of stage, through every use that is made of a game."""

from __future__ import annotations

import random

import pytest
from tests.recycle.agreement import play_table
from tests.recycle.programs import choice, game

import kibitz
from kibitz.checks import certifier
from kibitz.checks.certify import certify
from kibitz.checks.laws import Law
from kibitz.core.game import Table
from kibitz.core.status import Status
from kibitz.pictures import draw
from kibitz.recycle.game import RecycleGame
from kibitz.sessions.recording import replay
from kibitz.sessions.records import Record
from kibitz.sessions.session import Session, play_again
from kibitz.syntax.source import Source

HAND = "((current player) iloc HAND)"
OUT = "(move 'C (top ((current player) vloc OUT)))"
PAIR = f"(filter (subsets {HAND}) 'S (== (size 'S) 2))"

OPTIONS = {
    "card": f"(any {HAND} 'C {OUT})",
    "hidden card": f"(any (game hloc DARK) 'C {OUT})",
    "set": f"(any {PAIR} 'S (all 'S 'C {OUT}))",
    "hidden set": "(any (filter (subsets (top 8 (game hloc DARK))) 'S (== (size 'S) 2)) 'S"
    f" (all 'S 'C {OUT}))",
    "player": "(any (other player) 'P (inc ((current player) sto COINS) (pid 'P)))",
    "team": "(any team 'T (inc ('T sto COINS)))",
    "number": "(any (range 1 .. 3) 'N (inc ((current player) sto COINS) 'N))",
    "name": "(any (LEFT, RIGHT) 'X (set ((current player) str SIDE) 'X))",
    "location": "(any (all (other player) 'P ('P iloc HAND)) 'L"
    " (move (top 'L) (top (game vloc ROW))))",
    "card, player and number": f"(any {HAND} 'C (any (other player) 'P (any (range 1 .. 2) 'N"
    " (do ((move 'C (top ('P iloc HAND))) (inc ('P sto COINS) 'N))))))",
    "two sets": f"(any {PAIR} 'S (any (filter (subsets (game vloc ROW)) 'R (== (size 'R) 1)) 'R"
    f" (do ((all 'S 'C (move 'C (top (game vloc ROW)))) (all 'R 'C (move 'C (top {HAND})))))))",
    "card after a card": f"(do ((any {HAND} 'C (move 'C (top (game vloc ROW))))"
    f" (any (filter (game vloc ROW) 'C (> (size (game vloc ROW)) 2)) 'C (move 'C (top {HAND})))))",
}
"""A clause for each kind of pick, and for several."""

ROUND = "(inc ((current player) sto TURNS))"
DONE = "(all player 'P (>= ('P sto TURNS) {}))"
CHOICE = "(choice ({clause} ((== (game sto NEVER) 1) (turn pass))))"
STAGES = {
    "ordinary": f"(stage player (end {DONE.format(2)}) {CHOICE} (do ({ROUND})))",
    "simultaneous": f"(stage player simultaneous (end {DONE.format(2)}) {CHOICE} (do ({ROUND})))",
    "nested": f"(stage player (end {DONE.format(2)}) (do ((set (game sto STEPS) 0)))"
    f" (stage player (end (>= (game sto STEPS) 2)) {CHOICE}"
    f" (do ({ROUND} (inc (game sto STEPS))))))",
    "simultaneous in another": f"(stage player (end {DONE.format(2)})"
    " (do ((set (game sto STEPS) 0)))"
    f" (stage player simultaneous (end (> (game sto STEPS) 0)) {CHOICE}"
    f" (do ({ROUND} (inc (game sto STEPS))))))",
    "team": f"(stage team (end (>= (game sto STEPS) 4)) {CHOICE}"
    " (do ((inc (game sto STEPS)) (cycle current next))))",
    "simultaneous in a team's": f"(stage team (end (>= (game sto ROUNDS) 2))"
    " (do ((set (game sto STEPS) 0)))"
    f" (stage player simultaneous (end (> (game sto STEPS) 0)) {CHOICE}"
    " (do ((inc (game sto STEPS)))))"
    " (do ((inc (game sto ROUNDS)))))",
}
FORGETS = "card after a card"
"""The option whose second card may be what another player chose in secret: samples that are drawn
before the choices are revealed may contradict it."""
CASES = [(option, stage) for option in OPTIONS for stage in STAGES]


def text_of(option: str, stage: str) -> str:
    """A game for three in which that is chosen in that stage."""
    return f"""(game (setup (create players 3) (create teams (0, 2) (1))
  (create deck (game iloc STOCK) (deck (RANK (A, B, C, D, E, F, G)) (SUIT (V, W, X, Y, Z)))))
 (do ((shuffle (game iloc STOCK))
      (all player 'P (repeat 5 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))
      (repeat 2 (move (top (game iloc STOCK)) (top (game vloc ROW))))
      (repeat all (move (top (game iloc STOCK)) (top (game hloc DARK))))))
 {STAGES[stage].replace("{clause}", OPTIONS[option])}
 (scoring max (+ (size ((current player) vloc OUT)) ((current player) sto COINS))))"""


@pytest.mark.parametrize(("option", "stage"), CASES, ids=[" - ".join(case) for case in CASES])
def test_option_in_stage(option: str, stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certifier, "OPENINGS", 2)  # no number here is a function of hidden ones
    source = Source("game.rcy", text_of(option, stage))
    table = RecycleGame(source, optimised=False).table()
    play_table(table, seed=1)
    _is_played_and_told(table)
    certificate = certify(table, states=6, swaps=10, outputs=2, sets=1, agents=["random"], seed=1)
    forgets = {Law.MEMORY} if option == FORGETS and "simultaneous" in stage else set()
    assert certificate.ok or {*certificate.broken} == forgets, str(certificate)


def _is_played_and_told(table: Table) -> None:
    """A session tells all seats of each action; its record is replayed, and played again."""
    session = Session(table, ["random"] * table.players, seed=2)
    rng = random.Random(3)
    seats = [None, *range(table.players)]
    for seat in seats:
        session.opening(seat)
    while not session.is_over:
        _are_told_apart(session, table)
        session.state.determinize(rng.randrange(table.players), 5)
        draw(session.state, session.player)
        update = session.advance()
        for seat in seats:
            update.events(seat)
    record = Record.from_json(session.record().to_json())
    assert list(replay(record, table))[-1] == session.state
    assert play_again(record, table).state == session.state
    assert kibitz.transcript(record, table)


def _are_told_apart(session: Session, table: Table) -> None:
    """Words and indices of the legal actions lead back to them."""
    state = session.state
    legal = state.legal_actions()
    for action in legal:
        assert state.action(state.action_words(action)) == action
        index = table.action_index.index(action, state)
        assert table.action_index.action(index, state) == action


@pytest.mark.parametrize("together", ["\n", " "], ids=["on two lines", "on one line"])
def test_options_that_differ_have_different_words(together: str) -> None:
    """Whom a number stands for, and which of two clauses with equal words, can be read."""
    steal, murder = (
        f"(any (other player) 'P (do ((set (game str ACTION) {name})"
        " (set (game sto TARGET) (pid 'P)))))"
        for name in ("STEAL", "MURDER")
    )
    text = game(choice(f"{steal}{together}{murder}"))
    state = RecycleGame(Source("game.rcy", text), optimised=False).table().new_state(1)
    words = [state.action_words(action) for action in state.legal_actions()]
    assert len({*words}) == len(words) == 4
    assert words[0] == "steal from player 2"
    assert [state.action(text) for text in words] == state.legal_actions()


def test_cards_that_share_what_is_named_have_different_words() -> None:
    clause = "(any (game vloc STOCK) 'C (set (game str LED) (cardatt RANK 'C)))"
    text = game(choice(clause))
    state = RecycleGame(Source("game.rcy", text), optimised=False).table().new_state(1)
    words = [state.action_words(action) for action in state.legal_actions()]
    assert words[:2] == ["choose A of X", "choose A of Y"]
    assert len({*words}) == 8


def test_sampled_commitments_with_ties_can_be_carried_out() -> None:
    """A sample breaks ties in another player's options as they were when that player chose."""
    highest = f"(max {HAND} using (game points P))"
    text = f"""(game (setup (create players 3)
  (create deck (game iloc STOCK) (deck (RANK (A, B, C, D, E, F, G)) (SUIT (V, W, X, Y, Z)))))
 (do ((shuffle (game iloc STOCK)) (set (game points P) (((RANK : A) 1) ((RANK : B) 1)))
      (all player 'P (repeat 5 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))
 (stage player simultaneous (end (all player 'P (> (size ('P vloc OUT)) 0)))
  (choice ((any (filter {PAIR} 'S (any 'S 'C (== 'C {highest}))) 'S (all 'S 'C {OUT})))))
 (scoring max (size ((current player) vloc OUT))))"""
    table = RecycleGame(Source("game.rcy", text), optimised=False).table()
    rng = random.Random(1)
    for seed in range(10):
        state = table.new_state(seed)
        while not state.is_terminal:
            sample = state.determinize(state.current_player, seed)
            while not sample.is_terminal:
                sample.apply(rng.choice(sample.legal_actions()))
            state.apply(rng.choice(state.legal_actions()))


EMPTY_ANY = """(game (setup (create players 2)
  (create deck (game iloc STOCK) (deck (RANK (A, B, C, D, E, F)) (SUIT (X, Y)))))
 (do ((shuffle (game iloc STOCK))
      (all player 'P (repeat 6 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))
 {stage}
 (scoring max (size ((current player) vloc TAKEN))))"""
LAID = "((current player) vloc LAID)"
TAKE = f"""(any (filter (game vloc POOL) 'D (== (cardatt RANK 'D) (cardatt RANK (top {LAID})))) 'D
  (move 'D (top ((current player) vloc TAKEN))))"""
PASSED_ON = f"(do ((move (top {LAID}) (top (game vloc POOL)))))"
LEFT = "(end (all player 'P (== (size ('P iloc HAND)) 0)))"


@pytest.mark.parametrize("kind", ["player", "player simultaneous"])
@pytest.mark.parametrize(
    "clause",
    [
        f"(any {HAND} 'C (do ((move 'C (top {LAID})) {TAKE})))",
        f"(do ((any {HAND} 'C (move 'C (top {LAID}))) {TAKE}))",
        f"(any {PAIR} 'S (do ((all 'S 'C (move 'C (top {LAID}))) {TAKE})))",
        f"(do ((move (top {HAND}) (top {LAID})) (any (game vloc POOL) 'D (any (game vloc NONE) 'E"
        f" (move 'E (top {HAND})))) {TAKE}))",
    ],
    ids=["in the body", "after it", "after a set", "in another one"],
)
def test_an_any_over_nothing_leaves_out_its_body(clause: str, kind: str) -> None:
    stage = f"(stage {kind} {LEFT} (choice ({clause})) {PASSED_ON})"
    table = RecycleGame(Source("game.rcy", EMPTY_ANY.format(stage=stage)), optimised=False).table()
    for seed in range(6):
        state, _ = play_table(table, seed)
        assert state.status == Status.FINISHED
        assert state.tick == (6 if clause.startswith(f"(any {PAIR}") else 12)
    _is_played_and_told(table)


def test_an_any_over_nothing_alone_is_no_option() -> None:
    text = game(choice("(any (game vloc NONE) 'C (move 'C (top (game vloc A))))", "(turn pass)"))
    state = RecycleGame(Source("game.rcy", text), optimised=False).table().new_state(1)
    assert [state.action_words(action) for action in state.legal_actions()] == ["pass"]

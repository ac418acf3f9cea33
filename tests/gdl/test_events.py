"""Events of a step for each seat: the moves of the others and the moves of chance."""

from __future__ import annotations

import pytest

import kibitz
from kibitz.gdl.game import GdlGame
from kibitz.sessions import Session
from kibitz.syntax.source import Source

ROLES = {
    "chance last": "(role ann) (role bob) (role random)",
    "chance first": "(role random) (role ann) (role bob)",
}
DICE = """
(init (step 0)) (after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6)
(player ann) (player bob) (die 1) (die 2) (die 3) (die 4) (die 5) (die 6)
(<= (legal ?p (bet ?n)) (player ?p) (die ?n))
(<= rolls (true (step ?n)) (distinct ?n 2))
(<= (legal random (roll ?n)) (die ?n) rolls)
(<= (legal random noop) (not rolls))
(<= (next (step ?n)) (true (step ?m)) (after ?m ?n))
(<= (next (rolled ?n)) (does random (roll ?n)))
(<= (next (lost ?p)) (does ?p (bet ?n)) (does random (roll ?m)) (distinct ?n ?m))
(<= terminal (true (step 6)))
(<= (goal ?p 50) (player ?p)) (goal random 0)
"""


def session(text: str, grounded: bool = True) -> Session:
    table = GdlGame(Source("own.kif", text), grounded=grounded).table()
    return Session(table, ["random"] * table.players, 1)


@pytest.mark.parametrize("grounded", [True, False], ids=["network", "rule by rule"])
@pytest.mark.parametrize("roles", ROLES.values(), ids=ROLES)
def test_all_are_told_what_chance_drew(roles: str, grounded: bool) -> None:
    game = session(roles + DICE, grounded)
    facts = game.state.table.rules.facts  # type: ignore[attr-defined]
    rolls = []
    while not game.is_over:
        step = game.state.view.turn
        update = game.advance()
        for seat in (None, *range(game.state.players)):
            texts = [e.text for e in update.events(seat) if e.kind == "chance"]
            if update.after.view.turn == step or step == 2:
                assert not texts  # not all have chosen, or chance has no choice
                continue
            (rolled,) = (
                fact for fact in facts.true(update.after.view.facts) if fact.startswith("(rolled")
            )
            assert texts == [f"Chance: {rolled[1:-1].replace('rolled', 'roll')}."]
            rolls.append((step, rolled))
    assert len({step for step, _ in rolls}) == 5
    assert len({rolled for _, rolled in rolls}) > 1


@pytest.mark.parametrize("roles", ROLES.values(), ids=ROLES)
def test_chance_is_no_player_whose_choices_are_told(roles: str) -> None:
    game = session(roles + DICE)
    names = roles.replace("(role ", "").replace(")", "").split()
    while not game.is_over:
        update = game.advance()
        for seat in range(game.state.players):
            chosen = [e.data["player"] - 1 for e in update.events(seat) if e.kind == "choice"]
            assert "random" not in [names[player] for player in chosen]


def test_where_rules_say_what_is_seen_nothing_else_of_chance_is_told() -> None:
    percepts = "(<= (sees ann (roll ?n)) (does random (roll ?n))) (sees bob nothing)"
    game = session(ROLES["chance last"] + DICE + percepts)
    heard: dict[int | None, str] = {None: "", 0: "", 1: ""}
    while not game.is_over:
        update = game.advance()
        for seat in heard:
            heard[seat] += " ".join(event.text for event in update.events(seat))
    assert "roll" in heard[0]
    assert "roll" not in heard[1]
    assert "roll" not in heard[None]


def test_moves_are_told_without_parentheses_and_who_can_do_nothing_is_not_told_of() -> None:
    game = Session(kibitz.load("nim").table(), [None, None], 1)
    own_texts, passes = [], 0
    while not game.is_over:
        action = game.state.legal_actions()[-1]
        passes += game.state.action_words(action) == "noop"
        update = game.apply(action)
        own_texts += [event.text for seat in (0, 1) for event in update.events(seat)]
        everything = [event.text for event in update.events(None) if event.kind == "action"]
        assert len(everything) == 1
        assert not everything[0].endswith("noop")
    assert passes
    assert own_texts[:2] == ["You: take d 7", "Player 1: take d 7"]
    assert not any("noop" in text or "(" in text for text in own_texts)

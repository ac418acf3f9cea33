"""Evaluation of games in GDL: by network, rule by rule, with hidden information, within limits."""

from __future__ import annotations

import random

import pytest

from kibitz.core.errors import FileError
from kibitz.gdl.effects import separate_effects
from kibitz.gdl.evaluator import BY_EFFECTS
from kibitz.gdl.game import GdlGame
from kibitz.gdl.grounder import ground
from kibitz.gdl.limits import Limits
from kibitz.gdl.native import GdlRules
from kibitz.gdl.reader import description
from kibitz.gdl.rules import variables
from kibitz.gdl.splitting import GroundingError, split
from kibitz.gdl.steps import Steps
from kibitz.syntax.source import Source

MATCHING = """
(role even) (role odd)
(<= (legal ?r (show ?n)) (role ?r) (number ?n) (true open))
(number 1) (number 2) (number 3)
(init open)
(<= (next (shown ?r ?n)) (does ?r (show ?n)))
(<= terminal (true (shown even ?n)))
(<= (goal even 100) (true (shown even ?n)) (true (shown odd ?n)))
(<= (goal odd 0) (true (shown even ?n)) (true (shown odd ?n)))
(<= (goal even 0) (true (shown even ?n)) (true (shown odd ?m)) (distinct ?n ?m))
(<= (goal odd 100) (true (shown even ?n)) (true (shown odd ?m)) (distinct ?n ?m))
"""

COUNTING = """
(role first) (role second)
(init (count 0)) (init (turn first))
(<= (legal ?r (add ?n)) (true (turn ?r)) (number ?n))
(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
(number 1) (number 2)
(sum 0 1 1) (sum 1 1 2) (sum 2 1 3) (sum 3 1 4) (sum 0 2 2) (sum 1 2 3) (sum 2 2 4)
(<= (next (count ?z)) (true (count ?x)) (does ?r (add ?n)) (sum ?x ?n ?z))
(<= (next (turn second)) (true (turn first)))
(<= (next (turn first)) (true (turn second)))
(<= (over) (true (count 3)))
(<= over (true (count 4)))
(<= terminal (over))
(<= (goal ?r 100) (true (turn ?r)) over)
(<= (goal ?r 0) (role ?r) (not (true (turn ?r))) over)
"""

PASSING_TOKENS = """
(role a) (role b) (role c) (init (step 0)) {tokens}
(after a b) (after b c) (after c a) (++ 0 1) (++ 1 2) (++ 2 3) (++ 3 4)
(<= (legal ?r left) (true (turn ?r)))
(<= (legal ?r right) (true (turn ?r)))
(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
(<= (next (turn ?s)) (true (turn ?r)) (after ?r ?s))
(<= (next (step ?n)) (true (step ?m)) (++ ?m ?n))
(<= (next (chose ?n ?r)) (true (step ?n)) (does ?r right))
(<= (next (chose ?n ?r)) (true (chose ?n ?r)))
(<= terminal (true (step 4)))
(<= (goal ?r 100) (true (chose 3 ?r)))
(<= (goal ?r 0) (role ?r) (not (true (chose 3 ?r))))
"""
"""Whoever holds a token chooses, then hands it on; the last step counts."""

KNOTTED = """
(role walker)
(init (at a)) (init (open a b)) (init (open c a))
(<= (legal walker (build b c)) (not (true (open b c))))
(<= (legal walker wait) (role walker))
(<= (next (open ?x ?y)) (true (open ?x ?y)))
(<= (next (open ?x ?y)) (does walker (build ?x ?y)))
(<= (next (at ?x)) (true (at ?x)))
(<= (reached ?x) (true (at ?x)))
(<= (reached ?y) (reached ?x) (true (open ?x ?y)))
(<= terminal (reached c))
(<= (goal walker 100) (reached c))
(<= (goal walker 0) (not (reached c)))
"""

LIGHTS = """
(role player) (role path)
(place 1) (place 2) (place 3) (place 4) (place 5)
(after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5)
(link 1 2) (link 2 1) (link 2 3) (link 3 2) (link 3 4) (link 4 3) (link 4 5) (link 5 4)
(legal path noop)
(<= (legal player (switch ?x)) (place ?x))
(<= (next (on ?x)) (does player (switch ?x)) (not (true (on ?x))))
(<= (next (on ?x)) (true (on ?x)) (not (does player (switch ?x))))
(<= terminal (true (on 1)) (not (true (on 2))) (true (on 3)))
(count 0 0)
(<= (count ?y ?m) (after ?x ?y) (count ?x ?n) (after ?n ?m) (true (on ?y)))
(<= (count ?y ?n) (after ?x ?y) (count ?x ?n) (not (true (on ?y))))
(<= (goal player ?n) (count 5 ?n))
(<= (reached 1) (true (on 1)))
(<= (reached ?y) (reached ?x) (link ?x ?y) (true (on ?y)))
(<= (goal path 100) (reached 5))
(<= (goal path 0) (not (reached 5)))
"""

FLIPPING = """
(role white) (role black) (other white black) (other black white)
(square 1) (square 2) (square 3) (square 4) (square 5) (square 6) (square 7)
(to up 1 2) (to up 2 3) (to up 3 4) (to up 4 5) (to up 5 6) (to up 6 7)
(<= (to down ?y ?x) (to up ?x ?y))
(init (turn white)) (init (on 3 white)) (init (on 4 black))
(<= (legal ?r (put ?x)) (true (turn ?r)) (square ?x) (not (taken ?x)))
(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
(<= (taken ?x) (true (on ?x ?r)))
(<= (closes ?r ?d ?x) (to ?d ?x ?y) (true (on ?y ?r)))
(<= (closes ?r ?d ?x) (to ?d ?x ?y) (other ?r ?o) (true (on ?y ?o)) (closes ?r ?d ?y))
(<= (hit ?r ?d ?y) (does ?r (put ?x)) (closes ?r ?d ?x) (to ?d ?x ?y))
(<= (hit ?r ?d ?z) (hit ?r ?d ?y) (other ?r ?o) (true (on ?y ?o)) (to ?d ?y ?z))
(<= (flipped ?x ?r) (hit ?r ?d ?x) (other ?r ?o) (true (on ?x ?o)))
(<= (next (on ?x ?r)) (does ?r (put ?x)))
(<= (next (on ?x ?r)) (flipped ?x ?r))
(<= (next (on ?x ?r)) (true (on ?x ?r)) (other ?r ?o) (not (flipped ?x ?o)))
(<= (next (turn ?o)) (true (turn ?r)) (other ?r ?o))
(<= open (square ?x) (not (taken ?x)))
(<= terminal (not open))
(<= (goal ?r 100) (true (on 1 ?r)))
(<= (goal ?r 0) (role ?r) (not (true (on 1 ?r))))
"""

COLLIDING = """
(role left) (role right) (other left right) (other right left)
(square 1) (square 2) (square 3) (square 4) (square 5) (square 6)
(init (at left 1)) (init (at right 6)) (init (clock 0))
(tick 0 1) (tick 1 2) (tick 2 3) (tick 3 4) (tick 4 5) (tick 5 6)
(<= (legal ?r (paint ?x)) (role ?r) (square ?x))
(<= (legal ?r (jump ?x)) (role ?r) (square ?x) (not (true (at ?r ?x))))
(<= (jumps ?r) (does ?r (jump ?x)))
(<= (next (at ?r ?x)) (does ?r (jump ?x)))
(<= (next (at ?r ?x)) (true (at ?r ?x)) (not (jumps ?r)))
(<= (next (red ?x)) (does ?r (paint ?x)) (true (at ?r ?x)))
(<= (next (red ?x)) (true (red ?x)) (not (does left (jump ?x))) (not (does right (jump ?x))))
(<= (next (red ?x)) (true (clock 3)) (square ?x))
(<= (next (both ?x)) (does left (paint ?x)) (does right (paint ?x)))
(<= (next (both ?x)) (true (both ?x)))
(<= (next (clock ?n)) (true (clock ?m)) (tick ?m ?n))
(<= terminal (true (clock 6)))
(<= (goal ?r 100) (true (at ?r ?x)) (true (red ?x)))
(<= (goal ?r 50) (true (at ?r ?x)) (true (both ?x)) (not (true (red ?x))))
(<= (goal ?r 0) (true (at ?r ?x)) (not (true (both ?x))) (not (true (red ?x))))
"""


def game(text: str, plain: bool = False) -> GdlGame:
    return GdlGame(Source("own.kif", text), grounded=not plain)


@pytest.mark.parametrize("plain", [False, True])
def test_commitments_are_hidden_from_those_who_have_yet_to_decide(plain: bool) -> None:
    matching = game(MATCHING, plain)
    state = matching.new_state(seed=1)
    state.apply("(show 2)")
    assert matching.rules.simultaneous
    assert state.current_player == 1
    made = {state.determinize(1, seed).view.commitments.moves[0] for seed in range(40)}
    assert len(made) == 3
    own = {state.determinize(0, seed).view.commitments.moves[0] for seed in range(10)}
    assert len(own) == 1
    state.apply("(show 2)")
    assert state.is_terminal
    assert list(state.scores()) == [100, 0]


@pytest.mark.parametrize("plain", [False, True])
def test_turns_and_forced_moves(plain: bool) -> None:
    state = game(COUNTING, plain).new_state(seed=1)
    state.apply("(add 2)")
    assert state.current_player == 1
    state.apply("(add 1)")
    assert state.is_terminal
    assert list(state.scores()) == [100, 0]


def test_who_takes_turns_needs_one_input_for_a_step() -> None:
    network = game(COUNTING).rules.network
    assert network.turns
    assert all(move.does < 0 for move in network.moves if move.term == "noop")
    assert not game(MATCHING).rules.network.turns


@pytest.mark.parametrize(
    ("tokens", "movers", "scores"),
    [
        ("a", [0, 1, 2, 0], [100, 0, 0]),
        ("ab", [0, 1, 1, 2, 0, 2, 0, 1], [100, 100, 0]),
        ("bc", [1, 2, 0, 2, 0, 1, 1, 2], [0, 100, 100]),
        ("abc", [0, 1, 2] * 4, [100, 100, 100]),
    ],
)
@pytest.mark.parametrize("plain", [False, True])
def test_every_holder_of_a_token_chooses(
    tokens: str, movers: list[int], scores: list[int], plain: bool
) -> None:
    turns = " ".join(f"(init (turn {role}))" for role in tokens)
    state = game(PASSING_TOKENS.format(tokens=turns), plain).new_state(seed=1)
    met = []
    while not state.is_terminal:
        met.append(state.current_player)
        assert [state.action_words(action) for action in state.legal_actions()] == [
            "left",
            "right",
        ]
        state.apply("right")
    assert met == movers
    assert list(state.scores()) == scores


@pytest.mark.parametrize("plain", [False, True])
def test_recursion_within_a_state(plain: bool) -> None:
    walk = game(KNOTTED, plain)
    assert plain or walk.rules.network.sccs
    state = walk.new_state(seed=1)
    steps = Steps(state.table)
    assert steps.goals(state, 0) == [0]
    state.apply("wait")
    state.apply("(build b c)")
    assert state.is_terminal
    assert list(state.scores()) == [100]


def test_gates_of_goals_are_updated_when_a_goal_is_asked_for() -> None:
    lights = game(LIGHTS)
    arrays = lights.rules.arrays
    assert [lights.rules.network.facts[i - 1].name for i in arrays.sources] == ["on"] * 5
    assert arrays.network.sccs
    steps, chance = Steps(lights.table()), random.Random(1)
    states = []
    for seed in range(8):
        state = lights.new_state(seed=seed)
        while not state.is_terminal:
            state.apply(chance.choice(state.legal_actions()))
            states.append(state.clone())
    chance.shuffle(states)
    values = set()
    for state in states:
        on = len(lights.rules.facts.true(state.view.facts))
        assert steps.goals(state, 0) == [on]
        assert steps.goals(state, 1) == [100 if on == 5 else 0]
        values.add(on)
    assert values == {0, 1, 2, 3, 4, 5}


def plays_as_proved(text: str, games: int) -> GdlRules:
    """Plays random games on the network and by the prover; returns the rules with the network."""
    ground, proved = game(text), game(text, plain=True)
    chance = random.Random(1)
    for seed in range(games):
        states = [(variant.rules, variant.new_state(seed=seed)) for variant in (ground, proved)]
        while not states[0][1].is_terminal:
            legal, other = (
                sorted(map(rules.actions.words, state.legal_actions())) for rules, state in states
            )
            assert legal == other
            move = chance.choice(legal)
            for _, state in states:
                state.apply(move)
            facts, others = (set(rules.facts.true(state.view.facts)) for rules, state in states)
            assert facts == others
        assert list(states[0][1].scores()) == list(states[1][1].scores())
    return ground.rules


def test_what_a_move_changes_is_looked_up_in_a_game_of_turns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(GdlRules, "winning", None)
    arrays = plays_as_proved(FLIPPING, games=4).arrays
    assert arrays.numbers["by_move"] == BY_EFFECTS
    assert sum(map(len, arrays.network.effects)) > 20
    inputs = range(1 + len(arrays.network.facts), arrays.network.first_gate)
    assert not {x if x >= 0 else ~x for gate in arrays.network.gates for x in gate} & set(inputs)


def test_what_each_of_simultaneous_moves_changes_is_looked_up() -> None:
    rules = plays_as_proved(COLLIDING, games=20)
    effects = separate_effects(rules.network)
    assert rules.arrays.numbers["by_move"] == BY_EFFECTS
    assert effects is not None
    apart = {rules.facts.names[fact - 1].strip("()").split()[0] for fact in effects[1].facts}
    assert apart == {"at", "red"}  # whether something is painted by both depends on both moves


def test_legal_moves_come_in_one_order() -> None:
    walk = game(COUNTING)
    table = walk.table()
    first = table.new_state(1)
    before = first.legal_actions()
    other = table.new_state(2)
    other.apply(other.legal_actions()[1])
    assert other.legal_actions()
    assert first.legal_actions() == before


def test_wide_rules_are_split() -> None:
    text = "(<= (p ?a ?e) (q ?a ?b) (r ?b ?c) (s ?c ?d) (t ?d ?e) (distinct ?b ?c) (not (u ?d)))"
    (rule,) = description(Source("own.kif", f"(role x) {text}")).rules[1:]
    pieces = split(rule, iter(range(100)))
    assert max(len({v for c in piece.body for v in variables(c)}) for piece in pieces) == 3
    assert pieces[-1].head == rule.head


def test_too_many_instances_are_refused() -> None:
    digits = " ".join(f"(digit {i})" for i in range(10))
    names = " ".join(f"?x{i}" for i in range(9))
    body = " ".join(f"(digit ?x{i})" for i in range(9))
    text = f"(role r) {digits} (<= (legal r (pick {names})) {body})"
    with pytest.raises(GroundingError, match="too many instances"):
        ground(description(Source("own.kif", text)), Limits(20))


def test_rules_under_which_nobody_can_ever_move_are_refused() -> None:
    text = "(role a) (<= (legal a x) (true never)) (<= terminal (true z)) (goal a 50)"
    with pytest.raises(FileError, match="no role ever has a legal move"):
        GdlGame(Source("still.kif", text)).new_state()


@pytest.mark.parametrize("plain", [False, True])
def test_a_long_chain_of_recursion_is_followed_to_its_end(plain: bool) -> None:
    links = " ".join(f"(succ {i} {i + 1})" for i in range(100))
    text = f"""(role a) (init p) {links} (<= (legal a x) (not (q 0))) (<= (legal a y) (q 0))
        (<= (q ?x) (q ?y) (succ ?x ?y) (true p)) (<= (q 100) (true b)) (<= (q 100) (q 0))
        (<= (next p) (does a x)) (<= (next b) (does a x)) (<= terminal (true e))
        (<= (next e) (does a y)) (goal a 50)"""
    game = GdlGame(Source("own.kif", text), grounded=not plain)
    state = game.new_state()
    for move in ("x", "y"):
        assert [state.action_words(action) for action in state.legal_actions()] == [move]
        state.apply(state.legal_actions()[0])
    assert state.is_terminal

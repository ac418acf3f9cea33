"""GDL-II: percepts, memories, and consistent games."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterator

import pytest

import kibitz
from kibitz import gdl
from kibitz.core.agent import make_agent, make_agents
from kibitz.core.chance import ONE_DEAL
from kibitz.core.errors import (
    FileError,
    FullBufferError,
    GameDefinitionError,
    IllegalActionError,
    UnknownNameError,
)
from kibitz.core.state import State, hidden_share
from kibitz.gdl.components import QUARTERS
from kibitz.gdl.game import GdlGame
from kibitz.gdl.library import FOLDER
from kibitz.gdl.percepts import percept_number, percepts_number
from kibitz.gdl.reader import read_term
from kibitz.gdl.simulation import simulate
from kibitz.gdl.steps import Steps
from kibitz.sessions.recording import attempt_game
from kibitz.syntax.source import Source

KRIEGSPIEL = "kriegspiel-tic-tac-toe"
EITHER_WAY = pytest.mark.parametrize("plain", [False, True], ids=["network", "rule by rule"])

WHISPERS = """
(role ann) (role bob) (role random)
(init (step 1)) (after 1 2) (after 2 3)
(colour red) (colour blue)
(<= (legal ann (say ?c)) (colour ?c))
(<= (legal bob (say ?c)) (colour ?c))
(<= (legal random (roll ?n)) (die ?n))
(die 1) (die 2)
(<= (next (step ?n)) (true (step ?m)) (after ?m ?n))
(<= (next (said ?r ?c)) (does ?r (say ?c)))
(sees bob always)
(<= (sees ann (step ?n)) (true (step ?n)))
(<= (sees ann (Rolled ?n)) (does random (roll ?n)))
(<= (sees bob red_was_said) (does ann (say red)))
(<= (sees ?r same) (role ?r) (does ann (say ?c)) (does bob (say ?c)))
(<= terminal (true (step 3)))
(<= (goal ?r 50) (role ?r))
"""

DUEL = """
(role left) (role right)
(init (round 1)) (after 1 2) (after 2 3) (after 3 4)
(beats rock scissors) (beats scissors paper) (beats paper rock)
(<= (legal ?r (show ?s)) (role ?r) (beats ?s ?t))
(<= (wins ?r) (does ?r (show ?s)) (does ?q (show ?t)) (distinct ?r ?q) (beats ?s ?t))
(<= (next (won ?r ?n)) (wins ?r) (true (round ?n)))
(<= (next (won ?r ?n)) (true (won ?r ?n)))
(<= (next (round ?n)) (true (round ?m)) (after ?m ?n))
(<= (sees ?r won) (wins ?r))
(<= (sees ?r lost) (role ?r) (wins ?q) (distinct ?r ?q))
(<= terminal (true (round 4)))
(<= (ahead ?r) (true (won ?r 3)))
(<= (goal ?r 100) (ahead ?r))
(<= (goal ?r 0) (role ?r) (not (ahead ?r)))
"""
"""Each round both perceive only its winner; the last round counts."""


def digits(steps: int, symbols: int, late: bool) -> str:
    """Chance names symbols; the player perceives each, or (`late`) the first one at the end."""
    names = " ".join(f"(symbol {n})" for n in range(symbols))
    after = " ".join(f"(after {n} {n + 1})" for n in range(steps))
    percepts = (
        f"(<= (sees player (first ?n)) (true (named 0 ?n)) (true (step {steps - 1})))"
        if late
        else "(<= (sees player (named ?n)) (does random (name ?n)))"
    )
    return f"""
    (role player) (role random) (init (step 0)) {names} {after}
    (legal player wait)
    (<= (legal random (name ?n)) (symbol ?n))
    (<= (next (step ?n)) (true (step ?m)) (after ?m ?n))
    (<= (next (named ?s ?n)) (true (step ?s)) (does random (name ?n)))
    (<= (next (named ?s ?n)) (true (named ?s ?n)))
    {percepts}
    (<= terminal (true (step {steps + 1})))
    (goal player 50) (goal random 50)
    (base (step 0)) (<= (base (step ?n)) (after ?m ?n))
    (<= (base (named ?s ?n)) (after ?s ?t) (symbol ?n))
    """


def game(text: str, plain: bool = False) -> GdlGame:
    return slowly(GdlGame(Source("own.kif", text)), plain)


def known(name: str, plain: bool = False) -> GdlGame:
    return slowly(kibitz.load(name), plain)


def slowly(game: GdlGame, plain: bool) -> GdlGame:
    return GdlGame(game.text, game.name, grounded=not plain)


def facts(state: State) -> set[str]:
    return set(state.table.game.rules.facts.true(state.view.facts))


def memory(state: State, role: int) -> list[tuple[int, int]]:
    component = state.table.game.rules.memory
    entries: list[tuple[int, int]] = component.entries(state.view.memories[role])
    return entries


def numbers(steps: Steps, *moves: str) -> list[int]:
    """The numbers of moves, one for each role."""
    rules = steps.rules
    actions, spelling = rules.actions, rules.description.spelling
    places = {pair: i for i, pair in enumerate(zip(actions.roles, actions.names, strict=True))}
    return [places[spelling[r], m] for r, m in zip(rules.description.roles, moves, strict=True)]


def random_games(game: GdlGame, games: int, seed: int = 0) -> Iterator[State]:
    """All states of some random games, the last ones too."""
    rng = random.Random(seed)
    for number in range(games):
        state = game.table().new_state(seed + number)
        yield state
        while not state.is_terminal:
            state.apply(rng.choice(state.legal_actions()))
            yield state


# --- percepts -------------------------------------------------------------------------------


def test_whether_a_game_is_one_of_imperfect_information() -> None:
    assert known("monty-hall").rules.imperfect
    assert not known("connect-four").rules.imperfect
    assert "memories" not in known("light-cycles").rules.layout.dtype.fields
    assert not Steps(known("nim").table()).imperfect


def test_a_percept_has_the_same_number_everywhere() -> None:
    taken, turn = read_term("(taken 2 2)"), read_term("your_turn")
    assert taken is not None
    assert turn is not None
    assert percept_number(taken) == -937791473
    assert percepts_number([taken, turn]) == percepts_number([turn, taken, turn])
    assert percepts_number([]) == 0
    shouted = read_term("(TAKEN 2 2)")
    assert shouted is not None
    assert percept_number(shouted) == percept_number(taken)


@EITHER_WAY
def test_percepts_depend_on_the_state_and_on_the_moves(plain: bool) -> None:
    whispers = game(WHISPERS, plain)
    steps = Steps(whispers.table())
    state = steps.table.new_state(1)
    legal = [steps.legal(state, role) for role in range(3)]
    moves = {
        whispers.rules.actions.names[m]: m for options in legal[:1] + legal[2:] for m in options
    }
    theirs = {whispers.rules.actions.names[m]: m for m in legal[1]}
    apart = [moves["(say red)"], theirs["(say blue)"], moves["(roll 2)"]]
    assert steps.percepts(state, apart) == [
        ["(Rolled 2)", "(step 1)"],
        ["always", "red_was_said"],
        [],
    ]
    steps.play(state, apart)
    alike = [moves["(say blue)"], theirs["(say blue)"], moves["(roll 1)"]]
    assert steps.percepts(state, alike) == [
        ["(Rolled 1)", "(step 2)", "same"],
        ["always", "same"],
        ["same"],
    ]


def test_asking_for_percepts_changes_nothing() -> None:
    steps = Steps(known(KRIEGSPIEL).table())
    state, other = steps.table.new_state(1), steps.table.new_state(1)
    moves = numbers(steps, "(try 2 2)", "noop")
    for place in ("(try 1 1)", "(try 3 3)"):
        steps.percepts(state, numbers(steps, place, "noop"))
    steps.play(state, moves)
    steps.play(other, moves)
    assert state == other


def test_games_without_sees_have_no_percepts() -> None:
    steps = Steps(known("light-cycles").table())
    state = steps.table.new_state(1)
    assert steps.percepts(state, [steps.legal(state, r)[0] for r in range(2)]) == [[], []]


@EITHER_WAY
def test_passing_is_told_within_a_recursion(plain: bool) -> None:
    """Where one role moves at a time, a recursive relation may depend on a role that passes."""
    text = """
    (role x) (role y) (init (turn x)) (init (edge a b)) (init (edge b a))
    (<= (legal ?r go) (true (turn ?r))) (<= (legal ?r stay) (true (turn ?r)))
    (<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
    (<= (next (turn y)) (true (turn x))) (<= (next (turn x)) (true (turn y)))
    (<= (next (edge ?a ?b)) (true (edge ?a ?b)))
    (<= (reach a) (does y noop) (true (edge a b)))
    (<= (reach ?b) (reach ?a) (true (edge ?a ?b)))
    (<= (next (reached ?a)) (reach ?a))
    (<= terminal (true (reached nowhere)))
    (<= (goal ?r 0) (role ?r))
    """
    state = game(text, plain).new_state(seed=1)
    assert plain or state.table.game.rules.network.sccs
    state.apply("go")
    assert {"(reached a)", "(reached b)"} <= facts(state)
    state.apply("stay")
    assert not {"(reached a)", "(reached b)"} & facts(state)


# --- what players know ----------------------------------------------------------------------


@EITHER_WAY
def test_everyone_remembers_their_own_moves_and_percepts(plain: bool) -> None:
    whispers = game(WHISPERS, plain)
    state = whispers.new_state(seed=4)
    for words in ("(say red)", "(say red)"):
        state.apply(words)
    (ann,), (bob,) = memory(state, 0), memory(state, 1)
    assert (
        whispers.rules.actions.names[ann[0]] == whispers.rules.actions.names[bob[0]] == "(say red)"
    )
    assert ann[0] != bob[0]
    terms = [read_term(word) for word in ("always", "same", "red_was_said")]
    assert bob[1] == percepts_number(term for term in terms if term is not None)


@EITHER_WAY
def test_nobody_sees_the_facts_nor_what_others_remember(plain: bool) -> None:
    state = known("monty-hall", plain).new_state(seed=4)
    state.apply("noop")
    state.apply(state.legal_actions()[0])
    observation = state.observation(0)
    assert observation.to_json()["components"]["facts"] is None
    assert memory(observation, 0) == memory(state, 0)
    assert all(move < 0 for move, _ in memory(observation, 1))
    assert 0 < hidden_share(state, 0) < 1


@EITHER_WAY
def test_all_are_asked(plain: bool) -> None:
    """Leaving roles out would reveal that they have no choice, even where turns are known."""
    nim = (FOLDER / "nim.kif").read_text()
    open_nim = game(nim + "(<= (sees ?r (did ?q ?m)) (role ?r) (does ?q ?m))", plain)
    assert plain or open_nim.rules.network.turns
    for played in (known(KRIEGSPIEL, plain), open_nim):
        state = played.new_state(seed=1)
        state.apply(state.legal_actions()[0])
        assert state.current_player == 1
        assert [state.action_words(a) for a in state.legal_actions()] == ["noop"]


def test_what_is_observed_depends_on_what_is_remembered_and_on_chance_alone() -> None:
    """Two true states that differ in all that a player cannot know."""
    first, second = (known(KRIEGSPIEL).new_state(seed=seed) for seed in (1, 2))
    for state, reply in ((first, "(try 3 3)"), (second, "(try 1 2)")):
        for words in ("(try 2 2)", "noop", "noop", reply):
            state.apply(words)
    assert facts(first) != facts(second)
    assert bytes(first.observation(0)) == bytes(second.observation(0))
    assert bytes(first.observation(1)) != bytes(second.observation(1))
    for seed in range(50):
        assert bytes(first.determinize(0, seed)) == bytes(second.determinize(0, seed))
    assert first.describe(0) == second.describe(0)
    assert first.table.encoder.encode(first, 0).tolist() == (
        second.table.encoder.encode(second, 0).tolist()
    )
    agent = make_agent("ismcts:iterations=50")
    agent.random.seed(1)
    choice = agent.advise(first)
    agent.random.seed(1)
    assert agent.advise(second) == choice


def unblocked(masked: State) -> State:
    """A masked state with chance, without which it cannot be determinized."""
    masked.view.rng[0] = 1
    masked.view.shuffle_deal = ONE_DEAL
    return masked


@pytest.mark.parametrize("name", [KRIEGSPIEL, "monty-hall"])
def test_a_sample_of_a_sample_is_one_of_the_state(name: str) -> None:
    """Sampling does not depend on hidden information."""
    for state in random_games(known(name), 5):
        for player in range(state.players):
            other = (player + 1) % state.players
            sample = state.determinize(player, 5)
            assert sample.determinize(player, 11) == state.determinize(player, 11)
            assert unblocked(state.observation(player)).determinize(
                player, 11
            ) == state.determinize(player, 11)
            assert sample.determinize(other, 11).observation(other) == sample.observation(other)


def test_what_is_legal_should_be_known() -> None:
    """The checker warns of moves whose legality depends on facts that their role cannot know."""
    rules = (FOLDER / f"{KRIEGSPIEL}.kif").read_text()
    percepts = "(<= (sees ?w (taken ?m ?n)) (fails ?w ?m ?n))"
    assert percepts in rules
    assert not simulate(Source("own.kif", rules))
    assert not simulate(Source("own.kif", (FOLDER / "monty-hall.kif").read_text()))
    untold = rules.replace("(not (true (tried ?w ?m ?n)))", "(not (true (cell ?m ?n black)))")
    (warning,) = {
        diagnostic.code: diagnostic for diagnostic in simulate(Source("own.kif", untold))
    }.values()
    assert warning.code == "unknowable"
    assert not warning.is_error
    assert re.search(r"The role white cannot know whether it may \(try \d \d\)", warning.message)


# --- games that fit -------------------------------------------------------------------------


def assert_fits(steps: Steps, state: State, sample: State, player: int) -> None:
    """A sample is a possible game that its observer cannot distinguish from the real one."""
    assert memory(sample, player) == memory(state, player)
    assert bytes(sample.observation(player)) == bytes(state.observation(player))
    assert sample.is_terminal == state.is_terminal
    memories = [memory(sample, role) for role in range(steps.roles)]
    again = steps.table.new_state()
    for entries in zip(*memories, strict=True):
        assert not steps.terminal(again)
        moves = [move for move, _ in entries]
        percepts = steps.percepts(again, moves)
        for texts, (_, number) in zip(percepts, entries, strict=True):
            terms = [read_term(text) for text in texts]
            assert percepts_number(t for t in terms if t is not None) == number
        steps.play(again, moves)
    assert facts(again) == facts(sample)
    assert steps.terminal(sample) == state.is_terminal


@pytest.mark.parametrize(
    ("gdl_game", "games", "samples"),
    [(known(KRIEGSPIEL), 12, 6), (game(DUEL), 6, 10), (game(WHISPERS), 4, 10)],
    ids=["kriegspiel", "duel", "whispers"],
)
def test_samples_fit_what_is_remembered(gdl_game: GdlGame, games: int, samples: int) -> None:
    steps = Steps(gdl_game.table())
    different = 0
    for state in random_games(gdl_game, games):
        for player in range(state.players):
            drawn = [state.determinize(player, seed) for seed in range(samples)]
            different += len({bytes(sample)[64:] for sample in drawn}) > 1
            for sample in drawn:
                assert_fits(steps, state, sample, player)
                if state.current_player == player and not state.is_terminal:
                    assert sample.legal_actions() == state.legal_actions()
    assert different > 10


def test_rare_games_are_found_rule_by_rule() -> None:
    rare = game(digits(4, 12, False), plain=True)
    steps = Steps(rare.table())
    state = steps.table.new_state(1)
    for _ in range(4):
        steps.play(state, [steps.legal(state, 0)[0], steps.legal(state, 1)[-3]])
    for seed in range(3):
        assert_fits(steps, state, state.determinize(0, seed), 0)


def test_samples_fit_rule_by_rule() -> None:
    kriegspiel = known(KRIEGSPIEL, plain=True)
    steps = Steps(kriegspiel.table())
    for number, state in enumerate(random_games(kriegspiel, 1, seed=3)):
        if number % 4 == 2 and not state.is_terminal:
            for player in range(2):
                assert_fits(steps, state, state.determinize(player, number), player)


@pytest.mark.parametrize(("plain", "samples"), [(False, 6_000), (True, 150)])
def test_the_car_is_behind_the_chosen_door_once_in_three(plain: bool, samples: int) -> None:
    monty_hall = known("monty-hall", plain)
    steps = Steps(monty_hall.table())
    state = steps.table.new_state(1)
    for moves in (("noop", "(hide 3)"), ("(choose 1)", "noop"), ("noop", "(open 2)")):
        legal = [steps.legal(state, role) for role in range(2)]
        names = monty_hall.rules.actions.names
        steps.play(
            state,
            [next(m for m in legal[r] if names[m] == words) for r, words in enumerate(moves)],
        )
    behind = Counter(
        next(fact for fact in facts(state.determinize(0, seed)) if "car" in fact)
        for seed in range(samples)
    )
    error = 4 * math.sqrt(2 / 9 / samples)
    assert set(behind) == {"(car 1)", "(car 3)"}
    assert behind["(car 1)"] / samples == pytest.approx(1 / 3, abs=error)


@EITHER_WAY
def test_what_the_others_have_just_chosen_is_drawn_too(plain: bool) -> None:
    duel = game(DUEL, plain)
    state = duel.new_state(seed=1)
    for words in ("(show rock)", "(show scissors)"):
        state.apply(words)
    state.apply("(show paper)")
    samples = [state.determinize(1, seed) for seed in range(120)]
    assert {memory(sample, 0)[0][0] for sample in samples} == {memory(state, 0)[0][0]}
    chosen = Counter(sample.view.commitments.moves[0] for sample in samples)
    assert len(chosen) == 3
    assert min(chosen.values()) > 20


@pytest.mark.parametrize("late", [False, True])
def test_games_that_hardly_ever_happen_are_found(late: bool) -> None:
    """Early percepts fit one history in 40 to the power of 8; late ones mean backtracking."""
    rare = game(digits(3, 200, True) if late else digits(8, 40, False))
    steps = Steps(rare.table())
    for seed in range(3):
        state = steps.table.new_state(seed)
        rng = random.Random(seed)
        for _ in range(3 if late else 8):
            legal = [steps.legal(state, role) for role in range(2)]
            steps.play(state, [rng.choice(moves) for moves in legal])
        first = next(fact for fact in facts(state) if fact.startswith("(named 0 "))
        for number in range(4):
            sample = state.determinize(0, number)
            assert_fits(steps, state, sample, 0)
            assert first in facts(sample)


def test_who_sees_all_moves_knows_the_state() -> None:
    """A game of perfect information that is written in GDL-II."""
    text = (FOLDER / "connect-four.kif").read_text()
    open_game = game(text + "(<= (sees ?r (did ?q ?m)) (role ?r) (does ?q ?m))")
    steps = Steps(open_game.table())
    rng = random.Random(3)
    state = steps.table.new_state(1)
    for _ in range(12):
        steps.play(state, [rng.choice(steps.legal(state, role)) for role in range(2)])
    for player in range(2):
        assert facts(state.determinize(player, 5)) == facts(state)


@EITHER_WAY
def test_what_cannot_have_been_is_played_as_far_as_it_goes(plain: bool) -> None:
    """A remote manager may claim what the rules do not allow."""
    kriegspiel = known(KRIEGSPIEL, plain)
    steps = Steps(kriegspiel.table())
    informed = steps.information(0)
    names = kriegspiel.rules.actions.names
    first = next(m for m in steps.legal(informed.determinize(0, 0), 0) if names[m] == "(try 1 1)")
    steps.perceive(informed, 0, first, ["nonsense"])
    steps.perceive(informed, 0, first, ["(taken 1 1)"])
    for seed in range(3):
        sample = informed.determinize(0, seed)
        assert bytes(sample.observation(0)) == bytes(informed.observation(0))
        assert sample.legal_actions()
        sample.apply(sample.legal_actions()[0])


# --- knowing no more than one's own part ------------------------------------------------------


@pytest.mark.parametrize(
    ("gdl_game", "games"),
    [
        (known(KRIEGSPIEL), 4),
        (game(DUEL), 3),
        (game(WHISPERS, plain=True), 2),
        (known("monty-hall", plain=True), 2),
    ],
    ids=["kriegspiel", "duel", "whispers rule by rule", "monty-hall rule by rule"],
)
def test_a_remote_player_needs_its_moves_and_percepts_only(gdl_game: GdlGame, games: int) -> None:
    steps = Steps(gdl_game.table())
    rng = random.Random(2)
    for seed in range(games):
        state = steps.table.new_state(seed)
        informed = [steps.information(role) for role in range(state.players)]
        while not steps.terminal(state):
            moves = []
            for role in range(state.players):
                sample = informed[role].determinize(role, rng.randrange(1000))
                assert sample.current_player == role
                assert steps.legal(sample, role) == steps.legal(state, role)
                assert sample.view.turn == state.view.turn
                moves.append(rng.choice(steps.legal(sample, role)))
            if len(moves) < steps.roles:  # chance, which has no seat
                moves.append(rng.choice(steps.legal(state, steps.roles - 1)))
            percepts = steps.percepts(state, moves)
            steps.play(state, moves)
            for role in range(state.players):
                steps.perceive(informed[role], role, moves[role], percepts[role])
                assert memory(informed[role], role) == memory(state, role)
                other = (role + 1) % steps.roles
                assert all(entry == (-1, 0) for entry in memory(informed[role], other))


def test_a_remote_player_can_search() -> None:
    steps = Steps(known("monty-hall").table())
    informed = steps.information(0)
    noop, choice = numbers(steps, "noop", "(hide 1)")[0], numbers(steps, "(choose 2)", "noop")[0]
    for move, percepts in ((noop, []), (choice, []), (noop, ["(opens 3)"])):
        steps.perceive(informed, 0, move, percepts)
    for agent in ("ismcts:iterations=300", "ismcts:iterations=300,trees=many", "pimc"):
        advice = make_agent(agent).advise(informed.determinize(0, 1))
        assert informed.action_words(advice[0].action) == "switch"


def test_what_can_be_perceived() -> None:
    steps = Steps(known("monty-hall").table())
    informed = steps.information(0)
    before = bytes(informed)
    own, theirs = numbers(steps, "noop", "(hide 1)")
    with pytest.raises(UnknownNameError, match=r"'\(opens' is no percept"):
        steps.perceive(informed, 0, own, ["(opens"])
    with pytest.raises(IllegalActionError, match="no move of role 1"):
        steps.perceive(informed, 0, theirs, [])
    with pytest.raises(IllegalActionError, match="no move of role 1"):
        steps.perceive(informed, 0, 10_000, [])
    assert bytes(informed) == before
    nim = Steps(known("nim").table())
    with pytest.raises(GameDefinitionError, match="told all moves"):
        nim.perceive(nim.information(0), 0, 0, [])


@EITHER_WAY
def test_a_game_may_take_longer_than_players_can_remember(plain: bool) -> None:
    kriegspiel = known(KRIEGSPIEL, plain)
    kriegspiel.rules.__dict__["capacity"] = 3
    state = kriegspiel.new_state(seed=1)
    for words in ("(try 1 1)", "noop", "noop", "(try 2 2)", "(try 3 3)", "noop", "noop"):
        state.apply(words)
    with pytest.raises(FullBufferError, match="players remember 3 steps"):
        state.apply("(try 1 2)")
    steps = Steps(kriegspiel.table())
    informed = steps.information(1)
    noop = next(m for m in steps.legal(steps.table.new_state(), 1))
    for _ in range(3):
        steps.perceive(informed, 1, noop, [])
    with pytest.raises(FullBufferError, match="remember 3 steps"):
        steps.perceive(informed, 1, noop, [])


def test_there_is_room_for_more_steps_than_random_games_take() -> None:
    assert known(KRIEGSPIEL).rules.capacity >= 40
    assert known("monty-hall").rules.capacity >= 16


def test_damaged_memories_are_refused() -> None:
    state = known("monty-hall").new_state(seed=1)
    state.apply("noop")
    for spoil in (
        lambda memory: setattr(memory, "count", 3),
        lambda memory: setattr(memory, "count", QUARTERS * 1000),
        lambda memory: memory.entries.__setitem__((0, 0), 99),
    ):
        damaged = state.clone()
        spoil(damaged.view.memories[0])
        with pytest.raises(FileError, match=r"memories\[0\]"):
            State.from_bytes(state.table, bytes(damaged))
    # who looks through another's eyes at what these have not seen gets some state, and no harm
    blind = unblocked(known(KRIEGSPIEL).new_state(seed=1).observation(1)).determinize(0, 1)
    assert blind.legal_actions()


# --- people ---------------------------------------------------------------------------------


@EITHER_WAY
def test_people_are_told_what_they_did_and_saw(plain: bool) -> None:
    state = known(KRIEGSPIEL, plain).new_state(seed=1)
    for words in ("(try 2 2)", "noop", "noop"):
        state.apply(words)
    before = state.clone()
    state.apply("(try 2 2)")
    assert (
        state.table.wording.event_text(before, before.action("(try 2 2)"), state, 0)
        == "has chosen"
    )
    assert (
        state.table.wording.event_text(before, before.action("(try 2 2)"), state, 1)
        == "try 2 2; you see (taken 2 2)"
    )
    black = state.describe(1).splitlines()
    assert black[1] == "You are black."
    assert "  1. noop, you see your_turn" in black
    assert "  2. (try 2 2), you see (taken 2 2)" in black
    assert "(cell 2 2 white)" in black[-1]
    white = state.describe(0).splitlines()
    assert "  2. noop" in white
    assert "(tried black 2 2)" in white[-1]  # why else is it not their turn?
    assert not any("black (try" in line for line in white)
    everything = state.describe()
    assert "  2. white noop; black (try 2 2), sees (taken 2 2)" in everything.splitlines()
    assert "(tried black 2 2)" in everything


# --- agents ---------------------------------------------------------------------------------


def test_ismcts_learns_to_switch() -> None:
    state = known("monty-hall").new_state(seed=5)
    state.apply("noop")
    state.apply("(choose 2)")
    state.apply("noop")
    agent = make_agent("ismcts:iterations=4000")
    agent.random.seed(1)
    advice = {state.action_words(a.action): a for a in agent.advise(state)}
    assert advice["switch"].share > 0.9
    assert advice["switch"].value == pytest.approx(2 / 3, abs=0.03)


def test_who_switches_wins_two_times_in_three() -> None:
    agents = ["ismcts:iterations=100"]
    result = kibitz.playtest("monty-hall", games=600, agents=agents, workers=1, seed=3).to_json()
    (candidate,) = result["seats"]
    assert candidate["mean_score"] == pytest.approx(200 / 3, abs=8)


@pytest.mark.parametrize(
    "agent", ["ismcts:iterations=200", "ismcts:iterations=200,trees=many", "pimc"]
)
def test_agents_beat_random_in_kriegspiel(agent: str) -> None:
    rng = make_agent("random")
    points = 0.0
    games = 24
    for number in range(games):
        state = kibitz.load(KRIEGSPIEL).new_state(seed=number)
        players = [make_agent(agent), rng] if number % 2 == 0 else [rng, make_agent(agent)]
        for player in players:
            player.random.seed(number)
        while not state.is_terminal:
            legal = state.legal_actions()
            chooser = players[state.current_player]
            state.apply(legal[0] if len(legal) == 1 else chooser.choose(state))
        points += 0.5 + 0.5 * state.returns()[number % 2]
    assert points / games > 0.7


def test_the_subroutines_take_no_notice() -> None:
    rules = (FOLDER / f"{KRIEGSPIEL}.kif").read_text()
    state = gdl.findinits(rules)
    for _ in range(70):
        state = gdl.findnext(
            ["white", "black"], ["(try 1 1)", "noop"], gdl.findinits(rules), rules
        )
    assert "(cell 1 1 white)" in state


def test_a_game_that_breaks_off_in_its_first_state_is_told() -> None:
    rules = """(role a) (role b) (<= (legal a go) (true end)) (legal b go) (legal b stay)
        (<= (next end) (does b go)) (sees a nothing) (goal a 0) (goal b 0)
        (<= terminal (true end))"""
    table = GdlGame(Source("stuck.kif", rules)).table()
    record, _ = attempt_game(table, make_agents("random", 2), 1)
    assert record.result.status == "rules_error"
    assert "has no legal move" in kibitz.transcript(record, table)

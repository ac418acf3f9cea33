"""Small games in full: known values of known games, and brute force where nothing is known."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kibitz
from kibitz.core.errors import AgentError, ParameterError, PlayError
from kibitz.studies.solving.play import agent_policy
from kibitz.studies.solving.policies import (
    average_gain,
    best_response,
    equilibrium,
    expected_utilities,
    gains,
)
from kibitz.studies.solving.tree import Floats, GameTree, grow_tree


@pytest.fixture(scope="module")
def kuhn() -> GameTree:
    return grow_tree(kibitz.load("kuhn-poker").table())


@pytest.fixture(scope="module")
def leduc() -> GameTree:
    return grow_tree(kibitz.load("leduc-poker").table())


def text_game(rules: str, cards: str = "(RANK (A, B))") -> kibitz.Table:
    text = f"""(game
      (setup (create players 2) (create deck (game iloc STOCK) (deck {cards})))
      {rules}
      (scoring max ((current player) sto WON)))"""
    return kibitz.load(text, language="recycle").table(2)


# --- known figures ------------------------------------------------------------------------


def test_the_tree_of_kuhn_poker(kuhn: GameTree) -> None:
    assert len(kuhn.roots) == 6
    assert len(kuhn.infoset_player) == 12  # Kuhn, 1950
    assert len(kuhn.parent) == 6 * 9  # each deal has nine histories, the empty one included
    assert kuhn.by == "score"
    assert kuhn.is_zero_sum


def test_players_remember_what_they_did() -> None:
    """A player who put away the top or the bottom card unseen knows later which of them it was."""
    tree = grow_tree(
        text_game(
            """(do ((shuffle (game iloc STOCK))))
            (choice ((move (top (game iloc STOCK)) (top (game iloc LEFT)))
                     (move (bottom (game iloc STOCK)) (top (game iloc LEFT)))))
            (choice ((turn pass) (inc ((current player) sto WON))))"""
        )
    )
    assert tree.infoset_player.tolist() == [0, 0, 0]
    for infoset in (1, 2):
        nodes = np.flatnonzero(tree.infoset == infoset)
        assert len(nodes) == 2  # for each deal
        assert len({int(tree.sequence[node]) for node in nodes}) == 1


def test_players_want_what_the_game_is_played_for() -> None:
    """Prizes decide who wins at GOPS, and are not what is won."""
    table = kibitz.load("gops").table(cards=3)
    assert grow_tree(table).by == "place"
    assert grow_tree(table).is_zero_sum
    assert grow_tree(table, by="score").by == "score"


def test_uniform_play_of_kuhn_poker(kuhn: GameTree) -> None:
    """As OpenSpiel has it: exploitability 0.458333, and the first player wins an eighth."""
    assert average_gain(kuhn, kuhn.uniform()) == pytest.approx(11 / 24)
    assert expected_utilities(kuhn, kuhn.uniform()) == pytest.approx([1 / 8, -1 / 8])


@pytest.mark.parametrize("bluff", [0.0, 0.2, 1 / 3])
def test_kuhns_equilibria(kuhn: GameTree, bluff: float) -> None:
    """The first player bets a jack with any probability up to 1/3, and a king thrice as often."""
    policy = kuhn.uniform()
    for sequence in range(len(policy)):
        state = kuhn.state(int(kuhn.infoset_node[kuhn.sequence_infoset[sequence]]))
        card = (
            state.describe(state.current_player)
            .split("hand: ")[1 + state.current_player][0]
            .upper()
        )
        words = state.action_words(int(kuhn.sequence_action[sequence]))
        bold = "bet" in words or "call" in words
        chance = {
            (0, 0): {"J": bluff, "Q": 0.0, "K": 3 * bluff},  # to open
            (1, 0): {"J": 1 / 3, "Q": 0.0, "K": 1.0},  # after a check
            (1, 1): {"J": 0.0, "Q": 1 / 3, "K": 1.0},  # after a bet
            (0, 1): {"J": 0.0, "Q": bluff + 1 / 3, "K": 1.0},  # after check and bet
        }[state.current_player, int("call" in words or "fold" in words)][card]
        policy[sequence] = chance if bold else 1 - chance
    assert average_gain(kuhn, policy) == pytest.approx(0, abs=1e-12)
    assert expected_utilities(kuhn, policy) == pytest.approx([-1 / 18, 1 / 18])


def test_an_equilibrium_is_found(kuhn: GameTree) -> None:
    policy = equilibrium(kuhn, 500)
    assert average_gain(kuhn, policy) < 0.001
    assert expected_utilities(kuhn, policy)[0] == pytest.approx(-1 / 18, abs=0.001)


def test_leduc_poker(leduc: GameTree) -> None:
    """936 information sets; exploitability of uniform play and the value as OpenSpiel has them."""
    assert len(leduc.infoset_player) == 936
    assert average_gain(leduc, leduc.uniform()) == pytest.approx(4.747222222 / 2)
    policy = equilibrium(leduc, 200)
    assert average_gain(leduc, policy) < 0.01
    assert expected_utilities(leduc, policy)[0] == pytest.approx(-0.0856, abs=0.001)


def test_a_perfect_player_against_a_random_one() -> None:
    """At tic-tac-toe a perfect first player beats a random one but for 1 in 192 games, a draw."""
    tree = grow_tree(kibitz.load("tic-tac-toe").table())
    assert tree.by == "place"
    assert len(tree.parent) == 549_946
    assert best_response(tree, tree.uniform(), 0)[0] == pytest.approx(191 / 192)
    assert sum(tree.player < 0) == 255_168


# --- brute force --------------------------------------------------------------------------


def pure_policies(tree: GameTree, player: int) -> list[Floats]:
    """All pure strategies of a player, as policies that are zero for the other players."""
    mine = np.flatnonzero(tree.infoset_player == player)
    policies = []
    for choice in itertools.product(*(tree.sequences(int(i)) for i in mine)):
        policy = np.zeros(len(tree.sequence_action))
        policy[list(choice)] = 1.0
        policies.append(policy)
    return policies


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), player=st.integers(0, 1))
def test_no_pure_policy_is_better_than_the_best_response(
    kuhn: GameTree, seed: int, player: int
) -> None:
    policy = kuhn.normalized(np.random.default_rng(seed).random(len(kuhn.sequence_action)))
    mine = kuhn.infoset_player[kuhn.sequence_infoset] == player
    best = max(
        expected_utilities(kuhn, np.where(mine, pure, policy))[player]
        for pure in pure_policies(kuhn, player)
    )
    value, response = best_response(kuhn, policy, player)
    assert value == pytest.approx(best)
    assert expected_utilities(kuhn, response)[player] == pytest.approx(value)
    assert min(gains(kuhn, policy)) >= -1e-12


def test_what_is_expected_is_what_random_players_get(leduc: GameTree) -> None:
    played = kibitz.playtest("leduc-poker", agents=["random"], games=40_000)
    expected = expected_utilities(leduc, leduc.uniform())[0]
    assert played.seats[0].score.mean == pytest.approx(expected, abs=4 * 3.4 / 200)


# --- the tree -----------------------------------------------------------------------------


def test_nodes_lie_below_their_parents(leduc: GameTree) -> None:
    first = leduc.levels[0].stop
    assert first == len(leduc.roots) == 720
    assert (leduc.parent[:first] == -1).all()
    assert (np.diff(leduc.parent[first:]) >= 0).all()
    node = len(leduc.parent) - 1
    state = leduc.state(node)
    assert state.is_terminal
    assert state.scores() == list(leduc.utility[node])
    assert len(leduc.path(node)) == len(leduc.levels) - 1


def test_all_nodes_of_an_information_set_look_alike(leduc: GameTree) -> None:
    rng = np.random.default_rng(1)
    for infoset in rng.choice(len(leduc.infoset_player), 20, replace=False):
        nodes = np.flatnonzero(leduc.infoset == infoset)
        player = int(leduc.infoset_player[infoset])
        descriptions = {leduc.state(int(n)).describe(player) for n in rng.choice(nodes, 5)}
        assert len(descriptions) == 1


def test_chance_after_the_first_decision_is_refused() -> None:
    rules = """(choice ((inc (game sto N)) (inc (game sto N) 2)))
      (do ((shuffle (game iloc STOCK))))"""
    with pytest.raises(ParameterError, match="random numbers after the first decision"):
        grow_tree(text_game(rules))


def test_set_ups_must_be_equally_likely() -> None:
    rules = """(do ((set (game sto N) (random 3)) ((> (game sto N) 1) (set (game sto N) 2))))
      (choice ((inc (game sto M)) (inc (game sto M) 2)))"""
    with pytest.raises(ParameterError, match="likelier than others"):
        grow_tree(text_game(rules))


def test_options_must_not_tell_what_is_hidden() -> None:
    rules = """(do ((shuffle (game iloc STOCK))
           (move (top (game iloc STOCK)) (top ((1 player) iloc HAND)))))
      (choice (
        (inc ((0 player) sto WON))
        ((== (cardatt RANK (top ((1 player) iloc HAND))) A) (inc ((0 player) sto WON) 2))))"""
    with pytest.raises(PlayError, match="reveals what is hidden"):
        grow_tree(text_game(rules))


def test_large_games_are_refused() -> None:
    with pytest.raises(ParameterError, match="more than 1,000 nodes"):
        grow_tree(kibitz.load("leduc-poker").table(), most_nodes=1000)
    with pytest.raises(ParameterError, match="more than 10,000 ways"):
        grow_tree(kibitz.load("agram").table(2))


# --- agents -------------------------------------------------------------------------------


def test_an_agent_without_chance(kuhn: GameTree) -> None:
    policy = agent_policy(kuhn, ["first-legal"], samples=3)
    for infoset in range(len(kuhn.infoset_player)):
        state = kuhn.state(int(kuhn.infoset_node[infoset]))
        sequences = kuhn.sequences(infoset)
        chosen = [s for s in sequences if policy[s] == 1.0]
        assert [int(kuhn.sequence_action[s]) for s in chosen] == state.legal_actions()[:1]


def test_an_agent_with_chance(kuhn: GameTree) -> None:
    policy = agent_policy(kuhn, ["random"], samples=400)
    assert policy == pytest.approx(kuhn.uniform(), abs=5 * 0.5 / 20)
    assert (policy != kuhn.uniform()).any()
    assert (agent_policy(kuhn, ["random"], samples=400) == policy).all()


def test_each_seat_has_its_agent(kuhn: GameTree) -> None:
    policy = agent_policy(kuhn, ["first-legal", "random"], samples=50)
    first = kuhn.infoset_player[kuhn.sequence_infoset] == 0
    assert set(policy[first]) == {0.0, 1.0}
    assert not set(policy[~first]) & {0.0, 1.0}


def test_the_mix_of_whom_another_agent_stands_for_is_read(kuhn: GameTree) -> None:
    """``kibitz`` plays Kuhn poker as ``mccfr``: no choices are counted, which would be coarser."""
    policy = agent_policy(kuhn, ["kibitz:iterations=300"], samples=1)
    assert (policy == agent_policy(kuhn, ["mccfr:iterations=300"], samples=1)).all()
    assert ((policy > 0.0) & (policy < 1.0)).any()


def test_an_illegal_choice_is_an_error(kuhn: GameTree) -> None:
    class Cheat(kibitz.Agent):
        name = "cheat"

        def choose(self, state: kibitz.State) -> int:
            return 12345

    with pytest.raises(AgentError, match="cheat chooses an illegal action"):
        agent_policy(kuhn, [Cheat()])


def test_set_ups_that_nobody_can_tell_apart_are_one(leduc: GameTree) -> None:
    """Of the six cards of Leduc poker three never turn up: their order does not matter."""
    set_ups = leduc.distinct_set_ups()
    assert len(leduc.roots) == 720
    assert len(set_ups) == 6 * 5 * 4
    assert {round(chance * 120, 9) for _, chance in set_ups} == {1.0}


@pytest.mark.parametrize(
    ("name", "random"),
    [
        ("tic-tac-toe", False),
        ("connect-four", False),
        ("monty-hall", True),
        ("kuhn-poker", True),
        ("love-letter", True),
    ],
)
def test_rules_tell_whether_they_draw_random_numbers(name: str, random: bool) -> None:
    assert kibitz.load(name).table().rules.uses_chance == random

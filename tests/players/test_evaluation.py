"""Evaluation of states in searches: named heuristics, and scores at the end of a deal."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from tests.players.asking import ask

import kibitz
from kibitz.core.actions import Action, ActionKinds, add, pack
from kibitz.core.agent import make_agent
from kibitz.core.contract import RULES, score_so_far
from kibitz.core.errors import AgentError, AgentOptionError, GameDefinitionError
from kibitz.core.game import Game, heuristic_names
from kibitz.core.memory import record_at
from kibitz.core.registry import load
from kibitz.core.results import draw_game, finish_by_score
from kibitz.core.state import State
from kibitz.players.evaluation import begin_deal, evaluate
from kibitz.players.search import SEARCH, Rollout, Utility


class Move(ActionKinds):
    """What can be done."""

    TAKE = Action("take {number}", number=range(3))
    PASS = Action("pass")


def prefers_one(state: Any, params: Any, player: int) -> float:
    """A heuristic that is best where the first player has a score of 1."""
    value = 1.0 - abs(state.seat[0].score - 1.0)
    return value if player == 0 else -value


class Taking(Game):
    """The first player takes a score; then both pass for so long that no search sees the end."""

    name = "taking"
    Actions = Move
    several_deals = True
    heuristics: ClassVar = {"one": prefers_one}

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        """The second player has 1 already."""
        state.seat[1].score = 1.0

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: Any) -> None:
        """A number to take, then nothing but to pass."""
        if state.tick > 0:
            add(actions, pack(Move.PASS))
        else:
            for number in range(3):
                add(actions, pack(Move.TAKE, number))

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        """Takes the score; ends the game at long last."""
        if state.tick == 1:
            state.seat[0].score = float(action >> 8)
        state.player = 1 - state.player
        if state.tick == 5000:
            draw_game(state)

    @staticmethod
    def heuristic(state: Any, params: Any, player: int) -> float:
        """The less the first player has, the better for them."""
        value = 1.0 - state.seat[0].score
        return value if player == 0 else -value


class Golfing(Taking):
    """``Taking``, but the lowest score wins."""

    name = "golfing"
    lowest_score_wins = True


SEARCHES = [
    "osla",
    "rhea:length=1,iterations=60",
    "mcts:rollout_length=0,iterations=60",
    "mcts:loop=closed,rollout_length=0,iterations=60",
    "ismcts:rollout_length=0,iterations=60",
    "pimc:rollout_length=0",
    "ggp:rollout_length=0,iterations=60",
]


@pytest.mark.parametrize("spec", SEARCHES)
def test_every_search_takes_any_heuristic_of_a_game(spec: str) -> None:
    game = Taking()
    chosen = {}
    for name in heuristic_names(game):
        agent = make_agent(f"{spec}{',' if ':' in spec else ':'}heuristic={name}")
        chosen[name] = ask(agent, game.new_state()).action >> 8
    assert chosen == {"own": 0, "one": 1, "score": 2, "rank": 2}


def test_heuristics_of_uncompiled_rules() -> None:
    state = Taking(compiled=False).new_state()
    assert ask(make_agent("osla:heuristic=one"), state).action >> 8 == 1
    assert ask(make_agent("osla:heuristic=score"), state).action >> 8 == 2


def test_a_lower_score_may_be_the_better_one() -> None:
    state = Golfing().new_state()
    assert ask(make_agent("osla:heuristic=score"), state).action >> 8 == 0
    assert ask(make_agent("osla:heuristic=rank"), state).action >> 8 == 0


@pytest.mark.parametrize("name", ["agram", "connect-four"])
def test_games_in_other_languages_have_scores_and_ranks(name: str) -> None:
    state = load(name).new_state()
    for heuristic in ("own", "score", "rank"):
        agent = make_agent(f"osla:heuristic={heuristic}")
        assert ask(agent, state).action in state.legal_actions()


def test_an_unknown_heuristic_is_answered_by_those_there_are() -> None:
    offered = r"mcts:heuristic=luck: taking has no heuristic 'luck'; it offers own, score, rank"
    with pytest.raises(AgentError, match=offered):
        kibitz.playtest(Taking(), agents=["mcts:heuristic=luck"], games=1)
    with pytest.raises(AgentError, match=offered):
        make_agent("mcts:heuristic=luck").bind(Taking().table())
    with pytest.raises(AgentOptionError, match="a name"):
        make_agent("mcts:heuristic=")


def test_a_heuristic_is_part_of_the_label() -> None:
    agent = make_agent("mcts:iterations=5,heuristic=RANK")
    assert agent.label == "mcts:iterations=5,heuristic=rank"
    assert make_agent(agent.label).options == agent.options


@pytest.mark.parametrize("name", ["score", "Two Words"])
def test_names_that_a_heuristic_cannot_have(name: str) -> None:
    with pytest.raises(GameDefinitionError, match="cannot call a heuristic"):
        type("Misnamed", (Taking,), {"heuristics": {name: prefers_one}})()


# --- what counts --------------------------------------------------------------------------


class Choice(ActionKinds):
    """What can be done in ``Sharing``."""

    SHARE = Action("share {number}", number=range(4))


class Sharing(Game):
    """Each player shares out points once: many for both, or a few but more for oneself."""

    name = "sharing"
    Actions = Choice

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        """Nothing to prepare."""

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: Any) -> None:
        """A number: the larger, the more there is, and the more of it goes to the other."""
        for number in range(4):
            add(actions, pack(Choice.SHARE, number))

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        """Shares out, and ends the game after the second time."""
        number = action >> 8
        state.seat[state.player].score += 2.0 * number - 5.0
        state.seat[1 - state.player].score += 3.0 * number - 5.0
        state.player = 1 - state.player
        if state.tick == 2:
            finish_by_score(state)


class SharingChips(Sharing):
    """``Sharing``, with points in a unit of its own."""

    name = "sharing-chips"
    played_for = "score"

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        """As in ``Sharing``, 1024 times as much."""
        number = action >> 8
        state.seat[state.player].score += 1024.0 * (2.0 * number - 5.0)
        state.seat[1 - state.player].score += 1024.0 * (3.0 * number - 5.0)
        state.player = 1 - state.player
        if state.tick == 2:
            finish_by_score(state)


WANTING = [
    "mcts:iterations=400",
    "mcts:loop=closed,iterations=400",
    "ismcts:iterations=400",
    "ismcts:trees=many,iterations=400",
    "pimc:determinizations=100",
    "ggp:iterations=400",
    "rhea:iterations=400,discount=1",
]


@pytest.mark.parametrize("spec", WANTING)
def test_what_counts_is_the_place_or_the_score(spec: str) -> None:
    """The second player decides last: three for themselves and more for the other, or neither."""
    state = Sharing().new_state()
    state.apply(pack(Choice.SHARE, 0))
    chips = SharingChips().new_state()
    chips.apply(pack(Choice.SHARE, 0))
    assert ask(make_agent(f"{spec},by=place"), state).action >> 8 == 0
    assert ask(make_agent(f"{spec},by=score"), state).action >> 8 == 3
    assert ask(make_agent(spec), state).action >> 8 == 0
    assert ask(make_agent(spec), chips).action >> 8 == 3


@pytest.mark.parametrize("spec", WANTING)
def test_a_search_does_not_depend_on_the_unit_of_the_score(spec: str) -> None:
    points, chips = (game().new_state() for game in (Sharing, SharingChips))
    for state in (points, chips):
        state.apply(pack(Choice.SHARE, 1))
    advice = []
    for state in (points, chips):
        agent = make_agent(f"{spec},by=score")
        advice.append([(o.action, o.share) for o in agent.advise(state)])
    assert advice[0] == advice[1]


def test_an_open_ended_score_is_proven_too() -> None:
    state = SharingChips().new_state()
    state.apply(pack(Choice.SHARE, 1))
    opinions = make_agent("ggp:iterations=400").advise(state)
    assert opinions[0].action >> 8 == 3
    assert opinions[0].share == 1.0


def test_a_jack_does_not_call_in_poker_for_chips() -> None:
    """Calling loses a chip more in any case; by the place it loses no more than folding does."""
    folded = 0
    for seed in range(20):
        state = load("kuhn-poker").new_state(seed=seed)
        state.apply(state.legal_actions()[1])
        if "Player 2: hand: jack" in str(state.observation(1)):
            fold = state.legal_actions()[1]
            assert ask(make_agent("ismcts:iterations=300"), state).action == fold
            folded += 1
    assert folded > 2


def test_a_game_is_played_for_the_place_or_the_score() -> None:
    with pytest.raises(GameDefinitionError, match="played_for = 'fun' should be"):
        type("Playful", (Sharing,), {"played_for": "fun"})()


# --- the end of a deal --------------------------------------------------------------------

MATCHES = [("love-letter", 4), ("hearts", 4), ("spades", 4)]


@pytest.mark.parametrize(("name", "players"), MATCHES)
@pytest.mark.parametrize("spec", ["mcts", "mcts:loop=closed", "ismcts", "ismcts:trees=many"])
def test_rollouts_end_with_the_deal(name: str, players: int, spec: str) -> None:
    state = load(name).new_state(players)
    spec += ",iterations=50" if ":" in spec else ":iterations=50"
    deal = ask(make_agent(spec), state)
    to_the_end = ask(make_agent(spec + ",rollout=end"), state)
    assert deal.iterations == to_the_end.iterations == 50
    assert 3 * deal.calls < to_the_end.calls


@pytest.mark.parametrize("spec", ["pimc", "ggp:iterations=50"])
def test_other_searches_end_with_the_deal_too(spec: str) -> None:
    state = load("love-letter").new_state(4)
    to_the_end = spec + (",rollout=end" if ":" in spec else ":rollout=end")
    assert 3 * ask(make_agent(spec), state).calls < ask(make_agent(to_the_end), state).calls


def test_a_game_of_one_deal_is_played_out() -> None:
    state = load("agram").new_state()
    deal, game = (
        ask(make_agent(f"ismcts:iterations=50,rollout={to}"), state) for to in ("deal", "end")
    )
    assert deal == game


def values_after(before: State, after: State) -> list[float]:
    """The value of ``after`` for each player in a search that began at ``before``."""
    rules = record_at(before.table.address, RULES)
    memory = np.zeros(SEARCH.itemsize // 8 + 1, np.int64)
    search = record_at(int(memory.ctypes.data), SEARCH)
    search.by = Utility.PLACE
    begin_deal(rules, search, before.address, Rollout.DEAL)
    values = [0.0] * 15
    evaluate(rules, search, after.address, values)
    return values[: before.players]


def after_deal(game: type[Game], scores: list[float], players: int = 2) -> list[float]:
    """The value of these scores for each player after a deal that began with 0 each."""
    before = game().new_state(players)
    before.view.seat[1].score = 0.0
    after = before.clone()
    after.view.round = 1
    for player, score in enumerate(scores):
        after.view.seat[player].score = score
    return values_after(before, after)


class Four(Taking):
    """``Taking`` for four players."""

    name = "four"
    players = (4, 4)


def test_the_score_of_a_deal_lies_between_winning_and_losing() -> None:
    ahead, behind = after_deal(Taking, [3.0, 1.0])
    assert 0.5 < ahead < 1.0
    assert ahead + behind == pytest.approx(1.0)
    assert after_deal(Taking, [2.0, 2.0]) == pytest.approx([0.5, 0.5])
    assert after_deal(Golfing, [3.0, 1.0]) == pytest.approx([behind, ahead])


def test_partners_share_what_their_score_is_worth() -> None:
    first, second, partner, other = after_deal(Four, [90.0, -40.0, 90.0, -40.0], 4)
    assert first == partner > 0.5 > second == other
    # partners who win the game get 2/3, and who loses it 1/3: as ``finish_by_place`` has it
    assert 1 / 3 < second < first < 2 / 3


@pytest.mark.parametrize(("name", "sign"), [("hearts", -1), ("spades", 1)])
def test_who_has_the_better_score_after_a_real_deal_stands_better(name: str, sign: int) -> None:
    before = load(name).new_state(4, 3)
    after = before.clone()
    rules = record_at(before.table.address, RULES)
    scores = [0.0] * 4
    while not any(scores):
        after.apply(after.legal_actions()[0])
        scores = [score_so_far(rules, after.address, p) for p in range(4)]
    values = values_after(before, after)
    for p in range(4):
        for q in range(4):
            assert (values[p] > values[q]) == (sign * scores[p] > sign * scores[q])
    if name == "spades":
        assert values[:2] == values[2:]

"""A player follows a match, whether its rules are ready or not."""

from __future__ import annotations

import time

import pytest

from kibitz.agents.policies import POLICIES
from kibitz.agents.search import BUDGET_RECORD
from kibitz.core.errors import KibitzError
from kibitz.core.memory import record_at
from kibitz.gdl import library
from kibitz.gdl.game import GdlGame
from kibitz.ggp.messages import Joint
from kibitz.ggp.players import LONGEST, AgentPlayer, make_player
from kibitz.ggp.playing import Answer, Playing, Rules
from kibitz.ggp.position import Position
from kibitz.syntax.source import Source


def test_the_first_answer_is_prepared_while_rules_that_take_long_are_grounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules = Rules(library.gdl_tic_tac_toe.text.text)  # no thread grounds them
    playing = Playing("white", rules, make_player("random"), seed=1)
    assert "rule by rule" in playing.get_ready(time.monotonic() + 0.01)

    def too_late(_: Rules) -> GdlGame:
        raise AssertionError("the first position was not prepared")

    monkeypatch.setattr(Rules, "rule_by_rule", too_late)
    suggested: list[Answer] = []
    answer = playing.answer(Joint(None), time.monotonic() + 0.01, suggested.append)
    assert answer.move.startswith("(mark ")
    assert suggested


def test_rules_that_cannot_be_played_on_are_told_of_at_the_first_play() -> None:
    rules = Rules(
        """((role a) (role b) (init s) (legal b x) (<= terminal (not (true s)))
        (<= (legal a x) (not (true s))) (goal a 1) (goal b 2))"""
    )
    playing = Playing("a", rules, make_player("random"), seed=1)
    playing.get_ready(time.monotonic() + 0.01)
    with pytest.raises(KibitzError, match="role a has no legal move"):
        playing.answer(Joint(None), time.monotonic() + 0.01, lambda _: None)


OWN_MOVES = """(role a) (role b) (init s)
(<= (legal a left) (true s)) (<= (legal a right) (true s))
(<= (legal b up) (true s)) (<= (legal b down) (true s))
(<= (next (chosen ?m)) (does b ?m)) (<= terminal (not (true s)))
(goal a 0) (<= (goal b 100) (true (chosen up))) (<= (goal b 0) (true (chosen down)))"""


@pytest.mark.parametrize("agent", ["ggp", "kibitz", "mcts", "ismcts", "pimc", "mccfr"])
def test_an_agent_decides_for_its_role_where_others_move_at_the_same_time(agent: str) -> None:
    position = Position(GdlGame(Source("game.kif", OWN_MOVES)))
    for seed in range(6):
        player = make_player(f"{agent}:iterations=100")
        player.random.seed(seed)
        player.begin(position, 1, 0.001)
        assert player.decide(position, 1, LONGEST) == "up"


@pytest.mark.parametrize(
    ("spec", "nodes", "milliseconds"),
    [
        ("mcts", 200_000, 30),
        ("kibitz", 200_000, 30),
        ("pimc", 1, 30),
        ("mccfr:milliseconds=20", 200_000, 20),
        ("rhea", None, 30),
    ],
)
def test_the_clock_alone_limits_an_agent(spec: str, nodes: int | None, milliseconds: int) -> None:
    """The default limits do not apply, and its tree is as large as without them."""
    player = make_player(spec)
    assert isinstance(player, AgentPlayer)
    position = Position(library.gdl_tic_tac_toe)
    player.begin(position, 0, 0.001)
    assert player._binding is not None
    options = int(player._binding.record["options"][0])
    if nodes is not None:
        policies = record_at(options, POLICIES)
        assert (policies.determinizations, policies.max_nodes) == (0, nodes)
    player.decide(position, 0, 0.03)
    budget = record_at(options, BUDGET_RECORD)
    assert (budget.iterations, budget.milliseconds, budget.calls) == (0, milliseconds, 0)

"""A player follows a match, whether its rules are ready or not."""

from __future__ import annotations

import threading
import time

import pytest

from kibitz.core.errors import KibitzError
from kibitz.core.memory import record_at
from kibitz.gdl import library
from kibitz.gdl.game import GdlGame
from kibitz.ggp.messages import Joint
from kibitz.ggp.players import LONGEST, AgentPlayer, Player, make_player
from kibitz.ggp.playing import Answer, Playing, Rules
from kibitz.ggp.position import Position
from kibitz.players.policies import POLICIES
from kibitz.players.search import BUDGET_RECORD
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


# --- moves that are not the player's own ------------------------------------------------------


class Dawdler(Player):
    """An agent that finds two moves and then searches on until it is released."""

    def __init__(self) -> None:
        super().__init__()
        self.released = threading.Event()
        self.decision = "(mark 1 1)"

    def choose(self, state: list[str], seconds: float) -> str:
        self.best = "(mark 3 3)"
        time.sleep(0.1)
        self.best = "(mark 2 2)"
        self.released.wait(30)
        return self.decision


class Failing(Player):
    """Raises an exception in place of a choice, or chooses nonsense."""

    def __init__(self, choice: str | None = None) -> None:
        super().__init__()
        self.choice = choice

    def choose(self, state: list[str], seconds: float) -> str:
        if self.choice is None:
            raise ZeroDivisionError("division by zero")
        return self.choice


def tic_tac_toe(player: Player) -> Playing:
    """A player of white, ready for the first move."""
    rules = Rules(library.gdl_tic_tac_toe.text.text)
    rules.prepare()
    playing = Playing("white", rules, player, seed=1)
    playing.get_ready(time.monotonic() + 60)
    return playing


def test_when_the_clock_runs_out_the_best_move_so_far_is_made() -> None:
    player = Dawdler()
    playing = tic_tac_toe(player)
    suggested: list[Answer] = []
    answer = playing.answer(Joint(None), time.monotonic() + 0.5, suggested.append)
    assert answer.move == "(mark 2 2)"
    assert answer.remark == "out of time: the best move so far"
    assert answer.cause == ""
    assert suggested[0].cause == "no move was found in time"
    assert [suggestion.move for suggestion in suggested[1:]] in (
        ["(mark 3 3)", "(mark 2 2)"],
        ["(mark 2 2)"],
    )
    playing.answer(Joint((answer.move, "noop")), time.monotonic() + 0.2, lambda _: None)
    # the player still thinks about its first move; once it has ended it is asked again
    late = playing.answer(Joint(("noop", "(mark 1 2)")), time.monotonic() + 0.2, lambda _: None)
    assert late.cause == "the player still thinks about an earlier move"
    player.released.set()
    free = [cell for cell in ("(mark 1 1)", "(mark 3 1)", "(mark 3 2)") if cell != late.move]
    player.decision = free[0]
    playing.answer(Joint((late.move, "noop")), time.monotonic() + 5, lambda _: None)
    own = playing.answer(Joint(("noop", free[1])), time.monotonic() + 5, lambda _: None)
    assert (own.move, own.cause) == (free[0], "")


@pytest.mark.parametrize(
    ("player", "cause"),
    [
        (Failing(), "the player failed: ZeroDivisionError: division by zero"),
        (Failing("(mark 9 9)"), "the player chose '(mark 9 9)', which is not legal"),
    ],
)
def test_a_move_that_is_not_the_players_own_tells_why(player: Player, cause: str) -> None:
    answer = tic_tac_toe(player).answer(Joint(None), time.monotonic() + 5, lambda _: None)
    assert answer.move.startswith("(mark ")
    assert answer.cause == cause


@pytest.mark.parametrize(
    "agent",
    ["mcts", "ismcts", "ggp", "pimc", "rhea", "osla", "mccfr", "kibitz", "mcts:loop=closed"],
)
def test_searches_make_their_best_move_known_while_they_think(agent: str) -> None:
    """After a decision, the best move so far and the decision both win immediately."""
    position = Position(library.gdl_tic_tac_toe.fork(), 0)
    player = make_player(agent)
    assert isinstance(player, AgentPlayer)
    player.begin(position, 0, 0.05)
    assert player.best_so_far(position, 0) in (None, *map(position.words, position.legal(0)))
    for white, black in (("(mark 1 1)", "(mark 2 1)"), ("(mark 1 2)", "(mark 2 2)")):
        for moves in ((white, "noop"), ("noop", black)):
            numbers = [position.find(role, move) for role, move in enumerate(moves)]
            position.play([number for number in numbers if number is not None])
    assert player.decide(position, 0, 0.2) == "(mark 1 3)"
    assert player.best_so_far(position, 0) == "(mark 1 3)"


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

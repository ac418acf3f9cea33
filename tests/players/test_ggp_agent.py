"""The agent ``ggp``: correct proofs, a tree kept between decisions, and strength."""

from __future__ import annotations

import functools
import random
import threading
from typing import Any

import numpy as np
import pytest
from tests.players.random_games import RandomMaze, true_bounds

import kibitz
from kibitz.components import Counter
from kibitz.core.actions import ACTION_LIST, Action, ActionKinds, add, operand, pack
from kibitz.core.agent import ADVICE, AGENT, make_agent
from kibitz.core.contract import RULES
from kibitz.core.game import Game
from kibitz.core.layout import CHANCE, HEADER, GameState
from kibitz.core.memory import array_at, record_at
from kibitz.core.native import Export, compile_native
from kibitz.core.parameters import GameParameters, Tunable
from kibitz.core.randomness import random_below, start_stream
from kibitz.core.registry import load
from kibitz.core.results import finish_by_score
from kibitz.core.state import State
from kibitz.core.status import Status
from kibitz.gdl.game import GdlGame
from kibitz.gdl.steps import Steps
from kibitz.players.ggp import GgpAgent
from kibitz.players.graph import EDGE, INT32, NODE, bounds_of, kept_state, state_key
from kibitz.players.memory import memory_of
from kibitz.players.search import SEARCH
from kibitz.syntax.source import Source


class Seat:
    """An agent in its seat for a whole game, with access to its memory."""

    def __init__(self, table: Any, seed: int = 0, **options: Any) -> None:
        self.table = table
        self.seed = seed
        self.agent = GgpAgent(**options)
        self.binding = self.agent.bind(table)
        rng = [0, 0, 0, 0]
        start_stream(rng, seed, 1)
        self.binding.record["rng"] = rng
        self.advice = np.zeros(1, ADVICE)
        self.binding.record["advice"] = self.advice.ctypes.data

    def ask(self, state: State, legal: list[int] | None = None, player: int | None = None) -> int:
        """The player's action in a state, chosen in a determinization of what the player knows."""
        who = state.current_player if player is None else player
        legal = state.legal_actions() if legal is None else legal
        shown = state.determinize(who, self.seed)
        buffer = np.zeros(1, ACTION_LIST)
        buffer["count"] = len(legal)
        buffer["items"][0, : len(legal)] = legal
        self.advice["count"] = 0
        address = int(buffer.ctypes.data)
        return self.binding.ask(self.table.address, shown.address, address, len(legal))

    @property
    def iterations(self) -> int:
        """The iterations of the last decision."""
        return int(record_at(int(self.binding.record["memory"][0]), SEARCH).iterations)

    @property
    def memory(self) -> Any:
        """The agent's search memory."""
        return memory_of(
            record_at(self.binding.address, AGENT), record_at(self.table.address, RULES)
        )

    @property
    def opinions(self) -> dict[int, tuple[float, float]]:
        """Weight and value of each action, as reported."""
        items = self.advice["items"][0, : int(self.advice["count"][0])]
        return {int(i["action"]): (float(i["weight"]), float(i["value"])) for i in items}

    def bounds(self) -> list[float]:
        """The bounds at the root of the last search: low and high for each player."""
        bounds = bounds_of(self.memory.graph, self.memory.root)
        return [float(bounds[i]) for i in range(2 * self.table.players)]


def in_gdl(name: str, text: str) -> Game:
    """The game that some rules describe."""
    return GdlGame(Source(f"{name}.kif", text))


# --- what is certain ------------------------------------------------------------------------


CELLS = [(x, y) for y in range(3) for x in range(3)]
LINES = [{(i, j) for j in range(3)} for i in range(3)] + [
    *({(j, i) for j in range(3)} for i in range(3)),
    {(i, i) for i in range(3)},
    {(i, 2 - i) for i in range(3)},
]


@functools.cache
def worth(own: frozenset[Any], other: frozenset[Any]) -> int:
    """The exact value of tic-tac-toe for the player to move, by full search: 1, 0 or -1."""
    if any(line <= other for line in LINES):
        return -1
    free = [cell for cell in CELLS if cell not in own and cell not in other]
    return max((-worth(other, own | {cell}) for cell in free), default=0)


def after(state: State, action: int) -> State:
    """The state after an action."""
    later = state.clone()
    later.apply(action)
    return later


def test_tic_tac_toe_is_solved() -> None:
    rng = random.Random(4)
    for number in range(40):
        state = load("tic-tac-toe").new_state(seed=number)
        marks: list[Any] = [frozenset(), frozenset()]
        for _ in range(rng.randrange(8)):
            if not state.is_terminal:
                action = rng.choice(state.legal_actions())
                marks[state.current_player] |= {(operand(action, 0), operand(action, 1))}
                state.apply(action)
        if state.is_terminal:
            continue
        seat = Seat(state.table, number, iterations=30_000)
        chosen = seat.ask(state)
        own, other = marks[state.current_player], marks[1 - state.current_player]
        own_later = own | {(operand(chosen, 0), operand(chosen, 1))}
        assert -worth(other, own_later) == worth(own, other)
        assert seat.iterations < 30_000


def test_tic_tac_toe_is_a_draw() -> None:
    state = load("tic-tac-toe").new_state()
    seat = Seat(state.table, 1, iterations=100_000)
    seat.ask(state)
    assert seat.bounds() == [0.5, 0.5, 0.5, 0.5]
    assert seat.iterations < 100_000


def mazes(players: int, count: int, **parameters: int) -> list[Any]:
    """Tables of mazes in which whoever begins has something to decide."""
    game = maze()
    return [game.table(players, seed=seed, **parameters) for seed in range(count)]


@functools.cache
def maze() -> RandomMaze:
    """The game, compiled once."""
    return RandomMaze()


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("opposed", [0, 1])
@pytest.mark.parametrize("circles", [0, 1])
def test_all_that_is_proven_is_true(players: int, opposed: int, circles: int) -> None:
    """Of every node: what its bounds say about each player holds by brute force."""
    narrowed = 0
    for table in mazes(players, 15, opposed=opposed, circles=circles):
        truth = true_bounds(table.parameters, players)
        seat = Seat(table, 1, iterations=400)
        seat.ask(table.new_state(1))
        graph = seat.memory.graph
        nodes = array_at(graph.nodes, NODE, graph.room)
        for number in range(1, graph.used):
            if nodes[number].mover < 0:
                continue
            node_state = record_at(kept_state(graph, number), table.layout.dtype)
            bounds = bounds_of(graph, number)
            for p in range(players):
                low, high = truth[node_state.place.value][p]
                assert bounds[2 * p] <= low + 1e-4
                assert bounds[2 * p + 1] >= high - 1e-4
                narrowed += bounds[2 * p] > 0.0 or bounds[2 * p + 1] < 1.0
    assert narrowed > 100 or players == 1


@pytest.mark.parametrize("circles", [0, 1])
@pytest.mark.parametrize("players", [1, 2])
def test_small_games_are_played_perfectly(players: int, circles: int) -> None:
    """To the end, one agent for all players: nobody gives away what they could make sure of."""
    for table in mazes(players, 12, circles=circles):
        truth = true_bounds(table.parameters, players)
        state = table.new_state(1)
        seats = [Seat(table, p, iterations=5000) for p in range(players)]
        worth = truth[0]
        for _ in range(200):
            who = state.current_player
            state.apply(seats[who].ask(state))
            if state.is_terminal:
                break
            values = truth[state.view.place.value]
            assert values[who][0] >= worth[who][0] - 1e-6
            worth = values
        for p in range(players):
            # who is not sure to win may go round for ever, in the hope of more
            if worth[p][0] == 1.0 or players == 1 or not circles:
                assert state.is_terminal
                assert 0.5 + 0.5 * state.returns()[p] >= worth[p][0] - 1e-6


GENEROUS = """(role a) (role b) (init (control a)) (way l) (way r)
(<= (legal ?w (go ?x)) (true (control ?w)) (way ?x))
(<= (legal a noop) (true (control b))) (<= (legal b noop) (true (control a)))
(<= (next (control b)) (true (control a)))
(<= (next (chose ?w ?x)) (does ?w (go ?x)))
(<= (next (chose ?w ?x)) (true (chose ?w ?x)))
(<= terminal (true (chose b ?x)))
(goal b 100)
(<= (goal a 100) (true (chose b l))) (<= (goal a 30) (true (chose b r)))"""


def test_who_wins_anyway_leaves_others_what_they_like() -> None:
    """Interests are not opposed: that b is sure of the most does not leave nothing to a."""
    game = in_gdl("generous", GENEROUS)
    seat = Seat(game.table(), 1, iterations=2000)
    seat.ask(game.new_state())
    assert seat.bounds() == pytest.approx([0.3, 1.0, 1.0, 1.0], abs=1e-4)


def test_a_game_that_may_hide_something_and_does_not_is_proven() -> None:
    """Where it is not plain from the rules that roles take turns."""
    game = in_gdl("generous", GENEROUS)
    assert game.rules.simultaneous
    seat = Seat(game.table(), 1, iterations=2000)
    seat.ask(game.new_state())
    assert seat.memory.hidden == 0


def test_what_is_hidden_late_is_found_before_anything_is_proven() -> None:
    """One player chooses openly, and then both choose simultaneously."""
    game = in_gdl(
        "late",
        """(role even) (role odd) (init (time 0)) (after 0 1) (after 1 2) (side heads) (side tails)
        (<= (legal even (begin ?s)) (true (time 0)) (side ?s))
        (<= (legal odd noop) (true (time 0)))
        (<= (legal ?w (show ?s)) (role ?w) (side ?s) (true (time 1)))
        (<= (next (time ?n)) (true (time ?m)) (after ?m ?n))
        (<= (next (shown ?w ?s)) (does ?w (show ?s)))
        (<= terminal (true (time 2)))
        (<= same (true (shown even ?s)) (true (shown odd ?s)))
        (<= (goal even 100) same) (<= (goal even 0) (not same))
        (<= (goal odd 0) same) (<= (goal odd 100) (not same))""",
    )
    for seed in range(20):
        seat = Seat(game.table(), seed, iterations=300)
        seat.ask(game.new_state(seed=seed))
        assert seat.memory.hidden == 1
        assert seat.iterations == 300
        assert sum(weight for weight, _ in seat.opinions.values()) >= 290  # not certain


def moves(state: State, *words: str) -> State:
    """The state after moves in words."""
    for word in words:
        state.apply(next(a for a in state.legal_actions() if state.action_words(a) == word))
    return state


def drops(columns: str) -> State:
    """Connect four after discs in these columns."""
    return moves(load("connect-four").new_state(), *(f"(drop {c})" for c in columns))


@pytest.mark.parametrize("columns", ["112233", "414243", "4455"])
def test_a_win_is_taken_at_once(columns: str) -> None:
    state = drops(columns)
    seat = Seat(state.table, 1, iterations=1_000_000)
    chosen = after(state, seat.ask(state))
    assert seat.bounds()[2 * state.current_player] == 1.0
    assert chosen.is_terminal == (columns != "4455")  # there it takes two moves more
    assert seat.iterations < 100_000
    assert max(weight for weight, _ in seat.opinions.values()) == 1.0
    assert sum(weight for weight, _ in seat.opinions.values()) == 1.0


@pytest.mark.parametrize(("columns", "answer"), [("4142437", "4"), ("11223", None)])
def test_a_threat_is_met(columns: str, answer: str | None) -> None:
    """The opponent has three in a row: any move but ``answer`` loses immediately."""
    state = drops(columns)
    seat = Seat(state.table, 1, iterations=20_000)
    chosen = after(state, seat.ask(state))
    if answer:
        assert state.action_words(seat.ask(state)) == f"(drop {answer})"
    for action in chosen.legal_actions():
        assert answer is None or not after(chosen, action).is_terminal


def heaps(state: State) -> list[int]:
    """The number of objects in each heap of nim."""
    facts = [
        fact.strip("()").split() for fact in state.table.game.rules.facts.true(state.view.facts)
    ]
    return [int(fact[2]) for fact in facts if fact[0] == "heap"]


def test_nim_is_played_by_its_theory() -> None:
    rng = random.Random(3)
    table = load("nim").table()
    won = 0
    for number in range(25):
        state = table.new_state(number)
        for _ in range(rng.randrange(1, 7)):
            if not state.is_terminal:
                state.apply(rng.choice(state.legal_actions()))
        if state.is_terminal or len(state.legal_actions()) < 2:
            continue
        seat = Seat(table, number, iterations=100_000)
        chosen = after(state, seat.ask(state))
        assert seat.iterations < 100_000  # it found out for certain
        total = functools.reduce(int.__xor__, heaps(state))
        low, high = seat.bounds()[2 * state.current_player : 2 * state.current_player + 2]
        assert low <= (1.0 if total else 0.0) <= high
        if total:
            won += 1
            assert functools.reduce(int.__xor__, heaps(chosen)) == 0
    assert won > 8


class Fork(GameParameters):
    sure = Tunable(60, range(101), "percent: what the safe way is worth")
    chance = Tunable(50, range(101), "percent: how often the other way ends well")


class Gamble(Game):
    """A sure share, or all with some probability; a step later, either is paid out."""

    name = "gamble-of-a-test"
    players = (1, 2)
    State = type("At", (GameState,), {"at": Counter(0, 9)})
    Parameters = Fork
    Actions = ActionKinds("Way", {"GO": Action("go {way}", way=("safe", "bold"))})

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        """Nothing to prepare."""

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: Any) -> None:
        add(actions, pack(0, 0))
        add(actions, pack(0, 1))

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        if state.at.value == 0:
            state.at.value = 1
            if action >> 8:
                state.at.value = 3 if random_below(state.rng, 100) < params.chance else 2
            return
        worth = state.at.value - 2.0
        if state.at.value == 1:
            worth = params.sure / 100.0
        for p in range(state.players):
            state.seat[p].returns = 2.0 * worth - 1.0 if p == 0 else 1.0 - 2.0 * worth
            state.seat[p].place = 1
        state.status = Status.FINISHED


@pytest.mark.parametrize("players", [1, 2])
@pytest.mark.parametrize(("sure", "chance"), [(60, 50), (50, 60), (20, 30), (30, 20)])
def test_chance_is_averaged_and_proves_nothing(players: int, sure: int, chance: int) -> None:
    table = Gamble().table(players, sure=sure, chance=chance)
    seat = Seat(table, 2, iterations=4000)
    bold = seat.ask(table.new_state(5)) >> 8
    assert bold == (chance > sure)
    opinions = seat.opinions
    assert opinions[pack(0, 1)][1] == pytest.approx(chance / 100, abs=0.05)
    assert opinions[pack(0, 0)][1] == pytest.approx(sure / 100, abs=0.01)
    assert seat.bounds()[:2] == pytest.approx([sure / 100, 1.0], abs=1e-4)


class Countdown(Game):
    """A game for one player, who wins in the fifth round only after saying so in the third."""

    name = "countdown-of-a-test"
    players = (1, 1)
    timed = True
    State = type("Said", (GameState,), {"said": Counter(0, 9)})
    Actions = ActionKinds("Say", {"SAY": Action("say {word}", word=("nothing", "now"))})

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        """Nothing to prepare."""

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: Any) -> None:
        add(actions, pack(0, 0))
        add(actions, pack(0, 1))

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        state.round += 1
        if action >> 8:
            state.said.value = 1 if state.round == 3 and state.said.value == 0 else 2
        if state.round == 5:
            state.seat[0].score = 1.0 if state.said.value == 1 else -1.0
            finish_by_score(state)
            state.seat[0].returns = state.seat[0].score


def test_where_time_decides_the_same_place_at_another_time_is_another() -> None:
    table = Countdown().table()
    state = table.new_state()
    seat = Seat(table, 1, iterations=500)
    while not state.is_terminal:
        state.apply(seat.ask(state))
    assert state.returns() == [1.0]


# --- a player alone -------------------------------------------------------------------------


def test_the_sliding_puzzle_is_solved() -> None:
    state = load("sliding-puzzle").new_state()
    seat = Seat(state.table, 3, iterations=30_000)
    thought = 0
    while not state.is_terminal:
        state.apply(seat.ask(state))
        thought += seat.iterations
    assert state.view.seat[0].score == 100
    assert thought < 200_000


def test_what_was_found_once_is_not_given_up() -> None:
    """The value of the best line never falls, whatever there is to search from there on."""
    for seed in range(20):
        table = maze().table(1, seed=seed, width=40, levels=14, ways=4)
        state = table.new_state()
        seat = Seat(table, seed, iterations=20, max_nodes=100)
        best = 0.0
        while not state.is_terminal:
            state.apply(seat.ask(state))
            assert seat.memory.line_length > 0
            assert seat.memory.line_value >= best
            best = seat.memory.line_value
        assert 0.5 + 0.5 * state.returns()[0] >= best


def test_the_way_round_in_circles_is_left() -> None:
    for seed in range(10):
        table = maze().table(1, seed=seed, width=20, levels=5, ways=2, circles=1)
        if true_bounds(table.parameters, 1)[0][0][1] < 1.0:
            continue
        state = table.new_state()
        seat = Seat(table, seed, iterations=3000)
        for _ in range(100):
            if not state.is_terminal:
                state.apply(seat.ask(state))
        assert state.returns() == [1.0]


# --- several at once, and what is hidden ----------------------------------------------------

PENNIES = """(role even) (role odd) (init start)
(<= (legal ?w (show ?s)) (role ?w) (side ?s)) (side heads) (side tails)
(<= (next (shown ?w ?s)) (does ?w (show ?s)))
(<= terminal (true (shown even ?s)))
(<= same (true (shown even ?s)) (true (shown odd ?s)))
(<= (goal even 100) same) (<= (goal even 0) (not same))
(<= (goal odd 0) same) (<= (goal odd 100) (not same))"""

ROSHAMBO = """(role a) (role b) (init start)
(<= (legal ?w (show ?s)) (role ?w) (sign ?s)) (sign rock) (sign paper) (sign scissors)
(beats rock scissors) (beats scissors paper) (beats paper rock)
(<= (next (shown ?w ?s)) (does ?w (show ?s)))
(<= terminal (true (shown a ?s)))
(<= (won ?w) (true (shown ?w ?s)) (true (shown ?v ?t)) (beats ?s ?t))
(<= (goal ?w 100) (role ?w) (won ?w))
(<= (goal ?w 0) (role ?w) (role ?v) (distinct ?v ?w) (won ?v))
(<= (goal ?w 50) (role ?w) (not (won a)) (not (won b)))"""


UNEVEN = """(role even) (role odd) (init start)
(<= (legal ?w (show ?s)) (role ?w) (side ?s)) (side heads) (side tails)
(<= (next (shown ?w ?s)) (does ?w (show ?s)))
(<= terminal (true (shown even ?s)))
(<= (both ?s) (true (shown even ?s)) (true (shown odd ?s)))
(<= differ (not (both heads)) (not (both tails)))
(<= (goal even 100) (both heads)) (<= (goal odd 0) (both heads))
(<= (goal even 50) (both tails)) (<= (goal odd 50) (both tails))
(<= (goal even 0) differ) (<= (goal odd 100) differ)"""

EQUILIBRIA = [
    ("pennies", PENNIES, [[1 / 2, 1 / 2], [1 / 2, 1 / 2]], 1 / 2),
    ("roshambo", ROSHAMBO, [[1 / 3, 1 / 3, 1 / 3], [1 / 3, 1 / 3, 1 / 3]], 1 / 2),
    ("uneven", UNEVEN, [[1 / 3, 2 / 3], [1 / 3, 2 / 3]], 1 / 3),
]


@pytest.mark.parametrize(("name", "text", "shares", "worth"), EQUILIBRIA)
def test_moves_at_once_are_weighed_as_in_equilibrium(
    name: str, text: str, shares: list[list[float]], worth: float
) -> None:
    game = in_gdl(name, text)
    for role in (0, 1):
        for seed in range(3):
            seat = Seat(game.table(), seed, iterations=10_000, role=role)
            state = game.new_state(seed=seed)
            legal = Steps(game.table()).legal(state, role)
            assert seat.ask(state, legal, role) in legal
            opinions = [seat.opinions[action] for action in legal]
            weights = [weight / 10_000 for weight, _ in opinions]
            assert weights == pytest.approx(shares[role], abs=0.06)
            for _, value in opinions:
                assert value == pytest.approx(1 - worth if role else worth, abs=0.05)


def test_a_hidden_commitment_is_not_exploited() -> None:
    """Whoever decides second does the same whatever the first one has committed to."""
    game = in_gdl("pennies", PENNIES)
    for seed in range(10):
        chosen = set()
        for first in game.new_state().legal_actions():
            state = after(game.new_state(), first)
            assert state.current_player == 1
            chosen.add(Seat(game.table(), seed, iterations=200).ask(state))
        assert len(chosen) == 1


def test_both_are_asked_about_the_same_step() -> None:
    """A role that is not the first to decide thinks from the beginning of the step."""
    table = load("light-cycles").table()
    state = table.new_state()
    for role in (0, 1):
        legal = Steps(table).legal(state, role)
        seat = Seat(table, 1, iterations=300, role=role)
        assert seat.ask(state, legal, role) in legal
        assert set(seat.opinions) == set(legal)
        assert sum(weight for weight, _ in seat.opinions.values()) >= 299


@pytest.mark.parametrize("name", ["connect-four", "light-cycles", "monty-hall"])
def test_a_role_without_a_choice_gets_its_only_move(name: str) -> None:
    table = load(name).table()
    state = table.new_state()
    for role in range(table.players):
        for move in Steps(table).legal(state, role):
            seat = Seat(table, 1, iterations=50, role=role)
            assert seat.ask(state, [move], role) == move


def test_the_door_is_changed() -> None:
    table = load("monty-hall").table()
    stayed = 0
    for seed in range(10):
        state = table.new_state(seed)
        seat = Seat(table, seed, iterations=500)
        words = ""
        while not state.is_terminal:
            if len(state.legal_actions()) == 1:
                state.apply(state.legal_actions()[0])
                continue
            chosen = seat.ask(state)
            words = state.action_words(chosen)
            state.apply(chosen)
        stayed += "noop" in words or "keep" in words or "stay" in words
    assert stayed == 0


# --- what is learned lasts ------------------------------------------------------------------


def root_visits(seat: Seat) -> int:
    """The number of visits of the root of the last search."""
    graph = seat.memory.graph
    return int(array_at(graph.nodes, NODE, graph.room)[seat.memory.root].visits)


@pytest.mark.parametrize("name", ["connect-four", "light-cycles", "love-letter"])
def test_the_next_decision_begins_with_what_was_learned(name: str) -> None:
    state = load(name).new_state(seed=2)
    seat = Seat(state.table, 1, iterations=3000)
    first = seat.ask(state)
    assert root_visits(seat) == 3000
    seat.ask(state)
    assert root_visits(seat) == 6000
    state.apply(first)
    rng = random.Random(1)
    while state.current_player != 0:
        state.apply(rng.choice(state.legal_actions()))
    seat.ask(state)
    assert root_visits(seat) > 3000


def test_a_new_game_begins_with_nothing() -> None:
    state = load("connect-four").new_state()
    seat = Seat(state.table, 1, iterations=500)
    seat.ask(state)
    array_at(int(seat.binding.record["memory"][0]), np.dtype(np.int64), 1)[0] = 0
    seat.ask(state)
    assert root_visits(seat) == 500


def key_at(rules: int, state: int) -> int:
    """The key of a state, for native code."""
    return state_key(record_at(rules, RULES), state)


def test_every_bit_matters_but_those_of_chance_and_age() -> None:
    export = Export(key_at, "iii")
    key = export.bind(compile_native("keys of a test", {"key": export})["key"])
    state = load("connect-four").new_state()
    rules = np.zeros(1, RULES)
    rules["state_size"] = state.table.state_size
    original = bytes(state)
    fields: Any = HEADER.fields
    ignored = [range(CHANCE.stop)] + [
        range(fields[name][1], fields[name][1] + 4) for name in ("turn", "round", "tick")
    ]
    for timed in (0, 1):
        rules["timed"] = timed
        keys = set()
        expected = 1
        for bit in range(8 * len(original)):
            changed = bytearray(original)
            changed[bit >> 3] ^= 1 << (bit & 7)
            other = State(state.table, bytes(changed))
            keys.add(key(rules.ctypes.data, other.address))
            expected += not any(bit >> 3 in place for place in ignored[: 1 if timed else 4])
        keys.add(key(rules.ctypes.data, state.address))
        assert len(keys) == expected


def check_graph(seat: Seat) -> None:
    """Asserts the invariants of every node and edge."""
    graph = seat.memory.graph
    nodes = array_at(graph.nodes, NODE, graph.room)
    edges = array_at(graph.edges, EDGE, graph.edge_room)
    table = array_at(graph.table, INT32, graph.places)
    listed = sorted(int(table[i]) for i in range(graph.places) if table[i])
    alive = [i for i in range(1, graph.used) if nodes[i].mover >= 0]
    assert listed == alive
    assert graph.used - 1 - len(alive) == graph.spare
    taken = 0
    for number in alive:
        node = nodes[number]
        assert node.count <= node.room
        assert node.first + node.room <= graph.edges_used or node.room == 0
        taken += node.room
        for i in range(node.first, node.first + node.count):
            assert edges[i].owner == number
            assert edges[i].child == 0 or nodes[edges[i].child].mover >= 0
        assert sum(edges[i].visits for i in range(node.first, node.first + node.count)) <= (
            node.visits
        )
    assert taken <= graph.edges_used <= graph.edge_room
    free = set()
    number = graph.free
    while number:
        free.add(number)
        number = nodes[number].first
    assert len(free) == graph.spare
    assert not free & set(alive)


@pytest.mark.parametrize(
    ("name", "budget"),
    [("connect-four", 3000), ("breakthrough", 700), ("light-cycles", 3000), ("love-letter", 2000)],
)
def test_memory_that_runs_short_is_used_again(name: str, budget: int) -> None:
    """And the search goes on to learn: the root is never given up."""
    state = load(name).new_state(seed=2)
    seats = [Seat(state.table, p, iterations=budget, max_nodes=150) for p in range(2)]
    rng = random.Random(5)
    for _ in range(8):
        if state.is_terminal:
            break
        if len(state.legal_actions()) > 1:
            seat = seats[state.current_player]
            action = seat.ask(state)
            assert seat.iterations == budget or seat.bounds()[0] > 0.0 or seat.bounds()[2] > 0.0
            assert root_visits(seat) >= seat.iterations
            check_graph(seat)
            state.apply(action)
        else:
            state.apply(rng.choice(state.legal_actions()))


def test_the_graph_holds_together_without_recycling() -> None:
    for name in ("connect-four", "light-cycles"):
        state = load(name).new_state(seed=2)
        seat = Seat(state.table, 1, iterations=3000)
        seat.ask(state)
        check_graph(seat)


# --- within limits --------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_games() -> None:
    for name in ("connect-four", "light-cycles", "love-letter"):
        table = load(name).table(2)
        agents = [make_agent("ggp:iterations=100"), make_agent("ggp:iterations=50,max_nodes=100")]
        single, parallel = (kibitz.play(table, agents, 4, 7, workers=w).results for w in (1, 2))
        for results in (single, parallel):
            results["nanoseconds"] = 0
            results["seats"]["nanoseconds"] = 0
        assert (single == parallel).all()
        assert (single["status"] == Status.FINISHED).all()


@pytest.mark.parametrize("name", ["connect-four", "light-cycles", "sliding-puzzle", "love-letter"])
def test_it_stops_when_told_to(name: str) -> None:
    state = load(name).new_state(seed=1)
    seat = Seat(state.table, 1, milliseconds=600_000, max_nodes=1000)
    timer = threading.Timer(0.05, lambda: seat.binding.stop.fill(1))
    timer.start()
    assert seat.ask(state) in state.legal_actions()  # or this test takes ten minutes
    timer.join()
    assert seat.ask(state) in state.legal_actions()
    assert seat.iterations == 0


def test_time_and_options_are_read_anew_for_each_decision() -> None:
    state = load("breakthrough").new_state()
    seat = Seat(state.table, 1, milliseconds=1, iterations=100_000_000)
    seat.ask(state)  # or this test takes hours
    assert seat.iterations < 100_000_000
    options = record_at(int(seat.binding.record["options"][0]), type(seat.agent.options).dtype())
    options.milliseconds = 0
    options.iterations = 7
    seat.ask(state)
    assert seat.iterations == 7


# --- strength -------------------------------------------------------------------------------


def points(name: str, agent: str, other: str, games: int, players: int = 2) -> float:
    """The share of the points that one agent gets against others, from all seats."""
    agents = [make_agent(agent), *(make_agent(other) for _ in range(players - 1))]
    results = kibitz.play(load(name).table(players), agents, games, 11).results
    assert (results["status"] == Status.FINISHED).all()
    seats = results["seats"]
    return float((0.5 + 0.5 * seats["returns"][seats["agent"] == 0]).mean())


@pytest.mark.parametrize(
    ("name", "budget", "games"),
    [("connect-four", 300, 30), ("breakthrough", 100, 10), ("light-cycles", 500, 60)],
)
def test_it_beats_random(name: str, budget: int, games: int) -> None:
    assert points(name, f"ggp:iterations={budget}", "random", games) >= 0.95


def test_it_is_no_weaker_than_ismcts_where_that_is_at_home() -> None:
    share = points("love-letter", "ggp:iterations=300", "ismcts:iterations=300", 80)
    assert share > 0.4

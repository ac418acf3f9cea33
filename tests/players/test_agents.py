"""The agents of every game: lawful, repeatable, within budget, and strong where that is known."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.players.asking import ask, cheap_agents
from tests.recycle.programs import choice
from tests.recycle.programs import game as game_text

import kibitz
from kibitz.core import agent as agents_by_name
from kibitz.core.actions import Action, ActionKinds, add
from kibitz.core.agent import (
    Agent,
    AgentOptions,
    NativeAgent,
    Placed,
    agent_names,
    agents_at,
    make_agent,
    make_agents,
    register_agent,
)
from kibitz.core.errors import AgentError, AgentOptionError, FileError, UnknownAgentError
from kibitz.core.game import Game, Table
from kibitz.core.parameters import Tunable
from kibitz.core.registry import load
from kibitz.core.results import win
from kibitz.core.state import State
from kibitz.core.status import Status
from kibitz.players.mcts import MctsAgent
from kibitz.players.policies import POLICIES
from kibitz.players.restricted import RestrictedAgent
from kibitz.recycle.game import RecycleGame
from kibitz.rl.seated import SeatedGame
from kibitz.runs import Batch
from kibitz.syntax.source import Source

GAMES = ["tic-tac-toe", "love-letter"]
SEARCHES = [
    "mcts",
    "mcts:loop=closed",
    "ismcts",
    "ismcts:trees=many",
    "mcts:widening=1,tries=3,samples=2,rollout_length=2",
    "ismcts:widening=1,tries=3,samples=2",
    "rhea",
    "rhea:population=5",
    "rhea:plan=team,samples=2,tries=3",
    "pimc:determinizations=0",
    "mccfr:start=here",
]


def play(game: str, agents: list[Any], games: int, seed: int = 1, **options: Any) -> Batch:
    """A batch of games between agents or descriptions of agents."""
    return kibitz.play(
        load(game).table(len(agents)), [make_agent(a) for a in agents], games, seed, **options
    )


def without_times(batch: Batch) -> np.ndarray[Any, Any]:
    """The results without times, which differ from run to run."""
    results = batch.results.copy()
    results["nanoseconds"] = 0
    results["seats"]["nanoseconds"] = 0
    return results


def limited(spec: str, budget: str) -> str:
    """The description of an agent with an option added."""
    return f"{spec}{',' if ':' in spec else ':'}{budget}"


def places_of(batch: Batch, agent: int) -> np.ndarray[Any, Any]:
    """The places of agent number `agent` in all games."""
    seats = batch.results["seats"]
    places: np.ndarray[Any, Any] = seats["place"][seats["agent"] == agent]
    return places


# --- what holds for all of them -----------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_choices_are_legal_and_repeatable(game: str) -> None:
    players = load(game).players[1]
    for agent in [*cheap_agents(game), *(limited(spec, "calls=50") for spec in SEARCHES)]:
        first = play(game, [agent] * players, 6, workers=1)
        assert (first.results["status"] == Status.FINISHED).all(), agent
        assert (first.results["culprit"] == -1).all()
        again = play(game, [agent] * players, 6, workers=2)
        assert (without_times(again) == without_times(first)).all(), agent


def test_different_seeds_give_different_games() -> None:
    for agent in ("random", "mcts:iterations=20", "rhea:iterations=20", "pimc:determinizations=2"):
        first, second = (play("love-letter", [agent] * 4, 4, seed=seed) for seed in (1, 2))
        assert (without_times(first) != without_times(second)).any(), agent


@pytest.mark.parametrize("spec", SEARCHES)
def test_iterations_are_what_was_asked_for(spec: str) -> None:
    state = load("love-letter").new_state(players=4, seed=3)
    for limit in (1, 7, 300):
        assert ask(make_agent(limited(spec, f"iterations={limit}")), state).iterations == limit


@pytest.mark.parametrize("spec", SEARCHES)
def test_the_only_action_is_searched_like_any_other(spec: str) -> None:
    games = (load("love-letter").new_state(players=4, seed=seed) for seed in range(50))
    state = next(state for state in games if len(state.legal_actions()) == 1)
    answer = ask(make_agent(limited(spec, "iterations=7")), state)
    assert [answer.action] == state.legal_actions()
    assert answer.iterations == 7


@pytest.mark.parametrize("spec", SEARCHES)
def test_no_iteration_begins_after_the_last_call(spec: str) -> None:
    state = load("love-letter").new_state(players=4, seed=3)
    stopped = ask(make_agent(limited(spec, "calls=2000")), state)
    assert stopped.calls >= 2000
    earlier = ask(make_agent(limited(spec, f"iterations={stopped.iterations - 1}")), state)
    assert earlier.calls < 2000


def test_without_any_limit_it_is_1000_iterations() -> None:
    state = load("tic-tac-toe").new_state(seed=1)
    assert ask(make_agent("mcts"), state).iterations == 1000


class Roomy(MctsAgent):
    """``mcts`` with memory for more nodes than it can make."""

    def record(self, table: Table) -> bytes:
        record = np.frombuffer(super().record(table), POLICIES).copy()
        record["max_nodes"] = 200_000
        return record.tobytes()


@pytest.mark.parametrize("loop", ["open", "closed"])
def test_a_search_reserves_memory_for_its_iterations(loop: str) -> None:
    """And no less than it needs: more changes nothing."""
    state = load("breakthrough").new_state(seed=1)
    agents = [kind(loop=loop, iterations=300) for kind in (MctsAgent, Roomy)]
    smaller, larger = (agent.memory_size(state.table) for agent in agents)
    assert 10 * smaller < larger
    assert ask(agents[0], state) == ask(agents[1], state)


@pytest.mark.parametrize("spec", SEARCHES)
def test_time_is_a_limit_too(spec: str) -> None:
    """Or this test takes hours. How much fits into the time is the machine's affair."""
    agent = make_agent(limited(spec, "milliseconds=1,iterations=100000000"))
    state = load("love-letter").new_state(players=4, seed=3)
    answer = ask(agent, state)
    assert answer.iterations < 100_000_000
    assert answer.action in state.legal_actions()


@pytest.mark.parametrize("by", ["rank", "score"])
def test_a_playout_of_pimc_may_end_early(by: str) -> None:
    state = load("uno").new_state(players=3, seed=3)
    spec = f"pimc:determinizations=4,playouts=2,by={by},rollout_length="
    samples = 4 * len(state.legal_actions())
    for length, calls in ((0, samples), (5, samples + 2 * 5 * samples)):
        assert ask(make_agent(f"{spec}{length}"), state).calls == calls
    to_the_end = ask(make_agent(f"{spec}-1"), state)
    assert to_the_end.calls > 100 * samples
    assert ask(make_agent(f"{spec}100000"), state) == to_the_end


def test_pimc_by_place_without_a_playout_looks_one_step_ahead() -> None:
    for game in ("tic-tac-toe", "connect-four"):
        state = load(game).new_state(seed=3)
        far, near = make_agent("pimc:by=place,rollout_length=0"), make_agent("osla")
        assert {o.action: o.value for o in far.advise(state)} == {
            o.action: o.value for o in near.advise(state)
        }


def test_each_of_several_tries_of_a_rollout_costs_a_call() -> None:
    """Several tries out of nine marks on an empty board; an action drawn twice costs one call."""
    state = load("tic-tac-toe").new_state(seed=3)
    spec = "mcts:iterations=1,rollout_length=1,tries="
    assert ask(make_agent(f"{spec}1"), state).calls == 2
    assert 2 + 1 < ask(make_agent(f"{spec}5"), state).calls <= 2 + 5


def test_a_full_tree_is_searched_on() -> None:
    state = load("love-letter").new_state(players=4, seed=3)
    for spec in ("mcts", "mcts:loop=closed", "ismcts", "ismcts:trees=many"):
        full = make_agent(limited(spec, "max_nodes=100,iterations=2000"))
        answer = ask(full, state)
        assert answer.iterations == 2000
        assert answer.action in state.legal_actions()


class Lottery(Game):
    """One draw out of more tickets than the smallest tree has nodes."""

    players = (2, 2)
    Actions = ActionKinds("Draw", {"TICKET": Action("draw {ticket}", ticket=range(150))})

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        """Nothing to prepare."""

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: Any) -> None:
        for ticket in range(150):
            add(actions, ticket << 8)

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        win(state, 0)


class Endless(Game):
    """A game that goes on for a thousand million actions."""

    players = (2, 2)
    max_ticks = 1_000_000_000
    Actions = ActionKinds("Wait", {"WAIT": Action("wait {turns}", turns=range(2))})

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        """Nothing to prepare."""

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: Any) -> None:
        for turns in range(2):
            add(actions, turns << 8)

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        """Nothing happens."""


@pytest.mark.parametrize("spec", ["mcts", "mcts:loop=closed", "ismcts:trees=many", "pimc", "ggp"])
def test_the_deadline_ends_a_rollout_in_the_middle(spec: str) -> None:
    state = Endless().new_state()
    answer = ask(make_agent(limited(spec, "milliseconds=20")), state)
    assert answer.calls < Endless.max_ticks // 10
    assert answer.action in state.legal_actions()


@pytest.mark.parametrize("loop", ["open", "closed"])
def test_a_tree_without_room_for_another_node_spends_its_budget(loop: str) -> None:
    """Statistics of actions are kept at edges, and there are more edges than nodes."""
    state = Lottery().new_state()
    agent = make_agent(f"mcts:loop={loop},calls=500,rollout_length=0,max_nodes=100")
    answer = ask(agent, state)
    assert (answer.calls, answer.iterations) == (500, 500)


def test_a_search_ends_even_if_its_iterations_make_no_calls() -> None:
    """Each of nine marks is tried, and gets a node the second time; then no rules are played."""
    state = load("tic-tac-toe").new_state(seed=1)
    answer = ask(make_agent("mcts:loop=closed,calls=500,rollout_length=0,depth=1"), state)
    assert (answer.calls, answer.iterations) == (18, 500)


@pytest.mark.parametrize("game", GAMES)
def test_advice_sums_to_one_and_names_the_choice_first(game: str) -> None:
    state = load(game).new_state(players=load(game).players[1], seed=3)
    for agent in [*cheap_agents(game), make_agent("osla:samples=3"), make_agent("pimc")]:
        agent.random.seed(5)
        opinions = agent.advise(state)
        agent.random.seed(5)
        assert opinions[0].action == agent.choose(state)
        assert sum(o.share for o in opinions) == pytest.approx(1.0)
        assert {o.action for o in opinions} <= set(state.legal_actions())
        assert all(0.0 <= o.value <= 1.0 for o in opinions)


def test_advice_in_a_lost_position_sums_to_one() -> None:
    """Prince and Princess among protected players: every choice loses the round and the game."""
    state = load("love-letter").new_state(players=2, seed=3, tokens_to_win=1)
    view = state.view
    view.hands[0].cards[0], view.hands[0].cards[1] = 4, 7
    view.protected[1].value = 1
    opinions = make_agent("osla").advise(state)
    assert [o.value for o in opinions] == [0.0, 0.0]
    assert sum(o.share for o in opinions) == pytest.approx(1.0)


def test_a_search_shows_where_it_looked() -> None:
    state = load("tic-tac-toe").new_state(seed=1)
    opinions = make_agent("mcts:iterations=2000").advise(state)
    assert len(opinions) == 9
    assert opinions[0].share == max(o.share for o in opinions)
    assert state.action_words(opinions[0].action) == "mark 1 1"


@pytest.mark.parametrize(
    "spec",
    [
        *("osla", "ismcts:iterations=90", "ismcts:trees=many,iterations=90", "mcts:iterations=90"),
        *("mcts:loop=closed,iterations=90", "ggp:iterations=90", "pimc:iterations=90"),
        *("rhea:iterations=30", "mccfr:iterations=90"),
    ],
)
def test_ties_between_actions_are_broken_at_random(spec: str) -> None:
    """Three actions are worth the same: 60 times the third is rarely left out, nor preferred."""
    text = game_text(
        choice("(any (A, B, C) 'N (set (game str NAME) 'N))"),
        players=2,
        deck="(create deck (game hloc STOCK) (deck (RANK (X, Y))))",
    )
    table = RecycleGame(Source("tie.rcy", text)).table()
    agent, state = make_agent(spec), table.new_state(0)
    legal = state.legal_actions()
    counts = [0, 0, 0]
    for seed in range(60):
        agent.random.seed(seed)
        counts[legal.index(agent.choose(state))] += 1
    assert min(counts) >= 8, counts  # each is drawn 20 times; 7 or fewer once in 4,000


@pytest.mark.parametrize(("widening", "looked_at"), [(0, 9), (1, 3), (2, 6)])
def test_widening_lets_a_node_grow_with_the_root_of_its_visits(
    widening: int, looked_at: int
) -> None:
    state = load("tic-tac-toe").new_state(seed=1)
    opinions = make_agent(f"mcts:iterations=9,widening={widening},tries=2").advise(state)
    assert sum(o.share > 0 for o in opinions) == looked_at


def test_all_tree_searches_are_one_compiled_function() -> None:
    table = load("tic-tac-toe").table()
    presets = [make_agent(name).bind(table) for name in ("mcts", "ismcts", "pimc", "ggp")]
    assert len({int(preset.record["act"][0]) for preset in presets}) == 1


# --- how they are described ---------------------------------------------------------------


def test_names_are_known() -> None:
    general = {"random", "first-legal", "osla", "rhea", "mcts", "ismcts", "pimc"}
    assert general | {"love-letter-reflex", "love-letter-counting"} <= set(agent_names())


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        ("mcts", {}),
        ("MCTS", {}),
        ("mcts:iterations=50", {"iterations": 50}),
        ("mcts: iterations = 50, c = 0.5", {"iterations": 50, "c": 0.5}),
        ("ismcts:trees=many", {"trees": 1}),
        ("rhea:shift-buffer=no,length=3", {"shift_buffer": False, "length": 3}),
        ("pimc:by=score", {"by": 2}),
    ],
)
def test_a_description_in_words(spec: str, options: dict[str, Any]) -> None:
    agent = make_agent(spec)
    for name, value in options.items():
        assert getattr(agent.options, name) == value
    assert make_agent(agent.label).label == agent.label
    assert make_agent(agent.label).options == agent.options


def test_a_label_says_only_what_differs() -> None:
    assert make_agent("mcts:iterations=0,loop=closed").label == "mcts:loop=closed"
    assert make_agent("random").label == "random"


def test_a_description_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "searcher.json"
    file.write_text(json.dumps({"agent": "ismcts", "iterations": 25, "trees": "many"}))
    assert make_agent(str(file)).label == "ismcts:iterations=25,trees=many"
    file.write_text(json.dumps({"iterations": 25}))
    with pytest.raises(AgentOptionError, match='"agent"'):
        make_agent(str(file))
    with pytest.raises(FileError, match=r"nothing\.json"):
        make_agent(str(tmp_path / "nothing.json"))


def test_a_registered_agent_is_found_by_its_name_however_it_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Cautious(Agent):
        name = "My Cautious_Agent"

    monkeypatch.setattr(agents_by_name, "_added", {})
    register_agent(Cautious)
    assert "my-cautious-agent" in agent_names()
    for name in ("My Cautious_Agent", "my-cautious-agent"):
        assert isinstance(make_agent(name), Cautious)


@pytest.mark.parametrize(
    ("spec", "error", "says"),
    [
        ("mtcs", UnknownAgentError, "Did you mean 'mcts'.*ismcts.*random"),
        ("mcts:iteration=5", AgentOptionError, "Did you mean 'iterations'.*milliseconds.*loop"),
        ("ismcts:loop=open", AgentOptionError, "option 'loop'.*trees"),
        ("mcts:iterations=-1", AgentOptionError, "a whole number from 0"),
        ("mcts:iterations=many", AgentOptionError, "a whole number from 0"),
        ("mcts:loop=ajar", AgentOptionError, "one of open, closed"),
        ("mcts:c=1000", AgentOptionError, "a number from 0.0 to 100.0"),
        ("mcts:iterations", AgentOptionError, "name=value"),
        ("mcts:loop=closed,samples=4", AgentOptionError, "samples is for loop=open"),
        ("mcts:widening=0.5,loop=closed", AgentOptionError, "widening is for loop=open"),
        ("random:seed=5", AgentOptionError, "Known: none"),
        ("mcts:iterations=10,iterations=20", AgentOptionError, "twice, as 10 and as 20"),
    ],
)
def test_mistakes_are_explained(spec: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        make_agent(spec)


def test_the_last_description_fills_all_seats_that_are_left() -> None:
    assert [a.label for a in make_agents(["random"], 3)] == ["random"] * 3
    assert len({id(a) for a in make_agents(["random"], 3)}) == 3
    assert [a.label for a in make_agents(["mcts", "random"], 4)] == ["mcts"] + ["random"] * 3
    for specs in ([], ["random"] * 4):
        with pytest.raises(AgentError, match=f"{len(specs)} agents for 3 players"):
            make_agents(specs, 3)


def test_an_agent_made_for_one_game_refuses_others() -> None:
    with pytest.raises(AgentError, match="love-letter only"):
        play("tic-tac-toe", ["love-letter-reflex", "random"], 1)


@pytest.mark.parametrize("answer", [-5, 10**30, 2.0, None, [4]])
def test_an_answer_that_is_no_action_is_told_as_it_was_given(answer: Any) -> None:
    class Strange(Agent):
        name = "strange"

        def choose(self, state: State) -> int:
            return answer

    session = kibitz.Session("tic-tac-toe", [Strange(), "random"])
    says = f"strange returned {answer!r}: choose returns"
    with pytest.raises(AgentError, match=re.escape(says)):
        session.decide()


# --- how well they play -------------------------------------------------------------------


LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


@functools.cache
def negamax(board: tuple[int, ...], mark: int) -> int:
    """1, 0 or -1: what the player of `mark` can reach, moving first on a board of 3 by 3."""
    if any(all(board[i] == 3 - mark for i in line) for line in LINES):
        return -1
    replies = [board[:i] + (mark,) + board[i + 1 :] for i in range(9) if board[i] == 0]
    return max((-negamax(reply, 3 - mark) for reply in replies), default=0)


class Perfect(Agent):
    """Knows Tic-Tac-Toe by heart."""

    name = "perfect"

    def choose(self, state: State) -> int:
        def worth(action: int) -> int:
            after = state.clone()
            after.apply(action)
            return -negamax(tuple(after.view.board.cells), 2 - state.current_player)

        actions = state.legal_actions()
        self.random.shuffle(actions)
        return max(actions, key=worth)


@pytest.mark.parametrize("spec", ["mcts", "mcts:loop=closed"])
def test_mcts_never_loses_to_random(spec: str) -> None:
    batch = play("tic-tac-toe", [limited(spec, "iterations=2000"), "random"], 500)
    seats = batch.results["seats"]
    assert set(seats["agent"][:, 0]) == {0, 1}  # it sat in both seats
    assert (places_of(batch, 0) == 1).all()
    assert (places_of(batch, 1) == 2).mean() > 0.93  # .956 in 500 other games


@pytest.mark.parametrize("spec", ["mcts", "mcts:loop=closed", "ismcts"])
def test_mcts_draws_against_perfect_play(spec: str) -> None:
    batch = play("tic-tac-toe", [limited(spec, "iterations=10000"), Perfect()], 40)
    assert (batch.results["seats"]["place"] == 1).all()


def test_perfect_play_never_loses() -> None:
    batch = play("tic-tac-toe", [Perfect(), "random"], 40)
    assert (places_of(batch, 0) == 1).all()


@pytest.mark.parametrize("spec", ["osla", "rhea", "mcts:iterations=100", "pimc"])
def test_thinking_beats_chance(spec: str) -> None:
    batch = play("tic-tac-toe", [spec, "random"], 200)
    seats = batch.results["seats"]
    assert seats["returns"][seats["agent"] == 0].mean() > 0.5


# --- agents written in Python -------------------------------------------------------------


class FirstInPython(Agent):
    """The agent ``first-legal``, written in Python."""

    name = "first-in-python"

    def choose(self, state: State) -> int:
        return state.legal_actions()[0]


@pytest.mark.parametrize("game", GAMES)
def test_a_python_agent_is_like_a_compiled_one(game: str) -> None:
    others: list[Any] = ["mcts:iterations=20", "random", "random"][: load(game).players[1] - 1]
    mixed = play(game, [FirstInPython(), *others], 12)
    compiled = play(game, ["first-legal", *others], 12)
    assert (without_times(mixed) == without_times(compiled)).all()


class Wordy(Agent):
    """Answers in words, and has an option and a memory of the game."""

    name = "wordy"

    class Options(AgentOptions):
        which = Tunable(0, range(10), "number of the action")

    games = 0

    def start(self, table: Any) -> None:
        self.games += 1

    def choose(self, state: State) -> str:
        legal = state.legal_actions()
        return state.action_words(legal[self.options.which % len(legal)]).upper()


def test_words_will_do_and_every_game_is_announced() -> None:
    agent = Wordy()
    batch = play("tic-tac-toe", [agent, "first-legal"], 5)
    assert agent.games == 5
    plain = play("tic-tac-toe", ["first-legal", "first-legal"], 5)
    assert (without_times(batch) == without_times(plain)).all()
    assert Wordy(which=3).label == "wordy:which=3"


class Scribe(FirstInPython):
    """Notes its seat, the result and the tick at the end of each game."""

    def __init__(self) -> None:
        super().__init__()
        self.ends: list[tuple[int, list[float], int, bytes]] = []

    def end(self, state: State, player: int) -> None:
        assert state.is_terminal
        self.ends.append((player, state.returns(), state.tick, bytes(state.observation(player))))


def test_every_end_is_told_to_each_seat() -> None:
    agents = [Scribe(), "random", Scribe()]
    batch = play("love-letter", agents, 6)
    for number, agent in ((0, agents[0]), (2, agents[2])):
        assert [seat for seat, *_ in agent.ends] == [(number - i) % 3 for i in range(6)]
        assert [tuple(r) for _, r, *_ in agent.ends] == [
            tuple(seats["returns"]) for seats in batch.results["seats"]
        ]
        assert [tick for _, _, tick, _ in agent.ends] == batch.results["ticks"].tolist()


def test_an_end_is_the_same_in_every_place() -> None:
    agents = [Scribe() for _ in range(4)]
    kibitz.record(load("love-letter").table(3), [agents[0], "random", "random"], seed=8)
    session = kibitz.Session("love-letter", [agents[1], "random", "random"], seed=8)
    while not session.is_over:
        session.advance()
    state = session.state
    game = SeatedGame(session.table, [agents[2], make_agent("random"), None])
    game.begin_from(8)
    for move in session.moves:
        if move.player == 2:
            game.step(int(game.table.encoder.index(move.action, game.state)))
    restricted = RestrictedAgent(base="random")
    restricted.base = agents[3]
    kibitz.record(load("love-letter").table(3), [restricted, "random", "random"], seed=8)
    assert agents[0].ends == agents[1].ends == agents[2].ends == agents[3].ends
    assert agents[0].ends == [
        (0, state.returns(), state.tick, bytes(state.observation(0))),
    ]


def test_what_an_end_raises_is_an_outcome_with_a_culprit() -> None:
    class Sulking(FirstInPython):
        def end(self, state: State, player: int) -> None:
            raise RuntimeError("not fair")

    batch = play("tic-tac-toe", [Sulking(), "random"], 2)
    assert list(batch.results["status"]) == [Status.AGENT_ERROR] * 2
    session = kibitz.Session("tic-tac-toe", [Sulking(), "random"], seed=1)

    def play_on() -> None:
        while not session.is_over:
            session.advance()

    with pytest.raises(RuntimeError, match="not fair"):
        play_on()
    assert session.is_over


def test_a_python_agents_chance_depends_on_the_seed_only() -> None:
    class Dicing(Agent):
        name = "dicing"

        def choose(self, state: State) -> int:
            return self.random.choice(state.legal_actions())

    first = play("love-letter", [Dicing(), "random", "random"], 5)
    second = play("love-letter", [Dicing(), "random", "random"], 5)
    assert (without_times(first) == without_times(second)).all()
    assert len(set(first.results["ticks"])) > 1


class Answering(Agent):
    """Always gives the same answer, right or wrong."""

    name = "answering"

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.answer = answer

    def choose(self, state: State) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_an_illegal_answer_is_an_outcome_with_a_culprit() -> None:
    batch = play("tic-tac-toe", [Answering(123456789), "random"], 2)
    assert list(batch.results["status"]) == [Status.ILLEGAL_ACTION] * 2
    assert list(batch.results["culprit"]) == [0, 1]  # seats rotate
    assert (batch.results["seats"]["place"] == 0).all()


class NoAnswer(NativeAgent):
    """A compiled agent that fails."""

    name = "no-answer"
    sees = False

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        return -2


FAVOURITES = (0, 1, 2)


class Lost(NativeAgent):
    """A compiled agent that fails half-way, because its favourite does not exist."""

    name = "lost"

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        return FAVOURITES[count]


def test_a_compiled_agent_that_breaks_off_is_an_outcome_with_a_culprit() -> None:
    batch = play("tic-tac-toe", ["random", Lost()], 4)
    assert (batch.results["status"] == Status.AGENT_ERROR).all()
    assert list(batch.results["culprit"]) == [1, 0, 1, 0]


def test_an_illegal_answer_of_a_compiled_agent_too() -> None:
    batch = play("tic-tac-toe", ["random", NoAnswer()], 4)
    assert (batch.results["status"] == Status.ILLEGAL_ACTION).all()
    assert list(batch.results["culprit"]) == [1, 0, 1, 0]


def test_an_agent_without_choose_says_so() -> None:
    class Idle(Agent):
        name = "idle"

    with pytest.raises(AgentError, match="Idle does not define choose"):
        Idle().choose(load("tic-tac-toe").new_state())


def test_there_is_nothing_to_decide_in_a_finished_game() -> None:
    state = load("tic-tac-toe").new_state()
    while not state.is_terminal:
        state.apply(state.legal_actions()[0])
    with pytest.raises(AgentError, match="over"):
        make_agent("mcts").advise(state)


def test_an_exception_is_an_outcome_with_a_culprit() -> None:
    batch = play("tic-tac-toe", [Answering(ValueError("no idea")), "random"], 2)
    assert list(batch.results["status"]) == [Status.AGENT_ERROR] * 2
    assert list(batch.results["culprit"]) == [0, 1]
    assert str(batch.exceptions[Status.AGENT_ERROR]) == "no idea"


def test_words_that_mean_nothing_are_an_exception() -> None:
    batch = play("tic-tac-toe", [Answering("mark the spot"), "random"], 1)
    assert list(batch.results["status"]) == [Status.AGENT_ERROR]
    assert "Legal: mark 0 0" in str(batch.exceptions[Status.AGENT_ERROR])


# --- agents with a place ------------------------------------------------------------------


def seated(game: str, players: int | None, lineup: Any) -> list[str]:
    return [agent.label for agent in agents_at(load(game).table(players), lineup)]


def test_agents_take_the_seats_of_their_side_role_or_number() -> None:
    assert seated("whist", None, "A=osla B=random") == ["osla", "random"] * 2
    assert seated("whist", None, "b=osla random first-legal") == [
        "random",
        "osla",
        "first-legal",
        "osla",
    ]
    assert seated("agram", 3, "2=mcts:iterations=5,c=0.5 random") == [
        "random",
        "mcts:iterations=5,c=0.5",
        "random",
    ]
    assert seated("breakthrough", None, "Black=osla white=random") == ["random", "osla"]
    assert seated("agram", 2, [Placed("1", make_agent("osla")), "random"]) == ["osla", "random"]


@pytest.mark.parametrize(
    ("lineup", "says"),
    [
        ("C=osla random", "There is no place at whist 'C'"),
        ("A=osla 1=random random", "Seat 1 has two agents"),
        ("A=osla", "0 agents for 2 players"),
        ("A=osla B=osla random", "1 agents for 0 players"),
    ],
)
def test_places_that_do_not_fit_are_explained(lineup: str, says: str) -> None:
    with pytest.raises(AgentError, match=says):
        seated("whist", None, lineup)

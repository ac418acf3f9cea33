"""No agent's choice may depend on what its player cannot know."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from tests.players.asking import answer, ask, cheap_agents

from kibitz.core.agent import Agent, agent_class, make_agent
from kibitz.core.contract import RULES
from kibitz.core.game import Table
from kibitz.core.parameters import Tunable
from kibitz.core.registry import load, names
from kibitz.core.state import State
from kibitz.core.view import view_at
from kibitz.players.hidden_information import can_hide
from kibitz.players.mcts import IsmctsAgent

GAME = "love-letter"
AGENTS = [
    *cheap_agents(GAME),
    make_agent("ismcts:iterations=30,trees=many"),
    make_agent("kibitz:iterations=30"),
    make_agent("ismcts:iterations=30,guide=osla,trust=0.5"),
    make_agent("ismcts:iterations=30,trees=many,guide=love-letter-counting,trust=1"),
]


class PeekingAgent(IsmctsAgent):
    """A tree search from the state it is given, without determinization."""

    def policies(self, table: Table) -> dict[str, Any]:
        return {**super().policies(table), "determinizes": False}


def positions(games: int, game: str = GAME, fewest: int = 2) -> Iterator[State]:
    """States met in random play, where there is a choice."""
    for seed in range(games):
        rng = random.Random(seed)
        state = load(game).new_state(players=fewest + seed % 3, seed=seed)
        while not state.is_terminal:
            legal = state.legal_actions()
            if len(legal) > 1 and rng.random() < 0.15:
                yield state.clone()
            state.apply(rng.choice(legal))


@pytest.mark.parametrize("agent", AGENTS, ids=lambda a: a.label)
def test_the_choice_ignores_what_is_hidden(agent: Agent) -> None:
    differed = 0
    for number, state in enumerate(positions(6)):
        player = state.current_player
        other = state.determinize(player, seed=1000 + number)
        assert other.observation(player) == state.observation(player)
        differed += other != state
        assert ask(agent, other, seed=number) == ask(agent, state, seed=number)
    assert differed > 10


@pytest.mark.parametrize(("game", "fewest"), [("scopa", 2), ("president", 4)])
def test_the_choice_of_a_set_of_cards_ignores_what_is_hidden(game: str, fewest: int) -> None:
    agents = [
        make_agent(text) for text in ("osla", "pimc:determinizations=4", "ismcts:iterations=30")
    ]
    sets = differed = 0
    for number, state in enumerate(positions(3, game, fewest)):
        if number % 6:
            continue
        player = state.current_player
        other = state.determinize(player, seed=1000 + number)
        assert other.observation(player) == state.observation(player)
        assert other.legal_actions() == state.legal_actions()
        differed += other != state
        sets += any(" and " in state.action_words(action) for action in state.legal_actions())
        for agent in agents:
            assert ask(agent, other, seed=number) == ask(agent, state, seed=number)
    assert differed > 3
    assert sets > 0


@pytest.mark.parametrize("game", names())
def test_the_default_agent_ignores_what_is_hidden_in_every_game(game: str) -> None:
    """Where the rules hide something: the truth is swapped, the choice stays."""
    agent = make_agent("kibitz:iterations=12")
    table = load(game).table()
    with table.borrowed() as rules:
        if not can_hide(view_at(rules.address, RULES)):
            return
    differed = asked = 0
    rng = random.Random(3)
    for seed in range(4):
        state = table.new_state(seed)
        for _ in range(60):
            if state.is_terminal or asked == 8:
                break
            legal = state.legal_actions()
            if len(legal) > 1 and rng.random() < 0.3:
                player = state.current_player
                other = state.determinize(player, seed=1000 + asked)
                assert other.observation(player) == state.observation(player)
                assert other.legal_actions() == legal
                assert ask(agent, other, seed=asked) == ask(agent, state, seed=asked)
                asked += 1
                differed += other != state
            state.apply(rng.choice(legal))
    assert differed > 0 or asked == 0


SMALL = {
    "osla": "samples=2",
    "mcts": "iterations=25",
    "ismcts": "iterations=25",
    "ggp": "iterations=25,max_nodes=500",
    "pimc": "determinizations=2",
    "mccfr": "iterations=10,width=2,max_nodes=500",
    "rhea": "iterations=25",
}
"""Agents that play any game, with small budgets."""
NEEDS = {
    "selection": "trees=many",
    "gamma": "trees=many,selection=regret",
    "trust": "guide=osla",
    "widening": "tries=3",
    "epsilon": "learn=nst",
    **dict.fromkeys(
        ("particles", "opponent_calls", "opponent_length", "temperature"), "belief=actions"
    ),
}
"""Options that other options need to have an effect, where an agent has them."""
VALUES = {
    "guide": ["osla", "love-letter-reflex"],
    "heuristic": ["score", "rank"],
    "max_nodes": ["100"],
    "particles": ["50"],
    "role": ["-1"],
}
"""Values to try of options whose own values are too many or not worth a try."""
ELSEWHERE = {"prior", "leaf", "iterations", "milliseconds", "calls", "determinizations"}
"""Options that are left out: networks have their own tests, and limits only end a search."""


def values_of(option: str, tunable: Tunable) -> list[str]:
    """The values of an option that are tried: all if these are few, else the last ones."""
    if option in VALUES:
        return VALUES[option]
    if tunable.is_continuous:
        return [tunable.show(value) for value in (tunable.tune or tunable.values)[-1:]]
    values = tunable.values if len(tunable.values) < 5 else tunable.tune or tunable.values[-1:]
    return [tunable.show(value) for value in values[-3:] if value != tunable.default]


@pytest.mark.parametrize("name", SMALL)
def test_no_option_looks_at_what_is_hidden(name: str) -> None:
    options = agent_class(name).Options.tunables
    swaps = []
    for number, state in enumerate(positions(2)):
        other = state.determinize(state.current_player, seed=1000 + number)
        if other != state:
            swaps.append((number, state, other))
    assert len(swaps) > 2
    tried = set()
    for option, tunable in options.items():
        if option in ELSEWHERE:
            continue
        needed = [text for text in NEEDS.get(option, "").split(",") if text]
        needed = [text for text in needed if text.split("=")[0] in options]
        for value in values_of(option, tunable):
            chosen = [text for text in SMALL[name].split(",") if text.split("=")[0] != option]
            agent = make_agent(f"{name}:" + ",".join([*chosen, f"{option}={value}", *needed]))
            tried.add(option)
            for number, state, other in swaps:
                assert ask(agent, other, number) == ask(agent, state, number), agent.label
    assert tried == set(options) - ELSEWHERE


def test_a_changed_hand_shows_in_no_choice() -> None:
    """The same with a lie by hand: the truth is another Love Letter hand, nothing else."""
    state = load(GAME).new_state(players=2, seed=5)
    lie = state.clone()
    theirs, aside = lie.view.hands[1], lie.view.set_aside
    card = theirs.cards[0]
    place = next(i for i in range(lie.view.deck.count) if lie.view.deck.cards[i] != card)
    theirs.cards[0], lie.view.deck.cards[place] = lie.view.deck.cards[place], card
    assert aside.count == 1
    assert lie != state
    for agent in AGENTS:
        assert ask(agent, lie, seed=3) == ask(agent, state, seed=3)


def test_a_search_that_looks_is_found_out() -> None:
    """Shown the truth itself, a search that samples nothing chooses by it: swaps can tell."""
    agent = PeekingAgent(iterations=100)
    differences = 0
    for number, state in enumerate(positions(6)):
        other = state.determinize(state.current_player, seed=1000 + number)
        legal = state.legal_actions()
        honest, changed = (answer(agent, shown, legal, number).action for shown in (state, other))
        differences += honest != changed
    assert differences > 5


@pytest.mark.parametrize("agent", AGENTS, ids=lambda a: a.label)
def test_advice_ignores_what_is_hidden(agent: Agent) -> None:
    for number, state in enumerate(positions(2)):
        other = state.determinize(state.current_player, seed=77 + number)
        agent.random.seed(number)
        opinion = agent.advise(state)
        agent.random.seed(number)
        assert agent.advise(other) == opinion


def test_the_future_is_not_foretold() -> None:
    """The random stream of the true game does not reach the agents."""
    state = load(GAME).new_state(players=4, seed=8)
    other = state.clone()
    other.view.rng[0] = state.view.rng[0] ^ 12345
    for agent in AGENTS:
        assert ask(agent, other, seed=1) == ask(agent, state, seed=1)

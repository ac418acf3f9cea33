"""Beliefs about hidden cards follow from the actions of others, exactly where that is known."""

from __future__ import annotations

import ctypes
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from tests.players.asking import ask

from kibitz.core.agent import ADVICE, AGENT, make_agent
from kibitz.core.contract import RULES
from kibitz.core.game import Table
from kibitz.core.memory import record_at
from kibitz.core.registry import load
from kibitz.core.state import State
from kibitz.players.belief import BELIEF, belief_at
from kibitz.players.seat import AgentSeat

ANYTHING = "doubt=1,opponent_calls=1,opponent_length=0,iterations=20"
"""A model by which all actions are equally likely."""


class Believer:
    """A seat that follows a game and keeps a belief about its hidden part."""

    def __init__(
        self, table: Table, seat: int, options: str, particles: int, seed: int = 1
    ) -> None:
        agent = make_agent(f"ismcts:belief=actions,particles={particles},{options}")
        self.table = table
        self.seat = AgentSeat(agent, table, seat)
        self._particles = particles
        self.seat.begin(seed)

    def watch(self, *states: State) -> Believer:
        """Shows the seat states one after the other."""
        for state in states:
            self.seat.watch(state)
        return self

    def states(self) -> list[State]:
        """The particles."""
        me = record_at(self.seat.binding.address, AGENT)
        rules = record_at(self.table.address, RULES)
        belief = record_at(belief_at(me, rules, self._particles), BELIEF)
        return [
            State(
                self.table,
                ctypes.string_at(belief.particles + i * belief.stride, rules.state_size),
            )
            for i in range(belief.count)
        ]

    def odds(self, feature: Callable[[State], Any]) -> dict[Any, float]:
        """The believed probability of each value of a feature."""
        counts = Counter(feature(state) for state in self.states())
        return {value: number / counts.total() for value, number in counts.items()}


def agrees(odds: Mapping[Any, float], exact: Mapping[Any, float], samples: int) -> bool:
    """Whether frequencies are within five standard errors of probabilities."""
    total = sum(exact.values())
    for value in {*odds, *exact}:
        chance = exact.get(value, 0.0) / total
        error = math.sqrt(max(chance * (1.0 - chance), 1e-4) / samples)
        if abs(odds.get(value, 0.0) - chance) > 5.0 * error:
            return False
    return True


def played(table: Table, seed: int, *words: str) -> list[State]:
    """The states of a game in which these actions are played."""
    states = [table.new_state(seed)]
    for action in words:
        after = states[-1].clone()
        after.apply(after.action(action))
        states.append(after)
    return states


# --- poker: beliefs are known ---------------------------------------------------------------


def card_of(player: int) -> Callable[[State], int]:
    """The number of the card that a player holds in a poker game."""
    return lambda state: int(state.view.hand[player].cards[0])


def poker(table: Table, cards: Mapping[int, int], top: int | None = None) -> State:
    """The first state of a poker game with these cards in the hands and ``top`` on the deck."""
    state = table.new_state(0)
    view = state.view
    unseen = [c for c in range(len(table.rules.places.card_names)) if c not in cards.values()]
    if top is not None:
        unseen.remove(top)
        unseen.append(top)
    for player, card in cards.items():
        view.hand[player].cards[0] = card
    for i, card in enumerate(unseen):
        view.stock.cards[i] = card
    return state


def replayed(state: State, words: list[str]) -> State:
    """The state after more actions, each the first that begins with such words."""
    state = state.clone()
    for wording in words:
        state.apply(next(a for a in state.legal_actions() if wording in state.action_words(a)))
    return state


def worth_of_random_play(state: State, player: int) -> float:
    """The mean result for a player, 0 to 1, if all go on at random."""
    if state.is_terminal:
        return 0.5 + 0.5 * state.returns()[player]
    values = []
    for action in state.legal_actions():
        after = state.clone()
        after.apply(action)
        values.append(worth_of_random_play(after, player))
    return sum(values) / len(values)


def softmax_of(
    table: Table, card: int, words: list[str], wording: str, temperature: float
) -> float:
    """The probability, by the filter's model, that a player with ``card`` chooses ``wording``."""
    cards = range(len(table.rules.places.card_names))
    sums: dict[str, float] = defaultdict(float)
    mover = len(words) % 2
    deals = list(permutations([c for c in cards if c != card], 2))
    for other, top in deals:
        state = replayed(poker(table, {mover: card, 1 - mover: other}, top), words)
        for action in state.legal_actions():
            after = state.clone()
            after.apply(action)
            sums[state.action_words(action)] += worth_of_random_play(after, mover) / len(deals)
    weights = {name: math.exp(value / temperature) for name, value in sums.items()}
    return next(w for name, w in weights.items() if wording in name) / sum(weights.values())


@pytest.mark.parametrize("mine", [0, 1, 2])
@pytest.mark.parametrize("words", [["bet"], ["check"], ["check", "bet"]])
def test_the_card_behind_a_bet_in_kuhn_poker(mine: int, words: list[str]) -> None:
    table = load("kuhn-poker").table(2)
    mover = (len(words) - 1) % 2
    exact = {
        card: softmax_of(table, card, words[:-1], words[-1], 0.3)
        for card in range(3)
        if card != mine
    }
    start = poker(table, {1 - mover: mine, mover: next(iter(exact))})
    states = [replayed(start, words[:n]) for n in range(len(words) + 1)]
    options = "by=place,temperature=0.3,doubt=0,opponent_calls=20000"
    believer = Believer(table, 1 - mover, options, 2000).watch(*states)
    odds = believer.odds(card_of(mover))
    assert agrees(odds, exact, 1000)
    assert max(odds.values()) > 0.52


def test_the_card_on_the_table_counts_in_leduc_poker() -> None:
    """What others did and what turned up say together which card they hold."""
    table = load("leduc-poker").table(2)
    mine, board = 2, 3
    start = poker(table, {0: mine, 1: 0}, board)
    states = [replayed(start, ["check", "bet", "call"][:n]) for n in range(4)]
    assert states[-1].view.board.cards[0] == board
    exact = {
        card: softmax_of(table, card, ["check"], "bet", 0.3)
        for card in range(6)
        if card not in (mine, board)
    }
    options = "by=place,temperature=0.3,doubt=0,opponent_calls=20000"
    odds = Believer(table, 0, options, 2000).watch(*states).odds(card_of(1))
    assert agrees(odds, exact, 1000)
    assert abs(odds[4] + odds[5] - odds[0] - odds[1]) > 0.05


# --- Love Letter: cards that were drawn -----------------------------------------------------


def kept_cards(
    before: State, action: int, mine: int, guide: str | None = None
) -> dict[int, float]:
    """How likely the second player keeps each card, if they do anything with equal probability.

    Args:
        before: the state where they decide; the first player has one card.
        action: what they do, which tells nothing else.
        mine: the card that the first player draws then.
        guide: an agent by which they act instead, half of the time.
    """
    view = before.view
    decks = [view.deck, view.set_aside, view.hands[1]]
    unseen = Counter(int(deck.cards[i]) for deck in decks for i in range(deck.count))
    chances: dict[int, float] = defaultdict(float)
    for old, drawn in {*permutations(unseen.elements(), 2)}:
        ways = unseen[old] * (unseen[drawn] - (old == drawn))
        state = before.clone()
        state.view.hands[1].cards[0], state.view.hands[1].cards[1] = old, drawn
        legal = state.legal_actions()
        if action in legal:
            share = 1.0 / len(legal)
            if guide is not None:
                asked = [ask(make_agent(guide), state, seed=k).action for k in range(3)]
                share = 0.5 * share + 0.5 * asked.count(action) / len(asked)
            state.apply(action)
            card = int(state.view.hands[1].cards[0])
            copies = unseen[mine] - (old == mine) - (drawn == mine)
            chances[card] += ways * copies * share
    return chances


@pytest.mark.parametrize(
    ("model", "guide"),
    [
        (ANYTHING, None),
        ("doubt=0.5,guide=love-letter-counting,iterations=20", "love-letter-counting"),
    ],
)
def test_the_card_that_is_kept_in_love_letter(model: str, guide: str | None) -> None:
    table = load("love-letter").table(2)
    tried = 0
    for seed in range(200):
        start = table.new_state(seed)
        if "play Handmaid" not in map(start.action_words, start.legal_actions()):
            continue
        first, before = played(table, seed, "play Handmaid")
        legal = [a for a in before.legal_actions() if " on " not in before.action_words(a)]
        if not legal or before.view.hands[1].count < 2:
            continue
        action = random.Random(seed).choice(legal)
        after = before.clone()
        after.apply(action)
        if after.view.round > 0:
            continue
        exact = kept_cards(before, action, int(after.view.hands[0].cards[1]), guide)
        believer = Believer(table, 0, model, 3000, seed).watch(first, before, after)
        odds = believer.odds(lambda state: int(state.view.hands[1].cards[0]))
        assert agrees(odds, exact, 600), (seed, odds, dict(exact))
        tried += 1
        if tried == 6:
            return
    assert tried > 3


# --- laws --------------------------------------------------------------------------------------

GAMES = [("love-letter", 4), ("uno", 3), ("hearts", 4), ("gops", 2), ("go-fish", 3), ("virus", 2)]


@pytest.mark.parametrize(("name", "players"), GAMES)
def test_a_belief_is_of_what_is_seen_and_of_nothing_else(name: str, players: int) -> None:
    """Every particle agrees with what is seen, and the truth changes none of them."""
    table = load(name).table(players)
    rng = random.Random(name)
    state = table.new_state(3)
    seat = players - 1
    believer, deceived = (Believer(table, seat, ANYTHING, 20) for _ in range(2))
    differed = 0
    for number in range(30):
        other = state.determinize(seat, seed=number)
        differed += other.view.hands[0] != state.view.hands[0] if name == "love-letter" else 1
        believer.watch(state)
        deceived.watch(other)
        if state.is_terminal:
            break
        shown = state.observation(seat)
        particles = believer.states()
        assert len(particles) == 20
        assert all(particle.observation(seat) == shown for particle in particles)
        assert list(map(bytes, particles)) == list(map(bytes, deceived.states()))
        assert ask_seat(believer, state) == ask_seat(deceived, other)
        state = state.clone()
        state.apply(rng.choice(state.legal_actions()))
    assert differed > 5


def ask_seat(believer: Believer, state: State) -> int | None:
    """The seat's choice if it is the seat's turn."""
    if state.current_player != believer.seat.binding.record["seat"][0]:
        return None
    return believer.seat.decide(state, state.legal_actions())


def test_without_a_history_all_is_as_likely() -> None:
    """Asked about a bare state it answers as a search that never follows the game."""
    state = load("love-letter").new_state(players=3, seed=4)
    texts = ("ismcts:iterations=50,belief=actions", "ismcts:iterations=50")
    answers = {ask(make_agent(text), state, seed=2) for text in texts}
    assert len(answers) == 1


def test_a_seat_that_begins_in_the_middle_believes_anything() -> None:
    table = load("kuhn-poker").table(2)
    state = replayed(poker(table, {0: 2, 1: 1}), ["bet"])
    odds = Believer(table, 1, "temperature=0.001,doubt=0", 2000).watch(state).odds(card_of(0))
    assert agrees(odds, {0: 1.0, 2: 1.0}, 2000)


def test_a_search_begins_where_the_belief_says() -> None:
    """A Queen that calls a bet wins with the believed probability that a Jack has bet."""
    table = load("kuhn-poker").table(2)
    start = poker(table, {0: 1, 1: 2})
    states = [replayed(start, ["check", "bet"][:n]) for n in range(3)]
    exact = {card: softmax_of(table, card, ["check"], "bet", 0.1) for card in (0, 2)}
    agent = make_agent(
        "pimc:determinizations=3000,belief=actions,particles=2000,by=place,temperature=0.1,doubt=0"
        ",opponent_calls=20000"
    )
    seat = AgentSeat(agent, table, 0)
    seat.begin(1)
    advice = np.zeros(1, ADVICE)
    seat.binding.record["advice"] = advice.ctypes.data
    for state in states:
        seat.watch(state)
    legal = states[-1].legal_actions()
    seat.decide(states[-1], legal)
    call = next(a for a in legal if "call" in states[-1].action_words(a))
    items = advice["items"][0, : len(legal)]
    value = float(items["value"][items["action"] == call][0])
    chance = exact[0] / sum(exact.values())
    assert abs(chance - 0.5) > 0.1
    assert value == pytest.approx(chance, abs=0.06)

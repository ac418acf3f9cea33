"""Hidden information in Exploding Kittens: the deck, and the cards in hands."""

from __future__ import annotations

import itertools
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.library.exploding_kittens_table import (
    ATTACK,
    DEFUSE,
    FAVOR,
    FUTURE,
    KITTEN,
    MELON,
    NOPE,
    SHUFFLE,
    SKIP,
    TACO,
    arrange,
    compiled_game,
    hand,
    knowers,
    play,
    seen,
    whole_deck,
)
from tests.players.asking import ask

import kibitz
from kibitz.checks.swaps import accepts
from kibitz.core.actions import kind, operand
from kibitz.core.agent import make_agent
from kibitz.core.state import State
from kibitz.library.explodingkittens.deck import (
    deck_size,
    draw_top_card,
    fill_peek,
    peek_at_top,
    put_kitten,
)
from kibitz.library.explodingkittens.phases import Phase
from kibitz.library.explodingkittens.pile import MOST_PEEKS
from kibitz.library.explodingkittens.table import Move
from kibitz.sessions.recording import replay

CALM = (TACO, MELON)
Deal = tuple[tuple[int, ...], ...]
"""The deck from below, then each hand in order."""


def deal_of(state: State) -> Deal:
    hands = (tuple(hand(state, p)) for p in range(state.players))
    return (tuple(whole_deck(state)), *hands)


# --- the deck, against all that can be ----------------------------------------------------


@dataclass
class World:
    """A deck of real cards, and what has become of them."""

    deck: list[int]
    hands: list[list[int]] = field(default_factory=lambda: [[], [], []])

    def copy(self) -> World:
        return World(list(self.deck), [list(h) for h in self.hands])


class Story:
    """A random story of draws, peeks and kittens put back, told to the rules and to a world."""

    def __init__(self, seed: int, plain: int, kittens: int) -> None:
        self.rng = random.Random(seed)
        self.tokens = [*range(plain), *(KITTEN + i for i in range(kittens))]
        order = self.rng.sample(self.tokens, len(self.tokens))
        self.state = arrange(compiled_game(), (), (), (), deck=order)
        self.world = World(list(order))
        self.events: list[tuple[str, int, Any]] = []

    def step(self) -> None:
        """Something happens; both must agree on it."""
        view, world = self.state.view, self.world
        player = self.rng.randrange(3)
        if self.rng.random() < 0.4:
            peek_at_top(view, player, 3)
            self.events.append(("look", player, world.deck[:-4:-1]))
        elif world.deck:
            card = world.deck.pop()
            kitten = draw_top_card(view, player)
            assert kitten == (card - KITTEN if card >= KITTEN else -1)
            self.events.append(("draw", player, card))
            if card < KITTEN:
                world.hands[player].append(card)
            elif self.rng.random() < 0.85:
                above = self.rng.randrange(min(4, len(world.deck)) + 1)
                put_kitten(view, kitten, deck_size(view) - above, 1 << player)
                world.deck.insert(len(world.deck) - above, card)
                self.events.append(("put", player, (card, above)))
        assert whole_deck(self.state) == world.deck

    def believed(self, player: int) -> Counter[Deal]:
        """All deals that are possible for a player, with the number of orders that give each."""
        worlds = [World(list(order)) for order in itertools.permutations(self.tokens)]
        for event in self.events:
            worlds = [w for before in worlds for w in follow(before, player, event)]
        return Counter((tuple(w.deck), *(tuple(sorted(h)) for h in w.hands)) for w in worlds)


def follow(world: World, observer: int, event: tuple[str, int, Any]) -> Iterator[World]:
    """The worlds into which a world may have turned, for all that `observer` could see."""
    event_kind, player, detail = event
    mine = player == observer
    if event_kind == "look":
        if not mine or world.deck[:-4:-1] == detail:
            yield world
    elif event_kind == "draw":
        card = world.deck[-1]
        if card == detail or (not mine and max(card, detail) < KITTEN):
            world.deck.pop()
            if card < KITTEN:
                world.hands[player].append(card)
            yield world
    else:
        kitten, above = detail
        for place in range(len(world.deck) + 1):
            if not mine or place == above:
                after = world.copy()
                after.deck.insert(len(after.deck) - place, kitten)
                yield after


@pytest.mark.parametrize(("plain", "kittens"), [(3, 2), (4, 1), (2, 3)])
def test_samples_of_the_deck_are_all_that_can_be_each_as_often_as_it_is(
    plain: int, kittens: int
) -> None:
    compared = 0
    for seed in range(35):
        story = Story(seed, plain, kittens)
        for _ in range(6):
            story.step()
        for player in range(3):
            believed = story.believed(player)
            total = sum(believed.values())
            assert deal_of(story.state) in believed
            number = min(1500, 12 * len(believed))
            sampled = Counter(deal_of(story.state.determinize(player, s)) for s in range(number))
            assert set(sampled) <= set(believed), (seed, player)
            if number < 1500:
                compared += 1
                error = sum(
                    (sampled[deal] - number * weight / total) ** 2 / (number * weight / total)
                    for deal, weight in believed.items()
                )
                freedom = len(believed) - 1
                assert error < freedom + 6 * (2 * freedom + 1) ** 0.5 + 6, (seed, player)
    assert compared > 30


def test_a_look_shows_what_is_still_there_of_it() -> None:
    for seed in range(150):
        story = Story(seed, 7, 3)
        memories: list[tuple[int, list[int]]] = []
        for _ in range(14):
            before = len(story.events)
            story.step()
            for event_kind, player, detail in story.events[before:]:
                if event_kind == "look":
                    memories.append((player, list(detail)))
                elif event_kind == "draw":
                    for _, memory in memories:
                        if detail in memory:
                            memory.remove(detail)
        for player in range(3):
            rows = seen(story.state, player)
            mine = [memory for owner, memory in memories if owner == player and memory]
            assert all(row in mine for row in rows)
            # none is forgotten that shows anything that no other one shows
            assert all(any(set(m) <= set(row) for row in rows) for m in mine)


def test_who_had_seen_a_card_knows_it_in_the_hand_of_who_draws_it() -> None:
    state = arrange(compiled_game(), (FUTURE,), CALM, CALM, deck=(SKIP, KITTEN, FAVOR, SHUFFLE))
    play(state, "play See the Future", "draw a card", "draw a card")
    assert hand(state, 1) == [FAVOR, TACO, MELON]
    assert knowers(state, 1, 2) == [0, 1]
    assert knowers(state, 0, 0) == [0]
    assert seen(state, 0) == [[KITTEN]]


def test_a_kitten_put_back_may_lie_between_the_cards_that_were_seen() -> None:
    deck = (SKIP, SKIP, SKIP, ATTACK, FAVOR, KITTEN)
    state = arrange(compiled_game(), (FUTURE, SKIP), (DEFUSE,), CALM, deck=deck)
    play(state, "play See the Future", "play Skip")
    play(state, "draw a card", "defuse the kitten", "put the kitten back below 1 card")
    tops = {
        tuple(card if card in (ATTACK, FAVOR, KITTEN) else -1 for card in order[-3:])
        for order in (whole_deck(state.determinize(0, seed)) for seed in range(300))
    }
    assert tops == {
        (ATTACK, FAVOR, KITTEN),
        (ATTACK, KITTEN, FAVOR),
        (KITTEN, ATTACK, FAVOR),
        (-1, ATTACK, FAVOR),
    }
    own = {tuple(whole_deck(state.determinize(1, seed)))[4] for seed in range(50)}
    assert own == {KITTEN}
    stranger = {whole_deck(state.determinize(2, seed)).index(KITTEN) for seed in range(300)}
    assert stranger == set(range(6))


def test_a_shuffle_makes_everyone_forget() -> None:
    state = arrange(
        compiled_game(), (DEFUSE,), (FUTURE, SHUFFLE), deck=(*[ATTACK] * 5, FAVOR, KITTEN)
    )
    play(state, "draw a card", "defuse the kitten", "put the kitten back below 1 card")
    play(state, "play See the Future", "play Shuffle")
    assert seen(state, 1) == []
    for player in range(2):
        places = {whole_deck(state.determinize(player, seed)).index(KITTEN) for seed in range(200)}
        assert places == set(range(7))


def test_a_look_that_shows_the_same_again_takes_no_room() -> None:
    state = arrange(compiled_game(), (FUTURE,) * 12, CALM)
    for _ in range(12):
        play(state, "play See the Future")
    assert state.view.peeks.count == 1


def test_there_is_room_for_peeks_without_end() -> None:
    state = arrange(compiled_game(), (), (), (), deck=(*[SKIP] * 8, KITTEN))
    for _ in range(3 * MOST_PEEKS):
        peek_at_top(state.view, 1, 3)
        kitten = draw_top_card(state.view, 0)
        assert kitten == 0
        put_kitten(state.view, kitten, deck_size(state.view), 1)
    assert state.view.peeks.count <= MOST_PEEKS


# --- hands --------------------------------------------------------------------------------


def test_nobody_but_the_two_knows_what_was_given_or_stolen() -> None:
    state = arrange(compiled_game(), (FAVOR, TACO, TACO), (DEFUSE, SKIP), CALM)
    play(state, "play Favor on player 2", "give Skip")
    assert knowers(state, 0, 2) == [0, 1]
    play(state, "steal from player 2 with two Tacocat")
    assert knowers(state, 0, 1) == [0, 1]
    held = {tuple(hand(state.determinize(2, seed), 0)) for seed in range(100)}
    assert held == {(DEFUSE, SKIP), (SKIP, SKIP)}


def test_a_third_player_is_no_longer_sure_of_a_hand_that_gave_a_card() -> None:
    deck = (SKIP, KITTEN, KITTEN + 1, SHUFFLE, ATTACK)
    state = arrange(compiled_game(), (FUTURE,), CALM, (FAVOR,), deck=deck)
    play(state, "play See the Future", "draw a card", "draw a card")
    assert knowers(state, 1, 2) == [0, 1]
    play(state, "play Favor on player 2", "give Tacocat")
    assert knowers(state, 1, 1) == [1]


def test_of_copies_that_are_alike_nobody_else_knows_which_one_was_played() -> None:
    deck = (KITTEN, KITTEN + 1, TACO, TACO, SKIP, FAVOR)
    state = arrange(compiled_game(), (FUTURE,), (SKIP,), CALM, deck=deck)
    play(state, "play See the Future", *["draw a card"] * 4)
    assert hand(state, 1) == [SKIP, SKIP]
    assert knowers(state, 1, 1) == [0, 1]
    play(state, "play Skip")
    assert hand(state, 1) == [SKIP]
    assert knowers(state, 1, 0) == [1]


def test_who_gets_a_copy_is_not_sure_that_there_is_another_one() -> None:
    deck = (KITTEN, KITTEN + 1, TACO, TACO, SKIP, SHUFFLE)
    state = arrange(compiled_game(), (FUTURE, FAVOR), (SKIP, MELON), CALM, deck=deck)
    play(state, "play See the Future", "draw a card", "draw a card", "draw a card")
    assert sorted(knowers(state, 1, i) for i in range(3)) == [[0, 1], [1], [1]]
    play(state, "play Favor on player 2", "give Skip")
    assert hand(state, 1) == [SKIP, MELON]
    assert [knowers(state, 1, i) for i in range(2)] == [[1], [1]]


def test_asking_in_vain_limits_a_hand_until_cards_come_to_it() -> None:
    mine = (TACO, TACO, TACO)
    deck = (KITTEN, SKIP, NOPE, NOPE, NOPE, NOPE, SHUFFLE)
    state = arrange(compiled_game(), mine, (MELON, MELON, MELON), CALM, deck=deck)
    play(state, "ask player 2 for a card with three Tacocat", "name Nope")
    for seed in range(40):
        assert NOPE not in hand(state.determinize(0, seed), 1)
    play(state, "draw a card", "draw a card")
    nopes = {hand(state.determinize(0, seed), 1).count(NOPE) for seed in range(80)}
    assert nopes == {0, 1}
    play(state, "draw a card", "draw a card")
    state.apply("draw a card")


def test_in_a_large_pack_a_limited_card_is_as_likely_as_any() -> None:
    """One card of a hand that had no Nope can be one: 2 of the 29 that are left for it are."""
    deck = (KITTEN, NOPE, NOPE, *[SKIP] * 28)
    state = arrange(compiled_game(), (TACO, TACO, TACO), (MELON, MELON, MELON), deck=deck)
    play(state, "ask player 2 for a card with three Tacocat", "name Nope")
    play(state, "draw a card", "draw a card")
    assert len(hand(state, 1)) == 4
    nopes = Counter(hand(state.determinize(0, seed), 1).count(NOPE) for seed in range(6000))
    assert sorted(nopes) == [0, 1]
    assert nopes[1] == pytest.approx(6000 * 2 / 29, rel=0.2)  # more than four standard deviations


def test_a_player_who_can_defuse_has_a_defuse() -> None:
    state = arrange(compiled_game(), (DEFUSE, *CALM), CALM, CALM, deck=(*[SKIP] * 9, KITTEN))
    play(state, "draw a card")
    assert state.view.phase == Phase.DEFUSE
    for seed in range(40):
        assert DEFUSE in hand(state.determinize(1, seed), 0)


# --- whole games --------------------------------------------------------------------------


def random_states(games: int, seed: int = 0, **parameters: Any) -> Iterator[State]:
    """Every state of random games, with all numbers of players."""
    rng = random.Random(seed)
    for number in range(games):
        players = 2 + number % 4
        state = compiled_game().new_state(players=players, seed=rng.randrange(10**9), **parameters)
        while not state.is_terminal:
            yield state
            legal = state.legal_actions()
            calm = [a for a in legal if kind(a) != Move.EXPLODE]
            state.apply(rng.choice(calm))


def consistent(state: State) -> bool:
    """Whether all peeks agree with the deck."""
    again = state.clone()
    for i in range(again.view.peeks.count):
        fill_peek(again.view, i)
    return again == state


VARIANTS: list[dict[str, Any]] = [
    {},
    {"combos": "cat-pairs", "ask_holders_only": True, "kittens": 6, "future_cards": 4},
    {"alter_future": True, "forced_defuse": True, "attack": "chosen", "see_the_futures": 6},
]


@pytest.mark.parametrize("parameters", VARIANTS)
def test_samples_keep_what_is_known_and_vary_what_is_not(parameters: dict[str, Any]) -> None:
    varied: dict[str, int] = defaultdict(int)
    states = 0
    for state in random_states(10, **parameters):
        states += 1
        pieces = Counter(card for pile in deal_of(state) for card in pile)
        assert consistent(state)
        for player in range(state.players):
            samples = [state.determinize(player, seed) for seed in (1, 2)]
            mine = bytes(state.observation(player))
            for sample in samples:
                assert bytes(sample.observation(player)) == mine
                assert Counter(card for pile in deal_of(sample) for card in pile) == pieces
                assert all(max(h, default=0) < KITTEN for h in deal_of(sample)[1:])
                assert consistent(sample)
                assert seen(sample, player) == seen(state, player)
            a, b = (deal_of(sample) for sample in samples)
            varied["deck"] += a[0] != b[0]
            varied["hands"] += a[1:] != b[1:]
            varied["all"] += 1
    assert states > 450
    assert min(varied["deck"], varied["hands"]) > 0.8 * varied["all"]


def test_what_is_done_in_secret_looks_the_same_wherever_a_card_went() -> None:
    """One who cannot tell two states apart cannot do so after a secret action either."""
    compared: Counter[int] = Counter()
    quiet = {ATTACK, SKIP, SHUFFLE, FUTURE}
    for state in random_states(60, seed=5):
        player = state.current_player
        stack = state.view.reactions
        if state.view.phase == Phase.PLACE:
            actions = state.legal_actions()
        elif state.view.phase == Phase.NOPE:
            pending = stack.data[stack.depth - 1][0]
            if kind(pending) != Move.PLAY or operand(pending, 0) not in quiet:
                continue
            actions = [next(a for a in state.legal_actions() if kind(a) == Move.PASS)]
        else:
            continue
        for observer in range(state.players):
            if observer == player or (
                state.view.phase == Phase.NOPE and observer == state.view.turn_owner
            ):
                continue
            views = set()
            for action in actions:
                for other in (state, state.determinize(observer, 3)):
                    after = other.clone()
                    after.apply(action)
                    views.add(bytes(after.observation(observer)))
            compared[state.view.phase] += 1
            assert len(views) == 1
    assert compared[Phase.PLACE] > 20
    assert compared[Phase.NOPE] > 400


def test_the_same_holds_where_searching_agents_come_to() -> None:
    table = compiled_game().table(3)
    record = kibitz.record(
        table, [make_agent("ismcts:iterations=60,rollout_length=10")] * 3, seed=4
    )
    for number, state in enumerate(replay(record)):
        for player in range(3):
            sample = state.determinize(player, number)
            assert bytes(sample.observation(player)) == bytes(state.observation(player))
            assert consistent(sample)
            assert accepts(sample, player)


@pytest.mark.parametrize("trees", ["single", "many"])
def test_a_choice_ignores_what_is_hidden(trees: str) -> None:
    agent = make_agent(f"ismcts:iterations=30,rollout_length=10,trees={trees}")
    differed = 0
    for number, state in enumerate(random_states(3, seed=8)):
        if len(state.legal_actions()) > 1:
            other = state.determinize(state.current_player, 100 + number)
            differed += other != state
            assert ask(agent, other, seed=number) == ask(agent, state, seed=number)
    assert differed > 50

"""``State``: playing, errors, copying, comparing, observing, showing, saving."""

from __future__ import annotations

import base64
import copy
import enum
import functools
import gc
import itertools
import json
import pickle
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.components import (
    CardSet,
    CardType,
    Counter,
    Deck,
    clear_deck,
    count_card,
    draw_card,
    end_turn,
    find_card,
    move_card,
    put_card,
    shuffle_deck,
)
from kibitz.core import registry
from kibitz.core.actions import MAX_ACTIONS, Action, ActionKinds, ActionList, add, operand, pack
from kibitz.core.errors import (
    DeadEndError,
    FileError,
    FullBufferError,
    GameDefinitionError,
    IllegalActionError,
    LimitError,
    ParameterError,
    PlayError,
    RulesError,
    UnknownNameError,
)
from kibitz.core.game import Game
from kibitz.core.layout import GameState, Visibility, per_player
from kibitz.core.parameters import GameParameters, Tunable
from kibitz.core.results import fail, finish_by_score
from kibitz.core.state import State, components_in_play, count_pieces, hidden_share
from kibitz.core.status import Status

CARDS = CardSet("fruit", [CardType("Apple", 4), CardType("Plum", 4), CardType("Fig", 3)])
HAND = 2


class Fault(enum.IntEnum):
    """A fault that happens once three cards have been played."""

    NONE = 0
    DEAD_END = 1
    MANY_ACTIONS = 2
    FULL_DECK = 3
    FAIL = 4
    FAIL_LISTING = 5
    ENDLESS = 6
    FAIL_SETUP = 7


class Move(ActionKinds):
    PLAY = Action("play {card}", card=CARDS)
    PASS = Action("pass {number}", number=range(2048))


class Parameters(GameParameters):
    fault = Tunable(Fault.NONE, doc="what goes wrong")
    bonus = Tunable(0.5, (0.0, 1.0), "for those who play Figs")


class Table(GameState):
    deck = Deck(CARDS)
    hands = per_player(Deck(CARDS, Visibility.OWNER, capacity=HAND + 1))
    pile = Deck(CARDS, Visibility.EVERYONE)
    small = Deck(CARDS, Visibility.EVERYONE, capacity=1)
    clock = Counter(0, 100)


class Fruit(Game):
    """Everyone plays cards until the deck is empty; Figs are worth two, Plums one."""

    name = "fruit-of-a-test"
    title = "Fruit"
    players = (2, 3)
    max_ticks = 30
    Parameters = Parameters
    State = Table
    Actions = Move

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        for _ in range(4):
            put_card(state, state.deck, 0)
            put_card(state, state.deck, 1)
        for _ in range(3):
            put_card(state, state.deck, 2)
        shuffle_deck(state, state.deck)
        for p in range(state.players):
            for _ in range(HAND):
                draw_card(state, state.deck, state.hands[p])
        if params.fault == Fault.FAIL_SETUP:
            fail(state)

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: ActionList) -> None:
        if state.pile.count >= 3:
            if params.fault == Fault.DEAD_END:
                return
            if params.fault == Fault.MANY_ACTIONS:
                for i in range(MAX_ACTIONS + 1):
                    add(actions, pack(Move.PASS, i & 2047))
            if params.fault == Fault.FAIL_LISTING:
                fail(state)
                return
        for card in range(3):
            if count_card(state.hands[state.player], card) > 0:
                add(actions, pack(Move.PLAY, card))
        if params.fault == Fault.ENDLESS:
            add(actions, pack(Move.PASS, 0))

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        if action & 255 == Move.PASS:
            return
        card = operand(action, 0)
        hand = state.hands[state.player]
        move_card(state, hand, find_card(hand, card), state.pile)
        state.seat[state.player].score += card * (1.0 + params.bonus)
        state.clock.value += 1
        if state.pile.count >= 3:
            if params.fault == Fault.FULL_DECK:
                put_card(state, state.small, 0)
                put_card(state, state.small, 1)
                clear_deck(state.small)
            if params.fault == Fault.FAIL:
                fail(state)
        if state.deck.count == 0:
            finish_by_score(state)
        else:
            draw_card(state, state.deck, hand)
            end_turn(state)


@pytest.fixture(scope="module", params=[True, False], ids=["compiled", "uncompiled"])
def game(request: pytest.FixtureRequest) -> Fruit:
    return Fruit(compiled=request.param)


@pytest.fixture(scope="module")
def slow_game() -> Fruit:
    return Fruit(compiled=False)


@pytest.fixture
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_added", {Fruit.name: Fruit})


def play_until_trouble(state: State) -> PlayError:
    """Plays until something is raised."""
    with pytest.raises(PlayError) as caught:
        play(state, 100)
    return caught.value


def play(state: State, moves: int, seed: int = 0) -> State:
    """Plays at most `moves` random actions."""
    rng = random.Random(seed)
    for _ in range(moves):
        if not state.is_terminal:
            state.apply(rng.choice(state.legal_actions()))
    return state


# --- playing ------------------------------------------------------------------------------


def test_a_new_state_is_at_its_beginning(game: Fruit) -> None:
    state = game.new_state(players=3, seed=5)
    assert state.players == 3
    assert state.current_player == 0
    assert state.status == Status.PLAYING
    assert not state.is_terminal
    assert state.tick == 0
    assert state.seed == 5
    assert state.table.game is game
    assert state.returns() == state.scores() == [0.0, 0.0, 0.0]
    assert state.places() == [0, 0, 0]


def test_a_game_is_played_to_its_end(game: Fruit) -> None:
    state = game.new_state(players=2, seed=1)
    moves = 0
    while not state.is_terminal:
        player = state.current_player
        state.apply(state.legal_actions()[-1])
        moves += 1
        assert state.tick == moves
        assert state.is_terminal or state.current_player == 1 - player
    assert moves == CARDS.total - 2 * HAND + 1
    assert state.status == Status.FINISHED
    assert state.legal_actions() == []
    assert sum(state.returns()) == pytest.approx(0.0)
    assert min(state.places()) == 1


def test_the_same_seed_and_actions_give_the_same_game_compiled_and_uncompiled() -> None:
    games = [Fruit(compiled=True), Fruit(compiled=False)]
    for seed in range(5):
        states = [game.new_state(players=2 + seed % 2, seed=seed, bonus=0.25) for game in games]
        rng = random.Random(seed)
        while not states[0].is_terminal:
            legal = states[0].legal_actions()
            assert legal == states[1].legal_actions()
            action = rng.choice(legal)
            for state in states:
                state.apply(action)
            assert bytes(states[0]) == bytes(states[1])
            assert states[0] == states[1]
            for p in range(states[0].players):
                assert states[0].heuristic(p) == states[1].heuristic(p)
                assert states[0].determinize(p, 3) == states[1].determinize(p, 3)


def test_different_seeds_give_different_games(slow_game: Fruit) -> None:
    starts = {tuple(slow_game.new_state(seed=s).view.deck.cards) for s in range(20)}
    assert len(starts) > 15


@pytest.mark.parametrize("seed", [0, 2**62, 2**63 - 1, -1])
def test_any_64_bit_seed_serves(slow_game: Fruit, seed: int) -> None:
    assert slow_game.new_state(seed=seed) == slow_game.new_state(seed=seed)


def test_actions_may_be_given_in_words(game: Fruit) -> None:
    state = game.new_state(seed=1)
    other = state.clone()
    action = state.legal_actions()[0]
    state.apply(action)
    other.apply(other.action_words(action).upper())
    assert state == other


# --- errors -------------------------------------------------------------------------------


def test_an_illegal_action_is_refused_with_the_legal_ones_and_changes_nothing(
    game: Fruit,
) -> None:
    state = game.new_state(seed=1)
    before = bytes(state)
    illegal = pack(Move.PASS, 5)
    with pytest.raises(IllegalActionError, match="'pass 5' is not legal") as caught:
        state.apply(illegal)
    for action in state.legal_actions():
        assert state.action_words(action) in str(caught.value)
    assert bytes(state) == before
    assert bytes(caught.value.state) == before
    assert caught.value.state is not state
    assert caught.value.seed == 1


@pytest.mark.parametrize(("size", "named", "more"), [(4, 16, ""), (5, 20, "; and 5 more")])
def test_of_many_legal_actions_twenty_are_named(size: int, named: int, more: str) -> None:
    state = registry.load("tic-tac-toe", compiled=False).table(size=size).new_state(1)
    wordings = "; ".join(map(state.action_words, state.legal_actions()[:named]))
    with pytest.raises(IllegalActionError) as caught:
        state.apply(255)
    assert str(caught.value).endswith(f" is not legal here; legal: {wordings}{more}.")


def test_an_action_of_no_kind_is_refused(game: Fruit) -> None:
    state = game.new_state(seed=1)
    for action in (255, -1, 2**62):
        with pytest.raises(IllegalActionError, match=f"action {action}|play|pass"):
            state.apply(action)


@pytest.mark.parametrize("action", [2**63, 2**70, -(2**70)])
def test_an_action_of_more_than_64_bits_is_refused_by_its_number(game: Fruit, action: int) -> None:
    for state in (game.new_state(seed=1), play(game.new_state(seed=1), 100)):
        with pytest.raises(IllegalActionError, match=f"'action {action}' is not legal"):
            state.apply(action)


def test_an_action_with_a_bit_too_many_is_refused_by_its_number(game: Fruit) -> None:
    """In words it would look like one that is legal."""
    state = game.new_state(seed=1)
    action = state.legal_actions()[0] | 1 << 62
    with pytest.raises(IllegalActionError, match=f"'action {action}' is not legal"):
        state.apply(action)


@pytest.mark.parametrize("action", [None, float("nan"), 1.5, [0]])
def test_what_is_no_number_is_no_action(game: Fruit, action: Any) -> None:
    state = game.new_state(seed=1)
    with pytest.raises(IllegalActionError, match=r"a whole number, or words; .* is neither"):
        state.apply(action)
    state.apply(np.int32(state.legal_actions()[0]))  # type: ignore[arg-type]


def test_words_that_describe_no_action_are_refused_with_the_legal_ones(game: Fruit) -> None:
    state = game.new_state(seed=1)
    with pytest.raises(UnknownNameError, match=r"'play Melon' is not an action.*play "):
        state.apply("play Melon")


def test_nothing_is_legal_once_the_game_is_over(game: Fruit) -> None:
    state = play(game.new_state(seed=1), 100)
    with pytest.raises(IllegalActionError, match="the game is over"):
        state.apply(pack(Move.PLAY, 0))
    with pytest.raises(UnknownNameError, match=r"not an action of this game\. The game is over\."):
        state.apply("play Melon")


@pytest.mark.parametrize(
    ("fault", "kind", "status"),
    [
        ("dead-end", DeadEndError, Status.DEAD_END),
        ("many-actions", FullBufferError, Status.FULL_BUFFER),
        ("full-deck", FullBufferError, Status.FULL_BUFFER),
        ("fail", RulesError, Status.RULES_ERROR),
        ("fail-listing", RulesError, Status.RULES_ERROR),
    ],
)
def test_a_game_that_cannot_go_on_says_why_and_how_to_repeat_it(
    game: Fruit, fault: str, kind: type[PlayError], status: Status
) -> None:
    state = game.new_state(players=2, seed=77, fault=fault)
    error = play_until_trouble(state)
    assert type(error) is kind
    assert state.status == status
    assert error.seed == 77
    assert error.state == state
    assert error.state is not state
    assert "after 3 actions" in str(error)
    assert "77" not in str(error)  # who plays is not to know the seed
    assert error.__notes__ == ["The game was set up from seed 77."]
    assert game.name in str(error)
    assert state.is_terminal
    assert state.legal_actions() == []
    assert state.returns() == [0.0, 0.0]


def test_a_game_without_end_is_broken_off_at_its_limit(game: Fruit) -> None:
    state = game.new_state(seed=3, fault="endless")
    for _ in range(Fruit.max_ticks - 1):
        state.apply("pass 0")
    assert not state.is_terminal
    with pytest.raises(LimitError, match="after 30 actions"):
        state.apply("pass 0")
    assert state.status == Status.LIMIT
    assert state.tick == 30


def test_a_game_that_ends_with_its_last_allowed_action_is_not_broken_off(
    game: Fruit, monkeypatch: pytest.MonkeyPatch
) -> None:
    moves = CARDS.total - 2 * HAND + 1
    monkeypatch.setattr(Fruit, "max_ticks", moves)
    state = play(Fruit(compiled=game.compiled).new_state(seed=1), moves)
    assert state.status == Status.FINISHED


def test_a_setup_that_fails_is_reported(game: Fruit) -> None:
    with pytest.raises(RulesError, match="after 0 actions") as it:
        game.new_state(seed=8, fault="fail-setup")
    assert it.value.seed == 8
    assert "8" not in str(it.value)  # players may read it, and none is to know the seed
    assert it.value.__notes__ == ["The game was set up from seed 8."]


@pytest.mark.parametrize("where", ["setup", "legal_actions", "apply_action", "heuristic"])
def test_an_exception_in_uncompiled_rules_reaches_the_caller(where: str) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("in the rules")

    broken_game: Any = type("Broken", (Fruit,), {where: staticmethod(broken)})
    with pytest.raises(ZeroDivisionError, match="in the rules"):
        use_every_rule(broken_game(compiled=False))


def use_every_rule(game: Game) -> None:
    state = game.new_state(seed=1)
    state.heuristic(0)
    state.apply(state.legal_actions()[0])


def test_an_exception_is_raised_once_only() -> None:
    failures = [ValueError("once")]

    class Hesitant(Fruit):
        @staticmethod
        def heuristic(state: Any, params: Any, player: int) -> float:
            if failures:
                raise failures.pop()
            return 0.25

    state = Hesitant(compiled=False).new_state(seed=1)
    copied = state.clone()
    with pytest.raises(ValueError, match="once"):
        state.heuristic(0)
    assert copied.determinize(0).heuristic(1) == 0.25


@pytest.mark.usefixtures("_registered")
def test_play_errors_travel_between_processes(slow_game: Fruit) -> None:
    error = play_until_trouble(slow_game.new_state(seed=4, fault="fail"))
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is RulesError
    assert str(again) == str(error)
    assert again.seed == 4
    assert again.state == error.state


# --- copies, equality, bytes --------------------------------------------------------------


def test_a_clone_is_equal_and_independent(game: Fruit) -> None:
    state = play(game.new_state(players=3, seed=2), 3)
    twin = state.clone()
    before = bytes(state)
    assert twin == state
    assert hash(twin) == hash(state)
    assert twin.seed == state.seed
    play(twin, 3)
    assert bytes(state) == before
    assert twin != state


def test_equal_states_have_equal_futures(game: Fruit) -> None:
    state = play(game.new_state(players=3, seed=2), 2)
    assert play(state.clone(), 100, seed=9) == play(state.clone(), 100, seed=9)


def test_states_differ_by_content_parameters_players_and_game(slow_game: Fruit) -> None:
    class Vegetables(Fruit):
        name = "vegetables-of-a-test"

    state = slow_game.new_state(seed=1)
    assert state == slow_game.new_state(seed=1)
    assert state != slow_game.new_state(seed=2)
    assert state != slow_game.new_state(seed=1, bonus=0.75)
    assert state != slow_game.new_state(seed=1, players=3)
    assert state != Vegetables(compiled=False).new_state(seed=1)
    assert state != bytes(state)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_python_copies_are_clones_also_of_games_that_nobody_registered(
    slow_game: Fruit, copied: Any
) -> None:
    state = slow_game.new_state(seed=1)
    twin = copied(state)
    assert twin == state
    assert twin.table is state.table
    play(twin, 1)
    assert twin != state


def test_bytes_give_the_state_back(game: Fruit) -> None:
    state = play(game.new_state(players=3, seed=6), 4)
    again = State.from_bytes(state.table, bytes(state))
    assert again == state
    assert play(again, 100) == play(state, 100)


@pytest.mark.parametrize("change", [-1, 1])
def test_bytes_of_another_length_are_refused(slow_game: Fruit, change: int) -> None:
    table = slow_game.table(2)
    with pytest.raises(FileError, match=f"has {table.state_size} bytes"):
        State.from_bytes(table, bytes(table.state_size + change))


@pytest.mark.usefixtures("_registered")
def test_pickling_keeps_the_state_its_parameters_and_its_seed(game: Fruit) -> None:
    state = play(game.new_state(players=3, seed=6, bonus=0.125), 4)
    again = pickle.loads(pickle.dumps(state))
    assert again == state
    assert again.seed == 6
    assert again.table.parameters.bonus == 0.125
    assert play(again, 100) == play(state, 100)


def test_a_view_outlives_its_state(slow_game: Fruit) -> None:
    view = slow_game.new_state(seed=1).view
    views = dict(components_in_play(slow_game.new_state(seed=1)))
    cards = list(view.deck.cards)
    gc.collect()
    others = [slow_game.new_state(seed=seed) for seed in range(2, 30)]
    assert list(view.deck.cards) == cards
    deck = next(v for i, v in ((i, v) for i, v in views.items()) if i.path == "deck")
    assert list(deck.cards) == cards
    assert len(others) == 28


# --- JSON ---------------------------------------------------------------------------------


@given(st.integers(0, 50), st.integers(0, 9), st.sampled_from([2, 3]))
def test_json_gives_the_state_back(seed: int, moves: int, players: int) -> None:
    state = play(Fruit(compiled=False).new_state(players=players, seed=seed, bonus=0.2), moves)
    document = json.dumps(state.to_json(), allow_nan=False)
    assert State.from_json(state.table, document) == state
    assert State.from_json(state.table, json.loads(document)) == state


def test_json_is_readable(slow_game: Fruit) -> None:
    state = slow_game.new_state(players=2, seed=1)
    state.apply(state.legal_actions()[0])
    document = state.to_json()
    assert document["game"] == "fruit-of-a-test"
    assert document["parameters"] == {"fault": "none", "bonus": 0.5}
    assert document["status"] == "playing"
    assert document["player"] == 1
    assert document["tick"] == 1
    played = state.view.pile.cards[0]
    assert document["components"]["pile"] == [CARDS.word(played)]
    assert set(document["components"]) == {
        *("deck", "hands[0]", "hands[1]", "pile", "small", "clock")
    }


def test_json_of_what_a_player_sees_holds_nothing_hidden(slow_game: Fruit) -> None:
    document = slow_game.new_state(seed=1).observation(0).to_json()
    components = document["components"]
    assert components["deck"] == [None] * (CARDS.total - 2 * HAND)
    assert components["hands[1]"] == [None] * HAND
    assert None not in components["hands[0]"]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"game": "chess"}, "has game chess"),
        ({"players": 3}, "has players 3"),
        ({"parameters": {"fault": "none", "bonus": 0.25}}, "has parameters"),
        ({"bytes": "no base 64!"}, "needs game"),
        ({"bytes": 5}, "needs game"),
        ({"bytes": ""}, "bytes, not 0"),
    ],
)
def test_json_of_something_else_is_refused(
    slow_game: Fruit, change: dict[str, Any], complaint: str
) -> None:
    state = slow_game.new_state(players=2, seed=1)
    with pytest.raises(FileError, match=complaint):
        State.from_json(state.table, state.to_json() | change)


@pytest.mark.parametrize("document", ["", "{", "[]", "3", "null", "{}", "[" * 100_000])
def test_text_that_holds_no_state_is_refused(slow_game: Fruit, document: str) -> None:
    with pytest.raises(FileError):
        State.from_json(slow_game.table(2), document)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("status", 99),
        ("player", 2),
        ("player", -1),
        ("players", 3),
        ("turn_owner", 7),
        ("first_player", -3),
        ("direction", 0),
        ("deck.count", 12),
        ("deck.count", -1),
        ("deck.cards[0]", 3),
        ("deck.cards[10]", 1),
        ("hands[1].count", 30_000),
        ("clock.value", 101),
    ],
)
def test_damaged_bytes_are_refused_before_rules_get_to_see_them(
    slow_game: Fruit, path: str, value: int
) -> None:
    state = slow_game.new_state(players=2, seed=1)
    document = state.to_json()
    exec(f"view.{path} = {value}", {"view": state.view})
    document["bytes"] = base64.b64encode(bytes(state)).decode()
    with pytest.raises(FileError, match="damaged: "):
        State.from_json(state.table, document)


# --- observing ----------------------------------------------------------------------------


def cards_of(deck: Any) -> list[int]:
    return list(itertools.islice(deck.cards, deck.count))


@given(st.integers(0, 30), st.integers(0, 6), st.integers(0, 2), st.integers(0, 2**62))
def test_an_observation_keeps_what_is_seen_and_how_much_is_hidden(
    seed: int, moves: int, player: int, sample: int
) -> None:
    state = play(Fruit(compiled=False).new_state(players=3, seed=seed), moves)
    sampled = state.determinize(player, sample)
    assert bytes(sampled.observation(player)) == bytes(state.observation(player))
    assert list(sampled.view.rng) != list(state.view.rng)
    assert sampled.seed is None
    all_cards = [
        sorted(c for deck in (s.view.deck, s.view.pile, *s.view.hands) for c in cards_of(deck))
        for s in (state, sampled)
    ]
    assert all_cards[0] == all_cards[1]


@given(st.integers(0, 30), st.integers(0, 6), st.integers(0, 2))
def test_an_observation_never_depends_on_the_truth(seed: int, moves: int, player: int) -> None:
    state = play(Fruit(compiled=False).new_state(players=3, seed=seed), moves)
    for other in range(3):
        disguised = state.determinize(player, other)
        assert disguised.determinize(player, 99) == state.determinize(player, 99)


def test_observations_vary(game: Fruit) -> None:
    state = game.new_state(players=2, seed=1)
    hands = {tuple(state.determinize(0, s).view.hands[1].cards) for s in range(60)}
    assert len(hands) >= 6  # of the nine that there can be
    streams = {tuple(state.determinize(0, s).view.rng) for s in range(60)}
    assert len(streams) == 60


def test_the_true_cards_are_sampled_no_more_often_than_they_should_be(game: Fruit) -> None:
    # player 1 sees two cards; each of the nine others is equally likely to be the top one
    state = game.new_state(players=2, seed=1)
    mine = cards_of(state.view.hands[0])
    unseen = [4 - mine.count(0), 4 - mine.count(1), 3 - mine.count(2)]
    samples = 900
    tops = [cards_of(state.determinize(0, s).view.deck)[-1] for s in range(samples)]
    for card in range(3):
        expected = unseen[card] / 9
        spread = (expected * (1 - expected) / samples) ** 0.5
        assert abs(tops.count(card) / samples - expected) < 4.5 * spread


def test_an_observation_lacks_what_the_player_does_not_see(game: Fruit) -> None:
    state = game.new_state(players=3, seed=1)
    masked = state.observation(1).view
    assert cards_of(masked.deck) == [-1] * 5
    assert cards_of(masked.hands[0]) == cards_of(masked.hands[2]) == [-1, -1]
    assert cards_of(masked.hands[1]) == cards_of(state.view.hands[1])
    assert list(masked.rng) == [0, 0, 0, 0]


def test_an_observation_cannot_be_played_on(game: Fruit) -> None:
    state = game.new_state(players=3, seed=1)
    action = state.legal_actions()[0]
    masked = state.observation(1)
    for observed in (masked, masked.clone(), State.from_bytes(state.table, bytes(masked))):
        for play_on in (
            observed.legal_actions,
            lambda observed=observed: observed.apply(action),
            lambda observed=observed: observed.apply(state.action_words(action)),
            lambda observed=observed: observed.determinize(1, 5),
        ):
            with pytest.raises(PlayError, match="for looking at, not for playing"):
                play_on()
        assert "?" in str(observed.observation(0)) or "hidden" in str(observed.observation(0))
    assert play(state, 100).observation(0).legal_actions() == []


def test_the_hidden_share_counts_what_a_player_does_not_see(game: Fruit) -> None:
    state = game.new_state(players=3, seed=1)
    assert count_pieces(state) == CARDS.total + 1  # the clock
    for p in range(3):
        assert hidden_share(state, p) == (CARDS.total - HAND) / (CARDS.total + 1)
    state.apply(state.legal_actions()[0])  # one card is played, one drawn
    assert [hidden_share(state, p) * 12 for p in range(3)] == pytest.approx([8, 8, 8])


@pytest.mark.parametrize("player", [-1, 2, 15])
def test_players_who_are_not_there_are_refused(slow_game: Fruit, player: int) -> None:
    state = slow_game.new_state(players=2, seed=1)
    for ask in (
        *(
            state.determinize,
            state.observation,
            functools.partial(state.table.encoder.encode, state),
            functools.partial(hidden_share, state),
            state.heuristic,
        ),
        state.describe,
    ):
        with pytest.raises(IndexError, match=r"0 \.\. 1"):
            ask(player)


# --- numbers ------------------------------------------------------------------------------


def test_an_observation_as_numbers_is_as_long_in_every_state(slow_game: Fruit) -> None:
    for players in (2, 3):
        state = slow_game.new_state(players=players, seed=3)
        encoder = state.table.encoder
        while not state.is_terminal:
            assert {len(encoder.encode(state, p)) for p in range(players)} == {encoder.size}
            state.apply(state.legal_actions()[0])


def test_seats_are_counted_from_the_observer(slow_game: Fruit) -> None:
    state = slow_game.new_state(players=3, seed=3)
    state.apply(state.legal_actions()[0])  # now it is the second player's turn
    encoder = state.table.encoder
    acts = [encoder.names.index(f"to act: {seat}") for seat in ("me", "+1", "+2")]
    vectors = [encoder.encode(state, p) for p in range(3)]
    assert [vector[acts].tolist() for vector in vectors] == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]


@given(st.integers(0, 20), st.integers(0, 6), st.integers(0, 2), st.integers(0, 9))
def test_the_vector_holds_nothing_hidden(seed: int, moves: int, player: int, sample: int) -> None:
    state = play(Fruit(compiled=False).new_state(players=3, seed=seed), moves)
    encoder = state.table.encoder
    sampled = encoder.encode(state.determinize(player, sample), player)
    assert sampled.tobytes() == encoder.encode(state, player).tobytes()


def test_the_heuristic_is_the_lead_in_score_unless_the_game_has_its_own(game: Fruit) -> None:
    state = game.new_state(players=3, seed=3)
    assert [state.heuristic(p) for p in range(3)] == [0.0, 0.0, 0.0]
    view = state.view
    view.seat[0].score, view.seat[1].score, view.seat[2].score = 4.0, 1.0, 2.0
    values = [state.heuristic(p) for p in range(3)]
    assert values == pytest.approx([2 / 3, -3 / 4, -2 / 3])


def test_the_heuristic_of_a_finished_game_is_its_result(game: Fruit) -> None:
    state = play(game.new_state(players=3, seed=3), 100)
    assert [state.heuristic(p) for p in range(3)] == state.returns()


# --- words --------------------------------------------------------------------------------


def test_a_state_is_shown_as_text(slow_game: Fruit) -> None:
    state = slow_game.new_state(players=2, seed=1)
    text = str(state)
    assert text.startswith("Turn of player 1.")
    assert text == state.describe()
    mine = ", ".join(CARDS.word(card) for card in cards_of(state.view.hands[1]))
    assert f"Player 2: hands: {mine}" in text


def test_what_a_player_is_shown_holds_nothing_hidden(slow_game: Fruit) -> None:
    state = slow_game.new_state(players=2, seed=1)
    text = state.describe(0)
    assert "Player 2: hands: 2 hidden cards" in text
    assert "Deck: 7 hidden cards" in text
    assert "Player 1: hands (you): " in text
    assert state.determinize(0, 5).describe(0) == text


def test_the_end_is_told(slow_game: Fruit) -> None:
    state = play(slow_game.new_state(players=2, seed=1), 100)
    winners = [p + 1 for p in range(2) if state.places()[p] == 1]
    expected = f"Player {winners[0]} has won." if len(winners) == 1 else "A draw."
    assert str(state).startswith(expected)
    broken = slow_game.new_state(players=2, seed=1, fault="full-deck")
    play_until_trouble(broken)
    assert str(broken).startswith("Broken off: full buffer.")


@pytest.mark.parametrize("byte", [b"\x7f", b"\xff"])
def test_bytes_that_are_no_state_are_refused(game: Fruit, byte: bytes) -> None:
    table = game.table(2)
    with pytest.raises(FileError, match="damaged"):
        State.from_bytes(table, byte * table.state_size)


@pytest.mark.parametrize("seed", [2**256, -(2**63) - 1])
def test_a_seed_of_more_than_256_bits_is_refused(game: Fruit, seed: int) -> None:
    with pytest.raises(ParameterError, match="is out of range"):
        game.new_state(seed=seed)


def test_wide_seeds_are_the_same_compiled_and_uncompiled(game: Fruit) -> None:
    seed = 2**128 + 12345
    assert game.new_state(seed=seed) == Fruit(compiled=False).new_state(seed=seed)
    assert game.new_state(seed=seed) != game.new_state(seed=seed + 1)


def test_the_short_form_tells_the_game_and_the_turn(slow_game: Fruit) -> None:
    state = slow_game.new_state(players=2, seed=1)
    state.apply(state.legal_actions()[0])
    assert repr(state) == "<fruit-of-a-test: 2 players, 1 actions played, player 2>"
    assert repr(play(state, 100)) == "<fruit-of-a-test: 2 players, 8 actions played, finished>"


# --- games and tables ---------------------------------------------------------------------


@pytest.mark.parametrize("players", [1, 4, 0, -2])
def test_a_table_of_the_wrong_size_is_refused(slow_game: Fruit, players: int) -> None:
    with pytest.raises(ParameterError, match="2 to 3 players"):
        slow_game.table(players)


def test_a_table_is_made_once_for_the_same_parameters(slow_game: Fruit) -> None:
    assert slow_game.table(2) is slow_game.table() is slow_game.table(2, bonus="0.5")
    assert slow_game.table(2, bonus=0.75) is not slow_game.table(2)
    assert slow_game.table(3) is not slow_game.table(2)


def test_a_fork_is_the_same_table_with_memory_of_its_own(game: Fruit) -> None:
    table = game.table(3, bonus=0.75)
    fork = table.fork()
    assert fork.address != table.address
    assert fork.record["scratch"] != table.record["scratch"]
    assert play(fork.new_state(3), 100) == play(table.new_state(3), 100)


@pytest.mark.parametrize("rule", ["setup", "legal_actions", "apply_action", "Actions"])
def test_a_game_without_a_rule_is_refused(rule: str) -> None:
    rules = {n: vars(Fruit)[n] for n in ("setup", "legal_actions", "apply_action", "Actions")}
    del rules[rule]
    with pytest.raises(GameDefinitionError, match=rule):
        type("Unfinished", (Game,), rules)(compiled=False)


@pytest.mark.parametrize("players", [(0, 2), (3, 2), (2, 16)])
def test_a_game_for_an_impossible_number_of_players_is_refused(players: tuple[int, int]) -> None:
    with pytest.raises(GameDefinitionError, match="players = "):
        type("Crowded", (Fruit,), {"players": players})(compiled=False)


@pytest.mark.parametrize("game", ["love-letter", "whist"])
def test_seats_in_json_are_those_of_the_record(game: str) -> None:
    """The record of a seat is read without a view: none is out because of its side."""
    state, rng = registry.load(game).table(4).new_state(seed=1), random.Random(1)
    eliminations = set()
    while not state.is_terminal:
        for seat, view in zip(state.to_json()["seats"], state.view.seat, strict=False):
            assert (seat["score"], seat["place"]) == (view.score, view.place)
            assert (seat["returns"], seat["out"]) == (view.returns, bool(view.out))
            eliminations.add(seat["out"])
        state.apply(rng.choice(state.legal_actions()))
    assert eliminations == ({False, True} if game == "love-letter" else {False})

"""Colt Express, rule by rule; what everyone can know; and TAG's measures under TAG's rules."""

from __future__ import annotations

import functools
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from papers.tag_rules import TAG_RULES
from tests.library.telling import compare_tellings, logged
from tests.players.asking import ask

from kibitz.components import clear_deck, knows_card, put_card
from kibitz.core.actions import kind, operand
from kibitz.core.agent import make_agent
from kibitz.core.errors import IllegalActionError, ParameterError
from kibitz.core.layout import EVERYONE
from kibitz.core.state import State
from kibitz.library.coltexpress.data import (
    BOX_OF_PURSES,
    CAR_LOOT,
    EVENTS,
    FIRST_JEWEL,
    FIRST_STATION,
    FIRST_STRONGBOX,
    KINDS,
    PURSE_VALUES,
    PURSES,
    ROUND_CARDS,
    SECOND_STRONGBOX,
    SYMBOLS,
    TOKEN_NAMES,
    TOKENS,
    TURNS,
    Card,
    RoundEvent,
    TurnSymbol,
)
from kibitz.library.coltexpress.rules import ColtExpress
from kibitz.library.coltexpress.table import BOX, HELD, MARSHAL, Move, Phase

MOVE, FLOOR, FIRE, ROBBERY, PUNCH, LURE, BULLET = Card
TAG = TAG_RULES["colt-express"]
"""The rules as TAG has them."""


@pytest.fixture(scope="module")
def game() -> ColtExpress:
    return compiled_game()


@functools.cache
def compiled_game() -> ColtExpress:
    return ColtExpress(compiled=True)


# --- arranging ----------------------------------------------------------------------------


def arrange(
    game: ColtExpress, *who: str, players: int = 0, seed: int = 1, **parameters: Any
) -> State:
    """A game with these bandits; all but the $250 that each begins with is in the box."""
    wishes = {f"bandit_{i + 1}": name for i, name in enumerate(who)}
    parameters = {"bandits_each": 1, **wishes, **parameters}
    state = game.new_state(players=players or len(who), seed=seed, **parameters)
    for token in range(len(who), TOKENS):
        if token != FIRST_STRONGBOX:
            state.view.token_at.values[token] = BOX
    return state


def inside(car: int) -> int:
    return 2 * car


def roof(car: int) -> int:
    return 2 * car + 1


def stand(state: State, *places: int) -> None:
    for bandit, place in enumerate(places):
        state.view.where.values[bandit] = place


def deal(state: State, player: int, *cards: tuple[int, int]) -> None:
    """Gives a player exactly these cards, as bandit and kind, whatever the deck holds."""
    fill(state, state.view.hands[player], [bandit * KINDS + kind for bandit, kind in cards])


def fill(state: State, deck: Any, cards: Sequence[int]) -> None:
    clear_deck(deck)
    for card in cards:
        put_card(state.view, deck, card)


def turn_over(state: State, *cards: tuple[int, int]) -> None:
    """The stealing phase begins with this pile."""
    view = state.view
    fill(state, view.pile, [bandit * KINDS + kind for bandit, kind in cards])
    view.phase = Phase.STEALING
    view.next_card.value = 0
    for i in range(len(cards)):
        view.pile.seen[i] = EVERYONE
    view.player = view.turn_owner = cards[0][0] % state.players


def play_round(state: State, name: str) -> None:
    """Makes this the round card."""
    names = [card.name for card in ROUND_CARDS]
    state.view.round_card.value = names.index(name)


def end_with(state: State, name: str) -> None:
    """Carries out a card without effect, the last one of a round with this event."""
    play_round(state, name)
    stand(state, *[state.view.where.values[b] for b in range(state.view.bandits.value)])
    turn_over(state, (0, ROBBERY))
    (nothing,) = state.legal_actions()
    assert kind(nothing) == Move.NOTHING
    state.apply(nothing)


def moves(state: State) -> set[str]:
    return {state.action_words(action) for action in state.legal_actions()}


def places(state: State) -> list[int]:
    return [state.view.where.values[b] for b in range(state.view.bandits.value)]


def hits(state: State, bandit: int) -> dict[int, int]:
    """The number of hits on a bandit, by shooter."""
    row = [state.view.hits.values[bandit * 7 + shooter] for shooter in range(7)]
    return {shooter: number for shooter, number in enumerate(row) if number}


def cards(deck: Any) -> list[tuple[int, int]]:
    return [divmod(deck.cards[i], KINDS) for i in range(deck.count)]


def place_token(state: State, token: int, place: int) -> None:
    state.view.token_at.values[token] = place


def holder(state: State, token: int) -> int:
    return int(state.view.token_at.values[token]) - HELD


def knows(state: State, purse: int) -> list[int]:
    return [p for p in range(state.players) if knows_card(state.view.purses, purse, p)]


def random_states(
    players: int, games: int, chance: float = 1.0, **parameters: Any
) -> Iterator[State]:
    """States of random games."""
    return played_states(
        lambda state, rng: rng.choice(state.legal_actions()), players, games, chance, **parameters
    )


def osla_states(
    players: int, games: int, chance: float = 1.0, **parameters: Any
) -> Iterator[State]:
    """States of games of OSLA, who robs more than random players do."""
    osla = make_agent("osla")
    return played_states(
        lambda state, rng: ask(osla, state, rng.randrange(1 << 30)).action,
        players,
        games,
        chance,
        **parameters,
    )


def played_states(
    choose: Callable[[State, random.Random], int],
    players: int,
    games: int,
    chance: float,
    **parameters: Any,
) -> Iterator[State]:
    for seed in range(games):
        rng = random.Random(seed)
        state = compiled_game().new_state(players=players, seed=seed, **parameters)
        while not state.is_terminal:
            if rng.random() < chance:
                yield state
            state.apply(choose(state, rng))
        yield state


# --- setting up ---------------------------------------------------------------------------


@pytest.mark.parametrize("players", range(2, 7))
def test_the_train_has_as_many_cars_as_bandits_and_their_printed_loot(players: int) -> None:
    for seed in range(20):
        view = compiled_game().new_state(players=players, seed=seed).view
        bandits = view.bandits.value
        assert bandits == (4 if players == 2 else players)
        loot: Counter[tuple[int, int]] = Counter()
        for car in range(1, bandits + 1):
            at = [t for t in range(TOKENS) if view.token_at.values[t] == inside(car)]
            purses = sum(token < FIRST_JEWEL for token in at)
            loot[purses, len(at) - purses] += 1
        assert loot <= Counter(map(tuple, CAR_LOOT.tolist()))
        assert view.token_at.values[FIRST_STRONGBOX] == inside(0)
        assert view.token_at.values[SECOND_STRONGBOX] == BOX
        assert view.marshal.value == 0


def test_every_bandit_begins_with_a_purse_of_250_that_everyone_knows() -> None:
    state = compiled_game().new_state(players=5, seed=3)
    for bandit in range(5):
        assert holder(state, bandit) == bandit
        assert PURSE_VALUES[state.view.purses.cards[bandit]] == 250
        assert knows(state, bandit) == [0, 1, 2, 3, 4]


def test_purses_hold_what_is_in_the_box() -> None:
    orders = set()
    for seed in range(5):
        state = compiled_game().new_state(players=4, seed=seed)
        content = [state.view.purses.cards[i] for i in range(FIRST_JEWEL)]
        assert sorted(content) == sorted(BOX_OF_PURSES.tolist())
        assert all(knows(state, purse) == [] for purse in range(4, FIRST_JEWEL))
        orders.add(tuple(content))
    assert len(orders) == 5


@pytest.mark.parametrize("players", range(3, 7))
def test_bandits_begin_in_turns_in_the_caboose_and_the_car_before_it(players: int) -> None:
    state = compiled_game().new_state(players=players, seed=0)
    expected = [inside(players), inside(players - 1)] * 3
    assert places(state) == expected[:players]


def test_bandits_are_dealt_at_random_each_once() -> None:
    dealt: set[tuple[int, int]] = set()
    for seed in range(60):
        view = compiled_game().new_state(players=3, seed=seed).view
        gang = [view.character.values[b] for b in range(3)]
        assert len(set(gang)) == 3
        assert [view.bandit_of.values[c] for c in gang] == [0, 1, 2]
        dealt.update(enumerate(gang))
    assert len(dealt) == 18


def test_bandits_can_be_chosen() -> None:
    for seed in range(10):
        view = compiled_game().new_state(players=3, seed=seed, bandit_2="belle").view
        assert view.character.values[1] == 4
        assert view.character.values[0] != 4 != view.character.values[2]


def test_a_bandit_cannot_be_chosen_twice() -> None:
    with pytest.raises(ParameterError, match="Doc can only be one bandit"):
        compiled_game().new_state(players=3, bandit_1="doc", bandit_3="doc")
    compiled_game().new_state(players=3, bandit_1="doc", bandit_4="doc")  # who does not take part


def test_there_are_only_six_bandits() -> None:
    compiled_game().new_state(players=3, bandits_each=2)
    with pytest.raises(ParameterError, match="more than the six"):
        compiled_game().new_state(players=4, bandits_each=2)


def test_everyone_draws_six_of_their_ten_cards_and_doc_seven() -> None:
    state = compiled_game().new_state(players=3, seed=2, bandit_2="doc")
    assert [state.view.hands[p].count for p in range(3)] == [6, 7, 6]
    for p in range(3):
        owned = cards(state.view.hands[p]) + cards(state.view.decks[p])
        assert Counter(owned) == {
            (p, MOVE): 2,
            (p, FLOOR): 2,
            (p, FIRE): 2,
            (p, ROBBERY): 2,
            (p, PUNCH): 1,
            (p, LURE): 1,
        }


def test_four_random_rounds_and_a_station_are_turned_up_one_by_one() -> None:
    for state in random_states(3, 5):
        view = state.view
        current = min(view.round, 4)
        shown = [i for i in range(7) if view.route.seen[i]]
        assert shown == list(range(min(current + 1, 4)))
        assert view.stations.seen[0] == (EVERYONE if current == 4 else 0)
        if current < 4:
            assert view.round_card.value == view.route.cards[current]
        else:
            assert view.round_card.value == FIRST_STATION + view.stations.cards[0]


# --- scheming -----------------------------------------------------------------------------


def test_every_different_card_can_be_played_and_no_bullet() -> None:
    state = arrange(compiled_game(), "tuco", "belle")
    play_round(state, "Bridge")
    deal(state, 0, (0, MOVE), (0, MOVE), (0, BULLET), (0, PUNCH))
    assert moves(state) == {"play Tuco's Move", "play Tuco's Punch", "draw cards"}


def test_a_played_card_goes_onto_the_pile_for_all_to_see(game: ColtExpress) -> None:
    state = arrange(game, "tuco", "belle")
    play_round(state, "Bridge")
    deal(state, 0, (0, MOVE), (0, MOVE), (0, PUNCH))
    state.apply("play Tuco's Move")
    assert cards(state.view.pile) == [(0, MOVE)]
    assert state.view.pile.seen[0] == EVERYONE
    assert sorted(cards(state.view.hands[0])) == [(0, MOVE), (0, PUNCH)]
    assert state.current_player == 1


def test_instead_of_playing_three_cards_are_drawn(game: ColtExpress) -> None:
    state = arrange(game, "tuco", "belle")
    state.apply("draw cards")
    assert state.view.hands[0].count == 9
    assert state.view.decks[0].count == 1
    assert state.view.pile.count == 0


def test_where_fewer_are_left_fewer_are_drawn() -> None:
    state = arrange(compiled_game(), "tuco", "belle")
    fill(state, state.view.decks[0], [0, 1])
    state.apply("draw cards")
    assert state.view.hands[0].count == 8
    assert state.view.decks[0].count == 0


def test_who_has_only_bullets_can_but_draw() -> None:
    state = arrange(compiled_game(), "tuco", "belle")
    deal(state, 0, (0, BULLET), (0, BULLET))
    fill(state, state.view.decks[0], [])
    assert moves(state) == {"draw cards"}
    state.apply("draw cards")
    assert state.current_player == 1


def test_drawing_is_random() -> None:
    drawn: Counter[int] = Counter()
    for seed in range(300):
        state = compiled_game().new_state(players=3, seed=seed, bandit_1="tuco")
        drawn.update(kind for _, kind in cards(state.view.hands[0]))
    for card, copies in {MOVE: 2, FLOOR: 2, FIRE: 2, ROBBERY: 2, PUNCH: 1, LURE: 1}.items():
        assert drawn[card] == pytest.approx(300 * 0.6 * copies, rel=0.15)


def test_in_a_tunnel_cards_are_played_face_down(game: ColtExpress) -> None:
    state = arrange(game, "tuco", "belle", "doc")
    play_round(state, "Tunnel")
    state.view.symbol.value = 1
    deal(state, 0, (0, FIRE), (0, MOVE))
    assert moves(state) == {
        "play Tuco's Fire face down",
        "play Tuco's Move face down",
        "draw cards",
    }
    state.apply("play Tuco's Fire face down")
    assert state.view.pile.seen[0] == 1
    assert state.observation(0).view.pile.cards[0] == FIRE
    assert state.observation(1).view.pile.cards[0] < 0


def test_the_log_names_a_card_that_is_played_face_down_to_its_player(game: ColtExpress) -> None:
    state = arrange(game, "tuco", "belle", "doc")
    play_round(state, "Tunnel")
    state.view.symbol.value = 1
    deal(state, 0, (0, FIRE))
    words = "play Tuco's Fire face down"
    assert logged(state.clone(), words, 0) == [f"You: {words}"]
    assert logged(state, words, 1) == ["Player 1: play a card face down"]


def test_the_log_says_whom_the_marshal_hits() -> None:
    state = arrange(compiled_game(), "tuco", "belle", "doc")
    stand(state, roof(0), inside(1), inside(1))
    turn_over(state, (0, LURE), (0, FLOOR))
    assert logged(state, "Tuco lures the Marshal to car 1", 0)[1:] == [
        *("Belle receives a neutral bullet.", "Belle flees from the Marshal to the roof."),
        *("Doc receives a neutral bullet.", "Doc flees from the Marshal to the roof."),
    ]


def test_the_log_says_which_token_a_punch_brings_out() -> None:
    for bandit, outcome in (("tuco", "Purse 8 falls."), ("cheyenne", "Cheyenne keeps purse 8.")):
        state = arrange(compiled_game(), bandit, "belle", "doc")
        stand(state, inside(2), inside(2), roof(3))
        place_token(state, 1, BOX)
        place_token(state, 7, HELD + 1)
        turn_over(state, (0, PUNCH), (0, FLOOR))
        words = f"{bandit.capitalize()} punches Belle, who loses a purse, to car 1"
        value = PURSES.word(state.view.purses.cards[7])
        learnt = [f"Purse 8 is worth {value}."] if bandit == "cheyenne" else []
        assert logged(state, words, 0)[1:] == [outcome, *learnt]


def test_the_log_says_what_a_purse_is_worth_to_who_takes_it() -> None:
    state = arrange(compiled_game(), "tuco", "belle", "doc")
    stand(state, inside(1), inside(2), roof(3))
    place_token(state, 7, inside(1))
    turn_over(state, (0, ROBBERY), (0, FLOOR))
    value = PURSES.word(state.view.purses.cards[7])
    assert logged(state.clone(), "Tuco takes purse 8", 0)[1:] == [f"Purse 8 is worth {value}."]
    assert len(logged(state, "Tuco takes purse 8", 1)) == 1


def test_the_log_says_where_django_pushes() -> None:
    state = arrange(compiled_game(), "django", "belle", "doc")
    stand(state, inside(2), inside(1), roof(3))
    turn_over(state, (0, FIRE), (0, FLOOR))
    assert logged(state, "Django shoots Belle", 0)[1:] == [
        *("Belle is pushed to the locomotive.", "Belle receives a neutral bullet."),
        "Belle flees from the Marshal to the roof.",
    ]


def test_the_log_names_drawn_cards_to_their_owner() -> None:
    state = arrange(compiled_game(), "tuco", "belle", "doc")
    fill(state, state.view.decks[0], [MOVE, MOVE, FIRE])
    drawn = logged(state.clone(), "draw cards", 0)[1:]
    assert sorted(drawn) == ["You draw Tuco's Fire.", *["You draw Tuco's Move."] * 2]
    assert logged(state, "draw cards", 1) == ["Player 1: draw cards"]


def test_the_table_says_what_can_be_seen_of_loot_bullets_and_the_pile() -> None:
    state = arrange(compiled_game(), "tuco", "belle", "doc")
    play_round(state, "Tunnel")
    for token in range(len(TOKEN_NAMES)):
        place_token(state, token, BOX)
    for token in (5, 6, 7, 9):
        place_token(state, token, inside(1))
    place_token(state, FIRST_JEWEL + 2, HELD)
    place_token(state, 0, HELD)
    state.view.hits.values[MARSHAL] = 2
    state.view.hits.values[1] = 1
    state.view.symbol.value = 1
    deal(state, 0, (0, FIRE))
    deal(state, 1, (1, MOVE))
    state.apply("play Tuco's Fire face down")
    state.apply("play Belle's Move face down")
    text = state.describe(0)
    assert "  Car 1: purses 6-8, 10\n" in text
    assert "has $750: purse 1 ($250), jewel 3; bullets received: 1 of Belle, 2 neutral;" in text
    assert "Pile: Tuco's Fire (hidden), Belle's hidden card." in text
    assert "Pile: Tuco's hidden card, Belle's Move (hidden)." in state.describe(1)
    assert "Neutral bullets left: 13.\n" in text
    assert "Turns: standard, [tunnel]" in text
    assert "player 1 (you) begins." in text


@pytest.mark.parametrize("players", [2, 4])
def test_nothing_secret_is_told_or_shown(players: int) -> None:
    compared = 0
    for seed in range(2):
        compared += compare_tellings(compiled_game(), players, seed)
    assert compared > 80


def test_the_log_names_the_event_that_ends_a_round() -> None:
    for card, ending in (
        ("Swivel Arm", ["At the end of the round: Swivel Arm."]),
        ("Pickpocketing", ["At the end of the round: Pickpocketing."]),
        ("Bridge", []),
    ):
        state = arrange(compiled_game(), "tuco", "belle", "doc")
        stand(state, inside(1), inside(2), roof(3))
        place_token(state, 7, inside(2))
        play_round(state, card)
        turn_over(state, (0, FLOOR), (0, FLOOR))
        assert len(logged(state, "Tuco climbs to the roof", 0)) == 1
        assert logged(state, "Tuco climbs down into the car", 0)[1:2] == (
            ending or ["Round 1 is over."]
        )


def test_a_face_down_card_is_turned_up_when_its_turn_comes(game: ColtExpress) -> None:
    state = arrange(game, "tuco", "belle")
    stand(state, inside(1), inside(1))
    turn_over(state, (0, FLOOR), (1, FLOOR))
    state.view.pile.seen[1] = 0b10
    state.apply("Tuco climbs to the roof")
    assert state.view.pile.seen[1] == EVERYONE
    assert state.current_player == 1


def test_speeding_up_gives_everyone_two_turns_in_a_row() -> None:
    state = arrange(compiled_game(), "tuco", "belle", "doc")
    play_round(state, "Bridge")
    state.view.symbol.value = 1
    order = []
    for _ in range(6):
        order.append(state.current_player)
        state.apply("draw cards")
    assert order == [0, 0, 1, 1, 2, 2]


def test_switching_goes_round_in_reverse_from_the_first_player() -> None:
    state = arrange(compiled_game(), "tuco", "belle", "doc", "django")
    play_round(state, "Angry Marshal")
    state.view.symbol.value = 2
    for _ in range(4):
        state.apply("draw cards")
    order = []
    for _ in range(3):
        order.append(state.current_player)
        state.apply("draw cards")
    assert [*order, state.current_player] == [0, 3, 2, 1]


@pytest.mark.parametrize("players", [3, 4, 5, 6])
@pytest.mark.parametrize("card", range(len(ROUND_CARDS)))
def test_there_are_as_many_turns_as_symbols(players: int, card: int) -> None:
    state = compiled_game().new_state(players=players, seed=1)
    state.view.round_card.value = card
    table = 0 if players <= 4 else 1
    symbols = [s for s in SYMBOLS[table, card].tolist() if s >= 0]
    assert len(symbols) == TURNS[table, card]
    turns = len(symbols) + symbols.count(TurnSymbol.SPEEDING_UP)
    for _ in range(turns * players):
        assert state.view.phase == Phase.SCHEMING
        state.apply("draw cards")
    assert state.view.phase != Phase.SCHEMING or state.view.round == 1


def test_ghost_may_hide_his_first_card(game: ColtExpress) -> None:
    state = arrange(game, "ghost", "belle")
    play_round(state, "Bridge")
    deal(state, 0, (0, MOVE))
    assert moves(state) == {
        "play Ghost's Move",
        "play Ghost's Move face down",
        "draw cards",
    }
    state.apply("play Ghost's Move face down")
    assert state.view.pile.seen[0] == 1
    assert state.view.hidden_by_ghost.value == 1


def test_ghost_hides_nothing_in_later_turns() -> None:
    state = arrange(compiled_game(), "ghost", "belle")
    play_round(state, "Angry Marshal")
    state.view.symbol.value = 1
    deal(state, 0, (0, MOVE))
    assert moves(state) == {"play Ghost's Move", "draw cards"}


def test_nobody_else_hides_their_first_card() -> None:
    state = arrange(compiled_game(), "belle", "ghost")
    deal(state, 0, (0, MOVE))
    assert moves(state) == {"play Belle's Move", "draw cards"}


def test_of_two_bandits_only_ghosts_card_is_hidden() -> None:
    state = arrange(compiled_game(), "ghost", "doc", "tuco", "belle", players=2, bandits_each=2)
    deal(state, 0, (0, MOVE), (2, MOVE))
    assert moves(state) == {
        "play Ghost's Move",
        "play Ghost's Move face down",
        "play Tuco's Move",
        "draw cards",
    }


# --- stealing: Move and Floor Change --------------------------------------------------------


def test_the_pile_is_carried_out_in_the_order_in_which_it_was_played(game: ColtExpress) -> None:
    state = arrange(game, "tuco", "belle", "doc")
    turn_over(state, (2, FLOOR), (0, FLOOR), (1, FLOOR))
    state.apply("Doc climbs to the roof")
    assert state.current_player == 0
    state.apply("Tuco climbs to the roof")
    assert state.current_player == 1


def test_inside_a_move_leads_to_an_adjacent_car(game: ColtExpress) -> None:
    state = arrange(game, "tuco", "belle", "doc")
    stand(state, inside(2), inside(3), roof(1))
    turn_over(state, (0, MOVE), (1, MOVE))
    assert moves(state) == {"Tuco goes to car 1", "Tuco goes to car 3"}
    state.apply("Tuco goes to car 1")
    assert places(state)[0] == inside(1)
    assert moves(state) == {"Belle goes to car 2"}


def test_on_the_roof_a_move_leads_up_to_three_cars_away() -> None:
    state = arrange(compiled_game(), "tuco", "belle", "doc", "django", "ghost", "cheyenne")
    stand(state, roof(1), roof(6))
    turn_over(state, (0, MOVE), (1, MOVE))
    assert moves(state) == {
        "Tuco runs to the roof of the locomotive",
        *(f"Tuco runs to the roof of car {c}" for c in (2, 3, 4)),
    }
    state.apply("Tuco runs to the roof of car 4")
    assert places(state)[0] == roof(4)
    assert moves(state) == {f"Belle runs to the roof of car {c}" for c in (3, 4, 5)}


def test_the_range_on_the_roof_is_a_parameter() -> None:
    state = arrange(compiled_game(), "tuco", "belle", "doc", roof_range=1)
    stand(state, roof(1))
    turn_over(state, (0, MOVE))
    assert len(moves(state)) == 2


def test_a_floor_change_leads_up_and_down(game: ColtExpress) -> None:
    state = arrange(game, "tuco", "belle")
    stand(state, inside(1), roof(2))
    turn_over(state, (0, FLOOR), (1, FLOOR))
    assert moves(state) == {"Tuco climbs to the roof"}
    state.apply("Tuco climbs to the roof")
    assert moves(state) == {"Belle climbs down into the car"}
    state.view.pile.count = 2
    state.apply("Belle climbs down into the car")
    assert places(state)[0] == roof(1)


# --- the Marshal --------------------------------------------------------------------------


def test_who_comes_into_the_marshals_car_is_shot_and_flees(game: ColtExpress) -> None:
    state = arrange(game, "tuco", "belle")
    stand(state, inside(1), roof(0))
    turn_over(state, (0, MOVE), (1, FLOOR), (1, LURE))
    state.apply("Tuco goes to the locomotive")
    assert places(state) == [roof(0), roof(0)]
    assert hits(state, 0) == {MARSHAL: 1}
    state.apply("Belle climbs down into the car")
    assert places(state) == [roof(0), roof(0)]
    assert hits(state, 1) == {MARSHAL: 1}
    assert state.view.neutral_bullets.value == 11
    assert (1, BULLET) in cards(state.view.decks[1])


def test_the_marshal_is_moved_one_car_and_shoots_who_is_there(game: ColtExpress) -> None:
    state = arrange(game, "tuco", "belle", "doc")
    stand(state, inside(2), inside(2), roof(2))
    state.view.marshal.value = 1
    turn_over(state, (2, LURE), (0, LURE))
    assert moves(state) == {
        "Doc lures the Marshal to the locomotive",
        "Doc lures the Marshal to car 2",
    }
    state.apply("Doc lures the Marshal to car 2")
    assert state.view.marshal.value == 2
    assert places(state) == [roof(2), roof(2), roof(2)]
    assert [hits(state, b) for b in range(3)] == [{MARSHAL: 1}, {MARSHAL: 1}, {}]


def test_who_is_pushed_into_the_marshals_car_is_shot(game: ColtExpress) -> None:
    state = arrange(game, "tuco", "belle")
    stand(state, inside(1), inside(1))
    state.view.token_at.values[1] = BOX
    turn_over(state, (0, PUNCH), (0, LURE))
    state.apply("Tuco punches Belle to the locomotive")
    assert places(state) == [inside(1), roof(0)]
    assert hits(state, 1) == {MARSHAL: 1}


def test_without_neutral_bullets_one_only_flees(game: ColtExpress) -> None:
    state = arrange(game, "tuco", "belle")
    state.view.neutral_bullets.value = 0
    stand(state, inside(1), roof(2))
    turn_over(state, (0, MOVE), (0, LURE))
    state.apply("Tuco goes to the locomotive")
    assert places(state)[0] == roof(0)
    assert hits(state, 0) == {}


# --- Fire -----------------------------------------------------------------------------------


def test_inside_one_shoots_into_the_adjacent_cars_only(game: ColtExpress) -> None:
    state = arrange(game, "doc", "cheyenne", "tuco", "django", "ghost")
    stand(state, inside(2), inside(1), inside(3), inside(4), inside(2))
    turn_over(state, (0, FIRE), (0, LURE))
    assert moves(state) == {"Doc shoots Cheyenne", "Doc shoots Tuco"}
    state.apply("Doc shoots Tuco")
    assert state.view.bullets.values[0] == 5
    assert hits(state, 2) == {0: 1}
    assert cards(state.view.decks[2]).count((2, BULLET)) == 1


def test_inside_one_shoots_at_nobody_on_the_roof() -> None:
    state = arrange(compiled_game(), "doc", "cheyenne", "tuco")
    stand(state, inside(2), roof(1), roof(2))
    turn_over(state, (0, FIRE))
    assert moves(state) == {"Doc's Fire has no effect"}


def test_on_the_roof_one_shoots_the_nearest_in_sight_in_each_direction() -> None:
    state = arrange(compiled_game(), "doc", "cheyenne", "tuco", "django", "ghost", "belle")
    stand(state, roof(2), roof(0), roof(5), roof(5), roof(6), inside(3))
    turn_over(state, (0, FIRE))
    assert moves(state) == {f"Doc shoots {name}" for name in ("Cheyenne", "Tuco", "Django")}


def test_on_the_roof_one_shoots_nobody_on_the_same_car() -> None:
    state = arrange(compiled_game(), "doc", "cheyenne", "tuco")
    stand(state, roof(2), roof(2), inside(2))
    turn_over(state, (0, FIRE))
    assert moves(state) == {"Doc's Fire has no effect"}


def test_whoever_has_no_bullet_left_cannot_shoot() -> None:
    state = arrange(compiled_game(), "doc", "cheyenne")
    stand(state, inside(2), inside(1))
    state.view.bullets.values[0] = 0
    turn_over(state, (0, FIRE))
    assert moves(state) == {"Doc's Fire has no effect"}


def test_tuco_shoots_through_the_roof() -> None:
    for mine, theirs in ((inside(2), roof(2)), (roof(2), inside(2))):
        state = arrange(compiled_game(), "tuco", "cheyenne", "doc")
        stand(state, mine, theirs, mine)
        turn_over(state, (0, FIRE))
        assert moves(state) == {"Tuco shoots Cheyenne"}
        turn_over(state, (1, FIRE))
        assert moves(state) == {"Cheyenne's Fire has no effect"}


def test_belle_is_not_shot_while_there_is_another_target() -> None:
    state = arrange(compiled_game(), "doc", "belle", "tuco")
    stand(state, inside(2), inside(1), inside(3))
    turn_over(state, (0, FIRE))
    assert moves(state) == {"Doc shoots Tuco"}
    stand(state, inside(2), inside(1), roof(3))
    assert moves(state) == {"Doc shoots Belle"}


@pytest.mark.parametrize(("mine", "theirs", "after"), [(2, 1, 0), (1, 2, 3), (2, 3, 3)])
def test_django_pushes_whom_he_shoots_but_not_off_the_train(
    game: ColtExpress, mine: int, theirs: int, after: int
) -> None:
    state = arrange(game, "django", "doc", "tuco")
    stand(state, roof(mine), roof(theirs), inside(3))
    turn_over(state, (0, FIRE), (0, LURE))
    state.apply("Django shoots Doc")
    assert places(state)[1] == roof(after)


def test_django_pushes_into_the_marshals_arms(game: ColtExpress) -> None:
    state = arrange(game, "django", "doc", "tuco")
    stand(state, inside(2), inside(1), inside(3))
    turn_over(state, (0, FIRE), (0, LURE))
    state.apply("Django shoots Doc")
    assert places(state)[1] == roof(0)
    assert hits(state, 1) == {0: 1, MARSHAL: 1}


def test_others_do_not_push(game: ColtExpress) -> None:
    state = arrange(game, "doc", "django", "tuco")
    stand(state, roof(2), roof(1), inside(3))
    turn_over(state, (0, FIRE), (0, LURE))
    state.apply("Doc shoots Django")
    assert places(state)[1] == roof(1)


# --- Robbery --------------------------------------------------------------------------------


def test_a_robber_takes_a_token_from_where_they_are_and_looks_at_it(game: ColtExpress) -> None:
    state = arrange(game, "doc", "tuco", "belle")
    stand(state, inside(2), roof(2), inside(1))
    place_token(state, 6, inside(2))
    place_token(state, 7, roof(2))
    place_token(state, FIRST_JEWEL, inside(2))
    turn_over(state, (0, ROBBERY), (0, LURE))
    assert moves(state) == {"Doc takes purse 7", "Doc takes jewel 1"}
    state.apply("Doc takes purse 7")
    assert holder(state, 6) == 0
    assert knows(state, 6) == [0]


def test_tokens_that_nobody_has_seen_are_all_the_same() -> None:
    state = arrange(compiled_game(), "doc", "tuco", "belle")
    stand(state, inside(2), roof(2), inside(1))
    for token in (5, 6, 7, FIRST_JEWEL, FIRST_JEWEL + 1, SECOND_STRONGBOX):
        place_token(state, token, inside(2))
    place_token(state, FIRST_STRONGBOX, inside(2))
    turn_over(state, (0, ROBBERY))
    assert moves(state) == {
        "Doc takes purse 6",
        "Doc takes jewel 1",
        "Doc takes the strongbox",
        "Doc takes the second strongbox",
    }


def test_a_purse_that_somebody_has_held_can_be_told_from_others() -> None:
    state = arrange(compiled_game(), "doc", "tuco", "belle")
    stand(state, inside(2), roof(2), inside(1))
    for token in (5, 6, 7, 8):
        place_token(state, token, inside(2))
        state.view.purses.cards[token] = token - 4
    state.view.purses.seen[7] = 0b10
    state.view.purses.seen[8] = 0b10
    turn_over(state, (0, ROBBERY))
    assert moves(state) == {"Doc takes purse 6", "Doc takes purse 8"}
    state.view.where.values[1] = inside(2)
    turn_over(state, (1, ROBBERY))
    assert moves(state) == {"Tuco takes purse 6", "Tuco takes purse 8", "Tuco takes purse 9"}


def test_the_strongbox_lies_with_the_marshal_at_first(game: ColtExpress) -> None:
    state = arrange(game, "doc", "tuco")
    state.view.marshal.value = 2
    stand(state, inside(0), roof(2))
    turn_over(state, (0, ROBBERY), (0, LURE))
    state.apply("Doc takes the strongbox")
    assert holder(state, FIRST_STRONGBOX) == 0


# --- Punch ----------------------------------------------------------------------------------


def test_a_punch_offers_each_kind_of_loot_and_each_adjacent_car() -> None:
    state = arrange(compiled_game(), "doc", "tuco", "ghost")
    stand(state, inside(2), inside(2), roof(2))
    place_token(state, FIRST_JEWEL, HELD + 1)
    turn_over(state, (0, PUNCH))
    assert moves(state) == {
        f"Doc punches Tuco, who loses a {loot}, to car {car}"
        for loot in ("purse", "jewel")
        for car in (1, 3)
    }


def test_a_punched_bandit_drops_the_token_there_and_is_pushed(game: ColtExpress) -> None:
    state = arrange(game, "doc", "tuco", "ghost")
    stand(state, roof(2), roof(2), inside(2))
    turn_over(state, (0, PUNCH), (0, LURE))
    state.apply("Doc punches Tuco, who loses a purse, to car 3")
    assert places(state) == [roof(2), roof(3), inside(2)]
    assert state.view.token_at.values[1] == roof(2)
    assert knows(state, 1) == [0, 1, 2]


def test_who_has_nothing_is_only_pushed(game: ColtExpress) -> None:
    state = arrange(game, "doc", "tuco", "ghost")
    stand(state, inside(3), inside(3), roof(2))
    place_token(state, 1, BOX)
    turn_over(state, (0, PUNCH), (0, LURE))
    assert moves(state) == {"Doc punches Tuco to car 2"}


def test_which_of_several_purses_is_dropped_is_chance() -> None:
    dropped = set()
    for seed in range(40):
        state = arrange(compiled_game(), "doc", "tuco", "ghost", seed=seed)
        stand(state, inside(2), inside(2), roof(2))
        place_token(state, 6, HELD + 1)
        place_token(state, 7, HELD + 1)
        turn_over(state, (0, PUNCH), (0, LURE))
        state.apply("Doc punches Tuco, who loses a purse, to car 3")
        dropped |= {token for token in (1, 6, 7) if holder(state, token) != 1}
    assert dropped == {1, 6, 7}


def test_whoever_has_dropped_a_purse_still_knows_it_and_nobody_else(game: ColtExpress) -> None:
    state = arrange(game, "doc", "tuco", "ghost")
    stand(state, inside(2), inside(2), roof(2))
    place_token(state, 1, BOX)
    place_token(state, 6, HELD + 1)
    state.view.purses.seen[6] = 0b10
    turn_over(state, (0, PUNCH), (0, ROBBERY), (0, LURE))
    state.apply("Doc punches Tuco, who loses a purse, to car 3")
    assert knows(state, 6) == [1]
    state.apply("Doc takes purse 7")
    assert knows(state, 6) == [0, 1]


def test_belle_is_not_punched_while_there_is_another_target() -> None:
    state = arrange(compiled_game(), "doc", "belle", "tuco")
    stand(state, inside(2), inside(2), inside(2))
    turn_over(state, (0, PUNCH))
    assert all("punches Tuco" in words for words in moves(state))
    stand(state, inside(2), inside(2), inside(1))
    assert all("punches Belle" in words for words in moves(state))


def test_cheyenne_keeps_the_purse_and_leaves_the_jewel(game: ColtExpress) -> None:
    for loot, token, keeps in (("purse", 6, True), ("jewel", FIRST_JEWEL, False)):
        state = arrange(game, "cheyenne", "tuco", "ghost")
        stand(state, inside(2), inside(2), roof(2))
        place_token(state, 1, BOX)
        place_token(state, token, HELD + 1)
        turn_over(state, (0, PUNCH), (0, LURE))
        state.apply(f"Cheyenne punches Tuco, who loses a {loot}, to car 3")
        if keeps:
            assert holder(state, token) == 0
            assert knows(state, token) == [0]
        else:
            assert state.view.token_at.values[token] == inside(2)


def test_nobody_can_be_punched_elsewhere() -> None:
    state = arrange(compiled_game(), "doc", "belle", "tuco")
    stand(state, inside(2), roof(2), inside(1))
    turn_over(state, (0, PUNCH))
    assert moves(state) == {"Doc's Punch has no effect"}


# --- events -------------------------------------------------------------------------------


def test_angry_marshal_shoots_those_on_his_roof_and_goes_on(game: ColtExpress) -> None:
    state = arrange(game, "doc", "tuco", "ghost", "belle")
    state.view.marshal.value = 1
    stand(state, roof(1), inside(2), roof(2), roof(3))
    end_with(state, "Angry Marshal")
    assert state.view.marshal.value == 2
    assert places(state) == [roof(1), roof(2), roof(2), roof(3)]
    assert [hits(state, b) for b in range(4)] == [{MARSHAL: 1}, {MARSHAL: 1}, {}, {}]


def test_angry_marshal_stays_in_the_caboose(game: ColtExpress) -> None:
    state = arrange(game, "doc", "tuco", "ghost")
    state.view.marshal.value = 3
    stand(state, roof(1), inside(2), inside(2))
    end_with(state, "Angry Marshal")
    assert state.view.marshal.value == 3


def test_braking_throws_those_on_the_roof_forward(game: ColtExpress) -> None:
    state = arrange(game, "doc", "tuco", "ghost")
    stand(state, roof(3), inside(2), roof(0))
    end_with(state, "Braking")
    assert places(state) == [roof(2), inside(2), roof(0)]


def test_the_passengers_rebel_against_those_inside(game: ColtExpress) -> None:
    state = arrange(game, "doc", "tuco", "ghost")
    stand(state, inside(3), roof(2), inside(1))
    end_with(state, "Passengers' Rebellion")
    assert [hits(state, b) for b in range(3)] == [{MARSHAL: 1}, {}, {MARSHAL: 1}]


def test_the_swivel_arm_sweeps_the_roofs(game: ColtExpress) -> None:
    state = arrange(game, "doc", "tuco", "ghost")
    stand(state, roof(1), inside(2), roof(0))
    end_with(state, "Swivel Arm")
    assert places(state) == [roof(3), inside(2), roof(3)]


def test_take_it_all_puts_down_the_second_strongbox(game: ColtExpress) -> None:
    state = arrange(game, "doc", "tuco", "ghost")
    state.view.marshal.value = 2
    stand(state, roof(1), inside(1), roof(0))
    end_with(state, "Take It All")
    assert state.view.token_at.values[SECOND_STRONGBOX] == inside(2)


@pytest.mark.parametrize("card", ["Bridge", "Tunnel"])
def test_some_rounds_have_no_event(game: ColtExpress, card: str) -> None:
    state = arrange(game, "doc", "tuco", "ghost")
    stand(state, roof(1), inside(2), roof(0))
    end_with(state, card)
    assert places(state) == [roof(1), inside(2), roof(0)]
    assert not any(hits(state, b) for b in range(3))
    assert EVENTS[[c.name for c in ROUND_CARDS].index(card)] == RoundEvent.NONE


def test_the_marshals_revenge_takes_the_least_valuable_purse(game: ColtExpress) -> None:
    state = arrange(game, "doc", "tuco", "ghost")
    state.view.marshal.value = 1
    stand(state, roof(1), roof(2), inside(2))
    for purse, content in ((0, 4), (6, 2), (7, 3)):
        place_token(state, purse, HELD)
        state.view.purses.cards[purse] = content
    end_with(state, "Marshal's Revenge")
    assert state.view.token_at.values[6] == roof(1)
    assert [holder(state, t) for t in (0, 7, 1)] == [0, 0, 1]


def test_hostages_bring_a_ransom_in_and_on_the_locomotive(game: ColtExpress) -> None:
    state = arrange(game, "doc", "tuco", "ghost")
    state.view.marshal.value = 2
    stand(state, roof(0), inside(0), roof(1))
    place_token(state, FIRST_STRONGBOX, BOX)
    turn_over(state, (2, ROBBERY))
    play_round(state, "Hostage-Taking")
    state.apply("Ghost's Robbery has no effect")
    assert [state.view.cash.values[b] for b in range(3)] == [250, 250, 0]


def test_who_is_alone_picks_a_pocket(game: ColtExpress) -> None:
    state = arrange(game, "doc", "tuco", "ghost", "belle")
    stand(state, inside(1), inside(3), inside(3), roof(3))
    for purse, place in ((6, inside(1)), (7, inside(1)), (8, inside(3)), (9, roof(3))):
        place_token(state, purse, place)
    state.view.purses.seen[7] = 0b100
    place_token(state, FIRST_JEWEL, inside(1))
    play_round(state, "Pickpocketing")
    turn_over(state, (2, FIRE))
    state.apply("Ghost's Fire has no effect")
    assert state.view.phase == Phase.PICKPOCKETING
    assert state.current_player == 0
    assert moves(state) == {"Doc takes purse 7", "Doc takes purse 8"}
    state.apply("Doc takes purse 8")
    assert moves(state) == {"Belle takes purse 10"}  # and of two in one place nobody takes one
    state.apply("Belle takes purse 10")
    assert [holder(state, t) for t in (7, 9)] == [0, 3]
    assert state.view.round == 1


# --- rounds and the end ---------------------------------------------------------------------


def test_after_a_round_all_cards_go_back_and_bullets_stay(game: ColtExpress) -> None:
    state = arrange(game, "django", "tuco", "ghost")
    stand(state, inside(2), inside(1), roof(0))
    turn_over(state, (0, FIRE))
    play_round(state, "Bridge")
    fill(state, state.view.decks[0], [c for c in range(7) if c not in (FIRE, BULLET)])
    deal(state, 0, (0, MOVE))
    state.apply("Django shoots Tuco")
    owned = cards(state.view.hands[0]) + cards(state.view.decks[0])
    assert Counter(owned) == {(0, k): 1 + (k == MOVE) for k in range(6)}
    owned = cards(state.view.hands[1]) + cards(state.view.decks[1])
    assert Counter(owned)[1, BULLET] == 2  # Django's, and the Marshal's
    assert state.view.pile.count == 0
    assert all(state.view.decks[p].seen[i] == 0 for p in range(3) for i in range(4))
    assert [state.view.hands[p].count for p in range(3)] == [6, 6, 6]


def test_the_first_player_passes_to_the_left() -> None:
    state = arrange(compiled_game(), "django", "tuco", "ghost")
    firsts = []
    while not state.is_terminal:
        if state.view.pile.count == 0 and state.view.symbol.value == state.view.schemed.value == 0:
            firsts.append((state.view.round, state.current_player))
        state.apply("draw cards")
    assert sorted(set(firsts)) == [(0, 0), (1, 1), (2, 2), (3, 0), (4, 1)]


def last_card(game: ColtExpress, *who: str, **parameters: Any) -> State:
    """The last card of the game, which has no effect."""
    state = arrange(game, *who, rounds=1, **parameters)
    play_round(state, "Marshal's Revenge")
    stand(state, *[inside(2)] * len(who))
    turn_over(state, (0, ROBBERY))
    return state


def end(state: State) -> State:
    (action,) = state.legal_actions()
    state.apply(action)
    assert state.is_terminal
    return state


def test_the_richest_wins(game: ColtExpress) -> None:
    state = last_card(game, "doc", "tuco", "ghost")
    place_token(state, FIRST_JEWEL, HELD + 2)
    place_token(state, FIRST_STRONGBOX, HELD + 1)
    end(state)
    assert state.scores() == [1250, 2250, 1750]  # nobody has shot: all are gunslingers
    assert state.places() == [3, 1, 2]


def test_the_gunslinger_has_fewest_bullets_left_and_gets_1000(game: ColtExpress) -> None:
    state = last_card(game, "doc", "tuco", "ghost")
    state.view.bullets.values[1] = 3
    end(state)
    assert state.scores() == [250, 1250, 250]


def test_gunslingers_who_tie_get_1000_each(game: ColtExpress) -> None:
    state = last_card(game, "doc", "tuco", "ghost")
    state.view.bullets.values[1] = state.view.bullets.values[2] = 3
    end(state)
    assert state.scores() == [250, 1250, 1250]


def test_equals_in_money_are_ranked_by_who_was_hit_less(game: ColtExpress) -> None:
    state = last_card(game, "doc", "tuco", "ghost")
    state.view.hits.values[0 * 7 + 1] = 2
    state.view.hits.values[1 * 7 + MARSHAL] = 1
    state.view.hits.values[2 * 7 + 0] = 2
    end(state)
    assert state.scores() == [1250, 1250, 1250]
    assert state.places() == [2, 1, 2]


def test_those_still_tied_share_the_victory(game: ColtExpress) -> None:
    state = end(last_card(game, "doc", "tuco", "ghost"))
    assert state.places() == [1, 1, 1]
    assert state.returns() == [0, 0, 0]


def test_the_number_of_rounds_is_a_parameter() -> None:
    for rounds in (1, 3, 8):
        state = compiled_game().new_state(players=3, seed=1, rounds=rounds)
        while not state.is_terminal:
            state.apply(state.legal_actions()[-1])
        assert state.view.round == rounds


# --- two players ----------------------------------------------------------------------------


def test_two_players_run_two_bandits_each_with_one_deck() -> None:
    state = arrange(compiled_game(), "ghost", "doc", "tuco", "belle", players=2, bandits_each=2)
    assert state.view.bandits.value == 4
    assert places(state) == [inside(4), inside(4), inside(3), inside(3)]
    assert [state.view.hands[p].count for p in range(2)] == [6, 7]
    for p in range(2):
        owned = Counter(cards(state.view.hands[p]) + cards(state.view.decks[p]))
        assert sum(owned.values()) == 20
        assert {bandit for bandit, _ in owned} == {p, p + 2}


def test_a_players_bandits_share_their_money() -> None:
    state = arrange(
        compiled_game(), "ghost", "doc", "tuco", "belle", players=2, bandits_each=2, rounds=1
    )
    play_round(state, "Marshal's Revenge")
    stand(state, *[inside(2)] * 4)
    state.view.bullets.values[2] = 5
    place_token(state, FIRST_JEWEL, HELD)
    turn_over(state, (0, ROBBERY))
    end(state)
    assert state.scores() == [250 + 250 + 500 + 1000, 500]


def test_a_bandit_can_shoot_and_punch_its_partner() -> None:
    state = arrange(compiled_game(), "ghost", "doc", "tuco", "belle", players=2, bandits_each=2)
    stand(state, inside(2), inside(4), inside(3), inside(4))
    turn_over(state, (0, FIRE), (0, LURE))
    assert moves(state) == {"Ghost shoots Tuco"}
    state.apply("Ghost shoots Tuco")
    assert (2, BULLET) in cards(state.view.decks[0])


# --- TAG's deviations -----------------------------------------------------------------------


def test_two_players_may_have_one_bandit_each() -> None:
    state = compiled_game().new_state(players=2, bandits_each=1)
    assert state.view.bandits.value == 2


def test_ghost_must_hide() -> None:
    state = arrange(compiled_game(), "ghost", "belle", ghost_must_hide=True)
    deal(state, 0, (0, MOVE))
    assert moves(state) == {"play Ghost's Move face down", "draw cards"}


def test_a_lenient_marshal_overlooks_those_who_climb_down_and_whom_he_comes_to() -> None:
    state = arrange(compiled_game(), "doc", "tuco", "ghost", lenient_marshal=True)
    stand(state, roof(0), inside(1), inside(1))
    turn_over(state, (0, FLOOR), (0, LURE))
    state.apply("Doc climbs down into the car")
    assert places(state)[0] == inside(0)
    stand(state, inside(3), inside(1), inside(1))
    end_with(state, "Angry Marshal")
    assert state.view.marshal.value == 1
    assert places(state) == [inside(3), inside(1), inside(1)]
    assert not any(hits(state, b) for b in range(3))


def test_a_short_push_leads_neither_along_the_roof_nor_into_the_caboose() -> None:
    for mine, theirs, after in (
        (roof(2), roof(1), roof(1)),
        (inside(1), inside(2), inside(2)),
        (inside(3), inside(2), inside(1)),
    ):
        state = arrange(compiled_game(), "django", "doc", "tuco", short_push=True)
        stand(state, mine, theirs, roof(3))
        turn_over(state, (0, FIRE), (0, LURE))
        state.apply("Django shoots Doc")
        assert places(state)[1] == after


def test_copied_purses_stay_where_they_are() -> None:
    state = arrange(compiled_game(), "doc", "tuco", "ghost", copied_purses=True)
    stand(state, inside(1), inside(3), inside(3))
    place_token(state, 6, inside(1))
    state.view.purses.cards[6] = 5
    play_round(state, "Pickpocketing")
    turn_over(state, (1, FIRE))
    state.apply("Tuco's Fire has no effect")
    state.apply("Doc takes purse 7")
    assert state.view.token_at.values[6] == inside(1)
    assert state.view.cash.values[0] == 500


def test_a_harsh_revenge_takes_the_most_valuable_purse_out_of_the_game() -> None:
    state = arrange(compiled_game(), "doc", "tuco", "ghost", harsh_revenge=True)
    state.view.marshal.value = 1
    stand(state, roof(1), roof(2), inside(2))
    for purse, content in ((0, 2), (6, 4), (7, 3)):
        place_token(state, purse, HELD)
        state.view.purses.cards[purse] = content
    end_with(state, "Marshal's Revenge")
    assert state.view.token_at.values[6] == BOX


def test_a_full_box_per_car_exceeds_the_real_one() -> None:
    box = Counter(BOX_OF_PURSES.tolist())
    exceeded = 0
    for seed in range(60):
        view = compiled_game().new_state(players=6, seed=seed, full_box_per_car=True).view
        last = view.first_purse.values[7]
        exceeded += not Counter(view.purses.cards[i] for i in range(6, last)) <= box
        for car in range(1, 7):
            first, after = view.first_purse.values[car], view.first_purse.values[car + 1]
            assert Counter(view.purses.cards[i] for i in range(first, after)) <= box
    assert exceeded > 5


# --- what everyone can know -----------------------------------------------------------------


@pytest.mark.parametrize("played", [random_states, osla_states])
@pytest.mark.parametrize("players", [2, 3, 6])
def test_samples_agree_with_what_a_player_knows_and_vary_in_the_rest(
    players: int, played: Callable[..., Iterator[State]]
) -> None:
    states = 0
    varied: Counter[str] = Counter()
    for state in played(players, 7, chance=0.3):
        player = states % players
        states += 1
        samples = list(checked_samples(state, player, 2 * states))
        for sample in samples:
            assert possessions(sample) == possessions(state)
        for name in ("hands", "pile", "purses", "route"):
            varied[name] += contents(samples[0], name) != contents(samples[1], name)
    assert states > 100
    assert all(varied[name] > 5 for name in ("hands", "pile", "purses", "route")), varied


def test_samples_agree_with_what_a_player_knows_under_tags_rules() -> None:
    for number, state in enumerate(random_states(4, 5, chance=0.3, **TAG)):
        for sample in checked_samples(state, number % 4, number):
            assert possessions(sample)[0] == possessions(state)[0]


def checked_samples(state: State, player: int, seed: int) -> Iterator[State]:
    """Two samples that look like the state to the player, and depend on what they see alone."""
    view = state.observation(player)
    for sample in (state.determinize(player, seed), state.determinize(player, seed + 1)):
        assert sample.observation(player) == view
        assert sample.determinize(player, 11) == state.determinize(player, 11)
        assert face_down_is_possible(sample)
        if player == state.current_player and not state.is_terminal:
            assert set(sample.legal_actions()) == set(state.legal_actions())
        yield sample


def contents(state: State, name: str) -> list[int]:
    deck = getattr(state.view, name)
    decks = [deck[p] for p in range(state.players)] if name == "hands" else [deck]
    return [d.cards[i] for d in decks for i in range(d.count)]


def possessions(state: State) -> tuple[list[Counter[int]], Counter[int]]:
    """All cards of each player, wherever they are, and the contents of all purses."""
    owned = [
        Counter(state.view.hands[p].cards[i] for i in range(state.view.hands[p].count))
        for p in range(state.players)
    ]
    for p in range(state.players):
        deck = state.view.decks[p]
        owned[p].update(deck.cards[i] for i in range(deck.count))
    pile = state.view.pile
    for i in range(pile.count):
        owned[pile.cards[i] // KINDS % state.players][pile.cards[i]] += 1
    return owned, Counter(state.view.purses.cards[i] for i in range(FIRST_JEWEL))


def face_down_is_possible(state: State) -> bool:
    view = state.view
    return all(view.pile.cards[i] % KINDS != BULLET for i in range(view.pile.count)) and (
        view.hidden_by_ghost.value == 0
        or view.character.values[view.pile.cards[view.hidden_by_ghost.value - 1] // KINDS] == 0
    )


@pytest.mark.parametrize("players", [2, 4])
def test_cards_and_bullets_are_conserved(players: int) -> None:
    for state in random_states(players, 10, chance=0.15):
        view = state.view
        owned, purses = possessions(state)
        for bandit in range(view.bandits.value):
            mine = owned[bandit % players]
            kinds = [mine[bandit * KINDS + k] for k in range(KINDS)]
            assert kinds == [2, 2, 2, 2, 1, 1, sum(hits(state, bandit).values())]
            fired = sum(hits(state, b).get(bandit, 0) for b in range(view.bandits.value))
            assert fired == 6 - view.bullets.values[bandit]
        neutral = sum(hits(state, b).get(MARSHAL, 0) for b in range(view.bandits.value))
        assert neutral == 13 - view.neutral_bullets.value
        assert purses == Counter(BOX_OF_PURSES.tolist())


def test_nobody_is_inside_with_the_marshal() -> None:
    for state in random_states(5, 20):
        assert inside(state.view.marshal.value) not in places(state)


def test_who_holds_a_purse_knows_it_and_nobody_forgets_one() -> None:
    for seed in range(6):
        rng = random.Random(seed)
        state = compiled_game().new_state(players=4, seed=seed)
        before: set[tuple[int, int]] = set()
        while not state.is_terminal:
            known = {(t, p) for t in range(FIRST_JEWEL) for p in knows(state, t)}
            assert before <= known
            before = known
            for token in range(FIRST_JEWEL):
                if holder(state, token) >= 0:
                    assert holder(state, token) in knows(state, token)
            state.apply(rng.choice(state.legal_actions()))


def test_a_card_hidden_by_ghost_is_in_no_sample_another_bandits() -> None:
    state = arrange(compiled_game(), "ghost", "doc", "tuco", "belle", players=2, bandits_each=2)
    play_round(state, "Bridge")
    deal(state, 0, (0, MOVE), (2, FIRE), (0, BULLET), (0, BULLET))
    state.apply("play Ghost's Move face down")
    sampled = Counter(state.determinize(1, seed).view.pile.cards[0] for seed in range(400))
    owned = possessions(state)[0][0]
    ghosts = {card: n for card, n in owned.items() if card < BULLET}
    assert set(sampled) == set(ghosts)
    for card, number in ghosts.items():  # each copy as likely as every other
        assert sampled[card] / 400 == pytest.approx(number / sum(ghosts.values()), abs=0.08)


def test_samples_of_a_tunnel_are_uniform_over_what_can_be() -> None:
    """Against the exact chances: the pile holds no bullet, all else is equally likely."""
    state = arrange(compiled_game(), "doc", "tuco")
    play_round(state, "Tunnel")
    state.view.symbol.value = 1
    deal(state, 0, (0, MOVE), (0, BULLET))
    fill(state, state.view.decks[0], [BULLET, BULLET, FIRE])
    state.apply("play Doc's Move face down")
    assert state.current_player == 1
    pile: Counter[int] = Counter()
    hand: Counter[int] = Counter()
    for seed in range(1200):
        sample = state.determinize(1, seed).view
        pile[sample.pile.cards[0]] += 1
        hand[sample.hands[0].cards[0]] += 1
    assert pile[MOVE] / 1200 == pytest.approx(0.5, abs=0.05)
    assert set(pile) == {MOVE, FIRE}
    assert hand[BULLET] / 1200 == pytest.approx(3 / 4, abs=0.05)


def test_coming_rounds_are_unknown_to_everyone() -> None:
    state = compiled_game().new_state(players=3, seed=4)
    current = state.view.route.cards[0]
    coming: Counter[int] = Counter()
    for seed in range(200):
        sample = state.determinize(0, seed)
        assert sample.view.route.cards[0] == current
        coming[sample.view.route.cards[1]] += 1
    assert set(coming) == set(range(7)) - {current}


def test_the_scores_are_secret_until_the_end() -> None:
    for state in random_states(3, 3):
        assert any(state.scores()) == state.is_terminal


def test_a_list_of_plays_is_distinct_and_refuses_the_rest() -> None:
    for state in random_states(4, 3):
        if not state.is_terminal:
            legal = state.legal_actions()
            assert len(set(legal)) == len(legal)
    with pytest.raises(IllegalActionError):
        compiled_game().new_state(players=3).apply("Doc takes purse 1")


# --- the heuristic --------------------------------------------------------------------------


def test_the_heuristic_rises_with_loot_and_falls_with_that_of_others() -> None:
    state = arrange(compiled_game(), "doc", "tuco", "belle")
    even = state.heuristic(0)
    assert even == pytest.approx(0)
    place_token(state, FIRST_JEWEL, HELD)
    assert state.heuristic(0) > even > state.heuristic(1)


def test_the_heuristic_counts_shots_and_bullets_received() -> None:
    state = arrange(compiled_game(), "doc", "tuco", "belle")
    state.view.bullets.values[0] = 5
    state.view.hits.values[1 * 7 + 0] = 1
    assert state.heuristic(0) > 0 > state.heuristic(1)


# --- TAG's measures -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "ticks", "decisions", "actions", "choices", "score"),
    [
        (2, 77.41, 50.69, 3.24, 4.42, 1445.8),
        (3, 116.07, 78.66, 3.31, 4.41, 1183.0),
        (4, 154.92, 108.27, 3.37, 4.38, 1002.7),
        (6, 196.32, 142.31, 3.50, 4.45, 797.05),
    ],
)
def test_random_play_under_tags_rules_measures_like_tag(
    players: int, ticks: float, decisions: float, actions: float, choices: float, score: float
) -> None:
    """TAG of May 2026, 500 games for each number of players; see ``docs/games.md``."""
    games, lengths, lists, scores = 150, [], [], []
    for seed in range(games):
        rng = random.Random(1000 * players + seed)
        state = compiled_game().new_state(players=players, seed=seed, **TAG)
        counts = []
        while not state.is_terminal:
            legal = state.legal_actions()
            counts.append(len(legal))
            state.apply(rng.choice(legal))
        lengths.append((state.tick, sum(n > 1 for n in counts)))
        lists.append((sum(counts) / len(counts), mean([n for n in counts if n > 1])))
        scores += state.scores()
    assert mean([t for t, _ in lengths]) == pytest.approx(ticks, rel=0.02)
    assert mean([d for _, d in lengths]) == pytest.approx(decisions, rel=0.02)
    assert mean([a for a, _ in lists]) == pytest.approx(actions, rel=0.04)
    assert mean([c for _, c in lists]) == pytest.approx(choices, rel=0.04)
    assert mean(scores) == pytest.approx(score, rel=0.09)


def mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


def test_operands_name_characters_not_seats() -> None:
    state = arrange(compiled_game(), "doc", "tuco", "belle")
    deal(state, 0, (0, PUNCH))
    (play,) = [a for a in state.legal_actions() if kind(a) == Move.PLAY]
    assert (operand(play, 0), operand(play, 1)) == (1, PUNCH)

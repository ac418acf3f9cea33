"""Pandemic, rule by rule: actions, roles, events, infections, and what everyone can know."""

from __future__ import annotations

import functools
import itertools
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest
from papers.tag_rules import TAG_RULES
from tests.library.telling import compare_tellings, logged

import kibitz
from kibitz.components import clear_deck, put_card
from kibitz.core.errors import ParameterError
from kibitz.core.state import State
from kibitz.library.pandemic.rules import Pandemic
from kibitz.library.pandemic.table import CURED, STATION, SUPPLY, Stage
from kibitz.library.pandemic.world import (
    DEGREE,
    DISTANCE,
    EPIDEMIC,
    INFECTION_CARDS,
    PLAYER_CARDS,
    POPULATION,
    ROLES,
    WORLD,
)

BLUE, YELLOW, BLACK, RED = range(4)
PLAIN = ("researcher", "scientist", "operations-expert", "dispatcher")


@pytest.fixture(scope="module")
def game() -> Pandemic:
    return quick_game()


@functools.cache
def quick_game() -> Pandemic:
    return Pandemic(compiled=True)


# --- arranging ----------------------------------------------------------------------------


def city(name: str) -> int:
    return WORLD.find(name)


def fill(state: State, deck: Any, names: Iterable[str], cards: Any = PLAYER_CARDS) -> None:
    """Puts exactly these cards into a deck, the last one on top."""
    clear_deck(deck)
    for name in names:
        put_card(state.view, deck, cards.find(name))


def arrange(
    game: Pandemic,
    *hands: Sequence[str],
    roles: Sequence[str] = PLAIN,
    where: Sequence[str] = (),
    cubes: dict[str, int] | None = None,
    stations: Sequence[str] = ("Atlanta",),
    deck: Sequence[str] = (),
    infection: Sequence[str] = (),
    discards: Sequence[str] = (),
    infected: Sequence[str] = (),
    **parameters: Any,
) -> State:
    """The first player's turn: empty board, the given hands, decks with these cards on top.

    The cards of the player deck are otherwise cities that nobody here has; there are no
    epidemics but those asked for. Cubes are of their city's colour.
    """
    for p, role in enumerate(roles[: len(hands)]):
        parameters.setdefault(f"role_{p + 1}", role)
    state = game.new_state(players=len(hands), seed=1, **parameters)
    view = state.view
    view.player = view.turn_owner = view.first_player = view.phase = 0
    view.stack.depth = view.asked.value = 0
    view.stage.value = Stage.ACTIONS
    for colour in range(4):
        view.diseases.at[colour, SUPPLY] = state.table.params.cubes_per_colour
    for c in range(len(WORLD)):
        for track in range(5):
            view.cities.at[c, track] = 0
        view.cities.at[c, STATION] = int(WORLD.word(c) in stations)
    view.stations_left.value = state.table.params.stations - len(stations)
    for name, number in (cubes or {}).items():
        put_cubes(state, name, number)
    used = {name for hand in hands for name in hand} | {*deck, *discards}
    spare = [n for n in WORLD.words if n not in used]
    fill(state, view.player_deck, [*spare[:30], *deck])
    fill(state, view.player_discards, discards)
    on_top = {*infection, *infected}
    covered = [n for n in WORLD.words if n not in on_top]
    fill(state, view.infection_deck, [*covered, *infection], INFECTION_CARDS)
    fill(state, view.infection_discards, infected, INFECTION_CARDS)
    for p, hand in enumerate(hands):
        fill(state, view.hands[p], hand)
        view.pawns[p].value = city(where[p] if p < len(where) else "Atlanta")
    return state


def put_cubes(state: State, name: str, number: int, colour: int | None = None) -> None:
    colour = city(name) // 12 if colour is None else colour
    state.view.cities.at[city(name), colour] += number
    state.view.diseases.at[colour, SUPPLY] -= number


def cubes(state: State, name: str, colour: int | None = None) -> int:
    colour = city(name) // 12 if colour is None else colour
    return int(state.view.cities.at[city(name), colour])


def all_cubes(state: State) -> dict[tuple[str, int], int]:
    """The cubes on the board, by city and colour."""
    places = itertools.product(WORLD.words, (BLUE, YELLOW, BLACK, RED))
    return {place: number for place in places if (number := cubes(state, *place))}


def cure(state: State, colour: int, eradicated: bool = False) -> None:
    state.view.diseases.at[colour, CURED] = 2 if eradicated else 1


def hand(state: State, player: int) -> set[str]:
    return names(state.view.hands[player])


def names(deck: Any, cards: Any = PLAYER_CARDS) -> set[str]:
    return {cards.word(deck.cards[i]) for i in range(deck.count)}


def where(state: State, player: int) -> str:
    return WORLD.word(state.view.pawns[player].value)


def moves(state: State) -> set[str]:
    return {state.action_words(action) for action in state.legal_actions()}


def starting(state: State, *beginnings: str) -> set[str]:
    return {words for words in moves(state) if words.startswith(beginnings)}


def play(state: State, *words: str) -> State:
    for action in words:
        state.apply(action)
    return state


# --- the box ------------------------------------------------------------------------------


def test_the_map_is_the_published_one() -> None:
    assert len(WORLD) == 48
    assert DEGREE[0].sum() == 2 * 93
    assert DEGREE[0, city("Istanbul")] == DEGREE[0, city("Hong Kong")] == 6
    assert DEGREE[0, city("Santiago")] == 1
    assert (DISTANCE == DISTANCE.T).all()
    assert DISTANCE[city("Sydney"), city("Los Angeles")] == 1
    assert DISTANCE[city("Santiago"), city("Osaka")] == 6
    assert POPULATION[0].max() == POPULATION[0, city("Jakarta")]


def test_the_cards_are_those_of_the_box() -> None:
    assert INFECTION_CARDS.total == 48
    assert PLAYER_CARDS.total == 48 + 5 + 6
    assert PLAYER_CARDS.word(EPIDEMIC) == "Epidemic"
    assert len(ROLES) == 7


# --- setting up ---------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "held"), [(2, 4), (3, 3), (4, 2)])
def test_the_set_up_follows_the_number_of_players(game: Pandemic, players: int, held: int) -> None:
    for seed in range(5):
        view = game.new_state(players, seed=seed).view
        assert [view.hands[p].count for p in range(players)] == [held] * players
        assert view.player_deck.count == 53 - players * held + 4
        assert {WORLD.word(view.pawns[p].value) for p in range(players)} == {"Atlanta"}
        assert len({view.roles[p].value for p in range(players)}) == players
        assert view.cities.at[city("Atlanta"), STATION] == 1


def test_nine_cities_are_infected_at_the_start(game: Pandemic) -> None:
    view = game.new_state(3, seed=2).view
    cities_by_cubes = Counter(
        int(view.cities.at[c, c // 12]) for c in range(48) if view.cities.at[c, c // 12]
    )
    assert cities_by_cubes == {3: 3, 2: 3, 1: 3}
    assert view.infection_discards.count == 9
    assert sum(24 - view.diseases.at[colour, SUPPLY] for colour in range(4)) == 18


def test_each_pile_of_the_player_deck_has_one_epidemic_and_small_piles_lie_below() -> None:
    places = set()
    for seed in range(60):
        view = quick_game().new_state(3, seed=seed, epidemics=5).view
        deck = [view.player_deck.cards[i] for i in range(view.player_deck.count)]
        assert len(deck) == 44 + 5  # four piles of 9, the bottom one of 8, and the epidemics
        bounds = [0, 9, 19, 29, 39, 49]
        for low, high in itertools.pairwise(bounds):
            assert deck[low:high].count(EPIDEMIC) == 1
        places.add(deck.index(EPIDEMIC))
    assert places == set(range(9))


def test_who_has_the_city_of_the_highest_population_begins() -> None:
    for seed in range(40):
        state = quick_game().new_state(4, seed=seed)
        view = state.view
        best = [
            max([int(POPULATION[0, c]) for c in cards if c < 48], default=0)
            for cards in (
                [view.hands[p].cards[i] for i in range(view.hands[p].count)] for p in range(4)
            )
        ]
        assert view.turn_owner == view.first_player == best.index(max(best))


def test_roles_can_be_given_to_seats_but_each_only_once(game: Pandemic) -> None:
    view = game.new_state(2, seed=1, role_1="medic", role_2="scientist").view
    assert [ROLES.word(view.roles[p].value) for p in range(2)] == ["Medic", "Scientist"]
    with pytest.raises(ParameterError, match="only one player can be medic"):
        game.table(2, role_1="medic", role_2="medic")
    game.table(2, role_1="medic", role_3="medic")  # nobody sits there


def test_no_role_prevents_cubes_during_the_set_up() -> None:
    near = [c for c in range(48) if DISTANCE[c, city("Atlanta")] <= 1]
    placed = 0
    for seed in range(30):
        view = quick_game().new_state(2, seed=seed, role_1="quarantine-specialist").view
        placed += sum(int(view.cities.at[c, c // 12]) for c in near)
    assert placed > 0


# --- moving -------------------------------------------------------------------------------


def test_drive_or_ferry_goes_to_neighbours(game: Pandemic) -> None:
    state = arrange(game, [], [])
    assert starting(state, "drive") == {
        "drive to Chicago",
        "drive to Miami",
        "drive to Washington",
    }
    play(state, "drive to Miami")
    assert where(state, 0) == "Miami"
    assert state.view.actions_left.value == 3


def test_a_direct_flight_costs_the_card_of_its_destination(game: Pandemic) -> None:
    state = arrange(game, ["Cairo", "Tokyo"], [])
    assert starting(state, "fly") == {"fly to Cairo", "fly to Tokyo"}
    play(state, "fly to Cairo")
    assert where(state, 0) == "Cairo"
    assert hand(state, 0) == {"Tokyo"}
    assert names(state.view.player_discards) == {"Cairo"}


def test_a_charter_flight_costs_the_card_of_where_it_starts(game: Pandemic) -> None:
    state = arrange(game, ["Atlanta"], [])
    assert len(starting(state, "charter")) == 47
    play(state, "charter a flight to Osaka")
    assert where(state, 0) == "Osaka"
    assert hand(state, 0) == set()
    assert not starting(arrange(game, ["Cairo"], []), "charter")


def test_a_shuttle_goes_from_station_to_station(game: Pandemic) -> None:
    state = arrange(game, [], [], stations=("Atlanta", "Cairo", "Lima"))
    assert starting(state, "take the shuttle") == {
        "take the shuttle to Cairo",
        "take the shuttle to Lima",
    }
    play(state, "take the shuttle to Lima")
    assert where(state, 0) == "Lima"
    play(state, "drive to Bogota")
    assert not starting(state, "take the shuttle")


# --- what can be done in a city -----------------------------------------------------------


def test_a_research_station_costs_the_card_of_its_city(game: Pandemic) -> None:
    state = arrange(game, ["Cairo"], [], where=["Cairo"])
    play(state, "build a research station")
    assert state.view.cities.at[city("Cairo"), STATION] == 1
    assert state.view.stations_left.value == 4
    assert hand(state, 0) == set()
    assert "build a research station" not in moves(arrange(game, ["Lima"], [], where=["Cairo"]))
    assert "build a research station" not in moves(arrange(game, ["Atlanta"], []))  # there is one


def test_the_seventh_station_is_one_that_is_moved(game: Pandemic) -> None:
    six = ("Atlanta", "Lima", "Cairo", "Tokyo", "Paris", "Delhi")
    state = arrange(game, ["Milan"], [], where=["Milan"], stations=six)
    assert starting(state, "build") == {
        f"build a research station with the one of {n}" for n in six
    }
    play(state, "build a research station with the one of Tokyo")
    view = state.view
    built = {WORLD.word(c) for c in range(48) if view.cities.at[c, STATION]}
    assert built == {*six, "Milan"} - {"Tokyo"}
    assert view.stations_left.value == 0


def test_treating_removes_one_cube(game: Pandemic) -> None:
    state = arrange(game, [], [], cubes={"Atlanta": 3})
    put_cubes(state, "Atlanta", 1, YELLOW)
    assert starting(state, "treat") == {"treat blue", "treat yellow"}
    play(state, "treat blue")
    assert cubes(state, "Atlanta") == 2
    assert state.view.diseases.at[BLUE, SUPPLY] == 22
    assert cubes(state, "Atlanta", YELLOW) == 1


def test_treating_a_cured_disease_removes_all_cubes(game: Pandemic) -> None:
    state = arrange(game, [], [], cubes={"Atlanta": 3, "Paris": 1})
    cure(state, BLUE)
    play(state, "treat blue")
    assert cubes(state, "Atlanta") == 0
    assert state.view.diseases.at[BLUE, CURED] == 1  # there is one in Paris


def test_the_last_cube_of_a_cured_disease_eradicates_it(game: Pandemic) -> None:
    state = arrange(game, [], [], cubes={"Atlanta": 2})
    cure(state, BLUE)
    play(state, "treat blue")
    assert state.view.diseases.at[BLUE, CURED] == 2
    untouched = play(arrange(game, [], [], cubes={"Atlanta": 1}), "treat blue")
    assert untouched.view.diseases.at[BLUE, CURED] == 0


def test_knowledge_is_shared_of_the_city_where_both_are(game: Pandemic) -> None:
    plain = ("medic", "scientist", "dispatcher")
    state = arrange(
        game,
        ["Atlanta", "Lima"],
        ["Cairo"],
        ["Paris"],
        roles=plain,
        where=["Atlanta"] * 2 + ["Lima"],
    )
    assert starting(state, "give", "take A") == {"give Atlanta to player 2"}
    play(state, "give Atlanta to player 2")
    assert hand(state, 1) == {"Cairo", "Atlanta"}
    assert starting(state, "give", "take A", "take C") == {"take Atlanta from player 2"}
    play(state, "take Atlanta from player 2")
    assert hand(state, 0) == {"Lima", "Atlanta"}
    assert state.view.actions_left.value == 2


def test_who_gets_a_card_too_many_discards_at_once(game: Pandemic) -> None:
    full = ["Lima", "Bogota", "Cairo", "Paris", "Delhi", "Tokyo", "Osaka"]
    state = arrange(game, ["Atlanta"], full, roles=("medic", "scientist"))
    play(state, "give Atlanta to player 2")
    assert state.current_player == 1
    assert moves(state) == {f"discard {name}" for name in [*full, "Atlanta"]}
    play(state, "discard Lima")
    assert state.current_player == 0
    assert state.view.actions_left.value == 3


# --- cures --------------------------------------------------------------------------------

FIVE_RED = ("Bangkok", "Beijing", "Jakarta", "Manila", "Osaka")


def test_five_cards_of_a_colour_at_a_station_are_a_cure(game: Pandemic) -> None:
    roles = ("medic", "researcher")
    state = arrange(game, [*FIVE_RED, "Lima"], [], roles=roles, cubes={"Osaka": 1})
    assert starting(state, "discover") == {"discover a cure for red"}
    play(state, "discover a cure for red")
    assert state.view.diseases.at[RED, CURED] == 1
    assert hand(state, 0) == {"Lima"}
    assert state.scores() == [1.0, 1.0]
    assert not starting(arrange(game, FIVE_RED, [], roles=roles, where=["Lima"]), "discover")
    assert not starting(arrange(game, FIVE_RED[:4], [], roles=roles), "discover")


def test_a_cure_of_a_disease_without_cubes_eradicates_it(game: Pandemic) -> None:
    state = arrange(game, FIVE_RED, [], roles=("medic", "researcher"))
    play(state, "discover a cure for red")
    assert state.view.diseases.at[RED, CURED] == 2


def test_with_more_than_enough_cards_the_player_says_which_to_keep(game: Pandemic) -> None:
    state = arrange(game, [*FIVE_RED, "Tokyo", "Lima"], [], roles=("medic", "researcher"))
    play(state, "discover a cure for red")
    assert moves(state) == {f"keep {name}" for name in [*FIVE_RED, "Tokyo"]}
    play(state, "keep Jakarta")
    assert hand(state, 0) == {"Jakarta", "Lima"}


def test_several_kept_cards_are_chosen_one_by_one_each_set_once(game: Pandemic) -> None:
    held = [*FIVE_RED, "Tokyo", "Taipei"]
    hands = set()
    for first in ("Bangkok", "Beijing", "Osaka", "Taipei", "Tokyo"):
        state = arrange(game, held, [], roles=("scientist", "researcher"))
        play(state, "discover a cure for red")
        if f"keep {first}" not in moves(state):
            continue
        play(state, f"keep {first}")
        for second in sorted(moves(state)):
            after = play(state.clone(), second)
            for third in sorted(moves(after)):
                hands.add(frozenset(hand(play(after.clone(), third), 0)))
    assert frozenset({"Bangkok", "Beijing", "Jakarta"}) in hands
    assert frozenset({"Osaka", "Taipei", "Tokyo"}) in hands
    assert all(len(hand_kept) == 3 for hand_kept in hands)


def test_the_fourth_cure_wins_for_all(game: Pandemic) -> None:
    state = arrange(game, FIVE_RED, [], roles=("medic", "researcher"))
    for colour in (BLUE, YELLOW, BLACK):
        cure(state, colour)
    for p in range(2):
        state.view.seat[p].score = 3
    play(state, "discover a cure for red")
    assert state.is_terminal
    assert state.returns() == [1.0, 1.0]
    assert state.places() == [1, 1]


# --- roles --------------------------------------------------------------------------------


def test_the_contingency_planner_takes_an_event_that_is_gone_once_played(game: Pandemic) -> None:
    state = arrange(
        game,
        [],
        [],
        roles=("contingency-planner", "medic"),
        discards=["Lima", "One Quiet Night", "Airlift"],
    )
    assert starting(state, "take") == {
        "take One Quiet Night from the discard pile",
        "take Airlift from the discard pile",
    }
    play(state, "take Airlift from the discard pile")
    assert state.view.actions_left.value == 3
    assert not starting(state, "take")  # one at a time
    assert state.view.hands[0].count == 0  # it is not in hand
    play(state, "play Airlift on player 2", "go to Tokyo")
    assert where(state, 1) == "Tokyo"
    assert names(state.view.used_up) == {"Airlift"}
    assert starting(state, "take") == {"take One Quiet Night from the discard pile"}


def test_only_the_contingency_planner_takes_events(game: Pandemic) -> None:
    state = arrange(game, [], [], discards=["Airlift"])
    assert not starting(state, "take Airlift")


def test_the_dispatcher_moves_others_as_if_they_were_his_with_his_cards(game: Pandemic) -> None:
    roles = ("dispatcher", "researcher")
    state = arrange(game, ["Tokyo", "Cairo"], ["Lima"], roles=roles, where=["Atlanta", "Cairo"])
    assert starting(state, "have player 2 drive") == {
        f"have player 2 drive to {WORLD.word(n)}"
        for n in range(48)
        if DISTANCE[n, city("Cairo")] == 1
    }
    assert starting(state, "have player 2 fly") == {"have player 2 fly to Tokyo"}
    assert len(starting(state, "have player 2 charter")) == 47
    play(state, "have player 2 charter a flight to Milan")
    assert where(state, 1) == "Milan"
    assert hand(state, 0) == {"Tokyo"}
    assert hand(state, 1) == {"Lima"}
    play(state, "have player 2 fly to Tokyo")
    assert (where(state, 0), where(state, 1)) == ("Atlanta", "Tokyo")


def test_the_dispatcher_sends_others_by_shuttle(game: Pandemic) -> None:
    state = arrange(game, [], [], roles=("dispatcher", "medic"), stations=("Atlanta", "Lima"))
    play(state, "have player 2 take the shuttle to Lima")
    assert where(state, 1) == "Lima"


def test_the_dispatcher_moves_any_pawn_to_another(game: Pandemic) -> None:
    roles = ("dispatcher", "medic", "scientist")
    state = arrange(game, [], [], [], roles=roles, where=["Lima", "Paris", "Paris"])
    assert starting(state, "have") & {
        f"have player {p} join player {q}" for p in (1, 2, 3) for q in (1, 2, 3)
    } == {
        "have player 1 join player 2",
        "have player 1 join player 3",
        "have player 2 join player 1",
        "have player 3 join player 1",
    }
    play(state, "have player 3 join player 1")
    assert where(state, 2) == "Lima"
    assert state.view.actions_left.value == 3


def test_nobody_else_moves_other_pawns(game: Pandemic) -> None:
    assert not starting(arrange(game, ["Tokyo"], [], roles=("medic", "dispatcher")), "have")


def test_the_medic_treats_all_cubes_of_a_colour(game: Pandemic) -> None:
    state = arrange(game, [], [], roles=("medic", "scientist"), cubes={"Atlanta": 3})
    play(state, "treat blue")
    assert cubes(state, "Atlanta") == 0


def test_the_medic_removes_cured_cubes_by_arriving(game: Pandemic) -> None:
    state = arrange(game, [], [], roles=("medic", "scientist"), cubes={"Miami": 2, "Lima": 1})
    cure(state, YELLOW)
    play(state, "drive to Miami")
    assert cubes(state, "Miami") == 0
    assert state.view.actions_left.value == 3
    assert state.view.diseases.at[YELLOW, CURED] == 1


def test_the_medic_removes_cured_cubes_when_others_move_him(game: Pandemic) -> None:
    state = arrange(game, [], [], roles=("dispatcher", "medic"), cubes={"Miami": 2})
    cure(state, YELLOW)
    play(state, "have player 2 drive to Miami")
    assert cubes(state, "Miami") == 0
    assert state.view.diseases.at[YELLOW, CURED] == 2
    state = arrange(game, ["Airlift"], [], roles=("scientist", "medic"), cubes={"Tokyo": 3})
    cure(state, RED)
    play(state, "play Airlift on player 2", "go to Tokyo")
    assert cubes(state, "Tokyo") == 0


def test_the_medic_removes_cubes_where_he_is_when_their_cure_is_found(game: Pandemic) -> None:
    state = arrange(
        game,
        FIVE_RED,
        [],
        roles=("researcher", "medic"),
        where=["Atlanta", "Tokyo"],
        cubes={"Tokyo": 2},
    )
    play(state, "discover a cure for red")
    assert cubes(state, "Tokyo") == 0
    assert state.view.diseases.at[RED, CURED] == 2


def test_where_the_medic_is_no_cubes_of_cured_diseases_are_placed(game: Pandemic) -> None:
    for cured in (False, True):
        state = arrange(
            game,
            [],
            [],
            roles=("scientist", "medic"),
            where=["Lima", "Tokyo"],
            infection=["Tokyo"],
        )
        if cured:
            cure(state, RED)
            put_cubes(state, "Osaka", 1)
        play(state, "do nothing more")
        assert cubes(state, "Tokyo") == (0 if cured else 1)


def test_the_operations_expert_builds_without_a_card(game: Pandemic) -> None:
    roles = ("operations-expert", "medic")
    state = arrange(game, ["Cairo"], [], roles=roles, where=["Cairo"])
    play(state, "build a research station")
    assert hand(state, 0) == {"Cairo"}


def test_the_operations_expert_flies_anywhere_for_any_card_once_a_turn(game: Pandemic) -> None:
    roles = ("operations-expert", "medic")
    state = arrange(game, ["Cairo", "Lima", "Airlift"], [], roles=roles)
    assert starting(state, "fly from") == {
        "fly from the research station, discarding Cairo",
        "fly from the research station, discarding Lima",
    }
    play(state, "fly from the research station, discarding Lima")
    assert len(moves(state)) == 47
    play(state, "go to Tokyo", "build a research station")
    assert where(state, 0) == "Tokyo"
    assert state.view.actions_left.value == 2
    assert not starting(state, "fly from")  # only once a turn
    state.view.flown.value = 0
    assert starting(state, "fly from") == {"fly from the research station, discarding Cairo"}


def test_the_flight_of_the_operations_expert_comes_back_every_turn(game: Pandemic) -> None:
    roles = ("operations-expert", "medic")
    state = arrange(game, ["Cairo", "Lima"], [], roles=roles)
    play(state, "fly from the research station, discarding Lima", "go to Tokyo")
    play(state, "do nothing more", "do nothing more")
    assert state.view.flown.value == 0


def test_the_operations_expert_flies_from_stations_only(game: Pandemic) -> None:
    roles = ("operations-expert", "medic")
    state = arrange(game, ["Cairo"], [], roles=roles, where=["Lima"])
    assert not starting(state, "fly from")


@pytest.mark.parametrize(
    ("place", "kept_away"),
    [("Paris", True), ("London", True), ("Milan", True), ("Istanbul", False)],
)
def test_the_quarantine_specialist_keeps_cubes_from_her_city_and_its_neighbours(
    game: Pandemic, place: str, kept_away: bool
) -> None:
    roles = ("scientist", "quarantine-specialist")
    state = arrange(game, [], [], roles=roles, where=["Lima", "Paris"], infection=[place])
    play(state, "do nothing more")
    assert cubes(state, place) == (0 if kept_away else 1)


def test_the_quarantine_specialist_prevents_outbreaks_and_what_they_spread(game: Pandemic) -> None:
    roles = ("scientist", "quarantine-specialist")
    state = arrange(
        game, [], [], roles=roles, where=["Lima", "Paris"], infection=["Essen"], cubes={"Essen": 3}
    )
    play(state, "do nothing more")
    assert state.view.outbreaks.value == 0
    state = arrange(
        game,
        [],
        [],
        roles=roles,
        where=["Lima", "Paris"],
        infection=["St. Petersburg"],
        cubes={"St. Petersburg": 3},
    )
    play(state, "do nothing more")
    assert state.view.outbreaks.value == 1
    assert cubes(state, "Essen", BLUE) == 0  # beside Paris
    assert cubes(state, "Moscow", BLUE) == cubes(state, "Istanbul", BLUE) == 1


def test_the_researcher_gives_any_city_card_on_either_turn(game: Pandemic) -> None:
    roles = ("researcher", "scientist")
    state = arrange(game, ["Lima", "Airlift"], ["Cairo"], roles=roles)
    assert starting(state, "give", "take") == {"give Lima to player 2"}
    state = arrange(game, ["Cairo"], ["Lima", "Airlift"], roles=roles[::-1])
    assert starting(state, "give", "take") == {"take Lima from player 2"}
    play(state, "take Lima from player 2")
    assert hand(state, 0) == {"Cairo", "Lima"}


def test_the_scientist_needs_four_cards(game: Pandemic) -> None:
    state = arrange(game, FIVE_RED[:4], [], roles=("scientist", "medic"))
    play(state, "discover a cure for red")
    assert hand(state, 0) == set()


# --- the turn -----------------------------------------------------------------------------


def test_a_turn_is_four_actions_two_cards_and_infections(game: Pandemic) -> None:
    state = arrange(game, [], [], deck=["Lima", "Cairo"], infection=["Sydney", "Osaka", "Tokyo"])
    play(state, "drive to Miami", "drive to Atlanta", "drive to Miami", "drive to Bogota")
    assert hand(state, 0) == {"Lima", "Cairo"}
    assert (cubes(state, "Tokyo"), cubes(state, "Osaka"), cubes(state, "Sydney")) == (1, 1, 0)
    assert state.current_player == 1
    assert state.view.actions_left.value == 4
    assert state.view.turn == 1
    play(state, "do nothing more")
    assert (state.current_player, state.view.turn, state.view.round) == (0, 2, 1)


def test_a_player_may_do_fewer_actions(game: Pandemic) -> None:
    state = play(arrange(game, [], []), "drive to Miami", "do nothing more")
    assert state.current_player == 1
    assert "do nothing more" not in moves(arrange(game, [], [], may_pass=False))


def test_hands_are_discarded_down_to_seven(game: Pandemic) -> None:
    held = ["Lima", "Bogota", "Paris", "Delhi", "Osaka", "Miami"]
    state = arrange(game, held, [], deck=["Tokyo", "Cairo"])
    play(state, "do nothing more")
    assert starting(state, "discard") == moves(state)
    assert len(moves(state)) == 8
    play(state, "discard Lima")
    assert state.current_player == 1
    assert len(hand(state, 0)) == 7


def test_an_event_may_be_played_instead_of_discarding(game: Pandemic) -> None:
    held = ["Lima", "Bogota", "Paris", "Delhi", "Osaka", "One Quiet Night"]
    state = arrange(game, held, [], deck=["Tokyo", "Cairo"])
    play(state, "do nothing more", "play no event now")
    assert "play One Quiet Night" in moves(state)
    play(state, "play One Quiet Night")
    assert state.current_player == 1
    assert len(hand(state, 0)) == 7
    refused = arrange(game, held, [], deck=["Tokyo", "Cairo"], events_at_limit=False)
    play(refused, "do nothing more", "play no event now")
    assert starting(refused, "discard") == moves(refused)


# --- infections and outbreaks -------------------------------------------------------------


def test_an_outbreak_puts_a_cube_on_every_neighbour(game: Pandemic) -> None:
    state = arrange(game, [], [], infection=["Sydney"], cubes={"Sydney": 3})
    play(state, "do nothing more")
    assert cubes(state, "Sydney") == 3
    for near in ("Jakarta", "Manila", "Los Angeles"):
        assert cubes(state, near, RED) == 1
    assert state.view.outbreaks.value == 1


def test_outbreaks_chain_and_each_city_breaks_out_once(game: Pandemic) -> None:
    full = {"Sydney": 3, "Manila": 3, "Jakarta": 3}
    state = arrange(game, [], [], infection=["Sydney"], cubes=full)
    play(state, "do nothing more")
    assert state.view.outbreaks.value == 3
    assert all(cubes(state, name) == 3 for name in full)
    # two of the three are neighbours of Ho Chi Minh City, one of Hong Kong
    assert cubes(state, "Ho Chi Minh City") == 2
    assert cubes(state, "Hong Kong") == 1
    assert cubes(state, "San Francisco", RED) == 1


def test_two_outbreaks_beside_a_city_can_make_it_the_third(game: Pandemic) -> None:
    full = {"Sydney": 3, "Manila": 3, "Jakarta": 3, "Ho Chi Minh City": 2}
    state = arrange(game, [], [], infection=["Sydney"], cubes=full)
    play(state, "do nothing more")
    assert state.view.outbreaks.value == 4
    assert cubes(state, "Ho Chi Minh City") == 3


def test_the_eighth_outbreak_loses(game: Pandemic) -> None:
    state = arrange(game, [], [], infection=["Sydney"], cubes={"Sydney": 3})
    state.view.outbreaks.value = 7
    play(state, "do nothing more")
    assert state.is_terminal
    assert state.returns() == [-1.0, -1.0]
    assert state.places() == [2, 2]


def test_a_cube_that_is_not_there_loses(game: Pandemic) -> None:
    for supply in (1, 0):
        state = arrange(game, [], [], infection=["Lima", "Tokyo"])
        state.view.diseases.at[RED, SUPPLY] = supply
        play(state, "do nothing more")
        assert state.is_terminal == (supply == 0)


def test_a_player_card_that_cannot_be_drawn_loses(game: Pandemic) -> None:
    for count in (2, 1):
        state = arrange(game, [], [])
        fill(state, state.view.player_deck, ["Lima", "Cairo"][:count])
        play(state, "do nothing more")
        assert state.is_terminal == (count == 1)
    assert state.returns() == [-1.0, -1.0]


def test_eradicated_diseases_infect_nobody(game: Pandemic) -> None:
    state = arrange(game, [], [], infection=["Lima", "Tokyo"])
    cure(state, RED, eradicated=True)
    play(state, "do nothing more")
    assert cubes(state, "Tokyo") == 0
    assert cubes(state, "Lima") == 1


def test_a_cured_disease_still_infects(game: Pandemic) -> None:
    state = arrange(game, [], [], infection=["Lima", "Tokyo"], cubes={"Osaka": 1})
    cure(state, RED)
    play(state, "do nothing more")
    assert cubes(state, "Tokyo") == 1


# --- epidemics ----------------------------------------------------------------------------


def test_an_epidemic_raises_the_rate_infects_and_intensifies(game: Pandemic) -> None:
    state = arrange(game, [], [], deck=["Epidemic", "Lima"], infected=["Tokyo", "Osaka"])
    bottom = INFECTION_CARDS.word(state.view.infection_deck.cards[0])
    play(state, "do nothing more")
    assert state.view.epidemics.value == 1
    assert names(state.view.player_discards) == {"Epidemic"}
    assert hand(state, 0) == {"Lima"}
    # the three shuffled cards lay on top, of which two were then drawn
    drawn = names(state.view.infection_discards, INFECTION_CARDS)
    assert drawn < {"Tokyo", "Osaka", bottom}
    assert len(drawn) == 2
    assert cubes(state, bottom) == 3
    assert state.view.outbreaks.value == int(bottom in drawn)


SYDNEY_OUTBREAK = {"Sydney": 3, "Jakarta": 1, "Los Angeles": 1, "Manila": 1}
TWO_OUTBREAKS = SYDNEY_OUTBREAK | {
    "Manila": 3,
    "Ho Chi Minh City": 1,
    "Hong Kong": 1,
    "San Francisco": 1,
    "Taipei": 1,
}
FOUR_OUTBREAKS = TWO_OUTBREAKS | {
    "Jakarta": 3,
    "Ho Chi Minh City": 3,
    "Hong Kong": 2,
    "Bangkok": 2,
    "Chennai": 1,
}


@pytest.mark.parametrize(
    ("before", "after", "outbreaks"),
    [
        ({}, {"Sydney": 3}, 0),
        ({"Sydney": 1}, SYDNEY_OUTBREAK, 1),
        ({"Sydney": 2}, SYDNEY_OUTBREAK, 1),
        ({"Sydney": 3}, SYDNEY_OUTBREAK, 1),
        ({"Manila": 3}, {"Sydney": 3, "Manila": 3}, 0),
        # the neighbours that held two hold three, and do not break out
        ({"Sydney": 2, "Manila": 2}, SYDNEY_OUTBREAK | {"Manila": 3}, 1),
        ({"Sydney": 2, "Manila": 3}, TWO_OUTBREAKS, 2),
        ({"Sydney": 3, "Manila": 3}, TWO_OUTBREAKS, 2),
        (
            {"Sydney": 2, "Manila": 3, "Ho Chi Minh City": 2},
            TWO_OUTBREAKS | {"Ho Chi Minh City": 3},
            2,
        ),
        (  # Jakarta gives Ho Chi Minh City its third cube, Manila makes it break out
            {"Sydney": 3, "Manila": 3, "Jakarta": 3, "Ho Chi Minh City": 2},
            FOUR_OUTBREAKS,
            4,
        ),
    ],
)
def test_an_epidemic_fills_its_city_up_to_three_and_breaks_out_once(
    game: Pandemic, before: dict[str, int], after: dict[str, int], outbreaks: int
) -> None:
    """All cubes right after the infection, where Resilient Population could be played."""
    state = arrange(game, [], ["Resilient Population"], deck=["Epidemic", "Lima"])
    for name, number in before.items():
        put_cubes(state, name, number, RED)
    others = [name for name in WORLD.words if name != "Sydney"]
    fill(state, state.view.infection_deck, ["Sydney", *others], INFECTION_CARDS)
    play(state, "do nothing more")
    assert state.view.stage.value == Stage.INTENSIFY
    assert all_cubes(state) == {(name, RED): number for name, number in after.items()}
    assert state.view.diseases.at[RED, SUPPLY] == 24 - sum(after.values())
    assert state.view.outbreaks.value == outbreaks


def test_the_infection_rate_follows_its_track(game: Pandemic) -> None:
    for epidemics, cards in enumerate((2, 2, 2, 3, 3, 4, 4)):
        state = arrange(game, [], [])
        state.view.epidemics.value = epidemics
        play(state, "do nothing more")
        assert state.view.infection_discards.count == cards


def test_of_two_epidemics_the_second_infects_a_card_alone(game: Pandemic) -> None:
    state = arrange(game, [], [], deck=["Epidemic", "Epidemic"], infected=["Tokyo"])
    others = [name for name in WORLD.words if name not in ("Tokyo", "Lima", "Sydney")]
    fill(state, state.view.infection_deck, ["Lima", "Sydney", *others], INFECTION_CARDS)
    put_cubes(state, "Sydney", 3)
    play(state, "do nothing more")
    view = state.view
    assert view.epidemics.value == 2
    drawn = [INFECTION_CARDS.word(view.infection_discards.cards[i]) for i in range(2)]
    # the second bottom card was shuffled alone, so it lay on top and came first
    assert drawn[0] == "Sydney"
    assert drawn[1] in ("Lima", "Tokyo")
    assert view.outbreaks.value == 2 + (drawn[1] == "Lima")


def test_hands_may_be_too_full_until_epidemics_are_over(game: Pandemic) -> None:
    held = ["Lima", "Bogota", "Paris", "Delhi", "Osaka", "Miami", "Lagos"]
    state = arrange(game, held, [], deck=["Epidemic", "Tokyo"])
    play(state, "do nothing more")
    assert starting(state, "discard") == moves(state)
    assert state.view.epidemics.value == 1


# --- events -------------------------------------------------------------------------------


def test_who_holds_an_event_is_asked_before_others_act_and_nobody_else(game: Pandemic) -> None:
    state = arrange(game, [], ["Airlift", "Lima"], [], roles=PLAIN)
    play(state, "drive to Miami")
    assert state.current_player == 1
    assert moves(state) == {f"play Airlift on player {p}" for p in (1, 2, 3)} | {
        "play no event now"
    }
    play(state, "play no event now")
    assert state.current_player == 0
    assert state.view.actions_left.value == 3


def test_events_cost_no_action_and_can_be_played_in_the_own_turn(game: Pandemic) -> None:
    state = arrange(game, ["Airlift"], [])
    play(state, "play Airlift on player 1", "go to Tokyo")
    assert where(state, 0) == "Tokyo"
    assert state.view.actions_left.value == 4
    assert names(state.view.player_discards) == {"Airlift"}


def test_airlift_moves_any_pawn_to_any_other_city(game: Pandemic) -> None:
    state = arrange(game, ["Airlift"], [], where=["Lima", "Cairo"])
    play(state, "play Airlift on player 2")
    assert moves(state) == {f"go to {n}" for n in WORLD.words if n != "Cairo"}


def test_government_grant_puts_a_station_anywhere(game: Pandemic) -> None:
    state = arrange(game, ["Government Grant"], [])
    play(state, "play Government Grant")
    assert moves(state) == {
        f"put a research station in {n}" for n in WORLD.words if n != "Atlanta"
    }
    play(state, "put a research station in Osaka")
    assert state.view.cities.at[city("Osaka"), STATION] == 1
    assert state.view.actions_left.value == 4


def test_government_grant_moves_a_station_where_none_is_left(game: Pandemic) -> None:
    six = ("Atlanta", "Lima", "Cairo", "Tokyo", "Paris", "Delhi")
    state = arrange(game, ["Government Grant"], [], stations=six)
    play(state, "play Government Grant")
    assert moves(state) == {f"take the research station of {n}" for n in six}
    play(state, "take the research station of Lima", "put a research station in Osaka")
    view = state.view
    assert {WORLD.word(c) for c in range(48) if view.cities.at[c, STATION]} == {
        *six,
        "Osaka",
    } - {"Lima"}


def test_one_quiet_night_leaves_one_infection_out(game: Pandemic) -> None:
    state = arrange(game, ["One Quiet Night"], [])
    play(state, "play One Quiet Night", "do nothing more")
    assert state.view.infection_discards.count == 0
    assert state.current_player == 1
    play(state, "do nothing more")
    assert state.view.infection_discards.count == 2


def test_one_quiet_night_during_an_infection_is_for_the_next_one(game: Pandemic) -> None:
    state = arrange(game, [], ["One Quiet Night"])
    play(state, "play no event now", "do nothing more") if state.current_player else play(
        state, "do nothing more"
    )
    while state.view.stage.value != Stage.INFECT or state.view.infections_left.value == 2:
        play(state, "play no event now")
    play(state, "play One Quiet Night")
    assert state.view.infection_discards.count == 2
    assert state.view.quiet.value == 1


def test_resilient_population_removes_a_discarded_infection_card(game: Pandemic) -> None:
    state = arrange(game, ["Resilient Population"], [], infected=["Tokyo", "Lima"])
    play(state, "play Resilient Population")
    assert moves(state) == {
        "remove Tokyo from the infection cards",
        "remove Lima from the infection cards",
    }
    play(state, "remove Lima from the infection cards")
    assert names(state.view.infection_discards, INFECTION_CARDS) == {"Tokyo"}
    assert names(state.view.resilient, INFECTION_CARDS) == {"Lima"}
    assert "play Resilient Population" not in moves(arrange(game, ["Resilient Population"], []))


def test_resilient_population_may_come_between_infect_and_intensify(game: Pandemic) -> None:
    state = arrange(
        game,
        [],
        ["Resilient Population", "Airlift"],
        deck=["Epidemic", "Lima"],
        infected=["Tokyo"],
    )
    bottom = INFECTION_CARDS.word(state.view.infection_deck.cards[0])
    play(state, "do nothing more", "play no event now")
    assert state.view.stage.value == Stage.INTENSIFY
    assert moves(state) == {"play Resilient Population", "play no event now"}
    play(state, "play Resilient Population", f"remove {bottom} from the infection cards")
    assert names(state.view.resilient, INFECTION_CARDS) == {bottom}
    assert cubes(state, bottom) == 3


def test_between_drawing_an_epidemic_and_its_infection_nobody_is_asked(game: Pandemic) -> None:
    state = arrange(game, ["Airlift"], [], deck=["Epidemic", "Lima"])
    play(state, "do nothing more", "play no event now")
    assert state.view.epidemics.value == 1
    assert state.view.stage.value == Stage.BEFORE_INFECTION


def test_between_two_epidemics_events_can_be_played(game: Pandemic) -> None:
    state = arrange(game, ["Airlift"], [], deck=["Epidemic", "Epidemic"])
    play(state, "do nothing more", "play no event now")
    assert state.view.stage.value == Stage.NEXT_EPIDEMIC
    assert state.view.epidemics.value == 1


def test_forecast_puts_six_cards_back_in_any_order_known_to_all(game: Pandemic) -> None:
    top = ["Lima", "Cairo", "Paris", "Delhi", "Osaka", "Miami"]
    state = arrange(game, ["Forecast"], [], infection=top)
    play(state, "play Forecast")
    assert moves(state) == {f"put {n} on the infection deck" for n in top}
    order = ["Miami", "Lima", "Osaka", "Cairo", "Delhi"]
    for name in order:
        play(state, f"put {name} on the infection deck")
    deck = state.view.infection_deck
    shown = [INFECTION_CARDS.word(deck.cards[i]) for i in range(deck.count - 6, deck.count)]
    assert shown == [*order, "Paris"]  # the last one goes on top by itself
    for p in range(2):
        for seed in range(5):
            sampled = state.determinize(p, seed).view.infection_deck
            assert [sampled.cards[i] for i in range(42, 48)] == [
                deck.cards[i] for i in range(42, 48)
            ]
    play(state, "do nothing more")
    assert names(state.view.infection_discards, INFECTION_CARDS) == {"Paris", "Delhi"}


def test_after_an_event_all_may_react_anew(game: Pandemic) -> None:
    state = arrange(game, [], ["Airlift"], ["One Quiet Night"], roles=PLAIN)
    play(state, "drive to Miami", "play no event now")
    assert state.current_player == 2
    play(state, "play One Quiet Night")
    assert state.current_player == 1  # who had declined before


# --- what everyone can know ---------------------------------------------------------------


def test_an_epidemic_may_be_anywhere_in_its_pile_and_nowhere_else() -> None:
    state = quick_game().new_state(2, seed=3, epidemics=4)
    size = state.view.player_deck.count  # 45 cards in piles of 11, 11, 11, 12 from below
    assert size == 49
    bounds = [0, 12, 24, 36, 49]
    places: list[Counter[int]] = [Counter() for _ in range(4)]
    for seed in range(1500):
        deck = state.determinize(0, seed).view.player_deck
        indices = [i for i in range(size) if deck.cards[i] == EPIDEMIC]
        assert len(indices) == 4
        for pile, place in enumerate(indices):
            assert bounds[pile] <= place < bounds[pile + 1]
            places[pile][place] += 1
    for pile, counts in enumerate(places):
        width = bounds[pile + 1] - bounds[pile]
        assert len(counts) == width
        expected = 1500 / width
        squared = sum((count - expected) ** 2 / expected for count in counts.values())
        assert squared < 27  # of 10 or 11 degrees of freedom: once in 200 times by chance


def test_after_its_epidemic_a_pile_has_none() -> None:
    found_partial = False
    for seed in range(30):
        state = random_state(quick_game(), seed, 30)
        deck = state.view.player_deck
        drawn = sum(
            state.view.player_discards.cards[i] == EPIDEMIC
            for i in range(state.view.player_discards.count)
        )
        true = [i for i in range(deck.count) if deck.cards[i] == EPIDEMIC]
        assert len(true) == 4 - drawn
        for sample in range(10):
            other = state.determinize(0, sample).view.player_deck
            indices = [i for i in range(other.count) if other.cards[i] == EPIDEMIC]
            assert [piles_from_below(state, i) for i in indices] == list(range(4 - drawn))
        found_partial = found_partial or drawn > 0
    assert found_partial


def piles_from_below(state: State, place: int) -> int:
    cards = 53 - state.players * state.table.params.hand
    sizes = sorted(cards // 4 + (pile < cards % 4) + 1 for pile in range(4))
    pile = 0
    while place >= sizes[pile]:
        place -= sizes[pile]
        pile += 1
    return pile


def test_shuffled_discards_are_known_as_a_set_on_top_of_the_rest(game: Pandemic) -> None:
    state = arrange(
        game, [], [], deck=["Epidemic", "Lima"], infected=["Tokyo", "Osaka", "Lima", "Cairo"]
    )
    bottom = INFECTION_CARDS.word(state.view.infection_deck.cards[0])
    play(state, "do nothing more")
    layer = {"Tokyo", "Osaka", "Lima", "Cairo", bottom} - names(
        state.view.infection_discards, INFECTION_CARDS
    )
    assert len(layer) == 3
    orders = set()
    for seed in range(60):
        deck = state.determinize(1, seed).view.infection_deck
        top = [INFECTION_CARDS.word(deck.cards[deck.count - 1 - i]) for i in range(3)]
        assert set(top) == layer
        orders.add(tuple(top))
    assert len(orders) == 6


def layers(state: State) -> list[frozenset[int]]:
    """The hidden infection cards layer by layer, from the bottom."""
    view = state.view
    by_layer: dict[int, set[int]] = {}
    for i in range(view.infection_deck.count):
        if not view.infection_deck.seen[i]:
            card = view.infection_deck.cards[i]
            by_layer.setdefault(view.shuffled_in.values[card], set()).add(card)
    return [frozenset(by_layer[layer]) for layer in sorted(by_layer)]


def hidden_order(state: State) -> list[int]:
    view = state.view
    deck = view.infection_deck
    return [view.shuffled_in.values[deck.cards[i]] for i in range(deck.count) if not deck.seen[i]]


def random_state(game: Pandemic, seed: int, length: int, **parameters: Any) -> State:
    rng = random.Random(seed)
    state = game.new_state(2 + seed % 3, seed=seed, **parameters)
    for _ in range(length):
        actions = state.legal_actions()
        after = state.clone()
        after.apply(rng.choice(actions))
        if after.is_terminal:
            break
        state = after
    return state


def random_states(games: int, **parameters: Any) -> Iterator[State]:
    """Every state of `games` random games."""
    for seed in range(games):
        rng = random.Random(seed)
        state = quick_game().new_state(2 + seed % 3, seed=seed, **parameters)
        while not state.is_terminal:
            yield state
            state.apply(rng.choice(state.legal_actions()))


def test_samples_keep_what_is_known_and_vary_the_rest() -> None:
    """Over a thousand states: layers, forecast cards and everything open stay."""
    varied = checked = shuffled = forecast = 0
    for number, state in enumerate(random_states(20, outbreaks_to_lose=20, cubes_per_colour=60)):
        p = number % state.players
        sample = state.determinize(p, number)
        assert bytes(sample.observation(p)) == bytes(state.observation(p))
        assert hidden_order(sample) == hidden_order(state) == sorted(hidden_order(state))
        if number % 5 == 0:
            assert layers(sample) == layers(state)
            assert cards_in_play(sample) == cards_in_play(state)
            # what one observer can be told does not depend on what was hidden
            assert sample.determinize(p, 5) == state.determinize(p, 5)
        order = infection_order(sample)
        varied += order != infection_order(state)
        shuffled += state.view.shuffles.value > 0
        forecast += any(state.view.infection_deck.seen[i] for i in range(len(order)))
        checked += 1
    assert checked > 1000
    assert varied > 0.99 * checked
    assert shuffled > 80
    assert forecast > 80


def infection_order(state: State) -> list[int]:
    deck = state.view.infection_deck
    return list(itertools.islice(deck.cards, deck.count))


def cards_in_play(state: State) -> Counter[int]:
    view = state.view
    decks = [view.player_deck, view.player_discards, view.prepared, view.used_up]
    decks += [view.hands[p] for p in range(state.players)]
    return Counter(deck.cards[i] for deck in decks for i in range(deck.count))


def test_hands_and_roles_are_open_to_all(game: Pandemic) -> None:
    state = game.new_state(4, seed=5)
    for p in range(4):
        masked = state.observation(p).view
        for q in range(4):
            assert [masked.hands[q].cards[i] for i in range(2)] == [
                state.view.hands[q].cards[i] for i in range(2)
            ]
        assert {masked.player_deck.cards[i] for i in range(10)} == {-1}
        assert {masked.infection_deck.cards[i] for i in range(10)} == {-1}


# --- laws ---------------------------------------------------------------------------------


def test_cubes_and_stations_are_conserved_and_no_city_holds_too_many() -> None:
    for state in random_states(8):
        view = state.view
        for colour in range(4):
            placed = [int(view.cities.at[c, colour]) for c in range(48)]
            assert sum(placed) + view.diseases.at[colour, SUPPLY] == 24
            assert max(placed) <= 3
        built = sum(view.cities.at[c, STATION] for c in range(48))
        assert built + view.stations_left.value == 6
        assert sum(cards_in_play(state).values()) == 48 + 5 + 4


def test_compiled_and_uncompiled_rules_agree() -> None:
    slow = Pandemic(compiled=False)
    for seed in range(4):
        rng = random.Random(seed)
        a = quick_game().new_state(2 + seed % 3, seed=seed)
        b = slow.new_state(2 + seed % 3, seed=seed)
        while not a.is_terminal:
            assert bytes(a) == bytes(b)
            legal = a.legal_actions()
            assert legal == b.legal_actions()
            assert len(set(legal)) == len(legal)
            assert a.heuristic(0) == pytest.approx(b.heuristic(0))
            assert bytes(a.determinize(1, seed)) == bytes(b.determinize(1, seed))
            action = rng.choice(legal)
            a.apply(action)
            b.apply(action)
        assert bytes(a) == bytes(b)


def test_the_text_tells_the_table_and_what_is_known_of_the_decks(game: Pandemic) -> None:
    state = arrange(
        game,
        ["Forecast", "Lima"],
        [],
        infection=["Lima", "Cairo", "Paris", "Delhi", "Osaka", "Miami"],
        cubes={"Tokyo": 3},
    )
    text = state.describe(0)
    assert text.startswith("Turn 1: player 1 (you) has 4 actions left.")
    assert "Red: not cured, 21 cubes left; Tokyo 3." in text
    assert "Player 1 (you), Researcher in Atlanta: yellow Lima; event Forecast." in text
    play(state, "play Forecast")
    for name in ("Miami", "Lima", "Osaka", "Cairo", "Delhi"):
        play(state, f"put {name} on the infection deck")
    assert "on top Paris, Delhi, Cairo, Osaka, Lima, Miami in this order" in state.describe(1)


def test_the_text_tells_which_player_cards_are_gone(game: Pandemic) -> None:
    state = arrange(game, ["Lima"], [], discards=["Epidemic", "Tokyo", "Airlift", "Osaka"])
    assert "Player discards: red Osaka, Tokyo; event Airlift." in state.describe(0)
    fill(state, state.view.player_discards, ["Epidemic"])
    assert "Player discards" not in state.describe(0)


def test_the_log_says_what_is_drawn_and_infected_in_order(game: Pandemic) -> None:
    state = arrange(game, [], [], deck=["Lima", "Epidemic"])
    assert logged(state, "do nothing more", 0)[1:6] == [
        *("You draw Epidemic.", "You draw Lima.", "An epidemic: the infection rate is 2."),
        *("The bottom infection card is Atlanta.", "Atlanta gets 3 blue cubes."),
    ]
    state = arrange(game, [], [], infection=["Lima", "Tokyo"], cubes={"Tokyo": 3})
    deck = state.view.player_deck
    top = [PLAYER_CARDS.word(deck.cards[i]) for i in (deck.count - 2, deck.count - 1)]
    assert logged(state, "do nothing more", 1) == [
        *("Player 1: do nothing more", f"Player 1 draws {top[1]}.", f"Player 1 draws {top[0]}."),
        *("The next infection card is Tokyo.", "Red breaks out in Tokyo, outbreak 1 of 8."),
        *("San Francisco gets 1 red cube.", "Osaka gets 1 red cube.", "Seoul gets 1 red cube."),
        *("Shanghai gets 1 red cube.", "The next infection card is Lima."),
        "Lima gets 1 yellow cube.",
    ]
    assert len(logged(state, "drive to Miami", 0)) == 1


def test_others_read_of_playing_no_event_only_what_it_brings_about(game: Pandemic) -> None:
    state = arrange(game, ["Lima"], ["Airlift"])
    state.apply("drive to Miami")
    assert state.describe(0).startswith(
        "Turn 1, of player 1 (you): player 2 may play an event before player 1 (you) acts."
    )
    assert [logged(state.clone(), "play no event now", p) for p in range(2)] == [
        [],
        ["You: play no event now"],
    ]
    state.apply("play no event now")
    state.apply("do nothing more")
    assert logged(state, "play no event now", 0)[0].startswith("You draw ")


@pytest.mark.parametrize("players", [2, 4])
def test_nothing_secret_is_told_or_shown(players: int) -> None:
    assert sum(compare_tellings(quick_game(), players, seed) for seed in range(2)) > 50


def test_the_log_says_that_a_disease_is_eradicated(game: Pandemic) -> None:
    state = arrange(game, [], [], cubes={"Atlanta": 1})
    cure(state, BLUE)
    assert logged(state, "treat blue", 0)[1:] == [
        *("Atlanta loses 1 blue cube.", "Blue is eradicated."),
    ]


def test_the_log_says_why_the_game_is_lost(game: Pandemic) -> None:
    state = arrange(game, [], [], infection=["Sydney"], cubes={"Sydney": 3})
    state.view.outbreaks.value = 7
    assert logged(state, "do nothing more", 0)[-1] == "The game is lost by 8 outbreaks."
    state = arrange(game, [], [], infection=["Tokyo"])
    state.view.diseases.at[RED, SUPPLY] = 0
    assert logged(state, "do nothing more", 0)[-1] == "No red cube is left, so the game is lost."
    state = arrange(game, [], [])
    fill(state, state.view.player_deck, ["Lima"])
    assert logged(state, "do nothing more", 0)[1:] == [
        "Too few player cards are left to draw, so the game is lost."
    ]


def evaluate(game: Pandemic, *hands: Sequence[str], **table: Any) -> float:
    return arrange(game, *hands, **table).heuristic(0)


def test_the_heuristic_likes_every_step_of_a_set_to_a_station(game: Pandemic) -> None:
    way = ("Lagos", "Sao Paulo", "Bogota", "Miami", "Atlanta")
    values = [evaluate(game, FIVE_RED, (), where=(at, "Lagos")) for at in way]
    assert values == sorted(set(values))


def test_the_heuristic_likes_every_step_to_where_a_card_can_be_given(game: Pandemic) -> None:
    hands = (("Tokyo",), ("Bangkok", "Beijing", "Hong Kong", "Osaka"))
    way = ("Kolkata", "Hong Kong", "Shanghai", "Tokyo")
    roles = ("scientist", "medic")
    values = [evaluate(game, *hands, roles=roles, where=(at, "Tokyo")) for at in way]
    assert values == sorted(set(values))


def test_the_heuristic_fears_a_city_the_less_the_later_its_infection_card_comes() -> None:
    game, full = quick_game(), {"Tokyo": 3}
    soon = arrange(game, (), (), cubes=full, epidemics=0)
    below = arrange(game, (), (), cubes=full, epidemics=0)
    for state, top in ((soon, "Tokyo"), (below, "Osaka")):
        # those that were shuffled in last lie on top
        for name in (top, "Lima"):
            state.view.shuffled_in.values[city(name)] = 1
        names = [n for n in WORLD.words if n not in (top, "Lima")]
        fill(state, state.view.infection_deck, [*names, top, "Lima"], INFECTION_CARDS)
    out = arrange(game, (), (), cubes=full, infected=["Tokyo"], epidemics=0)
    assert soon.heuristic(0) < below.heuristic(0) < out.heuristic(0)


def test_the_heuristic_does_not_ask_for_the_hidden_order_of_a_layer(game: Pandemic) -> None:
    values = {
        evaluate(game, (), (), cubes={"Tokyo": 3}, infection=top)
        for top in (["Lima", "Osaka", "Tokyo"], ["Tokyo", "Osaka", "Lima"], ["Lagos"])
    }
    assert max(values) == pytest.approx(min(values))


def test_the_heuristic_has_airlift_fly_a_set_to_a_station(game: Pandemic) -> None:
    state = arrange(game, (*FIVE_RED, "Airlift"), (), where=("Lagos", "Lagos"))
    before = state.heuristic(0)
    play(state, "play Airlift on player 1")
    assert state.heuristic(0) > before
    asked = state.heuristic(0)
    play(state, "go to Atlanta")
    assert state.heuristic(0) == pytest.approx(asked, abs=0.01)


def test_the_heuristic_likes_cures_cards_and_few_cubes(game: Pandemic) -> None:
    def value(state: State) -> float:
        values = {state.heuristic(p) for p in range(state.players)}
        assert len(values) == 1  # one team
        return values.pop()

    plain = value(arrange(game, ["Lima", "Tokyo"], []))
    assert value(arrange(game, ["Osaka", "Tokyo"], [])) > plain
    assert value(arrange(game, ["Lima", "Tokyo"], [], cubes={"Cairo": 3})) < plain
    assert value(arrange(game, ["Lima", "Tokyo"], [], cubes={"Cairo": 1})) < plain
    cured = arrange(game, ["Lima", "Tokyo"], [])
    cure(cured, BLUE)
    assert value(cured) > plain
    near = arrange(game, FIVE_RED, [], where=["Miami"])
    far = arrange(game, FIVE_RED, [], where=["Lima"])
    assert value(near) > value(far)
    worse = arrange(game, ["Lima", "Tokyo"], [])
    worse.view.outbreaks.value = 4
    assert value(worse) < plain


# --- TAG's rules --------------------------------------------------------------------------


def test_parameter_map_has_the_slips_of_tag(game: Pandemic) -> None:
    state = arrange(game, [], [], where=["Milan", "Khartoum"], map="tag")
    assert "drive to Algiers" in moves(state)
    play(state, "do nothing more")
    assert "drive to Kinshasa" not in moves(state)
    assert "drive to Algiers" not in moves(arrange(game, [], [], where=["Milan"]))


@pytest.mark.parametrize(
    ("home", "place", "kept_away"),
    [
        ("Milan", "Algiers", True),
        ("Algiers", "Milan", False),
        ("Kinshasa", "Khartoum", True),
        ("Khartoum", "Kinshasa", False),
    ],
)
def test_the_quarantine_specialist_goes_by_the_map_that_is_played(
    game: Pandemic, home: str, place: str, kept_away: bool
) -> None:
    roles = ("scientist", "quarantine-specialist")
    state = arrange(game, [], [], roles=roles, where=["Lima", home], infection=[place], map="tag")
    play(state, "do nothing more")
    assert cubes(state, place) == (0 if kept_away else 1)


def test_parameter_outbreaks_reach_pawns_only(game: Pandemic) -> None:
    state = arrange(
        game,
        [],
        [],
        infection=["Sydney"],
        cubes={"Sydney": 3},
        outbreaks_reach="pawns",
        where=["Manila", "Manila"],
    )
    play(state, "do nothing more")
    assert cubes(state, "Manila") == 2
    assert cubes(state, "Jakarta") == 0


def test_parameter_outbreaks_add_supply(game: Pandemic) -> None:
    state = arrange(
        game, [], [], infection=["Lima", "Sydney"], cubes={"Sydney": 3}, outbreaks_add_supply=True
    )
    play(state, "do nothing more")
    assert state.view.diseases.at[RED, SUPPLY] == 24 - 3 + 3


def test_parameter_quarantine_neighbours_off_protects_her_city_only(game: Pandemic) -> None:
    roles = ("scientist", "quarantine-specialist")
    state = arrange(
        game,
        [],
        [],
        roles=roles,
        where=["Lima", "Paris"],
        infection=["Paris", "London"],
        quarantine_neighbours=False,
    )
    play(state, "do nothing more")
    assert cubes(state, "London") == 1
    assert cubes(state, "Paris") == 0


def test_parameter_medic_prevention_off(game: Pandemic) -> None:
    roles = ("dispatcher", "medic")
    state = arrange(game, [], [], roles=roles, cubes={"Miami": 2}, medic_prevention=False)
    cure(state, YELLOW)
    play(state, "have player 2 drive to Miami")
    assert cubes(state, "Miami") == 2
    state = arrange(game, [], [], roles=roles[::-1], cubes={"Miami": 2}, medic_prevention=False)
    cure(state, YELLOW)
    play(state, "drive to Miami")
    assert cubes(state, "Miami") == 0


def test_parameter_cure_discards_all_and_cure_eradicates(game: Pandemic) -> None:
    state = arrange(
        game,
        [*FIVE_RED, "Tokyo"],
        [],
        roles=("medic", "researcher"),
        cure_discards_all=True,
        cure_eradicates=False,
    )
    play(state, "discover a cure for red")
    assert hand(state, 0) == set()
    assert state.view.diseases.at[RED, CURED] == 1


def test_parameter_events_cost_actions_and_only_in_the_own_turn(game: Pandemic) -> None:
    state = arrange(
        game, ["Airlift"], ["One Quiet Night"], events_cost_actions=True, events_any_time=False
    )
    play(state, "play Airlift on player 1", "go to Tokyo")
    assert state.current_player == 0
    assert state.view.actions_left.value == 3
    play(state, "do nothing more")
    assert state.view.turn == 1


def test_parameter_one_flight_a_turn_off(game: Pandemic) -> None:
    roles = ("operations-expert", "medic")
    state = arrange(game, ["Cairo", "Lima"], [], roles=roles, one_flight_a_turn=False)
    play(state, "fly from the research station, discarding Lima", "go to Tokyo")
    play(state, "build a research station")
    assert "fly from the research station, discarding Cairo" in moves(state)


def test_parameter_survival_rules_leave_two_events() -> None:
    view = quick_game().new_state(2, seed=4, survival_rules=True).view
    in_play = cards_in_play(quick_game().new_state(2, seed=4, survival_rules=True))
    assert {PLAYER_CARDS.word(c) for c in in_play if 48 <= c < EPIDEMIC} == {
        "Airlift",
        "Government Grant",
    }
    assert view.player_deck.count == 50 - 8 + 4


TAG = TAG_RULES["pandemic"]


@pytest.mark.parametrize(
    ("players", "rounds", "decisions", "hidden"),
    [(2, 6.33, 58.1, 0.443), (3, 4.04, 57.8, 0.438), (4, 2.93, 57.4, 0.443)],
)
def test_random_play_under_the_rules_of_tag_is_like_random_play_in_tag(
    players: int, rounds: float, decisions: float, hidden: float
) -> None:
    """Figures of 200 games of TAG's version of 2026: wins, length and share of hidden cards.

    In TAG a Forecast is one choice among all orders of the cards, here a choice card by card,
    which adds a few decisions and delays events a little.
    """
    result = kibitz.playtest(quick_game(), players=players, games=1000, seed=3, parameters=TAG)
    assert result.won_together == 0
    assert result.lost_together == result.finished == 1000
    assert result.rounds_per_game.mean == pytest.approx(rounds, rel=0.06)
    assert 3 < result.decisions_per_game.mean - decisions < 7
    assert result.hidden_share == pytest.approx(hidden, abs=0.03)


@pytest.mark.parametrize(("players", "least"), [(2, 0.15), (3, 0.08), (4, 0.03)])
def test_a_team_that_looks_one_step_ahead_wins_where_random_play_never_does(
    players: int, least: float
) -> None:
    team = kibitz.playtest(quick_game(), players=players, agents="osla", games=300, seed=5)
    chance = kibitz.playtest(quick_game(), players=players, games=300, seed=5)
    assert chance.won_together == 0
    assert team.won_together / team.finished > least


@pytest.mark.parametrize(
    "agents",
    [
        "mcts:iterations=300,rollout_length=0,c=0.01",
        "rhea:iterations=50,plan=team,tries=10,length=5,discount=1",
    ],
)
def test_a_team_that_searches_finds_cures_where_random_play_finds_none(agents: str) -> None:
    team = kibitz.playtest(quick_game(), players=2, agents=agents, games=10, seed=5)
    chance = kibitz.playtest(quick_game(), players=2, games=200, seed=5)
    assert chance.seats[0].score.mean is not None
    assert chance.seats[0].score.mean < 0.05
    assert team.seats[0].score.mean is not None
    assert team.seats[0].score.mean > 1.0

"""Hanabi, rule by rule; and what players know of their own cards."""

from __future__ import annotations

import functools
from collections import Counter
from typing import Any

import pytest

import kibitz
from kibitz.components import clear_deck, put_card
from kibitz.core.errors import IllegalActionError, ParameterError
from kibitz.core.state import State
from kibitz.core.status import Status
from kibitz.library.hanabi import Hanabi
from kibitz.library.hanabi.table import CARDS
from kibitz.pictures import draw

HANDS = (
    ("white 1", "white 2", "red 1", "red 1", "blue 5"),
    ("red 2", "red 3", "green 1", "yellow 1", "yellow 4"),
    ("blue 1", "blue 2", "white 3", "green 5", "green 2"),
)


@functools.cache
def game() -> Hanabi:
    return Hanabi(compiled=False)


def fill(state: State, deck: Any, *cards: str) -> None:
    """Puts exactly these cards into a deck, the last one on top."""
    clear_deck(deck)
    for card in cards:
        put_card(state.view, deck, CARDS.words.index(card))


def arranged(players: int = 3, deck: tuple[str, ...] | None = None, **parameters: Any) -> State:
    """A new game with the hands above, and maybe a deck, its last card on top."""
    state = game().new_state(players, seed=1, **parameters)
    for p in range(players):
        fill(state, state.view.hands[p], *HANDS[p])
    if deck is not None:
        fill(state, state.view.deck, *deck)
    return state


def build(state: State, *heights: int) -> None:
    """Builds the fireworks of the first colours to these heights."""
    cards = []
    for colour, height in enumerate(heights):
        state.view.heights.values[colour] = height
        cards += [CARDS.words[5 * colour + rank] for rank in range(height)]
    fill(state, state.view.fireworks, *cards)
    for p in range(state.players):
        state.view.seat[p].score = len(cards)


def hand(state: State, player: int) -> list[str]:
    return [CARDS.words[card] for card in cards_of(state.view.hands[player])]


def cards_of(deck: Any) -> list[int]:
    return [deck.cards[i] for i in range(deck.count)]


def words(state: State) -> set[str]:
    return {state.action_words(action) for action in state.legal_actions()}


def known(state: State, player: int) -> list[str]:
    """What a player has been told about each card."""
    view, component = state.view.hands[player], game().State.hands.component  # type: ignore[attr-defined]
    return [component.known_in_part(view, i) for i in range(view.count)]


# --- setting up ---------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "cards"), [(2, 5), (3, 5), (4, 4), (5, 4)])
def test_hands_of_five_cards_and_of_four_with_four_and_five_players(
    players: int, cards: int
) -> None:
    view = game().new_state(players, seed=3).view
    assert [view.hands[p].count for p in range(players)] == [cards] * players
    assert view.deck.count == 50 - players * cards
    assert (view.clues.value, view.fuses.value) == (8, 3)


@pytest.mark.parametrize(
    ("rainbow", "sixth"),
    [("none", ()), ("sixth", (3, 2, 2, 2, 1)), ("few", (1,) * 5), ("wild", (3, 2, 2, 2, 1))],
)
def test_the_cards_of_each_variant(rainbow: str, sixth: tuple[int, ...]) -> None:
    state = game().new_state(2, seed=1, rainbow=rainbow)
    cards = Counter(
        card
        for deck in (state.view.deck, *(state.view.hands[p] for p in range(2)))
        for card in cards_of(deck)
    )
    plain = {5 * colour + rank: (3, 2, 2, 2, 1)[rank] for colour in range(5) for rank in range(5)}
    assert cards == plain | {25 + rank: copies for rank, copies in enumerate(sixth)}
    assert state.table.score_range == (0, 30 if sixth else 25)


def test_too_few_cards_for_the_hands_are_refused() -> None:
    with pytest.raises(ParameterError, match="20 cards are too few: 5 players need at least 21"):
        game().table(5, colours=2)


# --- telling ------------------------------------------------------------------------------


def test_players_tell_others_each_colour_and_rank_that_these_hold() -> None:
    assert words(arranged()) == {
        *(f"play card {place}" for place in range(1, 6)),
        *(f"tell player 2 about {what}" for what in ("red", "green", "yellow")),
        *(f"tell player 2 about {rank}s" for rank in (1, 2, 3, 4)),
        *(f"tell player 3 about {what}" for what in ("blue", "white", "green")),
        *(f"tell player 3 about {rank}s" for rank in (1, 2, 3, 5)),
    }


def test_where_it_is_allowed_they_also_tell_that_there_is_no_such_card() -> None:
    told = {word for word in words(arranged(tell_nothing=True)) if "player 2" in word}
    assert len(told) == 10
    state = arranged(tell_nothing=True)
    state.apply("tell player 2 about 5s")
    assert known(state, 1) == ["not 5"] * 5


def test_a_clue_points_at_all_its_cards_and_costs_a_token() -> None:
    state = arranged()
    state.apply("tell player 2 about red")
    assert known(state, 1) == ["red", "red", "not red", "not red", "not red"]
    assert state.view.clues.value == 7
    state.apply("tell player 3 about 2s")
    state.apply("tell player 2 about 3s")
    assert known(state, 1) == [
        "red, not 3",
        "red, 3",
        "not red, not 3",
        "not red, not 3",
        "not red, not 3",
    ]
    assert known(state, 2) == ["not 2", "2", "not 2", "not 2", "2"]
    assert (state.current_player, state.view.clues.value) == (0, 5)


def test_without_a_token_nothing_can_be_told() -> None:
    state = arranged()
    state.view.clues.value = 0
    assert not [word for word in words(state) if "tell" in word]


@pytest.mark.parametrize("rainbow", ["sixth", "few"])
def test_the_sixth_colour_is_told_like_the_others(rainbow: str) -> None:
    state = arranged(rainbow=rainbow)
    fill(state, state.view.hands[1], "rainbow 1", "red 2")
    assert {"tell player 2 about rainbow", "tell player 2 about red"} <= words(state)
    state.apply("tell player 2 about red")
    assert known(state, 1) == ["not red", "red"]


def test_wild_cards_are_of_every_colour_but_of_none_by_itself() -> None:
    state = arranged(rainbow="wild")
    fill(state, state.view.hands[1], "rainbow 1", "red 2")
    colours = ("white", "red", "blue", "yellow", "green")
    told = {word for word in words(state) if "player 2" in word}
    assert told == {
        *(f"tell player 2 about {colour}" for colour in colours),
        "tell player 2 about 1s",
        "tell player 2 about 2s",
    }
    state.apply("tell player 2 about blue")
    assert known(state, 1) == ["blue or rainbow", "not blue or rainbow"]
    state.apply("tell player 3 about 1s")
    state.apply("tell player 2 about red")
    assert known(state, 1) == ["rainbow", "red"]


# --- discarding and playing ---------------------------------------------------------------


def test_a_discard_brings_back_a_token_and_a_card() -> None:
    state = arranged(deck=("red 4", "red 5"))
    assert "discard card 1" not in words(state), "all tokens are there"
    state.apply("tell player 2 about red")
    state.apply("discard card 2")
    assert hand(state, 1) == ["red 2", "green 1", "yellow 1", "yellow 4", "red 5"]
    assert known(state, 1) == ["red", "not red", "not red", "not red", ""]
    assert cards_of(state.view.discards) == [CARDS.words.index("red 3")]
    assert state.view.clues.value == 8


def test_a_card_that_continues_its_firework_is_a_point() -> None:
    state = arranged(deck=("red 4", "red 5"))
    build(state, 0, 1)
    state.apply("tell player 2 about red")
    state.apply("play card 1")
    assert state.scores() == [2, 2, 2]
    assert state.view.heights.values[1] == 2
    assert hand(state, 1) == ["red 3", "green 1", "yellow 1", "yellow 4", "red 5"]
    assert (state.view.fuses.value, state.view.clues.value) == (3, 7)


@pytest.mark.parametrize("height", [0, 2])
def test_any_other_card_is_discarded_and_burns_a_fuse(height: int) -> None:
    state = arranged()
    build(state, height)
    state.apply("play card 2")
    assert state.view.fuses.value == 2
    assert cards_of(state.view.discards) == [CARDS.words.index("white 2")]
    assert state.scores() == [height] * 3


@pytest.mark.parametrize(("clues", "afterwards"), [(3, 4), (8, 8)])
def test_a_five_brings_back_a_token_if_one_is_missing(clues: int, afterwards: int) -> None:
    state = arranged()
    build(state, 0, 0, 4)
    state.view.clues.value = clues
    state.apply("play card 5")
    assert state.view.clues.value == afterwards


# --- the end ------------------------------------------------------------------------------


@pytest.mark.parametrize(("keep_score", "score"), [(False, 0), (True, 3)])
def test_the_last_fuse_ends_the_game_without_points(keep_score: bool, score: int) -> None:
    state = arranged(keep_score=keep_score)
    build(state, 3)
    state.view.fuses.value = 1
    state.apply("play card 1")
    assert (state.status, state.scores()) == (Status.FINISHED, [score] * 3)
    assert game().endings[state.view.phase] == "the last fuse is burnt"


def test_complete_fireworks_end_the_game() -> None:
    state = arranged()
    build(state, 5, 5, 4, 5, 5)
    state.apply("play card 5")
    assert (state.status, state.scores()) == (Status.FINISHED, [25] * 3)
    assert game().endings[state.view.phase] == "all fireworks are complete"


def test_with_a_sixth_colour_thirty_cards_complete_them() -> None:
    state = arranged(rainbow="sixth")
    build(state, 5, 5, 4, 5, 5, 4)
    state.apply("play card 5")
    assert state.status == Status.PLAYING
    fill(state, state.view.hands[1], "rainbow 5")
    state.apply("play card 1")
    assert (state.status, state.scores()) == (Status.FINISHED, [30] * 3)


def test_after_the_last_card_each_player_has_one_more_turn() -> None:
    state = arranged(deck=("red 5",))
    state.apply("play card 1")
    for action in ("play card 3", "play card 1", "tell player 2 about 5s"):
        assert state.status == Status.PLAYING, action
        if "5s" in action:
            fill(state, state.view.hands[1], "red 5")
        state.apply(action)
    assert (state.status, state.scores()) == (Status.FINISHED, [3] * 3)
    assert hand(state, 2) == ["blue 2", "white 3", "green 5", "green 2"], "nothing is drawn"
    assert game().endings[state.view.phase] == "the last round is over"


def test_nothing_is_played_from_a_place_without_a_card() -> None:
    state = game().new_state(4, seed=1)
    with pytest.raises(IllegalActionError):
        state.apply("play card 5")


# --- knowledge ----------------------------------------------------------------------------


def test_players_see_all_cards_but_their_own_and_what_was_told() -> None:
    state = arranged()
    state.apply("tell player 2 about red")
    text = str(state.observation(1))
    assert "Player 1: white 1, white 2, red 1, red 1, blue 5." in text
    assert "? (red), ? (red), ? (not red), ? (not red), ? (not red)." in text
    assert "red 2 (red), red 3 (red), green 1 (not red)" in str(state.observation(0))


def test_samples_agree_with_every_clue() -> None:
    state = arranged()
    for action in ("tell player 2 about red", "tell player 3 about 2s", "tell player 2 about 1s"):
        state.apply(action)
    seen = Counter(hand(state.determinize(1, seed), 1)[2] for seed in range(300))
    assert {card.split()[1] for card in seen} == {"1"}
    assert {card.split()[0] for card in seen} == {"white", "blue", "yellow", "green"}
    for seed in range(50):
        cards = hand(state.determinize(1, seed), 1)
        assert [card.startswith("red") for card in cards] == [True, True, False, False, False]
        assert [card.endswith("1") for card in cards] == [False, False, True, True, False]


def test_a_search_plays_the_card_that_it_was_told_about() -> None:
    state = kibitz.load("hanabi").new_state(2, seed=4)
    fill(state, state.view.hands[0], "blue 4", "red 1", "white 4", "green 3", "yellow 3")
    fill(state, state.view.hands[1], "blue 3", "white 3", "green 4", "yellow 4", "red 4")
    state.apply("play card 2")
    fill(state, state.view.hands[0], "blue 4", "red 2", "white 4", "green 3", "yellow 3")
    state.apply("tell player 1 about red")
    state.apply("tell player 2 about red")
    state.apply("tell player 1 about 2s")
    agent = kibitz.make_agent("kibitz:iterations=400")
    assert state.action_words(agent.choose(state)) == "play card 2"


def test_the_picture_shows_fireworks_by_colour_and_what_is_known_of_cards() -> None:
    state = arranged(rainbow="wild")
    build(state, 3, 0, 0, 0, 0, 1)
    state.apply("tell player 2 about red")
    picture = draw(state, seat=1)
    for words_ in ("rainbow", "hidden card (red or rainbow)", "not red or"):
        assert words_ in picture.svg, words_
    actions = picture.targets["seat-0"]
    assert {state.action_words(action) for action in actions} >= {"tell player 1 about 1s"}

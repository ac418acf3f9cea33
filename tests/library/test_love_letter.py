"""Love Letter, rule by rule; and what everyone can know."""

from __future__ import annotations

import functools
import itertools
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.library.love_letter_oracle import Oracle

from kibitz.components import clear_deck, knows_card, put_card
from kibitz.core.actions import kind, operand
from kibitz.core.errors import IllegalActionError, ParameterError
from kibitz.core.state import State, components_in_play
from kibitz.core.status import Status
from kibitz.library.loveletter.rules import LoveLetter
from kibitz.library.loveletter.table import CARDS, Card, Move, Parameters

GUARD, PRIEST, BARON, HANDMAID, PRINCE, KING, COUNTESS, PRINCESS = Card
EVERYONE = range(4)


@pytest.fixture(scope="module")
def game() -> LoveLetter:
    return compiled_game()


@functools.cache
def compiled_game() -> LoveLetter:
    return LoveLetter(compiled=True)


@functools.cache
def slow_game() -> LoveLetter:
    return LoveLetter(compiled=False)


# --- arranging ----------------------------------------------------------------------------


def fill(state: State, deck: Any, cards: Sequence[int]) -> None:
    """Puts exactly these cards into a deck, the last one on top, known to whom it shows them."""
    clear_deck(deck)
    for card in cards:
        put_card(state.view, deck, card)


def arrange(
    game: LoveLetter,
    *hands: Sequence[int],
    deck: Sequence[int] = (GUARD,) * 5,
    set_aside: Sequence[int] = (GUARD,),
    discards: Sequence[Sequence[int]] = (),
    tokens: Sequence[int] = (),
    **parameters: Any,
) -> State:
    """The first player's turn with these hands; a hand of one card has not drawn yet."""
    state = game.new_state(players=len(hands), seed=1, **parameters)
    view = state.view
    fill(state, view.deck, deck)
    fill(state, view.set_aside, set_aside)
    fill(state, view.face_up, ())
    for p, cards in enumerate(hands):
        fill(state, view.hands[p], cards)
        if not cards:
            view.seat[p].out = 1
    for p, cards in enumerate(discards):
        fill(state, view.discards[p], cards)
    for p, number in enumerate(tokens):
        view.tokens[p].value = number
        view.seat[p].score = number
    return state


def cards(deck: Any) -> list[int]:
    return list(itertools.islice(deck.cards, deck.count))


def hand(state: State, player: int) -> list[int]:
    return cards(state.view.hands[player])


def knowers(state: State, player: int, index: int = 0) -> list[int]:
    """The players who know a card of a hand."""
    return [p for p in range(state.players) if knows_card(state.view.hands[player], index, p)]


def out(state: State) -> list[int]:
    return [p for p in range(state.players) if state.view.seat[p].out]


def tokens(state: State) -> list[int]:
    return [state.view.tokens[p].value for p in range(state.players)]


def ruled_out(state: State, player: int) -> set[int]:
    mask = state.view.ruled_out[player].values[0]
    return {card for card in Card if mask >> card & 1}


def moves(state: State) -> set[str]:
    return {state.action_words(action) for action in state.legal_actions()}


# --- Guard --------------------------------------------------------------------------------


def test_a_guard_that_guesses_right_knocks_out(game: LoveLetter) -> None:
    state = arrange(game, [GUARD, PRIEST], [BARON], [KING])
    state.apply("play Guard on player 2 guessing Baron")
    assert out(state) == [1]
    assert hand(state, 1) == []
    assert cards(state.view.discards[1]) == [BARON]
    assert cards(state.view.discards[0]) == [GUARD]
    assert state.current_player == 2


def test_a_guard_that_guesses_wrong_does_nothing(game: LoveLetter) -> None:
    state = arrange(game, [GUARD, PRIEST], [BARON], [KING])
    state.apply("play Guard on player 2 guessing King")
    assert out(state) == []
    assert hand(state, 1) == [BARON, GUARD]  # who has drawn for their own turn
    assert state.current_player == 1


def test_a_guard_never_guesses_guard(game: LoveLetter) -> None:
    state = arrange(game, [GUARD, PRIEST], [GUARD], [KING])
    guesses = [a for a in state.legal_actions() if kind(a) == Move.GUESS]
    operands = {(operand(a, 0), operand(a, 1)) for a in guesses}
    assert operands == {(p, card) for p in (1, 2) for card in range(PRIEST, PRINCESS + 1)}
    with pytest.raises(IllegalActionError):
        state.apply("play Guard on player 2 guessing Guard")


# --- Priest -------------------------------------------------------------------------------


def test_a_priest_shows_a_hand_to_the_looker_only(game: LoveLetter) -> None:
    state = arrange(game, [PRIEST, GUARD], [BARON], [KING])
    state.apply("play Priest on player 2")
    assert knowers(state, 1) == [0, 1]
    assert knowers(state, 0) == [0]
    assert knowers(state, 2) == [2]
    assert hand(state.observation(0), 1) == [BARON, -1]
    assert hand(state.observation(2), 1) == [-1, -1]
    assert {hand(state.determinize(0, seed), 1)[0] for seed in range(30)} == {BARON}


def test_what_a_priest_has_shown_stays_known_while_other_cards_are_played(
    game: LoveLetter,
) -> None:
    state = arrange(game, [PRIEST, GUARD], [BARON], [KING], deck=[GUARD] * 3 + [HANDMAID])
    state.apply("play Priest on player 2")
    state.apply("play Handmaid")
    assert hand(state, 1) == [BARON]
    assert knowers(state, 1) == [0, 1]


def test_what_a_priest_has_shown_is_forgotten_when_it_is_played(game: LoveLetter) -> None:
    state = arrange(game, [PRIEST, GUARD], [HANDMAID], [KING], deck=[GUARD] * 3 + [PRINCE])
    state.apply("play Priest on player 2")
    state.apply("play Handmaid")
    assert hand(state, 1) == [PRINCE]
    assert knowers(state, 1) == [1]


def test_of_two_equal_cards_nobody_knows_which_one_was_kept(game: LoveLetter) -> None:
    state = arrange(game, [PRIEST, GUARD], [GUARD], [KING], deck=[BARON] * 3 + [GUARD])
    state.apply("play Priest on player 2")
    state.apply("play Guard on player 3 guessing Priest")
    assert hand(state, 1) == [GUARD]
    assert knowers(state, 1) == [1]


# --- Baron --------------------------------------------------------------------------------


@pytest.mark.parametrize(("mine", "theirs", "loser"), [(KING, PRINCE, 1), (PRIEST, COUNTESS, 0)])
def test_a_baron_knocks_out_the_lower_hand(
    game: LoveLetter, mine: int, theirs: int, loser: int
) -> None:
    state = arrange(game, [BARON, mine], [theirs], [GUARD], [GUARD])
    state.apply("play Baron on player 2")
    assert out(state) == [loser]
    assert cards(state.view.discards[loser])[-1] == (theirs if loser else mine)
    assert hand(state, loser) == []
    assert knowers(state, 1 - loser) == [0, 1]  # both have seen both


def test_after_a_duel_everyone_knows_that_the_winner_holds_a_higher_card(
    game: LoveLetter,
) -> None:
    state = arrange(game, [BARON, KING], [HANDMAID], [GUARD])
    state.apply("play Baron on player 2")
    assert ruled_out(state, 0) == {GUARD, PRIEST, BARON, HANDMAID}
    for seed in range(40):
        assert hand(state.determinize(2, seed), 0)[0] > HANDMAID


def test_a_tied_baron_does_nothing_but_show_both_hands(game: LoveLetter) -> None:
    state = arrange(game, [BARON, PRIEST], [PRIEST], [GUARD])
    state.apply("play Baron on player 2")
    assert out(state) == []
    assert knowers(state, 0) == knowers(state, 1) == [0, 1]
    assert ruled_out(state, 0) == ruled_out(state, 1) == set()


def tied(game: LoveLetter, **options: Any) -> State:
    """Two players have kept a Priest in a tied duel; the third one sees what follows."""
    state = arrange(game, [BARON, PRIEST], [PRIEST], [KING], **options)
    state.apply("play Baron on player 2")
    return state


def samples(state: State, observer: int) -> list[list[int]]:
    """The kept card of each player (-1: none) in samples of a state."""
    drawn = [state.determinize(observer, seed) for seed in range(200)]
    return [[(*hand(s, p), -1)[0] for p in range(s.players)] for s in drawn]


def test_after_a_tied_baron_everyone_knows_that_both_cards_are_equal(game: LoveLetter) -> None:
    state = tied(game, deck=[GUARD, GUARD, HANDMAID, HANDMAID, PRINCE])
    hands = samples(state, 2)
    assert all(first == second for first, second, _ in hands)
    assert len({first for first, *_ in hands}) > 2


def test_a_tied_card_that_must_be_discarded_tells_the_other_one(game: LoveLetter) -> None:
    state = tied(game, deck=[HANDMAID, PRINCE, GUARD, PRINCESS])
    state.apply("play Princess")  # all see that player 2 has lost the Priest, too
    assert {first for first, *_ in samples(state, 2)} == {PRIEST}


def test_who_keeps_a_tied_card_or_has_discarded_it(game: LoveLetter) -> None:
    state = tied(game, deck=[GUARD, HANDMAID, BARON, COUNTESS, GUARD, HANDMAID])
    state.apply("play Handmaid")  # it may be the card that was tied, or a new one
    hands = samples(state, 2)
    assert all(first in (second, HANDMAID) for first, second, _ in hands)
    assert any(first == HANDMAID != second for first, second, _ in hands)
    assert any(first == second != HANDMAID for first, second, _ in hands)


def test_a_tied_card_that_loses_the_next_duel_tells_the_other_one(game: LoveLetter) -> None:
    state = arrange(game, [BARON, PRIEST], [PRIEST], [PRINCE], deck=[GUARD, GUARD, GUARD, BARON])
    state.apply("play Baron on player 2")
    state.apply("play Baron on player 3")
    assert out(state) == [1]  # who had to show the Priest
    assert {first for first, *_ in samples(state, 2)} == {PRIEST}


def test_hands_that_were_tied_stay_so_when_traded(game: LoveLetter) -> None:
    state = arrange(
        game, [BARON, PRIEST], [PRIEST], [GUARD], [KING], deck=[GUARD] * 3 + [HANDMAID, COUNTESS]
    )
    state.apply("play Baron on player 2")
    state.apply("play Countess")
    state.apply("play Handmaid")
    state.apply("play King on player 1")
    hands = samples(state, 2)
    assert {fourth for *_, fourth in hands} > {PRIEST}
    assert all(second == fourth for _, second, _, fourth in hands)


# --- Handmaid -----------------------------------------------------------------------------


def test_a_handmaid_protects_until_the_own_next_turn(game: LoveLetter) -> None:
    state = arrange(game, [HANDMAID, PRIEST], [GUARD], [BARON], deck=[GUARD] * 6)
    state.apply("play Handmaid")
    for _ in range(2):
        assert not any("player 1" in words for words in moves(state))
        target = next(words for words in sorted(moves(state)) if words.endswith("Princess"))
        state.apply(target)
    assert state.current_player == 0
    assert state.view.protected[0].value == 0
    state.apply("play Guard on player 2 guessing Princess")
    assert any("on player 1" in words for words in moves(state))


def test_when_all_others_are_protected_a_card_has_no_effect(game: LoveLetter) -> None:
    for card in (GUARD, PRIEST, BARON, KING):
        state = arrange(game, [card, HANDMAID], [PRINCESS], [PRINCESS])
        for p in (1, 2):
            state.view.protected[p].value = 1
        assert moves(state) == {f"play {CARDS.word(card)}", "play Handmaid"}
        state.apply(f"play {CARDS.word(card)}")
        assert out(state) == []
        assert hand(state, 0) == [HANDMAID]
        assert cards(state.view.discards[0]) == [card]
        assert knowers(state, 1) == [1]
        assert state.current_player == 1


def test_players_who_are_out_cannot_be_chosen_and_have_no_turn(game: LoveLetter) -> None:
    state = arrange(game, [PRIEST, KING], [], [BARON], [GUARD])
    assert moves(state) == {f"play {c} on player {p}" for c in ("Priest", "King") for p in (3, 4)}
    state.apply("play Priest on player 3")
    assert state.current_player == 2


# --- Prince -------------------------------------------------------------------------------


def test_a_prince_makes_another_discard_and_draw(game: LoveLetter) -> None:
    state = arrange(game, [PRINCE, GUARD], [KING], [BARON], deck=[GUARD, PRIEST, HANDMAID])
    state.apply("play Prince on player 2")
    assert cards(state.view.discards[1]) == [KING]
    assert hand(state, 1) == [HANDMAID, PRIEST]  # the second one for their own turn
    assert knowers(state, 1) == [1]
    assert out(state) == []


def test_a_prince_may_be_played_on_oneself(game: LoveLetter) -> None:
    state = arrange(game, [PRINCE, GUARD], [KING], deck=[GUARD, HANDMAID])
    state.apply("play Prince on player 1")
    assert cards(state.view.discards[0]) == [PRINCE, GUARD]
    assert hand(state, 0) == [HANDMAID]


@pytest.mark.parametrize("target", [0, 1])
def test_a_prince_that_discards_the_princess_knocks_out(game: LoveLetter, target: int) -> None:
    mine, theirs = (PRINCESS, GUARD) if target == 0 else (GUARD, PRINCESS)
    state = arrange(game, [PRINCE, mine], [theirs], [BARON])
    state.apply(f"play Prince on player {target + 1}")
    assert out(state) == [target]
    assert hand(state, target) == []
    assert cards(state.view.discards[target])[-1] == PRINCESS


def test_a_discarded_card_has_no_effect(game: LoveLetter) -> None:
    state = arrange(game, [PRINCE, GUARD], [HANDMAID], [BARON])
    state.apply("play Prince on player 2")
    assert state.view.protected[1].value == 0


def test_when_all_others_are_protected_a_prince_hits_its_player(game: LoveLetter) -> None:
    state = arrange(game, [PRINCE, HANDMAID], [PRINCESS], [PRINCESS])
    for p in (1, 2):
        state.view.protected[p].value = 1
    assert moves(state) == {"play Prince on player 1", "play Handmaid"}


def test_a_prince_draws_the_card_set_aside_when_the_deck_is_empty(game: LoveLetter) -> None:
    state = arrange(
        game, [PRINCE, BARON], [PRIEST], deck=[], set_aside=[PRINCESS], tokens_to_win=1
    )
    state.apply("play Prince on player 2")
    assert cards(state.view.discards[1]) == [PRIEST]
    assert cards(state.view.set_aside) == []
    assert state.returns() == [-1.0, 1.0]  # who now has the highest hand


def test_a_prince_without_any_card_to_draw_leaves_an_empty_hand(game: LoveLetter) -> None:
    state = arrange(game, [PRINCE, GUARD], [KING], deck=[], set_aside=[], tokens_to_win=1)
    state.apply("play Prince on player 2")
    assert state.returns() == [1.0, -1.0]


# --- King ---------------------------------------------------------------------------------


def test_a_king_trades_hands(game: LoveLetter) -> None:
    state = arrange(game, [KING, GUARD], [PRINCESS], [BARON])
    state.apply("play King on player 2")
    assert hand(state, 0) == [PRINCESS]
    assert hand(state, 1)[0] == GUARD


def test_after_a_king_both_traders_know_both_hands_and_nobody_else_does(
    game: LoveLetter,
) -> None:
    state = arrange(game, [KING, GUARD], [PRINCESS], [BARON])
    state.apply("play King on player 2")
    assert knowers(state, 0) == knowers(state, 1) == [0, 1]
    assert hand(state.observation(2), 0) == [-1]


def test_what_a_priest_has_shown_travels_with_a_king(game: LoveLetter) -> None:
    state = arrange(
        game, [PRIEST, GUARD], [BARON], [HANDMAID], [GUARD], deck=[GUARD] * 3 + [KING, GUARD]
    )
    state.apply("play Priest on player 4")
    state.apply("play Guard on player 3 guessing Prince")
    state.apply("play King on player 4")
    assert hand(state, 2) == [GUARD]
    assert knowers(state, 2) == [0, 2, 3]
    assert hand(state, 3)[0] == HANDMAID
    assert knowers(state, 3) == [2, 3]


# --- Countess -----------------------------------------------------------------------------


@pytest.mark.parametrize("other", [KING, PRINCE])
@pytest.mark.parametrize("swapped", [False, True])
def test_the_countess_must_be_played_with_king_or_prince(
    game: LoveLetter, other: int, swapped: bool
) -> None:
    mine = [other, COUNTESS] if swapped else [COUNTESS, other]
    assert moves(arrange(game, mine, [GUARD])) == {"play Countess"}


@pytest.mark.parametrize("other", [GUARD, PRIEST, BARON, HANDMAID, COUNTESS, PRINCESS])
def test_the_countess_may_be_kept_with_any_other_card(game: LoveLetter, other: int) -> None:
    offered = moves(arrange(game, [COUNTESS, other], [GUARD]))
    assert "play Countess" in offered
    assert any(CARDS.word(other) in words for words in offered)
    assert other == COUNTESS or len(offered) > 1


def test_the_countess_has_no_effect(game: LoveLetter) -> None:
    state = arrange(game, [COUNTESS, GUARD], [KING], [BARON])
    state.apply("play Countess")
    assert out(state) == []
    assert hand(state, 0) == [GUARD]
    assert ruled_out(state, 0) == set()  # she may have been a bluff


# --- Princess -----------------------------------------------------------------------------


@pytest.mark.parametrize("other", [GUARD, KING])
def test_who_plays_the_princess_is_out(game: LoveLetter, other: int) -> None:
    state = arrange(game, [PRINCESS, other], [GUARD], [BARON])
    state.apply("play Princess")
    assert out(state) == [0]
    assert hand(state, 0) == []
    assert cards(state.view.discards[0]) == [PRINCESS, other]
    assert state.current_player == 1


# --- the end of a round -------------------------------------------------------------------


def test_the_last_player_wins_the_round(game: LoveLetter) -> None:
    state = arrange(game, [GUARD, PRIEST], [PRINCESS], [])
    state.apply("play Guard on player 2 guessing Princess")
    assert tokens(state) == [1, 0, 0]
    assert state.view.round == 1
    assert out(state) == []


def test_the_highest_hand_wins_when_the_deck_is_empty(game: LoveLetter) -> None:
    state = arrange(game, [HANDMAID, PRIEST], [KING], [PRINCE], deck=[])
    state.apply("play Handmaid")
    assert tokens(state) == [0, 1, 0]


def test_the_round_goes_on_while_there_is_a_card_to_draw(game: LoveLetter) -> None:
    state = arrange(game, [HANDMAID, PRIEST], [KING], [PRINCE], deck=[GUARD])
    state.apply("play Handmaid")
    assert state.view.round == 0
    assert state.view.deck.count == 0
    state.apply("play Guard on player 3 guessing Priest")
    assert state.view.round == 1


def test_the_last_card_takes_effect_before_hands_are_compared(game: LoveLetter) -> None:
    state = arrange(game, [KING, PRIEST], [PRINCESS], [GUARD], deck=[])
    state.apply("play King on player 2")
    assert tokens(state) == [1, 0, 0]


def test_a_high_hand_of_a_player_who_is_out_does_not_count(game: LoveLetter) -> None:
    state = arrange(game, [HANDMAID, PRIEST], [], [PRINCE], deck=[], discards=[[], [PRINCESS]])
    state.apply("play Handmaid")
    assert tokens(state) == [0, 0, 1]


def test_equal_hands_are_decided_by_the_total_of_discards(game: LoveLetter) -> None:
    state = arrange(
        game,
        [GUARD, PRINCE],
        [PRINCE],
        [BARON],
        deck=[],
        discards=[[GUARD, BARON], [KING], [COUNTESS, PRINCESS]],
    )
    state.apply("play Guard on player 3 guessing Priest")
    # 1 + 3 + 1 against 6: the higher total counts, not the number of cards
    assert tokens(state) == [0, 1, 0]


def test_a_high_total_of_discards_never_outweighs_a_higher_hand(game: LoveLetter) -> None:
    state = arrange(
        game, [HANDMAID, PRIEST], [BARON], deck=[], discards=[[PRINCESS] * 20, []], princesses=2
    )
    state.apply("play Handmaid")
    assert tokens(state) == [0, 1]


def test_players_still_tied_after_the_discards_each_take_a_token(game: LoveLetter) -> None:
    state = arrange(
        game, [GUARD, PRINCE], [PRINCE], [BARON], deck=[], discards=[[BARON, GUARD], [PRINCE], []]
    )
    state.apply("play Guard on player 3 guessing Priest")
    assert tokens(state) == [1, 1, 0]


def test_with_the_shared_tie_rule_discards_do_not_count(game: LoveLetter) -> None:
    state = arrange(
        game,
        [GUARD, PRINCE],
        [PRINCE],
        [BARON],
        deck=[],
        discards=[[], [KING], []],
        tie_rule="shared",
    )
    state.apply("play Guard on player 3 guessing Priest")
    assert tokens(state) == [1, 1, 0]


def test_the_winner_of_a_round_begins_the_next(game: LoveLetter) -> None:
    state = arrange(game, [GUARD, PRIEST], [KING], [PRINCE], deck=[])
    state.apply("play Guard on player 3 guessing King")
    assert (state.view.first_player, state.current_player, state.view.turn_owner) == (1, 1, 1)
    assert [state.view.hands[p].count for p in range(3)] == [1, 2, 1]


def test_of_several_winners_the_next_in_turn_order_begins(game: LoveLetter) -> None:
    state = arrange(
        game, [PRINCESS], [GUARD, BARON], [PRINCESS], deck=[], tie_rule="shared", princesses=2
    )
    view = state.view
    view.first_player = view.turn_owner = view.player = 1
    state.apply("play Guard on player 1 guessing Priest")
    assert tokens(state) == [1, 0, 1]
    assert state.current_player == 2


def test_a_new_round_starts_from_scratch(game: LoveLetter) -> None:
    state = arrange(game, [HANDMAID, KING], [GUARD], [], [PRINCE], deck=[])
    view = state.view
    for p in EVERYONE:
        view.protected[p].value = p % 2
        view.ruled_out[p].values[0] = 6
    state.apply("play Handmaid")
    assert view.round == 1
    assert out(state) == []
    assert [view.protected[p].value for p in EVERYONE] == [0] * 4
    assert [ruled_out(state, p) for p in EVERYONE] == [set()] * 4
    assert [view.discards[p].count for p in EVERYONE] == [0] * 4
    assert [knowers(state, p) for p in EVERYONE] == [[0], [1], [2], [3]]
    assert count_all(state) == Counter(dict.fromkeys(Card, 0)) + FULL_DECK
    assert (view.set_aside.count, view.face_up.count, view.deck.count) == (1, 0, 10)


# --- the end of the game ------------------------------------------------------------------


@pytest.mark.parametrize(("players", "needed"), [(2, 7), (3, 5), (4, 4)])
def test_tokens_to_win_depend_on_the_number_of_players(
    game: LoveLetter, players: int, needed: int
) -> None:
    others = [[PRIEST]] * (players - 1)
    state = arrange(game, [HANDMAID, KING], *others, deck=[], tokens=[needed - 2, needed - 1])
    state.apply("play Handmaid")
    assert not state.is_terminal
    assert state.scores()[0] == needed - 1
    state = arrange(game, [HANDMAID, KING], *others, deck=[], tokens=[needed - 1, needed - 1])
    state.apply("play Handmaid")
    assert state.status == Status.FINISHED
    assert state.scores() == [needed, needed - 1, *[0] * (players - 2)]
    assert state.places() == [1, 2, *[3] * (players - 2)]
    assert state.returns()[0] == 1.0


def test_with_one_token_to_win_the_game_is_one_round(game: LoveLetter) -> None:
    rng = random.Random(1)
    for players in (2, 3, 4):
        state = game.new_state(players=players, seed=players, tokens_to_win=1)
        while not state.is_terminal:
            assert state.view.round == 0
            state.apply(rng.choice(state.legal_actions()))
        assert state.view.round == 1
        assert max(tokens(state)) == 1


def test_players_who_reach_the_last_token_together_share_the_victory(game: LoveLetter) -> None:
    state = arrange(
        game, [GUARD, KING], [KING], [BARON], deck=[], tokens=[4, 4, 3], tie_rule="shared"
    )
    state.apply("play Guard on player 3 guessing Priest")
    assert state.status == Status.FINISHED
    assert state.places() == [1, 1, 3]
    assert state.returns() == [0.25, 0.25, -0.5]


# --- setting up ---------------------------------------------------------------------------

FULL_DECK = Counter(
    {GUARD: 5, PRIEST: 2, BARON: 2, HANDMAID: 2, PRINCE: 2, KING: 1, COUNTESS: 1, PRINCESS: 1}
)


def count_all(state: State) -> Counter[int]:
    view = state.view
    decks = [view.deck, view.set_aside, view.face_up, *view.hands, *view.discards]
    return Counter(card for deck in decks for card in cards(deck))


@pytest.mark.parametrize(("players", "face_up"), [(2, 3), (3, 0), (4, 0)])
def test_the_table_is_set_with_sixteen_cards(game: LoveLetter, players: int, face_up: int) -> None:
    state = game.new_state(players=players, seed=3)
    view = state.view
    assert count_all(state) == FULL_DECK
    assert view.set_aside.count == 1
    assert view.face_up.count == face_up
    assert [view.hands[p].count for p in range(players)] == [2] + [1] * (players - 1)
    assert view.deck.count == 16 - 1 - face_up - players - 1
    assert state.current_player == 0


def test_with_two_players_everyone_sees_three_cards_and_nobody_the_one_face_down(
    game: LoveLetter,
) -> None:
    state = game.new_state(players=2, seed=3)
    for p in range(2):
        masked = state.observation(p).view
        assert cards(masked.face_up) == cards(state.view.face_up)
        assert cards(masked.set_aside) == [-1]
        assert set(cards(masked.deck)) == {-1}
        assert cards(masked.hands[p]) == hand(state, p)
        assert set(cards(masked.hands[1 - p])) == {-1}
        visible = Counter(cards(state.view.face_up))
        for seed in range(20):
            sample = state.determinize(p, seed)
            assert count_all(sample) == FULL_DECK
            assert visible <= count_all(sample)


def test_the_deal_is_shuffled() -> None:
    game = compiled_game()
    firsts = Counter(hand(game.new_state(players=4, seed=seed), 2)[0] for seed in range(1600))
    for card, copies in FULL_DECK.items():
        expected = copies * 100
        spread = (1600 * (copies / 16) * (1 - copies / 16)) ** 0.5
        assert abs(firsts[card] - expected) < 4.5 * spread


def test_parameters_change_the_deck(game: LoveLetter) -> None:
    state = game.new_state(players=3, seed=1, guards=8, kings=0, princesses=2, set_aside=3)
    changed = FULL_DECK + Counter({GUARD: 3, PRINCESS: 1}) - Counter({KING: 1})
    assert count_all(state) == changed
    assert state.view.set_aside.count == 3


NO_CARDS = dict.fromkeys(
    ("priests", "barons", "handmaids", "princes", "kings", "countesses", "princesses"), 0
)


@pytest.mark.parametrize(("players", "guards"), [(2, 6), (3, 4), (4, 5)])
def test_too_few_cards_are_refused(players: int, guards: int) -> None:
    with pytest.raises(ParameterError, match=f"{guards} cards are too few.*at least {guards + 1}"):
        slow_game().table(players, guards=guards, **NO_CARDS)


@pytest.mark.parametrize(("players", "guards"), [(2, 7), (3, 5), (4, 6)])
def test_just_enough_cards_are_playable(game: LoveLetter, players: int, guards: int) -> None:
    state = game.new_state(players=players, guards=guards, **NO_CARDS)
    assert state.view.deck.count == 0
    state.apply("play Guard on player 2 guessing King")
    # all hold Guards, and the one who played has discarded most
    assert tokens(state) == [1] + [0] * (players - 1)


# --- what everyone can conclude -----------------------------------------------------------


def test_after_a_failed_guess_nobody_believes_it_any_more(game: LoveLetter) -> None:
    state = arrange(game, [GUARD, PRIEST], [BARON], [KING])
    state.apply("play Guard on player 2 guessing Princess")
    assert ruled_out(state, 1) == {PRINCESS}
    for seed in range(60):
        for observer in (0, 2):
            assert hand(state.determinize(observer, seed), 1)[0] != PRINCESS


def test_what_was_ruled_out_adds_up(game: LoveLetter) -> None:
    state = arrange(game, [GUARD, PRIEST], [GUARD], [BARON], [KING], deck=[GUARD] * 5)
    state.apply("play Guard on player 4 guessing Princess")
    state.apply("play Guard on player 4 guessing Baron")
    assert ruled_out(state, 3) == {PRINCESS, BARON}


def test_it_is_forgotten_when_the_card_may_have_been_played(game: LoveLetter) -> None:
    state = arrange(game, [GUARD, PRIEST], [BARON], [KING], deck=[GUARD, HANDMAID])
    state.apply("play Guard on player 2 guessing Princess")
    state.apply("play Handmaid")
    assert ruled_out(state, 1) == set()  # the card kept may be the one just drawn


def test_it_is_kept_when_the_card_played_must_have_been_drawn(game: LoveLetter) -> None:
    state = arrange(game, [GUARD, PRIEST], [BARON], [KING], deck=[GUARD, HANDMAID])
    state.apply("play Guard on player 2 guessing Handmaid")
    state.apply("play Handmaid")
    assert ruled_out(state, 1) == {HANDMAID}


@pytest.mark.parametrize("target", [0, 2])
def test_who_plays_a_prince_has_not_kept_the_countess(game: LoveLetter, target: int) -> None:
    state = arrange(game, [PRINCE, BARON], [GUARD], [KING])
    state.apply(f"play Prince on player {target + 1}")
    # unless they discarded themselves: then they hold a new card
    assert ruled_out(state, 0) == ({COUNTESS} if target else set())


def test_what_is_known_of_the_card_kept_is_added_to_what_was_known(game: LoveLetter) -> None:
    state = arrange(game, [GUARD, PRIEST], [BARON], [KING], deck=[GUARD] * 3 + [PRINCE])
    state.apply("play Guard on player 2 guessing Prince")
    state.apply("play Prince on player 3")
    assert ruled_out(state, 1) == {PRINCE, COUNTESS}


def test_who_plays_a_king_has_given_away_something_else_than_the_countess(
    game: LoveLetter,
) -> None:
    state = arrange(game, [KING, BARON], [GUARD], [PRIEST])
    state.apply("play King on player 2")
    assert ruled_out(state, 0) == set()
    assert ruled_out(state, 1) == {COUNTESS}


def test_what_was_ruled_out_travels_with_a_king(game: LoveLetter) -> None:
    state = arrange(game, [GUARD, PRIEST], [BARON], [HANDMAID], deck=[GUARD] * 3 + [KING])
    state.apply("play Guard on player 3 guessing Princess")
    state.apply("play King on player 3")
    assert ruled_out(state, 1) == {PRINCESS}
    assert ruled_out(state, 2) == {COUNTESS}


def test_a_prince_makes_it_forgotten(game: LoveLetter) -> None:
    state = arrange(game, [GUARD, PRIEST], [PRINCE], [HANDMAID])
    state.apply("play Guard on player 3 guessing Princess")
    state.apply("play Prince on player 3")
    assert ruled_out(state, 2) == set()


# --- whole games --------------------------------------------------------------------------

FEW_TOKENS = {"tokens_to_win": 2}


def random_states(game: LoveLetter, players: int, seed: int, **parameters: Any) -> Iterator[State]:
    """Every state of a random game; the same object, played on."""
    state = game.new_state(players=players, seed=seed, **parameters)
    rng = random.Random(seed)
    yield state
    while not state.is_terminal:
        state.apply(rng.choice(state.legal_actions()))
        yield state


games_to_play = [(players, seed) for players in (2, 3, 4) for seed in range(12)]


@pytest.mark.parametrize(("players", "seed"), games_to_play)
def test_no_card_is_ever_lost_or_made(players: int, seed: int) -> None:
    for state in random_states(compiled_game(), players, seed):
        assert count_all(state) == FULL_DECK


@pytest.mark.parametrize(("players", "seed"), games_to_play)
def test_the_truth_is_never_ruled_out(players: int, seed: int) -> None:
    for state in random_states(compiled_game(), players, seed):
        for p in range(players):
            assert state.view.hands[p].count == 0 or hand(state, p)[0] not in ruled_out(state, p)
            assert LoveLetter.is_consistent(state.view, None, p)


@pytest.mark.parametrize(("players", "seed"), games_to_play)
def test_observations_agree_with_all_that_the_observer_knows(players: int, seed: int) -> None:
    for state in random_states(compiled_game(), players, seed, **FEW_TOKENS):
        if state.is_terminal:
            break
        for p in range(players):
            sample = state.determinize(p, seed)
            assert bytes(sample.observation(p)) == bytes(state.observation(p))
            assert count_all(sample) == FULL_DECK
            for other in range(players):
                if sample.view.hands[other].count > 0:
                    assert hand(sample, other)[0] not in ruled_out(state, other)
            again = state.determinize(p, seed + 1).determinize(p, seed)
            assert again == sample  # which depends on what p knows, not on the truth


@pytest.mark.parametrize("players", [2, 3, 4])
def test_rounds_go_as_the_plain_rules_say(players: int) -> None:
    game = compiled_game()
    for seed in range(60):
        tie_rule = "shared" if seed % 3 == 0 else "discards"
        state = game.new_state(players=players, seed=seed, tie_rule=tie_rule)
        rng = random.Random(seed)
        while not state.is_terminal:
            oracle = start_oracle(state)
            before, rounds = tokens(state), state.view.round
            while not oracle.over:
                legal = moves(state)
                words = rng.choice(sorted(legal))
                assert legal == oracle.moves()
                oracle.play(words)
                state.apply(words)
                if not oracle.over:
                    compare(state, oracle)
            winners = oracle.winners(tie_by_discards=tie_rule == "discards")
            assert state.view.round == rounds + 1
            after = [n + (p in winners) for p, n in enumerate(before)]
            assert tokens(state) == after
            assert state.is_terminal == (max(after) == {2: 7, 3: 5, 4: 4}[players])
            if not state.is_terminal and len(winners) == 1:
                assert winners == {state.current_player}


def start_oracle(state: State) -> Oracle:
    view = state.view
    seats = range(state.players)
    return Oracle(
        hands=[hand(state, p) for p in seats],
        deck=cards(view.deck),
        set_aside=cards(view.set_aside),
        discards=[[] for _ in seats],
        player=state.current_player,
    )


def compare(state: State, oracle: Oracle) -> None:
    view = state.view
    seats = range(state.players)
    assert state.current_player == oracle.player
    assert [hand(state, p) for p in seats] == oracle.hands
    assert cards(view.deck) == oracle.deck
    assert cards(view.set_aside) == oracle.set_aside
    assert [cards(view.discards[p]) for p in seats] == oracle.discards
    assert {p for p in seats if view.protected[p].value} == oracle.protected
    assert set(out(state)) == oracle.out


def test_games_are_the_same_compiled_and_uncompiled() -> None:
    games = [compiled_game(), slow_game()]
    for seed in range(80):
        players = 2 + seed % 3
        needed = 3 if seed < 20 else 1
        walks = [random_states(game, players, seed, tokens_to_win=needed) for game in games]
        for compiled, plain in zip(*walks, strict=True):
            assert bytes(compiled) == bytes(plain)


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(2, 4))
def test_with_any_parameters_games_end_and_keep_their_cards(seed: int, players: int) -> None:
    rng = random.Random(seed)
    game = compiled_game()
    values = Parameters.randomize(players, rng).as_dict() | {"tokens_to_win": rng.randint(1, 3)}
    if LoveLetter.problem(players, Parameters(players, **values)):
        with pytest.raises(ParameterError, match="too few"):
            game.table(players, **values)
        return
    start = None
    for state in random_states(game, players, seed, **values):
        start = start or count_all(state)
        if state.tick % 8 == 0 or state.is_terminal:
            assert count_all(state) == start
            assert not any(i.component.problem(view) for i, view in components_in_play(state))
    assert state.status == Status.FINISHED
    assert max(tokens(state)) == values["tokens_to_win"]


def test_the_heuristic_stays_in_range_and_likes_tokens_and_high_cards(game: LoveLetter) -> None:
    for players in (2, 4):
        for state in random_states(game, players, 3, **FEW_TOKENS):
            assert all(-1.0 <= state.heuristic(p) <= 1.0 for p in range(players))
    ahead = arrange(game, [GUARD, KING], [PRIEST], tokens=[3, 1])
    assert ahead.heuristic(0) > 0 > ahead.heuristic(1)
    low = arrange(game, [GUARD, PRIEST], [BARON])
    high = arrange(game, [GUARD, PRINCESS], [BARON])
    assert high.heuristic(0) > low.heuristic(0)
    gone = arrange(game, [GUARD, PRIEST], [], [BARON])
    assert gone.heuristic(1) < gone.heuristic(2)

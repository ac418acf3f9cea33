"""Uno, rule by rule; and what everyone can know."""

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
from papers.tag_rules import TAG_RULES
from tests.library.telling import compare_tellings, logged

import kibitz
from kibitz.components import clear_deck, knows_card, put_card
from kibitz.components.batches import BITS, ONES
from kibitz.core.errors import IllegalActionError, ParameterError
from kibitz.core.state import State, components_in_play
from kibitz.core.status import Status
from kibitz.library.uno.cards import CARDS, COLOURS
from kibitz.library.uno.deductions import agrees, note_deal
from kibitz.library.uno.phases import Phase
from kibitz.library.uno.rules import Uno
from kibitz.library.uno.table import Parameters
from kibitz.players.simple import RandomAgent

WILD, WILD_DRAW_FOUR = CARDS.find("Wild"), CARDS.find("Wild Draw Four")
FILLER = ("green 1", "green 2", "green 3", "green 4", "green 5", "green 6", "green 7", "green 8")


@pytest.fixture(scope="module")
def game() -> Uno:
    return compiled_game()


@functools.cache
def compiled_game() -> Uno:
    return Uno(compiled=True)


@functools.cache
def slow_game() -> Uno:
    return Uno(compiled=False)


# --- arranging ----------------------------------------------------------------------------


def fill(state: State, deck: Any, names: Sequence[str]) -> None:
    """Puts exactly these cards into a deck, the last one on top."""
    clear_deck(deck)
    for name in names:
        put_card(state.view, deck, CARDS.find(name))


def arrange(
    game: Uno,
    *hands: Sequence[str],
    top: str = "red 5",
    pile: Sequence[str] = (),
    stock: Sequence[str] = FILLER,
    colour: str | None = None,
    scores: Sequence[int] = (),
    **parameters: Any,
) -> State:
    """The first player's turn, with these hands, the next card to be drawn last in `stock`."""
    state = game.new_state(players=len(hands), seed=1, **parameters)
    view = state.view
    fill(state, view.stock, stock)
    fill(state, view.pile, (*pile, top))
    for p, names in enumerate(hands):
        fill(state, view.hands[p], names)
        if not names:
            view.seat[p].out = view.knocked_out[p].value = 1
    note_deal(view)
    for p, score in enumerate(scores):
        view.seat[p].score = score
    view.colour.value = COLOURS.index(colour or top.split()[0])
    view.player = view.turn_owner = view.first_player = 0
    view.direction, view.phase, view.round = 1, Phase.TURN, 1
    view.began.values[0] = view.turn
    return state


def held(state: State, player: int) -> list[str]:
    """The cards of a hand, in order."""
    return names(state.view.hands[player])


def names(deck: Any) -> list[str]:
    """The cards of a deck, the top one last."""
    return [CARDS.word(deck.cards[i]) for i in range(deck.count)]


def known(state: State, player: int, observer: int) -> list[str]:
    """The cards of a hand that `observer` knows."""
    hand = state.view.hands[player]
    return sorted(
        CARDS.word(hand.cards[i]) for i in range(hand.count) if knows_card(hand, i, observer)
    )


def counts(state: State) -> list[int]:
    return [state.view.hands[p].count for p in range(state.players)]


def moves(state: State) -> set[str]:
    return {state.action_words(action) for action in state.legal_actions()}


def plays(state: State) -> set[str]:
    """The cards that may be played."""
    targets = {m.removeprefix("play ") for m in moves(state) if m.startswith("play ")}
    return {m.split(",")[0].split(" and ")[0] for m in targets}


def scores(state: State) -> list[int]:
    return [int(s) for s in state.scores()]


QUIET = {"uno_call": False}
A = ("red 1", "blue 7", "yellow 9")
B = ("red 2", "blue 8", "yellow 8")
C = ("red 3", "blue 9", "yellow 7")


# --- the pack and the deal ----------------------------------------------------------------

FULL_PACK = Counter({card.name: card.count for card in CARDS})


def count_all(state: State) -> Counter[str]:
    view = state.view
    return Counter(name for deck in (view.stock, view.pile, *view.hands) for name in names(deck))


def test_the_pack() -> None:
    assert FULL_PACK.total() == 108
    for colour in COLOURS:
        cards = {name: n for name, n in FULL_PACK.items() if name.split()[0] == colour}
        assert cards.pop(f"{colour} 0") == 1
        actions = [f"{colour} {name}" for name in ("Skip", "Reverse", "Draw Two")]
        assert cards == dict.fromkeys([*(f"{colour} {n}" for n in range(1, 10)), *actions], 2)
    assert FULL_PACK["Wild"] == FULL_PACK["Wild Draw Four"] == 4
    assert (CARDS.word(WILD), CARDS.word(WILD_DRAW_FOUR)) == ("Wild", "Wild Draw Four")


@pytest.mark.parametrize("players", range(2, 11))
def test_seven_cards_each_and_one_turned_up(game: Uno, players: int) -> None:
    state = next(s for s in starts(game, players) if first_card(s).split()[1] in "0123456789")
    assert counts(state) == [7] * players
    assert state.view.pile.count == 1
    assert state.view.stock.count == 107 - 7 * players
    assert count_all(state) == FULL_PACK
    assert state.current_player == 0
    assert state.view.colour.value == COLOURS.index(first_card(state).split()[0])


def test_the_deal_is_shuffled() -> None:
    firsts = Counter(held(compiled_game().new_state(players=4, seed=s), 2)[0] for s in range(2160))
    for name, copies in FULL_PACK.items():
        spread = (20 * copies) ** 0.5
        assert abs(firsts[name] - 20 * copies) < 5.0 * spread


def test_parameters_change_the_pack(game: Uno) -> None:
    changes = {"numbers": 8, "zeros": 2, "copies": 1, "skips": 0, "reverses": 1, "draw_twos": 3}
    state = game.new_state(players=2, seed=4, wilds=1, wild_draw_fours=6, cards_each=3, **changes)
    pack = count_all(state)
    for colour in COLOURS:
        cards = {"0": 2, "1": 1, "7": 1, "8": 0, "9": 0, "Skip": 0, "Reverse": 1, "Draw Two": 3}
        for name, n in cards.items():
            assert pack[f"{colour} {name}"] == n
    assert (pack["Wild"], pack["Wild Draw Four"]) == (1, 6)


def test_too_few_cards_are_refused() -> None:
    few = {"numbers": 2, "copies": 1, "skips": 1, "reverses": 0, "draw_twos": 0, "wilds": 0}
    with pytest.raises(ParameterError, match="16 cards are too few: 2 players need at least 17"):
        slow_game().table(2, cards_each=8, wild_draw_fours=4, **few)
    assert slow_game().new_state(2, cards_each=7, wild_draw_fours=4, **few).view.stock.count == 1


def test_rules_under_which_a_wild_card_goes_round_for_ever_are_refused() -> None:
    rules: dict[str, Any] = {"must_play_drawn": True, "colourless_drawn": True}
    for more in ({}, {"wild_numbers": True, "zeros": 0}, {"wild_numbers": True, "numbers": 4}):
        with pytest.raises(ParameterError, match="set turn_limit"):
            slow_game().table(3, **rules, **more)
        slow_game().table(3, **rules, **more, turn_limit=300)
    slow_game().table(3, **rules, wild_numbers=True)


# --- the first card -----------------------------------------------------------------------


def starts(game: Uno, players: int, **parameters: Any) -> Iterator[State]:
    """Games just begun, from many seeds."""
    return (game.new_state(players=players, seed=s, **parameters) for s in range(2000))


def first_card(state: State) -> str:
    return names(state.view.pile)[0]


def start_with(game: Uno, ending: str, players: int = 3, **parameters: Any) -> State:
    """A game in which the name of the first card ends with `ending`."""
    return next(s for s in starts(game, players, **parameters) if first_card(s).endswith(ending))


def test_a_wild_first_lets_the_first_player_name_the_colour(game: Uno) -> None:
    state = start_with(game, "Wild")
    assert state.current_player == 0
    assert moves(state) == {f"name {colour}" for colour in COLOURS}
    state.apply("name green")
    assert state.current_player == 0
    assert state.view.phase == Phase.TURN
    for name in plays(state):
        assert name.startswith(("green", "Wild"))


def test_a_draw_two_first_hits_the_first_player(game: Uno) -> None:
    state = start_with(game, "Draw Two")
    assert counts(state) == [9, 7, 7]
    assert state.current_player == 1


def test_a_skip_first_skips_the_first_player(game: Uno) -> None:
    state = start_with(game, "Skip")
    assert counts(state) == [7, 7, 7]
    assert state.current_player == 1


@pytest.mark.parametrize(("players", "dealer"), [(2, 1), (3, 2), (6, 5)])
def test_a_reverse_first_lets_the_dealer_begin_the_other_way(
    game: Uno, players: int, dealer: int
) -> None:
    state = start_with(game, "Reverse", players)
    assert counts(state) == [7] * players
    assert state.current_player == dealer
    assert state.view.direction == -1


def test_a_wild_draw_four_is_never_first() -> None:
    firsts = Counter(first_card(s) for s in starts(compiled_game(), 4))
    assert "Wild Draw Four" not in firsts
    assert 40 < firsts["Wild"] < 120  # 2000 * 4 / 104


def test_without_wild_start_no_wild_is_first() -> None:
    firsts = Counter(first_card(s) for s in starts(compiled_game(), 4, wild_start=False))
    assert not firsts.keys() & {"Wild", "Wild Draw Four"}


# --- which card goes on which -------------------------------------------------------------

MANY = ("red 1", "blue 5", "green Skip", "blue Draw Two", "yellow 0", "Wild", "Wild Draw Four")


@pytest.mark.parametrize(
    ("top", "colour", "playable"),
    [
        ("red 5", None, {"red 1", "blue 5"}),
        ("blue 9", None, {"blue 5", "blue Draw Two"}),
        ("yellow Skip", None, {"green Skip", "yellow 0"}),
        ("green Draw Two", None, {"green Skip", "blue Draw Two"}),
        ("Wild", "yellow", {"yellow 0"}),
        ("Wild Draw Four", "red", {"red 1"}),
    ],
)
def test_a_card_follows_its_colour_number_or_symbol_and_a_wild_follows_all(
    game: Uno, top: str, colour: str | None, playable: set[str]
) -> None:
    state = arrange(game, MANY, B, top=top, colour=colour)
    assert plays(state) == playable | {"Wild", "Wild Draw Four"}
    with pytest.raises(IllegalActionError):
        state.apply("play yellow 0" if "yellow 0" not in playable else "play red 1")


def test_a_wild_card_names_any_colour(game: Uno) -> None:
    for colour in COLOURS:
        state = arrange(game, MANY, B)
        state.apply(f"play Wild and name {colour}")
        assert state.view.colour.value == COLOURS.index(colour)
        assert state.current_player == 1


def test_equal_cards_are_one_choice(game: Uno) -> None:
    state = arrange(game, ["red 1", "red 1", "Wild", "Wild", "blue 2"], B)
    assert sorted(moves(state)) == [
        "draw a card",
        *(f"play Wild and name {colour}" for colour in sorted(COLOURS)),
        "play red 1",
    ]


def test_without_match_symbols_an_action_card_follows_its_colour_only(game: Uno) -> None:
    state = arrange(game, MANY, B, top="yellow Skip", match_symbols=False)
    assert plays(state) == {"yellow 0", "Wild", "Wild Draw Four"}
    state = arrange(game, MANY, B, top="red 5", match_symbols=False)
    assert "blue 5" in plays(state)


def test_with_wild_numbers_a_0_follows_a_wild_and_a_4_a_wild_draw_four(game: Uno) -> None:
    hand = ("red 0", "blue 4", "green 4", "yellow 7")
    state = arrange(game, hand, B, top="Wild", colour="yellow", wild_numbers=True)
    assert plays(state) == {"red 0", "yellow 7"}
    state = arrange(game, hand, B, top="Wild Draw Four", colour="yellow", wild_numbers=True)
    assert plays(state) == {"blue 4", "green 4", "yellow 7"}


# --- drawing ------------------------------------------------------------------------------


def test_who_can_play_may_draw_and_play_what_was_drawn(game: Uno) -> None:
    state = arrange(game, A, B, C, stock=(*FILLER, "blue 5"))
    assert moves(state) == {"play red 1", "draw a card"}
    state.apply("draw a card")
    assert state.current_player == 0
    assert moves(state) == {"play blue 5", "keep the card drawn"}  # not red 1 any more
    state.apply("play blue 5")
    assert held(state, 0) == list(A)
    assert state.current_player == 1


def test_who_has_drawn_may_keep_the_card(game: Uno) -> None:
    state = arrange(game, A, B, C, stock=(*FILLER, "Wild"))
    state.apply("draw a card")
    assert len(moves(state)) == 5
    state.apply("keep the card drawn")
    assert held(state, 0) == [*A, "Wild"]
    assert state.current_player == 1


def test_nobody_sees_whether_a_card_that_was_kept_could_be_played(game: Uno) -> None:
    state = arrange(game, A, B, C, stock=(*FILLER, "green 9"))
    state.apply("draw a card")
    assert state.current_player == 0  # although there is nothing to decide
    assert moves(state) == {"keep the card drawn"}


def test_without_voluntary_draw_only_who_cannot_play_draws(game: Uno) -> None:
    state = arrange(game, A, B, C, voluntary_draw=False)
    assert moves(state) == {"play red 1"}
    state = arrange(game, A, B, C, top="green 3", voluntary_draw=False)
    assert moves(state) == {"draw a card"}


def test_with_must_play_drawn_a_card_is_played_at_once_if_it_can_be(game: Uno) -> None:
    rules = {"must_play_drawn": True, "voluntary_draw": False, "top": "green 3"}
    state = arrange(game, A, B, C, stock=(*FILLER, "green Skip"), **rules)
    state.apply("draw a card")
    assert held(state, 0) == list(A)
    assert state.current_player == 2
    state = arrange(game, A, B, C, stock=(*FILLER, "red 9"), **rules)
    state.apply("draw a card")
    assert held(state, 0) == [*A, "red 9"]
    assert state.current_player == 1


def test_with_must_play_drawn_a_choice_is_still_the_players(game: Uno) -> None:
    rules = {"must_play_drawn": True, "voluntary_draw": False, "top": "green 3"}
    state = arrange(game, A, B, C, stock=(*FILLER, "Wild"), **rules)
    state.apply("draw a card")
    assert moves(state) == {f"play Wild and name {colour}" for colour in COLOURS}
    state = arrange(game, A[:1], B, C, stock=(*FILLER, "green 9"), **rules)
    state.apply("draw a card")
    assert moves(state) == {"play green 9", "play green 9 and call Uno"}


def test_with_colourless_drawn_a_wild_just_drawn_has_no_colour(game: Uno) -> None:
    rules: dict[str, Any] = {"must_play_drawn": True, "voluntary_draw": False}
    rules |= {"colourless_drawn": True, "turn_limit": 100}
    state = arrange(game, A, MANY, C, top="green 3", stock=(*FILLER, "Wild"), **rules)
    state.apply("draw a card")
    assert state.current_player == 1
    assert plays(state) == {"Wild", "Wild Draw Four"}
    state = arrange(game, A, MANY, C, stock=(*FILLER, "Wild"), colourless_drawn=True)
    state.apply("draw a card")
    assert moves(state) == {"keep the card drawn", "play Wild"}


# --- when the stock is used up ------------------------------------------------------------


def test_the_discards_below_the_top_become_the_stock(game: Uno) -> None:
    pile = ["yellow 1", "yellow 2", "yellow 3", "Wild"]
    state = arrange(game, A, B, C, pile=pile, stock=["blue 1"])
    state.apply("draw a card")
    state.apply("keep the card drawn")
    assert names(state.view.pile) == ["red 5"]
    assert sorted(names(state.view.stock)) == sorted(pile)


def test_in_the_middle_of_a_penalty_too(game: Uno) -> None:
    state = arrange(game, ["red Draw Two", *A], B, C, pile=["yellow 3"], stock=["blue 1"])
    state.apply("play red Draw Two")
    assert held(state, 1)[:-1] == [*B, "blue 1"]
    assert held(state, 1)[-1] in ("yellow 3", "red 5")
    assert names(state.view.pile) == ["red Draw Two"]


def test_where_there_is_no_card_left_less_is_drawn(game: Uno) -> None:
    state = arrange(game, ["red Draw Two", *A], B, C, stock=())
    state.apply("play red Draw Two")
    assert sorted(held(state, 1)) == sorted([*B, "red 5"])
    assert state.current_player == 2


def test_who_can_neither_play_nor_draw_passes_and_who_can_must_play(game: Uno) -> None:
    state = arrange(game, ["blue 1", "blue 2", "blue 3"], A, B, stock=())
    assert moves(state) == {"pass"}
    state.apply("pass")
    assert state.current_player == 1
    assert moves(state) == {"play red 1"}


def test_when_all_have_passed_in_a_row_the_fewest_cards_win(game: Uno) -> None:
    hands = (["blue 1", "blue 2", "blue 3"], ["blue 4", "blue 7"], ["blue 6", "yellow 0"])
    state = arrange(game, *hands, stock=(), target=0)
    for _ in range(2):
        assert len(logged(state, "pass", 0)) == 1
    assert logged(state, "pass", 0)[1:3] == [
        *("Nobody can play or draw, so the round is over.", "Player 3 wins the round."),
    ]
    assert scores(state) == [0, 0, 6 + 11]  # equally few cards, and fewer points
    assert state.returns()[2] == 1.0


def test_a_pass_that_is_not_followed_by_others_is_forgotten(game: Uno) -> None:
    blue = ["blue 1", "blue 2", "blue 3"]
    state = arrange(game, blue, ["red 7", "blue 7", "blue 8"], blue, stock=(), uno_call=False)
    for move in ("pass", "play red 7", "draw a card", "keep the card drawn"):
        state.apply(move)
    assert moves(state) == {"pass"}
    state.apply("pass")
    assert state.view.round == 1
    assert state.view.passes.value == 1


# --- action cards -------------------------------------------------------------------------


def test_a_skip_skips_the_next_player(game: Uno) -> None:
    state = arrange(game, ["red Skip", *A], B, C)
    state.apply("play red Skip")
    assert state.current_player == 2


def test_a_reverse_turns_the_direction(game: Uno) -> None:
    state = arrange(game, ["red Reverse", *A], B, ["red Reverse", *C])
    state.apply("play red Reverse")
    assert state.current_player == 2
    state.apply("play red Reverse")
    assert state.current_player == 0


@pytest.mark.parametrize("card", ["Skip", "Reverse", "Draw Two"])
def test_of_two_players_one_goes_on_after_a_skip_a_reverse_and_a_draw_two(
    game: Uno, card: str
) -> None:
    state = arrange(game, [f"red {card}", *A], B)
    state.apply(f"play red {card}")
    assert state.current_player == 0
    assert counts(state) == [3, 5 if card == "Draw Two" else 3]


def test_a_draw_two_hits_the_next_player(game: Uno) -> None:
    state = arrange(game, ["red Draw Two", *A], B, C, stock=(*FILLER, "blue 1", "blue 2"))
    state.apply("play red Draw Two")
    assert held(state, 1) == [*B, "blue 2", "blue 1"]
    assert state.current_player == 2


def test_draw_two_on_draw_two_is_not_added_up(game: Uno) -> None:
    state = arrange(game, ["red Draw Two", *A], ["blue Draw Two", *B], C)
    state.apply("play red Draw Two")
    assert counts(state) == [3, 6, 3]
    assert state.current_player == 2


# --- Wild Draw Four -----------------------------------------------------------------------

HONEST = ("Wild Draw Four", "blue 7", "yellow 9", "green 2")
BLUFF = ("Wild Draw Four", "red 1", "yellow 9", "green 2")


def test_who_is_hit_by_a_wild_draw_four_may_draw_four(game: Uno) -> None:
    for hand in (HONEST, BLUFF):
        state = arrange(game, hand, B, C)
        state.apply("play Wild Draw Four and name blue")
        assert state.current_player == 1
        assert moves(state) == {"draw four cards", "challenge the Wild Draw Four"}
        state.apply("draw four cards")
        assert counts(state) == [3, 7, 3]
        assert state.current_player == 2
        assert plays(state) == {"blue 9"}


def test_who_bluffed_and_is_challenged_draws_four_and_the_challenger_plays(game: Uno) -> None:
    state = arrange(game, BLUFF, B, C)
    state.apply("play Wild Draw Four and name blue")
    state.apply("challenge the Wild Draw Four")
    assert counts(state) == [7, 3, 3]
    assert state.current_player == 1
    assert plays(state) == {"blue 8"}  # the colour named stays


def test_who_challenges_an_honest_player_draws_six_and_misses_the_turn(game: Uno) -> None:
    state = arrange(game, HONEST, B, C)
    state.apply("play Wild Draw Four and name blue")
    state.apply("challenge the Wild Draw Four")
    assert counts(state) == [3, 9, 3]
    assert state.current_player == 2


@pytest.mark.parametrize(
    ("other", "guilty"), [("blue 5", False), ("Wild", False), ("red Skip", True), ("red 5", True)]
)
def test_only_cards_of_the_colour_make_a_bluff(game: Uno, other: str, guilty: bool) -> None:
    state = arrange(game, ["Wild Draw Four", other, "blue 1"], B, C)
    state.apply("play Wild Draw Four and name blue")
    state.apply("challenge the Wild Draw Four")
    assert counts(state) == ([6, 3, 3] if guilty else [2, 9, 3])


def test_the_colour_that_counts_is_the_one_before(game: Uno) -> None:
    hand = ["Wild Draw Four", "blue 1", "green 1"]
    state = arrange(game, hand, B, C, top="Wild", colour="green")
    state.apply("play Wild Draw Four and name blue")
    state.apply("challenge the Wild Draw Four")
    assert counts(state) == [6, 3, 3]


def test_a_wild_draw_four_just_drawn_may_be_a_bluff_too(game: Uno) -> None:
    state = arrange(game, A, B, C, stock=(*FILLER, "Wild Draw Four"))
    state.apply("draw a card")
    state.apply("play Wild Draw Four and name yellow")
    state.apply("challenge the Wild Draw Four")
    assert counts(state) == [7, 3, 3]


def test_of_two_players_one_goes_on_after_a_wild_draw_four(game: Uno) -> None:
    for answer, player, after in [
        ("draw four cards", 0, [3, 7]),
        ("challenge the Wild Draw Four", 1, [7, 3]),
    ]:
        state = arrange(game, BLUFF, B)
        state.apply("play Wild Draw Four and name blue")
        state.apply(answer)
        assert state.current_player == player
        assert counts(state) == after


def test_a_wild_draw_four_that_is_the_last_card_is_not_challenged(game: Uno) -> None:
    state = arrange(game, ["Wild Draw Four"], ["red 2"], ["red 3"], stock=["blue 1"] * 5, target=0)
    assert moves(state) == {"play Wild Draw Four", "draw a card"}
    state.apply("play Wild Draw Four")
    assert state.is_terminal
    assert scores(state) == [2 + 4 + 3, 0, 0]


@pytest.mark.parametrize("rule", ["strict", "free", "nothing"])
def test_the_other_rules_for_a_wild_draw_four(game: Uno, rule: str) -> None:
    state = arrange(game, BLUFF, B, C, wild_draw_four=rule)
    assert ("Wild Draw Four" in plays(state)) == (rule != "strict")
    state = arrange(game, HONEST, B, C, wild_draw_four=rule)
    state.apply("play Wild Draw Four and name blue")
    if rule == "nothing":
        assert (state.current_player, counts(state)) == (1, [3, 3, 3])
    else:
        assert (state.current_player, counts(state)) == (2, [3, 7, 3])


# --- calling Uno --------------------------------------------------------------------------

TWO = ("red 1", "blue 7")


def test_the_last_card_but_one_is_played_with_or_without_the_call(game: Uno) -> None:
    state = arrange(game, ["red 1", "Wild"], B, C)
    wild = {f"play Wild and name {colour}" for colour in COLOURS}
    calls = {f"play Wild, name {colour} and call Uno" for colour in COLOURS}
    ways = wild | calls | {"play red 1", "play red 1 and call Uno"}
    assert moves(state) == ways | {"draw a card"}
    state = arrange(game, A, B, C)
    assert moves(state) == {"play red 1", "draw a card"}


def test_who_has_called_is_safe(game: Uno) -> None:
    state = arrange(game, TWO, B, C)
    state.apply("play red 1 and call Uno")
    assert state.current_player == 1
    assert state.view.phase == Phase.TURN


def test_the_others_are_asked_in_turn_whether_they_catch_a_missing_call(game: Uno) -> None:
    state = arrange(game, TWO, B, C, A)
    state.apply("play red 1")
    for player in (1, 2, 3):
        assert state.current_player == player
        assert moves(state) == {"catch the missing call", "overlook the missing call"}
        state.apply("overlook the missing call")
    assert counts(state) == [1, 3, 3, 3]
    assert state.current_player == 1
    assert plays(state) == {"red 2"}


@pytest.mark.parametrize("penalty", [2, 3])
def test_who_is_caught_draws(game: Uno, penalty: int) -> None:
    state = arrange(game, TWO, B, C, A, uno_penalty=penalty)
    state.apply("play red 1")
    state.apply("overlook the missing call")
    state.apply("catch the missing call")
    assert counts(state) == [1 + penalty, 3, 3, 3]
    assert state.current_player == 1
    assert state.view.phase == Phase.TURN


def test_the_order_of_those_who_are_asked_follows_the_direction(game: Uno) -> None:
    state = arrange(game, ["red Reverse", "blue 7"], B, C, A)
    state.apply("play red Reverse")
    assert state.current_player == 3


def test_a_missing_call_is_caught_after_the_card_has_done_its_work(game: Uno) -> None:
    state = arrange(game, ["red Draw Two", "blue 7"], B, C)
    state.apply("play red Draw Two")
    assert counts(state) == [1, 5, 3]
    state.apply("catch the missing call")
    assert counts(state) == [3, 5, 3]
    assert state.current_player == 2


def test_of_two_players_the_other_may_catch_although_the_turn_comes_back(game: Uno) -> None:
    state = arrange(game, ["red Skip", "blue 7"], B)
    state.apply("play red Skip")
    assert state.current_player == 1
    state.apply("catch the missing call")
    assert counts(state) == [3, 3]
    assert state.current_player == 0


def test_whose_bluff_was_found_out_has_nothing_to_call_any_more(game: Uno) -> None:
    state = arrange(game, ["Wild Draw Four", "red 7"], B, C)
    state.apply("play Wild Draw Four and name blue")
    state.apply("challenge the Wild Draw Four")
    assert counts(state) == [5, 3, 3]
    assert state.current_player == 1
    assert state.view.phase == Phase.TURN
    state = arrange(game, ["Wild Draw Four", "blue 7"], B, C)
    state.apply("play Wild Draw Four and name blue")
    state.apply("challenge the Wild Draw Four")
    assert (state.current_player, state.view.phase) == (1, Phase.CATCH)


def test_a_card_just_drawn_may_be_the_last_but_one(game: Uno) -> None:
    state = arrange(game, ["blue 7"], B, C, stock=(*FILLER, "red 9"))
    state.apply("draw a card")
    assert "play red 9 and call Uno" in moves(state)
    state.apply("play red 9")
    assert state.view.phase == Phase.CATCH


def test_without_uno_call_nobody_calls(game: Uno) -> None:
    state = arrange(game, TWO, B, C, uno_call=False)
    assert moves(state) == {"play red 1", "draw a card"}
    state.apply("play red 1")
    assert state.view.phase == Phase.TURN


# --- the end of a round -------------------------------------------------------------------


def test_the_winner_scores_the_cards_of_all_others(game: Uno) -> None:
    others = ["red 0", "blue 9", "green 7"], ["blue Skip", "green Reverse", "yellow Draw Two"]
    state = arrange(game, ["red 1"], *others, ["Wild", "Wild Draw Four", "red 3"], target=0)
    state.apply("play red 1")
    assert scores(state) == [16 + 60 + 103, 0, 0, 0]
    assert state.status == Status.FINISHED
    assert state.places() == [1, 2, 2, 2]


def test_points_are_parameters(game: Uno) -> None:
    hand = ["blue Skip", "blue Reverse", "blue Draw Two", "Wild", "Wild Draw Four"]
    kinds = ("skip", "reverse", "draw_two", "wild", "wild_draw_four")
    points = {f"points_{kind}": n for kind, n in zip(kinds, (1, 2, 4, 8, 16), strict=True)}
    for i in range(5):
        state = arrange(game, ["red 1"], [hand[i]], target=0, **points)
        state.apply("play red 1")
        assert scores(state) == [2**i, 0]


def test_who_is_hit_by_the_last_card_still_draws(game: Uno) -> None:
    stock = ["yellow 7", "yellow 9"]
    state = arrange(game, ["red Draw Two"], ["blue 1"], ["blue 2"], stock=stock, target=0)
    state.apply("play red Draw Two")
    assert scores(state) == [1 + 16 + 2, 0, 0]


def test_a_wild_that_is_the_last_card_names_no_colour(game: Uno) -> None:
    state = arrange(game, ["Wild"], B, target=0)
    assert moves(state) == {"play Wild", "draw a card"}
    state.apply("play Wild")
    assert state.is_terminal


def test_a_new_round_starts_from_scratch(game: Uno) -> None:
    state = arrange(game, ["red 1"], B, C, scores=[10, 20, 30])
    view = state.view
    view.direction, view.proved[1].values[0], view.newest.value = -1, 3, 1
    state.apply("play red 1")
    assert view.round == 2
    assert scores(state)[1:] == [20, 30]
    assert view.direction == (-1 if "Reverse" in first_card(state) else 1)
    assert sum(counts(state)) == 3 * 7 + 2 * first_card(state).endswith("Draw Two")
    assert count_all(state) == FULL_PACK
    assert [view.proved[p].values[0] for p in range(3)] == [0, 0, 0]
    assert view.newest.value == 0
    for p in range(3):
        for other in range(3):
            assert len(known(state, other, p)) == (view.hands[p].count if p == other else 0)


def test_the_deal_goes_round_the_table(game: Uno) -> None:
    state = arrange(game, ["red 1"], B, C)
    for first in (1, 2, 0, 1):
        state.view.phase = Phase.TURN
        player = state.view.turn_owner = state.view.player = state.current_player
        fill(state, state.view.hands[player], ["Wild"])
        state.apply("play Wild")
        assert state.view.first_player == first
        if state.is_terminal:
            break


# --- the end of the game ------------------------------------------------------------------


def test_the_first_to_reach_the_target_wins(game: Uno) -> None:
    state = arrange(game, ["red 1"], ["red 9"], ["red 7"], scores=[483, 490, 0])
    state.apply("play red 1")
    assert not state.is_terminal
    assert scores(state) == [499, 490, 0]
    state = arrange(game, ["red 1"], ["red 9"], ["red 7"], scores=[484, 490, 0])
    state.apply("play red 1")
    assert scores(state) == [500, 490, 0]
    assert state.places() == [1, 2, 3]
    assert state.returns() == [1.0, -0.5, -0.5]


def test_with_own_scoring_the_lowest_total_wins_when_someone_is_at_the_target(game: Uno) -> None:
    rules = {"scoring": "own", "target": 100}
    state = arrange(game, ["red 1"], ["red 9"], ["Wild"], scores=[-60, -90, -49], **rules)
    state.apply("play red 1")
    assert scores(state) == [-60, -99, -99]
    assert not state.is_terminal
    state = arrange(game, ["red 1"], ["red 9"], ["Wild"], scores=[-60, -90, -50], **rules)
    state.apply("play red 1")
    assert scores(state) == [-60, -99, -100]
    assert state.places() == [1, 2, 3]


def test_with_knock_out_who_is_at_the_target_is_out(game: Uno) -> None:
    rules = {"scoring": "knock-out", "target": 100}
    state = arrange(game, ["red 1"], ["red 9"], ["Wild"], ["blue 3"], scores=[-60, -91], **rules)
    state.apply("play red 1")
    assert scores(state) == [-60, -100, -50, -3]
    assert not state.is_terminal
    assert [state.view.seat[p].out for p in range(4)] == [0, 1, 0, 0]
    assert state.view.hands[1].count == 0
    assert state.view.first_player == 2
    assert 1 not in {s.current_player for s in played_on(state, 40)}


def played_on(state: State, moves: int) -> Iterator[State]:
    """The next states of a random game."""
    rng = random.Random(1)
    for _ in range(moves):
        if state.is_terminal:
            return
        yield state
        state.apply(rng.choice(state.legal_actions()))


def test_the_last_player_in_wins_a_knock_out(game: Uno) -> None:
    rules = {"scoring": "knock-out", "target": 100}
    hands = (["red 1"], [], ["Wild"], ["blue 3"])
    state = arrange(game, *hands, scores=[-99, -101, -60, -98], **rules)
    state.view.knocked_out[1].value = 1
    state.view.round = 3
    state.apply("play red 1")
    assert scores(state) == [-99, -101, -110, -101]
    assert state.places() == [1, 4, 3, 2]
    assert state.returns() == [1.0, *[pytest.approx(-1 / 3)] * 3]


def test_when_two_are_left_in_a_knock_out_a_reverse_skips(game: Uno) -> None:
    state = arrange(game, ["red Reverse", *A], [], C, scoring="knock-out")
    state.apply("play red Reverse")
    assert state.current_player == 0


def test_with_scoring_all_everyone_scores_the_cards_of_the_others(game: Uno) -> None:
    state = arrange(game, ["red 1"], ["red 9"], ["blue 3"], scoring="all", target=0)
    state.apply("play red 1")
    assert scores(state) == [12, 3, 9]


def test_a_round_is_stopped_at_the_turn_limit(game: Uno) -> None:
    state = arrange(game, A, B, C[:2], turn_limit=3, target=0)
    for _ in range(2):
        state.apply("draw a card")
        state.apply("keep the card drawn")
        assert not state.is_terminal
    state.apply("draw a card")
    state.apply("keep the card drawn")
    assert state.is_terminal
    assert scores(state)[2] > 0
    assert state.returns()[2] == 1.0


def test_all_hands_are_shown_at_the_end(game: Uno) -> None:
    state = arrange(game, ["red 1"], ["red 9"], ["blue 3"], target=0)
    state.apply("play red 1")
    assert known(state, 1, 0) == known(state, 1, 2) == ["red 9"]


# --- who knows what -----------------------------------------------------------------------


def test_only_who_draws_sees_the_card(game: Uno) -> None:
    state = arrange(game, A, B, C, stock=(*FILLER, "green 9"))
    state.apply("draw a card")
    assert known(state, 0, 0) == sorted([*A, "green 9"])
    assert known(state, 0, 1) == known(state, 0, 2) == []


def test_a_challenge_shows_the_hand_to_the_challenger_only(game: Uno) -> None:
    for hand in (HONEST, BLUFF):
        state = arrange(game, hand, B, C)
        state.apply("play Wild Draw Four and name blue")
        state.apply("challenge the Wild Draw Four")
        assert known(state, 0, 1) == sorted(hand[1:])  # not what was drawn afterwards
        assert known(state, 0, 2) == []
        for seed in range(20):
            sample = state.determinize(1, seed)
            assert set(hand[1:]) <= set(held(sample, 0))


def test_what_a_challenge_has_shown_stays_known_while_the_cards_stay(game: Uno) -> None:
    state = arrange(game, HONEST, B, C, stock=["green 9"] * 20)
    state.apply("play Wild Draw Four and name blue")
    state.apply("challenge the Wild Draw Four")
    state.apply("play blue 9")
    state.apply("overlook the missing call") if state.view.phase == Phase.CATCH else None
    assert state.current_player == 0
    state.apply("play blue 7")
    assert known(state, 0, 1) == ["green 2", "yellow 9"]


def challenged(game: Uno, *, stock: Sequence[str]) -> State:
    """Player 2 has seen that player 1 holds a blue 7 and a yellow 9, and it is player 1's turn."""
    hand = ["Wild Draw Four", "blue 7", "yellow 9"]
    state = arrange(game, hand, ["blue 8"] * 4, stock=(*stock, *["green 9"] * 6), uno_call=False)
    state.apply("play Wild Draw Four and name blue")
    state.apply("challenge the Wild Draw Four")
    assert state.current_player == 0
    return state


def test_of_two_equal_cards_the_one_that_was_seen_counts_as_played(game: Uno) -> None:
    state = challenged(game, stock=["blue 7"])
    state.apply("draw a card")
    state.apply("keep the card drawn")
    state.apply("play blue 8")
    state.apply("play blue 7")
    assert known(state, 0, 1) == ["yellow 9"]
    assert sorted(held(state, 0)) == ["blue 7", "yellow 9"]


def test_a_card_played_as_soon_as_drawn_leaves_the_one_that_was_seen(game: Uno) -> None:
    state = challenged(game, stock=["blue 7"])
    state.apply("draw a card")
    state.apply("play blue 7")
    assert known(state, 0, 1) == ["blue 7", "yellow 9"]


def test_after_a_challenge_that_failed_everyone_knows_that_the_colour_is_missing(
    game: Uno,
) -> None:
    state = arrange(game, HONEST, B, C, stock=("red 4", "green 6") * 12)
    state.apply("play Wild Draw Four and name blue")
    state.apply("challenge the Wild Draw Four")
    for seed in range(60):
        assert not any(name.startswith("red") for name in held(state.determinize(2, seed), 0))
    state.apply("draw a card")
    state.apply("keep the card drawn")
    state.apply("draw a card")  # player 1, any card
    state.apply("keep the card drawn")
    reds = [
        sum(name.startswith("red") for name in held(state.determinize(2, seed), 0))
        for seed in range(60)
    ]
    assert set(reds) == {0, 1}
    assert "no red" not in str(state.observation(2))
    assert "at most 1 red" in str(state.observation(2))


def test_after_a_bluff_was_found_out_everyone_knows_of_the_colour(game: Uno) -> None:
    state = arrange(game, BLUFF, B, C, stock=["blue 1"] * 20)
    state.apply("play Wild Draw Four and name blue")
    state.apply("challenge the Wild Draw Four")
    for seed in range(60):
        assert any(name.startswith("red") for name in held(state.determinize(2, seed), 0))
    state.apply("play blue 8")
    state.apply("play blue 9")
    state.apply("play blue 1")
    state.apply("draw a card")
    state.apply("keep the card drawn")
    assert "some red" in str(state.observation(2))
    state.view.colour.value = 0
    state.view.player = state.view.turn_owner = 0
    state.apply("play red 1")
    assert "some red" not in str(state.observation(2))


def test_under_the_strict_rule_a_wild_draw_four_tells_that_the_colour_is_missing(
    game: Uno,
) -> None:
    state = arrange(game, HONEST, B, C, stock=["red 4"] * 20, wild_draw_four="strict")
    state.apply("play Wild Draw Four and name blue")
    for seed in range(40):
        assert not any(name.startswith("red") for name in held(state.determinize(1, seed), 0))


def test_without_voluntary_draw_a_card_drawn_tells_what_is_missing(game: Uno) -> None:
    rules = {"voluntary_draw": False, "stock": ["red 4", "Wild"] * 20, "top": "green 4"}
    state = arrange(game, A[1:] * 2, B, C, **rules)
    state.apply("draw a card")
    state.apply("keep the card drawn")
    for seed in range(60):
        hand = held(state.determinize(1, seed), 0)
        assert sum(name.startswith("Wild") for name in hand) <= 1
        assert sum(name.startswith("green") for name in hand) <= 1


def test_what_was_shuffled_into_the_stock_is_nowhere_else(game: Uno) -> None:
    pile = ["yellow 1", "yellow 2", "yellow 3", "Wild", "green 0"]
    state = arrange(game, A * 3, B * 3, C * 3, pile=pile, stock=["blue 1"])
    state.apply("draw a card")
    state.apply("keep the card drawn")
    for seed in range(40):
        assert sorted(names(state.determinize(1, seed).view.stock)) == sorted(pile)
    state.apply("draw a card")
    drawn = held(state, 1)[-1]
    state.apply("keep the card drawn")
    in_hand = set()
    for seed in range(60):
        sample = state.determinize(0, seed)
        missing = Counter(pile) - Counter(names(sample.view.stock))
        assert missing.total() == 1  # it is in player 2's hand, or so player 1 must think
        in_hand |= set(missing)
        assert not Counter(names(sample.view.stock)) - Counter(pile)
    assert drawn in in_hand
    assert len(in_hand) > 2


TAG = {name: value for name, value in TAG_RULES["uno"].items() if name != "scoring"}
"""The rules of TAG but for the scoring."""
TABLES = [
    (2, {}),
    (4, {}),
    (10, {"turn_limit": 200}),
    (3, {"wild_draw_four": "strict", "voluntary_draw": False}),
    (4, {"wild_draw_four": "strict", "must_play_drawn": True}),
    (6, {**TAG, "scoring": "knock-out"}),
]


@pytest.mark.parametrize(("players", "parameters"), TABLES)
def test_observations_agree_with_all_that_the_observer_knows(
    players: int, parameters: dict[str, Any]
) -> None:
    varied = Counter[str]()
    for seed in range(3):
        for state in random_states(compiled_game(), players, seed, most=260, **parameters):
            if state.is_terminal:
                break
            p = (state.current_player + state.tick) % players
            assert agrees(state.view, p)
            sample = state.determinize(p, seed)
            assert bytes(sample.observation(p)) == bytes(state.observation(p))
            assert agrees(sample.view, p)
            if state.tick % 4 == 0:
                assert count_all(sample) == FULL_PACK
                again = state.determinize(p, seed + 1).determinize(p, seed)
                assert again == sample  # which depends on what p knows, not on the truth
                other = (p + 1) % players
                varied["hand"] += held(sample, other) != held(state, other)
                varied["stock"] += names(sample.view.stock) != names(state.view.stock)
    assert min(varied["hand"], varied["stock"]) > 50


@pytest.mark.parametrize(("players", "parameters"), [(2, {}), (4, {}), (10, {}), (3, TAG)])
def test_what_is_in_the_stock_after_a_shuffle_agrees_with_what_was_seen(
    players: int, parameters: dict[str, Any]
) -> None:
    looked = 0
    for seed in range(4):
        for state in random_states(compiled_game(), players, seed, most=500, **parameters):
            newest = state.view.newest.value
            if newest and not state.is_terminal:
                batches = list(itertools.islice(state.view.batches.values, len(CARDS)))
                most = [copies >> BITS * newest & ONES for copies in batches]
                for s in (state, state.determinize((state.tick + seed) % players, seed)):
                    stock = s.view.stock
                    copies = Counter(itertools.islice(stock.cards, stock.count))
                    assert all(n <= most[card] for card, n in copies.items())
                    looked += 1
    assert looked > 100


def test_samples_after_a_shuffle_are_uniform() -> None:
    """Tested with a card of which one copy is in a hand and one in the stock."""
    pile = ["yellow 1", "yellow 2", "blue 8", "blue 9"]
    hands = ["red 1", "red 2"], ["blue 8", "green 7"]
    state = arrange(compiled_game(), *hands, pile=pile, stock=["green 3"])
    for move in ("draw a card", "keep the card drawn", "draw a card", "keep the card drawn"):
        state.apply(move)
    drawn = Counter[str]()
    for seed in range(3000):
        hand = Counter(held(state.determinize(0, seed), 1)) - Counter(hands[1])
        assert hand.total() == 1
        drawn.update(hand)
    assert set(drawn) == set(pile)
    for n in drawn.values():
        assert abs(n - 750) < 5 * (3000 * 0.25 * 0.75) ** 0.5


def test_the_log_names_drawn_cards_to_their_owner(game: Uno) -> None:
    state = arrange(game, ["red Draw Two", *A], B, C, stock=("Wild", "blue 2"))
    assert logged(state.clone(), "play red Draw Two", 1) == [
        *("Player 1: play red Draw Two", "You get the blue 2 and Wild from the stock."),
        *("You miss a turn.", "The pile is shuffled into the stock."),
    ]
    assert logged(state, "play red Draw Two", 2) == [
        *("Player 1: play red Draw Two", "Player 2 gets 2 cards from the stock."),
        *("Player 2 misses a turn.", "The pile is shuffled into the stock."),
    ]
    state = arrange(game, A, B, C, stock=("red 7",))
    assert logged(state.clone(), "draw a card", 0) == ["You: draw a card", "You draw the red 7."]
    assert logged(state, "draw a card", 1) == ["Player 1: draw a card"]


def test_the_log_says_how_a_challenge_ends(game: Uno) -> None:
    for hand, sentence in (
        (["red 3", "blue 7"], "Player 1 had a red card, so the challenge succeeds."),
        (["blue 3", "blue 7"], "Player 1 had no red card, so the challenge fails."),
    ):
        state = arrange(game, ["Wild Draw Four", *hand], B, C)
        state.apply("play Wild Draw Four and name red")
        assert sentence in logged(state, "challenge the Wild Draw Four", 2)


@pytest.mark.parametrize("players", [2, 4, 10])
def test_nothing_secret_is_told_or_shown(players: int) -> None:
    assert sum(compare_tellings(compiled_game(), players, seed) for seed in range(1)) > 50


def test_the_table_says_who_is_next(game: Uno) -> None:
    state = arrange(game, ["red Reverse", "red Skip", *A], B, C, B)
    assert "Play goes left, to player 2.\n" in state.describe(0)
    assert "Play goes left, to player 2 (you).\n" in state.describe(1)
    state.apply("play red Reverse")
    assert "Play goes right, to player 3.\n" in state.describe(0)
    assert "Play goes" not in arrange(game, A, B).describe(0)


# --- whole games --------------------------------------------------------------------------


def random_states(
    game: Uno, players: int, seed: int, most: int = 1 << 30, **parameters: Any
) -> Iterator[State]:
    """The states of a random game up to `most` actions, as one object that changes."""
    state = game.new_state(players=players, seed=seed, **parameters)
    rng = random.Random(seed)
    yield state
    while not state.is_terminal and state.tick < most:
        state.apply(rng.choice(state.legal_actions()))
        yield state


@pytest.mark.parametrize("players", range(2, 11))
def test_no_card_is_ever_lost_or_made(players: int) -> None:
    for state in random_states(compiled_game(), players, players, most=3000, target=200):
        if state.tick % 5 == 0:
            assert count_all(state) == FULL_PACK


def test_games_are_the_same_compiled_and_uncompiled() -> None:
    games = [compiled_game(), slow_game()]
    for seed in range(12):
        players, parameters = 2 + seed % 9, TABLES[seed % len(TABLES)][1]
        walks = [random_states(game, players, seed, most=150, **parameters) for game in games]
        for compiled, plain in zip(*walks, strict=True):
            assert bytes(compiled) == bytes(plain)
            if plain.tick % 25 == 0 and not plain.is_terminal:
                for p in range(players):
                    assert bytes(compiled.determinize(p, seed)) == bytes(
                        plain.determinize(p, seed)
                    )


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 10))
def test_with_any_parameters_games_end_and_keep_their_cards(seed: int, players: int) -> None:
    rng = random.Random(seed)
    game = compiled_game()
    values = Parameters.randomize(players, rng).as_dict() | {"target": rng.choice((0, 20, 60))}
    if Uno.problem(players, Parameters(players, **values)):
        with pytest.raises(ParameterError, match=r"too few|set turn_limit"):
            game.table(players, **values)
        return
    start = None
    for state in random_states(game, players, seed, most=20_000, **values):
        start = start or count_all(state)
        if state.tick % 40 == 0 or state.is_terminal:
            assert count_all(state) == start
            assert not any(i.component.problem(view) for i, view in components_in_play(state))
    assert state.status == Status.FINISHED or state.tick == 20_000


# --- TAG's game, measured -----------------------------------------------------------------

TAG_NOW = {2: (1880.14, 19.67), 3: (1320.18, 16.60), 4: (1132.11, 15.09), 10: (1216.91, 12.34)}
"""Actions and rounds of a random game of TAG of May 2026, by players: 500 games each."""
TAG_2020 = {2: (2121.1, 20.9), 4: (452.3, None)}
"""Actions and rounds of a random game of TAG of September 2020, by players."""
PAPER = (540.78, 6.07)
"""Actions and rounds of a random game in the paper of 2020, averaged over numbers of players."""


def lengths(players: int, games: int, **parameters: Any) -> tuple[float, float]:
    """The mean numbers of actions and rounds of random games."""
    table = compiled_game().table(players, **TAG, **parameters)
    results = kibitz.play(table, [RandomAgent()] * players, games, 1).results
    return float(results["ticks"].mean()), float(results["rounds"].mean())


@pytest.mark.parametrize("players", TAG_NOW)
def test_random_games_are_as_long_as_those_of_tag(players: int) -> None:
    ticks, rounds = lengths(players, 600, scoring="own", turn_limit=300)
    assert ticks == pytest.approx(TAG_NOW[players][0], rel=0.05)
    assert rounds == pytest.approx(TAG_NOW[players][1], rel=0.06)


@pytest.mark.parametrize("players", TAG_2020)
def test_random_games_are_as_long_as_those_of_tag_of_2020(players: int) -> None:
    ticks, rounds = lengths(players, 600, scoring="all")
    assert ticks == pytest.approx(TAG_2020[players][0], rel=0.06)
    assert TAG_2020[players][1] is None or rounds == pytest.approx(TAG_2020[players][1], rel=0.06)


def test_random_games_are_as_long_as_in_the_paper() -> None:
    measured = [lengths(players, 300, scoring="all") for players in range(2, 11)]
    assert sum(ticks for ticks, _ in measured) / 9 == pytest.approx(PAPER[0], rel=0.05)
    assert sum(rounds for _, rounds in measured) / 9 == pytest.approx(PAPER[1], rel=0.05)


def test_the_heuristic_stays_in_range_and_likes_points_and_short_hands(game: Uno) -> None:
    for parameters in ({}, {"scoring": "own"}, {"scoring": "knock-out", "target": 30}):
        for state in random_states(game, 4, 3, most=200, **parameters):
            assert all(-1.0 <= state.heuristic(p) <= 1.0 for p in range(4))
    ahead = arrange(game, A, B, scores=[300, 100])
    assert ahead.heuristic(0) > 0 > ahead.heuristic(1)
    shorter = arrange(game, A[:1], B)
    assert shorter.heuristic(0) > 0 > shorter.heuristic(1)
    fewer = arrange(game, A, B, scoring="own", scores=[-100, -300])
    assert fewer.heuristic(0) > 0 > fewer.heuristic(1)
    cheap = arrange(game, ["red 1", "red 0"], ["Wild", "Wild"], scoring="own")
    assert cheap.heuristic(0) > 0 > cheap.heuristic(1)

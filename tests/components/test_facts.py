"""Facts of decks: what all players know in part about a card, and samples that agree with it."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import pytest
from tests.components.sandbox import Sandbox, numbers_of, problems, sandbox

from kibitz.checks.check import check_game
from kibitz.components import (
    CardSet,
    CardType,
    Deck,
    clear_deck,
    draw_card,
    move_all,
    move_card,
    move_copy,
    point_out,
    put_card,
    put_copies,
    rule_out,
    rule_out_all,
    show_card,
    shuffle_deck,
    take_card,
    trade_decks,
)
from kibitz.core.dealing import MOST_PLACES
from kibitz.core.errors import GameDefinitionError
from kibitz.core.layout import GameState, Visibility, per_player
from kibitz.core.results import finish_by_score
from kibitz.core.state import State
from kibitz.core.statistics import chi_square_tail
from kibitz.core.status import Status

CARDS = CardSet(
    "shapes",
    [
        CardType(f"{colour} {rank}", 2, properties={"colour": colour, "rank": rank})
        for colour in ("red", "blue", "green")
        for rank in (1, 2)
    ],
)
RED, ONES = 0b000011, 0b010101
SAMPLES = 2_000


def table(cards: str = "", *ruled_out: int) -> State:
    """A state in which the first of three hands holds these cards, with facts about them."""
    state = sandbox(
        hands=per_player(Deck(CARDS, Visibility.NOBODY, capacity=6, facts=True)),
        pile=Deck(CARDS),
    )
    hand = state.view.hands[0]
    for card in cards:
        put_card(state.view, hand, int(card))
    for i, kinds in enumerate(ruled_out):
        rule_out(state.view, hand, i, kinds)
    return state


def facts(deck: Any) -> list[int]:
    return [deck.ruled_out[i] for i in range(deck.count)]


# --- the facts ----------------------------------------------------------------------------


def test_a_hint_rules_out_other_kinds_where_it_points_and_its_own_elsewhere() -> None:
    state = table("024")
    view = state.view
    point_out(view, view.hands[0], RED)
    assert [kinds & 0b111111 for kinds in facts(view.hands[0])] == [0b111100, RED, RED]
    rule_out_all(view, view.hands[0], 1 << 5)
    assert [kinds & 0b111111 for kinds in facts(view.hands[0])] == [0b111100, 0b100011, 0b100011]
    assert problems(state) == []


def test_facts_move_with_the_cards() -> None:
    state = table("0123", 0b10, 0b100, 0b1000, 0b10000)
    view = state.view
    first, second = view.hands[0], view.hands[1]
    move_card(view, first, 1, second)
    assert (facts(first), facts(second)) == ([0b10, 0b1000, 0b10000], [0b100])
    trade_decks(view, first, second)
    assert (facts(first), facts(second)) == ([0b100], [0b10, 0b1000, 0b10000])
    take_card(second, 0)
    move_all(view, second, first)
    assert (facts(first), facts(second)) == ([0b100, 0b1000, 0b10000], [])
    move_card(view, first, 0, view.pile)
    draw_card(view, view.pile, second)
    assert facts(second) == [0], "the pile keeps no facts"
    clear_deck(first)
    assert list(first.ruled_out) == [0] * 6


def test_a_shuffle_keeps_what_is_so_of_all_cards() -> None:
    state = table("012", 0b11000, 0b01000, 0b01100)
    shuffle_deck(state.view, state.view.hands[0])
    assert facts(state.view.hands[0]) == [0b01000] * 3


@pytest.mark.parametrize("seed", range(40))
def test_a_card_that_leaves_a_closed_hand_tells_no_more_than_all_can_know(seed: int) -> None:
    chance = random.Random(seed)
    cards = [chance.randrange(6) for _ in range(4)]
    ruled_out = [chance.getrandbits(6) & ~(1 << card) for card in cards]
    state = table("".join(map(str, cards)), *ruled_out)
    view = state.view
    moved = chance.choice(cards)
    move_copy(view, view.hands[0], moved, view.pile)
    places = [i for i in range(4) if not ruled_out[i] >> moved & 1]
    left = [[kinds for i, kinds in enumerate(ruled_out) if i != place] for place in places]
    assert facts(view.hands[0]) == [
        # what is so wherever the card was
        ruled_out_in_all([after[i] for after in left])
        for i in range(3)
    ]


def ruled_out_in_all(kinds: list[int]) -> int:
    common = ~0
    for mask in kinds:
        common &= mask
    return common


@pytest.mark.parametrize("index", [-1, 1])
def test_facts_about_no_card_break_the_game_off(index: int) -> None:
    state = table("0")
    rule_out(state.view, state.view.hands[0], index, 1)
    assert state.status == Status.RULES_ERROR


def test_facts_in_a_deck_without_facts_break_the_game_off() -> None:
    state = table()
    put_card(state.view, state.view.pile, 0)
    rule_out_all(state.view, state.view.pile, 2)
    assert state.status == Status.RULES_ERROR


@pytest.mark.parametrize(
    "cards", [[CardType(str(i), 1) for i in range(64)], [CardType("one", MOST_PLACES + 1)]]
)
def test_too_many_cards_for_facts_are_refused(cards: list[CardType]) -> None:
    with pytest.raises(GameDefinitionError, match="at most 63 kinds of cards and 256 cards"):
        Deck(CardSet("many", cards), facts=True)


def test_wrong_facts_are_found() -> None:
    state = sandbox(hands=per_player(Deck(CARDS, capacity=6, facts=True)))
    put_card(state.view, state.view.hands[0], 1)
    state.view.hands[0].ruled_out[0] = 0b111111
    state.view.hands[1].ruled_out[2] = 1
    assert problems(state) == [
        "all kinds are ruled out for place 0",
        "the facts about place 2 are 1",
    ]


# --- samples ------------------------------------------------------------------------------


def dealt(pool: str, hand: int, ruled_out: list[int], shown: int = -1) -> State:
    """A state in which the cards lie in a hand and a pile; a card of the hand is shown."""
    state = sandbox(
        hands=per_player(Deck(CARDS, Visibility.NOBODY, capacity=6, facts=True)),
        pile=Deck(CARDS, Visibility.NOBODY),
    )
    view = state.view
    for i, card in enumerate(pool):
        put_card(view, view.hands[0] if i < hand else view.pile, int(card))
    for i, kinds in enumerate(ruled_out):
        rule_out(view, view.hands[0], i, kinds)
    if shown >= 0:
        show_card(view.hands[0], shown, 2)
    return state


def arrangement(state: State) -> tuple[int, ...]:
    view = state.view
    return tuple(deck.cards[i] for deck in (view.hands[0], view.pile) for i in range(deck.count))


DEALS = {
    "nothing is ruled out": dealt("00123", 2, []),
    "one colour": dealt("001234", 3, [0b111100, RED]),
    "nested": dealt("0123455", 3, [0b111110, 0b111010, 0b110000]),
    "overlapping": dealt("001234", 3, [0b111100, 0b101010, 0b010100]),
    "nearly settled": dealt("01234", 4, [0b011110, 0b111101, 0b101011, 0b110011]),
    "one is known": dealt("001233", 3, [0b111100, 0, 0b111100], shown=0),
    "kinds that are gone": dealt("0011", 2, [0b111110, 0b111100]),
}


@pytest.mark.parametrize("name", DEALS)
def test_samples_are_all_deals_that_agree_with_the_facts_and_equally_likely(name: str) -> None:
    state = DEALS[name]
    truth, hand = arrangement(state), state.view.hands[0]
    known = {i: truth[i] for i in range(hand.count) if hand.seen[i] >> 2 & 1}
    worlds = {
        cards
        for cards in itertools.permutations(truth)
        if all(cards[i] == card for i, card in known.items())
        and not any(hand.ruled_out[i] >> cards[i] & 1 for i in range(hand.count))
    }
    samples = Counter(arrangement(state.determinize(2, seed)) for seed in range(SAMPLES))
    assert set(samples) == worlds
    expected = SAMPLES / len(worlds)
    chi_square = sum((samples[world] - expected) ** 2 / expected for world in worlds)
    assert len(worlds) == 1 or chi_square_tail(chi_square, len(worlds) - 1) > 1e-4


def test_facts_and_backs_restrict_samples_together() -> None:
    class TwoBacks(Sandbox):
        class State(GameState):
            hand = Deck(CARDS, Visibility.NOBODY, capacity=6, facts=True)
            pile = Deck(CARDS, Visibility.NOBODY)

        def backs(self, players: int, parameters: Any) -> list[int]:
            return [0, 1, 0, 1, 0, 1]

    state = TwoBacks(compiled=False).new_state(2)
    for card in (0, 1, 2):
        put_card(state.view, state.view.hand, card)
    for card in (3, 4, 5):
        put_card(state.view, state.view.pile, card)
    rule_out(state.view, state.view.hand, 0, 1 << 4)
    for seed in range(100):
        sample = state.determinize(0, seed).view
        cards = [sample.hand.cards[i] for i in range(3)] + [sample.pile.cards[i] for i in range(3)]
        assert [card % 2 for card in cards] == [0, 1, 0, 1, 0, 1]
        assert cards[0] != 4


def test_check_finds_facts_that_are_not_true() -> None:
    class Liar(Sandbox):
        name = "liar"

        class State(GameState):
            hands = per_player(Deck(CARDS, Visibility.OWNER, facts=True))
            stock = Deck(CARDS)

        @staticmethod
        def setup(state: Any, params: Any) -> None:
            for card in range(6):
                put_copies(state, state.stock, card, 2)
            shuffle_deck(state, state.stock)
            draw_card(state, state.stock, state.hands[0])
            rule_out(state, state.hands[0], 0, 1 << state.hands[0].cards[0])

        @staticmethod
        def apply_action(state: Any, params: Any, action: int) -> None:
            finish_by_score(state)

    result = check_game(Liar, games=1, players=2, actions=10, compiled=False)
    messages = [finding.message for finding in result.findings]
    assert any("which the facts about it rule out" in message for message in messages), messages


# --- what is shown ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        (0b111111, ""),
        (RED, "red"),
        (0b111100, "not red"),
        (ONES, "1"),
        (0b000101, "not green, 1"),
        (0b000110, "red 2 or blue 1"),
        (0b111110, "not red 1"),
        (0b010001, "not blue, 1"),
    ],
)
def test_kinds_are_described_by_their_properties(kinds: int, words: str) -> None:
    assert CARDS.describe_kinds(kinds) == words


def test_observers_read_the_facts_in_texts_json_and_numbers() -> None:
    state = sandbox(hands=per_player(Deck(CARDS, Visibility.OTHERS, capacity=2, facts=True)))
    hand = state.view.hands[0]
    put_card(state.view, hand, 0)
    put_card(state.view, hand, 3)
    point_out(state.view, hand, RED)
    rule_out(state.view, hand, 1, ONES)
    seen = state.observation(0)
    assert "hands: ? (red), ? (not red, 2)" in str(seen)
    assert seen.to_json()["components"]["hands[0]"] == [
        ["red 1", "red 2"],
        ["blue 2", "green 2"],
    ]
    others = state.observation(1).to_json()["components"]["hands[0]"]
    assert others == ["red 1", "blue 2"]
    names = dict(zip(state.table.encoder.names, state.table.encoder.encode(state, 0), strict=True))
    known = {name for name, number in names.items() if number and "is not" in name}
    assert {name.split(": ")[1] for name in known} == {
        *(f"place 1 is not {word}" for word in CARDS.words[2:]),
        *(f"place 2 is not {word}" for word in ("red 1", "red 2", "blue 1", "green 1")),
    }
    assert numbers_of(state, 0, "hands[me]") != numbers_of(state, 1, "hands[+2]")

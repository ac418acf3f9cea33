"""Decks against a naive model: the cards, who knows them, and full decks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.components.sandbox import numbers_of, problems, sandbox

from kibitz.components import (
    CardSet,
    CardType,
    Deck,
    cards_in,
    clear_deck,
    count_card,
    draw_card,
    find_card,
    knows_card,
    move_all,
    move_card,
    move_copy,
    place_card,
    put_card,
    put_copies,
    show_card,
    show_deck,
    shuffle_deck,
    take_card,
    trade_decks,
)
from kibitz.core.errors import FileError
from kibitz.core.layout import EVERYONE, Visibility, per_player
from kibitz.core.memory import record_at
from kibitz.core.native import Export, compile_native
from kibitz.core.state import State, components_in_play
from kibitz.core.status import Status

CARDS = CardSet("letters", [CardType(name, 2) for name in "ABCDE"])
DECKS = 4
ROOM = 5
SMALL_ROOM = 2
SHOWN_TO = (0b000, 0b001, 0b110, 0b111)
"""Who may look into each deck; the small ones are like the first two."""


def table() -> State:
    state = sandbox(
        DECKS,
        decks=per_player(Deck(CARDS, capacity=ROOM)),
        small=per_player(Deck(CARDS, capacity=SMALL_ROOM)),
    )
    for i in range(DECKS):
        state.view.decks[i].shown_to = SHOWN_TO[i]
        state.view.small[i].shown_to = SHOWN_TO[i]
    return state


# --- the model ----------------------------------------------------------------------------

Card = tuple[int, int]
"""A card, and the mask of those who know it."""


class Model:
    """What decks should do, with Python's lists."""

    def __init__(self) -> None:
        self.piles: list[list[Card]] = [[] for _ in range(2 * DECKS)]
        self.full = False

    def room(self, d: int) -> int:
        return ROOM if d < DECKS else SMALL_ROOM

    def look(self, d: int, cards: list[Card]) -> list[Card]:
        return [(card, known | SHOWN_TO[d % DECKS]) for card, known in cards]

    def put(self, d: int, cards: list[Card]) -> None:
        for card in self.look(d, cards):
            if len(self.piles[d]) == self.room(d):
                self.full = True
            else:
                self.piles[d].append(card)

    def trade(self, a: int, b: int) -> None:
        if len(self.piles[a]) > self.room(b) or len(self.piles[b]) > self.room(a):
            self.full = True
        else:
            cards = self.piles[a]
            self.piles[a] = self.look(a, self.piles[b])
            self.piles[b] = self.look(b, cards)

    def show(self, d: int, i: int, player: int) -> None:
        card, known = self.piles[d][i]
        self.piles[d][i] = (card, known | 1 << player)

    def leave(self, d: int, card: int) -> Card:
        """The copy of a card that most know leaves; who does not know it forgets the others."""
        pile = self.piles[d]
        best = max(known for other, known in pile if other == card)
        pile.remove((card, best))
        known_still = best | SHOWN_TO[d % DECKS]
        self.piles[d][:] = [(c, known & known_still if c == card else known) for c, known in pile]
        return card, best

    def step(self, op: int, d: int, e: int, i: int, card: int) -> None:
        pile = self.piles[d]
        if op == PUT:
            self.put(d, [(card, 0)])
        elif op == PLACE:
            self.put(d, [(card, e)])
        elif op == TAKE:
            del pile[i]
        elif op == MOVE:
            self.put(e, [pile.pop(i)])
        elif op == MOVE_COPY:
            self.put(e, [self.leave(d, card)])
        elif op == DRAW:
            self.put(e, [pile.pop()])
        elif op == MOVE_ALL:
            self.piles[d] = []
            self.put(e, pile)
        elif op == CLEAR:
            self.piles[d] = []
        elif op == TRADE or op == TRADE_SMALL:
            self.trade(d, e)
        elif op == SHUFFLE:
            self.piles[d] = [(card, SHOWN_TO[d % DECKS]) for card, _ in pile]
        elif op == SHOW:
            self.show(d, i, card % 3)
        elif op == SHOW_ALL:
            for place in range(len(pile)):
                self.show(d, place, card % 3)


PUT, PLACE, TAKE, MOVE, MOVE_COPY, DRAW, MOVE_ALL, CLEAR = range(8)
TRADE, TRADE_SMALL, SHUFFLE, SHOW, SHOW_ALL = range(8, 13)


def lowest(pile: list[Card], card: int) -> int:
    """The lowest place of a card; -1 if there is none."""
    return next((place for place, (other, _) in enumerate(pile) if other == card), -1)


def operate(state: Any, op: int, d: int, e: int, i: int, card: int) -> int:
    """The same step with the functions under test."""
    deck = state.decks[d]
    if op == PUT:
        put_card(state, deck, card)
    elif op == PLACE:
        place_card(state, deck, card, e)
    elif op == TAKE:
        return take_card(deck, i)
    elif op == MOVE:
        return move_card(state, deck, i, state.decks[e])
    elif op == MOVE_COPY:
        move_copy(state, deck, card, state.decks[e])
    elif op == DRAW:
        return draw_card(state, deck, state.decks[e])
    elif op == MOVE_ALL:
        move_all(state, deck, state.decks[e])
    elif op == CLEAR:
        clear_deck(deck)
    elif op == TRADE:
        trade_decks(state, deck, state.decks[e])
    elif op == TRADE_SMALL:
        trade_decks(state, deck, state.small[e - DECKS])
    elif op == SHUFFLE:
        shuffle_deck(state, deck)
    elif op == SHOW:
        show_card(deck, i, card % 3)
    elif op == SHOW_ALL:
        show_deck(deck, card % 3)
    return -1


def contents(deck: Any) -> list[Card]:
    return [(deck.cards[i], deck.seen[i]) for i in range(deck.count)]


def all_contents(state: State) -> list[list[Card]]:
    view = state.view
    return [contents(decks[d]) for decks in (view.decks, view.small) for d in range(DECKS)]


steps = st.lists(
    st.tuples(
        st.sampled_from([PUT, PUT, PUT, *range(13)]),
        st.integers(0, DECKS - 1),
        st.integers(0, 2 * DECKS - 1),
        st.integers(0, ROOM - 1),
        st.integers(0, len(CARDS) - 1),
    ),
    max_size=40,
)


def playable(model: Model, op: int, d: int, e: int, i: int, card: int) -> bool:
    if op in (TAKE, MOVE, SHOW) and i >= len(model.piles[d]):
        return False
    if op == MOVE_COPY and lowest(model.piles[d], card) < 0:
        return False
    if op == DRAW and not model.piles[d]:
        return False
    if op == MOVE_ALL and d == e:
        return False
    if op == TRADE_SMALL:
        return e >= DECKS
    return op not in (MOVE, MOVE_COPY, DRAW, MOVE_ALL, TRADE) or e < DECKS


@pytest.fixture(scope="module")
def compiled() -> Callable[..., int]:
    layout = table().table.layout.dtype

    def step(address: int, op: int, d: int, e: int, i: int, card: int) -> int:
        return operate(record_at(address, layout), op, d, e, i, card)

    export = Export(step, "iiiiiii")
    return export.bind(compile_native("test decks", {"step": export})["step"])


@settings(max_examples=300)
@given(steps, st.lists(st.integers(0, ROOM), min_size=DECKS, max_size=DECKS))
def test_decks_do_what_lists_do_compiled_and_uncompiled(
    compiled: Callable[..., int], steps: list[tuple[int, int, int, int, int]], start: list[int]
) -> None:
    model, plain = Model(), table()
    for d, number in enumerate(start):
        for card in range(number):
            model.step(PUT, d, 0, 0, card)
            operate(plain.view, PUT, d, 0, 0, card)
    fast = plain.clone()
    for op, d, e, i, card in steps:
        if not playable(model, op, d, e, i, card):
            continue
        drawn = model.piles[d][i if op in (TAKE, MOVE) else -1 :][:1]
        model.step(op, d, e, i, card)
        result = operate(plain.view, op, d, e, i, card)
        assert compiled(fast._address, op, d, e, i, card) == result
        assert bytes(plain) == bytes(fast)
        if op in (TAKE, MOVE, DRAW):
            assert result == drawn[0][0]
        if op == SHUFFLE:
            shuffled = contents(plain.view.decks[d])
            assert sorted(shuffled) == sorted(model.piles[d])
            model.piles[d] = shuffled
        assert all_contents(plain) == model.piles
        assert plain.status == (Status.FULL_BUFFER if model.full else Status.PLAYING)
        assert problems(plain) == []
        if model.full:
            break


# --- one rule at a time -------------------------------------------------------------------


def put(deck: Any, state: State, *cards: str) -> None:
    for card in cards:
        put_card(state.view, deck, CARDS.find(card))


@pytest.fixture
def state() -> State:
    return sandbox(
        3,
        deck=Deck(CARDS),
        hands=per_player(Deck(CARDS, Visibility.OWNER, capacity=3)),
        backs=per_player(Deck(CARDS, Visibility.OTHERS, capacity=3)),
        pile=Deck(CARDS, Visibility.EVERYONE),
    )


def knowers(deck: Any, index: int) -> list[int]:
    return [p for p in range(3) if knows_card(deck, index, p)]


def test_the_copy_that_most_know_moves_and_the_other_is_forgotten(state: State) -> None:
    deck, pile = state.view.deck, state.view.pile
    put(deck, state, "A", "B", "C", "B", "A")
    for i, seen in enumerate((0b001, 0b010, 0b011, 0b100, 0b101)):
        deck.seen[i] = seen
    move_copy(state.view, deck, CARDS.find("B"), pile)
    assert contents(pile) == [(CARDS.find("B"), 0b100 | EVERYONE)]
    assert contents(deck) == [
        *((CARDS.find("A"), 0b001), (CARDS.find("B"), 0)),
        *((CARDS.find("C"), 0b011), (CARDS.find("A"), 0b101)),
    ]
    assert (deck.cards[4], deck.seen[4]) == (0, 0)
    move_copy(state.view, deck, CARDS.find("B"), state.view.hands[2])
    assert contents(state.view.hands[2]) == [(CARDS.find("B"), 0b100)]
    assert state.status == Status.PLAYING


def test_a_card_that_is_not_there_does_not_move(state: State) -> None:
    deck = state.view.deck
    put(deck, state, "A", "C")
    before = contents(deck)
    move_copy(state.view, deck, CARDS.find("B"), state.view.pile)
    assert contents(deck) == before
    assert contents(state.view.pile) == []
    assert state.status != Status.PLAYING


def test_copies_of_a_card_are_put_on_top(state: State) -> None:
    put(state.view.deck, state, "A")
    put_copies(state.view, state.view.deck, CARDS.find("C"), 3)
    put_copies(state.view, state.view.deck, CARDS.find("B"), 0)
    names = [CARDS.word(state.view.deck.cards[i]) for i in range(state.view.deck.count)]
    assert names == ["A", "C", "C", "C"]
    assert knowers(state.view.deck, 3) == []


def test_a_card_becomes_known_to_those_who_may_look_where_it_arrives(state: State) -> None:
    view = state.view
    put(view.deck, state, "A", "B")
    assert knowers(view.deck, 1) == []
    draw_card(view, view.deck, view.hands[1])
    assert knowers(view.hands[1], 0) == [1]
    draw_card(view, view.deck, view.backs[1])
    assert knowers(view.backs[1], 0) == [0, 2]


def test_a_card_stays_known_wherever_it_goes_in_the_open(state: State) -> None:
    view = state.view
    put(view.hands[1], state, "A")
    draw_card(view, view.hands[1], view.hands[2])
    draw_card(view, view.hands[2], view.deck)
    assert knowers(view.deck, 0) == [1, 2]


def test_knowledge_moves_with_the_card_and_not_with_the_place(state: State) -> None:
    view = state.view
    put(view.hands[0], state, "A", "B", "C")
    show_card(view.hands[0], 1, 2)
    take_card(view.hands[0], 0)
    assert [knowers(view.hands[0], i) for i in range(2)] == [[0, 2], [0]]


def test_a_shuffle_makes_those_forget_who_may_not_look(state: State) -> None:
    view = state.view
    put(view.deck, state, "A", "B")
    put(view.hands[0], state, "C", "D")
    for deck in (view.deck, view.hands[0]):
        show_deck(deck, 1)
        shuffle_deck(view, deck)
    assert [knowers(view.deck, i) for i in range(2)] == [[], []]
    assert [knowers(view.hands[0], i) for i in range(2)] == [[0], [0]]


def test_after_a_trade_both_know_what_they_gave_and_what_they_got(state: State) -> None:
    view = state.view
    put(view.hands[0], state, "A")
    put(view.hands[1], state, "B", "C")
    show_card(view.hands[1], 1, 2)
    trade_decks(view, view.hands[0], view.hands[1])
    assert [card for card, _ in contents(view.hands[0])] == [1, 2]
    assert [card for card, _ in contents(view.hands[1])] == [0]
    assert [knowers(view.hands[0], i) for i in range(2)] == [[0, 1], [0, 1, 2]]
    assert knowers(view.hands[1], 0) == [0, 1]


@pytest.mark.parametrize("swapped", [False, True])
def test_a_trade_without_room_breaks_the_game_off_and_moves_nothing(
    state: State, swapped: bool
) -> None:
    view = state.view
    put(view.deck, state, "A", "B", "C", "D")  # one more than a hand can hold
    put(view.hands[0], state, "E")
    before = contents(view.deck), contents(view.hands[0])
    pair = (view.hands[0], view.deck) if swapped else (view.deck, view.hands[0])
    trade_decks(view, *pair)
    assert state.status == Status.FULL_BUFFER
    assert (contents(view.deck), contents(view.hands[0])) == before


def test_a_shuffle_gives_every_order_equally_often(state: State) -> None:
    view = state.view
    orders: Counter[tuple[int, ...]] = Counter()
    for _ in range(4_800):
        clear_deck(view.deck)
        put(view.deck, state, "A", "B", "C", "D")
        shuffle_deck(view, view.deck)
        orders[tuple(card for card, _ in contents(view.deck))] += 1
    assert len(orders) == 24
    chi_square = sum((n - 200) ** 2 / 200 for n in orders.values())
    assert chi_square < 75  # of 23 degrees of freedom: exceeded once in a million


def test_an_overfull_deck_breaks_the_game_off(state: State) -> None:
    view = state.view
    put(view.hands[0], state, "A", "B", "C")
    assert state.status == Status.PLAYING
    put(view.hands[0], state, "D")
    assert state.status == Status.FULL_BUFFER
    assert [card for card, _ in contents(view.hands[0])] == [0, 1, 2]


def test_cards_are_found_and_counted(state: State) -> None:
    view = state.view
    put(view.deck, state, "B", "A", "B")
    assert [find_card(view.deck, card) for card in range(3)] == [1, 0, -1]
    assert [count_card(view.deck, card) for card in range(3)] == [1, 2, 0]
    assert cards_in(view.deck) == 0b011
    clear_deck(view.deck)
    assert find_card(view.deck, 0) == -1
    assert count_card(view.deck, 0) == 0
    assert cards_in(view.deck) == 0


@given(st.lists(st.integers(0, 25), max_size=20))
def test_the_set_of_cards_in_a_deck_is_that_of_its_cards(cards: list[int]) -> None:
    state = sandbox(2, deck=Deck(CardSet("many", [CardType(str(n), 9) for n in range(26)])))
    for card in cards:
        put_card(state.view, state.view.deck, card)
    assert cards_in(state.view.deck) == sum(1 << card for card in set(cards))


def test_drawing_from_nothing_is_a_fault_of_the_rules(state: State) -> None:
    assert draw_card(state.view, state.view.deck, state.view.pile) == -1
    assert state.status == Status.RULES_ERROR
    assert (state.view.deck.count, state.view.pile.count) == (0, 0)


def test_moving_a_copy_that_is_not_there_is_a_fault_of_the_rules(state: State) -> None:
    put_card(state.view, state.view.deck, 1)
    before = contents(state.view.deck)
    move_copy(state.view, state.view.deck, 2, state.view.pile)
    assert state.status == Status.RULES_ERROR
    assert (contents(state.view.deck), state.view.pile.count) == (before, 0)


def test_by_default_a_deck_has_room_for_its_whole_set(state: State) -> None:
    assert len(state.view.deck.cards) == CARDS.total == 10


# --- what is derived ----------------------------------------------------------------------


def component(state: State, path: str) -> tuple[Deck, Any]:
    return next((i.component, v) for i, v in components_in_play(state) if i.path == path)  # type: ignore[return-value]


def test_a_deck_is_described_by_what_is_seen(state: State) -> None:
    put(state.view.hands[0], state, "A", "C")
    show_card(state.view.hands[0], 1, 1)
    shown = {}
    for player in range(3):
        deck, view = component(state.observation(player), "hands[0]")
        shown[player] = (deck.describe(view), deck.to_json(view))
    assert shown == {
        0: ("A, C", ["A", "C"]),
        1: ("?, C", [None, "C"]),
        2: ("2 hidden cards", [None, None]),
    }
    deck, view = component(state, "pile")
    assert (deck.describe(view), deck.to_json(view)) == ("empty", [])


def test_one_hidden_card_is_told_in_the_singular(state: State) -> None:
    put(state.view.hands[0], state, "A")
    deck, view = component(state.observation(1), "hands[0]")
    assert deck.describe(view) == "1 hidden card"


def test_a_deck_as_numbers_counts_each_card_and_the_hidden_ones(state: State) -> None:
    put(state.view.hands[0], state, "A", "C", "C")
    show_card(state.view.hands[0], 1, 1)
    seats = ("hands[me]", f"hands[+{state.players - 1}]")
    vectors = [numbers_of(state, player, seat) for player, seat in enumerate(seats)]
    copies = max(card.count for card in CARDS)
    [hand] = [i.component for i, _ in components_in_play(state) if i.path == "hands[0]"]
    capacity = hand.capacity
    known = [[x / copies for x in row] for row in ([1, 0, 2, 0, 0], [0, 0, 1, 0, 0])]
    on_top = [[0, 0, 1, 0, 0], [0, 0, 0, 0, 0]]
    assert vectors[0] == pytest.approx([*known[0], 0, *on_top[0]])
    assert vectors[1] == pytest.approx([*known[1], 2 / capacity, *on_top[1]])


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ("deck.count = 11", "claims 11 cards"),
        ("deck.count = -1", "claims -1 cards"),
        ("deck.cards[2] = 1", "place 2 beyond its 2 cards"),
        ("deck.seen[9] = 1", "place 9 beyond"),
        ("deck.cards[1] = 5", "not a card of letters"),
        ("deck.cards[1] = -2", "not a card of letters"),
    ],
)
def test_what_is_wrong_with_a_deck_is_told(state: State, change: str, complaint: str) -> None:
    put(state.view.deck, state, "A", "B")
    assert problems(state) == []
    exec(change, {"deck": state.view.deck})
    [problem] = problems(state)
    assert complaint in problem


# --- card sets ----------------------------------------------------------------------------


def test_a_card_set_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "cards.json"
    cards = [{"name": "Ace", "count": 4, "text": "High.", "value": 11}, {"name": "Two"}]
    file.write_text(json.dumps({"name": "mine", "cards": cards}))
    read = CardSet.from_json(file)
    assert CardSet.from_json(str(file)).cards == read.cards
    assert read.name == "mine"
    assert read.total == 5
    assert read.words == ("Ace", "Two")
    assert list(read) == [
        CardType("Ace", 4, "High.", {"value": 11}),
        CardType("Two", 1, "", {}),
    ]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"name": "x"}',
        '{"cards": []}',
        '{"name": "x", "cards": 3}',
        '{"name": "x", "cards": [3]}',
        '{"name": "x", "cards": [[]]}',
        '{"name": "x", "cards": [{"count": 3}]}',
        '{"name": "x", "cards": [{"name": "A", "count": "many"}]}',
        '{"name": "x", "cards": [{"name": "A", "count": null}]}',
        '{"name": "x", "cards": [{"name": "A", "count": -1}]}',
        '{"name": "x", "cards": ' + "[" * 100_000,
    ],
)
def test_a_file_without_a_card_set_is_refused_by_name(tmp_path: Path, content: str) -> None:
    file = tmp_path / "cards.json"
    file.write_text(content)
    with pytest.raises(FileError) as caught:
        CardSet.from_json(file)
    assert str(file) in str(caught.value)


def test_a_missing_file_of_cards_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"absent\.json"):
        CardSet.from_json(tmp_path / "absent.json")

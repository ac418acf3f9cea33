"""Skyjo, rule by rule."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.recycle.stacked import Stacked, library_program

LOW = ["1", "2", "3", "4", "2", "3", "4", "5", "3", "4", "5", "6"]
"""Twelve cards that add up to 42, row by row."""
HIGH = ["3", "4", "5", "6", "4", "5", "6", "7", "5", "6", "7", "8"]
"""66 points."""
CHEAP = ["12", "11", "0", "1", "0", "1", "-1", "0", "-2", "0", "1", "-1"]
"""22 points, 23 of them in the first two."""


def dealt(*hands: list[str], drawn: str = "", **values: int) -> Stacked:
    """A game with these cards, an 8 as the first discard, and then these to draw."""
    cards = [*(card for hand in hands for card in hand), "8", *drawn.split()]
    return Stacked.of("skyjo", ", ".join(cards), players=len(hands), **values)


def turned_up(game: Stacked, *places: tuple[int, int]) -> Stacked:
    """The game after everybody has turned up two cards, in order of the seats."""
    for two in places:
        game.choose(*two)
    return game


def turn_up(game: Stacked, place: int) -> None:
    """Draws a card, discards it and turns up another one."""
    game.choose("#0")
    last = [number for number, option in enumerate(game.options()) if option.values == (place,)]
    game.choose(f"#{last[-1]}")


def open_cards(game: Stacked, player: int) -> list[str]:
    """The open cards in the order of their places."""
    return [card for i in range(12) for card in game.cards(player, "vloc", "OPEN", i)]


def test_there_are_150_cards() -> None:
    cards = Counter(int(card.attributes["NUMBER"]) for card in library_program("skyjo").cards)
    assert cards == {-2: 5, -1: 10, 0: 15, **dict.fromkeys(range(1, 13), 10)}


@pytest.mark.parametrize(
    ("hands", "begins"), [((LOW, HIGH, LOW), 1), ((LOW, LOW, LOW), 0), ((LOW, HIGH, CHEAP), 2)]
)
def test_the_highest_sum_begins(hands: tuple[list[str], ...], begins: int) -> None:
    game = turned_up(dealt(*hands), (0, 1), (0, 1), (0, 1))
    assert game.player == begins


def test_a_card_is_taken_for_an_open_or_a_covered_one() -> None:
    game = turned_up(dealt(HIGH, LOW), (0, 1), (0, 1))
    assert [o.values for o in game.options()] == [(), *((i,) for i in range(12))]
    game.choose(11)  # the 8 from the discard pile
    assert game.cards("game", "vloc", "DISCARD") == ["8"]
    assert open_cards(game, 0) == ["3", "4", "8"]
    game.choose(0)
    assert open_cards(game, 1) == ["8", "2"]
    assert game.cards("game", "vloc", "DISCARD") == ["1"]


def test_a_drawn_card_is_kept_or_a_card_is_turned_up() -> None:
    game = turned_up(dealt(HIGH, LOW, drawn="12 11"), (0, 1), (0, 1))
    game.choose("#0")
    assert [o.values[0] for o in game.options()] == [*range(12), *range(2, 12)]
    game.choose(5)
    assert open_cards(game, 0) == ["3", "4", "12"]
    turn_up(game, 7)
    assert open_cards(game, 1) == ["1", "2", "5"]
    assert game.cards("game", "vloc", "DISCARD") == ["8", "5", "11"]


def test_three_equal_cards_in_a_column_are_discarded() -> None:
    sevens = ["7", "9", "0", "0", "7", "0", "9", "1", "7", "1", "1", "2"]
    game = turned_up(dealt(sevens, LOW, drawn="12"), (0, 4), (0, 1))
    turn_up(game, 8)
    assert open_cards(game, 0) == []
    assert game.cards("game", "vloc", "DISCARD") == ["8", "12", "7", "7", "7"]
    turn_up(game, 2)
    assert [o.values[0] for o in game.options()[1:]] == [1, 2, 3, 5, 6, 7, 9, 10, 11]


def test_three_equal_cards_in_a_row_stay() -> None:
    rows = ["7", "7", "7", "0", "1", "2", "3", "4", "2", "3", "4", "5"]
    game = turned_up(dealt(rows, LOW), (0, 1), (0, 1))
    turn_up(game, 2)
    assert open_cards(game, 0) == ["7", "7", "7"]


def round_of(first: list[str], second: list[str], **values: int) -> Stacked:
    """A round in which both turn up all of their cards, one by one."""
    game = turned_up(dealt(first, second, **values), (0, 1), (0, 1))
    for place in range(2, 12):
        for _ in range(2):
            turn_up(game, place)
    return game


def test_points_of_who_ends_the_round_count_double() -> None:
    game = round_of(LOW, HIGH)  # the second begins, and ends the round
    assert (game.status, game.scores) == ("finished", [42, 132])


def test_unless_they_are_the_fewest() -> None:
    game = round_of(HIGH, CHEAP, limit=60)
    assert (game.status, game.scores) == ("finished", [66, 22])


def test_equal_points_are_not_the_fewest() -> None:
    game = round_of(LOW, LOW, limit=60)  # the first begins
    assert (game.status, game.scores) == ("finished", [84, 42])


def test_who_ended_the_round_begins_the_next() -> None:
    game = round_of(LOW, HIGH, limit=300)
    assert game.status == "playing"
    assert game.number("game", "ROUNDS") == 1
    assert [game.number(p, "POINTS") for p in range(2)] == [42, 132]
    for _ in range(4):
        game.choose("#0")
    assert game.player == 1


@pytest.mark.parametrize(("late", "points"), [(1, 0), (0, 27)])
def test_cards_turned_up_at_the_end(late: int, points: int) -> None:
    """The first player never looks at a column of nines, and takes cards for the first place."""
    nines = ["1", "2", "3", "9", "2", "3", "4", "9", "3", "4", "5", "9"]
    drawn = " ".join(["12", "0"] * 10)
    game = turned_up(dealt(nines, HIGH, drawn=drawn, late=late, limit=1), (0, 1), (0, 1))
    for place in range(2, 12):
        turn_up(game, place)
        game.choose("#0", 0)
    assert game.status == "finished"
    assert game.scores[0] == 26 + points


def test_an_empty_draw_pile_is_made_of_the_discards() -> None:
    game = turned_up(Stacked.of("skyjo", players=8), *[(0, 1)] * 8)
    for drawn in range(53):
        assert len(game.cards("game", "iloc", "STOCK")) == 53 - drawn
        game.choose("#0", 0)
    assert len(game.cards("game", "iloc", "STOCK")) == 53
    assert len(game.cards("game", "vloc", "DISCARD")) == 1

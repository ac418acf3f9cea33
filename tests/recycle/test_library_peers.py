"""Games of the library played beside OpenSpiel's: the same options, turns and scores throughout.

Skipped where OpenSpiel is not installed. Its Crazy Eights is left out: it counts the cards of a
hand in another way than the rules say, and lets a blocked game go on for one pass more.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.recycle.stacked import RANKS, Stacked, library_program

pyspiel = pytest.importorskip("pyspiel")

LOWEST_FIRST = RANKS[::-1]
SUITS = ["CLUBS", "DIAMONDS", "HEARTS", "SPADES"]


def number(card: str, by_rank: bool) -> int:
    """OpenSpiel's number of a card: by rank first, or by suit."""
    rank, suit = card.split()
    if by_rank:
        return 4 * LOWEST_FIRST.index(rank) + SUITS.index(suit)
    return 13 * SUITS.index(suit) + LOWEST_FIRST.index(rank)


def deal(state: Any, game: Stacked, by_rank: bool) -> None:
    """Deals thirteen cards each, one by one."""
    hands = [game.cards(player, "iloc", "HAND") for player in range(4)]
    for position in range(13):
        for hand in hands:
            state.apply_action(number(hand[position], by_rank))


def play(state: Any, game: Stacked, by_rank: bool, pick: random.Random) -> None:
    """Plays cards to the end; an option that picks none leads the lowest club."""
    while game.status == "playing":
        options = {
            number(game.names[o.values[0]] if o.values else "TWO CLUBS", by_rank): o
            for o in game.options()
        }
        assert game.player == state.current_player()
        legal = state.legal_actions()
        broken = not by_rank and game.number("game", "BROKEN") == 1
        if broken and all(not game.cards(player, "vloc", "TRICK") for player in range(4)):
            assert set(legal) <= set(options)  # in OpenSpiel spades are never broken
        else:
            assert sorted(options) == sorted(legal)
        chosen = pick.choice(sorted(legal))
        game.play(options[chosen])
        state.apply_action(chosen)
    assert state.is_terminal()


@pytest.mark.parametrize("seed", range(40))
def test_hearts(seed: int) -> None:
    pick = random.Random(seed)
    game = Stacked(library_program("hearts", rounds=1, queen=1, **{"pass": 2}), seed=seed)
    state = pyspiel.load_game("hearts").new_initial_state()
    state.apply_action(game.number("game", "SEATS"))
    deal(state, game, by_rank=True)
    play(state, game, True, pick)
    assert game.scores == [26 - points for points in state.returns()]


@pytest.mark.parametrize("seed", range(40))
def test_spades(seed: int) -> None:
    pick = random.Random(seed)
    game = Stacked(library_program("spades", rounds=1, nil=1, cap=1), seed=seed)
    state = pyspiel.load_game("spades(use_mercy_rule=false)").new_initial_state()
    deal(state, game, by_rank=False)
    for _ in range(4):
        bids = [option.values[0] for option in game.options()]
        assert game.player == state.current_player()
        assert [52 + bid for bid in bids] == state.legal_actions()
        bid = pick.choice(bids[: 1 + pick.randrange(6)])
        game.choose(bid)
        state.apply_action(52 + bid)
    play(state, game, False, pick)
    assert game.scores == state.returns()


@pytest.mark.parametrize("players", [2, 3, 5])
@pytest.mark.parametrize("seed", range(15))
def test_go_fish(seed: int, players: int) -> None:
    pick = random.Random(seed)
    game = Stacked(library_program("go-fish", players, next=1, all=1), seed=seed)
    state = pyspiel.load_game(f"go_fish(players={players})").new_initial_state()
    stock = game.cards("game", "iloc", "STOCK")
    for player in range(players):
        dealt = game.cards(player, "iloc", "HAND") + game.cards(player, "vloc", "BOOKS")
        for card in dealt:
            state.apply_action(LOWEST_FIRST.index(card.split()[0]))
    while game.status == "playing":
        while state.is_chance_node():
            state.apply_action(LOWEST_FIRST.index(stock.pop().split()[0]))
        options = {
            13 * option.values[0] + LOWEST_FIRST.index(option.values[1]): option
            for option in game.options()
        }
        assert game.player == state.current_player()
        assert sorted(options) == sorted(state.legal_actions())
        chosen = pick.choice(sorted(options))
        game.play(options[chosen])
        state.apply_action(chosen)
    while state.is_chance_node():
        state.apply_action(LOWEST_FIRST.index(stock.pop().split()[0]))
    assert state.is_terminal()
    returns = state.returns()
    assert [score == max(game.scores) for score in game.scores] == [
        value == max(returns) for value in returns
    ]


@pytest.mark.parametrize("seed", range(20))
def test_gops(seed: int) -> None:
    pick = random.Random(seed)
    game = Stacked(library_program("gops"), seed=seed)
    goofspiel = pyspiel.load_game("goofspiel(returns_type=total_points)")
    state = pyspiel.convert_to_turn_based(goofspiel).new_initial_state()
    value = ["A", *LOWEST_FIRST[:-1]]
    while game.status == "playing":
        bids = {}
        if state.is_chance_node():
            prize = game.cards("game", "vloc", "PRIZE")[0]
            state.apply_action(value.index(prize.split()[0]))
        for _ in range(2):
            player = game.player
            offered = [value.index(card.split()[0]) for card in game.offered()]
            bids[player] = pick.choice(offered)
            game.choose(f"{value[bids[player]]} {['CLUBS', 'SPADES'][player]}")
        for player in range(2):
            if not state.is_terminal():  # the last cards are played for them
                assert bids[player] in state.legal_actions()
                state.apply_action(bids[player])
    assert state.is_terminal()
    assert game.scores == state.returns()

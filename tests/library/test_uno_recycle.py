"""Uno in Python against Uno in RECYCLE: without calls and bluffs they are the same game.

Cards are dealt and shuffled alike, the same moves are made, and after each of them both games
offer the same, hold the same cards in the same places, and know the same scores.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from functools import cache
from typing import Any

import pytest
from tests.recycle.oracle import Option, Oracle, PileKey
from tests.recycle.stacked import library_program

from kibitz.core.actions import kind, operand
from kibitz.core.state import State
from kibitz.library.uno import play, rounds
from kibitz.library.uno.cards import CARDS, COLOURS
from kibitz.library.uno.phases import Phase
from kibitz.library.uno.rules import Uno
from kibitz.library.uno.table import Move

DIGITS = ["ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE"]
SYMBOLS = {word: str(n) for n, word in enumerate(DIGITS)} | {
    "SKIP": "Skip",
    "REVERSE": "Reverse",
    "DRAWTWO": "Draw Two",
}
WILDS = {"WILD": "Wild", "DRAWFOUR": "Wild Draw Four"}
STOCK, PILE = PileKey("game", "iloc", "STOCK", 0), PileKey("game", "vloc", "PILE", 0)


@cache
def program(players: int, **values: int) -> Any:
    return library_program("recycle-uno", players, **values)


class Twin(Oracle):
    """The game in RECYCLE; its shuffles are kept and repeated in the game in Python."""

    def __init__(self, players: int, seed: int, **values: int) -> None:
        tree = program(players, **values)
        self.cards = [self._card(**card.attributes) for card in tree.cards]
        self.shuffles: list[list[int]] = []
        super().__init__(tree, seed)

    @staticmethod
    def _card(COLOR: str, SYMBOL: str) -> int:
        wild = WILDS.get(SYMBOL)
        return CARDS.find(wild or f"{COLOR.lower()} {SYMBOLS[SYMBOL]}")

    def _shuffle(self, pile: PileKey, faro: bool) -> None:
        super()._shuffle(pile, faro)
        self.shuffles.append(self.lying(pile))

    def shuffle(self, state: Any, deck: Any) -> None:
        """Shuffles a deck of the other game in the same way."""
        while len(self.shuffles[0]) != deck.count:  # after the last card of a round
            self.shuffles.pop(0)
        assert Counter(self.shuffles[0]) == Counter(lying(deck))
        for i, card in enumerate(self.shuffles.pop(0)):
            deck.cards[i] = card
            deck.seen[i] = 0

    def lying(self, key: PileKey) -> list[int]:
        return [self.cards[c] for c in self.piles.get(key, [])]

    def hand(self, player: int) -> list[int]:
        return self.lying(PileKey(("player", player), "iloc", "HAND", 0))

    def offered(self) -> Counter[Any]:
        """The cards, the colours, and whether there is anything else to choose."""
        return Counter({self.meaning(option): 1 for option in self.options()})

    def meaning(self, option: Option) -> Any:
        if not option.values:
            return "other"
        value = option.values[0]
        return self.cards[value] if isinstance(value, int) else value.lower()

    def choose(self, meaning: Any) -> None:
        self.play(next(o for o in self.options() if self.meaning(o) == meaning))


def lying(deck: Any) -> list[int]:
    return list(itertools.islice(deck.cards, deck.count))


def meaning(action: int) -> Any:
    """The first choice of an action, as the twin represents it."""
    if kind(action) in (Move.PLAY, Move.NAME):
        return operand(action, 0)
    return COLOURS[operand(action, 0)] if kind(action) == Move.COLOUR else "other"


def play_alike(state: State, twin: Twin, action: int) -> None:
    """One action of the game in Python, and the choices that it is in RECYCLE."""
    twin.choose(meaning(action))
    if kind(action) == Move.NAME:
        twin.choose(COLOURS[operand(action, 1)])
    elif kind(action) == Move.PLAY and operand(action, 0) >= len(CARDS) - 2:
        twin.choose("red")  # the last card
    state.apply(action)


def compare(state: State, twin: Twin) -> None:
    view = state.view
    assert twin.player == state.current_player
    assert [lying(view.hands[p]) for p in range(state.players)] == [
        twin.hand(p) for p in range(state.players)
    ]
    assert lying(view.pile) == twin.lying(PILE)
    assert lying(view.stock) == twin.lying(STOCK)
    assert not twin.shuffles
    assert view.direction == twin.state.numbers[("game", "DIRECTION")]
    if view.phase != Phase.COLOUR:
        assert COLOURS[view.colour.value].upper() == twin.state.texts[("game", "COLOR")]
    assert Counter({meaning(a): 1 for a in state.legal_actions()}) == twin.offered()


TABLES = [
    # players, draw, hand, points, games
    (2, 0, 7, 150, 4),
    (2, 1, 5, 0, 4),
    (3, 0, 7, 0, 8),
    (4, 0, 7, 200, 3),
    (5, 1, 3, 0, 4),
    (10, 0, 9, 0, 5),
    (10, 1, 7, 0, 2),
]


@pytest.mark.parametrize(("players", "draw", "hand", "points", "games"), TABLES)
def test_both_games_agree_move_for_move(
    players: int,
    draw: int,
    hand: int,
    points: int,
    games: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = Uno(compiled=False)
    counts = Counter[str]()
    for seed in range(games):
        rng = random.Random(seed)
        twin = Twin(players, seed, hand=hand, points=points, draw=draw)
        for module in (play, rounds):
            monkeypatch.setattr(module, "shuffle_deck", twin.shuffle)
        rules = {"cards_each": hand, "target": points, "voluntary_draw": draw == 1}
        rules |= {"uno_call": False, "wild_draw_four": "strict"}
        state = game.new_state(players=players, seed=seed, **rules)
        while not state.is_terminal and state.tick < 350:
            compare(state, twin)
            action = rng.choice(state.legal_actions())
            play_alike(state, twin, action)
            counts[Move(kind(action)).name] += 1
            counts["shuffled"] += state.view.newest.value
        assert state.is_terminal == (twin.status == "finished")
        if state.is_terminal:
            assert [int(s) for s in state.scores()] == twin.scores
            counts["end"] += 1
        counts["round"] += state.view.round
    assert counts["PLAY"] > 50
    assert counts["KEEP"] > 5
    assert counts["NAME"] > 2
    assert counts["end"] or draw
    assert counts["round"] > games or points == 0
    assert counts["shuffled"] or players < 10

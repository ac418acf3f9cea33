"""Hanabi in RECYCLE: the same games, facts and scores as Hanabi in Python."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.library.test_hanabi import fill
from tests.recycle.agreement import play_table

import kibitz
from kibitz.core.state import State, components_in_play
from kibitz.core.status import Status
from kibitz.library.hanabi.table import CARDS, HAND
from kibitz.recycle.game import telling
from kibitz.recycle.options import Hidden

TABLES: list[tuple[int, dict[str, Any], dict[str, Any]]] = [
    (2, {}, {}),
    (3, {"keep": 1}, {"keep_score": True}),
    (4, {"nothing": 1, "clues": 3, "fuses": 5}, {"tell_nothing": True, "clues": 3, "fuses": 5}),
    (5, {"rainbow": 1}, {"rainbow": "sixth"}),
    (3, {"rainbow": 2, "keep": 1}, {"rainbow": "few", "keep_score": True}),
    (4, {"rainbow": 3}, {"rainbow": "wild"}),
]
"""The numbers of players, and the parameters in both languages."""


def piles(state: State) -> dict[str, Any]:
    """The locations of the game in RECYCLE."""
    return {i.path: view for i, view in components_in_play(state) if "cards" in i.dtype.names}


def names(state: State, path: str) -> list[str]:
    """The cards of a location."""
    pile = piles(state)[path]
    shown = telling(state).places.card_names
    return [shown[pile.cards[i]] for i in range(pile.count)]


def same_deal(state: State, other: State) -> None:
    """Deals the cards of a game in RECYCLE in one in Python."""
    fill(other, other.view.deck, *names(state, "stock"))
    for player in range(state.players):
        fill(other, other.view.hands[player], *names(state, f"hand[{player}]"))


def meant(state: State, action: int) -> str:
    """An action in RECYCLE in the words of the game in Python."""
    words = state.action_words(action)
    _, picks = state.table.rules.decode(state, action)
    if isinstance(picks[0], Hidden):
        verb = "discard" if words.startswith("discard") else "play"
        return f"{verb} card {picks[0].position + 1}"
    plural = words.rpartition(" about ")[2]
    numbers = ("ones", "twos", "threes", "fours", "fives")
    about = f"{numbers.index(plural) + 1}s" if plural in numbers else plural.removesuffix("s")
    return f"tell player {picks[0] + 1} about {about}"


def facts(state: State, player: int) -> list[set[str]]:
    """The names that each card of a hand may have, in RECYCLE."""
    pile = piles(state)[f"hand[{player}]"]
    shown = telling(state).places.card_names
    return [
        {name for card, name in enumerate(shown) if not pile.ruled_out[i] >> card & 1}
        for i in range(pile.count)
    ]


@pytest.mark.parametrize(("players", "own", "others"), TABLES)
def test_games_are_the_same(players: int, own: dict[str, Any], others: dict[str, Any]) -> None:
    table = kibitz.load("recycle-hanabi").table(players, **own)
    other_table = kibitz.load("hanabi").table(players, **others)
    held = {*telling(table.new_state(1)).places.card_names}
    longest = 0
    for seed in range(4):
        state, other = table.new_state(seed), other_table.new_state(seed)
        same_deal(state, other)
        pick = random.Random(seed)
        while state.status == Status.PLAYING:
            actions = {meant(state, action): action for action in state.legal_actions()}
            alike = {other.action_words(action): action for action in other.legal_actions()}
            assert actions.keys() == alike.keys()
            for player in range(players):
                hand = other.view.hands[player]
                known = [
                    {w for k, w in enumerate(CARDS.words) if HAND.possible_kinds(hand, i) >> k & 1}
                    for i in range(hand.count)
                ]
                assert facts(state, player) == [cards & held for cards in known]
            right = [a for a in actions if is_right(state, a)]
            words = pick.choice(right if right and pick.random() < 0.6 else sorted(actions))
            state.apply(actions[words])
            other.apply(alike[words])
            view = other.view
            assert len(names(state, "fireworks")) == view.fireworks.count
            assert names(state, "discard") == [
                CARDS.word(view.discards.cards[i]) for i in range(view.discards.count)
            ]
        assert (state.status, other.status) == (Status.FINISHED, Status.FINISHED)
        assert state.scores() == other.scores()
        longest = max(longest, state.tick)
    assert longest > 12


def is_right(state: State, words: str) -> bool:
    """Whether an action plays a card that fits."""
    if not words.startswith("play"):
        return False
    card = names(state, f"hand[{state.current_player}]")[int(words.split()[-1]) - 1]
    colour, number = card.split()
    built = [name for name in names(state, "fireworks") if name.startswith(colour)]
    return len(built) + 1 == int(number)


@pytest.mark.parametrize("seed", range(3))
def test_the_oracle_agrees(seed: int) -> None:
    table = kibitz.load("recycle-hanabi").table(3, keep=1, fuses=5)
    _, oracle = play_table(table, seed)
    assert oracle.status == "finished"


def test_hints_are_told_in_english() -> None:
    session = kibitz.Session("recycle-hanabi", ["random"] * 3, 3)
    told = []
    while not session.is_over:
        told += [event.text for event in session.advance().events(0)]
    assert "Player 3 tells player 1 about blues: card 4." in told
    assert "Player 3 tells player 1 about yellows: cards 1 and 5." in told
    assert "You tell player 2 about threes: card 2." in told


def test_samples_keep_what_was_told() -> None:
    table = kibitz.load("recycle-hanabi").table(3)
    checked = 0
    for seed in range(4):
        state, pick = table.new_state(seed), random.Random(seed)
        while state.status == Status.PLAYING:
            player = state.current_player
            possible = facts(state, player)
            sample = state.determinize(player, seed)
            for name, allowed in zip(names(sample, f"hand[{player}]"), possible, strict=True):
                assert name in allowed
                checked += len(allowed) < 25
            state.apply(pick.choice(state.legal_actions()))
    assert checked > 30

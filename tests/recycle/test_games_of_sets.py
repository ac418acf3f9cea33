"""Well-known games whose options are sets of cards, as a designer would write them."""

from __future__ import annotations

import collections
import itertools
import math
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.recycle.agreement import play_table

from kibitz.core.state import State
from kibitz.core.status import Status
from kibitz.languages.recycle_trial import try_out
from kibitz.recycle.checker import diagnose, silenced
from kibitz.recycle.game import RecycleGame
from kibitz.syntax.source import Source

FOLDER = Path(__file__).parent / "data" / "sets"
PLAYERS = {
    "big-two": range(2, 5),
    "cassino": range(2, 5),
    "dalmuti": range(4, 9),
    "draw-poker": range(2, 7),
    "rummy": range(2, 7),
}
TABLES = [(name, players) for name, counts in PLAYERS.items() for players in counts]


RANKS = [str(number) for number in range(1, 13)]


def game_of(name: str) -> RecycleGame:
    return RecycleGame(Source.load(FOLDER / f"{name}.rcy"))


@pytest.mark.parametrize("name", PLAYERS)
def test_nothing_is_warned_of_and_all_games_end(name: str) -> None:
    """At every number of players."""
    source = Source.load(FOLDER / f"{name}.rcy")
    tried = try_out(RecycleGame(source))
    assert silenced([*diagnose(source), *tried.diagnostics], source) == []
    assert f"{PLAYERS[name][0]} to {PLAYERS[name][-1]} players" in tried.summary()


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_oracle_agrees(name: str, players: int) -> None:
    """Games are cut where the oracle, which tries all subsets, would need more than seconds."""
    if name == "dalmuti" and players < 7:
        pytest.skip("too many cards in hand: see below")
    limit = {"dalmuti": 12, "cassino": 25, "big-two": 8}.get(name, 120)
    state, _ = play_table(game_of(name).table(players), players, limit)
    assert state.status in (Status.PLAYING, Status.FINISHED)


def met_at_random(name: str, players: int) -> Iterator[State]:
    """The decisions of a game."""
    state = game_of(name).table(players).new_state(players)
    pick = random.Random(players)
    while not state.is_terminal:
        yield state
        state.apply(pick.choice(state.legal_actions()))


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_options_are_the_same_in_what_one_cannot_tell_apart(name: str, players: int) -> None:
    differed = 0
    for number, state in enumerate(itertools.islice(met_at_random(name, players), 60)):
        other = state.determinize(state.current_player, number)
        differed += other != state
        assert other.legal_actions() == state.legal_actions()
    assert differed > 3


@pytest.mark.parametrize("players", PLAYERS["dalmuti"])
def test_dalmuti_offers_every_set_of_one_rank_and_jesters(players: int) -> None:
    """This includes hands of twenty cards, which have a million subsets."""
    led = followed = 0
    for state in itertools.islice(met_at_random("dalmuti", players), 150):
        shown = state.to_json()["components"]
        hand = collections.Counter(shown[f"hand[{state.current_player}]"])
        jesters = hand.pop("jester", 0)
        size, best = shown["count"], shown["best"]
        expected = int(size > 0)  # who follows may pass
        for n in [size] if size else range(1, 5):
            if size == 0 or best > 13:
                expected += math.comb(jesters, n)
            for rank, held in hand.items():
                if size == 0 or 1 + RANKS.index(rank) < best:
                    expected += math.comb(held + jesters, n) - math.comb(jesters, n)
        assert len(state.legal_actions()) == expected
        led += size == 0
        followed += size > 0
    assert min(led, followed) > 10

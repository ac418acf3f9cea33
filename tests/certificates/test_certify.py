"""Certificates: sound games get one, planted leaks are found, worlds are those of the tree."""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import Any

import pytest
from tests.arena.broken_games import Sound

import kibitz
from kibitz.arena.conformance.contents import uncertain
from kibitz.certificates.certify import certify
from kibitz.certificates.findings import Promise
from kibitz.certificates.positions import Games
from kibitz.certificates.setups import telling
from kibitz.certificates.uniformity import compare
from kibitz.certificates.worlds import WorldFinder, arrangements, deals_anew
from kibitz.core.actions import add, pack
from kibitz.solving.tree import grow_tree


class OptionsLeak(Sound):
    """Who could play may wait, but only if the other's first card is a high one."""

    name = "options-leak"

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: Any) -> None:
        Sound.legal_actions(state, params, actions)
        other = state.hands[(state.player + 1) % state.players]
        if other.count > 0 and other.cards[0] > 2:
            add(actions, pack(Sound.Actions.WAIT))  # type: ignore[attr-defined]


class WordsLeak(Sound):
    """The words of an action tell the top card of the deck."""

    name = "words-leak"

    def words(self, state: Any, action: int) -> str:
        return f"{super().words(state, action)} {state.view.deck.cards[0]}"


class EventsLeak(Sound):
    """What a seat is told of an action tells the other hands."""

    name = "events-leak"

    def event_text(self, before: Any, action: int, after: Any, observer: int | None) -> str:
        return f"{[before.view.hands[p].cards[0] for p in range(before.players)]}"


class PartLeak(Sound):
    """An open number tells a part of what is hidden: whether the other's first card is a high one.

    Samples keep it, and deal as if it said nothing: they look like the truth.
    """

    name = "part-leak"

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        Sound.setup(state, params)
        state.note.values[1] = 1 if state.hands[1].cards[0] > 2 else 0


class ReadsTheTruth(Sound):
    """A sample swaps nothing in truth: it keeps a hidden card in place."""

    name = "reads-the-truth"

    @staticmethod
    def redeterminize(state: Any, params: Any, player: int) -> None:
        state.note.values[0] = state.deck.cards[0] if state.deck.count > 0 else 0


SMALL = {"states": 16, "swaps": 20, "outputs": 6, "sets": 2}


@pytest.mark.parametrize(
    ("game", "promise"),
    [
        (OptionsLeak, Promise.OPTIONS),
        (WordsLeak, Promise.WORDS),
        (EventsLeak, Promise.EVENTS),
        (ReadsTheTruth, Promise.OBSERVATION),
        (PartLeak, Promise.SECRET),
    ],
)
def test_a_planted_leak_is_found(game: type[Sound], promise: Promise) -> None:
    found = certify(game(compiled=False), 2, agents=["osla"], **SMALL)
    assert promise in found.broken
    leak = next(leak for leak in found.leaks if leak.promise == promise)
    assert len(leak.spot.split(":")) == 4 or promise == Promise.SECRET
    assert leak.message in str(found)


def test_an_open_number_that_tells_a_part_is_named() -> None:
    tested, (found,) = telling(PartLeak(compiled=False).table(2), 0)
    assert tested > 1
    assert (found.path, found.seat) == ("note.values[1]", 0)
    assert "hands[1]" in found.message


def test_open_numbers_that_differ_by_chance_tell_nothing() -> None:
    """Colt Express draws from decks without order; Crazy Eights turns a card up."""
    for game in ("colt-express", "crazy-eights"):
        tested, found = telling(kibitz.load(game).table(), 1)
        assert tested > 50
        assert found == []


@pytest.mark.parametrize("game", sorted(game.name for game in kibitz.games()))
def test_library_games_leak_nothing(game: str) -> None:
    found = certify(game, states=8, swaps=20, outputs=4, sets=2)
    assert found.ok, str(found)
    assert found.swaps > 0
    assert found.complete


def test_worlds_are_the_nodes_of_the_tree() -> None:
    """Kuhn poker: as many worlds as its information set has nodes, and uniform samples."""
    table = kibitz.load("kuhn-poker").table()
    tree = grow_tree(table)
    sizes = {int((tree.infoset == i).sum()) for i in range(len(tree.infoset_player))}
    games, finder = Games(table, 0), WorldFinder(table)
    for number in range(4):
        end = games.position(number)
        path = games.path(end)
        worlds = finder.find(path[:2], end.actions[:1], path[1].current_player)
        assert worlds is not None
        assert {len(worlds.keys)} == sizes


def test_worlds_of_a_new_round_have_the_same_chance_but_not_those_of_a_renewed_stock() -> None:
    """In Uno hands are kept while discards are shuffled into the stock; a round deals all anew."""
    pack = {"cards_each": 3, "numbers": 2, "copies": 1, "wilds": 0, "wild_draw_fours": 2}
    pack |= {"skips": 0, "reverses": 0, "draw_twos": 0, "wild_draw_four": "free"}
    table = kibitz.load("uno").table(2, pack)
    games = Games(table, 0)
    renewed = dealt = 0
    for number in range(8):
        end = games.position(number, 120)
        path = games.path(end)
        for before, action, after in zip(path, end.actions, path[1:], strict=False):
            if after.is_terminal or after.view.round > before.view.round:
                dealt += not after.is_terminal
                assert after.is_terminal or deals_anew(before, action, 0)
            elif after.view.newest.value > before.view.newest.value and uncertain(after, 0):
                renewed += 1
                assert not deals_anew(before, action, 0)
    assert renewed > 10
    assert dealt > 5


def test_what_is_no_promise_is_not_broken() -> None:
    """Worlds that differ in their chance have no p-value, and the certificate says so."""
    table = kibitz.load("uno").table()
    games, finder = Games(table, 0), WorldFinder(table)
    end = games.position(5)
    worlds = finder.find(games.path(end)[:6116], end.actions[:6115], 1)
    assert worlds is not None
    assert not worlds.equal
    assert worlds.since > 0
    found = compare(finder, worlds, "5:6115:2", 0)
    assert (found.worlds, found.impossible, found.p) == (24, 0, None)


def test_samples_that_forget_are_counted() -> None:
    """Spades: a sample may give a card to who showed to have none of its suit."""
    found = certify("spades", states=4, swaps=5, outputs=0, sets=2)
    assert found.ok
    assert 0 < found.impossible < found.samples


def test_the_page_prints_what_it_says() -> None:
    page = Path(__file__).parent.parent.parent / "docs" / "certificates.md"
    result = doctest.testfile(str(page), module_relative=False)
    assert (result.attempted, result.failed) == (3, 0)


def test_arrangements_are_distinct() -> None:
    assert len(set(arrangements([2, 1, 1, 0]))) == len(list(arrangements([2, 1, 1, 0]))) == 12

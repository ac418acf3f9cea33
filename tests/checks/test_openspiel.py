"""Certificates of games of OpenSpiel, where it is installed."""

from __future__ import annotations

import random
from typing import Any

import pytest

from kibitz.checks.certificate import Certificate, Promise
from kibitz.core.errors import ParameterError

pyspiel = pytest.importorskip("pyspiel", exc_type=ImportError)

import kibitz.rl.openspiel  # noqa: E402, F401  (registers our games with OpenSpiel)
from kibitz.checks.openspiel import _compare, certify_openspiel  # noqa: E402


@pytest.mark.parametrize(
    "game", ["kuhn_poker", "leduc_poker", "hearts", "kibitz(game=kuhn-poker,deals=16)"]
)
def test_games_that_do_not_leak(game: str) -> None:
    made = certify_openspiel(game, states=12, swaps=4)
    assert made.ok
    assert made.complete
    assert made.hides
    assert made.swaps == 12 * 4 * pyspiel.load_game(game).num_players()


class Peeking:
    """A state whose information states show everything."""

    def __init__(self, state: Any) -> None:
        self.state = state

    def information_state_string(self, player: int) -> str:
        return str(self.state)

    def resample_from_infostate(self, player: int, rng: Any) -> Peeking:
        return Peeking(self.state.resample_from_infostate(player, rng))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.state, name)

    def __str__(self) -> str:
        return str(self.state)


def test_a_leak_is_found() -> None:
    game = pyspiel.load_game("kuhn_poker")
    state = game.new_initial_state()
    for card in (0, 1):
        state.apply_action(card)
    certificate = Certificate("kuhn_poker", 2, {}, 0)
    assert _compare(certificate, game, Peeking(state), 0, 20, random.Random(1), "0 1")
    assert certificate.broken == [Promise.MEMORY]
    assert "information_state_string differs" in str(certificate)
    assert "player 0 after 0 1" in str(certificate)


def test_a_player_who_knows_all_is_remarked() -> None:
    """In the last tricks of Oh Hell a player may know every card."""
    made = certify_openspiel("oh_hell", states=40, swaps=8)
    assert made.ok
    assert any("all 8 samples were the true state" in remark for remark in made.not_tried)


@pytest.mark.parametrize(
    ("game", "message"),
    [
        ("kuhn_pokr", "did you mean kuhn_poker"),
        ("kuhn_poker(players=99)", "cannot load"),
        ("battleship", "has no samples"),
        ("crossword", "cannot be played"),
    ],
)
def test_what_cannot_be_certified_is_said(game: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        certify_openspiel(game, states=1, swaps=1)


def test_where_nobody_decides_alone_nothing_is_said_to_hold() -> None:
    made = certify_openspiel("coop_box_pushing", states=2, swaps=1)
    assert made.swaps == 0
    assert "nothing was tried" in str(made)

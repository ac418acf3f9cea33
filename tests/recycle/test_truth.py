"""Whatever a table says, to any seat and to who looks on, is true, and known to who reads it."""

from __future__ import annotations

import random

import pytest
from tests.recycle.truth import FalseSentenceError, Reader, words_in_samples

from kibitz.recycle import library
from kibitz.recycle.game import load
from kibitz.recycle.telling import Telling
from kibitz.sessions import Session
from kibitz.sessions.telling import _Teller

GAMES = sorted(file.stem for file in library.FOLDER.glob("*.rcy"))
MOST = 80
"""Actions of a game that are read."""


def check_game(name: str, seed: int, most: int = MOST) -> int:
    """Reads a game for all seats and for who looks on; returns the number of sentences."""
    table = load(library.FOLDER / f"{name}.rcy").table()
    agents = ["random" if (seat + seed) % 2 else "osla" for seat in range(table.players)]
    session = Session(table, agents, seed)
    rng = random.Random(seed)
    readers = {seat: Reader(table, seat) for seat in (None, *range(table.players))}
    sentences = 0
    while not session.is_over and len(session.moves) < most:
        update = session.advance()
        for seat, reader in readers.items():
            sentences += reader.check(update, update.events(seat))
        readers[None].check(update, update.public_events)
        if name != "cuckoo" and rng.random() < 0.2:  # it shows cards that no state has
            seat = rng.randrange(table.players)
            for told, told_in_sample in words_in_samples(update, seat, range(3)):
                assert told == told_in_sample
    return sentences


@pytest.mark.parametrize("name", GAMES)
def test_every_sentence_is_true_and_known_to_its_reader(name: str) -> None:
    assert sum(check_game(name, seed) for seed in (1, 2)) > 20


def test_a_false_card_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The teller names the next card instead."""
    true = _Teller._cards

    def cards(self: _Teller, names: list[str | None]) -> str:
        return true(self, names).replace("9 of", "8 of")

    monkeypatch.setattr(_Teller, "_cards", cards)
    with pytest.raises(FalseSentenceError):
        check_game("hearts", 1)


def test_a_false_number_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    true = _Teller._has
    monkeypatch.setattr(_Teller, "_has", lambda self, who, name, n: true(self, who, name, n + 1))
    with pytest.raises(FalseSentenceError):
        check_game("spades", 1)


def test_a_card_that_is_told_to_who_may_not_know_it_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Picks are told to everybody."""
    monkeypatch.setattr(Telling, "_unless_unknown", lambda self, path, picks, *_: picks)
    with pytest.raises(AssertionError, match="pass"):
        check_game("hearts", 1, 12)

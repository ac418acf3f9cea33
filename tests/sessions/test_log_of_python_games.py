"""The log of games in Python is true: each sentence agrees with the states before and after."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

import kibitz
from kibitz.core.trace import tracing
from kibitz.core.traced_play import play_traced
from kibitz.library.loveletter.table import CARDS
from kibitz.sessions import Session, Update

PLAYER = r"(?P<{}>[Yy]ou|[Pp]layer \d)"


@pytest.mark.parametrize("name", ["love-letter", "tictactoe", "uno", "virus", "pandemic"])
def test_a_traced_action_has_the_outcome_of_the_action(name: str) -> None:
    """The log carries actions out uncompiled: the states afterwards are the same bytes."""
    table = kibitz.load(name if name != "tictactoe" else "tic-tac-toe").table()
    state, pick = table.new_state(5), random.Random(5)
    for _ in range(30):
        if state.is_terminal:
            break
        action = pick.choice(state.legal_actions())
        before, after = bytes(state), state.clone()
        after.apply(action)
        view = state.clone()
        record = view.view
        record.tick += 1
        with tracing(record):
            table.game.apply_action(record, table.params, action)
        assert bytes(view) == bytes(after)
        play_traced(state, action)
        assert bytes(state) == before
        state = after


def checked(update: Update, reader: int | None) -> Iterator[str]:
    """Yields the kind of each sentence of Love Letter after it was checked against the states."""
    before, after = update.before.view, update.after.view
    same_round = before.round == after.round and not update.after.is_terminal

    def seat(words: str) -> int:
        if words.lower() == "you":
            assert reader is not None
            return reader
        assert words[-1] != str((-2 if reader is None else reader) + 1), words
        return int(words[-1]) - 1

    def hand(record: Any, player: int) -> list[str]:
        deck = record.hands[player]
        return [CARDS.word(deck.cards[i]) for i in range(deck.count)]

    def discards(record: Any, player: int) -> list[str]:
        deck = record.discards[player]
        return [CARDS.word(deck.cards[i]) for i in range(deck.count)]

    def knows(*players: int) -> bool:
        """Whether the reader is one of the players, or knows what all of them know."""
        return reader in players or (reader is None and len(players) == before.players)

    for event in update.events(reader)[1:]:
        text = event.text
        if m := re.fullmatch(r"(.+) gets? (.+) from the (deck|set aside)\.", text):
            player, cards = seat(m[1]), m[2]
            assert (reader == player) == (cards != "a card")
            assert cards == "a card" or not same_round or cards in hand(after, player)
            yield "draw"
        elif m := re.fullmatch(r"(.+) gets? (.+) from (your|player \d's) hand\.", text):
            taker = seat(m[1])
            giver = seat("you" if m[3] == "your" else m[3][:-2])
            assert hand(before, giver) != []
            assert giver != taker
            held, ends = before.hands[giver], (taker, giver)
            seen = [held.seen[i] for i in range(held.count)]
            readers = range(before.players) if reader is None else (reader,)
            assert reader not in ends or m[2] != "a card"
            assert m[2] == "a card" or all(
                p in ends or any(mask >> p & 1 for mask in seen) for p in readers
            )
            assert m[2] in ("a card", *hand(before, giver))
            yield "trade"
        elif m := re.fullmatch(r"(You|Player \d) discards? the (.+)\.", text):
            player = seat(m[1])
            assert m[2] in hand(before, player)
            assert not same_round or m[2] in discards(after, player)
            yield "discard"
        elif text.startswith(("You see ", "Everyone sees ")):
            for shown in re.finditer(r"(\w+) in (your|player \d's) hand", text):
                target = seat("you" if shown[2] == "your" else shown[2][:-2])
                assert reader is None or knows(update.move.player, target)
                assert shown[1] in hand(before, target)
            yield "priest"
        elif m := re.fullmatch(r"(.+) (?:do|does) not have the (.+)\.", text):
            assert m[2] not in hand(before, seat(m[1]))
            yield "miss"
        elif m := re.fullmatch(r"(.+) (?:has|have) the (.+), (.+) (?:has|have) the (.+)\.", text):
            duellists = {seat(m[1]): m[2], seat(m[3]): m[4]}
            assert knows(*duellists)
            for player, card in duellists.items():
                assert card in hand(before, player)
            yield "duel"
        elif m := re.fullmatch(r"(.+) and (.+) have the same card, .*", text):
            a, b = seat(m[1]), seat(m[2])
            assert set(hand(before, a)) & set(hand(before, b))
            yield "tie"
        elif m := re.fullmatch(r"(.+) (?:is|are) out\.", text):
            player = seat(m[1])
            assert not before.seat[player].out
            assert not same_round or after.seat[player].out
            yield "out"
        elif m := re.fullmatch(r"(.+) shows? the (.+)\.", text):
            assert not same_round
            assert not before.seat[seat(m[1])].out
            yield "show"
        elif m := re.fullmatch(r"(.+) wins? the round, and (?:has|have) (\d+) of (\d+).*", text):
            player = seat(m[1])
            assert after.tokens[player].value == before.tokens[player].value + 1 == int(m[2])
            assert int(m[3]) == update.before.table.parameters.tokens_to_win
            yield "token"
        elif m := re.fullmatch(r"(.+) (?:is|are) the last one in the round\.", text):
            others = [p for p in range(before.players) if p != seat(m[1])]
            assert all(
                before.seat[p].out or f"{name(p, reader)} out." in told(update, reader)
                for p in others
            )
            yield "alone"
        elif m := re.fullmatch(
            r"(.+) (?:is|are) protected until (?:your|their) next turn\.", text
        ):
            assert seat(m[1]) == update.move.player
            assert not same_round or after.protected[seat(m[1])].value
            yield "protected"
        elif m := re.fullmatch(r"The (.+) has no effect, since nobody can be chosen\.", text):
            assert m[1] in hand(before, update.move.player)
            yield "no effect"
        elif m := re.fullmatch(r"Dealt: (.*)\.|.* dealt to each player(.*)\.", text):
            assert not same_round
            own = [] if reader is None else hand(after, reader)
            assert {*re.findall(r"[A-Z]\w+", m[1] or m[2])} <= {*own}
            yield "deal"
        elif m := re.fullmatch(r"Round (\d+) is over\.", text):
            assert int(m[1]) == after.round == before.round + 1
            yield "round"
        elif m := re.fullmatch(r"Scores: (.*)\.", text):
            scores = {
                seat(part.rsplit(" ", 1)[0]): part.rsplit(" ", 1)[1]
                for part in re.split(", | and ", m[1])
            }
            assert [scores[p] for p in sorted(scores)] == [f"{s:g}" for s in update.after.scores()]
            yield "scores"
        elif m := re.fullmatch(r"(.*) go(?:es)? from the deck to the face up\.", text):
            deck = after.face_up
            assert re.split(", | and ", m[1]) == [
                CARDS.word(deck.cards[i]) for i in range(deck.count)
            ]
            yield "face up"
        else:
            assert text in (
                "The deck is shuffled.",
                "A card goes from the deck to the set aside.",
                "The deck is empty, so the highest card wins the round.",
                "The highest cards are equal, so the higher total of discards wins.",
            ), text
            yield text


def name(player: int, reader: int | None) -> str:
    return "You are" if player == reader else f"Player {player + 1} is"


def told(update: Update, reader: int | None) -> list[str]:
    return [event.text for event in update.events(reader)]


def test_every_sentence_of_love_letter_is_true() -> None:
    pick, kinds = random.Random(1), Counter[str]()
    for seed, players in enumerate((2, 3, 4) * 5):
        table = kibitz.load("love-letter").table(players)
        session = Session(table, [None] * players, seed)
        while not session.is_over:
            update = session.apply(pick.choice(session.state.legal_actions()))
            for reader in (None, *range(players)):
                kinds.update(checked(update, reader))
    sentences = {
        "draw",
        "trade",
        "discard",
        "priest",
        "miss",
        "duel",
        "tie",
        "out",
        "show",
        "token",
    }
    sentences |= {"alone", "protected", "no effect", "deal", "round", "scores", "face up"}
    sentences |= {"The highest cards are equal, so the higher total of discards wins."}
    assert not sentences - kinds.keys()

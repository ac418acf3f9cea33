"""The log of Uno is true."""

from __future__ import annotations

import re

from tests.library.log_truth import WHO, Check, Reading, check_log, played

from kibitz.components import next_player
from kibitz.library.uno.cards import CARDS, COLOURS
from kibitz.library.uno.play import has_colour


def draws(reading: Reading, match: re.Match[str]) -> bool:
    hand = reading.after.hands[reading.mover]
    last = CARDS.word(hand.cards[hand.count - 1])
    return reading.reader == reading.mover and (last == match[1] or was_played(reading, match[1]))


def was_played(reading: Reading, card: str) -> bool:
    return any(f" the {card}." in text and "play" in text for text in reading.texts)


def plays(reading: Reading, match: re.Match[str]) -> bool:
    pile = reading.after.pile
    top = CARDS.word(pile.cards[pile.count - 1])
    return reading.seat(match[1]) == reading.mover and (
        top == match[2] or not reading.round_goes_on
    )


def misses(reading: Reading, match: re.Match[str]) -> bool:
    player = reading.seat(match[1])
    if not reading.round_goes_on:  # it may be the first card of the next round
        return True
    waits = reading.after.turn_owner != player or reading.after.players == 2
    return waits and next_player(reading.after, reading.before.turn_owner) == player


def turns(reading: Reading, match: re.Match[str]) -> bool:
    way = 1 if match[1] == "left" else -1
    return not reading.round_goes_on or reading.after.direction == way != reading.before.direction


def colour_held(reading: Reading, match: re.Match[str]) -> bool:
    """Whether the player has a card of the colour on which the Wild Draw Four was played."""
    hand = reading.before.hands[reading.seat(match[1])]
    return has_colour(hand, COLOURS.index(match[2]))


def bluffs(reading: Reading, match: re.Match[str]) -> bool:
    matched = COLOURS.index(match[2]) == reading.before.matched.value
    owner = reading.seat(match[1]) == reading.before.turn_owner
    return matched and owner and colour_held(reading, match)


def is_honest(reading: Reading, match: re.Match[str]) -> bool:
    if match[2] == "matching":
        return bool(reading.before.matched.value == len(COLOURS))
    matched = COLOURS.index(match[2]) == reading.before.matched.value
    return matched and not colour_held(reading, match)


def one_left(reading: Reading, match: re.Match[str]) -> bool:
    player = reading.seat(match[1])
    return "call" not in reading.words and reading.after.hands[player].count == 1


def empties(reading: Reading, match: re.Match[str]) -> bool:
    return not reading.round_goes_on and reading.seat(match[1]) == reading.before.turn_owner


def wins(reading: Reading, match: re.Match[str]) -> bool:
    player = reading.seat(match[1])
    gains = [
        reading.after.seat[p].score - reading.before.seat[p].score
        for p in range(reading.after.players)
    ]
    return not reading.round_goes_on and gains[player] == max(gains)


SENTENCES: dict[str, Check] = {
    r"You draw the (.+)\.": draws,
    rf"{WHO} plays? the (.+)\.": plays,
    r"The card drawn cannot be played\.": lambda r, m: r.words == "draw a card",
    rf"{WHO} miss(?:es)? a turn\.": misses,
    r"Play goes to the (left|right)\.": turns,
    rf"{WHO} had a (\w+) card, so the challenge succeeds\.": bluffs,
    rf"{WHO} had no (\w+) card, so the challenge fails\.": is_honest,
    rf"{WHO} ha(?:s|ve) one card left and did not call Uno\.": one_left,
    rf"{WHO} ha(?:s|ve) no card left\.": empties,
    r"The round is stopped after 9 turns\.": lambda r, m: not r.round_goes_on,
    rf"{WHO} wins? the round\.": wins,
}


def test_every_sentence_is_true() -> None:
    """All but that of a round in which all pass, which ``test_uno.py`` arranges."""
    tables = (
        played("uno", 2, target=0),
        played("uno", 3, target=100),
        played("uno", 4, target=0, must_play_drawn=True),
        played("uno", 3, target=0, turn_limit=9),
    )
    occurred = {sentence for table in tables for sentence in check_log(table, range(1), SENTENCES)}
    assert SENTENCES.keys() - occurred == set()

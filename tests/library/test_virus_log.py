"""The log of Virus! is true."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.library.log_truth import WHO, WHOSE, Check, Reading, check_log, played

from kibitz.components import find_card
from kibitz.library.virus.bodies import CARDS, Class, class_of, laid_on


def condition(view: object, player: int, organ: str) -> str:
    """The classes of the cards on an organ, by their first letters; "gone" without the organ."""
    body = view.bodies[player]  # type: ignore[attr-defined]
    at = find_card(body, CARDS.find(organ))
    if at < 0:
        return "gone"
    laid = [class_of(body.cards[at + 1 + n]) for n in range(laid_on(body, at))]
    return "".join(Class(card_class).name[0] for card_class in laid)


def becomes(old: str, new: str) -> Callable[[Reading, re.Match[str]], bool]:
    """A check that the cards on the organ of a sentence were of some classes, and now are."""

    def check(reading: Reading, match: re.Match[str]) -> bool:
        player = reading.seat(match[1])
        views = (reading.before, reading.after)
        return [condition(view, player, match[2]) for view in views] == [old, new]

    return check


def discards(reading: Reading, match: re.Match[str]) -> bool:
    player = reading.seat(match[1])
    return reading.after.hands[player].count == 0 < reading.before.hands[player].count


def turned_over(reading: Reading, match: re.Match[str]) -> bool:
    return bool(reading.after.deck.count > reading.before.deck.count)


def wins(reading: Reading, match: re.Match[str]) -> bool:
    player = reading.seat(match[1])
    healthy = reading.after.bodies[player].healthy
    return reading.update.after.returns()[player] == 1 and healthy == int(match[2])


SENTENCES: dict[str, Check] = {
    rf"{WHOSE} (.+) is infected\.": becomes("", "V"),
    rf"{WHOSE} (.+) is vaccinated\.": becomes("", "M"),
    rf"{WHOSE} (.+) is immune for good\.": becomes("M", "MM"),
    rf"{WHOSE} (.+) is cured\.": becomes("V", ""),
    rf"{WHOSE} (.+) is no longer vaccinated\.": becomes("M", ""),
    rf"{WHOSE} (.+) is destroyed\.": becomes("V", "gone"),
    rf"{WHO} discards? (?:their|your) hand\.": discards,
    r"The discards become the deck\.": turned_over,
    rf"{WHO} ha(?:s|ve) (\d) healthy organs and wins?\.": wins,
    r"Nobody has won in 9 rounds\.": lambda r, m: (
        r.after.round == 9 and r.update.after.is_terminal
    ),
}


def test_every_sentence_is_true() -> None:
    tables = (played("virus", 2, viruses=5), played("virus", 4, round_limit=9, gloves=2))
    occurred = {sentence for table in tables for sentence in check_log(table, range(4), SENTENCES)}
    assert SENTENCES.keys() - occurred == set()

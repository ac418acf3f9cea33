"""The log of Colt Express is true."""

from __future__ import annotations

import re
from typing import Any

from tests.library.log_truth import Check, Reading, check_log, played

from kibitz.library.coltexpress.data import (
    ACTION_CARDS,
    BANDITS,
    KINDS,
    MOST_BANDITS,
    PURSES,
    ROUND_CARDS,
    TOKEN_NAMES,
)
from kibitz.library.coltexpress.loot import fewest_bullets
from kibitz.library.coltexpress.table import BOX, CAR_NAMES, HELD, MARSHAL

BANDIT = f"({'|'.join(BANDITS.words)})"
CAR = f"({'|'.join(CAR_NAMES)})"
CARD = f"({'|'.join(ACTION_CARDS.words)})"
TOKEN = r"((?:[Pp]urse|[Jj]ewel) \d+|[Tt]he (?:second )?strongbox)"


def bandit_in(reading: Reading, name: str) -> int:
    return int(reading.before.bandit_of.values[BANDITS.find(name)])


def token_in(name: str) -> int:
    return TOKEN_NAMES.index(name[0].lower() + name[1:])


def places(reading: Reading, name: str) -> tuple[Any, Any]:
    """Where a token was, and where it is."""
    token = token_in(name)
    return reading.before.token_at.values[token], reading.after.token_at.values[token]


def draws(reading: Reading, match: re.Match[str]) -> bool:
    card = bandit_in(reading, match[1]) * KINDS + ACTION_CARDS.find(match[2])
    hand = reading.after.hands[reading.reader]
    held = sum(hand.cards[i] == card for i in range(hand.count))
    named = sum(text == reading.text for text in reading.texts)
    return 0 < named <= held


def begins(reading: Reading, match: re.Match[str]) -> bool:
    card = ROUND_CARDS[reading.after.round_card.value].name
    return (int(match[1]), match[2]) == (reading.after.round + 1, card)


def turned_up(reading: Reading, match: re.Match[str]) -> bool:
    pile, at = reading.after.pile, reading.after.next_card.value
    card = bandit_in(reading, match[1]) * KINDS + ACTION_CARDS.find(match[2])
    return bool(pile.cards[at] == card and reading.before.pile.seen[at] != pile.seen[at])


def hit(reading: Reading, match: re.Match[str]) -> bool:
    at = bandit_in(reading, match[1]) * (MOST_BANDITS + 1) + MARSHAL
    more = reading.after.hits.values[at] - reading.before.hits.values[at]
    return bool(more == sum(text == reading.text for text in reading.texts))


def flees(reading: Reading, match: re.Match[str]) -> bool:
    where = reading.after.where.values[bandit_in(reading, match[1])]
    slid = any(text.startswith(f"{match[1]} slides") for text in reading.texts)
    gone = any(text.startswith("The Marshal goes") for text in reading.texts)
    return slid or gone or where == 2 * reading.after.marshal.value + 1


def stands(reading: Reading, match: re.Match[str]) -> bool:
    bandit = bandit_in(reading, match[1])
    old, new = (v.where.values[bandit] for v in (reading.before, reading.after))
    acted = reading.update.move.words.startswith(match[1])  # and may have gone away before
    return (old != new or acted) and CAR_NAMES[new >> 1] == match[2]


def falls(reading: Reading, match: re.Match[str]) -> bool:
    old, new = places(reading, match[1])
    return old >= HELD > new != BOX


def keeps(reading: Reading, match: re.Match[str]) -> bool:
    old, new = places(reading, match[2])
    return old != new == HELD + bandit_in(reading, match[1])


def is_worth(reading: Reading, match: re.Match[str]) -> bool:
    token = token_in(match[1])
    known_to = reading.after.purses.seen[token]
    seen = reading.reader is not None and known_to >> reading.reader & 1
    return bool(seen) and PURSES.word(reading.after.purses.cards[token]) == match[2]


def event(reading: Reading, match: re.Match[str]) -> bool:
    card = ROUND_CARDS[reading.before.round_card.value]
    return card.name == match[1] and card.properties["event"] != "none"


def marshal_in(reading: Reading, match: re.Match[str]) -> bool:
    return CAR_NAMES[reading.after.marshal.value] == match[1]


def put_down(reading: Reading, match: re.Match[str]) -> bool:
    old, new = places(reading, match[1])
    return old == BOX and CAR_NAMES[new >> 1] == match[2]


def removed(reading: Reading, match: re.Match[str]) -> bool:
    old, new = places(reading, match[1])
    return old >= HELD and new == BOX


def paid(reading: Reading, match: re.Match[str]) -> bool:
    bandit = bandit_in(reading, match[1])
    more = reading.after.cash.values[bandit] - reading.before.cash.values[bandit]
    bonus = f"{match[1]} gets the gunslingers' bonus." in reading.texts
    return bool(more - 1000 * bonus == int(match[2]))


def gunslinger(reading: Reading, match: re.Match[str]) -> bool:
    bullets = reading.after.bullets.values[bandit_in(reading, match[1])]
    return reading.update.after.is_terminal and bullets == fewest_bullets(reading.after)


SENTENCES: dict[str, Check] = {
    r"Round (\d) begins: (.+)\.": begins,
    rf"You draw {BANDIT}'s {CARD}\.": draws,
    r"It is a card of Ghost's\.": lambda r, m: r.after.hidden_by_ghost.value == r.after.pile.count,
    rf"The card turned up is {BANDIT}'s {CARD}\.": turned_up,
    rf"{BANDIT} receives a neutral bullet\.": hit,
    rf"{BANDIT} flees from the Marshal to the roof\.": flees,
    rf"{BANDIT} is pushed to {CAR}\.": stands,
    rf"{TOKEN} falls\.": falls,
    rf"{BANDIT} keeps {TOKEN}\.": keeps,
    rf"{TOKEN} is worth (.+)\.": is_worth,
    r"At the end of the round: (.+)\.": event,
    rf"The Marshal goes to {CAR}\.": marshal_in,
    rf"{BANDIT} slides to the roof of {CAR}\.": stands,
    rf"{TOKEN} is put down in {CAR}\.": put_down,
    rf"{TOKEN} is out of the game\.": removed,
    rf"{BANDIT} gets \$(\d+)\.": paid,
    rf"{BANDIT} gets the gunslingers' bonus\.": gunslinger,
}


def test_every_sentence_is_true() -> None:
    gang = {"bandit_1": "ghost", "bandit_2": "cheyenne", "bandit_3": "django", "rounds": 8}
    tables = (
        (played("colt-express", 2, rounds=8), (0, 5)),
        (played("colt-express", 4, **gang), (2,)),
        (played("colt-express", 3, harsh_revenge=True, copied_purses=True, **gang), (7,)),
    )
    occurred = {
        sentence for table, seeds in tables for sentence in check_log(table, seeds, SENTENCES)
    }
    assert SENTENCES.keys() - occurred == set()

"""The log of Pandemic is true."""

from __future__ import annotations

import re

from tests.library.log_truth import WHO, Check, Reading, check_log, played

from kibitz.library.pandemic.table import CURED, SUPPLY, Ending
from kibitz.library.pandemic.world import COLOURS, INFECTION_CARDS, PLAYER_CARDS, WORLD

CITY = f"({'|'.join(map(re.escape, WORLD.words))})"
CARD = f"({'|'.join(map(re.escape, PLAYER_CARDS.words))})"
COLOUR = f"({'|'.join(COLOURS)}|{'|'.join(c.capitalize() for c in COLOURS)})"


def colour_in(words: str) -> int:
    return COLOURS.index(words.lower())


def draws(reading: Reading, match: re.Match[str]) -> bool:
    """Whether the card is the next of the player deck, by the sentences before."""
    drawn = [text for text in reading.texts if re.fullmatch(rf"{WHO} draws? {CARD}\.", text)]
    deck = reading.before.player_deck
    top = deck.cards[deck.count - 1 - drawn.index(reading.text)]
    repeats = drawn.count(reading.text) > 1
    owner = reading.seat(match[1]) == reading.before.turn_owner
    return owner and (PLAYER_CARDS.word(top) == match[2] or repeats)


def rate(reading: Reading, match: re.Match[str]) -> bool:
    rates = (2, 2, 2, 3, 3, 4, 4)
    passed = range(reading.before.epidemics.value, reading.after.epidemics.value + 1)
    return int(match[1]) in [rates[number] for number in passed]


def was_in_deck(reading: Reading, match: re.Match[str]) -> bool:
    deck = reading.before.infection_deck
    returned = any("go back" in text or "forecast" in text for text in reading.texts)
    cards = [INFECTION_CARDS.word(deck.cards[i]) for i in range(deck.count)]
    return returned or match[1] in cards


def bottom(reading: Reading, match: re.Match[str]) -> bool:
    deck = reading.before.infection_deck
    count = sum(text.startswith("The bottom") for text in reading.texts)
    return match[1] in [INFECTION_CARDS.word(deck.cards[i]) for i in range(count)]


def cubes(reading: Reading, city: int, colour: int) -> int:
    """The cubes that a city gained, or lost, by all sentences of the action."""
    total = 0
    name = COLOURS[colour]
    for text in reading.texts:
        if m := re.fullmatch(rf"{CITY} (gets|loses) (\d) (\w+) cubes?\.", text):
            if WORLD.find(m[1]) == city and m[4] == name:
                total += int(m[3]) * (1 if m[2] == "gets" else -1)
    return total


def changes_cubes(reading: Reading, match: re.Match[str]) -> bool:
    city, colour = WORLD.find(match[1]), colour_in(match[3])
    more = reading.after.cities.at[city, colour] - reading.before.cities.at[city, colour]
    return bool(more == cubes(reading, city, colour))


def spared(reading: Reading, match: re.Match[str]) -> bool:
    """Whether the card of the city came up, and it has no more cubes than other sentences say."""
    name = match[match.re.groups]
    city = WORLD.find(name)
    drawn = any(text.endswith(f" infection card is {name}.") for text in reading.texts)
    return drawn and all(
        reading.after.cities.at[city, colour] - reading.before.cities.at[city, colour]
        == cubes(reading, city, colour)
        for colour in range(len(COLOURS))
    )


def eradicated(reading: Reading, match: re.Match[str]) -> bool:
    return bool(reading.after.diseases.at[colour_in(match[1]), CURED] == 2)


def breaks_out(reading: Reading, match: re.Match[str]) -> bool:
    city, colour, number = WORLD.find(match[2]), colour_in(match[1]), int(match[3])
    numbers = range(reading.before.outbreaks.value + 1, reading.after.outbreaks.value + 1)
    parameters = reading.update.after.table.parameters
    full = reading.after.cities.at[city, colour] == parameters.cubes_per_city
    return full and number in numbers and int(match[4]) == parameters.outbreaks_to_lose


def cured(reading: Reading, match: re.Match[str]) -> bool:
    colour, score = colour_in(match[1]), reading.after.seat[0].score
    is_new = (
        reading.before.diseases.at[colour, CURED] == 0 < reading.after.diseases.at[colour, CURED]
    )
    needed = reading.update.after.table.parameters.cures_to_win
    return bool(is_new) and [int(match[2]), int(match[3])] == [score, needed]


def ends(ending: int) -> Check:
    return lambda reading, match: reading.after.phase == ending


SENTENCES: dict[str, Check] = {
    rf"{WHO} draws? {CARD}\.": draws,
    r"An epidemic: the infection rate is (\d)\.": rate,
    rf"The bottom infection card is {CITY}\.": bottom,
    rf"The next infection card is {CITY}\.": was_in_deck,
    r"The infection discards go back on top of the infection deck\.": (
        lambda r, m: r.after.shuffles.value > r.before.shuffles.value
    ),
    r"It is a quiet night, and no city is infected\.": (
        lambda r, m: (
            r.after.quiet.value == 0 and not any("next infection card" in t for t in r.texts)
        )
    ),
    rf"{CITY} (?:gets|loses) (\d) (\w+) cubes?\.": changes_cubes,
    rf"{COLOUR} is eradicated, so {CITY} gets no cube\.": (
        lambda r, m: eradicated(r, m) and spared(r, m)
    ),
    rf"{CITY} is protected and gets no cube\.": spared,
    rf"{COLOUR} breaks out in {CITY}, outbreak (\d+) of (\d+)\.": breaks_out,
    rf"There is a cure for {COLOUR}, (\d) of (\d)\.": cured,
    rf"{COLOUR} is eradicated\.": eradicated,
    r"The game is lost by 8 outbreaks\.": ends(Ending.OUTBREAKS),
    rf"No {COLOUR} cube is left, so the game is lost\.": (
        lambda r, m: ends(Ending.CUBES)(r, m) and r.after.diseases.at[colour_in(m[1]), SUPPLY] == 0
    ),
    r"Too few player cards are left to draw, so the game is lost\.": ends(Ending.CARDS),
}


def test_every_sentence_is_true() -> None:
    easy = {"cards_for_cure": 2, "scientist_cards": 1, "epidemics": 1, "outbreaks_to_lose": 20}
    tables = (
        (played("pandemic", 4, epidemics=6), (0, 1)),
        (played("pandemic", 3, setup_cities=1, role_1="quarantine-specialist", **easy), (7,)),
        (
            played("pandemic", 2, setup_cities=1, role_1="medic", cubes_per_colour=60, **easy),
            (11,),
        ),
    )
    occurred = {
        sentence for table, seeds in tables for sentence in check_log(table, seeds, SENTENCES)
    }
    assert SENTENCES.keys() - occurred == set()

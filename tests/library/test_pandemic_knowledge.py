"""Hidden decks in Pandemic: samples against notes that a player could take."""

from __future__ import annotations

import functools
import itertools
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from tests.library.worlds import compare

from kibitz.core.actions import kind, operand
from kibitz.core.game import Game
from kibitz.core.registry import load
from kibitz.core.state import State
from kibitz.library.pandemic.table import Move, Stage
from kibitz.library.pandemic.world import EPIDEMIC, EventCard

LONG: dict[str, Any] = {"outbreaks_to_lose": 20, "cubes_per_colour": 60}
"""Parameters that make random games long."""


@functools.cache
def game() -> Game:
    return load("pandemic")


def cards(deck: Any) -> list[int]:
    return list(itertools.islice(deck.cards, deck.count))


class Notes:
    """What can be deduced about both decks from public events.

    Each place of the infection deck, from below, has the set of cards that can lie there; places
    with the same set share it. Each place of the player deck has the number of its pile.
    """

    def __init__(self, state: State) -> None:
        deck = set(cards(state.view.infection_deck))
        self.places = [deck] * len(deck)
        epidemics = state.table.parameters.epidemics
        size = state.view.player_deck.count
        self.piles: list[int] = []
        for pile in range(epidemics):  # the larger ones on top
            larger = pile >= epidemics - size % epidemics
            self.piles += [pile] * (size // epidemics + larger)
        self.resolved: set[int] = set()

    # -- the infection deck --

    def take(self, place: int, card: int) -> None:
        """A card leaves the deck in the open."""
        assert card in self.places[place]
        self.places.pop(place).discard(card)

    def put_on_top(self, mixed: set[int]) -> None:
        """Cards that all have seen are shuffled and put on the deck."""
        self.places += [mixed] * len(mixed)

    def watch(self, before: State, action: int, after: State) -> None:
        self.watch_player_deck(before, after)
        deck = cards(before.view.infection_deck)
        pile = cards(before.view.infection_discards)
        chosen = operand(action, 0)
        back: list[int] = []
        if kind(action) == Move.PLAY and chosen == EventCard.FORECAST:
            shown = deck[-before.table.parameters.forecast_cards :]
            for card in reversed(shown):
                self.take(-1, card)
            del deck[-len(shown) :]
            back = shown if len(shown) == 1 else []
        elif kind(action) == Move.PUT_BACK:
            remaining = set(cards(before.view.forecast)) - {chosen}
            back = [chosen, *(remaining if len(remaining) == 1 else ())]
        elif kind(action) == Move.REMOVE:
            pile.remove(chosen)
        for card in back:
            deck.append(card)
            self.put_on_top({card})
        self.watch_infections(before, after, deck, pile)

    def watch_infections(
        self, before: State, after: State, deck: list[int], pile: list[int]
    ) -> None:
        """Follows the cards that leave the infection deck and those put onto it."""
        for number in range(after.view.shuffles.value - before.view.shuffles.value):
            if number or before.view.stage.value != Stage.INTENSIFY:
                self.take(0, deck[0])
                pile.append(deck.pop(0))
            self.put_on_top(set(pile))
            pile = []
        for card in cards(after.view.infection_discards)[len(pile) :]:
            bottom = after.view.stage.value == Stage.INTENSIFY and deck[:1] == [card]
            self.take(0 if bottom else -1, card)

    def allows(self, deck: list[int]) -> bool:
        """Whether an infection deck agrees with the notes."""
        fits = all(card in place for card, place in zip(deck, self.places, strict=True))
        return fits and len(set(deck)) == len(deck)

    # -- the player deck --

    def watch_player_deck(self, before: State, after: State) -> None:
        deck = cards(before.view.player_deck)
        while len(self.piles) > after.view.player_deck.count:
            pile, card = self.piles.pop(), deck.pop()
            if card == EPIDEMIC:
                assert pile not in self.resolved
                self.resolved.add(pile)

    def allows_epidemics(self, deck: list[int]) -> bool:
        """Whether each pile has its epidemic, and no more."""
        piles = [self.piles[place] for place, card in enumerate(deck) if card == EPIDEMIC]
        return sorted(piles) == sorted(set(self.piles) - self.resolved)


def games(number: int, **parameters: Any) -> Iterator[tuple[State, Notes]]:
    """Every state of `number` random games, with the notes on it."""
    for seed in range(number):
        rng = random.Random(seed)
        state = game().new_state(2 + seed % 3, seed=seed, **{**LONG, **parameters})
        notes = Notes(state)
        while True:
            yield state, notes
            before = state.clone()
            legal = state.legal_actions()
            events = [a for a in legal if kind(a) == Move.PLAY]
            action = rng.choice(events if events and rng.random() < 0.2 else legal)
            state.apply(action)
            if state.is_terminal:
                break
            notes.watch(before, action, state)


@pytest.mark.parametrize("epidemics", [4, 6])
def test_samples_agree_with_all_that_can_be_noted(epidemics: int) -> None:
    states = forecast = shuffled = 0
    for number, (state, notes) in enumerate(games(25, epidemics=epidemics)):
        assert notes.allows(cards(state.view.infection_deck))
        for sample in (state.determinize(number % state.players, seed) for seed in (1, 2)):
            assert notes.allows(cards(sample.view.infection_deck))
            assert notes.allows_epidemics(cards(sample.view.player_deck))
        states += 1
        forecast += any(len(place) == 1 for place in notes.places)
        shuffled += len({id(place) for place in notes.places}) > 1
    assert states > 1000
    assert forecast > 100
    assert shuffled > 200


def test_every_card_comes_up_at_every_place_as_often_as_it_should() -> None:
    compared = 0
    for number, (state, notes) in enumerate(games(12)):
        if number % 40 != 7:
            continue
        samples = [state.determinize(0, seed) for seed in range(400)]
        infections = [cards(sample.view.infection_deck) for sample in samples]
        for place, mixed in enumerate(notes.places):
            if place % 5 == number % 5:
                believed = {card: 1.0 / len(mixed) for card in mixed}
                sampled = [deck[place] for deck in infections]
                assert compare(believed, sampled).fair
                compared += 1
        decks = [cards(sample.view.player_deck) for sample in samples]
        chances = Counter(notes.piles)
        for place, pile in enumerate(notes.piles):
            chance = 0.0 if pile in notes.resolved else 1.0 / chances[pile]
            sampled = [deck[place] == EPIDEMIC for deck in decks]
            believed = {True: chance, False: 1.0 - chance}
            assert compare({w: x for w, x in believed.items() if x > 0.0}, sampled).fair
            compared += 1
        hidden = [card for card in decks[0] if card != EPIDEMIC]
        if notes.piles and hidden:
            chance = 1.0 / len(hidden)
            first = [next(c for c in deck if c != EPIDEMIC) for deck in decks if len(deck) > 1]
            assert compare(dict.fromkeys(hidden, chance), first).fair
    assert compared > 300

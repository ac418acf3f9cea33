"""Colt Express (Christophe Raimbault, Ludonaute 2014): five rounds of a train robbery.

Source: the rules of the base game of 2014. In each round everyone plays cards onto a common
pile, face up or, in tunnels, face down, or draws three instead. Then the pile is turned over and
its cards are carried out in the order of play. The richest player after five rounds wins.

With two players each runs two bandits, with their cards in one deck.

``docs/games.md`` describes the decisions where the rules are silent. Parameters: the bandits, the
numbers of the box, and the ways in which the Colt Express of TAG differs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kibitz.authoring import (
    EVERYONE,
    ActionList,
    Game,
    GameParameters,
    announce,
    end_round,
    finish_by_score,
    put_card,
    shuffle_deck,
    start_round,
)
from kibitz.core import state as states
from kibitz.core.parameters import read_json_object
from kibitz.library.coltexpress.data import FIRST_STATION, KINDS, MOST_BANDITS, ROUND_COUNT
from kibitz.library.coltexpress.evaluation import evaluate
from kibitz.library.coltexpress.events import add_pickings, hold_event, next_picker, pick
from kibitz.library.coltexpress.gang import gather_gang
from kibitz.library.coltexpress.loot import (
    bullets_received,
    fewest_bullets,
    load_train,
    total_money,
)
from kibitz.library.coltexpress.sampling import repair_sample
from kibitz.library.coltexpress.schemes import (
    add_schemes,
    begin_turn,
    deal_hands,
    fill_decks,
    gather_cards,
    next_schemer,
    scheme,
)
from kibitz.library.coltexpress.stealing import add_details, carry_out, turn_up_card
from kibitz.library.coltexpress.table import (
    CARD_IDS,
    CharacterChoice,
    ColtExpressState,
    Move,
    Parameters,
    Phase,
    Say,
    owner,
)
from kibitz.library.coltexpress.text import describe_table, glossary_texts

FORTUNE = 3000.0
"""The lead in dollars that the heuristic values like a victory."""


class ColtExpress(Game):
    """Rob the train: scheme in the open, then see what becomes of all those plans."""

    name = "colt-express"
    look = "kibitz.pictures.looks.coltexpress:ColtExpressLook"
    title = "Colt Express"
    players = (2, 6)
    categories = ("board game", "programming")
    mechanics = ("action queue", "hand management", "hidden information", "variable powers")
    zero_sum = True
    source = "Christophe Raimbault, Ludonaute 2014"
    phases = Phase
    timed = True
    conserved = False
    max_ticks = 2_000
    how_to_play = read_json_object(Path(__file__).with_name("how_to_play.json"))
    Parameters = Parameters
    State = ColtExpressState
    Actions = Move
    Announcements = Say

    @classmethod
    def problem(cls, players: int, parameters: GameParameters) -> str | None:
        """Why the bandits are impossible: there are only six, and each only once."""
        values = parameters.as_dict()
        bandits = players * values["bandits_each"]
        if bandits > MOST_BANDITS:
            return f"{players} players with two bandits each are more than the six there are."
        choices = [values[f"bandit_{b + 1}"] for b in range(bandits)]
        for choice in CharacterChoice:
            if choice != CharacterChoice.RANDOM and choices.count(choice) > 1:
                return f"{choice.name.capitalize()} can only be one bandit, not several."
        return None

    def backs(self, players: int, parameters: GameParameters) -> list[int]:
        """The backs of cards: one for each player.

        Purses and round cards all have the same back: their numbers are those of the first
        bandit's cards.
        """
        return [card // KINDS % players for card in range(CARD_IDS)]

    @classmethod
    def describe(cls, state: states.State, observer: int | None) -> str:
        """Describes the train, the gang and the pile."""
        return describe_table(state, observer)

    @classmethod
    def glossary(cls, players: int, parameters: GameParameters) -> dict[str, dict[str, str]]:
        """Explains the bandits, their cards, and the events."""
        return glossary_texts()

    @staticmethod
    def setup(state: ColtExpressState, params: Any) -> None:
        """Sets up the gang, the train, the route and the decks, and begins the first round."""
        gather_gang(state, params)
        load_train(state, params)
        for card in range(FIRST_STATION):
            put_card(state, state.route, card)
        shuffle_deck(state, state.route)
        for card in range(ROUND_COUNT - FIRST_STATION):
            put_card(state, state.stations, card)
        shuffle_deck(state, state.stations)
        fill_decks(state, params)
        begin_round(state, params, 0)

    @staticmethod
    def legal_actions(state: ColtExpressState, params: Any, actions: ActionList) -> None:
        """Adds cards to play, ways to carry out a card, or purses to take."""
        if state.phase == Phase.SCHEMING:
            add_schemes(state, params, actions)
        elif state.phase == Phase.STEALING:
            add_details(state, params, actions)
        else:
            add_pickings(state, actions)

    @staticmethod
    def apply_action(state: ColtExpressState, params: Any, action: int) -> None:
        """Plays a card, carries out a card, or takes a purse."""
        if state.phase == Phase.SCHEMING:
            scheme(state, params, action)
            if not next_schemer(state):
                state.phase = Phase.STEALING
                go_on_stealing(state, params)
        elif state.phase == Phase.STEALING:
            carry_out(state, params, action)
            state.next_card.value += 1
            go_on_stealing(state, params)
        else:
            pick(state, params, action)
            go_on_picking(state, params)

    @staticmethod
    def heuristic(state: ColtExpressState, params: Any, player: int) -> float:
        """The lead in dollars over the best of the others, with the expected value of plans."""
        own = 0.0
        best_other = -1e9
        for p in range(state.players):
            worth = evaluate(state, params, p)
            if p == player:
                own = worth
            else:
                best_other = max(best_other, worth)
        return min(1.0, max(-1.0, (own - best_other) / FORTUNE))

    @staticmethod
    def redeterminize(state: ColtExpressState, params: Any, player: int) -> None:
        """Repairs a new deal of the hidden cards where it is impossible by the rules."""
        repair_sample(state, params, player)


# --- rounds -------------------------------------------------------------------------------


def begin_round(state: ColtExpressState, params: Any, first: int) -> None:
    """Deals the hands, and turns up the round card."""
    start_round(state, first)
    state.phase = Phase.SCHEMING
    if state.round >= params.rounds - 1:
        state.stations.seen[0] = EVERYONE
        state.round_card.value = FIRST_STATION + state.stations.cards[0]
    else:
        state.route.seen[state.round] = EVERYONE
        state.round_card.value = state.route.cards[state.round]
    announce(Say.ROUND, state.round + 1, state.round_card.value)
    deal_hands(state, params)
    state.symbol.value = 0
    state.hidden_by_ghost.value = 0
    state.next_card.value = 0
    state.picker.value = 0
    begin_turn(state)


def go_on_stealing(state: ColtExpressState, params: Any) -> None:
    """Turns up the next card of the pile; after the last one carries out the round's event."""
    state.direction = 1
    if state.next_card.value < state.pile.count:
        turn_up_card(state)
        return
    hold_event(state, params)
    state.phase = Phase.PICKPOCKETING
    go_on_picking(state, params)


def go_on_picking(state: ColtExpressState, params: Any) -> None:
    """Lets the next bandit pickpocket, if that is the event; otherwise ends the round."""
    if next_picker(state):
        return
    end_round(state)
    if state.round >= params.rounds:
        score_game(state, params)
        return
    gather_cards(state)
    last = state.first_player == state.players - 1
    begin_round(state, params, 0 if last else state.first_player + 1)


# --- money --------------------------------------------------------------------------------


def score_game(state: ColtExpressState, params: Any) -> None:
    """Pays the gunslingers' bonus; the richest wins, among equals the one with the fewest hits."""
    fewest = fewest_bullets(state)
    for bandit in range(state.bandits.value):
        if state.bullets.values[bandit] == fewest:
            announce(Say.GUNSLINGER, state.character.values[bandit])
            state.cash.values[bandit] += params.gunslinger_bonus
    for player in range(state.players):
        # A hit counts so little that all hits together count less than any difference in money.
        hits = total_hits(state, player)
        state.seat[player].score = total_money(state, params, player) - 0.01 * hits
    finish_by_score(state)
    for player in range(state.players):
        state.seat[player].score = total_money(state, params, player)


def total_hits(state: ColtExpressState, player: int) -> int:
    """The number of bullets that a player's bandits received."""
    hits = 0
    for bandit in range(state.bandits.value):
        if owner(state, bandit) == player:
            hits += bullets_received(state, bandit)
    return hits

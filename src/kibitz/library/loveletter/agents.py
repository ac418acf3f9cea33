"""Reflex agents for Love Letter: rules of thumb, in constant time and without search.

They read only the observation, and in it only the cards that their player knows. The masks beside
the cards include those seen by Priest, King or Baron, so the agents need no memory.
``love-letter-reflex`` is the second agent of a student report (Hongfeng Wang and Hanoran Zhang,
"Love Letter: Project report"), ``love-letter-random`` its random opponent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.components import find_card, knows_card
from kibitz.core.actions import ACTION_LIST, ActionList, kind, operand, pack
from kibitz.core.agent import AGENT, NativeAgent
from kibitz.core.contract import RULES
from kibitz.core.game import Table
from kibitz.core.layout import Layout
from kibitz.core.memory import FLOAT64, INT64, array_at, record_at
from kibitz.core.randomness import Stream, random_below
from kibitz.library.loveletter.rules import LoveLetter, can_choose, must_play_countess
from kibitz.library.loveletter.table import Card, LoveLetterState, Move, Parameters

SEATS = LoveLetter.players[1]
STATE = Layout(LoveLetterState, Parameters, SEATS).dtype
PARAMETERS = Parameters.dtype()
KINDS = len(Card)

NOTES = np.dtype(
    [
        ("unseen", FLOAT64, (KINDS,)),  # copies of each card that the player has not seen
        ("odds", FLOAT64, (SEATS, KINDS)),  # probability that each player holds each card
        ("keep", FLOAT64, (KINDS,)),  # worth of each card in hand
    ]
)
"""The estimates of the counting agent, computed for each decision."""

Copies = Any
"""The numbers of copies of each card, with which the parameters begin."""

Players = int
"""A set of players, one bit each."""


class RandomCardAgent(NativeAgent):
    """Draws one of its cards, never the Princess, and then a legal action with that card.

    The agent ``random`` draws uniformly from all legal actions instead: it plays the Guard, which
    has many actions, more often, and sometimes the Princess.
    """

    name = "love-letter-random"
    takes_long = False
    game = LoveLetter.name

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        """Draws the card first, uniformly from those that can be played."""
        hand = record_at(observation, STATE).hands[record_at(observation, STATE).player]
        legal = record_at(actions, ACTION_LIST)
        rng = record_at(agent, AGENT).rng
        place = random_below(rng, 2)
        for _ in range(2):
            card = hand.cards[place]
            if card != Card.PRINCESS:
                chosen = random_action_with(card, legal, count, rng)
                if chosen >= 0:
                    return chosen
            place = 1 - place
        return int(legal.items[0])


class ReflexAgent(NativeAgent):
    """Plays the lower card on the player with the most tokens, and uses what it has seen."""

    name = "love-letter-reflex"
    takes_long = False
    game = LoveLetter.name

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        """Chooses an action by rules of thumb."""
        copies = array_at(record_at(rules, RULES).context, INT64, KINDS)
        state = record_at(observation, STATE)
        return reflex_action(state, copies, record_at(agent, AGENT).rng)


class CountingReflexAgent(NativeAgent):
    """Counts cards to judge each hand, and takes the action of the highest expected worth.

    The odds of a hand follow from the unseen cards, except those that a failed guess, a duel or a
    Countess ruled out; high cards, which players tend to keep, get higher odds. The unit of worth
    is a knock-out of a player without tokens; see the ``WORTH`` constants.
    """

    name = "love-letter-counting"
    takes_long = False
    game = LoveLetter.name

    def memory_size(self, table: Table) -> int:
        """The size of the notes."""
        return NOTES.itemsize

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        """Chooses the action of the highest expected worth; ties are broken at random."""
        me = record_at(agent, AGENT)
        context = record_at(rules, RULES).context
        state = record_at(observation, STATE)
        notes = record_at(me.memory, NOTES)
        take_notes(state, array_at(context, INT64, KINDS), notes)
        goal = record_at(context, PARAMETERS).tokens_to_win
        return worthiest(state, notes, goal, record_at(actions, ACTION_LIST), count, me.rng)


# --- the random agent's choice ------------------------------------------------------------


def random_action_with(card: int, legal: ActionList, count: int, rng: Stream) -> int:
    """A random action among the legal actions that play a card, or -1."""
    chosen = -1
    plays = 0
    for i in range(count):
        action = legal.items[i]
        played = Card.GUARD if kind(action) == Move.GUESS else operand(action, 0)
        if played == card:
            plays += 1
            if random_below(rng, plays) == 0:
                chosen = int(action)
    return chosen


# --- the reflex agent's rules -------------------------------------------------------------


def reflex_action(state: LoveLetterState, copies: Copies, rng: Stream) -> int:
    """Plays the lower card; in place of a Baron without a sure win the higher, but no Princess."""
    hand = state.hands[state.player]
    low = min(hand.cards[0], hand.cards[1])
    high = max(hand.cards[0], hand.cards[1])
    if must_play_countess(low, high):
        return pack(Move.PLAY, Card.COUNTESS)
    targets = choosable(state)
    if low == Card.BARON and targets != 0 and high != Card.PRINCESS:
        if holders(state, targets, Card.GUARD, high - 1) == 0:
            return reflex_play(state, targets, copies, high, low, rng)
    return reflex_play(state, targets, copies, low, high, rng)


def reflex_play(
    state: LoveLetterState,
    targets: Players,
    copies: Copies,
    card: int,
    kept_card: int,
    rng: Stream,
) -> int:
    """Plays `card`, keeping `kept_card`, on the best of `targets` if it asks for one."""
    if card == Card.PRINCE and targets == 0:
        return pack(Move.PLAY_ON, Card.PRINCE, state.player)
    asks = card <= Card.BARON or card == Card.PRINCE or card == Card.KING
    if not asks or targets == 0:
        return pack(Move.PLAY, card)
    target = most_tokens(state, reflex_targets(state, targets, card, kept_card), rng)
    if card == Card.GUARD:
        return pack(Move.GUESS, target, reflex_guess(state, target, copies, rng))
    return pack(Move.PLAY_ON, card, target)


def reflex_targets(state: LoveLetterState, targets: Players, card: int, kept_card: int) -> Players:
    """The best of `targets` for the card, as far as their hands are known."""
    if card == Card.GUARD:
        sure = holders(state, targets, Card.PRIEST, Card.PRINCESS)
        return first_of(sure, first_of(targets & ~holders(state, targets, 0, 0), targets))
    if card == Card.PRIEST:
        return first_of(targets & ~holders(state, targets, Card.GUARD, Card.PRINCESS), targets)
    if card == Card.BARON:
        sure = holders(state, targets, Card.GUARD, kept_card - 1)
        safe = targets & ~holders(state, targets, kept_card + 1, Card.PRINCESS)
        return first_of(sure, first_of(safe, targets))
    if card == Card.PRINCE:
        return first_of(holders(state, targets, Card.PRINCESS, Card.PRINCESS), targets)
    return targets


def reflex_guess(state: LoveLetterState, target: int, copies: Copies, rng: Stream) -> int:
    """The card that `target` is known to hold, or a random card among the unseen copies."""
    known = known_card(state, target)
    if known > Card.GUARD:
        return known
    total = 0
    guess = KINDS - 1
    for card in range(Card.PRIEST, KINDS):
        unseen = copies[card] - count_seen(state, card)
        total += unseen
        if unseen > 0 and random_below(rng, total) < unseen:
            guess = card
    return guess


# --- the counting agent's estimate of an action's worth -----------------------------------

WORTH_KEEPING = (0.33, -0.1, 0.1, -0.1, 0.2, 0.4, 0.4, 1.0)
"""The worth of each card in hand, Guard to Princess, beyond its rank at the end of the round."""
WORTH_RANK = 0.8
"""The worth of the highest rank at the end of the round."""
WORTH_LEAD = 0.8
"""The additional worth of a knock-out of a player who was about to win the game."""
WORTH_HIDING = 0.25
"""The worth of a Handmaid's protection."""
WORTH_LOOKING = 0.1
"""The worth of seeing an unknown hand."""
WORTH_DISCARD = 0.1
"""The worth of another player discarding the highest card."""
WORTH_SECRECY = 0.1
"""The worth of no other player knowing the kept card."""
LEANING = 0.5
"""The increase of a held card's odds for each rank, as a share of the odds by copies."""
LOST = -10.0
"""The worth of an action that loses the round, below that of every other action."""


def worthiest(
    state: LoveLetterState, notes: Any, goal: int, legal: ActionList, count: int, rng: Stream
) -> int:
    """The action of the highest worth; ties are broken at random."""
    best = legal.items[0]
    most = 2.0 * LOST
    ties = 0
    for i in range(count):
        value = worth(state, notes, goal, legal.items[i])
        if value > most:
            best = legal.items[i]
            most = value
            ties = 1
        elif value == most:
            ties += 1
            if random_below(rng, ties) == 0:
                best = legal.items[i]
    return best


def worth(state: LoveLetterState, notes: Any, goal: int, action: int) -> float:
    """The worth of an action: its effect, and the card that it keeps."""
    hand = state.hands[state.player]
    guesses = kind(action) == Move.GUESS
    card = Card.GUARD if guesses else operand(action, 0)
    place = 1 - find_card(hand, card)
    kept_card = hand.cards[place]
    if card == Card.PRINCESS:
        return LOST
    value = notes.keep[kept_card]
    if kept_card != Card.GUARD and hand.seen[place] & rivals(state) != 0:
        value -= WORTH_SECRECY
    if guesses:
        target = operand(action, 0)
        return value + prize(state, goal, target) * notes.odds[target, operand(action, 1)]
    if kind(action) == Move.PLAY_ON:
        return worth_on(state, notes, goal, card, operand(action, 1), kept_card, value)
    return value + WORTH_HIDING if card == Card.HANDMAID else value


def worth_on(
    state: LoveLetterState,
    notes: Any,
    goal: int,
    card: int,
    target: int,
    kept_card: int,
    value: float,
) -> float:
    """The worth of Priest, Baron, Prince or King on a player; `value` is that of `kept_card`."""
    odds = notes.odds[target]
    if card == Card.KING:
        return average(odds, notes.keep)
    if target == state.player:
        return LOST + value if kept_card == Card.PRINCESS else average(notes.unseen, notes.keep)
    gain = prize(state, goal, target)
    if card == Card.PRIEST:
        return value + WORTH_LOOKING * gain * (1.0 - certainty(odds))
    if card == Card.BARON:
        wins = share_below(odds, kept_card)
        return value + wins * gain - (1.0 - wins - odds[kept_card])
    return value + gain * (odds[Card.PRINCESS] + WORTH_DISCARD * mean_rank(odds))


def prize(state: LoveLetterState, goal: int, target: int) -> float:
    """The worth of knocking a player out: more, the closer they are to victory."""
    return 1.0 + WORTH_LEAD * state.tokens[target].value / goal


def take_notes(state: LoveLetterState, copies: Copies, notes: Any) -> None:
    """Computes the unseen cards, the odds of each hand, and the worth of keeping each card."""
    survivors = 0
    for card in range(KINDS):
        notes.unseen[card] = copies[card] - count_seen(state, card)
    for p in range(state.players):
        survivors += 1 - state.seat[p].out
        note_odds(state, notes.unseen, p, notes.odds[p])
    turns = state.deck.count / survivors  # that each player still has
    for card in range(KINDS):
        rank = card / (KINDS - 1.0)
        notes.keep[card] = WORTH_KEEPING[card] + WORTH_RANK * rank / (1.0 + turns)


def note_odds(state: LoveLetterState, unseen: Any, target: int, odds: Any) -> None:
    """Computes the probability that `target` holds each card, as the player to move knows it."""
    known = known_card(state, target)
    ruled_out = state.ruled_out[target].values[0]
    total = 0.0
    for card in range(KINDS):
        odds[card] = 0.0
        if known == card:
            odds[card] = 1.0
        elif known < 0 and ruled_out >> card & 1 == 0:
            odds[card] = unseen[card] * (1.0 + LEANING * card)
        total += odds[card]
    if total > 0.0:
        for card in range(KINDS):
            odds[card] /= total


def average(weights: Any, values: Any) -> float:
    """The weighted average of `values` over the cards."""
    total = 0.0
    weight = 0.0
    for card in range(KINDS):
        total += weights[card] * values[card]
        weight += weights[card]
    return total / weight if weight > 0.0 else 0.0


def mean_rank(odds: Any) -> float:
    """The expected rank of a hand: 0 is Guard, 1 is Princess."""
    total = 0.0
    for card in range(KINDS):
        total += odds[card] * card
    return total / (KINDS - 1.0)


def share_below(odds: Any, card: int) -> float:
    """The probability that a hand is lower than `card`."""
    share = 0.0
    for lower in range(card):
        share += odds[lower]
    return share


def certainty(odds: Any) -> float:
    """The probability of the likeliest card."""
    most = 0.0
    for card in range(KINDS):
        most = max(most, odds[card])
    return most


# --- what the player knows ----------------------------------------------------------------


def choosable(state: LoveLetterState) -> Players:
    """The other players on whom a card can be played."""
    targets = 0
    for p in range(state.players):
        if can_choose(state, state.player, p):
            targets |= 1 << p
    return targets


def known_card(state: LoveLetterState, target: int) -> int:
    """The card that `target` holds if the player to move knows it, or -1."""
    hand = state.hands[target]
    if hand.count > 0 and knows_card(hand, 0, state.player):
        return hand.cards[0]
    return -1


def holders(state: LoveLetterState, among: Players, low: int, high: int) -> Players:
    """The players of `among` who are known to hold a card of `low` .. `high`."""
    players = 0
    for p in range(state.players):
        card = known_card(state, p)
        if among >> p & 1 and low <= card and card <= high:
            players |= 1 << p
    return players


def count_seen(state: LoveLetterState, card: int) -> int:
    """The number of copies of a card that the player to move knows: discards, face up, hands."""
    number = count_known(state, state.face_up, card)
    for p in range(state.players):
        number += count_known(state, state.discards[p], card)
        number += count_known(state, state.hands[p], card)
    return number


def count_known(state: LoveLetterState, deck: Any, card: int) -> int:
    """The number of copies of a card in `deck` that the player to move knows."""
    number = 0
    for i in range(deck.count):
        if knows_card(deck, i, state.player) and deck.cards[i] == card:
            number += 1
    return number


def first_of(preferred: Players, otherwise: Players) -> Players:
    """The set `preferred`, or `otherwise` if it is empty."""
    return preferred if preferred != 0 else otherwise


def most_tokens(state: LoveLetterState, among: Players, rng: Stream) -> int:
    """The player of `among` with the most tokens; ties are broken at random."""
    best = -1
    ties = 0
    for p in range(state.players):
        if among >> p & 1:
            if best < 0 or state.tokens[p].value > state.tokens[best].value:
                best = p
                ties = 1
            elif state.tokens[p].value == state.tokens[best].value:
                ties += 1
                if random_below(rng, ties) == 0:
                    best = p
    return best


def rivals(state: LoveLetterState) -> Players:
    """The other players who are still in the round."""
    others = 0
    for p in range(state.players):
        if p != state.player and state.seat[p].out == 0:
            others |= 1 << p
    return others

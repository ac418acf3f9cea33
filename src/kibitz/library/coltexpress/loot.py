"""Loot tokens: which ones a bandit can take, their values, and who knows the values.

Tokens lie face down and are not mixed: everyone can follow where each one goes, and a player who
has held a purse still knows its value later.
"""

from __future__ import annotations

from typing import Any

from kibitz.authoring import (
    EVERYONE,
    ActionList,
    add,
    announce,
    pack,
    put_card,
    random_below,
    show_card,
)
from kibitz.library.coltexpress.data import (
    BOX_OF_PURSES,
    CAR_LOOT,
    FIRST_JEWEL,
    FIRST_STRONGBOX,
    JEWEL_VALUE,
    LOOT_OF,
    PURSE_VALUES,
    SECOND_STRONGBOX,
    STRONGBOX_VALUE,
    TOKENS,
)
from kibitz.library.coltexpress.table import BOX, HELD, ColtExpressState, Move, Say, owner

PURSES_IN_BOX = len(BOX_OF_PURSES)


# --- setting up ---------------------------------------------------------------------------


def load_train(state: ColtExpressState, params: Any) -> None:
    """Places a purse of $250 with each bandit, the strongbox, and the loot of each car."""
    for token in range(TOKENS):
        state.token_at.values[token] = BOX
    for bandit in range(state.bandits.value):
        state.token_at.values[bandit] = HELD + bandit
    state.token_at.values[FIRST_STRONGBOX] = 0
    purse = state.bandits.value
    jewel = FIRST_JEWEL
    unused = (1 << len(CAR_LOOT)) - 1
    for car in range(1, state.bandits.value + 1):
        card = draw_bit(state, unused)
        unused &= ~(1 << card)
        state.first_purse.values[car] = purse
        for _ in range(CAR_LOOT[card, 0]):
            state.token_at.values[purse] = 2 * car
            purse += 1
        for _ in range(CAR_LOOT[card, 1]):
            state.token_at.values[jewel] = 2 * car
            jewel += 1
    state.first_purse.values[state.bandits.value + 1] = purse
    fill_purses(state, params)


def draw_bit(state: ColtExpressState, bits: int) -> int:
    """The index of a random set bit."""
    number = 0
    remaining = bits
    while remaining > 0:
        remaining &= remaining - 1
        number += 1
    for _ in range(random_below(state.rng, number)):
        bits &= bits - 1
    index = 0
    while bits >> index & 1 == 0:
        index += 1
    return index


def fill_purses(state: ColtExpressState, params: Any) -> None:
    """Shuffles the values of the purses; all players know those of the bandits' first purses."""
    bandits = state.bandits.value
    for i in range(PURSES_IN_BOX):
        put_card(state, state.purses, BOX_OF_PURSES[i])
    for i in range(PURSES_IN_BOX - 1, bandits, -1):
        j = bandits + random_below(state.rng, i + 1 - bandits)
        card = state.purses.cards[i]
        state.purses.cards[i] = state.purses.cards[j]
        state.purses.cards[j] = card
    for i in range(bandits):
        state.purses.seen[i] = EVERYONE
    if params.full_box_per_car:
        refill_cars(state)


def refill_cars(state: ColtExpressState) -> None:
    """Draws the purses of each car from a full box; the purses of no car become meaningless."""
    for car in range(1, state.bandits.value + 1):
        redraw_car(state, car, -1)
    for purse in range(state.first_purse.values[state.bandits.value + 1], PURSES_IN_BOX):
        state.purses.cards[purse] = 0
        state.purses.seen[purse] = EVERYONE


def redraw_car(state: ColtExpressState, car: int, player: int) -> None:
    """Draws the purses that came with a car as if from a full box of its own.

    Purses that `player` knows keep their values; -1 stands for nobody.
    """
    first = state.first_purse.values[car]
    after = state.first_purse.values[car + 1]
    taken = 0
    for purse in range(first, after):
        if player >= 0 and state.purses.seen[purse] >> player & 1:
            place = 0
            while BOX_OF_PURSES[place] != state.purses.cards[purse] or taken >> place & 1:
                place += 1
            taken |= 1 << place
    for purse in range(first, after):
        if player < 0 or state.purses.seen[purse] >> player & 1 == 0:
            place = random_below(state.rng, PURSES_IN_BOX)
            while taken >> place & 1:
                place = random_below(state.rng, PURSES_IN_BOX)
            taken |= 1 << place
            state.purses.cards[purse] = BOX_OF_PURSES[place]


# --- taking and dropping ------------------------------------------------------------------


def token_value(state: ColtExpressState, params: Any, token: int) -> int:
    """The value of a token, in dollars."""
    if token < FIRST_JEWEL:
        return int(PURSE_VALUES[state.purses.cards[token]])
    if token < FIRST_STRONGBOX:
        return JEWEL_VALUE
    return STRONGBOX_VALUE if token < SECOND_STRONGBOX else int(params.second_strongbox)


def add_takings(
    state: ColtExpressState, actions: ActionList, bandit: int, purses_only: bool
) -> None:
    """Adds each token that the bandit can take, once for tokens that are the same to the player.

    Purses differ by their former holders, whom everyone could see.
    """
    place = state.where.values[bandit]
    character = state.character.values[bandit]
    for purse in range(FIRST_JEWEL):
        if state.token_at.values[purse] == place and not seen_before(state, purse, place):
            add(actions, pack(Move.TAKE, character, purse))
    if purses_only:
        return
    for token in range(FIRST_JEWEL, FIRST_STRONGBOX):
        if state.token_at.values[token] == place:
            add(actions, pack(Move.TAKE, character, token))
            break
    for token in range(FIRST_STRONGBOX, TOKENS):
        if state.token_at.values[token] == place:
            add(actions, pack(Move.TAKE, character, token))


def seen_before(state: ColtExpressState, purse: int, place: int) -> bool:
    """Whether an earlier purse in the same place is the same as this one to the player to move."""
    known_to = state.purses.seen[purse]
    known = known_to >> state.player & 1 == 1
    for other in range(purse):
        if (
            state.token_at.values[other] == place
            and state.purses.seen[other] == known_to
            and (not known or state.purses.cards[other] == state.purses.cards[purse])
        ):
            return True
    return False


def take_token(state: ColtExpressState, bandit: int, token: int) -> None:
    """Gives a bandit a token, which its player sees."""
    state.token_at.values[token] = HELD + bandit
    if token < FIRST_JEWEL:
        player = owner(state, bandit)
        announce(Say.WORTH, player, token, state.purses.cards[token])
        show_card(state.purses, token, player)


def held_kinds(state: ColtExpressState, bandit: int) -> int:
    """The kinds of loot that a bandit holds, one bit each."""
    kinds = 0
    for token in range(TOKENS):
        if state.token_at.values[token] == HELD + bandit:
            kinds |= 1 << LOOT_OF[token]
    return kinds


def random_token(state: ColtExpressState, bandit: int, kind: int) -> int:
    """A random token of a kind among those of a bandit, or -1."""
    number = 0
    last = -1
    for token in range(TOKENS):
        if state.token_at.values[token] == HELD + bandit and LOOT_OF[token] == kind:
            number += 1
            last = token
    if number < 2:
        return last
    skipped = random_below(state.rng, number)
    for token in range(TOKENS):
        if state.token_at.values[token] == HELD + bandit and LOOT_OF[token] == kind:
            if skipped == 0:
                return token
            skipped -= 1
    return -1


# --- money --------------------------------------------------------------------------------


def total_money(state: ColtExpressState, params: Any, player: int) -> int:
    """The total money of a player's bandits, in dollars."""
    money = 0
    for bandit in range(state.bandits.value):
        if owner(state, bandit) == player:
            money += state.cash.values[bandit]
    for token in range(TOKENS):
        holder = state.token_at.values[token] - HELD
        if holder == player or holder == player + state.players:
            money += token_value(state, params, token)
    return money


def fewest_bullets(state: ColtExpressState) -> int:
    """The smallest number of bullets that a bandit has left."""
    fewest = 1000
    for bandit in range(state.bandits.value):
        fewest = min(fewest, state.bullets.values[bandit])
    return fewest


def bullets_received(state: ColtExpressState, bandit: int) -> int:
    """The number of bullets that a bandit received."""
    row = len(state.where.values) + 1
    number = 0
    for shooter in range(row):
        number += state.hits.values[bandit * row + shooter]
    return number

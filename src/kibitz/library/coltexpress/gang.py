"""The gang: which bandits take part, and where they start."""

from __future__ import annotations

from typing import Any

from kibitz.library.coltexpress.data import MOST_BANDITS
from kibitz.library.coltexpress.loot import draw_bit
from kibitz.library.coltexpress.table import CharacterChoice, ColtExpressState


def chosen_character(params: Any, bandit: int) -> int:
    """The character that the parameters give a bandit, a ``CharacterChoice``."""
    if bandit < 3:
        if bandit == 0:
            return int(params.bandit_1)
        return int(params.bandit_2) if bandit == 1 else int(params.bandit_3)
    if bandit == 3:
        return int(params.bandit_4)
    return int(params.bandit_5) if bandit == 4 else int(params.bandit_6)


def gather_gang(state: ColtExpressState, params: Any) -> None:
    """Gives each bandit a character, its bullets and its place."""
    state.bandits.value = state.players * params.bandits_each
    unused = (1 << MOST_BANDITS) - 1
    for bandit in range(state.bandits.value):
        if chosen_character(params, bandit) != CharacterChoice.RANDOM:
            unused &= ~(1 << (chosen_character(params, bandit) - 1))
    for character in range(MOST_BANDITS):
        state.bandit_of.values[character] = -1
    for bandit in range(state.bandits.value):
        character = chosen_character(params, bandit) - 1
        if character < 0:
            character = draw_bit(state, unused)
            unused &= ~(1 << character)
        state.character.values[bandit] = character
        state.bandit_of.values[character] = bandit
        state.bullets.values[bandit] = params.bullets
        state.where.values[bandit] = first_place(state, params, bandit)
    state.neutral_bullets.value = params.neutral_bullets


def first_place(state: ColtExpressState, params: Any, bandit: int) -> int:
    """The place where a bandit starts: alternately the caboose and the car before it."""
    row = bandit & 1
    if params.bandits_each == 2:
        row = bandit // state.players
    return 2 * (state.bandits.value - row)

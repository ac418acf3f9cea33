"""Playthroughs: random games as texts, with every value of the contract in each state.

A playthrough that is stored in the tests is a golden file, an idea of OpenSpiel's: when it is
written anew, the diff shows the effect of a change of the rules.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from kibitz.core.errors import PlayError
from kibitz.core.game import Table
from kibitz.core.randomness import AGENT_STREAM, random_below, start_stream
from kibitz.core.state import State, count_pieces, hidden_share

WIDTH = 99


def playthrough(table: Table, seed: int = 0, full: int = 12, most: int = 150) -> str:
    """The text of a random game.

    Args:
        seed: the seed of the game and of the choices.
        full: the number of states that are shown, besides the last; later ones show moves only.
        most: the number of actions after which the text ends.
    """
    return "\n".join(_lines(table, seed, full, most)) + "\n"


def _lines(table: Table, seed: int, full: int, most: int) -> Iterator[str]:
    state = table.new_state(seed)
    yield f"game: {table.game.name}"
    yield f"players: {table.players}"
    yield from _wrap("parameters", str(table.parameters) or "none")
    yield f"seed: {seed}"
    yield f"pieces: {count_pieces(state)}"
    yield f"distinct actions: {table.encoder.actions_count}"
    yield f"features: {table.encoder.size}"
    rng = [0, 0, 0, 0]
    start_stream(rng, seed, AGENT_STREAM)
    try:
        while not state.is_terminal and state.tick < most:
            shown = state.tick < full
            if shown:
                yield from _state(state)
            elif state.tick == full:
                yield ""
            legal = state.legal_actions()
            action = legal[random_below(rng, len(legal))]
            if shown:
                options = "; ".join(
                    f"{table.encoder.index(a, state)} {state.action_words(a)}" for a in legal
                )
                yield from _wrap(f"legal ({len(legal)})", options)
            yield f"> player {state.current_player + 1}: {state.action_words(action)}"
            state.apply(action)
    except PlayError as problem:
        state = problem.state
    yield from _state(state)


def _state(state: State) -> Iterator[str]:
    """The values of the contract in a state."""
    yield ""
    yield f"# State {state.tick}: turn {state.view.turn}, round {state.view.round}"
    everything = state.describe().splitlines()
    yield from everything
    player = state.current_player
    if not state.is_terminal:
        observation = state.describe(player).splitlines()
        hidden = [line for line in observation if line.replace(" (you)", "") not in everything]
        yield f"player {player + 1} sees{' instead:' if hidden else ' all of it'}"
        yield from (f"    {line}" for line in hidden)
        yield f"hidden from player {player + 1}: {hidden_share(state, player):.3f}"
    yield "heuristic: " + _numbers([state.heuristic(p) for p in range(state.players)])
    yield "scores: " + _numbers(state.scores())
    if state.is_terminal:
        yield f"status: {state.status.name.lower()}"
        yield "places: " + _numbers(state.places())
        yield "returns: " + _numbers(state.returns())


def _numbers(values: list[float] | list[int]) -> str:
    return " ".join(f"{round(value, 3) + 0.0:g}" for value in values)


def _wrap(title: str, text: str) -> list[str]:
    return textwrap.wrap(f"{title}: {text}", WIDTH, subsequent_indent="    ")

"""Compiled code plays one table as Python does, agent by agent."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz.core.agent import NativeAgent
from kibitz.core.errors import IllegalActionError
from kibitz.rl import seated
from kibitz.rl.seated import SeatedGame


def games(table: kibitz.Table, agents: list[str | None], number: int) -> list[Any]:
    """What the learner sees in some games, of which it plays a different index at each step."""
    made = [agent and kibitz.make_agent(agent) for agent in agents]
    game = SeatedGame(table, made)
    rng = np.random.default_rng(5)
    shown: list[Any] = []
    for _ in range(number):
        game.begin(rng)
        while not game.state.is_terminal:
            player = game.state.current_player
            mask = game.mask(player)
            shown += [player, game.observation(player).tobytes(), mask.tobytes()]
            legal = np.flatnonzero(mask)
            game.step(legal[len(shown) % len(legal)])
        shown += [game.rewards(), game.state.tick, bytes(game.state)]
    return shown


@pytest.mark.parametrize(
    ("name", "agents"),
    [
        ("kuhn-poker", ["random", None]),
        ("love-letter", ["love-letter-reflex", None, "random"]),
        ("tic-tac-toe", [None, None]),
        ("connect-four", ["first-legal", None]),
        ("president", ["random", None, "random", "random"]),  # actions indexed by a hash
    ],
)
def test_compiled_code_plays_the_games_that_python_plays(
    name: str, agents: list[str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = kibitz.load(name).table(len(agents))
    compiled = games(table, agents, 12)
    monkeypatch.setattr(seated, "is_quick", lambda table, bindings: False)
    assert games(table, agents, 12) == compiled


def test_a_copy_plays_on_as_the_original_and_independently() -> None:
    table = kibitz.load("kuhn-poker").table()
    game = SeatedGame(table, [None, kibitz.make_agent("random")])
    assert game._quick is not None
    rng = np.random.default_rng(1)
    for _ in range(20):
        game.begin(rng)
        twin, ahead = copy.deepcopy(game), copy.deepcopy(game)
        play_last(ahead, 1)
        generator = copy.deepcopy(rng)
        assert play_last(game, 5, rng) == play_last(twin, 5, generator)


def play_last(game: SeatedGame, steps: int, rng: np.random.Generator | None = None) -> list[bytes]:
    """The states after each step, the last legal action of each decision."""
    states = []
    for _ in range(steps):
        game.step(np.flatnonzero(game.mask(game.state.current_player))[-1])
        states.append(bytes(game.state))
        if rng is not None and game.state.is_terminal:
            game.begin(rng)
    return states


class Cheat(NativeAgent):
    """Chooses what is no action."""

    name = "cheat"
    takes_long = False

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        return 77


def test_an_action_that_is_not_legal_is_an_error_whoever_chooses_it() -> None:
    table = kibitz.load("tic-tac-toe").table()
    game = SeatedGame(table, [None, Cheat()])
    game.begin_from(1)
    for wrong in (-1, table.encoder.actions_count, 2**70):
        with pytest.raises(IllegalActionError, match="player 1"):
            game.step(wrong)
    with pytest.raises(IllegalActionError, match="action 77"):
        game.step(0)

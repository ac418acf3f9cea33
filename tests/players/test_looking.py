"""Searches look before they guess, where looking costs a point or a move."""

from __future__ import annotations

from typing import Any

import pytest
from tests.players.asking import ask

from kibitz.authoring import (
    Action,
    ActionKinds,
    Counter,
    Game,
    GameState,
    Visibility,
    add,
    end_turn,
    finish_by_score,
    operand,
    pack,
    per_player,
    random_below,
    show_value,
)
from kibitz.core.agent import make_agent
from kibitz.core.state import State
from kibitz.gdl.game import GdlGame
from kibitz.recycle.game import RecycleGame
from kibitz.syntax.source import Source

IN_GDL = """
(role random) (role agent) (init (step 1)) (colour red) (colour blue)
(<= (legal random (arm ?c)) (colour ?c) (true (step 1)))
(<= (legal random wait) (not (true (step 1))))
(<= (legal agent wait) (true (step 1)))
(<= (legal agent look) (true (step 2)))
(<= (legal agent wait) (true (step 2)))
(<= (legal agent (cut ?c)) (colour ?c) (true (step 3)))
(<= (next (armed ?c)) (does random (arm ?c)))
(<= (next (armed ?c)) (true (armed ?c)))
(<= (next looked) (does agent look))
(<= (next looked) (true looked))
(<= (next right) (does agent (cut ?c)) (true (armed ?c)))
(<= (next (step 2)) (true (step 1)))
(<= (next (step 3)) (true (step 2)))
(<= (next (step 4)) (true (step 3)))
(<= (sees agent (armed ?c)) (does agent look) (true (armed ?c)))
(<= terminal (true (step 4)))
(<= (goal agent 90) (true right) (true looked))
(<= (goal agent 100) (true right) (not (true looked)))
(<= (goal agent 0) (not (true right)))
(goal random 0)"""
"""Whoever looks scores 90 by the right guess, and 100 without: against an expected 50."""

IN_RECYCLE = """;; Look or guess
;; Guess the colour of a hidden card: 10 points, or 9 if you looked at it before.
;; Played for: score
;; Players: 2
(game
  (setup
    (create players 2)
    (create deck (game iloc STOCK) (deck (COLOUR (RED, BLUE)))))
  (stage player
    (end (all player 'P (== ('P sto TURNS) 1)))
    (do ((shuffle (game iloc STOCK))))
    (choice (
      (do (
        (reveal (top (game iloc STOCK)) (current player))
        (set ((current player) sto PRIZE) 9)))
      (set ((current player) sto PRIZE) 10)))
    (choice (
      (set ((current player) str GUESS) RED)
      (set ((current player) str GUESS) BLUE)))
    (do (
      (inc ((current player) sto TURNS) 1)
      ((!= ((current player) str GUESS) (cardatt COLOUR (top (game iloc STOCK))))
        (set ((current player) sto PRIZE) 0)))))
  (scoring max ((current player) sto PRIZE)))"""


class Secrets(GameState):
    """A number for each player, which nobody sees."""

    number = per_player(Counter(0, 3, visible_to=Visibility.NOBODY))


class Move(ActionKinds):
    """What a move is used for."""

    LOOK = Action("look at your number")
    GUESS = Action("guess {n}", n=range(4))


class LookingCostsAMove(Game):
    """Each player has two moves, for guesses at their own number or for looking at it."""

    name = "looking-costs-a-move"
    players = (2, 2)
    played_for = "score"
    State = Secrets
    Actions = Move

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        """Draws the numbers."""
        for p in range(state.players):
            state.number[p].value = random_below(state.rng, 4)

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: Any) -> None:
        """Looking is listed last, so that ties are not resolved in its favour."""
        for n in range(4):
            add(actions, pack(Move.GUESS, n))
        add(actions, pack(Move.LOOK))

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        """A right guess is worth one point, once."""
        p = state.player
        if action & 255 == Move.LOOK:
            show_value(state.number[p], p)
        elif state.number[p].value == operand(action, 0):
            state.seat[p].score = 1.0
        if state.tick == 4:
            finish_by_score(state)
        elif state.tick == 2:
            end_turn(state)


LOOKING = [
    "ismcts",
    "ismcts:trees=many",
    "ismcts:c=1,learn=mast",
    "kibitz",
    "ggp",
    "mccfr:start=here",
]
"""Searches in which a seat knows later what it looked at."""
NOT_LOOKING = ["pimc:determinizations=0", "rhea:plan=team", "mcts", "mcts:loop=closed"]
"""Those that choose as if all were seen, or nothing ever will be: docs/agents.md says so."""


def beginning(language: str) -> tuple[State, str]:
    """A state in which the player to move should look, and the words for that."""
    if language == "gdl":
        state = GdlGame(Source("look.kif", IN_GDL)).new_state(players=2, seed=1)
        while "look" not in map(state.action_words, state.legal_actions()):
            state.apply(state.legal_actions()[0])
        return state, "look"
    if language == "recycle":
        state = RecycleGame(Source("look.rcy", IN_RECYCLE)).new_state(players=2, seed=1)
        return state, state.action_words(state.legal_actions()[0])
    return LookingCostsAMove().new_state(players=2, seed=1), "look at your number"


@pytest.mark.parametrize("language", ["gdl", "recycle", "python"])
@pytest.mark.parametrize("agent", LOOKING)
def test_a_search_looks_before_it_guesses(agent: str, language: str) -> None:
    state, look = beginning(language)
    searcher = make_agent(f"{agent}{',' if ':' in agent else ':'}iterations=5000")
    chosen = [ask(searcher, state, seed=seed).action for seed in range(3)]
    assert [state.action_words(action) for action in chosen] == 3 * [look]


@pytest.mark.parametrize("agent", NOT_LOOKING)
def test_which_agents_see_no_use_in_looking(agent: str) -> None:
    """Where looking costs a move, none of them does so every time."""
    state, look = beginning("python")
    searcher = make_agent(f"{agent}{',' if ':' in agent else ':'}iterations=500")
    chosen = [ask(searcher, state, seed=seed).action for seed in range(3)]
    assert [state.action_words(action) for action in chosen] != 3 * [look]

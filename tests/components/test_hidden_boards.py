"""Hidden graph boards, and areas that hold one component for each player."""

from __future__ import annotations

from typing import Any

from kibitz import Game, State, check
from kibitz.components import Counter, Graph, GraphBoard, end_turn
from kibitz.core.actions import Action, ActionKinds, ActionList, add, operand, pack
from kibitz.core.layout import Area, GameState, Visibility, per_player
from kibitz.core.randomness import random_below
from kibitz.core.results import finish_by_score
from kibitz.core.state import components_in_play, count_pieces, hidden_share

ISLANDS = Graph(["Reef", "Cove", "Bay", "Rock"], [("Reef", "Cove"), ("Cove", "Bay")])


class Move(ActionKinds):
    DIG = Action("dig at {place}", place=ISLANDS)


class Camp(Area):
    gold = per_player(Counter(0, 20))
    days = Counter(0, 20)


class Sea(GameState):
    treasure = GraphBoard(ISLANDS, visible_to=Visibility.NOBODY, high=2)
    camp = Camp()


class Islands(Game):
    """Each dig shows everyone what was there; most gold after four digs wins."""

    name = "islands-of-a-test"
    players = (2, 3)
    State = Sea
    Actions = Move

    @staticmethod
    def setup(state: Sea, params: Any) -> None:
        for _ in range(2):
            state.treasure.at[random_below(state.rng, 4), 0] = 2

    @staticmethod
    def legal_actions(state: Sea, params: Any, actions: ActionList) -> None:
        for place in range(4):
            if state.treasure.seen[place, 0] == 0:
                add(actions, pack(Move.DIG, place))

    @staticmethod
    def apply_action(state: Sea, params: Any, action: int) -> None:
        place = operand(action, 0)
        player = state.player
        state.treasure.seen[place, 0] = (1 << 15) - 1
        state.camp.gold[player].value += state.treasure.at[place, 0]
        state.seat[player].score = state.camp.gold[player].value
        state.camp.days.value += 1
        end_turn(state)
        if state.camp.days.value == 4:
            finish_by_score(state)


def treasures(state: State) -> tuple[int, ...]:
    return tuple(state.view.treasure.at[place, 0] for place in range(4))


def test_the_game_keeps_every_law() -> None:
    report = check(Islands, games=4)
    assert report.ok, str(report)


def test_what_is_dug_up_is_known_and_the_rest_is_sampled() -> None:
    state = Islands(compiled=False).new_state(players=3, seed=2)
    state.apply("dig at Cove")
    found = state.view.treasure.at[1, 0]
    samples = {treasures(state.determinize(0, k)) for k in range(30)}
    assert len(samples) > 1
    assert {sample[1] for sample in samples} == {found}
    assert {sum(sample) for sample in samples} == {sum(treasures(state))}
    assert hidden_share(state, 0) == 3 / count_pieces(state)


def test_a_counter_of_an_area_belongs_to_a_player() -> None:
    state = Islands(compiled=False).new_state(players=2, seed=2)
    paths = {instance.path: instance.owner for instance, _ in components_in_play(state)}
    assert paths["camp.gold[1]"] == 1
    assert paths["camp.days"] is None

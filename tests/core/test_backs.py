"""Cards of several backs in one pool: a hidden card keeps its back, which everybody sees."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from kibitz import Game, check
from kibitz.components import CardSet, CardType, Deck, draw_card, put_card, shuffle_deck
from kibitz.core.actions import Action, ActionKinds, add, pack
from kibitz.core.errors import GameDefinitionError
from kibitz.core.layout import GameState, Visibility, per_player
from kibitz.core.state import State

BACKS = (0, 1, 0, 2, 1, 0, 0)
CARDS = CardSet("two decks", [CardType(name, 2) for name in "ABCDEFG"])


class Move(ActionKinds):
    DRAW = Action("draw")


class Table(GameState):
    deck = Deck(CARDS)
    hands = per_player(Deck(CARDS, Visibility.OWNER))


class TwoDecks(Game):
    """Everybody draws from one pile in which the backs differ."""

    name = "two-decks-of-a-test"
    players = (2, 3)
    State = Table
    Actions = Move

    def backs(self, players: int, parameters: Any) -> tuple[int, ...]:
        return BACKS

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        for card in range(14):
            put_card(state, state.deck, card % 7)
        shuffle_deck(state, state.deck)
        for p in range(state.players):
            for _ in range(2):
                draw_card(state, state.deck, state.hands[p])

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: Any) -> None:
        add(actions, pack(Move.DRAW))

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        draw_card(state, state.deck, state.hands[state.player])
        state.player = (state.player + 1) % state.players
        if state.deck.count == 0:
            for p in range(state.players):
                state.seat[p].place = 1
            state.status = 1


def all_cards(piles: list[list[int]]) -> Counter[int]:
    return Counter(card for pile in piles for card in pile)


def cards_of(state: State) -> list[list[int]]:
    piles = [state.view.deck, *(state.view.hands[p] for p in range(state.players))]
    return [[pile.cards[i] for i in range(pile.count)] for pile in piles]


@pytest.fixture(params=[True, False], ids=["compiled", "uncompiled"])
def state(request: pytest.FixtureRequest) -> State:
    new: State = TwoDecks(compiled=request.param).new_state(players=3, seed=3)
    return new


def test_a_sample_has_the_same_backs_and_the_same_cards(state: State) -> None:
    true = cards_of(state)
    for player in range(3):
        for seed in range(20):
            sample = cards_of(state.determinize(player, seed))
            assert sample[1 + player] == true[1 + player]
            assert [[BACKS[c] for c in pile] for pile in sample] == (
                [[BACKS[c] for c in pile] for pile in true]
            )
            assert all_cards(sample) == all_cards(true)


def test_every_card_of_a_back_may_lie_wherever_that_back_is_seen(state: State) -> None:
    mine = cards_of(state)[1]
    unseen = all_cards(cards_of(state)) - Counter(mine)
    sampled = Counter(cards_of(state.determinize(0, seed))[2][0] for seed in range(3000))
    back = BACKS[cards_of(state)[2][0]]
    alike = {card: n for card, n in unseen.items() if BACKS[card] == back}
    assert set(sampled) == set(alike)
    for card, number in alike.items():
        share = number / sum(alike.values())
        error = (share * (1 - share) / 3000) ** 0.5
        assert sampled[card] / 3000 == pytest.approx(share, abs=3.5 * error)


def test_a_sample_does_not_depend_on_the_truth(state: State) -> None:
    for seed in range(20):
        other = state.determinize(1, seed + 100)
        assert cards_of(other.determinize(1, seed)) == cards_of(state.determinize(1, seed))


def test_an_observer_sees_backs(state: State) -> None:
    true, observed = cards_of(state), cards_of(state.observation(0))
    assert observed[1] == true[1]
    assert observed[2] == [-1 - BACKS[card] for card in true[2]]
    twice = state.observation(0).observation(1)
    assert cards_of(twice)[1] == [-1 - BACKS[card] for card in true[1]]
    assert state.observation(0).view.hands[1].count == 2
    assert "2 hidden cards" in state.describe(0)
    encoder = state.table.encoder
    assert encoder.encode(state, 0).tolist() == encoder.encode(state.observation(0), 0).tolist()


def test_such_a_game_is_sound() -> None:
    report = check(TwoDecks, games=2)
    assert report.ok, str(report)


@pytest.mark.parametrize("backs", [(0, 1), (0, 0, 0, 0, 0, 0, -1)])
def test_every_card_needs_a_back(backs: tuple[int, ...]) -> None:
    game: Any = type("Wrong", (TwoDecks,), {"backs": lambda self, players, values: backs})
    with pytest.raises(GameDefinitionError, match="each of its 7 kinds of cards"):
        game(compiled=False).table()

"""Tests of My Game; run them with ``pytest``."""

from my_game import MyGame

from kibitz import State, check, perft


def new_game(players: int = 2, seed: int = 1, **parameters: int) -> State:
    """A new game, which is the same for the same seed."""
    return MyGame().new_state(players, seed, **parameters)


def test_keeps_the_contract() -> None:
    """The checks find no fault in random games, with extreme parameters, too."""
    report = check(MyGame)
    assert report.ok, str(report)


def test_golden_counts() -> None:
    """The numbers of histories of a deal, since nearly every change of a rule changes them."""
    assert perft(new_game(players=3, seed=1), 5).histories == [2, 4, 12, 24, 43]


def test_a_hand_is_seen_by_its_owner_only() -> None:
    """Other players see only the number of cards."""
    state = new_game()
    assert "Player 1: hands (you): " in state.describe(0)
    assert "Player 1: hands: 3 hidden cards" in state.describe(1)


def test_taking_the_wave_costs_a_point_for_each_card() -> None:
    """A player who takes the wave gets a point for each card, and the next player is to move."""
    state = new_game()
    state.apply(state.legal_actions()[0])
    state.apply("take the wave")
    assert state.scores() == [0, 1]
    assert state.current_player == 0


def test_the_wave_cannot_be_taken_before_there_is_one() -> None:
    """The first player has to play a card."""
    state = new_game()
    words = [state.action_words(action) for action in state.legal_actions()]
    assert "take the wave" not in words


def test_too_many_points_end_the_game() -> None:
    """The player with fewer points wins."""
    state = new_game(too_many=1)
    state.apply(state.legal_actions()[0])
    state.apply("take the wave")
    assert state.is_terminal
    assert state.places() == [1, 2]

"""A sample of the planted flaws; ``python -m benchmarks.flaws`` looks at all of them."""

import functools

import pytest
from tests.studies import tiny_games
from tests.studies.mutants.catalogue import Mutant, mutants_of, runaway
from tests.studies.mutants.looking import is_named, look

import kibitz
from kibitz.core.randomness import random_below
from kibitz.core.results import win
from kibitz.studies.flaws import FlawKind, flaws


@functools.cache
def planted() -> dict[str, Mutant]:
    mutants = [*mutants_of("agram"), *mutants_of("light-cycles"), runaway("scopa")]
    return {
        f"{mutant.name.partition(':')[0]} {mutant.kinds[0].name}": mutant for mutant in mutants
    }


@pytest.mark.parametrize(
    "name",
    [
        "agram SEAT",
        "agram TOO_STRONG",
        "agram DEAD",
        "agram ENDLESS",
        "light-cycles TOO_STRONG",
        "light-cycles TRAP",
        "scopa RUNAWAY",
    ],
)
def test_a_planted_flaw_is_found_and_named(name):
    mutant = planted()[name]
    reported = look(mutant.make())
    assert is_named(mutant, reported), reported


def test_a_sound_game_is_not_blamed():
    assert look(kibitz.load("agram")) == ()


def test_the_princess_of_love_letter_is_no_flaw():
    """Nobody should play her, and nobody ever has to: a rule that skilled players know."""
    assert look(kibitz.load("love-letter")) == ()


class Favours(tiny_games.Tiny):
    """One of three seats wins by itself in a third of the games, or never wins."""

    players = (3, 3)
    favoured = True

    @classmethod
    def apply_action(cls, state, params, action):
        if state.tick < 3:
            state.player = (state.player + 1) % state.players
        elif cls.favoured:
            win(state, 1 if random_below(state.rng, 3) == 0 else random_below(state.rng, 3))
        else:
            win(state, 2 * random_below(state.rng, 2))


class Slights(Favours):
    favoured = False


@pytest.mark.parametrize("game", [Favours, Slights])
def test_one_seat_is_named_where_one_differs(game):
    """The others win more or less only because that one does."""
    for seed in range(3):
        playtest = kibitz.playtest(
            game(compiled=False), games=600, seed=seed, record=["decisions"]
        )
        [flaw] = [flaw for flaw in flaws(playtest) if flaw.kind is FlawKind.SEAT]
        assert flaw.subject == "2"
        assert ("more" in flaw.sentence) == game.favoured


@pytest.mark.parametrize("name", ["nim", "connect-four"])
def test_passing_while_another_one_is_to_move_is_no_dead_option(name):
    playtest = kibitz.playtest(name, games=200, record=["decisions"])
    assert [flaw for flaw in flaws(playtest) if flaw.kind is FlawKind.DEAD] == []
    assert playtest["missing"] == ()


def test_the_move_that_wins_the_game_is_not_too_strong():
    """To reach the last row is the aim of Breakthrough."""
    chance = kibitz.playtest("breakthrough", games=300, record=["decisions"])
    last = next(choice for choice in chance["choices"] if choice.pattern == "(move * * * 8)")
    assert last.win_rate == 1
    assert last.gain_interval[0] > 0.2
    assert not [flaw for flaw in flaws(chance) if flaw.kind is FlawKind.TOO_STRONG]

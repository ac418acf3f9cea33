import json

import pytest
from tests.checks.circling_games import Walk
from tests.reporting import as_text
from tests.studies import tiny_games

import kibitz
from kibitz.core.errors import AgentError, ParameterError
from kibitz.studies import playtest_variants
from kibitz.studies.variants import MOST_VARIANTS, combinations, read_variations


def shown(comparison) -> str:
    """The table as plain text of 80 columns."""
    text = as_text(comparison)
    assert max(len(line) for line in text.splitlines() if "kibitz " not in line) <= 80
    assert "\N{HORIZONTAL ELLIPSIS}" not in text
    return text


def without_times(document):
    """The JSON of a playtest without what differs from run to run."""
    return {
        name: value
        for name, value in document.items()
        if name not in ("seconds", "games_per_second")
    }


def test_each_variant_is_the_playtest_of_its_values():
    comparison = playtest_variants("tic-tac-toe", {"size": range(3, 6)}, games=200, seed=4)
    assert [variant.values for variant in comparison.variants] == [{"size": n} for n in (3, 4, 5)]
    for place, variant in enumerate(comparison.variants):
        seed = 4 + place
        alone = kibitz.playtest("tic-tac-toe", games=200, seed=seed, parameters=variant.values)
        assert without_times(variant.playtest.to_json()) == without_times(alone.to_json())
    assert (comparison.games, comparison.interrupted) == (600, False)


def test_players_and_parameters_vary_together():
    comparison = playtest_variants(
        "love-letter", {"players": [2, 4], "tokens_to_win": ["1", "2"]}, games=20
    )
    values = [tuple(variant.values.values()) for variant in comparison.variants]
    assert values == [(2, 1), (2, 2), (4, 1), (4, 2)]
    assert [variant.playtest.players for variant in comparison.variants] == [2, 2, 4, 4]


def test_what_is_not_varied_keeps_its_value_or_its_default_for_so_many_players():
    comparison = playtest_variants(
        "love-letter", {"players": [2, 3, 4]}, games=5, parameters={"guards": 4}
    )
    parameters = [variant.playtest.parameters for variant in comparison.variants]
    assert [values["guards"] for values in parameters] == [4, 4, 4]
    assert len({values["tokens_to_win"] for values in parameters}) > 1


def test_all_values_are_looked_at_before_the_first_game():
    def play(*_):
        raise AssertionError("something was played")

    for vary, problem in (
        ({"size": [3, 99]}, "size = 99 is not allowed"),
        ({"sizes": [3]}, "no parameter 'sizes'"),
        ({"size": []}, "which values"),
        ({}, "What should be varied"),
        ({"players": ["two"]}, "players = two should be a whole number"),
        ({"players": [2, 5]}, "is for 2 players, not 5"),
        ({"size": [3] * 20, "players": [2] * 11}, "220 variants; 200 are the most"),
    ):
        with pytest.raises(ParameterError, match=problem):
            playtest_variants("tic-tac-toe", vary, progress=play)
    with pytest.raises(AgentError, match="3 agents for 2 players"):
        playtest_variants("love-letter", {"players": [3, 2]}, agents=["random"] * 3, progress=play)


def test_the_last_agent_fills_the_seats_of_every_number_of_players():
    comparison = playtest_variants(
        "love-letter", {"players": [2, 3, 4]}, agents=["first-legal", "random"], games=12
    )
    for players, variant in zip((2, 3, 4), comparison.variants, strict=True):
        first, last = variant.playtest.agents
        assert (first.agent, last.agent) == ("first-legal", "random")
        assert (first.games, last.games) == (12, 12 * (players - 1))


def test_progress_counts_the_games_of_all_variants():
    counts = []
    vary = {"size": [3, 4]}
    playtest_variants("tic-tac-toe", vary, games=50, progress=lambda *count: counts.append(count))
    assert counts == sorted(counts)
    assert counts[-1] == ("games", 100, 100)


def test_an_interrupt_keeps_what_was_played():
    def press(stage, done, total):
        if done >= 30:
            raise KeyboardInterrupt

    comparison = playtest_variants("tic-tac-toe", {"size": [3, 4, 5]}, games=30, progress=press)
    assert comparison.interrupted
    assert comparison.wanted == 3
    assert comparison.variants[0].playtest.games == 30
    assert comparison.to_json()["interrupted"] is True
    assert "! Stopped after " in shown(comparison)


def test_the_json_holds_the_playtests():
    comparison = playtest_variants("tic-tac-toe", {"size": [3, 4]}, games=10, seed=8)
    document = json.loads(json.dumps(comparison.to_json(), allow_nan=False))
    assert sorted(document) == [
        *("format", "game", "interrupted", "kibitz", "seed", "variants", "varied", "wanted")
    ]
    assert document["varied"] == ["size"]
    assert document["variants"][1]["values"] == {"size": 4}
    assert document["variants"][1]["playtest"]["parameters"] == {"size": 4}


# --- the table ----------------------------------------------------------------------------


def test_variants_stand_side_by_side():
    text = shown(playtest_variants("tic-tac-toe", {"size": [3, 4]}, games=1000, seed=1))
    assert text.startswith("Tic-Tac-Toe: 2 variants of 1,000 games each, seed 1\n")
    assert "size         seat 1 wins  actions  options    tied  unfinished" in text
    assert "\n3     6" in text
    assert "\n4     " in text


def test_presets_vary_like_parameters():
    comparison = playtest_variants(
        "exploding-kittens", {"printing": ["later", "first"]}, games=4, players=2
    )
    assert [variant.values for variant in comparison.variants] == [
        {"printing": "later"},
        {"printing": "first"},
    ]
    assert [
        variant.playtest.to_json()["parameters"]["cards_each"] for variant in comparison.variants
    ] == [7, 4]
    assert "first" in shown(comparison)


def test_many_variations_share_a_column():
    vary = {"tokens_to_win": [1, 2], "tie_rule": ["shared", "discards"], "guards": [4, 5]}
    text = shown(playtest_variants("love-letter", vary, games=10, agents="osla:samples=3"))
    assert "tokens_to_win=1" in text
    assert "tie_rule=discards" in text
    two = shown(playtest_variants("love-letter", {"players": [2, 3], "guards": [4, 5]}, games=10))
    assert "players  guards" in two


def test_the_first_of_several_agents_is_compared():
    agents = ["mcts:iterations=40,c=0.4,loop=closed", "random"]
    comparison = playtest_variants("tic-tac-toe", {"size": [3, 4]}, agents=agents, games=20)
    assert "mcts wins" in shown(comparison)


def test_unfinished_games_are_told_with_the_command_that_shows_one():
    game = tiny_games.fails()
    comparison = playtest_variants(game, {"chance": [0, 100]}, games=20)
    text = " ".join(shown(comparison).split())
    assert "chance=100: rules error: the rules failed (20 games)" in text
    assert "kibitz record GAME --players 2 --agents random --seed" in text
    comparison = playtest_variants(Walk(compiled=False), {"size": [2, 3]}, games=2)
    assert "loop: went round in circles" in shown(comparison)


# --- what a person types ------------------------------------------------------------------


def test_ranges_and_lists():
    assert read_variations(["hand-size=1..3", "ties=yes, no", "x=1..2,7,1"]) == {
        "hand_size": ["1", "2", "3"],
        "ties": ["yes", "no"],
        "x": ["1", "2", "7"],
    }
    assert read_variations(["low=-2..0"]) == {"low": ["-2", "-1", "0"]}
    assert read_variations(["a=1", "a=2"]) == {"a": ["1", "2"]}


@pytest.mark.parametrize(
    ("word", "problem"),
    [
        ("hand", "should be of the form"),
        ("=1..2", "should be of the form"),
        ("hand=", "should be of the form"),
        ("hand=1..x", "from one whole number to another"),
        ("hand=0.5..1", "from one whole number to another"),
        ("hand=3..1", "is empty"),
        ("hand=1..99999999999999999999", f"of more than {MOST_VARIANTS}"),
    ],
)
def test_what_is_no_variation_is_told(word, problem):
    with pytest.raises(ParameterError, match=problem):
        read_variations([word])


def test_the_last_name_changes_fastest():
    assert combinations({"a": [1, 2], "b": ("x", "y")}) == [
        {"a": 1, "b": "x"},
        {"a": 1, "b": "y"},
        {"a": 2, "b": "x"},
        {"a": 2, "b": "y"},
    ]

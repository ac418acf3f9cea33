"""``kibitz certify``."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Run

QUICK = ("--states", 12, "--swaps", 10, "--outputs", 4, "--sets", 1)

LEAK = '''
from typing import Any

import tests.checks.broken_games as broken
from kibitz.core.table_wording import TableWording


class GossipingWording(TableWording):
    def words(self, state: Any, action: int) -> str:
        return f"{super().words(state, action)} {state.view.deck.cards[0]}"


class Gossip(broken.Sound):
    """The words of an action tell the top card of the deck."""

    name = "gossip"
    Wording = GossipingWording
'''


@pytest.mark.parametrize("game", ["love-letter", "go-fish"])
def test_a_game_of_the_library_leaks_nothing(kibitz: Run, game: str) -> None:
    """The report says that samples of Go Fish contradict the play; this is no leak."""
    shown = kibitz("certify", game, *QUICK)
    forgets = game == "go-fish"
    assert shown.code == forgets
    assert ("No leak was found" if forgets else "no leak was found") in shown.stdout
    assert ("samples contradict what was seen" in shown.stdout) == forgets
    rows = {line.split()[0]: line.split()[1:] for line in shown.stdout.splitlines() if line}
    players = 2 if game == "love-letter" else 4
    assert 0 < int(rows["observation"][0]) <= 12 * 10 * players
    for name in (
        "observation",
        "options",
        "samples",
        "words",
        "text",
        "features",
        "picture",
        "events",
    ):
        assert int(rows[name][0]) > 0
        assert rows[name][1] == "holds"
    assert "texts, pictures, hints and events in 8 of the states." in shown.stdout


def test_hints_are_asked_of_agents_that_are_named(kibitz: Run) -> None:
    words = ("certify", "kuhn-poker", "--states", 2, "--swaps", 2, "--sets", 0)
    assert kibitz(*words, "--agents", "osla", "--outputs", 1).code == 0
    assert "no agent 'olsa'" in kibitz(*words, "--agents", "olsa").flat


@pytest.mark.parametrize(
    "option",
    [("--players", 2), ("--set", "n=3"), ("--at", "2:20:2:3"), ("--sets", 3), ("-a", "x")],
)
def test_options_without_effect_on_games_of_openspiel_are_refused(
    kibitz: Run, option: tuple[str, object]
) -> None:
    shown = kibitz("certify", "openspiel:kuhn_poker", *option)
    assert shown.code == 2
    assert "with --states, --swaps, --seed and --json only" in shown.flat


def test_as_json(kibitz: Run) -> None:
    shown = kibitz("certify", "love-letter", "--players", 3, "--seed", 5, *QUICK, "--json")
    document = shown.json()
    assert shown.code == 0
    assert (document["game"], document["players"], document["seed"]) == ("love-letter", 3, 5)
    assert document["ok"]
    assert document["complete"]
    assert document["hides"]
    assert document["findings"] == []
    assert document["swaps"] == 12 * 10 * 3
    assert document["tried"]["observation"] == document["differed"] > 0
    assert kibitz(
        "certify", "love-letter", "--players", 3, "--seed", 5, *QUICK, "--json"
    ).json() == (document)


def test_a_leak_is_shown_and_the_exit_code_tells(
    kibitz: Run, tmp_path: Path, own_code: None
) -> None:
    file = tmp_path / "gossip.py"
    file.write_text(LEAK)
    shown = kibitz("certify", file, *QUICK, "--outputs", 12)
    assert shown.code == 1
    assert "3 laws are broken." in shown.stdout
    assert f"kibitz certify {file} --players 2 --seed 0 --at" in shown.flat
    assert "words: the words of the legal actions do not depend on what is hidden" in (shown.flat)
    document = kibitz("certify", file, *QUICK, "--outputs", 12, "--json").json()
    assert not document["ok"]
    # events and what can be clicked in a picture have these words, too
    assert {leak["law"] for leak in document["findings"]} == {"words", "picture", "events"}


def test_rules_that_hide_what_is_open_are_not_certified(
    kibitz: Run, tmp_path: Path, own_code: None
) -> None:
    """Player 2 would read the secret choice of player 1."""
    file = tmp_path / "open_vote.py"
    file.write_text("from tests.checks.test_certify import HidesNothing\n")
    shown = kibitz("certify", f"{file}:HidesNothing", *QUICK)
    assert shown.code == 2
    assert "it is declared open, so it can be neither hidden nor shown. Cure:" in shown.flat


def test_a_spot_is_examined_alone(kibitz: Run) -> None:
    shown = kibitz("certify", "go-fish", "--players", 4, "--seed", 0, "--at", "2:3:1:1")
    assert shown.code == 1
    assert "1 state of 1 game" in shown.stdout
    assert "player 3 could not have chosen 'ask player 1 for fives'" in shown.flat
    assert kibitz("certify", "go-fish", "--at", "2:3:9:1").code == 2


def test_where_nothing_is_hidden_nothing_can_leak(kibitz: Run) -> None:
    shown = kibitz("certify", "tic-tac-toe", *QUICK)
    assert shown.code == 0
    assert "nothing is hidden, so nothing can leak" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["love-leter"], "love-letter"),
        (["love-letter", "--players", 9], "2"),
        (["love-letter", "--states", 0], "--states"),
        (["love-letter", "--sets", -1], "--sets"),
    ],
)
def test_bad_input_is_told_with_its_cure(
    kibitz: Run, arguments: list[object], message: str
) -> None:
    shown = kibitz("certify", *arguments)
    assert shown.code == 2
    assert message in shown.flat
    assert "Traceback" not in shown.flat

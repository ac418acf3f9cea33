"""``kibitz play``: a whole game at the console."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.cli.conftest import Outcome, Run

import kibitz as package
from kibitz.cli.play import Console
from kibitz.core.agent import Agent
from kibitz.core.state import State
from kibitz.sessions import Session

TOE = ("play", "tic-tac-toe", "--seed", 3, "--against", "first-legal")


def own_moves(shown: Outcome) -> list[str]:
    """The person's moves as the output names them."""
    return re.findall(r"You: (mark \d \d)", shown.stdout)


def test_a_game_is_played_to_its_end(kibitz: Run) -> None:
    shown = kibitz(*TOE, input="5\n\n3\n\nmark 0 2\n\n")
    assert shown.code == 0
    assert "Tic-Tac-Toe, 2 players; seed 3." in shown.stdout
    assert "You are player 1; the other is first-legal." in shown.stdout
    assert own_moves(shown) == ["mark 1 1", "mark 0 1", "mark 0 2"]
    assert "Player 2: mark 2 0\n\nPlayer 2 has won." in shown.stdout


def test_winning_and_losing_are_told(kibitz: Run) -> None:
    won = kibitz(*TOE, "--quick", input="mark 0 2\nmark 1 2\nmark 2 2\n")
    assert "You have won." in won.stdout
    lost = kibitz(*TOE, "--quick", input="mark 0 2\nmark 1 2\nmark 1 1\n")
    assert "Player 2 has won; you are number 2." in lost.stdout


def test_a_draw_is_told(kibitz: Run) -> None:
    moves = "mark 1 0\nmark 0 1\nmark 2 2\nmark 0 2\n"
    shown = kibitz(*TOE, "--seat", 2, "--quick", input=moves)
    assert shown.stdout.endswith("\nA draw.\n")


def test_the_seat_can_be_chosen(kibitz: Run) -> None:
    shown = kibitz(*TOE, "--seat", 2, input="")
    assert "You are player 2; the other is first-legal." in shown.stdout
    assert shown.stdout.index("Player 1: mark 0 0") < shown.stdout.index("Turn of player 2.")


def test_opponents_are_seated_in_order(kibitz: Run) -> None:
    shown = kibitz("play", "love-letter", "--seat", 2, "--against", "osla+random", "--seed", 1)
    assert "Love Letter, 3 players" in shown.stdout
    assert "You are player 2, player 1 is osla, player 3 is random." in shown.stdout


def test_a_hint_and_taking_back(kibitz: Run) -> None:
    shown = kibitz(*TOE, "--hint", "mcts:iterations=50", input="h\n1\nu\n5\n\n")
    assert "mcts:iterations=50 would: mark" in shown.stdout
    assert "Taken back: choose again." in shown.stdout
    assert own_moves(shown) == ["mark 1 1"]


def test_what_was_sent_is_taken_back_with_what_came_after_it(kibitz: Run) -> None:
    shown = kibitz(*TOE, "--quick", input="uu\n5\nuu\n3\n")
    assert "you have not chosen yet" in shown.stdout
    assert "Taken back: mark 1 1. Choose again." in shown.stdout
    assert own_moves(shown) == ["mark 1 1", "mark 2 0"]
    assert "You left after 2 actions." in shown.stdout


def test_the_only_move_is_played_for_you(kibitz: Run) -> None:
    moves = "mark 1 0\nmark 1 1\nmark 0 2\nmark 2 1\n"
    shown = kibitz(*TOE, "--quick", input=moves)
    assert "(the only move)" in shown.stdout
    assert shown.stdout.count("Your choice") == 4


def test_end_of_input_leaves_politely(kibitz: Run) -> None:
    shown = kibitz(*TOE, input="5\n\n")
    assert shown.code == 0
    assert "You left after 2 actions." in shown.stdout
    again = re.search(r"To begin the same game again: kibitz (.*)", shown.stdout)
    assert again is not None
    assert again[1] == "play tic-tac-toe --players 2 --seat 1 --seed 3 --against first-legal"
    assert "Turn of player 1." in kibitz(*again[1].split()).stdout


def test_ctrl_c_leaves_politely(kibitz: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(console: Console) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Console, "step", interrupted)
    shown = kibitz(*TOE)
    assert shown.code == 0
    assert "You left after 0 actions." in shown.stdout


def test_settings_are_repeated_when_leaving(kibitz: Run) -> None:
    shown = kibitz(*TOE, "--set", "size=4", input="q\n\n")
    assert "Tic-Tac-Toe, 2 players, size=4; seed 3." in shown.stdout
    assert "--against first-legal --set size=4" in shown.stdout


def test_without_a_seed_each_game_is_another(kibitz: Run) -> None:
    openings = {kibitz("play", "tic-tac-toe").stdout.splitlines()[0] for _ in range(4)}
    assert len(openings) > 1


def test_a_game_names_who_plays_with_people_unless_they_do(kibitz: Run) -> None:
    default_agent = package.load("uno").default_agent
    shown = kibitz("play", "uno", "--seed", 1, input="h\n")
    assert f"the other is {default_agent}." in shown.stdout
    assert f"{default_agent} would: " in shown.flat or f"{default_agent} sees no" in shown.flat
    table = ("play", "uno", "--seed", 1, "--against", "random", "--hint", "osla")
    shown = kibitz(*table, input="h\n")
    assert "the other is random." in shown.stdout
    assert "osla would: " in shown.stdout


# --- keeping and resuming -----------------------------------------------------------------


def test_a_game_is_kept_and_gone_on_with(
    kibitz: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Played in two sittings it is the same game as in one."""
    monkeypatch.chdir(tmp_path)
    game = ("play", "love-letter", "--seed", 8, "--against", "osla+random", "--quick")
    uninterrupted = kibitz(*game, "--out", "whole.json", input="1\n" * 400)
    assert "Final scores" in uninterrupted.stdout
    stopped = kibitz(*game, input="1\n1\n1\nq\nparts.json\n")
    assert "To go on: kibitz play love-letter --resume parts.json" in stopped.stdout
    assert json.loads(Path("parts.json").read_text())["result"]["status"] == "interrupted"
    resumed = kibitz("play", "love-letter", "--resume", "parts.json", "--quick", input="1\n" * 400)
    assert "Going on after" in resumed.stdout
    assert json.loads(Path("parts.json").read_text()) == json.loads(Path("whole.json").read_text())
    assert kibitz("replay", "whole.json").code == 0


def test_a_finished_game_cannot_be_resumed(kibitz: Run, tmp_path: Path) -> None:
    file = tmp_path / "won.json"
    kibitz(*TOE, "--quick", "--out", file, input="mark 0 2\nmark 1 2\nmark 2 2\n")
    shown = kibitz("play", "tic-tac-toe", "--resume", file)
    assert shown.code == 2
    assert "that game is over" in shown.stderr
    assert "Player 1 has won." in kibitz("replay", file).stdout


def test_only_a_game_with_a_person_can_be_resumed(kibitz: Run, tmp_path: Path) -> None:
    file = tmp_path / "agents.json"
    kibitz("record", "tic-tac-toe", "--json", file)
    assert "nobody at a console" in kibitz("play", "tic-tac-toe", "--resume", file).stderr
    assert "not of love-letter" in kibitz("play", "love-letter", "--resume", file).stderr


def test_nobody_leaves_with_a_game_that_cannot_be_kept(
    kibitz: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("mine")
    answers = "5\n\nq\nnowhere/game.json\nnotes.txt\ngame.json\n"
    shown = kibitz(*TOE, input=answers)
    assert shown.stdout.count("Leave the game?") == 3  # asked again at once
    assert shown.stdout.count("You can:") == 2
    assert "there is no folder nowhere" in shown.stdout
    assert "notes.txt: exists already" in shown.stdout
    assert Path("notes.txt").read_text() == "mine"
    assert len(json.loads(Path("game.json").read_text())["moves"]) == 2


# --- what everyone sees -------------------------------------------------------------------


def test_rounds_scores_and_who_is_out_are_told(kibitz: Run) -> None:
    shown = kibitz(
        *("play", "love-letter", "--players", 4, "--seed", 2, "--against", "random", "--quick"),
        input="1\n" * 300,
    )
    assert "--- Round 1 is over." in shown.stdout
    assert re.search(r"--- (Player \d is|You are) out\.", shown.stdout)
    assert re.search(r"--- Scores: you \d, player 2 \d, player 3 \d, player 4 \d\.", shown.stdout)
    assert re.search(
        r"Final scores: you \d, player 2 \d, player 3 \d, player 4 \d\.", shown.stdout
    )


def test_other_hands_stay_hidden_until_the_end(kibitz: Run) -> None:
    shown = kibitz("play", "love-letter", "--seed", 2, "--against", "random", input="")
    assert "Player 2: 0 tokens; holds 1 hidden card;" in shown.stdout
    assert re.search(r"Deck: \d+ cards", shown.stdout)


def test_opponents_get_what_they_may_know_and_no_real_chance() -> None:
    table = package.load("love-letter").table(2)
    spy = Spy()
    session = Session(table, [None, spy], 4)
    while not session.is_over and len(spy.seen) < 10:
        spy.truth = session.state.clone()
        if session.awaits is None:
            session.advance()
        else:
            session.apply(session.state.legal_actions()[0])
    hidden = 0
    for shown, truth in spy.seen:
        assert shown.observation(1) == truth.observation(1)
        assert list(shown.view.rng) != list(truth.view.rng)
        hidden += shown.describe() != truth.describe()
    assert hidden > 0


class Spy(Agent):
    """Notes what it is given."""

    name = "spy"
    truth: State

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[State, State]] = []

    def choose(self, state: State) -> int:
        self.seen.append((state, self.truth))
        return state.legal_actions()[0]


def test_others_moves_are_told_as_far_as_one_may_know_them(kibitz: Run) -> None:
    shown = kibitz("play", "gops", "--seat", 2, "--seed", 1, "--against", "random", input="q\n")
    assert "\nPlayer 1 bids a card.\n" in shown.stdout
    assert "clubs" not in shown.stdout.partition("You can:")[0]  # the suit of player 1


def test_what_came_of_the_only_move_is_told_after_it(kibitz: Run) -> None:
    table = ("play", "exploding-kittens", "--players", 2, "--seed", 8, "--against", "random")
    shown = kibitz(*table, "--quick", input="draw\n")
    told = "You: let it pass (the only move)\n--- The See the Future takes effect.\nPlayer 2: "
    assert told in shown.stdout


def test_what_goes_without_saying_is_not_told(kibitz: Run) -> None:
    table = ("play", "uno", "--players", 4, "--seed", 3, "--against", "random", "--quick")
    lines = kibitz(*table, input="draw\nkeep\n" + "draw\n" * 9).stdout.splitlines()
    assert any(line.endswith(": keep the card drawn") for line in lines)
    others = [line for line in lines if line.startswith("Player")]
    assert "Player 2: draw a card" in others
    assert not any(line.endswith(": ") for line in others)
    assert not any(re.match(r"--- Player \d (draws|gets a card)", line) for line in lines)
    rounds = kibitz(
        "play", "virus", "--seed", 3, "--against", "random", "--quick", input="1\n" * 5
    )
    assert "Round 5. Turn" in rounds.stdout
    assert "is over" not in rounds.stdout

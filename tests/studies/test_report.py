import io
import re
from dataclasses import replace

import pytest
from rich.console import Console
from tests.checks.circling_games import Silent, Watched
from tests.reporting import as_text
from tests.studies import tiny_games
from tests.studies.tiny_games import Broken, Cheat, Left

import kibitz
from kibitz.core.statistics import Summary
from kibitz.reports import DataTable
from kibitz.reports.console import ConsoleTable
from kibitz.reports.numbers import duration, mean, number, percent
from kibitz.studies.commands import playtest_command, record_command
from kibitz.studies.sentences import sentences
from kibitz.studies.values import CAUSE_WORDS

DASH = "\N{EN DASH}"


def shown(result, width=80, branching=False) -> str:
    """The report as plain text."""
    text = as_text(result, width, branching=branching)
    lines = [line for line in text.splitlines() if "kibitz " not in line]
    assert max(map(len, lines)) <= width
    assert "\x1b" not in text
    return text


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_the_report_of_random_tic_tac_toe():
    text = shown(kibitz.playtest("tic-tac-toe", games=10_000, seed=1))
    flat = one_line(text)
    assert text.startswith("Tic-Tac-Toe: 10,000 games of 2 players, seed 1\nPlayed by random.\n")
    assert re.search(
        r"! Seat 1 wins 6\d\.\d % \(\d\d\.\d.\d\d\.\d\): more than its fair 50 %", flat
    )
    assert "All 10,000 games were finished." in flat
    assert re.search(r"A game takes 7\.\d+ decisions \(from 5 to 8\), with 5\.\d+ options", flat)
    assert re.search(r"^1 +10,000 +6\d\.\d % \(\d\d\.\d.\d\d\.\d\) +1,\d\d\d$", text, re.MULTILINE)
    assert re.search(r"^decisions a game +7\.\d\d ±0\.0\d +0\.9\d +5 +8 *$", text, re.MULTILINE)
    assert re.search(r"^games tied +1\d\.\d % \(", text, re.MULTILINE)
    assert "rounds a game" not in text
    assert "hidden" not in text
    assert "10,000 games in" in text


def test_options_at_each_action_on_request():
    result = kibitz.playtest("tic-tac-toe", games=100)
    assert "options at action" not in shown(result)
    text = shown(result, branching=True)
    assert re.search(r"^options at action +\+0 +\+1 +\+2 +\+3 +\+4 +\+5$", text, re.MULTILINE)
    assert re.search(r"^1 +9 +8 +7 +6 +5 +4$", text, re.MULTILINE)
    four = shown(kibitz.playtest("love-letter", players=4, games=100), branching=True)
    assert re.search(r"^options at action +\+0 +\+1 +\+2 +\+3$", four, re.MULTILINE)
    assert re.search(r"^93 +\d", four, re.MULTILINE)
    assert re.search(r"^\.\.\. *$", four, re.MULTILINE)


def test_faults_are_told_in_the_rules_own_words():
    result = kibitz.playtest(Silent(compiled=False), games=30)
    text = shown(result)
    for fault in result.faults:
        assert f"{fault.cause.replace('_', ' ')}: {fault.explanation}\n" in text
        assert record_command(result, fault) in one_line(text)
    row, fault = result.unfinished[0], result.faults[0]
    faults = [replace(fault, explanation=f"line {n}") for n in range(8)]
    text = shown(replace(result, faults=tuple(faults), unfinished=(row,)))
    assert f"{row.cause.replace('_', ' ')} in {fault.games} games: line 4" in text
    assert "line 5" not in text
    assert "and 3 more; --json FILE lists them all" in text


def test_loops_are_told_with_what_can_be_done():
    result = kibitz.playtest(Watched(compiled=False), games=3, parameters={"random": 1})
    text = shown(result)
    assert "suspected loop: seems to circle" in text
    assert "The same state came 4 times. To play on: --loops 0" in text
    assert "--loops" not in record_command(result, result.unfinished[0])
    result = kibitz.playtest(Watched(compiled=False), games=3, loops=9, parameters={"random": 1})
    assert record_command(result, result.unfinished[0]).endswith("--loops 9")
    text = shown(kibitz.playtest(Watched(compiled=False), games=3))
    assert "loop: went round in circles" in text
    assert "To play on" not in text


def test_a_fair_game_is_told_with_what_could_still_hide():
    result = kibitz.playtest("love-letter", players=2, games=1000, parameters={"tokens_to_win": 3})
    flat = one_line(shown(result))
    assert "1,000 games show no seat to have an advantage" in flat
    widest = max(abs(bound - 0.5) for seat in result.seats for bound in seat.win_interval)
    assert f"(one of up to {100 * widest:.2g} points could still hide)" in flat
    assert "Changed parameters: tokens_to_win=3." in flat
    assert re.search(r"hidden from who decides \d\d\.\d %", flat)


def test_few_games_tell_nothing_about_the_seats():
    flat = one_line(shown(kibitz.playtest("tic-tac-toe", games=5)))
    assert "5 games are too few to tell whether a seat has an advantage." in flat


def test_a_bad_seat_among_many_is_named():
    text = one_line(shown(kibitz.playtest(tiny_games.is_won_by(1, 1, 1, 0), players=4, games=400)))
    assert "Seat 1 wins 33.3 %" in text
    assert f"seat 2 33.3 % (33.0{DASH}33.7) and seat 3" in text
    assert ": more than their fair 25 %." in text
    assert f"Seat 4 wins 0.0 % (0.0{DASH}1.0): less than its fair 25 %." in text


def test_skill_that_pays_and_skill_that_does_not_show():
    agents = ["mcts:iterations=200", "random"]
    flat = one_line(shown(kibitz.playtest("tic-tac-toe", agents=agents, games=100)))
    assert re.search(
        r"How one plays matters: mcts:iterations=200 wins \d\d\.\d % .* would win 50 %\.", flat
    )
    assert "Played by mcts:iterations=200 and random, changing seats." in flat
    assert "thinks" in flat
    draw = tiny_games.is_won_by(1, 1)
    equal = one_line(shown(kibitz.playtest(draw, agents=["random", "first-legal"], games=20)))
    assert "How one plays does not show: 20 games tell no agent from another." in equal


def test_without_rotation_the_seat_may_be_the_reason():
    agents = ["mcts:iterations=200", "random"]
    result = kibitz.playtest("tic-tac-toe", agents=agents, games=100, rotate=False)
    text = shown(result)
    assert "But nobody changed seats: it may be the seat." in one_line(text)
    assert text.count("games") == text.count("games ") + text.count("games\n")
    assert re.search(r"^1 mcts: +100 ", text, re.MULTILINE)
    assert not re.search(r"^agent", text, re.MULTILINE)  # the seats say it all


def test_unfinished_games_are_told_with_what_reproduces_them():
    result = kibitz.playtest("tic-tac-toe", agents=[Left(), Cheat()], games=50)
    (unfinished,) = result.unfinished
    text = shown(result)
    assert f"! {unfinished.games} of 50 games could not be finished: " in text
    assert re.search(
        rf"illegal action by an agent +{unfinished.games} +\d+ % +{unfinished.seed} ", text
    )
    assert f"illegal action: by cheat in seat {unfinished.seat}" in text
    seats = " ".join(unfinished.agents)
    command = f"kibitz record tic-tac-toe --players 2 --agents '{seats}' --seed {unfinished.seed}"
    assert command in one_line(text)


def test_when_no_game_is_finished_nothing_else_is_said():
    text = shown(kibitz.playtest("tic-tac-toe", agents=[Broken()], games=4))
    assert "! No game could be finished, so nothing else can be said; see why below." in text
    assert "ValueError: I do not know" in text
    assert "what to do" not in text  # the first line is enough
    assert "win rate" not in text


def test_the_command_that_shows_a_game_knows_its_parameters():
    result = kibitz.playtest("tic-tac-toe", agents=[Broken()], games=1, parameters={"size": 4})
    (row,) = result.unfinished
    assert record_command(result, row) == (
        f"kibitz record tic-tac-toe --players 2 --agents broken --seed {row.seed} --set size=4"
    )
    own = kibitz.playtest(tiny_games.fails(), games=1)
    assert record_command(own, own.unfinished[0]).startswith("kibitz record GAME --players 2 ")


@pytest.mark.parametrize(
    "make", [tiny_games.fails, tiny_games.is_full, tiny_games.has_dead_end, tiny_games.raises]
)
def test_every_cause_has_words(make):
    result = kibitz.playtest(make(), games=3)
    assert CAUSE_WORDS[result.unfinished[0].cause] in shown(result)


def test_an_interrupted_run_says_so(monkeypatch):
    result = kibitz.playtest(
        "tic-tac-toe", agents=[tiny_games.Stopping(), tiny_games.Left()], games=20
    )
    flat = one_line(shown(result))
    assert "! Stopped after 5 of 20 games." in flat
    assert "All 5 games were finished." in flat
    monkeypatch.setattr(tiny_games.Stopping, "after", 0)
    result = kibitz.playtest("tic-tac-toe", agents=[tiny_games.Stopping(), tiny_games.Left()])
    assert "Stopped after 0 of 1,000 games." in one_line(shown(result))


def test_cooperative_and_lonely_games():
    together = one_line(shown(kibitz.playtest(tiny_games.is_won_together(), players=3, games=20)))
    assert "The players win together in 100.0 % (83.9" in together
    assert "seat has an advantage" not in together
    assert "win rate" not in together  # there is nothing to compare seats by
    assert "games tied" not in together
    alone = kibitz.playtest(tiny_games.is_lost_together(players=(1, 1)), games=20)
    assert "The player wins 0.0 %" in one_line(shown(alone))


def test_a_game_without_decisions():
    class Forced(tiny_games.Tiny):
        @staticmethod
        def legal_actions(state, params, actions):
            tiny_games.add(actions, tiny_games.pack(tiny_games.Move.GO, 0))

    text = shown(kibitz.playtest(Forced(compiled=False), games=3))
    assert "There is nothing to decide in this game." in text
    assert "decisions a game" not in text


def test_wide_tables_still_fit():
    agents = ["mcts:iterations=40,c=0.4,loop=closed", "osla:samples=3", "random", "first-legal"]
    parameters = {"tokens_to_win": 1, "tie_rule": "shared"}
    for rotate in (False, True):
        result = kibitz.playtest(
            "love-letter",
            players=4,
            agents=agents,
            games=60,
            parameters=parameters,
            rotate=rotate,
        )
        text = shown(result)
        assert "\N{HORIZONTAL ELLIPSIS}" not in text
        assert "not last" in text


def test_brackets_in_names_are_no_markup():
    class Odd(Left):
        name = "[red]odd"

    assert "[red]odd" in shown(kibitz.playtest("tic-tac-toe", agents=[Odd(), "random"], games=4))


def test_numbers_in_words():
    assert percent(0.585, (0.554, 0.615)) == f"58.5 % (55.4{DASH}61.5)"
    assert percent(None) == DASH
    assert percent(0.5, (0.4999, 0.5001)) == f"50.00 % (49.99{DASH}50.01)"
    assert [number(v) for v in (None, 7, 7.284, 76.57, 1200.0)] == (
        [DASH, "7", "7.28", "76.6", "1,200"]
    )
    assert mean(Summary()) == DASH
    assert mean(Summary(2, 1.0, 0.0, 1, 1, (1.0, 1.0))) == "1 ±0"
    assert mean(Summary(9, 76.57, 1, 1, 1, (75.37, 77.77))) == "76.6 ±1.2"
    assert mean(Summary(9, 7.284, 1, 1, 1, (7.265, 7.303))) == "7.28 ±0.02"
    assert [duration(v) for v in (3e-8, 6.7e-5, 0.0123, 1.5, 75)] == (
        ["30 ns", "67 µs", "12 ms", "1.5 s", "75 s"]
    )


def test_sentences_need_no_console():
    assert any(
        "finished" in text for text, _ in sentences(kibitz.playtest("tic-tac-toe", games=9))
    )


@pytest.mark.parametrize(
    ("agents", "names"),
    [
        (["random", "osla", "random"], "'random osla random'"),
        (["osla", "osla", "random"], "'osla osla random'"),
        (["osla"], "osla"),
    ],
)
def test_the_command_that_plays_again_seats_the_agents_as_they_sat(
    agents: list[str], names: str
) -> None:
    played = kibitz.playtest("agram", players=4, agents=agents, games=4, rotate=False)
    assert f"--agents {names} --seed 0 --games 4 --no-rotate" in playtest_command(played)


def test_intervals_of_a_wide_table_have_a_line_of_their_own():
    """So that no word of the first column is cut."""
    cell = "+0.349 points (-8.62 to +9.32)"
    table = ConsoleTable(DataTable(("instead", "fairness", "luck"), (("hand=4", cell, cell),)))
    file = io.StringIO()
    Console(file=file, width=60, no_color=True).print(table)
    lines = file.getvalue().splitlines()
    assert max(map(len, lines)) <= 60
    assert lines[0].split() == ["instead", "fairness", "luck"]
    assert lines[2].split()[:3] == ["hand=4", "+0.349", "points"]
    assert lines[3].split("(")[1:] == ["-8.62 to +9.32)  ", "-8.62 to +9.32)"]
    file = io.StringIO()
    Console(file=file, width=80, no_color=True).print(table)
    assert file.getvalue().splitlines()[2].count(cell) == 2

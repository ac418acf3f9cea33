"""The games of the library: what is known about them."""

from __future__ import annotations

from collections import deque
from functools import cache
from importlib.metadata import entry_points
from typing import Any

import pytest

import kibitz
from kibitz import gdl
from kibitz.arena.perft import perft
from kibitz.core.state import State
from kibitz.gdl import library
from kibitz.gdl.library import FOLDER

NAMES = sorted(path.stem for path in FOLDER.glob("*.kif"))


def test_every_file_is_a_game_that_is_known_by_name() -> None:
    installed = {e.name for e in entry_points(group="kibitz.games") if "gdl" in e.value}
    assert installed == set(NAMES)
    for name in NAMES:
        game = kibitz.load(name)
        assert game.name == name
        assert game.title != name
        assert game.source
    with pytest.raises(AttributeError, match="no game 'go'"):
        _ = library.go


@pytest.mark.parametrize("name", NAMES)
def test_every_agent_plays_it(name: str) -> None:
    players = kibitz.load(name).players[0]
    result = kibitz.playtest(name, games=4, agents=["mcts:iterations=20"] * players, workers=1)
    assert result.to_json()["games"] == 4


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("breakthrough", [22, 484, 11_132, 256_036]),
        # 7 to the power of 7 games of 7 discs, less those with 7 in a column
        ("connect-four", [7, 49, 343, 2_401, 16_807, 117_649, 823_536]),
        ("nim", [16]),
        ("monty-hall", [1]),
    ],
)
def test_how_many_games_there_are(name: str, counts: list[int]) -> None:
    assert perft(kibitz.load(name).new_state(), len(counts)).histories == counts


def test_the_second_player_wins_nim() -> None:
    @cache
    def lost(heaps: tuple[int, ...]) -> bool:
        """Whether the player to move loses, according to theory."""
        total = 0
        for heap in heaps:
            total ^= heap
        return total == 0

    def heaps(state: State) -> tuple[int, ...]:
        facts = state.to_json()["components"]["facts"]
        return tuple(int(f.split()[2].strip(")")) for f in sorted(facts) if "heap" in f)

    solved: dict[tuple[int, ...], bool] = {}

    def loses(state: State) -> bool:
        if state.is_terminal:
            return True
        key = (*heaps(state), state.current_player)
        if key not in solved:
            children = []
            for action in state.legal_actions():
                child = state.clone()
                child.apply(action)
                children.append(loses(child))
            solved[key] = not any(children)
            assert solved[key] == lost(heaps(state))
        return solved[key]

    assert loses(kibitz.load("nim").new_state())
    assert len(solved) > 500


def test_the_sliding_puzzle_can_be_solved() -> None:
    game = gdl.load(FOLDER / "sliding-puzzle.kif")
    goal, start = "123456780", "813402765"
    path = {start: ""}
    queue = deque([start])
    while goal not in path:
        board = queue.popleft()
        gap = board.index("0")
        for x, y in (
            (gap % 3 + dx, gap // 3 + dy) for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))
        ):
            if 0 <= x < 3 and 0 <= y < 3:
                tile = board[3 * y + x]
                other = board.replace(tile, "_").replace("0", tile).replace("_", "0")
                if other not in path:
                    path[other] = board
                    queue.append(other)
    slides = []
    board = goal
    while board != start:
        slides.append(f"(slide {board.index('0') % 3 + 1} {board.index('0') // 3 + 1})")
        board = path[board]
    state = gdl.findinits(game)
    for slide in reversed(slides):
        assert not gdl.findterminalp(state, game)
        state = gdl.simulate([slide], state, game)
    assert len(slides) == 14
    assert gdl.findterminalp(state, game)
    assert gdl.findreward("player", state, game) == 100


def played(name: str, *steps: list[str]) -> tuple[list[str], Any]:
    game = gdl.load(FOLDER / f"{name}.kif")
    state = gdl.findinits(game)
    for moves in steps:
        state = gdl.findnext(gdl.findroles(game), moves, state, game)
    return state, game


def test_light_cycles_crash() -> None:
    apart = [["(ride west)", "(ride south)"], ["(ride west)", "(ride south)"]]
    state, game = played("light-cycles", *apart)
    assert "(crashed left)" in state
    assert "(crashed right)" not in state
    assert gdl.findterminalp(state, game)
    assert [gdl.findreward(r, state, game) for r in ("left", "right")] == [0, 100]
    meet = [["(ride south)", "(ride west)"], ["(ride east)", "(ride west)"]]
    state, game = played("light-cycles", *meet)
    assert not gdl.findterminalp(state, game)
    state, game = played("light-cycles", *meet, ["(ride east)", "(ride west)"])
    assert [gdl.findreward(r, state, game) for r in ("left", "right")] == [50, 50]
    back = [["(ride east)", "(ride west)"], ["(ride west)", "(ride west)"]]
    state, game = played("light-cycles", *back)
    assert "(crashed left)" in state


def test_who_switches_finds_the_car_where_it_was_not_chosen() -> None:
    start = [["noop", "(hide 1)"], ["(choose 1)", "noop"], ["noop", "(open 3)"]]
    for last, worth in (("stay", 100), ("switch", 0)):
        state, game = played("monty-hall", *start, [last, "noop"])
        assert gdl.findterminalp(state, game)
        assert gdl.findreward("candidate", state, game) == worth
    state, game = played("monty-hall", *start[:2])
    assert gdl.findlegals("random", state, game) == ["(open 2)", "(open 3)"]


def test_kriegspiel_tic_tac_toe() -> None:
    state, game = played("kriegspiel-tic-tac-toe", ["(try 2 2)", "noop"], ["noop", "(try 2 2)"])
    assert "(control black)" in state
    assert "(cell 2 2 white)" in state
    assert "(cell 2 2 black)" not in state
    assert "(try 2 2)" not in gdl.findlegals("black", state, game)
    assert len(gdl.findlegals("black", state, game)) == 8
    state = gdl.simulate(["noop", "(try 1 1)"], state, game)
    assert "(try 1 1)" in gdl.findlegals("white", state, game)


def test_chance_has_no_seat() -> None:
    game = library.monty_hall.fork()
    assert game.players == (1, 1)
    places = set()
    for seed in range(20):
        state = game.new_state(seed=seed)
        while not state.is_terminal:
            state.apply(state.legal_actions()[0])
        assert state.places() == [1 if state.scores() == [100] else 2]
        places |= set(state.places())
    assert places == {1, 2}

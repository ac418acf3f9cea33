"""The first page: pictures and lengths are those of the games; selecting; own tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.web.shelf import actions

import kibitz
from kibitz.web import shelf
from kibitz.web.games import GameChoice
from kibitz.web.shelf import Selection, tiles
from kibitz.web.showing import example
from kibitz.web.tables import HostedTable
from kibitz.web.validation import ForgedEventError
from kibitz.web.visits import forget, remember, visits
from kibitz.web.workspace import Workspace


def test_every_game_has_a_picture_and_a_length() -> None:
    """``python -m tests.web.shelf`` writes them."""
    names = {game.name for game in kibitz.games()}
    folder = Path(str(shelf.PICTURES))
    assert {path.stem for path in folder.glob("*.svg")} == names
    assert set(json.loads((folder / "actions.json").read_text())) == names


@pytest.mark.parametrize("name", ["tic-tac-toe", "cuckoo", "nim"])
def test_the_picture_and_the_length_are_those_of_the_game(name: str) -> None:
    game = kibitz.load(name)
    folder = Path(str(shelf.PICTURES))
    assert (folder / f"{name}.svg").read_text("utf-8") == example(name) + "\n"
    assert json.loads((folder / "actions.json").read_text())[name] == actions(game)


def test_selecting() -> None:
    def selected(**wanted: object) -> set[str]:
        return {tile.name for tile in Selection(**wanted).of(tiles())}  # type: ignore[arg-type]

    assert selected() == {game.name for game in kibitz.games()}
    assert selected(players=1) == {"monty-hall", "sliding-puzzle", "the-game"}
    assert selected(words="TRICK whist") == {"whist"}
    assert "hearts" not in selected(players=2)
    assert {"pandemic", "colt-express"} <= selected(kind="Board game", language="Python")
    assert "tic-tac-toe" in selected(length="short")
    assert "hearts" in selected(length="long")
    assert not selected(length="short") & selected(length="long")
    assert not selected(words="no game is called like this")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "workspace")


def lay(workspace: Workspace, *seats: str | None) -> HostedTable:
    hosted = HostedTable.open(GameChoice("tic-tac-toe"), len(seats), {}, seats, seed=5)
    hosted.save(workspace)
    return hosted


def test_tables_say_whose_turn_it_is(workspace: Workspace) -> None:
    friends = lay(workspace, None, None)
    against = lay(workspace, "random", None)
    first, second = friends.keys.seats

    def standings(*links: tuple[HostedTable, str]) -> list[tuple[str, str, bool]]:
        shown = visits(workspace, [[table.id, key] for table, key in links])
        return [(visit.standing, visit.players, visit.is_due) for visit in shown]

    assert standings((friends, second), (friends, first)) == [
        ("your turn", "you and player 2", True),
        ("player 1 is to move", "player 1 and you", False),
    ]
    assert standings((against, against.keys.watch), (against, against.keys.seats[1])) == [
        ("agents play", "random and player 2", False),
        ("agents play", "random and you", False),
    ]
    while not friends.session.is_over:
        friends.play(
            friends.session.player,
            friends.session.state.legal_actions()[0],
            friends.session.state.tick,
        )
    friends.save(workspace)
    assert standings((friends, first)) == [("over", "you and player 2", False)]


def test_links_that_open_nothing_are_left_out(workspace: Workspace) -> None:
    table = lay(workspace, None, None)
    for links in (
        None,
        "links",
        [table.id],
        [[table.id]],
        [[table.id, "A" * 16]],
        [["0" * 12, table.keys.watch]],
        [["../../secret", table.keys.watch]],
        [[1, 2]],
    ):
        assert not visits(workspace, links), links


def test_only_a_table_can_be_forgotten() -> None:
    assert "0123456789ab" in forget("0123456789ab")
    with pytest.raises(ForgedEventError):
        forget('"]); alert(1); ("')
    assert json.dumps(["0123456789ab", "k"]) in remember("0123456789ab", "k")

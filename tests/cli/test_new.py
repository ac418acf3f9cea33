"""``kibitz new``: the game it makes runs, keeps the contract, and passes its own tests."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from tests.cli.conftest import Run, python

from kibitz import load
from kibitz.cli import new
from kibitz.core.errors import FileError
from kibitz.ggp.handlers import load_handlers
from kibitz.languages.gdl import GDL


@pytest.fixture
def rules(kibitz: Run, tmp_path: Path, own_code: None) -> Path:
    """The rules of a new game called tide-race."""
    assert kibitz("new", "tide-race", "--dir", tmp_path).code == 0
    return tmp_path / "tide-race" / "src" / "tide_race" / "rules.py"


def test_all_files_are_there_under_the_new_name(rules: Path) -> None:
    folder = rules.parents[2]
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert files == {
        ".gitignore",
        "README.md",
        "pyproject.toml",
        "src/tide_race/__init__.py",
        "src/tide_race/cards.json",
        "src/tide_race/rules.py",
        "tests/test_tide_race.py",
    }
    for file in files:
        text = (folder / file).read_text()
        for name in ("my-game", "my_game", "MyGame", "My Game"):
            assert name not in text
    project = tomllib.loads((folder / "pyproject.toml").read_text())
    assert project["project"]["entry-points"]["kibitz.games"] == {
        "tide-race": "tide_race:TideRace"
    }


def test_it_says_what_to_try_and_that_works(kibitz: Run, tmp_path: Path, own_code: None) -> None:
    shown = kibitz("new", "tide-race", "--dir", tmp_path)
    commands = [line.split() for line in shown.stdout.splitlines() if line.startswith("  kibitz")]
    assert [command[1] for command in commands] == ["playtest", "play", "check"]
    for command in commands:
        assert Path(command[2]).is_file()


def test_it_keeps_the_contract(kibitz: Run, rules: Path) -> None:
    shown = kibitz("check", rules, "--games", 1)
    assert shown.code == 0, shown.stdout


def test_it_can_be_playtested_and_skill_matters(kibitz: Run, rules: Path) -> None:
    shown = kibitz("playtest", rules, "-g", 300, "-a", "osla random random", "--json", "-")
    document = shown.json()
    assert document["outcomes"]["finished"] == 300
    skill = {agent["agent"]: agent["win_interval"] for agent in document["agents"]}
    assert skill["osla"][0] > 1 / 3 > skill["random"][1]


def test_it_can_be_played(kibitz: Run, rules: Path) -> None:
    shown = kibitz("play", rules, "--against", "random", "--quick", input="1\n" * 200)
    assert shown.code == 0
    assert "Final scores" in shown.stdout


def test_its_own_tests_pass(rules: Path) -> None:
    result = python("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=rules.parents[2])
    assert result.returncode == 0, result.stdout


def test_the_module_form_finds_the_src_folder(
    kibitz: Run, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(rules.parents[2])
    assert kibitz("show", "tide_race:TideRace", "--json").json()["name"] == "tide-race"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Tide-Race", "How about 'tide-race'?"),
        ("TideRace", "How about 'tide-race'?"),
        ("tide race", "How about 'tide-race'?"),
        ("tide_race", "How about 'tide-race'?"),
        ("../tide", "How about 'tide'?"),
        ("tide-", "How about 'tide'?"),
        ("-", "cannot be a game's name"),
        ("", "cannot be a game's name"),
        ("2048", "cannot be a game's name"),
        ("t" * 41, "at most 40"),
        ("tide\n", "cannot be a game's name"),
        ("love-letter", "There is a game 'love-letter' already."),
        ("random", "'random-game' would do"),
        ("numpy", "'numpy-game' would do"),
        ("lambda", "'lambda-game' would do"),
    ],
)
def test_a_name_that_will_not_do(kibitz: Run, tmp_path: Path, name: str, reason: str) -> None:
    shown = kibitz("new", "--dir", tmp_path, "--", name)
    assert shown.code == 2
    assert reason in shown.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tide-race", "TideRace"),
        ("my-game", "MyGame"),
        ("deck", "DeckGame"),
        ("none", "NoneGame"),
        ("move", "MoveGame"),
    ],
)
def test_the_class_collides_with_no_name_in_the_rules(name: str, expected: str) -> None:
    assert new.class_name(name) == expected


def test_nothing_is_overwritten(kibitz: Run, tmp_path: Path) -> None:
    mine = tmp_path / "tide-race"
    mine.mkdir()
    (mine / "notes.txt").write_text("mine")
    shown = kibitz("new", "tide-race", "--dir", tmp_path)
    assert shown.code == 2
    assert "exists already; nothing was written" in shown.stderr
    assert [path.name for path in mine.iterdir()] == ["notes.txt"]
    assert [path.name for path in tmp_path.iterdir()] == ["tide-race"]


def test_a_missing_folder_is_told(kibitz: Run, tmp_path: Path) -> None:
    shown = kibitz("new", "tide-race", "--dir", tmp_path / "nowhere")
    assert "there is no such folder" in shown.stderr


def test_nothing_is_left_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = Path.write_text

    def full_disk(self: Path, *arguments: object, **options: object) -> int:
        if self.name == "rules.py":
            raise OSError(28, "No space left on device")
        return write(self, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "write_text", full_disk)
    with pytest.raises(FileError, match="No space left"):
        new.make_game("tide-race", tmp_path)
    assert list(tmp_path.iterdir()) == []


# --- a game in one file -------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sea-battle.rcy", "sea-battle.kif"])
def test_a_file_is_begun(kibitz: Run, tmp_path: Path, name: str) -> None:
    shown = kibitz("new", name, "--dir", tmp_path)
    assert shown.code == 0
    file = tmp_path / name
    assert file.read_text().startswith(";; Sea Battle\n")
    assert "My Game" not in file.read_text()
    described = load(file)
    assert described.title == "Sea Battle"
    assert described.about().endswith("wins.")  # what explains the language is no description
    commands = [line.split() for line in shown.stdout.splitlines() if line.startswith("  kibitz")]
    assert [command[1] for command in commands] == ["playtest", "play", "check"]
    assert all(command[2] == str(file) for command in commands)
    assert kibitz("fmt", "--check", file).code == 0
    checked = kibitz("check", file, "--strict")
    assert checked.code == 0, checked.stdout
    document = kibitz("playtest", file, "--games", 200, "--json", "-").json()
    assert document["outcomes"]["finished"] == 200


@pytest.mark.parametrize(("players", "hand"), [(2, 1), (2, 7), (4, 1), (4, 7)])
def test_the_card_game_plays_at_all_its_tables(
    kibitz: Run, tmp_path: Path, players: int, hand: int
) -> None:
    kibitz("new", "mine.rcy", "--dir", tmp_path)
    options = ("--players", players, "--set", f"hand={hand}", "--games", 200, "--json", "-")
    document = kibitz("playtest", tmp_path / "mine.rcy", *options).json()
    assert document["outcomes"]["finished"] == 200


def test_a_file_is_never_written_over(kibitz: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.rcy"
    file.write_text(";; mine")
    shown = kibitz("new", "mine.rcy", "--dir", tmp_path)
    assert shown.code == 2
    assert "exists already" in shown.stderr
    assert file.read_text() == ";; mine"


@pytest.mark.parametrize("name", ["12.rcy", "nowhere/mine.rcy"])
def test_a_file_that_cannot_be(kibitz: Run, tmp_path: Path, name: str) -> None:
    shown = kibitz("new", name, "--dir", tmp_path)
    assert shown.code == 2
    assert "Traceback" not in shown.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_language_without_a_page_promises_none(
    kibitz: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "tells the rest." in kibitz("new", "a.kif", "--dir", tmp_path).stdout
    monkeypatch.setattr(GDL, "guide", "")
    shown = kibitz("new", "b.kif", "--dir", tmp_path).stdout
    assert shown.endswith("its comments explain the language.\n")


def test_a_file_for_a_player_says_how_to_let_it_play(kibitz: Run, tmp_path: Path) -> None:
    shown = kibitz("new", "deep_thought.py", "--dir", tmp_path)
    file = tmp_path / "deep_thought.py"
    assert f"  kibitz ggp player --handlers {file}\n" in shown.stdout
    assert "--handlers deep_thought.py" in file.read_text()
    assert set(load_handlers(file)) == {"info", "start", "play", "stop", "abort"}
    again = kibitz("new", "deep_thought.py", "--dir", tmp_path)
    assert again.code == 2
    assert "exists already" in again.stderr

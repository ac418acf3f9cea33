"""Loading games by name, and from files, code and texts; untrusted texts run no code."""

from __future__ import annotations

import contextlib
import copy
import multiprocessing
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import kibitz
from kibitz import loading
from kibitz.checks import smoke_test
from kibitz.cli.app import app
from kibitz.core import registry
from kibitz.core.errors import (
    FileError,
    GameDefinitionError,
    KibitzError,
    ParameterError,
    UnknownGameError,
    UnknownNameError,
)
from kibitz.core.game import Game
from kibitz.gdl.game import GdlGame
from kibitz.languages.guide import page_text
from kibitz.recycle.game import RecycleGame
from kibitz.syntax.language import Language
from kibitz.syntax.source import Source

SOURCES = Path(kibitz.__file__).parent
AGRAM = SOURCES / "recycle" / "library" / "agram.rcy"
NIM = SOURCES / "gdl" / "library" / "nim.kif"

OWN = '''
from kibitz.core.actions import Action, ActionKinds, add, pack
from kibitz.core.game import Game


class Move(ActionKinds):
    GO = Action("go")


class Walk(Game):
    """Four steps."""

    name = "walk-{name}"
    players = (2, 2)
    Actions = Move

    @staticmethod
    def setup(state, params):
        pass

    @staticmethod
    def legal_actions(state, params, actions):
        add(actions, pack(Move.GO))

    @staticmethod
    def apply_action(state, params, action):
        {apply}
'''


@pytest.fixture(autouse=True)
def clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Runs each test in its own folder, and forgets the modules and games that it loaded there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(registry, "_added", dict(registry._added))
    yield
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


def own(file: str, apply: str = "state.player = 1 - state.player") -> Path:
    """Writes a game in Python into a file."""
    path = Path(file)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(OWN.format(name=path.stem, apply=apply))
    return path


def copied(original: Path, name: str) -> Path:
    """Copies a file into the current folder under another name."""
    path = Path(name)
    path.write_text(original.read_text())
    return path


@pytest.mark.parametrize("as_path", [False, True])
@pytest.mark.parametrize(
    ("name", "original", "kind"),
    [
        ("mine.rcy", AGRAM, RecycleGame),
        ("mine.recycle", AGRAM, RecycleGame),
        ("mine.gdl", AGRAM, RecycleGame),  # as files in RECYCLE were called of old
        ("mine.gdl", NIM, GdlGame),
        ("mine.kif", NIM, GdlGame),
        ("mine.txt", NIM, GdlGame),
    ],
)
def test_a_file_with_rules_is_a_game(name: str, original: Path, kind: type, as_path: bool) -> None:
    path = copied(original, name)
    game = kibitz.load(path if as_path else name)
    assert isinstance(game, kind)
    assert (game.name, game.origin.where) == ("mine", name)


def test_a_path_without_a_suffix_is_a_file_and_a_word_a_name() -> None:
    copied(AGRAM, "whist")
    assert kibitz.load("whist").title == "Whist"
    assert kibitz.load("./whist").title == kibitz.load(Path("whist")).title == "Agram"


def test_python_code_is_a_game(tmp_path: Path) -> None:
    path = own("walking.py")
    for source in (
        path,
        "walking.py",
        "walking.py:Walk",
        "walking",
        "walking:Walk",
        tmp_path / path,
    ):
        if source == "walking":  # a word is a name
            with pytest.raises(UnknownGameError):
                kibitz.load(source)
        else:
            assert kibitz.load(source, compiled=False).name == "walk-walking"
    assert not kibitz.load(path, compiled=False).compiled


def test_a_file_is_read_anew_each_time() -> None:
    path = copied(AGRAM, "mine.rcy")
    kibitz.load(path)
    path.write_text(AGRAM.read_text().replace("Agram", "Otherwise", 1))
    assert "Otherwise" in kibitz.load(path).text.text  # type: ignore[attr-defined]


def test_two_files_of_one_module_name_are_not_confused() -> None:
    first, second = own("a/mine.py"), own("b/mine.py")
    assert kibitz.load(first, compiled=False).name == "walk-mine"
    with pytest.raises(GameDefinitionError, match=r"another module called mine, .*a/mine\.py"):
        kibitz.load(second)


def test_a_file_never_takes_an_installed_games_name() -> None:
    """So that a variant can be compared with the original by name."""
    copied(NIM, "agram.kif")
    assert isinstance(kibitz.load("agram.kif"), GdlGame)
    assert isinstance(kibitz.load("agram"), RecycleGame)


@pytest.mark.parametrize("name", ["none.rcy", "none.kif", "none.py", Path("none"), "no/such.gdl"])
def test_a_missing_file_is_told(name: str | Path) -> None:
    with pytest.raises(UnknownGameError, match="there is no such file"):
        kibitz.load(name)


@pytest.mark.parametrize("name", ["folder.rcy", "folder.py", "folder"])
def test_a_folder_is_no_game(name: str) -> None:
    Path(name).mkdir()
    with pytest.raises(FileError, match=r"not a regular file|is a folder"):
        kibitz.load(name)


def test_rules_without_their_language_are_told_what_is_missing() -> None:
    with pytest.raises(UnknownGameError, match="give language=") as error:
        kibitz.load("(role a) " * 1000)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("name", [":", ":Walk"])
def test_a_class_without_its_module_is_no_game(name: str) -> None:
    with pytest.raises(UnknownGameError, match="There is no game"):
        kibitz.load(name)


def test_rules_of_others_in_python_are_smoke_tested_before_they_are_compiled() -> None:
    path = own("wild.py", apply="state.seat[4 + state.tick].score = 1.0")
    game = kibitz.load(path)
    assert game.compiled
    with pytest.raises(GameDefinitionError, match=r"walk-wild: .*wild\.py"):
        game.table()


def test_rules_of_others_are_smoke_tested_for_a_pickled_state_too() -> None:
    path = own("wilder.py", apply="state.seat[4 + state.tick].score = 1.0")
    content = pickle.dumps(kibitz.load(path))
    with pytest.raises(GameDefinitionError, match=r"walk-wilder: .*wilder\.py"):
        pickle.loads(content).table()


def test_games_that_come_with_kibitz_are_not_smoke_tested() -> None:
    assert kibitz.load("tic-tac-toe").origin.before_play is None
    assert kibitz.load("agram").origin.before_play is None


@pytest.mark.parametrize(
    ("file", "language", "kind"),
    [(AGRAM, "recycle", RecycleGame), (NIM, "gdl", GdlGame), (AGRAM, "", RecycleGame)],
)
def test_a_text_is_only_ever_rules(file: Path, language: str, kind: type) -> None:
    game = loading.from_text(Source("from elsewhere", file.read_text()), language, "theirs")
    assert isinstance(game, kind)
    assert game.name == "theirs"


@pytest.mark.parametrize("language", ["", "recycle", "gdl"])
@pytest.mark.parametrize("text", ["evil.py", "evil:Walk", "evil.rcy", "os:system", "agram"])
def test_a_text_that_names_a_game_loads_none(text: str, language: str) -> None:
    Path("evil.py").write_text("raise SystemExit('run')")
    copied(AGRAM, "evil.rcy")
    with contextlib.suppress(KibitzError):  # in GDL, a word is a rule
        game = loading.from_text(Source("record", text), language)
        assert game.title == "record"
        assert game.table().players == 1
    assert "evil" not in sys.modules


def test_a_smoke_test_plays_even_where_time_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the engine has to be compiled first, which takes longer than a smoke test."""
    monkeypatch.setattr(smoke_test, "SECONDS", -1.0)
    game = kibitz.load(own("late.py", apply="state.seat[state.tick // 10].score = 1.0"))
    with pytest.raises(GameDefinitionError, match=r"walk-late: .*late\.py"):
        game.table()


def test_importing_the_loader_imports_no_language() -> None:
    code = "import sys, kibitz.loading; print([m for m in sys.modules if 'numba' in m or m in "
    code += "('kibitz.recycle', 'kibitz.gdl', 'numpy', 'kibitz.core.game')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]"


TINY = "(role a) (legal a x) (init s) (goal a 70) (<= terminal (not (true s)))"


@pytest.mark.parametrize(
    ("text", "language", "kind"),
    [
        (AGRAM.read_text(), "recycle", RecycleGame),
        (AGRAM.read_text(), "RECYCLE", RecycleGame),
        (TINY, "gdl", GdlGame),
    ],
)
def test_a_text_in_a_language_is_a_game(text: str, language: str, kind: type) -> None:
    game = kibitz.load(text, language=language)
    assert isinstance(game, kind)
    state = game.new_state(seed=1)
    copy = pickle.loads(pickle.dumps(state))
    assert bytes(copy) == bytes(state)


def end_of(state: kibitz.State) -> kibitz.State:
    """The state after the first legal actions, up to the end."""
    while not state.is_terminal:
        state.apply(state.legal_actions()[0])
    return state


def start_of(table: kibitz.Table) -> kibitz.State:
    return table.new_state(1)


def test_games_tables_and_states_that_were_used_go_to_another_process() -> None:
    """By pickle, into a process that knows nothing of them."""
    code = own("sent.py", apply="state.status = 1")
    loads = ("tic-tac-toe", "agram", "gdl-tic-tac-toe", copied(AGRAM, "mine.rcy"), code)
    tables = [kibitz.load(text).table() for text in loads]
    tables.append(kibitz.load(TINY, language="gdl").table())
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as pool:
        for table in tables:
            state = table.new_state(1)
            table.encoder.encode(state, 0)
            state.describe()
            assert pool.submit(start_of, table).result() == state
            assert pool.submit(end_of, state).result() == end_of(state)
            assert copy.deepcopy(table) is table
            assert copy.deepcopy(table.game) is table.game


def test_a_state_that_is_unpickled_many_times_has_one_table() -> None:
    content = pickle.dumps(kibitz.load(TINY, language="gdl").new_state())
    assert pickle.loads(content).table is pickle.loads(content).table


def test_a_text_in_python_is_unpickled() -> None:
    game = kibitz.load(OWN.format(name="sent", apply="state.status = 1"), language="python")
    content = pickle.dumps(game.new_state(seed=1))
    for name in [name for name in sys.modules if name.startswith("kibitz_text_")]:
        del sys.modules[name]
    state = pickle.loads(content)
    assert (state.table.game.name, state.legal_actions()) == ("walk-sent", [0])


def test_two_texts_are_two_games() -> None:
    first = kibitz.load(TINY, language="gdl").new_state()
    kibitz.load(TINY.replace("70", "30"), language="gdl")
    assert pickle.loads(pickle.dumps(first)).table.game.name == first.table.game.name


def test_a_text_in_python_is_run_and_smoke_tested() -> None:
    text = OWN.format(name="text", apply="state.seat[4 + state.tick].score = 1.0")
    assert kibitz.load(text, language="python", compiled=False).name == "walk-text"
    with pytest.raises(GameDefinitionError, match=r"walk-text: .*state\.seat\[4"):
        kibitz.load(text, language="python").table()
    with pytest.raises(GameDefinitionError, match="ZeroDivisionError"):
        kibitz.load("1 / 0", language="python")


@pytest.mark.parametrize("code", ["raise SystemExit", "import sys\nsys.exit(2)"])
def test_code_that_leaves_the_program_is_no_game(code: str) -> None:
    Path("leaves.py").write_text(code)
    for source, language in (("leaves.py", None), (code, "python")):
        with pytest.raises(GameDefinitionError, match="cannot be imported: SystemExit"):
            kibitz.load(source, language=language)


def test_a_text_in_python_from_elsewhere_is_not_run() -> None:
    with pytest.raises(FileError, match="Python code, which is not run"):
        loading.from_text(Source("record", "raise SystemExit"), "python")
    with pytest.raises(FileError, match="Python code, which is not run"):
        loading.from_text(Source("record.py", "raise SystemExit"))


def test_a_file_is_read_in_the_language_that_is_said() -> None:
    path = copied(NIM, "mine.txt")
    assert isinstance(kibitz.load(path, language="gdl"), GdlGame)


def test_a_language_that_does_not_exist() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'recycle'"):
        kibitz.load("(game)", language="recycel")


def test_a_language_of_another_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """All front ends know it: loading by suffix and by text, checking, formatting, showing."""

    class Shout(Language):
        name = "shout"
        title = "SHOUT"
        suffixes = (".shout",)
        forms = ("loud",)
        template = str(Path("small.shout").absolute())
        guide = str(Path("shout.md").absolute())

        def recognizes(self, source: Source) -> bool:
            return source.text.startswith("HEY")

        def load(
            self, source: Source, name: str | None = None, compiled: bool | None = None
        ) -> Game:
            game = kibitz.load("tic-tac-toe", compiled=False)
            return type("Own", (type(game),), {"name": "loud-one", "language": "shout"})(False)

        def format(self, source: Source) -> str:
            return source.text.upper()

        def show(
            self, game: Game, form: str, players: int | None, parameters: Mapping[str, Any]
        ) -> Iterator[str]:
            yield f"{game.name} {form}"

    known = {**loading.languages(), "shout": Shout()}
    monkeypatch.setattr(loading, "languages", lambda: known)
    Path("own.shout").write_text("HEY you")
    assert kibitz.load("own.shout").name == kibitz.load("HEY", language="shout").name == "loud-one"
    assert loading.from_text(Source("elsewhere", "HEY")).name == "loud-one"
    run = CliRunner()
    assert run.invoke(app, ["fmt", "own.shout", "--stdout"]).stdout == "HEY YOU"
    assert run.invoke(app, ["translate", "own.shout"]).stdout == "loud-one loud\n"
    Path("small.shout").write_text("HEY My Game")
    Path("shout.md").write_text("# How to shout")
    assert "shout.md" in run.invoke(app, ["new", "sea-shanty.shout"]).stdout.replace("\n", "")
    assert Path("sea-shanty.shout").read_text() == "HEY Sea Shanty"
    assert page_text(known["shout"]) == "# How to shout"
    assert "there is no check for SHOUT" in run.invoke(app, ["check", "own.shout"]).output


def test_the_command_line_knows_no_language() -> None:
    imported = re.compile(r"^\s*(from|import) kibitz\.(recycle|gdl|languages)\b", re.MULTILINE)
    for file in (SOURCES / "cli").glob("*.py"):
        if file.name != "records.py":  # records of matches are about GDL
            assert not imported.search(file.read_text()), file


def test_games_in_a_language_that_is_none_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="no language 'gdll'"):
        kibitz.games(language="gdll")
    assert {game.language for game in kibitz.games(language="GDL")} == {"gdl"}


@pytest.mark.parametrize("word", ["trick taking", "Trick_Taking", "trick-taking"])
def test_a_search_takes_hyphens_and_spaces_for_the_same(word: str) -> None:
    expected = ["agram", "hearts", "schnapsen", "spades", "whist"]
    assert [game.name for game in kibitz.games(mechanic=word)] == expected


def test_agents_of_a_game_that_does_not_exist_are_refused() -> None:
    with pytest.raises(UnknownGameError, match="agrm"):
        kibitz.agents(game="agrm")
    assert kibitz.agents(game="Love Letter") == kibitz.agents(game=kibitz.load("love-letter"))


def test_a_number_of_players_is_a_number() -> None:
    players: Any = "two"
    with pytest.raises(ParameterError, match="for 2 to 5 players, not 'two'"):
        kibitz.load("agram").table(players)

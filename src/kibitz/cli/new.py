"""``kibitz new``: writes a small game or player that runs, as the beginning of another one.

The templates are in ``kibitz/templates``: a file for each language in which a game is a file, one
with the handlers of a player, and for Python ``new_game``, itself a working package called
``my-game``, whose name is replaced everywhere in all its forms.
"""

from __future__ import annotations

import ast
import importlib.util
import keyword
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli import terminal
from kibitz.core.errors import FileError, KibitzError
from kibitz.loading import language_for
from kibitz.syntax.language import Language

TEMPLATES = Path(__file__).parents[1] / "templates"
TEMPLATE = TEMPLATES / "new_game"
PLAYER = TEMPLATES / "new_player.py"
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
LONGEST_NAME = 40


class NameProblem(KibitzError):
    """A name cannot be the name of a game."""


def new(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            show_default=False,
            help="The game's name, for one in Python: my-game; or its file, for one in the "
            "language of its suffix: mygame.rcy, mygame.kif. my_player.py: a player.",
        ),
    ],
    folder: Annotated[
        Path, typer.Option("--dir", metavar="DIR", help="Where to put the game's folder or file.")
    ] = Path(),
) -> None:
    """Start a game or a player of your own from a small one.

    A name makes a folder with a Python package that declares a deck, hidden hands, counters,
    parameters, actions and rules, with tests. A file's suffix says its language (card games in
    RECYCLE: .rcy; games in GDL: .kif; or an installed one's): its comments explain that language.
    A file .py is a player for general game playing, with the handlers that a game manager calls.

    Examples:
      kibitz new mygame.rcy
      kibitz new mygame.kif
      kibitz new my-game
      kibitz new my_player.py
      kibitz new sea-battle --dir ~/games
    """
    if name.endswith(".py"):
        message = _player_made(make_player_file(Path(name), folder))
    elif (language := language_for(name)) is not None and language.template:
        message = _file_made(make_file(Path(name), folder, language), language)
    else:
        message = _game_made(name, make_game(name, folder))
    terminal.print_lines(message)


def _player_made(file: Path) -> str:
    """What to do with the file of a new player."""
    return (
        f"Made {file}, a player that makes the first legal move. Let it play:\n\n"
        f"  kibitz ggp player --handlers {_quoted(file)}\n"
        "  kibitz ggp match gdl-tic-tac-toe --players localhost:9147,random\n\n"
        f"Then change {file}; docs/ggp.md tells the rest."
    )


def _file_made(file: Path, language: Language) -> str:
    """What to do with the file of a new game."""
    quoted = _quoted(file)
    guide = f",\nand {language.guide} tells the rest" if language.guide else ""
    return (
        f"Made {file}, a small game that runs. Try:\n\n"
        f"  kibitz playtest {quoted}\n"
        f"  kibitz play {quoted}\n"
        f"  kibitz check {quoted}\n\n"
        f"Then change {file}: its comments explain the language{guide}."
    )


def _game_made(name: str, folder: Path) -> str:
    """What to do with the folder of a new game in Python."""
    rules = folder / "src" / module_name(name) / "rules.py"
    tests = folder / "tests" / f"test_{module_name(name)}.py"
    quoted = _quoted(rules)
    return (
        f"Made {folder}, a small card game that runs. Try:\n\n"
        f"  kibitz playtest {quoted} --players 3\n"
        f"  kibitz play {quoted}\n"
        f"  kibitz check {quoted}\n\n"
        f"Then change it: the rules are in {rules},\n"
        f"the tests in {tests}. {folder / 'README.md'} tells more."
    )


def _quoted(path: Path) -> str:
    import shlex

    return shlex.quote(str(path))


def make_file(path: Path, folder: Path, language: Language) -> Path:
    """Writes a small game in a language; returns its path.

    Raises:
        NameProblem: the file's name has no letter, so that the game would have no name.
        FileError: the file exists already, or cannot be written.
    """
    target = folder / path
    if not re.search("[A-Za-z]", path.stem):
        raise NameProblem(f"{path}: a game is called by its file, whose name needs a letter a-z.")
    title = " ".join(re.split(r"[\s_-]+", path.stem.strip(" _-"))).title()
    text = (TEMPLATES / language.template).read_text(encoding="utf-8")
    return _written(target, text.replace("My Game", title, 1))


def make_player_file(path: Path, folder: Path) -> Path:
    """Writes the handlers of a small player; returns the file's path.

    Raises:
        NameProblem: the file's name has no letter.
        FileError: the file exists already, or cannot be written.
    """
    if not re.search("[A-Za-z]", path.stem):
        raise NameProblem(
            f"{path}: a player is called by its file, whose name needs a letter a-z."
        )
    target = folder / path
    return _written(target, PLAYER.read_text(encoding="utf-8").replace("my_player.py", path.name))


def _written(target: Path, text: str) -> Path:
    """Writes a new file; returns its path.

    Raises:
        FileError: the file exists already, or cannot be written.
    """
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise FileError(f"{target} exists already; nothing was written.") from None
    except OSError as problem:
        raise FileError(f"{target}: cannot be written: {problem.strerror}.") from None
    return target


def make_game(name: str, folder: Path) -> Path:
    """Writes the template under another name, whole or not at all; returns the new folder.

    Raises:
        NameProblem: the name cannot be a game's, or is taken.
        FileError: the folder exists already, or cannot be written.
    """
    check_name(name)
    if not folder.is_dir():
        raise FileError(f"{folder}: there is no such folder.")
    target = folder / name
    if target.exists() or target.is_symlink():
        raise FileError(f"{target} exists already; nothing was written.")
    try:
        partial = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=folder))
    except OSError as problem:
        raise FileError(f"{folder}: cannot be written: {problem.strerror}.") from None
    try:
        for path, text in filled_template(name):
            file = partial / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        partial.chmod(0o755)
        partial.rename(target)
    except OSError as problem:
        raise FileError(f"{target}: cannot be written: {problem.strerror}.") from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return target


def filled_template(name: str) -> Iterator[tuple[Path, str]]:
    """The paths and texts of the template's files, with the game's name filled in."""
    forms = {
        "my-game": name,
        "my_game": module_name(name),
        "MyGame": class_name(name),
        "My Game": name.replace("-", " ").title(),
    }
    pattern = re.compile("|".join(forms))
    for file in sorted(TEMPLATE.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            path = str(file.relative_to(TEMPLATE)).replace("gitignore", ".gitignore")
            path, text = (
                pattern.sub(lambda match: forms[match[0]], text_part)
                for text_part in (path, file.read_text(encoding="utf-8"))
            )
            yield Path(path), text


def module_name(name: str) -> str:
    """The Python package's name."""
    return name.replace("-", "_")


def class_name(name: str) -> str:
    """The name of the game's class, which means nothing else in the template."""
    plain = "".join(word.capitalize() for word in name.split("-"))
    rules = ast.parse((TEMPLATE / "src" / "my_game" / "rules.py").read_text(encoding="utf-8"))
    taken: set[str] = set()
    for node in ast.walk(rules):
        if isinstance(node, ast.Name):
            taken.add(node.id)
        elif isinstance(node, ast.alias | ast.ClassDef | ast.FunctionDef):
            taken.add(node.name)
    own = {name for name in taken if name.startswith("MyGame")}  # which are replaced
    return f"{plain}Game" if plain in taken - own or keyword.iskeyword(plain) else plain


def check_name(name: str) -> None:
    """Checks the name of a new game.

    Raises:
        NameProblem: it cannot be a game's name, or is taken.
    """
    from kibitz.core import registry

    if not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise NameProblem(
            f"{name!r} cannot be a game's name: it needs small letters a-z and digits, with "
            f"single hyphens between words, at most {LONGEST_NAME}.{_suggestion(name)}"
        )
    if name in registry.names():
        raise NameProblem(f"There is a game {name!r} already.")
    module = module_name(name)
    if keyword.iskeyword(module) or importlib.util.find_spec(module) is not None:
        raise NameProblem(
            f"{name!r} cannot be the name: {module} means something else in Python. "
            f"{name + '-game'!r} would do."
        )


def _suggestion(name: str) -> str:
    words = re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower())
    better = "-".join(words)[:LONGEST_NAME].strip("-")
    return f" How about {better!r}?" if NAME.fullmatch(better) else ""

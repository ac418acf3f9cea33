"""Whatever describes a game becomes a game: names, files, Python code, texts.

``load`` is for a person who types: it takes a name or a path, and runs the Python code that is
named. What comes from elsewhere (records, messages, files of others) must never be handed to
it: names go to ``registry.load``, which knows installed games only, and rules to ``from_text``,
which takes a text and its language, and reads no file and runs no code.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from kibitz.core.errors import FileError, GameDefinitionError, UnknownGameError

if TYPE_CHECKING:
    from kibitz.core.game import Game
    from kibitz.syntax.source import Source

LANGUAGES = {"recycle": "kibitz.recycle.game", "gdl": "kibitz.gdl.game"}
"""The languages for rules, and the module of each whose ``game_class`` makes a game of a text."""

SUFFIXES = (".rcy", ".recycle", ".rkt", ".gdl", ".kif")
"""What the names of files with rules end with; in which language they are the text tells."""

_INFIX = re.compile(r":-|^\s*\[?role\s*\(", re.MULTILINE)
_ENOUGH = 2000
"""Words of a text by which its language is known."""


def load(what: str | os.PathLike[str], *, compiled: bool | None = None) -> Game:
    """The game that a person means, ready to be played.

    A game in Python that does not come with Kibitz is rehearsed before it is played compiled,
    at each of its tables: see ``kibitz.arena.conformance.rehearsal``.

    Args:
        what: a name, as ``kibitz games`` lists it; a file in RECYCLE (``mygame.rcy``) or GDL
            (``mygame.kif``), by its path; or Python code as ``FILE.py``, ``FILE.py:CLASS``,
            ``MODULE`` or ``MODULE:CLASS``, which is run. A ``Path`` is always a file.
        compiled: ``False`` leaves the rules of a game in Python to a debugger; see ``Game``.

    Raises:
        UnknownGameError: there is no such game or file.
        FileError: the file cannot be read, or its rules cannot be used.
        GameDefinitionError: the code has no such game, or does not run.
    """
    from kibitz.core import registry

    spec = os.fspath(what)
    if is_code(spec):
        own = _python_game(spec)
    elif is_rules_file(spec) or isinstance(what, os.PathLike):
        own = from_text(read(spec))
    else:
        return _careful(registry.load(spec, compiled=compiled))
    own.where = spec
    if own.name and own.name not in registry.installed(registry.ENTRY_POINTS):
        registry.register(own)
    return _careful(own(compiled=compiled))


def _careful(game: Game) -> Game:
    """The game; each of its tables is rehearsed first if machine code was made of others' Python.

    Rules in a language need none: their machine code checks what it does.
    """
    if not type(game).__module__.startswith("kibitz.") and game.compiled:
        from kibitz.arena.conformance.rehearsal import rehearse

        game.before_play = rehearse
    return game


# --- rules as texts -----------------------------------------------------------------------


def from_text(source: Source, language: str = "", name: str | None = None) -> type[Game]:
    """The class of the game that rules describe. Safe for texts from anywhere.

    Args:
        source: the rules, and what to call them in messages.
        language: ``recycle`` or ``gdl``.  [default: as the text looks]
        name: of the game.  [default: made from the name of the source]

    Raises:
        FileError: the rules cannot be used.
    """
    language = language or language_of(source) or "recycle"
    game: type[Game] = importlib.import_module(LANGUAGES[language]).game_class(source, name)
    return game


def is_rules_file(spec: str) -> bool:
    """Whether a person who types this means a file with rules: not a name, not Python code."""
    path = Path(spec)
    if path.suffix == ".py":
        return False
    looks_like_one = "." in path.name or path.name != spec
    return path.suffix in SUFFIXES or (looks_like_one and path.is_file())


def read(path: str | os.PathLike[str]) -> Source:
    """The rules in a file.

    Raises:
        UnknownGameError: there is no such file.
        FileError: it cannot be read.
    """
    from kibitz.syntax.source import Source

    if not os.path.lexists(path):
        raise UnknownGameError(f"{path}: there is no such file.")
    if not Path(path).is_file():
        raise FileError(f"{path}: is no regular file.")
    return Source.load(Path(path))


def rules_text(spec: str) -> Source | None:
    """The rules of a game as a text, by its file or its name; ``None`` for a game in Python.

    Raises:
        UnknownGameError: there is no such file.
        FileError: it cannot be read.
    """
    if is_code(spec):
        return None
    if is_rules_file(spec):
        return read(spec)
    from kibitz.core import registry

    try:
        return getattr(registry.game_class(spec), "text", None)
    except UnknownGameError:
        return None


def language_of(source: Source) -> str:
    """The language of a text by what stands in it: ``recycle``, ``gdl``, or empty if neither.

    A file in KIF is in GDL, whatever is in it.
    """
    from kibitz.gdl.infix import is_infix
    from kibitz.gdl.rules import KEYWORDS
    from kibitz.recycle.words import LEXICON
    from kibitz.syntax.sexpr import Form, arrange, tokenize

    if source.name.endswith(".kif"):
        return "gdl"
    forms = arrange(tokenize(source, LEXICON, _ENOUGH)).forms
    if forms and isinstance(forms[0], Form) and forms[0].head == "game":
        return "recycle"
    if is_infix(source):
        return "gdl" if _INFIX.search(source.text) else ""
    for form in forms:
        items = form.items if isinstance(form, Form) and not form.head else (form,)
        for item in items:
            if isinstance(item, Form) and item.head.lower() in ("<=", *KEYWORDS):
                return "gdl"
    return ""


# --- Python code --------------------------------------------------------------------------


def is_code(spec: str) -> bool:
    """Whether a person who types this means Python code: ``FILE.py``, ``MODULE:CLASS``."""
    return spec.endswith(".py") or (":" in spec and not is_rules_file(spec))


def _python_game(spec: str) -> type[Game]:
    """The game class in ``FILE.py``, ``FILE.py:CLASS``, ``MODULE`` or ``MODULE:CLASS``."""
    place, _, name = spec.partition(":") if not Path(spec).is_file() else (spec, "", "")
    module = _run_file(Path(place)) if place.endswith(".py") else _run_module(place)
    classes = _games_of(module)
    if name:
        if name not in classes:
            raise UnknownGameError(f"{place} has no game class {name!r}. {_listing(classes)}")
        return classes[name]
    if len(classes) != 1:
        raise UnknownGameError(f"{place}: which game is meant? {_listing(classes)}")
    return next(iter(classes.values()))


def _games_of(module: ModuleType) -> dict[str, type[Game]]:
    from kibitz.core.game import Game

    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Game) and value is not Game
    }


def _listing(classes: dict[str, type[Game]]) -> str:
    return f"It has {', '.join(classes)}." if classes else "It has no class derived from Game."


def _run_file(path: Path) -> ModuleType:
    """Imports a file, as part of its package if it lies in one.

    Raises:
        UnknownGameError: there is no such file.
        GameDefinitionError: it does not run, or another module has its name.
    """
    if not path.is_file():
        raise UnknownGameError(f"{path}: there is no such file.")
    parts = [] if path.stem == "__init__" else [path.stem]
    folder = path.absolute().parent
    while (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    name = ".".join(parts)
    module = _import(name, folder)
    found = getattr(module, "__file__", None)
    if found is None or not path.samefile(found):
        raise GameDefinitionError(
            f"{path}: Python has another module called {name}, {found or 'which is built in'}; "
            "rename the file."
        )
    return module


def _run_module(name: str) -> ModuleType:
    return _import(name, Path.cwd() / "src", Path.cwd())


def _import(name: str, *folders: Path) -> ModuleType:
    """Imports a module that may lie in one of the folders."""
    sys.path[:0] = [str(folder) for folder in folders if str(folder) not in sys.path]
    try:
        return importlib.import_module(name)
    except Exception as problem:
        reason = f"{type(problem).__name__}: {problem}{_place_of(problem)}"
        raise GameDefinitionError(f"{name} cannot be imported: {reason}") from problem


def _place_of(problem: Exception) -> str:
    """The line of a person's own code that raised it, where there is one."""
    if isinstance(problem, SyntaxError):
        return ""  # its text names the place
    frames = [
        frame
        for frame in traceback.extract_tb(problem.__traceback__)
        if not frame.filename.startswith(("<frozen", __file__, importlib.__file__))
    ]
    return f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""

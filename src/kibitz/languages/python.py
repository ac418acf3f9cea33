"""Python as a language of games: classes derived from ``Game``, in a file or a module."""

from __future__ import annotations

import functools
import hashlib
import importlib
import linecache
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from kibitz.core.errors import FileError, GameDefinitionError, ParameterError, UnknownGameError
from kibitz.syntax.language import CheckOptions, CheckResult, Language

if TYPE_CHECKING:
    from kibitz.checks import Report
    from kibitz.core.game import Game
    from kibitz.syntax.source import Source

T = TypeVar("T")


class Python(Language):
    """The language Python. Loading runs code, which must come from the person at the keyboard."""

    name = "python"
    title = "Python"
    suffixes = (".py",)
    runs_code = True

    def load(self, source: Source, name: str | None = None, compiled: bool | None = None) -> Game:
        """Runs a text, and makes an instance of its only game class."""
        game = _game_class(_run_text(source), "", source.name)(compiled=compiled)
        game.origin.recipe = self.load, (source, name, game.compiled), {}
        return game

    def names_code(self, spec: str) -> bool:
        """Whether a specification is ``FILE.py``, ``FILE.py:CLASS`` or ``MODULE:CLASS``."""
        return spec.endswith(".py") or spec.find(":") > 0

    def load_code(self, spec: str, compiled: bool | None = None) -> Game:
        """Loads a game from ``FILE.py``, ``FILE.py:CLASS``, ``MODULE`` or ``MODULE:CLASS``."""
        place, _, name = spec.partition(":") if not Path(spec).is_file() else (spec, "", "")
        module = _run_file(Path(place)) if place.endswith(".py") else _run_module(place)
        game = _game_class(module, name, place)(compiled=compiled)
        if place.endswith(".py"):
            place = str(Path(place).absolute())
        game.origin.recipe = self.load_code, (f"{place}:{type(game).__name__}", game.compiled), {}
        return game

    def prepare(self, game: Game) -> None:
        """Has each table of a compiled game smoke-tested before it is first played."""
        if game.compiled:
            from kibitz.checks.smoke_test import smoke_test

            game.origin.before_play = smoke_test

    def check(self, spec: str, source: Source | None, options: CheckOptions) -> CheckResult:
        """Plays random games, and inspects most of their actions one by one."""
        from kibitz.checks import check_game
        from kibitz.checks.check import ACTIONS, GAMES
        from kibitz.loading import load

        if options.games == 0:
            raise ParameterError(f"{spec} is in Python: what it does is only known from games.")
        games = options.games or GAMES
        game = load(spec)
        if options.parameters:
            raise ParameterError(
                f"--set is for games in RECYCLE; {game.name} is checked with many values of all"
                " its parameters."
            )
        low, high = game.players
        total = games * (high - low + 1 if options.players is None else 1)
        latest: Report | None = None

        def note(report: Report) -> None:
            nonlocal latest
            latest = report
            if options.progress is not None:
                options.progress(f"Checking {game.name} ...", report.checked["games"], total)

        try:
            report = check_game(
                game,
                games=games,
                seed=options.seed,
                players=options.players,
                actions=options.actions or ACTIONS,
                on_game=note,
            )
        except KeyboardInterrupt:
            if latest is None:
                raise
            report = latest
        return _Result(report)


class _Result:
    """The ``CheckResult`` that shows a report of ``check_game``."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self.complete = report.complete

    def is_right(self, strict: bool) -> bool:
        return self._report.ok

    def render(self, color: bool) -> str:
        return str(self._report)

    def document(self, strict: bool) -> dict[str, Any]:
        return self._report.to_json()


PYTHON = Python()


# --- game classes in modules --------------------------------------------------------------


def _game_class(module: ModuleType, name: str, place: str) -> type[Game]:
    """The game class of that name in a module; with an empty name, its only game class.

    Raises:
        UnknownGameError: The class does not exist, or it is not clear which one is meant.
    """
    classes = _games_of(module)
    if name:
        if name not in classes:
            raise UnknownGameError(f"{place} has no game class {name!r}. {_listing(classes)}")
        return classes[name]
    if len(classes) != 1:
        raise UnknownGameError(f"{place}: which game is meant? {_listing(classes)}")
    return next(iter(classes.values()))


def _games_of(module: ModuleType) -> dict[str, type[Game]]:
    """The game classes that a module contains, by name, imported ones included."""
    from kibitz.core.game import Game

    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Game) and value is not Game
    }


def _listing(classes: dict[str, type[Game]]) -> str:
    return f"It has {', '.join(classes)}." if classes else "It has no class derived from Game."


def _run_file(path: Path) -> ModuleType:
    """Imports a file, as a module of its package if its folder is one.

    Raises:
        UnknownGameError: The file does not exist.
        FileError: The path is a folder.
        GameDefinitionError: The file does not run, or another module has its name.
    """
    if path.is_dir():
        raise FileError(f"{path}: is not a regular file.")
    if not path.is_file():
        raise UnknownGameError(f"{path}: there is no such file.")
    names = [] if path.stem == "__init__" else [path.stem]
    folder = path.absolute().parent
    while (folder / "__init__.py").exists():
        names.insert(0, folder.name)
        folder = folder.parent
    name = ".".join(names)
    module = _import(name, folder)
    imported = getattr(module, "__file__", None)
    if imported is None or not path.samefile(imported):
        raise GameDefinitionError(
            f"{path}: Python has another module called {name}, {imported or 'which is built in'}; "
            "rename the file."
        )
    return module


def _run_module(name: str) -> ModuleType:
    """Imports a module, which may lie in the current folder or in its folder ``src``."""
    return _import(name, Path.cwd() / "src", Path.cwd())


def _run_text(source: Source) -> ModuleType:
    """Runs a text as a module whose lines tracebacks show.

    Raises:
        GameDefinitionError: The text does not run.
    """
    digest = hashlib.sha256(source.text.encode(errors="replace")).hexdigest()
    module = ModuleType(f"kibitz_text_{digest[:16]}")
    module.__file__ = f"<{source.name} {digest[:8]}>"
    lines = source.text.splitlines(keepends=True)
    linecache.cache[module.__file__] = (len(source.text), None, lines, module.__file__)
    sys.modules[module.__name__] = module
    _guarded(
        source.name,
        lambda: exec(compile(source.text, module.__file__ or "", "exec"), vars(module)),
    )
    return module


def _import(name: str, *folders: Path) -> ModuleType:
    """Imports a module; the folders become the first ones in which Python looks for modules."""
    sys.path[:0] = [str(folder) for folder in folders if str(folder) not in sys.path]
    return _guarded(name, functools.partial(importlib.import_module, name))


def _guarded(name: str, run: Callable[[], T]) -> T:
    """Runs code of a game's author, and returns its result.

    Raises:
        GameDefinitionError: The code raised an exception.
    """
    try:
        return run()
    except (Exception, SystemExit) as problem:
        reason = f"{type(problem).__name__}: {problem}{_place_of(problem)}"
        raise GameDefinitionError(f"{name} cannot be imported: {reason}") from problem


def _place_of(problem: BaseException) -> str:
    """The line of the author's code that raised an exception, if there is one."""
    if isinstance(problem, SyntaxError):
        return ""  # its message already names the place
    frames = [
        frame
        for frame in traceback.extract_tb(problem.__traceback__)
        if not frame.filename.startswith(("<frozen", __file__, importlib.__file__))
    ]
    return f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""

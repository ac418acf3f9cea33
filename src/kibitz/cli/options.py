"""What the commands' arguments mean: games, tables, parameters, agents."""

from __future__ import annotations

import importlib
import re
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from kibitz.cli import terminal
from kibitz.core.errors import AgentError, GameDefinitionError, UnknownGameError
from kibitz.core.randomness import check_seed

if TYPE_CHECKING:
    from kibitz.core.game import Game, Table

T = TypeVar("T", bound="Game")

GameName = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        show_default=False,
        help="A name that 'kibitz games' lists; or a game of your own: FILE.rcy in RECYCLE, "
        "FILE.kif in GDL, or FILE.py or MODULE:CLASS, which runs that code.",
    ),
]
Players = Annotated[
    int | None,
    typer.Option(
        "--players",
        "-p",
        metavar="N",
        show_default=False,
        help="How many sit at the table.  [default: one for each agent if several are given, "
        "else as many as usual]",
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed",
        metavar="S",
        callback=lambda seed: checked_seed(seed),
        help="Where chance begins: same seed, same game.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        "-s",
        metavar="NAME=VALUE",
        show_default=False,
        help="Set a game parameter; may be repeated. 'kibitz show GAME' lists them.",
    ),
]
ParametersFile = Annotated[
    Path | None,
    typer.Option(
        "--parameters",
        metavar="FILE",
        show_default=False,
        help='Game parameters from a JSON file such as {"hand_size": 5}; --set overrides it.',
    ),
]
Loops = Annotated[
    int | None,
    typer.Option(
        "--loops",
        metavar="N",
        show_default=False,
        help="Break a game off as a suspected loop when it is in the same state for this time; "
        "0: never. Certain loops are always noticed.  [default: as the game says]",
    ),
]
DESCRIPTIONS = (".rcy", ".recycle", ".kif")
"""What the names of files in a language for games end with."""

JsonOnly = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")]

AGENTS_HELP = (
    "Who plays, such as 'random' or 'mcts:iterations=500,c=0.7'. One serves all seats; for one "
    "each repeat the option, or separate them by spaces, '+' or ';' within quotes. "
    "'kibitz agents' lists them.  [default: random]"
)
Agents = Annotated[
    list[str] | None, typer.Option("--agents", "-a", metavar="AGENT", help=AGENTS_HELP)
]


def checked_seed(seed: int | None) -> int | None:
    """The seed, if it is one.

    Raises:
        ParameterError: it has more than 64 bits.
    """
    if seed is not None:
        check_seed(seed)
    return seed


# --- games --------------------------------------------------------------------------------


def find_game(spec: str) -> Game:
    """The game that a person means: by its name, or a class of their own.

    Raises:
        UnknownGameError: there is none of that name.
        GameDefinitionError: the code that was named has no such game, or does not run.
    """
    from kibitz.core import registry

    terminal.announce_compilations()
    if is_description(spec):
        own = described_game(Path(spec))
    elif ":" not in spec and not spec.endswith(".py"):
        return registry.load(spec)
    else:
        own = own_game(spec)
    own.where = spec
    return (registry.register(own) if own.name else own)()


def is_description(spec: str) -> bool:
    """Whether a game is a file in a language for games, not a name or Python code."""
    path = Path(spec)
    if path.suffix == ".py":
        return False
    return path.suffix in DESCRIPTIONS or (path.is_file() and "." in path.name)


def described_game(path: Path) -> type[Game]:
    """The class of the game that a file describes.

    Raises:
        UnknownGameError: there is no such file.
        FileError: it cannot be read.
    """
    from kibitz.cli.languages import language_of
    from kibitz.recycle.game import game_class, read_source

    if not path.is_file():
        raise UnknownGameError(f"{path}: there is no such file.")
    source = read_source(path)
    if language_of(source) == "gdl":
        from kibitz.gdl import game as gdl

        return gdl.game_class(source)
    return game_class(source)


def own_game(spec: str) -> type[Game]:
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
    """Imports a file, as part of its package if it lies in one."""
    if not path.is_file():
        raise UnknownGameError(f"{path}: there is no such file.")
    parts = [] if path.stem == "__init__" else [path.stem]
    folder = path.absolute().parent
    while (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    return _import(".".join(parts), folder)


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


# --- tables -------------------------------------------------------------------------------


def made_ready(game: T) -> T:
    """The game when its rules are worked out, which may take a while: then it is said."""
    with terminal.patience(f"Making the rules of {game.title} ready, which takes a while ..."):
        _ = getattr(game, "evaluation", None)
    return game


def find_table(
    game: Game,
    players: int | None,
    settings: Sequence[str] | None,
    file: Path | None = None,
) -> Table:
    """The game with its parameters; those of `settings` override those of the file.

    Raises:
        ParameterError: a name, a value or a combination is not allowed.
        FileError: the file cannot be used.
        GameDefinitionError: a rehearsal of a game that is not our own found a fault.
    """
    table = made_ready(game).table(players, **read_parameters(settings, file))
    if game.compiled and not type(game).__module__.startswith("kibitz."):
        from kibitz.arena.conformance.rehearsal import rehearse

        rehearse(table)
    return table


def read_parameters(settings: Sequence[str] | None, file: Path | None = None) -> dict[str, Any]:
    """The parameters that a person gave; those of `settings` override those of the file.

    Raises:
        ParameterError: a setting is not of the form ``name=value``.
        FileError: the file cannot be used.
    """
    from kibitz.core.parameters import read_assignments, read_json_object

    values: dict[str, Any] = dict(read_json_object(file)) if file else {}
    return values | read_assignments(settings or ())


def describe_table(table: Table) -> str:
    """What is played, in a line: the players, and the parameters that are not as usual."""
    seats = f"{table.players} player{'s' if table.players > 1 else ''}"
    title = table.game.title or table.game.name
    return ", ".join([title, seats, *changed_parameters(table)])


def changed_parameters(table: Table) -> list[str]:
    """The parameters that are not as usual, as ``--set`` takes them."""
    changed = table.parameters.changed(table.players)
    return [f"{name}={value}" for name, value in changed.items()]


# --- agents -------------------------------------------------------------------------------


def split_agents(values: Sequence[str] | None, default: str = "random") -> list[str]:
    """The agents' descriptions: several in one value stand between spaces, ``+`` or ``;``.

    >>> split_agents(["mcts:iterations=100,c=0.7 random", "osla+random"])
    ['mcts:iterations=100,c=0.7', 'random', 'osla', 'random']
    """
    found: list[str] = []
    for value in values or [default]:
        if value.endswith(".json") and Path(value).is_file():
            found.append(value)
        else:
            # the exponent of a number, as in 1e+5, is no separator
            found += [part for part in re.split(r"[\s;]+|\+(?=\D)", value) if part]
    if not found:
        raise AgentError("--agents needs at least one agent.")
    return found


def player_count(agents: Sequence[str], players: int | None) -> int | None:
    """How many players so many agents make; ``None`` leaves it to the game."""
    return players if players is not None or len(agents) == 1 else len(agents)

"""Arguments that several commands take: games, tables, parameters, agents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from kibitz.cli import terminal
from kibitz.cli.groups import OptionGroup
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
RecordedGame = Annotated[
    str | None,
    typer.Argument(
        metavar="GAME",
        show_default=False,
        help="The game of the record, where that does not lead to it: your own Python, FILE.py or "
        "MODULE:CLASS, or rules in KIF for a foreign match. Also other rules to replay it by.",
    ),
]
Players = Annotated[
    int | None,
    typer.Option(
        "--players",
        "-p",
        metavar="N",
        show_default=False,
        help="Number of players.  [default: one for each agent if several are given, else the "
        "game's default]",
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed",
        metavar="S",
        callback=lambda seed: checked_seed(seed),
        help="Seed of all chance: same seed, same game.",
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
Open = Annotated[
    bool,
    typer.Option(
        "--open",
        help="Play with open hands: every seat sees what any seat sees, but for choices made in "
        "secret. What nobody sees, such as cards to be drawn, stays hidden.",
    ),
]
Randomize = Annotated[
    bool,
    typer.Option(
        "--randomize",
        help="Each game draws its parameters from their ranges, by its seed; those of --set and "
        "--parameters stay.",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        "-w",
        metavar="W",
        min=1,
        show_default=False,
        help="How many games at the same time: threads, or processes where the rules or an agent "
        "are Python.  [default: one for each core; one where they are Python]",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="CLUSTER",
        show_default=False,
        help="Play on a Ray cluster: 'ray:ADDRESS' joins one, 'ray' starts one on this machine. "
        "Needs kibitz[ray].",
    ),
]
Loops = Annotated[
    int | None,
    typer.Option(
        "--loops",
        metavar="N",
        show_default=False,
        help="Break a game off as a suspected loop when a state is visited this many times; "
        "0: never. Certain loops are always detected.  [default: as the game says]",
    ),
]
MarkdownFile = Annotated[
    str | None,
    typer.Option(
        "--markdown", metavar="FILE", show_default=False, help="Write the report as Markdown."
    ),
]
HtmlFile = Annotated[
    str | None,
    typer.Option(
        "--html",
        metavar="FILE",
        show_default=False,
        help="Write a page with plots, as one file; needs 'kibitz[plots]'.",
    ),
]


def local_folder(text: str) -> Path:
    """A folder of this machine, in which what appends to files is kept."""
    from kibitz.runs import folder_at

    return folder_at(text)


def run_place(text: str) -> Path:
    """A folder, or a place in an object store, in which runs are kept."""
    from kibitz.runs import place_at

    return place_at(text)


GamesFolder = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        show_default=False,
        parser=run_place,
        help="Keep the games in this folder, or object store (s3://BUCKET/NAME): what is there is "
        "not played again.",
    ),
]
PlayerCount = Annotated[
    int | None,
    typer.Option(
        "--players",
        "-p",
        metavar="N",
        show_default=False,
        help="Number of players.  [default: the game's default]",
    ),
]
Port = Annotated[
    int,
    typer.Option(
        "--port", metavar="PORT", min=0, max=65535, help="The port to listen at; 0: any free one."
    ),
]
Host = Annotated[
    str,
    typer.Option(
        "--host",
        metavar="HOST",
        help="The address to listen at; 0.0.0.0 lets other machines connect.",
    ),
]
JsonOnly = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")]


def json_file(explanation: str) -> typer.models.OptionInfo:
    """The option of a file to which a document is written as JSON."""
    option: typer.models.OptionInfo = typer.Option(
        "--json", metavar="FILE", show_default=False, help=explanation
    )
    return option


@dataclass(frozen=True)
class WorkerOptions(OptionGroup):
    """The workers or the cluster that play the games of a run."""

    workers: Workers = None
    on: Cluster = None

    @property
    def all(self) -> int | str | None:
        """The keywords for a runner: the number of workers, or the cluster."""
        return self.on or self.workers


AGENTS_HELP = (
    "Who plays, such as 'random' or 'mcts:iterations=500,c=0.7'. For several repeat the option, "
    "or separate them by spaces, '+' or ';' within quotes; the last one fills the remaining "
    "seats. 'A=osla B=random' names sides of the table, 'white=osla' a role, '3=osla' a seat. "
    "'kibitz agents' lists them.  [default: random]"
)


def agents_option(purpose: str) -> Any:
    """The option ``--agents`` of a command; `purpose` is its help, with the default."""
    return typer.Option("--agents", "-a", metavar="AGENT", show_default=False, help=purpose)


Agents = Annotated[list[str] | None, agents_option(AGENTS_HELP)]


def checked_seed(seed: int | None) -> int | None:
    """Checks a seed, and returns it.

    Raises:
        ParameterError: it has more than 64 bits.
    """
    if seed is not None:
        check_seed(seed)
    return seed


# --- games --------------------------------------------------------------------------------


def find_game(spec: str) -> Game:
    """Loads a game as ``kibitz.loading.load`` does, and announces compilations.

    Raises:
        UnknownGameError: there is no such game or file.
        FileError: the file cannot be used.
        GameDefinitionError: the named code has no such game, or does not run.
    """
    from kibitz import loading

    terminal.announce_compilations()
    return loading.load(spec)


# --- tables -------------------------------------------------------------------------------


def prepare_rules(game: T) -> T:
    """Prepares a game's rules, and says so if it takes long; returns the game."""
    with terminal.notice_if_slow(f"Preparing the rules of {game.title}, which takes a while ..."):
        _ = game.evaluation
    return game


@dataclass(frozen=True)
class SettingOptions(OptionGroup):
    """The parameters of a game that a person gave; those of `settings` override the file's."""

    settings: Settings = None
    parameters: ParametersFile = None

    def values(self) -> dict[str, Any]:
        """The parameters by name.

        Raises:
            ParameterError: a setting is not of the form ``name=value``.
            FileError: the file cannot be used.
        """
        if not (self.settings or self.parameters):
            return {}
        from kibitz.core.parameters import read_assignments, read_json_object

        values: dict[str, Any] = dict(read_json_object(self.parameters)) if self.parameters else {}
        return values | read_assignments(self.settings or ())

    def table(self, game: Game, players: int | None) -> Table:
        """The table of a game; prints a warning if play will be slow.

        Raises:
            ParameterError: a name, a value or a combination is not allowed.
            FileError: the file cannot be used.
            GameDefinitionError: the smoke test of a game that does not come with Kibitz failed.
        """
        from kibitz.core.errors import check_names

        values = self.values()
        check_names(values, game.Parameters.known_names())
        slowness = prepare_rules(game).slowness
        if slowness:
            terminal.say(slowness)
        return game.table(players, values)

    def drawn(self, game: Game, randomize: bool) -> tuple[str, ...]:
        """The names of the parameters that each game draws, with ``--randomize``.

        Raises:
            ParameterError: there is nothing to draw.
        """
        if not randomize:
            return ()
        from kibitz.runs.randomized import names_to_draw

        return names_to_draw(game, self.values())


@dataclass(frozen=True)
class ParameterOptions(SettingOptions):
    """The parameters of a game that a person gave, and whether it is played with open hands."""

    open: Open = False

    def values(self) -> dict[str, Any]:
        """The parameters by name; ``--open`` overrides the others.

        Raises:
            ParameterError: a setting is not of the form ``name=value``.
            FileError: the file cannot be used.
        """
        return super().values() | ({"open": True} if self.open else {})


def describe_table(table: Table) -> str:
    """The game, its number of players, and the parameters that are not defaults, in a line."""
    seats = f"{table.players} player{'s' if table.players > 1 else ''}"
    title = table.game.title or table.game.name
    return ", ".join([title, seats, *changed_parameters(table)])


def changed_parameters(table: Table) -> list[str]:
    """The parameters that are not defaults, as ``--set`` takes them."""
    changed = table.parameters.changed(table.players)
    return [f"{name}={value}" for name, value in changed.items()]


# --- agents -------------------------------------------------------------------------------


def player_count(game: Game, agents: Sequence[object], players: int | None) -> int | None:
    """The number of players for these agents; ``None`` for the game's default.

    Fewer agents than a game needs leave it at its default; the last one fills the other seats. So
    do agents for a place.
    """
    from kibitz.core.agent import is_placed

    if any(is_placed(agent) for agent in agents):
        return players
    if players is not None or len(agents) < max(2, game.players[0]):
        return players
    return len(agents)

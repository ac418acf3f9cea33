"""``kibitz picture``: a table as one player sees it, as an SVG."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli import terminal
from kibitz.cli.groups import OptionGroup
from kibitz.cli.options import (
    Agents,
    Players,
    RecordedGame,
    Seed,
    SettingOptions,
    find_game,
    player_count,
)
from kibitz.cli.records import recorded_states
from kibitz.core.errors import ParameterError

if TYPE_CHECKING:
    from kibitz.core.state import State


@dataclass(frozen=True)
class ViewOptions(OptionGroup):
    """Who looks at the table, and how wide the picture is."""

    seat: Annotated[
        int | None,
        typer.Option(
            "--seat",
            metavar="PLAYER",
            min=1,
            show_default=False,
            help="Whose view it is, from 1.  [default: that of the player to move]",
        ),
    ] = None
    everything: Annotated[
        bool, typer.Option("--open", help="Show everything, hidden cards included.")
    ] = False
    width: Annotated[
        int, typer.Option("--width", metavar="PIXELS", help="How wide; a phone has 390.")
    ] = 960

    def observer(self, state: State) -> int | None:
        """The player whose view it is, from 0; ``None`` if everything is shown.

        Raises:
            ParameterError: there is no such seat.
        """
        if self.seat is not None and self.seat > state.players:
            raise ParameterError(f"--seat {self.seat}: there are {state.players} players.")
        if self.everything:
            return None
        return state.current_player if self.seat is None else self.seat - 1


@dataclass(frozen=True)
class GameOptions(OptionGroup):
    """The game that is played, where the picture is not of a record."""

    agents: Agents = None
    players: Players = None
    seed: Seed = 0

    def state(self, game: str, parameters: SettingOptions, moves: int) -> State:
        """The state of a game between the agents after this number of actions.

        Raises:
            KibitzError: there is no such game, agent, parameter or number of players.
        """
        from kibitz.core.agent import agents_at, split_agents
        from kibitz.sessions import Session

        specs = split_agents(self.agents or "random")
        loaded = find_game(game)
        table = parameters.table(loaded, player_count(loaded, specs, self.players))
        session = Session(table, agents_at(table, specs), self.seed)
        while not session.is_over and session.state.tick < moves:
            session.advance()
        return session.state


def picture(
    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME|RECORD",
            show_default=False,
            help="A name that 'kibitz games' lists, a game of your own (FILE.rcy, FILE.kif, "
            "FILE.py or MODULE:CLASS), or the record of a game, RECORD.json.",
        ),
    ],
    recorded_game: RecordedGame = None,
    moves: Annotated[
        int | None,
        typer.Option(
            "--moves",
            "-m",
            metavar="N",
            min=0,
            show_default=False,
            help="Draw the table after N actions, of a match record after N joint moves, or at "
            "the end if that comes first.  "
            "[default: 0; of a record: its end]",
        ),
    ] = None,
    *,
    view: ViewOptions,
    options: GameOptions,
    parameters: SettingOptions,
    out: Annotated[
        str, typer.Option("--out", metavar="FILE", help="The SVG; '-' for standard output.")
    ] = terminal.STDOUT,
) -> None:
    """Draw a table as one player sees it, as an SVG.

    The file is for a page, a document or a browser.

    Cards, boards, counters and whose turn it is are drawn; what the player cannot know is not
    in the file. What can be done is lit up.

    Examples:
      kibitz picture hearts --out hearts.svg
      kibitz picture pandemic --players 3 --moves 30 --agents osla --out world.svg
      kibitz picture game.json --moves 12 --seat 2 --width 390 --out phone.svg
      kibitz picture match.json tictactoe.kif --moves 3 --out match.svg
    """
    from kibitz.pictures import draw

    terminal.check_writable(out)
    if game.lower().endswith(".json"):
        state = _recorded(Path(game), recorded_game, moves)
    elif recorded_game is not None:
        raise ParameterError(f"{recorded_game}: a second game is for records, RECORD.json.")
    else:
        state = options.state(game, parameters, moves or 0)
    terminal.write_file(out, draw(state, view.observer(state), width=view.width).svg)


def _recorded(file: Path, game: str | None, moves: int | None) -> State:
    """The state of a recorded game after some moves, or its last one."""
    last, states = recorded_states(file, game)
    number = last if moves is None else min(moves, last)
    state = next(islice(states, number, None))
    if number == last:
        deque(states, 0)  # how the game ended is checked, too
    return state

"""``kibitz record`` and ``kibitz replay``: single games, move by move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli import terminal
from kibitz.cli.groups import OptionGroup
from kibitz.cli.options import (
    Agents,
    GameName,
    Loops,
    ParameterOptions,
    Players,
    Randomize,
    RecordedGame,
    Seed,
    find_game,
    json_file,
    player_count,
)
from kibitz.cli.records import match_and_rules, read_record, table_of
from kibitz.core.interrupt import deferred, exit_code
from kibitz.core.wording import counted

if TYPE_CHECKING:
    from kibitz.core.game import Table
    from kibitz.core.state import State
    from kibitz.sessions.records import Move, Record, Result
    from kibitz.sessions.transcript import Transcript


@dataclass(frozen=True)
class OutputOptions(OptionGroup):
    """The files in which a game is kept."""

    json: Annotated[
        str | None,
        json_file("Write the record as JSON; '-' for standard output, without the transcript."),
    ] = None
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="FILE",
            show_default=False,
            help="Keep the game here: a record for 'kibitz replay' if the name ends in .json, "
            "else the transcript, which is then not shown.",
        ),
    ] = None

    def check(self) -> None:
        """Checks that the files can be written.

        Raises:
            FileError: one of them cannot.
        """
        terminal.check_writable(self.json)
        terminal.check_writable(self.out)

    @property
    def transcript(self) -> str | None:
        """The file of the transcript, if that is not shown."""
        return self.out if self.out is not None and not _is_json(self.out) else None

    @property
    def shows(self) -> bool:
        """Whether there is a transcript, shown or in a file."""
        return self.transcript is not None or self.json != terminal.STDOUT

    def write(self, record: Record) -> None:
        """Writes the record into the files that take one.

        Raises:
            FileError: one of them cannot be written.
        """
        for path in (self.json, self.out if _is_json(self.out) else None):
            if path == terminal.STDOUT:
                terminal.print_json(record.to_json())
            elif path is not None:
                record.write(Path(path))


def _is_json(path: str | None) -> bool:
    return path is not None and path.lower().endswith(".json")


class _Teller:
    """Shows the transcript of a game as it is played, or writes it into a file at its end."""

    def __init__(self, transcript: Transcript, file: str | None) -> None:
        self._transcript = transcript
        self._file = file
        self._lines: list[str] = []

    def follow(self, state: State, move: Move | None) -> None:
        """Tells of the beginning, or of a move that led to a state."""
        if move is None:
            self._tell(self._transcript.heading())
        self._tell(self._transcript.step(state, move))

    def end(self, result: Result) -> None:
        """Tells of the end.

        Raises:
            FileError: the file cannot be written.
        """
        self._tell(self._transcript.ending(result))
        if self._file is not None:
            terminal.write_file(self._file, "\n".join(self._lines))

    def _tell(self, lines: Iterator[str]) -> None:
        if self._file is not None:
            self._lines.extend(lines)
        else:
            for line in lines:
                terminal.print_text(line)


def record(
    game: GameName,
    agents: Agents = None,
    players: Players = None,
    seed: Seed = 0,
    randomize: Randomize = False,
    *,
    parameters: ParameterOptions,
    loops: Loops = None,
    output: OutputOptions,
) -> None:
    """Play one game between agents, and show it move by move.

    A playtest reports the seeds of games that went wrong; this command shows such a game.

    Examples:
      kibitz record tic-tac-toe --seed 3
      kibitz record love-letter --players 4 --set tokens_to_win=1 --out game.json
      kibitz record love-letter --agents "ismcts random random" --out game.txt
      kibitz record love-letter --json -
    """
    from kibitz.core.agent import agents_at, split_agents
    from kibitz.sessions.recording import attempt_game, raise_failure
    from kibitz.sessions.transcript import Transcript

    output.check()
    specs = split_agents(agents or "random")
    loaded = find_game(game)
    table = parameters.table(loaded, player_count(loaded, specs, players))
    if drawn := parameters.drawn(loaded, randomize):
        table = _drawn_table(table, drawn, seed)
    seated = agents_at(table, specs)
    transcript = Transcript(table, [agent.label for agent in seated], seed)
    teller = _Teller(transcript, output.transcript)
    with deferred():
        follow = teller.follow if output.shows else None
        result, raised = attempt_game(table, seated, seed, loops, follow)
        unseen = raised if isinstance(raised, OSError) and result.result.culprit is None else None
        if raised not in (None, unseen) and not isinstance(raised, KeyboardInterrupt):
            raise_failure(table, result, raised)
        output.write(result)
        if unseen is not None:
            raise unseen
        if output.shows:
            teller.end(result.result)
    if isinstance(raised, KeyboardInterrupt):
        terminal.say(f"\nStopped after {counted(len(result.moves), 'action')}.")
        raise typer.Exit(exit_code())


def _drawn_table(table: Table, drawn: Sequence[str], seed: int) -> Table:
    """The table of the game with this seed, for which these parameters are drawn."""
    from kibitz.runs.randomized import parameters_of

    game, fixed = table.game, table.parameters.as_dict()
    return game.table(table.players, parameters_of(game, table.players, fixed, drawn, seed))


def replay(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", show_default=False, help="A record of a game.")
    ],
    game: RecordedGame = None,
    step: Annotated[
        bool, typer.Option("--step", help="Show one state at a time; Enter goes on.")
    ] = False,
) -> None:
    """Replay a recorded game through the rules, and show it.

    Every move and the result are checked, so a record also shows when rules have changed.
    A game of your own in RECYCLE or GDL is replayed by the rules in the record.

    Match records of general game playing are read whichever game manager wrote them; the board
    is shown after every step. Exit code 1: such a record contradicts the rules.

    Examples:
      kibitz replay game.json
      kibitz replay game.json --step
      kibitz replay game.json src/my_game/rules.py
      kibitz replay match.json tictactoe.kif    a match from another game manager
    """
    from kibitz.cli.ggp.replay import replay_match
    from kibitz.sessions.recording import verify
    from kibitz.sessions.records import Record
    from kibitz.sessions.transcript import transcript_lines

    recorded = read_record(file)
    if not isinstance(recorded, Record):
        match, rules = match_and_rules(recorded, game)
        replay_match(match, rules, from_record=game is None and bool(match.rules), step=step)
        return
    table = table_of(recorded, game)
    if step:
        show_steps(recorded, table)
    else:
        verify(recorded, table)
        for line in transcript_lines(recorded, table):
            terminal.print_text(line)


def show_steps(record: Record, table: Table) -> None:
    """Shows one state after the other, until the end or until the person stops."""
    from kibitz.sessions.recording import replay as replayed
    from kibitz.sessions.transcript import update_lines
    from kibitz.sessions.updates import Update

    before: State | None = None
    for number, state in enumerate(replayed(record, table)):
        if before is not None:
            update = Update(record.moves[number - 1], before, state)
            terminal.print_text("\n".join(update_lines(number, update)) + "\n")
        before = state
        terminal.print_text(f"{state.describe()}\n")
        if not terminal.goes_on(number, len(record.moves), state.is_terminal):
            return
    terminal.print_lines(f"The record ends here: {record.result.status}.")

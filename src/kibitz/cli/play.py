"""``kibitz play``: a person at the console against agents.

The game is a session (``kibitz.sessions``) in which the person's seat has no agent; ``HumanAgent``
asks the person. A game that is kept and resumed later continues as if never interrupted; only
agents that learn during a game start learning again.
"""

from __future__ import annotations

import contextlib
import secrets
import shlex
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli import terminal
from kibitz.cli.groups import OptionGroup
from kibitz.cli.options import (
    GameName,
    ParameterOptions,
    Players,
    changed_parameters,
    checked_seed,
    describe_table,
    find_game,
)
from kibitz.core.errors import AgentError, FileError, GameLeftError, ParameterError
from kibitz.core.interrupt import Interrupted, allowed, deferred, exit_code, watch_end
from kibitz.core.wording import counted, listed, player_name, printable, wrapped

if TYPE_CHECKING:
    from kibitz.core.agent import Agent
    from kibitz.core.game import Game, Table
    from kibitz.core.state import State
    from kibitz.players.human import HumanAgent
    from kibitz.sessions.session import Session


@dataclass(frozen=True)
class SeatingOptions(OptionGroup):
    """Who sits where in a new game, and its seed."""

    players: Players = None
    seat: Annotated[
        int, typer.Option("--seat", metavar="K", help="Your seat; 1 is the first.")
    ] = 1
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            metavar="AGENT",
            help="Who sits in the other seats: one for all, or one each, written as for "
            "'kibitz playtest --agents'.  [default: the game's default agent, mostly "
            "kibitz; see 'kibitz show GAME']",
            show_default=False,
        ),
    ] = None
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="S",
            callback=checked_seed,
            show_default=False,
            help="The game's seed.  [default: a random one]",
        ),
    ] = None

    def session(self, game: Game, parameters: ParameterOptions) -> Session:
        """A session of a new game.

        Raises:
            ParameterError: there is no such seat, or a parameter is wrong.
            AgentError: there is no such agent, or not one for each seat.
        """
        from kibitz.core.agent import split_agents
        from kibitz.sessions.session import Session

        others = split_agents(self.against or game.default_agent)
        players = self.players
        if players is None and len(others) > 1:
            players = len(others) + 1
        table = parameters.table(game, players)
        seed = secrets.randbelow(10**6) if self.seed is None else self.seed
        return Session(table, seat_agents(table, self.seat, others), seed)


@dataclass(frozen=True)
class PersonOptions(OptionGroup):
    """How a person plays at the console."""

    hint: Annotated[
        str | None,
        typer.Option(
            "--hint",
            metavar="AGENT",
            help="Who gives hints when you type h.  [default: the game's default agent]",
            show_default=False,
        ),
    ] = None
    quick: Annotated[
        bool, typer.Option("--quick", help="Send an action as soon as it is chosen.")
    ] = False

    def person(self) -> HumanAgent:
        """The agent that asks the person.

        Raises:
            AgentError: there is no agent of that name to give hints.
        """
        from kibitz.core.agent import make_agent
        from kibitz.players.human import HumanAgent

        if self.hint is not None:
            make_agent(self.hint)  # reports a mistake now, not in the middle of the game
        return HumanAgent(
            _ask,
            terminal.print_lines,
            hint=self.hint,
            quick=self.quick,
            width=terminal.width(),
            check_file=_check_new,
            undo=True,
        )


def play(
    game: GameName,
    *,
    seating: SeatingOptions,
    parameters: ParameterOptions,
    options: PersonOptions,
    keep: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="FILE",
            show_default=False,
            help="Keep the game in this file, to replay or resume it.",
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            "--resume",
            metavar="FILE",
            show_default=False,
            help="Resume the game in this file, and keep it there. The file has its players, "
            "seed, settings and opponents.",
        ),
    ] = None,
) -> None:
    """Play a game yourself, against agents.

    You see what your player may see. Choose by number or by words, take a choice back
    before it is sent, ask for a hint; ? explains how.

    Examples:
      kibitz play tic-tac-toe
      kibitz play love-letter --players 3 --seat 2 --seed 7
      kibitz play love-letter --against "random + mcts:iterations=500"
      kibitz play love-letter --resume my-game.json
    """
    terminal.check_writable(keep)
    watch_end(sys.stdin, signal.SIGHUP)
    person = options.person()
    loaded = find_game(game)
    if resume is not None:
        session = resume_session(loaded, resume)
        keep = keep or str(resume)
    else:
        session = seating.session(loaded, parameters)
    Console(session, person).play(shlex.quote(game), keep)


def _ask(prompt: str) -> str:
    """Reads a line, with editing and a history if the terminal and the system have them.

    Raises:
        EOFError: the input has ended.
    """
    if sys.stdin.isatty():
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401
        return input(printable(prompt))
    print(printable(prompt), end="", flush=True)
    line = sys.stdin.buffer.readline()  # past the decoder, which would hide unread input
    if not line:
        raise EOFError
    return line.decode(errors="replace").rstrip("\r\n")


def _check_new(path: str) -> None:
    """Checks that the game can be kept in a new file of this name.

    Raises:
        FileError: the file exists, or cannot be written.
    """
    terminal.check_writable(path, new=True)


def seat_agents(table: Table, seat: int, others: Sequence[str]) -> list[Agent | None]:
    """The agent of each seat: none in seat number `seat`, the others in order.

    Raises:
        ParameterError: there is no such seat.
        AgentError: there is neither one opponent nor one for each free seat.
    """
    from kibitz.core.agent import make_agent

    if not 1 <= seat <= table.players:
        raise ParameterError(f"Seat {seat} is not among 1 to {table.players}.")
    free = table.players - 1
    if len(others) not in (1, free):
        raise AgentError(f"{len(others)} opponents for {free} seats: give one, or one each.")
    agents: list[Agent | None] = [make_agent(others[i % len(others)]) for i in range(free)]
    return [*agents[: seat - 1], None, *agents[seat - 1 :]]


def resume_session(game: Game, file: Path) -> Session:
    """Resumes the game in a file.

    Raises:
        FileError: it is not a record of this game, is over, or no person played in it.
    """
    from kibitz.sessions.records import Record
    from kibitz.sessions.session import PERSON, Session

    record = Record.read(file)
    if record.game != game.name:
        raise FileError(f"{file}: is a game of {record.game}, not of {game.name}.")
    if record.agents.count(PERSON) != 1:
        raise FileError(f"{file}: nobody at a console played in it.")
    if record.result.status != "interrupted":
        raise FileError(f"{file}: that game is over; 'kibitz replay {file}' shows it.")
    return Session.resume(record, record.table(game))


@dataclass
class Console:
    """A session with a person at the console in its one free seat.

    Attributes:
        person: asks the person at the console.
    """

    session: Session
    person: HumanAgent

    def __post_init__(self) -> None:
        self.seat = self.session.agents.index(None)
        self.table = self.session.table

    @property
    def state(self) -> State:
        """The current state."""
        return self.session.state

    def play(self, game: str, keep: str | None) -> None:
        """Plays until the end, or until the person leaves; keeps the game, whatever ends it.

        Args:
            game: its name on a command line.
            keep: the file in which the game is kept, if any.

        Raises:
            FileError: the game cannot be kept.
            KibitzError: the game cannot go on.
            OSError: the terminal was closed.
            typer.Exit: a signal ended it.
        """
        leaving: BaseException | None = None
        with deferred():  # nothing gets between the game and its file
            try:
                allowed(self._play_on)
            except BaseException as problem:
                leaving = problem
            keep = getattr(leaving, "keep_in", "") or keep
            unkept = self._keep(keep) if keep else None
            with contextlib.suppress(OSError):  # nobody may be there to read it
                if leaving is None:
                    terminal.print_lines(self._ending())
                elif isinstance(leaving, GameLeftError | KeyboardInterrupt | OSError):
                    terminal.print_lines(self._farewell(game, None if unkept else keep))
                if keep and not unkept:
                    shown = shlex.quote(keep)
                    terminal.print_lines(
                        f"The game is kept in {keep}; to see it: kibitz replay {shown}"
                    )
                sys.stdout.flush()
        if unkept:
            raise unkept
        if isinstance(leaving, Interrupted):
            raise typer.Exit(exit_code())
        if leaving and not isinstance(leaving, GameLeftError | KeyboardInterrupt):
            raise leaving

    def _play_on(self) -> None:
        terminal.print_lines(wrapped(self._opening(), terminal.width()))
        while not self.session.is_over:
            self.step()

    def _keep(self, file: str) -> FileError | None:
        """Writes the game to a file; returns the error if that fails."""
        try:
            self.session.save(Path(file))
        except FileError as problem:
            return problem
        return None

    def step(self) -> None:
        """Plays one action, and tells the person of it."""
        from kibitz.players.human import TakenBack

        session = self.session
        if session.awaits is None:
            update = session.advance()
        else:
            try:
                choice = self.person.choose(session.determinize(self.seat))
            except TakenBack:
                self._take_back()
                return
            update = session.apply(choice)
        for event in update.events(self.seat):
            if event.kind == "action":
                # of others it might tell what they hold
                forced = update.move.forced and (update.move.player == self.seat or self._open)
                text = event.text + " (the only move)" * forced
                terminal.print_lines(wrapped(text, terminal.width()))
            else:
                terminal.print_lines(wrapped(f"--- {event.text}", terminal.width()))

    def _take_back(self) -> None:
        """Goes back to the person's last choice, if nothing has come to light since."""
        from kibitz.sessions.taking_back import NotTakenBackError

        try:
            move = self.session.take_back((self.seat,))
        except NotTakenBackError as problem:
            terminal.print_lines(str(problem))
        else:
            terminal.print_lines(f"Taken back: {move.words}. Choose again.")

    @property
    def _open(self) -> bool:
        """Whether everybody sees everything."""
        return int(self.table.record["slot_count"][0]) == 0

    def _opening(self) -> str:
        lines = [f"{describe_table(self.table)}; seed {self.session.seed}."]
        lines.append(f"You are player {self.seat + 1}{self._company()}.")
        if self.session.moves:
            lines.append(f"Going on after {len(self.session.moves)} actions.")
        else:
            lines += [f"--- {event.text}" for event in self.session.opening(self.seat)]
        return "\n".join(lines)

    def _agents(self) -> list[tuple[int, Agent]]:
        """The other agents, with their seats."""
        return [(p, agent) for p, agent in enumerate(self.session.agents) if agent is not None]

    def _company(self) -> str:
        """The opponents, as the end of a sentence."""
        labels = {p + 1: agent.label for p, agent in self._agents()}
        if len(set(labels.values())) == 1:
            label = next(iter(labels.values()))
            return f"; the other{'s are' if len(labels) > 1 else ' is'} {label}"
        return "".join(f", player {number} is {label}" for number, label in labels.items())

    def _ending(self) -> str:
        """The final state with everything open, and the result."""
        lines = ["", self.state.describe(), "", *results(self.state, self.seat)]
        return wrapped("\n".join(lines), terminal.width())

    def _farewell(self, game: str, keep: str | None) -> str:
        """How to resume the game, or to start it again."""
        lines = [f"\nYou left after {counted(self.state.tick, 'action')}."]
        if keep:
            lines.append(f"To go on: kibitz play {game} --resume {shlex.quote(keep)}")
        else:
            lines.append(f"To begin the same game again: kibitz play {game} {self._options()}")
            lines.append("To be able to go on another time, add --out FILE.")
        return "\n".join(lines)

    def _options(self) -> str:
        """The command-line options that start this game again."""
        others = [agent.label for _, agent in self._agents()]
        words = ["--players", str(self.table.players), "--seat", str(self.seat + 1)]
        words += ["--seed", str(self.session.seed)]
        for label in others[:1] if len(set(others)) == 1 else others:
            words += ["--against", label]
        for setting in changed_parameters(self.table):
            words += ["--set", setting]
        return shlex.join(words)


def results(state: State, seat: int) -> Iterator[str]:
    """The result of a finished game for the person, in words."""
    from kibitz.sessions.updates import score_line

    places = state.places()
    first = [p for p in range(state.players) if places[p] == 1]
    mine = next(side for side in state.table.sides if seat in side)
    if state.table.is_only_scored:
        yield state.headline()
    elif state.players == 1 or len(first) in (0, state.players):
        won = "You have won." if state.returns()[seat] > 0 else "You have lost."
        yield won if state.returns()[seat] else "A draw."
    elif seat in first:
        yield "You have won." if set(first) <= set(mine) else "You share the victory."
    else:
        winners = listed([player_name(p) for p in first])
        verb = "has" if len(first) == 1 else "have"
        yield f"{winners.capitalize()} {verb} won; you are number {places[seat]}."
    if any(state.scores()):
        yield f"Final scores: {score_line(state, seat)}."

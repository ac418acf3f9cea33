"""``kibitz play``: a person at the console against agents.

The person's seat is taken by ``HumanAgent``. What an agent decides depends on the seed and on
what has been played, so a game that is kept and gone on with later is the same game.
"""

from __future__ import annotations

import contextlib
import hashlib
import random
import secrets
import shlex
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli import terminal
from kibitz.cli.options import (
    GameName,
    ParametersFile,
    Players,
    Settings,
    changed_parameters,
    checked_seed,
    describe_table,
    find_game,
    find_table,
    split_agents,
)
from kibitz.core.errors import AgentError, FileError, LoopError, ParameterError
from kibitz.core.interrupt import Interrupted, allowed, deferred, exit_code, watch_end
from kibitz.core.wording import counted, listed, player_name, wrapped

if TYPE_CHECKING:
    from kibitz.agents.human import HumanAgent
    from kibitz.arena.record import Move, Record
    from kibitz.core.agent import Agent
    from kibitz.core.game import Game, Table
    from kibitz.core.state import State


def play(
    game: GameName,
    players: Players = None,
    seat: Annotated[
        int, typer.Option("--seat", metavar="K", help="Your seat; 1 is the first.")
    ] = 1,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            metavar="AGENT",
            help="Who sits in the other seats: one for all, or one each, written as for "
            "'kibitz playtest --agents'.  [default: whom the game names, mostly ismcts; "
            "'kibitz show GAME' tells]",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="S",
            callback=checked_seed,
            show_default=False,
            help="The game's seed.  [default: another one each time]",
        ),
    ] = None,
    settings: Settings = None,
    parameters: ParametersFile = None,
    hint: Annotated[
        str | None,
        typer.Option(
            "--hint",
            metavar="AGENT",
            help="Who gives hints when you type h.  [default: whom the game names]",
            show_default=False,
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Send an action as soon as it is chosen.")
    ] = False,
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
            help="Go on with a game that was kept, and keep it there. It knows its players, "
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
    from kibitz.agents.human import HumanAgent
    from kibitz.core.agent import make_agent

    terminal.check_writable(keep)
    watch_end(sys.stdin, signal.SIGHUP)
    if hint is not None:
        make_agent(hint)  # a wrong description is told now, not in the middle of the game
    person = HumanAgent(
        _ask, print, hint=hint, quick=quick, width=terminal.width(), check_file=_check_new
    )
    found = find_game(game)
    if resume is not None:
        session = resumed(found, resume, person)
        keep = keep or str(resume)
    else:
        others = split_agents(against, found.companion)
        if players is None and len(others) > 1:
            players = len(others) + 1
        table = find_table(found, players, settings, parameters)
        chosen = secrets.randbelow(10**6) if seed is None else seed
        session = Session(table, chosen, seated(table, person, seat, others))
    session.play(shlex.quote(game), keep)


def _ask(prompt: str) -> str:
    """Reads a line, with editing and a history where a terminal and the system have them.

    Raises:
        EOFError: there are no more.
    """
    if sys.stdin.isatty():
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401
        return input(prompt)
    print(prompt, end="", flush=True)
    line = sys.stdin.buffer.readline()  # past the decoder, which would hide what is unread
    if not line:
        raise EOFError
    return line.decode(errors="replace").rstrip("\r\n")


def _check_new(path: str) -> None:
    """Nobody leaves with a game that could not be kept where they said, or over another file.

    Raises:
        FileError: it could not.
    """
    terminal.check_writable(path, new=True)


def seated(table: Table, person: HumanAgent, seat: int, others: Sequence[str]) -> list[Agent]:
    """Who sits where: the person in seat number `seat`, the others around them in order.

    Raises:
        ParameterError: there is no such seat.
        AgentError: there are neither one nor as many others as seats left.
    """
    from kibitz.core.agent import make_agent

    if not 1 <= seat <= table.players:
        raise ParameterError(f"Seat {seat} is not among 1 to {table.players}.")
    free = table.players - 1
    if len(others) not in (1, free):
        raise AgentError(f"{len(others)} opponents for {free} seats: give one, or one each.")
    agents = [make_agent(others[i % len(others)]) for i in range(free)]
    for agent in agents:
        agent.check_game(table)
    return [*agents[: seat - 1], person, *agents[seat - 1 :]]


def resumed(game: Game, file: Path, person: HumanAgent) -> Session:
    """The game in a file, to be gone on with.

    Raises:
        FileError: it is none, one of another game, is over, or had no person in it.
    """
    from kibitz.arena.record import Record, verify
    from kibitz.core.agent import agent_from_text

    record = Record.read(file)
    if record.game != game.name:
        raise FileError(f"{file}: is a game of {record.game}, not of {game.name}.")
    if record.agents.count(person.label) != 1:
        raise FileError(f"{file}: nobody at a console played in it.")
    if record.result.status != "interrupted":
        raise FileError(f"{file}: that game is over; 'kibitz replay {file}' shows it.")
    table = record.table(game)
    verify(record, table)
    agents = [person if spec == person.label else agent_from_text(spec) for spec in record.agents]
    return Session(table, record.seed, agents, list(record.moves))


@dataclass
class Session:
    """One game with a person in it.

    Attributes:
        table: what is played.
        seed: of the game.
        agents: who sits where.
        moves: the actions so far; one beyond those that the state counts has not been played yet.
        state: where the game is. It is replaced, never changed, so that whatever comes up in an
            action leaves the state before it.
    """

    table: Table
    seed: int
    agents: list[Agent]
    moves: list[Move] = field(default_factory=list)

    def __post_init__(self) -> None:
        from kibitz.agents.human import HumanAgent

        self._forced_since: set[bytes] = set()
        self.seat = next(i for i, a in enumerate(self.agents) if isinstance(a, HumanAgent))
        self.state = self.table.new_state(self.seed)
        for move in self.moves:
            self.state.apply(move.action)

    def play(self, game: str, keep: str | None) -> None:
        """Plays until the end, or until the person leaves; whatever ends it, the game is kept.

        Args:
            game: what to call the game on a command line.
            keep: the file in which the game is kept, if any.

        Raises:
            FileError: the game cannot be kept.
            KibitzError: the game cannot go on.
            OSError: the terminal was closed.
            typer.Exit: a signal ended it.
        """
        from kibitz.agents.human import PersonLeft

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
                    print(self._ending())
                elif isinstance(leaving, PersonLeft | KeyboardInterrupt | OSError):
                    print(self._farewell(game, None if unkept else keep))
                if keep and not unkept:
                    shown = shlex.quote(keep)
                    print(f"The game is kept in {keep}; to see it: kibitz replay {shown}")
                sys.stdout.flush()
        if unkept:
            raise unkept
        if isinstance(leaving, Interrupted):
            raise typer.Exit(exit_code())
        if leaving and not isinstance(leaving, PersonLeft | KeyboardInterrupt):
            raise leaving

    def _play_on(self) -> None:
        print(wrapped(self._opening(), terminal.width()))
        for agent in self.agents:
            agent.start(self.table)
        while not self.state.is_terminal:
            self.step()

    def _keep(self, file: str) -> FileError | None:
        """Writes what has been played to a file; why this failed, if it did."""
        try:
            self.record().write(Path(file))
        except FileError as problem:
            return problem
        return None

    def step(self) -> None:
        """One action, and what everyone sees of it."""
        from kibitz.arena.record import Move

        state, player = self.state, self.state.current_player
        legal = state.legal_actions()
        forced = len(legal) == 1
        self._notice_loop(forced)
        action = legal[0] if forced else self.decide(player)
        move = Move(player, action, state.action_words(action), forced)
        after = state.clone()
        after.apply(action)
        self.moves[state.tick :] = [move]
        self.state = after
        open_to_all = int(state.table.record["slot_count"][0]) == 0
        told = move.told
        if not open_to_all:
            told = state.game.told(state, action, after, self.seat)
            if forced and player == self.seat:  # of others it might tell what they hold
                if move.words in told:
                    told = told.replace(move.words, move.told, 1)
                else:
                    told += move.told.removeprefix(move.words)
        if told:
            print(wrapped(f"{self._name(player)}: {told}", terminal.width()))
        for line in news(state, after, self.seat):
            print(line)

    def _notice_loop(self, forced: bool) -> None:
        """Breaks the game off where it only repeats itself, with neither choice nor chance.

        Raises:
            LoopError: it does.
        """
        if not forced:
            self._forced_since.clear()
        elif not self.table.game.timed:
            situation = self.state.clone()
            view = situation.view
            view.turn = view.round = view.tick = 0
            if bytes(situation) in self._forced_since:
                raise LoopError(
                    f"{self.table}: the game goes round in circles: it has been here before, and "
                    "nobody had a choice since.",
                    state=self.state.clone(),
                    seed=self.seed,
                )
            self._forced_since.add(bytes(situation))

    def decide(self, player: int) -> int:
        """What the agent in a seat chooses from what its player may know."""
        agent = self.agents[player]
        chance = random.Random(f"{self.seed} {self.state.tick} {player}")
        agent.random.seed(chance.getrandbits(60))
        choice = agent.choose(self.state.determinize(player, chance.getrandbits(60)))
        return self.state.parse_action(choice) if isinstance(choice, str) else int(choice)

    def record(self) -> Record:
        """What has been played so far; a game that is not over counts as interrupted."""
        from kibitz.arena.record import Record, Result

        state, over = self.state, self.state.is_terminal
        return Record(
            game=self.table.game.name,
            parameters=self.table.parameters.to_json(),
            players=self.table.players,
            agents=tuple(agent.label for agent in self.agents),
            seed=self.seed,
            moves=tuple(self.moves[: state.tick]),
            result=Result(
                status=state.status.name.lower() if over else "interrupted",
                places=tuple(state.places()),
                scores=tuple(state.scores()),
            ),
            final_state=hashlib.sha256(bytes(state)).hexdigest(),
        )

    def _name(self, player: int) -> str:
        return "You" if player == self.seat else f"Player {player + 1}"

    def _opening(self) -> str:
        lines = [f"{describe_table(self.table)}; seed {self.seed}."]
        lines.append(f"You are player {self.seat + 1}{self._company()}.")
        if self.moves:
            lines.append(f"Going on after {len(self.moves)} actions.")
        return "\n".join(lines)

    def _company(self) -> str:
        """Who the others are, to end a sentence."""
        labels = {p + 1: agent.label for p, agent in enumerate(self.agents) if p != self.seat}
        if len(set(labels.values())) == 1:
            label = next(iter(labels.values()))
            return f"; the other{'s are' if len(labels) > 1 else ' is'} {label}"
        return "".join(f", player {number} is {label}" for number, label in labels.items())

    def _ending(self) -> str:
        """The result, and the table with everything open."""
        lines = ["", self.state.describe(), "", *results(self.state, self.seat)]
        return wrapped("\n".join(lines), terminal.width())

    def _farewell(self, game: str, keep: str | None) -> str:
        """How to go on, or to begin again."""
        lines = [f"\nYou left after {counted(self.state.tick, 'action')}."]
        if keep:
            lines.append(f"To go on: kibitz play {game} --resume {shlex.quote(keep)}")
        else:
            lines.append(f"To begin the same game again: kibitz play {game} {self._options()}")
            lines.append("To be able to go on another time, add --out FILE.")
        return "\n".join(lines)

    def _options(self) -> str:
        """The command line's options that begin this game again."""
        others = [agent.label for p, agent in enumerate(self.agents) if p != self.seat]
        words = ["--players", str(self.table.players), "--seat", str(self.seat + 1)]
        words += ["--seed", str(self.seed)]
        for label in others[:1] if len(set(others)) == 1 else others:
            words += ["--against", label]
        for setting in changed_parameters(self.table):
            words += ["--set", setting]
        return shlex.join(words)


def news(before: State, after: State, seat: int) -> Iterator[str]:
    """What an action changed for all to see, besides the table: rounds, who is out, scores."""
    announced = after.game.announced
    if announced and after.view.round > before.view.round:
        yield f"--- Round {after.view.round} is over."
    for p in range(after.players):
        if after.view.seat[p].out and not before.view.seat[p].out and not after.is_terminal:
            yield f"--- {'You are' if p == seat else f'Player {p + 1} is'} out."
    if announced and after.scores() != before.scores() and not after.is_terminal:
        yield f"--- Scores: {score_line(after, seat)}."


def score_line(state: State, seat: int) -> str:
    """Everyone's score."""
    return ", ".join(
        f"{'you' if p == seat else f'player {p + 1}'} {score:g}"
        for p, score in enumerate(state.scores())
    )


def results(state: State, seat: int) -> Iterator[str]:
    """How a finished game ended for the person, in words."""
    places = state.places()
    first = [p for p in range(state.players) if places[p] == 1]
    if state.players == 1 or len(first) in (0, state.players):
        won = "You have won." if state.returns()[seat] > 0 else "You have lost."
        yield won if state.returns()[seat] else "A draw."
    elif seat in first:
        yield "You have won." if len(first) == 1 else "You share the victory."
    else:
        winners = listed([player_name(p) for p in first])
        verb = "has" if len(first) == 1 else "have"
        yield f"{winners.capitalize()} {verb} won; you are number {places[seat]}."
    if any(state.scores()):
        yield f"Final scores: {score_line(state, seat)}."

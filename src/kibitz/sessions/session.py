"""One game in progress: its agents, the observation and the events of each seat, its actions.

A session prints nothing and asks nobody. Its caller, which shows it to one person or to many,
applies the actions of people (``apply``), lets agents act (``advance``), and passes the events on
to each seat.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from kibitz.core.agent import Advice, Agent, agent_from_text, make_agent
from kibitz.core.changes import Event
from kibitz.core.errors import AgentError, FileError, LoopError, ParameterError, PlayError
from kibitz.core.game import Table
from kibitz.core.parameters import whole_number
from kibitz.core.randomness import check_game_seed
from kibitz.core.state import State, check_player
from kibitz.core.status import Status
from kibitz.loading import Playable, table_with_seats
from kibitz.players.seat import AgentSeat
from kibitz.sessions.kept_rules import KeptRules
from kibitz.sessions.recording import verify
from kibitz.sessions.records import Move, Record, Result, Streams
from kibitz.sessions.taking_back import NOTHING, OVER, NotTakenBackError, obstacle
from kibitz.sessions.telling import tell
from kibitz.sessions.updates import Update

PERSON = "human"
"""What a record calls whoever held a seat that no agent had."""


class Session:
    """One game in progress.

    Looking at it never waits for an agent that thinks: the state is replaced by the next one,
    never changed, and ``decide`` does not change it. Actions are for one thread at a time.

    Args:
        table: what is played; if it is no table yet, by as many players as there are seats.
        seats: for each seat an agent, or the description of one; ``None`` for a seat whose actions
            come from outside: those of a person or of a remote player.
        seed: of the game. The agents' random streams come from it as in a playtest.

    Attributes:
        table, seed: of the game, as passed.
        agents: seat by seat; ``None`` where no agent sits.
        state: where the game is, with everything open.

    Raises:
        AgentError: there are not as many seats as players, or an agent cannot play this game.
        ParameterError: the seed has more than 256 bits, or the number of players is not allowed.
    """

    def __init__(
        self, table: Playable, seats: Sequence[Agent | str | None], seed: int = 0
    ) -> None:
        if isinstance(seats, str) or not isinstance(seats, Sequence):
            raise ParameterError(
                f"seats = {seats!r} should be a list with an agent, or None, for each seat."
            )
        table = table_with_seats(table, len(seats))
        if len(seats) != table.players:
            raise AgentError(f"{len(seats)} agents cannot fill {table.players} seats.")
        check_game_seed(seed)
        self.table = table
        self.seed = seed
        self.agents = tuple(None if agent is None else make_agent(agent) for agent in seats)
        self._seats = [
            None if agent is None else AgentSeat(agent, table, p)
            for p, agent in enumerate(self.agents)
        ]
        for seat in self._seats:
            if seat is not None:
                seat.begin(seed)
        # What was played is as much of these as the state counts: whatever comes up in between,
        # an action was played or it was not.
        self._updates: list[Update] = []
        self._marks: list[Any] = []  # where the agent of a move's player was before it
        self._thought: tuple[int, Any, int] | None = None
        self._restarts: tuple[int, ...] = ()
        self._resumed_at = 0  # so many moves were played in earlier sittings
        self._detours: dict[int, Streams] = {}
        self._forced_since: set[bytes] = set()
        self.state = table.new_state(seed)
        self._start = self.state
        self._show(self.state)

    # -- playing ---------------------------------------------------------------------------

    @property
    def moves(self) -> list[Move]:
        """What was played."""
        return [update.move for update in self.updates]

    @property
    def updates(self) -> list[Update]:
        """The actions, each with the states before and after it."""
        return self._updates[: self.state.tick]

    @property
    def player(self) -> int:
        """The player to act, from 0."""
        return self.state.current_player

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.state.is_terminal

    @property
    def awaits(self) -> int | None:
        """The seat from which an action has to come; ``None``: ``advance`` goes on by itself."""
        if self.is_over or self.agents[self.player] is not None:
            return None
        return self.player if len(self.state.legal_actions()) > 1 else None

    def opening(self, seat: int | None = None) -> list[Event]:
        """The events for `seat` of what the rules did before the first decision."""
        if seat is not None:
            check_player(self._start, seat)
        changes = self.table.wording.opening(self._start, seat)
        return tell(changes, seat, self.table.players)

    def decide(self) -> int:
        """The action that the agent to move chooses; nothing is played.

        Asked again before anything is played it says the same.

        Raises:
            AgentError: no agent holds the seat, or it failed.
            KeyboardInterrupt: the search was interrupted; the session is unchanged.
            StoppedError: another thread called ``stop_deciding``; the same holds.
        """
        tick, seat = self.state.tick, self._seats[self.player]
        if seat is None:
            raise AgentError(f"Player {self.player + 1} is no agent: apply what they do.")
        if self._thought is not None and self._thought[0] == tick:
            return self._thought[2]
        mark = seat.binding.mark()
        try:
            action = seat.decide(self.state, self.state.legal_actions())
        except BaseException:
            seat.binding.go_back(mark)
            raise
        self._thought = tick, mark, action
        return action

    def stop_deciding(self) -> None:
        """Stops the agent that decides now in another thread: ``decide`` raises StoppedError.

        Without effect on agents in Python, and where none decides.
        """
        for seat in self._seats:
            if seat is not None:
                seat.binding.give_up()

    def advance(self) -> Update:
        """Plays the only legal action, or the choice of the agent to move.

        Raises:
            AgentError: an action has to come from outside, or an agent failed.
            PlayError: the rules broke off the game, or it goes round in circles.
        """
        legal = self.state.legal_actions()
        return self.apply(legal[0] if len(legal) == 1 else self.decide())

    def apply(self, action: int | str) -> Update:
        """Plays an action of whose turn it is, given as a number or in words.

        Raises:
            IllegalActionError: it is not legal now.
            UnknownNameError: the words describe no action.
            LoopError: the game only repeats itself, with neither choice nor chance.
            PlayError: the rules broke off the game. Nothing was played.
        """
        before = self.state
        number = before.action(action) if isinstance(action, str) else action
        after = before.clone()
        after.apply(number)
        forced = len(before.legal_actions()) == 1
        self._notice_loop(before, forced)
        move = Move(before.current_player, number, before.action_words(number), forced)
        update = Update(move, before, after)
        self._updates[before.tick :] = [update]
        self._marks[before.tick :] = [self._mark_before(before.tick)]
        self.state = after
        self._show(after)
        return update

    def _mark_before(self, tick: int) -> Any:
        """The mark of the agent to move from before it decided; ``None`` if it has not."""
        thought = self._thought
        return thought[1] if thought is not None and thought[0] == tick else None

    def _notice_loop(self, state: State, forced: bool) -> None:
        """Refuses to go on where the game only repeats itself."""
        if not forced:
            self._forced_since.clear()
        elif not self.table.game.timed:
            situation = state.clone()
            view = situation.view
            view.turn = view.round = view.tick = 0
            if bytes(situation) in self._forced_since:
                raise LoopError(
                    f"{self.table}: the game goes round in circles: it has been here before, and "
                    "nobody had a choice since.",
                    state=state.clone(),
                    seed=self.seed,
                )
            self._forced_since.add(bytes(situation))

    def undo(self, actions: int = 1) -> None:
        """Takes back the last actions, and resets the agents and their random streams with them.

        It does not ask what was revealed meanwhile; ``take_back``, for people who play, does.

        An agent that learns during a game learns anew. Before the point at which the game was
        resumed nobody knows how agents drew: there they go on as from that point, and the record
        says so.

        Raises:
            ParameterError: fewer actions were played, or it is no number of actions.
        """
        remaining = self.state.tick - whole_number("actions", actions)
        if remaining < 0:
            raise ParameterError(f"There are {self.state.tick} actions, not {actions}.")
        state = self._start
        self._show(state)
        for update in self._updates[:remaining]:
            state = update.after
            self._show(state)
        marks = [*zip((move.player for move in self.moves), self._marks, strict=False)][remaining:]
        marks.append((self.player, self._mark_before(self.state.tick)))
        for player, mark in reversed(marks):
            seat = self._seats[player]
            if seat is not None and mark is not None:
                seat.binding.go_back(mark)
        self._thought = None
        self._forced_since.clear()
        self._detours = {before: s for before, s in self._detours.items() if before <= remaining}
        took_over = any(
            not move.forced and self._seats[move.player] is not None
            for move in self.moves[remaining : self._resumed_at]
        )
        self.state = state
        if took_over:
            self._detours[remaining] = tuple(map(self._mark, range(self.table.players)))
        self._resumed_at = min(self._resumed_at, remaining)
        self._restart_agents()

    def obstacle(self, seats: Collection[int]) -> str:
        """Why the last choice of these seats may not be taken back; empty if it may be.

        It may not be if something hidden was revealed since, or chance was used; the reasons are
        those of ``kibitz.sessions.taking_back``.
        """
        if self.is_over:
            return OVER
        updates = self.updates
        last = _last_choice(updates, seats)
        people = [p for p, agent in enumerate(self.agents) if agent is None]
        return NOTHING if last is None else obstacle(updates[last:], people)

    def take_back(self, seats: Collection[int]) -> Move:
        """Goes back to the last choice of these seats, and returns it.

        Raises:
            NotTakenBackError: somebody would know more than before, or there was no choice.
        """
        reason = self.obstacle(seats)
        updates = self.updates
        last = _last_choice(updates, seats)
        if reason or last is None:
            raise NotTakenBackError(reason)
        self.undo(len(updates) - last)
        return updates[last].move

    def _show(self, state: State) -> None:
        """Shows a state to the agents that follow the game, each as its seat may know it.

        Where the game is over, all agents are told.
        """
        for seat in self._seats:
            if seat is not None:
                seat.watch(state)
                if state.is_terminal:
                    seat.end(state)

    def _restart_agents(self) -> None:
        """Makes all agents forget what they learned; their random streams go on."""
        tick = self.state.tick
        self._restarts = tuple(before for before in self._restarts if before < tick)
        if any(agent is not None and agent.learns for agent in self.agents):
            self._restarts += (tick,)
        for seat in self._seats:
            if seat is not None:
                seat.binding.go_back(seat.binding.mark())

    # -- looking ---------------------------------------------------------------------------

    def observation(self, seat: int) -> State:
        """What `seat` sees."""
        return self.state.observation(seat)

    def determinize(self, seat: int) -> State:
        """The state as `seat` may believe it to be, to think about; the same at each call."""
        return self.state.determinize(seat, self._aside(seat).getrandbits(60))

    def advise(self, agent: Agent | str | None = None) -> list[Advice]:
        """A hint for whose turn it is: what an agent thinks of the actions, best first.

        The game goes on as if nobody had asked.

        Args:
            agent: whose opinion; ``None``: the game's ``default_agent``.

        Raises:
            AgentError: the agent cannot play this game, or the game is over.
        """
        adviser = make_agent(agent or self.table.game.default_agent)
        adviser.check_game(self.table)
        seat = self.player
        generator = adviser.random.getstate()  # the adviser may hold a seat
        adviser.random.seed(self._aside(seat).getrandbits(60))
        try:
            return adviser.advise(self.determinize(seat))
        finally:
            adviser.random.setstate(generator)

    def _aside(self, seat: int) -> random.Random:
        """A random generator for hints and samples, which the game does not depend on."""
        return random.Random(f"{self.seed} {self.state.tick} {seat}")

    # -- keeping ---------------------------------------------------------------------------

    def record(self) -> Record:
        """What has been played; a game that is not over counts as interrupted."""
        state, over = self.state, self.is_over
        return Record(
            game=self.table.game.name,
            parameters=self.table.parameters.to_json(),
            players=self.table.players,
            agents=tuple(PERSON if agent is None else agent.label for agent in self.agents),
            seed=self.seed,
            moves=tuple(self.moves),
            result=Result(
                status=state.status.name.lower() if over else "interrupted",
                places=tuple(state.places()),
                scores=tuple(state.scores()),
            ),
            final_state=hashlib.sha256(bytes(state)).hexdigest(),
            streams=() if over else tuple(map(self._mark, range(self.table.players))),
            restarts=self._restarts,
            detours=tuple(sorted(self._detours.items())),
            rules=KeptRules.of(self.table.game),
        )

    def _mark(self, player: int) -> tuple[int, ...]:
        """The position of an agent in its random stream, by which a game is resumed."""
        seat = self._seats[player]
        if seat is None:
            return ()
        mark = seat.binding.mark()
        if self.player == player:  # what it has decided is yet to be played
            mark = self._mark_before(self.state.tick) or mark
        return tuple(seat.binding.mark_to_json(mark))

    def save(self, path: Path | str) -> None:
        """Writes the record to a file.

        Raises:
            FileError: it cannot be written.
        """
        self.record().write(path)

    @classmethod
    def resume(
        cls,
        record: Record,
        table: Table | None = None,
        seats: Sequence[Agent | str | None] | None = None,
    ) -> Session:
        """Goes on with a game that was kept, with its agents' random streams where they were.

        An agent that learns during a game learns anew.

        Args:
            record: of the game that goes on.
            table: where it was played; needed only for a game that is not registered.
            seats: who sits there now.  [default: the record's agents; nobody where a person sat]

        Raises:
            FileError: the game is over, or the record contradicts itself or the rules.
            IllegalActionError: a move is not legal.
            UnknownAgentError: there is no such agent.
        """
        if record.result.status != Status.INTERRUPTED.name.lower():
            raise FileError(f"{record.source}: that game is over.")
        table = record.table() if table is None else table
        verify(record, table)
        session = cls(table, _seats_of(record) if seats is None else seats, record.seed)
        for move in record.moves:
            session.apply(move.action)
        session._set_streams(record.streams, f"{record.source}: streams")
        session._restarts = record.restarts
        session._resumed_at = len(record.moves)
        session._detours = dict(record.detours)
        session._restart_agents()
        return session

    def _set_streams(self, streams: Streams, place: str) -> None:
        """Sets where the agents are in their random streams; `place` is for messages."""
        for p, (seat, numbers) in enumerate(zip(self._seats, streams, strict=False)):
            if seat is not None and numbers:
                try:
                    seat.binding.go_back(seat.binding.mark_from_json(numbers))
                except (ValueError, OverflowError) as problem:
                    raise FileError(f"{place}[{p}]: {problem}.") from None


def _last_choice(updates: Sequence[Update], seats: Collection[int]) -> int | None:
    """The number of actions before the last choice of these seats; ``None``: there was none."""
    moves = [update.move for update in updates]
    own = [n for n, move in enumerate(moves) if move.player in seats and not move.forced]
    return own[-1] if own else None


def _seats_of(record: Record) -> list[Agent | None]:
    """The agents that a record names."""
    return [None if label == PERSON else agent_from_text(label) for label in record.agents]


def play_again(record: Record, table: Playable | None = None) -> Session:
    """Plays a recorded game again with its agents, and checks that they decide as recorded.

    What people did is taken from the record.

    Args:
        record: of the game that is played again.
        table: where it was played; needed only for a game that is not registered.

    Raises:
        PlayError: an agent decides otherwise; says in which move.
        IllegalActionError: a move is not legal.
        UnknownAgentError: there is no such agent.
    """
    session = Session(record.table(table), _seats_of(record), record.seed)
    detours = dict(record.detours)
    for number, move in enumerate(record.moves):
        if number in detours:
            place = f"{record.source}: detours after {number} moves"
            session._set_streams(detours[number], place)
        if number in record.restarts:
            session._restart_agents()
        if not move.forced and session.agents[session.player] is not None:
            action = session.decide()
            if action != move.action:
                words = session.state.action_words(action)
                raise PlayError(
                    f"{record.source}: move {number + 1}: {record.agents[session.player]} was to "
                    f"{move.words!r}, and now chooses {words!r}.",
                    state=session.state.clone(),
                    seed=record.seed,
                )
        session.apply(move.action)
    return session

"""Recording games, and replaying their records.

Replaying goes through the rules again, and checks each move and the state in which the game ends;
so a record also notices when rules change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from kibitz.arena.match import result_dtype
from kibitz.arena.worker import Worker, checked_loops
from kibitz.core.agent import Agent, Lineup, agents_at
from kibitz.core.errors import (
    AgentError,
    FileError,
    GameLeftError,
    IllegalActionError,
    KibitzError,
    PlayError,
)
from kibitz.core.game import Table
from kibitz.core.interrupt import deferred, run_interruptibly, take_pending
from kibitz.core.randomness import check_seed
from kibitz.core.state import State, new_state
from kibitz.core.status import Status, in_words
from kibitz.loading import Playable, find_table
from kibitz.sessions.kept_rules import KeptRules
from kibitz.sessions.records import Move, Record, Result, check_record

BROKEN_BY_MATCH = (
    Status.ILLEGAL_ACTION,
    Status.AGENT_ERROR,
    Status.INTERRUPTED,
    Status.LOOP,
    Status.SUSPECTED_LOOP,
)
"""How a match may end although the rules would have let it go on."""

# --- recording ----------------------------------------------------------------------------


def record(
    game: Playable,
    agents: Lineup = "random",
    seed: int = 0,
    *,
    players: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    loops: int | None = None,
) -> Record:
    """Plays one game and records it.

    >>> import kibitz
    >>> record = kibitz.record("love-letter", "osla", seed=7, players=2)
    >>> [state.tick for state in kibitz.replay(record)] == [*range(len(record.moves) + 1)]
    True

    A game of a batch is reproduced by its own seed and the agents in the order of their seats.

    Args:
        game: a game or what ``kibitz.load`` takes, such as its name; or a table.
        agents: one for each seat, or one for all; see ``kibitz.make_agent``.
        seed: of the game itself.
        players: how many sit at the table; by default as many as usual.
        parameters: the game's parameters by name; the rest keep their defaults.
        loops: the number of visits of a state at which a game is broken off as a suspected loop;
            0: never; by default as the game says.

    Raises:
        AgentError: an agent raised an exception, or cannot play this game.
        ParameterError: a number is out of range.
        KeyboardInterrupt: someone stopped the game. (``attempt_game`` keeps what was played.)
    """
    table = find_table(game, players, parameters)
    recorded, raised = attempt_game(table, agents_at(table, agents), seed, loops)
    if raised is not None:
        raise_failure(table, recorded, raised)
    return recorded


def raise_failure(table: Table, record: Record, raised: BaseException) -> NoReturn:
    """Raises the exception of ``attempt_game``; an agent's names the agent and the move.

    Raises:
        AgentError: an agent raised an exception.
        BaseException: the rules did, an agent left the game, or there was an interrupt: the same.
    """
    culprit = record.result.culprit
    if not isinstance(raised, Exception) or isinstance(raised, GameLeftError) or culprit is None:
        raise raised  # nobody's failure, or of the rules: they are in Python to be debugged
    cause = "" if isinstance(raised, KibitzError) else f"{type(raised).__name__}: "
    raise AgentError(
        f"Player {culprit + 1} ({record.agents[culprit]}) failed in move {len(record.moves) + 1} "
        f"of {table} from seed {record.seed}: {cause}{raised}"
    ) from raised


Follower = Callable[[State, Move | None], None]
"""Who looks on while a game is played: is called with the first state and ``None``, and then with
the state after each action and that action."""


def attempt_game(
    table: Table,
    agents: Sequence[Agent],
    seed: int,
    loops: int | None = None,
    follow: Follower | None = None,
) -> tuple[Record, BaseException | None]:
    """Plays one game; returns its record, and the exception of an agent, a rule or `follow`.

    An interrupt ends the game after a whole action, and so does an exception of `follow`.

    Raises:
        AgentError: an agent cannot play this game.
        ParameterError: the seed has more than 64 bits, or `loops` is out of range.
    """
    if len(agents) != table.players:
        raise AgentError(f"{len(agents)} agents cannot fill {table.players} seats.")
    check_seed(seed)
    stop = np.zeros(1, np.int64)
    recorder = _Recorder(table, Worker(table, agents, stop, checked_loops(table, loops)), seed)
    raised: BaseException | None = None
    with deferred():  # an interrupt ends the game, but does not get in between what is kept of it
        try:
            run_interruptibly(lambda: recorder.play(stop, follow), stop)
        except BaseException as problem:
            raised = problem
        exception = recorder.worker.take_exception()
        status = recorder.status
        if exception is not None and not isinstance(exception[1], KeyboardInterrupt):
            status = exception[0]
        elif exception is not None or status == Status.PLAYING:
            status = Status.INTERRUPTED
        state, culprit, refused = recorder.state, recorder.culprit, recorder.refused
        record = Record(
            game=table.game.name or type(table.game).__name__,
            parameters=table.parameters.to_json(),
            players=table.players,
            agents=tuple(agent.label or type(agent).__name__ for agent in agents),
            seed=seed,
            moves=tuple(recorder.moves),
            result=Result(
                status=status.name.lower(),
                places=tuple(state.places()),
                scores=tuple(state.scores()),
                culprit=culprit if culprit >= 0 else None,
                refused=None if refused is None else State(table).action_words(refused),
            ),
            final_state=_fingerprint(bytes(state), table, status),
            rules=KeptRules.of(table.game),
        )
        interrupt = take_pending()
    return record, interrupt or raised or (exception[1] if exception is not None else None)


class _Recorder:
    """Has the match loop play one game, pausing before every action, and notes what was played.

    Attributes:
        worker: has the match loop.
        moves: the actions that were played.
        state: after the last of these actions.
        refused: the illegal action that an agent chose in the end, or ``None``.
    """

    def __init__(self, table: Table, worker: Worker, seed: int) -> None:
        self.worker = worker
        self.moves: list[Move] = []
        self.state = State(table)
        self.refused: int | None = None
        self._table, self._seed = table, seed
        self._results = np.zeros(1, result_dtype(table.players))
        self._log = np.zeros(table.game.max_ticks + 1, np.int64)
        settings = {"results": self._results.ctypes.data, "result_size": self._results.itemsize}
        settings |= {"seed": seed, "exact_seed": 1, "rotate": 0}
        settings |= {"log": self._log.ctypes.data, "log_size": len(self._log)}
        for name, value in settings.items():
            worker.match[name] = value

    @property
    def status(self) -> Status:
        """The status of the game."""
        return Status(self._results["status"][0])

    @property
    def culprit(self) -> int:
        """The seat whose agent failed, or -1."""
        return int(self._results["culprit"][0])

    def play(self, stop: np.ndarray[Any, Any], follow: Follower | None) -> None:
        """Plays to the end, or until the stop word is set."""
        self._pause_at(0)
        move: Move | None = None
        with deferred(everywhere=True):  # rules that are not compiled may be asked for words
            interrupted = stop[0] or self.status == Status.INTERRUPTED
            self.state = self._set_up() if interrupted else self._found()
            if follow is not None:
                follow(self.state, None)
        while self.status == Status.PLAYING and not stop[0]:
            decisions = int(self._results["decisions"][0])
            self._pause_at(len(self.moves) + 1)
            with deferred(everywhere=True):
                move = self._note(decisions)
                if follow is not None and move is not None:
                    follow(self.state, move)

    def _pause_at(self, tick: int) -> None:
        """Plays on until `tick` actions have been played."""
        self.worker.match["pause_at"] = tick
        self.worker.match["resume"] = int(tick > 0)
        self.worker.play(0, 1)

    def _set_up(self) -> State:
        """The first state, in spite of an interrupt that may have come before there was one."""
        try:
            return new_state(self._table, self._seed)
        except Exception:  # the rules break off the game here
            return State(self._table)

    def _found(self) -> State:
        """The state where the match loop is."""
        state = State(self._table, self.worker.state_bytes(), self._seed)
        if self.status == Status.INTERRUPTED:
            state.view.status = Status.PLAYING
        return state

    def _note(self, decisions: int) -> Move | None:
        """Notes the action that was played, if one was.

        Args:
            decisions: how many were made before it.
        """
        before, number = self.state, len(self.moves)
        if self._results["ticks"][0] == number:  # nothing was played; the match keeps the state
            if self.status not in BROKEN_BY_MATCH:
                self.state = self._found()
            if self.status == Status.ILLEGAL_ACTION:
                self.refused = int(self._log[number])
            return None
        action = int(self._log[number])
        forced = int(self._results["decisions"][0]) == decisions
        move = Move(before.current_player, action, before.action_words(action), forced)
        self.state = self._found()
        self.moves.append(move)
        return move


def _fingerprint(content: bytes, table: Table, status: Status | None = None) -> str:
    """The SHA-256 of a state; one in which the match was broken off counts as being played."""
    if status in BROKEN_BY_MATCH:
        state = State(table, content)
        state.view.status = Status.PLAYING
        content = bytes(state)
    return hashlib.sha256(content).hexdigest()


# --- replaying ----------------------------------------------------------------------------


def replay(record: Record, table: Playable | None = None) -> Iterator[State]:
    """The states of a recorded game: before the first move, and after each.

    >>> import kibitz
    >>> *_, end = kibitz.replay(kibitz.record("tic-tac-toe", seed=1))
    >>> end.is_terminal
    True

    Every move is checked before it is played; the end is checked after the last state.

    Args:
        record: of the game that is replayed.
        table: where it was played; needed only for a game that is not registered.

    Raises:
        ParameterError: it is no record.
        IllegalActionError: a move is not legal; says which, and what would be.
        FileError: the record contradicts itself or the rules.
    """
    check_record(record)
    table = record.table(table)
    state = _played(new_state, table, record.seed)
    yield state.clone()
    for number, move in enumerate(record.moves, 1):
        _check_move(record, number, move, state)
        state = _played(_apply, state, move.action)
        yield state.clone()
    _check_end(record, state)


def verify(record: Record, table: Playable | None = None) -> None:
    """Replays a record to its end; raises what ``replay`` raises."""
    for _ in replay(record, table):
        pass


def _apply(state: State, action: int) -> State:
    state.apply(action)
    return state


def _played(play: Callable[..., State], *arguments: Any) -> State:
    """The state that ``play(*arguments)`` leads to, also where the rules break off the game."""
    try:
        return play(*arguments)
    except PlayError as problem:
        if problem.state is None:
            raise
        return problem.state


def _check_move(record: Record, number: int, move: Move, state: State) -> None:
    where = f"{record.source}: move {number}"
    legal: list[int] = []
    if state.status == Status.PLAYING:
        state = _played(_list_actions, state, legal)
    if move.action not in legal:
        words = state.table.wording.words_or_number(state, move.action)
        options = "; ".join(state.action_words(a) for a in legal[:20])
        more = f"; and {len(legal) - 20} more" if len(legal) > 20 else ""
        reason = f"legal: {options}{more}" if legal else _over(state)
        raise IllegalActionError(
            f"{where}: {words!r} is not legal for player {state.current_player + 1}; {reason}."
            f"{_changed_rules(record, state.table)}",
            state=state.clone(),
            seed=record.seed,
        )
    if move.player != state.current_player:
        raise FileError(
            f"{where}: is said to be player {move.player + 1}'s, but it is the turn of player "
            f"{state.current_player + 1}."
        )
    words = state.action_words(move.action)
    if move.words != words:
        raise FileError(
            f"{where}: action {move.action} is {words!r}, not {move.words!r}."
            f"{_changed_rules(record, state.table)}"
        )
    if move.forced != (len(legal) == 1):
        other = f"{len(legal)} moves are legal" if move.forced else "nothing else is legal"
        raise FileError(f"{where}: 'forced' is {str(move.forced).lower()}, but {other}.")


def broken_off(state: State) -> State:
    """The state itself; or that in which it breaks off.

    That is where its options cannot be listed, or where it is finished without a result.
    """
    if state.status == Status.FINISHED and not any(state.places()):  # as the match loop has it
        state = state.clone()
        state.view.status = Status.RULES_ERROR
    return _played(_list_actions, state, []) if state.status == Status.PLAYING else state


def _list_actions(state: State, legal: list[int]) -> State:
    legal += state.legal_actions()
    return state


def _over(state: State) -> str:
    if state.status == Status.FINISHED:
        return f"the game is over after {state.tick} moves"
    return f"the game broke off: {in_words(state.status)}"


def _check_end(record: Record, state: State) -> None:
    """Compares the last state with what the record says of it."""
    result = record.result
    status = Status[result.status.upper()]
    if status not in BROKEN_BY_MATCH:
        state = broken_off(state)
        _compare(record, state.table, "status", result.status, state.status.name.lower())
    elif state.status != status:  # rules can say themselves that they go round in circles
        _compare(record, state.table, "status", "playing", state.status.name.lower())
    _compare(record, state.table, "places", result.places, tuple(state.places()))
    _compare(record, state.table, "scores", result.scores, tuple(state.scores()))
    fingerprint = _fingerprint(bytes(state), state.table, status)
    _compare(record, state.table, "final_state", record.final_state, fingerprint)


def _changed_rules(record: Record, table: Table) -> str:
    """How the rules differ from those of the record, as a sentence to be added to another one."""
    changed = record.rules.changed_in(table.game)
    return f" {changed}" if changed else ""


def _compare(
    record: Record, table: Table, member: str, recorded: object, replayed: object
) -> None:
    if recorded != replayed:
        changed = _changed_rules(record, table)
        reason = (
            f", or the rules have changed since Kibitz {record.version}." if not changed else "."
        )
        raise FileError(
            f"{record.source}: after its {len(record.moves)} moves the game's {member} should be "
            f"{recorded}, but replaying gives {replayed}: the record was edited{reason}{changed}"
        )

"""`Steps`: a game in GDL played by joint moves, as in the GGP protocol.

At a table the roles decide one after another, and roles without a choice are skipped. Here every
role has its legal moves, and a step takes one move of each role.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from kibitz.core.actions import ACTION_LIST, MAX_ACTIONS
from kibitz.core.errors import (
    FullBufferError,
    GameDefinitionError,
    IllegalActionError,
    PlayError,
    UnknownNameError,
)
from kibitz.core.game import Table
from kibitz.core.layout import HEADER
from kibitz.core.memory import INT64, Address, array_at, record_at
from kibitz.core.native import Export, compile_native
from kibitz.core.state import State
from kibitz.core.status import Status
from kibitz.gdl.components import QUARTERS
from kibitz.gdl.evaluator import (
    BROKEN,
    CONTEXT,
    INT32,
    Context,
    begin_step,
    count_legal,
    holds,
    list_legal,
    load_facts,
    load_goals,
    make_step,
    popcount,
    propagate,
    set_move,
)
from kibitz.gdl.histories import make_remembered_step
from kibitz.gdl.native import GdlRules
from kibitz.gdl.percepts import percepts_number
from kibitz.gdl.reader import read_term
from kibitz.gdl.rules import Term, kif


def legal_moves(context: Address, state: Address, role: int, actions: Address) -> int:
    """Lists the legal moves of a role, current or not; returns their number."""
    c = record_at(context, CONTEXT)
    load_facts(c, state + c.facts_at)
    return list_legal(c, role, record_at(actions, ACTION_LIST))


def step(context: Address, state: Address, moves: Address) -> None:
    """Makes a step with one move for each role."""
    c = record_at(context, CONTEXT)
    commit_all(c, state, moves)
    make_step(c, state)
    record_at(state, HEADER).tick += 1
    begin_step(c, state)


def commit_all(c: Context, state: Address, moves: Address) -> None:
    """Commits each role to its move."""
    load_facts(c, state + c.facts_at)
    chosen = array_at(moves, INT32, c.roles)
    commitments = array_at(state + c.commitments_at, INT32, c.roles)
    for role in range(c.roles):
        commitments[role] = 1 + chosen[role]


def goals(context: Address, state: Address, role: int, values: Address) -> int:
    """Lists all goal values of a role; returns their number."""
    c = record_at(context, CONTEXT)
    load_facts(c, state + c.facts_at)
    load_goals(c)
    buffer = record_at(values, ACTION_LIST)
    starts = array_at(c.goal_starts, INT32, c.roles + 1)
    count = 0
    for i in range(starts[role], starts[role + 1]):
        if count < MAX_ACTIONS and holds(c, array_at(c.goal_literals, INT32, 1)[i]):
            buffer.items[count] = array_at(c.goal_values, INT32, 1)[i]
            count += 1
    return count


def terminal(context: Address, state: Address) -> int:
    """Returns 1 if the state is terminal by its facts, or else 0."""
    c = record_at(context, CONTEXT)
    load_facts(c, state + c.facts_at)
    return 1 if holds(c, c.terminal) else 0


def remembered_step(context: Address, state: Address, moves: Address) -> None:
    """Makes a step with one move for each role, and writes it into all memories."""
    c = record_at(context, CONTEXT)
    commit_all(c, state, moves)
    room = make_remembered_step(c, state)
    record_at(state, HEADER).tick += 1
    begin_step(c, state)
    if not room:
        record_at(state, HEADER).status = Status.FULL_BUFFER


def percepts(context: Address, state: Address, moves: Address, role: int, into: Address) -> int:
    """Lists a role's percepts in a step with these moves; returns their number.

    A percept is listed as its place in the role's bits.
    """
    c = record_at(context, CONTEXT)
    load_facts(c, state + c.facts_at)
    chosen = array_at(moves, INT32, c.roles)
    top = 0
    for r in range(c.roles):
        top = set_move(c, r, chosen[r], top)
    if top > 0:
        propagate(c, top)
    buffer = record_at(into, ACTION_LIST)
    words = array_at(c.percept_words, INT32, c.roles + 1)
    bits = array_at(c.bits, INT64, 1)
    count = 0
    for w in range(words[role], words[role + 1]):
        remaining = bits[w]
        while remaining != 0 and count < MAX_ACTIONS:
            low = remaining & -remaining
            buffer.items[count] = 64 * (w - words[role]) + popcount(low - 1)
            count += 1
            remaining ^= low
    return count


def playout(context: Address, state: Address, most: int) -> int:
    """Plays random joint moves to the end of the game or for `most` steps; returns the steps."""
    c = record_at(context, CONTEXT)
    commitments = array_at(state + c.commitments_at, INT32, c.roles)
    for made in range(most):
        load_facts(c, state + c.facts_at)
        if holds(c, c.terminal):
            return made
        for role in range(c.roles):
            commitments[role] = 0
            if count_legal(c, role) == 0:
                return made
        make_step(c, state)
    return most


EXPORTS = {
    "legal_moves": Export(legal_moves, "iiiii", BROKEN),
    "step": Export(step, "viii", BROKEN),
    "remembered_step": Export(remembered_step, "viii", BROKEN),
    "percepts": Export(percepts, "iiiiii", BROKEN),
    "playout": Export(playout, "iiii", BROKEN),
    "goals": Export(goals, "iiiii", BROKEN),
    "terminal": Export(terminal, "iii", BROKEN),
}
"""The functions of `Steps` in native code, for games with a network."""


class Steps:
    """Plays joint moves at a table of a game in GDL. Moves have the numbers of the game's actions.

    Attributes:
        imperfect: whether players know only their moves and percepts: the rules define ``sees``.
        proved: the rule functions of the prover; ``None`` where there is a network.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        rules = table.rules
        assert isinstance(rules, GdlRules)
        self.rules = rules
        self.roles = len(rules.description.roles)
        self.imperfect = rules.imperfect
        self.proved = rules.proved
        if self.proved is not None:
            return
        addresses = compile_native("steps of games in GDL", EXPORTS)
        self._call = {name: e.bind(addresses[name]) for name, e in EXPORTS.items()}

    def legal(self, state: State, role: int) -> list[int]:
        """The legal moves of a role, even if it has no choice.

        Raises:
            GameDefinitionError: they are more than ``MAX_ACTIONS``.
        """
        if self.proved is not None:
            return list(self.proved.legal(state.address, role))
        return self._ask("legal_moves", state, role)

    def goals(self, state: State, role: int) -> list[int]:
        """The goal values of a role in a state; well-formed rules give one in a terminal state."""
        if self.proved is not None:
            return list(self.proved.goals(state.address, role))
        return self._ask("goals", state, role)

    def terminal(self, state: State) -> bool:
        """Whether the game is over."""
        if self.proved is not None:
            return bool(self.proved.terminal(state.address))
        with self.table.borrowed() as rules:
            return bool(self._call["terminal"](rules.context, state.address))

    def initial(self) -> State:
        """The initial state, even if the rules are violated in it."""
        try:
            return self.table.new_state()
        except PlayError as problem:
            if problem.state is None:
                raise
            return problem.state

    def play(self, state: State, moves: Sequence[int]) -> None:
        """Makes a step with one move for each role.

        Raises:
            IllegalActionError: a move is not legal now.
        """
        for role, move in enumerate(moves):
            if move not in self.legal(state, role):
                raise IllegalActionError(
                    f"{self.rules.actions.words(move)} is not a legal move of role "
                    f"{role + 1} here.",
                    state=state.clone(),
                    seed=state.seed,
                )
        if self.proved is not None:
            self.proved.step(state.address, moves)
            return
        joint_move = (ctypes.c_int32 * self.roles)(*moves)
        make = self._call["remembered_step" if self.imperfect else "step"]
        with self.table.borrowed() as rules:
            make(rules.context, state.address, ctypes.addressof(joint_move))

    # -- information -------------------------------------------------------------------------

    def percepts(self, state: State, moves: Sequence[int]) -> list[list[str]]:
        """The percepts of each role, in KIF, when these moves are made in a state.

        They are empty in games without ``sees``, where all roles know all moves.

        Args:
            moves: a legal move of each role.
        """
        if not self.imperfect:
            return [[] for _ in range(self.roles)]
        if self.proved is not None:
            perceived: list[list[Term]] = self.proved.percepts(state.address, moves)
        else:
            network = self.rules.network
            joint_move = (ctypes.c_int32 * self.roles)(*moves)
            perceived = [
                [
                    network.percepts[role][place][0]
                    for place in self._percept_places(state, joint_move, role)
                ]
                for role in range(self.roles)
            ]
        spelling = self.rules.description.spelling
        return [sorted(kif(percept, spelling) for percept in percepts) for percepts in perceived]

    def information(self, role: int) -> State:
        """The information state of a role at the start of the game, which `perceive` updates."""
        state = self.initial()
        self._leave_open(state, role)
        return state

    def perceive(self, state: State, role: int, move: int, percepts: Sequence[str]) -> None:
        """Updates a role's information state by a step: its own move and percepts.

        The state has only what the role knows; its facts are not set.
        ``state.determinize(role, seed)`` samples a state that is consistent with it.

        Args:
            state: the role's information state: that of `information`, updated by earlier steps.
            role: the number of the role, which is the current player afterwards.
            move: the number of the role's move, as an action.
            percepts: the role's percepts, in KIF.

        Raises:
            GameDefinitionError: the game has perfect information.
            IllegalActionError: the role cannot make this move in any state.
            UnknownNameError: a percept is not a term.
            FullBufferError: the memory has no room for another step.
        """
        rules, name = self.rules, self.table.game.name
        if not self.imperfect:
            raise GameDefinitionError(
                f"{name} has no `sees`: players are told all moves, so play them."
            )
        terms = [read_term(percept) for percept in percepts]
        for text, term in zip(percepts, terms, strict=True):
            if term is None:
                raise UnknownNameError(f"{text!r} is no percept: it cannot be read as a term.")
        actions = rules.actions
        known = 0 <= move < actions.total()
        own = kif(rules.description.roles[role], rules.description.spelling)
        if not known or actions.roles[move] != own:
            wording = state.action_words(move) if known else str(move)
            raise IllegalActionError(
                f"{wording} is no move of role {role + 1}.", state=state.clone()
            )
        step = state.view.memories[role].count // QUARTERS
        if step >= rules.capacity:
            raise FullBufferError(
                f"{name}: players can remember {rules.capacity} steps, and not another one.",
                state=state.clone(),
            )
        for r in range(self.roles):
            memory = state.view.memories[r]
            memory.count = QUARTERS * (step + 1)
            for i in range(QUARTERS):
                memory.seen[step, i] = 1 << r
        own = state.view.memories[role].entries
        own[step, 0] = 1 + move
        own[step, 1] = percepts_number(term for term in terms if term is not None)
        state.view.turn += 1
        state.view.tick += 1
        self._leave_open(state, role)

    def _leave_open(self, state: State, role: int) -> None:
        """Clears facts and committed moves, and makes the role the current player."""
        view = state.view
        for i in range(len(view.facts.bits)):
            view.facts.bits[i] = 0
        for r in range(self.roles):
            view.commitments.moves[r] = 0
        view.player = role

    def _percept_places(self, state: State, moves: Any, role: int) -> list[int]:
        buffer = ctypes.create_string_buffer(ACTION_LIST.itemsize)
        with self.table.borrowed() as rules:
            count = self._call["percepts"](
                rules.context,
                state.address,
                ctypes.addressof(moves),
                role,
                ctypes.addressof(buffer),
            )
        return list((ctypes.c_int64 * count).from_buffer(buffer, 16))

    def _ask(self, question: str, state: State, role: int) -> list[int]:
        buffer = ctypes.create_string_buffer(ACTION_LIST.itemsize)
        with self.table.borrowed() as rules:
            count = self._call[question](
                rules.context, state.address, role, ctypes.addressof(buffer)
            )
        if count < 0:
            description = self.rules.description
            relation, items = (
                ("goal", "goal values") if question == "goals" else ("legal", "legal moves")
            )
            raise GameDefinitionError(
                f"{description.place(relation)}: the role {description.roles[role]} has more than "
                f"{MAX_ACTIONS:,} {items} in a state: a move of many parts can be made in several "
                "steps."
            )
        return list((ctypes.c_int64 * count).from_buffer(buffer, 16))


def longest_of_random(table: Table, games: int, most: int) -> int:
    """The length of the longest of `games` random games, in steps, each stopped after `most`."""
    playout = Steps(table)._call["playout"]
    context = int(table.record["context"][0])
    try:
        states = [table.new_state(seed) for seed in range(games)]
    except PlayError:  # the rules are violated in the initial state
        return 0
    return max(playout(context, state.address, most) for state in states)

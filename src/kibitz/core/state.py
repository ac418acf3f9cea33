"""``State``: the state of a game as a Python object."""

from __future__ import annotations

import base64
import json
import operator
import struct
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.core.action_parts import ActionParts, Operand
from kibitz.core.chance import renew_chance
from kibitz.core.contract import REFUSED
from kibitz.core.errors import (
    DeadEndError,
    EndlessError,
    FileError,
    FullBufferError,
    IllegalActionError,
    LimitError,
    LoopError,
    ParameterError,
    PlayError,
    RulesError,
    UnknownNameError,
    did_you_mean,
)
from kibitz.core.layout import CHANCE, HEADER, SEAT, Instance, header_offset
from kibitz.core.randomness import (
    GAME_STREAM,
    MASK32,
    check_game_seed,
    check_seed,
    is_wide,
    seed_stream,
)
from kibitz.core.status import Status, in_words
from kibitz.core.view import RecordView
from kibitz.core.wording import listed

if TYPE_CHECKING:
    from kibitz.core.game import Table

_ERRORS: dict[int, tuple[type[PlayError], str]] = {
    Status.FULL_BUFFER: (FullBufferError, "a component or the list of actions is full"),
    Status.RULES_ERROR: (RulesError, "the rules reported an impossible situation"),
    Status.DEAD_END: (DeadEndError, "the player to move has no legal action"),
    Status.LIMIT: (LimitError, "the game exceeded the limit on its length"),
    Status.LOOP: (LoopError, "the game goes round in circles"),
    Status.SUSPECTED_LOOP: (LoopError, "the game seems to go round in circles"),
    Status.ENDLESS: (
        EndlessError,
        "the rules did not end before the next decision",
    ),
}


_INT32 = struct.Struct("=i").unpack_from
_PLAYER, _STATUS, _TICK, _SEATS = map(header_offset, ("player", "status", "tick", "seat"))
"""The offsets of what is read most often, as views are slow."""
_SEAT = struct.Struct("=" + "".join(SEAT[name].char for name in SEAT.names or ()))
assert _SEAT.size == SEAT.itemsize
_LAST_ACTION = 2**63 - 1

MOST_LISTED = 20
"""The maximum number of legal actions that an error message lists."""


class State:
    """One state of one game: a block of bytes, with methods to play and to show it.

    Made by ``game.new_state(...)``. Two states are equal when their bytes are, which includes
    the random stream: equal states have equal futures. Players are numbered from 0 here and
    from 1 in texts for people.

    Attributes:
        table: the game, its number of players and its parameters.
        seed: the seed that it was set up from; ``None`` if that is not known.
    """

    __slots__ = ("_address", "_block", "seed", "table")

    def __init__(
        self, table: Table, content: bytes | None = None, seed: int | None = None
    ) -> None:
        block = bytearray(table.state_size if content is None else content)
        if len(block) != table.state_size:
            raise ValueError(f"a state of {table} has {table.state_size} bytes, not {len(block)}")
        self._take(table, block, seed)

    def _take(self, table: Table, block: bytearray, seed: int | None) -> None:
        """Sets all attributes; `block` is never resized."""
        self.table = table
        self.seed = seed
        self._block = block
        self._address = table.address_of(block)

    # -- playing ----------------------------------------------------------------------------

    def legal_actions(self) -> list[int]:
        """The legal actions of the current player; empty once the game is over.

        Raises:
            PlayError: the state is an observation.
            DeadEndError: the game is not over, and there is no legal action.
            FullBufferError: there are more actions than the list can hold.
        """
        if _INT32(self._block, _STATUS)[0]:  # as in is_terminal
            return []
        actions = self.table.legal_actions(self._address)
        if not actions:
            self.check_playable()
        return actions

    def apply(self, action: int | str | ActionParts) -> None:
        """Plays an action, given as a number, in words or by its parts.

        Raises:
            IllegalActionError: the action is not legal; the message lists legal ones. The state
                is unchanged.
            UnknownNameError: the words or parts describe no action.
            PlayError: the rules broke off the game, for the reason that the error's class names;
                or the state is an observation.
        """
        if type(action) is not int or not 0 <= action <= _LAST_ACTION:
            action = self._number(action)
        outcome = self.table.play(self._address, action)
        if outcome:  # the game does not just go on
            if outcome == REFUSED:
                raise self._not_legal(action)
            self.check_playable()

    def _number(self, action: Any) -> int:
        """The number of an action that is given in words, by its parts, or as another integer."""
        if isinstance(action, str | ActionParts):
            return self.action(action)
        try:
            number = operator.index(action)
        except TypeError:
            raise IllegalActionError(
                f"An action is a whole number, or words; {action!r} is neither.",
                state=self.clone(),
                seed=self.seed,
            ) from None
        if not 0 <= number <= _LAST_ACTION:
            raise self._not_legal(number)
        return number

    def _not_legal(self, number: int) -> IllegalActionError:
        """The error for a number that is no legal action.

        Raises:
            PlayError: the state is an observation.
        """
        legal = self.legal_actions()
        shown = self.table.wording.words_or_number(self, number)
        legible = number.bit_length() < 64 and shown not in map(self.action_words, legal)
        return self._illegal(repr(shown if legible else f"action {number}"), legal)

    def _illegal(self, shown: str, legal: Sequence[int]) -> IllegalActionError:
        """The error for an illegal action, which lists the first legal ones."""
        wordings = [self.action_words(a) for a in legal[:MOST_LISTED]]
        more = f"; and {len(legal) - MOST_LISTED} more" if len(legal) > MOST_LISTED else ""
        options = "; ".join(wordings) + more
        reason = "the game is over" if self.is_terminal else f"legal: {options}"
        return IllegalActionError(
            f"{shown} is not legal here; {reason}.", state=self.clone(), seed=self.seed
        )

    def clone(self) -> State:
        """An independent copy, the random stream included."""
        return self._copy(self.seed)

    def _copy(self, seed: int | None) -> State:
        """A copy that belongs to another seed."""
        twin = State.__new__(State)
        twin._take(self.table, self._block[:], seed)
        return twin

    def with_chance(self, seed: int) -> State:
        """A copy whose future chance follows from another seed, and from nothing else.

        The states of one seed with several chances have the same deal and other luck afterwards;
        those of several seeds with one chance, the reverse.

        >>> import kibitz
        >>> state = kibitz.load("love-letter").new_state(seed=1).with_chance(2)

        Raises:
            PlayError: the state is an observation, which has no future.
            ParameterError: the seed has more than 256 bits.
        """
        self._refuse_observation()
        check_game_seed(seed)
        copy = self._copy(None)
        stream = [0, 0, 0, 0]
        seed_stream(stream, seed, GAME_STREAM)
        renew_chance(stream, copy.view)
        return copy

    def __copy__(self) -> State:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> State:
        return self.clone()

    def determinize(self, player: int, seed: int = 0) -> State:
        """A determinization: a state in which all that `player` cannot know is sampled anew.

        It depends only on what the player can know and on `seed`. Its random stream is new, so
        play in it predicts nothing of the real game.

        Raises:
            PlayError: the state is an observation, which lacks the hidden values.
        """
        check_player(self, player)
        self._refuse_observation()
        check_seed(seed)
        copy = self._copy(None)
        self.table.call("redeterminize", copy._address, player, seed)
        return copy

    def observation(self, player: int) -> State:
        """The observation of `player`: hidden values are -1, the random stream zeros.

        In a game with several backs a hidden card is -1 minus the number of its back. An
        observation can be shown and compared, but neither played on nor determinized.
        """
        check_player(self, player)
        copy = self._copy(None)
        self.table.engine["mask_hidden"](self.table.address, copy._address, player)
        return copy

    # -- what is known ----------------------------------------------------------------------

    @property
    def address(self) -> int:
        """The address of its bytes, for native code; valid as long as the state object lives."""
        return self._address

    @property
    def players(self) -> int:
        """The number of players."""
        return self.table.players

    @property
    def current_player(self) -> int:
        """The player to move, from 0."""
        player: int = _INT32(self._block, _PLAYER)[0]
        return player

    @property
    def choosing(self) -> tuple[int, ...]:
        """The players who decide now, the current one first; none once the game is over.

        There are several where they choose at the same time: ``apply`` then takes their actions
        one after the other, and none of them sees an earlier one.
        """
        return () if self.is_terminal else self.table.rules.choosing(self)

    def asking(self, player: int) -> State:
        """The state in which `player`, one of ``choosing``, decides: for legal actions.

        Raises:
            ParameterError: this player does not decide now.
        """
        check_player(self, player)
        if player == self.current_player and not self.is_terminal:
            return self
        if player not in self.choosing:
            raise ParameterError(f"Player {player + 1} has no decision in this state.")
        return self.table.rules.asking(self, player)

    @property
    def status(self) -> Status:
        """Whether the game goes on, and if not, why."""
        return Status(_INT32(self._block, _STATUS)[0])

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return _INT32(self._block, _STATUS)[0] != 0  # Status.PLAYING

    @property
    def tick(self) -> int:
        """The number of actions that were applied."""
        tick: int = _INT32(self._block, _TICK)[0]
        return tick

    @property
    def view(self) -> Any:
        """A writable view of the record that rules get: ``state.view.hands[0].cards[0]``."""
        return self._view(0, self.table.layout.dtype)

    def returns(self) -> list[float]:
        """Each player's utility, -1 to 1: the result once the game is over, else zeros."""
        return [returns for _, returns, _, _, _ in self._seats()]

    def scores(self) -> list[float]:
        """Each player's score in the game's own units."""
        return [score for score, _, _, _, _ in self._seats()]

    def places(self) -> list[int]:
        """Each player's final place, 1 being first and shared places equal; 0 while playing."""
        return [place for _, _, place, _, _ in self._seats()]

    def _seats(self) -> list[tuple[float, float, int, int, int]]:
        """The fields of each player's ``SEAT`` record: score, returns, place, out and side."""
        size = _SEAT.size
        return [
            _SEAT.unpack_from(self._block, _SEATS + p * size) for p in range(self.table.players)
        ]

    def heuristic(self, player: int) -> float:
        """The value of the state for `player` by the game's own heuristic, -1 to 1."""
        check_player(self, player)
        return float(self.table.call("heuristic", self._address, player))

    # -- words and parts --------------------------------------------------------------------

    def action_words(self, action: int) -> str:
        """The action as a sentence."""
        try:
            return self.table.wording.words(self, action)
        except ValueError:
            return f"action {action}"

    def action_parts(self, action: int) -> ActionParts:
        """The action as data: its kind, and its operands by name.

        >>> import kibitz
        >>> state = kibitz.load("tic-tac-toe").new_state()
        >>> state.action_parts(state.legal_actions()[5])
        ActionParts('MARK', x=2, y=1)

        Raises:
            IllegalActionError: it is not the number of an action.
            UnknownNameError: there is no such action.
        """
        action = self._number(action)
        try:
            return self.table.wording.parts(self, action)
        except ValueError:
            raise UnknownNameError(
                f"There is no action {action} in {self.table.game.name}."
            ) from None

    def action(self, described: str | ActionParts, /, **operands: Operand) -> int:
        """The action that words, parts or a kind with operands describe.

        It is the inverse of ``action_parts``, and of ``action_words`` but for actions with equal
        cards: they have the same words, which stand for the first of them, while their parts
        number the cards. Only legal actions can be given by their parts.

        >>> import kibitz
        >>> state = kibitz.load("tic-tac-toe").new_state()
        >>> state.action("mark 2 1") == state.action("MARK", x=2, y=1) == state.legal_actions()[5]
        True

        Args:
            described: a sentence, parts, or the kind of an action.
            operands: the operands of an action of this kind.

        Raises:
            UnknownNameError: no action has these words, or no kind has this name or such an
                operand; the message lists what there is.
            IllegalActionError: no legal action has these parts; the message lists legal ones.
            ParameterError: `described` is something else.
        """
        if isinstance(described, str) and not operands:
            return self._action_in_words(described)
        if isinstance(described, str):
            described = ActionParts(described, **operands)
        elif not isinstance(described, ActionParts) or operands:
            raise ParameterError(
                f"{described!r} should be words, the parts of an action, or a kind with operands."
            )
        legal = self.legal_actions()
        alike = []
        for action in legal:
            parts = self.action_parts(action)
            if parts == described:
                return action
            if parts.kind == described.kind:
                alike.append(action)
        kinds = self.table.wording.operands()
        if described.kind not in kinds:
            raise UnknownNameError(did_you_mean(described.kind, kinds, "kind of action"))
        names = kinds[described.kind]
        for name in described.operands:
            if name not in names:
                noun = f"operand of {described.kind}"
                raise UnknownNameError(did_you_mean(name, names, noun))
        raise self._illegal(repr(described), alike or legal)

    def _action_in_words(self, text: str) -> int:
        """The action with these words, or of a kind without operands that has this name."""
        sentence = " ".join(text.split()).lower()
        legal = self.legal_actions()
        for action in legal:
            if self.action_words(action).lower() == sentence:
                return action
        number = self.table.rules.actions.parse(text)
        if number is not None:
            return int(number)
        for action in legal:
            if self.action_parts(action) == ActionParts(text):
                return action
        options = "; ".join(self.action_words(a) for a in legal[:MOST_LISTED])
        hint = "The game is over" if self.is_terminal else f"Legal: {options}"
        raise UnknownNameError(f"{text!r} is not an action of this game. {hint}.")

    def describe(self, player: int | None = None) -> str:
        """The state in words, as `player` sees it, or with everything open for ``None``."""
        state = self if player is None else self.observation(player)
        own = self.table.wording.describe(state, player)
        return own if own is not None else state._derived_text(player)

    def __str__(self) -> str:
        return self.describe()

    def __repr__(self) -> str:
        name = self.table.game.name
        turn = (
            self.status.name.lower() if self.is_terminal else f"player {self.current_player + 1}"
        )
        return f"<{name}: {self.players} players, {self.tick} actions played, {turn}>"

    def _derived_text(self, player: int | None) -> str:
        lines = [self.headline()]
        for instance, view in components_in_play(self):
            mine = " (you)" if player is not None and instance.owner == player else ""
            text = instance.component.describe(view)
            label = _label(instance.path) + mine
            lines.append(f"{label}:\n{text}" if "\n" in text else f"{label}: {text}")
        return "\n".join(lines)

    def headline(self) -> str:
        """Whose turn it is, or how the game has ended, in a sentence."""
        if self.status == Status.FINISHED:
            return self._outcome()
        if self.is_terminal:
            why = f": {known}" if (known := self.table.wording.explanation(self)) else ""
            return f"Broken off: {in_words(self.status)}{why}."
        phases = self.table.game.phases
        phase = f", {phases(self._view(0, HEADER).phase).name.lower()}" if phases else ""
        return f"Turn of player {self.current_player + 1}{phase}."

    def _outcome(self) -> str:
        """The winners of the finished game, in a sentence."""
        winners = [p + 1 for p, place in enumerate(self.places()) if place == 1]
        if self.table.is_only_scored:
            return f"The game is over with a score of {self.scores()[0]:g}."
        if not winners:
            return "Nobody has won."
        if len(winners) == 1:
            return f"Player {winners[0]} has won."
        if len(winners) == self.players:
            return "Everyone has won together." if min(self.returns()) > 0 else "A draw."
        partners = tuple(winner - 1 for winner in winners) in self.table.sides
        verb = "have won" if partners else "share the victory"
        return f"Players {listed([str(winner) for winner in winners])} {verb}."

    # -- bytes and JSON ---------------------------------------------------------------------

    def __bytes__(self) -> bytes:
        return bytes(self._block)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, State)
            and (self.table is other.table or self.table.is_like(other.table))
            and self._block == other._block
        )

    def __hash__(self) -> int:
        return hash(bytes(self))

    @classmethod
    def from_bytes(cls, table: Table, content: bytes) -> State:
        """The state with these bytes: the inverse of ``bytes(state)``.

        Raises:
            FileError: the number of bytes is wrong, or they are not a state to be played on.
        """
        if len(content) != table.state_size:
            raise FileError(
                f"a state of {table} has {table.state_size} bytes, not {len(content)}."
            )
        state = cls(table, content)
        if damage := state._damage():
            raise FileError(f"the state is damaged: {damage}.")
        return state

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles a state as its table, its bytes and its seed."""
        return State, (self.table, bytes(self), self.seed)

    def to_json(self) -> dict[str, Any]:
        """The whole state as JSON: readable parts, and the bytes that restore it exactly."""
        view = self._view(0, HEADER)
        header = {name: getattr(view, name) for name in _READABLE}
        return {
            "game": self.table.game.name,
            "players": self.players,
            "parameters": self.table.parameters.to_json(),
            "status": self.status.name.lower(),
            **header,
            "seats": [
                {"score": score, "place": place, "returns": returns, "out": bool(out)}
                for score, returns, place, out, _ in self._seats()
            ],
            "components": {
                i.path: i.component.to_json(view) for i, view in components_in_play(self)
            },
            "bytes": base64.b64encode(bytes(self)).decode(),
        }

    @classmethod
    def from_json(cls, table: Table, document: dict[str, Any] | str) -> State:
        """The state that ``to_json`` wrote.

        Raises:
            FileError: the document is not of that form, or of another game, number of players or
                parameters.
        """
        if isinstance(document, str):
            try:
                document = json.loads(document)
            except (ValueError, RecursionError) as problem:
                raise FileError(f"the state is not JSON: {problem}") from None
        expected = {
            "game": table.game.name,
            "players": table.players,
            "parameters": table.parameters.to_json(),
        }
        try:
            for name, value in expected.items():
                if document[name] != value:  # type: ignore[index]
                    raise FileError(f"the state has {name} {document[name]}, not {value}.")  # type: ignore[index]
            content = base64.b64decode(document["bytes"], validate=True)  # type: ignore[index]
        except (KeyError, TypeError, ValueError):
            names = ", ".join([*expected, "bytes"])
            raise FileError(f"the state needs {names} as to_json writes them.") from None
        return cls.from_bytes(table, content)

    def _damage(self) -> str | None:
        """Why these bytes are not a state that can be played on, in words."""
        header: Any = self._view(0, HEADER)
        seats = range(self.players)
        checks = {
            "players": header.players == self.players,
            "status": header.status in list(Status),
            "player": header.player in seats,
            "turn_owner": header.turn_owner in seats,
            "first_player": header.first_player in seats,
            "direction": header.direction in (-1, 1),
            "rng": all(0 <= word <= MASK32 for word in header.rng),
        }
        for name, holds in checks.items():
            if not holds:
                return f"{name} is {getattr(header, name)}"
        for instance, view in components_in_play(self):
            if problem := instance.component.problem(view):
                return f"{instance.path}: {problem}"
        return None

    def _view(self, offset: int, dtype: np.dtype[Any]) -> RecordView:
        """A part of the state, which keeps the state's memory alive."""
        return RecordView(memoryview(self._block), offset, dtype)

    def _refuse_observation(self) -> None:
        """Raises PlayError in an observation, whose future chance is zeros."""
        if not any(self._block[CHANCE]):
            raise PlayError(
                f"This is an observation of {self.table.game.name}, for looking at, not for"
                " playing: what is hidden is missing. determinize(player, seed) of the state that"
                " it was made from gives one that can be played on.",
                state=self.clone(),
                seed=self.seed,
            )

    def check_playable(self) -> None:
        """Raises PlayError in an observation, or if the rules broke off the game."""
        if not self.is_terminal:
            self._refuse_observation()
        elif self.status in _ERRORS:
            kind, text = _ERRORS[self.status]
            why = f": {known}" if (known := self.table.wording.explanation(self)) else ""
            problem = kind(
                f"{self.table}: {text} after {self.tick} actions{why}.",
                state=self.clone(),
                seed=self.seed,
            )
            if self.seed is not None:  # not in the text, which players may read
                problem.add_note(f"The game was set up from seed {self.seed}.")
            raise problem


def new_state(table: Table, seed: int) -> State:
    """A game set up from `seed`.

    Raises:
        ParameterError: the seed has more than 256 bits.
        PlayError: the rules broke off the game before it began.
    """
    check_game_seed(seed)
    state = State(table, table.blank, seed)
    if is_wide(seed):
        stream = [0, 0, 0, 0]
        seed_stream(stream, seed, GAME_STREAM)
        struct.pack_into("=4q", state._block, header_offset("rng"), *stream)
        table.call("set_up", state._address)
    else:
        table.call("new_game", state._address, seed)
    state.check_playable()
    return state


def state_given(value: object) -> State:
    """An argument that is a state.

    Raises:
        ParameterError: it is not a state.
    """
    if not isinstance(value, State):
        raise ParameterError(f"state = {value!r} should be a state, such as game.new_state().")
    return value


def check_player(state: State, player: int) -> None:
    """Raises IndexError if a state has no such player, ParameterError if it is no number."""
    try:
        is_known = 0 <= operator.index(player) < state.players
    except TypeError:
        raise ParameterError(f"A player is a number, from 0; {player!r} is none.") from None
    if not is_known:
        raise IndexError(f"players are numbered 0 .. {state.players - 1}; got {player}")


def components_in_play(state: State) -> Iterator[tuple[Instance, Any]]:
    """Every component in play, with a view of its record."""
    for instance in state.table.layout.in_play(state.players):
        yield instance, state._view(instance.offset, instance.dtype)


def count_pieces(state: State) -> int:
    """The number of pieces in the game."""
    return int(state.table.engine["count_pieces"](state.table.address, state._address))


def hidden_share(state: State, player: int) -> float:
    """The share of all pieces that `player` does not see."""
    check_player(state, player)
    return float(state.table.engine["hidden_share"](state.table.address, state._address, player))


def chance_of(state: State) -> bytes:
    """The bytes that all future chance follows from; zeros in an observation."""
    return bytes(state._block[CHANCE])


def without_chance(state: State) -> bytes:
    """The bytes of a state after its chance."""
    return bytes(state._block[CHANCE.stop :])


_READABLE = ("player", "phase", "turn", "round", "tick", "turn_owner", "first_player", "direction")


def _label(path: str) -> str:
    """A path for people: ``hands[2]`` is ``Player 3: hands``."""
    name, bracket, index = path.partition("[")
    words = name.replace("_", " ").replace(".", " ")
    if not bracket:
        return words.capitalize()
    seat, _, tail = index.partition("]")
    return f"Player {int(seat) + 1}: {words}{tail.replace('.', ' ').replace('_', ' ')}"

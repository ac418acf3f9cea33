"""The subroutines of the book: questions about a game, with texts as arguments and results.

A `game` is the text of its rules, in KIF or infix, a list of such texts, or a result of ``load``.
A `state` is a list of propositions, ``["(cell 1 1 b)", "(control white)"]``; each may be wrapped
in ``(true ...)``. A `move` is a joint move: a list of one move for each role.

M. Genesereth, M. Thielscher, "General Game Playing", 2014, chapter 4.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from kibitz.core.errors import KibitzError
from kibitz.core.state import State
from kibitz.gdl.domains import declared
from kibitz.gdl.game import GdlGame
from kibitz.gdl.reader import read_term
from kibitz.gdl.rules import Compound, Term, kif
from kibitz.gdl.steps import Steps
from kibitz.syntax.source import Source

MOST_KEPT = 64
"""The most games that are kept compiled."""

NOTHING = "nil"
"""The word for no move, as in the first PLAY message of a match."""


class GdlError(KibitzError):
    """A question about a game has no answer."""


class IllFormedTermError(GdlError):
    """A text is not a ground term."""


class IllFormedStateError(GdlError):
    """A state has a proposition that can never be true in the game."""


class UnknownRoleError(GdlError):
    """The game has no such role."""


class NoLegalMoveError(GdlError):
    """A role has no legal move in a state."""


class IllegalMoveError(GdlError):
    """A move is not legal in a state, or a joint move does not have one move for each role."""


class NoGoalError(GdlError):
    """The rules give a role no goal value in a state."""


class SeveralGoalsError(GdlError):
    """The rules give a role several goal values in a state."""


GameLike: TypeAlias = "str | Sequence[str] | GdlGame"
"""A game, the text of its rules, or a list of such texts."""


class Propositions(list[str]):
    """A list of propositions that knows its game, for ``simulate``."""

    def __init__(self, texts: Sequence[str], game: GdlGame) -> None:
        super().__init__(texts)
        self.game = game


def load(game: str | Path | Sequence[str] | GdlGame) -> GdlGame:
    """Loads a game from a text, a list of texts or a file; the last games are cached.

    Args:
        game: the text of the rules, in KIF or infix; a list of texts; or the ``Path`` of a file.

    Raises:
        SourceError: the text has errors.
        FileError: the file cannot be read.
    """
    if isinstance(game, GdlGame):
        return game
    if isinstance(game, Path):
        return _game(Source.load(game))
    return _game(Source("rules", game if isinstance(game, str) else "\n".join(game)))


@functools.lru_cache(MOST_KEPT)
def _game(source: Source) -> GdlGame:
    return GdlGame(source)


@functools.lru_cache(MOST_KEPT)
def _steps(game: GdlGame) -> Steps:
    return Steps(game.table())


@functools.lru_cache(MOST_KEPT)
def _numbers(game: GdlGame) -> dict[Term | None, int]:
    """The number of each fact, in a game with a network."""
    return {_read(text): number for number, text in enumerate(game.rules.facts.names)}


@functools.lru_cache(1 << 16)
def _read(text: str) -> Term | None:
    return read_term(text)


def _term(text: str) -> Term:
    """Reads a ground term."""
    term = _read(text) if isinstance(text, str) else None
    if term is None:
        raise IllFormedTermError(f"{text!r} is no term such as (mark 1 2) or noop.")
    return term


# --- questions about the game -----------------------------------------------------------------


def findroles(game: GameLike) -> list[str]:
    """The roles, in the order of the rules."""
    description = load(game).description
    return [description.spelling[role] for role in description.roles]


def findpropositions(game: GameLike) -> list[str]:
    """All facts that can be true, by ``base`` or, without it, by reachability.

    Raises:
        GdlError: the rules have no ``base`` and cannot be grounded.
    """
    loaded = load(game)
    terms = _declared(loaded, "base")
    if terms is None:
        _needs_network(loaded, "base")
        return list(loaded.rules.facts.names)
    return sorted(kif(term, loaded.description.spelling) for (term,) in terms)


def findactions(role: str, game: GameLike) -> list[str]:
    """All moves that a role can make, by ``input`` or, without it, by reachability.

    Raises:
        GdlError: the rules have no ``input`` and cannot be grounded.
        UnknownRoleError: the game has no such role.
    """
    loaded = load(game)
    number = _role(role, loaded)
    pairs = _declared(loaded, "input")
    if pairs is not None:
        name = loaded.description.roles[number]
        return sorted(kif(term, loaded.description.spelling) for who, term in pairs if who == name)
    _needs_network(loaded, "input")
    moves = zip(loaded.rules.network.moves, loaded.rules.actions.names, strict=True)
    return list(dict.fromkeys(text for move, text in moves if move.role == number))


def _needs_network(game: GdlGame, declaration: str) -> None:
    """Raises an error if rules that lack a declaration could not be grounded either."""
    if game.rules.proved is not None:
        raise GdlError(
            f"The rules have no `{declaration}`, and too many instances to find out what it "
            "would be."
        )


@functools.lru_cache(MOST_KEPT)
def _declared(game: GdlGame, name: str) -> frozenset[tuple[Term, ...]] | None:
    return declared(game.description, name)


# --- questions about states -------------------------------------------------------------------


def findinits(game: GameLike) -> list[str]:
    """The propositions of the initial state."""
    loaded = load(game)
    return _texts(loaded, _steps(loaded).initial())


def findlegals(role: str, state: Sequence[str], game: GameLike) -> list[str]:
    """The legal moves of a role in a state, always in the same order.

    Raises:
        UnknownRoleError: the game has no such role.
        IllFormedStateError: a proposition can never be true in the game.
    """
    loaded = load(game)
    number = _role(role, loaded)
    moves = sorted(_steps(loaded).legal(_state(state, loaded), number))
    return list(dict.fromkeys(loaded.rules.actions.names[move] for move in moves))


def findlegalx(role: str, state: Sequence[str], game: GameLike) -> str:
    """The first legal move of a role in a state.

    Raises:
        NoLegalMoveError: the role has no legal move.
        UnknownRoleError: the game has no such role.
        IllFormedStateError: a proposition can never be true in the game.
    """
    moves = findlegals(role, state, game)
    if not moves:
        raise NoLegalMoveError(f"The role {role} has no legal move in this state.")
    return moves[0]


def findnext(
    roles: Sequence[str], move: Sequence[str], state: Sequence[str], game: GameLike
) -> list[str]:
    """The propositions after a step.

    Args:
        roles: all roles, in the order of `move`.
        move: the move of each role.
        state: the propositions before the step.

    Raises:
        IllegalMoveError: a move is not legal, or `roles` or `move` is incomplete.
        IllFormedTermError: a move is not a term.
        UnknownRoleError: the game has no such role.
        IllFormedStateError: a proposition can never be true in the game.
    """
    loaded = load(game)
    steps = _steps(loaded)
    numbers = [_role(role, loaded) for role in roles]
    if sorted(numbers) != list(range(len(findroles(loaded)))) or len(move) != len(roles):
        raise IllegalMoveError(
            f"A step needs one move for each role; there are {len(roles)} roles named and "
            f"{len(move)} moves for {len(findroles(loaded))} roles."
        )
    before = _state(state, loaded)
    chosen = [0] * len(numbers)
    for number, role, text in zip(numbers, roles, move, strict=True):
        term, names = _term(text), loaded.rules.actions.names
        matching = [
            action for action in steps.legal(before, number) if _read(names[action]) == term
        ]
        if not matching:
            raise IllegalMoveError(f"{text} is not a legal move of {role} in this state.")
        chosen[number] = matching[0]
    steps.play(before, chosen)
    return _texts(loaded, before)


def findreward(role: str, state: Sequence[str], game: GameLike) -> int:
    """The goal value of a role in a state.

    Raises:
        NoGoalError: the rules give the role no goal value.
        SeveralGoalsError: the rules give the role several goal values.
        UnknownRoleError: the game has no such role.
        IllFormedStateError: a proposition can never be true in the game.
    """
    loaded = load(game)
    goals = _steps(loaded).goals(_state(state, loaded), _role(role, loaded))
    values = sorted(set(goals))
    if not values:
        raise NoGoalError(f"The rules give the role {role} no goal value in this state.")
    if len(values) > 1:
        listed = ", ".join(map(str, values))
        raise SeveralGoalsError(f"The rules give the role {role} several goal values: {listed}.")
    return values[0]


def findterminalp(state: Sequence[str], game: GameLike) -> bool:
    """Whether a state is terminal.

    Raises:
        IllFormedStateError: a proposition can never be true in the game.
    """
    loaded = load(game)
    return _steps(loaded).terminal(_state(state, loaded))


def simulate(
    move: Sequence[str] | str | None, state: Sequence[str], game: GameLike | None = None
) -> list[str]:
    """The state after a step, or the same state if the move is ``nil``.

    Args:
        move: the moves of the roles, in their order; ``"nil"`` or ``None`` before the first step.
        game: the game; it may be omitted for a state that a function of this module returned.

    Raises:
        GdlError: `game` is missing, or ``findnext`` raises an error.
    """
    if game is None:
        if not isinstance(state, Propositions):
            raise GdlError("simulate needs the game, as its third argument, for such a state.")
        game = state.game
    if not move or (isinstance(move, str) and move.lower() == NOTHING):
        return Propositions(state, load(game))
    if isinstance(move, str):
        raise IllegalMoveError(f"{move!r} is no list of moves, nor nil.")
    return findnext(findroles(game), move, state, game)


def _role(role: str, game: GdlGame) -> int:
    """The number of a role."""
    roles = game.description.roles
    term = _read(role)
    if not isinstance(term, str) or term not in roles:
        raise UnknownRoleError(
            f"There is no role {role!r}. The roles are {', '.join(findroles(game))}."
        )
    return roles.index(term)


def _state(texts: Sequence[str], game: GdlGame) -> State:
    """The state with exactly these propositions."""
    if isinstance(texts, str):
        raise IllFormedStateError("A state is a list of propositions, not one text.")
    state = _steps(game).initial()
    terms = []
    for text in texts:
        term = _read(text) if isinstance(text, str) else None
        if isinstance(term, Compound) and term.name == "true" and len(term.arguments) == 1:
            term = term.arguments[0]
        if term is None or (game.rules.proved is None and term not in _numbers(game)):
            raise IllFormedStateError(f"{text!r} can never be true in this game.")
        terms.append(term)
    if game.rules.proved is not None:
        game.rules.proved.write(
            state.address, frozenset(map(game.rules.proved.terms.number, terms))
        )
        return state
    bits = state.view.facts.bits
    words = [0] * len(bits)
    for term in terms:
        number = _numbers(game)[term]
        words[number >> 6] |= 1 << (number & 63)
    for i, word in enumerate(words):
        bits[i] = word - (1 << 64) if word >> 63 else word
    return state


def _texts(game: GdlGame, state: State) -> Propositions:
    return Propositions(game.rules.facts.true(state.view.facts), game)

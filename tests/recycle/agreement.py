"""Plays a program in the oracle and compiled, and compares them."""

from __future__ import annotations

import random
from typing import Any

from tests.recycle.oracle import EMPTY, Oracle, PileKey, pile_keys

from kibitz.core.layout import HEADER
from kibitz.core.randomness import GAME_STREAM, start_stream
from kibitz.core.state import State
from kibitz.core.status import Status
from kibitz.core.view import view_at
from kibitz.recycle.game import RecycleGame
from kibitz.recycle.options import Hidden
from kibitz.recycle.rules import RecycleRules
from kibitz.recycle.tree import Type
from kibitz.syntax.source import Source

_STATUS = {
    Status.PLAYING: "playing",
    Status.FINISHED: "finished",
    Status.DEAD_END: "dead end",
    Status.RULES_ERROR: "error",
    Status.FULL_BUFFER: "error",
    Status.ENDLESS: "endless",
}


LIMITS = ("the memory is full",)
"""Ends of explanations of the engine that the oracle, which has no such limit, does not give."""


def compiled_options(game: RecycleRules, state: State, legal: list[int]) -> list[Any]:
    """The options of a compiled game as the oracle has them."""
    names = pile_keys(game.places)
    options = []
    for action in legal:
        clause, picks = game.decode(state, action)
        path = game.path(action)
        values: list[Any] = []
        for fork, pick in zip(path.forks if path else (), picks, strict=True):
            kind = fork.binding.type
            if kind is Type.CARD:
                values.append(_card(pick, names))
            elif kind is Type.CARDS:
                values.append(frozenset(_card(card, names) for card in pick))
            elif kind is Type.STR:
                values.append(game.places.words[pick])
            elif kind is Type.PILE:
                values.append(names[pick])
            else:
                values.append(pick)
        for met in range(path.empty.bit_length() if path else 0):
            if path.empty >> met & 1:
                values.insert(met, EMPTY)
        options.append((clause, tuple(values)))
    return options


def _card(pick: int | Hidden, names: list[PileKey]) -> Any:
    """A card as the oracle has it."""
    if isinstance(pick, Hidden):
        return ("hidden", names[pick.place], pick.position)
    return pick


def _shown(value: Any) -> Any:
    """A value of the oracle's without its hidden cards' classes."""
    if isinstance(value, frozenset):
        return frozenset(_shown(element) for element in value)
    return value


def compare(game: RecycleRules, state: State, oracle: Oracle, when: str) -> None:
    """Asserts that a state and the oracle agree in status, cards, knowledge and values."""
    places = game.places
    status = _STATUS[state.status]
    why = f"{when}: compiled {status} ({state.table.wording.explanation(state)}), oracle "
    why += f"{oracle.status} {oracle.problem}"
    assert status == oracle.status, why
    if status not in ("playing", "finished"):
        return
    names = pile_keys(places)
    lying = {}
    for (label, component), key in zip(_piles(game), names, strict=True):
        del label
        view = state._view(component.offset, component.dtype)
        cards = [view.cards[i] for i in range(view.count)]
        if cards:
            lying[key] = cards
        if key.kind != "mem":
            for i, card in enumerate(cards):
                knowers = view.seen[i] & (1 << places.players) - 1
                expected = sum(1 << p for p in set(oracle.knowers(card)))
                assert knowers == expected, f"{when}: who knows {card} in {key}"
    assert lying == oracle.piles, when
    for (sort, kind, name), (offset, stride) in places._stored_at.items():
        owners = {"game": ["game"], "player": range(places.players), "team": range(places.teams)}
        for owner in owners[sort]:
            holder = owner if owner == "game" else (sort, owner)
            at = offset + (0 if owner == "game" else owner * stride)
            if kind == "sto":
                value = int.from_bytes(bytes(state)[at : at + 4], "little", signed=True)
                assert value == oracle.state.numbers.get((holder, name), 0), (when, holder, name)
            elif kind == "str":
                word = int.from_bytes(bytes(state)[at : at + 2], "little", signed=True)
                assert places.words[word] == oracle.state.texts.get((holder, name), ""), when
    header = view_at(state.address, HEADER)
    out = {p for p in range(places.players) if header.seat[p].out}
    assert out == oracle.state.out, f"{when}: who is eliminated"
    chance = oracle._chance
    assert [header.rng[i] for i in range(4)] == chance.rng, f"{when}: the random streams"
    assert [header.shuffle_key[i] for i in range(3)] == chance.key, f"{when}: the key of deals"
    assert header.shuffles_done == chance.shuffles, f"{when}: the number of shuffles"
    if status == "playing":
        assert state.current_player == oracle.player, when
    else:
        if oracle.winners is not None:
            first = {p for p in range(places.players) if state.view.seat[p].place == 1}
            assert first == oracle.winners, when
        assert state.scores() == [float(score) for score in oracle.scores], when


def _piles(game: RecycleRules) -> list[Any]:
    from kibitz.components.deck import Deck

    return [
        (instance.path, instance)
        for instance in game.layout.instances
        if isinstance(instance.component, Deck)
    ]


def play_both(
    text: str,
    seed: int,
    players: int | None = None,
    limit: int = 300,
    name: str = "game.rcy",
    **parameters: Any,
) -> tuple[State, Oracle]:
    """Plays a game at random, comparing at every step; returns the state and the oracle."""
    table = RecycleGame(Source(name, text)).table(players, **parameters)
    return play_table(table, seed, limit)


def play_table(table: Any, seed: int, limit: int = 300) -> tuple[State, Oracle]:
    """Plays a game at a table at random, comparing at every step; see `play_both`."""
    from kibitz.core.game import engine

    game = table.rules
    state = State(table, table.blank, seed)
    start_stream(state.view.rng, seed, GAME_STREAM)
    engine()["set_up"](table.address, state.address)
    oracle = Oracle(game.program, seed)
    pick = random.Random(seed)
    for tick in range(limit):
        when = f"after {tick} actions of seed {seed}"
        legal: list[int] = []
        if state.status == Status.PLAYING:
            before = bytes(state)
            legal = table.legal_actions(state.address)
            if state.status == Status.PLAYING:
                assert bytes(state) == before, f"{when}: listing options changed the state"
        if oracle.status == "error" and oracle._on_trial and state.status == Status.PLAYING:
            break  # a mistake in what nothing depends on shows when it is chosen
        if (state.table.wording.explanation(state) or "").endswith(LIMITS):
            break
        compare(game, state, oracle, when)
        if state.status != Status.PLAYING:
            break
        expected = [(o.clause, tuple(map(_shown, o.values))) for o in oracle.options()]
        assert compiled_options(game, state, legal) == expected, when
        assert len(set(legal)) == len(set(expected)), f"{when}: options that cannot be told apart"
        chosen = pick.randrange(len(legal))
        engine()["apply_action"](table.address, state.address, legal[chosen])
        oracle.play(chosen)
    return state, oracle

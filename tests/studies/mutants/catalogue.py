"""The mutants: each game of the library with each flaw that can be planted into it.

Options are chosen by rule: one that makes no difference in the game as it is, and that is often
offered. So nothing is known of it before.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.studies.mutants.mutation import mutant

import kibitz
from kibitz.core.game import Game
from kibitz.recycle.game import RecycleGame
from kibitz.studies import Playtest
from kibitz.studies.flaws import FlawKind
from kibitz.syntax.source import Source

SOUND = (
    "agram",
    "love-letter",
    "go-fish",
    "whist",
    "spades",
    "stealing-bundles",
    "ninety-eight",
    "president",
    "scopa",
    "crazy-eights",
    "lost-cities",
    "recycle-uno",
    "light-cycles",
    "connect-four",
)
"""Games whose seats, options and courses are as they should be."""

TRUE: dict[str, tuple[tuple[FlawKind, str], ...]] = {
    "love-letter": ((FlawKind.TRAP, "play Princess"),),
    "spades": ((FlawKind.TRAP, "own BID = 13"),),
    "go-fish": ((FlawKind.SEAT, "1"),),
    "ninety-eight": ((FlawKind.SEAT, "1"),),
    "connect-four": ((FlawKind.SEAT, "1"),),
}
"""What is true of them all the same, and so is no false alarm: nobody should throw the Princess
away or bid every trick, and in skilled play who asks first wins 31.0 % (26.6 to 35.7, of 400 games
with other seeds than those of the benchmark); in random Ninety-eight seat 1 does (25.6 %, 25.5 to
25.8, of 40,000)."""

SCORED = {
    "president": (r"\(inc \('P sto SCORE\) (\d)\)", r"(inc ('P sto SCORE) (+ \1 ('P sto SCORE)))"),
    "scopa": (r"\(inc \('P sto SCORE\) 1\)", r"(inc ('P sto SCORE) (+ 1 ('P sto SCORE)))"),
    "hearts": (
        r"\(inc \('P sto SCORE\) 'SUM\)",
        r"(inc ('P sto SCORE) (+ 'SUM ('P sto SCORE)))",
    ),
}
"""Games with scores in which who has points gets as many again, by a change of the text."""


@dataclass(frozen=True)
class Mutant:
    """A game with a planted flaw.

    Attributes:
        name: of both.
        kinds: the flaws that the report may call it.
        subject: what it should name: a seat, or options by a pattern; empty: the game.
        make: makes it.
    """

    name: str
    kinds: tuple[FlawKind, ...]
    subject: str
    make: Callable[[], Game]


def mutants() -> Iterator[Mutant]:
    """All of them; options are found out by playing."""
    for name in SOUND:
        yield from mutants_of(name)
    for name in SCORED:
        yield runaway(name)


def runaway(name: str) -> Mutant:
    """A game in which who has points gets as many again."""
    make = functools.partial(_rewritten, name, *SCORED[name])
    return Mutant(f"{name}: who has points gets as many again", (FlawKind.RUNAWAY,), "", make)


def mutants_of(name: str) -> Iterator[Mutant]:
    """The mutants of a game by changes of its native rules."""
    game = kibitz.load(name)
    make = functools.partial
    yield Mutant(
        f"{name}: seat 2 wins by itself", (FlawKind.SEAT,), "2", make(mutant, game, seat=1, won=25)
    )
    yield Mutant(
        f"{name}: ends are refused", (FlawKind.ENDLESS,), "", make(mutant, game, refused=10)
    )
    if game.usual_players > 2:
        yield Mutant(
            f"{name}: seat 1 decides who wins",
            (FlawKind.KINGMAKER,),
            "",
            make(mutant, game, king=90),
        )
    found = kibitz.playtest(game, games=300, seed=99, record=["decisions"])
    pattern, codes = ordinary_option(game, found)
    said = f"{name}: {pattern}"
    yield Mutant(
        f"{said} wins at once",
        (FlawKind.TOO_STRONG,),
        pattern,
        make(mutant, game, codes=codes, wins=70),
    )
    yield Mutant(
        f"{said} loses at once",
        (FlawKind.TRAP, FlawKind.TOO_WEAK),
        pattern,
        make(mutant, game, codes=codes, loses=70),
    )
    things = game.table().wording.vocabulary().things
    if len(things) >= 10:
        thing, codes = ordinary_thing(game, found, things)
        yield Mutant(
            f"{name}: {thing} cannot be chosen",
            (FlawKind.DEAD,),
            thing,
            make(mutant, game, codes=codes, hidden=1),
        )


def ordinary_option(game: Game, found: Playtest) -> tuple[str, tuple[int, ...]]:
    """A group of actions that gains nothing and is often offered, but not nearly always."""
    most = max(one.offered for one in found["choices"])
    good = [
        one
        for one in found["choices"]
        if one.gain is not None
        and abs(one.gain) < 0.1
        and one.expected < 0.6 * one.offered
        and one.pattern.count("*") <= 1
        and "player" not in one.pattern
    ]
    best = min(good, key=lambda one: abs(one.offered - 0.15 * most))
    codes = [code for code, patterns in _codes(game) if best.pattern in patterns]
    return best.pattern, tuple(codes)


def ordinary_thing(
    game: Game, found: Playtest, things: frozenset[str]
) -> tuple[str, tuple[int, ...]]:
    """A thing that is often among the options, and the actions that are about it."""
    table = game.table()
    about: dict[str, list[int]] = {}
    for code, _ in _codes(game):
        phrase = table.wording.phrase(code)
        for thing in {phrase.words, *phrase.values} & things:
            about.setdefault(thing, []).append(code)
    thing = sorted(about)[len(about) // 2]
    return thing, tuple(about[thing])


def _codes(game: Game) -> list[tuple[int, tuple[str, ...]]]:
    """The actions that random games offer, with their groups."""
    return _codes_of(game.name)


@functools.cache
def _codes_of(name: str) -> list[tuple[int, tuple[str, ...]]]:
    game = kibitz.load(name)
    table = game.table()
    seen: dict[int, tuple[str, ...]] = {}
    for seed in range(60):
        state = table.new_state(seed)
        turn = seed
        while not state.is_terminal:
            legal = state.legal_actions()
            for code in legal:
                if code not in seen:
                    seen[code] = tuple(table.wording.phrase(code).patterns())
            turn = turn * 1103515245 + 12345 & 0x7FFFFFFF
            state.apply(legal[(turn >> 8) % len(legal)])
    return list(seen.items())


def _rewritten(name: str, before: str, after: str) -> Game:
    game = kibitz.load(name)
    assert isinstance(game, RecycleGame)
    text, count = re.subn(before, after, game.text.text)
    assert count, f"{name} has changed: {before} is not in it"
    return RecycleGame(Source(name, text))

"""Mutants: games of the library, each with one planted flaw.

A flaw in an option is planted into one that random games offer often and that makes no difference
in the unchanged game, so that the game itself gives no hint of it.
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
"""Games without known flaws, apart from those in ``TRUE``."""

TRUE: dict[str, tuple[tuple[FlawKind, str], ...]] = {
    "love-letter": ((FlawKind.TRAP, "play Princess"),),
    "spades": ((FlawKind.TRAP, "bid 13"),),
    "go-fish": ((FlawKind.SEAT, "1"),),
    "ninety-eight": ((FlawKind.SEAT, "1"),),
    "connect-four": ((FlawKind.SEAT, "1"),),
}
"""Flaws that the games of ``SOUND`` do have, so that naming them is no false alarm.

Nobody should throw the Princess away or bid every trick. In skilled Go Fish the player who asks
first wins 31.0 % (26.6 to 35.7, of 400 games with other seeds than those of the benchmark); in
random Ninety-eight seat 1 wins 25.6 % (25.5 to 25.8, of 40,000).
"""

SCORED = {
    "president": (r"\(inc \('P sto SCORE\) (\d)\)", r"(inc ('P sto SCORE) (+ \1 ('P sto SCORE)))"),
    "scopa": (r"\(inc \('P sto SCORE\) 1\)", r"(inc ('P sto SCORE) (+ 1 ('P sto SCORE)))"),
    "hearts": (
        r"\(inc \('P sto SCORE\) 'SUM\)",
        r"(inc ('P sto SCORE) (+ 'SUM ('P sto SCORE)))",
    ),
}
"""By game, a pattern of its text and a replacement that adds the score so far to each gain."""


@dataclass(frozen=True)
class Mutant:
    """A game with a planted flaw.

    Attributes:
        name: The name of the game, a colon and the flaw.
        kinds: The kinds of flaw as which the report may name it.
        subject: The seat or the pattern of options that the report should name; empty for a flaw
            of the whole game.
        make: Builds a new game with the flaw.
    """

    name: str
    kinds: tuple[FlawKind, ...]
    subject: str
    make: Callable[[], Game]


def mutants() -> Iterator[Mutant]:
    """All mutants; the options to change are chosen by playing random games."""
    for name in SOUND:
        yield from mutants_of(name)
    for name in SCORED:
        yield runaway(name)


def runaway(name: str) -> Mutant:
    """A game in which each gain of points adds the score so far once more, so that leads grow."""
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
    playtest = kibitz.playtest(game, games=300, seed=99, record=["decisions"])
    pattern, codes = ordinary_option(game, playtest)
    title = f"{name}: {pattern}"
    yield Mutant(
        f"{title} wins at once",
        (FlawKind.TOO_STRONG,),
        pattern,
        make(mutant, game, codes=codes, wins=70),
    )
    yield Mutant(
        f"{title} loses at once",
        (FlawKind.TRAP, FlawKind.TOO_WEAK),
        pattern,
        make(mutant, game, codes=codes, loses=70),
    )
    nouns = game.table().wording.vocabulary().things
    if len(nouns) >= 10:
        noun, codes = ordinary_thing(game, playtest, nouns)
        yield Mutant(
            f"{name}: {noun} cannot be chosen",
            (FlawKind.DEAD,),
            noun,
            make(mutant, game, codes=codes, hidden=1),
        )


def ordinary_option(game: Game, playtest: Playtest) -> tuple[str, tuple[int, ...]]:
    """A group of actions that gains nothing and is often offered, but not nearly always."""
    most = max(choice.offered for choice in playtest["choices"])
    good = [
        choice
        for choice in playtest["choices"]
        if choice.gain is not None
        and abs(choice.gain) < 0.1
        and choice.expected < 0.6 * choice.offered
        and choice.pattern.count("*") <= 1
        and "player" not in choice.pattern
    ]
    best = min(good, key=lambda choice: abs(choice.offered - 0.15 * most))
    codes = [code for code, patterns in _codes(game) if best.pattern in patterns]
    return best.pattern, tuple(codes)


def ordinary_thing(
    game: Game, playtest: Playtest, nouns: frozenset[str]
) -> tuple[str, tuple[int, ...]]:
    """A noun of the vocabulary that options name, and the codes of the actions that name it."""
    table = game.table()
    about: dict[str, list[int]] = {}
    for code, _ in _codes(game):
        phrase = table.wording.phrase(code)
        for noun in {phrase.words, *phrase.values} & nouns:
            about.setdefault(noun, []).append(code)
    noun = sorted(about)[len(about) // 2]
    return noun, tuple(about[noun])


def _codes(game: Game) -> list[tuple[int, tuple[str, ...]]]:
    """The actions that random games offer, with their groups."""
    return _codes_of(game.name)


@functools.cache
def _codes_of(name: str) -> list[tuple[int, tuple[str, ...]]]:
    game = kibitz.load(name)
    table = game.table()
    patterns: dict[int, tuple[str, ...]] = {}
    for seed in range(60):
        state = table.new_state(seed)
        turn = seed
        while not state.is_terminal:
            legal = state.legal_actions()
            for code in legal:
                if code not in patterns:
                    patterns[code] = tuple(table.wording.phrase(code).patterns())
            turn = turn * 1103515245 + 12345 & 0x7FFFFFFF
            state.apply(legal[(turn >> 8) % len(legal)])
    return list(patterns.items())


def _rewritten(name: str, before: str, after: str) -> Game:
    game = kibitz.load(name)
    assert isinstance(game, RecycleGame)
    text, count = re.subn(before, after, game.text.text)
    assert count, f"{name} has changed: {before} is not in it"
    return RecycleGame(Source(name, text))

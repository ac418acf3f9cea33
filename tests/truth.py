"""``python -m tests.truth 100000`` reads so many sentences of logs, and compares them with states.

Random and skilled players play all games whose logs have a test of truth, each in turn, for every
seat and for who looks on. False sentences are printed with the seed of their game.
"""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from tests.library import (
    test_colt_express_log,
    test_exploding_kittens_log,
    test_pandemic_log,
    test_uno_log,
    test_virus_log,
)
from tests.library.log_truth import Check, check_update
from tests.recycle import test_truth
from tests.sessions import test_log_of_python_games

import kibitz
from kibitz.sessions import Session, Update

AGENTS = ("random", "osla")
MOST = 400
"""Actions of a game that are read."""

SENTENCES: Mapping[str, Mapping[str, Check]] = {
    "colt-express": test_colt_express_log.SENTENCES,
    "exploding-kittens": test_exploding_kittens_log.SENTENCES,
    "pandemic": test_pandemic_log.SENTENCES,
    "uno": test_uno_log.SENTENCES,
    "virus": test_virus_log.SENTENCES,
}


def sentences_of_love_letter(update: Update) -> Iterator[str]:
    """Yields the kind of each sentence of an action of Love Letter after its check."""
    for reader in (None, *range(update.before.players)):
        yield from test_log_of_python_games.checked(update, reader)


def check_game(name: str, agent: str, seed: int) -> int:
    """Reads the log of a game in Python; returns the number of sentences."""
    table = kibitz.load(name).table()
    session = Session(table, [agent] * table.players, seed)
    sentences = 0
    while not session.is_over and len(session.moves) < MOST:
        update = session.advance()
        if name == "love-letter":
            sentences += sum(1 for _ in sentences_of_love_letter(update))
        else:
            sentences += sum(1 for _ in check_update(update, SENTENCES[name]))
    return sentences


def games() -> Iterator[tuple[str, Callable[[str, int], int]]]:
    """The games by name, each with the function that reads one played by an agent."""
    for name in test_truth.GAMES:
        yield name, lambda agent, seed, name=name: test_truth.check_game(name, agent, seed, MOST)
    for name in (*SENTENCES, "love-letter"):
        yield name, lambda agent, seed, name=name: check_game(name, agent, seed)


def main(wanted: int) -> int:
    """Reads at least so many sentences; returns the number of games with a false one."""
    counts: Counter[str] = Counter()
    false = 0
    for seed in itertools.count(1):
        for (name, read), agent in itertools.product(games(), AGENTS):
            try:
                counts[name] += read(agent, seed)
            except AssertionError as error:
                false += 1
                print(f"{name}, {agent}, seed {seed}: {error}", flush=True)
            if counts.total() >= wanted:
                for each, count in counts.items():
                    print(f"{count:8,}  {each}")
                print(f"{counts.total():8,}  sentences, {false} games with a false one")
                return false
    raise AssertionError


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])) > 0)

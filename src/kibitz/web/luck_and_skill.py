"""Luck and skill in one game: the gains of each player by the deal, draws and choices.

Along a game a player's chance goes from the fair share to the outcome, and each step of the way
belongs to one source; ``kibitz.studies.judged`` has the ledger, and what its values are: shares
of the win, with everything open that any player knows, if all play on at random. So draws gain
nobody anything on average.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from kibitz.arena.judge import Judge, JudgeOptions
from kibitz.core.randomness import native_seed
from kibitz.core.sides import fair_share
from kibitz.players.search import Rollout
from kibitz.studies.judged import DEAL, DRAWS, ERROR, OTHERS, OWN, SEAT, Judged
from kibitz.web.review import GameReplay

FEWEST, MOST = 32, 8192
"""Random playouts of each option: at first, and at most."""
SECONDS = 2.0
"""About so long a game is judged, if the fewest playouts take less."""
MOST_ERROR = 0.12
"""With a larger one luck and skill are not told apart: long games add up much noise."""
MOST_EVENTS = 3
"""Strokes of luck that are named."""
LEAST_EFFECT = 0.1
"""What such a stroke changes at least, in shares of the win."""


@dataclass(frozen=True)
class ChanceEvent:
    """An event of chance, and its effect.

    Attributes:
        number: how many actions had been played when it had happened.
        player: who gained most by it.
        gain: the gain, as a share of a win.
    """

    number: int
    player: int
    gain: float


@dataclass(frozen=True)
class LuckAndSkill:
    """The gains and losses of each player in a game, in shares of the win.

    Attributes:
        deal: by the seat and what was dealt at the beginning.
        draws: by what chance did later.
        own: by their own choices, against choosing at random.
        others: by the others' choices.
        noise: what the playouts leave open; all five add up to the result less the fair share.
        result: each player's share of the win.
        error: the standard error of these numbers, from two halves of the playouts.
        chance_events: those with the greatest effects.
    """

    deal: tuple[float, ...]
    draws: tuple[float, ...]
    own: tuple[float, ...]
    others: tuple[float, ...]
    noise: tuple[float, ...]
    result: tuple[float, ...]
    error: float
    chance_events: tuple[ChanceEvent, ...]

    @property
    def is_precise(self) -> bool:
        """Whether the error of the playouts is small enough for the numbers to be shown."""
        return self.error <= MOST_ERROR


def luck_and_skill(replay: GameReplay, samples: int = 0) -> LuckAndSkill | None:
    """The gains by luck and by choices in a game.

    Args:
        replay: the game to judge.
        samples: random playouts of each option; 0: as many as there is time for.

    Returns:
        ``None`` where it was given up, the game is not over, or there is nobody to win against.
    """
    table = replay.table
    if not replay.states[-1].is_terminal or not table.has_rivals:
        return None
    began = time.thread_time()
    judged = _judged(replay, samples or FEWEST)
    spent = time.thread_time() - began
    if judged is not None and not samples and spent < SECONDS / 2:
        times = SECONDS / max(spent, SECONDS * FEWEST / MOST)
        judged = _judged(replay, FEWEST * int(times))
    return None if judged is None else _from_judged(judged)


def _judged(replay: GameReplay, samples: int) -> Judged | None:
    """The game as judged by so many playouts; ``None`` where it was stopped.

    In a game of several deals playouts end with the deal, whose scores are valued as searches do.
    """
    options = JudgeOptions(samples=samples, rollout=Rollout.DEAL)
    binding = Judge(options).bind(replay.table.fork(), replay.given_up)
    chosen = [move.action for move in replay.record.moves if not move.forced]
    seed = native_seed(replay.record.seed)
    if not binding.judge(0, seed, chosen, start=replay.states[0]):
        return None
    binding.table.raise_pending()
    return Judged(*binding.take(), fair_share(replay.table.sides))


def _from_judged(judged: Judged) -> LuckAndSkill:
    [ledger] = judged.ledger()
    halves = [_half(judged, half).ledger()[0] for half in range(2)]
    error = float(np.sqrt(np.mean((halves[0] - halves[1])[:, [DRAWS, OWN, OTHERS]] ** 2))) / 2

    def gained(*sources: int) -> tuple[float, ...]:
        return tuple(float(value) for value in ledger[:, list(sources)].sum(axis=1))

    return LuckAndSkill(
        deal=gained(SEAT, DEAL),
        draws=gained(DRAWS),
        own=gained(OWN),
        others=gained(OTHERS),
        noise=gained(ERROR),
        result=tuple(float(share) for share in judged.outcomes[0]),
        error=error,
        chance_events=_chance_events(judged),
    )


def _half(judged: Judged, half: int) -> Judged:
    """The gains by one half of the playouts."""
    steps = judged.steps.copy()
    for when in ("before", "after"):
        steps["seats"][when] = steps["seats"][when][:, :, half : half + 1]
    return replace(judged, steps=steps)


def _chance_events(judged: Judged) -> tuple[ChanceEvent, ...]:
    """The events of chance with the greatest effects, the greatest first."""
    change = judged.before[1:] - judged.after[:-1]
    player = change.argmax(axis=1)
    size = np.where(judged.steps["chance"][1:] != 0, change.max(axis=1), 0.0)
    order = np.argsort(-size, kind="stable")[:MOST_EVENTS]
    return tuple(
        ChanceEvent(
            int(judged.steps["action"][at + 1]), int(player[at]), float(change[at, player[at]])
        )
        for at in order
        if size[at] >= LEAST_EFFECT
    )

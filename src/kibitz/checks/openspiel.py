"""The same tests for games of OpenSpiel, by ``resample_from_infostate``.

They need the package ``open_spiel``, which is in the extra ``kibitz[bench]``.

A sample of a player's information set has to look to that player like the true state: strings,
tensors and legal actions. Where it does not, either a string or a tensor shows what the player
cannot know, or the sample contradicts what the player knows; the finding says what differs.
"""

from __future__ import annotations

import difflib
import random
from collections import Counter
from typing import Any

from kibitz.checks.certificate import Certificate, Leak, Promise
from kibitz.core.errors import MissingExtraError, ParameterError
from kibitz.core.parameters import whole_number
from kibitz.core.progress import Progress

try:
    import pyspiel
except ImportError:
    raise MissingExtraError("Games of OpenSpiel", "bench") from None

STATES_OF_A_GAME = 4
"""The number of states of each game that are examined."""
SUSPICIOUS = 8
"""The least number of samples of a state after which it is suspicious that all are the truth."""
LONGEST = 2000
"""The number of actions after which a random game is abandoned."""

_COMPARED: tuple[tuple[Promise, str, str], ...] = (
    (Promise.MEMORY, "information_state_string", "provides_information_state_string"),
    (Promise.MEMORY, "information_state_tensor", "provides_information_state_tensor"),
    (Promise.TEXT, "observation_string", "provides_observation_string"),
    (Promise.FEATURES, "observation_tensor", "provides_observation_tensor"),
)
"""What a player is shown: the promise, the method of a state, and the property of a game type
that says whether the game has it."""


def certify_openspiel(
    game: str,
    *,
    states: int = 100,
    swaps: int = 20,
    seed: int = 0,
    progress: Progress | None = None,
) -> Certificate:
    """Compares what players are shown in states of random games with samples of these.

    Args:
        game: as ``pyspiel.load_game`` takes it: ``"gin_rummy"``, ``"hearts(pass_cards=false)"``.
        states: number of states to examine.
        swaps: number of samples that each state is compared with, for each player.
        seed: of the games and samples.

    Returns:
        the certificate. OpenSpiel's information states remember the whole game, so ``MEMORY`` is a
        promise here that can be broken, while options and the rest stand for the same as in ours.

    Raises:
        ParameterError: there is no such game, it cannot be played at random or offers no samples,
            or a number is too small.
    """
    states, swaps = whole_number("states", states, 1), whole_number("swaps", swaps, 1)
    loaded = _load(game)
    certificate = Certificate(f"openspiel:{game}", loaded.num_players(), {}, seed)
    rng = random.Random(seed)
    used: Counter[int] = Counter()
    unchanged: list[str] = []
    while certificate.states < states:
        try:
            positions = _positions(loaded, rng, used if certificate.games % 2 else None)
        except pyspiel.SpielError as problem:
            raise ParameterError(f"{game} cannot be played: {_reason(problem)}") from None
        if not positions:
            break
        for spot, state in positions[: states - certificate.states]:
            try:
                unchanged += [
                    _place(spot, player)
                    for player in range(loaded.num_players())
                    if not _compare(certificate, loaded, state, player, swaps, rng, spot)
                ]
            except pyspiel.SpielError as problem:
                if not certificate.swaps:
                    raise ParameterError(f"{game} has no samples: {_reason(problem)}") from None
                certificate.not_tried.append(f"OpenSpiel failed: {_reason(problem)}")
                return certificate
            certificate.states += 1
            certificate.decisions += 1
            if progress is not None:
                progress("states", certificate.states, states)
        certificate.games += 1
    if unchanged and swaps >= SUSPICIOUS:
        certificate.not_tried.append(
            f"{len(unchanged)} times all {swaps} samples were the true state: either that player "
            f"knows all, or the samples peek. The first: {unchanged[0]}."
        )
    certificate.untested = _untested(certificate, loaded)
    certificate.complete = True
    return certificate


def _untested(certificate: Certificate, game: Any) -> str:
    """Why a certificate says nothing about leaks, in words; empty if something was tested."""
    if not certificate.states:
        return "in a random game nobody had a decision"
    imperfect = pyspiel.GameType.Information.IMPERFECT_INFORMATION
    if not certificate.hides and game.get_type().information == imperfect:
        return "the game has hidden information, but every sample was the true state"
    return ""


def _load(game: str) -> Any:
    known = pyspiel.registered_names()
    name = game.partition("(")[0]
    if name not in known:
        near = difflib.get_close_matches(name, known)
        raise ParameterError(
            f"OpenSpiel has no game {name!r}"
            + (f"; did you mean {' or '.join(near)}?" if near else ".")
        )
    try:
        return pyspiel.load_game(game)
    except pyspiel.SpielError as problem:
        raise ParameterError(f"OpenSpiel cannot load {game!r}: {_reason(problem)}") from None


def _reason(problem: Exception) -> str:
    return str(problem).partition("\n")[0][:300]


def _positions(game: Any, rng: random.Random, used: Counter[int] | None) -> list[tuple[str, Any]]:
    """A few decisions of a random game, each with the actions that led there, in order.

    If `used` counts the actions of earlier games, players take the rarest action instead.
    """
    state = game.new_initial_state()
    sample: list[tuple[str, Any]] = []
    decisions = 0
    for _ in range(LONGEST):
        if state.is_terminal():
            break
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(outcomes, chances)[0])
            continue
        if state.is_simultaneous_node():
            moves = [rng.choice(state.legal_actions(p) or [0]) for p in range(game.num_players())]
            state.apply_actions(moves)
            continue
        decisions += 1  # reservoir sampling: every decision has the same chance
        place = len(sample) if len(sample) < STATES_OF_A_GAME else rng.randrange(decisions)
        if place < STATES_OF_A_GAME:
            spot = " ".join(map(str, state.history()))
            sample[place : place + 1] = [(spot, state.clone())]
        legal = state.legal_actions()
        action = rng.choice(legal)
        if used is not None:
            action = min(legal, key=lambda a: (used[a], a != action))
            used[action] += 1
        state.apply_action(action)
    return sample


def _compare(
    certificate: Certificate,
    game: Any,
    state: Any,
    player: int,
    swaps: int,
    rng: random.Random,
    spot: str,
) -> bool:
    """Compares a state with samples of what a player knows; whether one was another state."""
    before = certificate.differed
    kind = game.get_type()
    shown = [
        (promise, method, getattr(state, method)(player))
        for promise, method, ability in _COMPARED
        if getattr(kind, ability)
    ]
    truth = str(state)
    for _ in range(swaps):
        sample = state.resample_from_infostate(player, rng.random)
        certificate.swaps += 1
        other = str(sample) != truth
        if other:
            certificate.differed += 1
            certificate.hides = True
        differing = [
            (promise, f"{method} differs")
            for promise, method, true in shown
            if getattr(sample, method)(player) != true
        ]
        if sample.current_player() != state.current_player():
            differing.append((Promise.OBSERVATION, "another player is to move"))
        elif state.current_player() == player and sample.legal_actions() != state.legal_actions():
            differing.append((Promise.OPTIONS, "the legal actions differ"))
        for promise in {Promise.OBSERVATION, Promise.OPTIONS, *(p for p, _, _ in shown)}:
            certificate.tried[promise] += other
        for promise, message in differing:
            certificate.add(Leak(promise, message, player, _place(spot, player)))
    return certificate.differed > before


def _place(spot: str, player: int) -> str:
    """Where a leak shows: the player, from 0, after the actions of the game, shortened."""
    words = spot.split()
    middle = [f"... {len(words) - 40} more ..."] if len(words) > 40 else []
    return f"player {player} after {' '.join([*words[:20], *middle, *words[20:][-20:]])}"


__all__ = ["certify_openspiel"]

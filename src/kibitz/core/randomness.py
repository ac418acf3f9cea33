"""Random numbers that are the same compiled and uncompiled, on every platform.

The generator is *sfc32* (Chris Doty-Humphrey, PractRand, 2010): 128 bits of state, passes
PractRand and BigCrush, needs no multiplication. It works on 32-bit values kept in 64-bit
signed integers, so that plain Python integers and native ones run the very same code.

A stream is an array of four 64-bit integers, wherever it is kept (``state.rng``, an agent's
own stream). The functions on streams are *rule functions*: callable from compiled rules.
"""

from __future__ import annotations

from collections.abc import MutableSequence

from kibitz.core.errors import ParameterError

MASK32 = 0xFFFFFFFF

Stream = MutableSequence[int]
"""Four integers in 0 .. 2**32 - 1: the state of one generator."""

GAME_STREAM = 0
"""Number of the stream, of a game's seed, that decides the luck of the game."""
AGENT_STREAM = 1
"""Number of the first seat's agent's stream; those of the other seats follow."""
OBSERVATION_STREAM = 1000
"""Number of the stream for the first seat's observations; those of the other seats follow."""


def check_seed(seed: int) -> None:
    """
    Raises:
        ParameterError: the seed does not fit into the 64 bits that native code is given.
    """
    if not isinstance(seed, int) or not -(2**63) <= seed < 2**63:
        raise ParameterError(f"seed = {seed} should be a whole number of 64 bits.")


def start_stream(rng: Stream, seed: int, index: int) -> None:
    """Starts stream number `index` of `seed`: different pairs give unrelated streams."""
    rng[0] = (seed ^ (index >> 32)) & MASK32
    rng[1] = (seed >> 32) & MASK32
    rng[2] = index & MASK32
    rng[3] = 1
    for _ in range(15):
        next_uint32(rng)


def next_uint32(rng: Stream) -> int:
    """The next 32 random bits, as an integer in 0 .. 2**32 - 1."""
    a = rng[0]
    b = rng[1]
    c = rng[2]
    counter = rng[3]
    result = (a + b + counter) & MASK32
    rng[0] = b ^ (b >> 9)
    rng[1] = (c + (c << 3)) & MASK32
    rng[2] = (((c << 21) | (c >> 11)) + result) & MASK32
    rng[3] = (counter + 1) & MASK32
    return result


def random_below(rng: Stream, n: int) -> int:
    """A uniform integer in 0 .. n - 1, without bias, for 1 <= n < 2**31.

    Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019.
    """
    product = next_uint32(rng) * n
    low = product & MASK32
    if low < n:
        threshold = (MASK32 + 1 - n) % n
        while low < threshold:
            product = next_uint32(rng) * n
            low = product & MASK32
    return product >> 32


def random_unit(rng: Stream) -> float:
    """A uniform number in [0, 1), in steps of 2**-32."""
    return next_uint32(rng) * (1.0 / 4294967296.0)


def split_stream(rng: Stream, child: Stream) -> None:
    """Starts `child` from draws of `rng`, so that the two never meet."""
    low = next_uint32(rng)
    high = next_uint32(rng)
    index = next_uint32(rng)
    start_stream(child, low | (high << 31), index)


def derive_seed(rng: Stream, seed: int, index: int) -> int:
    """The seed of game number `index` of a run: an integer in 0 .. 2**60 - 1.

    `rng` is four integers to work with; what they hold does not matter.
    """
    start_stream(rng, seed, index)
    high = next_uint32(rng) >> 2
    return (high << 30) | (next_uint32(rng) >> 2)

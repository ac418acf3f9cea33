"""Random numbers that are the same compiled and uncompiled, on every platform.

The generator is *sfc32* (Chris Doty-Humphrey, PractRand, 2010): 128 bits of state, passes
PractRand and BigCrush, needs no multiplication. It works on 32-bit values kept in 64-bit
signed integers, so that plain Python integers and native ones run the very same code.

A stream is an array of four 64-bit integers, such as ``state.rng`` or the stream of an agent. The
functions on streams are *rule functions*: compiled rules can call them.
"""

from __future__ import annotations

import hashlib
import secrets
import struct
from collections.abc import MutableSequence

from kibitz.core.errors import ParameterError

MASK32 = 0xFFFFFFFF

Stream = MutableSequence[int]
"""Four integers in 0 .. 2**32 - 1: the state of one generator."""

GAME_STREAM = 0
"""The number of the stream that decides the chance events of a game."""
AGENT_STREAM = 1
"""The number of the stream of the first seat's agent; those of the other seats follow."""
PARAMETERS_STREAM = 500
"""The number of the stream that draws the parameters of a game."""
OBSERVATION_STREAM = 1000
"""The number of the stream that samples for the first seat; those of the other seats follow."""

WATCH_STREAM = 2000
"""The number of the stream that the first seat's agent gets to watch the start of a game.

Those of the other seats follow, then those after each action, ``MAX_PLAYERS`` apart.
"""


def check_seed(seed: int) -> None:
    """Raises ParameterError if a seed does not fit into the 64 bits that native code takes."""
    if not isinstance(seed, int) or not -(2**63) <= seed < 2**63:
        raise ParameterError(f"seed = {seed!r} should be a whole number of 64 bits.")


SECRET_BITS = 128
"""The number of random bits in a secret seed, which is that of a stream."""
_MOST_BITS = 256


def secret_seed() -> int:
    """A seed of ``SECRET_BITS`` random bits, for games whose players must not find it by search.

    All seeds of 64 bits can be searched in affordable time, by comparing the games that they start
    with one's own hand. Since sfc32 is no cipher, this keeps a seed secret and nothing more.
    """
    return secrets.randbits(SECRET_BITS) | 1 << SECRET_BITS  # never one of 64 bits


def is_wide(seed: int) -> bool:
    """Whether a seed has more than the 64 bits that native code takes."""
    return not -(2**63) <= seed < 2**63


def check_game_seed(seed: int) -> None:
    """Checks the seed of a game that is played outside of the match loop.

    Raises:
        ParameterError: the seed has more than 256 bits, or is negative and has more than 64.
    """
    if not isinstance(seed, int):
        raise ParameterError(f"seed = {seed!r} should be a whole number, such as 7.")
    if not -(2**63) <= seed < 2**_MOST_BITS:
        shown = seed if abs(seed) < 2**_MOST_BITS else f"a number of {seed.bit_length():,} bits"
        raise ParameterError(
            f"seed = {shown} is out of range: give one from -2**63 to 2**{_MOST_BITS} - 1."
        )


def seed_stream(rng: Stream, seed: int, index: int) -> None:
    """Starts stream number `index` of a seed of any size; not for compiled code.

    Up to 64 bits this is ``start_stream``. A wider seed is hashed with `index` (BLAKE2b), which
    fills all of the stream's 128 bits.
    """
    if not is_wide(seed):
        start_stream(rng, seed, index)
        return
    digest = hashlib.blake2b(f"{seed} {index}".encode(), digest_size=16).digest()
    for place, word in enumerate(struct.unpack("<4I", digest)):
        rng[place] = word


def native_seed(seed: int) -> int:
    """The seed itself, or 63 bits of the hash of a wide one, for native code other than the game.

    No hidden information of a game may depend on it.
    """
    if not is_wide(seed):
        return seed
    digest = hashlib.blake2b(str(seed).encode(), digest_size=8, person=b"native").digest()
    return int.from_bytes(digest) >> 1


def start_stream(rng: Stream, seed: int, index: int) -> None:
    """Starts stream number `index` of `seed`: different pairs give unrelated streams."""
    a, b, c, counter = (seed ^ (index >> 32)) & MASK32, (seed >> 32) & MASK32, index & MASK32, 1
    for _ in range(15):
        _, a, b, c, counter = _step(a, b, c, counter)
    rng[0] = a
    rng[1] = b
    rng[2] = c
    rng[3] = counter


def next_uint32(rng: Stream) -> int:
    """The next 32 random bits, as an integer in 0 .. 2**32 - 1."""
    result, rng[0], rng[1], rng[2], rng[3] = _step(rng[0], rng[1], rng[2], rng[3])
    return result


def random_below(rng: Stream, n: int) -> int:
    """A uniform integer in 0 .. n - 1, without bias, for 1 <= n < 2**31.

    Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019.
    """
    result, rng[0], rng[1], rng[2], rng[3] = _step_below(rng[0], rng[1], rng[2], rng[3], n)
    return result


def shuffle(rng: Stream, items: MutableSequence[int], count: int) -> None:
    """Shuffles the first `count` items uniformly.

    R. Durstenfeld, "Algorithm 235: Random permutation", Comm. ACM 7(7), 1964.
    """
    a, b, c, counter = rng[0], rng[1], rng[2], rng[3]
    for i in range(count - 1, 0, -1):
        j, a, b, c, counter = _step_below(a, b, c, counter, i + 1)
        item = items[i]
        items[i] = items[j]
        items[j] = item
    rng[0] = a
    rng[1] = b
    rng[2] = c
    rng[3] = counter


def shuffle_from(
    a: int, b: int, c: int, counter: int, items: MutableSequence[int], count: int
) -> None:
    """Shuffles the first `count` items by the stream that these four words begin."""
    for _ in range(2):
        _, a, b, c, counter = _step(a, b, c, counter)
    for i in range(count - 1, 0, -1):
        j, a, b, c, counter = _step_below(a, b, c, counter, i + 1)
        item = items[i]
        items[i] = items[j]
        items[j] = item


Drawn = tuple[int, int, int, int, int]
"""A number and the stream after it, which a loop keeps in registers instead of memory."""


def _step(a: int, b: int, c: int, counter: int) -> Drawn:
    """32 random bits, with the stream after them."""
    result = (a + b + counter) & MASK32
    rotated = (c << 21) | (c >> 11)
    return (
        result,
        b ^ (b >> 9),
        (c + (c << 3)) & MASK32,
        (rotated + result) & MASK32,
        (counter + 1) & MASK32,
    )


def _step_below(a: int, b: int, c: int, counter: int, n: int) -> Drawn:
    """A uniform integer in 0 .. n - 1, with the stream after it."""
    bits, a, b, c, counter = _step(a, b, c, counter)
    if bits * n & MASK32 < n:
        bits, a, b, c, counter = _step_fairly(bits, a, b, c, counter, n)
    return bits * n >> 32, a, b, c, counter


def _step_fairly(bits: int, a: int, b: int, c: int, counter: int, n: int) -> Drawn:
    """32 random bits from which each of n numbers follows with the same probability."""
    threshold = (MASK32 + 1 - n) % n
    while bits * n & MASK32 < threshold:
        bits, a, b, c, counter = _step(a, b, c, counter)
    return bits, a, b, c, counter


def random_unit(rng: Stream) -> float:
    """A uniform number in [0, 1), in steps of 2**-32."""
    return next_uint32(rng) * (1.0 / 4294967296.0)


def split_stream(rng: Stream, child: Stream) -> None:
    """Seeds `child` from draws of `rng`, so that the two are unrelated."""
    low = next_uint32(rng)
    high = next_uint32(rng)
    index = next_uint32(rng)
    start_stream(child, low | (high << 31), index)


def derive_seed(rng: Stream, seed: int, index: int) -> int:
    """The seed of game number `index` of a run: an integer in 0 .. 2**60 - 1.

    `rng` is scratch memory of four integers.
    """
    start_stream(rng, seed, index)
    high = next_uint32(rng) >> 2
    return (high << 30) | (next_uint32(rng) >> 2)

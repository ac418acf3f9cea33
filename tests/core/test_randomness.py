"""The random streams: the right generator, without bias, the same compiled and uncompiled."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.errors import ParameterError
from kibitz.core.memory import INT64, array_at
from kibitz.core.native import Export, compile_native
from kibitz.core.randomness import (
    SECRET_BITS,
    check_game_seed,
    derive_seed,
    is_wide,
    native_seed,
    next_uint32,
    random_below,
    random_unit,
    secret_seed,
    seed_stream,
    shuffle,
    split_stream,
    start_stream,
)

seeds = st.integers(-(2**63), 2**63 - 1)
indices = st.integers(0, 2**62)


def stream(seed: int, index: int = 0) -> list[int]:
    rng = [0, 0, 0, 0]
    start_stream(rng, seed, index)
    return rng


# --- the generator ------------------------------------------------------------------------


def sfc32(a: int, b: int, c: int, counter: int) -> tuple[int, tuple[int, int, int, int]]:
    """One step as PractRand has it in C, with unsigned 32-bit integers spelt out."""
    word = 2**32
    result = (a + b + counter) % word
    a, b = b ^ b // 2**9, (c + c * 2**3) % word
    c = (c * 2**21 % word + c // 2**11 + result) % word
    return result, (a, b, c, (counter + 1) % word)


@given(st.tuples(*[st.integers(0, 2**32 - 1)] * 4))
def test_a_step_is_that_of_sfc32(words: tuple[int, int, int, int]) -> None:
    rng = list(words)
    result = next_uint32(rng)
    assert (result, tuple(rng)) == sfc32(*words)


def test_the_streams_stay_what_they_were_in_earlier_versions() -> None:
    rng = stream(2024, 7)
    expected = [4265599129, 3906048429, 1934988328, 3472723661, 498013509, 2442572974]
    assert [next_uint32(rng) for _ in range(6)] == expected


@given(seeds, indices)
def test_a_stream_holds_32_bit_words_only(seed: int, index: int) -> None:
    rng = stream(seed, index)
    for _ in range(5):
        assert 0 <= next_uint32(rng) < 2**32
    assert all(0 <= word < 2**32 for word in rng)


# --- different streams --------------------------------------------------------------------


def test_different_seeds_and_indices_give_different_streams() -> None:
    starts = {
        tuple(next_uint32(rng) for _ in range(4))
        for seed, index in itertools.product(range(-20, 20), range(40))
        for rng in [stream(seed, index)]
    }
    assert len(starts) == 40 * 40


@pytest.mark.parametrize("seed", [0, 1, 123456789])
def test_each_bit_of_seed_and_index_changes_half_of_the_output_bits(seed: int) -> None:
    plain = stream(seed)
    before = [next_uint32(plain) for _ in range(32)]
    changed = [stream(seed ^ 1 << bit) for bit in range(64)]
    changed += [stream(seed, 1 << bit) for bit in range(32)]
    bits = 32 * 32
    flipped = [sum((word ^ next_uint32(r)).bit_count() for word in before) for r in changed]
    assert all(abs(count - bits / 2) < 4.5 * bits**0.5 / 2 for count in flipped)
    assert abs(sum(flipped) - 96 * bits / 2) < 4 * (96 * bits) ** 0.5 / 2


def test_a_split_stream_meets_neither_its_parent_nor_its_siblings() -> None:
    parent = stream(5)
    children = [[0, 0, 0, 0] for _ in range(3)]
    for child in children:
        split_stream(parent, child)
    drawn = [[next_uint32(rng) for _ in range(200)] for rng in [parent, *children]]
    assert len({word for words in drawn for word in words}) == 4 * 200


def test_derived_seeds_are_distinct_and_within_60_bits() -> None:
    scratch = [9, 9, 9, 9]
    derived = [derive_seed(scratch, 3, index) for index in range(5_000)]
    assert len(set(derived)) == len(derived)
    assert all(0 <= seed < 2**60 for seed in derived)
    assert max(derived) > 2**59
    assert derive_seed([0, 0, 0, 0], 3, 17) == derived[17]
    assert derive_seed([0, 0, 0, 0], 4, 17) != derived[17]


# --- numbers in a range -------------------------------------------------------------------


@given(seeds, st.integers(1, 2**31 - 1))
def test_random_below_stays_below(seed: int, n: int) -> None:
    rng = stream(seed)
    assert all(0 <= random_below(rng, n) < n for _ in range(10))


def chi_square(counts: list[int]) -> float:
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 / expected for count in counts)


def chi_square_limit(freedom: int) -> float:
    """What one sample in a million exceeds (Wilson and Hilferty's approximation)."""
    variance = 2 / (9 * freedom)
    return float(freedom * (1 - variance + 4.753 * variance**0.5) ** 3)


@pytest.mark.parametrize("n", [2, 3, 6, 10, 52])
def test_random_below_takes_every_value_equally_often(n: int) -> None:
    rng = stream(n)
    counts = [0] * n
    for _ in range(20_000):
        counts[random_below(rng, n)] += 1
    assert chi_square(counts) < chi_square_limit(n - 1)


def test_random_below_rejects_what_would_make_large_ranges_uneven() -> None:
    # 2**32 is no multiple of n = 3 * 2**29: without rejection the remainders of division by
    # three come 3 : 3 : 2
    rng = stream(1)
    counts = [0] * 3
    for _ in range(5_000):
        counts[random_below(rng, 3 * 2**29) % 3] += 1
    assert chi_square(counts) < chi_square_limit(2)


def test_random_unit_fills_the_interval_evenly() -> None:
    rng = stream(4)
    values = [random_unit(rng) for _ in range(10_000)]
    assert 0.0 <= min(values) < 0.01
    assert 0.99 < max(values) < 1.0
    counts = [sum(int(v * 10) == tenth for v in values) for tenth in range(10)]
    assert chi_square(counts) < chi_square_limit(9)


def test_random_unit_never_reaches_one() -> None:
    # the words that make the next output 2**32 - 1
    assert random_unit([2**32 - 1, 0, 0, 0]) < 1.0


@given(seeds, st.lists(st.integers(), max_size=30), st.integers(0, 30))
def test_a_shuffle_draws_each_place_in_turn(seed: int, items: list[int], count: int) -> None:
    count = min(count, len(items))
    expected, drawn = list(items), stream(seed)
    for i in range(count - 1, 0, -1):
        j = random_below(drawn, i + 1)
        expected[i], expected[j] = expected[j], expected[i]
    rng = stream(seed)
    shuffle(rng, items, count)
    assert (items, rng) == (expected, drawn)


# --- compiled -----------------------------------------------------------------------------


def _start(address: int, seed: int, index: int) -> None:
    start_stream(array_at(address, INT64, 4), seed, index)


def _next(address: int) -> int:
    return next_uint32(array_at(address, INT64, 4))


def _below(address: int, n: int) -> int:
    return random_below(array_at(address, INT64, 4), n)


def _unit(address: int) -> float:
    return random_unit(array_at(address, INT64, 4))


def _split(address: int, child: int) -> None:
    split_stream(array_at(address, INT64, 4), array_at(child, INT64, 4))


def _derive(address: int, seed: int, index: int) -> int:
    return derive_seed(array_at(address, INT64, 4), seed, index)


Native = Mapping[str, Callable[..., Any]]


@pytest.fixture(scope="module")
def native() -> Native:
    exports = {
        "start": Export(_start, "viii"),
        "next": Export(_next, "ii"),
        "below": Export(_below, "iii"),
        "unit": Export(_unit, "fi"),
        "split": Export(_split, "vii"),
        "derive": Export(_derive, "iiii"),
    }
    addresses = compile_native("test streams", exports)
    return {name: export.bind(addresses[name]) for name, export in exports.items()}


def test_compiled_and_uncompiled_streams_are_identical(native: Native) -> None:
    @given(seeds, indices, st.lists(st.integers(1, 2**31 - 1), max_size=12))
    def check(seed: int, index: int, ranges: list[int]) -> None:
        plain = stream(seed, index)
        memory = np.zeros((2, 4), np.int64)
        compiled, child = (int(row.ctypes.data) for row in memory)
        native["start"](compiled, seed, index)
        assert memory[0].tolist() == plain
        for n in ranges:
            assert native["below"](compiled, n) == random_below(plain, n)
            assert native["next"](compiled) == next_uint32(plain)
            assert native["unit"](compiled) == random_unit(plain)
        plain_child = [0, 0, 0, 0]
        split_stream(plain, plain_child)
        native["split"](compiled, child)
        assert memory.tolist() == [plain, plain_child]
        assert native["derive"](child, seed, index) == derive_seed(plain_child, seed, index)

    check()


# --- seeds of more than 64 bits -----------------------------------------------------------


def wide_stream(seed: int, index: int = 0) -> list[int]:
    rng = [0, 0, 0, 0]
    seed_stream(rng, seed, index)
    return rng


@given(seeds, st.integers(0, 2**40))
def test_a_seed_of_64_bits_gives_the_stream_that_native_code_starts(seed: int, index: int) -> None:
    assert wide_stream(seed, index) == stream(seed, index)
    assert native_seed(seed) == seed


@given(st.integers(2**63, 2**256 - 1), st.integers(0, 255), st.integers(0, 2**40))
def test_every_bit_of_a_wide_seed_matters(seed: int, bit: int, index: int) -> None:
    other = seed ^ 1 << bit
    assert wide_stream(seed, index) != wide_stream(other, index)
    assert wide_stream(seed, index) != wide_stream(seed, index + 1)
    assert all(0 <= word < 2**32 for word in wide_stream(seed, index))


def test_the_streams_of_wide_seeds_fill_all_128_bits() -> None:
    words = np.array([wide_stream(2**63 + i) for i in range(400)])
    assert (np.bitwise_or.reduce(words) == 2**32 - 1).all()
    assert (np.bitwise_and.reduce(words) == 0).all()


def test_secret_seeds_have_128_random_bits_and_are_wide() -> None:
    drawn = [secret_seed() for _ in range(200)]
    assert all(is_wide(seed) and seed >> SECRET_BITS == 1 for seed in drawn)
    union = 0
    for seed in drawn:
        union |= seed
    assert union == 2 ** (SECRET_BITS + 1) - 1


def test_a_wide_seed_repeats_the_stream_in_every_version() -> None:
    assert wide_stream(2**128 + 7, 3) == [1402078411, 1378972431, 2296087417, 1469904691]


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        (2**256, r"a number of 257 bits is out of range: give one from -2\*\*63 to 2\*\*256 - 1"),
        (-(2**63) - 1, "seed = -9223372036854775809 is out of range"),
        (1 << 5000, "a number of 5,001 bits is out of range"),
        (1.5, "seed = 1.5 should be a whole number, such as 7"),
        ("7", "seed = '7' should be a whole number"),
    ],
)
def test_what_cannot_be_the_seed_of_a_game(seed: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        check_game_seed(seed)

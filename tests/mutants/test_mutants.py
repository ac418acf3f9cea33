"""Mutants are determined by seed and number, and every failure is attributed to its process."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.mutants import children
from tests.mutants.children import outcome
from tests.mutants.minimal import minimized
from tests.mutants.mutation import LEXICONS, mutant, originals, parsed

from kibitz.loading import language_for
from kibitz.syntax.source import Source

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="forks processes with limits"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork"),
]


def test_a_mutant_is_the_same_for_the_same_seed_and_number() -> None:
    assert mutant("a", 3).text == mutant("a", 3).text
    assert len({mutant(seed, number).text for seed in "ab" for number in range(20)}) > 30


@pytest.mark.parametrize("suffix", LEXICONS)
def test_a_library_game_without_a_change_has_no_errors(suffix: str) -> None:
    name, text = originals(suffix)[0]
    language = language_for(name)
    assert language is not None
    assert language.errors(Source(name, parsed(name, text).text)) == []


def loop() -> str:
    while True:
        pass


FAILURES: dict[str, tuple[Callable[[], object], str]] = {
    "traceback": (lambda: [][1], "IndexError in test_mutants.py"),
    "crash": (lambda: ctypes.string_at(0), "exit code -11, stage test"),
    "hang": (loop, "stage test"),
    "memory": (lambda: len(b"1" * (600 << 20)), "stage test"),
    "slow": (lambda: sum(range(10_000_000)), "stage test"),
}


@pytest.mark.parametrize("kind", FAILURES)
def test_a_failure_is_attributed(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "MOST_SECONDS", 1 if kind == "hang" else 20)
    monkeypatch.setattr(children, "SLOW_SECONDS", 0.01 if kind == "slow" else 60.0)
    work, cause = FAILURES[kind]

    def named(stage: children.Stage) -> str:
        stage("test")
        return str(work())

    result = outcome(named)
    assert (result.kind, result.failed) == (kind, True)
    assert result.cause.startswith(cause)


def test_no_more_processes_run_at_once_than_workers(tmp_path: Path) -> None:
    def work(stage: children.Stage) -> str:
        (tmp_path / str(os.getpid())).touch()
        time.sleep(0.01)
        running = len(list(tmp_path.iterdir()))
        (tmp_path / str(os.getpid())).unlink()
        return str(running)

    counts = [result.kind for _, result in children.outcomes([(n, work) for n in range(8)], 2)]
    assert len(counts) == 8
    assert set(counts) <= {"1", "2"}


def test_what_does_not_fail_returns_its_word() -> None:
    assert outcome(lambda stage: "played").kind == "played"


def test_a_minimized_mutant_keeps_what_its_failure_needs() -> None:
    small = minimized(
        parsed("x.kif", "; A game\n(role a) (<= (p ?x) (q ?x) (r (f ?x) b)) (init s)"),
        lambda candidate: "( f ?x )" in candidate.text.replace("(", "( ").replace(")", " )"),
    )
    assert small.text == "(f ?x)\n"

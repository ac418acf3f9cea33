"""Hostile work and rules: without end, without a limit of memory, or crashing."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path


def spin(_: object = None) -> None:
    """Computes for ever, in Python: nothing can stop the thread."""
    while True:
        pass


def eat() -> int:
    """Allocates memory until none can be had."""
    taken = []
    while True:
        taken.append(bytearray(100_000_000))


def die() -> None:
    """Ends the process as a crash would."""
    os._exit(3)


def wait_for(path: Path) -> str:
    """Waits until a file is there."""
    while not path.exists():
        time.sleep(0.005)
    return path.read_text()


def niceness() -> int:
    """The priority of the process."""
    return os.nice(0)


def not_plain() -> random.Random:
    """An object that is not plain data."""
    return random.Random(1)


def closure(nodes: int) -> str:
    """A correct sheet in GDL whose rules derive the square of `nodes`; each role has one move."""
    edges = "\n".join(f"(succ {n} {n + 1})" for n in range(nodes))
    return f"""
(role a) (role b)
(init (s 0))
(legal a x)
(<= (legal b y) (le 0 {nodes}))
(<= (next (s 0)) (true (s 0)))
(<= (next (big ?x ?y)) (le ?x ?y) (true (s 0)))
(<= terminal (true (s 1)))
(goal a 0) (goal b 0)
(<= (le ?x ?y) (succ ?x ?y))
(<= (le ?x ?y) (succ ?x ?z) (le ?z ?y))
{edges}
"""


LOOP = """
(role a) (role random)
(init (s 0))
(legal a x) (legal random x)
(<= (sees a y) (does random x))
(<= (next (s 0)) (true (s 0)))
(<= found (true (s 0)) (not found))
(<= terminal found)
(goal a 0)
"""
"""A recursion through negation, which no rules may have."""

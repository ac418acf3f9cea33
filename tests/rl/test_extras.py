"""Without their packages adapters say what to install, and ``kibitz.rl`` needs none of them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "learning.md"

ADAPTERS = {"gymnasium": "gymnasium", "pettingzoo": "pettingzoo", "openspiel": "pyspiel"}
EXTRAS = {"openspiel": "bench"}


@pytest.mark.parametrize("module", ADAPTERS)
def test_a_missing_package_is_named(module: str) -> None:
    code = f"""
import sys
sys.modules[{ADAPTERS[module]!r}] = None  # as if it were not installed
import kibitz.rl
from kibitz.core.errors import MissingExtraError
try:
    import kibitz.rl.{module}
except MissingExtraError as problem:
    print(problem)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert f"pip install 'kibitz[{EXTRAS.get(module, module)}]'" in done.stdout, done.stderr


def test_the_package_imports_none_of_them() -> None:
    code = "import sys, kibitz.rl; print([m for m in sys.argv[1:] if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code, "gymnasium", "pettingzoo", "pyspiel"],
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize("module", ADAPTERS)
def test_the_code_of_the_page_plays_a_game(module: str) -> None:
    pytest.importorskip(ADAPTERS[module], exc_type=ImportError)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.S)
    (code,) = [block for block in blocks if f"kibitz.rl.{module} " in block]
    names: dict[str, Any] = {}
    exec(compile(code, "learning.md", "exec"), names)
    if module == "openspiel":
        assert sum(names["policy"].values()) == pytest.approx(1)
    else:
        assert names["over"]

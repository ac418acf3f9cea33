"""Fingerprints of rules: what changes them, and what does not."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from kibitz.core.fingerprint import rules_fingerprint
from kibitz.core.native import Export

RULES = '''"""A module."""
LIMIT = 3
"""The limit."""


class Kind:
    """A class."""

    size = 1
    """A size."""


def rule(x):
    """Adds the limit."""
    return x + LIMIT  # at most
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for modules with one name, which is removed from the loaded ones afterwards."""
    monkeypatch.setitem(sys.modules, "rules_of_a_test", sys)
    return tmp_path


def fingerprint(folder: Path, source: str) -> str:
    """The fingerprint of the function ``rule`` of a module with this source."""
    path = folder / f"rules_{len(list(folder.iterdir()))}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location("rules_of_a_test", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["rules_of_a_test"] = module
    spec.loader.exec_module(module)
    return rules_fingerprint({"rule": Export(module.rule, "ii")})


@pytest.mark.parametrize(
    "text", ['"""A module."""', '"""The limit."""', '"""A class."""', '"""A size."""']
)
def test_another_docstring_keeps_the_fingerprint(folder: Path, text: str) -> None:
    changed = RULES.replace(text, '"""Another text."""')
    assert fingerprint(folder, changed) == fingerprint(folder, RULES)


@pytest.mark.parametrize("text", ["  # at most", '\n    """Adds the limit."""'])
def test_no_comment_and_no_docstring_keep_the_fingerprint(folder: Path, text: str) -> None:
    assert fingerprint(folder, RULES.replace(text, "")) == fingerprint(folder, RULES)


@pytest.mark.parametrize(("old", "new"), [("x + LIMIT", "x - LIMIT"), ("= 3", "= 4")])
def test_another_rule_changes_the_fingerprint(folder: Path, old: str, new: str) -> None:
    assert fingerprint(folder, RULES.replace(old, new)) != fingerprint(folder, RULES)

"""Fingerprints of rules in Python, which change when the rules may have changed.

A fingerprint is a hash of the source of the modules with the rules and the functions that they
call, without comments, docstrings and layout, and of the constants that these functions use, which
may come from data files. Unlike the key of machine code it is the same on every machine.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import sys
from collections.abc import Mapping

from kibitz.core.native import Export, compile_lock, constants, describe, reachable


def rules_fingerprint(exports: Mapping[str, Export]) -> str:
    """The fingerprint of a game's rule functions: 16 hexadecimal digits."""
    functions = [f for export in exports.values() for f in reachable(export.function)]
    texts = {_plain_source(name) for name in {function.__module__ for function in functions}}
    for function in functions:
        texts |= {f"{name}={describe(value)}" for name, value in constants(function).items()}
    return text_fingerprint("\n".join(sorted(texts)))


def text_fingerprint(text: str) -> str:
    """The fingerprint of a text: 16 hexadecimal digits."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]


def _plain_source(module: str) -> str:
    """A module's source without comments, docstrings and layout."""
    try:
        source = inspect.getsource(sys.modules[module])
    except (OSError, TypeError, KeyError):  # typed in at a prompt
        return module
    return _without_comments(source)


@functools.lru_cache(maxsize=512)
def _without_comments(source: str) -> str:
    with compile_lock:  # Numba parses, too, and Python 3.11 fails where two threads do
        tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [line for line in body if not _is_docstring(line)] or [ast.Pass()]  # type: ignore[attr-defined]
    return ast.unparse(tree)


def _is_docstring(line: ast.stmt) -> bool:
    """Whether a statement is only a text: a docstring, perhaps that of a constant."""
    value = line.value if isinstance(line, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)

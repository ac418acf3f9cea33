"""The test modules that concern a module, the likeliest to find a fault in it first."""

from __future__ import annotations

import ast
import heapq
from collections import defaultdict
from pathlib import Path

MOST = 10
"""Number of test modules that run for a fault, unless all do."""
CLOSE = 0.05
"""Closeness above which a test module outside of the mirror concerns a module."""


class Relevance:
    """What imports what in a checkout, and where the tests of a package lie.

    The tests of ``src/kibitz/a/b/c.py`` mirror it: they are in ``tests/a/b/test_c.py``, or in
    another file of that folder or of the nearest one above that exists. Other tests concern the
    module if it is one of the few things that they lead to by imports (``closeness``).
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        files = [*(root / "src").rglob("*.py"), *(root / "tests").rglob("*.py")]
        self.names = {_module_name(path.relative_to(root)): path for path in files}
        self.tests = sorted(path for path in files if path.name.startswith("test_"))
        self.importers: dict[Path, set[Path]] = defaultdict(set)
        for path in files:
            for imported in self._imports(path):
                self.importers[imported].add(path)

    def _imports(self, path: Path) -> set[Path]:
        names = set()
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        return {self.names[name] for name in names if name in self.names}

    def tests_for(self, module: Path, all_tests: bool = False) -> list[Path]:
        """The test modules that concern a module, the likeliest to find a fault in it first.

        These are those in its mirror and others close to it, `MOST` at most; with `all_tests` they
        are all test modules.
        """
        closeness = self.closeness(module)
        mirror = self.mirror(module)

        def order(test: Path) -> tuple[bool, bool, float, Path]:
            mirrored = mirror in test.parents
            named = mirrored and test.stem == f"test_{module.stem}"
            return not named, not mirrored, -closeness.get(test, 0.0), test

        tests = sorted(self.tests, key=order)
        if all_tests:
            return tests
        near = [test for test in tests if mirror in test.parents or closeness.get(test, 0) > CLOSE]
        return near[:MOST]

    def closeness(self, module: Path) -> dict[Path, float]:
        """How close each module that imports a module is to it, directly or not.

        The closeness of the module itself is 1. Those that import a module share its closeness
        equally; of several ways the best one counts.
        """
        closeness: dict[Path, float] = {}
        pending = [(-1.0, module)]
        while pending:
            share, path = heapq.heappop(pending)
            if path not in closeness:
                closeness[path] = -share
                importers = self.importers[path]
                for importer in importers:
                    heapq.heappush(pending, (share / len(importers), importer))
        return closeness

    def mirror(self, module: Path) -> Path:
        """The folder of the tests of a module's package."""
        package = module.relative_to(self.root / "src" / "kibitz").parent
        mirrors = [self.root / "tests" / folder for folder in (package, *package.parents)]
        return next(mirror for mirror in mirrors if mirror.is_dir())


def _module_name(path: Path) -> str:
    names = path.with_suffix("").parts
    names = names[1:] if names[0] == "src" else names
    return ".".join(names[:-1] if names[-1] == "__init__" else names)

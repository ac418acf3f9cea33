"""The test modules that concern a module, the likeliest to find a fault in it first."""

from __future__ import annotations

import ast
import math
from collections import defaultdict, deque
from pathlib import Path

MOST = 10
"""Number of test modules that run for a fault, unless all do."""


class Relevance:
    """What imports what in a checkout, and where the tests of a package lie.

    The tests of ``src/kibitz/a/b/c.py`` mirror it: they are in ``tests/a/b/test_c.py``, or in
    another file of that folder or of the nearest one above that exists. Other tests concern the
    module the more, the fewer imports lie between.
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

    def tests_for(self, module: Path, whole: bool = False) -> list[Path]:
        """The test modules that concern a module, the likeliest to find a fault in it first.

        These are the ones in its mirror and those that import it, `MOST` at most; with `whole`
        they are all there are.
        """
        distances = {module: 0}
        pending = deque([module])
        while pending:
            path = pending.popleft()
            for importer in self.importers[path]:
                if importer not in distances:
                    distances[importer] = distances[path] + 1
                    pending.append(importer)
        mirror = self.mirror(module)

        def order(test: Path) -> tuple[bool, bool, float, Path]:
            mirrored = mirror in test.parents
            named = mirrored and test.stem == f"test_{module.stem}"
            return not named, not mirrored, distances.get(test, math.inf), test

        tests = sorted(self.tests, key=order)
        if whole:
            return tests
        near = [test for test in tests if mirror in test.parents or distances.get(test) == 1]
        return near[:MOST]

    def mirror(self, module: Path) -> Path:
        """The folder of the tests of a module's package."""
        package = module.relative_to(self.root / "src" / "kibitz").parent
        mirrors = [self.root / "tests" / folder for folder in (package, *package.parents)]
        return next(mirror for mirror in mirrors if mirror.is_dir())


def _module_name(path: Path) -> str:
    parts = path.with_suffix("").parts
    parts = parts[1:] if parts[0] == "src" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

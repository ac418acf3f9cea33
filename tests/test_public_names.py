"""The names that ``import kibitz`` offers."""

from __future__ import annotations

import ast
import doctest
import inspect
import itertools
import pkgutil
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import python

import kibitz
from kibitz import authoring, components
from kibitz.core.declarations import GameDeclarations

VERBS = """
    agents certify check compare draw exploitability games ladder learn load play playtest record
    replay study tournament transcript tune
"""


def test_every_verb_is_a_documented_function_with_an_example_and_explicit_keywords() -> None:
    for name in VERBS.split():
        verb = getattr(kibitz, name)
        assert inspect.isfunction(verb), name
        assert ">>> " in (verb.__doc__ or ""), name
        kinds = {p.kind for p in inspect.signature(verb).parameters.values()}
        assert inspect.Parameter.VAR_KEYWORD not in kinds, name
        assert inspect.Parameter.VAR_POSITIONAL not in kinds, name


@pytest.mark.parametrize("name", kibitz.__all__)
def test_examples_in_docstrings_run(name: str) -> None:
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for example in doctest.DocTestFinder(exclude_empty=True).find(getattr(kibitz, name), name):
        assert runner.run(example).failed == 0


def test_no_package_hides_a_verb() -> None:
    modules = {module.name for module in pkgutil.iter_modules(kibitz.__path__)}
    assert not modules & set(kibitz.__all__)


@pytest.mark.parametrize("name", kibitz.__all__)
def test_each_can_be_imported(name: str) -> None:
    value = getattr(kibitz, name)
    assert name in dir(kibitz)
    assert value is not None


def test_the_stub_lists_exactly_what_it_imports() -> None:
    tree = ast.parse(Path(kibitz.__file__).with_suffix(".pyi").read_text())
    imported = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    (listed,) = (ast.literal_eval(n.value) for n in tree.body if isinstance(n, ast.Assign))
    assert listed == sorted(imported)
    assert sorted(kibitz.__all__) == listed


def test_other_names_do_not_exist() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        kibitz.nonsense  # type: ignore[attr-defined]  # noqa: B018


def test_importing_kibitz_imports_next_to_nothing() -> None:
    code = "import sys, kibitz; print(*[m for m in sys.modules if m[:6] in ('kibitz', 'numpy')])"
    assert python("-c", code).stdout.split() == ["kibitz"]


def test_authors_find_everything_in_one_place() -> None:
    assert len(set(authoring.__all__)) == len(authoring.__all__)
    assert set(components.__all__) < set(authoring.__all__)
    for name in authoring.__all__:
        assert getattr(authoring, name) is not None


def test_nothing_for_authors_names_the_core() -> None:
    """Where things are defined is the project's own affair."""
    package = Path(kibitz.__file__).parent
    docs = package.parents[1] / "docs"
    pages = [page for page in docs.glob("*.md") if page.name != "architecture.md"]
    for page in [*pages, package.parents[1] / "README.md", *package.glob("templates/**/*.*")]:
        if page.suffix in (".md", ".py", ".toml", ".rcy", ".kif"):
            assert "kibitz.core" not in page.read_text(), page


@pytest.mark.parametrize(
    "function",
    [
        kibitz.Session,
        kibitz.check,
        kibitz.playtest,
        kibitz.playtest_variants,
        kibitz.record,
    ],
)
def test_a_game_is_given_in_every_way_that_there_is(function: Callable[..., Any]) -> None:
    game = next(iter(inspect.signature(function).parameters.values()))
    assert game.annotation == "Playable"


# --- games and states ---------------------------------------------------------------------


def documented(kind: type) -> set[str]:
    """The public names in the body of a class that have a docstring, methods and attributes."""
    tree = ast.parse(inspect.getsource(kind))
    (body,) = (node.body for node in tree.body if isinstance(node, ast.ClassDef))
    names = set(re.findall(r"^    (\w+):", inspect.getdoc(kind) or "", re.MULTILINE))
    for node, after in itertools.pairwise([*body, ast.Pass()]):
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(after, ast.Expr):
            names.add(ast.unparse(node.target))
    return {name for name in names if not name.startswith("_")}


def test_a_game_shows_what_users_need() -> None:
    """Rules and texts are declared, and called by tables and states only."""
    game = kibitz.load("tic-tac-toe")
    names = {name for name in dir(game) if not name.startswith("_")}
    assert len(names) <= 35
    assert names <= documented(kibitz.Game) | documented(GameDeclarations)
    assert {"table", "new_state", "title", "about"} <= names
    assert not names & {"setup", "apply_action", "describe"}
    assert callable(game.setup)


def test_a_state_shows_what_users_need() -> None:
    names = {name for name in dir(kibitz.State) if not name.startswith("_")}
    assert len(names) <= 30
    assert names <= documented(kibitz.State)


def test_the_contract_of_a_game_is_one_page() -> None:
    page = Path(kibitz.__file__).parents[2] / "docs" / "writing-a-game.md"
    _, _, after = page.read_text().partition("## The contract of a game\n")
    section = after.partition("\n## ")[0]
    assert len(section.splitlines()) <= 45
    declared = {name for name in vars(GameDeclarations) if not name.startswith("_")}
    assert declared <= set(re.findall(r"`(\w+)", section))

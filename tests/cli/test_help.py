"""Help: every command has it, with examples, and it is fast."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest
import typer
from tests.cli.conftest import Run, python

from kibitz.cli import app, ggp, runs, tune
from kibitz.cli.app import COMMANDS

NAMES = [command.__name__ for command in COMMANDS]
GROUPS = {"runs": runs.COMMANDS, "tune": tune.COMMANDS, "ggp": ggp.COMMANDS}
GROUPED = [f"{group} {c.__name__}" for group, commands in GROUPS.items() for c in commands]


def test_without_arguments_help_is_printed(kibitz: Run) -> None:
    shown = kibitz()
    assert shown.code == 0
    assert shown.stdout.startswith("Usage: kibitz ")
    assert shown.stdout == kibitz("--help").stdout


def test_help_lists_every_command(kibitz: Run) -> None:
    listing = kibitz("--help").stdout.partition("Commands:")[2]
    assert re.findall(r"^  (\w+) ", listing, re.MULTILINE) == [*NAMES, *GROUPS]
    for group, commands in GROUPS.items():
        listing = kibitz(group, "--help").stdout.partition("Commands:")[2]
        assert re.findall(r"^  (\w+) ", listing, re.M) == [c.__name__ for c in commands]


@pytest.mark.parametrize("name", ["", *GROUPS])
def test_commands_are_listed_with_whole_sentences(kibitz: Run, name: str) -> None:
    listing = kibitz(*name.split(), "--help").stdout.partition("Commands:")[2]
    assert "..." not in listing


@pytest.mark.parametrize("name", ["", *NAMES, *GROUPS, *GROUPED])
def test_help_has_examples_line_by_line(kibitz: Run, name: str) -> None:
    shown = kibitz(*name.split(), "--help")
    assert shown.code == 0
    examples = re.findall(rf"^    (kibitz {name}.*)$", shown.stdout, re.MULTILINE)
    assert len(examples) >= 2
    assert max(map(len, shown.stdout.splitlines())) <= 80


@pytest.mark.parametrize("name", [*NAMES, *GROUPED])
def test_examples_use_options_that_exist(kibitz: Run, name: str) -> None:
    shown = kibitz(*name.split(), "--help").stdout
    for example in re.findall(r"^    (kibitz .*)$", shown, re.MULTILINE):
        options = [word for word in shlex.split(example) if re.match(r"--?[a-z]", word)]
        for option in options:
            assert re.search(rf"^  .*{option}\b", shown.partition("Options:")[2], re.MULTILINE)


@pytest.mark.parametrize("name", [*NAMES, *GROUPED])
def test_no_two_options_of_a_command_have_the_same_name(name: str) -> None:
    command: Any = typer.main.get_command(app)
    for word in name.split():
        command = command.commands[word]
    names = [one for option in command.params for one in (*option.opts, *option.secondary_opts)]
    assert len(names) == len({*names})


def test_version(kibitz: Run) -> None:
    import kibitz as package

    assert kibitz("--version").stdout == f"kibitz {package.__version__}\n"


def test_help_imports_nothing_heavy() -> None:
    names = ["", *NAMES, *GROUPED]
    code = f"""
import sys
from kibitz.cli import app
for name in {names}:
    app([*name.split(), "--help"], standalone_mode=False)
    heavy = sys.modules.keys() & {{"numpy", "numba", "rich"}}
    print(f"{{name}} imports {{sorted(heavy)}}")
    if heavy:
        break
"""
    shown = python("-c", code).stdout.splitlines()
    assert [line for line in shown if " imports [" in line] == [
        f"{name} imports []" for name in names
    ]


def test_a_warm_playtest_does_not_import_numba() -> None:
    arguments = "['playtest', 'tic-tac-toe', '--games', '10', '--json', '-']"
    code = f"import sys; from kibitz.cli import app; app({arguments}, standalone_mode=False); "
    code += "print('numba' in sys.modules)"
    python("-c", code)
    assert python("-c", code).stdout.splitlines()[-1] == "False"


def test_as_a_module() -> None:
    assert python("-m", "kibitz", "--version").stdout.startswith("kibitz ")

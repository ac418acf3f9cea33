"""The pages of the documentation are true: their code runs, their links exist."""

from __future__ import annotations

import doctest
import re
import sys
import types
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import typer
from tests.docs import reference

from kibitz.cli.app import app
from kibitz.core import agent, registry

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.S | re.M)


@pytest.fixture
def _forget_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent, "_added", dict(agent._added))
    monkeypatch.setattr(registry, "_added", dict(registry._added))


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "docs/games-from-python.md",
        "docs/sessions.md",
        "docs/pictures.md",
        "docs/learning.md",
    ],
)
def test_what_is_typed_on_a_page_prints_what_it_says(name: str) -> None:
    page = ROOT / name
    result = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 8
    assert result.failed == 0


@pytest.mark.usefixtures("_forget_agents")
def test_the_agents_of_the_page_play(capsys: pytest.CaptureFixture[str]) -> None:
    for block in blocks(ROOT / "docs" / "agents.md", "python"):
        exec(compile(block, "agents.md", "exec"), {"__name__": "page"})
    lines = capsys.readouterr().out.splitlines()
    functions = ("page:few_cards", "page:few_cards_compiled")
    assert lines[0] == str([f"osla:heuristic={function}" for function in functions])
    assert lines[1].startswith("hoarder 0.")
    assert lines[2] == "stubborn:which=3"


def test_the_game_of_the_page_is_sound(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from kibitz import check

    rules, game, debugging, *_ = blocks(ROOT / "docs" / "writing-a-game.md", "python")
    file = tmp_path / "pig.py"
    file.write_text(rules + game)
    module = types.ModuleType("pig")
    monkeypatch.setitem(sys.modules, "pig", module)
    exec(compile(file.read_text(), str(file), "exec"), vars(module))
    report = check(module.Pig, games=2, players=2)
    assert report.ok, str(report)
    exec(compile(debugging, "writing-a-game.md", "exec"), vars(module))


def test_the_auction_of_the_page_is_sound_and_keeps_bids_secret(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from kibitz.checks.check import check_game

    (auction,) = [
        block
        for block in blocks(ROOT / "docs" / "writing-a-game.md", "python")
        if "Commitment(" in block
    ]
    file = tmp_path / "auction.py"
    file.write_text(auction)
    module = types.ModuleType("auction")
    monkeypatch.setitem(sys.modules, "auction", module)
    exec(compile(auction, str(file), "exec"), vars(module))
    report = check_game(module.Auction, games=2, players=2, compiled=False)
    assert report.ok, str(report)
    state = module.Auction(compiled=False).new_state(2, 1)
    state.apply("bid 3")
    assert state.choosing == (1,)
    assert "bid: made" in state.describe(1)
    state.apply("bid 2")
    assert state.scores() == [5, 0]


def test_the_pets_of_the_page_are_sound_and_ruled_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from kibitz.checks.check import check_game

    (pets,) = [
        block
        for block in blocks(ROOT / "docs" / "writing-a-game.md", "python")
        if "facts=True" in block
    ]
    module = types.ModuleType("pets")
    monkeypatch.setitem(sys.modules, "pets", module)
    file = tmp_path / "pets.py"
    file.write_text(pets)
    exec(compile(pets, str(file), "exec"), vars(module))
    report = check_game(module.Pets, games=2, players=3, compiled=False)
    assert report.ok, str(report)
    state = module.Pets(compiled=False).new_state(2, 1)
    hand = state.to_json()["components"]["hands[1]"]
    missing = next(card for card in module.PETS.words if card not in hand)
    state.apply(f"ask for {missing}")
    assert f"? (not {missing})" in str(state.observation(0))
    for seed in range(50):
        assert missing not in state.determinize(0, seed).to_json()["components"]["hands[1]"]


@pytest.mark.parametrize("compiled", [False, True])
def test_the_numbers_of_the_page_are_seen(monkeypatch: pytest.MonkeyPatch, compiled: bool) -> None:
    module = types.ModuleType("pig")
    monkeypatch.setitem(sys.modules, "pig", module)
    rules, game, *others = blocks(ROOT / "docs" / "writing-a-game.md", "python")
    (numbers,) = [block for block in others if "feature_names" in block]
    exec(compile(rules + game + numbers, "pig.py", "exec"), vars(module))
    table = module.CountingPig(compiled=compiled).table(2)
    assert (
        table.encoder.own == table.encoder.names[-3:] == ("banking wins", "lacks[+0]", "lacks[+1]")
    )
    state = table.new_state(1)
    state.view.banked[0].value, state.view.at_stake.value = 75, 25
    assert table.encoder.encode(state, 0)[-3:].tolist() == [1, 0.25, 1]
    assert table.encoder.encode(state, 1)[-3:].tolist() == [0, 1, 0.25]


def test_the_sides_of_the_page_win_together(monkeypatch: pytest.MonkeyPatch) -> None:
    from kibitz import check, playtest

    module = types.ModuleType("pig")
    monkeypatch.setitem(sys.modules, "pig", module)
    rules, game, *others = blocks(ROOT / "docs" / "writing-a-game.md", "python")
    sides = [block for block in others if "def sides" in block]
    exec(compile(rules + game + "".join(sides), "pig.py", "exec"), vars(module))
    pairs, rescue = module.PartnersPig(compiled=False), module.RescuePig(compiled=False)
    assert pairs.table().sides == ((0, 2), (1, 3))
    assert pairs.table().has_teams
    played = playtest(pairs, games=3, parameters={"target": 10})
    assert sum(side.wins for side in played.rivals) == played.finished == 3
    assert playtest(rescue, games=3, players=3).is_only_scored
    for sound in (pairs, rescue):
        report = check(sound, games=1)
        assert report.ok, str(report)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def test_every_game_has_a_row() -> None:
    listed = re.findall(
        r"^\| `([a-z0-9-]+)` \|", (ROOT / "docs/games.md").read_text("utf-8"), re.M
    )
    own = {e.name for e in entry_points(group="kibitz.games") if e.value.startswith("kibitz.")}
    assert own <= set(listed)


def test_every_file_that_the_architecture_names_exists() -> None:
    """Paths begin at the top, in the package, or in a folder that was named before."""
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    named = set(re.findall(r"`([\w/-]+\.(?:py|js|json|md|toml))`", text))
    files = [ROOT / "pyproject.toml"]
    for folder in ("src", "docs", "tests", "benchmarks", "papers"):
        files += (ROOT / folder).rglob("*.*")
    missing = {name for name in named if not any(f.as_posix().endswith(f"/{name}") for f in files)}
    assert missing == {"tests/library/test_my_game.py"}  # which a recipe has somebody write


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_exist(page: Path) -> None:
    known = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for name in re.findall(r"^(?:scripts/)?kibitz ([a-z]+)", page.read_text("utf-8"), re.M):
        assert name in known, name


def test_the_reference_is_up_to_date() -> None:
    assert reference.PAGE.read_text() == reference.page(), "python -m tests.docs.reference"
    assert not re.findall(r"^### .*\n\n(?=### |## |\Z)", reference.page(), re.MULTILINE)

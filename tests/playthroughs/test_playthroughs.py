import pytest
from tests.playthroughs.variants import FOLDER, PYTHON, own_games, variants, written

COMMAND = "python -m tests.playthroughs"


@pytest.mark.parametrize("name", sorted(variants()))
def test_every_playthrough_is_as_written(name):
    file = FOLDER / f"{name}.txt"
    assert file.exists(), f"{name} has no golden playthrough; '{COMMAND}' writes it"
    golden = file.read_text(encoding="utf-8")
    assert written(variants()[name]) == golden, f"if this is meant, '{COMMAND}' writes it anew"


@pytest.mark.parametrize("name", sorted(PYTHON))
def test_uncompiled_rules_play_the_same(name):
    golden = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert written(PYTHON[name], compiled=False) == golden


def test_every_game_has_one():
    assert {variant.game for variant in variants().values()} >= set(own_games())


def test_no_playthrough_is_left_behind():
    assert {file.stem for file in FOLDER.glob("*.txt")} == set(variants())


def test_playthroughs_are_short_enough_to_read():
    for file in FOLDER.glob("*.txt"):
        assert len(file.read_text(encoding="utf-8").splitlines()) < 400, file.name

"""Parameters drawn for each deal: by its seed alone, from all that is allowed."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import kibitz
from kibitz.core.agent import make_agents
from kibitz.core.errors import ParameterError
from kibitz.core.game import Game, Table
from kibitz.runs import Experiment, Rows, Run, Shard, runner_for
from kibitz.runs.messages import Job
from kibitz.runs.randomized import POOL, names_to_draw, parameters_of, pool_of


@pytest.fixture(scope="module")
def toe() -> Table:
    return kibitz.load("tic-tac-toe").table()


def rows_of(experiment: Experiment, table: Table, workers: int, size: int = 0) -> Rows:
    agents = make_agents(list(experiment.agents), table.players)
    played: list[Rows] = []
    end = experiment.games
    shards = [Shard(i, min(size, end - i)) for i in range(0, end, size)] if size else None
    runner_for(experiment, table, agents, workers=workers).play(played.append, shards)
    joined = played[0]
    for rows in played[1:]:
        joined = joined.then(rows)
    return joined


def randomized(table: Table, games: int = 60, **options: object) -> Experiment:
    agents = make_agents(["random"], table.players)
    names = names_to_draw(table.game)
    return Experiment.of(table, agents, games, 7, randomize=names, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("duplicate", [False, True])
def test_games_do_not_depend_on_shards_and_threads(toe: Table, duplicate: bool) -> None:
    experiment = randomized(toe, duplicate=duplicate)
    expected = rows_of(experiment, toe, 1)
    for workers, size in ((2, 0), (1, 7), (2, 10)):
        again = rows_of(experiment, toe, workers, size)
        columns = [name for name in expected.results.dtype.names or () if name not in TIMES]
        assert (again.results[columns] == expected.results[columns]).all()


TIMES = {"nanoseconds", "seats"}  # seats have times, too


def test_each_game_can_be_played_again_by_its_seed(toe: Table) -> None:
    """A game of a randomized run is that of its seed at the table of its parameters."""
    rows = rows_of(randomized(toe), toe, 1)
    names = names_to_draw(toe.game)
    sizes = Counter[int]()
    for result in rows.results[:20]:
        values = parameters_of(toe.game, 2, toe.parameters.as_dict(), names, int(result["seed"]))
        sizes[values["size"]] += 1
        table = toe.game.table(2, values)
        alone = kibitz.Session(table, ["random", "random"], seed=int(result["seed"]))
        while not alone.is_over:
            alone.advance()
        assert int(alone.state.view.tick) == result["ticks"]
    assert len(sizes) > 2


def test_games_of_a_deal_have_the_same_parameters(toe: Table) -> None:
    rows = rows_of(randomized(toe, duplicate=True), toe, 1)
    seeds = rows.results["seed"].reshape(-1, 2)
    assert (seeds[:, 0] == seeds[:, 1]).all()


def test_what_is_fixed_stays() -> None:
    game = kibitz.load("love-letter")
    names = names_to_draw(game, fixed=("tokens_to_win",))
    assert "tokens_to_win" not in names
    values = game.table(3, {"tokens_to_win": 2}).parameters.as_dict()
    for seed in range(20):
        assert parameters_of(game, 3, values, names, seed)["tokens_to_win"] == 2


def test_only_allowed_combinations_are_drawn() -> None:
    game: Game = kibitz.load("uno")
    values = game.table(4).parameters.as_dict()
    for seed in range(30):
        drawn = parameters_of(game, 4, values, names_to_draw(game), seed)
        assert game.problem(4, game.Parameters(4, **drawn)) in (None, "")


def test_rules_that_are_compiled_for_each_table_share_a_pool() -> None:
    game = kibitz.load("agram")
    values = game.table(2, {"decider": 1}).parameters.as_dict()
    names = names_to_draw(game, fixed=("decider",))
    drawn = {tuple(parameters_of(game, 2, values, names, seed).values()) for seed in range(400)}
    pool = pool_of(game, 2, values, names)
    assert drawn == {tuple(settings.values()) for settings in pool}
    assert 1 < len(drawn) == len(pool) <= POOL
    assert {settings["decider"] for settings in pool} == {1}
    assert all(game.problem(2, game.Parameters(2, **settings)) in (None, "") for settings in pool)


def test_a_run_in_a_folder_knows_what_is_drawn(toe: Table, tmp_path: Path) -> None:
    names = names_to_draw(toe.game)
    playtest = kibitz.playtest(toe, games=40, out=tmp_path / "run", randomize=names)
    assert playtest.randomized == tuple(sorted(names))
    experiment = Run.open(tmp_path / "run").experiment
    assert experiment.randomize == tuple(sorted(names))
    again = kibitz.playtest(toe, games=40, randomize=names)
    assert again.ticks_per_game == playtest.ticks_per_game
    usual = kibitz.playtest(toe, games=40)
    assert usual.ticks_per_game != playtest.ticks_per_game
    document = json.loads(json.dumps(experiment.to_json()))
    assert Experiment.from_json(document, "it") == experiment


def test_other_processes_draw_the_same(toe: Table) -> None:
    experiment = randomized(toe, 12)
    job = Job.of(experiment, toe, make_agents(["random"], 2))
    assert job is not None
    assert Job.from_bytes(job.to_bytes()).experiment.randomize == experiment.randomize


def test_there_must_be_something_to_draw() -> None:
    with pytest.raises(ParameterError, match="no parameters left"):
        names_to_draw(kibitz.load("kuhn-poker"), kibitz.load("kuhn-poker").Parameters.tunables)
    table = kibitz.load("tic-tac-toe").table()
    with pytest.raises(ParameterError):
        Experiment.of(table, make_agents(["random"], 2), 2, randomize=["hats"])
    assert np.isfinite(table.players)

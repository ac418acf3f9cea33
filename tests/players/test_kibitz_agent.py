"""The default agent, and its settings."""

from __future__ import annotations

from typing import Any

import pytest
from tests.players.asking import ask
from tests.recycle.programs import choice, do, stage
from tests.recycle.programs import game as game_text

from kibitz.core.agent import agent_class, make_agent
from kibitz.core.errors import AgentError
from kibitz.core.game import Game
from kibitz.core.registry import load, names
from kibitz.players.kibitz import (
    AgentSetting,
    GameKind,
    KibitzAgent,
    agent_setting_for,
    agent_settings,
    kind_of,
)
from kibitz.players.search import WITHOUT_LIMIT
from kibitz.recycle.game import RecycleGame
from kibitz.syntax.source import Source


def test_every_setting_can_be_made_and_is_for_games_that_exist() -> None:
    for setting in agent_settings():
        options = dict(setting.agent)
        agent_class(options.pop("agent"))(**options)
        assert set(setting.games) <= set(names())
        for match in setting.evidence:
            if "exploitability" in match:
                assert match["exploitability"] < match["of_other"]
                continue
            assert match["interval"][0] <= match["rate"] <= match["interval"][1]
            assert match["games"] > 0


@pytest.mark.parametrize("game", names())
def test_no_game_has_a_setting_that_another_one_hides(game: str) -> None:
    """A setting that names the game is taken; all but the last want a budget or parameters."""
    named = [setting for setting in agent_settings() if game in setting.games]
    assert all(setting.least or setting.parameters for setting in named[:-1])
    if named:
        assert not named[-1].least
        usual = [
            setting
            for setting in named
            if not setting.parameters and setting.least.get("iterations", 0) <= WITHOUT_LIMIT
        ]
        assert agent_setting_for(load(game, compiled=False).table(), {}) is usual[0]


@pytest.mark.parametrize(
    ("game", "kind"),
    [
        ("sliding-puzzle", GameKind.ALONE),
        ("pandemic", GameKind.TOGETHER),
        ("tic-tac-toe", GameKind.OPEN),
        ("connect-four", GameKind.OPEN),
        ("nim", GameKind.OPEN),
        ("kuhn-poker", GameKind.POINTS),
        ("virus", GameKind.HEURISTIC),
        ("hearts", GameKind.HIDDEN),
        ("light-cycles", GameKind.HIDDEN),
    ],
)
def test_the_kinds_of_games(game: str, kind: GameKind) -> None:
    assert kind_of(load(game, compiled=False).table()) == kind


@pytest.mark.parametrize(("visibility", "kind"), [("vloc", "open"), ("hloc", "hidden")])
def test_a_card_game_is_open_if_all_its_cards_are_face_up(visibility: str, kind: str) -> None:
    """So it is played by the search for open games, which proves who wins."""
    heap = f"(game {visibility} HEAP)"
    text = game_text(
        stage(
            f"(== (size {heap}) 0)",
            choice(
                f"(any (range 1 .. 3) 'N ((>= (size {heap}) 'N) (do ("
                f"(repeat 'N (move (top {heap}) (top (game vloc GONE))))"
                "(set (game sto LAST) (pid (current player)))))))"
            ),
        ),
        do("(inc (((game sto LAST) player) sto SCORE) 1)"),
        players=2,
        deck=f"(create deck {heap} (deck (RANK (A, B, C, D)) (SUIT (W, X, Y, Z))))",
    )
    table = RecycleGame(Source("heap.rcy", text)).table()
    assert kind_of(table) == kind
    assert make_agent("kibitz").player_at(table).name == ("ggp" if kind == "open" else "ismcts")


def test_a_small_budget_has_a_setting_of_its_own() -> None:
    """Beliefs cost as much as a thousand iterations: with fewer a search goes without."""
    table = load("love-letter").table()
    for options, believes in (
        ({}, True),
        ({"iterations": 1000}, True),
        ({"iterations": 999}, False),
        ({"milliseconds": 100}, True),
        ({"milliseconds": 5}, False),
        ({"milliseconds": 100, "iterations": 50}, False),
    ):
        label = KibitzAgent(**options).player_at(table).label
        assert ("belief=actions" in label) == believes, options


def test_without_a_budget_it_plays_as_with_the_iterations_that_it_then_has() -> None:
    """In Spades rollouts learn from 15,000 iterations on, and no budget means 1,000."""
    table = load("spades").table()
    for options, learns in (
        ({}, False),
        ({"iterations": 14_999}, False),
        ({"iterations": 15_000}, True),
        ({"calls": 1_000_000}, False),
        ({"calls": 1_000_000, "iterations": 15_000}, False),
        ({"milliseconds": 99}, False),
        ({"milliseconds": 100}, True),
    ):
        label = KibitzAgent(**options).player_at(table).label
        assert ("learn=mast" in label) == learns, options


def test_a_smaller_game_has_a_setting_of_its_own() -> None:
    """GOPS with five cards is small enough to approach an equilibrium; with thirteen it is not."""

    def name(cards: int, **budget: int) -> str:
        return KibitzAgent(**budget).player_at(load("gops").table(cards=cards)).name

    assert [name(cards) for cards in (2, 5, 6, 13)] == ["mccfr", "mccfr", "ismcts", "ismcts"]
    assert name(5, iterations=999) == "ismcts"
    assert set(agent_setting_for(load("gops").table(cards=5), {}).parameters) == {"cards"}


def test_a_game_that_nobody_has_measured_has_the_setting_of_its_kind() -> None:
    class Unheard(type(load("virus"))):  # type: ignore[misc]
        name = "unheard"

    table = Unheard(compiled=False).table()
    assert "virus" not in agent_setting_for(table, {}).games
    assert agent_setting_for(table, {}) is next(
        s
        for s in agent_settings()
        if not s.games and not s.languages and GameKind.HEURISTIC in (s.kinds or GameKind)
    )


def use(monkeypatch: pytest.MonkeyPatch, *entries: dict[str, Any]) -> None:
    """Replaces the settings."""
    settings = tuple(AgentSetting.from_json(entry) for entry in entries)
    monkeypatch.setattr("kibitz.players.kibitz.agent_settings", lambda: settings)


def test_the_first_setting_that_fits_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    use(
        monkeypatch,
        {"games": ["uno"], "agent": {"agent": "osla"}},
        {"languages": ["gdl"], "kinds": ["open"], "agent": {"agent": "ggp"}},
        {"kinds": ["open", "alone"], "agent": {"agent": "mcts", "c": 0.5}},
        {"agent": {"agent": "ismcts"}},
    )
    labels = {
        game: make_agent("kibitz").player_at(load(game, compiled=False).table()).label  # type: ignore[attr-defined]
        for game in ("uno", "connect-four", "light-cycles", "tic-tac-toe", "virus")
    }
    assert labels == {
        "uno": "osla",
        "connect-four": "ggp",
        "light-cycles": "ismcts",
        "tic-tac-toe": "mcts:c=0.5",
        "virus": "ismcts",
    }


def test_options_given_replace_those_of_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    """A budget of the setting is for those who give none, whatever it is counted in."""
    use(monkeypatch, {"agent": {"agent": "mcts", "iterations": 40, "c": 0.5}})
    table = load("tic-tac-toe", compiled=False).table()

    def label(agent: str) -> str:
        made = make_agent(agent)
        assert isinstance(made, KibitzAgent)
        return made.player_at(table).label

    assert label("kibitz") == "mcts:iterations=40,c=0.5"
    assert label("kibitz:milliseconds=7") == "mcts:milliseconds=7,c=0.5"
    assert label("kibitz:heuristic=rank") == "mcts:iterations=40,c=0.5,heuristic=rank"


def test_it_decides_as_the_agent_that_it_stands_for() -> None:
    table = load("love-letter").table()
    chosen = dict(agent_setting_for(table, {"iterations": 50}).agent)
    other = agent_class(chosen.pop("agent"))(**(chosen | {"iterations": 50}))
    state = table.new_state(seed=3)
    agent = make_agent("kibitz:iterations=50")
    for seed in range(5):
        assert ask(agent, state, seed=seed) == ask(other, state, seed=seed)


def test_advice_is_the_same_for_the_same_seed() -> None:
    state = load("love-letter").table().new_state(seed=3)
    advice = []
    for _ in range(2):
        agent = make_agent("kibitz:iterations=60")
        agent.random.seed(8)
        advice.append(agent.advise(state))
        assert agent.choose(state) in state.legal_actions()
    assert advice[0] == advice[1]
    assert len(advice[0]) == len(state.legal_actions())


def test_a_heuristic_that_the_game_lacks_is_refused() -> None:
    table = load("tic-tac-toe", compiled=False).table()
    with pytest.raises(AgentError, match="heuristic"):
        make_agent("kibitz:heuristic=nonsense").check_game(table)


def test_tic_tac_toe_is_never_lost() -> None:
    import kibitz

    table = load("tic-tac-toe").table()
    for other in ("osla", "random", "mcts:iterations=200"):
        agents = [make_agent("kibitz"), make_agent(other)]
        seats = kibitz.play(table, agents, 60, seed=4, workers=1).results["seats"]
        assert (seats["returns"][seats["agent"] == 0] >= 0).all()


def test_it_is_the_default_of_games() -> None:
    assert Game.default_agent == "kibitz"
    assert {load(game, compiled=False).default_agent for game in names()} == {"kibitz"}

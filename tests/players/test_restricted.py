"""Restricted play."""

from __future__ import annotations

import pytest
from tests.players.test_honesty import positions

import kibitz
from kibitz.core.agent import Agent, AgentOptions, make_agent, split_agents
from kibitz.core.errors import AgentOptionError, KibitzError, UnknownAgentError
from kibitz.core.parameters import Text
from kibitz.players import restricted
from kibitz.players.restricted import RestrictedAgent, matching


def moves(agent: str, games: int = 20) -> list[tuple[list[str], str]]:
    """The first player's options and decision, at each decision with several options."""
    choices = []
    for seed in range(games):
        session = kibitz.Session(kibitz.load("love-letter").table(2), [agent, "random"], seed)
        while not session.is_over:
            words = [session.state.action_words(a) for a in session.state.legal_actions()]
            update = session.advance()
            if update.move.player == 0 and len(words) > 1:
                choices.append((words, update.move.words))
    return choices


def is_guard(words: str) -> bool:
    return words.startswith("play Guard")


@pytest.mark.parametrize("base", ["random", "osla", '"ismcts:iterations=20"'])
def test_what_it_never_does(base: str) -> None:
    tempted = 0
    for offered, done in moves(f'restrict:base={base},never="PLAY guard*"', games=6):
        others = [words for words in offered if not is_guard(words)]
        tempted += 0 < len(others) < len(offered)
        assert not is_guard(done) or not others
    assert tempted > 5


def test_what_it_always_does() -> None:
    choices = moves('restrict:always="play Guard*"')
    assert any(is_guard(words) for offered, _ in choices for words in offered)
    for offered, done in choices:
        assert is_guard(done) == any(is_guard(words) for words in offered)


def test_several_patterns() -> None:
    for offered, done in moves('restrict:never="play Guard*|play Priest*"'):
        barred = [words for words in offered if words.startswith(("play Guard", "play Priest"))]
        assert done not in barred or len(barred) == len(offered)


def test_brackets_stand_for_themselves() -> None:
    pattern = matching("play [A]*")
    assert pattern is not None
    assert pattern.fullmatch("play [a] on player 2")
    assert not pattern.fullmatch("play A")


def test_without_patterns_it_is_its_base() -> None:
    agent = make_agent("restrict:base=first-legal")
    for state in positions(2):
        assert agent.choose(state) == state.legal_actions()[0]


def test_an_agent_in_python_as_a_base() -> None:
    class Last(Agent):
        name = "last"

        def choose(self, state: kibitz.State) -> int:
            return state.legal_actions()[-1]

    kibitz.register_agent(Last)
    for offered, done in moves('restrict:base=last,never="play Guard*"', games=5):
        others = [words for words in offered if not is_guard(words)]
        assert done in (others or offered)


def test_it_is_known_by_its_label() -> None:
    label = 'restrict:base="ismcts:iterations=20,c=1.0",never="play Guard*, a|b"'
    agent = make_agent(label)
    assert agent.label == label
    assert make_agent(agent.label).label == label
    assert isinstance(agent, RestrictedAgent)


def test_quotes_hold_together_on_the_command_line() -> None:
    agent = 'restrict:base="mcts:iterations=5,c=1.0",never="play Guard*; and more"'
    assert split_agents([f"{agent} random"]) == [agent, "random"]
    assert split_agents([f"random,{agent}"]) == ["random", agent]


def test_the_same_seed_plays_the_same_game() -> None:
    first, second = (
        kibitz.record("love-letter", ['restrict:base=osla,never="*Baron*"', "random"], 3)
        for _ in range(2)
    )
    assert first.moves == second.moves


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("restrict:base=nobody", UnknownAgentError),
        ("restrict:ever=x", AgentOptionError),
        ('restrict:base="mcts:iterations=none"', KibitzError),
    ],
)
def test_slips_are_told(label: str, kind: type[KibitzError]) -> None:
    with pytest.raises(kind):
        make_agent(label)


def test_its_base_has_to_know_the_game() -> None:
    with pytest.raises(KibitzError, match="plays love-letter only"):
        kibitz.record("tic-tac-toe", "restrict:base=love-letter-reflex")


def test_a_pattern_that_matches_nothing_is_remarked_upon() -> None:
    agent = make_agent('restrict:never="play Gard*|play Guard*",always="play Kong"')
    assert list(agent.remarks()) == []  # it has not looked yet
    kibitz.playtest("love-letter", agents=[agent, "random"], games=5)
    assert [remark.partition("; ")[0].rpartition("called ")[2] for remark in agent.remarks()] == [
        "'play Gard*'",
        "'play Kong'",
    ]


class ByWords(Agent):
    """A slow reference implementation of ``restrict`` with ``first-legal``."""

    name = "by-words"

    class Options(AgentOptions):
        never = Text("", "patterns")
        always = Text("", "patterns")

    def choose(self, state: kibitz.State) -> int:
        allowed = state.legal_actions()
        for patterns, keep in ((self.options.always, True), (self.options.never, False)):
            if pattern := matching(patterns):
                wordings = {
                    action: state.table.wording.possible_words(action, state) or ()
                    for action in allowed
                }
                for action in allowed:
                    assert state.action_words(action) in wordings[action]
                allowed = [
                    a for a in allowed if any(map(pattern.fullmatch, wordings[a])) == keep
                ] or allowed
        return allowed[0]


@pytest.fixture(autouse=True)
def known_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Registers ``ByWords`` for these tests alone: others list all agents where they begin."""
    monkeypatch.setattr("kibitz.core.agent._added", {})
    kibitz.register_agent(ByWords)


@pytest.mark.parametrize(
    ("game", "patterns"),
    [
        ("love-letter", 'never="play Guard*|*Prince*"'),
        ("love-letter", 'always="*player 2*",never="play Guard*"'),
        ("scopa", 'never="*COINS*"'),
        ("president", 'always="*the 2 *|*the 4 *",never="*the 3 *"'),
        ("hearts", 'always="*spades*"'),
        ("tic-tac-toe", 'never="mark 0*",always="mark * 1|mark * 2"'),
        ("connect-four", 'never="*3*"'),
        ("breakthrough", 'always="*(move 1*"'),
    ],
)
def test_it_plays_as_its_patterns_say(game: str, patterns: str) -> None:
    players = kibitz.load(game).usual_players
    agents = [make_agent(f"{a}{patterns}") for a in ("by-words:", "restrict:base=first-legal,")]
    slow, quick = (
        [kibitz.record(game, [agent, *["random"] * (players - 1)], s).moves for s in range(2)]
        for agent in agents
    )
    assert slow == quick
    assert isinstance(agents[1], RestrictedAgent)
    assert agents[1].unmatched == ()


@pytest.mark.parametrize("game", ["love-letter", "scopa"])
@pytest.mark.parametrize(
    "base", ["random", "osla", "ismcts:iterations=20", "ismcts:iterations=20,belief=actions"]
)
def test_without_patterns_it_plays_the_same_games(game: str, base: str) -> None:
    playtests = [
        kibitz.playtest(game, agents=[agent, "random"], players=2, games=3, workers=workers)
        for agent, workers in ((base, 1), (f'restrict:base="{base}"', 2))
    ]
    seats = [[(seat.win_rate, seat.score) for seat in playtest.seats] for playtest in playtests]
    assert seats[0] == seats[1]
    assert playtests[0].ticks_per_game == playtests[1].ticks_per_game


def test_its_hash_table_grows_and_is_emptied(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = 'restrict:base=random,never="*Guard*"'
    before = kibitz.playtest("love-letter", agents=agent, games=20, workers=1).to_json()
    monkeypatch.setattr(restricted, "PLACES", 4)
    for most in (1 << 20, 16):
        monkeypatch.setattr(restricted, "MOST_PLACES", most)
        after = kibitz.playtest("love-letter", agents=agent, games=20, workers=1).to_json()
        assert after["seats"] == before["seats"]


def test_it_is_compiled_as_far_as_its_base_is() -> None:
    table = kibitz.load("love-letter").table(2)
    for base, python in (("random", False), ("kibitz", False), ("by-words", True)):
        assert make_agent(f"restrict:base={base}").decides_in_python(table) == python


class Broken(Agent):
    name = "broken"

    def choose(self, state: kibitz.State) -> int:
        raise RuntimeError("no idea")


def test_what_its_base_raises_is_told() -> None:
    kibitz.register_agent(Broken)
    playtest = kibitz.playtest("love-letter", agents=["restrict:base=broken", "random"], games=2)
    [cause] = playtest.unfinished
    assert cause.cause == "agent_error"
    assert "no idea" in (cause.error or "")

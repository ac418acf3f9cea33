import contextlib
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.checks.broken_games import NoPlaces
from tests.studies import tiny_games
from tests.studies.tiny_games import Broken, Cheat, Left, Stopping

import kibitz
from kibitz.core.actions import kind
from kibitz.core.agent import make_agents
from kibitz.core.errors import (
    AgentError,
    FileError,
    GameLeftError,
    IllegalActionError,
    ParameterError,
    UnknownGameError,
)
from kibitz.core.registry import load
from kibitz.core.status import Status
from kibitz.recycle.game import rules_of
from kibitz.sessions.recording import attempt_game, replay, verify
from kibitz.sessions.records import Record

TABLES = {
    "tic-tac-toe": load("tic-tac-toe").table(),
    "large tic-tac-toe": load("tic-tac-toe").table(size=4),
    "love-letter, 2 players": load("love-letter").table(2, tokens_to_win=2),
    "love-letter, 4 players": load("love-letter").table(4, tokens_to_win=1, tie_rule="shared"),
}


def recorded(table=TABLES["tic-tac-toe"], seed=7, agents=("random",)):
    return kibitz.record(table, make_agents(agents, table.players), seed)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@settings(max_examples=15)
@given(seed=st.integers(-(2**63), 2**63 - 1))
def test_a_record_replays_exactly_also_from_its_json(table, seed):
    record = recorded(table, seed)
    again = Record.from_json(json.dumps(record.to_json()))
    assert again == record
    states = list(replay(again))
    assert len(states) == len(record.moves) + 1
    assert states[0] == table.new_state(seed)
    assert states[-1].status == Status.FINISHED
    assert tuple(states[-1].places()) == record.result.places
    assert [state.tick for state in states] == list(range(len(states)))


@pytest.mark.parametrize(("game", "players"), [("scopa", 2), ("scopa", 3), ("president", 4)])
def test_options_of_sets_of_cards_are_kept_and_replayed(game, players):
    table = load(game).table(players)
    kinds = rules_of(table.new_state(0)).translation.paths
    picked = 0
    for seed in range(3):
        record = recorded(table, seed)
        again = Record.from_json(json.dumps(record.to_json()))
        assert again == record
        states = list(replay(again))
        assert tuple(states[-1].places()) == record.result.places
        picked += sum(not kinds[kind(move.action) - 1].packed for move in record.moves)
    assert picked > 10


def test_the_states_of_a_replay_are_independent():
    states = replay(recorded())
    first = next(states)
    first.apply(first.legal_actions()[-1])
    for _ in states:
        pass


def test_the_game_of_a_batch_is_recorded_by_its_seed_and_seats():
    table = TABLES["love-letter, 4 players"]
    agents = make_agents(["osla", "random", "mcts:iterations=20", "first-legal"], 4)
    batch = kibitz.play(table, agents, 6, 5)
    for game in batch.results:
        seated = [agents[i] for i in game["seats"]["agent"]]
        record = kibitz.record(table, seated, int(game["seed"]))
        assert len(record.moves) == game["ticks"]
        assert list(record.result.places) == game["seats"]["place"].tolist()
        assert record.agents == tuple(agent.label for agent in seated)


def test_compiled_and_uncompiled_rules_give_the_same_record():
    for name in ("tic-tac-toe", "love-letter"):
        records = [
            recorded(load(name, compiled=compiled).table(), seed=11) for compiled in (True, False)
        ]
        assert records[0] == records[1]
        verify(records[0], load(name, compiled=False).table())


def test_forced_moves_are_marked():
    record = recorded(seed=7)
    assert [move.forced for move in record.moves] == [False] * 8 + [True]
    document = record.to_json()
    assert document["moves"][8]["forced"] is True
    assert "forced" not in document["moves"][0]


def test_a_record_is_a_file_to_read(tmp_path):
    file = tmp_path / "game.json"
    record = recorded()
    record.write(file)
    assert Record.read(file) == Record.read(str(file)) == record
    lines = file.read_text("utf-8").splitlines()
    assert '  {"player": 1, "action": 1048576, "words": "mark 0 2"},' in lines
    with pytest.raises(FileError, match="cannot be written"):
        record.write(tmp_path / "no" / "game.json")
    with pytest.raises(FileError, match="cannot be read"):
        Record.read(tmp_path / "none.json")


# --- edited records -----------------------------------------------------------------------


def edited(change):
    """A record's JSON after a change by hand."""
    document = recorded().to_json()
    change(document)
    return Record.from_json(document, "game.json")


def set_move(number, **values):
    return lambda document: document["moves"][number - 1].update(values)


def test_an_illegal_move_is_named_with_what_is_legal():
    first = recorded().moves[0]
    record = edited(set_move(3, action=first.action, words=first.words))
    with pytest.raises(IllegalActionError) as caught:
        verify(record)
    text = str(caught.value)
    assert text.startswith("game.json: move 3: 'mark 0 2' is not legal for player 1; legal: ")
    assert "mark 0 0" in text
    assert caught.value.seed == 7
    assert caught.value.state.tick == 2


@pytest.mark.parametrize("game", ["agram", "hearts", "tic-tac-toe"])
@pytest.mark.parametrize("wrong", [100 << 8, 2047 << 8, 5000 << 8, 2**63 - 256])
def test_an_action_out_of_range_is_named(game, wrong):
    table = kibitz.load(game).table()
    document = kibitz.record(table, make_agents(["random"], table.players), 1).to_json()
    document["moves"][0]["action"] = kind(document["moves"][0]["action"]) | wrong
    with pytest.raises(IllegalActionError, match=r"move 1: .* is not legal for player 1; legal: "):
        verify(Record.from_json(document), table)


def test_states_before_an_illegal_move_are_replayed():
    record = edited(set_move(3, action=123456789))
    states = replay(record)
    assert [next(states).tick for _ in range(3)] == [0, 1, 2]
    with pytest.raises(IllegalActionError, match="move 3"):
        next(states)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (
            set_move(2, words="mark 9 9"),
            FileError,
            "move 2: action 256 is 'mark 1 0', not 'mark 9",
        ),
        (set_move(2, player=1), FileError, "move 2: is said to be player 1's, but .* player 2"),
        (set_move(9, forced=False), FileError, "move 9: 'forced' is false, but nothing else"),
        (set_move(1, forced=True), FileError, "move 1: 'forced' is true, but 9 moves are legal"),
        (lambda d: d["moves"].pop(), FileError, "after its 8 moves the game's status should be"),
        (
            lambda d: d["moves"].append(dict(d["moves"][0])),
            IllegalActionError,
            "move 10: .* is not legal .*; the game is over after 9 moves",
        ),
        (lambda d: d["result"].update(places=[2, 1]), FileError, r"places should be \(2, 1\)"),
        (lambda d: d["result"].update(scores=[5, 0]), FileError, "scores should be"),
        (lambda d: d["result"].update(status="dead_end"), FileError, "status should be dead_end"),
        (lambda d: d["result"].update(status="interrupted"), FileError, "should be playing"),
        (lambda d: d.update(final_state="0" * 64), FileError, "final_state should be 000"),
        (lambda d: d.update(seed=8), FileError, "final_state should be"),
        (lambda d: d.update(game="tic-tac-to"), UnknownGameError, "tic-tac-toe"),
        (lambda d: d["parameters"].update(size=99), ParameterError, "game.json: size = 99"),
        (
            lambda d: d["parameters"].update(players=2),
            ParameterError,
            "number of players is not a parameter",
        ),
    ],
)
def test_a_record_that_does_not_fit_is_refused(change, error, message):
    record = edited(change)
    with pytest.raises(error, match=message):
        verify(record)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("seed"), "game.json: seed is missing"),
        (lambda d: d.update(seed="7"), "seed should be a whole number"),
        (lambda d: d.update(seed=2**256), "is out of range: give one from"),
        (lambda d: d.update(seed=True), "seed should be a whole number"),
        (lambda d: d.update(format=3), "format 3 cannot be read; this Kibitz reads 2"),
        (lambda d: d.update(players=0), "players should be"),
        (lambda d: d.update(agents=["random"]), "agents should be of 2 values"),
        (lambda d: d.update(agents=[1, 2]), r"agents\[0\] should be a text"),
        (lambda d: d.update(moves={}), "moves should be a list"),
        (lambda d: d.update(parameters={"size": [3]}), "parameters.size should be a number"),
        (lambda d: d["moves"].__setitem__(2, 5), r"moves\[2\] should be an object"),
        (set_move(3, action="x"), r"moves\[2\].action should be a whole number"),
        (set_move(3, action=1.5), r"moves\[2\].action should be a whole number"),
        (set_move(3, player=3), r"moves\[2\].player should be from 1 to 2"),
        (set_move(3, forced=1), r"moves\[2\].forced should be true or false"),
        (lambda d: d["moves"][2].pop("words"), r"moves\[2\].words is missing"),
        (lambda d: d.update(result=[]), "result should be an object"),
        (lambda d: d["result"].update(status="won"), "result.status should be one of finished"),
        (lambda d: d["result"].update(scores=[0, None]), r"result.scores\[1\] should be a number"),
        (
            lambda d: d["result"].update(scores=[0, float("nan")]),
            r"scores\[1\] should be a number",
        ),
        (lambda d: d["result"].update(culprit=5), "result.culprit should be from 1 to 2"),
        (lambda d: d["result"].update(refused=5), "result.refused should be a text"),
    ],
)
def test_a_document_that_is_no_record_is_refused(change, message):
    message = message.removesuffix(", ")
    with pytest.raises(FileError, match=message):
        edited(change)


@given(st.recursive(st.none() | st.integers() | st.text() | st.floats(), lambda s: st.lists(s)))
def test_any_other_json_is_refused(document):
    with pytest.raises(FileError):
        Record.from_json(document)  # type: ignore[arg-type]


@given(
    st.sampled_from(sorted(recorded().to_json())),
    st.none()
    | st.integers()
    | st.text()
    | st.lists(st.integers())
    | st.dictionaries(st.text(), st.integers()),
)
def test_a_record_with_any_member_replaced_replays_or_is_refused(name, value):
    document = recorded().to_json()
    document[name] = value
    with contextlib.suppress(kibitz.KibitzError):
        verify(Record.from_json(document))


def test_syntax_errors_name_the_place(tmp_path):
    with pytest.raises(FileError, match=r"game\.json:2:3: is not JSON"):
        Record.from_json("{\n  ]", "game.json")
    with pytest.raises(FileError, match="nested too deeply"):
        Record.from_json("[" * 100_000)
    with pytest.raises(FileError, match=r"game\.json: is not usable JSON"):
        Record.from_json('{"format": ' + "1" * 5_000 + "}", "game.json")
    file = tmp_path / "game.json"
    file.write_text('{"format": 2,\n "game" 3}')
    with pytest.raises(FileError, match=r"game\.json:2:9: is not JSON"):
        Record.read(file)


# --- games that are not finished ----------------------------------------------------------


def test_an_illegal_action_is_in_the_record():
    table = TABLES["tic-tac-toe"]
    seed = next(
        s for s in range(50) if kibitz.record(table, [Left(), Cheat()], s).result.culprit == 1
    )
    record = kibitz.record(table, [Left(), Cheat()], seed)
    assert record.result.status == "illegal_action"
    assert record.result.refused == "mark #7 0"
    verify(Record.from_json(record.to_json()))
    text = kibitz.transcript(record)
    assert "The game was not finished: illegal action." in text
    assert "Player 2 (cheat) chose 'mark #7 0', which is not legal." in text


@pytest.mark.parametrize(
    ("make", "status"),
    [
        (tiny_games.fails, "rules_error"),
        (tiny_games.is_full, "full_buffer"),
        (tiny_games.has_dead_end, "dead_end"),
    ],
)
def test_games_that_the_rules_break_off_replay_too(make, status):
    table = make().table()
    record = kibitz.record(table, make_agents(["random"], 2), 3)
    assert (record.result.status, len(record.moves)) == (status, 3)
    assert [state.tick for state in replay(record, table)] == [0, 1, 2, 3]
    assert status.replace("_", " ") in kibitz.transcript(record, table)


def test_a_game_over_its_limit_replays_too():
    class Circle(tiny_games.Tiny):
        @classmethod
        def apply_action(cls, state, params, action):
            pass

    table = Circle(compiled=False).table()
    record = kibitz.record(table, make_agents(["random"], 2), 3)
    assert (record.result.status, len(record.moves)) == ("limit", 50)
    verify(record, table)


def test_a_setup_that_fails_is_a_record_without_moves():
    class Hopeless(tiny_games.Tiny):
        setup = staticmethod(lambda state, params: tiny_games.fail(state))

    table = Hopeless(compiled=False).table()
    record = kibitz.record(table, make_agents(["random"], 2), 3)
    assert (record.result.status, record.moves) == ("rules_error", ())
    verify(record, table)


def test_an_agents_exception_names_it_and_keeps_the_game_until_then():
    table = TABLES["tic-tac-toe"]
    with pytest.raises(AgentError, match=r"Player 2 \(broken\) failed in move 2 .* seed 5") as it:
        kibitz.record(table, [Left(), Broken()], 5)
    assert isinstance(it.value.__cause__, ValueError)
    record, raised = attempt_game(table, [Left(), Broken()], 5)
    assert isinstance(raised, ValueError)
    assert (record.result.status, record.result.culprit, len(record.moves)) == (
        "agent_error",
        1,
        1,
    )
    verify(record)
    assert "Player 2 (broken) failed." in kibitz.transcript(record)


def test_an_agent_that_leaves_the_game_is_no_failure():
    class Leaving(kibitz.Agent):
        name = "leaving"

        def choose(self, state):
            raise GameLeftError("I resign.")

    with pytest.raises(GameLeftError, match=r"^I resign\.$"):
        kibitz.record("tic-tac-toe", ["random", Leaving()])


def test_a_rules_own_exception_comes_through():
    with pytest.raises(IndexError, match="no such card"):
        kibitz.record(tiny_games.raises().table(), make_agents(["random"], 2), 1)


def test_stopping_keeps_the_game_until_then():
    class Soon(Stopping):
        after = 0

    table = TABLES["tic-tac-toe"]
    with pytest.raises(KeyboardInterrupt):
        kibitz.record(table, [Left(), Soon()], 5)
    record, _ = attempt_game(table, [Left(), Soon()], 5)
    assert (record.result.status, len(record.moves)) == ("interrupted", 1)
    verify(record)


def test_wrong_arguments():
    with pytest.raises(AgentError, match="3 agents"):
        kibitz.record(TABLES["tic-tac-toe"], [Left(), Left(), Left()], 5)
    with pytest.raises(ParameterError, match="64 bits"):
        kibitz.record(TABLES["tic-tac-toe"], [Left(), Left()], 2**64)


def test_a_record_is_asked_for_as_a_playtest_is():
    by_name = kibitz.record("tic-tac-toe", "random", 7, parameters={"size": 4})
    at_table = kibitz.record(kibitz.load("tic-tac-toe").table(size=4), ["random"], 7)
    assert by_name == at_table
    assert kibitz.record("love-letter", players=3, agents=["osla", "random"]).players == 3
    with pytest.raises(ParameterError, match="a table has its players"):
        kibitz.record(TABLES["tic-tac-toe"], "random", 7, players=3)


# --- words --------------------------------------------------------------------------------


def test_the_transcript_of_a_whole_game():
    assert kibitz.transcript(recorded()).splitlines() == [
        "Tic-Tac-Toe, 2 players",
        "Seed 7",
        "Player 1: random",
        "Player 2: random",
        "",
        "At the start everyone could see:",
        "    Turn of player 1.",
        "    Board:",
        "        0 1 2",
        "      0 . . .",
        "      1 . . .",
        "      2 . . .",
        "",
        "  1. Player 1: mark 0 2",
        "  2. Player 2: mark 1 0",
        "  3. Player 1: mark 2 2",
        "  4. Player 2: mark 0 1",
        "  5. Player 1: mark 0 0",
        "  6. Player 2: mark 2 0",
        "  7. Player 1: mark 2 1",
        "  8. Player 2: mark 1 1",
        "  9. Player 1: mark 1 2 (the only move)",
        "",
        "At the end, with nothing hidden:",
        "    Player 1 has won.",
        "    Board:",
        "        0 1 2",
        "      0 X O O",
        "      1 O O X",
        "      2 X X X",
        "",
        "Player 1 has won.",
        "  1. player 1 (random)",
        "  2. player 2 (random)",
    ]


@pytest.mark.parametrize(("logged", "shown"), [(True, [1, 2, 3, 4, 5, 6]), (False, [5])])
def test_the_table_is_shown_seldom_where_rounds_are_as_short_as_turns(
    monkeypatch: pytest.MonkeyPatch, logged: bool, shown: list[int]
) -> None:
    table = kibitz.load("virus", compiled=False).table(2, round_limit=7, organs_to_win=4)
    monkeypatch.setattr(type(table.game), "logs_rounds", logged)
    text = kibitz.transcript(kibitz.record(table, make_agents(["first-legal"], 2), 1), table)
    assert [int(n) for n in re.findall(r"After round (\d+) everyone", text)] == shown


def test_a_transcript_shows_what_everyone_saw_and_no_more():
    table = TABLES["love-letter, 2 players"]
    seed = next(s for s in range(20) if len(recorded(table, s).moves) > 12)
    text = kibitz.transcript(recorded(table, seed))
    assert text.startswith("Love Letter, 2 players, tokens_to_win=2\n")
    assert "After round 1 everyone could see:" in text
    before_the_end = text.split("At the end")[0]
    assert "holds 2 hidden cards" in before_the_end
    assert "hidden card" not in text.split("At the end")[1]
    assert "score 2" in text


@pytest.mark.parametrize(
    ("make", "players", "words"),
    [
        (lambda: tiny_games.is_won_by(3, 3, 1), 3, "Players 1 and 2 share the victory."),
        (lambda: tiny_games.is_won_by(3, 3, 3), 3, "A draw."),
        (tiny_games.is_won_together, 2, "Everyone has won together."),
        (tiny_games.is_lost_together, 2, "Nobody has won."),
    ],
)
def test_endings_in_words(make, players, words):
    table = make().table(players)
    assert words in kibitz.transcript(
        kibitz.record(table, make_agents(["random"], players), 1), table
    )


def test_a_game_that_is_finished_without_places_is_recorded_and_replayed_alike():
    table = NoPlaces(False).table()
    record, _ = attempt_game(table, make_agents("random", table.players), 1)
    assert record.result.status == "rules_error"
    verify(record, table)

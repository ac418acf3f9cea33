"""RECYCLE games as games: parameters, words, states, and how they break off."""

from __future__ import annotations

import json
import pickle
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.recycle.native import play
from tests.recycle.programs import choice, do, game, stage
from tests.shared import SHARED

import kibitz
from kibitz.core.agent import make_agents
from kibitz.core.errors import (
    DeadEndError,
    EndlessError,
    FileError,
    FullBufferError,
    GameDefinitionError,
    IllegalActionError,
    ParameterError,
    RulesError,
    UnknownNameError,
)
from kibitz.core.game import Table
from kibitz.core.state import State, components_in_play
from kibitz.core.status import Status
from kibitz.recycle import library
from kibitz.recycle.checker import check
from kibitz.recycle.game import RecycleGame, load
from kibitz.syntax.source import Source, SourceError

NAMES = sorted(file.stem for file in library.FOLDER.glob("*.rcy"))
HANABI = Path(__file__).parent / "data" / "hanabi.rcy"


def game_of(text: str, name: str = "my game.rcy") -> RecycleGame:
    return RecycleGame(Source(name, text))


def table_of(text: str) -> Table:
    return game_of(text).table()


# --- parameters and players -----------------------------------------------------------------


def test_what_a_file_says_of_itself() -> None:
    agram = kibitz.load("agram")
    assert agram.title == "Agram"
    assert agram.name == "agram"
    assert agram.players == (2, 5)
    assert agram.usual_players == 4
    assert agram.source == "https://www.pagat.com/last/agram.html"
    assert "last trick" in (agram.__doc__ or "")
    hand = agram.Parameters.tunables["hand"]
    assert (hand.default, hand.values, hand.doc) == (6, range(1, 7), "cards dealt to each player")


def test_numbers_are_set() -> None:
    table = kibitz.load("agram").table(2, hand=3)
    assert table.players == 2
    state = table.new_state(1)
    assert [view.count for i, view in components_in_play(state) if i.path.startswith("hand")] == [
        3,
        3,
    ]
    assert len(state.legal_actions()) == 3
    assert (play(table, 50)["actions"] == 6).all()


def test_the_number_of_players_is_no_parameter() -> None:
    assert set(kibitz.load("agram").Parameters.tunables) == {"hand", "decider", "pass_when_stuck"}


@pytest.mark.parametrize(
    ("players", "values", "message"),
    [
        (6, {}, "2 to 5 players, not 6"),
        (None, {"hand": 7}, "hand = 7 is not allowed: a whole number from 1 to 6"),
        (None, {"hadn": 3}, "no parameter 'hadn'. Did you mean 'hand'?"),
        (None, {"hand": "many"}, "hand = many"),
    ],
)
def test_what_cannot_be_set(players: int | None, values: dict, message: str) -> None:
    with pytest.raises(ParameterError, match=message.replace("?", r"\?")):
        kibitz.load("agram").table(players, **values)


def test_tables_are_kept() -> None:
    agram = kibitz.load("agram")
    assert agram.table(3) is agram.table(3)
    assert agram.table(3) is not agram.table(4)
    assert agram.table(3).game is agram.table(4).game is agram
    assert agram.table(3).rules is not agram.table(4).rules


@pytest.mark.parametrize(
    "name", ["PLAYERS", "PARAMETERS", "RECORD", "SELF", "SEED", "CLASS", "PASS_WHEN_STUCK"]
)
def test_any_name_of_a_parameter_will_do(name: str) -> None:
    text = game(
        do(f"(set (game sto X) '{name})"),
        choice("(turn pass)"),
        before=f"(declare 3 '{name})",
        score="(game sto X)",
    )
    described = game_of(text)
    (public,) = described.own_parameters
    state = described.table(**{public: 5}).new_state(1)
    state.apply("pass")
    assert state.scores() == [5.0, 5.0, 5.0]


DEALS = game(
    stage("(== (game sto N) 3)", choice("(turn pass)"), do("(inc (game sto N) 1)")),
    score="(game sto N)",
)


def test_the_header_says_what_counts_the_deals() -> None:
    state = table_of(f";; Match\n;; Deals: N.\n{DEALS}").new_state()
    offset = int(state.table.record["deal_count"][0])
    counted = []
    while not state.is_terminal:
        counted.append(int.from_bytes(bytes(state)[offset : offset + 4], "little"))
        state.apply(state.legal_actions()[0])
    assert counted == [0, 1, 2]


def test_deals_that_nothing_counts_are_an_error_with_its_place() -> None:
    with pytest.raises(SourceError, match=r"my game.rcy:2:11.*sto M.*no rule changes"):
        table_of(f";; Match\n;; Deals: M\n{DEALS}")


def test_a_number_that_only_counts_deals_is_of_use() -> None:
    text = DEALS.replace("(== (game sto N) 3)", "(== (game sto X) 3)")
    text = text.replace("(inc (game sto N) 1)", "(inc (game sto X) 1) (inc (game sto N) 1)")
    text = text.replace("max (game sto N)", "max (game sto X)")
    codes = [
        [warning.code for warning in check(table_of(header + text).rules.program)]
        for header in ("", ";; Match\n;; Deals: N\n")
    ]
    assert codes == [["never-read"], []]


def test_prose_about_deals_is_no_declaration() -> None:
    state = table_of(f";; Match\n;; Deals: one for each player\n{DEALS}").new_state()
    assert state.table.rules.program.deals == ""


@pytest.mark.parametrize(
    ("line", "aim"),
    [("Played for: score", "score"), ("played for: Place.", "place"), ("Played for fun", "place")],
)
def test_the_header_says_what_is_played_for(line: str, aim: str) -> None:
    assert game_of(f";; Match\n;; {line}\n{DEALS}").played_for == aim


@pytest.mark.parametrize(
    ("line", "scores", "zero_sum"),
    [
        ("Played for: score", None, False),
        ("Played for: score from 0 to 21", (0, 21), False),
        ("played for: Score from -3 to 3, zero-sum.", (-3, 3), True),
        ("Played for: score, zero-sum", None, True),
        ("Played for: place", None, True),
    ],
)
def test_the_header_declares_scores(
    line: str, scores: tuple[int, int] | None, zero_sum: bool
) -> None:
    table = table_of(f";; Match\n;; {line}\n{DEALS}")
    assert table.score_range == scores
    assert table.game.zero_sum == zero_sum


def test_a_range_of_scores_is_in_order() -> None:
    table = table_of(f";; Match\n;; Played for: score from 3 to -3\n{DEALS}")
    with pytest.raises(GameDefinitionError, match=r"score_range gives \(3, -3\)"):
        _ = table.score_range


def test_a_file_without_a_header_is_a_game() -> None:
    plain = game_of(game(choice("(turn pass)")))
    assert (plain.title, plain.name, plain.players) == ("my game", "my-game", (3, 3))
    assert plain.table().new_state(1).legal_actions()


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        load(tmp_path / "none.rcy")
    binary = tmp_path / "binary.rcy"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SourceError, match=r"binary\.rcy:1:1: error"):
        load(binary).table()
    large = tmp_path / "large.rcy"
    large.write_text("(" * 5_000_000)
    with pytest.raises(FileError, match="longer than"):
        load(large)


def test_errors_come_when_the_game_is_made_ready() -> None:
    wrong = game_of("(game (setup (create players 2)) (choice ((turn pas))) (scoring max 0))")
    with pytest.raises(SourceError, match=r"my game\.rcy:1:\d+"):
        wrong.table()


# --- how games break off --------------------------------------------------------------------

MOVE_FROM_NOWHERE = "(move (top (game vloc NOWHERE)) (top (game vloc X)))"


def test_a_mistake_is_told_with_its_place() -> None:
    text = game(choice("(turn pass)"), do(MOVE_FROM_NOWHERE))
    state = table_of(text).new_state(7)
    line = text.splitlines().index(f" (do ({MOVE_FROM_NOWHERE}))") + 1
    with pytest.raises(RulesError) as caught:
        state.apply("pass")
    place = f"my game.rcy:{line}:13: the top card of an empty place."
    assert str(caught.value).endswith(place)
    assert caught.value.__notes__ == ["The game was set up from seed 7."]


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        ("(set (game sto X) (// 1 (game sto X)))", "division by zero"),
        ("(set (game sto X) (* 60000 (* 60000 60000)))", "2,147,483,647"),
        ("(set ((9 player) sto X) 1)", "no player 9"),
        ("(set (((+ 4 5) player) sto X) 1)", "no player of that number"),
        ("(set ((owner (top (game vloc STOCK))) sto X) 1)", "no player owns"),
        ("(set (game sto X) (fib 99))", "too large"),
        ("(set (game sto X) (random 3 .. 1))", "empty range"),
        ("(set (game sto X) (scoremax (game vloc NOWHERE) using (game points P)))", "no cards"),
        ("(all (subsets (union (game vloc STOCK))) 'S (turn pass))", None),
    ],
)
def test_mistakes(mistake: str, message: str | None) -> None:
    cards = ", ".join(f"A{i}" for i in range(21))
    deck = f"(create deck (game vloc STOCK) (deck (RANK ({cards}))))"
    text = game(do(mistake), choice("(turn pass)"), deck=deck)
    with pytest.raises((RulesError, SourceError)) as caught:
        table_of(text).new_state(1)
    assert "my game.rcy:3:" in str(caught.value)
    assert (message or "more than 20 cards") in str(caught.value)


STUCK = game(
    do("(move (top (game vloc STOCK)) (top (game vloc X)))"),
    choice("(turn pass)"),
    choice("((== (game sto X) 1) (turn pass))"),
    do("(set (game sto SCORE) 3)"),
    score="(game sto SCORE)",
)


def test_a_dead_end() -> None:
    state = table_of(STUCK).new_state(1)
    state.apply("pass")
    with pytest.raises(DeadEndError) as caught:
        state.legal_actions()
    assert "my game.rcy:5:2: player 1 has no option" in str(caught.value)
    assert state.status == Status.DEAD_END
    assert set(play(table_of(STUCK), 10)["status"]) == {Status.DEAD_END}


def test_a_dead_end_is_told_with_the_clauses_and_the_cards_of_who_is_stuck() -> None:
    follow = """((!= (game str LED) X)
   (any ((current player) vloc HAND) 'C (move 'C (top (game vloc TRICK)))))"""
    suit = "(any (filter ((current player) vloc HAND) 'C (== (cardatt SUIT 'C) X)) 'C "
    text = game(
        do(
            "(set (game str LED) X)",
            "(all (filter (game vloc STOCK) 'C (== (cardatt SUIT 'C) Y)) 'C"
            " (move 'C (top ((0 player) vloc HAND))))",
        ),
        choice(follow, suit + "(move 'C (top (game vloc TRICK))))"),
    )
    with pytest.raises(DeadEndError) as caught:
        table_of(text).new_state(1).legal_actions()
    line = text[: text.index("(choice")].count("\n") + 1
    assert (
        f"my game.rcy:{line}:2: player 1 has no option by lines {line} and {line + 1} "
        "(hand: A of Y, B of Y, C of Y, D of Y)"
    ) in str(caught.value)


def test_who_is_stuck_may_pass() -> None:
    state = game_of(STUCK).table(pass_when_stuck=True).new_state(1)
    state.apply("pass")
    assert [state.action_words(action) for action in state.legal_actions()] == ["no option: pass"]
    state.apply("no option: pass")
    assert state.scores() == [3.0, 3.0, 3.0]


def test_micro_test_14_is_a_dead_end() -> None:
    file = SHARED / "corpus" / "recycle" / "micro" / "T14.rcy"
    if not file.exists():
        pytest.skip("the corpus is not here")
    with pytest.raises(DeadEndError, match=r"T14\.rcy:\d+:\d+: player \d has no option"):
        load(file).table().new_state(1).legal_actions()


ENDLESS = game(choice("(turn pass)"), stage("(== 1 2)", do("(inc (game sto X) 0)")))


def test_rules_without_an_end() -> None:
    state = table_of(ENDLESS).new_state(1)
    with pytest.raises(EndlessError) as caught:
        state.apply("pass")
    assert "my game.rcy:4:2: more than 100,000 automatic steps" in str(caught.value)


IN_CIRCLES = game(
    stage(
        "(== 1 2)",
        choice("(move (top (game vloc STOCK)) (bottom (game vloc STOCK)))"),
    )
)


def test_a_loop() -> None:
    """The cards come round again and again; nobody has a choice."""
    batch = kibitz.play(table_of(IN_CIRCLES), make_agents(["random"], 3), 5, seed=1)
    assert set(batch.results["status"]) == {Status.LOOP}


def test_with_a_choice_it_is_only_suspected() -> None:
    either = game(
        stage(
            "(== 1 2)",
            choice(
                "(move (top (game vloc STOCK)) (bottom (game vloc STOCK)))",
                "(move (bottom (game vloc STOCK)) (top (game vloc STOCK)))",
            ),
        )
    )
    agents = make_agents(["random"], 3)
    batch = kibitz.play(table_of(either), agents, 5, seed=1, loops=4)
    assert set(batch.results["status"]) == {Status.SUSPECTED_LOOP}
    batch = kibitz.play(table_of(either), agents, 5, seed=1, loops=0)
    assert set(batch.results["status"]) == {Status.LIMIT}


def test_too_many_options() -> None:
    cards = ", ".join(f"A{i}" for i in range(14))
    deck = f"(create deck (game vloc STOCK) (deck (RANK ({cards}))))"
    clause = "(any (subsets (game vloc STOCK)) 'S (all 'S 'C (move 'C (top (game vloc X)))))"
    state = table_of(game(choice(clause), deck=deck)).new_state(1)
    with pytest.raises(FullBufferError) as caught:
        state.legal_actions()
    assert "my game.rcy:3:2: player 1 has more than 4096 options" in str(caught.value)


def test_a_playtest_says_why() -> None:
    table = table_of(STUCK)
    (fault,) = kibitz.playtest(table.game, players=3, games=5, seed=1).faults
    assert (
        fault.explanation
        == "my game.rcy:5:2: player 1 has no option by line 5 (no cards of their own)"
    )


# --- states and words -----------------------------------------------------------------------


def some_states(name: str, count: int = 12) -> list[State]:
    """States of a random game of the library, each a copy."""
    described = load(HANABI) if name == "hanabi" else kibitz.load(name)
    pick = random.Random(name)
    state = described.table().new_state(3)
    states = []
    while not state.is_terminal and state.tick < 120:
        states.append(state.clone())
        state.apply(pick.choice(state.legal_actions()))
    return [*pick.sample(states, min(count, len(states))), state]


@pytest.mark.parametrize("name", NAMES)
def test_states_can_be_kept(name: str) -> None:
    for state in some_states(name, 4):
        again = pickle.loads(pickle.dumps(state))
        assert again == state
        assert State.from_json(state.table, json.dumps(state.to_json())) == state
        if not state.is_terminal:
            assert again.legal_actions() == state.legal_actions()


@pytest.mark.parametrize("name", [*NAMES, "hanabi"])
def test_what_there_is_to_read(name: str) -> None:
    lengths = set()
    for state in some_states(name, 4):
        for player in range(state.players):
            lengths.add(len(state.table.encoder.encode(state, player)))
            assert f"Player {player + 1} (you)" in state.describe(player)
        assert str(state).startswith(state.headline())
    assert len(lengths) == 1


@pytest.mark.parametrize("name", [*NAMES, "hanabi"])
def test_words_find_their_actions(name: str) -> None:
    """Two options in the same words differ only in which of equal cards is meant."""
    for state in some_states(name):
        legal = [] if state.is_terminal else state.legal_actions()
        words = {action: state.action_words(action) for action in legal}
        again = Counter(words.values())
        equal = Counter(state.table.rules.places.card_names)
        for action, text in words.items():
            parsed = state.action(text.upper())
            if again[text] == 1:
                assert parsed == action
            else:
                picks = [state.table.rules.decode(state, a) for a in (action, parsed)]
                assert picks[0][0] == picks[1][0]
                names = [in_words(state, pick) for _, pick in picks]
                assert names[0] == names[1]
                assert max(equal.values()) > 1


def in_words(state: State, picks: tuple) -> list[str]:
    """The picks as texts, with cards by their names."""
    return [str(pick if not isinstance(pick, int) else _card(state, pick)) for pick in picks]


def _card(state: State, pick: int) -> str:
    names = state.table.rules.places.card_names
    return names[pick] if pick < len(names) else str(pick)


@pytest.mark.parametrize("name", [*NAMES, "hanabi"])
def test_every_action_has_its_own_number(name: str) -> None:
    for state in some_states(name):
        legal = [] if state.is_terminal else state.legal_actions()
        encoder = state.table.encoder
        numbers = [encoder.index(action, state) for action in legal]
        assert len(set(numbers)) == len(legal)
        assert all(0 <= number < encoder.actions_count for number in numbers)


def test_actions_that_are_none() -> None:
    state = kibitz.load("agram").table().new_state(1)
    before = bytes(state)
    for wrong in (0, -1, 250, 2**62, state.legal_actions()[0] ^ (1 << 20)):
        with pytest.raises(IllegalActionError):
            state.apply(wrong)
    with pytest.raises(UnknownNameError, match="Legal:"):
        state.apply("resign")
    assert bytes(state) == before


def test_words_of_clauses_that_are_alike() -> None:
    """The line number distinguishes clauses with the same words."""
    alike = choice(
        "(do ((turn pass) (set (game sto X) 1)))",
        "((== 1 1) (do ((turn pass) (set (game sto X) 1))))",
        "(set (game sto X) 2)",
    )
    state = table_of(game(alike.replace(" ((==", "\n ((=="))).new_state(1)
    assert [state.action_words(action) for action in state.legal_actions()] == [
        "pass (line 3)",
        "pass (line 4)",
        "go on",
    ]
    parts = [state.action_parts(action) for action in state.legal_actions()]
    assert [part.kind for part in parts] == ["pass", "pass (2)", "go on"]
    assert [state.action(part) for part in parts] == state.legal_actions()


def test_the_heuristic_is_the_lead() -> None:
    text = game(
        do("(set ((1 player) sto SCORE) 3)", "(set ((2 player) sto SCORE) 1)"),
        choice("(turn pass)"),
    )
    state = table_of(text).new_state(1)
    before = bytes(state)
    values = [state.heuristic(player) for player in range(3)]
    assert values[1] > 0 > values[2] > values[0] >= -1
    assert bytes(state) == before


def test_the_heuristic_is_the_lead_over_others_than_partners() -> None:
    """A side of three and two sides of one; then others are partners."""
    scores = " ".join(f"(set (({p} player) sto SCORE) {p + 1})" for p in range(5))
    again = choice("(turn pass)") + do("(create teams (3, 4) (0, 1))") + choice("(turn pass)")
    text = game(do(scores), again, players=5).replace(
        "(create players 5)", "(create players 5) (create teams (0, 4, 2) (1) (3))"
    )
    state = table_of(text).new_state(1)
    leads = [1 - 4, 2 - 5, 3 - 4, 4 - 5, 5 - 4]
    assert [state.heuristic(p) for p in range(5)] == [lead / (abs(lead) + 1) for lead in leads]
    state.apply(state.legal_actions()[0])
    leads = [1 - 5, 2 - 5, 3 - 5, 4 - 3, 5 - 3]
    assert [state.heuristic(p) for p in range(5)] == [lead / (abs(lead) + 1) for lead in leads]


# --- hostile programs -----------------------------------------------------------------------

MANY = "(create deck (game vloc STOCK) (deck (A ({})) (B ({}))))".format(
    ", ".join(f"A{i}" for i in range(40)), ", ".join(f"B{i}" for i in range(25))
)
"""A thousand cards."""
LOCATION = "(game vloc STOCK)"


def nested(n: int, begin: str, inside: str, end: str) -> str:
    """Forms in forms; each '#' in the first part becomes the depth."""
    return "".join(begin.replace("#", str(i)) for i in range(n)) + inside + end * n


def loops(word: str, n: int, collection: str, body: str) -> str:
    return nested(n, f"({word} {collection} 'V# ", body, ")")


TICKING = "(set (game sto X) (% (+ (game sto X) 1) 7))"
NEVER = "(== (game sto X) 1)"
HOSTILE = {
    "huge repeat": game(do("(repeat 999999999 (turn pass))")),
    "huge repeat in an option": game(choice("(repeat 999999999 (turn pass))")),
    "repeat in repeat": game(do(nested(9, "(repeat 9999 ", TICKING, ")"))),
    "huge deck": game(deck="(repeat 999999 (create deck (game vloc S) (deck (A (B)))))"),
    "exponential deck": game(
        deck="(create deck (game vloc S) (deck {}))".format(
            " ".join(f"(A{i} (X, Y, Z))" for i in range(40))
        )
    ),
    "many subsets": game(do(f"(all (subsets {LOCATION}) 'S (turn pass))"), deck=MANY),
    "subsets of twenty": game(
        do(f"(all (subsets (top 20 {LOCATION})) 'S (turn pass))"), deck=MANY
    ),
    "options of subsets": game(
        choice(f"(any (subsets (top 20 {LOCATION})) 'S (all 'S 'C (move 'C (top {LOCATION}))))"),
        deck=MANY,
    ),
    "kept subsets": game(do(f"(let (subsets (top 20 {LOCATION})) 'S (turn pass))"), deck=MANY),
    "endless stage": game(stage("(== 1 2)", do("(turn pass)"))),
    "endless stage of stages": game(stage("(== 1 2)", stage("(== 1 1)", do("(turn pass)")))),
    "deep conditions": game(do(f"({nested(200, '(not ', NEVER, ')')} (turn pass))")),
    "deep numbers": game(do(f"(set (game sto X) {nested(200, '(+ 1 ', '1', ')')})")),
    "deep blocks": game(do(nested(200, "(do (", "(turn pass)", "))"))),
    "deep stages": game(nested(200, f"(stage player (end {NEVER}) ", do("(turn pass)"), ")")),
    "nearly deep numbers": game(do(f"(set (game sto X) {nested(90, '(+ 1 ', '1', ')')})")),
    "many parentheses": "(" * 100_000,
    "loops over players": game(do(loops("all", 9, "player", TICKING)), players=15),
    "loops over cards": game(do(loops("all", 5, LOCATION, TICKING)), deck=MANY),
    "conditions over cards": game(
        choice(f"({loops('any', 6, LOCATION, NEVER)} (turn pass))", "(turn pass)"), deck=MANY
    ),
    "an end over cards": game(
        stage(loops("any", 6, LOCATION, NEVER), choice("(turn pass)")), deck=MANY
    ),
    "scoring over cards": game(
        choice("(turn pass)"), deck=MANY, score=loops("all", 4, LOCATION, "(random 9)")
    ),
    "options over cards": game(
        choice(loops("any", 4, LOCATION, f"({NEVER} (turn pass))")), deck=MANY
    ),
    "too many picks": game(choice(loops("any", 6, LOCATION, TICKING)), deck=MANY),
    "options that move": game(
        choice(
            nested(
                3,
                f"(any {LOCATION} 'V# (do ((move 'V# (top (game vloc X))) ",
                f"({NEVER} (turn pass))",
                ")))",
            )
        ),
        deck=MANY,
    ),
    "sorting": game(
        do(
            "(set (game points P) ({}))".format(
                " ".join(f"((A : A{i}) (- 0 {i}))" for i in range(40))
            ),
            f"(repeat 99999 (set (game sto X) (size (sort {LOCATION} using (game points P)))))",
        ),
        deck=MANY,
    ),
    "unions": game(
        do(f"(set (game sto X) (size {nested(9, '(union ', LOCATION, f' {LOCATION})')}))"),
        deck=MANY,
    ),
    "runs": game(
        do(
            "(set (game points P) ({}))".format(" ".join(f"((A : A{i}) {i})" for i in range(40))),
            f"(set (game sto X) (size (runs all 2 {LOCATION} using (game points P))))",
        ),
        deck=MANY,
    ),
    "tuples": game(
        do(f"(set (game sto X) (size (tuples 9 {LOCATION} using (game points P))))"), deck=MANY
    ),
    "huge index": game(do("(move (top (game vloc STOCK)) (top (game vloc X 99999999)))")),
    "many places": game(
        do(*[f"(all player 'P (move (top {LOCATION}) (top ('P vloc L{i}))))" for i in range(200)]),
        deck=MANY,
        players=15,
    ),
    "many clauses": game(*[choice("(turn pass)")] * 300),
    "many ways": game(
        choice(
            "(do ({}))".format(
                " ".join(f"((== (game sto X{i}) 1) (any player 'P (turn pass)))" for i in range(9))
            )
        )
    ),
    "large powers": game(do("(set (game sto X) (^ 2 (^ 9 9)))")),
}

RUN = """
import json, sys

from tests.work import lines_run

from kibitz.core.errors import KibitzError
from kibitz.core.game import engine
from kibitz.recycle.game import RecycleGame
from kibitz.recycle.primitives import addresses
from kibitz.syntax.source import Source

engine(), addresses()  # made once for all games


def said(text):
    try:
        state = RecycleGame(Source("hostile.rcy", text)).table().new_state(1)
        while not state.is_terminal and state.tick < 5:
            state.apply(state.legal_actions()[0])
        return f"played: {state.status.name}"
    except KibitzError as problem:
        return str(problem).splitlines()[0]


for name, text, counted in json.load(sys.stdin):
    outcome = said(text)
    # not ru_maxrss, which begins with what the parent process has
    with open("/proc/self/status") as status:
        peak = next((line for line in status if line.startswith("VmHWM")), "VmHWM: 0 kB")
    megabytes = int(peak.split()[1]) / 1024
    lines = lines_run(lambda: said(text)) if counted else 0
    print(json.dumps([name, outcome, lines, megabytes]))
"""


@pytest.fixture(scope="module")
def outcomes(request: pytest.FixtureRequest) -> dict[str, tuple[str, int, float]]:
    """For each program its outcome, the executed lines of Python, and the megabytes in use.

    Lines are counted only for the programs under test, since counting takes most of the time.
    """
    tests = {item.name for item in request.session.items}
    programs = [(n, text, f"test_hostile_programs[{n}]" in tests) for n, text in HOSTILE.items()]
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        input=json.dumps(programs),
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return {name: outcome for name, *outcome in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_programs(name: str, outcomes: dict[str, tuple[str, int, float]]) -> None:
    """Each program is refused or played with little work and less than 500 MB."""
    message, lines, megabytes = outcomes[name]
    assert message.startswith("played: ") or "hostile.rcy:" in message
    assert 0 < lines < 2_000_000
    assert megabytes < 500


def test_hostile_programs_are_refused(outcomes: dict[str, tuple[str, int, float]]) -> None:
    """Few of them are harmless after all."""
    played = {name for name, (message, *_) in outcomes.items() if message.startswith("played")}
    assert played <= {"unions", "nearly deep numbers", "deep stages"}


@pytest.mark.parametrize("word", ["SEED", "NAME", "GAME", "SELF", "RECORD", "TUNABLES"])
def test_a_parameter_may_have_any_name(word: str) -> None:
    text = f"""
(game
  (declare 2 '{word})
  (setup (create players 2) (create deck (game vloc STOCK) (deck (RANK (A, B, C, D, E, F)))))
  (do ((all player 'P (repeat '{word} (move (top (game vloc STOCK)) (top ('P vloc HAND)))))))
  (stage player (end (== 1 1)) (choice ((turn pass))))
  (scoring max (size ((current player) vloc HAND))))
"""
    game, name = game_of(text), word.lower()
    assert list(game.own_parameters) == [name]
    values = {name: 3}
    state = game.new_state(players=2, seed=7, parameters=values)
    assert state.seed == 7
    assert [len(hand) for hand in hands(state)] == [3, 3]
    assert kibitz.playtest(game, parameters=values, games=2).parameters[name] == 3
    assert kibitz.record(game, parameters=values).parameters[name] == 3


def hands(state: State) -> list[list[int]]:
    return [
        [view.cards[i] for i in range(view.count)]
        for instance, view in components_in_play(state)
        if instance.path.lower().startswith("hand")
    ]


@pytest.mark.parametrize(
    ("header", "message"),
    [("3-6", "HAND is 2; the header allows 3 to 6"), ("6-3", "The header's range .* is empty")],
)
def test_a_default_outside_of_its_range_is_an_error_with_its_line(
    header: str, message: str
) -> None:
    text = f";; Six\n;; HAND {header}: cards\n(game (declare 2 'HAND))\n"
    game = RecycleGame(Source("six.rcy", text))
    with pytest.raises(SourceError, match=rf"six\.rcy:3:7: error: {message}"):
        game.table(2)


def test_a_game_is_pickled_as_its_text() -> None:
    game = game_of(f";; Match\n;; Deals: 3 (1 to 5)\n{DEALS}")
    game.origin.where = "my game.rcy"
    for copy in (
        pickle.loads(pickle.dumps(game)),
        pickle.loads(pickle.dumps(game.quickly_made())),
    ):
        assert (copy.name, copy.origin.where, copy.fingerprint) == (
            game.name,
            game.origin.where,
            game.fingerprint,
        )
        assert list(copy.own_parameters) == list(game.own_parameters)
    table = pickle.loads(pickle.dumps(kibitz.load("kuhn-poker"))).table()
    assert table.new_state(3).legal_actions()


def test_a_game_without_a_decision_is_kept_and_read_again() -> None:
    text = """(game (setup (create players 2) (create deck (game iloc STOCK) (deck (RANK (A)))))
      (do ((shuffle (game iloc STOCK)))) (scoring max (size (game iloc STOCK))))"""
    state = RecycleGame(Source("short.rcy", text)).new_state()
    assert state.is_terminal
    assert State.from_json(state.table, state.to_json()) == state

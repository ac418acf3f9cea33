"""A person at the console, played by a list of lines."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import kibitz
from kibitz.core.agent import Advice, Agent
from kibitz.core.errors import FileError
from kibitz.core.state import State
from kibitz.players.human import (
    HumanAgent,
    Menu,
    PersonLeft,
    glossary_lines,
    hint_text,
    in_columns,
    sections_of,
)


class Person:
    """A person who types prepared lines, and all that they are shown."""

    def __init__(self, *entries: str, **options: object) -> None:
        self.entries = list(entries)
        self.prompts: list[str] = []
        self.shown = ""
        self.agent = HumanAgent(self.ask, self.tell, **options)  # type: ignore[arg-type]

    def ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        if not self.entries:
            raise EOFError
        return self.entries.pop(0)

    def tell(self, text: str) -> None:
        self.shown += text + "\n"

    def choice(self, state: State) -> str:
        """What they choose, in words; all lines must have been read by then."""
        words = state.action_words(self.agent.choose(state))
        assert self.entries == []
        return words


@pytest.fixture
def board() -> State:
    return kibitz.load("tic-tac-toe").new_state()


@pytest.fixture
def guard() -> State:
    """Player 1 holds two Guards, among three players."""
    state = kibitz.load("love-letter").new_state(3, seed=22)
    assert len(state.legal_actions()) == 14
    return state


# --- choosing -----------------------------------------------------------------------------


def test_by_number(board: State) -> None:
    person = Person("5", "")
    assert person.choice(board) == "mark 1 1"
    assert person.prompts[1].startswith("You chose: mark 1 1. Enter to send it, u to choose")


@pytest.mark.parametrize("yes", ["", "y", "Yes"])
def test_a_choice_is_confirmed(board: State, yes: str) -> None:
    assert Person("5", yes).choice(board) == "mark 1 1"


@pytest.mark.parametrize("undo", ["u", "undo", "n", "NO"])
def test_a_choice_is_taken_back(board: State, undo: str) -> None:
    person = Person("5", undo, "1", "")
    assert person.choice(board) == "mark 0 0"
    assert "Taken back" in person.shown


def test_another_choice_replaces_the_first(board: State) -> None:
    assert Person("5", "mark 2 2", "").choice(board) == "mark 2 2"


def test_after_a_mistake_nothing_is_chosen(board: State) -> None:
    assert Person("5", "nonsense", "", "1", "").choice(board) == "mark 0 0"


def test_quick_sends_at_once(board: State) -> None:
    assert Person("5", quick=True).choice(board) == "mark 1 1"


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("play Guard on player 2 guessing Priest", "play Guard on player 2 guessing Priest"),
        ("  PLAY guard ON player 3  guessing king ", "play Guard on player 3 guessing King"),
        ("guard 2 priest", "play Guard on player 2 guessing Priest"),
        ("gu 3 bar", "play Guard on player 3 guessing Baron"),
        ("2 princess", "play Guard on player 2 guessing Princess"),
        ("14", "play Guard on player 3 guessing Princess"),
    ],
)
def test_by_words(guard: State, entry: str, words: str) -> None:
    assert Person(entry, quick=True).choice(guard) == words


def test_words_that_fit_several_show_these_under_their_numbers(guard: State) -> None:
    person = Person("prin 2", "2 prin", "7", quick=True)
    assert person.choice(guard) == "play Guard on player 2 guessing Princess"
    assert "Nothing you can do now is like 'prin 2'" in person.shown
    question = person.shown.partition("Which one?\n")[2]
    assert [line.split()[0] for line in question.splitlines()] == ["4", "7"]


def test_actions_that_begin_so_win_over_those_that_go_on_so(board: State) -> None:
    menu = Menu(board)
    menu.words = ["draw four cards", "challenge the Wild Draw Four", *menu.words[2:]]
    assert menu.find("draw") == [menu.actions[0]]
    assert menu.find("wild draw") == [menu.actions[1]]
    assert menu.find("four") == menu.actions[:2]


def test_exact_words_win_over_longer_ones(board: State) -> None:
    menu = Menu(board)
    menu.words = ["mark", "mark 1", *menu.words[2:]]
    assert menu.find("mark") == [menu.actions[0]]


@pytest.mark.parametrize(
    "entry", ["0", "10", "-1", "99999999999999999999", "1.5", "mark 3 3", "x"]
)
def test_illegal_entries_are_refused(board: State, entry: str) -> None:
    person = Person(entry, "", "1", quick=True)
    assert person.choice(board) == "mark 0 0"
    assert "1-9" in person.shown or "Nothing you can do" in person.shown


def test_nothing_typed_tells_what_to_type(board: State) -> None:
    person = Person("", "   ", "1", quick=True)
    person.choice(board)
    assert person.shown.count("Type 1-9, words of an action, or ? for help.") == 2


# --- commands -----------------------------------------------------------------------------


def test_help_names_every_command_and_the_cards(guard: State) -> None:
    person = Person("?", "1", quick=True)
    person.choice(guard)
    for text in ("  u  ", "  h  ", "  s  ", "  ?  ", "  q  ", "Priest: Look at another"):
        assert text in person.shown
    assert max(map(len, person.shown.splitlines())) <= 80


def test_help_tells_what_a_game_has_to_look_up() -> None:
    state = kibitz.load("tic-tac-toe", compiled=False).new_state()
    assert glossary_lines(state, 80) == []
    cards = glossary_lines(kibitz.load("virus", compiled=False).new_state(), 80)
    assert "  Heart, Stomach, Brain and Bone: Put it into your body, unless you have one." in cards
    game = kibitz.load("pandemic", compiled=False)
    text = "\n".join(glossary_lines(game.new_state(2, seed=1), 80))
    for line in (
        "The roles:",
        "  Medic: Treats all cubes",
        "  Milan (blue): Essen, Paris, Istanbul",
    ):
        assert line in text
    assert "Milan (blue): Essen, Paris, Istanbul, Algiers" not in text
    slips = glossary_lines(game.new_state(2, seed=1, map="tag"), 80)
    assert "  Milan (blue): Essen, Paris, Istanbul, Algiers" in slips
    game = kibitz.load("colt-express", compiled=False)
    lines = glossary_lines(game.new_state(2, seed=1), 80)
    assert "  Bullet: Cannot be played." in lines
    assert lines.count("  Jewel: $500.") == 1
    assert max(map(len, lines)) <= 80


def test_help_ends_with_the_keys(guard: State) -> None:
    person = Person("?", quick=True)
    with pytest.raises(PersonLeft):
        person.agent.choose(guard)
    assert person.shown.index("Priest: Look at another") < person.shown.index("  u  ")
    assert person.shown.rstrip().endswith("you may keep it in a file")


def test_one_thing_can_be_looked_up() -> None:
    state = kibitz.load("pandemic").new_state(2, seed=1)
    roles = glossary_lines(state, 80, "medic")
    assert roles[:2] == ["", "The roles:"]
    assert roles[2].startswith("  Medic: Treats all cubes")
    assert len([line for line in roles if line.endswith(":")]) == 1
    assert glossary_lines(state, 80, "ho chi")[1:] == [
        "The map:",
        "  Ho Chi Minh City (red): Bangkok, Hong Kong, Jakarta, Manila",
    ]
    cities = glossary_lines(state, 80, "map")
    assert cities[1] == "The map:"
    assert sum(" (" in line for line in cities) == 48
    assert glossary_lines(state, 80, "zeppelin") == []


def test_looking_up_at_the_prompt(guard: State) -> None:
    person = Person("? pri", "?KING", "? zeppelin", "1", quick=True)
    person.choice(guard)
    answer = person.shown.partition("You can:")[2]
    assert "  Priest: Look at another" in answer
    assert "  King: " in answer
    assert "Baron: " not in answer
    assert "There is nothing like 'zeppelin' to look up" in answer


def test_who_types_save_is_told_how_to(board: State) -> None:
    person = Person("save", "Save game.json", "1", quick=True)
    assert person.choice(board) == "mark 0 0"
    assert person.shown.count("Type q to leave: it asks for a file") == 2


def test_show_repeats_the_state(board: State) -> None:
    person = Person("s", "1", quick=True)
    person.choice(board)
    assert person.shown.count("Turn of player 1.") == 2


def test_undo_of_what_was_sent_is_refused(board: State) -> None:
    person = Person("u", "1", quick=True)
    person.choice(board)
    assert "nothing to take back" in person.shown


def test_a_hint_shows_shares_and_values(board: State) -> None:
    person = Person("h", "1", hint="mcts:iterations=200", quick=True)
    person.choice(board)
    assert "mcts:iterations=200 would: mark " in person.shown
    assert "share  value" in person.shown
    assert "... and 4 more" in person.shown


def test_a_hint_that_cannot_be_given_says_why(board: State) -> None:
    person = Person("h", "1", hint="love-letter-reflex", quick=True)
    assert person.choice(board) == "mark 0 0"
    assert "No hint: The agent love-letter-reflex plays love-letter only" in person.shown


def test_a_hint_from_an_agent_in_python(board: State) -> None:
    class Last(Agent):
        name = "last"

        def choose(self, state: State) -> int:
            return max(state.legal_actions())

    person = Person("h", "1", hint=Last(), quick=True)
    person.choice(board)
    assert "last would: mark 2 2" in person.shown


def test_the_hint_text() -> None:
    state = kibitz.load("tic-tac-toe").new_state()
    first, second = state.legal_actions()[:2]
    text = hint_text("x", [Advice(first, 0.75, 0.5), Advice(second, 0.25, 0.125)], state, 1)
    assert text.splitlines() == [
        "x would: mark 0 0",
        "  share  value",
        "    75%    50%  mark 0 0",
        "  ... and 1 more",
    ]


def test_the_game_names_who_gives_hints(board: State, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(board.table.game), "default_agent", "mcts:iterations=50")
    person = Person("h", "1", quick=True)
    person.choice(board)
    assert "mcts:iterations=50 would: mark " in person.shown


def values_shown(state: State, *values: float) -> list[str]:
    """The column of values in the hint of an agent that thinks so of the first actions."""
    actions = state.legal_actions()
    advice = [Advice(actions[i], 0.1, value) for i, value in enumerate(values)]
    return [line.split()[1] for line in hint_text("x", advice, state).splitlines()[2:]]


def test_a_hint_shows_small_differences(board: State) -> None:
    assert values_shown(board, 0.5, 0.25) == ["50%", "25%"]
    assert values_shown(board, 0.372, 0.371, 0.3) == ["37.2%", "37.1%", "30.0%"]
    assert values_shown(board, 0.3602, 0.3598, 0.3598) == ["36.02%", "35.98%", "35.98%"]
    assert values_shown(board, 1.0, 0.9, 0.9) == ["100%", "90%", "90%"]


def test_a_hint_without_a_difference_says_so(board: State) -> None:
    actions = board.legal_actions()
    advice = [Advice(action, 1 / 9, 0.000001 * i) for i, action in enumerate(actions)]
    assert hint_text("x", advice, board, 2).splitlines() == [
        "x sees no difference between these, all of value 0%:",
        "  mark 0 0",
        "  mark 1 0",
        "  ... and 7 more",
    ]


def test_a_hint_about_one_action_has_no_figures(board: State) -> None:
    advice = [Advice(board.legal_actions()[4], 1.0, 0.5)]
    assert hint_text("x", advice, board) == "x would: mark 1 1"


# --- leaving ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entries", "keep_in"),
    [
        (("q", ""), ""),
        (("quit", "y"), ""),
        (("q", "game.json"), "game.json"),
        (("q",), ""),
        (("5", "q", ""), ""),
        ((), ""),
        (("5",), ""),
    ],
)
def test_leaving(board: State, entries: tuple[str, ...], keep_in: str) -> None:
    with pytest.raises(PersonLeft) as error:
        Person(*entries).agent.choose(board)
    assert error.value.keep_in == keep_in


def test_who_cannot_keep_the_game_there_is_asked_again(board: State) -> None:
    def check(path: str) -> None:
        if path != "good.json":
            raise FileError(f"{path}: no.")

    person = Person("q", "bad.json", "good.json", check_file=check)
    with pytest.raises(PersonLeft) as error:
        person.agent.choose(board)
    assert error.value.keep_in == "good.json"
    assert "bad.json: no." in person.shown
    assert person.prompts[1] == person.prompts[2]
    staying = Person("q", "bad.json", "n", "1", check_file=check, quick=True)
    assert staying.choice(board) == "mark 0 0"


def test_staying_after_all(board: State) -> None:
    assert Person("q", "n", "1", "").choice(board) == "mark 0 0"


# --- what is shown ------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_nothing_hidden_is_shown_not_even_by_hints(players: int) -> None:
    """States that look alike to the player give the same screens, hints included."""
    state = kibitz.load("love-letter").new_state(players, seed=5)
    for _ in range(12):
        if len(state.legal_actions()) > 1:
            screens = set()
            for seed in range(4):
                person = Person("h", "?", "s", "1", hint="ismcts:iterations=50", quick=True)
                person.agent.choose(state.determinize(state.current_player, seed))
                screens.add(person.shown)
            truth = Person("h", "?", "s", "1", hint="ismcts:iterations=50", quick=True)
            truth.agent.choose(state)
            assert screens == {truth.shown}
        state.apply(state.legal_actions()[0])


def test_columns() -> None:
    assert in_columns(["a", "bb", "c", "d", "e"], 16) == ["  a     c     e", "  bb    d"]
    assert in_columns(["a" * 30, "b"], 20) == ["  " + "a" * 30, "  b"]
    assert in_columns([], 80) == []


def test_a_long_list_is_cut_but_words_reach_the_rest() -> None:
    state = kibitz.load("tic-tac-toe").new_state(size=7)
    menu = Menu(state)
    menu.actions = list(range(100))
    menu.words = [f"go {i}" for i in range(100)]
    text = menu.text(80)
    assert "go 59" in text
    assert "go 60" not in text
    assert "... and 40 more" in text
    assert menu.find("go 99") == [99]
    assert "100  go 99" in menu.text(80, [99])


def test_what_begins_alike_has_a_heading_where_the_list_is_long(board: State) -> None:
    menu = Menu(board)
    menu.words = ["stay here", *(f"go by train to Place {i}" for i in range(20)), "fly to Rome"]
    menu.actions = list(range(len(menu.words)))
    lines = menu.text(40).splitlines()
    assert lines[:3] == [
        "   1  stay here",
        "  go by train to Place ...",
        "     2  0      7  5     12  10    17  15",
    ]
    assert lines[-1] == "  22  fly to Rome"
    assert menu.find("go by train to place 19") == [20]
    assert menu.find("21") == [20]
    menu.words = menu.words[:5]
    menu.actions = menu.actions[:5]
    assert "..." not in menu.text(40)


@pytest.mark.parametrize(
    ("words", "headings"),
    [
        ([f"play A and name {c}" for c in "abcd"], ["play A and name"]),
        (
            [f"play {a} and name {c}" for a in ("A", "A B") for c in "abcd"],
            ["play A and name", "play A B and name"],
        ),
        ([f"fly to {c}" for c in ("San A", "San B", "C", "D", "E")], ["fly to"]),
        ([f"fly to {c}" for c in "abc"], [""]),
        ([f"mark {x} {y}" for x in range(2) for y in range(5)], [""]),
        ([f"rob player {p} at {c}" for p in range(4) for c in "ab"], [""]),
        ([f"hit the man of player {p}" for p in range(4)], ["hit the man of"]),
    ],
)
def test_headings(words: list[str], headings: list[str]) -> None:
    sections = list(sections_of([(f"{i} ", text) for i, text in enumerate(words)]))
    assert [heading for heading, _ in sections] == headings
    rebuilt = [f"{heading} {text}".strip() for heading, lines in sections for _, text in lines]
    assert rebuilt == words


def test_long_lines_of_the_state_are_wrapped() -> None:
    person = Person("1", width=30, quick=True)
    state = kibitz.load("love-letter").new_state(2, seed=1)
    person.agent.choose(state)
    assert max(map(len, person.shown.partition("You can:")[0].splitlines())) <= 30


# --- in the arena -------------------------------------------------------------------------


def test_a_person_can_sit_in_any_match() -> None:
    person = Person(*["1"] * 9, quick=True)
    table = kibitz.load("tic-tac-toe").table()
    record = kibitz.record(table, [person.agent, kibitz.make_agent("first-legal")], 1)
    assert record.agents == ("human", "first-legal")
    assert record.result.places == (1, 2)


def test_leaving_a_match_ends_it() -> None:
    table = kibitz.load("tic-tac-toe").table()
    with pytest.raises(PersonLeft):
        kibitz.record(table, [Person().agent, kibitz.make_agent("random")], 1)


def test_input_and_print_are_the_defaults(
    board: State, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(["5", ""])
    ask: Callable[[str], str] = lambda prompt: next(answers)  # noqa: E731
    monkeypatch.setattr("builtins.input", ask)
    assert board.action_words(HumanAgent(ask=ask).choose(board)) == "mark 1 1"
    assert "mark 1 1" in capsys.readouterr().out

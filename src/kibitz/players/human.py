"""A person at a console: reads the state, types an action, may ask for a hint.

``HumanAgent`` is an agent like any other. It gets only what its player may know, and shows it by
``State.describe`` for that player, so nothing hidden can appear. The caller chooses how it reads
and writes: ``HumanAgent(ask=input, tell=print)``.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Sequence

from kibitz.core.agent import Advice, Agent, make_agent
from kibitz.core.errors import GameLeftError, KibitzError
from kibitz.core.game import Table
from kibitz.core.state import State
from kibitz.core.wording import wrapped

MOST_SHOWN = 60
"""The most actions listed under a heading; all others can still be chosen by their words."""

MOST_LINES = 16
"""The most lines of a menu without headings; longer menus group actions that begin alike."""

FEWEST_ALIKE = 4
"""The fewest actions that are grouped under a heading."""

HELP = """\
Type the number of an action; or some of its words, in order, each as short as
you like, such as "gu 2 pri" for "play Guard on player 2 guessing Priest".

  Enter   send the action you chose
  u       take it back and choose again (before it is sent)
  h       hint: what an agent would do, and how sure it is
  s       show the state and the actions again
  ?       this help, and all there is to look up; ? WORD looks up one thing
  q       leave the game; you may keep it in a file"""

UNDO_HELP = """\
  uu      take back the last action that you sent, and what came after it, unless chance
          was at work or something hidden has played a part since"""
"""The additional help where sent actions can be taken back."""

Ask = Callable[[str], str]
"""A function that shows a prompt and returns the line typed; ``EOFError`` at the end of input."""

Tell = Callable[[str], None]
"""A function that shows lines of text."""


class PersonLeft(GameLeftError):
    """The person ended the game before it was over.

    Attributes:
        keep_in: the file in which to keep the game, or ``""``.
    """

    def __init__(self, keep_in: str = "") -> None:
        super().__init__("The game was left before it was over.")
        self.keep_in = keep_in


class TakenBack(KibitzError):
    """The person wants to take back the last action that they sent."""


class HumanAgent(Agent):
    """A person, asked through two functions.

    Args:
        ask: shows a prompt and returns a line.
        hint: the agent that gives hints; ``None``: the game's ``default_agent``.
        quick: whether actions are sent without confirmation.
        width: columns of the screen.
        check_file: raises a ``KibitzError`` when the game cannot be kept in this file.
        undo: whether the caller handles ``TakenBack``, which ``choose`` may then raise.
    """

    name = "human"

    def __init__(
        self,
        ask: Ask = input,
        tell: Tell = print,
        *,
        hint: str | Agent | None = None,
        quick: bool = False,
        width: int = 80,
        check_file: Callable[[str], None] | None = None,
        undo: bool = False,
    ) -> None:
        super().__init__()
        self._ask = ask
        self._tell = tell
        self._hint = hint
        self.quick = quick
        self.width = width
        self._check_file = check_file
        self.undo = undo

    def start(self, table: Table) -> None:
        """Nothing to reset: it keeps no memory of games."""

    def choose(self, state: State) -> int:
        """Shows the state and the actions, and asks until one is chosen and confirmed.

        Raises:
            PersonLeft: the person wants to stop.
            TakenBack: the person wants their last action back.
        """
        menu = Menu(state)
        self._show(menu)
        chosen: int | None = None
        while True:
            entry = self._read(menu.confirmation(chosen) if chosen is not None else menu.prompt)
            command = entry.lower()
            if chosen is not None and command in ("", "y", "yes"):
                return chosen
            if chosen is not None and command in ("u", "undo", "n", "no"):
                chosen = None
                self._tell("Taken back: choose again.")
                continue
            chosen = None if self._obeyed(command, menu) else self._understood(entry, menu)
            if chosen is not None and self.quick:
                return chosen

    def _read(self, prompt: str) -> str:
        try:
            return self._ask(prompt).strip()
        except EOFError:
            raise PersonLeft from None

    def _show(self, menu: Menu) -> None:
        state = menu.state
        self._tell("\n" + wrapped(state.describe(state.current_player), self.width))
        self._tell("\nYou can:\n" + menu.text(self.width))

    def _obeyed(self, command: str, menu: Menu) -> bool:
        """Carries out an entry that is a command; returns whether it was one."""
        if command in ("q", "quit"):
            self._leave()
        elif command in ("h", "hint"):
            self._tell(wrapped(self._opinion(menu.state), self.width))
        elif command in ("?", "help"):
            text = f"{HELP}\n{UNDO_HELP}" if self.undo else HELP
            self._tell("\n".join([*glossary_lines(menu.state, self.width), "", text]))
        elif command.startswith("?"):
            self._look_up(command[1:].strip(), menu.state)
        elif command in ("s", "show"):
            self._show(menu)
        elif command == "uu" and self.undo:
            raise TakenBack("The last action is to be taken back.")
        elif command in ("u", "undo"):
            sent = "uu takes back what was sent" if self.undo else "what was sent stays"
            self._tell(f"There is nothing to take back: {sent}.")
        else:
            return False
        return True

    def _leave(self) -> None:
        """Asks whether to leave, and raises ``PersonLeft`` if so."""
        while True:
            answer = self._read(
                "Leave the game? Enter to leave, a file name to leave and keep it, n to stay: "
            )
            if answer.lower() in ("n", "no"):
                return
            if answer.lower() in ("", "y", "yes"):
                raise PersonLeft
            try:
                if self._check_file is not None:
                    self._check_file(answer)
            except KibitzError as problem:
                self._tell(str(problem))
            else:
                raise PersonLeft(answer)

    def _look_up(self, words: str, state: State) -> None:
        """Shows the glossary entries that these words name."""
        lines = glossary_lines(state, self.width, words)
        if not lines:
            lines = [f"There is nothing like {words!r} to look up; ? shows all there is."]
        self._tell("\n".join(lines))

    def _understood(self, entry: str, menu: Menu) -> int | None:
        """The single action that `entry` matches; else shows a message and returns ``None``."""
        matches = menu.find(entry)
        if len(matches) == 1:
            return matches[0]
        if matches:
            self._tell("Which one?\n" + menu.text(self.width, matches))
        elif not entry:
            self._tell(f"Type {menu.numbers}, words of an action, or ? for help.")
        elif entry.isdecimal():
            self._tell(f"There is no action {entry}: type {menu.numbers}, or ? for help.")
        elif _tokens(entry)[:1] == ["save"]:
            self._tell("Type q to leave: it asks for a file in which to keep the game.")
        else:
            self._tell(f"Nothing you can do now is like {entry!r}. Type s to see it all again.")
        return None

    def _opinion(self, state: State) -> str:
        """What the hint's agent thinks of the actions, as text."""
        try:
            agent = make_agent(self._hint or state.table.game.default_agent)
            agent.check_game(state.table)
            agent.random.seed(self.random.getrandbits(60))
            return hint_text(agent.label, agent.advise(state), state)
        except KibitzError as problem:
            return f"No hint: {problem}"


class Menu:
    """The legal actions of the current player of a state, numbered from 1."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.actions = state.legal_actions()
        self.words = [state.action_words(action) for action in self.actions]

    @property
    def numbers(self) -> str:
        """The range of numbers that can be typed."""
        return "1" if len(self.actions) == 1 else f"1-{len(self.actions)}"

    @property
    def prompt(self) -> str:
        """The question that asks the person for a choice."""
        return f"Your choice ({self.numbers} or words, h hint, ? help): "

    def confirmation(self, action: int) -> str:
        """The question whether to send `action`."""
        words = self.words[self.actions.index(action)]
        return f"You chose: {words}. Enter to send it, u to choose again: "

    def text(self, width: int, only: Sequence[int] | None = None) -> str:
        """The numbered actions, or those in `only`, in as many columns as fit.

        Where that takes many lines, actions that begin alike are put under one heading.
        """
        digits = len(str(len(self.actions)))
        entries = [
            (f"{number:>{digits}}  ", words)
            for number, (action, words) in enumerate(
                zip(self.actions, self.words, strict=True), start=1
            )
            if only is None or action in only
        ]
        lines = in_columns([number + words for number, words in entries], width)
        sections = [("", entries)] if len(lines) <= MOST_LINES else list(sections_of(entries))
        lines = []
        more = 0
        for heading, section in sections:
            shown = [number + words for number, words in section]
            lines += [f"  {heading} ..."] if heading else []
            lines += in_columns(shown[:MOST_SHOWN], width, "    " if heading else "  ")
            more += max(0, len(shown) - MOST_SHOWN)
        if more:
            lines.append(f"  ... and {more} more; type some words to see those that match")
        return "\n".join(lines)

    def find(self, entry: str) -> list[int]:
        """The actions that `entry` matches: a number, the exact words, or some of the words.

        Actions that begin with the first word of `entry` take precedence.
        """
        if entry.isdecimal() and 1 <= int(entry) <= len(self.actions):
            return [self.actions[int(entry) - 1]]
        prefixes = _tokens(entry)
        numbered = list(zip(self.actions, self.words, strict=True))
        exact = [action for action, words in numbered if _tokens(words) == prefixes]
        if exact or not prefixes:
            return exact
        alike = [(a, words) for a, words in numbered if _in_order(prefixes, _tokens(words))]
        begin = [action for action, words in alike if _in_order(prefixes[:1], _tokens(words)[:1])]
        return begin or [action for action, _ in alike]


def _tokens(text: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", text.lower())


def _in_order(prefixes: Sequence[str], words: Sequence[str]) -> bool:
    """Whether each prefix begins one of the words, in the same order; numbers must be equal."""
    remaining = iter(words)
    return all(
        any(
            word == prefix or (not prefix.isdecimal() and word.startswith(prefix))
            for word in remaining
        )
        for prefix in prefixes
    )


Entry = tuple[str, str]
"""The number of an action as shown in a menu, and the action's words."""


def sections_of(entries: Sequence[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    """The entries in their order, grouped under headings of the words with which they begin.

    Entries under a heading lack its words. The heading of entries between groups is empty.
    """
    between: list[Entry] = []
    start = 0
    while start < len(entries):
        heading, end = _alike(entries, start)
        if end - start < FEWEST_ALIKE:
            between.append(entries[start])
            start += 1
            continue
        if between:
            yield "", between
            between = []
        words = len(heading)
        yield (
            " ".join(heading),
            [(number, " ".join(text.split()[words:])) for number, text in entries[start:end]],
        )
        start = end
    if between:
        yield "", between


def _alike(entries: Sequence[Entry], start: int) -> tuple[list[str], int]:
    """The first words shared by the entries from `start` on, and where that group ends.

    At least two words are shared. Once the group is large enough for a heading, an entry that
    would make the heading shorter is not added.
    """
    heading: list[str] = []
    end = start + 1
    while end < len(entries):
        first = heading or entries[start][1].split()[:-1]
        common = _heading(first, entries[end][1].split()[:-1])
        enough = end - start >= FEWEST_ALIKE
        if len(common) < 2 or (enough and len(common) < len(heading)):
            break
        heading = common
        end += 1
    return heading, end


def _heading(first: Sequence[str], other: Sequence[str]) -> list[str]:
    """The first words that both share, up to the last that is not part of a player's name."""
    same = 0
    while same < min(len(first), len(other)) and first[same] == other[same]:
        same += 1
    common = list(first[:same])
    while common and (not common[-1].isalpha() or common[-1] == "player"):
        common.pop()
    return common


def in_columns(entries: Sequence[str], width: int, indent: str = "  ") -> list[str]:
    """The entries as lines in columns that are filled downwards, as many as fit into `width`."""
    if not entries:
        return []
    gap = "    "
    longest = max(map(len, entries))
    columns = max(1, (width - len(indent) + len(gap)) // (longest + len(gap)))
    rows = -(-len(entries) // columns)
    return [
        indent + gap.join(entry.ljust(longest) for entry in entries[row::rows]).rstrip()
        for row in range(rows)
    ]


def hint_text(label: str, advice: Sequence[Advice], state: State, most: int = 5) -> str:
    """An agent's opinion as a small table.

    The first line is what the agent would do. Shares say how sure it is, values how good it
    expects the result to be. There is no table for a single action, nor for values that are all
    equal when shown.
    """
    lines = [f"{label} would: {state.action_words(advice[0].action)}"]
    if len(advice) == 1:
        return lines[0]
    if len({f"{item.value:.2%}" for item in advice}) == 1:
        lines = [f"{label} sees no difference between these, all of value {advice[0].value:.0%}:"]
        lines += [f"  {state.action_words(item.action)}" for item in advice[:most]]
    else:
        lines += _figures(advice[:most], state)
    if len(advice) > most:
        lines.append(f"  ... and {len(advice) - most} more")
    return "\n".join(lines)


def _figures(advice: Sequence[Advice], state: State) -> list[str]:
    """Shares and values as lines; values with as many decimals as needed to distinguish them."""
    every = [[f"{item.value:.{decimals}%}" for item in advice] for decimals in range(3)]
    values = next(shown for shown in every if len(set(shown)) == len(set(every[-1])))
    wide = max(len("value"), *map(len, values))
    lines = [f"  share  {'value':>{wide}}"]
    for item, value in zip(advice, values, strict=True):
        lines.append(f"  {item.share:5.0%}  {value:>{wide}}  {state.action_words(item.action)}")
    return lines


def glossary_lines(state: State, width: int, words: str = "") -> list[str]:
    """The glossary entries as lines; empty without a glossary.

    Args:
        width: columns of the screen.
        words: beginnings of words, in order, that a heading or name must contain to be listed.
    """
    prefixes = _tokens(words)
    lines: list[str] = []
    for heading, entries in state.table.glossary().items():
        lists_all = _in_order(prefixes, _tokens(heading))
        texts = {n: t for n, t in entries.items() if lists_all or _in_order(prefixes, _tokens(n))}
        lines += ["", f"{heading}:"] if texts else []
        for name, text in texts.items():
            lines += textwrap.wrap(
                f"{name}: {text}", width, initial_indent="  ", subsequent_indent="    "
            )
    return lines

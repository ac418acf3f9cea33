"""The look of games in GDL: a board, where facts describe one, and the other facts in words."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from kibitz.core.errors import PlayError
from kibitz.core.layout import Instance
from kibitz.core.state import State
from kibitz.gdl import telling
from kibitz.gdl.components import Facts
from kibitz.gdl.game import GdlGame
from kibitz.gdl.game_wording import wording_of
from kibitz.pictures.blocks import Block, Chip, Label, Titled, flow, paragraph
from kibitz.pictures.boards import GridPicture, Square
from kibitz.pictures.facts import BLANKS, NAMES, Board, Cell, Fact, board_of, falls, parsed
from kibitz.pictures.look import Look
from kibitz.pictures.pen import slug
from kibitz.pictures.pieces import FIGURES, Piece, piece_of, split
from kibitz.pictures.tokens import Heap

MOST_FACTS = 40
"""The most facts that are shown beside the board."""
MOST_BOARD = 600.0
"""The maximum width of a board in pixels."""
LARGEST_HEAP = 20
TRAILS = frozenset(("trail", "trails", "tail"))
"""Relations that say which player has been on a cell."""
SIDES = {"n": (0, -1), "e": (1, 0), "s": (0, 1), "w": (-1, 0)}
COMPASS = {
    **dict.fromkeys(("north", "up"), SIDES["n"]),
    **dict.fromkeys(("east", "right"), SIDES["e"]),
    **dict.fromkeys(("south", "down"), SIDES["s"]),
    **dict.fromkeys(("west", "left"), SIDES["w"]),
}
"""The steps of moves in a direction, in columns and rows on the screen."""
LEAST_SPOTS, MOST_SPOTS = 2, 12
"""The least and the most spots in a row, such as doors."""
_COUNT = re.compile(r"[a-z]?(\d+)")
"""A pattern for a number as an argument; some rules put a letter before it."""
SHOWN = frozenset(
    ("taken", "gap", "visited", "wall", "blocked", "arrow", "fire", *TRAILS, *BLANKS)
)
"""Relations that describe cells in other ways than by the pieces there."""


class GdlLook(Look):
    """Draws a game in GDL."""

    def is_shown(self, instance: Instance, record: object) -> bool:
        """Only the facts are drawn."""
        return isinstance(instance.component, Facts)

    @property
    def game(self) -> GdlGame:
        """The game, as a ``GdlGame``."""
        game = self.view.state.table.game
        assert isinstance(game, GdlGame)
        return game

    @functools.cached_property
    def roles(self) -> tuple[str, ...]:
        """The names of the players in the rules, in lower case."""
        description = self.game.description
        return tuple(description.spelling[role].lower() for role in description.roles)

    @functools.cached_property
    def facts(self) -> list[Fact]:
        """The facts that the observer knows; in GDL-II those that hold in all samples."""
        instance, record = self.parts[0]
        facts = instance.component
        assert isinstance(facts, Facts)
        if self._is_hidden and self.view.seat is not None:
            steps = wording_of(self.view.state.table).steps
            true = telling.certain_facts(steps, self.seen, self.view.seat)
        else:
            true = facts.true(record)
        return [parsed(fact) for fact in true]

    @property
    def _is_hidden(self) -> bool:
        """Whether the observer knows facts only by inference."""
        instance, record = self.parts[0]
        facts = instance.component
        assert isinstance(facts, Facts)
        return facts.are_hidden(record)

    @functools.cached_property
    def board(self) -> Board | None:
        """The board, if there is one."""
        names = self.parts[0][0].component.names  # type: ignore[attr-defined]
        return _board(self.game, len(names))

    @functools.cached_property
    def _coordinates(self) -> frozenset[str]:
        """The words for columns and rows."""
        board = self.board
        return frozenset((*board.columns.values, *board.rows.values) if board else ())

    @functools.cached_property
    def _dropped(self) -> bool:
        """Whether pieces are dropped into columns."""
        return self.board is not None and _falls(self.game, self.board)

    def seat_marks(self, player: int) -> Iterator[str]:
        """The role, unless the player is named after it, and the points, exit and place."""
        role = self.roles[player] if player < len(self.roles) else ""
        if role and role != self.view.names[player].lower():
            yield role
        yield from super().seat_marks(player)

    def centre(self, width: float) -> list[Block]:
        """The board, and the facts that are not on it."""
        blocks: list[Block] = []
        board = self.board
        if board is not None:
            blocks.append(self._grid(board, min(width, MOST_BOARD)))
        elif self._spots:
            blocks.append(self._row_of_spots(min(width, MOST_BOARD)))
        others = [
            fact
            for fact in self.facts
            if fact[0] not in ("control", "turn", "whosturn")
            and not self.lies(fact)
            and not self._is_of_spot(fact)
        ]
        others.sort(key=_naturally)
        chips = [self._chip(fact) for fact in others[:MOST_FACTS]]
        if chips:
            blocks.append(flow(chips, width, 6))
        if self._is_hidden and self.view.seat is not None:
            blocks.append(Label("what you can be certain of", 12, "kz-quiet"))
        if len(others) > MOST_FACTS:
            blocks.append(paragraph(f"and {len(others) - MOST_FACTS} more facts", width))
        return blocks

    def _chip(self, fact: Fact) -> Block:
        """The block for a fact that is not on the board; a heap for a number of something."""
        thing_id = _thing(fact)
        names = " ".join(" ".join(split(word)) for word in fact[:-1])
        value = " ".join(split(fact[-1]))
        if len(fact) == 1:
            return Chip("", names or value, thing_id)
        number = _COUNT.fullmatch(value)
        if len(fact) == 3 and number is not None and int(number[1]) <= LARGEST_HEAP:
            if fact[1] in _move_words(self.game) and fact[1] not in self._coordinates:
                return Titled(names, Heap(thing_id, names, int(number[1])))
        return Chip(names, value, thing_id)

    # -- spots in a row -------------------------------------------------------------------------

    @functools.cached_property
    def _spots(self) -> tuple[str, ...]:
        """The names of the spots that are drawn in a row, in a game without a board.

        Spots are arguments that several relations share, such as doors.
        """
        if self.board is not None:
            return ()
        names = self.parts[0][0].component.names  # type: ignore[attr-defined]
        return _spots(self.game, len(names))[0]

    def _is_of_spot(self, fact: Fact) -> bool:
        if not self._spots:
            return False
        names = self.parts[0][0].component.names  # type: ignore[attr-defined]
        return len(fact) == 2 and fact[0] in _spots(self.game, len(names))[1]

    def _row_of_spots(self, width: float) -> GridPicture:
        """The spots in a row, with the facts about each."""
        descriptions: dict[str, list[str]] = {}
        for fact in sorted(self.facts):
            if self._is_of_spot(fact):
                descriptions.setdefault(fact[1], []).append(" ".join(split(fact[0])))
        row = [
            Square(
                _cell_thing((spot,)),
                spot,
                (Piece("", "", " ".join(descriptions[spot])),) if spot in descriptions else (),
                ", ".join(descriptions.get(spot, ())),
            )
            for spot in self._spots
        ]
        return GridPicture([row], width, self._spots)

    # -- the board --------------------------------------------------------------------------

    @functools.cached_property
    def held(self) -> dict[tuple[int, int], list[Fact]]:
        """The facts about each cell of the board, by column and row from the upper left."""
        facts_at: dict[tuple[int, int], list[Fact]] = {}
        for fact in self.facts if self.board is not None else ():
            assert self.board is not None
            cell = self.board.where(fact)
            position = self.board.position(cell) if cell is not None else None
            if position is not None:
                facts_at.setdefault(position, []).append(fact)
        return facts_at

    def _grid(self, board: Board, width: float) -> GridPicture:
        columns, rows = board.size
        held = self.held
        chess = self._is_chess
        squares: list[list[Square | None]] = []
        for row in range(rows):
            line: list[Square | None] = []
            for column in range(columns):
                cell = self.cells.get((column, row))
                if cell is None:
                    line.append(None)
                    continue
                contents = [c for f in held.get((column, row), ()) if (c := self.content(f))]
                local = held.get((column, row), ())
                trails = [
                    self._trail(fact, column, row, held)
                    for fact in local
                    if fact[0].lower() in TRAILS
                ]
                pieces = (
                    *trails,
                    *sorted(
                        (
                            piece_of(content, self.roles, chess)
                            for fact in local
                            if fact[0].lower() not in TRAILS and (content := self.content(fact))
                        ),
                        key=lambda piece: piece.shape != "wall",
                    ),
                )
                holds = ", ".join(" ".join(content) for content in contents)
                name = _cell_name(cell)
                line.append(Square(_cell_thing(cell), name, pieces, holds))
            squares.append(line)
        pattern = "checkered" if self._is_men else "plain"
        shafts: Sequence[str] = ()
        if self._dropped:
            pattern = "frame"
            shafts = [f"column-{slug(word)}" for word in board.columns.values]
        across, down = edges(board)
        inner = board.inner
        ties = [tie for fact in self.facts if len(tie := self.line(fact)) == 2]
        blocks = (len(inner[0].values), len(inner[1].values)) if inner else (0, 0)
        return GridPicture(squares, width, across, down, pattern, shafts, blocks, ties)

    def _trail(
        self, fact: Fact, column: int, row: int, held: Mapping[tuple[int, int], Sequence[Fact]]
    ) -> Piece:
        """A part of a trail, with the sides on which it continues."""
        assert self.board is not None
        content = self.board.content(fact)
        sides = ""
        for side, (across, down) in SIDES.items():
            for other in held.get((column + across, row + down), ()):
                if other[0] == fact[0] and self.board.content(other) == content:
                    sides += side
        hue = piece_of(content, self.roles, False).hue if content else "grey"
        return Piece("trail", hue or "grey", sides)

    def _beside(self, move: Fact) -> str:
        """The id of the cell to which a move such as ``(ride north)`` takes the only piece."""
        board, role = self.board, self.roles[self.view.actor]
        step = COMPASS.get(move[-1].lower())
        if board is None or step is None or len(move) > 2:
            return ""
        own = [
            board.position(cell)
            for fact in self.facts
            if fact[0].lower() not in TRAILS
            and (cell := board.where(fact)) is not None
            and tuple(word.lower() for word in board.content(fact)) == (role,)
        ]
        if len(own) != 1 or own[0] is None:
            return ""
        beside = self.cells.get((own[0][0] + step[0], own[0][1] + step[1]))
        return "" if beside is None else _cell_thing(beside)

    @functools.cached_property
    def cells(self) -> dict[tuple[int, int], Cell]:
        """The cells of the board, by column and row from the upper left."""
        board = self.board
        assert board is not None
        return _places(self.game, board)

    def lies(self, fact: Fact) -> bool:
        """Whether a fact is about a cell of the board and is shown there."""
        board = self.board
        if board is None or board.where(fact) is None:
            return False
        return self._main(fact) or bool(self.line(fact)) or fact[0].lower() in SHOWN

    def line(self, fact: Fact) -> list[tuple[int, int]]:
        """The two cells that a fact connects by a line; empty for other facts."""
        board = self.board
        assert board is not None
        if board.span != 2 or len(fact) != 5:
            return []
        ends = [board.position(fact[1:3]), board.position(fact[3:])]
        return [end for end in ends if end is not None] if all(ends) else []

    def content(self, fact: Fact) -> tuple[str, ...]:
        """The words for the piece that a fact puts on its cell; empty for none."""
        assert self.board is not None
        if not self.lies(fact) or self.line(fact):
            return ()
        content = self.board.content(fact)
        words = [word.lower() for word in content]
        if not content:
            return () if fact[0].lower() in BLANKS else (fact[0],)
        if len(words) == 1 and words[0] in BLANKS and not (words[0] == "b" and self._has_white):
            return ()
        return content

    def _main(self, fact: Fact) -> bool:
        """Whether the relation of a fact says what lies on the board."""
        board = self.board
        assert board is not None
        if fact[0].lower() in NAMES or (fact[0], len(fact)) == next(iter(board.at)):
            return True
        return not any(key[0].lower() in NAMES for key in board.at)

    @functools.cached_property
    def _words_on_board(self) -> frozenset[str]:
        """All words that can be the content of a cell, in lower case."""
        return _contents(self.game, self.board) if self.board else frozenset()

    @property
    def _has_white(self) -> bool:
        return "w" in self._words_on_board

    @property
    def _is_chess(self) -> bool:
        words = self._words_on_board
        return bool(words & (set(FIGURES) - {"pawn", "king"})) or bool(
            words & {"wr", "br", "wn", "bn", "wq", "bq"}
        )

    @property
    def _is_men(self) -> bool:
        """Whether pieces are moved on the board, as in chess and draughts."""
        words = self._words_on_board
        coloured = {"pawn", "wp", "bp", "white", "black"}
        moved = any(
            self.board is not None and len(self.board.cells(parsed(move)[1:])) > 1
            for move in self.game.rules.actions.names[:200]
        )
        return moved and bool(words & coloured)

    # -- the elements that moves name ---------------------------------------------------------

    def things(self, action: int) -> Iterable[str]:
        """The cells, columns and facts that a move names."""
        move = parsed(self.view.words[action])
        if self.board is not None:
            if self._dropped and len(move) == 2:
                yield f"column-{slug(move[1])}"
                return
            for cell in self.board.cells(move[1:]):
                yield _cell_thing(cell)
            if beside := self._beside(move):
                yield beside
        for word in move[1:]:
            if word in self._spots:
                yield _cell_thing((word,))
        for word in move[1:]:
            yield from self._facts_about.get(word, ())

    @functools.cached_property
    def _facts_about(self) -> dict[str, list[str]]:
        """The ids of facts that are not on the board, by the arguments that name their subject.

        The subject of ``(pit p1 s5)`` is ``p1``: the last argument is a value, unless it is the
        only one.
        """
        ids: dict[str, list[str]] = {}
        for fact in self.facts:
            if not self.lies(fact):
                for word in fact[1:-1] if len(fact) > 2 else fact[1:]:
                    if not word.isdigit() and word not in self._coordinates:
                        ids.setdefault(word, []).append(_thing(fact))
        return ids


def _thing(fact: Fact) -> str:
    """The id of a fact, without its number, so that the id stays when the number changes."""
    words = fact[:-1] if len(fact) > 2 and _COUNT.fullmatch(fact[-1]) else fact
    return "fact-" + "-".join(slug(word) for word in words)


def _naturally(fact: Fact) -> list[tuple[str, int]]:
    """A sort key by which ``p2`` comes before ``p10``."""
    key = []
    for word in fact:
        stem = word.rstrip("0123456789")
        key.append((stem, int(word[len(stem) :] or 0)))
    return key


def _cell_thing(cell: Cell) -> str:
    return "cell-" + "-".join(slug(word) for word in cell)


def _cell_name(cell: Cell) -> str:
    if len(cell) == 2:
        return f"{cell[0]}{cell[1]}" if not cell[0][-1].isdigit() else f"cell {cell[0]} {cell[1]}"
    return f"cell {' '.join(cell)}"


def edges(board: Board) -> tuple[Sequence[str], Sequence[str]]:
    """The names of the columns and rows at the edges."""
    if board.inner is not None:
        return (), ()
    across, down = board.columns.values, board.rows.values
    if board.by_row:
        across, down = down, across
    return across, down[::-1] if board.upward else down


# Properties computed once for a game. Where rules are proved, facts are discovered during play:
# hence their number is a parameter.


@functools.lru_cache(maxsize=64)
def _parsed_names(game: GdlGame, count: int) -> tuple[Fact, ...]:
    facts = next(
        instance.component
        for instance in game.rules.layout.instances
        if isinstance(instance.component, Facts)
    )
    return tuple(parsed(name) for name in facts.names[:count])


@functools.lru_cache(maxsize=64)
def _board(game: GdlGame, count: int) -> Board | None:
    first = wording_of(game.table()).steps.initial().view.facts
    true = [parsed(fact) for fact in game.rules.facts.true(first)]
    board = board_of(_parsed_names(game, count), true, game.text.text)
    if board is None or board.span != 2 or not _goes_down(game, board, true):
        return board
    return replace(board, upward=not board.upward)


def _goes_down(game: GdlGame, board: Board, true: Sequence[Fact]) -> bool:
    """Whether the first move to the north shows that row numbers grow downwards."""
    try:
        moved = _after_first_north(game)
    except PlayError:  # the rules break the game off
        return False
    if moved is None:
        return False
    role, state = moved
    name = game.description.spelling[game.description.roles[role]]
    after = [parsed(fact) for fact in game.rules.facts.true(state.view.facts)]

    def row(facts: Iterable[Fact]) -> int | None:
        places = [
            board.position(cell)
            for fact in facts
            if fact[0].lower() not in TRAILS
            and (cell := board.where(fact)) is not None
            and board.content(fact) == (name,)
        ]
        return places[0][1] if len(places) == 1 and places[0] is not None else None

    old, new = row(true), row(after)
    return old is not None and new is not None and new > old


def _after_first_north(game: GdlGame) -> tuple[int, State] | None:
    """The player whose first moves include one to the north, and the state after it.

    ``None`` if there is no such move.

    Raises:
        PlayError: the rules break the game off.
    """
    state = game.new_state()
    role = state.current_player
    north = None
    for action in state.legal_actions():
        move = parsed(state.action_words(action))
        if len(move) <= 2 and move[-1].lower() in ("north", "up"):
            north = action
    if north is None:
        return None
    state.apply(north)
    while not state.is_terminal and state.tick < state.players:  # the others' moves
        state.apply(state.legal_actions()[0])
    return role, state


@functools.lru_cache(maxsize=64)
def _spots(game: GdlGame, count: int) -> tuple[tuple[str, ...], frozenset[str]]:
    """The names of spots in a row, and the relations with one of them as their only argument.

    Spots are recognized by several such relations with the same values, which moves name, too.
    """
    values: dict[str, set[str]] = {}
    for fact in _parsed_names(game, count):
        if len(fact) == 2:
            values.setdefault(fact[0], set()).add(fact[1])
    named = {word for name in game.rules.actions.names for word in parsed(name)[1:]}
    groups: dict[frozenset[str], list[str]] = {}
    for relation, arguments in values.items():
        if LEAST_SPOTS <= len(arguments) <= MOST_SPOTS and arguments <= named:
            groups.setdefault(frozenset(arguments), []).append(relation)
    candidates = {spots: about for spots, about in groups.items() if len(about) > 1}
    if len(candidates) != 1:
        return (), frozenset()
    [(spots, about)] = candidates.items()
    return tuple(sorted(spots, key=lambda spot: _naturally((spot,)))), frozenset(about)


@functools.lru_cache(maxsize=64)
def _move_words(game: GdlGame) -> frozenset[str]:
    """The arguments of moves that are not numbers."""
    moves = (parsed(name) for name in game.rules.actions.names)
    return frozenset(word for move in moves for word in move[1:] if not word.isdigit())


@functools.lru_cache(maxsize=64)
def _falls(game: GdlGame, board: Board) -> bool:
    return falls((parsed(name) for name in game.rules.actions.names), board)


@functools.lru_cache(maxsize=64)
def _places(game: GdlGame, board: Board) -> dict[tuple[int, int], Cell]:
    """The cells that facts or moves can be about, by column and row."""
    cells: dict[tuple[int, int], Cell] = {}
    count = len(_names_of(game))
    for fact in _parsed_names(game, count):
        cell = board.where(fact)
        position = board.position(cell) if cell is not None else None
        if cell is not None and position is not None:
            cells[position] = cell
    for name in game.rules.actions.names:
        for cell in board.cells(parsed(name)[1:]):
            position = board.position(cell)
            if position is not None:
                cells[position] = cell
    return cells


@functools.lru_cache(maxsize=64)
def _contents(game: GdlGame, board: Board) -> frozenset[str]:
    words = set()
    for fact in _parsed_names(game, len(_names_of(game))):
        if board.where(fact) is not None:
            words |= {
                word_part for word in (fact[0], *board.content(fact)) for word_part in split(word)
            }
    return frozenset(words)


def _names_of(game: GdlGame) -> list[str]:
    facts = next(i.component for i in game.rules.layout.instances if i.path == "facts")
    assert isinstance(facts, Facts)
    return facts.names

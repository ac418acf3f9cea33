"""Pieces on boards, derived from the words for them: *white pawn*, *wp*, *red*, *x*, *12*."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from kibitz.pictures.faces import CYCLE, HUES
from kibitz.pictures.pen import Pen
from kibitz.pictures.symbols import SYMBOLS
from kibitz.pictures.text import fitting_size, wrapped

FIGURES = {
    "pawn": "M-.55 .85C-.55 .6 -.28 .5 -.2 .05H-.34V-.14H-.2A.36 .36 0 1 1 .2 -.14H.34V.05H.2"
    "C.28 .5 .55 .6 .55 .85Z",
    "rook": "M-.62 .85V.62H-.42L-.34 -.3H-.56V-.85H-.32V-.62H-.12V-.85H.12V-.62H.32V-.85H.56V-.3"
    "H.34L.42 .62H.62V.85Z",
    "bishop": "M-.6 .85V.65H-.28C-.22 .45 -.2 .35 -.18 .2C-.55 -.1 -.5 -.4 0 -.75L-.08 -.9"
    "H.08L0 -.75C.5 -.4 .55 -.1 .18 .2C.2 .35 .22 .45 .28 .65H.6V.85Z",
    "knight": "M-.55 .85V.65C-.5 .3 -.1 .2 -.1 -.1L-.42 .12L-.66 -.08L-.22 -.6L-.2 -.88L.02 -.68"
    "C.5 -.55 .62 -.1 .56 .85Z",
    "queen": "M-.58 .85V.65H-.42L-.8 -.5L-.36 -.02L-.34 -.75L0 -.1L.34 -.75L.36 -.02L.8 -.5"
    "L.42 .65H.58V.85Z",
    "king": "M-.58 .85V.65H-.4C-1 .1 -.7 -.5 -.08 -.18V-.5H-.3V-.66H-.08V-.88H.08V-.66H.3V-.5H.08"
    "V-.18C.7 -.5 1 .1 .4 .65H.58V.85Z",
}
"""The path of each chess figure, in a square from -1 to 1."""

CROWNED = "crowned"
"""The word on a man that has become a king."""

_NAMES = {
    "p": "pawn",
    "r": "rook",
    "n": "knight",
    "b": "bishop",
    "q": "queen",
    "k": "king",
}
_MEN = {"man": "", "checker": "", "disc": "", "stone": "", "piece": "", "pawn": "pawn"}
_CODE = re.compile(r"([wbr])([prnbqkm])")
_SIDES = {"w": "white", "b": "black", "r": "red", "y": "yellow", "g": "green", "blk": "black"}


@dataclass(frozen=True)
class Piece:
    """How a piece on a board is drawn.

    Attributes:
        shape: ``disc``, ``ring``, ``cross``, ``tile``, ``wall``, ``trail``, a key of
            ``FIGURES``, or empty for words.
        hue: its colour: a CSS class without ``kz-h-``; may be empty.
        word: the word on it; may be empty. For a trail, the sides on which it continues: letters
            of ``nesw``.
    """

    shape: str
    hue: str = ""
    word: str = ""


@functools.lru_cache(maxsize=4096)
def piece_of(content: tuple[str, ...], roles: tuple[str, ...] = (), chess: bool = False) -> Piece:
    """The piece that words stand for.

    Args:
        roles: the players, whose names stand for colours where no word names one.
        chess: whether the game has chess figures, so that ``k`` is a king, not a crowned man.
    """
    words = [piece for word in content for piece in split(word)]
    hue, shape, labels = "", "", []
    for word in words:
        code = _CODE.fullmatch(word)
        if word in HUES and not hue:
            hue = HUES[word]
        elif word in FIGURES:
            shape = word
        elif code:
            hue = HUES[_SIDES[code[1]]]
            shape = _NAMES.get(code[2], "") if chess else "disc"
            labels += [CROWNED] if not chess and code[2] in "kq" else []
        elif word in _MEN:
            shape = shape or "disc"
        else:
            labels.append(word)
    if shape == "king" and not chess:
        shape, labels = "disc", [CROWNED]
    if shape == "pawn" and not chess:
        shape = "disc"
    if hue:
        return Piece(shape or "disc", hue, " ".join(labels))
    if len(words) == 1:
        if words[0] in ("x", "o"):
            return Piece("cross", "blue") if words[0] == "x" else Piece("ring", "red")
        if words[0] in _SIDES and words[0] not in roles:
            return Piece("disc", HUES[_SIDES[words[0]]])
        if words[0].lstrip("-").isdigit():
            return Piece("tile", "", words[0])
        if words[0] in ("peg", "marble", "stone", "ball"):
            return Piece("disc", "brown")
        if words[0] in ("light", "on", "lit"):
            return Piece("disc", "yellow")
        if words[0] in ("arrow", "wall", "taken", "blocked", "hole", "v", "visited", "fire"):
            return Piece("wall", "grey")
    for number, role in enumerate(roles):
        if role in content or any(role.startswith(word) and len(word) == 1 for word in words):
            others = [word for word in labels if word not in split(role)]
            return Piece(shape or "disc", CYCLE[number % len(CYCLE)], " ".join(others))
    if shape:
        return Piece(shape, "grey", " ".join(labels))
    return Piece("", "", " ".join(words))


def split(word: str) -> list[str]:
    """The words in a name such as ``whitePawn`` or ``white_pawn``."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", word).replace("_", " ").replace("-", " ")
    return spaced.lower().split() or [word]


def draw_piece(pen: Pen, piece: Piece, x: float, y: float, cell: float) -> None:
    """Draws a piece around a point, in a cell of this size."""
    radius = cell * 0.38
    kind = f"kz-piece kz-h-{piece.hue or 'paper'}"
    room = cell * 0.86
    match piece.shape:
        case "":
            size = min(
                fitting_size(word, room * 0.95, cell * 0.34, 6)
                for word in piece.word.split() or [""]
            )
            lines = wrapped(piece.word, room, size, 3)
            bar_y = y - size * 0.55 * (len(lines) - 1) + size * 0.35
            for number, line in enumerate(lines):
                pen.text(x, bar_y + number * size * 1.1, line, size, "kz-oncell", "middle")
            return
        case "tile":
            pen.rect(x - radius, y - radius, 2 * radius, 2 * radius, "kz-tile", radius * 0.2)
            size = fitting_size(piece.word, radius * 1.7, radius * 1.2, 7)
            pen.text(x, y + size * 0.35, piece.word, size, "kz-oncell kz-bold", "middle")
            return
        case "wall":
            pen.rect(x - cell * 0.5, y - cell * 0.5, cell, cell, f"kz-wall {kind}")
            return
        case "trail":
            half, edge, colour = cell * 0.2, cell * 0.5, f"kz-trail {kind}"
            pen.rect(x - half, y - half, 2 * half, 2 * half, colour, half * 0.6)
            for side in piece.word:  # from the middle to the edge
                across, down = {"n": (0, -1), "e": (1, 0), "s": (0, 1), "w": (-1, 0)}[side]
                bar_x = x - half if down else min(x, x + across * edge)
                bar_y = y - half if across else min(y, y + down * edge)
                wide, high = (edge, 2 * half) if across else (2 * half, edge)
                pen.rect(bar_x, bar_y, wide, high, colour)
            return
        case "cross":
            pen.path(SYMBOLS["cross"], kind, x, y, radius * 0.9)
            return
        case "ring":
            pen.path(_RING, kind, x, y, radius)
            return
        case "disc":
            pen.circle(x, y, radius, kind)
            pen.circle(x, y, radius * 0.7, "kz-groove")
        case figure:
            pen.path(FIGURES[figure], kind, x, y, cell * 0.43)
    if piece.word == CROWNED:
        pen.path(SYMBOLS["crown"], "kz-gilt", x, y, radius * 0.5)
    elif piece.word:
        size = fitting_size(piece.word, radius * 1.6, radius * 0.9, 6)
        low = y + size * 0.35 if piece.shape == "disc" else y + cell * 0.46
        ink = f"kz-onpiece kz-h-{piece.hue or 'paper'}"
        pen.text(x, low, piece.word, size, ink if piece.shape == "disc" else "kz-oncell", "middle")


_RING = "M0 -1A1 1 0 1 1 -.01 -1ZM0 -.62A.62 .62 0 1 0 .01 -.62Z"

"""The width of texts, and how they are fitted into a width.

An SVG picture is written without a browser, so widths are estimated: by classes of letters of a
sans-serif typeface, rounded up, so that what fits here fits in Arial, Roboto and DejaVu Sans.
"""

from __future__ import annotations

_NARROW = frozenset("iljtfrI.,:;'|!()[] -")
_WIDE = frozenset("mwMW@%+=<>")
BOLD = 1.12
"""The factor by which bold letters are wider."""


def text_width(text: str, size: float) -> float:
    """The estimated width of a text in pixels, at a font size of `size` pixels."""
    units = 0.0
    for letter in text:
        if letter in _NARROW:
            units += 0.40
        elif letter in _WIDE:
            units += 0.98
        elif letter.isupper():
            units += 0.72
        elif ord(letter) > 0x2E80:  # Chinese, Japanese, Korean and symbols
            units += 1.0
        else:
            units += 0.62
    return units * size


def fitting_size(text: str, width: float, size: float, least: float) -> float:
    """The largest font size from `size` down to `least` at which a text fits into `width`."""
    wide = text_width(text, size)
    return size if wide <= width else max(least, size * width / wide)


def shortened(text: str, width: float, size: float) -> str:
    """The text, cut with an ellipsis if it is wider than `width`."""
    if text_width(text, size) <= width:
        return text
    prefix = text
    while prefix and text_width(prefix + "…", size) > width:
        prefix = prefix[:-1]
    return prefix.rstrip() + "…"


def wrapped(text: str, width: float, size: float, most: int) -> list[str]:
    """The text in at most `most` lines of at most `width`; the last one may be cut short."""
    lines: list[str] = []
    line = ""
    words = text.split()
    for number, word in enumerate(words):
        longer = f"{line} {word}" if line else word
        if not line or text_width(longer, size) <= width:
            line = longer
            continue
        if len(lines) == most - 1:
            line = " ".join([line, *words[number:]])
            break
        lines.append(line)
        line = word
    return [shortened(row, width, size) for row in [*lines, line] if row]

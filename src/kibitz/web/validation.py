"""Checks of what a page sends: a forged event is refused."""

from __future__ import annotations

import math

from kibitz.core.errors import KibitzError

_MOST_DIGITS = 20


class ForgedEventError(KibitzError):
    """A page has sent what it does not offer."""

    def __init__(self, sent: object) -> None:
        super().__init__(f"This page does not offer {str(sent)[:60]!r}: load it again.")


def number(text: str, least: int, most: int) -> int:
    """The number that a thing of a page stands for.

    Args:
        text: what the page has sent.
        least: the least number that it may be.
        most: the greatest number that it may be.

    Raises:
        ForgedEventError: it stands for no such number.
    """
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdecimal() and len(digits) <= _MOST_DIGITS:
        value = int(text)
        if least <= value <= most:
            return value
    raise ForgedEventError(text)


def length(sent: object, least: int, most: int) -> int:
    """A length in pixels that a page has measured, kept between two bounds.

    Raises:
        ForgedEventError: it is no number.
    """
    if isinstance(sent, bool) or not isinstance(sent, int | float) or not math.isfinite(sent):
        raise ForgedEventError(sent)
    return int(min(most, max(least, sent)))

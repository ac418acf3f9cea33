"""The log of the server: failures that strangers repeat are traced once."""

from __future__ import annotations

import io
import logging

from kibitz.web.logs import TracedOnce


def logged(failures: int) -> str:
    stream = io.StringIO()
    logger = logging.Logger("of a test")
    logger.addHandler(logging.StreamHandler(stream))
    logger.addFilter(TracedOnce())
    for number in range(failures):
        try:
            raise KeyError(f"client {number}")
        except KeyError:
            logger.exception("event %d", number)
    try:
        raise ValueError("another place")
    except ValueError:
        logger.exception("other")
    logger.warning("plain")
    return stream.getvalue()


def test_each_place_is_traced_once_and_then_counted() -> None:
    text = logged(1234)
    assert text.count("Traceback") == 2
    assert text.count("KeyError in ") == 3
    assert "1,000 times by now" in text
    assert text.endswith("plain\n")
    assert len(text.splitlines()) < 20

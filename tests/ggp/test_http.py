"""What is received, bit by bit."""

from __future__ import annotations

import asyncio

import pytest

from kibitz.ggp import http


@pytest.mark.parametrize(
    "head", [b"POST / HTTP/1.0", b"POST / HTTP/1.0\r\nContent-Length: 3"], ids=["none", "short"]
)
def test_a_message_that_drips_is_not_read_again_with_each_drop(
    monkeypatch: pytest.MonkeyPatch, head: bytes
) -> None:
    monkeypatch.setattr(http, "QUIET", 0.001)
    monkeypatch.setattr(http, "BEHIND", 0.001)
    looked_at: list[str] = []

    def complete(text: str) -> bool:
        looked_at.append(text)
        return text.endswith(")")

    async def receive() -> http.Request:
        reader = asyncio.StreamReader()
        reader.feed_data(head + b"\r\n\r\n")
        receiving = asyncio.ensure_future(http.read_request(reader, complete))
        for piece in ["(é", *200 * ["a "], ")"]:
            reader.feed_data(piece.encode())
            await asyncio.sleep(0.002)
        return await receiving

    said = asyncio.run(receive()).message
    if b"Length" not in head:
        assert said == f"(é{200 * 'a '})"
    assert len(looked_at) <= 15
    assert len(set(looked_at)) == len(looked_at)

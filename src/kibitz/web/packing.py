"""Objects as text, for messages between the server and the processes of texts.

The processes unpickle all that the server sends; the server unpickles plain data only.
"""

from __future__ import annotations

import base64
import io
import pickle
from dataclasses import is_dataclass
from enum import Enum
from typing import Any


def packed(content: object) -> str:
    """An object as text, for one line of a message."""
    return base64.b64encode(pickle.dumps(content)).decode()


def unpacked(text: str) -> Any:
    """The plain data that `text` holds.

    Raises:
        pickle.UnpicklingError: it holds something else.
    """
    return _PlainData(io.BytesIO(base64.b64decode(text))).load()


class _PlainData(pickle.Unpickler):
    """Unpickles numbers, texts, collections, and the dataclasses and enumerations of Kibitz."""

    def find_class(self, module: str, name: str) -> Any:
        if module.partition(".")[0] == "kibitz" and "." not in name:
            value = super().find_class(module, name)
            plain = isinstance(value, type) and (
                is_dataclass(value) or issubclass(value, Enum | tuple)
            )
            if plain:
                return value
        raise pickle.UnpicklingError(f"{module}.{name} is no plain data")

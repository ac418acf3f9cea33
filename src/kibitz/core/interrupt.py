"""Long native calls that a person can stop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np


def run_interruptibly(work: Callable[[], int], stop: np.ndarray[Any, Any]) -> int:
    """Runs a native call so that a keyboard interrupt ends it, and is then raised.

    While native code runs in the main thread Python cannot notice an interrupt; so it runs in
    another one, and this one waits.

    Args:
        work: the call; it gives up soon after the stop word is set.
        stop: the stop word that it watches.
    """
    results: list[int] = []
    thread = threading.Thread(target=lambda: results.append(work()), daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.05)
    except KeyboardInterrupt:
        stop[0] = 1
        thread.join()
        raise
    return results[0]

"""The ``kibitz`` command, also as ``python -m kibitz``."""

import os
import signal
from types import FrameType


def main() -> None:
    """Runs the command line; while it is being imported, a signal ends the process at once.

    Nothing has been started by then, and an import could swallow an exception.
    """
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)
    from kibitz.cli import main as run

    run()


def _end(number: int, frame: FrameType | None) -> None:
    try:
        os.write(2, b"\nStopped.\n")
    finally:
        os._exit(128 + number)


if __name__ == "__main__":
    main()

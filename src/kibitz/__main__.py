"""The ``kibitz`` command, also as ``python -m kibitz``."""

import contextlib
import os

from kibitz.core.interrupt import catch_signals, exit_code


def main() -> None:
    """Runs the command line; a signal ends it quietly, even while it is still being imported."""
    try:
        catch_signals()
        from kibitz.cli import main as run

        run()
    except KeyboardInterrupt:
        with contextlib.suppress(OSError):
            os.write(2, b"\nStopped.\n")
        os._exit(exit_code())  # at once: nothing was begun, and another signal would be heard


if __name__ == "__main__":
    main()

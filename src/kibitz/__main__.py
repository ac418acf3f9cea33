"""The ``kibitz`` command, also as ``python -m kibitz``."""

import sys

STOPPED = 130
"""Exit code after Ctrl-C; the same as that of commands, which may not have been imported yet."""


def main() -> None:
    """Runs the command line; Ctrl-C ends it quietly, even while it is still being imported."""
    try:
        from kibitz.cli import main as run

        run()
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        sys.exit(STOPPED)


if __name__ == "__main__":
    main()

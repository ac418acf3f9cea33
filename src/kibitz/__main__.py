"""``python -m kibitz`` is the same as ``kibitz``."""

from kibitz.cli import main

if __name__ == "__main__":
    main()

"""``python -m tests.docs`` updates the outputs that the pages about RECYCLE show.

An output that is shown in part, with lines of three dots, is left to you.
"""

import os
import tempfile
from pathlib import Path

from tests.docs import page
from tests.docs.page import PAGE, TUTORIAL


def main() -> None:
    os.environ["COLUMNS"] = "80"
    for file in (PAGE, TUTORIAL):
        update(file)


def update(file: Path) -> None:
    """Writes the outputs that a page shows anew."""
    text = file.read_text("utf-8")
    home = Path.cwd()
    for command in reversed(list(page.commands(text))):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            printed = page.run(command, Path(folder))
            os.chdir(home)
        if page.agrees(printed, command.output):
            continue
        line = text.count("\n", 0, command.start)
        if "\n...\n" in f"\n{command.output}":
            print(f"{file.name}:{line}: now it is\n{printed}")
            continue
        text = text[: command.start] + page.tidy(printed) + text[command.end :]
        file.write_text(text, encoding="utf-8")
        print(f"{file.name}:{line}: written")


if __name__ == "__main__":
    main()

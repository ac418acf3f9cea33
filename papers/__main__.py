"""The command ``python -m papers``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from rich.console import Console

from kibitz import KibitzError
from kibitz.reports import console, document_of, html, markdown
from papers.reproduction import PAPERS, reproduce

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


def arguments(words: list[str] | None) -> argparse.Namespace:
    """The options given on the command line; ends the program if they are wrong."""
    papers = "".join(f"\n  {name:<12} {paper.title}" for name, paper in PAPERS.items())
    parser = argparse.ArgumentParser(
        prog="python -m papers",
        description="Makes the tables and figures of a paper again, its numbers beside ours."
        " Ctrl-C stops early and keeps the exhibits that are complete.",
        epilog=f"papers:{papers}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("paper", choices=PAPERS, metavar="PAPER", help=", ".join(PAPERS))
    parser.add_argument("--quick", action="store_true", help="play a tenth of the games")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page with plots")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers")
    parser.add_argument("--out", type=Path, metavar="DIR", help="keep the games, and go on there")
    parser.add_argument("--seed", type=int, default=0, help="of the games; by default 0")
    parser.add_argument("--workers", type=int, help="by default one for each core")
    options = parser.parse_args(words)
    for file in (options.html, options.markdown, options.json):
        if file is not None and not file.parent.is_dir():
            parser.error(f"{file}: there is no folder {file.parent}.")
    return options


def main(words: list[str] | None = None) -> int:
    """Makes a paper again, prints the report and writes the files; returns the exit code."""
    options = arguments(words)
    try:
        made = reproduce(
            options.paper,
            quick=options.quick,
            seed=options.seed,
            workers=options.workers,
            out=options.out,
            progress=lambda _, done, total: print(f"{done} of {total} exhibits", file=sys.stderr),
        )
        document = document_of(made)
        Console().print(console.render(document), crop=False)
        if options.json is not None:
            options.json.write_text(json.dumps(made.to_json(), indent=2) + "\n", encoding="utf-8")
        if options.markdown is not None:
            options.markdown.write_text(markdown.render(document), encoding="utf-8")
        if options.html is not None:
            options.html.write_text(html.render(document), encoding="utf-8")
    except (KibitzError, OSError) as problem:
        print(f"Error: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    return INTERRUPTED if made.interrupted else 0


if __name__ == "__main__":
    sys.exit(main())

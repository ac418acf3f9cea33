"""The tables of a study as files of comma-separated values, for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kibitz.core.errors import FileError
from kibitz.studies.study import Study

Row = Mapping[str, Any]


def write_csv(study: Study, folder: Path) -> list[Path]:
    """Writes the tables of a study into a folder; returns the files.

    Raises:
        FileError: the folder or a file cannot be written.
    """
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, rows in [*_tables(study.to_json()), ("ledgers", _ledgers(study))]:
            if rows:
                written.append(folder / f"{name}.csv")
                written[-1].write_text(_text(rows), encoding="utf-8", newline="")
    except OSError as problem:
        raise FileError(f"{folder}: {problem.strerror or problem}.") from None
    return written


def _tables(document: Mapping[str, Any]) -> Iterator[tuple[str, list[Row]]]:
    """The lists of objects in the JSON of a study by name, the lists of all parts joined."""
    parts = {name: part for name, part in document["parts"].items() if part is not None}
    ladder = parts.pop("ladder", None)
    yield "flaws", document["flaws"]
    names = dict.fromkeys(
        name
        for part in parts.values()
        for name, value in part.items()
        if isinstance(value, list) and value and isinstance(value[0], dict)
    )
    for name in names:
        yield name, [{"part": part} | row for part in parts for row in parts[part].get(name) or ()]
    yield (
        "numbers",
        [
            {"part": part, "measure": name, "value": value}
            for part in parts
            for name, value in _numbers(parts[part])
        ],
    )
    if ladder is not None:
        yield "ladder", ladder["rungs"]


def _ledgers(study: Study) -> list[Row]:
    """The gains and losses of each player in each judged game, by source."""
    return (
        [] if study.skilled is None else [asdict(account) for account in study.skilled["accounts"]]
    )


def _numbers(document: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """The numbers in an object by their paths; the two of an interval as ``low`` and ``high``."""
    for name, value in document.items():
        path = f"{before}{name}"
        if isinstance(value, dict):
            yield from _numbers(value, f"{path}.")
        elif isinstance(value, list) and len(value) == 2 and name.endswith("interval"):
            yield f"{path}.low", value[0]
            yield f"{path}.high", value[1]
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield path, value


def _text(rows: Iterable[Row]) -> str:
    """Rows as CSV; an interval becomes two columns, another list a cell with spaces."""
    flat = [dict(_cells(row)) for row in rows]
    columns = list(dict.fromkeys(name for row in flat for name in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, columns)
    writer.writeheader()
    writer.writerows(flat)
    return out.getvalue()


def _cells(row: Row) -> Iterator[tuple[str, Any]]:
    for name, value in row.items():
        if isinstance(value, list) and name.endswith("interval") and len(value) == 2:
            yield f"{name}_low", value[0]
            yield f"{name}_high", value[1]
        elif isinstance(value, list):
            yield name, " ".join(map(str, value))
        else:
            yield name, value

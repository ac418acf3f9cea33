"""``kibitz runs``: runs that were kept with ``kibitz playtest --out``."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli import terminal
from kibitz.cli.catalogue import GAP, new_grid, plain
from kibitz.cli.options import JsonOnly, WorkerOptions, find_game, run_place
from kibitz.core.errors import FileError, KibitzError, MissingExtraError, ParameterError
from kibitz.core.interrupt import exit_code
from kibitz.core.wording import printable

if TYPE_CHECKING:
    import pyarrow as pa

    from kibitz.core.game import Game
    from kibitz.runs import Run

SEALED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": False,
    "allow_persistent_secrets": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "lock_configuration": True,
}
"""Settings of DuckDB with which a query reads and writes nothing but the tables it was given."""

Folder = Annotated[
    Path,
    typer.Argument(
        metavar="DIR", parser=run_place, help="The folder of the run, or its place in a store."
    ),
]
OwnGame = Annotated[
    str | None,
    typer.Argument(
        metavar="GAME",
        show_default=False,
        help="The game, if it is your own Python: FILE.py or MODULE:CLASS.",
    ),
]


def overview(ctx: typer.Context) -> None:
    """List, show, resume, export and delete runs that were kept.

    'kibitz playtest GAME --out DIR' keeps a row for every game and one for every game and seat.
    A run that ended early, for whatever reason, can be resumed.

    Examples:
      kibitz playtest love-letter --games 1000000 --out letters
      kibitz runs list
      kibitz runs resume letters
      kibitz runs export letters games.csv
      kibitz runs query letters "select seat, avg(score) from seats group by 1"
    """
    if ctx.invoked_subcommand is None:
        terminal.print_lines(ctx.get_help())


def list_(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", parser=run_place, help="Look in this folder and those in it."
        ),
    ] = Path(),
    json: JsonOnly = False,
) -> None:
    """List the runs in a folder.

    Examples:
      kibitz runs list
      kibitz runs list results --json
    """
    from kibitz.runs import Run

    if not folder.is_dir():
        raise FileError(f"{folder}: there is no such folder.")
    runs = []
    for place in (folder, *sorted(path for path in folder.iterdir() if path.is_dir())):
        if Run.is_in(place):
            try:
                runs.append(Run.open(place))
            except KibitzError as problem:
                terminal.say(f"Left out: {problem}")
    if json:
        terminal.print_json([_document(run) for run in runs])
    elif not runs:
        terminal.say(f"There is no run in {folder}. 'kibitz playtest GAME --out DIR' keeps one.")
    else:
        grid = new_grid("Folder", "Game", "Players", "Agents", "Games", "Begun")
        for run in runs:
            experiment = run.experiment
            games = f"{run.played:,}"
            if not run.complete:
                games += f" of {experiment.games:,}"
            agents = ", ".join(dict.fromkeys(experiment.agents))
            row = [str(run.folder), experiment.game, str(experiment.players), agents, games]
            grid.add_row(*map(plain, row), run.begun[:10])
        terminal.out().print(grid)


def _document(run: Run) -> dict[str, Any]:
    return {
        "folder": str(run.folder),
        "begun": run.begun,
        "played": run.played,
        "complete": run.complete,
        "experiment": run.experiment.to_json(),
    }


def show(folder: Folder, game: OwnGame = None, json: JsonOnly = False) -> None:
    """Report on the games of a run that have been played.

    Examples:
      kibitz runs show letters
      kibitz runs show letters --json
      kibitz runs show mine src/my_game/rules.py
    """
    from kibitz.reports import console, document_of
    from kibitz.studies import measure_run

    result = measure_run(folder, game=_own(game))
    if json:
        terminal.print_json(result.to_json())
    else:
        terminal.out().print(console.render(document_of(result)))


def resume(
    folder: Folder,
    game: OwnGame = None,
    *,
    workers: WorkerOptions,
) -> None:
    """Resume a run that ended early, and report.

    Examples:
      kibitz runs resume letters
      kibitz runs resume letters --workers 1
    """
    from kibitz.reports import console, document_of
    from kibitz.runs import Run
    from kibitz.studies import resume_run

    total = Run.open(folder).experiment.games
    with terminal.progress() as progress:
        result = resume_run(folder, game=_own(game), workers=workers.all, progress=progress)
    terminal.out().print(console.render(document_of(result)))
    if result.interrupted:
        terminal.say(f"Stopped: {result.games:,} of {total:,} games are kept in {folder}.")
        raise typer.Exit(exit_code())


def _own(game: str | None) -> Game | None:
    return None if game is None else find_game(game)


def export(
    folder: Folder,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="What to write: a .csv or a .parquet file.")
    ],
    table: Annotated[
        str,
        typer.Option(
            "--table", metavar="TABLE", help="games, seats, options, decisions or events."
        ),
    ] = "games",
) -> None:
    """Write one of a run's tables to one file.

    'games' has a row for each game, 'seats' one for each game and seat, 'options' the sums of
    the numbers of options, shard by shard and action by action. Where they were recorded
    (playtest --record decisions,events), 'decisions' has a row for each decision, and 'events'
    one for each event and each seat that was told of it.

    Examples:
      kibitz runs export letters games.csv
      kibitz runs export letters seats.parquet --table seats
    """
    import pyarrow.csv as csv
    import pyarrow.parquet as pq

    from kibitz.runs import Run

    run = Run.open(folder)
    if table not in run.tables:
        raise ParameterError(f"There is no table {table!r}; this run has {', '.join(run.tables)}.")
    writers: dict[str, Callable[..., Any]] = {".csv": csv.CSVWriter, ".parquet": pq.ParquetWriter}
    if file.suffix not in writers:
        raise ParameterError(f"{file}: the name should end in .csv or .parquet.")
    terminal.check_writable(str(file))
    if file.resolve().parent in [(Path(str(folder)) / name).resolve() for name in run.tables]:
        raise ParameterError(f"{file}: is among the run's own files; write it elsewhere.")
    rows = 0
    writer = None
    partial = file.with_name(file.name + ".part")
    try:
        for batch in run.batches(table):
            if file.suffix == ".csv":
                batch = _flat(batch)
            if writer is None:
                writer = writers[file.suffix](partial, batch.schema)
            writer.write_table(batch)
            rows += batch.num_rows
        if writer is None:
            raise FileError(f"{folder}: nothing has been played yet.")
        writer.close()
        partial.replace(file)
    except OSError as problem:
        raise FileError(f"{file}: cannot be written: {problem.strerror}.") from None
    finally:
        partial.unlink(missing_ok=True)
    terminal.say(f"{file}: {rows:,} rows of {table}.")


def _flat(batch: pa.Table) -> pa.Table:
    """A table for CSV, which has no lists: they become JSON texts."""
    import json

    import pyarrow as pa

    for i, column in enumerate(batch.schema):
        if pa.types.is_list(column.type):
            texts = [json.dumps(value) for value in batch[column.name].to_pylist()]
            batch = batch.set_column(i, column.name, pa.array(texts))
    return batch


def query(
    folder: Folder,
    sql: Annotated[str, typer.Argument(metavar="SQL", help="A query; see the examples.")],
    json: JsonOnly = False,
) -> None:
    """Query a run's tables in SQL, with DuckDB.

    The tables are games, seats and options, and decisions and events where they were recorded.
    A query reads these and nothing else: no file, no address, no extension.
    Needs the extra: pip install 'kibitz[sql]'

    Examples:
      kibitz runs query letters "select avg(actions), max(actions) from games"
      kibitz runs query letters "select seat, avg(score) from seats group by 1"
      kibitz runs query letters "from games order by actions desc limit 5" --json
      kibitz runs query letters "select words from events where seat = 1"
    """
    try:
        import duckdb
    except ImportError:
        raise MissingExtraError("Queries", "sql") from None
    from kibitz.runs import Run

    run = Run.open(folder)
    if not run.played:
        raise FileError(f"{folder}: nothing has been played yet.")
    with duckdb.connect(config=SEALED) as database:
        for name in run.tables:
            try:
                database.register(name, _dataset(run.files(name)))
            except (OSError, ValueError) as problem:
                raise FileError(
                    f"{folder}: a part of the run cannot be read: {str(problem).splitlines()[0]} "
                    f"To play its games again: {run.resuming}"
                ) from None
        try:
            # DuckDB, against its signature, answers a text without a statement by None
            answer: duckdb.DuckDBPyConnection | None = database.execute(sql)
            if answer is None:
                raise ParameterError(f"There is no query in {sql!r}.")
            names = [column[0] for column in answer.description or ()]
            fetched = answer.fetchall()
        except duckdb.CatalogException as problem:
            tables = ", ".join(run.tables)
            raise KibitzError(
                f"The query cannot be answered; this run has {tables}. {problem}"
            ) from None
        except duckdb.Error as problem:
            raise KibitzError(f"The query cannot be answered: {problem}") from None
    if json:
        rows = [[_plain(value) for value in row] for row in fetched]
        terminal.print_json([dict(zip(names, row, strict=True)) for row in rows])
        return
    _print_answer(names, [[_shown(value) for value in row] for row in fetched])


def _dataset(files: Sequence[Path]) -> pa.dataset.Dataset:
    """The rows in some Parquet files, which are read as a query needs them.

    DuckDB is handed these rows, not the files: so it needs no access to files at all.
    """
    import pyarrow.dataset as dataset

    from kibitz.runs.places import is_store

    if is_store(files[0]):
        places: list[Any] = list(files)
        return dataset.dataset(
            [place.path for place in places], format="parquet", filesystem=places[0].fs
        )
    return dataset.dataset([str(file) for file in files], format="parquet")


def _plain(value: Any) -> Any:
    """A value of a query as JSON: without infinity and NaN, which it lacks, and else as text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(name): _plain(item) for name, item in value.items()}
    return value if isinstance(value, str | int | None) else str(value)


def _print_answer(names: list[str], rows: list[list[str]]) -> None:
    """Prints the answer to a query: as a table, or if that is too wide, a column in a line."""
    widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
    if sum(widths) + GAP * len(widths) <= terminal.width():
        grid = new_grid(*map(plain, names))
        for row in rows:
            grid.add_row(*map(plain, row))
        terminal.out().print(grid)
        return
    for number, row in enumerate(rows):
        if number:
            terminal.out().print()
        grid = new_grid("", "", header=False)
        for name, value in zip(names, row, strict=True):
            grid.add_row(f"[dim]{plain(name)}[/]", plain(value))
        terminal.out().print(grid)


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def delete(
    folder: Folder,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a run and its folder.

    The run may be damaged, or of another version.

    Examples:
      kibitz runs delete letters
      kibitz runs delete letters --yes
    """
    from kibitz.runs import Run
    from kibitz.runs.places import remove

    def delete_if_meant(content: str) -> None:
        if not yes:
            typer.confirm(printable(f"Delete {folder}, with {content}?"), abort=True)
        remove(folder)

    try:
        run = Run.open(folder)
    except FileError:
        if not Run.is_in(folder):
            raise
        delete_if_meant("a run that cannot be read")
    else:
        with run:  # so nobody plays it
            delete_if_meant(f"{run.played:,} games of {run.experiment.game}")
    terminal.say(f"{folder} is deleted.")


list_.__name__ = "list"
COMMANDS: tuple[Callable[..., None], ...] = (list_, show, resume, export, query, delete)

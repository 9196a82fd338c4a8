"""TFRecord files of TensorFlow as Arrow tables, PyTorch batches and statistics, without TensorFlow.

    import tfrecord_tools as tp
    table = tp.read("train@16", spec="spec.json", where="label == 3")

The command tfparse, which is in the package, does the work in a process of its own. ``files`` are what it takes: a path, a directory,
a glob, a set of shards such as ``"train@16"``, ``"FILE#5:9"`` for some records, ``gs://``, ``s3://`` and ``https://`` names, or a list
of these. Functions raise :class:`Error` with file, record, offset and feature.
"""

from __future__ import annotations

import contextlib
import hashlib
import html
import itertools
import json
import os
import tempfile
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, Sequence, TypedDict, Union

from tfrecord_tools._command import Error, Process, SkippedWarning, UsageError, binary, call, main
from tfrecord_tools._slots import SlotReader, start

if TYPE_CHECKING:
    import pandas
    import pyarrow as pa
    from typing_extensions import Unpack

    from tfrecord_tools._torch import TFRecordDataset

__all__ = ["Batches", "Error", "Report", "Selection", "SkippedWarning", "UsageError", "batches", "binary", "drift", "main", "read", "schema",
           "stats", "torch", "validate", "verify", "write"]  # fmt: skip

Files = Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]
Spec = Union[str, "os.PathLike[str]", Mapping[str, Any]]

_CODECS = {".gz": "gzip", ".gzip": "gzip", ".zz": "zlib", ".zlib": "zlib", ".snappy": "snappy", ".sz": "snappy", ".zst": "zstd", ".zstd": "zstd"}

# The members of a finding, which leaves out those that have nothing to say: docs/json/validate.schema.json.
_FINDING = ["severity", "slice", "feature", "rule", "text", "expected", "observed", "value_index", "row_path", "step", "values", "file",
            "record", "address", "offset", "length", "example", "spec"]  # fmt: skip


class Selection(TypedDict, total=False):
    """Which records and columns are read, and in what order. All are optional."""

    spec: Spec  # what the columns are: a file, or a dict as schema() returns; without it every feature is a nullable list
    select: str | Sequence[str]  # features: names and patterns, as "a,b*,-c"
    drop: str | Sequence[str]  # features to leave out
    where: str  # an expression that selects records, such as "label == 3 and has(image)"
    limit: int  # at most this many rows
    utf8: str | Sequence[str]  # string features that are text; "-*": none. Default: those of UTF-8 in the first records
    shuffle: bool  # a random order of all records of all files
    seed: int  # of that order
    shard: tuple[int, int]  # (i, n): part i of n; of the records if there are fewer files, or with shuffle
    on_error: str  # "stop", or "skip" bad input with a SkippedWarning
    flags: Sequence[str]  # more flags of tfparse export, such as ["--no-crc"]


def read(files: Files, **selection: Unpack[Selection]) -> pa.Table:
    """Read records into a pyarrow.Table: ``.to_pandas()``, ``polars.from_arrow(table)``, ``duckdb.sql("from table")``.

    With a spec the columns are scalars, fixed-size lists and lists as the spec says, and never null. Without one every feature is a
    list, null where a record lacks it; the files are then read twice.
    """
    import pyarrow as pa

    with batches(files, **selection) as b:
        return pa.Table.from_batches(list(b), b.schema)


def batches(files: Files, *, rows: int | None = None, state: dict[str, Any] | None = None, **selection: Unpack[Selection]) -> Batches:
    """Iterate over pyarrow.RecordBatches, in bounded memory.

    Each has about 1 MB, which is the fastest, or exactly ``rows`` rows, except the last one. ``state`` is the ``state_dict()`` of an
    earlier iterator with the same files and selection: it continues after the last batch of that one.
    """
    return Batches(files, rows, state, selection)


class Batches(Iterator["pa.RecordBatch"]):
    """An iterator over record batches. ``close()``, a ``with`` block or dropping it ends the command."""

    _process: Process | None = None
    _slots: SlotReader | None = None  # None: the stream comes over a pipe

    def __init__(self, files: Files, rows: int | None, state: dict[str, Any] | None, selection: Selection) -> None:
        if rows is not None and rows < 1:
            raise UsageError(f"rows: want at least 1, got {rows}")
        import pyarrow as pa

        self._rows = rows
        # Of files and selection as they are given, since a position means nothing with others.
        names = _names(files)
        arguments = [names, {name: value for name, value in selection.items() if value is not None}]
        self._arguments = hashlib.sha256(json.dumps(arguments, sort_keys=True, default=str).encode()).hexdigest()[:16]
        if state and state.get("arguments") != self._arguments:
            raise UsageError("state: its files or arguments differ from these")
        state = state or {}
        self._position: str = state.get("position", "0:0")  # where the command begins the batch that is cut now
        self._skip: int = state.get("skip", 0)  # rows of it that have been returned
        self._total: int = state.get("total", 0)  # rows that have been returned
        self._pending: deque[tuple[Any, str]] = deque()  # batches of the command and the positions after them
        selection = {**selection}
        if (limit := selection.get("limit")) is not None:
            if limit < 0:
                raise UsageError(f"limit: want at least 0, got {limit}")
            selection["limit"] = max(limit - self._total + self._skip, 0)
        args = ["export", "-o", "-", "--to", "arrows", "--allow-empty", "--resume", self._position]
        with self._closing(), contextlib.ExitStack() as stack:  # the schema comes after the spec was read
            args += _flags(stack, selection)
            self._process, self._slots = start(args, names)
            try:
                reader = pa.ipc.open_stream(self._slots or self._process.stdout)
            except (pa.ArrowException, OSError) as err:
                self._process.finish()
                raise Error("tfparse ended without a schema") from err
        #: The pyarrow.Schema of the batches.
        self.schema: pa.Schema = reader.schema
        self._stream = _complete(self._process, reader)
        self._drop = self._skip

    def __next__(self) -> pa.RecordBatch:
        import pyarrow as pa

        with self._closing():
            have = sum(b.num_rows for b, _ in self._pending)
            while have < (self._rows or 1) and (item := next(self._stream, None)):
                batch, after = item
                drop = min(self._drop, batch.num_rows)  # returned before the state was taken
                self._drop -= drop
                self._pending.append((batch.slice(drop) if drop else batch, after))
                have += batch.num_rows - drop
            want, parts = min(have, self._rows or have), []
            if not want:
                raise StopIteration
            self._total += want
            while want:
                batch, after = self._pending.popleft()
                part = batch if batch.num_rows <= want else batch.slice(0, want)  # a slice of many columns takes its time
                parts.append(part)
                if part.num_rows < batch.num_rows:
                    self._pending.appendleft((batch.slice(want), after))
                    self._skip += want
                else:
                    self._position, self._skip = after, 0
                want -= part.num_rows
            if len(parts) > 1:
                parts = pa.Table.from_batches(parts).combine_chunks().to_batches()
            if len(parts) != 1:
                raise Error(f"{self._rows} rows have more than 2 GiB of images: want fewer rows")
            return parts[0]

    def state_dict(self) -> dict[str, Any]:
        """Return the position after the last batch, for ``batches(…, state=…)``: a small dict of JSON values."""
        return {"position": self._position, "skip": self._skip, "total": self._total, "arguments": self._arguments}

    def close(self) -> None:
        """End the command. It may be called several times."""
        if self._process is not None:
            self._process.stop()
        if self._slots is not None:
            self._slots.close()
        self._stream, self._pending = iter(()), deque()

    @contextlib.contextmanager
    def _closing(self) -> Iterator[None]:
        """End the command when an exception leaves the block: an error, the end, or Ctrl-C."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Batches:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


def _complete(process: Process, reader: pa.RecordBatchStreamReader) -> Iterator[tuple[Any, str]]:
    """Yield the batches of the command, each when more has come: the last one only after the stream is known to be complete.

    It knows nothing of Batches: a reference cycle would keep the command running after its iterator is dropped.
    """
    import pyarrow as pa

    held: tuple[Any, str] | None = None
    count = 0
    try:
        while True:
            item = reader.read_next_batch_with_custom_metadata()
            notes = dict(item.custom_metadata or {})
            if b"tfparse:end" in notes:
                break
            if held:
                yield held
            held = item.batch, notes[b"tfparse:next"].decode()
            count += item.batch.num_rows
        process.stdout.read()
    except (StopIteration, pa.ArrowException, OSError) as err:
        process.finish()
        raise Error(f"the data of tfparse end after {count} rows without their closing batch") from err
    if count != int(notes[b"tfparse:end"]):
        raise Error(f"tfparse wrote {int(notes[b'tfparse:end'])} rows, and {count} arrived")
    process.finish()
    if held:
        yield held


def write(data: Any, output: str | os.PathLike[str], *, spec: Spec | None = None, compression: str | None = None,
          flags: Sequence[str] = ()) -> None:  # fmt: skip
    """Write rows as records to a file, or to a set of shards such as ``"out@4.gz"``.

    ``data`` is a pyarrow Table, RecordBatch or reader, an iterable of RecordBatches, a pandas or polars DataFrame, or a dict of
    columns. ``spec`` says which features hold the nested lists, and must fit all columns; data that :func:`read` returned have it. ``compression`` is "gzip",
    "zlib", "snappy" or "zstd", by default as the extension says. The output appears under its name when it is complete. ``flags``
    are more flags of tfparse encode, such as ``["--level", "9"]``.
    """
    import pyarrow as pa

    reader = _reader(data)
    columns = reader.schema
    if spec is not None:
        text = json.dumps(spec) if isinstance(spec, Mapping) else Path(spec).read_text()
        columns = columns.with_metadata({**(columns.metadata or {}), b"tfparse:version": b"1", b"tfparse:spec": text.encode(), b"tfparse:strict": b"1"})
    if os.fspath(output) == "-":
        raise UsageError("output: want the name of a file, got -")
    codec = compression or _CODECS.get(Path(output).suffix.lower(), "none")
    p = Process(["encode", "--allow-empty", "-o", os.fspath(output), "--to", codec, *_more(flags), "--", "-"], stdin=True)
    assert p.stdin is not None
    try:
        try:
            with pa.ipc.new_stream(p.stdin, columns) as out:
                for batch in reader:
                    out.write_batch(batch)
            p.stdin.close()
        except OSError as err:
            if not p.ended():  # an error of the data
                raise
            p.finish()
            raise Error("tfparse ended before it had read all rows") from err
        p.finish()
    finally:
        p.stop()


def _reader(data: Any) -> pa.RecordBatchReader:
    """Return a reader of what write takes."""
    import pyarrow as pa

    if isinstance(data, pa.RecordBatchReader):
        return data
    if isinstance(data, Batches):
        return pa.RecordBatchReader.from_batches(data.schema, data)
    if isinstance(data, Mapping):
        data = pa.table(data)
    elif hasattr(data, "iloc"):  # pandas, whose own conversion makes null of NaN in all columns
        data = pa.table({name: pa.array(c, from_pandas=c.dtype == object) for name, c in data.items()})
    elif type(data).__module__.startswith("polars"):  # without views, which records have no readers for
        import polars

        data = data.to_arrow(compat_level=polars.CompatLevel.oldest())
    if hasattr(data, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(data)
    if isinstance(data, pa.RecordBatch):
        return pa.RecordBatchReader.from_batches(data.schema, [data])
    it = iter(data)
    first = next(it, None)
    if first is None:
        raise UsageError("no batches: want at least one, whose schema says what the features are")
    return pa.RecordBatchReader.from_batches(first.schema, itertools.chain([first], it))


def schema(files: Files | Report, *, emit: str = "json", flags: Sequence[str] = ()) -> Any:
    """Infer a spec from records: a dict, which ``spec=`` takes. ``emit`` is "json", or "tfmd", "python" or "go" for a text.

    The result of :func:`stats` gives a ``schema.pbtxt`` as TensorFlow Data Validation infers it, as text.
    """
    with contextlib.ExitStack() as stack:
        names = _inputs(stack, files)
        kind = [] if isinstance(files, Report) else ["--emit", emit]
        text, _ = call(["schema", *kind, *_more(flags), "--", *names], quiet=True)
    return json.loads(text) if kind and emit == "json" else text


def verify(files: Files, *, spec: Spec | None = None, check: bool = True, flags: Sequence[str] = ()) -> dict[str, Any]:
    """Check every checksum and message, and with a spec that every record parses.

    Return the report of ``tfparse verify --format json``. Faults raise an Error with the place of the first one, unless ``check``
    is False. ``flags=["--all"]`` finds all faults, not only the first of each file.
    """
    with contextlib.ExitStack() as stack:
        args = ["verify", "--format", "json", *_flags(stack, {"spec": spec} if spec is not None else {}), *_more(flags), "--", *_names(files)]
        p = Process(args)
        try:
            text = p.stdout.read()
            try:
                p.finish(quiet=True)
            except Error:
                if not text:
                    raise
        finally:
            p.stop()
    report: dict[str, Any] = json.loads(text)
    if check:
        for file in report["files"]:
            for fault in file["faults"]:
                place = {"file": file["file"], **fault}
                raise Error(f"{fault.get('address') or file['file']}: {fault['message']}", place, 4)
    return report


class Report:
    """Statistics, findings or distances: as a dict, as a DataFrame, and in a notebook as a page."""

    def __init__(self, verb: str, data: dict[str, Any], page: Callable[[], str]) -> None:
        self.verb = verb
        self._data = data
        self._page = page

    @property
    def ok(self) -> bool:
        """Whether there are no findings of severity error; always true for statistics and distances."""
        return not self._data.get("errors")

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of the command, which docs/json.md describes."""
        return self._data

    def to_pandas(self) -> pandas.DataFrame:
        """Return a row for each feature (statistics), finding, or feature and measure (distances)."""
        import pandas

        if self.verb == "stats":
            return pandas.DataFrame([_describe(d, f) for d in self._data.get("datasets", []) for f in d.get("features", [])])
        if self.verb == "validate":
            return pandas.DataFrame(self._data["findings"], columns=_FINDING)
        rows = [{"feature": ".".join(f["path"]), **d} for f in self._data["features"] for d in f["distances"]]
        return pandas.DataFrame(rows)

    def to_html(self) -> str:
        """Return the page, as text."""
        return self._page()

    def _repr_html_(self) -> str:
        # A page of its own, so that its styles do not reach the notebook.
        return f'<iframe srcdoc="{html.escape(self._page())}" style="width:100%;height:40em;border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<{self.verb} report, {len(json.dumps(self._data))} bytes of JSON>"


def _describe(dataset: dict[str, Any], feature: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a feature. In protobuf JSON, 64-bit integers are strings and zeros are left out."""
    kind = next((k for k in ("num_stats", "string_stats", "bytes_stats", "struct_stats") if k in feature), "")
    own = feature.get(kind, {})
    common = own.get("common_stats", {})
    row: dict[str, Any] = {
        "slice": dataset.get("name") or None,
        "feature": ".".join(feature.get("path", {}).get("step", [])) or feature.get("name"),
        "type": feature.get("type", "INT"),
        "present": int(common.get("num_non_missing", 0)),
        "missing": int(common.get("num_missing", 0)),
        "values": int(common.get("tot_num_values", 0)),
        "min_values": int(common.get("min_num_values", 0)),
        "max_values": int(common.get("max_num_values", 0)),
    }
    if kind == "num_stats":
        row.update({name: float(own.get(name, 0)) for name in ("mean", "std_dev", "min", "median", "max")})
        row["zeros"] = int(own.get("num_zeros", 0))
    if "unique" in own:
        row["unique"] = int(own["unique"])
    if "avg_length" in own:
        row["avg_length"] = float(own["avg_length"])
    return row


def stats(files: Files, *, flags: Sequence[str] = ()) -> Report:
    """Describe every feature of the records. ``flags`` are more flags of tfparse stats, such as ``["--slice", "country"]``.

    The report can stand for the files in :func:`schema`, :func:`validate` and :func:`drift`.
    """
    text, _ = call(["stats", "--format", "json", *_more(flags), "--", *_names(files)], quiet=True)
    data = json.loads(text)

    def page() -> str:
        with contextlib.ExitStack() as stack:
            report = Report("stats", data, page)
            out = os.path.join(stack.enter_context(tempfile.TemporaryDirectory()), "page.html")
            call(["stats", "-o", out, "--", *_inputs(stack, report)], quiet=True)
            return Path(out).read_text("utf-8")

    return Report("stats", data, page)


def validate(files: Files | Report, *, schema: str | os.PathLike[str] | None = None, flags: Sequence[str] = ()) -> Report:
    """Check data against a ``schema.pbtxt``. ``flags`` are more flags of tfparse validate: ``["--records"]``, ``["--rules", FILE]``.

    Findings do not raise: see ``ok``, ``to_dict()["findings"]`` and ``to_pandas()``.
    """
    more = ["--schema", os.fspath(schema)] if schema is not None else []
    return _reported("validate", [*more, *_more(flags)], files)


def drift(first: Files | Report, second: Files | Report, *, flags: Sequence[str] = ()) -> Report:
    """Compare every feature of two data sets. Both may be files of statistics, or reports of :func:`stats`."""
    return _reported("drift", ["--all", *_more(flags)], first, second)


def _reported(verb: str, flags: Sequence[str], *data: Files | Report) -> Report:
    """Run a verb that prints JSON and writes a page."""
    with contextlib.ExitStack() as stack:
        out = os.path.join(stack.enter_context(tempfile.TemporaryDirectory()), "page.html")
        names = []
        for d in data:
            side = _inputs(stack, d)
            if verb == "drift" and len(side) > 1:  # which takes a name for each of the two data sets
                side = _inputs(stack, stats(side))
            names += side
        text, _ = call([verb, "--format", "json", "-o", out, *flags, "--", *names], negative=True, quiet=True)
        page = Path(out).read_text("utf-8")
    return Report(verb, json.loads(text), lambda: page)


def torch(files: Files, *, rows: int = 1024, jagged: bool = False, drop_last: bool = False, even: bool = False, rank: int | None = None,
          world_size: int | None = None, **selection: Unpack[Selection]) -> TFRecordDataset:  # fmt: skip
    """Return a torch IterableDataset of batches, for ``DataLoader(dataset, batch_size=None)``.

    A batch is a dict: a tensor for each fixed column, ``{"values": tensor, "offsets": [tensor, ...]}`` for ragged ones, a list of
    bytes for strings. ``jagged`` makes nested tensors of columns with one ragged axis. Tensors are read-only views of the batch.
    Each worker of each rank gets its own part; ``rank`` and ``world_size`` are those of torch.distributed if it is initialised.
    ``drop_last`` drops the last batch if it is shorter, and ``even`` gives each worker the same number of batches.
    """
    from tfrecord_tools._torch import TFRecordDataset

    return TFRecordDataset(files, rows, jagged, drop_last, even, rank, world_size, selection)


def _names(files: Files) -> list[str]:
    """Return the arguments of files."""
    names = [os.fspath(files)] if isinstance(files, (str, bytes, os.PathLike)) else [os.fspath(f) for f in files]
    if not names:
        raise UsageError("files: want at least one, got none")
    for name in names:
        if not isinstance(name, str) or name == "-":
            raise UsageError(f"files: want the name of a file as text, got {name!r}")
    return names


def _more(flags: Sequence[str]) -> list[str]:
    """Return more flags for the command."""
    if isinstance(flags, str):
        raise UsageError(f'flags: want a list such as ["--no-crc"], got {flags!r}')
    return list(flags)


def _inputs(stack: contextlib.ExitStack, data: Files | Report) -> list[str]:
    """Return the arguments of files, or of a file with the statistics of a report, which stack removes."""
    if not isinstance(data, Report):
        return _names(data)
    if data.verb != "stats":
        raise UsageError(f"want files or the report of stats, got that of {data.verb}")
    return [_save(stack, data.to_dict(), "stats.json")]


def _save(stack: contextlib.ExitStack, value: Mapping[str, Any], name: str) -> str:
    """Write JSON to a temporary file, which stack removes, and return its name."""
    path = os.path.join(stack.enter_context(tempfile.TemporaryDirectory()), name)
    Path(path).write_text(json.dumps(value), "utf-8")
    return path


def _flags(stack: contextlib.ExitStack, selection: Selection) -> list[str]:
    """Return the flags of a selection."""
    args: list[str] = []
    for name, value in selection.items():
        if name == "flags":
            args += _more(selection["flags"])
        elif name not in Selection.__annotations__:
            raise TypeError(f"unexpected keyword argument {name!r}")
        elif name == "shuffle" or value is None:
            args += ["--shuffle"] if value else []
        elif name == "seed" and not selection.get("shuffle"):
            continue
        elif name == "spec" and isinstance(value, Mapping):
            args += ["--spec", _save(stack, value, "spec.json")]
        elif name == "shard":
            if isinstance(value, str) or len(value) != 2:  # type: ignore[arg-type]
                raise UsageError(f"shard: want a tuple (i, n), got {value!r}")
            args += ["--shard", "{}/{}".format(*selection["shard"])]
        elif name in ("select", "drop", "utf8") and not isinstance(value, str):
            args += [f"--{name}={v}" for v in value]  # type: ignore[attr-defined]
        else:
            args.append(f"--{name.replace('_', '-')}={os.fspath(value) if name == 'spec' else value}")  # type: ignore[call-overload]
    return args

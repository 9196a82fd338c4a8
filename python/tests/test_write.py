"""write: what it takes, what the records hold, and that an output is complete or not there."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from conftest import SPEC, TESTDATA, features, frames

import tfrecord_tools as tp

RECIPES, RECIPES_SPEC = TESTDATA / "recipes.tfrecord", TESTDATA / "recipes.spec.json"


def test_records(tmp_path):
    out = tmp_path / "out.tfrecord"
    tp.write({"n": [1, -2], "x": [[0.5, math.inf], []], "s": [["a", "é"], None], "b": [b"\xff\x00", b""]}, out)
    assert [features(r) for r in frames(out)] == [
        {"n": [1], "x": [0.5, math.inf], "s": [b"a", "é".encode()], "b": [b"\xff\x00"]},
        {"n": [-2], "x": [], "b": [b""]},
    ]


@pytest.mark.parametrize("form", ["table", "batch", "reader", "batches", "iterable", "pandas", "polars"])
def test_forms(tmp_path, form):
    table = tp.read(RECIPES, spec=RECIPES_SPEC)
    data, spec = table, None
    if form == "batch":
        data = table.combine_chunks().to_batches()[0]
    elif form == "reader":
        data = table.to_reader()
    elif form == "batches":
        data = tp.batches(RECIPES, spec=RECIPES_SPEC, rows=5)
    elif form == "iterable":
        data = (b for b in table.to_batches(max_chunksize=3))
    elif form == "pandas":
        data, spec = table.to_pandas(), RECIPES_SPEC
    elif form == "polars":
        data, spec = pytest.importorskip("polars").from_arrow(table), RECIPES_SPEC
    tp.write(data, tmp_path / "out", spec=spec)
    assert repr(tp.read(tmp_path / "out", spec=RECIPES_SPEC).to_pydict()) == repr(table.to_pydict())


def test_shards_and_codecs(tmp_path, numbered):
    table = tp.read(numbered, spec=SPEC)
    for ext, codec in {"": "none", ".gz": "gzip", ".zz": "zlib", ".snappy": "snappy", ".zst": "zstd"}.items():
        out = f"{tmp_path}/out@3{ext}"
        tp.write(table, out)
        report = tp.verify(out)
        assert [f["codec"] for f in report["files"]] == [codec] * 3 and sum(f["records"] for f in report["files"]) == 5000
        assert sorted(tp.read(out, spec=SPEC)["n"].to_pylist()) == list(range(5000))
    tp.write(table, tmp_path / "plain", compression="zlib", flags=["--level", "1"])
    assert tp.verify(tmp_path / "plain")["files"][0]["codec"] == "zlib"


def test_refused(tmp_path):
    out = tmp_path / "out"
    with pytest.raises(tp.Error, match="null") as e:
        tp.write({"good": [[1], [2]], "a": [[1], [None]]}, out)
    assert e.value.feature == "a" and e.value.record == 1
    with pytest.raises(tp.Error, match="timestamp"):
        tp.write(pa.table({"t": pa.array([1], pa.timestamp("s"))}), out)
    for table in ({"title": ["a"], "extra": [1]}, {"title": [1]}):
        with pytest.raises(tp.Error, match="^bad column data: the spec does not fit the columns"):
            tp.write(table, out, spec={"features": {"title": {"fixed_len": {"dtype": "string", "shape": []}}}})
    with pytest.raises(tp.UsageError, match="name of a file"):
        tp.write({"a": [1]}, "-")
    with pytest.raises(tp.UsageError, match="no batches"):
        tp.write(iter([]), out)
    with pytest.raises(tp.Error, match="No such file|no such file"):
        tp.write({"a": [1]}, tmp_path / "none" / "out")
    assert list(tmp_path.iterdir()) == []


def test_empty(tmp_path):
    """Data without rows or values have no columns."""
    tp.write({"a": []}, tmp_path / "none")
    assert tp.read(tmp_path / "none").shape == (0, 0)
    assert tp.read(TESTDATA / "recipes.tfrecord", where="minutes > 9999").shape == (0, 0)


def test_interrupted(tmp_path, numbered):
    """An exception of the data leaves no output, and the old file."""
    out = tmp_path / "out"
    tp.write({"a": [1]}, out)

    def fail(error):
        yield from tp.batches(numbered, spec=SPEC)
        raise error

    for error in (RuntimeError("no more"), OSError("no more"), KeyboardInterrupt("no more")):
        with pytest.raises(type(error), match="no more"):
            tp.write(fail(error), out)
    assert tp.read(out).to_pydict() == {"a": [[1]]} and [p.name for p in tmp_path.iterdir()] == ["out"]

"""Errors: their places, and what is skipped."""

from __future__ import annotations

import pytest
from conftest import SPEC, TESTDATA

import tfrecord_tools as tp

RECIPES = TESTDATA / "recipes.tfrecord"


@pytest.fixture
def damaged(numbered, tmp_path):
    """A file with a bit changed in record 1000, and its offset."""
    data = bytearray(open(numbered[0], "rb").read())
    at = 0
    for _ in range(1000):
        at += int.from_bytes(data[at : at + 8], "little") + 16
    data[at + 20] ^= 4
    file = tmp_path / "damaged.tfrecord"
    file.write_bytes(data)
    return str(file), at


def test_damage(damaged):
    file, offset = damaged
    for call in (tp.read, tp.verify, tp.schema):
        with pytest.raises(tp.Error, match="record 1000|checksum") as e:
            call(file)
        assert (e.value.file, e.value.record, e.value.code) == (file, 1000, 4) and e.value.offset in (offset, None)
    with pytest.raises(tp.Error):
        tp.read(file, spec=SPEC)
    report = tp.verify(file, check=False)
    assert report["files"][0]["faults"][0]["offset"] == offset
    with pytest.warns(tp.SkippedWarning, match="record 1000") as warned:
        table = tp.read(file, spec=SPEC, on_error="skip")
        for _ in tp.batches(file, spec=SPEC, on_error="skip"):
            pass
        tp.write(tp.batches(file, spec=SPEC, on_error="skip"), file + ".copy")
    assert [w.filename for w in warned] == [__file__] * 3  # the code that called, not the package
    assert table["n"].to_pylist() == [n for n in range(2500) if n != 1000]


def test_spec():
    spec = {"features": {"minutes": {"fixed_len": {"dtype": "float32", "shape": []}}}}
    with pytest.raises(tp.Error, match="minutes") as e:
        tp.read(RECIPES, spec=spec)
    assert (e.value.file, e.value.record, e.value.offset, e.value.feature, e.value.kind) == (str(RECIPES), 0, 0, "minutes", "message")
    with pytest.raises(tp.Error) as e:
        tp.verify(RECIPES, spec=spec)
    assert e.value.record == 0


def test_usage():
    for kw in ({"where": "minutes <"}, {"spec": {"features": {"a": {"no_kind": {}}}}}, {"shard": (3, 2)}, {"on_error": "ignore"}, {"select": "nothing"}):
        with pytest.raises(tp.Error):
            tp.read(RECIPES, **kw)
    for kw, text in (({"flags": "--no-crc"}, "a list"), ({"shard": "0/2"}, "a tuple"), ({"limit": -5}, "at least 0")):
        with pytest.raises(tp.UsageError, match=text):
            tp.read(RECIPES, **kw)
    for files in ([], "-", b"recipes"):
        with pytest.raises(tp.UsageError, match="files: want"):
            tp.read(files)
    with pytest.raises(ValueError, match="column 10"):
        tp.read(RECIPES, where="minutes <")
    with pytest.raises(ValueError, match="rows"):
        tp.batches(RECIPES, rows=0)
    with pytest.raises(tp.Error, match="no such file") as e:
        tp.read("none.tfrecord")
    assert e.value.file == "none.tfrecord" and e.value.record is None

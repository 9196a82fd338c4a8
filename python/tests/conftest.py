"""Data and a slow reader for the tests, which need TFPARSE_BINARY or a tfparse on PATH, built from full/cmd/tfparse."""

from __future__ import annotations

import os
import struct
import subprocess
from pathlib import Path
from typing import Any, Iterator

import pytest

import tfrecord_tools as tp
from tfrecord_tools import _slots

# Whether the command has Arrow, without which only tests that are marked lean run.
FULL = "arrows" in subprocess.run([tp.binary(), "version"], capture_output=True, text=True).stdout


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "lean: needs no build with Arrow")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if not FULL and not item.get_closest_marker("lean"):
            item.add_marker(pytest.mark.skip("needs the tfparse of full/cmd/tfparse"))




@pytest.fixture(params=["slots", "pipe"])
def transport(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How batches come from the command."""
    if request.param == "pipe":
        monkeypatch.setattr(_slots, "memory_file", lambda: None)
    elif (file := _slots.memory_file()) is None:
        pytest.skip("no files in memory here: batches come over a pipe")
    else:
        os.close(file)
    return request.param


TESTDATA = Path(__file__).parents[2] / "testdata"


def frames(path: Path) -> Iterator[bytes]:
    """Yield the records of an uncompressed file, without checking checksums."""
    data = path.read_bytes()
    at = 0
    while at < len(data):
        (size,) = struct.unpack_from("<Q", data, at)
        yield data[at + 12 : at + 12 + size]
        at += size + 16


def fields(message: bytes) -> Iterator[tuple[int, Any]]:
    """Yield the number and the value of each field of a protobuf message: an int, or bytes."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
            continue
        size = {1: 8, 5: 4}.get(tag & 7) or varint()
        yield tag >> 3, message[at : at + size]
        at += size


def varints(packed: bytes) -> list[int]:
    """Return the int64 values of a packed list."""
    out, value, shift = [], 0, 0
    for byte in packed:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            out.append(value - (1 << 64) if value >> 63 else value)
            value = shift = 0
    return out


def features(record: bytes) -> dict[str, list[Any]]:
    """Return the features of an Example that have a kind, as the writers of the tests encode it: with packed lists."""
    out: dict[str, list[Any]] = {}
    for _, all_features in fields(record):
        for _, entry in fields(all_features):
            parts = dict(fields(entry))
            for kind, values in fields(parts.get(2, b"")):
                content = [v for _, v in fields(values)]
                if kind == 3:
                    content = [n for v in content for n in varints(v)]
                elif kind == 2:
                    content = [x for v in content for (x,) in struct.iter_unpack("<f", v)]
                out[parts.get(1, b"").decode()] = content
    return out


@pytest.fixture(scope="session")
def numbered(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Three files with the features n = 0, 1, 2, …, and text and ragged floats of some length: 5,000 records, 2 MB."""
    import pyarrow as pa

    types = pa.schema({"n": pa.int64(), "text": pa.string(), "x": pa.list_(pa.float32())})
    folder = tmp_path_factory.mktemp("numbered")
    names, n = [], 0
    for i, count in enumerate((2500, 1, 2499)):
        rows = range(n, n + count)
        n += count
        columns = {"n": list(rows), "text": [f"{r}" * (r % 90) for r in rows], "x": [[r / 4] * (r % 5) for r in rows]}
        names.append(str(folder / f"part{i}.tfrecord"))
        tp.write(pa.table(columns, types), names[-1])
    return names


SPEC = {
    "features": {
        "n": {"fixed_len": {"dtype": "int64", "shape": []}},
        "text": {"fixed_len": {"dtype": "string", "shape": []}},
        "x": {"var_len": {"dtype": "float32"}},
    }
}

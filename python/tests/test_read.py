"""read and batches: values, types, cuts, order, shards, positions."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from conftest import SPEC, TESTDATA, features, frames

import tfrecord_tools as tp

RECIPES, RECIPES_SPEC = TESTDATA / "recipes.tfrecord", TESTDATA / "recipes.spec.json"


def numbers(batches) -> list[int]:
    return [n for b in batches for n in b["n"].to_pylist()]


def test_without_spec():
    table = tp.read(RECIPES)
    records = [features(r) for r in frames(RECIPES)]
    assert table.column_names == sorted({name for r in records for name in r})
    for row, record in zip(table.to_pylist(), records, strict=True):
        for name, values in row.items():
            want = record.get(name)
            if isinstance(table.schema.field(name).type.value_type, pa.DataType) and want and isinstance(want[0], bytes):
                want = [v.decode() for v in want]
            assert values == want or str(values) == str(want), name  # NaN
    assert pa.types.is_large_list(table.schema.field("minutes").type)


def test_with_spec():
    table = tp.read(RECIPES, spec=RECIPES_SPEC)
    assert table["steps"][0].as_py() == [[["whisk", "flour", "milk", "eggs", "and", "salt"], ["rest", "15", "minutes"]], [["fry", "thin", "on", "both", "sides"]]]
    assert table.schema.field("minutes").type == pa.int64() and not any(f.nullable for f in table.schema)
    assert tp.read(RECIPES, spec=json.loads(RECIPES_SPEC.read_text())).schema == table.schema


def test_selection(numbered):
    assert tp.read(numbered, where="n < 3", select="n,x").to_pydict() == {"n": [[0], [1], [2]], "x": [[], [0.25], [0.5] * 2]}
    assert tp.read(numbered, limit=2, drop=["text", "x"]).to_pydict() == {"n": [[0], [1]]}
    assert tp.read(f"{numbered[0]}#5:7", select="n").to_pydict() == {"n": [[5], [6]]}
    assert pa.types.is_large_binary(tp.read(numbered[1], spec=SPEC, utf8="-*").schema.field("text").type)
    assert tp.read(numbered[1], spec=SPEC, utf8=["text"]).schema.field("text").type == pa.large_string()
    assert tp.read(numbered, spec=SPEC, where="n > 9000").num_rows == 0
    with pytest.raises(TypeError, match="colour"):
        tp.read(numbered, colour="red")


@pytest.mark.parametrize("rows", [1, 7, 2500, 4999, 5000, 9999])
def test_rows(numbered, rows):
    with tp.batches(numbered, rows=rows, spec=SPEC) as it:
        got = list(it)
    assert [b.num_rows for b in got] == [rows] * (5000 // rows) + ([5000 % rows] if 5000 % rows else [])
    assert numbers(got) == list(range(5000))
    for b in got:
        b.validate(full=True)


def test_bytes(numbered):
    got = list(tp.batches(numbered, spec=SPEC))
    assert len(got) > 2 and all(b.nbytes < 4 << 20 for b in got) and numbers(got) == list(range(5000))


def test_order(numbered):
    def order(**kw):
        return numbers(tp.batches(numbered, spec=SPEC, **kw))

    a = order(shuffle=True, seed=7)
    assert a != sorted(a) == list(range(5000)) and a == order(shuffle=True, seed=7, rows=64) and a != order(shuffle=True, seed=8)
    for n in (2, 3, 5):  # files, and records of files
        for kw in ({}, {"shuffle": True, "seed": 1}):
            parts = [order(shard=(i, n), **kw) for i in range(n)]
            assert sorted(x for p in parts for x in p) == list(range(5000))
            if kw or n > 3:
                assert max(map(len, parts)) - min(map(len, parts)) <= 3


def test_shards_have_one_schema(tmp_path):
    tp.write({"a": [1, 2], "s": [b"text", b"\xff"]}, tmp_path / "a")
    tp.write({"b": [1.5]}, tmp_path / "b")
    files = [tmp_path / "a", tmp_path / "b"]
    assert len({str(tp.batches(files, shard=(i, n)).schema) for n in (2, 4) for i in range(n)}) == 1
    spec = {"features": {"s": {"var_len": {"dtype": "string"}}}}
    schemas = {str(tp.batches(files, spec=spec, shard=(i, 2)).schema) for i in range(2)}
    schemas |= {str(tp.batches(files, spec=spec, shuffle=True, seed=s).schema) for s in range(3)}
    assert len(schemas) == 1


@pytest.mark.parametrize(
    "kw",
    [
        {},
        {"rows": 1024},
        {"rows": 100, "shuffle": True, "seed": 3},
        {"rows": 100, "shuffle": True, "seed": 3, "shard": (1, 3)},
        {"rows": 100, "shard": (1, 2)},
        {"rows": 100, "shard": (3, 7)},
        {"rows": 64, "where": "n != 17 && n != 4000"},
        {"rows": 64, "where": "n > 2000", "shuffle": True, "seed": 1},
        {"rows": 300, "limit": 2700},
    ],
    ids=str,
)
def test_resume(numbered, kw):
    whole, states = [], []
    with tp.batches(numbered, spec=SPEC, **kw) as it:
        for b in it:
            whole.append(b["n"].to_pylist())
            states.append(json.loads(json.dumps(it.state_dict())))
    for i in sorted({0, 1, len(states) // 2, len(states) - 2, len(states) - 1}):
        if "rows" in kw:
            assert [b["n"].to_pylist() for b in tp.batches(numbered, spec=SPEC, state=states[i], **kw)] == whole[i + 1 :]
        else:
            assert numbers(tp.batches(numbered, spec=SPEC, state=states[i], **kw)) == sum(whole[i + 1 :], [])


def test_resume_with_other_arguments(numbered):
    kw = {"spec": SPEC, "shuffle": True, "seed": 1, "select": "n"}
    it = tp.batches(numbered, rows=7, **kw)
    head, state = numbers([next(it)]), it.state_dict()
    reordered = {"features": dict(reversed(SPEC["features"].items()))}
    again = tp.batches([Path(name) for name in numbered], rows=8, select="n", spec=reordered, shuffle=True, seed=1, where=None, state=state)
    assert sorted(head + numbers(again)) == list(range(5000))
    others = [{"spec": None}, {"shuffle": False}, {"seed": 2}, {"select": "text"}, {"where": "n > 5"}, {"limit": 9}, {"shard": (0, 2)}]
    for other in others:
        with pytest.raises(tp.UsageError, match="arguments differ"):
            tp.batches(numbered, state=state, **{**kw, **other})
    with pytest.raises(tp.UsageError, match="arguments differ"):
        tp.batches(numbered[:2], state=state, **kw)
    with pytest.raises(tp.UsageError, match="arguments differ"):  # nothing says of which arguments it is
        tp.batches(numbered, state={"position": "0:0", "skip": 7, "total": 7}, **kw)
    assert numbers(tp.batches(numbered, state={}, spec=SPEC)) == numbers(tp.batches(numbered, spec=SPEC, limit=None))


def test_resume_after_damage(numbered, tmp_path):
    data = bytearray(Path(numbered[0]).read_bytes())
    for at in range(3000, len(data), len(data) // 9):
        data[at] ^= 1
    damaged = tmp_path / "damaged"
    damaged.write_bytes(data)
    kw = {"spec": SPEC, "rows": 50, "on_error": "skip"}
    for more in ({}, {"where": "n > 20"}):
        with pytest.warns(tp.SkippedWarning, match="skipped"):
            it = tp.batches([damaged, numbered[2]], **kw, **more)
            head = numbers(next(it) for _ in range(45))
            state = it.state_dict()
            rest = numbers(it)
            assert rest == numbers(tp.batches([damaged, numbered[2]], state=state, **kw, **more))
        assert 4900 < len(head + rest) < 4999


def test_files_of_one_name(numbered):
    """Positions name a file by its ordinal, so that a file may be read twice."""
    files = [numbered[1], f"{numbered[0]}#2:9", numbered[1], f"{numbered[0]}#4:", numbered[1]]
    want = numbers(tp.batches(files, spec=SPEC))
    assert want[:10] == [2500, *range(2, 9), 2500, 4]
    it = tp.batches(files, spec=SPEC, rows=3)
    for i in range(6):
        head = numbers([next(it)])
        assert head == want[3 * i : 3 * i + 3] and numbers(tp.batches(files, spec=SPEC, state=it.state_dict())) == want[3 * i + 3 :]


def test_other_libraries(numbered):
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    rows = table = tp.read(numbered, spec=SPEC)
    assert polars.from_arrow(table)["n"].sum() == duckdb.sql("select sum(n) from rows").fetchall()[0][0] == 5000 * 4999 // 2
    assert table.to_pandas()["n"].sum() == 5000 * 4999 // 2

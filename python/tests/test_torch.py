"""The torch dataset: values, shards of workers and ranks, epochs, resuming."""

from __future__ import annotations

import json
import pickle

import pytest
from conftest import SPEC, TESTDATA

import tfrecord_tools as tp

torch = pytest.importorskip("torch", reason="pip has no torch here")
from torch.utils.data import DataLoader  # noqa: E402

from tfrecord_tools._torch import convert  # noqa: E402

RECIPES, RECIPES_SPEC = TESTDATA / "recipes.tfrecord", TESTDATA / "recipes.spec.json"


def numbers(batches) -> list[int]:
    return [n for b in batches for n in b["n"].tolist()]


def nested(column):
    """Return the lists of a column of convert."""
    if not isinstance(column, dict):
        return column.tolist() if isinstance(column, torch.Tensor) else column
    values = column["values"].tolist() if isinstance(column["values"], torch.Tensor) else column["values"]
    for offsets in reversed(column["offsets"]):
        values = [values[a:b] for a, b in zip(offsets.tolist(), offsets.tolist()[1:])]
    return values


def test_values():
    table = tp.read(RECIPES, spec=RECIPES_SPEC, utf8="-*")
    (batch,) = tp.torch(RECIPES, spec=RECIPES_SPEC)
    assert set(batch) == set(table.column_names)
    for name, column in batch.items():
        assert str(nested(column)) == str(table[name].to_pylist()), name
    assert len(batch["steps"]["offsets"]) == 3 and batch["minutes"].dtype == torch.int64


def test_slices():
    """Offsets of a slice of a batch begin at 0."""
    table = tp.read(RECIPES, spec=RECIPES_SPEC, utf8="-*").combine_chunks()
    for start in range(12):
        b = table.slice(start, 5).to_batches()[0]
        for name, column in convert(b).items():
            assert str(nested(column)) == str(b[name].to_pylist()), name
            assert not isinstance(column, dict) or all(o[0] == 0 for o in column["offsets"])


def test_fixed_sizes(tmp_path):
    """Fixed sizes, alone, around and inside ragged lists, and sparse features."""
    import pyarrow as pa

    types = {
        "scalar": (pa.float32(), [0.5, 1, 2]),
        "matrix": (pa.list_(pa.list_(pa.int64(), 2), 3), [[[1, 2], [3, 4], [5, 6]]] * 3),
        "ragged_of_fixed": (pa.large_list(pa.list_(pa.int64(), 2)), [[[1, 2]], [], [[3, 4], [5, 6]]]),
        "fixed_of_ragged": (pa.list_(pa.large_list(pa.int64()), 2), [[[1], []], [[2, 3], [4]], [[], []]]),
        "strings": (pa.list_(pa.large_binary(), 2), [[b"a", b"b"]] * 3),
        "empty": (pa.large_list(pa.float32()), [[], [], []]),
        "flags": (pa.list_(pa.bool_(), 3), [[True, False, True]] * 3),
        "nulls": (pa.large_list(pa.int64()), [None, [1], None]),
    }
    b = pa.record_batch([pa.array(v, t) for t, v in types.values()], list(types))
    for part in (b, b.slice(1), b.slice(1, 1), b.slice(0, 0)):
        for name, column in convert(part).items():
            want = [[] if v is None else v for v in part[name].to_pylist()]
            assert nested(column) == want, name
    out = convert(b)
    assert out["matrix"].shape == (3, 3, 2) and out["ragged_of_fixed"]["values"].shape == (3, 2)
    sparse = pa.array([{"indices": [[0, 3]], "values": [1.5]}, {"indices": [], "values": []}], pa.struct({"indices": pa.large_list(pa.list_(pa.int64(), 2)), "values": pa.large_list(pa.float32())}))
    column = convert(pa.record_batch([sparse], ["s"]).slice(0, 2))["s"]
    assert nested(column["indices"]) == [[[0, 3]], []] and nested(column["values"]) == [[1.5], []]


def test_jagged(numbered):
    for b in tp.torch(numbered, spec=SPEC, rows=999, jagged=True):
        assert b["x"].is_nested and b["x"].layout == torch.jagged
        assert [len(v) for v in b["x"].unbind()] == [n % 5 for n in b["n"].tolist()]
        assert b["x"].sum().item() == pytest.approx(sum(n / 4 * (n % 5) for n in b["n"].tolist()))


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("shuffle", [False, True])
def test_workers_and_ranks(numbered, workers, shuffle):
    got = []
    for rank in range(2):
        dataset = tp.torch(numbered, spec=SPEC, rows=100, rank=rank, world_size=2, shuffle=shuffle, seed=5)
        got += numbers(DataLoader(dataset, batch_size=None, num_workers=workers))
    assert sorted(got) == list(range(5000)) and (got == sorted(got)) is False or not shuffle


def test_rank_alone(numbered):
    for kw in ({"rank": 1}, {"world_size": 2}):
        with pytest.raises(tp.UsageError, match="want both"):
            iter(tp.torch(numbered, spec=SPEC, **kw))
    assert len(list(tp.torch(numbered, spec=SPEC, where=None, shard=None, seed=None, even=True))) > 0


def test_even(numbered):
    for shuffle in (False, True):
        for world in (2, 5):
            counts = set()
            for rank in range(world):
                dataset = tp.torch(numbered, spec=SPEC, rows=100, rank=rank, world_size=world, shuffle=shuffle, even=True)
                counts.add((len(list(dataset)), dataset.steps(world)))
            assert len(counts) == 1 and {a for a, _ in counts} == {b for _, b in counts}
    assert [len(b["n"]) for b in tp.torch(numbered, spec=SPEC, rows=2048, drop_last=True)] == [2048, 2048]
    with pytest.raises(tp.UsageError, match="even"):
        tp.torch(numbered, even=True, where="n > 5")


def test_epochs(numbered):
    dataset = tp.torch(numbered, spec=SPEC, rows=500, shuffle=True, seed=1)
    first = numbers(dataset)
    assert numbers(dataset) == first
    dataset.set_epoch(1)
    loader = DataLoader(dataset, batch_size=None, num_workers=1, persistent_workers=True)
    second = numbers(loader)
    assert second != first and sorted(second) == sorted(first)
    dataset.set_epoch(0)
    assert numbers(loader) == first


@pytest.mark.parametrize("more", [{}, {"shuffle": True, "seed": 2}, {"rank": 1, "world_size": 4, "shuffle": True}, {"even": True, "rank": 0, "world_size": 2}], ids=str)
def test_resume(numbered, more):
    dataset = tp.torch(numbered, spec=SPEC, rows=64, **more)
    it = iter(dataset)
    states = [it.state_dict()]
    whole = []
    for b in it:
        whole.append(b["n"].tolist())
        states.append(json.loads(json.dumps(it.state_dict())))
    for i in (0, 1, len(whole) // 2, len(whole)):
        again = iter(pickle.loads(pickle.dumps(dataset)))
        again.load_state_dict(states[i])
        assert [b["n"].tolist() for b in again] == whole[i:]
    other = iter(tp.torch(numbered, spec=SPEC, rank=1, world_size=3))
    with pytest.raises(tp.UsageError, match="shard"):
        other.load_state_dict(states[0])
    other = iter(tp.torch(numbered[:2], spec=SPEC, rows=64, **more))
    other.load_state_dict(states[1])
    with pytest.raises(tp.UsageError, match="arguments differ"):
        next(other)


@pytest.mark.parametrize("workers", [0, 2])
def test_stateful_loader(numbered, workers):
    stateful = pytest.importorskip("torchdata.stateful_dataloader")

    def loader():
        return stateful.StatefulDataLoader(tp.torch(numbered, spec=SPEC, rows=64, shuffle=True, seed=9), batch_size=None, num_workers=workers)

    whole = [b["n"].tolist() for b in loader()]
    first = loader()
    it = iter(first)
    head = [next(it)["n"].tolist() for _ in range(11)]
    state = pickle.loads(pickle.dumps(first.state_dict()))
    second = loader()
    second.load_state_dict(state)
    assert head + [b["n"].tolist() for b in second] == whole

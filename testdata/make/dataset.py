"""What tf.data makes of files and a chain of methods; makes ../dataset.jsonl.

    TF_CPP_MIN_LOG_LEVEL=3 python dataset.py [--out OUT]

A case is the number of records in each file and the settings that stand in FilesOptions, applied in the order documented there;
"rows" is, batch by batch, the file and the record of every row. Where records of several files are read in turn, TFRecordDataset
with num_parallel_reads and Dataset.interleave must agree, or the program stops. "epochs" has cases of shuffle: how many passes
there were, and whether each is another order of the same records, and the first never ahead of its buffer.
"""
import argparse
import json
import os
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
Dataset = tf.data.Dataset


def write(folder, counts):
    names = []
    for f, n in enumerate(counts):
        names.append(os.path.join(folder, "f-%05d-of-%05d" % (f, len(counts))))
        with tf.io.TFRecordWriter(names[-1]) as w:
            for r in range(n):
                w.write(b"%d/%d" % (f, r))
    return names


def records(names, case):
    ds = Dataset.from_tensor_slices(names) if names else Dataset.from_tensor_slices(tf.zeros([0], tf.string))
    if case.get("shards") and not case.get("by_record"):
        ds = ds.shard(case["shards"], case.get("index", 0))
    cycle = case.get("interleave", 1)
    turns = ds.interleave(tf.data.TFRecordDataset, cycle_length=cycle, block_length=1)
    if cycle > 1:
        reads = tf.data.TFRecordDataset(ds, num_parallel_reads=cycle)
        assert list(turns.as_numpy_iterator()) == list(reads.as_numpy_iterator()), case
    ds = turns
    if case.get("shards") and case.get("by_record"):
        ds = ds.shard(case["shards"], case.get("index", 0))
    if case.get("skip"):
        ds = ds.skip(case["skip"])
    if case.get("take"):
        ds = ds.take(case["take"])
    if case.get("shuffle"):
        ds = ds.shuffle(case["shuffle"], seed=7)
    if case.get("repeat"):
        ds = ds.repeat(case["repeat"])
    return ds


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--out", default=os.path.join(HERE, "..", "dataset.jsonl"))
    args = args.parse_args()
    cases = []
    for counts in ([5], [3, 0, 4, 1, 2], [1, 1, 9, 1, 1, 1], [0, 0, 0], [4, 4, 4]):
        for extra in ({}, {"interleave": 2}, {"interleave": 3}, {"interleave": 8}, {"shards": 2, "index": 1}, {"shards": 7, "index": 6},
                      {"shards": 3, "index": 2, "by_record": True}, {"shards": 2, "by_record": True, "interleave": 2},
                      {"skip": 2}, {"skip": 99}, {"take": 5}, {"take": 99}, {"skip": 1, "take": 3, "interleave": 4}, {"repeat": 3},
                      {"repeat": 2, "take": 3}, {"repeat": 2, "skip": 3, "drop_remainder": True}, {"drop_remainder": True},
                      {"shards": 2, "index": 1, "by_record": True, "skip": 1, "take": 3, "repeat": 2, "interleave": 2}):
            cases.append({"counts": counts, "batch": 4, **extra})
    # Without end, a pass without records is the last.
    cases.append({"counts": [0, 0], "batch": 4, "repeat": -1})
    cases.append({"counts": [3], "batch": 4, "repeat": -1, "skip": 3})
    with tempfile.TemporaryDirectory() as folder, open(args.out, "w") as out:
        for i, case in enumerate(cases):
            sub = os.path.join(folder, str(i))
            os.mkdir(sub)
            ds = records(write(sub, case["counts"]), case).batch(case["batch"], drop_remainder=case.get("drop_remainder", False))
            case["rows"] = [[r.decode() for r in b] for b in ds.as_numpy_iterator()]
            out.write(json.dumps(case, separators=(",", ":")) + "\n")
        for i, (counts, buffer) in enumerate((([20], 4), ([9, 0, 11], 6), ([12], 100))):
            sub = os.path.join(folder, "s%d" % i)
            os.mkdir(sub)
            case = {"counts": counts, "shuffle": buffer, "repeat": 3}
            got = [r.decode() for r in records(write(sub, counts), case).as_numpy_iterator()]
            plain = [r.decode() for r in records(write(sub, counts), {}).as_numpy_iterator()]
            n = len(plain)
            passes = [got[j:j + n] for j in range(0, len(got), n)]
            case["epochs"] = {
                "passes": len(passes),
                "complete": all(sorted(p) == sorted(plain) for p in passes),
                "reshuffled": len({tuple(p) for p in passes}) == len(passes),
                "within_buffer": all(plain.index(r) < j + buffer for p in passes for j, r in enumerate(p)),
            }
            out.write(json.dumps(case, separators=(",", ":")) + "\n")


main()

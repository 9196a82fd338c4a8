"""NVIDIA DALI reads the indexes that tfparse writes, and the files that they describe; makes read_dali.txt.

    python read_dali.py

DALI's tfrecord reader, on the processor, must give the features of every record of an uncompressed file of Examples as
`tfparse cat` prints them: by our index, whole and in shards, and for a file whose records are in another order than
they were written (`tfparse sort`). It reads by the offsets and sizes of the index, so a wrong line gives other values.
Needs the package nvidia-dali-cuda120 (no GPU), and Go. The exit code is 1 if anything differs.
"""
import json
import os
import platform
import subprocess
import sys
import tempfile

import numpy as np
import nvidia.dali as dali
import nvidia.dali.fn as fn
import nvidia.dali.tfrecord as tfrec
from nvidia.dali import pipeline_def

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))


def tfparse(*args):
    return subprocess.run(["go", "run", "./cmd/tfparse", *args], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


@pipeline_def(batch_size=1, num_threads=1, device_id=None)
def pipeline(data, index, shard, shards):
    inputs = fn.readers.tfrecord(
        path=data, index_path=index, shard_id=shard, num_shards=shards,
        features={"title": tfrec.FixedLenFeature((), tfrec.string, ""),
                  "minutes": tfrec.FixedLenFeature([1], tfrec.int64, 0),
                  "rating": tfrec.VarLenFeature([], tfrec.float32, 0.0),
                  "steps/lengths": tfrec.VarLenFeature([], tfrec.int64, 0)})
    return inputs["title"], inputs["minutes"], inputs["rating"], inputs["steps/lengths"]


def theirs(data, index, n, shards):
    """The records as DALI reads them, shard after shard: shard i begins at record n*i/shards."""
    out = []
    for shard in range(shards):
        p = pipeline(data, index, shard, shards)
        p.build()
        for _ in range(n * (shard + 1) // shards - n * shard // shards):
            title, minutes, rating, lengths = (np.ravel(t.as_array()[0]) for t in p.run())
            out.append((title.astype(np.uint8).tobytes().decode(), minutes.tolist(), [round(x, 4) for x in rating.tolist()], lengths.tolist()))
    return out


def ours(data):  # DALI gives the default for a feature without values
    out = []
    for line in tfparse("cat", data).splitlines():
        r = json.loads(line)
        out.append((r["title"][0], r["minutes"], [round(x, 4) for x in r.get("rating", []) or [0.0]], r["steps/lengths"]))
    return out


def main():
    lines = ["Indexes that tfparse writes, read by NVIDIA DALI; made by testdata/make/read_dali.py",
             "nvidia-dali %s, python %s, %s" % (dali.__version__, platform.python_version(), platform.system().lower())]
    bad = 0
    with tempfile.TemporaryDirectory() as tmp:
        by_title = os.path.join(tmp, "by-title.tfrecord")
        tfparse("sort", "--by", "title", "-o", by_title, "testdata/recipes.tfrecord")
        for name, data in [("recipes.tfrecord", os.path.join(ROOT, "testdata", "recipes.tfrecord")), ("recipes.tfrecord, sorted by title", by_title)]:
            index = os.path.join(tmp, "index")
            with open(index, "wb") as f:
                f.write(tfparse("index", "--dali", "-o", "-", data))
            want = ours(data)
            got = [theirs(data, index, len(want), shards) == want for shards in (1, 3)]
            bad += not all(got)
            lines.append("%s: %d records: %s" % (name, len(want), "the same features, whole and in three shards" if all(got) else "DIFFERS: %s" % got))
    text = "\n".join(lines) + "\n"
    with open(os.path.join(HERE, "read_dali.txt"), "w") as f:
        f.write(text)
    print(text, end="")
    return 1 if bad else 0


sys.exit(main())

"""The PyPI package tfrecord reads the indexes that tfparse writes, and the files that they describe; makes read_index.txt.

    python read_index.py

For every uncompressed sample file: the lines of its own tfrecord2idx and those of `tfparse index --dali` must be
the same bytes, and its reader must give the same records by our index, whole and in shards, as ours gives.
Needs the package tfrecord, and Go. The exit code is 1 if anything differs.
"""
import base64
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import tempfile

from tfrecord.reader import tfrecord_iterator
from tfrecord.tools.tfrecord2idx import create_index

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
FILES = ["recipes.tfrecord", "ranking.tfrecord"]


def tfparse(*args):
    return subprocess.run(["go", "run", "./cmd/tfparse", *args], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


def main():
    lines = ["Indexes that tfparse writes, read by the package tfrecord; made by testdata/make/read_index.py",
             "tfrecord %s, python %s, %s" % (importlib.metadata.version("tfrecord"), platform.python_version(), platform.system().lower())]
    bad = 0
    with tempfile.TemporaryDirectory() as tmp:
        for name in FILES:
            data = os.path.join(ROOT, "testdata", name)
            theirs, ours = os.path.join(tmp, "theirs"), os.path.join(tmp, "ours")
            create_index(data, theirs)
            with open(ours, "wb") as f:
                f.write(tfparse("index", "--dali", "-o", "-", data))
            same = open(theirs, "rb").read() == open(ours, "rb").read()
            want = [base64.b64decode(json.loads(l)["b64"]) for l in tfparse("cat", "--type", "raw", data).splitlines()]
            shards = []
            for i in range(3):
                shards += [bytes(r) for r in tfrecord_iterator(data, ours, shard=(i, 3))]
            last = tfparse("get", "--index", theirs, "--type", "raw", data + "#-1")
            by_theirs = base64.b64decode(json.loads(last)["b64"]) == want[-1]
            ok = same and shards == want and by_theirs
            bad += not ok
            lines.append("%s: %d records: %s" % (name, len(want), "the same lines, the same records in three shards, and tfparse get reads by its index" if ok else
                         "DIFFERS: lines %s, shards %s, get %s" % (same, shards == want, by_theirs)))
    text = "\n".join(lines) + "\n"
    with open(os.path.join(HERE, "read_index.txt"), "w") as f:
        f.write(text)
    print(text, end="")
    return 1 if bad else 0


sys.exit(main())

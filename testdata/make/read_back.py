"""TensorFlow reads back what tfparse writes; makes read_back.txt.

    TF_CPP_MIN_LOG_LEVEL=3 python read_back.py

TensorFlow writes payloads of awkward sizes, `tfparse convert` rewrites them in every codec and level, tfrecord.Writer once
more with a flush after every second record, and tf.data.TFRecordDataset must give the same payloads, with its
default buffer and with none. zstd comes last: TensorFlow cannot read it, and says so in its own ways.
Needs tensorflow and Go. The exit code is 1 if anything differs.
"""
import hashlib
import os
import platform
import random
import re
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
BLOCK = 262144                   # TensorFlow's snappy reader takes no bigger block, and its buffers have this size
WORDS = [b"flour ", b"milk ", b"egg ", b"salt ", b"whisk ", b"rest ", b"fry ", b"serve "]

# TensorFlow's name of each codec, and the levels to write; "" is the default one.
LEVELS = [""] + [str(n) for n in range(1, 10)]
CODECS = [("none", "", [""]), ("gzip", "GZIP", LEVELS), ("zlib", "ZLIB", LEVELS), ("snappy", "SNAPPY", [""])]


def noise(n, seed):
    return random.Random(seed).randbytes(n)


def prose(n, seed):
    r = random.Random(seed)
    return b"".join(r.choice(WORDS) for _ in range(n // 4 + 1))[:n]


def sets():
    """(name, payloads): every size alone, compressible and not; then many records together."""
    yield "no records", []
    for n in [0, 1, 11, 12, 13] + list(range(BLOCK - 16, BLOCK + 2)) + [2 * BLOCK - 16, 2 * BLOCK, 700000]:
        yield "one of %d bytes, noise" % n, [noise(n, n)]
        yield "one of %d bytes, prose" % n, [prose(n, n)]
    yield "10 empty", [b""] * 10
    yield "1000 small", [prose(i % 97, i) for i in range(1000)]
    yield "1000 small, noise", [noise(i % 97, i) for i in range(1000)]
    yield "small between large", [x for i in range(3) for x in (prose(5, i), noise(BLOCK - 12 + i, i), b"", prose(300000, i))]
    yield "zeros", [bytes(3000000), b"", bytes(1)]


def run(*args, stdin=None):
    return subprocess.run(args, cwd=ROOT, stdin=stdin, check=True, capture_output=True).stdout


def read(path, codec, buffer_size=None):
    return [r.numpy() for r in tf.data.TFRecordDataset(path, codec, buffer_size)]


def digest(path):
    return hashlib.sha256(open(path, "rb").read()).hexdigest()


class Report:
    def __init__(self):
        self.lines, self.bad = [], 0

    def add(self, line):
        self.lines.append(line.rstrip())
        print(line.rstrip(), flush=True)

    def check(self, what, path, codec, want):
        """Adds a line: what came back, or how it differs."""
        for buffer_size in (None, 0):
            try:
                got = read(path, codec, buffer_size)
                outcome = "equal" if got == want else "DIFFERENT: %d records" % len(got)
            except tf.errors.OpError as e:
                outcome = "REFUSED: " + first_line(e)
            if outcome != "equal":
                break
        self.bad += outcome != "equal"
        return outcome


def first_line(e):
    """What TensorFlow said, without the name of the file."""
    said = re.sub(r"\{\{function_node .*?\}\} *", "", e.message).split("\n")[0].split(" [Op:")[0]
    return re.sub(r"\S*/\S*", "FILE", said)


def versions():
    mods = run("go", "list", "-m", "github.com/klauspost/compress", "github.com/golang/snappy").decode().split("\n")
    go = run("go", "env", "GOVERSION").decode().strip()
    return ["tensorflow %s, python %s, %s" % (tf.__version__, platform.python_version(), platform.system().lower()),
            ", ".join([go] + [m.rsplit("/", 1)[-1] for m in mods if m])]


def main():
    rep = Report()
    rep.add("What tfparse writes, read by TensorFlow's TFRecordDataset; made by testdata/make/read_back.py")
    for v in versions():
        rep.add(v)
    with tempfile.TemporaryDirectory() as tmp:
        exe, flush = os.path.join(tmp, "tfparse.exe"), os.path.join(tmp, "flush.exe")
        run("go", "build", "-o", exe, "./cmd/tfparse")
        run("go", "build", "-o", flush, os.path.join(HERE, "flush.go"))
        inputs = []
        for i, (name, payloads) in enumerate(sets()):
            path = os.path.join(tmp, "in%d" % i)
            with tf.io.TFRecordWriter(path) as w:
                for p in payloads:
                    w.write(p)
            inputs.append((name, path, payloads))
        total = sum(map(len, (p for _, _, p in inputs)))
        rep.add("%d sets of payloads, %d records, %d bytes" % (len(inputs), total, sum(len(x) for _, _, p in inputs for x in p)))

        rep.add("")
        rep.add("tfparse convert, each set to a file of its own:")
        rep.add("%-8s %-7s %5s %8s %10s  %s" % ("codec", "level", "files", "records", "bytes", "payloads"))
        out, again = os.path.join(tmp, "out"), os.path.join(tmp, "again")
        for codec, name, levels in CODECS:
            for level in levels:
                outcomes, size = [], 0
                for what, path, payloads in inputs:
                    args = [exe, "convert", path, "-o", out, "--compression", codec] + (["--level", level] if level else [])
                    run(*args)
                    outcome = rep.check(what, out, name, payloads)
                    if codec == "none" and digest(out) != digest(path):
                        outcome = "NOT TENSORFLOW'S BYTES"
                        rep.bad += 1
                    run(*[again if a == out else a for a in args])
                    if digest(out) != digest(again):
                        outcome = "NOT THE SAME BYTES TWICE"
                        rep.bad += 1
                    size += os.path.getsize(out)
                    outcomes.append((outcome, what))
                wrong = ["%s: %s" % (w, o) for o, w in outcomes if o != "equal"]
                rep.add("%-8s %-7s %5d %8d %10d  %s" % (codec, level or "default", len(inputs), total, size, "; ".join(wrong) or "equal"))

        rep.add("")
        rep.add("tfrecord.Writer with a Flush after every second record:")
        rep.add("%-8s %-7s %5s %8s %10s  %s" % ("codec", "level", "files", "records", "bytes", "payloads"))
        for codec, name, levels in CODECS:
            for level in levels[::9]:
                wrong, size = [], 0
                for what, path, payloads in inputs:
                    with open(path, "rb") as f, open(out, "wb") as g:
                        g.write(run(flush, "-compression", codec, "-level", level or "0", "-every", "2", stdin=f))
                    outcome = rep.check(what, out, name, payloads)
                    size += os.path.getsize(out)
                    if outcome != "equal":
                        wrong.append("%s: %s" % (what, outcome))
                rep.add("%-8s %-7s %5d %8d %10d  %s" % (codec, level or "default", len(inputs), total, size, "; ".join(wrong) or "equal"))

        rep.add("")
        rep.add("tfparse encode of ../recipes.jsonl, then TensorFlow's own messages:")
        for codec, name, _ in CODECS:
            run(exe, "encode", "testdata/recipes.jsonl", "-o", out, "--compression", codec)
            want = [tf.train.Example.FromString(r) for r in read(os.path.join(HERE, "..", "recipes.tfrecord"), "")]
            got = [tf.train.Example.FromString(r) for r in read(out, name)]
            rep.bad += got != want
            rep.add("%-8s %d records, %s" % (codec, len(got), "equal messages" if got == want else "DIFFERENT MESSAGES"))

        rep.add("")
        rep.add("zstd is for our own reader. TensorFlow has no such codec; it says:")
        name, path, payloads = next(x for x in inputs if x[0] == "1000 small")
        run(exe, "convert", path, "-o", out, "--compression", "zstd")
        for codec in ("", "GZIP", "ZLIB", "SNAPPY", "ZSTD"):
            try:
                rep.add("%-8s %d records" % (repr(codec), len(read(out, codec))))
                rep.bad += 1
            except tf.errors.OpError as e:
                rep.add("%-8s %s: %s" % (repr(codec), type(e).__name__, first_line(e)))
        run(exe, "convert", out, "-o", again, "--compression", "none")
        rep.bad += digest(again) != digest(path)
        rep.add("tfparse  %s" % ("the same bytes as before" if digest(again) == digest(path) else "OTHER BYTES"))
    rep.add("")
    rep.add("all equal" if not rep.bad else "%d DIFFERENCES" % rep.bad)
    with open(os.path.join(HERE, "read_back.txt"), "w") as f:
        f.write("\n".join(rep.lines) + "\n")
    return 1 if rep.bad else 0


if __name__ == "__main__":
    sys.exit(main())

"""What `tfparse digest` prints, computed by TensorFlow's messages and hashlib; makes digest.txt.

    TF_CPP_MIN_LOG_LEVEL=3 python digest.py [TFPARSE] > digest.txt

TFPARSE is the command; without it Go builds one. TensorFlow reads each file and decodes its records. From what they hold, and
from nothing else, `canonical` writes the deterministic encoding. The hashes must be those that the command prints. Then
TensorFlow writes the same records anew: features in another order, lists not packed, other codecs, shards. The hash must stay,
and change with one value. The exit code is 1 if anything differs.
"""
import glob
import hashlib
import os
import platform
import random
import struct
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))


# ---- the one form of a record ----------------------------------------------------------------------------------------

def varint(n):
    out = bytearray()
    n &= 0xFFFFFFFFFFFFFFFF
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def field(number, body):
    return varint(number << 3 | 2) + varint(len(body)) + body


def feature(f):
    kind = f.WhichOneof("kind")
    if kind is None:
        return b""
    if kind == "bytes_list":
        return field(1, b"".join(field(1, v) for v in f.bytes_list.value))
    if kind == "float_list":
        body = b"".join(struct.pack("<f", v) for v in f.float_list.value)
        return field(2, field(1, body) if body else b"")
    body = b"".join(varint(v) for v in f.int64_list.value)
    return field(3, field(1, body) if body else b"")


def entries(m, number, value):
    """A map, as a field of the message that it is in; nothing if it is empty."""
    by_bytes = sorted(m, key=lambda name: name.encode())
    body = b"".join(field(1, field(1, name.encode()) + field(2, value(m[name]))) for name in by_bytes)
    return field(number, body) if body else b""


def example(e):
    return entries(e.features.feature, 1, feature)


def sequence(s):
    steps = lambda l: b"".join(field(1, feature(f)) for f in l.feature)
    return entries(s.context.feature, 1, feature) + entries(s.feature_lists.feature_list, 2, steps)


def fields(b):
    """(number, body) of a message that has fields with a length only, as ExampleListWithContext; TensorFlow has no class for it."""
    i = 0
    while i < len(b):
        numbers = []
        for _ in range(2):
            n, shift = 0, 0
            while b[i] >= 0x80:
                n |= (b[i] & 0x7F) << shift
                i, shift = i + 1, shift + 7
            numbers.append(n | b[i] << shift)
            i += 1
        tag, size = numbers
        assert tag & 7 == 2
        yield tag >> 3, b[i:i + size]
        i += size


def elwc(record):
    inner = [(n, example(tf.train.Example.FromString(body))) for n, body in fields(record)]
    return b"".join(field(1, b) for n, b in inner if n == 1) + b"".join(field(2, b) for n, b in inner if n == 2)


FORMS = {
    "example": lambda r: example(tf.train.Example.FromString(r)),
    "sequence": lambda r: sequence(tf.train.SequenceExample.FromString(r)),
    "elwc": elwc,
    "raw": lambda r: r,
}


# ---- the hashes ------------------------------------------------------------------------------------------------------

def digests(records, kind):
    hashes = [hashlib.sha256(FORMS[kind](r)).digest() for r in records]
    name = "tfparse1-raw" if kind == "raw" else "tfparse1"
    ordered = hashlib.sha256(name.encode() + b"\n" + b"".join(hashes)).hexdigest()
    total = sum(int.from_bytes(h, "big") for h in hashes) % 2**256
    counted = struct.pack(">Q", len(hashes)) + total.to_bytes(32, "big")
    unordered = hashlib.sha256(name.encode() + b"-unordered\n" + counted).hexdigest()
    return "%s:%s" % (name, ordered), "%s-unordered:%s" % (name, unordered)


def of_command(command, files, kind):
    run = lambda *flags: subprocess.run([command, "digest", "--type", kind, *flags, *files], check=True, capture_output=True, text=True).stdout.strip()
    return run(), run("--unordered")


# ---- other files with the same content -------------------------------------------------------------------------------

def rewritten(r, record):
    """The Example with its features in another order, and every second list of numbers not packed."""
    features = list(tf.train.Example.FromString(record).features.feature.items())
    r.shuffle(features)
    body = b""
    for i, (name, f) in enumerate(features):
        value = feature(f)
        if i % 2 and f.WhichOneof("kind") == "int64_list":
            value = field(3, b"".join(b"\x08" + varint(v) for v in f.int64_list.value))
        if i % 2 and f.WhichOneof("kind") == "float_list":
            value = field(2, b"".join(b"\x0d" + struct.pack("<f", v) for v in f.float_list.value))
        body += field(1, field(1, name.encode()) + field(2, value))
    out = field(1, body)
    assert tf.train.Example.FromString(out) == tf.train.Example.FromString(record)
    return out


def write(name, records, codec=""):
    with tf.io.TFRecordWriter(name, options=tf.io.TFRecordOptions(compression_type=codec)) as w:
        for record in records:
            w.write(record)
    return name


def read(name):
    with open(name, "rb") as f:
        codec = "GZIP" if f.read(2) == b"\x1f\x8b" else ""
    return [t.numpy() for t in tf.data.TFRecordDataset(name, compression_type=codec)]


def main(command, folder):
    bad = 0

    def check(what, want, got):
        nonlocal bad
        same = want == got
        bad += not same
        print("  %-58s %s" % (what, "equal" if same else "DIFFERENT: want %s, got %s" % (want, got)))

    print("What tfparse digest prints, computed by TensorFlow's messages and hashlib; made by testdata/make/digest.py")
    print("tensorflow %s, python %s, %s" % (tf.__version__, platform.python_version(), sys.platform))
    kinds = {"recipes": "example", "sessions": "sequence", "ranking": "elwc"}
    for path in sorted(glob.glob(os.path.join(ROOT, "testdata", "*.tfrecord"))):
        name = os.path.basename(path)[:-len(".tfrecord")]
        records = read(path)
        print("\n%s: %d records" % (os.path.basename(path), len(records)))
        for kind in (kinds[name], "raw"):
            want = digests(records, kind)
            print("  " + want[0] + "\n  " + want[1])
            check("tfparse digest --type " + kind, want, of_command(command, [path], kind))
    records = read(os.path.join(ROOT, "testdata", "recipes.tfrecord"))
    want = digests(records, "example")
    print("\nrecipes.tfrecord, written by TensorFlow in other ways:")
    r = random.Random(17)
    out = lambda name: os.path.join(folder, name)
    check("features in another order, lists not packed", want, of_command(command, [write(out("order"), [rewritten(r, x) for x in records])], "example"))
    for codec in "GZIP", "ZLIB":
        check(codec, want, of_command(command, [write(out(codec), records, codec)], "example"))
    shards = [write(out("a-%05d-of-00003" % i), records[4 * i:4 * i + 4]) for i in range(3)]
    check("three shards", want, of_command(command, shards, "example"))
    backwards = of_command(command, [write(out("backwards"), records[::-1])], "example")
    check("backwards: --unordered is the same", want[1], backwards[1])
    check("backwards: the ordered hash is not", True, want[0] != backwards[0])
    changed = tf.train.Example.FromString(records[5])
    changed.features.feature["minutes"].int64_list.value[0] += 1
    other = of_command(command, [write(out("changed"), records[:5] + [changed.SerializeToString()] + records[6:])], "example")
    check("one value changed: neither is the same", True, other[0] != want[0] and other[1] != want[1])
    print("\n%s" % ("all equal" if not bad else "%d DIFFER" % bad))
    return bad


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        tfparse = sys.argv[1] if len(sys.argv) > 1 else os.path.join(folder, "tfparse")
        if len(sys.argv) < 2:
            subprocess.run(["go", "build", "-o", tfparse, "./cmd/tfparse"], cwd=ROOT, check=True)
        sys.exit(1 if main(tfparse, folder) else 0)

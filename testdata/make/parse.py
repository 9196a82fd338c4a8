"""Makes ../vectors/parse/*.jsonl: what TensorFlow does with specs and bytes, and where we differ on purpose.

    TF_CPP_MIN_LOG_LEVEL=3 python parse.py --seed 1 [--out ../vectors/parse] [wire fixed ...]

Four parts: bytes (build any wire form), TensorFlow (Spec JSON -> call -> VALUE), dialect (a slow, obvious model of what
we ask of ourselves: ../../example/DIALECT.md), themes (the cases, one function per file). A case records what
TensorFlow did; where the model does otherwise the case gets `ours`, and the model must be able to say why. Where neither
explains the other, this program stops: then the model or the rules are wrong.
"""
import argparse
import base64
import itertools
import json
import math
import os
import random
import re
import select
import struct
import subprocess
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
import numpy as np
import tensorflow as tf

import values

# ---------------------------------------------------------------------------------------------------------- bytes

BYTES, FLOAT, INT = 1, 2, 3                      # field numbers of the kinds in a Feature
DTYPE = {BYTES: "string", FLOAT: "float32", INT: "int64"}
KIND = {v: k for k, v in DTYPE.items()}


def varint(n, pad=0):
    """n as a varint (two's complement when negative), with pad extra bytes that carry nothing."""
    n &= (1 << 64) - 1
    out = bytearray()
    while n >= 128:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    if pad:
        out[-1] |= 128
        out += b"\x80" * (pad - 1) + b"\x00"
    return bytes(out)


def tag(field, wire, pad=0):
    return varint(field << 3 | wire, pad)


def ld(field, body, length=None, pad=0):
    """A length-delimited field; length lies when given."""
    return tag(field, 2, pad) + varint(len(body) if length is None else length) + body


def f32(v):
    return v if isinstance(v, bytes) else struct.pack("<f", v)


def list_body(kind, vals, form="packed"):
    """The body of a BytesList, FloatList or Int64List: packed, unpacked, or split into chunks of both."""
    if kind == BYTES:
        return b"".join(ld(1, v) for v in vals)
    one = f32 if kind == FLOAT else varint
    if form == "packed":
        return ld(1, b"".join(map(one, vals))) if vals else b""
    return b"".join(tag(1, 5 if kind == FLOAT else 0) + one(v) for v in vals)


def feature(kind, vals, form="packed"):
    return ld(kind, list_body(kind, vals, form))


def I(*v, form="packed"):
    return feature(INT, v, form)


def F(*v, form="packed"):
    return feature(FLOAT, v, form)


def B(*v):
    return feature(BYTES, [x if isinstance(x, bytes) else x.encode() for x in v])


NO_KIND = b""


def entry(key, value):
    return ld(1, key if isinstance(key, bytes) else key.encode()) + ld(2, value)


def entries(pairs):
    return b"".join(ld(1, entry(k, v)) for k, v in (pairs.items() if isinstance(pairs, dict) else pairs))


def example(pairs=()):
    return ld(1, entries(pairs))


def feature_list(steps):
    return b"".join(ld(1, f) for f in steps)


def sequence_example(context=(), lists=()):
    """lists: key -> list of steps, each the bytes of a Feature."""
    pairs = lists.items() if isinstance(lists, dict) else lists
    return (ld(1, entries(context)) if context else b"") + (ld(2, entries([(k, feature_list(v)) for k, v in pairs])) if lists else b"")


def b64(b):
    return base64.b64encode(b).decode()


# ----------------------------------------------------------------------------------------------------- TensorFlow

PARTITIONS = {"row_splits": tf.io.RaggedFeature.RowSplits, "row_lengths": tf.io.RaggedFeature.RowLengths,
              "row_starts": tf.io.RaggedFeature.RowStarts, "row_limits": tf.io.RaggedFeature.RowLimits,
              "value_row_ids": tf.io.RaggedFeature.ValueRowIds, "uniform_row_length": tf.io.RaggedFeature.UniformRowLength}


def literal(v, dtype):
    """A default in Spec JSON -> a Python value. Bytes are a JSON string, or {"b64": ...}."""
    if isinstance(v, list):
        return [literal(x, dtype) for x in v]
    if isinstance(v, dict):
        return base64.b64decode(v["b64"])
    if dtype == "string" and isinstance(v, str):
        return v.encode()
    return float(v) if dtype == "float32" and isinstance(v, str) else v


def tf_spec(spec, validate, sequence=False):
    (kind, a), = spec.items()
    dtype = tf.as_dtype(a["dtype"]) if a.get("dtype") else None
    default = literal(a["default"], a["dtype"]) if "default" in a else None
    if kind == "fixed_len":
        return tf.io.FixedLenFeature(a.get("shape"), dtype, default)
    if kind == "fixed_len_sequence":
        return tf.io.FixedLenSequenceFeature(a.get("shape"), dtype, a.get("allow_missing", not sequence), default)
    if kind == "var_len":
        return tf.io.VarLenFeature(dtype)
    if kind == "sparse":
        return tf.io.SparseFeature(a["index_key"], a["value_key"], dtype, a["size"], a.get("already_sorted", False))
    parts = [PARTITIONS[k](v) for p in a.get("partitions", []) for k, v in p.items()]
    return tf.io.RaggedFeature(dtype, a.get("value_key"), parts, row_splits_dtype=tf.int64, validate=validate)


def column(x):
    if isinstance(x, tf.Tensor) and x.dtype == tf.string and x.shape.rank == 0:  # numpy() is then bytes, not an array
        return {"dense": dict(values.dense(tf.reshape(x, [1])), shape=[])}
    return values.encode(x)


def call(c, validate=True):
    """Runs one case through TensorFlow; what it returns is the case's `expect`."""
    recs = [base64.b64decode(r) for r in c["records"]]
    group = lambda name, seq=False: {k: tf_spec(v, validate, seq) for k, v in c["spec"].get(name, {}).items()}
    cols = lambda d: {k: column(d[k]) for k in sorted(d)}
    batch = tf.constant(recs, tf.string, shape=[len(recs)])
    if c["call"] == "parse_example":
        return {"columns": cols(tf.io.parse_example(batch, group("features")))}
    if c["call"] == "parse_single_example":
        return {"columns": cols(tf.io.parse_single_example(recs[0], group("features")))}
    ctx, seq = group("context"), group("sequence", True)
    if c["call"] == "parse_sequence_example":
        x, s, n = tf.io.parse_sequence_example(batch, ctx or None, seq or None)
        return {"context": cols(x), "sequence": cols(s), "lengths": cols(n)}
    x, s = tf.io.parse_single_sequence_example(recs[0], ctx or None, seq or None)
    return {"context": cols(x), "sequence": cols(s)}


def outcome(c, validate=True):
    try:
        return {"expect": call(c, validate)}
    except Exception as e:  # TensorFlow raises many kinds; all of them mean "refused"
        text = " ".join((str(e) or type(e).__name__).encode("ascii", "replace").decode().split())
        text = re.sub(r"^\{\{function_node .*?\}\} | \[Op:\w*\].*$", "", text)
        return {"error": {"message": text[:300], "phase": "parse"}}


class Worker:
    """outcome() in a process of its own, since some bytes take TensorFlow down. A dead worker is replaced."""

    def __init__(self):
        self.p = None

    def __call__(self, c, validate=True, seconds=60):
        if self.p is None:
            self.p = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.p.stdin.write(json.dumps([c, validate]).encode() + b"\n")
        self.p.stdin.flush()
        if select.select([self.p.stdout], [], [], seconds)[0]:
            line = self.p.stdout.readline()
            if line:
                return json.loads(line)
        else:
            self.p.kill()
        return {"error": {"message": "the process " + self.stop(), "phase": "parse"}}

    def stop(self):
        self.p.stdin.close()
        code, self.p = self.p.wait(), None
        return "hung" if code == -9 else "died: signal %d" % -code if code < 0 else "died: exit %d" % code


isolated = Worker()


def serve():
    for line in sys.stdin:
        print(json.dumps(outcome(*json.loads(line))), flush=True)


# -------------------------------------------------------------------------------------------------------- dialect
#
# What our three rules ask for. decode_* is a conforming protobuf decoder that refuses whatever would have to
# be clamped, cut or wrapped; first_list is TensorFlow's reading of one Feature; where both give a value and the values
# differ the record is refused.


class Reject(Exception):
    pass


class BadSpec(Exception):
    pass


def read_varint(b, i, end):
    v = 0
    for n in range(10):
        if i >= end:
            raise Reject("cut inside a varint")
        x = b[i]
        i += 1
        v |= (x & 127) << 7 * n
        if x < 128:
            if v >> 64:
                raise Reject("varint of more than 64 bits: the surplus would be dropped")
            return v, i
    raise Reject("varint longer than 10 bytes")


def fields(b):
    """Yields (number, wire type, value or body, padded tag, offset after) of every field; refuses what is not sound."""
    i, end = 0, len(b)
    while i < end:
        at = i
        t, i = read_varint(b, i, end)
        padded = i - at > len(varint(t))
        num, wire = t >> 3, t & 7
        if not 0 < num < 1 << 29:
            raise Reject("illegal field number %d" % num)
        if wire == 0:
            v, i = read_varint(b, i, end)
        elif wire == 2:
            n, i = read_varint(b, i, end)
            if n > end - i:
                raise Reject("length overruns its message")
            v, i = b[i:i + n], i + n
        elif wire in (1, 5):
            n = 8 if wire == 1 else 4
            if n > end - i:
                raise Reject("fixed-size field is cut")
            v, i = b[i:i + n], i + n
        elif wire == 3:
            v, i = None, skip_group(b, i, end, num)
        else:
            raise Reject("illegal wire type %d" % wire)
        yield num, wire, v, padded, i


def skip_group(b, i, end, num):
    while True:
        t, i = read_varint(b, i, end)
        n, wire = t >> 3, t & 7
        if not 0 < n < 1 << 29:
            raise Reject("illegal field number %d" % n)
        if wire == 4:
            if n != num:
                raise Reject("unbalanced group")
            return i
        if wire == 3:
            i = skip_group(b, i, end, n)
            continue
        if wire == 0:
            _, i = read_varint(b, i, end)
            continue
        if wire == 2:
            size, i = read_varint(b, i, end)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
        else:
            raise Reject("illegal wire type %d" % wire)
        if size > end - i:
            raise Reject("length overruns its message")
        i += size


def decode_list(kind, body, lenient):
    """(values, something was dropped) as a conforming decoder reads them."""
    out, dropped = [], False
    for num, wire, v, _, _ in fields(body):
        if num != 1:
            continue
        if kind == BYTES and wire == 2:
            out.append(v)
        elif kind == FLOAT and wire == 2:
            if len(v) % 4:
                raise Reject("packed floats of %d bytes: the tail would be dropped" % len(v))
            out += [v[i:i + 4] for i in range(0, len(v), 4)]
        elif kind == FLOAT and wire == 5:
            out.append(v)
        elif kind == INT and wire == 2:
            i = 0
            while i < len(v):
                x, i = read_varint(v, i, len(v))
                out.append(x - (1 << 64) if x >> 63 else x)
        elif kind == INT and wire == 0:
            out.append(v - (1 << 64) if v >> 63 else v)
        else:
            dropped = True
    return out, dropped


def decode_feature(b, lenient):
    """(None or (kind, values), something was dropped)."""
    got, dropped = None, False
    for num, wire, v, _, _ in fields(b):
        if num not in DTYPE:
            continue
        if wire != 2:
            dropped = True
            continue
        vals, d = decode_list(num, v, lenient)
        dropped |= d or bool(got and got[0] != num)
        got = (num, (got[1] if got and got[0] == num else []) + vals)
    return got, dropped


def first_list(b):
    """TensorFlow's Example parser on one sound Feature: ("bad" | None | (kind, values), bytes it did not look at)."""
    if not b:
        return None, b""
    if b[0] not in (0x0A, 0x12, 0x1A):
        return "bad", b""
    kind = b[0] >> 3
    n, i = read_varint(b, 1, len(b))
    body, rest = b[i:i + n], b[i + n:]
    if not body:
        return (kind, []), rest
    out = []
    if kind != BYTES and body[0] == 0x0A:
        n, i = read_varint(body, 1, len(body))
        return (kind, decode_list(kind, ld(1, body[i:i + n]), set())[0]), body[i + n:] + rest
    want = {BYTES: 0x0A, FLOAT: 0x0D, INT: 0x08}[kind]
    i = 0
    for _, _, _, _, j in fields(body):
        if body[i] != want:
            return "bad", b""
        i = j
    return (kind, decode_list(kind, body, set())[0]), rest


def resolve(b, lenient, step=False):
    """The Feature's kind and values by the three lines of the dialect."""
    ours, dropped = decode_feature(b, lenient)
    theirs, rest = first_list(b)
    if theirs == "bad":
        if dropped:
            raise Reject("a known field of the wrong wire type, or a second kind: a value would be dropped")
        lenient.add("unknown fields, padded tags and mixed packing inside a Feature lose nothing")
        return ours
    if theirs != ours:
        raise Reject("ambiguous: several kinds, lists or chunks in one Feature, and decoders disagree")
    if step and rest:
        if rest[0] == 0x0A:
            raise Reject("ambiguous: TensorFlow may read what follows the first list of a frame as another frame")
        if dropped:
            raise Reject("a known field of the wrong wire type, or a second kind: a value would be dropped")
        lenient.add("unknown fields after the list of a frame lose nothing")
    return ours


def decode_entries(b, strict, lenient, out):
    """A Features or FeatureLists message; strict says that TensorFlow insists on key, then value."""
    for num, wire, e, padded, _ in fields(b):
        if num != 1:
            lenient.add("unknown field inside Features")
            continue
        if wire != 2:
            raise Reject("a known field of the wrong wire type: a value would be dropped")
        if padded:
            lenient.add("padded tag inside Features")
        keys, vals, order = [], [], []
        for n, w, v, pad, _ in fields(e):
            if n not in (1, 2):
                lenient.add("unknown field in a map entry")
                continue
            if w != 2:
                raise Reject("a known field of the wrong wire type: a value would be dropped")
            if strict and pad:
                lenient.add("padded tag in a map entry")
            (keys if n == 1 else vals).append(v)
            order.append(n)
        if len(keys) > 1 or len(vals) > 1:
            raise Reject("a map entry repeats its key or its value")
        if not keys or not vals:
            raise Reject("a map entry without its key or its value: no writer makes one, one damaged tag does")
        if strict and order == [2, 1]:
            lenient.add("value before key in a SequenceExample")
        out.setdefault(keys[0] if keys else b"", []).append(vals[0] if vals else b"")


def decode_record(b, sequence, lenient):
    """Two maps key -> occurrences, in wire order: features (or context), feature lists."""
    maps = {}, {}
    for num, wire, v, padded, _ in fields(b):
        if wire == 3:
            lenient.add("groups are unknown fields")
        if wire == 2 and num <= 1 + sequence:
            if padded:
                raise Reject("ambiguous: TensorFlow loses a top-level field whose tag is padded")
            decode_entries(v, sequence, lenient, maps[num - 1])
    return maps


class Record:
    """One record as the specs see it."""

    def __init__(self, b, sequence, lenient):
        self.sequence, self.lenient = sequence, lenient
        self.features, self.lists = decode_record(b, sequence, lenient)
        self.names = None

    def feature(self, key, dtype):
        """None when absent, (False, []) when it has no kind, else (True, values)."""
        seen = self.features.get(key.encode())
        if seen is None:
            return None
        for b in seen[:-1]:
            if decode_feature(b, self.lenient)[0] is None and first_list(b)[0] == "bad":
                self.lenient.add("unknown fields inside a Feature lose nothing")
        if not self.sequence and len(seen) > 1:
            if any(b and first_list(b)[0] == "bad" for b in seen[:-1]):
                self.lenient.add("unknown fields inside a Feature that a later one replaces")
            if decode_feature(seen[-1], self.lenient)[0] is None and any(decode_feature(b, self.lenient)[0] for b in seen[:-1]):
                raise Reject("ambiguous: the last of several entries has no kind, and TensorFlow's own parsers disagree about it")
        return self.typed(resolve(seen[-1], self.lenient), key, dtype)

    def typed(self, got, key, dtype):
        if got is None:
            return False, []
        if got[0] != KIND[dtype]:
            raise Reject("%s: want %s, got %s" % (key, dtype, DTYPE[got[0]]))
        return True, got[1]

    def steps(self, key, dtype):
        """None when absent, else the values of each step."""
        seen = self.lists.get(key.encode())
        if seen is None:
            return None
        out = []
        for i, b in enumerate(seen):  # of earlier lists under the key only soundness is asked
            last, out = i == len(seen) - 1, []
            for num, wire, v, padded, _ in fields(b):
                if num != 1:
                    self.lenient.add("unknown field in a FeatureList")
                    continue
                if wire != 2:
                    raise Reject("a known field of the wrong wire type: a value would be dropped")
                if padded:
                    self.lenient.add("padded tag in a FeatureList")
                if last:
                    out.append(self.typed(resolve(v, self.lenient, step=True), key, dtype)[1])
                else:
                    decode_feature(v, self.lenient)
        return out


def wire_uses(spec, key, sequence):
    """(class, wire key, dtype) for every wire key the spec reads."""
    (kind, a), = spec.items()
    if kind in ("fixed_len", "fixed_len_sequence"):
        return [("dense", key, a["dtype"])]
    if kind == "var_len":
        return [("sparse", key, a["dtype"])]
    if kind == "sparse":
        ix = a["index_key"] if isinstance(a["index_key"], list) else [a["index_key"]]
        return [("sparse", k, "int64") for k in ix] + [("sparse", a["value_key"], a["dtype"])]
    parts = [("ragged", v, "int64") for p in a.get("partitions", []) for k, v in p.items() if k != "uniform_row_length"]
    return [("ragged", a.get("value_key") or key, a["dtype"])] + parts


def check_group(group, allowed, sequence=False):
    used = {}
    for key, spec in sorted(group.items()):
        (kind, a), = spec.items()
        if kind not in allowed:
            raise BadSpec("%s: %s is not allowed here" % (key, kind))
        if a.get("dtype") not in KIND:
            raise BadSpec("%s: dtype" % key)
        shape = a.get("shape", [])
        if kind.startswith("fixed_len"):
            if a.get("shape") is None or any(d is None or d < 0 for d in shape):
                raise BadSpec("%s: shape must be given and fully known" % key)
            n, count = math.prod(shape), len(flatten(a["default"])) if "default" in a else None
            if kind == "fixed_len" and count is not None and count != n:
                raise BadSpec("%s: default has %d elements, shape wants %d" % (key, count, n))
            if kind == "fixed_len_sequence":
                if n == 0:
                    raise BadSpec("%s: an element of zero values cannot be counted" % key)
                if not sequence and not a.get("allow_missing", True):
                    raise BadSpec("%s: allow_missing" % key)
                if count is not None and (sequence or count != 1):
                    raise BadSpec("%s: default" % key)
        if kind == "sparse":
            ix, size = a["index_key"], a["size"]
            if not ix or not a["value_key"] or isinstance(ix, list) != isinstance(size, list) or isinstance(ix, list) and len(ix) != len(size):
                raise BadSpec("%s: index_key and size" % key)
        if kind == "ragged":
            if a.get("value_key") == "":
                raise BadSpec("%s: value_key" % key)
            for p in a.get("partitions", []):
                (pk, pv), = p.items()
                if pk == "uniform_row_length" and pv <= 0:
                    raise BadSpec("%s: uniform_row_length must be positive" % key)
        for cls, wire, dtype in wire_uses(spec, key, sequence):
            if used.setdefault(wire, (cls, dtype)) != (cls, dtype):
                raise BadSpec("%s: wire key %s is used as %s and %s" % (key, wire, used[wire], (cls, dtype)))


def check_spec(c):
    s = c["spec"]
    if not any(s.get(g) for g in ("features", "context", "sequence")):
        raise BadSpec("no features")
    check_group(s.get("features", {}), ("fixed_len", "fixed_len_sequence", "var_len", "sparse", "ragged"))
    check_group(s.get("context", {}), ("fixed_len", "var_len", "ragged"))
    check_group(s.get("sequence", {}), ("fixed_len_sequence", "var_len", "ragged"), True)


def flatten(v):
    return [y for x in v for y in flatten(x)] if isinstance(v, list) else [v]


def tensor(dtype, shape, vals):
    """vals: raw wire values (bytes of a float32, int, bytes)."""
    if dtype == "float32":
        vals = [struct.unpack("<f", v)[0] if isinstance(v, bytes) else v for v in vals]
    return {"dtype": dtype, "shape": shape, "values": [values.scalar(v, dtype) for v in vals]}


def default_values(a):
    return [f32(v) if a["dtype"] == "float32" else v for v in flatten(literal(a["default"], a["dtype"]))]


def sums(counts):
    return list(itertools.accumulate(counts, initial=0))


def fixed_len(a, recs, key):
    n, out = math.prod(a["shape"]), []
    for r in recs:
        got = r.feature(key, a["dtype"])
        if got is None or not got[0] and not r.sequence:
            if "default" not in a or n == 0:
                raise Reject("%s is required" % key)
            out += default_values(a)
        elif len(got[1]) != n:
            raise Reject("%s: want %d values, got %d" % (key, n, len(got[1])))
        else:
            out += got[1]
    return {"dense": tensor(a["dtype"], [len(recs)] + a["shape"], out)}


def fixed_len_sequence(a, rows, key):
    """rows: the values of each record, blocks of them to be counted and padded."""
    n = math.prod(a["shape"])
    for v in rows:
        if len(v) % n:
            raise Reject("%s: %d values are not a multiple of %d" % (key, len(v), n))
    longest = max([len(v) for v in rows], default=0)
    pad = default_values(a) if "default" in a else [{"int64": 0, "float32": f32(0), "string": b""}[a["dtype"]]]
    return {"dense": tensor(a["dtype"], [len(rows), longest // n] + a["shape"], [x for v in rows for x in v + pad * (longest - len(v))])}


def var_len(a, rows):
    """rows: one list of values per record."""
    return {"sparse": dict(indices=[[i, j] for i, v in enumerate(rows) for j in range(len(v))], dense_shape=[len(rows), max(map(len, rows), default=0)],
                           dtype=a["dtype"], values=tensor(a["dtype"], None, [x for v in rows for x in v])["values"])}


def sparse(a, recs):
    ixs = a["index_key"] if isinstance(a["index_key"], list) else [a["index_key"]]
    size = a["size"] if isinstance(a["size"], list) else [a["size"]]
    all_rows = []
    for i, r in enumerate(recs):
        cols = [(r.feature(k, "int64") or (0, []))[1] for k in ixs]
        vals = (r.feature(a["value_key"], a["dtype"]) or (0, []))[1]
        if any(len(c) != len(vals) for c in cols):
            raise Reject("a record has %s indices and %d values: they must agree per record" % ([len(c) for c in cols], len(vals)))
        for *ix, v in zip(*cols, vals):
            if any(not 0 <= x < s for x, s in zip(ix, size)):
                raise Reject("index %s outside %s" % (ix, size))
            all_rows.append(([i] + ix, v))
    if not a.get("already_sorted"):
        all_rows.sort(key=lambda p: p[0])
    return {"sparse": dict(indices=[p[0] for p in all_rows], dense_shape=[len(recs)] + size, dtype=a["dtype"],
                           values=tensor(a["dtype"], None, [p[1] for p in all_rows])["values"])}


def row_lengths(kind, p, items):
    """The lengths of the rows that one record's partition data makes over its items; refuses data that do not add up."""
    def ascending(v):
        if any(x > y for x, y in zip(v, v[1:])):
            raise Reject("%s decrease" % kind)

    if kind == "uniform_row_length":
        if items % p:
            raise Reject("%d items in rows of %d, per record" % (items, p))
        return [p] * (items // p)
    if kind == "row_lengths":
        if any(x < 0 for x in p) or sum(p) != items:
            raise Reject("row_lengths must be >= 0 and add up to the %d items of the record" % items)
        return p
    if kind == "value_row_ids":
        ascending(p)
        if len(p) != items or p and p[0] < 0:
            raise Reject("value_row_ids must be >= 0, one for each of the %d items of the record" % items)
        out = [0] * (p[-1] + 1 if p else 0)
        for x in p:
            out[x] += 1
        return out
    bounds = {"row_splits": p or [0], "row_limits": [0] + p, "row_starts": p + [items] if p else [0]}[kind]
    ascending(bounds)
    if bounds[0] != 0 or bounds[-1] != items:
        raise Reject("%s must cover the %d items of the record exactly" % (kind, items))
    return [y - x for x, y in zip(bounds, bounds[1:])]


def ragged(a, units, get, lenient):
    """units: what carries one set of partitions (a record, or a step); get(unit, key, dtype) -> values.
    Returns (rows per unit, partitions, flat tensor)."""
    parts = [next(iter(p.items())) for p in a.get("partitions", [])]
    vals = [get(u, a["value_key"], a["dtype"]) for u in units]
    counts, levels = [len(v) for v in vals], []
    for kind, p in reversed(parts):
        data = [p if kind == "uniform_row_length" else get(u, p, "int64") for u in units]
        if kind == "row_splits" and [] in data:
            lenient.add("no row_splits over no items are no rows, in single form as in a batch")
        rows = [row_lengths(kind, d, n) for d, n in zip(data, counts)]
        levels.insert(0, (p if kind == "uniform_row_length" else None, [x for r in rows for x in r]))
        counts = [len(r) for r in rows]
    inner = []
    while levels and levels[-1][0]:
        inner.insert(0, levels.pop()[0])
    partitions = [{"uniform_row_length": u, "nrows": len(n)} if u else {"row_splits": sums(n)} for u, n in levels]
    flat = [x for v in vals for x in v]
    return counts, partitions, tensor(a["dtype"], [len(flat) // math.prod(inner)] + inner, flat)


def rag(partitions, flat):
    return {"ragged": {"partitions": partitions, "flat_values": flat}} if partitions else {"dense": flat}


def first_row(v):
    """The single form is row 0 of a batch of one."""
    (kind, x), = v.items()
    if kind == "dense":
        return {"dense": dict(x, shape=x["shape"][1:])}
    if kind == "sparse":
        return {"sparse": dict(x, indices=[i[1:] for i in x["indices"]], dense_shape=x["dense_shape"][1:])}
    return rag(x["partitions"][1:], x["flat_values"])


def features_column(key, spec, recs, sequence, lenient):
    (kind, a), = spec.items()
    if kind == "fixed_len":
        if "default" not in a and not recs and sequence:
            lenient.add("an empty batch misses nothing")
        return fixed_len(a, recs, key)
    if kind == "sparse":
        return sparse(a, recs)
    get = lambda r, k, dtype: (r.feature(k, dtype) or (0, []))[1]
    if kind == "ragged":
        counts, parts, flat = ragged(dict(a, value_key=a.get("value_key") or key), recs, get, lenient)
        return rag([{"row_splits": sums(counts)}] + parts, flat)
    rows = [get(r, key, a["dtype"]) for r in recs]
    return var_len(a, rows) if kind == "var_len" else fixed_len_sequence(a, rows, key)


def sequence_column(key, spec, recs, lenient):
    """(column, lengths or None)."""
    (kind, a), = spec.items()
    if kind == "ragged":
        keys = sorted({k for _, k, _ in wire_uses(spec, key, True)})
        dtypes = {k: d for _, k, d in wire_uses(spec, key, True)}
        units, n = [], []
        for r in recs:
            lists = {k: r.steps(k, dtypes[k]) or [] for k in keys}
            if len({len(v) for v in lists.values()}) > 1:
                raise Reject("frame counts differ: %s" % {k: len(v) for k, v in lists.items()})
            n.append(len(lists[keys[0]]))
            units += [{k: v[t] for k, v in lists.items()} for t in range(n[-1])]
        counts, parts, flat = ragged(dict(a, value_key=a.get("value_key") or key), units, lambda u, k, _: u[k], lenient)
        return rag([{"row_splits": sums(n)}, {"row_splits": sums(counts)}] + parts, flat), None
    rows = [r.steps(key, a["dtype"]) for r in recs]
    if kind == "var_len":
        rows = [r or [] for r in rows]
        return {"sparse": dict(indices=[[i, t, j] for i, r in enumerate(rows) for t, v in enumerate(r) for j in range(len(v))],
                               dense_shape=[len(recs), max(map(len, rows), default=0), max([len(v) for r in rows for v in r], default=0)],
                               dtype=a["dtype"], values=tensor(a["dtype"], None, [x for r in rows for v in r for x in v])["values"])}, None
    n = math.prod(a["shape"])
    if not a.get("allow_missing") and None in rows:
        raise Reject("%s is required" % key)
    rows = [r or [] for r in rows]
    for r in rows:
        for v in r:
            if len(v) != n:
                raise Reject("%s: a frame has %d values, not %d" % (key, len(v), n))
    return fixed_len_sequence(a, [[x for v in r for x in v] for r in rows], key), {"dense": tensor("int64", [len(rows)], [len(r) for r in rows])}


def model(c, lenient):
    check_spec(c)
    sequence, single = "sequence" in c["call"], "single" in c["call"]
    recs = [Record(base64.b64decode(r), sequence, lenient) for r in c["records"]]
    form = first_row if single else lambda v: v
    if not sequence:
        return {"columns": {k: form(features_column(k, s, recs, sequence, lenient)) for k, s in sorted(c["spec"]["features"].items())}}
    out = {"context": {k: form(features_column(k, s, recs, sequence, lenient)) for k, s in sorted(c["spec"].get("context", {}).items())}, "sequence": {}, "lengths": {}}
    for k, s in sorted(c["spec"].get("sequence", {}).items()):
        col, lengths = sequence_column(k, s, recs, lenient)
        out["sequence"][k] = form(col)
        if lengths:
            out["lengths"][k] = lengths
    if single:
        del out["lengths"]
    return out


def same(a, b):
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


class Unexplained(Exception):
    pass


def record(c):
    """Completes a case: what TensorFlow did, and what we do instead if that differs."""
    got = isolated(c)
    c.update(got)
    lenient, ours, phase = set(), None, {}
    try:
        ours = model(c, lenient)
    except Reject as e:
        reason = str(e)
    except BadSpec as e:
        reason, phase = str(e), {"phase": "config"}
        got.get("error", {}).update(phase)
    if ours is None:
        if "expect" in got:
            c["ours"] = dict({"why": reason, "error": True}, **phase)
    elif "expect" in got:
        if not same(ours, got["expect"]):
            raise Unexplained("%s:\n  tf   %s\n  ours %s" % (c["name"], json.dumps(got["expect"], sort_keys=True), json.dumps(ours, sort_keys=True)))
    elif lenient:
        c["ours"] = {"why": "; ".join(sorted(lenient)), "expect": ours}
    else:
        raise Unexplained("%s:\n  tf   %s\n  ours %s" % (c["name"], got["error"]["message"], json.dumps(ours)))
    if any("ragged" in s for g in c["spec"].values() for s in g.values()):
        loose = isolated(c, False)
        if ("error" in loose) != ("error" in got) or "expect" in loose and not same(loose["expect"], got["expect"]):
            c["tf_validate_false"] = loose
    if "unsafe" in c["tags"] and isolated.p:  # it may have written where it should not: start afresh
        isolated.stop()
    return c


# --------------------------------------------------------------------------------------------------------- themes

def fixed(dtype, shape=(), **kw):
    return {"fixed_len": dict({"dtype": dtype, "shape": list(shape)}, **kw)}


def seqlen(dtype, shape=(), **kw):
    return {"fixed_len_sequence": dict({"dtype": dtype, "shape": list(shape)}, **kw)}


def varlen(dtype):
    return {"var_len": {"dtype": dtype}}


def rag_spec(dtype, value_key=None, *parts):
    """parts: "row_lengths:key" or a uniform length."""
    a = {"dtype": dtype, "partitions": [{"uniform_row_length": p} if isinstance(p, int) else dict([p.split(":", 1)]) for p in parts]}
    return {"ragged": dict(a, value_key=value_key) if value_key else a}


def case(name, tags, spec, recs, call="parse_example"):
    """spec: {"key": SPEC} for Example, ({context}, {sequence}) for SequenceExample."""
    s = {"context": spec[0], "sequence": spec[1]} if isinstance(spec, tuple) else {"features": spec}
    c = {"name": name, "tags": tags.split(), "call": call, "spec": s, "records": [r if isinstance(r, str) else b64(r) for r in recs]}
    return record(c)


def both(name, tags, spec, recs):
    """The batch, and then the first record by itself in single form."""
    seq = isinstance(spec, tuple)
    yield case(name, tags, spec, recs, "parse_sequence_example" if seq else "parse_example")
    yield case(name + " (single)", tags + " single", spec, recs[:1], "parse_single_sequence_example" if seq else "parse_single_example")


def wire_features():
    """(row of the table, what, dtype, bytes of one Feature)."""
    chunk1, chunk2, un2 = ld(1, b"\x01"), ld(1, b"\x02"), b"\x08\x02"
    unknown = ld(9, b"xy")
    ff = b"\xff" * 9
    yield from [
        ("2", "packed list", "int64", I(1, 2)),
        ("2", "unpacked list", "int64", I(1, 2, form="unpacked")),
        ("2", "packed floats", "float32", F(1.5, -2)),
        ("2", "unpacked floats", "float32", F(1.5, -2, form="unpacked")),
        ("2", "bytes", "string", B("x", "", b"\xff\x00")),
        ("2", "one empty bytes value", "string", B("")),
        ("2", "negative and extreme int64", "int64", I(-1, 1 << 63, (1 << 63) - 1)),
        ("3", "two packed chunks", "int64", ld(3, chunk1 + chunk2)),
        ("3", "two packed chunks, second empty", "int64", ld(3, chunk1 + b"\x0a\x00")),
        ("3", "two packed chunks, first empty", "int64", ld(3, b"\x0a\x00" + chunk1)),
        ("3", "two packed float chunks", "float32", ld(2, ld(1, f32(1)) + ld(1, f32(2)))),
        ("4", "packed then unpacked", "int64", ld(3, chunk1 + un2)),
        ("4", "packed then unpacked floats", "float32", ld(2, ld(1, f32(1)) + b"\x0d" + f32(2))),
        ("5", "unpacked then packed", "int64", ld(3, un2 + chunk1)),
        ("5", "unpacked then packed floats", "float32", ld(2, b"\x0d" + f32(2) + ld(1, f32(1)))),
        ("6", "unknown field first in the list", "int64", ld(3, unknown + chunk1)),
        ("6", "unknown field first in a bytes list", "string", ld(1, unknown + ld(1, b"v"))),
        ("6", "unknown field last in a bytes list", "string", ld(1, ld(1, b"v") + unknown)),
        ("7", "unknown field after the packed chunk", "int64", ld(3, chunk1 + unknown)),
        ("8", "unknown field after unpacked values", "int64", ld(3, un2 + unknown)),
        ("8", "unknown field between unpacked values", "int64", ld(3, un2 + b"\x48\x01" + un2)),
        ("9", "int64 then float", "int64", I(1) + F(2)),
        ("9", "int64 then float, float wanted", "float32", I(1) + F(2)),
        ("9", "empty int64 then float, float wanted", "float32", I() + F(2)),
        ("9", "int64 then empty bytes", "int64", I(1) + B()),
        ("9", "int64, float, int64", "int64", I(1) + F(2) + I(3)),
        ("10", "int64 list twice", "int64", I(1) + I(2)),
        ("10", "int64 list twice, second empty", "int64", I(1) + I()),
        ("10", "int64 list twice, first empty", "int64", I() + I(1)),
        ("10", "bytes list twice", "string", B("p") + B("q")),
        ("11", "unknown field before the kind", "int64", unknown + I(1)),
        ("11", "only an unknown field", "int64", unknown),
        ("11", "unknown varint field before the kind", "int64", b"\x20\x01" + I(1)),
        ("12", "unknown field after the kind", "int64", I(1) + unknown),
        ("12", "unknown varint field after the kind", "int64", I(1) + b"\x20\x01"),
        ("13", "no kind", "int64", NO_KIND),
        ("14", "empty list", "int64", I()),
        ("14", "empty packed chunk", "int64", ld(3, b"\x0a\x00")),
        ("14", "empty float list", "float32", F()),
        ("14", "empty bytes list", "string", B()),
        ("14", "empty list of another kind", "int64", F()),
        ("15", "only the tag of the kind", "int64", b"\x1a"),
        ("15", "kind as a varint field", "int64", b"\x18\x01"),
        ("15", "one byte that is no tag", "int64", b"\x00"),
        ("15", "kind tag padded", "int64", ld(3, chunk1, pad=1)),
        ("15", "list tag padded", "int64", ld(3, ld(1, b"\x01", pad=1))),
        ("15", "list of fixed64", "int64", ld(3, b"\x09" + b"\1" * 8)),
        ("15", "float list of varints", "float32", ld(2, b"\x08\x01")),
        ("15", "bytes list of varints", "string", ld(1, b"\x08\x01")),
        ("15", "group inside the list", "int64", ld(3, b"\x4b\x4c" + chunk1)),
        ("37", "list length overruns the Feature", "int64", ld(3, chunk1, 9)),
        ("37", "float list length overruns the Feature", "float32", ld(2, ld(1, f32(1)), 20)),
        ("38", "packed int64 length overruns the list", "int64", ld(3, ld(1, b"\x01", 5))),
        ("39", "packed float length overruns the list", "float32", ld(2, ld(1, f32(1), 8))),
        ("40", "packed floats of 5 bytes", "float32", ld(2, ld(1, f32(1) + b"\0"))),
        ("40", "packed floats of 3 bytes", "float32", ld(2, ld(1, b"\0\0\0"))),
        ("40", "packed floats of 7 bytes", "float32", ld(2, ld(1, f32(1) + b"\1\2\3"))),
        ("40", "unpacked float cut", "float32", ld(2, b"\x0d\0\0")),
        ("41", "bytes element overruns the list", "string", ld(1, ld(1, b"x", 5))),
        ("44", "value varint of 11 bytes", "int64", ld(3, ld(1, b"\x80" * 10 + b"\0"))),
        ("44", "value varint cut", "int64", ld(3, ld(1, b"\x80"))),
        ("45", "10-byte varint ending in 7f", "int64", ld(3, ld(1, ff + b"\x7f"))),
        ("45", "10-byte varint ending in 02", "int64", ld(3, ld(1, b"\x80" * 9 + b"\x02"))),
        ("45", "10-byte varint ending in 01", "int64", ld(3, ld(1, ff + b"\x01"))),
        ("46", "padded varint", "int64", ld(3, ld(1, varint(5, pad=3)))),
        ("46", "padded varint, unpacked", "int64", ld(3, b"\x08" + varint(5, pad=8))),
        ("46", "length with padding", "int64", b"\x1a" + varint(3, pad=2) + chunk1),
        ("47", "list length of 2^32 + n", "int64", ld(3, chunk1, (1 << 32) + 3)),
        ("47", "list length of 2^31", "int64", ld(3, chunk1, 1 << 31)),
        ("47", "list length of 2^64 - 1", "int64", ld(3, chunk1, (1 << 64) - 1)),
        ("47", "packed length of 2^32 + n", "int64", ld(3, ld(1, b"\x01", (1 << 32) + 1))),
        ("47", "packed length of 2^31", "int64", ld(3, ld(1, b"\x01", 1 << 31))),
        ("47", "packed float length of 2^32 + n", "float32", ld(2, ld(1, f32(1), (1 << 32) + 4))),
        ("47", "packed float length of 2^31 - 4", "float32", ld(2, ld(1, f32(1), (1 << 31) - 4))),
        ("47", "packed float length of 2^31", "float32", ld(2, ld(1, f32(1), 1 << 31))),
        ("47", "bytes length of 2^31", "string", ld(1, ld(1, b"x", 1 << 31))),
        ("47", "bytes length of 2^31 - 1", "string", ld(1, ld(1, b"x", (1 << 31) - 1))),
        ("47", "bytes length of 2^32 + n", "string", ld(1, ld(1, b"x", (1 << 32) + 1))),
        ("44", "length varint of 11 bytes", "int64", b"\x1a" + b"\x83" + b"\x80" * 9 + b"\0" + chunk1),
    ]


def wire_records():
    """(row, what, bytes of an Example, which is also a SequenceExample with only a context)."""
    one = I(1)
    e = ld(1, entry("a", one))
    k, v = ld(1, b"a"), ld(2, one)
    whole = example({"a": one})
    inside = lambda body: ld(1, ld(1, body))
    yield from [
        ("1", "empty input", b""),
        ("1", "empty Features", b"\x0a\x00"),
        ("16", "value before key", inside(v + k)),
        ("17", "entry without value", inside(k)),
        ("18", "entry without key", inside(v)),
        ("19", "entry of length 0", inside(b"")),
        ("19", "entry of length 0 after a good one", ld(1, e + b"\x0a\x00")),
        ("20", "key twice, no value", inside(ld(1, b"z") + k)),
        ("21", "value twice, no key", inside(v + ld(2, I(2)))),
        ("22", "key, key, value", inside(ld(1, b"z") + k + v)),
        ("22", "key, value, value", inside(k + v + ld(2, I(2)))),
        ("22", "unknown field in the entry", inside(k + v + ld(3, b"x"))),
        ("22", "unknown field first in the entry", inside(b"\x18\x07" + k + v)),
        ("22", "key as a varint field", inside(b"\x08\x61" + v)),
        ("23", "padded key tag", inside(ld(1, b"a", pad=1) + v)),
        ("23", "padded value tag", inside(k + ld(2, one, pad=1))),
        ("24", "unknown field inside Features", ld(1, e + ld(2, b"x"))),
        ("24", "unknown varint inside Features", ld(1, b"\x10\x01" + e)),
        ("24", "padded entry tag inside Features", ld(1, ld(1, entry("a", one), pad=1))),
        ("24", "field 1 as a varint inside Features", ld(1, b"\x08\x01" + e)),
        ("25", "unknown top-level varint", b"\x50\x96\x01" + whole),
        ("25", "unknown top-level fixed32", b"\x55abcd" + whole),
        ("25", "unknown top-level fixed64", whole + b"\x51abcdefgh"),
        ("25", "unknown top-level LEN", ld(7, b"xyz") + whole + ld(1337, b"q")),
        ("25", "unknown top-level fixed32, cut", whole + b"\x55abc"),
        ("25", "unknown top-level varint, cut", whole + b"\x50\x80"),
        ("26", "top-level field number 0", b"\x02\x01x" + whole),
        ("26", "top-level zero byte and a varint", b"\x00\x00" + whole),
        ("26", "trailing zero byte", whole + b"\x00"),
        ("27", "top-level group, balanced", b"\x4b\x50\x01\x4c" + whole),
        ("27", "top-level group, open", whole + b"\x4b\x50\x01"),
        ("28", "top-level end group", whole + b"\x4c"),
        ("28", "top-level wire type 6", whole + b"\x4e\x00"),
        ("28", "top-level wire type 7", whole + b"\x4f\x00"),
        ("29", "unknown top-level LEN overruns", whole + ld(7, b"xyz", 99)),
        ("29", "unknown top-level LEN of 2^31", whole + ld(7, b"", 1 << 31)),
        ("29", "unknown top-level LEN of 2^31, then more", ld(7, b"", 1 << 31) + whole),
        ("29", "unknown top-level LEN overruns over a good field", ld(7, b"", 99) + whole),
        ("30", "padded top-level tag", ld(1, e, pad=1)),
        ("31", "field 1 as a varint", b"\x08\x05" + whole),
        ("31", "field 1 as fixed64", b"\x09abcdefgh" + whole),
        ("32", "Features length overruns", ld(1, e, len(e) + 5)),
        ("33", "Features length too short", ld(1, e, len(e) - 1)),
        ("34", "entry length overruns, last", ld(1, ld(1, entry("a", one), 50))),
        ("35", "entry length overruns, not last", ld(1, ld(1, entry("a", one), len(entry("a", one)) + 1) + ld(1, entry("b", one)))),
        ("36", "key length overruns", inside(ld(1, b"a", 60) + v)),
        ("36", "value length overruns", inside(k + ld(2, one, 60))),
        ("42", "cut at an entry boundary", example([("a", one), ("b", I(2))])[:2 + len(e)]),
        ("43", "cut inside an entry", example([("a", one), ("b", I(2))])[:2 + len(e) + 4]),
        ("43", "cut by one byte", whole[:-1]),
        ("43", "only the first byte", b"\x0a"),
        ("47", "Features length of 2^32 + n", ld(1, e, (1 << 32) + len(e))),
        ("47", "Features length of 2^31", ld(1, e, 1 << 31)),
        ("47", "Features length of 2^64 - 1", ld(1, e, (1 << 64) - 1)),
        ("47", "entry length of 2^32 + n", ld(1, ld(1, entry("a", one), (1 << 32) + len(entry("a", one))))),
        ("47", "key length of 2^32 + 1", inside(ld(1, b"a", (1 << 32) + 1) + v)),
        ("48", "key with invalid UTF-8 beside it", example([(b"\xff\xfe", one), ("a", one)])),
        ("48", "empty key beside it", example([("", one), ("a", one)])),
        ("49", "not protobuf at all", b"hello, world"),
        ("49", "garbage in a Feature that nobody asked for", example([("z", b"\x99\x99\x99"), ("a", one)])),
        ("49", "malformed list in a Feature that nobody asked for", example([("z", ld(3, chunk(5))), ("a", one)])),
    ]


def chunk(n):
    return ld(1, b"\x01", n)


def duplicates():
    """(what, dtype of the key wanted, pairs)."""
    yield from [
        ("last wins", "int64", [("a", I(1)), ("a", I(2))]),
        ("last wins over more values", "int64", [("a", I(1, 2, 3)), ("b", I(9)), ("a", I(4))]),
        ("last is empty", "int64", [("a", I(1)), ("a", I())]),
        ("last has no kind", "int64", [("a", I(1)), ("a", NO_KIND)]),
        ("first has no kind", "int64", [("a", NO_KIND), ("a", I(1))]),
        ("middle has no kind", "int64", [("a", I(1)), ("a", NO_KIND), ("a", I(2))]),
        ("two without kind", "int64", [("a", NO_KIND), ("a", NO_KIND)]),
        ("first of another kind", "int64", [("a", F(1)), ("a", I(2))]),
        ("last of another kind", "int64", [("a", I(2)), ("a", F(1))]),
        ("first is a malformed list", "int64", [("a", ld(3, b"\x09\1")), ("a", I(2))]),
        ("first has unknown fields in its list", "int64", [("a", ld(3, ld(9, b"") + ld(1, b"\1"))), ("a", I(2))]),
        ("first has a bad kind byte", "int64", [("a", b"\x99\x01"), ("a", I(2))]),
        ("first has an unknown field before its kind", "int64", [("a", ld(9, b"") + I(1)), ("a", I(2))]),
        ("first has two chunks", "int64", [("a", ld(3, ld(1, b"\1") + ld(1, b"\2"))), ("a", I(2))]),
        ("bytes", "string", [("a", B("p", "q")), ("a", B("r"))]),
        ("float", "float32", [("a", F(1)), ("a", F(2.5))]),
        ("of a key that nobody asked for", "int64", [("z", I(1)), ("a", I(3)), ("z", F(2))]),
    ]


def wire():
    seq = lambda dtype: ({"a": varlen(dtype)}, {})
    for n, (row, what, dtype, feat) in enumerate(wire_features()):
        rec, tags = example({"a": feat}), "row-%s feature" % row
        two = [rec, example({"a": {"int64": I(7), "float32": F(7), "string": B("7")}[dtype]})]
        yield from both("row %s: %s" % (row, what), tags, {"a": varlen(dtype)}, [rec])
        yield case("row %s: %s, beside a good record" % (row, what), tags, {"a": varlen(dtype)}, two)
        one = {"int64": I(1), "float32": F(1), "string": B("x")}[dtype]
        good = example({"a": one})
        yield case("row %s: %s, FixedLen" % (row, what), tags + " dense", {"a": fixed(dtype, [1])}, [good, rec])
        yield case("row %s: %s, FixedLenSequence" % (row, what), tags + " dense", {"a": seqlen(dtype)}, [good, rec])
        yield case("row %s: %s, Ragged" % (row, what), tags + " ragged", {"a": rag_spec(dtype)}, [good, rec])
        yield case("row %s: %s, not asked for" % (row, what), tags + " unrequested", {"b": varlen("int64")}, [example([("a", feat), ("b", I(3))])])
        tags += " sequence"
        yield case("row %s: %s, context" % (row, what), tags, seq(dtype), [rec], "parse_sequence_example")
        for where, steps in (("only frame", [feat]), ("first frame", [feat, one]), ("last frame", [one, feat])):
            for kind, spec in (("VarLen", varlen(dtype)), ("FixedLenSequence", seqlen(dtype)), ("Ragged", rag_spec(dtype))):
                if kind == "VarLen" or where == "first frame":
                    yield case("row %s: %s, %s, %s" % (row, what, where, kind), tags + " frame", ({}, {"a": spec}),
                               [sequence_example({}, {"a": steps})], "parse_sequence_example")
    for row, what, rec in wire_records():
        tags = "row-%s record" % row
        yield from both("row %s: %s" % (row, what), tags, {"a": varlen("int64")}, [rec])
        yield case("row %s: %s, after a good record" % (row, what), tags, {"a": varlen("int64"), "b": varlen("int64")}, [example({"a": I(7)}), rec])
        yield case("row %s: %s, key not asked for" % (row, what), tags + " unrequested", {"b": varlen("int64")}, [rec])
        yield case("row %s: %s, context" % (row, what), tags + " sequence", seq("int64"), [rec], "parse_sequence_example")
    for name, rec in (("value twice, key empty", ld(1, ld(1, ld(2, I(1)) + ld(2, I(2))))), ("no key", ld(1, ld(1, ld(2, I(1))))), ("entry empty", ld(1, ld(1, b""))), ("empty key", example({"": I(4)}))):
        yield case("empty key asked for: " + name, "empty-key", {"": varlen("int64")}, [rec])
    yield case("row 48: key with invalid UTF-8 is skipped", "row-48", {"a": fixed("int64")}, [example([(b"a\xff", I(1)), ("a", I(2))])])
    yield from both("keys with a nul, a quote, an emoji", "keys", {"a\0b": fixed("int64"), '"\\': fixed("int64"), "\U0001f600": fixed("int64")},
                    [example({"a\0b": I(1), '"\\': I(2), "\U0001f600": I(3)})])
    yield from both("keys compare by bytes, not by normal form", "keys", {"\u00e9": varlen("int64"), "e\u0301": varlen("int64")}, [example({"\u00e9": I(1)})])
    for what, dtype, pairs in duplicates():
        forms = [("VarLen", varlen(dtype)), ("FixedLen", fixed(dtype, [], default=[{"int64": -1, "float32": -1, "string": "d"}[dtype]])),
                 ("FixedLen, required", fixed(dtype, [1])), ("FixedLenSequence", seqlen(dtype)), ("Ragged", rag_spec(dtype))]
        half = len(pairs) // 2
        for form, spec in forms:
            yield from both("duplicate key: %s, %s" % (what, form), "row-49 duplicate", {"a": spec}, [example(pairs)])
        yield from both("duplicate key: %s, in two concatenated Examples" % what, "row-49 duplicate concatenated", {"a": varlen(dtype)}, [example(pairs[:half]) + example(pairs[half:])])
        for form, spec in forms[:1] + forms[1:3] + forms[4:]:
            yield case("duplicate key: %s, context %s" % (what, form), "row-49 duplicate sequence", ({"a": spec}, {}), [example(pairs)], "parse_sequence_example")
        for form, spec in (("VarLen", varlen(dtype)), ("FixedLenSequence", seqlen(dtype)), ("Ragged", rag_spec(dtype))):
            lists = [(k, [v]) for k, v in pairs]
            yield case("duplicate key: %s, feature list %s" % (what, form), "row-49 duplicate sequence frame", ({}, {"a": spec}), [sequence_example({}, lists)], "parse_sequence_example")
    yield case("duplicate list: last is an empty FeatureList", "duplicate sequence", ({}, {"a": seqlen("int64")}), [sequence_example({}, [("a", [I(1), I(2)]), ("a", [])])], "parse_sequence_example")
    yield case("duplicate list: more frames first", "duplicate sequence", ({}, {"a": varlen("int64")}), [sequence_example({}, [("a", [I(1), I(2), I(3)]), ("a", [I(4)])])], "parse_sequence_example")
    full = sequence_example({"c": I(1)}, {"a": [I(1), I(2)], "b": [B("x")]})
    spec = ({"c": varlen("int64")}, {"a": varlen("int64"), "b": varlen("string")})
    yield case("SequenceExample twice over: context and lists in two halves", "sequence", spec, [sequence_example({"c": I(1)}, {"b": [B("x")]}) + sequence_example({}, {"a": [I(2)]})], "parse_sequence_example")
    yield case("feature lists before the context", "sequence", spec, [sequence_example({}, {"a": [I(2)]}) + sequence_example({"c": I(1)})], "parse_sequence_example")
    yield case("SequenceExample bytes as Example: the context", "sequence", {"c": varlen("int64"), "a": varlen("int64")}, [full])
    yield case("Example bytes as SequenceExample", "sequence", spec, [example({"c": I(5)})], "parse_sequence_example")
    for n in range(len(full)):
        yield case("SequenceExample cut at byte %d" % n, "cut sequence", spec, [full[:n]], "parse_sequence_example")
    small = example([("a", I(1, 300)), ("f", F(1.5)), ("s", B("xy"))])
    for n in range(len(small)):
        yield case("Example cut at byte %d" % n, "cut", {"a": varlen("int64"), "f": varlen("float32"), "s": varlen("string")}, [small[:n]])
    fl = lambda body: ld(2, ld(1, ld(1, b"a") + ld(2, body)))
    for what, body in (("unknown field first", ld(2, b"") + ld(1, I(1))), ("unknown field last", ld(1, I(1)) + b"\x10\x01"), ("frame of one byte", ld(1, b"\x1a")),
                       ("frame of two bytes, not an empty list", ld(1, b"\x1a\x05")), ("frame with an empty list of another kind", ld(1, b"\x12\x00")),
                       ("frame length overruns", ld(1, I(1), 9)), ("frame as a varint", b"\x08\x01"), ("kinds mixed over frames", ld(1, I(1)) + ld(1, F(1))),
                       ("frame tag padded", ld(1, I(1), pad=1))):
        for kind, s in (("VarLen", varlen("int64")), ("FixedLenSequence", seqlen("int64")), ("Ragged", rag_spec("int64"))):
            yield case("FeatureList: %s, %s" % (what, kind), "sequence frame", ({}, {"a": s}), [fl(body)], "parse_sequence_example")
    k, v = ld(1, b"a"), ld(2, ld(1, I(1)))
    for what, body in (("value before key", v + k), ("no value", k), ("no key", v), ("extra field", k + v + b"\x18\x01"), ("key, value, value", k + v + v), ("padded key tag", ld(1, b"a", pad=1) + v)):
        yield case("FeatureLists entry: " + what, "sequence frame", ({}, {"a": varlen("int64")}), [ld(2, ld(1, body))], "parse_sequence_example")
    yield case("unknown field inside FeatureLists", "sequence frame", ({}, {"a": varlen("int64")}), [ld(2, ld(1, k + v) + b"\x10\x01")], "parse_sequence_example")


KINDS = {"int64": I, "float32": F, "string": B}
ONE = {"int64": [5, -7, 1 << 62, 0, 9, 8], "float32": [1.5, -0.0, 1e-45, 3.4e38, 0.1, 2], "string": ["x", "", b"\xff\xfe", "h\u00e9", "0", "long enough not to be inline"]}


def feat(dtype, n, skip=0):
    return KINDS[dtype](*ONE[dtype][skip:skip + n])


def situations(dtype, n):
    """(what, pairs) for one key a that should hold n values."""
    other = "float32" if dtype == "int64" else "int64"
    yield from [("exact", {"a": feat(dtype, n)}), ("absent", {}), ("no kind", {"a": NO_KIND}), ("empty list", {"a": feat(dtype, 0)}),
                ("other kind", {"a": feat(other, n)}), ("other kind, empty", {"a": feat(other, 0)}), ("one too many", {"a": feat(dtype, n + 1)}),
                ("unpacked", {"a": feature(KIND[dtype], [v.encode() if isinstance(v, str) else v for v in ONE[dtype][:n]], "unpacked")}),
                ("unpacked, one too many", {"a": feature(KIND[dtype], [v.encode() if isinstance(v, str) else v for v in ONE[dtype][:n + 1]], "unpacked")})]
    if n > 1:
        yield "one too few", {"a": feat(dtype, n - 1)}
        yield "half", {"a": feat(dtype, n // 2)}


def fixed_theme():
    for dtype in KINDS:
        default = {"int64": [7, 8, 9, 10], "float32": [0.25, "NaN", "-Infinity", -0.0], "string": ["d", "", {"b64": "/w=="}, "\u00e9"]}[dtype]
        for shape in ([], [1], [3], [2, 2], [1, 3, 1], [0], [2, 0]):
            n = math.prod(shape)
            for d in ([False, True] if n else [False]):
                spec = {"a": fixed(dtype, shape, **({"default": default[:n]} if d else {}))}
                for what, pairs in situations(dtype, n):
                    name = "fixed %s %s%s: %s" % (dtype, shape, " default" if d else "", what)
                    good = example({"a": feat(dtype, n, 1 if n < 5 else 0)})
                    tags = "fixed_len unsafe" if dtype == "float32" and what == "unpacked, one too many" else "fixed_len"
                    yield from both(name, tags, spec, [example(pairs), good])
                    if shape in ([], [3]):
                        yield case(name + ", context", "fixed_len sequence", (spec, {}), [good, example(pairs)], "parse_sequence_example")
                        yield case(name + ", context, alone", "fixed_len sequence single", (spec, {}), [example(pairs)], "parse_single_sequence_example")
        for shape, pad in (([], None), ([], 0), ([2], None), ([2], 1), ([2, 1], None), ([1, 1, 1], None), ([3], 2)):
            n = math.prod(shape)
            spec = {"a": seqlen(dtype, shape, **({} if pad is None else {"default": default[pad]}))}
            name = "fixed_sequence %s %s%s" % (dtype, shape, "" if pad is None else " padded with %s" % json.dumps(default[pad]))
            for what, pairs in situations(dtype, n):
                yield from both("%s: %s" % (name, what), "fixed_len_sequence", spec, [example(pairs), example({"a": feat(dtype, 3 * n if n < 3 else n)})])
            yield from both(name + ": absent everywhere", "fixed_len_sequence", spec, [example(), example({"b": I(1)})])
            yield from both(name + ": ragged batch", "fixed_len_sequence", spec, [example({"a": feat(dtype, k * n)}) if k is not None else example() for k in (1, None, 2 if n < 3 else 1, 0)])
            yield case(name + ": multiple only together", "fixed_len_sequence", spec, [example({"a": feat(dtype, 1)}), example({"a": feat(dtype, 2 * n - 1)})])
    yield case("default: scalar for shape [1]", "fixed_len default", {"a": fixed("int64", [1], default=4)}, [b""])
    yield case("default: nested list", "fixed_len default", {"a": fixed("int64", [2, 2], default=[[1, 2], [3, 4]])}, [b""])
    yield case("default: flat list for a matrix", "fixed_len default", {"a": fixed("int64", [2, 2], default=[1, 2, 3, 4])}, [b""])
    yield case("default: integers for a float", "fixed_len default", {"a": fixed("float32", [2], default=[1, 2])}, [b""])
    yield case("default: int64 extremes", "fixed_len default", {"a": fixed("int64", [2], default=[-(1 << 63), (1 << 63) - 1])}, [b""])
    yield case("default: decimal that float32 rounds", "fixed_len default", {"a": fixed("float32", [2], default=[0.1, 16777217])}, [b""])
    for n in (0, 1, 2, 7, 33):
        yield case("batch of %d" % n, "fixed_len batch", {"a": fixed("int64", [2], default=[-1, -2]), "b": seqlen("float32"), "c": seqlen("string", [2])},
                   [example({"a": I(i, -i), "b": F(*range(i % 5)), "c": B(*["v%d" % i] * (2 * (i % 3)))}) if i % 4 else example() for i in range(n)])
    yield case("missing: the smallest key is reported", "fixed_len errors", {k: fixed("int64") for k in "cab"}, [example({"b": I(1)})])
    yield case("missing in the second record only", "fixed_len errors", {"a": fixed("int64")}, [example({"a": I(1)}), b""])
    yield case("NaN payloads and -0.0 come through", "fixed_len", {"a": fixed("float32", [4])}, [example({"a": F(struct.pack("<I", 0x7FC12345), struct.pack("<I", 0xFF800001), -0.0, 1e-45)})])
    yield case("dict order does not matter", "fixed_len", {"z": fixed("int64"), "a": fixed("int64"), "M": fixed("int64")}, [example({"M": I(1), "z": I(2), "a": I(3)})])


def varlen_sparse():
    for dtype in KINDS:
        for what, pairs in situations(dtype, 2):
            yield from both("varlen %s: %s" % (dtype, what), "var_len", {"a": varlen(dtype)}, [example(pairs), example({"a": feat(dtype, 3)})])
        yield from both("varlen %s: nothing anywhere" % dtype, "var_len", {"a": varlen(dtype)}, [b"", b""])
        yield from both("varlen %s: trailing records without values" % dtype, "var_len", {"a": varlen(dtype)}, [example({"a": feat(dtype, 2)}), b"", b""])
        for n in (0, 1, 2, 7, 33):
            yield case("varlen %s: batch of %d" % (dtype, n), "var_len batch", {"a": varlen(dtype), "b": varlen("int64")}, [example({"a": feat(dtype, i % 4), "b": I(*range(i % 3))}) for i in range(n)])
    one = {"s": {"sparse": {"index_key": ["ix"], "value_key": "v", "dtype": "float32", "size": [10]}}}

    def sp(**kw):
        return {"s": {"sparse": dict(one["s"]["sparse"], **kw)}}

    def rec(ix, v, ix2=None):
        d = {} if ix is None else {"ix": I(*ix)}
        d.update({} if v is None else {"v": F(*v)})
        d.update({} if ix2 is None else {"jx": I(*ix2)})
        return example(d)

    for what, spec, recs in [
        ("sorted", one, [rec([0, 3], [1, 2]), rec([9], [3])]),
        ("unsorted is sorted", one, [rec([9, 0, 3], [1, 2, 3]), rec([1, 0], [4, 5])]),
        ("unsorted, declared sorted", sp(already_sorted=True), [rec([9, 0, 3], [1, 2, 3])]),
        ("both missing", one, [rec(None, None), rec([2], [1])]),
        ("both empty", one, [rec([], []), rec([2], [1])]),
        ("nothing anywhere", one, [b"", b""]),
        ("index missing, value has no kind", one, [example({"v": NO_KIND}), rec([2], [1])]),
        ("index missing, values present", one, [rec(None, [1, 2]), rec([2], [1])]),
        ("value missing, indices present", one, [rec([1, 2], None), rec([2], [1])]),
        ("more values than indices", one, [rec([1], [1, 2]), rec([2], [3])]),
        ("more indices than values", one, [rec([1, 2], [1]), rec([2], [3])]),
        ("counts differ, declared sorted", sp(already_sorted=True), [rec([1], [1, 2])]),
        ("counts that make up for each other slide", one, [rec([1], [10, 11]), rec([2, 3], [12])]),
        ("counts that make up for each other, index missing", one, [rec(None, [10, 11]), rec([2, 3], None)]),
        ("index equal to the size", one, [rec([10], [1])]),
        ("index far outside", one, [rec([1 << 40], [1])]),
        ("index negative", one, [rec([-1], [1])]),
        ("index negative, declared sorted", sp(already_sorted=True), [rec([-1], [1])]),
        ("index outside, unsorted", one, [rec([12, 1], [1, 2])]),
        ("duplicate indices, equal values", one, [rec([4, 4], [1, 1])]),
        ("duplicate indices, declared sorted", sp(already_sorted=True), [rec([4, 4], [1, 2])]),
        ("size 0", sp(size=[0]), [b""]),
        ("size beyond int32", sp(size=[1 << 40]), [rec([(1 << 40) - 1, 5], [1, 2])]),
        ("index key of another kind", one, [example({"ix": F(1), "v": F(1)})]),
        ("value key of another kind", one, [example({"ix": I(1), "v": I(1)})]),
        ("index key as a string, size as a number", {"s": {"sparse": {"index_key": "ix", "value_key": "v", "dtype": "float32", "size": 10}}}, [rec([9, 0], [1, 2])]),
        ("two indices", sp(index_key=["ix", "jx"], size=[13, 3]), [rec([0, 12, 0], [1, 2, 3], [2, 0, 1]), rec([5], [4], [0])]),
        ("two indices, listed the other way round", sp(index_key=["jx", "ix"], size=[3, 13]), [rec([0, 12, 0], [1, 2, 3], [2, 0, 1])]),
        ("two indices, counts differ", sp(index_key=["ix", "jx"], size=[13, 3]), [rec([0, 12], [1, 2], [2])]),
        ("two indices, counts differ but agree in total", sp(index_key=["ix", "jx"], size=[13, 3]), [rec([0, 12], [1, 2], [2]), rec([1], [3], [0, 1])]),
        ("two indices, second missing", sp(index_key=["ix", "jx"], size=[13, 3]), [rec([0], [1])]),
        ("two indices, sorted by both", sp(index_key=["ix", "jx"], size=[13, 3]), [rec([1, 1, 0], [1, 2, 3], [2, 0, 1])]),
        ("shared index key, different dtypes", dict(one, t={"sparse": {"index_key": ["ix"], "value_key": "w", "dtype": "string", "size": [20], "already_sorted": True}}),
         [example({"ix": I(3, 1), "v": F(1, 2), "w": B("p", "q")})]),
        ("index key is also a VarLen", dict(one, ix=varlen("int64")), [rec([3, 1], [1, 2])]),
        ("value key is also a VarLen", dict(one, v=varlen("float32")), [rec([3, 1], [1, 2])]),
        ("named like another feature's wire key", {"v": one["s"], "ix": varlen("int64")}, [rec([3, 1], [1, 2])]),
        ("index and value in one key", {"s": {"sparse": {"index_key": ["ix"], "value_key": "ix", "dtype": "int64", "size": [10]}}}, [rec([3, 1], None)]),
    ]:
        yield from both("sparse: " + what, "sparse", spec, recs)
    for dtype in KINDS:
        for n in (0, 1, 2, 7, 33):
            yield case("sparse %s: batch of %d" % (dtype, n), "sparse batch", {"s": {"sparse": {"index_key": ["ix"], "value_key": "v", "dtype": dtype, "size": [6]}}},
                       [example({"ix": I(*reversed(range(i % 5))), "v": feat(dtype, i % 5)}) for i in range(n)])


def ragged_data():
    """Worked examples: (partition kind, data of E0, E1, E2)."""
    return {"row_splits": ([0, 1, 1, 4], [0], [0, 2, 2]), "row_lengths": ([1, 0, 3], [], [2, 0]), "row_starts": ([0, 1, 1], [], [0, 2]),
            "row_limits": ([1, 1, 4], [], [2, 2]), "value_row_ids": ([0, 2, 2, 2], [], [0, 0])}


VALUES = [10, 11, 12, 13], [], [20, 21]


def rec(**kw):
    """An Example of int64 features; None leaves the key out, "" is a Feature without kind."""
    return example({k: NO_KIND if v == "" else I(*v) for k, v in kw.items() if v is not None})


def ragged_theme():
    both_ = lambda what, tags, parts, recs, dtype="int64": both("ragged: " + what, "ragged " + tags, {"r": rag_spec(dtype, "v", *parts)}, recs)
    for kind, data in ragged_data().items():
        recs = [rec(v=v, p=p) for v, p in zip(VALUES, data)]
        part = kind + ":p"
        yield from both_(kind + ", worked example", kind, [part], recs)
        yield from both_(kind + ", worked example, reversed", kind, [part], recs[::-1])
        yield from both_(kind + ", empty record first", kind, [part], recs[1:])
        for e, how in ((None, "missing"), ("", "no kind"), ([], "empty list")):
            yield from both_("%s %s, values present" % (kind, how), kind + " missing", [part], [rec(v=[1, 2, 3], p=e), rec(v=[4, 5], p={"row_splits": [0, 1, 2], "row_lengths": [1, 1], "row_starts": [0, 1], "row_limits": [1, 2], "value_row_ids": [0, 1]}[kind])])
            yield from both_("%s %s, values present, in the last record" % (kind, how), kind + " missing", [part], [rec(v=[1, 2, 3], p={"row_splits": [0, 2, 3], "row_lengths": [2, 1], "row_starts": [0, 2], "row_limits": [2, 3], "value_row_ids": [0, 0, 1]}[kind]), rec(v=[4, 5], p=e)])
            yield from both_("%s %s, no values" % (kind, how), kind + " missing", [part], [rec(p=e), recs_one(kind)])
            yield from both_("%s present, values %s" % (kind, how), kind + " missing", [part], [rec(v=e, p=[0] if kind == "row_splits" else []), recs_one(kind)])
            yield from both_("%s of rows without values, values %s" % (kind, how), kind + " missing", [part], [rec(v=e, p=[0, 0, 0] if kind != "value_row_ids" else []), recs_one(kind)])
        for what, rows in bad_partitions(kind):
            yield from both_("%s: %s" % (kind, what), kind + " inconsistent", [part], [rec(v=v, p=p) for v, p in rows])
        yield from both_(kind + " of another kind", kind + " errors", [part], [example({"v": I(1, 2), "p": F(1, 2)})])
        yield from both_(kind + " of another kind, empty", kind + " errors", [part], [example({"v": I(), "p": F()})])
        for dtype in ("float32", "string"):
            yield from both_("%s of %s" % (kind, dtype), kind, [part], [example({"v": feat(dtype, len(v)), "p": I(*p)}) for v, p in zip(VALUES, data)], dtype)
        for n in (0, 1, 2, 7, 33):
            yield case("ragged: %s, batch of %d" % (kind, n), "ragged batch " + kind, {"r": rag_spec("int64", "v", part)}, [recs[i % 3] for i in range(n)])
    yield from both("ragged: no partitions", "ragged", {"v": rag_spec("int64")}, [rec(v=v) for v in VALUES])
    yield from both("ragged: no partitions, value key", "ragged", {"r": rag_spec("int64", "v")}, [rec(v=v) for v in VALUES])
    for what, v in (("absent", {}), ("no kind", {"v": NO_KIND}), ("empty", {"v": I()}), ("other kind", {"v": F()})):
        yield from both("ragged: no partitions, values " + what, "ragged missing", {"v": rag_spec("int64")}, [example(v), rec(v=[1])])
    inner = [1, 0, 3], [], [2, 0]
    o, a, m = ([0, 2, 3], [0], [0, 0, 2]), ([1, 1], [], [2]), ([1, 1, 4], [], [2, 2])
    recs = [rec(v=VALUES[i], i=inner[i], o=o[i], a=a[i], m=m[i]) for i in range(3)]
    yield from both_("two levels, worked example", "nested", ["row_splits:o", "row_lengths:i"], recs)
    yield from both_("three levels, worked example", "nested", ["row_lengths:a", "row_splits:o", "row_limits:m"], recs)
    f = [rec(v=range(1, 7), n=[1, 2], b=[1, 2, 0, 3], a=[1, 1]), rec(v=[7, 8], n=[1], b=[2, 0], a=[1])]
    yield from both_("lengths over uniform 2, worked example", "uniform nested", ["row_lengths:n", 2], f)
    yield from both_("uniform 2 over lengths, worked example", "uniform nested", [2, "row_lengths:b"], f)
    yield from both_("lengths, uniform 2, lengths, worked example", "uniform nested", ["row_lengths:a", 2, "row_lengths:b"], f)
    g = [rec(v=range(1, 7)), rec(), rec(v=range(7, 19))]
    yield from both_("uniform 2 over uniform 3, worked example", "uniform nested", [2, 3], g)
    yield from both_("uniform 1", "uniform", [1], g)
    yield from both_("uniform 2, worked example", "uniform", [2], [rec(v=v) for v in VALUES])
    yield from both_("uniform 3 over uniform 2 over uniform 1", "uniform nested", [3, 2, 1], g)
    yield from both_("uniform 2, one record short", "uniform inconsistent", [2], [rec(v=[1, 2, 3]), rec(v=[4])])
    yield from both_("uniform 2, odd total", "uniform inconsistent", [2], [rec(v=[1, 2, 3]), rec(v=[4, 5])])
    yield from both_("uniform 2 over lengths, odd rows", "uniform inconsistent", [2, "row_lengths:n"], [rec(v=[1, 2, 3], n=[1, 1, 1]), rec(v=[4], n=[1, 0])])
    yield from both_("uniform 2 over lengths, odd rows that make up for each other", "uniform inconsistent", [2, "row_lengths:n"], [rec(v=[1, 2, 3], n=[1, 1, 1]), rec(v=[4], n=[1])])
    yield from both_("uniform 5, no values", "uniform", [5], [rec(), rec(v=[])])
    for parts, what in (([0], "0"), ([-1], "-1"), ([2, 0], "0 under 2"), ([0, "row_lengths:n"], "0 over lengths"), ([-2, "row_lengths:n"], "-2 over lengths")):
        yield from both_("uniform length " + what, "uniform errors", parts, [rec(v=[1, 2], n=[1, 1])])
        yield from both_("uniform length %s, no values" % what, "uniform errors", parts, [rec()])
    yield from both_("the same key for two partitions", "shared", ["row_lengths:n", "row_lengths:n"], [rec(v=[1, 2], n=[1, 1]), rec(), rec(v=[3], n=[1])])
    yield from both_("the same key for two partitions that disagree", "shared inconsistent", ["row_lengths:n", "row_lengths:n"], [rec(v=[1, 2, 3], n=[1, 2])])
    yield from both_("the values are their own lengths", "shared", ["row_lengths:v"], [rec(v=[1, 1]), rec(v=[2, 0])])
    two = {"x": rag_spec("int64", "v", "row_lengths:n"), "y": rag_spec("string", "s", "row_lengths:n"), "z": rag_spec("int64", "v")}
    yield from both("ragged: two features share a partition and two share values", "ragged shared", two, [example({"v": I(1, 2), "s": B("p", "q"), "n": I(0, 2)}), example({"v": I(3), "s": B("r"), "n": I(1)})])
    yield from both("ragged: one key read as lengths and as splits", "ragged shared", {"x": rag_spec("int64", "v", "row_lengths:n"), "y": rag_spec("int64", "v", "row_splits:n")}, [rec(v=[], n=[0])])
    yield from both("ragged: one key read as lengths and as ids", "ragged shared", {"x": rag_spec("int64", "v", "row_lengths:n"), "y": rag_spec("int64", "v", "value_row_ids:n")}, [rec(v=[5, 6], n=[0, 2]), rec(v=[7, 8, 9], n=[0, 1, 2])])
    yield from both("ragged: named like its own partition key", "ragged shared", {"n": rag_spec("int64", "v", "row_lengths:n")}, [rec(v=[1, 2], n=[2])])
    # every pair of kinds, outer over inner; two records, an empty one between
    kinds = list(ragged_data()) + [2]
    for x, y in itertools.product(kinds, kinds):
        shape = [[[1, 2], []], [[3], [4, 5, 6]]] if 2 not in (x, y) else [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
        recs = [nested_record(t, [x, y]) for t in (shape, [], shape[1:])]
        yield from both_("%s over %s" % (x, y), "nested pairs", [p if isinstance(p, int) else "%s:p%d" % (p, i) for i, p in enumerate([x, y])], recs)
    rnd = random.Random(7)
    for depth in (3, 4):
        for n in range(60):
            parts = [rnd.choice(kinds + [1, 3]) for _ in range(depth)]
            recs = [nested_record(random_nest(rnd, parts), parts) for _ in range(rnd.choice([1, 2, 3]))]
            yield from both_("depth %d, %d: %s" % (depth, n, parts), "nested depth%d" % depth, [p if isinstance(p, int) else "%s:p%d" % (p, i) for i, p in enumerate(parts)], recs)


def recs_one(kind):
    return rec(v=[20, 21], p=ragged_data()[kind][2])


def bad_partitions(kind):
    """(what, rows of (values, partition data)): data that do not add up, per record or in the batch."""
    v3, v2 = [1, 2, 3], [4, 5]
    yield from {
        "row_splits": [("first record one short", [(v3, [0, 2]), (v2, [0, 1, 2])]), ("first record one over", [(v3, [0, 4]), (v2, [0, 1])]), ("first elements not 0", [(v3, [1, 3]), (v2, [7, 2])]),
                       ("decreasing", [(v3, [0, 3, 1, 3]), (v2, [0, 2])]), ("last too small", [(v3, [0, 3]), (v2, [0, 1])]), ("negative", [(v3, [0, -1, 3]), (v2, [0, 2])]), ("huge", [(v3, [0, 1 << 62]), (v2, [0, 2])]),
                       ("only the first element, values present", [(v3, [0]), (v2, [0, 2])]), ("wraps int32", [(v3, [0, (1 << 32) + 3]), (v2, [0, 2])])],
        "row_lengths": [("totals agree over the batch only", [(v3, [2]), (v2, [1, 2])]), ("total too large", [(v3, [3, 1]), (v2, [1, 1])]), ("total too small", [(v3, [2]), (v2, [2])]), ("negative", [(v3, [4, -1]), (v2, [2])]),
                        ("overflow", [(v3, [(1 << 63) - 1, (1 << 63) - 1, 5]), (v2, [2])]), ("wraps int32", [(v3, [(1 << 32) + 3]), (v2, [2])])],
        "row_starts": [("second record does not start at 0", [(v3, [0, 2]), (v2, [1])]), ("first record does not start at 0", [(v3, [1, 2]), (v2, [0])]), ("beyond the values", [(v3, [0, 4]), (v2, [0])]),
                       ("beyond all values", [(v3, [0, 9]), (v2, [0])]), ("decreasing", [(v3, [0, 2, 1]), (v2, [0])]), ("equal to the count", [(v3, [0, 3]), (v2, [0, 2])]), ("negative", [(v3, [-1, 2]), (v2, [0])])],
        "row_limits": [("first record one short", [(v3, [2]), (v2, [1, 2])]), ("first record one over", [(v3, [4]), (v2, [1])]), ("decreasing", [(v3, [3, 1, 3]), (v2, [2])]), ("last too small", [(v3, [3]), (v2, [1])]),
                       ("last too large", [(v3, [3]), (v2, [3])]), ("negative", [(v3, [-1, 3]), (v2, [2])])],
        "value_row_ids": [("totals agree over the batch only", [(v3, [0, 0]), (v2, [0, 1, 1])]), ("total too large", [(v3, [0, 0, 1]), (v2, [0, 1, 1])]), ("total too small", [(v3, [0, 0]), (v2, [0, 1])]),
                          ("decreasing", [(v3, [1, 0, 1]), (v2, [0, 0])]), ("negative", [(v3, [-1, 0, 0]), (v2, [0, 0])]), ("gap", [(v3, [1, 1, 4]), (v2, [2, 2])]), ("first id not 0", [(v3, [2, 2, 2]), (v2, [0, 0])])],
    }[kind]


def random_nest(rnd, parts):
    """A nested list that the partitions can express."""
    return [random_row(rnd, parts, 0) for _ in range(rnd.randrange(4))]


def random_row(rnd, parts, level):
    p = parts[level]
    n = p if isinstance(p, int) else rnd.choice([0, 0, 1, 2, 3])
    return [rnd.randrange(-99, 1000) if level == len(parts) - 1 else random_row(rnd, parts, level + 1) for _ in range(n)]


def nested_data(rows, parts):
    """(flat values, data of each partition) of a record's rows; value_row_ids lose what they cannot say, so trailing empty
    rows under them get dropped first."""
    data = []
    for level, p in enumerate(parts):
        if p == "value_row_ids":
            rows = trim(rows, data, parts[:level])
        lengths = [len(r) for r in rows]
        data.append(partition_data(p, lengths))
        rows = [x for r in rows for x in r]
    return rows, data


def trim(rows, data, outer):
    """Rows without trailing empty ones; only possible when no outer partition counts them."""
    if not outer:
        while rows and not rows[-1]:
            rows = rows[:-1]
    elif rows and not rows[-1]:
        filler = next((r for r in rows if r), None)
        if filler is None:
            raise ValueError("cannot be said with value_row_ids")
        rows = rows[:-1] + [filler]
    return rows


def partition_data(kind, lengths):
    if kind == "value_row_ids":
        return [i for i, n in enumerate(lengths) for _ in range(n)]
    s = sums(lengths)
    return {"row_splits": s, "row_lengths": lengths, "row_starts": s[:-1], "row_limits": s[1:]}.get(kind)


def nested_record(rows, parts, dtype="int64"):
    try:
        flat, data = nested_data(rows, parts)
    except ValueError:
        flat, data = nested_data([], parts)
    pairs = {"v": KINDS[dtype](*flat)}
    pairs.update({"p%d" % i: I(*d) for i, d in enumerate(data) if d is not None})
    return example(pairs)


def lists(**kw):
    """A SequenceExample of feature lists only: key -> list of steps, each a list of int64, "" for no kind, or bytes."""
    return sequence_example({}, {k: [NO_KIND if f == "" else f if isinstance(f, bytes) else I(*f) for f in v] for k, v in kw.items() if v is not None})


def step_data(kind, lengths):
    return [partition_data(kind, n) for n in lengths]


def sequence():
    for dtype in KINDS:
        f = lambda *n: [feat(dtype, k) for k in n]
        data = [("even", {"a": f(2, 2, 2)}), ("one frame", {"a": f(2)}), ("absent", {}), ("no frames", {"a": []}), ("frame without kind", {"a": f(2) + [NO_KIND] + f(2)}), ("frame with an empty list", {"a": f(2, 0, 2)}),
                ("only frames without kind", {"a": [NO_KIND, NO_KIND]}), ("frames of different counts", {"a": f(1, 3)}), ("total not a multiple", {"a": f(2, 3)}), ("frame of another kind", {"a": f(2) + [I(1, 2) if dtype != "int64" else F(1, 2)]}),
                ("empty frame of another kind", {"a": f(2) + [I() if dtype != "int64" else F()]}), ("unpacked frames", {"a": [feature(KIND[dtype], [v.encode() if isinstance(v, str) else v for v in ONE[dtype][:2]], "unpacked")] * 2})]
        for what, d in data:
            for kind, spec in (("fixed_len_sequence", seqlen(dtype, [2])), ("fixed_len_sequence, may be missing", seqlen(dtype, [2], allow_missing=True)), ("var_len", varlen(dtype)), ("ragged", rag_spec(dtype))):
                yield from both("%s %s: %s" % (kind, dtype, what), "sequence " + kind.split(",")[0], ({}, {"a": spec}), [sequence_example({}, d), sequence_example({}, {"a": f(2, 2)})])
        for shape in ([], [1], [2, 1], [1, 3]):
            n = math.prod(shape)
            yield from both("fixed_len_sequence %s %s, padded" % (dtype, shape), "sequence fixed_len_sequence", ({}, {"a": seqlen(dtype, shape, allow_missing=True)}),
                            [sequence_example({}, d) for d in ({"a": f(n, n, n)}, {}, {"a": []}, {"a": f(n)})])
        spec = ({"c": fixed(dtype, [1], default=[ONE[dtype][0] if dtype != "string" else "x"]), "k": varlen(dtype), "g": rag_spec(dtype)}, {"a": seqlen(dtype, [], allow_missing=True), "b": varlen(dtype), "d": rag_spec(dtype)})
        for n in (0, 1, 2, 7, 33):
            recs = [sequence_example({"c": feat(dtype, 1), "k": feat(dtype, i % 3), "g": feat(dtype, i % 2)} if i % 3 else {}, {"a": f(*[1] * (i % 4)), "b": f(*range(i % 4)), "d": f(*reversed(range(i % 5)))} if i % 5 != 1 else {}) for i in range(n)]
            yield case("everything %s: batch of %d" % (dtype, n), "sequence batch", spec, recs, "parse_sequence_example")
        yield case("everything %s: single" % dtype, "sequence single", spec, [sequence_example({"k": feat(dtype, 2)}, {"a": f(1, 1), "b": f(0, 2), "d": f(3, 0)})], "parse_single_sequence_example")
    for what, pairs in situations("int64", 2):
        for kind, spec in (("VarLen", varlen("int64")), ("Ragged", rag_spec("int64"))):
            yield from both("context %s: %s" % (kind, what), "sequence context", ({"a": spec}, {}), [sequence_example(pairs), sequence_example({"a": I(3)})])
    for kind, data in ragged_data().items():
        yield from both("context ragged %s, worked example" % kind, "sequence context ragged", ({"r": rag_spec("int64", "v", kind + ":p")}, {}), [rec(v=v, p=p) for v, p in zip(VALUES, data)])
    spec = lambda *parts: ({}, {"r": rag_spec("int64", "v", *parts)})
    worked = [lists(v=[[1, 2, 3], [4]], n=[[1, 2], [1]]), lists(), lists(v=[[5, 6], "", [7]], n=[[2], "", [0, 1]])]
    yield from both("ragged list: no partitions, worked example", "sequence ragged", spec(), worked)
    yield from both("ragged list: row_lengths, worked example", "sequence ragged", spec("row_lengths:n"), worked)
    yield from both("ragged list: uniform 1, worked example", "sequence ragged uniform", spec(1), worked)
    yield from both("ragged list: uniform 1 over row_lengths", "sequence ragged uniform", spec(1, "row_lengths:n"), worked)
    yield from both("ragged list: row_lengths over uniform 1", "sequence ragged uniform", spec("row_lengths:n", 1), worked)
    yield from both("ragged list: uniform 2, a frame of odd count", "sequence ragged uniform", spec(2), worked[:1])
    yield from both("ragged list: uniform 2", "sequence ragged uniform", spec(2), [lists(v=[[1, 2], [], [3, 4, 5, 6]]), lists(v=[[7, 8]])])
    yield from both("ragged list: uniform 2 over uniform 2", "sequence ragged uniform", spec(2, 2), [lists(v=[[1, 2, 3, 4], []]), lists(), lists(v=[[5, 6, 7, 8]])])
    for kind in ragged_data():
        p = lambda *steps: step_data(kind, steps)
        part = kind + ":p"
        for what, recs in [
            ("two frames", [lists(v=[[1, 2, 3], [4]], p=p([1, 2], [1])), lists(v=[[5]], p=p([1]))]),
            ("empty frames", [lists(v=[[], [1, 2], []], p=p([], [2], [])), lists(v=[], p=[]), lists()]),
            ("frames without kind", [lists(v=["", [1, 2]], p=["", p([2])[0]])]),
            ("rows without values", [lists(v=[[1, 2], []], p=p([0, 2], [0, 0] if kind != "value_row_ids" else []))]),
            ("one partition frame too few", [lists(v=[[1, 2], [3]], p=p([2]))]),
            ("one partition frame too few, two records", [lists(v=[[1, 2], [3]], p=p([2])), lists(v=[[1]], p=p([1]))]),
            ("one partition frame too many", [lists(v=[[1, 2]], p=p([2], []))]),
            ("two partition frames for three", [lists(v=[[1], [2], [3]], p=p([1], [1]))]),
            ("three partition frames for two", [lists(v=[[1, 2], [3]], p=p([1], [1], [1]))]),
            ("frames missing in one record, surplus in the other", [lists(v=[[1], [2]], p=p([1])), lists(v=[[3]], p=p([1], [1]))]),
            ("partition list missing", [lists(v=[[1, 2]]), lists(v=[[3]], p=p([1]))]),
            ("partition list missing, no frames", [lists(v=[]), lists(v=[[3]], p=p([1]))]),
            ("value list missing", [lists(p=p([])), lists(v=[[3]], p=p([1]))]),
            ("partition frame empty, values present", [lists(v=[[1, 2], [3]], p=[[], p([1])[0]])]),
            ("bleeds into the next frame", [lists(v=[[1, 2, 3], [4, 5]], p=p([2], [1, 2]))]),
            ("one over", [lists(v=[[1, 2], [3]], p=p([3], [1]))]),
            ("partition of another kind", [lists(v=[[1]], p=[F(1)])]),
        ]:
            yield from both("ragged list %s: %s" % (kind, what), "sequence ragged " + kind, spec(part), recs)
        for dtype in ("float32", "string"):
            yield from both("ragged list %s of %s" % (kind, dtype), "sequence ragged " + kind, ({}, {"r": rag_spec(dtype, "v", part)}), [sequence_example({}, {"v": [feat(dtype, 3), feat(dtype, 0), feat(dtype, 2)], "p": [I(*x) for x in p([1, 0, 2], [], [2])]})])
        for n in (0, 1, 2, 7, 33):
            yield case("ragged list %s: batch of %d" % (kind, n), "sequence ragged batch " + kind, spec(part), [lists(v=[[*range(t)] for t in range(i % 4)], p=step_data(kind, [[1] * t for t in range(i % 4)])) for i in range(n)], "parse_sequence_example")
    rnd = random.Random(8)
    kinds = list(ragged_data()) + [1, 2]
    for depth in (2, 3, 4):
        for n in range(25):
            parts = [rnd.choice(kinds) for _ in range(depth)]
            recs = []
            for _ in range(rnd.choice([1, 2, 3])):
                steps = [nested_or_empty(random_nest(rnd, parts), parts) for _ in range(rnd.randrange(4))]
                keys = ["v"] + ["p%d" % i for i, p in enumerate(parts) if not isinstance(p, int)]
                recs.append(lists(**{k: [f[k] for f in steps] for k in keys}) if steps or rnd.random() < 0.5 else lists())
            yield from both("ragged list depth %d, %d: %s" % (depth, n, parts), "sequence ragged nested", spec(*[p if isinstance(p, int) else "%s:p%d" % (p, i) for i, p in enumerate(parts)]), recs)
    shared = ({}, {"x": rag_spec("int64", "v", "row_lengths:n"), "y": rag_spec("string", "s", "row_lengths:n"), "z": rag_spec("int64", "v")})
    yield from both("ragged lists that share keys", "sequence ragged shared", shared, [lists(v=[[1, 2], [3]], s=[B("p", "q"), B("r")], n=[[0, 2], [1]]), lists()])
    yield from both("ragged: same keys in context and lists", "sequence ragged shared", ({"r": rag_spec("int64", "v", "row_lengths:n")}, {"r": rag_spec("int64", "v", "row_lengths:n")}), [sequence_example({"v": I(1, 2), "n": I(2)}, {"v": [I(3)], "n": [I(0, 1)]})])
    yield from both("a list asked for as context is absent", "sequence", ({"a": varlen("int64")}, {}), [lists(a=[[1]])])


def nested_or_empty(rows, parts):
    """One step: key -> data of the values and of each partition."""
    try:
        flat, data = nested_data(rows, parts)
    except ValueError:
        flat, data = nested_data([], parts)
    return dict({"v": flat}, **{"p%d" % i: d for i, d in enumerate(data) if d is not None})


def errors():
    a1 = example({"a": I(1)})
    config = [
        ("no features", {}), ("dtype int32", {"a": fixed("int32")}), ("dtype float64", {"a": varlen("float64")}), ("dtype bool", {"a": rag_spec("bool")}), ("dtype missing", {"a": {"fixed_len": {"shape": []}}}),
        ("dtype missing, var_len", {"a": {"var_len": {}}}),
        ("fixed_len: shape missing", {"a": {"fixed_len": {"dtype": "int64"}}}), ("fixed_len: shape null", {"a": {"fixed_len": {"dtype": "int64", "shape": None}}}),
        ("fixed_len: first dimension unknown", {"a": {"fixed_len": {"dtype": "int64", "shape": [None]}}}), ("fixed_len: inner dimension unknown", {"a": {"fixed_len": {"dtype": "int64", "shape": [1, None]}}}),
        ("fixed_len: negative dimension", {"a": {"fixed_len": {"dtype": "int64", "shape": [-1]}}}), ("fixed_len: negative inner dimension", {"a": {"fixed_len": {"dtype": "int64", "shape": [1, -1]}}}),
        ("fixed_len: default is not broadcast", {"a": fixed("int64", [2], default=0)}), ("fixed_len: default too long", {"a": fixed("int64", [1], default=[1, 2])}),
        ("fixed_len: default for [0] and none", {"a": fixed("int64", [2], default=[])}), ("fixed_len: default of the wrong type", {"a": fixed("int64", [], default="x")}), ("fixed_len: number for bytes", {"a": fixed("string", [], default=1)}),
        ("fixed_len: fraction for an int64", {"a": fixed("int64", [], default=1.5)}),
        ("fixed_len_sequence: shape missing", {"a": {"fixed_len_sequence": {"dtype": "int64"}}}), ("fixed_len_sequence: inner dimension unknown", {"a": {"fixed_len_sequence": {"dtype": "int64", "shape": [None]}}}),
        ("fixed_len_sequence: allow_missing false", {"a": seqlen("int64", [], allow_missing=False)}), ("fixed_len_sequence: default of two", {"a": seqlen("int64", [2], default=[1, 2])}), ("fixed_len_sequence: empty default", {"a": seqlen("int64", [], default=[])}),
        ("sparse: index key empty", {"s": {"sparse": {"index_key": [], "value_key": "v", "dtype": "int64", "size": []}}}), ("sparse: value key empty", {"s": {"sparse": {"index_key": ["i"], "value_key": "", "dtype": "int64", "size": [1]}}}),
        ("sparse: sizes too few", {"s": {"sparse": {"index_key": ["i", "j"], "value_key": "v", "dtype": "int64", "size": [1]}}}), ("sparse: string key, list size", {"s": {"sparse": {"index_key": "i", "value_key": "v", "dtype": "int64", "size": [1]}}}),
        ("sparse: list key, number size", {"s": {"sparse": {"index_key": ["i"], "value_key": "v", "dtype": "int64", "size": 1}}}),
        ("ragged: value key empty", {"r": {"ragged": {"dtype": "int64", "value_key": "", "partitions": []}}}),
        ("one key as fixed_len and as ragged partition", {"n": fixed("int64"), "r": rag_spec("int64", "v", "row_lengths:n")}), ("one key as var_len and as ragged values", {"v": varlen("int64"), "r": rag_spec("int64", "v")}),
        ("one key as fixed_len and as sparse index", {"i": fixed("int64"), "s": {"sparse": {"index_key": ["i"], "value_key": "v", "dtype": "int64", "size": [1]}}}),
        ("one key with two dtypes, ragged", {"x": rag_spec("int64", "v"), "y": rag_spec("float32", "v")}), ("one key with two dtypes, sparse index and values", {"s": {"sparse": {"index_key": ["i"], "value_key": "i", "dtype": "float32", "size": [1]}}}),
        ("one key with two dtypes, var_len and sparse", {"v": varlen("int64"), "s": {"sparse": {"index_key": ["i"], "value_key": "v", "dtype": "float32", "size": [1]}}}),
        ("partition key is the float value key", {"r": rag_spec("float32", "v", "row_lengths:v")}),
    ]
    for what, spec in config:
        yield from both("config: " + what, "config", spec, [example({"a": I(1, 1), "v": I(), "i": I()})])
    s1 = sequence_example({}, {"a": [I(1)]})
    for what, spec in [
        ("sequence: nothing", ({}, {})), ("fixed_len in sequence", ({}, {"a": fixed("int64")})), ("sparse in sequence", ({}, {"s": {"sparse": {"index_key": ["i"], "value_key": "v", "dtype": "int64", "size": [1]}}})),
        ("sparse in context", ({"s": {"sparse": {"index_key": ["i"], "value_key": "v", "dtype": "int64", "size": [1]}}}, {})), ("fixed_len_sequence in context", ({"a": seqlen("int64")}, {})),
        ("default in sequence", ({}, {"a": seqlen("int64", [], default=1)})), ("shape missing in sequence", ({}, {"a": {"fixed_len_sequence": {"dtype": "int64"}}})), ("shape partly unknown in sequence", ({}, {"a": {"fixed_len_sequence": {"dtype": "int64", "shape": [None, 2]}}})),
        ("context default too long", ({"a": fixed("int64", [], default=[1, 2])}, {})), ("context shape unknown", ({"a": {"fixed_len": {"dtype": "int64", "shape": [None]}}}, {})), ("context key as fixed_len and as ragged", ({"a": fixed("int64"), "r": rag_spec("int64", "a")}, {})),
        ("list key as var_len and as ragged", ({}, {"a": varlen("int64"), "r": rag_spec("int64", "a")})), ("list dtype int32", ({}, {"a": varlen("int32")})), ("stride 0 in sequence", ({}, {"a": seqlen("int64", [0])})),
        ("stride 0 in sequence, may be missing", ({}, {"a": seqlen("int64", [2, 0], allow_missing=True)})),
    ]:
        yield from both("config: " + what, "config sequence", spec, [s1])
    for recs, what in (([a1], "values"), ([b""], "no values"), ([example({"a": I()})], "an empty list")):
        for shape in ([0], [2, 0]):
            yield from both("config: fixed_len_sequence of %s, %s" % (shape, what), "config unsafe", {"a": seqlen("int64", shape)}, recs)
    for shape in ([0], [2, 0]):
        yield from both("fixed_len %s: empty list is the right count" % shape, "zero-size", {"a": fixed("int64", shape)}, [example({"a": I()})])
        yield from both("fixed_len %s: absent" % shape, "zero-size", {"a": fixed("int64", shape)}, [b""])
        yield from both("fixed_len %s, empty default: absent" % shape, "zero-size", {"a": fixed("int64", shape, default=[])}, [b""])
        yield from both("fixed_len %s, empty default: empty list" % shape, "zero-size", {"a": fixed("int64", shape, default=[])}, [example({"a": I()})])
    for dtype in KINDS:
        for n, m in ((1, 2), (2, 1), (3, 0), (1, 40), (2, 1000)):
            v = [ONE[dtype][0]] * m
            for form in ("packed", "unpacked"):
                body = feature(KIND[dtype], [x.encode() if isinstance(x, str) else x for x in v], form)
                yield from both("count %s: %d wanted, %d there, %s" % (dtype, n, m, form), "count unsafe" if dtype == "float32" and m > n and form == "unpacked" else "count", {"a": fixed(dtype, [n])}, [example({"a": body}), example({"a": feat(dtype, n)})])
            yield case("count %s: %d wanted, %d there, context" % (dtype, n, m), "count sequence", ({"a": fixed(dtype, [n])}, {}), [example({"a": body}), example({"a": feat(dtype, n)})], "parse_sequence_example")
    for where, spec in (("context", ({"a": fixed("int64")}, {})), ("context and list", ({"a": fixed("int64")}, {"b": varlen("int64")}))):
        yield case("required in an empty batch, " + where, "batch", spec, [], "parse_sequence_example")
    yield case("required in an empty batch, default", "batch", ({"a": fixed("int64", [], default=1)}, {}), [], "parse_sequence_example")
    yield case("required in an empty batch, Example", "batch", {"a": fixed("int64")}, [])
    yield case("required list in an empty batch", "batch", ({}, {"a": seqlen("int64")}), [], "parse_sequence_example")
    c = ({"a": fixed("int64", [2])}, {})
    for what, recs in [("missing everywhere", [{}, {}]), ("missing in one", [{"a": I(1, 2)}, {}]), ("short in one", [{"a": I(1, 2)}, {"a": I(1)}]), ("no kind in one", [{"a": I(1, 2)}, {"a": NO_KIND}]), ("empty in one", [{"a": I()}, {"a": I(1, 2)}]), ("long in one", [{"a": I(1, 2, 3)}, {"a": I(1, 2)}])]:
        yield case("context fixed_len: " + what, "context", c, [sequence_example(d) for d in recs], "parse_sequence_example")
        yield case("context fixed_len with default: " + what, "context", ({"a": fixed("int64", [2], default=[8, 9])}, {}), [sequence_example(d) for d in recs], "parse_sequence_example")
    good, bad = example({"a": I(1), "f": F(2)}), [example({"a": F(1)}), example({"a": ld(3, b"\x09")}), b"\x0a\x05", example({"a": I(1, 2)}), b""]
    for i, b in enumerate(bad):
        for at in (0, 1, 3):
            recs = [good] * 4
            recs[at] = b
            yield case("bad record %d at %d of 4" % (i, at), "position", {"a": fixed("int64")}, recs)
    yield case("two bad records", "position", {"a": fixed("int64")}, [good, bad[0], good, bad[3]])


def text(rnd):
    return rnd.choice([b"", b"a", b"\xff\xfe\x00", "h\u00e9llo".encode(), "\U0001f600".encode(), b'"quoted"\n\t\\', b"\xed\xa0\x80", b"\xc0\x80", rnd.randbytes(rnd.randrange(1, 12)), b"x" * rnd.choice([15, 16, 23, 24, 130])])


def integer(rnd):
    return rnd.choice([0, 1, -1, 127, 128, 300, (1 << 31) - 1, -(1 << 31), 1 << 32, (1 << 53) + 1, (1 << 63) - 1, -(1 << 63), rnd.randrange(-1000, 1000), rnd.getrandbits(63), -rnd.getrandbits(63) - 1])


def number(rnd):
    f = rnd.choice([0.0, -0.0, 1.0, -1.5, 0.1, 1e-45, -1e-38, 3.4028235e38, float("inf"), float("-inf"), float("nan"), rnd.uniform(-1000, 1000), None, 16777216.0, 1e10, 1e16, 1e17])
    return struct.pack("<I", rnd.getrandbits(32)) if f is None else f


VALUE = {"int64": integer, "float32": number, "string": text}


def draw(rnd, dtype, n):
    return [VALUE[dtype](rnd) for _ in range(n)]


def put(rnd, dtype, vals):
    """A Feature of the values in any packing that every decoder reads alike."""
    form = rnd.choice(["packed", "packed", "unpacked"])
    return feature(KIND[dtype], vals, form)


def default_json(rnd, dtype, n):
    if dtype == "string":
        return [rnd.choice(["", "d", "\u00e9", {"b64": "/wA="}]) for _ in range(n)]
    if dtype == "float32":
        return [rnd.choice([0, -1.5, "NaN", "Infinity", 0.1]) for _ in range(n)]
    return [rnd.choice([0, -1, (1 << 63) - 1, -(1 << 63)]) for _ in range(n)]


def random_feature(rnd, key, sequence=None):
    """(spec, make): make() -> pairs for one record (key -> values, None = absent, "" = no kind); valid by construction.
    sequence: None for Example, else "context" or "sequence"."""
    dtype = rnd.choice(list(KINDS))
    kinds = {None: ["fixed_len", "fixed_len_sequence", "var_len", "sparse", "ragged", "ragged"], "context": ["fixed_len", "var_len", "ragged"], "sequence": ["fixed_len_sequence", "var_len", "ragged"]}
    kind = rnd.choice(kinds[sequence])
    few = lambda: rnd.choice([0, 0, 1, 1, 2, 3, 5])
    shape = rnd.choice([[], [], [1], [2], [3], [2, 2], [1, 2], [4]])
    n = math.prod(shape)
    value = lambda count: put(rnd, dtype, draw(rnd, dtype, count))
    maybe = lambda f: rnd.choice([lambda: {}, lambda: {key: NO_KIND}, f, f, f, f, f])()
    if kind == "fixed_len":
        if rnd.random() < 0.5:
            spec = fixed(dtype, shape, default=default_json(rnd, dtype, n))
            return spec, lambda: rnd.choice([lambda: {}, lambda: {key: value(n)}, lambda: {key: value(n)}, lambda: {key: NO_KIND} if sequence is None else {}])()
        return fixed(dtype, shape), lambda: {key: value(n)}
    if kind == "fixed_len_sequence" and sequence is None:
        spec = seqlen(dtype, shape, **({"default": default_json(rnd, dtype, 1)[0]} if rnd.random() < 0.5 else {}))
        return spec, lambda: maybe(lambda: {key: value(n * few())})
    if kind == "fixed_len_sequence":
        missing = rnd.random() < 0.5
        return seqlen(dtype, shape, **({"allow_missing": True} if missing else {})), lambda: {} if missing and rnd.random() < 0.3 else {key: [value(n) for _ in range(few())]}
    if kind == "var_len":
        if sequence == "sequence":
            return varlen(dtype), lambda: rnd.choice([{}, {key: [rnd.choice([NO_KIND, value(few())]) for _ in range(few())]}])
        return varlen(dtype), lambda: maybe(lambda: {key: value(few())})
    if kind == "sparse":
        dims = rnd.choice([1, 1, 2, 3])
        size = [rnd.choice([5, 100, 1 << 33]) for _ in range(dims)]
        names = ["%s/i%d" % (key, i) for i in range(dims)]

        def make():
            ix = list({tuple(rnd.randrange(s) for s in size) for _ in range(few())})
            if not ix and rnd.random() < 0.5:
                return {}
            if not rnd.random() < 0.5:
                ix.sort()
            return dict({k: put(rnd, "int64", [t[i] for t in ix]) for i, k in enumerate(names)}, **{key + "/v": value(len(ix))})
        return {"sparse": {"index_key": names, "value_key": key + "/v", "dtype": dtype, "size": size}}, make
    parts = [rnd.choice(list(ragged_data()) + [1, 2, 3]) for _ in range(rnd.choice([0, 1, 1, 2, 2, 3, 4]))]
    names = [p if isinstance(p, int) else "%s:%s/p%d" % (p, key, i) for i, p in enumerate(parts)]
    spec = rag_spec(dtype, key + "/v", *names)

    def unit():
        flat, data = [], []
        if parts:
            d = nested_or_empty(random_nest(rnd, parts), parts)
            flat, data = d["v"], [d.get("p%d" % i) for i in range(len(parts))]
        else:
            flat = [0] * few()
        return dict({key + "/v": value(len(flat))}, **{"%s/p%d" % (key, i): put(rnd, "int64", d) for i, d in enumerate(data) if d is not None})

    def make():
        if sequence == "sequence":
            steps = [unit() for _ in range(few())]
            return {k: [f[k] for f in steps] for k in (steps[0] if steps else unit())} if steps or rnd.random() < 0.5 else {}
        empty = all(isinstance(p, int) for p in parts)
        return unit() if not empty or rnd.random() < 0.8 else {}
    return spec, make


def shuffled(rnd, pairs):
    pairs = list(pairs.items())
    rnd.shuffle(pairs)
    return pairs


def random_theme(seed=1):
    rnd = random.Random(seed)
    for n in range(800):
        call_ = rnd.choice(["parse_example"] * 4 + ["parse_single_example"] + ["parse_sequence_example"] * 3 + ["parse_single_sequence_example"])
        size = 1 if "single" in call_ else rnd.choice([0, 1, 1, 2, 2, 7, 7, 33])
        few = rnd.choice([1, 1, 2, 3]) if size > 7 else rnd.choice([1, 2, 3, 5])
        groups = [None] if "sequence" not in call_ else ["context", "sequence"]
        feats = {g: {rnd.choice(["", "k", "\u00e9", "a b"]) + "%d" % i: None for i in range(few)} for g in groups}
        for g, d in feats.items():
            for k in d:
                d[k] = random_feature(rnd, k, g)
        if "sequence" in call_ and size == 0 or rnd.random() < 0.1:
            feats.pop("context", None) if "sequence" in feats else None
        recs = []
        for _ in range(size):
            pairs = {g: shuffled(rnd, {k: v for _, make in d.values() for k, v in make().items()}) for g, d in feats.items()}
            extra = [("zz-extra", put(rnd, "string", draw(rnd, "string", 2)))] if rnd.random() < 0.2 else []
            recs.append(example(pairs[None] + extra) if None in pairs else sequence_example(pairs.get("context", []) + extra, pairs.get("sequence", [])))
        specs = {g: {k: s for k, (s, _) in d.items()} for g, d in feats.items()}
        kinds = sorted({next(iter(s)) for d in specs.values() for s in d.values()})
        spec = specs[None] if None in specs else (specs.get("context", {}), specs.get("sequence", {}))
        yield case("random %d" % n, "random batch%d %s" % (size, " ".join(kinds)), spec, recs, call_)


# ----------------------------------------------------------------------------------------------------------- main

THEMES = {"wire": wire, "fixed": fixed_theme, "varlen_sparse": varlen_sparse, "ragged": ragged_theme, "sequence": sequence, "errors": errors, "random": random_theme}


def produce(theme, cases, out, program):
    cases = list(cases)
    values.write(os.path.join(out, theme + ".jsonl"), "parse", program, cases)
    n = lambda k: sum(k in c for c in cases)
    print("%-14s %5d cases, %5d errors, %4d ours" % (theme, len(cases), n("error"), n("ours")), flush=True)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("themes", nargs="*")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--out", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "vectors", "parse"))
    ap.add_argument("--serve", action="store_true", help="be the worker: a case a line on stdin, its outcome on stdout")
    a = ap.parse_args()
    if a.serve:
        return serve()
    for theme in a.themes or THEMES:
        cases = random_theme(a.seed) if theme == "random" else THEMES[theme]()
        produce(theme, cases, a.out, "make/parse.py --seed %d" % a.seed)


if __name__ == "__main__":
    main()

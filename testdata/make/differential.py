"""Random specs and records through TensorFlow and through tfparse, compared as tensors.

    python differential.py [--cases 20000] [--seed 1] [--tfparse PATH] [--from N] [--keep DIR]

Every case is a spec and a batch of one to six records. TensorFlow parses the batch with parse_example or
parse_sequence_example (validate=True); the command prints it with `tfparse cat --spec S --batch N`. Both must refuse, or
both give tensors of the same dtype, shape, partitions (and which of them are uniform) and values, in order. Where they
do not, one of the rules in `refusals` and `ACCEPTED` must say so: each is a row of ../../feature/DIFFERENCES.md, is
decided here from the data of the case alone, and holds both ways: a record that a rule refuses must be refused, and the
message must name it. Records that only we accept must give the tensors that TensorFlow gives for the same data in a
form that it accepts. What no rule explains is a finding: it is printed, kept with --keep, and the exit code is 1.

A case is made from its number and the seed alone: --from N --cases 1 runs case N again. The generator shares nothing
with parse.py, which made the vectors. Without --tfparse the command is built. Needs tensorflow and Go.
"""
import argparse
import base64
import collections
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
INT, FLOAT, BYTES = "int64", "float32", "string"
FIELD = {BYTES: 1, FLOAT: 2, INT: 3}

# ------------------------------------------------------------------------------------------------------ records
#
# A record is a list of entries, or for a SequenceExample two of them: context and lists. An entry is a dict: key; kind
# (None: no kind) and values, or steps (a list of dicts with kind and values); form and quirks of the bytes.


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def field(number, body):
    return varint(number << 3 | 2) + varint(len(body)) + body


def item(kind, v):
    return varint(v) if kind == INT else struct.pack("<I", v)


def encode_list(kind, values, form):
    if kind == BYTES:
        return b"".join(field(1, v) for v in values)
    packed = lambda vs: field(1, b"".join(item(kind, v) for v in vs))
    single = lambda vs: b"".join((b"\x08" if kind == INT else b"\x0d") + item(kind, v) for v in vs)
    half = len(values) // 2
    if form == "unpacked":
        return single(values)
    if form == "chunks":
        return packed(values[:half]) + packed(values[half:])
    if form == "mixed":
        return single(values[:half]) + packed(values[half:])
    return packed(values) if values else b""


def encode_feature(e, strict):
    """strict leaves out what only we accept."""
    if e["kind"] is None:
        return b""
    form = e.get("form", "packed")
    if strict and (form == "mixed" or e.get("before")):
        form = "packed"
    body = field(FIELD[e["kind"]], encode_list(e["kind"], e["values"], form))
    if e.get("behind"):                      # an unknown field, which TensorFlow does not look at
        body += field(9, b"?")
    if e.get("before") and not strict:
        body = field(9, b"?") + body
    return body


def encode_entries(entries, strict):
    out = b""
    for e in entries:
        if "steps" in e:
            value = b"".join(field(1, encode_feature(f, strict)) for f in e["steps"])
        else:
            value = encode_feature(e, strict)
        parts = [field(1, e["key"].encode()), field(2, value)]
        if e.get("swapped") and not strict:
            parts.reverse()
        if e.get("unknown") and not strict:
            parts.append(field(9, b"?"))
        out += field(1, b"".join(parts))
        if e.get("stray") and not strict:
            out += field(9, b"?")
    return out


def encode(record, strict=False):
    if "features" in record:
        out = field(1, encode_entries(record["features"], strict))
    else:
        out = field(1, encode_entries(record["context"], strict)) + field(2, encode_entries(record["sequence"], strict))
    return out + (field(9, b"unknown") if record.get("top") else b"")


# -------------------------------------------------------------------------------------------------------- specs

SUFFIX = ["", "", "", "/x", " y", "é", "日", "'", '"', "\\", "\t", "A"]
PARTITION = ["row_splits", "row_lengths", "row_starts", "row_limits", "value_row_ids", "uniform_row_length"]
INTS = [0, 1, 2, 3, -1, 7, 127, 128, 300, 2**31, 2**53 + 1, -2**63, 2**63 - 1]
FLOATS = [0, 0x80000000, 0x3f800000, 0x3f000000, 0x40490fdb, 0x7f7fffff, 1, 0x7f800000, 0xff800000, 0x7fc00000, 0xc2f6e979, 0x3dcccccd]
TEXTS = [b"", b"a", b"bc", "é".encode(), b"\xff\xfe", b"\x00", b'"\\\n', b"NaN", b"word", "日本".encode()]


class Maker:
    """Makes one case."""

    def __init__(self, seed, number):
        self.r = random.Random("%d %d" % (seed, number))
        self.names = 0
        self.intkeys = []                    # keys that ragged features read as int64

    def chance(self, p):
        return self.r.random() < p

    def name(self):
        self.names += 1
        return "%s%d%s" % (self.r.choice("fgz_"), self.names, self.r.choice(SUFFIX))

    def value(self, dtype):
        r = self.r
        if dtype == INT:
            return r.choice(INTS) if self.chance(.5) else r.randint(-50, 50)
        if dtype == FLOAT:
            return r.choice(FLOATS) if self.chance(.5) else struct.unpack("<I", struct.pack("<f", r.uniform(-100, 100)))[0]
        return r.choice(TEXTS) if self.chance(.7) else bytes(r.randrange(256) for _ in range(r.randrange(6)))

    def values(self, dtype, n):
        return [self.value(dtype) for _ in range(n)]

    def dtype(self):
        return self.r.choice([INT, FLOAT, BYTES])

    def shape(self, zero):
        shape = [self.r.choice([1, 1, 2, 2, 3, 4]) for _ in range(self.r.choice([0, 0, 0, 1, 1, 2, 3]))]
        if shape and self.chance(zero):
            shape[self.r.randrange(len(shape))] = 0
        return shape

    def feature(self, group):
        """(kind, arguments) of one feature."""
        kinds = {"features": ["fixed_len"] * 2 + ["fixed_len_sequence", "var_len", "sparse"] + ["ragged"] * 5,
                 "context": ["fixed_len"] * 2 + ["var_len", "ragged", "ragged"],
                 "sequence": ["fixed_len_sequence", "var_len"] + ["ragged"] * 3}[group]
        kind = self.r.choice(kinds)
        if self.chance(.003):
            kind = self.r.choice(["sparse", "fixed_len", "fixed_len_sequence"])      # perhaps where it may not stand
        a = {"dtype": self.dtype()}
        if kind == "fixed_len":
            a["shape"] = self.shape(.03)
            if self.chance(.5):
                a["default"] = self.default(a["dtype"], size(a["shape"]))
        elif kind == "fixed_len_sequence":
            a["shape"] = self.shape(.002)
            if group == "sequence":
                a["allow_missing"] = self.chance(.6)
            elif self.chance(.5):
                a["default"] = self.default(a["dtype"], 1)
        elif kind == "sparse":
            n = self.r.choice([1, 1, 2, 3])
            a.update(index_key=[self.name() for _ in range(n)], value_key=self.name(), size=[self.r.randint(1, 5) for _ in range(n)])
            if self.chance(.2):
                a["already_sorted"] = True
            if self.chance(.01):
                a["size"][0] = -1
        elif kind == "ragged":
            a["value_key"] = self.name()
            a["partitions"] = []
            for _ in range(self.r.choice([0, 1, 1, 1, 2, 2, 3, 4])):
                p = self.r.choice(PARTITION)
                if p == "uniform_row_length":
                    a["partitions"].append({p: self.r.choice([1, 2, 2, 3]) if not self.chance(.01) else self.r.choice([0, -1])})
                elif self.intkeys and self.chance(.12):
                    a["partitions"].append({p: self.r.choice(self.intkeys)})
                else:
                    a["partitions"].append({p: self.name()})
                    self.intkeys.append(list(a["partitions"][-1].values())[0])
            if a["dtype"] == INT:
                self.intkeys.append(a["value_key"])
        return kind, a

    def default(self, dtype, n):
        return [spell(dtype, v) for v in self.values(dtype, n)]

    def spec(self):
        if self.chance(.65):
            groups = {"features": self.r.choice([1, 1, 2, 3, 4])}
        else:
            groups = {"context": self.r.choice([0, 0, 1, 2]), "sequence": self.r.choice([1, 1, 2, 3])}
        spec = {}
        for group, n in groups.items():
            self.intkeys = []
            features = {}
            for _ in range(n):
                kind, a = self.feature(group)
                name = self.name()
                if self.chance(.02) and features:                                    # perhaps a key of two classes
                    name = self.r.choice(wire_keys(*self.r.choice(list(features.items()))))
                features[name] = {kind: a}
            if features:
                spec[group] = features
        return spec

    # ------------------------------------------------------------------------------------------------- data

    def entries(self, features):
        """Entries of one unit (a record, a context) that fit, mostly."""
        out = {}
        for name, f in features.items():
            (kind, a), = f.items()
            for key, dtype, values in self.unit(name, kind, a):
                out.setdefault(key, {"key": key, "kind": dtype, "values": values})
        return list(out.values())

    def unit(self, name, kind, a):
        if self.chance(.07):
            return []
        dtype = a["dtype"]
        if kind == "fixed_len":
            return [(name, dtype, self.values(dtype, size(a["shape"])))]
        if kind == "fixed_len_sequence":
            return [(name, dtype, self.values(dtype, size(a["shape"]) * self.r.choice([0, 1, 1, 2, 3])))]
        if kind == "var_len":
            return [(name, dtype, self.values(dtype, self.r.choice([0, 1, 1, 2, 3, 5])))]
        if kind == "sparse":
            n = self.r.choice([0, 1, 1, 2, 3])
            return [(k, INT, [self.r.randrange(max(s, 1)) for _ in range(n)]) for k, s in zip(a["index_key"], a["size"])] + \
                   [(a["value_key"], dtype, self.values(dtype, n))]
        out = []
        rows = self.r.choice([0, 1, 2, 2, 3])
        for p in a["partitions"]:
            (how, key), = p.items()
            if how == "uniform_row_length":
                rows = min(rows * max(key, 0), 200)
                continue
            lengths = [self.r.choice([0, 1, 1, 2, 3]) for _ in range(rows)]
            if how == "value_row_ids" and lengths:
                lengths[-1] = max(lengths[-1], 1)
            ends = [sum(lengths[:i]) for i in range(rows + 1)]
            data = {"row_splits": ends if rows or self.chance(.5) else [], "row_lengths": lengths, "row_starts": ends[:-1], "row_limits": ends[1:],
                    "value_row_ids": [i for i, n in enumerate(lengths) for _ in range(n)]}[how]
            out.append((key, INT, data))
            rows = ends[-1]
        return out + [(a["value_key"], dtype, self.values(dtype, rows))]

    def lists(self, features):
        out = {}
        for name, f in features.items():
            (kind, a), = f.items()
            steps = self.r.choice([0, 1, 1, 2, 3])
            if kind == "fixed_len_sequence":
                units = [[(name, a["dtype"], self.values(a["dtype"], size(a["shape"])))] for _ in range(steps)]
            else:
                units = [self.unit(name, kind, a) for _ in range(steps)]
            keys = wire_keys(name, f)
            if self.chance(.07):
                continue
            for key in keys:
                made = [next(((d, v) for k, d, v in u if k == key), (None, [])) for u in units]
                out.setdefault(key, {"key": key, "steps": [{"kind": d, "values": v} for d, v in made]})
        return list(out.values())

    def record(self, spec):
        if "features" in spec:
            record = {"features": self.entries(spec["features"])}
        else:
            record = {"context": self.entries(spec.get("context", {})), "sequence": self.lists(spec.get("sequence", {}))}
        for part in record.values():
            if self.chance(.3):
                self.r.shuffle(part)
        return record

    # -------------------------------------------------------------------------------------------- what goes wrong

    def spots(self, record):
        """Everything with kind and values: features, and steps."""
        out = []
        for part in ("features", "context", "sequence"):
            for e in record.get(part, []):
                out += e["steps"] if "steps" in e else [e]
        return out

    def number(self, values):
        if not values:
            values.append(self.r.randint(0, 3))
            return
        i = self.r.randrange(len(values))
        values[i] = self.r.choice([values[i] + 1, values[i] - 1, -1, 0, values[i] + 2, 6])

    def spoil(self, records):
        """Changes something, which may or may not break it. Returns what."""
        r = self.r
        record = r.choice(records)
        parts = [p for p in ("features", "context", "sequence") if record.get(p)]
        what = r.choice(["number", "number", "number", "longer", "shorter", "swap", "drop", "no kind", "empty", "wrong kind", "duplicate", "duplicate",
                         "carry", "carry", "frame", "frame", "form", "form", "chunks", "mixed", "swapped", "unknown", "stray", "before", "behind", "top", "extra"])
        spots = self.spots(record)
        ints = [s for s in spots if s["kind"] == INT]
        if what == "top":
            record["top"] = True
        elif what == "extra":
            part = r.choice([p for p in ("features", "context") if p in record])
            record[part].append({"key": "nobody asks", "kind": INT, "values": [1, 2]})
        elif not parts or not spots:
            return
        elif what == "number" and ints:
            self.number(r.choice(ints)["values"])
        elif what == "swap" and ints:
            r.shuffle(r.choice(ints)["values"])
        elif what == "longer":
            s = r.choice(spots)
            if s["kind"]:
                s["values"].append(self.value(s["kind"]) if s["kind"] != INT else r.randint(0, 4))
        elif what == "shorter":
            s = r.choice(spots)
            if s["values"]:
                s["values"].pop(r.randrange(len(s["values"])))
        elif what == "drop":
            part = record[r.choice(parts)]
            part.pop(r.randrange(len(part)))
        elif what == "no kind":
            r.choice(spots).update(kind=None, values=[])
        elif what == "empty":
            s = r.choice(spots)
            s["values"] = []
            s["kind"] = s["kind"] or self.dtype()
        elif what == "wrong kind":
            s = r.choice(spots)
            s["kind"] = self.dtype()
            s["values"] = self.values(s["kind"], len(s["values"]))
        elif what == "duplicate":
            part = record[r.choice(parts)]
            e = json_copy(r.choice(part))
            for s in e.get("steps", [e]):
                if self.chance(.3):
                    s.update(kind=None, values=[])
                elif s["kind"] == INT and self.chance(.5):
                    self.number(s["values"])
            part.insert(r.randrange(len(part) + 1), e)
        elif what == "carry":                # what one record has too much makes up for what another has too little
            other = r.choice(records)
            pairs = [(x, y) for x in record.get("features", []) for y in other.get("features", []) if x["key"] == y["key"] and x["kind"] == y["kind"] and x is not y]
            if pairs:
                x, y = r.choice(pairs)
                if x["kind"] == INT and x["values"] and y["values"] and self.chance(.6):
                    x["values"][-1] += 1
                    y["values"][0] -= 1
                elif x["values"]:
                    y["values"].append(x["values"].pop())
        elif what == "frame":
            lists = record.get("sequence", [])
            if lists:
                steps = r.choice(lists)["steps"]
                if steps and self.chance(.5):
                    steps.pop(r.randrange(len(steps)))
                else:
                    steps.insert(r.randrange(len(steps) + 1), {"kind": None, "values": []})
        elif what in ("swapped", "unknown", "stray"):
            r.choice(record[r.choice(parts)])[what] = True
        elif what in ("before", "behind"):
            features = [e for p in ("features", "context") for e in record.get(p, []) if e["kind"]]
            if features:
                r.choice(features)[what] = True
        elif what == "form":
            for s in spots:
                s["form"] = "unpacked"
        elif what in ("chunks", "mixed"):
            features = [e for p in ("features", "context") for e in record.get(p, []) if e["kind"] in (INT, FLOAT) and len(e["values"]) > 1]
            if features:
                r.choice(features)["form"] = what
        else:
            return
        return what

    def case(self):
        spec = self.spec()
        records = [self.record(spec) for _ in range(self.r.choice([1, 2, 2, 3, 4, 6]))]
        spoiled = [self.spoil(records) for _ in range(self.r.choice([0, 0, 1, 1, 1, 2, 3]))]
        return {"spec": spec, "records": records, "spoiled": [s for s in spoiled if s]}


def json_copy(e):
    return {k: [json_copy(x) if isinstance(x, dict) else x for x in v] if isinstance(v, list) else v for k, v in e.items()}


def size(shape):
    n = 1
    for d in shape:
        n *= d
    return n


def spell(dtype, v):
    """A value as Spec JSON has it."""
    if dtype == INT:
        return v
    if dtype == BYTES:
        return {"b64": base64.b64encode(v).decode()}
    f = struct.unpack("<f", struct.pack("<I", v))[0]
    return "NaN" if f != f else "Infinity" if f == float("inf") else "-Infinity" if f == -float("inf") else f


def wire_keys(name, f):
    (kind, a), = f.items()
    if kind == "sparse":
        return a["index_key"] + [a["value_key"]]
    if kind == "ragged":
        return [k for p in a["partitions"] for how, k in p.items() if how != "uniform_row_length"] + [a["value_key"]]
    return [name]


# -------------------------------------------------------------------------------------------------------- rules


class Other(Exception):
    """Something is wrong with a record that no rule is about: TensorFlow refuses it too."""


def last(entries, key):
    """The entry that counts, or None."""
    found = [e for e in entries if e["key"] == key]
    return found[-1] if found else None


def ints(e):
    if e is None or e["kind"] is None:
        return []
    if e["kind"] != INT:
        raise Other
    return e["values"]


def count(e, dtype):
    if e is None or e["kind"] is None:
        return 0
    if e["kind"] != dtype:
        raise Other
    return len(e["values"])


def ragged_fault(a, get):
    """The rule that the partitions of one unit break, or None. get(key) is an entry or a step."""
    items = count(get(a["value_key"]), a["dtype"])
    for p in reversed(a["partitions"]):
        (how, key), = p.items()
        if how == "uniform_row_length":
            if items % key:
                return "items that uniform rows do not divide"
            items //= key
            continue
        d = ints(get(key))
        up = all(x <= y for x, y in zip(d, d[1:]))
        if how == "row_lengths":
            if any(x < 0 for x in d) or sum(d) != items:
                return "row_lengths of a record"
            items = len(d)
        elif how == "value_row_ids":
            if len(d) != items or not up or d and d[0] < 0:
                return "value_row_ids of a record"
            items = d[-1] + 1 if d else 0
        elif how == "row_splits":
            if not d and not items:
                continue
            if not d or d[0] != 0 or not up or d[-1] != items:
                return "row_splits of a record"
            items = len(d) - 1
        elif how == "row_starts":
            if (not d and items) or d and (d[0] != 0 or not up or d[-1] > items):
                return "row_starts of a record"
            items = len(d)
        else:
            if (not d and items) or d and (d[0] < 0 or not up or d[-1] != items):
                return "row_limits of a record"
            items = len(d)
    return None


def sparse_fault(a, get):
    n = count(get(a["value_key"]), a["dtype"])
    for key, bound in zip(a["index_key"], a["size"]):
        d = ints(get(key))
        if len(d) != n:
            return "sparse indices and values of a record"
        if any(not 0 <= x < bound for x in d):
            return "sparse index outside of its size"
    return None


def record_refusals(spec, record):
    """The rules by which we refuse a record, whatever TensorFlow does with it."""
    out = set()
    for group in ("features", "context", "sequence"):
        entries = record.get(group, [])
        for name, f in spec.get(group, {}).items():
            (kind, a), = f.items()
            for key in wire_keys(name, f):
                same = [e for e in entries if e["key"] == key]
                if group == "features" and same and same[-1]["kind"] is None and any(e["kind"] for e in same):
                    out.add("the last of several entries has no kind")
                # With an unknown field before the list there is one reading only: TensorFlow has none.
                if same and same[-1].get("form") == "chunks" and len(same[-1]["values"]) > 1 and same[-1]["kind"] in (INT, FLOAT) and not same[-1].get("before"):
                    out.add("several chunks in one list")
            try:
                fault = None
                if group == "sequence" and kind == "ragged":
                    lists = {k: (last(entries, k) or {"steps": []})["steps"] for k in wire_keys(name, f)}
                    n = len(lists[a["value_key"]])
                    if any(len(steps) != n for steps in lists.values()):
                        fault = "frames of values and partitions"
                    for t in range(n if not fault else 0):
                        fault = fault or ragged_fault(a, lambda k: lists[k][t])
                elif kind == "ragged":
                    fault = ragged_fault(a, lambda k: last(entries, k))
                elif kind == "sparse" and group != "sequence":
                    fault = sparse_fault(a, lambda k: last(entries, k))
                if fault:
                    out.add(fault)
            except Other:
                pass
    return out


def spec_refusals(spec):
    out = set()
    for group, features in spec.items():
        for f in features.values():
            (kind, a), = f.items()
            if any(p.get("uniform_row_length", 1) < 1 for p in a.get("partitions", [])):
                out.add("spec: uniform_row_length is positive")
            if kind == "fixed_len_sequence" and size(a["shape"]) == 0:
                out.add("spec: a block has at least one value")
            if kind == "sparse" and min(a["size"]) < 0:
                out.add("spec: a sparse size is not negative")
    return out


# What only we accept, by quirk: where it stands, and the rule.
ACCEPTED = [("swapped", ("context", "sequence"), "a value before its key in a SequenceExample"),
            ("unknown", ("features", "context", "sequence"), "unknown fields in a map entry"),
            ("stray", ("features", "context", "sequence"), "unknown fields among the entries of a map"),
            ("before", ("features", "context"), "unknown fields before the list of a feature")]


def acceptances(case):
    out = set()
    for record in case["records"]:
        for quirk, groups, rule in ACCEPTED:
            if any(e.get(quirk) for g in groups for e in record.get(g, [])):
                out.add(rule)
        if any(e.get("form") == "mixed" for g in ("features", "context") for e in record.get(g, [])):
            out.add("packed beside unpacked values where one reading is possible")
    return out


# ------------------------------------------------------------------------------------------------------ outcomes
#
# {"error": text}, or {"tensors": {group: {name: tensor}}}. A tensor is a list: ["dense", dtype, shape, values],
# ["ragged", partitions, dense] or ["sparse", indices, shape, dtype, values]. Floats are their bits, with one NaN; bytes
# are hexadecimal.

NAN = 0x7fc00000


def canonical(bits):
    return NAN if bits & 0x7fffffff > 0x7f800000 else bits


def serve():
    """The worker: TensorFlow in a process of its own, since some bytes take it down."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    import numpy as np
    import tensorflow as tf
    partition = {"row_splits": tf.io.RaggedFeature.RowSplits, "row_lengths": tf.io.RaggedFeature.RowLengths, "row_starts": tf.io.RaggedFeature.RowStarts,
                 "row_limits": tf.io.RaggedFeature.RowLimits, "value_row_ids": tf.io.RaggedFeature.ValueRowIds,
                 "uniform_row_length": tf.io.RaggedFeature.UniformRowLength}

    def default(a):
        if "default" not in a:
            return None
        if a["dtype"] == BYTES:
            return np.array([base64.b64decode(v["b64"]) for v in a["default"]], object)
        # Not a number of Python's: TensorFlow remembers those by value, and would take 0.0 for -0.0.
        return np.array([float(v) for v in a["default"]], np.float32) if a["dtype"] == FLOAT else np.array(a["default"], np.int64)

    def feature(f, group):
        (kind, a), = f.items()
        dtype = tf.as_dtype(a["dtype"])
        if kind == "fixed_len":
            return tf.io.FixedLenFeature(a["shape"], dtype, default(a))
        if kind == "fixed_len_sequence":
            return tf.io.FixedLenSequenceFeature(a["shape"], dtype, a.get("allow_missing", group != "sequence"), default(a))
        if kind == "var_len":
            return tf.io.VarLenFeature(dtype)
        if kind == "sparse":
            return tf.io.SparseFeature(a["index_key"], a["value_key"], dtype, a["size"], a.get("already_sorted", False))
        return tf.io.RaggedFeature(dtype, a["value_key"], [partition[h](k) for p in a["partitions"] for h, k in p.items()], row_splits_dtype=tf.int64, validate=True)

    def dense(t):
        a = t.numpy()
        if t.dtype == tf.string:
            values = [v.hex() for v in np.asarray(a, dtype=object).reshape(-1)]
        elif t.dtype == tf.float32:
            values = [canonical(int(v)) for v in np.asarray(a).reshape(-1).view(np.uint32)]
        else:
            values = [int(v) for v in np.asarray(a).reshape(-1)]
        return ["dense", t.dtype.name, [int(d) for d in t.shape], values]

    def tensor(t):
        if isinstance(t, tf.RaggedTensor):
            parts = []
            for p in t._nested_row_partitions:
                if p.uniform_row_length() is not None:
                    parts.append([int(p.uniform_row_length()), int(p.nrows())])
                else:
                    parts.append(["splits"] + [int(x) for x in p.row_splits()])
            return ["ragged", parts, dense(t.flat_values)]
        if isinstance(t, tf.SparseTensor):
            _, dtype, _, values = dense(t.values)
            return ["sparse", t.indices.numpy().tolist(), t.dense_shape.numpy().tolist(), dtype, values]
        return dense(t)

    def run(spec, records):
        batch = tf.constant(records, tf.string, shape=[len(records)])
        groups = {g: {name: feature(f, g) for name, f in fs.items()} for g, fs in spec.items()}
        if "features" in spec:
            return {"columns": {k: tensor(t) for k, t in tf.io.parse_example(batch, groups["features"]).items()}}
        c, s, n = tf.io.parse_sequence_example(batch, groups.get("context"), groups.get("sequence"))
        return {g: {k: tensor(t) for k, t in d.items()} for g, d in (("context", c), ("sequence", s), ("lengths", n))}

    for line in sys.stdin:
        spec, records = json.loads(line)
        try:
            out = {"tensors": run(spec, [base64.b64decode(r) for r in records])}
        except Exception as e:               # TensorFlow raises many kinds; all of them mean that it refuses
            out = {"error": " ".join((type(e).__name__ + ": " + str(e)).split())[:300]}
        print(json.dumps(out), flush=True)


class TensorFlow:
    def __init__(self):
        self.p = None

    def send(self, spec, records):
        if self.p is None:
            self.p = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.p.stdin.write(json.dumps([spec, [base64.b64encode(r).decode() for r in records]]).encode() + b"\n")
        self.p.stdin.flush()

    def receive(self):
        line = self.p.stdout.readline()
        if line:
            return json.loads(line)
        code, self.p = self.p.wait(), None
        return {"error": "the process died: %d" % code, "died": True}


def masked_crc(b):
    crc = 0xffffffff
    for x in b:
        crc = CRC[(crc ^ x) & 255] ^ crc >> 8
    crc ^= 0xffffffff
    return ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff


def table():
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82f63b78 if n & 1 else 0)
        yield n


CRC = list(table())


def tfrecord(records):
    out = b""
    for r in records:
        head = struct.pack("<Q", len(r))
        out += head + struct.pack("<I", masked_crc(head)) + r + struct.pack("<I", masked_crc(r))
    return out


class Command:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def run(self, spec, records):
        name = os.path.join(self.folder, "spec.json")
        with open(name, "w") as f:
            json.dump(spec, f)
        p = subprocess.run([self.path, "cat", "--spec", name, "--batch", str(len(records)), "-"], input=tfrecord(records), capture_output=True)
        message = p.stderr.decode(errors="replace").strip()
        if p.returncode:
            return {"error": message, "code": p.returncode}
        out = json.loads(p.stdout)
        if message or out.pop("rows") != len(records):
            return {"error": "a success with a message, or with other rows: " + message, "code": -1}
        return {"tensors": {g: {name: self.tensor(t) for name, t in columns.items()} for g, columns in out.items()}}

    def tensor(self, t):
        (form, t), = t.items()
        if form == "ragged":
            parts = [["splits"] + p["row_splits"] if "row_splits" in p else [p["uniform_row_length"], p["nrows"]] for p in t["partitions"]]
            return ["ragged", parts, self.tensor({"dense": t["flat_values"]})]
        values = t["values"]
        if t["dtype"] == BYTES:
            values = [(base64.b64decode(v["b64"]) if isinstance(v, dict) else v.encode()).hex() for v in values]
        elif t["dtype"] == FLOAT:
            values = [canonical(struct.unpack("<I", struct.pack("<f", float(v)))[0]) for v in values]
        return ["dense", t["dtype"], t["shape"], values] if form == "dense" else ["sparse", t["indices"], t["dense_shape"], t["dtype"], values]


def stable(outcome):
    """Sparse entries with equal indices in the order of their values: TensorFlow's sort mixes them."""
    out = json.loads(json.dumps(outcome))
    for columns in out["tensors"].values():
        for t in columns.values():
            if t[0] == "sparse":
                both = sorted(zip(t[1], t[4]))
                t[1], t[4] = [i for i, _ in both], [v for _, v in both]
    return out


def judge(case, tf, ours, again):
    """(class, finding or None). again() is what TensorFlow makes of the data in a form that it accepts."""
    spec = case["spec"]
    whole = spec_refusals(spec)
    first, refused = None, set()
    if not whole:
        for i, record in enumerate(case["records"]):
            refused = record_refusals(spec, record)
            if refused:
                first = i
                break
    if ours.get("code") not in (None, 2, 4):
        return "fault", "exit code %s: %s" % (ours["code"], ours["error"])
    if (whole or refused) and "error" not in ours:
        return "fault", "should be refused: %s" % sorted(whole | refused)
    if "error" in tf and "error" in ours and not tf.get("died"):
        return "both refuse the spec" if ours["code"] == 2 else "both refuse the records", None
    if "error" in ours:
        rules = whole | refused
        if not rules:
            return "fault", "TensorFlow accepts it; we say " + ours["error"]
        if (ours["code"] == 2) != bool(whole) or first is not None and ": record %d " % first not in ours["error"]:
            return "fault", "refused for %s at record %s; we say %s" % (sorted(rules), first, ours["error"])
        return ("we refuse, and TensorFlow dies: " if tf.get("died") else "we refuse: ") + min(rules), None
    name = None
    if "error" in tf:
        rules = acceptances(case)
        tf = again() if rules else tf
        if "error" in tf:
            return "fault", "we accept it; TensorFlow says " + tf["error"]
        name = "we accept: " + min(rules)
    if tf == ours:
        return name or "equal", None
    if stable(tf) == stable(ours):
        return "equal but for the order of sparse entries with equal indices", None
    return "fault", "tensors differ:\n  TensorFlow %s\n  tfparse    %s" % (json.dumps(tf), json.dumps(ours))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--cases", type=int, default=20000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--from", type=int, default=0, dest="first")
    p.add_argument("--tfparse")
    p.add_argument("--keep")
    p.add_argument("--serve", action="store_true")
    args = p.parse_args()
    if args.serve:
        return serve()
    with tempfile.TemporaryDirectory() as folder:
        if not args.tfparse:
            args.tfparse = os.path.join(folder, "tfparse.exe")
            subprocess.run(["go", "build", "-o", args.tfparse, "./cmd/tfparse"], cwd=os.path.join(HERE, "..", ".."), check=True)
        return run(args, Command(args.tfparse, folder))


def run(args, command):
    tf, began = TensorFlow(), time.time()
    classes, kinds, findings = collections.Counter(), collections.Counter(), 0
    spoiled, rows = collections.Counter(), 0
    for number in range(args.first, args.first + args.cases):
        case = Maker(args.seed, number).case()
        records = [encode(r) for r in case["records"]]
        tf.send(case["spec"], records)
        ours = command.run(case["spec"], records)
        theirs = tf.receive()

        def again():
            tf.send(case["spec"], [encode(r, strict=True) for r in case["records"]])
            return tf.receive()

        name, finding = judge(case, theirs, ours, again)
        classes[name] += 1
        spoiled.update(case["spoiled"] or ["nothing"])
        kinds.update(k for g, fs in case["spec"].items() for f in fs.values() for k in ["%s: %s" % (g, next(iter(f)))] + [
            "%s: %s" % (g, how) for p in next(iter(f.values())).get("partitions", []) for how in p])
        rows += len(records)
        if (number + 1) % 1000 == 0:
            print("%d cases, %d s" % (number + 1 - args.first, time.time() - began), file=sys.stderr)
        if finding:
            findings += 1
            print("case %d: %s\n  spec %s\n  spoiled %s" % (number, finding, json.dumps(case["spec"], ensure_ascii=False), case["spoiled"]), flush=True)
            if args.keep:
                with open(os.path.join(args.keep, "%d.tfrecord" % number), "wb") as f:
                    f.write(tfrecord(records))
                with open(os.path.join(args.keep, "%d.spec.json" % number), "w") as f:
                    json.dump(case["spec"], f)
    version = subprocess.run([sys.executable, "-c", "import tensorflow; print(tensorflow.__version__)"], capture_output=True, text=True).stdout.strip()
    print("tensorflow %s, seed %d, cases %d to %d, %d records\n" % (version, args.seed, args.first, args.first + args.cases - 1, rows))
    for title, counts in (("outcome", classes), ("features of the specs, and their partitions", kinds), ("what was done to the records", spoiled)):
        print("%s:" % title)
        for name, n in sorted(counts.items()) if title != "outcome" else counts.most_common():
            print("%8d  %s" % (n, name))
        print()
    print("findings: %d" % findings)
    print("took %d s" % (time.time() - began), file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())

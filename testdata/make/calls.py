"""Calls models with our requests: random signatures with nested arguments and mixed raggedness.

    python calls.py [--models 50] [--seed 1] > calls.txt

For each model, records are written that have the values of its arguments, and feeds makes of model, spec and records a
PredictRequest and a REST body. The tensors of the request are given to the restored signature by name, and the arguments, as
RaggedTensors that TensorFlow makes of the same values, to the restored function. The function returns every flat value,
every row_splits and a dense form of each argument: all outputs must be equal. Values of int32, bool, uint8, float16 and float64 are
converted from columns, and by tf.cast for the function. The REST body must hold the same tensors.

Needs tensorflow-cpu, tensorflow-serving-api and Go. Prints a line for each model; the last one counts.
"""
import argparse
import base64
import json
import os
import random
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
import numpy as np
import tensorflow as tf
from tensorflow_serving.apis import predict_pb2

HERE = os.path.dirname(os.path.abspath(__file__))
KEYS = ["a", "b", "user id", "x", "größe", "z.9", "deep", "Q"]


class Leaf:
    """One tensor among the arguments, its feature in the spec, and its values in records."""

    def __init__(self, r, path):
        self.name = "/".join(path)
        self.dtype = r.choice([tf.int64, tf.float32, tf.string])  # of the column
        # Of the argument: int64 and float32 columns are converted to what no column has.
        self.to = r.choice({tf.int64: [tf.int64] * 3 + [tf.int32, tf.bool, tf.uint8], tf.float32: [tf.float32] * 2 + [tf.float16, tf.float64]}.get(self.dtype, [self.dtype]))
        self.form = r.choices(["ragged", "dense", "sparse"], [6, 2, 1])[0]
        self.splits = r.choice([tf.int64, tf.int32])
        self.axes = []     # of one row: None is ragged
        if self.form == "dense":
            self.axes = [r.randrange(1, 3) for _ in range(r.randrange(3))]
        elif self.form == "sparse":
            self.axes = [None]
        else:
            self.axes = [None] + [r.choice([None, None, 2]) for _ in range(r.randrange(3))]
            ragged = max(i for i, a in enumerate(self.axes) if a is None) + 1
            self.rank = r.randrange(ragged, len(self.axes) + 1)

    def spec(self):
        shape = [None] + self.axes
        if self.form == "ragged":
            return tf.RaggedTensorSpec(shape, self.to, ragged_rank=self.rank, row_splits_dtype=self.splits)
        return (tf.TensorSpec if self.form == "dense" else tf.SparseTensorSpec)(shape, self.to)

    def feature(self):
        d = {"dtype": self.dtype.name}
        if self.form == "dense":
            return {"fixed_len": {**d, "shape": self.axes}}
        if self.axes == [None]:
            return {"var_len": d}
        return {"ragged": {**d, "value_key": self.name, "partitions": [
            {"row_lengths": f"{self.name}#{i}"} if a is None else {"uniform_row_length": a} for i, a in enumerate(self.axes[1:])]}}

    def value(self, r):
        if self.dtype == tf.string:
            return bytes(r.choice(b"abc\xc3\xff") for _ in range(r.randrange(4)))
        if self.dtype == tf.int64:
            if self.to == tf.bool:
                return r.randrange(2)
            bits = self.to.size * 8
            return r.choice([r.randrange(5), r.randrange(1 << bits) if self.to == tf.uint8 else r.randrange(-1 << bits - 1, 1 << bits - 1)])
        return float(np.float32(r.choice([r.random(), r.randrange(100), 1e-30, -0.0, float("inf")])))

    def row(self, r, axes):
        if not axes:
            return self.value(r)
        return [self.row(r, axes[1:]) for _ in range(r.randrange(4) if axes[0] is None else axes[0])]

    def features(self, row):
        """The features of one record."""
        flat, lengths = [], [[] for _ in self.axes]

        def walk(v, level):
            if level == len(self.axes):
                flat.append(v)
                return
            lengths[level].append(len(v))
            for x in v:
                walk(x, level + 1)
        walk(row, 0)
        kinds = {tf.string: ("bytes_list", tf.train.BytesList), tf.int64: ("int64_list", tf.train.Int64List), tf.float32: ("float_list", tf.train.FloatList)}
        kind, make = kinds[self.dtype]
        out = {self.name: tf.train.Feature(**{kind: make(value=flat)})}
        for i, n in enumerate(lengths[1:]):
            if self.form == "ragged" and self.axes[i + 1] is None:
                out[f"{self.name}#{i}"] = tf.train.Feature(int64_list=tf.train.Int64List(value=n))
        return out

    def constant(self, values):
        made = tf.constant(values, self.dtype)
        return made if self.to == self.dtype else tf.cast(made, self.to)

    def tensor(self, rows):
        if self.form == "dense":
            flat = rows
            for _ in self.axes:
                flat = [x for row in flat for x in row]
            return tf.reshape(self.constant(flat), [len(rows)] + self.axes)
        if self.form == "sparse":
            entries = [(i, j, x) for i, row in enumerate(rows) for j, x in enumerate(row)]
            return tf.SparseTensor(np.array([e[:2] for e in entries], np.int64).reshape(-1, 2), self.constant([e[2] for e in entries]),
                                   [len(rows), max([len(row) for row in rows], default=0)])
        splits, level = [], rows
        for _ in range(self.rank):
            splits.append(tf.constant(np.cumsum([0] + [len(x) for x in level]), self.splits))
            level = [y for x in level for y in x]
        inner, n = self.axes[self.rank:], len(level)
        for _ in inner:
            level = [y for x in level for y in x]
        return tf.RaggedTensor.from_nested_row_splits(tf.reshape(self.constant(level), [n] + inner), splits, validate=True)


def nest(r, path, depth=0):
    """A leaf, or a dict, list or tuple of them."""
    kind = r.choices(["leaf", "dict", "list", "tuple"], [3, 3 if depth < 3 else 0, 1 if depth < 3 else 0, 1 if depth < 3 else 0])[0]
    if kind == "leaf":
        return Leaf(r, path)
    if kind == "dict":
        return {k: nest(r, path + [k], depth + 1) for k in r.sample(KEYS, r.randrange(1, 4))}
    members = [nest(r, path + [str(i)], depth + 1) for i in range(r.randrange(1, 3))]
    return members if kind == "list" else tuple(members)


def outputs(*args):
    out = {}
    for i, x in enumerate(tf.nest.flatten(args)):
        for j, c in enumerate(tf.nest.flatten(x, expand_composites=True)):
            out[f"c{i}_{j}"] = tf.identity(c)
        out[f"d{i}"] = x.to_tensor() if isinstance(x, tf.RaggedTensor) else tf.sparse.to_dense(x) if isinstance(x, tf.SparseTensor) else tf.identity(x)
    return out


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and (a.tobytes() == b.tobytes() if a.dtype != object else a.tolist() == b.tolist())


def decoded(v):
    """A value of a REST body: strings as bytes."""
    if isinstance(v, list):
        return [decoded(x) for x in v]
    if isinstance(v, dict):
        assert list(v) == ["b64"]
        return base64.b64decode(v["b64"], validate=True)
    return v.encode() if isinstance(v, str) else v


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--models", type=int, default=50)
    args.add_argument("--seed", type=int, default=1)
    args = args.parse_args()
    r = random.Random(args.seed)
    calls, models = [], []
    with tempfile.TemporaryDirectory() as folder:
        for n in range(args.models):
            names = r.sample(["ids", "feats", "w", "Query"], r.randrange(1, 4))
            arguments = [nest(r, [name]) for name in names]
            scope = {"outputs": outputs}
            exec(f"def f({', '.join(names)}): return outputs({', '.join(names)})", scope)
            m = tf.Module()
            m.f = tf.function(scope["f"], input_signature=tf.nest.map_structure(Leaf.spec, arguments), autograph=False)
            where = os.path.join(folder, str(n))
            tf.saved_model.save(m, where, signatures=m.f)
            leaves = tf.nest.flatten(arguments)
            for batch in range(3):
                rows = [0, 1, r.randrange(2, 6)][batch]
                values = {id(leaf): [leaf.row(r, leaf.axes) for _ in range(rows)] for leaf in leaves}
                records = []
                for i in range(rows):
                    features = {}
                    for leaf in leaves:
                        features.update(leaf.features(values[id(leaf)][i]))
                    records.append(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())
                given = tf.nest.map_structure(lambda leaf: leaf.tensor(values[id(leaf)]), arguments)
                models.append((where, leaves, given, rows))
                calls.append({"model": where, "spec": {"features": {leaf.name: leaf.feature() for leaf in leaves}},
                              "records": [base64.b64encode(b).decode() for b in records]})
        done = subprocess.run(["go", "run", "./feeds"], cwd=HERE, check=True, stdout=subprocess.PIPE,
                              input="\n".join(json.dumps(c) for c in calls).encode()).stdout
        counts = {"calls": 0, "ragged": 0, "dense": 0, "sparse": 0, "converted": 0, "outputs": 0, "rest": 0}
        for (where, leaves, given, rows), line in zip(models, done.splitlines(), strict=True):
            answer = json.loads(line)
            request = predict_pb2.PredictRequest.FromString(base64.b64decode(answer["grpc"]))
            fed = {k: tf.make_ndarray(p) for k, p in request.inputs.items()}
            loaded = tf.saved_model.load(where)
            got = loaded.signatures["serving_default"](**{k: tf.constant(v, tf.as_dtype(request.inputs[k].dtype)) for k, v in fed.items()})
            want = loaded.f(*given)
            assert sorted(got) == sorted(want), where
            for k in want:
                assert same(got[k].numpy(), want[k].numpy()), (where, k, got[k], want[k], answer["inputs"])
            counts["outputs"] += len(want)
            counts["calls"] += 1
            if answer["rest"]:
                body = json.loads(answer["rest"])["inputs"]
                assert sorted(body) == sorted(fed)
                for k, v in body.items():
                    a = decoded(v)
                    a = np.array(a, dtype=object if fed[k].dtype == object else fed[k].dtype)
                    assert same(a.reshape(fed[k].shape) if fed[k].size == 0 and a.shape == fed[k].shape else a, fed[k]), (where, k, v)
                counts["rest"] += 1
            if rows == 0:
                for leaf in leaves:
                    counts[leaf.form] += 1
                    counts["converted"] += leaf.to != leaf.dtype
                for i in answer["inputs"]:
                    print(os.path.basename(where), i)
    print(f"{args.models} models with {counts['ragged']} ragged, {counts['dense']} dense and {counts['sparse']} sparse inputs, {counts['converted']} of them converted; {counts['calls']} calls, "
          f"{counts['outputs']} outputs equal; {counts['rest']} of the requests as REST bodies too")


if __name__ == "__main__":
    main()

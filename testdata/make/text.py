"""How TensorFlow prints tensors; makes what lies in ../text.

    TF_CPP_MIN_LOG_LEVEL=3 python text.py [--seed 1] [--out OUT]

dense.jsonl: str() of dense tensors, most of them floats, which NumPy writes in columns. They are vectors of the family ragged.
recipes.txt, sessions.txt, strings.txt, numbers.txt: the columns that TensorFlow parses from the files in the folder above by the
specs there, printed in batches, as `tfparse cat --format text` does; in the last two what is ragged or sparse was made dense.

Needs tensorflow.
"""
import argparse
import json
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
import numpy as np
import tensorflow as tf

import parse
import values

HERE = os.path.dirname(os.path.abspath(__file__))


# ---------------------------------------------------------------- dense tensors

def floats(rng, n):
    """Values of one of the sorts that data has."""
    sort = rng.integers(9)
    if sort == 0:
        return rng.integers(-20, 20, n) / 4
    if sort == 1:
        return rng.normal(size=n)
    if sort == 2:
        return rng.normal(size=n) * 10.0 ** rng.integers(-6, 9)
    if sort == 3:
        return rng.normal(size=n) * 10.0 ** rng.integers(-3, 4, n)
    if sort == 4:
        return rng.integers(-3, 4, n) * 10.0 ** rng.integers(-5, 10)
    if sort == 5:
        return rng.choice([0.0, -0.0, 1.0, 0.1, -2.5, np.nan], n)
    if sort == 6:
        return rng.choice([np.inf, -np.inf, np.nan, 3.0, 123.25], n)
    if sort == 7:
        return rng.choice([np.nan, np.inf], n)
    return rng.choice([1e-4, 9.9e-5, 1e-3, 1e5, 999999.0, 1e6, 99999999.0, 1e8, 0.12345678912, 1 / 3], n)


def shapes(rng):
    yield from [[], [1], [0], [2, 0], [0, 3], [1, 1]]
    for _ in range(10):
        yield [int(n) for n in rng.integers(1, 6, rng.integers(1, 4))]
    yield from [[30], [100], [1000], [1001], [7, 150], [3, 2, 200], [20, 60], [11, 10, 10]]


def dense(seed):
    rng = np.random.default_rng(seed)
    cases = []

    def case(array):
        t = tf.constant(array)
        cases.append({"name": "dense %d: %s %s" % (len(cases), t.dtype.name, list(t.shape)), "tags": [], "op": "str",
                      "args": [parse.column(t)], "expect": {"string": str(t)}})

    for _ in range(2):
        for dtype in ("float32", "float64"):
            for shape in shapes(rng):
                n = int(np.prod(shape))
                case(floats(rng, n).reshape(shape).astype(dtype))
    for dtype in ("int64", "int32", "bool"):
        for shape in shapes(rng):
            n = int(np.prod(shape))
            v = rng.integers(-10 ** rng.integers(1, 6), 10 ** rng.integers(1, 6), n)
            case((v % 2 if dtype == "bool" else v).reshape(shape).astype(dtype))
    wide = np.zeros(2000, np.int64)  # what is not shown takes no room
    wide[1000] = 123456789
    case(wide)
    case(wide.astype(np.float64) / 8)
    words = np.array([b"", b"a", b"it's", b'"', b"\xff\n", b"tab\t", "\u00e9".encode(), b"a longer one than the others"], object)
    for shape in shapes(rng):
        case(words[rng.integers(0, len(words), int(np.prod(shape)))].reshape(shape) if shape else words[2])
    return cases


# ---------------------------------------------------------------- batches

def columns(name, compression, batch):
    """Yields the number of rows and the columns of each batch."""
    with open(os.path.join(HERE, "..", name + ".spec.json")) as f:
        spec = json.load(f)
    group = lambda g, seq=False: {k: parse.tf_spec(v, True, seq) for k, v in spec.get(g, {}).items()}
    files = tf.data.TFRecordDataset(os.path.join(HERE, "..", name + ".tfrecord"), compression)
    for records in files.batch(batch):
        n = int(records.shape[0])
        if "features" in spec:
            yield n, tf.io.parse_example(records, spec_of(spec["features"]))
            continue
        got = tf.io.parse_sequence_example(records, group("context"), group("sequence", True))
        lengths = {k: v for k, v in got[2].items() if "fixed_len_sequence" in spec["sequence"][k]}
        yield n, {g + "." + k: v for g, part in zip(("context", "sequence", "lengths"), (got[0], got[1], lengths)) for k, v in sorted(part.items())}


def spec_of(features):
    return {k: parse.tf_spec(dict({kind: dict({"value_key": k}, **a)}), True) for k, f in features.items() for kind, a in f.items()}


def padded(fill):
    def pad(t):
        if isinstance(t, tf.RaggedTensor):
            return t.to_tensor(fill)
        return tf.sparse.to_dense(t, fill) if isinstance(t, tf.SparseTensor) else t
    return pad


def batches(name, compression, batch, change=lambda t: t, only=None):
    out = ""
    for n, cols in columns(name, compression, batch):
        names = only or (sorted(cols) if all("." not in k for k in cols) else list(cols))
        out += "rows: %d\n" % n + "".join("%s: %s\n" % (k, change(cols[k])) for k in names) + "\n"
    return out


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--out", default=os.path.join(HERE, "..", "text"))
    args = p.parse_args()
    os.makedirs(args.out, exist_ok=True)
    values.write(os.path.join(args.out, "dense.jsonl"), "ragged", "make/text.py --seed %d" % args.seed, dense(args.seed))
    made = {"recipes": batches("recipes", "", 5), "sessions": batches("sessions", "GZIP", 4),
            "strings": batches("recipes", "", 4, padded("-"), ["sections", "steps", "tags", "title"]),
            "numbers": batches("recipes", "", 4, padded(-1), ["amounts", "minutes"])}
    for name, text in made.items():
        with open(os.path.join(args.out, name + ".txt"), "w") as f:
            f.write(text)


if __name__ == "__main__":
    main()

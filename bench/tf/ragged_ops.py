"""Operations on ragged tensors, under the names that the Go side uses."""

import os

import numpy as np
import tensorflow as tf

from clocks import CLOCKS

data = {}


def load(request):
    """Reads the operands, which the Go side wrote as plain numbers in native byte order."""
    d = request["dir"]
    read = lambda name, dtype: np.fromfile(os.path.join(d, name), dtype)
    splits = tf.constant(read("splits", np.int64))
    ragged = lambda values: tf.RaggedTensor.from_row_splits(values, splits, validate=False)
    ids = tf.constant(read("ids", np.int64))
    prefixes = tf.constant(request["prefixes"])
    words = tf.strings.join([tf.gather(prefixes, ids % len(request["prefixes"])), tf.strings.as_string(ids)])
    a = ragged(tf.constant(read("a", np.float32)))
    data.update(
        a=a,
        b=a.with_flat_values(tf.constant(read("b", np.float32))),  # TensorFlow knows that it has the rows of a
        equal=ragged(tf.constant(read("b", np.float32))),
        column=tf.constant(read("column", np.float32)[:, None]),
        mask=ragged(tf.constant(read("mask", np.bool_))),
        rows=tf.constant(read("rows", np.int64)),
        ids=ragged(ids),
        words=ragged(words),
        table=tf.constant(read("table", np.float32).reshape(-1, request["width"])),
    )
    return {}


OPERATIONS = {
    "row-wise sum": lambda d: tf.reduce_sum(d["a"], axis=1),
    "add, broadcast": lambda d: d["a"] + d["column"],
    "add, same shape": lambda d: d["a"] + d["b"],
    "add, equal rows": lambda d: d["a"] + d["equal"],
    "concat rows": lambda d: tf.concat([d["a"], d["b"]], axis=0),
    "concat in rows": lambda d: tf.concat([d["a"], d["b"]], axis=1),
    "boolean mask": lambda d: tf.ragged.boolean_mask(d["a"], d["mask"]),
    "gather": lambda d: tf.gather(d["a"], d["rows"]),
    "to dense": lambda d: d["a"].to_tensor(),
    "to sparse": lambda d: d["a"].to_sparse(),
    "hash buckets": lambda d: tf.strings.to_hash_bucket_fast(d["words"], 1_000_003),
    "embedding lookup": lambda d: tf.nn.embedding_lookup(d["table"], d["ids"]),
    "embedding mean": lambda d: tf.nn.embedding_lookup_sparse(d["table"], d["ids"], None, combiner="mean"),
}


def run(request):
    f = OPERATIONS[request["name"]]
    clock = CLOCKS[request["clock"]]
    start = clock()
    result = f(data)
    seconds = clock() - start
    del result
    return {"seconds": seconds}


def checksum(request):
    """Adds up the values as float64, and the row splits or coordinates exactly."""
    result = OPERATIONS[request["name"]](data)
    places = 0
    if isinstance(result, tf.SparseTensor):
        places = int(result.indices.numpy().sum())
        values = result.values
    elif isinstance(result, tf.RaggedTensor):
        places = sum(int(s.numpy().sum()) for s in result.nested_row_splits)
        values = result.flat_values
    else:
        values = result
    v = values.numpy()
    return {"sum": {"values": float(v.astype(np.float64).sum()), "count": int(v.size), "places": places}}


HANDLERS = {"ragged.load": load, "ragged.run": run, "ragged.sum": checksum}

"""Records to batches: tf.io.parse_example and tf.io.parse_sequence_example, in memory and in a tf.data pipeline.

Specs are JSON as package feature writes it.
"""

import struct
import time

import numpy as np
import tensorflow as tf

import bsl_ops
from clocks import CLOCKS

ROWS = 1024
state = {}

DTYPES = {"int64": tf.int64, "float32": tf.float32, "string": tf.string}


def partition(p):
    (kind, value), = p.items()
    if kind == "uniform_row_length":
        return tf.io.RaggedFeature.UniformRowLength(value)
    return {"row_lengths": tf.io.RaggedFeature.RowLengths, "row_splits": tf.io.RaggedFeature.RowSplits}[kind](value)


def feature(f):
    (kind, a), = f.items()
    dtype = DTYPES[a["dtype"]]
    if kind == "fixed_len":
        return tf.io.FixedLenFeature(a["shape"], dtype)
    if kind == "fixed_len_sequence":
        return tf.io.FixedLenSequenceFeature(a["shape"], dtype)
    return tf.io.RaggedFeature(dtype, value_key=a.get("value_key"), partitions=[partition(p) for p in a["partitions"]])


def parser(spec):
    read = lambda group: {name: feature(f) for name, f in spec[group].items()}
    if "features" in spec:
        features = read("features")
        return lambda serialized: tf.io.parse_example(serialized, features)
    context, lists = read("context"), read("sequence")
    return lambda serialized: tf.io.parse_sequence_example(serialized, context, lists)[:2]


def payloads(path):
    """Yields the payloads of an uncompressed TFRecord file. Checksums are not verified."""
    with open(path, "rb") as f:
        data = f.read()
    at = 0
    while at < len(data):
        (n,) = struct.unpack_from("<Q", data, at)
        yield data[at + 12 : at + 12 + n]
        at += 12 + n + 4


def load(request):
    """Reads the records of a set into memory, as batches of strings."""
    records = list(payloads(request["file"]))
    batches = [records[i : i + ROWS] for i in range(0, len(records), ROWS)]
    state["batches"] = [tf.constant(b) for b in batches]
    bsl_ops.load(batches)
    return {}


def view(request):
    """Compiles a spec for the requests that follow."""
    state["parse"] = tf.function(parser(request["spec"]), input_signature=[tf.TensorSpec([None], tf.string)])
    return {}


def run(request):
    clock, parse = CLOCKS[request["clock"]], state["parse"]
    start = clock()
    for batch in state["batches"]:
        parse(batch)
    return {"seconds": clock() - start}


def add(total, t):
    if isinstance(t, tf.RaggedTensor):
        for p in t._nested_row_partitions:
            if p.uniform_row_length() is None:
                total["splits"] += int(p.row_splits().numpy().astype(np.int64).sum())
        t = t.flat_values
    v = t.numpy()
    if t.dtype == tf.string:
        total["bytes"] += int(tf.reduce_sum(tf.strings.length(t)).numpy())
    elif t.dtype == tf.int64:
        total["ints"] += int(v.sum())
    else:
        total["floats"] += int(np.ascontiguousarray(v).view(np.int32).astype(np.int64).sum())


def wrap(n):
    return (n + 2**63) % 2**64 - 2**63


def add_all(total, parsed):
    for t in tf.nest.flatten(parsed):
        add(total, t)


def checksum(request):
    """Computes the Sum of package flatten."""
    total = dict(ints=0, floats=0, bytes=0, splits=0)
    for batch in state["batches"]:
        add_all(total, state["parse"](batch))
    return {"sum": {name: wrap(n) for name, n in total.items()}}


def pipeline(request):
    """Files to batches: TFRecordDataset, batch, map(parse_example), on the given number of threads."""
    n = request["threads"]
    parallel = n if n > 1 else None
    d = tf.data.TFRecordDataset(request["files"], compression_type=request["compression"], num_parallel_reads=parallel)
    d = d.batch(ROWS).map(parser(request["spec"]), num_parallel_calls=parallel)
    options = tf.data.Options()
    options.threading.private_threadpool_size = n
    options.threading.max_intra_op_parallelism = 1
    state["pipeline"] = d.with_options(options)
    return {}


def run_pipeline(request):
    clock, began = CLOCKS[request["clock"]], time.perf_counter()
    start, n = clock(), 0
    while n == 0 or time.perf_counter() - began < request["least"]:
        for _ in state["pipeline"]:
            pass
        n += 1
    return {"seconds": (clock() - start) / n}


def sum_pipeline(request):
    total = dict(ints=0, floats=0, bytes=0, splits=0)
    for parsed in state["pipeline"]:
        add_all(total, parsed)
    total["splits"] = 0
    return {"sum": {name: wrap(n) for name, n in total.items()}}


HANDLERS = {
    "parse.load": load,
    "parse.view": view,
    "parse.run": run,
    "parse.sum": checksum,
    "files.open": pipeline,
    "files.run": run_pipeline,
    "files.sum": sum_pipeline,
}

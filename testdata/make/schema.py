"""Makes ../spec/: what TensorFlow Extended and TensorFlow make of schemas and parser configurations.

    TF_CPP_MIN_LOG_LEVEL=3 python schema.py [--seed N] [--data FOLDER] [--out OUT]

  schema.jsonl          a Schema of TensorFlow Metadata as text, and the parser configuration that tfx_bsl gives for it, written as Spec
                        JSON; or that tfx_bsl, or TensorFlow with what it gives, fails
  parser_config.jsonl   features for tf.io.parse_example, the ExampleParserConfiguration that TensorFlow extracts from the graph, and
                        defaults (TensorProto) that TensorFlow's own kernel reads
  written.jsonl         schemas that featurepb.ToSchema wrote (write_schema.go), read by tfx_bsl
  published.jsonl       the data sets in FOLDER, parsed by TensorFlow with what tfx_bsl makes of their schema: a SHA-256 for each
                        column, of the lines that `column` below writes. No record of them is kept.

Needs tensorflow-data-validation==1.16.1 (with tfx_bsl 1.16.1 and tensorflow 2.16.2) and Go. Members as in ../vectors/FORMAT.md; where we
differ on purpose, "ours" has the reason. tfx_bsl calls a column of a single feature by the feature and renames it later;
the Spec JSON has the name before that.
"""
import argparse
import base64
import glob
import hashlib
import json
import math
import os
import random
import re
import subprocess
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
import numpy as np
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.framework import tensor_pb2
from tensorflow.python.util import example_parser_configuration as extract
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx_bsl.tfxio import tensor_representation_util as util
from tfx_bsl.tfxio import tf_example_record

HERE = os.path.dirname(os.path.abspath(__file__))
SEQUENCE = "##SEQUENCE##"


# ---------------------------------------------------------------- tf.io objects as Spec JSON

def text(b):
    b = b if isinstance(b, bytes) else b.encode()
    try:
        return b.decode()
    except UnicodeDecodeError:
        return {"b64": base64.b64encode(b).decode()}


def number(v, dtype):
    if dtype == "string":
        return text(v)
    if dtype == "int64":
        return int(v)
    v = float(np.float32(v))
    if math.isnan(v):
        return "NaN"
    if math.isinf(v):
        return "Infinity" if v > 0 else "-Infinity"
    return v


def default(v, dtype):
    flat = v if isinstance(v, list) else np.asarray(v, dtype=object).reshape(-1).tolist()
    return [number(x, dtype) for x in flat]


def partition(p):
    for kind, name in [("RowLengths", "row_lengths"), ("RowSplits", "row_splits"), ("RowStarts", "row_starts"),
                       ("RowLimits", "row_limits"), ("ValueRowIds", "value_row_ids")]:
        if isinstance(p, getattr(tf.io.RaggedFeature, kind)):
            return {name: p.key}
    return {"uniform_row_length": p.length}


def feature(f):
    d = f.dtype.name
    if isinstance(f, tf.io.FixedLenFeature):
        o = {"dtype": d, "shape": list(f.shape)}
        if f.default_value is not None and default(f.default_value, d):
            o["default"] = default(f.default_value, d)
        return {"fixed_len": o}
    if isinstance(f, tf.io.FixedLenSequenceFeature):
        o = {"dtype": d, "shape": list(f.shape), "default": default(f.default_value if f.default_value is not None else {"string": b""}.get(d, 0), d)}
        return {"fixed_len_sequence": o}
    if isinstance(f, tf.io.VarLenFeature):
        return {"var_len": {"dtype": d}}
    if isinstance(f, tf.io.SparseFeature):
        o = {"index_key": list(f.index_key), "value_key": f.value_key, "dtype": d, "size": list(f.size)}
        if f.already_sorted:
            o["already_sorted"] = True
        return {"sparse": o}
    return {"ragged": {"dtype": d, "value_key": f.value_key, "partitions": [partition(p) for p in f.partitions]}}


def is_sequence(schema):
    return any(f.name == SEQUENCE and f.type == schema_pb2.STRUCT for f in schema.feature)


def example_spec(schema):
    record = tf_example_record.TFExampleBeamRecord(physical_format="tfrecord", schema=schema)
    config, tensor_names = record._GetTfExampleParserConfig()
    multi = (tf.io.SparseFeature, tf.io.RaggedFeature)
    return {tensor_names[n] if isinstance(f, multi) else n: f for n, f in config.items()}


def sequence_spec(schema):
    """tfx_bsl makes a parser of a group that stands in the schema; what it would add to the group is added before."""
    full = schema_pb2.Schema()
    full.CopyFrom(schema)
    util.SetTensorRepresentationsInSchema(full, util.InferTensorRepresentationsFromMixedSchema(schema))
    context, sequence = util.CreateTfSequenceExampleParserConfig(full)
    @tf.function
    def parse(x):
        return tf.io.parse_sequence_example(x, context, sequence)
    parse.get_concrete_function(tf.TensorSpec([None], tf.string))
    return context, sequence


def spec(schema):
    if not is_sequence(schema):
        return {"features": {n: feature(f) for n, f in sorted(example_spec(schema).items())}}
    context, sequence = sequence_spec(schema)
    out = {}
    for group, fs in (("context", context), ("sequence", sequence)):
        if fs:
            out[group] = {n: feature(f) for n, f in sorted(fs.items())}
    return out


def message(e):
    said = " ".join(("%s: %s" % (type(e).__name__, e)).split())
    return re.sub(r"/[\w./-]*/", "", said)[:200]


def schema_case(name, source, tags=(), ours=None):
    c = {"name": name, "tags": list(tags), "schema": source}
    try:
        c["expect"] = spec(text_format.Parse(source, schema_pb2.Schema()))
    except Exception as e:          # tfx_bsl and TensorFlow fail in many ways
        c["error"] = {"message": message(e)}
    if ours:
        c["ours"] = ours
    return c


# ---------------------------------------------------------------- schemas written by hand

def group(*tensors, key=""):
    return 'tensor_representation_group { key: "%s" value { %s } }' % (
        key, " ".join('tensor_representation { key: "%s" value { %s } }' % t for t in tensors))


A = 'feature { name: "a" type: INT } '
F = 'feature { name: "f" type: FLOAT } '
L = 'feature { name: "l" type: INT } '
S = 'feature { name: "s" type: BYTES } '
SHAPE = 'presence { min_fraction: 1 } '


def by_hand():
    yield "no group: any feature is var_len", A + F + S
    yield "no group: as ragged", A + S + "represent_variable_length_as_ragged: true"
    yield "no group: a shape", 'feature { name: "a" type: INT shape { dim { size: 2 } dim { size: 3 } } ' + SHAPE + "}"
    yield "no group: a shape without dimensions", 'feature { name: "a" type: BYTES shape { } ' + SHAPE + "}"
    yield "no group: a shape with a dimension without size", 'feature { name: "a" type: BYTES shape { dim { } } ' + SHAPE + "}"
    yield "no group: a shape, not always present", 'feature { name: "a" type: INT shape { } presence { min_fraction: 0.5 } }'
    yield "no group: a shape, nothing said of presence", 'feature { name: "a" type: INT shape { } }'
    yield "no group: a shape, presence in a group", 'feature { name: "a" type: INT shape { } group_presence { required: true } }'
    yield "no group: an unknown dimension", 'feature { name: "a" type: INT shape { dim { size: -1 } } ' + SHAPE + "}"
    yield "no group: value_count of one is var_len", 'feature { name: "a" type: INT value_count { min: 1 max: 1 } ' + SHAPE + "}"
    yield "no group: no type", 'feature { name: "a" }'
    yield "no group: a structure", 'feature { name: "a" type: STRUCT struct_domain { feature { name: "b" type: INT } } }'
    yield "no features", ""
    for stage in schema_pb2.LifecycleStage.keys():
        yield "lifecycle_stage " + stage, A.replace("}", "lifecycle_stage: %s }" % stage) + F
    yield "deprecated", A.replace("}", "deprecated: true }") + F
    yield "deprecated, but a tensor reads it", A.replace("}", "deprecated: true }") + F + group(("t", 'varlen_sparse_tensor { column_name: "a" }'))
    sparse = 'sparse_feature { name: "x" index_feature { name: "a" } value_feature { name: "f" } %s}'
    domain = A.replace("}", "int_domain { min: 0 max: 9 } }")
    yield "sparse feature", domain + F + sparse % ""
    yield "sparse feature, sorted", domain + F + sparse % "is_sorted: true "
    yield "sparse feature, two dimensions", (domain + L.replace("}", "int_domain { min: 0 max: 0 } }") + F +
                                             'sparse_feature { name: "x" index_feature { name: "a" } index_feature { name: "l" } value_feature { name: "f" } }')
    yield "sparse feature, deprecated", domain + F + sparse % "deprecated: true "
    yield "sparse feature, in an early stage", domain + F + sparse % "lifecycle_stage: ALPHA "
    yield "sparse feature, its index is deprecated", domain.replace("type", "deprecated: true type") + F + sparse % ""
    yield "sparse feature, no domain", A + F + sparse % "", "the size of a sparse tensor must be known: TensorFlow gives a shape with -1 in it"
    yield "sparse feature, the domain has no min", A.replace("}", "int_domain { max: 9 } }") + F + sparse % ""
    yield "sparse feature, the domain has no max", A.replace("}", "int_domain { min: 0 } }") + F + sparse % ""
    yield "sparse feature, the domain begins at 1", A.replace("}", "int_domain { min: 1 max: 9 } }") + F + sparse % ""
    yield "sparse feature, no such index", F + sparse % ""
    yield "sparse feature, no such value", domain + sparse % ""
    yield "sparse feature, index and value are one", domain + 'sparse_feature { name: "x" index_feature { name: "a" } value_feature { name: "a" } }'
    yield "two sparse features share an index", domain + F + S + sparse % "" + 'sparse_feature { name: "y" index_feature { name: "a" } value_feature { name: "s" } }'
    yield "sparse feature, a tensor has its name", domain + F + S + sparse % "" + group(("x", 'varlen_sparse_tensor { column_name: "s" }'))
    yield "sparse feature, a tensor has its name, which is a feature", domain + F + S.replace('"s"', '"x"') + sparse % "" + group(("x", 'varlen_sparse_tensor { column_name: "x" }'))
    yield "sparse feature, a tensor reads its values as sparse", domain + F + sparse % "" + group(("f", 'varlen_sparse_tensor { column_name: "f" }'))
    yield "sparse feature, a tensor reads its values as ragged", domain + F + sparse % "" + group(("f", 'ragged_tensor { feature_path { step: "f" } }'))

    yield "group: dense", A + group(("a", 'dense_tensor { column_name: "a" shape { } }'))
    yield "group: dense, no shape", A + group(("a", 'dense_tensor { column_name: "a" }'))
    yield "group: dense, default", A + group(("a", 'dense_tensor { column_name: "a" shape { dim { size: 2 } } default_value { int_value: -7 } }'))
    yield "group: dense, default of floats", F + group(("f", 'dense_tensor { column_name: "f" shape { dim { size: 2 } dim { size: 2 } } default_value { float_value: 0.1 } }'))
    yield "group: dense, default nan", F + group(("f", 'dense_tensor { column_name: "f" shape { } default_value { float_value: nan } }'))
    yield "group: dense, default inf", F + group(("f", 'dense_tensor { column_name: "f" shape { } default_value { float_value: -inf } }'))
    yield "group: dense, default of bytes", S + group(("s", r'dense_tensor { column_name: "s" shape { } default_value { bytes_value: "\377\000x" } }'))
    yield "group: dense, default of no bytes", S + group(("s", 'dense_tensor { column_name: "s" shape { } default_value { bytes_value: "" } }'))
    yield "group: dense, default of another type", F + group(("f", 'dense_tensor { column_name: "f" shape { } default_value { int_value: 1 } }'))
    yield "group: dense, default of an unsigned type", A + group(("a", 'dense_tensor { column_name: "a" shape { } default_value { uint_value: 1 } }'))
    yield "group: dense, default without value", A + group(("a", 'dense_tensor { column_name: "a" shape { } default_value { } }'))
    yield "group: dense, default that is no float32", F + group(("f", 'dense_tensor { column_name: "f" shape { } default_value { float_value: 1e300 } }')), "1e300 becomes infinite there"
    yield "group: dense, default of an empty shape", A + group(("a", 'dense_tensor { column_name: "a" shape { dim { size: 0 } } default_value { int_value: 1 } }'))
    yield "group: dense, shape of the feature does not matter", A.replace("}", "shape { dim { size: 5 } } " + SHAPE + "}") + group(("a", 'dense_tensor { column_name: "a" shape { dim { size: 2 } } }'))
    yield ("group: the feature makes no sense by itself", A.replace("}", "shape { } }") + group(("a", 'varlen_sparse_tensor { column_name: "a" }')),
           "what a tensor reads need not make sense by itself",
           {"features": {"a": {"var_len": {"dtype": "int64"}}}})
    yield "group: dense, another name", A + group(("t", 'dense_tensor { column_name: "a" shape { } }'))
    yield "group: varlen", S + group(("s", 'varlen_sparse_tensor { column_name: "s" }'))
    yield "group: varlen, another name", S + group(("t", 'varlen_sparse_tensor { column_name: "s" }'))
    yield "group: two tensors of a feature", S + group(("t", 'varlen_sparse_tensor { column_name: "s" }'), ("u", 'varlen_sparse_tensor { column_name: "s" }'))
    yield "group: no such feature", A + group(("t", 'varlen_sparse_tensor { column_name: "b" }'))
    yield "group: of no type", 'feature { name: "a" } ' + group(("t", 'varlen_sparse_tensor { column_name: "a" }'))
    yield "group: no kind", A + group(("t", ""))
    yield "group: the rest is represented too", A + F + S + group(("t", 'varlen_sparse_tensor { column_name: "s" }'))
    yield "group: a tensor has the name of another feature", A + S + group(("s", 'ragged_tensor { feature_path { step: "a" } }'))
    yield "group: no tensors", A + group()
    yield "group of another name", A + group(("t", 'dense_tensor { column_name: "a" shape { } }'), key="x")
    yield "group: sparse", A + F + group(("t", 'sparse_tensor { dense_shape { dim { size: 5 } } index_column_names: "a" value_column_name: "f" }'))
    yield "group: sparse, sorted", A + F + group(("t", 'sparse_tensor { dense_shape { dim { size: 5 } } index_column_names: "a" value_column_name: "f" already_sorted: true }'))
    yield "group: sparse, two dimensions", A + L + F + group(("t", 'sparse_tensor { dense_shape { dim { size: 5 } dim { size: 6 } } index_column_names: "a" index_column_names: "l" value_column_name: "f" }'))
    yield "group: sparse, fewer indices than dimensions", A + F + group(("t", 'sparse_tensor { dense_shape { dim { size: 5 } dim { size: 6 } } index_column_names: "a" value_column_name: "f" }'))
    yield "group: sparse, size not known", A + F + group(("t", 'sparse_tensor { dense_shape { dim { size: -1 } } index_column_names: "a" value_column_name: "f" }')), "the size of a sparse tensor must be known: TensorFlow gives a shape with -1 in it"
    yield "group: sparse, no values", A + group(("t", 'sparse_tensor { dense_shape { dim { size: 5 } } index_column_names: "a" }'))
    yield "group: sparse, an index of another type", F + S + group(("t", 'sparse_tensor { dense_shape { dim { size: 5 } } index_column_names: "s" value_column_name: "f" }')), "an index of the type BYTES fits no record"
    ragged = 'ragged_tensor { feature_path { step: "f" } %s }'
    yield "group: ragged", F + group(("t", ragged % ""))
    yield "group: ragged, its own name", F + group(("f", ragged % ""))
    yield "group: ragged, lengths", F + L + group(("t", ragged % 'partition { row_length: "l" }'))
    yield "group: ragged, lengths and uniform", F + L + group(("t", ragged % 'partition { row_length: "l" } partition { uniform_row_length: 2 }'))
    yield "group: ragged, uniform and lengths", F + L + group(("t", ragged % 'partition { uniform_row_length: 2 } partition { row_length: "l" }'))
    yield "group: ragged, nested lengths", F + L + A + group(("t", ragged % 'partition { row_length: "a" } partition { row_length: "l" } row_partition_dtype: INT32'))
    yield "group: two ragged tensors share lengths", F + L + S + group(("t", ragged % 'partition { row_length: "l" }'), ("u", 'ragged_tensor { feature_path { step: "s" } partition { row_length: "l" } }'))
    yield "group: two ragged tensors of a feature", F + L + group(("t", ragged % 'partition { row_length: "l" }'), ("u", ragged % ""))
    yield "group: ragged, lengths that the schema does not have", F + group(("t", ragged % 'partition { row_length: "l" }'))
    yield "group: ragged, lengths of another type", F + S + group(("t", ragged % 'partition { row_length: "s" }')), "lengths of the type BYTES fit no record"
    yield "group: ragged, rows of no length", F + group(("t", ragged % "partition { uniform_row_length: 0 }")), "a uniform row length is at least 1"
    yield "group: ragged, rows of negative length", F + group(("t", ragged % "partition { uniform_row_length: -1 }")), "a uniform row length is at least 1"
    yield "group: ragged, a partition of no kind", F + group(("t", ragged % "partition { }"))
    yield "group: ragged, no path", F + group(("t", "ragged_tensor { }"))
    yield "group: ragged, a path into nothing", F + group(("t", 'ragged_tensor { feature_path { step: "f" step: "g" } }'))
    yield "group: lengths that another tensor reads as var_len", F + L + group(("t", ragged % 'partition { row_length: "l" }'), ("l", 'varlen_sparse_tensor { column_name: "l" }'))
    yield "group: values that another tensor reads as dense", F + group(("t", ragged % ""), ("f", 'dense_tensor { column_name: "f" shape { } }'))

    steps = 'feature { name: "##SEQUENCE##" type: STRUCT struct_domain { %s } } '
    path = 'ragged_tensor { feature_path { step: "##SEQUENCE##" step: "%s" } %s }'
    yield "sequence: no group", A + steps % (S + L)
    yield "sequence: no features in it", A + steps % ""
    yield "sequence: no context", steps % S
    yield "sequence: no struct_domain", A + 'feature { name: "##SEQUENCE##" type: STRUCT }'
    yield "sequence: of another type", A + 'feature { name: "##SEQUENCE##" type: INT }'
    yield "sequence: an early stage inside is read", A + steps % S.replace("}", "lifecycle_stage: ALPHA }")
    yield "sequence: in an early stage itself", A + (steps % S).replace("STRUCT", "STRUCT lifecycle_stage: ALPHA")
    yield "sequence: a structure inside", A + steps % 'feature { name: "x" type: STRUCT struct_domain { feature { name: "y" type: INT } } }'
    yield "sequence: a sparse feature inside", A + steps % (S + 'sparse_feature { name: "x" }')
    yield "sequence: no type inside", A + steps % 'feature { name: "x" }'
    yield "sequence: group", A + steps % S + group(("a", 'varlen_sparse_tensor { column_name: "a" }'), ("t", path % ("s", "")))
    yield "sequence: the rest is represented too", A + F + steps % (S + L) + group(("t", path % ("s", "")))
    yield "sequence: lengths", A + steps % (S + L) + group(("t", path % ("s", 'partition { row_length: "l" }')))
    yield "sequence: lengths in the context are others", L + steps % (S + L) + group(("t", path % ("s", 'partition { row_length: "l" }')))
    yield "sequence: lengths and uniform", steps % (S + L) + group(("t", path % ("s", 'partition { row_length: "l" } partition { uniform_row_length: 3 }')))
    yield "sequence: dense context", A + steps % S + group(("a", 'dense_tensor { column_name: "a" shape { } default_value { int_value: 3 } }'))
    yield "sequence: ragged context", A + L + steps % S + group(("t", 'ragged_tensor { feature_path { step: "a" } partition { row_length: "l" } }'))
    yield ("sequence: dense context, another name", A + steps % S + group(("t", 'dense_tensor { column_name: "a" shape { } }')),
           "tfx_bsl would read a feature that has the name of the tensor",
           {"context": {"a": {"fixed_len": {"dtype": "int64", "shape": []}}}, "sequence": {"##SEQUENCE##.s": {"ragged": {"dtype": "string", "value_key": "s", "partitions": []}}}})
    yield "sequence: no such list", A + steps % S + group(("t", path % ("x", "")))
    yield "sequence: a path of three", A + steps % S + group(("t", 'ragged_tensor { feature_path { step: "##SEQUENCE##" step: "s" step: "s" } }'))
    yield "another structure is no sequence", A + 'feature { name: "q" type: STRUCT struct_domain { %s } } ' % S + group(("t", 'ragged_tensor { feature_path { step: "q" step: "s" } }'))

    yield "fields that parsing does not need", (
        'feature { name: "a" type: INT int_domain { min: 1 max: 5 is_categorical: true } unique_constraints { min: 1 max: 3 } '
        'drift_comparator { jensen_shannon_divergence { threshold: 0.1 source { type: QUANTILES } } } in_environment: "TRAINING" } '
        'feature { name: "s" type: BYTES domain: "d" distribution_constraints { min_domain_mass: 0.9 } annotation { tag: "x" comment: "y" } '
        'skew_comparator { infinity_norm { threshold: 0.01 } normalized_abs_difference { threshold: 1 } } not_in_environment: "SERVING" } '
        'feature { name: "t" type: BYTES natural_language_domain { vocabulary: "v" coverage { min_coverage: 0.5 excluded_int_tokens: 1 excluded_int_tokens: 2 } '
        'token_constraints { int_value: 3 min_per_sequence: 1 } sequence_length_constraints { max_sequence_length: 9 } } } '
        'feature { name: "i" type: BYTES image_domain { minimum_supported_image_fraction: 0.5 } } '
        'feature { name: "when" type: INT time_domain { integer_format: UNIX_DAYS } sequence_metadata { sequential_status: SEQUENTIAL_YES joint_group: "g" } } '
        'feature { name: "at" type: BYTES time_of_day_domain { string_format: "%H" } value_counts { value_count { min: 1 } value_count { max: 2 } } } '
        'feature { name: "b" type: BYTES bool_domain { true_value: "yes" false_value: "no" } } '
        'feature { name: "u" type: BYTES url_domain { } } feature { name: "m" type: BYTES mid_domain { } } '
        'weighted_feature { name: "w" feature { step: "a" } weight_feature { step: "f" } } feature { name: "f" type: FLOAT float_domain { min: -1 max: 1 disallow_nan: true } } '
        'string_domain { name: "d" value: "p" value: "q" is_categorical: CATEGORICAL_NO } default_environment: "TRAINING" default_environment: "SERVING" '
        'dataset_constraints { min_examples_count: 1 num_examples_drift_comparator { min_fraction_threshold: 0.5 } }')
    yield "names with every sort of character", r'feature { name: "a b/c.d\"\\\n\303\251" type: INT } feature { name: "" type: FLOAT }'
    yield "a field that there is not", A + "frobnicate: 1"
    yield "a domain that there is not", A.replace("}", "frob_domain { } }")
    yield "a feature is given twice", A + "feature { name: 'a' type: FLOAT }", "the first of the two would be lost"
    yield "a tensor is given twice", A + group(("a", 'varlen_sparse_tensor { column_name: "a" }'), ("a", 'dense_tensor { column_name: "a" shape { } }')), "the first of the two would be lost"
    yield "a group is given twice", A + group(("t", 'ragged_tensor { feature_path { step: "a" } }')) + group(("u", 'ragged_tensor { feature_path { step: "a" } }')), "the first of the two would be lost"
    yield "a feature without a name", A + "feature { type: INT }", "a name was forgotten"


# ---------------------------------------------------------------- random schemas

def random_schema(rng):
    """A schema that may make no sense, but in none of the ways in which we differ."""
    names = ["n%d" % i for i in range(rng.randint(1, 8))]
    types = {n: rng.choice(["INT", "INT", "FLOAT", "BYTES"]) for n in names}
    lines, sequence = [], rng.random() < 0.3
    inner = ["m%d" % i for i in range(rng.randint(0, 4))] if sequence else []
    inner_types = {n: rng.choice(["INT", "FLOAT", "BYTES"]) for n in inner}
    shapes = lambda: " ".join("dim { size: %d }" % rng.randint(0, 4) for _ in range(rng.randint(0, 2)))
    ints = [n for n in names if types[n] == "INT"]
    domains = {n: rng.randint(0, 9) for n in ints if rng.random() < 0.6}
    shaped = set()
    for n in names:
        extra = ""
        if rng.random() < 0.2 and n not in domains:
            extra += " shape { %s } presence { min_fraction: 1 }" % shapes()
            shaped.add(n)
        elif n in domains:
            extra += " int_domain { min: 0 max: %d }" % domains[n]
        if rng.random() < 0.1:
            extra += " lifecycle_stage: " + rng.choice(schema_pb2.LifecycleStage.keys())
        lines.append('feature { name: "%s" type: %s%s }' % (n, types[n], extra))
    if sequence:
        lines.append('feature { name: "##SEQUENCE##" type: STRUCT struct_domain { %s } }' % " ".join(
            'feature { name: "%s" type: %s }' % (n, inner_types[n]) for n in inner))
    if not sequence:
        for i in range(rng.choice([0, 0, 1, 2])):
            index = [n for n in domains if rng.random() < 0.5]
            value = rng.choice(names)
            if index and (rng.random() < 0.1 or value not in index):
                lines.append('sparse_feature { name: "sp%d" %s value_feature { name: "%s" } }' % (i, " ".join('index_feature { name: "%s" }' % n for n in index), value))
    if rng.random() < 0.2:
        lines.append("represent_variable_length_as_ragged: true")
    if rng.random() < 0.7:
        tensors = {}
        for _ in range(rng.randint(0, 5)):
            n = rng.choice(names)
            kind = rng.choice(["dense", "varlen", "sparse", "ragged", "ragged", "list"])
            if kind in ("dense", "varlen") or kind == "sparse" and (sequence or not ints):
                body = 'varlen_sparse_tensor { column_name: "%s" }' % n
                if kind == "dense":
                    value = {"INT": "int_value: %d" % rng.randint(-5, 5), "FLOAT": "float_value: %r" % rng.choice([0.5, -1.0, 0.1, 3e38]), "BYTES": 'bytes_value: "x"'}[types[n]]
                    body = 'dense_tensor { column_name: "%s" shape { %s } %s }' % (n, shapes(), "default_value { %s }" % value if rng.random() < 0.5 else "")
                name = n if sequence else rng.choice([n, n, "t%d" % rng.randint(0, 3)])
            elif kind == "sparse":
                index = rng.sample(ints, rng.randint(1, len(ints)))
                dims = len(index) + (rng.random() < 0.05)
                body = "sparse_tensor { dense_shape { %s } %s value_column_name: \"%s\" %s }" % (
                    " ".join("dim { size: %d }" % rng.randint(0, 9) for _ in range(dims)), " ".join('index_column_names: "%s"' % i for i in index), n,
                    "already_sorted: true" if rng.random() < 0.3 else "")
                name = "t%d" % rng.randint(0, 3)
            else:
                path, pool = '"%s"' % n, ints
                if kind == "list" and inner:
                    path, pool = '"##SEQUENCE##" step: "%s"' % rng.choice(inner), [m for m in inner if inner_types[m] == "INT"]
                parts = []
                for _ in range(rng.randint(0, 3)):
                    if pool and rng.random() < 0.6:
                        parts.append('partition { row_length: "%s" }' % rng.choice(pool))
                    else:
                        parts.append("partition { uniform_row_length: %d }" % rng.randint(1, 4))
                body = "ragged_tensor { feature_path { step: %s } %s }" % (path, " ".join(parts))
                name = "t%d" % rng.randint(0, 3)
            tensors.setdefault(name, body)
        lines.append(group(*sorted(tensors.items())))
    rng.shuffle(lines)
    return "\n".join(lines)


def schemas(seed):
    cases = []
    for name, source, *ours in by_hand():
        how = None
        if ours:
            how = {"why": ours[0], "expect": ours[1]} if len(ours) > 1 else {"why": ours[0], "error": True}
        cases.append(schema_case(name, source, ["hand"], how))
    rng = random.Random(seed)
    for i in range(300):
        cases.append(schema_case("random %d" % i, random_schema(rng), ["random"]))
    return cases


# ---------------------------------------------------------------- parser configurations

def configuration(features):
    with tf.Graph().as_default() as g:
        tf.io.parse_example(tf.compat.v1.placeholder(tf.string, [None]), features)
        op = next(o for o in g.get_operations() if o.type.startswith("ParseExample"))
        with tf.compat.v1.Session(graph=g) as session:
            return extract.extract_example_parser_configuration(op, session)


def random_value(rng, dtype):
    if dtype == tf.string:
        return bytes(rng.randrange(256) for _ in range(rng.randint(0, 3)))
    if dtype == tf.int64:
        return rng.choice([0, 1, -1, rng.getrandbits(40), -2**63, 2**63 - 1])
    return float(np.float32(rng.choice([0.0, -0.5, rng.gauss(0, 100), float("inf"), 1e-40])))


def random_features(rng):
    features = {}
    for i in range(rng.randint(1, 6)):
        dtype = rng.choice([tf.int64, tf.float32, tf.string])
        shape = [rng.randint(1, 3) for _ in range(rng.randint(0, 2))]
        kind = rng.choice(["fixed", "fixed", "sequence", "var"])
        name = rng.choice(["f%d", "a b/%d", "é%d", "%d"]) % i
        if kind == "var":
            features[name] = tf.io.VarLenFeature(dtype)
        elif kind == "sequence":
            features[name] = tf.io.FixedLenSequenceFeature(shape, dtype, allow_missing=True, default_value=random_value(rng, dtype) if rng.random() < 0.5 else None)
        else:
            n = int(np.prod(shape, initial=1))
            v = None
            if rng.random() < 0.7:
                v = [random_value(rng, dtype) for _ in range(n)]
                if rng.random() < 0.3:
                    v = v[:1] * n
            features[name] = tf.io.FixedLenFeature(shape, dtype, default_value=v)
    return features


TENSORS = [
    ("one value for all", 3, "INT64", "tensor_shape { dim { size: 3 } } int64_val: 5", None),
    ("the last value for the rest", 3, "INT64", "tensor_shape { dim { size: 3 } } int64_val: 5 int64_val: 6", None),
    ("no values", 3, "INT64", "tensor_shape { dim { size: 3 } }", None),
    ("no values, of strings", 2, "STRING", "tensor_shape { dim { size: 2 } }", None),
    ("too many values", 1, "INT64", "tensor_shape { dim { size: 1 } } int64_val: 5 int64_val: 6", "a value would be lost"),
    ("values of no shape", 0, "INT64", "tensor_shape { dim { } } int64_val: 5", "a value would be lost"),
    ("content", 2, "INT64", r'tensor_shape { dim { size: 2 } } tensor_content: "\001\000\000\000\000\000\000\000\376\377\377\377\377\377\377\377"', None),
    ("content too short", 2, "INT64", r'tensor_shape { dim { size: 2 } } tensor_content: "\001\000\000\000\000\000\000\000"', None),
    ("content and values", 1, "INT64", r'tensor_shape { dim { size: 1 } } tensor_content: "\001\000\000\000\000\000\000\000" int64_val: 9', "a value would be lost"),
    ("content of floats", 2, "FLOAT", r'tensor_shape { dim { size: 2 } } tensor_content: "\000\000\200?\000\000\200\377"', None),
    ("content of strings", 2, "STRING", r'tensor_shape { dim { size: 2 } } tensor_content: "\001\002abc"', None),
    ("content of strings, a byte too many", 2, "STRING", r'tensor_shape { dim { size: 2 } } tensor_content: "\001\002abcd"', None),
    ("content of strings, a byte too few", 2, "STRING", r'tensor_shape { dim { size: 2 } } tensor_content: "\001\003abc"', None),
    ("nan", 2, "FLOAT", "tensor_shape { dim { size: 2 } } float_val: nan", None),
    ("values of another type", 2, "INT64", "tensor_shape { dim { size: 2 } } int_val: 3", "a value would be lost"),
    ("a negative dimension", 2, "INT64", "tensor_shape { dim { size: -2 } }", None),
    ("a shape that no memory has room for", 2, "FLOAT", "tensor_shape { dim { size: 1000000000000 } } float_val: 1", None),
    ("rank not known", 1, "INT64", "tensor_shape { unknown_rank: true }", "it is not known how many values there are"),
]


def configurations(seed):
    rng = random.Random(seed)
    cases = []
    for i in range(60):
        features = random_features(rng)
        config = configuration(features)
        cases.append({"name": "random %d" % i, "tags": ["random"], "binary": base64.b64encode(config.SerializeToString(deterministic=True)).decode(),
                      "text": text_format.MessageToString(config), "expect": {"features": {n: feature(f) for n, f in sorted(features.items())}}})
    for name, n, dtype, body, why in TENSORS:
        proto = text_format.Parse("dtype: DT_%s %s" % (dtype, body), tensor_pb2.TensorProto())
        config = 'feature_map { key: "a" value { fixed_len_feature { dtype: DT_%s shape { dim { size: %d } } default_value { dtype: DT_%s %s } } } }' % (dtype, n, dtype, body)
        c = {"name": "default: " + name, "tags": ["default"], "text": config}
        try:
            kind = {"INT64": tf.int64, "FLOAT": tf.float32, "STRING": tf.string}[dtype]
            v = tf.io.parse_tensor(proto.SerializeToString(), kind).numpy()
            o = {"dtype": kind.name, "shape": [n]}
            if v.size:
                o["default"] = [number(x, kind.name) for x in np.asarray(v).reshape(-1).tolist()]
            c["expect"] = {"features": {"a": {"fixed_len": o}}}
        except Exception as e:
            c["error"] = {"message": message(e)}
        if why:
            c["ours"] = {"why": why, "error": True}
        cases.append(c)
    return cases


# ---------------------------------------------------------------- schemas that we wrote

def written(args):
    """What tfx_bsl reads in the schemas that ToSchema writes for the specs of ../vectors/parse."""
    out = subprocess.run(["go", "run", os.path.join(HERE, "write_schema.go")], cwd=HERE, check=True, capture_output=True).stdout
    cases = []
    for line in out.splitlines():
        w = json.loads(line)
        c = schema_case(w["name"], w["schema"])
        if c.get("expect") != canonical(w["spec"]):
            print("differs: %s\n%s\n%s\n%s" % (w["name"], w["schema"], c.get("expect", c.get("error")), canonical(w["spec"])))
            sys.exit(1)
        cases.append(c)
    return cases


def canonical(s):
    """Spec JSON with what may be left out."""
    s = json.loads(json.dumps(s))
    for fs in s.values():
        for name, kinds in fs.items():
            if "ragged" in kinds:
                kinds["ragged"].setdefault("value_key", name)
            if "default" in kinds.get("fixed_len", {}):
                if not kinds["fixed_len"]["default"]:
                    del kinds["fixed_len"]["default"]
                elif kinds["fixed_len"]["dtype"] == "float32":
                    kinds["fixed_len"]["default"] = [number(float(x) if not isinstance(x, str) else float(x.replace("Infinity", "inf")), "float32") for x in kinds["fixed_len"]["default"]]
    return s


# ---------------------------------------------------------------- published data

def column(t):
    """The lines that a column is summed up by."""
    def values(v):
        if v.dtype == tf.string:
            return [x.hex() for x in v.numpy().reshape(-1).tolist()]
        if v.dtype == tf.float32:
            return ["%08x" % x for x in v.numpy().reshape(-1).view(np.uint32).tolist()]
        return [str(x) for x in v.numpy().reshape(-1).tolist()]
    numbers = lambda word, v: " ".join([word] + [str(int(x)) for x in v])
    if isinstance(t, tf.SparseTensor):
        yield "sparse " + t.dtype.name
        yield numbers("shape", t.dense_shape)
        for i, v in zip(t.indices.numpy().tolist(), values(t.values)):
            yield " ".join(map(str, i + [v]))
        return
    if isinstance(t, tf.RaggedTensor):
        yield "ragged " + t.dtype.name
        for p in t._nested_row_partitions:
            yield numbers("splits", p.row_splits())
        t = t.flat_values
    else:
        yield "dense " + t.dtype.name
    yield numbers("shape", t.shape)
    yield from values(t)


def digest(t):
    return hashlib.sha256("".join(line + "\n" for line in column(t)).encode()).hexdigest()


def published(folder):
    cases = []
    for name in ("chicago_taxi", "penguin", "sequence"):
        with open(os.path.join(folder, name, "schema.pbtxt")) as f:
            schema = text_format.Parse(f.read(), schema_pb2.Schema())
        files = sorted(glob.glob(os.path.join(folder, name, "data_tfrecord*")))
        records = [r.numpy() for p in files for r in tf.data.TFRecordDataset(p, "GZIP")]
        if is_sequence(schema):
            context, sequence = sequence_spec(schema)
            context, sequence, lengths = tf.io.parse_sequence_example(records, context, sequence)
            groups = {"context": context, "sequence": sequence}
        else:
            groups = {"features": tf.io.parse_example(records, example_spec(schema))}
        cases.append({"name": name, "tags": [], "files": [os.path.basename(p) for p in files], "records": len(records), "spec": spec(schema),
                      "expect": {g: {n: digest(t) for n, t in sorted(c.items())} for g, c in groups.items()}})
    return cases


def write(path, program, cases):
    names = [c["name"] for c in cases]
    assert len(set(names)) == len(names), [n for n in names if names.count(n) > 1]
    versions = "tfx_bsl 1.16.1, tensorflow " + tf.__version__
    with open(path, "w", encoding="utf-8") as f:
        f.write(json.dumps({"vectors": "spec", "version": 1, "made_by": versions, "program": program, "cases": len(cases)}) + "\n")
        for c in cases:
            f.write(json.dumps(c, separators=(",", ":"), ensure_ascii=False, allow_nan=False) + "\n")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--data", help="the folder with the published data; without it published.jsonl is not made")
    p.add_argument("--out", default=os.path.join(HERE, "..", "spec"))
    args = p.parse_args()
    program = "make/schema.py --seed %d" % args.seed
    write(os.path.join(args.out, "schema.jsonl"), program, schemas(args.seed))
    write(os.path.join(args.out, "parser_config.jsonl"), program, configurations(args.seed))
    write(os.path.join(args.out, "written.jsonl"), program, written(args))
    if args.data:
        write(os.path.join(args.out, "published.jsonl"), program + " --data", published(args.data))


if __name__ == "__main__":
    main()

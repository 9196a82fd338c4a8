"""Makes ../messages/scalars.tfevents and saved*.snapshot, and beside them the JSON that tfparse cat prints of their records.

    TF_CPP_MIN_LOG_LEVEL=3 python events.py [OUT]

  scalars.tfevents, scalars.jsonl    Event: a summary of every kind, with scalars of every dtype.
  saved.snapshot, saved.jsonl        what Dataset.save writes of elements with a ragged tensor: TensorProto.
  saved.gzip.snapshot, saved.snappy.snapshot    the same elements with compression.

TensorFlow's operations make the summaries, and its messages and tf.make_ndarray read them. The elements are those that
Dataset.load returns. Numbers are compared as numbers, and members in any order. Running this twice gives the same bytes.
"""
import glob
import json
import os
import shutil
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
import numpy as np
import tensorflow as tf
from tensorflow.core.framework import summary_pb2
from tensorflow.core.util import event_pb2

from values import number, text

HERE = os.path.dirname(os.path.abspath(__file__))
DTYPES = [tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.int8, tf.uint8, tf.int16, tf.uint16, tf.int32, tf.uint32, tf.int64, tf.uint64, tf.bool, tf.complex64]


def summary(op, **kwargs):
    return summary_pb2.Summary.FromString(op(**kwargs).numpy())


def metadata(plugin):
    return summary_pb2.SummaryMetadata(plugin_data={"plugin_name": plugin}, display_name="shown").SerializeToString()


def summaries():
    yield summary(tf.raw_ops.ScalarSummary, tags=["loss", "accuracy", "none", "most"], values=[0.1, 1.0, float("nan"), float("-inf")])
    yield summary_pb2.Summary(value=[dict(tag="layer", node_name="layer_1", simple_value=-0.0)])
    for dtype in DTYPES:
        value = tf.cast(tf.constant(0.1 if dtype.is_floating or dtype.is_complex else 100), dtype)
        yield summary(tf.raw_ops.TensorSummaryV2, tag=dtype.name, tensor=value, serialized_summary_metadata=metadata("scalars"))
    yield summary_pb2.Summary(value=[dict(tag="double", tensor=tf.make_tensor_proto(1 / 3, tf.float64)), dict(tag="big", tensor=tf.make_tensor_proto(2**63 - 1, tf.int64))])
    yield summary(tf.raw_ops.TensorSummaryV2, tag="text", tensor=["hello"], serialized_summary_metadata=metadata("text"))
    yield summary(tf.raw_ops.TensorSummaryV2, tag="curve", tensor=tf.zeros([2, 3], tf.float64), serialized_summary_metadata=metadata("histograms"))
    yield summary(tf.raw_ops.HistogramSummary, tag="weights", values=tf.constant([1.0, 2.0, 3.0]))
    png = tf.io.encode_png(tf.zeros([4, 4, 3], tf.uint8)).numpy()   # ImageSummary is for graphs
    yield summary_pb2.Summary(value=[dict(tag="image/0", image=dict(height=4, width=4, colorspace=3, encoded_image_string=png))])
    yield summary(tf.raw_ops.AudioSummaryV2, tag="audio", tensor=tf.zeros([1, 8, 1]), sample_rate=8000.0)
    yield summary_pb2.Summary()


def events():
    when = 1753100000.25
    yield event_pb2.Event(wall_time=when, file_version="brain.Event:2", source_metadata={"writer": "tensorflow.core.util.events_writer"})
    for step, s in enumerate(summaries()):
        yield event_pb2.Event(wall_time=when + step / 8, step=step, summary=s)
    with tf.Graph().as_default() as graph:
        tf.constant(1, name="one")
    yield event_pb2.Event(wall_time=when, graph_def=graph.as_graph_def().SerializeToString())
    yield event_pb2.Event(wall_time=when, step=-1, meta_graph_def=b"\x0a\x00")
    yield event_pb2.Event(wall_time=when, step=2**62, tagged_run_metadata={"tag": "batch", "run_metadata": b"\x0a\x00"})
    yield event_pb2.Event(wall_time=when, step=9, session_log={"status": "CHECKPOINT", "checkpoint_path": "model/ckpt-1"})
    yield event_pb2.Event(wall_time=when, step=9, log_message={"level": "WARN", "message": "slow"})


def tensor(t, as_scalar=False):
    a = tf.make_ndarray(t)
    dtype = tf.as_dtype(t.dtype).name
    if as_scalar and a.shape == () and a.dtype != object:
        return {"value": number(a[()])}
    if as_scalar:
        return {"tensor": {"dtype": dtype, "shape": list(a.shape), "bytes": t.ByteSize()}}
    return {"dtype": dtype, "shape": list(a.shape), "values": [text(v) if a.dtype == object else number(v) for v in a.reshape(-1)]}


def value_json(v):
    out = {"tag": v.tag}
    if v.node_name:
        out["node_name"] = v.node_name
    if v.HasField("metadata"):
        out["plugin"] = v.metadata.plugin_data.plugin_name
    kind = v.WhichOneof("value")
    if kind == "simple_value":
        return out | {"value": number(np.float32(v.simple_value))}
    if kind == "tensor":
        return out | tensor(v.tensor, as_scalar=True)
    return out | {kind: {"bytes": getattr(v, kind).ByteSize()}}


def event_json(e):
    out = {"wall_time": e.wall_time, "step": e.step}
    if e.HasField("source_metadata"):
        out["source_metadata"] = {"writer": e.source_metadata.writer}
    kind = e.WhichOneof("what")
    what = getattr(e, kind)
    if kind == "summary":
        what = [value_json(v) for v in what.value]
    elif kind in ("graph_def", "meta_graph_def"):
        what = {"bytes": len(what)}
    elif kind == "tagged_run_metadata":
        what = {"tag": what.tag, "run_metadata": {"bytes": len(what.run_metadata)}}
    elif kind != "file_version":
        what = {f.name: v for f, v in what.ListFields()}
    return out | {kind: what}


def elements():
    lists = [[1], [], [2, 3]]
    for i in range(3):
        yield {"id": tf.constant(i, tf.int64), "name": tf.constant(["", "é", b"\xff"][i]), "score": tf.constant([[0.1 * i, float("nan")]], tf.float32),
               "words": tf.ragged.constant([lists[i], lists[2]], dtype=tf.int32)}


def saved(out):
    first = next(elements())
    data = tf.data.Dataset.from_generator(elements, output_signature=tf.nest.map_structure(tf.type_spec_from_value, first) | {
        "words": tf.RaggedTensorSpec([2, None], tf.int32)})
    for name, compression in ("saved", "NONE"), ("saved.gzip", "GZIP"), ("saved.snappy", "SNAPPY"):
        with tempfile.TemporaryDirectory() as folder:
            data.save(folder, compression=compression)
            loaded = list(tf.data.Dataset.load(folder, compression=compression))
            (file,) = glob.glob(os.path.join(folder, "*", "*", "*.snapshot"))
            shutil.copyfile(file, os.path.join(out, name + ".snapshot"))
    with open(os.path.join(out, "saved.jsonl"), "w") as f:
        for element in loaded:
            for component in tf.nest.flatten(element):
                if isinstance(component, tf.RaggedTensor):
                    parts = [tensor(tf.make_tensor_proto(t.numpy())) for t in (component.row_splits, component.values)]
                    line = {"dtype": "variant", "shape": [], "values": [{"type_name": "RaggedTensorVariant", "tensors": parts}]}
                else:
                    line = tensor(tf.make_tensor_proto(component.numpy(), component.dtype))
                f.write(json.dumps(line, ensure_ascii=False) + "\n")


def main(out):
    with tf.io.TFRecordWriter(os.path.join(out, "scalars.tfevents")) as w, open(os.path.join(out, "scalars.jsonl"), "w") as f:
        for e in events():
            w.write(e.SerializeToString(deterministic=True))
            f.write(json.dumps(event_json(e), ensure_ascii=False) + "\n")
    saved(out)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "messages"))

"""Makes files of other messages in ../messages/, each with the JSON lines that tfparse cat must print.

    TF_CPP_MIN_LOG_LEVEL=3 python events.py [OUT]

  scalars.tfevents, scalars.jsonl    Event: a summary of every kind, with scalars of every dtype.
  saved.snapshot, saved.jsonl        TensorProto: a snapshot of Dataset.save, of elements with a ragged tensor.
  saved.gzip.snapshot, saved.snappy.snapshot    the same elements with compression.
  dataset/                           the directory of Dataset.save with the elements in two shards: those with id 0 and 2, that with id 1.
  tensorflow.desc                    FileDescriptorSet of Event, Example and MetaGraphDef.
  graphs.records                     MetaGraphDef: maps, oneofs, wrappers and an Any.
  scalars.proto.jsonl, graphs.proto.jsonl       both files in protobuf's JSON, as Python's json_format prints it.

TensorFlow's operations write the summaries; its messages and tf.make_ndarray read them. The elements are those of
Dataset.load. Tests compare numbers as numbers, and members in any order. The files are the same in every run.
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
from google.protobuf import descriptor_pb2, json_format
from tensorflow.core.example import example_pb2
from tensorflow.core.framework import summary_pb2
from tensorflow.core.protobuf import meta_graph_pb2, snapshot_pb2
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
    png = tf.io.encode_png(tf.zeros([4, 4, 3], tf.uint8)).numpy()   # the operation ImageSummary works in graphs only
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
    yield event_pb2.Event(wall_time=when, graph_def=graph.as_graph_def().SerializeToString(deterministic=True))
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
    folder = os.path.join(out, "dataset")
    shutil.rmtree(folder, ignore_errors=True)
    data.save(folder, shard_func=lambda e: e["id"] % 2)
    name = os.path.join(folder, "snapshot.metadata")
    with open(name, "rb") as f:
        metadata = snapshot_pb2.SnapshotMetadataRecord.FromString(f.read())
    os.rename(os.path.join(folder, metadata.run_id), os.path.join(folder, "17"))
    metadata.run_id, metadata.creation_timestamp = "17", 1753100000000000  # a random number, and now
    with open(name, "wb") as f:
        f.write(metadata.SerializeToString())
    assert len(list(tf.data.Dataset.load(folder))) == 3
    with open(os.path.join(out, "saved.jsonl"), "w") as f:
        for element in loaded:
            for component in tf.nest.flatten(element):
                if isinstance(component, tf.RaggedTensor):
                    parts = [tensor(tf.make_tensor_proto(t.numpy())) for t in (component.row_splits, component.values)]
                    line = {"dtype": "variant", "shape": [], "values": [{"type_name": "RaggedTensorVariant", "tensors": parts}]}
                else:
                    line = tensor(tf.make_tensor_proto(component.numpy(), component.dtype))
                f.write(json.dumps(line, ensure_ascii=False) + "\n")


def graphs():
    with tf.Graph().as_default() as graph:
        tf.add(tf.constant([1.0, float("nan"), 3.5], name="numbers"), tf.constant(-0.0), name="sum")
    m = meta_graph_pb2.MetaGraphDef(graph_def=graph.as_graph_def(), saver_def={"filename_tensor_name": "save/Const:0", "version": "V2", "keep_checkpoint_every_n_hours": 1e300})
    m.meta_info_def.tags.extend(["serve", ""])
    m.meta_info_def.any_info.Pack(tf.train.Example(features={"feature": {k: {"int64_list": {"value": [i - 1, 2**62]}} for i, k in enumerate("ba")}}), deterministic=True)
    m.collection_def["numbers"].int64_list.value.extend([-1, 2**63 - 1])
    m.collection_def["bytes"].bytes_list.value.extend([b"\xff\x00", b""])
    m.collection_def["floats"].float_list.value.extend([0.1, float("inf"), 3.4028235e38])
    m.signature_def["serving_default"].inputs["x"].composite_tensor.type_spec.type_spec_class = "RAGGED_TENSOR_SPEC"
    node = m.object_graph_def.nodes.add()
    node.children.add(node_id=1, local_name="é")
    yield m
    yield meta_graph_pb2.MetaGraphDef(meta_info_def={"meta_graph_version": "", "any_info": {}})
    yield meta_graph_pb2.MetaGraphDef()


def descriptors(*modules):
    files = {}

    def add(file):
        for other in file.dependencies:
            add(other)
        files.setdefault(file.name, file)
    for module in modules:
        add(module.DESCRIPTOR)
    out = descriptor_pb2.FileDescriptorSet()
    for file in files.values():
        file.CopyToProto(out.file.add())
    return out


def write(out, name, messages, forms):
    messages = list(messages)
    with tf.io.TFRecordWriter(os.path.join(out, name)) as w:
        for m in messages:
            w.write(m.SerializeToString(deterministic=True))
    for ending, form in forms.items():
        with open(os.path.join(out, name.partition(".")[0] + ending), "w") as f:
            for m in messages:
                f.write(json.dumps(form(m), ensure_ascii=False, sort_keys=True) + "\n")


def main(out):
    write(out, "scalars.tfevents", events(), {".jsonl": event_json, ".proto.jsonl": json_format.MessageToDict})
    write(out, "graphs.records", graphs(), {".proto.jsonl": json_format.MessageToDict})
    with open(os.path.join(out, "tensorflow.desc"), "wb") as f:
        f.write(descriptors(event_pb2, meta_graph_pb2, example_pb2).SerializeToString(deterministic=True))
    saved(out)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "messages"))

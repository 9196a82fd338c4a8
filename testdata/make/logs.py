"""Makes ../models/logs.tfrecord and logs.jsonl: PredictionLog messages, and the JSON that tfparse cat --type prediction_log prints.

    python logs.py

The messages are written by TensorFlow Serving's own protos. The JSON has the fields by their names in the protos; tensors are read by tf.make_ndarray.
Numbers are compared as numbers, and members in any order.

Needs tensorflow-cpu and tensorflow-serving-api.
"""
import json
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
import numpy as np
import tensorflow as tf
from tensorflow_serving.apis import prediction_log_pb2

from values import number, text

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models")
LOG = prediction_log_pb2.PredictionLog


def tensor(t):
    a = tf.make_ndarray(t)
    values = [text(v) if a.dtype == object else number(v) for v in a.reshape(-1)]
    return {"dtype": tf.as_dtype(t.dtype).name, "shape": list(a.shape), "values": values}


def example(e):
    def values(f):
        kind = f.WhichOneof("kind")
        if kind is None:
            return None
        return [text(v) if kind == "bytes_list" else number(np.float32(v)) if kind == "float_list" else v for v in getattr(f, kind).value]
    return {name: values(f) for name, f in e.features.feature.items()}


def form(m):
    """A message as a dict, by the names of the fields that it has."""
    full = m.DESCRIPTOR.full_name
    if full == "tensorflow.TensorProto":
        return tensor(m)
    if full == "tensorflow.Example":
        return example(m)
    if full == "tensorflow.serving.ExampleListWithContext":
        both = {"examples": [example(e) for e in m.examples]}
        return {"context": example(m.context), **both} if m.HasField("context") else both
    if full == "google.protobuf.Int64Value":
        return m.value
    if full == "tensorflow.RunOptions":
        return {"b64": base64.b64encode(m.SerializeToString()).decode()}
    out = {}
    for f, v in m.ListFields():
        if f.message_type and f.message_type.GetOptions().map_entry:
            out[f.name] = {k: form(v[k]) for k in v}
        elif f.type == f.TYPE_MESSAGE:
            out[f.name] = [form(x) for x in v] if hasattr(v, "append") or hasattr(v, "add") else form(v)
        else:
            one = {f.TYPE_FLOAT: lambda x: number(np.float32(x)), f.TYPE_DOUBLE: lambda x: number(np.float64(x))}.get(f.type, lambda x: x)
            out[f.name] = [one(x) for x in v] if hasattr(v, "append") else one(v)
    return out


def logs():
    predict = LOG()
    request = predict.predict_log.request
    request.model_spec.name, request.model_spec.version_label = "größe", "stable"
    request.output_filter.extend(["y", "x"])
    nan, inf = float("nan"), float("inf")
    for name, values in {
            "float16": [0.1, -0.0, 65504, 6e-8, nan, inf], "bfloat16": [0.1, 3e38, -inf, 1e-40], "float32": [0.1, 1e20, 1e-7, -0.0, nan, -inf, 16777216],
            "float64": [0.1, 1e300, 5e-324, -inf, nan, 123456789012], "int8": [-128, 127], "int16": [-32768, 32767], "int32": [-1 << 31, 1], "int64": [-1 << 63, (1 << 63) - 1],
            "uint8": [255], "uint16": [65535], "uint32": [(1 << 32) - 1], "uint64": [(1 << 64) - 1, 0], "bool": [True, False], "complex64": [1 + 2j, complex(nan, 0.1)],
            "complex128": [complex(0.1, -inf)], "float8_e5m2": [1.5, -57344, 1.5e-5], "float8_e4m3fn": [448, -0.001953125, 0.1875, nan]}.items():
        request.inputs[name].CopyFrom(tf.make_tensor_proto(np.array(values, tf.as_dtype(name).as_numpy_dtype)))
    request.inputs["string"].CopyFrom(tf.make_tensor_proto([[b"a\"\n", b"\xff"], ["größe".encode(), b""]]))
    request.inputs["scalar"].CopyFrom(tf.make_tensor_proto(7))
    request.inputs["no rows"].CopyFrom(tf.make_tensor_proto(np.zeros([0, 3], np.float32)))
    short = request.inputs["last value again"]
    short.dtype, short.float_val[:] = tf.float32.as_datatype_enum, [0.5, 2]
    short.tensor_shape.dim.add(size=2), short.tensor_shape.dim.add(size=3)
    yield predict

    answered = LOG()
    answered.predict_log.request.model_spec.version.value = 3
    answered.predict_log.response.outputs["y"].CopyFrom(tf.make_tensor_proto([1.5]))
    answered.log_metadata.timestamp_secs = 1753100000
    answered.log_metadata.sampling_config.sampling_rate = 0.1
    answered.log_metadata.saved_model_tags.append("serve")
    yield answered

    features = {"n": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, -2])), "x": tf.train.Feature(float_list=tf.train.FloatList(value=[0.1])),
                "s": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a", b"\xff"])), "none": tf.train.Feature()}
    examples = LOG()
    examples.classify_log.request.model_spec.signature_name = "classify"
    for keys in (["n", "x"], ["s", "none"], []):
        e = examples.classify_log.request.input.example_list.examples.add()
        for k in keys:
            e.features.feature[k].CopyFrom(features[k])
    classes = examples.classify_log.response.result.classifications.add()
    classes.classes.add(label="yes", score=0.1), classes.classes.add(label="no")
    yield examples

    lists = LOG()
    elwc = lists.regress_log.request.input.example_list_with_context
    elwc.context.features.feature["n"].CopyFrom(features["n"])
    elwc.examples.add().features.feature["x"].CopyFrom(features["x"])
    elwc.examples.add()
    lists.regress_log.response.result.regressions.add(value=0.5)
    lists.regress_log.response.model_spec.version.SetInParent()
    yield lists

    run = LOG()
    run.session_run_log.request.feed.add(name="x:0").tensor.CopyFrom(tf.make_tensor_proto([1, 2]))
    run.session_run_log.request.fetch.append("y:0")
    run.session_run_log.request.target.append("init")
    run.session_run_log.request.options.timeout_in_ms = 5
    run.session_run_log.response.tensor.add(name="y:0").tensor.CopyFrom(tf.make_tensor_proto("a"))
    yield run

    multi = LOG()
    for method in ("classify", "regress"):
        multi.multi_inference_log.request.tasks.add(method_name="tensorflow/serving/" + method).model_spec.name = "m"
    multi.multi_inference_log.request.input.example_list.SetInParent()
    multi.multi_inference_log.response.results.add().classification_result.classifications.add()
    multi.multi_inference_log.response.results.add().regression_result.regressions.add(value=-1)
    yield multi

    streamed = LOG()
    for _ in range(2):
        streamed.predict_streamed_log.request.add().inputs["x"].CopyFrom(tf.make_tensor_proto([1]))
    streamed.predict_streamed_log.response.add()
    yield streamed

    yield LOG(predict_log={})


def main():
    with tf.io.TFRecordWriter(os.path.join(OUT, "logs.tfrecord")) as w, open(os.path.join(OUT, "logs.jsonl"), "w") as f:
        for log in logs():
            w.write(log.SerializeToString(deterministic=True))
            f.write(json.dumps(form(log), sort_keys=True, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()

"""Makes ../models/serving.jsonl: messages of TensorFlow Serving, as its own protocol buffers write and read them.

    python serving.py [OUT]

  predict    a PredictRequest: model_spec, feeds (name, dtype, shape, values), outputs; its bytes, with the inputs in the order of
             the feeds
  examples   a ClassificationRequest, which is byte for byte a RegressionRequest, of records
  list       the same of an ExampleListWithContext
  response   a PredictResponse, and its outputs: name, dtype, shape, values

Needs tensorflow-cpu and tensorflow-serving-api (pip install --no-deps), the same version.
"""
import base64
import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
import numpy as np
import tensorflow as tf
from tensorflow.core.framework import tensor_pb2
from tensorflow_serving.apis import classification_pb2, input_pb2, model_pb2, predict_pb2, regression_pb2

HERE = os.path.dirname(os.path.abspath(__file__))
LINES = []


def b64(b):
    return base64.b64encode(b).decode()


def spec(name="", signature="", version=0, label=""):
    m = model_pb2.ModelSpec(name=name, signature_name=signature)
    if version:
        m.version.value = version
    if label:
        m.version_label = label
    return m, {"name": name, "signature": signature, "version": version, "label": label}


def tensor(dtype, shape, values):
    """As we write it: numbers in tensor_content."""
    p = tensor_pb2.TensorProto(dtype=tf.as_dtype(dtype).as_datatype_enum)
    p.tensor_shape.SetInParent()
    for d in shape:
        p.tensor_shape.dim.add(size=d)
    if dtype == "string":
        p.string_val.extend(v.encode() for v in values)
    else:
        p.tensor_content = np.array(values, dtype=dtype).tobytes()
    assert tf.make_ndarray(p).shape == tuple(shape)
    return p


def predict(to, feeds, outputs=()):
    m, line = spec(**to)
    b = predict_pb2.PredictRequest(model_spec=m).SerializeToString(deterministic=True)
    for name, dtype, shape, values in feeds:
        b += predict_pb2.PredictRequest(inputs={name: tensor(dtype, shape, values)}).SerializeToString(deterministic=True)
    b += predict_pb2.PredictRequest(output_filter=outputs).SerializeToString(deterministic=True)
    whole = predict_pb2.PredictRequest.FromString(b)
    assert sorted(whole.inputs) == sorted(f[0] for f in feeds) and list(whole.output_filter) == list(outputs)
    LINES.append({"kind": "predict", "spec": line, "feeds": [dict(zip(("name", "dtype", "shape", "values"), f)) for f in feeds], "outputs": list(outputs),
                  "bytes": b64(b)})


predict({}, [])
predict({"name": "ranker"}, [("tokens", "int64", [3], [1, -2, 3 << 40]), ("tokens_1", "int32", [3], [0, 2, 3])])
predict({"name": "ranker", "version": 7, "signature": "serving_default"},
        [("words", "string", [2, 1], ["", "größe"]), ("w", "float32", [0, 3], []), ("s", "float32", [], [0.5])], ["a", "b"])
predict({"name": "m" * 200, "label": "stable"}, [("x" * 130, "float32", [300], [0.25 * i for i in range(300)])])
predict({"version": 1 << 40}, [("", "int64", [0], [])][:0] + [("x", "int64", [0], [])])


def feature(**kinds):
    return tf.train.Feature(**kinds)


def example(**features):
    return tf.train.Example(features=tf.train.Features(feature={
        k: feature(int64_list=tf.train.Int64List(value=v)) for k, v in features.items()}))


for records in ([], [example(a=[1])], [example(a=[1]), example(), example(b=list(range(200)))]):
    m, line = spec(name="ranker", version=3)
    data = input_pb2.Input(example_list=input_pb2.ExampleList(examples=records))
    b = classification_pb2.ClassificationRequest(model_spec=m, input=data).SerializeToString(deterministic=True)
    assert b == regression_pb2.RegressionRequest(model_spec=m, input=data).SerializeToString(deterministic=True)
    LINES.append({"kind": "examples", "spec": line, "records": [b64(r.SerializeToString(deterministic=True)) for r in records], "bytes": b64(b)})

m, line = spec(name="ranker")
elwc = input_pb2.ExampleListWithContext(examples=[example(a=[1]), example(a=[2])], context=example(q=[9]))
b = regression_pb2.RegressionRequest(model_spec=m, input=input_pb2.Input(example_list_with_context=elwc)).SerializeToString(deterministic=True)
LINES.append({"kind": "list", "spec": line, "records": [b64(elwc.SerializeToString(deterministic=True))], "bytes": b64(b)})

for to, outputs in [({}, {}), ({"name": "ranker", "version": 3, "signature": "s"}, {
        "flat": np.array([[1.5, 2], [3, 4], [5, 6]], np.float32), "splits": np.array([0, 1, 3], np.int64), "inner": np.array([0, 2, 2], np.int32),
        "text": np.array([b"a", b"\xff", b""], dtype=object), "one": np.float32(2), "none": np.zeros([0, 2], np.int64)})]:
    m, line = spec(**to)
    r = predict_pb2.PredictResponse(model_spec=m, outputs={k: tf.make_tensor_proto(v, dtype=tf.string if v.dtype == object else None, shape=v.shape) for k, v in outputs.items()})
    LINES.append({"kind": "response", "spec": line, "bytes": b64(r.SerializeToString(deterministic=True)), "outputs": [
        {"name": k, "dtype": "string" if v.dtype == object else v.dtype.name, "shape": list(v.shape),
         "data": [b64(x) for x in v.tolist()] if v.dtype == object else [b64(v.tobytes())]} for k, v in sorted(outputs.items())]})

out = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "models")
with open(os.path.join(out, "serving.jsonl"), "w") as f:
    for line in LINES:
        f.write(json.dumps(line, ensure_ascii=False) + "\n")

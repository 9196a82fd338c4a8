"""Sends requests to serving, with a model in TensorFlow behind it.

    python serve.py > serve.txt

predict_server.py serves models of models.py, as TensorFlow Serving does, and serving, which reads the saved_model.pb of
../models, is in front of it. Each body goes over HTTP. TensorFlow's own parser makes RaggedTensors of the same records, and the restored
function is called with those: each row of the answer must have its values. Rows of JSON are those that TensorFlow's tensors print as.

Needs tensorflow-cpu, tf-keras, tensorflow-serving-api and Go. Prints bodies ("<", or where they are) and answers (">") of the requests of recipes, which
the tests of serving send again, and a line for each other request; the last line counts.
"""
import base64
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
import numpy as np
import tensorflow as tf
import tf_keras
import models
import warmup

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..")
COUNTS = {"requests": 0, "rows": 0, "refused": 0}


@contextlib.contextmanager
def process(*args):
    p = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield p
    finally:
        p.terminate()
        p.communicate()


@contextlib.contextmanager
def serving(folder, name, *flags):
    """Yields the URL of the service in front of a model, and the restored model."""
    where = os.path.join(folder, name)
    tf_keras.utils.set_random_seed(1)
    tf.keras.utils.set_random_seed(1)
    models.MODELS[name](where)  # those in ../models have no variables, which loading wants
    with process(sys.executable, os.path.join(HERE, "predict_server.py"), where, name) as server:
        port = int(server.stdout.readline())
        with process(os.path.join(folder, "serving"), "-listen", "localhost:0", "-backend", f"localhost:{port}", "-model", os.path.join(DATA, "models", name),
                     "-name", name, "-timeout", "30s", *flags) as service:
            log = json.loads(service.stderr.readline())
            yield f"http://{log['address']}/v1/predict", tf.saved_model.load(where)


def post(url, media, body):
    """Returns status, media type and text of an answer."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, {"Content-Type": media})) as r:
            return r.status, r.headers["Content-Type"], r.read().decode()
    except urllib.error.HTTPError as r:
        COUNTS["refused"] += 1
        return r.status, r.headers["Content-Type"], r.read().decode()


def row(value, i):
    """Row i of a tensor, as JSON reads it."""
    def text(v):
        if isinstance(v, list):
            return [text(x) for x in v]
        if isinstance(v, bytes):
            try:
                return v.decode()
            except UnicodeDecodeError:
                return {"b64": base64.b64encode(v).decode()}
        return v
    v = value[i]
    return text(v.to_list() if isinstance(v, tf.RaggedTensor) else v.numpy().tolist())


def compare(answer, want):
    """Each line has the values of its row; float32 as the number that reads back to it."""
    lines = answer.splitlines()
    n = len(next(iter(want.values()))) if not isinstance(next(iter(want.values())), tf.RaggedTensor) else next(iter(want.values())).nrows().numpy()
    assert len(lines) == n, (len(lines), n)
    for i, line in enumerate(lines):
        got = json.loads(line)
        assert sorted(got) == sorted(want), (sorted(got), sorted(want))
        for k in want:
            expected = row(want[k], i)
            if want[k].dtype == tf.float32:
                assert np.array_equal(np.array(got[k], np.float32), np.array(expected, np.float32)), (k, i, got[k], expected)
            else:
                assert got[k] == expected, (k, i, got[k], expected)
    COUNTS["rows"] += n


def effort(loaded, records):
    out = dict(loaded.f(tf.io.parse_example(records, warmup.FEATURES)))
    return {"effort": out["effort"], "words": tf.RaggedTensor.from_row_splits(out["words"], out["words_splits"])}


def json_row(record):
    """A record as a row of JSON: what the model takes from TensorFlow's tensors, and what else ../recipes.spec.json and the schema want."""
    e = tf.train.Example.FromString(record).features.feature
    parsed = tf.io.parse_example([record], warmup.FEATURES)
    r = {k: row(v, 0) for k, v in parsed.items()}
    return {**r, "title": e["title"].bytes_list.value[0].decode(), "servings": e["servings"].int64_list.value[0], "rating": round(e["rating"].float_list.value[0], 3),
            "ingredients": [b.decode() for b in e["ingredients/name"].bytes_list.value], "units": [b.decode() for b in e["ingredients/unit"].bytes_list.value],
            "sections": [b.decode() for b in e["sections/name"].bytes_list.value], "tags": [b.decode() for b in e["tags"].bytes_list.value]}


def recipes(folder):
    records = list(tf.data.TFRecordDataset(warmup.RECIPES).as_numpy_iterator())
    flags = ["-spec", os.path.join(DATA, "recipes.spec.json"), "-schema", os.path.join(DATA, "recipes.schema.pbtxt"),
             "-output", "effort", "-output", "words=words,words_splits"]
    with serving(folder, "recipes", *flags) as (url, loaded):
        def send(media, body, shown, sent):
            status, kind, answer = post(url, media, body)
            COUNTS["requests"] += 1
            print(f"== {media}")
            for line in shown:
                print("<", line)
            print(f"{status} {kind}")
            for line in answer.splitlines():
                print(">", line)
            if status == 200:
                compare(answer, effort(loaded, sent))
        send("application/x-tfrecord", open(warmup.RECIPES, "rb").read(), ["recipes.tfrecord"], records)
        for i in (0, 7):
            send("application/x-protobuf", records[i], [f"recipes.tfrecord#{i}"], [records[i]])
        rated = [r for r in records if tf.train.Example.FromString(r).features.feature["rating"].float_list.value][:4]
        rows = [json.dumps(json_row(r), ensure_ascii=False) for r in rated]
        send("application/x-ndjson", "\n".join(rows).encode(), rows, rated)
        send("application/json", rows[1].encode(), rows[1:2], rated[1:2])
        send("application/json", b'{"title": "Toast", "minutes": [3, 4]}', ['{"title": "Toast", "minutes": [3, 4]}'], None)
        late = rows[0].replace('"minutes": 25', '"minutes": 5000')
        assert late != rows[0]
        send("application/json", late.encode(), [late], None)


def keras(folder, name, call, spec):
    """A Keras model with the inputs ids, which is ragged, and dense."""
    ids = [[1, 2, 3], [], [4, 9], [0] * 7]
    records = [tf.train.Example(features=tf.train.Features(feature={
        "ids": tf.train.Feature(int64_list=tf.train.Int64List(value=r)),
        "dense": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5 * i, -1.5]))})).SerializeToString() for i, r in enumerate(ids)]
    with tf.io.TFRecordWriter(os.path.join(folder, "ids.tfrecord")) as w:
        for r in records:
            w.write(r)
    with serving(folder, name, "-spec", spec) as (url, loaded):
        parsed = tf.io.parse_example(records, {"ids": tf.io.RaggedFeature(tf.int64, row_splits_dtype=tf.int64), "dense": tf.io.FixedLenFeature([2], tf.float32)})
        want = call(loaded, parsed["ids"], parsed["dense"])
        status, _, answer = post(url, "application/x-tfrecord", open(os.path.join(folder, "ids.tfrecord"), "rb").read())
        assert status == 200, answer
        COUNTS["requests"] += 1
        compare(answer, {"sum": want["sum"] if isinstance(want, dict) else want})
        print(f"== {name}: {len(ids)} rows")


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["go", "build", "-o", os.path.join(folder, "serving"), "./cmd/tfparseserving"], cwd=os.path.join(HERE, "..", "..", "serving"), check=True)
        spec = os.path.join(folder, "ids.json")
        with open(spec, "w") as f:
            json.dump({"features": {"ids": {"var_len": {"dtype": "int64"}}, "dense": {"fixed_len": {"dtype": "float32", "shape": [2]}}}}, f)
        recipes(folder)
        keras(folder, "keras2_dict", lambda m, ids, dense: m({"ids": ids, "dense": dense}), spec)
        keras(folder, "keras3_function", lambda m, ids, dense: m.serve(ids, dense), spec)
    print(f"{COUNTS['requests']} requests: {COUNTS['rows']} rows equal, {COUNTS['refused']} requests refused")


if __name__ == "__main__":
    sys.exit(main())

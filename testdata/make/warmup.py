"""Reads the warm-up requests that tfparse warmup writes, and runs them as TensorFlow Serving does.

    python warmup.py > warmup.txt

The models are those of models.py. Each file is read as a TFRecord of PredictionLog. The request of each log is checked as Serving checks it: the signature is
there, and its inputs are all there and no others. Its tensors are given to the restored signature by name. The same records
go through TensorFlow's own parser, and what comes out, RaggedTensors as they are, to the restored function: all outputs
must be equal. The signatures of Examples have no function; what they return is computed from the records. At the end, functions that tfparse model prints as Python are called in the same way.

Needs tensorflow-cpu, tensorflow-serving-api and Go. Prints a line for each file; the last one counts.
"""
import os
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
import numpy as np
import tensorflow as tf
import models
from tensorflow_serving.apis import prediction_log_pb2

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..")
RECIPES = os.path.join(DATA, "recipes.tfrecord")
F = P = tf.io.RaggedFeature
FEATURES = {  # those of ../recipes.spec.json that the model takes
    "minutes": tf.io.FixedLenFeature([], tf.int64),
    "steps": F(tf.string, "steps/words", [P.RowSplits("sections/splits"), P.RowLengths("steps/lengths")], tf.int64),
    "allergens": F(tf.string, "allergens/words", [P.RowLengths("allergens/lengths")], tf.int64),
    "amounts": F(tf.float32, "ingredients/amount"),
}


ARGUMENTS = {"recipes": "recipe", "nested_dict": "feats", "sparse": "x"}


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and (a.tobytes() == b.tobytes() if a.dtype != object else a.tolist() == b.tolist())


def numbers(e, name):
    return e.features.feature[name].int64_list.value


def main():
    counts = {"files": 0, "requests": 0, "records": 0, "outputs": 0, "functions": 0}
    with tempfile.TemporaryDirectory() as folder:
        command = os.path.join(folder, "tfparse")
        subprocess.run(["go", "build", "-o", command, "./cmd/tfparse"], cwd=os.path.join(HERE, "..", ".."), check=True)
        ids = os.path.join(folder, "ids.tfrecord")
        with tf.io.TFRecordWriter(ids) as w:
            for row in [[1, 2], [], [-7], [1 << 40, 3, 9]]:
                w.write(tf.train.Example(features=tf.train.Features(feature={"ids": tf.train.Feature(int64_list=tf.train.Int64List(value=row))})).SerializeToString())

        def run(name, file, kind, want, signature="serving_default", *flags):
            """Writes the requests for a model, and compares each answer with want(records)."""
            out = os.path.join(folder, str(counts["files"]), "assets.extra", "tf_serving_warmup_requests")
            os.makedirs(os.path.dirname(os.path.dirname(out)))
            where = os.path.join(folder, "models", name)
            if not os.path.exists(where):  # those in ../models have no variables, which loading wants
                os.makedirs(where)
                models.MODELS[name](where)
            subprocess.run([command, "warmup", where, file, "-o", out, *flags], check=True)
            loaded = tf.saved_model.load(where)
            records = list(tf.data.TFRecordDataset(file).as_numpy_iterator())
            logs = [prediction_log_pb2.PredictionLog.FromString(b) for b in tf.data.TFRecordDataset(out).as_numpy_iterator()]
            at = 0
            for log in logs:
                assert log.WhichOneof("log_type") == kind, log
                request = getattr(log, kind).request
                assert request.model_spec.name == name, request.model_spec
                assert request.model_spec.signature_name == ("" if signature == "serving_default" else signature)
                f = loaded.signatures[signature]
                if kind == "predict_log":
                    given = {k: tf.constant(tf.make_ndarray(t), tf.as_dtype(t.dtype)) for k, t in request.inputs.items()}
                else:  # Serving serializes the Examples again
                    given = {"inputs": tf.constant([e.SerializeToString() for e in request.input.example_list.examples])}
                assert sorted(given) == sorted(f.structured_input_signature[1]), (sorted(given), f.structured_input_signature)
                got = f(**given)
                n = rows(request, kind, given)
                expected = want(loaded, records[at:at + n])
                at += n
                assert sorted(got) == sorted(expected), (sorted(got), sorted(expected))
                for k in got:
                    assert same(got[k].numpy(), np.asarray(expected[k])), (name, k, got[k], expected[k])
                counts["outputs"] += len(got)
            assert at == len(records), (at, len(records))
            counts["files"] += 1
            counts["requests"] += len(logs)
            counts["records"] += at
            print(f"{name} {signature} {' '.join(f for f in flags if not os.path.sep in f)}: {len(logs)} {kind}s of {at} records".replace(" :", ":"))

        def rows(request, kind, given):
            if kind != "predict_log":
                return len(request.input.example_list.examples)
            return len(given.get("recipe_5", given.get("examples")))

        def recipes(loaded, records):
            return {k: v.numpy() for k, v in loaded.f(tf.io.parse_example(records, FEATURES)).items()}

        def sums(loaded, records):
            return {"sums": np.array([sum(numbers(tf.train.Example.FromString(r), "ids")) for r in records], np.int64)}

        def score(records):
            return np.array([numbers(tf.train.Example.FromString(r), "minutes")[0] for r in records], np.float32) / np.float32(64)

        def classify(loaded, records):
            s = score(records)
            return {"classes": np.array([[b"long", b"short"]] * len(records), object), "scores": np.stack([s, np.float32(1) - s], axis=1)}

        spec = os.path.join(DATA, "recipes.spec.json")
        run("recipes", RECIPES, "predict_log", recipes, "serving_default", "--spec", spec)
        run("recipes", RECIPES, "predict_log", recipes, "serving_default", "--spec", spec, "--batch", "5")
        run("examples", ids, "predict_log", sums, "serving_default", "--serialized", "examples", "--batch", "3")
        run("tf1_classify", RECIPES, "classify_log", classify, "serving_default", "--batch", "4")
        run("tf1_classify", RECIPES, "regress_log", lambda loaded, records: {"outputs": score(records)}, "regression", "--signature", "regression")

        def printed(name, argument):
            """Calls a signature by the Python that tfparse prints for it, and the function with the same arguments."""
            where = os.path.join(folder, "models", name)
            if not os.path.exists(where):
                os.makedirs(where)
                models.MODELS[name](where)
            scope = {}
            exec(subprocess.run([command, "model", "--format", "python", where], check=True, stdout=subprocess.PIPE).stdout.decode(), scope)
            loaded = tf.saved_model.load(where)
            inputs = {}
            for key, tensor in zip(models.paths(argument), tf.nest.flatten(argument)):
                inputs["/".join([ARGUMENTS[name], *key])] = tensor
            got, want = scope["call_serving_default"](loaded, inputs), loaded.f(argument)
            for k in want:
                if tf.is_tensor(want[k]) and not isinstance(want[k], tf.SparseTensor):
                    assert same(got[k].numpy(), want[k].numpy()), (name, k, got[k], want[k])
                    counts["outputs"] += 1
            counts["functions"] += 1
            print(f"{name}: the Python that tfparse model prints")

        ragged = tf.ragged.constant
        printed("recipes", tf.io.parse_example(list(tf.data.TFRecordDataset(RECIPES).as_numpy_iterator()), FEATURES))
        printed("nested_dict", {"a": ragged([[1, 2], [], [3]], tf.int64, row_splits_dtype=tf.int64), "b": tf.constant([1.5, 2.5, 3.5]),
                                "c/d e": ragged([[[1.0, 2.0]], [], [[3.0, 4.0], [5.0, 6.0]]], inner_shape=(2,), row_splits_dtype=tf.int64)})
        printed("sparse", tf.SparseTensor([[0, 3], [1, 9]], [1.5, 2.5], [2, 10]))
    print(f"{counts['files']} files with {counts['requests']} requests of {counts['records']} records; {counts['outputs']} outputs equal; {counts['functions']} printed functions")


if __name__ == "__main__":
    sys.exit(main())

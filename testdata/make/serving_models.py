"""Makes ../models/serving_models.json: the signatures of the SavedModels that tensorflow/serving has as test data.

    python serving_models.py FOLDER

FOLDER holds a copy of that repository, or of its testdata folders; the models are not copied. Each is loaded as those of models.py are. Where this
TensorFlow does not load one, its signature_def is read as a protocol buffer, and "by" says so. The key is where the model stands below "testdata".
The test TestServingModels of ../../model compares them, with TFPARSE_SERVING_MODELS=FOLDER.

Needs tensorflow-cpu and tf-keras.
"""
import json
import os
import sys

import models
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

HERE = os.path.dirname(os.path.abspath(__file__))


def by_proto(graph):
    found = {}
    for key, definition in sorted(graph.signature_def.items()):
        if key.startswith("__"):
            continue
        found[key] = {side: [models.describe(tf.TensorSpec(info.tensor_shape, info.dtype), path=[name], names=[name], tensors=[info.name])
                             for name, info in sorted(getattr(definition, side).items())] for side in ("inputs", "outputs")}
        for side in ("inputs", "outputs"):
            assert all(info.WhichOneof("encoding") in ("name", None) for info in getattr(definition, side).values())
    return found


def main():
    all_models = {}
    for folder, _, files in sorted(os.walk(sys.argv[1])):
        if "saved_model.pb" not in files or "testdata" not in folder:
            continue
        proto = saved_model_pb2.SavedModel.FromString(open(folder + "/saved_model.pb", "rb").read())
        serve = [g for g in proto.meta_graphs if "serve" in g.meta_info_def.tags]
        try:
            by, signatures = "saved_model.load", models.structure(folder, None)
        except Exception as e:
            print(folder, type(e).__name__, str(e).splitlines()[0][:150])
            by, signatures = "signature_def", by_proto(serve[0])
        for key, s in signatures.items():
            s["method"] = serve[0].signature_def[key].method_name
        name = folder.split("testdata/")[-1]
        all_models[name] = {"by": by, "graphs": len(proto.meta_graphs), "signatures": signatures}
        print(name, by, sorted(signatures))
    with open(os.path.join(HERE, "..", "models", "serving_models.json"), "w") as f:
        f.write("{\n" + ",\n".join(json.dumps(k) + ": " + json.dumps(m, sort_keys=True, separators=(",", ":")) for k, m in sorted(all_models.items())) + "\n}\n")


if __name__ == "__main__":
    main()

"""Makes ../tfds/toy/1.0.0: a directory as TensorFlow Datasets writes them, and what its own parser makes of the records.

    TF_CPP_MIN_LOG_LEVEL=3 python tfds.py [OUT]

toy has each feature connector that can be written without a codec for sound or video: in two splits of three shards each.
../tfds/toy.jsonl has a line for each record, in the order of the files: the split, the shard, the number of the record in it, and
its columns as ExampleParser(features.get_serialized_info()) returns them, ragged ones as nested lists. Bytes are strings in which each
character is one byte. ../tfds/legacy.features.json are some features in the form of versions before 4.3, which TensorFlow Datasets still
reads, and legacy.specs.txt the specs that it parses them with.
The program stops if a shard has another number of records than dataset_info.json says, or if numBytes are not those of the payloads.
Needs tensorflow and tensorflow-datasets.
"""
import copy
import json
import os
import shutil
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds
from tensorflow_datasets.core import example_parser, example_serializer

HERE = os.path.dirname(os.path.abspath(__file__))
F = tfds.features

# The order of the features of a record is random otherwise.
example_serializer.ExampleSerializer.serialize_example = lambda self, example: self.get_tf_example(example).SerializeToString(deterministic=True)


def features():
    return F.FeaturesDict({
        "id": np.int64,
        "flag": np.bool_,
        "small": F.Scalar(np.uint8),
        "large": F.Scalar(np.uint64),
        "double": F.Tensor(shape=(), dtype=np.float64),
        "title": F.Text(),
        "label": F.ClassLabel(names=["cat", "dog"]),
        "image": F.Image(shape=(None, None, 3)),
        "mask": F.LabeledImage(labels=2, shape=(2, 2, 1)),
        "box": F.BBoxFeature(),
        "matrix": F.Tensor(shape=(2, 2), dtype=np.float32),
        "rows": F.Tensor(shape=(None, 2), dtype=np.int32),
        "columns": F.Tensor(shape=(2, None), dtype=np.int32),
        "packed": F.Tensor(shape=(None, None), dtype=np.int16, encoding="zlib"),
        "bytes": F.Tensor(shape=(2,), dtype=np.float32, encoding="bytes"),
        "maybe": F.Tensor(shape=(), dtype=np.int32, optional=True),
        "perhaps": F.Tensor(shape=(2,), dtype=np.float32, optional=True),
        "sound": F.Audio(shape=(None,), dtype=np.int64),
        "film": F.Video(shape=(None, 2, 2, 3)),
        "words": F.Sequence(F.Text()),
        "three": F.Sequence(np.int64, length=3),
        "points": F.Sequence(F.Tensor(shape=(2,), dtype=np.float32)),
        "rag": F.Sequence(F.Sequence(np.int64)),
        "rag3": F.Sequence(F.Sequence(F.Sequence(F.Text()))),
        "boxes": F.Sequence(F.Sequence(F.BBoxFeature())),
        "objects": F.Sequence({"bbox": F.BBoxFeature(), "label": F.ClassLabel(num_classes=3), "tokens": F.Sequence(np.int32)}),
        "nested": {"a": {"b": np.float32}, "c/d": np.int64},
        "steps": F.Dataset({
            "action": F.Tensor(shape=(2,), dtype=np.float32),
            "observation": {"state": F.Tensor(shape=(3,), dtype=np.float64), "image": F.Image(shape=(2, 2, 3))},
            "is_last": np.bool_,
            "contacts": F.Sequence(np.int64),
        }),
        "two": F.Translation(languages=["de", "en"]),
        "any": F.TranslationVariableLanguages(languages=["de", "en", "fr"]),
    })


def example(i):
    n = i % 3  # of what may be empty
    pixels = (np.arange(12) * (i + 1) % 256).astype(np.uint8).reshape(2, 2, 3)
    return {
        "id": i, "flag": i % 2 == 0, "small": 200 + i, "large": 2**64 - 1 - i, "double": 1 / (i + 3), "title": "record é %d" % i,
        "label": i % 2, "image": pixels, "mask": pixels[:, :, :1] % 2, "box": F.BBox(0.0, 0.25, 0.5, 0.75),
        "matrix": np.float32([[i, 1], [2, 3.5]]), "rows": np.arange(2 * n, dtype=np.int32).reshape(n, 2),
        "columns": np.arange(2 * n, dtype=np.int32).reshape(2, n), "packed": np.arange(6, dtype=np.int16).reshape(2, 3),
        "bytes": np.float32([i, -1]), "maybe": None if n == 0 else i, "perhaps": None if n == 1 else np.float32([i, 2]),
        "sound": np.arange(n, dtype=np.int64), "film": [pixels] * n,
        "words": ["w%d" % k for k in range(n)], "three": [i, 1, 2], "points": np.arange(2 * n, dtype=np.float32).reshape(n, 2),
        "rag": [list(range(k)) for k in range(n + 1)][::-1], "rag3": [[["a"] * k, []] for k in range(n)] + [[]],
        "boxes": [[F.BBox(0.0, 0.25, 0.5, 0.75)] * k for k in range(n)],
        "objects": [{"bbox": F.BBox(0.0, 0.0, 0.5, 1.0), "label": k, "tokens": list(range(k))} for k in range(n)],
        "nested": {"a": {"b": i / 2}, "c/d": -i},
        "steps": [{"action": np.float32([k, i]), "observation": {"state": np.float64([k, 0.1, 0.2]), "image": pixels},
                   "is_last": k == n, "contacts": list(range(k))} for k in range(n + 1)],
        "two": {"de": "eins", "en": "one"}, "any": {"en": ["one", "a"], "fr": "un"},
    }


class Toy(tfds.core.GeneratorBasedBuilder):
    VERSION = tfds.core.Version("1.0.0")

    def _info(self):
        return tfds.core.DatasetInfo(builder=self, features=features(), disable_shuffling=True, description="Made by testdata/make/tfds.py.")

    def _split_generators(self, dl_manager):
        return {"train": self._generate_examples(0, 7), "test": self._generate_examples(7, 10)}

    def _generate_examples(self, begin, end):
        for i in range(begin, end):
            yield i, example(i)


def plain(x):
    """A tensor as JSON."""
    if isinstance(x, tf.RaggedTensor):
        return [plain(row) for row in x]
    x = x.numpy() if isinstance(x, tf.Tensor) else x
    if isinstance(x, np.ndarray):
        return [plain(v) for v in x]
    if isinstance(x, bytes):
        return x.decode("latin-1")
    return x.item()


def write(name, text):
    with open(name, "w") as f:
        f.write(text)


def main():
    out = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "tfds")
    with tempfile.TemporaryDirectory() as folder:
        builder = Toy(data_dir=folder)
        builder.download_and_prepare(download_config=tfds.download.DownloadConfig(num_shards=3, try_download_gcs=False, compute_stats="skip"))
        # The order of files is that of the splits in dataset_info.json.
        target = os.path.join(out, "toy", "1.0.0")
        shutil.rmtree(os.path.join(out, "toy"), ignore_errors=True)
        shutil.copytree(builder.data_dir, target)
    info = json.load(open(os.path.join(target, "dataset_info.json")))
    restored = tfds.core.features.FeatureConnector.from_config(target)
    parser = example_parser.ExampleParser(restored.get_serialized_info())
    lines = []
    for split in info["splits"]:
        payload = 0
        lengths = [int(n) for n in split["shardLengths"]]
        for shard, length in enumerate(lengths):
            name = "toy-%s.tfrecord-%05d-of-%05d" % (split["name"], shard, len(lengths))
            records = list(tf.data.TFRecordDataset(os.path.join(target, name)).as_numpy_iterator())
            assert len(records) == length, (name, len(records), length)
            for i, record in enumerate(records):
                payload += len(record)
                columns = tfds.core.utils.flatten_nest_dict(parser.parse_example(record))
                # TFDS casts to the dtype of the feature; the bits of a uint64 are those of the int64 in the record.
                columns = {k: tf.bitcast(v, tf.int64) if v.dtype == tf.uint64 else v for k, v in columns.items()}
                lines.append(json.dumps({"split": split["name"], "shard": shard, "record": i, "columns": {k: plain(v) for k, v in columns.items()}},
                                        sort_keys=True))
        assert payload == int(split["numBytes"]), (split["name"], payload, split["numBytes"])
    write(os.path.join(out, "toy.jsonl"), "\n".join(lines) + "\n")
    legacy = {"type": "tensorflow_datasets.core.features.features_dict.FeaturesDict", "content": {
        "image": {"type": "tensorflow_datasets.core.features.image_feature.Image", "content": {"shape": [28, 28, 1], "dtype": "uint8", "encoding_format": "png"}},
        "label": {"type": "tensorflow_datasets.core.features.class_label_feature.ClassLabel", "content": {"num_classes": 10}},
        "x": {"type": "tensorflow_datasets.core.features.feature.Tensor", "content": {"shape": [None, 2], "dtype": "float32", "encoding": "none"}},
        "tags": {"type": "tensorflow_datasets.core.features.sequence_feature.Sequence", "content": {"length": None, "feature":
                 {"type": "tensorflow_datasets.core.features.text_feature.Text", "content": {}}}},
    }}
    specs = example_parser.ExampleParser(tfds.core.features.FeatureConnector.from_json(copy.deepcopy(legacy)).get_serialized_info()).flat_feature_specs
    write(os.path.join(out, "legacy.features.json"), json.dumps(legacy, indent=1) + "\n")
    write(os.path.join(out, "legacy.specs.txt"), "".join("%s: %s\n" % (k, specs[k]) for k in sorted(specs)))


if __name__ == "__main__":
    main()

"""Makes ../tfds/{more,unread,episodes}, ../tfds/values.jsonl, ../tfds/slices.jsonl and ../tfds/infos.jsonl with TensorFlow Datasets.

    TF_CPP_MIN_LOG_LEVEL=3 python tfds_slices.py [OUT]

../tfds/toy comes from tfds.py. Three more directories:
  more/1.0.0, more/2.0.0  encoded tensors, optional features and class names in each nesting; by the writer that shuffles
  unread/1.0.0            features that TensorFlow Datasets writes and cannot read
  episodes/1.0.0          RLDS: episodes with steps, by SequentialWriter, whose files have no "-of-"
values.jsonl has the rows of tfds.as_numpy for slices of toy, more and episodes: {"dir", "slice", "rows"}. A row has the features by flat
name; images are not decoded (SkipDecoding). For unread it has the arrays that were written.
slices.jsonl has the records of slices: {"splits": [[name, [records of each shard]]], "slice", "files": [[split, shard, first, end]]}, or "error".
emitted.jsonl has rows of files, read with a features.json of `tfparse schema --emit tfds` in ../tfds/emitted: {"dir", "files", "rows"}.
infos.jsonl has repr(features) and the splits of each directory.
Bytes are strings in which each character is one byte. Needs tensorflow and tensorflow-datasets.
"""
import json
import os
import random
import shutil
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds
from tensorflow_datasets.core import example_serializer, splits as splits_lib

HERE = os.path.dirname(os.path.abspath(__file__))
F = tfds.features

# Without this the order of the features in a record is random.
example_serializer.ExampleSerializer.serialize_example = lambda self, example: self.get_tf_example(example).SerializeToString(deterministic=True)


def encoded(dtype, shape=(2,), encoding="bytes", **more):
    return F.Tensor(shape=shape, dtype=dtype, encoding=encoding, **more)


def more_features():
    one = {"e_%s" % np.dtype(d).name: encoded(d, encoding=("bytes", "zlib")[i % 2]) for i, d in enumerate(
        [np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint64, np.float16, np.float32, np.float64])}
    return F.FeaturesDict({
        **one,
        "id": np.int64,
        "big": np.uint64,
        "half": np.float16,
        "flags": F.Sequence(np.bool_),
        "unknown": encoded(np.int16, (None, 2), "zlib"),
        "middle": encoded(np.int32, (2, None)),
        "columns": F.Tensor(shape=(2, None), dtype=np.int32),
        "dynamic": encoded(np.float32, (None, 2, None), "zlib"),
        "scalar": encoded(np.float64, ()),
        "list": F.Sequence(encoded(np.uint8, (2, 2), "zlib")),
        "lists": F.Sequence(F.Sequence(encoded(np.int16))),
        "deep": F.Sequence(F.Sequence(F.Sequence(encoded(np.float64, (), "zlib")))),
        "objects": F.Sequence({"kind": F.ClassLabel(names=["car", "bus, red", "é"]), "parts": F.Sequence(F.ClassLabel(names=["wheel", "door"])),
                               "mask": encoded(np.bool_, (2, 2))}),
        "label": F.ClassLabel(names=["cat", "dog"]),
        "a": {"b/c": F.ClassLabel(names=["x", "y"]), "d": {"e": F.ClassLabel(names=["p", "q"])}},
        "image": F.Image(shape=(2, 2, 3), encoding_format="png"),
        "maybe": F.Scalar(np.int32, optional=True),
        "title": F.Text(),
    })


def more_example(i):
    n = i % 3
    out = {}
    for name, f in more_features().items():
        if name.startswith("e_"):
            d = np.dtype(f.np_dtype)
            if d.kind == "b":
                out[name] = np.array([i % 2, 1], d)
            elif d.kind == "f":
                out[name] = (np.array([i, 3]) / 3).astype(d)
            else:
                out[name] = np.array([np.iinfo(d).max - i if d.kind == "u" else np.iinfo(d).min + i, i], d)
    pixels = (np.arange(12) * (i + 1) % 256).astype(np.uint8).reshape(2, 2, 3)
    out.update({
        "id": i, "big": 2**64 - 1 - i, "half": np.float16(i / 4), "flags": [k % 2 == 0 for k in range(n)],
        "unknown": np.arange(2 * n, dtype=np.int16).reshape(n, 2), "middle": np.arange(2 * n, dtype=np.int32).reshape(2, n),
        "columns": np.arange(2 * n, dtype=np.int32).reshape(2, n), "dynamic": np.arange(4 * n, dtype=np.float32).reshape(n, 2, 2),
        "scalar": np.float64(i / 3), "list": [np.full((2, 2), k + i, np.uint8) for k in range(n)],
        "lists": [[np.array([k, -i], np.int16)] * k for k in range(n + 1)],
        "deep": [[[np.float64(i + k)] * k, []] for k in range(n)],
        "objects": [{"kind": k % 3, "parts": [m % 2 for m in range(k)], "mask": np.eye(2) == k % 2} for k in range(n)],
        "label": i % 2, "a": {"b/c": i % 2, "d": {"e": 1}}, "image": pixels,
        "maybe": None if n == 0 else i, "title": "t%d" % i,
    })
    return out


class More(tfds.core.GeneratorBasedBuilder):
    VERSION = tfds.core.Version("2.0.0")

    def _info(self):
        return tfds.core.DatasetInfo(builder=self, features=more_features(), description="Made by testdata/make/tfds_slices.py.")

    def _split_generators(self, dl_manager):
        first = 100 if str(self.version) == "1.0.0" else 0
        return {"train": self._generate_examples(first, first + 9), "test": self._generate_examples(first + 9, first + 12)}

    def _generate_examples(self, begin, end):
        for i in range(begin, end):
            yield i, more_example(i)


def unread_features():
    return F.FeaturesDict({
        "u32": encoded(np.uint32), "u32z": encoded(np.uint32, (None,), "zlib"), "id": np.int64,
        "u32list": F.Sequence(encoded(np.uint32, ())),
        "pairs": F.Sequence(F.Sequence(np.int64, length=2)),
        "shapes": F.Sequence(encoded(np.int16, (None, None), "zlib")),
        "maybe": encoded(np.float32, optional=True),
    })


def unread_example(i):
    return {"u32": np.array([2**32 - 1, i], np.uint32), "u32z": np.arange(i, dtype=np.uint32), "id": i,
            "u32list": [np.uint32(2**31 + k) for k in range(i)], "pairs": [[k, i] for k in range(i)],
            "shapes": [np.arange(6, dtype=np.int16).reshape(2, 3)] * i, "maybe": None if i == 0 else np.float32([i, .5])}


class Unread(tfds.core.GeneratorBasedBuilder):
    VERSION = tfds.core.Version("1.0.0")

    def _info(self):
        return tfds.core.DatasetInfo(builder=self, features=unread_features(), disable_shuffling=True)

    def _split_generators(self, dl_manager):
        return {"train": ((i, unread_example(i)) for i in range(3))}

    def _generate_examples(self):
        pass


def episode_features():
    return F.FeaturesDict({
        "episode_id": np.int64, "success": np.bool_,
        "steps": F.Dataset({
            "observation": {"image": F.Image(shape=(2, 2, 3)), "state": F.Tensor(shape=(3,), dtype=np.float64), "depth": encoded(np.uint16, (2, 2), "zlib")},
            "action": F.Tensor(shape=(2,), dtype=np.float32), "reward": np.float64, "discount": np.float32,
            "is_first": np.bool_, "is_last": np.bool_, "is_terminal": np.bool_,
            "language_instruction": F.Text(), "kind": F.ClassLabel(names=["move", "stop"]),
        }),
    })


def episode(i):
    n = i % 4
    pixels = (np.arange(12) * (i + 1) % 256).astype(np.uint8).reshape(2, 2, 3)
    return {"episode_id": i, "success": i % 2 == 0, "steps": [{
        "observation": {"image": pixels, "state": np.array([k, .1, i], np.float64), "depth": np.full((2, 2), 65535 - k, np.uint16)},
        "action": np.array([k, -i], np.float32), "reward": k / 3, "discount": np.float32(.99), "is_first": k == 0, "is_last": k == n - 1,
        "is_terminal": False, "language_instruction": "pick %d" % k, "kind": k % 2} for k in range(n)]}


def flat(x, name, out):
    """Returns the features of a row by flat name; a Dataset of steps is a dict of lists."""
    if isinstance(x, dict):
        for k in x:
            flat(x[k], name + "/" + k if name else k, out)
        return out
    if hasattr(x, "__next__") or type(x).__name__ in ("_IterableDataset", "_EagerDatasetIterator") or isinstance(x, tf.data.Dataset):
        columns = {}
        for step in x:
            for k, v in flat(step, name, {}).items():
                columns.setdefault(k, []).append(v)
        out.update(columns)
        return out
    out[name] = plain(x)
    return out


def plain(x):
    """Returns a tensor as JSON."""
    if isinstance(x, (tf.RaggedTensor, tf.compat.v1.ragged.RaggedTensorValue)):
        return x.to_list() if x.dtype != tf.string and x.dtype != np.object_ else texts(x.to_list())
    if isinstance(x, (list, tuple)):
        return [plain(v) for v in x]
    if isinstance(x, np.ndarray):
        return [plain(v) for v in x] if x.ndim else plain(x.item())
    if isinstance(x, bytes):
        return x.decode("latin-1")
    if isinstance(x, np.generic):
        return x.item()
    return x


def texts(x):
    return [texts(v) for v in x] if isinstance(x, list) else x.decode("latin-1")


def skip_images(features):
    """Returns decoders that leave images encoded."""
    if isinstance(features, F.FeaturesDict):
        all = {k: skip_images(v) for k, v in features.items()}
        return {k: v for k, v in all.items() if v is not None} or None
    if isinstance(features, F.Video):
        return tfds.decode.SkipDecoding()
    if isinstance(features, F.Sequence) and isinstance(features.feature, (F.FeaturesDict, F.Image)):
        return skip_images(features.feature)
    return tfds.decode.SkipDecoding() if isinstance(features, F.Image) else None


def rows(directory, slice_):
    builder = tfds.builder_from_directory(directory)
    data = builder.as_dataset(split=slice_, decoders=skip_images(builder.info.features), shuffle_files=False,
                              read_config=tfds.ReadConfig(interleave_cycle_length=1))
    return [flat(row, "", {}) for row in tfds.as_numpy(data)]


def generated(out):
    with tempfile.TemporaryDirectory() as folder:
        for cls, version, shards in [(More, "2.0.0", 3), (More, "1.0.0", 1), (Unread, "1.0.0", 1)]:
            cls.VERSION = tfds.core.Version(version)
            builder = cls(data_dir=folder)
            builder.download_and_prepare(download_config=tfds.download.DownloadConfig(num_shards=shards, try_download_gcs=False, compute_stats="skip"))
        identity = tfds.core.dataset_info.DatasetIdentity(name="episodes", version="1.0.0", data_dir=os.path.join(folder, "episodes", "1.0.0"), module_name="")
        os.makedirs(identity.data_dir)
        info = tfds.core.DatasetInfo(builder=identity, features=episode_features(), description="RLDS")
        writer = tfds.core.SequentialWriter(info, max_examples_per_shard=3)
        writer.initialize_splits(["train", "val"])
        for split, ids in [("train", range(7)), ("val", range(7, 9))]:
            writer.add_examples({split: [episode(i) for i in ids]})
        writer.close_all()
        for name in ["more", "unread", "episodes"]:
            shutil.rmtree(os.path.join(out, name), ignore_errors=True)
            shutil.copytree(os.path.join(folder, name), os.path.join(out, name))


VALUES = [("toy/1.0.0", s) for s in ["all", "train[2:4]", "test+train[:1]"]] + [("more/2.0.0", s) for s in ["all", "train[:50%]", "train[-2:]+test[1shard]"]] + [
    ("more/1.0.0", "test"), ("episodes/1.0.0", "train"), ("episodes/1.0.0", "val+train[1shard]")]


def write_values(out):
    with open(os.path.join(out, "values.jsonl"), "w") as f:
        for directory, slice_ in VALUES:
            f.write(json.dumps({"dir": directory, "slice": slice_, "rows": rows(os.path.join(out, directory), slice_)}, sort_keys=True) + "\n")
        written = [flat({k: [plain(x) for x in v] if isinstance(v, list) else v for k, v in unread_example(i).items()}, "", {}) for i in range(3)]
        f.write(json.dumps({"dir": "unread/1.0.0", "slice": "train", "rows": written}, sort_keys=True) + "\n")
    with open(os.path.join(out, "infos.jsonl"), "w") as f:
        for directory in ["toy/1.0.0", "more/2.0.0", "unread/1.0.0", "episodes/1.0.0"]:
            info = tfds.builder_from_directory(os.path.join(out, directory)).info
            f.write(json.dumps({"dir": directory, "full_name": info.full_name, "features": repr(info.features), "dataset_size": str(info.dataset_size),
                                "splits": {k: repr(v) for k, v in sorted(info.splits.items())}}) + "\n")


def slices(rng):
    """Yields pairs of splits and a slice; most slices are valid."""
    number = lambda n: str(rng.choice([0, 1, 2, n // 2, n - 1, n, n, n + 1, -1, -2, -n // 2, -n, -n - 1, rng.randint(-n, n)]))
    percent = lambda: rng.choice(["0", "1", "10", "12.5", "25", "33", "33.3", "50", "66.6", "75", "99", "99.9", "100", "-1", "-10", "-33.3", "-100", "101",
                                  str(rng.randint(-100, 100)), ".5", "5."]) + "%"
    odd = ["", " train", "train ", "train[", "train[]", "train[:]", "train[3]", "train[5%]", "train[1:2:3]", "train[a:b]", "train[1.5:]", "train[1_0:]", "train[_1:]",
           "train[1__0:]", "train[--1:]", "train[ 1:2]", "train[:1]x", "nope", "nope[:1]", "all[:1]", "ALL", "train+", "+train", "train++test", "train  +  test", "train+nope",
           "train[:5%shard]", "train[0.5shard]", "train[-1shard]", "train[-0shard]", "train[9shard]", "train[:0%]", "train[10:20%]", "train[10%:20]", "train[1:2shard]",
           "train[1shard:50%]", "train[00:03]", "train[:1e2%]", "train[.:]", "train[.%:]", "train[1.2.3%:]", "all+train[:1]", "train[:2]+train[:2]", "train[-0:]", "train[+1:]",
           "train[0:0]", "train[5:3]", "train[50%:40%]", "train[-3:2]", "test[1:]", "tr-ain", "train[:99999999999999999999]", "train[:1_0%]", "empty", "empty[:1]", "empty+train",
           "train[0x1:]", "train\n", "train[:3]\n", "none", "train[1shard:0shard]", "train[:-9shard]", "train[-9shard:]", "train[-9shard]", "train[:-4shard]", "train[100shard:]"]
    tables = [[("train", [3, 0, 4]), ("test", [2, 2])], [("train", [10]), ("test", [1])], [("train", [334, 333, 333]), ("test", [7])],
              [("train", [5, 5, 5, 5, 1]), ("test", [0, 3]), ("empty", [0])], [("train", [1] * 12), ("test", [6])], [("tr-ain", [2]), ("train", [50, 49]), ("test", [1, 1])]]
    for table in tables:
        for s in odd:
            yield table, s
        for _ in range(60):
            parts = []
            for _ in range(rng.choice([1, 1, 1, 2, 3])):
                name, lengths = rng.choice(table)
                n = sum(lengths)
                kind = rng.choice(["abs", "%", "shard", "one", "whole"])
                unit = {"abs": lambda: number(n), "%": percent, "shard": lambda: number(len(lengths)) + "shard"}.get(kind)
                if kind == "one":
                    parts.append("%s[%sshard]" % (name, number(len(lengths))))
                elif kind == "whole":
                    parts.append(name)
                else:
                    parts.append("%s[%s:%s]" % (name, rng.choice(["", unit(), unit()]), rng.choice(["", unit(), unit()])))
            yield table, rng.choice(["+", " + "]).join(parts)


def write_slices(out):
    seen = set()
    with open(os.path.join(out, "slices.jsonl"), "w") as f:
        for table, text in slices(random.Random(4)):
            if (str(table), text) in seen:
                continue
            seen.add((str(table), text))
            infos = splits_lib.SplitDict([splits_lib.SplitInfo(
                name=name, shard_lengths=lengths, num_bytes=1,
                filename_template=tfds.core.ShardedFileTemplate(dataset_name="d", data_dir="/d", split=name, filetype_suffix="tfrecord")) for name, lengths in table])
            line = {"splits": table, "slice": text}
            try:
                files = []
                for i in infos[text].file_instructions:
                    name, shard = os.path.basename(i.filename)[2:].split(".tfrecord-")
                    files.append([name, int(shard.split("-")[0]), i.skip, i.skip + i.take])
                line["files"] = files
            except Exception as e:
                line["error"] = str(e).splitlines()[0]
            f.write(json.dumps(line) + "\n")


EMITTED = {"emitted/recipes": ["../recipes.tfrecord"], "emitted/more": ["more/2.0.0/more-train.tfrecord-%05d-of-00003" % i for i in range(3)]}


def write_emitted(out):
    with open(os.path.join(out, "emitted.jsonl"), "w") as f:
        for directory, files in EMITTED.items():
            features = F.FeatureConnector.from_config(os.path.join(out, directory))
            decoders = skip_images(features)
            data = tf.data.TFRecordDataset([os.path.join(out, name) for name in files]).map(lambda r: features.deserialize_example(r, decoders=decoders))
            f.write(json.dumps({"dir": directory, "files": files, "rows": [flat(r, "", {}) for r in tfds.as_numpy(data)]}, sort_keys=True) + "\n")


def main():
    out = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "tfds")
    generated(out)
    write_values(out)
    write_slices(out)
    write_emitted(out)


if __name__ == "__main__":
    main()

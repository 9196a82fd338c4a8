"""Makes ../messages/: TFRecord files that hold other messages than tf.train.Example.

    TF_CPP_MIN_LOG_LEVEL=3 python messages.py [OUT]

  events.tfrecord     Event: what TensorBoard reads. It is checked that tf.summary writes the same fields.
  snapshot.tfrecord   TensorProto: what tf.data.Dataset.save wrote, as it is.
  warmup.tfrecord     PredictionLog: what TensorFlow Serving logs, and reads to warm up; each kind of log but those of
                      classification, which begin like a SequenceExample and are in
  classify.tfrecord   PredictionLog with classify_log.
  frames.tfrecord     Frame, and
  scenarios.tfrecord  Scenario, of the Waymo Open Dataset.
  variants.tfrecord   Variant, of Nucleus: no field of it has a number of an Example's.

TensorFlow has Event and TensorProto; the other messages are put together from the numbers and types of their fields in the
.proto files that define them: tensorflow_serving/apis/prediction_log.proto, waymo_open_dataset/dataset.proto and
protos/scenario.proto, nucleus/protos/variants.proto. What they hold is made up. Everything is written down here: running
this twice gives the same bytes. Needs tensorflow.
"""
import glob
import os
import struct
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
import tensorflow as tf
from tensorflow.core.util import event_pb2

HERE = os.path.dirname(os.path.abspath(__file__))


def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def double(field, x):
    return varint(field << 3 | 1) + struct.pack("<d", x)


def single(field, x):
    return varint(field << 3 | 5) + struct.pack("<f", x)


def message(field, *parts):
    data = b"".join(p.encode() if isinstance(p, str) else p for p in parts)
    return varint(field << 3 | 2) + varint(len(data)) + data


def tensor(values):
    return tf.make_tensor_proto(values).SerializeToString(deterministic=True)


# ---------------------------------------------------------------- TensorFlow

WHEN = 1753100000.25     # seconds since 1970


def event(after, **what):
    return event_pb2.Event(wall_time=WHEN + after, **what)


def events():
    yield event(0, file_version="brain.Event:2")
    for step in range(1, 4):
        e = event(step, step=step)
        e.summary.value.add(tag="loss").tensor.CopyFrom(tf.make_tensor_proto(1 / step))
        yield e
    e = event(4, step=3)
    e.summary.value.add(tag="accuracy", simple_value=0.75)
    yield e
    yield event(5, step=3, session_log=event_pb2.SessionLog(status=event_pb2.SessionLog.STOP))


def check_events(written):
    """tf.summary writes the fields that we write."""
    with tempfile.TemporaryDirectory() as folder:
        with tf.summary.create_file_writer(folder).as_default():
            for step in range(1, 4):
                tf.summary.write("loss", tf.constant(1 / step), step=step)
        (name,) = glob.glob(os.path.join(folder, "*"))
        theirs = [event_pb2.Event.FromString(r.numpy()) for r in tf.data.TFRecordDataset(name)]
    for a, b in zip(theirs, written[:4], strict=True):
        assert [f.name for f, _ in a.ListFields() if f.name != "source_metadata"] == [f.name for f, _ in b.ListFields()], (a, b)


def snapshot(out):
    """The file that tf.data makes of a small dataset."""
    with tempfile.TemporaryDirectory() as folder:
        data = tf.data.Dataset.from_tensor_slices({"x": [[1, 2], [3, 4]], "y": ["a", "b"], "z": [0.5, 1.5]})
        data.save(folder)
        (name,) = glob.glob(os.path.join(folder, "*", "*", "*.snapshot"))
        with open(name, "rb") as f, open(out, "wb") as g:
            g.write(f.read())


# ---------------------------------------------------------------- TensorFlow Serving

def model(version=None, signature="serving_default"):
    parts = [message(1, "half_plus_two")]
    if version is not None:
        parts.append(message(2, number(1, version) if version else b""))   # google.protobuf.Int64Value
    return message(1, *parts, message(3, signature))


METADATA = message(1, model(version=0), number(4, 1753100000))


def example(x):
    return tf.train.Example(features=tf.train.Features(feature={"x": tf.train.Feature(float_list=tf.train.FloatList(value=[x]))})).SerializeToString(deterministic=True)


def examples(*x):
    return message(2, message(1, *[message(1, example(v)) for v in x]))       # Input.example_list


def warmup():
    request = message(1, model(), message(2, message(1, "x"), message(2, tensor([1.0, 2.0]))))
    response = message(2, message(1, message(1, "y"), message(2, tensor([2.5, 3.0]))), message(2, message(1, "half_plus_two")))
    yield message(6, request)                                                 # predict_log, as a warmup file has it
    yield METADATA + message(6, request, response)
    yield METADATA + message(3, message(1, model(signature="regress_x_to_y"), examples(2.0)))                     # regress_log
    yield message(4, message(1, message(1, model(version=7), message(2, "tensorflow/serving/regress")), examples(4.0)))  # multi_inference_log
    yield message(5, message(1, model(), message(2, message(1, "x:0"), message(2, tensor(1.0))), message(3, "y:0")))   # session_run_log
    yield message(7, request, request)                                        # predict_streamed_log


def classify():
    yield message(2, message(1, model(signature="classify_x_to_y"), examples(1.0, 2.0)))
    yield METADATA + message(2, message(1, model(), examples(3.0)), message(2, message(1, message(1, message(1, message(1, "yes"), single(2, 0.75))))))


# ---------------------------------------------------------------- others

def frame(n):
    context = message(1, message(1, "10023947602400723454_1120_000_1140_000"), message(2, number(1, 1), double(2, 2059.5)), message(4, message(2, "Day")))
    pose = message(3, *[double(1, float(i % 5 == 0)) for i in range(16)])
    image = message(4, number(1, 1), message(2, b"\xff\xd8\xff\xe0 not a whole image"), pose)
    laser = message(5, number(1, 1), message(2, message(2, b"x\x9c\x03\x00\x00\x00\x00\x01")))
    return context + number(2, 1550083467346370 + 100000 * n) + pose + image + laser


def scenario(n):
    times = b"".join(double(1, i / 10) for i in range(3))
    tracks = b"".join(message(2, number(1, i), number(2, 1), *[message(3, double(2, 8382.5), double(3, 7213.25), single(5, 4.5), number(11, 1))] * 3) for i in range(2))
    return times + tracks + number(4, 1) + message(5, "d7a7b%04x" % n) + number(6, 1) + message(7) * 3 + number(10, 1) + message(11, number(1, 0))


def variant(n):
    return message(6, "A") + message(7, "C") + double(8, 49.5) + message(11, number(7, 0), number(7, 1), message(9, "NA12878")) + number(13, 1000 + n) + message(14, "chr20") + number(16, 999 + n)


def write(out, name, records):
    path = os.path.join(out, name + ".tfrecord")
    with tf.io.TFRecordWriter(path) as w:
        for r in records:
            w.write(r)


def main(out):
    os.makedirs(out, exist_ok=True)
    all_events = list(events())
    check_events(all_events)
    write(out, "events", [e.SerializeToString(deterministic=True) for e in all_events])
    snapshot(os.path.join(out, "snapshot.tfrecord"))
    write(out, "warmup", warmup())
    write(out, "classify", classify())
    write(out, "frames", map(frame, range(2)))
    write(out, "scenarios", map(scenario, range(2)))
    write(out, "variants", map(variant, range(3)))
    for name in sorted(os.listdir(out)):
        path = os.path.join(out, name)
        print("%s: %d records, %d bytes" % (name, sum(1 for _ in tf.data.TFRecordDataset(path)), os.path.getsize(path)))
        # What TensorFlow makes of them: most decode as an Example, which is empty.
        for r in tf.data.TFRecordDataset(path):
            try:
                tf.io.parse_single_example(r, {"x": tf.io.VarLenFeature(tf.float32)})
            except tf.errors.InvalidArgumentError:
                break
        else:
            print("    TensorFlow takes each for an Example")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "messages"))

"""TensorFlow Data Validation reads what tfparse writes; makes tfdv_reads.txt.

    TF_CPP_MIN_LOG_LEVEL=3 python tfdv_reads.py [TFPARSE]

TFPARSE is the command; without it Go builds one. For the samples and for 2,000 records made here, statistics as .pb, .tfrecord
and .pbtxt, schemas and anomalies must be what TFDV loads, the same in each form; from our statistics TFDV must infer the schema
that we do, and find the anomalies that we do, also with a schema that was spoilt on purpose; and in the compatible mode TFDV's
own statistics of the same file must be ours. Needs tensorflow-data-validation. The exit code is 1 if anything differs.
"""
import logging
import os
import platform
import random
import shutil
import subprocess
import sys
import tempfile
import warnings

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import apache_beam as beam
import tensorflow as tf
import tensorflow_data_validation as tfdv
from google.protobuf import text_format
from google.protobuf.descriptor import FieldDescriptor
from tensorflow_metadata.proto.v0 import anomalies_pb2, schema_pb2, statistics_pb2
from tfx_bsl.tfxio import tf_sequence_example_record

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))


class Report:
    def __init__(self):
        self.lines, self.checks, self.bad = [], 0, 0

    def say(self, line=""):
        self.lines.append(line)
        print(line, flush=True)

    def check(self, what, differences):
        """A line: ok, or the first of the differences. An exception of TFDV is one."""
        try:
            found = differences()
        except Exception as e:
            found = ["%s: %s" % (type(e).__name__, str(e).split("\n")[0][:200])]
        self.checks += 1
        self.bad += bool(found)
        self.say("  %-76s %s" % (what, "ok" if not found else "DIFFERS in %d: %s" % (len(found), "; ".join(found[:3]))))


# ---- records -------------------------------------------------------------------------------------------------------

def record(r, i, later):
    """One of the records made here; the later ones are distributed in another way.

    No feature has more than 5,701 distinct values, beyond which TFDV's quantiles are estimates.
    """
    e = tf.train.Example()

    def put(name, kind, values):
        getattr(e.features.feature[name], kind).value.extend(values)

    put("id", "bytes_list", [b"user-%05d" % i])
    put("weight", "float_list", [r.choice([0.25, 0.5, 1, 2, 4])])
    put("clicks", "int64_list", [int(r.expovariate(0.05))])
    put("label", "int64_list", [int(r.random() < (0.6 if later else 0.2))])
    put("city", "bytes_list", [r.choice(["Oslo", "Zürich", "東京", "Lima"] + ["Oslo"] * (9 if later else 2)).encode()])
    put("price", "float_list", [r.gauss(40 if later else 25, 9)])
    put("vector", "float_list", [r.uniform(-1, 1) for _ in range(2)])
    put("tags", "bytes_list", [b"tag%d" % int(r.paretovariate(0.7)) for _ in range(r.randrange(5))])
    put("history", "int64_list", [r.randrange(-2**40, 2**40) for _ in range(r.randrange(5))])
    put("number as text", "bytes_list", [b"%d" % r.randrange(-500, 500)])
    put("raw", "bytes_list", [r.randbytes(r.randrange(20))])
    put("größe/cm", "float_list", [r.randrange(150, 200)])
    if r.random() < 0.6:
        put("sometimes", "float_list", [r.choice([0.0, -0.0, 1.5, float("inf"), float("nan"), r.random()])])
    if r.random() < 0.01:
        put("rarely", "int64_list", [7])
    if r.random() < 0.5:
        e.features.feature["empty"].SetInParent()
    return e.SerializeToString(deterministic=True)


def made(path, later):
    r = random.Random(later)
    with tf.io.TFRecordWriter(path) as w:
        for i in range(2000):
            w.write(record(r, i, later))
    return path


def close(a, b, rel, abs_=0.0):
    return a == b or (a != a and b != b) or abs(a - b) <= max(rel * max(abs(a), abs(b)), abs_)


def equal(message, name, a, b, span, total):
    if name in SINGLE:
        return close(a, b, 1e-6)
    if name in MOMENTS:
        return close(a, b, 1e-9, 1e-6 * span)
    if message == "Measurement":
        return close(a, b, 1e-9)
    if name == "sample_count":
        return close(a, b, 1e-6, 1e-6 * total)
    return a == b or (a != a and b != b)


def differences(got, want, where="", span=0.0, total=0.0):
    """The fields that differ, in the order of the message, which counts except in maps."""
    out = []
    for m in (got, want):
        if m.DESCRIPTOR.name == "NumericStatistics":
            span = m.max - m.min if m.max - m.min < float("inf") else 0.0
        if m.DESCRIPTOR.name == "Histogram":
            total = sum(b.sample_count for b in m.buckets)
    a, b = ({f: v for f, v in m.ListFields()} for m in (got, want))
    for f in got.DESCRIPTOR.fields:
        at = where + "." + f.name
        if f.has_presence and (f in a) != (f in b):
            out.append("%s only in %s" % (at, "ours" if f in a else "TFDV's"))
            continue
        x, y = getattr(got, f.name), getattr(want, f.name)
        if f.label != FieldDescriptor.LABEL_REPEATED:
            if f.type == FieldDescriptor.TYPE_MESSAGE:
                if f in a:
                    out += differences(x, y, at, span, total)
            elif not equal(got.DESCRIPTOR.name, f.name, x, y, span, total):
                out.append("%s is %r, TFDV's %r" % (at, x, y))
            continue
        if f.type == FieldDescriptor.TYPE_MESSAGE and f.message_type.GetOptions().map_entry:
            pairs = [(k, x.get(k), y.get(k)) for k in sorted(set(x) | set(y))]
        else:
            pairs = [(i, x[i] if i < len(x) else None, y[i] if i < len(y) else None) for i in range(max(len(x), len(y)))]
        for i, v, w in pairs:
            if v is None or w is None:
                out.append("%s[%s] only in %s" % (at, i, "TFDV's" if v is None else "ours"))
            elif hasattr(v, "DESCRIPTOR"):
                out += differences(v, w, "%s[%s]" % (at, i), span, total)
            elif not equal(got.DESCRIPTOR.name, f.name, v, w, span, total):
                out.append("%s[%s] is %r, TFDV's %r" % (at, i, v, w))
    return out


def unlike_rules(stats):
    """Where the statistics break a rule that readers of TFDV's statistics rely on."""
    out = []
    if stats.datasets[0].name not in ("All Examples", ""):
        out.append("the first dataset is %r" % stats.datasets[0].name)
    for d in stats.datasets:
        for f in d.features:
            at = "/".join(f.path.step)
            if f.name or not f.path.step:
                out.append("%s has a name, or no path" % at)
            which = f.WhichOneof("stats")
            common = getattr(f, which).common_stats if which else None
            if common is None:
                out.append("%s has no statistics" % at)
                continue
            if common.num_non_missing and not common.HasField("num_values_histogram"):
                out.append("%s has no num_values_histogram" % at)
            if common.tot_num_values == 0 and common.avg_num_values:
                out.append("%s has no tot_num_values" % at)
            if which == "num_stats":
                kinds = [h.type for h in f.num_stats.histograms]
                if kinds != sorted(kinds):
                    out.append("%s has QUANTILES before STANDARD" % at)
    return out


# ---- schemas -------------------------------------------------------------------------------------------------------

def spoilt(schema):
    """A schema which the data do not fit: a change of another sort to every feature in turn, and a feature that nobody has."""
    s = schema_pb2.Schema()
    s.CopyFrom(schema)
    kinds = [schema_pb2.BYTES, schema_pb2.INT, schema_pb2.FLOAT]
    for i, f in enumerate(list(s.feature)):
        if f.type not in kinds:
            continue
        what = i % 6
        if what == 0:
            f.type = kinds[(kinds.index(f.type) + 1) % 3]
            f.ClearField("domain_info")
        elif what == 1:
            f.ClearField("shape")
            f.ClearField("presence_constraints")
            f.value_count.min, f.value_count.max = 2, 2
            f.presence.min_fraction, f.presence.min_count = 1, 10**6
        elif what == 2:
            s.feature.remove(f)
        elif what == 3:
            f.ClearField("domain_info")
            if f.type == schema_pb2.INT:
                f.int_domain.min, f.int_domain.max = 3, 4
            elif f.type == schema_pb2.FLOAT:
                f.float_domain.min, f.float_domain.max = 0.25, 0.5
                f.float_domain.disallow_nan = f.float_domain.disallow_inf = True
            else:
                f.string_domain.value.extend(["Oslo", "nowhere"])
        elif what == 4:
            f.unique_constraints.min, f.unique_constraints.max = 3, 3
        else:
            f.ClearField("shape")
            f.shape.dim.add().size = 5
            f.presence.min_fraction = 1
    f = s.feature.add(name="nobody has this", type=schema_pb2.INT)
    f.presence.min_count, f.presence.min_fraction = 1, 1
    s.dataset_constraints.num_examples_drift_comparator.min_fraction_threshold = 1.5
    s.dataset_constraints.min_examples_count = 10**7
    return s


def compared(schema):
    """A schema that bounds the drift of every feature that has a label or a number."""
    s = schema_pb2.Schema()
    s.CopyFrom(schema)
    for f in s.feature:
        if f.type == schema_pb2.BYTES and f.domain:
            f.drift_comparator.infinity_norm.threshold = 0.01
            f.skew_comparator.jensen_shannon_divergence.threshold = 0.001
        elif f.type in (schema_pb2.INT, schema_pb2.FLOAT):
            f.drift_comparator.jensen_shannon_divergence.threshold = 0.02
    return s


def same_anomalies(got, want, texts):
    if not texts:
        for m in (got, want):
            for i in [*m.anomaly_info.values(), m.dataset_anomaly_info]:
                i.ClearField("description")
                i.ClearField("short_description")
                for r in i.reason:
                    r.ClearField("description")
                    r.ClearField("short_description")
    return differences(got, want)


def kinds_of(a):
    return len({r.type for i in a.anomaly_info.values() for r in i.reason})


# ---- the checks ----------------------------------------------------------------------------------------------------

class Checks:
    def __init__(self, rep, exe, tmp):
        self.rep, self.exe, self.tmp = rep, exe, tmp

    def path(self, name):
        return os.path.join(self.tmp, name)

    def run(self, *args, codes=(0,)):
        p = subprocess.run([self.exe, *args], cwd=ROOT, capture_output=True)
        if p.returncode not in codes:
            raise RuntimeError("tfparse %s: exit code %d: %s" % (args[0], p.returncode, p.stderr.decode(errors="replace")[:200]))

    def anomalies(self, what, stats, path, schema, schema_path, compat, **more):
        """Our anomalies and TFDV's of the same statistics; texts are TFDV's in the compatible mode only."""
        out, texts = self.path("anomalies.pbtxt"), compat[1] == "tfdv"
        args = [x for k, (p, _) in more.items() for x in ("--" + k, p)]

        def found():
            if os.path.exists(out):
                os.remove(out)
            self.run("validate", *compat, "--schema", schema_path, *args, "-o", out, path, codes=(0, 1))
            got = tfdv.load_anomalies_text(out)
            want = tfdv.validate_statistics(stats, schema, **{k + "_statistics": s for k, (_, s) in more.items()})
            self.count = (len(want.anomaly_info) + len(want.dataset_anomaly_info.reason), kinds_of(want))
            return same_anomalies(got, want, texts)
        self.rep.check("anomalies by load_anomalies_text, TFDV's of ours, %s%s" % (what, "" if texts else ", not texts"), found)
        return self.count

    def file(self, title, path, kind, weight=None, previous=None):
        for mode in ("tfdv", "none"):
            self.mode(title, path, kind, weight, previous, ["--compat", mode])

    def mode(self, title, path, kind, weight, previous, compat):
        rep, ours = self.rep, {}
        weigh = ["--weight", weight] if weight else []
        rep.say()
        rep.say("%s, %s mode%s:" % (title, "compatible" if compat[1] == "tfdv" else "native", ", weighted" if weight else ""))
        for ext, load in ((".pb", tfdv.load_stats_binary), (".tfrecord", tfdv.load_statistics), (".pbtxt", tfdv.load_stats_text)):
            def loaded():
                out = self.path("stats" + ext)
                self.run("stats", *weigh, "-o", out, path)
                ours[ext] = load(out)
                return differences(ours[ext], ours[".pb"]) + unlike_rules(ours[ext])
            rep.check("statistics by %s" % load.__name__, loaded)
        stats, at = ours[".pb"], self.path("stats.pb")

        schema, schema_at = schema_pb2.Schema(), self.path("schema.pbtxt")

        def inferred():
            self.run("schema", *compat, "-o", schema_at, at)
            schema.CopyFrom(tfdv.load_schema_text(schema_at))
            return differences(schema, tfdv.infer_schema(stats))
        rep.check("schema by load_schema_text, TFDV's of our statistics", inferred)

        self.anomalies("this schema", stats, at, schema, schema_at, compat)
        bad, bad_at = spoilt(schema), self.path("spoilt.pbtxt")
        tfdv.write_schema_text(bad, bad_at)
        n = self.anomalies("a spoilt one", stats, at, bad, bad_at, compat)
        rep.say("    %d features and datasets with anomalies of %d types" % n)
        if previous:
            was = self.path("previous.pb")
            self.run("stats", *weigh, "-o", was, previous)
            bound, bound_at = compared(schema), self.path("compared.pbtxt")
            for f in bound.feature:
                if f.name == "sometimes" and compat[1] != "tfdv":  # has NaN: row 24 of validate/anomaly/DIFFERENCES.md
                    f.ClearField("drift_comparator")
                    f.ClearField("skew_comparator")
            tfdv.write_schema_text(bound, bound_at)
            other = (was, tfdv.load_stats_binary(was))
            n = self.anomalies("drift and skew", stats, at, bound, bound_at, compat, previous=other, serving=other)
            rep.say("    %d features and datasets with anomalies of %d types" % n)


def main():
    rep = Report()
    rep.say("What tfparse writes, read by TensorFlow Data Validation; made by testdata/make/tfdv_reads.py")
    rep.say("tensorflow_data_validation %s, tensorflow %s, python %s, %s" % (
        tfdv.__version__, tf.__version__, platform.python_version(), platform.system().lower()))
    with tempfile.TemporaryDirectory() as tmp:
        exe = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else os.path.join(tmp, "tfparse.exe")
        if len(sys.argv) < 2:
            subprocess.run(["go", "build", "-o", exe, "./cmd/tfparse"], cwd=ROOT, check=True)
        c = Checks(rep, exe, tmp)
        sample = lambda name: os.path.join(HERE, "..", name)
        c.file("recipes.tfrecord", sample("recipes.tfrecord"), "example")
        zipped = shutil.copy(sample("sessions.tfrecord"), os.path.join(tmp, "sessions.gz"))     # Beam knows gzip by the name
        c.file("sessions.tfrecord", zipped, "sequence")
        c.file("ranking.tfrecord", sample("ranking.tfrecord"), "list")
        before, after = made(os.path.join(tmp, "before"), False), made(os.path.join(tmp, "after"), True)
        c.file("2,000 records made here", after, "example", previous=before)
        c.file("2,000 records made here", after, "example", weight="weight", previous=before)
    rep.say()
    rep.say("%d checks, %s" % (rep.checks, "all ok" if not rep.bad else "%d DIFFER" % rep.bad))
    with open(os.path.join(HERE, "tfdv_reads.txt"), "w", encoding="utf-8") as f:
        f.write("\n".join(rep.lines) + "\n")
    return 1 if rep.bad else 0


if __name__ == "__main__":
    sys.exit(main())

"""Makes vectors of dataset validation: what TensorFlow Data Validation says about data sets, schemas and pairs of data sets.

    TF_CPP_MIN_LOG_LEVEL=3 python validation.py OUT [ONLY]            (TFDV 1.16.1; about 8 minutes on one core)

OUT is a folder SOMEWHERE/vectors/validation, beside which SOMEWHERE/data holds TFRecords that other projects publish:
chicago_taxi, penguin, sequence. The cases made of them are tagged `real`; unreal.py leaves them out for ../vectors/validation.
ONLY is how the names of the cases begin that are made. Same input, same output, byte for byte, except the last digits of mean
and std_dev where several shards are read (TFDV adds them up in whatever order they arrive) and the labels that the sketch of top
values keeps beyond its 1024 counters.
"""
import base64, glob, gzip, hashlib, json, logging, os, random, struct, sys, tempfile, warnings

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import apache_beam as beam
import tensorflow as tf
import tensorflow_data_validation as tfdv
from google.protobuf import text_format
from tensorflow_data_validation import types as tfdv_types
from tensorflow_data_validation.anomalies.proto import validation_config_pb2
from tensorflow_data_validation.api import validation_api, validation_options
from tensorflow_data_validation.utils import slicing_util
from tensorflow_metadata.proto.v0 import anomalies_pb2, path_pb2, schema_pb2, statistics_pb2
from tfx_bsl.public.proto import slicing_spec_pb2
from tfx_bsl.tfxio import tf_sequence_example_record

OUT = os.path.abspath(sys.argv[1])
SHARED = os.path.dirname(os.path.dirname(OUT))
MADE_BY = "tensorflow_data_validation 1.16.1, tfx_bsl 1.16.1, tensorflow_metadata 1.16.1, tensorflow 2.16.2, apache_beam 2.72.0"
INLINE = 24 * 1024                                  # longer texts and longer inputs become files of their own


# ---- records -------------------------------------------------------------------------------------------------------

class Feature(tuple):
    """The values of one feature together with their kind."""
    def __new__(cls, kind, values):
        self = super().__new__(cls, values)
        self.kind = kind
        return self


def I(*v): return Feature("int64_list", v)
def F(*v): return Feature("float_list", v)
def S(*v): return Feature("bytes_list", [x.encode() if isinstance(x, str) else x for x in v])


NO_KIND = Feature(None, ())                         # the key is there, its Feature message is empty


def fill(feature, f):
    if f.kind:
        getattr(feature, f.kind).SetInParent()
        getattr(feature, f.kind).value.extend(f)


def ex(named=(), **features):
    e = tf.train.Example()
    for name, f in {**dict(named), **features}.items():
        fill(e.features.feature[name], f)
    e.features.SetInParent()
    return e.SerializeToString(deterministic=True)


def seq(context=(), lists=()):
    e = tf.train.SequenceExample()
    for name, f in dict(context).items():
        fill(e.context.feature[name], f)
    for name, steps in dict(lists).items():
        e.feature_lists.feature_list[name].SetInParent()
        for f in steps:
            fill(e.feature_lists.feature_list[name].feature.add(), f)
    return e.SerializeToString(deterministic=True)


def column(name, *values):
    """One record a value; `-` in the listings of the reference is None here."""
    return columns(**{name: values})


def columns(**cols):
    n = max(len(c) for c in cols.values())
    return [ex({k: c[i] for k, c in cols.items() if c[i] is not None}) for i in range(n)]


# data, or schemas, that other projects publish: such cases are tagged, so that nobody copies them
REAL = ("../../data/", "trip_miles", "culmen_length_mm")


def write_tfrecord(path, records):
    """TFRecord, gzip without a time stamp when the name ends in .gz, so that the bytes are the same every time."""
    import google_crc32c
    def masked(b):
        c = google_crc32c.value(b)
        return struct.pack("<I", (((c >> 15) | (c << 17)) + 0xA282EAD8) & 0xFFFFFFFF)
    raw = b"".join(struct.pack("<Q", len(r)) + masked(struct.pack("<Q", len(r))) + r + masked(r) for r in records)
    with open(path, "wb") as f:
        f.write(gzip.compress(raw, 9, mtime=0) if path.endswith(".gz") else raw)


# ---- protos --------------------------------------------------------------------------------------------------------

def text(message):
    return text_format.MessageToString(message)


def parse(cls, t):
    return t if isinstance(t, cls) else text_format.Parse(t, cls())


def schema_of(t): return parse(schema_pb2.Schema, t)
def stats_of(t): return parse(statistics_pb2.DatasetFeatureStatisticsList, t)


# ---- TFDV ----------------------------------------------------------------------------------------------------------

def stats_options(o):
    """The JSON form of the options (README.md) as a StatsOptions.

    Batches of up to 1000 records unless the case says otherwise: TFDV's own default lets Beam choose, by the clock, and
    the order of features, the names of slices and even num_examples under an allowlist depend on the batches."""
    o = {"desired_batch_size": 1000, **o}
    if "schema" in o:
        o["schema"] = schema_of(o["schema"])
    if "vocabularies" in o:
        o["vocab_paths"] = {k: vocabulary_file(v) for k, v in o.pop("vocabularies").items()}
    if "slices" in o:
        o["experimental_slice_functions"] = [slicing_util.get_feature_value_slicer(
            {k: v and [x.encode() if isinstance(x, str) else x for x in v] for k, v in s.items()}) for s in o.pop("slices")]
    if "slicing_config" in o:
        o["slicing_config"] = text_format.Parse(o["slicing_config"], slicing_spec_pb2.SlicingConfig())
    if "per_feature_weight_override" in o:
        o["per_feature_weight_override"] = {tfdv.FeaturePath([k]): v for k, v in o["per_feature_weight_override"].items()}
    if "no_histograms_for" in o:
        o["per_feature_stats_config"] = tfdv_types.PerFeatureStatsConfig(
            [tfdv.FeaturePath([k]) for k in o.pop("no_histograms_for")], tfdv_types.PerFeatureStatsConfig.EXCLUDE)
    return tfdv.StatsOptions(**o)


def vocabulary_file(words):
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8", delete=False) as f:
        f.writelines(w + "\n" for w in words)
    return f.name


def generate(pattern, options, record_type):
    """Statistics of TFDV; remembered under $VECTORS_CACHE, if set, because one run of Beam takes seconds."""
    cache = os.environ.get("VECTORS_CACHE")
    if cache:
        h = hashlib.sha256(json.dumps([options, record_type, "batches of 1000"], sort_keys=True).encode())
        for f in sorted(glob.glob(pattern)):
            h.update(open(f, "rb").read())
        cache = os.path.join(cache, h.hexdigest())
        if os.path.exists(cache):
            return tfdv.load_stats_binary(cache)
        if os.path.exists(cache + ".error"):
            raise ValueError(open(cache + ".error").read())
    try:
        stats = generate_now(pattern, options, record_type)
    except Exception as e:
        if cache:
            open(cache + ".error", "w").write(f"{type(e).__name__}: {e}" if not str(e) else str(e))
        raise
    if cache:
        open(cache, "wb").write(stats.SerializeToString())
    return stats


def generate_now(pattern, options, record_type):
    options = stats_options(options)
    if record_type == "example":
        return tfdv.generate_statistics_from_tfrecord(pattern, stats_options=options)
    out = os.path.join(tempfile.mkdtemp(), "stats.tfrecord")
    with beam.Pipeline() as p:
        _ = (p | tf_sequence_example_record.TFSequenceExampleRecord(file_pattern=pattern, telemetry_descriptors=["vectors"])
             .BeamSource(options.desired_batch_size)
             | tfdv.GenerateStatistics(options) | tfdv.WriteStatisticsToTFRecord(out))
    return tfdv.load_statistics(out)


def message_of(error):
    """The part of an exception that says what was wrong (Beam appends the name of the step and a stack)."""
    return (str(error) or type(error).__name__).split("[while running")[0].split("\n\nTraceback")[0].strip()[:600]


def in_child(run):
    """The messages of run(), which may abort the process: TFDV answers some schemas with a failed CHECK."""
    r, w = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            out = {k: [type(m).__name__, base64.b64encode(m.SerializeToString()).decode()] for k, m in run().items()}
        except Exception as e:
            out = str(e) or type(e).__name__
        with os.fdopen(w, "w") as f:
            json.dump(out, f)
        os._exit(0)
    os.close(w)
    with os.fdopen(r) as f:
        answer = f.read()
    os.waitpid(child, 0)
    if not answer:
        raise RuntimeError("TFDV aborted the process (a failed CHECK)")
    out = json.loads(answer)
    if isinstance(out, str):
        raise ValueError(out)
    kinds = {"Schema": schema_pb2.Schema, "Anomalies": anomalies_pb2.Anomalies}
    return {k: kinds[kind].FromString(base64.b64decode(b)) for k, (kind, b) in out.items()}


def file_name(case):
    return case.replace("/", "_").replace(" ", "_")


class Vectors:
    """Collects cases, one JSONL file per kind of call."""

    def __init__(self, folder, program, only=""):
        self.folder, self.program, self.only = folder, program, only
        self.files, self.stats, self.names = {}, {}, set()
        for d in ("data", "expected"):
            os.makedirs(os.path.join(folder, d), exist_ok=True)

    def add(self, file, case):
        assert (file, case["name"]) not in self.names, case["name"]
        self.names.add((file, case["name"]))
        self.files.setdefault(file, []).append(case)
        print(file, case["name"], "ERROR " + case["error"]["message"][:150] if "error" in case else "", flush=True)

    def outcome(self, case, run):
        """run() -> {member: message}; the case gets `expect` (texts, or files when they are long) or `error`."""
        try:
            result = run()
        except Exception as e:  # whatever TFDV raises is the outcome
            case["error"] = {"message": message_of(e), "phase": "op"}
            return None
        case["expect"] = {}
        for member, message in result.items():
            t = text(message)
            if len(t) > INLINE:
                name = f"expected/{file_name(case['name'])}.{member}.pbtxt"
                with open(os.path.join(self.folder, name), "w") as f:
                    f.write(t)
                case["expect"][member + "_file"] = name
            else:
                case["expect"][member] = t
        return result

    # -- the calls

    def statistics(self, name, records=None, files=None, options=None, record_type="example", file="statistics", note=None):
        case = {"name": name, "tags": ["validation", "statistics"], "call": "generate_statistics"}
        if note:
            case["note"] = note
        if record_type != "example":
            case["record_type"] = record_type
        if files:                                   # relative to the folder of the vectors, so is the glob
            pattern = os.path.join(self.folder, files)
            found = sorted(glob.glob(pattern))
            case["input"] = {"files": found if os.path.isabs(files) else [os.path.relpath(f, self.folder) for f in found]}
        elif sum(map(len, records)) > INLINE:
            rel = f"data/{file_name(name)}.tfrecord.gz"
            pattern = os.path.join(self.folder, rel)
            write_tfrecord(pattern, records)
            case["input"] = {"files": [rel]}
        else:
            pattern = os.path.join(tempfile.mkdtemp(), "in.tfrecord")
            write_tfrecord(pattern, records)
            case["input"] = {"records": [base64.b64encode(r).decode() for r in records]}
        case["options"] = options or {}
        if not name.startswith(self.only):
            return
        r = self.outcome(case, lambda: {"statistics": generate(pattern, case["options"], record_type)})
        self.stats[name] = (r["statistics"] if r else None, pattern)
        self.add(file, case)

    def source(self, s):
        """A case of statistics by name, or the text of a DatasetFeatureStatisticsList -> (its JSON form, the message)."""
        if s is None:
            return None, None
        if s in self.stats:
            return {"statistics_of": s}, self.stats[s][0]
        return {"statistics": text(stats_of(s))}, stats_of(s)

    def infer(self, name, source, file="schema", note=None, **options):
        if not name.startswith(self.only):
            return
        given, stats = self.source(source)
        case = {"name": name, "tags": ["validation", "schema"], "call": "infer_schema", "input": given, "options": options}
        if note:
            case["note"] = note
        self.outcome(case, lambda: in_child(lambda: {"schema": tfdv.infer_schema(copy(stats), **options)}))
        self.add(file, case)

    def update(self, name, source, schema, file="schema", note=None, **options):
        if not name.startswith(self.only):
            return
        given, stats = self.source(source)
        case = {"name": name, "tags": ["validation", "schema"], "call": "update_schema", "input": given,
                "schema": text(schema_of(schema)), "options": options}
        if note:
            case["note"] = note
        self.outcome(case, lambda: in_child(lambda: {"schema": tfdv.update_schema(schema_of(schema), copy(stats), **options)}))
        self.add(file, case)

    def validate(self, name, source, schema, environment=None, previous=None, serving=None, previous_version=None,
                 severity_overrides=None, new_features_are_warnings=False, slices=False, file="anomalies", note=None):
        if not name.startswith(self.only):
            return
        given, stats = self.source(source)
        schema = schema_of(schema)
        case = {"name": name, "tags": ["validation", "anomalies"], "input": given, "schema": text(schema), "options": {},
                "call": "validate_corresponding_slices" if slices else "validate_statistics"}
        if note:
            case["note"] = note
        others = {}
        for key, s in (("previous", previous), ("serving", serving), ("previous_version", previous_version)):
            j, others[key] = self.source(s)
            if j:
                case[key] = j
        for key, v in (("environment", environment), ("severity_overrides", severity_overrides),
                       ("new_features_are_warnings", new_features_are_warnings)):
            if v:
                case["options"][key] = v

        def run():
            if slices:
                a = tfdv.validate_corresponding_slices(copy(stats), copy(schema), environment,
                                                       copy(others["previous"]), copy(others["serving"]))
            else:
                overrides = [validation_config_pb2.SeverityOverride(
                    type=anomalies_pb2.AnomalyInfo.Type.Value(k), severity=anomalies_pb2.AnomalyInfo.Severity.Value(v))
                    for k, v in (severity_overrides or {}).items()]
                a = validation_api.validate_statistics_internal(
                    copy(stats), copy(schema), environment, copy(others["previous"]), copy(others["serving"]),
                    copy(others["previous_version"]),
                    validation_options.ValidationOptions(None, new_features_are_warnings, overrides))
                assert a.baseline == schema, "the baseline is not the schema"
            if a.baseline == schema:
                a.ClearField("baseline")            # always the schema itself; kept out to keep the cases readable
            return {"anomalies": a}

        def updated():
            return {"updated_schema": tfdv.update_schema(copy(schema), copy(stats))}

        def both():
            out = in_child(run)
            if not slices and not environment and not (previous or serving or previous_version):
                try:
                    out.update(in_child(updated))
                except RuntimeError:
                    case["note"] = (case.get("note", "") + "; update_schema aborts the process").lstrip("; ")
            return out
        self.outcome(case, both)
        self.add(file, case)

    def records(self, name, source, schema, environment=None, options=None, file="records", note=None):
        """validate_examples_in_tfrecord: every record on its own."""
        if not name.startswith(self.only):
            return
        pattern = self.stats[source][1]
        case = {"name": name, "tags": ["validation", "records"], "call": "validate_examples_in_tfrecord",
                "input": {"records_of": source}, "schema": text(schema_of(schema)), "options": options or {}}
        if note:
            case["note"] = note
        self.outcome(case, lambda: {"statistics": tfdv.validate_examples_in_tfrecord(
            pattern, stats_options({**case["options"], "schema": case["schema"]}))})
        self.add(file, case)

    def save(self):
        for file, cases in self.files.items():
            header = {"vectors": "validation", "version": 1, "made_by": MADE_BY, "program": self.program, "cases": len(cases)}
            with open(os.path.join(self.folder, file + ".jsonl"), "w") as f:
                for line in [header] + cases:
                    if any(w in json.dumps(line) for w in REAL) and "tags" in line:
                        line["tags"].append("real")
                    f.write(json.dumps(line, ensure_ascii=False) + "\n")
            print(file, len(cases), "cases")


def copy(message):
    if message is None:
        return None
    c = type(message)()
    c.CopyFrom(message)
    return c


# ---- statistics ----------------------------------------------------------------------------------------------------

INF, NAN = float("inf"), float("nan")
SMALL = {"num_values_histogram_buckets": 4, "num_histogram_buckets": 3, "num_quantiles_histogram_buckets": 4}
BAD = b"\xfc\xa1\xa1\xa1\xa1\xa1"                    # six bytes that are not UTF-8


def of(kind, name, *values):
    """One record a value (None: absent)."""
    return columns(**{name: [None if v is None else kind(*v) if isinstance(v, (list, tuple)) else kind(v) for v in values]})


FIRST = [ex(age=I(30), city=S("Paris"), score=F(1.5)), ex(age=I(41), city=S("Rome"), score=F(2, NAN)),
         ex(age=I(30), city=S("Paris")), ex(age=I(0), city=S(), score=F()), ex(age=I(25), city=S("Oslo", "Rome"), score=F(-1)), ex()]
SECOND = [ex(age=I(17), city=S("Rome"), score=F(.5)), ex(age=I(18, 19), city=S("Bern"), score=F(.1)),
          ex(city=S("Bern", "Rome"), extra=I(1))]
SEQUENCES = [
    seq({"context_bytes_feature": S("0"), "context_int64_feature": I(), "label": F(1), "example_weight": F(5)},
        {"sequence_int64_feature": [NO_KIND, I(1, 2), I()], "sequence_float_feature": [F(0, 0)]}),
    seq({"context_bytes_feature": S("1"), "label": F(2), "example_weight": F(10)}, {"sequence_int64_feature": [I(2, 3, 4)]})] * 10


def statistics_cases(v):
    s = v.statistics
    # real files
    s("real/penguin", files="../../data/penguin/data_tfrecord-*.gz")
    s("real/taxi_shard_0", files="../../data/chicago_taxi/data_tfrecord-00000-of-00012.gz")
    s("real/taxi_shard_1", files="../../data/chicago_taxi/data_tfrecord-00001-of-00012.gz")
    s("real/taxi_all", files="../../data/chicago_taxi/data_tfrecord-*-of-00012.gz")
    s("real/taxi_all_with_schema", files="../../data/chicago_taxi/data_tfrecord-*-of-00012.gz",
      options={"schema": open(os.path.join(SHARED, "data/chicago_taxi/schema.pbtxt")).read()},
      note="the schema makes bool and categorical int features string_stats")
    s("real/taxi_shard_0_weighted_by_fare", files="../../data/chicago_taxi/data_tfrecord-00000-of-00012.gz",
      options={"weight_feature": "fare", "feature_allowlist": ["fare", "payment_type", "trip_miles", "trip_start_hour"]})
    s("real/taxi_shard_0_by_payment", files="../../data/chicago_taxi/data_tfrecord-00000-of-00012.gz",
      options={"slices": [{"payment_type": None}], "feature_allowlist": ["payment_type", "tips"]})
    s("real/sequence", files="../../data/sequence/data_tfrecord_eval.gz", record_type="sequence_example")

    # presence
    s("example/first", FIRST)
    s("example/second", SECOND)
    s("presence/no_records", [])
    s("presence/records_without_features", [ex()] * 3)
    s("presence/absent_no_kind_empty", [
        ex(b=S("a", "b"), f=F(1, 2), i=I(4, 5)), ex(b=NO_KIND, f=NO_KIND, i=NO_KIND, never=NO_KIND), ex(), ex(b=S(), f=F(), i=I())],
      note="absent and no kind: missing; an empty list: present with 0 values; a feature that never has a kind: STRING")
    s("presence/only_empty_lists", [ex(b=S(), f=F(), i=I())] * 3)
    s("presence/all_missing_in_every_record", [ex(a=NO_KIND), ex(a=NO_KIND)])
    s("presence/appears_late", [ex(b=I(1))] * 3 + [ex(a=I(7), b=I(2))], options={"desired_batch_size": 2},
      note="order of the features: as they are met batch by batch")
    s("presence/appears_late_in_one_batch", [ex(b=I(1))] * 3 + [ex(a=I(7), b=I(2))])
    s("presence/order_of_features", [ex(z=I(1), B=I(1), a=I(1), A=I(1), **{"10": I(1)})],
      note="byte order of the names within a batch")

    # numbers
    s("numbers/0_to_9", of(I, "x", *range(10)))
    s("numbers/0_0_1", of(I, "x", 0, 0, 1))
    s("numbers/0_to_99", of(I, "x", *range(100)))
    s("numbers/one_value", of(I, "x", 7))
    s("numbers/two_values", of(I, "x", 0, 1))
    s("numbers/negative_and_zero", of(F, "x", -2.5, -1, 0, 0, 3))
    s("numbers/zeros_of_both_signs", of(F, "x", 0.0, -0.0, 1))
    s("numbers/ninety_zeros", of(I, "x", *[0] * 90, *[1] * 10))
    s("numbers/several_a_record", of(F, "x", [1, 2], [3, 4, 5], [1]), options=SMALL)
    s("numbers/nan", of(F, "x", [1, 2], [3, 4, NAN, 5], [NAN, 1]))
    s("numbers/only_nan", of(F, "x", NAN, [NAN, NAN]))
    s("numbers/infinities", of(F, "x", [1, 2, INF, INF, -INF], [3, 4, 5, -INF], [1, INF, -INF]), options={**SMALL, "num_histogram_buckets": 4})
    s("numbers/plus_infinity", of(F, "x", 1, 2, INF))
    s("numbers/minus_infinity", of(F, "x", 1, 2, -INF))
    s("numbers/only_infinities", of(F, "x", INF, -INF))
    s("numbers/only_plus_infinity", of(F, "x", INF, INF))
    s("numbers/nan_and_infinity", of(F, "x", NAN, INF, 1))
    s("numbers/int64_extremes", of(I, "x", 2**63 - 1, -2**63, 0))
    s("numbers/int64_beyond_double", of(I, "x", 2**53, 2**53 + 1, 2**53 + 2, 2**53 + 3))
    s("numbers/float_extremes", of(F, "x", 3.4028234663852886e38, -3.4028234663852886e38, 1e-45, 0))
    s("numbers/float_is_single_precision", of(F, "x", 0.1, 0.2, 16777217))
    s("numbers/constant", of(I, "x", *[42] * 20))
    s("numbers/odd_buckets", of(I, "x", *range(1, 38)), options={"num_histogram_buckets": 7, "num_quantiles_histogram_buckets": 3, "num_values_histogram_buckets": 2})
    s("numbers/no_histograms", columns(x=[F(1, 2), F(3)], y=[F(1), F(2)], t=[S("abc"), S("x")]), options={"no_histograms_for": ["x", "t"]},
      note="per_feature_stats_config: no effect through generate_statistics_from_tfrecord")
    r = random.Random(1)
    s("numbers/5000_distinct", of(F, "x", *[r.gauss(0, 1) for _ in range(5000)]), note="below 5702 distinct values all quantiles are exact")
    order = list(range(20000))
    r.shuffle(order)
    s("numbers/20000_distinct", of(I, "x", *order), note="quantiles approximate: see the tolerance in README.md")
    s("numbers/20000_skewed", of(F, "x", *[r.lognormvariate(0, 3) for _ in range(20000)]), note="quantiles approximate")
    s("numbers/epsilon_10_percent", of(I, "x", *order[:10000]), options={"epsilon": 0.1}, note="quantiles approximate")
    s("numbers/many_records_few_values", of(I, "x", *[r.randrange(50) for _ in range(30000)]), note="exact: 50 distinct values")

    # ragged value counts
    s("counts/0_to_5_values", of(I, "x", *[list(range(n)) for n in (0, 1, 2, 3, 4, 5, 5, 5)]))
    s("counts/one_long_list", of(F, "x", [1], list(range(300))))
    s("counts/ragged_pair", [ex(v=F(1, 2, 3), n=I(2, 1)), ex(v=F(4), n=I(1, 0)), ex(v=F(), n=I()), ex(v=F(5, 6), n=I(1))],
      note="v and its row lengths n; the last record does not add up (1 value too many): TFDV has nothing to say about it")

    # strings
    s("strings/ties", of(S, "t", "a", "b", "c", "b", "a", "d", ["c", "d", "d"]), note="equal counts: the larger value first")
    s("strings/utf8", of(S, "t", "é", "日本", "", "\U0001f600", "a\u0301"), note="avg_length counts bytes")
    s("strings/not_utf8", of(S, "t", "a", BAD, None, BAD, b"\x80", ["a", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"]),
      note="every distinct invalid value is an entry of its own, all with the same label")
    s("strings/not_utf8_sketch", of(S, "t", "a", BAD, None, BAD, b"\x80", ["a", b"\xc0\x80"]), options={"use_sketch_based_topk_uniques": True})
    s("strings/only_not_utf8", of(S, "t", BAD, BAD))
    s("strings/control_characters", of(S, "t", "a\x00b", "a\nb", '"quoted"', "back\\slash", "\x7f", "tab\t"))
    s("strings/long", of(S, "t", "f" * 1024, "f" * 1025, "g" * 1025, "a"))
    s("strings/long_sketch", of(S, "t", "f" * 1024, "f" * 1025, "g" * 1025, "a"), options={"use_sketch_based_topk_uniques": True})
    s("strings/3000_distinct", of(S, "t", *[f"token_{i % 3000:04d}" for i in range(4500)]), note="unique exact; the rank histogram ends at 1000")
    s("strings/3000_distinct_sketch", of(S, "t", *[f"token_{i % 3000:04d}" for i in range(4500)]), options={"use_sketch_based_topk_uniques": True},
      note="more distinct values than counters (1024): counts of the top values are upper bounds")
    s("strings/40000_distinct", of(S, "t", *[[f"{i:05d}", f"{i + 1:05d}"] for i in range(0, 40000, 2)]))
    s("strings/40000_distinct_sketch", of(S, "t", *[[f"{i:05d}", f"{i + 1:05d}"] for i in range(0, 40000, 2)]),
      options={"use_sketch_based_topk_uniques": True}, note="unique approximate (16384 hashes)")
    s("strings/top_4_rank_3", of(S, "t", list("abce"), list("acda"), list("abcd")), options={"num_top_values": 4, "num_rank_histogram_buckets": 3})
    s("strings/frequency_threshold", of(S, "t", list("abyb"), list("axaz")), options={"frequency_threshold": 2})
    s("strings/numeric", of(S, "t", "1", "2", "10", "-3", "007"))
    s("strings/booleans", columns(a=[S("true"), S("false"), S("true")], b=[S("yes"), S("no"), S("yes")], c=[S("1"), S("0"), S("1")],
                                  d=[S("True"), S("False"), S("True")], e=[S("SET"), S("CLEAR"), S("SET")], f=[S(""), S("false"), S("")]))
    s("strings/200_values", of(S, "t", *[f"v{i:03d}" for i in range(200)]))

    # kinds
    s("kinds/conflict_in_a_batch", [ex(a=I(1)), ex(a=F(1))])
    s("kinds/conflict_between_batches", [ex(a=I(1)), ex(a=F(1))], options={"desired_batch_size": 1})
    s("kinds/conflict_of_empty_lists", [ex(a=I()), ex(a=F())])
    s("kinds/no_kind_is_no_conflict", [ex(a=I(1)), ex(a=NO_KIND), ex(a=I(2))])

    # wire forms (all legal protobuf)
    def msg(n, b): return bytes([n << 3 | 2, len(b)]) + b
    def entry(key, feature): return msg(1, msg(1, key) + msg(2, feature))
    one, two = msg(3, msg(1, b"\x01")), msg(3, msg(1, b"\x02"))
    s("wire/duplicate_key", [msg(1, entry(b"a", one) + entry(b"a", two))], note="two entries with the same key")
    s("wire/unpacked", [msg(1, entry(b"a", msg(3, b"\x08\x01\x08\x02")) + entry(b"f", msg(2, b"\x0d\x00\x00\x80\x3f")))])
    s("wire/packed_in_two_pieces", [msg(1, entry(b"a", msg(3, msg(1, b"\x01\x02") + msg(1, b"\x03"))))])
    s("wire/two_kinds_in_one_feature", [msg(1, entry(b"a", one + msg(1, msg(1, b"x"))))], note="oneof: the last one counts")
    s("wire/features_in_two_pieces", [msg(1, entry(b"a", one)) + msg(1, entry(b"b", two))])
    s("wire/unknown_fields", [msg(1, entry(b"a", one + msg(9, b"zz")) + msg(7, b"y")) + msg(5, b"x")])
    s("wire/key_not_utf8", [msg(1, entry(b"\xff", one))])
    s("wire/not_an_example", [b"\x0a\x05abc"], note="a record that does not parse")

    # names
    s("names/unusual", [ex({"a.b": I(1), "a/b": I(2), "(x)": I(3), "it's": I(4), "": I(5), "naïve": I(6), "a b": I(7)})])

    # a schema changes what is computed
    cat = 'feature { name: "c" type: INT int_domain { is_categorical: true } }'
    s("categorical/int", of(I, "c", [1, 5, 10], 0, [1, 1, 1, 5, 15], -1, None), options={"schema": cat})
    s("categorical/int_data_is_float", of(F, "c", 1, 2), options={"schema": cat})
    s("categorical/int_with_bool_domain", of(I, "c", 0, 1, 7), options={"schema": 'feature { name: "c" type: INT bool_domain {} }'})
    s("categorical/float_exact_counting", of(F, "c", [12.0, 23.5], [12.0, NAN]), options={"schema": 'feature { name: "c" type: FLOAT float_domain { is_categorical: true } }'})
    s("categorical/float_sketch", of(F, "c", [12.0, 23.5], [12.0, NAN, INF, 1e20]),
      options={"use_sketch_based_topk_uniques": True, "schema": 'feature { name: "c" type: FLOAT float_domain { is_categorical: true } }'})
    s("categorical/string_no", of(S, "c", "a", "b"), options={"schema": 'feature { name: "c" type: BYTES string_domain { is_categorical: CATEGORICAL_NO } }'})
    s("categorical/string_no_sketch", of(S, "c", "a", "b"),
      options={"use_sketch_based_topk_uniques": True, "schema": 'feature { name: "c" type: BYTES string_domain { is_categorical: CATEGORICAL_NO } }'})
    s("bytes/image_domain", of(S, "c", list("xyzw"), ["qwe", "abc"], "ab"), options={"schema": 'feature { name: "c" type: BYTES image_domain {} }'})
    s("bytes/image_domain_on_ints", of(I, "c", 1, 2), options={"schema": 'feature { name: "c" type: BYTES image_domain {} }'})
    s("options/allowlist", FIRST, options={"feature_allowlist": ["age", "score"]})
    s("options/allowlist_in_batches_of_one", FIRST, options={"feature_allowlist": ["age", "score"], "desired_batch_size": 1},
      note="a batch without any of the features is not counted: num_examples is 5 of 6")
    s("options/allowlist_of_an_absent_feature", FIRST, options={"feature_allowlist": ["nobody"]})

    # weights
    w = columns(a=[F(1, 2), F(3, 4, 5), F(1, NAN, NAN, NAN), None], w=[F(1), F(2), F(3), F(2)], t=[S("x"), S("y", "z"), S("y"), None])
    s("weights/basic", w, options={"weight_feature": "w"})
    s("weights/small_buckets", w, options={"weight_feature": "w", **SMALL})
    s("weights/int", columns(a=[I(1), I(2)], w=[I(3), I(1)]), options={"weight_feature": "w"})
    s("weights/zero", columns(a=[I(1), I(2)], w=[F(0), F(0)]), options={"weight_feature": "w"}, note="no weight left for the quantiles: the run fails")
    s("weights/fractions", columns(t=[S("a"), S("b"), S("a"), S("c")], w=[F(.5), F(.25), F(.25), F(2)]), options={"weight_feature": "w"})
    s("weights/negative", columns(a=[I(1), I(2)], w=[F(-1), F(2)]), options={"weight_feature": "w"})
    s("weights/two_in_one_record", columns(a=[I(1), I(2)], w=[F(1, 2), F(1)]), options={"weight_feature": "w"})
    s("weights/missing", columns(a=[I(1), I(2)], w=[F(1), None]), options={"weight_feature": "w"})
    s("weights/empty", columns(a=[I(1), I(2)], w=[F(1), F()]), options={"weight_feature": "w"})
    s("weights/string", columns(a=[I(1), I(2)], w=[S("1"), S("2")]), options={"weight_feature": "w"})
    s("weights/per_feature", columns(a=[F(1, 2), F(3), F(1)], b=[F(1), F(2), F(5)], w=[F(1), F(2), F(3)], w_b=[F(2), F(1), F(2)]),
      options={"weight_feature": "w", "per_feature_weight_override": {"b": "w_b"}})
    s("weights/threshold", columns(t=[S(*"abyb"), S(*"axaz")], w=[F(5), F(15)]),
      options={"weight_feature": "w", "frequency_threshold": 2, "weighted_frequency_threshold": 15.0})

    # slices
    rows = columns(a=[I(1), I(2, 1), I(3), I(2, 1, 1), I(3)], b=[S("dog"), S("cat"), S("wolf"), S("dog", "wolf"), S("wolf")])
    s("slices/two_features", rows, options={"slices": [{"a": None, "b": None}]}, file="slices")
    s("slices/one_value", rows, options={"slices": [{"a": [2]}]}, file="slices")
    s("slices/value_not_there", rows, options={"slices": [{"a": [9]}]}, file="slices")
    s("slices/two_functions", rows, options={"slices": [{"a": None}, {"b": ["dog", "cat"]}]}, file="slices")
    s("slices/feature_absent_everywhere", rows, options={"slices": [{"a": None, "nobody": None}]}, file="slices",
      note="a feature that a whole batch lacks drops out of the key")
    s("slices/feature_absent_in_some_records", columns(a=[I(1), I(2), None], b=[S("x"), None, S("y")]), options={"slices": [{"a": None, "b": None}]}, file="slices",
      note="a record that lacks one of the features is in no slice, unless its whole batch lacks the feature")
    s("slices/any_and_a_value", rows, options={"slices": [{"a": None, "b": ["dog"]}]}, file="slices")
    s("slices/absent_in_one_batch", columns(a=[I(1), I(1)], b=[S("x"), None]), options={"slices": [{"a": None, "b": None}], "desired_batch_size": 1}, file="slices",
      note="the same two records give other keys in batches of one")
    s("slices/invalid_utf8", columns(b=[S(BAD), S("x")]), options={"slices": [{"b": None}]}, file="slices")
    s("slices/float_feature", columns(f=[F(1.5), F(2)]), options={"slices": [{"f": None}]}, file="slices")
    s("slices/config", rows, options={"slicing_config": 'slicing_specs {} slicing_specs { feature_keys: "b" } slicing_specs { feature_values { key: "a" value: "2" } }'}, file="slices")
    s("slices/config_string_value", rows, options={"slicing_config": 'slicing_specs { feature_values { key: "b" value: "dog" } }'}, file="slices")
    s("slices/config_not_an_integer", rows, options={"slicing_config": 'slicing_specs { feature_values { key: "a" value: "2.5" } }'}, file="slices")
    s("slices/weighted", columns(a=[I(1), I(2), I(1)], w=[F(1), F(2), F(4)]), options={"slices": [{"a": None}], "weight_feature": "w"}, file="slices")

    # sparse and weighted features of the schema
    sparse = '''sparse_feature { name: "sparse" value_feature { name: "v" } index_feature { name: "i1" } index_feature { name: "i2" } }'''
    s("sparse/sound", columns(v=[S("a"), S("a", "b")], i1=[I(1), I(1, 3)], i2=[I(2), I(2, 4)]), options={"schema": sparse})
    s("sparse/value_missing", columns(v=[None, None] + [S("a", "b")] * 3, i1=[I(1), I(1), None, None, None], i2=[I(2), I(2)] + [I(2, 4)] * 3), options={"schema": sparse})
    s("sparse/lengths_differ", columns(v=[S(), S()] + [S("a", "b")] * 3, i1=[I(1), I(1)] + [I(1, 3)] * 3, i2=[I(2), I(2)] + [I(2, 4, 6, 7, 9)] * 3), options={"schema": sparse})
    s("sparse/index_absent_everywhere", columns(v=[S("a"), S("a", "b")], i1=[I(1), I(1, 3)]), options={"schema": sparse})
    weighted = 'weighted_feature { name: "weighted" feature { step: "v" } weight_feature { step: "w" } }'
    s("weighted_feature/sound", columns(v=[S("a"), S("a", "b")], w=[F(2), F(2, 4)]), options={"schema": weighted})
    s("weighted_feature/lengths_differ", columns(v=[S("a"), S("a")], w=[F(2), F(2, 4)]), options={"schema": weighted})
    s("weighted_feature/missing", columns(v=[S("a"), None, S("a", "b"), None], w=[F(1, 1), F(1), None, None]), options={"schema": weighted})

    # semantic domains
    png, jpeg = b"\x89PNG\r\n\x1a\n" + b"0" * 20, b"\xff\xd8\xff\xe0" + b"0" * 20
    s("semantic/images", of(S, "img", *[png] * 60, *[jpeg] * 50, *["not an image"] * 10), options={"enable_semantic_domain_stats": True})
    s("semantic/images_too_few", of(S, "img", *[png] * 20), options={"enable_semantic_domain_stats": True})
    s("semantic/text", of(S, "txt", *["this is some plain text of words"] * 100), options={"enable_semantic_domain_stats": True})
    s("semantic/dates", of(S, "day", *[f"2018-11-{1 + i % 28:02d}" for i in range(120)]), options={"enable_semantic_domain_stats": True})
    s("semantic/unix_seconds", of(I, "at", *[1543622400 + i for i in range(120)]), options={"enable_semantic_domain_stats": True})
    s("semantic/off_by_default", of(S, "day", *[f"2018-11-{1 + i % 28:02d}" for i in range(120)]))

    # SequenceExamples
    s("sequence/two_kinds_of_records", SEQUENCES, record_type="sequence_example", options={"num_values_histogram_buckets": 3, "num_histogram_buckets": 3, "num_quantiles_histogram_buckets": 3, "num_rank_histogram_buckets": 3})
    s("sequence/weighted", SEQUENCES, record_type="sequence_example", options={"weight_feature": "example_weight", **SMALL})
    s("sequence/steps", [seq({}, {"x": [I(1, 2), I(3)]}), seq({}, {"x": []}), seq({}, {"x": [NO_KIND] * 3}), seq({}, {"x": [I(), I()]}), seq()],
      record_type="sequence_example", options=SMALL)
    s("sequence/context_only", [seq({"c": I(1)}), seq({"c": I(2)})], record_type="sequence_example")
    s("sequence/wide_integers", [seq({"c": I(2**40)}, {"x": [I(2**40), I(-2**40)]})], record_type="sequence_example",
      note="64-bit values inside feature lists")

    # more data for the anomalies
    s("data/ints_around_zero", of(I, "x", -1, 0, 1))
    s("data/ints_0_1", of(I, "x", 0, 1, 1, 0))
    s("data/ints_all_one", of(I, "x", 1, 1))
    s("data/ints_0_only", of(I, "x", 0, 0))
    s("data/floats_0_1", of(F, "x", 0, 1, 1, 0))
    s("data/floats_between", of(F, "x", 0, .25, 1))
    s("data/floats_0_2", of(F, "x", 0, 2, 1))
    s("data/floats_0_1_nan", of(F, "x", 0, 1, NAN))
    s("data/half_present", of(S, "t", "a", "a", "b", None, None, None))
    s("data/one_in_200_missing", of(I, "x", *[1] * 199, None))
    s("data/off_domain", of(S, "t", *["a"] * 150, *["b"] * 49, "c"))
    s("data/many_unknown", of(S, "t", *[f"u{i:03d}" for i in range(150)]))
    s("data/30_values_10_ranks", of(S, "t", *[f"v{i:02d}" for i in range(30)]), options={"num_rank_histogram_buckets": 10})
    s("data/two_features", columns(feature=[S("a"), S("b")], label=[I(0), I(1)]))
    s("data/one_feature", columns(feature=[S("a"), S("b")]))
    s("data/ten_labels_weighted", columns(t=[S("a"), S("b"), S("c")], w=[F(.25), F(3.5), F(.25)]), options={"weight_feature": "w"})
    s("data/weighted_presence", columns(t=[S("a"), None, None], w=[F(8), F(1), F(1)]), options={"weight_feature": "w"})
    s("data/shape_2", of(F, "x", [1, 2], [3, 4], [5, 6]))
    s("data/shape_6_each", of(F, "x", [1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1]))
    s("data/image_bytes", of(S, "img", png, jpeg + b"0" * 100), options={"schema": 'feature { name: "img" type: BYTES image_domain {} }'})
    s("data/images_with_statistics", of(S, "img", *[png] * 96, *["x"] * 24), options={"enable_semantic_domain_stats": True, "schema": 'feature { name: "img" type: BYTES image_domain {} }'})
    s("data/tokens", of(I, "tok", [1, 2, 2, 3], [1, 1, 1], [5]),
      options={"enable_semantic_domain_stats": True, "schema": TOKENS})
    s("drift/monday", columns(t=[S("a")] * 1 + [S("b")] * 2 + [S("c")] * 7, x=[F(i) for i in range(10)], k=[I(i % 3) for i in range(10)]))
    s("drift/tuesday", columns(t=[S("a")] * 3 + [S("b")] * 1 + [S("c")] * 6, x=[F(i + 5) for i in range(10)], k=[I(i % 2) for i in range(10)]))
    s("drift/other_labels", columns(t=[S("d")] * 10, x=[F(i + 100) for i in range(10)]))
    s("drift/no_x", columns(t=[S("a"), S("b"), S("c")]))
    s("drift/nan_inf", columns(x=[F(0), F(1), F(2), F(NAN), F(INF), F(-INF)]))
    s("drift/nan_only", columns(x=[F(NAN), F(NAN)]))
    s("drift/points", columns(x=[F(v) for v in (1, 1, 2, 2, 3)]))
    s("drift/points_2", columns(x=[F(v) for v in (1, 2, 2, 2, 4)]))
    s("drift/normal_0", of(F, "x", *[r.gauss(0, 1) for _ in range(1000)]))
    s("drift/normal_half", of(F, "x", *[r.gauss(.5, 1) for _ in range(1000)]))
    s("drift/outlier", of(F, "x", *[r.gauss(0, 1) for _ in range(999)], 1e8))
    s("drift/2000_labels", of(S, "t", *[f"l{i:04d}" for i in range(2000)]))
    s("drift/2000_other_labels", of(S, "t", *[f"l{i:04d}" for i in range(1000, 3000)]))
    s("drift/weighted_a", columns(t=[S("a"), S("b")], w=[F(1), F(3)]), options={"weight_feature": "w"})
    s("drift/weighted_b", columns(t=[S("a"), S("b")], w=[F(3), F(1)]), options={"weight_feature": "w"})
    s("slices/foo_1", columns(foo=[S(x) for x in "1234" "223"], which=[S("slice1")] * 4 + [S("slice2")] * 3), options={"slices": [{"which": None}]}, file="slices")
    s("slices/foo_2", columns(foo=[S(x) for x in "12" "34"], which=[S("slice1")] * 2 + [S("slice2")] * 2), options={"slices": [{"which": None}]}, file="slices")
    s("slices/foo_3", columns(foo=[S(x) for x in "12" "12"], which=[S("slice1")] * 2 + [S("slice2")] * 2), options={"slices": [{"which": None}]}, file="slices")
    s("slices/foo_4", columns(foo=[S(x) for x in "1234" "5"], which=[S("slice1")] * 4 + [S("slice2")]), options={"slices": [{"which": None}]}, file="slices")
    s("slices/foo_one_slice", columns(foo=[S(x) for x in "1234"], which=[S("slice1")] * 4), options={"slices": [{"which": None}]}, file="slices")


# ---- statistics written by hand ------------------------------------------------------------------------------------

def quote(t):
    return '"' + t.replace("\\", "\\\\").replace('"', '\\"') + '"'


def stat(path, type, have=0, missing=0, low=0, high=0, tot=None, avg=None, labels=None, unique=None, levels=(), num="", stats="", more=""):
    """The text of one FeatureNameStatistics. path: steps joined by |. labels: {label: count} of the rank histogram.
    levels: (have, missing, low, high, tot) of every nest level. num, stats, more: further fields of num_stats, of the
    message of statistics, and of the feature."""
    kind = {"INT": "num_stats", "FLOAT": "num_stats", "STRING": "string_stats", "BYTES": "bytes_stats", "STRUCT": "struct_stats"}[type]
    if labels is not None:
        kind = "string_stats"
        stats += " rank_histogram { " + " ".join(f"buckets {{ low_rank: {i} high_rank: {i} label: {quote(k)} sample_count: {c} }}" for i, (k, c) in enumerate(labels.items())) + " }"
    if unique is not None:
        kind = "string_stats"
        stats += f" unique: {unique}"
    common = f"num_non_missing: {have} num_missing: {missing} min_num_values: {low} max_num_values: {high}"
    if tot is not None:
        common += f" tot_num_values: {tot}"
    if avg is not None:
        common += f" avg_num_values: {avg}"
    for a, b, c, d, e in levels:
        common += f" presence_and_valency_stats {{ num_non_missing: {a} num_missing: {b} min_num_values: {c} max_num_values: {d} tot_num_values: {e} }}"
    steps = " ".join(f"step: {quote(s)}" for s in path.split("|"))
    return f"features {{ path {{ {steps} }} type: {type} {kind} {{ common_stats {{ {common} }} {num} {stats} }} {more} }}"


def dataset(n, *features, name=""):
    return f"datasets {{ {'name: ' + quote(name) if name else ''} num_examples: {n} {' '.join(features)} }}"


def custom(**numbers):
    """Custom statistics: a number, or {label: count} as a rank histogram, or a text."""
    out = ""
    for k, v in numbers.items():
        if isinstance(v, dict):
            out += f' custom_stats {{ name: "{k}" rank_histogram {{ ' + " ".join(f"buckets {{ label: {quote(a)} sample_count: {b} }}" for a, b in v.items()) + " } }"
        elif isinstance(v, str):
            out += f' custom_stats {{ name: "{k}" str: {quote(v)} }}'
        else:
            out += f' custom_stats {{ name: "{k}" num: {v} }}'
    return out


def histogram(buckets, type="STANDARD", nan=0):
    return f"histograms {{ type: {type} num_nan: {nan} " + " ".join(f"buckets {{ low_value: {a} high_value: {b} sample_count: {c} }}" for a, b, c in buckets) + " }"


# ---- schemas -------------------------------------------------------------------------------------------------------

TOKENS = """feature { name: "tok" type: INT natural_language_domain {
  coverage { min_coverage: 0.5 min_avg_token_length: 2 excluded_int_tokens: 99 }
  token_constraints { int_value: 1 min_per_sequence: 1 max_per_sequence: 2 min_fraction_of_sequences: 0.9 max_fraction_of_sequences: 1 }
  token_constraints { int_value: 5 max_fraction_of_sequences: 0.1 } } }"""


def schema_cases(v):
    skip = ("wire/", "lift/")
    for name, (stats, _) in list(v.stats.items()):
        if stats is not None and not name.startswith(skip) and len(stats.datasets) > 0:
            v.infer("infer/" + name, name)
    v.infer("infer/no_shape", "numbers/0_to_9", infer_feature_shape=False)
    v.infer("infer/no_shape_real", "real/penguin", infer_feature_shape=False)
    v.infer("infer/domain_limit_2", "example/first", max_string_domain_size=2)
    v.infer("infer/domain_limit_3", "example/first", max_string_domain_size=3)
    v.infer("infer/domain_limit_0", "example/first", max_string_domain_size=0)
    v.infer("infer/domain_limit_200", "strings/200_values", max_string_domain_size=200)
    v.infer("infer/domain_limit_beyond_the_rank_histogram", "strings/3000_distinct", max_string_domain_size=5000,
            note="the domain holds the 1000 labels of the rank histogram, not the 3000 values")
    v.infer("infer/no_statistics", "")
    v.infer("infer/two_unnamed_datasets", "datasets { num_examples: 1 } datasets { num_examples: 2 }")

    for case, levels in (("all_fixed", ((4, 0, 1, 1, 4), (4, 0, 2, 2, 8))), ("inner_varies", ((4, 0, 1, 1, 4), (4, 0, 1, 3, 9))),
                         ("inner_missing", ((4, 0, 2, 2, 8), (7, 1, 2, 2, 14))), ("inner_empty", ((4, 0, 1, 1, 4), (4, 0, 0, 2, 5)))):
        v.infer("infer/nested_" + case, dataset(4, stat("n", "INT", 4, 0, 1, 4, levels=levels, num="max: 5")))
    v.infer("infer/struct", dataset(4, stat("s", "STRUCT", 4, 0, 1, 2, 8), stat("s|b", "INT", 8, 0, 1, 1, 8, num="max: 9"), stat("s|a", "STRING", 5, 3, 1, 1, 5)))
    v.infer("infer/entry_without_statistics", dataset(4, 'features { path { step: "x" } type: INT custom_stats { name: "c" num: 1 } }', stat("y", "INT", 4, 0, 1, 1, num="max: 5")))
    v.infer("infer/name_instead_of_path", dataset(2, stat("x", "INT", 2, 0, 1, 1, num="max: 5").replace('path { step: "x" }', 'name: "x"')))
    for info in ("natural_language_domain {}", "This is invalid!", "", "name: 'x' image_domain {}", "time_domain { string_format: '%Y' }", "mid_domain {}"):
        v.infer("infer/domain_info " + (info or "empty"), dataset(4, stat("t", "STRING", 4, 0, 1, 1, unique=3, more=custom(domain_info=info))))
    v.infer("infer/derived_source", dataset(4, stat("t", "STRING", 4, 0, 1, 1, more='validation_derived_source { deriver_name: "d" }')))

    base = text(tfdv.infer_schema(copy(v.stats["example/first"][0]))) if v.stats.get("example/first", (None,))[0] else ""
    v.update("update/second_after_first", "example/second", base)
    v.update("update/first_after_first", "example/first", base)
    v.update("update/empty_schema", "example/first", "")
    v.update("update/empty_schema_has_no_shape", "numbers/0_to_9", "")
    v.update("update/domain_limit_1_for_new_features", "example/first", "", max_string_domain_size=1)
    v.update("update/domain_limit_does_not_shrink_domains", "example/second", base, max_string_domain_size=3)
    v.update("update/many_unknown", "data/many_unknown", 'feature { name: "t" type: BYTES domain: "t" } string_domain { name: "t" value: "a" }')
    v.update("update/shape_dropped", "example/second", 'feature { name: "age" type: INT shape { dim { size: 1 } } } feature { name: "city" type: BYTES } feature { name: "score" type: FLOAT } feature { name: "extra" type: INT }')
    v.update("update/required_feature_missing", "data/one_feature", 'feature { name: "feature" type: BYTES } feature { name: "label" type: INT presence { min_count: 1 } }')
    v.update("update/unknown_fields_of_the_schema_stay", "data/ints_0_1", 'feature { name: "x" type: INT annotation { tag: "t" comment: "c" } } annotation { comment: "whole" } default_environment: "E" tensor_representation_group { key: "" value { } }')


# ---- anomalies -----------------------------------------------------------------------------------------------------

def feature(name, type, more=""):
    return f'feature {{ name: "{name}" {"type: " + type if type else ""} {more} }}\n'


def anomaly_cases(v):
    a = v.validate
    taxi = open(os.path.join(SHARED, "data/chicago_taxi/schema.pbtxt")).read()
    penguin = open(os.path.join(SHARED, "data/penguin/schema.pbtxt")).read()
    sequence = open(os.path.join(SHARED, "data/sequence/schema.pbtxt")).read()

    # published schemas
    a("real/taxi", "real/taxi_all", taxi)
    a("real/taxi_statistics_with_schema", "real/taxi_all_with_schema", taxi)
    a("real/taxi_one_shard", "real/taxi_shard_0", taxi)
    a("real/penguin", "real/penguin", penguin)
    a("real/sequence", "real/sequence", sequence)
    a("real/taxi_against_penguin", "real/taxi_all", penguin)
    first = tfdv.infer_schema(copy(v.stats["real/taxi_shard_0"][0]))
    a("real/taxi_shard_1_against_schema_of_shard_0", "real/taxi_shard_1", first)

    def mutated(name, change, feature=None):
        m = copy(first)
        change({f.name: f for f in m.feature}[feature] if feature else m)
        a("mutated_taxi/" + name, "real/taxi_shard_0", m)
    mutated("value_dropped_from_domain", lambda m: m.string_domain[0].value.pop(0))
    mutated("domain_emptied", lambda m: m.string_domain[0].ClearField("value"))
    mutated("feature_dropped", lambda m: m.feature.pop(0))
    mutated("type_changed", lambda f: setattr(f, "type", schema_pb2.INT), "fare")
    mutated("type_changed_to_bytes", lambda f: setattr(f, "type", schema_pb2.BYTES), "trip_seconds")
    mutated("required_everywhere", lambda f: f.presence.MergeFrom(schema_pb2.FeaturePresence(min_fraction=1)), "company")
    mutated("shape_2", lambda f: f.shape.dim[0].__setattr__("size", 2), "fare")
    mutated("value_count_2_to_3", lambda f: f.value_count.MergeFrom(schema_pb2.ValueCount(min=2, max=3)), "fare")
    mutated("float_range", lambda f: f.float_domain.MergeFrom(schema_pb2.FloatDomain(min=0, max=10)), "fare")
    mutated("int_range", lambda f: f.int_domain.MergeFrom(schema_pb2.IntDomain(min=1, max=5)), "trip_start_month")
    mutated("deprecated", lambda f: setattr(f, "lifecycle_stage", schema_pb2.DEPRECATED), "fare")
    mutated("unique", lambda f: f.unique_constraints.MergeFrom(schema_pb2.UniqueConstraints(min=100, max=200)), "company")
    mutated("dataset_constraints", lambda m: m.dataset_constraints.MergeFrom(schema_pb2.DatasetConstraints(min_examples_count=1000, max_examples_count=2000)))
    mutated("extra_feature_required", lambda m: m.feature.add(name="tip_rate", type=schema_pb2.FLOAT, presence=schema_pb2.FeaturePresence(min_count=1)))

    # the frame
    base = tfdv.infer_schema(copy(v.stats["example/first"][0]))
    a("frame/second_against_schema_of_first", "example/second", base)
    a("frame/first_against_its_own_schema", "example/first", base)
    a("frame/no_examples", "presence/no_records", base)
    a("frame/no_features", "presence/records_without_features", base)
    a("frame/no_schema", "example/first", "")
    a("frame/two_datasets", "datasets { num_examples: 1 } datasets { num_examples: 2 }", base)
    a("frame/all_examples_slice_is_taken", "slices/one_value", feature("a", "INT") + feature("b", "BYTES"))
    a("frame/warnings_for_new_features", "example/second", base, new_features_are_warnings=True)
    a("frame/severity_overridden", "example/second", base, severity_overrides={"ENUM_TYPE_UNEXPECTED_STRING_VALUES": "WARNING", "SCHEMA_NEW_COLUMN": "UNKNOWN"})
    a("frame/names_with_dots_and_quotes", "names/unusual", "")
    for stage in ("UNKNOWN_STAGE", "PLANNED", "ALPHA", "BETA", "PRODUCTION", "DEPRECATED", "DEBUG_ONLY", "DISABLED"):
        a("lifecycle/" + stage, "data/ints_around_zero", feature("x", "INT", f"lifecycle_stage: {stage} int_domain {{ min: 0 }}") + feature("gone", "INT", f"lifecycle_stage: {stage} presence {{ min_count: 1 }}"))
    a("lifecycle/deprecated_flag", "data/ints_around_zero", feature("x", "INT", "deprecated: true int_domain { min: 0 }"))

    # presence
    x = lambda more="": feature("x", "INT", more)
    t = lambda more="": feature("t", "BYTES", more)
    a("presence/missing_column_min_count", "data/ints_0_1", x() + feature("y", "INT", "presence { min_count: 1 }"))
    a("presence/missing_column_min_fraction", "data/ints_0_1", x() + feature("y", "INT", "presence { min_fraction: 0.1 }"))
    a("presence/missing_column_zero_min_count", "data/ints_0_1", x() + feature("y", "INT", "presence { min_count: 0 }"))
    a("presence/missing_column_no_presence", "data/ints_0_1", x() + feature("y", "INT"))
    a("presence/missing_column_value_count_only", "data/ints_0_1", x() + feature("y", "INT", "value_count { min: 1 }"))
    a("presence/missing_column_with_shape", "data/ints_0_1", x() + feature("y", "INT", "shape { dim { size: 1 } }"))
    a("presence/group_presence_required", "data/ints_0_1", x() + feature("y", "INT", "group_presence { required: true }"))
    a("presence/all_values_missing_required", "presence/all_missing_in_every_record", feature("a", "INT", "presence { min_count: 1 }"))
    a("presence/all_values_missing_optional", "presence/all_missing_in_every_record", feature("a", "INT", "value_count { min: 1 max: 1 }"))
    a("presence/low_fraction", "data/half_present", t("presence { min_fraction: 0.75 }"))
    a("presence/fraction_just_reached", "data/half_present", t("presence { min_fraction: 0.5 }"))
    a("presence/fraction_1", "data/half_present", t("presence { min_fraction: 1 min_count: 1 }"))
    a("presence/low_count", "data/half_present", t("presence { min_count: 4 }"))
    a("presence/low_count_and_fraction", "data/half_present", t("presence { min_count: 4 min_fraction: 0.6 }"))
    a("presence/one_in_200", "data/one_in_200_missing", x("presence { min_fraction: 1 }"))
    a("presence/weighted_fraction", "data/weighted_presence", t("presence { min_fraction: 0.9 }") + feature("w", "FLOAT"))
    a("presence/weighted_fraction_reached", "data/weighted_presence", t("presence { min_fraction: 0.5 }") + feature("w", "FLOAT"))
    a("presence/weighted_count", "data/weighted_presence", t("presence { min_count: 5 }") + feature("w", "FLOAT"))
    a("presence/empty_lists_are_present", "presence/only_empty_lists", feature("b", "BYTES", "presence { min_fraction: 1 }") + feature("f", "FLOAT", "presence { min_count: 3 }") + feature("i", "INT"))
    a("presence/never_typed_against_int", "presence/absent_no_kind_empty", feature("b", "BYTES") + feature("f", "FLOAT") + feature("i", "INT") + feature("never", "INT"))

    # value counts and shapes
    c = lambda more: feature("x", "INT", more)
    a("counts/too_few", "counts/0_to_5_values", c("value_count { min: 2 }"))
    a("counts/too_many", "counts/0_to_5_values", c("value_count { max: 4 }"))
    a("counts/both", "counts/0_to_5_values", c("value_count { min: 1 max: 1 }"))
    a("counts/fits", "counts/0_to_5_values", c("value_count { min: 0 max: 5 }"))
    a("counts/max_zero", "counts/0_to_5_values", c("value_count { max: 0 }"))
    a("counts/empty_constraint", "counts/0_to_5_values", c("value_count { }"))
    a("counts/value_counts_on_flat_data", "counts/0_to_5_values", c("value_counts { value_count { min: 1 } value_count { min: 1 } }"))
    a("counts/value_counts_one_level", "counts/0_to_5_values", c("value_counts { value_count { min: 1 } }"))
    a("counts/ragged_pair_is_not_noticed", "counts/ragged_pair", feature("v", "FLOAT") + feature("n", "INT") + 'tensor_representation_group { key: "" value { tensor_representation { key: "v" value { ragged_tensor { feature_path { step: "v" } partition { row_length: "n" } } } } } }')
    a("shape/varies", "counts/0_to_5_values", c("shape { dim { size: 1 } }"))
    a("shape/fits", "data/shape_2", feature("x", "FLOAT", "shape { dim { size: 2 } }"))
    a("shape/scalar_but_two_values", "data/shape_2", feature("x", "FLOAT", "shape { }"))
    a("shape/scalar_and_one_value", "data/ints_0_1", c("shape { }"))
    a("shape/product_fits", "data/shape_6_each", feature("x", "FLOAT", "shape { dim { size: 2 } dim { size: 3 } }"))
    a("shape/product_does_not_fit", "data/shape_6_each", feature("x", "FLOAT", "shape { dim { size: 2 } dim { size: 2 } }"))
    a("shape/not_always_present", "data/one_in_200_missing", c("shape { dim { size: 1 } }"))
    a("shape/dim_zero", "data/ints_0_1", c("shape { dim { size: 0 } }"))
    a("shape/dim_unknown", "data/ints_0_1", c("shape { dim { size: -1 } }"))
    a("shape/presence_not_required", "data/shape_2", feature("x", "FLOAT", "shape { dim { size: 2 } } presence { min_count: 1 }"))
    a("nested/value_count_on_nested_data", "sequence/two_kinds_of_records",
      feature("context_bytes_feature", "BYTES", "value_counts { value_count { min: 1 max: 1 } value_count { min: 1 max: 1 } }") + feature("context_int64_feature", "INT") + feature("example_weight", "FLOAT") + feature("label", "FLOAT") +
      'feature { name: "##SEQUENCE##" type: STRUCT struct_domain { feature { name: "sequence_float_feature" type: FLOAT value_count { min: 1 max: 1 } } feature { name: "sequence_int64_feature" type: INT value_counts { value_count { min: 1 } value_count { min: 2 max: 2 } } } } }')
    a("nested/shape", "sequence/two_kinds_of_records", 'feature { name: "##SEQUENCE##" type: STRUCT struct_domain { feature { name: "sequence_float_feature" type: FLOAT shape { dim { size: 2 } } } } }')
    a("nested/children_missing", "sequence/context_only", feature("c", "INT") + 'feature { name: "##SEQUENCE##" type: STRUCT struct_domain { feature { name: "s" type: INT presence { min_count: 1 } } feature { name: "o" type: INT } } }')

    # types
    for name, source, have, f in (("int", "data/ints_0_1", "INT", "x"), ("float", "data/floats_0_1", "FLOAT", "x"), ("string", "data/half_present", "BYTES", "t")):
        for want in ("INT", "FLOAT", "BYTES", "STRUCT"):
            if want != have:
                a(f"type/{name}_against_{want.lower()}", source, feature(f, want))
    a("type/unexpected_type_and_domain", "data/ints_0_1", feature("x", "BYTES", 'string_domain { value: "a" }'))
    a("type/unexpected_type_and_count", "counts/0_to_5_values", feature("x", "FLOAT", "value_count { max: 2 }"))
    a("type/missing", "data/ints_0_1", feature("x", ""))
    a("type/missing_but_string_domain", "data/half_present", feature("t", "", 'string_domain { value: "a" value: "b" }'))
    a("type/missing_but_domain", "data/half_present", feature("t", "", 'domain: "d"') + 'string_domain { name: "d" value: "a" }')
    a("type/missing_with_float_domain", "data/floats_0_1", feature("x", "", "float_domain { }"))
    a("type/unknown", "data/ints_0_1", feature("x", "TYPE_UNKNOWN"))
    a("type/name_missing", "data/ints_0_1", x() + "feature { type: INT presence { min_count: 1 } }")
    a("type/name_missing_data_has_empty_name", "names/unusual", "feature { type: INT }")

    # string domains
    two = 'string_domain { name: "d" value: "a" value: "b" }'
    a("strings/unknown_value", "data/off_domain", t('domain: "d"') + two)
    a("strings/unknown_value_inline", "data/off_domain", t('string_domain { value: "a" value: "b" }'))
    a("strings/unknown_values_percentages", "data/off_domain", t('string_domain { value: "z" }'))
    a("strings/mass_reached", "data/off_domain", t('domain: "d" distribution_constraints { min_domain_mass: 0.995 }') + two)
    a("strings/mass_not_reached", "data/off_domain", t('domain: "d" distribution_constraints { min_domain_mass: 0.996 }') + two)
    a("strings/mass_default", "data/off_domain", t('domain: "d" distribution_constraints { }') + two)
    a("strings/mass_zero", "data/off_domain", t('domain: "d" distribution_constraints { min_domain_mass: 0 }') + two)
    a("strings/empty_domain", "data/off_domain", t('domain: "d"') + 'string_domain { name: "d" }')
    a("strings/150_unknown_values", "data/many_unknown", t('string_domain { value: "z" }'))
    a("strings/beyond_the_rank_histogram", "data/30_values_10_ranks", t('string_domain { value: "v29" }'), note="only the 10 labels of the rank histogram are looked at")
    a("strings/all_unknown_values_beyond_the_rank_histogram", "data/30_values_10_ranks", t('string_domain { ' + " ".join(f'value: "v{i:02d}"' for i in range(20, 30)) + " }"), note="goes unnoticed")
    a("strings/odd_characters", "strings/control_characters", t('string_domain { value: "z" }'))
    a("strings/utf8", "strings/utf8", t('string_domain { value: "z" }'))
    a("strings/not_utf8", "strings/not_utf8", t('string_domain { value: "a" }'))
    a("strings/not_utf8_shared_domain", "strings/not_utf8", t('domain: "d"') + feature("u", "BYTES", 'domain: "d"') + two)
    a("strings/not_utf8_without_domain", "strings/not_utf8", t())
    a("strings/shared_by_two_features", "strings/booleans", "".join(feature(n, "BYTES", 'domain: "d"') for n in "abcdef") + two, note="every anomaly repairs its own copy of the schema")
    a("strings/weighted_percentages", "data/ten_labels_weighted", t('string_domain { value: "b" }') + feature("w", "FLOAT"))
    a("strings/domain_named_but_absent", "data/half_present", t('domain: "nowhere"'))
    a("strings/repeated_value_in_domain", "data/half_present", t('string_domain { value: "a" value: "b" value: "a" }'))
    a("strings/domain_on_int_feature", "data/ints_0_1", x('domain: "d"') + two)
    a("strings/domain_values_as_labels_of_categorical_int", "categorical/int", feature("c", "INT", 'string_domain { value: "1" }'))
    a("strings/empty_string_value", "strings/utf8", t('string_domain { value: "é" value: "日本" value: "\U0001f600" value: "a\u0301" }'))
    for kind in ("bool_domain {}", "int_domain {}", "float_domain {}"):
        a("strings/mass_on_" + kind.split("_")[0], "data/half_present", t(kind + " distribution_constraints { min_domain_mass: 0.5 }"))
    a("strings/mass_without_domain", "data/half_present", t("distribution_constraints { min_domain_mass: 0.5 }"))
    a("strings/mass_on_struct", "presence/no_records", "", note="no examples: data_missing")

    # int domains
    a("int/too_small", "data/ints_around_zero", x("int_domain { min: 0 }"))
    a("int/too_big", "numbers/0_to_9", x("int_domain { max: 8 }"))
    a("int/both", "data/ints_around_zero", x("int_domain { min: 0 max: 0 }"))
    a("int/fits", "data/ints_around_zero", x("int_domain { min: -1 max: 1 }"))
    a("int/strings", "strings/numeric", t("int_domain { min: 0 max: 9 }"))
    a("int/strings_fit", "strings/numeric", t("int_domain { }"))
    a("int/strings_that_are_no_ints", "data/half_present", t("int_domain { }"))
    a("int/categorical", "categorical/int", feature("c", "INT", "int_domain { is_categorical: true min: 0 max: 10 }"))
    a("int/extremes", "numbers/int64_extremes", x("int_domain { min: 0 max: 0 }"))
    a("int/beyond_double", "numbers/int64_beyond_double", x("int_domain { min: 9007199254740992 max: 9007199254740993 }"))
    a("int/on_float_data", "data/floats_0_2", feature("x", "FLOAT", "int_domain { max: 1 }"))
    a("int/empty_lists", "presence/only_empty_lists", feature("b", "BYTES") + feature("f", "FLOAT", "float_domain { min: 1 }") + feature("i", "INT", "int_domain { min: 7 }"))

    # float domains
    f = lambda more: feature("x", "FLOAT", more)
    a("float/too_small", "numbers/negative_and_zero", f("float_domain { min: -1 }"))
    a("float/too_big", "numbers/negative_and_zero", f("float_domain { max: 2.999999 }"))
    a("float/both", "numbers/negative_and_zero", f("float_domain { min: 0 max: 0.1 }"))
    a("float/fits", "numbers/negative_and_zero", f("float_domain { min: -2.5 max: 3 }"))
    a("float/single_precision_bound", "numbers/float_is_single_precision", f("float_domain { min: 0.1 max: 16777216 }"))
    a("float/nan_disallowed", "numbers/nan", f("float_domain { disallow_nan: true }"))
    a("float/only_nan_disallowed", "numbers/only_nan", f("float_domain { disallow_nan: true min: 1 }"))
    a("float/nan_allowed", "numbers/nan", f("float_domain { min: 1 max: 5 }"))
    a("float/inf_disallowed", "numbers/infinities", f("float_domain { disallow_inf: true }"))
    a("float/inf_against_range", "numbers/infinities", f("float_domain { min: 0 max: 10 }"))
    a("float/inf_and_nan_disallowed", "numbers/nan_and_infinity", f("float_domain { disallow_inf: true disallow_nan: true max: 100 }"))
    a("float/strings", "strings/numeric", t("float_domain { min: 0 max: 9.5 }"))
    a("float/strings_that_are_no_floats", "data/half_present", t("float_domain { min: 0 }"))
    a("float/on_int", "data/ints_0_1", x("float_domain { }"))
    a("float/categorical_sketch", "categorical/float_sketch", feature("c", "FLOAT", "float_domain { is_categorical: true min: 13 max: 100 disallow_nan: true disallow_inf: true }"))

    # bool domains
    a("bool/int_too_big", "numbers/0_to_9", x("bool_domain { }"))
    a("bool/int_too_small", "data/ints_around_zero", x("bool_domain { }"))
    a("bool/int_fits", "data/ints_0_1", x("bool_domain { }"))
    a("bool/int_statistics_made_with_schema", "categorical/int_with_bool_domain", feature("c", "INT", "bool_domain { }"), note="value 7 goes unnoticed")
    a("bool/float_fits", "data/floats_0_1", f("bool_domain { }"))
    a("bool/float_too_big", "data/floats_0_2", f("bool_domain { }"))
    a("bool/float_negative", "numbers/negative_and_zero", f("bool_domain { }"))
    a("bool/float_between", "data/floats_between", f("bool_domain { }"))
    a("bool/float_nan", "data/floats_0_1_nan", f("bool_domain { }"))
    words = lambda d: "".join(feature(n, "BYTES", "bool_domain { " + d + " }") for n in "abcdef")
    a("bool/strings_true_false", "strings/booleans", words('true_value: "true" false_value: "false"'))
    a("bool/strings_only_true_value", "strings/booleans", words('true_value: "yes"'))
    a("bool/strings_no_values", "strings/booleans", words(""))
    a("bool/strings_same_word_twice", "strings/booleans", words('true_value: "true" false_value: "true"'))

    # uniques
    a("unique/too_many", "strings/ties", t("unique_constraints { min: 1 max: 3 }"))
    a("unique/too_few", "strings/ties", t("unique_constraints { min: 5 max: 9 }"))
    a("unique/fits", "strings/ties", t("unique_constraints { min: 4 max: 4 }"))
    a("unique/only_min", "strings/ties", t("unique_constraints { min: 1 }"), note="an unset max reads as 0")
    a("unique/not_counted", "numbers/0_to_9", x("unique_constraints { min: 1 max: 100 }"))
    a("unique/categorical_int", "categorical/int", feature("c", "INT", "int_domain { is_categorical: true } unique_constraints { min: 1 max: 2 }"))

    # broken schemas
    a("sanity/negative_fraction", "data/ints_0_1", x("presence { min_fraction: -0.5 }"))
    a("sanity/fraction_above_1", "data/ints_0_1", x("presence { min_fraction: 1.5 }"))
    a("sanity/value_count_min_negative", "data/ints_0_1", x("value_count { min: -1 max: 3 }"))
    a("sanity/value_count_max_below_min", "data/ints_0_1", x("value_count { min: 3 max: 1 }"))
    a("sanity/value_counts_broken", "data/ints_0_1", x("value_counts { value_count { min: -1 max: 3 } value_count { min: 3 max: 1 } }"))
    a("sanity/broken_but_absent", "data/ints_0_1", x() + feature("y", "INT", "value_count { min: -1 }"), note="a schema entry without data is not looked at")
    for domain, type in (("natural_language_domain {}", "FLOAT"), ("struct_domain {}", "BYTES"), ("image_domain {}", "INT"), ("mid_domain {}", "INT"), ("url_domain {}", "INT"),
                         ("time_domain {}", "FLOAT"), ("time_of_day_domain {}", "INT"), 
                         ("string_domain {}", "INT"), ("int_domain {}", "FLOAT"), ("float_domain {}", "INT"), ("bool_domain {}", "STRUCT"), ("mid_domain {}", "BYTES"), ("url_domain {}", "BYTES"),
                         ("time_domain {}", "BYTES"), ("natural_language_domain {}", "BYTES"), ("struct_domain {}", "INT")):
        source = {"INT": "data/ints_0_1", "FLOAT": "data/floats_0_1", "BYTES": "data/half_present", "STRUCT": "data/ints_0_1"}[type]
        a(f"sanity/{domain.split('_domain')[0]}_on_{type.lower()}", source, feature("t" if type == "BYTES" else "x", type, domain))
    a("sanity/feature_twice", "data/ints_around_zero", x("int_domain { min: -5 }") + x("int_domain { min: 0 }"))
    a("bytes/incompatible_domain", "bytes/image_domain", feature("c", "BYTES", "int_domain {}"))
    a("bytes/string_domain", "bytes/image_domain", feature("c", "BYTES", 'string_domain { value: "a" }'))
    a("bytes/no_domain", "bytes/image_domain", feature("c", "BYTES"))

    # images and text
    img = lambda more: feature("img", "BYTES", "image_domain { " + more + " }")
    a("image/too_big", "data/image_bytes", img("max_image_byte_size: 100"))
    a("image/fits", "data/image_bytes", img("max_image_byte_size: 200"))
    a("image/fraction_without_statistics", "data/image_bytes", img("minimum_supported_image_fraction: 1"))
    a("image/fraction_too_low", "data/images_with_statistics", img("minimum_supported_image_fraction: 0.85"))
    a("image/fraction_reached", "data/images_with_statistics", img("minimum_supported_image_fraction: 0.8"))
    a("image/both", "data/images_with_statistics", img("minimum_supported_image_fraction: 0.9 max_image_byte_size: 5"))
    a("text/tokens", "data/tokens", TOKENS)
    a("text/no_statistics", "data/ints_0_1", feature("x", "INT", "natural_language_domain { coverage { min_coverage: 0.5 } }"))
    a("text/no_constraints_no_statistics", "data/ints_0_1", feature("x", "INT", "natural_language_domain { }"))
    a("semantic/domain_found", "semantic/images", feature("img", "BYTES"))
    a("semantic/domain_found_but_other_set", "semantic/images", feature("img", "BYTES", 'string_domain { value: "x" }'))
    a("semantic/dates_found", "semantic/dates", feature("day", "BYTES"))

    # sparse and weighted features
    sparse = feature("v", "BYTES") + feature("i1", "INT") + feature("i2", "INT")
    sf = 'sparse_feature { name: "sparse" value_feature { name: "v" } index_feature { name: "i1" } index_feature { name: "i2" } }'
    for n in ("sound", "value_missing", "lengths_differ", "index_absent_everywhere"):
        a("sparse/" + n, "sparse/" + n, sparse + sf)
    a("sparse/name_collision", "sparse/sound", sparse + sf + feature("sparse", "INT"))
    a("sparse/deprecated", "sparse/value_missing", sparse + sf.replace("value_feature", "lifecycle_stage: DEPRECATED value_feature"))
    wf = 'weighted_feature { name: "weighted" feature { step: "v" } weight_feature { step: "w" } }'
    for n in ("sound", "lengths_differ", "missing"):
        a("weighted_feature/" + n, "weighted_feature/" + n, feature("v", "BYTES") + feature("w", "FLOAT") + wf)
    a("weighted_feature/name_collision", "weighted_feature/sound", feature("v", "BYTES") + feature("w", "FLOAT") + feature("weighted", "INT") + wf)

    # environments
    env = 'default_environment: "TRAINING" default_environment: "SERVING"\n' + feature("feature", "BYTES", "presence { min_fraction: 1 }") + feature("label", "INT", 'not_in_environment: "SERVING" presence { min_fraction: 1 }')
    for data in ("one_feature", "two_features"):
        for e in (None, "TRAINING", "SERVING", "INVALID"):
            a(f"environment/{data}_{e}", "data/" + data, env, environment=e)
    inenv = 'default_environment: "TRAINING"\n' + feature("feature", "BYTES") + feature("label", "INT", 'in_environment: "OTHER"')
    a("environment/in_environment_of_another", "data/two_features", inenv + 'default_environment: "X"', environment="X")
    a("environment/not_default", "data/two_features", 'default_environment: "TRAINING"' + feature("feature", "BYTES") + feature("label", "INT", 'in_environment: "SERVING"'), environment="SERVING")
    a("environment/no_default_environments", "data/one_feature", feature("feature", "BYTES"), environment="TRAINING")
    a("environment/both_lists", "data/two_features", 'default_environment: "A"' + feature("feature", "BYTES") + feature("label", "INT", 'in_environment: "A" not_in_environment: "A"'), environment="A")

    # derived features
    derived = "datasets { num_examples: 2 features { path { step: 'd' } type: INT num_stats { common_stats { num_non_missing: 2 min_num_values: 1 max_num_values: 1 tot_num_values: 2 } max: 3 } validation_derived_source { deriver_name: 'x' } } }"
    a("derived/not_in_schema", derived, feature("d", "INT"))
    a("derived/wrong_lifecycle", derived, feature("d", "INT", "validation_derived_source { deriver_name: 'x' } lifecycle_stage: PRODUCTION"))
    a("derived/new", derived, "")

    # dataset constraints
    n = lambda more: x() + "dataset_constraints { " + more + " }"
    a("dataset/too_few", "data/ints_0_1", n("min_examples_count: 5"))
    a("dataset/enough", "data/ints_0_1", n("min_examples_count: 4"))
    a("dataset/too_many", "data/ints_0_1", n("min_examples_count: 1 max_examples_count: 3"))
    a("dataset/too_many_without_min", "data/ints_0_1", n("max_examples_count: 3"), note="ignored")
    a("dataset/fewer_than_before", "data/ints_0_1", n("num_examples_drift_comparator { min_fraction_threshold: 0.9 max_fraction_threshold: 1.1 }"), previous="numbers/0_to_9")
    a("dataset/more_than_before", "numbers/0_to_9", n("num_examples_drift_comparator { min_fraction_threshold: 0.9 max_fraction_threshold: 1.1 }"), previous="data/ints_0_1")
    a("dataset/nothing_before", "numbers/0_to_9", n("num_examples_drift_comparator { max_fraction_threshold: 1.1 }"), previous="presence/no_records",
      note="an empty list of statistics counts as not given")
    a("dataset/zero_examples_before", "numbers/0_to_9", n("num_examples_drift_comparator { max_fraction_threshold: 1.1 }"), previous=dataset(0, stat("x", "INT")))
    a("dataset/comparator_without_previous", "numbers/0_to_9", n("num_examples_drift_comparator { max_fraction_threshold: 1.1 }"))
    a("dataset/version", "numbers/0_to_9", n("num_examples_version_comparator { max_fraction_threshold: 1.1 }"), previous_version="data/ints_0_1")
    a("dataset/weighted", "data/weighted_presence", feature("t", "BYTES") + feature("w", "FLOAT") + "dataset_constraints { min_examples_count: 11 }")


# ---- drift and skew ------------------------------------------------------------------------------------------------

def drift_cases(v):
    def a(name, current, control, schema, **k):
        v.validate("drift/" + name, current, schema, previous=control, file="drift", **k)
        v.validate("skew/" + name, current, schema.replace("drift_comparator", "skew_comparator"), serving=control, file="drift", **k)
    measures = {"linf": "infinity_norm { threshold: %g }", "jsd": "jensen_shannon_divergence { threshold: %g }",
                "jsd_quantiles": "jensen_shannon_divergence { threshold: %g source { type: QUANTILES } }",
                "jsd_standard": "jensen_shannon_divergence { threshold: %g source { type: STANDARD } }", "nad": "normalized_abs_difference { threshold: %g }"}

    def cmp(f, type, measure, threshold, more=""):
        return feature(f, type, f"drift_comparator {{ {measures[measure] % threshold} }} {more}")
    others = feature("x", "FLOAT") + feature("k", "INT")
    for m in ("linf", "jsd", "nad"):
        a(f"labels_{m}_high", "drift/tuesday", "drift/monday", cmp("t", "BYTES", m, .01) + others)
        a(f"labels_{m}_low", "drift/tuesday", "drift/monday", cmp("t", "BYTES", m, .9) + others)
        a(f"labels_{m}_zero_threshold_same_data", "drift/monday", "drift/monday", cmp("t", "BYTES", m, 0) + others)
        a(f"labels_{m}_disjoint", "drift/other_labels", "drift/monday", cmp("t", "BYTES", m, .5) + others)
    t = feature("t", "BYTES") + feature("k", "INT")
    for m in ("linf", "jsd", "jsd_quantiles", "jsd_standard", "nad"):
        a(f"numbers_{m}", "drift/tuesday", "drift/monday", cmp("x", "FLOAT", m, .01) + t)
        a(f"numbers_{m}_disjoint", "drift/other_labels", "drift/monday", cmp("x", "FLOAT", m, .01) + t)
    for m in ("jsd", "jsd_quantiles"):
        a(f"normal_{m}", "drift/normal_half", "drift/normal_0", cmp("x", "FLOAT", m, .01))
        a(f"outlier_{m}", "drift/outlier", "drift/normal_0", cmp("x", "FLOAT", m, .01))
        a(f"points_{m}", "drift/points_2", "drift/points", cmp("x", "FLOAT", m, .01))
        a(f"nan_inf_with_itself_{m}", "drift/nan_inf", "drift/nan_inf", cmp("x", "FLOAT", m, .01))
        a(f"nan_inf_with_numbers_{m}", "drift/nan_inf", "drift/points", cmp("x", "FLOAT", m, .01))
        a(f"nan_only_{m}", "drift/nan_only", "drift/points", cmp("x", "FLOAT", m, .01))
        a(f"nan_only_with_itself_{m}", "drift/nan_only", "drift/nan_only", cmp("x", "FLOAT", m, .01))
        a(f"int_{m}", "drift/tuesday", "drift/monday", cmp("k", "INT", m, .01) + feature("t", "BYTES") + feature("x", "FLOAT"))
    a("all_three", "drift/tuesday", "drift/monday", feature("t", "BYTES", "drift_comparator { " + " ".join(measures[m] % .01 for m in ("linf", "jsd", "nad")) + " }") + others)
    a("feature_missing_in_control", "drift/monday", "drift/no_x", cmp("x", "FLOAT", "jsd", .1) + t)
    a("feature_missing_in_current", "drift/no_x", "drift/monday", cmp("x", "FLOAT", "jsd", .1) + t)
    a("no_control", "drift/monday", None, cmp("x", "FLOAT", "jsd", .1) + t)
    a("empty_control", "drift/monday", "presence/no_records", cmp("t", "BYTES", "linf", .1) + others)
    a("control_with_slices", "drift/no_x", "slices/one_value", cmp("t", "BYTES", "linf", .1))
    a("kinds_differ", "data/half_present", "data/ints_0_1", cmp("t", "BYTES", "jsd", .1) + feature("x", "INT"))
    a("categorical_int", "categorical/int", "categorical/int_with_bool_domain", cmp("c", "INT", "linf", .1, "int_domain { is_categorical: true }"))
    a("beyond_the_rank_histogram_linf", "drift/2000_other_labels", "drift/2000_labels", cmp("t", "BYTES", "linf", 1e-6))
    a("beyond_the_rank_histogram_jsd", "drift/2000_other_labels", "drift/2000_labels", cmp("t", "BYTES", "jsd", 1e-6))
    a("weighted_linf", "drift/weighted_b", "drift/weighted_a", cmp("t", "BYTES", "linf", .1) + feature("w", "FLOAT"))
    a("weighted_numbers_jsd", "drift/weighted_b", "drift/weighted_a", cmp("w", "FLOAT", "jsd", .1) + feature("t", "BYTES"))
    a("with_other_anomaly", "drift/other_labels", "drift/monday", cmp("t", "BYTES", "linf", .1, 'string_domain { value: "a" value: "b" value: "c" }') + others)
    a("no_threshold", "drift/tuesday", "drift/monday", feature("t", "BYTES", "drift_comparator { infinity_norm { } jensen_shannon_divergence { } }") + others)
    v.validate("drift/and_skew_together", "drift/tuesday", feature("t", "BYTES", "drift_comparator { infinity_norm { threshold: 0.01 } } skew_comparator { infinity_norm { threshold: 0.02 } }") + others,
               previous="drift/monday", serving="drift/other_labels", file="drift")
    taxi = schema_of(open(os.path.join(SHARED, "data/chicago_taxi/schema.pbtxt")).read())
    for f in taxi.feature:
        f.drift_comparator.jensen_shannon_divergence.threshold = 0.001
        if f.type == schema_pb2.BYTES:
            f.drift_comparator.infinity_norm.threshold = 0.001
    v.validate("drift/taxi_shards", "real/taxi_shard_1", taxi, previous="real/taxi_shard_0", file="drift")

    foo = feature("foo", "BYTES", 'string_domain { value: "1" value: "2" value: "3" value: "4" } distribution_constraints { min_domain_mass: 0.5 } presence { min_fraction: 1 }') + feature("which", "BYTES")
    k = dict(slices=True, file="slices")
    v.validate("slices/validate_sound", "slices/foo_1", foo, **k)
    v.validate("slices/validate_with_previous", "slices/foo_2", foo, previous="slices/foo_1", **k)
    v.validate("slices/validate_slice_gone", "slices/foo_one_slice", foo, previous="slices/foo_2", **k)
    v.validate("slices/validate_slice_new", "slices/foo_2", foo, previous="slices/foo_one_slice", **k)
    v.validate("slices/validate_unknown_value_in_one_slice", "slices/foo_4", foo, **k)
    v.validate("slices/validate_drift_in_one_slice", "slices/foo_2", foo.replace("presence", "drift_comparator { infinity_norm { threshold: 0.3 } } presence"), previous="slices/foo_3", **k)
    v.validate("slices/validate_new_slice_with_comparator", "slices/foo_2", foo.replace("presence", "drift_comparator { infinity_norm { threshold: 0.3 } } presence"), previous="slices/foo_one_slice", **k)


# ---- single records ------------------------------------------------------------------------------------------------

def record_cases(v):
    small = {"num_values_histogram_buckets": 2, "num_histogram_buckets": 2, "num_quantiles_histogram_buckets": 2, "num_top_values": 3, "num_rank_histogram_buckets": 3}
    base = text(tfdv.infer_schema(copy(v.stats["example/first"][0])))
    v.records("records/second_against_schema_of_first", "example/second", base, options=small)
    v.records("records/none_anomalous", "example/first", base.replace("min_count: 1", "min_count: 0"), options=small)
    v.records("records/min_count_marks_records_without_the_feature", "example/first", base, options=small)
    v.records("records/domain", "data/half_present", feature("t", "BYTES", 'string_domain { value: "a" }'), options=small)
    v.records("records/counts", "counts/0_to_5_values", feature("x", "INT", "value_count { min: 1 max: 4 }"), options=small)
    v.records("records/nan", "numbers/nan", feature("x", "FLOAT", "float_domain { disallow_nan: true max: 4 }"), options=small)
    v.records("records/type", "data/ints_0_1", feature("x", "FLOAT"), options=small)
    v.records("records/ragged_pair", "counts/ragged_pair", feature("v", "FLOAT") + feature("n", "INT"), options=small)


def main():
    v = Vectors(OUT, "make/validation.py", sys.argv[2] if len(sys.argv) > 2 else "")
    for cases in (statistics_cases, schema_cases, anomaly_cases, drift_cases, record_cases):
        cases(v)
    v.save()


if __name__ == "__main__":
    main()

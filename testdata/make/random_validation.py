"""Random data sets and schemas through TensorFlow Data Validation, as vectors.

    TF_CPP_MIN_LOG_LEVEL=3 python random_validation.py OUT [--seed 1] [--cases 400] [--runs 140]
    TFPARSE_VECTORS=OUT go test -v ./internal/test/conformance

Each of --cases makes two data sets that have much in common, and a schema at random or a changed one of theirs: what
TFDV infers, updates and finds, with environments, controls and overrides, goes to OUT/validation/schema.jsonl and
anomalies.jsonl. Each of --runs is one run of generate_statistics on random records, with random options: statistics.jsonl,
slices.jsonl with what is found in slices, and of some records.jsonl with what is found in single records. A case is made from the seed and its number. Nothing of it is kept in the tree: what we answer otherwise
is mended, and becomes a case of validation.py. Needs tensorflow-data-validation; half a second a case,
three a run.
"""
import argparse
import os
import random

from validation import F, I, NO_KIND, S, Vectors, copy, ex, fill, in_child, schema_of, seq, stats_of, stats_options, text
import tensorflow as tf
import tensorflow_data_validation as tfdv
from tensorflow_data_validation.statistics import stats_impl
from tfx_bsl.coders import example_coder

NAMES = ["a", "b", "c", "d", "w", "é", "x.y"]
LABELS = ["a", "b", "c", "1", "2", "-7", "x y", "é", "", "3.5", "nan", "true", "2020-01-02", "http://a.b/c", "0", "long" * 30]
TYPES = {"I": "INT", "F": "FLOAT", "S": "BYTES"}
DECODER = example_coder.ExamplesToRecordBatchDecoder()


class Random(random.Random):
    """Numbers, labels and texts of the kind that data sets and schemas have."""

    def chance(self, p): return self.random() < p

    def some(self, *texts):
        """Each of the texts with even chances, and all that are taken in one."""
        return " ".join(t for t in texts if self.chance(.5))

    def count(self): return self.choice([0, 1, 2, 3, 5, 10, -1, 100])
    def fraction(self): return self.choice([0, .1, .25, .5, .75, .9, 1, .999])

    # -- records

    def values(self, kind, one=False):
        n = 1 if one else self.choice([0, 1, 1, 1, 1, 2, 3, 6])
        if kind == "I":
            m = self.choice([2, 5, 300, 2**40, 2**62])
            return I(*[self.choice([self.randrange(-m, m), self.randrange(m), self.randrange(3)]) for _ in range(n)])
        if kind == "F":
            rare = [float("nan"), float("inf"), -float("inf")]
            return F(*[self.choice(rare) if self.chance(.06) else self.choice([self.gauss(0, 1), self.gauss(0, 1e6), 0., 1., float(self.randrange(9))])
                       for _ in range(n)])
        return S(*[self.choice([self.choice(LABELS), str(self.randrange(12)), b"\xff\xfe" if self.chance(.1) else "q"]) for _ in range(n)])

    def examples(self):
        kinds = {n: self.choice("IFSSI") for n in NAMES if self.chance(.7)}
        present = {n: self.choice([1, 1, .9, .5]) for n in kinds}
        fixed = {n: self.chance(.4) for n in kinds}
        return [ex({n: self.values(k, fixed[n]) if self.chance(.97) else NO_KIND for n, k in kinds.items() if self.chance(present[n])})
                for _ in range(self.choice([0, 1, 2, 5, 20, 60]))]

    def sequences(self):
        context = {n: self.choice("IFS") for n in NAMES[:4] if self.chance(.6)}
        lists = {n: self.choice("IFS") for n in NAMES[:5] if self.chance(.6)}
        steps = lambda kind: [self.values(kind) for _ in range(self.choice([0, 1, 1, 2, 3]))]
        return [seq({n: self.values(k) for n, k in context.items() if self.chance(.9)}, {n: steps(k) for n, k in lists.items() if self.chance(.85)})
                for _ in range(self.choice([1, 3, 10, 40]))], context

    # -- schemas

    def comparator(self):
        return self.choice(["infinity_norm { threshold: %g }", "normalized_abs_difference { threshold: %g }",
                            "jensen_shannon_divergence { threshold: %g }", "jensen_shannon_divergence { threshold: %g source { type: QUANTILES } }",
                            "jensen_shannon_divergence { threshold: %g source { type: STANDARD } }"]) % self.choice([0, .001, .1, .3, .9])

    def labels(self, pool, most): return " ".join(f'value: "{x}"' for x in self.sample(pool, self.randrange(most)))

    def domain(self, type):
        domains = {
            "INT": ["int_domain { %s }" % self.some(f"min: {self.count()}", f"max: {self.count()}", "is_categorical: true"), "bool_domain { }"],
            "FLOAT": ["float_domain { %s }" % self.some(f"min: {self.count()}", f"max: {self.count() / 2:g}", "disallow_nan: true", "disallow_inf: true")],
            "BYTES": ["string_domain { %s }" % self.labels(["a", "b", "c", "1", "2", "q", "3"], 5), 'domain: "d1"', 'domain: "d2"',
                      "bool_domain { %s }" % self.some('true_value: "a"', 'false_value: "0"')],
            "": ['domain: "gone"', "natural_language_domain { }", "mid_domain { }", "url_domain { }", "struct_domain { }", "time_of_day_domain { }",
                 "image_domain { %s }" % self.some("max_image_byte_size: 10", "minimum_supported_image_fraction: 0.5"),
                 "time_domain { %s }" % self.choice(["", 'string_format: "%Y-%m-%d"', "integer_format: UNIX_SECONDS"])]}
        if self.chance(.3):
            return self.choice(sum(domains.values(), []))
        return self.choice(domains.get(type, [""]) + [""])

    def feature(self, name, kinds):
        type = TYPES.get(kinds.get(name)) or self.choice(["INT", "BYTES"])
        if self.chance(.12):
            type = self.choice(["INT", "FLOAT", "BYTES", "STRUCT", "", ""])
        bounds = lambda: self.some(f"min: {self.count()}", f"max: {self.count()}")
        more = [self.domain(type)]
        if self.chance(.6):
            more.append("presence { %s }" % self.some(f"min_fraction: {self.fraction():g}", f"min_count: {self.count()}"))
        elif self.chance(.1):
            more.append("group_presence { required: true }")
        r = self.random()
        if r < .2:
            more.append("shape { %s }" % " ".join("dim { %s }" % self.choice(["size: 1", "size: 2", "size: 1", ""]) for _ in range(self.randrange(3))))
        elif r < .5:
            more.append("value_count { %s }" % bounds())
        elif r < .6:
            more.append("value_counts { %s }" % " ".join("value_count { %s }" % bounds() for _ in range(self.randrange(3))))
        for p, t in ((.15, "lifecycle_stage: " + self.choice("PLANNED ALPHA BETA PRODUCTION DEPRECATED DEBUG_ONLY DISABLED UNKNOWN_STAGE".split())),
                     (.1, f'in_environment: "{self.choice("ABC")}"'), (.1, f'not_in_environment: "{self.choice("ABC")}"'), (.05, "deprecated: true"),
                     (.2, "distribution_constraints { %s }" % self.some(f"min_domain_mass: {self.fraction():g}")), (.2, "unique_constraints { %s }" % bounds()),
                     (.3, "drift_comparator { %s }" % self.comparator()), (.3, "skew_comparator { %s }" % self.comparator())):
            if self.chance(p):
                more.append(t)
        return f'feature {{ name: "{name}" {"type: " + type if type else ""} {" ".join(more)} }}\n'

    def schema(self, kinds):
        s = "".join(self.feature(n, kinds) for n in NAMES + ["new"] if self.chance(.7))
        if self.chance(.1):
            s += self.feature("a", kinds)
        for d in ("d1", "d2"):
            if self.chance(.8):
                s += 'string_domain { name: "%s" %s }\n' % (d, self.labels(["a", "b", "c", "1", "2", "q", "3", "4", "5"], 7))
        s += self.some('default_environment: "A"', 'default_environment: "B"')
        if self.chance(.3):
            s += "dataset_constraints { %s }\n" % self.some(
                f"min_examples_count: {self.count()}", f"max_examples_count: {self.count()}",
                "num_examples_drift_comparator { %s }" % self.some(f"min_fraction_threshold: {self.fraction():g}", f"max_fraction_threshold: {self.fraction() + .5:g}"),
                "num_examples_version_comparator { max_fraction_threshold: 1.1 }")
        name, stage = self.choice(["made", "a"]), self.choice(["", "lifecycle_stage: DEPRECATED"])
        if self.chance(.15):
            s += f'weighted_feature {{ name: "{name}" feature {{ step: "{self.choice(NAMES)}" }} weight_feature {{ step: "{self.choice(NAMES)}" }} {stage} }}\n'
        if self.chance(.15):
            index = " ".join(f'index_feature {{ name: "{self.choice(NAMES)}" }}' for _ in range(self.randrange(3)))
            s += f'sparse_feature {{ name: "{name}" value_feature {{ name: "{self.choice(NAMES)}" }} {index} {stage} }}\n'
        return s

    def changed(self, inferred, other):
        """A schema of the data, with parts of another."""
        mine = {f.name: f for f in inferred.feature}
        for f in other.feature:
            if f.name in mine and self.chance(.3):
                member = self.choice(["", "skew_comparator", "drift_comparator", "presence", "unique_constraints", "distribution_constraints"])
                if member:
                    getattr(mine[f.name], member).CopyFrom(getattr(f, member))
                else:
                    mine[f.name].CopyFrom(f)
        return text(inferred)

    # -- options

    def options(self):
        o = {}
        for _ in range(self.randrange(3)):
            name, values = self.choice([
                ("num_top_values", [1, 2, 50]), ("num_rank_histogram_buckets", [1, 2, 50]), ("num_values_histogram_buckets", [1, 2, 7]),
                ("num_histogram_buckets", [1, 3, 20]), ("num_quantiles_histogram_buckets", [1, 3, 20]), ("enable_semantic_domain_stats", [True]),
                ("desired_batch_size", [1, 3, 7]), ("frequency_threshold", [2, 3]), ("weighted_frequency_threshold", [1.5, 3.]),
                ("use_sketch_based_topk_uniques", [True]), ("infer_type_from_schema", [True]), ("no_histograms_for", [["a"], ["b", "c"]])])
            o[name] = self.choice(values)
        return o

    def plain_schema(self, kinds):
        """Types, categories and images, and features that are made of others."""
        domains = {"I": ["", "int_domain { is_categorical: true }", "bool_domain { }"], "F": ["", "float_domain { is_categorical: true }"],
                   "S": ["", "", "image_domain { }"]}
        s = "".join(f'feature {{ name: "{n}" type: {TYPES[k]} {self.choice(domains[k])} }}\n' for n, k in kinds.items())
        if len(kinds) > 2:
            x, y = self.sample(sorted(kinds), 2)
            s += self.choice(["", f'weighted_feature {{ name: "weighted" feature {{ step: "{x}" }} weight_feature {{ step: "{y}" }} }}\n',
                              f'sparse_feature {{ name: "sparse" value_feature {{ name: "{x}" }} index_feature {{ name: "{y}" }} }}\n'])
        return s


def kinds_of(records):
    kinds = {}
    for r in records:
        for name, f in tf.train.Example.FromString(r).features.feature.items():
            if f.WhichOneof("kind"):
                kinds.setdefault(name, {"int64_list": "I", "float_list": "F", "bytes_list": "S"}[f.WhichOneof("kind")])
    return kinds


def describe(records, options):
    """Statistics without Beam; of what TFDV refuses, those of three records of nothing."""
    try:
        return stats_impl.generate_statistics_in_memory(DECODER.DecodeBatch(records), stats_options(options)) if records else stats_of("datasets { }")
    except Exception:
        return stats_of("datasets { num_examples: 3 }")


def validation_case(v, r, name):
    first = r.examples()
    second = r.choice([r.examples(), [x for x in first if r.chance(.8)] + r.examples()[:5], first[::2], first])
    stats = [describe(x, {"enable_semantic_domain_stats": True} if r.chance(.2) else {"num_top_values": 3} if r.chance(.2) else {}) for x in (first, second)]
    a, b = map(text, stats)
    kinds = kinds_of(first)
    v.infer("infer/" + name, a, **r.choice([{}, {"infer_feature_shape": False}, {"max_string_domain_size": r.choice([0, 1, 3, 10])}]))
    schema = r.schema(kinds)
    if r.chance(.4):
        schema = r.changed(in_child(lambda: {"schema": tfdv.infer_schema(copy(r.choice(stats)))})["schema"], schema_of(schema))
    v.update("update/" + name, b, schema, **r.choice([{}, {"max_string_domain_size": r.choice([0, 1, 3, 10])}]))
    more = {}
    for p, key, value in ((.25, "environment", r.choice("ABC")), (.5, "previous", b), (.4, "serving", r.choice([a, b])), (.15, "previous_version", b),
                          (.1, "new_features_are_warnings", True),
                          (.1, "severity_overrides", {r.choice(["SCHEMA_NEW_COLUMN", "FEATURE_TYPE_NOT_PRESENT", "ENUM_TYPE_UNEXPECTED_STRING_VALUES",
                                                                "UNEXPECTED_DATA_TYPE"]): r.choice(["WARNING", "ERROR", "UNKNOWN"])})):
        if r.chance(p):
            more[key] = value
    v.validate("validate/" + name, a, schema, **more)


def statistics_case(v, r, name):
    options = r.options()
    if r.chance(.3):
        records, kinds = r.sequences()
        if r.chance(.2):
            options["schema"] = "".join(f'feature {{ name: "{n}" type: {TYPES[k]} {"int_domain { is_categorical: true }" if k == "I" else ""} }}\n'
                                        for n, k in kinds.items())
        return v.statistics("sequence/" + name, records=records, options=options, record_type="sequence_example")
    records = r.examples()
    if r.chance(.3):
        weighted = [tf.train.Example.FromString(x) for x in records]
        for e in weighted:
            e.features.feature["w"].Clear()
            fill(e.features.feature["w"], F(r.choice([0, .5, 1, 2, 3.25])) if r.chance(.99) else F(1, 2))
        records = [e.SerializeToString(deterministic=True) for e in weighted]
        options.update({"weight_feature": "w"} if r.chance(.7) else {"per_feature_weight_override": {r.choice(NAMES): "w"}})
    kinds = kinds_of(records)
    if r.chance(.3):
        options["schema"] = r.plain_schema({n: k for n, k in kinds.items() if n != "w"})
    if r.chance(.15):
        options["feature_allowlist"] = r.sample(NAMES, r.randrange(1, 4))
    file = "statistics"
    if r.chance(.2) and kinds:
        value = lambda n: r.choice([None, [r.choice(LABELS) if kinds[n] == "S" else r.randrange(3)]])
        by = r.sample(sorted(kinds), min(len(kinds), r.choice([1, 1, 2])))
        options["slices"] = [{n: value(n) for n in by}] if r.chance(.7) else [{n: value(n)} for n in by]
        file = "slices"
    v.statistics("example/" + name, records=records, options=options, file=file)
    if file == "slices" and v.stats["example/" + name][0] is not None:
        v.validate("slices/" + name, "example/" + name, r.schema(kinds), previous=r.choice([None, "example/" + name]), slices=True, file="slices")
    elif records and r.chance(.2):
        v.records("records/" + name, "example/" + name, r.schema(kinds), environment=None,
                  options={"num_values_histogram_buckets": 2, "num_histogram_buckets": 2, "num_quantiles_histogram_buckets": 2})


def main():
    args = argparse.ArgumentParser()
    args.add_argument("out")
    for name, default in (("--seed", 1), ("--cases", 400), ("--runs", 140)):
        args.add_argument(name, type=int, default=default)
    args = args.parse_args()
    v = Vectors(os.path.join(args.out, "validation"), f"make/random_validation.py --seed {args.seed} --cases {args.cases} --runs {args.runs}")
    for kind, case, count in (("case", validation_case, args.cases), ("run", statistics_case, args.runs)):
        for i in range(count):
            case(v, Random(f"{args.seed} {kind} {i}"), f"{kind}_{i}")
    v.save()


if __name__ == "__main__":
    main()

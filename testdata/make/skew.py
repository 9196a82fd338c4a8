"""Makes ../skew.jsonl.gz: what DetectFeatureSkew counts for pairs of data sets.

    TF_CPP_MIN_LOG_LEVEL=3 python skew.py ../skew.jsonl.gz      (TFDV 1.16.1; about six minutes)

A case has the records of both sides and the options, and expects the FeatureSkew of every feature by name, the
MatchStats, and how many pairs are skewed. A feature that is empty on one side and absent on the other makes a pair skewed, but
none of its features: skew_pairs_without_features counts these. Random cases follow --seed, 1 if absent.
"""
import argparse
import base64
import glob
import gzip
import json
import os
import random
import tempfile

import apache_beam as beam
import tensorflow as tf
from tensorflow_data_validation.skew import feature_skew_detector as skew
from tensorflow_data_validation.skew.protos import feature_skew_results_pb2 as pb

from validation import F, I, NO_KIND, S, ex

OUT = []
MESSAGES = {skew.SKEW_RESULTS_KEY: pb.FeatureSkew, skew.SKEW_PAIRS_KEY: pb.SkewPair, skew.MATCH_STATS_KEY: pb.MatchStats}


def run(base, test, options):
    with tempfile.TemporaryDirectory() as folder:
        p = beam.Pipeline()

        def examples(name, records):
            return p | name >> beam.Create(records, reshuffle=False) | name + "Parse" >> beam.Map(tf.train.Example.FromString)
        out = (examples("Base", base), examples("Test", test)) | skew.DetectFeatureSkewImpl(
            options["identifier_features"], options.get("features_to_ignore"), sample_size=10**6,
            float_round_ndigits=options.get("float_round_ndigits"), allow_duplicate_identifiers=options.get("allow_duplicate_identifiers", False))
        for key in MESSAGES:                          # results of a pipeline leave it through files
            out[key] | "Bytes" + key >> beam.Map(lambda m: m.SerializeToString()) | "Write" + key >> beam.io.WriteToTFRecord(os.path.join(folder, key))
        p.run().wait_until_finish()
        return {key: [message.FromString(r) for f in sorted(glob.glob(os.path.join(folder, key + "-*"))) for r in tf.compat.v1.io.tf_record_iterator(f)]
                for key, message in MESSAGES.items()}


def case(name, base, test, note="", **options):
    options = {"identifier_features": ["id"], **options}
    got = run(base, test, options)
    text = lambda records: [base64.b64encode(r).decode() for r in records]
    one = lambda m: {f.name: getattr(m, f.name) for f in m.DESCRIPTOR.fields}
    OUT.append({"name": name, "note": note, "base": text(base), "test": text(test), "options": options, "expect": {
        "skew_results": sorted((one(m) for m in got[skew.SKEW_RESULTS_KEY]), key=lambda m: m["feature_name"]),
        "match_stats": one(got[skew.MATCH_STATS_KEY][0]), "skew_pairs": sum(bool(m.mismatched_features or m.base_only_features or m.test_only_features) for m in got[skew.SKEW_PAIRS_KEY]),
        "skew_pairs_without_features": sum(not (m.mismatched_features or m.base_only_features or m.test_only_features) for m in got[skew.SKEW_PAIRS_KEY])}})
    print(name, flush=True)


def named():
    a = [ex(id=I(1), x=F(1.25), s=S("a")), ex(id=I(2), x=F(2), s=S("b")), ex(id=I(3), x=F(3))]
    case("same", a, a)
    case("order", a, a[::-1], "pairs are found wherever they stand")
    case("nothing", [], a)
    case("no pairs", a, [ex(id=I(7))])
    case("mismatch", a, [ex(id=I(1), x=F(1.5), s=S("a")), ex(id=I(2), x=F(2), s=S("c")), ex(id=I(3), x=F(3), s=S("d"))])
    case("only", a, [ex(id=I(1)), ex(id=I(2), x=F(2), s=S("b"), n=I(1)), ex(id=I(3), n=I(1))])
    case("kinds", [ex(id=I(1), x=I(1)), ex(id=I(2), x=S("1")), ex(id=I(3), x=I(1))], [ex(id=I(1), x=F(1)), ex(id=I(2), x=I(1)), ex(id=I(3), x=NO_KIND)], "other kinds do not match")
    empty = [ex(id=I(1), x=I()), ex(id=I(2), x=I()), ex(id=I(3), x=I()), ex(id=I(4), x=I(1)), ex(id=I(5)), ex(id=I(6), x=NO_KIND), ex(id=I(7), x=NO_KIND)]
    case("empty", empty, [ex(id=I(1), x=I()), ex(id=I(2)), ex(id=I(3), x=F()), ex(id=I(4), x=I()), ex(id=I(5)), ex(id=I(6)), ex(id=I(7), x=I())], "empty on both sides matches; empty and absent is counted nowhere")
    case("length", [ex(id=I(1), x=I(1, 2))], [ex(id=I(1), x=I(1, 2, 2))])
    floats = lambda *v: [ex(id=I(n), x=F(f)) for n, f in enumerate(v)]
    case("digits none", floats(0.1, 1.004, 2.5, 3.5), floats(0.10000001, 1.0, 2.5, 3.4999), "by their bits")
    for digits in (0, 1, 2, 5):
        case("digits %d" % digits, floats(0.1, 1.004, 0.125, 2.5, 3.5, -0.04, 1e30, 0.375, 16777216, 0.15), floats(0.10000001, 1.0, 0.12, 2.0, 4.0, 0.04, 1.0000001e30, 0.38, 16777217, 0.2),
             "halves to even, -0 is not 0", float_round_ndigits=digits)
    case("nan", floats(float("nan"), float("inf"), -0.0, float("nan")), floats(float("nan"), float("inf"), 0.0, 1.0))
    case("nan digits", floats(float("nan"), float("inf"), -0.0, float("-inf")), floats(float("nan"), float("inf"), 0.0, float("inf")), float_round_ndigits=2)
    keys = [ex(id=F(1.004), x=I(1)), ex(id=F(2), x=I(2))]
    case("float keys", keys, [ex(id=F(1.0), x=I(1)), ex(id=F(2), x=I(3))])
    case("float keys digits", keys, [ex(id=F(1.0), x=I(1)), ex(id=F(2), x=I(3))], float_round_ndigits=2)
    case("missing", [ex(id=I(1)), ex(x=I(1)), ex(id=I()), ex(id=NO_KIND)], [ex(id=I(1)), ex(y=I(2))], "records without the key")
    case("two keys", [ex(id=I(1), d=S("a"), x=I(1)), ex(id=I(1), d=S("b"), x=I(1)), ex(id=I(1), x=I(1))], [ex(id=I(1), d=S("b"), x=I(2)), ex(id=I(1), d=S("a"), x=I(1))],
         identifier_features=["id", "d"])
    case("ignore", a, [ex(id=I(1), x=F(9), s=S("z"))], features_to_ignore=["x"])
    double = [ex(id=I(1), x=I(1)), ex(id=I(1), x=I(2)), ex(id=I(2), x=I(1)), ex(id=I(3), x=I(1)), ex(id=I(3), x=I(1))]
    other = [ex(id=I(1), x=I(1)), ex(id=I(2), x=I(1)), ex(id=I(2), x=I(3)), ex(id=I(3), x=I(1)), ex(id=I(3), x=I(1)), ex(id=I(4)), ex(id=I(4))]
    case("duplicates", double, other, "keys that occur more than once are left out")
    case("duplicates allowed", double, other, allow_duplicate_identifiers=True)


def value(r):
    kind = r.randrange(8)
    n = r.choice([0, 1, 1, 1, 2, 3])
    if kind == 0:
        return NO_KIND
    if kind <= 2:
        return I(*[r.choice([0, 1, -1, 1 << 40]) for _ in range(n)])
    if kind <= 5:
        return F(*[r.choice([0.5, 0.25, 1.005, 2.675, -0.001, 3.0]) + r.choice([0, 0, 0.004, 1e-7]) for _ in range(n)])
    return S(*[r.choice(["a", "b", b"\xff", ""]) for _ in range(n)])


def record(r, keys):
    e = {name: value(r) for name in "pqrs" if r.random() < 0.8}
    if r.random() < 0.9:
        e["id"] = I(r.randrange(keys))
    if r.random() < 0.9:
        e["day"] = S(r.choice(["mon", "tue"]))
    return e


def rounds(seed, n):
    for i in range(n):
        r = random.Random(seed * 1000 + i)
        keys = r.choice([5, 20, 200])
        base = [record(r, keys) for _ in range(r.randrange(40))]
        test = []
        for e in base:                                # most of them are found again, some with changes
            e = dict(e)
            for name in list(e):
                if r.random() < 0.15:
                    e[name] = value(r) if name not in ("id", "day") else e[name]
                elif r.random() < 0.05:
                    del e[name]
            if r.random() < 0.9:
                test.append(e)
        test += [record(r, keys) for _ in range(r.randrange(8))]
        r.shuffle(test)
        options = {"identifier_features": r.choice([["id"], ["id", "day"]]), "allow_duplicate_identifiers": r.random() < 0.5}
        if r.random() < 0.6:
            options["float_round_ndigits"] = r.randrange(4)
        if r.random() < 0.3:
            options["features_to_ignore"] = ["q"]
        case("random %d" % i, [ex(**e) for e in base], [ex(**e) for e in test], **options)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("out")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--rounds", type=int, default=30)
    a = p.parse_args()
    named()
    rounds(a.seed, a.rounds)
    with gzip.GzipFile(a.out, "wb", 9, mtime=0) as f:
        for c in OUT:
            f.write((json.dumps(c, sort_keys=True) + "\n").encode())


if __name__ == "__main__":
    main()

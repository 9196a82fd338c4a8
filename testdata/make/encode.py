"""Makes ../vectors/encode/encode.jsonl: what TensorFlow reads from records that we encoded.

    go run encode_cases.go >CASES
    TF_CPP_MIN_LOG_LEVEL=3 python encode.py CASES [--out ../vectors/encode]

A case is one of the family parse: specs and records in, TensorFlow's columns out. All must be accepted.
"""
import argparse
import json
import os

import parse
import values

ap = argparse.ArgumentParser()
ap.add_argument("cases")
ap.add_argument("--out", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "vectors", "encode"))
a = ap.parse_args()
with open(a.cases) as f:
    cases = [json.loads(line) for line in f]
for c in cases:
    c.update(parse.outcome(c))
refused = [(c["name"], c["error"]["message"], c["spec"]) for c in cases if "error" in c]
assert not refused, refused
os.makedirs(a.out, exist_ok=True)
values.write(os.path.join(a.out, "encode.jsonl"), "encode", "make/encode.py", cases)
print("%d cases" % len(cases))

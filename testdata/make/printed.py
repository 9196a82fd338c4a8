"""TensorFlow runs the Python that specs are printed as; makes ../spec/python.jsonl.

    TF_CPP_MIN_LOG_LEVEL=3 python printed.py [--every N] [--out OUT]

Specs come from ../vectors/parse (every Nth that TensorFlow accepts; there its tensors must be those of the vector), from the
same specs as the examples of ExampleListWithContext records made of the same records, and from the files in the folder above.
print_spec.go prints them. A case is the spec, the text, the records, and what parse(records) of the text returns.

Needs tensorflow and Go. The exit code is 1 if a vector and the printed Python do not agree.
"""
import argparse
import base64
import glob
import gzip
import json
import os
import random
import subprocess
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
import tensorflow as tf

import values

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = {
    "recipes": {"features": {
        "title": {"fixed_len": {"dtype": "string", "shape": []}},
        "rating": {"fixed_len": {"dtype": "float32", "shape": [], "default": [0.1]}},
        "source": {"fixed_len": {"dtype": "string", "shape": [], "default": ["it's \"new\"\\\n\u00e9"]}},
        "tags": {"var_len": {"dtype": "string"}},
        "amounts": {"ragged": {"dtype": "float32", "value_key": "ingredients/amount", "partitions": []}},
        "allergens": {"ragged": {"dtype": "string", "value_key": "allergens/words", "partitions": [{"row_lengths": "allergens/lengths"}]}},
        "steps": {"ragged": {"dtype": "string", "value_key": "steps/words", "partitions": [{"row_splits": "sections/splits"}, {"row_lengths": "steps/lengths"}]}}}},
    "sessions": {"context": {
        "user": {"fixed_len": {"dtype": "string", "shape": []}},
        "start": {"var_len": {"dtype": "int64"}}}, "sequence": {
        "page": {"fixed_len_sequence": {"dtype": "string", "shape": []}},
        "seconds": {"fixed_len_sequence": {"dtype": "float32", "shape": [1], "allow_missing": True}},
        "query": {"ragged": {"dtype": "string", "partitions": []}}}},
    "ranking": {"context": {
        "query": {"ragged": {"dtype": "string", "partitions": []}},
        "shown": {"fixed_len": {"dtype": "int64", "shape": []}}}, "examples": {
        "page": {"var_len": {"dtype": "string"}},
        "clicked": {"fixed_len": {"dtype": "int64", "shape": [1]}},
        "score": {"fixed_len_sequence": {"dtype": "float32", "shape": []}}}},
}


def lines(name):
    with (gzip.open(name, "rt", encoding="utf-8") if name.endswith(".gz") else open(name, encoding="utf-8")) as f:
        return [json.loads(line) for line in f]


def from_vectors(every):
    """(name, spec, records, expected or None)"""
    rng = random.Random(1)
    seen, n = set(), 0
    for path in sorted(glob.glob(os.path.join(HERE, "..", "vectors", "parse", "*.jsonl*"))):
        for c in lines(path)[1:]:
            key = json.dumps(c["spec"], sort_keys=True)
            if c["call"] not in ("parse_example", "parse_sequence_example") or "expect" not in c or "ours" in c or key in seen:
                continue
            seen.add(key)
            n += 1
            if n % every:
                continue
            yield c["name"], c["spec"], c["records"], c["expect"]
            if "features" in c["spec"] and c["records"]:
                records, rest = [], [base64.b64decode(r) for r in c["records"]]
                context = rest[0]
                while rest:
                    k = rng.randint(0, 3)
                    records.append(base64.b64encode(b"".join(field(1, r) for r in rest[:k]) + field(2, context)).decode())
                    rest = rest[k:]
                spec = {"context": c["spec"]["features"], "examples": c["spec"]["features"]}
                yield "lists: " + c["name"], spec, records, None


def field(number, body):
    n, length = len(body), b""
    while n >= 0x80:
        length += bytes([n & 0x7f | 0x80])
        n >>= 7
    return bytes([number << 3 | 2]) + length + bytes([n]) + body


def from_files():
    for name, spec in FILES.items():
        records = [r.numpy() for r in tf.data.TFRecordDataset(os.path.join(HERE, "..", name + ".tfrecord"), "GZIP" if name == "sessions" else "")]
        yield name + ".tfrecord", spec, [base64.b64encode(r).decode() for r in records], None


def from_bytes():
    """Names and keys that are not UTF-8, which TensorFlow's own messages cannot hold."""
    ints = lambda *v: field(3, field(1, bytes(v)))
    entry = lambda key, feature: field(1, field(1, key) + field(2, feature))
    record = field(1, entry(b"\xff", ints(1, 2, 3)) + entry(b"len\xfe", ints(1, 2)) + entry(b"\"q\\\n\xc3\xa9", ints(7)) + entry(b"i\xfd", ints(0, 2, 4)))
    b64 = lambda b: "b64:" + base64.b64encode(b).decode()
    yield "names that are not UTF-8", {"features": {
        b64(b"\xfb"): {"ragged": {"dtype": "int64", "value_key": b64(b"\xff"), "partitions": [{"row_lengths": b64(b"len\xfe")}]}},
        "\"q\\\n\u00e9": {"fixed_len": {"dtype": "int64", "shape": []}}}}, [base64.b64encode(record).decode()], None
    yield "sparse keys that are not UTF-8", {"features": {
        "s": {"sparse": {"dtype": "int64", "value_key": b64(b"\xff"), "index_key": [b64(b"i\xfd")], "size": [5]}}}}, [base64.b64encode(record).decode()], None


def name_of(key):
    """A name as Spec JSON has it."""
    if isinstance(key, str):
        return key
    try:
        return key.decode()
    except UnicodeDecodeError:
        return "b64:" + base64.b64encode(key).decode()


def tensors(columns):
    names = {name_of(k): v for k, v in columns.items()}
    return {name: values.encode(v) for name, v in sorted(names.items())}


def run(text, spec, records):
    """What the printed module makes of the records, in the form of a vector."""
    module = {}
    exec(compile(text, "printed", "exec"), module)
    got = module["parse"](tf.constant([base64.b64decode(r) for r in records], tf.string))
    if "features" in spec:
        return {"columns": tensors(got)}
    if "examples" in spec:
        return {"context": tensors(got[0]), "examples": tensors(got[1])}
    return {k: tensors(v) for k, v in zip(("context", "sequence", "lengths"), got)}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--every", type=int, default=11)
    p.add_argument("--out", default=os.path.join(HERE, "..", "spec"))
    args = p.parse_args()
    found = list(from_vectors(args.every)) + list(from_files()) + list(from_bytes())
    out = subprocess.run(["go", "run", os.path.join(HERE, "print_spec.go")], cwd=HERE, check=True, stdout=subprocess.PIPE,
                         input="\n".join(json.dumps(spec) for _, spec, _, _ in found).encode()).stdout
    texts = [json.loads(line) for line in out.splitlines()]
    assert len(texts) == len(found)
    cases, failed = [], 0
    for (name, spec, records, expected), text in zip(found, texts):
        try:
            got = run(text, spec, records)
        except Exception as e:
            if expected is not None or not name.startswith("lists: "):
                print("fails: %s: %s\n%s" % (name, e, text))
                failed += 1
            continue                # a list without examples misses what the vector's batch had
        if expected is not None and json.loads(json.dumps(got)) != expected:
            print("differs: %s\n%s\nwant %s\ngot  %s" % (name, text, json.dumps(expected, sort_keys=True), json.dumps(got, sort_keys=True)))
            failed += 1
            continue
        cases.append({"name": name, "tags": [], "spec": spec, "python": text, "records": records, "expect": got})
    print("%d specs, %d failed" % (len(cases), failed))
    values.write(os.path.join(args.out, "python.jsonl"), "spec", "make/printed.py --every %d" % args.every, cases)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

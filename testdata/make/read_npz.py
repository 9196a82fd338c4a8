"""Reads archives of tfparse export with NumPy and Awkward Array; makes read_npz.txt.

    python read_npz.py

The values must be those that `tfparse cat` prints of the same records, which other tests compare with TensorFlow. They are read with the
form of Awkward Array, and with NumPy alone by row splits and offsets. Needs the packages numpy and awkward, and Go. The exit code is 1 if
a value differs.
"""
import base64
import json
import os
import platform
import subprocess
import sys
import tempfile

import awkward as ak
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
DATA = os.path.join(ROOT, "testdata")


def tfparse(*args, stdin=b""):
    return subprocess.run([PROGRAM, *args], input=stdin, check=True, stdout=subprocess.PIPE).stdout


def same(ours, theirs):
    """Compares a value of Awkward Array with one of cat, which prints floats with the digits of float32."""
    if isinstance(theirs, dict) and "b64" in theirs:
        return ours == base64.b64decode(theirs["b64"])
    if isinstance(theirs, dict) and "indices" in theirs:
        return same([o["indices"] for o in ours], theirs["indices"]) and same([o["values"] for o in ours], theirs["values"])
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, str):
        if isinstance(ours, float):
            return theirs == {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(ours)]
        return ours == theirs.encode()
    if isinstance(theirs, float):
        return np.float32(ours) == np.float32(theirs)
    return ours == theirs


def flat(row):
    """The columns of a row, whose context, steps and examples cat prints as objects."""
    if not row.keys() <= {"context", "sequence", "examples"}:
        return row
    examples = row.get("examples", [])
    names = {name for example in examples for name in example}
    return {**row.get("context", {}), **row.get("sequence", {}), **{name: [example[name] for example in examples] for name in names}}


def unnest(z, name, axes, strings):
    """Returns the values of a ragged column as nested lists, with NumPy alone."""
    values = z[name]
    if strings:
        offsets = z[name + "/offsets"]
        items = [values[a:b].tobytes() for a, b in zip(offsets, offsets[1:])]
    else:
        items = values.tolist()
    for i in reversed(range(axes)):
        splits = z[f"{name}/row_splits_{i}"]
        items = [items[a:b] for a, b in zip(splits, splits[1:])]
    return items


def read(file, spec, out):
    """Exports a file, and compares the archive with the output of cat."""
    flags = ["--spec", spec] if spec else []
    archive = os.path.join(out, "x.npz")
    tfparse("export", *flags, file, "-o", archive)
    rows = [flat(json.loads(line)) for line in tfparse("cat", *flags, file).splitlines()]
    z = np.load(archive)
    n = int(z["_rows"])
    array = ak.from_buffers(str(z["_form"]), n, z, buffer_key="{form_key}")
    got = array.to_list()
    if spec:  # a row without examples does not name their columns
        rows = [{**dict.fromkeys(array.fields, []), **row} for row in rows]
    else:  # an absent feature and one without a kind are the same
        rows = [{k: v for k, v in row.items() if v is not None} for row in rows]
        got = [{k: v for k, v in row.items() if v is not None} for row in got]
    if n != len(rows) or not ak.is_valid(array):
        return None, f"{n} rows, want {len(rows)}"
    for i, (ours, theirs) in enumerate(zip(got, rows)):
        for name in ours.keys() | theirs.keys():
            if name not in ours or name not in theirs or not same(ours[name], theirs[name]):
                return None, f"row {i}: {name}: {ours.get(name)!r}, want {theirs.get(name)!r}"
    return z, f"{n} rows, {len(array.fields)} columns, {len(z.files)} arrays: the same values"


def main():
    global PROGRAM
    lines = ["Archives that tfparse export writes, read by NumPy and Awkward Array; made by testdata/make/read_npz.py",
             f"numpy {np.__version__}, awkward {ak.__version__}, python {platform.python_version()}, {sys.platform}"]
    failed = False
    with tempfile.TemporaryDirectory() as out:
        PROGRAM = os.path.join(out, "tfparse")
        subprocess.run(["go", "build", "-o", PROGRAM, "./cmd/tfparse"], cwd=ROOT, check=True)
        kinds = os.path.join(out, "kinds.tfrecord")
        tfparse("encode", "-o", kinds, stdin="\n".join(KINDS).encode())
        kinds_spec = os.path.join(out, "kinds.json")
        with open(kinds_spec, "w") as f:
            f.write(KINDS_SPEC)
        for name, file, spec in [("recipes", "recipes.tfrecord", None), ("recipes by a spec", "recipes.tfrecord", "recipes.spec.json"),
                                 ("sessions by a spec", "sessions.tfrecord", "sessions.spec.json"),
                                 ("ranking by a spec", "ranking.tfrecord", "ranking.spec.json"),
                                 ("every kind of feature", kinds, None), ("every kind of feature by a spec", kinds, kinds_spec)]:
            z, text = read(os.path.join(DATA, file), spec and os.path.join(DATA, spec), out)
            lines.append(f"{name}: {text}")
            failed |= z is None
            if name == "recipes by a spec":
                steps = [row["steps"] for row in map(json.loads, tfparse("cat", "--spec", os.path.join(DATA, spec), os.path.join(DATA, file)).splitlines())]
                ok = z is not None and same(unnest(z, "steps", 3, True), steps)
                lines.append("steps of recipes by three row splits and offsets: " + ("the same values" if ok else "other values"))
                failed |= not ok
    text = "\n".join(lines) + "\n"
    print(text, end="")
    with open(os.path.join(HERE, "read_npz.txt"), "w") as f:
        f.write(text)
    return 1 if failed else 0


# Absent and empty lists, NaN, infinities, bytes that are not text, and every kind of feature.
KINDS = [
    '{"i":[1],"m":[1,2,3,4],"f":[1.5,"NaN","Infinity"],"s":["a",""],"q":[1,2,3,4],"x":[3,0],"v":["c","b"],"w":["x","y","z"],"l":[2,0,1],"u":[1,0],"d":["\\u0001\\u0000\\u0002\\u0000"]}',
    '{"i":[-9223372036854775808],"m":[5,6,7,8],"f":[],"s":[],"q":[],"x":[],"v":[],"w":[],"l":[],"u":[],"d":[""]}',
    '{"i":[3],"m":[0,0,0,0],"f":["-Infinity",0.1],"s":[{"b64":"/wA="}],"q":[5,6],"x":[1],"v":["a"],"w":["é"],"l":[1],"u":[0,1,0,0],"d":[{"b64":"//8="}]}',
    '{"i":[4],"m":[1,1,1,1],"d":["ab"]}',
]
KINDS_SPEC = """{"features":{
"i":{"fixed_len":{"dtype":"int64","shape":[]}},
"m":{"fixed_len":{"dtype":"int64","shape":[2,2]}},
"f":{"var_len":{"dtype":"float32"}},
"s":{"var_len":{"dtype":"string"}},
"q":{"fixed_len_sequence":{"dtype":"int64","shape":[2],"allow_missing":true}},
"sparse":{"sparse":{"dtype":"string","index_key":["x"],"value_key":"v","size":[4]}},
"lengths":{"ragged":{"dtype":"string","value_key":"w","partitions":[{"row_lengths":"l"}]}},
"middle":{"ragged":{"dtype":"int64","value_key":"l","partitions":[{"uniform_row_length":1},{"uniform_row_length":1}]}},
"uniform":{"ragged":{"dtype":"string","value_key":"w","partitions":[{"uniform_row_length":1},{"row_lengths":"l"}]}},
"d":{"fixed_len":{"dtype":"string","shape":[],"decode_raw":"int16"}}}}"""

if __name__ == "__main__":
    sys.exit(main())

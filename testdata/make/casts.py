"""Makes ../models/casts.jsonl: values that tf.cast converts, and which of them are the same number afterwards.

    python casts.py

A line is a type: the values, and for each type that they are cast to those of tf.cast, as little-endian bytes in base64, and for each a letter: e, the
same number; r, a float rounded to one next to it; o, out of range. The letters are found with exact fractions. bool has 0 and 1.

Needs tensorflow-cpu.
"""
import base64
import fractions
import json
import math
import os
import random

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
import numpy as np
import tensorflow as tf

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models", "casts.jsonl")
INTEGERS = ["int32", "int16", "int8", "uint8", "uint16", "uint32", "uint64", "bool"]
FLOATS = ["float64", "float16", "bfloat16"]


def ints(r):
    edges = {s * (1 << k) + d for k in range(64) for s in (1, -1) for d in (-1, 0, 1)} | {0, 65504, 65519, 65520, 65535, 2049, 257, 258, 259}
    edges |= {r.getrandbits(r.randrange(1, 64)) * r.choice([1, -1]) for _ in range(200)}
    return np.array(sorted(v for v in edges if -1 << 63 <= v < 1 << 63), np.int64)


def floats(r):
    bits = [r.getrandbits(32) for _ in range(150)]                                              # any
    bits += [r.getrandbits(16) << 16 for _ in range(100)]                                       # of bfloat16
    bits += [(r.getrandbits(1) << 31) + ((112 + r.randrange(-26, 34)) << 23) + (r.getrandbits(12) << 11) for _ in range(300)]  # near float16, some half way
    values = np.concatenate([np.array(bits, np.uint32).view(np.float32),
                             np.array([0.0, -0.0, 1, 0.1, 65504, 65519, 65519.996, 65520, -65520, 3.3895314e38, 3.4e38, 2**-24, 2**-25, 2**-25 * 1.0001, 3 * 2**-25,
                                       2**-14, 2**-14 - 2**-25, math.inf, -math.inf, math.nan], np.float32)])
    return values[~((np.abs(values) < 2**-126) & (values != 0))]  # tf.cast takes those for 0


def letter(v, w, to):
    if isinstance(v, float) and math.isnan(v):
        return "e" if math.isnan(w) else "o"
    if isinstance(w, float) and math.isinf(w):
        return "e" if v == w else "o"
    if isinstance(v, float) and math.isinf(v) or to == "uint64" and v < 0:
        return "o"
    if fractions.Fraction(v) == fractions.Fraction(w):
        return "e" if not isinstance(v, float) or math.copysign(1, v) == math.copysign(1, w) else "o"
    return "r" if to in FLOATS + ["float32"] else "o"


def main():
    r = random.Random(1)
    with open(OUT, "w") as f:
        for values, targets in ((ints(r), INTEGERS + FLOATS + ["float32"]), (floats(r), FLOATS)):
            line = {"from": values.dtype.name, "values": base64.b64encode(values.tobytes()).decode(), "casts": []}
            for to in targets:
                cast = tf.cast(values, to).numpy()
                wide = [float(w) if to in FLOATS + ["float32"] else int(w) for w in cast]
                letters = "".join(letter(v, w, to) for v, w in zip(values.tolist(), wide))
                line["casts"].append({"to": to, "bytes": base64.b64encode(cast.tobytes()).decode(), "fit": letters})
                print({k: letters.count(k) for k in "ero"}, values.dtype.name, to)
            f.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()

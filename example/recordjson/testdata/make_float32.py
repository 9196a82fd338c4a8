"""Writes float32.txt: float32 bits and their text.

The digits are numpy's shortest digits that are read to the same float32. The form
is that of Python's repr of a float.

    python make_float32.py > float32.txt
"""

import random
import struct

import numpy as np


def text(bits):
    value = np.frombuffer(struct.pack("<I", bits), dtype="<f4")[0]
    return repr(float(np.format_float_scientific(value, unique=True)))


def main():
    rng = random.Random(1)
    edges = {0, 1, 2, 3, 0x007FFFFF, 0x00800000, 0x00800001, 0x7F7FFFFF, 0x3F800000}
    for x in ["1e-5", "1e-4", "1e-3", "0.1", "0.2", "0.3", "1.5", "100", "1e6", "1e7", "16777215", "16777216",
              "16777218", "123456789", "1e15", "9.999999e15", "1e16", "3e20", "1e21", "1e38", "1e-45", "1e-38",
              "3.4028235e38", "2.7182817", "3.1415927", "8388608", "8388608.5", "33554432", "9e9", "2e-44"]:
        bits = struct.unpack("<I", struct.pack("<f", np.float32(x)))[0]
        edges |= {bits - 1, bits, bits + 1}
    edges |= {e << 23 for e in range(0, 255)}  # powers of two: the neighbours have different distances
    edges |= {(e << 23) - 1 for e in range(1, 255)}
    cases = sorted(b for b in edges if 0 <= b < 0x7F800000)
    cases += [0x80000000 | b for b in cases[:20]]
    cases += [b for b in (rng.getrandbits(32) for _ in range(600)) if b & 0x7F800000 != 0x7F800000]
    cases += [struct.unpack("<I", struct.pack("<f", rng.uniform(-1000, 1000)))[0] for _ in range(400)]
    print("# float32 bits, text; numpy %s, make_float32.py" % np.__version__)
    for bits in cases:
        print("%08x %s" % (bits, text(bits)))


main()

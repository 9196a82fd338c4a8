"""Makes the small files in this folder, and damage.txt: the outcome for each file if it is truncated at any byte, or if any single bit is flipped.

    TF_CPP_MIN_LOG_LEVEL=3 python damage.py

TensorFlow writes the files, and zstd(1) those with zstd. The outcomes are from the strict reader of
../../testdata/make/container.py, which decompresses with zlib, and from zstd(1), not from this package.

damage.txt, for each file:

    file NAME CODEC SIZE RECORDS
    cut   outcome of the first 0, 1, … SIZE bytes
    flip I   outcome with bit 0, 1, … 7 of byte I flipped

An outcome is a letter and the number of records before the fault: T truncated, L length_crc, P payload_crc,
X too_long, C codec, E a clean end. "bad" is any fault, for a codec whose faults are not distinguished.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "testdata", "make"))
from container import TWO, decode, flip, frame, stream, tf_write  # noqa: E402

FIVE = [b"first", b"second record", b"", b"the fourth", b"last, and it is the longest of them: " + bytes(range(40))]
LETTER = {None: "E", "truncated": "T", "length_crc": "L", "payload_crc": "P", "too_long": "X", "codec": "C"}


def zstd(b, *args):
    p = subprocess.run(["zstd", "-q", "-c", *args], input=b, capture_output=True)
    return p.stdout, p.returncode


def outcome(b, codec, payloads):
    if codec == "zstd":
        raw, code = zstd(b, "-d") if b else (b"", 0)
        if code:
            return "bad"
        fault = None
    else:
        raw, fault = decode(b, codec)
    got, kind, _ = frame(raw, fault)
    assert got == payloads[:len(got)]
    return LETTER[kind] + str(len(got))


def main():
    with open(os.path.join(HERE, "damage.txt"), "w") as out:
        for name, payloads in (("two", TWO), ("five", FIVE)):
            for codec, ext in (("", "none"), ("GZIP", "gzip"), ("ZLIB", "zlib"), ("SNAPPY", "snappy"), ("zstd", "zstd")):
                b = zstd(stream(payloads))[0] if codec == "zstd" else tf_write(payloads, codec)
                with open(os.path.join(HERE, f"{name}.{ext}.tfrecord"), "wb") as f:
                    f.write(b)
                print("file", f"{name}.{ext}.tfrecord", ext, len(b), len(payloads), file=out)
                print("cut", *[outcome(b[:n], codec, payloads) for n in range(len(b) + 1)], file=out)
                for i in range(len(b)):
                    print("flip", i, *[outcome(flip(b, i, k), codec, payloads) for k in range(8)], file=out)


if __name__ == "__main__":
    main()

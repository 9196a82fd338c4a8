"""Makes ../vectors/container/container.jsonl and the files beside it: TFRecord containers, good and bad, and what becomes of them.

    TF_CPP_MIN_LOG_LEVEL=3 python container.py [OUT]

Every case is read by tf.data.TFRecordDataset and by TensorFlow's record iterator, which must agree. `strict` below is
the reader that we require: what it says goes into `ours` wherever it says more than TensorFlow does.
Deterministic; removes the vectors that lie in OUT first. Needs tensorflow and gzip(1).
"""
import base64
import bz2
import gzip
import hashlib
import io
import json
import lzma
import os
import random
import signal
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.normpath(os.path.join(HERE, "..", "vectors", "container"))
INLINE = 600                     # longer files lie beside the vectors
LIMIT = 2**31 - 1                # default limit on a payload
BLOCK = 262144                   # TensorFlow's snappy reader takes no bigger block

# ---------------------------------------------------------------- the format, from its description

TABLE = []
for i in range(256):
    for _ in range(8):
        i = i >> 1 ^ (0x82F63B78 if i & 1 else 0)
    TABLE.append(i)


def masked_crc(b):
    c = 0xFFFFFFFF
    for x in b:
        c = TABLE[(c ^ x) & 255] ^ c >> 8
    c ^= 0xFFFFFFFF
    return ((c >> 15 | c << 17) + 0xA282EAD8) & 0xFFFFFFFF


def header(n):
    b = struct.pack("<Q", n)
    return b + struct.pack("<I", masked_crc(b))


def record(p):
    return header(len(p)) + p + struct.pack("<I", masked_crc(p))


def stream(payloads):
    return b"".join(map(record, payloads))


def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def snappy_literal(b):
    """A raw snappy block without any copies."""
    out = varint(len(b))
    for i in range(0, len(b), 65536):
        part = b[i:i + 65536]
        n = len(part) - 1
        out += (bytes([n << 2]) if n < 60 else b"\xf4" + struct.pack("<H", n)) + part
    return out


def block(b):
    c = snappy_literal(b)
    return struct.pack(">I", len(c)) + c


def blocks(raw, *sizes):
    out, i = b"", 0
    for n in sizes:
        out, i = out + block(raw[i:i + n]), i + n
    assert i == len(raw)
    return out


def deflate(raw, level=6, wbits=15, mem=8):
    c = zlib.compressobj(level, zlib.DEFLATED, wbits, mem)
    return c.compress(raw) + c.flush()


def gz(raw, **kw):
    return deflate(raw, wbits=31, **kw)


def gzip_header(flags, mtime=0, xfl=0, system=3, extra=None, name=None, comment=None):
    h = b"\x1f\x8b\x08" + bytes([flags]) + struct.pack("<I", mtime) + bytes([xfl, system])
    h += struct.pack("<H", len(extra)) + extra if extra is not None else b""
    h += name + b"\0" if name is not None else b""
    h += comment + b"\0" if comment is not None else b""
    return h + struct.pack("<H", zlib.crc32(h) & 0xFFFF) if flags & 2 else h


def gzip_trailer(raw):
    return struct.pack("<II", zlib.crc32(raw), len(raw) & 0xFFFFFFFF)


# ---------------------------------------------------------------- the reader that we require

class Fault(Exception):
    def __init__(self, kind):
        self.kind = kind


def inflate(b, wbits):
    """(bytes, None | 'truncated' | 'codec'): any number of members or streams; zero padding after the last is no fault."""
    out = b""
    while b.strip(b"\0"):
        d, i = zlib.decompressobj(wbits), 0
        try:
            while i < len(b) and not d.eof:
                step = 1 if len(b) < 8192 else 64
                out, i = out + d.decompress(b[i:i + step]), i + step
        except zlib.error:
            return out, "codec"
        if not d.eof:
            return out, "truncated"
        b = d.unused_data + b[i:]
    return out, None


def unsnappy(b):
    """One raw snappy block."""
    i = n = shift = 0
    while True:
        if i >= len(b) or shift > 28:
            raise Fault("codec")
        n, shift, i = n | (b[i] & 127) << shift, shift + 7, i + 1
        if b[i - 1] < 128:
            break
    out = bytearray()
    while i < len(b):
        tag, i = b[i], i + 1
        if tag & 3 == 0:
            size, more = tag >> 2, max(0, (tag >> 2) - 59)
            if more:
                size = int.from_bytes(b[i:i + more], "little")
            part = b[i + more:i + more + size + 1]
            if len(part) != size + 1:
                raise Fault("codec")
            out, i = out + part, i + more + size + 1
            continue
        more = {1: 1, 2: 2, 3: 4}[tag & 3]
        if i + more > len(b):
            raise Fault("codec")
        off = int.from_bytes(b[i:i + more], "little") | ((tag >> 5) << 8 if more == 1 else 0)
        size, i = ((tag >> 2 & 7) + 4 if more == 1 else (tag >> 2) + 1), i + more
        if not 0 < off <= len(out) or len(out) + size > n:
            raise Fault("codec")
        for _ in range(size):
            out.append(out[-off])
    if len(out) != n:
        raise Fault("codec")
    return bytes(out)


def unblock(b):
    out, i = b"", 0
    while i < len(b):
        if len(b) - i < 4:
            return out, "truncated"
        c = struct.unpack(">I", b[i:i + 4])[0]
        if c > len(b) - i - 4:
            return out, "truncated"
        try:
            out += unsnappy(b[i + 4:i + 4 + c])
        except Fault as f:
            return out, f.kind
        i += 4 + c
    return out, None


def decode(b, compression):
    if compression == "ZLIB":
        return inflate(b, 15)
    if compression == "GZIP":
        return inflate(b, 31)
    if compression == "SNAPPY":
        return unblock(b)
    return b, None


def frame(raw, fault=None):
    """(payloads, None | class, offset of the header of the record at fault)."""
    got, x = [], 0
    while True:
        left = len(raw) - x
        if left == 0:
            return got, fault, x
        if left < 12:
            return got, fault or "truncated", x
        n, crc = struct.unpack("<QI", raw[x:x + 12])
        if crc != masked_crc(raw[x:x + 8]):
            return got, "length_crc", x
        if n > LIMIT:
            return got, "too_long", x
        if left < 16 + n:
            return got, fault or "truncated", x
        p = raw[x + 12:x + 12 + n]
        if masked_crc(p) != struct.unpack("<I", raw[x + 12 + n:x + 16 + n])[0]:
            return got, "payload_crc", x
        got, x = got + [p], x + 16 + n


def recover(raw):
    """(payloads, lost regions): what survives when damage is stepped over."""
    def sound(s):
        n, crc = struct.unpack("<QI", raw[s:s + 12].ljust(12, b"\0"))
        return crc == masked_crc(raw[s:s + 8]) and s + 16 + n <= len(raw) and n

    got, lost, x = [], [], 0
    while x < len(raw):
        n, s = sound(x), x
        if n is not False and (x + 16 + n == len(raw) or sound(x + 16 + n) is not False):
            p = raw[x + 12:x + 12 + n]
            if masked_crc(p) == struct.unpack("<I", raw[x + 12 + n:x + 16 + n])[0]:
                got.append(p)
            else:                    # the header tells where the next record is: do not look inside the payload
                lost.append([x, x + 16 + n])
            x += 16 + n
            continue
        for s in range(x, len(raw) - 15):
            if s > x and raw[s + 5:s + 8] != b"\0\0\0":
                continue
            n = sound(s)
            if n is not False:
                p = raw[s + 12:s + 12 + n]
                if masked_crc(p) == struct.unpack("<I", raw[s + 12 + n:s + 16 + n])[0]:
                    break
        else:
            return got, lost + [[x, len(raw)]]
        if s > x:
            lost.append([x, s])
        got, x = got + [p], s + 16 + n
    return got, lost


# ---------------------------------------------------------------- TensorFlow

def tf_read(data, compression):
    """(payloads, None | message)."""
    import tensorflow as tf
    from tensorflow.python.lib.io import _pywrap_record_io
    with tempfile.NamedTemporaryFile() as f:
        f.write(data)
        f.flush()
        one, two, err = [], [], [None, None]
        try:
            for r in tf.data.TFRecordDataset(f.name, compression_type=compression):
                one.append(r.numpy())
        except tf.errors.OpError as e:
            err[0] = e.message.split("}} ")[-1].replace(" [Op:IteratorGetNext] name: ", "")
        try:
            for r in _pywrap_record_io.RecordIterator(f.name, compression):
                two.append(r)
        except tf.errors.OpError as e:
            err[1] = e.message
    assert one == two and err[0] == err[1], (one[:2], two[:2], err)
    return one, err[0]


def tf_read_apart(data, compression):
    """The same in a process of its own: some inputs kill TensorFlow."""
    p = subprocess.run([sys.executable, __file__, "--read", compression], input=data, capture_output=True)
    if p.returncode < 0:
        return [], "process killed by " + signal.Signals(-p.returncode).name
    got = json.loads(p.stdout.splitlines()[-1])
    return [base64.b64decode(r) for r in got[0]], got[1]


def tf_write(payloads, compression, **options):
    """TensorFlow's own bytes. SNAPPY: TFRecordOptions refuses it, the deprecated dataset writer does not."""
    import tensorflow as tf
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "x")
        if compression == "SNAPPY":
            t = tf.constant(payloads, tf.string) if payloads else tf.zeros([0], tf.string)
            tf.data.experimental.TFRecordWriter(path, compression).write(tf.data.Dataset.from_tensor_slices(t))
        else:
            with tf.io.TFRecordWriter(path, tf.io.TFRecordOptions(compression, **options)) as w:
                for p in payloads:
                    w.write(p)
        with open(path, "rb") as f:
            return f.read()


# ---------------------------------------------------------------- cases

def b64(b):
    return base64.b64encode(b).decode()


def digest(payloads):
    h = hashlib.sha256()
    for p in payloads:
        h.update(struct.pack("<Q", len(p)) + p)
    return h.hexdigest()


def outcome(payloads):
    if len(payloads) <= 12 and sum(map(len, payloads)) <= 400:
        return {"records": [b64(p) for p in payloads]}
    return {"count": len(payloads), "sha256_of_payloads": digest(payloads)}


AGREES = "TensorFlow reports the fault too; class and offset are what we require besides"


class Cases:
    def __init__(self, out):
        self.out, self.all, self.size = out, [], 0

    def add(self, name, data, compression="", tags=(), why=None, ours=None, also=(), looks_like=None, sniff=True, unsafe=False, count_min=None):
        """ours: (payloads, class or None, offset), worked out by `frame` unless given. also: other classes that will do.
        sniff: reading with the codec left to be found out must end the same way. count_min: fewest records that must come
        out where a decompressor may hold back its last bytes."""
        c = {"name": name, "tags": list(tags), "compression": compression}
        if len(data) <= INLINE:
            c["bytes"] = b64(data)
        else:
            c["file"] = name.replace("/", "_") + ".tfrecord"
            with open(os.path.join(self.out, c["file"]), "wb") as f:
                f.write(data)
            self.size += len(data)
        got, err = (tf_read_apart if unsafe else tf_read)(data, compression)
        c["expect"] = outcome(got)
        if err:
            c["error"] = {"message": err, "phase": "read"}
        raw, fault = decode(data, compression)
        want, kind, offset = ours or frame(raw, fault)
        if kind is None:
            if err or got != want:
                assert why, name
                c["ours"] = {"why": why, "expect": outcome(want)}
        else:
            assert why or err and got == want, (name, err, len(got), len(want), kind)
            e = {"class": kind, "offset": offset}
            if also:
                e["or"] = list(also)
            if looks_like:
                e["looks_like"] = looks_like
            if count_min is not None and count_min != len(want):
                e["count_min"] = count_min
            c["ours"] = {"why": why or AGREES, "expect": outcome(want), "error": e}
            if kind in ("length_crc", "payload_crc", "too_long") and compression == "" and want:
                saved, lost = recover(raw)
                c["ours"]["recover"] = dict(outcome(saved), lost=lost)
        c["sniff"] = sniff
        self.all.append(c)

    def write(self, path, program):
        import tensorflow as tf
        names = [c["name"] for c in self.all]
        assert len(set(names)) == len(names)
        head = {"vectors": "container", "version": 1, "made_by": "tensorflow " + tf.__version__, "program": program, "cases": len(self.all),
                "notes": ["sha256_of_payloads: SHA-256 over, for each record in order, its size as 8 bytes little endian and its bytes",
                          "expect beside error: the records that come before the fault",
                          "ours.error.class: truncated, length_crc, payload_crc, too_long, not_tfrecord or codec; ours.error.or: classes that will do as well",
                          "ours.error.offset: of the header of the record at fault, in the uncompressed stream; the end of the stream when the fault comes after the last record",
                          "ours.error.count_min: a decompressor may hold back its last bytes: at least so many records, and then the offset is the end of the last one",
                          "ours.recover: what stepping over the damage saves, and the regions [begin, end) that are lost",
                          "sniff: true = the same outcome when the codec is not named but found out"]}
        with open(path, "w") as f:
            for c in [head] + self.all:
                f.write(json.dumps(c, separators=(",", ":")) + "\n")


CODECS = ("", "ZLIB", "GZIP", "SNAPPY")
NAME = {"": "none", "ZLIB": "zlib", "GZIP": "gzip", "SNAPPY": "snappy"}
TWO = [b"hello", b""]


def words(rng, n):
    """Compressible bytes."""
    out = b""
    while len(out) < n:
        out += rng.choice([b"label ", b"image/encoded ", b"doc ", b"\n\x0b\x08\x01\x12", b"0.125 "])
    return out[:n]


def written_by_tensorflow(c):
    rng = random.Random(1)
    sets = {"0-records": [], "1-empty": [b""], "1-byte": [b"\xff"], "3-records": [b"one", b"", b"\x00\xff three \n"], "2-hello": TWO,
            "64KiB-random": [rng.randbytes(65536)], "64KiB-words-x3": [words(rng, 65536) for _ in range(3)],
            "1000-small": [words(rng, i % 40) for i in range(1000)], "600-of-1000-bytes": [words(rng, 50) * 20 + bytes([i & 255]) for i in range(600)]}
    for comp in CODECS:
        for k, p in sets.items():
            if (comp, k) in (("", "600-of-1000-bytes"), ("", "64KiB-words-x3"), ("ZLIB", "64KiB-random"), ("GZIP", "64KiB-random")):
                continue             # big and nothing new
            c.add(f"tf/{NAME[comp]}/{k}", tf_write(p, comp), comp, ["written_by_tf"])
    for n in (262128, 262129, 262144, 262145, 300000, 700000):
        big = (b"label " * n)[:n]
        p = [b"before", big, b"next"]
        c.add(f"tf/snappy/payload-{n}", tf_write(p, "SNAPPY"), "SNAPPY", ["written_by_tf", "blocks"],
              why="TensorFlow cannot read the block it wrote: more than 262,144 bytes uncompressed" if n > BLOCK else None)
        c.add(f"tf/gzip/payload-{n}", tf_write(p, "GZIP"), "GZIP", ["written_by_tf"])
        c.add(f"tf/zlib/payload-{n}", tf_write(p, "ZLIB"), "ZLIB", ["written_by_tf"])
    p = [words(rng, 300) for _ in range(20)]
    for level in (0, 1, 9):
        c.add(f"tf/gzip/level-{level}", tf_write(p, "GZIP", compression_level=level), "GZIP", ["written_by_tf"])
        c.add(f"tf/zlib/level-{level}", tf_write(p, "ZLIB", compression_level=level), "ZLIB", ["written_by_tf"])
    c.add("tf/zlib/window_bits-9", tf_write(p, "ZLIB", window_bits=9), "ZLIB", ["written_by_tf"])
    for strategy in (1, 2, 3, 4):
        c.add(f"tf/gzip/strategy-{strategy}", tf_write(p, "GZIP", compression_strategy=strategy), "GZIP", ["written_by_tf"])
    b = tf_write(p, "GZIP", window_bits=15)
    c.add("tf/gzip/window_bits-15-is-zlib", b, "ZLIB", ["written_by_tf"])


def foreign(c):
    rng = random.Random(2)
    p = [words(rng, 80) for _ in range(30)]
    raw = stream(p)
    third = [stream(p[:10]), stream(p[10:20]), stream(p[20:])]
    t = ["foreign"]
    f = io.BytesIO()
    with gzip.GzipFile("data.tfrecord", "wb", 6, f, mtime=1700000000) as g:
        g.write(raw)
    c.add("gzip/python-fname-mtime", f.getvalue(), "GZIP", t)
    body = deflate(raw, 9, -15)
    h = gzip_header(31, 1, 2, 7, b"AP\x02\x00zz", b"n\xe4me", b"a comment")
    c.add("gzip/every-header-flag", h + body + gzip_trailer(raw), "GZIP", t)
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "x.tfrecord")
        with open(path, "wb") as f:
            f.write(raw)
        os.utime(path, (1600000000, 1600000000))
        c.add("gzip/cli-with-name", subprocess.run(["gzip", "-c", path], capture_output=True, check=True).stdout, "GZIP", t)
    c.add("gzip/cli-best", subprocess.run(["gzip", "-nc9"], input=raw, capture_output=True, check=True).stdout, "GZIP", t)
    c.add("gzip/members-3", b"".join(map(gz, third)), "GZIP", t + ["members"])
    c.add("gzip/members-cut-inside-a-record", gz(raw[:50]) + gz(raw[50:500]) + gz(raw[500:]), "GZIP", t + ["members"])
    lost = "TensorFlow takes a member without output for the end of the file"
    c.add("gzip/empty-member-first", gz(b"") + gz(raw), "GZIP", t + ["members"], lost)
    c.add("gzip/empty-member-middle", gz(third[0]) + gz(b"") + gz(third[1]) + gz(third[2]), "GZIP", t + ["members"], lost)
    c.add("gzip/empty-member-last", gz(raw) + gz(b""), "GZIP", t + ["members"])
    filler, n = random.Random(3).randbytes(262200), 262000
    while len(gz(record(filler[:n]))) != BLOCK + 4:
        n += BLOCK + 4 - len(gz(record(filler[:n])))
    c.add("gzip/member-trailer-straddles-262144", gz(record(filler[:n])) + gz(raw), "GZIP", t + ["members"],
          "TensorFlow refills its buffer in the trailer of the first member, gets no output, and takes that for the end")
    d = zlib.compressobj(6, zlib.DEFLATED, -15)
    parts = b"".join(d.compress(x) + d.flush(zlib.Z_SYNC_FLUSH) for x in third)
    c.add("gzip/one-member-of-sync-flushed-parts", gzip_header(0, system=255) + parts + b"\x03\x00" + gzip_trailer(raw), "GZIP", t)
    c.add("gzip/ends-in-empty-stored-block", gzip_header(0, system=255) + parts + b"\x01\x00\x00\xff\xff" + gzip_trailer(raw), "GZIP", t)
    for n in (1, 2, 3, 512):
        c.add(f"gzip/zero-padding-{n}", gz(raw) + bytes(n), "GZIP", t + ["padding"], "zero padding after the last member loses nothing; gzip(1) ignores it too")
    for wbits in (9, 10, 12, 14):
        c.add(f"zlib/window-{wbits}", deflate(raw, wbits=wbits), "ZLIB", t)
    c.add("zlib/mem-level-1", deflate(raw, mem=1), "ZLIB", t)
    two = "TensorFlow reads the first zlib stream only, and says nothing"
    c.add("zlib/streams-3", b"".join(map(deflate, third)), "ZLIB", t + ["members"], two)
    c.add("zlib/streams-cut-inside-a-record", deflate(raw[:50]) + deflate(raw[50:]), "ZLIB", t + ["members"], two)
    c.add("zlib/empty-stream-first", deflate(b"") + deflate(raw), "ZLIB", t + ["members"], two)
    c.add("zlib/zero-padding-16", deflate(raw) + bytes(16), "ZLIB", t + ["padding"])
    c.add("zlib/sync-flushed-parts", (lambda d: b"".join(d.compress(x) + d.flush(zlib.Z_FULL_FLUSH) for x in third) + d.flush())(zlib.compressobj()), "ZLIB", t)
    c.add("snappy/literal-blocks-at-every-byte", blocks(stream(TWO), *[1] * 37), "SNAPPY", t + ["blocks"], sniff=False)
    c.add("snappy/cut-in-header-payload-footer", blocks(stream(TWO), 5, 10, 3, 10, 9), "SNAPPY", t + ["blocks"], sniff=False)
    c.add("snappy/empty-blocks-between", block(b"") + block(stream(p[:2])) + block(b"") + block(stream(p[2:4])) + block(b""), "SNAPPY", t + ["blocks"], sniff=False)
    c.add("snappy/two-files-end-to-end", tf_write(p[:15], "SNAPPY") + tf_write(p[15:], "SNAPPY"), "SNAPPY", t + ["blocks"])
    for comp in CODECS:
        c.add(f"{NAME[comp]}/0-bytes", b"", comp, t + ["empty"])
    c.add("none/two-files-end-to-end", tf_write(p[:2], "") + tf_write(p[2:4], ""), "", t)
    c.add("none/payload-376-starts-like-zlib", stream([words(rng, 376), b"x"]), "", t + ["look_alike"])
    c.add("none/payload-is-tfrecord", stream([b"before", stream([b"inner 1", b"inner 2"]), b"after"]), "", t)
    c.add("none/payload-is-gzip", stream([gz(b"inner")]), "", t + ["look_alike"])
    raw2 = stream(TWO)
    zstd = b"\x28\xb5\x2f\xfd\x20" + bytes([len(raw2)]) + (len(raw2) << 3 | 1).to_bytes(3, "little") + raw2
    c.add("zstd/raw-block", zstd, "ZSTD", t, "TensorFlow has no zstd and takes the name for no compression; we read it", ours=(TWO, None, 0))


def flip(b, i, bit=0):
    b = bytearray(b)
    b[i] ^= 1 << bit
    return bytes(b)


TORN = "TensorFlow takes a cut header for the end of the file"
UNFINISHED = "TensorFlow does not notice that the compressed stream ends too early"


def damaged(c):
    p = [b"first", b"second record", b"", b"the fourth", b"last"]
    raw = stream(p)
    at = [len(stream(p[:i])) for i in range(6)]
    two = stream(TWO)
    for n in range(1, 37):
        if n not in (0, 21):
            c.add(f"none/hello-cut-{n:02d}", two[:n], "", ["cut"], TORN if n < 12 or 21 < n < 33 else None, also=["not_tfrecord"] if n < 12 else ())
    x = at[1]
    for name, i, bit in (("length-low-bit", 0, 0), ("length-byte-1", 1, 3), ("length-top-bit", 7, 7), ("length-crc-first", 8, 0), ("length-crc-last", 11, 7),
                         ("payload-first", 12, 0), ("payload-last", 24, 7), ("payload-crc-first", 25, 0), ("payload-crc-last", 28, 7)):
        c.add(f"none/second-record-flip-{name}", flip(raw, x + i, bit), "", ["flip"])
    c.add("none/empty-payload-flip-payload-crc", flip(raw, at[2] + 12, 4), "", ["flip"])
    c.add("none/first-header-flip", flip(raw, 0), "", ["flip"], also=["not_tfrecord"], sniff=False)
    c.add("none/first-payload-flip", flip(raw, 12), "", ["flip"])
    c.add("none/last-payload-flip", flip(raw, at[4] + 12), "", ["flip"])
    c.add("none/two-payloads-flipped", flip(flip(raw, at[1] + 12), at[3] + 12), "", ["flip"])
    c.add("none/header-and-later-payload-flipped", flip(flip(raw, at[1]), at[3] + 12), "", ["flip"])
    c.add("none/byte-inserted", raw[:x + 14] + b"!" + raw[x + 14:], "", ["shift"])
    c.add("none/byte-lost", raw[:x + 14] + raw[x + 15:], "", ["shift"])
    c.add("none/byte-lost-between-records", raw[:at[2] - 1] + raw[at[2]:], "", ["shift"])
    c.add("none/zeros-in-the-middle", raw[:at[1] + 4] + bytes(at[3] - at[1]) + raw[at[3] + 4:], "", ["hole"])
    for n in (1, 7, 11, 12, 13, 100):
        c.add(f"none/zero-tail-{n}", raw + bytes(n), "", ["tail"], TORN if n < 12 else None)
    c.add("none/newline-tail", raw + b"\n", "", ["tail"], TORN)
    c.add("none/garbage-tail", raw + b"<!-- served by cache-7 -->\n", "", ["tail"])
    c.add("none/nested-outer-header-flipped", flip(stream([b"before", stream([b"inner 1", b"inner 2"]), b"after"]), 22), "", ["flip", "false_friend"])
    c.add("none/nested-inner-payload-flipped", flip(stream([b"before", stream([b"inner 1", b"inner 2"]), b"after"]), 22 + 12 + 12), "", ["flip", "false_friend"])
    c.add("none/length-crc-not-masked", raw + struct.pack("<QI", 3, 0x3F13A3A5) + b"abc\x6e\x57\xf1\x21", "", ["crc"])
    c.add("none/crc-big-endian", raw + struct.pack("<Q", 3) + bytes.fromhex("0e4999b0") + b"abc\x6e\x57\xf1\x21", "", ["crc"])
    for n, unsafe in ((1000, 0), (LIMIT, 0), (2**31, 0), (2**32 + 5, 0), (2**40, 1), (2**62, 1), (2**63 - 5, 1), (2**63 - 4, 0), (2**63, 0), (2**64 - 6, 0), (2**64 - 5, 0), (2**64 - 1, 0)):
        c.add(f"none/length-{n}", raw + header(n) + b"x" * 50, "", ["length"], unsafe=unsafe,
              why="TensorFlow allocates what the length claims" if unsafe else "the limit is checked before anything is allocated" if n > LIMIT else None)
    c.add("none/first-length-559903-cut-looks-like-gzip", header(559903) + b"x" * 40, "", ["length", "look_alike"])
    c.add("none/first-length-2^40", header(2**40) + b"x" * 50, "", ["length"], "TensorFlow allocates what the length claims", unsafe=True)
    for n in (2**30, 2**40):
        c.add(f"gzip/length-{n}", gz(raw + header(n) + b"x" * 50), "GZIP", ["length"], "the limit is checked before anything is allocated")
    c.add("snappy/length-2^40", block(raw + header(2**40) + b"x" * 50), "SNAPPY", ["length"], "TensorFlow allocates what the length claims", unsafe=True)

    rng = random.Random(4)
    q = [rng.randbytes(60) for _ in range(5)]
    raw = stream(q)
    for comp in ("ZLIB", "GZIP"):
        b = tf_write(q, comp)
        tail = 4 if comp == "ZLIB" else 8
        nm = NAME[comp]
        for n in [1, 2, 5, 9, 10, 11] + list(range(12, len(b), 13)) + list(range(len(b) - tail - 1, len(b))):
            held = len(frame(decode(b[:n - 12 if n < len(b) - tail else n], comp)[0])[0]) if n > 12 else 0
            early = len(decode(b[:n], comp)[0]) < 12
            c.add(f"{nm}/cut-{n:03d}-of-{len(b)}", b[:n], comp, ["cut"], UNFINISHED, also=["codec", "not_tfrecord"] if early else (), sniff=not early, count_min=held)
        any_kind = ["payload_crc", "length_crc", "truncated", "too_long"]
        for i in (len(b) // 3, len(b) * 2 // 3):
            got, _, x = frame(decode(flip(b, i, 2), comp)[0])
            # the byte at fault lies inside a random payload: the records before it are beyond doubt
            c.add(f"{nm}/flip-in-deflate-data-{i}", flip(b, i, 2), comp, ["flip"], "records before the fault are delivered; TensorFlow drops up to 256 KiB of them",
                  ours=(got, "codec", x), also=any_kind)
        c.add(f"{nm}/flip-in-checksum", flip(b, -tail), comp, ["flip"], "records with good checksums of their own are delivered before the fault")
        if comp == "GZIP":
            c.add("gzip/flip-in-size", flip(b, -1), comp, ["flip"], "records with good checksums of their own are delivered before the fault")
            for flag, bit in (("fextra", 2), ("fname", 3), ("fcomment", 4)):
                c.add(f"gzip/flip-flag-{flag}", flip(tf_write(TWO, comp), 3, bit), comp, ["flip"], "TensorFlow can swallow the whole file as a header field: no records and no error",
                      ours=([], "codec", 0), also=["truncated", "not_tfrecord"], sniff=False)
            c.add("gzip/flip-mtime", flip(b, 5, 5), comp, ["flip"])
            c.add("gzip/flip-magic", flip(b, 0), comp, ["flip"], ours=([], "codec", 0), also=["not_tfrecord"], sniff=False)
            c.add("gzip/second-member-cut", b + b[:100], comp, ["cut", "members"], UNFINISHED, count_min=5)
            c.add("gzip/second-member-cut-in-header", b + b[:6], comp, ["cut", "members"], UNFINISHED)
            c.add("gzip/second-member-flip", b + flip(b, 150), comp, ["flip", "members"], "records before the fault are delivered",
                  ours=(q + frame(decode(flip(b, 150), comp)[0])[0], "codec", len(raw) + frame(decode(flip(b, 150), comp)[0])[2]), also=any_kind)
            for n in (1, 2, 40):
                c.add(f"gzip/garbage-after-{n}", b + b"garbage " * 5 if n == 40 else b + b"\xabg"[:n], comp, ["tail"],
                      "something stands after the end of the stream that is neither a member nor padding", ours=(q, "codec", len(raw)), also=["truncated"])
            c.add("gzip/inner-record-cut", gz(raw[:-7]), comp, ["cut"])
            c.add("gzip/inner-header-cut", gz(raw[:80]), comp, ["cut"], TORN)
            c.add("gzip/inner-payload-flip", gz(flip(raw, 76 + 20)), comp, ["flip"])
            c.add("gzip/inner-length-flip", gz(flip(raw, 76)), comp, ["flip"])
            c.add("gzip/inner-garbage-tail", gz(raw + b"0123456789abcdef"), comp, ["tail"])
        else:
            c.add("zlib/garbage-after-40", b + b"garbage " * 5, comp, ["tail"], "TensorFlow ignores whatever follows a zlib stream", ours=(q, "codec", len(raw)))
            c.add("zlib/preset-dictionary", (lambda d: d.compress(raw) + d.flush())(zlib.compressobj(6, 8, 15, 8, 0, b"dictionary")), comp, ["codec"],
                  ours=([], "codec", 0), also=["not_tfrecord"], sniff=False)
            c.add("zlib/inner-record-cut", deflate(raw[:-7]), comp, ["cut"])
            c.add("zlib/raw-deflate", deflate(raw, wbits=-15), comp, ["codec"], ours=([], "codec", 0), also=["not_tfrecord"], sniff=False)

    b = block(stream(q[:2])) + block(stream(q[2:4])) + block(stream(q[4:]))
    ends = [len(block(stream(q[:2]))), len(block(stream(q[:2])) + block(stream(q[2:4])))]
    for n in (1, 2, 3, 4, 5, 40, ends[0] - 1, ends[0] + 1, ends[0] + 3, ends[0] + 4, ends[0] + 60, ends[1] + 2, ends[1] + 70, len(b) - 1):
        first = n < ends[0]
        c.add(f"snappy/cut-{n:03d}-of-{len(b)}", b[:n], "SNAPPY", ["cut"], "a block size without its block, cut or whole, is no end of file",
              also=["codec", "not_tfrecord"] if first else (), sniff=not first)
    c.add("snappy/ends-between-blocks-inside-a-header", block(stream(q[:2]) + record(q[2])[:7]), "SNAPPY", ["cut"], TORN)
    c.add("snappy/ends-between-blocks-inside-a-payload", block(stream(q[:2]) + record(q[2])[:40]), "SNAPPY", ["cut"])
    c.add("snappy/1-byte-after-an-open-payload", block(stream(q[:2]) + record(q[2])[:40]) + b"\0", "SNAPPY", ["cut"])
    c.add("snappy/block-size-0", block(stream(q[:2])) + bytes(4) + block(stream(q[2:])), "SNAPPY", ["codec"])
    c.add("snappy/block-size-huge", block(stream(q[:2])) + b"\xff\xff\xff\xf0abc", "SNAPPY", ["codec"], also=["codec"])
    c.add("snappy/literal-flip", flip(b, ends[0] + 4 + 40), "SNAPPY", ["flip"])
    c.add("snappy/size-flip", flip(b, ends[0] + 4, 1), "SNAPPY", ["flip"])
    c.add("snappy/tag-flip", flip(b, ends[0] + 6, 0), "SNAPPY", ["flip"])
    c.add("snappy/block-size-too-small-by-1", b[:ends[0]] + struct.pack(">I", 152) + b[ends[0] + 4:], "SNAPPY", ["flip"])
    c.add("snappy/varint-2^32-1", block(stream(q[:2])) + struct.pack(">I", 6) + b"\xff\xff\xff\xff\x0f\x00", "SNAPPY", ["length"])
    c.add("snappy/varint-overlong", block(stream(q[:2])) + struct.pack(">I", 6) + b"\xff\xff\xff\xff\xff\x00", "SNAPPY", ["length"])
    c.add("snappy/copy-before-start", block(stream(q[:2])) + struct.pack(">I", 3) + b"\x04\x01\x05", "SNAPPY", ["codec"])


def not_tfrecords(c):
    no = dict(tags=["not_tfrecord"])

    def bad(name, data, looks_like, compression="", kind="not_tfrecord", also=("length_crc",), **kw):
        c.add("not/" + name, data, compression, ["not_tfrecord"], kw.pop("why", None), ours=([], kind, 0), also=also, looks_like=looks_like, **kw)

    bad("html", b"<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head></html>\n", "html")
    bad("html-lower", b"<html><body>Access denied</body></html>", "html")
    bad("xml-error", b'<?xml version="1.0" encoding="UTF-8"?><Error><Code>AccessDenied</Code></Error>', "html")
    bad("json", b'{"features": {"label": [1]}}\n', "json")
    bad("json-array", b'[{"a": 1}, {"a": 2}]', "json")
    bad("git-lfs-pointer", b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n", "git-lfs")
    z = io.BytesIO()
    with zipfile.ZipFile(z, "w") as f:
        f.writestr(zipfile.ZipInfo("data.tfrecord", (2020, 1, 1, 0, 0, 0)), stream(TWO))
    bad("zip", z.getvalue(), "zip")
    bad("parquet", b"PAR1" + bytes(20) + b"PAR1", "parquet")
    bad("png", base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="), "png")
    bad("jpeg", bytes.fromhex("ffd8ffe000104a46494600010100000100010000ffdb0043"), "jpeg")
    bad("text", b"This directory holds the training data.\nSee the wiki.\n", "text")
    bad("csv", b"id,label,score\n1,cat,0.5\n2,dog,0.25\n", "text")
    t = io.BytesIO()
    with tarfile.open(fileobj=t, mode="w", format=tarfile.USTAR_FORMAT) as f:
        i = tarfile.TarInfo("train-00000-of-00001")
        i.size = 37
        f.addfile(i, io.BytesIO(stream(TWO)))
    bad("tar", t.getvalue()[:1536], "tar")
    bad("riegeli", bytes.fromhex("83af70d10d884a3f") + bytes(56), "riegeli")
    bad("xz", lzma.compress(stream(TWO)), "xz")
    bad("bzip2", bz2.compress(stream(TWO)), "bzip2")
    bad("zeros", bytes(64), None)
    bad("bare-example", bytes.fromhex("0a1a0a180a056c6162656c120f1a0d0a0b") + b"0123456789a", None)
    bad("random", random.Random(5).randbytes(64), None)
    silent = "TensorFlow takes fewer than 12 bytes for an empty file"
    for name, data in (("short-text", b"oops\n"), ("short-json", b"{}\n"), ("one-byte", b"\0"), ("eleven-zeros", bytes(11))):
        bad(name, data, None, also=["truncated", "length_crc"], why=silent)
    two = stream(TWO)
    coded = {"gzip": gz(two), "zlib": deflate(two), "snappy": tf_write(TWO, "SNAPPY")}
    for k, b in coded.items():
        bad(f"{k}-read-as-none", b, k, sniff=False)
    for comp in ("GZIP", "ZLIB", "SNAPPY"):
        bad(f"none-read-as-{NAME[comp]}", two, "uncompressed", comp, "codec", ("not_tfrecord", "truncated", "length_crc"), sniff=False)
        for k, b in coded.items():
            if k != NAME[comp]:
                bad(f"{k}-read-as-{NAME[comp]}", b, k, comp, "codec", ("not_tfrecord", "truncated", "length_crc"), sniff=False)
    hadoop = struct.pack(">I", len(two)) + block(two)
    bad("hadoop-snappy", hadoop, "hadoop-snappy", "SNAPPY", "codec", ("not_tfrecord",), sniff=False)
    framed = bytes.fromhex("ff060000734e61507059") + b"\x01" + (4 + len(two)).to_bytes(3, "little") + struct.pack("<I", masked_crc(two)) + two
    bad("snappy-framing-format", framed, "snappy-framed", "SNAPPY", "codec", ("not_tfrecord", "truncated"), sniff=False)
    bad("snappy-bare-block", snappy_literal(two), None, "SNAPPY", "codec", ("not_tfrecord", "truncated"), sniff=False)
    bad("gzip-of-html", gz(b"<html><body>Service unavailable, please try again</body></html>"), "html", "GZIP")
    bad("gzip-of-gzip", gz(gz(two)), "gzip", "GZIP")
    bad("gzip-of-text", gz(b"just some lines of text\n" * 3), "text", "GZIP")


def main():
    if sys.argv[1:2] == ["--read"]:
        got, err = tf_read(sys.stdin.buffer.read(), sys.argv[2])
        print(json.dumps([[b64(p) for p in got], err]))
        return
    out = sys.argv[1] if len(sys.argv) > 1 else OUT
    os.makedirs(out, exist_ok=True)
    for f in os.listdir(out):
        if f.endswith((".tfrecord", ".jsonl", ".jsonl.gz")):
            os.remove(os.path.join(out, f))
    c = Cases(out)
    for make in (written_by_tensorflow, foreign, damaged, not_tfrecords):
        make(c)
    c.write(os.path.join(out, "container.jsonl"), "make/container.py")
    print(len(c.all), "cases,", c.size, "bytes in files,", sum("error" in x for x in c.all), "faults that TensorFlow reports,",
          sum("error" in x.get("ours", {}) for x in c.all), "faults that we must report")


if __name__ == "__main__":
    main()

"""Makes ../vectors/decode/*.jsonl: numbers and images inside byte strings, as TensorFlow reads them.

    TF_CPP_MIN_LOG_LEVEL=3 python decode.py --seed 1 [--out ../vectors/decode] [raw tensor_proto image_shape]

Needs tensorflow, tensorflow-datasets (encoded tensors) and pillow (JPEG and WebP files). Four parts: bytes (protobuf and
images), TensorFlow (a case -> its outcome, in a process of its own, since some bytes take gigabytes or the process), dialect
(what may not be dropped in silence: `ours`, `or`), themes (the cases, one function per file).
"""
import argparse
import base64
import gzip
import io
import json
import math
import os
import random
import re
import resource
import select
import struct
import subprocess
import sys
import zlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
import numpy as np
import tensorflow as tf

import parse
import values
from parse import B, F, I, b64, example, ld, sequence_example, tag, varint

MEMORY = 6 << 30                                 # address space of a worker beyond what it starts with
LIMIT, SURE = 1 << 24, 1 << 16                   # elements that a TensorProto may claim without bytes behind them: at most; at least
FILL = 4096                                      # from so many equal elements on, `fill` replaces `values`

# ----------------------------------------------------------------------------------------------------- bytes: TensorProto

ENUM = {"float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "string": 7, "complex64": 8, "int64": 9, "bool": 10,
        "qint8": 11, "quint8": 12, "qint32": 13, "bfloat16": 14, "qint16": 15, "quint16": 16, "uint16": 17, "complex128": 18, "float16": 19,
        "resource": 20, "variant": 21, "uint32": 22, "uint64": 23, "float8_e5m2": 24, "float8_e4m3fn": 25, "int4": 29, "uint4": 30}
SIZE = {"float32": 4, "float64": 8, "int32": 4, "uint8": 1, "int16": 2, "int8": 1, "complex64": 8, "int64": 8, "bool": 1, "bfloat16": 2,
        "uint16": 2, "complex128": 16, "float16": 2, "uint32": 4, "uint64": 8, "qint8": 1, "quint8": 1, "qint32": 4, "qint16": 2, "quint16": 2,
        "float8_e5m2": 1, "float8_e4m3fn": 1, "int4": 1, "uint4": 1}
RAW = ["float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "bool", "complex64", "complex128"]
FIELD = {"float32": "float_val", "float64": "double_val", "string": "string_val", "complex64": "scomplex_val", "int64": "int64_val", "bool": "bool_val",
         "complex128": "dcomplex_val", "float16": "half_val", "bfloat16": "half_val", "uint32": "uint32_val", "uint64": "uint64_val",
         "float8_e5m2": "float8_val", "float8_e4m3fn": "float8_val", "resource": "resource_handle_val", "variant": "variant_val"}
NUMBER = {"float_val": 5, "double_val": 6, "int_val": 7, "string_val": 8, "scomplex_val": 9, "int64_val": 10, "bool_val": 11, "dcomplex_val": 12, "half_val": 13,
          "resource_handle_val": 14, "variant_val": 15, "uint32_val": 16, "uint64_val": 17, "float8_val": 18}
FORMAT = {"float_val": "<f", "double_val": "<d", "scomplex_val": "<f", "dcomplex_val": "<d"}


def field_of(dtype):
    return FIELD.get(dtype, "int_val")


def v(number, n):
    """A varint field."""
    return tag(number, 0) + varint(n)


def shape_bytes(dims, unknown_rank=False, extra=b""):
    return ld(2, b"".join(ld(2, v(1, d) if d else b"") for d in dims) + (v(3, 1) if unknown_rank else b"") + extra)


def vals(field, xs, form="packed"):
    """A *_val field: numbers packed or one by one, strings, float8 bytes."""
    n = NUMBER[field]
    if field == "string_val":
        return b"".join(ld(n, x) for x in xs)
    if field == "float8_val":
        return ld(n, bytes(xs))
    one = (lambda x: struct.pack(FORMAT[field], x)) if field in FORMAT else varint
    wire = {"<f": 5, "<d": 1}[FORMAT[field]] if field in FORMAT else 0
    return ld(n, b"".join(map(one, xs))) if form == "packed" else b"".join(tag(n, wire) + one(x) for x in xs)


def proto(dtype, shape=(), rest=b"", **kw):
    """A TensorProto as TensorFlow writes it: dtype, shape, then rest."""
    return v(1, ENUM[dtype] if isinstance(dtype, str) else dtype) + (b"" if shape is None else shape_bytes(shape, **kw)) + rest


def content(data):
    return ld(4, data)


# ---------------------------------------------------------------------------------------------------------- bytes: images


def png_chunk(name, data, crc=None):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data) if crc is None else crc)


PNG_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def png(w, h, color=2, depth=8, interlace=0, before=b"", after=b"", data=None, head=None, palette=True, level=9):
    """A PNG of grey noise-free rows; before and after are chunks around IDAT."""
    def rows(w, h):
        n = (w * PNG_CHANNELS[color] * depth + 7) // 8
        return b"".join(b"\0" + bytes((7 * i + y) & (255 if depth >= 8 else 0x11) for i in range(n)) for y in range(h)) if w else b""
    if data is None:
        if interlace:
            data = b"".join(rows(max(0, -(-(w - x) // dx)), max(0, -(-(h - y) // dy))) for x, y, dx, dy in ADAM7)
        else:
            data = rows(w, h)
        data = zlib.compress(data, level)
    plte = png_chunk(b"PLTE", bytes(range(256)) * 3 if depth == 8 else bytes(3 << depth)) if color == 3 and palette else b""
    ihdr = png_chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, depth, color, 0, 0, interlace) if head is None else head)
    return b"\x89PNG\r\n\x1a\n" + ihdr + plte + before + png_chunk(b"IDAT", data) + after + png_chunk(b"IEND", b"")


def bmp(w, h, bits=24, header=40, offset=None, palette=None, body=None, compression=0, pad=0):
    """A BMP; h < 0 is stored from the top. offset, body and pad may lie."""
    colors = b"".join(bytes((i, i, i, 0)) for i in range(1 << bits)) if bits <= 8 and palette is None else palette or b""
    row = (w * bits + 31) // 32 * 4
    body = bytes(i & 255 for i in range(row * abs(h))) if body is None else body
    rest = struct.pack("<iiHHIIiiII", w, h, 1, bits, compression, len(body), 2835, 2835, 0, 0) + bytes(header - 40) if header >= 40 else struct.pack("<hhHH", w, h, 1, bits)
    start = 14 + header + len(colors)
    return b"BM" + struct.pack("<IHHI", start + len(body) + pad, 0, 0, start if offset is None else offset) + struct.pack("<I", header) + rest + colors + body + bytes(pad)


def lzw(indices, bits=8):
    """GIF's LZW without a dictionary: a clear code before the width would grow."""
    clear, width, out, acc, n = 1 << bits, bits + 1, bytearray(), 0, 0
    codes = []
    for i in range(0, len(indices), (1 << bits) - 2):
        codes += [clear, *indices[i:i + (1 << bits) - 2]]
    for c in codes + [clear + 1]:
        acc |= c << n
        n += width
        while n >= 8:
            out.append(acc & 255)
            acc, n = acc >> 8, n - 8
    return bytes(out + (bytes([acc & 255]) if n else b""))


def blocks(data):
    return b"".join(bytes([len(data[i:i + 255])]) + data[i:i + 255] for i in range(0, len(data), 255)) + b"\0"


def gif(w, h, frames=(None,), version=b"GIF89a", global_map=True, loop=False, transparent=None, interlace=False, comment=None, trailer=b";", local_map=False):
    """A GIF; a frame is None (the whole screen) or (left, top, width, height)."""
    colors = bytes(x for i in range(16) for x in (i * 16, 255 - i * 16, i))
    out = version + struct.pack("<HHBBB", w, h, 0xF3 if global_map else 0x70, 0, 0) + (colors if global_map else b"")
    if loop:
        out += b"!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"
    if comment:
        out += b"!\xfe" + blocks(comment)
    for f in frames:
        x, y, fw, fh = f or (0, 0, w, h)
        if transparent is not None or len(frames) > 1:
            out += b"!\xf9\x04" + struct.pack("<BHB", 0x05 if transparent is not None else 0x04, 10, transparent or 0) + b"\0"
        out += b"," + struct.pack("<HHHHB", x, y, fw, fh, (0x40 if interlace else 0) | (0x83 if local_map else 0)) + (colors if local_map else b"")
        out += b"\x04" + blocks(lzw([(i * 5) % 16 for i in range(fw * fh)], 4))
    return out + trailer


def picture(w, h, mode="RGB"):
    """A smooth picture, which compresses well."""
    from PIL import Image
    n = len(mode) if mode in ("RGB", "RGBA", "CMYK") else {"L": 1, "LA": 2}[mode]
    y, x = np.mgrid[0:h, 0:w]
    a = np.stack([(x * 255 // max(1, w - 1) * (c + 1) + y * 3) % 256 for c in range(n)], -1).astype(np.uint8)
    return Image.fromarray(a[:, :, 0] if n == 1 else a, mode) if mode != "CMYK" else Image.merge("CMYK", [Image.fromarray(np.ascontiguousarray(a[:, :, c]), "L") for c in range(4)])


def saved(image, kind, **kw):
    f = io.BytesIO()
    image.save(f, kind, **kw)
    return f.getvalue()


def jpeg(w, h, mode="RGB", **kw):
    return saved(picture(w, h, mode), "JPEG", **dict({"quality": 50}, **kw))


def webp(w, h, mode="RGB", **kw):
    return saved(picture(w, h, mode), "WEBP", **dict({"quality": 30}, **kw))


def webp_animation(w, h, n, mode="RGBA", **kw):
    frames = [picture(w, h, mode).rotate(90 * i) for i in range(n)]
    return saved(frames[0], "WEBP", save_all=True, append_images=frames[1:], duration=40, **kw)


def segments(j):
    """The segments of a JPEG: (marker, bytes with the marker); the scan and what follows is one."""
    out, i = [(0xD8, j[:2])], 2
    while j[i + 1] != 0xDA:
        n = 2 + struct.unpack(">H", j[i + 2:i + 4])[0]
        out.append((j[i + 1], j[i:i + n]))
        i += n
    return out + [(0xDA, j[i:])]


def resegment(j, change):
    """change(marker, bytes) -> bytes for every segment."""
    return b"".join(change(m, s) for m, s in segments(j))


def sof(j):
    """Offset of the frame header's marker."""
    i = 0
    for m, s in segments(j):
        if 0xC0 <= m <= 0xCF and m not in (0xC4, 0xC8, 0xCC):
            return i
        i += len(s)


def sos_of(j):
    """Offset of the (first) scan."""
    return len(j) - len(segments(j)[-1][1])


def segment(marker, body):
    return bytes([0xFF, marker]) + struct.pack(">H", len(body) + 2) + body


def patched(b, at, new):
    return b[:at] + new + b[at + len(new):]


# ------------------------------------------------------------------------------------------------------------ TensorFlow


def shortest(x, dtype):
    """The shortest decimal that reads back to the same number of dtype."""
    f = float(x)
    if math.isnan(f):
        return "NaN"
    if math.isinf(f):
        return "Infinity" if f > 0 else "-Infinity"
    if dtype == "float64" or f == 0:
        return f
    t = tf.as_dtype(dtype).as_numpy_dtype
    for p in range(1, 18):
        s = float("%.*g" % (p, f))
        with np.errstate(all="ignore"):
            if float(t(s)) == f:
                return s
    return f


def number(x, dtype):
    if dtype in ("complex64", "complex128"):
        part = "float32" if dtype == "complex64" else "float64"
        return [shortest(x.real, part), shortest(x.imag, part)]
    if dtype == "string":
        return b64(x)
    if dtype == "bool":
        return bool(x)
    if dtype.startswith(("int", "uint", "qint", "quint")):
        return int(x)
    return shortest(x, dtype)


def value(t):
    """A tensor as VALUE; with `fill` where all of many elements are equal, and `bits` where there are NaNs."""
    dtype, shape, n = t.dtype.name, [int(d) for d in t.shape], math.prod(int(d) for d in t.shape)
    if dtype in ("resource", "variant"):
        return {"dense": {"dtype": dtype, "shape": shape}}
    if n >= FILL:
        flat = tf.reshape(t, [-1])
        first, last = flat[:FILL].numpy(), flat[-1].numpy()
        if not all(x == first[0] for x in first) or last != first[0]:
            raise AssertionError("too many elements for a vector")
        return {"dense": {"dtype": dtype, "shape": shape, "fill": number(first[0], dtype)}}
    head = list(np.asarray((tf.reshape(t, [-1]) if len(shape) > 64 else t).numpy()).reshape(-1)) if n else []
    out = {"dtype": dtype, "shape": shape, "values": [number(x, dtype) for x in head]}
    if "NaN" in str(out["values"]) and dtype != "string":
        w = SIZE[dtype]
        raw = np.asarray(head, tf.as_dtype(dtype).as_numpy_dtype).tobytes()
        out["bits"] = [raw[i:i + w][::-1].hex() for i in range(0, len(raw), w)]
    return {"dense": out}


def strings(x):
    """A string VALUE -> tensor."""
    d = x["dense"]
    return tf.constant([base64.b64decode(s) for s in d["values"]], tf.string, shape=d["shape"])


def string_value(*xs, shape=None):
    return {"dense": {"dtype": "string", "shape": [] if shape is None else list(shape), "values": [b64(x) for x in xs]}}


def decode_raw(x, a, dims):
    """tf.io.decode_raw, then tf.reshape to the shape of x and a's shape; names in it are looked up in dims."""
    kw = {"fixed_length": a["fixed_length"]} if "fixed_length" in a else {}
    y = tf.io.decode_raw(x, tf.as_dtype(a["dtype"]), little_endian=not a.get("big_endian", False), **kw)
    if "shape" not in a:
        return y
    shape = [dims[d] if isinstance(d, str) else tf.constant(d, tf.int64) for d in a["shape"]]
    shape = tf.stack(shape) if shape else tf.constant([], tf.int64)
    if shape.shape.rank == 1 and x.shape.rank:
        shape = tf.concat([tf.shape(x, tf.int64), shape], 0)
    return tf.reshape(y, shape)


def dtype_in(b):
    """The dtype that a serialized TensorProto names, for a call without one."""
    from tensorflow.core.framework import tensor_pb2
    p = tensor_pb2.TensorProto()
    p.ParseFromString(b)
    return tf.as_dtype(p.dtype)


def parse_tensor(x, a):
    """tf.io.parse_tensor of every string of x; shape is checked with tf.ensure_shape, -1 is any."""
    flat = tf.reshape(x, [-1])
    out = []
    for i in range(int(flat.shape[0])):
        try:
            dtype = tf.as_dtype(a["dtype"]) if "dtype" in a else dtype_in(flat[i].numpy())
        except Exception:  # not to be found: any dtype gets TensorFlow's own message
            dtype = tf.float32
        t = tf.io.parse_tensor(flat[i], dtype)
        if "shape" in a:
            t = tf.ensure_shape(t, [None if d == -1 else d for d in a["shape"]])
        out.append(t)
    if x.shape.rank == 0:
        return out[0]
    t = tf.stack(out)
    return tf.reshape(t, tf.concat([tf.shape(x), tf.shape(t)[1:]], 0)) if x.shape.rank > 1 else t


def decoded(x, option, dims):
    (kind, a), = option.items()
    return decode_raw(x, a, dims) if kind == "raw" else parse_tensor(x, a)


class Failure(Exception):
    def __init__(self, e, phase, row=None):
        self.e, self.phase, self.row = e, phase, row


def one_string(x):
    """The strings of a parsed string feature."""
    return x.values if isinstance(x, (tf.SparseTensor, tf.RaggedTensor)) else x


def call(c):
    """A case with a spec: what the spec says about parsing, then decode for each record."""
    spec = c["spec"]["features"]
    plain = {k: {kind: {n: y for n, y in a.items() if n != "decode"} for kind, a in s.items()} for k, s in spec.items()}
    options = {k: a["decode"] for k, s in spec.items() for a in s.values() if "decode" in a}
    recs = [base64.b64decode(r) for r in c["records"]]
    features = {k: parse.tf_spec(s, True) for k, s in plain.items()}
    rows = []
    for i, r in enumerate(recs):
        try:
            row = tf.io.parse_single_example(r, features)
        except Exception as e:
            raise Failure(e, "parse", i)
        try:
            for k, o in options.items():
                row[k] = value(decoded(one_string(row[k]), o, row))
        except Exception as e:
            config = "not in the list of allowed values" in str(e) or isinstance(e, (TypeError, KeyError))
            raise Failure(e, "config" if config else "decode", None if config else i)
        rows.append(row)
    if c["call"] == "parse_single_example":
        return {"columns": {k: rows[0][k] if k in options else parse.column(rows[0][k]) for k in sorted(spec)}}
    batch = tf.io.parse_example(tf.constant(recs, tf.string, shape=[len(recs)]), features) if recs else None
    return {"columns": {k: {"list": [r[k] for r in rows]} if k in options else parse.column(batch[k]) for k in sorted(spec)}}


def tfds_feature(c):
    import tensorflow_datasets as tfds
    f = c["feature"]
    x = tfds.features.Tensor(shape=tuple(f["shape"]), dtype=np.dtype(f["dtype"]), encoding=f["encoding"])
    if f.get("sequence"):
        x = tfds.features.Sequence(x)
    return tfds.features.FeaturesDict({"x": x})


def tfds_value(c):
    f = tfds_feature(c)
    x = f.deserialize_example(tf.constant(base64.b64decode(c["records"][0])))["x"]
    return parse.column(x) if isinstance(x, tf.RaggedTensor) else value(x)


def image_answers(b):
    out = {}
    try:
        out["decode_image"] = {"shape": [int(d) for d in tf.io.decode_image(b).shape]}
    except Exception as e:
        out["decode_image"] = {"error": said(e)}
    if b[:2] == b"\xff\xd8":
        try:
            out["extract_jpeg_shape"] = {"shape": [int(d) for d in tf.io.extract_jpeg_shape(b).numpy()]}
        except Exception as e:
            out["extract_jpeg_shape"] = {"error": said(e)}
    return out


def said(e):
    """What TensorFlow said: in one line, without what differs from run to run."""
    text = " ".join((str(e) or type(e).__name__).encode("ascii", "replace").decode().split())
    text = re.sub(r"^\{\{function_node .*?\}\} | \[Op:\w*\].*$", "", text)
    text = re.sub(r"(Cannot parse tensor from proto).*", r"\1", text)
    text = re.sub(r"(out_type' of \w+ is not in the list of allowed values).*", r"\1", text)
    return re.sub(r"(could not parse `serialized` as TensorProto).*", r"\1", text, flags=re.I)[:240]


def outcome(c):
    try:
        if c["op"] == "decode_raw":
            return {"expect": value(decode_raw(strings(c["input"]), c["decode"]["raw"], {k: tf.constant(x["dense"]["values"], x["dense"]["dtype"], shape=x["dense"]["shape"]) for k, x in c.get("dims", {}).items()}))}
        if c["op"] == "parse_tensor":
            return {"expect": value(parse_tensor(strings(c["input"]), c["decode"]["tensor_proto"]))}
        if c["op"] == "parse_and_decode":
            return {"expect": call(c)}
        if c["op"] == "tfds":
            return {"expect": tfds_value(c)}
        return image_answers(base64.b64decode(c["bytes"]))
    except AssertionError:
        raise
    except Failure as f:
        return {"error": dict({"message": said(f.e), "phase": f.phase}, **({} if f.row is None else {"row": f.row}))}
    except Exception as e:
        text = str(e)
        config = "not in the list of allowed values" in text or isinstance(e, TypeError)
        return {"error": {"message": said(e), "phase": "config" if config else "decode"}}


class Worker:
    """outcome() in a process of its own with bounded memory. A dead worker is replaced."""

    def __init__(self):
        self.p = None

    def __call__(self, c, seconds=120):
        if self.p is None:
            self.p = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.p.stdin.write(json.dumps(c).encode() + b"\n")
        self.p.stdin.flush()
        if select.select([self.p.stdout], [], [], seconds)[0]:
            line = self.p.stdout.readline()
            if line:
                return json.loads(line)
        else:
            self.p.kill()
        code = self.stop()
        return {"error": {"message": "the process hung" if code == -9 else "the process died: signal %d" % -code, "phase": "decode"}}

    def stop(self):
        self.p.stdin.close()
        code, self.p = self.p.wait(), None
        return code


isolated = Worker()


def serve():
    tf.io.parse_tensor(proto("float32", [1]), tf.float32)
    with open("/proc/self/statm") as f:
        start = int(f.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (start + MEMORY, start + MEMORY))
    for line in sys.stdin:
        print(json.dumps(outcome(json.loads(line))), flush=True)


# --------------------------------------------------------------------------------------------------------------- dialect
#
# What parse_tensor drops, wraps or invents without a word is refused (`ours`), as our rules ask. Where
# both decoders of TensorFlow agree but data is ignored, refusing will do as well (`or`).

RANGE = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-1 << 15, (1 << 15) - 1), "uint16": (0, 65535), "int4": (-8, 7), "uint4": (0, 15),
         "qint8": (-128, 127), "quint8": (0, 255), "qint16": (-1 << 15, (1 << 15) - 1), "quint16": (0, 65535)}


def judge(b):
    """Why a TensorProto that parse_tensor accepts is refused, or may be: ("ours"|"or", reason) or None."""
    from tensorflow.core.framework import tensor_pb2
    p = tensor_pb2.TensorProto()
    p.ParseFromString(b)
    dtype = tf.as_dtype(p.dtype).name
    if dtype in ("resource", "variant"):
        return "ours", "no column holds a %s" % dtype
    n = math.prod(d.size for d in p.tensor_shape.dim)
    field = field_of(dtype)
    got = getattr(p, field)
    count = len(got) // (2 if "complex" in dtype else 1)
    others = [f for f in NUMBER if f != field and len(getattr(p, f))]
    if n > LIMIT and not len(p.tensor_content):
        return "ours", "%d bytes ask for %d elements" % (len(b), n)
    if n > SURE and not len(p.tensor_content):
        return "or", "%d bytes ask for %d elements: a lower limit will do as well" % (len(b), n)
    if n and not len(p.tensor_content):
        if "complex" in dtype and len(got) % 2:
            return "ours", "half of a complex number would be dropped"
        if count > n:
            return "ours", "%d values for %d elements: the surplus would be dropped" % (count, n)
        if field == "half_val" and any(not 0 <= x <= 0xFFFF for x in got):
            return "ours", "half_val of more than 16 bits would be cut"
        lo, hi = RANGE.get(dtype, (None, None))
        if lo is not None and any(not lo <= x <= hi for x in got):
            return "ours", "int_val outside %s would wrap" % dtype
    if others:
        return "or", "%s of a %s tensor is ignored" % (", ".join(others), dtype)
    if count and len(p.tensor_content):
        return "or", "%s is ignored beside tensor_content" % field
    if not n and (count or len(p.tensor_content)):
        return "or", "values are ignored in a tensor without elements"
    return None


def image_format(b):
    """By the first bytes, as decode_image does."""
    for f, m in (("jpeg", b"\xff\xd8\xff"), ("png", b"\x89PNG\r\n\x1a\n"), ("gif", b"GIF8"), ("bmp", b"BM")):
        if b.startswith(m):
            return f
    return "webp" if b.startswith(b"RIFF") and len(b) > 12 and b[8:12] == b"WEBP" else ""


PNG_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}


def image_header(b):
    """What a sound header says: format, height, width, channels as decode_image would have them; None otherwise."""
    f = image_format(b)
    h = w = c = 0
    try:
        if f == "png":
            w, h, depth, color, comp, filt, lace = struct.unpack(">IIBBBBB", b[16:29])
            if b[8:16] != b"\0\0\0\x0dIHDR" or b[29:33] != struct.pack(">I", zlib.crc32(b[12:29])) or depth not in PNG_DEPTHS.get(color, ()) or comp or filt or lace > 1 or max(w, h) >= 1 << 31:
                return None
            trns, i = False, 33
            while i + 8 <= len(b):
                n, name = struct.unpack(">I4s", b[i:i + 8])
                if name in (b"IDAT", b"IEND"):
                    break
                trns |= name == b"tRNS"
                i += 12 + n
            c = 4 if color == 3 and trns else 3 if color == 3 else PNG_CHANNELS[color]
        if f == "jpeg":
            i = 2
            while not c:
                i = b.index(0xFF, i)
                while b[i] == 0xFF:
                    i += 1
                m = b[i]
                if 0xC0 <= m <= 0xCF and m not in (0xC4, 0xC8, 0xCC):
                    h, w, c = struct.unpack(">HHB", b[i + 4:i + 9])
                    if c not in (1, 3, 4):
                        return None
                    c = 3 if c == 4 else c
                elif m in (0xD9, 0xDA):
                    return None
                elif m > 1 and not 0xD0 <= m <= 0xD8:
                    i += 1 + struct.unpack(">H", b[i + 1:i + 3])[0]
        if f == "gif":
            w, h, c = *struct.unpack("<HH", b[6:10]), 3
        if f == "bmp":
            size, w, h, bits = struct.unpack("<Iii2xh", b[14:30])
            if size < 40 or bits not in (8, 24, 32) or len(b) < 32:
                return None
            h, c = abs(h), bits // 8
        if f == "webp":
            name = b[12:16]
            if name == b"VP8 " and b[23:26] == b"\x9d\x01\x2a":
                w, h, c = *(x & 0x3FFF for x in struct.unpack("<HH", b[26:30])), 3
            if name == b"VP8L" and b[20] == 0x2F:
                x, = struct.unpack("<I", b[21:25])
                w, h, c = (x & 0x3FFF) + 1, (x >> 14 & 0x3FFF) + 1, 4 if x >> 28 & 1 else 3
            if name == b"VP8X":
                w, h, c = *(struct.unpack("<I", b[i:i + 3] + b"\0")[0] + 1 for i in (24, 27)), 4 if b[20] & 0x10 else 3
    except (IndexError, ValueError, struct.error):
        return None
    return {"format": f, "height": h, "width": w, "channels": c} if w > 0 and h > 0 and c else None


# ----------------------------------------------------------------------------------------------------------------- cases


def finish(c):
    """Runs a case; adds expect or error, and ours or `or`."""
    c["tags"] = c["tags"].split() if isinstance(c["tags"], str) else c["tags"]
    c.update(isolated(c))
    return c


def raw_case(name, tags, x, dims=None, comment=None, alt=None, **a):
    """tf.io.decode_raw of one string or of a string VALUE."""
    c = {"name": name, "tags": tags, "op": "decode_raw", "decode": {"raw": a}, "input": x if isinstance(x, dict) else string_value(x)}
    if comment:
        c["comment"] = comment
    if dims is not None:
        c["dims"] = {k: d if isinstance(d, dict) else {"dense": {"dtype": "int64", "shape": [], "values": [d]}} for k, d in dims.items()}
    c = finish(c)
    if alt:
        c["or"] = alt
    return c


def tensor_case(name, tags, x, comment=None, **a):
    """tf.io.parse_tensor of one string or of a string VALUE."""
    c = {"name": name, "tags": tags, "op": "parse_tensor", "decode": {"tensor_proto": a}, "input": x if isinstance(x, dict) else string_value(x)}
    if comment:
        c["comment"] = comment
    c = finish(c)
    if "expect" in c and not isinstance(x, dict):
        why = judge(x)
        if why:
            c[why[0]] = {"why": why[1], "error": True}
    return c


def call_case(name, tags, features, records, single=False, comment=None):
    c = {"name": name, "tags": tags, "op": "parse_and_decode", "call": "parse_single_example" if single else "parse_example", "spec": {"features": features}, "records": [b64(r) for r in records]}
    if comment:
        c["comment"] = comment
    return finish(c)


def tfds_case(name, tags, record, shape, dtype, encoding, sequence=False, comment=None):
    f = {"shape": list(shape), "dtype": dtype, "encoding": encoding}
    if sequence:
        f["sequence"] = True
    c = {"name": name, "tags": tags, "op": "tfds", "feature": f, "records": [b64(record)]}
    if comment:
        c["comment"] = comment
    c = finish(c)
    if "expect" in c and encoding == "zlib":
        bad = [judge_zlib(x) for x in strings_in(record)]
        for kind in ("ours", "or"):
            for why in [w for k, w in bad if k == kind][:1]:
                c[kind] = {"why": why, "error": True}
    return c


def strings_in(record):
    """All values of all BytesLists of an Example."""
    e = tf.train.Example.FromString(record)
    return [x for f in e.features.feature.values() for x in f.bytes_list.value]


def judge_zlib(b):
    d = zlib.decompressobj()
    d.decompress(b)
    if not d.eof and b:
        return "ours", "the stream is cut: values may be missing"
    return ("or", "bytes after the end of the stream are ignored") if d.unused_data else (None, None)


def image_case(name, tags, b, comment=None):
    """An image: what its header says, and what decode_image and extract_jpeg_shape say."""
    c = {"name": name, "tags": tags, "op": "image_shape", "bytes": b64(b)}
    if comment:
        c["comment"] = comment
    if image_format(b) == "webp" and b[12:16] == b"VP8X" and len(b) > 20 and b[20] & 0x12 == 2:
        return dict(c, tags=tags.split() + ["unsafe"], decode_image={"undefined": "four channels are written into a tensor of three: the process may die"}, expect=image_header(b))
    c = finish(c)
    if "error" in c:
        c["decode_image"] = {"error": c.pop("error")["message"]}
    header, tf_shape = image_header(b), c["decode_image"].get("shape")
    if tf_shape:
        got = {"format": image_format(b), "height": tf_shape[-3], "width": tf_shape[-2], "channels": tf_shape[-1]}
        if len(tf_shape) == 4:
            got["frames"] = tf_shape[0]
        if header and any(header[k] != got[k] for k in header):
            c["header"] = header                 # TensorFlow's tensor has another size than the header
        c["expect"] = got
    elif header and "WebP header" not in c["decode_image"]["error"]:
        c["expect"] = header
    else:
        c["error"] = {"message": c["decode_image"]["error"], "phase": "decode"}
    c["decodes"] = bool(tf_shape)
    return c


# ------------------------------------------------------------------------------------------------------------ themes: raw

EDGES = {  # bit patterns that show sign, byte order, subnormals, infinities, NaN
    "float16": [0x0000, 0x8000, 0x3C00, 0xC100, 0x0001, 0x03FF, 0x7BFF, 0x7C00, 0xFC00, 0x7E00, 0x7D01, 0x2E66], "bfloat16": [0, 0x8000, 0x3F80, 0xC010, 1, 0x7F7F, 0x7F80, 0xFF80, 0x7FC0, 0x7F81, 0x3DCD, 0x4049],
    "float32": [0, 1 << 31, 0x3F800000, 0xC0100000, 1, 0x7FFFFF, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFC12345, 0x3DCCCCCD, 0x4B800001],
    "float64": [0, 1 << 63, 0x3FF0000000000000, 1, (1 << 52) - 1, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x7FF0000000000001, 0x3FB999999999999A, 0x4340000000000001],
}


def patterns(dtype):
    w = SIZE[dtype]
    if dtype in EDGES:
        return EDGES[dtype]
    if dtype == "bool":
        return [0, 1, 1, 0, 1]
    n = 8 * w
    return [0, 1, (1 << n) - 1, 1 << n - 1, (1 << n - 1) - 1, int("12345678"[:2 * w] * 1, 16) if w <= 4 else 0x0102030405060708]


def pack(dtype, xs, big=False):
    """Bit patterns as bytes; complex numbers are two floats."""
    if dtype in ("complex64", "complex128"):
        part = "float32" if dtype == "complex64" else "float64"
        return pack(part, xs, big)
    return b"".join(x.to_bytes(SIZE[dtype], "big" if big else "little") for x in xs)


def end(big):
    return "big" if big else "little"


def kw(dtype, big=False, **a):
    return dict({"dtype": dtype}, **({"big_endian": True} if big else {}), **a)


def floats(*xs):
    return struct.pack("<%df" % len(xs), *xs)


def shorts(n, start=0):
    return struct.pack("<%dh" % n, *range(start, start + n))


def fixed_string(decode, shape=(), **a):
    return {"fixed_len": dict({"dtype": "string", "shape": list(shape)}, **a, decode=decode)}


def integer():
    return {"fixed_len": {"dtype": "int64", "shape": []}}


def raw_theme(seed=1):
    for d in RAW:
        p = patterns("float32" if d == "complex64" else "float64" if d == "complex128" else d)
        p = p[:len(p) // 2 * 2]
        for big in (False, True):
            yield raw_case("%s %s: edges" % (d, end(big)), "dtype %s %s" % (d, end(big)), pack(d, p, big), **kw(d, big))
            yield raw_case("%s %s: edges, shape [-1, 2]" % (d, end(big)), "dtype shape %s %s" % (d, end(big)), pack(d, p[:len(p) // 4 * 4], big), **kw(d, big, shape=[-1, 2]))
            if not big:
                yield raw_case("%s %s: one element as a scalar" % (d, end(big)), "dtype shape scalar %s %s" % (d, end(big)), pack(d, p[1:3] if "complex" in d else p[1:2], big), **kw(d, big, shape=[]))
        one = pack(d, p[2:4] if "complex" in d else p[2:3])
        yield raw_case("%s: vector of two strings" % d, "dtype vector %s" % d, string_value(one * 2, one[::-1] * 2, shape=[2]), **kw(d))
        yield raw_case("%s: empty string" % d, "empty %s" % d, b"", **kw(d))
        w = SIZE[d]
        for n in sorted({w - 1, w + 1} if w > 1 else set()):
            if n % w:
                yield raw_case("%s: %d bytes" % (d, n), "length %s" % d, bytes(range(n)), **kw(d))
    yield raw_case("bool: bytes other than 0 and 1", "dtype bool", b"\x00\x01\x02\x80\xff", comment="true in NumPy; inside TensorFlow the byte stays (cast to uint8 gives 2, equal to True gives false)", dtype="bool")
    for name, d in (("half", "float16"), ("float", "float32"), ("double", "float64")):
        yield raw_case("dtype name %s is %s" % (name, d), "dtype names", pack(d, [0]), dtype=name)
    for d in ("uint32", "uint64"):
        alt = {"why": "the same bytes as unsigned numbers are no guess; TFDS reads uint64 so, by a bitcast of int64", "expect": {"dense": {"dtype": d, "shape": [2], "values": [1, (1 << 8 * SIZE[d]) - 1]}}}
        yield raw_case("%s is not among decode_raw's dtypes" % d, "dtype refused %s" % d, b"\1" + bytes(SIZE[d] - 1) + b"\xff" * SIZE[d], alt=alt, dtype=d)
    for d in ("string", "qint8", "qint32", "int4", "float8_e5m2", "resource", "variant", "int128", "Int16", "i2", ""):
        yield raw_case("dtype %r is refused" % d, "dtype refused", bytes(16), dtype=d)

    # vectors of strings
    s6, t6 = shorts(3), shorts(3, 7)
    for what, xs, shape in [("equal lengths", [s6, t6], [2]), ("one string in a vector", [s6], [1]), ("a matrix", [s6, t6, t6, s6, s6, t6], [2, 3]), ("rank 3", [s6] * 4, [2, 1, 2]), ("no strings", [], [0]),
                            ("no strings, rank 2", [], [0, 3]), ("no strings, rank 2 the other way", [], [3, 0]), ("all empty", [b"", b""], [2]), ("rank 2 with shape 1", [s6], [1, 1])]:
        yield raw_case("vector: " + what, "vector batch", string_value(*xs, shape=shape), dtype="int16")
        yield raw_case("vector: %s, shape [3, 1]" % what, "vector batch shape", string_value(*xs, shape=shape), dtype="int16", shape=[3, 1])
    for what, xs, shape in [("unequal by an element", [s6, s6[:4]], [2]), ("unequal by a byte", [s6, s6[:5]], [2]), ("the first is longer", [s6 + b"xx", s6, s6], [3]), ("the last differs", [s6] * 6 + [s6[:2]], [7]),
                            ("first empty", [b"", s6], [2]), ("last empty", [s6, b""], [2]), ("unequal in a matrix", [s6, s6, s6, t6[:4]], [2, 2]), ("equal and not a multiple", [s6[:5]] * 2, [2]),
                            ("unequal, only the second a multiple", [s6[:5], s6], [2])]:
        yield raw_case("vector: " + what, "vector unequal", string_value(*xs, shape=shape), comment="the message swaps the two sizes" if what == "unequal by an element" else None, dtype="int16")
    for shape in ([-1], [-1, 3], [3, -1], [1, -1, 1]):
        yield raw_case("vector: two strings, shape %s" % shape, "vector shape", string_value(s6, t6, shape=[2]), dtype="int16", shape=shape)
        yield raw_case("vector: no strings, shape %s" % shape, "vector shape empty-infer", string_value(shape=[0]), dtype="int16", shape=shape, comment="the shape in front is 0; TensorFlow infers -1 from 0 elements")

    # shapes
    x12 = shorts(12)
    for shape in ([12], [-1], [2, 6], [-1, 6], [6, -1], [2, -1, 3], [1, 12, 1], [12, 1], [-1, 1], [-1, 12], [-1, 1, 12], [2, 2, 3], [1, 1, 1, 1, 12], [2, 3, 2, 1]):
        yield raw_case("shape %s of 12" % shape, "shape", x12, dtype="int16", shape=shape)
    for shape in ([], [11], [13], [5, -1], [-1, 5], [-1, 24], [7, 2], [2, 2, 2], [-1, -1], [-1, 6, -1], [-2], [-2, -1], [3, -4], [0], [0, -1], [-1, 0], [0, 12], [12, 0], [1 << 40], [1 << 40, 1 << 40], [1 << 62, 4], [1 << 32, 1 << 32, 0]):
        yield raw_case("shape %s of 12" % shape, "shape mismatch", x12, dtype="int16", shape=shape)
    for shape in ([0], [-1], [0, 5], [5, 0], [-1, 5], [5, -1], [0, -1], [-1, 0], [2, 3], [], [1], [1 << 40, 0]):
        yield raw_case("shape %s of an empty string" % shape, "shape empty", b"", dtype="int16", shape=shape, **({"comment": "-1 becomes 1 where the rest is 0"} if -1 in shape and 0 in shape else {}))

    # dimensions by name
    img = bytes(range(24))
    hwd = ["height", "width", "depth"]
    for what, dims, shape in [("2 x 4 x 3", (2, 4, 3), hwd), ("4 x 2 x 3", (4, 2, 3), hwd), ("24 x 1 x 1", (24, 1, 1), hwd), ("one named, channels fixed", (2, 4, 3), ["height", "width", 3]), ("names and -1", (2, 4, 3), ["height", -1, "depth"]),
                              ("-1 first", (2, 4, 3), [-1, "width", "depth"]), ("the same name twice", (2, 4, 3), ["height", "height", -1]), ("width before height", (2, 4, 3), ["width", "height", "depth"]), ("one name alone", (24, 1, 1), ["height"])]:
        yield raw_case("dims: " + what, "dims", img, dims=dict(zip(hwd, dims)), dtype="uint8", shape=shape)
    for what, dims, shape in [("product too small", (2, 4, 2), hwd), ("product too large", (3, 4, 3), hwd), ("height 0", (0, 4, 3), hwd), ("all 0", (0, 0, 0), hwd), ("height negative", (-2, 4, 3), hwd), ("two negative, product right", (-2, -4, 3), hwd),
                              ("height -1 is inferred", (-1, 4, 3), hwd), ("two are -1", (-1, -1, 3), hwd), ("height -1 beside -1", (-1, 4, 3), ["height", -1, 3]), ("overflow", (1 << 62, 4, 3), hwd), ("wraps to the right product", (1 << 61, 8, 24), hwd), ("height 2^63-1", ((1 << 63) - 1, 1, 1), hwd)]:
        yield raw_case("dims: " + what, "dims mismatch", img, dims=dict(zip(hwd, dims)), dtype="uint8", shape=shape)
    vec = lambda *xs: {"dense": {"dtype": "int64", "shape": [len(xs)], "values": list(xs)}}
    yield raw_case("dims: features of shape [1]", "dims", img, dims={"height": vec(2), "width": vec(4), "depth": vec(3)}, comment="FixedLenFeature([1]): tf.stack makes a matrix of the sizes", dtype="uint8", shape=hwd)
    yield raw_case("dims: empty image and height 0", "dims empty", b"", dims={"height": 0, "width": 4, "depth": 3}, dtype="uint8", shape=hwd)
    yield raw_case("dims: empty image and height 2", "dims empty", b"", dims={"height": 2, "width": 4, "depth": 3}, dtype="uint8", shape=hwd)
    yield raw_case("dims: float32 image read as uint8", "dims mismatch trap", struct.pack("<24f", *range(24)), dims={"height": 2, "width": 4, "depth": 3}, comment="four times too many values: the usual sign of a wrong dtype", dtype="uint8", shape=hwd)
    yield raw_case("dims: float64 array read as float32", "dtype trap", struct.pack("<6d", 0.1, 0.2, 0.4, 0.8, 0.9, 1.1), comment="tensorflow#12234: NumPy's default is float64; no error, wrong numbers", dtype="float32")
    yield raw_case("dims: a serialized TensorProto read as raw", "trap", tf.io.serialize_tensor(tf.range(6)).numpy(), comment="tensorflow#45240: serialize_tensor is undone by parse_tensor", dtype="int32")

    # fixed_length
    for d in ("int16", "float32"):
        w = SIZE[d]
        for what, xs, n in [("exact", [bytes(range(2 * w))], 2 * w), ("longer is cut", [bytes(range(4 * w))], 2 * w), ("shorter is padded with zeros", [bytes(range(1, w + 1))], 3 * w), ("unequal strings", [b"", b"\1", bytes(range(3 * w))], 2 * w), ("not a multiple in the string", [bytes(range(1, w + 2))], 3 * w)]:
            yield raw_case("fixed_length %s: %s" % (d, what), "fixed_length", string_value(*xs, shape=[len(xs)]), dtype=d, fixed_length=n)
    for n in (0, 3, -2):
        yield raw_case("fixed_length %d" % n, "fixed_length", string_value(s6, shape=[1]), dtype="int16", fixed_length=n)
    for d in ("float16", "bool", "complex64"):
        yield raw_case("fixed_length %s is refused" % d, "fixed_length refused", string_value(bytes(16), shape=[1]), dtype=d, fixed_length=16)
    yield raw_case("fixed_length big endian, long enough", "fixed_length big", string_value(bytes(range(8)), shape=[1]), comment="with a shorter string TensorFlow reads past its end: no case here", dtype="int16", big_endian=True, fixed_length=4)

    # records
    raw = lambda **a: {"raw": a}
    im = lambda b, h, w, d=3: example({"image_raw": B(b), "height": I(h), "width": I(w), "depth": I(d)})
    spec = {"image_raw": fixed_string(raw(dtype="uint8", shape=hwd)), "height": integer(), "width": integer(), "depth": integer()}
    yield call_case("records: image_raw with height, width, depth", "records dims", spec, [im(bytes(12), 2, 2), im(bytes(range(12)), 2, 2)])
    yield call_case("records: sizes differ", "records dims ragged", spec, [im(bytes(range(12)), 2, 2), im(bytes(range(6)), 1, 2), im(bytes(range(3)), 1, 1)], comment="TensorFlow decodes them one by one; decode_raw of the batch refuses unequal lengths")
    yield call_case("records: single", "records dims single", spec, [im(bytes(range(12)), 1, 4)], single=True)
    yield call_case("records: the second does not fit", "records dims mismatch", spec, [im(bytes(12), 2, 2), im(bytes(11), 2, 2)])
    yield call_case("records: no width in the third", "records dims missing", spec, [im(bytes(12), 2, 2), im(bytes(12), 2, 2), example({"image_raw": B(bytes(12)), "height": I(2), "depth": I(3)})])
    yield call_case("records: names with slashes", "records dims", {"image/encoded": fixed_string(raw(dtype="int16", shape=["image/height", "image/width"])), "image/height": integer(), "image/width": integer()},
                    [example({"image/encoded": B(shorts(6)), "image/height": I(3), "image/width": I(2)})])
    yield call_case("records: a name that the spec lacks", "records config", {"x": fixed_string(raw(dtype="int16", shape=["n", 2]))}, [example({"x": B(shorts(4)), "n": I(2)})])
    yield call_case("records: a float size", "records config", {"x": fixed_string(raw(dtype="int16", shape=["n"])), "n": {"fixed_len": {"dtype": "float32", "shape": []}}}, [example({"x": B(shorts(2)), "n": F(2.0)})])
    plain = {"x": fixed_string(raw(dtype="int16", shape=[-1, 6])), "y": {"fixed_len": {"dtype": "int64", "shape": []}}}
    yield call_case("records: int16 [-1, 6] of different lengths", "records ragged", plain, [example({"x": B(shorts(6 * n)), "y": I(n)}) for n in (1, 2, 0, 3)])
    yield call_case("records: int16 of different lengths, no shape", "records ragged", {"x": fixed_string(raw(dtype="int16"))}, [example({"x": B(shorts(n))}) for n in (1, 2, 0, 3)])
    yield call_case("records: odd length in the second", "records length", plain, [example({"x": B(shorts(6)), "y": I(1)}), example({"x": B(shorts(6)[:-1]), "y": I(1)})])
    yield call_case("records: absent, default empty", "records default", {"x": fixed_string(raw(dtype="int16", shape=[-1, 6]), default="")}, [example(), example({"x": B(shorts(6))})])
    yield call_case("records: absent, default four bytes", "records default", {"x": fixed_string(raw(dtype="int16"), default={"b64": b64(shorts(2, 5))})}, [example(), example({"x": B(shorts(2))})])
    yield call_case("records: absent, no default", "records missing", {"x": fixed_string(raw(dtype="int16"))}, [example({"x": B(b"")}), example()])
    yield call_case("records: default empty, shape [2]", "records default mismatch", {"x": fixed_string(raw(dtype="int16", shape=[2]), default="")}, [example()])
    yield call_case("records: two strings in one feature", "records vector", {"x": fixed_string(raw(dtype="int16", shape=[2]), [2])}, [example({"x": B(shorts(2), shorts(2, 5))}), example({"x": B(shorts(2, 9), shorts(2))})])
    yield call_case("records: two strings of unequal length in one feature", "records vector unequal", {"x": fixed_string(raw(dtype="int16"), [2])}, [example({"x": B(shorts(2), shorts(3))})])
    yield call_case("records: the feature is a FloatList", "records kind", {"x": fixed_string(raw(dtype="float32"))}, [example({"x": F(1.0)})])
    for kind, s in (("var_len", {"var_len": {"dtype": "string", "decode": raw(dtype="int16", shape=[2])}}), ("fixed_len_sequence", {"fixed_len_sequence": {"dtype": "string", "shape": [], "decode": raw(dtype="int16", shape=[2])}}),
                    ("ragged", {"ragged": {"dtype": "string", "decode": raw(dtype="int16", shape=[2])}})):
        yield call_case("records: %s of 3, 1 and 0 strings" % kind, "records vector " + kind, {"x": s}, [example({"x": B(shorts(2), shorts(2, 3), shorts(2, 9))}), example({"x": B(shorts(2))}), example({"x": B()})],
                        comment="record by record: in a batch TensorFlow pads a fixed_len_sequence with \"\", and decode_raw refuses unequal lengths")
        yield call_case("records: %s of unequal strings" % kind, "records vector unequal " + kind, {"x": s}, [example({"x": B(shorts(2), shorts(4))})])
    yield call_case("records: float64 beside float32", "records", {"a": fixed_string(raw(dtype="float64")), "b": fixed_string(raw(dtype="float32", big_endian=True))}, [example({"a": B(struct.pack("<2d", 0.1, -1e300)), "b": B(struct.pack(">2f", 0.1, 3e38))})])
    yield call_case("records: dtype refused", "records config", {"a": fixed_string(raw(dtype="qint8"))}, [example({"a": B(b"x")})])

    yield from tfds_cases(random.Random(seed), 1)
    rnd = random.Random(seed)
    for n in range(40):
        d, big, rank = rnd.choice(RAW), rnd.random() < 0.4, rnd.choice([0, 0, 1, 2])
        dims = [rnd.choice([1, 2, 3, 5]) for _ in range(rnd.choice([1, 2, 3]))]
        count = math.prod(dims)
        front = [rnd.choice([1, 2, 3]) for _ in range(rank)]
        size = count * SIZE[d] + rnd.choice([0] * 8 + [1, -1, SIZE[d]])
        xs = [bytes(rnd.choice([0, 1]) for _ in range(size)) if d == "bool" else rnd.randbytes(size) for _ in range(math.prod(front))]
        if rnd.random() < 0.1 and len(xs) > 1:
            xs[-1] = xs[-1][:-SIZE[d]]
        shape = [-1 if i == rnd.randrange(6) else x for i, x in enumerate(dims)]
        a = kw(d, big, **({"shape": shape} if rnd.random() < 0.8 else {}))
        yield raw_case("random %d" % n, "random %s %s" % (d, end(big)), string_value(*xs, shape=front if rank else None) if rank else xs[0], **a)


def tfds_cases(rnd, round_):
    """features.Tensor(encoding=...) as TFDS reads it."""
    zl = lambda b: zlib.compress(b, 6)
    for encoding in ("bytes", "zlib"):
        enc = zl if encoding == "zlib" else lambda b: b
        for d in ("uint8", "int16", "int32", "int64", "uint64", "float16", "float32", "bool", "uint32") if encoding == "bytes" else ("uint16", "uint64", "float64", "bool"):
            w = SIZE[d]
            data = bytes([0, 1, 1, 0, 1, 1]) if d == "bool" else bytes((i * 37 + 5) & 255 for i in range(6 * w))
            yield tfds_case("tfds %s %s [2, 3]" % (encoding, d), "tfds %s %s" % (encoding, d), example({"x": B(enc(data))}), [2, 3], d, encoding, comment="TFDS asks decode_raw for uint32, which has no kernel: TFDS can write it and not read it" if d == "uint32" else None)
        data = bytes(range(12))
        for what, rec, shape in [("[None, 3]", {"x": B(enc(data))}, [None, 3]), ("[None, 3], empty", {"x": B(enc(b""))}, [None, 3]), ("[None, 5] does not fit", {"x": B(enc(data))}, [None, 5]), ("scalar", {"x": B(enc(b"\7"))}, []),
                                 ("two unknown", {"x/value": B(enc(data)), "x/shape": I(2, 2, 3)}, [None, None, 3]), ("two unknown, shape does not fit", {"x/value": B(enc(data)), "x/shape": I(2, 3, 3)}, [None, None, 3]),
                                 ("two unknown, static dimension wins", {"x/value": B(enc(data)), "x/shape": I(2, 2, 9)}, [None, None, 3]), ("all unknown", {"x/value": B(enc(data)), "x/shape": I(3, 4)}, [None, None]),
                                 ("all unknown, empty", {"x/value": B(enc(b"")), "x/shape": I(0, 4)}, [None, None]), ("two unknown, shape missing", {"x/value": B(enc(data))}, [None, None, 3]), ("two unknown, shape of two", {"x/value": B(enc(data)), "x/shape": I(4, 3)}, [None, None, 3]),
                                 ("two unknown, shape with -1", {"x/value": B(enc(data)), "x/shape": I(-1, 2, 3)}, [None, None, 3]), ("feature absent", {}, [2, 6]), ("two strings", {"x": B(enc(data), enc(data))}, [2, 6]), ("not the length", {"x": B(enc(data[:11]))}, [2, 6])][::2 if encoding == "zlib" else 1]:
            yield tfds_case("tfds %s uint8 %s" % (encoding, what), "tfds shape " + encoding, example(rec), shape, "uint8", encoding)
        yield tfds_case("tfds %s sequence of int16 [2]" % encoding, "tfds sequence " + encoding, example({"x": B(enc(shorts(2)), enc(shorts(2, 5)), enc(shorts(2, 9)))}), [2], "int16", encoding, sequence=True)
        yield tfds_case("tfds %s sequence without elements" % encoding, "tfds sequence " + encoding, example({"x": B()}), [2], "int16", encoding, sequence=True)
    z = zl(bytes(range(12)))
    for what, b in [("empty", b""), ("cut by one", z[:-1]), ("cut by the checksum", z[:-4]), ("cut in the middle", z[:len(z) // 2]), ("only the header", z[:2]), ("wrong checksum", z[:-1] + bytes([z[-1] ^ 1])), ("bytes after the end", z + b"xyz"),
                    ("two streams", z + zl(b"abc")), ("zeros after the end", z + bytes(4)), ("gzip", gzip.compress(bytes(range(12)), mtime=0)), ("raw deflate", z[2:-4]), ("not compressed", bytes(range(12))), ("stored", zlib.compress(bytes(range(12)), 0)), ("level 9", zlib.compress(bytes(range(12)), 9)), ("first byte flipped", bytes([z[0] ^ 0x10]) + z[1:])]:
        yield tfds_case("tfds zlib stream: " + what, "tfds zlib stream", example({"x": B(b)}), [None], "uint8", "zlib")
    bomb = zlib.compress(bytes(3 << 20), 9)
    yield tfds_case("tfds zlib stream: 3 MiB of zeros in %d bytes" % len(bomb), "tfds zlib stream large", example({"x": B(bomb)}), [None], "uint8", "zlib")


# ---------------------------------------------------------------------------------------------------- themes: tensor_proto


def sample(dtype, n):
    """n values of dtype as bit patterns and as what goes into its *_val field."""
    if dtype == "string":
        return [b"", b"a", b"\xff\x00", "h\u00e9".encode(), b"xyz", b"0"][:n]
    if "complex" in dtype:
        return [0.5 * i - 1 for i in range(2 * n)]
    if dtype in ("float32", "float64"):
        return [1.5, -0.25, 0.1, float("inf"), 1e-40, -3e38][:n]
    if dtype == "bool":
        return [1, 0, 1, 1, 0, 0][:n]
    if field_of(dtype) == "half_val":
        return (EDGES["float16"] if dtype == "float16" else EDGES["bfloat16"])[2:2 + n]
    if dtype.startswith("float8"):
        return [0x3C, 0x40, 0xBC, 0x01, 0x7B, 0x00][:n]
    lo, hi = RANGE.get(dtype, (0, (1 << 8 * SIZE[dtype]) - 1) if dtype.startswith("u") else (-(1 << 8 * SIZE[dtype] - 1), (1 << 8 * SIZE[dtype] - 1) - 1))
    return [1, lo, hi, 3, 0, hi - 1][:n]


def as_content(dtype, xs):
    """The same values as tensor_content."""
    if dtype == "string":
        return b"".join(varint(len(x)) for x in xs) + b"".join(xs)
    if "complex" in dtype or dtype in ("float32", "float64"):
        return struct.pack("<%d%s" % (len(xs), "d" if dtype in ("float64", "complex128") else "f"), *xs)
    return b"".join((x & (1 << 8 * SIZE[dtype]) - 1).to_bytes(SIZE[dtype], "little") for x in xs)


ALL = ["float32", "float64", "int32", "uint8", "int16", "int8", "string", "complex64", "int64", "bool", "qint8", "quint8", "qint32", "bfloat16", "qint16", "quint16",
       "uint16", "complex128", "float16", "uint32", "uint64", "float8_e5m2", "float8_e4m3fn", "int4", "uint4"]


def tensor_theme(seed=1):
    for d in ALL:
        t, f = "dtype " + d, field_of(d)
        x4, per = sample(d, 4), 2 if "complex" in d else 1
        rare = d in ("qint8", "quint8", "qint32", "qint16", "quint16", "int4", "uint4", "float8_e4m3fn", "float8_e5m2", "int8", "int16", "uint16", "uint32", "complex128", "float64")
        yield tensor_case("%s: %s" % (d, f), t + " vals", proto(d, [2, 2], vals(f, x4)), dtype=d)
        yield tensor_case("%s: tensor_content" % d, t + " content", proto(d, [4], content(as_content(d, x4))), dtype=d)
        yield tensor_case("%s: one value for [3]" % d, t + " splat", proto(d, [3], vals(f, x4[:per])), dtype=d)
        if rare:
            continue
        yield tensor_case("%s: two values for [2, 2]" % d, t + " splat", proto(d, [2, 2], vals(f, x4[:2 * per])), dtype=d)
        yield tensor_case("%s: no values for [2]" % d, t + " novals", proto(d, [2]), dtype=d)
        yield tensor_case("%s: scalar" % d, t + " scalar", proto(d, [], vals(f, x4[:per])), dtype=d)
        yield tensor_case("%s: five values for four" % d, t + " surplus", proto(d, [4], vals(f, sample(d, 5))), dtype=d)
        yield tensor_case("%s: content a byte short" % d, t + " content length", proto(d, [4], content(as_content(d, x4)[:-1])), dtype=d)
        if d in ("float32", "int64", "string", "bool"):
            yield tensor_case("%s: content a byte long" % d, t + " content length", proto(d, [4], content(as_content(d, x4) + b"\0")), dtype=d)
            yield tensor_case("%s: content of three elements for four" % d, t + " content length", proto(d, [4], content(as_content(d, x4[:3 * per]))), dtype=d)
            yield tensor_case("%s: content empty, no values" % d, t + " content novals", proto(d, [2], content(b"")), dtype=d, comment="an empty tensor_content counts as absent")
            yield tensor_case("%s: content empty beside values" % d, t + " content", proto(d, [4], content(b"") + vals(f, x4)), dtype=d)
            yield tensor_case("%s: content beside other values" % d, t + " content both", proto(d, [4], content(as_content(d, x4)) + vals(f, sample(d, 4)[::-1] if per == 1 else x4)), dtype=d, comment="tensor_content wins")
            yield tensor_case("%s: values beside a later content" % d, t + " content both", proto(d, [4], vals(f, x4[:per]) + content(as_content(d, x4))), dtype=d)
        if f not in ("string_val", "float8_val"):
            yield tensor_case("%s: %s not packed" % (d, f), t + " vals unpacked", proto(d, [4], vals(f, x4, "unpacked")), dtype=d)
        if d in ("float32", "string", "complex64"):
            yield tensor_case("%s: shape [0]" % d, t + " zero", proto(d, [0]), dtype=d)
            yield tensor_case("%s: shape [0, 3]" % d, t + " zero", proto(d, [0, 3]), dtype=d)
            yield tensor_case("%s: shape [2, 0] with values" % d, t + " zero", proto(d, [2, 0], vals(f, x4)), dtype=d)
            yield tensor_case("%s: shape [0] with content" % d, t + " zero content", proto(d, [0], content(as_content(d, x4))), dtype=d)
    for d, f, xs in [("int8", "int_val", [300, -1]), ("int8", "int_val", [128]), ("int8", "int_val", [-129]), ("uint8", "int_val", [256]), ("uint8", "int_val", [-1]), ("int16", "int_val", [70000]), ("uint16", "int_val", [-1]), ("uint16", "int_val", [65536]),
                     ("int4", "int_val", [8]), ("uint4", "int_val", [16]), ("float16", "half_val", [0x13C00]), ("float16", "half_val", [-1]), ("bfloat16", "half_val", [0x13F80]), ("bool", "bool_val", [2, 0]), ("int32", "int_val", [1 << 31]), ("int32", "int_val", [(1 << 32) + 5]), ("uint32", "uint32_val", [(1 << 32) + 5])]:
        yield tensor_case("%s: %s holds %s" % (d, f, xs), "range " + d, proto(d, [len(xs)], vals(f, xs)), dtype=d)
    yield tensor_case("bool: content with byte 2", "bool content range", proto("bool", [2], content(b"\2\0")), dtype="bool")
    yield tensor_case("complex64: three floats for two", "complex odd", proto("complex64", [2], vals("scomplex_val", [1, 2, 3])), dtype="complex64")
    yield tensor_case("complex64: one float for one", "complex odd", proto("complex64", [1], vals("scomplex_val", [1])), dtype="complex64")
    yield tensor_case("complex128: five doubles for two", "complex odd surplus", proto("complex128", [2], vals("dcomplex_val", [1, 2, 3, 4, 5])), dtype="complex128")
    for d, f, x in [("float32", "int_val", [1]), ("float32", "double_val", [1.5]), ("int64", "int_val", [7]), ("int32", "int64_val", [7]), ("uint32", "int_val", [7]), ("uint64", "int64_val", [7]), ("string", "int_val", [7]), ("float16", "float_val", [1.5]), ("bool", "int_val", [1]), ("float64", "float_val", [2.0])]:
        yield tensor_case("%s: values in %s" % (d, f), "wrong field " + d, proto(d, [2], vals(f, x)), dtype=d, comment="another type's field is ignored: zeros, without a word")
        if d in ("float32", "int32"):
            yield tensor_case("%s: values in %s and in its own field" % (d, f), "wrong field " + d, proto(d, [2], vals(f, x) + vals(field_of(d), sample(d, 2))), dtype=d)
    for what, b in [("lengths and bytes", b"\1\2abc"), ("empty strings", b"\0\0"), ("lengths cut", b"\1"), ("bytes missing", b"\1\2ab"), ("bytes left over", b"\1\2abcd"), ("a padded length", b"\x81\0\2abc"), ("a length of 2^63", varint(1 << 63) + b"\2abc"), ("a length of 2^31", varint(1 << 31) + b"\2abc"), ("a varint that does not end", b"\xff" * 11)]:
        yield tensor_case("string content: " + what, "string content", proto("string", [2], content(b)), dtype="string")

    # serialize_tensor
    for name, t in [("float32 []", tf.constant(1.5)), ("float32 [0]", tf.constant([], tf.float32)), ("float32 [3]", tf.constant([1., 2., 3.])), ("float32 [2, 2]", tf.constant([[1., 2.], [3., 4.]])), ("int64 []", tf.constant(-5, tf.int64)), ("int32 [2, 1, 3]", tf.reshape(tf.range(6), [2, 1, 3])),
                    ("string []", tf.constant("ab")), ("string [2]", tf.constant(["", "xyz"])), ("string [0, 2]", tf.zeros([0, 2], tf.string)), ("bool [3]", tf.constant([True, False, True])), ("float16 [2]", tf.constant([0.1, -2], tf.float16)), ("complex64 [1]", tf.constant([1 + 2j], tf.complex64)),
                    ("uint8 [4]", tf.constant([0, 1, 128, 255], tf.uint8)), ("uint64 []", tf.constant((1 << 64) - 1, tf.uint64)), ("float64 [1]", tf.constant([0.1], tf.float64)), ("rank 6", tf.ones([1, 2, 1, 2, 1, 1]))]:
        yield tensor_case("serialize_tensor: " + name, "tf writes", tf.io.serialize_tensor(t).numpy(), dtype=t.dtype.name)
    for name, p in [("make_tensor_proto 5", tf.make_tensor_proto(5)), ("make_tensor_proto [1, 2]", tf.make_tensor_proto([1, 2])), ("make_tensor_proto of equal elements", tf.make_tensor_proto(7.0, shape=[4])), ("make_tensor_proto of strings", tf.make_tensor_proto(["a", "b"])), ("make_tensor_proto of nothing", tf.make_tensor_proto([], dtype=tf.float32))]:
        yield tensor_case(name, "python writes", p.SerializeToString(deterministic=True))

    # shapes
    one = vals("float_val", [3.0])
    for what, b in [("no tensor_shape", proto("float32", None, one)), ("empty tensor_shape", proto("float32", [], one)), ("dtype alone", proto("float32", None)), ("unknown rank, one value", proto("float32", [], one, unknown_rank=True)), ("unknown rank, two values", proto("float32", [], vals("float_val", [3, 4]), unknown_rank=True)),
                    ("unknown rank beside dimensions", proto("float32", [2], vals("float_val", [3, 4]), unknown_rank=True)), ("-1", proto("float32", [-1], one)), ("-2", proto("float32", [-2], one)), ("[2, -1]", proto("float32", [2, -1], one)), ("[0, -1]", proto("float32", [0, -1])), ("-2^63", proto("float32", [-(1 << 63)])),
                    ("a dimension without size", proto("float32", None, ld(2, ld(2, b"")) + one)), ("a dimension with a name", proto("float32", None, ld(2, ld(2, v(1, 2) + ld(2, b"batch"))) + one)), ("a name that is not UTF-8", proto("float32", None, ld(2, ld(2, v(1, 2) + ld(2, b"\xff"))) + one)),
                    ("64 dimensions", proto("float32", [1] * 64, one)), ("65 dimensions", proto("float32", [1] * 65, one)), ("254 dimensions", proto("float32", [1] * 254, one)), ("255 dimensions", proto("float32", [1] * 255, one)), ("1000 dimensions", proto("float32", [1] * 1000, one)),
                    ("size given twice", proto("float32", None, ld(2, ld(2, v(1, 5) + v(1, 2))) + one)), ("tensor_shape twice: dimensions add up", proto("float32", [2], shape_bytes([3]) + one)), ("size as fixed64", proto("float32", None, ld(2, ld(2, tag(1, 1) + bytes([2] + [0] * 7))) + one)),
                    ("[0, 2^40]", proto("float32", [0, 1 << 40])), ("[2^40, 0]", proto("float32", [1 << 40, 0])), ("[2^62, 0]", proto("float32", [1 << 62, 0])), ("[2^40, 2^40]", proto("float32", [1 << 40, 1 << 40])), ("[2^40, 2^40, 0]", proto("float32", [1 << 40, 1 << 40, 0])), ("[2^32, 2^32]", proto("float32", [1 << 32, 1 << 32], one)), ("2^63-1", proto("float32", [(1 << 63) - 1], one))]:
        yield tensor_case("shape: " + what, "shape", b, dtype="float32")
    for n in (16, 20, 24, 26, 28):
        yield tensor_case("claims 2^%d float32, one value" % n, "claim", proto("float32", [1 << n], one), dtype="float32")
    for n in (28, 40):
        yield tensor_case("claims 2^%d float32, no values" % n, "claim", proto("float32", [1 << n]), dtype="float32", comment="TensorFlow had 6 GiB of memory here")
    for n in (31, 40, 61):
        yield tensor_case("claims 2^%d float32, one value" % n, "claim", proto("float32", [1 << n], one), dtype="float32", comment="TensorFlow had 6 GiB of memory here: with more it allocates what is asked for")
        yield tensor_case("claims 2^%d float32, content of one" % n, "claim content", proto("float32", [1 << n], content(floats(3))), dtype="float32")
    for d, n in (("string", 16), ("string", 25), ("string", 40), ("int8", 31), ("complex128", 25), ("bool", 40)):
        yield tensor_case("claims 2^%d %s" % (n, d), "claim " + d, proto(d, [1 << n]), dtype=d)
    yield tensor_case("claims [2^20, 2^20] in dimensions", "claim", proto("float32", [1 << 20, 1 << 20], one), dtype="float32")

    # dtypes
    for what, b, d in [("resource", proto("resource", [1]), "resource"), ("variant", proto("variant", [1]), "variant"), ("variant with a value", proto("variant", [], ld(15, ld(1, b"x"))), "variant"), ("resource with a handle", proto("resource", [], ld(14, ld(1, b"cpu") + ld(2, b"c") + ld(3, b"n"))), "resource"), ("resource as float32", proto("resource", [1]), "float32"),
                       ("DT_INVALID", proto(0, [1]), "float32"), ("no dtype", shape_bytes([1]), "float32"), ("a ref dtype", proto(101, [1], one), "float32"), ("9999", proto(9999, [1]), "float32"), ("-1", proto(-1, [1]), "float32"), ("2^32 + 1", proto((1 << 32) + 1, [1], one), "float32"), ("dtype twice, the last wins", proto("float32", [1], v(1, 3) + vals("int_val", [4])), "int32"),
                       ("26 (float8_e4m3fnuz)", proto(26, [1]), "float32"), ("28", proto(28, [1]), "float32"), ("31", proto(31, [1]), "float32")]:
        yield tensor_case("dtype: " + what, "dtype odd", b, dtype=d)
    for a, b in [("float32", "float64"), ("float64", "float32"), ("int32", "int64"), ("int32", "float32"), ("int64", "uint64"), ("uint8", "int8"), ("uint8", "string"), ("string", "uint8"), ("float16", "bfloat16"), ("bool", "uint8"), ("qint8", "int8"), ("complex64", "float32")]:
        yield tensor_case("%s asked for as %s" % (a, b), "mismatch", proto(a, [1], vals(field_of(a), sample(a, 1))), dtype=b)
        yield tensor_case("%s, dtype not named (%s)" % (a, b), "auto", proto(a, [1], vals(field_of(a), sample(a, 1))))
    yield tensor_case("empty string", "empty", b"", dtype="float32")
    yield tensor_case("empty string, dtype not named", "empty auto", b"")
    m = proto("float32", [2, 3], vals("float_val", range(6)))
    for shape in ([2, 3], [-1, 3], [2, -1], [-1, -1]):
        yield tensor_case("shape option %s of [2, 3]" % shape, "option", m, dtype="float32", shape=shape)
    for shape in ([3, 2], [6], [-1], [], [2, 4], [2, 3, 1], [-1, -1, -1]):
        yield tensor_case("shape option %s of [2, 3]" % shape, "option mismatch", m, dtype="float32", shape=shape, comment="the option checks (tf.ensure_shape), it does not reshape")

    # the wire
    base = proto("float32", [2], content(floats(1, 2)))
    for i in range(1, len(base)):
        yield tensor_case("cut after %d of %d bytes" % (i, len(base)), "cut", base[:i], dtype="float32")
    for what, b in [("byte 01 after the end", base + b"\1"), ("zero after the end", base + b"\0"), ("two zeros after the end", base + b"\0\0"), ("an unknown field after the end", base + ld(99, b"abc")), ("an unknown varint first", v(100, 5) + base), ("unknown fixed32 and fixed64", tag(50, 5) + b"abcd" + tag(51, 1) + b"abcdefgh" + base),
                    ("an unknown group", base + tag(99, 3) + v(1, 5) + tag(99, 4)), ("a nested unknown group", base + tag(99, 3) + tag(98, 3) + tag(98, 4) + tag(99, 4)), ("a group without end", base + tag(99, 3)), ("an end without group", base + tag(99, 4)), ("groups crossed", base + tag(99, 3) + tag(98, 3) + tag(99, 4) + tag(98, 4)), ("wire type 6", base + b"\x3e"), ("wire type 7", base + b"\x3f"),
                    ("field 0", base + b"\2\0"), ("unknown fields inside tensor_shape", proto("float32", [2], content(floats(1, 2)), extra=v(9, 1) + ld(15, b"zz"))), ("unknown fields inside a dimension", proto("float32", None, ld(2, ld(2, v(1, 2) + ld(7, b"zz") + v(3, 1))) + content(floats(1, 2)))), ("100 nested unknown groups", base + tag(99, 3) * 100 + tag(99, 4) * 100), ("101 nested unknown groups", base + tag(99, 3) * 101 + tag(99, 4) * 101),
                    ("version_number 5", base + v(3, 5)), ("version_number -1", base + v(3, -1)), ("content twice, the last wins", base + content(floats(3, 4))), ("content twice, the last empty", base + content(b"")), ("values in two fields of the same number", proto("float32", [4], vals("float_val", [1, 2]) + vals("float_val", [3, 4], "unpacked"))), ("fields in reverse order", content(floats(1, 2)) + shape_bytes([2]) + v(1, 1)),
                    ("dtype with a padded tag", tag(1, 0, 1) + varint(1) + base[2:]), ("dtype with a padded varint", tag(1, 0) + varint(1, 2) + base[2:]), ("a length with padding", proto("float32", [2]) + tag(4, 2) + varint(8, 1) + floats(1, 2)), ("a tag of six bytes", varint(8, 5) + varint(1) + base[2:]), ("dtype as bytes", ld(1, b"\1") + base[2:]), ("tensor_shape as varint", v(2, 1) + base), ("content as varint", proto("float32", [2], v(4, 1))), ("float_val as varint", proto("float32", [2], v(5, 1))), ("float_val as fixed64", proto("float32", [2], tag(5, 1) + bytes(8))),
                    ("float_val packed of 6 bytes", proto("float32", [2], ld(5, bytes(6)))), ("int_val packed, last varint cut", proto("int32", [2], ld(7, b"\1\x80"))), ("content longer than the message", proto("float32", [2]) + tag(4, 2) + varint(9) + floats(1, 2)), ("content of length 2^31", proto("float32", [2]) + tag(4, 2) + varint(1 << 31) + floats(1, 2)), ("content of length 2^63", proto("float32", [2]) + tag(4, 2) + varint(1 << 63) + floats(1, 2)),
                    ("a varint of 11 bytes", b"\x08" + b"\xff" * 10 + b"\1"), ("dtype of 70 bits", b"\x08\x81" + b"\x80" * 8 + b"\x02" + base[2:])]:
        yield tensor_case("wire: " + what, "wire", b, dtype="int32" if "int_val" in what else "float32")
    for what, b in [("text", b"hello"), ("a number as text", b"3.14"), ("an Example", example({"a": I(1)})), ("a PNG", png(2, 2)), ("gzip of a TensorProto", gzip.compress(base, mtime=0)), ("base64 of a TensorProto", base64.b64encode(base)), ("raw float32", floats(1, 2, 3)), ("zeros", bytes(16)), ("a TFRecord frame", struct.pack("<Q", 4) + bytes(12)), ("JSON", b'{"dtype":1}'), ("npy", b"\x93NUMPY\1\0")]:
        yield tensor_case("not a TensorProto: " + what, "foreign", b, dtype="float32")

    # vectors and records
    p = lambda *xs: proto("float32", [len(xs)], content(floats(*xs)))
    for what, xs, shape in [("two equal shapes", [p(1, 2), p(3, 4)], [2]), ("a matrix of scalars", [proto("float32", [], vals("float_val", [i])) for i in range(4)], [2, 2]), ("two shapes", [p(1, 2), p(3)], [2]), ("two dtypes", [p(1, 2), proto("int32", [2])], [2]), ("one", [p(1, 2)], [1]), ("one of rank 2", [m], [1])]:
        yield tensor_case("vector: " + what, "vector", string_value(*xs, shape=shape), dtype="float32", comment="parse_tensor itself takes a scalar: here each string, then tf.stack")
    tp = lambda **a: {"tensor_proto": a}
    spec = {"mfcc": fixed_string(tp(dtype="float32")), "label": {"fixed_len": {"dtype": "string", "shape": []}}}
    rec = lambda b, l="a": example({"mfcc": B(b), "label": B(l)})
    yield call_case("records: mfcc and label", "records", spec, [rec(p(1, 2)), rec(p(3, 4), "b")])
    yield call_case("records: shapes differ", "records ragged", spec, [rec(p(1, 2)), rec(m), rec(proto("float32", [0, 3]))], comment="tensorflow#56711: the rank is unknown when the graph is made, so neither batch nor dense_to_ragged_batch takes them")
    yield call_case("records: shape [-1, 3]", "records option", {"mfcc": fixed_string(tp(dtype="float32", shape=[-1, 3]))}, [rec(m), rec(proto("float32", [0, 3])), rec(proto("float32", [1, 3], vals("float_val", [1])))])
    yield call_case("records: shape [-1, 3], the second has [2]", "records option mismatch", {"mfcc": fixed_string(tp(dtype="float32", shape=[-1, 3]))}, [rec(m), rec(p(1, 2))])
    yield call_case("records: dtype differs in the second", "records mismatch", spec, [rec(p(1)), rec(proto("float64", [1], vals("double_val", [1.0])))])
    yield call_case("records: empty string in the second", "records empty", spec, [rec(p(1)), rec(b"")])
    yield call_case("records: absent, default empty", "records default", {"mfcc": fixed_string(tp(dtype="float32"), default="")}, [example()])
    yield call_case("records: single", "records single", spec, [rec(m)], single=True)
    yield call_case("records: string tensor", "records string", {"mfcc": fixed_string(tp(dtype="string"))}, [rec(proto("string", [2], vals("string_val", [b"a", b"\xff"])))])

    rnd = random.Random(seed)
    for n in range(35):
        d = rnd.choice(ALL)
        per = 2 if "complex" in d else 1
        shape = [rnd.choice([0, 1, 2, 3, 4]) for _ in range(rnd.choice([0, 1, 1, 2, 3]))]
        count = math.prod(shape)
        some = sample(d, 6)
        xs = [x for _ in range(count) for i in [rnd.randrange(6)] for x in some[i * per:i * per + per]]
        how = rnd.choice(["vals", "content", "splat", "none", "surplus", "short", "unpacked"])
        f = field_of(d)
        body = {"vals": lambda: vals(f, xs), "content": lambda: content(as_content(d, xs)), "splat": lambda: vals(f, xs[:per * rnd.randrange(count + 1)]), "none": lambda: b"", "surplus": lambda: vals(f, xs + some[:per]),
                "short": lambda: content(as_content(d, xs)[:-1]), "unpacked": lambda: vals(f, xs, "unpacked")}[how]()
        pieces = [v(1, ENUM[d]), shape_bytes(shape, extra=rnd.choice([b"", b"", v(9, 1)])), body, rnd.choice([b"", b"", ld(77, b"?"), v(3, 0)])]
        rnd.shuffle(pieces)
        yield tensor_case("random %d: %s %s" % (n, d, how), "random " + how, b"".join(pieces), **({"dtype": d} if rnd.random() < 0.8 else {}))


# ----------------------------------------------------------------------------------------------------- themes: image_shape


def cuts(b, points):
    return sorted({max(0, min(len(b), p if p >= 0 else len(b) + p)) for p in points})


def image_theme(seed=1):
    # PNG
    for color, depths in ((0, (1, 2, 4, 8, 16)), (2, (8, 16)), (3, (1, 2, 4, 8)), (4, (8, 16)), (6, (8, 16))):
        for depth in depths:
            yield image_case("png: colour type %d, %d bits" % (color, depth), "png", png(5, 3, color, depth))
            if depth in (1, 8):
                yield image_case("png: colour type %d, %d bits, interlaced" % (color, depth), "png interlaced", png(9, 7, color, depth, interlace=1))
    for color, t in ((0, b"\0\1"), (2, b"\0\1\0\2\0\3"), (3, b"\0\x80")):
        yield image_case("png: colour type %d with tRNS" % color, "png trns", png(4, 6, color, 8, before=png_chunk(b"tRNS", t)))
    yield image_case("png: text, gamma and time chunks first", "png", png(3, 2, before=png_chunk(b"gAMA", struct.pack(">I", 45455)) + png_chunk(b"tEXt", b"Comment\0hi") + png_chunk(b"tIME", bytes([7, 228, 1, 1, 0, 0, 0]))))
    yield image_case("png: tRNS in a grey-alpha picture", "png trns", png(3, 2, 4, 8, before=png_chunk(b"tRNS", b"\0\1")))
    yield image_case("png: eXIf orientation 6", "png exif", png(3, 2, before=png_chunk(b"eXIf", b"MM\0*\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1\0\6\0\0\0\0\0\0")), comment="orientation is ignored")
    yield image_case("png: 1 x 1", "png", png(1, 1))
    yield image_case("png: 300 x 1", "png", png(300, 1, 0))
    yield image_case("png: 1 x 300", "png", png(1, 300, 0))
    yield image_case("png: acTL, as an animated PNG", "png apng", png(3, 2, before=png_chunk(b"acTL", struct.pack(">II", 2, 0))))
    p = png(6, 5)
    for i in cuts(p, [1, 7, 8, 16, 20, 24, 29, 32, 33, 37, 41, 50, -16, -13, -12, -4, -1]):
        yield image_case("png: cut after %d of %d bytes" % (i, len(p)), "png cut", p[:i])
    for what, b in [("bytes after IEND", p + b"xyz"), ("IDAT checksum wrong", patched(p, len(p) - 16, b"\0\0\0\0")), ("IHDR checksum wrong", patched(p, 29, b"\0\0\0\0")), ("IEND missing", p[:-12]), ("IDAT missing", png(6, 5)[:33] + png_chunk(b"IEND", b"")), ("IDAT empty", png(6, 5, data=b"")), ("IDAT too short", png(6, 5, data=zlib.compress(bytes(40)))), ("IDAT too long", png(6, 5, data=zlib.compress(bytes(500)))),
                    ("zlib checksum wrong", png(6, 5, data=zlib.compress((b"\0" + bytes(18)) * 5)[:-4] + b"\0\0\0\0")), ("filter byte 9", png(6, 5, data=zlib.compress((b"\x09" + bytes(18)) * 5))), ("signature damaged", b"\x89PNG\r\n\n\n" + p[8:]), ("signature without its first byte", p[1:]), ("width 0", png(0, 5)), ("height 0", png(5, 0)), ("width 2^31", png(3, 2, head=struct.pack(">IIBBBBB", 1 << 31, 2, 8, 2, 0, 0, 0))), ("width 2^31-1", png(3, 2, head=struct.pack(">IIBBBBB", (1 << 31) - 1, 2, 8, 2, 0, 0, 0))),
                    ("65535 x 65535, no such data", png(3, 2, head=struct.pack(">IIBBBBB", 65535, 65535, 8, 2, 0, 0, 0))), ("20000 x 20000, no such data", png(3, 2, head=struct.pack(">IIBBBBB", 20000, 20000, 8, 2, 0, 0, 0))), ("1000001 x 1", png(3, 2, head=struct.pack(">IIBBBBB", 1000001, 1, 8, 0, 0, 0, 0))), ("colour type 5", png(3, 2, head=struct.pack(">IIBBBBB", 3, 2, 8, 5, 0, 0, 0))), ("depth 3", png(3, 2, head=struct.pack(">IIBBBBB", 3, 2, 3, 0, 0, 0, 0))), ("16-bit palette", png(3, 2, head=struct.pack(">IIBBBBB", 3, 2, 16, 3, 0, 0, 0))),
                    ("palette missing", png(3, 2, 3, 8, palette=False)), ("interlace method 2", png(3, 2, head=struct.pack(">IIBBBBB", 3, 2, 8, 2, 0, 0, 2))), ("compression method 1", png(3, 2, head=struct.pack(">IIBBBBB", 3, 2, 8, 2, 1, 0, 0))), ("IHDR of 12 bytes", b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", bytes(12)) + p[33:]), ("IHDR twice", p[:33] + p[8:]), ("a text chunk before IHDR", p[:8] + png_chunk(b"tEXt", b"a\0b") + p[8:]), ("unknown critical chunk", png(3, 2, before=png_chunk(b"ABCD", b"x"))), ("a chunk of 2^31 bytes", p[:33] + struct.pack(">I", 1 << 31) + b"tEXt" + p[33:])]:
        yield image_case("png: " + what, "png corrupt", b)

    # JPEG
    for mode, more in (("RGB", {}), ("L", {}), ("CMYK", {})):
        yield image_case("jpeg: %s" % mode, "jpeg", jpeg(16, 12, mode))
        yield image_case("jpeg: %s, progressive" % mode, "jpeg progressive", jpeg(20, 9, mode, progressive=True))
    for s in (0, 1, 2):
        yield image_case("jpeg: subsampling %s" % ("4:4:4", "4:2:2", "4:2:0")[s], "jpeg", jpeg(17, 13, subsampling=s))
    yield image_case("jpeg: 1 x 1", "jpeg", jpeg(1, 1))
    yield image_case("jpeg: 8 x 300", "jpeg", jpeg(8, 300, "L"))
    yield image_case("jpeg: restart markers", "jpeg", jpeg(40, 24, restart_marker_blocks=1))
    yield image_case("jpeg: kept as RGB", "jpeg", jpeg(16, 12, keep_rgb=True))
    yield image_case("jpeg: optimised tables", "jpeg", jpeg(16, 12, optimize=True))
    j = jpeg(24, 18)
    at = sof(j)
    exif = segment(0xE1, b"Exif\0\0MM\0*\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1\0\6\0\0\0\0\0\0")
    soi, rest = j[:2], j[2:]
    for what, b in [("Exif orientation 6", soi + exif + rest), ("a thumbnail in APP1", soi + segment(0xE1, b"Exif\0\0" + jpeg(4, 4)) + rest), ("a comment", soi + segment(0xFE, b"hello") + rest), ("no APP0", resegment(j, lambda m, s: b"" if m == 0xE0 else s)), ("APP14 Adobe, transform 0", soi + segment(0xEE, b"Adobe\0d\0\0\0\0\0") + resegment(j, lambda m, s: b"" if m in (0xE0, 0xD8) else s)), ("starts with a quantisation table", resegment(j, lambda m, s: b"" if m == 0xE0 else s)),
                    ("fill bytes before markers", resegment(j, lambda m, s: b"\xff\xff" + s if m == 0xC4 else s)), ("a 60,000 byte segment of APP2", soi + segment(0xE2, bytes(2000)) + rest), ("bytes after EOI", j + b"trailing"), ("zeros after EOI", j + bytes(16)), ("two JPEGs", j + j), ("EOI missing", j[:-2]), ("EOI missing, zeros in its place", j[:-2] + bytes(2)), ("junk between segments", resegment(j, lambda m, s: b"xx" + s if m == 0xC4 else s))]:
        yield image_case("jpeg: " + what, "jpeg", b)
    for i in cuts(j, [1, 2, 3, 4, 20, at, at + 5, at + 7, at + 9, at + 10, at + 19, at + 100, sos_of(j) - 1, sos_of(j), sos_of(j) + 14, -40, -10, -3, -2, -1]):
        yield image_case("jpeg: cut after %d of %d bytes" % (i, len(j)), "jpeg cut", j[:i], comment="try_recover_truncated is false by default")
    g = jpeg(30, 22, "L", progressive=True)
    for i in cuts(g, [len(g) // 3, len(g) // 2, len(g) * 3 // 4, -12, -3, -2, -1]):
        yield image_case("jpeg: progressive, cut after %d of %d bytes" % (i, len(g)), "jpeg progressive cut", g[:i])
    big = jpeg(64, 48, quality=20)
    sos = len(big) - len(segments(big)[-1][1])
    for what, b in [("scan replaced by zeros", big[:sos + 20] + bytes(len(big) - sos - 22) + b"\xff\xd9"), ("a bit of the scan flipped", patched(big, len(big) - 40, bytes([big[-40] ^ 0x10]))), ("64 bytes of the scan missing", big[:-100] + big[-36:]), ("an EOI inside the scan", big[:-60] + b"\xff\xd9" + big[-58:]), ("a marker inside the scan", patched(big, len(big) - 60, b"\xff\xe0")), ("Huffman tables missing", resegment(j, lambda m, s: b"" if m == 0xC4 else s)), ("quantisation tables missing", resegment(j, lambda m, s: b"" if m == 0xDB else s)),
                    ("frame header missing", resegment(j, lambda m, s: b"" if m == 0xC0 else s)), ("frame header twice", resegment(j, lambda m, s: s + s if m == 0xC0 else s)), ("scan missing", j[:2] + b"".join(s for m, s in segments(j)[1:-1]) + b"\xff\xd9"), ("only SOI and EOI", b"\xff\xd8\xff\xd9"), ("height 0", patched(j, at + 5, b"\0\0")), ("width 0", patched(j, at + 7, b"\0\0")), ("65535 x 65535", patched(j, at + 5, b"\xff\xff\xff\xff")), ("65500 x 65500", patched(j, at + 5, b"\xff\xdc\xff\xdc")), ("height doubled", patched(j, at + 5, b"\0\x24")), ("height halved", patched(j, at + 5, b"\0\x09")),
                    ("precision 12", patched(j, at + 4, b"\x0c")), ("components 2", patched(j, at + 9, b"\2")), ("components 0", patched(j, at + 9, b"\0")), ("components 4 of 3", patched(j, at + 9, b"\4")), ("SOF3 lossless", patched(j, at + 1, b"\xc3")), ("SOF9 arithmetic", patched(j, at + 1, b"\xc9")), ("SOF2 on baseline data", patched(j, at + 1, b"\xc2")), ("SOF length too short", patched(j, at + 2, b"\0\x08")), ("SOF length too long", patched(j, at + 2, b"\x40\0")), ("APP0 length 0", patched(j, 4, b"\0\0")), ("APP0 length 65535", patched(j, 4, b"\xff\xff")), ("sampling factor 0", patched(j, at + 11, b"\0")), ("sampling factor 0x55", patched(j, at + 11, b"\x55")),
                    ("SOI missing", j[2:]), ("starts with FF D8 00", patched(j, 2, b"\0")), ("decoded as UTF-8 and encoded again", j.decode("utf-8", "replace").encode()), ("HTML", b"<!DOCTYPE html><title>404</title>"), ("a JPEG after a newline", b"\n" + j)]:
        yield image_case("jpeg: " + what, "jpeg corrupt", b)

    # GIF
    for what, b in [("one frame", gif(6, 4)), ("GIF87a", gif(6, 4, version=b"GIF87a")), ("three frames", gif(5, 4, [None] * 3)), ("loop and comment", gif(5, 4, [None] * 2, loop=True, comment=b"hello")), ("transparent", gif(5, 4, transparent=3)), ("interlaced", gif(9, 9, interlace=True)), ("local colours", gif(5, 4, global_map=False, local_map=True)), ("no colours", gif(5, 4, global_map=False)),
                    ("second frame smaller", gif(8, 6, [None, (2, 1, 3, 2)])), ("first frame smaller", gif(8, 6, [(2, 1, 3, 2)])), ("first frame smaller, second full", gif(8, 6, [(2, 1, 3, 2), None])), ("a frame larger than the screen", gif(4, 3, [(0, 0, 8, 6)])), ("second frame larger than the screen", gif(4, 3, [None, (0, 0, 8, 6)])), ("a frame that sticks out", gif(6, 4, [None, (4, 2, 4, 4)])), ("screen 0 x 0", gif(0, 0, [(0, 0, 4, 3)])), ("frame 0 x 0", gif(4, 3, [(0, 0, 0, 0)])), ("no frames", gif(4, 3, [])), ("version 99z", gif(4, 3, version=b"GIF99z")),
                    ("trailer missing", gif(6, 4, trailer=b"")), ("bytes after the trailer", gif(6, 4) + b"xyz"), ("trailer missing, two frames", gif(6, 4, [None] * 2, trailer=b"")), ("screen 65535 x 65535, frame 2 x 2", gif(65535, 65535, [(0, 0, 2, 2)])), ("frame 65535 x 65535", patched(gif(4, 3), 10 + 3 + 48 + 5, b"\xff\xff\xff\xff")), ("1 x 1", gif(1, 1))]:
        yield image_case("gif: " + what, "gif", b)
    g = gif(8, 6, [None] * 3)
    for i in cuts(g, [3, 4, 6, 9, 10, 13, 30, 61, 75, len(g) // 2, len(g) * 3 // 4, -20, -2, -1]):
        yield image_case("gif: three frames, cut after %d of %d bytes" % (i, len(g)), "gif cut", g[:i])
    h = gif(6, 4)
    for i in cuts(h, [62, 71, 80, -3]):
        yield image_case("gif: one frame, cut after %d of %d bytes" % (i, len(h)), "gif cut", h[:i])
    for what, b in [("colour table missing", h[:13] + h[61:]), ("a code too large", patched(h, len(h) - 12, b"\xff\xff\xff")), ("minimum code size 13", patched(h, 71, b"\x0d")), ("unknown block 00", h[:61] + b"\0" + h[61:]), ("pixels missing", gif(6, 4).replace(blocks(lzw([(i * 5) % 16 for i in range(24)], 4)), blocks(lzw([1, 2, 3], 4))))]:
        yield image_case("gif: " + what, "gif corrupt", b)

    # BMP
    for what, b in [("24 bits", bmp(5, 3)), ("32 bits", bmp(5, 3, 32)), ("8 bits with a palette", bmp(5, 3, 8)), ("16 bits", bmp(5, 3, 16)), ("4 bits", bmp(5, 3, 4)), ("1 bit", bmp(5, 3, 1)), ("24 bits from the top", bmp(5, -3)), ("32 bits from the top", bmp(4, -3, 32)), ("width 4, no padding", bmp(4, 3)), ("BITMAPV4HEADER", bmp(5, 3, 24, header=108)), ("BITMAPV5HEADER", bmp(5, 3, 32, header=124)), ("BITMAPCOREHEADER", bmp(5, 3, 24, header=12)), ("8 bits, RLE", bmp(5, 3, 8, body=b"\5\1\0\0\5\2\0\0\5\3\0\1", compression=1)),
                    ("a gap before the pixels", bmp(5, 3, 24, palette=bytes(8))), ("two bytes after the pixels", bmp(5, 3, 24, pad=2)), ("one byte after the pixels", bmp(5, 3, 24, pad=1)), ("1 x 1", bmp(1, 1)), ("BITFIELDS, 32 bits", bmp(4, 3, 32, compression=3, palette=bytes([0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0])))]:
        yield image_case("bmp: " + what, "bmp", b)
    m = bmp(5, 3)
    for i in cuts(m, [2, 18, 26, 29, 30, 31, 32, 54, -16, -1]):
        yield image_case("bmp: cut after %d of %d bytes" % (i, len(m)), "bmp cut", m[:i])
    for what, b in [("width 0", patched(m, 18, struct.pack("<i", 0))), ("width negative", patched(m, 18, struct.pack("<i", -5))), ("height 0", patched(m, 22, struct.pack("<i", 0))), ("height -2^31", patched(m, 22, struct.pack("<i", -1 << 31))), ("width 2^31-1", patched(m, 18, struct.pack("<i", (1 << 31) - 1))), ("20000 x 20000", patched(m, 18, struct.pack("<ii", 20000, 20000))), ("offset 0", patched(m, 10, struct.pack("<I", 0))), ("offset after the end", patched(m, 10, struct.pack("<I", 1000))), ("offset negative", patched(m, 10, struct.pack("<i", -1))), ("48 bits", patched(m, 28, b"\x30\0")), ("-24 bits", patched(m, 28, struct.pack("<h", -24))), ("file size wrong", patched(m, 2, b"\1\0\0\0")), ("height one too many", patched(m, 22, struct.pack("<i", 4))), ("text that starts with BM", b"BM is not a picture, but text of some length")]:
        yield image_case("bmp: " + what, "bmp corrupt", b)

    # WebP
    for what, b in [("lossy", webp(16, 12)), ("lossy 1 x 1", webp(1, 1)), ("lossy with alpha", webp(16, 12, "RGBA")), ("lossless", webp(16, 12, lossless=True)), ("lossless with alpha", webp(16, 12, "RGBA", lossless=True)), ("grey", webp(9, 7, "L")), ("animated, 3 frames", webp_animation(12, 10, 3)), ("with Exif", webp(16, 12, exif=b"Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0"))]:
        yield image_case("webp: " + what, "webp", b, comment="decode_image gives rank 4 for a WebP that does not move, too (expand_animations)" if what == "lossy" else None)
    yield image_case("webp: animated, opaque", "webp", webp_animation(12, 10, 2, "RGB"))
    w = webp(24, 18)
    for i in cuts(w, [4, 12, 13, 20, 26, 29, 30, 40, len(w) // 2, -1]):
        yield image_case("webp: cut after %d of %d bytes" % (i, len(w)), "webp cut", w[:i])
    a = webp_animation(12, 10, 3)
    for i in cuts(a, [21, 30, 44, len(a) // 2, -1]):
        yield image_case("webp: animation cut after %d of %d bytes" % (i, len(a)), "webp cut animated", a[:i])
    l = webp(24, 18, "RGBA", lossless=True)
    for i in cuts(l, [20, 21, 24, 25, len(l) // 2, -1]):
        yield image_case("webp: lossless cut after %d of %d bytes" % (i, len(l)), "webp cut", l[:i])
    for what, b in [("bytes after the end", w + b"xyz"), ("RIFF size too small", patched(w, 4, struct.pack("<I", 20))), ("RIFF size too large", patched(w, 4, struct.pack("<I", 1 << 20))), ("RIFF size 0", patched(w, 4, bytes(4))), ("chunk name VP8?", patched(w, 12, b"VP8?")), ("start code damaged", patched(w, 23, b"\0")), ("width 0", patched(w, 26, b"\0\0")), ("16383 x 16383", patched(w, 26, b"\xff\x3f\xff\x3f")), ("lossless signature damaged", patched(l, 20, b"\0")), ("WAVE", b"RIFF" + struct.pack("<I", 36) + b"WAVEfmt " + bytes(24)), ("zeros in the data", w[:40] + bytes(len(w) - 40)), ("VP8X of another size than the frame", patched(webp(16, 12, "RGBA"), 24, b"\x1f"))]:
        yield image_case("webp: " + what, "webp corrupt", b)

    for what, b in [("empty", b""), ("one byte", b"\xff"), ("text", b"hello, world"), ("TIFF", b"II*\0\x08\0\0\0" + bytes(40)), ("JPEG 2000", b"\0\0\0\x0cjP  \r\n\x87\n" + bytes(20)), ("AVIF", b"\0\0\0\x1cftypavif" + bytes(20)), ("JPEG XL codestream", b"\xff\x0a" + bytes(30)), ("JPEG XL container", b"\0\0\0\x0cJXL \r\n\x87\n" + bytes(20)), ("ICO", b"\0\0\1\0\1\0" + bytes(30)), ("PDF", b"%PDF-1.4\n" + bytes(20)), ("zeros", bytes(64)), ("raw pixels", bytes(range(48))), ("a TensorProto of uint8", tf.io.serialize_tensor(tf.zeros([2, 2, 3], tf.uint8)).numpy()), ("base64 of a PNG", base64.b64encode(p)), ("SVG", b'<svg xmlns="http://www.w3.org/2000/svg"/>'), ("gzip of a PNG", gzip.compress(p, mtime=0)), ("PPM", b"P6 2 2 255\n" + bytes(12))]:
        yield image_case("other: " + what, "other", b)


# ------------------------------------------------------------------------------------------------------------------- main

THEMES = {"raw": raw_theme, "tensor_proto": tensor_theme, "image_shape": image_theme}


def produce(theme, cases, out, program):
    cases = list(cases)
    values.write(os.path.join(out, theme + ".jsonl"), "decode", program, cases)
    n = lambda k: sum(k in c for c in cases)
    print("%-14s %5d cases, %5d errors, %4d ours, %3d or" % (theme, len(cases), n("error"), n("ours"), n("or")), flush=True)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("themes", nargs="*")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--out", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "vectors", "decode"))
    ap.add_argument("--serve", action="store_true", help="be the worker: a case a line on stdin, its outcome on stdout")
    a = ap.parse_args()
    if a.serve:
        return serve()
    for theme in a.themes or THEMES:
        produce(theme, THEMES[theme](a.seed), a.out, "make/decode.py --seed %d" % a.seed)


if __name__ == "__main__":
    main()

"""Makes ../models/tensors.jsonl: TensorProto messages, and what TensorFlow reads from them.

    python tensors.py [OUT]

A line is a case:

  name, proto       the message, in base64
  cpp               what tf.io.parse_tensor reads, as TensorFlow Serving does: dtype, shape, and content (base64, little-endian)
                    or strings (base64 each); null if it is refused
  python            whether tf.make_ndarray reads the same: "same", "other" or "error"
  canonical         the message that we write for it, checked with tf.io.parse_tensor: numbers as tensor_content, strings as
                    string_val
  ours              why we refuse what TensorFlow reads: something would be dropped or wrapped

Needs tensorflow-cpu.
"""
import base64
import json
import os
import random
import struct
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
import numpy as np
import tensorflow as tf
from tensorflow.core.framework import tensor_pb2, types_pb2

HERE = os.path.dirname(os.path.abspath(__file__))
P = tensor_pb2.TensorProto
FIELDS = {"half": "half_val", "bfloat16": "half_val", "float32": "float_val", "float64": "double_val", "int8": "int_val", "int16": "int_val",
          "int32": "int_val", "uint8": "int_val", "uint16": "int_val", "uint32": "uint32_val", "uint64": "uint64_val",
          "int64": "int64_val", "bool": "bool_val", "complex64": "scomplex_val", "complex128": "dcomplex_val", "string": "string_val",
          "qint8": "int_val", "quint8": "int_val", "qint16": "int_val", "quint16": "int_val", "qint32": "int_val"}
NUMBERS = [d for d in FIELDS if d != "string"]


def b64(b):
    return base64.b64encode(b).decode()


def proto(dtype, shape, **fields):
    p = P(dtype=tf.as_dtype(dtype).as_datatype_enum, **fields)
    if shape is None:
        p.tensor_shape.unknown_rank = True
    else:
        p.tensor_shape.SetInParent()
        for d in shape:
            p.tensor_shape.dim.add(size=d)
    return p


def values(dtype, n):
    """n values for the field of a type: bits for half, two numbers for complex."""
    if dtype == "string":
        return [b"a%d" % i * (i % 4) for i in range(n)]
    if dtype == "bool":
        return [i % 3 == 1 for i in range(n)]
    if dtype.startswith("complex"):
        return [0.5 * i - 1 for i in range(2 * n)]
    if dtype.startswith("float"):
        return [0.5 * i - 1 for i in range(n)]
    if dtype in ("half", "bfloat16"):
        return [0x3c00 + i for i in range(n)]
    signed = not dtype.startswith(("u", "qu"))
    return [i * 7 - (10 if signed else 0) for i in range(n)]


def content(dtype, n):
    d = tf.as_dtype(dtype)
    return bytes((37 * i + 5) % 120 if dtype != "bool" else i % 2 for i in range(n * d.size))


CASES = []


def case(name, p, ours=None, raw=b""):
    CASES.append((name, (p if isinstance(p, bytes) else p.SerializeToString(deterministic=True)) + raw, ours))


for d in NUMBERS:
    f = FIELDS[d]
    c = content(d, 6)
    case(f"{d}: content", proto(d, [2, 3], tensor_content=c))
    case(f"{d}: content too short", proto(d, [2, 3], tensor_content=c[:-1]))
    case(f"{d}: content of fewer elements", proto(d, [2, 3], tensor_content=c[:len(c) // 2]))
    case(f"{d}: content too long", proto(d, [2, 3], tensor_content=c + c[:1]))
    case(f"{d}: content and values", proto(d, [2, 3], tensor_content=c, **{f: values(d, 6)}))
    case(f"{d}: values", proto(d, [2, 3], **{f: values(d, 6)}))
    case(f"{d}: fewer values", proto(d, [2, 3], **{f: values(d, 4)}))
    case(f"{d}: one value", proto(d, [4], **{f: values(d, 1)}))
    case(f"{d}: no values", proto(d, [4]))
    case(f"{d}: more values", proto(d, [2], **{f: values(d, 3)}), ours="the third value is dropped")
    case(f"{d}: scalar", proto(d, [], **{f: values(d, 1)}))
    case(f"{d}: empty", proto(d, [0, 3]))
    case(f"{d}: empty with a value", proto(d, [0], **{f: values(d, 1)}), ours="the value is dropped")
    case(f"{d}: values of another field", proto(d, [1], **({"float_val": [2.5]} if f != "float_val" else {"int_val": [2]})),
         ours="the value is dropped")
for d, low, high in [("int8", -129, 128), ("uint8", -1, 256), ("int16", -32769, 32768), ("uint16", -1, 65536), ("qint8", -129, 128),
                     ("half", -1, 65536), ("bfloat16", -1, 65536)]:
    for v in low, high:
        case(f"{d}: {v}", proto(d, [1], **{FIELDS[d]: [v]}), ours="the value is wrapped")
for d in ("complex64", "complex128"):
    case(f"{d}: half a value", proto(d, [2], **{FIELDS[d]: [1, 2, 3]}), ours="the third number is dropped")

S = values("string", 4)
case("string: values", proto("string", [2, 2], string_val=S))
case("string: fewer values", proto("string", [3], string_val=[b"x", b"y"]))
case("string: no values", proto("string", [3]))
case("string: more values", proto("string", [1], string_val=[b"x", b"y"]), ours="the second value is dropped")
case("string: scalar", proto("string", [], string_val=[b"\xff\x00"]))
case("string: empty", proto("string", [0]))
packed = bytes(len(s) for s in S) + b"".join(S)
case("string: content", proto("string", [4], tensor_content=packed))
case("string: content with a length of two bytes", proto("string", [1], tensor_content=b"\x81\x01" + b"z" * 129))
case("string: content too short", proto("string", [4], tensor_content=packed[:-1]))
case("string: content too long", proto("string", [4], tensor_content=packed + b"x"))
case("string: content of lengths alone", proto("string", [4], tensor_content=packed[:2]))
case("string: content and values", proto("string", [4], tensor_content=packed, string_val=[b"q"]), ours="the value is dropped, and Python refuses it")

case("unknown rank, one value", proto("int64", None, int64_val=[5]))
case("unknown rank, two values", proto("int64", None, int64_val=[5, 6]), ours="the second value is dropped")
case("unknown rank, no value", proto("int64", None))
p = proto("int64", [2], int64_val=[5, 6])
p.tensor_shape.unknown_rank = True
case("unknown rank with dimensions", p)
case("negative dimension", proto("int64", [-1], int64_val=[5]))
case("negative dimensions", proto("int64", [-1, -1], int64_val=[5]))
case("product that overflows", proto("int64", [1 << 40, 1 << 40]))
case("product that overflows, and 0", proto("int64", [1 << 40, 1 << 40, 0]))
case("no shape", P(dtype=types_pb2.DT_INT64, int64_val=[7]))
case("no dtype", P(int64_val=[7]))
case("nothing", P())
case("64 dimensions", proto("int64", [1] * 64, int64_val=[7]))
case("255 dimensions", proto("int64", [1] * 255, int64_val=[7]))
case("dimension without a size", P(dtype=types_pb2.DT_INT64, tensor_shape={"dim": [{"name": "x"}]}))
case("version_number", P(dtype=types_pb2.DT_INT64, int64_val=[7], version_number=3))
case("unknown field", proto("int64", [], int64_val=[7]), raw=b"\xf8\x07\x01")
case("values not packed", proto("int64", [3]), raw=b"\x50\x01\x50\x02\x50\x03")
case("values packed and not", proto("int64", [3], int64_val=[1]), raw=b"\x50\x02\x52\x01\x03")
case("floats not packed", proto("float32", [2]), raw=b"\x2d\x00\x00\x80\x3f\x2d\x00\x00\x00\x40")
case("doubles not packed", proto("float64", [1]), raw=b"\x31" + struct.pack("<d", 1.5))
case("content twice", proto("uint8", [2], tensor_content=b"ab"), raw=b"\x22\x02cd")
case("shape twice", proto("uint8", [2], tensor_content=b"abcd"), raw=b"\x12\x04\x12\x02\x08\x02")
case("cut", proto("int64", [3], int64_val=[1, 2, 3]).SerializeToString()[:-1])
case("wire type of another field", proto("int64", [1]), raw=b"\x50\x01\x55\x00\x00\x80\x3f")
case("bool of 2", proto("bool", [2], tensor_content=b"\x02\x00"))
case("reference", P(dtype=types_pb2.DT_INT64_REF, int64_val=[7]))
case("variant", P(dtype=types_pb2.DT_VARIANT), ours="variants are not values")
case("resource", P(dtype=types_pb2.DT_RESOURCE), ours="resources are not values")
case("int4", proto("int4", [2], tensor_content=b"\x01\x02"))

# What TensorFlow writes.
r = random.Random(1)
for i in range(60):
    d = r.choice(["float32", "int64", "string", "int32", "bool", "float64", "uint8", "float16", "uint64", "complex64"])
    shape = [r.choice([0, 1, 1, 2, 3, 5]) for _ in range(r.randrange(4))]
    n = int(np.prod(shape))
    if d == "string":
        a = np.array([r.randbytes(r.randrange(6)) for _ in range(n)], dtype=object).reshape(shape)
    else:
        a = np.array([r.randrange(0, 2 if d == "bool" else 100) for _ in range(n)]).astype(d).reshape(shape)
    case(f"made {i}: {d} {shape}", tf.make_tensor_proto(a, dtype=d, shape=shape) if i % 3 else tf.make_tensor_proto(a, dtype=d, shape=shape, allow_broadcast=True))


def cpp(b):
    """What tf.io.parse_tensor reads."""
    dtype = P.FromString(b).dtype
    t = tf.io.parse_tensor(b, tf.as_dtype(dtype))
    a = t.numpy()
    out = {"dtype": t.dtype.name, "shape": t.shape.as_list()}
    if t.dtype == tf.string:
        out["strings"] = [b64(bytes(x)) for x in np.asarray(a, dtype=object).reshape(-1).tolist()]
    else:
        out["content"] = b64(np.ascontiguousarray(a).tobytes())
    return out


def main():
    out = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "models")
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "tensors.jsonl"), "w") as f:
        for name, b, ours in CASES:
            line = {"name": name, "proto": b64(b)}
            try:
                line["cpp"] = cpp(b)
            except Exception as e:  # errors of TensorFlow, of protobuf, and of dtypes that have no name
                line["cpp"] = None
            try:
                a = tf.make_ndarray(P.FromString(b))
                same = line["cpp"] and (tf.as_dtype(a.dtype).name == line["cpp"]["dtype"] or a.dtype == object) and list(a.shape) == line["cpp"]["shape"] and (
                    [b64(bytes(x)) for x in a.reshape(-1).tolist()] == line["cpp"]["strings"] if "strings" in line["cpp"] else b64(a.tobytes()) == line["cpp"]["content"])
                line["python"] = "same" if same else "other"
            except Exception:
                line["python"] = "error"
            if ours:
                line["ours"] = ours
            elif line["cpp"]:
                want = line["cpp"]
                p = P(dtype=P.FromString(b).dtype)
                p.tensor_shape.SetInParent()
                for d in want["shape"]:
                    p.tensor_shape.dim.add(size=d)
                if "strings" in want:
                    p.string_val.extend(base64.b64decode(s) for s in want["strings"])
                else:
                    p.tensor_content = base64.b64decode(want["content"])
                canonical = p.SerializeToString(deterministic=True)
                assert cpp(canonical) == want, name
                line["canonical"] = b64(canonical)
            f.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()

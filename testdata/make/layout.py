"""Vectors for ragged/layout: python layout.py [OUT]     (pip install jax jaxlib libtpu; no TPU or GPU needed)

Every expectation comes from the small model below and is compared with XLA where XLA can answer:
  text       jaxlib's HLO text parser; then the HLO proto reader, which is where XLA validates a shape
  memory     the bytes of a CPU buffer that XLA wrote in the asked minor_to_major
  strides    the strides of an XLA Literal
  bytes      XLA's cost model on CPU (no tiles); the buffer sizes of a program compiled ahead of time for a TPU (tiles)
A case's "oracle" names what agreed: "xla", "libtpu", or "model" (definition only: padding, indices inside tiles, ragged).
"""
import itertools
import json
import math
import os
import resource
import sys
import tempfile

os.environ.update(JAX_PLATFORMS="cpu", TPU_SKIP_MDS_QUERY="1", TPU_ACCELERATOR_TYPE="v5litepod-4",
                  TPU_WORKER_HOSTNAMES="localhost", TPU_WORKER_ID="0", TF_CPP_MIN_LOG_LEVEL="3")
import jax
import jaxlib
import jaxlib._hlo as hlo
import numpy as np

LOG = os.path.join(tempfile.gettempdir(), "layout.%d")

# ---------------------------------------------------------------- the model

BITS = {"pred": 8, "c64": 64, "c128": 128, "bf16": 16, "f16": 16, "f32": 32, "f64": 64}
for n in (1, 2, 4, 8, 16, 32, 64):
    BITS["s%d" % n] = BITS["u%d" % n] = max(8, n)
for n in "f4e2m1fn f6e2m3fn f6e3m2fn f8e3m4 f8e4m3 f8e4m3b11fnuz f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz f8e8m0fnu".split():
    BITS[n] = 8


def phys(s, idx=None):
    """Sizes (and the index) from major to minor after all tile levels."""
    size = s.get("padded_dimensions") or s["dimensions"]
    d = [size[k] for k in reversed(s["layout"]["minor_to_major"])]
    e = [idx[k] for k in reversed(s["layout"]["minor_to_major"])] if idx is not None else [0] * len(d)
    for t in s["layout"].get("tiles", []):
        miss = len(t) - len(d)
        d, e = [1] * miss + d, [0] * miss + e
        k = len(d) - len(t)
        d, e = d[:k] + [-(-a // b) for a, b in zip(d[k:], t)] + t, e[:k] + [a // b for a, b in zip(e[k:], t)] + [a % b for a, b in zip(e[k:], t)]
    return d, e


def linear(s, idx):
    d, e = phys(s, idx)
    r = 0
    for a, b in zip(d, e):
        r = r * a + b
    return r


def buffer_elements(s):
    n = math.prod(phys(s)[0])
    a = s["layout"].get("tail_padding_alignment", 1)
    return -(-n // a) * a


def inner_padding(s):
    """A tile after the first that adds cells: XLA sizes the buffer without them."""
    t = s["layout"].get("tiles", [])
    return len(t) > 1 and math.prod(phys(s)[0]) != math.prod(phys({**s, "layout": {**s["layout"], "tiles": t[:1]}})[0])


def bits(s):
    return s["layout"].get("element_size_in_bits") or BITS[s["element_type"]]


def indices(s):
    return itertools.product(*(range(d) for d in s["dimensions"]))


def memory(s, logical, fill):
    m = [fill] * buffer_elements(s)
    for v, i in zip(logical, indices(s)):
        m[linear(s, i)] = v
    return m


def read(s, m):
    return [m[linear(s, i)] for i in indices(s)]


def plain(s):
    return not (s.get("padded_dimensions") or s["layout"].get("tiles") or s["layout"].get("tail_padding_alignment"))


# ---------------------------------------------------------------- XLA

def isolated(fn, *args):
    """XLA answers some bad input by aborting the process: run it in a child."""
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            err = os.open(LOG % os.getpid(), os.O_RDWR | os.O_CREAT | os.O_TRUNC)
            os.dup2(err, 2)
            try:
                out = {"ok": fn(*args)}
            except Exception as e:
                out = {"err": str(e)}
            os.write(w, json.dumps(out).encode())
        finally:
            os._exit(0)
    os.close(w)
    with os.fdopen(r, "rb") as f:
        b = f.read()
    _, st = os.waitpid(pid, 0)
    log = open(LOG % pid).read()
    os.remove(LOG % pid)
    if os.WIFSIGNALED(st):
        return {"abort": next((l.split("] ", 1)[-1].strip() for l in log.splitlines() if l.startswith("F0")), "signal %d" % os.WTERMSIG(st))}
    assert b, log
    return json.loads(b)


def varint(b, i):
    n = k = 0
    while True:
        n |= (b[i] & 127) << k
        k += 7
        i += 1
        if b[i - 1] < 128:
            return n, i


def signed(n):
    return n - (1 << 64) if n >> 63 else n


def fields(b):
    i = 0
    while i < len(b):
        tag, i = varint(b, i)
        if tag & 7 == 0:
            v, i = varint(b, i)
            v = signed(v)
        else:
            assert tag & 7 == 2, tag
            n, i = varint(b, i)
            v, i = bytes(b[i:i + n]), i + n
        yield tag >> 3, v


def packed(b):
    out, i = [], 0
    while i < len(b):
        n, i = varint(b, i)
        out.append(signed(n))
    return out


TYPES = {}


def decode(b):
    """ShapeProto -> SHAPE of FORMAT.md."""
    t, dims, elems, dyn, lay = None, [], [], [], None
    for f, v in fields(b):
        if f == 2: t = v
        elif f == 3: dims += packed(v)
        elif f == 4: elems.append(decode(v))
        elif f == 5: lay = v
        elif f == 6: dyn += packed(v)
    if t == 13:
        return {"tuple": elems}
    if t in (14, 17):
        return {"element_type": {14: "opaque", 17: "token"}[t]}
    if t not in TYPES:
        for n in BITS:
            TYPES[dict(fields(hlo.Shape(n + "[1]").to_serialized_proto()))[2]] = n
    s = {"element_type": TYPES.get(t, "?%d" % t), "dimensions": [None if d == -1 << 63 else d for d in dims]}
    if any(dyn): s["dynamic"] = [bool(x) for x in dyn]
    l = {"minor_to_major": []}
    for f, v in fields(lay or b""):
        if f == 1: l["minor_to_major"] = packed(v)
        elif f == 6: l.setdefault("tiles", []).append([x for g, y in fields(v) for x in packed(y)])
        elif f == 7: l["element_size_in_bits"] = v
        elif f == 8: l["memory_space"] = v
        elif f == 16 and v != 1: l["tail_padding_alignment"] = v
        elif f in (9, 11, 12, 15, 17): l["other_field"] = f
    s["layout"] = l
    return s


def x_text(text):
    s = hlo.Shape(text)
    b = s.to_serialized_proto()
    print_ = str(s)
    try:
        m = hlo.hlo_module_from_text("HloModule m\nENTRY e { ROOT p = %s parameter(0) }" % text)
        hlo.HloModule.from_serialized_hlo_module_proto(m.as_serialized_hlo_module_proto())
        bad = None
    except Exception as e:
        bad = str(e)
    return [decode(b), print_, bad]


def x_no_layout(text):
    m = hlo.hlo_module_from_text("HloModule m\nENTRY e { ROOT p = %s parameter(0) }" % text)
    o = hlo.HloPrintOptions()
    o.include_layout_in_shapes = False
    line = [l for l in m.to_string(o).splitlines() if "parameter(0)" in l][0]
    return line.split(" = ")[1].split(" parameter(")[0]


def x_strides(text):
    return list(np.asarray(hlo.Literal(hlo.Shape(text))).strides)


def x_cpu_bytes(text):
    from jaxlib import _jax
    m = hlo.hlo_module_from_text("HloModule m\nENTRY e { p = %s parameter(0)\n ROOT c = %s copy(p) }" % (text, text))
    n = _jax.hlo_module_cost_analysis(jax.devices("cpu")[0].client, m).get("bytes accessed", 0) / 2
    assert n == int(n)
    return int(n)


def x_raw(a, m2m):
    """What XLA's CPU client holds in memory for array a in layout m2m."""
    import ctypes
    from jax.experimental.layout import Format, Layout
    jax.config.update("jax_enable_x64", True)
    x = jax.device_put(a, Format(Layout(tuple(reversed(m2m))), jax.sharding.SingleDeviceSharding(jax.devices("cpu")[0])))
    x.block_until_ready()
    return np.frombuffer(ctypes.string_at(x.unsafe_buffer_pointer(), a.nbytes), a.dtype).tolist() if a.size else []


JAXTYPE = {"pred": "bool", "s4": "int4", "u4": "uint4", "s2": "int2", "bf16": "bfloat16", "f16": "float16", "f32": "float32", "s8": "int8",
           "u8": "uint8", "s16": "int16", "u16": "uint16", "s32": "int32", "u32": "uint32", "s64": "int64", "u64": "uint64", "c64": "complex64",
           "f8e5m2": "float8_e5m2"}
TPU = []


def x_tpu_bytes(s):
    """Bytes XLA's TPU compiler gives a parameter of this shape and layout; None where it chose another layout."""
    from jax.experimental import topologies
    from jax.experimental.layout import Format, Layout
    jax.config.update("jax_enable_x64", True)
    if not TPU:
        TPU.append(topologies.get_topology_desc(platform="tpu", topology_name="v5e:2x2").devices[0])
    sh = jax.sharding.SingleDeviceSharding(TPU[0])
    l = s["layout"]
    lay = Layout(tuple(reversed(l["minor_to_major"])), tiling=tuple(map(tuple, l.get("tiles", []))),
                 sub_byte_element_size_in_bits=l.get("element_size_in_bits", 0)) if s["dimensions"] else None
    f = Format(lay, sh) if lay else sh
    c = jax.jit(lambda x: x, in_shardings=f, out_shardings=f).lower(
        jax.ShapeDtypeStruct(tuple(s["dimensions"]), JAXTYPE[s["element_type"]], sharding=f)).compile()
    got = c.as_text().split("entry_computation_layout={(", 1)[1].split(")->")[0]
    return c.memory_analysis().argument_size_in_bytes, got


# ---------------------------------------------------------------- cases

CASES = []
SEEN = set()


def add(name, tags, oracle, **kw):
    key = json.dumps({k: v for k, v in kw.items() if k not in ("expect", "error", "ours")}, sort_keys=True)
    assert key not in SEEN, key
    SEEN.add(key)
    case = {"name": name, "tags": tags, "oracle": oracle, **kw}
    assert ("expect" in case) != ("error" in case), name
    CASES.append(case)


def shape(text, pad=None):
    r = isolated(x_text, text)
    assert "ok" in r and r["ok"][2] is None, (text, r)
    s = r["ok"][0]
    if pad:
        s["padded_dimensions"] = pad
    return s


def pads(pad, **kw):
    return {**({"padded_dimensions": pad} if pad else {}), **kw}


def fail(message, phase):
    return {"message": message.split("\n")[0][:160], "phase": phase}


def parse(name, text, ours=None):
    """Our Parse = XLA's text parser and XLA's validation together."""
    r = isolated(x_text, text)
    kw = {"ours": {"why": ours, "error": True}} if ours else {}
    if "ok" in r and r["ok"][2] is None:
        s, printed, _ = r["ok"]
        if "other_field" in json.dumps(s) or '"?' in json.dumps(s):
            assert ours, text
            add(name, ["parse"], "xla", op="parse", text=text, expect={"text": printed}, **kw)
        else:
            add(name, ["parse"], "xla", op="parse", text=text, expect={"shape": s, "text": printed}, **kw)
    elif "ok" in r:
        add(name, ["parse", "error"], "xla", op="parse", text=text, error=fail(r["ok"][2], "validate"))
    elif "err" in r:
        m = r["err"].replace("INVALID_ARGUMENT: Syntax error:\n", "")
        add(name, ["parse", "error"], "xla", op="parse", text=text, error=fail(m, "syntax"))
    else:
        add(name, ["parse", "error"], "xla", op="parse", text=text, error=fail("XLA aborts: " + r["abort"], "syntax"))


def print_(name, text):
    r = isolated(x_no_layout, text)["ok"]
    add(name, ["print"], "xla", op="print_without_layout", text=text, expect={"text": r})


def validate_padding(name, text, pad, ok, message=""):
    kw = {"expect": {"valid": True}} if ok else {"error": fail(message, "validate")}
    add(name, ["padding"] + ([] if ok else ["error"]), "model", op="validate", shape=text, padded_dimensions=pad, **kw)


def index(name, text, idx, pad=None, want=None):
    s = shape(text, pad)
    if len(idx) != len(s["dimensions"]) or any(not 0 <= i < d for i, d in zip(idx, s["dimensions"])):
        add(name, ["index", "error"], "model", op="linear_index", shape=text, **pads(pad), index=idx, error=fail("index out of range", "op"))
        return
    if inner_padding(s):
        add(name, ["index", "error"], "model", op="linear_index", shape=text, index=idx, error=fail("an inner tile adds padding", "op"))
        return
    lin = linear(s, idx)
    assert want is None or lin == want, (name, lin)
    oracle = "model"
    if plain(s) and 0 < math.prod(s["dimensions"]) < 200000 and all(not d for d in s.get("dynamic", [])):
        raw = isolated(lambda: x_raw(np.arange(math.prod(s["dimensions"]), dtype=np.int32).reshape(s["dimensions"]), s["layout"]["minor_to_major"])[lin])["ok"]
        assert raw == int(np.ravel_multi_index(idx, s["dimensions"]) if idx else 0), name
        oracle = "xla"
    e = {"linear": lin}
    if bits(s) % 8 == 0:
        e["byte_offset"] = lin * bits(s) // 8
    add(name, ["index"], oracle, op="linear_index", shape=text, **pads(pad), index=idx, expect=e)


def multi(name, text, lin, pad=None):
    s = shape(text, pad)
    small = math.prod(s["dimensions"]) <= 4096
    if small:
        at = {linear(s, i): list(i) for i in indices(s)}
        got = at.get(lin)
    else:
        assert plain(s)
        got, n = [0] * len(s["dimensions"]), lin
        for d in s["layout"]["minor_to_major"]:
            got[d], n = n % s["dimensions"][d], n // s["dimensions"][d]
        got = got if n == 0 and lin >= 0 else None
    if got is None:
        inside = 0 <= lin < buffer_elements(s)
        add(name, ["multi_index", "error"], "model", op="multi_index", shape=text, **pads(pad), linear=lin,
            error=fail("a padding cell, not an element" if inside else "linear index out of range", "op"))
    else:
        assert linear(s, got) == lin
        add(name, ["multi_index"], "model", op="multi_index", shape=text, **pads(pad), linear=lin, expect={"index": got})


def strides(name, text, pad=None):
    s = shape(text, pad)
    if s["layout"].get("tiles"):
        add(name, ["strides", "error"], "model", op="byte_strides", shape=text, error=fail("a tiled layout has no strides", "op"))
        return
    w, st = bits(s) // 8, [0] * len(s["dimensions"])
    size = pad or s["dimensions"]
    for d in s["layout"]["minor_to_major"]:
        st[d], w = w, w * size[d]
    oracle = "model"
    if not pad and 0 not in size:
        assert isolated(x_strides, text)["ok"] == st, (name, st)
        oracle = "xla"
    add(name, ["strides"], oracle, op="byte_strides", shape=text, **pads(pad), expect={"byte_strides": st})


def sizes(name, text, pad=None, tpu=True):
    s = shape(text, pad)
    if None in s["dimensions"]:
        add(name, ["sizes", "error"], "model", op="sizes", shape=text, error=fail("unbounded dimension: no size", "op"))
        return
    if inner_padding(s):
        add(name, ["sizes", "error"], "model", op="sizes", shape=text, error=fail("an inner tile adds padding", "op"))
        return
    n, m = math.prod(s["dimensions"]), buffer_elements(s)
    e = {"elements": n, "buffer_elements": m, "buffer_bytes": -(-m * bits(s) // 8)}
    oracle = "model"
    if plain(s):
        extra = 4 * len(s["dimensions"]) if any(s.get("dynamic", [])) else 0
        r = isolated(x_cpu_bytes, text)
        assert r.get("ok") == e["buffer_bytes"] + extra, (name, r, e)
        oracle = "xla"
    elif s["element_type"] in JAXTYPE and tpu and not s["layout"].get("tail_padding_alignment") and not s.get("dynamic"):
        t = s
        if pad:        # the document's padding is one tile as large as the padded array
            t = {**s, "layout": {**s["layout"], "tiles": [[pad[d] for d in reversed(s["layout"]["minor_to_major"])]]}}
        r = isolated(x_tpu_bytes, t)
        assert "ok" in r, (name, r)
        got, lay = r["ok"]
        same = isolated(x_text, lay)["ok"][0]
        if same == {k: v for k, v in t.items() if k != "padded_dimensions"}:
            assert got == e["buffer_bytes"], (name, got, e)
            oracle = "libtpu"
        else:
            print("libtpu chose another layout:", text, lay, file=sys.stderr)
    add(name, ["sizes"], oracle, op="sizes", shape=text, **pads(pad), expect=e)


def relayout(name, src, dst, values, fill=0, spad=None, dpad=None):
    """values: memory of src. fill: what the padding of dst holds."""
    a, b = shape(src, spad), shape(dst, dpad)
    kw = dict(op="relayout", **{"from": src, "to": dst}, **({"from_padded_dimensions": spad} if spad else {}),
              **({"to_padded_dimensions": dpad} if dpad else {}), memory=values, fill=fill)
    if a["dimensions"] != b["dimensions"] or a["element_type"] != b["element_type"] or len(values) != buffer_elements(a):
        add(name, ["relayout", "error"], "model", **kw, error=fail("shapes differ, or memory is not the buffer's length", "op"))
        return
    logical = read(a, values)
    out = memory(b, logical, fill)
    oracle = "model"
    if plain(a) and plain(b) and all(isinstance(v, int) for v in values):
        arr = np.array(logical, np.int64).reshape(a["dimensions"])
        assert isolated(x_raw, arr, a["layout"]["minor_to_major"])["ok"] == values, name
        assert isolated(x_raw, arr, b["layout"]["minor_to_major"])["ok"] == out, name
        oracle = "xla"
    add(name, ["relayout"], oracle, **kw, expect={"memory": out})


def order(name, text, kind, pad=None):
    s = shape(text, pad)
    if kind == "logical":
        got = [list(i) for i in indices(s)]
    else:
        got = memory(s, [list(i) for i in indices(s)], None)
    add(name, ["order"], "model", op="order", shape=text, **pads(pad), order=kind, expect={"indices": got})


def bitcast(name, a, b, perm=None):
    """Does the reshape (row-major element order), or the transpose by perm, leave every byte in place?"""
    x, y = shape(a), shape(b)
    if math.prod(x["dimensions"]) != math.prod(y["dimensions"]) or bits(x) != bits(y) or x["element_type"] != y["element_type"]:
        ok = False
    else:
        v = np.arange(math.prod(x["dimensions"]), dtype=np.int32).reshape(x["dimensions"])
        w = v.transpose(perm) if perm is not None else v.reshape(y["dimensions"])
        assert list(w.shape) == y["dimensions"], name
        ok = memory(x, v.reshape(-1).tolist(), -1) == memory(y, w.reshape(-1).tolist(), -1)
        if plain(x) and plain(y):
            r = isolated(x_raw, v, x["layout"]["minor_to_major"])["ok"] == isolated(x_raw, np.ascontiguousarray(w), y["layout"]["minor_to_major"])["ok"]
            assert r == ok, name
    kw = {"permutation": perm} if perm is not None else {}
    add(name, ["bitcast"], "xla" if plain(x) and plain(y) else "model", op="is_bitcast", **{"from": a, "to": b}, **kw, expect={"bool": ok})


def transpose(name, text, perm):
    s = shape(text)
    dims = [s["dimensions"][p] for p in perm]
    m2m = [perm.index(d) for d in s["layout"]["minor_to_major"]]
    out = "%s[%s]{%s}" % (s["element_type"], ",".join(map(str, dims)), ",".join(map(str, m2m)))
    v = np.arange(math.prod(dims), dtype=np.int32).reshape(s["dimensions"])
    assert isolated(x_raw, v, s["layout"]["minor_to_major"])["ok"] == isolated(x_raw, np.ascontiguousarray(v.transpose(perm)), m2m)["ok"], name
    add(name, ["transpose"], "xla", op="transpose", shape=text, permutation=perm, expect={"text": out})


def dim(name, rank, d):
    ok = -rank <= d < rank
    kw = {"expect": {"int": d % rank}} if ok else {"error": fail("dimension out of range", "op")}
    add(name, ["dim"] + ([] if ok else ["error"]), "model", op="dimension_number", rank=rank, dim=d, **kw)


def true_rank(name, text):
    add(name, ["rank"], "model", op="true_rank", shape=text, expect={"int": sum(1 for d in shape(text)["dimensions"] if d > 1)})


def default(name, rank):
    got = shape("f32[%s]" % ",".join("2" * rank))["layout"]["minor_to_major"]
    assert got == list(range(rank))[::-1]
    add(name, ["default"], "xla", op="default_layout", rank=rank, expect={"minor_to_major": got})


def ragged(name, splits, flat, inner, m2m, default_value=0, want=None):
    """One ragged dimension, to_tensor written straight into a layout."""
    rows, longest = len(splits) - 1, max([b - a for a, b in zip(splits, splits[1:])] or [0])
    dims = want or [rows, longest] + inner
    a = np.full(dims, default_value, np.int64)
    f = np.array(flat, np.int64).reshape([splits[-1]] + inner)
    for r in range(min(rows, dims[0])):
        n = min(splits[r + 1] - splits[r], dims[1])
        a[r, :n] = f[splits[r]:splits[r] + n]
    text = "s64[%s]{%s}" % (",".join(map(str, dims)), ",".join(map(str, m2m)))
    out = memory(shape(text), a.reshape(-1).tolist(), 0)
    assert isolated(x_raw, a, m2m)["ok"] == out, name
    add(name, ["ragged"], "xla", op="ragged_to_tensor", ragged={"partitions": [{"row_splits": splits}], "flat_values":
        {"dtype": "int64", "shape": [splits[-1]] + inner, "values": flat}}, minor_to_major=m2m, default_value=default_value,
        **({"shape": want} if want else {}), expect={"text": text, "memory": out})


def write(path, program):
    import importlib.metadata as md
    names = [c["name"] for c in CASES]
    assert len(set(names)) == len(names), {n for n in names if names.count(n) > 1}
    os.makedirs(os.path.dirname(path), exist_ok=True)
    made = "jaxlib %s (XLA), libtpu %s, numpy %s" % (jaxlib.__version__, md.version("libtpu"), np.__version__)
    with open(path, "w") as f:
        f.write(json.dumps({"vectors": "layout", "version": 1, "made_by": made, "program": program, "cases": len(CASES)}) + "\n")
        for c in CASES:
            f.write(json.dumps(c, separators=(",", ":"), allow_nan=False) + "\n")
    tally = {}
    for c in CASES:
        k = (c.get("op"), c["oracle"], "error" if "error" in c else "expect")
        tally[k] = tally.get(k, 0) + 1
    print(len(CASES), "cases ->", path)
    for k, v in sorted(tally.items()):
        print("  %4d" % v, *k)


SPARSE = "sparse level types: XLA reads and drops them; refuse rather than drop what the text says"
RARE = "kept out of the package (split buffers, metadata prefix, buffer types): refuse rather than drop"
NEGATIVE = "a memory space is 0 .. 2^31-1: XLA lets negative ones pass and cuts to 32 bits"
PAREN = "XLA lets a missing ) pass"


def main(out):
    # the source document, example by example
    relayout("document/dim 0 is minor: a d b e c f", "u8[2,3]{1,0}", "u8[2,3]{0,1}", [97, 98, 99, 100, 101, 102])
    relayout("document/dim 0 is major: a b c d e f", "u8[2,3]{0,1}", "u8[2,3]{1,0}", [97, 100, 98, 101, 99, 102])
    relayout("document/padded to 3x5, dim 0 minor", "u8[2,3]{1,0}", "u8[2,3]{0,1}", [97, 98, 99, 100, 101, 102], dpad=[3, 5])
    assert CASES[-1]["expect"]["memory"] == [97, 100, 0, 98, 101, 0, 99, 102, 0, 0, 0, 0, 0, 0, 0]
    relayout("document/the same padding under the default layout", "u8[2,3]{1,0}", "u8[2,3]{1,0}", [97, 98, 99, 100, 101, 102], dpad=[3, 5])
    relayout("document/padded memory is that of the 3x5 array with the padding written out", "u8[3,5]{1,0}", "u8[3,5]{0,1}",
             [97, 98, 99, 0, 0, 100, 101, 102, 0, 0, 0, 0, 0, 0, 0])
    assert CASES[-1]["expect"]["memory"] == CASES[-3]["expect"]["memory"]
    relayout("document/the padding as today's XLA can write it: one tile", "u8[2,3]{1,0}", "u8[2,3]{0,1:T(5,3)}", [97, 98, 99, 100, 101, 102])
    assert CASES[-1]["expect"]["memory"] == CASES[-4]["expect"]["memory"]
    relayout("document/padding dropped again", "u8[2,3]{0,1}", "u8[2,3]{1,0}", [97, 100, 0, 98, 101, 0, 99, 102, 0, 0, 0, 0, 0, 0, 0], spad=[3, 5])
    sizes("document/padded 3x5", "u8[2,3]{0,1}", [3, 5])
    for k in ("memory", "logical"):
        order("document/%s order, dim 0 minor" % k, "f32[2,3]{0,1}", k)
        order("document/%s order, dim 0 major" % k, "f32[2,3]{1,0}", k)
    order("document/memory order with padding", "f32[2,3]{0,1}", "memory", [3, 5])
    for d in (-1, -2, -3, 0, 1, 2):
        dim("document/dimension %d of rank 3" % d, 3, d)
    dim("dimension -4 of rank 3", 3, -4)
    dim("dimension 3 of rank 3", 3, 3)
    for r in (0, 1, 2, 3, 4, 5):
        default("default layout of rank %d" % r, r)
    for t in ("f32[]", "f32[1]", "f32[2,1,3]", "f32[1,1,1]", "f32[0,3]", "f32[7,5]"):
        true_rank("true rank of " + t, t)
    for t, p, ok, m in (("f32[2,3]{0,1}", [3, 5], True, ""), ("f32[2,3]{0,1}", [2, 3], True, ""), ("f32[0,1]{1,0}", [4, 4], True, ""),
                        ("f32[2,3]{0,1}", [3], False, "layout has 1 padded dimensions, but shape is rank 2"),
                        ("f32[2,3]{0,1}", [3, 5, 7], False, "layout has 3 padded dimensions, but shape is rank 2"),
                        ("f32[2,3]{0,1}", [1, 5], False, "for dimension 0, dimension padding (1) is smaller than the dimension size (2) of the shape"),
                        ("f32[2,3]{0,1}", [3, -5], False, "for dimension 1, dimension padding (-5) is smaller than the dimension size (3) of the shape"),
                        ("f32[2,3]{0,1:T(2,2)}", [3, 5], False, "padded_dimensions and tiles are of two ages of XLA: not both"),
                        ("f32[4294967296,3]", [4294967296, 4294967296], False, "padded size overflows int64"),
                        ("f32[<=2,3]", [3, 5], True, ""), ("f32[?,3]", [3, 5], False, "unbounded dimension cannot be padded")):
        validate_padding("padding %s on %s" % (p, t), t, p, ok, m)

    # text
    for t in ("f32[3,5]{1,0}", "f32[3,5]{0,1}", "f32[3,5]", "f32[]", "pred[2]", "u8[0,3]{1,0}", "s64[<=4]", "s64[<=4,3]{1,0}", "f32[<=2,<=3]{0,1}", "s64[<=0]",
              "f32[?]", "f32[?,3]{0,1}", "c64[2,3]{0,1}", "c128[1]", "bf16[2,3,4]{1,2,0:T(16,256)(2,1)}", "f32[2,3,4]{0,1,2:T(512,1024)}",
              "f32[2,3,4]{0,1,2:T(512)}", "pred[8,8,8]{0,2,1:T(8,128)}", "f32[3,5]{1,0:T(2,2)}", "f32[3,5]{1,0:T(8,128)}", "f32[3,5]{1,0:T(2,2,2)}",
              "f32[3,5]{1,0:S(1)}", "bf16[3,5]{1,0:T(8,128)(2,1)S(1)}", "s4[10]{0:E(4)}", "s4[9,300]{1,0:T(8,128)(8,1)E(4)}", "f32[3,5]{1,0:T(8,128)E(4)S(1)}",
              "f32[3,5]{1,0:L(2)}", "f32[3,5]{1,0:T(2,2)L(16)E(8)S(5)}", "f32[]{:T(128)}", "f32[]{:S(1)}", "f32[1,1,1,1,1,1,1,1,1,1]",
              "(f32[2],s32[])", "(f32[2]{0}, s32[])", "()", "((), f32[])", "(f32[2]{0},(s32[],pred[4]{0}))", "token[]", "opaque[]", "(f32[2]{0},token[])",
              "(f32[3,5]{0,1:T(8,128)}, bf16[]{:T(256)})", "f32[9223372036854775807,0]", "f32[2305843009213693951]", "s8[9223372036854775807]"):
        parse("parse " + t, t)
    for n in sorted(BITS):
        parse("element type " + n, n + "[3,2]")
    for t in ("f32 [3]", "f32[ 3 , 5 ]{ 1 , 0 }", "f32[3,5]{1,0} ", "f32[3,5]{1,0:}", "f32[]{:}", "f32[3,5]{1,0:S(0)}", "f32[3,5]{1,0:E(0)}", "f32[<= 2]", "f32[3,5]{1,0:L(1)}",
              "(f32[2], /*index=1*/s32[])", "/*x*/f32[2]", "f32[03]"):
        parse("lenient " + repr(t), t)
    for t in ("", " ", "f32", "f32[", "f32[3", "f32[3,]", "f32[,3]", "f32[3 5]", "f32[3,,5]", "f32[-3]", "f32[9223372036854775808]", "f33[3]", "F32[3]", "string[3]", "i32[3]",
              "tuple[3]", "f32[3,5]{}", "f32[]{}", "f32[]{0}", "f32[3,5]{0}", "f32[3,5]{1,0,2}", "f32[3,5]{1,0}x", "f32[3]{0", "f32[3]{", "(f32[2]", "f32[2])", "(f32[2],)", "(f32[2] s32[])",
              "f32[3,5]{0,0}", "f32[3,5]{2,0}", "f32[3,5]{-1,0}", "f32[3,5]{1,1}", "f32[2,2,2]{2,1,2}", "f32[3,5]{1,0:T()}", "f32[3,5]{1,0:T(0,2)}", "f32[3,5]{1,0:T(-1,8)}", "f32[3,5]{1,0:T(*,8)}",
              "f32[3,5]{1,0:S(1)T(2,2)}", "f32[3,5]{1,0:S(1)E(4)}", "f32[3,5]{1,0:E(4)T(2,2)}", "f32[3,5]{1,0:T(2,2)T(1,1)}", "f32[3,5]{1,0:E(-4)}", "f32[3,5]{1,0:L(0)}",
              "f32[3,5]{1,0:S()}", "f32[3,5]{1,0:X(1)}", "f32[3,5]{1,0:#(u32)}", "f32[3,5]{1,0:P(f32[15]{0})}", "token[3]", "f32[4294967296,4294967296]", "f32[9223372036854775807]", "f32[2305843009213693952]",
              "f32[<3]", "f32[<=-3]", "f32[<=]", "f32[3.5]", "f32{1,0}", "f32[2]{0}{0}", "(f32[2]){0}"):
        parse("bad " + repr(t), t)
    for t, why in (("f32[3,5]{1,0:D(D,C)}", SPARSE), ("f32[3,5]{1,0:SC(1:2,3)}", RARE), ("f32[3,5]{1,0:M(16)}", RARE), ("b(f32[2])", RARE), ("f32[3,5]{1,0:S(-1)}", NEGATIVE), ("f32[3]{0:S(9223372036854775808)}", NEGATIVE), ("f32[3]{0:S(4294967297)}", NEGATIVE), ("f32[3,5]{1,0:T(8,128}", PAREN)):
        parse("refused here " + t, t, ours=why)
    for t in ("f32[3,5]{0,1}", "s64[<=4,3]", "f32[]", "(f32[2]{0}, (s32[], pred[4]{0}))", "bf16[3,5]{1,0:T(8,128)(2,1)}", "f32[?,3]", "token[]", "()"):
        print_("without layout " + t, t)

    # indices
    for dims, m, i, want in (("10,20", "0,1", [3, 5], 53), ("10,20", "0,1", [9, 19], 199), ("10,20", "1,0", [3, 5], 65), ("10,20", "1,0", [9, 19], 199),
                             ("10,20,30", "2,1,0", [3, 5, 7], 1957), ("10,20,30", "2,1,0", [8, 15, 27], 5277), ("10,20,30", "1,2,0", [3, 5, 7], 1945), ("10,20,30", "1,2,0", [8, 15, 27], 5355),
                             ("100", "0", [42], 42), ("2,3", "0,1", [1, 2], 5), ("2,3", "0,1", [0, 2], 4), ("2,3", "0,1", [1, 0], 1), ("4,1,3", "1,0,2", [3, 0, 2], 11)):
        index("index %s of [%s]{%s}" % (i, dims, m), "f32[%s]{%s}" % (dims, m), i, want=want)
    index("index (3,5,7,9) of rank 4", "u8[10,20,30,40]{3,2,1,0}", [3, 5, 7, 9], want=78289)
    index("index (8,15,27,33) of rank 4", "u8[10,20,30,40]{3,2,1,0}", [8, 15, 27, 33], want=211113)
    index("index of a scalar", "f64[]", [], want=0)
    index("index, padded", "f64[2,3]{0,1}", [1, 2], [3, 5], want=7)
    index("index, padded, default layout", "f64[2,3]{1,0}", [1, 2], [3, 5], want=7)
    index("index, padded unevenly", "s16[2,3,4]{1,2,0}", [1, 2, 3], [2, 4, 6], want=38)
    index("tiled_layout.md figure 1: (2,3) of f32[3,5] in 2x2 tiles", "f32[3,5]{1,0:T(2,2)}", [2, 3], want=17)
    index("tiled_layout.md alternative 16 bit format: (6,5) of 8x8", "bf16[8,8]{1,0:T(2,4)(2,1,1,1)}", [6, 5], want=51)
    for i, want in (([0, 0], 0), ([1, 0], 1), ([0, 1], 2), ([1, 3], 7), ([0, 4], 8), ([2, 0], 16), ([3, 7], 31)):
        index("tiled_layout.md figure 2: %s of 4x8 in (2,4)(2,1)" % i, "bf16[4,8]{1,0:T(2,4)(2,1)}", i, want=want)
    index("tile of fewer dimensions than the array", "f32[2,7,8]{2,1,0:T(2,3)}", [1, 6, 7], want=(1 * 4 * 3 + 3 * 3 + 2) * 6 + 1)
    index("tile of more dimensions than the array", "f32[5]{0:T(2,2)}", [3], want=5)
    index("tile on a permuted layout", "f32[3,5]{0,1:T(2,2)}", [2, 3])
    index("scalar in a tile", "f32[]{:T(128)}", [], want=0)
    index("bounded dimension counts with its bound", "s64[2,<=4]{0,1}", [1, 3], want=7)
    index("an inner tile that pads", "f32[4,4]{1,0:T(2,4)(3,1)}", [1, 1])
    sizes("an inner tile that pads: size", "f32[4,4]{1,0:T(2,4)(3,1)}")
    index("sub-byte: no byte offset", "s4[10]{0:E(4)}", [7], want=7)
    for t, i in (("f32[2,3]", [2, 0]), ("f32[2,3]", [0, 3]), ("f32[2,3]", [-1, 0]), ("f32[2,3]", [0]), ("f32[2,3]", [0, 0, 0]), ("f32[]", [0]), ("f32[0]", [0]), ("f32[2,0]", [0, 0])):
        index("index %s outside %s" % (i, t), t, i)
    index("index in the padding", "f32[2,3]{0,1}", [2, 0], [3, 5])
    for t, n in (("f32[10,20]{0,1}", 53), ("f32[10,20]{1,0}", 65), ("f32[10,20,30]{1,2,0}", 5355), ("f32[10,20,30,40]{3,2,1,0}", 211113), ("f32[]", 0), ("f32[2,1,3]{1,0,2}", 5), ("f32[3,5]{1,0:T(2,2)}", 17),
                 ("bf16[8,8]{1,0:T(2,4)(2,1,1,1)}", 51), ("f32[2,3]{1,0}", 6), ("f32[2,3]{1,0}", -1), ("f32[0,3]", 0), ("f32[]", 1), ("f32[3,5]{1,0:T(2,2)}", 11), ("f32[3,5]{1,0:T(2,2)}", 24)):
        multi("multi-index of %d in %s" % (n, t), t, n)
    for n in (0, 7, 2, 14, 15):
        multi("multi-index of %d, padded" % n, "f32[2,3]{0,1}", n, [3, 5])
    for t in ("f32[2,3,4]", "f32[2,3,4]{0,1,2}", "f64[2,3,4]{1,2,0}", "pred[7,5]{0,1}", "c64[2,3]{0,1}", "f32[]", "s16[1,1]", "u8[2,1,3]{1,0,2}", "f32[2,0,3]"):
        strides("byte strides of " + t, t)
    strides("byte strides, padded", "f32[2,3]{0,1}", [3, 5])
    strides("no strides under tiles", "f32[3,5]{1,0:T(2,2)}")

    # sizes
    for t in ("f32[2,3]", "f32[]", "f32[0,3]", "pred[9]", "pred[9]{0:E(1)}", "s4[5]", "s4[5]{0:E(4)}", "s2[5]{0:E(2)}", "u1[9]{0:E(1)}", "c128[2]", "f8e5m2[3]", "f4e2m1fn[5]", "f4e2m1fn[5]{0:E(4)}", "s64[<=4]", "s64[<=4,3]", "f32[1,1,1]"):
        sizes("size of " + t, t)
    for t in ("f32[3,5]{1,0:T(2,2)}", "f32[3,5]{0,1:T(2,2)}", "f32[3,5]{1,0:T(4,128)}", "f32[3,5]{1,0:T(8,128)}", "f32[3,5]{0,1:T(8,128)}", "bf16[9,300]{1,0:T(8,128)(2,1)}", "s8[3,5]{1,0:T(4,128)(4,1)}", "pred[3,5]{1,0:T(4,128)(4,1)}",
              "f32[]{:T(128)}", "f32[7]{0:T(128)}", "f32[2000]{0:T(1024)}", "f32[4,3,5]{2,0,1:T(4,128)}", "f32[3,5]{1,0:T(4)}", "f32[5]{0:T(2,2)}", "f32[2,7,8]{2,1,0:T(2,3)}", "f32[0,3]{1,0:T(3,5)}", "f32[2,3]{0,1:T(5,3)}",
              "s4[9,300]{1,0:T(8,128)(8,1)E(4)}", "s4[9]{0:T(1024)(128)(8,1)E(4)}", "c64[9,300]{1,0:T(8,128)}", "bf16[8,8]{1,0:T(2,4)(2,1,1,1)}"):
        sizes("size of " + t, t)
    sizes("padding of the default layout", "f32[2,3]{1,0}", [3, 5])
    sizes("padding of one dimension", "f64[2,3,4]{1,2,0}", [2, 4, 4])
    sizes("padding of an empty array", "f32[0,3]", [2, 4], tpu=False)
    sizes("tail padding", "f32[3]{0:L(8)}")
    sizes("tail padding after tiles", "f32[3,5]{1,0:T(2,2)L(16)}")
    sizes("no size: unbounded", "f32[?,3]")

    # moving data
    r = list(range(24))
    for a, b in (("s32[2,3,4]{2,1,0}", "s32[2,3,4]{0,1,2}"), ("s32[2,3,4]{2,1,0}", "s32[2,3,4]{1,2,0}"), ("s32[2,3,4]{0,2,1}", "s32[2,3,4]{2,0,1}"), ("s32[2,3,4]{2,1,0}", "s32[2,3,4]{2,1,0:T(2,2)}"),
                 ("s32[2,3,4]{2,1,0}", "s32[2,3,4]{2,0,1:T(2,2)(2,1)}"), ("s32[24]", "s32[24]{0:T(5)}"), ("s32[4,6]{1,0}", "s32[4,6]{0,1:T(4)}"), ("s32[4,3,2]{2,1,0:T(2,2)}", "s32[4,3,2]{0,1,2}")):
        s = shape(a)
        relayout("relayout %s to %s" % (a, b), a, b, memory(s, r, -1), fill=-1)
    relayout("relayout of a scalar", "s32[]", "s32[]", [7])
    relayout("relayout of nothing", "s32[0,3]{1,0}", "s32[0,3]{0,1}", [])
    relayout("relayout, fill -1", "s32[2,2]{1,0}", "s32[2,2]{1,0}", [1, 2, 3, 4], fill=-1, dpad=[3, 3])
    relayout("relayout from one padding to another", "s32[2,2]{1,0}", "s32[2,2]{0,1}", [1, 2, 0, 3, 4, 0, 0, 0, 0], fill=9, spad=[3, 3], dpad=[2, 3])
    relayout("relayout refuses other dimensions", "s32[2,3]", "s32[3,2]", [1, 2, 3, 4, 5, 6])
    relayout("relayout refuses another element type", "s32[2]", "f32[2]", [1, 2])
    relayout("relayout refuses a short buffer", "s32[2,3]", "s32[2,3]{0,1}", [1, 2, 3, 4, 5])
    order("memory order of tiles", "f32[3,5]{1,0:T(2,2)}", "memory")
    order("memory order of rank 3", "f32[2,3,2]{1,2,0}", "memory")
    order("memory order of a scalar", "f32[]", "memory")
    order("memory order of nothing", "f32[0,3]", "memory")
    for a, b, p in (("s32[2,3]{1,0}", "s32[6]{0}", None), ("s32[2,3]{0,1}", "s32[6]{0}", None), ("s32[2,3]{1,0}", "s32[3,2]{1,0}", None), ("s32[2,3]{0,1}", "s32[3,2]{1,0}", [1, 0]), ("s32[2,3]{1,0}", "s32[3,2]{1,0}", [1, 0]),
                    ("s32[2,1,3]{2,1,0}", "s32[2,1,3]{2,0,1}", None), ("s32[2,3,4]{2,1,0}", "s32[6,4]{1,0}", None), ("s32[2,3,4]{1,2,0}", "s32[6,4]{1,0}", None), ("s32[0,3]{1,0}", "s32[3,0]{0,1}", None),
                    ("s32[2,3,4]{0,2,1}", "s32[4,2,3]{1,0,2}", [2, 0, 1]), ("s32[2,3]{1,0}", "s32[5]{0}", None), ("s32[2]", "f32[2]", None),
                    ("f32[16,128]{1,0:T(8,128)}", "f32[2048]{0:T(1024)}", None), ("f32[8,256]{1,0:T(8,128)}", "f32[2048]{0:T(1024)}", None), ("f32[2,8,128]{2,1,0:T(8,128)}", "f32[16,128]{1,0:T(8,128)}", None),
                    ("f32[2,4,128]{2,1,0:T(8,128)}", "f32[8,128]{1,0:T(8,128)}", None)):
        bitcast("bitcast %s to %s%s" % (a, b, "" if p is None else " by %s" % p), a, b, p)
    for t, p in (("s32[2,3]{1,0}", [1, 0]), ("s32[2,3,4]{2,1,0}", [2, 0, 1]), ("s32[2,3,4]{0,2,1}", [1, 2, 0]), ("s32[5]{0}", [0])):
        transpose("transpose %s by %s" % (t, p), t, p)

    # ragged
    S, F = [0, 2, 2, 3], [1, 2, 3]
    ragged("to_tensor, rows major", S, F, [], [1, 0])
    ragged("to_tensor, rows minor: column by column", S, F, [], [0, 1])
    ragged("to_tensor, default value", S, F, [], [0, 1], default_value=-1)
    ragged("to_tensor, inner dimension minor", S, [1, 2, 3, 4, 5, 6], [2], [2, 1, 0])
    ragged("to_tensor, inner dimension major", S, [1, 2, 3, 4, 5, 6], [2], [1, 0, 2])
    ragged("to_tensor, shape given: crops and pads", [0, 3, 4], [1, 2, 3, 4], [], [0, 1], want=[3, 2])
    ragged("to_tensor of no rows", [0], [], [], [0, 1])
    write(out, "make/layout.py")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "vectors", "layout", "layout.jsonl"))

"""Makes ../models: a SavedModel for each way in which TensorFlow and Keras write ragged inputs, and its structure.

    python models.py [OUT]

  NAME/saved_model.pb  as TensorFlow wrote it, serialized again with sorted maps. Variables and assets are left out: the
                       structure needs none.
  models.json          for each model and each signature its inputs and outputs as TensorFlow sees them after
                       saved_model.load: the signature of the restored function with its nested arguments, flattened by
                       tf.nest, each leaf with the names of the signature's tensors that carry it. The names come from
                       the graph of the restored signature, in which one call has the arguments in order.

Needs tensorflow-cpu and tf-keras, the same version.
"""
import collections
import importlib
import json
import multiprocessing
import os
import shutil
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2
from tensorflow.python.saved_model import load, nested_structure_coder

HERE = os.path.dirname(os.path.abspath(__file__))
R, T, S = tf.RaggedTensorSpec, tf.TensorSpec, tf.SparseTensorSpec
MODELS = {}


def model(f):
    """A function that saves a model in the folder it is given."""
    MODELS[f.__name__] = f
    return f


def save(folder, function, attach=True, **signatures):
    """Saves a function as serving_default, and others by name."""
    m = tf.Module()
    if attach:
        m.f = function
    tf.saved_model.save(m, folder, signatures={"serving_default": function, **signatures})


def total(*tensors):
    """A float that depends on all tensors."""
    out = 0.0
    for t in tf.nest.flatten(tensors, expand_composites=True):
        out += tf.reduce_sum(tf.cast(tf.strings.length(t) if t.dtype == tf.string else t, tf.float32))
    return out


# ---------------------------------------------------------------- functions

@model
def ragged3(folder):
    @tf.function(input_signature=[R([None] * 3, tf.int64)])
    def f(tokens):
        return {"twice": tokens * 2, "total": total(tokens)}
    save(folder, f)


@model
def ragged_int32(folder):
    @tf.function(input_signature=[R([None, None], tf.string, row_splits_dtype=tf.int32), T([None], tf.float32)])
    def f(words, w):
        return {"lengths": tf.strings.length(words.flat_values), "w": w}
    save(folder, f)


@model
def nested_dict(folder):
    @tf.function(input_signature=[{
        "a": R([None, None], tf.int64), "b": T([None], tf.float32, name="bee"), "c/d e": R([None, None, 2], tf.float32, ragged_rank=1)}])
    def f(feats):
        return {"total": total(feats)}
    save(folder, f)


@model
def taken_name(folder):
    @tf.function(input_signature=[R([None, None], tf.float32), T([None], tf.float32)])
    def f(x, x_1):
        return total(x, x_1), x_1
    save(folder, f)


@model
def static_rows(folder):
    @tf.function(input_signature=[R([4, None], tf.float32)])
    def f(x):
        return {"y": tf.reduce_sum(x, axis=1)}
    save(folder, f)


@model
def uniform_inside(folder):
    """A uniform dimension above a ragged one is row_splits too; one below all is in the shape of flat_values."""
    @tf.function(input_signature=[R([None, 2, None, 3], tf.float32, ragged_rank=2), R([None, 5], tf.int32, ragged_rank=0)])
    def f(boxes, ids):
        return {"total": total(boxes, ids)}
    save(folder, f)


@model
def sparse(folder):
    @tf.function(input_signature=[S([None, 10], tf.float32)])
    def f(x):
        return {"y": tf.sparse.reduce_sum(x, axis=1), "x": x * 2.0}
    save(folder, f)


@model
def examples(folder):
    @tf.function(input_signature=[T([None], tf.string, name="examples")])
    def f(serialized):
        spec = {"ids": tf.io.RaggedFeature(tf.int64)}
        return {"sums": tf.reduce_sum(tf.io.parse_example(serialized, spec)["ids"], axis=1)}
    save(folder, f)


@model
def numbers(folder):
    """Types that no column has."""
    @tf.function(input_signature=[R([None, None], tf.int32), T([None], tf.bool), T([None], tf.float64), R([None, None], tf.float16), T([None, 2], tf.uint8)])
    def f(ids, on, price, score, pixel):
        return {"total": total(ids, on, price, score, pixel), "ids": tf.reduce_sum(ids, axis=1), "price": price * 2.0}
    save(folder, f)


@model
def defaults(folder):
    """An argument with a value that requests need not have."""
    @tf.function(input_signature=[T([None], tf.int64), T([], tf.float32)])
    def f(ids, scale=tf.constant(0.5)):
        return {"y": tf.cast(ids, tf.float32) * scale}
    save(folder, f)


@model
def nests(folder):
    """Named tuples, lists, keyword arguments, arguments that are not tensors, and variables that the function captures."""
    point = collections.namedtuple("Point", ["y", "x"])

    class Model(tf.Module):
        def __init__(self):
            self.v = tf.Variable([1.0, 2.0])
            self.table = tf.constant([3.0, 4.0])

        @tf.function
        def f(self, p, many, training=False, mask=None, *, extra):
            return {"y": total(p, many, extra) * (2.0 if training else 1.0) + self.v[0] + self.table[1]}

    m = Model()
    ragged = R([None, None], tf.int64)
    f = m.f.get_concrete_function(
        point(y=T([None, 3], tf.float32), x=ragged), [ragged, (T([], tf.bool), {"deep": R([None, None, None], tf.string)})],
        training=True, extra=T([None], tf.int32))
    m.serve = f
    tf.saved_model.save(m, folder, signatures={"serving_default": f})


@model
def retraced(folder):
    """A concrete function that is traced again when it is saved: the signature calls the first trace, whose structure is
    in the file for the second one only. The expected structure is that of the first."""
    m = tf.Module()

    @tf.function
    def f(p, w):
        return {"y": total(p, w)}
    m.f = f
    first = f.get_concrete_function({"a": T([None], tf.float32), "b": R([None, None], tf.int64)}, T([None], tf.float32))
    tf.saved_model.save(m, folder, signatures=first)
    return first.structured_input_signature, ["p", "w"]


@model
def varargs(folder):
    """Arguments of *rest, which have no names of their own, and of **more. The function is traced again when it is saved."""
    m = tf.Module()

    @tf.function
    def f(w, *rest, **more):
        return {"y": total(w, rest, more)}
    m.f = f
    first = f.get_concrete_function(
        T([None], tf.float32), R([None, None], tf.int64), {"a": R([None, None, 2], tf.string, ragged_rank=1)}, k=R([None, None, None], tf.float32))
    tf.saved_model.save(m, folder, signatures=first)
    return first.structured_input_signature, ["w", "rest_0", "rest_1"]


@model
def two_signatures(folder):
    """Two signatures; the functions are not attributes of the module, so the names of their arguments are not saved."""
    @tf.function(input_signature=[R([None, None], tf.int64), T([None], tf.int64)])
    def f(ids, w):
        return {"y": tf.reduce_sum(ids, axis=1) * w}

    @tf.function(input_signature=[{"k": R([None, None], tf.int64), "j": T([None], tf.int64)}])
    def g(features):
        return {"y": features["k"], "z": features["j"]}
    save(folder, f, attach=False, other=g)


@model
def odd_names(folder):
    @tf.function(input_signature=[R([None, None], tf.int64), T([None], tf.int64, name="b-c.d"), T([], tf.int64, name="Group/Size")])
    def f(Tokens, w, size):
        return {"y": total(Tokens, w, size)}
    save(folder, f)


# ---------------------------------------------------------------- Keras

def keras_model(name, inputs, **options):
    lib = importlib.import_module(name)  # only here, so that the other models need no Keras
    ids = lib.Input([None], dtype="int64", name="ids", **options)
    dense = lib.Input([2], dtype="float32", name="dense")
    if name == "tf_keras":
        e = lib.layers.Embedding(10, 2)(ids)
        e = lib.layers.Lambda(lambda x: tf.reduce_sum(x, axis=1))(e)
    else:
        e = lib.layers.GlobalAveragePooling1D()(lib.layers.Embedding(10, 2)(ids))
    y = lib.layers.Add(name="sum")([e, dense])
    return lib.Model({"ids": ids, "dense": dense} if inputs is dict else [ids, dense], y)


@model
def keras2_list(folder):
    keras_model("tf_keras", list, ragged=True).save(folder, save_format="tf")


@model
def keras2_dict(folder):
    keras_model("tf_keras", dict, ragged=True).save(folder, save_format="tf")


@model
def keras2_export(folder):
    keras_model("tf_keras", list, ragged=True).export(folder)


@model
def keras3_export(folder):
    keras_model("keras", dict, ragged=True).export(folder, verbose=False)


@model
def keras3_function(folder):
    """Keras 3 with a ragged input: a tf.function around the model."""
    m = keras_model("keras", dict)

    @tf.function(input_signature=[R([None, None], tf.int64), T([None, 2], tf.float32)])
    def serve(ids, dense):
        return {"sum": m({"ids": ids.to_tensor(), "dense": dense})}
    m.serve = serve
    tf.saved_model.save(m, folder, signatures=serve)


# ---------------------------------------------------------------- TensorFlow 1

def save1(folder, make):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        inputs, outputs = make(v1)
        v1.saved_model.simple_save(session, folder, inputs, outputs)


@model
def tf1_ragged(folder):
    def make(v1):
        x = v1.ragged.placeholder(tf.int64, 2, [], name="rp")
        return {"x": x}, {"y": x * 2, "flat": x.flat_values}
    save1(folder, make)


@model
def tf1_sparse(folder):
    def make(v1):
        x = v1.sparse_placeholder(tf.float32, [None, 10], name="sp")
        return {"x": x}, {"y": tf.sparse.reduce_sum(x)}
    save1(folder, make)


@model
def tf1_dense(folder):
    def make(v1):
        x = v1.placeholder(tf.float32, [None, 3], name="x")
        z = v1.placeholder(tf.string, None, name="z")
        return {"x": x, "z": z}, {"y": x * 2}
    save1(folder, make)


@model
def tf1_classify(folder):
    """Signatures of serialized Examples, as Estimators export them."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        serialized = v1.placeholder(tf.string, [None], name="input_example_tensor")
        minutes = tf.io.parse_example(serialized, {"minutes": tf.io.FixedLenFeature([], tf.int64)})["minutes"]
        score = tf.cast(minutes, tf.float32) / 64.0  # exact
        scores = tf.stack([score, 1.0 - score], axis=1)
        classes = tf.tile([["long", "short"]], [tf.size(minutes), 1])
        definitions = v1.saved_model.signature_def_utils
        builder = v1.saved_model.Builder(os.path.join(folder, "export"))
        builder.add_meta_graph_and_variables(session, ["serve"], {
            "serving_default": definitions.classification_signature_def(serialized, classes, scores),
            "regression": definitions.regression_signature_def(serialized, score)})
        builder.save()
    shutil.move(os.path.join(folder, "export", "saved_model.pb"), folder)


# ---------------------------------------------------------------- the sample file

@model
def recipes(folder):
    """Takes columns of ../recipes.spec.json."""
    @tf.function(input_signature=[{
        "minutes": T([None], tf.int64), "steps": R([None] * 4, tf.string), "allergens": R([None] * 3, tf.string),
        "amounts": R([None, None], tf.float32, row_splits_dtype=tf.int32)}])
    def serve(recipe):
        words = recipe["steps"].merge_dims(1, 3)
        return {"effort": tf.cast(recipe["minutes"], tf.float32) + tf.reduce_sum(recipe["amounts"], axis=1),
                "words": words.flat_values, "words_splits": words.row_splits}
    save(folder, serve)


# ---------------------------------------------------------------- saved in other ways

class Method(tf.Module):
    """Functions of one name and of another, without an input_signature."""

    @tf.function
    def f(self, ids, w, n=None):
        return {"y": total(ids, w)}

    @tf.function
    def g(self, ids, w):
        return {"y": total(ids, w) * 2.0}


@model
def concrete(folder):
    m = Method()
    m.g.get_concrete_function(T([None], tf.int64), T([None], tf.int64))
    f = m.f.get_concrete_function(R([2, None, 3], tf.string, ragged_rank=1), w=S([None, 4], tf.float32), n=T([], tf.bool))
    tf.saved_model.save(m, folder, signatures=f)
    return f.structured_input_signature, ["ids", "w", "n"]


@model
def two_traces(folder):
    """Two traces with the same tensors: which of them is the signature's cannot be known."""
    m = tf.Module()

    @tf.function
    def f(x):
        return {"y": total(x)}
    m.f = f
    f.get_concrete_function({"b": R([None, None], tf.int64), "c": T([None], tf.int64)})
    first = f.get_concrete_function({"a": T([None], tf.int64), "b": R([None, None], tf.int64)})
    tf.saved_model.save(m, folder, signatures=first)


@model
def resaved(folder):
    """Loaded and saved again, with the signatures it had."""
    m = Method()
    m.h = tf.function(lambda x: {"y": total(x)}, input_signature=[{"b": R([None, None], tf.int64), "a": T([None], tf.int64)}])
    with tempfile.TemporaryDirectory() as once:
        tf.saved_model.save(m, once, signatures=m.h)
        loaded = tf.saved_model.load(once)
        tf.saved_model.save(loaded, folder, signatures=loaded.signatures)


# ---------------------------------------------------------------- structure

def shape(s):
    s = tf.TensorShape(s)
    return None if s.rank is None else [-1 if d is None else d for d in s.as_list()]


def describe(spec, **rest):
    if isinstance(spec, R) and spec.ragged_rank > 0:
        form = {"form": "ragged", "dtype": spec.dtype.name, "shape": shape(spec._shape), "ragged_rank": spec.ragged_rank,
                "row_splits_dtype": spec.row_splits_dtype.name}
    else:
        form = {"form": "sparse" if isinstance(spec, S) else "dense", "dtype": spec.dtype.name, "shape": shape(spec.shape)}
    return {**form, **rest}


def paths(value):
    """Where the leaves of a nest are, in the order of tf.nest."""
    if isinstance(value, dict):
        return [(str(k),) + p for k in sorted(value) for p in paths(value[k])]
    if hasattr(value, "_fields"):
        return [(k,) + p for k in value._fields for p in paths(getattr(value, k))]
    if isinstance(value, (list, tuple)):
        return [(str(i),) + p for i, v in enumerate(value) for p in paths(v)]
    return [()]


def load_all(folder):
    """What tf.saved_model.load returns, and the concrete functions that it restored, by the names they have in the file."""
    loaders = []

    class Loader(load.Loader):
        def __init__(self, *args, **kwargs):
            loaders.append(self)
            super().__init__(*args, **kwargs)
    theirs, load.Loader = load.Loader, Loader
    try:
        loaded = tf.saved_model.load(folder)
    finally:
        load.Loader = theirs
    return loaded, loaders[0]._concrete_functions if loaders else {}


def arguments(graph, name):
    """The names of the positional arguments of a function; none if they are not saved."""
    specs = [n.function.function_spec for n in graph.nodes if name in n.function.concrete_functions]
    specs += [n.bare_concrete_function.function_spec for n in graph.nodes if n.bare_concrete_function.concrete_function_name == name]
    for spec in specs:
        names = nested_structure_coder.decode_proto(spec.fullargspec).args
        return names[1:] if spec.is_method else names
    return []


def tensor_names(value):
    """The tensors of the graph that a value of TensorFlow 1 consists of."""
    return [t.name for t in tf.nest.flatten(value, expand_composites=True)]


def structure(folder, exported):
    proto = saved_model_pb2.SavedModel.FromString(open(folder + "/saved_model.pb", "rb").read())
    graph = proto.meta_graphs[0]
    loaded, functions = load_all(folder)
    signatures = {}
    for key, definition in sorted(graph.signature_def.items()):
        if key.startswith("__"):
            continue
        s = signatures[key] = {"inputs": [], "outputs": []}
        if not functions:
            v1 = tf.compat.v1
            with tf.Graph().as_default(), v1.Session() as session:
                v1.saved_model.load(session, ["serve"], folder)
                for side in ("inputs", "outputs"):
                    for name, info in sorted(getattr(definition, side).items()):
                        t = v1.saved_model.utils.get_tensor_from_tensor_info(info)
                        spec = S(info.tensor_shape, t.dtype) if info.WhichOneof("encoding") == "coo_sparse" else tf.type_spec_from_value(t)
                        s[side].append(describe(spec, path=[name], names=[name] if tf.is_tensor(t) and info.name else [],
                                                tensors=tensor_names(t)))
            continue
        restored = loaded.signatures[key]
        for name, spec in sorted(restored.structured_outputs.items()):
            info = definition.outputs[name]
            tensors = [info.name] if info.name else [c.name for c in info.composite_tensor.components] or [
                info.coo_sparse.indices_tensor_name, info.coo_sparse.values_tensor_name, info.coo_sparse.dense_shape_tensor_name]
            s["outputs"].append(describe(spec, path=[name], names=[name] if info.name else [], tensors=tensors))
        wrapper = next(n for n, f in functions.items() if f is restored or f.name == restored.name)
        body = next(f for f in graph.graph_def.library.function if f.signature.name == wrapper)
        callee = next(n.attr["f"].func.name for n in body.node_def if n.op.endswith("PartitionedCall"))
        call = next(op for op in restored.graph.get_operations() if op.type.endswith("PartitionedCall"))
        names = dict(zip([t.name for t in restored.graph.inputs], restored._arg_keywords))
        given = [names[t.name] for t in call.inputs if t.name in names]
        bodies = {f.signature.name: f for f in graph.graph_def.library.function}
        while callee.startswith("__inference_signature_wrapper_"):  # of a model that was loaded and saved again
            names = dict(zip([a.name for a in bodies[callee].signature.input_arg], given))
            call = next(n for n in bodies[callee].node_def if n.op.endswith("PartitionedCall"))
            given, callee = [names[i] for i in call.input if i in names], call.attr["f"].func.name
        if functions[callee].structured_input_signature is not None:
            args, kwargs = functions[callee].structured_input_signature
            known = arguments(graph.object_graph_def, callee)
        elif exported:
            (args, kwargs), known = exported
        else:
            s["inputs"] = None  # not saved
            s["names"] = given
            continue
        for nest in [{known[i] if i < len(known) else str(i): a} for i, a in enumerate(args)] + [{k: kwargs[k]} for k in sorted(kwargs)]:
            for path, spec in zip(paths(nest), tf.nest.flatten(nest)):
                if not isinstance(spec, tf.TypeSpec):
                    continue
                count = len(tf.nest.flatten(spec, expand_composites=True))
                own, given = given[:count], given[count:]
                s["inputs"].append(describe(spec, path=list(path), names=own, tensors=[definition.inputs[n].name for n in own]))
        assert not given, (key, given)
    return signatures


def write(name, out):
    """Saves a model, and returns its structure."""
    with tempfile.TemporaryDirectory() as folder:
        exported = MODELS[name](folder)  # what was, if the file does not tell it
        found = structure(folder, exported)
        proto = saved_model_pb2.SavedModel.FromString(open(folder + "/saved_model.pb", "rb").read())
    os.makedirs(os.path.join(out, name), exist_ok=True)
    with open(os.path.join(out, name, "saved_model.pb"), "wb") as f:
        f.write(proto.SerializeToString(deterministic=True))
    return found


def main():
    out = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "models")
    # TensorFlow numbers functions and layers from the start of the process. Each model has a process of its own, so its bytes do not
    # depend on those before it.
    fork = multiprocessing.get_context("fork")
    found = {}
    for name in MODELS:
        with fork.Pool(1) as child:
            found[name] = child.apply(write, (name, out))
    with open(os.path.join(out, "models.json"), "w") as f:
        f.write(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()

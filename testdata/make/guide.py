"""Prints what TensorFlow prints for the examples of its guides to ragged tensors.

The examples in ragged/guide_*_test.go and ragged/*/guide_test.go have these texts as
their output. Every text stands under the name of its example.
"""
import tensorflow as tf
from tensorflow.experimental import DynamicRaggedShape as DRS
from tensorflow.experimental import RowPartition


def show(name, *values):
    print("##", name)
    for v in values:
        print(v)


R = tf.RaggedTensor
C = tf.ragged.constant
show("constant",
     C([["Every", "row", "has", "its", "own", "length", "."], ["Even", "none", "."]]),
     C([[["it", "rained"], ["we", "stayed", "in"]], [["then", "the", "sun", "came", "out"], ["we", "left"]]]))
v = [3, 1, 4, 1, 5, 9, 2]
w = v + [6]
show("factories",
     R.from_value_rowids(v, [0, 0, 0, 0, 2, 2, 3]),
     R.from_row_lengths(v, [4, 0, 2, 1]),
     R.from_row_splits(v, [0, 4, 4, 6, 7]),
     R.from_row_starts(w, [0, 4, 4, 7, 8]),
     R.from_row_limits(w, [4, 4, 7, 8, 8]))
x = C([["Bird"], ["a", "big", "dog"], ["my", "cat"]])
y = C([["fell", "asleep"], ["barked"], ["is", "fuzzy"]])
show("sparse",
     tf.concat([x, y], axis=1),
     tf.sparse.to_dense(tf.sparse.concat(sp_inputs=[x.to_sparse(), y.to_sparse()], axis=1), ""))
s = C([["Hi"], ["Welcome", "to", "the", "fair"], ["Have", "fun"]])
show("conversions",
     s.to_tensor(default_value="", shape=[None, 10]),
     s.to_sparse(),
     R.from_tensor(tf.constant([[1, 3, -1, -1], [2, -1, -1, -1], [4, 5, 8, 9]]), padding=-1),
     R.from_sparse(tf.SparseTensor(indices=[[0, 0], [2, 0], [2, 1]], values=["a", "b", "c"], dense_shape=[3, 3])))
t = C([[1, 2], [3, 4, 5], [6], [], [7]])
show("evaluating", t, t.values, t.row_splits, t[1])
n = R.from_row_splits(R.from_row_splits(list(range(10, 20)), [0, 3, 3, 5, 9, 10]), [0, 1, 1, 5])
show("nested1", n)
show("nested2",
     R.from_nested_row_splits(list(range(10, 20)), [[0, 1, 1, 5], [0, 3, 3, 5, 9, 10]]),
     n.flat_values)
u = R.from_row_splits([[1, 3], [0, 0], [1, 3], [5, 3], [3, 3], [1, 2]], [0, 3, 4, 6])
show("inner1", u)
show("inner2", u.flat_values)
show("outer",
     R.from_uniform_row_length(R.from_row_splits(list(range(10, 20)), [0, 3, 5, 9, 10]), 2))
show("broadcasting",
     C([[1, 2], [3]]) + 3,
     C([[10, 87, 12], [19, 53], [12, 32]]) + [[1000], [2000], [3000]],
     C([[[1, 2], [3, 4], [5, 6]], [[7, 8]]], ragged_rank=1) + tf.constant([[10]]),
     C([[[[1], [2]], [], [[3]], [[4]]], [[[5], [6]], [[7]]]], ragged_rank=2) + tf.constant([10, 20, 30]))
d = C([[3, 1, 4, 1], [], [5, 9, 2], [6], []])
show("digits", d[0], d[:, :2], d[:, -2:])
q = C([["Who", "is", "Winter", "Wonderland"], ["What", "is", "the", "weather", "tomorrow"], ["Goodnight"]])
show("index2", q[1], q[1, 2], q[1:], q[:, :3], q[:, -2:])
r = C([[[1, 2, 3], [4]], [[5], [], [6]], [[7]], [[8, 9], [10]]])
show("index3", r[1], r[3, 0], r[:, 1:3], r[:, -1:])
show("operations", d + 3, tf.reduce_mean(d, axis=1), d + C([[1, 2, 3, 4], [], [5, 6, 7], [8], []]))
show("mapflat", tf.ragged.map_flat_values(lambda x: x * 2 + 1, d), d * 2 + 1)
x = C([[1, 2], [3], [4, 5, 6]])
y = C([[1, 1], [2], [3, 3, 3]])
show("operators",
     x + y,
     x + 3,
     x - y,
     x * y,
     x / y,
     x // y,
     x % y,
     x ** y,
     -x,
     x == y,
     x < y,
     ~(x >= y))
z = C([[3, 1, 4], [1, 5], [9], [2, 6]])
show("reductions",
     tf.reduce_max(x, axis=-1),
     tf.reduce_min(x, axis=-1),
     tf.reduce_sum(z, 0),
     tf.reduce_sum(z, 1),
     tf.reduce_sum(z),
     tf.reduce_mean(z, 0),
     tf.reduce_prod(z, 1, keepdims=True))
show("array", tf.concat([d, C([[5, 3]])], axis=0), tf.tile(d, [1, 2]))
show("maprows", tf.map_fn(tf.math.square, d))


def pal(x, axis):
    return tf.concat([x, tf.reverse(x, [axis])], axis=axis)


show("palindrome", pal(tf.constant([[1, 2], [3, 4], [5, 6]]), 1), pal(x, 1))
show("range",
     tf.ragged.range([3, 5, 2]),
     tf.ragged.range(tf.constant([], tf.int32)),
     tf.ragged.range([0, 5, 8], [3, 3, 12], 2))
show("substr",
     tf.strings.substr(C([["So", "long"], ["thanks", "for", "all", "the", "fish"]]), 0, 2))
ws = tf.strings.split(["What is the weather tomorrow", "Goodnight", ""])
show("split",
     ws,
     tf.strings.to_hash_bucket_fast(ws, 1024),
     tf.strings.reduce_join(ws, axis=1, separator="+"),
     tf.strings.length(ws))
qs = C([["Who", "is", "the", "guide"], ["Pause"], ["Will", "it", "rain", "later", "today"]])
table = tf.reshape(tf.constant([float(i * 7 % 101) / 8 for i in range(1024 * 4)], tf.float32), [1024, 4])
we = tf.nn.embedding_lookup(table, tf.strings.to_hash_bucket_fast(qs, 1024))
mk = tf.fill([qs.nrows(), 1], "#")
pd = tf.concat([mk, qs, mk], axis=1)
bg = tf.strings.join([pd[:, :-1], pd[:, 1:]], separator="+")
be = tf.nn.embedding_lookup(table, tf.strings.to_hash_bucket_fast(bg, 1024))
al = tf.concat([we, be], axis=1)
show("usecase", bg, al.row_lengths(), tf.reduce_mean(al, axis=1))
tb = tf.constant([[0, 1], [10, 11], [20, 21]], tf.float32)
ids = tf.ragged.constant([[1, 0, 2], [], [1]], dtype=tf.int64)
show("lookup", tf.nn.embedding_lookup(tb, ids))
show("lookuprows",
     tf.nn.embedding_lookup_sparse(tb, ids, None, combiner="mean"),
     tf.nn.embedding_lookup_sparse(tb, ids, C([[1.0, 1.0, 2.0], [], [3.0]]), combiner="sum"))
show("safelookup",
     tf.nn.safe_embedding_lookup_sparse(tb, C([[1, -1, 2], [], [-1]], dtype=tf.int64).to_sparse(), default_id=0))
x4 = C([[1], [2, 3, 4], [], [5, 6]])
sh = DRS.from_tensor(x4)
show("shape", tf.shape(x4))
show("make",
     tf.reshape([["a", "b"], ["c", "d"], ["e", "f"]], sh),
     tf.zeros(sh),
     tf.ones(sh),
     tf.fill(sh, "x"))
show("sizes", sh[:1])
show("encoding",
     DRS.from_lengths([4, (1, 3, 0, 2)]),
     DRS.from_lengths([4, (1, 3, 0, 2), 8]),
     DRS([RowPartition.from_row_lengths([5, 3, 2])], [10, 8]),
     DRS.from_lengths([]))
show("broadcast",
     tf.broadcast_dynamic_shape(DRS.from_tensor(C([[1], [2, 3], [4, 5, 6]])), DRS.from_lengths([3, 1])),
     tf.broadcast_to(tf.constant(3), DRS.from_lengths([3, (1, 0, 2)])),
     tf.broadcast_to(tf.constant([[10], [20], [30]]), DRS.from_lengths([3, (3, 0, 2)])))

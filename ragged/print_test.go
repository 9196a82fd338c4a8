package ragged_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/ragged"
)

// TestString compares with texts in TensorFlow's guides.
func TestString(t *testing.T) {
	p := func(splits ...int64) ragged.Partition { return must(ragged.FromRowSplits(splits))(t) }
	for _, c := range []struct {
		tensor fmt.Stringer
		want   string
	}{
		{running(t), "<tf.RaggedTensor [[3, 1, 4, 1], [], [5, 9, 2], [6], []]>"},
		{must(ragged.FromSlices[int]([][]int{{1, 2}, {3, 4}}))(t), "<tf.RaggedTensor [[1, 2],\n [3, 4]]>"},
		{must(ragged.FromSlices[int]([][][]int{{{4}}, {{6}}}))(t), "<tf.RaggedTensor [[[4]],\n\n [[6]]]>"},
		{
			must(ragged.New([]int{1, 3, 0, 0, 1, 3, 5, 3, 3, 3, 1, 2}, []int{2}, p(0, 3, 4, 6)))(t),
			"<tf.RaggedTensor [[[1, 3],\n  [0, 0],\n  [1, 3]], [[5, 3]], [[3, 3],\n                      [1, 2]]]>",
		},
		{
			must(ragged.New([]int{100, 200, 1, 2, 5, 6}, []int{2}, p(0, 2, 3)))(t),
			"<tf.RaggedTensor [[[100, 200],\n  [1, 2]]    , [[5, 6]]]>",
		},
		{
			must(ragged.FromSlices[string]([][]string{{"Let's", "build", "some", "ragged", "tensors", "!"}, {"We", "can", "use", "tf.ragged.constant", "."}}))(t),
			"<tf.RaggedTensor [[b\"Let's\", b'build', b'some', b'ragged', b'tensors', b'!'],\n [b'We', b'can', b'use', b'tf.ragged.constant', b'.']]>",
		},
		{must(ragged.FromSlices[string]([][]string{{"\xff\x00'\"\\\t\r\n~"}, {}}))(t), `<tf.RaggedTensor [[b'\xff\x00\'"\\\t\r\n~'], []]>`},
		{
			must(ragged.FromSlices[float32]([][]float32{{1, 0.1, 1e10}, {1e-7, 123456789, 999999}, {float32(math.NaN()), float32(math.Inf(-1))}}))(t),
			"<tf.RaggedTensor [[1.0, 0.1, 1e+10], [1e-07, 1.2345679e+08, 999999.0], [nan, -inf]]>",
		},
		{must(ragged.FromSlices[float64]([][]float64{{1e15, 1e16}, {0.0001, 0.00001, math.Copysign(0, -1)}}))(t), "<tf.RaggedTensor [[1000000000000000.0, 1e+16], [0.0001, 1e-05, -0.0]]>"},
		{must(ragged.FromSlices[bool]([][]bool{{true}, {}}))(t), "<tf.RaggedTensor [[True], []]>"},
		{ragged.Vector(1, 20), "tf.Tensor([ 1 20], shape=(2,), dtype=int64)"},
		{must(ragged.Dense([]bool{true, false}, 2, 1))(t), "tf.Tensor(\n[[ True]\n [False]], shape=(2, 1), dtype=bool)"},
		{ragged.Vector("a", "b"), "tf.Tensor([b'a' b'b'], shape=(2,), dtype=string)"},
		{ragged.Scalar(7), "tf.Tensor(7, shape=(), dtype=int64)"},
		{must(ragged.Dense([]int{}, 0, 3))(t), "tf.Tensor([], shape=(0, 3), dtype=int64)"},
		{ragged.Tensor[int]{}, "tf.Tensor([], shape=(0,), dtype=int64)"},
		{p(0, 2, 5), "tf.RowPartition(row_splits=[0 2 5])"},
		{
			must(ragged.FromRowLengths([]int64{1100, 1100, 1100, 1100, 1100, 1100, 1100, 1100, 1100, 1100, 1100, 1100, 1100, 1100, 1100, 1100, 1100, 1100, 100, 100}))(t),
			"tf.RowPartition(row_splits=[    0  1100  2200  3300  4400  5500  6600  7700  8800  9900 11000 12100\n 13200 14300 15400 16500 17600 18700 19800 19900 20000])",
		},
		{must(ragged.FromRowLengths(make([]int64, 2000)))(t), "tf.RowPartition(row_splits=[0 0 0 ... 0 0 0])"},
	} {
		if got := c.tensor.String(); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}

// TestFormat checks the verbs, and that every verb writes a short text.
func TestFormat(t *testing.T) {
	long := must(ragged.FromSlices[int]([][]int{{1, 2, 3, 4, 5, 6, 7, 8, 9}, {10}, {}, {}, {}, {}, {11, 12}}))(t)
	for _, c := range []struct{ format, want string }{
		{"%v", "[[1, 2, 3, ..., 7, 8, 9], [10], [], ..., [], [], [11, 12]]"},
		{"%s", "[[1, 2, 3, ..., 7, 8, 9], [10], [], ..., [], [], [11, 12]]"},
		{"%.2v", "[[1, 2, ..., 8, 9], [10], ..., [], [11, 12]]"},
		{"%+v", long.String()},
		{"%#v", "ragged.Tensor[int64]{shape: [7 -1], ragged rank: 1, values: 12}"},
		{"%d", "%!d(ragged.Tensor[int64]=[7 -1])"},
	} {
		if got := fmt.Sprintf(c.format, long); got != c.want {
			t.Errorf("%s: got %s, want %s", c.format, got, c.want)
		}
	}
	for _, c := range []struct {
		n    int
		want string
	}{
		{1, "[[1, ..., 9], ..., [11, 12]]"},
		{0, "[[1, 2, 3, 4, 5, 6, 7, 8, 9], [10], [], [], [], [], [11, 12]]"},
	} {
		if got := long.Summary(c.n); got != c.want {
			t.Errorf("%d: got %s, want %s", c.n, got, c.want)
		}
	}
	if got := must(ragged.FromSlices[string]([][]string{{`a'b`, `\`}, {}}))(t).Summary(-1); got != `[['a\'b', '\\'], []]` {
		t.Error(got)
	}
	if got := must(ragged.FromSlices[float32]([][]float32{{1.5}, {float32(math.Inf(1)), float32(math.NaN())}}))(t).Summary(-1); got != `[[1.500000], [inf, nan]]` {
		t.Error(got)
	}
	sparse := long.Sparse()
	for _, c := range []struct{ format, want string }{
		{"%v", "SparseTensor(indices=[[0, 0], [0, 1], [0, 2], ..., [1, 0], [6, 0], [6, 1]], values=[1, 2, 3, ..., 10, 11, 12], dense_shape=[7 9])"},
		{"%+v", sparse.String()},
		{"%x", "%!x(ragged.Sparse[int64]=[7 9])"},
	} {
		if got := fmt.Sprintf(c.format, sparse); got != c.want {
			t.Errorf("sparse, %s: got %s, want %s", c.format, got, c.want)
		}
	}
	for rank := 1; rank < 9; rank++ {
		shape, size := make([]int, rank), 1
		for i := range shape {
			shape[i], size = 8, size*8
			if size > 1<<18 {
				shape[i], size = 1, size/8
			}
		}
		words := slices.Repeat([]string{strings.Repeat("é", 10_000)}, size)
		x := must(ragged.Dense(words, shape...))(t)
		for _, y := range []any{x, must(ragged.FromDense(must(ragged.Dense(words, append(shape, 1)...))(t), rank))(t)} {
			if n := len(fmt.Sprint(y)); n > 40_000 {
				t.Errorf("rank %d: a text of %d bytes", rank, n)
			}
		}
	}
}

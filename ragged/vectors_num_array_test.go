//go:build !novectors

package ragged_test

import (
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/nn"
	"github.com/tfparse/tfparse/ragged/num"
)

// raggedNumArrays are the operations of array.jsonl that compute with numbers.
var raggedNumArrays = numArrayTable()

// The functions for every dtype of the first argument. If a dtype lacks a function, the compiler
// refuses the Go type, and TensorFlow must refuse the dtype too. See perDType for the dtypes.
var numArrayOps = map[string]map[string]raggedOp{
	"int64":   mergeOps(sumOps[int64, float64](), countOps[int64]()),
	"int32":   mergeOps(sumOps[int32, float64](), countOps[int32]()),
	"float64": mergeOps(sumOps[float64, float64](), rootOps[float64]()),
	"float32": mergeOps(sumOps[float32, float32](), rootOps[float32]()),
	"bool":    {"tf.nn.embedding_lookup": lookupOp[bool]},
	"string":  {"tf.nn.embedding_lookup": lookupOp[string]},
}

func numArrayTable() map[string]raggedOp {
	table := map[string]raggedOp{}
	for _, ops := range numArrayOps {
		for name := range ops {
			table[name] = func(c *call) (testkit.Value, error) {
				if len(c.args) == 0 {
					return nil, testkit.Unknown("a call without arguments")
				}
				ops, known := numArrayOps[dtypeOf(c.args[0])]
				if !known {
					return nil, testkit.Unknown("dtype %q", dtypeOf(c.args[0]))
				}
				op := ops[name]
				if op == nil {
					return refuse("%s of %s", name, dtypeOf(c.args[0]))
				}
				return op(c)
			}
		}
	}
	return table
}

// sumOps are the operations on numbers of type T; R is the type of their means.
func sumOps[T numberElement, R floatElement]() map[string]raggedOp {
	return map[string]raggedOp{
		"tf.cumsum":                     cumulativeOp(num.CumSum[T]),
		"tf.math.cumprod":               cumulativeOp(num.CumProd[T]),
		"tf.math.unsorted_segment_sum":  segmentOp(num.SegmentSum[T, int64]),
		"tf.math.unsorted_segment_prod": segmentOp(num.SegmentProd[T, int64]),
		"tf.math.unsorted_segment_min":  segmentOp(num.SegmentMin[T, int64]),
		"tf.math.unsorted_segment_max":  segmentOp(num.SegmentMax[T, int64]),
		"tf.math.unsorted_segment_mean": segmentOp(num.SegmentMean[R, T, int64]),
		"tf.matmul":                     matMulOp[T],
		"tf.nn.embedding_lookup":        lookupOp[T],
	}
}

// rootOps are the operations on floats.
func rootOps[T floatElement]() map[string]raggedOp {
	return map[string]raggedOp{
		"tf.math.unsorted_segment_sqrt_n":    segmentOp(num.SegmentSqrtN[T, int64]),
		"tf.nn.softmax":                      softmaxOp(nn.Softmax[T]),
		"tf.nn.log_softmax":                  softmaxOp(nn.LogSoftmax[T]),
		"tf.nn.embedding_lookup_sparse":      lookupRowsOp[T],
		"tf.nn.safe_embedding_lookup_sparse": safeLookupRowsOp[T],
	}
}

// countOps are the operations on integers.
func countOps[I integerElement]() map[string]raggedOp {
	return map[string]raggedOp{
		"tf.math.bincount":   bincountOp[I],
		"tf.sparse.bincount": sparseBincountOp[I],
	}
}

// result returns the value of a result, after a check of its partitions.
func result[T element](t ragged.Tensor[T], err error) (testkit.Value, error) {
	if err == nil {
		err = t.Validate()
	}
	if err != nil {
		return nil, err
	}
	return fromTensor(t), nil
}

// idsOf reads integers that are positions: TensorFlow takes int32 and int64.
func idsOf(v testkit.Value) (ragged.Tensor[int64], error) {
	switch dtypeOf(v) {
	case "int64":
		return toTensor[int64](v)
	case "int32":
		t, err := toTensor[int32](v)
		if err != nil {
			return ragged.Tensor[int64]{}, err
		}
		return ragged.Map(t, func(i int32) int64 { return int64(i) }), nil
	}
	_, err := refuse("ids of %s", dtypeOf(v))
	return ragged.Tensor[int64]{}, err
}

func cumulativeOp[T element](f func(ragged.Tensor[T], int, *num.CumulativeOptions) (ragged.Tensor[T], error)) raggedOp {
	return func(c *call) (testkit.Value, error) {
		t, err := toTensor[T](c.value(0, "x"))
		if err != nil {
			return nil, err
		}
		axis := c.int(1, "axis", 0)
		return result(f(t, axis, &num.CumulativeOptions{Exclusive: c.bool(2, "exclusive", false), Reverse: c.bool(3, "reverse", false)}))
	}
}

func segmentOp[T, R element](f func(ragged.Tensor[T], ragged.Tensor[int64], int) (ragged.Tensor[R], error)) raggedOp {
	return func(c *call) (testkit.Value, error) {
		t, err := toTensor[T](c.value(0, "data"))
		if err != nil {
			return nil, err
		}
		ids, err := idsOf(c.value(1, "segment_ids"))
		if err != nil {
			return nil, err
		}
		return result(f(t, ids, c.int(2, "num_segments", 0)))
	}
}

func softmaxOp[T element](f func(ragged.Tensor[T], int) (ragged.Tensor[T], error)) raggedOp {
	return func(c *call) (testkit.Value, error) {
		t, err := toTensor[T](c.value(0, "logits"))
		if err != nil {
			return nil, err
		}
		return result(f(t, c.int(1, "axis", -1)))
	}
}

func matMulOp[T numberElement](c *call) (testkit.Value, error) {
	va, vb := c.value(0, "a"), c.value(1, "b")
	if dtypeOf(va) != dtypeOf(vb) {
		return refuse("a product of %s and %s", dtypeOf(va), dtypeOf(vb))
	}
	a, err := toTensor[T](va)
	if err != nil {
		return nil, err
	}
	b, err := toTensor[T](vb)
	if err != nil {
		return nil, err
	}
	transpose, adjoint := [2]bool{}, [2]bool{}
	for i, name := range []string{"a", "b"} {
		transpose[i], adjoint[i] = c.bool(2+i, "transpose_"+name, false), c.bool(4+i, "adjoint_"+name, false)
		if transpose[i] && adjoint[i] {
			return refuse("an operand transposed twice")
		}
	}
	// The numbers are real, so the adjoint is the transpose.
	return result(nn.MatMul(a, b, &nn.MatMulOptions{TransposeA: transpose[0] || adjoint[0], TransposeB: transpose[1] || adjoint[1]}))
}

// bincountOptions reads the arguments that both forms of bincount have, except the axis.
func bincountOptions(c *call, axis int) (*num.BincountOptions, error) {
	opts := &num.BincountOptions{
		MinLength: c.int(-1, "minlength", 0),
		Binary:    c.bool(-1, "binary_output", false),
	}
	if c.kwargs["maxlength"] != nil {
		opts.MaxLength = new(c.int(-1, "maxlength", 0))
	}
	switch axis = c.int(-1, "axis", axis); axis {
	case 0:
	case -1:
		opts.PerRow = true
	default:
		_, err := refuse("counting along axis %d", axis)
		return nil, err
	}
	return opts, nil
}

func bincountOp[I integerElement](c *call) (testkit.Value, error) {
	t, err := toTensor[I](c.value(0, "arr"))
	if err != nil {
		return nil, err
	}
	opts, err := bincountOptions(c, 0)
	if err != nil {
		return nil, err
	}
	weights := c.value(-1, "weights")
	switch dtype := dtypeOf(weights); dtype {
	case "":
		switch counts := c.dtype(-1, "dtype", "int32"); counts {
		case "int32":
			return result(num.Bincount[int32](t, opts))
		case "int64":
			return result(num.Bincount[int64](t, opts))
		case "float32":
			return result(num.Bincount[float32](t, opts))
		case "float64":
			return result(num.Bincount[float64](t, opts))
		default:
			return nil, testkit.Unknown("counts of %s", counts)
		}
	case "int32":
		return weightedBincount[int32](t, weights, opts)
	case "int64":
		return weightedBincount[int64](t, weights, opts)
	case "float32":
		return weightedBincount[float32](t, weights, opts)
	case "float64":
		return weightedBincount[float64](t, weights, opts)
	default:
		return refuse("weights of %s", dtype)
	}
}

func weightedBincount[W numberElement, I integerElement](t ragged.Tensor[I], weights testkit.Value, opts *num.BincountOptions) (testkit.Value, error) {
	w, err := toTensor[W](weights)
	if err != nil {
		return nil, err
	}
	return result(num.BincountWeighted(t, w, opts))
}

func sparseBincountOp[I integerElement](c *call) (testkit.Value, error) {
	t, err := toTensor[I](c.value(0, "values"))
	if err != nil {
		return nil, err
	}
	opts, err := bincountOptions(c, 0)
	if err != nil {
		return nil, err
	}
	weights := c.value(-1, "weights")
	switch dtype := dtypeOf(weights); dtype {
	case "":
		return sparseResult(num.SparseBincount(t, opts))
	case "int32":
		return weightedSparseBincount[int32](t, weights, opts)
	case "int64":
		return weightedSparseBincount[int64](t, weights, opts)
	case "float32":
		return weightedSparseBincount[float32](t, weights, opts)
	case "float64":
		return weightedSparseBincount[float64](t, weights, opts)
	default:
		return refuse("weights of %s", dtype)
	}
}

func weightedSparseBincount[W numberElement, I integerElement](t ragged.Tensor[I], weights testkit.Value, opts *num.BincountOptions) (testkit.Value, error) {
	w, err := toTensor[W](weights)
	if err != nil {
		return nil, err
	}
	return sparseResult(num.SparseBincountWeighted(t, w, opts))
}

func sparseResult[T element](s ragged.Sparse[T], err error) (testkit.Value, error) {
	if err != nil {
		return nil, err
	}
	return fromSparse(s), nil
}

// tableAndIDs reads the first two arguments of a lookup.
func tableAndIDs[T element](c *call, params, ids string) (table ragged.Tensor[T], of ragged.Tensor[int64], err error) {
	if table, err = toTensor[T](c.value(0, params)); err != nil {
		return table, of, err
	}
	of, err = idsOf(c.value(1, ids))
	return table, of, err
}

// maxNorm reads the argument of that name, 0 if it is absent.
func maxNorm(c *call) float64 {
	switch v := c.value(-1, "max_norm").(type) {
	case nil:
	case testkit.Float:
		return float64(v)
	default:
		c.fail("max_norm", v)
	}
	return 0
}

func lookupOp[T element](c *call) (testkit.Value, error) {
	table, ids, err := tableAndIDs[T](c, "params", "ids")
	if err != nil {
		return nil, err
	}
	return result(nn.Lookup(table, ids, &nn.LookupOptions{MaxNorm: maxNorm(c)}))
}

// rowsOptions reads the options of a lookup that combines.
func rowsOptions[T floatElement](c *call, weights string) (*nn.RowsOptions[T], error) {
	opts := &nn.RowsOptions[T]{MaxNorm: maxNorm(c)}
	if v := c.value(2, weights); v != nil {
		t, err := toTensor[T](v)
		if err != nil {
			return nil, err
		}
		opts.Weights = &t
	}
	switch name := c.string(-1, "combiner", "mean"); name {
	case "mean":
	case "sum":
		opts.Combiner = nn.Sum
	case "sqrtn":
		opts.Combiner = nn.SqrtN
	default:
		_, err := refuse("the combiner %s", name)
		return nil, err
	}
	return opts, nil
}

func lookupRowsOp[T floatElement](c *call) (testkit.Value, error) {
	table, ids, err := tableAndIDs[T](c, "params", "sp_ids")
	if err != nil {
		return nil, err
	}
	opts, err := rowsOptions[T](c, "sp_weights")
	if err != nil {
		return nil, err
	}
	return result(nn.LookupRows(table, ids, opts))
}

func safeLookupRowsOp[T floatElement](c *call) (testkit.Value, error) {
	table, ids, err := tableAndIDs[T](c, "embedding_weights", "sparse_ids")
	if err != nil {
		return nil, err
	}
	opts, err := rowsOptions[T](c, "sparse_weights")
	if err != nil {
		return nil, err
	}
	return result(nn.SafeLookupRows(table, ids, c.int(-1, "default_id", -1), opts))
}

//go:build !novectors

package ragged_test

import (
	"maps"
	"strings"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/num"
)

// The elements that occur in the vectors, as the constraints of package num divide
// them.
type (
	numberElement interface {
		element
		num.Number
	}
	integerElement interface {
		element
		num.Integer
	}
	floatElement interface {
		element
		num.Float
	}
)

// raggedElementwise are the operations on one value, or two values, at a time.
var raggedElementwise = elementwiseTable()

// The functions for every dtype, by our names for them. If a dtype lacks a function, the compiler
// refuses the Go type, and TensorFlow must refuse the dtype too. See perDType for the dtypes.
var elementwiseOps = map[string]map[string]raggedOp{
	"int64":   mergeOps(valueOps[int64](), numberOps[int64](), signedOps[int64](), integerOps[int64](), fixedOps[int64](), quotientOps[float64, int64]()),
	"int32":   mergeOps(valueOps[int32](), numberOps[int32](), signedOps[int32](), integerOps[int32](), fixedOps[int32](), quotientOps[float64, int32]()),
	"float64": mergeOps(valueOps[float64](), numberOps[float64](), signedOps[float64](), fixedOps[float64](), floatOps[float64]()),
	"float32": mergeOps(valueOps[float32](), numberOps[float32](), signedOps[float32](), fixedOps[float32](), floatOps[float32]()),
	"bool":    mergeOps(valueOps[bool](), boolOps()),
	"string":  mergeOps(valueOps[string](), stringOps()),
}

func mergeOps(tables ...map[string]raggedOp) map[string]raggedOp {
	all := map[string]raggedOp{}
	for _, t := range tables {
		for name, op := range t {
			if all[name] != nil {
				panic("two operations " + name)
			}
			all[name] = op
		}
	}
	return all
}

// elementwiseTable returns the operations by their names in TensorFlow.
func elementwiseTable() map[string]raggedOp {
	known := map[string]bool{}
	for _, ops := range elementwiseOps {
		for name := range ops {
			known[name] = true
		}
	}
	table := map[string]raggedOp{}
	for name := range known {
		prefix := "tf.math."
		for _, p := range []string{"tf.bitwise.", "tf.nn.", "tf.math.special.", "tf.debugging."} {
			if strings.HasPrefix(name, p) {
				prefix = ""
			}
		}
		table[prefix+name] = perFirst(name)
	}
	// Some operations have several names, or only a name for several dtypes.
	for _, name := range []string{
		"abs", "add", "add_n", "bitcast", "cast", "clip_by_value", "less", "less_equal", "maximum", "minimum", "multiply", "negative",
		"ones_like", "pow", "saturate_cast", "subtract", "truncatediv", "truncatemod", "zeros_like",
	} {
		table["tf."+name] = perFirst(name)
	}
	for name, method := range map[string]string{
		"abs": "abs", "add": "add", "and": "logical_and", "eq": "equal", "floordiv": "floordiv", "ge": "greater_equal", "gt": "greater",
		"invert": "logical_not", "le": "less_equal", "lt": "less", "mod": "floormod", "mul": "multiply", "ne": "not_equal", "neg": "negative",
		"or": "logical_or", "pow": "pow", "sub": "subtract", "truediv": "truediv", "xor": "logical_xor",
	} {
		table["RaggedTensor.__"+name+"__"] = perFirst(method)
		table["RaggedTensor.__r"+name+"__"] = func(c *call) (testkit.Value, error) {
			if len(c.args) != 2 {
				return nil, testkit.Unknown("%d operands", len(c.args))
			}
			c.args[0], c.args[1] = c.args[1], c.args[0]
			return perFirst(method)(c)
		}
	}
	return table
}

// perFirst is the operation of that name for the dtype of the first tensor.
func perFirst(name string) raggedOp {
	return func(c *call) (testkit.Value, error) {
		operands := c.args
		for _, k := range []string{"labels", "logits"} {
			if v := c.kwargs[k]; v != nil {
				operands = append(operands, v)
			}
		}
		if len(operands) > 0 {
			if list, ok := operands[0].(testkit.List); ok {
				operands = list
			}
		}
		if _, ok := splitsDType(operands...); !ok {
			return refuse("row splits of different dtypes")
		}
		for _, v := range operands {
			if dtype := dtypeOf(v); dtype != "" {
				ops, known := elementwiseOps[dtype]
				if !known {
					return nil, testkit.Unknown("dtype %q", dtype)
				}
				op := ops[name]
				if op == nil {
					return refuse("%s of %s", name, dtype)
				}
				return op(c)
			}
		}
		return nil, testkit.Unknown("%s without a tensor", name)
	}
}

// ofOne makes an operation of a function of one tensor.
func ofOne[T, U element](f func(ragged.Tensor[T]) ragged.Tensor[U]) raggedOp {
	return ofOneOrError(func(t ragged.Tensor[T]) (ragged.Tensor[U], error) { return f(t), nil })
}

func ofOneOrError[T, U element](f func(ragged.Tensor[T]) (ragged.Tensor[U], error)) raggedOp {
	return func(c *call) (testkit.Value, error) {
		t, err := toTensor[T](c.value(0, ""))
		if err != nil {
			return nil, err
		}
		out, err := f(t)
		return fromTensor(out), err
	}
}

// byValue makes an operation of a function of one value.
func byValue[T, U element](f func(T) U) raggedOp {
	return ofOne(func(t ragged.Tensor[T]) ragged.Tensor[U] { return ragged.Map(t, f) })
}

// ofTwo makes an operation of a function of two tensors.
func ofTwo[T, U element](f func(a, b ragged.Tensor[T]) (ragged.Tensor[U], error)) raggedOp {
	return func(c *call) (testkit.Value, error) {
		a, err := scalarOrTensor[T](c.value(0, "labels"))
		if err != nil {
			return nil, err
		}
		b, err := scalarOrTensor[T](c.value(1, "logits"))
		if err != nil {
			return nil, err
		}
		out, err := f(a, b)
		return fromTensor(out), err
	}
}

// byPair makes an operation of a function of two values.
func byPair[T element](f func(x, y T) T) raggedOp {
	return ofTwo(func(a, b ragged.Tensor[T]) (ragged.Tensor[T], error) { return ragged.Zip(a, b, f) })
}

// ofTwoOrError makes an operation of a function that checks two tensors.
func ofTwoOrError[T element](f func(a, b ragged.Tensor[T]) error) raggedOp {
	op := ofTwo(func(a, b ragged.Tensor[T]) (ragged.Tensor[T], error) { return a, f(a, b) })
	return func(c *call) (testkit.Value, error) {
		_, err := op(c)
		return testkit.Null{}, err
	}
}

func swapped[T element](f func(a, b ragged.Tensor[T]) error) func(a, b ragged.Tensor[T]) error {
	return func(a, b ragged.Tensor[T]) error { return f(b, a) }
}

func valueOps[T element]() map[string]raggedOp {
	return map[string]raggedOp{
		"equal":                          ofTwo(num.Equal[T]),
		"not_equal":                      ofTwo(num.NotEqual[T]),
		"tf.debugging.assert_equal":      ofTwoOrError(num.CheckEqual[T]),
		"tf.debugging.assert_none_equal": ofTwoOrError(num.CheckNoneEqual[T]),
		"zeros_like":                     toDType(likeOps[T](false)),
		"ones_like":                      toDType(likeOps[T](true)),
	}
}

func numberOps[T numberElement]() map[string]raggedOp {
	return map[string]raggedOp{
		"add":                               ofTwo(num.Add[T]),
		"subtract":                          ofTwo(num.Sub[T]),
		"multiply":                          ofTwo(num.Mul[T]),
		"scalar_mul":                        ofTwo(num.Mul[T]),
		"pow":                               ofTwo(num.Pow[T]),
		"maximum":                           ofTwo(num.Maximum[T]),
		"minimum":                           ofTwo(num.Minimum[T]),
		"floordiv":                          ofTwo(num.FloorDiv[T]),
		"floormod":                          ofTwo(num.FloorMod[T]),
		"truncatediv":                       ofTwo(num.TruncDiv[T]),
		"truncatemod":                       ofTwo(num.TruncMod[T]),
		"less":                              ofTwo(num.Less[T]),
		"less_equal":                        ofTwo(num.LessEqual[T]),
		"greater":                           ofTwo(num.Greater[T]),
		"greater_equal":                     ofTwo(num.GreaterEqual[T]),
		"squared_difference":                byPair(func(x, y T) T { return (x - y) * (x - y) }),
		"square":                            ofOne(num.Square[T]),
		"round":                             ofOne(num.Round[T]),
		"tf.nn.relu":                        ofOne(num.Relu[T]),
		"tf.nn.relu6":                       ofOne(func(t ragged.Tensor[T]) ragged.Tensor[T] { return num.Clip(t, 0, 6) }),
		"add_n":                             addN[T],
		"clip_by_value":                     clip[T],
		"cast":                              toDType(castOps[T]()),
		"saturate_cast":                     toDType(saturateOps[T]()),
		"tf.debugging.assert_less":          ofTwoOrError(num.CheckLess[T]),
		"tf.debugging.assert_less_equal":    ofTwoOrError(num.CheckLessEqual[T]),
		"tf.debugging.assert_greater":       ofTwoOrError(swapped(num.CheckLess[T])),
		"tf.debugging.assert_greater_equal": ofTwoOrError(swapped(num.CheckLessEqual[T])),
	}
}

func signedOps[T interface {
	element
	num.Signed | num.Float
}]() map[string]raggedOp {
	return map[string]raggedOp{
		"negative": ofOne(num.Neg[T]),
		"abs":      ofOne(num.Abs[T]),
		"sign":     ofOne(num.Sign[T]),
	}
}

func integerOps[T integerElement]() map[string]raggedOp {
	return map[string]raggedOp{
		"tf.bitwise.bitwise_and": ofTwo(num.BitAnd[T]),
		"tf.bitwise.bitwise_or":  ofTwo(num.BitOr[T]),
		"tf.bitwise.bitwise_xor": ofTwo(num.BitXor[T]),
		"tf.bitwise.invert":      ofOne(num.BitNot[T]),
		"tf.bitwise.left_shift":  ofTwo(num.ShiftLeft[T]),
		"tf.bitwise.right_shift": ofTwo(num.ShiftRight[T]),
	}
}

// quotientOps are the divisions of integers with float results.
func quotientOps[F floatElement, T integerElement]() map[string]raggedOp {
	return map[string]raggedOp{
		"truediv": ofTwo(num.Div[F, T]),
		"divide":  ofTwo(num.Div[F, T]),
		"divide_no_nan": ofTwo(func(a, b ragged.Tensor[T]) (ragged.Tensor[F], error) {
			x, err := num.Cast[F](a)
			if err != nil {
				return x, err
			}
			y, err := num.Cast[F](b)
			if err != nil {
				return y, err
			}
			return num.DivNoNaN(x, y)
		}),
	}
}

func boolOps() map[string]raggedOp {
	return map[string]raggedOp{
		"logical_and": ofTwo(num.And),
		"logical_or":  ofTwo(num.Or),
		"logical_xor": ofTwo(num.Xor),
		"logical_not": ofOne(num.Not),
		"cast":        toDType(fromBoolOps()),
	}
}

func stringOps() map[string]raggedOp {
	return map[string]raggedOp{"add": ofTwo(num.Add[string])}
}

// addN adds a list of tensors.
func addN[T numberElement](c *call) (testkit.Value, error) {
	list, ok := c.value(0, "inputs").(testkit.List)
	if !ok {
		return nil, testkit.Unknown("inputs are not a list")
	}
	ts := make([]ragged.Tensor[T], len(list))
	for i, v := range list {
		var err error
		if ts[i], err = toTensor[T](v); err != nil {
			return nil, err
		}
	}
	out, err := num.AddN(ts...)
	return fromTensor(out), err
}

// clip limits values to scalars or, if the limits are tensors, to the values at the same index.
func clip[T numberElement](c *call) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, "t"))
	if err != nil {
		return nil, err
	}
	lo, err := scalarOrTensor[T](c.value(1, "clip_value_min"))
	if err != nil {
		return nil, err
	}
	hi, err := scalarOrTensor[T](c.value(2, "clip_value_max"))
	if err != nil {
		return nil, err
	}
	if lo.Rank() == 0 && hi.Rank() == 0 {
		return fromTensor(num.Clip(t, lo.Item(), hi.Item())), nil
	}
	out, err := num.Minimum(t, hi)
	if err == nil {
		out, err = num.Maximum(out, lo)
	}
	return fromTensor(out), err
}

// toDType makes one operation of the operations for every dtype of the result.
func toDType(ops map[string]raggedOp) raggedOp {
	return func(c *call) (testkit.Value, error) {
		own := dtypeOf(c.args[0])
		dtype := c.dtype(1, "dtype", own)
		op := ops[dtype]
		if op == nil {
			return refuse("%s as %s", own, dtype)
		}
		return op(c)
	}
}

func castOps[T numberElement]() map[string]raggedOp {
	return map[string]raggedOp{
		"int64": ofOneOrError(num.Cast[int64, T]), "int32": ofOneOrError(num.Cast[int32, T]), "int16": ofOneOrError(num.Cast[int16, T]), "int8": ofOneOrError(num.Cast[int8, T]),
		"uint64": ofOneOrError(num.Cast[uint64, T]), "uint32": ofOneOrError(num.Cast[uint32, T]), "uint16": ofOneOrError(num.Cast[uint16, T]), "uint8": ofOneOrError(num.Cast[uint8, T]),
		"float64": ofOneOrError(num.Cast[float64, T]), "float32": ofOneOrError(num.Cast[float32, T]), "bool": ofOne(num.NotZero[T]),
	}
}

func saturateOps[T numberElement]() map[string]raggedOp {
	return map[string]raggedOp{
		"int64": ofOneOrError(num.SaturateCast[int64, T]), "int32": ofOneOrError(num.SaturateCast[int32, T]),
		"int16": ofOneOrError(num.SaturateCast[int16, T]), "int8": ofOneOrError(num.SaturateCast[int8, T]),
		"uint64": ofOneOrError(num.SaturateCast[uint64, T]), "uint32": ofOneOrError(num.SaturateCast[uint32, T]),
		"uint16": ofOneOrError(num.SaturateCast[uint16, T]), "uint8": ofOneOrError(num.SaturateCast[uint8, T]),
		"float64": ofOneOrError(num.SaturateCast[float64, T]), "float32": ofOneOrError(num.SaturateCast[float32, T]),
	}
}

func fixedOps[T interface {
	element
	num.FixedSize
}]() map[string]raggedOp {
	return map[string]raggedOp{"bitcast": toDType(map[string]raggedOp{
		"int64": ofOneOrError(num.Bitcast[int64, T]), "int32": ofOneOrError(num.Bitcast[int32, T]), "int16": ofOneOrError(num.Bitcast[int16, T]), "int8": ofOneOrError(num.Bitcast[int8, T]),
		"uint64": ofOneOrError(num.Bitcast[uint64, T]), "uint32": ofOneOrError(num.Bitcast[uint32, T]), "uint16": ofOneOrError(num.Bitcast[uint16, T]), "uint8": ofOneOrError(num.Bitcast[uint8, T]),
		"float64": ofOneOrError(num.Bitcast[float64, T]), "float32": ofOneOrError(num.Bitcast[float32, T]),
	})}
}

func fromBoolOps() map[string]raggedOp {
	return map[string]raggedOp{
		"int64": ofOne(num.FromBool[int64]), "int32": ofOne(num.FromBool[int32]), "int16": ofOne(num.FromBool[int16]), "int8": ofOne(num.FromBool[int8]),
		"uint64": ofOne(num.FromBool[uint64]), "uint32": ofOne(num.FromBool[uint32]), "uint16": ofOne(num.FromBool[uint16]), "uint8": ofOne(num.FromBool[uint8]),
		"float64": ofOne(num.FromBool[float64]), "float32": ofOne(num.FromBool[float32]),
		"bool": ofOne(func(t ragged.Tensor[bool]) ragged.Tensor[bool] { return t }),
	}
}

// likeOps fill the shape of a tensor with zeros or ones.
func likeOps[T element](ones bool) map[string]raggedOp {
	ops := map[string]raggedOp{
		"bool": ofOne(func(t ragged.Tensor[T]) ragged.Tensor[bool] { return num.FilledLike(t, ones) }),
	}
	if !ones {
		ops["string"] = ofOne(func(t ragged.Tensor[T]) ragged.Tensor[string] { return num.FilledLike(t, "") })
	}
	maps.Copy(ops, map[string]raggedOp{
		"int64": likeOp[int64, T](ones), "int32": likeOp[int32, T](ones), "int16": likeOp[int16, T](ones), "int8": likeOp[int8, T](ones),
		"uint64": likeOp[uint64, T](ones), "uint32": likeOp[uint32, T](ones), "uint16": likeOp[uint16, T](ones), "uint8": likeOp[uint8, T](ones),
		"float64": likeOp[float64, T](ones), "float32": likeOp[float32, T](ones),
	})
	return ops
}

func likeOp[U numberElement, T element](ones bool) raggedOp {
	v := U(0)
	if ones {
		v = 1
	}
	return ofOne(func(t ragged.Tensor[T]) ragged.Tensor[U] { return num.FilledLike(t, v) })
}

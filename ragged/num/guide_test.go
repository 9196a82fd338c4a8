package num_test

import (
	"fmt"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/num"
)

// The examples named guide are those of TensorFlow's guide to ragged tensors that
// compute, with what TensorFlow 2.21 prints.

func digits() ragged.Tensor[int32] {
	return check(ragged.FromSlices[int32]([][]int32{{3, 1, 4, 1}, {}, {5, 9, 2}, {6}, {}}))
}

// print writes tensors as TensorFlow does.
func print(all ...fmt.Stringer) {
	for _, x := range all {
		fmt.Println(x.String())
	}
}

// Operations on numbers accept ragged and dense tensors.
func Example_guideOperations() {
	digits := digits()
	print(check(num.Add(digits, ragged.Scalar[int32](3))))
	print(check(num.Mean[float64](digits, num.Over(1))))
	print(check(num.Add(digits, check(ragged.FromSlices[int32]([][]int32{{1, 2, 3, 4}, {}, {5, 6, 7}, {8}, {}})))))
	// Output:
	// <tf.RaggedTensor [[6, 4, 7, 4], [], [8, 12, 5], [9], []]>
	// tf.Tensor([2.25              nan 5.33333333 6.                nan], shape=(5,), dtype=float64)
	// <tf.RaggedTensor [[4, 3, 7, 5], [], [10, 15, 9], [14], []]>
}

// A function of all values at once, and a function of each value.
func Example_guideMapFlat() {
	timesTwoPlusOne := func(x ragged.Tensor[int32]) (ragged.Tensor[int32], error) {
		twice, err := num.Mul(x, ragged.Scalar[int32](2))
		if err != nil {
			return twice, err
		}
		return num.Add(twice, ragged.Scalar[int32](1))
	}
	print(check(num.MapFlat(digits(), timesTwoPlusOne)))
	print(ragged.Map(digits(), func(x int32) int32 { return x*2 + 1 }))
	// Output:
	// <tf.RaggedTensor [[7, 3, 9, 3], [], [11, 19, 5], [13], []]>
	// <tf.RaggedTensor [[7, 3, 9, 3], [], [11, 19, 5], [13], []]>
}

// Operators.
func Example_guideOperators() {
	x := check(ragged.FromSlices[int32]([][]int32{{1, 2}, {3}, {4, 5, 6}}))
	y := check(ragged.FromSlices[int32]([][]int32{{1, 1}, {2}, {3, 3, 3}}))
	print(check(num.Add(x, y)))
	print(check(num.Add(x, ragged.Scalar[int32](3))))
	print(check(num.Sub(x, y)), check(num.Mul(x, y)), check(num.Div[float64](x, y)), check(num.FloorDiv(x, y)), check(num.FloorMod(x, y)))
	print(check(num.Pow(x, y)), num.Neg(x), check(num.Equal(x, y)), check(num.Less(x, y)), num.Not(check(num.GreaterEqual(x, y))))
	// Output:
	// <tf.RaggedTensor [[2, 3], [5], [7, 8, 9]]>
	// <tf.RaggedTensor [[4, 5], [6], [7, 8, 9]]>
	// <tf.RaggedTensor [[0, 1], [1], [1, 2, 3]]>
	// <tf.RaggedTensor [[1, 2], [6], [12, 15, 18]]>
	// <tf.RaggedTensor [[1.0, 2.0], [1.5], [1.3333333333333333, 1.6666666666666667, 2.0]]>
	// <tf.RaggedTensor [[1, 2], [1], [1, 1, 2]]>
	// <tf.RaggedTensor [[0, 0], [1], [1, 2, 0]]>
	// <tf.RaggedTensor [[1, 2], [9], [64, 125, 216]]>
	// <tf.RaggedTensor [[-1, -2], [-3], [-4, -5, -6]]>
	// <tf.RaggedTensor [[True, False], [False], [False, False, False]]>
	// <tf.RaggedTensor [[False, False], [False], [False, False, False]]>
	// <tf.RaggedTensor [[False, False], [False], [False, False, False]]>
}

// Reductions along each axis.
func Example_guideReductions() {
	x := check(ragged.FromSlices[int32]([][]int32{{1, 2}, {3}, {4, 5, 6}}))
	print(check(num.Max(x, num.Over(-1))), check(num.Min(x, num.Over(-1))))
	y := check(ragged.FromSlices[int32]([][]int32{{3, 1, 4}, {1, 5}, {9}, {2, 6}}))
	print(check(num.Sum(y, num.Over(0))), check(num.Sum(y, num.Over(1))), check(num.Sum(y, num.OverAll())))
	print(check(num.Mean[float64](y, num.Over(0))), check(num.Prod(y, num.Over(1).Keep())))
	// Output:
	// tf.Tensor([2 3 6], shape=(3,), dtype=int32)
	// tf.Tensor([1 3 4], shape=(3,), dtype=int32)
	// tf.Tensor([15 12  4], shape=(3,), dtype=int32)
	// tf.Tensor([8 6 9 8], shape=(4,), dtype=int32)
	// tf.Tensor(31, shape=(), dtype=int32)
	// tf.Tensor([3.75 4.   4.  ], shape=(3,), dtype=float64)
	// tf.Tensor(
	// [[12]
	//  [ 5]
	//  [ 9]
	//  [12]], shape=(4, 1), dtype=int32)
}

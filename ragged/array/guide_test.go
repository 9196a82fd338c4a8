package array_test

import (
	"fmt"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/array"
)

// The examples named guide are those of TensorFlow's guide to ragged tensors that
// rearrange values, with what TensorFlow 2.21 prints.

// write prints a tensor as TensorFlow does.
func write[T any](t ragged.Tensor[T], err error) {
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.String())
}

// Joining rows, and repeating them.
func Example_guideOperations() {
	more := of[int32]([][]int32{{5, 3}})
	write(ragged.Concat(0, digits(), more))
	write(array.Tile(digits(), 1, 2))
	// Output:
	// <tf.RaggedTensor [[3, 1, 4, 1], [], [5, 9, 2], [6], [], [5, 3]]>
	// <tf.RaggedTensor [[3, 1, 4, 1, 3, 1, 4, 1], [], [5, 9, 2, 5, 9, 2], [6, 6], []]>
}

// A function for every row: map_fn.
func Example_guideMapRows() {
	square := func(row ragged.Tensor[int32]) (ragged.Tensor[int32], error) {
		return ragged.Map(row, func(v int32) int32 { return v * v }), nil
	}
	write(array.MapRows(digits(), 0, square))
	// Output:
	// <tf.RaggedTensor [[9, 1, 16, 1], [], [25, 81, 4], [36], []]>
}

// A function of the program, made of operations on ragged tensors.
func Example_guidePalindrome() {
	palindrome := func(x ragged.Tensor[int32], axis int) (ragged.Tensor[int32], error) {
		back, err := array.Reverse(x, []int{axis})
		if err != nil {
			return back, err
		}
		return ragged.Concat(axis, x, back)
	}
	dense, err := ragged.Dense([]int32{1, 2, 3, 4, 5, 6}, 3, 2)
	if err != nil {
		fmt.Println(err)
	}
	write(palindrome(dense, 1))
	write(palindrome(of[int32]([][]int32{{1, 2}, {3}, {4, 5, 6}}), 1))
	// Output:
	// tf.Tensor(
	// [[1 2 2 1]
	//  [3 4 4 3]
	//  [5 6 6 5]], shape=(3, 4), dtype=int32)
	// <tf.RaggedTensor [[1, 2, 2, 1], [3, 3], [4, 5, 6, 6, 5, 4]]>
}

// Ranges of several lengths, as in the guide's data sets.
func Example_guideRange() {
	write(array.RangeTo(ragged.Vector[int32](3, 5, 2)))
	write(array.RangeTo(ragged.Vector[int32]()))
	write(array.Range(ragged.Vector[int32](0, 5, 8), ragged.Vector[int32](3, 3, 12), ragged.Scalar[int32](2)))
	// Output:
	// <tf.RaggedTensor [[0, 1, 2], [0, 1, 2, 3, 4], [0, 1]]>
	// <tf.RaggedTensor []>
	// <tf.RaggedTensor [[0, 2], [], [8, 10]]>
}

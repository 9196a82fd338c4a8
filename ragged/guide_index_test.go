package ragged_test

import (
	"fmt"

	"github.com/tfparse/tfparse/ragged"
)

// Indexing: as in Python's lists.
func Example_guideDigits() {
	digits := check(ragged.FromSlices[int32]([][]int32{{3, 1, 4, 1}, {}, {5, 9, 2}, {6}, {}}))
	print(digits.Row(0))                                                // first row
	print(check(digits.Index(ragged.SliceAll(), ragged.SliceTo(2))))    // first two values of each row
	print(check(digits.Index(ragged.SliceAll(), ragged.SliceFrom(-2)))) // last two values of each row
	// Output:
	// tf.Tensor([3 1 4 1], shape=(4,), dtype=int32)
	// <tf.RaggedTensor [[3, 1], [], [5, 9], [6], []]>
	// <tf.RaggedTensor [[4, 1], [], [9, 2], [6], []]>
}

// Indexing with one ragged dimension.
func Example_guideIndex2() {
	queries := check(ragged.FromSlices[string]([][]string{
		{"Who", "is", "Winter", "Wonderland"},
		{"What", "is", "the", "weather", "tomorrow"},
		{"Goodnight"},
	}))
	print(check(queries.Index(ragged.At(1))))                            // a single query
	print(check(queries.Index(ragged.At(1), ragged.At(2))))              // a single word
	print(check(queries.Index(ragged.SliceFrom(1))))                     // everything but the first row
	print(check(queries.Index(ragged.SliceAll(), ragged.SliceTo(3))))    // the first three words of each query
	print(check(queries.Index(ragged.SliceAll(), ragged.SliceFrom(-2)))) // the last two words of each query
	// Output:
	// tf.Tensor([b'What' b'is' b'the' b'weather' b'tomorrow'], shape=(5,), dtype=string)
	// tf.Tensor(b'the', shape=(), dtype=string)
	// <tf.RaggedTensor [[b'What', b'is', b'the', b'weather', b'tomorrow'], [b'Goodnight']]>
	// <tf.RaggedTensor [[b'Who', b'is', b'Winter'], [b'What', b'is', b'the'], [b'Goodnight']]>
	// <tf.RaggedTensor [[b'Winter', b'Wonderland'], [b'weather', b'tomorrow'], [b'Goodnight']]>
}

// Indexing with two ragged dimensions. A position in a ragged dimension is an error, as
// it would exist in some rows and not in others.
func Example_guideIndex3() {
	t := check(ragged.FromSlices[int32]([][][]int32{{{1, 2, 3}, {4}}, {{5}, {}, {6}}, {{7}}, {{8, 9}, {10}}}))
	print(check(t.Index(ragged.At(1))))                            // the second row
	print(check(t.Index(ragged.At(3), ragged.At(0))))              // the first element of the fourth row
	print(check(t.Index(ragged.SliceAll(), ragged.Slice(1, 3))))   // items 1 to 3 of each row
	print(check(t.Index(ragged.SliceAll(), ragged.SliceFrom(-1)))) // the last item of each row
	_, err := t.Index(ragged.SliceAll(), ragged.At(0))
	fmt.Println(err)
	// Output:
	// <tf.RaggedTensor [[5], [], [6]]>
	// tf.Tensor([8 9], shape=(2,), dtype=int32)
	// <tf.RaggedTensor [[[4]], [[], [6]], [], [[10]]]>
	// <tf.RaggedTensor [[[4]],
	//
	//  [[6]],
	//
	//  [[7]],
	//
	//  [[10]]]>
	// ragged: index out of range: key 0: want a range on ragged axis 1
}

// Rows are views: the loop allocates nothing.
func ExampleTensor_Rows() {
	t := check(ragged.FromSlices[string]([][]string{{"a", "b"}, {}, {"c"}}))
	for i, row := range t.Rows() {
		fmt.Println(i, row)
	}
	fmt.Println(t.Slice(1, 3))
	// Output:
	// 0 ['a', 'b']
	// 1 []
	// 2 ['c']
	// [[], ['c']]
}

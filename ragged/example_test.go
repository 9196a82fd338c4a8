package ragged_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/tfparse/tfparse/ragged"
)

// check panics on an error.
func check[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

func Example() {
	queries := check(ragged.FromSlices[string]([][]string{
		{"who", "is", "winter"},
		{"what", "is", "the", "weather", "tomorrow"},
		{"goodnight"},
	}))
	fmt.Println(queries.Shape(), queries.Len(), queries.Size())
	fmt.Println(queries)

	// A row is a view: no copy, no allocation.
	for i, row := range queries.Rows() {
		fmt.Println(i, row.Len(), row.Values()[0])
	}

	// A range applies to every row.
	fmt.Println(check(queries.Index(ragged.SliceAll(), ragged.SliceFrom(-2))))

	lengths := ragged.Map(queries, func(s string) int { return len(s) })
	fmt.Println(lengths)
	// Output:
	// [3 -1] 3 9
	// [['who', 'is', 'winter'], ['what', 'is', 'the', 'weather', 'tomorrow'], ['goodnight']]
	// 0 3 who
	// 1 5 what
	// 2 1 goodnight
	// [['is', 'winter'], ['weather', 'tomorrow'], ['goodnight']]
	// [[3, 2, 6], [4, 2, 3, 7, 8], [9]]
}

// The same rows in every encoding.
func Example_partitions() {
	values := []int64{3, 1, 4, 1, 5, 9, 2, 6}
	for _, p := range []ragged.Partition{
		check(ragged.FromRowSplits([]int64{0, 4, 4, 7, 8, 8})),
		check(ragged.FromRowLengths([]int64{4, 0, 3, 1, 0})),
		check(ragged.FromRowStarts([]int64{0, 4, 4, 7, 8}, 8)),
		check(ragged.FromRowLimits([]int64{4, 4, 7, 8, 8})),
		check(ragged.FromValueRowIDs([]int64{0, 0, 0, 0, 2, 2, 2, 3}, 5)),
	} {
		fmt.Println(check(ragged.New(values, nil, p)))
	}
	fmt.Println(check(ragged.New(values, nil, check(ragged.Uniform(2, 4)))))
	// Output:
	// [[3, 1, 4, 1], [], [5, 9, 2], [6], []]
	// [[3, 1, 4, 1], [], [5, 9, 2], [6], []]
	// [[3, 1, 4, 1], [], [5, 9, 2], [6], []]
	// [[3, 1, 4, 1], [], [5, 9, 2], [6], []]
	// [[3, 1, 4, 1], [], [5, 9, 2], [6], []]
	// [[3, 1], [4, 1], [5, 9], [2, 6]]
}

// Partitions of partitions, the outermost first.
func ExampleWrap() {
	x := check(ragged.Wrap(ragged.Vector(3, 1, 4, 1, 5, 9, 2, 6),
		check(ragged.FromRowSplits([]int64{0, 3, 3, 5})), check(ragged.FromRowLengths([]int64{4, 0, 3, 1, 0}))))
	fmt.Println(x)
	fmt.Println(x.Shape())
	// Output:
	// [[[3, 1, 4, 1], [], [5, 9, 2]], [], [[6], []]]
	// [3 -1 -1]
}

// The row of every value. Empty rows at the end need the number of rows.
func ExampleFromValueRowIDs() {
	values, ids := []int{3, 1, 4, 1, 5, 9, 2, 6}, []int64{0, 0, 0, 0, 2, 2, 2, 3}
	fmt.Println(check(ragged.New(values, nil, check(ragged.FromValueRowIDs(ids, 4)))))
	fmt.Println(check(ragged.New(values, nil, check(ragged.FromValueRowIDs(ids, 5)))))
	// Output:
	// [[3, 1, 4, 1], [], [5, 9, 2], [6]]
	// [[3, 1, 4, 1], [], [5, 9, 2], [6], []]
}

// An inner shape: rows of pairs.
func ExampleNew() {
	rows := check(ragged.FromRowSplits([]int64{0, 3, 4, 6}))
	x := check(ragged.New([]int{1, 3, 0, 0, 1, 3, 5, 3, 3, 3, 1, 2}, []int{2}, rows))
	fmt.Println(x)
	fmt.Println(x.Shape())
	// Output:
	// [[[1, 3], [0, 0], [1, 3]], [[5, 3]], [[3, 3], [1, 2]]]
	// [3 -1 2]
}

// A Go slice is ragged, an array uniform.
func ExampleFromSlices() {
	x := check(ragged.FromSlices[int]([][][2]int{{{1, 2}, {3, 4}}, {}, {{5, 6}}}))
	fmt.Println(x, x.Shape())
	back := check(ragged.ToSlices[[][][2]int](x))
	fmt.Println(back)
	// Output:
	// [[[1, 2], [3, 4]], [], [[5, 6]]] [3 -1 2]
	// [[[1 2] [3 4]] [] [[5 6]]]
}

func ExampleConstant() {
	list := []any{[]any{[]any{1, 2}, []any{3, 4}}, []any{}, []any{[]any{5, 6}}}
	fmt.Println(check(ragged.Constant[int](list, nil)).Shape())
	fmt.Println(check(ragged.Constant[int](list, &ragged.ConstantOptions{RaggedRank: 1})).Shape())

	_, err := ragged.Constant[int]([]any{1, []any{2}}, nil)
	fmt.Println(err)
	// Output:
	// [3 -1 -1]
	// [3 -1 2]
	// ragged: values do not fit the shape: constant: scalars at depth 1 and at depth 2
}

func ExampleTensor_ToDense() {
	x := check(ragged.FromSlices[string]([][]string{{"Hi"}, {"Welcome", "to", "the", "fair"}, {"Have", "fun"}}))
	fmt.Println(check(x.ToDense(ragged.Scalar("-"), nil)))
	fmt.Println(check(x.ToDense(ragged.Scalar("-"), []int{-1, 2})))
	// Output:
	// [['Hi', '-', '-', '-'], ['Welcome', 'to', 'the', 'fair'], ['Have', 'fun', '-', '-']]
	// [['Hi', '-'], ['Welcome', 'to'], ['Have', 'fun']]
}

func ExampleFromDensePadding() {
	box := check(ragged.Dense([]int{1, 3, -1, -1, 2, -1, -1, -1, 4, 5, 8, 9}, 3, 4))
	fmt.Println(check(ragged.FromDensePadding(box, 1, ragged.Scalar(-1))))
	fmt.Println(check(ragged.FromDenseLengths(box, 1, []int64{3, 0, 4})))
	// Output:
	// [[1, 3], [2], [4, 5, 8, 9]]
	// [[1, 3, -1], [], [4, 5, 8, 9]]
}

func ExampleTensor_Sparse() {
	x := check(ragged.FromSlices[string]([][]string{{"a"}, {}, {"b", "c"}}))
	s := x.Sparse()
	fmt.Println(s.Indices, s.Values, s.Shape)
	fmt.Println(check(ragged.FromSparse(s)))
	// Output:
	// [0 0 2 0 2 1] [a b c] [3 2]
	// [['a'], [], ['b', 'c']]
}

func ExampleTensor_Index() {
	x := check(ragged.FromSlices[int]([][][]int{{{1, 2, 3}, {4}}, {{5}, {}, {6}}, {{7}}, {{8, 9}, {10}}}))
	fmt.Println(check(x.Index(ragged.At(1))))
	fmt.Println(check(x.Index(ragged.At(3), ragged.At(0))))
	fmt.Println(check(x.Index(ragged.SliceAll(), ragged.Slice(1, 3))))
	fmt.Println(check(x.Index(ragged.SliceAll().By(-2))))
	_, err := x.Index(ragged.SliceAll(), ragged.At(0))
	fmt.Println(err)
	// Output:
	// [[5], [], [6]]
	// [8, 9]
	// [[[4]], [[], [6]], [], [[10]]]
	// [[[8, 9], [10]], [[5], [], [6]]]
	// ragged: index out of range: key 0: want a range on ragged axis 1
}

func ExampleTensor_MergeDims() {
	x := check(ragged.FromSlices[int]([][][]int{{{1, 2}, {}, {3, 4, 5}}, {{6}, {7, 8}, {}}}))
	fmt.Println(check(x.MergeDims(0, 1)))
	fmt.Println(check(x.MergeDims(1, 2)))
	// Output:
	// [[1, 2], [], [3, 4, 5], [6], [7, 8], []]
	// [[1, 2, 3, 4, 5], [6, 7, 8]]
}

func ExampleTensor_BoundingShape() {
	x := check(ragged.FromSlices[int]([][]int{{1, 2, 3, 4}, {5}, {}, {6, 7, 8, 9}, {10}}))
	fmt.Println(x.Shape(), x.BoundingShape())
	fmt.Println(check(x.RowLengths(1)))
	// Output:
	// [5 -1] [5 4]
	// [4, 1, 0, 4, 1]
}

// Rows of one length add to rows of that length; a column adds to every row.
func ExampleZip() {
	add := func(a, b int) int { return a + b }
	x := check(ragged.FromSlices[int]([][]int{{10, 87, 12}, {19, 53}, {12, 32}}))
	column := check(ragged.Dense([]int{1000, 2000, 3000}, 3, 1))
	fmt.Println(check(ragged.Zip(x, column, add)))
	fmt.Println(check(ragged.Zip(x, ragged.Scalar(1), add)))

	other := check(ragged.FromSlices[int]([][]int{{10, 20}, {30, 40}, {50}}))
	_, err := ragged.Zip(x, other, add)
	if e, ok := errors.AsType[*ragged.BroadcastError](err); ok {
		fmt.Println("axis", e.Axis, "row", e.Row, "lengths", e.A, e.B)
	}
	// Output:
	// [[1010, 1087, 1012], [2019, 2053], [3012, 3032]]
	// [[11, 88, 13], [20, 54], [13, 33]]
	// axis 1 row 0 lengths 3 2
}

func ExampleConcat() {
	x := check(ragged.FromSlices[string]([][]string{{"Bird"}, {"a", "big", "dog"}, {"my", "cat"}}))
	y := check(ragged.FromSlices[string]([][]string{{"fell", "asleep"}, {"barked"}, {"is", "fuzzy"}}))
	fmt.Println(check(ragged.Concat(1, x, y)))
	// Output: [['Bird', 'fell', 'asleep'], ['a', 'big', 'dog', 'barked'], ['my', 'cat', 'is', 'fuzzy']]
}

// The verb %v writes a short text of a large tensor, for logs; String writes all of it.
func ExampleTensor_Format() {
	row := make([]int, 1000)
	x := check(ragged.FromSlices[int]([][]int{row, {1, 2}, row}))
	fmt.Printf("%v\n", x)
	fmt.Printf("%.1v\n", x)
	fmt.Printf("%#v\n", x)
	fmt.Printf("%+v\n", x.Slice(1, 2))
	// Output:
	// [[0, 0, 0, ..., 0, 0, 0], [1, 2], [0, 0, 0, ..., 0, 0, 0]]
	// [[0, ..., 0], ..., [0, ..., 0]]
	// ragged.Tensor[int64]{shape: [3 -1], ragged rank: 1, values: 2002}
	// <tf.RaggedTensor [[1, 2]]>
}

func ExampleTensor_MarshalJSON() {
	x := check(ragged.FromSlices[float32]([][]float32{{1, 2.5}, {}}))
	fmt.Println(string(check(x.MarshalJSON())))
	// Output: {"ragged":{"partitions":[{"row_splits":[0,2,2]}],"flat_values":{"dtype":"float32","shape":[2],"values":[1.0,2.5]}}}
}

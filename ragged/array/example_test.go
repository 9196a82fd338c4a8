package array_test

import (
	"fmt"
	"log"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/array"
	"github.com/tfparse/tfparse/ragged/shape"
)

// of makes a tensor of nested slices. A program checks the error.
func of[T any](slices any) ragged.Tensor[T] {
	t, err := ragged.FromSlices[T](slices)
	if err != nil {
		log.Fatal(err)
	}
	return t
}

// digits are [[3 1 4 1] [] [5 9 2] [6] []].
func digits() ragged.Tensor[int32] {
	return of[int32]([][]int32{{3, 1, 4, 1}, {}, {5, 9, 2}, {6}, {}})
}

func show[T any](t ragged.Tensor[T], err error) {
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Summary(0))
}

func ExampleTile() {
	show(array.Tile(digits(), 1, 2))
	show(array.Tile(of[int32]([][]int32{{1, 2}, {3}}), 3, 2))
	// Output:
	// [[3, 1, 4, 1, 3, 1, 4, 1], [], [5, 9, 2, 5, 9, 2], [6, 6], []]
	// [[1, 2, 1, 2], [3, 3], [1, 2, 1, 2], [3, 3], [1, 2, 1, 2], [3, 3]]
}

// A palindrome of every row, ragged or not.
func ExampleReverse() {
	for _, x := range []ragged.Tensor[int32]{
		of[int32]([][]int32{{1, 2}, {3}, {4, 5, 6}}),
		of[int32]([][2]int32{{1, 2}, {3, 4}, {5, 6}}),
	} {
		back, err := array.Reverse(x, []int{1})
		if err != nil {
			log.Fatal(err)
		}
		show(ragged.Concat(1, x, back))
	}
	// Output:
	// [[1, 2, 2, 1], [3, 3], [4, 5, 6, 6, 5, 4]]
	// [[1, 2, 2, 1], [3, 4, 4, 3], [5, 6, 6, 5]]
}

func ExampleReverse_axes() {
	x := of[int32]([][][]int32{{{1, 2}, {3, 4}}, {{5, 6}}, {{7, 8}, {9, 10}, {11, 12}}})
	show(array.Reverse(x, []int{0, 2}))
	// Output:
	// [[[8, 7], [10, 9], [12, 11]], [[6, 5]], [[2, 1], [4, 3]]]
}

func ExampleRangeTo() {
	show(array.RangeTo(ragged.Vector(3, 5, 2)))
	show(array.RangeTo(ragged.Vector(1, 3)))
	show(array.RangeTo(ragged.Scalar(7)))
	show(array.RangeTo(ragged.Vector[int]()))
	// Output:
	// [[0, 1, 2], [0, 1, 2, 3, 4], [0, 1]]
	// [[0], [0, 1, 2]]
	// [[0, 1, 2, 3, 4, 5, 6]]
	// []
}

func ExampleRange() {
	starts, limits := ragged.Vector(0, 5, 8), ragged.Vector(3, 3, 12)
	show(array.Range(starts, limits, ragged.Scalar(1)))
	show(array.Range(starts, limits, ragged.Scalar(2)))
	show(array.Range(ragged.Vector(0, -3, 5), ragged.Scalar(0), ragged.Vector(-1, 1, -2)))
	// Output:
	// [[0, 1, 2], [], [8, 9, 10, 11]]
	// [[0, 2], [], [8, 10]]
	// [[], [-3, -2, -1], [5, 3, 1]]
}

// Markers before and after every query, and the pairs of neighbours.
func ExampleExpandDims() {
	queries := of[string]([][]string{{"Who", "is", "the", "guide"}, {"Pause"}, {"Will", "it", "rain", "later", "today"}})
	column, err := shape.New([]int{queries.Len(), 1})
	if err != nil {
		log.Fatal(err)
	}
	marker, err := shape.Fill(column, "#")
	if err != nil {
		log.Fatal(err)
	}
	padded, err := ragged.Concat(1, marker, queries, marker)
	if err != nil {
		log.Fatal(err)
	}
	show(padded, nil)
	// The same markers, made from a vector.
	marks, err := array.ExpandDims(ragged.Vector("#", "#", "#"), 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ragged.Equal(marks, marker))
	// Output:
	// [['#', 'Who', 'is', 'the', 'guide', '#'], ['#', 'Pause', '#'], ['#', 'Will', 'it', 'rain', 'later', 'today', '#']]
	// true
}

func ExampleSqueeze() {
	show(array.Squeeze(of[int]([][][][]int{{{{12}, {11}}}}), []int{0, 1}))
	show(array.Squeeze(of[int]([][]int{{1}, {2}}), []int{1}))
	show(array.Squeeze(of[int]([][]int{{1}, {2, 3}}), []int{1}))
	// Output:
	// [[12], [11]]
	// [1, 2]
	// ragged: values do not fit the shape: squeeze: axis 1, row 1: want length 1, got 2
}

func ExampleStack() {
	x := of[int]([][]int{{1, 2, 3}, {4}})
	y := of[int]([][]int{{5}, {6, 7}})
	show(array.Stack(0, x, y))
	show(array.Stack(1, x, y))
	show(array.Stack(0, ragged.Vector("a", "b"), ragged.Vector("c", "d", "e")))
	// Output:
	// [[[1, 2, 3], [4]], [[5], [6, 7]]]
	// [[[1, 2, 3], [5]], [[4], [6, 7]]]
	// [['a', 'b'], ['c', 'd', 'e']]
}

func ExampleSplitSizes() {
	x := of[int]([][]int{{1}, {2}, {3}, {4}, {5}})
	parts, err := array.SplitSizes(x, 0, 1, 2, 2)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range parts {
		show(p, nil)
	}
	// Output:
	// [[1]]
	// [[2], [3]]
	// [[4], [5]]
}

func ExampleGather() {
	x := of[string]([][]string{{"a", "b", "c"}, {"d"}, {}, {"e"}})
	show(array.Gather(x, ragged.Vector(3, 1, 2, 1, 0), nil))
	show(array.Gather(x, of[int]([][]int{{3, 1, 2}, {1}, {}, {0}}), nil))
	// With a batch dimension, row i of the indices selects from row i of x.
	show(array.Gather(x, of[int]([][]int{{2, 0}, {0}, {}, {}}), &array.GatherOptions{BatchDims: 1}))
	show(array.Gather(x, ragged.Scalar(0), &array.GatherOptions{Axis: 1}))
	// Output:
	// [['e'], ['d'], [], ['d'], ['a', 'b', 'c']]
	// [[['e'], ['d'], []], [['d']], [], [['a', 'b', 'c']]]
	// [['c', 'a'], ['d'], [], []]
	// ragged: index out of range: gather, axis 1, row 2: at [0]: want at least 0 and less than 0, got 0
}

func ExampleGatherND() {
	x := of[string]([][][]string{{{"000", "001"}, {"010"}}, {{"100"}, {"110", "111", "112"}, {"120"}}, {{}, {"210"}}})
	show(array.GatherND(x, of[int]([][1]int{{2}, {0}})))
	show(array.GatherND(x, of[int]([][2]int{{2, 1}, {0, 0}})))
	show(array.GatherND(x, of[int]([][3]int{{0, 0, 1}, {1, 1, 2}})))
	// Output:
	// [[[], ['210']], [['000', '001'], ['010']]]
	// [['210'], ['000', '001']]
	// ['001', '112']
}

func ExampleBatchGatherOr() {
	x := of[string]([][]string{{"a", "b", "c"}, {"d"}, {}, {"e"}})
	indices := of[int]([][]int{{1, 2, -1}, {}, {}, {0, 10}})
	show(array.BatchGatherOr(x, indices, ragged.Scalar("FOO")))
	// Output:
	// [['b', 'c', 'FOO'], [], [], ['e', 'FOO']]
}

func ExampleBooleanMask() {
	x := of[int]([][]int{{1, 2, 3}, {4}, {5, 6}})
	show(array.BooleanMask(x, ragged.Vector(true, false, true)))
	show(array.BooleanMask(x, ragged.Map(x, func(v int) bool { return v%2 == 1 })))
	// Output:
	// [[1, 2, 3], [5, 6]]
	// [[1, 3], [], [5]]
}

func ExampleSequenceMask() {
	mask, err := array.SequenceMask(ragged.Vector(1, 3, 2), -1)
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range mask.Rows() {
		fmt.Println(row.Values())
	}
	// Output:
	// [true false false]
	// [true true true]
	// [true true false]
}

func ExampleWhere() {
	cond := of[bool]([][]bool{{true, false, true}, {false, true}})
	x := of[string]([][]string{{"A", "B", "C"}, {"D", "E"}})
	y := of[string]([][]string{{"a", "b", "c"}, {"d", "e"}})
	show(array.Where(cond, x, y))
	show(array.Where(cond, x, ragged.Scalar("-")))
	// Output:
	// [['A', 'b', 'C'], ['d', 'E']]
	// [['A', '-', 'C'], ['-', 'E']]
}

func ExampleWhereRows() {
	x := of[string]([][]string{{"A", "B", "C"}, {"D", "E"}, {"F", "G"}})
	y := of[string]([][]string{{"a", "b"}, {"c"}, {"d", "e"}})
	show(array.WhereRows([]bool{true, false, true}, x, y))
	// Output:
	// [['A', 'B', 'C'], ['c'], ['F', 'G']]
}

func ExampleCoordinates() {
	show(array.Coordinates(of[bool]([][]bool{{true, false, true}, {false, true}})))
	// Output:
	// [[0, 0], [0, 2], [1, 1]]
}

func ExampleOneHot() {
	show(array.OneHot(of[int]([][]int{{0, 2, -1}, {3}}), 4, -1, 1, 0))
	// Output:
	// [[[1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]], [[0, 0, 0, 1]]]
}

func ExampleFillEmptyRows() {
	filled, empty, err := array.FillEmptyRows(of[int]([][]int{{}, {1, 3, 5, 7}, {}, {2, 4, 6, 8}, {}}), -1)
	show(filled, err)
	fmt.Println(empty)
	// Output:
	// [[-1], [1, 3, 5, 7], [-1], [2, 4, 6, 8], [-1]]
	// [true false true false true]
}

func ExampleStackDynamicPartitions() {
	letters := ragged.Vector("a", "b", "c", "d", "e")
	show(array.StackDynamicPartitions(letters, ragged.Vector(3, 0, 2, 2, 3), 5))
	// Output:
	// [['b'], [], ['c', 'd'], ['a', 'e'], []]
}

func ExampleDynamicPartition() {
	parts, err := array.DynamicPartition(of[int]([][]int{{1}, {2, 3, 4}, {5}}), ragged.Vector(2, 1, 1), 3)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range parts {
		show(p, nil)
	}
	// Output:
	// []
	// [[2, 3, 4], [5]]
	// [[1]]
}

func ExampleCross() {
	names := of[string]([][]string{{"a", "b"}, {}, {"c"}})
	days := of[int]([][]int{{1}, {2}, {3, 4}})
	show(array.Cross(array.Strings(names), array.Ints(days)))
	// Output:
	// [['a_X_1', 'b_X_1'], [], ['c_X_3', 'c_X_4']]
}

func ExampleCrossHashed() {
	feature := func(s string) array.Feature { return array.Strings(of[string]([][]string{{s}})) }
	show(array.CrossHashed(nil, feature("batch1-FC1-F1"), feature("batch1-FC2-F1"), feature("batch1-FC3-F1")))
	show(array.CrossHashed(&array.CrossHashOptions{Buckets: 100}, feature("batch1-FC1-F1"), feature("batch1-FC2-F1"), feature("batch1-FC3-F1")))
	// Output:
	// [[1971693436396284976]]
	// [[83]]
}

// A function of whole rows; for a function of single values ragged.Map is enough.
func ExampleMapRows() {
	show(array.MapRows(digits(), 0, func(row ragged.Tensor[int32]) (ragged.Tensor[int32], error) {
		return ragged.Map(row, func(v int32) int32 { return v * v }), nil
	}))
	show(array.MapRowsDense(digits(), func(row ragged.Tensor[int32]) (ragged.Tensor[int], error) {
		return ragged.Scalar(row.Len()), nil
	}, nil))
	// Output:
	// [[9, 1, 16, 1], [], [25, 81, 4], [36], []]
	// [4, 0, 3, 1, 0]
}

func ExampleTopK() {
	values, positions, err := array.TopK(digits(), 2)
	show(values, err)
	show(positions, nil)
	// Output:
	// [[4, 3], [], [9, 5], [6], []]
	// [[2, 0], [], [1, 0], [0], []]
}

func ExampleUnique() {
	show(array.Unique(digits()))
	show(array.Sort(digits(), false), nil)
	// Output:
	// [[3, 1, 4], [], [5, 9, 2], [6], []]
	// [[1, 1, 3, 4], [], [2, 5, 9], [6], []]
}

package ragged_test

import (
	"fmt"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/num"
)

// The examples named guide are those of TensorFlow's guide to ragged tensors, in its
// order, with what TensorFlow 2.21 prints. The parts of the guide that are about
// numbers, arrays, strings, embeddings and shapes are in the packages of these names.

// print writes tensors as TensorFlow does.
func print(all ...fmt.Stringer) {
	for _, x := range all {
		fmt.Println(x.String())
	}
}

// From nested lists: tf.ragged.constant.
func Example_guideConstant() {
	sentences := check(ragged.Constant[string]([]any{
		[]any{"Every", "row", "has", "its", "own", "length", "."},
		[]any{"Even", "none", "."}}, nil))
	print(sentences)
	paragraphs := check(ragged.FromSlices[string]([][][]string{
		{{"it", "rained"}, {"we", "stayed", "in"}},
		{{"then", "the", "sun", "came", "out"}, {"we", "left"}},
	}))
	print(paragraphs)
	// Output:
	// <tf.RaggedTensor [[b'Every', b'row', b'has', b'its', b'own', b'length', b'.'],
	//  [b'Even', b'none', b'.']]>
	// <tf.RaggedTensor [[[b'it', b'rained'], [b'we', b'stayed', b'in']],
	//  [[b'then', b'the', b'sun', b'came', b'out'], [b'we', b'left']]]>
}

// From flat values and a row partition, in each of its encodings.
func Example_guideFactories() {
	for _, p := range []ragged.Partition{
		check(ragged.FromValueRowIDs([]int64{0, 0, 0, 0, 2, 2, 3}, 4)),
		check(ragged.FromRowLengths([]int64{4, 0, 2, 1})),
		check(ragged.FromRowSplits([]int64{0, 4, 4, 6, 7})),
	} {
		print(check(ragged.New([]int32{3, 1, 4, 1, 5, 9, 2}, nil, p)))
	}
	// Starts and limits: the tensor is from the API page of the guide.
	values := []int32{3, 1, 4, 1, 5, 9, 2, 6}
	for _, p := range []ragged.Partition{
		check(ragged.FromRowStarts([]int64{0, 4, 4, 7, 8}, 8)),
		check(ragged.FromRowLimits([]int64{4, 4, 7, 8, 8})),
	} {
		print(check(ragged.New(values, nil, p)))
	}
	// Output:
	// <tf.RaggedTensor [[3, 1, 4, 1], [], [5, 9], [2]]>
	// <tf.RaggedTensor [[3, 1, 4, 1], [], [5, 9], [2]]>
	// <tf.RaggedTensor [[3, 1, 4, 1], [], [5, 9], [2]]>
	// <tf.RaggedTensor [[3, 1, 4, 1], [], [5, 9, 2], [6], []]>
	// <tf.RaggedTensor [[3, 1, 4, 1], [], [5, 9, 2], [6], []]>
}

// A tensor stores values of one dtype, at one depth.
func Example_guideStored() {
	print(check(ragged.Constant[string]([]any{[]any{"Hi"}, []any{"How", "are", "you"}}, nil))) // ok: string, rank 2
	print(check(ragged.FromSlices[int32]([][][]int32{{{1, 2}, {3}}, {{4, 5}}})))               // ok: int32, rank 3
	_, err := ragged.Constant[string]([]any{[]any{"one", "two"}, []any{3, 4}}, nil)
	fmt.Println(err) // bad: several types
	_, err = ragged.Constant[string]([]any{"A", []any{"B", "C"}}, nil)
	fmt.Println(err) // bad: several depths
	// Output:
	// <tf.RaggedTensor [[b'Hi'], [b'How', b'are', b'you']]>
	// <tf.RaggedTensor [[[1, 2], [3]], [[4, 5]]]>
	// ragged: values do not fit the shape: constant: want lists and string, got int
	// ragged: values do not fit the shape: constant: scalars at depth 1 and at depth 2
}

// Ragged and uniform dimensions, the shape and the bounding shape.
func Example_guideShape() {
	t := check(ragged.FromSlices[string]([][]string{{"Hi"}, {"How", "are", "you"}}))
	fmt.Println(t.Shape()) // (2, None)
	fmt.Println(t.BoundingShape())
	print(check(t.RowLengths(1)))
	// Output:
	// [2 -1]
	// [2 3]
	// tf.Tensor([1 3], shape=(2,), dtype=int64)
}

// A ragged tensor is not a sparse tensor: joining appends row to row, and does not keep the width
// of the dense tensors.
func Example_guideRaggedAndSparse() {
	x := check(ragged.FromSlices[string]([][]string{{"Bird"}, {"a", "big", "dog"}, {"my", "cat"}}))
	y := check(ragged.FromSlices[string]([][]string{{"fell", "asleep"}, {"barked"}, {"is", "fuzzy"}}))
	print(check(ragged.Concat(1, x, y)))
	joined := check(ragged.ConcatSparse(1, x.Sparse(), y.Sparse()))
	print(check(joined.Dense("")))
	// Output:
	// <tf.RaggedTensor [[b'Bird', b'fell', b'asleep'], [b'a', b'big', b'dog', b'barked'],
	//  [b'my', b'cat', b'is', b'fuzzy']]>
	// tf.Tensor(
	// [[b'Bird' b'' b'' b'fell' b'asleep']
	//  [b'a' b'big' b'dog' b'barked' b'']
	//  [b'my' b'cat' b'' b'is' b'fuzzy']], shape=(3, 5), dtype=string)
}

// Conversions to and from dense and sparse tensors.
func Example_guideConversions() {
	sentences := check(ragged.FromSlices[string]([][]string{{"Hi"}, {"Welcome", "to", "the", "fair"}, {"Have", "fun"}}))
	print(check(sentences.ToDense(ragged.Tensor[string]{}, []int{-1, 10})))
	print(sentences.Sparse())
	dense := check(ragged.Dense([]int32{1, 3, -1, -1, 2, -1, -1, -1, 4, 5, 8, 9}, 3, 4))
	print(check(ragged.FromDensePadding(dense, 1, ragged.Scalar[int32](-1))))
	sparse := ragged.Sparse[string]{Indices: []int64{0, 0, 2, 0, 2, 1}, Values: []string{"a", "b", "c"}, Shape: []int64{3, 3}}
	print(check(ragged.FromSparse(sparse)))
	// Output:
	// tf.Tensor(
	// [[b'Hi' b'' b'' b'' b'' b'' b'' b'' b'' b'']
	//  [b'Welcome' b'to' b'the' b'fair' b'' b'' b'' b'' b'' b'']
	//  [b'Have' b'fun' b'' b'' b'' b'' b'' b'' b'' b'']], shape=(3, 10), dtype=string)
	// SparseTensor(indices=tf.Tensor(
	// [[0 0]
	//  [1 0]
	//  [1 1]
	//  [1 2]
	//  [1 3]
	//  [2 0]
	//  [2 1]], shape=(7, 2), dtype=int64), values=tf.Tensor([b'Hi' b'Welcome' b'to' b'the' b'fair' b'Have' b'fun'], shape=(7,), dtype=string), dense_shape=tf.Tensor([3 4], shape=(2,), dtype=int64))
	// <tf.RaggedTensor [[1, 3], [2], [4, 5, 8, 9]]>
	// <tf.RaggedTensor [[b'a'], [], [b'b', b'c']]>
}

// The contents of a tensor: nested lists, flat values, rows.
func Example_guideEvaluating() {
	t := check(ragged.FromSlices[int32]([][]int32{{1, 2}, {3, 4, 5}, {6}, {}, {7}}))
	fmt.Println(check(ragged.ToSlices[[][]int32](t)))
	print(t, t.Flat(), ragged.Vector(t.Partition(0).AppendSplits(nil)...), t.Row(1))
	// Output:
	// [[1 2] [3 4 5] [6] [] [7]]
	// <tf.RaggedTensor [[1, 2], [3, 4, 5], [6], [], [7]]>
	// tf.Tensor([1 2 3 4 5 6 7], shape=(7,), dtype=int32)
	// tf.Tensor([0 2 5 6 6 7], shape=(6,), dtype=int64)
	// tf.Tensor([3 4 5], shape=(3,), dtype=int32)
}

// The encodings of a partition can be converted into each other.
func Example_guideEncodings() {
	p := check(ragged.FromRowSplits([]int64{0, 4, 4, 7, 8, 8}))
	t := check(ragged.New([]int32{3, 1, 4, 1, 5, 9, 2, 6}, nil, p))
	print(t)
	fmt.Println("row splits:", p.AppendSplits(nil))
	fmt.Println("value row ids:", p.AppendValueRowIDs(nil), "of", p.NumRows())
	fmt.Println("row starts:", p.AppendStarts(nil))
	fmt.Println("row limits:", p.AppendLimits(nil))
	fmt.Println("row lengths:", p.AppendLengths(nil))
	n, ok := check(ragged.FromUniformRowLength(2, 8)).UniformLen()
	fmt.Println("uniform row length:", n, ok)
	// Output:
	// <tf.RaggedTensor [[3, 1, 4, 1], [], [5, 9, 2], [6], []]>
	// row splits: [0 4 4 7 8 8]
	// value row ids: [0 0 0 0 2 2 2 3] of 5
	// row starts: [0 4 4 7 8]
	// row limits: [4 4 7 8 8]
	// row lengths: [4 0 3 1 0]
	// uniform row length: 2 true
}

// Several ragged dimensions: values that are ragged themselves.
func Example_guideNested() {
	inner := check(ragged.New(numbers(10, 20), nil, check(ragged.FromRowSplits([]int64{0, 3, 3, 5, 9, 10}))))
	t := check(ragged.Wrap(inner, check(ragged.FromRowSplits([]int64{0, 1, 1, 5}))))
	print(t)
	fmt.Println("Shape:", t.Shape())
	fmt.Println("Number of partitioned dimensions:", t.RaggedRank())
	// The same tensor in one call.
	print(check(ragged.Wrap(ragged.Vector(numbers(10, 20)...),
		check(ragged.FromRowSplits([]int64{0, 1, 1, 5})), check(ragged.FromRowSplits([]int64{0, 3, 3, 5, 9, 10})))))
	print(t.Flat())
	// Output:
	// <tf.RaggedTensor [[[10, 11, 12]], [], [[], [13, 14], [15, 16, 17, 18], [19]]]>
	// Shape: [3 -1 -1]
	// Number of partitioned dimensions: 2
	// <tf.RaggedTensor [[[10, 11, 12]], [], [[], [13, 14], [15, 16, 17, 18], [19]]]>
	// tf.Tensor([10 11 12 13 14 15 16 17 18 19], shape=(10,), dtype=int32)
}

func numbers(lo, hi int32) (out []int32) {
	for v := lo; v < hi; v++ {
		out = append(out, v)
	}
	return out
}

// Uniform inner dimensions belong to the flat values.
func Example_guideUniformInner() {
	t := check(ragged.New([]int32{1, 3, 0, 0, 1, 3, 5, 3, 3, 3, 1, 2}, []int{2}, check(ragged.FromRowSplits([]int64{0, 3, 4, 6}))))
	print(t)
	fmt.Println("Shape:", t.Shape())
	fmt.Println("Number of partitioned dimensions:", t.RaggedRank())
	fmt.Println("Flat values shape:", t.Flat().Shape())
	print(t.Flat())
	// Output:
	// <tf.RaggedTensor [[[1, 3],
	//   [0, 0],
	//   [1, 3]], [[5, 3]], [[3, 3],
	//                       [1, 2]]]>
	// Shape: [3 -1 2]
	// Number of partitioned dimensions: 1
	// Flat values shape: [6 2]
	// tf.Tensor(
	// [[1 3]
	//  [0 0]
	//  [1 3]
	//  [5 3]
	//  [3 3]
	//  [1 2]], shape=(6, 2), dtype=int32)
}

// Uniform dimensions above ragged ones are partitions with a row length.
func Example_guideUniformOuter() {
	inner := check(ragged.New(numbers(10, 20), nil, check(ragged.FromRowSplits([]int64{0, 3, 5, 9, 10}))))
	t := check(ragged.Wrap(inner, check(ragged.FromUniformRowLength(2, 4))))
	print(t)
	fmt.Println("Shape:", t.Shape())
	fmt.Println("Number of partitioned dimensions:", t.RaggedRank())
	// Output:
	// <tf.RaggedTensor [[[10, 11, 12], [13, 14]],
	//  [[15, 16, 17, 18], [19]]]>
	// Shape: [2 2 -1]
	// Number of partitioned dimensions: 2
}

// Broadcasting: shapes that fit. See num.Add; Zip does the same with any function.
func Example_guideBroadcasting() {
	x := check(ragged.FromSlices[int32]([][]int32{{1, 2}, {3}}))
	print(check(num.Add(x, ragged.Scalar[int32](3))))

	x = check(ragged.FromSlices[int32]([][]int32{{10, 87, 12}, {19, 53}, {12, 32}}))
	y := check(ragged.Dense([]int32{1000, 2000, 3000}, 3, 1))
	print(check(num.Add(x, y)))

	x = check(ragged.FromSlices[int32]([][][]int32{{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}}}, 2))
	print(check(num.Add(x, check(ragged.Dense([]int32{10}, 1, 1)))))

	x = check(ragged.FromSlices[int32]([][][][]int32{{{{1}, {2}}, {}, {{3}}, {{4}}}, {{{5}, {6}}, {{7}}}}, 1))
	print(check(num.Add(x, ragged.Vector[int32](10, 20, 30))))
	// Output:
	// <tf.RaggedTensor [[4, 5], [6]]>
	// <tf.RaggedTensor [[1010, 1087, 1012], [2019, 2053], [3012, 3032]]>
	// <tf.RaggedTensor [[[11, 12],
	//   [13, 14],
	//   [15, 16]], [[17, 18]]]>
	// <tf.RaggedTensor [[[[11, 21, 31],
	//    [12, 22, 32]], [], [[13, 23, 33]], [[14, 24, 34]]],
	//  [[[15, 25, 35],
	//    [16, 26, 36]], [[17, 27, 37]]]]>
}

// Broadcasting: shapes that do not fit, with the axis and the row.
func Example_guideBroadcastingErrors() {
	x := check(ragged.FromSlices[int32]([][]int32{{1, 2}, {3, 4, 5, 6}, {7}}))
	_, err := num.Add(x, check(ragged.Dense(numbers(1, 13), 3, 4)))
	fmt.Println(err) // trailing dimensions do not match

	x = check(ragged.FromSlices[int32]([][]int32{{1, 2, 3}, {4}, {5, 6}}))
	_, err = num.Add(x, check(ragged.FromSlices[int32]([][]int32{{10, 20}, {30, 40}, {50}})))
	fmt.Println(err) // ragged dimensions do not match

	pairs := check(ragged.FromSlices[int32]([][][]int32{{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}}}))
	triples := check(ragged.FromSlices[int32]([][][]int32{{{1, 2, 0}, {3, 4, 0}, {5, 6, 0}}, {{7, 8, 0}, {9, 10, 0}}}))
	_, err = num.Add(pairs, triples)
	fmt.Println(err) // the innermost dimensions do not match
	// Output:
	// add: ragged: values do not fit the shape: broadcast: axis 1, row 0: lengths 2 and 4
	// add: ragged: values do not fit the shape: broadcast: axis 1, row 0: lengths 3 and 2
	// add: ragged: values do not fit the shape: broadcast: axis 2, row 0: lengths 2 and 3
}

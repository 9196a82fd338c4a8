package nn_test

import (
	"fmt"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/nn"
	"github.com/tfparse/tfparse/ragged/num"
	"github.com/tfparse/tfparse/ragged/shape"
	"github.com/tfparse/tfparse/ragged/text"
)

func check[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// The use case of TensorFlow's guide to ragged tensors: the mean embedding of the words
// and the pairs of words of queries of any length. Instead of the guide's random table it uses a
// table of fixed numbers, so that the result is always the same.
func Example_guideUseCase() {
	queries := check(ragged.FromSlices[string]([][]string{
		{"Who", "is", "the", "guide"},
		{"Pause"},
		{"Will", "it", "rain", "later", "today"},
	}))
	// A table of 1024 embeddings of four numbers.
	const buckets, size = 1024, 4
	cells := make([]float32, buckets*size)
	for i := range cells {
		cells[i] = float32(i*7%101) / 8
	}
	table := check(ragged.Dense(cells, buckets, size))

	// Look up the embedding of each word.
	words := check(nn.Lookup(table, check(text.HashBucketFast(queries, buckets)), nil))

	// Markers at the beginning and the end of each query.
	column := check(shape.New([]int{queries.Len(), 1}))
	marker := check(shape.Fill(column, "#"))
	padded := check(ragged.Concat(1, marker, queries, marker))

	// Pairs of words, and their embeddings.
	pairs := check(text.Join("+", check(padded.Index(ragged.SliceAll(), ragged.SliceTo(-1))), check(padded.Index(ragged.SliceAll(), ragged.SliceFrom(1)))))
	fmt.Println(pairs.String())
	pairEmbeddings := check(nn.Lookup(table, check(text.HashBucketFast(pairs, buckets)), nil))

	// The mean of all embeddings of each query.
	all := check(ragged.Concat(1, words, pairEmbeddings))
	fmt.Println(check(all.RowLengths(1)).String())
	fmt.Println(check(num.Mean[float32](all, num.Over(1))).String())
	// Output:
	// <tf.RaggedTensor [[b'#+Who', b'Who+is', b'is+the', b'the+guide', b'guide+#'],
	//  [b'#+Pause', b'Pause+#'],
	//  [b'#+Will', b'Will+it', b'it+rain', b'rain+later', b'later+today',
	//   b'today+#']                                                      ]>
	// tf.Tensor([ 9  3 11], shape=(3,), dtype=int64)
	// tf.Tensor(
	// [[7.0555553 7.9305553 6.        6.875    ]
	//  [7.1666665 8.041667  8.916667  9.791667 ]
	//  [5.5454545 6.4204545 7.2954545 7.0227275]], shape=(3, 4), dtype=float32)
}

func ExampleLookup() {
	table := check(ragged.Dense([]float32{0, 1, 10, 11, 20, 21}, 3, 2))
	ids := check(ragged.FromSlices[int64]([][]int64{{1, 0, 2}, {}, {1}}))
	fmt.Println(check(nn.Lookup(table, ids, nil)).String())
	// Output:
	// <tf.RaggedTensor [[[10.0, 11.0],
	//   [0.0, 1.0],
	//   [20.0, 21.0]], [], [[10.0, 11.0]]]>
}

func ExampleLookupRows() {
	table := check(ragged.Dense([]float32{0, 1, 10, 11, 20, 21}, 3, 2))
	ids := check(ragged.FromSlices[int64]([][]int64{{1, 0, 2}, {}, {1}}))
	fmt.Println(check(nn.LookupRows(table, ids, nil)).String())
	weights := check(ragged.New([]float32{1, 1, 2, 3}, nil, ids.Partitions()...))
	fmt.Println(check(nn.LookupRows(table, ids, &nn.RowsOptions[float32]{Combiner: nn.Sum, Weights: &weights})).String())
	// Output:
	// tf.Tensor(
	// [[10. 11.]
	//  [ 0.  0.]
	//  [10. 11.]], shape=(3, 2), dtype=float32)
	// tf.Tensor(
	// [[50. 54.]
	//  [ 0.  0.]
	//  [30. 33.]], shape=(3, 2), dtype=float32)
}

func ExampleSafeLookupRows() {
	table := check(ragged.Dense([]float32{0, 1, 10, 11, 20, 21}, 3, 2))
	ids := check(ragged.FromSlices[int64]([][]int64{{1, -1, 2}, {}, {-1}}))
	fmt.Println(check(nn.SafeLookupRows(table, ids, 0, nil)).String()) // a row without IDs gets the embedding of ID 0
	// Output:
	// tf.Tensor(
	// [[15. 16.]
	//  [ 0.  1.]
	//  [ 0.  1.]], shape=(3, 2), dtype=float32)
}

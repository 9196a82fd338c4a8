package shape_test

import (
	"fmt"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/shape"
)

// The examples named guide are those of TensorFlow's guide to the shapes of ragged
// tensors, with what TensorFlow 2.21 prints.

func check[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// print writes values as TensorFlow does.
func print(all ...fmt.Stringer) {
	for _, x := range all {
		fmt.Println(x.String())
	}
}

// The static shape shows which axes are ragged, the dynamic shape also the lengths of their rows.
func Example_guideShape() {
	x := check(ragged.FromSlices[int32]([][]int32{{1}, {2, 3, 4}, {}, {5, 6}}))
	fmt.Println(x.Shape()) // (4, None)
	print(shape.Of(x))
	// Output:
	// [4 -1]
	// <DynamicRaggedShape lengths=[4, (1, 3, 0, 2)] num_row_partitions=1>
}

// A tensor of a shape.
func Example_guideMake() {
	s := shape.Of(check(ragged.FromSlices[int32]([][]int32{{1}, {2, 3, 4}, {}, {5, 6}})))
	letters := check(ragged.Dense([]string{"a", "b", "c", "d", "e", "f"}, 3, 2))
	print(check(shape.Reshape(letters, s)))
	print(check(shape.Zeros[float32](s)), check(shape.Fill[float32](s, 1)), check(shape.Fill(s, "x")))
	// Output:
	// <tf.RaggedTensor [[b'a'], [b'b', b'c', b'd'], [], [b'e', b'f']]>
	// <tf.RaggedTensor [[0.0], [0.0, 0.0, 0.0], [], [0.0, 0.0]]>
	// <tf.RaggedTensor [[1.0], [1.0, 1.0, 1.0], [], [1.0, 1.0]]>
	// <tf.RaggedTensor [[b'x'], [b'x', b'x', b'x'], [], [b'x', b'x']]>
}

// Sizes of axes: only a uniform axis has one.
func Example_guideSizes() {
	s := shape.Of(check(ragged.FromSlices[int32]([][]int32{{1}, {2, 3, 4}, {}, {5, 6}})))
	fmt.Println(s.Size(0))
	_, err := s.Size(1)
	fmt.Println(err)
	print(check(s.Slice(0, 1)))
	// Output:
	// 4 <nil>
	// ragged: values do not fit the shape: axis 1 is ragged
	// <DynamicRaggedShape lengths=[4] num_row_partitions=0>
}

// Encodings of shapes.
func Example_guideEncoding() {
	print(check(shape.FromLengths(shape.Uniform(4), shape.Ragged(1, 3, 0, 2))))
	print(check(shape.FromLengths(shape.Uniform(4), shape.Ragged(1, 3, 0, 2), shape.Uniform(8))))
	print(check(shape.New([]int{10, 8}, check(ragged.FromRowLengths([]int64{5, 3, 2})))))
	print(check(shape.FromLengths()))
	// Output:
	// <DynamicRaggedShape lengths=[4, (1, 3, 0, 2)] num_row_partitions=1>
	// <DynamicRaggedShape lengths=[4, (1, 3, 0, 2), 8] num_row_partitions=1>
	// <DynamicRaggedShape lengths=[3, (5, 3, 2), 8] num_row_partitions=1>
	// <DynamicRaggedShape lengths=[] num_row_partitions=0>
}

// Broadcasting of shapes.
func Example_guideBroadcast() {
	x := check(ragged.FromSlices[int32]([][]int32{{1}, {2, 3}, {4, 5, 6}}))
	print(check(shape.Broadcast(shape.Of(x), check(shape.FromLengths(shape.Uniform(3), shape.Uniform(1))))))
	print(check(shape.BroadcastTo(ragged.Scalar[int32](3), check(shape.FromLengths(shape.Uniform(3), shape.Ragged(1, 0, 2))))))
	column := check(ragged.Dense([]int32{10, 20, 30}, 3, 1))
	print(check(shape.BroadcastTo(column, check(shape.FromLengths(shape.Uniform(3), shape.Ragged(3, 0, 2))))))
	// Output:
	// <DynamicRaggedShape lengths=[3, (1, 2, 3)] num_row_partitions=1>
	// <tf.RaggedTensor [[3], [], [3, 3]]>
	// <tf.RaggedTensor [[10, 10, 10], [], [30, 30]]>
}

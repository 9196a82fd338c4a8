package shape_test

import (
	"fmt"
	"log"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/shape"
)

func Example() {
	x, err := ragged.FromSlices[int32]([][]int32{{1}, {2, 3, 4}, {}, {5, 6}})
	if err != nil {
		log.Fatal(err)
	}
	s := shape.Of(x)
	fmt.Println(s)

	letters, err := ragged.Dense([]string{"a", "b", "c", "d", "e", "f"}, 3, 2)
	if err != nil {
		log.Fatal(err)
	}
	reshaped, err := shape.Reshape(letters, s)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(reshaped)
	zeros, err := shape.Zeros[float32](s)
	fmt.Println(zeros, err)
	filled, err := shape.Fill(s, "x")
	fmt.Println(filled, err)
	// Output:
	// <DynamicRaggedShape lengths=[4, (1, 3, 0, 2)] num_row_partitions=1>
	// [['a'], ['b', 'c', 'd'], [], ['e', 'f']]
	// [[0.000000], [0.000000, 0.000000, 0.000000], [], [0.000000, 0.000000]] <nil>
	// [['x'], ['x', 'x', 'x'], [], ['x', 'x']] <nil>
}

func ExampleShape_Size() {
	s, err := shape.FromLengths(shape.Uniform(4), shape.Ragged(1, 3, 0, 2))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Size(0))
	_, err = s.Size(1)
	fmt.Println(err)
	// Output:
	// 4 <nil>
	// ragged: values do not fit the shape: axis 1 is ragged
}

func ExampleBroadcast() {
	a, err := shape.FromLengths(shape.Uniform(2), shape.Ragged(2, 3), shape.Uniform(1))
	if err != nil {
		log.Fatal(err)
	}
	b, err := shape.FromLengths(shape.Uniform(5))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(shape.Broadcast(a, b))
	// Output: <DynamicRaggedShape lengths=[2, (2, 3), 5] num_row_partitions=1> <nil>
}

package dataset_test

import (
	"fmt"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/array"
)

// seed is the data of TensorFlow's guide: a structure of two ragged tensors.
type seed struct {
	colors  ragged.Tensor[string]
	lengths ragged.Tensor[int64]
}

var (
	colors  = dataset.Tensor("colors", func(s *seed) *ragged.Tensor[string] { return &s.colors }, dataset.Spec{})
	lengths = dataset.Tensor("lengths", func(s *seed) *ragged.Tensor[int64] { return &s.lengths }, dataset.Spec{})
)

func seedData() dataset.Dataset[seed] {
	c, err := ragged.FromSlices[string]([][]string{{"red", "blue"}, {"orange"}, {"black", "yellow"}, {"green"}})
	if err != nil {
		panic(err)
	}
	l, err := ragged.FromSlices[int64]([][]int64{{7}, {}, {1, 3}, {3, 5, 2}})
	if err != nil {
		panic(err)
	}
	return dataset.SlicesOf(seed{c, l}, colors, lengths)
}

func ExampleSlicesOf() {
	for e, err := range seedData().All() {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.colors, e.lengths)
	}
	// Output:
	// ['red', 'blue'] [7]
	// ['orange'] []
	// ['black', 'yellow'] [1, 3]
	// ['green'] [3, 5, 2]
}

func ExampleDataset_Batch() {
	for e, err := range seedData().Batch(2, nil).All() {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.colors, e.lengths)
	}
	// Output:
	// [['red', 'blue'], ['orange']] [[7], []]
	// [['black', 'yellow'], ['green']] [[1, 3], [3, 5, 2]]
}

func ExampleDataset_Unbatch() {
	d := seedData().Batch(3, nil).Unbatch().Take(2)
	for e, err := range d.All() {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.colors, e.lengths)
	}
	// Output:
	// ['red', 'blue'] [7]
	// ['orange'] []
}

func ExampleDataset_Batch_ragged() {
	sizes := dataset.Slices(ragged.Vector[int32](1, 5, 3, 2, 8))
	ranges := dataset.Map(sizes, func(n ragged.Tensor[int32]) (ragged.Tensor[int32], error) {
		rows, err := array.RangeTo(ragged.Vector(n.Item()))
		if err != nil {
			return rows, err
		}
		return rows.Row(0), nil
	}).WithComponents(dataset.Element[int32](dataset.DenseSpec(-1)))
	for e, err := range ranges.Batch(2, &dataset.BatchOptions{Ragged: true}).All() {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%.10v\n", e)
	}
	// Output:
	// [[0], [0, 1, 2, 3, 4]]
	// [[0, 1, 2], [0, 1]]
	// [[0, 1, 2, 3, 4, 5, 6, 7]]
}

func ExampleMap() {
	type out struct {
		mean   int64
		ranges ragged.Tensor[int64]
	}
	d := dataset.Map(seedData(), func(s seed) (out, error) {
		sum := int64(0)
		for _, n := range s.lengths.Values() {
			sum += n
		}
		ranges, err := array.RangeTo(s.lengths)
		return out{sum / max(int64(s.lengths.Size()), 1), ranges}, err
	})
	for e, err := range d.All() {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d %.10v\n", e.mean, e.ranges)
	}
	// Output:
	// 7 [[0, 1, 2, 3, 4, 5, 6]]
	// 0 []
	// 2 [[0], [0, 1, 2]]
	// 3 [[0, 1, 2], [0, 1, 2, 3, 4], [0, 1]]
}

func ExampleDataset_Filter() {
	d := seedData().Filter(func(s seed) (bool, error) { return s.lengths.Len() > 1, nil })
	for e, err := range d.All() {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.colors)
	}
	// Output:
	// ['black', 'yellow']
	// ['green']
}

package layout_test

import (
	"fmt"
	"log"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/layout"
)

func ExampleParse() {
	s, err := layout.Parse("f32[3,5]{0,1:T(2,2)}")
	if err != nil {
		fmt.Println(err)
		return
	}
	n, err := s.BufferElements()
	if err != nil {
		log.Fatal(err)
	}
	at, err := s.Linear(2, 3)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Sizes(), s.Layout().MinorToMajor, n, at)
	// Output: [3 5] [0 1] 24 14
}

// The document's example: a b c / d e f, with dimension 0 minor and padded to
// [3,5].
func ExampleRelayout() {
	rows, err := layout.Parse("u8[2,3]{1,0}")
	if err != nil {
		log.Fatal(err)
	}
	columns, err := layout.Parse("u8[2,3]{0,1}")
	if err != nil {
		log.Fatal(err)
	}
	padded, err := columns.WithPadding(3, 5)
	if err != nil {
		log.Fatal(err)
	}
	dst := make([]byte, 15)
	if err := layout.Relayout(dst, padded, []byte("abcdef"), rows, '.'); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%s %v\n", dst, padded)
	// Output: ad.be.cf....... u8[2,3]{0,1:T(5,3)}
}

// A ragged batch is written directly into a time-major buffer.
func ExampleShape_Strides() {
	batch, err := ragged.FromSlices[int64]([][]int64{{1, 2}, {}, {3}})
	if err != nil {
		log.Fatal(err)
	}
	sizes := batch.DenseShape()
	box, err := layout.Array(layout.S64, layout.Layout{MinorToMajor: []int{0, 1}}, layout.Dim{Size: int64(sizes[0])}, layout.Dim{Size: int64(sizes[1])})
	if err != nil {
		log.Fatal(err)
	}
	strides, err := box.Strides()
	if err != nil {
		log.Fatal(err)
	}
	dst := make([]int64, sizes[0]*sizes[1])
	if err := batch.WriteDense(dst, sizes, strides, 0); err != nil {
		fmt.Println(err)
	}
	fmt.Println(box, dst)
	// Output: s64[3,2]{0,1} [1 0 3 2 0 0]
}

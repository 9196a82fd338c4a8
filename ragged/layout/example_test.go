package layout_test

import (
	"fmt"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/layout"
)

func ExampleParse() {
	s, err := layout.Parse("f32[3,5]{0,1:T(2,2)}")
	if err != nil {
		fmt.Println(err)
		return
	}
	n, _ := s.BufferElements()
	at, _ := s.Linear(2, 3)
	fmt.Println(s.Sizes(), s.Layout().MinorToMajor, n, at)
	// Output: [3 5] [0 1] 24 14
}

// The document's example: a b c / d e f, with dimension 0 minor and padded to
// [3,5].
func ExampleRelayout() {
	rows, _ := layout.Parse("u8[2,3]{1,0}")
	columns, _ := layout.Parse("u8[2,3]{0,1}")
	padded, _ := columns.WithPadding(3, 5)
	dst := make([]byte, 15)
	if err := layout.Relayout(dst, padded, []byte("abcdef"), rows, '.'); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%s %v\n", dst, padded)
	// Output: ad.be.cf....... u8[2,3]{0,1:T(5,3)}
}

// A ragged batch written straight into a time-major box.
func ExampleShape_Strides() {
	batch, _ := ragged.FromSlices[int64]([][]int64{{1, 2}, {}, {3}})
	sizes := batch.DenseShape()
	box, _ := layout.Array(layout.S64, layout.Ascending(2), layout.Dim{Size: int64(sizes[0])}, layout.Dim{Size: int64(sizes[1])})
	strides, _ := box.Strides()
	dst := make([]int64, sizes[0]*sizes[1])
	if err := batch.WriteDense(dst, sizes, strides, 0); err != nil {
		fmt.Println(err)
	}
	fmt.Println(box, dst)
	// Output: s64[3,2]{0,1} [1 0 3 2 0 0]
}

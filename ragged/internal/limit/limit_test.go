package limit

import (
	"math"
	"strconv"
	"testing"
)

func TestValues(t *testing.T) {
	const some = 2 * Free / 8 / Ratio // number of values of operands that allow 2*Free bytes
	for _, test := range []struct {
		why   string
		given int
		sizes []int
		want  int // -1: too many
	}{
		{"no sizes are a scalar", 0, nil, 1},
		{"nothing, however large the others", 0, []int{math.MaxInt, 0, math.MaxInt}, 0},
		{"as much as is free", 0, []int{Free / 8}, Free / 8},
		{"a value more", 0, []int{Free/8 + 1}, -1},
		{"in proportion to the operands", some, []int{some, Ratio}, Free / 4},
		{"beyond the proportion", some, []int{some + 1, Ratio}, -1},
		{"a product that overflows to 0", 0, []int{1 << (strconv.IntSize - 2), 4}, -1},
		{"a product that overflows to little", 0, []int{math.MaxInt, math.MaxInt}, -1},
		{"a size that overflowed", some, []int{-1}, -1},
		{"operands beyond all counting", math.MaxInt, []int{math.MaxInt / 16}, math.MaxInt / 16},
		{"more than can be counted", math.MaxInt, []int{math.MaxInt/16 + 1}, -1},
	} {
		got, err := Values[int64](test.given, test.sizes...)
		if err != nil {
			got = -1
		}
		if got != test.want {
			t.Errorf("%s: Values(%d, %v) = %d, %v; want %d", test.why, test.given, test.sizes, got, err, test.want)
		}
	}
	if n, err := Values[[1 << 20]byte](0, Free>>20+1); err == nil {
		t.Errorf("large values: %d of them", n)
	}
	if n, err := Values[struct{}](0, Free-1); err != nil || n != Free-1 {
		t.Errorf("values without memory: %d, %v", n, err)
	}
}

package feature_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/feature"
)

// TestHugeSteps has empty steps where the spec requires values whose size in bytes does not fit an int of 32 bits.
// It is for GOARCH=386.
func TestHugeSteps(t *testing.T) {
	field := func(tag byte, s string) string { return string([]byte{tag, byte(len(s))}) + s }
	for steps := range 12 {
		list := strings.Repeat("\x0a\x04\x12\x02\x0a\x00", steps)
		record := field(0x12, field(0x0a, "\x0a\x01a"+field(0x12, list)))
		for _, n := range []int{1<<27 - 1, 1 << 27, 1<<29 - 1, 1 << 29, 1<<29 + 1, 1 << 30, 1<<30 + 1, math.MaxInt32} {
			p, err := feature.NewParser(feature.Spec{Sequence: feature.Features{
				"a": feature.FixedLenSequence{DType: feature.Float32, Shape: []int{n}},
			}}, nil)
			if n > math.MaxInt/16 { // more than a tensor may have if int has 32 bits
				if _, ok := errors.AsType[*feature.SpecError](err); !ok {
					t.Errorf("a spec of %d values: error %v", n, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.Parse([]byte(record))
			if fe, ok := errors.AsType[*feature.Error](err); ok != (steps > 0) || ok && !strings.Contains(fe.Error(), "step 0: wrong number of values") {
				t.Errorf("%d steps of %d values: error %v", steps, n, err)
			}
		}
	}
}

package flatten

import (
	"math"

	"github.com/tfparse/tfparse/feature"
)

// A Sum is a checksum of the columns of a batch that does not depend on padding. It adds up the values of each
// type, the lengths of strings, and the row splits of every ragged column. The bits of a float count as an integer.
type Sum struct {
	Ints   int64 `json:"ints"`
	Floats int64 `json:"floats"`
	Bytes  int64 `json:"bytes"`
	Splits int64 `json:"splits"`
}

func (s *Sum) ints(v []int64) {
	for _, x := range v {
		s.Ints += x
	}
}

func (s *Sum) floats(v []float32) {
	for _, x := range v {
		s.Floats += int64(int32(math.Float32bits(x)))
	}
}

func (s *Sum) splits(v []int64) {
	for _, x := range v {
		s.Splits += x
	}
}

// AddColumns adds the columns of a batch of package feature.
func (s *Sum) AddColumns(columns feature.Columns) {
	for _, c := range columns.All() {
		c := c.Ragged()
		if v, ok := feature.FlatOf[int64](c); ok {
			s.ints(v)
		}
		if v, ok := feature.FlatOf[float32](c); ok {
			s.floats(v)
		}
		if v, ok := feature.FlatOf[string](c); ok {
			for _, x := range v {
				s.Bytes += int64(len(x))
			}
		}
		if _, ok := c.Spec().(feature.Ragged); ok {
			for i := range c.RaggedRank() {
				splits, _ := c.Splits(i)
				s.splits(splits)
			}
		}
	}
}

// Add adds the columns of a flattener.
func (s *Sum) Add(f *Flattener) {
	for _, cs := range [][]column{f.features, f.lists} {
		for i := range cs {
			c := &cs[i]
			s.ints(c.ints)
			s.floats(c.floats)
			for _, x := range c.strings {
				s.Bytes += int64(len(x))
			}
			if c.ragged {
				for _, l := range c.levels {
					s.splits(l)
				}
			}
		}
	}
}

package stats

import (
	"github.com/tfparse/tfparse/validate/internal/numbers"
	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// A spare is memory of columns that were merged, for those of the next Fresh.
type spare struct {
	numbers numbers.Spare
	labels  sketch.Spare
}

// spareShare is the part of the memory that may be kept.
const spareShare = 32

func (s *spare) bytes() int { return s.numbers.Bytes() + s.labels.Bytes() }

// keep takes memory of a column, which must not be used any more, if there are at most so many bytes of it then.
func (s *spare) keep(c *column, most int) {
	if c.numbers != nil {
		s.numbers.Keep(c.numbers.values, most-s.labels.Bytes())
	}
	if c.labels != nil {
		s.labels.Keep(c.labels.counts, most-s.numbers.Bytes())
	}
}

// give gives a column, which is empty, memory that was kept.
func (s *spare) give(c *column) {
	if c.numbers != nil {
		s.numbers.Give(c.numbers.values)
	}
	if c.labels != nil {
		s.labels.Give(c.labels.counts)
	}
}

// reuse keeps memory of columns of o that were merged. The first column will be given what is kept last.
func (a *Accumulator) reuse(o *Accumulator) {
	for i := len(o.all.features) - 1; i >= 0; i-- {
		for _, c := range o.all.features[i].kinds {
			if c != nil {
				a.spare.keep(c, int(a.opts.Memory/spareShare))
			}
		}
	}
}

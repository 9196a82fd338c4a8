package record

import (
	"math"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	domains "github.com/tfparse/tfparse/validate/internal/domain"
)

// A constraint is what the fast path checks of the features of one name.
type constraint struct {
	tag         byte // of the list; 0: of any kind
	never       bool // it must not be there
	skipped     bool // its values do not matter
	required    bool
	numbers     bool           // its values are kept for links
	linked      bool           // how many they are is kept for links and groups
	ranged      bool           // its numbers have a range
	noNaN       bool           // and no NaN
	zeroOrOne   bool           // its floats
	worded      bool           // its strings are checked
	slow        bool           // the slow path checks it
	check       *domains.Check // of its integers; nil: none
	least, most int64          // values in a feature, or in a step
	low, high   int64
	from, to    float32
	steps       bounds // of a feature list
	entry       *entry
}

// constraint returns the constraint of an entry. level is that of the values in a feature.
func (e *entry) constraint(closed bool, level int) constraint {
	c := constraint{
		never: e.outside || e.unknown && closed, required: e.required, numbers: e.numbers, linked: e.numbers || e.lengthsOnly,
		most: math.MaxInt64, steps: bounds{0, math.MaxInt64}, entry: e,
	}
	if e.ignored {
		c.skipped = !c.linked
		return c
	}
	if e.kind != example.Unset {
		c.tag = byte(e.kind)<<3 | 2
	}
	if level < len(e.counts) {
		c.least, c.most = e.counts[level].min, e.counts[level].max
	}
	if e.dim > 0 {
		c.least, c.most = max(c.least, e.dim), min(c.most, e.dim)
	}
	c.slow = e.sequences != nil
	switch {
	case level == 0 && e.fixed >= 0:
		c.least, c.most = max(c.least, e.fixed), min(c.most, e.fixed)
	case level == 1:
		if len(e.counts) > 0 {
			c.steps = e.counts[0]
		}
		if e.fixed >= 0 {
			c.steps = bounds{max(c.steps.min, e.fixed), min(c.steps.max, e.fixed)}
		}
	}
	switch e.domain {
	case intRange:
		c.ranged, c.low, c.high = e.ints != unbounded, e.ints.min, e.ints.max
	case boolInts:
		c.ranged, c.low, c.high = true, 0, 1
	case floatRange:
		c.ranged, c.from, c.to, c.noNaN = true, e.low, e.high, e.noNaN
		if e.noInf {
			c.from, c.to = max(c.from, -math.MaxFloat32), min(c.to, math.MaxFloat32)
		}
	case boolFloats:
		c.ranged, c.zeroOrOne = true, true
	case oneOf, intStrings, floatStrings:
		c.worded = true
	case semantic:
		if c.worded = !e.values.Ints(); !c.worded {
			c.ranged, c.low, c.high, c.check = true, math.MinInt64, math.MaxInt64, e.values
		}
	}
	return c
}

// list checks the steps of the feature list b[i:].
func (c *constraint) list(s *scratch, b []byte, i int) bool {
	steps := int64(0)
	for ; i < len(b); steps++ {
		lo, hi, ok := canonical.Message(b, i, canonical.Tag1)
		if !ok {
			return false
		}
		n := 0
		if lo < hi {
			if n, ok = c.feature(s, b[:hi], lo); !ok {
				return false
			}
		}
		if c.linked {
			f := cell{n: int64(n)}
			if c.numbers {
				f.lo, f.hi = len(s.kept)-n, len(s.kept)
			}
			s.cells = append(s.cells, f)
		}
		i = hi
	}
	return steps >= c.steps.min && steps <= c.steps.max
}

// int reports whether a number is in the range, and passes the check.
func (c *constraint) int(x int64) bool {
	return x >= c.low && x <= c.high && (c.check == nil || c.check.FitsInt(x))
}

// allIn reports whether numbers are in the range.
func (c *constraint) allIn(v []int64) bool {
	for _, x := range v {
		if !c.int(x) {
			return false
		}
	}
	return true
}

func (c *constraint) allFloatsIn(v []float32) bool {
	for _, x := range v {
		if !c.float(x) {
			return false
		}
	}
	return true
}

// feature checks the Feature b[i:], which is not empty, and returns how many values it
// has.
func (c *constraint) feature(s *scratch, b []byte, i int) (n int, ok bool) {
	tag := b[i]
	switch {
	case c.slow:
	case tag != c.tag && c.tag != 0:
	case !c.numbers && !c.ranged && !c.worded:
		_, n, ok = canonical.Count(b, i)
	case tag == canonical.Int64Tag:
		n, ok = c.ints(s, b, i)
	case c.numbers:
	case tag == canonical.FloatTag:
		n, ok = c.floats(s, b, i)
	case tag == canonical.BytesTag:
		n, ok = c.bytes(b, i)
	}
	return n, ok && int64(n) >= c.least && int64(n) <= c.most
}

func (c *constraint) ints(s *scratch, b []byte, i int) (n int, ok bool) {
	if v, ok := canonical.Int64(b, i); ok {
		if c.numbers {
			s.kept = append(s.kept, v)
		}
		return 1, !c.ranged || c.int(v)
	}
	if cap(s.ints) < len(b)-i { // as many values there may be
		s.ints = make([]int64, 0, len(b)-i)
	}
	if s.ints, ok = canonical.AppendInt64s(s.ints[:0], b, i); !ok {
		return 0, false
	}
	if c.ranged && !c.allIn(s.ints) {
		return 0, false
	}
	if c.numbers {
		s.kept = append(s.kept, s.ints...)
	}
	return len(s.ints), true
}

func (c *constraint) floats(s *scratch, b []byte, i int) (n int, ok bool) {
	if v, ok := canonical.Float(b, i); ok {
		return 1, !c.ranged || c.float(v)
	}
	if s.floats, ok = canonical.AppendFloats(s.floats[:0], b, i); !ok {
		return 0, false
	}
	return len(s.floats), !c.ranged || c.allFloatsIn(s.floats)
}

func (c *constraint) float(v float32) bool {
	if c.zeroOrOne {
		return v == 0 || v == 1
	}
	return !(v < c.from || v > c.to || c.noNaN && v != v)
}

func (c *constraint) bytes(b []byte, i int) (n int, ok bool) {
	if v, ok := canonical.Bytes(b, i); ok {
		return 1, !c.worded || c.entry.word(v) == good
	}
	i, ok = canonical.List(b, i)
	for ; ok && i < len(b); n++ {
		var lo, hi int
		lo, hi, ok = canonical.Message(b, i, canonical.Tag1)
		if ok && c.worded {
			ok = c.entry.word(b[lo:hi]) == good
		}
		i = hi
	}
	return n, ok
}

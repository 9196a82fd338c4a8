package stats

import (
	"math"

	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// A level counts the lists of one level of nesting. A short list costs one increment.
type level struct {
	lengths  lengthCounts
	long     extent // of lists that are not short: lengthCounts has that of the others
	weighted weightedLevel
}

// An extent sums up lists: how many there are, their values, and the lengths of the shortest and of the longest.
type extent struct{ present, values, least, most uint64 }

type weightedLevel struct{ present, values sketch.Sum }

// add counts a list of n values, or lists, of a record of weight w.
func (l *level) add(n int, w float64, weighted bool) {
	if n < len(l.lengths.short) {
		l.lengths.short[n]++
	} else {
		l.addSlow(n)
	}
	if weighted {
		l.weighted.present.Add(w)
		l.weighted.values.AddProduct(w, float64(n))
	}
}

// addSlow counts a list that is long, or longer than those before.
func (l *level) addSlow(n int) {
	l.lengths.add(n)
	if n >= shortLength {
		v := uint64(n)
		l.long.merge(extent{1, v, v, v})
	}
}

func (e *extent) merge(o extent) {
	if o.present == 0 {
		return
	}
	if e.present == 0 || o.least < e.least {
		e.least = o.least
	}
	e.most = max(e.most, o.most)
	e.present += o.present
	e.values += o.values
}

// extent is that of all lists.
func (l *level) extent() (e extent) {
	for i, n := range l.lengths.short {
		if v := uint64(i); n > 0 {
			e.merge(extent{n, v * n, v, v})
		}
	}
	e.merge(l.long)
	return e
}

func (l *level) merge(o *level) {
	l.lengths.merge(&o.lengths)
	l.long.merge(o.long)
	l.weighted.present.Merge(o.weighted.present)
	l.weighted.values.Merge(o.weighted.values)
}

// commonCounts counts in how many records a feature is present, and how many values it has, at each level of nesting:
// one level for a list, two for a feature list.
type commonCounts struct {
	levels []level // outermost first; none before the first record
	inner  *level  // values of each record in all its steps; nil for lists that are not nested
}

// deepen makes at least n levels.
func (c *commonCounts) deepen(n int) {
	for k := len(c.levels); k < n; k++ {
		if k < cap(c.levels) {
			c.levels = c.levels[:k+1] // which may have memory for lengths
		} else {
			c.levels = append(c.levels, level{})
		}
	}
}

// addList counts a list of n values.
func (c *commonCounts) addList(n int, w float64, weighted bool) {
	if len(c.levels) == 0 {
		c.deepen(1)
	}
	c.levels[0].add(n, w, weighted)
}

// addSteps counts a list of steps, and the lists in them.
func (c *commonCounts) addSteps(steps []int32, w float64, weighted bool) {
	if len(c.levels) == 0 {
		c.deepen(2)
	}
	total := 0
	c.levels[0].add(len(steps), w, weighted)
	for _, n := range steps {
		if n >= 0 {
			c.levels[1].add(int(n), w, weighted)
			total += int(n)
		}
	}
	if c.inner == nil {
		c.inner = &level{}
	}
	c.inner.add(total, w, weighted)
}

func (c *commonCounts) merge(o *commonCounts) {
	c.deepen(len(o.levels))
	for i := range o.levels {
		c.levels[i].merge(&o.levels[i])
	}
	if o.inner != nil {
		if c.inner == nil {
			c.inner = &level{}
		}
		c.inner.merge(o.inner)
	}
}

// reset makes c empty. It keeps memory for short lists.
func (c *commonCounts) reset() {
	for i := range c.levels {
		short := c.levels[i].lengths.short
		clear(short)
		c.levels[i] = level{lengths: lengthCounts{short: short[:0]}}
	}
	c.levels, c.inner = c.levels[:0], nil
}

// present is the number of records with the feature, or of lists at the outermost level.
func (c *commonCounts) present() uint64 {
	if len(c.levels) == 0 {
		return 0
	}
	return c.levels[0].extent().present
}

// values is how many values there are.
func (c *commonCounts) values() uint64 {
	if len(c.levels) == 0 {
		return 0
	}
	return c.levels[len(c.levels)-1].extent().values
}

// perRecord is the level that counts the values of each record.
func (c *commonCounts) perRecord() *level {
	if c.inner == nil {
		return &c.levels[0]
	}
	return c.inner
}

// lengthCounts counts lists by their length: short ones in an array, long ones in a KLL sketch, which is exact for a few
// thousand different lengths.
type lengthCounts struct {
	short []uint64      // number of lists by length, below shortLength; grows to the longest
	long  *sketch.Ranks // lengths of all others; nil without any
}

const (
	shortLength = 128
	lengthRanks = 2048 // the size of the sketch
)

func (l *lengthCounts) add(n int) {
	if n < len(l.short) {
		l.short[n]++
		return
	}
	l.addSlow(n)
}

func (l *lengthCounts) addSlow(n int) {
	if n < shortLength {
		l.lengthen(n + 1)
		l.short[n]++
		return
	}
	if l.long == nil {
		l.long = sketch.NewRanks(lengthRanks)
	}
	l.long.Add(uint64(n))
}

// lengthen makes at least n counts of short lists.
func (l *lengthCounts) lengthen(n int) {
	if n > cap(l.short) {
		l.short = append(make([]uint64, 0, sketch.RoundUp(n)), l.short...)
	}
	l.short = l.short[:max(n, len(l.short))]
}

func (l *lengthCounts) merge(o *lengthCounts) {
	l.lengthen(len(o.short))
	for i, n := range o.short {
		l.short[i] += n
	}
	if o.long != nil {
		if l.long == nil {
			l.long = sketch.NewRanks(lengthRanks)
		}
		l.long.Merge(o.long)
	}
}

// summary returns the lengths in order.
func (l *lengthCounts) summary() sketch.Summary {
	var out sketch.Summary
	for i, n := range l.short {
		if n > 0 {
			out = out.Append(float64(i), float64(n))
		}
	}
	if l.long != nil {
		for _, r := range l.long.Runs() {
			out = out.Append(float64(r.Key), float64(r.Count))
		}
	}
	return out
}

func (l *level) appendState(b []byte) []byte {
	e := l.extent()
	for _, v := range []uint64{e.present, e.values, e.least, e.most, uint64(len(l.lengths.short))} {
		b = sketch.AppendUint(b, v)
	}
	for _, v := range l.lengths.short {
		b = sketch.AppendUint(b, v)
	}
	b = sketch.AppendBool(b, l.lengths.long != nil)
	if l.lengths.long != nil {
		b = l.lengths.long.AppendState(b)
	}
	return l.weighted.values.AppendState(l.weighted.present.AppendState(b))
}

func readLevel(in *sketch.Decoder) (l level) {
	all := extent{in.Uint(), in.Uint(), in.Uint(), in.Uint()}
	n := in.Count(1)
	if n > shortLength {
		in.Fail()
		return l
	}
	for range n {
		l.lengths.short = append(l.lengths.short, in.Uint())
	}
	short := l.extent()
	if l.long = all; all.present < short.present || all.values < short.values {
		in.Fail()
	}
	if l.long.present -= short.present; l.long.present == 0 {
		l.long = extent{}
	} else {
		l.long.values -= short.values // whose least matters only where none is short
	}
	if in.Bool() {
		l.lengths.long = in.Ranks(lengthRanks)
	}
	l.weighted.present, l.weighted.values = in.Sum(), in.Sum()
	return l
}

func (c *commonCounts) appendState(b []byte) []byte {
	b = sketch.AppendUint(b, uint64(len(c.levels)))
	for i := range c.levels {
		b = c.levels[i].appendState(b)
	}
	if len(c.levels) < 2 {
		return b
	}
	return c.inner.appendState(b)
}

func readCommon(in *sketch.Decoder) (c commonCounts) {
	n := in.Count(1)
	if n > 2 {
		in.Fail()
		return c
	}
	for range n {
		c.levels = append(c.levels, readLevel(in))
	}
	if n > 1 {
		inner := readLevel(in)
		c.inner = &inner
	}
	return c
}

// ratio is a/b, and 0 if b is 0.
func ratio(a, b float64) float64 {
	if b == 0 || math.IsNaN(b) {
		return 0
	}
	return a / b
}

package stats

import (
	"math"

	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// A level counts the lists at one level of nesting.
type level struct {
	lengths  lengthCounts
	long     extent // extent of lists with at least shortLength elements; for shorter lists it is computed from lengths
	weighted weightedLevel
}

// An extent summarizes lists: their number, the number of their elements, and the shortest and the longest length.
type extent struct{ present, values, least, most uint64 }

// A weightedLevel is the weight of lists and of their elements.
type weightedLevel struct{ present, values sketch.Sum }

// addList counts a list of n elements in a record with the weight w. Most lists are short, and cost one increment.
func (l *level) addList(n int, w float64, weighted bool) {
	if n < len(l.lengths.short) {
		l.lengths.short[n]++
	} else {
		l.addRareLength(n)
	}
	if weighted {
		l.weighted.present.Add(w)
		l.weighted.values.AddProduct(w, float64(n))
	}
}

// addRareLength counts a list that is longer than all short lists so far.
func (l *level) addRareLength(n int) {
	l.lengths.addLength(n)
	if n >= shortLength {
		v := uint64(n)
		l.long.mergeExtent(extent{1, v, v, v})
	}
}

// mergeExtent adds the lists of o.
func (e *extent) mergeExtent(o extent) {
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

// extent returns the extent of all lists.
func (l *level) extent() (e extent) {
	for i, n := range l.lengths.short {
		if v := uint64(i); n > 0 {
			e.mergeExtent(extent{n, v * n, v, v})
		}
	}
	e.mergeExtent(l.long)
	return e
}

// mergeLevel adds the lists of o.
func (l *level) mergeLevel(o *level) {
	l.lengths.mergeLengths(&o.lengths)
	l.long.mergeExtent(o.long)
	l.weighted.present.Merge(o.weighted.present)
	l.weighted.values.Merge(o.weighted.values)
}

// commonCounts counts the records with a feature, and its values, at each level of nesting: one level for a list of values, two
// for a feature list.
type commonCounts struct {
	levels []level // outermost first; empty before the first record
	inner  *level  // counts the values of each record, in all its steps together; nil for lists that are not nested
}

// growLevels adds empty levels until there are n.
func (c *commonCounts) growLevels(n int) {
	for k := len(c.levels); k < n; k++ {
		if k < cap(c.levels) {
			c.levels = c.levels[:k+1] // reuses the memory for lengths
		} else {
			c.levels = append(c.levels, level{})
		}
	}
}

// addList counts a list of n values in a record with the weight w.
func (c *commonCounts) addList(n int, w float64, weighted bool) {
	if len(c.levels) == 0 {
		c.growLevels(1)
	}
	c.levels[0].addList(n, w, weighted)
}

// addSteps counts a feature list in a record with the weight w. steps has the number of values of each step.
func (c *commonCounts) addSteps(steps []int32, w float64, weighted bool) {
	if len(c.levels) == 0 {
		c.growLevels(2)
	}
	total := 0
	c.levels[0].addList(len(steps), w, weighted)
	for _, n := range steps {
		if n >= 0 {
			c.levels[1].addList(int(n), w, weighted)
			total += int(n)
		}
	}
	if c.inner == nil {
		c.inner = &level{}
	}
	c.inner.addList(total, w, weighted)
}

// mergeCommon adds the counts of o.
func (c *commonCounts) mergeCommon(o *commonCounts) {
	c.growLevels(len(o.levels))
	for i := range o.levels {
		c.levels[i].mergeLevel(&o.levels[i])
	}
	if o.inner != nil {
		if c.inner == nil {
			c.inner = &level{}
		}
		c.inner.mergeLevel(o.inner)
	}
}

// resetCommon makes c empty. It keeps the memory for counts of short lists.
func (c *commonCounts) resetCommon() {
	for i := range c.levels {
		short := c.levels[i].lengths.short
		clear(short)
		c.levels[i] = level{lengths: lengthCounts{short: short[:0]}}
	}
	c.levels, c.inner = c.levels[:0], nil
}

// present returns the number of records with the feature.
func (c *commonCounts) present() uint64 {
	if len(c.levels) == 0 {
		return 0
	}
	return c.levels[0].extent().present
}

// values returns the number of values.
func (c *commonCounts) values() uint64 {
	if len(c.levels) == 0 {
		return 0
	}
	return c.levels[len(c.levels)-1].extent().values
}

// perRecord returns the level that counts the values of each record.
func (c *commonCounts) perRecord() *level {
	if c.inner == nil {
		return &c.levels[0]
	}
	return c.inner
}

// lengthCounts counts lists by their length: short lists in an array, long ones in a KLL sketch, which is exact for a few thousand
// distinct lengths. They are read by summary for histograms, by level.extent for common statistics, and by firstLengths for
// Details.Lengths.
type lengthCounts struct {
	short []uint64      // number of lists by length; grows to the longest length below shortLength
	long  *sketch.Ranks // lengths of longer lists; nil if there are none
}

const (
	shortLength = 128  // lists from this length on are counted in the sketch
	lengthRanks = 2048 // size of the sketch
)

// addLength counts a list of n elements.
func (l *lengthCounts) addLength(n int) {
	if n < len(l.short) {
		l.short[n]++
		return
	}
	l.addRareLength(n)
}

// addRareLength counts a list that is not within short.
func (l *lengthCounts) addRareLength(n int) {
	if n < shortLength {
		l.growShort(n + 1)
		l.short[n]++
		return
	}
	if l.long == nil {
		l.long = sketch.NewRanks(lengthRanks)
	}
	l.long.Add(uint64(n))
}

// growShort makes short at least n long.
func (l *lengthCounts) growShort(n int) {
	if n > cap(l.short) {
		l.short = append(make([]uint64, 0, sketch.RoundUp(n)), l.short...)
	}
	l.short = l.short[:max(n, len(l.short))]
}

// mergeLengths adds the counts of o.
func (l *lengthCounts) mergeLengths(o *lengthCounts) {
	l.growShort(len(o.short))
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

// summary returns the distribution of the lengths.
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

// appendState appends the encoding of l.
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

// readLevel decodes a level.
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
		l.long.values -= short.values // long.least is used only if no list is short
	}
	if in.Bool() {
		l.lengths.long = in.Ranks(lengthRanks)
	}
	l.weighted.present, l.weighted.values = in.Sum(), in.Sum()
	return l
}

// appendState appends the encoding of c.
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

// readCommon decodes commonCounts.
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

// ratio returns a/b, or 0 if b is 0 or NaN.
func ratio(a, b float64) float64 {
	if b == 0 || math.IsNaN(b) {
		return 0
	}
	return a / b
}

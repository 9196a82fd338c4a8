package stats

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/validate/internal/domain"
	"github.com/tfparse/tfparse/validate/internal/numbers"
	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// A column collects the values of one feature and kind. Exactly one of numbers, labels and blobs is set, unless the kind is
// Unset.
type column struct {
	kind        example.Kind     // kind in the records; Unset: the feature has no kind
	weighted    bool             // records have weights
	numbers     *numberSummary   // numbers that are not categorical
	labels      *labelCounts     // strings and categorical numbers
	blobs       *blobSizes       // sizes of images
	domain      *domain.Detector // nil without Options.DetectDomains
	checkCounts *domain.Counts   // results of featureSchema.check; nil: no check
	tokens      *tokens          // nil: values are not tokens
	common      commonCounts     // presence and lengths of lists
	firstRecord uint64           // ordinal of the first record with this kind, among all records passed to Add
}

// A valueStore says how a column stores its values: as numbers, as labels, or as blobs.
type valueStore uint8

const (
	storesNothing valueStore = iota
	storesNumbers
	storesLabels
	storesBlobs
)

// storeFor returns how a column of the given kind stores its values.
func (s *featureSchema) storeFor(kind example.Kind) valueStore {
	switch {
	case kind == example.Unset:
		return storesNothing
	case kind == example.BytesList && s.image:
		return storesBlobs
	case kind == example.BytesList || s.categorical && (s.kind == kind || s.kind == example.Unset):
		return storesLabels
	}
	return storesNumbers
}

// readsTokens reports whether values of the given kind are tokens of text.
func (s *featureSchema) readsTokens(kind example.Kind) bool {
	return s.tokens != nil && kind != example.FloatList
}

// checks reports whether values of the given kind are checked against a semantic domain.
func (s *featureSchema) checks(kind example.Kind) bool {
	return kind == example.BytesList && s.check.Bytes() || kind == example.Int64List && s.check.Ints()
}

// A plainColumn is a column with memory for the counts of short lists. All that a record changes is in one allocation:
// with thousands of features each further allocation is a cache miss.
type plainColumn struct {
	column
	level [1]level  // memory of common.levels
	short [4]uint64 // memory of level[0].lengths.short
}

// initColumn initializes the column and returns it.
func (c *plainColumn) initColumn(kind example.Kind, weighted bool) *column {
	c.kind, c.weighted = kind, weighted
	c.common.levels = c.level[:0]
	c.level[0].lengths.short = c.short[:0]
	return &c.column
}

// newColumn returns an empty column for a kind of a feature.
func newColumn(kind example.Kind, s *featureSchema, weighted bool, o *Options) (c *column) {
	switch s.storeFor(kind) {
	case storesNothing:
		return new(plainColumn).initColumn(kind, weighted)
	case storesBlobs:
		c = new(plainColumn).initColumn(kind, weighted)
		c.blobs = &blobSizes{}
	case storesLabels:
		x := &struct {
			plainColumn
			labelCounts
		}{labelCounts: newLabels(weighted, o)}
		c = x.initColumn(kind, weighted)
		c.labels = &x.labelCounts
	default:
		x := &struct {
			plainColumn
			numberSummary
		}{numberSummary: newNumberSummary(kind, weighted)}
		c = x.initColumn(kind, weighted)
		c.numbers = &x.numberSummary
	}
	if o.DetectDomains {
		c.domain = &domain.Detector{}
	}
	if s.checks(kind) {
		c.checkCounts = &domain.Counts{}
	}
	if s.readsTokens(kind) {
		c.tokens = newTokens(kind, o)
	}
	return c
}

// addValues adds the values e of a feature in the record r, which has the weight w.
func (c *column) addValues(e *entry, r *record, w float64, s *featureSchema, o *Options) {
	if e.nested {
		c.common.addSteps(r.steps[e.first:e.last], w, c.weighted)
	} else {
		c.common.addList(e.hi-e.lo, w, c.weighted)
	}
	switch e.kind {
	case example.Int64List:
		values := r.ints[e.lo:e.hi]
		if c.numbers != nil {
			c.numbers.values.AddInts(values)
			if c.weighted {
				addWeighted(c.numbers.weighted, values, w)
			}
		} else if c.labels != nil {
			for _, v := range values {
				c.labels.addInt(v, w)
			}
		}
		if c.domain != nil {
			for _, v := range values {
				c.domain.AddInt(v)
			}
		}
		if c.checkCounts != nil {
			for _, v := range values {
				c.checkCounts.AddInt(s.check, v)
			}
		}
	case example.FloatList:
		values := r.floats[e.lo:e.hi]
		if c.numbers != nil {
			c.numbers.values.AddFloats(values)
			if c.weighted {
				addWeighted(c.numbers.weighted, values, w)
			}
		} else if c.labels != nil {
			for _, v := range values {
				c.labels.addFloat(v, w)
			}
		}
		if c.domain != nil && len(values) > 0 {
			c.domain.AddFloat()
		}
	case example.BytesList:
		values := r.bytes[e.lo:e.hi]
		for _, v := range values {
			if c.labels != nil {
				c.labels.addBytes(v, w)
			} else if c.blobs != nil {
				c.blobs.addBlob(v)
			}
		}
		if c.domain != nil {
			for _, v := range values {
				c.domain.AddBytes(v)
			}
		}
		if c.checkCounts != nil {
			for _, v := range values {
				c.checkCounts.AddBytes(s.check, v)
			}
		}
	}
	if c.tokens != nil {
		c.tokens.addSequence(e, r, s.tokens, o)
	}
}

// mergeColumn adds the values of o, which has the same kind.
func (c *column) mergeColumn(o *column) {
	c.common.mergeCommon(&o.common)
	if c.numbers != nil {
		c.numbers.mergeNumbers(o.numbers)
	}
	if c.labels != nil {
		c.labels.mergeLabels(o.labels)
	}
	if c.blobs != nil {
		c.blobs.mergeBlobs(o.blobs)
	}
	if c.domain != nil {
		c.domain.Merge(o.domain)
	}
	if c.checkCounts != nil {
		c.checkCounts.Merge(o.checkCounts)
	}
	if c.tokens != nil {
		c.tokens.mergeTokens(o.tokens)
	}
}

// resetColumn empties a column that was merged, so that it can be used again. It returns false for columns with weights,
// blobs, domains, checks or tokens, which are not reused: only other columns exist by the thousand.
func (c *column) resetColumn() bool {
	if c.weighted || c.blobs != nil || c.domain != nil || c.checkCounts != nil || c.tokens != nil {
		return false
	}
	c.common.resetCommon()
	if c.numbers != nil {
		c.numbers.values.Reset()
	}
	if c.labels != nil {
		c.labels.totalBytes, c.labels.invalidUTF8 = 0, 0
		c.labels.counts.Reset()
	}
	return true
}

// numberSummary collects the numbers of a column.
type numberSummary struct {
	values   numbers.Numbers
	weighted *weightedNumbers // nil without weights
}

// weightedNumbers collects numbers, each with the weight of its record.
type weightedNumbers struct {
	moments sketch.Moments        // moments of finite numbers
	ranks   *sketch.WeightedRanks // ranks of all numbers except NaN
}

// newNumberSummary returns an empty numberSummary.
func newNumberSummary(kind example.Kind, weighted bool) numberSummary {
	m := numberSummary{values: *numbers.New(kind == example.FloatList)}
	if weighted {
		m.weighted = &weightedNumbers{ranks: sketch.NewWeightedRanks(numbers.RankSize)}
	}
	return m
}

// addWeighted adds the values of a record with the weight w.
func addWeighted[T int64 | float32](n *weightedNumbers, values []T, w float64) {
	for _, x := range values {
		switch v := float64(x); {
		case v != v:
			continue
		case !math.IsInf(v, 0):
			n.moments.Add(v, w)
		}
		n.ranks.Add(float64(x), w)
	}
}

// mergeNumbers adds the numbers of o.
func (m *numberSummary) mergeNumbers(o *numberSummary) {
	m.values.Merge(&o.values)
	if m.weighted != nil {
		m.weighted.moments.Merge(o.weighted.moments)
		m.weighted.ranks.Merge(o.weighted.ranks)
	}
}

// labelCounts counts the distinct strings of a column, or numbers that are categories.
type labelCounts struct {
	totalBytes  uint64         // bytes of all values, as text
	invalidUTF8 uint64         // number of values that are not UTF-8
	counts      sketch.Labels  // number of values by label
	weights     *sketch.Labels // weight of the values by label; nil without weights
	key         [32]byte       // buffer for the label of the current number
}

// newLabels returns an empty labelCounts.
func newLabels(weighted bool, o *Options) labelCounts {
	l := labelCounts{counts: *sketch.NewLabels(o.minLabels())}
	if weighted {
		l.weights = sketch.NewLabels(o.minLabels())
	}
	return l
}

// addLabel counts a label in a record with the weight w.
func (l *labelCounts) addLabel(key []byte, w float64) {
	l.counts.Add(key, 1)
	if l.weights != nil {
		l.weights.Add(key, w)
	}
}

// addBytes counts a string in a record with the weight w.
func (l *labelCounts) addBytes(v []byte, w float64) {
	l.totalBytes += uint64(len(v))
	if !utf8.Valid(v) {
		l.invalidUTF8++
	}
	l.addLabel(v, w)
}

// addInt counts an integer, as decimal text, in a record with the weight w.
func (l *labelCounts) addInt(v int64, w float64) {
	key := strconv.AppendInt(l.key[:0], v, 10)
	l.totalBytes += uint64(len(key))
	l.addLabel(key, w)
}

// addFloat counts a float in a record with the weight w. The key is the bits of the float, since several floats may have
// the same label.
func (l *labelCounts) addFloat(v float32, w float64) {
	l.totalBytes += uint64(len(pythonFloat(l.key[:0], v)))
	b := math.Float32bits(v)
	if v != v {
		b = 0x7fc00000
	}
	l.addLabel(append(l.key[:0], byte(b>>24), byte(b>>16), byte(b>>8), byte(b)), w)
}

// floatLabel returns the label of a key of addFloat: the number with six digits.
func floatLabel(key string) string {
	v := math.Float32frombits(uint32(key[0])<<24 | uint32(key[1])<<16 | uint32(key[2])<<8 | uint32(key[3]))
	switch {
	case v != v:
		return "nan"
	case math.IsInf(float64(v), 1):
		return "inf"
	case math.IsInf(float64(v), -1):
		return "-inf"
	}
	return strconv.FormatFloat(float64(v), 'g', 6, 64)
}

// pythonFloat appends v as Python formats the float64 of the same value.
func pythonFloat(b []byte, v float32) []byte {
	x := float64(v)
	switch {
	case x != x:
		return append(b, "nan"...)
	case math.IsInf(x, 1):
		return append(b, "inf"...)
	case math.IsInf(x, -1):
		return append(b, "-inf"...)
	case x != 0 && (math.Abs(x) < 1e-4 || math.Abs(x) >= 1e16):
		return strconv.AppendFloat(b, x, 'e', -1, 64)
	}
	b = strconv.AppendFloat(b, x, 'f', -1, 64)
	for _, c := range b {
		if c == '.' {
			return b
		}
	}
	return append(b, ".0"...)
}

// mergeLabels adds the counts of o.
func (l *labelCounts) mergeLabels(o *labelCounts) {
	l.totalBytes += o.totalBytes
	l.invalidUTF8 += o.invalidUTF8
	l.counts.Merge(&o.counts)
	if l.weights != nil {
		l.weights.Merge(o.weights)
	}
}

// blobSizes summarizes the sizes of byte strings that are not labels.
type blobSizes struct {
	count       uint64 // number of byte strings
	total       uint64 // bytes of all byte strings
	least, most uint64 // bytes of the shortest and of the longest byte string; 0 if count is 0
}

// addBlob adds a byte string.
func (b *blobSizes) addBlob(v []byte) {
	n := uint64(len(v))
	if b.count == 0 || n < b.least {
		b.least = n
	}
	b.most = max(b.most, n)
	b.count++
	b.total += n
}

// mergeBlobs adds the byte strings of o.
func (b *blobSizes) mergeBlobs(o *blobSizes) {
	if o.count == 0 {
		return
	}
	if b.count == 0 || o.least < b.least {
		b.least = o.least
	}
	b.most = max(b.most, o.most)
	b.count += o.count
	b.total += o.total
}

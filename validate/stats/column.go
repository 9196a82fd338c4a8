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

// A column collects the values of one feature that have one kind. One of
// numbers, labels and blobs is not nil, unless the kind is Unset.
type column struct {
	kind     example.Kind
	weighted bool
	numbers  *numberSummary
	labels   *labelCounts
	blobs    *blobSizes
	domain   *domain.Detector
	checked  *domain.Counts // of the values by schema.check; nil: none
	tokens   *tokens
	common   commonCounts
	first    uint64 // ordinal of the first record with this kind, among all that were given to Add
}

// A valueStore says how a column stores its values: as numbers, as labels, or as blobs.
type valueStore uint8

const (
	storesNothing valueStore = iota
	storesNumbers
	storesLabels
	storesBlobs
)

// store says how a column of a kind stores its values.
func (s *featureSchema) store(kind example.Kind) valueStore {
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

// readsTokens reports whether values of a kind are tokens of text.
func (s *featureSchema) readsTokens(kind example.Kind) bool {
	return s.tokens != nil && kind != example.FloatList
}

// checks reports whether the schema has a check of values of a kind.
func (s *featureSchema) checks(kind example.Kind) bool {
	return kind == example.BytesList && s.check.Bytes() || kind == example.Int64List && s.check.Ints()
}

// A plainColumn is a column with memory for short lists. What each record changes is in one allocation: with thousands of features
// every further one is a cache miss.
type plainColumn struct {
	column
	level [1]level
	short [4]uint64 // the shortest lengths of the level
}

func (c *plainColumn) start(kind example.Kind, weighted bool) *column {
	c.kind, c.weighted = kind, weighted
	c.common.levels = c.level[:0]
	c.level[0].lengths.short = c.short[:0]
	return &c.column
}

func newColumn(kind example.Kind, s *featureSchema, weighted bool, o *Options) (c *column) {
	switch s.store(kind) {
	case storesNothing:
		return new(plainColumn).start(kind, weighted)
	case storesBlobs:
		c = new(plainColumn).start(kind, weighted)
		c.blobs = &blobSizes{}
	case storesLabels:
		x := &struct {
			plainColumn
			labelCounts
		}{labelCounts: newLabels(weighted, o)}
		c = x.start(kind, weighted)
		c.labels = &x.labelCounts
	default:
		x := &struct {
			plainColumn
			numberSummary
		}{numberSummary: newMeasure(kind, weighted)}
		c = x.start(kind, weighted)
		c.numbers = &x.numberSummary
	}
	if o.DetectDomains {
		c.domain = &domain.Detector{}
	}
	if s.checks(kind) {
		c.checked = &domain.Counts{}
	}
	if s.readsTokens(kind) {
		c.tokens = newTokens(kind, o)
	}
	return c
}

// add adds the values that a record of weight w has.
func (c *column) add(e *entry, r *record, w float64, s *featureSchema, o *Options) {
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
		if c.checked != nil {
			for _, v := range values {
				c.checked.AddInt(s.check, v)
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
				c.blobs.add(v)
			}
		}
		if c.domain != nil {
			for _, v := range values {
				c.domain.AddBytes(v)
			}
		}
		if c.checked != nil {
			for _, v := range values {
				c.checked.AddBytes(s.check, v)
			}
		}
	}
	if c.tokens != nil {
		c.tokens.add(e, r, s.tokens, o)
	}
}

// merge adds the values of o, which has the same kind.
func (c *column) merge(o *column) {
	c.common.merge(&o.common)
	if c.numbers != nil {
		c.numbers.merge(o.numbers)
	}
	if c.labels != nil {
		c.labels.merge(o.labels)
	}
	if c.blobs != nil {
		c.blobs.merge(o.blobs)
	}
	if c.domain != nil {
		c.domain.Merge(o.domain)
	}
	if c.checked != nil {
		c.checked.Merge(o.checked)
	}
	if c.tokens != nil {
		c.tokens.merge(o.tokens)
	}
}

// reset empties a column that was merged. It reports whether it can: only columns without weights and checks, of which there may be
// thousands, are worth keeping.
func (c *column) reset() bool {
	if c.weighted || c.blobs != nil || c.domain != nil || c.checked != nil || c.tokens != nil {
		return false
	}
	c.common.reset()
	if c.numbers != nil {
		c.numbers.values.Reset()
	}
	if c.labels != nil {
		c.labels.length, c.labels.invalid = 0, 0
		c.labels.counts.Reset()
	}
	return true
}

// numberSummary collects the numbers of a column.
type numberSummary struct {
	values   numbers.Numbers
	weighted *weightedNumbers
}

type weightedNumbers struct {
	moments sketch.Moments        // of those that are finite
	ranks   *sketch.WeightedRanks // of all but NaN
}

func newMeasure(kind example.Kind, weighted bool) numberSummary {
	m := numberSummary{values: *numbers.New(kind == example.FloatList)}
	if weighted {
		m.weighted = &weightedNumbers{ranks: sketch.NewWeightedRanks(numbers.RankSize)}
	}
	return m
}

// addWeighted adds values of weight w.
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

func (m *numberSummary) merge(o *numberSummary) {
	m.values.Merge(&o.values)
	if m.weighted != nil {
		m.weighted.moments.Merge(o.weighted.moments)
		m.weighted.ranks.Merge(o.weighted.ranks)
	}
}

// labelCounts counts the different strings of a column, and numbers that are categories.
type labelCounts struct {
	length  uint64         // bytes of all values
	invalid uint64         // values that are not UTF-8
	counts  sketch.Labels  // by the number of values
	weights *sketch.Labels // by the weight of their records; nil without weights
	key     [32]byte       // of the number at hand
}

func newLabels(weighted bool, o *Options) labelCounts {
	l := labelCounts{counts: *sketch.NewLabels(o.shown())}
	if weighted {
		l.weights = sketch.NewLabels(o.shown())
	}
	return l
}

func (l *labelCounts) count(key []byte, w float64) {
	l.counts.Add(key, 1)
	if l.weights != nil {
		l.weights.Add(key, w)
	}
}

func (l *labelCounts) addBytes(v []byte, w float64) {
	l.length += uint64(len(v))
	if !utf8.Valid(v) {
		l.invalid++
	}
	l.count(v, w)
}

func (l *labelCounts) addInt(v int64, w float64) {
	key := strconv.AppendInt(l.key[:0], v, 10)
	l.length += uint64(len(key))
	l.count(key, w)
}

// addFloat counts by bits: several numbers may have the same label.
func (l *labelCounts) addFloat(v float32, w float64) {
	l.length += uint64(len(pythonFloat(l.key[:0], v)))
	b := math.Float32bits(v)
	if v != v {
		b = 0x7fc00000
	}
	l.count(append(l.key[:0], byte(b>>24), byte(b>>16), byte(b>>8), byte(b)), w)
}

// floatLabel is the label of a key of addFloat: the number with six digits.
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

// pythonFloat appends v as Python writes the double of the same value.
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

func (l *labelCounts) merge(o *labelCounts) {
	l.length += o.length
	l.invalid += o.invalid
	l.counts.Merge(&o.counts)
	if l.weights != nil {
		l.weights.Merge(o.weights)
	}
}

// blobSizes counts byte strings that are not labels, by their sizes.
type blobSizes struct {
	count       uint64 // byte strings
	total       uint64 // bytes in all of them
	least, most uint64 // bytes in the shortest and in the longest
}

func (b *blobSizes) add(v []byte) {
	n := uint64(len(v))
	if b.count == 0 || n < b.least {
		b.least = n
	}
	b.most = max(b.most, n)
	b.count++
	b.total += n
}

func (b *blobSizes) merge(o *blobSizes) {
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

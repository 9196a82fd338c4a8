package stats

import (
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/distance"
	"github.com/tfparse/tfparse/validate/internal/numbers"
	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// Details supplement the messages of statistics with facts that the messages cannot represent.
type Details struct {
	// Integers has the exact values of fields from ±2^53 on, for which the message has the nearest float64: minimum, maximum and
	// median of features of type INT, and the ends of their buckets. It lacks weighted and approximate values, and medians
	// that are the mean of two values.
	Integers map[Figure]int64
	// OutsideSlices is the number of records in slices that were left out: see [Accumulator.OutsideSlices].
	OutsideSlices uint64

	distributions map[*metadatapb.NumericStatistics]numberSource // distributions that the histograms do not fully describe
	listLengths   map[*metadatapb.CommonStatistics][]listLengths // lengths of lists, by level of nesting

	mu sync.Mutex // protects the maps while goroutines describe features
}

// A Figure identifies a field of a message in some statistics.
type Figure struct {
	Message proto.Message
	Field   string // name in the .proto file
}

// NewDetails returns empty Details.
func NewDetails() *Details {
	return &Details{Integers: map[Figure]int64{}, distributions: map[*metadatapb.NumericStatistics]numberSource{}, listLengths: map[*metadatapb.CommonStatistics][]listLengths{}}
}

// Detailed returns the result of StatisticsWith, and the Details of its messages.
func (a *Accumulator) Detailed(jobs int) (*metadatapb.DatasetFeatureStatisticsList, *Details, error) {
	d := NewDetails()
	list, err := a.collectStatistics(jobs, d)
	d.OutsideSlices, _ = a.OutsideSlices()
	return list, d, err
}

// exactLimit is 2^53: integers below it are exact in a float64. A float64 of 2^53 may be the rounded 2^53+1.
const exactLimit = 1 << 53

// noteInteger records v as the exact value of a field that has the value rounded, if rounded is v as a float64 and v may
// not be exact in a float64.
func (d *Details) noteInteger(m proto.Message, field string, rounded float64, v int64) {
	if rounded == float64(v) && (v >= exactLimit || v <= -exactLimit) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.Integers[Figure{m, field}] = v
	}
}

// A numberSource refers to the distribution of a feature in an Accumulator.
type numberSource struct {
	numbers  *numbers.Numbers      // not sealed: may have an unfinished chunk
	weighted *sketch.WeightedRanks // nil without weights
}

// noteNumbers records the source of s, unless the histogram of s counts each distinct value: then the histogram is exact, and the
// Accumulator need not be retained. All note methods do nothing if d is nil.
func (d *Details) noteNumbers(s *metadatapb.NumericStatistics, c numberSource) {
	if d != nil && (c.weighted != nil || ofValues(s.Histograms) == nil) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.distributions[s] = c
	}
}

// ofValues returns the numbers of the histogram of quantiles if it counts each distinct value, else nil.
func ofValues(all []*metadatapb.Histogram) *distance.Numbers {
	for _, h := range all {
		if h.Type == metadatapb.Histogram_QUANTILES {
			return distance.FromValues(h)
		}
	}
	return nil
}

// Numbers returns the weighted or unweighted distribution of a feature's statistics, or nil if it is not known. It reads the
// Accumulator: call it before more records are added. Packages drift and anomaly call it; their options take Details.
func (d *Details) Numbers(s *metadatapb.NumericStatistics, weighted bool) *distance.Numbers {
	c, ok := d.distributions[s]
	if !ok {
		h := s.GetHistograms()
		if weighted {
			h = s.GetWeightedNumericStats().GetHistograms()
		}
		return ofValues(h)
	}
	all := c.numbers.Sealed() // on demand: for thousands of features it takes much memory
	if !weighted {
		return distance.FromSummary(float64(all.NaN), all.RankError(), all.Summary(), all.Distinct)
	}
	if c.weighted == nil {
		return nil
	}
	byWeight := c.weighted.Summary()
	nan := 0.0
	if n := s.GetCommonStats().GetTotNumValues(); n > all.NaN { // the weight of NaN is not known: assume the mean weight
		nan = byWeight.Total() / float64(n-all.NaN) * float64(all.NaN)
	}
	return distance.FromSummary(nan, c.weighted.RankError(), byWeight, all.Distinct)
}

// noteIntegers records the exact integers of s. parts is Options.Quantiles.
func (d *Details) noteIntegers(s *metadatapb.NumericStatistics, n *numbers.Numbers, parts int) {
	if d == nil || n.Least > -exactLimit && n.Most < exactLimit {
		return
	}
	least, most := n.Ends()
	d.noteInteger(s, "min", s.Min, least)
	d.noteInteger(s, "max", s.Max, most)
	for _, h := range s.Histograms {
		if last := len(h.Buckets) - 1; last >= 0 {
			d.noteInteger(h.Buckets[0], "low_value", h.Buckets[0].LowValue, least)
			d.noteInteger(h.Buckets[last], "high_value", h.Buckets[last].HighValue, most)
		}
	}
	bounds, middle := n.IntQuantiles(parts)
	if bounds == nil {
		return
	}
	if middle[0] == middle[1] {
		d.noteInteger(s, "median", s.Median, middle[0])
	}
	for _, h := range s.Histograms {
		if h.Type != metadatapb.Histogram_QUANTILES {
			continue
		}
		ends := func(k int) (low, high int64) { return bounds[k], bounds[k+1] }
		if distinct := n.IntEnds(); len(distinct) <= parts { // each distinct value has a bucket
			ends = func(k int) (low, high int64) { return distinct[k][0], distinct[k][1] }
		}
		for k, b := range h.Buckets {
			low, high := ends(k)
			d.noteInteger(b, "low_value", b.LowValue, low)
			d.noteInteger(b, "high_value", b.HighValue, high)
		}
	}
}

// maxLengths is the maximum number of lengths that Details.Lengths returns.
const maxLengths = 10

// listLengths are the shortest distinct lengths of the lists at one level of nesting.
type listLengths struct {
	shortest []uint64 // ascending; at most maxLengths
	distinct int      // number of distinct lengths
}

// noteLengths records the distinct lengths of the lists that s describes. It skips levels whose minimum and maximum length
// differ by at most 1.
func (d *Details) noteLengths(s *metadatapb.CommonStatistics, c *commonCounts) {
	if d == nil {
		return
	}
	var levels []listLengths
	for i := range c.levels {
		if e := c.levels[i].extent(); e.most-e.least > 1 {
			if levels == nil {
				levels = make([]listLengths, len(c.levels))
			}
			levels[i] = c.levels[i].lengths.firstLengths()
		}
	}
	if levels != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.listLengths[s] = levels
	}
}

// firstLengths returns the shortest lengths. It returns none if the lengths were not counted exactly.
func (l *lengthCounts) firstLengths() (s listLengths) {
	if l.long != nil && l.long.RankError() > 0 {
		return s
	}
	for _, e := range l.summary() {
		if s.distinct++; s.distinct <= maxLengths {
			s.shortest = append(s.shortest, uint64(e.V))
		}
	}
	return s
}

// Lengths returns the distinct lengths of the lists at a level of nesting; level 0 is the outermost. lengths has the ten
// shortest in ascending order, all is the number of distinct lengths. It returns none if minimum and maximum differ by at most
// 1, if s does not belong to d, or if the lengths were not counted exactly. The caller must not change the slice. Package
// anomaly calls it; its options take Details.
func (d *Details) Lengths(s *metadatapb.CommonStatistics, level int) (lengths []uint64, all int) {
	if levels := d.listLengths[s]; level < len(levels) {
		return levels[level].shortest, levels[level].distinct
	}
	return nil, 0
}

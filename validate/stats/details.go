package stats

import (
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/distance"
	"github.com/tfparse/tfparse/validate/internal/numbers"
	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// Details are what the messages of statistics have no room for.
type Details struct {
	// Integers are figures of features of type INT, from 2^53 on, where the message has the
	// nearest float64: least, largest and median (but not the mean of two), the ends of
	// histograms, and the quantiles between them, but those that weights or a sketch have
	// made.
	Integers map[Figure]int64
	// OutsideSlices is how many records are in slices that were left out: see [Accumulator.OutsideSlices].
	OutsideSlices uint64

	counted map[*metadatapb.NumericStatistics]numberSource
	seen    map[*metadatapb.CommonStatistics][]listLengths

	mu sync.Mutex // all are added to while features are described
}

// A Figure is a field of one of the messages of some statistics.
type Figure struct {
	Message proto.Message
	Field   string // its name in the .proto file
}

// NewDetails returns Details that say nothing yet.
func NewDetails() *Details {
	return &Details{Integers: map[Figure]int64{}, counted: map[*metadatapb.NumericStatistics]numberSource{}, seen: map[*metadatapb.CommonStatistics][]listLengths{}}
}

// Detailed returns what StatisticsWith does, and the Details of its messages.
func (a *Accumulator) Detailed(jobs int) (*metadatapb.DatasetFeatureStatisticsList, *Details, error) {
	d := NewDetails()
	list, err := a.statistics(jobs, d)
	d.OutsideSlices, _ = a.OutsideSlices()
	return list, d, err
}

// whole is how far a float64 is every integer. What is a float64 here may have been the next
// integer.
const whole = 1 << 53

// integer notes that a field is v, if it is v as near as a float64 can be.
func (d *Details) integer(m proto.Message, field string, is float64, v int64) {
	if is == float64(v) && (v >= whole || v <= -whole) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.Integers[Figure{m, field}] = v
	}
}

// A numberSource has the numbers of a feature in full, in an Accumulator.
type numberSource struct {
	numbers  *numbers.Numbers      // not sealed
	weighted *sketch.WeightedRanks // nil without weights
}

// count notes what the numbers are that were described, unless the histogram counts each value by itself: then
// it says all, and the Accumulator need not be kept. On nil it does nothing, as all methods.
func (d *Details) count(s *metadatapb.NumericStatistics, c numberSource) {
	if d != nil && (c.weighted != nil || ofValues(s.Histograms) == nil) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.counted[s] = c
	}
}

// ofValues are the numbers of the histogram of quantiles, if that counts each value by itself; else nil.
func ofValues(all []*metadatapb.Histogram) *distance.Numbers {
	for _, h := range all {
		if h.Type == metadatapb.Histogram_QUANTILES {
			return distance.OfValues(h)
		}
	}
	return nil
}

// Numbers is for packages drift and anomaly, whose options take Details: it returns the numbers that some statistics
// describe, by weight or not; nil if they are not known of them. They are those of the Accumulator,
// until something is added to it.
func (d *Details) Numbers(s *metadatapb.NumericStatistics, weighted bool) *distance.Numbers {
	c, ok := d.counted[s]
	if !ok {
		h := s.GetHistograms()
		if weighted {
			h = s.GetWeightedNumericStats().GetHistograms()
		}
		return ofValues(h)
	}
	all := c.numbers.Sealed() // made when it is asked for: for each feature of thousands it would take much
	if !weighted {
		return distance.Counted(float64(all.NaN), all.RankError(), all.Summary(), all.Distinct)
	}
	if c.weighted == nil {
		return nil
	}
	byWeight := c.weighted.Summary()
	nan := 0.0
	if n := s.GetCommonStats().GetTotNumValues(); n > all.NaN { // their weight is not known: it is that of others
		nan = byWeight.Total() / float64(n-all.NaN) * float64(all.NaN)
	}
	return distance.Counted(nan, c.weighted.RankError(), byWeight, all.Distinct)
}

// numbers notes what is known of integers in full. The quantiles of the message divide the
// values into `parts`.
func (d *Details) numbers(s *metadatapb.NumericStatistics, n *numbers.Numbers, parts int) {
	if d == nil || n.Least > -whole && n.Most < whole {
		return
	}
	least, most := n.Ends()
	d.integer(s, "min", s.Min, least)
	d.integer(s, "max", s.Max, most)
	for _, h := range s.Histograms {
		if last := len(h.Buckets) - 1; last >= 0 {
			d.integer(h.Buckets[0], "low_value", h.Buckets[0].LowValue, least)
			d.integer(h.Buckets[last], "high_value", h.Buckets[last].HighValue, most)
		}
	}
	bounds, middle := n.IntQuantiles(parts)
	if bounds == nil {
		return
	}
	if middle[0] == middle[1] {
		d.integer(s, "median", s.Median, middle[0])
	}
	for _, h := range s.Histograms {
		if h.Type != metadatapb.Histogram_QUANTILES {
			continue
		}
		ends := func(k int) (low, high int64) { return bounds[k], bounds[k+1] }
		if different := n.IntEnds(); len(different) <= parts { // a bucket for each
			ends = func(k int) (low, high int64) { return different[k][0], different[k][1] }
		}
		for k, b := range h.Buckets {
			low, high := ends(k)
			d.integer(b, "low_value", b.LowValue, low)
			d.integer(b, "high_value", b.HighValue, high)
		}
	}
}

// maxLengths is how many different numbers of values Details.Lengths has of a feature.
const maxLengths = 10

// listLengths are the shortest of the different lengths of lists at one level of nesting.
type listLengths struct {
	first []uint64
	all   int
}

// lengths notes the different lengths of lists that common statistics describe. Those of one length, or of
// two neighbours, are the least and the largest of the message.
func (d *Details) lengths(s *metadatapb.CommonStatistics, c *commonCounts) {
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
		d.seen[s] = levels
	}
}

// seen returns the first lengths, in ascending order; none if they are not all known.
func (l *lengthCounts) firstLengths() (s listLengths) {
	if l.long != nil && l.long.RankError() > 0 {
		return s
	}
	for _, e := range l.summary() {
		if s.all++; s.all <= maxLengths {
			s.first = append(s.first, uint64(e.V))
		}
	}
	return s
}

// Lengths is for package anomaly, whose options take Details: it returns the different numbers of values that lists
// have at a level of nesting, 0 the outermost: the first ten in ascending order, and how many there
// are. It returns none where the ends of the range are all there are, if the statistics are not of these
// Details, and if there was no memory to count every length. The caller must not change the slice.
func (d *Details) Lengths(s *metadatapb.CommonStatistics, level int) (lengths []uint64, all int) {
	if levels := d.seen[s]; level < len(levels) {
		return levels[level].first, levels[level].all
	}
	return nil, 0
}
